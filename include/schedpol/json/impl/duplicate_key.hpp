// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/path_builder.hpp>
#include <schedpol/json/impl/elements.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

using schedpol::detail::PathBuilder;

/// Notes the keys of an object as they come. Each takes one of 64 places; those that are equal take
/// the same.
class NotedKeys {
 public:
  void clear() noexcept { taken_ = 0; }

  /// Returns whether its place was taken.
  bool add(const char* key, std::size_t size) noexcept {
    const std::uint64_t place = std::uint64_t{1} << (place_of(key, size) & 63U);
    const bool was_taken = (taken_ & place) != 0;
    taken_ |= place;
    return was_taken;
  }

 private:
  /// Keys of one object tend to differ in their length, their beginning, their middle or their end.
  [[nodiscard]] static std::size_t place_of(const char* key, std::size_t size) noexcept {
    const auto byte = [&](std::size_t i) -> std::size_t {
      return static_cast<unsigned char>(key[i]);
    };
    if (size == 0) return 0;
    return size * 8U + byte(0) + byte(size / 2) * 5U + byte(size - 1) * 4U;
  }

  std::uint64_t taken_;
};

/// Finds a key that an object has twice, in n log n of its keys.
class DuplicateKey {
 public:
  /// So many keys are compared where they share a place, more are sorted.
  static constexpr std::size_t few = 32;

  [[nodiscard]] bool is_in(ElementMembers object) { return find(object).data() != nullptr; }

  /// Where the first one is: those inside an object come before its own, and of its own the first
  /// in byte order. Nothing where every key is there once.
  [[nodiscard]] std::optional<FieldPath> place_in(const PathBuilder& at, Element element) {
    ElementItems items;
    ElementMembers members;
    if (element.get(items)) {
      std::size_t index = 0;
      for (const Element item : items)
        if (auto place = place_in(at.index(index++), item)) return place;
    } else if (element.get(members)) {
      for (const ElementMember member : members)
        if (auto place = place_in(at.child(member.key), member.value)) return place;
      if (const auto twice = find(members); twice.data() != nullptr) return at.child(twice).path();
    }
    return std::nullopt;
  }

 private:
  /// The first in byte order; nowhere where all are there once.
  [[nodiscard]] std::string_view find(ElementMembers object) {
    keys_.clear();
    for (const ElementMember member : object) keys_.push_back(member.key);
    std::sort(keys_.begin(), keys_.end());
    const auto twice = std::adjacent_find(keys_.begin(), keys_.end());
    return twice == keys_.end() ? std::string_view() : *twice;
  }

  std::vector<std::string_view> keys_;  ///< memory that is used again
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
