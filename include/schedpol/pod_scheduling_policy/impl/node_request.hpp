// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a policy asks of nodes, and whether two policies contradict each other in it. Injecting them
/// tells, so that there is one rule of what is skipped.

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/impl/compiled_policy.hpp>
#include <schedpol/pod_scheduling_policy/inject.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail {

/// The nodeSelector of a policy that has good selectors, and its required node terms.
class NodeRequest {
 public:
  explicit NodeRequest(const PodSchedulingPolicySpec& from) : node_selector_(from.node_selector) {
    PodSchedulingPolicy policy;
    policy.spec.pod_selector = LabelSelector();
    policy.spec.node_selector = from.node_selector;
    for (const auto& [key, value] : from.node_selector) append(key + '=' + value, " & ");
    const auto terms = required_terms(from.affinity);
    has_terms_ = !terms.empty();
    if (has_terms_) {
      policy.spec.affinity.emplace()
          .node_affinity.emplace()
          .required_during_scheduling_ignored_during_execution =
          NodeSelector{{terms.begin(), terms.end()}};
    }
    for (const NodeSelectorTerm& term : terms) {
      append(to_string(term), &term == terms.data() ? " & " : " | ");
      weight_ += term.match_expressions.size() + term.match_fields.size();
    }
    weight_ += from.node_selector.size();
    policies_ = *compile({&policy, 1});
    pod_ = injected_into(Pod()).pod;
  }

  /// On one line; different ones have different texts.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool has_terms() const noexcept { return has_terms_; }
  /// How much there is to look at.
  [[nodiscard]] std::size_t weight() const noexcept { return weight_; }

  /// Whether no node meets its terms together with its nodeSelector.
  [[nodiscard]] bool is_unmet() const noexcept {
    return has_terms_ && required_terms(pod_.spec.affinity).empty();
  }

  /// The field of it that is skipped in a pod with another request, apart from keys that both select
  /// with different values.
  [[nodiscard]] std::optional<FieldPath> skipped_after(const NodeRequest& other) const {
    const Injection injection = injected_into(other.pod_);
    for (const auto& [key, value] : node_selector_)
      if (!injection.pod.spec.node_selector.contains(key))
        return FieldPath{"spec", "nodeSelector"}.key(key);
    const FieldPath terms = {"spec", "affinity", "nodeAffinity", required_mode};
    const bool skips = schedpol::detail::any_of(
        injection.skipped, [&](const Skipped& skipped) { return skipped.field == terms; });
    // Where some of its terms are merged nothing of what it means is lost.
    if (!skips || injection.pod.spec.affinity != other.pod_.spec.affinity) return std::nullopt;
    return terms;
  }

 private:
  [[nodiscard]] Injection injected_into(Pod pod) const {
    return inject(std::move(pod), {}, policies_, DefaultScheduler::specified,
                  ChangeValues::omitted);
  }
  void append(const std::string& part, const char* separator) {
    if (!text_.empty()) text_ += separator;
    text_ += part;
  }

  const Labels& node_selector_;
  std::string text_;
  bool has_terms_ = false;
  std::size_t weight_ = 1;
  CompiledPolicies policies_;  ///< one that selects every pod and injects nothing else
  Pod pod_;                    ///< one that asks for nothing else
};

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail
