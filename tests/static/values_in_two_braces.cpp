// SPDX-License-Identifier: Apache-2.0
// The values of a requirement stand in one pair of braces.
#include <schedpol/core/node_selector.hpp>

schedpol::NodeSelectorRequirement zones() {
  return {.key = "zone", .operator_ = schedpol::NodeSelectorOperator::in, .values = {"za", "zb"}};
}
