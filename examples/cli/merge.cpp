// SPDX-License-Identifier: Apache-2.0
// `schedpol merge`: the policy that all SchedulingPolicies are together, as YAML.

#include "commands.hpp"
#include "policies.hpp"

#include "../support/json_members.hpp"
#include "../support/printable.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <map>
#include <optional>

namespace cli {

namespace {

namespace sp = schedpol::scheduling_policy;
using schedpol::FieldPath;

/// Writes JSON as YAML, an entry a line, with a comment that says which policies it is from, and in
/// the end which entries lost. What an entry holds stays JSON, which is YAML.
class YamlWriter {
 public:
  explicit YamlWriter(const sp::Sources& sources) : sources_(sources) {
    for (const auto& [entry, names] : sources.entries) by_text_.emplace(to_string(entry), &names);
  }

  /// What stands behind `spec:`.
  std::string write(std::string_view json) && {
    write_item(std::string(json), "", 0);
    for (const auto& [entry, names] : sources_.lost)
      out_ += "  # lost: " + to_string(entry) + " of " + in_backticks(names) + "\n";
    return std::move(out_);
  }

 private:
  static bool is_object(std::string_view json) { return json.starts_with("{"); }
  static bool is_list(std::string_view json) { return json.starts_with("["); }
  /// What stands on one line: scalars, what is empty, and an entry without others in it.
  [[nodiscard]] bool is_short(std::string_view json, const std::string& path) const {
    if (json == "{}" || json == "[]" || (!is_object(json) && !is_list(json))) return true;
    const auto found = by_text_.find(path);
    if (found == by_text_.end()) return false;
    const auto next = std::next(found);
    return next == by_text_.end() || !next->first.starts_with(path);
  }

  void append_source(const std::string& path) {
    const auto found = by_text_.find(path);
    if (found != by_text_.end()) out_ += "  # " + in_backticks(*found->second);
  }

  void write_value(std::string_view json, const std::string& path, std::size_t indent) {
    if (is_object(json)) {
      // Labels are keys as well as fields are; of a map of texts the entries are called `[key]`.
      for (const auto& [name, value] : support::read_object(json)) {
        const std::string as_field = path.empty() ? name : path + "." + name;
        const std::string as_key = path + "[" + name + "]";
        const std::string at = by_text_.contains(as_key) ? as_key : as_field;
        out_ += std::string(indent, ' ') + key(name) + ":";
        write_item(value.json, at, indent);
      }
      return;
    }
    const auto items = schedpol::json::decode<std::vector<schedpol::json::RawMessage>>(json);
    for (std::size_t i = 0; items && i < items->size(); ++i) {
      out_ += std::string(indent, ' ') + "-";
      write_item((*items)[i].json, path + "[" + std::to_string(i) + "]", indent);
    }
  }

  void write_item(const std::string& json, const std::string& path, std::size_t indent) {
    const std::string_view text = json.empty() ? std::string_view("null") : json;
    const bool is_line = is_short(text, path);
    if (is_line) out_ += " " + std::string(text);
    append_source(path);
    out_ += '\n';
    if (!is_line) write_value(text, path, indent + 2);
  }

  /// Plain where every reader takes it for a text.
  static std::string key(const std::string& name) {
    const bool is_plain = !name.empty() &&
                          std::all_of(name.begin(), name.end(),
                                      [](char c) {
                                        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                               c == '.' || c == '/' || c == '-';
                                      }) &&
                          name.size() > 3 && name[0] != '-' && name[0] != '.';
    const bool is_word = name == "true" || name == "false" || name == "null" || name == "True" ||
                         name == "False" || name == "Null" || name == "TRUE" || name == "FALSE" ||
                         name == "NULL";
    return is_plain && !is_word ? name : schedpol::json::encode(name);
  }

  const sp::Sources& sources_;
  std::map<std::string, const schedpol::Names*, std::less<>> by_text_;
  std::string out_;
};

std::optional<sp::MergeStrategy> strategy_of(std::string_view word) {
  for (const auto strategy : {sp::MergeStrategy::smart_deep_merge,
                              sp::MergeStrategy::first_seen_wins, sp::MergeStrategy::simple_merge})
    if (to_string(strategy) == word) return strategy;
  return std::nullopt;
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
    out += "spec:" + YamlWriter(effective.sources()).write(members.at("spec").json);
  }
  std::cout << support::printable_json(out);
  for (const schedpol::FieldError& error : validate(merged))
    problems.add("no one policy says what they say together: " + message(error));
  selection.finish();
  return problems.any() ? Status::not_looked : Status::good;
}

}  // namespace cli
