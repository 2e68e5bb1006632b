// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a ResourcePolicy, and what is legal in it but probably not meant. Whether two
/// units really share a node is only known of a cluster's nodes; here their selectors are compared
/// word for word.

#include <schedpol/resource_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// What `validate` finds: errors make a policy unfit, warnings are legal and probably not meant.
struct Validation {
  std::vector<FieldError> errors{};
  std::vector<FieldError> warnings{};

  friend bool operator==(const Validation&, const Validation&) = default;
};

/// Errors: the name, the strategy, selectors, label keys, a matchLabelKey that is there twice or is
/// in the podSelector too, a negative maxCount, priority or resource, a resource that pods do not
/// request (rule 3 of `core/resources.hpp`), more than `max_unit_resources` of them, `max_units` units,
/// `max_match_label_keys` keys or `max_policy_bytes`.
/// Warnings: units of one name, and units of one selector, each at the later unit.
[[nodiscard]] Validation validate(const ResourcePolicy& policy);

/// What counting by a policy costs, as `core/limits.hpp` has it.
[[nodiscard]] std::size_t counting_cost(const ResourcePolicySpec& of) noexcept;

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/resource_policy/impl/validate.ipp>
#endif
