// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Nodes, and which of them a pod may run on or prefers:
/// 1. the pod's `nodeSelector` AND its required node affinity must match; a required affinity
///    without terms matches no node;
/// 2. terms are ORed, the requirements of a term ANDed; an empty term matches no node;
/// 3. In, NotIn, Exists, DoesNotExist look at the node's labels (NotIn also matches a missing
///    key). Gt and Lt compare int64 and do not match if either side is not an integer;
/// 4. matchFields knows only `metadata.name`, with In or NotIn and one value;
/// 5. a requirement that breaks these rules, or the syntax of label keys and values, makes its term
///    match no node;
/// 6. the score is the sum of the weights of the matching preferences; an empty preference matches
///    no node, and one whose weight is not 1 to 100 adds nothing.
///
/// Compile a pod's requirements once, then match any number of nodes. Source: component-helpers,
/// `scheduling/corev1/nodeaffinity`, which differs in three ways. There, one malformed preference is
/// an error for the whole list; here it adds nothing to the score. There, the caller supplies the
/// fields of a node; here, any field other than `metadata.name` matches no node. There, only the API
/// server refuses weights.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The spec of a node, as far as scheduling needs it.
struct NodeSpec {
  std::vector<Taint> taints{};
  bool unschedulable = false;  ///< set by `kubectl cordon`

  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

/// The status of a node, as far as scheduling needs it.
struct NodeStatus {
  ResourceList allocatable{};  ///< what pods may use of the node, `pods` included

  friend bool operator==(const NodeStatus&, const NodeStatus&) = default;
};

struct Node {
  ObjectMeta metadata{};
  NodeSpec spec{};
  NodeStatus status{};

  friend bool operator==(const Node&, const Node&) = default;
};

/// The taint that every unschedulable node counts as having, even before a controller adds it:
/// `node.kubernetes.io/unschedulable:NoSchedule`.
[[nodiscard]] Taint unschedulable_taint();

/// Whether the tolerations tolerate every taint of the node with one of `effects`. The taints include
/// `unschedulable_taint`. Source: kube-scheduler's TaintToleration and NodeUnschedulable filters.
[[nodiscard]] bool tolerates_all(std::span<const Toleration> tolerations, const Node& node,
                                 std::span<const TaintEffect> effects = repelling_effects);

/// Node selector terms compiled for matching. Terms that can match no node are left out.
class NodeTermsMatcher {
 public:
  /// Without terms: matches no node.
  NodeTermsMatcher() = default;
  explicit NodeTermsMatcher(std::span<const NodeSelectorTerm> terms);  ///< ORed

  /// Whether one of the terms matches.
  [[nodiscard]] bool matches(const Node& node) const noexcept;

 private:
  friend class NodeTable;

  struct Impl;
  Shared<Impl> impl_;  ///< without an object, no terms
};

/// What a pod requires and prefers of nodes, compiled for matching.
class NodeAffinityMatcher {
 public:
  /// Without a pod: matches no node, scores zero.
  NodeAffinityMatcher() = default;

  /// A pod without a node selector and required node affinity matches every node.
  explicit NodeAffinityMatcher(const PodSpec& spec);

  /// Whether the pod may run on the node. Only the node's labels and name count.
  [[nodiscard]] bool matches(const Node& node) const noexcept;

  /// How much the pod prefers the node, whether or not it may run there.
  [[nodiscard]] std::int64_t score(const Node& node) const noexcept;

 private:
  friend class NodeTable;

  struct Impl;
  Shared<Impl> impl_;  ///< without an object, no pod
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/node.ipp>
#endif
