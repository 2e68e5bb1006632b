// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The terms of a pod or a default for one kind of affinity, in both modes.

#include <schedpol/core/impl/affinity_text.hpp>
#include <schedpol/core/impl/required_terms.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// What a section lists in one mode of a kind.
template <class Kind, class Rule>
const Rule& listed_in(const PolicySection& section, const AffinityKind<Kind, Rule>& kind,
                      std::string_view mode) noexcept {
  const auto& [required, preferred] = (section.affinities.listed().*kind.rules).listed();
  return (mode == required_mode ? required : preferred).listed();
}

template <class Term>
const std::vector<Term>& no_terms() noexcept {
  static const std::vector<Term> none;
  return none;
}

/// The terms that a pod or a default has of one kind. Absent, `{}` and lists without terms are one.
template <class Required, class Preferred>
struct KindTerms {
  const std::vector<Required>& required = no_terms<Required>();
  const std::vector<Preferred>& preferred = no_terms<Preferred>();

  [[nodiscard]] bool empty() const noexcept { return required.empty() && preferred.empty(); }
};
using NodeTerms = KindTerms<NodeSelectorTerm, PreferredSchedulingTerm>;
using PodTerms = KindTerms<PodAffinityTerm, WeightedPodAffinityTerm>;

inline NodeTerms terms_of(const NodeAffinity& kind) noexcept {
  return {schedpol::detail::required_terms(kind),
          kind.preferred_during_scheduling_ignored_during_execution};
}
inline PodTerms terms_of(const PodAffinity& kind) noexcept {
  return {kind.required_during_scheduling_ignored_during_execution,
          kind.preferred_during_scheduling_ignored_during_execution};
}
template <class Kind>
auto terms_of(const std::optional<Affinity>& affinity,
              std::optional<Kind> Affinity::*member) noexcept {
  using Terms = decltype(terms_of(Kind{}));
  return affinity && (*affinity).*member ? terms_of(*((*affinity).*member)) : Terms{};
}

/// The term, its expressions and their values.
inline std::size_t parts_of(const NodeSelectorTerm& term) noexcept {
  std::size_t parts = 1;
  for (const auto* list : {&term.match_expressions, &term.match_fields})
    for (const NodeSelectorRequirement& each : *list) parts += 1 + each.values.size();
  return parts;
}

template <class Required, class Preferred>
std::string to_string(const KindTerms<Required, Preferred>& terms) {
  return schedpol::detail::affinity_text(terms.required, terms.preferred);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
