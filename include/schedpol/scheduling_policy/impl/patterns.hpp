// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a pattern of a policy matches a toleration or a node selector requirement of a pod, and
/// which patterns there are for a key. Built once, then only read. Lookups do not
/// allocate.
///
/// 1. The key is listed, or the pattern's keys are any. Only any matches an empty key, even if the empty
///    text is listed.
/// 2. The operator and each effect are listed or any. In a toleration, an unset operator is Equal, and an
///    unset effect means all three. Words outside the vocabulary match nothing.
/// 3. Every value is listed, or values are any. Absent values match only an item without values. An
///    Exists toleration has no value, whatever its `value` says.
/// 4. A toleration from a class or a cluster policy also meets a requirement if it covers a toleration that
///    the pattern matches, because a class drops tolerations that its own cover.
/// 5. A node selector pair also meets a requirement on node terms, if the pattern matches an expression
///    that holds for its value.

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/base/impl/lookup/text_table.hpp>
#include <schedpol/core/impl/tolerated_effects.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::TextSet;
using schedpol::detail::TextTable;

/// Texts, each with the numbers of what is about it, in order.
using NumbersByText = std::map<std::string_view, std::vector<std::size_t>>;

/// A list of texts: absent permits none, any all, a listed one what it lists.
class TextRule {
 public:
  TextRule() = default;
  explicit TextRule(const AnyOr<Texts>& texts)
      : any_(texts.is_any()),
        permits_some_text_(any_ || schedpol::detail::any_of(texts.listed(), is_not_empty)),
        listed_(texts.listed()) {}
  /// With one more text that is permitted.
  TextRule(const AnyOr<Texts>& texts, const std::string& also)
      : TextRule(texts.is_any() ? texts : AnyOr<Texts>(with(texts.listed(), also))) {}

  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool permits(std::string_view text) const noexcept {
    return any_ || listed_.contains(text);
  }
  /// Whether it permits any that is not empty.
  [[nodiscard]] bool permits_some_text() const noexcept { return permits_some_text_; }

 private:
  static bool is_not_empty(const std::string& text) noexcept { return !text.empty(); }
  static Texts with(Texts texts, const std::string& also) {
    texts.push_back(also);
    return texts;
  }

  bool any_ = false;
  bool permits_some_text_ = false;
  TextSet listed_;
};

using schedpol::detail::tolerated_effects;

/// Operators in the lower half and effects in the upper, a bit each: those that a pattern accepts,
/// or those that one toleration or requirement has.
using WordBits = std::uint32_t;

template <class Word>
constexpr WordBits bit(Word word) noexcept {
  return WordBits{1} << static_cast<unsigned>(word);
}
constexpr WordBits bits(std::span<const TaintEffect> effects) noexcept {
  WordBits all = 0;
  for (const TaintEffect effect : effects) all |= bit(effect);
  return all;
}
/// Of a list. Those outside `every` have no bit: nothing matches them.
template <class Word>
WordBits bits(const AnyOr<std::vector<OpenEnum<Word>>>& words, WordBits every) noexcept {
  if (words.is_any()) return every;
  WordBits listed = 0;
  for (const OpenEnum<Word>& word : words.listed()) listed |= bit(word.word());
  return listed & every;
}

inline WordBits words_of(const Toleration& toleration,
                         std::span<const TaintEffect> effects) noexcept {
  return bit(toleration.operator_.word()) | bits(effects) << 16U;
}
inline WordBits words_of(const Toleration& toleration) noexcept {
  constexpr WordBits every_effect = bits(taint_effects);
  const TaintEffect effect = toleration.effect.word();
  return bit(toleration.operator_.word()) |
         (effect == TaintEffect::unset ? every_effect : bit(effect)) << 16U;
}
inline WordBits words_of(const NodeSelectorRequirement& requirement) noexcept {
  return bit(requirement.operator_.word());
}

inline WordBits accepted_words(const TolerationPattern& pattern) noexcept {
  constexpr WordBits equal = bit(TolerationOperator::unset) | bit(TolerationOperator::equal);
  constexpr WordBits every_operator = equal | bit(TolerationOperator::exists) |
                                      bit(TolerationOperator::lt) | bit(TolerationOperator::gt);
  WordBits operators = bits(pattern.operators, every_operator);
  if ((operators & equal) != 0) operators |= equal;
  return operators | bits(pattern.effects, bits(taint_effects)) << 16U;
}
inline WordBits accepted_words(const RequirementPattern& pattern) noexcept {
  constexpr WordBits every_operator =
      bit(NodeSelectorOperator::in) | bit(NodeSelectorOperator::not_in) |
      bit(NodeSelectorOperator::exists) | bit(NodeSelectorOperator::does_not_exist) |
      bit(NodeSelectorOperator::gt) | bit(NodeSelectorOperator::lt);
  return bits(pattern.operators, every_operator);
}

/// One pattern.
class Pattern {
 public:
  template <class Source>
  explicit Pattern(const Source& source)
      : keys_(source.keys),
        words_(accepted_words(source)),
        any_value_(source.values.is_any()),
        no_value_(any_value_ || source.values.is_absent()),
        values_(source.values.listed()) {
    if (source.values.listed().empty()) return;
    const Texts& listed = source.values.listed();
    one_value_ = listed.front();
    lists_several_ = schedpol::detail::any_of(
        listed, [&](const std::string& value) { return value != one_value_; });
  }

  [[nodiscard]] bool matches(const Toleration& toleration) const noexcept {
    return matches(toleration, words_of(toleration));
  }
  [[nodiscard]] bool matches(const NodeSelectorRequirement& requirement) const noexcept {
    return matches(requirement, words_of(requirement));
  }

  /// Whether it matches a toleration that this one covers (`covers`), whose tolerationSeconds no
  /// pattern looks at.
  [[nodiscard]] bool matches_covered_by(const Toleration& covering) const noexcept {
    const bool exists = covering.operator_ == TolerationOperator::exists;
    const bool takes_key =
        keys_.any() ||
        (covering.key.empty() ? exists && keys_.permits_some_text() : keys_.permits(covering.key));
    const WordBits effects = bits(tolerated_effects(covering)) << 16U;
    if (!takes_key || (effects & words_) == 0) return false;
    constexpr WordBits with_values =
        bit(TolerationOperator::equal) | bit(TolerationOperator::lt) | bit(TolerationOperator::gt);
    if (!exists)
      return (bit(covering.operator_.word()) & words_) != 0 &&
             (any_value_ || accepts_value(covering));
    return no_value_ ? (words_ & (with_values | bit(TolerationOperator::exists))) != 0
                     : one_value_.has_value() && (words_ & with_values) != 0;
  }

  /// Whether a node with this label meets some expression that the pattern matches. A pattern for Gt
  /// and Lt lists numbers that nobody else has to know.
  [[nodiscard]] bool is_implied_by(const std::string& key,
                                   const std::string& value) const noexcept {
    const auto accepts = [this](NodeSelectorOperator operator_) {
      return (bit(operator_) & words_) != 0;
    };
    if (key.empty() || !keys_.permits(key)) return false;
    return (accepts(NodeSelectorOperator::in) && (any_value_ || values_.contains(value))) ||
           (accepts(NodeSelectorOperator::exists) && no_value_) ||
           (accepts(NodeSelectorOperator::not_in) && (any_value_ || lists_other_than(value)));
  }

  /// An item with a key that the pattern takes.
  template <class Item>
  [[nodiscard]] bool matches_of_key(const Item& item, WordBits words) const noexcept {
    return (words & ~words_) == 0 && (any_value_ || accepts_value(item));
  }

 private:
  template <class Item>
  [[nodiscard]] bool matches(const Item& item, WordBits words) const noexcept {
    return matches_of_key(item, words) &&
           (keys_.any() || (!item.key.empty() && keys_.permits(item.key)));
  }

  [[nodiscard]] bool accepts_value(const Toleration& toleration) const noexcept {
    if (toleration.operator_ == TolerationOperator::exists) return no_value_;
    return values_.contains(toleration.value) || (no_value_ && toleration.value.empty());
  }
  [[nodiscard]] bool accepts_value(const NodeSelectorRequirement& requirement) const noexcept {
    return requirement.values.empty() ? no_value_ : values_.contains_all(requirement.values);
  }

  [[nodiscard]] bool lists_other_than(const std::string& value) const noexcept {
    return lists_several_ || (one_value_ && *one_value_ != value);
  }

  TextRule keys_;
  WordBits words_;
  bool any_value_;
  bool no_value_;  ///< what has none
  TextSet values_;
  std::optional<std::string> one_value_{};  ///< the first that is listed
  bool lists_several_ = false;
};

/// Patterns by the keys that they list. An item is held against those of its key and those of any,
/// one by one: as limits bound both lists, that is at most some millions of comparisons. A requirement
/// has values, each of which is one, so that those of a check are bounded by `max_matched_values`.
class PatternIndex {
 public:
  /// Of all patterns that `for_each` calls its argument with. Those that are no temporaries outlive
  /// the index.
  template <class ForEach>
  explicit PatternIndex(const ForEach& for_each) {
    NumbersByText by_key;
    std::vector<std::size_t> any_key;
    for_each([&]<class Source>(Source&& source) {
      const std::size_t number = patterns_.size();
      patterns_.push_back(Pattern(source));
      const bool is_named = std::is_lvalue_reference_v<Source> && !source.keys.is_absent();
      sources_.push_back(is_named ? &source : nullptr);
      if (source.keys.is_any()) any_key.push_back(number);
      for (const std::string& key : source.keys.listed()) by_key[key].push_back(number);
    });
    list(by_key, any_key);
  }

  /// The patterns as a policy lists them, by number; null for one that none lists, or that takes no
  /// key.
  [[nodiscard]] const std::vector<const void*>& sources() const noexcept { return sources_; }

  /// Patterns of the key that has most, and those of any: so many each value is held against, at most.
  [[nodiscard]] std::size_t most_of_key() const noexcept { return most_of_key_; }

  /// Whether for each item a pattern matches it.
  template <class Item>
  [[nodiscard]] bool match_each(const std::vector<Item>& items) const noexcept {
    return schedpol::detail::all_of(items, [&](const Item& item) { return match(item); });
  }

  [[nodiscard]] bool match(const auto& item) const noexcept { return match(item, words_of(item)); }
  /// The toleration, taken as one with this effect.
  [[nodiscard]] bool match(const Toleration& toleration, TaintEffect effect) const noexcept {
    return match(toleration, words_of(toleration, {&effect, 1}));
  }

  /// Calls `f` with the number of each pattern that lists a key, then of each that takes any, both in
  /// order and once.
  template <class F>
  void for_each_of_key(std::string_view key, F&& f) const {
    const void* const* of_key =
        key.empty() ? of_empty_key_ : static_cast<const void* const*>(by_key_.find(key));
    for (const void* const* list : {of_key, lists_.data()}) {
      const void* before = nullptr;  // a key may be listed twice
      for (; *list != nullptr; ++list)
        if (*list != std::exchange(before, *list)) f(number_of(*list));
    }
  }

  /// Calls `f` with the number of each pattern that matches an item with these words, at least once,
  /// in no order. `explain` reads the same index as `check`.
  template <class Item, class F>
  void for_each_match(const Item& item, WordBits words, F&& f) const {
    for (const void* const* list :
         {static_cast<const void* const*>(by_key_.find(item.key)), lists_.data()}) {
      for (; *list != nullptr; ++list) {
        if (static_cast<const Pattern*>(*list)->matches_of_key(item, words)) f(number_of(*list));
      }
    }
  }

 private:
  void list(NumbersByText& by_key, const std::vector<std::size_t>& any_key) {
    std::size_t size = any_key.size() + 1;
    for (const auto& [key, numbers] : by_key) {
      if (!key.empty()) most_of_key_ = std::max(most_of_key_, numbers.size());
      size += numbers.size() + 1;
    }
    most_of_key_ += any_key.size();
    lists_.reserve(size);
    const auto add = [&](const std::vector<std::size_t>& numbers) {
      for (const std::size_t number : numbers) lists_.push_back(&patterns_[number]);
      lists_.push_back(nullptr);
    };
    add(any_key);
    const void* const* const none = lists_.data() + any_key.size();
    of_empty_key_ = none;
    std::vector<TextTable::Entry> keys;
    for (const auto& [key, numbers] : by_key) {
      const void* const* const begin = lists_.data() + lists_.size();
      add(numbers);
      if (key.empty()) {
        of_empty_key_ = begin;  // it is matched by any alone
      } else {
        keys.push_back({key, begin});
      }
    }
    by_key_ = TextTable(std::move(keys), none);
  }

  [[nodiscard]] std::size_t number_of(const void* pattern) const noexcept {
    return static_cast<std::size_t>(static_cast<const Pattern*>(pattern) - patterns_.data());
  }

  template <class Item>
  [[nodiscard]] bool match(const Item& item, WordBits words) const noexcept {
    return match_one(static_cast<const void* const*>(by_key_.find(item.key)), item, words) ||
           match_one(lists_.data(), item, words);
  }

  template <class Item>
  [[nodiscard]] static bool match_one(const void* const* list, const Item& item,
                                      WordBits words) noexcept {
    for (; *list != nullptr; ++list)
      if (static_cast<const Pattern*>(*list)->matches_of_key(item, words)) return true;
    return false;
  }

  std::vector<Pattern> patterns_;
  std::vector<const void*> sources_;
  std::vector<const void*> lists_;  ///< those of any key, and of each; a null ends a list
  TextTable by_key_;
  const void* const* of_empty_key_ = nullptr;  ///< those that list it, which match nothing by it
  std::size_t most_of_key_ = 0;
};
// A copy would point into what it was copied from.
static_assert(!std::is_copy_constructible_v<PatternIndex>);

/// One list of expressions in a required term: what a term of the pod has to hold.
class RequiredList {
 public:
  explicit RequiredList(const AnyOr<std::vector<RequirementPattern>>& list)
      : at_least_one_(list.is_any()) {
    for (const RequirementPattern& pattern : list.listed()) patterns_.push_back(Pattern(pattern));
  }

  /// Whether it asks for anything.
  [[nodiscard]] bool asks() const noexcept { return at_least_one_ || !patterns_.empty(); }

  [[nodiscard]] std::size_t patterns() const noexcept { return patterns_.size(); }

  /// `pairs` stand in the list, too.
  template <class Pairs>
  [[nodiscard]] bool holds(const std::vector<NodeSelectorRequirement>& list,
                           const Pairs& pairs) const noexcept {
    if (at_least_one_ && list.empty() && pairs.empty()) return false;
    return schedpol::detail::all_of(patterns_, [&](const Pattern& pattern) {
      return schedpol::detail::any_of(
                 list, [&](const auto& requirement) { return pattern.matches(requirement); }) ||
             pairs.any([&](const std::string& key, const std::string& value) {
               return pattern.is_implied_by(key, value);
             });
    });
  }

 private:
  bool at_least_one_;
  std::vector<Pattern> patterns_;
};

/// No pairs of a node selector.
struct NoPairs {
  [[nodiscard]] static bool empty() noexcept { return true; }
  [[nodiscard]] static std::size_t size() noexcept { return 0; }
  template <class Predicate>
  [[nodiscard]] static bool any(const Predicate&) noexcept {
    return false;
  }
};

/// A required term. One that asks for nothing is never satisfied.
struct RequiredTerm {
  explicit RequiredTerm(const TermPattern& pattern)
      : expressions(pattern.match_expressions),
        fields(pattern.match_fields),
        text(to_string(pattern)) {}

  template <class Pairs>
  [[nodiscard]] bool holds(const NodeSelectorTerm& term, const Pairs& pairs) const noexcept {
    return (expressions.asks() || fields.asks()) &&
           expressions.holds(term.match_expressions, pairs) &&
           fields.holds(term.match_fields, NoPairs{});
  }

  RequiredList expressions;
  RequiredList fields;
  std::string text;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
