// SPDX-License-Identifier: Apache-2.0
// `schedpol merge`: the policy that all SchedulingPolicies are together, as YAML.

#include "commands.hpp"
#include "policies.hpp"
#include "yaml_writer.hpp"

#include "../support/json_members.hpp"
#include "../support/printable.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <algorithm>
#include <iostream>
#include <optional>

namespace cli {

namespace {

namespace sp = schedpol::scheduling_policy;

/// What stands behind `spec:`: each entry with the policies that it is from, and in the end which
/// entries lost.
std::string yaml_of(const std::string& spec, const sp::Sources& sources) {
  YamlWriter::Comments comments;
  for (const auto& [entry, names] : sources.entries)
    comments.emplace(to_string(entry), in_backticks(names));
  std::string text = YamlWriter(comments).write(spec);
  for (const auto& [entry, names] : sources.lost)
    text += "  # lost: " + to_string(entry) + " of " + in_backticks(names) + "\n";
  return text;
}

std::string json_names(const sp::PolicyNames& names) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const auto& [entry, policies] : names)
    members.emplace_back(to_string(entry),
                         schedpol::json::encode(schedpol::Texts(policies.vector())));
  return json_object(members);
}

}  // namespace

Status run_merge(const Arguments& arguments) {
  Problems problems;
  Selection selection(arguments);
  Input input(arguments.stdin_name, selection, problems);
  auto policies = usable_policies(arguments.operands, arguments.namespace_, input, problems);
  if (!policies) return Status::not_looked;
  auto& configuration = policies->configuration;
  if (configuration.objects.scheduling_policies.empty()) {
    problems.add("there is no SchedulingPolicy to merge");
    return Status::not_looked;
  }
  if (const auto strategy = strategy_of(arguments.strategy))
    configuration.settings.strategy = *strategy;
  schedpol::Pod pod;
  const std::size_t slash = arguments.service_account.find('/');
  if (arguments.service_account.empty()) {
    configuration.settings.policy_use = schedpol::engine::PolicyUse::every;
  } else if (slash == std::string::npos) {
    problems.add("--service-account: `" + arguments.service_account + "` is no NAMESPACE/NAME");
    return Status::not_looked;
  } else {
    pod.metadata.namespace_ = arguments.service_account.substr(0, slash);
    pod.spec.service_account_name = arguments.service_account.substr(slash + 1);
  }
  const auto engine = compile(configuration);
  if (!engine) return Status::not_looked;
  const auto effective = engine->effective_policy(pod);
  if (effective.policies().empty()) {
    problems.add("the service account may use no policy");
    return Status::not_looked;
  }
  const sp::SchedulingPolicy merged{.metadata = {.name = "merged"}, .spec = effective.spec()};
  const std::string policy = schedpol::json::encode(merged);
  std::string out;
  if (arguments.output == "json") {
    const schedpol::Texts names(effective.policies().vector());
    out = json_object({{"policy", policy},
                       {"policies", schedpol::json::encode(names)},
                       {"sources", json_names(effective.sources().entries)},
                       {"lost", json_names(effective.sources().lost)}}) +
          "\n";
  } else {
    out.append("# ")
        .append(to_string(configuration.settings.strategy))
        .append(" of ")
        .append(in_backticks(effective.policies()))
        .append("\n");
    const schedpol::json::RawObject members = support::read_object(policy);
    for (const auto& [name, value] : members)
      if (name != "spec") out += name + ": " + value.json + "\n";
    out += "spec:" + yaml_of(members.at("spec").json, effective.sources());
  }
  std::cout << support::printable_json(out);
  for (const schedpol::FieldError& error : validate(merged))
    problems.add("no one policy says what they say together: " + message(error));
  selection.finish();
  return problems.any() ? Status::not_looked : Status::good;
}

}  // namespace cli
