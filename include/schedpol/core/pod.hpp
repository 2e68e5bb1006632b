// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods, and the pod templates of workloads, as far as scheduling policies look at them. A template
/// is a Pod that knows which kind of object it stands in, so that every function takes both and
/// field paths are those of the document its author wrote. How a pod is spread over domains
/// (`TopologySpreadConstraint`) is part of its spec.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/workload.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The scheduler of pods that name none.
inline constexpr std::string_view default_scheduler_name = "default-scheduler";

/// How a pod that says `default-scheduler` is taken, where something else could be filled in.
enum class DefaultScheduler {
  specified,    ///< it asks for that scheduler
  unspecified,  ///< it names none: the API server has filled the name in before a webhook sees it
};

[[nodiscard]] constexpr std::string_view to_string(DefaultScheduler scheduler) noexcept {
  return scheduler == DefaultScheduler::unspecified ? "Unspecified" : "Specified";
}

/// What containers, or a whole pod, ask for and may use at most.
struct ResourceRequirements {
  ResourceList requests{};
  ResourceList limits{};

  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

/// A container, as far as scheduling looks at it.
struct Container {
  std::string name{};
  ResourceRequirements resources{};
  std::string restart_policy{};  ///< `Always`: an init container that stays, a sidecar

  friend bool operator==(const Container&, const Container&) = default;
};

/// A bool, false by default, that becomes `left` when it is moved from. `MoveFlag<true>` only tells that
/// it was: it cannot be set, and all are equal.
template <bool left>
class MoveFlag {
 public:
  MoveFlag() noexcept = default;
  /// Of a bool, and of nothing that becomes one.
  MoveFlag(std::same_as<bool> auto value) noexcept  // NOLINT(google-explicit-constructor)
    requires(!left)
      : value_(value) {}
  MoveFlag(const MoveFlag&) noexcept = default;
  MoveFlag(MoveFlag&& other) noexcept : value_(std::exchange(other.value_, left)) {}
  MoveFlag& operator=(MoveFlag other) noexcept {
    value_ = other.value_;
    return *this;
  }
  ~MoveFlag() = default;

  /// Whether it is set.
  [[nodiscard]] explicit(left) operator bool() const noexcept { return value_; }

  friend bool operator==(const MoveFlag&, const MoveFlag&) noexcept
    requires left
  {
    return true;
  }

 private:
  bool value_ = false;
};

/// Whether the structure that it is part of was moved from. What is left of a pod then asks for nothing,
/// which policies would permit; with this whatever decides on a pod denies it (`ViolationCode::moved_from`),
/// and no node of a `Cluster` or of `BoundPods` takes it. Matchers and what is bound take it for a pod
/// that asks for nothing.
using MovedFrom = MoveFlag<true>;

/// What becomes of a pod that no node can spread.
enum class WhenUnsatisfiable { unset, do_not_schedule, schedule_anyway, unknown };

constexpr std::array<std::string_view, 3> spellings(WhenUnsatisfiable) noexcept {
  return {"", "DoNotSchedule", "ScheduleAnyway"};
}

/// Whether nodes that the pod cannot run on anyway take part.
enum class NodeInclusionPolicy { unset, honor, ignore, unknown };

constexpr std::array<std::string_view, 3> spellings(NodeInclusionPolicy) noexcept {
  return {"", "Honor", "Ignore"};
}

/// How a pod asks to be spread over the domains of a cluster, each the nodes of one value of
/// `topology_key`; rule 2 of `bound_pods.hpp` says which nodes that leaves. An unset
/// `node_affinity_policy` is Honor, an unset `node_taints_policy` Ignore. What the API server would
/// refuse counts as it stands: only DoNotSchedule keeps a pod from nodes, an inclusion policy that is
/// not known is Ignore, and fewer than one domain is one.
struct TopologySpreadConstraint {
  std::int32_t max_skew = 0;
  std::string topology_key{};
  OpenEnum<WhenUnsatisfiable> when_unsatisfiable{};
  std::optional<LabelSelector> label_selector{};
  std::optional<std::int32_t> min_domains{};  ///< absent: 1
  OpenEnum<NodeInclusionPolicy> node_affinity_policy{};
  OpenEnum<NodeInclusionPolicy> node_taints_policy{};
  Texts match_label_keys{};

  friend bool operator==(const TopologySpreadConstraint&,
                         const TopologySpreadConstraint&) = default;
};

/// On one line: `topology.kubernetes.io/zone:DoNotSchedule`.
[[nodiscard]] inline std::string to_string(const TopologySpreadConstraint& constraint) {
  if (constraint.when_unsatisfiable == WhenUnsatisfiable::unset) return constraint.topology_key;
  return constraint.topology_key + ':' + std::string(constraint.when_unsatisfiable.text());
}

/// No scheduler is asked about a pod until whoever set its gates has taken them away. Only a pod that
/// is created can get them.
struct PodSchedulingGate {
  std::string name{};

  friend bool operator==(const PodSchedulingGate&, const PodSchedulingGate&) = default;
};

/// Devices that the containers of a pod may share: a ResourceClaim by its name, or the template of one
/// that is made for the pod.
struct PodResourceClaim {
  std::string name{};  ///< by which containers refer to it
  std::string resource_claim_name{};
  std::string resource_claim_template_name{};

  friend bool operator==(const PodResourceClaim&, const PodResourceClaim&) = default;
};

/// An empty string, list or map is the same as an absent one, as in core/v1.
struct PodSpec {
  std::string scheduler_name{};  ///< empty: `default_scheduler_name`
  std::string node_name{};       ///< not empty: no scheduler is asked about the pod
  std::string priority_class_name{};
  std::optional<std::int32_t> priority{};  ///< derived from the class by the API server
  std::string preemption_policy{};         ///< derived from the class by the API server
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};
  std::vector<TopologySpreadConstraint> topology_spread_constraints{};
  std::vector<PodSchedulingGate> scheduling_gates{};
  std::vector<PodResourceClaim> resource_claims{};
  std::string service_account_name{};  ///< empty: `service_account`, then `default`
  std::string service_account{};       ///< the deprecated spelling of `service_account_name`
  std::string runtime_class_name{};
  ResourceList overhead{};  ///< what the pod's runtime needs besides its containers
  std::vector<Container> init_containers{};
  std::vector<Container> containers{};
  std::optional<ResourceRequirements> resources{};  ///< of the pod as a whole
  MovedFrom moved_from{};                           ///< nobody sets it

  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

/// What the node says of the resources of a container that runs there. What it does not say is empty.
struct ContainerStatus {
  std::string name{};
  ResourceList allocated_resources{};  ///< requests that the node has agreed to
  ResourceRequirements resources{};    ///< what the container really has

  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

/// What a pod says of its own state. Of those that hold, a `PodResizePending` tells by its reason whether
/// a resize is infeasible.
struct PodCondition {
  std::string type{};
  std::string reason{};

  friend bool operator==(const PodCondition&, const PodCondition&) = default;
};

/// `phase` is `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`; a template has none.
struct PodStatus {
  std::string phase{};
  std::string nominated_node_name{};  ///< where a scheduler means to bind the pod, once it can
  std::vector<PodCondition> conditions{};
  std::vector<ContainerStatus> init_container_statuses{};
  std::vector<ContainerStatus> container_statuses{};
  ResourceList allocated_resources{};               ///< requests of the pod as a whole
  std::optional<ResourceRequirements> resources{};  ///< what the pod as a whole really has

  friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

/// A pod, or the pod template of a workload. `metadata` is the pod's or the template's; a template
/// takes `name` from its workload where it has none, `namespace_` where the workload has one. The
/// owners are always those of the workload, and so is `selector`, which is read of those kinds whose
/// author writes it (`has_selector`); that of a ReplicationController has no expressions.
struct Pod {
  PodKind kind = PodKind::pod;
  ObjectMeta metadata{};
  PodSpec spec{};
  PodStatus status{};
  std::optional<LabelSelector> selector{};

  friend bool operator==(const Pod&, const Pod&) = default;
};

/// Whether the pod has run, and uses its node no more: Succeeded or Failed. Rules call it terminal.
[[nodiscard]] inline bool is_terminal(const Pod& pod) noexcept {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace SCHEDPOL_NAMESPACE
