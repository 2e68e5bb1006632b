// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The node affinity terms that `required` lists, and whether a term of a pod holds one.

#include <schedpol/core/any_or.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/scheduling_policy/impl/items_by_key.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

namespace schedpol::scheduling_policy::detail {

using ExpressionsByKey = ItemsByKey<NodeSelectorRequirement>;

/// One list of expressions in a required term: what a term of the pod has to hold.
class RequiredList {
 public:
  /// Of a list that outlives it, and does not move.
  explicit RequiredList(const AnyOr<std::vector<RequirementPattern>>& list)
      : at_least_one_(list.is_any()), sources_(&list.listed()) {
    for (const RequirementPattern& pattern : list.listed()) patterns_.emplace_back(pattern);
  }

  /// Whether it asks for anything.
  [[nodiscard]] bool asks() const noexcept { return at_least_one_ || !patterns_.empty(); }

  [[nodiscard]] bool holds(const std::vector<NodeSelectorRequirement>& list) const noexcept {
    if (at_least_one_ && list.empty()) return false;
    return std::all_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
      return std::any_of(list.begin(), list.end(),
                         [&](const auto& requirement) { return pattern.matches(requirement); });
    });
  }
  /// The same of many.
  [[nodiscard]] bool holds(const std::vector<NodeSelectorRequirement>& list,
                           const ExpressionsByKey& by_key) const noexcept {
    if (at_least_one_ && list.empty()) return false;
    for (std::size_t i = 0; i < patterns_.size(); ++i)
      if (!by_key.any_matches((*sources_)[i], patterns_[i])) return false;
    return true;
  }

  [[nodiscard]] std::size_t size() const noexcept { return patterns_.size(); }

 private:
  bool at_least_one_;
  const std::vector<RequirementPattern>* sources_;
  std::vector<Pattern> patterns_;
};

/// The expressions of a term, looked up by what they are.
struct TermByKey {
  explicit TermByKey(const NodeSelectorTerm& term)
      : expressions(pointers(term.match_expressions)), fields(pointers(term.match_fields)) {}

  ExpressionsByKey expressions;
  ExpressionsByKey fields;

 private:
  static std::vector<const NodeSelectorRequirement*> pointers(
      const std::vector<NodeSelectorRequirement>& list) {
    std::vector<const NodeSelectorRequirement*> all;
    for (const NodeSelectorRequirement& each : list) all.push_back(&each);
    return all;
  }
};

/// A required term. One that asks for nothing is never satisfied.
struct RequiredTerm {
  explicit RequiredTerm(const TermPattern& pattern)
      : expressions(pattern.match_expressions),
        fields(pattern.match_fields),
        text(to_string(pattern)) {}

  [[nodiscard]] bool holds(const NodeSelectorTerm& term) const noexcept {
    return (expressions.asks() || fields.asks()) && expressions.holds(term.match_expressions) &&
           fields.holds(term.match_fields);
  }
  [[nodiscard]] bool holds(const NodeSelectorTerm& term, const TermByKey& by_key) const noexcept {
    return (expressions.asks() || fields.asks()) &&
           expressions.holds(term.match_expressions, by_key.expressions) &&
           fields.holds(term.match_fields, by_key.fields);
  }

  RequiredList expressions;
  RequiredList fields;
  std::string text;
};

}  // namespace schedpol::scheduling_policy::detail
