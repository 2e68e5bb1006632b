// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/cluster/impl/bound_pods_impl.hpp>
#include <schedpol/cluster/impl/scored_nodes.hpp>
#include <schedpol/core/impl/required_terms.hpp>
#include <schedpol/impl/linkage.hpp>

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
