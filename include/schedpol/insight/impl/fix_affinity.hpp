// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The lists of terms that one mode of a kind of affinity may become, those that keep more of what the
/// pod says first; the nearest of those that are allowed is the fix.

#include <schedpol/insight/impl/compare_affinity.hpp>
#include <schedpol/insight/impl/list_edits.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class FixedAffinity {
 public:
  /// Of a policy reduced to the kind, for a pod that is fixed so far.
  FixedAffinity(const Side& side, const PodSpec& spec, Budget& budget)
      : side_(side), spec_(spec), budget_(budget) {}

  /// What a mode of node affinity may become.
  std::vector<NodeAffinity> of_mode(const AffinityKind<NodeAffinity, NodeAffinityRule>& kind,
                                    const NodeAffinity& old, bool is_required) {
    const Sides sides = {side_, side_};
    std::vector<NodeAffinity> kinds;
    const auto terms = terms_of(old);
    std::vector<NodeSelectorTerm> parts;
    if (is_required) parts = terms.required;
    if (!is_required)
      for (const PreferredSchedulingTerm& term : terms.preferred) parts.push_back(term.preference);
    NodeAffinityProbes rule(sides, is_required, budget_);
    const auto& required = rule.required(0);
    const bool every = is_required && !required.empty() &&
                       side_.options->required_affinity != RequiredAffinity::present;
    std::vector<std::optional<NodeSelectorTerm>> permitted;
    std::vector<std::optional<NodeSelectorTerm>> holding;
    const ExemptTerms<NodeAffinity> exempt = side_.exempt().of(kind.member);
    const std::vector<NodeSelectorTerm> all_permitted = rule.permitted(parts, 0);
    const auto& rule_of_mode = rule_of(side_, kind, is_required);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const NodeSelectorTerm& term = parts[i];
      const bool is_exempt =
          is_required ? exempt.contain(term) : exempt.contain(terms.preferred[i]);
      const NodeSelectorTerm& kept = is_exempt ? term : all_permitted[i];
      const bool gone =
          is_empty(kept) && !(is_empty(term) && (is_exempt || rule_of_mode.mentioned));
      permitted.push_back(gone ? std::nullopt : std::optional(kept));
      holding.push_back(rule.term_holding(required, 0, nullptr, kept));
    }
    const auto least = rule.term_holding(required, 0);
    const auto add = [&](const std::vector<std::optional<NodeSelectorTerm>>& list,
                         bool with_least) {
      add_terms(kinds.emplace_back(), terms.preferred, list, with_least ? least : std::nullopt,
                is_required);
    };
    add(every ? holding : permitted, false);
    // What takes the place of the first bad one holds all.
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (permitted[i] == parts[i]) continue;
      auto one = permitted;
      one[i] = holding[i];
      add(one, false);
      break;
    }
    add(every ? holding : permitted, true);
    const auto is_held = [&](const NodeSelectorTerm& term) {
      return !every ||
             (budget_.spend(parts_of(term) * (1 + required_patterns(side_.spec().required))) &&
              rule_of_mode.is_held({term}, NoPairs{}));
    };
    std::vector<NodeSelectorTerm> others = present(permitted);
    schedpol::detail::append(others, present(holding));
    if (least) others.push_back(*least);
    // What the default gives to any pod, and to this one.
    std::vector<NodeAffinity> given = injected_by(side_, kind.member);
    Pod bare{.spec = spec_};
    if (bare.spec.affinity) (*bare.spec.affinity).*kind.member = std::nullopt;
    const std::optional<Affinity> to_this =
        apply_defaults(std::move(bare), side_.policy, *side_.options).pod.spec.affinity;
    if (to_this && (*to_this).*kind.member) given.push_back(*((*to_this).*kind.member));
    for (const NodeAffinity& injected : given) {
      kinds.push_back(injected);
      kinds.push_back(injected_beside_exempt(old, injected, exempt, budget_, is_held));
      const NodeSelectorTerm more = all_parts(terms_of(given.front()).required);
      for (NodeSelectorTerm term : terms_of(injected).required) {
        others.push_back(term);
        for (const auto list :
             {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
          for (const NodeSelectorRequirement& part : more.*list)
            if (!is_held(term) && !schedpol::detail::contains(term.*list, part))
              (term.*list).push_back(part);
        others.push_back(std::move(term));
      }
    }
    // To what is exempt alone the default is added.
    std::vector<std::optional<NodeSelectorTerm>> only_exempt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const NodeSelectorTerm part = is_required ? exempt.part_of(parts[i]) : parts[i];
      const bool stays = is_required ? !is_empty(part) || exempt.contain(parts[i])
                                     : exempt.contain(terms.preferred[i]);
      only_exempt.push_back(stays ? std::optional(part) : std::nullopt);
    }
    add(only_exempt, false);
    exempt.for_each([&](const NodeTerms& some) {
      schedpol::detail::append(others, std::vector(some.required));
    });
    if (is_required) others_ = std::move(others);
    return kinds;
  }

  /// Calls `f` with each list of required terms that is one edit away, once `of_mode` was asked for the
  /// mode: a term gone, or another one in its place with what is exempt in it, or at the end. Of what the
  /// default gives and what is exempt together more is permitted than by the rules of either.
  template <class F>
  void for_each_single_edit(const NodeAffinity& old, F&& f) {
    const std::vector<NodeSelectorTerm>& terms = terms_of(old).required;
    if ((terms.size() + 1) * (others_.size() + 1) > max_single_edits) return;
    const ExemptTerms<NodeAffinity> exempt = side_.exempt().of(node_affinity_kind.member);
    for (std::size_t i = 0; i <= terms.size(); ++i) {
      NodeAffinity kind;
      auto& list =
          kind.required_during_scheduling_ignored_during_execution.emplace().node_selector_terms;
      list = terms;
      if (i == terms.size()) list.emplace_back();
      for (const NodeSelectorTerm& other : others_) {
        NodeSelectorTerm& term = list[i];
        term = other;
        if (i < terms.size()) {
          NodeSelectorTerm own = exempt.part_of(terms[i]);
          schedpol::detail::append(term.match_expressions, std::move(own.match_expressions));
          schedpol::detail::append(term.match_fields, std::move(own.match_fields));
        }
        f(kind);
      }
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      if (i < terms.size()) f(list.empty() ? NodeAffinity{} : kind);
    }
  }

  /// What a mode of pod affinity or anti-affinity may become.
  template <class Rule>
  std::vector<PodAffinity> of_mode(const AffinityKind<PodAffinity, Rule>& kind,
                                   const PodAffinity& old, bool is_required) {
    const Texts& keys =
        listed_in(side_.spec().required, kind, mode_name(is_required)).topology_keys;
    // Where any will do, one that every node has.
    const std::string key = keys.empty() ? "kubernetes.io/hostname" : keys.front();
    std::vector<WeightedPodAffinityTerm> terms;
    if (is_required) {
      for (const PodAffinityTerm& term : old.required_during_scheduling_ignored_during_execution)
        terms.push_back({1, term});
    } else {
      terms = old.preferred_during_scheduling_ignored_during_execution;
    }
    std::vector<PodAffinity> kinds;
    const auto add = [&](const std::vector<WeightedPodAffinityTerm>& list) {
      PodAffinity& affinity = kinds.emplace_back();  // of which the other mode is not looked at
      affinity.preferred_during_scheduling_ignored_during_execution = list;
      for (const WeightedPodAffinityTerm& term : list)
        affinity.required_during_scheduling_ignored_during_execution.push_back(
            term.pod_affinity_term);
    };
    const ExemptTerms<PodAffinity> exempt = side_.exempt().of(kind.member);
    std::vector<WeightedPodAffinityTerm> kept;
    std::vector<WeightedPodAffinityTerm> with_key;  // in place of the first bad one
    bool replaced = false;
    for (const WeightedPodAffinityTerm& term : terms) {
      const bool is_permitted =
          rule_of(side_, kind, is_required).permits(term.pod_affinity_term.topology_key) ||
          (is_required ? exempt.contain(term.pod_affinity_term) : exempt.contain(term));
      if (is_permitted) kept.push_back(term);
      if (is_permitted || !replaced) with_key.push_back(term);
      if (!is_permitted && !std::exchange(replaced, true))
        with_key.back().pod_affinity_term.topology_key = key;
    }
    add(kept);
    add(with_key);
    kept.push_back({1, {.topology_key = key}});
    add(kept);
    // And what is given, or nothing, beside what is exempt; to that alone the default is added,
    // which may meet what is required.
    std::vector<PodAffinity> given = injected_by(side_, kind.member);
    given.emplace_back();
    const auto is_listed = [&](const auto& term) {
      return keys.empty() ||
             schedpol::detail::contains(keys, schedpol::detail::part_of(term).topology_key);
    };
    for (const PodAffinity& injected : given) {
      kinds.push_back(injected_beside_exempt(old, injected, exempt, budget_));
      kinds.push_back(injected_beside_exempt(old, injected, exempt, budget_, is_listed));
    }
    return kinds;
  }

 private:
  /// With terms instead of those of one mode; of the preferred ones each keeps its weight.
  static void add_terms(NodeAffinity& kind, const std::vector<PreferredSchedulingTerm>& old,
                        const std::vector<std::optional<NodeSelectorTerm>>& terms,
                        const std::optional<NodeSelectorTerm>& more, bool required) {
    std::vector<NodeSelectorTerm> list;
    std::vector<PreferredSchedulingTerm> preferred;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (!terms[i]) continue;
      list.push_back(*terms[i]);
      preferred.push_back({i < old.size() ? old[i].weight : 1, *terms[i]});
    }
    if (more) {
      list.push_back(*more);
      preferred.push_back({1, *more});
    }
    if (required) {
      set_required(kind, std::move(list));
    } else {
      kind.preferred_during_scheduling_ignored_during_execution = std::move(preferred);
    }
  }

  static std::vector<NodeSelectorTerm> present(
      const std::vector<std::optional<NodeSelectorTerm>>& terms) {
    std::vector<NodeSelectorTerm> present;
    for (const std::optional<NodeSelectorTerm>& term : terms)
      if (term) present.push_back(*term);
    return present;
  }

  const Side& side_;
  const PodSpec& spec_;
  Budget& budget_;
  std::vector<NodeSelectorTerm> others_{};  ///< that may take the place of a required one
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
