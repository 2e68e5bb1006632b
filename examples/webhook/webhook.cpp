// SPDX-License-Identifier: Apache-2.0
// An admission webhook: HTTPS around json::try_review, by the policies of a directory that may
// change at any time. See usage below; manifests/ runs it in a cluster.

#include "certificate.hpp"
#include "policies.hpp"
#include "server.hpp"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace {

constexpr std::string_view usage =
    "usage: webhook --policies DIR --cert FILE --key FILE --listen HOST:PORT\n"
    "               [--drain SECONDS] [--threads N]\n"
    "\n"
    "  --policies DIR      the *.json files in it are the policies and the EngineConfiguration\n"
    "  --cert FILE         certificate chain, PEM\n"
    "  --key FILE          its private key, PEM\n"
    "  --listen HOST:PORT  port 0: any free one; [HOST]:PORT for IPv6\n"
    "  --drain SECONDS     after SIGTERM, time to go on serving while not ready; default 5\n"
    "  --threads N         connections that are served at once; default 32\n";

struct Options {
  std::string policies;
  std::string certificate;
  std::string key;
  std::string host;
  int port = -1;
  int drain = 5;
  int threads = 32;
};

bool read_number(std::string_view text, int min, int max, int& number) {
  const char* const end = text.data() + text.size();
  const auto [read_to, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && read_to == end && min <= number && number <= max;
}

bool read_address(std::string_view text, Options& options) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return false;
  std::string_view host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  options.host = host;
  return !host.empty() && read_number(text.substr(colon + 1), 0, 65535, options.port);
}

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 == argc) return std::nullopt;
    const std::string_view name = argv[i];
    const std::string_view value = argv[i + 1];
    bool good = !value.empty();
    if (name == "--policies") {
      options.policies = value;
    } else if (name == "--cert") {
      options.certificate = value;
    } else if (name == "--key") {
      options.key = value;
    } else if (name == "--listen") {
      good = read_address(value, options);
    } else if (name == "--drain") {
      good = read_number(value, 0, 3600, options.drain);
    } else if (name == "--threads") {
      good = read_number(value, 1, 1024, options.threads);
    } else {
      good = false;
    }
    if (!good) return std::nullopt;
  }
  const bool complete = !options.policies.empty() && !options.certificate.empty() &&
                        !options.key.empty() && options.port >= 0;
  return complete ? std::optional(options) : std::nullopt;
}

/// Whether one of the signals, which are blocked, came before the time was over.
bool wait_for(const sigset_t& signals, std::chrono::milliseconds time) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(time);
  const std::chrono::nanoseconds rest = time - seconds;
  const timespec timeout = {.tv_sec = seconds.count(), .tv_nsec = rest.count()};
  return sigtimedwait(&signals, nullptr, &timeout) > 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::optional<Options> options = read_options(argc, argv);
  if (!options) {
    std::cerr << usage;
    return 2;
  }
  // All threads inherit the mask; the signals are waited for below, so that there is no handler.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  webhook::Certificate certificate(options->certificate, options->key);
  certificate.reload();
  if (!certificate.loaded()) return 1;
  webhook::Policies policies(options->policies);
  policies.reload();
  webhook::Server server(certificate, policies, static_cast<std::size_t>(options->threads));
  const int port = server.bind(options->host, options->port);
  if (port < 0) {
    std::cerr << options->host << ':' << options->port << ": cannot be listened on\n";
    return 1;
  }
  std::atomic<bool> ended = false;
  std::atomic<bool> well = false;
  std::thread listener([&] {
    well = server.listen_after_bind();
    ended = true;
  });
  // Only a server that runs can be stopped.
  while (!server.is_running() && !ended) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const bool is_ipv6 = options->host.find(':') != std::string::npos;
  std::cout << "listening on https://" << (is_ipv6 ? "[" + options->host + "]" : options->host)
            << ':' << port << std::endl;

  using Clock = std::chrono::steady_clock;
  const auto serve_until = [&](Clock::time_point end) {
    while (!ended) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
      if (left.count() <= 0) return;
      if (wait_for(signals, std::min(left, std::chrono::milliseconds(1000)))) return;
      server.cut_off();
      policies.reload();
      certificate.reload();
    }
  };
  serve_until(Clock::time_point::max());
  server.drain();
  serve_until(Clock::now() + std::chrono::seconds(options->drain));
  // Who does not want to wait for what still runs can send the signal again.
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  server.stop();
  while (!ended) {
    server.cut_off();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  listener.join();
  if (!well) std::cerr << "the listening socket failed\n";
  return well ? 0 : 1;
}
