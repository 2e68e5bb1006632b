// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>
#include <schedpol/scheduling_policy/impl/policy_values.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE EffectivePolicy::EffectivePolicy(SchedulingPolicySpec spec, Names policies,
                                                 Sources sources)
    : impl_(Impl(detail::Normalizer::normalized(std::move(spec)), std::move(policies),
                 std::move(sources))) {}

SCHEDPOL_INLINE EffectivePolicy EffectivePolicy::ambiguous(std::string_view name) {
  Impl impl;
  impl.ambiguous = true;
  impl.policies = {name};
  return EffectivePolicyAccess::make(std::move(impl));
}

SCHEDPOL_INLINE const SchedulingPolicySpec& EffectivePolicy::spec() const& noexcept {
  return EffectivePolicyAccess::of(*this).spec;
}
SCHEDPOL_INLINE SchedulingPolicySpec EffectivePolicy::spec() && {
  return std::as_const(*this).spec();
}
SCHEDPOL_INLINE Names EffectivePolicy::policies() const noexcept {
  return EffectivePolicyAccess::of(*this).policies;
}
SCHEDPOL_INLINE const Sources& EffectivePolicy::sources() const& noexcept {
  return EffectivePolicyAccess::of(*this).sources;
}
SCHEDPOL_INLINE Sources EffectivePolicy::sources() && {
  return std::as_const(*this).sources();
}
SCHEDPOL_INLINE bool EffectivePolicy::is_ambiguous() const noexcept {
  return EffectivePolicyAccess::of(*this).ambiguous;
}

SCHEDPOL_INLINE Names EffectivePolicy::sources_of(const FieldPath& place) const {
  const PolicyNames& entries = sources().entries;
  for (FieldPath entry = place; !entry.empty(); entry = entry.parent()) {
    const auto found = entries.find(entry);
    if (found != entries.end()) return found->second;
  }
  return {};
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
