// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/container_requests.hpp>
#include <schedpol/core/qos.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// What one resource adds up to over all that ask for it.
struct ResourceSum {
  std::string_view name;
  Quantity requests{};
  Quantity limits{};
  bool always_limited = true;

  void add(const ResourceList& requested, const ResourceList& limited) {
    add(requests, requested);
    always_limited &= add(limits, limited);
  }

  [[nodiscard]] bool is_zero() const { return requests.is_zero() && limits.is_zero(); }
  [[nodiscard]] bool is_guaranteed() const { return always_limited && requests == limits; }

 private:
  /// False where nothing more than zero is asked for.
  bool add(Quantity& sum, const ResourceList& list) const {
    const auto found = list.find(name);
    if (found == list.end() || found->second <= Quantity()) return false;
    sum = sum + found->second;
    return true;
  }
};

/// Of the containers, or of the pod as a whole where that has resources; `requests_of` says where the
/// request of a resource stands.
template <class RequestsOf>
QosClass qos_class(const PodSpec& spec, const std::optional<ResourceRequirements>& pod,
                   RequestsOf requests_of) {
  ResourceSum cpu{"cpu"};
  ResourceSum memory{"memory"};
  const auto add = [&](const ResourceRequirements& resources) {
    for (ResourceSum* sum : {&cpu, &memory})
      sum->add(requests_of(resources, sum->name), resources.limits);
  };
  if (pod) {
    add(*pod);
  } else {
    for (const Container& container : spec.containers) add(container.resources);
    for (const Container& container : spec.init_containers) add(container.resources);
  }
  if (cpu.is_zero() && memory.is_zero()) return QosClass::best_effort;
  return cpu.is_guaranteed() && memory.is_guaranteed() ? QosClass::guaranteed : QosClass::burstable;
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(QosClass qos) noexcept {
  switch (qos) {
    case QosClass::best_effort: return "BestEffort";
    case QosClass::burstable: return "Burstable";
    case QosClass::guaranteed: return "Guaranteed";
  }
  return "";
}

SCHEDPOL_INLINE QosClass qos_class(const PodSpec& spec) {
  return detail::qos_class(spec, spec.resources,
                           [](const ResourceRequirements& of,
                              std::string_view) -> const ResourceList& { return of.requests; });
}

SCHEDPOL_INLINE QosClass effective_qos_class(const PodSpec& spec) {
  return detail::qos_class(
      spec, detail::defaulted_pod_level(spec),
      [](const ResourceRequirements& of, std::string_view name) -> const ResourceList& {
        return of.requests.contains(name) ? of.requests : of.limits;
      });
}

}  // namespace SCHEDPOL_NAMESPACE
