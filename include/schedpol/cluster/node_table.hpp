// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The nodes of a cluster, indexed to match the requirements of a pod with all of them at once.
/// 1. For each node the answer is that of `LabelMatcher`, `NodeTermsMatcher`, `NodeAffinityMatcher`
///    and `tolerates_all` for this node alone.
/// 2. An index has the nodes of each label value, name and taint. So a requirement is checked once for each
///    distinct value (In and NotIn: each listed value), and tolerations once for each distinct taint.
/// 3. Nodes are numbered in the order in which they are added; nodes with the same name stay separate. A
///    node keeps its number until it is removed. Then the next node that is added gets the number.
///
/// A table copies what it needs of the nodes. Source: the NodeAffinity, TaintToleration and
/// NodeUnschedulable filters of kube-scheduler.

#include <schedpol/cluster/node_set.hpp>
#include <schedpol/core/node.hpp>

namespace SCHEDPOL_NAMESPACE {

/// A value; copies are independent. To build a table takes O(L log L) time and O(L) memory for L labels,
/// names and taints; to change a node costs as much as its own labels and taints. A question takes one
/// step for every 64 nodes and each value that it checks, but for a rare value only one step for each of
/// its nodes. It allocates a few sets, whatever the number of nodes.
class NodeTable {
 public:
  /// No nodes.
  NodeTable() = default;

  explicit NodeTable(std::span<const Node> nodes);  ///< numbered in their order

  /// All numbers are below this, including those of removed nodes.
  [[nodiscard]] std::size_t size() const noexcept;

  /// The numbers of all nodes.
  [[nodiscard]] NodeSet nodes() const;

  /// The number of the first node with this name; none if there is no such node.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;

  /// The name of a node; empty for a number without a node. Valid until that node changes.
  [[nodiscard]] std::string_view name(std::size_t number) const noexcept;

  /// Adds a node and returns its number: the lowest free one.
  std::size_t add(const Node& node);

  /// Replaces the node with this number by a new state or another node. Does nothing for a number
  /// without a node.
  void replace(std::size_t number, const Node& node);

  /// Frees a number. Does nothing for a number without a node.
  void remove(std::size_t number) noexcept;

  /// The nodes whose labels match.
  [[nodiscard]] NodeSet matching(const LabelMatcher& matcher) const;

  /// The nodes that match one of the terms.
  [[nodiscard]] NodeSet matching(const NodeTermsMatcher& matcher) const;

  /// The nodes that the pod may run on. Only the labels and names of the nodes count.
  [[nodiscard]] NodeSet matching(const NodeAffinityMatcher& matcher) const;

  /// The nodes whose taints with one of `effects` are all tolerated, including `unschedulable_taint`.
  [[nodiscard]] NodeSet tolerated_by(
      std::span<const Toleration> tolerations,
      std::span<const TaintEffect> effects = repelling_effects) const;

  /// How much the pod prefers each node, by number, whether or not it may run there.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeAffinityMatcher& matcher) const;

 private:
  struct Impl;
  Owned<Impl> impl_;  ///< without an object, no nodes
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/node_table.ipp>
#endif
