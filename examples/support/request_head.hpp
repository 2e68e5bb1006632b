// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is said to a request that is not answered by its route, most of them for their head alone.

#include "server.hpp"

#include <boost/beast/core/string_type.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>

namespace support {

using Parser = boost::beast::http::request_parser<boost::beast::http::string_body>;

inline std::string_view text_of(boost::beast::string_view text) {
  return {text.data(), text.size()};
}

/// A target up to its question mark.
inline std::string_view path_of(std::string_view target) {
  return target.substr(0, target.find('?'));
}

/// Whether a request carries the token of the file.
[[nodiscard]] bool has_token(const Parser& parser, const std::filesystem::path& file);

[[nodiscard]] Response error(int status, std::string_view why);
[[nodiscard]] Response too_large(std::size_t max_body_bytes);
/// Nobody that is known here asks.
[[nodiscard]] Response unauthorized();
/// What is for known clients alone, where nobody is.
[[nodiscard]] Response forbidden();
/// To come again.
[[nodiscard]] Response busy(std::string_view why);

/// Why the rest of a request is not wanted; nothing where it is. `route` is where it goes; null:
/// nowhere.
[[nodiscard]] std::optional<Response> refusal_of_head(const Parser& parser, const Route* route,
                                                      std::size_t max_body_bytes);

}  // namespace support
