// SPDX-License-Identifier: Apache-2.0
#include "request_head.hpp"

#include "files.hpp"

#include <boost/beast/core/string.hpp>

#include <openssl/crypto.h>

#include <string>

namespace support {

namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;

bool is_json(beast::string_view content_type) {
  return beast::iequals(content_type.substr(0, content_type.find_first_of("; \t")),
                        "application/json");
}

}  // namespace

bool has_token(const Parser& parser, const std::filesystem::path& file) {
  constexpr std::string_view scheme = "Bearer ";
  const http::request_header<>& head = parser.get();
  if (file.empty() || head.count(http::field::authorization) != 1) return false;
  std::string_view said = text_of(head[http::field::authorization]);
  if (!said.starts_with(scheme)) return false;
  said.remove_prefix(scheme.size());
  const std::optional<std::string> token = read_token(file);
  // How long it takes tells nothing of the token but its length.
  return token && token->size() == said.size() &&
         CRYPTO_memcmp(token->data(), said.data(), said.size()) == 0;
}

Response error(int status, std::string_view why) {
  return {.status = status, .body = std::string(why) + '\n'};
}

Response too_large(std::size_t max_body_bytes) {
  return error(413, "the body is larger than " + std::to_string(max_body_bytes >> 20U) + " MiB");
}

Response unauthorized() {
  Response refused = error(401, "a client certificate or a token is needed");
  refused.headers.emplace_back("WWW-Authenticate", "Bearer");
  return refused;
}

Response forbidden() {
  return error(403, "no client is known here: --client-ca-file or --client-token-file is needed");
}

Response busy(std::string_view why) {
  Response refused = error(503, why);
  refused.headers.emplace_back("Retry-After", "1");
  return refused;
}

std::optional<Response> refusal_of_head(const Parser& parser, const Route* route,
                                        std::size_t max_body_bytes) {
  using Field = http::field;
  const http::request_header<>& head = parser.get();
  if (route == nullptr) return error(404, "no such path");
  const bool takes_body = route->method == Method::post;
  const http::verb verb = head.method();
  if (takes_body ? verb != http::verb::post : verb != http::verb::get && verb != http::verb::head) {
    Response refused = error(405, "no such method here");
    refused.headers.emplace_back("Allow", takes_body ? "POST" : "GET, HEAD");
    return refused;
  }
  if (head.version() != 10 && head.version() != 11) return error(505, "HTTP/1.1 is spoken here");
  if (head.version() == 11 && head.count(Field::host) != 1)
    return error(400, "one Host has to be said");
  const bool is_coded = head.count(Field::transfer_encoding) > 0;
  if (head.count(Field::transfer_encoding) > 1 ||
      (is_coded && !beast::iequals(head[Field::transfer_encoding], "chunked")))
    return error(400, "the length of the body is not clear");
  const auto length = parser.content_length();
  if (!takes_body && (is_coded || length.value_or(0) > 0))
    return error(400, "no body is read here");
  if (!takes_body) return std::nullopt;
  if (!is_json(head[Field::content_type]) || head.count(Field::content_encoding) > 0)
    return error(415, "has to be application/json, and not compressed");
  if (!is_coded && head.count(Field::content_length) == 0)
    return error(411, "the length of the body is not said");
  if (const auto expect = head[Field::expect];
      !expect.empty() && !beast::iequals(expect, "100-continue"))
    return error(417, "only 100-continue can be expected");
  if (length.value_or(0) > max_body_bytes) return too_large(max_body_bytes);
  return std::nullopt;
}

}  // namespace support
