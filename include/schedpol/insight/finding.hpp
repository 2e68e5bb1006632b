// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about a set of policies although each is valid: what `analyze` of a system finds.

#include <schedpol/base/names.hpp>
#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Spelled by `to_string` without the underscores: `DefaultDenied`.
enum class FindingCode {
  default_denied,        ///< what a default gives is denied
  default_not_given,     ///< no node can meet the terms of a default that are given as one
  default_contradicted,  ///< what a class or a cluster policy adds keeps a default from being given
  requirement_unmet,     ///< nothing that a pod can have meets a requirement
  requirement_lost,      ///< an earlier policy hides a requirement that pods now need not meet
  entry_lost,            ///< an earlier policy hides what is allowed or given
  entry_covered,         ///< other entries permit all that one does
  requirement_escaped,   ///< ORed terms of a pod escape a required affinity
  strategies_disagree,   ///< another merge strategy allows other pods
  every_pod_denied,      ///< no pod is allowed
  every_pod_allowed,     ///< nothing is denied
  null_entry,            ///< `kubectl apply` drops the null, and what is left means any
  entry_matches_nothing,       ///< a list of the pattern is absent, which is not any
  ungoverned,                  ///< what `allowed` lists denies nothing, because it is not governed
  granted_by_wildcard,         ///< a role grants the use of policies through `*`
  granted_in_other_group,      ///< a role names another API group than that of the policies
  grant_adds_requirements,     ///< who may use it is denied what is allowed without it
  granted_to_nobody,           ///< nobody may use it
  role_not_found,              ///< a binding names a role that is not there
  selects_nothing,             ///< no object has what the selector asks for
  writes_differ,               ///< two that can select one object write different values to it
  updates_ignored,             ///< a rule that rejects lists updates, which have no effect
  selected_label_overwritten,  ///< a rule writes what it does not select over a label it selects by
  never_fires,                 ///< all that the rule selects is rejected by others
  injected_not_permitted,      ///< a policy of the cluster adds what no SchedulingPolicy permits
  selections_overlap,          ///< two select one pod, which is denied for it
  units_overlap,               ///< a node can be in two units of a policy
  no_node_serves,              ///< none of the nodes has the labels of the class
  limit_exceeded,              ///< policies that select one pod give it too much, which denies it
  decides_too_early,           ///< a system decides on pods before another one adds to them
  not_decided,  ///< too much to compare: not all was found of those that the detail names
};

/// How much it matters.
enum class Severity { error, warning, info };

[[nodiscard]] std::string_view to_string(FindingCode code) noexcept;
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;

/// `field` is a place below the `spec` of the `policies`, empty where it is all of them; of writes
/// that differ the place in the object, and of what is said of a role or binding the place in that:
/// `object`, such as `ClusterRole[NAME]`, which is empty otherwise. `detail` is what the text names beside it; `witness` a pod
/// that shows it, in `namespace_`, where the labels of that matter. Policies of a namespace are
/// called `NAMESPACE/NAME`.
struct Finding {
  FindingCode code = FindingCode::not_decided;
  Severity severity = Severity::info;
  Names policies{};
  FieldPath field{};
  std::string detail{};
  std::optional<Pod> witness{};
  std::optional<Namespace> namespace_{};
  FieldPath object{};

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks.
[[nodiscard]] std::string message(const Finding& finding);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/finding.ipp>
#endif
