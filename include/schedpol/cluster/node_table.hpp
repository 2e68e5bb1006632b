// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The nodes of a cluster made for matching: what a pod asks for is put to all of them at once.
/// 1. For each node the answer is that of `LabelMatcher`, `NodeTermsMatcher`, `NodeAffinityMatcher`
///    and `tolerates_all` for it alone.
/// 2. Every label value, name and taint knows its nodes, so a requirement is looked at once a
///    distinct value (In and NotIn: once a listed value) and the tolerations once a distinct taint.
/// 3. Nodes are numbered as they come; those of the same name stay apart. A number stays that of its
///    node until it is removed, and then goes to the next one that is added.
///
/// A table copies what it needs of the nodes. Source: the NodeAffinity, TaintToleration and
/// NodeUnschedulable filters of kube-scheduler.

#include <schedpol/cluster/node_set.hpp>
#include <schedpol/core/node.hpp>

namespace SCHEDPOL_NAMESPACE {

/// A value, whose copies go their own ways. Building takes O(L log L) for L labels, names and taints,
/// and memory in proportion to them; a node that changes, as much as its own labels and taints. A
/// question takes a step for every 64 nodes and value that it looks at, but for a rare value only one
/// for each of its nodes; it allocates a few sets, whatever the number of nodes.
class NodeTable {
 public:
  /// Of no nodes.
  NodeTable() = default;

  explicit NodeTable(std::span<const Node> nodes);  ///< numbered in their order

  /// How many numbers there are, those of removed nodes included: all are below it.
  [[nodiscard]] std::size_t size() const noexcept;

  /// The nodes that are there.
  [[nodiscard]] NodeSet nodes() const;

  /// The number of the first node of a name; none where there is no such node.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;

  /// Empty for a number without node; valid until that node changes.
  [[nodiscard]] std::string_view name(std::size_t number) const noexcept;

  /// The number of the new node: the lowest that is free.
  std::size_t add(const Node& node);

  /// Puts a node in place of another one, or of what it was before; nothing happens for a number
  /// without node.
  void replace(std::size_t number, const Node& node);

  /// Frees a number; nothing happens for one without node.
  void remove(std::size_t number) noexcept;

  /// The nodes whose labels match.
  [[nodiscard]] NodeSet matching(const LabelMatcher& matcher) const;

  /// The nodes that one of the terms matches.
  [[nodiscard]] NodeSet matching(const NodeTermsMatcher& matcher) const;

  /// The nodes that the pod may run on, as far as labels and name decide it.
  [[nodiscard]] NodeSet matching(const NodeAffinityMatcher& matcher) const;

  /// The nodes of which every taint of one of the effects is tolerated; being unschedulable is one.
  [[nodiscard]] NodeSet tolerated_by(
      std::span<const Toleration> tolerations,
      std::span<const TaintEffect> effects = repelling_effects) const;

  /// How much the pod would rather run on each node, by their numbers; not whether it may.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeAffinityMatcher& matcher) const;

 private:
  struct Impl;
  Owned<Impl> impl_;  ///< none: no nodes
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/node_table.ipp>
#endif
