// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about the objects of a cluster although each is valid: what `analyze` of each system
/// finds, by the headers of its folder.
///
/// 1. Objects that cannot be used are left out: `validate` says what is wrong with them. Every
///    system's objects are looked at, whether it runs or not.
/// 2. SchedulingPolicies are looked at as they are merged: all together where everybody is judged
///    by all of them, otherwise each set that somebody may use.
/// 3. Nodes are known or not; what they decide is not said where none are given.
/// 4. What a ClusterPodSchedulingPolicy adds to pods needs nobody's permission. It is said of each
///    item that no SchedulingPolicy permits (InjectedNotPermitted), where there are any.
/// 5. DefaultContradicted: a default of a SchedulingPolicy is not given to the pods of a RuntimeClass
///    or ClusterPodSchedulingPolicy, in part or at all, because no node could meet both. Each pair is
///    said, with what contradicts what.
/// 6. Where SchedulingPolicy and, behind it, RuntimeClass or PodSchedulingPolicy enforce, it denies pods
///    for the lack of what these would add, and allows their templates (DecidesTooEarly).

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

/// `SchedulingPolicy: ` and the text of the finding.
[[nodiscard]] std::string message(const SystemFinding& finding);

/// By system, in their order. Bounded as each system's own.
[[nodiscard]] std::vector<SystemFinding> analyze(const Configuration& configuration,
                                                 std::span<const Node> nodes = {});

/// The same of the objects of an engine with `written` in the place of those of their names, as far
/// as it is about one of those: what whoever writes a policy has to be told. Each that differs from
/// one of these is said once. It takes at most `max_written_policy_steps`, and
/// `written_policy_steps_a_text` for each text that is written, whatever else there is; what was not
/// looked at is NotDecided.
[[nodiscard]] std::vector<SystemFinding> analyze(const Engine& engine, const Objects& written);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze.ipp>
#endif
