// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Workers: threads for what a thread that reads and writes must not wait for.
///
/// 1. There are three queues. Short requests are worked on by `threads` threads, long ones by as many
///    others, so that no short one waits for a long one. What can wait is worked on by one thread
///    more. That one begins nothing while a long request waits, and gets little of a processor that
///    others want.
/// 2. Each queue is worked on in its order. All long requests that are worked on at the same time, and
///    what can wait, have `most_bytes` together, or are one piece of work alone, so that memory does
///    not grow with the number of threads.
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

  /// The same for a short request, whose bytes are not counted.
  void post_short(Work work);

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
  Queue short_;
  Queue background_;
  std::size_t bytes_ = 0;  ///< that are worked on, but for short requests
  bool is_ending_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace support
