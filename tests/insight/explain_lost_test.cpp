// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/explain.hpp>

#include <schedpol/insight/impl/entry_text.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"

#include <string>
#include <utility>
#include <vector>

namespace explain_lost_test {

using namespace schedpol;
using namespace schedpol::scheduling_policy;

TEST_CASE("an entry is named where its policy has it, and what lost is shown with its value") {
  SchedulingPolicySpec a;
  a.required.scheduler_names = {"blue"};
  a.allowed.tolerations = {{.keys = {"x"}, .operators = any, .values = any, .effects = any}};
  a.defaults.node_selector = Labels{{"disk", "ssd"}};
  SchedulingPolicySpec b;
  b.required.scheduler_names = {"green", "red"};
  b.allowed.tolerations = {{.keys = {"y"}, .operators = any, .values = any, .effects = any},
                           {.keys = {"gpu"}, .operators = any, .values = any, .effects = any}};
  b.defaults.node_selector = Labels{{"disk", "hdd"}, {"zone", "1"}};
  const EffectivePolicy effective = merge(std::vector<SchedulingPolicy>{
      {.metadata = {.name = "team-b"}, .spec = b}, {.metadata = {.name = "team-a"}, .spec = a}});
  Pod pod;
  pod.spec.scheduler_name = "blue";
  pod.spec.priority_class_name = "gold";
  pod.spec.tolerations = {{.key = "gpu", .operator_ = TolerationOperator::exists}};
  CHECK(message(explain(pod, effective)) ==
        "denied\n"
        "  NotPermitted        `spec.priorityClassName`   `gold`\n"
        "  Required            `spec.schedulerName`       `blue`        by `team-a` "
        "required.schedulerNames; not by `team-b` required.schedulerNames `[green, red]`\n"
        "  Defaulted           `spec.nodeSelector[disk]`  `ssd`         by `team-a` "
        "default.nodeSelector[disk]; not by `team-b` default.nodeSelector[disk] `hdd`\n"
        "  Defaulted           `spec.nodeSelector[zone]`  `1`           by `team-b` "
        "default.nodeSelector[zone]\n"
        "  Permitted           `spec.tolerations[0]`      `gpu Exists`  by `team-b` "
        "allowed.tolerations[1]");
}

TEST_CASE("a default that lost is not shown at another key, where the cluster adds its own") {
  SchedulingPolicySpec a;
  a.allowed.scheduler_names = any;
  a.allowed.node_selectors = any;
  a.defaults.node_selector = Labels{{"zone", "1"}};
  SchedulingPolicySpec b;
  b.defaults.node_selector = Labels{{"zone", "2"}};
  const EffectivePolicy effective = merge(std::vector<SchedulingPolicy>{
      {.metadata = {.name = "a"}, .spec = a}, {.metadata = {.name = "b"}, .spec = b}});
  Options options;
  options.added_to_pods.node_selector = {{"zone", "3"}};
  const Explanation explanation =
      explain({.spec = {.node_selector = {{"disk", "ssd"}}}}, effective, options);
  REQUIRE(explanation.items.size() == 2);
  CHECK(to_string(explanation.items[1].field) == "spec.nodeSelector[disk]");
  CHECK(explanation.items[1].lost.empty());
}

TEST_CASE("default tolerations that lost are shown with their values") {
  SchedulingPolicySpec a;
  a.allowed.scheduler_names = any;
  a.defaults.tolerations = {{.toleration = {.key = "x"}}};
  SchedulingPolicySpec b;
  b.defaults.tolerations = {{.toleration = {.key = "pool"}, .values = {"blue", "green"}}};
  const EffectivePolicy effective =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "a"}, .spec = a},
                                          {.metadata = {.name = "b"}, .spec = b}},
            MergeStrategy::first_seen_wins);
  const Explanation explanation = explain({}, effective);
  REQUIRE(explanation.items.size() == 2);
  REQUIRE(explanation.items[1].lost.size() == 1);
  CHECK(explanation.items[1].lost[0].value == "[pool= values [blue, green]]");
}

TEST_CASE("a term of two policies is named where each of them has it") {
  const auto term = [](const char* key) {
    return TermPattern{.match_expressions = {{{key}, any, any}}};
  };
  const auto allowing = [](std::vector<TermPattern> terms) {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    spec.allowed.affinities.list()
        .node_affinities.list()
        .required_during_scheduling_ignored_during_execution.list()
        .node_selector_terms = std::move(terms);
    return spec;
  };
  Pod pod;
  pod.spec.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = NodeSelector{
      {{.match_expressions = {{.key = "disk", .operator_ = NodeSelectorOperator::exists}}}}};
  const Explanation explanation =
      explain(pod, merge(std::vector<SchedulingPolicy>{
                       {.metadata = {.name = "a"}, .spec = allowing({term("disk")})},
                       {.metadata = {.name = "b"}, .spec = allowing({term("x"), term("disk")})}}));
  CHECK(explanation.allowed);
  std::vector<std::string> by;
  for (const PolicyEntry& each : explanation.items.back().by)
    by.push_back(each.policy + " " + to_string(each.entry));
  const std::string mode =
      "allowed.affinities.nodeAffinities."
      "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  CHECK(by == std::vector<std::string>{"a " + mode + "[0].matchExpressions[0]",
                                       "b " + mode + "[1].matchExpressions[0]"});
}

TEST_CASE("of a default affinity each mode is named with the policy that gives it") {
  const auto giving = [](const char* required, const char* preferred) {
    SchedulingPolicySpec spec;
    PodAffinity& given = spec.defaults.affinity.emplace().pod_affinity.emplace();
    if (*required != 0)
      given.required_during_scheduling_ignored_during_execution = {{.topology_key = required}};
    if (*preferred != 0)
      given.preferred_during_scheduling_ignored_during_execution = {
          {.weight = 1, .pod_affinity_term = {.topology_key = preferred}}};
    return spec;
  };
  const EffectivePolicy effective = merge(
      std::vector<SchedulingPolicy>{{.metadata = {.name = "a"}, .spec = giving("", "host")},
                                    {.metadata = {.name = "b"}, .spec = giving("zone", "rack")}});
  const std::string mode = "DuringSchedulingIgnoredDuringExecution";
  const auto told = [&](const Pod& pod) {
    std::vector<std::string> lines;
    for (const ExplainedItem& item : explain(pod, effective).items) {
      if (item.field.steps()[1].name != "affinity") continue;
      lines.push_back(std::string(to_string(item.ruling)) + " " + to_string(item.field));
      for (const PolicyEntry& entry : item.by)
        lines.push_back("by " + entry.policy + " " + to_string(entry.entry));
      for (const PolicyEntry& entry : item.lost)
        lines.push_back("not by " + entry.policy + " " + to_string(entry.entry) + " " +
                        entry.value);
    }
    return lines;
  };
  using Lines = std::vector<std::string>;
  const std::string given = "default.affinity.podAffinity.";
  const std::string lost =
      "not by b " + given + "preferred" + mode + " preferred 1 rack with pods none";
  CHECK(told({}) == Lines{"Defaulted spec.affinity.podAffinity",
                          "by b " + given + "required" + mode, "by a " + given + "preferred" + mode,
                          lost});
  Pod pod;
  pod.spec.affinity = giving("own", "").defaults.affinity;
  CHECK(told(pod) == Lines{"Defaulted spec.affinity.podAffinity.preferred" + mode,
                           "by a " + given + "preferred" + mode, lost,
                           "NotPermitted spec.affinity.podAffinity.required" + mode});
}

TEST_CASE("a requirement on affinity that lost is told at the first term of its kind and mode") {
  const auto requiring = [](const char* key) {
    const NodeAffinityRule rule{
        {{.match_expressions = {{.keys = {key}, .operators = any, .values = any}}}}};
    SchedulingPolicySpec spec;
    auto& modes = spec.required.affinities.list().node_affinities.list();
    modes.required_during_scheduling_ignored_during_execution = rule;
    modes.preferred_during_scheduling_ignored_during_execution = rule;
    return spec;
  };
  const EffectivePolicy effective =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "a"}, .spec = requiring("arch")},
                                          {.metadata = {.name = "b"}, .spec = requiring("zone")}});
  Pod pod;
  pod.spec.tolerations = {{.key = "k"}};
  pod.spec.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution =
      NodeSelector{{{.match_expressions = {{"arch", NodeSelectorOperator::in, {"arm64"}}}},
                    {.match_expressions = {{"arch", NodeSelectorOperator::in, {"amd64"}}}}}};
  pod.spec.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution = {
      {1, {.match_expressions = {{"arch", NodeSelectorOperator::in, {"arm64"}}}}}};
  std::vector<std::string> told;
  for (const ExplainedItem& item : explain(pod, effective).items)
    for (const PolicyEntry& entry : item.lost)
      told.push_back(to_string(item.field) + " not by " + entry.policy + " " +
                     to_string(entry.entry));
  const std::string mode = "requiredDuringSchedulingIgnoredDuringExecution";
  const std::string preferred = "preferredDuringSchedulingIgnoredDuringExecution";
  CHECK(told ==
        std::vector<std::string>{
            "spec.affinity.nodeAffinity." + mode +
                ".nodeSelectorTerms[0].matchExpressions[0] not by b "
                "required.affinities.nodeAffinities." +
                mode,
            "spec.affinity.nodeAffinity." + preferred +
                "[0].preference.matchExpressions[0] not by b required.affinities.nodeAffinities." +
                preferred});
}

TEST_CASE("of entries that lost a text has a few, and says how many more there are") {
  std::vector<SchedulingPolicy> policies;
  for (const char* name : {"h", "g", "f", "e", "d", "c", "b", "a"}) {
    SchedulingPolicySpec spec;
    spec.required.scheduler_names = {name};
    policies.push_back({.metadata = {.name = name}, .spec = spec});
  }
  const std::string text = message(explain({.spec = {.scheduler_name = "a"}}, merge(policies)));
  CHECK(
      text.find("by `a` required.schedulerNames; not by `b` required.schedulerNames `[b]`, `c` ") !=
      text.npos);
  CHECK(text.ends_with("`f` required.schedulerNames `[f]` and 2 more"));
  policies.erase(policies.begin(), policies.begin() + 2);
  CHECK(message(explain({.spec = {.scheduler_name = "a"}}, merge(policies)))
            .ends_with("`f` required.schedulerNames `[f]`"));
}
using Lines = std::vector<std::string>;

}  // namespace explain_lost_test
