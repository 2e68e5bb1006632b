// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/impl/policy_analysis.hpp>
#include <schedpol/scheduling_policy/fields.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// The findings of several sets of policies, each once.
class Analysis {
 public:
  Analysis(std::span<const SchedulingPolicy> policies, MergeStrategy strategy,
           const Options& options)
      : policies_(policies), strategy_(strategy), options_(options) {
    for (const SchedulingPolicy& policy : policies) by_name_.emplace(policy.metadata.name, &policy);
  }

  void look_at_all() { add(PolicyAnalysis(policies_, strategy_, options_, budget_).run()); }

  void look_at(const Grantee& grantee) {
    if (budget_.exceeded()) return;
    std::vector<SchedulingPolicy> theirs;
    for (const std::string& name : grantee.policies)
      if (const auto found = by_name_.find(name); found != by_name_.end())
        theirs.push_back(*found->second);
    PolicyAnalysis analysis(theirs, strategy_, options_, budget_);
    std::vector<Finding> found = analysis.run();
    analysis.for_each_that_requires([&](const SchedulingPolicy& policy, const Pod& witness) {
      found.push_back({.code = FindingCode::grant_adds_requirements,
                       .severity = Severity::warning,
                       .policies = {policy.metadata.name},
                       .detail = grantee.whose,
                       .witness = witness});
    });
    for (Finding& finding : found) {
      if (!finding.witness) continue;
      finding.witness->metadata.namespace_ = grantee.pod.metadata.namespace_;
      finding.witness->spec.service_account_name = grantee.pod.spec.service_account_name;
    }
    add(std::move(found));
  }

  /// Those that are in none of the sets.
  void look_at_unused(std::span<const Grantee> grantees) {
    std::set<std::string_view> used;
    for (const Grantee& grantee : grantees)
      used.insert(grantee.policies.begin(), grantee.policies.end());
    for (const SchedulingPolicy& policy : policies_) {
      if (!used.contains(policy.metadata.name))
        findings_.push_back({.code = FindingCode::granted_to_nobody,
                             .severity = Severity::info,
                             .policies = {policy.metadata.name}});
    }
  }

  std::vector<Finding> finish() && {
    for (const SchedulingPolicy& policy : policies_) look_at_nulls(policy);
    for (const SchedulingPolicy& policy : policies_) look_at_patterns(policy);
    if (budget_.exceeded()) findings_.push_back({});
    return std::move(findings_);
  }

 private:
  void add(std::vector<Finding> found) {
    for (Finding& finding : found) {
      if (known_.emplace(finding.code, finding.policies.vector(), finding.field, finding.detail)
              .second)
        findings_.push_back(std::move(finding));
    }
  }

  void look_at_nulls(const SchedulingPolicy& policy) {
    const auto found = [&](Severity severity, const FieldPath& field) {
      findings_.push_back({.code = FindingCode::null_entry,
                           .severity = severity,
                           .policies = {policy.metadata.name},
                           .field = field});
    };
    const PolicyRules& allowed = policy.spec.allowed;
    const NodeSelectors& keys = allowed.node_selectors.listed();
    const auto is_null = [](const auto& entry) { return entry.second.is_absent(); };
    if (!keys.empty() && std::all_of(keys.begin(), keys.end(), is_null))
      found(Severity::error, {allowed_section.name, node_selector_field.rules_field});
    if (holds_nothing(allowed.affinities))
      found(Severity::error, {allowed_section.name, affinity_field.rules_field});
    // In `required` any asks for something, and as a whole field is refused.
    const auto below = [&](Severity severity, const FieldPath& field, const AffinityRules& rules) {
      for_each_kind([&](const auto& kind) {
        const auto& modes = rules.*kind.rules;
        const FieldPath at = field.child(kind.rules_field);
        if (holds_nothing(modes)) found(severity, at);
        for_each_field<std::decay_t<decltype(modes.listed())>>(
            [&](std::string_view name, auto mode) {
              if (holds_nothing(modes.listed().*mode)) found(severity, at.child(name));
            });
      });
    };
    below(Severity::warning, {required_section.name, affinity_field.rules_field},
          policy.spec.required.affinities.listed());
    below(Severity::error, {allowed_section.name, affinity_field.rules_field},
          allowed.affinities.listed());
  }
  /// Of what is written in braces, only nulls stand in it.
  template <class T>
  static bool holds_nothing(const AnyOr<T>& field) {
    return field.is_listed() && field.listed() == T{};
  }

  void look_at_patterns(const SchedulingPolicy& policy) {
    for (const bool required : {true, false}) {
      const PolicyRules& rules = required ? policy.spec.required : policy.spec.allowed;
      const FieldPath section{required ? required_section.name : allowed_section.name};
      const auto found = [&](const FieldPath& field, const std::vector<std::string>& absent) {
        if (absent.empty()) return;
        findings_.push_back({.code = FindingCode::entry_matches_nothing,
                             .severity = required ? Severity::error : Severity::warning,
                             .policies = {policy.metadata.name},
                             .field = field,
                             .detail = in_backticks(Names(absent)) +
                                       (absent.size() == 1 ? " is" : " are") + " absent"});
      };
      const auto look_at = [&](const FieldPath& list, const auto& patterns) {
        for (std::size_t i = 0; i < patterns.size(); ++i)
          found(list.index(i), absent_lists(patterns[i]));
      };
      look_at(section.child(tolerations_field.rules_field), rules.tolerations.listed());
      const NodeAffinityRules& modes = rules.affinities.listed().node_affinities.listed();
      const FieldPath kind =
          section.child(affinity_field.rules_field).child(node_affinity_kind.rules_field);
      for_each_field<NodeAffinityRules>([&](std::string_view mode_name, auto mode) {
        for_each_field<NodeAffinityRule>([&](std::string_view name, auto member) {
          const std::vector<TermPattern>& terms = (modes.*mode).listed().*member;
          const FieldPath at = kind.child(mode_name).child(name);
          for (std::size_t i = 0; i < terms.size(); ++i)
            for_each_field<TermPattern>([&](std::string_view list_name, auto list) {
              look_at(at.index(i).child(list_name), (terms[i].*list).listed());
            });
        });
      });
    }
  }
  /// All but the values, which absent match what has none.
  template <class Pattern>
  static std::vector<std::string> absent_lists(const Pattern& pattern) {
    std::vector<std::string> absent;
    for_each_field<Pattern>([&](std::string_view name, auto list) {
      if constexpr (std::is_same_v<decltype(list), AnyOr<Texts> Pattern::*>)
        if (list == &Pattern::values) return;
      if ((pattern.*list).is_absent()) absent.emplace_back(name);
    });
    return absent;
  }

  std::span<const SchedulingPolicy> policies_;
  MergeStrategy strategy_;
  const Options& options_;
  Budget budget_;
  std::map<std::string_view, const SchedulingPolicy*> by_name_;
  std::set<std::tuple<FindingCode, std::vector<std::string>, FieldPath, std::string>> known_;
  std::vector<Finding> findings_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                             MergeStrategy strategy, const Options& options) {
  detail::Analysis analysis(policies, strategy, options);
  analysis.look_at_all();
  return std::move(analysis).finish();
}

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                             std::span<const Grantee> grantees,
                                             MergeStrategy strategy, const Options& options) {
  detail::Analysis analysis(policies, strategy, options);
  for (const Grantee& grantee : grantees) analysis.look_at(grantee);
  analysis.look_at_unused(grantees);
  return std::move(analysis).finish();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
