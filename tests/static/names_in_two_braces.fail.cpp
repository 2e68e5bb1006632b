// SPDX-License-Identifier: Apache-2.0
// The names in an answer stand in one pair of braces.
#include <schedpol/base/names.hpp>

schedpol::Names policies() {
  return {{"gpu", "zones"}};  // error
}
