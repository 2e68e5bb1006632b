// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the caller of `apply_defaults`, `check` and `admit` decides: how strictly required node
/// affinity is read, and what counts as the cluster's doing rather than the user's wish.

#include <schedpol/core/labels.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::scheduling_policy {

/// How required node affinity terms have to hold.
enum class RequiredAffinity {
  every_term,  ///< in every term of the pod, because Kubernetes ORs them
  present,     ///< in one term of the pod: the literal reading of the proposal
};

[[nodiscard]] constexpr std::string_view to_string(RequiredAffinity required) noexcept {
  return required == RequiredAffinity::every_term ? "EveryTerm" : "Present";
}

/// What becomes of a pod that names its node.
enum class NodeName {
  require_any_scheduler,  ///< allowed only where `allowed.schedulerNames` is any
  ignore,                 ///< not looked at
};

[[nodiscard]] constexpr std::string_view to_string(NodeName node_name) noexcept {
  return node_name == NodeName::require_any_scheduler ? "RequireAnyScheduler" : "Ignore";
}

struct Options {
  RequiredAffinity required_affinity = RequiredAffinity::every_term;
  NodeName node_name = NodeName::require_any_scheduler;
  DefaultScheduler default_scheduler = DefaultScheduler::specified;

  /// Tolerations that the cluster adds by itself: neither checked, nor counted as specified, nor
  /// able to meet a requirement.
  std::vector<Toleration> exempt_tolerations{};

  /// Node selector pairs that the cluster adds by itself: the same, and no default replaces one.
  Labels exempt_node_selector{};

  /// The priority class that the API server gives to pods without one; taken as none, unless the
  /// policy's own default is that class. Empty: there is none.
  std::string global_default_priority_class{};

  friend bool operator==(const Options&, const Options&) = default;
};

/// The tolerations that the DefaultTolerationSeconds admission plugin adds to every pod: not-ready
/// and unreachable nodes, NoExecute, for `seconds` (the API server's own default is 300).
[[nodiscard]] std::vector<Toleration> default_toleration_seconds(std::int64_t seconds = 300);

/// The tolerations that the DaemonSet controller adds to its pods, that for pods on the host
/// network included.
[[nodiscard]] std::vector<Toleration> daemon_set_tolerations();

/// The options with these tolerations and node selector pairs exempt as well: one of the presets
/// above, or what the RuntimeClass of a pod adds to it (`scheduling.tolerations`,
/// `scheduling.nodeSelector`).
[[nodiscard]] Options exempt(Options options, std::span<const Toleration> tolerations,
                             const Labels& node_selector = {});

}  // namespace schedpol::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/options.ipp>
#endif
