// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How classes hold their implementation. All copies of a compiled form (matcher, policies, `Engine`)
/// share one immutable object, so copies are cheap and any number of threads may use them. The results
/// of `with` and `without` share what stays the same: to replace one policy of ten thousand costs a small
/// part of compiling all. Each mutable value (table, cluster) has its own object, and a copy copies that
/// object; any number of threads may read a value while none changes it. Implementations stay out of the
/// public headers. So does `<memory>`, which alone would cost a user's file a quarter of what all other
/// standard headers cost together.

#include <schedpol/version.hpp>

namespace SCHEDPOL_NAMESPACE {

/// A shared object with the count of its owners.
class SharedObject;

/// One of the owners of an object, whatever its type.
class SharedOwner {
 public:
  SharedOwner() noexcept = default;
  SharedOwner(const SharedOwner& other) noexcept;
  SharedOwner(SharedOwner&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  SharedOwner& operator=(const SharedOwner& other) noexcept;
  SharedOwner& operator=(SharedOwner&& other) noexcept;
  ~SharedOwner();

 protected:
  /// Takes over an object whose owner count is one.
  explicit SharedOwner(SharedObject* object) noexcept : object_(object) {}

  [[nodiscard]] SharedObject* object() const noexcept { return object_; }  ///< or null
  [[nodiscard]] SharedOwner copied() const;  ///< the owner of a copy of the object

 private:
  SharedObject* object_ = nullptr;
};

/// No object if default-constructed or moved from. `T` needs to be complete only where an object is
/// made or read.
template <class T>
class Shared : public SharedOwner {
 public:
  Shared() noexcept = default;

  /// Shares `value` from now on.
  explicit Shared(T value);

  [[nodiscard]] explicit operator bool() const noexcept { return object() != nullptr; }

  /// Only where there is an object.
  [[nodiscard]] const T& operator*() const noexcept;
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }

 private:
  struct Value;
};

/// The same with a mutable object; a copy has its own copy of it.
template <class T>
class Owned : private SharedOwner {
 public:
  Owned() noexcept = default;
  Owned(const Owned& other) : SharedOwner(other.copied()) {}
  Owned(Owned&& other) noexcept = default;
  Owned& operator=(const Owned& other) { return *this = Owned(other); }
  Owned& operator=(Owned&& other) noexcept = default;
  ~Owned() = default;

  /// Takes over `value`.
  explicit Owned(T value);

  [[nodiscard]] explicit operator bool() const noexcept { return object() != nullptr; }

  /// Only where there is an object.
  [[nodiscard]] T& operator*() noexcept;
  [[nodiscard]] const T& operator*() const noexcept;
  [[nodiscard]] T* operator->() noexcept { return &**this; }
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/base/impl/shared.ipp>
#endif
