// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about the sets of SchedulingPolicies that somebody is judged by, and about each by
/// itself, as `analyze_scheduling_policies.hpp` says it.

#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/insight/impl/analysis.hpp>
#include <schedpol/insight/impl/merged_policy_analysis.hpp>
#include <schedpol/insight/impl/policy_entry_analysis.hpp>

#include <functional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class SchedulingPolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  using PolicyNames = std::set<std::string, std::less<>>;

  /// What is about none of `asked_about` is left out; null: nothing is.
  SchedulingPolicyAnalysis(MergeStrategy strategy, const Options& options, Budget& budget,
                           const PolicyNames* asked_about = nullptr)
      : Analysis(budget), strategy_(strategy), options_(options), asked_about_(asked_about) {}

  /// At what everybody is judged by.
  void look_at_all(std::span<const SchedulingPolicy> policies) {
    MergedPolicyAnalysis merged(policies, strategy_, options_, budget_);
    merged.run();
    take_over(std::move(merged), [&](const Finding& finding) { return is_new(finding); });
  }

  /// At what somebody is judged by who has such pods.
  void look_at(std::span<const SchedulingPolicy> policies, const std::string& whose,
               const Pod& pod) {
    MergedPolicyAnalysis merged(policies, strategy_, options_, budget_);
    merged.run();
    merged.look_for_added_requirements(whose);
    take_over(std::move(merged), [&](Finding& finding) {
      if (finding.witness) {
        finding.witness->metadata.namespace_ = pod.metadata.namespace_;
        finding.witness->spec.service_account_name = pod.spec.service_account_name;
      }
      return is_new(finding);
    });
  }

  /// Says of a policy that nobody may use it.
  void note_unused(const SchedulingPolicy& policy) {
    add({.code = FindingCode::granted_to_nobody,
         .severity = Severity::info,
         .policies = {policy.metadata.name}});
  }

  /// At each by itself.
  void look_at_entries(std::span<const SchedulingPolicy> policies) {
    PolicyEntryAnalysis entries(budget_);
    entries.look_at(policies);
    take_over(std::move(entries), [](const Finding&) { return true; });
  }

 private:
  [[nodiscard]] bool is_new(const Finding& finding) {
    const auto is_asked_about = [&](const std::string& policy) {
      return asked_about_->contains(policy);
    };
    if (asked_about_ != nullptr && schedpol::detail::none_of(finding.policies, is_asked_about))
      return false;
    return known_.emplace(finding.code, finding.policies.vector(), finding.field, finding.detail)
        .second;
  }

  MergeStrategy strategy_;
  const Options& options_;
  const PolicyNames* asked_about_;
  std::set<std::tuple<FindingCode, std::vector<std::string>, FieldPath, std::string>> known_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
