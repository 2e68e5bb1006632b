// SPDX-License-Identifier: Apache-2.0
#include "evaluate.hpp"

#include <schedpol/json/evaluate.hpp>

std::string schedpol::testing::evaluated(std::string_view request) {
  return json::evaluate(request);
}
