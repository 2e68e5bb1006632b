// SPDX-License-Identifier: Apache-2.0
#pragma once

/// When a pattern of a policy matches a toleration or a node selector requirement of a pod, and how
/// one pattern is found among many: by the key it lists. Made once by a merge, then only read.
/// Nothing here allocates while it is asked.

#include <schedpol/scheduling_policy/policy.hpp>
#include <schedpol/scheduling_policy/text_map.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// A toleration as the set of defaults is asked for it: with another effect than its own, uncopied.
struct TolerationKey {
  const Toleration& toleration;
  TaintEffect effect;
};

struct TolerationHash {
  using is_transparent = void;
  std::size_t operator()(const TolerationKey& key) const noexcept {
    return static_cast<std::size_t>(
        (hash_of(key.toleration.key) * 31 + hash_of(key.toleration.value)) * 31 +
        static_cast<std::uint64_t>(key.effect));
  }
  std::size_t operator()(const Toleration& toleration) const noexcept {
    return (*this)(TolerationKey{toleration, toleration.effect.word()});
  }
};

/// Semantic equality. Unknown effects are all alike here; they are never permitted.
struct TolerationEqual {
  using is_transparent = void;
  bool operator()(const TolerationKey& a, const TolerationKey& b) const noexcept {
    return a.effect == b.effect && a.toleration.key == b.toleration.key &&
           same_operator(a.toleration, b.toleration) && a.toleration.value == b.toleration.value &&
           a.toleration.toleration_seconds == b.toleration.toleration_seconds;
  }
  bool operator()(const Toleration& a, const TolerationKey& b) const noexcept {
    return (*this)(TolerationKey{a, a.effect.word()}, b);
  }
  bool operator()(const TolerationKey& a, const Toleration& b) const noexcept {
    return (*this)(a, TolerationKey{b, b.effect.word()});
  }
  bool operator()(const Toleration& a, const Toleration& b) const noexcept { return a == b; }
};

using TolerationSet = std::unordered_set<Toleration, TolerationHash, TolerationEqual>;

template <class Word>
constexpr std::uint32_t bit(Word word) noexcept {
  return 1U << static_cast<unsigned>(word);
}

/// The words of a list as bits, all of `every` where it is empty and none where it is absent. Words
/// that are not in the vocabulary have no bit: nothing is permitted by or to them.
template <class Word>
std::uint32_t bits(const std::optional<std::vector<OpenEnum<Word>>>& words,
                   std::uint32_t every) noexcept {
  if (!words) return 0;
  if (words->empty()) return every;
  std::uint32_t mask = 0;
  for (const auto& word : *words) mask |= bit(word.word());
  return mask & every;
}

/// The operators and effects that a pattern accepts, or that one toleration or requirement has, so
/// that one comparison tells whether all it has is accepted.
using Words = std::uint32_t;

inline Words words_of(TolerationOperator operator_, TaintEffect effect) noexcept {
  return bit(operator_) | bit(effect) << 16;
}
inline Words words_of(const NodeSelectorRequirement& requirement) noexcept {
  return bit(requirement.operator_.word());
}

/// What a pattern accepts, but for its key and the values it lists.
struct Accepted {
  Words refused = ~Words{0};  ///< all others are accepted
  bool no_value = false;      ///< what has no value
  bool any_value = false;     ///< every value, and none

  [[nodiscard]] bool accepts(Words asked) const noexcept { return (asked & refused) == 0; }
};

inline constexpr std::uint32_t every_effect = bit(TaintEffect::no_schedule) |
                                              bit(TaintEffect::prefer_no_schedule) |
                                              bit(TaintEffect::no_execute);

/// An unset operator is Equal, in patterns as in tolerations, and an unset effect all effects.
inline Accepted accepted_by(const TolerationPattern& pattern) {
  constexpr std::uint32_t equal = bit(TolerationOperator::unset) | bit(TolerationOperator::equal);
  constexpr std::uint32_t every_operator = equal | bit(TolerationOperator::exists) |
                                           bit(TolerationOperator::lt) |
                                           bit(TolerationOperator::gt);
  std::uint32_t operators = bits(pattern.operators, every_operator);
  if ((operators & equal) != 0) operators |= equal;
  std::uint32_t effects = bits(pattern.effects, every_effect);
  if (effects == every_effect) effects |= bit(TaintEffect::unset);
  const bool any_value = pattern.values && pattern.values->empty();
  return {~(operators | effects << 16), any_value || !pattern.values, any_value};
}

inline Accepted accepted_by(const RequirementPattern& pattern) {
  constexpr std::uint32_t every_operator =
      bit(NodeSelectorOperator::in) | bit(NodeSelectorOperator::not_in) |
      bit(NodeSelectorOperator::exists) | bit(NodeSelectorOperator::does_not_exist) |
      bit(NodeSelectorOperator::gt) | bit(NodeSelectorOperator::lt);
  const bool any_value = pattern.values && pattern.values->empty();
  return {~bits(pattern.operators, every_operator), any_value || !pattern.values, any_value};
}

inline TextSet listed_values(const Names& values) {
  return values ? text_set(*values) : TextSet();
}

/// Whether a toleration whose words are accepted has a value that is accepted too. Exists has none,
/// whatever stands there.
template <Search search>
[[gnu::always_inline]] inline bool accepts_value(const Accepted& accepted, const TextSet& values,
                                                 const Toleration& toleration) noexcept {
  if (accepted.any_value) return true;
  if (toleration.operator_ == TolerationOperator::exists) return accepted.no_value;
  return values.contains<search>(toleration.value) ||
         (accepted.no_value && toleration.value.empty());
}

/// The same for a requirement, which may have many values.
template <Search search>
[[gnu::always_inline]] inline bool accepts_value(
    const Accepted& accepted, const TextSet& values,
    const NodeSelectorRequirement& requirement) noexcept {
  if (accepted.any_value) return true;
  if (requirement.values.empty()) return accepted.no_value;
  for (const std::string& value : requirement.values) {
    if (!values.contains<search>(value)) return false;
  }
  return true;
}

/// Whether a requirement has an operator of Kubernetes; there is no default for an empty one.
inline bool has_operator(const NodeSelectorRequirement& requirement) noexcept {
  return requirement.operator_.known() && requirement.operator_ != NodeSelectorOperator::unset;
}

/// One pattern for a toleration or for a node selector requirement.
class Pattern {
 public:
  template <class Source>
  explicit Pattern(const Source& source)
      : keys_(source.keys), accepted_(accepted_by(source)), values_(listed_values(source.values)) {}

  [[nodiscard]] bool matches(const Toleration& toleration) const noexcept {
    return matches(toleration, words_of(toleration.operator_.word(), toleration.effect.word()));
  }
  [[nodiscard]] bool matches(const NodeSelectorRequirement& requirement) const noexcept {
    return matches(requirement, words_of(requirement));
  }

 private:
  /// An empty key is matched by "any" alone, even where the empty text is listed.
  template <class Item>
  bool matches(const Item& item, Words words) const noexcept {
    return accepted_.accepts(words) &&
           (keys_.any() || (!item.key.empty() && keys_.permits(item.key))) &&
           accepts_value<Search::all>(accepted_, values_, item);
  }

  TextRule keys_;
  Accepted accepted_;
  TextSet values_;
};

/// Many patterns, found by the keys they list. What a pattern accepts stands with each of its keys;
/// the values it lists stand once, because keys times values may be too many.
class PatternIndex {
 public:
  PatternIndex() = default;
  template <class Source>
  explicit PatternIndex(const std::vector<const Source*>& sources) {
    std::map<std::string_view, Candidates> by_key;
    for (const Source* source : sources) {
      if (!source->keys) continue;
      const Candidate candidate{accepted_by(*source), values_.size()};
      values_.push_back(listed_values(source->values));
      if (source->keys->empty()) any_key_.push_back(candidate);
      for (const std::string& key : *source->keys) {
        auto& listed = by_key[key];
        if (listed.empty() || listed.back().values != candidate.values) listed.push_back(candidate);
      }
    }
    by_key.erase("");  // matched by "any" alone, even where the empty text is listed
    by_key_ = TextMap<Candidates>(std::move(by_key));
  }

  /// Whether a pattern matches the toleration, taken as one with this effect.
  [[nodiscard, gnu::always_inline]] bool matches(const Toleration& toleration,
                                                 TaintEffect effect) const noexcept {
    return matches(toleration, words_of(toleration.operator_.word(), effect));
  }
  [[nodiscard, gnu::always_inline]] bool matches(
      const NodeSelectorRequirement& requirement) const noexcept {
    return matches(requirement, words_of(requirement));
  }
  /// Whether for each of the requirements a pattern matches it.
  [[nodiscard, gnu::noinline]] bool match_each(
      const std::vector<NodeSelectorRequirement>& requirements) const noexcept {
    for (const NodeSelectorRequirement& requirement : requirements) {
      if (!matches(requirement)) return false;
    }
    return true;
  }

 private:
  /// A pattern without its keys.
  struct Candidate {
    Accepted accepted;
    std::size_t values = 0;  ///< which of `values_`
  };
  using Candidates = std::vector<Candidate>;

  /// First what most items are matched by: a pattern for everything, or one that lists the key.
  template <class Item>
  [[gnu::always_inline]] bool matches(const Item& item, Words words) const noexcept {
    for (const Candidate& candidate : any_key_) {
      if (candidate.accepted.accepts(words) && candidate.accepted.any_value) return true;
    }
    const Candidates* listed = by_key_.find<Search::few>(item.key);
    return (listed != nullptr && any_accepts<Search::few>(*listed, item, words)) ||
           matches_anywhere(item, words);
  }
  template <class Item>
  [[gnu::noinline]] bool matches_anywhere(const Item& item, Words words) const noexcept {
    if (any_accepts<Search::all>(any_key_, item, words)) return true;
    const Candidates* listed = by_key_.find(item.key);
    return listed != nullptr && any_accepts<Search::all>(*listed, item, words);
  }
  template <Search search, class Item>
  [[gnu::always_inline]] bool any_accepts(const Candidates& candidates, const Item& item,
                                          Words words) const noexcept {
    for (const Candidate& candidate : candidates) {
      if (candidate.accepted.accepts(words) &&
          accepts_value<search>(candidate.accepted, values_[candidate.values], item)) {
        return true;
      }
    }
    return false;
  }

  std::vector<TextSet> values_;
  Candidates any_key_;
  TextMap<Candidates> by_key_;
};

}  // namespace schedpol::scheduling_policy::detail
