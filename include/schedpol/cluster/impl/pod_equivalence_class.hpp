// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Bound pods that are equal in everything that other pods' terms can select. A selector or affinity term
/// matches all of them or none, so replicas are matched once.

#include <schedpol/base/impl/field_errors.hpp>
#include <schedpol/base/impl/slots.hpp>
#include <schedpol/base/impl/text_key.hpp>
#include <schedpol/core/impl/match_label_keys.hpp>
#include <schedpol/core/impl/selector_index.hpp>
#include <schedpol/core/pod_affinity.hpp>
#include <schedpol/core/resources.hpp>

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
