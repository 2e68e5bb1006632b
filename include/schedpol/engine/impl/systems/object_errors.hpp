// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with an object of whichever system.

#include <schedpol/metadata_policy/validate.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>
#include <schedpol/resource_policy/validate.hpp>
#include <schedpol/runtime_class/validate.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Roles and bindings.
template <class T>
inline constexpr bool is_of_rbac =
    requires(T object) { object.rules; } || requires(T object) { object.role_ref; };

/// What `validate` of its system finds wrong with an object. Of the objects of RBAC nothing is: what
/// cannot be understood in them grants nothing.
template <class T>
std::vector<FieldError> errors_of(const T& object) {
  if constexpr (is_of_rbac<T>) {
    return {};
  } else if constexpr (requires { validate(object).errors; }) {
    return validate(object).errors;
  } else {
    return validate(object);
  }
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
