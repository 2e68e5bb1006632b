// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Server: HTTP/1.1 with TLS for a program in a cluster.
///
/// 1. A connection costs no thread. `io_threads` threads read, write and answer GETs, whatever the
///    answers to POSTs cost: `worker_threads` threads make those of up to `small_bytes`, as many
///    others the longer ones, each in the order in which they came and no more than `max_body_bytes`
///    of the long ones at once; one thread more makes what can wait, in the background
///    (`workers.hpp`).
/// 2. Each request has a deadline, `answer_within` after its first byte; a short one that came slowly
///    has a second from its last one. What no worker has answered by
///    then is answered by `Route::too_late`, and not worked on any more if it was still waiting; an
///    answer that could be fuller is sent as it is.
/// 3. A request is refused for its head before anything of its body is read: 404, 405, 411, 413
///    (longer than `max_body_bytes`), 415 (a body that is not `application/json`, or compressed), 417
///    (more is expected than 100-continue), 400 (not HTTP, or it is not clear where the body ends), 431
///    (a head of more than 16 KiB).
/// 4. The bytes of all requests that are being read or answered, and of all answers that are being
///    written, are bounded by `max_bytes_in_flight`; a request beyond that gets 503 with
///    Retry-After at once. A quarter is kept for small requests.
/// 5. A connection that was refused is closed in a way in which the client sees why: what it still
///    sends is thrown away for a while.
/// 6. Silence ends a connection: `read_timeout` from its beginning to the end of the handshake, and
///    from the first byte of a request to its last; `write_timeout` for an answer; `idle_timeout`
///    between requests. When there are `max_connections` the one that has been idle for longest
///    makes room for a new one.
/// 7. The certificate and key are read again when their files change. Connections keep theirs; a
///    pair that does not fit is told of and changes nothing.
/// 8. `client_ca_file` and `client_token_file` tell clients that are known from others: by a client
///    certificate of that CA, or by `Authorization: Bearer TOKEN`. A certificate of another CA is no
///    connection. `Route::access` says who is answered; what is for known clients alone says 401 to
///    all others, and 403 where there is neither file.
/// 9. Draining, all is answered as ever but each answer ends its connection. Stopping, nothing is
///    accepted any more, idle connections end and what is in flight is answered.
/// 10. An answer that soon may be another one (`Response::may_differ`) is kept for up to
///    `wait_for_change`, which costs no thread, and asked for again when it may. So many as
///    `max_waiting_for_change` wait at a time; further ones are answered as it is.
///
/// A handler that throws is answered with 500, and 503 where memory is short. Pipelined requests are answered in their order.

#include "metrics.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace support {

/// What a handler sees of a request, until it returns.
struct Request {
  std::string_view method;
  std::string_view path;   ///< up to the question mark
  std::string_view query;  ///< behind it
  std::string_view body;
};

struct Response {
  int status = 200;
  std::string body{};
  std::string_view content_type = "text/plain; charset=utf-8";  ///< has to outlive the response
  std::vector<std::pair<std::string, std::string>> headers{};
  /// `Route::in_background` has a fuller answer, which is sent instead if there is time to make it.
  bool is_provisional = false;
  /// Whether the handler would find more by now than when it answered. None: it never will.
  std::function<bool()> may_differ{};
  /// How long after the request came it is kept for that, and never longer than
  /// `ServerOptions::wait_for_change`.
  std::chrono::milliseconds wait_for_change = std::chrono::milliseconds::max();
  /// Called where it is the answer, and not asked for again.
  std::function<void()> when_sent{};
};

/// Called by several threads at once.
using Handler = std::function<Response(const Request&)>;

/// What a path is asked by.
enum class Method {
  get,   ///< GET and HEAD, without a body
  post,  ///< POST with a body of JSON
};

/// Whom a path answers.
enum class Access {
  usual,  ///< a POST known clients, where there is a file that tells them; a GET everybody: probes
  open,   ///< everybody
  /// Known clients alone. A GET is answered by a worker, as a long request is, and with 503 where its
  /// answer would be too many bytes in flight.
  known,
};

struct Route {
  Method method = Method::get;
  std::string path;
  Handler handler;
  Handler in_background{};  ///< for what `handler` calls provisional
  Handler too_late{};       ///< for what was not answered in time; none: 504
  Access access = Access::usual;
};

/// One for each processor, but from two to eight.
[[nodiscard]] unsigned default_worker_threads();

struct ServerOptions {
  std::string host = "0.0.0.0";  ///< an address, or a name of this machine
  std::uint16_t port = 8443;     ///< 0: any free one
  /// PEM files; both empty: HTTP without TLS.
  std::filesystem::path certificate_file{};
  std::filesystem::path key_file{};
  std::filesystem::path client_ca_file{};     ///< PEM; empty: no certificate is asked for
  std::filesystem::path client_token_file{};  ///< read for each request; empty: no token is taken
  unsigned io_threads = 2;
  unsigned worker_threads = default_worker_threads();
  std::size_t small_bytes = std::size_t{64} << 10U;
  std::size_t max_body_bytes = std::size_t{8} << 20U;
  std::size_t max_bytes_in_flight = std::size_t{64} << 20U;
  std::size_t max_connections = 2048;
  /// Less than who asks waits.
  std::chrono::milliseconds answer_within{4'000};
  std::chrono::milliseconds wait_for_change{1'000};
  std::size_t max_waiting_for_change = 256;
  std::chrono::milliseconds idle_timeout{std::chrono::seconds(120)};
  std::chrono::milliseconds read_timeout{std::chrono::seconds(10)};
  std::chrono::milliseconds write_timeout{std::chrono::seconds(30)};
};

class Server {
 public:
  /// `metrics` has to outlive the server, which counts there what it does:
  /// `schedpol_http_requests_total{path,code}`, `schedpol_http_request_duration_seconds{path}`,
  /// `schedpol_http_late_total{path}`, `schedpol_http_background_skipped_total{path}`,
  /// `schedpol_http_asked_again_total{path}`, `schedpol_http_waiting_for_change`,
  /// `schedpol_http_connections`, `schedpol_http_connections_ended_total{reason}`,
  /// `schedpol_http_bytes_in_flight`, `schedpol_certificate_not_after_seconds`,
  /// `schedpol_certificate_reloads_total{result}`.
  Server(ServerOptions options, std::vector<Route> routes, Metrics& metrics);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Reads the certificate, listens and serves, by threads of its own. What went wrong; empty:
  /// nothing.
  [[nodiscard]] std::string start();

  /// The port that is listened on, once it was started.
  [[nodiscard]] std::uint16_t port() const;

  /// From now on each answer ends its connection.
  void drain();
  [[nodiscard]] bool is_draining() const;

  /// Accepts nothing any more, and returns when what was in flight is answered or out of time.
  void stop();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace support
