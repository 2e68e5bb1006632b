// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The counts of a scheduler extender: what its watch has shown, which is late, and what it has told the
/// scheduler since. It is kube-scheduler's assume cache as seen from outside, made so that no unit ever
/// has more than its maxCount and maxResources, however late the watch is:
///
/// 1. What the watch shows counts: a pod that is bound, where it is bound, until it is terminal or gone.
/// 2. Who is told that a pod may go to some nodes will bind it to one of them, and nobody says to
///    which before the watch shows it. So the pod is assumed: it counts on every unit that has one
///    of those nodes. Two pods in a row never get the last place of a unit; the price is that a pod
///    is kept from a unit that only looks full, until the watch has caught up.
/// 3. Only a pod that the watch shows, by its uid, and not as bound or terminal, is assumed: whoever asks
///    for a pod that does not exist takes no place.
/// 4. It no longer is when the watch shows that it is bound, terminal or gone; when the scheduler asks for
///    it again, which it does when the binding failed (it counts for the new answer then, and never
///    against itself); and when that was longer ago than a binding can take (`expire`).
/// 5. A pod that is not bound, and that the watch shows as nominated to a node, counts there: the
///    scheduler says so of a pod whose binding takes long, or that waits for its victims to go.
/// 6. A pod that was told of no node waits until it is asked for again, bound, terminal or gone. A
///    scheduler asks again when something happens that it watches, which ResourcePolicies are not.
/// 7. A policy that is invalid harms only the pods that it might be for: those that its podSelector
///    selects, or all of its namespace where that is invalid itself, get no node.
/// 8. Invalid is also one that has, with the valid ones before it in its namespace, more than
///    `max_namespace_counting_cost`: what a pod takes is bounded, whatever policies somebody writes.
///
/// An extender that bound pods itself would know where they are. But no pod could be bound while it is
/// down, and the next pod would be asked about before the binding is done all the same.
///
/// There has to be one such state for a cluster: two that do not tell each other what they assume
/// give the same place away twice. It is a value, and its time is what the caller says it is.

#include <schedpol/cluster/cluster.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// A pod and what a scheduler was told of nodes, by the numbers that they had then: it is assumed
/// before anything else changes the state.
struct Assumption {
  Pod pod{};        ///< what tells it from others, its labels, and what it requests
  NodeSet nodes{};  ///< that can take it
  NodeSet refused{};
  std::string reason{};  ///< why one of `refused` was: a unit that others fill, if any

  friend bool operator==(const Assumption&, const Assumption&) = default;
};

/// A pod that waits, as rule 6 says.
struct WaitingPod {
  std::string namespace_{};
  std::string name{};
  std::string uid{};
  std::string policy{};  ///< the name of its ResourcePolicy; empty: there is not exactly one
  std::string reason{};  ///< as it was told
  bool fits = false;     ///< whether one of the nodes that did not take it does by now

  friend bool operator==(const WaitingPod&, const WaitingPod&) = default;
};

/// Default-constructed no policies are known, so no pod gets a node; moved from, the same.
class AssumeCache {
 public:
  /// Puts policies in place of all that were known, and counts anew. Returns what is wrong with
  /// them, with paths that begin with `policies[i]`; those that are right hold all the same.
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

  /// The scheduler was told where a pod may go, at a time in whatever unit the caller counts.
  void assume(const Assumption& assumption, std::int64_t now);

  /// Forgets what was assumed before that time; how many pods it was.
  std::size_t expire(std::int64_t before);

  /// How many pods are assumed.
  [[nodiscard]] std::size_t assumed() const noexcept;

  /// The pods that wait, by namespace and name; in O(pods that wait or are assumed).
  [[nodiscard]] std::vector<WaitingPod> waiting() const;

  /// Counts of all that is shown and assumed.
  [[nodiscard]] const Cluster& cluster() const& noexcept;
  const Cluster& cluster() const&& = delete;  // it would outlive its state

  /// The name of an invalid policy that might be for the pod.
  [[nodiscard]] Optional<std::string> invalid_policy(const Pod& pod) const;

  /// The bound pod of a uid, on that node, valid until this changes; none where the watch shows none. A
  /// pod that was shown without a namespace is in `default`.
  [[nodiscard]] Optional<PodName> bound_pod(std::string_view uid,
                                            std::string_view node) const noexcept;

 private:
  struct Impl;

  Impl& impl();  ///< made where there is none

  Owned<Impl> impl_;  ///< none before anything is known
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/assume_cache.ipp>
#endif
