// SPDX-License-Identifier: Apache-2.0
#include <schedpol/pod_scheduling_policy/admit.hpp>

#include <schedpol/runtime_class/admit.hpp>

#include "policies.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace admit_test {

TEST_CASE("an injection is an admission that allows the pod with its changes") {
  const Policies policies = {of_team_a("p", {.node_name = "node-1", .scheduler_name = "batch"})};
  const Pod pod = pod_of({.node_name = "node-2"});
  const Pod wanted = pod_of({.scheduler_name = "batch", .node_name = "node-2"});
  const std::vector<Warning> left_out = {
      {"spec.nodeName"_path, "the pod has `node-2`, the policy `node-1`", {"p"}}};
  CHECK(admit(pod, team_a, policies) ==
        Admission{.allowed = true,
                  .pod = wanted,
                  .changes = {{"spec.schedulerName"_path, none, "batch", "p"}},
                  .before = pod,
                  .warnings = left_out});
  CHECK(admit(wanted, team_a, policies) ==
        Admission{.allowed = true, .pod = wanted, .warnings = left_out});
  CHECK(admit(pod, team_a, Policies{}) == Admission{.allowed = true, .pod = pod});
  const Pod other = pod_of({.scheduler_name = "other", .node_name = "node-2"});
  const Admission unchanged = admit(other, team_a, policies);
  REQUIRE(unchanged.warnings.size() == 2);
  CHECK(unchanged.warnings[0] == left_out[0]);
  CHECK(unchanged.warnings[1].field == "spec.schedulerName"_path);
}

TEST_CASE("policies that cannot be used deny the pod, one violation an error") {
  const LabelSelector broken = {.match_expressions = {{"app", LabelSelectorOperator::in, {}},
                                                      {"tier", LabelSelectorOperator::in, {}}}};
  const Policies policies = {
      of_cluster("good", {.scheduler_name = "batch"}),
      {.metadata = {.name = "broken", .namespace_ = "team-a"}, .spec = {.pod_selector = broken}}};
  for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
    Pod pod = pod_of({});
    pod.kind = kind;
    const Admission admission = admit(pod, team_a, policies);
    CHECK_FALSE(admission.allowed);
    CHECK(admission.pod == pod);
    CHECK(admission.changes == Changes{});
    CHECK_FALSE(admission.before.has_value());
    REQUIRE(admission.violations.size() == 2);
    for (const Violation& violation : admission.violations) {
      CHECK(violation.code == ViolationCode::invalid_policy);
      CHECK(violation.field == field_path(kind, {"spec"}));
      CHECK(message(violation).find("`broken`") != std::string::npos);
    }
  }
  const Pod many = pod_of({.affinity = required(numbered("pod-", 33))});
  const Admission admission =
      admit(many, team_a, Policies{of_team_a("p", {.affinity = required(numbered("p-", 32))})});
  CHECK_FALSE(admission.allowed);
  CHECK(admission.pod == many);
  CHECK(admission.violations.size() == 1);
}

TEST_CASE("injections and runtime classes chain") {
  const std::vector<runtime_class::RuntimeClass> classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = runtime_class::Scheduling{.node_selector = {{"runtime", "kata"}}}}};
  const auto chained = [&](const Pod& pod, const Policies& policies) {
    return admit(pod, team_a, policies).and_then([&](Pod next) {
      return runtime_class::admit(std::move(next), classes);
    });
  };
  const auto chained_back = [&](const Pod& pod, const Policies& policies) {
    return runtime_class::admit(pod, classes).and_then([&](Pod next) {
      return admit(std::move(next), team_a, policies);
    });
  };
  const Pod pod = pod_of({.runtime_class_name = "kata"});
  const Change by_policy = {"spec.nodeSelector[disk]"_path, none, "ssd", "p"};
  const Change by_class = {"spec.nodeSelector[runtime]"_path, none, "kata", "kata"};
  const Policies fitting = {of_team_a("p", {.node_selector = {{"disk", "ssd"}}})};
  CHECK(chained(pod, fitting).changes == Changes{by_policy, by_class});
  CHECK(chained_back(pod, fitting).changes == Changes{by_class, by_policy});
  CHECK(chained(pod, fitting).pod == chained_back(pod, fitting).pod);
  CHECK(chained(pod, fitting).before == pod);

  const Policies conflicting = {of_team_a("p", {.node_selector = {{"runtime", "runc"}}})};
  const Admission denied = chained(pod, conflicting);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.violations == std::vector<Violation>{{ViolationCode::node_selector_conflict,
                                                     "spec.nodeSelector[runtime]"_path,
                                                     "runc",
                                                     {"kata"},
                                                     {"kata"}}});
  CHECK(denied.pod == pod);
  CHECK(denied.changes == Changes{});
  const Admission allowed = chained_back(pod, conflicting);
  CHECK(allowed.allowed);
  CHECK(allowed.changes == Changes{by_class});

  Policies broken = fitting;
  broken[0].spec.pod_selector = where("app", LabelSelectorOperator::in);
  CHECK_FALSE(chained_back(pod, broken).allowed);
  CHECK(chained_back(pod, broken).pod == pod);
}

TEST_CASE("each violation names the policy that its error is of") {
  const LabelSelector broken = where("app", LabelSelectorOperator::in);
  const LabelSelector broken_twice = {
      .match_expressions = {{"app", LabelSelectorOperator::in, {}},
                            {"a b", LabelSelectorOperator::exists, {}}}};
  const auto selecting = [](std::string name, LabelSelector selector) {
    PodSchedulingPolicy policy = of_team_a(std::move(name), {});
    policy.spec.pod_selector = std::move(selector);
    return policy;
  };
  PodSchedulingPolicy both = of_cluster("both", {});
  both.spec.pod_selector = broken;
  both.spec.namespace_selector = broken;
  const PodSchedulingPolicy good = of_team_a("good", {});
  const PodSchedulingPolicy other = of_team_a("other", {});
  struct Case {
    const char* name;
    Policies policies;
    std::vector<List> wanted;
  };
  const Case cases[] = {
      {"the only one", {selecting("a", broken)}, {{"a"}}},
      {"the first", {selecting("a", broken), good}, {{"a"}}},
      {"the last", {good, selecting("a", broken)}, {{"a"}}},
      {"two errors of one", {good, selecting("a", broken_twice), other}, {{"a"}, {"a"}}},
      {"two selectors of one", {both, good}, {{"both"}, {"both"}}},
      {"several, in the order of the list",
       {selecting("z", broken), good, selecting("a", broken_twice)},
       {{"z"}, {"a"}, {"a"}}},
      {"a name that is there twice is of all",
       {good, of_team_a("a", {}), good},
       {{"good", "a", "good"}}},
      {"after those of single ones",
       {good, selecting("a", broken), good},
       {{"a"}, {"good", "a", "good"}}},
      {"a name that reads like a path",
       {good, selecting("policies[0]", broken)},
       {{"policies[0]"}, {"policies[0]"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Admission admission = admit(pod_of({}), team_a, c.policies);
    CHECK_FALSE(admission.allowed);
    std::vector<List> policies;
    for (const Violation& violation : admission.violations)
      policies.push_back(violation.policies.vector());
    CHECK((policies == c.wanted));
  }
}

TEST_CASE("policies that nobody compiled deny every pod") {
  const Pod pod = pod_of({});
  const Admission admission = admit(pod, team_a, CompiledPolicies());
  CHECK_FALSE(admission.allowed);
  CHECK(admission.pod == pod);
  REQUIRE(admission.violations.size() == 1);
  CHECK((admission.violations[0].code == ViolationCode::invalid_policy));
  CHECK(admission.violations[0].field == "spec"_path);
}

}  // namespace admit_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
