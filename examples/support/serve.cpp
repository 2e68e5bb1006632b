// SPDX-License-Identifier: Apache-2.0
#include "serve.hpp"

#include "log.hpp"

#include <pthread.h>

#include <algorithm>
#include <ctime>
#include <iostream>

namespace support {

namespace {

sigset_t end_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

EndSignals::EndSignals() : signals_(end_signals()) {
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

bool EndSignals::wait(std::chrono::milliseconds time) const {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const std::chrono::nanoseconds rest = time - seconds;
  const timespec timeout = {.tv_sec = seconds.count(), .tv_nsec = rest.count()};
  return sigtimedwait(&signals_, nullptr, &timeout) > 0;
}

void EndSignals::release() const {
  pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr);
}

void serve_until_asked_to_end(Server& server, const ServerOptions& options,
                              const EndSignals& signals, std::chrono::seconds drain,
                              const std::function<void()>& each_second) {
  using Clock = std::chrono::steady_clock;
  const bool has_tls = !options.certificate_file.empty();
  const bool is_ipv6 = options.host.find(':') != std::string::npos;
  std::cout << "listening on " << (has_tls ? "https://" : "http://")
            << (is_ipv6 ? "[" + options.host + "]" : options.host) << ':' << server.port()
            << std::endl;
  const auto serve_until = [&](Clock::time_point end) {
    for (;;) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) return;
      if (signals.wait(std::min(left, std::chrono::milliseconds(1000)))) return;
      each_second();
    }
  };
  serve_until(Clock::time_point::max());
  log_info("draining");
  server.drain();
  serve_until(Clock::now() + drain);
  log_info("stopping");
  // Who does not want to wait for what still runs can send the signal again.
  signals.release();
  server.stop();
}

}  // namespace support
