// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What ResourcePolicies decide about a pod and the nodes of a cluster:
///
/// 1. Prefilter: the one policy of the pod's namespace that selects it. None: skip. Several: the
///    pod cannot be scheduled (`MultipleResourcePolicies`).
/// 2. Count, per unit: the other pods that the policy selects, bound to a node of the unit, not
///    terminal, not terminating where the policy ignores those, and with the pod's value
///    of each match label key that the pod has.
/// 3. Filter: a node in a full unit is `UnitFull`, so no count ever exceeds its maximum,
///    overlapping units included; else a node in a unit in which the requests of the counted pods
///    and of this one would exceed its maxResources is `UnitResourcesExceeded`; a node in no unit is
///    fine under `prefer`, `NodeNotInUnit` otherwise. Requests are those of `core/resources.hpp`, in
///    thousandths of cpu and whole units of the rest, rounded up; a maximum is rounded down. A
///    resource that a unit does not list is not limited, and one that the pod requests nothing of
///    is not looked at. An amount beyond int64 exceeds every maximum.
/// 4. Score: 20 times the priority of the node's best unit (highest priority, then first), -20
///    outside all units; `normalise` brings those of the feasible nodes to 0..100.
/// 5. Deletion cost of a bound pod that exactly one policy matches: 20 times the highest priority
///    of its node's units, within int32, -20 outside all. Only a ReplicaSet, so a Deployment, reads
///    it (`controller.kubernetes.io/pod-deletion-cost`), after pods that are not ready are gone.
/// 6. A pod of which it is only known that one of some nodes takes it has places reserved: it counts on every
///    unit that has one of them, so that there is room for it wherever it goes. Units that nodes of
///    it get later are added, also by going and coming back, and none is given up before the pod is
///    released.
///
/// A Cluster takes in nodes and pods once, in one scan; then every question and every bind and
/// unbind depends on the number of units and what they limit, not of pods, and a node that comes,
/// goes or is relabelled on its own labels and pods. It answers as one that is made of what is
/// there, in whatever order that came. Source: the Resource Policy proposal, "Implementation Details" and "Score".

#include <schedpol/cluster/node_table.hpp>
#include <schedpol/resource_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// As the scheduler framework's status codes.
enum class Code { success, skip, unschedulable, unschedulable_and_unresolvable };

[[nodiscard]] std::string_view to_string(Code code) noexcept;

/// The namespace and name of a pod; valid as long as what they were taken from. Without a namespace it
/// is in `default`, here and wherever else pods are named.
struct PodName {
  std::string_view namespace_{};
  std::string_view name{};
};

/// Why a pod gets no node, or not this one.
enum class Reason {
  none,
  multiple_resource_policies,
  no_name,  ///< the pod could not be told from others once it is bound
  unit_full,
  unit_resources_exceeded,
  node_not_in_unit
};

[[nodiscard]] std::string_view to_string(Reason reason) noexcept;

/// What is decided of a pod and one node. `unit` is the node's best unit, absent outside all.
struct Filter {
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::optional<std::size_t> unit{};

  friend bool operator==(const Filter&, const Filter&) = default;
};

class Prefilter;

/// The pods that count on a unit, bound or reserved, whatever their values of the match label keys.
struct UnitUsage {
  std::string name{};
  std::int64_t pods = 0;
  std::optional<std::int32_t> max_count{};
  ResourceList requests{};  ///< of the resources that the unit limits
  ResourceList max_resources{};

  friend bool operator==(const UnitUsage&, const UnitUsage&) = default;
};

/// The nodes and bound pods of a cluster, as ResourcePolicies see them: a value, whose copies go
/// their own ways. One that was moved from, or whose policies were never compiled, has no nodes and
/// can place no pod.
class Cluster {
 public:
  /// Of two nodes of one name, or two pods of one namespace and name, the later counts.
  Cluster(CompiledPolicies policies, std::span<const Node> nodes, std::span<const Pod> pods);

  /// The nodes, for what else a pod asks of them, and the numbers that answers about all of them
  /// are in.
  [[nodiscard]] const NodeTable& nodes() const& noexcept;
  const NodeTable& nodes() const&& = delete;  // it would outlive its cluster

  /// Adds a node, or puts it in place of the one of its name, which keeps its number. Pods that are
  /// bound to it are counted where it is now.
  void add_node(const Node& node);

  /// Pods that are bound to it are not counted until there is a node of that name again.
  void remove_node(std::string_view name);

  /// What is known of a pod before nodes are looked at. One without a name that a policy selects gets no
  /// node, because it cannot be bound; one that was moved from gets none either.
  [[nodiscard]] Prefilter prefilter(const Pod& pod) const&;
  Prefilter prefilter(const Pod& pod) const&& = delete;  // it would outlive its cluster

  /// Counts a pod as running on a node; a pod of the same namespace and name that was bound before
  /// is unbound first. Nothing is counted as long as the node is not in the cluster, nor for a pod
  /// that is terminal, bound to no node, or has no name: two of those would be one.
  void bind(const Pod& pod, std::string_view node);

  /// No longer counts a pod; nothing happens when it is not bound.
  void unbind(std::string_view namespace_, std::string_view name);

  /// Reserves places for a pod on some nodes, by the numbers that they have now, as rule 6 says;
  /// those of a pod of the same namespace and name are given back first. Whether it is bound besides
  /// makes no difference: then it counts twice. Nothing is reserved for a pod that is terminal or has
  /// no name.
  void reserve(const Pod& pod, const NodeSet& nodes);

  /// Gives the places back; nothing happens when none are reserved for the pod.
  void unreserve(std::string_view namespace_, std::string_view name);

  /// The value of the annotation `controller.kubernetes.io/pod-deletion-cost`: pods of lower cost
  /// are deleted first. None for a pod that is not bound, is terminal, or is matched by no or several
  /// policies.
  [[nodiscard]] std::optional<std::int32_t> deletion_cost(std::string_view namespace_,
                                                          std::string_view name) const;

  /// Per unit of the policy of that name; empty where there is no such policy.
  [[nodiscard]] std::vector<UnitUsage> usage(std::string_view namespace_,
                                             std::string_view policy) const;

 private:
  friend class AssumeCache;
  friend class Prefilter;

  struct Impl;
  Owned<Impl> impl_;
};

/// What is known of one pod in one cluster, and the way to ask about the nodes of that cluster. It
/// holds until the cluster changes: what it has counted may then be wrong, so after a bind, an unbind
/// or a change of nodes it lets the pod onto no node. It must not be used when its cluster is gone: destroyed,
/// assigned to or moved from. Default-constructed and moved from it denies.
class Prefilter {
 public:
  Prefilter() = default;

  /// `success`: one policy selects the pod. `skip`: none does, and the pod may run on any node.
  [[nodiscard]] Code code() const noexcept { return code_; }
  [[nodiscard]] Reason reason() const noexcept { return reason_; }  ///< of what `code` says

  /// The name of the one policy, empty where there is none; valid as long as the cluster is.
  [[nodiscard]] std::string_view policy() const noexcept;

  /// Per unit of that policy, how many pods count against its maximum.
  [[nodiscard]] const std::vector<std::int64_t>& counts() const& noexcept { return counts_; }
  [[nodiscard]] std::vector<std::int64_t> counts() &&;

  /// Per unit of that policy, of each resource that it limits what the counted pods request; empty
  /// where no unit of it limits any.
  [[nodiscard]] std::vector<ResourceList> requested() const;

  /// What would be known of `pod`, which this is about, if others were gone, each named once; all others
  /// are there, also where this was made by `without` itself.
  [[nodiscard]] Prefilter without(std::span<const PodName> gone, const Pod& pod) const;

  /// Whether a node can take the pod. Where there is not one policy, as `code` says, the same for
  /// every node. A node that is not in the cluster is in no unit.
  [[nodiscard]] Filter filter(std::string_view node) const noexcept;

  /// What keeps the pod from a node: "unit `spot` is full", "insufficient cpu in unit `spot`"; empty
  /// where nothing does. Without figures: a scheduler looks at a pod again when its status changes.
  [[nodiscard]] std::string message(std::string_view node) const;

  /// The raw score of a node of which `filter` says that it can take the pod.
  [[nodiscard]] std::int64_t score(const Filter& filter) const noexcept;

  /// The nodes of which `filter` says that they can take the pod, by number.
  [[nodiscard]] NodeSet feasible() const;

  /// The nodes of which `filter` says, for that reason, that they cannot.
  [[nodiscard]] NodeSet infeasible(Reason reason) const;

  /// The raw scores of some nodes, each at its number; zero for others.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeSet& nodes) const;

 private:
  friend class Cluster;

  [[nodiscard]] bool holds() const noexcept;
  [[nodiscard]] std::optional<std::size_t> full_unit(std::size_t node) const noexcept;
  [[nodiscard]] std::optional<std::size_t> exceeded_limit(std::size_t node) const noexcept;
  [[nodiscard]] NodeSet full_nodes() const;
  [[nodiscard]] NodeSet exceeded_nodes() const;
  void count(const Pod& pod, std::span<const PodName> gone);
  void ask_for(const Pod& pod);

  Code code_ = Code::unschedulable_and_unresolvable;
  Reason reason_ = Reason::none;
  const Cluster::Impl* cluster_ = nullptr;
  std::uint64_t changes_ = 0;  ///< of the cluster, when the pods were counted
  std::size_t policy_ = 0;
  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> requested_;  ///< by limit of the policy, by the pod
  std::vector<std::int64_t> requests_;   ///< by limit of the policy, by the counted pods
  std::vector<std::size_t> exceeded_;  ///< limits that keep the pod from a unit, the first of each
};

/// Raw scores to 0..100 between the lowest and the highest, rounded down; all equal: 100. Any
/// scores may be given.
[[nodiscard]] std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores);

/// The same of the scores of some nodes, by number; those of others are left alone. A number without
/// score takes no part.
[[nodiscard]] std::vector<std::int64_t> normalise(std::vector<std::int64_t> scores,
                                                  const NodeSet& nodes);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/cluster.ipp>
#endif
