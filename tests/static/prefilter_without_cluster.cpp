// SPDX-License-Identifier: Apache-2.0
// What is known of a pod in a cluster cannot outlive the cluster.
#include <schedpol/cluster/cluster.hpp>

namespace resource_policy = schedpol::resource_policy;

auto code(const resource_policy::CompiledPolicies& policies, const schedpol::Pod& pod) {
  const resource_policy::Cluster cluster(policies, {}, {});
  return cluster.prefilter(pod).code();
}
