// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which of many things that select objects can select one object, with what that object has.
/// Things whose selectors ask for different values of one key are told apart without being
/// compared, so that thousands that each name a namespace or a label of their own take n log n.

#include <schedpol/core/impl/conjunction.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/object_meta.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// The name of an object that others of its kind cannot have.
inline std::string qualified_name(const ObjectMeta& metadata) {
  return metadata.namespace_.empty() ? metadata.name : metadata.namespace_ + '/' + metadata.name;
}

/// What is selected of all objects: by their labels, their annotations, and their namespace.
struct Selected {
  Labels labels{};
  Labels annotations{};
  ObjectMeta namespace_{};

  /// Of labels whose keys tell by their first letter what they are of.
  explicit Selected(const Labels& all) {
    for (const auto& [key, value] : all) {
      Labels& to = key[0] == 'l' ? labels : key[0] == 'a' ? annotations : namespace_.labels;
      to.emplace(key.substr(1), value);
    }
    if (const std::string* name = find_label(namespace_.labels, name_label))
      namespace_.name = *name;
  }

  /// The label of a namespace that says what it is called.
  static constexpr std::string_view name_label = "kubernetes.io/metadata.name";
};

/// All that one thing asks for of the objects it selects.
class Selection {
 public:
  Selection& labels(const std::optional<LabelSelector>& selector) {
    return add('l', conjunction_of(selector));
  }
  Selection& annotations(const std::optional<LabelSelector>& selector) {
    return add('a', conjunction_of(selector, SelectedValues::annotations));
  }
  Selection& in_namespace(const std::string& name) {
    return add('n', Conjunction{{.key = std::string(Selected::name_label), .values = {name}}});
  }
  Selection& in_namespaces(const std::optional<LabelSelector>& selector) {
    add('n', Conjunction{{std::string(Selected::name_label), Requirement::Operator::exists}});
    return add('n', conjunction_of(selector));
  }

  [[nodiscard]] const Conjunction& requirements() const noexcept { return requirements_; }

  /// How much there is to look at.
  [[nodiscard]] std::size_t weight() const noexcept { return weight_; }

  [[nodiscard]] bool selects_nothing() const { return absent_ || !labels_of(requirements_); }

 private:
  Selection& add(char of, std::optional<Conjunction> more) {
    absent_ = absent_ || !more;
    if (!more) return *this;
    for (Requirement& requirement : *more) {
      requirement.key.insert(0, 1, of);
      weight_ += 1 + requirement.values.size();
      requirements_.push_back(std::move(requirement));
    }
    return *this;
  }

  Conjunction requirements_;
  std::size_t weight_ = 1;
  bool absent_ = false;
};

/// What an analysis has left of `max_paired_requirements`.
class PairBudget {
 public:
  /// False once it is spent.
  bool spend(std::size_t much) noexcept {
    left_ -= std::min(much, left_);
    return !spent();
  }
  [[nodiscard]] bool spent() const noexcept { return left_ == 0; }

 private:
  std::size_t left_ = max_paired_requirements;
};

/// One of those among which overlaps are looked for. They come in the order of their numbers, and
/// those of one group are not compared.
struct Overlapping {
  std::size_t number = 0;
  std::size_t group = 0;
  const Selection* selection = nullptr;
};

/// Calls `found(a, b, labels)` for each that can select an object that one before it selects too,
/// once: with one of those, and the object as `Selected` takes it. `witness(a, b)` finds the labels.
template <class Witness, class Found>
class OverlapSearch {
 public:
  OverlapSearch(PairBudget& budget, Witness witness, Found found)
      : budget_(budget), witness_(std::move(witness)), found_(std::move(found)) {}

  void run(std::vector<Overlapping> all) { split(std::move(all), {}); }

 private:
  using List = std::vector<Overlapping>;
  using ByValue = std::map<std::string_view, List>;

  /// So many are compared faster than they are told apart.
  static constexpr std::size_t few = 8;
  /// Longer lists of values tell little apart.
  static constexpr std::size_t most_values = 16;

  void split(const List& all, std::set<std::string_view> keys) {
    if (all.size() < 2) return;
    const std::string_view key = all.size() > few ? best_key(all, keys) : std::string_view();
    if (key.empty()) return compare(all, all);
    keys.insert(key);
    ByValue by_value;
    List others;
    List tell;
    for (const Overlapping& one : all) {
      const Requirement* const values = values_of(one, key);
      if (values == nullptr) {
        others.push_back(one);
        continue;
      }
      // Whoever lists several is looked at as often.
      if (!budget_.spend(values->values.size() - 1)) return;
      tell.push_back(one);
      for (const std::string& value : values->values) by_value[value].push_back(one);
    }
    for (auto& [value, list] : by_value) split(std::move(list), keys);
    compare(others, tell);
    compare(tell, others);
    split(std::move(others), std::move(keys));
  }

  /// The key that leaves the fewest to be compared; none where all leave most of them.
  static std::string_view best_key(const List& all, const std::set<std::string_view>& known) {
    std::map<std::string_view, std::map<std::string_view, std::size_t>> counts;
    std::map<std::string_view, std::size_t> sizes;
    for (const Overlapping& one : all) {
      std::set<std::string_view> seen;
      for (const Requirement& requirement : one.selection->requirements()) {
        if (!tells_values(requirement) || known.contains(requirement.key) ||
            !seen.insert(requirement.key).second)
          continue;
        ++sizes[requirement.key];
        for (const std::string& value : requirement.values) ++counts[requirement.key][value];
      }
    }
    std::string_view best;
    std::size_t least = all.size() * all.size() / 2;
    for (const auto& [key, values] : counts) {
      std::size_t pairs = (all.size() - sizes[key]) * all.size();
      for (const auto& [value, count] : values) pairs += count * count;
      if (pairs >= least) continue;
      least = pairs;
      best = key;
    }
    return best;
  }

  static bool tells_values(const Requirement& requirement) noexcept {
    return requirement.operator_ == Requirement::Operator::in &&
           requirement.values.size() <= most_values;
  }
  static const Requirement* values_of(const Overlapping& one, std::string_view key) {
    for (const Requirement& requirement : one.selection->requirements())
      if (requirement.key == key && tells_values(requirement)) return &requirement;
    return nullptr;
  }

  /// Each of the one list with those of the other that come before it.
  void compare(const List& later, const List& earlier) {
    std::map<std::size_t, List> groups;
    for (const Overlapping& one : earlier) groups[one.group].push_back(one);
    for (const Overlapping& one : later) {
      if (done_.contains(one.number)) continue;
      for (const auto& [group, list] : groups)
        if (budget_.spent() || (group != one.group && overlaps(one, list))) break;
    }
  }
  bool overlaps(const Overlapping& one, const List& earlier) {
    for (const Overlapping& before : earlier) {
      if (before.number >= one.number) return !budget_.spend(1);
      if (!budget_.spend(before.selection->weight() + one.selection->weight())) return true;
      const std::optional<Labels> labels = witness_(before, one);
      if (!labels) continue;
      done_.insert(one.number);
      found_(before, one, *labels);
      return true;
    }
    return false;
  }

  PairBudget& budget_;
  Witness witness_;
  Found found_;
  std::set<std::size_t> done_;
};

/// What both ask for.
inline Conjunction both(const Selection& a, const Selection& b) {
  Conjunction all = a.requirements();
  all.insert(all.end(), b.requirements().begin(), b.requirements().end());
  return all;
}

/// Looks for overlaps, the labels being what both select.
template <class Found>
void for_each_overlap(std::vector<Overlapping> all, PairBudget& budget, Found&& found) {
  const auto witness = [](const Overlapping& a, const Overlapping& b) {
    return labels_of(both(*a.selection, *b.selection));
  };
  OverlapSearch(budget, witness, std::forward<Found>(found)).run(std::move(all));
}

}  // namespace SCHEDPOL_NAMESPACE::detail
