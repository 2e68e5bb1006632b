// SPDX-License-Identifier: Apache-2.0
// The changes of a fix are asked for where it is kept, and there is one.
#include <schedpol/insight/nearest_fix.hpp>

std::size_t edits(const schedpol::Pod& pod,
                  const schedpol::scheduling_policy::EffectivePolicy& effective) {
  const auto fix = nearest_fix(pod, effective);
  return fix && *fix ? (**fix).changes.size() : 0;
}
