// SPDX-License-Identifier: Apache-2.0
// A map of two pairs stands in two pairs of braces; three would be two ranges of characters.
#include <schedpol/core/pod.hpp>

schedpol::PodSpec selecting() {
  schedpol::PodSpec spec;
  spec.node_selector = {{{"arch", "amd64"}, {"os", "linux"}}};  // error
  return spec;
}
