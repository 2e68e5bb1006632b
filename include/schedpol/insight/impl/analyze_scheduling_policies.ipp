// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/impl/policy_analysis.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>

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

namespace schedpol::scheduling_policy {

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
      found(Severity::error, {"allowed", "nodeSelectors"});
    if (holds_nothing(allowed.affinities)) found(Severity::error, {"allowed", "affinities"});
    // In `required` any asks for something, and as a whole field is refused.
    const auto below = [&](Severity severity, const FieldPath& field, const AffinityRules& rules) {
      for_each_kind([&](const auto& kind) {
        const auto& modes = rules.*kind.rules;
        const FieldPath at = field.child(kind.rules_field);
        if (holds_nothing(modes)) found(severity, at);
        for_each_mode<std::decay_t<decltype(modes.listed())>>(
            [&](std::string_view name, auto mode) {
              if (holds_nothing(modes.listed().*mode)) found(severity, at.child(name));
            });
      });
    };
    below(Severity::warning, {"required", "affinities"}, policy.spec.required.affinities.listed());
    below(Severity::error, {"allowed", "affinities"}, allowed.affinities.listed());
  }
  /// Of what is written in braces, only nulls stand in it.
  template <class T>
  static bool holds_nothing(const AnyOr<T>& field) {
    return field.is_listed() && field.listed() == T{};
  }

  void look_at_patterns(const SchedulingPolicy& policy) {
    for (const bool required : {true, false}) {
      const PolicyRules& rules = required ? policy.spec.required : policy.spec.allowed;
      const FieldPath section{required ? "required" : "allowed"};
      const auto found = [&](const FieldPath& field, const std::vector<std::string>& absent) {
        if (absent.empty()) return;
        findings_.push_back({.code = FindingCode::entry_matches_nothing,
                             .severity = required ? Severity::error : Severity::warning,
                             .policies = {policy.metadata.name},
                             .field = field,
                             .detail = in_backticks(Names(absent)) +
                                       (absent.size() == 1 ? " is" : " are") + " absent"});
      };
      const std::vector<TolerationPattern>& tolerations = rules.tolerations.listed();
      for (std::size_t i = 0; i < tolerations.size(); ++i) {
        std::vector<std::string> absent = absent_lists(tolerations[i]);
        if (tolerations[i].effects.is_absent()) absent.emplace_back("effects");
        found(section.child("tolerations").index(i), absent);
      }
      const NodeAffinityRules& modes = rules.affinities.listed().node_affinities.listed();
      for_each_mode<NodeAffinityRules>([&](std::string_view name, auto mode) {
        const FieldPath at =
            section.child("affinities").child(node_affinity_kind.rules_field).child(name);
        const std::vector<TermPattern>& terms = (modes.*mode).listed().node_selector_terms;
        for (std::size_t i = 0; i < terms.size(); ++i) {
          const FieldPath term = at.child("nodeSelectorTerms").index(i);
          const auto look_at = [&](const FieldPath& list,
                                   const std::vector<RequirementPattern>& patterns) {
            for (std::size_t j = 0; j < patterns.size(); ++j)
              found(list.index(j), absent_lists(patterns[j]));
          };
          look_at(term.child("matchExpressions"), terms[i].match_expressions.listed());
          look_at(term.child("matchFields"), terms[i].match_fields.listed());
        }
      });
    }
  }
  static std::vector<std::string> absent_lists(const auto& pattern) {
    std::vector<std::string> absent;
    if (pattern.keys.is_absent()) absent.emplace_back("keys");
    if (pattern.operators.is_absent()) absent.emplace_back("operators");
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

}  // namespace schedpol::scheduling_policy
