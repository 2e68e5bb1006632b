// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The HTTP of the webhook: reviews at /admit and /validate; /healthz, /readyz and /metrics.
/// Nothing is read of a request that is refused for its head, and no error is answered as an
/// allowance.

#include "certificate.hpp"
#include "connections.hpp"
#include "metrics.hpp"
#include "policies.hpp"

#include <schedpol/engine/engine.hpp>
#include <schedpol/json/review.hpp>

#include <httplib.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace webhook {

inline constexpr std::size_t max_body_bytes = std::size_t{8} << 20U;
inline constexpr std::chrono::seconds read_timeout(5);
inline constexpr std::chrono::seconds body_timeout(10);
/// From one answer to the next: the longest idle time and that of a body, and some for a head.
inline constexpr std::chrono::seconds request_timeout(20);

class Server : public httplib::SSLServer {
 public:
  Server(Certificate& certificate, const Policies& policies, std::size_t threads)
      : SSLServer([&](SSL_CTX& context) {
          Connections::watch(context);
          return certificate.serve(context);
        }),
        policies_(policies) {
    new_task_queue = [this, threads] { return connections_.new_pool(threads); };
    set_read_timeout(read_timeout);
    set_write_timeout(read_timeout);
    set_keep_alive_timeout(read_timeout.count());
    set_keep_alive_max_count(100);
    set_tcp_nodelay(true);
    // The default would share the port with a server that has it already.
    set_socket_options([](int socket) {
      const int on = 1;
      setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    });
    set_pre_routing_handler([this](const auto& request, auto& response) {
      return refuse_by_head(request, response) ? HandlerResponse::Handled
                                               : HandlerResponse::Unhandled;
    });
    using schedpol::engine::Phase;
    for (const auto& [path, phase] :
         {std::pair("/admit", Phase::mutating), std::pair("/validate", Phase::validating)}) {
      Post(path, [this, phase = phase](const auto& request, auto& response, const auto& reader) {
        review(phase, request, response, reader);
      });
    }
    Get("/healthz", [](const auto&, auto& response) { response.set_content("ok\n", text); });
    Get("/readyz", [this](const auto&, auto& response) { answer_ready(response); });
    Get("/metrics", [this](const auto&, auto& response) {
      response.set_content(metrics_.text(policies_.state()), "text/plain; version=0.0.4");
    });
    set_post_routing_handler([this](const auto&, auto& response) {
      // A client that stays would keep its thread from those who wait.
      if ((draining_ || connections_.waiting() > 0) && !response.has_header("Connection"))
        response.set_header("Connection", "close");
      if (response.has_header("Connection")) response.headers.erase("Keep-Alive");
    });
    set_logger([](const auto&, const auto&) { Connections::note_answer(); });
    set_exception_handler([this](const auto& request, auto& response, auto) {
      refuse(request, response, 500, "internal error");
    });
  }

  /// The port that is listened on, a free one for 0; negative if there is none.
  int bind(const std::string& host, int port) {
    const int bound = port == 0 ? bind_to_any_port(host) : bind_to_port(host, port) ? port : -1;
    // The library's queue of 5 makes clients of a burst wait a second and more.
    if (bound >= 0) ::listen(svr_sock_, SOMAXCONN);
    return bound;
  }

  /// Ends the connections of clients that are too slow; to be called now and then.
  void cut_off() { connections_.cut_off(); }

  /// From now on not ready, and connections end with their next answer.
  void drain() { draining_ = true; }

 private:
  static constexpr const char* text = "text/plain";

  static bool has_body(const httplib::Request& request) {
    return request.has_header("Transfer-Encoding") ||
           (request.has_header("Content-Length") &&
            request.get_header_value("Content-Length") != "0");
  }

  static bool is_json(const httplib::Request& request) {
    std::string type = request.get_header_value("Content-Type");
    type.resize(std::min(type.find_first_of("; \t"), type.size()));
    std::transform(type.begin(), type.end(), type.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return type == "application/json";
  }

  /// Whether it is plain where the body ends; readers that disagree on it see different requests.
  static bool has_clear_length(const httplib::Request& request) {
    const std::string length = request.get_header_value("Content-Length");
    const std::string coding = request.get_header_value("Transfer-Encoding");
    const auto count = request.get_header_value_count("Content-Length") +
                       request.get_header_value_count("Transfer-Encoding");
    const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
    return count == 1 &&
           (coding == "chunked" || (!length.empty() && length.size() < 19 &&
                                    std::all_of(length.begin(), length.end(), is_digit)));
  }

  bool refuse_by_head(const httplib::Request& request, httplib::Response& response) {
    const std::string& path = request.path;
    const std::string& method = request.method;
    const bool reviews = path == "/admit" || path == "/validate";
    if (!reviews && path != "/healthz" && path != "/readyz" && path != "/metrics")
      return refuse(request, response, 404, "no such path");
    if (reviews ? method != "POST" : method != "GET" && method != "HEAD") {
      response.set_header("Allow", reviews ? "POST" : "GET, HEAD");
      return refuse(request, response, 405, "no such method here");
    }
    if (!reviews)
      return has_body(request) && refuse(request, response, 400, "no body is read here");
    if (!is_json(request) || request.has_header("Content-Encoding"))
      return refuse(request, response, 415, "has to be application/json, and not compressed");
    if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding"))
      return refuse(request, response, 411, "the length of the body is not said");
    return !has_clear_length(request) &&
           refuse(request, response, 400, "the length of the body is not clear");
  }

  /// Answers an error; true. Where a body has not been read to its end the connection closes, so
  /// that its rest is not taken for a request.
  bool refuse(const httplib::Request& request, httplib::Response& response, int status,
              std::string why, bool body_was_read = false) {
    metrics_.count_refusal(status);
    response.status = status;
    why += '\n';
    if (body_was_read || !has_body(request)) {
      response.set_content(why, text);
      return true;
    }
    response.set_header("Connection", "close");
    // A body that fails behind its last byte is how this library is told to close a connection.
    response.set_content_provider(why.size(), text,
                                  [why](std::size_t, std::size_t, httplib::DataSink& sink) {
                                    sink.write(why.data(), why.size());
                                    return false;
                                  });
    return true;
  }

  void review(schedpol::engine::Phase phase, const httplib::Request& request,
              httplib::Response& response, const httplib::ContentReader& reader) {
    using Clock = std::chrono::steady_clock;
    const Metrics::InFlight in_flight(metrics_);
    const Clock::time_point begin = Clock::now();
    std::string body;
    std::size_t received = 0;
    const bool whole = reader([&](const char* bytes, std::size_t size) {
      received += size;
      if (received <= max_body_bytes) body.append(bytes, size);
      // What is too large is read on for a while: a client that is still sending would not see why.
      return received <= 4 * max_body_bytes && Clock::now() - begin < body_timeout;
    });
    if (received > max_body_bytes)
      return void(refuse(request, response, 413, "the body is larger than 8 MiB", whole));
    if (!whole) {
      const bool late = Clock::now() - begin >= read_timeout;
      return void(refuse(request, response, late ? 408 : 400, "the body did not come whole"));
    }
    const auto engine = policies_.engine();
    const Clock::time_point read = Clock::now();
    schedpol::json::Reviewed reviewed = schedpol::json::try_review(body, *engine, phase);
    metrics_.count_review(phase, reviewed.outcome, Clock::now() - read);
    // Without a uid the API server has nothing to match the denial with. In a text the quotes would
    // be escaped.
    const bool answers_nobody = reviewed.outcome == schedpol::json::Outcome::malformed &&
                                reviewed.response.find(R"("uid":"")") != std::string::npos;
    response.status = answers_nobody ? 400 : 200;
    response.set_content(std::move(reviewed.response), "application/json");
  }

  void answer_ready(httplib::Response& response) const {
    const Policies::State state = policies_.state();
    if (!draining_ && state.generation > 0) return response.set_content("ok\n", text);
    response.status = 503;
    response.set_content(draining_ ? "draining\n" : "no policies: " + state.problem + '\n', text);
  }

  const Policies& policies_;
  Metrics metrics_;
  Connections connections_{request_timeout};
  std::atomic<bool> draining_ = false;
};

}  // namespace webhook
