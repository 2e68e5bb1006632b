// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_resource_policies.hpp>
#include <schedpol/insight/impl/overlaps.hpp>
#include <schedpol/resource_policy/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

class Analysis {
 public:
  explicit Analysis(std::span<const ResourcePolicy> policies) {
    for (const ResourcePolicy& policy : policies)
      if (validate(policy).errors.empty()) policies_.push_back(&policy);
    std::sort(policies_.begin(), policies_.end(), [](const auto* a, const auto* b) {
      return std::tie(a->metadata.namespace_, a->metadata.name) <
             std::tie(b->metadata.namespace_, b->metadata.name);
    });
  }

  std::vector<Finding> run() {
    look_at_selectors();
    look_at_pods();
    for (std::size_t i = 0; i < policies_.size(); ++i) look_at_units(i);
    if (budget_.spent()) findings_.push_back({});
    return std::move(findings_);
  }

 private:
  using Overlapping = schedpol::detail::Overlapping;
  using Selection = schedpol::detail::Selection;

  static LabelSelector or_all(const std::optional<LabelSelector>& selector) {
    return selector.value_or(LabelSelector{});
  }
  Finding& find(FindingCode code, Severity severity, const ResourcePolicy& policy,
                FieldPath field) {
    return findings_.emplace_back(
        Finding{.code = code,
                .severity = severity,
                .policies = {schedpol::detail::qualified_name(policy.metadata)},
                .field = std::move(field)});
  }

  void look_at_selectors() {
    for (const ResourcePolicy* policy : policies_) {
      const auto selection_of = [&](const std::optional<LabelSelector>& selector,
                                    const FieldPath& field) {
        Selection selection;
        selection.labels(or_all(selector));
        if (selection.selects_nothing())
          find(FindingCode::selects_nothing, Severity::warning, *policy, field);
        return selection;
      };
      pods_.push_back(selection_of(policy->spec.pod_selector, {"podSelector"}));
      pods_.back().in_namespace(policy->metadata.namespace_);
      std::vector<Selection>& units = units_.emplace_back();
      for (std::size_t i = 0; i < policy->spec.units.size(); ++i)
        units.push_back(selection_of(policy->spec.units[i].node_selector,
                                     FieldPath{"units"}.index(i).child("nodeSelector")));
    }
  }

  /// All that select something.
  static std::vector<Overlapping> overlapping(const std::vector<Selection>& selections) {
    std::vector<Overlapping> all;
    for (std::size_t i = 0; i < selections.size(); ++i)
      if (!selections[i].selects_nothing()) all.push_back({i, i, &selections[i]});
    return all;
  }

  void look_at_pods() {
    for_each_overlap(
        overlapping(pods_), budget_,
        [&](const auto& first, const auto& second, const Labels& labels) {
          schedpol::detail::Selected selected(labels);
          const ResourcePolicy& policy = *policies_[second.number];
          Finding& finding =
              find(FindingCode::selections_overlap, Severity::error, policy, {"podSelector"});
          finding.policies = {schedpol::detail::qualified_name(policies_[first.number]->metadata),
                              schedpol::detail::qualified_name(policy.metadata)};
          finding.witness.emplace().metadata = {.namespace_ = policy.metadata.namespace_,
                                                .labels = std::move(selected.labels)};
        });
  }

  void look_at_units(std::size_t policy) {
    for_each_overlap(overlapping(units_[policy]), budget_,
                     [&](const auto& first, const auto& second, const Labels& labels) {
                       const FieldPath units{"units"};
                       const LabelSelector node{schedpol::detail::Selected(labels).labels, {}};
                       find(FindingCode::units_overlap, Severity::info, *policies_[policy],
                            units.index(second.number).child("nodeSelector"))
                           .detail = to_string(units.index(first.number)) + " " + to_string(node);
                     });
  }

  std::vector<const ResourcePolicy*> policies_;  ///< by namespace and name
  std::vector<Selection> pods_;
  std::vector<std::vector<Selection>> units_;  ///< of each policy
  schedpol::detail::PairBudget budget_;
  std::vector<Finding> findings_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const ResourcePolicy> policies) {
  return detail::Analysis(policies).run();
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
