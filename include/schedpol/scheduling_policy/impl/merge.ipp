// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/impl/additive.hpp>
#include <schedpol/scheduling_policy/impl/as_evaluated.hpp>
#include <schedpol/scheduling_policy/impl/first_seen.hpp>
#include <schedpol/scheduling_policy/impl/insides.hpp>
#include <schedpol/scheduling_policy/impl/said.hpp>
#include <schedpol/scheduling_policy/impl/said_by.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy {

namespace detail {

/// Calls `f(name, field)` for the second-level entries of a section.
template <class F>
void for_each_entry(const PolicyRules*, F&& f) {
  f("schedulerNames", &PolicyRules::scheduler_names);
  f("priorityClassNames", &PolicyRules::priority_class_names);
  f("nodeSelectors", &PolicyRules::node_selectors);
  f("tolerations", &PolicyRules::tolerations);
  f("affinities", &PolicyRules::affinities);
}
template <class F>
void for_each_entry(const Defaults*, F&& f) {
  f("schedulerName", &Defaults::scheduler_name);
  f("priorityClassName", &Defaults::priority_class_name);
  f("nodeSelector", &Defaults::node_selector);
  f("tolerations", &Defaults::tolerations);
  f("affinity", &Defaults::affinity);
}

/// Policies in the order in which they count, and what becomes of them.
class PolicyMerge {
 public:
  void add(const SchedulingPolicy& policy) {
    names_.push_back(policy.metadata.name);
    specs_.push_back(AsEvaluated::of(policy.spec));
  }

  EffectivePolicy run(MergeStrategy strategy) && {
    SchedulingPolicySpec merged;
    switch (strategy) {
      case MergeStrategy::smart_deep_merge:
        merged.required = FirstSeen(sources_).required(section(&SchedulingPolicySpec::required));
        merged.allowed = Additive(sources_).allowed(section(&SchedulingPolicySpec::allowed));
        merged.defaults = FirstSeen(sources_).defaults(section(&SchedulingPolicySpec::defaults));
        break;
      case MergeStrategy::simple_merge:
        for_each_section([&](std::string_view name, auto member) {
          merged.*member = entry_by_entry(FieldPath{name}, section(member));
        });
        break;
      case MergeStrategy::first_seen_wins:
        for_each_section([&](std::string_view name, auto member) {
          merged.*member = first_alone(FieldPath{name}, section(member));
        });
        break;
    }
    Sources sources = std::move(sources_).sources();
    std::vector<Insides::Impl::Origin> origins;
    for (std::size_t i = 0; i < names_.size(); ++i)
      origins.push_back({names_[i], std::move(specs_[i])});
    // Only the first policy speaks alone; the others are named in what was lost.
    if (strategy == MergeStrategy::first_seen_wins && names_.size() > 1) names_.resize(1);
    Insides::Impl impl(std::move(merged), std::move(names_), std::move(sources));
    impl.origins = std::move(origins);
    return Insides::made_of(std::move(impl));
  }

 private:
  template <class F>
  static void for_each_section(F&& f) {
    f("required", &SchedulingPolicySpec::required);
    f("allowed", &SchedulingPolicySpec::allowed);
    f("default", &SchedulingPolicySpec::defaults);
  }

  template <class Section>
  std::vector<Said<Section>> section(Section SchedulingPolicySpec::*member) const {
    std::vector<Said<Section>> all;
    for (std::size_t i = 0; i < specs_.size(); ++i)
      all.push_back({&(specs_[i].*member), &names_[i]});
    return all;
  }

  template <class Section>
  Section entry_by_entry(const FieldPath& path, const std::vector<Said<Section>>& all) {
    Section merged;
    for_each_entry(&merged, [&](std::string_view name, auto entry) {
      merged.*entry = FirstSeen(sources_).whole(path.child(name), said(all, entry));
    });
    return merged;
  }

  template <class Section>
  Section first_alone(const FieldPath& path, std::vector<Said<Section>> all) {
    if (all.empty()) return {};
    const Said<Section> first = all.front();
    all.erase(all.begin());
    for_each_entry(first.value, [&](std::string_view name, auto entry) {
      for (const auto& other : said(all, entry))
        sources_.lost[path.child(name)].push_back(other.policy);
    });
    return entry_by_entry(path, std::vector<Said<Section>>{first});
  }

  std::vector<std::string> names_;
  std::vector<SchedulingPolicySpec> specs_;
  SaidBy sources_;
};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(MergeStrategy strategy) noexcept {
  switch (strategy) {
    case MergeStrategy::smart_deep_merge: return "SmartDeepMerge";
    case MergeStrategy::first_seen_wins: return "FirstSeenWins";
    case MergeStrategy::simple_merge: return "SimpleMerge";
  }
  return "";
}

SCHEDPOL_INLINE EffectivePolicy merge(std::span<const SchedulingPolicy> policies,
                                      MergeStrategy strategy) {
  std::vector<schedpol::detail::Named> names(policies.size());
  for (std::size_t i = 0; i < policies.size(); ++i)
    names[i] = {policies[i].metadata.name, false, {}, i};
  schedpol::detail::sort_by_name(names);
  detail::PolicyMerge merge;
  const SchedulingPolicy* previous = nullptr;
  for (const schedpol::detail::Named& named : names) {
    const SchedulingPolicy& policy = policies[named.index];
    if (previous != nullptr && previous->metadata.name == named.name) {
      if (previous->spec == policy.spec) continue;
      return EffectivePolicy::ambiguous(policy.metadata.name);
    }
    merge.add(policy);
    previous = &policy;
  }
  return std::move(merge).run(strategy);
}

}  // namespace schedpol::scheduling_policy
