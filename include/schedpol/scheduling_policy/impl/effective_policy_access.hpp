// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The implementation of an EffectivePolicy: the merged spec, and each rule of `check` compiled for
/// lookup.

#include <schedpol/base/impl/shared.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/impl/field_checks.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

struct EffectivePolicy::Impl {
  Impl() : Impl({}, {}, {}) {}
  Impl(SchedulingPolicySpec merged, Names from, Sources behind)
      : spec(std::move(merged)),
        policies(std::move(from)),
        sources(std::move(behind)),
        checks(spec),
        decides(!policies.empty()) {}

  SchedulingPolicySpec spec;
  Names policies;
  Sources sources;
  detail::FieldChecks checks;
  std::vector<std::string> merged_names{};           ///< in byte order; none where nobody merged
  std::vector<SchedulingPolicySpec> merged_specs{};  ///< theirs, as evaluation sees them
  bool ambiguous = false;
  bool decides = false;  ///< there are policies, and no two of one name
};

/// The way of this folder's functions to the insides.
class EffectivePolicyAccess {
 public:
  using Impl = EffectivePolicy::Impl;

  /// Without any, those of no policies: nothing is permitted.
  [[nodiscard]] static const EffectivePolicy::Impl& of(const EffectivePolicy& effective) noexcept {
    return effective.impl_ ? *effective.impl_ : of_none();
  }

  [[nodiscard]] static EffectivePolicy make(EffectivePolicy::Impl impl) {
    EffectivePolicy effective;
    effective.impl_ = Shared<EffectivePolicy::Impl>(std::move(impl));
    return effective;
  }

 private:
  static const EffectivePolicy::Impl& of_none() noexcept {
    static const EffectivePolicy::Impl none;
    return none;
  }
};

namespace detail {

/// What a policy that was merged says itself; null where it was not.
inline const SchedulingPolicySpec* own_spec(const EffectivePolicy& effective,
                                            std::string_view policy) {
  const auto& merged = EffectivePolicyAccess::of(effective);
  const auto begin = merged.merged_names.begin();
  const auto found = std::lower_bound(begin, merged.merged_names.end(), policy);
  const bool is_there = found != merged.merged_names.end() && *found == policy;
  return is_there ? &merged.merged_specs[static_cast<std::size_t>(found - begin)] : nullptr;
}

}  // namespace detail

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
