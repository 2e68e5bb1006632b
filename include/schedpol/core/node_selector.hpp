// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Node selectors (core/v1). `node.hpp` says how they match a node.

#include <schedpol/base/open_enum.hpp>
#include <schedpol/base/texts.hpp>

namespace SCHEDPOL_NAMESPACE {

/// The operators of `matchExpressions` and `matchFields`.
enum class NodeSelectorOperator { unset, in, not_in, exists, does_not_exist, gt, lt, unknown };

constexpr std::array<std::string_view, 7> spellings(NodeSelectorOperator) noexcept {
  return {"", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
}

/// In and NotIn have at least one of `values`; Gt and Lt have exactly one, an integer; Exists and
/// DoesNotExist have none.
struct NodeSelectorRequirement {
  std::string key{};
  OpenEnum<NodeSelectorOperator> operator_{};
  Texts values{};

  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

/// `match_expressions` are about a node's labels, `match_fields` about its fields (`metadata.name`).
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions{};
  std::vector<NodeSelectorRequirement> match_fields{};

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// Whether the term has neither matchExpressions nor matchFields.
[[nodiscard]] bool is_empty(const NodeSelectorTerm& term) noexcept;

struct NodeSelector {
  std::vector<NodeSelectorTerm> node_selector_terms{};

  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

/// One requirement on one line: `disk In [ssd, nvme]`, `gpu Exists`. Different requirements have
/// different texts.
[[nodiscard]] std::string to_string(const NodeSelectorRequirement& requirement);

/// One term on one line, its requirements joined by `&`, fields marked `field`; `()` when empty.
[[nodiscard]] std::string to_string(const NodeSelectorTerm& term);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/node_selector.ipp>
#endif
