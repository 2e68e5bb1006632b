// SPDX-License-Identifier: Apache-2.0
// Nothing refers into a result that is gone at the end of the line.
#include <schedpol/core/label_selector.hpp>

bool selects(const schedpol::LabelSelector& selector) {
  return schedpol::compile(selector)->matches({});  // error
}
