// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_resource_policies.hpp>
#include <schedpol/insight/impl/analysis.hpp>
#include <schedpol/insight/impl/selection.hpp>
#include <schedpol/resource_policy/validate.hpp>

#include <tuple>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

using schedpol::detail::Budget;

/// A policy, and whether it is asked about: of the others only matters which pods they select.
struct AnalyzedResourcePolicy {
  const ResourcePolicy* policy;
  bool is_asked_about = true;
};

inline std::size_t texts_of(const ResourcePolicy& policy) {
  std::size_t texts = schedpol::detail::texts_of(policy.spec.pod_selector);
  for (const Unit& unit : policy.spec.units)
    texts += 1 + schedpol::detail::texts_of(unit.node_selector);
  return texts;
}

/// What is odd about ResourcePolicies, as `analyze_resource_policies.hpp` says it.
class ResourcePolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  /// Of policies that can be used.
  ResourcePolicyAnalysis(std::vector<AnalyzedResourcePolicy> policies, Budget& budget)
      : Analysis(budget), policies_(std::move(policies)) {
    std::sort(policies_.begin(), policies_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.policy->metadata.namespace_, a.policy->metadata.name) <
             std::tie(b.policy->metadata.namespace_, b.policy->metadata.name);
    });
  }

  std::vector<Finding> run() && {
    look_for(FindingCode::selects_nothing, [&] {
      for (const AnalyzedResourcePolicy& policy : policies_) look_at_selectors(policy);
    });
    look_for(FindingCode::selections_overlap, [&] { look_at_pods(); });
    look_for(FindingCode::units_overlap, [&] {
      for (std::size_t i = 0; i < policies_.size(); ++i) look_at_units(i);
    });
    return std::move(*this).take();
  }

 private:
  using Overlapping = schedpol::detail::Overlapping;
  using Selection = schedpol::detail::Selection;

  static Finding make_finding(FindingCode code, Severity severity, const ResourcePolicy& policy,
                              FieldPath field) {
    return {.code = code,
            .severity = severity,
            .policies = {schedpol::detail::qualified_name(policy.metadata)},
            .field = std::move(field)};
  }

  /// The pods and units of what selects something; nothing of those that do not.
  void look_at_selectors(const AnalyzedResourcePolicy& analyzed) {
    const ResourcePolicySpec& spec = analyzed.policy->spec;
    const auto look_at = [&](const std::optional<LabelSelector>& selector, const FieldPath& field) {
      std::optional<Selection> selection;
      if (!Selection::can_afford(schedpol::detail::texts_of(selector), budget_)) return selection;
      selection.emplace();
      selection->labels(selector.value_or(LabelSelector{}));
      if (!selection->selects_nothing(budget_)) return selection;
      if (analyzed.is_asked_about)
        add(make_finding(FindingCode::selects_nothing, Severity::warning, *analyzed.policy, field));
      return std::optional<Selection>();
    };
    auto& pods = pods_.emplace_back(look_at(spec.pod_selector, {"podSelector"}));
    if (pods) pods->in_namespace(analyzed.policy->metadata.namespace_);
    auto& units = units_.emplace_back();
    for (std::size_t i = 0; i < spec.units.size() && analyzed.is_asked_about; ++i)
      units.push_back(
          look_at(spec.units[i].node_selector, FieldPath{"units"}.index(i).child("nodeSelector")));
  }

  static std::vector<Overlapping> overlapping(
      const std::vector<std::optional<Selection>>& selections) {
    std::vector<Overlapping> all;
    for (std::size_t i = 0; i < selections.size(); ++i)
      if (selections[i]) all.push_back({i, i, &*selections[i]});
    return all;
  }

  void look_at_pods() {
    std::vector<Overlapping> all = overlapping(pods_);
    for (Overlapping& one : all) one.is_asked_about = policies_[one.number].is_asked_about;
    for_each_overlap(
        std::move(all), budget_, [&](const auto& first, const auto& second, const Labels& labels) {
          schedpol::detail::SelectedObject selected(labels);
          const ObjectMeta& other = policies_[first.number].policy->metadata;
          const ObjectMeta& metadata = policies_[second.number].policy->metadata;
          Finding finding = make_finding(FindingCode::selections_overlap, Severity::error,
                                         *policies_[second.number].policy, {"podSelector"});
          finding.policies = {schedpol::detail::qualified_name(other),
                              schedpol::detail::qualified_name(metadata)};
          finding.witness.emplace().metadata = {.namespace_ = metadata.namespace_,
                                                .labels = std::move(selected.labels)};
          add(std::move(finding));
        });
  }

  void look_at_units(std::size_t policy) {
    for_each_overlap(
        overlapping(units_[policy]), budget_,
        [&](const auto& first, const auto& second, const Labels& labels) {
          const FieldPath units{"units"};
          const LabelSelector node{schedpol::detail::SelectedObject(labels).labels, {}};
          Finding finding =
              make_finding(FindingCode::units_overlap, Severity::info, *policies_[policy].policy,
                           units.index(second.number).child("nodeSelector"));
          finding.detail = to_string(units.index(first.number))
                               .append(" ")
                               .append(schedpol::detail::start_of(to_string(node)));
          add(std::move(finding));
        });
  }

  std::vector<AnalyzedResourcePolicy> policies_;  ///< by namespace and name
  std::vector<std::optional<Selection>> pods_;
  std::vector<std::vector<std::optional<Selection>>> units_;  ///< of each policy
};

/// Whether a stored policy may select a pod of one that is written, which is in its namespace.
inline bool is_neighbour(const ResourcePolicy& stored, std::span<const ResourcePolicy> written,
                         Budget& budget) {
  budget.spend(4);
  return schedpol::detail::any_of(written, [&](const ResourcePolicy& each) {
    budget.spend();
    return each.metadata.namespace_ == stored.metadata.namespace_ &&
           !name_different_values(stored.spec.pod_selector, each.spec.pod_selector, budget);
  });
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const ResourcePolicy> policies) {
  std::vector<detail::AnalyzedResourcePolicy> good;
  for (const ResourcePolicy& policy : policies)
    if (validate(policy).errors.empty()) good.push_back({&policy});
  detail::Budget budget;
  return detail::ResourcePolicyAnalysis(std::move(good), budget).run();
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
