// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What makes a ResourcePolicy good, for `compile`, and for `validate`, which refuses more
/// (`validate_unselected`).

#include <schedpol/base/impl/did_you_mean.hpp>
#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/core/impl/spec_size.hpp>
#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/resource_policy/policy.hpp>

#include <set>

namespace SCHEDPOL_NAMESPACE::resource_policy {

inline void add_parts(schedpol::detail::SpecSize& size, const Unit& unit) {
  size.add_all(unit.name, unit.max_resources, unit.node_selector);
}

namespace detail {

inline void validate_not_negative(schedpol::detail::FieldErrors& errors,
                                  const schedpol::detail::PathBuilder& place,
                                  const std::optional<std::int32_t>& number) {
  if (!number || *number >= 0) return;
  errors.add(ErrorType::invalid, place, std::to_string(*number), "must not be negative");
}

inline void validate_match_label_keys(schedpol::detail::FieldErrors& errors,
                                      const schedpol::detail::PathBuilder& place,
                                      const Texts& keys) {
  schedpol::detail::validate_count(errors, place, keys.size(), max_match_label_keys);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const schedpol::detail::PathBuilder item = place.index(i);
    errors.add_all(item, keys[i], schedpol::detail::label_key_problems(keys[i]));
    if (!seen.insert(keys[i]).second)
      errors.add(ErrorType::duplicate, item, keys[i], "is there twice");
  }
}

inline void validate_max_resources(schedpol::detail::FieldErrors& errors,
                                   const schedpol::detail::PathBuilder& place,
                                   const ResourceList& resources) {
  schedpol::detail::validate_count(errors, place, resources.size(), max_unit_resources);
  for (const auto& [name, quantity] : resources) {
    const schedpol::detail::PathBuilder item = place.key(name);
    std::vector<std::string> problems = schedpol::detail::label_key_problems(name);
    if (problems.empty() && !schedpol::detail::is_counted(name)) {
      problems.emplace_back(name == "pods"
                                ? "is no resource that pods request; maxCount limits them"
                                : "is no resource that pods request");
    }
    errors.add_all(item, name, std::move(problems));
    if (quantity < Quantity())
      errors.add(ErrorType::invalid, item, quantity.text(), "must not be negative");
  }
}

/// An absent selector is good.
inline void validate_selector(schedpol::detail::FieldErrors& errors,
                              const schedpol::detail::PathBuilder& place,
                              const std::optional<LabelSelector>& selector) {
  if (selector) schedpol::detail::validate_selector(errors, place, *selector);
}

inline void validate_policy(schedpol::detail::FieldErrors& errors,
                            const schedpol::detail::PathBuilder& place,
                            const ResourcePolicy& policy) {
  using schedpol::detail::PathBuilder;
  const ResourcePolicySpec& from = policy.spec;
  const PathBuilder spec = place.child("spec");
  const PathBuilder units = spec.child("units");
  schedpol::detail::validate_metadata(errors, place.child("metadata"), policy.metadata);
  validate_match_label_keys(errors, spec.child("matchLabelKeys"), from.match_label_keys);
  validate_selector(errors, spec.child("podSelector"), from.pod_selector);
  if (!from.strategy.known()) {
    errors.add(ErrorType::not_supported, spec.child("strategy"), from.strategy.text(),
               "supported are required and prefer" + schedpol::detail::did_you_mean(from.strategy));
  }
  schedpol::detail::validate_count(errors, units, from.units.size(), max_units);
  for (std::size_t i = 0; i < from.units.size(); ++i) {
    const PathBuilder unit = units.index(i);
    schedpol::detail::validate_length(errors, unit.child("name"), from.units[i].name,
                                      max_subdomain_bytes);
    validate_not_negative(errors, unit.child("priority"), from.units[i].priority);
    validate_not_negative(errors, unit.child("maxCount"), from.units[i].max_count);
    validate_max_resources(errors, unit.child("maxResources"), from.units[i].max_resources);
    validate_selector(errors, unit.child("nodeSelector"), from.units[i].node_selector);
  }
  schedpol::detail::SpecSize size;
  size.add_all(from.match_label_keys, from.pod_selector, from.units);
  size.validate(errors, spec);
}

}  // namespace detail

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
