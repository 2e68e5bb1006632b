// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Node selectors (core/v1): terms are ORed, the expressions of a term ANDed, and an empty term
/// matches no node.

#include <schedpol/core/open_enum.hpp>
#include <schedpol/core/text.hpp>

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol {

enum class NodeSelectorOperator { unset, in, not_in, exists, does_not_exist, gt, lt, unknown };

constexpr std::array<std::string_view, 7> spellings(NodeSelectorOperator) noexcept {
  return {"", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
}

struct NodeSelectorRequirement {
  std::string key{};
  OpenEnum<NodeSelectorOperator> operator_{};
  std::vector<std::string> values{};

  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

/// `match_expressions` look at a node's labels, `match_fields` at its fields (`metadata.name`).
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions{};
  std::vector<NodeSelectorRequirement> match_fields{};

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// Whether the term has no expressions at all, and so matches no node.
[[nodiscard]] inline bool is_empty(const NodeSelectorTerm& term) noexcept {
  return term.match_expressions.empty() && term.match_fields.empty();
}

struct NodeSelector {
  std::vector<NodeSelectorTerm> node_selector_terms{};

  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

/// One requirement on one line: `disk In [ssd, nvme]`, `gpu Exists`. Different requirements have
/// different texts.
[[nodiscard]] inline std::string to_string(const NodeSelectorRequirement& requirement) {
  constexpr std::string_view separators = " ,[]()&|";
  std::string text;
  append_escaped(text, requirement.key, separators);
  text += ' ';
  append_escaped(text, requirement.operator_.text(), separators);
  if (requirement.values.empty()) return text;
  text += " [";
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    if (i > 0) text += ", ";
    append_escaped(text, requirement.values[i], separators);
  }
  return text + "]";
}

/// One term on one line, its requirements joined by `&`, fields marked `field`; `()` when empty.
[[nodiscard]] inline std::string to_string(const NodeSelectorTerm& term) {
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

}  // namespace schedpol
