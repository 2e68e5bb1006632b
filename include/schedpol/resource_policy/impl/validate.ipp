// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/impl/policy_rules.hpp>
#include <schedpol/resource_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// What is legal and probably not meant: units of one name, and of one selector.
inline void find_repetitions(schedpol::detail::FieldErrors& warnings,
                             const schedpol::detail::PathBuilder& place,
                             const std::vector<Unit>& units) {
  std::set<std::string_view> names;
  // The first unit of a selector, by the selector's text.
  std::map<std::string, std::size_t, std::less<>> first;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const schedpol::detail::PathBuilder item = place.index(i);
    if (!units[i].name.empty() && !names.insert(units[i].name).second) {
      warnings.add(ErrorType::duplicate, item.child("name"), units[i].name,
                   "another unit has this name");
    }
    const std::optional selector = units[i].node_selector.value_or(LabelSelector{});
    const auto [same, is_first] = first.try_emplace(to_string(selector), i);
    if (is_first) continue;
    warnings.add(ErrorType::duplicate, item.child("nodeSelector"), "",
                 "unit " + std::to_string(same->second) + " selects the same nodes");
  }
}

/// Pods are counted apart by keys; one that the selector is about would count them apart by what it
/// has decided already. The API server refuses that in topology spread constraints, too. What such a
/// policy says is plain, so that `compile` takes it.
inline void validate_unselected(schedpol::detail::FieldErrors& errors,
                                const schedpol::detail::PathBuilder& place,
                                const ResourcePolicySpec& spec) {
  if (!spec.pod_selector || spec.match_label_keys.empty()) return;
  std::set<std::string_view> selected;
  for (const auto& [key, value] : spec.pod_selector->match_labels) selected.insert(key);
  for (const auto& expression : spec.pod_selector->match_expressions)
    selected.insert(expression.key);
  for (std::size_t i = 0; i < spec.match_label_keys.size(); ++i) {
    const std::string& key = spec.match_label_keys[i];
    if (selected.contains(key))
      errors.add(ErrorType::invalid, place.index(i), key, "must not be in the podSelector too");
  }
}

}  // namespace detail

SCHEDPOL_INLINE Validation validate(const ResourcePolicy& policy) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::FieldErrors warnings;
  const schedpol::detail::PathBuilder root;
  const schedpol::detail::PathBuilder spec = root.child("spec");
  const schedpol::detail::PathBuilder units = spec.child("units");
  detail::validate_policy(errors, root, policy);
  detail::validate_unselected(errors, spec.child("matchLabelKeys"), policy.spec);
  detail::find_repetitions(warnings, units, policy.spec.units);
  return {std::move(errors).take(), std::move(warnings).take()};
}

SCHEDPOL_INLINE std::size_t counting_cost(const ResourcePolicySpec& of) noexcept {
  std::size_t cost = 1 + of.units.size() + 4 * of.match_label_keys.size();
  for (const Unit& unit : of.units) cost += 2 * unit.max_resources.size();
  return cost;
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
