// SPDX-License-Identifier: Apache-2.0
// `any` is said by its name; a pair of braces inside another does not come to mean it.
#include <schedpol/base/any_or.hpp>

schedpol::AnyOr<schedpol::Texts> architectures() {
  return {{}, {}};  // error
}
