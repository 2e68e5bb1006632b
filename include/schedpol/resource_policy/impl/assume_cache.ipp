// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/widest_matcher.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/assume_cache.hpp>
#include <schedpol/resource_policy/impl/cluster_impl.hpp>
#include <schedpol/resource_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// What counting needs of a pod, which is a small part of it.
struct ShownPod {
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

  friend bool operator==(const ShownPod&, const ShownPod&) = default;
};

inline ShownPod shown_pod(const Pod& pod) {
  return {pod.metadata.uid,
          pod.metadata.labels,
          pod.spec.node_name,
          pod.status.nominated_node_name,
          requests(pod.spec),
          is_terminal(pod),
          !pod.metadata.deletion_timestamp.empty()};
}

/// A pod that is counted like the one that was shown.
inline Pod pod_of(const PodKey& key, const ShownPod& shown) {
  Pod pod;
  pod.metadata = {.name = key.name, .namespace_ = key.namespace_, .labels = shown.labels};
  if (shown.terminating) pod.metadata.deletion_timestamp = "terminating";
  return pod;
}

/// A pod that nodes can take. Which these are, its cluster knows.
struct AssumedPod {
  Pod pod{};
  std::int64_t since = 0;
};

/// A pod that no node could take.
struct RefusedPod {
  Pod pod{};
  NodeSet nodes{};  ///< that did not, of those that are still there
  std::string reason{};
};

/// The pods that an invalid policy might be for.
struct InvalidPolicy {
  std::string name{};
  LabelMatcher pods{};
};

inline FieldError too_many_counters(const ResourcePolicy& policy, std::size_t number,
                                    std::size_t together) {
  return {ErrorType::too_many, FieldPath{"policies"}.index(number).join({"spec"}),
          std::to_string(together),
          "with the policies before it in its namespace: policies, units, twice what those limit "
          "and four times the match label keys must be at most " +
              std::to_string(max_namespace_counters) + " (in " +
              in_backticks(policy.metadata.name) + ")"};
}

}  // namespace detail

struct AssumeCache::Impl {
  /// The name of an invalid policy that might be for the pod.
  [[nodiscard]] Optional<std::string> invalid_policy_for(const Pod& pod) const {
    const auto found = invalid.find(namespace_of(pod.metadata));
    if (found == invalid.end()) return std::nullopt;
    for (const detail::InvalidPolicy& policy : found->second) {
      if (policy.pods.matches(pod.metadata.labels)) return policy.name;
    }
    return std::nullopt;
  }

  /// The pod is no longer assumed, nor does it wait.
  void forget(const detail::PodKey& key) {
    assumed.erase(key);
    unschedulable.erase(key);
  }

  /// The pod is no longer shown like this.
  void take_out(const detail::ShownPod& pod) {
    by_uid.erase(pod.uid);
    if (!pod.is_nominated()) return;
    const auto nominees = nominated.find(pod.nominated);
    if (--nominees->second == 0) nominated.erase(nominees);
  }

  /// Counts a pod as it is shown; what is assumed of it stays reserved.
  void count(const detail::PodKey& key) {
    if (!cluster.impl_) return;
    const auto found = pods.find(key);
    if (found != pods.end() && found->second.is_counted()) {
      const detail::ShownPod& shown = found->second;
      cluster.impl_->bind(detail::pod_of(key, shown), shown.node, &shown.requests);
    } else {
      cluster.unbind(key.namespace_, key.name);
    }
    reserve_nominated(key);
  }

  /// Reserves the place of a pod on the node that it is nominated to, if it is. Where it is assumed
  /// the places that it has stay.
  void reserve_nominated(const detail::PodKey& key) {
    if (assumed.contains(key)) return;
    const auto found = pods.find(key);
    if (found != pods.end() && found->second.is_nominated()) {
      const detail::ShownPod& shown = found->second;
      if (const auto number = cluster.nodes().find(shown.nominated)) {
        NodeSet nominee;
        nominee.insert(*number);
        return cluster.impl_->reserve(detail::pod_of(key, shown), nominee, &shown.requests);
      }
    }
    cluster.unreserve(key.namespace_, key.name);
  }

  /// What is assumed is reserved in another cluster as it is in this one, whose nodes may have other
  /// numbers.
  void reserve_assumed_in(Cluster& other) const {
    if (!cluster.impl_) return;  // no policies were known
    for (const auto& [key, assumption] : assumed) {
      const auto held = cluster.impl_->reserved.find(key);
      if (held == cluster.impl_->reserved.end()) continue;
      const NodeSet numbers = renumbered(held->second.nodes, other);
      other.impl_->reserve(assumption.pod, numbers, nullptr, held->second.absent_nodes);
    }
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
  std::map<std::string, Node, std::less<>> nodes;
  std::map<std::string, std::vector<detail::InvalidPolicy>, std::less<>> invalid;  ///< by namespace
  detail::ByPod<detail::ShownPod> pods;
  detail::ByPod<detail::AssumedPod> assumed;
  detail::ByPod<detail::RefusedPod> unschedulable;
  std::map<std::string, std::size_t, std::less<>> nominated;  ///< by node, how many pods
  std::map<std::string, detail::PodKey, std::less<>> by_uid;  ///< those that are bound
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
  state.invalid.clear();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    std::vector<FieldError> found = compile(policies.subspan(i, 1)).errors();
    for (FieldError& error : found) error.field = list.index(i).join(error.field.below(2));
    if (found.empty()) {
      std::size_t& before = used[namespace_of(policies[i].metadata)];
      const std::size_t together = before + counters(policies[i].spec);
      if (together <= max_namespace_counters) {
        before = together;
        valid.push_back(policies[i]);
        continue;
      }
      found.push_back(detail::too_many_counters(policies[i], i, together));
    }
    state.invalid[std::string(namespace_of(policies[i].metadata))].push_back(
        {policies[i].metadata.name,
         schedpol::detail::widest_matcher(policies[i].spec.pod_selector)});
    schedpol::detail::append(errors, std::move(found));
  }
  // Each of them compiled alone, and none looks at another: so there is a value.
  Cluster counted(*compile(valid), {}, {});
  for (const auto& [name, node] : state.nodes) counted.add_node(node);
  state.reserve_assumed_in(counted);
  for (auto& [key, refused] : state.unschedulable)
    refused.nodes = state.renumbered(refused.nodes, counted);
  state.cluster = std::move(counted);
  state.knows_policies = true;
  for (const auto& [key, pod] : state.pods) state.count(key);
  return errors;
}

SCHEDPOL_INLINE bool AssumeCache::knows_policies() const noexcept {
  return impl_ && impl_->knows_policies;
}

SCHEDPOL_INLINE void AssumeCache::show_node(const Node& node) {
  Impl& state = impl();
  Node kept;
  kept.metadata.name = node.metadata.name;
  kept.metadata.labels = node.metadata.labels;
  const auto [at, is_new] = state.nodes.try_emplace(node.metadata.name);
  if (!is_new && at->second == kept) return;
  at->second = std::move(kept);
  state.cluster.add_node(at->second);
  if (!is_new || !state.nominated.contains(node.metadata.name)) return;
  for (const auto& [key, pod] : state.pods) {
    if (pod.nominated == node.metadata.name) state.reserve_nominated(key);
  }
}

SCHEDPOL_INLINE void AssumeCache::show_node_gone(std::string_view name) {
  if (!impl_) return;
  if (const auto number = impl_->cluster.nodes().find(name))
    for (auto& [key, refused] : impl_->unschedulable) refused.nodes.erase(*number);
  impl_->cluster.remove_node(name);
  if (const auto found = impl_->nodes.find(name); found != impl_->nodes.end())
    impl_->nodes.erase(found);
}

SCHEDPOL_INLINE void AssumeCache::show_pod(const Pod& pod) {
  Impl& state = impl();
  const detail::PodKey key{pod.metadata.namespace_, pod.metadata.name};
  detail::ShownPod shown = detail::shown_pod(pod);
  detail::ShownPod& before = state.pods[key];
  if (before == shown) return;
  state.take_out(before);
  if (before.uid != shown.uid || !shown.may_be_bound()) state.forget(key);
  before = std::move(shown);
  if (before.is_counted()) state.by_uid.insert_or_assign(before.uid, key);
  if (before.is_nominated()) ++state.nominated[before.nominated];
  state.count(key);
}

SCHEDPOL_INLINE void AssumeCache::show_pod_gone(std::string_view namespace_, std::string_view name,
                                                std::string_view uid) {
  if (!impl_) return;
  Impl& state = *impl_;
  const detail::PodKey key{std::string(namespace_), std::string(name)};
  const auto found = state.pods.find(key);
  if (found == state.pods.end() || found->second.uid != uid) return;
  state.forget(key);
  state.take_out(found->second);
  state.pods.erase(found);
  state.count(key);
}

SCHEDPOL_INLINE bool AssumeCache::knows_pod(std::string_view namespace_, std::string_view name,
                                            std::string_view uid) const noexcept {
  if (!impl_) return false;
  const auto found = impl_->pods.find(PodName{namespace_, name});
  return found != impl_->pods.end() && found->second.uid == uid;
}

SCHEDPOL_INLINE void AssumeCache::assume(const Assumption& assumption, std::int64_t now) {
  Impl& state = impl();
  const ObjectMeta& pod = assumption.pod.metadata;
  const detail::PodKey key{pod.namespace_, pod.name};
  const auto shown = state.pods.find(key);
  if (shown == state.pods.end() || shown->second.uid != pod.uid || !shown->second.may_be_bound())
    return;
  state.forget(key);
  if (!assumption.nodes.empty()) {
    state.cluster.reserve(assumption.pod, assumption.nodes);
    state.assumed[key] = {assumption.pod, now};
    return;
  }
  if (!assumption.refused.empty())
    state.unschedulable[key] = {assumption.pod, assumption.refused, assumption.reason};
  state.reserve_nominated(key);
}

SCHEDPOL_INLINE std::size_t AssumeCache::expire(std::int64_t before) {
  if (!impl_) return 0;
  Impl& state = *impl_;
  std::vector<detail::PodKey> old;
  for (const auto& [key, assumption] : state.assumed) {
    if (assumption.since < before) old.push_back(key);
  }
  for (const detail::PodKey& key : old) {
    state.assumed.erase(key);
    state.reserve_nominated(key);
  }
  return old.size();
}

SCHEDPOL_INLINE std::size_t AssumeCache::assumed() const noexcept {
  return impl_ ? impl_->assumed.size() : 0;
}

SCHEDPOL_INLINE std::vector<WaitingPod> AssumeCache::waiting() const {
  std::vector<WaitingPod> all;
  if (!impl_) return all;
  const Impl& state = *impl_;
  for (const auto& [key, refused] : state.unschedulable) {
    const auto& [pod, nodes, reason] = refused;
    const Prefilter prefilter = state.cluster.prefilter(pod);
    const bool fits = !state.invalid_policy_for(pod) && !(prefilter.feasible() & nodes).empty();
    all.push_back({key.namespace_, key.name, pod.metadata.uid, std::string(prefilter.policy()),
                   reason, fits});
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
  const auto found = impl_->by_uid.find(uid);
  if (found == impl_->by_uid.end()) return std::nullopt;
  const auto& [name, pod] = *impl_->pods.find(found->second);  // which is there
  if (pod.node != node) return std::nullopt;
  return PodName{name.namespace_, name.name};
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
