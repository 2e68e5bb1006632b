// SPDX-License-Identifier: Apache-2.0
#pragma once

/// When a pattern of a policy matches a toleration or a node selector requirement of a pod, and how
/// one pattern is found among many: names and values are hashed, patterns are found by the key they
/// list. Built once by a merge, then only read. Nothing here allocates while it is asked.

#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace schedpol::scheduling_policy::detail {

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept {
    return std::hash<std::string_view>{}(text);
  }
};
using TextSet = std::unordered_set<std::string, TextHash, std::equal_to<>>;
template <class T>
using TextMap = std::unordered_map<std::string, T, TextHash, std::equal_to<>>;

/// A list of texts of which absent permits nothing and empty everything.
class TextRule {
 public:
  TextRule() = default;
  explicit TextRule(const Names& names) : absent_(!names), any_(names && names->empty()) {
    if (names) listed_.insert(names->begin(), names->end());
  }

  [[nodiscard]] bool absent() const noexcept { return absent_; }
  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool permits(std::string_view text) const noexcept {
    return any_ || (!absent_ && listed_.contains(text));
  }

 private:
  bool absent_ = true;
  bool any_ = false;
  TextSet listed_;
};

/// A toleration as the set of defaults is asked for it: with another effect than its own, uncopied.
struct TolerationKey {
  const Toleration& toleration;
  TaintEffect effect;
};

struct TolerationHash {
  using is_transparent = void;
  std::size_t operator()(const TolerationKey& key) const noexcept {
    const std::hash<std::string_view> hash;
    return (hash(key.toleration.key) * 31 + hash(key.toleration.value)) * 31 +
           static_cast<std::size_t>(key.effect);
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

/// A pattern for a toleration or for a node selector requirement; the latter has no effects.
struct Pattern {
  TextRule keys;
  std::uint32_t operators = 0;
  TextRule values;
  std::uint32_t effects = 0;
};

inline constexpr std::uint32_t every_effect = bit(TaintEffect::no_schedule) |
                                              bit(TaintEffect::prefer_no_schedule) |
                                              bit(TaintEffect::no_execute);

inline Pattern compile(const TolerationPattern& pattern) {
  constexpr std::uint32_t every_operator =
      bit(TolerationOperator::equal) | bit(TolerationOperator::exists) |
      bit(TolerationOperator::lt) | bit(TolerationOperator::gt);
  Pattern compiled{TextRule(pattern.keys), bits(pattern.operators, every_operator),
                   TextRule(pattern.values), bits(pattern.effects, every_effect)};
  // An empty operator is Equal in patterns as it is in tolerations.
  if (pattern.operators && std::find(pattern.operators->begin(), pattern.operators->end(),
                                     TolerationOperator::unset) != pattern.operators->end()) {
    compiled.operators |= bit(TolerationOperator::equal);
  }
  return compiled;
}

inline Pattern compile(const RequirementPattern& pattern) {
  constexpr std::uint32_t every_operator =
      bit(NodeSelectorOperator::in) | bit(NodeSelectorOperator::not_in) |
      bit(NodeSelectorOperator::exists) | bit(NodeSelectorOperator::does_not_exist) |
      bit(NodeSelectorOperator::gt) | bit(NodeSelectorOperator::lt);
  return {TextRule(pattern.keys), bits(pattern.operators, every_operator), TextRule(pattern.values),
          0};
}

/// The effects a toleration asks for: its own, or all three when it names none.
inline std::uint32_t asked_effects(const OpenEnum<TaintEffect>& effect) noexcept {
  return effect == TaintEffect::unset ? every_effect : bit(effect.word());
}

/// Whether all but the key of a toleration with these effects is what the pattern means.
inline bool matches_but_key(const Pattern& pattern, const Toleration& toleration,
                            std::uint32_t effects) noexcept {
  const TolerationOperator word = toleration.operator_ == TolerationOperator::unset
                                      ? TolerationOperator::equal
                                      : toleration.operator_.word();
  if ((pattern.operators & bit(word)) == 0 || (effects & ~pattern.effects) != 0) return false;
  if (word == TolerationOperator::exists) return pattern.values.absent() || pattern.values.any();
  return (toleration.value.empty() && pattern.values.absent()) ||
         pattern.values.permits(toleration.value);
}

/// Whether a requirement has an operator of Kubernetes; there is no default for an empty one.
inline bool has_operator(const NodeSelectorRequirement& requirement) noexcept {
  return requirement.operator_.known() && requirement.operator_ != NodeSelectorOperator::unset;
}

/// Whether all but the key of a requirement is what the pattern means.
inline bool matches_but_key(const Pattern& pattern,
                            const NodeSelectorRequirement& requirement) noexcept {
  if ((pattern.operators & bit(requirement.operator_.word())) == 0) return false;
  if (requirement.values.empty()) return pattern.values.absent() || pattern.values.any();
  return std::all_of(requirement.values.begin(), requirement.values.end(),
                     [&](const std::string& value) { return pattern.values.permits(value); });
}

/// An empty key is matched by "any" alone, even where the empty text is listed.
inline bool matches_key(const Pattern& pattern, std::string_view key) noexcept {
  return pattern.keys.any() || (!key.empty() && pattern.keys.permits(key));
}

/// Many patterns, found by the keys they list.
class PatternIndex {
 public:
  template <class Source>
  void add(const Source& source) {
    const std::size_t index = patterns_.size();
    patterns_.push_back(compile(source));
    if (!source.keys) return;
    if (source.keys->empty()) any_key_.push_back(index);
    for (const std::string& key : *source.keys) {
      auto& listed = by_key_[key];
      if (listed.empty() || listed.back() != index) listed.push_back(index);
    }
  }

  /// Whether a pattern matches the toleration, taken as one with these effects.
  [[nodiscard]] bool matches(const Toleration& toleration, std::uint32_t effects) const noexcept {
    return any_for(toleration.key,
                   [&](const Pattern& p) { return matches_but_key(p, toleration, effects); });
  }
  [[nodiscard]] bool matches(const NodeSelectorRequirement& requirement) const noexcept {
    return any_for(requirement.key,
                   [&](const Pattern& p) { return matches_but_key(p, requirement); });
  }

 private:
  template <class Predicate>
  bool any_for(std::string_view key, Predicate&& predicate) const noexcept {
    const auto holds = [&](std::size_t index) { return predicate(patterns_[index]); };
    if (std::any_of(any_key_.begin(), any_key_.end(), holds)) return true;
    if (key.empty()) return false;
    const auto listed = by_key_.find(key);
    return listed != by_key_.end() &&
           std::any_of(listed->second.begin(), listed->second.end(), holds);
  }

  std::vector<Pattern> patterns_;
  std::vector<std::size_t> any_key_;
  TextMap<std::vector<std::size_t>> by_key_;
};

}  // namespace schedpol::scheduling_policy::detail
