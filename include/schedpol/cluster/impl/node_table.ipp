// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/cluster/impl/sparse_node_set.hpp>
#include <schedpol/cluster/node_table.hpp>
#include <schedpol/core/impl/label_matcher.hpp>
#include <schedpol/core/impl/node_matchers.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The index: which nodes have a name, a label, a value of it, a taint.
struct NodeTable::Impl {
  using Holders = SparseNodeSet;
  using HoldersByText = std::map<std::string, Holders, std::less<>>;

  struct Key {
    Holders labelled;  ///< the nodes that have the label, whatever its value
    HoldersByText values;
  };
  using Keys = std::map<std::string, Key>;

  struct TaintOrder {
    bool operator()(const Taint& a, const Taint& b) const noexcept {
      if (a.key != b.key) return a.key < b.key;
      if (a.value != b.value) return a.value < b.value;
      return a.effect.text() < b.effect.text();
    }
  };
  using HoldersByTaint = std::map<Taint, Holders, TaintOrder>;

  /// What a node stands in the index for.
  struct IndexedNode {
    std::string name{};
    Labels labels{};
    std::vector<Taint> taints{};
  };

  explicit Impl(std::span<const Node> nodes) : entries(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) put(i, nodes[i]);
  }

  std::size_t add(const Node& node) {
    const std::size_t number = lowest_free();
    if (number == entries.size()) entries.emplace_back();
    put(number, node);
    return number;
  }

  std::size_t lowest_free() const noexcept {
    if (all.size() == entries.size()) return entries.size();
    std::size_t number = 0;
    for (const std::size_t taken : all) {
      if (taken != number) break;
      ++number;
    }
    return number;
  }

  /// At a number that is free.
  void put(std::size_t number, const Node& node) {
    IndexedNode& entry = entries[number];
    all.insert(number);
    entry.name = node.metadata.name;
    entry.labels = node.metadata.labels;
    put(number, names, entry.name);
    for (const Taint& taint : node.spec.taints) put(number, taint);
    if (node.spec.unschedulable) put(number, unschedulable_taint());
    // Labels come in the order of the keys, and nodes mostly have the same keys.
    auto key = keys.begin();
    for (const auto& [name, value] : entry.labels) {
      if (key == keys.end() || key->first != name) key = keys.try_emplace(name).first;
      put(number, key->second, value);
      ++key;
    }
  }

  static void put(std::size_t number, Key& key, const std::string& value) {
    key.labelled.insert(number);
    key.values.try_emplace(value).first->second.insert(number);
  }
  void put(std::size_t number, const Taint& taint) {
    if (taints.try_emplace(taint).first->second.insert(number))
      entries[number].taints.push_back(taint);
  }

  /// Of a number that is taken. What no node has any more is forgotten.
  void remove(std::size_t number) noexcept {
    IndexedNode& entry = entries[number];
    const auto take_from = [number](auto& holders_by, const auto& what) {
      const auto at = holders_by.find(what);
      at->second.erase(number);
      if (at->second.empty()) holders_by.erase(at);
    };
    take_from(names.values, entry.name);
    names.labelled.erase(number);
    for (const Taint& taint : entry.taints) take_from(taints, taint);
    for (const auto& [name, value] : entry.labels) {
      const auto key = keys.find(name);
      take_from(key->second.values, value);
      key->second.labelled.erase(number);
      if (key->second.labelled.empty()) keys.erase(key);
    }
    entry = {};
    all.erase(number);
  }

  /// No node, with memory for all.
  NodeSet room() const {
    NodeSet none = all;
    none.clear();
    return none;
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
  static void keep(NodeSet& set, NodeSet& room, const Holders* holders) {
    room.clear();
    if (holders != nullptr) holders->add_to(room);
    set &= room;
  }

  /// Leaves the nodes for which the requirement holds.
  void keep(NodeSet& set, NodeSet& room, const detail::Requirement& requirement) const {
    using Operator = detail::Requirement::Operator;
    const auto found = keys.find(requirement.key);
    if (found == keys.end() && !requirement.key.empty()) {
      if (!requirement.holds(nullptr)) set.clear();
      return;
    }
    const Key& key = requirement.key.empty() ? names : found->second;
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
        break;
      case Operator::unset:
      case Operator::unknown: break;  // no requirement is of these
    }
  }

  /// Leaves the nodes for which all of them hold.
  void keep(NodeSet& set, NodeSet& room, const detail::Conjunction& all_of_them) const {
    for (const detail::Requirement& requirement : all_of_them) keep(set, room, requirement);
  }

  std::vector<IndexedNode> entries;  ///< by number
  NodeSet all{};
  Key names{};  ///< as values of a label that every node has
  Keys keys{};
  HoldersByTaint taints{};
};

SCHEDPOL_INLINE NodeTable::NodeTable(std::span<const Node> nodes) : impl_(Impl(nodes)) {}

SCHEDPOL_INLINE std::size_t NodeTable::size() const noexcept {
  return impl_ ? impl_->entries.size() : 0;
}

SCHEDPOL_INLINE NodeSet NodeTable::nodes() const {
  return impl_ ? impl_->all : NodeSet();
}

SCHEDPOL_INLINE std::optional<std::size_t> NodeTable::find(std::string_view name) const noexcept {
  if (!impl_) return std::nullopt;
  const auto found = impl_->names.values.find(name);
  if (found == impl_->names.values.end()) return std::nullopt;
  return found->second.front();
}

SCHEDPOL_INLINE std::string_view NodeTable::name(std::size_t number) const noexcept {
  if (!impl_ || !impl_->all.contains(number)) return {};
  return impl_->entries[number].name;
}

SCHEDPOL_INLINE std::size_t NodeTable::add(const Node& node) {
  if (!impl_) impl_ = Owned<Impl>(Impl({}));
  return impl_->add(node);
}

SCHEDPOL_INLINE void NodeTable::replace(std::size_t number, const Node& node) {
  if (!impl_ || !impl_->all.contains(number)) return;
  impl_->remove(number);
  impl_->put(number, node);
}

SCHEDPOL_INLINE void NodeTable::remove(std::size_t number) noexcept {
  if (impl_ && impl_->all.contains(number)) impl_->remove(number);
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const LabelMatcher& matcher) const {
  if (!impl_ || !matcher.impl_) return {};
  NodeSet set = impl_->all;
  NodeSet room = impl_->room();
  impl_->keep(set, room, matcher.impl_->requirements);
  return set;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const NodeTermsMatcher& matcher) const {
  if (!impl_ || !matcher.impl_) return {};
  NodeSet united = impl_->room();
  NodeSet set;
  NodeSet room = impl_->room();
  for (const detail::Conjunction& term : matcher.impl_->terms) {
    set = impl_->all;
    impl_->keep(set, room, term);
    united |= set;
  }
  return united;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const NodeAffinityMatcher& matcher) const {
  if (!impl_ || !matcher.impl_) return {};
  const auto& [node_selector, required, preferences] = *matcher.impl_;
  NodeSet set = required ? matching(*required) : impl_->all;
  NodeSet room = impl_->room();
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
  NodeSet room = impl_->room();
  for (const NodeAffinityMatcher::Impl::Preference& preference : matcher.impl_->preferences) {
    set = impl_->all;
    impl_->keep(set, room, preference.term);
    for (const std::size_t node : set) sums[node] += preference.weight;
  }
  return sums;
}

}  // namespace SCHEDPOL_NAMESPACE
