// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze_scheduling_policies.hpp>

#include "analyzed_policies.hpp"

#include <algorithm>
#include <utility>

namespace analyze_hidden_requirements_test {

using namespace analyzed_policies;

TEST_CASE("a requirement that an earlier policy hides, and one that it implies") {
  SchedulingPolicySpec a;
  a.required.tolerations = {of_key("gpu")};
  SchedulingPolicySpec b;
  b.required.tolerations = {of_key("spot")};
  CHECK(found(FindingCode::requirement_lost, saying({a, b})) ==
        Lines{"`b`: `required.tolerations`: the requirement `[{keys: [spot], operators: [], "
              "values: [], effects: []}]` is hidden by an earlier policy, and pods that do not "
              "meet it are allowed"});
  const auto findings = analyze(saying({a, b}));
  CHECK(std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
          return finding.code == FindingCode::requirement_lost &&
                 finding.severity == Severity::warning;
        }) == 1);
  // Where nobody is allowed, no pod shows it.
  SchedulingPolicySpec nothing = a;
  nothing.required.node_selectors = {{"disk", {}}};
  CHECK(found(FindingCode::requirement_lost, saying({nothing, b})) == Lines{});
  b.required.tolerations = {
      {.keys = {"gpu", "spot"}, .operators = any, .values = any, .effects = any}};
  CHECK(found(FindingCode::requirement_lost, saying({a, b})) == Lines{});
  CHECK(found(FindingCode::requirement_lost, saying({b, a})).size() == 1);

  SchedulingPolicySpec c;
  c.defaults.scheduler_name = "default-scheduler";
  SchedulingPolicySpec d;
  d.defaults.scheduler_name = "green";
  CHECK(found(FindingCode::entry_lost, saying({c, d})) ==
        Lines{"`b`: `default.schedulerName`: the entry `green` is hidden by an earlier policy"});
  CHECK(found(FindingCode::entry_lost, saying({c, c})) == Lines{});
}

TEST_CASE("a hidden requirement is not lost where what is given meets it") {
  using Code = FindingCode;
  SchedulingPolicySpec a;
  a.required.priority_class_names = {"gold"};
  a.defaults.priority_class_name = "gold";
  SchedulingPolicySpec b;
  b.required.priority_class_names = {"gold", "silver"};
  CHECK(found(Code::requirement_lost, saying({a, b})) == Lines{});
  // A class that the API server gives is none, but where the default is that class.
  const Options gold{.global_default_priority_class = "gold"};
  CHECK(found(Code::requirement_lost, saying({a, b}), gold) == Lines{});
  b.required.priority_class_names = {"silver"};
  CHECK(found(Code::requirement_lost, saying({a, b})).size() == 1);

  SchedulingPolicySpec c;
  c.required.tolerations = {of_key("gpu")};
  c.defaults.tolerations = {{.toleration = {.key = "gpu"}}, {.toleration = {.key = "spot"}}};
  SchedulingPolicySpec d;
  d.required.tolerations = {
      {.keys = {"gpu", "arm"}, .operators = any, .values = any, .effects = any}};
  CHECK(found(Code::requirement_lost, saying({c, d})) == Lines{});
  // Another pod lacks what a pod without tolerations is given.
  d.required.tolerations = {of_key("spot")};
  const auto findings = analyze(saying({c, d}));
  const auto lost = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.code == Code::requirement_lost;
  });
  REQUIRE(lost != findings.end());
  CHECK(lost->witness->spec.tolerations.size() == 1);

  SchedulingPolicySpec e;
  e.defaults.node_selector = Labels{{"disk", "ssd"}};
  SchedulingPolicySpec f;
  f.required.node_selectors = {{"disk", any}};
  constexpr auto simple = MergeStrategy::simple_merge;
  SchedulingPolicySpec zone;
  zone.required.node_selectors = {{"zone", {"1"}}};
  CHECK(found(Code::requirement_lost, saying({e, zone, f}), {}, simple) == Lines{});
  f.required.node_selectors = {{"disk", {"hdd"}}};
  CHECK(found(Code::requirement_lost, saying({e, zone, f}), {}, simple).size() == 1);
}

TEST_CASE("a hidden requirement is lost where terms are given as they are") {
  const auto of = [](const char* key) {
    return NodeSelectorTerm{{{key, NodeSelectorOperator::exists, {}}}, {}};
  };
  SchedulingPolicySpec a =
      requiring({.match_expressions = {{.keys = any, .operators = any, .values = any}}});
  a.defaults.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = NodeSelector{{of("arch"), of("os")}};
  const SchedulingPolicySpec b =
      requiring({.match_expressions = {{.keys = {"arch"}, .operators = any, .values = any}}});
  // Together the terms would hold it, but for `a` each is enough.
  CHECK(found(FindingCode::requirement_lost, saying({a, b})).size() == 1);
}

TEST_CASE("whatever sort of requirement is hidden, a pod shows that nobody asks for it") {
  const auto node = [](const char* key) {
    return NodeAffinityRule{
        {{.match_expressions = {{.keys = {key}, .operators = any, .values = any}}}}};
  };
  const auto affinities = [](AnyOr<NodeAffinityRule> required, AnyOr<PodAffinityRule> preferred) {
    AffinityRules rules;
    if (!required.is_absent())
      rules.node_affinities.list().required_during_scheduling_ignored_during_execution =
          std::move(required);
    if (!preferred.is_absent())
      rules.pod_anti_affinities.list().preferred_during_scheduling_ignored_during_execution =
          std::move(preferred);
    return PolicySection{.affinities = std::move(rules)};
  };
  constexpr auto smart = MergeStrategy::smart_deep_merge;
  constexpr auto simple = MergeStrategy::simple_merge;
  constexpr auto first = MergeStrategy::first_seen_wins;
  const struct {
    const char* name;
    MergeStrategy strategy;
    PolicySection hiding;
    PolicySection hidden;
    Lines wanted;  ///< fields, and what is required there
  } cases[] = {
      {"scheduler names",
       smart,
       {.scheduler_names = {"blue"}},
       {.scheduler_names = {"green"}},
       {"required.schedulerNames [green]"}},
      {"priority class names",
       smart,
       {.priority_class_names = {"gold"}},
       {.priority_class_names = {"silver"}},
       {"required.priorityClassNames [silver]"}},
      {"keys of the node selector, each for itself",
       smart,
       {.node_selectors = {{"disk", {"ssd"}}, {"os", {"linux"}}, {"zone", {"1"}}}},
       {.node_selectors = {{"disk", {"hdd"}}, {"os", any}, {"rack", any}, {"zone", {"2"}}}},
       {"required.nodeSelectors[disk] [hdd]", "required.nodeSelectors[zone] [2]"}},
      {"the node selector as a whole",
       simple,
       {.node_selectors = {{"disk", {"ssd"}}}},
       {.node_selectors = {{"disk", any}, {"zone", {"2"}}}},
       {"required.nodeSelectors {disk: [], zone: [2]}"}},
      {"keys that no policy but the second asks for",
       first,
       {.scheduler_names = {"blue"}},
       {.node_selectors = {{"zone", {"2"}}}},
       {"required.nodeSelectors {zone: [2]}"}},
      {"tolerations",
       first,
       {.tolerations = {of_key("gpu")}},
       {.tolerations = {of_key("spot")}},
       {"required.tolerations [{keys: [spot], operators: [], values: [], effects: []}]"}},
      {"modes of affinity, each for itself",
       smart,
       affinities(node("arch"), PodAffinityRule{{"zone"}}),
       affinities(node("os"), PodAffinityRule{{"host"}}),
       {"required.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuringExecution "
        "[{matchExpressions: [{keys: [os], operators: [], values: []}]}]",
        "required.affinities.podAntiAffinities.preferredDuringSchedulingIgnoredDuringExecution "
        "[host]"}},
      {"a mode that says the same",
       smart,
       affinities(node("arch"), PodAffinityRule{{"zone"}}),
       affinities(node("arch"), PodAffinityRule{{"host"}}),
       {"required.affinities.podAntiAffinities.preferredDuringSchedulingIgnoredDuringExecution "
        "[host]"}},
      {"fewer values of a key",
       smart,
       {.node_selectors = {{"disk", {"hdd", "ssd"}}}},
       {.node_selectors = {{"disk", {"hdd"}}}},
       {"required.nodeSelectors[disk] [hdd]"}},
      {"a mode of affinity beside tolerations that are asked for anyway",
       smart,
       {.tolerations = {of_key("gpu")}, .affinities = affinities(node("arch"), {}).affinities},
       {.tolerations = {{{"gpu", "spot"}, any, any, any}},
        .affinities = affinities(node("os"), {}).affinities},
       {"required.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuringExecution "
        "[{matchExpressions: [{keys: [os], operators: [], values: []}]}]"}},
      {"a mode of affinity that asks for no more than what hides it",
       smart,
       affinities({}, PodAffinityRule{{"zone"}}),
       affinities({}, PodAffinityRule{{"host", "zone"}}),
       {}},
      {"a part of the tolerations that are asked for",
       smart,
       {.tolerations = {{{"gpu", "spot"}, any, any, any}}},
       {.tolerations = {of_key("gpu")}},
       {"required.tolerations [{keys: [gpu], operators: [], values: [], effects: []}]"}},
      {"affinities as a whole",
       simple,
       affinities(node("arch"), {}),
       affinities({}, PodAffinityRule{{"zone", "host"}}),
       {"required.affinities {podAntiAffinities: {requiredDuringSchedulingIgnoredDuringExecution: "
        "none, preferredDuringSchedulingIgnoredDuringExecution: [zone, host]}}"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec a;
    a.allowed = schedpol::scheduling_policy::detail::everything();
    a.required = c.hiding;
    SchedulingPolicySpec b;
    b.required = c.hidden;
    const Policies policies = saying({a, b});
    const EffectivePolicy effective = merge(policies, c.strategy);
    Lines lines;
    for (const Finding& finding : analyze(policies, c.strategy)) {
      if (finding.code != FindingCode::requirement_lost) continue;
      lines.push_back(to_string(finding.field) + " " + finding.detail);
      REQUIRE(finding.witness);
      CAPTURE(*finding.witness);
      CHECK(admit(*finding.witness, effective).allowed);
      b.allowed = a.allowed;
      CHECK_FALSE(admit(*finding.witness, merge(saying({b}))).allowed);
    }
    CHECK(lines == c.wanted);
  }
}

TEST_CASE("a null that leaves any when it is dropped, and one that does not") {
  SchedulingPolicySpec spec;
  spec.allowed.node_selectors = {{"disk", {}}};
  CHECK(found(FindingCode::null_entry, saying({spec})) ==
        Lines{"`a`: `allowed.nodeSelectors`: `kubectl apply` drops what is null, and what is left "
              "means any"});
  spec.allowed.node_selectors = {{"disk", {}}, {"zone", {"1"}}};
  CHECK(found(FindingCode::null_entry, saying({spec})) == Lines{});
  spec.allowed.affinities = AffinityRules{};
  CHECK(found(FindingCode::null_entry, saying({spec})).size() == 1);
  spec.allowed.affinities.list().pod_affinities = any;
  CHECK(found(FindingCode::null_entry, saying({spec})) == Lines{});
  auto& kind = spec.allowed.affinities.list().node_affinities;
  kind = NodeAffinityRules{};
  CHECK(found(FindingCode::null_entry, saying({spec})).size() == 1);
  kind.list().required_during_scheduling_ignored_during_execution = NodeAffinityRule{};
  CHECK(found(FindingCode::null_entry, saying({spec})) ==
        Lines{"`a`: `allowed.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuring"
              "Execution`: `kubectl apply` drops what is null, and what is left means any"});
  kind.list().required_during_scheduling_ignored_during_execution.list().node_selector_terms = {{}};
  CHECK(found(FindingCode::null_entry, saying({spec})) == Lines{});
  // As a whole field of `required` any is refused.
  SchedulingPolicySpec required;
  required.required.affinities = AffinityRules{};
  CHECK(found(FindingCode::null_entry, saying({required})) == Lines{});
  required.required.affinities.list().pod_affinities = PodAffinityRules{};
  CHECK(found(FindingCode::null_entry, saying({required})).size() == 1);
}

}  // namespace analyze_hidden_requirements_test
