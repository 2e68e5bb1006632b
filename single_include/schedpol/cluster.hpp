// SPDX-License-Identifier: Apache-2.0
// Copyright The schedpol authors
//
// What a scheduler asks schedpol in one header, on top of schedpol.hpp beside it.
// Header-only as it is. With SCHEDPOL_COMPILED defined it only declares; then one translation unit of
// the program defines SCHEDPOL_IMPLEMENTATION too.
//
// Generated from include/ by amalgamate.py: change the headers there, not this file.

#include "schedpol.hpp"

#ifndef SCHEDPOL_SINGLE_INCLUDE_CLUSTER
#define SCHEDPOL_SINGLE_INCLUDE_CLUSTER

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

// schedpol/cluster/node_set.hpp

/// Sets of nodes, by their numbers in a `NodeTable`: the answers to questions about all nodes of a
/// cluster. You can combine sets from tables of different sizes. A set has only numbers that were
/// inserted.

namespace SCHEDPOL_NAMESPACE {

/// Empty by default. Takes memory for every number up to the largest.
class NodeSet {
 public:
  class Iterator;
  using value_type = std::size_t;
  using const_iterator = Iterator;

  NodeSet() = default;

  [[nodiscard]] bool contains(std::size_t node) const noexcept;  ///< takes any number
  [[nodiscard]] bool empty() const noexcept;

  /// The number of nodes in the set.
  [[nodiscard]] std::size_t size() const noexcept;

  void insert(std::size_t node);          ///< does nothing if the node is in the set
  void erase(std::size_t node) noexcept;  ///< does nothing if the node is not in the set
  void clear() noexcept;                  ///< removes all nodes

  /// The numbers, ascending. Iterators are valid until the set changes.
  [[nodiscard]] Iterator begin() const noexcept;
  [[nodiscard]] Iterator end() const noexcept;

  /// Intersection, union and difference.
  NodeSet& operator&=(const NodeSet& other) noexcept;
  NodeSet& operator|=(const NodeSet& other);
  NodeSet& operator-=(const NodeSet& other) noexcept;

  [[nodiscard]] NodeSet operator&(const NodeSet& other) const;
  [[nodiscard]] NodeSet operator|(const NodeSet& other) const;
  [[nodiscard]] NodeSet operator-(const NodeSet& other) const;

  /// Whether both have the same numbers.
  [[nodiscard]] bool operator==(const NodeSet& other) const noexcept;

 private:
  friend class SparseNodeSet;

  static constexpr std::size_t word_bits = 64;

  std::vector<std::uint64_t> words_;
};

/// Iterates over the numbers, ascending.
class NodeSet::Iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = const std::size_t*;
  using reference = std::size_t;

  Iterator() = default;

  [[nodiscard]] std::size_t operator*() const noexcept {
    return word_ * word_bits + static_cast<std::size_t>(std::countr_zero(rest_));
  }
  Iterator& operator++() noexcept {
    rest_ &= rest_ - 1;
    return to_next();
  }
  Iterator operator++(int) noexcept;

  [[nodiscard]] friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  friend class NodeSet;

  Iterator(const std::vector<std::uint64_t>& words, std::size_t word) noexcept;

  /// If this word has no numbers left, goes to the next word that has any, or to the end.
  Iterator& to_next() noexcept {
    while (rest_ == 0 && ++word_ < size_) rest_ = words_[word_];
    return *this;
  }

  const std::uint64_t* words_ = nullptr;
  std::size_t size_ = 0;
  std::size_t word_ = 0;
  std::uint64_t rest_ = 0;  ///< the numbers of this word that are left
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/cluster/node_table.hpp

/// The nodes of a cluster, indexed to match the requirements of a pod with all of them at once.
/// 1. For each node the answer is that of `LabelMatcher`, `NodeTermsMatcher`, `NodeAffinityMatcher`
///    and `tolerates_all` for this node alone.
/// 2. An index has the nodes of each label value, name and taint. So a requirement is checked once for each
///    distinct value (In and NotIn: each listed value), and tolerations once for each distinct taint.
/// 3. Nodes are numbered in the order in which they are added; nodes with the same name stay separate. A
///    node keeps its number until it is removed. Then the next node that is added gets the number.
///
/// A table copies what it needs of the nodes. Source: the NodeAffinity, TaintToleration and
/// NodeUnschedulable filters of kube-scheduler.

namespace SCHEDPOL_NAMESPACE {

/// A value; copies are independent. To build a table takes O(L log L) time and O(L) memory for L labels,
/// names and taints; to change a node costs as much as its own labels and taints. A question takes one
/// step for every 64 nodes and each value that it checks, but for a rare value only one step for each of
/// its nodes. It allocates a few sets, whatever the number of nodes.
class NodeTable {
 public:
  /// No nodes.
  NodeTable() = default;

  explicit NodeTable(std::span<const Node> nodes);  ///< numbered in their order

  /// All numbers are below this, including those of removed nodes.
  [[nodiscard]] std::size_t size() const noexcept;

  /// The numbers of all nodes.
  [[nodiscard]] NodeSet nodes() const;

  /// The number of the first node with this name; none if there is no such node.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;

  /// The name of a node; empty for a number without a node. Valid until that node changes.
  [[nodiscard]] std::string_view name(std::size_t number) const noexcept;

  /// Adds a node and returns its number: the lowest free one.
  std::size_t add(const Node& node);

  /// Replaces the node with this number by a new state or another node. Does nothing for a number
  /// without a node.
  void replace(std::size_t number, const Node& node);

  /// Frees a number. Does nothing for a number without a node.
  void remove(std::size_t number) noexcept;

  /// The nodes whose labels match.
  [[nodiscard]] NodeSet matching(const LabelMatcher& matcher) const;

  /// The nodes that match one of the terms.
  [[nodiscard]] NodeSet matching(const NodeTermsMatcher& matcher) const;

  /// The nodes that the pod may run on. Only the labels and names of the nodes count.
  [[nodiscard]] NodeSet matching(const NodeAffinityMatcher& matcher) const;

  /// The nodes whose taints with one of `effects` are all tolerated, including `unschedulable_taint`.
  [[nodiscard]] NodeSet tolerated_by(
      std::span<const Toleration> tolerations,
      std::span<const TaintEffect> effects = repelling_effects) const;

  /// How much the pod prefers each node, by number, whether or not it may run there.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeAffinityMatcher& matcher) const;

 private:
  struct Impl;
  Owned<Impl> impl_;  ///< without an object, no nodes
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/cluster/cluster.hpp

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

// schedpol/cluster/assume_cache.hpp

/// The counts of a scheduler extender: what its watch has shown, and what the extender has answered the
/// scheduler since. This is kube-scheduler's assume cache seen from outside. However late the watch is,
/// no unit ever exceeds its maxCount or maxResources:
///
/// 1. What the watch shows counts: a bound pod counts on its node until it is terminal or gone.
/// 2. If the extender answers that a pod may go to some nodes, the scheduler binds it to one of them. The
///    extender learns the node only from the watch. Until then, the pod is assumed: it counts on every
///    unit that has one of these nodes. So the last place of a unit is never given away twice. The price:
///    a unit may look full until the watch catches up, and takes no pod meanwhile.
/// 3. A pod is assumed only if the watch shows it, with its uid, and neither bound nor terminal. So
///    nobody can take a place by asking about a pod that does not exist.
/// 4. A pod is no longer assumed if the watch shows it as bound, terminal or gone; if the scheduler asks
///    about it again, because the binding failed (it then counts by the new answer, and never against
///    itself); or if the answer is older than any binding can take (`expire`).
/// 5. An unbound pod that the watch shows as nominated to a node counts there. The scheduler nominates a
///    pod whose binding takes long, or that waits for its victims to terminate.
/// 6. A pod that got no node waits until it is asked about again, bound, terminal or gone. A scheduler
///    asks again if something changes that it watches; it does not watch ResourcePolicies.
/// 7. An invalid policy affects only pods that it might apply to: those that its podSelector selects, or
///    all of its namespace if that selector is invalid itself. These pods get no node.
/// 8. A policy is also invalid if it and the valid ones before it in its namespace exceed
///    `max_namespace_counting_cost`. So the cost of a pod is bounded, whatever policies somebody writes.
///
/// An extender that binds pods itself would know where they are. But while it is down, no pod could be
/// bound. And the scheduler would still ask about the next pod before the binding is done.
///
/// A cluster must have exactly one such state: two that do not share what they assume give the same
/// place away twice. It is a value; the caller supplies the time.

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// A pod and the answer to the scheduler. Nodes have their numbers at that time, so call `assume` before
/// anything else changes the state.
struct Assumption {
  Pod pod{};        ///< its namespace, name and uid, its labels, and what it requests
  NodeSet nodes{};  ///< the nodes that can take it
  NodeSet refused{};
  std::string reason{};  ///< why a node of `refused` was refused; a full unit, if there is one

  friend bool operator==(const Assumption&, const Assumption&) = default;
};

/// A pod that waits by rule 6.
struct WaitingPod {
  std::string namespace_{};
  std::string name{};
  std::string uid{};
  std::string policy{};  ///< the name of its ResourcePolicy; empty: there is not exactly one
  std::string reason{};  ///< as in the answer
  bool fits = false;     ///< whether one of the refused nodes can take it by now

  friend bool operator==(const WaitingPod&, const WaitingPod&) = default;
};

/// A default-constructed or moved-from value does not know the policies, so no pod gets a node.
class AssumeCache {
 public:
  /// Replaces all policies and counts again. Returns what is wrong with the policies, with paths that
  /// begin with `policies[i]`. Valid policies are used even if others are not valid.
  std::vector<FieldError> set_policies(std::span<const ResourcePolicy> policies);

  /// Whether `set_policies` was called.
  [[nodiscard]] bool knows_policies() const noexcept;

  /// The watch shows a node, new or changed.
  void observe_node(const Node& node);
  /// The watch shows that a node is gone.
  void show_node_gone(std::string_view name);

  /// The watch shows a pod, new or changed.
  void observe_pod(const Pod& pod);
  /// The watch shows that a pod is gone; `uid` is that of the one that went.
  void show_pod_gone(std::string_view namespace_, std::string_view name, std::string_view uid);

  /// Whether the watch shows the pod of that uid.
  [[nodiscard]] bool knows_pod(std::string_view namespace_, std::string_view name,
                               std::string_view uid) const noexcept;

  /// The extender answers where a pod may go. The caller chooses the unit of `now`.
  void assume(const Assumption& assumption, std::int64_t now);

  /// Drops assumptions made before that time, and returns how many pods that were.
  std::size_t expire(std::int64_t before);

  /// The number of assumed pods.
  [[nodiscard]] std::size_t assumed() const noexcept;

  /// The waiting pods, by namespace and name. Linear in the pods that wait or are assumed.
  [[nodiscard]] std::vector<WaitingPod> waiting() const;

  /// The counts of all shown and assumed pods.
  [[nodiscard]] const Cluster& cluster() const& noexcept;
  const Cluster& cluster() const&& = delete;  // the reference would outlive the cache

  /// The name of an invalid policy that might apply to the pod.
  [[nodiscard]] Optional<std::string> invalid_policy(const Pod& pod) const;

  /// The pod with this uid that the watch shows as bound to this node, if any. Valid until this value
  /// changes. A pod without a namespace is in `default`.
  [[nodiscard]] Optional<PodName> bound_pod(std::string_view uid,
                                            std::string_view node) const noexcept;

 private:
  struct Impl;

  Impl& impl();  ///< creates the object if there is none

  Owned<Impl> impl_;  ///< no object before anything is known
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/cluster/bound_pods.hpp

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

// schedpol/cluster/node_scores.hpp

/// Scales scores of nodes, so that scores for several criteria can be added up, and picks the best
/// nodes. Scores are at the numbers of a `NodeTable`; those of other nodes stay as they are. Source:
/// kube-scheduler, `DefaultNormalizeScore` and `selectHost`.

namespace SCHEDPOL_NAMESPACE {

/// The highest score for one criterion.
inline constexpr std::int64_t max_node_score = 100;

/// Which of two scores wins.
enum class Better { higher, lower };

/// Scales the scores of `nodes` so that the highest becomes 100, rounded towards zero. If no score is above
/// zero, they stay as they are. If lower is better, each result is subtracted from 100, and all are 100
/// if no score is above zero. Nodes without a score are left out.
[[nodiscard]] std::vector<std::int64_t> normalise_by_highest(std::vector<std::int64_t> scores,
                                                             const NodeSet& nodes,
                                                             Better better = Better::higher);

/// The nodes with the highest score. A node without a score has 0.
[[nodiscard]] NodeSet highest(const std::vector<std::int64_t>& scores, const NodeSet& nodes);

/// The number of one of the `highest` nodes; none if there are no nodes. If there are several, `turn`
/// picks one, so a run is reproducible; kube-scheduler picks one at random.
[[nodiscard]] Optional<std::size_t> choose(const std::vector<std::int64_t>& scores,
                                           const NodeSet& nodes, std::size_t turn = 0);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/cluster/plan.hpp

/// Where the replicas of a workload would go, one after another, under its ResourcePolicy, and in
/// which order they would be scaled down again.
///
/// 1. A replica can go to a node that both kube-scheduler's filters (`BoundPods::filter`) and the policy
///    (`Prefilter::filter`) leave. A replica with scheduling gates waits. Without BoundPods, only the policy
///    decides; the caller has to check capacity, taints and affinities.
/// 2. Among these nodes, the highest score by the policy wins. Ties are broken by the sum of kube-scheduler's
///    other scores with their default weights: tolerated PreferNoSchedule taints (3), preferred node
///    affinity (2), preferred pod affinity (2), free cpu and memory (1). Further ties go to the node with
///    the fewest replicas, then to the first. kube-scheduler itself has more scores (spreading, balance,
///    images), adds the policy's score to the others, and picks at random among equals.
/// 3. A DaemonSet has one replica on each node that its controller picks: the node has the labels and the
///    name that the pod asks for, and the pod tolerates its taints with what the controller adds.
/// 4. Running pods stay. A StatefulSet's pod for an ordinal, and a DaemonSet's pod on a node, already is
///    that replica. If a pod of another owner has the name for an ordinal, the StatefulSet gets no replica
///    with that ordinal. Replicas of other kinds are new, besides the pods that they have, and do not take
///    the name of a bound pod.
/// 5. Scaling down deletes the lowest deletion cost first, among equal ones the latest; for a StatefulSet
///    the highest ordinal first; for a DaemonSet, Job or CronJob nothing.

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// Where one replica goes. If `code` is not `success`, it goes nowhere. If room in a unit would have
/// helped, `reason` is that of the first such node, `UnitFull` or `UnitResourcesExceeded`. Otherwise it is
/// the policy's reason why no node is feasible.
struct Placement {
  std::string pod{};
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::string node{};
  std::optional<std::size_t> unit{};  ///< absent if the node is in no unit
  std::int32_t deletion_cost = 0;
  std::string
      message{};  ///< why it goes nowhere, in kube-scheduler's words; empty if only the policy decides

  friend bool operator==(const Placement&, const Placement&) = default;
};

struct Plan {
  std::vector<Placement> placements{};
  std::vector<std::string> scale_down{};  ///< placed replicas, in the order of deletion

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Plans `replicas` of a pod by the policy alone. Their names are the pod's with `-0`, `-1`, ... The plan
/// binds them in its own copy of `cluster`. A node listed twice counts once; a negative number of replicas is
/// zero. A pod of the cluster with the name of a replica is that replica and is placed again.
[[nodiscard]] Plan plan(Cluster cluster, std::span<const Node> nodes, Pod pod,
                        std::int32_t replicas);

/// Plans by all of these rules, besides the pods that are bound in `cluster` and `pods`. The nodes are those of
/// `pods`; a node that `cluster` does not have is in no unit. `running` has the owners of the bound pods (rule
/// 4); a pod that is not in it does not belong to the workload. A DaemonSet ignores `replicas`. Errors are
/// about the pod's terms, constraints or name.
[[nodiscard]] Result<Plan> plan(Cluster cluster, BoundPods pods, Pod pod, std::int32_t replicas,
                                std::span<const Pod> running = {});

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/cluster.hpp

/// What a scheduler or a simulator asks of many nodes and pods, on top of `schedpol.hpp`. You do not
/// need this header to decide on pods.

#endif  // SCHEDPOL_SINGLE_INCLUDE_CLUSTER

#if (!defined(SCHEDPOL_COMPILED) || defined(SCHEDPOL_IMPLEMENTATION)) && !defined(SCHEDPOL_SINGLE_INCLUDE_CLUSTER_BODIES)
#define SCHEDPOL_SINGLE_INCLUDE_CLUSTER_BODIES

#include <algorithm>
#include <bitset>
#include <iterator>
#include <limits>
#include <set>

// schedpol/cluster/impl/pod_key.hpp

/// Pods by namespace and name.

namespace SCHEDPOL_NAMESPACE::detail {

/// The key of a pod, of whatever has its namespace and name. One without a namespace is in `default`.
template <class Named>
[[nodiscard]] MapKeyView pod_key(const Named& pod) noexcept {
  return {0, namespace_or_default(pod.namespace_), pod.name};
}

/// Of small values for very many pods; others are in a `PersistentMap`.
template <class T>
using ByPod = std::map<MapKey, T, MapKeyOrder>;

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/cluster/impl/counted_pods.hpp

/// The counts of a Cluster by rule 2 of `cluster.hpp`: the pods of one policy on each of its units, and
/// their requests of the resources that units limit, separately for each combination of values of
/// matchLabelKeys. Also the data about each of these pods, and the name of its node.

namespace SCHEDPOL_NAMESPACE::resource_policy::detail {

using schedpol::detail::ByPod;
using schedpol::detail::MapKey;
using schedpol::detail::MapKeyView;
using schedpol::detail::PersistentMap;
using schedpol::detail::pod_key;
using schedpol::detail::TextKey;

/// The values that a pod has of the match label keys. One text, since each policy may have as many as
/// there are pods.
class LabelValues {
 public:
  LabelValues() = default;
  LabelValues(const Labels& labels, const Texts& match_label_keys) {
    for (const std::string& key : match_label_keys) {
      const std::string* value = find_label(labels, key);
      lacks_key_ |= value == nullptr;
      if (value == nullptr) {
        values_.add_missing();
      } else {
        values_.add(*value);
      }
    }
  }

  /// Of a pod that lacks a key: pods of any value of it count for it.
  [[nodiscard]] bool lacks_key() const noexcept { return lacks_key_; }

  /// Whether pods of `other` count for one of these values: equal in what the latter has.
  [[nodiscard]] bool counts(const LabelValues& other) const noexcept {
    if (!lacks_key_) return values_.text() == other.values_.text();
    std::string_view mine = values_.text();
    std::string_view theirs = other.values_.text();
    while (!mine.empty()) {
      const std::optional<std::string_view> wanted = TextKey::next(mine);
      if (TextKey::next(theirs) != wanted && wanted) return false;
    }
    return true;
  }

  friend bool operator<(const LabelValues& a, const LabelValues& b) noexcept {
    return a.values_.text() < b.values_.text();
  }

 private:
  TextKey values_;
  bool lacks_key_ = false;
};

/// A sum of amounts, wide enough that it never saturates: what is added and taken away leaves the
/// sum of the rest.
class WideSum {
 public:
  WideSum& operator+=(std::int64_t amount) noexcept {
    return *this += WideSum(amount < 0 ? -1 : 0, static_cast<std::uint64_t>(amount));
  }
  WideSum& operator+=(const WideSum& other) noexcept {
    low_ += other.low_;
    high_ += other.high_ + (low_ < other.low_ ? 1 : 0);
    return *this;
  }

  /// Of a sum that is not below zero: the nearest int64.
  [[nodiscard]] std::int64_t saturated() const noexcept {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    return high_ != 0 || low_ > std::uint64_t{most} ? most : static_cast<std::int64_t>(low_);
  }

  friend bool operator==(const WideSum&, const WideSum&) = default;

  WideSum() = default;

 private:
  WideSum(std::int64_t high, std::uint64_t low) noexcept : high_(high), low_(low) {}

  std::int64_t high_ = 0;
  std::uint64_t low_ = 0;
};

/// The sums of pods of the same values that are not zero, in the order of their counters. There may be
/// as many different values as pods, each on a few units.
class SparseSums {
 public:
  void add(std::size_t of, std::int64_t more) {
    auto at =
        std::lower_bound(sums_.begin(), sums_.end(), of,
                         [](const auto& sum, std::size_t number) { return sum.first < number; });
    if (at == sums_.end() || at->first != of) at = sums_.insert(at, {of, WideSum()});
    at->second += more;
    if (at->second == WideSum()) sums_.erase(at);
  }

  [[nodiscard]] bool empty() const noexcept { return sums_.empty(); }

  /// Adds them to those of other values.
  void add_to(std::vector<WideSum>& all) const {
    for (const auto& [of, sum] : sums_) all[of] += sum;
  }

 private:
  std::vector<std::pair<std::size_t, WideSum>> sums_;
};

/// The counters of one policy by label values: each unit has one for its pods, and each limit of a unit one
/// for what they request.
class SumsByValues {
 public:
  explicit SumsByValues(std::size_t size) : size_(size) {}

  /// Adds to the counters of these values what `for_each` calls back with: a counter, and how much more or
  /// less.
  template <class ForEach>
  void add(const LabelValues& values, ForEach for_each) {
    const auto at = by_values_.try_emplace(values).first;
    for_each([&](std::size_t of, std::int64_t more) { at->second.add(of, more); });
    if (at->second.empty()) by_values_.erase(at);
  }

  /// What a pod of those values sees. Where it lacks a key, it sees those of several.
  [[nodiscard]] std::vector<WideSum> seen_by(const LabelValues& asking) const {
    std::vector<WideSum> sum(size_);
    if (!asking.lacks_key()) {
      if (const auto found = by_values_.find(asking); found != by_values_.end())
        found->second.add_to(sum);
      return sum;
    }
    for (const auto& [values, sums] : by_values_) {
      if (asking.counts(values)) sums.add_to(sum);
    }
    return sum;
  }

 private:
  std::size_t size_;
  std::map<LabelValues, SparseSums> by_values_;  ///< none of which is empty
};

[[nodiscard]] inline std::vector<std::int64_t> saturated(const std::vector<WideSum>& sums) {
  std::vector<std::int64_t> amounts;
  amounts.reserve(sums.size());
  for (const WideSum& sum : sums) amounts.push_back(sum.saturated());
  return amounts;
}

/// A policy that counts a pod, and the values that the pod has of its keys.
struct CountedBy {
  std::size_t policy = 0;
  LabelValues values{};
};

/// Units of one policy.
using UnitSet = std::bitset<max_units>;

/// What policies make of a pod.
struct CountedPod {
  std::size_t selecting = 0;  ///< policies that select the pod
  std::size_t policy = 0;     ///< one of them
  std::vector<CountedBy> by{};
  Shared<Resources> requests{};  ///< where a policy that counts it limits some
};

/// One that is bound to the node of a slot.
struct BoundPod : CountedPod {
  std::size_t slot = 0;
  std::size_t at = 0;  ///< in the list of the slot
};

/// One that places are reserved for.
struct ReservedPod : CountedPod {
  NodeSet nodes{};
  std::set<std::string> absent_nodes{};  ///< others of them, which are not there now
  std::vector<UnitSet> units{};          ///< of each policy that counts it
};

/// What bears a name that pods are bound to: a node, or one that is not there, or not there yet.
struct PodSlot {
  std::optional<std::size_t> node{};  ///< its number in the table
  std::vector<std::size_t> pods{};
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy::detail

// schedpol/cluster/impl/cluster_impl.hpp

/// The implementation of a Cluster: all nodes, the nodes of every unit, the bound pods and their counts.

namespace SCHEDPOL_NAMESPACE::resource_policy {

struct Cluster::Impl {
  Impl(Shared<CompiledPolicies::Impl> from, std::span<const Node> nodes)
      : compiled(std::move(from)) {
    for (const auto& policy : policies())
      sums.emplace_back(policy.units.size() + policy.limits.size());
    for (const Node& node : nodes) put_into_table(node);
    for (std::size_t i = 0; i < compiled->node_selectors.size(); ++i)
      selected.push_back(table.matching(compiled->node_selectors[i]));
  }

  [[nodiscard]] const std::vector<detail::CompiledPolicy>& policies() const noexcept {
    return compiled->policies;
  }

  [[nodiscard]] const NodeSet& nodes_of(const detail::CompiledUnit& unit) const noexcept {
    return selected[unit.nodes];
  }

  [[nodiscard]] NodeSet nodes_in_units(std::size_t policy) const {
    NodeSet nodes;
    for (const detail::CompiledUnit& unit : policies()[policy].units) nodes |= nodes_of(unit);
    return nodes;
  }

  /// The units of a policy that a node is in.
  [[nodiscard]] detail::UnitSet units_of(std::size_t policy, std::size_t node) const noexcept {
    const std::vector<detail::CompiledUnit>& all = policies()[policy].units;
    detail::UnitSet units;
    for (std::size_t unit = 0; unit < all.size(); ++unit)
      units[unit] = nodes_of(all[unit]).contains(node);
    return units;
  }

  /// Of the units that a node is in that of the highest score, of equals the first.
  [[nodiscard]] std::optional<std::size_t> best_unit(std::size_t policy,
                                                     std::size_t node) const noexcept {
    const detail::CompiledPolicy& of = policies()[policy];
    for (const std::size_t unit : of.best_first)
      if (nodes_of(of.units[unit]).contains(node)) return unit;
    return std::nullopt;
  }

  /// Forgets a slot where nothing is.
  void tidy(std::size_t slot) {
    if (!slots[slot].node && slots[slot].pods.empty()) slots.remove(slot);
  }

  std::size_t put_into_table(const Node& node) {
    std::optional<std::size_t>& number = slots[slots.find_or_add(node.metadata.name)].node;
    if (number) {
      table.replace(*number, node);
    } else {
      number = table.add(node);
    }
    return *number;
  }

  /// Counts the pods of a slot so many times more, where there is a node.
  void count_pods(std::size_t slot, std::int64_t times) {
    for (const std::size_t pod : slots[slot].pods) count(pods[pod], times);
  }
  void count(const detail::BoundPod& pod, std::int64_t times) {
    const std::optional<std::size_t>& node = slots[pod.slot].node;
    if (!node) return;
    ++changes;
    for (const detail::CountedBy& by : pod.by)
      count_on(by, times, requests_of(pod), units_of(by.policy, *node));
  }

  /// Counts a pod so many times more on some units.
  void count_on(const detail::CountedBy& by, std::int64_t times, const Resources& requested,
                const detail::UnitSet& units) {
    sums[by.policy].add(by.values, [&](auto use) {
      for_each_counter(by.policy, requested, units, [&](std::size_t counter, std::int64_t amount) {
        use(counter, times * amount);
      });
    });
  }

  /// Calls `use(counter, amount)` for what a pod on some units adds to the counters of a policy: one to
  /// the pods of each of these units, and what it requests of each resource that they limit. Nothing
  /// is called with zero.
  template <class Use>
  void for_each_counter(std::size_t policy, const Resources& requested,
                        const detail::UnitSet& units, Use use) const {
    const detail::CompiledPolicy& of = policies()[policy];
    for (std::size_t unit = 0; unit < of.units.size(); ++unit)
      if (units[unit]) use(unit, 1);
    for (std::size_t i = 0; i < of.limits.size(); ++i) {
      if (!units[of.limits[i].unit]) continue;
      const std::int64_t amount = schedpol::detail::amount_of(requested, of.limits[i].resource);
      if (amount != 0) use(of.units.size() + i, amount);
    }
  }

  /// Nothing where no policy that counts the pod limits resources.
  [[nodiscard]] static const Resources& requests_of(const detail::CountedPod& pod) noexcept {
    static const Resources nothing;
    return pod.requests ? *pod.requests : nothing;
  }

  /// By counter of the policy, as rule 2 counts for this pod: itself is left out, and so are others.
  [[nodiscard]] std::vector<std::int64_t> seen_by(const Pod& pod, std::size_t policy,
                                                  std::span<const PodName> gone) const {
    const detail::LabelValues values(pod.metadata.labels, policies()[policy].match_label_keys);
    std::vector<detail::WideSum> seen = sums[policy].seen_by(values);
    std::set<detail::MapKeyView> left_out{detail::pod_key(pod.metadata)};
    for (const PodName& name : gone) left_out.insert(detail::pod_key(name));
    for (const detail::MapKeyView& key : left_out) leave_out(key, policy, values, seen);
    return saturated(seen);
  }

  /// Takes a pod out of what the policy counts for a pod of those values: where it is bound, and where it
  /// is reserved.
  void leave_out(const detail::MapKeyView& key, std::size_t policy,
                 const detail::LabelValues& values, std::vector<detail::WideSum>& seen) const {
    const auto leave = [&](const detail::CountedBy& by, const Resources& requested,
                           const detail::UnitSet& units) {
      if (by.policy != policy || !values.counts(by.values)) return;
      for_each_counter(policy, requested, units,
                       [&](std::size_t counter, std::int64_t amount) { seen[counter] += -amount; });
    };
    if (const auto found = bound.find(key); found != bound.end()) {
      const detail::BoundPod& pod = pods[found->second];
      if (const std::optional<std::size_t>& node = slots[pod.slot].node)
        for (const detail::CountedBy& by : pod.by)
          leave(by, requests_of(pod), units_of(policy, *node));
    }
    if (const detail::ReservedPod* const pod = reserved.find(key)) {
      for (std::size_t i = 0; i < pod->by.size(); ++i)
        leave(pod->by[i], requests_of(*pod), pod->units[i]);
    }
  }

  /// `requested` is what the pod requests; null: what it says itself.
  [[nodiscard]] detail::CountedPod counted_pod(const Pod& pod, const Resources* requested) const {
    detail::CountedPod made;
    bool is_limited = false;
    compiled->for_each_selecting(pod, [&](std::size_t i) {
      ++made.selecting;
      made.policy = i;
      const detail::CompiledPolicy& policy = policies()[i];
      if (policy.units.empty()) return;
      if (policy.ignores_terminating_pods && !pod.metadata.deletion_timestamp.empty()) return;
      made.by.push_back({i, detail::LabelValues(pod.metadata.labels, policy.match_label_keys)});
      is_limited |= !policy.limits.empty();
    });
    if (is_limited)
      made.requests =
          Shared(requested == nullptr ? schedpol::requests(pod.spec, pod.status) : *requested);
    return made;
  }

  /// Two pods without a name would be one.
  [[nodiscard]] static bool can_be_counted(const Pod& pod) noexcept {
    return !pod.metadata.name.empty() && !is_terminal(pod);
  }

  /// `requested` as for `counted_pod`.
  void bind(const Pod& pod, std::string_view node, const Resources* requested = nullptr) {
    const detail::MapKeyView key = detail::pod_key(pod.metadata);
    unbind(key);
    if (node.empty() || !can_be_counted(pod)) return;
    detail::BoundPod made{counted_pod(pod, requested)};
    made.slot = slots.find_or_add(node);
    std::vector<std::size_t>& neighbours = slots[made.slot].pods;
    made.at = neighbours.size();
    count(made, 1);
    neighbours.push_back(pods.add(std::move(made)));
    bound[copy_of(key)] = neighbours.back();
  }

  void unbind(const detail::MapKeyView& key) {
    const auto found = bound.find(key);
    if (found == bound.end()) return;
    const detail::BoundPod& pod = pods[found->second];
    const std::size_t slot = pod.slot;
    count(pod, -1);
    std::vector<std::size_t>& neighbours = slots[slot].pods;
    neighbours[pod.at] = neighbours.back();
    pods[neighbours.back()].at = pod.at;
    neighbours.pop_back();
    pods.remove(found->second);
    bound.erase(found);
    tidy(slot);
  }

  /// `requested` as for `counted_pod`; `absent_nodes` are more nodes, which are not there now.
  void reserve(const Pod& pod, const NodeSet& nodes, const Resources* requested = nullptr,
               const std::set<std::string>& absent_nodes = {}) {
    const detail::MapKeyView key = detail::pod_key(pod.metadata);
    unreserve(key);
    if (!can_be_counted(pod)) return;
    detail::ReservedPod made{counted_pod(pod, requested), nodes & table.nodes(), absent_nodes};
    NodeSet both;  // once, so that its memory serves all units
    for (const detail::CountedBy& by : made.by) {
      detail::UnitSet& units = made.units.emplace_back();
      const std::vector<detail::CompiledUnit>& all = policies()[by.policy].units;
      for (std::size_t unit = 0; unit < all.size(); ++unit) {
        both = nodes;
        both &= nodes_of(all[unit]);
        units[unit] = !both.empty();
      }
      count_on(by, 1, requests_of(made), units);
    }
    ++changes;
    reserved[key] = std::move(made);
  }

  void unreserve(const detail::MapKeyView& key) {
    const detail::ReservedPod* const pod = reserved.find(key);
    if (pod == nullptr) return;
    for (std::size_t i = 0; i < pod->by.size(); ++i)
      count_on(pod->by[i], -1, requests_of(*pod), pod->units[i]);
    ++changes;
    reserved.erase(key);
  }

  /// The pods with a place reserved on a node count on the units that it is in now, too.
  void reserve_new_units(std::size_t node, const std::string& name) {
    for (const detail::MapKey& key : reserved.keys()) {
      detail::ReservedPod& pod = reserved[view(key)];
      if (pod.absent_nodes.erase(name) > 0) pod.nodes.insert(node);
      if (!pod.nodes.contains(node)) continue;
      for (std::size_t i = 0; i < pod.by.size(); ++i) {
        const detail::UnitSet added = units_of(pod.by[i].policy, node) & ~pod.units[i];
        pod.units[i] |= added;
        count_on(pod.by[i], 1, requests_of(pod), added);
      }
    }
  }

  /// A node has its number no longer; the places on it are reserved all the same.
  void keep_reserved_by_name(std::size_t node, std::string_view name) {
    for (const detail::MapKey& key : reserved.keys()) {
      detail::ReservedPod& pod = reserved[view(key)];
      if (!pod.nodes.contains(node)) continue;
      pod.nodes.erase(node);
      pod.absent_nodes.emplace(name);
    }
  }

  Shared<CompiledPolicies::Impl> compiled;
  NodeTable table;
  std::vector<NodeSet> selected;           ///< by node selector
  std::vector<detail::SumsByValues> sums;  ///< by policy
  schedpol::detail::NamedSlots<detail::PodSlot> slots;
  schedpol::detail::Slots<detail::BoundPod> pods;
  detail::ByPod<std::size_t> bound;
  detail::PersistentMap<detail::ReservedPod> reserved;
  std::uint64_t changes = 0;  ///< of what prefilters rest on
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/cluster/impl/assume_cache.ipp

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// What counting needs of a pod, which is a small part of it.
struct ObservedPod {
  std::string uid{};
  Labels labels{};
  std::string node{};  ///< where it is bound; empty: nowhere
  std::string nominated{};
  Resources requests{};
  bool terminal = false;
  bool terminating = false;

  [[nodiscard]] bool is_counted() const noexcept { return !node.empty() && !terminal; }
  [[nodiscard]] bool may_be_bound() const noexcept { return node.empty() && !terminal; }
  [[nodiscard]] bool is_nominated() const noexcept { return may_be_bound() && !nominated.empty(); }

  friend bool operator==(const ObservedPod&, const ObservedPod&) = default;
};

inline ObservedPod shown_pod(const Pod& pod) {
  return {pod.metadata.uid,
          pod.metadata.labels,
          pod.spec.node_name,
          pod.status.nominated_node_name,
          requests(pod.spec, pod.status),
          is_terminal(pod),
          !pod.metadata.deletion_timestamp.empty()};
}

/// A pod that is counted like the one that was shown.
inline Pod pod_of(const MapKeyView& key, const ObservedPod& shown) {
  Pod pod;
  pod.metadata = {.name = std::string(key.second),
                  .namespace_ = std::string(key.first),
                  .labels = shown.labels};
  if (shown.terminating) pod.metadata.deletion_timestamp = "terminating";
  return pod;
}

/// A pod that the scheduler was told of: it is assumed, on nodes that its cluster knows, or no node
/// could take it, and it waits.
struct PendingPod {
  Pod pod{};
  std::optional<std::int64_t> assumed_since{};  ///< none: it waits
  NodeSet refused{};                            ///< of those that are still there
  std::string reason{};
};

/// The pods that an invalid policy might be for.
struct InvalidPolicy {
  std::string name{};
  LabelMatcher pods{};
};

inline FieldError counting_costs_too_much(const ResourcePolicy& policy, std::size_t number,
                                          std::size_t together) {
  return {ErrorType::too_many, FieldPath{"policies"}.index(number).join({"spec"}),
          std::to_string(together),
          "with the policies before it in its namespace: policies, units, twice what those limit "
          "and four times the match label keys must be at most " +
              std::to_string(max_namespace_counting_cost) + " (in " +
              in_backticks(policy.metadata.name) + ")"};
}

}  // namespace detail

struct AssumeCache::Impl {
  /// The name of an invalid policy that might be for the pod.
  [[nodiscard]] Optional<std::string> invalid_policy_for(const Pod& pod) const {
    const auto* const found = invalid.find({0, namespace_of(pod.metadata), {}});
    if (found == nullptr) return std::nullopt;
    for (const detail::InvalidPolicy& policy : *found) {
      if (policy.pods.matches(pod.metadata.labels)) return policy.name;
    }
    return std::nullopt;
  }

  /// The pod is no longer shown like this.
  void take_out(const detail::ObservedPod& pod) {
    by_uid.erase({0, pod.uid, {}});
    if (!pod.is_nominated()) return;
    const auto nominees = nominated.find(pod.nominated);
    if (--nominees->second == 0) nominated.erase(nominees);
  }

  /// Counts a pod as it is shown; what is assumed of it stays reserved.
  void count(const detail::MapKeyView& key) {
    if (!cluster.impl_) return;
    const detail::ObservedPod* const shown = pods.find(key);
    if (shown != nullptr && shown->is_counted()) {
      cluster.impl_->bind(detail::pod_of(key, *shown), shown->node, &shown->requests);
    } else {
      cluster.impl_->unbind(key);
    }
    reserve_nominated(key);
  }

  /// Reserves the place of a pod on the node that it is nominated to, if it is. Where it is assumed
  /// the places that it has stay.
  void reserve_nominated(const detail::MapKeyView& key) {
    const detail::PendingPod* const known = pending.find(key);
    if (known != nullptr && known->assumed_since) return;
    const detail::ObservedPod* const shown = pods.find(key);
    if (shown != nullptr && shown->is_nominated()) {
      if (const auto number = cluster.nodes().find(shown->nominated)) {
        NodeSet nominee;
        nominee.insert(*number);
        return cluster.impl_->reserve(detail::pod_of(key, *shown), nominee, &shown->requests);
      }
    }
    cluster.unreserve(key.first, key.second);
  }

  /// What is assumed is reserved in another cluster as it is in this one, whose nodes may have other
  /// numbers.
  void reserve_assumed_in(Cluster& other) const {
    if (!cluster.impl_) return;  // no policies were known
    pending.for_each_entry([&](const detail::MapKey& key, const detail::PendingPod& known) {
      const detail::ReservedPod* const held = cluster.impl_->reserved.find(view(key));
      if (!known.assumed_since || held == nullptr) return;
      const NodeSet numbers = renumbered(held->nodes, other);
      other.impl_->reserve(known.pod, numbers, nullptr, held->absent_nodes);
    });
  }

  /// The numbers that nodes have in another cluster.
  [[nodiscard]] NodeSet renumbered(const NodeSet& of, const Cluster& other) const {
    NodeSet numbers;
    for (const std::size_t node : of) {
      const auto number = other.nodes().find(cluster.nodes().name(node));
      if (number) numbers.insert(*number);
    }
    return numbers;
  }

  bool knows_policies = false;
  Cluster cluster{CompiledPolicies(), {}, {}};
  std::map<std::string, Labels, std::less<>> nodes;                   ///< their labels, by name
  detail::PersistentMap<std::vector<detail::InvalidPolicy>> invalid;  ///< by namespace
  detail::PersistentMap<detail::ObservedPod> pods;
  detail::PersistentMap<detail::PendingPod> pending;
  std::map<std::string, std::size_t, std::less<>> nominated;  ///< by node, how many pods
  detail::PersistentMap<detail::MapKey> by_uid;               ///< those that are bound
};

SCHEDPOL_INLINE AssumeCache::Impl& AssumeCache::impl() {
  if (!impl_) impl_ = Owned<Impl>(Impl());
  return *impl_;
}

SCHEDPOL_INLINE std::vector<FieldError> AssumeCache::set_policies(
    std::span<const ResourcePolicy> policies) {
  Impl& state = impl();
  const FieldPath list{"policies"};
  std::vector<FieldError> errors;
  std::vector<ResourcePolicy> valid;
  std::map<std::string_view, std::size_t> used;  // of the valid ones, by namespace
  state.invalid = {};
  for (std::size_t i = 0; i < policies.size(); ++i) {
    std::vector<FieldError> found = compile(policies.subspan(i, 1)).errors();
    for (FieldError& error : found) error.field = list.index(i).join(error.field.below(2));
    if (found.empty()) {
      std::size_t& before = used[namespace_of(policies[i].metadata)];
      const std::size_t together = before + counting_cost(policies[i].spec);
      if (together <= max_namespace_counting_cost) {
        before = together;
        valid.push_back(policies[i]);
        continue;
      }
      found.push_back(detail::counting_costs_too_much(policies[i], i, together));
    }
    state.invalid[{0, namespace_of(policies[i].metadata), {}}].push_back(
        {policies[i].metadata.name,
         schedpol::detail::widest_matcher(policies[i].spec.pod_selector)});
    schedpol::detail::append(errors, std::move(found));
  }
  // Each of them compiled alone, and none looks at another: so there is a value.
  Cluster counted(*compile(valid), {}, {});
  for (const auto& [name, labels] : state.nodes)
    counted.add_node({.metadata = {.name = name, .labels = labels}});
  state.reserve_assumed_in(counted);
  for (const detail::MapKey& key : state.pending.keys()) {
    NodeSet& refused = state.pending[view(key)].refused;
    refused = state.renumbered(refused, counted);
  }
  state.cluster = std::move(counted);
  state.knows_policies = true;
  state.pods.for_each_entry(
      [&](const detail::MapKey& key, const detail::ObservedPod&) { state.count(view(key)); });
  return errors;
}

SCHEDPOL_INLINE bool AssumeCache::knows_policies() const noexcept {
  return impl_ && impl_->knows_policies;
}

SCHEDPOL_INLINE void AssumeCache::observe_node(const Node& node) {
  Impl& state = impl();
  const std::string& name = node.metadata.name;
  const Labels& labels = node.metadata.labels;
  const auto [at, is_new] = state.nodes.try_emplace(name);
  if (!is_new && at->second == labels) return;
  at->second = labels;
  state.cluster.add_node({.metadata = {.name = name, .labels = labels}});
  if (!is_new || !state.nominated.contains(name)) return;
  state.pods.for_each_entry([&](const detail::MapKey& key, const detail::ObservedPod& pod) {
    if (pod.nominated == name) state.reserve_nominated(view(key));
  });
}

SCHEDPOL_INLINE void AssumeCache::show_node_gone(std::string_view name) {
  if (!impl_) return;
  if (const auto number = impl_->cluster.nodes().find(name))
    for (const detail::MapKey& key : impl_->pending.keys())
      impl_->pending[view(key)].refused.erase(*number);
  impl_->cluster.remove_node(name);
  if (const auto found = impl_->nodes.find(name); found != impl_->nodes.end())
    impl_->nodes.erase(found);
}

SCHEDPOL_INLINE void AssumeCache::observe_pod(const Pod& pod) {
  Impl& state = impl();
  const detail::MapKeyView key = detail::pod_key(pod.metadata);
  detail::ObservedPod shown = detail::shown_pod(pod);
  detail::ObservedPod& before = state.pods[key];
  if (before == shown) return;
  state.take_out(before);
  if (before.uid != shown.uid || !shown.may_be_bound()) state.pending.erase(key);
  before = std::move(shown);
  if (before.is_counted()) state.by_uid[{0, before.uid, {}}] = copy_of(key);
  if (before.is_nominated()) ++state.nominated[before.nominated];
  state.count(key);
}

SCHEDPOL_INLINE void AssumeCache::show_pod_gone(std::string_view namespace_, std::string_view name,
                                                std::string_view uid) {
  if (!impl_) return;
  Impl& state = *impl_;
  const detail::MapKeyView key = detail::pod_key(PodName{namespace_, name});
  const detail::ObservedPod* const shown = state.pods.find(key);
  if (shown == nullptr || shown->uid != uid) return;
  state.pending.erase(key);
  state.take_out(*shown);
  state.pods.erase(key);
  state.count(key);
}

SCHEDPOL_INLINE bool AssumeCache::knows_pod(std::string_view namespace_, std::string_view name,
                                            std::string_view uid) const noexcept {
  if (!impl_) return false;
  const detail::ObservedPod* const shown =
      impl_->pods.find(detail::pod_key(PodName{namespace_, name}));
  return shown != nullptr && shown->uid == uid;
}

SCHEDPOL_INLINE void AssumeCache::assume(const Assumption& assumption, std::int64_t now) {
  Impl& state = impl();
  const ObjectMeta& pod = assumption.pod.metadata;
  const detail::MapKeyView key = detail::pod_key(pod);
  const detail::ObservedPod* const shown = state.pods.find(key);
  if (shown == nullptr || shown->uid != pod.uid || !shown->may_be_bound()) return;
  state.pending.erase(key);
  if (!assumption.nodes.empty()) {
    state.cluster.reserve(assumption.pod, assumption.nodes);
    state.pending[key] = {.pod = assumption.pod, .assumed_since = now};
    return;
  }
  if (!assumption.refused.empty())
    state.pending[key] = {
        .pod = assumption.pod, .refused = assumption.refused, .reason = assumption.reason};
  state.reserve_nominated(key);
}

SCHEDPOL_INLINE std::size_t AssumeCache::expire(std::int64_t before) {
  if (!impl_) return 0;
  Impl& state = *impl_;
  std::size_t expired = 0;
  for (const detail::MapKey& key : state.pending.keys()) {
    const std::optional<std::int64_t>& since = state.pending.find(view(key))->assumed_since;
    if (!since || *since >= before) continue;
    state.pending.erase(view(key));
    state.reserve_nominated(view(key));
    ++expired;
  }
  return expired;
}

SCHEDPOL_INLINE std::size_t AssumeCache::assumed() const noexcept {
  std::size_t assumed = 0;
  if (impl_)
    impl_->pending.for_each(
        [&](const detail::PendingPod& pod) { assumed += pod.assumed_since ? 1 : 0; });
  return assumed;
}

SCHEDPOL_INLINE std::vector<WaitingPod> AssumeCache::waiting() const {
  std::vector<WaitingPod> all;
  if (!impl_) return all;
  const Impl& state = *impl_;
  for (const detail::MapKey& key : state.pending.keys()) {
    const auto& [pod, assumed_since, refused, reason] = *state.pending.find(view(key));
    if (assumed_since) continue;
    const Prefilter prefilter = state.cluster.prefilter(pod);
    const bool fits = !state.invalid_policy_for(pod) && !(prefilter.feasible() & refused).empty();
    all.push_back({pod.metadata.namespace_, pod.metadata.name, pod.metadata.uid,
                   std::string(prefilter.policy()), reason, fits});
  }
  return all;
}

SCHEDPOL_INLINE const Cluster& AssumeCache::cluster() const& noexcept {
  static const Cluster none(CompiledPolicies(), {}, {});
  return impl_ ? impl_->cluster : none;
}

SCHEDPOL_INLINE Optional<std::string> AssumeCache::invalid_policy(const Pod& pod) const {
  return impl_ ? impl_->invalid_policy_for(pod) : std::nullopt;
}

SCHEDPOL_INLINE Optional<PodName> AssumeCache::bound_pod(std::string_view uid,
                                                         std::string_view node) const noexcept {
  if (!impl_) return std::nullopt;
  const detail::MapKey* const key = impl_->by_uid.find({0, uid, {}});
  if (key == nullptr || impl_->pods.find(view(*key))->node != node) return std::nullopt;
  return PodName{key->first, key->second};
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/cluster/impl/pod_equivalence_class.hpp

/// Bound pods that are equal in everything that other pods' terms can select. A selector or affinity term
/// matches all of them or none, so replicas are matched once.

namespace SCHEDPOL_NAMESPACE::detail {

/// A term of the affinity or anti-affinity of a pod, made for matching.
struct AffinityTerm {
  enum class Kind { required_affinity, required_anti_affinity, preferred };

  std::size_t pods = 0;  ///< of a term of bound pods: their number in the `AlikePodsTable`
  Kind kind = Kind::preferred;
  std::int64_t weight = 0;  ///< below zero for anti-affinity
  std::string topology_key{};
  PodAffinityMatcher matcher{};
  SelectionCriteria criteria{};  ///< of the pods that it selects
};

/// All terms of a pod. What is wrong with them goes to `errors`.
inline std::vector<AffinityTerm> affinity_terms(const Pod& pod, FieldErrors& errors) {
  using Kind = AffinityTerm::Kind;
  std::vector<AffinityTerm> terms;
  if (!pod.spec.affinity) return terms;
  const auto add = [&](const PodAffinityTerm& from, Kind kind, std::int64_t weight,
                       const FieldPath& field) {
    auto matcher = compile(from, pod, field);
    errors.append(matcher.errors());
    if (!matcher) return;
    AffinityTerm& term = terms.emplace_back();
    term.kind = kind;
    term.weight = weight;
    term.topology_key = from.topology_key;
    term.matcher = *std::move(matcher);
    std::optional<LabelSelector> selector = from.label_selector;
    add_label_keys(selector, from.match_label_keys, LabelSelectorOperator::in, pod.metadata.labels);
    term.criteria.selected(IndexKeyKind::label, selector);
    if (from.namespace_selector) return;
    term.criteria.in_namespaces(from.namespaces.empty() ? Texts{namespace_of(pod.metadata)}
                                                        : from.namespaces);
  };
  const auto add_all = [&](const std::optional<PodAffinity>& affinity, Kind required,
                           std::int64_t sign, std::string_view name) {
    if (!affinity) return;
    const FieldPath field = field_path(pod.kind, {"spec", "affinity", name});
    std::size_t index = 0;
    for (const auto& term : affinity->required_during_scheduling_ignored_during_execution)
      add(term, required, 1, field.child(required_mode).index(index++));
    index = 0;
    for (const auto& term : affinity->preferred_during_scheduling_ignored_during_execution) {
      const FieldPath at = field.child(preferred_mode).index(index++).child("podAffinityTerm");
      if (is_valid_weight(term.weight))
        add(term.pod_affinity_term, Kind::preferred, sign * term.weight, at);
    }
  };
  add_all(pod.spec.affinity->pod_affinity, Kind::required_affinity, 1, "podAffinity");
  add_all(pod.spec.affinity->pod_anti_affinity, Kind::required_anti_affinity, -1,
          "podAntiAffinity");
  return terms;
}

/// What pods request, and what they do where allocation is scored.
struct Requested {
  Resources resources{};
  Resources scored{};
};

struct PodEquivalenceClass {
  Pod pod{};              ///< as far as others look at it
  Requested requested{};  ///< by each
  /// How many are on each node, by the slots that `BoundPods` gives nodes.
  std::map<std::size_t, std::int64_t> on{};
  std::vector<Shared<AffinityTerm>> terms{};
};

/// All bound pods, the alike ones together, by number.
class AlikePodsTable {
 public:
  [[nodiscard]] const PodEquivalenceClass& operator[](std::size_t number) const noexcept {
    return all_[number];
  }

  /// Counts a pod on a node. Returns the number of those that are like it.
  std::size_t add(const Pod& pod, std::vector<AffinityTerm> terms, Requested requested,
                  std::size_t slot) {
    const std::size_t number = all_.find_or_add(key_of(pod, requested));
    PodEquivalenceClass& alike = all_[number];
    const bool is_new = alike.on.empty();
    ++alike.on[slot];
    if (!is_new) return number;
    alike.pod.metadata.namespace_ = namespace_of(pod.metadata);
    alike.pod.metadata.labels = pod.metadata.labels;
    alike.pod.metadata.deletion_timestamp = pod.metadata.deletion_timestamp;
    alike.requested = std::move(requested);
    for_each_clue(alike.pod, [&](const MapKeyView& clue) { by_clue_[clue].push_back(number); });
    for (AffinityTerm& term : terms) {
      term.pods = number;
      alike.terms.emplace_back(std::move(term));
      of_others_.add(alike.terms.back(), alike.terms.back()->criteria);
    }
    return number;
  }

  /// Takes a pod away that was added; with the last of them they are gone. Returns what it requested.
  Requested remove(std::size_t number, std::size_t slot) {
    PodEquivalenceClass& alike = all_[number];
    Requested requested = alike.requested;
    if (--alike.on[slot] == 0) alike.on.erase(slot);
    if (!alike.on.empty()) return requested;
    for_each_clue(alike.pod, [&](const MapKeyView& clue) {
      Numbers& numbers = by_clue_[clue];
      std::erase(numbers, number);
      if (numbers.empty()) by_clue_.erase(clue);
    });
    for (const Shared<AffinityTerm>& term : alike.terms) of_others_.remove(*term, term->criteria);
    all_.remove(number);
    return requested;
  }

  /// Calls `use(alike, pods)` for those on a node.
  template <class Use>
  void for_each_on(std::size_t slot, Use use) {
    for (std::size_t number = 0; number < all_.size(); ++number) {
      PodEquivalenceClass& alike = all_[number];
      if (const auto at = alike.on.find(slot); at != alike.on.end()) use(alike, at->second);
    }
  }

  /// Calls `use` with all pods that may be selected, and with some that are not: the matcher has to be
  /// asked still.
  template <class Use>
  void for_each(const SelectionCriteria& criteria, Use use) const {
    const AnyOfKeys* const best = criteria.least([&](const AnyOfKeys& criterion) {
      std::size_t numbers = 0;
      for (const MapKey& key : criterion) numbers += numbers_at(key).size();
      return numbers;
    });
    if (best == nullptr) {
      for (std::size_t number = 0; number < all_.size(); ++number) use(all_[number]);
      return;
    }
    for (const MapKey& key : *best)
      for (const std::size_t number : numbers_at(key)) use(all_[number]);
  }

  /// Calls `use` with the terms of bound pods that select this one.
  template <class Use>
  void for_each_term_about(const Pod& pod, const Labels& namespace_labels, Use use) const {
    const Selectable about{namespace_of(pod.metadata), &pod.metadata.labels, nullptr,
                           &namespace_labels};
    of_others_.for_each_candidate(about, [&](const AffinityTerm& term) {
      if (term.matcher.matches(pod, namespace_labels)) use(term);
    });
  }

 private:
  using Numbers = std::vector<std::size_t>;

  /// Calls `use` with what a criterion may name of a pod.
  template <class Use>
  static void for_each_clue(const Pod& pod, Use use) {
    use({static_cast<char>(IndexKeyKind::namespace_), pod.metadata.namespace_, {}});
    for (const auto& [key, value] : pod.metadata.labels)
      use({static_cast<char>(IndexKeyKind::label), key, value});
  }

  [[nodiscard]] const Numbers& numbers_at(const MapKey& key) const noexcept {
    static const Numbers none;
    const Numbers* const found = by_clue_.find(view(key));
    return found == nullptr ? none : *found;
  }

  /// Different for pods that are not alike.
  static std::string key_of(const Pod& pod, const Requested& requested) {
    TextKey key;
    const auto add_all = [&](const Resources& resources) {
      for (const std::int64_t amount :
           {resources.milli_cpu, resources.memory, resources.ephemeral_storage})
        key.add(std::to_string(amount));
      key.add(std::to_string(resources.scalar.size()));
      for (const auto& [name, amount] : resources.scalar) key.add(name).add(std::to_string(amount));
    };
    key.add(namespace_of(pod.metadata));
    key.add(std::to_string(pod.metadata.labels.size()));
    for (const auto& [name, value] : pod.metadata.labels) key.add(name).add(value);
    key.add(pod.metadata.deletion_timestamp.empty() ? "" : "terminating");
    add_all(requested.resources);
    add_all(requested.scored);
    if (!pod.spec.affinity) return std::move(key).text();
    key.add(pod.spec.affinity->pod_affinity ? to_string(*pod.spec.affinity->pod_affinity) : "");
    key.add(pod.spec.affinity->pod_anti_affinity ? to_string(*pod.spec.affinity->pod_anti_affinity)
                                                 : "");
    return std::move(key).text();
  }

  NamedSlots<PodEquivalenceClass> all_;
  PersistentMap<Numbers> by_clue_;
  SelectorIndex<AffinityTerm> of_others_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/cluster/impl/spread_constraint.hpp

/// A topology spread constraint compiled for counting: rule 2 of `cluster/bound_pods.hpp` for a pod or node.

namespace SCHEDPOL_NAMESPACE::detail {

/// A constraint that says DoNotSchedule.
struct SpreadConstraint {
  std::string key{};
  std::int64_t max_skew = 0;
  std::size_t min_domains = 1;
  bool honors_affinity = true;
  bool honors_taints = false;
  std::optional<LabelSelector> selector{};  ///< with the label keys; none where it counts nobody
  LabelMatcher matcher{};
  std::int64_t itself = 0;  ///< 1 where the pod itself matches

  /// What skew is measured from, where the emptiest of so many domains has so many pods.
  [[nodiscard]] std::int64_t lowest(std::size_t domains, std::int64_t emptiest) const noexcept {
    return domains < min_domains ? 0 : emptiest;
  }
};

/// Those of a pod. What is wrong with their selectors goes to `errors`.
inline std::vector<SpreadConstraint> spread_constraints(const Pod& pod, FieldErrors& errors) {
  std::vector<SpreadConstraint> constraints;
  const auto& listed = pod.spec.topology_spread_constraints;
  for (std::size_t index = 0; index < listed.size(); ++index) {
    const TopologySpreadConstraint& from = listed[index];
    if (from.when_unsatisfiable != WhenUnsatisfiable::do_not_schedule) continue;
    std::optional<LabelSelector> selector = from.label_selector;
    add_label_keys(selector, from.match_label_keys, LabelSelectorOperator::in, pod.metadata.labels);
    const FieldPath field = field_path(pod.kind, {"spec", "topologySpreadConstraints"});
    auto matcher = compile(selector, field.index(index).child("labelSelector"));
    errors.append(matcher.errors());
    if (!matcher) continue;
    SpreadConstraint& constraint = constraints.emplace_back();
    constraint.key = from.topology_key;
    constraint.max_skew = from.max_skew;
    constraint.min_domains = static_cast<std::size_t>(std::max(from.min_domains.value_or(1), 1));
    constraint.honors_affinity = from.node_affinity_policy == NodeInclusionPolicy::unset ||
                                 from.node_affinity_policy == NodeInclusionPolicy::honor;
    constraint.honors_taints = from.node_taints_policy == NodeInclusionPolicy::honor;
    constraint.matcher = *std::move(matcher);
    constraint.itself = constraint.matcher.matches(pod.metadata.labels) ? 1 : 0;
    if (selector && !(selector->match_labels.empty() && selector->match_expressions.empty()))
      constraint.selector = std::move(selector);
  }
  return constraints;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/cluster/impl/bound_pods_impl.hpp

/// The implementation of `BoundPods`. A node keeps its slot while pods are bound to it, even if it is removed.

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// What a pod requests where allocation is scored: a container without a request for cpu or memory counts with
/// kube-scheduler's DefaultMilliCPURequest and DefaultMemoryRequest. The status is that of a bound pod.
inline Resources scored_requests(const PodSpec& spec, const PodStatus& status = {}) {
  const auto fill = [](ResourceList& requests, const ResourceList& limits = {}) {
    for (const auto& [name, amount] : {std::pair("cpu", "100m"), std::pair("memory", "200Mi")})
      if (!limits.contains(name)) requests.try_emplace(name, *Quantity::parse(amount));
  };
  PodSpec filled{.overhead = spec.overhead,
                 .init_containers = spec.init_containers,
                 .containers = spec.containers,
                 .resources = defaulted_pod_level(spec)};
  for (std::vector<Container>* containers : {&filled.init_containers, &filled.containers})
    for (auto& [name, resources, restart_policy] : *containers)
      fill(resources.requests, resources.limits);
  PodStatus had = status;
  for (auto* statuses : {&had.init_container_statuses, &had.container_statuses})
    for (ContainerStatus& container : *statuses)
      for (ResourceList* said : {&container.allocated_resources, &container.resources.requests})
        if (!said->empty()) fill(*said);
  Resources scored;
  const Resources all = requests(filled, had);
  scored.milli_cpu = all.milli_cpu;
  scored.memory = all.memory;
  return scored;
}

inline void add_to(Requested& sum, const Requested& more) {
  sum.resources += more.resources;
  sum.scored += more.scored;
}

/// Whether a sum may be less than what was added up.
inline bool is_at_bound(const Resources& sum) noexcept {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return sum.milli_cpu == most || sum.memory == most || sum.ephemeral_storage == most ||
         any_of(sum.scalar, [](const auto& one) { return one.second == most; });
}

/// Of a node, close together, what every pod asks about; numbers that are too large are cut off.
struct NodeResources {
  std::int64_t milli_cpu = 0;  ///< left
  std::int64_t memory = 0;     ///< left
  std::int64_t pods = 0;       ///< left
  std::int64_t allocatable_milli_cpu = 0;
  std::int64_t allocatable_memory = 0;
  std::int64_t scored_milli_cpu = 0;  ///< used
  std::int64_t scored_memory = 0;     ///< used

  /// Whether what is asked of the three is there.
  [[nodiscard]] bool holds(const Resources& requested) const noexcept {
    return (requested.milli_cpu <= 0 || requested.milli_cpu <= milli_cpu) &&
           (requested.memory <= 0 || requested.memory <= memory) && requested.pods <= pods;
  }
};

/// How much of what there is that is, from 0 to 100, rounded towards zero.
inline std::int64_t percentage(std::int64_t part, std::int64_t whole) noexcept {
  if (part <= 0) return 0;
  if (part >= whole) return max_node_score;
  if (whole > std::numeric_limits<std::int64_t>::max() / (max_node_score + 1))
    return part / (whole / max_node_score);
  // A division of doubles takes a third of the time of one of integers, and is off by one at most.
  const std::int64_t scaled = part * max_node_score;
  const auto about =
      static_cast<std::int64_t>(static_cast<double>(scaled) / static_cast<double>(whole));
  return about * whole > scaled ? about - 1 : (about + 1) * whole <= scaled ? about + 1 : about;
}

/// A node, and the pods that are bound to one of its name, whether or not it is there.
struct NodeInfo {
  std::optional<std::size_t> node{};  ///< its number, while it is there
  Labels labels{};
  std::vector<Taint> taints{};
  Resources allocatable{};
  Requested requested{};
  std::size_t pods = 0;
};

/// The domains of one topology key: nodes, told by their slots, are in one domain when they have the
/// same value. Domains have small numbers, which are those of others once nobody has their value.
class Topology {
 public:
  static constexpr std::size_t no_domain = static_cast<std::size_t>(-1);

  /// Of a node without the label.
  [[nodiscard]] std::size_t domain_of(std::size_t slot) const noexcept {
    return slot < domain_of_.size() ? domain_of_[slot] : no_domain;
  }
  /// All domains have a lower number.
  [[nodiscard]] std::size_t size() const noexcept { return nodes_.size(); }
  [[nodiscard]] bool empty() const noexcept { return nodes_.empty(); }

  /// Of a node that is in no domain yet.
  void add(std::size_t slot, const std::string& value) {
    const std::size_t domain = nodes_.find_or_add(value);
    ++nodes_[domain];
    if (domain_of_.size() <= slot) domain_of_.resize(slot + 1, no_domain);
    domain_of_[slot] = domain;
  }

  /// Of a node that was added.
  void remove(std::size_t slot) {
    const std::size_t domain = std::exchange(domain_of_[slot], no_domain);
    if (--nodes_[domain] == 0) nodes_.remove(domain);
  }

 private:
  NamedSlots<std::size_t> nodes_;       ///< by domain, whose name is the value, how many
  std::vector<std::size_t> domain_of_;  ///< by slot
};

/// Sums by the domains of one topology key.
struct DomainSums {
  const Topology* topology = nullptr;
  std::vector<std::int64_t> sums{};

  void add(std::size_t slot, std::int64_t more) {
    if (topology->domain_of(slot) == Topology::no_domain) return;
    sums.resize(topology->size());
    sums[topology->domain_of(slot)] += more;
  }
  /// Zero where nothing was added.
  [[nodiscard]] std::int64_t at(std::size_t slot) const noexcept {
    const std::size_t domain = topology->domain_of(slot);
    return domain < sums.size() ? sums[domain] : 0;
  }
};

}  // namespace detail

struct BoundPods::Impl {
  struct BoundPod {
    std::size_t alike = 0;
    std::size_t slot = 0;
  };

  NodeTable table;
  std::vector<std::size_t> slot_of;              ///< by number of a node
  std::vector<detail::NodeResources> resources;  ///< by number of a node
  detail::NamedSlots<detail::NodeInfo> node_infos;
  std::map<std::string, detail::Topology, std::less<>> topologies;
  detail::AlikePodsTable pods;
  detail::ByPod<BoundPod> bound;
  std::map<std::string, Labels, std::less<>> namespaces;
  NodeSet unschedulable;

  /// The nodes of which every taint is tolerated; being unschedulable is none here.
  NodeSet tolerated_taints(std::span<const Toleration> tolerations) const {
    NodeSet tolerated = table.tolerated_by(tolerations);
    for (const std::size_t node : unschedulable)
      if (tolerates_all(tolerations, node_infos[slot_of[node]].taints)) tolerated.insert(node);
    return tolerated;
  }

  /// Sums of several terms, those of one topology key together.
  using SumsByKey = std::map<std::string, detail::DomainSums>;
  detail::DomainSums& sums_of(const std::string& key, SumsByKey& by_key) const {
    return by_key.try_emplace(key, detail::DomainSums{&topology(key)}).first->second;
  }

  void remove_if_unused(std::size_t slot) {
    if (!node_infos[slot].node && node_infos[slot].pods == 0) node_infos.remove(slot);
  }

  /// Without domains where no node has the key.
  const detail::Topology& topology(const std::string& key) const noexcept {
    static const detail::Topology none;
    const auto found = topologies.find(key);
    return found == topologies.end() ? none : found->second;
  }

  /// The nodes that are in a domain.
  NodeSet nodes_in(const detail::Topology& topology) const {
    NodeSet nodes;
    for (const std::size_t node : table.nodes())
      if (topology.domain_of(slot_of[node]) != detail::Topology::no_domain) nodes.insert(node);
    return nodes;
  }

  void remove_labels(std::size_t slot) {
    for (const auto& [key, value] : node_infos[slot].labels) {
      const auto topology = topologies.find(key);
      topology->second.remove(slot);
      if (topology->second.empty()) topologies.erase(topology);
    }
  }

  const Labels& labels_of(std::string_view namespace_) const noexcept {
    static const Labels none;
    const auto found = namespaces.find(namespace_);
    return found == namespaces.end() ? none : found->second;
  }

  /// To be called after what a node has, or what its pods request, has changed.
  void update_resources(const detail::NodeInfo& info) {
    if (!info.node) return;
    Resources left = info.allocatable;
    left -= info.requested.resources;
    const Resources& scored = info.requested.scored;
    resources[*info.node] = {
        left.milli_cpu,          left.memory,      left.pods,    info.allocatable.milli_cpu,
        info.allocatable.memory, scored.milli_cpu, scored.memory};
  }

  void remove_from(std::size_t slot, const detail::Requested& requested) {
    detail::NodeInfo& info = node_infos[slot];
    --info.pods;
    if (!detail::is_at_bound(info.requested.resources) &&
        !detail::is_at_bound(info.requested.scored)) {
      info.requested.resources -= requested.resources;
      info.requested.scored -= requested.scored;
    } else {  // of a sum that is cut off at the bounds of int64 nothing can be taken
      info.requested = {};
      pods.for_each_on(slot, [&](const detail::PodEquivalenceClass& alike, std::int64_t count) {
        for (; count > 0; --count) detail::add_to(info.requested, alike.requested);
      });
    }
    update_resources(info);
  }

  /// Calls `use(slot, pods)` for all slots with pods that a term of a pod selects; a node that is not there
  /// is in no domain.
  template <class Use>
  void for_each_selected(const detail::AffinityTerm& term, Use use) const {
    pods.for_each(term.criteria, [&](const detail::PodEquivalenceClass& alike) {
      if (!term.matcher.matches(alike.pod, labels_of(alike.pod.metadata.namespace_))) return;
      for (const auto& [slot, number] : alike.on) use(slot, number);
    });
  }

  // As the plugins of kube-scheduler of these names: they take nodes off those that are feasible.
  void filter_resources_fit(const Pod& pod, PodFit& fit) const;
  void filter_topology_spread(const Pod& pod,
                              const std::vector<detail::SpreadConstraint>& constraints,
                              PodFit& fit) const;
  void filter_inter_pod_affinity(const Pod& pod, const std::vector<detail::AffinityTerm>& terms,
                                 PodFit& fit) const;
  std::vector<std::int64_t> allocation_scores(const Pod& pod, const NodeSet& nodes,
                                              bool least) const;
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/cluster/impl/scored_nodes.hpp

/// Helpers for all scores of nodes: a list has the scores at the numbers of the nodes, and a number
/// without a score is ignored.

namespace SCHEDPOL_NAMESPACE::detail {

/// Calls `use(number, score)` with those of the nodes that there is a score for.
template <class Scores, class Use>
void for_each_scored(Scores& scores, const NodeSet& nodes, Use use) {
  for (const std::size_t node : nodes) {
    if (node >= scores.size()) break;
    use(node, scores[node]);
  }
}

/// How many hundredths of `whole`, which is above zero, `part` is, rounded down. Where a hundred times
/// that would not fit both lose 7 bits.
constexpr std::uint64_t percent(std::uint64_t part, std::uint64_t whole) noexcept {
  constexpr std::uint64_t fits = std::numeric_limits<std::uint64_t>::max() / 100;
  if (part > fits) {
    part >>= 7;
    whole = std::max<std::uint64_t>(whole >> 7, 1);
  }
  return part * 100 / whole;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/cluster/impl/bound_pods.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// The nodes that a pod's required node affinity names, where each of its terms names some.
struct NamedNodes {
  std::set<std::string_view> names{};  ///< none: the names of each term contradict
  NodeSet nodes{};                     ///< those of them that are there
};

inline std::optional<NamedNodes> named_nodes(const PodSpec& spec, const NodeTable& table) {
  NamedNodes named;
  bool are_named = false;
  for (const NodeSelectorTerm& term : required_terms(spec.affinity)) {
    std::optional<std::set<std::string_view>> of_term;
    for (const NodeSelectorRequirement& field : term.match_fields) {
      if (field.key != "metadata.name" || field.operator_ != NodeSelectorOperator::in) continue;
      std::set<std::string_view> names(field.values.begin(), field.values.end());
      if (of_term)
        std::erase_if(names, [&](std::string_view name) { return !of_term->contains(name); });
      of_term = std::move(names);
    }
    if (!of_term) return std::nullopt;
    are_named = true;
    named.names.merge(*of_term);
  }
  if (!are_named) return std::nullopt;
  for (const std::string_view name : named.names)
    if (const auto node = table.find(name)) named.nodes.insert(*node);
  return named;
}

}  // namespace detail

SCHEDPOL_INLINE void BoundPods::Impl::filter_resources_fit(const Pod& pod, PodFit& fit) const {
  const Resources requested = requests(pod.spec);
  const bool asks_for_more = requested.ephemeral_storage > 0 || !requested.scalar.empty();
  for (const std::size_t node : fit.feasible) {
    if (resources[node].holds(requested)) {
      if (!asks_for_more) continue;
      const detail::NodeInfo& info = node_infos[slot_of[node]];
      if (fits(requested, info.allocatable, info.requested.resources)) continue;
    }
    fit.insufficient_resources.insert(node);
  }
  fit.feasible -= fit.insufficient_resources;
}

SCHEDPOL_INLINE void BoundPods::Impl::filter_topology_spread(
    const Pod& pod, const std::vector<detail::SpreadConstraint>& constraints, PodFit& fit) const {
  if (constraints.empty()) return;
  NodeSet with_keys = table.nodes();
  std::vector<NodeSet> with_key;  // of each constraint
  for (const detail::SpreadConstraint& constraint : constraints)
    with_keys &= with_key.emplace_back(nodes_in(topology(constraint.key)));
  const NodeSet by_affinity = table.matching(NodeAffinityMatcher(pod.spec));
  const NodeSet tolerated = tolerated_taints(pod.spec.tolerations);

  for (std::size_t i = 0; i < constraints.size(); ++i) {
    const detail::SpreadConstraint& constraint = constraints[i];
    const detail::Topology& key = topology(constraint.key);
    const NodeSet missing = fit.feasible - with_key[i];
    fit.missing_topology_key |= missing;
    fit.feasible -= missing;
    NodeSet counted = with_keys;
    if (constraint.honors_affinity) counted &= by_affinity;
    if (constraint.honors_taints) counted &= tolerated;
    std::vector<std::int64_t> counts(key.size(), -1);  // of a domain that there is not
    std::size_t domains = 0;
    for (const std::size_t node : counted) {
      std::int64_t& count = counts[key.domain_of(slot_of[node])];
      if (count < 0) ++domains;
      count = 0;
    }
    if (constraint.selector) {
      detail::SelectionCriteria criteria;
      criteria.in_namespace(namespace_of(pod.metadata))
          .selected(detail::IndexKeyKind::label, constraint.selector);
      pods.for_each(criteria, [&](const detail::PodEquivalenceClass& alike) {
        if (alike.pod.metadata.namespace_ != namespace_of(pod.metadata) ||
            !alike.pod.metadata.deletion_timestamp.empty() ||
            !constraint.matcher.matches(alike.pod.metadata.labels))
          return;
        for (const auto& [slot, number] : alike.on)
          if (node_infos[slot].node && counted.contains(*node_infos[slot].node))
            counts[key.domain_of(slot)] += number;
      });
    }
    std::int64_t emptiest = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t count : counts)
      if (count >= 0) emptiest = std::min(emptiest, count);
    const std::int64_t lowest = constraint.lowest(domains, emptiest);
    NodeSet skewed;
    for (const std::size_t node : fit.feasible) {
      const std::int64_t count = std::max<std::int64_t>(counts[key.domain_of(slot_of[node])], 0);
      if (count + constraint.itself - lowest > constraint.max_skew) skewed.insert(node);
    }
    fit.too_much_skew |= skewed;
    fit.feasible -= skewed;
  }
}

SCHEDPOL_INLINE void BoundPods::Impl::filter_inter_pod_affinity(
    const Pod& pod, const std::vector<detail::AffinityTerm>& terms, PodFit& fit) const {
  using Kind = detail::AffinityTerm::Kind;
  const Labels& namespace_labels = labels_of(namespace_of(pod.metadata));
  const detail::AffinityTerm* required = nullptr;  // the first of them
  std::vector<detail::DomainSums> wanted;
  SumsByKey conflicting;
  for (const detail::AffinityTerm& term : terms) {
    if (term.kind == Kind::required_affinity) {
      wanted.push_back({&topology(term.topology_key)});
      if (required == nullptr) required = &term;
    } else if (term.kind == Kind::required_anti_affinity) {
      detail::DomainSums& sums = sums_of(term.topology_key, conflicting);
      for_each_selected(term, [&](std::size_t slot, std::int64_t count) { sums.add(slot, count); });
    }
  }

  if (required != nullptr) {
    const auto all_select = [&](const Pod& other) {
      const Labels& labels = labels_of(namespace_of(other.metadata));
      return detail::all_of(terms, [&](const detail::AffinityTerm& term) {
        return term.kind != Kind::required_affinity || term.matcher.matches(other, labels);
      });
    };
    pods.for_each(required->criteria, [&](const detail::PodEquivalenceClass& alike) {
      if (!all_select(alike.pod)) return;
      for (const auto& [slot, number] : alike.on)
        for (detail::DomainSums& domains : wanted) domains.add(slot, number);
    });
    const bool is_first = all_select(pod) && detail::all_of(wanted, [](const auto& domains) {
                            return domains.sums.empty();
                          });
    for (const std::size_t node : fit.feasible) {
      const std::size_t slot = slot_of[node];
      const auto is_there = [&](const detail::DomainSums& domains) {
        return is_first ? domains.topology->domain_of(slot) != detail::Topology::no_domain
                        : domains.at(slot) > 0;
      };
      if (!detail::all_of(wanted, is_there)) fit.pod_affinity.insert(node);
    }
    fit.feasible -= fit.pod_affinity;
  }

  const auto take_in_any = [&](const SumsByKey& all, NodeSet& taken) {
    for (const auto& [key, sums] : all)
      for (const std::size_t node : fit.feasible)
        if (sums.at(slot_of[node]) > 0) taken.insert(node);
    fit.feasible -= taken;
  };
  take_in_any(conflicting, fit.pod_anti_affinity);

  SumsByKey of_others;
  pods.for_each_term_about(pod, namespace_labels, [&](const detail::AffinityTerm& of_other) {
    if (of_other.kind != Kind::required_anti_affinity) return;
    detail::DomainSums& sums = sums_of(of_other.topology_key, of_others);
    for (const auto& [slot, number] : pods[of_other.pods].on) sums.add(slot, number);
  });
  take_in_any(of_others, fit.existing_anti_affinity);
}

SCHEDPOL_INLINE std::vector<std::int64_t> BoundPods::Impl::allocation_scores(const Pod& pod,
                                                                             const NodeSet& nodes,
                                                                             bool least) const {
  const Resources requested = detail::scored_requests(pod.spec);
  std::vector<std::int64_t> scores(table.size());
  detail::for_each_scored(scores, nodes, [&](std::size_t node, std::int64_t& score) {
    const detail::NodeResources& of_node = resources[node];
    std::int64_t sum = 0;
    std::int64_t counted = 0;
    const auto add = [&](std::int64_t allocatable, std::int64_t used, std::int64_t more) {
      if (allocatable <= 0) return;
      ++counted;
      used = more < std::numeric_limits<std::int64_t>::max() - used ? used + more : allocatable;
      sum += detail::percentage(least ? allocatable - used : used, allocatable);
    };
    add(of_node.allocatable_milli_cpu, of_node.scored_milli_cpu, requested.milli_cpu);
    add(of_node.allocatable_memory, of_node.scored_memory, requested.memory);
    score = counted == 2 ? sum / 2 : sum;
  });
  return scores;
}

SCHEDPOL_INLINE BoundPods::BoundPods(std::span<const Node> nodes,
                                     std::span<const Namespace> namespaces)
    : impl_(Impl()) {
  for (const Node& node : nodes) add_node(node);
  for (const Namespace& one : namespaces) add_namespace(one);
}

SCHEDPOL_INLINE const NodeTable& BoundPods::nodes() const& noexcept {
  static const NodeTable none;
  return impl_ ? impl_->table : none;
}

SCHEDPOL_INLINE void BoundPods::add_node(const Node& node) {
  if (!impl_) impl_ = Owned<Impl>(Impl());
  const std::size_t slot = impl_->node_infos.find_or_add(node.metadata.name);
  detail::NodeInfo& info = impl_->node_infos[slot];
  if (info.node) {
    impl_->remove_labels(slot);
    impl_->table.replace(*info.node, node);
  } else {
    info.node = impl_->table.add(node);
    if (impl_->slot_of.size() <= *info.node) {
      impl_->slot_of.resize(*info.node + 1);
      impl_->resources.resize(*info.node + 1);
    }
    impl_->slot_of[*info.node] = slot;
  }
  info.labels = node.metadata.labels;
  info.taints = node.spec.taints;
  info.allocatable = allocatable(node);
  impl_->update_resources(info);
  for (const auto& [key, value] : info.labels) impl_->topologies[key].add(slot, value);
  if (node.spec.unschedulable) {
    impl_->unschedulable.insert(*info.node);
  } else {
    impl_->unschedulable.erase(*info.node);
  }
}

SCHEDPOL_INLINE void BoundPods::remove_node(std::string_view name) {
  if (!impl_) return;
  const std::optional<std::size_t> slot = impl_->node_infos.find(name);
  if (!slot || !impl_->node_infos[*slot].node) return;
  detail::NodeInfo& info = impl_->node_infos[*slot];
  impl_->remove_labels(*slot);
  impl_->unschedulable.erase(*info.node);
  impl_->table.remove(*info.node);
  info.node.reset();
  info.labels.clear();
  impl_->remove_if_unused(*slot);
}

SCHEDPOL_INLINE void BoundPods::add_namespace(const Namespace& added) {
  if (!impl_) impl_ = Owned<Impl>(Impl());
  impl_->namespaces[std::string(namespace_of(added))] = added.metadata.labels;
}

SCHEDPOL_INLINE void BoundPods::remove_namespace(std::string_view name) {
  if (!impl_) return;
  const auto found = impl_->namespaces.find(namespace_or_default(name));
  if (found != impl_->namespaces.end()) impl_->namespaces.erase(found);
}

SCHEDPOL_INLINE std::vector<FieldError> BoundPods::bind(const Pod& pod, std::string_view node) {
  detail::FieldErrors errors;
  std::vector<detail::AffinityTerm> terms = detail::affinity_terms(pod, errors);
  if (pod.metadata.name.empty())
    errors.add(ErrorType::required, FieldPath{"metadata", "name"}, "",
               "a bound pod is told from others by it");
  if (!errors.empty()) return std::move(errors).take();
  unbind(pod.metadata.namespace_, pod.metadata.name);
  if (is_terminal(pod) || node.empty()) return {};
  if (!impl_) impl_ = Owned<Impl>(Impl());
  Impl::BoundPod bound;
  bound.slot = impl_->node_infos.find_or_add(node);
  bound.alike = impl_->pods.add(
      pod, std::move(terms),
      {requests(pod.spec, pod.status), detail::scored_requests(pod.spec, pod.status)}, bound.slot);
  detail::add_to(impl_->node_infos[bound.slot].requested, impl_->pods[bound.alike].requested);
  ++impl_->node_infos[bound.slot].pods;
  impl_->update_resources(impl_->node_infos[bound.slot]);
  impl_->bound[copy_of(detail::pod_key(pod.metadata))] = bound;
  return {};
}

SCHEDPOL_INLINE void BoundPods::unbind(std::string_view namespace_, std::string_view name) {
  if (!impl_) return;
  const detail::MapKeyView key{0, namespace_or_default(namespace_), name};
  const auto found = impl_->bound.find(key);
  if (found == impl_->bound.end()) return;
  const Impl::BoundPod bound = found->second;
  impl_->bound.erase(found);
  impl_->remove_from(bound.slot, impl_->pods.remove(bound.alike, bound.slot));
  impl_->remove_if_unused(bound.slot);
}

SCHEDPOL_INLINE std::optional<std::string_view> BoundPods::node_of(std::string_view namespace_,
                                                                   std::string_view name) const& {
  if (!impl_) return std::nullopt;
  const detail::MapKeyView key{0, namespace_or_default(namespace_), name};
  const auto found = impl_->bound.find(key);
  if (found == impl_->bound.end()) return std::nullopt;
  return impl_->node_infos.name(found->second.slot);
}

SCHEDPOL_INLINE Resources BoundPods::requested(std::string_view node) const {
  if (!impl_) return {};
  const std::optional<std::size_t> slot = impl_->node_infos.find(node);
  return slot ? impl_->node_infos[*slot].requested.resources : Resources();
}

SCHEDPOL_INLINE Result<PodFit> BoundPods::fit(const Pod& pod) const {
  detail::FieldErrors errors;
  const auto constraints = detail::spread_constraints(pod, errors);
  const auto terms = detail::affinity_terms(pod, errors);
  if (!errors.empty()) return std::move(errors).take();
  PodFit fit;
  if (!impl_ || pod.spec.moved_from) return fit;
  fit.feasible = impl_->table.nodes();
  impl_->filter_resources_fit(pod, fit);
  impl_->filter_topology_spread(pod, constraints, fit);
  impl_->filter_inter_pod_affinity(pod, terms, fit);
  return fit;
}

SCHEDPOL_INLINE Result<FilteredNodes> BoundPods::filter(const Pod& pod) const {
  Result<PodFit> fit = this->fit(pod);
  if (!fit) return std::move(fit).errors();
  FilteredNodes filtered;
  if (!impl_ || pod.spec.moved_from) return filtered;
  const NodeTable& table = impl_->table;
  NodeSet& left = filtered.feasible = table.nodes();
  const auto take = [&](const NodeSet& nodes, std::string_view reason) {
    const NodeSet taken = left & nodes;
    if (!taken.empty()) filtered.reasons[std::string(reason)] += taken.size();
    left -= taken;
  };
  const auto keep = [&](const NodeSet& nodes, std::string_view reason) {
    take(left - nodes, reason);
  };
  if (const auto named = detail::named_nodes(pod.spec, table)) {
    if (named->names.empty()) {
      left.clear();
      filtered.conflict = "pod affinity terms conflict";
      return filtered;
    }
    keep(named->nodes, "node(s) didn't satisfy plugin(s) [NodeAffinity]");
  }
  if (!pod.spec.node_name.empty()) {
    NodeSet named;
    if (const auto node = table.find(pod.spec.node_name)) named.insert(*node);
    keep(named, "node(s) didn't match the requested node name");
  }
  const Taint cordon = unschedulable_taint();
  if (!tolerates_all(pod.spec.tolerations, {&cordon, 1}))
    take(impl_->unschedulable, "node(s) were unschedulable");
  keep(impl_->tolerated_taints(pod.spec.tolerations), "node(s) had untolerated taint(s)");
  keep(table.matching(NodeAffinityMatcher(pod.spec)),
       "node(s) didn't match Pod's node affinity/selector");
  const Resources requested = requests(pod.spec);
  for (const std::size_t node : left & fit->insufficient_resources) {
    const detail::NodeInfo& info = impl_->node_infos[impl_->slot_of[node]];
    for (std::string& reason : insufficient(requested, info.allocatable, info.requested.resources))
      ++filtered.reasons[std::move(reason)];
  }
  left -= fit->insufficient_resources;
  const std::string spread = "node(s) didn't match pod topology spread constraints";
  take(fit->missing_topology_key, spread + " (missing required label)");
  take(fit->too_much_skew, spread);
  take(fit->pod_affinity, "node(s) didn't match pod affinity rules");
  take(fit->pod_anti_affinity, "node(s) didn't match pod anti-affinity rules");
  take(fit->existing_anti_affinity, "node(s) didn't satisfy existing pods anti-affinity rules");
  return filtered;
}

SCHEDPOL_INLINE std::string message(const FilteredNodes& filtered, std::size_t nodes) {
  const std::string all = unschedulable_message(nodes, filtered.reasons);
  return filtered.conflict.empty() ? all : all + " " + filtered.conflict + ".";
}

SCHEDPOL_INLINE Result<std::vector<std::int64_t>> BoundPods::affinity_scores(
    const Pod& pod, const NodeSet& nodes) const {
  using Kind = detail::AffinityTerm::Kind;
  detail::FieldErrors errors;
  const auto terms = detail::affinity_terms(pod, errors);
  if (!errors.empty()) return std::move(errors).take();
  if (!impl_) return std::vector<std::int64_t>();
  Impl::SumsByKey by_key;
  for (const detail::AffinityTerm& term : terms) {
    if (term.kind != Kind::preferred) continue;
    detail::DomainSums& sums = impl_->sums_of(term.topology_key, by_key);
    impl_->for_each_selected(
        term, [&](std::size_t slot, std::int64_t count) { sums.add(slot, term.weight * count); });
  }
  const auto add_others = [&](const detail::AffinityTerm& of_other) {
    if (of_other.kind == Kind::required_anti_affinity) return;
    detail::DomainSums& sums = impl_->sums_of(of_other.topology_key, by_key);
    for (const auto& [slot, number] : impl_->pods[of_other.pods].on)
      sums.add(slot, of_other.weight * number);
  };
  impl_->pods.for_each_term_about(pod, impl_->labels_of(namespace_of(pod.metadata)), add_others);
  std::vector<std::int64_t> scores(impl_->table.size());
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  detail::for_each_scored(scores, nodes, [&](std::size_t node, std::int64_t& score) {
    for (const auto& [key, sums] : by_key) score += sums.at(impl_->slot_of[node]);
    least = std::min(least, score);
    most = std::max(most, score);
  });
  detail::for_each_scored(scores, nodes, [&](std::size_t, std::int64_t& score) {
    // In doubles, as kube-scheduler does: 29 of 100 become 28.
    const auto part = static_cast<double>(score - least);
    score = least == most ? 0
                          : static_cast<std::int64_t>(static_cast<double>(max_node_score) *
                                                      (part / static_cast<double>(most - least)));
  });
  return scores;
}

SCHEDPOL_INLINE std::vector<std::int64_t> BoundPods::least_allocated(const Pod& pod,
                                                                     const NodeSet& nodes) const {
  return impl_ ? impl_->allocation_scores(pod, nodes, true) : std::vector<std::int64_t>();
}

SCHEDPOL_INLINE std::vector<std::int64_t> BoundPods::most_allocated(const Pod& pod,
                                                                    const NodeSet& nodes) const {
  return impl_ ? impl_->allocation_scores(pod, nodes, false) : std::vector<std::int64_t>();
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/cluster/impl/cluster.ipp

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// Whether an amount more is too much where so much is requested already.
[[nodiscard]] inline bool exceeds(std::int64_t amount, std::int64_t requested,
                                  std::int64_t max) noexcept {
  if (amount == std::numeric_limits<std::int64_t>::max()) return true;
  return amount > 0 && amount > max - requested;  // neither is below zero
}

/// By unit of a policy, so much as `amount` says of each resource that it limits.
template <class Amount>
std::vector<ResourceList> by_unit(const CompiledPolicy& policy, Amount amount) {
  std::vector<ResourceList> lists(policy.units.size());
  for (std::size_t i = 0; i < policy.limits.size(); ++i) {
    const auto& [unit, resource, max] = policy.limits[i];
    lists[unit].try_emplace(resource, schedpol::detail::to_quantity(resource, amount(i)));
  }
  return lists;
}

/// Where a score of a range stands between 0 and 100. The range is not empty.
inline std::int64_t percent_between(std::int64_t low, std::int64_t high,
                                    std::int64_t score) noexcept {
  // Differences of any two int64 fit in uint64.
  const auto above_low = [low](std::int64_t of) {
    return static_cast<std::uint64_t>(of) - static_cast<std::uint64_t>(low);
  };
  return static_cast<std::int64_t>(schedpol::detail::percent(above_low(score), above_low(high)));
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(Reason reason) noexcept {
  switch (reason) {
    case Reason::none: return "";
    case Reason::multiple_resource_policies: return "MultipleResourcePolicies";
    case Reason::no_name: return "NoName";
    case Reason::unit_full: return "UnitFull";
    case Reason::unit_resources_exceeded: return "UnitResourcesExceeded";
    case Reason::node_not_in_unit: return "NodeNotInUnit";
  }
  return "";
}

SCHEDPOL_INLINE std::string_view to_string(Code code) noexcept {
  switch (code) {
    case Code::success: return "Success";
    case Code::skip: return "Skip";
    case Code::unschedulable: return "Unschedulable";
    case Code::unschedulable_and_unresolvable: return "UnschedulableAndUnresolvable";
  }
  return "";
}

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores) {
  NodeSet all;
  for (std::size_t i = 0; i < scores.size(); ++i) all.insert(i);
  return normalise(std::vector<std::int64_t>(scores.begin(), scores.end()), all);
}

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::vector<std::int64_t> scores,
                                                    const NodeSet& nodes) {
  std::int64_t low = std::numeric_limits<std::int64_t>::max();
  std::int64_t high = std::numeric_limits<std::int64_t>::min();
  schedpol::detail::for_each_scored(scores, nodes, [&](std::size_t, std::int64_t score) {
    low = std::min(low, score);
    high = std::max(high, score);
  });
  std::int64_t last = low;  // mostly many nodes have the same score
  std::int64_t last_percent = low < high ? 0 : 100;
  schedpol::detail::for_each_scored(scores, nodes, [&](std::size_t, std::int64_t& score) {
    if (score != last) last_percent = detail::percent_between(low, high, last = score);
    score = last_percent;
  });
  return scores;
}

SCHEDPOL_INLINE Cluster::Cluster(CompiledPolicies policies, std::span<const Node> nodes,
                                 std::span<const Pod> pods) {
  if (!policies.impl_) return;
  impl_ = Owned<Impl>(Impl(std::move(policies.impl_), nodes));
  for (const Pod& pod : pods) impl_->bind(pod, pod.spec.node_name);
}

SCHEDPOL_INLINE const NodeTable& Cluster::nodes() const& noexcept {
  static const NodeTable none;
  return impl_ ? impl_->table : none;
}

SCHEDPOL_INLINE void Cluster::add_node(const Node& node) {
  if (!impl_) return;
  Impl& state = *impl_;
  const std::size_t slot = state.slots.find_or_add(node.metadata.name);
  state.count_pods(slot, -1);
  const std::size_t number = state.put_into_table(node);
  for (std::size_t i = 0; i < state.selected.size(); ++i) {
    if (state.compiled->node_selectors[i].matches(node.metadata.labels)) {
      state.selected[i].insert(number);
    } else {
      state.selected[i].erase(number);
    }
  }
  state.count_pods(slot, 1);
  state.reserve_new_units(number, node.metadata.name);
  ++state.changes;
}

SCHEDPOL_INLINE void Cluster::remove_node(std::string_view name) {
  if (!impl_) return;
  Impl& state = *impl_;
  const std::optional<std::size_t> slot = state.slots.find(name);
  if (!slot || !state.slots[*slot].node) return;
  const std::size_t number = *state.slots[*slot].node;
  state.count_pods(*slot, -1);
  state.keep_reserved_by_name(number, name);
  state.table.remove(number);
  for (NodeSet& nodes : state.selected) nodes.erase(number);
  state.slots[*slot].node.reset();
  state.tidy(*slot);
  ++state.changes;
}

SCHEDPOL_INLINE Prefilter Cluster::prefilter(const Pod& pod) const& {
  Prefilter prefilter;
  if (!impl_ || pod.spec.moved_from) return prefilter;
  prefilter.cluster_ = &*impl_;
  std::size_t selecting = 0;
  impl_->compiled->for_each_selecting(pod, [&](std::size_t policy) {
    ++selecting;
    prefilter.policy_ = policy;
  });
  if (selecting == 0) prefilter.code_ = Code::skip;
  if (selecting > 1) prefilter.reason_ = Reason::multiple_resource_policies;
  if (selecting == 1 && pod.metadata.name.empty()) prefilter.reason_ = Reason::no_name;
  if (selecting != 1 || prefilter.reason_ != Reason::none) return prefilter;
  prefilter.code_ = Code::success;
  prefilter.changes_ = impl_->changes;
  prefilter.ask_for(pod);
  prefilter.count(pod, {});
  return prefilter;
}

SCHEDPOL_INLINE void Cluster::bind(const Pod& pod, std::string_view node) {
  if (impl_) impl_->bind(pod, node);
}

SCHEDPOL_INLINE void Cluster::unbind(std::string_view namespace_, std::string_view name) {
  if (impl_) impl_->unbind(detail::pod_key(PodName{namespace_, name}));
}

SCHEDPOL_INLINE void Cluster::reserve(const Pod& pod, const NodeSet& nodes) {
  if (impl_) impl_->reserve(pod, nodes);
}

SCHEDPOL_INLINE void Cluster::unreserve(std::string_view namespace_, std::string_view name) {
  if (impl_) impl_->unreserve(detail::pod_key(PodName{namespace_, name}));
}

SCHEDPOL_INLINE std::optional<std::int32_t> Cluster::deletion_cost(std::string_view namespace_,
                                                                   std::string_view name) const {
  if (!impl_) return std::nullopt;
  const auto found = impl_->bound.find(detail::pod_key(PodName{namespace_, name}));
  if (found == impl_->bound.end()) return std::nullopt;
  const detail::BoundPod& pod = impl_->pods[found->second];
  const std::optional<std::size_t>& node = impl_->slots[pod.slot].node;
  if (!node || pod.selecting != 1) return std::nullopt;
  const std::optional<std::size_t> unit = impl_->best_unit(pod.policy, *node);
  const std::int64_t cost =
      unit ? impl_->policies()[pod.policy].units[*unit].score : score_outside_units;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      cost, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

SCHEDPOL_INLINE std::vector<UnitUsage> Cluster::usage(std::string_view namespace_,
                                                      std::string_view policy) const {
  std::vector<UnitUsage> usage;
  if (!impl_) return usage;
  for (std::size_t i = 0; i < impl_->policies().size(); ++i) {
    const detail::CompiledPolicy& of = impl_->policies()[i];
    if (of.name != policy || of.namespace_ != namespace_or_default(namespace_)) continue;
    const detail::LabelValues any(Labels{}, of.match_label_keys);
    const std::vector<std::int64_t> seen = saturated(impl_->sums[i].seen_by(any));
    std::vector<ResourceList> requests =
        detail::by_unit(of, [&](std::size_t limit) { return seen[of.units.size() + limit]; });
    std::vector<ResourceList> limits =
        detail::by_unit(of, [&](std::size_t limit) { return of.limits[limit].max; });
    for (std::size_t unit = 0; unit < of.units.size(); ++unit)
      usage.push_back({of.units[unit].name, seen[unit], of.units[unit].max_count,
                       std::move(requests[unit]), std::move(limits[unit])});
  }
  return usage;
}

SCHEDPOL_INLINE std::string_view Prefilter::policy() const noexcept {
  return code_ != Code::success ? std::string_view() : cluster_->policies()[policy_].name;
}

SCHEDPOL_INLINE std::vector<std::int64_t> Prefilter::counts() && {
  return std::move(counts_);
}

/// Whether what was counted is still so. Only where there is one policy.
SCHEDPOL_INLINE bool Prefilter::holds() const noexcept {
  return changes_ == cluster_->changes &&
         counts_.size() == cluster_->policies()[policy_].units.size();
}

SCHEDPOL_INLINE Prefilter Prefilter::without(std::span<const PodName> gone, const Pod& pod) const {
  Prefilter prefilter = *this;
  if (code_ != Code::success || !holds()) return prefilter;
  prefilter.count(pod, gone);
  return prefilter;
}

SCHEDPOL_INLINE Filter Prefilter::filter(std::string_view node) const noexcept {
  if (code_ == Code::skip) return {Code::success, Reason::none, std::nullopt};
  if (code_ != Code::success) return {code_, reason_, std::nullopt};
  if (!holds()) return {};
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  const std::optional<std::size_t> number = cluster_->table.find(node);
  const auto best = number ? cluster_->best_unit(policy_, *number) : std::nullopt;
  if (!best) {
    if (policy.prefers) return {Code::success, Reason::none, std::nullopt};
    return {Code::unschedulable_and_unresolvable, Reason::node_not_in_unit, std::nullopt};
  }
  if (full_unit(*number)) return {Code::unschedulable, Reason::unit_full, best};
  if (exceeded_limit(*number)) return {Code::unschedulable, Reason::unit_resources_exceeded, best};
  return {Code::success, Reason::none, best};
}

/// The first full unit that a node is in. Only where there is one policy.
SCHEDPOL_INLINE std::optional<std::size_t> Prefilter::full_unit(std::size_t node) const noexcept {
  const std::vector<detail::CompiledUnit>& units = cluster_->policies()[policy_].units;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (detail::is_full(units[i], counts_[i]) && cluster_->nodes_of(units[i]).contains(node))
      return i;
  return std::nullopt;
}

/// Of `exceeded_` the first whose unit a node is in. Only where there is one policy.
SCHEDPOL_INLINE std::optional<std::size_t> Prefilter::exceeded_limit(
    std::size_t node) const noexcept {
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  for (const std::size_t limit : exceeded_)
    if (cluster_->nodes_of(policy.units[policy.limits[limit].unit]).contains(node)) return limit;
  return std::nullopt;
}

/// What the pod requests, which is the same whatever is counted. Only where there is one policy.
SCHEDPOL_INLINE void Prefilter::ask_for(const Pod& pod) {
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  if (policy.limits.empty()) return;
  const Resources requested = schedpol::requests(pod.spec);
  for (const detail::UnitLimit& limit : policy.limits)
    requested_.push_back(schedpol::detail::amount_of(requested, limit.resource));
}

/// What is counted once some pods are gone, and which limits leave no room. Only where there is one
/// policy.
SCHEDPOL_INLINE void Prefilter::count(const Pod& pod, std::span<const PodName> gone) {
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  requests_ = cluster_->seen_by(pod, policy_, gone);  // behind the counts of the units
  const auto of_limits = requests_.begin() + static_cast<std::ptrdiff_t>(policy.units.size());
  counts_.assign(requests_.begin(), of_limits);
  requests_.erase(requests_.begin(), of_limits);
  exceeded_.clear();
  for (std::size_t i = 0; i < policy.limits.size(); ++i) {
    const auto& [unit, resource, max] = policy.limits[i];
    if (!exceeded_.empty() && policy.limits[exceeded_.back()].unit == unit) continue;
    if (detail::exceeds(requested_[i], requests_[i], max)) exceeded_.push_back(i);
  }
}

SCHEDPOL_INLINE std::vector<ResourceList> Prefilter::requested() const {
  if (requests_.empty()) return {};
  return detail::by_unit(cluster_->policies()[policy_],
                         [&](std::size_t limit) { return requests_[limit]; });
}

SCHEDPOL_INLINE std::string Prefilter::message(std::string_view node) const {
  const Filter filtered = filter(node);
  if (filtered.code == Code::success) return {};
  if (filtered.reason == Reason::multiple_resource_policies)
    return "more than one ResourcePolicy selects the pod";
  if (filtered.reason == Reason::no_name) return "the pod has no name, so it cannot be bound";
  if (filtered.reason == Reason::none) return "nothing is known of the pod any more";
  if (filtered.reason == Reason::node_not_in_unit) return "in no unit of its ResourcePolicy";
  const std::size_t number = *cluster_->table.find(node);
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  const auto unit = [&](std::size_t at) {
    const std::string& name = policy.units[at].name;
    return "unit " + (name.empty() ? std::to_string(at) : in_backticks(name));
  };
  if (const auto full = full_unit(number)) return unit(*full) + " is full";
  const detail::UnitLimit& exceeded = policy.limits[*exceeded_limit(number)];
  return "insufficient " + exceeded.resource + " in " + unit(exceeded.unit);
}

SCHEDPOL_INLINE std::int64_t Prefilter::score(const Filter& filter) const noexcept {
  if (!filter.unit || *filter.unit >= counts_.size()) return score_outside_units;
  return cluster_->policies()[policy_].units[*filter.unit].score;
}

SCHEDPOL_INLINE NodeSet Prefilter::feasible() const {
  if (code_ == Code::skip) return cluster_->table.nodes();
  if (code_ != Code::success || !holds()) return {};
  const bool prefers = cluster_->policies()[policy_].prefers;
  NodeSet nodes = prefers ? cluster_->table.nodes() : cluster_->nodes_in_units(policy_);
  nodes -= full_nodes();
  return nodes -= exceeded_nodes();
}

SCHEDPOL_INLINE NodeSet Prefilter::infeasible(Reason reason) const {
  if (cluster_ == nullptr || code_ == Code::skip) return {};
  const NodeTable& table = cluster_->table;
  if (code_ != Code::success) return reason == reason_ ? table.nodes() : NodeSet();
  if (!holds()) return reason == Reason::none ? table.nodes() : NodeSet();
  if (reason == Reason::unit_full) return full_nodes();
  if (reason == Reason::unit_resources_exceeded) return exceeded_nodes() - full_nodes();
  if (reason != Reason::node_not_in_unit || cluster_->policies()[policy_].prefers) return {};
  return table.nodes() - cluster_->nodes_in_units(policy_);
}

/// The nodes of full units. Only where there is one policy.
SCHEDPOL_INLINE NodeSet Prefilter::full_nodes() const {
  NodeSet nodes;
  const std::vector<detail::CompiledUnit>& units = cluster_->policies()[policy_].units;
  for (std::size_t i = 0; i < units.size(); ++i)
    if (detail::is_full(units[i], counts_[i])) nodes |= cluster_->nodes_of(units[i]);
  return nodes;
}

/// The nodes of the units of `exceeded_`. Only where there is one policy.
SCHEDPOL_INLINE NodeSet Prefilter::exceeded_nodes() const {
  NodeSet nodes;
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  for (const std::size_t limit : exceeded_)
    nodes |= cluster_->nodes_of(policy.units[policy.limits[limit].unit]);
  return nodes;
}

SCHEDPOL_INLINE std::vector<std::int64_t> Prefilter::scores(const NodeSet& nodes) const {
  if (cluster_ == nullptr) return {};
  std::vector<std::int64_t> scores(cluster_->table.size());
  NodeSet rest = nodes & cluster_->table.nodes();
  const auto give = [&](const NodeSet& some, std::int64_t score) {
    for (const std::size_t node : some) scores[node] = score;
  };
  if (code_ == Code::success) {
    const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
    for (const std::size_t best : policy.best_first) {
      const detail::CompiledUnit& unit = policy.units[best];
      give(rest & cluster_->nodes_of(unit), unit.score);
      rest -= cluster_->nodes_of(unit);
      if (rest.empty()) break;
    }
  }
  give(rest, score_outside_units);
  return scores;
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/cluster/impl/node_scores.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// Of a score below zero, as many hundredths below it.
inline std::int64_t percent_of(std::int64_t most, std::int64_t score) noexcept {
  const auto whole = static_cast<std::uint64_t>(most);
  if (score >= 0)
    return static_cast<std::int64_t>(percent(static_cast<std::uint64_t>(score), whole));
  return -static_cast<std::int64_t>(percent(-static_cast<std::uint64_t>(score), whole));
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<std::int64_t> normalise_by_highest(std::vector<std::int64_t> scores,
                                                               const NodeSet& nodes,
                                                               Better better) {
  std::int64_t most = 0;
  detail::for_each_scored(scores, nodes,
                          [&](std::size_t, std::int64_t score) { most = std::max(most, score); });
  std::int64_t last = 0;  // mostly many nodes have the same score
  std::int64_t last_percent = 0;
  detail::for_each_scored(scores, nodes, [&](std::size_t, std::int64_t& score) {
    if (most > 0) {
      if (score != last) last_percent = detail::percent_of(most, last = score);
      score = last_percent;
      if (better == Better::lower) score = max_node_score - score;
    } else if (better == Better::lower) {
      score = max_node_score;
    }
  });
  return scores;
}

SCHEDPOL_INLINE NodeSet highest(const std::vector<std::int64_t>& scores, const NodeSet& nodes) {
  NodeSet best;
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const std::size_t node : nodes) {
    const std::int64_t score = node < scores.size() ? scores[node] : 0;
    if (score < most) continue;
    if (score > most) best.clear();
    most = score;
    best.insert(node);
  }
  return best;
}

SCHEDPOL_INLINE Optional<std::size_t> choose(const std::vector<std::int64_t>& scores,
                                             const NodeSet& nodes, std::size_t turn) {
  const NodeSet best = highest(scores, nodes);
  if (best.empty()) return std::nullopt;
  return *std::next(best.begin(), static_cast<std::ptrdiff_t>(turn % best.size()));
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/cluster/impl/node_set.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE bool NodeSet::contains(std::size_t node) const noexcept {
  const std::size_t word = node / word_bits;
  return word < words_.size() && ((words_[word] >> (node % word_bits)) & 1U) != 0;
}

SCHEDPOL_INLINE bool NodeSet::empty() const noexcept {
  return begin() == end();
}

SCHEDPOL_INLINE std::size_t NodeSet::size() const noexcept {
  std::size_t sum = 0;
  for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

SCHEDPOL_INLINE void NodeSet::insert(std::size_t node) {
  const std::size_t word = node / word_bits;
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= std::uint64_t{1} << (node % word_bits);
}

SCHEDPOL_INLINE void NodeSet::erase(std::size_t node) noexcept {
  const std::size_t word = node / word_bits;
  if (word < words_.size()) words_[word] &= ~(std::uint64_t{1} << (node % word_bits));
}

SCHEDPOL_INLINE void NodeSet::clear() noexcept {
  words_.clear();  // and keeps its memory
}

SCHEDPOL_INLINE NodeSet::Iterator NodeSet::begin() const noexcept {
  return words_.empty() ? end() : Iterator(words_, 0);
}

SCHEDPOL_INLINE NodeSet::Iterator NodeSet::end() const noexcept {
  return {words_, words_.size()};
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator&=(const NodeSet& other) noexcept {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator|=(const NodeSet& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator-=(const NodeSet& other) noexcept {
  const std::size_t common = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < common; ++i) words_[i] &= ~other.words_[i];
  return *this;
}

SCHEDPOL_INLINE NodeSet NodeSet::operator&(const NodeSet& other) const {
  NodeSet both = *this;
  both &= other;
  return both;
}

SCHEDPOL_INLINE NodeSet NodeSet::operator|(const NodeSet& other) const {
  NodeSet either = *this;
  either |= other;
  return either;
}

SCHEDPOL_INLINE NodeSet NodeSet::operator-(const NodeSet& other) const {
  NodeSet rest = *this;
  rest -= other;
  return rest;
}

SCHEDPOL_INLINE bool NodeSet::operator==(const NodeSet& other) const noexcept {
  return std::equal(begin(), end(), other.begin(), other.end());
}

SCHEDPOL_INLINE NodeSet::Iterator NodeSet::Iterator::operator++(int) noexcept {
  const Iterator before = *this;
  ++*this;
  return before;
}

SCHEDPOL_INLINE NodeSet::Iterator::Iterator(const std::vector<std::uint64_t>& words,
                                            std::size_t word) noexcept
    : words_(words.data()), size_(words.size()), word_(word) {
  if (word_ < size_) {
    rest_ = words_[word_];
    to_next();
  }
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/cluster/impl/sparse_node_set.hpp

/// The nodes with one name, label, value or taint; a table has such a set for each of these.
/// 1. It has the numbers that were inserted and not erased, like a `NodeSet`.
/// 2. It takes 16 bytes for each block of 64 numbers in which it has any, and nothing for other blocks. So
///    the name of one node takes as little memory among ten thousand nodes as among ten.
/// 3. Adding it to a `NodeSet`, or subtracting it, takes a few instructions for each block.

namespace SCHEDPOL_NAMESPACE {

class SparseNodeSet {
 public:
  [[nodiscard]] bool empty() const noexcept { return words_.empty(); }

  /// False where it was in already.
  bool insert(std::size_t node) {
    auto at = find(node);
    if (at == words_.end() || at->index != index_of(node)) at = words_.insert(at, {index_of(node)});
    const std::uint64_t before = at->bits;
    at->bits |= bit_of(node);
    return at->bits != before;
  }

  /// One that is in.
  void erase(std::size_t node) noexcept {
    const auto at = find(node);
    at->bits &= ~bit_of(node);
    if (at->bits == 0) words_.erase(at);
  }

  /// The least, of a set that is not empty.
  [[nodiscard]] std::size_t front() const noexcept {
    return words_.front().index * NodeSet::word_bits +
           static_cast<std::size_t>(std::countr_zero(words_.front().bits));
  }

  void add_to(NodeSet& set) const {
    if (words_.empty()) return;
    if (set.words_.size() <= words_.back().index) set.words_.resize(words_.back().index + 1);
    for (const Word& word : words_) set.words_[word.index] |= word.bits;
  }

  void remove_from(NodeSet& set) const noexcept {
    for (const Word& word : words_) {
      if (word.index >= set.words_.size()) break;
      set.words_[word.index] &= ~word.bits;
    }
  }

 private:
  /// Of a `NodeSet`, and which.
  struct Word {
    std::size_t index = 0;
    std::uint64_t bits = 0;
  };

  static std::size_t index_of(std::size_t node) noexcept { return node / NodeSet::word_bits; }
  static std::uint64_t bit_of(std::size_t node) noexcept {
    return std::uint64_t{1} << (node % NodeSet::word_bits);
  }
  /// The first word that is not before that of a node.
  std::vector<Word>::iterator find(std::size_t node) noexcept {
    return std::partition_point(words_.begin(), words_.end(),
                                [&](const Word& word) { return word.index < index_of(node); });
  }

  std::vector<Word> words_;  ///< by index; none is 0
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/cluster/impl/node_table.ipp

namespace SCHEDPOL_NAMESPACE {

/// The index: which nodes have a name, a label, a value of it, a taint.
struct NodeTable::Impl {
  using Holders = SparseNodeSet;
  using HoldersByText = std::map<std::string, Holders, std::less<>>;

  struct Key {
    Holders labelled;  ///< the nodes that have the label, whatever its value
    HoldersByText values;
  };
  using Keys = std::map<std::string, Key>;

  struct TaintOrder {
    bool operator()(const Taint& a, const Taint& b) const noexcept {
      if (a.key != b.key) return a.key < b.key;
      if (a.value != b.value) return a.value < b.value;
      return a.effect.text() < b.effect.text();
    }
  };
  using HoldersByTaint = std::map<Taint, Holders, TaintOrder>;

  /// What a node stands in the index for.
  struct IndexedNode {
    std::string name{};
    Labels labels{};
    std::vector<Taint> taints{};
  };

  explicit Impl(std::span<const Node> nodes) : entries(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) put(i, nodes[i]);
  }

  std::size_t add(const Node& node) {
    const std::size_t number = lowest_free();
    if (number == entries.size()) entries.emplace_back();
    put(number, node);
    return number;
  }

  std::size_t lowest_free() const noexcept {
    if (all.size() == entries.size()) return entries.size();
    std::size_t number = 0;
    for (const std::size_t taken : all) {
      if (taken != number) break;
      ++number;
    }
    return number;
  }

  /// At a number that is free.
  void put(std::size_t number, const Node& node) {
    IndexedNode& entry = entries[number];
    all.insert(number);
    entry.name = node.metadata.name;
    entry.labels = node.metadata.labels;
    put(number, names, entry.name);
    for (const Taint& taint : node.spec.taints) put(number, taint);
    if (node.spec.unschedulable) put(number, unschedulable_taint());
    // Labels come in the order of the keys, and nodes mostly have the same keys.
    auto key = keys.begin();
    for (const auto& [name, value] : entry.labels) {
      if (key == keys.end() || key->first != name) key = keys.try_emplace(name).first;
      put(number, key->second, value);
      ++key;
    }
  }

  static void put(std::size_t number, Key& key, const std::string& value) {
    key.labelled.insert(number);
    key.values.try_emplace(value).first->second.insert(number);
  }
  void put(std::size_t number, const Taint& taint) {
    if (taints.try_emplace(taint).first->second.insert(number))
      entries[number].taints.push_back(taint);
  }

  /// Of a number that is taken. What no node has any more is forgotten.
  void remove(std::size_t number) noexcept {
    IndexedNode& entry = entries[number];
    const auto take_from = [number](auto& holders_by, const auto& what) {
      const auto at = holders_by.find(what);
      at->second.erase(number);
      if (at->second.empty()) holders_by.erase(at);
    };
    take_from(names.values, entry.name);
    names.labelled.erase(number);
    for (const Taint& taint : entry.taints) take_from(taints, taint);
    for (const auto& [name, value] : entry.labels) {
      const auto key = keys.find(name);
      take_from(key->second.values, value);
      key->second.labelled.erase(number);
      if (key->second.labelled.empty()) keys.erase(key);
    }
    entry = {};
    all.erase(number);
  }

  /// No node, with memory for all.
  NodeSet room() const {
    NodeSet none = all;
    none.clear();
    return none;
  }

  static const Holders* find(const HoldersByText& holders_by, const std::string& text) noexcept {
    const auto it = holders_by.find(text);
    return it == holders_by.end() ? nullptr : &it->second;
  }

  const Holders* find(const std::string& name, const std::string& value) const noexcept {
    const auto key = keys.find(name);
    return key == keys.end() ? nullptr : find(key->second.values, value);
  }

  /// Leaves the holders, none where it is null; `room` is a set to work in.
  static void keep(NodeSet& set, NodeSet& room, const Holders* holders) {
    room.clear();
    if (holders != nullptr) holders->add_to(room);
    set &= room;
  }

  /// Leaves the nodes for which the requirement holds.
  void keep(NodeSet& set, NodeSet& room, const detail::Requirement& requirement) const {
    using Operator = detail::Requirement::Operator;
    const auto found = keys.find(requirement.key);
    if (found == keys.end() && !requirement.key.empty()) {
      if (!requirement.holds(nullptr)) set.clear();
      return;
    }
    const Key& key = requirement.key.empty() ? names : found->second;
    switch (requirement.operator_) {
      case Operator::in:
        room.clear();
        for (const std::string& value : requirement.values) {
          if (const Holders* holders = find(key.values, value)) holders->add_to(room);
        }
        set &= room;
        break;
      case Operator::not_in:
        for (const std::string& value : requirement.values) {
          if (const Holders* holders = find(key.values, value)) holders->remove_from(set);
        }
        break;
      case Operator::exists: keep(set, room, &key.labelled); break;
      case Operator::does_not_exist: key.labelled.remove_from(set); break;
      case Operator::gt:
      case Operator::lt:
        keep(set, room, &key.labelled);
        for (const auto& [value, holders] : key.values) {
          if (!requirement.holds(&value)) holders.remove_from(set);
        }
        break;
      case Operator::unset:
      case Operator::unknown: break;  // no requirement is of these
    }
  }

  /// Leaves the nodes for which all of them hold.
  void keep(NodeSet& set, NodeSet& room, const detail::Conjunction& all_of_them) const {
    for (const detail::Requirement& requirement : all_of_them) keep(set, room, requirement);
  }

  std::vector<IndexedNode> entries;  ///< by number
  NodeSet all{};
  Key names{};  ///< as values of a label that every node has
  Keys keys{};
  HoldersByTaint taints{};
};

SCHEDPOL_INLINE NodeTable::NodeTable(std::span<const Node> nodes) : impl_(Impl(nodes)) {}

SCHEDPOL_INLINE std::size_t NodeTable::size() const noexcept {
  return impl_ ? impl_->entries.size() : 0;
}

SCHEDPOL_INLINE NodeSet NodeTable::nodes() const {
  return impl_ ? impl_->all : NodeSet();
}

SCHEDPOL_INLINE std::optional<std::size_t> NodeTable::find(std::string_view name) const noexcept {
  if (!impl_) return std::nullopt;
  const auto found = impl_->names.values.find(name);
  if (found == impl_->names.values.end()) return std::nullopt;
  return found->second.front();
}

SCHEDPOL_INLINE std::string_view NodeTable::name(std::size_t number) const noexcept {
  if (!impl_ || !impl_->all.contains(number)) return {};
  return impl_->entries[number].name;
}

SCHEDPOL_INLINE std::size_t NodeTable::add(const Node& node) {
  if (!impl_) impl_ = Owned<Impl>(Impl({}));
  return impl_->add(node);
}

SCHEDPOL_INLINE void NodeTable::replace(std::size_t number, const Node& node) {
  if (!impl_ || !impl_->all.contains(number)) return;
  impl_->remove(number);
  impl_->put(number, node);
}

SCHEDPOL_INLINE void NodeTable::remove(std::size_t number) noexcept {
  if (impl_ && impl_->all.contains(number)) impl_->remove(number);
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const LabelMatcher& matcher) const {
  if (!impl_ || !matcher.impl_) return {};
  NodeSet set = impl_->all;
  NodeSet room = impl_->room();
  impl_->keep(set, room, matcher.impl_->requirements);
  return set;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const NodeTermsMatcher& matcher) const {
  if (!impl_ || !matcher.impl_) return {};
  NodeSet united = impl_->room();
  NodeSet set;
  NodeSet room = impl_->room();
  for (const detail::Conjunction& term : matcher.impl_->terms) {
    set = impl_->all;
    impl_->keep(set, room, term);
    united |= set;
  }
  return united;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const NodeAffinityMatcher& matcher) const {
  if (!impl_ || !matcher.impl_) return {};
  const auto& [node_selector, required, preferences] = *matcher.impl_;
  NodeSet set = required ? matching(*required) : impl_->all;
  NodeSet room = impl_->room();
  for (const auto& [name, value] : node_selector) Impl::keep(set, room, impl_->find(name, value));
  return set;
}

SCHEDPOL_INLINE NodeSet NodeTable::tolerated_by(std::span<const Toleration> tolerations,
                                                std::span<const TaintEffect> effects) const {
  if (!impl_) return {};
  NodeSet set = impl_->all;
  for (const auto& [taint, holders] : impl_->taints) {
    if (!tolerates_all(tolerations, {&taint, 1}, effects)) holders.remove_from(set);
  }
  return set;
}

SCHEDPOL_INLINE std::vector<std::int64_t> NodeTable::scores(
    const NodeAffinityMatcher& matcher) const {
  std::vector<std::int64_t> sums(size());
  if (!impl_ || !matcher.impl_) return sums;
  NodeSet set;
  NodeSet room = impl_->room();
  for (const NodeAffinityMatcher::Impl::Preference& preference : matcher.impl_->preferences) {
    set = impl_->all;
    impl_->keep(set, room, preference.term);
    for (const std::size_t node : set) sums[node] += preference.weight;
  }
  return sums;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/cluster/impl/plan.ipp

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// Where the next replica goes, when so many are on each of the nodes already; it is counted there.
inline Placement place(const Cluster& cluster, const std::vector<const Node*>& nodes,
                       const Pod& pod, std::vector<std::size_t>& replicas) {
  const Prefilter prefilter = cluster.prefilter(pod);
  Placement placement;
  placement.pod = pod.metadata.name;
  placement.reason = prefilter.reason();
  std::optional<std::int64_t> best;  // score
  std::size_t on = 0;                // the number of the node of that score
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Filter filter = prefilter.filter(nodes[i]->metadata.name);
    if (filter.code != Code::success) {
      if (!best && placement.code != Code::unschedulable) {
        placement.code = filter.code;
        placement.reason = filter.reason;
      }
      continue;
    }
    const std::int64_t score = prefilter.score(filter);
    if (best && (score < *best || (score == *best && replicas[i] >= replicas[on]))) continue;
    best = score;
    on = i;
    placement.code = Code::success;
    placement.reason = Reason::none;
    placement.node = nodes[i]->metadata.name;
    placement.unit = filter.unit;
  }
  if (best) ++replicas[on];
  return placement;
}

/// The placed replicas, the first to be deleted first.
inline std::vector<std::string> scale_down_order(PodKind kind,
                                                 const std::vector<Placement>& placements) {
  std::vector<std::string> names;
  if (kind == PodKind::daemon_set || kind == PodKind::job || kind == PodKind::cron_job)
    return names;
  std::vector<const Placement*> placed;
  for (const Placement& placement : placements)
    if (!placement.node.empty()) placed.push_back(&placement);
  std::sort(placed.begin(), placed.end(), [&](const Placement* a, const Placement* b) {
    return kind != PodKind::stateful_set && a->deletion_cost != b->deletion_cost
               ? a->deletion_cost < b->deletion_cost
               : a > b;
  });
  for (const Placement* placement : placed) names.push_back(placement->pod);
  return names;
}

/// Binds the replica where it goes, and says what its deletion cost is there.
inline void bind(Cluster& cluster, const Pod& pod, Placement& placement) {
  if (placement.code != Code::success) return;
  cluster.bind(pod, placement.node);
  placement.deletion_cost =
      cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name).value_or(0);
}

/// Whether a workload controls a pod.
inline bool controls(const Pod& workload, const Pod& pod) {
  return namespace_of(pod.metadata) == namespace_of(workload.metadata) &&
         schedpol::detail::any_of(pod.metadata.owner_references, [&](const OwnerReference& owner) {
           return owner.controller && owner.name == workload.metadata.name &&
                  owner.kind == to_string(workload.kind) &&
                  (owner.api_version.empty() ||
                   is_in_group(workload.kind, api_group(owner.api_version)));
         });
}

/// The replicas of one workload, placed one after another as kube-scheduler would.
class ScheduledReplicas {
 public:
  /// Of the running pods those stay that are replicas already.
  ScheduledReplicas(Cluster cluster, BoundPods pods, Pod pod, std::span<const Pod> running)
      : cluster_(std::move(cluster)),
        pods_(std::move(pods)),
        pod_(std::move(pod)),
        name_(pod_.metadata.name),
        replicas_(pods_.nodes().size()) {
    if (pod_.kind != PodKind::stateful_set && pod_.kind != PodKind::daemon_set) return;
    for (const Pod& each : running) {
      const auto node = pods_.node_of(each.metadata.namespace_, each.metadata.name);
      if (node && controls(pod_, each)) kept_.try_emplace(each.metadata.name, *node);
    }
  }

  [[nodiscard]] Result<Plan> plan(std::int32_t replicas) && {
    if (pod_.kind == PodKind::daemon_set) {
      place_on_each_node();
    } else if (pod_.kind == PodKind::stateful_set) {
      for (std::int32_t i = 0; i < replicas && errors_.empty(); ++i) place_ordinal(i);
    } else {
      for (std::int32_t i = 0; i < replicas && errors_.empty(); ++i) place_new();
    }
    if (!errors_.empty()) return std::move(errors_);
    result_.scale_down = scale_down_order(pod_.kind, result_.placements);
    return std::move(result_);
  }

 private:
  void place_on_each_node() {
    schedpol::detail::append(pod_.spec.tolerations, scheduling_policy::daemon_set_tolerations());
    const NodeTable& table = pods_.nodes();
    const std::optional<Affinity> affinity = pod_.spec.affinity;
    const NodeSet picked =
        table.matching(NodeAffinityMatcher(pod_.spec)) & table.tolerated_by(pod_.spec.tolerations);
    std::map<std::string_view, std::string_view>
        kept_on;  // the name of the pod by that of its node
    for (const auto& [name, node] : kept_) kept_on.try_emplace(node, name);
    for (const std::size_t node : picked) {
      const auto kept = kept_on.find(table.name(node));
      if (kept != kept_on.end()) {
        keep(kept->second, kept->first);
        continue;
      }
      pod_.spec.affinity = affinity;
      require_name(table.name(node));
      place_new();
      if (!errors_.empty()) return;
    }
  }

  /// As the controller does: the name takes the place of every required term, which the node has met.
  void require_name(std::string_view name) {
    if (!pod_.spec.affinity) pod_.spec.affinity.emplace();
    auto& node = pod_.spec.affinity->node_affinity;
    if (!node) node.emplace();
    auto& required = node->required_during_scheduling_ignored_during_execution;
    required = NodeSelector{
        {{.match_fields = {{"metadata.name", NodeSelectorOperator::in, {std::string(name)}}}}}};
  }

  void place_ordinal(std::int32_t ordinal) {
    const std::string name = name_ + "-" + std::to_string(ordinal);
    const auto kept = kept_.find(name);
    if (kept != kept_.end()) {
      keep(kept->first, kept->second);
    } else if (is_taken(name)) {
      result_.placements.push_back(
          {.pod = name,
           .message = "pod " + in_backticks(name) + " is there and is not the StatefulSet's"});
    } else {
      place(name);
    }
  }

  /// Under the next name that no bound pod has.
  void place_new() {
    std::string name;
    do name = name_ + "-" + std::to_string(next_++);
    while (is_taken(name));
    place(std::move(name));
  }

  [[nodiscard]] bool is_taken(std::string_view name) const {
    return pods_.node_of(pod_.metadata.namespace_, name).has_value();
  }

  /// A replica that runs.
  void keep(std::string_view name, std::string_view node) {
    pod_.metadata.name = name;
    if (const auto number = pods_.nodes().find(node)) ++replicas_[*number];
    result_.placements.push_back(
        {.pod = pod_.metadata.name,
         .code = Code::success,
         .node = std::string(node),
         .unit = cluster_.prefilter(pod_).filter(node).unit,
         .deletion_cost = cluster_.deletion_cost(pod_.metadata.namespace_, name).value_or(0)});
  }

  void place(std::string name) {
    pod_.metadata.name = std::move(name);
    Placement placement;
    placement.pod = pod_.metadata.name;
    if (pod_.spec.scheduling_gates.empty()) {
      choose_node(placement);
    } else {
      placement.message = "Scheduling is blocked due to non-empty scheduling gates";
    }
    if (placement.code == Code::success) errors_ = pods_.bind(pod_, placement.node);
    bind(cluster_, pod_, placement);
    result_.placements.push_back(std::move(placement));
  }

  void choose_node(Placement& placement) {
    Result<FilteredNodes> found = pods_.filter(pod_);
    if (!found) {
      errors_ = std::move(found).errors();
      return;
    }
    FilteredNodes filtered = *std::move(found);
    const NodeTable& table = pods_.nodes();
    const Prefilter prefilter = cluster_.prefilter(pod_);
    if (prefilter.code() != Code::success && prefilter.code() != Code::skip) {
      placement.code = prefilter.code();
      placement.reason = prefilter.reason();
      filtered = {.conflict = std::string(to_string(prefilter.reason()))};
    }
    NodeSet best;
    std::int64_t highest_score = 0;
    for (const std::size_t node : filtered.feasible) {
      const Filter filter = prefilter.filter(table.name(node));
      const bool is_ruled = prefilter.code() == Code::success;
      if (is_ruled && filter.code != Code::success) {
        ++filtered.reasons[std::string(to_string(filter.reason))];
        if (placement.code != Code::unschedulable) {
          placement.code = filter.code;
          placement.reason = filter.reason;
        }
        continue;
      }
      const std::int64_t score = is_ruled ? prefilter.score(filter) : 0;
      if (!best.empty() && score < highest_score) continue;
      if (score > highest_score) best.clear();
      highest_score = score;
      best.insert(node);
    }
    if (best.empty()) {
      placement.message = message(filtered, table.nodes().size());
      return;
    }
    const NodeSet winners = highest(scores(best), best);
    std::size_t chosen = *winners.begin();
    for (const std::size_t node : winners)
      if (replicas_[node] < replicas_[chosen]) chosen = node;
    ++replicas_[chosen];
    placement.code = Code::success;
    placement.reason = Reason::none;
    placement.node = table.name(chosen);
    placement.unit = prefilter.filter(placement.node).unit;
  }

  /// What kube-scheduler scores of these nodes besides the policy, weighted.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeSet& nodes) const {
    const NodeTable& table = pods_.nodes();
    constexpr TaintEffect prefer_no_schedule[] = {TaintEffect::prefer_no_schedule};
    const NodeSet tolerated = table.tolerated_by(pod_.spec.tolerations, prefer_no_schedule);
    const auto by_labels =
        normalise_by_highest(table.scores(NodeAffinityMatcher(pod_.spec)), nodes);
    const auto by_pods = pods_.affinity_scores(pod_, nodes);
    std::vector<std::int64_t> sum = pods_.least_allocated(pod_, nodes);
    for (const std::size_t node : nodes)
      sum[node] += 3 * (tolerated.contains(node) ? max_node_score : 0) + 2 * by_labels[node] +
                   (by_pods ? 2 * (*by_pods)[node] : 0);
    return sum;
  }

  Cluster cluster_;
  BoundPods pods_;
  Pod pod_;
  std::string name_;
  std::vector<std::size_t> replicas_;        ///< on each node
  std::map<std::string, std::string> kept_;  ///< the nodes of the replicas that run, by their names
  std::size_t next_ = 0;                     ///< of the names of new replicas
  Plan result_;
  std::vector<FieldError> errors_;
};

}  // namespace detail

SCHEDPOL_INLINE Plan plan(Cluster cluster, std::span<const Node> nodes, Pod pod,
                          std::int32_t replicas) {
  Plan result;
  const std::string name = pod.metadata.name;
  std::set<std::string_view> names;
  std::vector<const Node*> distinct;
  for (const Node& node : nodes)
    if (names.insert(node.metadata.name).second) distinct.push_back(&node);
  std::vector<std::size_t> on_node(distinct.size());
  for (std::int32_t i = 0; i < replicas; ++i) {
    pod.metadata.name = name + "-" + std::to_string(i);
    Placement placement = detail::place(cluster, distinct, pod, on_node);
    detail::bind(cluster, pod, placement);
    result.placements.push_back(std::move(placement));
  }
  result.scale_down = detail::scale_down_order(pod.kind, result.placements);
  return result;
}

SCHEDPOL_INLINE Result<Plan> plan(Cluster cluster, BoundPods pods, Pod pod, std::int32_t replicas,
                                  std::span<const Pod> running) {
  return detail::ScheduledReplicas(std::move(cluster), std::move(pods), std::move(pod), running)
      .plan(replicas);
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#endif  // SCHEDPOL_SINGLE_INCLUDE_CLUSTER_BODIES
