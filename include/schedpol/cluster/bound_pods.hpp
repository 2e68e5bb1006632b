// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pods that are bound to the nodes of a cluster, and which nodes they leave to another pod. What
/// the labels, names and taints of nodes say is a question for a `NodeTable`.
/// 1. Resources: what the pod requests fits beside what the pods on the node request
///    (`core/resources.hpp`).
/// 2. Topology spread constraints that say DoNotSchedule; a node without one of their topology keys
///    cannot take the pod.
///    - A node with all of the keys takes part in a constraint, where the constraint honors them only
///      if the pod's node affinity matches it (honored unless it says otherwise) and its NoSchedule and
///      NoExecute taints are tolerated (only if it says so). The values of the topology key that such
///      nodes have are the domains.
///    - Counted are the pods on such nodes in the pod's namespace, not terminating, that the label
///      selector and the matchLabelKeys (the pod's values of those that it has) match. An absent
///      selector matches none, and `{}` counts none.
///    - The count of a node's domain, and one where the pod matches too, exceeds the lowest count of a
///      domain (0 where there are fewer domains than minDomains) by maxSkew at most.
/// 3. Pod affinity: for each required term, the node's domain of its topology key holds a pod that all
///    required terms select (`core/pod_affinity.hpp`). Where no domain holds one, and the pod is one
///    itself, it is the first of them: every node that has all topology keys can take it.
/// 4. Pod anti-affinity: the node's domain holds no pod that a required term selects.
/// 5. Anti-affinity of bound pods: none in the node's domain has a required term that selects the pod.
/// 6. Affinity score: the weight of each preferred term of the pod, once for each pod in the node's
///    domain that it selects; that of each preferred term of the pods there that selects this one;
///    and 1 for each of their required affinity terms that does. Anti-affinity counts against, and a
///    term whose weight is not valid (`is_valid_weight`) not at all. The lowest becomes 0, the highest
///    100.
/// 7. Allocation score: how many percent of cpu and of memory are left (least allocated) or used (most
///    allocated) once the pod is there, and the mean of those that the node has. A container that
///    requests none of one counts with 100m and 200Mi.
/// 8. Filters: what kube-scheduler holds against a node with its default plugins, but host ports, volumes
///    and devices. A node counts for the first of them that keeps the pod from it: `spec.nodeName`, being
///    unschedulable, a taint of NoSchedule or NoExecute, the node selector and required node affinity, then
///    rules 1 to 5. Where every term of the node affinity names nodes (`metadata.name In`), only those are
///    looked at.
///
/// Terminal pods are not counted. Pods and nodes come in any order: what is bound to a node
/// that is not there counts once it is. Pods that differ in nothing but their names are matched once.
/// Binding is linear in the labels and affinity terms of the pod. Unbinding the last pod of a kind is
/// linear, too, in the kinds of pods that share its namespace or one of its labels. A question is linear
/// in the nodes, and in the pods that its terms and constraints may select. Source: the NodeResourcesFit,
/// PodTopologySpread and InterPodAffinity plugins of kube-scheduler, and `findNodesThatFitPod`.

#include <schedpol/cluster/node_table.hpp>
#include <schedpol/core/resources.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Which nodes can take a pod, by number, and what keeps it from the others. A node that several rules keep it
/// from is in the first of their sets, one that several constraints do in that of the first constraint.
struct PodFit {
  NodeSet feasible{};                ///< for all that bound pods decide
  NodeSet insufficient_resources{};  ///< rule 1
  NodeSet missing_topology_key{};    ///< rule 2, of a constraint
  NodeSet too_much_skew{};           ///< rule 2
  NodeSet pod_affinity{};            ///< rule 3
  NodeSet pod_anti_affinity{};       ///< rule 4
  NodeSet existing_anti_affinity{};  ///< rule 5

  friend bool operator==(const PodFit&, const PodFit&) = default;
};

/// What rule 8 leaves, and why not more, in kube-scheduler's words.
struct FilteredNodes {
  NodeSet feasible{};
  Reasons reasons{};  ///< what keeps the pod from the others; one node may have several
  std::string
      conflict{};  ///< instead of reasons, what keeps it from all of them: it contradicts itself

  friend bool operator==(const FilteredNodes&, const FilteredNodes&) = default;
};

/// What kube-scheduler says of a pod that none of so many nodes can take (`unschedulable_message`). It is for
/// a pod without feasible nodes; of another one it tells what keeps it from the rest.
[[nodiscard]] std::string message(const FilteredNodes& filtered, std::size_t nodes);

/// A value, whose copies go their own ways. Default-constructed it has no nodes, and moved from it has
/// none either.
class BoundPods {
 public:
  BoundPods() = default;

  /// Of nodes without pods. A namespace that is not among these has no labels.
  explicit BoundPods(std::span<const Node> nodes, std::span<const Namespace> namespaces = {});

  /// The nodes, numbered as those of a `resource_policy::Cluster` that got the same nodes are.
  [[nodiscard]] const NodeTable& nodes() const& noexcept;
  const NodeTable& nodes() const&& = delete;  // it would outlive what it is of

  void add_node(const Node& node);          ///< or puts it in place of the one of its name
  void remove_node(std::string_view name);  ///< its pods count again when it is back

  void add_namespace(const Namespace& added);    ///< or puts it in place of the one of its name
  void remove_namespace(std::string_view name);  ///< it has no labels any more

  /// Counts a pod on a node; a pod of the same namespace and name is unbound first. Returns what is
  /// wrong with its affinity terms, and with a pod without a name; then nothing changes.
  [[nodiscard]] std::vector<FieldError> bind(const Pod& pod, std::string_view node);

  /// No longer counts a pod; nothing happens when it is not bound.
  void unbind(std::string_view namespace_, std::string_view name);

  /// The node that a pod is bound to, valid until pods are bound or unbound; nothing when it is not bound.
  [[nodiscard]] std::optional<std::string_view> node_of(std::string_view namespace_,
                                                        std::string_view name) const&;
  std::optional<std::string_view> node_of(std::string_view, std::string_view) const&& = delete;

  /// What the pods on a node request together; nothing of a node that nobody is bound to.
  [[nodiscard]] Resources requested(std::string_view node) const;

  /// Rules 1 to 5 for all nodes, or what is wrong with the pod's terms and constraints.
  [[nodiscard]] Result<PodFit> fit(const Pod& pod) const;

  /// Rule 8 for all nodes, or what is wrong with the pod's terms and constraints.
  [[nodiscard]] Result<FilteredNodes> filter(const Pod& pod) const;

  /// Rule 6: 0 to 100 for each of the nodes, at its number, as many as `nodes().size()`; 0 for all
  /// where they are equal, and for numbers that are none of the nodes.
  [[nodiscard]] Result<std::vector<std::int64_t>> affinity_scores(const Pod& pod,
                                                                  const NodeSet& nodes) const;

  /// Rule 7: 0 to 100 for each of the nodes, at its number, as many as `nodes().size()`; 0 for others.
  /// With the most left pods are spread, with the most used they are packed.
  [[nodiscard]] std::vector<std::int64_t> least_allocated(const Pod& pod,
                                                          const NodeSet& nodes) const;
  [[nodiscard]] std::vector<std::int64_t> most_allocated(const Pod& pod,
                                                         const NodeSet& nodes) const;

 private:
  struct Impl;
  Owned<Impl> impl_;  ///< none: no nodes, no pods
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/bound_pods.ipp>
#endif
