// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/base/quoting.hpp>
#include <schedpol/core/admission.hpp>
#include <schedpol/core/impl/message_lines.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// The policies behind a violation, as the rest of a sentence.
inline std::string shown_policies(const Names& policies) {
  if (policies.empty()) return "any policy";
  return policies == Names{""} ? "a policy without a name" : in_backticks(policies);
}

/// What could stand there instead, after a sentence.
inline std::string shown_permitted(const Names& permitted) {
  return permitted.empty() ? std::string() : " (permitted: " + in_backticks(permitted) + ")";
}

/// Whose doing it is, after a sentence.
inline std::string shown_added_by(const Names& added_by) {
  return added_by.empty() ? std::string() : ", added by " + in_backticks(added_by);
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(ViolationCode code) noexcept {
  switch (code) {
    case ViolationCode::no_usable_policy: return "NoUsablePolicy";
    case ViolationCode::moved_from: return "MovedFrom";
    case ViolationCode::ambiguous_policy: return "AmbiguousPolicy";
    case ViolationCode::scheduler_name_required: return "SchedulerNameRequired";
    case ViolationCode::scheduler_name_not_allowed: return "SchedulerNameNotAllowed";
    case ViolationCode::node_name_not_allowed: return "NodeNameNotAllowed";
    case ViolationCode::priority_class_name_required: return "PriorityClassNameRequired";
    case ViolationCode::priority_class_name_not_allowed: return "PriorityClassNameNotAllowed";
    case ViolationCode::node_selector_required: return "NodeSelectorRequired";
    case ViolationCode::node_selector_not_allowed: return "NodeSelectorNotAllowed";
    case ViolationCode::toleration_required: return "TolerationRequired";
    case ViolationCode::toleration_not_allowed: return "TolerationNotAllowed";
    case ViolationCode::affinity_required: return "AffinityRequired";
    case ViolationCode::affinity_not_allowed: return "AffinityNotAllowed";
    case ViolationCode::runtime_class_name_required: return "RuntimeClassNameRequired";
    case ViolationCode::runtime_class_name_not_allowed: return "RuntimeClassNameNotAllowed";
    case ViolationCode::topology_spread_constraint_not_allowed:
      return "TopologySpreadConstraintNotAllowed";
    case ViolationCode::scheduling_gate_not_allowed: return "SchedulingGateNotAllowed";
    case ViolationCode::resource_claim_not_allowed: return "ResourceClaimNotAllowed";
    case ViolationCode::invalid_policy: return "InvalidPolicy";
    case ViolationCode::runtime_class_not_found: return "RuntimeClassNotFound";
    case ViolationCode::overhead_without_runtime_class: return "OverheadWithoutRuntimeClass";
    case ViolationCode::overhead_mismatch: return "OverheadMismatch";
    case ViolationCode::node_selector_conflict: return "NodeSelectorConflict";
    case ViolationCode::rejected_by_rule: return "RejectedByRule";
    case ViolationCode::namespace_not_found: return "NamespaceNotFound";
    case ViolationCode::multiple_resource_policies: return "MultipleResourcePolicies";
    case ViolationCode::limit_exceeded: return "LimitExceeded";
  }
  return "";
}

namespace detail {

inline std::string write_sentence(const Violation& violation) {
  const std::string at = in_backticks(to_string(violation.field)) + ": ";
  const std::string value = violation.value.empty() ? "" : " " + in_backticks(violation.value);
  const std::string by = shown_policies(violation.policies);
  const std::string permitted = shown_permitted(violation.permitted);
  const auto not_allowed = [&](std::string_view what) {
    const std::string subject = at + std::string(what) + value + " is not allowed";
    if (!violation.detail.empty()) return subject + ": " + violation.detail;
    return subject + " by " + by + permitted;
  };
  const auto not_required = [&](std::string_view what) {
    if (value.empty()) return at + "a " + std::string(what) + " is required by " + by + permitted;
    return at + std::string(what) + value + " is not among those required by " + by + permitted;
  };
  switch (violation.code) {
    case ViolationCode::no_usable_policy:
      return at + "no scheduling policy may be used " +
             (value.empty() ? "for this pod" : "by" + value);
    case ViolationCode::moved_from: return at + "the pod was moved from, so there is none to judge";
    case ViolationCode::ambiguous_policy: return at + "more than one policy is named " + by;
    case ViolationCode::scheduler_name_required: return not_required("scheduler");
    case ViolationCode::scheduler_name_not_allowed: return not_allowed("scheduler");
    case ViolationCode::node_name_not_allowed:
      return at + "naming node" + value + " goes past every scheduler, which is not allowed by " +
             by;
    case ViolationCode::priority_class_name_required: return not_required("priority class");
    case ViolationCode::priority_class_name_not_allowed: return not_allowed("priority class");
    case ViolationCode::node_selector_required: return not_required("value");
    case ViolationCode::node_selector_not_allowed: return not_allowed("node selector");
    case ViolationCode::toleration_required:
      return at + "a toleration of the form" + value + " is required by " + by;
    case ViolationCode::toleration_not_allowed: return not_allowed("toleration");
    case ViolationCode::affinity_required: return at + "affinity" + value + " is required by " + by;
    case ViolationCode::affinity_not_allowed: return not_allowed("affinity");
    case ViolationCode::runtime_class_name_required: return not_required("runtime class");
    case ViolationCode::runtime_class_name_not_allowed: return not_allowed("runtime class");
    case ViolationCode::topology_spread_constraint_not_allowed:
      return not_allowed("topology spread constraint");
    case ViolationCode::scheduling_gate_not_allowed: return not_allowed("scheduling gate");
    case ViolationCode::resource_claim_not_allowed: return not_allowed("resource claim");
    case ViolationCode::invalid_policy: return at + by + " cannot be evaluated: " + violation.value;
    case ViolationCode::runtime_class_not_found: return at + "there is no runtime class" + value;
    case ViolationCode::overhead_without_runtime_class:
      return at + "overhead" + value + " is not defined by a runtime class";
    case ViolationCode::overhead_mismatch:
      return at + "overhead" + value + " is not that of the runtime class " + by + permitted;
    case ViolationCode::node_selector_conflict:
      return at + "value" + value + " conflicts with the runtime class " + by + permitted;
    case ViolationCode::rejected_by_rule: return at + "rejected by rule" + value + " of " + by;
    case ViolationCode::namespace_not_found:
      return at + "nothing is known of namespace" + value + ", whose labels are looked at by " + by;
    case ViolationCode::multiple_resource_policies:
      return at + "selected by " + by + ", and only one resource policy may place a pod";
    case ViolationCode::limit_exceeded:
      return at + "a limit is exceeded by " + by +
             (violation.detail.empty() ? "" : ": " + violation.detail);
  }
  return at;
}

}  // namespace detail

SCHEDPOL_INLINE std::string message(const Violation& violation) {
  return detail::write_sentence(violation) + detail::shown_added_by(violation.added_by);
}

SCHEDPOL_INLINE std::string message(const Change& change) {
  std::string text = in_backticks(to_string(change.field));
  if (!change.to) {
    text += " cleared";
  } else {
    text += change.from ? " changed from " + in_backticks(*change.from) + " to "
                        : std::string(" set to ");
    text += in_backticks(*change.to);
  }
  return change.policy.empty() ? text : text + " by " + in_backticks(change.policy);
}

SCHEDPOL_INLINE std::string message(const Warning& warning) {
  const std::string at = in_backticks(to_string(warning.field));
  return (warning.policies.empty() ? at : at + " of " + in_backticks(warning.policies)) + ": " +
         warning.text;
}

SCHEDPOL_INLINE std::string message(const Admission& admission) {
  std::string text = admission.allowed ? "allowed" : "denied";
  if (admission.allowed) {
    detail::append_lines(text, admission.changes);
  } else {
    detail::append_lines(text, admission.violations);
  }
  return text;
}

SCHEDPOL_INLINE Pod Admission::hand_over() {
  if (!before) before.emplace(pod);
  allowed = false;
  return std::move(pod);
}

SCHEDPOL_INLINE Admission Admission::joined(Admission&& next) && {
  if (!next.allowed) {
    next.pod = *std::move(before);
    next.changes.clear();
    next.warnings.clear();
    next.before.reset();
    return std::move(next);
  }
  if (!changes.empty() || !next.changes.empty()) next.before = std::move(before);
  detail::append(changes, std::move(next.changes));
  detail::append(warnings, std::move(next.warnings));
  next.changes = std::move(changes);
  next.warnings = std::move(warnings);
  return std::move(next);
}

}  // namespace SCHEDPOL_NAMESPACE
