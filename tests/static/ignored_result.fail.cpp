// SPDX-License-Identifier: Apache-2.0
// Whether a selector was compiled cannot be ignored.
#include <schedpol/core/label_selector.hpp>

void read(const schedpol::LabelSelector& selector) {
  schedpol::compile(selector);  // error
}
