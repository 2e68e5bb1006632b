// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How a text of a pod is found among the texts that a policy lists: by its last bytes among a few,
/// by its hash among many. Made once by a merge, then only read. Nothing here allocates while it is
/// asked.

#include <schedpol/scheduling_policy/policy.hpp>

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

namespace schedpol::scheduling_policy::detail {

/// The bytes at `at` as a number. Its value depends on the machine, so nothing that is shown may.
template <class Number>
std::uint64_t bytes_at(const char* at) noexcept {
  Number bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

/// The bytes of a text of less than eight as a number, which no other text of its size has.
[[gnu::always_inline]] inline std::uint64_t short_number(std::string_view text) noexcept {
  const char* end = text.data() + text.size();
  if (text.size() >= 4) {
    return bytes_at<std::uint32_t>(text.data()) << 32 | bytes_at<std::uint32_t>(end - 4);
  }
  if (text.size() >= 2) {
    return bytes_at<std::uint16_t>(text.data()) << 32 | bytes_at<std::uint16_t>(end - 2);
  }
  return text.empty() ? 0 : static_cast<unsigned char>(text.front());
}

/// The last bytes of a text of eight or more as a number.
inline std::uint64_t last_eight(std::string_view text) noexcept {
  return bytes_at<std::uint64_t>(text.data() + text.size() - 8);
}

/// The last eight bytes of a text as a number, all of a shorter one. Names and values mostly differ
/// in them, and comparing them is one instruction and no call.
inline std::uint64_t last_number(std::string_view text) noexcept {
  return text.size() < 8 ? short_number(text) : last_eight(text);
}

/// Whether two texts of the same size, of eight bytes or more, and with the same last eight bytes
/// are the same: what is before those, eight bytes at a time.
[[gnu::always_inline]] inline bool same_before_last(const char* a, const char* b,
                                                    std::size_t size) noexcept {
  if (bytes_at<std::uint64_t>(a) != bytes_at<std::uint64_t>(b)) return false;
  const std::size_t last = size - 8;
  for (std::size_t i = 8; i < last; i += 8) {
    if (bytes_at<std::uint64_t>(a + i) != bytes_at<std::uint64_t>(b + i)) return false;
  }
  return true;
}

/// Every byte counts, so that names with long common beginnings and ends are told apart. The upper
/// bits are the best.
inline std::uint64_t hash_of(std::string_view text) noexcept {
  const auto mix = [](std::uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio, as in Fibonacci hashing
    return bits ^ bits >> 32;
  };
  std::uint64_t hash = text.size();
  for (std::size_t i = 0; i + 8 < text.size(); i += 8) {
    hash = mix(hash ^ bytes_at<std::uint64_t>(text.data() + i));
  }
  return mix(mix(hash ^ last_number(text)));
}

/// Where a text is searched for.
enum class Search {
  /// In lists of a few texts. What it finds is there; what it does not find may be in a list of
  /// many. Inlined and without a call, so that searches in a row keep all they need in registers.
  few,
  /// Everywhere. Asked where `few` found nothing.
  all,
};

/// Texts, each with a value. Made once, then only read: a few are compared one by one, of many only
/// those in the bucket of their hash. Texts made to share a bucket cost no more than a binary
/// search, because a bucket is in byte order.
template <class T>
class TextMap {
 public:
  TextMap() = default;
  explicit TextMap(std::map<std::string_view, T> values) {
    if (values.size() <= most_compared) {
      compared_.reserve(values.size());
      for (auto& [text, value] : values) compared_.emplace_back(text, std::move(value));
    } else {
      hashed_ = Buckets(std::move(values));
    }
  }

  [[nodiscard]] bool empty() const noexcept { return compared_.empty() && hashed_.entries.empty(); }

  /// The value of a text, or null when it is not there.
  template <Search search = Search::all>
  [[nodiscard, gnu::always_inline]] const T* find(std::string_view text) const noexcept {
    return search == Search::few ? find_compared(text) : find_anywhere(text);
  }
  template <Search search = Search::all>
  [[nodiscard, gnu::always_inline]] bool contains(std::string_view text) const noexcept {
    return find<search>(text) != nullptr;
  }

  /// All texts, in byte order.
  [[nodiscard]] std::vector<std::string_view> texts() const {
    std::vector<std::string_view> texts;
    for (const Entry& entry : compared_) texts.push_back(entry.text);
    for (const Entry& entry : hashed_.entries) texts.push_back(entry.text);
    std::sort(texts.begin(), texts.end());
    return texts;
  }

 private:
  static constexpr std::size_t most_compared = 8;

  struct Entry {
    Entry(std::string_view from, T given)
        : last(last_number(from)), text(from), value(std::move(given)) {}

    /// Whether it is this text, of eight bytes or more.
    [[nodiscard, gnu::always_inline]] bool is(std::string_view other,
                                              std::uint64_t other_last) const noexcept {
      return last == other_last && text.size() == other.size() &&
             same_before_last(text.data(), other.data(), other.size());
    }

    std::uint64_t last;
    std::string text;
    [[no_unique_address]] T value;
  };

  struct Buckets {
    Buckets() = default;
    explicit Buckets(std::map<std::string_view, T> values) {
      // One bucket to two a text.
      const int bits = static_cast<int>(std::bit_width(values.size()));
      shift = 64 - bits;
      std::vector<std::pair<std::size_t, typename std::map<std::string_view, T>::iterator>> ordered;
      ordered.reserve(values.size());
      for (auto it = values.begin(); it != values.end(); ++it) {
        ordered.emplace_back(bucket_of(it->first), it);
      }
      std::stable_sort(ordered.begin(), ordered.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      entries.reserve(values.size());
      starts.resize((std::size_t{1} << bits) + 1);
      for (auto& [bucket, it] : ordered) {
        entries.emplace_back(it->first, std::move(it->second));
        ++starts[bucket + 1];
      }
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
    }

    [[nodiscard]] std::size_t bucket_of(std::string_view text) const noexcept {
      return static_cast<std::size_t>(hash_of(text) >> shift);
    }

    /// Not inlined, so that finding one of a few needs no more registers than it uses.
    [[nodiscard, gnu::noinline]] const T* find(std::string_view text) const noexcept {
      const std::size_t bucket = bucket_of(text);
      auto entry = entries.begin() + starts[bucket];
      auto end = entries.begin() + starts[bucket + 1];
      if (end - entry > static_cast<std::ptrdiff_t>(most_compared)) {
        entry = std::lower_bound(entry, end, text,
                                 [](const Entry& e, std::string_view t) { return e.text < t; });
        if (entry != end) end = entry + 1;
      }
      for (; entry != end; ++entry) {
        if (entry->text == text) return &entry->value;
      }
      return nullptr;
    }

    std::vector<Entry> entries;          ///< bucket by bucket, each in byte order
    std::vector<std::ptrdiff_t> starts;  ///< of the buckets, and the end
    int shift = 0;                       ///< from a hash to its bucket; 0 where nothing is hashed
  };

  [[gnu::always_inline]] const T* find_compared(std::string_view text) const noexcept {
    if (text.size() < 8) {
      const std::uint64_t number = short_number(text);
      for (const Entry& entry : compared_) {
        if (entry.last == number && entry.text.size() == text.size()) return &entry.value;
      }
    } else {
      const std::uint64_t last = last_eight(text);
      for (const Entry& entry : compared_) {
        if (entry.is(text, last)) return &entry.value;
      }
    }
    return nullptr;
  }

  [[gnu::noinline]] const T* find_anywhere(std::string_view text) const noexcept {
    const T* found = find_compared(text);
    return found != nullptr || hashed_.shift == 0 ? found : hashed_.find(text);
  }

  std::vector<Entry> compared_;  ///< a few
  Buckets hashed_;               ///< or many
};

/// Texts alone.
struct Listed {};
using TextSet = TextMap<Listed>;

inline TextSet text_set(const std::vector<std::string>& texts) {
  std::map<std::string_view, Listed> listed;
  for (const std::string& text : texts) listed.try_emplace(text);
  return TextSet(std::move(listed));
}

/// A list of texts of which absent permits nothing and empty everything.
class TextRule {
 public:
  TextRule() = default;
  /// With one more text that is permitted.
  explicit TextRule(const Names& names, const std::string* also = nullptr)
      : any_(names && names->empty()) {
    std::vector<std::string> texts = names ? *names : std::vector<std::string>();
    if (also != nullptr) texts.push_back(*also);
    listed_ = text_set(texts);
  }

  [[nodiscard]] bool any() const noexcept { return any_; }
  template <Search search = Search::all>
  [[nodiscard, gnu::always_inline]] bool permits(std::string_view text) const noexcept {
    return listed_.contains<search>(text) || any_;
  }

 private:
  bool any_ = false;
  TextSet listed_;
};

}  // namespace schedpol::scheduling_policy::detail
