// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Backoff: the pauses between tries that fail, twice as long each time up to a limit, and drawn by
/// lot between half of that and all, so that not all replicas come back at once.

#include <algorithm>
#include <chrono>
#include <stop_token>

namespace support {

class Backoff {
 public:
  explicit Backoff(std::chrono::milliseconds longest) : longest_(longest) {}

  /// The next pause is a short one.
  void reset() { next_ = first; }

  /// The next pause is no longer than that.
  void limit(std::chrono::milliseconds longest) { next_ = std::min(next_, longest); }

  /// Waits, at least for so long, or until it is to stop.
  void wait(const std::stop_token& stop, std::chrono::milliseconds at_least = {});

 private:
  static constexpr std::chrono::milliseconds first{500};

  const std::chrono::milliseconds longest_;
  std::chrono::milliseconds next_ = first;
};

}  // namespace support
