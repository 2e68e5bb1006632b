// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The affinity of a pod, item 6 of `check`: what it has is permitted, kind by kind, and what is
/// required of it is there.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/affinity.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/scheduling_policy/inspection.hpp>
#include <schedpol/scheduling_policy/lookup.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy::detail {

using NodeTerms = std::vector<NodeSelectorTerm>;

/// The terms that a kind of affinity has in a mode; null where it has none, or is null itself.
template <class Kind>
auto required_terms_of(const Kind* kind) noexcept {
  using Terms = decltype(terms_of(kind->required_during_scheduling_ignored_during_execution));
  return kind == nullptr ? Terms{}
                         : terms_of(kind->required_during_scheduling_ignored_during_execution);
}
template <class Kind>
auto preferred_terms_of(const Kind* kind) noexcept {
  using Terms = decltype(terms_of(kind->preferred_during_scheduling_ignored_during_execution));
  return kind == nullptr ? Terms{}
                         : terms_of(kind->preferred_during_scheduling_ignored_during_execution);
}

/// An affinity of which these are the only terms.
inline NodeAffinity only(const NodeTerms& terms) {
  return {NodeSelector{terms}, {}};
}
inline NodeAffinity only(const std::vector<PreferredSchedulingTerm>& terms) {
  return {std::nullopt, terms};
}
inline PodAffinity only(const std::vector<PodAffinityTerm>& terms) {
  return {terms, {}};
}
inline PodAffinity only(const std::vector<WeightedPodAffinityTerm>& terms) {
  return {{}, terms};
}

// ---- what the pod has is permitted

inline bool has_operators(const NodeSelectorTerm& term) noexcept {
  const auto& [expressions, fields] = term;
  return std::all_of(expressions.begin(), expressions.end(), has_operator) &&
         std::all_of(fields.begin(), fields.end(), has_operator);
}

inline bool is_joined_default(const Inspection& inspection, const NodeTerms& terms) noexcept {
  return inspection.holds_in_every_term() && !terms.empty() &&
         terms == inspection.effective.lookup().joined_default_terms.node_selector_terms;
}
inline bool is_joined_default(const Inspection&,
                              const std::vector<PreferredSchedulingTerm>&) noexcept {
  return false;
}

/// Whether all the mode may hold is what the policy's default gives, or permitted as such.
template <class Terms>
bool permits_whole(const Inspection& inspection, const NodeModeLookup& rules, const Terms& terms,
                   const Terms* given) noexcept {
  const bool whole =
      rules.any || (given != nullptr && terms == *given) || is_joined_default(inspection, terms);
  return whole && std::all_of(terms.begin(), terms.end(),
                              [](const auto& term) { return has_operators(expressions_of(term)); });
}
template <class Terms>
bool permits_whole(const Inspection&, const PodModeLookup& rules, const Terms& terms,
                   const Terms* given) noexcept {
  return rules.any || (given != nullptr && terms == *given);
}

/// What stands around the index of a term in its path.
struct IndexPath {
  std::string_view before;
  std::string_view after;
};
constexpr IndexPath index_path(const NodeSelectorTerm&) noexcept {
  return {".nodeSelectorTerms[", "]"};
}
constexpr IndexPath index_path(const PreferredSchedulingTerm&) noexcept {
  return {"[", "].preference"};
}
constexpr IndexPath index_path(const PodAffinityTerm&) noexcept {
  return {"[", "]"};
}
constexpr IndexPath index_path(const WeightedPodAffinityTerm&) noexcept {
  return {"[", "].podAffinityTerm"};
}

/// Denies each part of the terms that is not permitted by itself, if there is any.
template <class Terms>
void deny_terms(Inspection& inspection, std::string_view kind, std::string_view mode,
                const NodeModeLookup& rules, const Terms& terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto& [expressions, fields] = expressions_of(terms[i]);
    const auto deny_list = [&](std::string_view list, const PatternIndex& permitted,
                               const std::vector<NodeSelectorRequirement>& requirements) {
      for (std::size_t j = 0; j < requirements.size(); ++j) {
        if (permitted.matches(requirements[j])) continue;
        const auto [before, after] = index_path(terms[i]);
        inspection.deny(ViolationCode::affinity_not_allowed,
                        {"spec.affinity.", kind, ".", mode, before, std::to_string(i), after, ".",
                         list, "[", std::to_string(j), "]"},
                        to_string(requirements[j]));
      }
    };
    deny_list("matchExpressions", rules.expressions, expressions);
    deny_list("matchFields", rules.fields, fields);
  }
}
template <class Terms>
void deny_terms(Inspection& inspection, std::string_view kind, std::string_view mode,
                const PodModeLookup& rules, const Terms& terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (rules.permits(terms[i])) continue;
    const auto [before, after] = index_path(terms[i]);
    inspection.deny(
        ViolationCode::affinity_not_allowed,
        {"spec.affinity.", kind, ".", mode, before, std::to_string(i), after, ".topologyKey"},
        topology_key_of(terms[i]));
  }
}

/// A kind of which not everything is permitted by what is listed.
template <class Mode, class Kind>
[[gnu::noinline]] void check_unlisted(Inspection& inspection, std::string_view kind,
                                      const KindLookup<Mode>& lookup, const Kind& pod,
                                      const Kind* given) {
  if (!lookup.mentioned && !required_terms_of(given) && !preferred_terms_of(given)) {
    return inspection.deny(ViolationCode::affinity_not_allowed, {"spec.affinity.", kind},
                           to_string(pod));
  }
  const auto check_mode = [&](std::string_view mode, const Mode& rules, const auto* terms,
                              const auto* given_terms) {
    if (terms == nullptr || permits_whole(inspection, rules, *terms, given_terms)) return;
    if (rules.mentioned) return deny_terms(inspection, kind, mode, rules, *terms);
    inspection.deny(ViolationCode::affinity_not_allowed, {"spec.affinity.", kind, ".", mode},
                    to_string(only(*terms)));
  };
  check_mode(required_mode, lookup.required_during_scheduling_ignored_during_execution,
             required_terms_of(&pod), required_terms_of(given));
  check_mode(preferred_mode, lookup.preferred_during_scheduling_ignored_during_execution,
             preferred_terms_of(&pod), preferred_terms_of(given));
}

// ---- what is required is there

/// The entry of a policy that asks for a kind: `required.affinities.nodeAffinities` for
/// `nodeAffinity`.
inline std::string required_entry(std::string_view kind) {
  return "required.affinities." + std::string(kind.substr(0, kind.size() - 1)) + "ies";
}

inline void require_mode(Inspection& inspection, std::string_view kind, std::string_view mode,
                         std::string value) {
  inspection.require(ViolationCode::affinity_required, {"spec.affinity.", kind, ".", mode},
                     std::move(value), required_entry(kind) + "." + std::string(mode));
}

template <class Terms>
std::string required_term_text(const EffectivePolicy& effective, std::size_t i) {
  const NodeAffinityRules& rules = *effective.spec().required.affinities->node_affinities;
  const auto& rule = std::is_same_v<Terms, NodeTerms>
                         ? rules.required_during_scheduling_ignored_during_execution
                         : rules.preferred_during_scheduling_ignored_during_execution;
  return to_string(rule->node_selector_terms[i]);
}

template <class Terms>
void check_required_mode(Inspection& inspection, std::string_view kind, std::string_view mode,
                         const NodeModeLookup& rules, const Terms* terms) {
  if (rules.asked && terms == nullptr) require_mode(inspection, kind, mode, "");
  for (std::size_t i = 0; i < rules.required.size(); ++i) {
    const auto term_holds = [&](const auto& term) {
      return rules.required[i].holds(expressions_of(term));
    };
    const bool every = std::is_same_v<Terms, NodeTerms> && inspection.holds_in_every_term();
    const bool holds =
        terms != nullptr && (every ? std::all_of(terms->begin(), terms->end(), term_holds)
                                   : std::any_of(terms->begin(), terms->end(), term_holds));
    if (holds) continue;
    require_mode(inspection, kind, mode, required_term_text<Terms>(inspection.effective, i));
  }
}
template <class Terms>
void check_required_mode(Inspection& inspection, std::string_view kind, std::string_view mode,
                         const PodModeLookup& rules, const Terms* terms) {
  if (rules.asked && terms == nullptr) require_mode(inspection, kind, mode, "");
  if (rules.required.empty()) return;
  const bool holds =
      terms != nullptr && std::any_of(terms->begin(), terms->end(), [&](const auto& term) {
        return rules.required.contains(topology_key_of(term));
      });
  if (holds) return;
  std::string text;
  for (const std::string_view key : rules.required.texts())
    text.append(text.empty() ? "topologyKey " : " or ").append(key);
  require_mode(inspection, kind, mode, std::move(text));
}

template <class Mode, class Kind>
[[gnu::noinline]] void check_required(Inspection& inspection, std::string_view kind,
                                      const KindLookup<Mode>& lookup, const Kind* pod) {
  const auto* required = required_terms_of(pod);
  const auto* preferred = preferred_terms_of(pod);
  if (lookup.asked && required == nullptr && preferred == nullptr) {
    inspection.require(ViolationCode::affinity_required, {"spec.affinity.", kind}, "",
                       required_entry(kind));
  }
  check_required_mode(inspection, kind, required_mode,
                      lookup.required_during_scheduling_ignored_during_execution, required);
  check_required_mode(inspection, kind, preferred_mode,
                      lookup.preferred_during_scheduling_ignored_during_execution, preferred);
}

// ---- both, for each kind

[[gnu::always_inline]] inline void check_affinity(Inspection& inspection) {
  const Lookup& lookup = inspection.effective.lookup();
  const std::optional<Affinity>& affinity = inspection.pod.spec.affinity;
  const auto kind_of = [](const std::optional<Affinity>& from, auto member) {
    return from && (*from).*member ? &*((*from).*member) : nullptr;
  };
  if (affinity) {
    const std::optional<Affinity>& given = inspection.effective.spec().defaults.affinity;
    if (affinity->node_affinity && !lookup.node_affinity.permits(*affinity->node_affinity)) {
      check_unlisted(inspection, "nodeAffinity", lookup.node_affinity, *affinity->node_affinity,
                     kind_of(given, &Affinity::node_affinity));
    }
    if (affinity->pod_affinity && !lookup.pod_affinity.permits(*affinity->pod_affinity)) {
      check_unlisted(inspection, "podAffinity", lookup.pod_affinity, *affinity->pod_affinity,
                     kind_of(given, &Affinity::pod_affinity));
    }
    if (affinity->pod_anti_affinity &&
        !lookup.pod_anti_affinity.permits(*affinity->pod_anti_affinity)) {
      check_unlisted(inspection, "podAntiAffinity", lookup.pod_anti_affinity,
                     *affinity->pod_anti_affinity, kind_of(given, &Affinity::pod_anti_affinity));
    }
  }
  if (!lookup.required_affinities) return;
  const auto require = [&](std::string_view kind, const auto& rules, auto member) {
    check_required(inspection, kind, rules, kind_of(affinity, member));
  };
  require("nodeAffinity", lookup.node_affinity, &Affinity::node_affinity);
  require("podAffinity", lookup.pod_affinity, &Affinity::pod_affinity);
  require("podAntiAffinity", lookup.pod_anti_affinity, &Affinity::pod_anti_affinity);
}

}  // namespace schedpol::scheduling_policy::detail
