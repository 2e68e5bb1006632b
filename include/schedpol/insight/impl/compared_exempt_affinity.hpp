// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is exempt of one kind of affinity on one of two sides that are compared, put into lists of
/// terms. More of it takes no permission away and meets no less, so all of it is enough; besides
/// each by itself, which may be permitted over there as what is given, and all but what meets
/// something that is required over there.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/insight/impl/compared.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/impl/affinity_modes.hpp>
#include <schedpol/scheduling_policy/impl/exempt_items.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

template <class Kind>
class ExemptInKind {
 public:
  ExemptInKind(const Sides& sides, std::optional<Kind> Affinity::*kind, Budget& budget)
      : budget_(budget) {
    for (std::size_t side = 0; side < sides.size(); ++side)
      for_each_exempt_terms(*sides[side].options, kind, [&](const auto& terms) {
        for (const auto& term : terms.required) add_required(singles_[side], term);
        for (const auto& term : terms.preferred) {
          preferred(singles_[side].emplace_back()).push_back(term);
          weights_.push_back(term.weight);
        }
      });
  }

  [[nodiscard]] bool any() const noexcept { return !singles_[0].empty() || !singles_[1].empty(); }

  /// One that no exempt term has.
  [[nodiscard]] std::int32_t other_weight() const noexcept {
    std::int32_t weight = 1;
    while (schedpol::detail::contains(weights_, weight)) ++weight;
    return weight;
  }

  /// Adds to the lists of a mode each of the bases with what is exempt; those with all of it to
  /// `few`, too. `rules` are what the two sides list as required.
  template <class Rule>
  void add_to(const std::vector<Kind>& bases, bool is_required,
              const std::array<const Rule*, 2>& rules, std::vector<Kind>& lists,
              std::vector<Kind>& few) const {
    for (std::size_t side = 0; side < singles_.size(); ++side) {
      std::vector<Kind> of_mode;
      for (const Kind& single : singles_[side])
        if (has_required(single) == is_required) of_mode.push_back(single);
      if (of_mode.empty()) continue;
      std::vector<std::vector<Kind>> sets = {of_mode};
      for (const Kind& single : of_mode) sets.push_back({single});
      avoid(*rules[1 - side], of_mode, sets);
      for (std::size_t i = 0; i < sets.size(); ++i) {
        if (!budget_.spend(20 * bases.size() * (1 + sets[i].size())) ||
            !budget_.keep(sizeof(Kind) * bases.size() * (1 + sets[i].size())))
          return;
        for (const Kind& base : bases) {
          for (Kind& list : with(base, sets[i], is_required)) {
            if (i == 0) few.push_back(list);
            lists.push_back(std::move(list));
          }
        }
      }
    }
  }

 private:
  static auto& preferred(Kind& kind) {
    return kind.preferred_during_scheduling_ignored_during_execution;
  }
  static bool has_required(const Kind& kind) noexcept { return !terms_of(kind).required.empty(); }

  /// Expression by expression, or an empty term.
  static void add_required(std::vector<NodeAffinity>& singles, const NodeSelectorTerm& term) {
    const auto add = [&](NodeSelectorTerm part) {
      singles.emplace_back().required_during_scheduling_ignored_during_execution =
          NodeSelector{{std::move(part)}};
    };
    for (const NodeSelectorRequirement& each : term.match_expressions) add({{each}, {}});
    for (const NodeSelectorRequirement& each : term.match_fields) add({{}, {each}});
    if (is_empty(term)) add({});
  }
  static void add_required(std::vector<PodAffinity>& singles, const PodAffinityTerm& term) {
    singles.emplace_back().required_during_scheduling_ignored_during_execution = {term};
  }

  /// Adds those that meet nothing of what is required, for each of it.
  static void avoid(const NodeAffinityRule& rule, const std::vector<NodeAffinity>& all,
                    std::vector<std::vector<NodeAffinity>>& sets) {
    const auto add = [&](auto&& meets) {
      std::vector<NodeAffinity> rest = all;
      std::erase_if(rest, meets);
      if (!rest.empty() && rest.size() < all.size()) sets.push_back(std::move(rest));
    };
    for (const TermPattern& pattern : rule.node_selector_terms) {
      const RequiredTerm required(pattern);
      add([&](const NodeAffinity& single) {
        const NodeTerms terms = terms_of(single);
        return !terms.preferred.empty() && required.holds(terms.preferred[0].preference);
      });
      // An expression of a required term meets a part of it.
      const auto add_list = [&](const auto& patterns, auto list) {
        const auto has = [list](const NodeAffinity& single, auto&& holds) {
          const NodeTerms terms = terms_of(single);
          if (terms.required.empty()) return false;
          const auto& part = terms.required[0].*list;
          return schedpol::detail::any_of(part, holds);
        };
        if (patterns.is_any())
          add([&](const NodeAffinity& single) {
            return has(single, [](const auto&) { return true; });
          });
        for (const RequirementPattern& source : patterns.listed()) {
          const Pattern part(source);
          add([&](const NodeAffinity& single) {
            return has(single, [&](const auto& each) { return part.matches(each); });
          });
        }
      };
      add_list(pattern.match_expressions, &NodeSelectorTerm::match_expressions);
      add_list(pattern.match_fields, &NodeSelectorTerm::match_fields);
    }
  }
  static void avoid(const PodAffinityRule& rule, const std::vector<PodAffinity>& all,
                    std::vector<std::vector<PodAffinity>>& sets) {
    std::vector<PodAffinity> rest = all;
    std::erase_if(rest, [&](const PodAffinity& single) {
      const PodTerms terms = terms_of(single);
      return rule.topology_keys.contains(terms.required.empty()
                                             ? terms.preferred[0].pod_affinity_term.topology_key
                                             : terms.required[0].topology_key);
    });
    if (!rest.empty() && rest.size() < all.size()) sets.push_back(std::move(rest));
  }

  /// A list with some of it: in its terms, or as terms of its own.
  static std::vector<NodeAffinity> with(const NodeAffinity& base,
                                        const std::vector<NodeAffinity>& some, bool is_required) {
    NodeAffinity more = base;
    for (const NodeAffinity& single : some)
      preferred(more).insert(preferred(more).end(), terms_of(single).preferred.begin(),
                             terms_of(single).preferred.end());
    if (!is_required) return {more};
    NodeSelectorTerm joined;
    for (const NodeAffinity& single : some) join(joined, terms_of(single).required[0]);
    NodeSelector selector;
    for (const NodeSelectorTerm& term : terms_of(base).required)
      join(selector.node_selector_terms.emplace_back(term), joined);
    std::vector<NodeAffinity> lists;
    const auto add = [&] {
      lists.emplace_back().required_during_scheduling_ignored_during_execution = selector;
    };
    if (!selector.node_selector_terms.empty()) add();
    for (NodeSelectorTerm& term : selector.node_selector_terms)
      term = terms_of(base)
                 .required[static_cast<std::size_t>(&term - selector.node_selector_terms.data())];
    selector.node_selector_terms.push_back(joined);
    add();
    return lists;
  }
  static void join(NodeSelectorTerm& term, const NodeSelectorTerm& more) {
    for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
      (term.*list).insert((term.*list).end(), (more.*list).begin(), (more.*list).end());
  }
  static std::vector<PodAffinity> with(const PodAffinity& base,
                                       const std::vector<PodAffinity>& some, bool) {
    PodAffinity more = base;
    for (const PodAffinity& single : some) {
      const auto append = [](auto& list, const auto& from) {
        list.insert(list.end(), from.begin(), from.end());
      };
      append(more.required_during_scheduling_ignored_during_execution, terms_of(single).required);
      append(preferred(more), terms_of(single).preferred);
    }
    return {more};
  }

  Budget& budget_;
  std::array<std::vector<Kind>, 2> singles_;  ///< of each side
  std::vector<std::int32_t> weights_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
