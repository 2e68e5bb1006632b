// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The nodes of a cluster made for matching: what a pod asks for is put to all of them at once.
/// 1. For each node the answer is that of `LabelMatcher`, `NodeTermsMatcher`, `NodeAffinityMatcher`
///    and `tolerates_all` for it alone.
/// 2. Every label value, name and taint knows its nodes, so a requirement is looked at once a
///    distinct value (In and NotIn: once a listed value) and the tolerations once a distinct taint.
/// 3. Nodes are numbered as they came; those of the same name stay apart.
///
/// A table copies what it needs of the nodes and never changes, so any number of threads may ask
/// it. Source: the NodeAffinity and TaintToleration filters of kube-scheduler.

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/shared.hpp>
#include <schedpol/core/toleration.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace schedpol {

/// Some of the nodes of a `NodeTable`, by their numbers in it. Default-constructed: none.
class NodeSet {
 public:
  NodeSet() = default;

  /// False for a number that the table does not have.
  [[nodiscard]] bool contains(std::size_t node) const noexcept;

  [[nodiscard]] std::size_t count() const noexcept;

  /// Calls `use` with the number of each node in the set, ascending.
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        use(i * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }

  /// Leaves the nodes that are in both sets.
  NodeSet& operator&=(const NodeSet& other) noexcept;

  /// Adds the nodes of another set of the same table.
  NodeSet& operator|=(const NodeSet& other) noexcept;

  friend bool operator==(const NodeSet&, const NodeSet&) = default;

 private:
  friend class NodeTable;

  static constexpr std::size_t word_bits = 64;

  /// No node yet, of a table of so many.
  explicit NodeSet(std::size_t nodes);

  void add(std::size_t node) noexcept;
  void remove(std::size_t node) noexcept;
  void remove(const NodeSet& other) noexcept;
  void clear() noexcept;

  std::vector<std::uint64_t> words_;  ///< bits beyond the last node are zero
};

/// The nodes of a cluster, indexed by what pods ask of them. Building takes O(L log L) for L
/// labels, names and taints, and memory in proportion to them. A question takes a step for every
/// 64 nodes and value that its requirements look at, but for a rare value only one for each of its
/// nodes; it allocates a few sets, whatever the number of nodes. Copies share what they are made
/// of.
class NodeTable {
 public:
  /// Of no nodes.
  NodeTable() = default;

  explicit NodeTable(std::span<const Node> nodes);

  /// How many nodes there are.
  [[nodiscard]] std::size_t size() const noexcept;

  /// The nodes whose labels match.
  [[nodiscard]] NodeSet matching(const LabelMatcher& matcher) const;

  /// The nodes that one of the terms matches.
  [[nodiscard]] NodeSet matching(const NodeTermsMatcher& matcher) const;

  /// The nodes that the pod may run on, as far as labels and name decide it.
  [[nodiscard]] NodeSet matching(const NodeAffinityMatcher& matcher) const;

  /// The nodes of which every taint of one of the effects is tolerated.
  [[nodiscard]] NodeSet tolerated_by(
      std::span<const Toleration> tolerations,
      std::span<const TaintEffect> effects = repelling_effects) const;

  /// How much the pod would rather run on each node, by their numbers; not whether it may.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeAffinityMatcher& matcher) const;

 private:
  struct Impl;
  Shared<Impl> impl_;  ///< none: no nodes
};

}  // namespace schedpol

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/node_table.ipp>
#endif
