// SPDX-License-Identifier: Apache-2.0
// A list of two texts stands in one pair of braces; two pairs would be a text made of two pointers.
#include <schedpol/base/texts.hpp>

schedpol::Texts architectures() {
  return {"amd64", "arm64"};
}
