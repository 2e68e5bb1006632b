// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rules 1 and 2 of `resources.hpp`, step by step.

#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// Whether what a pod as a whole says of the resource counts.
inline bool is_pod_level(std::string_view name) noexcept {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

inline void add_to(ResourceList& sum, const ResourceList& more) {
  for (const auto& [name, quantity] : more) sum[name] = sum[name] + quantity;
}

/// Calls `use(name, quantity)` with each request by rule 2.
template <class Use>
void for_each_request(const ResourceRequirements& resources, Use use) {
  for (const auto& [name, request] : resources.requests) use(name, request);
  for (const auto& [name, limit] : resources.limits)
    if (!resources.requests.contains(name)) use(name, limit);
}

inline void add_to(ResourceList& sum, const ResourceRequirements& resources) {
  for_each_request(resources, [&](const std::string& name, const Quantity& quantity) {
    sum[name] = sum[name] + quantity;
  });
}

inline void raise_to(ResourceList& most, const std::string& name, const Quantity& quantity) {
  Quantity& there = most.try_emplace(name, quantity).first->second;
  if (there < quantity) there = quantity;
}

/// Of all containers together.
inline ResourceList container_requests(const PodSpec& spec) {
  ResourceList sum;
  for (const Container& container : spec.containers) add_to(sum, container.resources);
  ResourceList sidecars;  // that run when the next init container starts
  ResourceList most_at_init;
  for (const Container& container : spec.init_containers) {
    if (container.restart_policy == "Always") {
      add_to(sum, container.resources);
      add_to(sidecars, container.resources);
      continue;
    }
    // What it does not request needs no more than the sidecars, which are in the sum.
    for_each_request(container.resources, [&](const std::string& name, const Quantity& quantity) {
      const auto beside = sidecars.find(name);
      raise_to(most_at_init, name, beside == sidecars.end() ? quantity : beside->second + quantity);
    });
  }
  for (const auto& [name, quantity] : most_at_init) raise_to(sum, name, quantity);
  return sum;
}

/// Puts what the pod as a whole requests in place of what its containers do.
inline void put_pod_level(ResourceList& sum, const ResourceRequirements& pod) {
  for (const auto& [name, quantity] : pod.limits) {
    if (!is_pod_level(name)) continue;
    if (name.starts_with("hugepages-")) {
      sum.insert_or_assign(name, quantity);
    } else {
      sum.try_emplace(name, quantity);
    }
  }
  for (const auto& [name, quantity] : pod.requests)
    if (is_pod_level(name)) sum.insert_or_assign(name, quantity);
}

/// What a pod as a whole says, with the requests that the API server writes beside its limits.
inline std::optional<ResourceRequirements> defaulted_pod_level(const PodSpec& spec) {
  std::optional<ResourceRequirements> pod = spec.resources;
  if (!pod || pod->limits.empty()) return pod;
  pod->requests = container_requests(spec);
  put_pod_level(pod->requests, *spec.resources);
  return pod;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
