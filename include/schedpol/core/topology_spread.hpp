// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which nodes can take a pod without its topology spread constraints being broken. Looked at are
/// those that say DoNotSchedule:
/// 1. A node takes part in a constraint when it has the topology keys of all of them, and, where the
///    constraint honors them (affinity unless it says otherwise, taints only if it says so), the
///    pod's node affinity matches it and its NoSchedule and NoExecute taints are tolerated. The
///    values of its topology key on these nodes are its domains.
/// 2. Counted, per domain, are the pods on these nodes, of the pod's namespace, that its label
///    selector and its matchLabelKeys (the pod's values of those that it has) match, not
///    terminating, Succeeded or Failed. An absent selector matches none, and `{}` counts none.
/// 3. The skew of a node is the count of its domain, and one where the pod matches too, less the
///    lowest count of a domain, which is 0 where there are fewer domains than minDomains. It must
///    not exceed maxSkew. A node without one of the topology keys cannot take the pod.
///
/// Source: the PodTopologySpread filter of kube-scheduler.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/shared.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace SCHEDPOL_NAMESPACE {

/// Why a node cannot take the pod.
enum class SpreadReason { none, missing_label, skew };

/// As kube-scheduler says it.
[[nodiscard]] std::string_view to_string(SpreadReason reason) noexcept;

/// What a node's constraints come to: the first that the pod would break there, if any.
struct Spread {
  SpreadReason reason = SpreadReason::none;
  std::size_t constraint = 0;  ///< its index in the pod's list
  std::int64_t skew = 0;       ///< of which it has too much

  friend bool operator==(const Spread&, const Spread&) = default;
};

/// The counts of a pod's constraints in one snapshot of a cluster. Default-constructed, and for a pod
/// without such constraints, every node can take it. Copies share what they are made of.
class TopologySpread {
 public:
  TopologySpread() = default;

  /// What is said of a node, whether or not it took part in the counts.
  [[nodiscard]] Spread filter(const Node& node) const noexcept;

 private:
  friend Result<TopologySpread> topology_spread(const Pod&, std::span<const Node>,
                                                std::span<const Pod>);

  struct Impl;
  Shared<Impl> impl_;  ///< none: no constraints
};

/// Counts `pods`, each on the node its spec names, in one scan, or reports every unusable selector.
[[nodiscard]] Result<TopologySpread> topology_spread(const Pod& pod, std::span<const Node> nodes,
                                                     std::span<const Pod> pods);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/topology_spread.ipp>
#endif
