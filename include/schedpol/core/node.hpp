// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Nodes, and which of them a pod may or would rather run on:
/// 1. the pod's `nodeSelector` AND its required node affinity have to match; a required affinity
///    without terms matches no node;
/// 2. terms are ORed, the requirements of a term ANDed; an empty term matches no node;
/// 3. In, NotIn, Exists, DoesNotExist look at the node's labels (NotIn also matches a missing
///    key), Gt and Lt compare int64: no match where either side is no integer;
/// 4. matchFields knows `metadata.name`, with In or NotIn and one value;
/// 5. a requirement that breaks these rules, or the syntax of label keys and values, makes its term
///    match no node;
/// 6. the score is the sum of the weights of the matching preferences; an empty one matches
///    nothing, and one whose weight is not 1 to 100 contributes nothing.
///
/// What a pod asks for is compiled once and then matched against any number of nodes. Source:
/// component-helpers, `scheduling/corev1/nodeaffinity`. That one departs in three ways: one malformed
/// preference is an error for the whole list, and here it scores nothing; fields other than
/// `metadata.name` are looked up in what its caller says a node has, and here match no node; and it
/// leaves it to the API server to refuse weights.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// What is said of a node, as far as scheduling looks at it.
struct NodeSpec {
  std::vector<Taint> taints{};
  bool unschedulable = false;  ///< as `kubectl cordon` says it

  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

/// What a node reports, as far as scheduling looks at it.
struct NodeStatus {
  ResourceList allocatable{};  ///< what pods may use of it, `pods` included

  friend bool operator==(const NodeStatus&, const NodeStatus&) = default;
};

struct Node {
  ObjectMeta metadata{};
  NodeSpec spec{};
  NodeStatus status{};

  friend bool operator==(const Node&, const Node&) = default;
};

/// The taint that an unschedulable node counts as having, whether or not a controller has put it
/// there: `node.kubernetes.io/unschedulable:NoSchedule`.
[[nodiscard]] Taint unschedulable_taint();

/// Whether every taint of a node that has one of the effects is tolerated; being unschedulable is
/// one. Source: the TaintToleration and NodeUnschedulable filters of kube-scheduler.
[[nodiscard]] bool tolerates_all(std::span<const Toleration> tolerations, const Node& node,
                                 std::span<const TaintEffect> effects = repelling_effects);

/// Node selector terms made for matching. Terms that can match no node are left out.
class NodeTermsMatcher {
 public:
  /// Of no terms: matches no node.
  NodeTermsMatcher() = default;
  explicit NodeTermsMatcher(std::span<const NodeSelectorTerm> terms);  ///< ORed

  /// Whether one of the terms matches.
  [[nodiscard]] bool matches(const Node& node) const noexcept;

 private:
  friend class NodeTable;

  struct Impl;
  Shared<Impl> impl_;  ///< none: no terms
};

/// What a pod asks of nodes, made for matching.
class NodeAffinityMatcher {
 public:
  /// Of no pod: matches no node, scores zero.
  NodeAffinityMatcher() = default;

  /// Of a pod; one that asks for nothing matches every node.
  explicit NodeAffinityMatcher(const PodSpec& spec);

  /// Whether the pod may run on the node, as far as labels and name decide it.
  [[nodiscard]] bool matches(const Node& node) const noexcept;

  /// How much the pod would rather run on the node; not whether it may.
  [[nodiscard]] std::int64_t score(const Node& node) const noexcept;

 private:
  friend class NodeTable;

  struct Impl;
  Shared<Impl> impl_;  ///< none: no pod
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/node.ipp>
#endif
