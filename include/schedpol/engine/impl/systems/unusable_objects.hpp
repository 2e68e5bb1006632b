// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects of each system that cannot be used, and why.

#include <schedpol/core/field_error.hpp>
#include <schedpol/engine/system.hpp>
#include <schedpol/metadata_policy/validate.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>
#include <schedpol/resource_policy/validate.hpp>
#include <schedpol/runtime_class/validate.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <tuple>
#include <vector>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Whether pods are denied for an object of the type that cannot be used.
template <class T>
inline constexpr bool denies_unusable =
    !requires(T object) { object.rules; } && !requires(T object) { object.role_ref; };

/// What `validate` of its system finds wrong with an object. Of the objects of RBAC nothing is: what
/// cannot be understood in them grants nothing.
template <class T>
std::vector<FieldError> errors_of(const T& object) {
  if constexpr (!denies_unusable<T>) {
    return {};
  } else if constexpr (requires { validate(object).errors; }) {
    return validate(object).errors;
  } else {
    return validate(object);
  }
}

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

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
