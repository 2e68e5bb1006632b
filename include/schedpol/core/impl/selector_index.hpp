// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An index of selectors of labels and namespaces. It finds the few candidates that may select an
/// object. Each selector has one key: a label, an annotation, a namespace or a label of one, that every
/// selected object must have. If there are several, the key is the one with the fewest other selectors.
/// Selectors that name nothing are always candidates. The caller then matches the candidates
/// themselves.

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/base/impl/persistent_map.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/object_meta.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::detail {

/// What may be named.
enum class IndexKeyKind : char {
  namespace_ = 'n',
  label = 'l',
  annotation = 'a',
  namespace_label = 'N',
};

/// Keys of which whatever is selected has exactly one, or has one at all: it is looked for at each.
using AnyOfKeys = std::set<MapKey>;

/// What somebody's selectors name; any one criterion finds what they select.
class SelectionCriteria {
 public:
  SelectionCriteria& in_namespace(std::string_view name) {
    all_.push_back({key(IndexKeyKind::namespace_, name, {})});
    return *this;
  }
  /// In one of them.
  SelectionCriteria& in_namespaces(const Texts& names) {
    AnyOfKeys& criterion = all_.emplace_back();
    for (const std::string& name : names) criterion.insert(key(IndexKeyKind::namespace_, name, {}));
    return *this;
  }

  /// Of a selector of labels, annotations or namespaces. An absent one names nothing.
  SelectionCriteria& selected(IndexKeyKind clue, const std::optional<LabelSelector>& selector) {
    if (!selector) return *this;
    for (const auto& [name, value] : selector->match_labels)
      all_.push_back({key(clue, name, value)});
    for (const LabelSelectorRequirement& expression : selector->match_expressions) {
      if (expression.operator_ != LabelSelectorOperator::in) continue;
      AnyOfKeys& criterion = all_.emplace_back();
      for (const std::string& value : expression.values)
        criterion.insert(key(clue, expression.key, value));
    }
    return *this;
  }

  [[nodiscard]] const std::vector<AnyOfKeys>& all() const noexcept { return all_; }

  /// The criterion that `count` counts least for, of equals the first; null where there is none.
  template <class Count>
  [[nodiscard]] const AnyOfKeys* least(Count count) const {
    const AnyOfKeys* best = nullptr;
    std::size_t fewest = 0;
    for (const AnyOfKeys& criterion : all_) {
      const std::size_t number = count(criterion);
      if (best != nullptr && number >= fewest) continue;
      best = &criterion;
      fewest = number;
    }
    return best;
  }

 private:
  static MapKey key(IndexKeyKind clue, std::string_view first, std::string_view second) {
    return {static_cast<char>(clue), std::string(first), std::string(second)};
  }

  std::vector<AnyOfKeys> all_;
};

/// What is looked for.
struct Selectable {
  std::string_view namespace_{};
  const Labels* labels = nullptr;
  const Labels* annotations = nullptr;
  const Labels* namespace_labels = nullptr;
};

/// Entries whose type only `SelectorIndex` knows, so that one index is compiled for all types.
class SelectorEntries {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void add(SharedOwner owner, const void* entry, const SelectionCriteria& criteria) {
    ++size_;
    const AnyOfKeys* const best =
        criteria.least([&](const AnyOfKeys& criterion) { return longest(criterion); });
    if (best == nullptr) return by_key_[always].push_back({std::move(owner), entry});
    for (const MapKey& key : *best) by_key_[view(key)].push_back({owner, entry});
  }

  void remove(const void* entry, const SelectionCriteria& criteria) {
    --size_;
    if (take_out(entry, always)) return;
    for (const AnyOfKeys& criterion : criteria.all())
      for (const MapKey& key : criterion) take_out(entry, view(key));
  }

  /// Calls `use` with those that may select the object: those that are always looked at, and those at
  /// each thing that it has.
  template <class Use>
  void for_each_candidate(const Selectable& object, Use use) const {
    const auto take = [&](const Entries* entries) {
      if (entries == nullptr) return;
      for (const OwnedEntry& one : *entries) use(one.entry);
    };
    take(by_key_.find(always));
    take(by_key_.find({static_cast<char>(IndexKeyKind::namespace_), object.namespace_, {}}));
    const auto take_all = [&](IndexKeyKind clue, const Labels* labels) {
      if (labels == nullptr) return;
      for (const auto& [key, value] : *labels)
        take(by_key_.find({static_cast<char>(clue), key, value}));
    };
    take_all(IndexKeyKind::label, object.labels);
    take_all(IndexKeyKind::annotation, object.annotations);
    take_all(IndexKeyKind::namespace_label, object.namespace_labels);
  }

  /// Calls `use` with all of them.
  template <class Use>
  void for_each(Use use) const {
    by_key_.for_each([&](const Entries& entries) {
      for (const OwnedEntry& one : entries) use(one.entry);
    });
  }

 private:
  struct OwnedEntry {
    SharedOwner owner;
    const void* entry;
  };
  using Entries = std::vector<OwnedEntry>;

  static constexpr MapKeyView always{'*', {}, {}};  ///< where those are that name nothing

  /// Whether it stood there.
  bool take_out(const void* entry, const MapKeyView& key) {
    const auto is_entry = [&](const OwnedEntry& one) { return one.entry == entry; };
    const Entries* const entries = by_key_.find(key);
    if (entries == nullptr || detail::none_of(*entries, is_entry)) return false;
    Entries& own = by_key_[key];
    detail::erase_if(own, is_entry);
    if (own.empty()) by_key_.erase(key);
    return true;
  }

  [[nodiscard]] std::size_t longest(const AnyOfKeys& criterion) const noexcept {
    std::size_t most = 0;
    for (const MapKey& key : criterion) {
      const Entries* const entries = by_key_.find(view(key));
      if (entries != nullptr) most = std::max(most, entries->size());
    }
    return most;
  }

  PersistentMap<Entries> by_key_;
  std::size_t size_ = 0;
};

/// Copies share what they have in common.
template <class T>
class SelectorIndex {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  void add(const Shared<T>& entry, const SelectionCriteria& criteria) {
    entries_.add(entry, &*entry, criteria);
  }

  /// Takes out an entry that was added with the same criteria.
  void remove(const T& entry, const SelectionCriteria& criteria) {
    entries_.remove(&entry, criteria);
  }

  /// Calls `use` with those that may select the object, in no order.
  template <class Use>
  void for_each_candidate(const Selectable& object, Use use) const {
    entries_.for_each_candidate(object, [&](const void* entry) { use(entry_of(entry)); });
  }

  /// Those that `selects`, in the order of `T`: `before(other)`.
  template <class Selects>
  [[nodiscard]] std::vector<const T*> find(const Selectable& object, Selects&& selects) const {
    std::vector<const T*> found;
    found.reserve(std::min<std::size_t>(size(), 8));  // most objects are selected by a few
    for_each_candidate(object, [&](const T& entry) {
      if (selects(entry)) found.push_back(&entry);
    });
    std::sort(found.begin(), found.end(), [](const T* a, const T* b) { return a->before(*b); });
    return found;
  }

  /// How many `find` looks at.
  [[nodiscard]] std::size_t candidates(const Selectable& object) const {
    std::size_t count = 0;
    entries_.for_each_candidate(object, [&](const void*) { ++count; });
    return count;
  }

  /// Calls `f` with each entry, at least once, in no order.
  template <class F>
  void for_each(F&& f) const {
    entries_.for_each([&](const void* entry) { f(entry_of(entry)); });
  }

 private:
  static const T& entry_of(const void* entry) noexcept { return *static_cast<const T*>(entry); }

  SelectorEntries entries_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
