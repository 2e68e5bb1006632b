// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a ResourcePolicy, and what is legal but probably not intended. Only the nodes of a
/// cluster show whether two units share a node; this compares the selectors of units word for
/// word.

#include <schedpol/resource_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// What `validate` finds. Errors make a policy unusable; warnings are legal but probably not intended.
struct Validation {
  std::vector<FieldError> errors{};
  std::vector<FieldError> warnings{};

  friend bool operator==(const Validation&, const Validation&) = default;
};

/// Errors: in the name, strategy, selectors or label keys; a key twice in matchLabelKeys, or there and in
/// the podSelector; a negative maxCount, priority or resource; a resource that does not count by rule 3 of
/// `core/resources.hpp`; more than `max_unit_resources` resources of a unit, `max_units` units,
/// `max_match_label_keys` keys or `max_policy_bytes`.
/// Warnings: two units with the same name or the same selector, reported at the later unit.
[[nodiscard]] Validation validate(const ResourcePolicy& policy);

/// The cost of counting by a policy, as `core/limits.hpp` defines it.
[[nodiscard]] std::size_t counting_cost(const ResourcePolicySpec& of) noexcept;

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/resource_policy/impl/validate.ipp>
#endif
