// SPDX-License-Identifier: Apache-2.0
// An admission is asked whether it is allowed; there is no bool to read it by.
#include <schedpol/core/admission.hpp>

bool passes(const schedpol::Admission& admission) {
  return !!admission;  // error
}
