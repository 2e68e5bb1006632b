// SPDX-License-Identifier: Apache-2.0
// Bytes to a document: the reader takes and reads what simdjson does, and a document is good when
// no key is there twice.

#include "fuzz.hpp"

#include "../support/json_oracle.hpp"

#include <schedpol/json/document.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

using schedpol::fuzz::law;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = schedpol::fuzz::text(data, size);
  bool good = false;
  {
    const schedpol::fuzz::Cost cost;
    schedpol::json::Document document;
    good = document.parse(bytes);
    cost.is_within(size);
  }
  const std::string difference = schedpol::testing::difference(bytes);
  law(difference.empty(), "the reader and simdjson agree", difference, bytes);
  schedpol::testing::Reading reading(bytes);
  law(good == (reading.is_json() && !reading.duplicate_key()), "a good document has each key once",
      bytes);
  return 0;
}
