// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The node to which the DaemonSet controller pins a pod: one term, `metadata.name In [NODE]`, replaces the
/// required node terms of its template. If a default adds terms, each of them then has this expression.
/// Source: Kubernetes, `pkg/controller/daemon/util`.

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/core/impl/required_terms.hpp>
#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Takes the node out of a pod's required terms while the rest of them is judged.
class NodePin {
 public:
  /// The pod without it; as it is where not each term has it, of one node.
  explicit NodePin(Pod& pod) {
    node_ = node_of(schedpol::detail::required_terms(pod.spec.affinity));
    if (!node_) return;
    before_.emplace(*pod.spec.affinity);
    auto& required =
        pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    for (NodeSelectorTerm& term : required->node_selector_terms)
      term.match_fields.erase(term.match_fields.begin() + std::ptrdiff_t(*find(term)));
    if (schedpol::detail::all_of(required->node_selector_terms,
                                 [](const NodeSelectorTerm& term) { return is_empty(term); }))
      required.reset();
    without_.emplace(*pod.spec.affinity);
  }

  /// Whether there was one, which then is gone for good.
  static bool take_from(Pod& pod) { return NodePin(pod).node_.has_value(); }

  /// Gives it back, also to terms that the pod has got since.
  void restore(Pod& pod) const {
    if (!node_) return;
    if (pod.spec.affinity == without_) {
      pod.spec.affinity.emplace(*before_);
      return;
    }
    if (!pod.spec.affinity) pod.spec.affinity.emplace();
    auto& node = pod.spec.affinity->node_affinity;
    if (!node) node.emplace();
    auto& required = node->required_during_scheduling_ignored_during_execution;
    if (!required) required.emplace();
    if (required->node_selector_terms.empty()) required->node_selector_terms.emplace_back();
    for (NodeSelectorTerm& term : required->node_selector_terms)
      term.match_fields.push_back(*node_);
  }

 private:
  /// What all terms have; nothing where there are none.
  static std::optional<NodeSelectorRequirement> node_of(
      const std::vector<NodeSelectorTerm>& terms) {
    std::optional<NodeSelectorRequirement> node;
    for (const NodeSelectorTerm& term : terms) {
      const std::optional<std::size_t> at = find(term);
      if (!at || (node && term.match_fields[*at] != *node)) return std::nullopt;
      node = term.match_fields[*at];
    }
    return node;
  }

  /// Where the node stands among the fields of a term: the last place that names one.
  static std::optional<std::size_t> find(const NodeSelectorTerm& term) noexcept {
    for (std::size_t i = term.match_fields.size(); i > 0; --i) {
      const NodeSelectorRequirement& field = term.match_fields[i - 1];
      if (field.key == "metadata.name" && field.operator_ == NodeSelectorOperator::in &&
          field.values.size() == 1)
        return i - 1;
    }
    return std::nullopt;
  }

  std::optional<NodeSelectorRequirement> node_;
  std::optional<Affinity> before_;
  std::optional<Affinity> without_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
