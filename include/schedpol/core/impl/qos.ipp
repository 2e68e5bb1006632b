// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/qos.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/impl/linkage.hpp>

namespace schedpol {

namespace detail {

/// What one resource adds up to over all that ask for it.
struct ResourceSum {
  std::string_view name;
  Quantity requests{};
  Quantity limits{};
  bool always_limited = true;

  void add(const ResourceRequirements& resources) {
    add(requests, resources.requests);
    always_limited &= add(limits, resources.limits);
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

}  // namespace detail

SCHEDPOL_INLINE QosClass qos_class(const PodSpec& spec) {
  detail::ResourceSum cpu{"cpu"};
  detail::ResourceSum memory{"memory"};
  const auto add = [&](const ResourceRequirements& resources) {
    cpu.add(resources);
    memory.add(resources);
  };
  if (spec.resources) {
    add(*spec.resources);
  } else {
    for (const Container& container : spec.containers) add(container.resources);
    for (const Container& container : spec.init_containers) add(container.resources);
  }
  const auto is_zero = [](const detail::ResourceSum& sum) {
    return sum.requests.is_zero() && sum.limits.is_zero();
  };
  const auto is_guaranteed = [](const detail::ResourceSum& sum) {
    return sum.always_limited && sum.requests == sum.limits;
  };
  if (is_zero(cpu) && is_zero(memory)) return QosClass::best_effort;
  return is_guaranteed(cpu) && is_guaranteed(memory) ? QosClass::guaranteed : QosClass::burstable;
}

}  // namespace schedpol
