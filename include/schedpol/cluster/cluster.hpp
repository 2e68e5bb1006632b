// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What ResourcePolicies decide about a pod and the nodes of a cluster:
///
/// 1. Prefilter: the one policy of the pod's namespace that selects the pod. None: skip. Several: the
///    pod cannot be scheduled (`MultipleResourcePolicies`).
/// 2. Count, per unit: the other pods that the policy selects and that are bound to a node of the unit.
///    They are not terminal, not terminating (if the policy ignores those), and have the pod's value for
///    each of matchLabelKeys that the pod has.
/// 3. Filter: a node in a full unit is `UnitFull`, so no count ever exceeds its maximum, even if units
///    overlap. Otherwise, a node in a unit whose maxResources the counted pods and this one would
///    exceed is `UnitResourcesExceeded`. A node in no unit is feasible under `prefer`, and otherwise
///    `NodeNotInUnit`. Requests are those of `core/resources.hpp`, in thousandths of cpu and whole units
///    of the rest, rounded up; a maximum is rounded down. A resource that the unit does not list, or that
///    the pod does not request, does not count. An amount beyond int64 exceeds every maximum.
/// 4. Score: 20 times the priority of the node's best unit (highest priority, then first), -20
///    outside all units; `normalise` scales the scores of the feasible nodes to 0..100.
/// 5. Deletion cost of a bound pod that exactly one policy selects: 20 times the highest priority of its
///    node's units, within int32, -20 outside all units. Only ReplicaSets, and so Deployments, read it
///    (`controller.kubernetes.io/pod-deletion-cost`). They delete pods that are not ready first.
/// 6. If it is known only that a pod goes to one of some nodes, places are reserved: the pod counts on
///    every unit with one of these nodes, so there is room for it wherever it goes. If these nodes join
///    units later, or leave and come back, the pod counts on those units, too. It gives up no unit
///    before it is released.
///
/// A Cluster reads nodes and pods once, in one scan. Then the cost of a question, bind or unbind depends
/// on the units and their limits, not on the pods; a new, removed or relabelled node costs as much as its
/// own labels and pods. The order of changes does not matter: a Cluster answers like one made from its
/// current nodes and pods. Source: the Resource Policy proposal, "Implementation Details" and "Score".

#include <schedpol/cluster/node_table.hpp>
#include <schedpol/resource_policy/compile.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// The scheduler framework's status codes.
enum class Code { success, skip, unschedulable, unschedulable_and_unresolvable };

[[nodiscard]] std::string_view to_string(Code code) noexcept;

/// The namespace and name of a pod; valid as long as their source. Here, and in all functions that name
/// a pod, an empty namespace is `default`.
struct PodName {
  std::string_view namespace_{};
  std::string_view name{};
};

/// Why a pod gets no node, or not this node.
enum class Reason {
  none,
  multiple_resource_policies,
  no_name,  ///< the pod has no name, so it could not be told from others once bound
  unit_full,
  unit_resources_exceeded,
  node_not_in_unit
};

[[nodiscard]] std::string_view to_string(Reason reason) noexcept;

/// The decision on a pod and one node. `unit` is the node's best unit; absent if it is in none.
struct Filter {
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::optional<std::size_t> unit{};

  friend bool operator==(const Filter&, const Filter&) = default;
};

class Prefilter;

/// All pods that count on a unit, bound or reserved, whatever their values of matchLabelKeys.
struct UnitUsage {
  std::string name{};
  std::int64_t pods = 0;
  std::optional<std::int32_t> max_count{};
  ResourceList requests{};  ///< of the resources that the unit limits
  ResourceList max_resources{};

  friend bool operator==(const UnitUsage&, const UnitUsage&) = default;
};

/// The nodes and bound pods of a cluster, as ResourcePolicies see them. A value; copies are
/// independent. One that was moved from, or whose policies were never compiled, has no nodes and
/// can place no pod.
class Cluster {
 public:
  /// If two nodes have the same name, or two pods the same namespace and name, the later counts.
  Cluster(CompiledPolicies policies, std::span<const Node> nodes, std::span<const Pod> pods);

  /// The nodes, to match the pod's other requirements, and with the numbers that answers about all
  /// nodes have.
  [[nodiscard]] const NodeTable& nodes() const& noexcept;
  const NodeTable& nodes() const&& = delete;  // the reference would outlive the cluster

  /// Adds a node, or replaces the one with its name and keeps its number. Pods that are bound to it then
  /// count in the units of the new node.
  void add_node(const Node& node);

  /// Removes a node. Its pods do not count until there is a node with that name again.
  void remove_node(std::string_view name);

  /// The answer about a pod without its nodes. A pod without a name that a policy selects gets no node,
  /// because it cannot be bound. A moved-from pod gets no node either.
  [[nodiscard]] Prefilter prefilter(const Pod& pod) const&;
  Prefilter prefilter(const Pod& pod) const&& = delete;  // the result would outlive the cluster

  /// Counts a pod on a node; unbinds a pod of the same namespace and name first. The pod does not count
  /// while the node is not in the cluster. A pod that is terminal, has no node or has no name is not
  /// bound: two pods without a name would count as one.
  void bind(const Pod& pod, std::string_view node);

  /// Stops counting a pod. Does nothing if the pod is not bound.
  void unbind(std::string_view namespace_, std::string_view name);

  /// Reserves places for a pod on some nodes (rule 6), by their current numbers. First releases those of
  /// a pod of the same namespace and name. If the pod is also bound, it counts twice. Reserves nothing for
  /// a pod that is terminal or has no name.
  void reserve(const Pod& pod, const NodeSet& nodes);

  /// Releases the places. Does nothing if none are reserved for the pod.
  void unreserve(std::string_view namespace_, std::string_view name);

  /// The value for the annotation `controller.kubernetes.io/pod-deletion-cost`: pods with lower cost
  /// are deleted first. None for a pod that is not bound or is terminal, or if no policy or several
  /// policies select it.
  [[nodiscard]] std::optional<std::int32_t> deletion_cost(std::string_view namespace_,
                                                          std::string_view name) const;

  /// The usage of each unit of the policy with that name; empty if there is no such policy.
  [[nodiscard]] std::vector<UnitUsage> usage(std::string_view namespace_,
                                             std::string_view policy) const;

 private:
  friend class AssumeCache;
  friend class Prefilter;

  struct Impl;
  Owned<Impl> impl_;
};

/// The answer about one pod in one cluster; ask it about the nodes of that cluster. It is valid until the
/// cluster changes: after a bind, an unbind or a change of nodes its counts may be wrong, so it lets the pod
/// onto no node. Do not use it after its cluster is destroyed, assigned to or moved from. A
/// default-constructed or moved-from one denies.
class Prefilter {
 public:
  Prefilter() = default;

  /// `success`: one policy selects the pod. `skip`: none does, and the pod may run on any node.
  [[nodiscard]] Code code() const noexcept { return code_; }
  [[nodiscard]] Reason reason() const noexcept { return reason_; }  ///< the reason for `code`

  /// The name of the one policy; empty if there is not exactly one. Valid as long as the cluster.
  [[nodiscard]] std::string_view policy() const noexcept;

  /// For each unit of that policy, the number of pods that count against its maximum.
  [[nodiscard]] const std::vector<std::int64_t>& counts() const& noexcept { return counts_; }
  [[nodiscard]] std::vector<std::int64_t> counts() &&;

  /// For each unit of that policy, what the counted pods request of each resource that it limits; empty
  /// if no unit limits resources.
  [[nodiscard]] std::vector<ResourceList> requested() const;

  /// The answer about `pod`, the pod of this Prefilter, if the pods in `gone` were gone. Name each once. All
  /// other pods count, even if this Prefilter is itself a result of `without`.
  [[nodiscard]] Prefilter without(std::span<const PodName> gone, const Pod& pod) const;

  /// Whether a node can take the pod. If not exactly one policy selects the pod (see `code`), the answer
  /// is the same for every node. A node that is not in the cluster is in no unit.
  [[nodiscard]] Filter filter(std::string_view node) const noexcept;

  /// What keeps the pod from a node: "unit `spot` is full", "insufficient cpu in unit `spot`"; empty if
  /// nothing does. It has no figures, because a scheduler retries a pod whenever its status changes.
  [[nodiscard]] std::string message(std::string_view node) const;

  /// The raw score of a node that can take the pod, from its `filter`.
  [[nodiscard]] std::int64_t score(const Filter& filter) const noexcept;

  /// The numbers of the nodes that can take the pod, by `filter`.
  [[nodiscard]] NodeSet feasible() const;

  /// The numbers of the nodes that cannot take the pod for that reason, by `filter`.
  [[nodiscard]] NodeSet infeasible(Reason reason) const;

  /// The raw scores of `nodes`, each at its number; zero for other numbers.
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

/// Scales raw scores to 0..100, from the lowest to the highest, rounded down. If all are equal, all are
/// 100. Takes any scores.
[[nodiscard]] std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores);

/// The same for the scores of `nodes`, by number. Other scores stay as they are. A number without a
/// score is ignored.
[[nodiscard]] std::vector<std::int64_t> normalise(std::vector<std::int64_t> scores,
                                                  const NodeSet& nodes);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/cluster.ipp>
#endif
