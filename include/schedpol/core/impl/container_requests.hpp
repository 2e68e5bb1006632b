// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rules 1, 2 and 5 of `resources.hpp`, step by step.

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/core/pod.hpp>

#include <algorithm>

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

inline void raise_to(ResourceList& most, const std::string& name, const Quantity& quantity) {
  Quantity& there = most.try_emplace(name, quantity).first->second;
  if (there < quantity) there = quantity;
}

inline void raise_to(ResourceList& most, const ResourceList& other) {
  for (const auto& [name, quantity] : other) raise_to(most, name, quantity);
}

/// Of all containers together; `each(container, use)` calls `use(name, quantity)` with what one asks for.
template <class Each>
ResourceList sum_of_containers(const PodSpec& spec, Each each) {
  ResourceList sum;
  const auto add_container = [&](ResourceList& to, const Container& container) {
    each(container, [&](const std::string& name, const Quantity& quantity) {
      to[name] = to[name] + quantity;
    });
  };
  for (const Container& container : spec.containers) add_container(sum, container);
  ResourceList sidecars;  // that run when the next init container starts
  ResourceList most_at_init;
  for (const Container& container : spec.init_containers) {
    if (container.restart_policy == "Always") {
      add_container(sum, container);
      add_container(sidecars, container);
      continue;
    }
    // What it does not ask for needs no more than the sidecars, which are in the sum.
    each(container, [&](const std::string& name, const Quantity& quantity) {
      const auto beside = sidecars.find(name);
      raise_to(most_at_init, name, beside == sidecars.end() ? quantity : beside->second + quantity);
    });
  }
  raise_to(sum, most_at_init);
  return sum;
}

/// What the spec requests for all containers together.
inline ResourceList container_requests(const PodSpec& spec) {
  return sum_of_containers(spec, [](const Container& container, const auto& use) {
    for_each_request(container.resources, use);
  });
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

/// Whether every container limits the resource.
inline bool is_limited_by_all(const PodSpec& spec, const std::string& name) {
  const auto limits = [&](const Container& container) {
    return container.resources.limits.contains(name);
  };
  return all_of(spec.containers, limits) && all_of(spec.init_containers, limits);
}

/// What a pod as a whole says, with what the API server writes into it when the pod is created
/// (`DefaultPodLevelResources`): requests, and limits of what all containers limit.
inline std::optional<ResourceRequirements> defaulted_pod_level(const PodSpec& spec) {
  std::optional<ResourceRequirements> pod = spec.resources;
  if (!pod || (pod->requests.empty() && pod->limits.empty())) return pod;
  pod->requests = container_requests(spec);
  put_pod_level(pod->requests, *spec.resources);
  const ResourceList limited =
      sum_of_containers(spec, [](const Container& container, const auto& use) {
        for (const auto& [name, limit] : container.resources.limits) use(name, limit);
      });
  for (const auto& [name, limit] : limited) {
    const auto request = pod->requests.find(name);
    if (!is_pod_level(name) || request == pod->requests.end() || !is_limited_by_all(spec, name))
      continue;
    pod->limits.try_emplace(name, std::max(limit, request->second));
  }
  return pod;
}

/// Whether the node has refused what the spec asks for since the pod was resized.
inline bool is_resize_infeasible(const PodStatus& status) {
  for (const PodCondition& condition : status.conditions)
    if (condition.type == "PodResizePending") return condition.reason == "Infeasible";
  return false;
}

/// What the status says of a container; null: nothing.
inline const ContainerStatus* find_status(const PodStatus& status, std::string_view container) {
  for (const auto* statuses : {&status.container_statuses, &status.init_container_statuses})
    for (const ContainerStatus& of_one : *statuses)
      if (of_one.name == container) return &of_one;
  return nullptr;
}

/// Rule 5 for all containers together.
inline ResourceList container_requests(const PodSpec& spec, const PodStatus& status) {
  const bool infeasible = is_resize_infeasible(status);
  ResourceList most = infeasible ? ResourceList() : container_requests(spec);
  if (!status.allocated_resources.empty() && status.resources &&
      !status.resources->requests.empty()) {
    raise_to(most, status.allocated_resources);
    raise_to(most, status.resources->requests);
    return most;
  }
  // What the status does not say of a container is what the next best place says of it.
  for (const bool actual : {false, true}) {
    raise_to(most, sum_of_containers(spec, [&](const Container& container, const auto& use) {
               const ContainerStatus* const said = find_status(status, container.name);
               if (actual && said != nullptr && !said->resources.requests.empty()) {
                 for (const auto& [name, quantity] : said->resources.requests) use(name, quantity);
               } else if (said != nullptr && !said->allocated_resources.empty()) {
                 for (const auto& [name, quantity] : said->allocated_resources) use(name, quantity);
               } else if (!infeasible) {
                 for_each_request(container.resources, use);
               }
             }));
  }
  return most;
}

/// Rule 5 for what the pod as a whole says, in place of what its containers request.
inline void put_pod_level(ResourceList& sum, const PodSpec& spec, const PodStatus& status) {
  if (!spec.resources) return;
  ResourceList most = container_requests(spec);
  put_pod_level(most, *spec.resources);
  std::erase_if(most, [&](const auto& one) {
    return !is_pod_level(one.first) || (!spec.resources->requests.contains(one.first) &&
                                        !spec.resources->limits.contains(one.first));
  });
  if (most.empty()) return;
  if (status.resources) {
    if (is_resize_infeasible(status)) most.clear();
    raise_to(most, status.resources->requests);
    raise_to(most, status.allocated_resources);
  }
  for (const auto& [name, quantity] : most)
    if (is_pod_level(name)) sum.insert_or_assign(name, quantity);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
