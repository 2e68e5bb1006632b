// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How a question that takes many searches of a few instructions each is asked without a call for
/// each of them.

#include <utility>

namespace schedpol::detail {

/// What `f` returns. All that it calls becomes one piece of code, but for what is kept out of line
/// because it is rare.
template <class F>
[[gnu::flatten, gnu::noinline]] auto in_one_piece(F&& f) {
  return std::forward<F>(f)();
}

}  // namespace schedpol::detail
