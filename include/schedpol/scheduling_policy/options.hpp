// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the caller of `apply_defaults`, `check` and `admit` decides: how strictly required node
/// affinity is read, and what counts as the cluster's doing rather than the user's wish.
///
/// What is exempt is the cluster's doing, whoever wrote it:
/// 1. It needs no permission. Requirements look at the pod as it stands: it may meet or break one. A
///    pair of the node selector meets what is required of node affinity, too, as `KEY In [VALUE]` in
///    each required term does, and any expression that holds for the value. A toleration that a class
///    or a cluster policy gives meets what is required of one that it covers.
/// 2. A pod that has exempt tolerations only does not specify any, and is given the default ones; nor
///    does one specify a mode of affinity in which it has exempt terms only.
/// 3. Exempt is what equals an exempt item: a node name, a scheduler name (of a pod without one
///    that is `default-scheduler`), a pair of the node selector, a toleration with its
///    tolerationSeconds, one expression of a required node term, a whole preferred node term, a
///    whole term of pod (anti-)affinity with its weight. An empty required node term is exempt
///    where an exempt affinity has one.
/// 4. A kind or mode of affinity in which everything is exempt need not be mentioned by a policy.
///    One that is what a default gives stays so with exempt items added.

#include <schedpol/core/pod.hpp>
#include <schedpol/core/scheduling_criteria.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// How required node affinity terms have to hold. A number that is no enumerator is the strictest, here
/// and below.
enum class RequiredAffinity {
  every_term,  ///< in every term of the pod, because Kubernetes ORs them
  present,     ///< in one term of the pod: the literal reading of the proposal
};

[[nodiscard]] constexpr std::string_view to_string(RequiredAffinity required) noexcept {
  return required == RequiredAffinity::present ? "Present" : "EveryTerm";
}

/// What becomes of a pod that names its node.
enum class NodeNameCheck {
  require_any_scheduler,  ///< allowed only where `allowed.schedulerNames` is any
  ignore,                 ///< not looked at
};

[[nodiscard]] constexpr std::string_view to_string(NodeNameCheck node_name) noexcept {
  return node_name == NodeNameCheck::ignore ? "Ignore" : "RequireAnyScheduler";
}

/// What of a pod policies can govern: a field of `allowed` each, in their order.
enum class Component {
  scheduler_names,  ///< the name of the node too
  priority_class_names,
  node_selectors,
  tolerations,
  affinities,
  runtime_class_names,
  topology_spread_constraints,
  scheduling_gates,
  resource_claims,
};

/// All of them, as `allowed` spells them.
inline constexpr auto component_names = std::to_array<std::string_view>(
    {"schedulerNames", "priorityClassNames", "nodeSelectors", "tolerations", "affinities",
     "runtimeClassNames", "topologySpreadConstraints", "schedulingGates", "resourceClaims"});

[[nodiscard]] constexpr std::string_view to_string(Component component) noexcept {
  const auto number = static_cast<std::size_t>(component);
  return number < component_names.size() ? component_names[number] : std::string_view();
}

/// Components: by default, and where none are listed, those that the SchedulingPolicy proposal has.
class Components {
 public:
  constexpr Components() noexcept = default;
  /// Those that are listed.
  constexpr Components(std::initializer_list<Component> listed) noexcept
      : Components(std::span(listed.begin(), listed.size())) {}
  /// The same of a list that is made while the program runs.
  constexpr explicit Components(std::span<const Component> listed) noexcept
      : bits_(listed.size() == 0 ? of_proposal : 0) {
    for (const Component each : listed) bits_ |= bit(each);
  }

  /// The first five.
  [[nodiscard]] static constexpr Components proposal() noexcept { return {}; }
  /// All there are.
  [[nodiscard]] static constexpr Components all() noexcept {
    Components components;
    components.bits_ = (1U << component_names.size()) - 1;
    return components;
  }

  /// Whether it is one of them; a number that is no enumerator is none.
  [[nodiscard]] constexpr bool contain(Component component) const noexcept {
    return (bits_ & bit(component)) != 0;
  }

  friend constexpr bool operator==(const Components&, const Components&) = default;

 private:
  /// No bit of a number that is no enumerator.
  static constexpr std::uint32_t bit(Component component) noexcept {
    return to_string(component).empty() ? 0 : 1U << static_cast<unsigned>(component);
  }
  static constexpr std::uint32_t of_proposal =
      (2U << static_cast<unsigned>(Component::affinities)) - 1;

  std::uint32_t bits_ = of_proposal;
};

struct Options {
  /// Of which components something is denied because nothing permits it. What is required is asked
  /// for and what is a default is given in any case. A policy that was written for the proposal's
  /// components does not begin to deny another one by itself.
  Components governs{};

  RequiredAffinity required_affinity = RequiredAffinity::every_term;
  NodeNameCheck node_name = NodeNameCheck::require_any_scheduler;
  DefaultScheduler default_scheduler = DefaultScheduler::specified;

  /// What the cluster adds by itself to every pod.
  SchedulingCriteria exempt{};

  /// What objects of the cluster add to this pod, or will, exempt too. Each may have other values. No
  /// default contradicts it.
  std::vector<SharedCriteria> exempt_criteria{};

  /// The node selector and tolerations that a RuntimeClass adds to the pods of a template. Exempt
  /// too, and taken as there, but for keys that the template has itself; it is not written into it.
  SchedulingCriteria added_to_pods{};

  /// The priority class that the API server gives to pods without one; taken as none, unless the
  /// policy's own default is that class. Empty: there is none.
  std::string global_default_priority_class{};

  friend bool operator==(const Options&, const Options&) = default;
};

/// The tolerations that the DefaultTolerationSeconds admission plugin adds to every pod: not-ready
/// and unreachable nodes, NoExecute, for `seconds` (the API server's own default is 300).
[[nodiscard]] std::vector<Toleration> default_toleration_seconds(std::int64_t seconds = 300);

/// The tolerations that the DaemonSet controller adds to its pods, that for pods on the host
/// network included.
[[nodiscard]] std::vector<Toleration> daemon_set_tolerations();

/// The options with these tolerations exempt as well: one of the presets above.
[[nodiscard]] Options exempt(Options options, std::span<const Toleration> tolerations);

/// The options with these criteria exempt as well: what a RuntimeClass or a
/// ClusterPodSchedulingPolicy adds to the pod.
[[nodiscard]] Options exempt(Options options, SharedCriteria criteria);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/options.ipp>
#endif
