// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The implementation of `BoundPods`. A node keeps its slot while pods are bound to it, even if it is removed.

#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/cluster/impl/pod_equivalence_class.hpp>
#include <schedpol/cluster/impl/pod_key.hpp>
#include <schedpol/cluster/impl/spread_constraint.hpp>
#include <schedpol/cluster/node_scores.hpp>
#include <schedpol/core/impl/container_requests.hpp>

#include <limits>

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
