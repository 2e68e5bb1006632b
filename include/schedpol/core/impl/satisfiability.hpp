// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether any node can meet both a pod's and a policy's requirements. Keys are independent of each
/// other, so only keys that both constrain are checked. Takes n log n in the expressions and values,
/// however many have the same key.

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/impl/conjunction.hpp>

namespace SCHEDPOL_NAMESPACE::detail {

/// What a term is held against other terms and pairs by; nothing where it can match no node. Gt and
/// Lt ask for a label whatever its number is, as the numbers of nodes are the scheduler's to compare:
/// kupid merges them with everything that does not ask for the label to be missing.
[[nodiscard]] inline std::optional<Conjunction> to_mergeable(const NodeSelectorTerm& term) {
  std::optional<Conjunction> all = to_conjunction(term);
  if (!all) return all;
  for (Requirement& each : *all)
    if (compares_numbers(each.operator_)) each.operator_ = NodeSelectorOperator::exists;
  return all;
}

/// Whether a node can meet that of a term together with a nodeSelector.
[[nodiscard]] inline bool is_satisfiable(const NodeSelectorTerm& term,
                                         const Labels& node_selector) {
  return can_match_a_node(to_mergeable(term), node_selector);
}

inline bool before_by_key(const Requirement& a, const Requirement& b) noexcept {
  return a.key < b.key;
}

inline Conjunction by_key(Conjunction all) {
  std::sort(all.begin(), all.end(), before_by_key);
  return all;
}

/// A required term of a policy, made for being held against those of pods.
struct PolicyTerm {
  Conjunction requirements{};         ///< by key
  bool is_satisfiable_alone = false;  ///< whatever the pod asks for

  [[nodiscard]] bool constrains(std::string_view key) const noexcept {
    const auto at = std::lower_bound(
        requirements.begin(), requirements.end(), key,
        [](const Requirement& requirement, std::string_view of) { return requirement.key < of; });
    return at != requirements.end() && at->key == key;
  }
};

inline PolicyTerm to_policy_term(const NodeSelectorTerm& term) {
  std::optional<Conjunction> all = to_mergeable(term);
  if (!all) return {};
  const bool met = to_labels(all).has_value();
  return {by_key(*std::move(all)), met};
}

/// What a term of a pod and one of a policy ask of the keys that both constrain, by key. Nothing
/// where there is no such key, nor where that of the pod is malformed, so that no node meets it.
inline Conjunction shared_requirements(const NodeSelectorTerm& pod, const PolicyTerm& policy) {
  NodeSelectorTerm of_pod;
  for (const NodeSelectorRequirement& expression : pod.match_expressions)
    if (policy.constrains(expression.key)) of_pod.match_expressions.push_back(expression);
  if (policy.constrains("")) append(of_pod.match_fields, pod.match_fields);
  if (is_empty(of_pod)) return {};
  PolicyTerm shared;
  if (auto own = to_mergeable(of_pod)) shared.requirements = by_key(*std::move(own));
  Conjunction all = shared.requirements;
  for (const Requirement& requirement : policy.requirements)
    if (shared.constrains(requirement.key)) all.push_back(requirement);
  return by_key(std::move(all));
}

/// The first key whose requirements, which are in the order of their keys, contradict each other.
inline std::optional<std::string> contradicting_key(const Conjunction& all) {
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(),
                                   [&](const Requirement& each) { return each.key != first->key; });
    if (!to_labels(Conjunction(first, last))) return first->key;
    first = last;
  }
  return std::nullopt;
}

/// Why no node meets a term of a policy: by itself, or with what a pod asks for of a key.
struct Contradiction {
  enum class With { nothing, node_selector, term };

  With with = With::nothing;
  std::string key{};  ///< empty for the name of the node
};

/// None where a node meets the term of a policy and what a pod asks for: its nodeSelector, and one of
/// its terms, null where it has none. Only of a pod that a node can meet.
inline std::optional<Contradiction> find_contradiction(const NodeSelectorTerm* pod,
                                                       const Labels& node_selector,
                                                       const PolicyTerm& policy) {
  using With = Contradiction::With;
  if (!policy.is_satisfiable_alone) return Contradiction{};
  if (const Requirement* unmet = unmet_requirement(policy.requirements, node_selector))
    return Contradiction{With::node_selector, unmet->key};
  if (pod == nullptr) return std::nullopt;
  auto key = contradicting_key(shared_requirements(*pod, policy));
  if (!key) return std::nullopt;
  return Contradiction{With::term, *std::move(key)};
}

/// What of a term is about one key, empty for the name of the node.
inline NodeSelectorTerm only(const NodeSelectorTerm& term, std::string_view key) {
  NodeSelectorTerm only;
  if (key.empty()) only.match_fields = term.match_fields;
  for (const NodeSelectorRequirement& expression : term.match_expressions)
    if (expression.key == key) only.match_expressions.push_back(expression);
  return only;
}

/// A pair of a nodeSelector as a term.
inline NodeSelectorTerm make_term(const std::string& key, const std::string& value) {
  return {.match_expressions = {{key, NodeSelectorOperator::in, {value}}}};
}

/// A term without the parentheses that tell it from the next one of a list.
inline std::string shown(const NodeSelectorTerm& term) {
  const std::string text = to_string(term);
  return in_backticks(is_empty(term) ? text : text.substr(1, text.size() - 2));
}

/// Why something of a policy is skipped, for a person.
inline std::string contradiction_text(const NodeSelectorTerm& pod, const NodeSelectorTerm& policy) {
  return "no node meets the pod's " + shown(pod) + " and the policy's " + shown(policy);
}

/// The same of what was asked about, the term of the policy being given as written.
inline std::string contradiction_text(const Contradiction& found, const NodeSelectorTerm* pod,
                                      const Labels& node_selector,
                                      const NodeSelectorTerm& written) {
  using With = Contradiction::With;
  if (found.with == With::nothing) return "no node meets the policy's " + shown(written);
  return contradiction_text(found.with == With::node_selector
                                ? make_term(found.key, *find_label(node_selector, found.key))
                                : only(*pod, found.key),
                            only(written, found.key));
}

/// Whether the numbers that Gt and Lt compare with count.
enum class Numbers { ignored, compared };

/// Which pairs of a policy's nodeSelector, asked about in the order of their keys, leave a node that
/// meets the pod: its nodeSelector, and one of its required terms. Costs one look at each expression
/// of the terms; where one of them excludes a pair, n log n of the terms.
class PairFilter {
 public:
  PairFilter(const Labels& node_selector, const std::vector<NodeSelectorTerm>& terms,
             const Labels& from, Numbers numbers = Numbers::ignored) {
    const bool compares = numbers == Numbers::compared;
    if (from.empty()) return;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (const NodeSelectorRequirement& expression : terms[i].match_expressions) {
        const auto pair = from.find(expression.key);
        if (pair == from.end()) continue;
        if ((compares || !compares_numbers(expression.operator_.word())) &&
            excludes(expression, pair->second))
          excluding_[pair->first].push_back({i, &expression});
      }
    }
    if (excluding_.empty()) return;
    for (const NodeSelectorTerm& term : terms) {
      const bool is_met =
          compares ? can_match_a_node(term, node_selector) : is_satisfiable(term, node_selector);
      satisfiable_.push_back(is_met ? 1 : 0);
      left_ += satisfiable_.back() != 0 ? 1 : 0;
    }
  }

  /// An expression of the pod that excludes the pair of that key, where no term is left that does
  /// not; otherwise null, and the pair counts as one of the pod's from now on.
  [[nodiscard]] const NodeSelectorRequirement* excluding(std::string_view key) {
    const auto found = excluding_.find(key);
    if (found == excluding_.end()) return nullptr;
    std::vector<std::size_t> lost;
    const NodeSelectorRequirement* first = nullptr;
    for (const Exclusion& exclusion : found->second) {
      if (satisfiable_[exclusion.term] == 0 || (!lost.empty() && lost.back() == exclusion.term))
        continue;
      lost.push_back(exclusion.term);
      if (first == nullptr) first = exclusion.expression;
    }
    if (lost.size() == left_) return first;
    for (const std::size_t term : lost) satisfiable_[term] = 0;
    left_ -= lost.size();
    return nullptr;
  }

 private:
  struct Exclusion {
    std::size_t term;
    const NodeSelectorRequirement* expression;
  };

  std::map<std::string_view, std::vector<Exclusion>> excluding_;  ///< by key, of terms in order
  std::vector<char> satisfiable_;                                 ///< of the terms
  std::size_t left_ = 0;                                          ///< how many of them can
};

}  // namespace SCHEDPOL_NAMESPACE::detail
