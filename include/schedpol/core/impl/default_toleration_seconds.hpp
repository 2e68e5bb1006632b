// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The two tolerations that the DefaultTolerationSeconds admission plugin adds to each pod that
/// does not tolerate these taints. It adds them before any webhook sees the pod, and Kubernetes takes
/// the first toleration that matches a taint, so a later toleration of such a taint has no effect.
/// Also the tolerations that the DaemonSet controller adds to its pods.
/// Source: Kubernetes, `plugin/pkg/admission/defaulttolerationseconds`, `pkg/controller/daemon/util`.

#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

inline constexpr std::string_view not_ready_taint = "node.kubernetes.io/not-ready";
inline constexpr std::string_view unreachable_taint = "node.kubernetes.io/unreachable";
/// What the API server adds unless it is told otherwise.
inline constexpr std::int64_t usual_toleration_seconds = 300;

/// Whether it is about one of the two taints, and tolerates what the plugin's tolerates.
[[nodiscard]] inline bool takes_default_toleration_seconds(const Toleration& toleration) noexcept {
  return (toleration.key == not_ready_taint || toleration.key == unreachable_taint) &&
         toleration.effect == TaintEffect::no_execute &&
         (toleration.operator_ == TolerationOperator::exists ||
          ((toleration.operator_ == TolerationOperator::unset ||
            toleration.operator_ == TolerationOperator::equal) &&
           toleration.value.empty()));
}

/// Whether it is one of the two as the plugin adds it. Nobody can tell whether the pod's author
/// wrote the same.
[[nodiscard]] inline bool is_default_toleration_seconds(const Toleration& toleration) noexcept {
  return takes_default_toleration_seconds(toleration) &&
         toleration.operator_ == TolerationOperator::exists && toleration.value.empty() &&
         toleration.toleration_seconds == usual_toleration_seconds;
}

/// Whether a policy's toleration takes the place of one that the pod has.
[[nodiscard]] inline bool replaces(const Toleration& toleration, const Toleration& there) noexcept {
  return is_default_toleration_seconds(there) && toleration.key == there.key &&
         takes_default_toleration_seconds(toleration) && toleration != there;
}

inline Toleration existing(std::string_view key, TaintEffect effect,
                           std::optional<std::int64_t> seconds = {}) {
  return {.key = std::string(key),
          .operator_ = TolerationOperator::exists,
          .value = {},
          .effect = effect,
          .toleration_seconds = seconds};
}

inline std::vector<Toleration> daemon_set_tolerations() {
  return {existing(not_ready_taint, TaintEffect::no_execute),
          existing(unreachable_taint, TaintEffect::no_execute),
          existing("node.kubernetes.io/disk-pressure", TaintEffect::no_schedule),
          existing("node.kubernetes.io/memory-pressure", TaintEffect::no_schedule),
          existing("node.kubernetes.io/pid-pressure", TaintEffect::no_schedule),
          existing("node.kubernetes.io/unschedulable", TaintEffect::no_schedule),
          existing("node.kubernetes.io/network-unavailable", TaintEffect::no_schedule)};
}

}  // namespace SCHEDPOL_NAMESPACE::detail
