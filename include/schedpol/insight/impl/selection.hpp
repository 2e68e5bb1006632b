// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a policy selects, and which of many things that select objects can select one object, with
/// what that object has. Things whose selectors ask for different values of one key are told apart
/// without being compared, so that thousands that each name a namespace or a label of their own take
/// n log n.

#include <schedpol/core/impl/conjunction.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/insight/impl/budget.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// An object that is selected: its labels, its annotations, and its namespace.
struct SelectedObject {
  Labels labels{};
  Labels annotations{};
  ObjectMeta namespace_{};

  /// The first letter of a key says whose it is: `l` is a label of the object, `a` an annotation, `n` a
  /// label of its namespace. The rest is the key.
  explicit SelectedObject(const Labels& all) {
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

/// Whether two selectors name different values of one label: a short look, after which few pairs are
/// left that have to be compared.
inline bool name_different_values(const std::optional<LabelSelector>& a,
                                  const std::optional<LabelSelector>& b, Budget& budget) {
  if (!a || !b) return false;
  const bool a_names_fewer = a->match_labels.size() < b->match_labels.size();
  const Labels& fewer = a_names_fewer ? a->match_labels : b->match_labels;
  const Labels& more = a_names_fewer ? b->match_labels : a->match_labels;
  budget.spend(1 + fewer.size());
  return schedpol::detail::any_of(fewer, [&](const auto& label) {
    const std::string* value = find_label(more, label.first);
    return value != nullptr && *value != label.second;
  });
}

/// The texts of a selector.
inline std::size_t texts_of(const std::optional<LabelSelector>& selector) {
  if (!selector) return 0;
  std::size_t texts = selector->match_labels.size();
  for (const LabelSelectorRequirement& each : selector->match_expressions)
    texts += 1 + each.values.size();
  return texts;
}

/// All that one thing asks for of the objects it selects.
class Selection {
 public:
  Selection& labels(const std::optional<LabelSelector>& selector) {
    return add('l', to_conjunction(selector));
  }
  Selection& annotations(const std::optional<LabelSelector>& selector) {
    return add('a', to_conjunction(selector, SelectedValues::annotations));
  }
  Selection& in_namespace(const std::string& name) {
    return add('n',
               Conjunction{{.key = std::string(SelectedObject::name_label), .values = {name}}});
  }
  Selection& in_namespaces(const std::optional<LabelSelector>& selector) {
    add('n', Conjunction{{std::string(SelectedObject::name_label), Requirement::Operator::exists}});
    return add('n', to_conjunction(selector));
  }

  /// Whether a selection of so many texts may be made.
  [[nodiscard]] static bool can_afford(std::size_t texts, Budget& budget) noexcept {
    return budget.spend(steps_a_requirement + steps_a_text * texts);
  }

  [[nodiscard]] const Conjunction& requirements() const noexcept { return requirements_; }

  /// Steps of a look for an object that it selects.
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

  /// An object that it selects, with nothing but what that takes.
  [[nodiscard]] std::optional<SelectedObject> selected() const {
    const auto labels = absent_ ? std::nullopt : to_labels(requirements_);
    if (!labels) return std::nullopt;
    return SelectedObject(*labels);
  }

  [[nodiscard]] bool selects_nothing(Budget& budget) const {
    budget.spend(steps_);
    return absent_ || !to_labels(requirements_);
  }

 private:
  Selection& add(char of, std::optional<Conjunction> more) {
    absent_ = absent_ || !more;
    if (!more) return *this;
    for (Requirement& requirement : *more) {
      requirement.key.insert(0, 1, of);
      steps_ += steps_a_requirement * (1 + requirement.values.size());
      requirements_.push_back(std::move(requirement));
    }
    return *this;
  }

  static constexpr std::size_t steps_a_requirement = 40;  ///< or value: it is copied and sorted
  static constexpr std::size_t steps_a_text = 100;        ///< which is validated before that

  Conjunction requirements_;
  std::size_t steps_ = steps_a_requirement;
  bool absent_ = false;
};

/// One of those among which overlaps are looked for. They come in the order of their numbers, and
/// those of one group are not compared, nor are two of which neither is asked about.
struct Overlapping {
  std::size_t number = 0;
  std::size_t group = 0;
  const Selection* selection = nullptr;
  bool is_asked_about = true;
};

/// Calls `found(a, b, labels)` for each that can select an object that one before it selects too,
/// once: with one of those, and the object as `SelectedObject` takes it. `witness(a, b)` finds the
/// labels.
template <class Witness, class Found>
class OverlapSearch {
 public:
  OverlapSearch(Budget& budget, Witness witness, Found found)
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
    List listing;
    for (const Overlapping& one : all) {
      const Requirement* const values = values_of(one, key);
      if (values == nullptr) {
        others.push_back(one);
        continue;
      }
      // Whoever lists several is looked at as often.
      if (!budget_.spend(8 * values->values.size()) ||
          !budget_.keep(sizeof(Overlapping) * (values->values.size() - 1)))
        return;
      listing.push_back(one);
      for (const std::string& value : values->values) by_value[value].push_back(one);
    }
    for (auto& [value, list] : by_value) split(std::move(list), keys);
    compare(others, listing);
    compare(listing, others);
    split(std::move(others), std::move(keys));
  }

  /// The key that leaves the fewest to be compared; none where all leave most of them.
  std::string_view best_key(const List& all, const std::set<std::string_view>& known) {
    std::map<std::string_view, std::map<std::string_view, std::size_t>> counts;
    std::map<std::string_view, std::size_t> sizes;
    for (const Overlapping& one : all) {
      std::set<std::string_view> seen;
      if (!budget_.spend(8 * one.selection->requirements().size())) return {};
      for (const Requirement& requirement : one.selection->requirements()) {
        if (!tells_values(requirement) || known.contains(requirement.key) ||
            !seen.insert(requirement.key).second)
          continue;
        budget_.spend(8 * requirement.values.size());
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
    using Groups = std::map<std::size_t, List>;
    Groups asked_about;
    Groups all;
    for (const Overlapping& one : earlier) {
      all[one.group].push_back(one);
      if (one.is_asked_about) asked_about[one.group].push_back(one);
    }
    for (const Overlapping& one : later) {
      if (done_.contains(one.number)) continue;
      for (const auto& [group, list] : one.is_asked_about ? all : asked_about) {
        if (!budget_.spend()) return;
        if (group != one.group && overlaps(one, list)) break;
      }
    }
  }
  bool overlaps(const Overlapping& one, const List& earlier) {
    for (const Overlapping& before : earlier) {
      if (before.number >= one.number) return false;
      if (!budget_.spend(before.selection->steps() + one.selection->steps())) return true;
      const std::optional<Labels> labels = witness_(before, one);
      if (!labels) continue;
      done_.insert(one.number);
      found_(before, one, *labels);
      return true;
    }
    return false;
  }

  Budget& budget_;
  Witness witness_;
  Found found_;
  std::set<std::size_t> done_;
};

/// What both ask for.
inline Conjunction both(const Selection& a, const Selection& b) {
  Conjunction all = a.requirements();
  append(all, b.requirements());
  return all;
}

/// Looks for overlaps, the labels being what both select.
template <class Found>
void for_each_overlap(std::vector<Overlapping> all, Budget& budget, Found&& found) {
  const auto witness = [](const Overlapping& a, const Overlapping& b) {
    return to_labels(both(*a.selection, *b.selection));
  };
  OverlapSearch(budget, witness, std::forward<Found>(found)).run(std::move(all));
}

/// Those that write a field of an object, by what they write: of what is written once, nothing
/// differs.
class Writers {
 public:
  void add(std::string_view value, std::size_t number) { by_value_[value].push_back(number); }

  [[nodiscard]] bool differ() const noexcept { return by_value_.size() > 1; }

  /// In the order of their numbers, those of one value a group. `of(number)` is one of them, without
  /// number and group.
  template <class Of>
  [[nodiscard]] std::vector<Overlapping> grouped(Of&& of) {
    std::vector<Overlapping> all;
    for (const auto& [value, numbers] : by_value_) {
      for (const std::size_t number : numbers) {
        Overlapping& one = all.emplace_back(of(number));
        one.number = number;
        one.group = values_.size();
      }
      values_.push_back(value);
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    return all;
  }
  /// What those of a group write.
  [[nodiscard]] std::string_view value_of(std::size_t group) const { return values_[group]; }

 private:
  std::map<std::string_view, std::vector<std::size_t>> by_value_;
  std::vector<std::string_view> values_;  ///< of each group
};

}  // namespace SCHEDPOL_NAMESPACE::detail
