// SPDX-License-Identifier: Apache-2.0
// The old object of a request is said to be one.
#include <schedpol/engine/engine.hpp>

schedpol::engine::Request update(const schedpol::Pod& pod, const schedpol::Pod& old) {
  return {
      .operation = schedpol::engine::Operation::update, .object = pod, .old = schedpol::Old(old)};
}
