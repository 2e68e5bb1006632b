// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which patterns of a list permit nothing that the others together do not. What a pattern permits
/// is taken apart into its keys and values, of those that the list tells apart one each; what else
/// permits these is looked up by them, and what operators and effects it has are added up.

#include <schedpol/insight/impl/compared.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

template <class Source>
class CoveredPatterns {
 public:
  /// Patterns that outlive it. Once the budget is exceeded, nothing may be asked.
  CoveredPatterns(const std::vector<const Source*>& patterns, Budget& budget) : budget_(budget) {
    EquivalenceClasses keys;
    EquivalenceClasses values;
    for (const Source* pattern : patterns) {
      keys.add(pattern->keys.listed());
      values.add(pattern->values.listed());
    }
    for (const Source* pattern : patterns) {
      One one{words_of(*pattern), classes_of(pattern->keys, keys),
              classes_of(pattern->values, values)};
      std::erase(one.keys, empty);  // which only any matches
      if (pattern->values.is_absent()) one.values = {none};
      const bool are_listed = pattern->keys.is_listed() && pattern->values.is_listed();
      const std::size_t places = are_listed ? 1 + one.keys.size() * one.values.size() : 1;
      if (!budget.spend(16 * places) || !budget.keep(bytes_a_place * places)) return;
      for (const TextClass& key : one.keys)
        for (const TextClass& value : one.values) at_[{key, value}].push_back(all_.size());
      all_.push_back(std::move(one));
    }
  }

  /// Whether all the others together permit what one permits; from then on it is none of them.
  [[nodiscard]] bool leave_out(std::size_t which) {
    One& one = all_[which];
    const WordBits words = std::exchange(one.words, 0);
    looked_at_ = 1;
    const bool is_covered = schedpol::detail::all_of(
        one.keys, [&](const auto& key) { return are_permitted(key, one.values, words); });
    if (budget_.spend(looked_at_) && is_covered) return true;
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

  /// Keys or values that no pattern lists, no value, or those that stand in the lists of this text.
  enum class Sort { unlisted, none, listed };
  using TextClass = std::pair<Sort, std::string_view>;
  static constexpr TextClass unlisted{Sort::unlisted, {}};  ///< permitted by any alone
  static constexpr TextClass none{Sort::none, {}};
  static constexpr TextClass empty{Sort::listed, {}};

  /// Of any the hardest to permit.
  static std::vector<TextClass> classes_of(const AnyOr<Texts>& list, EquivalenceClasses& classes) {
    if (list.is_any()) return {unlisted};
    std::vector<TextClass> all;
    for (const std::string_view text : classes.of(list.listed()))
      all.emplace_back(Sort::listed, text);
    return all;
  }

  struct One {
    WordBits words;  ///< none once it is left out
    std::vector<TextClass> keys;
    std::vector<TextClass> values;
  };

  /// Whether with a key and each of these values it is permitted; a requirement has what is listed
  /// all at once.
  [[nodiscard]] bool are_permitted(const TextClass& key, std::span<const TextClass> values,
                                   WordBits words) {
    const std::size_t at_once = is_of_tolerations ? 1 : values.size();
    for (std::size_t i = 0; i < values.size(); i += at_once) {
      const bool has_value = values[i].first != Sort::none;
      if (!is_permitted(key, values.subspan(i, at_once), has_value ? words & ~exists : words))
        return false;
      if (values[i] == unlisted && !is_permitted(key, {&none, 1}, words & exists)) return false;
    }
    return true;
  }

  /// Whether with these words and values, all of which one pattern has to list, it is permitted.
  [[nodiscard]] bool is_permitted(const TextClass& key, std::span<const TextClass> values,
                                  WordBits words) {
    const Sort sort = values.front().first;
    const bool is_empty = is_of_tolerations && values.front() == empty;
    const auto take_off = [&](const TextClass& of_key) {
      take_off_at({of_key, unlisted}, values, words);
      if (sort == Sort::none || is_empty) take_off_at({of_key, none}, values, words);
      if (sort == Sort::listed) take_off_at({of_key, least_listed(of_key, values)}, values, words);
    };
    take_off(key);
    if (key != unlisted) take_off(unlisted);
    if (words == 0) return true;
    // What has an operator that takes values may have the empty one.
    if (!is_of_tolerations || sort != Sort::none || (words & exists) != 0) return false;
    return is_permitted(key, {&empty, 1}, words);
  }

  /// Where patterns are looked up: by a key and a value.
  using KeyAndValue = std::pair<TextClass, TextClass>;
  static constexpr std::size_t bytes_a_place = 128;

  /// Takes off the words that patterns at a place permit.
  void take_off_at(const KeyAndValue& place, std::span<const TextClass> values, WordBits& words) {
    const auto found = at_.find(place);
    if (found == at_.end()) return;
    for (const std::size_t i : found->second) {
      if (words == 0) return;
      ++looked_at_;
      if (place.second.first != Sort::listed ||
          std::includes(all_[i].values.begin(), all_[i].values.end(), values.begin(), values.end()))
        words &= ~all_[i].words;
    }
  }

  /// Of values the one that the fewest patterns of the key list.
  [[nodiscard]] const TextClass& least_listed(const TextClass& key,
                                              std::span<const TextClass> values) const {
    const auto count = [&](const TextClass& value) {
      const auto found = at_.find({key, value});
      return found == at_.end() ? 0 : found->second.size();
    };
    return *std::min_element(
        values.begin(), values.end(),
        [&](const TextClass& a, const TextClass& b) { return count(a) < count(b); });
  }

  Budget& budget_;
  std::vector<One> all_;
  std::map<KeyAndValue, std::vector<std::size_t>> at_;
  std::size_t looked_at_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
