// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about the objects of a cluster although each is valid: the findings of each system's
/// `analyze`, and these of all systems together.
///
/// 1. Unusable objects are left out; `validate` says what is wrong with them. The objects of every
///    system are analyzed, whether it runs or not.
/// 2. SchedulingPolicies are analyzed as they are merged: all together if all apply to everybody,
///    otherwise each set that somebody may use.
/// 3. Without nodes, findings that depend on nodes are not reported.
/// 4. InjectedNotPermitted: a ClusterPodSchedulingPolicy adds an item that no SchedulingPolicy permits, if
///    there are any. The item needs no permission.
/// 5. DefaultContradicted: the pods of a RuntimeClass or ClusterPodSchedulingPolicy do not get a default of
///    a SchedulingPolicy, in part or at all, because no node could meet both. Each pair is reported, with
///    what contradicts what.
/// 6. DecidesTooEarly: SchedulingPolicy enforces, and RuntimeClass or PodSchedulingPolicy enforces after it.
///    SchedulingPolicy denies pods for lack of what these would add, and allows their templates.

#include <schedpol/core/node.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/insight/finding.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// A finding, and the system whose objects it is about.
struct SystemFinding {
  System system = System::runtime_class;
  Finding finding{};

  friend bool operator==(const SystemFinding&, const SystemFinding&) = default;
};

/// The kind of the system and the text of the finding: `SchedulingPolicy: ...`
[[nodiscard]] std::string message(const SystemFinding& finding);

/// Findings in the order of the systems. The limits are those of each system's `analyze`.
[[nodiscard]] std::vector<SystemFinding> analyze(const Configuration& configuration,
                                                 std::span<const Node> nodes = {});

/// The findings about `written`, for the author of a policy: the objects of the engine are analyzed with
/// `written` added, or in place of those with the same names, and findings about other objects are left
/// out. A policy that differs from one of these is reported once. Takes at most
/// `max_written_policy_steps`, and `written_policy_steps_a_text` for each text in `written`, whatever the
/// engine has. What was not analyzed is NotDecided.
[[nodiscard]] std::vector<SystemFinding> analyze(const Engine& engine, const Objects& written);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze.ipp>
#endif
