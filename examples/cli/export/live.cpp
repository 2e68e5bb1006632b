// SPDX-License-Identifier: Apache-2.0
#include "live.hpp"

#include "cel.hpp"
#include "cost.hpp"
#include "groups.hpp"
#include "variables.hpp"

#include <schedpol/scheduling_policy/merge.hpp>

#include <algorithm>
#include <set>

namespace cli {

namespace {

namespace engine = schedpol::engine;
namespace sp = schedpol::scheduling_policy;
using cel::Parts;
using Names = std::vector<std::string>;

Names names_of(const engine::Configuration& configuration) {
  Names names;
  for (const sp::SchedulingPolicy& policy : configuration.objects.scheduling_policies)
    names.push_back(policy.metadata.name);
  std::sort(names.begin(), names.end());
  return names;
}

std::string may_use(std::size_t number) {
  return variable("mayUse" + std::to_string(number + 1));
}

/// Whether these policies may be used, and those that are not among them may not.
std::string may_use_only(const Names& names, const Names& used) {
  Parts parts;
  for (std::size_t i = 0; i < names.size(); ++i)
    parts.push_back(std::binary_search(used.begin(), used.end(), names[i])
                        ? may_use(i)
                        : cel::negated(may_use(i)));
  return cel::all_of(parts);
}

/// All sets but that of none.
std::set<Names> all_sets(const Names& names) {
  std::set<Names> sets;
  for (std::size_t bits = 1; bits >> names.size() == 0; ++bits) {
    Names set;
    for (std::size_t i = 0; i < names.size(); ++i)
      if ((bits >> i & 1U) != 0) set.push_back(names[i]);
    sets.insert(std::move(set));
  }
  return sets;
}

}  // namespace

std::vector<ExportedGroup> live_groups_of(const engine::Configuration& configuration,
                                          const engine::Engine& engine, Refusals& refusals) {
  const Names names = names_of(configuration);
  const auto& policies = configuration.objects.scheduling_policies;
  const sp::MergeStrategy strategy = configuration.settings.strategy;
  std::vector<ExportedGroup> groups;
  if (const std::uint64_t cost = names.size() * check_cost; cost > max_policy_cost) {
    refusals.push_back({"--live-rbac", "to ask for " + std::to_string(names.size()) +
                                           " policies costs an API server " + grouped(cost) +
                                           " of " + grouped(max_policy_cost)});
    return groups;
  }
  const auto add = [&](const Names& used, std::string condition) {
    std::vector<sp::SchedulingPolicy> merged;
    for (const sp::SchedulingPolicy& policy : policies)
      if (std::binary_search(used.begin(), used.end(), policy.metadata.name))
        merged.push_back(policy);
    ExportedGroup& group = groups.emplace_back();
    group.policies = used;
    group.condition = std::move(condition);
    group.effective = sp::merge(merged, strategy);
  };
  if (strategy == sp::MergeStrategy::first_seen_wins) {
    Parts before;
    for (std::size_t i = 0; i < names.size(); ++i) {
      Parts parts = before;
      parts.push_back(may_use(i));
      add({names[i]}, cel::all_of(parts));
      before.push_back(cel::negated(may_use(i)));
    }
    add({}, cel::all_of(before));
    return groups;
  }
  std::set<Names> sets;
  if (names.size() <= max_policies_of_all_sets) {
    sets = all_sets(names);
  } else {
    for (const ExportedGroup& group : groups_of(configuration, engine))
      if (!group.policies.empty()) sets.insert(group.policies);
    if (sets.empty())
      refusals.push_back({"--live-rbac",
                          "by the roles and bindings that are given nobody may use "
                          "a policy, and of more than " +
                              std::to_string(max_policies_of_all_sets) +
                              " policies not every set is exported"});
  }
  Parts others;
  for (const Names& used : sets) {
    add(used, may_use_only(names, used));
    others.push_back(cel::negated(groups.back().condition));
  }
  const std::string none = may_use_only(names, {});
  add({}, none);
  if (names.size() <= max_policies_of_all_sets) return groups;
  others.push_back(cel::negated(none));
  add({}, cel::all_of(others));
  groups.back().is_not_exported = true;
  return groups;
}

std::vector<Variable> questions(const engine::Configuration& configuration) {
  const schedpol::rbac::Access access = access_of(configuration.settings);
  std::vector<Variable> all;
  const std::string authorizer = "authorizer.serviceAccount(request.namespace, " +
                                 variable("account") + ").group(" + cel::quoted(access.api_group) +
                                 ").resource(" + cel::quoted(access.resource) +
                                 ").namespace(request.namespace)";
  const Names names = names_of(configuration);
  for (std::size_t i = 0; i < names.size(); ++i)
    all.push_back({may_use(i).substr(std::string_view("variables.").size()),
                   authorizer + ".name(" + cel::quoted(names[i]) + ").check(" +
                       cel::quoted(access.verb) + ").allowed()",
                   "whether the service account may use `" + names[i] + "`"});
  return all;
}

void put_under(const std::string& condition, Rules& rules) {
  rules.variables.push_back(
      {"isJudged", condition, "whether these are the policies that the service account may use"});
  const std::string is_judged = variable("isJudged");
  for (Validation& each : rules.validations)
    each.expression = cel::any_of({cel::negated(is_judged), each.expression});
  for (Mutation& each : rules.mutations)
    each.expression = is_judged + " ? (" + each.expression + ") : []";
}

}  // namespace cli
