// SPDX-License-Identifier: Apache-2.0
// A label is found in labels that stay.
#include <schedpol/core/labels.hpp>

#include <string>

std::string team() {
  return *schedpol::find_label(schedpol::Labels{{"team", "a"}}, "team");  // error
}
