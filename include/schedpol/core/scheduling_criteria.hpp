// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What decides where a pod runs, apart from the pod: the criteria that a policy, a class or a
/// controller puts into pods. Each has the name and the meaning of the field of `PodSpec` that it
/// goes to.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/toleration.hpp>

#include <optional>
#include <string>
#include <vector>

namespace schedpol {

/// An empty string, list or map adds nothing to a pod.
struct SchedulingCriteria {
  std::string node_name{};
  std::string scheduler_name{};
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const SchedulingCriteria&, const SchedulingCriteria&) = default;
};

}  // namespace schedpol
