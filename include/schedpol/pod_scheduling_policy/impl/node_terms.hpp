// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The required node selector terms of a pod and of a policy become one list: rule 3 of
/// `inject.hpp`.

#include <schedpol/core/limits.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/pod_scheduling_policy/impl/among.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::pod_scheduling_policy::detail {

using Requirements = std::vector<NodeSelectorRequirement>;
using Terms = std::vector<NodeSelectorTerm>;

/// What came of merging terms.
enum class Merged { whole, too_many, too_long };

/// Drops the terms that match no node; one of them stays where there is no other.
[[nodiscard]] inline Merged drop_empty(Terms& terms) {
  std::erase_if(terms, [](const NodeSelectorTerm& term) { return is_empty(term); });
  if (terms.empty()) terms.emplace_back();
  return terms.size() <= max_node_selector_terms ? Merged::whole : Merged::too_many;
}

/// About what a document takes that says the same.
[[nodiscard]] inline std::size_t bytes_of(const NodeSelectorTerm& term) {
  constexpr std::size_t around_requirement = 32;
  constexpr std::size_t around_value = 8;
  std::size_t bytes = 0;
  const auto add = [&](const Requirements& requirements) {
    for (const NodeSelectorRequirement& one : requirements) {
      bytes += around_requirement + one.key.size() + one.operator_.text().size();
      for (const std::string& value : one.values) bytes += around_value + value.size();
    }
  };
  add(term.match_expressions);
  add(term.match_fields);
  return bytes;
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

  [[nodiscard]] const Terms& terms() const noexcept { return terms_; }

  /// How many are not empty.
  [[nodiscard]] std::size_t factors() const noexcept { return factors_; }

  /// The first of the terms of a pod, of which there are some, that does not stay as it is when
  /// they are multiplied; their number where all do.
  [[nodiscard]] std::size_t first_changed(const Terms& terms) const {
    if (terms.size() == 1 && is_empty(terms.front())) return 1;
    const auto first = std::find_if(terms.begin(), terms.end(), [this](const auto& pod) {
      return is_empty(pod) || !is_held_by(pod);
    });
    return static_cast<std::size_t>(first - terms.begin());
  }

  /// Whether a term of the pod holds all expressions of some term of the policy, and so needs none
  /// of them.
  [[nodiscard]] bool is_held_by(const NodeSelectorTerm& pod) const {
    const Among expressions(pod.match_expressions, pod.match_expressions.size(), expressions_);
    const Among fields(pod.match_fields, pod.match_fields.size(), fields_);
    return std::any_of(terms_.begin(), terms_.end(), [&](const NodeSelectorTerm& policy) {
      return !is_empty(policy) && expressions.has_all(policy.match_expressions) &&
             fields.has_all(policy.match_fields);
    });
  }

 private:
  const Terms& terms_;
  std::size_t factors_ = 0;
  std::size_t expressions_ = 0;  ///< in all of them
  std::size_t fields_ = 0;
};

/// Multiplies the terms of one pod with those of one policy after the other.
class TermMerger {
 public:
  /// Of a pod that has some terms, of which `first_changed` is the first that does not stay as it
  /// is. Where they would be too many or too long nothing is left of them; a pod that needs none of
  /// the policy's keeps as many as it brings.
  [[nodiscard]] Merged multiply(Terms& terms, const PolicyTerms& policy,
                                std::size_t first_changed) {
    Terms product;
    product.reserve(std::min(terms.size() * policy.factors(), max_node_selector_terms));
    bool added = false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      NodeSelectorTerm& pod = terms[i];
      if (is_empty(pod)) continue;
      if (i < first_changed || (i > first_changed && policy.is_held_by(pod))) {
        product.push_back(std::move(pod));
        continue;
      }
      added = true;
      if (product.size() + policy.factors() > max_node_selector_terms) return Merged::too_many;
      if (!pays_for(pod, policy)) return Merged::too_long;
      append_product(product, pod, policy);
    }
    terms = std::move(product);
    if (terms.empty()) terms.emplace_back();
    return added && terms.size() > max_node_selector_terms ? Merged::too_many : Merged::whole;
  }

 private:
  /// Takes what the product of a term will have from what is left.
  [[nodiscard]] bool pays_for(const NodeSelectorTerm& pod, const PolicyTerms& policy) {
    const std::size_t of_pod = bytes_of(pod);
    for (const NodeSelectorTerm& term : policy.terms()) {
      if (is_empty(term)) continue;
      const std::size_t bytes = of_pod + bytes_of(term);
      if (bytes > bytes_left_) return false;
      bytes_left_ -= bytes;
    }
    return true;
  }

  /// Appends the product of one term of the pod, of which nothing is left.
  static void append_product(Terms& product, NodeSelectorTerm& pod, const PolicyTerms& policy) {
    std::size_t left = policy.factors();
    for (const NodeSelectorTerm& term : policy.terms()) {
      if (is_empty(term)) continue;
      // The last one takes what the pod has, the others copy it.
      const bool is_last = --left == 0;
      product.push_back({joined(term.match_expressions, pod.match_expressions, is_last),
                         joined(term.match_fields, pod.match_fields, is_last)});
    }
  }

  /// `first`, then what of `second` it does not hold, of which nothing is left where it `takes`
  /// that.
  static Requirements joined(const Requirements& first, Requirements& second, bool takes) {
    Requirements all;
    if (first.empty() && second.empty()) return all;
    all.reserve(first.size() + second.size());
    all.insert(all.end(), first.begin(), first.end());
    Among present(all, first.size() + second.size(), second.size());
    for (NodeSelectorRequirement& item : second) {
      if (!present.lacks(item)) continue;
      if (takes) {
        all.push_back(std::move(item));
      } else {
        all.push_back(item);
      }
    }
    return all;
  }

  std::size_t bytes_left_ = max_merged_term_bytes;
};

}  // namespace schedpol::pod_scheduling_policy::detail
