// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/container_requests.hpp>
#include <schedpol/core/qos.hpp>
#include <schedpol/core/quantity.hpp>
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

  /// Where there is no request the limit is it.
  void add_effective(const ResourceRequirements& resources) {
    add(resources.requests.contains(name) ? resources.requests : resources.limits,
        resources.limits);
  }

 private:
  /// False where nothing more than zero is asked for.
  bool add(Quantity& sum, const ResourceList& list) const {
    const auto found = list.find(name);
    if (found == list.end() || found->second <= Quantity()) return false;
    sum = sum + found->second;
    return true;
  }
};

/// What both resources add up to.
struct QosSums {
  ResourceSum cpu{"cpu"};
  ResourceSum memory{"memory"};

  [[nodiscard]] QosClass qos_class() const {
    if (is_zero(cpu) && is_zero(memory)) return QosClass::best_effort;
    return is_guaranteed(cpu) && is_guaranteed(memory) ? QosClass::guaranteed : QosClass::burstable;
  }

 private:
  static bool is_zero(const ResourceSum& sum) {
    return sum.requests.is_zero() && sum.limits.is_zero();
  }
  static bool is_guaranteed(const ResourceSum& sum) {
    return sum.always_limited && sum.requests == sum.limits;
  }
};

/// Calls `use` with what each container asks for.
template <class Use>
void for_each_container(const PodSpec& spec, Use use) {
  for (const Container& container : spec.containers) use(container.resources);
  for (const Container& container : spec.init_containers) use(container.resources);
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
  detail::QosSums sums;
  const auto add = [&](const ResourceRequirements& resources) {
    sums.cpu.add(resources.requests, resources.limits);
    sums.memory.add(resources.requests, resources.limits);
  };
  if (spec.resources) {
    add(*spec.resources);
  } else {
    detail::for_each_container(spec, add);
  }
  return sums.qos_class();
}

SCHEDPOL_INLINE QosClass effective_qos_class(const PodSpec& spec) {
  detail::QosSums sums;
  if (!spec.resources) {
    detail::for_each_container(spec, [&](const ResourceRequirements& resources) {
      sums.cpu.add_effective(resources);
      sums.memory.add_effective(resources);
    });
    return sums.qos_class();
  }
  ResourceList requests = spec.resources->requests;
  if (!spec.resources->limits.empty()) {
    requests = detail::container_requests(spec);
    detail::put_pod_level(requests, *spec.resources);
  }
  sums.cpu.add(requests, spec.resources->limits);
  sums.memory.add(requests, spec.resources->limits);
  return sums.qos_class();
}

}  // namespace SCHEDPOL_NAMESPACE
