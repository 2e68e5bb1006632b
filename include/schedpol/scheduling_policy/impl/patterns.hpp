// SPDX-License-Identifier: Apache-2.0
#pragma once

/// When a pattern of a policy matches a toleration or a node selector requirement of a pod, and how
/// one pattern is found among many: by the key it lists. Made once, then only read; nothing here
/// allocates while it is asked.
///
/// 1. The key is listed, or the pattern takes any; an empty key only by any, even where the empty
///    text is listed.
/// 2. The operator and the effect are listed, or any are taken. An unset operator of a toleration
///    is Equal, an unset effect all three. Words outside the vocabulary match nothing.
/// 3. Every value is listed, or any are taken; what has no value is matched by absent or any
///    values. An Exists toleration has no value, whatever stands there.

#include <schedpol/core/impl/lookup/in_one_piece.hpp>
#include <schedpol/core/impl/lookup/text_map.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/scheduling_policy/impl/text_rule.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

using schedpol::detail::TextMap;
using schedpol::detail::TextSet;

/// Operators in the lower half and effects in the upper, a bit each: those that a pattern accepts,
/// or those that one toleration or requirement has.
using WordBits = std::uint32_t;

template <class Word>
constexpr WordBits bit(Word word) noexcept {
  return WordBits{1} << static_cast<unsigned>(word);
}

inline constexpr WordBits every_effect = bit(TaintEffect::no_schedule) |
                                         bit(TaintEffect::prefer_no_schedule) |
                                         bit(TaintEffect::no_execute);

/// The words of a list, of which those outside `every` have no bit: nothing matches them.
template <class Word>
WordBits bits(const AnyOr<std::vector<OpenEnum<Word>>>& words, WordBits every) noexcept {
  if (words.is_any()) return every;
  WordBits listed = 0;
  for (const OpenEnum<Word>& word : words.listed()) listed |= bit(word.word());
  return listed & every;
}

inline WordBits words_of(const Toleration& toleration, TaintEffect effect) noexcept {
  return bit(toleration.operator_.word()) | bit(effect) << 16U;
}
inline WordBits words_of(const Toleration& toleration) noexcept {
  return words_of(toleration, toleration.effect.word());
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
  WordBits effects = bits(pattern.effects, every_effect);
  if (effects == every_effect) effects |= bit(TaintEffect::unset);
  return operators | effects << 16U;
}
inline WordBits accepted_words(const RequirementPattern& pattern) noexcept {
  constexpr WordBits every_operator =
      bit(NodeSelectorOperator::in) | bit(NodeSelectorOperator::not_in) |
      bit(NodeSelectorOperator::exists) | bit(NodeSelectorOperator::does_not_exist) |
      bit(NodeSelectorOperator::gt) | bit(NodeSelectorOperator::lt);
  return bits(pattern.operators, every_operator);
}

/// A pattern without its keys and its listed values.
struct PatternShape {
  WordBits refused = ~WordBits{0};  ///< all other words are accepted
  bool any_value = false;
  bool no_value = false;  ///< what has none

  PatternShape() = default;
  template <class Source>
  explicit PatternShape(const Source& source) noexcept
      : refused(~accepted_words(source)),
        any_value(source.values.is_any()),
        no_value(any_value || source.values.is_absent()) {}

  [[nodiscard]] bool accepts(WordBits words) const noexcept { return (words & refused) == 0; }

  [[nodiscard]] bool accepts_value(const TextSet& listed,
                                   const Toleration& toleration) const noexcept {
    if (any_value) return true;
    if (toleration.operator_ == TolerationOperator::exists) return no_value;
    return listed.contains(toleration.value) || (no_value && toleration.value.empty());
  }
  [[nodiscard]] bool accepts_value(const TextSet& listed,
                                   const NodeSelectorRequirement& requirement) const noexcept {
    if (any_value) return true;
    if (requirement.values.empty()) return no_value;
    return listed.contains_all(requirement.values);
  }
};

/// One pattern.
class Pattern {
 public:
  template <class Source>
  explicit Pattern(const Source& source)
      : keys_(source.keys), shape_(source), values_(source.values.listed()) {}

  [[nodiscard]] bool matches(const Toleration& toleration) const noexcept {
    return matches(toleration, words_of(toleration));
  }
  [[nodiscard]] bool matches(const NodeSelectorRequirement& requirement) const noexcept {
    return matches(requirement, words_of(requirement));
  }

 private:
  template <class Item>
  [[nodiscard]] bool matches(const Item& item, WordBits words) const noexcept {
    return shape_.accepts(words) &&
           (keys_.any() || (!item.key.empty() && keys_.permits(item.key))) &&
           shape_.accepts_value(values_, item);
  }

  TextRule keys_;
  PatternShape shape_;
  TextSet values_;
};

/// Patterns of one key, or of any, that are too many to be looked at one by one: by their values.
/// Those with the same words and the same values are one, so that what is asked about words alone is
/// asked no more often than there are sets of words.
class PatternsByValue {
 public:
  template <class Source>
  PatternsByValue(const std::vector<const Source*>& sources,
                  const std::vector<const TextSet*>& values) {
    std::map<std::string_view, ByWords> by_value;
    for (std::size_t i = 0; i < sources.size(); ++i) {
      const PatternShape shape(*sources[i]);
      if (shape.any_value) add_words(any_value_, shape);
      if (shape.no_value) add_words(no_value_, shape);
      if (shape.any_value) continue;
      for (const std::string& value : sources[i]->values.listed())
        add_words(by_value[value], shape).push_back(values[i]);
    }
    by_value_ = TextMap<ByWords>(std::move(by_value));
  }

  [[nodiscard]] bool match(const Toleration& toleration, WordBits words) const noexcept {
    if (accept(any_value_, words)) return true;
    if (toleration.operator_ == TolerationOperator::exists) return accept(no_value_, words);
    return accept(by_value_.find(toleration.value), words) ||
           (toleration.value.empty() && accept(no_value_, words));
  }
  [[nodiscard]] bool match(const NodeSelectorRequirement& requirement,
                           WordBits words) const noexcept {
    if (accept(any_value_, words)) return true;
    if (requirement.values.empty()) return accept(no_value_, words);
    // Whoever lists all of its values lists the one that the fewest list.
    const ByWords* fewest = nullptr;
    std::size_t count = std::numeric_limits<std::size_t>::max();
    for (const std::string& value : requirement.values) {
      const ByWords& listing = by_value_.find(value);
      std::size_t here = 0;
      for (const OfWords& each : listing)
        if ((words & each.refused) == 0) here += each.values.size();
      if (here >= count) continue;
      fewest = &listing;
      count = here;
    }
    for (const OfWords& each : *fewest) {
      if ((words & each.refused) != 0) continue;
      for (const TextSet* values : each.values)
        if (values->contains_all(requirement.values)) return true;
    }
    return false;
  }

 private:
  /// Of patterns that accept the same words, what they list.
  struct OfWords {
    WordBits refused = 0;
    std::vector<const TextSet*> values{};
  };
  using ByWords = std::vector<OfWords>;

  static std::vector<const TextSet*>& add_words(ByWords& all, const PatternShape& shape) {
    for (OfWords& each : all)
      if (each.refused == shape.refused) return each.values;
    return all.emplace_back(OfWords{shape.refused}).values;
  }
  [[nodiscard]] static bool accept(const ByWords& all, WordBits words) noexcept {
    for (const OfWords& each : all)
      if ((words & each.refused) == 0) return true;
    return false;
  }

  ByWords any_value_;
  ByWords no_value_;
  TextMap<ByWords> by_value_;
};

/// Many patterns. Their shapes stand with each of their keys; the values they list stand once,
/// because keys times values may be too many.
class PatternIndex {
 public:
  PatternIndex() = default;
  template <class Source>
  explicit PatternIndex(const std::vector<const Source*>& sources) {
    values_.reserve(sources.size());
    std::vector<const Source*> known;
    std::vector<std::size_t> any_key;
    std::map<std::string_view, std::vector<std::size_t>> by_key;
    std::size_t left = 0;  // of values that may stand by key: a few times what is listed
    for (const Source* source : sources) {
      if (source->keys.is_absent()) continue;
      const std::size_t number = values_.size();
      values_.emplace_back(source->values.listed());
      known.push_back(source);
      left += 2 * source->values.listed().size();
      if (source->keys.is_any()) any_key.push_back(number);
      for (const std::string& key : source->keys.listed()) {
        std::vector<std::size_t>& listed = by_key[key];
        if (listed.empty() || listed.back() != number) listed.push_back(number);
        left += 4;
      }
    }
    by_key.erase("");  // an empty key is matched by any alone
    any_key_ = of_key(known, any_key, left);
    std::map<std::string_view, OfKey> made;
    for (const auto& [key, numbers] : by_key) made.emplace(key, of_key(known, numbers, left));
    by_key_ = TextMap<OfKey>(std::move(made));
  }
  PatternIndex(PatternIndex&&) = default;
  PatternIndex& operator=(PatternIndex&&) = default;
  PatternIndex(const PatternIndex&) = delete;  // it points into itself
  PatternIndex& operator=(const PatternIndex&) = delete;
  ~PatternIndex() = default;

  /// Whether for each of them a pattern matches it.
  [[nodiscard]] bool match_each(const std::vector<Toleration>& tolerations) const noexcept {
    return match_each(tolerations, [](const auto& each) { return words_of(each); });
  }
  [[nodiscard]] bool match_each(
      const std::vector<NodeSelectorRequirement>& requirements) const noexcept {
    return match_each(requirements, [](const auto& each) { return words_of(each); });
  }

  /// Whether a pattern matches the toleration, taken as one with this effect.
  [[nodiscard]] bool match(const Toleration& toleration, TaintEffect effect) const noexcept {
    return match_each(std::span(&toleration, 1),
                      [&](const Toleration& each) { return words_of(each, effect); });
  }
  [[nodiscard]] bool match(const NodeSelectorRequirement& requirement) const noexcept {
    return match_each(std::span(&requirement, 1), [](const auto& each) { return words_of(each); });
  }

 private:
  struct Indexed {
    PatternShape shape;
    const TextSet* values = nullptr;
  };
  /// A few stand one by one; `many` has all, where there is one.
  struct OfKey {
    std::vector<Indexed> few;
    std::unique_ptr<const PatternsByValue> many;
  };
  static constexpr std::size_t most_one_by_one = 16;

  template <class Source>
  OfKey of_key(const std::vector<const Source*>& known, const std::vector<std::size_t>& numbers,
               std::size_t& left) const {
    OfKey of;
    std::size_t values = 0;
    for (const std::size_t number : numbers) values += known[number]->values.listed().size();
    if (numbers.size() > most_one_by_one && values <= left) {
      left -= values;
      std::vector<const Source*> sources;
      std::vector<const TextSet*> sets;
      for (const std::size_t number : numbers) {
        sources.push_back(known[number]);
        sets.push_back(&values_[number]);
      }
      of.many = std::make_unique<const PatternsByValue>(sources, sets);
    } else {
      for (const std::size_t number : numbers)
        of.few.push_back({PatternShape(*known[number]), &values_[number]});
    }
    return of;
  }

  template <class Items, class WordsOf>
  [[nodiscard]] bool match_each(const Items& items, WordsOf words_of_item) const noexcept {
    for (const auto& item : items)
      if (!match(item, words_of_item(item))) return false;
    return true;
  }

  static constexpr auto among_many = [](const PatternsByValue& many, const auto& item,
                                        WordBits words) noexcept {
    return many.match(item, words);
  };

  /// First those that list the key, then those that take any.
  template <class Item>
  [[nodiscard]] bool match(const Item& item, WordBits words) const noexcept {
    for (const OfKey* patterns = &by_key_.find(item.key);; patterns = &any_key_) {
      for (const Indexed& pattern : patterns->few) {
        if (pattern.shape.accepts(words) && pattern.shape.accepts_value(*pattern.values, item))
          return true;
      }
      if (patterns->many && schedpol::detail::apart(among_many, *patterns->many, item, words))
        return true;
      if (patterns == &any_key_) return false;
    }
  }

  std::vector<TextSet> values_;
  OfKey any_key_;
  TextMap<OfKey> by_key_;
};

}  // namespace schedpol::scheduling_policy::detail
