// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/assume_cache.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/impl/cluster_impl.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>
#include <schedpol/resource_policy/validate.hpp>

#include <cstddef>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// What counting needs of a pod, which is a small part of it.
struct ShownPod {
  std::string uid{};
  Labels labels{};
  std::string node{};  ///< where it is bound; empty: nowhere
  std::string nominated{};
  Resources requests{};
  bool over = false;
  bool terminating = false;

  [[nodiscard]] bool is_counted() const noexcept { return !node.empty() && !over; }
  [[nodiscard]] bool may_be_bound() const noexcept { return node.empty() && !over; }

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

/// A pod that is assumed, and the nodes by their numbers in the cluster.
struct AssumedPod {
  Labels labels{};
  NodeSet nodes{};
  Resources requests{};
  std::int64_t since = 0;
};

/// A pod that was told of no node.
struct UnschedulablePod {
  Pod pod{};
  NodeSet refused{};
  std::string reason{};
};

/// The pods that an invalid policy might be for.
struct InvalidPolicy {
  std::string name{};
  LabelMatcher pods{};
};

inline InvalidPolicy invalid_policy(const ResourcePolicy& policy) {
  auto pods = schedpol::compile(policy.spec.pod_selector.value_or(LabelSelector{}));
  if (!pods) pods = schedpol::compile(LabelSelector{});
  return {policy.metadata.name, *std::move(pods)};
}

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
  template <class T>
  using ByPod = std::map<detail::PodKey, T, detail::PodOrder>;

  std::vector<FieldError> set_policies(std::span<const ResourcePolicy> policies) {
    detail::Compilation compilation = detail::compile_each(policies);
    std::vector<FieldError> errors;
    std::vector<ResourcePolicy> valid;
    std::map<std::string_view, std::size_t> used;  // of the valid ones, by namespace
    invalid.clear();
    for (std::size_t i = 0; i < policies.size(); ++i) {
      std::vector<FieldError>& found = compilation.errors[i];
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
      invalid[std::string(namespace_of(policies[i].metadata))].push_back(
          detail::invalid_policy(policies[i]));
      errors.insert(errors.end(), std::make_move_iterator(found.begin()),
                    std::make_move_iterator(found.end()));
    }
    auto compiled = compile(valid);
    Cluster counted(compiled ? *std::move(compiled) : CompiledPolicies(), {}, {});
    for (const auto& [name, node] : nodes) counted.add_node(node);
    const auto renumber = [&](NodeSet& of) {
      NodeSet numbers;
      for (const std::size_t old : of) {
        const auto number = counted.nodes().find(cluster.nodes().name(old));
        if (number) numbers.insert(*number);
      }
      of = std::move(numbers);
    };
    for (auto& [key, pod] : assumed) renumber(pod.nodes);
    for (auto& [key, pod] : unschedulable) renumber(pod.refused);
    cluster = std::move(counted);
    knows_policies = true;
    for (const auto& [key, pod] : pods) count(key);
    return errors;
  }

  void show_node(const Node& node) {
    Node kept;
    kept.metadata.name = node.metadata.name;
    kept.metadata.labels = node.metadata.labels;
    const auto [at, is_new] = nodes.try_emplace(node.metadata.name);
    if (!is_new && at->second == kept) return;
    at->second = std::move(kept);
    cluster.add_node(at->second);
    if (!is_new) return;
    for (const auto& [key, name] : nominated) {
      if (name == node.metadata.name) reserve(key);
    }
  }

  void show_pod(const Pod& pod) {
    const detail::PodKey key{pod.metadata.namespace_, pod.metadata.name};
    detail::ShownPod shown = detail::shown_pod(pod);
    detail::ShownPod& before = pods[key];
    if (before == shown) return;
    by_uid.erase(before.uid);
    nominated.erase(key);
    if (before.uid != shown.uid || !shown.may_be_bound()) forget(key);
    before = std::move(shown);
    if (before.is_counted()) by_uid.insert_or_assign(before.uid, key);
    if (before.may_be_bound() && !before.nominated.empty())
      nominated.emplace(key, before.nominated);
    count(key);
  }

  void show_pod_gone(PodName name, std::string_view uid) {
    const detail::PodKey key{std::string(name.namespace_), std::string(name.name)};
    const auto found = pods.find(key);
    if (found == pods.end() || found->second.uid != uid) return;
    forget(key);
    by_uid.erase(found->second.uid);
    nominated.erase(key);
    pods.erase(found);
    count(key);
  }

  void assume(const Assumption& assumption, std::int64_t now) {
    const ObjectMeta& pod = assumption.pod.metadata;
    const detail::PodKey key{pod.namespace_, pod.name};
    const auto shown = pods.find(key);
    if (shown == pods.end() || shown->second.uid != pod.uid || !shown->second.may_be_bound())
      return;
    forget(key);
    if (!assumption.nodes.empty()) {
      assumed.emplace(key, detail::AssumedPod{pod.labels, assumption.nodes,
                                              requests(assumption.pod.spec), now});
    } else if (!assumption.refused.empty()) {
      unschedulable.emplace(
          key, detail::UnschedulablePod{assumption.pod, assumption.refused, assumption.reason});
    }
    reserve(key);
  }

  [[nodiscard]] std::vector<WaitingPod> waiting() const {
    std::vector<WaitingPod> all;
    for (const auto& [key, each] : unschedulable) {
      const Prefilter prefilter = cluster.prefilter(each.pod);
      const bool fits =
          !invalid_policy_for(each.pod) && !(prefilter.feasible() & each.refused).empty();
      all.push_back({key.namespace_, key.name, each.pod.metadata.uid,
                     std::string(prefilter.policy()), each.reason, fits});
    }
    return all;
  }

  /// The name of an invalid policy that might be for the pod.
  [[nodiscard]] Optional<std::string> invalid_policy_for(const Pod& pod) const {
    const auto found = invalid.find(namespace_of(pod.metadata));
    if (found == invalid.end()) return std::nullopt;
    for (const detail::InvalidPolicy& policy : found->second) {
      if (policy.pods.matches(pod.metadata.labels)) return policy.name;
    }
    return std::nullopt;
  }

  std::size_t expire(std::int64_t before) {
    std::vector<detail::PodKey> old;
    for (const auto& [key, pod] : assumed) {
      if (pod.since < before) old.push_back(key);
    }
    for (const detail::PodKey& key : old) {
      assumed.erase(key);
      reserve(key);
    }
    return old.size();
  }

  /// The pod is no longer assumed, nor does it wait.
  void forget(const detail::PodKey& key) {
    assumed.erase(key);
    unschedulable.erase(key);
  }

  /// Counts a pod as it is shown and assumed.
  void count(const detail::PodKey& key) {
    const auto found = pods.find(key);
    if (found != pods.end() && found->second.is_counted()) {
      bind(detail::pod_of(key, found->second), found->second.node, found->second.requests);
    } else {
      cluster.unbind(key.namespace_, key.name);
    }
    reserve(key);
  }

  void reserve(const detail::PodKey& key) {
    const auto pod = assumed.find(key);
    if (pod != assumed.end())
      return reserve(detail::pod_of(key, {.labels = pod->second.labels}), pod->second.nodes,
                     pod->second.requests);
    NodeSet nominee;
    if (const auto found = nominated.find(key); found != nominated.end()) {
      if (const auto number = cluster.nodes().find(found->second)) nominee.insert(*number);
    }
    if (nominee.empty()) return cluster.unreserve(key.namespace_, key.name);
    const detail::ShownPod& shown = pods.find(key)->second;
    reserve(detail::pod_of(key, shown), nominee, shown.requests);
  }

  void bind(const Pod& pod, std::string_view node, const Resources& requests) {
    if (cluster.impl_) cluster.impl_->bind(pod, node, &requests);
  }
  void reserve(const Pod& pod, const NodeSet& on, const Resources& requests) {
    if (cluster.impl_) cluster.impl_->reserve(pod, on, &requests);
  }

  bool knows_policies = false;
  Cluster cluster{CompiledPolicies(), {}, {}};
  std::map<std::string, Node, std::less<>> nodes;
  std::map<std::string, std::vector<detail::InvalidPolicy>, std::less<>> invalid;  ///< by namespace
  ByPod<detail::ShownPod> pods;
  ByPod<detail::AssumedPod> assumed;
  ByPod<detail::UnschedulablePod> unschedulable;
  ByPod<std::string> nominated;  ///< the nodes of those that are not bound
  std::map<std::string, detail::PodKey, std::less<>> by_uid;  ///< those that are bound
};

SCHEDPOL_INLINE AssumeCache::Impl& AssumeCache::impl() {
  if (!impl_) impl_ = Owned<Impl>(Impl());
  return *impl_;
}

SCHEDPOL_INLINE std::vector<FieldError> AssumeCache::set_policies(
    std::span<const ResourcePolicy> policies) {
  return impl().set_policies(policies);
}

SCHEDPOL_INLINE bool AssumeCache::knows_policies() const noexcept {
  return impl_ && impl_->knows_policies;
}

SCHEDPOL_INLINE void AssumeCache::show_node(const Node& node) {
  impl().show_node(node);
}

SCHEDPOL_INLINE void AssumeCache::show_node_gone(std::string_view name) {
  if (!impl_) return;
  impl_->cluster.remove_node(name);
  if (const auto found = impl_->nodes.find(name); found != impl_->nodes.end())
    impl_->nodes.erase(found);
}

SCHEDPOL_INLINE void AssumeCache::show_pod(const Pod& pod) {
  impl().show_pod(pod);
}

SCHEDPOL_INLINE void AssumeCache::show_pod_gone(std::string_view namespace_, std::string_view name,
                                                std::string_view uid) {
  if (impl_) impl_->show_pod_gone({namespace_, name}, uid);
}

SCHEDPOL_INLINE bool AssumeCache::knows_pod(std::string_view namespace_, std::string_view name,
                                            std::string_view uid) const noexcept {
  if (!impl_) return false;
  const auto found = impl_->pods.find(PodName{namespace_, name});
  return found != impl_->pods.end() && found->second.uid == uid;
}

SCHEDPOL_INLINE void AssumeCache::assume(const Assumption& assumption, std::int64_t now) {
  impl().assume(assumption, now);
}

SCHEDPOL_INLINE std::size_t AssumeCache::expire(std::int64_t before) {
  return impl_ ? impl_->expire(before) : 0;
}

SCHEDPOL_INLINE std::size_t AssumeCache::assumed() const noexcept {
  return impl_ ? impl_->assumed.size() : 0;
}

SCHEDPOL_INLINE std::vector<WaitingPod> AssumeCache::waiting() const {
  return impl_ ? impl_->waiting() : std::vector<WaitingPod>();
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
