// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/did_you_mean.hpp>
#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/syntax.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/validate.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace schedpol::resource_policy {

namespace detail {

inline void validate_not_negative(schedpol::detail::FieldErrors& errors,
                                  const schedpol::detail::Place& place,
                                  const std::optional<std::int32_t>& number) {
  if (!number || *number >= 0) return;
  errors.add(ErrorType::invalid, place, std::to_string(*number), "must not be negative");
}

inline void validate_unit(schedpol::detail::FieldErrors& errors,
                          const schedpol::detail::Place& place, const Unit& unit) {
  validate_not_negative(errors, place.child("priority"), unit.priority);
  validate_not_negative(errors, place.child("maxCount"), unit.max_count);
  if (unit.node_selector)
    validate_selector(errors, place.child("nodeSelector"), *unit.node_selector,
                      SelectedValues::labels);
}

/// What is legal and probably not meant: units of one name, and of one selector.
inline void find_repetitions(schedpol::detail::FieldErrors& warnings,
                             const schedpol::detail::Place& place, const std::vector<Unit>& units) {
  schedpol::detail::UniqueNames names;
  std::map<std::string, std::size_t> first;  // unit of a selector, by the selector's text
  for (std::size_t i = 0; i < units.size(); ++i) {
    const schedpol::detail::Place item = place.index(i);
    if (!units[i].name.empty() && !names.add(units[i].name)) {
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

}  // namespace detail

SCHEDPOL_INLINE Validation validate(const ResourcePolicy& policy) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::FieldErrors warnings;
  const ResourcePolicySpec& from = policy.spec;
  const schedpol::detail::Place root;
  const schedpol::detail::Place metadata = root.child("metadata");
  const schedpol::detail::Place spec = root.child("spec");
  const schedpol::detail::Place keys = spec.child("matchLabelKeys");
  const schedpol::detail::Place units = spec.child("units");
  validate_name(errors, metadata.child("name"), policy.metadata.name);
  for (std::size_t i = 0; i < from.match_label_keys.size(); ++i) {
    const std::string& key = from.match_label_keys[i];
    errors.add_all(keys.index(i), key, label_key_problems(key));
  }
  if (from.pod_selector)
    validate_selector(errors, spec.child("podSelector"), *from.pod_selector,
                      SelectedValues::labels);
  if (!from.strategy.known()) {
    errors.add(ErrorType::not_supported, spec.child("strategy"), from.strategy.text(),
               "supported are required and prefer" + schedpol::detail::did_you_mean(from.strategy));
  }
  for (std::size_t i = 0; i < from.units.size(); ++i)
    detail::validate_unit(errors, units.index(i), from.units[i]);
  detail::find_repetitions(warnings, units, from.units);
  return {std::move(errors).take(), std::move(warnings).take()};
}

}  // namespace schedpol::resource_policy
