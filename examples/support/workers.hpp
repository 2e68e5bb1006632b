// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Workers: threads for requests that take longer than a thread that reads and writes may.
///
/// 1. There are two queues. What has to be answered soon is worked on by `threads` threads, what can
///    wait by one thread more. That one begins nothing while something waits in the first queue, and
///    gets little of a processor that others want.
/// 2. Each queue is worked on in its order. All that is worked on at the same time, in both, has
///    `most_bytes` together, or is one piece of work alone, so that memory does not grow with the
///    number of threads.
/// 3. What has waited until its deadline is thrown away. Work that throws is done.
///
/// Any thread may use it.

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace support {

struct Work {
  std::chrono::steady_clock::time_point deadline{};
  std::size_t bytes = 0;
  std::function<void()> run;
};

class Workers {
 public:
  Workers(unsigned threads, std::size_t most_bytes);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void post(Work work);

  /// The same for what can wait. False, and nothing is done, where `most_waiting` wait already.
  [[nodiscard]] bool post_in_background(Work work, std::size_t most_waiting);

  /// Returns when everything that was posted is done or thrown away. Nothing is to be posted later.
  void join();

 private:
  using Queue = std::deque<Work>;

  void serve(Queue& queue);
  /// The first one whose time is not over; nothing: the queue is empty and nothing comes any more.
  [[nodiscard]] bool take(Queue& queue, Work& work);

  const std::size_t most_bytes_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Queue queue_;
  Queue background_;
  std::size_t bytes_ = 0;  ///< that are worked on
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace support
