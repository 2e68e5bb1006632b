// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/raw_message.hpp>

#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace raw_message_test {

using schedpol::json::decode;
using schedpol::json::RawMessage;
using schedpol::json::RawObject;

TEST_CASE("what no type describes is kept as JSON, to be decoded later") {
  struct Case {
    std::string_view bytes;
    std::string_view kept;  // what follows from `a`; empty: null, or no object
  };
  for (const auto& [bytes, kept] : {
           Case{R"({"b": 1, "a": {"y": [12, "}", null] , "x": true}})",
                R"({"y":[12,"}",null],"x":true})"},
           Case{R"({"a": "\u007d\n"})", R"("}\n")"},
           Case{R"({"a": null})", ""},
           Case{R"([{"a": 1}])", ""},
           Case{R"({"a": 1, "a": 2})", ""},
       }) {
    CAPTURE(bytes);
    const auto object = decode<RawObject>(bytes);
    const auto a = object ? object->find("a") : RawObject::const_iterator();
    CHECK((object ? a->second.json : "") == kept);
    if (!kept.empty()) CHECK(schedpol::json::encode(a->second) == kept);
  }
  const auto items = *decode<std::vector<RawMessage>>(R"([{"n" : 7}, null])");
  REQUIRE(items.size() == 2);
  CHECK(items[1].json.empty());
  CHECK(*decode<std::int64_t>((*decode<RawObject>(items[0].json)).at("n").json) == 7);
  CHECK(schedpol::json::encode(items) == R"([{"n":7},null])");
  CHECK(*decode<bool>("true"));
}

}  // namespace raw_message_test
