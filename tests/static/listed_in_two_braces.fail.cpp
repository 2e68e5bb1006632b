// SPDX-License-Identifier: Apache-2.0
// What a policy lists stands in one pair of braces, so that none of them reads as a text.
#include <schedpol/base/any_or.hpp>

schedpol::AnyOr<schedpol::Texts> architectures() {
  return {{"amd64", "arm64"}};  // error
}
