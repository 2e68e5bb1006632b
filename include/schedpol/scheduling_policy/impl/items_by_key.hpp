// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a pod has in one list, as many patterns are held against it: whether one matches is looked
/// up by key, words and value instead of with each. Worth its making where both are many.

#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// An item against a pattern so many times is not many.
inline constexpr std::size_t few_matches = 4096;

template <class Item>
class ItemsByKey {
 public:
  ItemsByKey() = default;
  /// Items that outlive it.
  explicit ItemsByKey(const std::vector<const Item*>& items) {
    by_key_.reserve(items.size());
    for (const Item* item : items)
      by_key_.push_back({item->key, words_of(*item), value_of(*item), item});
    by_value_ = by_key_;
    for (Entry& entry : by_value_) entry.key = {};
    for (std::vector<Entry>* list : {&by_key_, &by_value_})
      std::sort(list->begin(), list->end(),
                [](const Entry& a, const Entry& b) { return a.rank() < b.rank(); });
    for (const Entry& entry : by_value_)
      if (words_.empty() || words_.back() != entry.words) words_.push_back(entry.words);
  }

  /// Whether the pattern, which was made of the source, matches one.
  template <class Source>
  [[nodiscard]] bool any_matches(const Source& source, const Pattern& pattern) const noexcept {
    const PatternShape shape(source);
    const Texts& keys = source.keys.listed();
    if (keys.size() > by_key_.size()) return matches_one({by_key_.begin(), by_key_.end()}, pattern);
    return std::any_of(words_.begin(), words_.end(), [&](WordBits words) {
      if (!shape.accepts(words)) return false;
      const Texts& values = source.values.listed();
      if (source.keys.is_any()) return has(of(by_value_, "", words), shape, values, pattern);
      return std::any_of(keys.begin(), keys.end(), [&](const std::string& key) {
        return !key.empty() && has(of(by_key_, key, words), shape, values, pattern);
      });
    });
  }

 private:
  struct Entry {
    std::string_view key;
    WordBits words;
    std::optional<std::string_view> value;  ///< the first, where it has any
    const Item* item;

    [[nodiscard]] auto rank() const noexcept { return std::tuple(key, words, value); }
  };
  using Range = std::pair<typename std::vector<Entry>::const_iterator,
                          typename std::vector<Entry>::const_iterator>;

  static std::optional<std::string_view> value_of(const Toleration& toleration) noexcept {
    if (toleration.operator_ == TolerationOperator::exists) return std::nullopt;
    return toleration.value;
  }
  static std::optional<std::string_view> value_of(
      const NodeSelectorRequirement& requirement) noexcept {
    if (requirement.values.empty()) return std::nullopt;
    return requirement.values.front();
  }

  static Range of(const std::vector<Entry>& all, std::string_view key, WordBits words) noexcept {
    const auto rank = [](const Entry& entry) { return std::tuple(entry.key, entry.words); };
    const std::tuple wanted(key, words);
    return {std::lower_bound(all.begin(), all.end(), wanted,
                             [&](const Entry& e, const auto& w) { return rank(e) < w; }),
            std::upper_bound(all.begin(), all.end(), wanted,
                             [&](const auto& w, const Entry& e) { return w < rank(e); })};
  }
  static Range with_value(const Range& all, const std::optional<std::string_view>& value) noexcept {
    return {std::lower_bound(all.first, all.second, value,
                             [](const Entry& e, const auto& v) { return e.value < v; }),
            std::upper_bound(all.first, all.second, value,
                             [](const auto& v, const Entry& e) { return v < e.value; })};
  }
  static bool is_empty(const Range& range) noexcept { return range.first == range.second; }
  static bool matches_one(const Range& range, const Pattern& pattern) noexcept {
    return std::any_of(range.first, range.second,
                       [&](const Entry& entry) { return pattern.matches(*entry.item); });
  }

  /// Of items whose key and words the pattern accepts.
  static bool has(const Range& all, const PatternShape& shape, const Texts& values,
                  const Pattern& pattern) noexcept {
    if (shape.any_value) return !is_empty(all);
    if (shape.no_value) {
      constexpr bool empty_is_none = std::is_same_v<Item, Toleration>;
      return !is_empty(with_value(all, std::nullopt)) ||
             (empty_is_none && !is_empty(with_value(all, "")));
    }
    if (values.size() > static_cast<std::size_t>(all.second - all.first))
      return matches_one(all, pattern);
    return std::any_of(values.begin(), values.end(), [&](const std::string& value) {
      return matches_one(with_value(all, value), pattern);
    });
  }

  std::vector<Entry> by_key_;
  std::vector<Entry> by_value_;  ///< as if they had no keys
  std::vector<WordBits> words_;  ///< that they have
};

}  // namespace schedpol::scheduling_policy::detail
