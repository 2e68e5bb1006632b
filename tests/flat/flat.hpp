// SPDX-License-Identifier: Apache-2.0
#pragma once

// The cases of flat_test.py, each in the folder of what it is about: all is made that it needs,
// with so many entries, and what is left to do says whether it allows.

#include <cstddef>
#include <functional>
#include <string>

namespace schedpol::testing {

using Flat = std::function<bool()>;

Flat flat_decision(const std::string& name, std::size_t policies);
Flat flat_term(const std::string& name, std::size_t expressions);
Flat flat_check(const std::string& name, std::size_t entries);
Flat flat_turn(const std::string& name, std::size_t pods);

}  // namespace schedpol::testing
