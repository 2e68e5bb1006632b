// SPDX-License-Identifier: Apache-2.0
// What is governed: of what nothing permits only that is denied, and the rest is told.
#include <schedpol/insight/adviser.hpp>
#include <schedpol/insight/analyze_scheduling_policies.hpp>
#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/nearest_fix.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace ungoverned_test {

using namespace schedpol;
using namespace schedpol::scheduling_policy;

/// What the proposal has no field for: how a pod asks for it, and what its denial says.
struct Case {
  PodSpec spec;
  ViolationCode code;
  std::string field;
  std::string value;
  std::string fix;
};

std::vector<Case> cases() {
  return {
      {{.runtime_class_name = "gvisor"},
       ViolationCode::runtime_class_name_not_allowed,
       "spec.runtimeClassName",
       "gvisor",
       "`spec.runtimeClassName` cleared"},
      {{.topology_spread_constraints = {{.max_skew = 1,
                                         .topology_key = "zone",
                                         .when_unsatisfiable =
                                             WhenUnsatisfiable::do_not_schedule}}},
       ViolationCode::topology_spread_constraint_not_allowed,
       "spec.topologySpreadConstraints[0]",
       "zone:DoNotSchedule",
       "`spec.topologySpreadConstraints[0]` cleared"},
      {{.scheduling_gates = {{"quota"}}},
       ViolationCode::scheduling_gate_not_allowed,
       "spec.schedulingGates[0].name",
       "quota",
       "`spec.schedulingGates[0]` cleared"},
      {{.resource_claims = {{"dev", "gpu", ""}}},
       ViolationCode::resource_claim_not_allowed,
       "spec.resourceClaims[0].resourceClaimName",
       "gpu",
       "`spec.resourceClaims[0]` cleared"},
  };
}

TEST_CASE(
    "`restricted` denies what it does not name where all is governed, and says it elsewhere") {
  const std::array policies = {restricted()};
  const EffectivePolicy effective = merge(policies);
  const Options all{.governs = Components::all()};
  for (const Case& each : cases()) {
    CAPTURE(each.field);
    const Pod pod{.spec = each.spec};
    const Admission denied = admit(pod, effective, all);
    REQUIRE(denied.violations.size() == 1);
    CHECK(denied.violations[0].code == each.code);
    CHECK(to_string(denied.violations[0].field) == each.field);
    CHECK(denied.violations[0].value == each.value);
    CHECK(denied.violations[0].policies == Names{"restricted"});
    CHECK(find_ungoverned(pod, effective, all).empty());
    const auto fix = nearest_fix(pod, effective, all);
    REQUIRE(fix.has_value());
    REQUIRE(fix->has_value());
    REQUIRE((*fix)->changes.size() == 1);
    CHECK(message((*fix)->changes[0]) == each.fix);

    CHECK(admit(pod, effective).allowed);
    const auto ungoverned = find_ungoverned(pod, effective);
    REQUIRE(ungoverned.size() == 1);
    CHECK(ungoverned[0].ruling == Ruling::ungoverned);
    CHECK(to_string(ungoverned[0].field) == each.field);
    CHECK(ungoverned[0].value == each.value);
  }
  CHECK(find_ungoverned({}, effective).empty());
}

TEST_CASE("a constraint that is permitted with the other word gets that") {
  SchedulingPolicy policy = restricted();
  policy.spec.allowed.topology_spread_constraints = {
      {.topology_keys = {"zone"}, .when_unsatisfiable = {WhenUnsatisfiable::schedule_anyway}}};
  const std::array policies = {policy};
  const auto fix =
      nearest_fix({.spec = cases()[1].spec}, merge(policies), {.governs = Components::all()});
  REQUIRE(fix.has_value());
  REQUIRE(fix->has_value());
  REQUIRE((*fix)->changes.size() == 1);
  CHECK(message((*fix)->changes[0]) ==
        "`spec.topologySpreadConstraints[0]` changed from `zone:DoNotSchedule` to "
        "`zone:ScheduleAnyway`");
}

TEST_CASE("a policy that lists what is not governed is found, in lint and when it is written") {
  SchedulingPolicy policy = restricted();
  policy.spec.allowed.scheduling_gates = {"quota"};
  policy.spec.allowed.resource_claims = any;  // no wall
  const std::array policies = {policy};
  const auto found = [&](const Options& options) {
    std::vector<std::string> lines;
    for (const Finding& finding : analyze(policies, MergeStrategy::smart_deep_merge, options))
      if (finding.code == FindingCode::ungoverned)
        lines.push_back(std::string(to_string(finding.severity)) + " " + message(finding));
    return lines;
  };
  CHECK(found({}) == std::vector<std::string>{
                         "Error `restricted`: `allowed.schedulingGates`: has no effect until "
                         "`options.governs` lists it"});
  CHECK(found({.governs = Components::all()}).empty());
  CHECK(found({.governs = {Component::scheduling_gates, Component::scheduler_names}}).empty());
  CHECK(
      found({.governs = {Component::scheduling_gates}}) ==
      std::vector<std::string>{"Error `restricted`: `allowed.schedulerNames`: has no effect until "
                               "`options.governs` lists it"});

  engine::Configuration configuration;
  configuration.systems = {{engine::System::scheduling_policy}};
  configuration.settings.policy_use = engine::PolicyUse::every;
  const auto engine = compile(configuration);
  REQUIRE(engine);
  const engine::Objects written{.scheduling_policies = {policy}};
  const auto warnings = engine::InsightAdviser().warnings(*engine, written);
  CHECK(std::any_of(warnings.begin(), warnings.end(), [](const std::string& warning) {
    return warning.find("`allowed.schedulingGates`: has no effect") != std::string::npos;
  }));
}

/// Without what the proposal has no field for.
Pod of_proposal(Pod pod) {
  pod.spec.runtime_class_name.clear();
  pod.spec.topology_spread_constraints.clear();
  pod.spec.scheduling_gates.clear();
  pod.spec.resource_claims.clear();
  return pod;
}

TEST_CASE("law: by default no policy of the proposal's fields decides on anything else") {
  testing::Generator generate(31);
  int denied = 0;
  int told = 0;
  for (int round = 0; round < testing::times(2000); ++round) {
    CAPTURE(round);
    std::vector<SchedulingPolicy> policies = generate.policies();
    for (SchedulingPolicy& policy : policies) {
      for (PolicySection* section : {&policy.spec.required, &policy.spec.allowed}) {
        section->runtime_class_names = {};
        section->topology_spread_constraints = {};
        section->scheduling_gates = {};
        section->resource_claims = {};
      }
      policy.spec.defaults.runtime_class_name.reset();
    }
    const EffectivePolicy effective = merge(policies);
    Options options = generate.options();
    options.governs = {};
    const Pod pod = generate.pod();
    const Admission whole = admit(pod, effective, options);
    const Admission part = admit(of_proposal(pod), effective, options);
    REQUIRE(whole.allowed == part.allowed);
    REQUIRE(whole.violations == part.violations);
    REQUIRE(whole.changes == part.changes);
    denied += whole.allowed ? 0 : 1;
    if (!policies.empty()) {
      const bool has_more = pod.spec != of_proposal(pod).spec;
      REQUIRE(has_more == !find_ungoverned(pod, effective, options).empty());
      told += has_more ? 1 : 0;
    }
  }
  CHECK(denied > 0);
  CHECK(told > 0);
}

TEST_CASE("law: what is not governed is as if any of it were allowed") {
  testing::Generator generate(32);
  for (int round = 0; round < testing::times(2000); ++round) {
    CAPTURE(round);
    const EffectivePolicy effective = merge(generate.policies());
    if (effective.policies().empty()) continue;
    const Options options = generate.options();
    SchedulingPolicySpec open = effective.spec();
    for_each_section_field([&](const auto& row) {
      if (!options.governs.contain(row.component)) open.allowed.*row.rules = any;
    });
    Options all = options;
    all.governs = Components::all();
    const Pod pod = generate.pod();
    const EffectivePolicy opened(std::move(open), effective.policies(), {});
    const bool is_allowed = check(pod, effective, options).empty();
    // A word that Kubernetes does not know nothing permits, so that only this may differ.
    if (check(pod, opened, all).empty() != is_allowed) {
      REQUIRE(is_allowed);
      for (const Violation& violation : check(pod, opened, all)) REQUIRE(!violation.detail.empty());
    }
  }
}

TEST_CASE("components are those of the proposal unless they are listed") {
  CHECK(Components{} == Components::proposal());
  CHECK(Components{}.contain(Component::affinities));
  CHECK_FALSE(Components{}.contain(Component::runtime_class_names));
  CHECK(Components::all().contain(Component::resource_claims));
  CHECK(Components({Component::resource_claims}) != Components{});
  CHECK_FALSE(Components({Component::resource_claims}).contain(Component::scheduler_names));
  CHECK_FALSE(Components::all().contain(static_cast<Component>(99)));
}

}  // namespace ungoverned_test
