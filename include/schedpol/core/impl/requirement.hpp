// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One expression of a label selector or a node selector, compiled for matching. All matchers and the
/// table of nodes keep expressions in this form.

#include <schedpol/core/labels.hpp>
#include <schedpol/core/node_selector.hpp>

#include <cstdint>
#include <optional>

namespace SCHEDPOL_NAMESPACE {

struct LabelSelector;
struct Node;

}  // namespace SCHEDPOL_NAMESPACE

namespace SCHEDPOL_NAMESPACE::detail {

struct Requirement {
  using Operator = NodeSelectorOperator;  ///< of label selectors too, and a known one

  std::string key;
  Operator operator_ = Operator::in;
  std::vector<std::string> values{};  ///< of In and NotIn, in byte order
  std::int64_t bound = 0;             ///< of Gt and Lt

  /// Whether it holds for the value of the label; null: the label is missing.
  [[nodiscard]] bool holds(const std::string* value) const noexcept;

 private:
  [[nodiscard]] bool lists(const std::string* value) const noexcept;
};

/// Nothing where the expression can hold for no node.
[[nodiscard]] std::optional<Requirement> to_requirement(const NodeSelectorRequirement& expression);

/// Requirements that hold together, of a selector or of one term. That of the empty key is about
/// the name of a node, which every node has.
using Conjunction = std::vector<Requirement>;

/// Whether all of them hold.
[[nodiscard]] bool hold(const Conjunction& all, const Labels& labels) noexcept;
[[nodiscard]] bool hold(const Conjunction& all, const Node& node) noexcept;

/// Of a selector that has been found good.
[[nodiscard]] Conjunction to_conjunction(const LabelSelector& selector);

/// Nothing where the term can match no node.
[[nodiscard]] std::optional<Conjunction> to_conjunction(const NodeSelectorTerm& term);

}  // namespace SCHEDPOL_NAMESPACE::detail

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/requirement.ipp>
#endif
