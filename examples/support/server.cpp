// SPDX-License-Identifier: Apache-2.0
#include "server.hpp"

#include "log.hpp"
#include "tls.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <exception>
#include <limits>
#include <list>
#include <map>
#include <optional>
#include <thread>

namespace support {

namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using tcp = asio::ip::tcp;

constexpr std::size_t max_head_bytes = std::size_t{16} << 10U;
/// Of what comes in at once; a TLS record has no more.
constexpr std::size_t read_bytes = std::size_t{16} << 10U;
/// How much of a body is read before others have their turn.
constexpr int reads_in_a_row = 16;
/// How long, and how much, the client of a refused request may go on sending.
constexpr std::chrono::seconds discard_timeout(5);
constexpr std::size_t max_discarded_bytes = std::size_t{64} << 20U;
/// An answer of more than this has the memory behind it given back at once.
constexpr std::size_t large_bytes = std::size_t{1} << 20U;
/// How often deadlines and files are looked at.
constexpr std::chrono::milliseconds tick(250);
constexpr std::chrono::seconds certificate_tick(1);

/// How many bytes are in flight.
class Budget {
 public:
  /// Takes them if no more than `most` are in flight then.
  [[nodiscard]] bool take(std::size_t bytes, std::size_t most) {
    std::size_t used = used_.load(std::memory_order_relaxed);
    do {
      if (most < used || most - used < bytes) return false;
    } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
    return true;
  }
  void take_anyway(std::size_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
  void give(std::size_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
  [[nodiscard]] std::size_t used() const { return used_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::size_t> used_ = 0;
};

std::string_view text_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

bool is_json(std::string_view content_type) {
  const std::string_view type =
      content_type.substr(0, std::min(content_type.find_first_of("; \t"), content_type.size()));
  return boost::beast::iequals({type.data(), type.size()}, "application/json");
}

std::string_view reason_of(int status) {
  return text_of(http::obsolete_reason(static_cast<http::status>(status)));
}

Response error(int status, std::string_view why) {
  return {.status = status, .body = std::string(why) + '\n'};
}

/// What all threads have in common.
struct Common {
  Common(ServerOptions&& asked, std::vector<Route>&& paths, Metrics& registry)
      : options(std::move(asked)),
        certificate(options.certificate_file, options.key_file),
        has_tls(!options.certificate_file.empty()),
        requests(registry.counters("schedpol_http_requests_total", "Requests that were answered.",
                                   {"path", "code"})),
        durations(registry.histograms("schedpol_http_request_duration_seconds",
                                      "Time from the last byte of a request to its answer.",
                                      {"path"})),
        ended(registry.counters("schedpol_http_connections_ended_total",
                                "Connections that ended, and why.", {"reason"})),
        reloads(registry.counters("schedpol_certificate_reloads_total",
                                  "Certificates that were read.", {"result"})) {
    for (Route& route : paths) {
      std::string path = route.path;
      routes.emplace(std::move(path), std::move(route));
    }
    auto& connections_gauge =
        registry.gauges("schedpol_http_connections", "Connections that are open.").only();
    auto& bytes_gauge = registry
                            .gauges("schedpol_http_bytes_in_flight",
                                    "Bytes of requests that are read or answered, and of answers.")
                            .only();
    auto& not_after = registry
                          .gauges("schedpol_certificate_not_after_seconds",
                                  "When the certificate expires, in Unix time; 0 without TLS.")
                          .only();
    registry.before_reading([this, &connections_gauge, &bytes_gauge, &not_after] {
      connections_gauge.set(static_cast<double>(connections.load()));
      bytes_gauge.set(static_cast<double>(budget.used()));
      not_after.set(certificate.not_after());
    });
  }

  /// The answer of a route, whatever happens.
  [[nodiscard]] static Response ask(const Route& route, const Request& request) {
    try {
      return route.handler(request);
    } catch (const std::exception& failure) {
      log_error("a request failed", {{"path", route.path}, {"error", failure.what()}});
      return error(500, "internal error");
    }
  }

  void reload_certificate() {
    std::string wrong;
    switch (certificate.reload(wrong)) {
      case Certificate::Reload::unchanged: return;
      case Certificate::Reload::renewed: return reloads.with({"good"}).add();
      case Certificate::Reload::refused: log_error(wrong); return reloads.with({"bad"}).add();
    }
  }

  const ServerOptions options;
  std::map<std::string, Route, std::less<>> routes{};
  Certificate certificate;
  const bool has_tls;
  Budget budget{};
  std::atomic<std::size_t> connections = 0;
  std::atomic<bool> is_draining = false;
  std::optional<asio::thread_pool> workers{};

  Family<Counter>& requests;
  Family<Histogram>& durations;
  Family<Counter>& ended;
  Family<Counter>& reloads;
};

class Connection;

/// One thread and its connections. All of it but `post` belongs to that thread.
class Shard {
 public:
  explicit Shard(Common& common) : common_(common), timer_(io_) {}

  [[nodiscard]] asio::io_context& io() { return io_; }
  void run();
  void begin(tcp::socket&& socket);

  /// Connections in the order in which they began what they are at.
  using Connections = std::list<std::shared_ptr<Connection>>;
  void move_to_end(Connections::iterator of) {
    connections_.splice(connections_.end(), connections_, of);
  }
  void forget(Connections::iterator of);

  /// Ends the one that has kept the server waiting for longest; false if there is none.
  bool make_room();

  /// No connection comes any more; those that are idle end.
  void stop();

  [[nodiscard]] bool is_stopping() const { return is_stopping_; }
  [[nodiscard]] char* scratch() { return scratch_; }

 private:
  void sweep();

  Common& common_;
  asio::io_context io_{1};
  asio::steady_timer timer_;
  Connections connections_;
  bool is_stopping_ = false;
  char scratch_[read_bytes];
};

/// One connection: what it is at, and until when. It belongs to the thread of its shard, but for
/// the request, while a worker has it.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Common& common, Shard& shard, tcp::socket&& socket)
      : common_(common),
        shard_(shard),
        socket_(std::move(socket)),
        transport_(socket_.native_handle()),
        deadline_(Clock::now() + common.options.read_timeout) {}

  void begin(Shard::Connections::iterator self) {
    self_ = self;
    error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay(true), ignored);
    // A client that says nothing costs a socket, and no more.
    wait(tcp::socket::wait_read);
  }

  [[nodiscard]] bool is_late(Clock::time_point now) const {
    return phase_ != Phase::handling && deadline_ < now;
  }

  /// Its time is over: a request that did not come whole is told so.
  void expire() {
    switch (phase_) {
      case Phase::idle: return end("idle");
      case Phase::discarding: return end("answered");
      case Phase::reading:
        refuse(error(408, "the request did not come whole in time"));
        return go();
      default: return end("slow");
    }
  }

  [[nodiscard]] bool waits_for_client() const { return phase_ != Phase::handling; }
  [[nodiscard]] bool is_idle() const { return phase_ == Phase::greeting || phase_ == Phase::idle; }

  void end(std::string_view reason) {
    if (phase_ == Phase::ended) return;
    if (phase_ == Phase::idle) transport_.finish();
    phase_ = Phase::ended;
    common_.ended.with({reason}).add();
    release();
    error_code ignored;
    socket_.close(ignored);
    shard_.forget(self_);
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
    ended,
  };

  void enter(Phase phase, std::chrono::milliseconds timeout) {
    phase_ = phase;
    deadline_ = Clock::now() + timeout;
    shard_.move_to_end(self_);
  }

  /// Goes on when the socket is ready, unless something else made it go on before.
  void wait(tcp::socket::wait_type what) {
    socket_.async_wait(what, [self = shared_from_this(), turn = ++turn_](error_code failed) {
      if (!failed && turn == self->turn_) self->go();
    });
  }

  /// Goes on when others had their turn.
  void yield() {
    asio::post(shard_.io(), [self = shared_from_this(), turn = ++turn_] {
      if (turn == self->turn_) self->go();
    });
  }

  /// Whether to go on at once; otherwise it waits, or has ended.
  bool proceed(Io io) {
    switch (io) {
      case Io::done: return true;
      case Io::wait_to_read: wait(tcp::socket::wait_read); return false;
      case Io::wait_to_write: wait(tcp::socket::wait_write); return false;
      case Io::ended: end("closed"); return false;
      case Io::failed: end(phase_ == Phase::shaking ? "handshake" : "broken"); return false;
    }
    return false;
  }

  /// As far as it goes without waiting.
  void go() {
    bool on = true;
    for (int reads = 0; on;) {
      switch (phase_) {
        case Phase::greeting: on = greet(); break;
        case Phase::shaking: on = shake_hands(); break;
        case Phase::idle:
        case Phase::reading:
          if (++reads > reads_in_a_row) return yield();
          on = receive();
          break;
        case Phase::writing: on = send(); break;
        case Phase::discarding:
          if (++reads > reads_in_a_row) return yield();
          on = discard();
          break;
        case Phase::handling:
        case Phase::ended: return;
      }
    }
  }

  bool greet() {
    if (common_.has_tls) {
      const auto context = common_.certificate.context();
      if (context == nullptr || !transport_.use_tls(*context)) {
        end("handshake");
        return false;
      }
    }
    phase_ = Phase::shaking;
    return true;
  }

  bool shake_hands() {
    if (!proceed(transport_.shake_hands())) return false;
    become_idle();
    return true;
  }

  void become_idle() {
    parser_.reset();
    if (input_.empty()) input_ = {};
    enter(Phase::idle, common_.options.idle_timeout);
    if (shard_.is_stopping()) end("stopped");
  }

  bool receive() {
    if (!input_.empty() && phase_ == Phase::idle) return parse();
    const Moved moved = transport_.read(shard_.scratch(), read_bytes);
    if (!proceed(moved.io)) return false;
    input_.append(shard_.scratch(), moved.bytes);
    return parse();
  }

  /// Takes in what there is of a request. Whether to go on.
  bool parse() {
    if (phase_ == Phase::idle) {
      enter(Phase::reading, common_.options.read_timeout);
      parser_.emplace();
      parser_->header_limit(max_head_bytes);
      // Bodies are bounded below, where what is refused can be told.
      parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
      parser_->eager(false);
      route_ = nullptr;
    }
    std::size_t used = 0;
    error_code failed;
    while (!parser_->is_done()) {
      const bool had_head = parser_->is_header_done();
      const std::size_t taken =
          parser_->put(asio::const_buffer(input_.data() + used, input_.size() - used), failed);
      used += taken;
      if (failed == http::error::need_more) break;
      if (failed == http::error::header_limit) return refuse(error(431, "the head is too large"));
      if (failed) return refuse(error(400, "no HTTP request: " + failed.message()));
      if (parser_->is_header_done() && !had_head && !accept_head()) return true;
      if (!charge_body()) return true;
      if (used == input_.size()) break;
    }
    input_.erase(0, used);
    if (parser_->is_done()) return handle();
    // Lines between chunks have no limit of their own.
    if (input_.size() > max_head_bytes + read_bytes)
      return refuse(error(431, "the head is too large"));
    return true;
  }

  [[nodiscard]] const http::request_header<>& head() const { return parser_->get().base(); }

  [[nodiscard]] std::string_view header(http::field name) const { return text_of(head()[name]); }

  /// Whether the rest of the request is wanted; otherwise it is refused.
  bool accept_head() {
    const std::string_view target = text_of(head().target());
    const std::size_t question = std::min(target.find('?'), target.size());
    const auto found = common_.routes.find(target.substr(0, question));
    if (found == common_.routes.end()) return !refuse(error(404, "no such path"));
    route_ = &found->second;
    const bool takes_body = route_->method == Method::post;
    const http::verb verb = head().method();
    if (takes_body ? verb != http::verb::post
                   : verb != http::verb::get && verb != http::verb::head) {
      Response refused = error(405, "no such method here");
      refused.headers.emplace_back("Allow", takes_body ? "POST" : "GET, HEAD");
      return !refuse(std::move(refused));
    }
    if (head().version() != 10 && head().version() != 11)
      return !refuse(error(505, "HTTP/1.1 is spoken here"));
    if (head().version() == 11 && head().count(http::field::host) != 1)
      return !refuse(error(400, "one Host has to be said"));
    const std::string_view coding = header(http::field::transfer_encoding);
    const auto length = parser_->content_length();
    if (head().count(http::field::transfer_encoding) > 1 ||
        (!coding.empty() && !boost::beast::iequals({coding.data(), coding.size()}, "chunked")))
      return !refuse(error(400, "the length of the body is not clear"));
    if (!takes_body) {
      return (coding.empty() && (!length || *length == 0)) ||
             !refuse(error(400, "no body is read here"));
    }
    if (!is_json(header(http::field::content_type)) ||
        head().count(http::field::content_encoding) > 0)
      return !refuse(error(415, "has to be application/json, and not compressed"));
    if (coding.empty() && head().count(http::field::content_length) == 0)
      return !refuse(error(411, "the length of the body is not said"));
    if (length && *length > common_.options.max_body_bytes) return !refuse(too_large());
    if (!charge(length ? static_cast<std::size_t>(*length) : 0)) return false;
    const std::string_view expected = header(http::field::expect);
    if (boost::beast::iequals({expected.data(), expected.size()}, "100-continue")) {
      constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
      // It is the first that is written since the client had all, so there is room for it.
      if (transport_.write(go_on.data(), go_on.size()).io != Io::done) {
        end("broken");
        return false;
      }
    }
    return true;
  }

  Response too_large() const {
    return error(413, "the body is larger than " +
                          std::to_string(common_.options.max_body_bytes >> 20U) + " MiB");
  }

  /// A body that does not say its length is counted as it grows.
  bool charge_body() {
    const std::size_t size = parser_->get().body().size();
    if (size > common_.options.max_body_bytes) return !refuse(too_large());
    return size <= charged_ || charge(parser_->get().body().capacity() - charged_);
  }

  /// Counts bytes as in flight, or refuses the request.
  bool charge(std::size_t bytes) {
    const ServerOptions& options = common_.options;
    const bool is_small = charged_ + bytes <= options.small_bytes;
    const std::size_t most = options.max_bytes_in_flight;
    if (!common_.budget.take(bytes, is_small ? most : most - most / 4)) {
      Response refused = error(503, "too many bytes of requests are in flight");
      refused.headers.emplace_back("Retry-After", "1");
      return !refuse(std::move(refused));
    }
    charged_ += bytes;
    return true;
  }

  /// Gives back what the request holds.
  void release() {
    if (parser_) parser_->get().body() = {};
    common_.budget.give(std::exchange(charged_, 0));
  }

  bool handle() {
    phase_ = Phase::handling;
    came_ = Clock::now();
    const std::string_view target = text_of(head().target());
    const std::size_t question = std::min(target.find('?'), target.size());
    request_ = {text_of(head().method_string()), target.substr(0, question),
                target.substr(std::min(question + 1, target.size())), parser_->get().body()};
    keeps_alive_ = parser_->keep_alive() && head().version() == 11 && !shard_.is_stopping();
    if (request_.body.size() <= common_.options.small_bytes)
      return answer(Common::ask(*route_, request_));
    asio::post(*common_.workers, [self = shared_from_this()]() mutable {
      auto response = std::make_shared<Response>(Common::ask(*self->route_, self->request_));
      self->release();
      if (self->request_.body.size() > large_bytes) malloc_trim(0);
      Shard& shard = self->shard_;
      asio::post(shard.io(), [self = std::move(self), response] {
        self->answer(std::move(*response));
        self->go();
      });
    });
    return false;
  }

  bool answer(Response&& response) {
    common_.durations.with({route_->path})
        .observe(std::chrono::duration<double>(Clock::now() - came_).count());
    write(std::move(response));
    return true;
  }

  /// Answers a request that is not read to its end; true. It is the last of its connection.
  bool refuse(Response&& response) {
    keeps_alive_ = false;
    write(std::move(response));
    return true;
  }

  void write(Response&& response) {
    const std::string_view path = route_ == nullptr ? "other" : std::string_view(route_->path);
    const std::string status = std::to_string(response.status);
    common_.requests.with({path, status}).add();
    const bool without_body =
        parser_ && parser_->is_header_done() && head().method() == http::verb::head;
    release();
    keeps_alive_ = keeps_alive_ && !common_.is_draining;
    answer_ = "HTTP/1.1 " + status + ' ';
    answer_.append(reason_of(response.status)).append("\r\nContent-Type: ");
    answer_.append(response.content_type).append("\r\nContent-Length: ");
    answer_.append(std::to_string(response.body.size())).append("\r\n");
    for (const auto& [name, value] : response.headers)
      answer_.append(name).append(": ").append(value).append("\r\n");
    answer_.append(keeps_alive_ ? "\r\n" : "Connection: close\r\n\r\n");
    if (without_body) response.body.clear();
    if (response.body.size() <= read_bytes) {
      answer_ += response.body;
    } else {
      answer_body_ = std::move(response.body);
    }
    charged_ = answer_body_.size();
    common_.budget.take_anyway(charged_);
    written_ = 0;
    enter(Phase::writing, common_.options.write_timeout);
  }

  bool send() {
    for (;;) {
      if (written_ == answer_.size()) {
        if (answer_body_.empty()) break;
        answer_ = std::exchange(answer_body_, {});
        written_ = 0;
      }
      const Moved moved = transport_.write(answer_.data() + written_, answer_.size() - written_);
      if (!proceed(moved.io)) return false;
      written_ += moved.bytes;
    }
    answer_ = {};
    release();
    if (!keeps_alive_) {
      transport_.finish();
      input_ = {};
      parser_.reset();
      enter(Phase::discarding, discard_timeout);
      return true;
    }
    const bool more = !input_.empty();
    become_idle();
    if (!more || phase_ == Phase::ended) return phase_ != Phase::ended;
    // The next request of those that came together; others have their turn first.
    yield();
    return false;
  }

  bool discard() {
    const Moved moved = transport_.discard(shard_.scratch(), read_bytes);
    discarded_ += moved.bytes;
    if (discarded_ > max_discarded_bytes) {
      end("refused");
      return false;
    }
    if (moved.io == Io::ended || moved.io == Io::failed) {
      end("answered");
      return false;
    }
    return proceed(moved.io);
  }

  Common& common_;
  Shard& shard_;
  tcp::socket socket_;
  Transport transport_;
  Shard::Connections::iterator self_{};
  Phase phase_ = Phase::greeting;
  Clock::time_point deadline_;
  std::uint64_t turn_ = 0;  ///< counts what was waited for

  std::string input_{};  ///< what came and was not taken in
  std::optional<http::request_parser<http::string_body>> parser_{};
  const Route* route_ = nullptr;  ///< of the request, if there is one
  Request request_{};
  Clock::time_point came_{};
  bool keeps_alive_ = true;
  std::size_t charged_ = 0;  ///< bytes of this one that are in flight

  std::string answer_{};
  std::string answer_body_{};  ///< behind it, where it is long
  std::size_t written_ = 0;
  std::size_t discarded_ = 0;
};

void Shard::run() {
  sweep();
  io_.run();
}

void Shard::begin(tcp::socket&& socket) {
  if (common_.connections > common_.options.max_connections && !make_room()) {
    common_.ended.with({"refused"}).add();
    --common_.connections;
    return;
  }
  connections_.push_back(std::make_shared<Connection>(common_, *this, std::move(socket)));
  connections_.back()->begin(std::prev(connections_.end()));
}

void Shard::forget(Connections::iterator of) {
  // Who is called by it goes on a little.
  const std::shared_ptr<Connection> kept = std::move(*of);
  connections_.erase(of);
  --common_.connections;
  if (is_stopping_ && connections_.empty()) timer_.cancel();
}

bool Shard::make_room() {
  for (const auto& connection : connections_) {
    if (!connection->waits_for_client()) continue;
    connection->end("evicted");
    return true;
  }
  return false;
}

void Shard::stop() {
  is_stopping_ = true;
  const std::vector<std::shared_ptr<Connection>> all(connections_.begin(), connections_.end());
  for (const auto& connection : all) {
    if (connection->is_idle()) connection->end("stopped");
  }
  if (connections_.empty()) timer_.cancel();
}

void Shard::sweep() {
  const Clock::time_point now = Clock::now();
  std::vector<std::shared_ptr<Connection>> late;
  for (const auto& connection : connections_) {
    if (connection->is_late(now)) late.push_back(connection);
  }
  for (const auto& connection : late) connection->expire();
  if (is_stopping_ && connections_.empty()) return;
  timer_.expires_after(tick);
  timer_.async_wait([this](error_code) { sweep(); });
}

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

struct Server::Impl {
  Impl(ServerOptions&& options, std::vector<Route>&& routes, Metrics& metrics)
      : common(std::move(options), std::move(routes), metrics) {
    for (unsigned i = 0; i < std::max(common.options.io_threads, 1U); ++i)
      shards.push_back(std::make_unique<Shard>(common));
    asio::io_context& first = shards.front()->io();
    acceptor.emplace(first);
    pause.emplace(first);
    certificate_timer.emplace(first);
  }

  std::string listen() {
    const ServerOptions& options = common.options;
    const auto refused = [&](const error_code& failed) {
      return options.host + ":" + std::to_string(options.port) +
             ": cannot be listened on: " + failed.message();
    };
    error_code failed;
    tcp::resolver resolver(shards.front()->io());
    const auto found = resolver.resolve(options.host, std::to_string(options.port),
                                        tcp::resolver::passive, failed);
    if (failed) return refused(failed);
    const tcp::endpoint at = found.begin()->endpoint();
    acceptor->open(at.protocol(), failed);
    if (!failed) acceptor->set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed) acceptor->bind(at, failed);
    if (!failed) acceptor->listen(tcp::acceptor::max_listen_connections, failed);
    return failed ? refused(failed) : "";
  }

  void accept() {
    Shard& shard = *shards[next++ % shards.size()];
    acceptor->async_accept(shard.io(), [this, &shard](error_code failed, tcp::socket socket) {
      if (!acceptor->is_open()) return;
      if (!failed) {
        ++common.connections;
        asio::post(shard.io(), [&shard, socket = std::move(socket)]() mutable {
          shard.begin(std::move(socket));
        });
        return accept();
      }
      if (failed == asio::error::connection_aborted) return accept();
      // No more files, or no more memory: what keeps the server waiting for longest has to go.
      log_warning("a connection cannot be accepted", {{"error", failed.message()}});
      for (const auto& each : shards) asio::post(each->io(), [&each] { each->make_room(); });
      pause->expires_after(tick);
      pause->async_wait([this](error_code) {
        if (acceptor->is_open()) accept();
      });
    });
  }

  void watch_certificate() {
    certificate_timer->expires_after(certificate_tick);
    certificate_timer->async_wait([this](error_code) {
      if (!acceptor->is_open()) return;
      common.reload_certificate();
      watch_certificate();
    });
  }

  Common common;
  std::vector<std::unique_ptr<Shard>> shards{};
  std::optional<tcp::acceptor> acceptor{};
  std::optional<asio::steady_timer> pause{};
  std::optional<asio::steady_timer> certificate_timer{};
  std::size_t next = 0;
  std::uint16_t port = 0;
  std::vector<std::thread> threads{};
};

Server::Server(ServerOptions options, std::vector<Route> routes, Metrics& metrics)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(routes), metrics)) {}

Server::~Server() {
  stop();
}

std::string Server::start() {
  Common& common = impl_->common;
  // A client that has gone is an error of a call, and no signal.
  signal(SIGPIPE, SIG_IGN);
  raise_file_limit();
  keep_little_memory();
  if (common.has_tls) {
    std::string wrong;
    if (common.certificate.reload(wrong) != Certificate::Reload::renewed) return wrong;
    common.reloads.with({"good"}).add();
    impl_->watch_certificate();
  }
  if (std::string wrong = impl_->listen(); !wrong.empty()) return wrong;
  error_code ignored;
  impl_->port = impl_->acceptor->local_endpoint(ignored).port();
  common.workers.emplace(std::max(common.options.worker_threads, 1U));
  impl_->accept();
  for (const auto& shard : impl_->shards)
    impl_->threads.emplace_back([&shard = *shard] { shard.run(); });
  return "";
}

std::uint16_t Server::port() const {
  return impl_->port;
}

void Server::drain() {
  impl_->common.is_draining = true;
}

bool Server::is_draining() const {
  return impl_->common.is_draining;
}

void Server::stop() {
  if (impl_->threads.empty()) return;
  drain();
  asio::post(impl_->shards.front()->io(), [impl = impl_.get()] {
    error_code ignored;
    impl->acceptor->close(ignored);
    impl->pause->cancel();
    impl->certificate_timer->cancel();
  });
  for (const auto& shard : impl_->shards)
    asio::post(shard->io(), [&shard = *shard] { shard.stop(); });
  for (std::thread& thread : impl_->threads) thread.join();
  impl_->threads.clear();
  impl_->common.workers->join();
}

}  // namespace support
