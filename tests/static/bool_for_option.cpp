// SPDX-License-Identifier: Apache-2.0
// An option is a named choice, so a bool cannot be mistaken for one.
#include <schedpol/scheduling_policy/options.hpp>

auto lenient() {
  schedpol::scheduling_policy::Options options;
  options.node_name = schedpol::scheduling_policy::NodeNameCheck::ignore;
  return options;
}
