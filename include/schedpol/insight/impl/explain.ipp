// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/impl/entry_text.hpp>
#include <schedpol/insight/impl/explainer.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/impl/check_items.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// What an entry is about, below the spec of a pod.
inline FieldPath about_of(const FieldPath& entry) {
  const std::vector<FieldPath::Step> steps = entry.steps();
  FieldPath about;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    std::string_view name = steps[i].name;
    const auto take_name_in_pod = [&](const auto& ruled) {
      if (name == ruled.rules_field) name = ruled.field;
    };
    if (i == 1) for_each_section_field(take_name_in_pod);
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

/// How wide a column gets; what is longer stands out of it.
inline constexpr std::size_t max_aligned_bytes = 48;

/// `team-a: allowed.tolerations[2]`, and what stands there where it is shown.
inline std::string entry_text(const PolicyEntry& entry) {
  std::string text = in_backticks(entry.policy);
  if (!entry.entry.empty()) text += " " + to_string(entry.entry);
  return entry.value.empty() ? text : text + " " + in_backticks(entry.value);
}

inline std::string entries_text(std::string_view name, const std::vector<PolicyEntry>& entries) {
  std::string text;
  for (std::size_t i = 0; i < std::min(entries.size(), max_shown_names); ++i)
    text += (i == 0 ? std::string(name) : ", ") + entry_text(entries[i]);
  if (entries.size() > max_shown_names)
    text += " and " + std::to_string(entries.size() - max_shown_names) + " more";
  return text;
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(Ruling ruling) noexcept {
  switch (ruling) {
    case Ruling::permitted: return "Permitted";
    case Ruling::permitted_by_default: return "PermittedByDefault";
    case Ruling::defaulted: return "Defaulted";
    case Ruling::required: return "Required";
    case Ruling::exempt: return "Exempt";
    case Ruling::ungoverned: return "Ungoverned";
    case Ruling::not_permitted: return "NotPermitted";
    case Ruling::requirement_missing: return "RequirementMissing";
  }
  return "";
}

SCHEDPOL_INLINE bool denies(Ruling ruling) noexcept {
  return ruling == Ruling::not_permitted || ruling == Ruling::requirement_missing;
}

namespace detail {

/// Of a pod with its defaults, unless it cannot be judged.
inline Explanation explain_defaulted(const Defaulted& defaulted, const EffectivePolicy& effective,
                                     const Options& options) {
  const auto& rules = EffectivePolicyAccess::of(effective);
  if (!rules.decides)
    return {false, {{undecided(defaulted.pod.kind, effective).field, "", Ruling::not_permitted}}};
  if (defaulted.pod.spec.moved_from) {
    const Violation denial = schedpol::detail::moved_from_violation(defaulted.pod.kind);
    return {false, {{denial.field, "", Ruling::not_permitted}}};
  }
  Explainer explainer(defaulted.pod, effective);
  const EffectivePod effective_pod(defaulted.pod, options, rules.spec.defaults);
  explainer.defaulted(defaulted.changes);
  rules.checks.run(effective_pod, explainer);
  Explanation explanation = std::move(explainer).take();
  add_lost(explanation.items, defaulted.pod.kind, effective);
  return explanation;
}

}  // namespace detail

SCHEDPOL_INLINE Explanation explain(const Pod& pod, const EffectivePolicy& effective,
                                    const Options& options) {
  return detail::explain_defaulted(apply_defaults(pod, effective, options), effective, options);
}

SCHEDPOL_INLINE Explanation explain_check(const Pod& pod, const EffectivePolicy& effective,
                                          const Options& options) {
  return detail::explain_defaulted({.pod = pod}, effective, options);
}

SCHEDPOL_INLINE std::vector<ExplainedItem> find_ungoverned(const Pod& pod,
                                                           const EffectivePolicy& effective,
                                                           const Options& options) {
  if (!detail::has_ungoverned(pod.spec, options)) return {};
  return detail::ungoverned_of(explain_check(pod, effective, options).items);
}

SCHEDPOL_INLINE std::string message(const Explanation& explanation) {
  std::vector<const ExplainedItem*> items;
  for (const bool denying : {true, false})
    for (const ExplainedItem& item : explanation.items)
      if (denies(item.ruling) == denying) items.push_back(&item);
  const std::size_t shown = std::min(items.size(), max_reported_errors);
  std::size_t widest_field = 0;
  std::size_t widest_value = 0;
  std::vector<std::pair<std::string, std::string>> cells;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [field, value] =
        cells.emplace_back(in_backticks(to_string(items[i]->field)),
                           items[i]->value.empty() ? "" : in_backticks(items[i]->value));
    widest_field = std::max(widest_field, field.size());
    widest_value = std::max(widest_value, value.size());
  }
  std::string text = explanation.allowed ? "allowed" : "denied";
  const auto pad = [&](std::string_view cell, std::size_t width) {
    text.append("  ").append(cell).append(width - std::min(width, cell.size()), ' ');
  };
  for (std::size_t i = 0; i < shown; ++i) {
    text += '\n';
    pad(to_string(items[i]->ruling), std::string_view("RequirementMissing").size());
    pad(cells[i].first, std::min(widest_field, detail::max_aligned_bytes));
    pad(cells[i].second, std::min(widest_value, detail::max_aligned_bytes));
    text += detail::entries_text("  by ", items[i]->by);
    text += detail::entries_text("; not by ", items[i]->lost);
    if (!items[i]->permits_only.empty())
      text.append(items[i]->by.empty() ? "" : "; ").append(items[i]->permits_only);
    text.erase(text.find_last_not_of(' ') + 1);
  }
  if (shown < items.size()) text += "\n  and " + std::to_string(items.size() - shown) + " more";
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
