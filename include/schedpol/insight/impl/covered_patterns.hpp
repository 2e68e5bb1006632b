// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which patterns of a list permit nothing that the others together do not. What a pattern permits
/// is taken apart into its keys and values, of those that the list tells apart one each; what else
/// permits these is looked up by them, and what operators and effects it has are added up.

#include <schedpol/insight/impl/compared.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

template <class Source>
class CoveredPatterns {
 public:
  /// Patterns that outlive it. `spend(count)` hears how much was tried, and says whether to go on;
  /// once it says no, nothing may be asked.
  template <class Spend>
  CoveredPatterns(const std::vector<const Source*>& patterns, Spend&& spend) {
    Alike keys;
    Alike values;
    for (const Source* pattern : patterns) {
      keys.add(pattern->keys.listed());
      values.add(pattern->values.listed());
    }
    for (const Source* pattern : patterns) {
      One one{pattern, words_of(*pattern), keys.of(pattern->keys.listed()),
              values.of(pattern->values.listed())};
      std::erase(one.keys, "");  // which only any matches
      if (!spend(1 + one.keys.size() * one.values.size())) return;
      for_each_place(one, [&](const Place& place) { at_[place].push_back(all_.size()); });
      all_.push_back(std::move(one));
    }
  }

  /// Whether all the others together permit what one permits; from then on it is none of them.
  template <class Spend>
  [[nodiscard]] bool leave_out(std::size_t which, Spend&& spend) {
    One& one = all_[which];
    const WordBits words = std::exchange(one.words, 0);
    std::size_t looked_at = 1;
    const bool is_covered = is_permitted(one, words, looked_at);
    if (spend(looked_at) && is_covered) return true;
    one.words = words;
    return false;
  }

 private:
  /// Of operators, and of a toleration for each effect.
  static WordBits words_of(const Source& pattern) noexcept {
    const WordBits accepted = accepted_words(pattern);
    if constexpr (!is_of_tolerations) return accepted;
    WordBits words = 0;
    for (std::size_t i = 0; i < taint_effects.size(); ++i)
      if ((accepted >> 16U & bit(taint_effects[i])) != 0) words |= (accepted & 0xFFU) << (8U * i);
    return words;
  }
  static constexpr bool is_of_tolerations = std::is_same_v<Source, TolerationPattern>;
  /// The words that have no value whatever the toleration says.
  static constexpr WordBits exists =
      is_of_tolerations ? bit(TolerationOperator::exists) * 0x010101U : 0;

  struct One {
    const Source* pattern;
    WordBits words;  ///< none once it is left out
    std::vector<std::string_view> keys;
    std::vector<std::string_view> values;
  };

  /// Where patterns are looked up: by a key, or as of any, and by a value, as of any, or of none.
  enum class Values { any, none, listed };
  using Place = std::tuple<bool, std::string_view, Values, std::string_view>;

  template <class F>
  static void for_each_key(const One& one, F&& f) {
    if (one.pattern->keys.is_any()) return f(true, std::string_view());
    for (const std::string_view key : one.keys) f(false, key);
  }
  template <class F>
  static void for_each_place(const One& one, F&& f) {
    for_each_key(one, [&](bool any_key, std::string_view key) {
      if (one.pattern->values.is_any()) f(Place{any_key, key, Values::any, ""});
      if (one.pattern->values.is_absent()) f(Place{any_key, key, Values::none, ""});
      for (const std::string_view value : one.values) f(Place{any_key, key, Values::listed, value});
    });
  }

  [[nodiscard]] bool is_permitted(const One& one, WordBits words, std::size_t& looked_at) const {
    bool all = true;
    for_each_key(one, [&](bool any_key, std::string_view key) {
      if (!all) return;
      // Of any value, one that nobody lists is the hardest to permit.
      if (one.pattern->values.is_any()) {
        all = is_permitted(any_key, key, {}, Values::any, words & ~exists, looked_at) &&
              is_permitted(any_key, key, {}, Values::none, words & exists, looked_at);
      } else if (one.pattern->values.is_absent()) {
        all = is_permitted(any_key, key, {}, Values::none, words, looked_at);
      } else if constexpr (is_of_tolerations) {
        for (const std::string_view& value : one.values)
          all = all &&
                is_permitted(any_key, key, {&value, 1}, Values::listed, words & ~exists, looked_at);
      } else if (!one.values.empty()) {
        all = is_permitted(any_key, key, one.values, Values::listed, words, looked_at);
      }
    });
    return all;
  }

  /// Whether with these words and values, all of which one pattern has to list, it is permitted.
  [[nodiscard]] bool is_permitted(bool any_key, std::string_view key,
                                  std::span<const std::string_view> values, Values sort,
                                  WordBits words, std::size_t& looked_at) const {
    const auto add = [&](bool of_any_key, Values of, std::string_view value) {
      const auto found = at_.find(Place{of_any_key, of_any_key ? "" : key, of, value});
      if (found == at_.end()) return;
      for (const std::size_t i : found->second) {
        if (words == 0) return;
        ++looked_at;
        if (of != Values::listed || std::includes(all_[i].values.begin(), all_[i].values.end(),
                                                  values.begin(), values.end()))
          words &= ~all_[i].words;
      }
    };
    for (const bool of_any_key : {false, true}) {
      if (any_key && !of_any_key) continue;
      add(of_any_key, Values::any, "");
      const bool is_empty = is_of_tolerations && sort == Values::listed && values[0].empty();
      if (sort == Values::none || is_empty) add(of_any_key, Values::none, "");
      if (sort == Values::listed)
        add(of_any_key, Values::listed, least_listed(of_any_key, key, values));
    }
    if (words == 0) return true;
    // What has an operator that takes values may have the empty one.
    if (!is_of_tolerations || sort != Values::none || (words & exists) != 0) return false;
    static constexpr std::string_view empty;
    return is_permitted(any_key, key, {&empty, 1}, Values::listed, words, looked_at);
  }

  /// Of values the one that the fewest patterns of the key list.
  [[nodiscard]] std::string_view least_listed(bool any_key, std::string_view key,
                                              std::span<const std::string_view> values) const {
    const auto count = [&](std::string_view value) {
      const auto found = at_.find(Place{any_key, any_key ? "" : key, Values::listed, value});
      return found == at_.end() ? 0 : found->second.size();
    };
    return *std::min_element(
        values.begin(), values.end(),
        [&](std::string_view a, std::string_view b) { return count(a) < count(b); });
  }

  std::vector<One> all_;
  std::map<Place, std::vector<std::size_t>> at_;
};

}  // namespace schedpol::scheduling_policy::detail
