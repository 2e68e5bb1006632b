// SPDX-License-Identifier: Apache-2.0
#include <schedpol/metadata_policy/admit.hpp>

#include <schedpol/runtime_class/admit.hpp>

#include "../support/pod_templates.hpp"
#include "../support/print_systems.hpp"
#include "policies.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::metadata_policy {
namespace admit_test {

TEST_CASE("a rejected pod and one whose policies cannot be used come back as they came") {
  const Pod pod = pod_with("", "", {{qos, "Guaranteed"}, {scheduler, "mine"}});
  Policies rejecting = by_qos();
  rejecting.push_back(
      policy("a", {rejects({.annotation_selector = equal(qos, "Guaranteed")}),
                   rejects({.annotation_selector = equal(qos, "BestEffort")}), rejects()}));
  CHECK(choose_scheduler(pod, rejecting) ==
        SchedulerChoice{.pod = pod, .rejected_by = {{"a", 1}, {"a", 2}}});
  CHECK(admit(pod, rejecting) ==
        Admission{
            .pod = pod,
            .violations = {{ViolationCode::rejected_by_rule, FieldPath{"metadata"}, "1", {"a"}},
                           {ViolationCode::rejected_by_rule, FieldPath{"metadata"}, "2", {"a"}}}});

  Policies broken = by_qos();
  broken.push_back(policy("broken", {rejects({.label_selector = where("a", in)})}));
  const SchedulerChoice choice = choose_scheduler(pod, broken);
  CHECK(choice == SchedulerChoice{.pod = pod, .errors = compile(broken).errors()});
  const Admission admission = admit(pod, broken);
  CHECK_FALSE(admission.allowed);
  CHECK(admission.pod == pod);
  CHECK(admission.changes == Changes{});
  REQUIRE(admission.violations.size() == 1);
  CHECK(admission.violations[0].code == ViolationCode::invalid_policy);
  CHECK(admission.violations[0].field == "metadata");
  CHECK(message(admission.violations[0]).find("`broken`") != std::string::npos);
}

TEST_CASE("the pod templates of all workload kinds have the paths of their documents") {
  Policies policies = by_qos();
  policies.push_back(policy("label", {sets_label("x", "1"), sets_label("x", "2")}));
  for (const auto& [kind, prefix] : testing::pod_templates) {
    CAPTURE(prefix);
    const std::string at = prefix;
    Pod pod = pod_with("1", "1");
    pod.kind = kind;
    const SchedulerChoice choice = choose_scheduler(pod, policies);
    List changed;
    for (const Change& change : choice.changes) changed.push_back(to_string(change.field));
    CHECK(changed == List{at + "metadata.annotations[" + qos + "]", at + "metadata.labels[x]",
                          at + "metadata.annotations[" + scheduler + "]",
                          at + "spec.schedulerName"});
    CHECK(choice.changes.back().policy == "choose");
    REQUIRE(choice.conflicts.size() == 1);
    CHECK(choice.conflicts[0].field == at + "metadata.labels[x]");
    CHECK(choice.pod.spec.scheduler_name == "gold");
    const Admission rejected = admit(pod, Policies{policy("no", {rejects()})});
    REQUIRE(rejected.violations.size() == 1);
    CHECK(rejected.violations[0].field == at + "metadata");
  }
}

TEST_CASE("a workload is warned of a label that its own selector needs otherwise") {
  const Labels web{{"app", "web"}};
  const List needs_web = {
      "`spec.template.metadata.labels[app]` of `relabel`: the selector of the Deployment needs "
      "`{app=web}` and does not select `db`, so the API server refuses it"};
  struct Case {
    const char* name;
    PodKind kind;
    std::optional<LabelSelector> selector;
    Labels labels;
    MetadataPolicyRule rule;
    List warned;
  };
  const auto workload = PodKind::deployment;
  const Case cases[] = {
      {"another value", workload, equal("app", "web"), web, sets_label("app", "db"), needs_web},
      {"of its own kind",
       PodKind::replication_controller,
       equal("app", "web"),
       web,
       sets_label("app", "db"),
       {"`spec.template.metadata.labels[app]` of `relabel`: the selector of the "
        "ReplicationController needs `{app=web}` and does not select `db`, so the API server "
        "refuses it"}},
      {"a label that must not be there",
       workload,
       where("tier", not_in, {"gold"}),
       web,
       sets_label("tier", "gold"),
       {"`spec.template.metadata.labels[tier]` of `relabel`: the selector of the Deployment needs "
        "`{tier NotIn [gold]}` and does not select `gold`, so the API server refuses it"}},
      {"no more than it needs",
       workload,
       LabelSelector{{{"app", "web"}, {"tier", "gold"}}, {}},
       {{"app", "web"}, {"tier", "gold"}},
       sets_label("app", "db"),
       needs_web},
      {"a listed value",
       workload,
       where("app", in, {"web", "db"}),
       web,
       sets_label("app", "db"),
       {}},
      {"another label", workload, equal("app", "web"), web, sets_label("x", "1"), {}},
      {"an annotation", workload, equal("app", "web"), web, sets_annotation("app", "db"), {}},
      {"the value that is there", workload, equal("app", "web"), web, sets_label("app", "web"), {}},
      {"it was not selected before",
       workload,
       equal("app", "api"),
       web,
       sets_label("app", "db"),
       {}},
      {"everything is selected", workload, LabelSelector{}, web, sets_label("app", "db"), {}},
      {"no selector", workload, none, web, sets_label("app", "db"), {}},
      {"a malformed selector", workload, where("app", in), web, sets_label("app", "db"), {}},
      {"a rule that rejects", workload, equal("app", "web"), web, rejects(), {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Pod pod = pod_with("", "");
    pod.kind = c.kind;
    pod.metadata.labels = c.labels;
    pod.selector = c.selector;
    Pod unselected = pod;
    unselected.selector.reset();
    const Policies policies{policy("relabel", {c.rule})};
    const Admission admission = admit(pod, policies);
    List warned;
    for (const Warning& warning : admission.warnings) warned.push_back(message(warning));
    CHECK(warned == c.warned);
    // The decision is the same.
    const Admission same = admit(unselected, policies);
    CHECK(admission.allowed == same.allowed);
    CHECK(admission.changes == same.changes);
    CHECK(admission.pod.metadata == same.pod.metadata);
    CHECK(admission.pod.selector == c.selector);
  }
}

TEST_CASE("choices chain with other systems") {
  const std::vector<runtime_class::RuntimeClass> classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = runtime_class::Scheduling{.node_selector = {{"runtime", "kata"}}}}};
  const auto chained = [&](const Pod& pod) {
    return admit(pod, by_qos()).and_then([&](Pod next) {
      return runtime_class::admit(std::move(next), classes);
    });
  };
  Pod pod = pod_with("1", "1");
  pod.spec.runtime_class_name = "kata";
  const Admission both = chained(pod);
  CHECK(both.allowed);
  CHECK(both.pod.spec.scheduler_name == "gold");
  CHECK(both.changes.size() == 4);
  CHECK(both.changes.back() == Change{"spec.nodeSelector[runtime]"_path, none, "kata", "kata"});
  pod.spec.runtime_class_name = "missing";
  const Admission denied = chained(pod);
  CHECK_FALSE(denied.allowed);
  CHECK(denied.pod == pod);
  CHECK(denied.changes == Changes{});
}

TEST_CASE("a policy that cannot be evaluated is named, and no other") {
  const PolicyPredicate broken = {.label_selector = where("app", in)};
  const PolicyPredicate broken_twice = {.label_selector = where("app", in),
                                        .annotation_selector = where("a b", exists)};
  Policies many;
  for (char name = 'a'; name <= 'm'; ++name)
    many.push_back(
        policy(std::string(1, name), {rejects(name == 'l' ? broken : PolicyPredicate())}));
  struct Case {
    const char* name;
    Policies policies;
    std::vector<List> named;  // by each violation
  };
  const Case cases[] = {
      {"the only one", {policy("bad", {rejects(broken)})}, {{"bad"}}},
      {"the first", {policy("bad", {rejects(broken)}), policy("good", {})}, {{"bad"}}},
      {"the last", {policy("good", {}), policy("bad", {rejects(broken)})}, {{"bad"}}},
      {"the twelfth of thirteen", many, {{"l"}}},
      {"two of three",
       {policy("worse", {rejects(broken)}), policy("good", {}), policy("bad", {rejects(broken)})},
       {{"worse"}, {"bad"}}},
      {"both selectors of one",
       {policy("good", {}), policy("bad", {rejects(), rejects(broken_twice)})},
       {{"bad"}, {"bad"}}},
      {"a name that is there twice is everybody's",
       {policy("a", {}), policy("b", {}), policy("a", {})},
       {{"a", "b", "a"}}},
      {"one is broken, and a name is there twice",
       {policy("a", {}), policy("b", {rejects(broken)}), policy("a", {})},
       {{"b"}, {"a", "b", "a"}}},
  };
  const Pod pod = pod_with("1", "1");
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Admission admission = admit(pod, c.policies);
    CHECK_FALSE(admission.allowed);
    CHECK(admission.pod == pod);
    CHECK(admission.changes == Changes{});
    CHECK_FALSE(admission.before.has_value());
    const auto errors = compile(c.policies).errors();
    REQUIRE(admission.violations.size() == errors.size());
    std::vector<List> named;
    for (std::size_t i = 0; i < errors.size(); ++i) {
      const Violation& violation = admission.violations[i];
      CHECK(violation.code == ViolationCode::invalid_policy);
      CHECK(violation.field == "metadata");
      CHECK(violation.value == message(errors[i]));
      named.push_back(violation.policies.vector());
    }
    CHECK((named == c.named));
  }
}

TEST_CASE("where nothing was compiled every pod is denied") {
  const Pod pod = pod_with("1", "1");
  const Admission admission = admit(pod, CompiledPolicies());
  CHECK_FALSE(admission.allowed);
  CHECK(admission.pod == pod);
  CHECK(admission.changes == Changes{});
  REQUIRE(admission.violations.size() == 1);
  CHECK(admission.violations[0].code == ViolationCode::invalid_policy);
  CHECK(admission.violations[0].field == "metadata");
  const auto none_at_all = compile({});
  REQUIRE(none_at_all);
  CHECK(admit(pod, *none_at_all).allowed);
}

TEST_CASE("compiled policies decide on pods as they do when they are compiled first") {
  Policies policies = by_qos();
  policies.push_back(policy("no", {rejects({.label_selector = where("bad", exists)})}));
  const auto compiled = compile(policies);
  REQUIRE(compiled);
  for (const Labels& labels : {Labels{}, Labels{{"bad", ""}}}) {
    for (const char* limits : {"1", "2", ""}) {
      Pod pod = pod_with("1", limits);
      pod.metadata.labels = labels;
      const Admission admission = admit(pod, *compiled);
      CHECK(admission == admit(pod, policies));
      CHECK(admission.allowed == labels.empty());
    }
  }
}

}  // namespace admit_test
}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
