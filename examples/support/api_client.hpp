// SPDX-License-Identifier: Apache-2.0
#pragma once

/// ApiClient: HTTPS to one Kubernetes API server, as far as a controller needs it.
///
/// 1. The server's certificate has to be signed by the CA file and be for the host. Every request
///    carries the token of the token file as it is at that time, because a bound token is replaced
///    while a program runs; a file that cannot be read is an error, and nothing is sent.
/// 2. A call returns what the server answered with 2xx, or a CallError that says what was asked and
///    what went wrong. Nothing throws.
/// 3. A call ends: each has a time-out, a watch one for its silence, and all end at once when they
///    are asked to stop. Only looking up a name takes as long as the system lets it.
/// 4. What a server sends is bounded; more is an error. A page of a list that is too long is asked
///    for again in smaller ones, so that nobody can keep a list from being read with large objects.
///
/// Any number of threads may call. Connections are kept for the next call.
/// Source: the Kubernetes API concepts (list in pages, watch, patch).

#include "api_object.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace support {

/// Where an API server is, and what one needs to speak to it.
struct ApiServer {
  std::string host{};  ///< a name or an address
  std::string port = "443";
  std::string base_path{};             ///< before every target; empty, or `/clusters/one`
  std::filesystem::path token_file{};  ///< empty: no token is sent
  std::filesystem::path ca_file{};     ///< PEM
};

/// The server that a pod finds by `KUBERNETES_SERVICE_HOST` and `KUBERNETES_SERVICE_PORT`, with the
/// token and CA of its service account; nothing where the variables are not set.
[[nodiscard]] std::optional<ApiServer> in_cluster_server();

/// The server of a URL, `https://HOST[:PORT][/PATH]`; nothing where it is none.
[[nodiscard]] std::optional<ApiServer> api_server_at(std::string_view url,
                                                     std::filesystem::path token_file,
                                                     std::filesystem::path ca_file);

/// Why a call has not the answer that was asked for.
struct CallError {
  enum class Reason {
    stopped,      ///< the caller wanted it to end
    unreachable,  ///< no trusted connection, cut off, too slow, or a file that cannot be read
    silent,       ///< a watch was begun, and then nothing came for too long
    refused,      ///< the answer is not 2xx: `status`
    too_long,     ///< the answer is longer than is read
    unreadable,   ///< the answer is not what it has to be
  };
  Reason reason = Reason::unreachable;
  int status = 0;  ///< the HTTP status where there was one
  /// How long the server wants to be left alone (`Retry-After`); zero where it does not say.
  std::chrono::seconds retry_after{0};
  std::string text{};  ///< for a person: `GET /api/v1/pods: 403: pods is forbidden`
};

/// The body of a 2xx answer, or the error.
struct Answer {
  std::optional<CallError> error{};
  std::string body{};
};

enum class PatchType {
  json_patch,   ///< RFC 6902
  merge_patch,  ///< RFC 7386
  strategic_merge_patch,
  /// Server-side apply. The target has to name a `fieldManager`, and `force=true` to win conflicts.
  /// JSON is YAML, so the body may be JSON.
  apply,
};

/// How long is waited, and how much is read.
struct CallLimits {
  std::chrono::milliseconds connect{10'000};       ///< TCP and TLS together
  std::chrono::milliseconds answer{60'000};        ///< of a call that is no watch, from end to end
  std::size_t body_bytes = std::size_t{8} << 20U;  ///< of an answer; an object has less than 2 MiB
  std::size_t line_bytes = std::size_t{8} << 20U;  ///< of one event of a watch
  int page_objects = 500;                          ///< asked for in one page of a list, at first
};

/// What is told of a watch while it lasts.
struct WatchHandler {
  std::function<void()> opened{};  ///< the server has agreed to it
  /// One event as a line of JSON, without its end. False ends the watch.
  std::function<bool(std::string_view line)> event{};
};

class ApiClient {
 public:
  explicit ApiClient(ApiServer server, CallLimits limits = {});
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  [[nodiscard]] const ApiServer& server() const noexcept;

  /// `target` is a path with its query: `/api/v1/namespaces/shop`.
  [[nodiscard]] Answer get(std::string_view target, std::stop_token stop = {});

  [[nodiscard]] Answer patch(std::string_view target, PatchType type, std::string_view body,
                             std::stop_token stop = {});

  /// Everything at `target`, page by page: `on_page` is called for each, in order. The resource
  /// version of the last page is that of the list. After an error the pages that came are part of
  /// no list.
  [[nodiscard]] std::optional<CallError> list(std::string_view target,
                                              const std::function<void(ListPage&&)>& on_page,
                                              std::stop_token stop = {});

  /// What happens at `target`, which has `watch=true` in its query, until the server ends it, the
  /// handler does (nothing is returned in both cases), or something goes wrong, such as nothing at
  /// all for as long as `silence`. A line that was cut off is not handed on.
  [[nodiscard]] std::optional<CallError> watch(std::string_view target, const WatchHandler& handler,
                                               std::chrono::milliseconds silence,
                                               std::stop_token stop = {});

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace support
