// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace SCHEDPOL_NAMESPACE {

struct NodeTermsMatcher::Impl {
  std::vector<detail::Term> terms;
};

struct NodeAffinityMatcher::Impl {
  struct Preference {
    std::int64_t weight;
    detail::Term term;
  };

  Labels node_selector;
  std::optional<NodeTermsMatcher> required;
  std::vector<Preference> preferences;
};

namespace detail {

SCHEDPOL_INLINE std::optional<Requirement> requirement_of(
    const NodeSelectorRequirement& expression) {
  using Operator = Requirement::Operator;
  FieldErrors errors;
  validate_expression(errors, PathBuilder(), expression);
  if (!errors.empty()) return std::nullopt;
  Requirement requirement{.key = expression.key, .values = expression.values.vector()};
  std::sort(requirement.values.begin(), requirement.values.end());
  switch (expression.operator_.word()) {
    case NodeSelectorOperator::in: requirement.operator_ = Operator::in; break;
    case NodeSelectorOperator::not_in: requirement.operator_ = Operator::not_in; break;
    case NodeSelectorOperator::exists: requirement.operator_ = Operator::exists; break;
    case NodeSelectorOperator::does_not_exist:
      requirement.operator_ = Operator::does_not_exist;
      break;
    case NodeSelectorOperator::gt:
    case NodeSelectorOperator::lt: {
      const auto bound = label_int64(expression.values.front());
      if (!bound) return std::nullopt;
      requirement.bound = *bound;
      const bool greater = expression.operator_ == NodeSelectorOperator::gt;
      requirement.operator_ = greater ? Operator::gt : Operator::lt;
      break;
    }
    case NodeSelectorOperator::unset:
    case NodeSelectorOperator::unknown: return std::nullopt;
  }
  return requirement;
}

SCHEDPOL_INLINE std::optional<Term> term_of(const NodeSelectorTerm& from) {
  if (is_empty(from)) return std::nullopt;
  Term term;
  for (const NodeSelectorRequirement& expression : from.match_expressions) {
    auto requirement = requirement_of(expression);
    if (!requirement) return std::nullopt;
    term.requirements.push_back(*std::move(requirement));
  }
  for (const NodeSelectorRequirement& expression : from.match_fields) {
    const bool in = expression.operator_ == NodeSelectorOperator::in;
    if (!in && expression.operator_ != NodeSelectorOperator::not_in) return std::nullopt;
    if (expression.key != "metadata.name" || expression.values.size() != 1) return std::nullopt;
    (in ? term.names : term.excluded_names).push_back(expression.values.front());
  }
  return term;
}

SCHEDPOL_INLINE bool Term::matches(const Node& node) const noexcept {
  for (const std::string& name : names) {
    if (node.metadata.name != name) return false;
  }
  for (const std::string& name : excluded_names) {
    if (node.metadata.name == name) return false;
  }
  return hold(requirements, node.metadata.labels);
}

}  // namespace detail

SCHEDPOL_INLINE Taint unschedulable_taint() {
  return {.key = "node.kubernetes.io/unschedulable", .effect = TaintEffect::no_schedule};
}

SCHEDPOL_INLINE bool tolerates_all(std::span<const Toleration> tolerations, const Node& node,
                                   std::span<const TaintEffect> effects) {
  if (!tolerates_all(tolerations, node.spec.taints, effects)) return false;
  if (!node.spec.unschedulable) return true;
  const Taint taint = unschedulable_taint();
  return tolerates_all(tolerations, {&taint, 1}, effects);
}

SCHEDPOL_INLINE NodeTermsMatcher::NodeTermsMatcher(std::span<const NodeSelectorTerm> terms) {
  Impl impl;
  for (const NodeSelectorTerm& from : terms) {
    if (auto term = detail::term_of(from)) impl.terms.push_back(*std::move(term));
  }
  impl_ = Shared<Impl>(std::move(impl));
}

SCHEDPOL_INLINE bool NodeTermsMatcher::matches(const Node& node) const noexcept {
  if (!impl_) return false;
  for (const detail::Term& term : impl_->terms) {
    if (term.matches(node)) return true;
  }
  return false;
}

SCHEDPOL_INLINE NodeAffinityMatcher::NodeAffinityMatcher(const PodSpec& spec) {
  Impl impl;
  impl.node_selector = spec.node_selector;
  if (spec.affinity && spec.affinity->node_affinity) {
    const NodeAffinity& affinity = *spec.affinity->node_affinity;
    if (const auto& required = affinity.required_during_scheduling_ignored_during_execution)
      impl.required.emplace(required->node_selector_terms);
    for (const auto& preferred : affinity.preferred_during_scheduling_ignored_during_execution) {
      if (auto term = detail::term_of(preferred.preference))
        impl.preferences.push_back({preferred.weight, *std::move(term)});
    }
  }
  impl_ = Shared<Impl>(std::move(impl));
}

SCHEDPOL_INLINE bool NodeAffinityMatcher::matches(const Node& node) const noexcept {
  if (!impl_) return false;
  for (const auto& [key, value] : impl_->node_selector) {
    const std::string* label = find_label(node.metadata.labels, key);
    if (label == nullptr || *label != value) return false;
  }
  return !impl_->required || impl_->required->matches(node);
}

SCHEDPOL_INLINE std::int64_t NodeAffinityMatcher::score(const Node& node) const noexcept {
  std::int64_t sum = 0;
  if (!impl_) return sum;
  for (const Impl::Preference& preference : impl_->preferences) {
    if (preference.term.matches(node)) sum += preference.weight;
  }
  return sum;
}

}  // namespace SCHEDPOL_NAMESPACE
