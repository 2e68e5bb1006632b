// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/core/pod_affinity.hpp>

#include "bindings.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bound_pods_scores_test {

using namespace bindings;

TEST_CASE("allocation is scored by what is left or used of cpu and memory") {
  BoundPods pods(std::vector<Node>{
      node("even", {}, amounts("4", "8Gi")), node("full", {}, amounts("4", "8Gi")),
      node("no memory", {}, {{"cpu", *Quantity::parse("4")}}), node("nothing", {}, {})});
  REQUIRE(pods.bind(asking("q", "2", "6Gi"), "full").empty());
  struct Case {
    std::string name;
    Pod pod;
    std::vector<std::int64_t> least, most;
  };
  const Case cases[] = {
      {"requests",
       asking("p", "1", "2Gi"),
       {75, 12, 75, 0},
       {25, 87, 25, 0}},  // of full 25 and 0, 75 and 100
      {"no containers", pod("p"), {100, 37, 100, 0}, {0, 62, 0, 0}},
      {"more than there is", asking("p", "9", "9Gi"), {0, 0, 0, 0}, {100, 100, 100, 0}},
  };
  const NodeSet all = pods.nodes().nodes();
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(pods.least_allocated(c.pod, all) == c.least);
    CHECK(pods.most_allocated(c.pod, all) == c.most);
  }
  SUBCASE("a container without requests counts with 100m and 200Mi") {
    Pod plain = pod("p");
    plain.spec.containers = {{}, {.resources = {.limits = {{"cpu", *Quantity::parse("1900m")}}}}};
    CHECK(pods.least_allocated(plain, all).front() == (50 + 95) / 2);
    BoundPods with_it(std::vector<Node>{node("n", {}, amounts("4", "8Gi"))});
    REQUIRE(with_it.bind(plain, "n").empty());
    CHECK(with_it.requested("n").memory == 0);
    CHECK(with_it.least_allocated(pod("q"), with_it.nodes().nodes()).front() == (50 + 95) / 2);
  }
  SUBCASE("init containers, the pod's own resources and those of its runtime count as well") {
    const ResourceList half = {{"cpu", *Quantity::parse("2")}, {"memory", *Quantity::parse("4Gi")}};
    Pod starting = pod("p");
    starting.spec.init_containers = {{.resources = {.requests = half}}};
    Pod whole = pod("p");
    whole.spec.resources = ResourceRequirements{.requests = half};
    Pod limited = pod("p");
    limited.spec.resources = ResourceRequirements{.limits = half};
    limited.spec.containers = {{}};
    Pod in_sandbox = pod("p");
    in_sandbox.spec.overhead = half;
    for (const Pod& each : {starting, whole, limited, in_sandbox})
      CHECK(pods.least_allocated(each, all).front() == 50);
    Pod plain = pod("p");
    plain.spec.init_containers = {{}};
    const BoundPods small(std::vector<Node>{node("n", {}, amounts("1", "2000Mi"))});
    CHECK(small.most_allocated(plain, small.nodes().nodes()).front() == 10);
  }
  SUBCASE("a part is rounded down, however large the numbers") {
    struct Part {
      const char* memory;
      const char* of;
      std::int64_t percent;
    };
    const Part parts[] = {
        {"0", "100", 0},
        {"1", "100", 1},
        {"99", "100", 99},
        {"100", "100", 100},
        {"1", "1", 100},
        {"1", "101", 0},
        {"1", "9223372036854775807", 0},
        // Of the quotients of two doubles these are one too much, or one too little.
        {"56350677518713146", "90888189546311528", 61},
        {"53618349807567188", "90878558995876589", 59},
        {"62948204910411267", "67686241839151900", 93},
    };
    for (const Part& part : parts) {
      CAPTURE(part.memory);
      const BoundPods one(
          std::vector<Node>{node("n", {}, {{"memory", *Quantity::parse(part.of)}})});
      CHECK(one.most_allocated(asking("p", "1", part.memory), one.nodes().nodes()).front() ==
            part.percent);
    }
  }
  SUBCASE("only the nodes that are asked about") {
    NodeSet one;
    one.insert(0);
    one.insert(99);
    CHECK(pods.least_allocated(pod("p"), one) == std::vector<std::int64_t>{100, 0, 0, 0});
  }
}

TEST_CASE(
    "preferred terms of both sides, and required ones of those there, make the affinity score") {
  const Pod db = pod("db", {{"app", "db"}});
  const auto preferring = [](Pod one, Weighted near_to, Weighted far_from = {}) {
    one.spec.affinity = Affinity{
        .pod_affinity =
            PodAffinity{.preferred_during_scheduling_ignored_during_execution = std::move(near_to)},
        .pod_anti_affinity = PodAffinity{.preferred_during_scheduling_ignored_during_execution =
                                             std::move(far_from)}};
    return one;
  };
  const auto twice = [](PodAffinityTerm term) {
    term.namespaces = {"shop", "shop"};
    return term;
  };
  const Pod web = pod("web", {{"app", "web"}});
  struct Case {
    std::string name;
    Pod pod;
    std::vector<Binding> there;
    std::vector<std::int64_t> scores;
  };
  const Case cases[] = {
      {"nothing is preferred", web, {{db, "a1"}}, {0, 0, 0, 0, 0}},
      {"a zone",
       preferring(web, {weighted(10, near("zone", "db"))}),
       {{db, "a1"}},
       {100, 100, 0, 0, 0}},
      {"each pod counts",
       preferring(web, {weighted(10, near("zone", "db"))}),
       {{db, "a1"}, {pod("db2", {{"app", "db"}}), "a2"}, {pod("db3", {{"app", "db"}}), "b1"}},
       {100, 100, 50, 50, 0}},
      {"anti-affinity",
       preferring(web, {}, {weighted(10, near("zone", "db"))}),
       {{db, "a1"}},
       {0, 0, 100, 100, 100}},
      {"weights",
       preferring(web, {weighted(100, near("zone", "db")), weighted(29, near("host", "web"))}),
       {{db, "a1"}, {pod("w", {{"app", "web"}}), "lone"}},
       {100, 100, 0, 0, 28}},
      {"weights that the API server refuses",
       preferring(web,
                  {weighted(0, near("zone", "db")), weighted(101, near("zone", "db")),
                   weighted(-5, near("zone", "db"))},
                  {weighted(-5, near("zone", "db"))}),
       {{db, "a1"}},
       {0, 0, 0, 0, 0}},
      {"who is there prefers",
       db,
       {{preferring(web, {weighted(3, near("zone", "db"))}), "b1"}},
       {0, 0, 100, 100, 0}},
      {"who is there prefers to be apart",
       db,
       {{preferring(web, {}, {weighted(3, near("zone", "db"))}), "b1"}},
       {100, 100, 0, 0, 100}},
      {"who is there requires it",
       db,
       {{with(web, beside({near("host", "db")})), "a2"}},
       {0, 100, 0, 0, 0}},
      {"requiring is worth one",
       db,
       {{with(web, beside({near("host", "db")})), "a2"},
        {preferring(pod("w2", {{"app", "web"}}), {weighted(4, near("host", "db"))}), "b1"}},
       {0, 25, 100, 0, 0}},
      {"who is there requires to be apart: no score",
       db,
       {{with(web, apart({near("host", "db")})), "a2"}},
       {0, 0, 0, 0, 0}},
      {"replicas on one node each count",
       preferring(web, {weighted(10, near("zone", "db"))}),
       {{db, "a1"}, {pod("db2", {{"app", "db"}}), "a1"}, {pod("db3", {{"app", "db"}}), "b1"}},
       {100, 100, 50, 50, 0}},
      {"a namespace that is listed twice is one",
       preferring(web, {weighted(10, twice(near("zone", "db"))), weighted(20, near("host", "db"))}),
       {{db, "a1"}},
       {100, 33, 0, 0, 0}},
      {"a key that no node has",
       preferring(web, {weighted(10, near("rack", "db"))}),
       {{db, "a1"}},
       {0, 0, 0, 0, 0}},
      {"a node that is not there",
       preferring(web, {weighted(10, near("zone", "db"))}),
       {{db, "gone"}},
       {0, 0, 0, 0, 0}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const BoundPods pods = bound(c.there);
    CHECK(*pods.affinity_scores(c.pod, pods.nodes().nodes()) == c.scores);
  }
}

}  // namespace bound_pods_scores_test
