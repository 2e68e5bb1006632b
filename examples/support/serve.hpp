// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The life of a program that is a server: until it is asked to end, by SIGTERM or SIGINT.

#include "server.hpp"

#include <signal.h>

#include <chrono>
#include <functional>

namespace support {

/// The signals that ask a program to end. To be made before any thread is: from then on they come
/// only by `wait`.
class EndSignals {
 public:
  EndSignals();
  /// Whether one came before the time was over.
  [[nodiscard]] bool wait(std::chrono::milliseconds time) const;
  /// Lets the next one end the process.
  void release() const;

 private:
  sigset_t signals_;
};

/// What a program does with a server that was started: says where it listens, on stdout as
/// `listening on https://HOST:PORT`, calls `each_second` about that often until it is asked to end,
/// drains for `drain` or until it is asked again, and stops. A third time ends the process.
void serve_until_asked_to_end(Server& server, const ServerOptions& options,
                              const EndSignals& signals, std::chrono::seconds drain,
                              const std::function<void()>& each_second);

}  // namespace support
