// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "checked.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_permitted_test {

using namespace checked;

/// Sixty schedulers, or whatever else has names.
Texts sixty(const std::string& prefix) {
  Texts texts;
  for (int i = 10; i < 70; ++i) texts.push_back(prefix + std::to_string(i));
  return texts;
}

/// For `gpu`, each for another value: 0, 1, ...
TolerationPatterns gpu_patterns_of_values(std::size_t count) {
  TolerationPatterns patterns;
  for (std::size_t i = 0; i < count; ++i)
    patterns.push_back({.keys = {"gpu"},
                        .operators = {TolerationOperator::equal},
                        .values = {std::to_string(i)},
                        .effects = {no_execute}});
  return patterns;
}

TEST_CASE("a violation says what would have been permitted, or the first of it") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    PodSpec pod;
    std::string text;
  };
  const NodeSelectorRequirement disk{"disk", in, {"hdd"}};
  const RequirementPattern ssd{.keys = {"disk"}, .operators = {in}, .values = {"ssd"}};
  const RequirementPattern zone{.keys = {"zone"}, .operators = any, .values = any};
  const RequirementPattern anywhere{.keys = any, .operators = {not_in}, .values = any};
  const auto rule = [](std::vector<RequirementPattern> patterns) {
    return AffinityRules{.node_affinities = NodeAffinityRules{
                             .required_during_scheduling_ignored_during_execution =
                                 NodeAffinityRule{{{.match_expressions = std::move(patterns)}}}}};
  };
  const auto node_affinity = [](NodeSelectorRequirement requirement) {
    return Affinity{.node_affinity =
                        NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                         NodeSelector{{{.match_expressions = {requirement}}}}}};
  };
  const Case cases[] = {
      {"allowed schedulers and the default one",
       {.allowed = {.scheduler_names = {"blue"}}, .defaults = {.scheduler_name = "red"}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p` (permitted: `blue` and "
       "`red`)"},
      {"required schedulers",
       {.required = {.scheduler_names = {"blue"}}, .allowed = {.scheduler_names = {"red"}}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not among those required by `p` (permitted: "
       "`blue`)"},
      {"nothing",
       {},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p`"},
      {"sixty schedulers",
       {.allowed = {.scheduler_names = sixty("s")}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p` (permitted: `s10`, "
       "`s11`, `s12`, `s13`, `s14` and 55 more)"},
      {"a priority class that is required",
       {.required = {.priority_class_names = {"gold"}}, .allowed = {.scheduler_names = any}},
       {},
       "`spec.priorityClassName`: a priority class is required by `p` (permitted: `gold`)"},
      {"a default that is allowed, too, once",
       {.allowed = {.scheduler_names = {"blue", "red"}}, .defaults = {.scheduler_name = "red"}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p` (permitted: `blue` and "
       "`red`)"},
      {"a name that is too long to show is counted",
       {.allowed = {.scheduler_names = {std::string(513, 'x'), "blue"}}},
       {.scheduler_name = "green"},
       "`spec.schedulerName`: scheduler `green` is not allowed by `p` (permitted: `blue` and 1 "
       "more)"},
      {"values of a key",
       {.allowed = {.scheduler_names = any, .node_selectors = {{"arch", {"amd64", "arm64"}}}}},
       {.node_selector = {{"arch", "s390x"}}},
       "`spec.nodeSelector[arch]`: node selector `s390x` is not allowed by `p` (permitted: "
       "`amd64` and `arm64`)"},
      {"required values of a key",
       {.required = {.node_selectors = {{"arch", {"amd64"}}}}, .allowed = {.scheduler_names = any}},
       {},
       "`spec.nodeSelector[arch]`: a value is required by `p` (permitted: `amd64`)"},
      {"tolerations of the key, also of any key",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{.keys = {"spot"}, .operators = any, .effects = any},
                                    {.keys = any, .operators = {exists}, .effects = {no_execute}},
                                    {.keys = {"gpu"}, .operators = {exists}, .effects = any}}}},
       {.tolerations = {{.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[0]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Exists], effects: []}` and "
       "`{keys: [], operators: [Exists], effects: [NoExecute]}`)"},
      {"the same where any key comes first",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{.keys = any, .operators = {exists}, .effects = {no_execute}},
                                    {.keys = {"gpu"}, .operators = {exists}, .effects = any}}}},
       {.tolerations = {{.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[0]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Exists], effects: []}` and "
       "`{keys: [], operators: [Exists], effects: [NoExecute]}`)"},
      {"tolerations of other keys, and defaults",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{.keys = {"spot"}, .operators = any, .effects = any}}},
        .defaults = {.tolerations = {{{.toleration = {.key = "a", .effect = no_schedule},
                                       .values = {"x", "y"}}}}}},
       {.tolerations = {{.key = "gpu", .operator_ = exists}}},
       "`spec.tolerations[0]`: toleration `gpu Exists` is not allowed by `p` (permitted: "
       "`{keys: [spot], operators: [], effects: []}` and "
       "`{keys: [a], operators: [Equal], values: [x, y], effects: [NoSchedule]}`)"},
      {"required tolerations as well as allowed ones, by each of their keys",
       {.required = {.tolerations = {{.keys = {"gpu"}, .operators = {exists}, .effects = any}}},
        .allowed = {.scheduler_names = any,
                    .tolerations = {{.keys = {"spot", "gpu", "gpu"},
                                     .operators = {exists},
                                     .effects = {no_execute}}}}},
       {.tolerations = {{.key = "gpu", .operator_ = exists},
                        {.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[1]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Exists], effects: []}` and "
       "`{keys: [spot, gpu, gpu], operators: [Exists], effects: [NoExecute]}`)"},
      {"of tolerations of other keys those of any key, and none without keys",
       {.allowed =
            {.scheduler_names = any,
             .tolerations = {{.keys = {"spot"}, .operators = any, .effects = any},
                             {.keys = absent, .operators = any, .effects = any},
                             {.keys = any, .operators = {exists}, .effects = {no_execute}}}}},
       {.tolerations = {{.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[0]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [], operators: [Exists], effects: [NoExecute]}`)"},
      {"each default of the key, with its values or its value",
       {.allowed = {.scheduler_names = any},
        .defaults =
            {.tolerations = {{{.toleration = {.key = "gpu", .effect = no_schedule}},
                              {.toleration = {.key = "gpu", .value = "x", .effect = no_schedule}},
                              {.toleration = {.key = "gpu", .effect = no_execute},
                               .values = {"y"}}}}}},
       {.tolerations = {{.key = "gpu", .operator_ = exists}}},
       "`spec.tolerations[0]`: toleration `gpu Exists` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Equal], effects: [NoSchedule]}`, "
       "`{keys: [gpu], operators: [Equal], values: [x], effects: [NoSchedule]}` and "
       "`{keys: [gpu], operators: [Equal], values: [y], effects: [NoExecute]}`)"},
      {"seven tolerations of the key",
       {.allowed = {.scheduler_names = any, .tolerations = gpu_patterns_of_values(7)}},
       {.tolerations = {{.key = "gpu", .value = "a", .effect = no_schedule}}},
       "`spec.tolerations[0]`: toleration `gpu=a:NoSchedule` is not allowed by `p` (permitted: "
       "`{keys: [gpu], operators: [Equal], values: [0], effects: [NoExecute]}`, "
       "`{keys: [gpu], operators: [Equal], values: [1], effects: [NoExecute]}`, "
       "`{keys: [gpu], operators: [Equal], values: [2], effects: [NoExecute]}`, "
       "`{keys: [gpu], operators: [Equal], values: [3], effects: [NoExecute]}`, "
       "`{keys: [gpu], operators: [Equal], values: [4], effects: [NoExecute]}` and 2 more)"},
      {"expressions of the key",
       {.allowed = {.scheduler_names = any, .affinities = rule({zone, ssd, anywhere})}},
       {.affinity = node_affinity(disk)},
       "`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
       "nodeSelectorTerms[0].matchExpressions[0]`: affinity `disk In [hdd]` is not allowed by `p` "
       "(permitted: `{keys: [disk], operators: [In], values: [ssd]}` and "
       "`{keys: [], operators: [NotIn], values: []}`)"},
      {"expressions of the key in every required and allowed term",
       {.required = {.affinities = rule({RequirementPattern{
                         .keys = {"zone", "disk"}, .operators = {NodeSelectorOperator::exists}}})},
        .allowed = {.scheduler_names = any,
                    .affinities =
                        AffinityRules{
                            .node_affinities =
                                NodeAffinityRules{
                                    .required_during_scheduling_ignored_during_execution =
                                        NodeAffinityRule{{{.match_expressions = {{zone}}},
                                                          {.match_expressions = {{ssd}}}}}}}}},
       {.affinity =
            Affinity{
                .node_affinity =
                    NodeAffinity{
                        .required_during_scheduling_ignored_during_execution =
                            NodeSelector{
                                {{.match_expressions =
                                      {{"zone", NodeSelectorOperator::exists, {}}, disk}}}}}}},
       "`spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
       "nodeSelectorTerms[0].matchExpressions[1]`: affinity `disk In [hdd]` is not allowed by `p` "
       "(permitted: `{keys: [zone, disk], operators: [Exists]}` and "
       "`{keys: [disk], operators: [In], values: [ssd]}`)"},
      {"required topology keys before allowed ones",
       {.required = {.affinities = AffinityRules{.pod_affinities = required_pod_rule({"host"})}},
        .allowed = {.scheduler_names = any,
                    .affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}}},
       {.affinity =
            Affinity{.pod_affinity =
                         PodAffinity{.required_during_scheduling_ignored_during_execution =
                                         {{.topology_key = "host"}, {.topology_key = "rack"}}}}},
       "`spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[1]."
       "topologyKey`: affinity `rack` is not allowed by `p` (permitted: `host` and `zone`)"},
      {"topology keys",
       {.allowed = {.scheduler_names = any,
                    .affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}}},
       {.affinity = Affinity{.pod_affinity = required_pod({"rack"})}},
       "`spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."
       "topologyKey`: affinity `rack` is not allowed by `p` (permitted: `zone`)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto found = check(Pod{.spec = c.pod}, merged(c.policy));
    REQUIRE(found.size() == 1);
    CHECK(message(found[0]) == c.text);
  }
}

TEST_CASE("what would have been permitted is listed up to a bound, and only what could be") {
  const auto named = [](std::vector<std::string> names, std::size_t more = 0) {
    return Names(std::move(names), more);
  };
  const std::string longest(max_shown_bytes, 'x');
  const Toleration gpu{.key = "gpu", .value = "a", .effect = no_schedule};
  const auto permitting = [](AffinityRules rules) {
    return SchedulingPolicySpec{
        .allowed = {.scheduler_names = any, .affinities = std::move(rules)}};
  };
  AffinityRules disks_and_zones = required_node_rule({{.match_expressions = {disk_pattern}}});
  disks_and_zones.pod_affinities = required_pod_rule({"zone"});
  disks_and_zones.pod_anti_affinities = required_pod_rule({"host"});
  const RequirementPattern of_name{.keys = {"metadata.name"}, .operators = {in}, .values = {"n"}};
  const RequirementPattern nvme{.keys = {"disk"}, .operators = {in}, .values = {"nvme"}};
  AffinityRules both_modes = required_node_rule({{.match_expressions = {disk_pattern}}});
  both_modes.node_affinities.list().preferred_during_scheduling_ignored_during_execution =
      NodeAffinityRule{{{.match_expressions = {nvme}}}};
  const NodeSelectorTerm tape{.match_expressions = {{"disk", in, {"tape"}}}};
  NodeAffinity tape_in_both_modes = required_node({tape});
  tape_in_both_modes.preferred_during_scheduling_ignored_during_execution = {{1, tape}};
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    PodSpec pod;
    std::vector<Names> wanted;  ///< by violation
  };
  const Case cases[] = {
      {"the default's after as many as are listed",
       {.allowed = {.scheduler_names = {"a", "b", "c", "d", "e"}},
        .defaults = {.scheduler_name = "f"}},
       {.scheduler_name = "green"},
       {named({"a", "b", "c", "d", "e"}, 1)}},
      {"names of as many bytes as are shown, and of one more",
       {.allowed = {.scheduler_names = {longest, longest + "x"}}},
       {.scheduler_name = "green"},
       {named({longest}, 1)}},
      {"patterns of the key that are too long to show, and not those of another",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{{"gpu"}, any, {longest}, any}, {{"spot"}, any, any, any}}}},
       {.tolerations = {gpu}},
       {{}}},
      {"patterns of other keys, and none without keys",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{absent, any, any, any}, {{"spot"}, any, any, any}}}},
       {.tolerations = {gpu}},
       {named({"{keys: [spot], operators: [], values: [], effects: []}"})}},
      {"of an empty key those that list it, though only any key matches it",
       {.allowed = {.scheduler_names = any,
                    .tolerations = {{{"spot"}, any, any, any},
                                    {any, {equal}, any, any},
                                    {{"gpu", ""}, any, any, any}}}},
       {.tolerations = {{.operator_ = exists}}},
       {named({"{keys: [gpu, \"\"], operators: [], values: [], effects: []}",
               "{keys: [], operators: [Equal], values: [], effects: []}"})}},
      {"of a default that has both a value and values, the values",
       {.allowed = {.scheduler_names = any},
        .defaults = {.tolerations = {{{.toleration = {"gpu", equal, "b", no_execute},
                                       .values = {"c"}}}}}},
       {.tolerations = {gpu}},
       {named({"{keys: [gpu], operators: [Equal], values: [c], effects: [NoExecute]}"})}},
      {"a field among the fields",
       permitting(
           required_node_rule({{.match_expressions = {disk_pattern}, .match_fields = {of_name}}})),
       {.affinity = Affinity{.node_affinity = required_node(
                                 {{.match_fields = {{"metadata.name", in, {"m"}}}}})}},
       {named({"{keys: [metadata.name], operators: [In], values: [n]}"})}},
      {"in one mode of each kind",
       permitting(disks_and_zones),
       {.affinity = Affinity{required_node({{.match_expressions = {zone_a}}}),
                             required_pod({"rack"}), required_pod({"rack"})}},
       {named({"{keys: [disk], operators: [In], values: [ssd, hdd]}"}), named({"zone"}),
        named({"host"})}},
      {"in each mode of one kind",
       permitting(both_modes),
       {.affinity = Affinity{.node_affinity = tape_in_both_modes}},
       {named({"{keys: [disk], operators: [In], values: [ssd, hdd]}"}),
        named({"{keys: [disk], operators: [In], values: [nvme]}"})}},
      {"nothing where a topology key is missing: the violation says which",
       {.required = {.affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}},
        .allowed = {.scheduler_names = any}},
       {},
       {{}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    std::vector<Names> permitted;
    for (Violation& violation : check(Pod{.spec = c.pod}, merged(c.policy)))
      permitted.push_back(std::move(violation.permitted));
    CHECK(permitted == c.wanted);
  }
}

TEST_CASE("of topology spread constraints every pattern is permitted") {
  const SchedulingPolicySpec spec{
      .allowed = {.scheduler_names = any,
                  .topology_spread_constraints = {
                      {{{"zone"}, {WhenUnsatisfiable::do_not_schedule}}, {{"host"}, any}}}}};
  const Pod pod{.spec = {.topology_spread_constraints = {
                             {.max_skew = 1,
                              .topology_key = "rack",
                              .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule}}}};
  const auto found = check(pod, merged(spec), {.governs = Components::all()});
  REQUIRE(found.size() == 1);
  CHECK(found[0].permitted == Names{"{topologyKeys: [zone], whenUnsatisfiable: [DoNotSchedule]}",
                                    "{topologyKeys: [host], whenUnsatisfiable: []}"});
}

TEST_CASE("a kind of affinity that no rule is about is shown whole") {
  const PodAffinityTerm zone{.topology_key = "zone"};
  const PodAffinityTerm rack{.topology_key = "rack"};
  const NodeSelectorTerm disk{.match_expressions = {{"disk", NodeSelectorOperator::exists, {}}}};
  const NodeAffinity node{
      .required_during_scheduling_ignored_during_execution = NodeSelector{{disk}},
      .preferred_during_scheduling_ignored_during_execution = {{.weight = 7, .preference = disk}}};
  const PodAffinity pod{.required_during_scheduling_ignored_during_execution = {zone},
                        .preferred_during_scheduling_ignored_during_execution = {
                            {.weight = 7, .pod_affinity_term = rack}}};
  const auto found = check(Pod{.spec = {.affinity = Affinity{node, pod, pod}}},
                           merged({.allowed = {.scheduler_names = any}}));
  REQUIRE(found.size() == 3);
  CHECK(found[0].value == to_string(node));
  CHECK(found[1].value == to_string(pod));
  CHECK(found[2].value == to_string(pod));
}

TEST_CASE("an operator or effect that there is none of is called so, and what was meant") {
  struct Case {
    const char* name;
    PodSpec pod;
    std::string detail;
  };
  const auto node_affinity = [](std::string_view operator_) {
    const NodeSelectorRequirement requirement{
        "disk", OpenEnum<NodeSelectorOperator>(operator_), {}};
    return Affinity{.node_affinity =
                        NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                         NodeSelector{{{.match_expressions = {requirement}}}}}};
  };
  const auto operator_ = [](std::string_view text) { return OpenEnum<TolerationOperator>(text); };
  const Case cases[] = {
      {"nearly one",
       {.tolerations = {{.key = "gpu", .operator_ = operator_("Exist")}}},
       "unknown operator `Exist`, did you mean `Exists`"},
      {"one in another case",
       {.tolerations = {{.key = "gpu", .operator_ = operator_("EQUAL")}}},
       "unknown operator `EQUAL`, did you mean `Equal`"},
      {"nothing like one",
       {.tolerations = {{.key = "gpu", .operator_ = operator_("Matches")}}},
       "unknown operator `Matches`"},
      {"an effect",
       {.tolerations = {{.key = "gpu", .effect = OpenEnum<TaintEffect>("NoSchedul")}}},
       "unknown effect `NoSchedul`, did you mean `NoSchedule`"},
      {"an expression",
       {.affinity = node_affinity("Notin")},
       "unknown operator `Notin`, did you mean `NotIn`"},
      {"an expression without one", {.affinity = node_affinity("")}, "it has no operator"},
  };
  for (const auto& everything :
       {SchedulingPolicySpec{.allowed = {.scheduler_names = any}},
        SchedulingPolicySpec{
            .allowed = {.scheduler_names = any, .tolerations = any, .affinities = any}}}) {
    for (const Case& c : cases) {
      if (c.pod.affinity && everything.allowed.affinities.is_absent()) continue;
      CAPTURE(c.name);
      const auto found = check(Pod{.spec = c.pod}, merged(everything));
      REQUIRE(found.size() == 1);
      CHECK(found[0].detail == c.detail);
      CHECK(message(found[0]).ends_with(" is not allowed: " + c.detail));
    }
  }
}

TEST_CASE("a denial under 4,000 policies is short, and names what would be permitted") {
  std::vector<SchedulingPolicy> policies;
  for (int i = 0; i < 4'000; ++i) {
    const std::string number = std::to_string(10'000 + i);
    SchedulingPolicy& policy = policies.emplace_back();
    policy.metadata.name = "policy-of-a-team-" + number;
    policy.spec.allowed = {
        .scheduler_names = {"scheduler-" + number},
        .node_selectors = {{"arch", {"arch-" + number}}},
        .tolerations = {
            {.keys = {"key"}, .operators = any, .values = {"value-" + number}, .effects = any}}};
  }
  const Pod pod{.spec = {.node_selector = {{"arch", "s390x"}},
                         .tolerations = {{.key = "key", .value = "other"}}}};
  const Admission admission{.pod = pod, .violations = check(pod, merge(policies))};
  const std::string text = message(admission);
  CHECK(admission.violations.size() == 3);
  CHECK(text.size() < 2'000);
  CHECK(text.find("(permitted: `scheduler-10000`, `scheduler-10001`") != std::string::npos);
  CHECK(text.find("(permitted: `arch-10000`, `arch-10001`") != std::string::npos);
  CHECK(text.find("(permitted: `{keys: [key]") != std::string::npos);
  CHECK(text.find("`policy-of-a-team-10004` and 3995 more") != std::string::npos);
}

TEST_CASE("of many denials each says what is permitted at its key, as if it were the only one") {
  const AnyOr<Texts> none = Texts{"none"};
  TolerationPatterns patterns;
  for (int i = 0; i < 20; ++i)
    patterns.push_back(
        {{"k" + std::to_string(i % 5), "k" + std::to_string(i % 7)}, any, none, any});
  for (const bool of_any : {false, true}) {
    if (of_any) patterns.push_back({any, any, none, any});
    const EffectivePolicy effective = merged_with_scheduler({.allowed = {.tolerations = patterns}});
    Pod pod;
    for (int i = 0; i < 30; ++i)
      pod.spec.tolerations.push_back({.key = "k" + std::to_string(i % 9)});
    const auto found = check(pod, effective);
    REQUIRE(found.size() == 30);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto alone = check({.spec = {.tolerations = {pod.spec.tolerations[i]}}}, effective);
      CHECK(found[i].permitted == alone.front().permitted);
    }
    CHECK(found[0].permitted != found[1].permitted);
  }
}

TEST_CASE("of many denied expressions each says what is permitted at its key") {
  constexpr int many = 5'000;
  RequirementPatterns patterns;
  NodeSelectorTerm term;
  for (int i = 0; i < many; ++i) {
    const std::string key = "k" + std::to_string(i);
    patterns.push_back({.keys = {key}, .operators = {in}, .values = {"v"}});
    term.match_expressions.push_back({key, in, {"w"}});
  }
  const EffectivePolicy effective = merged_with_scheduler(
      {.allowed = {.affinities = required_node_rule({{.match_expressions = patterns}})}});
  const auto found =
      check(Pod{.spec = {.affinity = Affinity{.node_affinity = required_node({term})}}}, effective);
  REQUIRE(found.size() == many);
  for (int i = 0; i < many; ++i)
    CHECK(found[static_cast<std::size_t>(i)].permitted ==
          Names{"{keys: [k" + std::to_string(i) + "], operators: [In], values: [v]}"});
}

}  // namespace check_permitted_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
