// SPDX-License-Identifier: Apache-2.0
#include "api_client.hpp"

#include "files.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace support {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;
using Request = http::request<http::string_body>;

constexpr std::size_t max_idle_connections = 8;
constexpr std::size_t max_error_bytes = 65536;
constexpr std::size_t max_told_bytes = 1024;
/// Not `boost::none`, which Boost 1.74 takes for a limit of nothing.
constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();
constexpr std::string_view service_account = "/var/run/secrets/kubernetes.io/serviceaccount/";

std::string_view content_type_of(PatchType type) {
  switch (type) {
    case PatchType::json_patch: return "application/json-patch+json";
    case PatchType::merge_patch: return "application/merge-patch+json";
    case PatchType::strategic_merge_patch: return "application/strategic-merge-patch+json";
    case PatchType::apply: return "application/apply-patch+yaml";
  }
  return {};
}

/// The head and the body as they are sent.
std::string bytes_of(const Request& request) {
  std::string bytes;
  const auto add = [&bytes](std::initializer_list<beast::string_view> texts) {
    for (const beast::string_view text : texts) bytes.append(text.data(), text.size());
  };
  add({request.method_string(), " ", request.target(), " HTTP/1.1\r\n"});
  for (const auto& field : request) add({field.name_string(), ": ", field.value(), "\r\n"});
  add({"\r\n", request.body()});
  return bytes;
}

/// Has a server that is gone without a word noticed within half a minute, while nothing is said.
void keep_alive(int socket) {
  const auto set = [socket](int level, int option, int value) {
    setsockopt(socket, level, option, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 10);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
}

/// Whether something came that is no HTTP, or more than is read; not that a connection ended.
bool is_unusable(const error_code& code) {
  return code.category() == make_error_code(http::error::bad_version).category() &&
         code != http::error::end_of_stream && code != http::error::partial_message;
}

/// `GET /api/v1/pods`; the query would hide what is said after it.
std::string subject_of(const Request& request) {
  const std::string_view target(request.target().data(), request.target().size());
  std::string subject(request.method_string());
  return subject.append(" ").append(target.substr(0, target.find('?')));
}

CallError refusal(const std::string& subject, const http::response_header<>& head,
                  std::string_view body) {
  CallError error{.reason = CallError::Reason::refused, .status = int(head.result_int())};
  const beast::string_view after = head[http::field::retry_after];
  std::uint32_t seconds = 0;
  if (const auto read = std::from_chars(after.data(), after.data() + after.size(), seconds);
      read.ec == std::errc() && read.ptr == after.data() + after.size())
    error.retry_after = std::chrono::seconds(seconds);
  const std::string said = read_status(body).message.substr(0, max_told_bytes);
  error.text = subject + ": " + std::to_string(error.status) + ": " +
               (said.empty() ? std::string(head.reason()) : said);
  return error;
}

/// What an operation came to. Of one type for all of them: what Boost makes of an operation it makes
/// anew for each type of handler.
struct Done {
  error_code* result;

  template <class... Rest>
  void operator()(error_code code, const Rest&...) const {
    *result = code;
  }
};

/// One connection, with everything that runs on it: a call is made by the thread that makes it.
class Connection {
 public:
  explicit Connection(asio::ssl::context tls) : tls_(std::move(tls)) {}

  auto& stream() { return stream_; }
  auto& tcp() { return beast::get_lowest_layer(stream_); }
  auto& context() { return context_; }

  /// Ends what runs, from any thread.
  void cut() {
    asio::post(context_, [this] { tcp().close(); });
  }

  /// What `start` came to, which is called with a handler and begins something with it.
  template <class Start>
  error_code run(Start&& start) {
    error_code result;
    context_.restart();
    start(Done{&result});
    context_.run();
    return result;
  }

  /// Of one kind of buffer, where Beast writes the parts of a message in each way they can be put
  /// together.
  error_code write(std::string_view bytes) {
    const asio::const_buffer all(bytes.data(), bytes.size());
    return run([&](Done done) { asio::async_write(stream_, all, done); });
  }

  /// What there is of an answer next.
  error_code read_some(http::basic_parser<false>& parser) {
    return run([&](Done done) { http::async_read_some(stream_, buffer_, parser, done); });
  }
  error_code read_header(http::basic_parser<false>& parser) {
    parser.eager(false);
    error_code code;
    while (!code && !parser.is_header_done()) code = read_some(parser);
    return code;
  }
  error_code read(http::basic_parser<false>& parser) {
    parser.eager(true);
    error_code code;
    while (!code && !parser.is_done()) code = read_some(parser);
    return code;
  }

 private:
  asio::ssl::context tls_;
  asio::io_context context_{1};
  beast::ssl_stream<beast::tcp_stream> stream_{context_, tls_};
  beast::flat_buffer buffer_;
};

/// Cuts a connection when its call is asked to stop.
class CutOnStop {
 public:
  CutOnStop(std::stop_token stop, Connection& connection)
      : callback_(std::move(stop), [&connection] { connection.cut(); }) {}

 private:
  std::stop_callback<std::function<void()>> callback_;
};

}  // namespace

struct ApiClient::Impl {
  Impl(ApiServer where, CallLimits how_long) : server(std::move(where)), limits(how_long) {}

  const ApiServer server;
  const CallLimits limits;
  std::mutex mutex{};
  std::vector<std::unique_ptr<Connection>> idle{};

  /// One call, with what its errors say.
  struct Call {
    Request request{};
    std::string subject{};
    std::stop_token stop{};
  };

  CallError unreachable(const Call& call, std::string_view why) const {
    if (call.stop.stop_requested())
      return {.reason = CallError::Reason::stopped, .text = call.subject + ": stopped"};
    const std::string at = server.host + ':' + server.port;
    return {.text = call.subject + ": " + at + ": " + std::string(why)};
  }

  CallError failed(const Call& call, error_code code) const {
    using Reason = CallError::Reason;
    if (is_unusable(code)) {
      return {.reason = code == http::error::body_limit ? Reason::too_long : Reason::unreadable,
              .text = call.subject + ": unreadable answer: " + code.message()};
    }
    if (code == beast::error::timeout) return unreachable(call, "no answer in time");
    return unreachable(call, code.message());
  }

  std::optional<CallError> begin(Call& call, http::verb verb, std::string_view target,
                                 std::stop_token stop) const {
    call.stop = std::move(stop);
    call.request.version(11);
    call.request.method(verb);
    call.request.target(beast::string_view(target.data(), target.size()));
    call.subject = subject_of(call.request);
    call.request.target(server.base_path + std::string(target));
    const bool is_ipv6 = server.host.find(':') != std::string::npos;
    call.request.set(http::field::host,
                     (is_ipv6 ? '[' + server.host + ']' : server.host) + ':' + server.port);
    call.request.set(http::field::user_agent, "schedpol");
    call.request.set(http::field::accept, "application/json");
    if (server.token_file.empty()) return std::nullopt;
    const std::optional<std::string> token = read_token(server.token_file);
    if (!token) return unreachable(call, server.token_file.string() + ": no token can be read");
    call.request.set(http::field::authorization, "Bearer " + *token);
    return std::nullopt;
  }

  /// A connection to the server, or the error.
  std::unique_ptr<Connection> connect(const Call& call, std::optional<CallError>& error) const {
    error_code code;
    asio::ssl::context tls(asio::ssl::context::tls_client);
    tls.set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                    asio::ssl::context::no_tlsv1_1);
    tls.set_verify_mode(asio::ssl::verify_peer);
    // Read for each connection: a cluster's CA is replaced too.
    server.ca_file.empty() ? tls.set_default_verify_paths(code)
                           : tls.load_verify_file(server.ca_file.string(), code);
    if (code) {
      error = unreachable(call, server.ca_file.string() + ": " + code.message());
      return nullptr;
    }
    auto connection = std::make_unique<Connection>(std::move(tls));
    auto& stream = connection->stream();
    stream.set_verify_callback(asio::ssl::host_name_verification(server.host));
    const asio::ip::address address = asio::ip::make_address(server.host, code);
    const bool is_name = bool(code);
    // An address is no name that a server could have certificates for.
    if (is_name) SSL_set_tlsext_host_name(stream.native_handle(), server.host.c_str());

    const CutOnStop cut(call.stop, *connection);
    using Endpoint = asio::ip::tcp::endpoint;
    std::vector<Endpoint> endpoints;
    if (is_name) {
      asio::ip::tcp::resolver resolver(connection->context());
      const auto found = resolver.resolve(server.host, server.port, code);
      for (const auto& entry : found) endpoints.push_back(entry.endpoint());
    } else {
      std::uint16_t port = 0;
      std::from_chars(server.port.data(), server.port.data() + server.port.size(), port);
      endpoints.emplace_back(address, port);
      code = {};
    }
    connection->tcp().expires_after(limits.connect);
    if (!code)
      code = connection->run([&](Done done) { connection->tcp().async_connect(endpoints, done); });
    if (!code) {
      connection->tcp().socket().set_option(asio::ip::tcp::no_delay(true), code);
      keep_alive(connection->tcp().socket().native_handle());
      code = connection->run(
          [&](Done done) { stream.async_handshake(asio::ssl::stream_base::client, done); });
    }
    if (!code && !call.stop.stop_requested()) return connection;
    error = failed(call, code);
    return nullptr;
  }

  /// Sends the request and reads the head of the answer; a connection from before that turns out to
  /// be closed is no failure.
  template <class Body>
  std::unique_ptr<Connection> send(const Call& call, Clock::duration time, std::uint64_t body_limit,
                                   std::optional<http::response_parser<Body>>& parser,
                                   std::optional<CallError>& error) {
    const std::string bytes = bytes_of(call.request);
    for (;;) {
      std::unique_ptr<Connection> connection;
      {
        const std::lock_guard lock(mutex);
        if (!idle.empty()) {
          connection = std::move(idle.back());
          idle.pop_back();
        }
      }
      const bool used = connection != nullptr;
      if (!used) connection = connect(call, error);
      if (connection == nullptr) return nullptr;
      const CutOnStop cut(call.stop, *connection);
      connection->tcp().expires_after(time);
      error_code code = connection->write(bytes);
      if (!code) {
        parser.emplace();
        parser->header_limit(max_error_bytes);
        parser->body_limit(body_limit);
        code = connection->read_header(*parser);
      }
      if (!code) return connection;
      const bool is_closed = code != beast::error::timeout && !is_unusable(code);
      if (used && is_closed && !call.stop.stop_requested()) continue;
      error = failed(call, code);
      return nullptr;
    }
  }

  Answer ask(Call& call) {
    Answer answer;
    call.request.prepare_payload();
    std::optional<http::response_parser<http::string_body>> parser;
    std::unique_ptr<Connection> connection =
        send(call, limits.answer, limits.body_bytes, parser, answer.error);
    if (connection == nullptr) return answer;
    error_code code;
    {
      const CutOnStop cut(call.stop, *connection);
      code = connection->read(*parser);
    }
    if (code) {
      answer.error = failed(call, code);
      return answer;
    }
    auto response = parser->release();
    const bool good = http::to_status_class(response.result()) == http::status_class::successful;
    if (good) {
      answer.body = std::move(response.body());
    } else {
      answer.error = refusal(call.subject, response, response.body());
    }
    // One that was asked to stop may still have its end in its queue.
    if (response.keep_alive() && !call.stop.stop_requested()) {
      connection->tcp().expires_never();
      const std::lock_guard lock(mutex);
      if (idle.size() < max_idle_connections) idle.push_back(std::move(connection));
    }
    return answer;
  }
};

std::optional<ApiServer> in_cluster_server() {
  const char* const host = std::getenv("KUBERNETES_SERVICE_HOST");
  const char* const port = std::getenv("KUBERNETES_SERVICE_PORT");
  if (host == nullptr || port == nullptr || *host == '\0' || *port == '\0') return std::nullopt;
  const std::filesystem::path folder = service_account;
  return ApiServer{
      .host = host, .port = port, .token_file = folder / "token", .ca_file = folder / "ca.crt"};
}

std::optional<ApiServer> api_server_at(std::string_view url, std::filesystem::path token_file,
                                       std::filesystem::path ca_file) {
  constexpr std::string_view scheme = "https://";
  if (!url.starts_with(scheme)) return std::nullopt;
  url.remove_prefix(scheme.size());
  ApiServer server{.token_file = std::move(token_file), .ca_file = std::move(ca_file)};
  const std::size_t slash = std::min(url.find('/'), url.size());
  server.base_path = url.substr(slash);
  while (server.base_path.ends_with('/')) server.base_path.pop_back();
  std::string_view authority = url.substr(0, slash);
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t end = authority.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    server.host = authority.substr(1, end - 1);
    port = authority.substr(end + 1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    server.host = authority.substr(0, colon);
    port = authority.substr(colon);
  }
  if (!port.empty()) {
    port.remove_prefix(1);
    std::uint16_t number = 0;
    const auto read = std::from_chars(port.data(), port.data() + port.size(), number);
    if (read.ec != std::errc() || read.ptr != port.data() + port.size()) return std::nullopt;
    server.port = port;
  }
  const auto plain = [](std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c > ' ' && c != '@' && c != '?' && c != '#'; });
  };
  if (server.host.empty() || !plain(server.host) || !plain(server.base_path)) return std::nullopt;
  return server;
}

ApiClient::ApiClient(ApiServer server, CallLimits limits)
    : impl_(std::make_unique<Impl>(std::move(server), limits)) {}

ApiClient::~ApiClient() = default;

const ApiServer& ApiClient::server() const noexcept {
  return impl_->server;
}

Answer ApiClient::get(std::string_view target, std::stop_token stop) {
  Impl::Call call;
  if (auto error = impl_->begin(call, http::verb::get, target, std::move(stop)))
    return {.error = std::move(error)};
  return impl_->ask(call);
}

Answer ApiClient::patch(std::string_view target, PatchType type, std::string_view body,
                        std::stop_token stop) {
  Impl::Call call;
  if (auto error = impl_->begin(call, http::verb::patch, target, std::move(stop)))
    return {.error = std::move(error)};
  const std::string_view content_type = content_type_of(type);
  call.request.set(http::field::content_type,
                   beast::string_view(content_type.data(), content_type.size()));
  call.request.body() = body;
  return impl_->ask(call);
}

std::optional<CallError> ApiClient::list(std::string_view target,
                                         const std::function<void(ListPage&&)>& on_page,
                                         std::stop_token stop) {
  const std::string limited =
      std::string(target) + (target.find('?') == std::string::npos ? '?' : '&') + "limit=";
  int page_objects = impl_->limits.page_objects;
  std::string token;
  for (;;) {
    Answer answer = get(limited + std::to_string(page_objects) +
                            (token.empty() ? "" : "&continue=" + percent_encoded(token)),
                        stop);
    if (answer.error && answer.error->reason == CallError::Reason::too_long && page_objects > 1) {
      page_objects = std::max(1, page_objects / 8);
      continue;
    }
    if (answer.error) return std::move(answer.error);
    std::optional<ListPage> page = read_page(answer.body);
    if (!page) {
      return CallError{
          .reason = CallError::Reason::unreadable,
          .text = "GET " + std::string(target.substr(0, target.find('?'))) + ": no list"};
    }
    token = page->continue_token;
    on_page(std::move(*page));
    if (token.empty()) return std::nullopt;
  }
}

std::optional<CallError> ApiClient::watch(std::string_view target, const WatchHandler& handler,
                                          std::chrono::milliseconds silence, std::stop_token stop) {
  Impl::Call call;
  std::optional<CallError> error = impl_->begin(call, http::verb::get, target, std::move(stop));
  if (error) return error;
  std::optional<http::response_parser<http::buffer_body>> parser;
  const std::unique_ptr<Connection> connection =
      impl_->send(call, silence, no_limit, parser, error);
  if (connection == nullptr) return error;
  const CutOnStop cut(call.stop, *connection);
  const bool good = parser->get().result() == http::status::ok;
  if (good) handler.opened();

  std::string line;
  std::vector<char> part(65536);
  while (!parser->is_done()) {
    auto& body = parser->get().body();
    body.data = part.data();
    body.size = part.size();
    connection->tcp().expires_after(silence);
    const error_code code = connection->read_some(*parser);
    std::string_view came(part.data(), part.size() - body.size);
    if (!good) {
      line += came;
      if (line.size() > max_error_bytes) break;
      came = {};
    }
    for (std::size_t end = came.find('\n'); end != std::string_view::npos; end = came.find('\n')) {
      line += came.substr(0, end);
      came.remove_prefix(end + 1);
      if (line.size() > impl_->limits.line_bytes) break;
      if (!line.empty() && !handler.event(line)) return std::nullopt;
      line.clear();
    }
    line += came;
    if (good && line.size() > impl_->limits.line_bytes) {
      return CallError{.reason = CallError::Reason::too_long,
                       .text = call.subject + ": an event is longer than is read"};
    }
    if (code && code != http::error::need_buffer) {
      CallError ended = impl_->failed(call, code);
      if (code == beast::error::timeout && ended.reason == CallError::Reason::unreachable)
        ended.reason = CallError::Reason::silent;
      return ended;
    }
  }
  if (!good) return refusal(call.subject, parser->get(), line);
  return std::nullopt;
}

}  // namespace support
