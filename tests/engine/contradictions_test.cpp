// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/engine.hpp>

#include "cluster_criteria.hpp"

#include <utility>
#include <vector>

namespace contradictions_test {

using namespace cluster_criteria_cases;

TEST_CASE("what no node can meet is said with the policies behind it") {
  Configuration made = configuration();
  made.objects.scheduling_policies[0].spec.allowed.node_selectors = any;
  made.objects.runtime_classes = {
      {.metadata = {.name = "web"},
       .handler = "web",
       .scheduling = runtime_class::Scheduling{.node_selector = {{"pool", "web"}}}}};
  made.objects.scheduling_policies[0].spec.allowed.affinities = any;
  const Engine engine = engine_of(made);
  Pod pod = etcd();
  pod.metadata.labels.clear();
  pod.spec.runtime_class_name = "web";
  pod.spec.affinity = required_node({in("pool", "etcd")});
  const Decision decision = engine.decide({.object = pod});
  REQUIRE(decision.allowed);
  REQUIRE(decision.warnings.size() == 1);
  CHECK(message(decision.warnings[0]) ==
        "`spec.nodeSelector[pool]` of `web`: no node has `pool=web` and what the required node "
        "affinity asks for");
  // A term that can be met is enough.
  pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
      ->node_selector_terms.push_back({.match_expressions = {in("pool", "web")}});
  CHECK(engine.decide({.object = pod}).warnings.empty());
}

TEST_CASE("a number that a PodSchedulingPolicy asks for beside another value is warned of") {
  Configuration made = configuration();
  made.systems = {{System::pod_scheduling_policy}};
  made.objects.pod_scheduling_policies[0].spec.affinity =
      required_node({{"pool", NodeSelectorOperator::gt, {"24"}}});
  const Engine engine = engine_of(made);
  Pod pod = etcd();
  const auto warnings_with = [&](const char* pool) {
    pod.spec.node_selector = {{"pool", pool}};
    return engine.decide({.object = pod}).warnings;
  };
  CHECK(warnings_with("25").empty());
  REQUIRE(warnings_with("web").size() == 1);
  CHECK(
      message(warnings_with("web")[0]) ==
      "`spec.nodeSelector[pool]` of `etcd-pool`: no node has `pool=web` and what the required node "
      "affinity asks for");
  // Not where no node could have met the pod as it came.
  pod.spec.affinity = required_node({in("disk", "ssd"), in("disk", "hdd")});
  CHECK(warnings_with("web").empty());
}

TEST_CASE("a pair contradicts the required node affinity where no term can be met with it") {
  // A default is not given where it contradicts, the pairs of a class are.
  Configuration made = configuration();
  made.systems = {{System::runtime_class}, {System::scheduling_policy}};
  scheduling_policy::SchedulingPolicySpec& spec = made.objects.scheduling_policies[0].spec;
  spec.allowed.affinities = any;
  spec.allowed.node_selectors = any;
  made.objects.runtime_classes = {
      {.metadata = {.name = "web"},
       .handler = "web",
       .scheduling = runtime_class::Scheduling{.node_selector = {{"pool", "web"}, {"zone", "a"}}}}};
  const Engine engine = engine_of(made);
  const auto with_terms = [](std::vector<NodeSelectorTerm> terms) {
    Affinity affinity = required_node({});
    affinity.node_affinity->required_during_scheduling_ignored_during_execution
        ->node_selector_terms = std::move(terms);
    return affinity;
  };
  const NodeSelectorTerm etcd_alone{.match_expressions = {in("pool", "etcd")}};
  const auto malformed = [](const char* key) -> NodeSelectorRequirement {
    return {.key = key, .operator_ = NodeSelectorOperator::gt, .values = {"x"}};
  };
  struct Case {
    const char* name;
    Affinity affinity;
    bool contradicts;
  };
  const Case cases[] = {
      {"an expression", required_node({in("pool", "etcd")}), true},
      {"one that the pair meets", required_node({in("pool", "web")}), false},
      {"the second of a term", required_node({in("zone", "a"), in("pool", "etcd")}), true},
      {"one of two terms", with_terms({etcd_alone, {.match_expressions = {in("disk", "ssd")}}}),
       false},
      {"one beside a term that no node meets",
       with_terms({{.match_expressions = {in("disk", "ssd"), in("disk", "hdd")}}, etcd_alone}),
       true},
      {"a malformed expression of that key, which no node meets anyway",
       required_node({malformed("pool")}), false},
      {"a malformed one of another key", required_node({malformed("disk")}), false},
      {"one beside a malformed term of another key",
       with_terms({etcd_alone, {.match_expressions = {malformed("disk")}}}), true},
      {"one that the pair meets beside a malformed term",
       with_terms({{.match_expressions = {malformed("pool")}},
                   {.match_expressions = {in("pool", "web")}}}),
       false},
      {"a preference",
       {.node_affinity = NodeAffinity{.preferred_during_scheduling_ignored_during_execution =
                                          {{.weight = 1, .preference = etcd_alone}}}},
       false},
      {"pod affinity",
       {.pod_affinity =
            PodAffinity{
                .required_during_scheduling_ignored_during_execution = {{.topology_key = "zone"}}}},
       false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Pod pod = etcd();
    pod.spec.runtime_class_name = "web";
    pod.spec.affinity = c.affinity;
    const Decision decision = engine.decide({.object = pod});
    REQUIRE(decision.allowed);
    REQUIRE(decision.warnings.size() == (c.contradicts ? 1 : 0));
    if (!c.contradicts) continue;
    CHECK(decision.warnings[0].field == "spec.nodeSelector[pool]");
    CHECK(decision.warnings[0].policies == Names{"web"});
  }
  // A system that only audits has put nothing into the pod.
  made.systems = {{System::pod_scheduling_policy, Mode::audit}, {System::runtime_class}};
  Pod pod = etcd();
  pod.spec.runtime_class_name = "web";
  pod.spec.affinity = required_node({in("pool", "etcd"), in("disk", "ssd")});
  const Decision audited = engine_of(made).decide({.object = pod});
  REQUIRE(audited.allowed);
  CHECK(!audited.steps[0].changes.empty());
  REQUIRE(audited.warnings.size() == 1);
  CHECK(audited.warnings[0].policies == Names{"web"});
  // Whoever contradicts himself is not told so for what he is given besides.
  pod.spec.node_selector = {{"pool", "web"}};
  const Decision own = engine.decide({.object = pod});
  REQUIRE(own.allowed);
  CHECK(own.pod.spec.node_selector.size() == 2);
  CHECK(own.warnings.empty());
}

TEST_CASE("that no node could have met a pod as it came is no policy's doing") {
  PodSchedulingPolicy pool = etcd_pool();
  pool.spec.scheduler_name.clear();
  pool.spec.affinity.reset();
  pool.spec.node_selector = {{"pool", "spot"}};
  Configuration made = configuration(pool);
  made.systems = {{System::pod_scheduling_policy}, {System::scheduling_policy}};
  scheduling_policy::SchedulingPolicySpec& spec = made.objects.scheduling_policies[0].spec;
  spec.allowed.affinities = any;
  spec.allowed.node_selectors = any;
  Pod impossible = etcd();
  impossible.spec.affinity = required_node({in("pool", "web"), in("pool", "etcd")});
  for (const Mode mode : {Mode::enforce, Mode::audit}) {
    made.systems[1].mode = mode;
    const Decision decision = engine_of(made).decide({.object = impossible});
    REQUIRE(decision.allowed);
    CHECK(decision.pod.spec.node_selector == pool.spec.node_selector);
    CHECK(decision.warnings.empty());
    spec.defaults.node_selector = Labels{{"zone", "a"}};
  }
}

TEST_CASE("what a policy leaves out because the pod has something else is a warning") {
  Configuration made = configuration();
  made.objects.scheduling_policies[0].spec.allowed.node_selectors = any;
  Pod pod = etcd();
  pod.spec.node_selector = {{"disk", "ssd"}};
  const Decision decision = engine_of(made).decide({.object = pod});
  REQUIRE(decision.allowed);
  REQUIRE(decision.steps[2].warnings.size() == 1);
  CHECK(decision.steps[2].warnings[0].field == "spec.nodeSelector[disk]");
  CHECK(decision.steps[2].warnings[0].policies == Names{"etcd-pool"});
}

}  // namespace contradictions_test
