// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/shared.hpp>
#include <schedpol/base/shared.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE SharedOwner::SharedOwner(const SharedOwner& other) noexcept
    : object_(other.object_) {
  if (object_ != nullptr) object_->owners.fetch_add(1, std::memory_order_relaxed);
}

SCHEDPOL_INLINE SharedOwner& SharedOwner::operator=(const SharedOwner& other) noexcept {
  SharedOwner copy = other;
  std::swap(object_, copy.object_);
  return *this;
}

SCHEDPOL_INLINE SharedOwner& SharedOwner::operator=(SharedOwner&& other) noexcept {
  SharedOwner taken = std::move(other);
  std::swap(object_, taken.object_);
  return *this;
}

SCHEDPOL_INLINE SharedOwner::~SharedOwner() {
  if (object_ == nullptr) return;
  if (object_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object_;
}

SCHEDPOL_INLINE SharedOwner SharedOwner::copied() const {
  return SharedOwner(object_ == nullptr ? nullptr : object_->copy());
}

}  // namespace SCHEDPOL_NAMESPACE
