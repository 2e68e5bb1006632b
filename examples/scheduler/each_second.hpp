// SPDX-License-Identifier: Apache-2.0
#pragma once

/// each_second: what a thread does again and again, with a second between two times, until it is
/// asked to stop.

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>

namespace scheduler {

template <class Action>
void each_second(const std::stop_token& stop, Action action) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  for (;;) {
    never.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; });
    if (stop.stop_requested()) return;
    action();
  }
}

}  // namespace scheduler
