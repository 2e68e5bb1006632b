// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What was hidden in the merge, among the items of an explanation.

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/impl/entry_text.hpp>
#include <schedpol/scheduling_policy/fields.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// What an entry is about, below the spec of a pod.
inline FieldPath about_of(const FieldPath& entry) {
  const std::vector<FieldPath::Step> steps = entry.steps();
  FieldPath about;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    std::string_view name = steps[i].name;
    const auto take_name_in_pod = [&](const auto& ruled) {
      if (name == ruled.rules_field) name = ruled.field;
    };
    if (i == 1) for_each_pod_field(take_name_in_pod);
    if (i == 2) for_each_kind(take_name_in_pod);
    about = steps[i].kind == FieldPath::Step::Kind::key ? about.key(name) : about.child(name);
  }
  return about;
}

/// What was hidden in the merge, at the first item that it is about: of the same field, and of the
/// same key, kind or mode.
inline void add_lost(std::vector<ExplainedItem>& items, PodKind kind,
                     const EffectivePolicy& effective) {
  std::map<FieldPath, std::size_t> first;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::vector<FieldPath::Step> steps = items[i].field.steps();
    FieldPath about;
    for (std::size_t at = template_steps(kind).size() + 1, end = at + 3;
         at < std::min(end, steps.size()); ++at) {
      about = steps[at].kind == FieldPath::Step::Kind::key ? about.key(steps[at].name)
                                                           : about.child(steps[at].name);
      first.try_emplace(about, i);
    }
  }
  for (const auto& [entry, policies] : effective.sources().lost) {
    auto found = first.find(about_of(entry));
    if (found == first.end() && entry.steps().size() > 3)
      found = first.find(about_of(entry.parent()));
    if (found == first.end()) continue;
    for (const std::string& policy : policies) {
      const SchedulingPolicySpec* own = own_spec(effective, policy);
      items[found->second].lost.push_back(
          {policy, entry, own == nullptr ? "" : EntryText::of(*own, entry)});
    }
  }
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
