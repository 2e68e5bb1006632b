// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/adviser.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <schedpol/core/limits.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace adviser_test {

using namespace schedpol;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::InsightAdviser;
using engine::Operation;
using engine::System;

Engine engine_of(const Configuration& configuration) {
  const auto engine = engine::compile(configuration);
  REQUIRE(engine);
  return *engine;
}

// One policy that gives pods `batch` as their scheduler and permits that alone.
Configuration batch_only() {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  configuration.settings.policy_use = engine::PolicyUse::every;
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "batch"}, .spec = {.defaults = {.scheduler_name = "batch"}}}};
  return configuration;
}

Pod pod_in(std::string namespace_) {
  return {.metadata = {.name = "p", .namespace_ = std::move(namespace_)}};
}

TEST_CASE("what a user creates and is denied has a nearest fix, and nothing else has one") {
  const Engine engine = engine_of(batch_only());
  const Pod pod{.metadata = {.name = "p", .namespace_ = "n"}, .spec = {.scheduler_name = "own"}};
  const engine::Request request{.object = pod};
  const Decision denial = engine.decide(request);
  REQUIRE(!denial.allowed);
  const std::vector<Change> fix = InsightAdviser().nearest_fix(engine, request, denial);
  REQUIRE(fix.size() == 1);
  CHECK(to_string(fix[0].field) == "spec.schedulerName");
  CHECK(fix[0].from == "own");
  CHECK(engine::Adviser().nearest_fix(engine, request, denial).empty());

  engine::Request of_controller = request;
  of_controller.requester.name = engine.daemon_set_controller();
  const engine::Request update{
      .operation = Operation::update, .object = pod, .old = Old(pod_in("n"))};
  const Pod other = pod_in("n");
  CHECK(InsightAdviser().nearest_fix(engine, of_controller, denial).empty());
  CHECK(InsightAdviser().nearest_fix(engine, update, denial).empty());
  CHECK(InsightAdviser()
            .nearest_fix(engine, {.object = other}, engine.decide({.object = other}))
            .empty());
  CHECK(InsightAdviser().nearest_fix(engine, request, Decision()).empty());
  CHECK(InsightAdviser().nearest_fix(Engine(), request, denial).empty());

  // Of another scheduler another system knows nothing.
  Configuration of_classes;
  of_classes.systems = {{System::runtime_class}};
  const Engine classes = engine_of(of_classes);
  Pod sandboxed = pod_in("n");
  sandboxed.spec.runtime_class_name = "kata";
  const engine::Request unknown{.object = sandboxed};
  const Decision unknown_class = classes.decide(unknown);
  CHECK(!unknown_class.allowed);
  CHECK(InsightAdviser().nearest_fix(classes, unknown, unknown_class).empty());
}

TEST_CASE("a fix is looked for among few entries of policies, for a pod of few parts") {
  using namespace scheduling_policy;
  static constexpr auto names = [](std::size_t count) {
    std::vector<std::string> all;
    while (all.size() < count) all.push_back("k" + std::to_string(all.size()));
    return Texts(std::move(all));
  };
  // So many names are few, and one more is too many.
  struct Entries {
    const char* what;
    std::size_t few;
    void (*add)(SchedulingPolicySpec&, Texts of);
  };
  static constexpr auto of_nodes = [](SchedulingPolicySpec& to, std::vector<TermPattern> terms,
                                      bool required) {
    NodeAffinityRules rules;
    (required ? rules.required_during_scheduling_ignored_during_execution
              : rules.preferred_during_scheduling_ignored_during_execution) =
        NodeAffinityRule{std::move(terms)};
    to.allowed.affinities = AffinityRules{.node_affinities = rules};
  };
  static constexpr auto patterns = [](const Texts& keys) {
    std::vector<RequirementPattern> all;
    for (const std::string& key : keys) all.push_back({.keys = {key}});
    return all;
  };
  const Entries entries[] = {
      {"schedulers", 256, [](auto& to, Texts of) { to.allowed.scheduler_names = of; }},
      {"schedulers, one of which is required", 256,
       [](auto& to, Texts of) {
         to.allowed.scheduler_names = any;
         to.required.scheduler_names = of;
         to.defaults.scheduler_name.reset();
       }},
      {"priority classes", 256, [](auto& to, Texts of) { to.allowed.priority_class_names = of; }},
      {"values of a key", 255,
       [](auto& to, Texts of) {
         to.allowed.node_selectors = {{"a", of}};
       }},
      {"keys", 256,
       [](auto& to, Texts of) {
         NodeSelectors keys;
         for (const std::string& name : of) keys[name] = any;
         to.allowed.node_selectors = keys;
       }},
      {"default tolerations", 256,
       [](auto& to, Texts of) {
         to.defaults.tolerations.emplace();
         for (const std::string& name : of)
           to.defaults.tolerations->push_back({.toleration = {.key = name}});
       }},
      {"tolerations of a key each", 128,
       [](auto& to, Texts of) {
         std::vector<TolerationPattern> each;
         for (const std::string& name : of) each.push_back({.keys = {name}});
         to.allowed.tolerations = each;
       }},
      {"values of tolerations", 255,
       [](auto& to, Texts of) { to.allowed.tolerations = {{.keys = any, .values = of}}; }},
      {"required terms of nodes", 85,
       [](auto& to, Texts of) {
         std::vector<TermPattern> terms{{.match_expressions = any}};
         for (const RequirementPattern& one : patterns(of)) terms.push_back({{one}, {}});
         of_nodes(to, terms, true);
       }},
      {"preferred terms of nodes", 85,
       [](auto& to, Texts of) {
         std::vector<TermPattern> terms{{.match_fields = any}};
         for (const RequirementPattern& one : patterns(of)) terms.push_back({{}, {one}});
         of_nodes(to, terms, false);
       }},
      {"expressions of a term, and values of one", 127,
       [](auto& to, Texts of) {
         std::vector<RequirementPattern> all = patterns(of);
         all.front().values = {"v"};
         of_nodes(to, {{.match_expressions = all}}, true);
       }},
      {"topology keys", 128,
       [](auto& to, Texts of) {
         const PodAffinityRule keys{of};
         to.allowed.affinities = AffinityRules{.pod_affinities = PodAffinityRules{keys, keys}};
       }},
      {"topology keys against pods", 128,
       [](auto& to, Texts of) {
         const PodAffinityRule keys{of};
         to.allowed.affinities = AffinityRules{.pod_anti_affinities = PodAffinityRules{keys, keys}};
       }},
  };
  struct Parts {
    const char* what;
    std::size_t few;
    void (*add)(PodSpec&, std::size_t count);
  };
  static constexpr auto term = [](std::size_t expressions, std::size_t fields) {
    return NodeSelectorTerm{
        .match_expressions = std::vector<NodeSelectorRequirement>(
            expressions, {.key = "a", .operator_ = NodeSelectorOperator::exists}),
        .match_fields = std::vector<NodeSelectorRequirement>(
            fields,
            {.key = "metadata.name", .operator_ = NodeSelectorOperator::in, .values = {"n"}})};
  };
  const Parts parts[] = {
      {"labels of nodes", 64,
       [](auto& to, std::size_t count) {
         for (const std::string& name : names(count)) to.node_selector[name] = "v";
       }},
      {"tolerations", 64,
       [](auto& to, std::size_t count) { to.tolerations.resize(count, {.key = "k"}); }},
      {"required terms of nodes", 32,
       [](auto& to, std::size_t count) {
         const NodeSelector terms{std::vector<NodeSelectorTerm>(count, term(1, 0))};
         to.affinity = Affinity{.node_affinity = NodeAffinity{terms, {}}};
       }},
      {"fields of a term", 63,
       [](auto& to, std::size_t count) {
         to.affinity = Affinity{.node_affinity = NodeAffinity{NodeSelector{{term(0, count)}}, {}}};
       }},
      {"preferred terms of nodes", 32,
       [](auto& to, std::size_t count) {
         const std::vector<PreferredSchedulingTerm> terms(count, {1, term(1, 0)});
         to.affinity = Affinity{.node_affinity = NodeAffinity{{}, terms}};
       }},
      {"terms for pods", 32,
       [](auto& to, std::size_t count) {
         const PodAffinityTerm zone{.label_selector = LabelSelector{}, .topology_key = "zone"};
         PodAffinity terms;
         terms.required_during_scheduling_ignored_during_execution.resize(count, zone);
         terms.preferred_during_scheduling_ignored_during_execution.resize(count, {1, zone});
         to.affinity = Affinity{.pod_affinity = terms};
       }},
      {"terms against pods", 64,
       [](auto& to, std::size_t count) {
         const PodAffinityTerm zone{.label_selector = LabelSelector{}, .topology_key = "zone"};
         PodAntiAffinity terms;
         terms.required_during_scheduling_ignored_during_execution.resize(count, zone);
         to.affinity = Affinity{.pod_anti_affinity = terms};
       }},
  };
  SchedulingPolicySpec permits;
  permits.allowed = {
      .priority_class_names = any, .node_selectors = any, .tolerations = any, .affinities = any};
  permits.defaults.scheduler_name = "batch";
  PodSpec asks;
  asks.scheduler_name = "own";
  const auto has_fix = [](const SchedulingPolicySpec& spec, const PodSpec& asked) {
    Configuration configuration = batch_only();
    configuration.objects.scheduling_policies[0].spec = spec;
    const Engine engine = engine_of(configuration);
    engine::Request request{.object = pod_in("n")};
    request.object.spec = asked;
    const Decision denial = engine.decide(request);
    REQUIRE(denial.steps.size() == 1);
    CHECK(denial.steps[0].violations.size() == 1);
    return !InsightAdviser().nearest_fix(engine, request, denial).empty();
  };
  for (const Entries& c : entries) {
    for (const std::size_t more : {0, 1}) {
      CAPTURE(c.what);
      SchedulingPolicySpec spec = permits;
      c.add(spec, names(c.few + more));
      CHECK(has_fix(spec, asks) == (more == 0));
    }
  }
  for (const Parts& c : parts) {
    for (const std::size_t more : {0, 1}) {
      CAPTURE(c.what);
      PodSpec asked = asks;
      c.add(asked, c.few + more);
      CHECK(has_fix(permits, asked) == (more == 0));
    }
  }
}

TEST_CASE("warnings are the findings that are no mere information, and how many more there are") {
  const Engine engine = engine_of(batch_only());
  for (const std::size_t values : {2, 11, 12, 20}) {
    CAPTURE(values);
    metadata_policy::MetadataPolicy policy{.metadata = {.name = "m", .namespace_ = "n"}};
    for (std::size_t i = 0; i < values; ++i)
      policy.spec.rules.push_back(
          {.policy_action = {.updated_labels = {{"a", std::to_string(i)}}}});
    engine::Objects written;
    written.metadata_policies = {policy};
    const std::vector<std::string> warnings = InsightAdviser().warnings(engine, written);
    const std::size_t found = values - 1;  // each writes another value than the first
    REQUIRE(warnings.size() == std::min(found, max_finding_warnings + 1));
    CHECK(warnings[0].starts_with("MetadataPolicy: `n/m`: "));
    CHECK(engine::Adviser().warnings(engine, written).empty());
    CHECK(InsightAdviser().warnings(Engine(), written).empty());
    if (found > max_finding_warnings)
      CHECK(warnings.back() == "and " + std::to_string(found - max_finding_warnings) + " more");
  }
}

}  // namespace adviser_test
