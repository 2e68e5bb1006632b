// SPDX-License-Identifier: Apache-2.0
// A pod's metadata is no namespace.
#include <schedpol/pod_scheduling_policy/admit.hpp>

bool injects(const schedpol::Pod& pod, const schedpol::Namespace& in,
             const schedpol::pod_scheduling_policy::CompiledPolicies& policies) {
  return admit(pod, in, policies).allowed;
}
