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

#include <schedpol/core/impl/lookup/text_map.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/scheduling_policy/impl/text_rule.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstdint>
#include <map>
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
    return matches(toleration, words_of(toleration, toleration.effect.word()));
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

/// Many patterns. Their shapes stand with each of their keys; the values they list stand once,
/// because keys times values may be too many.
class PatternIndex {
 public:
  PatternIndex() = default;
  template <class Source>
  explicit PatternIndex(const std::vector<const Source*>& sources) {
    values_.reserve(sources.size());
    std::map<std::string_view, std::vector<Indexed>> by_key;
    for (const Source* source : sources) {
      if (source->keys.is_absent()) continue;
      const Indexed pattern{PatternShape(*source), &values_.emplace_back(source->values.listed())};
      if (source->keys.is_any()) any_key_.push_back(pattern);
      for (const std::string& key : source->keys.listed()) {
        std::vector<Indexed>& listed = by_key[key];
        if (listed.empty() || listed.back().values != pattern.values) listed.push_back(pattern);
      }
    }
    by_key.erase("");  // an empty key is matched by any alone
    by_key_ = TextMap<std::vector<Indexed>>(std::move(by_key));
  }
  PatternIndex(PatternIndex&&) = default;
  PatternIndex& operator=(PatternIndex&&) = default;
  PatternIndex(const PatternIndex&) = delete;  // it points into itself
  PatternIndex& operator=(const PatternIndex&) = delete;
  ~PatternIndex() = default;

  /// Whether for each of them a pattern matches it.
  [[nodiscard]] bool match_each(const std::vector<Toleration>& tolerations) const noexcept {
    return match_each(tolerations, [](const Toleration& toleration) {
      return words_of(toleration, toleration.effect.word());
    });
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

  template <class Items, class WordsOf>
  [[nodiscard]] bool match_each(const Items& items, WordsOf words_of_item) const noexcept {
    for (const auto& item : items)
      if (!match(item, words_of_item(item))) return false;
    return true;
  }

  /// First those that list the key, then those that take any.
  template <class Item>
  [[nodiscard]] bool match(const Item& item, WordBits words) const noexcept {
    for (const std::vector<Indexed>* patterns = &by_key_.find(item.key);; patterns = &any_key_) {
      for (const Indexed& pattern : *patterns) {
        if (pattern.shape.accepts(words) && pattern.shape.accepts_value(*pattern.values, item))
          return true;
      }
      if (patterns == &any_key_) return false;
    }
  }

  std::vector<TextSet> values_;
  std::vector<Indexed> any_key_;
  TextMap<std::vector<Indexed>> by_key_;
};

}  // namespace schedpol::scheduling_policy::detail
