// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Texts that are made once and then asked for often, each with a value.
/// 1. `find` gives the value of a text that is there, and for every other text an empty value.
/// 2. It allocates nothing and takes as long among ten thousand texts as among nine, whoever chose
///    them: of texts made to share one hash no more than a binary search is compared.
/// 3. Among at most eight texts it takes about 20 instructions, the call included.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::detail {

/// A text as a number: how most texts are told apart by one instruction. Numbers depend on the
/// machine, so nothing that is shown may depend on them.
struct TextNumber {
  /// The last eight bytes of a text, in which names and values mostly differ; all of a shorter one,
  /// of which no other text of its size has the number.
  [[nodiscard]] static std::uint64_t of(std::string_view text) noexcept;

  /// Every byte counts, so that names with long common beginnings and ends are told apart. The
  /// upper bits are the best.
  [[nodiscard]] static std::uint64_t hash(std::string_view text) noexcept;
};

/// Texts, counted from 1 on. An empty one is no more than two pointers.
class TextTable {
 public:
  /// Up to so many texts are compared one by one.
  static constexpr std::size_t most_compared = 8;

  TextTable() noexcept = default;
  /// Counted in their order; each is there once.
  explicit TextTable(const std::vector<std::string_view>& texts);
  TextTable(TextTable&& other) noexcept
      : few_(std::exchange(other.few_, &none)), many_(std::exchange(other.many_, nullptr)) {}
  TextTable& operator=(TextTable&& other) noexcept {
    std::swap(few_, other.few_);
    std::swap(many_, other.many_);
    return *this;
  }
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;
  ~TextTable();

  /// Which text it is; 0 when it is not there.
  [[nodiscard]] std::size_t find(std::string_view text) const noexcept;
  template <class List>
  [[nodiscard, gnu::noinline]] bool contains_all(const List& texts) const noexcept {
    for (const std::string& text : texts)
      if ((text.size() < 8 ? find_short(text) : find(text)) == 0) return false;
    return true;
  }

 private:
  struct Few;
  struct Many;

  [[nodiscard]] std::size_t find_short(std::string_view text) const noexcept;
  [[nodiscard]] std::size_t find_among_alike(std::string_view text) const noexcept;

  static const Few none;

  const Few* few_ = &none;
  const Many* many_ = nullptr;
};

/// Texts, each with a `T`.
template <class T>
class TextMap {
 public:
  TextMap() = default;
  explicit TextMap(std::map<std::string_view, T> values) {
    std::vector<std::string_view> texts;
    values_.reserve(values.size() + 1);
    for (auto& [text, value] : values) {
      texts.push_back(text);
      values_.push_back(std::move(value));
    }
    table_ = TextTable(texts);
  }

  /// Valid as long as the map is; `T()` where the text is not there.
  [[nodiscard]] const T& find(std::string_view text) const noexcept {
    return values_[table_.find(text)];
  }

 private:
  TextTable table_;
  std::vector<T> values_ = std::vector<T>(1);  ///< first that of no text
};

/// Texts alone.
class TextSet {
 public:
  TextSet() = default;
  /// Of a list of texts, which may have one twice.
  template <class List>
  explicit TextSet(const List& texts) : table_(distinct({texts.begin(), texts.end()})) {}

  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    return table_.find(text) != 0;
  }
  /// Whether all texts of a list are there.
  template <class List>
  [[nodiscard]] bool contains_all(const List& texts) const noexcept {
    return table_.contains_all(texts);
  }

 private:
  static std::vector<std::string_view> distinct(std::vector<std::string_view> texts);

  TextTable table_;
};

}  // namespace schedpol::detail

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/lookup/text_map.ipp>
#endif
