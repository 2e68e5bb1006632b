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

// The checks of items are inlined into one function. What only a violation needs is cold, what few
// pods need is not inlined: both would take the registers of what every pod needs.

/// How the violation of a name is reported: by the rules that require one, or by none that allows
/// it.
struct NameViolation {
  std::string_view field;
  ViolationCode required;
  ViolationCode not_allowed;
  std::string_view entry;
};

[[gnu::cold]] inline void report_name(Inspection& inspection, const NameViolation& violation,
                                      bool required, std::string_view name) {
  if (required) {
    inspection.require(violation.required, {violation.field}, std::string(name), violation.entry);
  } else {
    inspection.deny(violation.not_allowed, {violation.field}, std::string(name));
  }
}

[[gnu::always_inline]] inline void check_scheduler_name(Inspection& inspection) {
  const PodSpec& spec = inspection.pod.spec;
  const std::string_view name =
      spec.scheduler_name.empty() ? default_scheduler_name : std::string_view(spec.scheduler_name);
  const TextRule& names = inspection.effective.lookup().scheduler_names;
  if (names.permits<Search::few>(name) || names.permits<Search::all>(name)) return;
  static constexpr NameViolation violation = {
      "spec.schedulerName", ViolationCode::scheduler_name_required,
      ViolationCode::scheduler_name_not_allowed, "required.schedulerNames"};
  report_name(inspection, violation,
              inspection.effective.spec().required.scheduler_names.has_value(), name);
}

[[gnu::cold]] inline void check_given_node_name(Inspection& inspection) {
  const Names& allowed = inspection.effective.spec().allowed.scheduler_names;
  if (allowed && allowed->empty()) return;
  if (inspection.options != nullptr && inspection.options->node_name == NodeName::ignore) return;
  inspection.deny(ViolationCode::node_name_not_allowed, {"spec.nodeName"},
                  inspection.pod.spec.node_name);
}

/// Whether the pod has no priority class, or the one that the cluster gives to such pods.
inline bool has_no_priority_class(const Inspection& inspection) noexcept {
  const std::string& name = inspection.pod.spec.priority_class_name;
  if (name.empty()) return true;
  return inspection.options != nullptr &&
         name == inspection.options->global_default_priority_class &&
         name != inspection.effective.spec().defaults.priority_class_name;
}

[[gnu::always_inline]] inline void check_priority_class_name(Inspection& inspection) {
  const std::string& name = inspection.pod.spec.priority_class_name;
  const bool required = inspection.effective.spec().required.priority_class_names.has_value();
  if (has_no_priority_class(inspection)) {
    if (!required) return;
  } else {
    const TextRule& names = inspection.effective.lookup().priority_class_names;
    if (names.permits<Search::few>(name) || names.permits<Search::all>(name)) return;
  }
  static constexpr NameViolation violation = {
      "spec.priorityClassName", ViolationCode::priority_class_name_required,
      ViolationCode::priority_class_name_not_allowed, "required.priorityClassNames"};
  report_name(inspection, violation, required, name);
}

/// The value is null where the pod does not have the key, or only as an exempt pair.
[[gnu::cold]] inline void report_required_label(Inspection& inspection, const std::string& key,
                                                const std::string* value) {
  inspection.require(ViolationCode::node_selector_required, {"spec.nodeSelector[", key, "]"},
                     value == nullptr ? std::string() : *value,
                     "required.nodeSelectors[" + key + "]");
}

[[gnu::always_inline]] inline void check_required_labels(Inspection& inspection) {
  for (const auto& [key, values] : inspection.effective.lookup().required_node_selectors) {
    const std::string* value = find_label(inspection.pod.spec.node_selector, key);
    if (value != nullptr && inspection.is_exempt(key, *value)) value = nullptr;
    if (value == nullptr || !values.permits(*value)) report_required_label(inspection, key, value);
  }
}

/// Whether a pair is permitted, by a required key as such: its value was looked at already.
template <Search search>
[[gnu::always_inline]] inline bool permits(const Lookup& lookup, std::string_view key,
                                           std::string_view value) noexcept {
  const TextRule* values = lookup.node_selectors.find<search>(key);
  return values != nullptr && values->permits<search>(value);
}

[[gnu::cold]] inline void report_label(Inspection& inspection, const std::string& key,
                                       const std::string& value) {
  if (inspection.is_exempt(key, value)) return;
  inspection.deny(ViolationCode::node_selector_not_allowed, {"spec.nodeSelector[", key, "]"},
                  value);
}

[[gnu::always_inline]] inline void check_labels(Inspection& inspection) {
  const Lookup& lookup = inspection.effective.lookup();
  if (lookup.any_node_selector) return;
  for (const auto& [key, value] : inspection.pod.spec.node_selector) {
    if (permits<Search::few>(lookup, key, value) || permits<Search::all>(lookup, key, value))
      continue;
    report_label(inspection, key, value);
  }
}

/// Whether a toleration that no pattern matches as it stands is permitted as a default, or effect
/// by effect.
inline bool permits_otherwise(const Lookup& lookup, const Toleration& toleration) noexcept {
  if (!toleration.operator_.known() || !toleration.effect.known()) return false;
  const auto is_default = [&](TaintEffect effect) {
    return lookup.default_toleration_set.contains(TolerationKey{toleration, effect});
  };
  if (is_default(toleration.effect.word())) return true;
  return toleration.effect == TaintEffect::unset &&
         std::all_of(taint_effects.begin(), taint_effects.end(), [&](TaintEffect effect) {
           return is_default(effect) || lookup.tolerations.matches(toleration, effect);
         });
}

/// A toleration that no pattern matches as it stands.
[[gnu::noinline]] inline void check_unlisted(Inspection& inspection, const Toleration& toleration) {
  if (permits_otherwise(inspection.effective.lookup(), toleration)) return;
  if (inspection.is_exempt(toleration)) return;
  const auto index = &toleration - inspection.pod.spec.tolerations.data();
  inspection.deny(ViolationCode::toleration_not_allowed,
                  {"spec.tolerations[", std::to_string(index), "]"}, to_string(toleration));
}

[[gnu::always_inline]] inline void check_tolerations(Inspection& inspection) {
  for (const Toleration& toleration : inspection.pod.spec.tolerations) {
    if (!inspection.effective.lookup().tolerations.matches(toleration, toleration.effect.word())) {
      check_unlisted(inspection, toleration);
    }
  }
}

[[gnu::noinline]] inline void check_required_tolerations(Inspection& inspection) {
  const std::vector<Pattern>& required = inspection.effective.lookup().required_tolerations;
  const std::vector<Toleration>& tolerations = inspection.pod.spec.tolerations;
  for (std::size_t i = 0; i < required.size(); ++i) {
    const auto meets = [&](const Toleration& toleration) {
      return required[i].matches(toleration) && !inspection.is_exempt(toleration);
    };
    if (std::any_of(tolerations.begin(), tolerations.end(), meets)) continue;
    inspection.require(ViolationCode::toleration_required, {"spec.tolerations"},
                       to_string((*inspection.effective.spec().required.tolerations)[i]),
                       "required.tolerations");
  }
}

[[gnu::always_inline]] inline void check_items(Inspection& inspection) {
  const Lookup& lookup = inspection.effective.lookup();
  check_scheduler_name(inspection);
  if (!inspection.pod.spec.node_name.empty()) check_given_node_name(inspection);
  check_priority_class_name(inspection);
  check_required_labels(inspection);
  check_labels(inspection);
  check_tolerations(inspection);
  if (!lookup.required_tolerations.empty()) check_required_tolerations(inspection);
  check_affinity(inspection);
}
/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(const Pod& pod, const EffectivePolicy& effective,
                                          const Options* options) {
  std::vector<Violation> violations;
  Inspection inspection{pod, effective, options, violations};
  check_items(inspection);
  return violations;
}

[[gnu::cold]] inline std::vector<Violation> check_without_policy(const Pod& pod,
                                                                 const EffectivePolicy& effective) {
  std::vector<Violation> violations;
  Inspection{pod, effective, nullptr, violations}.deny(
      effective.is_ambiguous() ? ViolationCode::ambiguous_policy : ViolationCode::no_usable_policy,
      {"spec"}, "");
  return violations;
}

inline std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                    const Options* options) {
  if (effective.policies().empty() || effective.is_ambiguous()) {
    return check_without_policy(pod, effective);
  }
  return check_items(pod, effective, options);
}

}  // namespace detail

/// Every violation of the pod, none when it is allowed. Allocates nothing when there is none.
[[nodiscard]] inline std::vector<Violation> check(const Pod& pod,
                                                  const EffectivePolicy& effective) {
  return detail::check(pod, effective, nullptr);
}
[[nodiscard]] inline std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                                  const Options& options) {
  return detail::check(pod, effective, &options);
}

}  // namespace schedpol::scheduling_policy
