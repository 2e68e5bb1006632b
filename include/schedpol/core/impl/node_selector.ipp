// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/expression_text.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/impl/linkage.hpp>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE bool is_empty(const NodeSelectorTerm& term) noexcept {
  return term.match_expressions.empty() && term.match_fields.empty();
}

SCHEDPOL_INLINE std::string to_string(const NodeSelectorRequirement& requirement) {
  constexpr Separators separators(" ,[]()&|");
  std::string text;
  detail::append_expression(text, requirement, separators);
  return text;
}

SCHEDPOL_INLINE std::string to_string(const NodeSelectorTerm& term) {
  std::string text = "(";
  for (const auto& requirement : term.match_expressions) {
    if (text.size() > 1) text += " & ";
    text += to_string(requirement);
  }
  for (const auto& requirement : term.match_fields) {
    if (text.size() > 1) text += " & ";
    text += "field " + to_string(requirement);
  }
  return text + ")";
}

}  // namespace SCHEDPOL_NAMESPACE
