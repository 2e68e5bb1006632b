// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What `BoundPods` keeps. A node keeps its place while pods are bound to it, whether or not it is there.

#include <schedpol/core/bound_pods.hpp>
#include <schedpol/core/impl/alike_pods.hpp>
#include <schedpol/core/impl/allocation.hpp>
#include <schedpol/core/impl/pod_key.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/impl/spread_constraint.hpp>
#include <schedpol/core/impl/topology.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// A node by its name, and the pods that are bound to it, whether or not it is there.
struct Place {
  std::string name{};
  std::optional<std::size_t> node{};  ///< its number, while it is there
  Labels labels{};
  std::vector<Taint> taints{};
  Resources allocatable{};
  Requested requested{};
  std::size_t pods = 0;
};

/// Sums by the domains of one topology key.
struct DomainSums {
  const Topology* topology = nullptr;  ///< null: no node has the key
  std::vector<std::int64_t> sums{};

  void add(std::size_t place, std::int64_t more) {
    if (topology == nullptr || topology->domain_of(place) == Topology::no_domain) return;
    sums.resize(topology->size());
    sums[topology->domain_of(place)] += more;
  }
  /// Zero where nothing was added.
  [[nodiscard]] std::int64_t at(std::size_t place) const noexcept {
    if (topology == nullptr) return 0;
    const std::size_t domain = topology->domain_of(place);
    return domain < sums.size() ? sums[domain] : 0;
  }
};

}  // namespace detail

struct BoundPods::Impl {
  struct Bound {
    std::size_t alike = 0;
    std::size_t place = 0;
  };

  NodeTable table;
  std::vector<std::size_t> place_of;  ///< by number of a node
  std::vector<detail::Room> rooms;    ///< by number of a node
  std::vector<detail::Place> places;
  std::vector<std::size_t> free;
  std::map<std::string, std::size_t, std::less<>> by_name;
  std::map<std::string, detail::Topology, std::less<>> topologies;
  detail::AlikePodsTable pods;
  detail::ByPod<Bound> bound;
  std::map<std::string, Labels, std::less<>> namespaces;
  NodeSet unschedulable;

  /// Sums of several terms, those of one topology key together.
  struct SumsByKey {
    explicit SumsByKey(const Impl& impl) noexcept : of_(impl) {}

    detail::DomainSums& of(const std::string& key) {
      const auto [at, is_new] = numbers_.try_emplace(key, 0);
      if (is_new) {
        at->second = all.size();
        all.push_back({of_.topology(key)});
      }
      return all[at->second];
    }

    std::vector<detail::DomainSums> all;

   private:
    const Impl& of_;
    std::map<std::string, std::size_t, std::less<>> numbers_;
  };

  std::size_t find_place(std::string_view name) {
    const auto found = by_name.find(name);
    if (found != by_name.end()) return found->second;
    if (free.empty()) {
      free.push_back(places.size());
      places.emplace_back();
    }
    const std::size_t place = free.back();
    free.pop_back();
    places[place].name = name;
    by_name.emplace(name, place);
    return place;
  }
  void leave(std::size_t place) {
    if (places[place].node || places[place].pods > 0) return;
    by_name.erase(places[place].name);
    places[place] = {};
    free.push_back(place);
  }

  const detail::Topology* topology(const std::string& key) const noexcept {
    const auto found = topologies.find(key);
    return found == topologies.end() ? nullptr : &found->second;
  }
  void remove_labels(std::size_t place) {
    for (const auto& [key, value] : places[place].labels) {
      const auto topology = topologies.find(key);
      topology->second.remove(place, value);
      if (topology->second.empty()) topologies.erase(topology);
    }
  }

  const Labels& labels_of(std::string_view namespace_) const noexcept {
    static const Labels none;
    const auto found = namespaces.find(namespace_);
    return found == namespaces.end() ? none : found->second;
  }

  /// After what a node has, or its pods request, is another.
  void update_room(const detail::Place& place) {
    if (!place.node) return;
    Resources left = place.allocatable;
    left -= place.requested.resources;
    const Resources& scored = place.requested.scored;
    rooms[*place.node] = {
        left.milli_cpu,           left.memory,      left.pods,    place.allocatable.milli_cpu,
        place.allocatable.memory, scored.milli_cpu, scored.memory};
  }

  void remove_from(std::size_t at, const detail::Requested& requested) {
    detail::Place& place = places[at];
    --place.pods;
    if (!detail::is_at_bound(place.requested.resources) &&
        !detail::is_at_bound(place.requested.scored)) {
      place.requested.resources -= requested.resources;
      place.requested.scored -= requested.scored;
    } else {  // of a sum that is cut off at the bounds of int64 nothing can be taken
      place.requested = {};
      pods.for_each_on(at, [&](const detail::AlikePods& alike, std::int64_t count) {
        for (; count > 0; --count) detail::add_to(place.requested, alike.requested);
      });
    }
    update_room(place);
  }

  /// Calls `use(place, pods)` for all places with pods that a term of `pod` speaks of; a node that is not there
  /// is in no domain.
  template <class Use>
  void for_each_spoken_of(const detail::AffinityTerm& term, Use use) const {
    pods.for_each(term.criteria, [&](const detail::AlikePods& alike) {
      if (!term.matcher.matches(alike.pod, labels_of(alike.pod.metadata.namespace_))) return;
      for (const detail::PodsOnNode& on : alike.on) use(on.place, on.pods);
    });
  }

  void take_without_room(const Pod& pod, PodFit& fit) const;
  void take_skewed(const Pod& pod, const std::vector<detail::SpreadConstraint>& constraints,
                   PodFit& fit) const;
  void take_by_affinity(const Pod& pod, const std::vector<detail::AffinityTerm>& terms,
                        PodFit& fit) const;
  std::vector<std::int64_t> allocation_scores(const Pod& pod, const NodeSet& nodes,
                                              bool least) const;
};

}  // namespace SCHEDPOL_NAMESPACE
