// SPDX-License-Identifier: Apache-2.0
// The keys that a rule lists, each with its values, stand in two pairs of braces.
#include <schedpol/scheduling_policy/policy.hpp>

schedpol::scheduling_policy::PolicySection of_two() {
  schedpol::scheduling_policy::PolicySection rules;
  rules.node_selectors = {{"arch", {"amd64"}}, {"os", {"linux"}}};
  return rules;
}
