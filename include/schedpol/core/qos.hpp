// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The quality-of-service class of a pod, as the kubelet computes it from what cpu and memory its
/// containers and init containers ask for, or the pod as a whole where it says so itself:
/// 1. BestEffort: nothing more than zero is requested or limited;
/// 2. Guaranteed: every container limits both (or the pod does), and the sums of the requests are
///    those of the limits;
/// 3. Burstable: everything else.
/// Other resources, ephemeral containers and quantities that are not positive do not count.
/// Source: Kubernetes, `ComputePodQOS`.

#include <schedpol/core/pod.hpp>
#include <schedpol/core/quantity.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace schedpol {

enum class QosClass { best_effort, burstable, guaranteed };

[[nodiscard]] constexpr std::string_view to_string(QosClass qos) noexcept {
  switch (qos) {
    case QosClass::best_effort: return "BestEffort";
    case QosClass::burstable: return "Burstable";
    case QosClass::guaranteed: return "Guaranteed";
  }
  return "";
}

namespace detail {

/// What one resource adds up to over all that ask for it.
struct ResourceSum {
  std::string_view name;
  Quantity requests{};
  Quantity limits{};
};

/// Adds what is asked for; false when no limit is set.
inline bool add_positive(ResourceSum& sum, const ResourceRequirements& resources) {
  const Quantity zero;
  const auto add = [&](Quantity& into, const ResourceList& list) {
    const auto found = list.find(sum.name);
    if (found == list.end() || found->second <= zero) return false;
    into = into + found->second;
    return true;
  };
  add(sum.requests, resources.requests);
  return add(sum.limits, resources.limits);
}

}  // namespace detail

[[nodiscard]] inline QosClass qos_class(const PodSpec& spec) {
  std::array<detail::ResourceSum, 2> sums = {{{"cpu"}, {"memory"}}};
  bool guaranteed = true;
  const auto add = [&](const ResourceRequirements& resources) {
    for (detail::ResourceSum& sum : sums) guaranteed &= detail::add_positive(sum, resources);
  };
  if (spec.resources) {
    add(*spec.resources);
  } else {
    for (const Container& container : spec.containers) add(container.resources);
    for (const Container& container : spec.init_containers) add(container.resources);
  }
  bool nothing = true;
  for (const detail::ResourceSum& sum : sums) {
    nothing &= sum.requests.is_zero() && sum.limits.is_zero();
    guaranteed &= sum.requests == sum.limits;
  }
  if (nothing) return QosClass::best_effort;
  return guaranteed ? QosClass::guaranteed : QosClass::burstable;
}

}  // namespace schedpol
