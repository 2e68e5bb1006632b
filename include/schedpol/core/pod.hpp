// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Pods, and the pod templates of workloads, as far as policies need them. A template is a Pod that
/// knows the kind of its workload. So every function takes both, and field paths are those of the
/// document that the author wrote.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/workload.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The scheduler of a pod that names none.
inline constexpr std::string_view default_scheduler_name = "default-scheduler";

/// How to read `default-scheduler` in a pod that a policy could give another scheduler.
enum class DefaultScheduler {
  specified,    ///< the pod asks for that scheduler
  unspecified,  ///< the pod names none: the API server fills in the name before a webhook sees it
};

[[nodiscard]] constexpr std::string_view to_string(DefaultScheduler scheduler) noexcept {
  return scheduler == DefaultScheduler::unspecified ? "Unspecified" : "Specified";
}

/// The resources that a container, or a whole pod, requests, and their limits.
struct ResourceRequirements {
  ResourceList requests{};
  ResourceList limits{};

  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

/// A container, as far as scheduling needs it.
struct Container {
  std::string name{};
  ResourceRequirements resources{};
  std::string restart_policy{};  ///< `Always` makes an init container a sidecar

  friend bool operator==(const Container&, const Container&) = default;
};

/// A bool, false by default, that becomes `left` when it is moved from. `MoveFlag<true>` only records a
/// move: you cannot set it, and all of them are equal.
template <bool left>
class MoveFlag {
 public:
  MoveFlag() noexcept = default;
  /// Takes a bool, and nothing that converts to one.
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

  /// The value.
  [[nodiscard]] explicit(left) operator bool() const noexcept { return value_; }

  friend bool operator==(const MoveFlag&, const MoveFlag&) noexcept
    requires left
  {
    return true;
  }

 private:
  bool value_ = false;
};

/// Whether the enclosing structure was moved from. A moved-from pod asks for nothing, and policies would
/// permit that. So every decision on such a pod is a denial (`ViolationCode::moved_from`), and no node of
/// a `Cluster` or `BoundPods` takes it. Matchers, and a pod that is bound, treat it as one that asks for
/// nothing.
using MovedFrom = MoveFlag<true>;

/// What happens to a pod if no node satisfies the constraint.
enum class WhenUnsatisfiable { unset, do_not_schedule, schedule_anyway, unknown };

constexpr std::array<std::string_view, 3> spellings(WhenUnsatisfiable) noexcept {
  return {"", "DoNotSchedule", "ScheduleAnyway"};
}

/// Whether to leave out the nodes that the pod cannot run on.
enum class NodeInclusionPolicy { unset, honor, ignore, unknown };

constexpr std::array<std::string_view, 3> spellings(NodeInclusionPolicy) noexcept {
  return {"", "Honor", "Ignore"};
}

/// How a pod is spread over domains; a domain is the nodes with the same value of `topology_key`. Rule 2
/// of `bound_pods.hpp` says which nodes satisfy a constraint. An unset `node_affinity_policy` is Honor,
/// an unset `node_taints_policy` is Ignore. Values that the API server would refuse have a meaning, too:
/// only DoNotSchedule keeps a pod from nodes, an unknown inclusion policy is Ignore, and a `min_domains`
/// below one is one.
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

/// A pod is not scheduled until all of its gates are removed. Gates can be added only when a pod is
/// created.
struct PodSchedulingGate {
  std::string name{};

  friend bool operator==(const PodSchedulingGate&, const PodSchedulingGate&) = default;
};

/// Devices that the containers of a pod may share: the name of a ResourceClaim, or of the template from
/// which a claim is made for the pod.
struct PodResourceClaim {
  std::string name{};  ///< the name that containers use for it
  std::string resource_claim_name{};
  std::string resource_claim_template_name{};

  friend bool operator==(const PodResourceClaim&, const PodResourceClaim&) = default;
};

/// As in core/v1, an empty string, list or map is the same as an absent one.
struct PodSpec {
  std::string scheduler_name{};  ///< empty: `default_scheduler_name`
  std::string node_name{};       ///< if set, the pod bypasses every scheduler
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
  ResourceList overhead{};  ///< what the runtime needs in addition to the containers
  std::vector<Container> init_containers{};
  std::vector<Container> containers{};
  std::optional<ResourceRequirements> resources{};  ///< of the pod as a whole
  MovedFrom moved_from{};                           ///< set by a move, never by you

  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

/// The resources of a running container, as its node reports them. What the node does not report is empty.
struct ContainerStatus {
  std::string name{};
  ResourceList allocated_resources{};  ///< the requests that the node has granted
  ResourceRequirements resources{};    ///< the actual requests and limits

  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

/// A condition of a pod that is true. The reason of a `PodResizePending` says whether a resize is
/// infeasible.
struct PodCondition {
  std::string type{};
  std::string reason{};

  friend bool operator==(const PodCondition&, const PodCondition&) = default;
};

/// `phase` is `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`; a template has none.
struct PodStatus {
  std::string phase{};
  std::string nominated_node_name{};  ///< where a scheduler intends to bind the pod
  std::vector<PodCondition> conditions{};
  std::vector<ContainerStatus> init_container_statuses{};
  std::vector<ContainerStatus> container_statuses{};
  ResourceList allocated_resources{};               ///< the granted requests at pod level
  std::optional<ResourceRequirements> resources{};  ///< the actual resources at pod level

  friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

/// A pod, or the pod template of a workload. `metadata` is that of the pod or template. A template
/// without a `name` takes that of its workload, and takes its workload's `namespace_` if that is set.
/// Its owners and `selector` are always the workload's. Only kinds whose authors write a selector have
/// one (`has_selector`); that of a ReplicationController has no expressions.
struct Pod {
  PodKind kind = PodKind::pod;
  ObjectMeta metadata{};
  PodSpec spec{};
  PodStatus status{};
  std::optional<LabelSelector> selector{};

  friend bool operator==(const Pod&, const Pod&) = default;
};

/// Whether the pod is terminal (Succeeded or Failed): it has run and no longer uses its node.
[[nodiscard]] inline bool is_terminal(const Pod& pod) noexcept {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace SCHEDPOL_NAMESPACE
