// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands behind a `Shared<T>` and an `Owned<T>`, for the files that make one or look at it.

#include <schedpol/core/impl/shared_object.hpp>
#include <schedpol/core/shared.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE {

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

template <class T>
struct Owned<T>::Value final : SharedObject {
  explicit Value(T from) : value(std::move(from)) {}

  [[nodiscard]] SharedObject* copy() const override { return new Value(value); }

  T value;
};

template <class T>
Owned<T>::Owned(T value) : SharedOwner(new Value(std::move(value))) {}

template <class T>
T& Owned<T>::operator*() noexcept {
  return static_cast<Value*>(object())->value;
}

template <class T>
const T& Owned<T>::operator*() const noexcept {
  return static_cast<const Value*>(object())->value;
}

}  // namespace SCHEDPOL_NAMESPACE
