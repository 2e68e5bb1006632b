// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include "certificate.hpp"
#include "connection.hpp"
#include "files.hpp"
#include "log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>

#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <thread>

namespace support {

namespace {

constexpr std::chrono::seconds certificate_tick(1);
/// Before a connection is accepted again, where there were no files or no memory left for one.
constexpr std::chrono::milliseconds accept_pause(250);

/// As many files as may be open, because a connection is one.
void raise_file_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

/// Memory of large requests goes back when they are answered. The default raises this threshold
/// with each of them, and keeps what is below it.
void keep_little_memory() {
  mallopt(M_MMAP_THRESHOLD, 256 << 10);
  mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

}  // namespace

Shared::Shared(ServerOptions&& server_options, std::vector<Route>&& server_routes, Metrics& metrics)
    : options(std::move(server_options)),
      certificate(options.certificate_file, options.key_file, options.client_ca_file),
      has_tls(!options.certificate_file.empty()),
      workers(std::max(options.worker_threads, 1U), options.max_body_bytes),
      requests(metrics.counters("schedpol_http_requests_total", "Requests that were answered.",
                                {"path", "code"})),
      durations(metrics.histograms("schedpol_http_request_duration_seconds",
                                   "Time from the last byte of a request to its answer.",
                                   {"path"})),
      ended(metrics.counters("schedpol_http_connections_ended_total",
                             "Connections that ended, and why.", {"reason"})),
      reloads(metrics.counters("schedpol_certificate_reloads_total", "Certificates that were read.",
                               {"result"})),
      late(metrics.counters("schedpol_http_late_total",
                            "Requests that no worker had answered in time.", {"path"})),
      skipped(metrics.counters("schedpol_http_background_skipped_total",
                               "Answers that were not made fuller, for want of time or room.",
                               {"path"})),
      asked_again(metrics.counters("schedpol_http_asked_again_total",
                                   "Answers that were made again because more was known.",
                                   {"path"})) {
  for (Route& route : server_routes) {
    std::string path = route.path;
    routes.emplace(std::move(path), std::move(route));
  }
  metrics.gauge("schedpol_http_connections", "Connections that are open.",
                [this] { return static_cast<double>(connections.load()); });
  metrics.gauge("schedpol_http_bytes_in_flight",
                "Bytes of requests that are read or answered, and of answers.",
                [this] { return static_cast<double>(budget.used()); });
  metrics.gauge("schedpol_http_waiting_for_change",
                "Answers that are kept because more may be known soon.",
                [this] { return static_cast<double>(waiting_for_change.load()); });
  metrics.gauge("schedpol_certificate_not_after_seconds",
                "When the certificate expires, in Unix time; 0 without TLS.",
                [this] { return certificate.not_after(); });
}

std::string Shared::reload_certificate() {
  std::string wrong;
  const Certificate::Reload result = certificate.reload(wrong);
  if (result != Certificate::Reload::unchanged)
    reloads.with({result == Certificate::Reload::renewed ? "good" : "bad"}).add();
  return wrong;
}

unsigned default_worker_threads() {
  return std::clamp(std::thread::hardware_concurrency(), 2U, 8U);
}

struct Server::Impl {
  Impl(ServerOptions&& options, std::vector<Route>&& routes, Metrics& metrics)
      : shared(std::move(options), std::move(routes), metrics) {}

  std::string listen() {
    const ServerOptions& options = shared.options;
    error_code failed;
    tcp::resolver resolver(io);
    const auto found = resolver.resolve(options.host, std::to_string(options.port),
                                        tcp::resolver::passive, failed);
    const tcp::endpoint at = failed ? tcp::endpoint() : found.begin()->endpoint();
    if (!failed) acceptor.open(at.protocol(), failed);
    if (!failed) acceptor.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor.bind(at, failed);
    if (!failed) acceptor.listen(tcp::acceptor::max_listen_connections, failed);
    if (!failed) port = acceptor.local_endpoint(failed).port();
    if (!failed) return "";
    return options.host + ":" + std::to_string(options.port) +
           ": cannot be listened on: " + failed.message();
  }

  awaitable<void> accept() {
    asio::steady_timer pause(io);
    while (acceptor.is_open()) {
      tcp::socket socket(asio::make_strand(io));
      error_code failed;
      co_await acceptor.async_accept(socket, result_in(failed));
      if (!acceptor.is_open()) co_return;
      if (!failed) {
        begin(std::move(socket));
      } else if (failed != asio::error::connection_aborted) {
        // No more files, or no more memory: who keeps the server waiting for longest has to go.
        log_warning("a connection cannot be accepted", {{"error", failed.message()}});
        shared.waiting.evict_one();
        pause.expires_after(accept_pause);
        co_await pause.async_wait(result_in(failed));
      }
    }
  }

  void begin(tcp::socket&& socket) {
    if (shared.connections >= shared.options.max_connections && !shared.waiting.evict_one()) {
      shared.ended.with({"refused"}).add();
      return;
    }
    start_connection(shared, std::move(socket));
  }

  awaitable<void> watch_certificate() {
    while (acceptor.is_open()) {
      error_code ignored;
      certificate_timer.expires_after(certificate_tick);
      co_await certificate_timer.async_wait(result_in(ignored));
      const std::string wrong = shared.reload_certificate();
      if (!wrong.empty()) log_error(wrong);
    }
  }

  /// What cannot get memory ends its connection, and nobody else's.
  void run() {
    for (;;) {
      try {
        io.run();
        return;
      } catch (const std::exception& failure) {
        log_error("a connection failed", {{"error", failure.what()}});
      }
    }
  }

  Shared shared;
  asio::io_context io{};
  /// Of what is below, which is used by one thread at a time.
  asio::any_io_executor strand = asio::make_strand(io);
  tcp::acceptor acceptor{strand};
  asio::steady_timer certificate_timer{strand};
  std::uint16_t port = 0;
  std::vector<std::thread> threads{};
};

Server::Server(ServerOptions options, std::vector<Route> routes, Metrics& metrics)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(routes), metrics)) {}

Server::~Server() {
  stop();
}

std::string Server::start() {
  Impl& impl = *impl_;
  // A client that has gone is an error of a call, and no signal.
  signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  keep_little_memory();
  if (impl.shared.has_tls) {
    if (std::string wrong = impl.shared.reload_certificate(); !wrong.empty()) return wrong;
  }
  const std::filesystem::path& token = impl.shared.options.client_token_file;
  if (!token.empty() && !read_token(token)) return token.string() + ": no token can be read";
  if (std::string wrong = impl.listen(); !wrong.empty()) return wrong;
  const auto begin = [&](auto coroutine) {
    asio::co_spawn(impl.strand, std::move(coroutine), asio::detached);
  };
  begin([&impl] { return impl.accept(); });
  if (impl.shared.has_tls) begin([&impl] { return impl.watch_certificate(); });
  for (unsigned i = 0; i < std::max(impl.shared.options.io_threads, 1U); ++i)
    impl.threads.emplace_back([&impl] { impl.run(); });
  return "";
}

std::uint16_t Server::port() const {
  return impl_->port;
}

void Server::drain() {
  impl_->shared.is_draining = true;
}

bool Server::is_draining() const {
  return impl_->shared.is_draining;
}

void Server::stop() {
  if (impl_->threads.empty()) return;
  drain();
  asio::post(impl_->strand, [impl = impl_.get()] {
    error_code ignored;
    impl->acceptor.close(ignored);
    impl->certificate_timer.cancel();
    impl->shared.is_stopping = true;
    impl->shared.waiting.stop();
  });
  // What is in flight keeps them running.
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
  impl_->shared.workers.join();
}

}  // namespace support
