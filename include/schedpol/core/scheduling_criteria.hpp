// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The scheduling criteria that a policy, a class or a controller adds to pods. Each has the name and
/// the meaning of its field in `PodSpec`.

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

/// Criteria whose copies share one object, so you can list those of many objects without copying
/// them. Equal if their criteria are equal.
class SharedCriteria {
 public:
  SharedCriteria() noexcept = default;          ///< empty
  SharedCriteria(SchedulingCriteria criteria);  ///< shares `criteria` from now on

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
