// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/impl/invalid_policies.hpp>
#include <schedpol/core/impl/moved_from.hpp>
#include <schedpol/core/qos.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/impl/metadata_admission.ipp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// The change that writing the quality of service made, if it made one.
inline std::optional<Change> qos_change(const Labels& before, const Labels& after,
                                        const FieldPath& annotations) {
  const std::string* from = find_label(before, qos_annotation);
  const std::string* to = find_label(after, qos_annotation);
  if (to == nullptr || (from != nullptr && *from == *to)) return std::nullopt;
  return Change{annotations.key(qos_annotation),
                from == nullptr ? std::nullopt : std::optional(*from), *to, ""};
}

/// Gives the pod the scheduler that its annotation names, if it names one.
inline void resolve_scheduler(Pod& pod) {
  const std::string* name = find_label(pod.metadata.annotations, scheduler_name_annotation);
  if (name != nullptr && !name->empty()) pod.spec.scheduler_name = *name;
}

/// What becomes of a pod whose metadata `decide(metadata, field)` decides on, with its quality of
/// service where it `says_qos`; where that says nothing the pod is allowed as it came.
template <class Decide>
SchedulerChoice choose(const Pod& pod, bool chooses_scheduler, bool says_qos, Decide&& decide) {
  const FieldPath metadata = field_path(pod.kind, {"metadata"});
  const FieldPath annotations = metadata.child("annotations");
  Pod chosen = says_qos ? annotate_qos(pod) : Pod(pod);
  auto qos_change =
      detail::qos_change(pod.metadata.annotations, chosen.metadata.annotations, annotations);
  std::optional<MetadataAdmission> decided = decide(std::move(chosen.metadata), metadata);
  if (!decided) return {.allowed = true, .pod = pod};
  MetadataAdmission& admission = *decided;
  SchedulerChoice choice;
  choice.allowed = admission.allowed;
  choice.rejected_by = std::move(admission.rejected_by);
  choice.conflicts = std::move(admission.conflicts);
  choice.errors = std::move(admission.errors);
  if (!choice.allowed) {
    choice.pod = Pod(pod);
    return choice;
  }
  if (qos_change) choice.changes.push_back(*std::move(qos_change));
  const FieldPath scheduler_annotation = annotations.key(scheduler_name_annotation);
  std::string chosen_by;
  for (Change& change : admission.changes) {
    if (change.field == scheduler_annotation) chosen_by = change.policy;
    choice.changes.push_back(std::move(change));
  }
  chosen.metadata = std::move(admission.metadata);
  if (chooses_scheduler) resolve_scheduler(chosen);
  const std::string& before = pod.spec.scheduler_name;
  if (chosen.spec.scheduler_name != before) {
    choice.changes.push_back({field_path(pod.kind, {"spec", "schedulerName"}),
                              before.empty() ? std::nullopt : std::optional(before),
                              chosen.spec.scheduler_name, std::move(chosen_by)});
  }
  choice.pod = std::move(chosen);
  return choice;
}

/// What of a selector is about one label.
inline LabelSelector part_about(const LabelSelector& selector, const std::string& key) {
  LabelSelector part;
  if (const std::string* value = find_label(selector.match_labels, key))
    part.match_labels.emplace(key, *value);
  for (const LabelSelectorRequirement& each : selector.match_expressions)
    if (each.key == key) part.match_expressions.push_back(each);
  return part;
}

/// Of a template that its workload selected before it was changed, and now does not: each label that
/// is to blame. Nothing of a selector that is malformed, or did not select the template before.
inline std::vector<Warning> selector_warnings(const Pod& before, const Pod& after,
                                              const std::vector<Change>& changes) {
  if (!before.selector || changes.empty() || before.metadata.labels == after.metadata.labels)
    return {};
  const auto selects = [](const std::optional<LabelSelector>& selector, const Pod& pod) {
    const auto compiled = schedpol::compile(selector);
    return compiled && compiled->matches(pod.metadata.labels);
  };
  if (!selects(before.selector, before)) return {};
  const FieldPath labels = field_path(before.kind, {"metadata", "labels"});
  std::vector<Warning> warnings;
  for (const auto& [key, value] : after.metadata.labels) {
    const std::optional<LabelSelector> needed = part_about(*before.selector, key);
    if (selects(needed, after)) continue;
    const FieldPath field = labels.key(key);
    const auto change = std::find_if(changes.begin(), changes.end(),
                                     [&](const Change& each) { return each.field == field; });
    if (change == changes.end()) continue;
    warnings.push_back({field,
                        "the selector of the " + std::string(to_string(before.kind)) + " needs " +
                            in_backticks(to_string(needed)) + " and does not select " +
                            in_backticks(value) + ", so the API server refuses it",
                        {change->policy}});
  }
  return warnings;
}

/// What a choice for a pod comes to.
inline Admission to_admission(const Pod& pod, SchedulerChoice&& choice) {
  Admission admission;
  admission.allowed = choice.allowed;
  admission.violations =
      violations(choice.errors, choice.rejected_by, field_path(pod.kind, {"metadata"}));
  if (!choice.changes.empty()) admission.before.emplace(pod);
  admission.warnings = selector_warnings(pod, choice.pod, choice.changes);
  admission.pod = std::move(choice.pod);
  admission.changes = std::move(choice.changes);
  return admission;
}

}  // namespace detail

SCHEDPOL_INLINE Pod annotate_qos(Pod pod) {
  pod.metadata.annotations[std::string(qos_annotation)] = to_string(effective_qos_class(pod.spec));
  return pod;
}

SCHEDPOL_INLINE SchedulerChoice choose_scheduler(const Pod& pod, const CompiledPolicies& policies) {
  if (pod.spec.moved_from)
    return {.pod = pod, .errors = {schedpol::detail::moved_from_error(pod.kind)}};
  return detail::choose(pod, true, true, [&](ObjectMeta metadata, const FieldPath& field) {
    return std::optional(admit(std::move(metadata), policies, field));
  });
}

SCHEDPOL_INLINE SchedulerChoice choose_scheduler(const Pod& pod,
                                                 std::span<const MetadataPolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return choose_scheduler(pod, *compiled);
  return {.pod = pod, .errors = compiled.errors()};
}

SCHEDPOL_INLINE Admission admit(const Pod& pod, const CompiledPolicies& policies) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(Pod(pod));
  return detail::to_admission(pod, choose_scheduler(pod, policies));
}

SCHEDPOL_INLINE Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return admit(pod, *compiled);
  return schedpol::detail::invalid_policies_denial(pod, field_path(pod.kind, {"metadata"}),
                                                   compiled.errors(), policies);
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
