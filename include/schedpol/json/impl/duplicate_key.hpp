// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/json/impl/elements.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace schedpol::json::detail {

/// Finds a key that an object has twice, in n log n of its keys.
class DuplicateKey {
 public:
  [[nodiscard]] bool is_in(ElementMembers object) {
    const std::size_t size = object.size();
    if (size > few) return find(object).data() != nullptr;
    if (size > 2) return is_in_few(object);
    if (size < 2) return false;
    auto member = object.begin();
    const std::string_view first = (*member).key;
    return first == (*++member).key;
  }

  /// The first in byte order; nowhere where all are there once.
  [[nodiscard]] std::string_view find(ElementMembers object) {
    keys_.clear();
    for (const ElementMember member : object) keys_.push_back(member.key);
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    return twice == keys_.end() ? std::string_view() : *twice;
  }

 private:
  static constexpr std::size_t few = 32;

  /// Each key takes a place; only of those that share one are the keys compared.
  [[nodiscard]] static bool is_in_few(ElementMembers object) noexcept {
    std::uint64_t taken = 0;
    const auto begin = object.begin();
    auto member = begin;
    for (std::size_t left = object.size(); left > 0; --left, ++member) {
      const std::string_view key = member.key();
      const std::uint64_t place = std::uint64_t{1} << (place_of(key) & 63U);
      if ((taken & place) != 0) {
        for (auto other = begin; !(other == member); ++other)
          if (other.key() == key) return true;
      }
      taken |= place;
    }
    return false;
  }

  /// Keys of one object tend to differ in their length, their beginning, their middle or their end.
  [[nodiscard]] static std::size_t place_of(std::string_view key) noexcept {
    if (key.empty()) return 0;
    const auto byte = [&](std::size_t i) -> std::uint32_t {
      return static_cast<unsigned char>(key[i]);
    };
    const auto size = static_cast<std::uint32_t>(key.size());
    return size * 7U + byte(0) + byte(key.size() / 2) * 5U + byte(key.size() - 1) * 3U;
  }

  std::vector<std::string_view> keys_;  ///< memory that is used again
};

}  // namespace schedpol::json::detail
