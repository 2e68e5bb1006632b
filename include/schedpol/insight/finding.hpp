// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about a set of policies although each is valid: the results of `analyze`.

#include <schedpol/base/names.hpp>
#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Spelled by `to_string` without the underscores: `DefaultDenied`.
enum class FindingCode {
  default_denied,        ///< a default is denied
  default_not_given,     ///< no node can meet all terms of a default that must be given as one
  default_contradicted,  ///< a default is not given because a class or cluster policy contradicts it
  requirement_unmet,     ///< nothing that a pod can have meets a requirement
  requirement_lost,      ///< an earlier policy hides a requirement, so pods need not meet it
  entry_lost,            ///< an earlier policy hides an entry of `allowed` or a default
  entry_covered,         ///< other entries permit everything that an entry permits
  requirement_escaped,   ///< ORed terms of a pod escape a required affinity
  strategies_disagree,   ///< another merge strategy allows other pods
  every_pod_denied,      ///< no pod is allowed
  every_pod_allowed,     ///< nothing is denied
  null_entry,            ///< `kubectl apply` drops the null, and what is left means any
  entry_matches_nothing,       ///< a list of the pattern is absent, which is not any
  ungoverned,                  ///< the list in `allowed` denies nothing, because it is not governed
  granted_by_wildcard,         ///< a role grants the use of policies through `*`
  granted_in_other_group,      ///< a role names another API group than that of the policies
  grant_adds_requirements,     ///< users of the policy are denied what is allowed without it
  granted_to_nobody,           ///< nobody may use the policy
  role_not_found,              ///< a binding names a role that does not exist
  selects_nothing,             ///< no object matches the selector
  writes_differ,               ///< two policies or rules write different values to the same object
  updates_ignored,             ///< a rule that rejects lists updates, which have no effect
  selected_label_overwritten,  ///< a rule overwrites a label so that its selector no longer matches
  never_fires,                 ///< other rules reject everything that the rule selects
  injected_not_permitted,      ///< a cluster policy adds what no SchedulingPolicy permits
  selections_overlap,          ///< two policies select the same pod, so it is denied
  units_overlap,               ///< a node can be in two units of a policy
  no_node_serves,              ///< none of the nodes has the labels of the class
  limit_exceeded,              ///< policies together give a pod too much, so it is denied
  decides_too_early,           ///< a system decides on pods before another system adds to them
  not_decided,  ///< too much to compare: findings about what `detail` names may be missing
};

/// The severity of a finding.
enum class Severity { error, warning, info };

[[nodiscard]] std::string_view to_string(FindingCode code) noexcept;
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;

/// `field` is a path below the `spec` of `policies`; empty if the finding is about all of it. For writes
/// that differ, it is a path in the object; for a role or binding, a path in that, and `object` is
/// `ClusterRole[NAME]` or the like (otherwise empty). `detail` is what else the text names. `witness` is a
/// pod that shows the finding; `namespace_` is its namespace, if the labels of that matter. Policies of a
/// namespace are called `NAMESPACE/NAME`.
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
