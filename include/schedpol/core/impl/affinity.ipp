// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/impl/expression_text.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// `required A | B, preferred 5 C`.
class ModesText {
 public:
  void add_required(const std::string& term) {
    text_ += (text_.empty() ? "required " : " | ") + term;
  }
  void add_preferred(std::int32_t weight, const std::string& term) {
    if (!text_.empty()) text_ += ", ";
    text_ += "preferred " + std::to_string(weight) + " " + term;
  }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace detail

SCHEDPOL_INLINE bool has_terms(const std::optional<NodeAffinity>& affinity) noexcept {
  if (!affinity) return false;
  const auto& required = affinity->required_during_scheduling_ignored_during_execution;
  return (required && !required->node_selector_terms.empty()) ||
         !affinity->preferred_during_scheduling_ignored_during_execution.empty();
}

SCHEDPOL_INLINE bool has_terms(const std::optional<PodAffinity>& affinity) noexcept {
  return affinity && (!affinity->required_during_scheduling_ignored_during_execution.empty() ||
                      !affinity->preferred_during_scheduling_ignored_during_execution.empty());
}

SCHEDPOL_INLINE std::string to_string(const PodAffinityTerm& term) {
  constexpr std::string_view separators = " ,[]{}()";
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
  detail::ModesText text;
  if (const auto& required = affinity.required_during_scheduling_ignored_during_execution) {
    for (const auto& term : required->node_selector_terms) text.add_required(to_string(term));
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution)
    text.add_preferred(term.weight, to_string(term.preference));
  return std::move(text).take();
}

SCHEDPOL_INLINE std::string to_string(const PodAffinity& affinity) {
  detail::ModesText text;
  for (const auto& term : affinity.required_during_scheduling_ignored_during_execution)
    text.add_required(to_string(term));
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution)
    text.add_preferred(term.weight, to_string(term.pod_affinity_term));
  return std::move(text).take();
}

}  // namespace SCHEDPOL_NAMESPACE
