// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What `did_you_mean` answers of any list of words, and of vocabularies.

#include <schedpol/base/open_enum.hpp>
#include <schedpol/base/quoting.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::detail {

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// How many letters make one of two words the other. Both have at most `max_meant_bytes`.
inline std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  using Row = std::array<std::size_t, max_meant_bytes + 1>;
  Row two_before{};
  Row before{};
  Row row{};
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_before = std::exchange(before, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The known words one after another, of which the nearest is kept, the first of equals.
class NearestWord {
 public:
  explicit NearestWord(std::string_view word) noexcept
      : word_(word), letters_(word.size() > 3 ? 3 : std::min<std::size_t>(word.size(), 2)) {}

  void consider(std::string_view known) noexcept {
    const auto [shorter, longer] = std::minmax({known.size(), word_.size()});
    if (longer > max_meant_bytes || longer - shorter >= letters_) return;
    const std::size_t letters = edit_distance(word_, known);
    if (letters >= std::min(letters_, known.size())) return;
    letters_ = letters;
    known_ = known;
  }

  /// `, did you mean `Exists``; empty where nothing is near.
  [[nodiscard]] std::string text() const {
    return known_.empty() ? std::string() : ", did you mean " + in_backticks(known_);
  }

 private:
  std::string_view word_;
  std::size_t letters_;  ///< fewer are near
  std::string_view known_{};
};

/// Of the words of any list.
template <class List>
std::string did_you_mean(std::string_view word, const List& known) {
  NearestWord nearest(word);
  for (const std::string_view each : known) nearest.consider(each);
  return nearest.text();
}

/// Of a vocabulary; empty where the word is in it.
template <class Word>
std::string did_you_mean(const OpenEnum<Word>& word) {
  return word.known() ? std::string() : did_you_mean(word.text(), spellings(Word{}));
}

/// `unknown operator `Exist`, did you mean `Exists``; `what` is the sort of word.
template <class Word>
std::string unknown_word(std::string_view what, const OpenEnum<Word>& word) {
  return "unknown " + std::string(what) + " " + in_backticks(word.text()) + did_you_mean(word);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
