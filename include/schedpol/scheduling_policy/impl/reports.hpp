// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The violations that the rules find in one pod, in the order in which they are found.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

class Reports {
 public:
  using Place = schedpol::detail::Place;

  /// Adds to `violations`.
  Reports(PodKind kind, const EffectivePolicy& effective,
          std::vector<Violation>& violations) noexcept
      : kind_(kind), effective_(effective), violations_(violations) {}

  /// Permitted by none of the policies. `field` is a place in the pod.
  void deny(ViolationCode code, const FieldPath& field, std::string_view value) {
    add(code, field, value, effective_.policies());
  }
  void deny(ViolationCode code, const Place& field, std::string_view value) {
    deny(code, field.path(), value);
  }

  /// Required by the policies behind `entry`, a place in the merged spec.
  void require(ViolationCode code, const FieldPath& field, std::string_view value,
               const FieldPath& entry) {
    add(code, field, value, effective_.sources_of(entry));
  }
  void require(ViolationCode code, const Place& field, std::string_view value, const Place& entry) {
    require(code, field.path(), value, entry.path());
  }

 private:
  void add(ViolationCode code, const FieldPath& field, std::string_view value,
           std::vector<std::string> policies) {
    violations_.push_back(
        {code, template_path(kind_).join(field), std::string(value), std::move(policies)});
  }

  PodKind kind_;
  const EffectivePolicy& effective_;
  std::vector<Violation>& violations_;
};

}  // namespace schedpol::scheduling_policy::detail
