// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/impl/base64.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace base64_test {

std::string written(std::string_view bytes) {
  schedpol::json::detail::Writer out;
  schedpol::json::detail::write_base64(out, bytes);
  return std::move(out).take();
}

TEST_CASE("base64 is that of RFC 4648") {
  constexpr std::pair<std::string_view, std::string_view> cases[] = {
      {"", ""},
      {"f", "Zg=="},
      {"fo", "Zm8="},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg=="},
      {"fooba", "Zm9vYmE="},
      {"foobar", "Zm9vYmFy"},
      {"foobarf", "Zm9vYmFyZg=="},
      {"foobarfoobarfo", "Zm9vYmFyZm9vYmFyZm8="},
      {"\xff\xfe\xfb", "//77"}};
  for (const auto& [bytes, wanted] : cases) CHECK(written(bytes) == wanted);
}

TEST_CASE("base64 of every length is that of its groups of three bytes") {
  std::string bytes;
  std::string groups;
  for (std::size_t size = 0; size < 120; ++size) {
    CAPTURE(size);
    const std::string_view rest = std::string_view(bytes).substr(size / 3 * 3);
    CHECK(written(bytes) == groups + written(rest));
    bytes += static_cast<char>(size * 89 + 7);
    if (bytes.size() % 3 == 0) groups += written(std::string_view(bytes).substr(size - 2));
  }
}

}  // namespace base64_test
