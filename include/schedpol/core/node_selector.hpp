// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Node selectors (core/v1). How they match a node is in `node.hpp`.

#include <schedpol/base/open_enum.hpp>
#include <schedpol/base/texts.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Those of `matchExpressions` and `matchFields`.
enum class NodeSelectorOperator { unset, in, not_in, exists, does_not_exist, gt, lt, unknown };

constexpr std::array<std::string_view, 7> spellings(NodeSelectorOperator) noexcept {
  return {"", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
}

/// `values` are what In and NotIn look for, at least one, or the one number that Gt and Lt compare
/// with; Exists and DoesNotExist take none.
struct NodeSelectorRequirement {
  std::string key{};
  OpenEnum<NodeSelectorOperator> operator_{};
  Texts values{};

  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

/// `match_expressions` look at a node's labels, `match_fields` at its fields (`metadata.name`).
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions{};
  std::vector<NodeSelectorRequirement> match_fields{};

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// Whether the term has no expressions at all.
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
