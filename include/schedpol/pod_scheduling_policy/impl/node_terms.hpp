// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The required node selector terms of a pod and of a policy become one list: rule 3 of
/// `inject.hpp`.

#include <schedpol/core/limits.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/pod_scheduling_policy/impl/among.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace schedpol::pod_scheduling_policy::detail {

using Requirements = std::vector<NodeSelectorRequirement>;
using Terms = std::vector<NodeSelectorTerm>;

/// Drops the terms that match no node; one of them stays where there is no other. False when those
/// that are left are too many.
[[nodiscard]] inline bool drop_empty(Terms& terms) {
  std::erase_if(terms, [](const NodeSelectorTerm& term) { return is_empty(term); });
  if (terms.empty()) terms.emplace_back();
  return terms.size() <= max_node_selector_terms;
}

/// The terms of a policy, to be multiplied with those of a pod. Empty ones have no say.
class PolicyTerms {
 public:
  explicit PolicyTerms(const Terms& terms) : terms_(terms) {
    for (const NodeSelectorTerm& term : terms) {
      factors_ += is_empty(term) ? 0 : 1;
      expressions_ += term.match_expressions.size();
      fields_ += term.match_fields.size();
    }
  }

  /// Whether `terms` of a pod, of which there are some, change when they are multiplied.
  [[nodiscard]] bool change(const Terms& terms) const {
    if (terms.size() == 1 && is_empty(terms.front())) return false;
    return !std::all_of(terms.begin(), terms.end(), [this](const NodeSelectorTerm& pod) {
      return !is_empty(pod) && is_held_by(pod);
    });
  }

  /// Multiplies `terms` of a pod, of which there are some. False when they would be too many, and
  /// nothing is then left of them; a pod that needs none of the policy's keeps as many as it
  /// brings.
  [[nodiscard]] bool multiply(Terms& terms) const {
    Terms product;
    product.reserve(std::min(terms.size() * factors_, max_node_selector_terms));
    bool added = false;
    for (NodeSelectorTerm& pod : terms) {
      if (is_empty(pod)) continue;
      if (is_held_by(pod)) {
        product.push_back(std::move(pod));
        continue;
      }
      added = true;
      if (product.size() + factors_ > max_node_selector_terms) return false;
      append_product(product, pod);
    }
    terms = std::move(product);
    if (terms.empty()) terms.emplace_back();
    return !added || terms.size() <= max_node_selector_terms;
  }

 private:
  /// Whether a term of the pod holds all expressions of some term of the policy, and so needs none
  /// of them.
  [[nodiscard]] bool is_held_by(const NodeSelectorTerm& pod) const {
    const Among expressions(pod.match_expressions, expressions_);
    const Among fields(pod.match_fields, fields_);
    return std::any_of(terms_.begin(), terms_.end(), [&](const NodeSelectorTerm& policy) {
      return !is_empty(policy) && expressions.has_all(policy.match_expressions) &&
             fields.has_all(policy.match_fields);
    });
  }

  /// Appends the product of one term of the pod, of which nothing is left.
  void append_product(Terms& product, NodeSelectorTerm& pod) const {
    std::size_t left = factors_;
    for (const NodeSelectorTerm& policy : terms_) {
      if (is_empty(policy)) continue;
      // The last one takes what the pod has, the others copy it.
      const bool last = --left == 0;
      const auto rest = [&](Requirements& of_pod) { return last ? std::move(of_pod) : of_pod; };
      product.push_back({joined(policy.match_expressions, rest(pod.match_expressions)),
                         joined(policy.match_fields, rest(pod.match_fields))});
    }
  }

  /// `first`, then what of `second` it does not hold.
  static Requirements joined(const Requirements& first, Requirements second) {
    Requirements all;
    all.reserve(first.size() + second.size());
    all = first;
    Among present(all, second.size());
    for (NodeSelectorRequirement& item : second) {
      if (present.lacks(item)) all.push_back(std::move(item));
    }
    return all;
  }

  const Terms& terms_;
  std::size_t factors_ = 0;      ///< terms that are not empty
  std::size_t expressions_ = 0;  ///< in all of them
  std::size_t fields_ = 0;
};

}  // namespace schedpol::pod_scheduling_policy::detail
