// SPDX-License-Identifier: Apache-2.0
#pragma once

/// `allowed` of several policies together: at every level what one of them permits is permitted.
/// Any absorbs the rest at the level where it stands; lists are joined in order of first sight, of
/// equal entries the first. A list of entries never becomes any.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/any_or.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/order.hpp>
#include <schedpol/scheduling_policy/impl/said.hpp>
#include <schedpol/scheduling_policy/impl/said_by.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::scheduling_policy::detail {

class Additive {
 public:
  /// Writes down in `sources` where every entry came from.
  explicit Additive(SaidBy& sources) noexcept : sources_(sources) {}

  PolicyRules allowed(const std::vector<Said<PolicyRules>>& all) {
    const FieldPath path{"allowed"};
    PolicyRules merged;
    merged.scheduler_names =
        join(path.child("schedulerNames"), said(all, &PolicyRules::scheduler_names));
    merged.priority_class_names =
        join(path.child("priorityClassNames"), said(all, &PolicyRules::priority_class_names));
    merged.node_selectors =
        join(path.child("nodeSelectors"), said(all, &PolicyRules::node_selectors));
    merged.tolerations = join(path.child("tolerations"), said(all, &PolicyRules::tolerations));
    merged.affinities = join(path.child("affinities"), said(all, &PolicyRules::affinities));
    return merged;
  }

 private:
  /// Whatever has the three states: absent where nobody says anything, any where one says so,
  /// otherwise what is listed inside.
  template <class T>
  AnyOr<T> join(const FieldPath& path, const std::vector<Said<AnyOr<T>>>& all) {
    if (all.empty()) return {};
    bool is_any = false;
    for (const Said<AnyOr<T>>& each : all) {
      if (!each.value->is_any()) continue;
      is_any = true;
      sources_.entries[path].push_back(each.policy);
    }
    if (is_any) return any;
    return join_listed(path, inside(all));
  }

  AffinityRules join_listed(const FieldPath& path, const std::vector<Said<AffinityRules>>& all) {
    AffinityRules merged;
    for_each_kind([&](const auto& kind) {
      merged.*kind.rules = join(path.child(kind.rules_field), said(all, kind.rules));
    });
    return merged;
  }
  template <class Rule>
  AffinityModes<Rule> join_listed(const FieldPath& path,
                                  const std::vector<Said<AffinityModes<Rule>>>& all) {
    AffinityModes<Rule> merged;
    for_each_mode<AffinityModes<Rule>>([&](std::string_view name, auto mode) {
      merged.*mode = join(path.child(name), said(all, mode));
    });
    return merged;
  }
  NodeAffinityRule join_listed(const FieldPath& path,
                               const std::vector<Said<NodeAffinityRule>>& all) {
    std::vector<Said<std::vector<TermPattern>>> terms;
    for (const auto& [rule, policy] : all) terms.push_back({&rule->node_selector_terms, policy});
    return {join_listed(path.child("nodeSelectorTerms"), terms)};
  }
  PodAffinityRule join_listed(const FieldPath& path,
                              const std::vector<Said<PodAffinityRule>>& all) {
    std::vector<Said<Texts>> keys;
    for (const auto& [rule, policy] : all) keys.push_back({&rule->topology_keys, policy});
    return {join_listed(path.child("topologyKeys"), keys)};
  }

  /// A key that some policy names is there, with no values where nobody lists any.
  NodeSelectors join_listed(const FieldPath& path, const std::vector<Said<NodeSelectors>>& all) {
    NodeSelectors merged;
    for (const auto& [key, values] : by_key(all)) {
      std::vector<Said<AnyOr<Texts>>> of_key;
      for (const Said<AnyOr<Texts>>& each : values)
        if (is_said(*each.value)) of_key.push_back(each);
      merged.try_emplace(std::string(key), join(path.key(key), of_key));
    }
    return merged;
  }

  /// A list of entries, each of which is one for the sources too.
  template <class List>
  List join_listed(const FieldPath& path, const std::vector<Said<List>>& all)
    requires requires { typename List::value_type; }
  {
    List merged;
    std::map<const typename List::value_type*, std::size_t, EntryOrder> seen;
    for (const auto& [list, policy] : all) {
      for (const auto& entry : *list) {
        const auto [at, added] = seen.try_emplace(&entry, merged.size());
        if (added) merged.push_back(entry);
        SaidBy::Policies& policies = sources_.entries[path.index(at->second)];
        if (policies.empty() || policies.back() != policy) policies.push_back(policy);
      }
    }
    return merged;
  }

  SaidBy& sources_;
};

}  // namespace schedpol::scheduling_policy::detail
