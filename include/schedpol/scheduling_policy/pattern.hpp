// SPDX-License-Identifier: Apache-2.0
#pragma once

/// When a pattern of a policy matches a toleration or a node selector requirement of a pod, and how
/// one pattern is found among many: names and values are hashed, patterns are found by the key they
/// list. Built once by a merge, then only read. Nothing here allocates while it is asked.

#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// Eight bytes at `at` as a number. Its value depends on the machine, so nothing that is shown may.
inline std::uint64_t eight_bytes(const char* at) noexcept {
  std::uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

/// All bytes of a text of less than eight; texts of one size have different ones.
inline std::uint64_t up_to_seven_bytes(std::string_view text) noexcept {
  if (text.size() >= 4) {
    std::uint32_t head = 0;
    std::uint32_t tail = 0;
    std::memcpy(&head, text.data(), sizeof(head));
    std::memcpy(&tail, text.data() + text.size() - sizeof(tail), sizeof(tail));
    return std::uint64_t{head} << 32 | tail;
  }
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) {
    return std::uint32_t{static_cast<unsigned char>(text[i])};
  };
  return byte(0) << 16 | byte(text.size() / 2) << 8 | byte(text.size() - 1);
}

/// The two ends of a text. Of texts up to sixteen bytes, which names and values mostly are, they
/// and the size are the whole text, and comparing them is three instructions and no call.
inline std::uint64_t head_of(std::string_view text) noexcept {
  return text.size() >= 8 ? eight_bytes(text.data()) : 0;
}
inline std::uint64_t tail_of(std::string_view text) noexcept {
  return text.size() >= 8 ? eight_bytes(text.data() + text.size() - 8) : up_to_seven_bytes(text);
}

/// Whether two texts of one size and with the same ends are the same: what is between the ends,
/// eight bytes at a time, the last of which reach into the tail.
inline bool same_between_ends(std::string_view a, std::string_view b) noexcept {
  for (std::size_t i = 8; i + 8 < a.size(); i += 8) {
    if (eight_bytes(a.data() + i) != eight_bytes(b.data() + i)) return false;
  }
  return true;
}

/// Every byte counts, so that names with long common beginnings and ends are told apart. The upper
/// bits are the best.
inline std::uint64_t hash_of(std::string_view text) noexcept {
  const auto mix = [](std::uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio, as in Fibonacci hashing
    return bits ^ bits >> 32;
  };
  std::uint64_t hash = mix(text.size() ^ head_of(text));
  for (std::size_t i = 8; i + 8 < text.size(); i += 8) {
    hash = mix(hash ^ eight_bytes(text.data() + i));
  }
  return mix(mix(hash ^ tail_of(text)));
}

/// Texts, each with a value. Made once, then only read: a few are compared one by one, of many only
/// those in the bucket of their hash. Texts made to share a bucket cost no more than a binary
/// search, because a bucket is in byte order.
template <class T>
class TextMap {
 public:
  TextMap() = default;
  explicit TextMap(std::map<std::string_view, T> values) {
    const bool many = values.size() > static_cast<std::size_t>(few);
    // One bucket to two a text.
    const int bits = many ? static_cast<int>(std::bit_width(values.size())) : 1;
    shift_ = 64 - bits;
    std::vector<std::pair<std::uint64_t, typename std::map<std::string_view, T>::iterator>> ordered;
    ordered.reserve(values.size());
    for (auto it = values.begin(); it != values.end(); ++it) {
      ordered.emplace_back(many ? bucket_of(it->first) : 0, it);
    }
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    entries_.reserve(values.size());
    for (auto& [bucket, it] : ordered) entries_.emplace_back(it->first, std::move(it->second));
    if (!many) return;
    starts_.resize((std::size_t{1} << bits) + 1);
    for (const auto& [bucket, it] : ordered) ++starts_[bucket + 1];
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  }

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// The value of a text, or null when it is not there.
  [[nodiscard]] const T* find(std::string_view text) const noexcept {
    if (!starts_.empty()) [[unlikely]]
      return find_in_bucket(text);
    return find_in(entries_.data(), entries_.data() + entries_.size(), text);
  }
  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    return find(text) != nullptr;
  }

  /// All texts, in byte order.
  [[nodiscard]] std::vector<std::string_view> texts() const {
    std::vector<std::string_view> texts;
    for (const Entry& entry : entries_) texts.push_back(entry.text);
    std::sort(texts.begin(), texts.end());
    return texts;
  }

 private:
  static constexpr std::ptrdiff_t few = 8;

  struct Entry {
    Entry(std::string_view from, T given)
        : head(head_of(from)), tail(tail_of(from)), text(from), value(std::move(given)) {}

    std::uint64_t head;
    std::uint64_t tail;
    std::string text;
    [[no_unique_address]] T value;
  };

  [[nodiscard]] std::uint64_t bucket_of(std::string_view text) const noexcept {
    return hash_of(text) >> shift_;
  }

  static const T* find_in(const Entry* entry, const Entry* end, std::string_view text) noexcept {
    const std::uint64_t head = head_of(text);
    const std::uint64_t tail = tail_of(text);
    for (; entry != end; ++entry) {
      if (entry->tail == tail && entry->head == head && entry->text.size() == text.size() &&
          same_between_ends(entry->text, text)) {
        return &entry->value;
      }
    }
    return nullptr;
  }

  const T* find_in_bucket(std::string_view text) const noexcept {
    const std::uint64_t bucket = bucket_of(text);
    const Entry* entry = entries_.data() + starts_[bucket];
    const Entry* end = entries_.data() + starts_[bucket + 1];
    if (end - entry > few) {
      entry = std::lower_bound(entry, end, text,
                               [](const Entry& e, std::string_view t) { return e.text < t; });
      if (entry != end) end = entry + 1;
    }
    return find_in(entry, end, text);
  }

  std::vector<Entry> entries_;          ///< bucket by bucket, each in byte order
  std::vector<std::ptrdiff_t> starts_;  ///< of the buckets, and the end; none where there are few
  int shift_ = 63;                      ///< from a hash to its bucket
};

/// Texts alone.
struct Listed {};
using TextSet = TextMap<Listed>;

inline TextSet text_set(const std::vector<std::string>& texts) {
  std::map<std::string_view, Listed> listed;
  for (const std::string& text : texts) listed.try_emplace(text);
  return TextSet(std::move(listed));
}

/// A list of texts of which absent permits nothing and empty everything.
class TextRule {
 public:
  TextRule() = default;
  explicit TextRule(const Names& names) : absent_(!names), any_(names && names->empty()) {
    if (names) listed_ = text_set(*names);
  }

  [[nodiscard]] bool absent() const noexcept { return absent_; }
  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool permits(std::string_view text) const noexcept {
    return any_ || listed_.contains(text);
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
  if (pattern.values.any()) return true;
  for (const std::string& value : requirement.values) {
    if (!pattern.values.permits(value)) return false;
  }
  return true;
}

/// An empty key is matched by "any" alone, even where the empty text is listed.
inline bool matches_key(const Pattern& pattern, std::string_view key) noexcept {
  return pattern.keys.any() || (!key.empty() && pattern.keys.permits(key));
}

/// Many patterns, found by the keys they list.
class PatternIndex {
 public:
  PatternIndex() = default;
  template <class Source>
  explicit PatternIndex(const std::vector<const Source*>& sources) {
    std::map<std::string_view, std::vector<std::size_t>> by_key;
    for (const Source* source : sources) {
      const std::size_t index = patterns_.size();
      patterns_.push_back(compile(*source));
      if (!source->keys) continue;
      if (source->keys->empty()) any_key_.push_back(index);
      for (const std::string& key : *source->keys) {
        auto& listed = by_key[key];
        if (listed.empty() || listed.back() != index) listed.push_back(index);
      }
    }
    by_key_ = TextMap<std::vector<std::size_t>>(std::move(by_key));
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
    for (const std::size_t index : any_key_) {
      if (predicate(patterns_[index])) return true;
    }
    const auto* listed = key.empty() ? nullptr : by_key_.find(key);
    if (listed == nullptr) return false;
    for (const std::size_t index : *listed) {
      if (predicate(patterns_[index])) return true;
    }
    return false;
  }

  std::vector<Pattern> patterns_;
  std::vector<std::size_t> any_key_;
  TextMap<std::vector<std::size_t>> by_key_;
};

}  // namespace schedpol::scheduling_policy::detail
