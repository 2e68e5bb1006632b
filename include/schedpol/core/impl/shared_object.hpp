// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a `SharedOwner` owns, alone or with others.

#include <schedpol/version.hpp>

#include <atomic>
#include <cstddef>

namespace SCHEDPOL_NAMESPACE {

class SharedObject {
 public:
  SharedObject() = default;
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  virtual ~SharedObject() = default;

  /// Null where it is never copied.
  [[nodiscard]] virtual SharedObject* copy() const { return nullptr; }

  std::atomic<std::size_t> owners = 1;
};

}  // namespace SCHEDPOL_NAMESPACE
