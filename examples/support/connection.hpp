// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A server's connections: what one is at, and what they have in common. `server.hpp` says how they
/// behave.

#include "certificate.hpp"
#include "metrics.hpp"
#include "server.hpp"
#include "workers.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace support {

namespace asio = boost::asio;
using asio::awaitable;
using asio::ip::tcp;
using boost::system::error_code;

/// What an operation is awaited with whose error is no exception.
inline auto result_in(error_code& failed) {
  return asio::redirect_error(asio::use_awaitable, failed);
}

/// How many bytes are in flight.
class Budget {
 public:
  /// Takes them if no more than `most` are in flight then.
  [[nodiscard]] bool take(std::size_t bytes, std::size_t most) {
    if ((used_ += bytes) <= most) return true;
    used_ -= bytes;
    return false;
  }
  void take_anyway(std::size_t bytes) { used_ += bytes; }
  void give(std::size_t bytes) { used_ -= bytes; }
  [[nodiscard]] std::size_t used() const { return used_; }

 private:
  std::atomic<std::size_t> used_ = 0;
};

class Connection;

/// The connections that wait for their clients, which may have to go. Any thread may use it.
class Waiting {
 public:
  /// Its place in the order in which they began to wait.
  [[nodiscard]] std::uint64_t add(std::weak_ptr<Connection> connection);
  void remove(std::uint64_t place);

  /// Ends the one that has kept the server waiting for longest; false if there is none.
  bool evict_one();
  /// Ends those that are idle.
  void stop();

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<Connection>> by_place_;
  std::uint64_t last_place_ = 0;
};

/// What all connections of a server have in common.
struct Shared {
  Shared(ServerOptions&& server_options, std::vector<Route>&& server_routes, Metrics& metrics);

  /// What is wrong with another certificate than the one before; empty: nothing, or it is the same.
  [[nodiscard]] std::string reload_certificate();

  const ServerOptions options;
  std::map<std::string, Route, std::less<>> routes{};
  Certificate certificate;
  const bool has_tls;
  Budget budget{};
  Waiting waiting{};
  std::atomic<std::size_t> connections = 0;         ///< that are open
  std::atomic<bool> is_draining = false;            ///< each answer ends its connection
  std::atomic<bool> is_stopping = false;            ///< and those that are idle end too
  std::atomic<std::size_t> waiting_for_change = 0;  ///< answers
  Workers workers;

  Family<Counter>& requests;
  Family<Histogram>& durations;
  Family<Counter>& ended;
  Family<Counter>& reloads;
  Family<Counter>& late;
  Family<Counter>& skipped;
  Family<Counter>& asked_again;
};

/// Serves a client until it has ended.
void start_connection(Shared& shared, tcp::socket&& socket);

}  // namespace support
