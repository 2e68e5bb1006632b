// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Texts that are made once and then asked for often, each with an address.
/// 1. `find` gives the address of a text that is there, and for every other text one address.
/// 2. It allocates nothing and takes as long among ten thousand texts as among nine, whoever chose
///    them: of texts made to share one hash no more than a binary search is compared.
/// 3. Among at most eight texts it takes about 25 instructions: no more than one is compared.

#include <schedpol/version.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// The bytes at `at`.
template <class Number>
inline std::uint64_t bytes_at(const char* at) noexcept {
  Number bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

/// A text as a number: how most texts are told apart by one instruction. Numbers depend on the
/// machine, so nothing that is shown may depend on them.
struct TextNumber {
  /// The last eight bytes of a text, in which names and values mostly differ; all of a shorter one,
  /// of which no other text of its size has the number.
  [[nodiscard]] static std::uint64_t of(std::string_view text) noexcept {
    return text.size() < 8 ? of_short(text)
                           : bytes_at<std::uint64_t>(text.data() + text.size() - 8);
  }
  [[nodiscard]] static std::uint64_t of_short(std::string_view text) noexcept {
    const char* end = text.data() + text.size();
    if (text.size() >= 4)
      return bytes_at<std::uint32_t>(text.data()) << 32U | bytes_at<std::uint32_t>(end - 4);
    if (text.size() >= 2)
      return bytes_at<std::uint16_t>(text.data()) << 32U | bytes_at<std::uint16_t>(end - 2);
    return text.empty() ? 0 : static_cast<unsigned char>(text.front());
  }

  /// Every byte counts, so that names with long common beginnings and ends are told apart. The
  /// upper bits are the best.
  [[nodiscard]] static std::uint64_t hash(std::string_view text) noexcept;
};

/// Texts, each with an address. A few stand in slots that are chosen so that no two share one, and
/// are told by their number, their beginning and their size; only of one of more than sixteen bytes
/// more is compared. Many, and the few that no choice sets apart, stand by their hash.
class TextTable {
 public:
  /// Up to so many texts have slots.
  static constexpr std::size_t few = 8;

  struct Entry {
    std::string_view text;
    const void* at;
  };

  /// Of no texts; `missing` is the address of those that are not there.
  explicit TextTable(const void* missing = nullptr) noexcept : missing_(missing) {}
  /// In byte order, each once.
  TextTable(std::vector<Entry> entries, const void* missing);
  TextTable(TextTable&& other) noexcept { swap(other); }
  TextTable& operator=(TextTable&& other) noexcept {
    swap(other);
    return *this;
  }
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;
  ~TextTable();

  [[nodiscard]] const void* find(std::string_view text) const noexcept {
    if (const Slot* slot = slot_with(text)) return slot->at;
    if (many_ != nullptr) [[unlikely]]
      return find_among_many(text);
    return missing_;
  }
  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    if (slot_with(text) != nullptr) return true;
    if (many_ != nullptr) [[unlikely]]
      return find_among_many(text) != missing_;
    return false;
  }

 private:
  struct Many;
  /// Of 32 bytes, whatever the machine.
  struct alignas(16) Slot {
    std::uint64_t number = 0;
    std::size_t size = static_cast<std::size_t>(-1);  ///< no text has this size
    const void* at = nullptr;
    const char* text = nullptr;
  };

  /// Null where it has none.
  [[nodiscard]] const Slot* slot_with(std::string_view text) const noexcept {
    if (text.size() < 8) {
      const std::uint64_t number = TextNumber::of_short(text);
      const Slot& slot = slot_of(number);
      if (slot.number == number && slot.size == text.size()) return &slot;
    } else {
      const auto number = bytes_at<std::uint64_t>(text.data() + text.size() - 8);
      const auto beginning = bytes_at<std::uint64_t>(text.data());
      const Slot& slot = slot_of(number + 2 * beginning);
      if (slot.number == number && slot.size == text.size() &&
          bytes_at<std::uint64_t>(slot.text) == beginning &&
          (text.size() <= 16 || is_same_between(slot, text)))
        return &slot;
    }
    return nullptr;
  }
  /// Eight bytes at a time, between the first and the last eight of more than sixteen.
  [[nodiscard]] static bool is_same_between(const Slot& slot, std::string_view text) noexcept {
    const char* a = slot.text;
    for (std::size_t i = text.size() - 16; i > 8; i -= 8)
      if (bytes_at<std::uint64_t>(a + i) != bytes_at<std::uint64_t>(text.data() + i)) return false;
    return bytes_at<std::uint64_t>(a + 8) == bytes_at<std::uint64_t>(text.data() + 8);
  }
  [[nodiscard]] const Slot& slot_of(std::uint64_t bits) const noexcept {
    return *reinterpret_cast<const Slot*>(reinterpret_cast<const char*>(slots_) + offset(bits));
  }
  /// Of a slot, in bytes.
  [[nodiscard]] std::size_t offset(std::uint64_t bits) const noexcept {
    static_assert(sizeof(Slot) == 32);
    return static_cast<std::size_t>(bits * factor_ >> (58U - 5U)) & last_offset_;
  }
  [[nodiscard]] const void* find_among_many(std::string_view text) const noexcept;
  /// Whether there is a slot for each.
  [[nodiscard]] bool set_apart(const std::vector<Entry>& entries);
  void swap(TextTable& other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(factor_, other.factor_);
    std::swap(last_offset_, other.last_offset_);
    std::swap(missing_, other.missing_);
    std::swap(many_, other.many_);
    std::swap(bytes_, other.bytes_);
  }

  static const Slot none;

  const Slot* slots_ = &none;
  std::uint64_t factor_ = 0;
  std::size_t last_offset_ = 0;  ///< of the slots, of which there are a power of two
  const void* missing_ = nullptr;
  const Many* many_ = nullptr;
  const char* bytes_ = nullptr;  ///< of all texts
};

/// Texts alone.
class TextSet {
 public:
  TextSet() = default;
  /// Of a list of texts, which may have one twice.
  template <class List>
  explicit TextSet(const List& texts)
      : TextSet(std::vector<std::string_view>(texts.begin(), texts.end())) {}

  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    return table_.contains(text);
  }
  /// Whether all texts of a list are there.
  template <class List>
  [[nodiscard]] bool contains_all(const List& texts) const noexcept {
    for (const std::string& text : texts)
      if (!contains(text)) return false;
    return true;
  }

 private:
  explicit TextSet(std::vector<std::string_view> texts);

  TextTable table_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/lookup/text_table.ipp>
#endif
