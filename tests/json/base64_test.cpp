// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/impl/base64.hpp>

#include <doctest/doctest.h>

#include <string_view>
#include <utility>

namespace base64_test {

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
  for (const auto& [bytes, wanted] : cases) {
    schedpol::json::detail::Writer out;
    schedpol::json::detail::write_base64(out, bytes);
    CHECK(out.text() == wanted);
  }
}

}  // namespace base64_test
