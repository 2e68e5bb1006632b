// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a pod, as it stands, is permitted by an effective policy, and if not, everything that is
/// wrong with it. Permitted is what `required`, `allowed` or `default` says: what is required is
/// allowed, and so is what a policy itself injects. The rules, in the order of the violations:
///
/// 1. Scheduler name (`default-scheduler` when the pod has none): one of the required, where any
///    are required; otherwise permitted.
/// 2. Node name: allowed only where `allowed.schedulerNames` is `[]`.
/// 3. Priority class name: as the scheduler name; a pod without one breaks only a requirement.
/// 4. Node selector: each required key is there with a listed value; each other key of the pod is
///    permitted with its value.
/// 5. Tolerations: each equals a default, or matches an allowed or required pattern, or has no
///    effect and does so for each of the three effects. Then each required pattern is matched by
///    one.
/// 6. Affinity, per kind and mode: permitted whole (any, or equal to the default's), or every
///    expression (for pods: topology key) matches a pattern of the kind, mode and list. Then what
///    is required holds; required node affinity in every term of the pod, because Kubernetes ORs
///    them.
///
/// A toleration or expression with an operator or effect that Kubernetes does not know, and an
/// expression without an operator, is never permitted. Source: the SchedulingPolicy proposal,
/// "Detailed Design".

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/check_affinity.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/inspection.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy {

namespace detail {

inline void check_scheduler_name(Inspection& inspection) {
  const PodSpec& spec = inspection.pod.spec;
  const std::string_view name =
      spec.scheduler_name.empty() ? default_scheduler_name : std::string_view(spec.scheduler_name);
  if (inspection.effective.lookup().scheduler_names.permits(name)) return;
  if (inspection.effective.spec().required.scheduler_names) {
    inspection.require(ViolationCode::scheduler_name_required, {"spec.schedulerName"},
                       std::string(name), "required.schedulerNames");
  } else {
    inspection.deny(ViolationCode::scheduler_name_not_allowed, {"spec.schedulerName"},
                    std::string(name));
  }
}

inline void check_node_name(Inspection& inspection) {
  const std::string& name = inspection.pod.spec.node_name;
  if (name.empty()) return;
  const Names& allowed = inspection.effective.spec().allowed.scheduler_names;
  if (allowed && allowed->empty()) return;
  if (inspection.options != nullptr && inspection.options->node_name == NodeName::ignore) return;
  inspection.deny(ViolationCode::node_name_not_allowed, {"spec.nodeName"}, name);
}

/// Whether the pod has no priority class, or the one that the cluster gives to such pods.
inline bool has_no_priority_class(const Inspection& inspection) noexcept {
  const std::string& name = inspection.pod.spec.priority_class_name;
  if (name.empty()) return true;
  return inspection.options != nullptr &&
         name == inspection.options->global_default_priority_class &&
         name != inspection.effective.spec().defaults.priority_class_name;
}

inline void check_priority_class_name(Inspection& inspection) {
  const std::string& name = inspection.pod.spec.priority_class_name;
  const bool required = inspection.effective.spec().required.priority_class_names.has_value();
  if (has_no_priority_class(inspection)) {
    if (!required) return;
  } else if (inspection.effective.lookup().priority_class_names.permits(name)) {
    return;
  }
  if (required) {
    inspection.require(ViolationCode::priority_class_name_required, {"spec.priorityClassName"},
                       name, "required.priorityClassNames");
  } else {
    inspection.deny(ViolationCode::priority_class_name_not_allowed, {"spec.priorityClassName"},
                    name);
  }
}

inline void check_required_label(Inspection& inspection, const std::string& key,
                                 const TextRule& values) {
  const std::string* value = find_label(inspection.pod.spec.node_selector, key);
  if (value != nullptr && inspection.is_exempt(key, *value)) value = nullptr;
  if (value != nullptr && values.permits(*value)) return;
  std::string entry = "required.nodeSelectors[";
  entry.append(key) += ']';
  inspection.require(ViolationCode::node_selector_required, {"spec.nodeSelector[", key, "]"},
                     value == nullptr ? std::string() : *value, entry);
}

/// Of a required key the value was looked at already.
inline bool permits(const Lookup& lookup, std::string_view key, std::string_view value) noexcept {
  if (lookup.any_node_selector) return true;
  const LabelRule* rule = lookup.node_selectors.find(key);
  return rule != nullptr && (rule->required || rule->values.permits(value));
}

inline void check_node_selector(Inspection& inspection) {
  const Lookup& lookup = inspection.effective.lookup();
  for (const auto& [key, values] : lookup.required_node_selectors) {
    check_required_label(inspection, key, values);
  }
  for (const auto& [key, value] : inspection.pod.spec.node_selector) {
    if (permits(lookup, key, value) || inspection.is_exempt(key, value)) continue;
    inspection.deny(ViolationCode::node_selector_not_allowed, {"spec.nodeSelector[", key, "]"},
                    value);
  }
}

/// Whether a toleration that no pattern matches as it stands is permitted as a default, or effect
/// by effect.
inline bool permits_otherwise(const Lookup& lookup, const Toleration& toleration) noexcept {
  if (!toleration.operator_.known() || !toleration.effect.known()) return false;
  if (lookup.any_toleration) return true;
  const auto is_default = [&](TaintEffect effect) {
    return lookup.default_toleration_set.contains(TolerationKey{toleration, effect});
  };
  if (is_default(toleration.effect.word())) return true;
  return toleration.effect == TaintEffect::unset &&
         std::all_of(taint_effects.begin(), taint_effects.end(), [&](TaintEffect effect) {
           return is_default(effect) || lookup.tolerations.matches(toleration, effect);
         });
}

inline void check_required_toleration(Inspection& inspection, std::size_t i) {
  const Pattern& pattern = inspection.effective.lookup().required_tolerations[i];
  for (const Toleration& toleration : inspection.pod.spec.tolerations) {
    if (pattern.matches(toleration) && !inspection.is_exempt(toleration)) return;
  }
  inspection.require(ViolationCode::toleration_required, {"spec.tolerations"},
                     to_string((*inspection.effective.spec().required.tolerations)[i]),
                     "required.tolerations");
}

inline void check_tolerations(Inspection& inspection) {
  const Lookup& lookup = inspection.effective.lookup();
  const std::vector<Toleration>& tolerations = inspection.pod.spec.tolerations;
  for (const Toleration& toleration : tolerations) {
    if (lookup.tolerations.matches(toleration, toleration.effect.word())) continue;
    if (permits_otherwise(lookup, toleration) || inspection.is_exempt(toleration)) continue;
    const std::string index = std::to_string(&toleration - tolerations.data());
    inspection.deny(ViolationCode::toleration_not_allowed, {"spec.tolerations[", index, "]"},
                    to_string(toleration));
  }
  for (std::size_t i = 0; i < lookup.required_tolerations.size(); ++i) {
    check_required_toleration(inspection, i);
  }
}

/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(Inspection inspection) {
  check_scheduler_name(inspection);
  check_node_name(inspection);
  check_priority_class_name(inspection);
  check_node_selector(inspection);
  check_tolerations(inspection);
  check_affinity(inspection);
  return std::move(inspection.violations);
}

inline std::vector<Violation> inspect(Inspection inspection) {
  const EffectivePolicy& effective = inspection.effective;
  if (!effective.policies().empty() && !effective.is_ambiguous()) {
    return check_items(std::move(inspection));
  }
  inspection.deny(
      effective.is_ambiguous() ? ViolationCode::ambiguous_policy : ViolationCode::no_usable_policy,
      {"spec"}, "");
  return std::move(inspection.violations);
}

}  // namespace detail

/// Every violation of the pod, none when it is allowed. Allocates nothing when there is none.
[[nodiscard]] inline std::vector<Violation> check(const Pod& pod,
                                                  const EffectivePolicy& effective) {
  return detail::inspect({pod, effective});
}
[[nodiscard]] inline std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                                  const Options& options) {
  return detail::inspect({pod, effective, &options});
}

}  // namespace schedpol::scheduling_policy
