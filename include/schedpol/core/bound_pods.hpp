// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pods that are bound to the nodes of a cluster, and which nodes they leave to another pod. What nodes
/// by themselves have to say, by labels, names and taints, is a question for a `NodeTable`.
/// 1. Resources: the pod fits into what is allocatable and not requested by pods on the node
///    (`core/resources.hpp`).
/// 2. Topology spread constraints: as in `core/topology_spread.hpp`.
/// 3. Required pod affinity: each term needs a pod in the node's domain of its topology key that all
///    of the terms speak of (`core/pod_affinity.hpp`). Where there is no such pod in any domain, and the pod is one
///    itself, it is the first of them and can go to every node with all of the topology keys.
/// 4. Required pod anti-affinity: no term may speak of a pod in the node's domain of its topology key.
/// 5. That of the pods there: no pod may have a required anti-affinity term that speaks of this one
///    where the node is in the same domain as the pod's own.
/// 6. Affinity score: each pod in the node's domain of a preferred term that speaks of it is worth the term's weight, for
///    anti-affinity less than nothing. So is each preferred term of a pod there that speaks of this one; a required
///    affinity term is worth 1. The least of the scores becomes 0 and the most 100.
/// 7. Allocation score: the percentage of cpu and memory that is left, or used, with this pod there, and the
///    mean of the two. A container that requests none uses 100m and 200 MiB. A resource that a node
///    has none of is left out.
///
/// Pods that are Succeeded or Failed are not bound. Pods and nodes come in any order: what is bound to a node that
/// is not there counts once it is. Terms are matched once for all pods that are alike but in their names. So a bind and an
/// unbind take as long as the pod's own labels and terms are, and a question what the nodes and the pods that its terms speak of
/// take. Sources: the NodeResourcesFit, PodTopologySpread and InterPodAffinity plugins of kube-scheduler.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/node_set.hpp>
#include <schedpol/core/node_table.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/core/shared.hpp>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE {

/// Which nodes can take a pod, by number, and what keeps it from the others. A node that has several
/// reasons is in the first of their sets.
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

/// A value, whose copies go their own ways. Default-constructed it has no nodes, and moved from it has
/// none either. Any number of threads may ask it while none changes it.
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
  /// wrong with its affinity terms, and with a pod without a name; then it is not bound.
  [[nodiscard]] std::vector<FieldError> bind(const Pod& pod, std::string_view node);

  /// No longer counts a pod; nothing happens when it is not bound.
  void unbind(std::string_view namespace_, std::string_view name);

  /// What the pods on a node request together; nothing of a node that nobody is bound to.
  [[nodiscard]] Resources requested(std::string_view node) const;

  /// Rules 1 to 5 for all nodes, or what is wrong with the pod's terms and constraints.
  [[nodiscard]] Result<PodFit> fit(const Pod& pod) const;

  /// Rule 6: 0 to 100 for each of the nodes, by the numbers of all; 0 for all where they are equal.
  [[nodiscard]] Result<std::vector<std::int64_t>> affinity_scores(const Pod& pod,
                                                                  const NodeSet& nodes) const;

  /// Rule 7: 0 to 100 for each of the nodes, by the numbers of all. With the most left pods are spread,
  /// with the most used they are packed.
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
#include <schedpol/core/impl/bound_pods.ipp>
#endif
