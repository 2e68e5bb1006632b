// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/expression_text.hpp>
#include <schedpol/core/impl/label_matcher.hpp>
#include <schedpol/core/impl/selector_rules.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

static_assert(node_operator(LabelSelectorOperator::does_not_exist) ==
              NodeSelectorOperator::does_not_exist);

SCHEDPOL_INLINE Conjunction to_conjunction(const LabelSelector& selector) {
  Conjunction all;
  for (const auto& [key, value] : selector.match_labels)
    all.push_back({.key = key, .values = {value}});
  for (const LabelSelectorRequirement& expression : selector.match_expressions) {
    all.push_back(
        {expression.key, node_operator(expression.operator_.word()), expression.values.vector()});
    std::sort(all.back().values.begin(), all.back().values.end());
  }
  return all;
}

}  // namespace detail

SCHEDPOL_INLINE bool LabelMatcher::matches(const Labels& labels) const noexcept {
  return impl_ && detail::hold(impl_->requirements, labels);
}

SCHEDPOL_INLINE Result<LabelMatcher> compile(const std::optional<LabelSelector>& selector,
                                             const FieldPath& field, SelectedValues selected) {
  if (!selector) return LabelMatcher();
  detail::FieldErrors errors;
  detail::validate_selector(errors, field, *selector, selected);
  if (!errors.empty()) return std::move(errors).take();
  LabelMatcher matcher;
  matcher.impl_ = Shared(LabelMatcher::Impl{detail::to_conjunction(*selector)});
  return matcher;
}

SCHEDPOL_INLINE std::string to_string(const std::optional<LabelSelector>& selector) {
  constexpr Separators separators(" ,={}[]");
  if (!selector) return "none";
  std::string text = "{";
  for (const auto& [key, value] : selector->match_labels) {
    if (text.size() > 1) text += ", ";
    append_escaped(text, key, separators);
    text += '=';
    append_escaped(text, value, separators);
  }
  for (const LabelSelectorRequirement& expression : selector->match_expressions) {
    if (text.size() > 1) text += ", ";
    detail::append_expression(text, expression, separators);
  }
  return text + "}";
}

}  // namespace SCHEDPOL_NAMESPACE
