// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/label_selector.ipp>
#include <schedpol/core/impl/node.ipp>
#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/node_table.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace schedpol {

SCHEDPOL_INLINE bool NodeSet::contains(std::size_t node) const noexcept {
  const std::size_t word = node / word_bits;
  return word < words_.size() && ((words_[word] >> (node % word_bits)) & 1U) != 0;
}

SCHEDPOL_INLINE std::size_t NodeSet::count() const noexcept {
  std::size_t sum = 0;
  for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator&=(const NodeSet& other) noexcept {
  const std::size_t common = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < common; ++i) words_[i] &= other.words_[i];
  for (std::size_t i = common; i < words_.size(); ++i) words_[i] = 0;
  return *this;
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator|=(const NodeSet& other) noexcept {
  const std::size_t common = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < common; ++i) words_[i] |= other.words_[i];
  return *this;
}

SCHEDPOL_INLINE NodeSet::NodeSet(std::size_t nodes) : words_((nodes + word_bits - 1) / word_bits) {}

SCHEDPOL_INLINE void NodeSet::add(std::size_t node) noexcept {
  words_[node / word_bits] |= std::uint64_t{1} << (node % word_bits);
}

SCHEDPOL_INLINE void NodeSet::remove(std::size_t node) noexcept {
  words_[node / word_bits] &= ~(std::uint64_t{1} << (node % word_bits));
}

SCHEDPOL_INLINE void NodeSet::remove(const NodeSet& other) noexcept {
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] &= ~other.words_[i];
}

SCHEDPOL_INLINE void NodeSet::clear() noexcept {
  std::fill(words_.begin(), words_.end(), 0);
}

/// The index: which nodes have a name, a label, a value of it, a taint.
struct NodeTable::Impl {
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

  explicit Impl(std::span<const Node> nodes) : size(nodes.size()), all(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) add(i, nodes[i]);
    const auto pack = [&](auto& holders_by) {
      for (auto& [what, holders] : holders_by) holders.pack(size);
    };
    pack(names);
    pack(taints);
    for (auto& [name, key] : keys) {
      key.labelled.pack(size);
      pack(key.values);
    }
  }

  void add(std::size_t number, const Node& node) {
    all.add(number);
    names[node.metadata.name].add(number);
    for (const Taint& taint : node.spec.taints) taints[taint].add(number);
    // Labels come in the order of the keys, and nodes mostly have the same keys.
    auto key = keys.begin();
    for (const auto& [name, value] : node.metadata.labels) {
      if (key == keys.end() || key->first != name) key = keys.try_emplace(name).first;
      key->second.labelled.add(number);
      key->second.values[value].add(number);
      ++key;
    }
  }

  static const Holders* find(const HoldersByText& holders_by, const std::string& text) noexcept {
    const auto it = holders_by.find(text);
    return it == holders_by.end() ? nullptr : &it->second;
  }

  const Holders* find(const std::string& name, const std::string& value) const noexcept {
    const auto key = keys.find(name);
    return key == keys.end() ? nullptr : find(key->second.values, value);
  }

  /// Leaves the holders, none where it is null; `room` is a set to work in.
  static void keep(NodeSet& set, NodeSet& room, const Holders* holders) noexcept {
    room.clear();
    if (holders != nullptr) holders->add_to(room);
    set &= room;
  }

  /// Leaves the nodes for which the requirement holds.
  void keep(NodeSet& set, NodeSet& room, const detail::Requirement& requirement) const {
    using Operator = detail::Requirement::Operator;
    const auto found = keys.find(requirement.key);
    if (found == keys.end()) {
      if (!requirement.holds(nullptr)) set.clear();
      return;
    }
    const Key& key = found->second;
    switch (requirement.operator_) {
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
      case Operator::gt:
      case Operator::lt:
        keep(set, room, &key.labelled);
        for (const auto& [value, holders] : key.values) {
          if (!requirement.holds(&value)) holders.remove_from(set);
        }
    }
  }

  /// Leaves the nodes that a term matches.
  void keep(NodeSet& set, NodeSet& room, const detail::Term& term) const {
    for (const std::string& name : term.names) keep(set, room, find(names, name));
    for (const std::string& name : term.excluded_names) {
      if (const Holders* holders = find(names, name)) holders->remove_from(set);
    }
    for (const detail::Requirement& requirement : term.requirements) keep(set, room, requirement);
  }

  std::size_t size;
  NodeSet all;
  HoldersByText names{};
  std::map<std::string, Key> keys{};
  std::map<Taint, Holders, TaintOrder> taints{};
};

SCHEDPOL_INLINE NodeTable::NodeTable(std::span<const Node> nodes) : impl_(Impl(nodes)) {}

SCHEDPOL_INLINE std::size_t NodeTable::size() const noexcept {
  return impl_ ? impl_->size : 0;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const LabelMatcher& matcher) const {
  if (!impl_) return {};
  if (!matcher.impl_) return NodeSet(impl_->size);
  NodeSet set = impl_->all;
  NodeSet room(impl_->size);
  for (const detail::Requirement& requirement : matcher.impl_->requirements)
    impl_->keep(set, room, requirement);
  return set;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const NodeTermsMatcher& matcher) const {
  if (!impl_) return {};
  NodeSet united(impl_->size);
  if (!matcher.impl_) return united;
  NodeSet set;
  NodeSet room(impl_->size);
  for (const detail::Term& term : matcher.impl_->terms) {
    set = impl_->all;
    impl_->keep(set, room, term);
    united |= set;
  }
  return united;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const NodeAffinityMatcher& matcher) const {
  if (!impl_) return {};
  if (!matcher.impl_) return NodeSet(impl_->size);
  const auto& [node_selector, required, preferences] = *matcher.impl_;
  NodeSet set = required ? matching(*required) : impl_->all;
  NodeSet room(impl_->size);
  for (const auto& [name, value] : node_selector) Impl::keep(set, room, impl_->find(name, value));
  return set;
}

SCHEDPOL_INLINE NodeSet NodeTable::tolerated_by(std::span<const Toleration> tolerations,
                                                std::span<const TaintEffect> effects) const {
  if (!impl_) return {};
  NodeSet set = impl_->all;
  for (const auto& [taint, holders] : impl_->taints) {
    if (!tolerates_all(tolerations, {&taint, 1}, effects)) holders.remove_from(set);
  }
  return set;
}

SCHEDPOL_INLINE std::vector<std::int64_t> NodeTable::scores(
    const NodeAffinityMatcher& matcher) const {
  std::vector<std::int64_t> sums(size());
  if (!impl_ || !matcher.impl_) return sums;
  NodeSet set;
  NodeSet room(impl_->size);
  for (const NodeAffinityMatcher::Impl::Preference& preference : matcher.impl_->preferences) {
    set = impl_->all;
    impl_->keep(set, room, preference.term);
    set.for_each([&](std::size_t node) { sums[node] += preference.weight; });
  }
  return sums;
}

}  // namespace schedpol
