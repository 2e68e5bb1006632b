// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which items of a pod are exempt by the options (`options.hpp`). The lists are short, so they are
/// searched as they are, without an index.

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Calls `f` with all criteria that are exempt.
template <class F>
void for_each_criteria(const Options& options, F&& f) {
  f(options.exempt);
  for (const SharedCriteria& criteria : options.exempt_criteria) f(*criteria);
}

/// Calls `f` with what is exempt of one kind of affinity, once for each object that adds to it.
template <class Kind, class F>
void for_each_exempt_terms(const Options& options, std::optional<Kind> Affinity::*kind, F&& f) {
  for_each_criteria(options,
                    [&](const SchedulingCriteria& exempt) { f(terms_of(exempt.affinity, kind)); });
}

/// Whether a term holds all of another.
inline bool holds_all(const NodeSelectorTerm& term, const NodeSelectorTerm& other) {
  const auto holds = [&](auto list) {
    return schedpol::detail::all_of(other.*list, [&](const auto& each) {
      return schedpol::detail::contains(term.*list, each);
    });
  };
  return holds(&NodeSelectorTerm::match_expressions) && holds(&NodeSelectorTerm::match_fields);
}

/// The exempt terms of one kind of affinity.
template <class Kind>
class ExemptTerms {
 public:
  ExemptTerms(const Options& options, std::optional<Kind> Affinity::*kind) noexcept
      : options_(options), kind_(kind) {}

  /// One expression of a required node term.
  [[nodiscard]] bool contain(
      const NodeSelectorRequirement& expression,
      std::vector<NodeSelectorRequirement> NodeSelectorTerm::*list) const noexcept {
    return any_required([&](const NodeSelectorTerm& exempt) {
      const std::vector<NodeSelectorRequirement>& all = exempt.*list;
      return schedpol::detail::contains(all, expression);
    });
  }

  /// Everything in a required node term.
  [[nodiscard]] bool contain(const NodeSelectorTerm& term) const noexcept {
    if (is_empty(term))
      return any_required([](const NodeSelectorTerm& exempt) { return is_empty(exempt); });
    return contain_each(term, &NodeSelectorTerm::match_expressions) &&
           contain_each(term, &NodeSelectorTerm::match_fields);
  }
  /// Any other term, as a whole.
  [[nodiscard]] bool contain(const PreferredSchedulingTerm& term) const noexcept {
    return any([&](const auto& exempt) { return has(exempt.preferred, term); });
  }
  [[nodiscard]] bool contain(const PodAffinityTerm& term) const noexcept {
    return any_required([&](const PodAffinityTerm& exempt) { return exempt == term; });
  }
  [[nodiscard]] bool contain(const WeightedPodAffinityTerm& term) const noexcept {
    return any([&](const auto& exempt) { return has(exempt.preferred, term); });
  }

  /// What of a required node term is exempt.
  [[nodiscard]] NodeSelectorTerm part_of(const NodeSelectorTerm& term) const {
    NodeSelectorTerm part;
    for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
      for (const NodeSelectorRequirement& each : term.*list)
        if (contain(each, list)) (part.*list).push_back(each);
    return part;
  }

  /// Calls `f` with the terms, once for each object that adds to them.
  template <class F>
  void for_each(F&& f) const {
    for_each_exempt_terms(options_, kind_, f);
  }

  /// Each of some terms.
  template <class Term>
  [[nodiscard]] bool contain(const std::vector<Term>& terms) const noexcept {
    return schedpol::detail::all_of(terms, [&](const Term& term) { return contain(term); });
  }

  /// Whether a term holds nothing but exempt items and parts of another one; others are no more than
  /// whole.
  [[nodiscard]] bool adds_to_part(const NodeSelectorTerm& term,
                                  const NodeSelectorTerm& of) const noexcept {
    const auto is_part = [&](auto list) {
      return schedpol::detail::all_of(term.*list, [&](const auto& each) {
        return schedpol::detail::contains(of.*list, each) || contain(each, list);
      });
    };
    return is_part(&NodeSelectorTerm::match_expressions) &&
           is_part(&NodeSelectorTerm::match_fields);
  }
  template <class Term>
  [[nodiscard]] static bool adds_to_part(const Term& term, const Term& of) noexcept {
    return term == of;
  }

  /// Whether terms are those that a default gives with exempt ones among them, in whatever places. A given one that
  /// is exempt may be missing: where the pod had it, it was not given again.
  template <class Term>
  [[nodiscard]] bool account_for_difference(const std::vector<Term>& terms,
                                            const std::vector<Term>& injected) const noexcept {
    auto next = injected.begin();
    for (const Term& term : terms) {
      while (next != injected.end() && *next != term && contain(*next)) ++next;
      if (next != injected.end() && term == *next) {
        ++next;
      } else if (!contain(term)) {
        return false;
      }
    }
    return !injected.empty() &&
           std::all_of(next, injected.end(), [&](const Term& each) { return contain(each); });
  }
  /// Of required node terms each is one of those given with exempt expressions in it, or exempt, and
  /// none of those given is missing: what a policy adds may stand in every term, or double them. But
  /// an exempt one that holds one of them got no other. Beyond `max_matched_values` comparisons they are
  /// not.
  [[nodiscard]] bool account_for_difference(
      const std::vector<NodeSelectorTerm>& terms,
      const std::vector<NodeSelectorTerm>& injected) const noexcept {
    if (injected.empty() || !may_compare(terms, injected) ||
        schedpol::detail::none_of(terms, [&](const auto& term) { return contain_some(term); }))
      return false;
    const auto extends_one = [&](const NodeSelectorTerm& term) {
      return schedpol::detail::any_of(injected, [&](const NodeSelectorTerm& each) {
        return account_for_difference(term, each);
      });
    };
    const auto is_extended = [&](const NodeSelectorTerm& each) {
      return schedpol::detail::any_of(
          terms, [&](const NodeSelectorTerm& term) { return account_for_difference(term, each); });
    };
    return schedpol::detail::all_of(
               terms, [&](const auto& term) { return contain(term) || extends_one(term); }) &&
           (schedpol::detail::all_of(injected, is_extended) ||
            schedpol::detail::any_of(
                terms, [&](const auto& term) { return contain(term) && extends_one(term); }));
  }

  /// Whether each expression of some terms may be held against each of those given, for each of them
  /// against all that are exempt.
  [[nodiscard]] bool may_compare(const std::vector<NodeSelectorTerm>& terms,
                                 const std::vector<NodeSelectorTerm>& injected) const noexcept {
    const auto size_of = [](const auto& list) {
      std::size_t size = 1;
      for (const NodeSelectorTerm& term : list)
        size += 1 + term.match_expressions.size() + term.match_fields.size();
      return size;
    };
    std::size_t exempt = 1;
    for_each([&](const auto& some) { exempt += size_of(some.required); });
    return size_of(terms) <= max_matched_values / exempt / size_of(injected);
  }

 private:
  template <class Predicate>
  [[nodiscard]] bool any(Predicate&& holds) const noexcept {
    bool found = false;
    for_each_exempt_terms(options_, kind_,
                          [&](const auto& terms) { found = found || holds(terms); });
    return found;
  }
  template <class Predicate>
  [[nodiscard]] bool any_required(Predicate&& holds) const noexcept {
    return any([&](const auto& terms) { return schedpol::detail::any_of(terms.required, holds); });
  }
  template <class Term>
  [[nodiscard]] static bool has(const std::vector<Term>& terms, const Term& term) noexcept {
    return schedpol::detail::contains(terms, term);
  }

  [[nodiscard]] bool contain_each(
      const NodeSelectorTerm& term,
      std::vector<NodeSelectorRequirement> NodeSelectorTerm::*list) const noexcept {
    return schedpol::detail::all_of(
        term.*list, [&](const auto& expression) { return contain(expression, list); });
  }

  [[nodiscard]] bool contain_some(const NodeSelectorTerm& term) const noexcept {
    const auto is_in = [&](auto list) {
      return schedpol::detail::any_of(
          term.*list, [&](const auto& expression) { return contain(expression, list); });
    };
    return is_in(&NodeSelectorTerm::match_expressions) || is_in(&NodeSelectorTerm::match_fields) ||
           contain(term);
  }

  [[nodiscard]] bool account_for_difference(const NodeSelectorTerm& term,
                                            const NodeSelectorTerm& other) const noexcept {
    const auto extends = [&](auto list) {
      const auto& all = term.*list;
      const auto& of_other = other.*list;
      const auto is_in = [](const auto& expression, const auto& expressions) {
        return schedpol::detail::contains(expressions, expression);
      };
      return schedpol::detail::all_of(
                 of_other, [&](const auto& expression) { return is_in(expression, all); }) &&
             schedpol::detail::all_of(all, [&](const auto& expression) {
               return is_in(expression, of_other) || contain(expression, list);
             });
    };
    return extends(&NodeSelectorTerm::match_expressions) &&
           extends(&NodeSelectorTerm::match_fields);
  }

  const Options& options_;
  std::optional<Kind> Affinity::*kind_;
};

/// The exempt items of all other sorts.
class ExemptItems {
 public:
  explicit ExemptItems(const Options& options) noexcept : options_(options) {}

  /// Names stand there in criteria; where that is null, none is exempt.
  using NameOf = std::string SchedulingCriteria::*;
  [[nodiscard]] bool contain(NameOf of, std::string_view name) const noexcept {
    return of != nullptr &&
           any([&](const SchedulingCriteria& exempt) { return exempt.*of == name; });
  }
  [[nodiscard]] bool contain(std::string_view key, std::string_view value) const noexcept {
    return has(options_.added_to_pods.node_selector, key, value) ||
           any([&](const SchedulingCriteria& exempt) {
             return has(exempt.node_selector, key, value);
           });
  }
  [[nodiscard]] bool contain(const Toleration& toleration) const noexcept {
    return has(options_.added_to_pods.tolerations, toleration) ||
           any([&](const SchedulingCriteria& exempt) {
             return has(exempt.tolerations, toleration);
           });
  }
  /// Whether a class or a cluster policy gives it to this pod.
  [[nodiscard]] bool give(const Toleration& toleration) const noexcept {
    return has(options_.added_to_pods.tolerations, toleration) ||
           schedpol::detail::any_of(options_.exempt_criteria, [&](const SharedCriteria& criteria) {
             return has(criteria->tolerations, toleration);
           });
  }
  template <class Kind>
  [[nodiscard]] ExemptTerms<Kind> of(std::optional<Kind> Affinity::*kind) const noexcept {
    return {options_, kind};
  }

  /// Calls `f` with each of them.
  template <class F>
  void for_each_name(NameOf of, F&& f) const {
    if (of == nullptr) return;
    for_each_criteria(options_, [&](const SchedulingCriteria& exempt) {
      if (!(exempt.*of).empty()) f(exempt.*of);
    });
  }
  template <class F>
  void for_each_pair(F&& f) const {
    const auto call = [&](const Labels& pairs) {
      for (const auto& [key, value] : pairs) f(key, value);
    };
    call(options_.added_to_pods.node_selector);
    for_each_criteria(options_,
                      [&](const SchedulingCriteria& exempt) { call(exempt.node_selector); });
  }
  template <class F>
  void for_each_toleration(F&& f) const {
    const auto call = [&](const std::vector<Toleration>& tolerations) {
      for (const Toleration& toleration : tolerations) f(toleration);
    };
    call(options_.added_to_pods.tolerations);
    for_each_criteria(options_,
                      [&](const SchedulingCriteria& exempt) { call(exempt.tolerations); });
  }

 private:
  template <class Predicate>
  [[nodiscard]] bool any(Predicate&& holds) const noexcept {
    return holds(options_.exempt) ||
           schedpol::detail::any_of(options_.exempt_criteria, [&](const SharedCriteria& criteria) {
             return holds(*criteria);
           });
  }
  [[nodiscard]] static bool has(const Labels& pairs, std::string_view key,
                                std::string_view value) noexcept {
    const std::string* exempt = find_label(pairs, key);
    return exempt != nullptr && *exempt == value;
  }
  [[nodiscard]] static bool has(const std::vector<Toleration>& tolerations,
                                const Toleration& toleration) noexcept {
    return schedpol::detail::contains(tolerations, toleration);
  }

  const Options& options_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
