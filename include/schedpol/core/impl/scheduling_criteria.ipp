// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/shared.hpp>
#include <schedpol/core/scheduling_criteria.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE SharedCriteria::SharedCriteria(SchedulingCriteria criteria)
    : criteria_(std::move(criteria)) {}

SCHEDPOL_INLINE const SchedulingCriteria& SharedCriteria::operator*() const noexcept {
  static const SchedulingCriteria empty;
  return criteria_ ? *criteria_ : empty;
}

SCHEDPOL_INLINE bool operator==(const SharedCriteria& a, const SharedCriteria& b) {
  return *a == *b;
}

}  // namespace SCHEDPOL_NAMESPACE
