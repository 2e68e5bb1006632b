// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/impl/merged_policy_analysis.hpp>

#include <tuple>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// Entries of a policy that say something else than they seem to: nulls in braces, and patterns of
/// which a list is absent.
class PolicyEntryAnalysis final : public schedpol::detail::Analysis {
 public:
  explicit PolicyEntryAnalysis(schedpol::detail::Budget& budget) : Analysis(budget) {}

  void look_at(std::span<const SchedulingPolicy> policies, const Components& governs) {
    const auto look_at_each = [&](auto&& look) {
      for (const SchedulingPolicy& policy : policies)
        if (budget_.spend(20 + entries_of(policy.spec))) look(policy);
    };
    look_for(FindingCode::null_entry,
             [&] { look_at_each([&](const auto& policy) { look_at_nulls(policy); }); });
    look_for(FindingCode::entry_matches_nothing,
             [&] { look_at_each([&](const auto& policy) { look_at_patterns(policy); }); });
    look_for(FindingCode::ungoverned, [&] {
      look_at_each([&](const auto& policy) { look_at_ungoverned(policy, governs); });
    });
  }

 private:
  void look_at_nulls(const SchedulingPolicy& policy) {
    const auto found = [&](Severity severity, const FieldPath& field) {
      add({.code = FindingCode::null_entry,
           .severity = severity,
           .policies = {policy.metadata.name},
           .field = field});
    };
    // In `required` any asks for something, and as a whole field is refused.
    for_each_section_field([&](const auto& row) {
      const FieldPath allowed{allowed_section.name, row.rules_field};
      if (holds_nothing(policy.spec.allowed.*row.rules)) found(Severity::error, allowed);
      look_at_nulls_below(FieldPath{required_section.name, row.rules_field},
                          (policy.spec.required.*row.rules).listed(),
                          [&](const FieldPath& field) { found(Severity::warning, field); });
      look_at_nulls_below(allowed, (policy.spec.allowed.*row.rules).listed(),
                          [&](const FieldPath& field) { found(Severity::error, field); });
    });
  }
  /// Of what stands below a field only affinities have a structure.
  template <class Rules, class Found>
  static void look_at_nulls_below(const FieldPath&, const Rules&, Found&&) noexcept {}
  template <class Found>
  static void look_at_nulls_below(const FieldPath& field, const AffinityRules& rules,
                                  Found&& found) {
    for_each_kind([&](const auto& kind) {
      const auto& modes = rules.*kind.rules;
      const FieldPath at = field.child(kind.rules_field);
      if (holds_nothing(modes)) found(at);
      for_each_field<std::decay_t<decltype(modes.listed())>>([&](std::string_view name, auto mode) {
        if (holds_nothing(modes.listed().*mode)) found(at.child(name));
      });
    });
  }
  /// Of what is written in braces, only nulls stand in it.
  template <class T>
  static bool holds_nothing(const AnyOr<T>& field) {
    return field.is_listed() && field.listed() == T{};
  }
  /// Lists that nothing stands in are no structures.
  static bool holds_nothing(const AnyOr<Texts>&) noexcept { return false; }
  template <class Pattern>
  static bool holds_nothing(const AnyOr<std::vector<Pattern>>&) noexcept {
    return false;
  }
  static bool holds_nothing(const AnyOr<NodeSelectors>& field) {
    const NodeSelectors& keys = field.listed();
    return !keys.empty() && schedpol::detail::all_of(
                                keys, [](const auto& entry) { return entry.second.is_absent(); });
  }

  void look_at_ungoverned(const SchedulingPolicy& policy, const Components& governs) {
    for_each_section_field([&](const auto& row) {
      if (!governs.contain(row.component) && (policy.spec.allowed.*row.rules).is_listed())
        add({.code = FindingCode::ungoverned,
             .severity = Severity::error,
             .policies = {policy.metadata.name},
             .field = {allowed_section.name, row.rules_field}});
    });
  }

  void look_at_patterns(const SchedulingPolicy& policy) {
    for (const bool required : {true, false}) {
      const PolicySection& rules = required ? policy.spec.required : policy.spec.allowed;
      const FieldPath section{required ? required_section.name : allowed_section.name};
      const auto found = [&](const FieldPath& field, const std::vector<std::string>& absent) {
        if (absent.empty()) return;
        add({.code = FindingCode::entry_matches_nothing,
             .severity = required ? Severity::error : Severity::warning,
             .policies = {policy.metadata.name},
             .field = field,
             .detail =
                 in_backticks(Names(absent)) + (absent.size() == 1 ? " is" : " are") + " absent"});
      };
      for_each_section_field([&](const auto& row) {
        for_each_pattern(section.child(row.rules_field), (rules.*row.rules).listed(),
                         [&](const FieldPath& place, const auto& pattern) {
                           found(place, absent_lists(pattern));
                         });
      });
    }
  }
  /// Calls `f(place, pattern)` for each pattern in a field.
  template <class F>
  static void for_each_pattern(const FieldPath&, const Texts&, F&&) noexcept {}
  template <class F>
  static void for_each_pattern(const FieldPath&, const NodeSelectors&, F&&) noexcept {}
  template <class Pattern, class F>
  static void for_each_pattern(const FieldPath& list, const std::vector<Pattern>& patterns, F&& f) {
    for (std::size_t i = 0; i < patterns.size(); ++i) f(list.index(i), patterns[i]);
  }
  template <class F>
  static void for_each_pattern(const FieldPath& field, const AffinityRules& rules, F&& f) {
    const NodeAffinityRules& modes = (rules.*node_affinity_kind.rules).listed();
    const FieldPath kind = field.child(node_affinity_kind.rules_field);
    for_each_field<NodeAffinityRules>([&](std::string_view mode_name, auto mode) {
      for_each_field<NodeAffinityRule>([&](std::string_view name, auto member) {
        const std::vector<TermPattern>& terms = (modes.*mode).listed().*member;
        const FieldPath at = kind.child(mode_name).child(name);
        for (std::size_t i = 0; i < terms.size(); ++i)
          for_each_field<TermPattern>([&](std::string_view list_name, auto list) {
            for_each_pattern(at.index(i).child(list_name), (terms[i].*list).listed(), f);
          });
      });
    });
  }
  /// All but the values, which absent match what has none.
  template <class Pattern>
  static std::vector<std::string> absent_lists(const Pattern& pattern) {
    std::vector<std::string> absent;
    for_each_field<Pattern>([&](std::string_view name, auto list) {
      if constexpr (requires { list == &Pattern::values; })
        if (list == &Pattern::values) return;
      if ((pattern.*list).is_absent()) absent.emplace_back(name);
    });
    return absent;
  }
};

/// What is odd about the sets of SchedulingPolicies that somebody is judged by, and about each by
/// itself, as `analyze_scheduling_policies.hpp` says it.
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

  /// At each by itself: what it denies or asks for in vain matters before anybody may use it.
  void look_at_contradictions(std::span<const SchedulingPolicy> policies) {
    for (const SchedulingPolicy& policy : policies) {
      MergedPolicyAnalysis alone({&policy, 1}, strategy_, options_, budget_);
      alone.look_for_contradictions();
      take_over(std::move(alone), [&](const Finding& finding) { return is_new(finding); });
    }
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
    entries.look_at(policies, options_.governs);
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

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                             MergeStrategy strategy, const Options& options) {
  detail::Budget budget;
  detail::SchedulingPolicyAnalysis analysis(strategy, options, budget);
  analysis.look_at_all(policies);
  analysis.look_at_entries(policies);
  return std::move(analysis).take();
}

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                             std::span<const Grantee> grantees,
                                             MergeStrategy strategy, const Options& options) {
  detail::Budget budget;
  detail::SchedulingPolicyAnalysis analysis(strategy, options, budget);
  std::map<std::string_view, const SchedulingPolicy*> by_name;
  for (const SchedulingPolicy& policy : policies) by_name.emplace(policy.metadata.name, &policy);
  std::set<std::string_view> used;
  for (const Grantee& grantee : grantees) {
    std::vector<SchedulingPolicy> theirs;
    for (const std::string& name : grantee.policies) {
      used.insert(name);
      const auto found = by_name.find(name);
      if (found != by_name.end() && !budget.used_up()) theirs.push_back(*found->second);
    }
    analysis.look_at(theirs, grantee.whose, grantee.pod);
  }
  for (const SchedulingPolicy& policy : policies)
    if (!used.contains(policy.metadata.name)) analysis.note_unused(policy);
  analysis.look_at_contradictions(policies);
  analysis.look_at_entries(policies);
  return std::move(analysis).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
