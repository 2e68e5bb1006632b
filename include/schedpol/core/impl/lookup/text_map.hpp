// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Texts that are made once and then asked for often, each with a value.
/// 1. `find` gives the value of a text that is there, and null for every other.
/// 2. It allocates nothing and takes as long among ten thousand texts as among nine, whoever chose
///    them: of texts made to share one hash no more than a binary search is compared.
/// 3. Among at most eight texts it takes about 15 instructions, and no call.
/// The numbers made of texts depend on the machine, so nothing that is shown does depend on them.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::detail {

/// Texts as numbers, so that most are told apart by one instruction.
struct TextNumber {
  /// The bytes at `at`.
  template <class Number>
  static std::uint64_t bytes_at(const char* at) noexcept {
    Number bytes = 0;
    std::memcpy(&bytes, at, sizeof(bytes));
    return bytes;
  }

  /// A text of less than eight bytes, of which no other text of its size has the number.
  [[gnu::always_inline]] static std::uint64_t of_short(std::string_view text) noexcept {
    const char* end = text.data() + text.size();
    if (text.size() >= 4)
      return bytes_at<std::uint32_t>(text.data()) << 32U | bytes_at<std::uint32_t>(end - 4);
    if (text.size() >= 2)
      return bytes_at<std::uint16_t>(text.data()) << 32U | bytes_at<std::uint16_t>(end - 2);
    return text.empty() ? 0 : static_cast<unsigned char>(text.front());
  }

  /// The last bytes of a text of eight or more: names and values mostly differ in them.
  static std::uint64_t of_end(std::string_view text) noexcept {
    return bytes_at<std::uint64_t>(text.data() + text.size() - 8);
  }

  static std::uint64_t of(std::string_view text) noexcept {
    return text.size() < 8 ? of_short(text) : of_end(text);
  }

  /// Whether two texts of this size, eight bytes or more, with the same last eight bytes are the
  /// same: what is before those, eight bytes at a time.
  [[gnu::always_inline]] static bool is_same_before_end(const char* a, const char* b,
                                                        std::size_t size) noexcept {
    if (bytes_at<std::uint64_t>(a) != bytes_at<std::uint64_t>(b)) return false;
    for (std::size_t i = 8; i < size - 8; i += 8)
      if (bytes_at<std::uint64_t>(a + i) != bytes_at<std::uint64_t>(b + i)) return false;
    return true;
  }

  /// Every byte counts, so that names with long common beginnings and ends are told apart. The
  /// upper bits are the best.
  static std::uint64_t hash(std::string_view text) noexcept {
    const auto mix = [](std::uint64_t bits) {
      bits *= 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio, as in Fibonacci hashing
      return bits ^ bits >> 32U;
    };
    std::uint64_t hash = text.size();
    for (std::size_t i = 0; i + 8 < text.size(); i += 8)
      hash = mix(hash ^ bytes_at<std::uint64_t>(text.data() + i));
    return mix(mix(hash ^ of(text)));
  }
};

/// Texts, each with a `T`.
template <class T>
class TextMap {
 public:
  /// Up to so many texts are compared one by one.
  static constexpr std::size_t most_compared = 8;

  TextMap() = default;
  explicit TextMap(std::map<std::string_view, T> values) {
    entries_.reserve(values.size());
    if (values.size() <= most_compared) {
      for (auto& [text, value] : values) entries_.emplace_back(text, std::move(value));
    } else {
      fill_buckets(values);
    }
  }

  [[nodiscard]] bool empty() const noexcept { return entries_.empty(); }

  /// The value of a text, valid as long as the map is; null when the text is not there.
  [[nodiscard, gnu::always_inline]] const T* find(std::string_view text) const noexcept {
    return shift_ == 0 ? find_among_few(text) : find_in_bucket(text);
  }
  [[nodiscard, gnu::always_inline]] bool contains(std::string_view text) const noexcept {
    return find(text) != nullptr;
  }

  /// All texts, in byte order.
  [[nodiscard]] std::vector<std::string_view> texts() const {
    std::vector<std::string_view> texts;
    texts.reserve(entries_.size());
    for (const Entry& entry : entries_) texts.push_back(entry.text);
    std::sort(texts.begin(), texts.end());
    return texts;
  }

 private:
  struct Entry {
    Entry(std::string_view from, T given)
        : number(TextNumber::of(from)), text(from), value(std::move(given)) {}

    std::uint64_t number;
    std::string text;
    [[no_unique_address]] T value;
  };

  [[gnu::always_inline]] const T* find_among_few(std::string_view text) const noexcept {
    if (text.size() < 8) {
      const std::uint64_t number = TextNumber::of_short(text);
      for (const Entry& entry : entries_)
        if (entry.number == number && entry.text.size() == text.size()) return &entry.value;
      return nullptr;
    }
    const std::uint64_t number = TextNumber::of_end(text);
    for (const Entry& entry : entries_) {
      if (entry.number == number && entry.text.size() == text.size() &&
          TextNumber::is_same_before_end(entry.text.data(), text.data(), text.size()))
        return &entry.value;
    }
    return nullptr;
  }

  // One or two buckets a text.
  void fill_buckets(std::map<std::string_view, T>& values) {
    using Value = typename std::map<std::string_view, T>::iterator;
    const int bits = static_cast<int>(std::bit_width(values.size()));
    shift_ = 64 - bits;
    std::vector<std::pair<std::size_t, Value>> ordered;
    ordered.reserve(values.size());
    for (auto value = values.begin(); value != values.end(); ++value)
      ordered.emplace_back(bucket_of(value->first), value);
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    starts_.resize((std::size_t{1} << static_cast<unsigned>(bits)) + 1);
    for (auto& [bucket, value] : ordered) {
      entries_.emplace_back(value->first, std::move(value->second));
      ++starts_[bucket + 1];
    }
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  }

  [[nodiscard]] std::size_t bucket_of(std::string_view text) const noexcept {
    return static_cast<std::size_t>(TextNumber::hash(text) >> static_cast<unsigned>(shift_));
  }

  // Not inlined, so that finding one of a few needs no more registers than it uses.
  [[nodiscard, gnu::noinline]] const T* find_in_bucket(std::string_view text) const noexcept {
    const std::size_t bucket = bucket_of(text);
    const Entry* entry = entries_.data() + starts_[bucket];
    const Entry* end = entries_.data() + starts_[bucket + 1];
    if (static_cast<std::size_t>(end - entry) > most_compared) {
      entry = std::lower_bound(entry, end, text,
                               [](const Entry& e, std::string_view t) { return e.text < t; });
      if (entry != end) end = entry + 1;
    }
    for (; entry != end; ++entry)
      if (entry->text == text) return &entry->value;
    return nullptr;
  }

  std::vector<Entry> entries_;       ///< of many bucket by bucket, each in byte order
  std::vector<std::size_t> starts_;  ///< of the buckets, and the end
  int shift_ = 0;                    ///< from a hash to its bucket; 0 where there are few
};

/// Texts alone.
struct NoValue {};
class TextSet : public TextMap<NoValue> {
 public:
  TextSet() = default;
  /// Of a list of texts, which may have one twice.
  template <class List>
  explicit TextSet(const List& texts) : TextMap(listed(texts)) {}

 private:
  template <class List>
  static std::map<std::string_view, NoValue> listed(const List& texts) {
    std::map<std::string_view, NoValue> listed;
    for (const std::string& text : texts) listed.try_emplace(text);
    return listed;
  }
};

}  // namespace schedpol::detail
