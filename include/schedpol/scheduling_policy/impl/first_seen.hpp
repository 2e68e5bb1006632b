// SPDX-License-Identifier: Apache-2.0
#pragma once

/// First seen wins: of what several policies say at one place, what the first says counts. The
/// others that say the same are behind it too, what others say is lost.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/said.hpp>
#include <schedpol/scheduling_policy/impl/said_by.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace schedpol::scheduling_policy::detail {

class FirstSeen {
 public:
  /// Writes down in `sources` where every entry came from.
  explicit FirstSeen(SaidBy& sources) noexcept : sources_(sources) {}

  /// One entry as a whole.
  template <class T>
  T whole(const FieldPath& entry, const std::vector<Said<T>>& all) {
    if (all.empty()) return T();
    const T& first = *all.front().value;
    for (const Said<T>& each : all) {
      SaidBy::Entries& entries = *each.value == first ? sources_.entries : sources_.lost;
      entries[entry].push_back(each.policy);
    }
    return first;
  }

  /// `required`, sub-key by sub-key.
  PolicyRules required(const std::vector<Said<PolicyRules>>& all) {
    const FieldPath path{"required"};
    PolicyRules merged;
    const auto take_whole = [&](std::string_view name, auto field) {
      merged.*field = whole(path.child(name), said(all, field));
    };
    take_whole("schedulerNames", &PolicyRules::scheduler_names);
    take_whole("priorityClassNames", &PolicyRules::priority_class_names);
    take_whole("tolerations", &PolicyRules::tolerations);
    const auto node_selectors = inside(said(all, &PolicyRules::node_selectors));
    if (!node_selectors.empty())
      merged.node_selectors = key_by_key(path.child("nodeSelectors"), node_selectors);
    const auto affinities = inside(said(all, &PolicyRules::affinities));
    for_each_kind([&](const auto& kind) {
      const auto rules = said(affinities, kind.rules);
      if (rules.empty()) return;
      merged.affinities.list().*kind.rules =
          modes(path.child("affinities").child(kind.rules_field), rules);
    });
    return merged;
  }

  /// `default`, sub-key by sub-key.
  Defaults defaults(const std::vector<Said<Defaults>>& all) {
    const FieldPath path{"default"};
    Defaults merged;
    const auto take_whole = [&](std::string_view name, auto field) {
      merged.*field = whole(path.child(name), said(all, field));
    };
    take_whole("schedulerName", &Defaults::scheduler_name);
    take_whole("priorityClassName", &Defaults::priority_class_name);
    take_whole("tolerations", &Defaults::tolerations);
    const auto node_selectors = inside(said(all, &Defaults::node_selector));
    if (!node_selectors.empty())
      merged.node_selector = key_by_key(path.child("nodeSelector"), node_selectors);
    const auto affinities = inside(said(all, &Defaults::affinity));
    if (affinities.empty()) return merged;
    merged.affinity.emplace();
    for_each_kind([&](const auto& kind) {
      const auto terms = inside(said(affinities, kind.member));
      if (terms.empty()) return;
      (*merged.affinity).*kind.member =
          terms_by_mode(path.child("affinity").child(kind.field), terms);
    });
    return merged;
  }

 private:
  template <class Map>
  Map key_by_key(const FieldPath& path, const std::vector<Said<Map>>& all) {
    Map merged;
    for (const auto& [key, values] : by_key(all))
      merged.try_emplace(std::string(key), whole(path.key(key), values));
    return merged;
  }

  /// A kind in `required`. One that is any is an entry for as long as no mode joins it.
  template <class Rule>
  AnyOr<AffinityModes<Rule>> modes(const FieldPath& path,
                                   const std::vector<Said<AnyOr<AffinityModes<Rule>>>>& all) {
    const auto listed = inside(all);
    if (listed.empty()) return whole(path, all);
    AffinityModes<Rule> merged;
    for_each_mode<AffinityModes<Rule>>([&](std::string_view name, auto mode) {
      merged.*mode = whole(path.child(name), said(listed, mode));
    });
    return merged;
  }

  template <class Kind>
  Kind terms_by_mode(const FieldPath& path, const std::vector<Said<Kind>>& all) {
    Kind merged;
    for_each_mode<Kind>([&](std::string_view name, auto mode) {
      merged.*mode = whole(path.child(name), said(all, mode));
    });
    return merged;
  }

  SaidBy& sources_;
};

}  // namespace schedpol::scheduling_policy::detail
