// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// The effects that a toleration is about: without one it stands for one toleration of each effect.
/// An unknown effect stands for itself.
inline std::span<const TaintEffect> tolerated_effects(const Toleration& toleration) noexcept {
  static constexpr std::array one = {TaintEffect::unset, TaintEffect::no_schedule,
                                     TaintEffect::prefer_no_schedule, TaintEffect::no_execute,
                                     TaintEffect::unknown};
  if (toleration.effect == TaintEffect::unset) return taint_effects;
  return {&one[static_cast<std::size_t>(toleration.effect.word())], 1};
}

}  // namespace SCHEDPOL_NAMESPACE::detail
