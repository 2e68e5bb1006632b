// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/evaluate.hpp>

#include "operations.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace operations_resource_policy_test {

using namespace operations_cases;

TEST_CASE("ResourcePolicies and their units count as many nodes and pods as a limit says") {
  const auto list = [](std::size_t items) {
    std::string text = "{}";
    while (--items > 0) text += ",{}";
    return '[' + text + ']';
  };
  // Policies that count for 64 each, but the first.
  const auto costs = [&](std::size_t units_of_first, std::string_view more_of_first) {
    std::string policies;
    for (std::size_t i = 0; i < 32; ++i) {
      policies += std::string(i == 0 ? "" : ",") + R"({"metadata":{"name":"p)" + std::to_string(i) +
                  R"("},"spec":{"units":)" + list(i == 0 ? units_of_first : 63) +
                  std::string(i == 0 ? more_of_first : "") + "}}";
    }
    // As long as so many objects have to be.
    const std::string input = R"({"policies":[)" + policies + R"(],"pods":)" + list(1U << 12U) +
                              std::string(1U << 20U, ' ') + '}';
    return result_or_error("resourcePolicy.deletionCosts", input);
  };
  CHECK(costs(63, "") == R"({"costs":[]})");
  CHECK(costs(64, "") == "LimitExceeded at policies");
  constexpr std::string_view one_key = R"(,"matchLabelKeys":["hash"])";
  CHECK(costs(59, one_key) == R"({"costs":[]})");
  CHECK(costs(60, one_key) == "LimitExceeded at policies");
}

TEST_CASE("the operations of ResourcePolicy answer for a cluster") {
  const Case cases[] = {
      {"a full unit, a free one, and a node outside", "resourcePolicy.schedule",
       R"({"pod":{"metadata":{"name":"new","namespace":"n"}},"policies":[{"metadata":{"name":"r",)"
       R"("namespace":"n"},"spec":{"units":[{"priority":5,"maxCount":1,"nodeSelector":)"
       R"({"matchLabels":{"u":"0"}}},{"nodeSelector":{"matchLabels":{"u":"1"}}}]}}],)"
       R"("pods":[{"metadata":{"name":"old","namespace":"n"},"spec":{"nodeName":"a"}}],)"
       R"("nodes":[{"metadata":{"name":"a","labels":{"u":"0"}}},)"
       R"({"metadata":{"name":"b","labels":{"u":"1"}}},{"metadata":{"name":"c"}}]})",
       R"({"code":"Success","policy":"r","counts":[1,0],"nodes":[)"
       R"({"name":"a","code":"Unschedulable","reason":"UnitFull"},)"
       R"({"name":"b","code":"Success","unit":1,"score":100},)"
       R"({"name":"c","code":"UnschedulableAndUnresolvable","reason":"NodeNotInUnit"}]})"},
      {"a unit of 2 CPUs", "resourcePolicy.schedule",
       R"({"pod":{"metadata":{"name":"new","namespace":"n"},"spec":{"containers":[)"
       R"({"resources":{"limits":{"cpu":"500m"}}}]}},)"
       R"("policies":[{"metadata":{"name":"r","namespace":"n"},"spec":{"units":[)"
       R"({"maxResources":{"cpu":2,"memory":"8Gi"},"nodeSelector":{"matchLabels":{"u":"0"}}},)"
       R"({"nodeSelector":{"matchLabels":{"u":"1"}}}]}}],)"
       R"("pods":[{"metadata":{"name":"old","namespace":"n"},"spec":{"nodeName":"a",)"
       R"("containers":[{"resources":{"requests":{"cpu":"1800m","memory":"1Gi"}}}]}}],)"
       R"("nodes":[{"metadata":{"name":"a","labels":{"u":"0"}}},)"
       R"({"metadata":{"name":"b","labels":{"u":"1"}}}]})",
       R"({"code":"Success","policy":"r","counts":[1,0],)"
       R"("requested":[{"cpu":"1800m","memory":"1Gi"},{}],"nodes":[)"
       R"({"name":"a","code":"Unschedulable","reason":"UnitResourcesExceeded"},)"
       R"({"name":"b","code":"Success","unit":1,"score":100}]})"},
      {"a negative resource", "resourcePolicy.schedule",
       R"({"pod":{},"policies":[{"metadata":{"name":"r"},"spec":{"units":[)"
       R"({"maxResources":{"cpu":"-1"}}]}}]})",
       "InvalidObject at policies[0].spec.units[0].maxResources[cpu]"},
      {"a maximum that is null is 0, as for the API server", "resourcePolicy.schedule",
       R"({"pod":{"metadata":{"name":"p"},"spec":{"containers":[)"
       R"({"resources":{"requests":{"cpu":"1m"}}}]}},)"
       R"("policies":[{"metadata":{"name":"r"},"spec":{"units":[{"maxResources":{"cpu":null}}]}}],)"
       R"("nodes":[{"metadata":{"name":"a"}}]})",
       R"({"code":"Success","policy":"r","counts":[0],"requested":[{"cpu":"0"}],"nodes":[)"
       R"({"name":"a","code":"Unschedulable","reason":"UnitResourcesExceeded"}]})"},
      {"no policy", "resourcePolicy.schedule", R"({"pod":{}})", R"({"code":"Skip"})"},
      {"an unknown strategy", "resourcePolicy.schedule",
       R"({"pod":{},"policies":[{"metadata":{"name":"r"},"spec":{"strategy":"Prefer"}}]})",
       "InvalidObject at policies[0].spec.strategy"},
      {"deletion costs", "resourcePolicy.deletionCosts",
       R"({"policies":[{"metadata":{"name":"r"},"spec":{"units":[{"priority":3}]}}],"pods":[)"
       R"({"metadata":{"name":"p"},"spec":{"nodeName":"a"}},)"
       R"({"metadata":{"name":"q"},"spec":{"nodeName":"gone"}}],)"
       R"("nodes":[{"metadata":{"name":"a"}}]})",
       R"({"costs":[{"namespace":"","name":"p","cost":60}]})"},
      {"a negative priority ranks nothing", "resourcePolicy.deletionCosts",
       R"({"policies":[{"metadata":{"name":"r"},"spec":{"units":[{"priority":-2}]}}]})",
       "InvalidObject at policies[0].spec.units[0].priority"},
      {"nor places it a pod", "resourcePolicy.schedule",
       R"({"pod":{},"policies":[{"metadata":{"name":"r"},"spec":{"units":[{},{"priority":-2}]}}]})",
       "InvalidObject at policies[0].spec.units[1].priority"},
      {"a negative maximum", "resourcePolicy.schedule",
       R"({"pod":{},"policies":[{"metadata":{"name":"r"},"spec":{"units":[{"maxCount":-1}]}}]})",
       "InvalidObject at policies[0].spec.units[0].maxCount"},
      {"a maximum that is no number", "resourcePolicy.deletionCosts",
       R"({"policies":[{"metadata":{"name":"r"},"spec":{"units":[{"maxCount":"3"}]}}]})",
       "InvalidObject at policies[0].spec.units[0].maxCount"},
  };
  check_all(cases);
}

TEST_CASE("resourcePolicy.plan: where replicas go one after another, and which go first") {
  const std::string policies =
      R"("policies":[{"metadata":{"name":"r"},"spec":{"units":[{"priority":5,"maxCount":2,)"
      R"("nodeSelector":{"matchLabels":{"u":"1"}}},{"priority":3,"maxCount":1,)"
      R"("nodeSelector":{"matchLabels":{"u":"2"}}}]}}])";
  const std::string nodes = R"("nodes":[{"metadata":{"name":"a","labels":{"u":"1"}}},)"
                            R"({"metadata":{"name":"b","labels":{"u":"2"}}}])";
  CHECK(result_or_error("resourcePolicy.plan",
                        R"({"pod":{"metadata":{"name":"web"}},"replicas":3,)" + policies + "," +
                            nodes +
                            R"(,"pods":[{"metadata":{"name":"x"},"spec":{"nodeName":"a"}}]})") ==
        R"({"placements":[)"
        R"({"pod":"web-0","code":"Success","node":"a","unit":0,"deletionCost":100},)"
        R"({"pod":"web-1","code":"Success","node":"b","unit":1,"deletionCost":60},)"
        R"({"pod":"web-2","code":"Unschedulable","reason":"UnitFull"}],)"
        R"("scaleDown":["web-1","web-0"]})");
  const auto plan = [&](const std::string& input) {
    return result_or_error("resourcePolicy.plan", "{" + input + "," + policies + "," + nodes + "}");
  };
  CHECK(plan(R"("pod":{},"replicas":0)") == R"({"placements":[],"scaleDown":[]})");
  CHECK(plan(R"("pod":{},"replicas":-1)") == "InvalidRequest at replicas");
  CHECK(plan(R"("pod":{},"replicas":"3")") == "InvalidRequest at replicas");
  CHECK(plan(R"("pod":{},"replicas":null)") == "InvalidRequest at replicas");
  CHECK(plan(R"("replicas":3)") == "InvalidRequest at pod");
  CHECK(plan(R"("pod":{"spec":5},"replicas":3)") == "InvalidObject at pod.spec");
  // Not more than are kept, nor than are worth the time.
  CHECK(plan(R"("pod":{},"replicas":2147483647)") == "LimitExceeded at replicas");
  CHECK(plan(R"("pod":{"metadata":{"name":")" + std::string(1U << 20U, 'a') +
             R"("}},"replicas":20)") == "LimitExceeded at replicas");
  // As many as a document could hold the names of, with the longest name of a node.
  const std::string pod = R"({"metadata":{"name":")" + std::string(1U << 20U, 'a') + R"("}})";
  const std::string longest(1U << 19U, 'b');
  const std::size_t most =
      max_document_bytes / (planned_replica_bytes + pod.size() + longest.size());
  for (const auto& [first, second] :
       {std::pair(longest, std::string("c")), std::pair(std::string("c"), longest)}) {
    const std::string nodes_of = R"("nodes":[{"metadata":{"name":")" + first +
                                 R"("}},{"metadata":{"name":")" + second + R"("}}])";
    const auto of_nodes = [&](std::size_t replicas) {
      return result_or_error(
          "resourcePolicy.plan",
          R"({"pod":)" + pod + "," + nodes_of + R"(,"replicas":)" + std::to_string(replicas) + "}");
    };
    CHECK(of_nodes(most).starts_with(R"({"placements":[)"));
    CHECK(of_nodes(most + 1) == "LimitExceeded at replicas");
  }
  std::string units = "{}";
  for (std::size_t i = 1; i < max_units; ++i) units += ",{}";
  std::string many = "{}";
  for (int i = 1; i < 2'000; ++i) many += ",{}";
  const auto of_many = [&](int replicas) {
    return result_or_error("resourcePolicy.plan",
                           R"({"pod":{"metadata":{"namespace":"other"}},"policies":[{"metadata":)"
                           R"({"name":"r"},"spec":{"units":[)" +
                               units + R"(]}}],"nodes":[)" + many + R"(],"replicas":)" +
                               std::to_string(replicas) + "}");
  };
  CHECK(of_many(486).starts_with(R"({"placements":[)"));
  CHECK(of_many(487) == "LimitExceeded at replicas");
}

}  // namespace operations_resource_policy_test
