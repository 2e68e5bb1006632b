// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/quoting.hpp>
#include <schedpol/cluster/assume_cache.hpp>
#include <schedpol/cluster/impl/cluster_impl.hpp>
#include <schedpol/core/impl/widest_matcher.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/validate.hpp>

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
