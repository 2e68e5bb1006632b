// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pods that are bound to the nodes of a cluster, and the nodes that they leave for another pod. For
/// the labels, names and taints of nodes alone, use `NodeTable`.
/// 1. Resources: the pod's requests fit on the node besides those of the pods there
///    (`core/resources.hpp`).
/// 2. Topology spread constraints with DoNotSchedule. A node without one of their topology keys cannot
///    take the pod.
///    - A node with all of the keys takes part in a constraint. If the constraint honors node affinity
///      (its default), the pod's node affinity must also match the node. If it honors taints (not its
///      default), the pod must also tolerate the node's NoSchedule and NoExecute taints. The domains are
///      the values of the topology key on these nodes.
///    - Pods count if they are on these nodes, in the pod's namespace, not terminating, and match the label
///      selector and matchLabelKeys (by the pod's values, for the keys that it has). If the selector is
///      absent or `{}`, no pods count.
///    - The count of the node's domain, plus one if the pod matches itself, exceeds the lowest count of
///      all domains (0 if there are fewer than minDomains) by at most maxSkew.
/// 3. Pod affinity: for each required term, the node's domain of its topology key has a pod that all
///    required terms select (`core/pod_affinity.hpp`). If no domain has such a pod, and all terms select
///    the pod itself, it may be the first: every node with all topology keys can take it.
/// 4. Pod anti-affinity: the node's domain has no pod that a required term selects.
/// 5. Anti-affinity of bound pods: no pod in the node's domain has a required term that selects the pod.
/// 6. Affinity score, a sum over the bound pods in the node's domain: the weight of each preferred term of
///    the pod that selects the bound pod, the weight of each preferred term of the bound pod that selects
///    the pod, and 1 for each required affinity term of the bound pod that selects the pod. Anti-affinity
///    counts as negative; a term with an invalid weight (`is_valid_weight`) does not count. The scores
///    are then scaled: the lowest becomes 0, the highest 100.
/// 7. Allocation score: the percentage of cpu and of memory that is left (least allocated) or used (most
///    allocated) with the pod on the node, and the mean of the two, or of the one that the node has. A
///    container without a request counts as 100m of cpu or 200Mi of memory.
/// 8. Filters: those of kube-scheduler's default plugins, except for host ports, volumes and devices. The
///    reason for a node is the first filter that excludes it: `spec.nodeName`, an unschedulable node, a
///    NoSchedule or NoExecute taint, the node selector and required node affinity, then rules 1 to 5. If
///    every term of the node affinity names nodes (`metadata.name In`), only these nodes are checked.
///
/// Terminal pods do not count. Pods and nodes may come in any order: a pod on a missing node counts once
/// the node is added. Pods that differ only in their names are matched once. Binding is linear in the
/// labels and affinity terms of the pod. Unbinding the last such pod is also linear in the groups of equal
/// pods that share its namespace or one of its labels. A question is linear in the nodes, and in the pods
/// that its terms and constraints may select. Source: the NodeResourcesFit, PodTopologySpread and
/// InterPodAffinity plugins of kube-scheduler, and `findNodesThatFitPod`.

#include <schedpol/cluster/node_table.hpp>
#include <schedpol/core/resources.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The nodes that can take a pod, by number, and what excludes the others. If several rules exclude a node,
/// it is in the set of the first rule; if several constraints do, in that of the first constraint.
struct PodFit {
  NodeSet feasible{};                ///< the nodes that bound pods leave
  NodeSet insufficient_resources{};  ///< rule 1
  NodeSet missing_topology_key{};    ///< rule 2, a topology key
  NodeSet too_much_skew{};           ///< rule 2
  NodeSet pod_affinity{};            ///< rule 3
  NodeSet pod_anti_affinity{};       ///< rule 4
  NodeSet existing_anti_affinity{};  ///< rule 5

  friend bool operator==(const PodFit&, const PodFit&) = default;
};

/// The nodes that rule 8 leaves, and why it excludes the others, in kube-scheduler's words.
struct FilteredNodes {
  NodeSet feasible{};
  Reasons reasons{};  ///< why nodes are excluded; one node may have several reasons
  std::string
      conflict{};  ///< instead of reasons: how the pod contradicts itself, so that no node can take it

  friend bool operator==(const FilteredNodes&, const FilteredNodes&) = default;
};

/// kube-scheduler's message for a pod that none of `nodes` nodes can take (`unschedulable_message`). If there
/// are feasible nodes, the message says what excludes the others.
[[nodiscard]] std::string message(const FilteredNodes& filtered, std::size_t nodes);

/// A value; copies are independent. A default-constructed or moved-from one has no
/// nodes.
class BoundPods {
 public:
  BoundPods() = default;

  /// Nodes without pods. A namespace that is not listed has no labels.
  explicit BoundPods(std::span<const Node> nodes, std::span<const Namespace> namespaces = {});

  /// The nodes, with the same numbers as in a `resource_policy::Cluster` that got the same nodes.
  [[nodiscard]] const NodeTable& nodes() const& noexcept;
  const NodeTable& nodes() const&& = delete;  // the reference would outlive the nodes

  void add_node(const Node& node);          ///< or replaces the one with its name
  void remove_node(std::string_view name);  ///< its pods count again once it is added again

  void add_namespace(const Namespace& added);    ///< or replaces the one with its name
  void remove_namespace(std::string_view name);  ///< the namespace then has no labels

  /// Counts a pod on a node; unbinds a pod of the same namespace and name first. Returns what is wrong
  /// with its affinity terms, or that it has no name. With errors, nothing changes.
  [[nodiscard]] std::vector<FieldError> bind(const Pod& pod, std::string_view node);

  /// Stops counting a pod. Does nothing if the pod is not bound.
  void unbind(std::string_view namespace_, std::string_view name);

  /// The node of a bound pod, valid until pods are bound or unbound; nothing if the pod is not bound.
  [[nodiscard]] std::optional<std::string_view> node_of(std::string_view namespace_,
                                                        std::string_view name) const&;
  std::optional<std::string_view> node_of(std::string_view, std::string_view) const&& = delete;

  /// The sum of the requests of the pods on a node; zero if the node has no pods.
  [[nodiscard]] Resources requested(std::string_view node) const;

  /// Rules 1 to 5 for all nodes, or what is wrong with the pod's terms and constraints.
  [[nodiscard]] Result<PodFit> fit(const Pod& pod) const;

  /// Rule 8 for all nodes, or what is wrong with the pod's terms and constraints.
  [[nodiscard]] Result<FilteredNodes> filter(const Pod& pod) const;

  /// Rule 6: `nodes().size()` scores, each at the number of its node: 0 to 100 for each of `nodes`, 0
  /// for all if they are equal, 0 for other numbers.
  [[nodiscard]] Result<std::vector<std::int64_t>> affinity_scores(const Pod& pod,
                                                                  const NodeSet& nodes) const;

  /// Rule 7: `nodes().size()` scores, each at the number of its node: 0 to 100 for each of `nodes`, 0 for
  /// other numbers. `least_allocated` spreads pods, `most_allocated` packs them.
  [[nodiscard]] std::vector<std::int64_t> least_allocated(const Pod& pod,
                                                          const NodeSet& nodes) const;
  [[nodiscard]] std::vector<std::int64_t> most_allocated(const Pod& pod,
                                                         const NodeSet& nodes) const;

 private:
  struct Impl;
  Owned<Impl> impl_;  ///< without an object, no nodes and no pods
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/bound_pods.ipp>
#endif
