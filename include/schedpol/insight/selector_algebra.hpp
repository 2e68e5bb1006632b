// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Selectors as what they select, whatever their spelling, decided exactly over all label values
/// that the API server takes, of which a selector names finitely many.
///
/// 1. An absent label selector and one that `compile` refuses select nothing, `{}` everything.
/// 2. A node selector is its terms ORed; an empty term, and one that breaks the rules of
///    `node.hpp`, matches no node.
///
/// Whether one node selector with several terms implies another takes exponential time in the worst
/// case; the search is given up after `max_selector_steps`.

#include <schedpol/core/node.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Labels that it selects; none where it selects nothing.
[[nodiscard]] Optional<Labels> witness(const std::optional<LabelSelector>& selector);

/// Whether `b` selects all that `a` selects.
[[nodiscard]] bool implies(const std::optional<LabelSelector>& a,
                           const std::optional<LabelSelector>& b);
[[nodiscard]] bool equivalent(const std::optional<LabelSelector>& a,
                              const std::optional<LabelSelector>& b);

/// What both select; absent where that is nothing.
[[nodiscard]] Optional<LabelSelector> intersect(const std::optional<LabelSelector>& a,
                                                const std::optional<LabelSelector>& b);

/// A node that it matches; none where it matches no node.
[[nodiscard]] Optional<Node> witness(const NodeSelector& selector);

/// Unknown where the search was given up.
enum class Implication { holds, fails, unknown };

/// Whether `b` matches every node that `a` matches.
[[nodiscard]] Implication implies(const NodeSelector& a, const NodeSelector& b);
[[nodiscard]] Implication equivalent(const NodeSelector& a, const NodeSelector& b);

/// What both match: terms of the one with those of the other, without any that can match no node.
/// More than `max_node_selector_terms` are an error.
[[nodiscard]] Result<NodeSelector> intersect(const NodeSelector& a, const NodeSelector& b);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/selector_algebra.ipp>
#endif
