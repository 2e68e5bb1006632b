// SPDX-License-Identifier: Apache-2.0
// What never changes may be asked by many threads at once, from the first question on. What of it
// is no data race, ThreadSanitizer says.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <schedpol/cluster/cluster.hpp>
#include <schedpol/cluster/node_table.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

namespace threads_test {

using namespace schedpol;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::PolicyUse;
using engine::System;

constexpr std::size_t threads = 4;
constexpr std::size_t questions = 64;

/// The answers to questions 0, 1, ... of each of the threads, which all begin at once.
template <class Answer, class Ask>
std::vector<std::vector<Answer>> answers_of_threads(const Ask& ask) {
  std::vector<std::vector<Answer>> answers(threads, std::vector<Answer>(questions));
  std::vector<std::thread> asking;
  for (auto& own : answers) {
    asking.emplace_back([&ask, &own] {
      for (std::size_t i = 0; i < questions; ++i) own[i] = ask(i);
    });
  }
  for (std::thread& thread : asking) thread.join();
  return answers;
}

/// That `make` makes something that gives threads, whichever comes first, the answers that it gives
/// one alone.
template <class Answer, class Make, class Ask>
void check_shared(const Make& make, const Ask& ask) {
  const auto alone = make();
  std::vector<Answer> wanted(questions);
  for (std::size_t i = 0; i < questions; ++i) wanted[i] = ask(alone, i);
  const auto shared = make();
  for (const auto& answers :
       answers_of_threads<Answer>([&](std::size_t i) { return ask(shared, i); }))
    CHECK(answers == wanted);
}

const std::string text(std::size_t i) {
  return std::to_string(i % 7);
}

Pod pod(std::size_t i) {
  Pod pod{.metadata = {.name = "p", .namespace_ = "n", .labels = {{"app", text(i)}}}};
  pod.spec.node_selector = {{"disk", text(i)}};
  pod.spec.tolerations = {{.key = "gpu", .value = text(i)}};
  if (i % 2 == 0) pod.spec.runtime_class_name = "kata";
  if (i % 3 == 0) pod.spec.scheduler_name = "other";
  return pod;
}

Configuration configuration() {
  Configuration configuration;
  for (const System system : engine::all_systems) configuration.systems.push_back({system});
  configuration.settings.policy_use = PolicyUse::every;
  auto& objects = configuration.objects;
  objects.scheduling_policies = {
      {.metadata = {.name = "s"},
       .spec = {.allowed = {.scheduler_names = {"default-scheduler"}, .node_selectors = any},
                .defaults = {.node_selector = Labels{{"zone", "a"}}}}}};
  objects.scheduling_policies[0].spec.allowed.tolerations = {
      {.keys = {"gpu", "kata"}, .operators = any, .values = any, .effects = any}};
  objects.runtime_classes = {{.metadata = {.name = "kata"}, .handler = "kata"}};
  objects.runtime_classes[0].scheduling = {
      {.tolerations = {{.key = "kata", .operator_ = TolerationOperator::exists}}}};
  objects.pod_scheduling_policies = {{.metadata = {.name = "i", .namespace_ = "n"},
                                      .spec = {.pod_selector = {{.match_labels = {{"app", "1"}}}},
                                               .node_selector = {{"arch", "arm64"}}}}};
  objects.resource_policies = {{.metadata = {.name = "r", .namespace_ = "n"},
                                .spec = {.units = {{.name = "u", .max_count = 10}}}}};
  return configuration;
}

std::vector<Node> nodes() {
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < 100; ++i) {
    nodes.push_back(
        {.metadata = {.name = "node-" + std::to_string(i), .labels = {{"disk", text(i)}}},
         .spec = {.taints = {{"gpu", text(i), TaintEffect::no_schedule}}}});
  }
  return nodes;
}

TEST_CASE("threads share an engine") {
  check_shared<Decision>(
      [] {
        auto engine = compile(configuration());
        REQUIRE(engine);
        return *engine;
      },
      [](const Engine& engine, std::size_t i) { return engine.decide({.object = pod(i)}); });
}

TEST_CASE("threads share the rules of policies") {
  check_shared<std::vector<Violation>>(
      [] { return merge(configuration().objects.scheduling_policies); },
      [](const scheduling_policy::EffectivePolicy& effective, std::size_t i) {
        return check(pod(i), effective);
      });
}

TEST_CASE("threads share a table of nodes and the matchers of pods") {
  check_shared<std::vector<NodeSet>>(
      [] { return NodeTable(nodes()); },
      [matcher = NodeAffinityMatcher(pod(1).spec)](const NodeTable& table, std::size_t i) {
        return std::vector<NodeSet>{table.matching(matcher),
                                    table.matching(NodeAffinityMatcher(pod(i).spec)),
                                    table.tolerated_by(pod(i).spec.tolerations)};
      });
}

TEST_CASE("threads share a cluster") {
  check_shared<NodeSet>(
      [] {
        const auto policies = resource_policy::compile(configuration().objects.resource_policies);
        REQUIRE(policies);
        return resource_policy::Cluster(*policies, nodes(), {});
      },
      [](const resource_policy::Cluster& cluster, std::size_t i) {
        const Pod asked = pod(i);
        return cluster.prefilter(asked).feasible();
      });
}

}  // namespace threads_test
