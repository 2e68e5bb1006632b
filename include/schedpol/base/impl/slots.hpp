// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Things by small numbers, which stay theirs until they are removed and then go to others.

#include <schedpol/version.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

template <class T>
class Slots {
 public:
  /// All numbers are below it; at one that is free stands a `T()`.
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] T& operator[](std::size_t number) noexcept { return items_[number]; }
  [[nodiscard]] const T& operator[](std::size_t number) const noexcept { return items_[number]; }

  std::size_t add(T item) {
    if (free_.empty()) {
      items_.push_back(std::move(item));
      return items_.size() - 1;
    }
    const std::size_t number = free_.back();
    free_.pop_back();
    items_[number] = std::move(item);
    return number;
  }

  void remove(std::size_t number) {
    items_[number] = T();
    free_.push_back(number);
  }

 private:
  std::vector<T> items_;
  std::vector<std::size_t> free_;
};

/// The same, each found by its name.
template <class T>
class NamedSlots {
 public:
  [[nodiscard]] bool empty() const noexcept { return numbers_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
  [[nodiscard]] T& operator[](std::size_t number) noexcept { return slots_[number].item; }
  [[nodiscard]] const T& operator[](std::size_t number) const noexcept {
    return slots_[number].item;
  }

  /// Of an item that is there.
  [[nodiscard]] std::string_view name(std::size_t number) const noexcept {
    return slots_[number].name;
  }

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  /// The number of a name; where there is none a `T()` is added.
  std::size_t find_or_add(std::string_view name) {
    if (const auto found = find(name)) return *found;
    return numbers_.try_emplace(std::string(name), slots_.add({std::string(name)})).first->second;
  }

  void remove(std::size_t number) {
    numbers_.erase(slots_[number].name);
    slots_.remove(number);
  }

 private:
  struct Slot {
    std::string name{};
    T item{};
  };

  std::map<std::string, std::size_t, std::less<>> numbers_;
  Slots<Slot> slots_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
