// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the caller of `apply_defaults`, `check` and `admit` decides: how strictly required node
/// affinity is checked, and which parts of a pod the cluster added, and so are exempt.
///
/// Exempt items count as added by the cluster, whoever wrote them:
/// 1. An exempt item needs no permission, but it may meet or break a requirement. An exempt node
///    selector pair also meets a requirement on node affinity, as if each required term had
///    `KEY In [VALUE]` and every other expression that holds for the value. A toleration that a class
///    or a cluster policy adds meets a requirement on any toleration that it covers.
/// 2. If all tolerations of a pod are exempt, the pod does not specify tolerations and gets the default
///    ones. The same holds for a mode of affinity in which all terms are exempt.
/// 3. An item is exempt if it equals an exempt one. An item is a node name, a scheduler name
///    (`default-scheduler` for a pod without one), a node selector pair, a toleration with its
///    tolerationSeconds, one expression of a required node selector term, a whole preferred node
///    term, or a whole term of pod affinity or anti-affinity with its weight. An empty required node
///    selector term is exempt if an exempt affinity has one.
/// 4. No policy needs to mention a kind or mode of affinity in which everything is exempt. A kind or
///    mode that equals a default still counts as the default with exempt items added.

#include <schedpol/core/pod.hpp>
#include <schedpol/core/scheduling_criteria.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Where a pod must have the required node affinity. Here and below, a number that is not an enumerator
/// means the strictest one.
enum class RequiredAffinity {
  every_term,  ///< in every term of the pod, because Kubernetes ORs them
  present,     ///< in one term of the pod: the literal reading of the proposal
};

[[nodiscard]] constexpr std::string_view to_string(RequiredAffinity required) noexcept {
  return required == RequiredAffinity::present ? "Present" : "EveryTerm";
}

/// What happens to a pod that names its node.
enum class NodeNameCheck {
  require_any_scheduler,  ///< allowed only if `allowed.schedulerNames` is any
  ignore,                 ///< the node name is not checked
};

[[nodiscard]] constexpr std::string_view to_string(NodeNameCheck node_name) noexcept {
  return node_name == NodeNameCheck::ignore ? "Ignore" : "RequireAnyScheduler";
}

/// The parts of a pod that policies can govern: the fields of `allowed`, in order.
enum class Component {
  scheduler_names,  ///< the node name, too
  priority_class_names,
  node_selectors,
  tolerations,
  affinities,
  runtime_class_names,
  topology_spread_constraints,
  scheduling_gates,
  resource_claims,
};

/// All components, as `allowed` spells them.
inline constexpr auto component_names = std::to_array<std::string_view>(
    {"schedulerNames", "priorityClassNames", "nodeSelectors", "tolerations", "affinities",
     "runtimeClassNames", "topologySpreadConstraints", "schedulingGates", "resourceClaims"});

[[nodiscard]] constexpr std::string_view to_string(Component component) noexcept {
  const auto number = static_cast<std::size_t>(component);
  return number < component_names.size() ? component_names[number] : std::string_view();
}

/// A set of components: by default, or if none are listed, those of the SchedulingPolicy proposal.
class Components {
 public:
  constexpr Components() noexcept = default;
  /// The listed ones.
  constexpr Components(std::initializer_list<Component> listed) noexcept
      : Components(std::span(listed.begin(), listed.size())) {}
  /// The same for a list that is made at run time.
  constexpr explicit Components(std::span<const Component> listed) noexcept
      : bits_(listed.size() == 0 ? of_proposal : 0) {
    for (const Component each : listed) bits_ |= bit(each);
  }

  /// The first five components.
  [[nodiscard]] static constexpr Components proposal() noexcept { return {}; }
  /// All components.
  [[nodiscard]] static constexpr Components all() noexcept {
    Components components;
    components.bits_ = (1U << component_names.size()) - 1;
    return components;
  }

  /// Whether the component is in the set; false for a number that is not an enumerator.
  [[nodiscard]] constexpr bool contain(Component component) const noexcept {
    return (bits_ & bit(component)) != 0;
  }

  friend constexpr bool operator==(const Components&, const Components&) = default;

 private:
  /// The bit of a component; none for a number that is not an enumerator.
  static constexpr std::uint32_t bit(Component component) noexcept {
    return to_string(component).empty() ? 0 : 1U << static_cast<unsigned>(component);
  }
  static constexpr std::uint32_t of_proposal =
      (2U << static_cast<unsigned>(Component::affinities)) - 1;

  std::uint32_t bits_ = of_proposal;
};

struct Options {
  /// The components that need permission. Requirements and defaults apply to all components, whether
  /// they are governed or not. By default, policies written for the proposal's components never deny
  /// any other component for lack of permission.
  Components governs{};

  RequiredAffinity required_affinity = RequiredAffinity::every_term;
  NodeNameCheck node_name = NodeNameCheck::require_any_scheduler;
  DefaultScheduler default_scheduler = DefaultScheduler::specified;

  /// What the cluster itself adds to every pod.
  SchedulingCriteria exempt{};

  /// What cluster-scoped objects add to this pod, or will add; also exempt. Their values may differ. No
  /// default contradicts any of them.
  std::vector<SharedCriteria> exempt_criteria{};

  /// The node selector and tolerations that a RuntimeClass adds to the pods of a template; also exempt.
  /// They count as part of the template, except for keys that it has itself, but are not written to it.
  SchedulingCriteria added_to_pods{};

  /// The priority class that the API server gives to pods without one. It counts as no class, unless the
  /// policy's own default is this class. Empty: there is none.
  std::string global_default_priority_class{};

  friend bool operator==(const Options&, const Options&) = default;
};

/// The tolerations that the DefaultTolerationSeconds admission plugin adds to every pod: of not-ready
/// and unreachable nodes, NoExecute, for `seconds` (300 by default in the API server, too).
[[nodiscard]] std::vector<Toleration> default_toleration_seconds(std::int64_t seconds = 300);

/// The tolerations that the DaemonSet controller adds to its pods, including the one for pods on the
/// host network.
[[nodiscard]] std::vector<Toleration> daemon_set_tolerations();

/// `options` with these tolerations also exempt, such as those that the functions above return.
[[nodiscard]] Options exempt(Options options, std::span<const Toleration> tolerations);

/// `options` with these criteria also exempt: what a RuntimeClass or a ClusterPodSchedulingPolicy
/// adds to the pod.
[[nodiscard]] Options exempt(Options options, SharedCriteria criteria);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/options.ipp>
#endif
