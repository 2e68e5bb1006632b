// SPDX-License-Identifier: Apache-2.0
// What was and what will be cannot take each other's place.
#include <schedpol/scheduling_policy/check.hpp>

bool adds_nothing(const schedpol::Old<schedpol::Pod>& old, const schedpol::Pod& updated,
                  const schedpol::scheduling_policy::EffectivePolicy& effective) {
  return check_update(updated, old, effective).empty();  // error
}
