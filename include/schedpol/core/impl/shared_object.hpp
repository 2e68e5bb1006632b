// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a `SharedOwner` owns with others.

#include <atomic>
#include <cstddef>

namespace schedpol {

class SharedObject {
 public:
  SharedObject() = default;
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  virtual ~SharedObject() = default;

  std::atomic<std::size_t> owners = 1;
};

}  // namespace schedpol
