// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/base/impl/lookup/text_table.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <bit>

namespace SCHEDPOL_NAMESPACE::detail {

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
  explicit Many(const std::vector<Entry>& entries);

  [[nodiscard]] std::size_t bucket_of(std::string_view text) const noexcept {
    return static_cast<std::size_t>(TextNumber::hash(text) >> shift);
  }
  /// Null where it is not there.
  [[nodiscard]] const void* find(std::string_view text) const noexcept;

  std::vector<Entry> texts;         ///< bucket by bucket, each in byte order
  std::vector<std::size_t> starts;  ///< of the buckets, and the end
  unsigned shift;                   ///< from a hash to its bucket
};

// Delegates, so that what is made goes with the table where memory runs out halfway.
SCHEDPOL_INLINE TextTable::TextTable(std::vector<Entry> entries, const void* missing)
    : TextTable(missing) {
  if (entries.empty()) return;
  std::size_t size = 0;
  for (const Entry& entry : entries) size += entry.text.size();
  char* next = new char[size];
  bytes_ = next;
  for (Entry& entry : entries) {
    char* const begin = next;
    next = std::copy(entry.text.begin(), entry.text.end(), begin);
    entry.text = {begin, entry.text.size()};
  }
  if (entries.size() > few || !set_apart(entries)) many_ = new Many(entries);
}

SCHEDPOL_INLINE TextTable::~TextTable() {
  if (slots_ != &none) delete[] slots_;
  delete many_;
  delete[] bytes_;
}

/// Looks for a factor that gives each of a few texts a slot of its own, among twice as many slots
/// as texts or more; most of the time one of the first ten does.
SCHEDPOL_INLINE bool TextTable::set_apart(const std::vector<Entry>& entries) {
  constexpr int tries = 256;
  const std::size_t count = std::bit_ceil(entries.size() * 2);
  last_offset_ = (count - 1) * sizeof(Slot);
  factor_ = golden;
  for (int i = 0; i < tries; ++i, factor_ = factor_ * golden + 2) {
    std::uint32_t taken = 0;
    const auto number = [&](std::string_view text) {
      const auto beginning = text.size() < 8 ? 0 : bytes_at<std::uint64_t>(text.data());
      return offset(TextNumber::of(text) + 2 * beginning) / sizeof(Slot);
    };
    const bool is_apart = all_of(entries, [&](const Entry& entry) {
      const std::uint32_t bit = std::uint32_t{1} << number(entry.text);
      return (taken & bit) == 0 && (taken |= bit) != 0;
    });
    if (!is_apart) continue;
    Slot* slots = new Slot[count];
    slots_ = slots;
    for (const auto& [text, at] : entries)
      slots[number(text)] = {TextNumber::of(text), text.size(), at, text.data()};
    return true;
  }
  last_offset_ = 0;
  return false;
}

// One or two buckets a text.
SCHEDPOL_INLINE TextTable::Many::Many(const std::vector<Entry>& entries)
    : texts(entries.size()),
      starts((std::size_t{1} << std::bit_width(entries.size())) + 1),
      shift(64 - static_cast<unsigned>(std::bit_width(entries.size()))) {
  for (const Entry& entry : entries) ++starts[bucket_of(entry.text)];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  // From the last on, so that where buckets end becomes where they start.
  for (std::size_t i = entries.size(); i-- > 0;)
    texts[--starts[bucket_of(entries[i].text)]] = entries[i];
}

[[gnu::noinline]] SCHEDPOL_INLINE const void* TextTable::find_among_many(
    std::string_view text) const noexcept {
  const void* at = many_->find(text);
  return at == nullptr ? missing_ : at;
}

SCHEDPOL_INLINE const void* TextTable::Many::find(std::string_view wanted) const noexcept {
  const std::size_t bucket = bucket_of(wanted);
  const Entry* text = texts.data() + starts[bucket];
  const Entry* end = texts.data() + starts[bucket + 1];
  if (static_cast<std::size_t>(end - text) > few) {
    text = std::lower_bound(text, end, wanted,
                            [](const Entry& t, std::string_view w) { return t.text < w; });
    return text != end && text->text == wanted ? text->at : nullptr;
  }
  for (; text != end; ++text)
    if (text->text == wanted) return text->at;
  return nullptr;
}

SCHEDPOL_INLINE TextSet::TextSet(std::vector<std::string_view> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::vector<TextTable::Entry> entries;
  for (const std::string_view text : texts) entries.push_back({text, &TextTable::few});
  table_ = TextTable(std::move(entries), nullptr);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
