// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the scheduler's extender reads of pods and nodes: little of much, because there are many.

#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace scheduler {

/// Who this program is to server-side apply: what it owns is what it wrote, and nothing else.
inline constexpr std::string_view field_manager = "schedpol-scheduler";

inline constexpr std::string_view deletion_cost_annotation =
    "controller.kubernetes.io/pod-deletion-cost";

/// Of this program's own pod: when kube-scheduler was last to look at waiting pods again, in
/// milliseconds.
inline constexpr std::string_view wake_annotation = "schedpol.io/woken";

/// A pod, and its deletion cost as it stands there.
struct PodRead {
  schedpol::Pod pod{};
  std::optional<std::string> cost{};  ///< the annotation
  bool cost_is_ours = false;          ///< nobody else has written it since
};

/// Nothing where the bytes are no pod.
[[nodiscard]] std::optional<PodRead> read_pod(std::string_view json);

/// Nothing where the bytes are no node.
[[nodiscard]] std::optional<schedpol::Node> read_node(std::string_view json);

}  // namespace scheduler
