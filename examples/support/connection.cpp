// SPDX-License-Identifier: Apache-2.0
#include "connection.hpp"

#include "log.hpp"
#include "request_head.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <malloc.h>

#include <algorithm>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <utility>

namespace support {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;
using TlsStream = beast::ssl_stream<tcp::socket&>;

constexpr std::size_t max_head_bytes = std::size_t{16} << 10U;
/// Of what comes in at once; a TLS record has no more.
constexpr std::size_t read_bytes = std::size_t{16} << 10U;
/// What an idle connection has room for.
constexpr std::size_t first_read_bytes = 512;
/// How long, and how much, the client of a refused request may go on sending.
constexpr std::chrono::seconds discard_timeout(5);
constexpr std::size_t max_discarded_bytes = std::size_t{64} << 20U;
/// So many as can be made, at 200 ms each (the analysis of a policy), before their deadline.
constexpr std::size_t max_in_background = 16;
/// After which it is seen whether an answer may be another one.
constexpr std::chrono::milliseconds change_tick(20);
/// That a short request has in any case from its last byte on, however slowly it came.
constexpr std::chrono::milliseconds short_time(1'000);
/// A request of more than this has the memory behind it given back at once.
constexpr std::size_t large_bytes = std::size_t{1} << 20U;
/// Until what was interrupted is interrupted again.
constexpr std::chrono::milliseconds interrupt_again(250);

/// A request that is being answered. It outlives its connection where a worker is still at it.
struct PendingRequest {
  PendingRequest(const Route& to, http::request<http::string_body>& whole, Budget& server_budget,
                 std::size_t bytes, asio::any_io_executor strand)
      : route(to),
        method(whole.method_string()),
        target(whole.target()),
        body(std::move(whole.body())),
        budget(server_budget),
        charged(bytes),
        answered(std::move(strand)) {}
  /// Bytes count as in flight until their memory is given back.
  ~PendingRequest() {
    std::string().swap(body);
    budget.give(charged);
  }
  PendingRequest(const PendingRequest&) = delete;
  PendingRequest& operator=(const PendingRequest&) = delete;

  [[nodiscard]] Request request() const {
    const std::string_view all = target;
    const std::string_view path = path_of(all);
    return {method, path, all.substr(std::min(path.size() + 1, all.size())), body};
  }

  /// Counts the bytes of its answer until there is one, where they are not too many.
  [[nodiscard]] bool charge(std::size_t bytes, std::size_t most) {
    if (!budget.take(bytes, most)) return false;
    charged += bytes;
    return true;
  }

  const Route& route;
  const std::string method;
  const std::string target;
  std::string body;
  Budget& budget;
  std::size_t charged;
  // Of the strand of the connection.
  /// Expires at the deadline, or when it is time to see whether the answer may be another one. An
  /// answer cancels it.
  asio::steady_timer answered;
  std::optional<Response> answer{};
};

/// A place among the answers that are kept for a change.
class WaitsForChange {
 public:
  explicit WaitsForChange(Shared& shared) : waiting_(shared.waiting_for_change) {
    has_place_ = ++waiting_ <= shared.options.max_waiting_for_change;
  }
  ~WaitsForChange() { --waiting_; }
  WaitsForChange(const WaitsForChange&) = delete;
  WaitsForChange& operator=(const WaitsForChange&) = delete;

  [[nodiscard]] bool has_place() const noexcept { return has_place_; }

 private:
  std::atomic<std::size_t>& waiting_;
  bool has_place_;
};

/// The answer of a handler, whatever happens.
Response ask(const Handler& handler, const PendingRequest& asked) {
  try {
    return handler(asked.request());
  } catch (const std::bad_alloc&) {
    return busy("no memory is left for this request");
  } catch (const std::exception& failure) {
    const Route& route = asked.route;
    log_error("a request failed", {{"path", route.path}, {"error", failure.what()}});
    return error(500, "internal error");
  }
}

http::response<http::string_body> message_of(Response&& response, bool keeps_alive, bool is_head) {
  http::response<http::string_body> message(static_cast<http::status>(response.status), 11);
  message.set(http::field::content_type,
              beast::string_view(response.content_type.data(), response.content_type.size()));
  message.content_length(response.body.size());
  for (const auto& [name, value] : response.headers) message.set(name, value);
  if (!keeps_alive) message.set(http::field::connection, "close");
  if (!is_head) message.body() = std::move(response.body);
  return message;
}

/// Tells a client that nothing more is said. What it says to that nobody waits for.
awaitable<void> say_goodbye(TlsStream& stream) {
  error_code ignored;
  SSL_set_shutdown(stream.native_handle(), SSL_RECEIVED_SHUTDOWN);
  co_await stream.async_shutdown(result_in(ignored));
}
awaitable<void> say_goodbye(tcp::socket&) {
  co_return;
}

}  // namespace

/// One connection, which lives until it has ended. All of it runs on the strand of its socket.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Shared& shared, tcp::socket&& socket)
      : shared_(shared),
        socket_(std::move(socket)),
        timer_(socket_.get_executor()),
        buffer_(max_head_bytes + read_bytes) {
    ++shared_.connections;
  }
  ~Connection() {
    shared_.waiting.remove(place_);
    --shared_.connections;
  }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void start() {
    asio::co_spawn(
        socket_.get_executor(), [self = shared_from_this()] { return self->serve(); },
        asio::detached);
  }

  void evict() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->leave("evicted"); });
  }

  void stop() {
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
      if (self->phase_ == Phase::greeting || self->phase_ == Phase::idle) self->leave("stopped");
    });
  }

 private:
  enum class Phase {
    greeting,    ///< nothing has come yet
    shaking,     ///< the handshake goes on
    idle,        ///< between requests
    reading,     ///< a request has begun
    handling,    ///< it is being answered
    writing,     ///< the answer is being written
    discarding,  ///< it was the last; what still comes is thrown away
  };

  /// A request, from its first byte to the last one of its answer.
  struct Exchange {
    explicit Exchange(Budget& server_budget) : budget(server_budget) {
      parser.header_limit(max_head_bytes);
      // Bodies are bounded where what is refused can be told.
      parser.body_limit(std::numeric_limits<std::uint64_t>::max());
    }
    ~Exchange() { release(); }
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;

    /// Gives back what the request holds.
    void release() {
      std::string().swap(parser.get().body());
      budget.give(std::exchange(charged, 0));
    }

    Budget& budget;
    Parser parser{};
    const Route* route = nullptr;       ///< where it goes; null: nowhere
    std::optional<Response> refusal{};  ///< it is not read to its end
    std::size_t charged = 0;            ///< its bytes that are in flight
    const Clock::time_point begun = Clock::now();
    bool keeps_alive = false;  ///< the connection goes on behind it
  };

  awaitable<void> serve() {
    error_code failed;
    socket_.set_option(tcp::no_delay(true), failed);
    enter(Phase::greeting, shared_.options.read_timeout);
    // A client that says nothing costs a socket, and no more.
    co_await socket_.async_wait(tcp::socket::wait_read, result_in(failed));
    if (!failed && shared_.has_tls) {
      failed = co_await serve_tls();
    } else if (!failed) {
      failed = co_await converse(socket_);
    }
    shared_.ended.with({end_of(failed)}).add();
  }

  void enter(Phase phase, std::chrono::milliseconds timeout) {
    phase_ = phase;
    shared_.waiting.remove(place_);
    place_ = shared_.waiting.add(weak_from_this());
    expire_after(timeout);
  }

  /// Not Beast's time-out, which closes the socket: who is too slow can be told so.
  void expire_after(std::chrono::milliseconds time) {
    timer_.expires_after(time);
    timer_.async_wait([weak = weak_from_this()](error_code failed) {
      const auto self = weak.lock();
      // It may have been set anew since it was due.
      if (!failed && self && self->timer_.expiry() <= Clock::now()) self->expire();
    });
  }

  void expire() {
    switch (phase_) {
      case Phase::greeting:
      case Phase::shaking:
      case Phase::writing: return leave("slow");
      case Phase::idle: return leave("idle");
      case Phase::discarding: return leave("answered");
      case Phase::reading: is_late_ = true; return interrupt();
      case Phase::handling: return;
    }
  }

  void leave(std::string_view reason) {
    if (left_reason_.empty()) left_reason_ = reason;
    interrupt();
  }

  /// Ends what is waited for.
  void interrupt() {
    if (phase_ == Phase::handling) return;
    error_code ignored;
    if (phase_ == Phase::idle || phase_ == Phase::reading) {
      socket_.cancel(ignored);
    } else {
      socket_.close(ignored);
    }
    // What is done already cannot be cancelled, but what comes after it.
    expire_after(interrupt_again);
  }

  std::string_view end_of(const error_code& failed) const {
    if (!left_reason_.empty()) return left_reason_;
    if (!failed) return "answered";
    if (phase_ == Phase::shaking) return "handshake";
    const bool is_closed = failed == asio::error::eof || failed == http::error::end_of_stream ||
                           failed == http::error::partial_message;
    return is_closed ? "closed" : "broken";
  }

  awaitable<error_code> serve_tls() {
    error_code failed;
    const auto context = shared_.certificate.context();
    TlsStream stream(socket_, *context);
    phase_ = Phase::shaking;
    co_await stream.async_handshake(asio::ssl::stream_base::server, result_in(failed));
    if (failed) co_return failed;
    const std::unique_ptr<X509, decltype(&X509_free)> shown(
        SSL_get_peer_certificate(stream.native_handle()), X509_free);
    has_certificate_ =
        shown != nullptr && SSL_get_verify_result(stream.native_handle()) == X509_V_OK;
    co_return co_await converse(stream);
  }

  template <class Stream>
  awaitable<error_code> converse(Stream& stream) {
    bool goes_on = true;
    while (goes_on) {
      error_code failed = co_await wait_for_request(stream);
      if (failed) co_return failed;
      Exchange exchange(shared_.budget);
      failed = co_await receive(stream, exchange);
      if (!failed) failed = co_await answer(stream, exchange);
      if (failed) co_return failed;
      goes_on = exchange.keeps_alive;
    }
    enter(Phase::discarding, discard_timeout);
    co_await say_goodbye(stream);
    co_await discard();
    co_return error_code();
  }

  /// Until the first byte of the next request is there.
  template <class Stream>
  awaitable<error_code> wait_for_request(Stream& stream) {
    error_code failed;
    enter(Phase::idle, shared_.options.idle_timeout);
    if (shared_.is_stopping) leave("stopped");
    if (left_reason_.empty() && buffer_.size() == 0) {
      buffer_.shrink_to_fit();
      const std::size_t bytes =
          co_await stream.async_read_some(buffer_.prepare(first_read_bytes), result_in(failed));
      buffer_.commit(bytes);
    }
    if (left_reason_.empty()) co_return failed;
    enter(Phase::discarding, discard_timeout);
    co_await say_goodbye(stream);
    co_return asio::error::operation_aborted;
  }

  /// Reads a request to its end, or as far as it is refused.
  template <class Stream>
  awaitable<error_code> receive(Stream& stream, Exchange& exchange) {
    Parser& parser = exchange.parser;
    error_code failed;
    enter(Phase::reading, shared_.options.read_timeout);
    co_await http::async_read_header(stream, buffer_, parser, result_in(failed));
    failed = refuse(exchange, failed);
    if (!failed && !exchange.refusal) take_head(exchange);
    if (failed || exchange.refusal || parser.is_done()) co_return failed;
    if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
      constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      co_await asio::async_write(stream, asio::buffer(go_on), result_in(failed));
    }
    parser.eager(true);
    buffer_.reserve(read_bytes);
    while (!failed && !exchange.refusal && !parser.is_done()) {
      co_await http::async_read_some(stream, buffer_, parser, result_in(failed));
      failed = refuse(exchange, failed);
      if (!failed && !exchange.refusal) charge_body(exchange);
    }
    co_return failed;
  }

  /// Refuses what cannot be read, if the client can be told; otherwise why not.
  error_code refuse(Exchange& exchange, const error_code& failed) const {
    if (!left_reason_.empty()) return asio::error::operation_aborted;
    if (is_late_) {
      exchange.refusal = error(408, "the request did not come whole in time");
    } else if (failed == http::error::header_limit || failed == http::error::buffer_overflow) {
      exchange.refusal = error(431, "the head is too large");
    } else if (failed == http::error::body_limit) {
      exchange.refusal = too_large(shared_.options.max_body_bytes);
    } else if (failed.category() != make_error_code(http::error::bad_version).category() ||
               failed == http::error::end_of_stream || failed == http::error::partial_message) {
      return failed;
    } else {
      exchange.refusal = error(400, "no HTTP request: " + failed.message());
    }
    return {};
  }

  void take_head(Exchange& exchange) const {
    const http::request_header<>& head = exchange.parser.get();
    const auto found = shared_.routes.find(path_of(text_of(head.target())));
    if (found != shared_.routes.end()) exchange.route = &found->second;
    exchange.refusal =
        refusal_of_head(exchange.parser, exchange.route, shared_.options.max_body_bytes);
    exchange.parser.body_limit(shared_.options.max_body_bytes);
    if (!exchange.refusal) exchange.refusal = refusal_of_client(*exchange.route, exchange.parser);
    if (exchange.refusal) return;
    const auto length = static_cast<std::size_t>(exchange.parser.content_length().value_or(0));
    charge(exchange, length);
    if (!exchange.refusal) make_room(exchange, length);
  }

  /// For a body, as long as one that there is no memory for can be refused.
  static void make_room(Exchange& exchange, std::size_t bytes) {
    try {
      exchange.parser.get().body().reserve(bytes);
    } catch (const std::bad_alloc&) {
      exchange.refusal = busy("no memory is left for this request");
    }
  }

  /// Why the client is none that the route answers.
  std::optional<Response> refusal_of_client(const Route& route, const Parser& parser) const {
    const ServerOptions& options = shared_.options;
    const bool are_some_known =
        !options.client_ca_file.empty() || !options.client_token_file.empty();
    const bool is_for_all =
        route.access == Access::open ||
        (route.access == Access::usual && (route.method == Method::get || !are_some_known));
    if (is_for_all) return std::nullopt;
    if (!are_some_known) return forbidden();
    if (has_certificate_ || has_token(parser, options.client_token_file)) return std::nullopt;
    return unauthorized();
  }

  /// A body that does not say its length is counted as it grows.
  void charge_body(Exchange& exchange) const {
    const std::string& body = exchange.parser.get().body();
    if (body.size() > exchange.charged) charge(exchange, body.capacity() - exchange.charged);
  }

  /// Counts bytes as in flight, or refuses the request.
  void charge(Exchange& exchange, std::size_t bytes) const {
    const ServerOptions& options = shared_.options;
    const bool is_small = exchange.charged + bytes <= options.small_bytes;
    const std::size_t most = options.max_bytes_in_flight;
    if (exchange.budget.take(bytes, is_small ? most : most - most / 4)) {
      exchange.charged += bytes;
    } else {
      exchange.refusal = busy("too many bytes of requests are in flight");
    }
  }

  template <class Stream>
  awaitable<error_code> answer(Stream& stream, Exchange& exchange) {
    Response response;
    if (exchange.refusal) {
      response = *std::move(exchange.refusal);
    } else {
      response = co_await handle(exchange);
    }
    const http::request_header<>& head = exchange.parser.get();
    const bool is_head = head.method() == http::verb::head;
    exchange.keeps_alive = !exchange.refusal && exchange.parser.keep_alive() &&
                           head.version() == 11 && !shared_.is_draining && left_reason_.empty();
    const std::string_view path =
        exchange.route == nullptr ? std::string_view("other") : exchange.route->path;
    shared_.requests.with({path, std::to_string(response.status)}).add();
    exchange.release();
    exchange.charged = response.body.size();
    exchange.budget.take_anyway(exchange.charged);
    const auto message = message_of(std::move(response), exchange.keeps_alive, is_head);
    error_code failed;
    enter(Phase::writing, shared_.options.write_timeout);
    co_await http::async_write(stream, message, result_in(failed));
    co_return failed;
  }

  /// What the route answers, or what it has to say when there was no time to.
  awaitable<Response> handle(Exchange& exchange) {
    phase_ = Phase::handling;
    shared_.waiting.remove(place_);
    timer_.cancel();
    const Clock::time_point begin = Clock::now();
    const Clock::time_point deadline = exchange.begun + shared_.options.answer_within;
    const Route& route = *exchange.route;
    const auto asked = std::make_shared<PendingRequest>(
        route, exchange.parser.get(), exchange.budget, std::exchange(exchange.charged, 0),
        socket_.get_executor());
    const bool is_short = asked->body.size() <= shared_.options.small_bytes;
    // Long answers are made one at a time.
    const bool is_read = route.method == Method::get && route.access == Access::known;
    const auto work_on = [&](const Handler& handler, Clock::time_point end) {
      asked->answered.expires_at(end);
      return Work{.deadline = end,
                  .bytes = is_read ? shared_.options.max_body_bytes : asked->body.size(),
                  .run = [asked, &handler, &shared = shared_] {
                    answer_by_worker(shared, asked, handler);
                  }};
    };
    const auto post = [&] {
      if (is_short && !is_read) {
        shared_.workers.post_short(work_on(route.handler, std::max(deadline, begin + short_time)));
      } else {
        shared_.workers.post(work_on(route.handler, deadline));
      }
    };
    error_code ignored;
    if (route.method == Method::get && !is_read) {
      asked->answer = ask(route.handler, *asked);
    } else {
      post();
      co_await asked->answered.async_wait(result_in(ignored));
    }
    std::optional<Response> response = std::exchange(asked->answer, std::nullopt);
    if (response && response->may_differ) {
      const WaitsForChange waits(shared_);
      const auto until = [&] {
        const auto longest = shared_.options.wait_for_change;
        return std::min(begin + std::min(response->wait_for_change, longest), deadline);
      };
      while (waits.has_place() && response && response->may_differ && Clock::now() < until() &&
             !shared_.is_draining) {
        asked->answered.expires_after(change_tick);
        co_await asked->answered.async_wait(result_in(ignored));
        if (!response->may_differ()) continue;
        shared_.asked_again.with({route.path}).add();
        post();
        co_await asked->answered.async_wait(result_in(ignored));
        response = std::exchange(asked->answer, std::nullopt);
      }
      if (response && response->when_sent) response->when_sent();
    }
    if (!response) {
      shared_.late.with({route.path}).add();
      response = route.too_late ? ask(route.too_late, *asked) : error(504, "no answer in time");
    } else if (response->is_provisional) {
      if (shared_.workers.post_in_background(work_on(route.in_background, deadline),
                                             max_in_background))
        co_await asked->answered.async_wait(result_in(ignored));
      if (asked->answer) {
        response = std::move(asked->answer);
      } else {
        shared_.skipped.with({route.path}).add();
      }
    }
    shared_.durations.with({route.path})
        .observe(std::chrono::duration<double>(Clock::now() - begin).count());
    co_return *std::move(response);
  }

  static void answer_by_worker(Shared& shared, const std::shared_ptr<PendingRequest>& asked,
                               const Handler& handler) {
    auto made = std::make_shared<Response>(ask(handler, *asked));
    const std::size_t most = shared.options.max_bytes_in_flight;
    if (asked->route.method == Method::get && !asked->charge(made->body.size(), most - most / 4))
      *made = busy("too many bytes are in flight");
    if (asked->body.size() > large_bytes) malloc_trim(0);
    asio::post(asked->answered.get_executor(), [asked, made = std::move(made)] {
      asked->answer = std::move(*made);
      asked->answered.cancel();
    });
  }

  /// Lets a client see why it was refused: what it still sends is thrown away for a while.
  awaitable<void> discard() {
    error_code failed;
    socket_.shutdown(tcp::socket::shutdown_send, failed);
    buffer_.clear();
    buffer_.shrink_to_fit();
    char scratch[read_bytes];
    std::size_t discarded = 0;
    while (!failed && discarded <= max_discarded_bytes)
      discarded += co_await socket_.async_read_some(asio::buffer(scratch), result_in(failed));
    if (!failed) left_reason_ = "refused";
  }

  Shared& shared_;
  tcp::socket socket_;
  asio::steady_timer timer_;
  beast::flat_buffer buffer_;
  Phase phase_ = Phase::greeting;
  std::uint64_t place_ = 0;       ///< where it waits
  bool is_late_ = false;          ///< the request did not come whole in time
  bool has_certificate_ = false;  ///< which the CA of the clients has signed
  std::string_view left_reason_;  ///< why the server ended it; empty: it did not
};

std::uint64_t Waiting::add(std::weak_ptr<Connection> connection) {
  const std::lock_guard lock(mutex_);
  by_place_.emplace(++last_place_, std::move(connection));
  return last_place_;
}

void Waiting::remove(std::uint64_t place) {
  const std::lock_guard lock(mutex_);
  by_place_.erase(place);
}

bool Waiting::evict_one() {
  std::shared_ptr<Connection> evicted;
  const std::lock_guard lock(mutex_);
  while (evicted == nullptr && !by_place_.empty())
    evicted = by_place_.extract(by_place_.begin()).mapped().lock();
  if (evicted) evicted->evict();
  return evicted != nullptr;
}

void Waiting::stop() {
  // The last who holds one ends it, which needs the mutex.
  std::vector<std::shared_ptr<Connection>> all;
  const std::lock_guard lock(mutex_);
  for (const auto& [place, waiting] : by_place_) {
    all.push_back(waiting.lock());
    if (all.back()) all.back()->stop();
  }
}

void start_connection(Shared& shared, tcp::socket&& socket) {
  std::make_shared<Connection>(shared, std::move(socket))->start();
}

}  // namespace support
