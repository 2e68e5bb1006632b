// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which entries of `default` a change of `apply_defaults` comes from.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/scheduling_policy/fields.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/check_tolerations.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Of affinity the modes of a kind that were given, which the pod has by now: where it had nothing
/// of the kind, `given` is the kind, otherwise a mode.
inline std::vector<FieldPath> default_affinity_entries(const FieldPath& field, const Pod& pod,
                                                       std::string_view kind,
                                                       std::string_view given) {
  std::vector<FieldPath> entries;
  for_each_kind([&](const auto& each) {
    if (each.field != kind) return;
    const auto terms = terms_of(pod.spec.affinity, each.member);
    const auto add = [&](bool is_there, std::string_view mode) {
      if (is_there && (given == kind || given == mode))
        entries.push_back(field.child(kind).child(mode));
    };
    add(!terms.required.empty(), required_mode);
    add(!terms.preferred.empty(), preferred_mode);
  });
  return entries;
}

/// The one that gives this toleration.
inline std::vector<FieldPath> default_toleration_entry(
    const FieldPath& field, const std::vector<DefaultToleration>& defaults,
    const Toleration& toleration) {
  for (std::size_t i = 0; i < defaults.size(); ++i) {
    const DefaultTolerations one(std::vector<DefaultToleration>{defaults[i]});
    const std::vector<Toleration>& all = one.in_order();
    if (schedpol::detail::contains(all, toleration)) return {field.index(i)};
  }
  return {};
}

/// `pod` has its defaults. What goes with a priority class is of its entry.
inline std::vector<FieldPath> default_entries(const Change& change, const Pod& pod,
                                              const Defaults& defaults) {
  const std::vector<FieldPath::Step> steps = change.field.steps();
  const std::size_t at = template_steps(pod.kind).size() + 1;
  const FieldPath section{default_section.name};
  std::vector<FieldPath> entries = {section.child(priority_class_name_field.field)};
  for_each_pod_field([&](const auto& ruled) {
    if (ruled.field != steps[at].name) return;
    const FieldPath field = section.child(ruled.field);
    using Given = std::decay_t<decltype(defaults.*ruled.member)>;
    if constexpr (std::is_same_v<Given, Optional<Labels>>) {
      entries = {field.key(steps[at + 1].name)};
    } else if constexpr (std::is_same_v<Given, std::optional<Affinity>>) {
      entries = default_affinity_entries(field, pod, steps[at + 1].name, steps.back().name);
    } else if constexpr (std::is_same_v<Given, std::optional<std::vector<DefaultToleration>>>) {
      entries = default_toleration_entry(field, *(defaults.*ruled.member),
                                         pod.spec.tolerations[steps[at + 1].index]);
    } else {
      entries = {field};
    }
  });
  return entries;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
