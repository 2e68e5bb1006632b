// SPDX-License-Identifier: Apache-2.0
#pragma once

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

#include <schedpol/cluster/cluster.hpp>

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

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/assume_cache.ipp>
#endif
