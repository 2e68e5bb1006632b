// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The engines that callers of the C ABI hold, by number. A number is a place in the table and how
/// often an engine was put there or taken away, so that one that is freed is none for ever after.

#include "schedpol.h"

#include <schedpol/schedpol.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>
#if !defined(__wasm__)
#include <mutex>
#endif

class EngineTable {
 public:
  /// Puts an engine in the first free place.
  schedpol_engine add(schedpol::engine::Engine engine) {
    const Lock lock(mutex_);
    std::size_t place = 0;
    while (place < slots_.size() && !slots_[place].is_free()) ++place;
    if (place == slots_.size()) slots_.emplace_back();
    slots_[place].engine = std::move(engine);
    ++slots_[place].changes;
    return (schedpol_engine{slots_[place].changes} << place_bits) | place;
  }

  /// The engine, which is whole for as long as the value that is returned; nothing where there is none.
  [[nodiscard]] std::optional<schedpol::engine::Engine> find(schedpol_engine number) {
    const Lock lock(mutex_);
    const Slot* slot = slot_of(number);
    return slot == nullptr ? std::nullopt : slot->engine;
  }

  /// False where there is none.
  [[nodiscard]] bool remove(schedpol_engine number) {
    std::optional<schedpol::engine::Engine> removed;  // destroyed when others can go on
    const Lock lock(mutex_);
    Slot* slot = slot_of(number);
    if (slot == nullptr) return false;
    removed.swap(slot->engine);
    ++slot->changes;
    return true;
  }

 private:
#if defined(__wasm__)
  /// A module of WebAssembly has one thread, and its standard library no mutex.
  struct Mutex {
    void lock() noexcept {}
    void unlock() noexcept {}
  };
#else
  using Mutex = std::mutex;
#endif
  class Lock {
   public:
    explicit Lock(Mutex& mutex) : mutex_(mutex) { mutex_.lock(); }
    ~Lock() { mutex_.unlock(); }
    Lock(const Lock&) = delete;
    Lock& operator=(const Lock&) = delete;

   private:
    Mutex& mutex_;
  };

  struct Slot {
    std::optional<schedpol::engine::Engine> engine{};
    std::uint32_t changes = 0;  ///< odd while there is an engine

    /// When all numbers of a place were given out, it stays empty.
    [[nodiscard]] bool is_free() const noexcept {
      return !engine && changes < std::numeric_limits<std::uint32_t>::max() - 1;
    }
  };

  static constexpr unsigned place_bits = 32;

  Slot* slot_of(schedpol_engine number) noexcept {
    const auto place = static_cast<std::uint32_t>(number);
    if (place >= slots_.size()) return nullptr;
    Slot& slot = slots_[place];
    return slot.engine && slot.changes == number >> place_bits ? &slot : nullptr;
  }

  Mutex mutex_{};
  std::vector<Slot> slots_{};
};
