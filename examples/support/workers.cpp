// SPDX-License-Identifier: Apache-2.0
#include "workers.hpp"

#include <unistd.h>

#include <exception>
#include <utility>

namespace support {

namespace {

/// More than the threads that read and write have. Of a processor that both want, who works on short
/// requests gets two thirds of what one of those gets, on long ones a third, the background a tenth.
/// `nice` is about the calling thread alone, as Linux has it.
constexpr int short_niceness = 2;
constexpr int worker_niceness = 5;
constexpr int background_niceness = 10;

}  // namespace

Workers::Workers(unsigned threads, std::size_t most_bytes) : most_bytes_(most_bytes) {
  const auto start = [this](Queue& queue, int niceness) {
    threads_.emplace_back([this, &queue, niceness] {
      static_cast<void>(nice(niceness));
      serve(queue);
    });
  };
  for (unsigned i = 0; i < threads; ++i) {
    start(short_, short_niceness);
    start(queue_, worker_niceness);
  }
  start(background_, background_niceness);
}

Workers::~Workers() {
  join();
}

void Workers::post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(work));
  }
  changed_.notify_all();
}

void Workers::post_short(Work work) {
  work.bytes = 0;
  {
    const std::lock_guard lock(mutex_);
    short_.push_back(std::move(work));
  }
  changed_.notify_all();
}

bool Workers::post_in_background(Work work, std::size_t most_waiting) {
  {
    const std::lock_guard lock(mutex_);
    if (background_.size() >= most_waiting) return false;
    background_.push_back(std::move(work));
  }
  changed_.notify_all();
  return true;
}

void Workers::join() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool Workers::take(Queue& queue, Work& work) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (queue.empty()) {
      if (is_ending_) return false;
    } else if (queue.front().deadline <= std::chrono::steady_clock::now()) {
      work = std::move(queue.front());
      queue.pop_front();
      // What it holds is let go without the mutex.
      lock.unlock();
      work = {};
      lock.lock();
      continue;
    } else if ((&queue == &short_ || bytes_ == 0 || bytes_ + queue.front().bytes <= most_bytes_) &&
               (&queue != &background_ || queue_.empty())) {
      work = std::move(queue.front());
      queue.pop_front();
      bytes_ += work.bytes;
      changed_.notify_all();
      return true;
    }
    changed_.wait(lock);
  }
}

void Workers::serve(Queue& queue) {
  Work work;
  while (take(queue, work)) {
    const std::size_t bytes = work.bytes;
    try {
      work.run();
    } catch (const std::exception&) {
      // No memory is left, even to say so. Whoever waits does so until the deadline.
    }
    work = {};
    {
      const std::lock_guard lock(mutex_);
      bytes_ -= bytes;
    }
    changed_.notify_all();
  }
}

}  // namespace support
