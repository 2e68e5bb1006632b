// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about policies that are merged together, as `analyze_scheduling_policies.hpp` says it.

#include <schedpol/insight/compare.hpp>
#include <schedpol/insight/impl/analysis.hpp>
#include <schedpol/insight/impl/covered_patterns.hpp>
#include <schedpol/insight/impl/entry_text.hpp>
#include <schedpol/insight/impl/policy_comparison.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Steps of merging these policies.
inline std::size_t merging_steps(std::span<const SchedulingPolicy> policies) {
  std::size_t steps = 0;
  for (const SchedulingPolicy& policy : policies) steps += 100 + 24 * entries_of(policy.spec);
  return steps;
}

class MergedPolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  MergedPolicyAnalysis(std::span<const SchedulingPolicy> policies, MergeStrategy strategy,
                       const Options& options, Budget& budget)
      : Analysis(budget),
        policies_(policies),
        strategy_(strategy),
        options_(options),
        merging_steps_(merging_steps(policies)),
        effective_(merged(policies, strategy)) {}

  void run() {
    using Code = FindingCode;
    const bool decides = EffectivePolicyAccess::of(effective_).decides;
    if (!decides && !budget_.used_up()) return;
    look_for_contradictions();
    look_for(Code::requirement_lost, [&] { entries_lost(); });
    look_for(Code::requirement_escaped, [&] { requirement_escaped(); });
    look_for(Code::strategies_disagree, [&] { strategies_disagree(); });
    look_for(Code::every_pod_denied, [&] { every_pod(); });
    look_for(Code::entry_covered, [&] { entries_covered(); });  // what takes most comes last
  }

  /// Finds what is wrong with policies whoever may use them.
  void look_for_contradictions() {
    look_for(FindingCode::default_denied, [&] { defaults_denied(); });
    look_for(FindingCode::requirement_unmet, [&] { requirements_unmet(); });
  }

  /// Finds each policy without which pods are allowed that are denied with it. `whose` are they?
  void look_for_added_requirements(const std::string& whose) {
    look_for(FindingCode::grant_adds_requirements, [&] {
      if (policies_.size() < 2) return;
      for (std::size_t i = 0; i < policies_.size() && !budget_.used_up(); ++i) {
        const SchedulingPolicy& policy = policies_[i];
        if (policy.spec.required == PolicySection{} || !budget_.spend(merging_steps_)) continue;
        std::vector<SchedulingPolicy> others(policies_.begin(), policies_.end());
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        if (auto pod = pod_of(merged(others, strategy_), effective_))
          add({.code = FindingCode::grant_adds_requirements,
               .severity = Severity::warning,
               .policies = {policy.metadata.name},
               .detail = whose,
               .witness = std::move(pod)});
      }
    });
  }

 private:
  [[nodiscard]] EffectivePolicy merged(std::span<const SchedulingPolicy> policies,
                                       MergeStrategy strategy) {
    return budget_.spend(merging_steps_) ? merge(policies, strategy) : EffectivePolicy();
  }

  [[nodiscard]] const SchedulingPolicySpec& spec() const { return effective_.spec(); }

  void find(FindingCode code, Severity severity, const FieldPath& field, std::string detail = {},
            std::optional<Pod> witness = {}) {
    add({code, severity, field.empty() ? effective_.policies() : effective_.sources_of(field),
         field, std::move(detail), std::move(witness)});
  }

  /// A policy of the set that says this.
  static EffectivePolicy saying(SchedulingPolicySpec spec) {
    return {std::move(spec), Names{"a"}, {}};
  }

  /// A pod that `a` allows and `b` does not. Nothing once the budget is used up.
  std::optional<Pod> pod_of(const EffectivePolicy& a, const EffectivePolicy& b,
                            const Options& options_a, const Options& options_b) {
    auto compared = PolicyComparison(a, b, options_a, options_b, budget_).run();
    return compared ? std::move(compared->allowed_before) : std::nullopt;
  }
  std::optional<Pod> pod_of(const EffectivePolicy& a, const EffectivePolicy& b) {
    return pod_of(a, b, options_, options_);
  }

  // ---- defaults

  template <class Pick>
  void component_denied(const FieldPath& entry, Pick&& pick) {
    if (!budget_.spend(steps_of_component)) return;
    const Side side = Side{effective_, &options_}.reduced(pick);
    if (!budget_.spend(16 * entries_of(side.spec()) + CheckSteps(side).of({}))) return;
    const Admission admission = admit({}, side.policy, options_);
    if (admission.allowed) return;
    find(FindingCode::default_denied, Severity::error, entry, message(admission.violations.front()),
         Pod{});
  }
  void defaults_denied() {
    for_each_pod_field([&](const auto& row) {
      if (spec().defaults.*row.member)
        default_denied(row, FieldPath{default_section.name, row.field});
    });
  }
  template <class Row>
  void default_denied(const Row& row, const FieldPath& field) {
    component_denied(field, pick(row));
  }
  void default_denied(const NodeSelectorField& row, const FieldPath& field) {
    for (const auto& [key, value] : *(spec().defaults.*row.member))
      component_denied(field.key(key), pick_key(row, key));
  }
  void default_denied(const AffinityField& row, const FieldPath& field) {
    const bool every_term = options_.required_affinity != RequiredAffinity::present;
    for_each_kind([&](const auto& kind) {
      const auto terms = terms_of(spec().defaults.*row.member, kind.member);
      if (terms.empty()) return;
      const bool has_required = !terms.required.empty();
      const FieldPath entry =
          field.child(kind.field).child(has_required ? required_mode : preferred_mode);
      const auto injected_kind =
          EffectivePolicyAccess::of(effective_).checks.of(row).of(kind).injected(every_term);
      if (has_required && terms_of(injected_kind).required.empty())
        return find(FindingCode::default_not_given, Severity::error, entry,
                    EntryText::of(spec(), entry), Pod{});
      component_denied(entry, pick_kind(kind));
    });
  }

  // ---- requirements

  /// Whether some pod meets a requirement, where it is the only one.
  template <class Rules>
  void requirement(const FieldPath& entry, AnyOr<Rules> PolicySection::*field,
                   AnyOr<Rules> required) {
    SchedulingPolicySpec alone;
    alone.allowed.scheduler_names = any;
    alone.required.*field = std::move(required);
    if (pod_of(saying(std::move(alone)), {}) || budget_.used_up()) return;
    find(FindingCode::requirement_unmet, Severity::error, entry, EntryText::of(spec(), entry));
  }
  void requirements_unmet() {
    for_each_pod_field([&](const auto& row) {
      unmet(row, FieldPath{required_section.name, row.rules_field}, spec().required.*row.rules);
    });
  }
  /// One of several names is had.
  static void unmet(const NameField&, const FieldPath&, const AnyOr<Texts>&) noexcept {}
  void unmet(const NodeSelectorField& row, const FieldPath& field,
             const AnyOr<NodeSelectors>& required) {
    for (const auto& [key, values] : required.listed())
      if (!values.is_any() && values.listed().empty())
        requirement(field.key(key), row.rules, AnyOr(NodeSelectors{{key, values}}));
  }
  void unmet(const TolerationsField& row, const FieldPath& field,
             const AnyOr<std::vector<TolerationPattern>>& required) {
    for (std::size_t i = 0; i < required.listed().size() && !budget_.used_up(); ++i)
      requirement(field.index(i), row.rules, AnyOr(std::vector{required.listed()[i]}));
  }
  void unmet(const AffinityField& row, const FieldPath& field,
             const AnyOr<AffinityRules>& required) {
    for_each_kind([&](const auto& kind) {
      if (!required.is_listed()) return;
      using Modes = std::decay_t<decltype((AffinityRules{}.*kind.rules).listed())>;
      const auto& modes = required.listed().*kind.rules;
      for_each_field<Modes>([&](std::string_view name, auto mode) {
        if ((modes.listed().*mode).is_absent()) return;
        AffinityRules alone;
        (alone.*kind.rules).list().*mode = modes.listed().*mode;
        requirement(field.child(kind.rules_field).child(name), row.rules, AnyOr(std::move(alone)));
      });
    });
  }

  // ---- what lost in the merge

  void entries_lost() {
    for (const auto& [entry, policies] : effective_.sources().lost) {
      const bool required = entry.steps()[0].name == required_section.name;
      for (const std::string& policy : policies) {
        if (!budget_.spend(steps_of_component)) return;
        const SchedulingPolicySpec* own = own_spec(effective_, policy);
        if (own == nullptr) continue;
        Finding finding{.code = FindingCode::entry_lost,
                        .policies = {policy},
                        .field = entry,
                        .detail = EntryText::of(*own, entry)};
        if (required) {
          finding.code = FindingCode::requirement_lost;
          finding.severity = Severity::warning;
          finding.witness = pod_without(entry, *own);
          if (!finding.witness) continue;  // what hides it asks for no less
        }
        add(std::move(finding));
      }
    }
  }

  /// A pod that is allowed and does not meet the requirement, with the defaults it is given. Where
  /// the entry is about one component alone, the rest is as in any pod that is allowed.
  std::optional<Pod> pod_without(const FieldPath& entry, const SchedulingPolicySpec& own) {
    if (!any_pod_) any_pod_ = pod_of(effective_, {});
    if (!*any_pod_) return std::nullopt;
    SchedulingPolicySpec requiring;
    requiring.allowed = everything();
    const std::vector<FieldPath::Step> steps = entry.steps();
    copy_at(steps, own, requiring);
    const std::size_t entries = entries_of(requiring) + entries_of(spec().defaults);
    if (!budget_.spend(steps_of_component + steps_an_entry_of_component * entries))
      return std::nullopt;
    requiring.defaults = spec().defaults;
    const EffectivePolicy alone = saying(std::move(requiring));
    // Whether terms of a default are given as they are or as one depends on what is required: they
    // are as all the policies together give them.
    const Pod defaulted = apply_defaults(**any_pod_, effective_, options_).pod;
    if (!budget_.spend(CheckSteps(Side{alone, &options_}).of(defaulted.spec))) return std::nullopt;
    if (!check(defaulted, alone, options_).empty()) return *any_pod_;
    std::optional<Pod> pod;
    for_each_pod_field([&](const auto& row) {
      if (row.rules_field == steps[1].name)
        pod = pod_without(row, std::span(steps).subspan(2), alone);
    });
    return pod;
  }
  /// `below`: the steps from the field to the entry.
  using BelowField = std::span<const FieldPath::Step>;
  template <class Row>
  std::optional<Pod> pod_without(const Row&, BelowField, const EffectivePolicy& alone) {
    return pod_of(effective_, alone);
  }
  std::optional<Pod> pod_without(const NodeSelectorField& row, BelowField below,
                                 const EffectivePolicy& alone) {
    if (below.empty()) return pod_of(effective_, alone);
    const std::string_view key = below.front().name;
    return in_place(pick_key(row, key), alone, [&](PodSpec& to, const PodSpec& from) {
      Labels& pairs = to.*row.in_pod;
      pairs.erase(std::string(key));
      pairs.insert((from.*row.in_pod).begin(), (from.*row.in_pod).end());
    });
  }
  std::optional<Pod> pod_without(const TolerationsField& row, BelowField,
                                 const EffectivePolicy& alone) {
    return in_place(pick(row), alone,
                    [&](PodSpec& to, const PodSpec& from) { to.*row.in_pod = from.*row.in_pod; });
  }
  template <class Pick, class Put>
  std::optional<Pod> in_place(Pick&& pick, const EffectivePolicy& alone, Put&& put) {
    const Side side = Side{effective_, &options_}.reduced(pick);
    if (!budget_.spend(steps_an_entry_of_component * entries_of(side.spec()))) return std::nullopt;
    const std::optional<Pod> part = pod_of(side.policy, alone);
    if (!part) return std::nullopt;
    Pod pod = **any_pod_;
    put(pod.spec, part->spec);
    return pod;
  }

  // ---- what other entries permit

  /// Patterns and where they stand.
  template <class Pattern>
  using Placed = std::vector<std::pair<FieldPath, const Pattern*>>;

  /// One after the other.
  template <class Pattern, class TextOf>
  void covered(const Placed<Pattern>& placed, TextOf&& text_of) {
    if (placed.size() < 2) return;
    std::vector<const Pattern*> patterns;
    std::size_t entries = 0;
    for (const auto& [path, pattern] : placed) {
      patterns.push_back(pattern);
      entries += entries_of(*pattern);
    }
    if (!budget_.spend(16 * entries) || !budget_.keep(128 * entries)) return;
    CoveredPatterns<Pattern> all(patterns, budget_);
    for (std::size_t i = 0; i < placed.size() && !budget_.used_up(); ++i)
      if (all.leave_out(i))
        find(FindingCode::entry_covered, Severity::info, placed[i].first, text_of(*patterns[i]));
  }
  void entries_covered() {
    for_each_section_field([&](const auto& row) {
      covered_in(FieldPath{allowed_section.name, row.rules_field},
                 (spec().allowed.*row.rules).listed());
    });
  }
  /// Of names and keys none covers another.
  static void covered_in(const FieldPath&, const Texts&) noexcept {}
  static void covered_in(const FieldPath&, const NodeSelectors&) noexcept {}
  void covered_in(const FieldPath& field, const std::vector<TolerationPattern>& patterns) {
    Placed<TolerationPattern> placed;
    for (const TolerationPattern& pattern : patterns)
      placed.emplace_back(field.index(placed.size()), &pattern);
    covered(placed, [](const TolerationPattern& pattern) { return to_string(pattern); });
  }
  /// By how many patterns each key is permitted with each word.
  void covered_in(const FieldPath& field, const std::vector<SpreadConstraintPattern>& patterns) {
    constexpr std::array words = {WhenUnsatisfiable::do_not_schedule,
                                  WhenUnsatisfiable::schedule_anyway};
    using Counts = std::array<std::size_t, words.size()>;
    if (!budget_.spend(16 * entries_of(patterns))) return;
    Counts of_any_key{};
    std::map<std::string_view, Counts> of_key;
    const auto for_each_place = [&](const SpreadConstraintPattern& pattern, auto&& f) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        if ((accepted_words(pattern) & bit(words[i])) == 0) continue;
        if (pattern.topology_keys.is_any()) f(of_any_key[i], 0);
        const Texts& listed = pattern.topology_keys.listed();
        for (const std::string_view key : std::set<std::string_view>(listed.begin(), listed.end()))
          f(of_key[key][i], of_any_key[i]);
      }
    };
    for (const SpreadConstraintPattern& pattern : patterns)
      for_each_place(pattern, [](std::size_t& count, std::size_t) { ++count; });
    for (std::size_t n = 0; n < patterns.size(); ++n) {
      bool is_covered = true;
      for_each_place(patterns[n], [&](std::size_t& count, std::size_t of_any) {
        is_covered = is_covered && count + of_any > 1;
      });
      if (!is_covered) continue;
      for_each_place(patterns[n], [](std::size_t& count, std::size_t) { --count; });
      find(FindingCode::entry_covered, Severity::info, field.index(n), to_string(patterns[n]));
    }
  }
  void covered_in(const FieldPath& field, const AffinityRules& rules) {
    const auto& kind = rules.*node_affinity_kind.rules;
    for_each_field<NodeAffinityRules>([&](std::string_view name, auto mode) {
      const std::vector<TermPattern>& terms = (kind.listed().*mode).listed().node_selector_terms;
      const FieldPath path = field.child(node_affinity_kind.rules_field).child(name);
      for_each_field<NodeAffinityRule>([&](std::string_view terms_name, auto) {
        for_each_field<TermPattern>([&](std::string_view list_name, auto list) {
          terms_covered(path.child(terms_name), terms, list_name, list);
        });
      });
    });
  }
  void terms_covered(const FieldPath& path, const std::vector<TermPattern>& terms,
                     std::string_view list_name,
                     AnyOr<std::vector<RequirementPattern>> TermPattern::*list) {
    Placed<RequirementPattern> placed;
    for (std::size_t term = 0; term < terms.size(); ++term) {
      if ((terms[term].*list).is_any()) return;  // which permits everything
      const FieldPath of_term = path.index(term).child(list_name);
      const std::vector<RequirementPattern>& patterns = (terms[term].*list).listed();
      for (std::size_t i = 0; i < patterns.size(); ++i)
        placed.emplace_back(of_term.index(i), &patterns[i]);
    }
    covered(placed, [&](const RequirementPattern& pattern) {
      TermPattern term;
      (term.*list).list() = {pattern};
      return to_string(term);
    });
  }

  // ---- the set as a whole

  void requirement_escaped() {
    if (options_.required_affinity != RequiredAffinity::present) return;
    if (spec().required.affinities.is_absent() && !spec().defaults.affinity) return;
    Options every_term = options_;
    every_term.required_affinity = RequiredAffinity::every_term;
    auto pod = pod_of(effective_, effective_, options_, every_term);
    if (!pod) return;
    find(FindingCode::requirement_escaped, Severity::warning,
         FieldPath{required_section.name, affinity_field.rules_field,
                   node_affinity_kind.rules_field, required_mode},
         "", std::move(pod));
  }
  void strategies_disagree() {
    // What only allows adds up by this one: that others lose some of it says nothing.
    if (strategy_ == MergeStrategy::smart_deep_merge &&
        schedpol::detail::all_of(policies_, [](const SchedulingPolicy& policy) {
          return policy.spec.required == PolicySection{} && policy.spec.defaults == Defaults{};
        }))
      return;
    for (const MergeStrategy other :
         {MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins,
          MergeStrategy::simple_merge}) {
      if (other == strategy_ || policies_.size() < 2) continue;
      auto compared =
          PolicyComparison(effective_, merged(policies_, other), options_, options_, budget_).run();
      if (!compared) return;
      auto pod = std::move(compared->allowed_before);
      if (!pod) pod = std::move(compared->allowed_after);
      if (pod)
        find(FindingCode::strategies_disagree, Severity::info, {}, std::string(to_string(other)),
             std::move(pod));
    }
  }
  void every_pod() {
    // For most sets two pods show that neither holds, at a fraction of the cost of comparing.
    if (allows(plain_spec()) && !allows(strange_spec())) return;
    auto some = pod_of(effective_, {});
    if (!some && !budget_.used_up())
      return find(FindingCode::every_pod_denied, Severity::error, {});
    const std::vector<SchedulingPolicy> all = {privileged()};
    if (!pod_of(merge(all), effective_) && !budget_.used_up())
      find(FindingCode::every_pod_allowed, Severity::info, {}, "", std::move(some));
  }

  bool allows(const PodSpec& pod_spec) {
    const Side side{effective_, &options_};
    return budget_.spend(CheckSteps(side).of(pod_spec)) && side.allows(pod_spec);
  }
  /// A pod that asks for nothing but a scheduler.
  [[nodiscard]] PodSpec plain_spec() const {
    const Texts& schedulers = spec().allowed.scheduler_names.listed();
    return {.scheduler_name = schedulers.empty() ? "" : schedulers.front()};
  }
  /// A pod that hardly any policy allows unless it permits everything.
  static PodSpec strange_spec() {
    return {.scheduler_name = "?",
            .priority_class_name = "?",
            .node_selector = {{"?", ""}},
            .tolerations = {{.key = "?", .operator_ = TolerationOperator::exists}}};
  }

  static constexpr std::size_t steps_of_component = 300;  ///< that is compiled by itself
  /// Four effective policies are made of each of its entries, each with a set of the texts.
  static constexpr std::size_t steps_an_entry_of_component = 64;

  std::span<const SchedulingPolicy> policies_;
  MergeStrategy strategy_;
  const Options& options_;
  std::size_t merging_steps_;
  EffectivePolicy effective_;
  std::optional<std::optional<Pod>> any_pod_;  ///< one that is allowed, once one was needed
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
