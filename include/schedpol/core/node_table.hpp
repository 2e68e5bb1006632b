// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The nodes of a cluster made for matching: what a pod asks for is put to all of them at once.
/// 1. For each node the answer is that of `LabelMatcher`, `NodeTermsMatcher`, `NodeAffinityMatcher`
///    and `tolerates_all` for it alone.
/// 2. Every label value, name and taint knows its nodes, so a requirement is looked at once a
///    distinct value (In and NotIn: once a listed value) and the tolerations once a distinct taint.
/// 3. Nodes are numbered as they came; those of the same name stay apart.
/// A table copies what it needs of the nodes and never changes, so any number of threads may ask
/// it. Source: the NodeAffinity and TaintToleration filters of kube-scheduler.

#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/toleration.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol {

/// Some of the nodes of a `NodeTable`, by their numbers in it. Default-constructed: none.
class NodeSet {
 public:
  NodeSet() = default;

  /// False for a number that the table does not have.
  [[nodiscard]] bool contains(std::size_t node) const noexcept {
    return node / word_bits < words_.size() && ((words_[node / word_bits] & bit(node)) != 0);
  }

  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }

  /// Calls `use` with the number of each node in the set, ascending.
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        use(i * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

  /// Leaves the nodes that are in both sets.
  NodeSet& operator&=(const NodeSet& other) noexcept {
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) words_[i] &= other.words_[i];
    for (std::size_t i = common; i < words_.size(); ++i) words_[i] = 0;
    return *this;
  }

  /// Adds the nodes of another set of the same table; numbers beyond this set's table stay out.
  NodeSet& operator|=(const NodeSet& other) noexcept {
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) words_[i] |= other.words_[i];
    return *this;
  }

  friend bool operator==(const NodeSet&, const NodeSet&) = default;

 private:
  friend class NodeTable;

  static constexpr std::size_t word_bits = 64;

  /// No node yet, of a table of so many.
  explicit NodeSet(std::size_t nodes) : words_((nodes + word_bits - 1) / word_bits) {}

  static constexpr std::uint64_t bit(std::size_t node) noexcept {
    return std::uint64_t{1} << (node % word_bits);
  }
  void add(std::size_t node) noexcept { words_[node / word_bits] |= bit(node); }
  void remove(std::size_t node) noexcept { words_[node / word_bits] &= ~bit(node); }
  void remove(const NodeSet& other) noexcept {
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  void clear() noexcept { std::fill(words_.begin(), words_.end(), 0); }

  std::vector<std::uint64_t> words_;  ///< bits beyond the last node are zero
};

/// The nodes of a cluster, indexed by what pods ask of them. Building takes O(L log L) for L
/// labels, names and taints, and memory in proportion to them. A question takes a step for every
/// 64 nodes and value that its requirements look at, but for a rare value only one for each of its
/// nodes; it allocates a few sets, whatever the number of nodes.
class NodeTable {
 public:
  /// Of no nodes.
  NodeTable() = default;

  explicit NodeTable(std::span<const Node> nodes) : size_(nodes.size()), all_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      all_.add(i);
      names_[nodes[i].metadata.name].add(i);
      for (const Taint& taint : nodes[i].spec.taints) taints_[taint].add(i);
      // Labels come in the order of the keys, and nodes mostly have the same keys.
      auto key = keys_.begin();
      for (const auto& [name, value] : nodes[i].metadata.labels) {
        if (key == keys_.end() || key->first != name) key = keys_.try_emplace(name).first;
        key->second.labelled.add(i);
        key->second.values[value].add(i);
        ++key;
      }
    }
    const auto pack = [&](auto& holders_by) {
      for (auto& [what, holders] : holders_by) holders.pack(size_);
    };
    pack(names_);
    pack(taints_);
    for (auto& [name, key] : keys_) {
      key.labelled.pack(size_);
      pack(key.values);
    }
  }

  /// How many nodes there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The nodes whose labels match.
  [[nodiscard]] NodeSet matching(const LabelMatcher& matcher) const {
    if (!matcher.selects_) return NodeSet(size_);
    NodeSet set = all_;
    NodeSet room(size_);
    for (const auto& requirement : matcher.requirements_) {
      keep(set, room, requirement,
           [&](const std::string* value) { return LabelMatcher::holds(requirement, value); });
    }
    return set;
  }

  /// The nodes that one of the terms matches.
  [[nodiscard]] NodeSet matching(const NodeTermsMatcher& matcher) const {
    NodeSet united(size_);
    NodeSet set;
    NodeSet room(size_);
    for (const detail::CompiledTerm& term : matcher.terms_) {
      set = all_;
      keep(set, room, term);
      united |= set;
    }
    return united;
  }

  /// The nodes that the pod may run on, as far as labels and name decide it.
  [[nodiscard]] NodeSet matching(const NodeAffinityMatcher& matcher) const {
    NodeSet set = matcher.required_ ? matching(*matcher.required_) : all_;
    NodeSet room(size_);
    for (const auto& [name, value] : matcher.node_selector_) {
      const auto key = keys_.find(name);
      keep(set, room, key == keys_.end() ? nullptr : find(key->second.values, value));
    }
    return set;
  }

  /// The nodes of which every taint of one of the effects is tolerated.
  [[nodiscard]] NodeSet tolerated_by(
      std::span<const Toleration> tolerations,
      std::span<const TaintEffect> effects = repelling_effects) const {
    NodeSet set = all_;
    for (const auto& [taint, holders] : taints_) {
      if (detail::repels(taint, effects, tolerations)) holders.remove_from(set);
    }
    return set;
  }

  /// How much the pod would rather run on each node, by their numbers; not whether it may.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeAffinityMatcher& matcher) const {
    std::vector<std::int64_t> sums(size_);
    NodeSet set;
    NodeSet room(size_);
    for (std::size_t i = 0; i < matcher.weights_.size(); ++i) {
      set = all_;
      keep(set, room, matcher.preferred_.terms_[i]);
      set.for_each([&](std::size_t node) { sums[node] += matcher.weights_[i]; });
    }
    return sums;
  }

 private:
  /// The nodes that have one thing in common: listed where they are few, because a set takes a bit
  /// for each node of the table.
  class Holders {
   public:
    void add(std::size_t node) { listed_.push_back(node); }

    /// After all nodes have been added.
    void pack(std::size_t nodes) {
      if (listed_.size() * NodeSet::word_bits > nodes) {
        set_ = NodeSet(nodes);
        add_to(set_);
        listed_.clear();
      }
      listed_.shrink_to_fit();
    }
    void add_to(NodeSet& set) const noexcept {
      for (const std::size_t node : listed_) set.add(node);
      set |= set_;
    }
    void remove_from(NodeSet& set) const noexcept {
      for (const std::size_t node : listed_) set.remove(node);
      set.remove(set_);
    }

   private:
    std::vector<std::size_t> listed_;
    NodeSet set_;
  };

  using HoldersByText = std::map<std::string, Holders>;

  struct Key {
    Holders labelled;  ///< the nodes that have the label, whatever its value
    HoldersByText values;
  };

  struct TaintOrder {
    bool operator()(const Taint& a, const Taint& b) const noexcept {
      if (a.key != b.key) return a.key < b.key;
      if (a.value != b.value) return a.value < b.value;
      return a.effect.text() < b.effect.text();
    }
  };

  static const Holders* find(const HoldersByText& holders_by, const std::string& text) noexcept {
    const auto it = holders_by.find(text);
    return it == holders_by.end() ? nullptr : &it->second;
  }

  /// Leaves the holders, none where it is null; `room` is a set to work in.
  static void keep(NodeSet& set, NodeSet& room, const Holders* holders) noexcept {
    room.clear();
    if (holders != nullptr) holders->add_to(room);
    set &= room;
  }

  /// Leaves the nodes that a term matches.
  void keep(NodeSet& set, NodeSet& room, const detail::CompiledTerm& term) const {
    for (const std::string& name : term.names) keep(set, room, find(names_, name));
    for (const std::string& name : term.excluded_names) {
      if (const Holders* holders = find(names_, name)) holders->remove_from(set);
    }
    for (std::size_t i = 0; i < term.expressions.size(); ++i) {
      keep(set, room, term.expressions[i], [&](const std::string* value) {
        return detail::CompiledTerm::holds(term.expressions[i], term.bounds[i], value);
      });
    }
  }

  /// Leaves the nodes for which a requirement holds; `holds` decides it for a value of the label,
  /// null where there is none. The operators that a look at the listed values or at the key alone
  /// decides do without asking for every value.
  template <class Requirement, class Holds>
  void keep(NodeSet& set, NodeSet& room, const Requirement& requirement, Holds holds) const {
    using Operator = decltype(requirement.operator_.word());
    const auto found = keys_.find(requirement.key);
    if (found == keys_.end()) {
      if (!holds(nullptr)) set.clear();
      return;
    }
    const Key& key = found->second;
    switch (requirement.operator_.word()) {
      case Operator::in:
        room.clear();
        for (const std::string& value : requirement.values) {
          if (const Holders* holders = find(key.values, value)) holders->add_to(room);
        }
        set &= room;
        break;
      case Operator::not_in:
        for (const std::string& value : requirement.values) {
          if (const Holders* holders = find(key.values, value)) holders->remove_from(set);
        }
        break;
      case Operator::exists: keep(set, room, &key.labelled); break;
      case Operator::does_not_exist: key.labelled.remove_from(set); break;
      default:
        if (!holds(nullptr)) keep(set, room, &key.labelled);
        for (const auto& [value, holders] : key.values) {
          if (!holds(&value)) holders.remove_from(set);
        }
    }
  }

  std::size_t size_ = 0;
  NodeSet all_;
  HoldersByText names_;
  std::map<std::string, Key> keys_;
  std::map<Taint, Holders, TaintOrder> taints_;
};

}  // namespace schedpol
