// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/lookup/text_map.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

namespace schedpol::detail {

/// 2^64 divided by the golden ratio, as in Fibonacci hashing.
inline constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

SCHEDPOL_INLINE std::uint64_t TextNumber::hash(std::string_view text) noexcept {
  const auto mix = [](std::uint64_t bits) {
    bits *= golden;
    return bits ^ bits >> 32U;
  };
  std::uint64_t hash = text.size();
  for (std::size_t i = 0; i + 8 < text.size(); i += 8)
    hash = mix(hash ^ bytes_at<std::uint64_t>(text.data() + i));
  return mix(mix(hash ^ of(text)));
}

// Inline either way: a header-only translation unit in the same program has it, too.
inline const TextTable::Slot TextTable::none;

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
  if (!texts.empty() && (texts.size() > few || !set_apart(texts))) many_ = new Many(texts);
}

SCHEDPOL_INLINE TextTable::~TextTable() {
  if (slots_ != &none) delete[] slots_;
  delete many_;
}

/// Looks for a factor that gives each of a few texts a slot of its own, among twice as many slots
/// as texts or more; most of the time one of the first ten does. Whether there is one.
SCHEDPOL_INLINE bool TextTable::set_apart(const std::vector<std::string_view>& texts) {
  constexpr int tries = 256;
  std::vector<Slot> wanted;
  for (const std::string_view text : texts) {
    wanted.push_back({TextNumber::of(text),
                      text.size() < 8 ? 0 : bytes_at<std::uint64_t>(text.data()), text.size(),
                      wanted.size() + 1, std::string(text)});
  }
  const std::size_t count = std::bit_ceil(texts.size() * 2);
  last_slot_ = count - 1;
  factor_ = golden;
  for (int i = 0; i < tries; ++i, factor_ = factor_ * golden + 2) {
    std::uint32_t taken = 0;
    const auto offset = [&](const Slot& slot) {
      return ((slot.number + 2 * slot.beginning) * factor_ >> 58U) & last_slot_;
    };
    const bool is_apart = std::all_of(wanted.begin(), wanted.end(), [&](const Slot& slot) {
      const std::uint32_t bit = std::uint32_t{1} << offset(slot);
      return (taken & bit) == 0 && (taken |= bit) != 0;
    });
    if (!is_apart) continue;
    Slot* slots = new Slot[count];
    slots_ = slots;
    for (Slot& slot : wanted) slots[offset(slot)] = std::move(slot);
    return true;
  }
  last_slot_ = 0;
  return false;
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

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find_among_many(
    std::string_view text) const noexcept {
  return many_->find(text);
}

SCHEDPOL_INLINE std::size_t TextTable::Many::find(std::string_view text) const noexcept {
  const std::size_t bucket = bucket_of(text);
  const Entry* entry = entries.data() + starts[bucket];
  const Entry* end = entries.data() + starts[bucket + 1];
  if (static_cast<std::size_t>(end - entry) > few) {
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
