// SPDX-License-Identifier: Apache-2.0
#pragma once

/// AnyOptional: what may be absent, a `std::optional` or an `Optional`.

#include <schedpol/version.hpp>

#include <concepts>
#include <optional>

namespace SCHEDPOL_NAMESPACE::detail {

template <class T>
concept AnyOptional = requires { typename T::value_type; } &&
                      std::derived_from<T, std::optional<typename T::value_type>>;

}  // namespace SCHEDPOL_NAMESPACE::detail
