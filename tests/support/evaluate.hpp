// SPDX-License-Identifier: Apache-2.0
#pragma once

// `evaluate`, compiled once for all tests that ask it something: it takes most of the headers in.

#include <string>
#include <string_view>

namespace schedpol::testing {

std::string evaluated(std::string_view request);

}  // namespace schedpol::testing
