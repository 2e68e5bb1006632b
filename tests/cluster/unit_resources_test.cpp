// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>

#include "units.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace unit_resources_test {

using namespace units;

TEST_CASE("the requests of a unit's pods and of the next one must not exceed its maxResources") {
  const auto limited = [](std::initializer_list<std::pair<const char*, const char*>> max) {
    return with_resources(pool_a, list(max));
  };
  const auto cpu = [](const char* text) { return list({{"cpu", text}}); };
  const std::vector<Pod> pods = {
      requesting(list({{"cpu", "800m"}, {"example.com/gpu", "1"}}), pod("p-1", {}, "a-1")),
      requesting(list({{"cpu", "1"}, {"memory", "1Gi"}}), pod("p-2", {}, "a-2")),
      requesting(cpu("5"), pod("p-3", {}, "b-1"))};
  struct Case {
    std::string name;
    std::vector<Unit> units;
    PodSpec asking;
    std::string a;  ///< what is said of a-1
    Strings requested{};
    std::string b = "Success in 1";
  };
  const std::string exceeded = "Unschedulable UnitResourcesExceeded in 0";
  const std::string fits = "Success in 0";
  const auto asks = [](ResourceList requests) {
    return requesting(std::move(requests), Pod()).spec;
  };
  const Strings of_cpu = {"1800m cpu", ""};
  const Case cases[] = {
      {"no limit", {pool_a, pool_b}, asks(cpu("9")), fits},
      {"room for all of it", {limited({{"cpu", "2"}}), pool_b}, asks(cpu("200m")), fits, of_cpu},
      {"a thousandth too much",
       {limited({{"cpu", "2"}}), pool_b},
       asks(cpu("201m")),
       exceeded,
       of_cpu},
      {"what is used up takes pods that request nothing of it",
       {limited({{"cpu", "1800m"}}), pool_b},
       asks(list({{"memory", "1Ti"}})),
       fits,
       of_cpu},
      {"what is more than used up, too",
       {limited({{"cpu", "1"}}), pool_b},
       asks(cpu("0")),
       fits,
       of_cpu},
      {"a maximum of zero",
       {limited({{"nvidia.com/gpu", "0"}}), pool_b},
       asks(list({{"nvidia.com/gpu", "1"}})),
       exceeded,
       {"0 nvidia.com/gpu", ""}},
      {"limits are requests",
       {limited({{"cpu", "2"}}), pool_b},
       {.containers = {{.resources = {.limits = cpu("201m")}}}},
       exceeded,
       of_cpu},
      {"init containers count",
       {limited({{"cpu", "2"}}), pool_b},
       {.init_containers = {{.resources = {.requests = cpu("300m")}}}},
       exceeded,
       of_cpu},
      {"so do sidecars and overhead",
       {limited({{"cpu", "2"}}), pool_b},
       {.overhead = cpu("1m"),
        .init_containers = {{.resources = {.requests = cpu("100m")}, .restart_policy = "Always"}},
        .containers = {{.resources = {.requests = cpu("100m")}}}},
       exceeded,
       of_cpu},
      {"each resource for itself",
       {limited({{"cpu", "2"}, {"memory", "1Gi"}}), pool_b},
       asks(list({{"cpu", "200m"}, {"memory", "1"}})),
       exceeded,
       {"1800m cpu, 1Gi memory", ""}},
      {"a maximum between two thousandths is rounded down",
       {limited({{"cpu", "1999900u"}}), pool_b},
       asks(cpu("200m")),
       exceeded,
       of_cpu},
      {"a request is rounded up",
       {limited({{"cpu", "2"}}), pool_b},
       asks(cpu("199100u")),
       fits,
       of_cpu},
      {"a maximum between two whole units, too",
       {limited({{"example.com/gpu", "1.9"}}), pool_b},
       asks(list({{"example.com/gpu", "1"}})),
       exceeded,
       {"1 example.com/gpu", ""}},
      {"beyond int64",
       {limited({{"memory", "1e30"}}), pool_b},
       asks(list({{"memory", "1e25"}})),
       exceeded,
       {"1Gi memory", ""}},
      {"maxCount is asked first",
       {with_max(limited({{"cpu", "1"}}), 2), pool_b},
       asks(cpu("1")),
       "Unschedulable UnitFull in 0",
       {"1800m cpu", ""}},
      {"of all units of a node",
       {limited({{"cpu", "1"}}), pool_b, with_max({.name = "all"}, 3)},
       asks(cpu("1")),
       "Unschedulable UnitFull in 0",
       {"1800m cpu", "", ""},
       "Unschedulable UnitFull in 1"},
      {"any unit of a node",
       {pool_a, pool_b, with_resources({.name = "all"}, cpu("7"))},
       asks(cpu("1")),
       exceeded,
       {"", "", "6800m cpu"},
       "Unschedulable UnitResourcesExceeded in 1"},
      {"each unit its own",
       {limited({{"cpu", "2"}}), with_resources(pool_b, cpu("5")), {.name = "all"}},
       asks(cpu("1m")),
       fits,
       {"1800m cpu", "5 cpu", ""},
       "Unschedulable UnitResourcesExceeded in 1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Cluster cluster = cluster_of({policy("web", {.units = c.units})}, two_pools, pods);
    Pod asking = pod("new", {});
    asking.spec = c.asking;
    const Prefilter before = cluster.prefilter(asking);
    CHECK(said(before.filter("a-1")) == c.a);
    CHECK(said(before.filter("b-1")) == c.b);
    CHECK(said(before.requested()) == c.requested);
    const NodeSet exceeding = before.infeasible(Reason::unit_resources_exceeded);
    for (const std::string name : {"a-1", "a-2", "b-1", "c-1"}) {
      CAPTURE(name);
      const Filter filter = before.filter(name);
      const std::size_t number = *cluster.nodes().find(name);
      CHECK(before.feasible().contains(number) == (filter.code == Code::success));
      CHECK(exceeding.contains(number) == (filter.reason == Reason::unit_resources_exceeded));
      CHECK(before.message(name).empty() == (filter.code == Code::success));
    }
  }
  CHECK(Prefilter().requested().empty());
}

TEST_CASE("a pod that is resized counts with the most of what it asks for, was granted and has") {
  const auto cpu = [](const char* text) { return list({{"cpu", text}}); };
  Pod resized = requesting(cpu("500m"), pod("p", {}, "a-1"));
  resized.spec.containers[0].name = "c";
  resized.status.container_statuses = {{.name = "c", .allocated_resources = cpu("1500m")}};
  const ResourcePolicy of_two =
      policy("web", {.units = {with_resources(pool_a, cpu("2")), pool_b}});
  const Pod asking = requesting(cpu("1"), pod("new", {}));
  Cluster cluster = cluster_of({of_two}, two_pools, {resized});
  CHECK(said(cluster.prefilter(asking).requested()) == Strings{"1500m cpu", ""});
  CHECK(filtered(cluster, asking, "a-1") == "Unschedulable UnitResourcesExceeded in 0");
  cluster.bind(requesting(cpu("500m"), pod("p", {})), "a-1");
  CHECK(filtered(cluster, asking, "a-1") == "Success in 0");
}

TEST_CASE("what pods request is counted like they are") {
  const ResourcePolicy web =
      policy("web", {.match_label_keys = {"hash"},
                     .match_policy = {.ignore_terminating_pod = true},
                     .units = {with_resources(pool_a, list({{"cpu", "2"}})), pool_b}});
  const auto of_hash = [](std::string name, std::string hash, std::string on = "") {
    return requesting(list({{"cpu", "1"}}),
                      pod(std::move(name), {{"hash", std::move(hash)}}, std::move(on)));
  };
  Cluster cluster = cluster_of({web}, two_pools, {of_hash("p-1", "1", "a-1")});
  const auto requested = [&](const Pod& asking) {
    return said(cluster.prefilter(asking).requested()).front();
  };
  const Pod asking = of_hash("new", "1");
  CHECK(requested(asking) == "1 cpu");
  CHECK(requested(of_hash("new", "2")) == "0 cpu");
  CHECK(requested(of_hash("p-1", "1")) == "0 cpu");
  CHECK(requested(pod("new", {})) == "1 cpu");
  cluster.bind(of_hash("p-2", "1"), "a-2");
  CHECK(requested(asking) == "2 cpu");
  CHECK(filtered(cluster, asking, "a-1") == "Unschedulable UnitResourcesExceeded in 0");
  CHECK(filtered(cluster, of_hash("new", "2"), "a-1") == "Success in 0");
  Pod resized = of_hash("p-2", "1");
  resized.spec.containers[0].resources.requests = list({{"cpu", "500m"}});
  cluster.bind(resized, "a-2");
  CHECK(requested(asking) == "1500m cpu");
  cluster.bind(terminating(of_hash("p-2", "1")), "a-2");
  CHECK(requested(asking) == "1 cpu");
  cluster.bind(in_phase("Failed", of_hash("p-2", "1")), "a-2");
  CHECK(requested(asking) == "1 cpu");
  cluster.bind(of_hash("p-2", "1"), "b-1");
  CHECK(requested(asking) == "1 cpu");
  cluster.add_node(node("b-1", {{"pool", "a"}}));
  CHECK(requested(asking) == "2 cpu");
  cluster.remove_node("b-1");
  CHECK(requested(asking) == "1 cpu");
  NodeSet both;
  both.insert(*cluster.nodes().find("a-1"));
  both.insert(*cluster.nodes().find("c-1"));
  cluster.reserve(of_hash("p-3", "1"), both);
  CHECK(requested(asking) == "2 cpu");
  CHECK(requested(of_hash("p-3", "1")) == "1 cpu");
  const Cluster copy = cluster;
  cluster.unreserve("shop", "p-3");
  CHECK(requested(asking) == "1 cpu");
  CHECK(said(copy.prefilter(asking).requested()).front() == "2 cpu");
  NodeSet outside;
  outside.insert(*cluster.nodes().find("c-1"));
  cluster.reserve(of_hash("p-3", "1"), outside);
  CHECK(requested(asking) == "1 cpu");
  cluster.add_node(node("c-1", {{"pool", "a"}}));
  CHECK(requested(asking) == "2 cpu");
  cluster.unreserve("shop", "p-3");
  CHECK(requested(asking) == "1 cpu");
  cluster.unbind("shop", "p-1");
  CHECK(requested(asking) == "0 cpu");
}

TEST_CASE("amounts beyond int64 come and go without a trace") {
  const ResourcePolicy web =
      policy("web", {.units = {with_resources(pool_a, list({{"memory", "8Ei"}}))}});
  Cluster cluster = cluster_of({web}, two_pools);
  const Pod asking = requesting(list({{"memory", "1"}}), pod("new", {}));
  for (const std::string name : {"p-1", "p-2", "p-3"})
    cluster.bind(requesting(list({{"memory", "1e30"}}), pod(name, {})), "a-1");
  CHECK(filtered(cluster, asking, "a-1") == "Unschedulable UnitResourcesExceeded in 0");
  cluster.unbind("shop", "p-1");
  cluster.unbind("shop", "p-2");
  CHECK(filtered(cluster, asking, "a-1") == "Unschedulable UnitResourcesExceeded in 0");
  cluster.unbind("shop", "p-3");
  CHECK(filtered(cluster, asking, "a-1") == "Success in 0");
}

TEST_CASE("without others, as much less is requested as they do") {
  const ResourcePolicy web =
      policy("web", {.units = {with_resources(pool_a, list({{"cpu", "2"}}))}});
  const auto of_one = [](std::string name, std::string on = "") {
    return requesting(list({{"cpu", "1"}}), pod(std::move(name), {}, std::move(on)));
  };
  const Cluster cluster =
      cluster_of({web}, two_pools, {of_one("p-1", "a-1"), of_one("p-2", "a-2")});
  const Pod asking = of_one("new");
  const Prefilter before = cluster.prefilter(asking);
  CHECK(said(before.filter("a-1")) == "Unschedulable UnitResourcesExceeded in 0");
  const std::vector<PodName> gone = {{"shop", "p-1"}};
  CHECK(said(before.without(gone, asking).filter("a-1")) == "Success in 0");
  CHECK(said(before.without(gone, asking).requested()) == Strings{"1 cpu"});
  CHECK(said(before.without(gone, asking).without({}, asking).filter("a-1")) ==
        "Unschedulable UnitResourcesExceeded in 0");
  const Prefilter of_itself = cluster.prefilter(of_one("p-1"));
  CHECK(said(of_itself.without(gone, of_one("p-1")).requested()) == Strings{"1 cpu"});
  const std::vector<PodName> both = {{"shop", "p-1"}, {"shop", "p-2"}};
  CHECK(said(before.without(both, asking).requested()) == Strings{"0 cpu"});
}

TEST_CASE("a pod that ever so many policies select requests of each") {
  std::vector<ResourcePolicy> policies;
  for (int i = 0; i < 40; ++i) {
    policies.push_back(policy("web-" + std::to_string(i),
                              {.pod_selector = pair("of-" + std::to_string(i), "x"),
                               .units = {with_resources(pool_a, list({{"cpu", "2"}}))}}));
  }
  Labels every;
  for (int i = 0; i < 40; ++i) every["of-" + std::to_string(i)] = "x";
  Cluster cluster = cluster_of(policies, two_pools);
  const Pod last = requesting(list({{"cpu", "1"}}), pod("new", {{"of-39", "x"}}));
  cluster.bind(requesting(list({{"cpu", "1500m"}}), pod("many", every)), "a-1");
  CHECK(said(cluster.prefilter(last).requested()) == Strings{"1500m cpu"});
  CHECK(filtered(cluster, last, "a-2") == "Unschedulable UnitResourcesExceeded in 0");
  const std::vector<PodName> gone = {{"shop", "many"}};
  CHECK(said(cluster.prefilter(last).without(gone, last).requested()) == Strings{"0 cpu"});
  cluster.unbind("shop", "many");
  CHECK(said(cluster.prefilter(last).requested()) == Strings{"0 cpu"});
}

TEST_CASE("a unit without room is told in a sentence, the same for all its nodes") {
  struct Case {
    ResourceList max;
    ResourceList asked;
    std::string wanted;
  };
  const Case cases[] = {
      {list({{"cpu", "2"}}), list({{"cpu", "500m"}}), "cpu"},
      {list({{"memory", "1000M"}}), list({{"memory", "3"}}), "memory"},
      {list({{"example.com/gpu", "0"}}), list({{"example.com/gpu", "1024"}}), "example.com/gpu"},
      {list({{"memory", "1"}, {"cpu", "1"}}), list({{"memory", "1"}, {"cpu", "1"}}), "cpu"},
      {list({{"memory", "1"}, {"cpu", "1"}}), list({{"memory", "1"}}), "memory"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.wanted);
    const Cluster cluster =
        cluster_of({policy("web", {.units = {with_resources(pool_a, c.max)}})}, two_pools,
                   {requesting(list({{"cpu", "1800m"}, {"memory", "7Gi"}}), pod("p", {}, "a-1"))});
    const Prefilter before = cluster.prefilter(requesting(c.asked, pod("new", {})));
    CHECK(before.message("a-1") == "insufficient " + c.wanted + " in unit `a`");
    CHECK(before.message("a-2") == before.message("a-1"));
  }
}

TEST_CASE("the usage of a policy is what its units hold, of all values together") {
  const Unit limited = with_resources(with_max(pool_a, 2), list({{"cpu", "2"}}));
  ResourcePolicy web = policy("web", {.match_label_keys = {"version"},
                                      .pod_selector = pair("app", "web"),
                                      .units = {limited, {.node_selector = pair("pool", "b")}}});
  const auto of = [](const char* name, const char* version, const char* on) {
    const Labels labels = {{"app", "web"}, {"version", version}};
    return requesting(list({{"cpu", "500m"}}), pod(name, labels, on));
  };
  Cluster cluster = cluster_of({web, policy("other", {}, "else")}, two_pools,
                               {of("p", "1", "a-1"), of("q", "2", "a-1"), of("r", "2", "b-1"),
                                of("s", "2", ""), pod("db", {{"app", "db"}}, "a-1")});
  std::vector<UnitUsage> wanted = {{"a", 2, 2, list({{"cpu", "1"}}), list({{"cpu", "2"}})},
                                   {"", 1, std::nullopt, {}, {}}};
  CHECK(cluster.usage("shop", "web") == wanted);
  NodeSet on_a;
  on_a.insert(*cluster.nodes().find("a-2"));
  cluster.reserve(of("t", "3", ""), on_a);
  cluster.unbind("shop", "r");
  wanted[0].pods = 3;
  wanted[0].requests = list({{"cpu", "1500m"}});
  wanted[1].pods = 0;
  CHECK(cluster.usage("shop", "web") == wanted);
  CHECK(cluster.usage("else", "other").empty());  // it has no units
  CHECK(cluster.usage("else", "web").empty());
  CHECK(cluster.usage("shop", "none").empty());
  const Cluster taken = std::move(cluster);
  CHECK(cluster.usage("shop", "web").empty());  // NOLINT(bugprone-use-after-move)
}

}  // namespace unit_resources_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
