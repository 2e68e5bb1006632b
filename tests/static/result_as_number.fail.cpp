// SPDX-License-Identifier: Apache-2.0
// A result is no number: a count of its errors has to be asked for.
#include <schedpol/core/label_selector.hpp>

auto problems(const schedpol::LabelSelector& selector) {
  const std::size_t count = schedpol::compile(selector);  // error
  return count;
}
