// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The requirements on nodes that a default must not contradict: the pod's node selector and required
/// terms, with what its RuntimeClass and the ClusterPodSchedulingPolicies add, in the same way as they
/// add it.

#include <schedpol/core/impl/node_term_product.hpp>
#include <schedpol/scheduling_policy/impl/exempt_items.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::Conjunction;

/// A term as it is held against others: what it requires, by key, and whether a node can meet it by
/// itself.
struct CompiledTerm {
  explicit CompiledTerm(const NodeSelectorTerm& term) {
    std::optional<Conjunction> all = schedpol::detail::to_conjunction(term);
    is_met = all && schedpol::detail::to_labels(all);
    if (is_met) requirements = schedpol::detail::by_key(*std::move(all));
  }

  Conjunction requirements{};
  bool is_met = false;  ///< by some node; otherwise it requires nothing here
};

class NodeContext {
 public:
  /// Of a pod with this node selector, which outlives it, and of those of its required terms that
  /// count, none where any node will do.
  NodeContext(const Labels& node_selector, std::vector<NodeSelectorTerm> terms,
              const Options& options)
      : of_pod_(node_selector), terms_(std::move(terms)) {
    add(options.added_to_pods);
    for (const SharedCriteria& criteria : options.exempt_criteria) add(*criteria);
  }

  /// Makes the terms ready for being held against others.
  [[nodiscard]] NodeContext compiled() && {
    for (const NodeSelectorTerm& term : terms_) {
      CompiledTerm compiled(term);
      if (compiled.is_met && unmet(compiled.requirements) == nullptr)
        met_.push_back(std::move(compiled.requirements));
    }
    return std::move(*this);
  }

  [[nodiscard]] const Labels& node_selector() const noexcept { return all_ ? *all_ : of_pod_; }
  [[nodiscard]] const std::vector<NodeSelectorTerm>& terms() const noexcept { return terms_; }

  /// What of a default's pairs contradicts the terms, asked about in the order of their keys.
  [[nodiscard]] schedpol::detail::PairFilter filter(const Labels& pairs) const {
    return {node_selector(), terms_, pairs, schedpol::detail::Numbers::compared};
  }
  /// The pod's node selector has got a pair that the filter let pass.
  void added(const std::string& key, const std::string& value) {
    if (all_) all_->try_emplace(key, value);
  }

  /// Whether a node can meet a term together with what the pod has, once that is `compiled`.
  [[nodiscard]] bool is_met(const Conjunction& term) const {
    return unmet(term) == nullptr &&
           (terms_.empty() || schedpol::detail::any_of(met_, [&](const Conjunction& own) {
              return !contradicting_key(own, term);
            }));
  }
  [[nodiscard]] bool is_met(const CompiledTerm& term) const {
    return term.is_met && is_met(term.requirements);
  }
  [[nodiscard]] bool is_met(const NodeSelectorTerm& term) const {
    return is_met(CompiledTerm(term));
  }
  /// The same, but that no term contradicts a pod that no node can meet by itself.
  [[nodiscard]] bool admits(const Conjunction& term) const {
    return (!terms_.empty() && met_.empty()) || is_met(term);
  }

  /// What of a term no node can meet is left out: expressions by themselves where the rest can be
  /// met, otherwise all of it. `why` says so of the first.
  [[nodiscard]] std::optional<NodeSelectorTerm> admitted(const NodeSelectorTerm& term,
                                                         const CompiledTerm& compiled,
                                                         std::optional<std::string>& why) const {
    // One that no node can meet by itself contradicts no pod; with terms it makes no product.
    if (!compiled.is_met) return terms_.empty() ? std::optional(term) : std::nullopt;
    if (admits(compiled.requirements)) return term;
    NodeSelectorTerm kept;
    for (const auto list :
         {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields}) {
      for (const NodeSelectorRequirement& each : term.*list) {
        NodeSelectorTerm alone;
        (alone.*list).push_back(each);
        if (admits(CompiledTerm(alone).requirements)) {
          (kept.*list).push_back(each);
        } else if (!why) {
          why = text_of(alone);
        }
      }
    }
    if (!why) why = text_of(term);
    if (is_empty(kept) || !admits(CompiledTerm(kept).requirements)) return std::nullopt;
    return kept;
  }

  /// Why a term is not admitted, for a person.
  [[nodiscard]] std::string text_of(const NodeSelectorTerm& term) const {
    const CompiledTerm compiled(term);
    NodeSelectorTerm own;
    if (const auto* found = unmet(compiled.requirements)) {
      own = schedpol::detail::make_term(found->key, *find_label(node_selector(), found->key));
      return schedpol::detail::contradiction_text(own, schedpol::detail::only(term, found->key));
    }
    if (!terms_.empty()) own = terms_.front();
    return schedpol::detail::contradiction_text(own, term);
  }

  /// Adds the required terms of a policy to those of a pod; whether that is within the limits.
  [[nodiscard]] static bool multiply(std::vector<NodeSelectorTerm>& terms,
                                     const Labels& node_selector,
                                     const std::vector<NodeSelectorTerm>& required) {
    std::vector<schedpol::detail::PolicyTerm> compiled;
    for (const NodeSelectorTerm& term : required)
      compiled.push_back(schedpol::detail::to_policy_term(term));
    const schedpol::detail::PolicyTerms policy(required, compiled);
    schedpol::detail::LeftOut left_out;
    if (terms.empty()) {
      terms = schedpol::detail::copied(node_selector, policy, left_out);
      return terms.size() <= max_node_selector_terms;
    }
    schedpol::detail::TermMerger merger;
    const schedpol::detail::Product product =
        merger.multiply(terms, node_selector, policy, left_out);
    if (product.merged != schedpol::detail::Merged::within_limits) return false;
    if (product.changes) terms = product.make(terms, policy);
    return true;
  }

 private:
  [[nodiscard]] const schedpol::detail::Requirement* unmet(const Conjunction& all) const noexcept {
    return schedpol::detail::unmet_requirement(all, node_selector());
  }

  /// The first key whose requirements in both, which are in the order of their keys, no label meets.
  [[nodiscard]] static bool contradicting_key(const Conjunction& a, const Conjunction& b) {
    for (auto first = b.begin(); first != b.end();) {
      const auto last =
          std::find_if(first, b.end(), [&](const auto& each) { return each.key != first->key; });
      const auto [begin, end] =
          std::equal_range(a.begin(), a.end(), *first, schedpol::detail::before_by_key);
      if (begin != end) {
        Conjunction shared(begin, end);
        shared.insert(shared.end(), first, last);
        if (!schedpol::detail::to_labels(shared)) return true;
      }
      first = last;
    }
    return false;
  }

  /// As a ClusterPodSchedulingPolicy injects it; a class has a node selector alone.
  void add(const SchedulingCriteria& from) {
    schedpol::detail::PairFilter pairs(node_selector(), terms_, from.node_selector);
    for (const auto& [key, value] : from.node_selector) {
      if (node_selector().contains(key) || pairs.excluding(key) != nullptr) continue;
      if (!all_) all_.emplace(of_pod_);
      all_->try_emplace(key, value);
    }
    const auto& required = schedpol::detail::required_terms(from.affinity);
    if (!required.empty()) static_cast<void>(multiply(terms_, node_selector(), required));
  }

  const Labels& of_pod_;
  std::optional<Labels> all_;  ///< none where they are those of the pod
  std::vector<NodeSelectorTerm> terms_;
  std::vector<Conjunction> met_;  ///< of the terms, those that a node can meet
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
