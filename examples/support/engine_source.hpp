// SPDX-License-Identifier: Apache-2.0
#pragma once

/// EngineSource: where the engine that decides comes from, a directory of files or a cluster that
/// is watched, and how far what it was made of can be trusted.

#include <schedpol/engine/engine.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace support {

/// What a source says of itself.
struct SourceStatus {
  /// Whether a whole set was seen once. Until then the engine denies everything.
  bool ready = false;
  std::uint64_t generation = 0;  ///< sets that were put in force
  /// What is not as it is in the source, and since when: a file that cannot be read, a list that
  /// never came, a watch that has been silent for too long. One line each.
  std::vector<std::string> stale{};
  /// What is wrong with objects, as `Engine::problems` or their decoder says it. One line each.
  std::vector<std::string> problems{};
  /// How long ago the source was last heard of: a line for each kind that is watched.
  std::vector<std::string> watched{};
};

class EngineSource {
 public:
  virtual ~EngineSource() = default;

  /// The engine to ask; never null. Who holds it goes on with it, whatever comes meanwhile. Any
  /// thread, for every request.
  [[nodiscard]] virtual std::shared_ptr<const schedpol::engine::Engine> engine() const = 0;

  /// Whether what is not known may become known within moments, without anybody's doing.
  [[nodiscard]] virtual bool is_watched() const { return false; }

  /// Any thread, now and then.
  [[nodiscard]] virtual SourceStatus status() const = 0;

  /// Called about once a second by one thread: for a source that has none of its own.
  virtual void refresh() {}
};

/// The engine in force, which is replaced while it is asked.
class CurrentEngine {
 public:
  [[nodiscard]] std::shared_ptr<const schedpol::engine::Engine> get() const {
    const std::lock_guard lock(mutex_);
    return engine_;
  }
  void put(std::shared_ptr<const schedpol::engine::Engine> engine) {
    const std::lock_guard lock(mutex_);
    // The one before may be the last of many objects, which are let go without the mutex.
    engine_.swap(engine);
  }

 private:
  /// Not an atomic shared_ptr: g++ 12's gives up its lock without ordering what it has read.
  mutable std::mutex mutex_;
  /// The one of the beginning denies everything.
  std::shared_ptr<const schedpol::engine::Engine> engine_ =
      std::make_shared<const schedpol::engine::Engine>();
};

}  // namespace support
