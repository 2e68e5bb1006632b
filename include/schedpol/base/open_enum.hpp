// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Words of a fixed Kubernetes vocabulary (operators, taint effects) as enumerators. A word outside
/// the vocabulary keeps its text. The API server would refuse an object with such a word, but a
/// webhook or an offline check sees the object earlier. An unknown word matches nothing, validation
/// reports it, and encoding writes it back unchanged.

#include <schedpol/version.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace SCHEDPOL_NAMESPACE {

/// An enumerator of `Word`, or the unknown text found in its place.
///
/// `Word` has `unset` (the empty text) first and `unknown` last. A function `spellings(Word)`
/// lists the texts of all enumerators except `unknown`, in order. Spellings are case-sensitive,
/// as in Kubernetes. A `Word` converts to it, so you can write
/// `{.key = "gpu", .operator_ = TolerationOperator::exists}`.
template <class Word>
class OpenEnum {
  static_assert(std::is_enum_v<Word>);
  static_assert(static_cast<std::size_t>(Word::unset) == 0);
  static_assert(static_cast<std::size_t>(Word::unknown) == spellings(Word{}).size());

 public:
  constexpr OpenEnum() noexcept = default;
  /// The word itself. `unknown`, and a number that is not an enumerator, get the text `unknown`.
  constexpr OpenEnum(Word word) noexcept  // NOLINT(google-explicit-constructor)
      : word_(static_cast<std::size_t>(word) < known_texts.size() ? word : Word::unknown) {
    if (!known()) unknown_text_ = "unknown";  // the empty text would mean `unset`
  }

  /// Reads a spelling; anything else becomes `Word::unknown` and keeps its text.
  constexpr explicit OpenEnum(std::string_view text) { read(text); }
  /// Reads a spelling into this object.
  constexpr void read(std::string_view text) {
    const auto is = [text](std::string_view known) {
      return text.size() == known.size() &&
             std::char_traits<char>::compare(text.data(), known.data(), known.size()) == 0;
    };
    const auto find = [&]<std::size_t... i>(std::index_sequence<i...>) {
      return ((is(spellings(Word{})[i]) && (word_ = static_cast<Word>(i), true)) || ...);
    };
    const bool found = find(std::make_index_sequence<spellings(Word{}).size()>());
    unknown_text_.clear();
    if (found) return;
    word_ = Word::unknown;
    unknown_text_ = text;
  }

  /// The word, and whether it is in the vocabulary.
  [[nodiscard]] constexpr Word word() const noexcept { return word_; }
  [[nodiscard]] constexpr bool known() const noexcept { return word_ != Word::unknown; }

  /// The spelling, or the unknown text; valid until this object is changed or destroyed.
  [[nodiscard]] constexpr std::string_view text() const& noexcept {
    return known() ? known_texts[static_cast<std::size_t>(word_)] : std::string_view(unknown_text_);
  }
  std::string_view text() const&& = delete;  // the view would outlive its text

  friend constexpr bool operator==(const OpenEnum&, const OpenEnum&) = default;
  friend constexpr bool operator==(const OpenEnum& a, Word b) noexcept { return a.word_ == b; }

 private:
  static constexpr auto known_texts = spellings(Word{});

  Word word_ = Word::unset;
  std::string unknown_text_;
};

}  // namespace SCHEDPOL_NAMESPACE
