// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What decides where a pod runs, apart from the pod: the criteria that a policy, a class or a
/// controller puts into pods. Each has the name and the meaning of the field of `PodSpec` that it
/// goes to.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/toleration.hpp>

namespace SCHEDPOL_NAMESPACE {

/// An empty string, list or map adds nothing to a pod.
struct SchedulingCriteria {
  std::string node_name{};
  std::string scheduler_name{};
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const SchedulingCriteria&, const SchedulingCriteria&) = default;
};

/// Criteria of which all copies are one, so that those of many objects are listed without being
/// copied. Equal where what they hold is equal.
class SharedCriteria {
 public:
  SharedCriteria() noexcept = default;          ///< empty
  SharedCriteria(SchedulingCriteria criteria);  ///< from now on shared

  [[nodiscard]] const SchedulingCriteria& operator*() const noexcept;
  [[nodiscard]] const SchedulingCriteria* operator->() const noexcept { return &**this; }

  friend bool operator==(const SharedCriteria& a, const SharedCriteria& b);

 private:
  Shared<SchedulingCriteria> criteria_;
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/scheduling_criteria.ipp>
#endif
