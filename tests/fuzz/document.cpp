// SPDX-License-Identifier: Apache-2.0
// Bytes to a document: of the two readers the quick one reads nothing that the thorough one does
// not read the same, and a document is good when that one says so.

#include "fuzz.hpp"

#include "../support/readers.hpp"

#include <schedpol/json/document.hpp>

#include <cstddef>
#include <cstdint>
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
  const auto thorough = schedpol::testing::read_thoroughly(bytes);
  const auto plain = schedpol::testing::read_plainly(bytes);
  law(good == thorough.has_value(), "both readers agree on what is good", bytes);
  law(!plain || plain == thorough, "both readers read the same", bytes);
  return 0;
}
