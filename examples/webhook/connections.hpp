// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The threads that serve connections, one each, and the time that a connection may take from one
/// answer to the next. The timeouts of the HTTP library begin anew with every byte, so that a
/// client that sends one now and then would keep its thread for good.

#include <httplib.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

namespace webhook {

class Connections {
 public:
  explicit Connections(std::chrono::seconds limit) : limit_(limit) {}

  /// Has the connections of a context be known to the threads that serve them.
  static void watch(SSL_CTX& context) {
    SSL_CTX_set_info_callback(&context, [](const SSL* connection, int where, int) {
      if ((where & SSL_CB_HANDSHAKE_START) != 0 && current_ != nullptr)
        current_->begin(SSL_get_fd(connection));
    });
  }

  [[nodiscard]] httplib::TaskQueue* new_pool(std::size_t threads) {
    return new Pool(*this, threads);
  }

  /// How many connections wait for a thread.
  [[nodiscard]] int waiting() const { return waiting_; }

  /// The connection of this thread has got an answer.
  static void note_answer() {
    if (current_ != nullptr) current_->extend();
  }

  /// Ends the connections that took too long.
  void cut_off() {
    const std::lock_guard lock(mutex_);
    for (const Connection* connection : all_) connection->end_if_late();
  }

 private:
  using Clock = std::chrono::steady_clock;

  /// One that a thread serves, as long as it does. What is guarded by the mutex is the socket: a
  /// duplicate, which is the same connection and still this one when the server has closed its own.
  class Connection {
   public:
    explicit Connection(Connections& all) : all_(all) {
      const std::lock_guard lock(all_.mutex_);
      all_.all_.insert(this);
      current_ = this;
    }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;
    ~Connection() {
      current_ = nullptr;
      const std::lock_guard lock(all_.mutex_);
      all_.all_.erase(this);
      if (socket_ >= 0) close(socket_);
    }

    void begin(int socket) {
      const std::lock_guard lock(all_.mutex_);
      if (socket_ >= 0) return;
      socket_ = dup(socket);
      end_ = Clock::now() + all_.limit_;
    }
    void extend() {
      const std::lock_guard lock(all_.mutex_);
      end_ = Clock::now() + all_.limit_;
    }
    void end_if_late() const {
      if (socket_ >= 0 && end_ < Clock::now()) shutdown(socket_, SHUT_RDWR);
    }

   private:
    Connections& all_;
    int socket_ = -1;
    Clock::time_point end_;
  };

  class Pool : public httplib::ThreadPool {
   public:
    Pool(Connections& all, std::size_t threads) : ThreadPool(threads), all_(all) {}

    void enqueue(std::function<void()> serve) override {
      ++all_.waiting_;
      ThreadPool::enqueue([&all = all_, serve = std::move(serve)] {
        --all.waiting_;
        const Connection connection(all);
        serve();
      });
    }

   private:
    Connections& all_;
  };

  static inline thread_local Connection* current_ = nullptr;

  const std::chrono::seconds limit_;
  std::atomic<int> waiting_ = 0;
  std::mutex mutex_;
  std::set<Connection*> all_;
};

}  // namespace webhook
