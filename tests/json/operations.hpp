// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations of `evaluate` and their answers.

#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/evaluate.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace operations_cases {

// The operations beside those of SchedulingPolicy and RBAC: exact replies, and what is refused.

using namespace schedpol;
using testing::result_or_error;

struct Case {
  const char* name;
  std::string_view op;
  const char* input;
  const char* wanted;
};

template <std::size_t N>
void check_all(const Case (&cases)[N]) {
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(result_or_error(c.op, c.input) == c.wanted);
  }
}

}  // namespace operations_cases
