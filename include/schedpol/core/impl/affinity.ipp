// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/impl/affinity_text.hpp>
#include <schedpol/core/impl/expression_text.hpp>
#include <schedpol/core/impl/required_terms.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE bool has_terms(const std::optional<NodeAffinity>& affinity) noexcept {
  return affinity && (!detail::required_terms(*affinity).empty() ||
                      !affinity->preferred_during_scheduling_ignored_during_execution.empty());
}

SCHEDPOL_INLINE bool has_terms(const std::optional<PodAffinity>& affinity) noexcept {
  return affinity && (!affinity->required_during_scheduling_ignored_during_execution.empty() ||
                      !affinity->preferred_during_scheduling_ignored_during_execution.empty());
}

SCHEDPOL_INLINE std::string to_string(const PodAffinityTerm& term) {
  constexpr Separators separators(" ,[]{}()");
  std::string text;
  append_escaped(text, term.topology_key, separators);
  text += " with pods " + to_string(term.label_selector);
  const auto append_names = [&](std::string_view what, const Texts& names) {
    if (names.empty()) return;
    text.append(what) += ' ';
    detail::append_list(text, names, separators);
  };
  append_names(" in namespaces", term.namespaces);
  if (term.namespace_selector) text += " in namespaces with " + to_string(term.namespace_selector);
  append_names(" of equal", term.match_label_keys);
  append_names(" of unequal", term.mismatch_label_keys);
  return text;
}

SCHEDPOL_INLINE std::string to_string(const NodeAffinity& affinity) {
  return detail::affinity_text(detail::required_terms(affinity),
                               affinity.preferred_during_scheduling_ignored_during_execution);
}

SCHEDPOL_INLINE std::string to_string(const PodAffinity& affinity) {
  return detail::affinity_text(affinity.required_during_scheduling_ignored_during_execution,
                               affinity.preferred_during_scheduling_ignored_during_execution);
}

}  // namespace SCHEDPOL_NAMESPACE
