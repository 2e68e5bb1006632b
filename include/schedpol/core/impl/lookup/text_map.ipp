// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/lookup/text_map.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>

namespace schedpol::detail {

/// The bytes at `at`.
template <class Number>
std::uint64_t bytes_at(const char* at) noexcept {
  Number bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

[[gnu::always_inline]] inline std::uint64_t number_of_short(std::string_view text) noexcept {
  const char* end = text.data() + text.size();
  if (text.size() >= 4) [[likely]]
    return bytes_at<std::uint32_t>(text.data()) << 32U | bytes_at<std::uint32_t>(end - 4);
  if (text.size() >= 2)
    return bytes_at<std::uint16_t>(text.data()) << 32U | bytes_at<std::uint16_t>(end - 2);
  return text.empty() ? 0 : static_cast<unsigned char>(text.front());
}

inline std::uint64_t number_of_long(std::string_view text) noexcept {
  return bytes_at<std::uint64_t>(text.data() + text.size() - 8);
}

SCHEDPOL_INLINE std::uint64_t TextNumber::of(std::string_view text) noexcept {
  return text.size() < 8 ? number_of_short(text) : number_of_long(text);
}

SCHEDPOL_INLINE std::uint64_t TextNumber::hash(std::string_view text) noexcept {
  const auto mix = [](std::uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio, as in Fibonacci hashing
    return bits ^ bits >> 32U;
  };
  std::uint64_t hash = text.size();
  for (std::size_t i = 0; i + 8 < text.size(); i += 8)
    hash = mix(hash ^ bytes_at<std::uint64_t>(text.data() + i));
  return mix(mix(hash ^ of(text)));
}

/// A few texts. One of less than eight bytes is told by its number and its size, one of up to
/// sixteen by its beginning too, and only of a longer one more is compared.
struct TextTable::Few {
  using Numbers = std::array<std::uint64_t, most_compared>;
  using Sizes = std::array<std::size_t, most_compared>;

  /// No text has the size of those that are not there.
  static constexpr Sizes no_sizes() noexcept {
    Sizes sizes{};
    sizes.fill(static_cast<std::size_t>(-1));
    return sizes;
  }

  Numbers numbers{};
  Numbers beginnings{};  ///< the first eight bytes, of texts of eight or more
  Sizes sizes = no_sizes();
  std::vector<std::string> texts{};  ///< where one of them has more than sixteen bytes
};

// Inline either way: a header-only translation unit in the same program has it, too.
inline const TextTable::Few TextTable::none{};

/// Texts by their hash.
struct TextTable::Many {
  struct Entry {
    std::string text;
    std::size_t which = 0;
  };

  explicit Many(const std::vector<std::string_view>& texts);

  [[nodiscard]] std::size_t bucket_of(std::string_view text) const noexcept {
    return static_cast<std::size_t>(TextNumber::hash(text) >> shift);
  }
  [[nodiscard]] std::size_t find(std::string_view text) const noexcept;

  std::vector<Entry> entries;       ///< bucket by bucket, each in byte order
  std::vector<std::size_t> starts;  ///< of the buckets, and the end
  unsigned shift;                   ///< from a hash to its bucket
};

// Delegates, so that what is made goes with the table where memory runs out halfway.
SCHEDPOL_INLINE TextTable::TextTable(const std::vector<std::string_view>& texts) : TextTable() {
  if (texts.empty()) return;
  if (texts.size() > most_compared) {
    many_ = new Many(texts);
    return;
  }
  Few* few = new Few;
  few_ = few;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    few->numbers[i] = TextNumber::of(texts[i]);
    few->sizes[i] = texts[i].size();
    if (texts[i].size() >= 8) few->beginnings[i] = bytes_at<std::uint64_t>(texts[i].data());
    if (texts[i].size() > 16) few->texts.assign(texts.begin(), texts.end());
  }
}

SCHEDPOL_INLINE TextTable::~TextTable() {
  if (few_ != &none) delete few_;
  delete many_;
}

SCHEDPOL_INLINE TextTable::Many::Many(const std::vector<std::string_view>& texts) {
  // One or two buckets a text.
  const auto bits = static_cast<unsigned>(std::bit_width(texts.size()));
  shift = 64 - bits;
  starts.resize((std::size_t{1} << bits) + 1);
  std::vector<std::size_t> buckets;
  buckets.reserve(texts.size());
  entries.reserve(texts.size());
  for (const std::string_view text : texts) {
    entries.push_back({std::string(text), entries.size() + 1});
    buckets.push_back(bucket_of(text));
    ++starts[buckets.back() + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    const std::size_t of_a = buckets[a.which - 1];
    const std::size_t of_b = buckets[b.which - 1];
    return of_a != of_b ? of_a < of_b : a.text < b.text;
  });
}

/// Whether two texts of this size, more than sixteen bytes, have the same bytes between the first
/// and the last eight, eight bytes at a time.
[[gnu::always_inline]] inline bool is_same_between(const char* a, const char* b,
                                                   std::size_t size) noexcept {
  for (std::size_t i = size - 16; i > 8; i -= 8)
    if (bytes_at<std::uint64_t>(a + i) != bytes_at<std::uint64_t>(b + i)) return false;
  return bytes_at<std::uint64_t>(a + 8) == bytes_at<std::uint64_t>(b + 8);
}

/// The first of few that are like this, from 1 on; 0 where none is. Without a loop.
template <std::size_t... i>
[[gnu::always_inline]] inline std::size_t first_alike(std::index_sequence<i...>, const auto& few,
                                                      std::uint64_t number,
                                                      std::size_t size) noexcept {
  std::size_t found = 0;
  static_cast<void>(
      ((few.numbers[i] == number && few.sizes[i] == size && (found = i + 1) != 0) || ...));
  return found;
}
template <std::size_t... i>
[[gnu::always_inline]] inline std::size_t first_alike(std::index_sequence<i...>, const auto& few,
                                                      std::uint64_t number, std::size_t size,
                                                      std::uint64_t beginning) noexcept {
  std::size_t found = 0;
  static_cast<void>(((few.numbers[i] == number && few.sizes[i] == size &&
                      few.beginnings[i] == beginning && (found = i + 1) != 0) ||
                     ...));
  return found;
}

// None of these is inlined, and what is rare is in a function of its own: so few registers are
// enough, and whoever asks needs no more than for any call.

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find(
    std::string_view text) const noexcept {
  if (text.size() < 8) return find_short(text);
  const std::size_t which =
      first_alike(std::make_index_sequence<most_compared>(), *few_, number_of_long(text),
                  text.size(), bytes_at<std::uint64_t>(text.data()));
  if (which == 0) return many_ == nullptr ? 0 : many_->find(text);
  if (text.size() <= 16) return which;
  const char* data = few_->texts[which - 1].data();
  return is_same_between(data, text.data(), text.size()) ? which : find_among_alike(text);
}

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find_short(
    std::string_view text) const noexcept {
  const std::size_t which = first_alike(std::make_index_sequence<most_compared>(), *few_,
                                        number_of_short(text), text.size());
  if (which != 0) return which;
  return many_ == nullptr ? 0 : many_->find(text);
}

/// Among few texts, of which one has the size, the beginning and the end of this.
[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find_among_alike(
    std::string_view text) const noexcept {
  for (std::size_t i = 0; i < few_->texts.size(); ++i)
    if (few_->texts[i] == text) return i + 1;
  return 0;
}

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::Many::find(
    std::string_view text) const noexcept {
  const std::size_t bucket = bucket_of(text);
  const Entry* entry = entries.data() + starts[bucket];
  const Entry* end = entries.data() + starts[bucket + 1];
  if (static_cast<std::size_t>(end - entry) > most_compared) {
    entry = std::lower_bound(entry, end, text,
                             [](const Entry& e, std::string_view t) { return e.text < t; });
    if (entry != end) end = entry + 1;
  }
  for (; entry != end; ++entry)
    if (entry->text == text) return entry->which;
  return 0;
}

SCHEDPOL_INLINE std::vector<std::string_view> TextSet::distinct(
    std::vector<std::string_view> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace schedpol::detail
