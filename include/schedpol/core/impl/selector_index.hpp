// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Finds, of many things that select objects by labels and namespaces, the few that may select one.
/// Each stands where its selector names something that whatever it selects must have: a label, an
/// annotation, a namespace or a label of one, of several what the fewest others stand at. Those whose
/// selectors name nothing are always looked at. Only candidates are found:
/// the selectors themselves are asked by the caller.

#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/impl/persistent_map.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/shared.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// What may be named.
enum class Clue : char {
  namespace_ = 'n',
  label = 'l',
  annotation = 'a',
  namespace_label = 'N',
};

/// Keys of which whatever is selected has exactly one, or has one at all: it is looked for at each.
using Criterion = std::vector<MapKey>;

/// What somebody's selectors name; any one criterion finds what they select.
class SelectionCriteria {
 public:
  SelectionCriteria& in_namespace(std::string_view name) {
    all_.push_back({key(Clue::namespace_, name, {})});
    return *this;
  }

  /// Of a selector of labels, annotations or namespaces. An absent one names nothing.
  SelectionCriteria& selected(Clue clue, const std::optional<LabelSelector>& selector) {
    if (!selector) return *this;
    for (const auto& [name, value] : selector->match_labels)
      all_.push_back({key(clue, name, value)});
    for (const LabelSelectorRequirement& expression : selector->match_expressions) {
      if (expression.operator_ != LabelSelectorOperator::in) continue;
      Criterion criterion;
      for (const std::string& value : expression.values)
        criterion.push_back(key(clue, expression.key, value));
      all_.push_back(std::move(criterion));
    }
    return *this;
  }

  [[nodiscard]] const std::vector<Criterion>& all() const noexcept { return all_; }

 private:
  static MapKey key(Clue clue, std::string_view first, std::string_view second) {
    return {static_cast<char>(clue), std::string(first), std::string(second)};
  }

  std::vector<Criterion> all_;
};

/// What is looked for.
struct Selectable {
  std::string_view namespace_{};
  const Labels* labels = nullptr;
  const Labels* annotations = nullptr;
  const Labels* namespace_labels = nullptr;
};

/// Copies share what they have in common. `T` has `before(other)`, the order in which several are
/// found.
template <class T>
class SelectorIndex {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void add(Shared<T> entry, const SelectionCriteria& criteria) {
    ++size_;
    const Criterion* best = nullptr;
    std::size_t fewest = 0;
    for (const Criterion& criterion : criteria.all()) {
      const std::size_t most = longest(criterion);
      if (best != nullptr && most >= fewest) continue;
      best = &criterion;
      fewest = most;
    }
    if (best == nullptr) return by_key_[always].push_back(std::move(entry));
    for (const MapKey& key : *best) {
      Entries& entries = by_key_[view(key)];
      if (entries.empty()) ++named_[{key.kind, key.first, {}}];
      // A value that is listed twice is one.
      if (entries.empty() || &*entries.back() != &*entry) entries.push_back(entry);
    }
  }

  /// Takes out an entry that was added with the same criteria.
  void remove(const T& entry, const SelectionCriteria& criteria) {
    --size_;
    if (take_out(entry, always)) return;
    for (const Criterion& criterion : criteria.all()) {
      for (const MapKey& key : criterion) {
        if (!take_out(entry, view(key)) || by_key_.find(view(key)) != nullptr) continue;
        const MapKeyView named{key.kind, key.first, {}};
        if (--named_[named] == 0) named_.erase(named);
      }
    }
  }

  /// Those that `selects`, in their order.
  template <class Selects>
  [[nodiscard]] std::vector<const T*> find(const Selectable& object, Selects&& selects) const {
    std::vector<const T*> found;
    found.reserve(std::min<std::size_t>(size_, 8));  // most objects are selected by a few
    for_each_candidates(object, [&](const Entries& entries) {
      for (const Shared<T>& entry : entries) {
        if (!selects(*entry)) continue;
        found.push_back(&*entry);
      }
    });
    std::sort(found.begin(), found.end(), [](const T* a, const T* b) { return a->before(*b); });
    return found;
  }

  /// How many `find` looks at.
  [[nodiscard]] std::size_t candidates(const Selectable& object) const {
    std::size_t count = 0;
    for_each_candidates(object, [&](const Entries& entries) { count += entries.size(); });
    return count;
  }

  /// Whether `f` is true of any of all entries.
  template <class F>
  [[nodiscard]] bool any_of(F&& f) const {
    bool any = false;
    by_key_.for_each([&](const Entries& entries) {
      any = any || detail::any_of(entries, [&](const Shared<T>& entry) { return f(*entry); });
    });
    return any;
  }

 private:
  using Entries = std::vector<Shared<T>>;

  static constexpr MapKeyView always{'*', {}, {}};  ///< where those are that name nothing

  /// Whether it stood there.
  bool take_out(const T& entry, const MapKeyView& key) {
    const auto is_entry = [&](const Shared<T>& one) { return &*one == &entry; };
    const Entries* const entries = by_key_.find(key);
    if (entries == nullptr || detail::none_of(*entries, is_entry)) return false;
    Entries& own = by_key_[key];
    std::erase_if(own, is_entry);
    if (own.empty()) by_key_.erase(key);
    return true;
  }

  /// Calls `use` with those that are always looked at, and with those at each thing the object has.
  template <class Use>
  void for_each_candidates(const Selectable& object, Use use) const {
    const auto take = [&](const Entries* entries) {
      if (entries != nullptr) use(*entries);
    };
    if (by_key_.size() == 0) return;
    take(by_key_.find(always));
    take(by_key_.find({static_cast<char>(Clue::namespace_), object.namespace_, {}}));
    const auto take_all = [&](Clue clue, const Labels* labels) {
      if (labels == nullptr) return;
      for (const auto& [key, value] : *labels) {
        // Values may be long.
        if (named_.find({static_cast<char>(clue), key, {}}) == nullptr) continue;
        take(by_key_.find({static_cast<char>(clue), key, value}));
      }
    };
    take_all(Clue::label, object.labels);
    take_all(Clue::annotation, object.annotations);
    take_all(Clue::namespace_label, object.namespace_labels);
  }

  [[nodiscard]] std::size_t longest(const Criterion& criterion) const noexcept {
    std::size_t most = 0;
    for (const MapKey& key : criterion) {
      const Entries* const entries = by_key_.find(view(key));
      if (entries != nullptr) most = std::max(most, entries->size());
    }
    return most;
  }

  PersistentMap<Entries> by_key_;
  PersistentMap<std::size_t> named_;  ///< how many values somebody stands at, by kind and key
  std::size_t size_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
