// SPDX-License-Identifier: Apache-2.0
#pragma once

// What tests expect where a result lists names.

#include <string>
#include <vector>

namespace schedpol::testing {

using List = std::vector<std::string>;

}  // namespace schedpol::testing
