// SPDX-License-Identifier: Apache-2.0
// What is known of a pod in a cluster cannot outlive the cluster.
#include <schedpol/cluster/cluster.hpp>

namespace resource_policy = schedpol::resource_policy;

auto prefilter(const resource_policy::CompiledPolicies& policies, const schedpol::Pod& pod) {
  return resource_policy::Cluster(policies, {}, {}).prefilter(pod);  // error
}
