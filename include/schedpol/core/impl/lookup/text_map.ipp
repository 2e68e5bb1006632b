// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/lookup/text_map.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <utility>

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

/// Whether two texts of this size, eight bytes or more, with the same last eight bytes are the
/// same: what is before those, from the end, eight bytes at a time.
[[gnu::always_inline]] inline bool is_same_before_last(const char* a, const char* b,
                                                       std::size_t size) noexcept {
  for (size -= 8; size > 8;) {
    size -= 8;
    if (bytes_at<std::uint64_t>(a + size) != bytes_at<std::uint64_t>(b + size)) return false;
  }
  return bytes_at<std::uint64_t>(a) == bytes_at<std::uint64_t>(b);
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

SCHEDPOL_INLINE TextTable::TextTable(const std::vector<std::string_view>& texts) {
  std::vector<Entry> entries(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i)
    entries[i] = {TextNumber::of(texts[i]), std::string(texts[i]), i + 1};
  if (texts.size() <= most_compared) {
    few_ = std::move(entries);
  } else {
    fill_buckets(std::move(entries));
  }
}

SCHEDPOL_INLINE void TextTable::fill_buckets(std::vector<Entry> entries) {
  // One or two buckets a text.
  const auto bits = static_cast<unsigned>(std::bit_width(entries.size()));
  shift_ = 64 - bits;
  starts_.resize((std::size_t{1} << bits) + 1);
  std::vector<std::size_t> buckets;
  buckets.reserve(entries.size());
  for (const Entry& entry : entries) {
    buckets.push_back(bucket_of(entry.text));
    ++starts_[buckets.back() + 1];
  }
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    const std::size_t of_a = buckets[a.number - 1];
    const std::size_t of_b = buckets[b.number - 1];
    return of_a != of_b ? of_a < of_b : a.text < b.text;
  });
  many_ = std::move(entries);
}

// None of these is inlined, and what is rare is in a function of its own: so few registers are
// enough, and whoever asks needs no more than for any call.

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find(
    std::string_view text) const noexcept {
  return text.size() < 8 ? find_short(text) : find_long(text);
}

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find_short(
    std::string_view text) const noexcept {
  const std::uint64_t bytes = number_of_short(text);
  for (const Entry& entry : few_)
    if (entry.bytes == bytes && entry.text.size() == text.size()) return entry.number;
  return many_.empty() ? 0 : find_in_bucket(text);
}

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find_long(
    std::string_view text) const noexcept {
  const std::uint64_t bytes = number_of_long(text);
  for (const Entry& entry : few_) {
    if (entry.bytes != bytes || entry.text.size() != text.size()) continue;
    if (is_same_before_last(entry.text.data(), text.data(), text.size())) return entry.number;
    return find_of_one_end(text);
  }
  return many_.empty() ? 0 : find_in_bucket(text);
}

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find_of_one_end(
    std::string_view text) const noexcept {
  for (const Entry& entry : few_)
    if (entry.text == text) return entry.number;
  return 0;
}

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find_in_bucket(
    std::string_view text) const noexcept {
  const std::size_t bucket = bucket_of(text);
  const Entry* entry = many_.data() + starts_[bucket];
  const Entry* end = many_.data() + starts_[bucket + 1];
  if (static_cast<std::size_t>(end - entry) > most_compared) {
    entry = std::lower_bound(entry, end, text,
                             [](const Entry& e, std::string_view t) { return e.text < t; });
    if (entry != end) end = entry + 1;
  }
  for (; entry != end; ++entry)
    if (entry->text == text) return entry->number;
  return 0;
}

SCHEDPOL_INLINE std::size_t TextTable::bucket_of(std::string_view text) const noexcept {
  return static_cast<std::size_t>(TextNumber::hash(text) >> shift_);
}

SCHEDPOL_INLINE std::vector<std::string_view> TextTable::texts() const {
  std::vector<std::string_view> texts;
  for (const std::vector<Entry>* entries : {&few_, &many_})
    for (const Entry& entry : *entries) texts.push_back(entry.text);
  std::sort(texts.begin(), texts.end());
  return texts;
}

SCHEDPOL_INLINE std::vector<std::string_view> TextSet::distinct(
    std::vector<std::string_view> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace schedpol::detail
