// SPDX-License-Identifier: Apache-2.0
// A step of a chain answers with a whole admission, not with yes or no.
#include <schedpol/core/admission.hpp>

schedpol::Admission chain(const schedpol::Admission& first) {
  return first.and_then([](schedpol::Pod pod) { return pod.spec.node_name.empty(); });  // error
}
