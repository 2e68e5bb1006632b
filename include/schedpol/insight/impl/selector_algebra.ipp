// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/impl/counterexample_search.hpp>
#include <schedpol/insight/selector_algebra.hpp>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// The terms that can match a node.
inline std::vector<Conjunction> conjunctions_of(const NodeSelector& selector) {
  std::vector<Conjunction> all;
  for (const NodeSelectorTerm& term : selector.node_selector_terms)
    if (auto conjunction = conjunction_of(term); labels_of(conjunction))
      all.push_back(*std::move(conjunction));
  return all;
}

template <class Expression>
void append_new(std::vector<Expression>& list, const std::vector<Expression>& more) {
  for (const Expression& expression : more)
    if (!schedpol::detail::contains(list, expression)) list.push_back(expression);
}

}  // namespace detail

SCHEDPOL_INLINE Optional<Labels> witness(const std::optional<LabelSelector>& selector) {
  return detail::labels_of(detail::conjunction_of(selector));
}

SCHEDPOL_INLINE bool implies(const std::optional<LabelSelector>& a,
                             const std::optional<LabelSelector>& b) {
  const auto of_a = detail::conjunction_of(a);
  if (!detail::labels_of(of_a)) return true;
  const auto of_b = detail::conjunction_of(b);
  if (!of_b) return false;
  const std::vector<detail::Conjunction> others = {detail::condensed(*of_b)};
  return !detail::CounterexampleSearch(detail::condensed(*of_a), others).exists();
}

SCHEDPOL_INLINE bool equivalent(const std::optional<LabelSelector>& a,
                                const std::optional<LabelSelector>& b) {
  return implies(a, b) && implies(b, a);
}

SCHEDPOL_INLINE Optional<LabelSelector> intersect(const std::optional<LabelSelector>& a,
                                                  const std::optional<LabelSelector>& b) {
  if (!witness(a) || !witness(b)) return std::nullopt;
  std::optional<LabelSelector> both = a;
  for (const auto& [key, value] : b->match_labels) {
    const auto [of_key, added] = both->match_labels.try_emplace(key, value);
    if (!added && of_key->second != value) return std::nullopt;
  }
  detail::append_new(both->match_expressions, b->match_expressions);
  return witness(both) ? both : std::nullopt;
}

SCHEDPOL_INLINE Optional<Node> witness(const NodeSelector& selector) {
  for (const NodeSelectorTerm& term : selector.node_selector_terms) {
    std::optional<Labels> labels = detail::labels_of(detail::conjunction_of(term));
    if (!labels) continue;
    Node node;
    const auto name = labels->extract("");
    node.metadata.name = name.empty() ? "other" : name.mapped();
    node.metadata.labels = *std::move(labels);
    return node;
  }
  return std::nullopt;
}

SCHEDPOL_INLINE Implication implies(const NodeSelector& a, const NodeSelector& b) {
  const std::vector<detail::Conjunction> others = detail::conjunctions_of(b);
  Implication implication = Implication::holds;
  for (const detail::Conjunction& term : detail::conjunctions_of(a)) {
    const auto implies_alone = [&](const detail::Conjunction& other) {
      return !detail::CounterexampleSearch(term, std::vector<detail::Conjunction>{other}).exists();
    };
    if (schedpol::detail::any_of(others, implies_alone)) continue;
    const detail::CounterexampleSearch escape(term, others, max_selector_steps);
    if (escape.exists()) return Implication::fails;
    if (escape.gave_up()) implication = Implication::unknown;
  }
  return implication;
}

SCHEDPOL_INLINE Implication equivalent(const NodeSelector& a, const NodeSelector& b) {
  const Implication forth = implies(a, b);
  if (forth == Implication::fails) return forth;
  const Implication back = implies(b, a);
  return forth == Implication::holds || back == Implication::fails ? back : forth;
}

SCHEDPOL_INLINE Result<NodeSelector> intersect(const NodeSelector& a, const NodeSelector& b) {
  NodeSelector both;
  for (const NodeSelectorTerm& of_a : a.node_selector_terms) {
    if (is_empty(of_a)) continue;
    for (const NodeSelectorTerm& of_b : b.node_selector_terms) {
      if (is_empty(of_b)) continue;
      NodeSelectorTerm term = of_a;
      detail::append_new(term.match_expressions, of_b.match_expressions);
      detail::append_new(term.match_fields, of_b.match_fields);
      if (!detail::can_match_a_node(term)) continue;
      both.node_selector_terms.push_back(std::move(term));
      if (both.node_selector_terms.size() <= max_node_selector_terms) continue;
      return std::vector<FieldError>{
          {ErrorType::too_many, FieldPath{"nodeSelectorTerms"}, "",
           "must have at most " + std::to_string(max_node_selector_terms) + " terms"}};
    }
  }
  return both;
}

}  // namespace SCHEDPOL_NAMESPACE
