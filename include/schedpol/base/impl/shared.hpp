// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands behind a `Shared<T>` and an `Owned<T>`, for the files that make one or look at it.

#include <schedpol/base/shared.hpp>

#include <atomic>
#include <cstddef>
#include <utility>

namespace SCHEDPOL_NAMESPACE {

/// What a `SharedOwner` owns, alone or with others.
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

template <class T>
struct Shared<T>::Value : SharedObject {
  explicit Value(T from) : value(std::move(from)) {}

  const T value;
};

template <class T>
Shared<T>::Shared(T value) : SharedOwner(new Value(std::move(value))) {}

template <class T>
const T& Shared<T>::operator*() const noexcept {
  return static_cast<const Value*>(object())->value;
}

namespace detail {

/// One that is copied for another owner.
template <class T>
struct OwnedObject final : SharedObject {
  explicit OwnedObject(T from) : value(std::move(from)) {}

  [[nodiscard]] SharedObject* copy() const override { return new OwnedObject(value); }

  T value;
};

}  // namespace detail

template <class T>
Owned<T>::Owned(T value) : SharedOwner(new detail::OwnedObject<T>(std::move(value))) {}

template <class T>
T& Owned<T>::operator*() noexcept {
  return static_cast<detail::OwnedObject<T>*>(object())->value;
}

template <class T>
const T& Owned<T>::operator*() const noexcept {
  return static_cast<const detail::OwnedObject<T>*>(object())->value;
}

namespace detail {

/// A value that copies share until one of them changes it. While one is copied from another that
/// lives on, what both have is never taken for its own.
template <class T>
class CopyOnWrite : private SharedOwner {
 public:
  CopyOnWrite() noexcept = default;
  explicit CopyOnWrite(T value) : SharedOwner(new OwnedObject<T>(std::move(value))) {}

  [[nodiscard]] explicit operator bool() const noexcept { return object() != nullptr; }

  /// Only where there is a value.
  [[nodiscard]] const T& operator*() const noexcept {
    return static_cast<const OwnedObject<T>*>(object())->value;
  }

  /// The value to be changed, made where there is none: one that no other has.
  [[nodiscard]] T& own() {
    if (object() == nullptr) {
      *this = CopyOnWrite(T());
    } else if (object()->owners.load(std::memory_order_acquire) > 1) {
      SharedOwner::operator=(copied());
    }
    return static_cast<OwnedObject<T>*>(object())->value;
  }
};

}  // namespace detail

}  // namespace SCHEDPOL_NAMESPACE
