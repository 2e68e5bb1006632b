// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How classes keep what they are made of. Compiled forms (matchers, policies, `Engine`) have one
/// object that nobody changes, shared by all copies, which are cheap to make and safe to use from
/// any number of threads; what `with` and `without` make shares what stays, so that replacing one
/// policy of ten thousand costs a small part of compiling all. What can be changed (tables, clusters) has an
/// object of its own, which is copied with it, and any number of threads may ask it while none
/// changes it. What it is made of stays out of the public headers, and so does `<memory>`, which alone
/// would cost a user's file a quarter of all other standard headers together.

#include <schedpol/version.hpp>

namespace SCHEDPOL_NAMESPACE {

/// What is shared, and how many owners it has.
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
  /// Takes an object that has one owner.
  explicit SharedOwner(SharedObject* object) noexcept : object_(object) {}

  [[nodiscard]] SharedObject* object() const noexcept { return object_; }  ///< or null
  [[nodiscard]] SharedOwner copied() const;  ///< the owner of a copy of the object

 private:
  SharedObject* object_ = nullptr;
};

/// Default-constructed and moved-from it has no object. `T` needs to be complete only where one is
/// made or looked at.
template <class T>
class Shared : public SharedOwner {
 public:
  Shared() noexcept = default;

  /// Of a value from now on shared.
  explicit Shared(T value);

  [[nodiscard]] explicit operator bool() const noexcept { return object() != nullptr; }

  /// Only where there is an object.
  [[nodiscard]] const T& operator*() const noexcept;
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }

 private:
  struct Value;
};

/// The same with an object that can be changed: a copy has a copy of it.
template <class T>
class Owned : private SharedOwner {
 public:
  Owned() noexcept = default;
  Owned(const Owned& other) : SharedOwner(other.copied()) {}
  Owned(Owned&& other) noexcept = default;
  Owned& operator=(const Owned& other) { return *this = Owned(other); }
  Owned& operator=(Owned&& other) noexcept = default;
  ~Owned() = default;

  /// Of one's own object.
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
