// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which entries of `default` a change of `apply_defaults` comes from.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/check_tolerations.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Of affinity the modes of a kind that were given, which the pod has by now: where it had nothing
/// of the kind, `given` is the kind, otherwise a mode.
inline std::vector<FieldPath> default_affinity_entries(const Pod& pod, std::string_view kind,
                                                       std::string_view given) {
  std::vector<FieldPath> entries;
  for_each_kind([&](const auto& each) {
    if (each.field != kind) return;
    const auto terms = terms_of(pod.spec.affinity, each.member);
    const auto add = [&](bool is_there, std::string_view mode) {
      if (is_there && (given == kind || given == mode))
        entries.push_back(FieldPath{"default", "affinity", kind}.child(mode));
    };
    add(!terms.required.empty(), required_mode);
    add(!terms.preferred.empty(), preferred_mode);
  });
  return entries;
}

/// `pod` has its defaults.
inline std::vector<FieldPath> default_entries(const Change& change, const Pod& pod,
                                              const Defaults& defaults) {
  const std::vector<FieldPath::Step> steps = change.field.steps();
  const std::size_t at = template_steps(pod.kind).size() + 1;
  const std::string_view field = steps[at].name;
  if (field == "schedulerName") return {{"default", "schedulerName"}};
  if (field == "nodeSelector")
    return {FieldPath{"default", "nodeSelector"}.key(steps[at + 1].name)};
  if (field == "affinity")
    return default_affinity_entries(pod, steps[at + 1].name, steps.back().name);
  if (field != "tolerations") return {{"default", "priorityClassName"}};
  const Toleration& toleration = pod.spec.tolerations[steps[at + 1].index];
  for (std::size_t i = 0; i < defaults.tolerations->size(); ++i) {
    const DefaultTolerations one(std::vector<DefaultToleration>{(*defaults.tolerations)[i]});
    const std::vector<Toleration>& all = one.in_order();
    if (std::find(all.begin(), all.end(), toleration) != all.end())
      return {FieldPath{"default", "tolerations"}.index(i)};
  }
  return {};
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
