// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects of each system that cannot be used, side by side.

#include <schedpol/core/field_error.hpp>
#include <schedpol/engine/system.hpp>

#include <tuple>
#include <vector>

namespace schedpol::engine::detail {

/// An object that cannot be used, and the first reason why.
template <class T>
struct Unusable {
  T object;
  FieldError reason;
};

using UnusableObjects =
    std::tuple<std::vector<Unusable<runtime_class::RuntimeClass>>,
               std::vector<Unusable<metadata_policy::MetadataPolicy>>,
               std::vector<Unusable<pod_scheduling_policy::PodSchedulingPolicy>>,
               std::vector<Unusable<scheduling_policy::SchedulingPolicy>>,
               std::vector<Unusable<resource_policy::ResourcePolicy>>>;

}  // namespace schedpol::engine::detail
