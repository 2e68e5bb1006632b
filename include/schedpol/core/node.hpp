// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Nodes, and which of them a pod may or would rather run on:
/// 1. the pod's `nodeSelector` AND its required node affinity have to match; a required affinity
///    without terms matches no node;
/// 2. terms are ORed, the requirements of a term ANDed; an empty term matches no node;
/// 3. In, NotIn, Exists, DoesNotExist look at the node's labels (NotIn also matches a missing
///    key), Gt and Lt compare int64: no match where either side is no integer;
/// 4. matchFields knows `metadata.name`, with In or NotIn and one value;
/// 5. a requirement that breaks these rules, or the syntax of label keys and values, makes its term
///    match no node;
/// 6. the score is the sum of the weights of the matching preferences; an empty one matches
/// nothing. What a pod asks for is compiled once and then matched against any number of nodes.
/// Source: component-helpers, `scheduling/corev1/nodeaffinity`.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/syntax.hpp>
#include <schedpol/core/toleration.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace schedpol {

struct NodeSpec {
  std::vector<Taint> taints{};

  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct Node {
  ObjectMeta metadata{};
  NodeSpec spec{};

  friend bool operator==(const Node&, const Node&) = default;
};

namespace detail {

/// An int64 as in the labels of Gt and Lt: an optional sign, leading zeros permitted.
inline std::optional<std::int64_t> label_int64(std::string_view text) noexcept {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A term that has been found well formed.
struct CompiledTerm {
  std::vector<NodeSelectorRequirement> expressions{};  ///< values in byte order
  std::vector<std::int64_t> bounds{};         ///< of Gt and Lt, in the order of `expressions`
  std::vector<std::string> names{};           ///< all of them have to be that of the node
  std::vector<std::string> excluded_names{};  ///< none of them may be

  [[nodiscard]] bool matches(const Node& node) const noexcept {
    for (const std::string& name : names) {
      if (node.metadata.name != name) return false;
    }
    for (const std::string& name : excluded_names) {
      if (node.metadata.name == name) return false;
    }
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      if (!holds(expressions[i], bounds[i], find_label(node.metadata.labels, expressions[i].key))) {
        return false;
      }
    }
    return true;
  }

  static bool holds(const NodeSelectorRequirement& requirement, std::int64_t bound,
                    const std::string* value) noexcept {
    switch (requirement.operator_.word()) {
      case NodeSelectorOperator::in: return is_listed(requirement.values, value);
      case NodeSelectorOperator::not_in: return !is_listed(requirement.values, value);
      case NodeSelectorOperator::exists: return value != nullptr;
      case NodeSelectorOperator::does_not_exist: return value == nullptr;
      case NodeSelectorOperator::gt:
      case NodeSelectorOperator::lt: {
        const auto number = value != nullptr ? label_int64(*value) : std::nullopt;
        if (!number) return false;
        return requirement.operator_ == NodeSelectorOperator::gt ? *number > bound
                                                                 : *number < bound;
      }
      case NodeSelectorOperator::unset:
      case NodeSelectorOperator::unknown: break;
    }
    return false;
  }
};

}  // namespace detail

/// The node selector terms of a pod, made for matching. Terms that can match no node are left out.
class NodeTermsMatcher {
 public:
  NodeTermsMatcher() = default;
  explicit NodeTermsMatcher(std::span<const NodeSelectorTerm> terms) {
    for (const NodeSelectorTerm& term : terms) add(term);
  }

  /// Whether one of the terms matches; no terms match no node.
  [[nodiscard]] bool matches(const Node& node) const noexcept {
    for (const detail::CompiledTerm& term : terms_) {
      if (term.matches(node)) return true;
    }
    return false;
  }

 private:
  friend class NodeTable;
  friend class NodeAffinityMatcher;

  /// False where the term can match no node and is left out.
  bool add(const NodeSelectorTerm& term) {
    auto compiled = compile(term);
    if (compiled) terms_.push_back(*std::move(compiled));
    return compiled.has_value();
  }

  static std::optional<detail::CompiledTerm> compile(const NodeSelectorTerm& term) {
    if (is_empty(term)) return std::nullopt;
    detail::CompiledTerm compiled;
    for (NodeSelectorRequirement requirement : term.match_expressions) {
      const auto bound = bound_of(requirement);
      if (!bound || !is_well_formed(requirement)) return std::nullopt;
      std::sort(requirement.values.begin(), requirement.values.end());
      compiled.expressions.push_back(std::move(requirement));
      compiled.bounds.push_back(*bound);
    }
    for (const NodeSelectorRequirement& requirement : term.match_fields) {
      const bool in = requirement.operator_ == NodeSelectorOperator::in;
      const bool one_name = requirement.key == "metadata.name" && requirement.values.size() == 1;
      if (!one_name || (!in && requirement.operator_ != NodeSelectorOperator::not_in))
        return std::nullopt;
      auto& names = in ? compiled.names : compiled.excluded_names;
      names.push_back(requirement.values.front());
    }
    return compiled;
  }

  static bool is_well_formed(const NodeSelectorRequirement& requirement) {
    if (!label_key_problems(requirement.key).empty()) return false;
    bool values_good = true;
    for (const std::string& value : requirement.values) {
      values_good = values_good && label_value_problems(value).empty();
    }
    switch (requirement.operator_.word()) {
      case NodeSelectorOperator::in:
      case NodeSelectorOperator::not_in: return values_good && !requirement.values.empty();
      case NodeSelectorOperator::exists:
      case NodeSelectorOperator::does_not_exist: return requirement.values.empty();
      case NodeSelectorOperator::gt:
      case NodeSelectorOperator::lt: return values_good;
      case NodeSelectorOperator::unset:
      case NodeSelectorOperator::unknown: break;
    }
    return false;
  }

  /// What Gt and Lt compare with; nothing where that is not one integer; zero for the others.
  static std::optional<std::int64_t> bound_of(const NodeSelectorRequirement& requirement) noexcept {
    const bool compares = requirement.operator_ == NodeSelectorOperator::gt ||
                          requirement.operator_ == NodeSelectorOperator::lt;
    if (!compares) return 0;
    if (requirement.values.size() != 1) return std::nullopt;
    return detail::label_int64(requirement.values.front());
  }

  std::vector<detail::CompiledTerm> terms_;
};

/// What a pod asks of nodes, made for matching.
class NodeAffinityMatcher {
 public:
  /// Of a pod that asks for nothing: matches every node, scores zero.
  NodeAffinityMatcher() = default;

  explicit NodeAffinityMatcher(const PodSpec& spec) : node_selector_(spec.node_selector) {
    if (!spec.affinity || !spec.affinity->node_affinity) return;
    const NodeAffinity& affinity = *spec.affinity->node_affinity;
    if (const auto& required = affinity.required_during_scheduling_ignored_during_execution) {
      required_.emplace();
      for (const auto& term : required->node_selector_terms) required_->add(term);
    }
    for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution) {
      if (preferred_.add(term.preference)) weights_.push_back(term.weight);
    }
  }

  /// Whether the pod may run on the node, as far as labels and name decide it.
  [[nodiscard]] bool matches(const Node& node) const noexcept {
    for (const auto& [key, value] : node_selector_) {
      const std::string* label = find_label(node.metadata.labels, key);
      if (label == nullptr || *label != value) return false;
    }
    return !required_ || required_->matches(node);
  }

  /// How much the pod would rather run on the node; not whether it may.
  [[nodiscard]] std::int64_t score(const Node& node) const noexcept {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (preferred_.terms_[i].matches(node)) sum += weights_[i];
    }
    return sum;
  }

 private:
  friend class NodeTable;

  Labels node_selector_;
  std::optional<NodeTermsMatcher> required_;
  NodeTermsMatcher preferred_;
  std::vector<std::int64_t> weights_;  ///< of the preferred terms
};

}  // namespace schedpol
