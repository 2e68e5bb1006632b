// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How a question that takes many searches of a few instructions each is asked without a call for
/// each of them.

#include <schedpol/version.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// What `f` returns of the arguments; it captures nothing. All that it calls becomes one piece of
/// code, but for what stands apart.
template <class F, class... Arguments>
[[gnu::flatten, gnu::noinline]] auto call_flattened(F f, const Arguments&... arguments) {
  return f(arguments...);
}

}  // namespace SCHEDPOL_NAMESPACE::detail
