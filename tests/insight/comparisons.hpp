// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies and options that are compared.

#include <schedpol/insight/compare.hpp>
#include <schedpol/insight/impl/policy_comparison.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"
#include "../support/universe.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace comparisons {

using namespace schedpol;
using namespace schedpol::scheduling_policy;

/// Says something about a policy that allows nothing but any scheduler.
using Says = void (*)(SchedulingPolicySpec&);

/// What a policy says of one sort of item in either mode, and what the options exempt of it.
template <class Patterns, class Term, class Preferred>
struct Sayings {
  AnyOr<Patterns> required{};
  AnyOr<Patterns> required_preferred{};
  AnyOr<Patterns> allowed{};
  AnyOr<Patterns> allowed_preferred{};
  std::vector<Term> given{};
  std::vector<Preferred> given_preferred{};
  std::vector<Term> exempt{};
  std::vector<Preferred> exempt_preferred{};
};
using OfNodes = Sayings<std::vector<TermPattern>, NodeSelectorTerm, PreferredSchedulingTerm>;
using OfPods = Sayings<Texts, PodAffinityTerm, WeightedPodAffinityTerm>;

struct OfTolerations {
  std::vector<TolerationPattern> required{};
  AnyOr<std::vector<TolerationPattern>> allowed{};
  std::vector<DefaultToleration> given{};
  std::vector<Toleration> exempt{};
  std::vector<Toleration> added{};
};

struct PolicyAndOptions {
  SchedulingPolicySpec spec{.allowed = {.scheduler_names = any}};
  Options options{};
};

inline NodeAffinity affinity_of(const std::vector<NodeSelectorTerm>& required,
                                const std::vector<PreferredSchedulingTerm>& preferred) {
  NodeAffinity made{.preferred_during_scheduling_ignored_during_execution = preferred};
  if (!required.empty())
    made.required_during_scheduling_ignored_during_execution = NodeSelector{required};
  return made;
}
inline PodAffinity affinity_of(const std::vector<PodAffinityTerm>& required,
                               const std::vector<WeightedPodAffinityTerm>& preferred) {
  return {required, preferred};
}

template <class Kind, class Rule, class Says>
PolicyAndOptions of_kind(const Says& says, std::optional<Kind> Affinity::*kind,
                         AnyOr<AffinityModes<Rule>> AffinityRules::*rules) {
  PolicyAndOptions made;
  const auto list = [&](PolicySection& section, const auto& required, const auto& preferred) {
    if (required.is_absent() && preferred.is_absent()) return;
    const auto fill = [](AnyOr<Rule>& mode, const auto& listed) {
      if (listed.is_any()) mode = any;
      if (listed.is_listed()) mode = Rule{listed.listed()};
    };
    AffinityModes<Rule>& modes = (section.affinities.list().*rules).list();
    fill(modes.required_during_scheduling_ignored_during_execution, required);
    fill(modes.preferred_during_scheduling_ignored_during_execution, preferred);
  };
  list(made.spec.required, says.required, says.required_preferred);
  list(made.spec.allowed, says.allowed, says.allowed_preferred);
  if (!says.given.empty() || !says.given_preferred.empty())
    made.spec.defaults.affinity.emplace().*kind = affinity_of(says.given, says.given_preferred);
  made.options.exempt.affinity.emplace().*kind = affinity_of(says.exempt, says.exempt_preferred);
  return made;
}
inline PolicyAndOptions of(const OfNodes& says) {
  return of_kind(says, &Affinity::node_affinity, &AffinityRules::node_affinities);
}
inline PolicyAndOptions of(const OfPods& says) {
  return of_kind(says, &Affinity::pod_affinity, &AffinityRules::pod_affinities);
}
inline PolicyAndOptions of(const OfTolerations& says) {
  PolicyAndOptions made;
  if (!says.required.empty()) made.spec.required.tolerations = says.required;
  made.spec.allowed.tolerations = says.allowed;
  if (!says.given.empty()) made.spec.defaults.tolerations = says.given;
  made.options.exempt.tolerations = says.exempt;
  made.options.added_to_pods.tolerations = says.added;
  return made;
}

/// Compares them in either order, and asks `admit` about the pods that are shown.
inline void check_relation(const PolicyAndOptions& before, const PolicyAndOptions& after,
                           Relation relation) {
  const auto merged = [](const PolicyAndOptions& from) {
    return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = from.spec}});
  };
  const EffectivePolicy first = merged(before);
  const EffectivePolicy second = merged(after);
  const auto found = compare(first, second, before.options, after.options);
  const auto turned = compare(second, first, after.options, before.options);
  REQUIRE(found);
  REQUIRE(turned);
  CHECK(found->relation == relation);
  CHECK(turned->allowed_after.has_value() == found->allowed_before.has_value());
  CHECK(turned->allowed_before.has_value() == found->allowed_after.has_value());
  if (found->allowed_before) {
    CHECK(admit(*found->allowed_before, first, before.options).allowed);
    CHECK_FALSE(admit(*found->allowed_before, second, after.options).allowed);
  }
  if (found->allowed_after) {
    CHECK(admit(*found->allowed_after, second, after.options).allowed);
    CHECK_FALSE(admit(*found->allowed_after, first, before.options).allowed);
  }
}

inline Toleration equals(const std::string& key, const std::string& value) {
  return {.key = key, .operator_ = TolerationOperator::equal, .value = value};
}

}  // namespace comparisons
