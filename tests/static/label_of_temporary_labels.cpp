// SPDX-License-Identifier: Apache-2.0
// A label is found in labels that stay.
#include <schedpol/core/labels.hpp>

#include <string>

std::string team() {
  const schedpol::Labels labels = {{"team", "a"}};
  return *schedpol::find_label(labels, "team");
}
