// SPDX-License-Identifier: Apache-2.0
#include "backoff.hpp"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <random>
#include <utility>

namespace support {

void Backoff::wait(const std::stop_token& stop, std::chrono::milliseconds at_least) {
  thread_local std::minstd_rand random{std::random_device{}()};
  const std::chrono::milliseconds pause = std::exchange(next_, std::min(2 * next_, longest_));
  std::uniform_int_distribution<long> draw(pause.count() / 2, pause.count());
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, std::max(at_least, std::chrono::milliseconds(draw(random))),
                   [] { return false; });
}

}  // namespace support
