// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/core/pod_affinity.hpp>

#include "../support/path.hpp"
#include "../support/plain_spread.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bound_pods_test {

using namespace schedpol;
using schedpol::testing::PlainSpread;
using schedpol::testing::Random;
using schedpol::testing::Spread;
using schedpol::testing::times;
using schedpol::testing::tries;
using schedpol::testing::operator""_path;

ResourceList amounts(const char* cpu, const char* memory, const char* pods = "110") {
  return {{"cpu", *Quantity::parse(cpu)},
          {"memory", *Quantity::parse(memory)},
          {"pods", *Quantity::parse(pods)}};
}

Node node(std::string name, Labels labels, ResourceList allocatable = amounts("4", "8Gi")) {
  Node made;
  made.metadata = {.name = std::move(name), .labels = std::move(labels)};
  made.status.allocatable = std::move(allocatable);
  return made;
}

// Two zones of two hosts, and a host in none.
const std::vector<Node> nodes = {
    node("a1", {{"zone", "a"}, {"host", "a1"}}), node("a2", {{"zone", "a"}, {"host", "a2"}}),
    node("b1", {{"zone", "b"}, {"host", "b1"}}), node("b2", {{"zone", "b"}, {"host", "b2"}}),
    node("lone", {{"host", "lone"}})};

Pod pod(std::string name, Labels labels = {}, std::string namespace_ = "shop") {
  Pod made;
  made.metadata = {
      .name = std::move(name), .namespace_ = std::move(namespace_), .labels = std::move(labels)};
  return made;
}

Pod with(Pod made, Affinity affinity) {
  made.spec.affinity = std::move(affinity);
  return made;
}

PodAffinityTerm near(std::string key, std::string app) {
  return {.label_selector = LabelSelector{.match_labels = {{"app", std::move(app)}}},
          .topology_key = std::move(key)};
}

using Terms = std::vector<PodAffinityTerm>;
Affinity beside(Terms terms) {
  return {.pod_affinity =
              PodAffinity{.required_during_scheduling_ignored_during_execution = std::move(terms)}};
}
Affinity apart(Terms terms) {
  return {.pod_anti_affinity =
              PodAffinity{.required_during_scheduling_ignored_during_execution = std::move(terms)}};
}

using Binding = std::pair<Pod, std::string>;
BoundPods bound(const std::vector<Binding>& bindings,
                const std::vector<Namespace>& namespaces = {}) {
  BoundPods pods(nodes, namespaces);
  for (const auto& [one, on] : bindings) REQUIRE(pods.bind(one, on).empty());
  return pods;
}

std::string names(const BoundPods& pods, const NodeSet& of) {
  std::string names;
  for (const std::size_t number : of)
    names += (names.empty() ? "" : " ") + std::string(pods.nodes().name(number));
  return names;
}

PodFit fit(const BoundPods& pods, const Pod& pod) {
  const auto fit = pods.fit(pod);
  REQUIRE(fit);
  return *fit;
}

TEST_CASE("a pod goes where required affinity and anti-affinity let it") {
  const Pod web = pod("web", {{"app", "web"}});
  const Pod db = pod("db", {{"app", "db"}});
  const Namespace team = {.metadata = {.name = "team", .labels = {{"kind", "data"}}}};
  const auto anywhere = [](PodAffinityTerm term, LabelSelector selector) {
    term.namespace_selector = std::move(selector);
    return term;
  };
  const auto in = [](PodAffinityTerm term, Texts namespaces) {
    term.namespaces = std::move(namespaces);
    return term;
  };
  const auto same = [](PodAffinityTerm term, Texts keys) {
    term.match_label_keys = std::move(keys);
    return term;
  };
  const auto in_phase = [](Pod one, std::string phase) {
    one.status.phase = std::move(phase);
    return one;
  };
  struct Case {
    std::string name;
    Pod pod;
    std::vector<Binding> there;
    std::string feasible;
    std::string affinity{};
    std::string anti_affinity{};
    std::string existing{};
  };
  const std::string all = "a1 a2 b1 b2 lone";
  const Case cases[] = {
      {"no terms", web, {{db, "a1"}}, all},
      {"beside in a zone",
       with(web, beside({near("zone", "db")})),
       {{db, "a1"}},
       "a1 a2",
       "b1 b2 lone"},
      {"beside on a host",
       with(web, beside({near("host", "db")})),
       {{db, "lone"}},
       "lone",
       "a1 a2 b1 b2"},
      {"nobody to be beside", with(web, beside({near("zone", "db")})), {}, "", all},
      {"the first of a series",
       with(web, beside({near("zone", "web")})),
       {{db, "a1"}},
       "a1 a2 b1 b2",
       "lone"},
      {"the second of a series",
       with(web, beside({near("zone", "web")})),
       {{pod("w", {{"app", "web"}}), "b1"}},
       "b1 b2",
       "a1 a2 lone"},
      {"of a series whose pod is on a node without the key it is the first again",
       with(web, beside({near("zone", "web")})),
       {{pod("w", {{"app", "web"}}), "lone"}},
       "a1 a2 b1 b2",
       "lone"},
      {"all terms select one pod",
       with(web, beside({near("zone", "db"), near("host", "db")})),
       {{db, "a1"}},
       "a1",
       "a2 b1 b2 lone"},
      {"pods that one term each selects are none that all do",
       with(pod("both", {{"app", "both"}}), beside({near("zone", "db"), near("zone", "web")})),
       {{db, "a1"}, {pod("w", {{"app", "web"}}), "a1"}},
       "",
       all},
      {"a key that no node has", with(web, beside({near("rack", "web")})), {}, "", all},
      {"another namespace's",
       with(web, beside({near("zone", "db")})),
       {{pod("db", {{"app", "db"}}, "x"), "a1"}},
       "",
       all},
      {"a namespace that is listed",
       with(web, beside({in(near("zone", "db"), {"x"})})),
       {{pod("db", {{"app", "db"}}, "x"), "a1"}, {db, "b1"}},
       "a1 a2",
       "b1 b2 lone"},
      {"a namespace that is listed twice",
       with(web, beside({in(near("zone", "db"), {"x", "x"})})),
       {{pod("db", {{"app", "db"}}, "x"), "a1"}},
       "a1 a2",
       "b1 b2 lone"},
      {"namespaces by their labels",
       with(web, beside({anywhere(near("zone", "db"), {.match_labels = {{"kind", "data"}}})})),
       {{pod("db", {{"app", "db"}}, "team"), "a1"}, {db, "b1"}},
       "a1 a2",
       "b1 b2 lone"},
      {"all namespaces",
       with(web, beside({anywhere(near("zone", "db"), {})})),
       {{pod("db", {{"app", "db"}}, "new"), "a1"}},
       "a1 a2",
       "b1 b2 lone"},
      {"the pod's own value of a key",
       with(pod("web", {{"app", "web"}, {"hash", "2"}}),
            beside({same(near("zone", "web"), {"hash"})})),
       {{pod("w1", {{"app", "web"}, {"hash", "1"}}), "a1"},
        {pod("w2", {{"app", "web"}, {"hash", "2"}}), "b1"}},
       "b1 b2",
       "a1 a2 lone"},
      {"apart in zones",
       with(web, apart({near("zone", "db")})),
       {{db, "a1"}},
       "b1 b2 lone",
       "",
       "a1 a2"},
      {"apart from pods on a node without the key",
       with(web, apart({near("zone", "db")})),
       {{db, "lone"}},
       all},
      {"any term of anti-affinity keeps it",
       with(web, apart({near("zone", "db"), near("host", "web")})),
       {{db, "a1"}, {pod("w", {{"app", "web"}}), "b1"}},
       "b2 lone",
       "",
       "a1 a2 b1"},
      {"who is there wants to be apart",
       db,
       {{with(web, apart({near("zone", "db")})), "a2"}},
       "b1 b2 lone",
       "",
       "",
       "a1 a2"},
      {"who is there wants others apart",
       web,
       {{with(web, apart({near("zone", "db")})), "a2"}},
       all},
      {"who is there wants namespaces apart by their labels",
       pod("db", {{"app", "db"}}, "team"),
       {{with(web, apart({anywhere(near("zone", "db"), {.match_labels = {{"kind", "data"}}})})),
         "b1"}},
       "a1 a2 lone",
       "",
       "",
       "b1 b2"},
      {"the first reason counts",
       with(pod("w", {{"app", "web"}}),
            Affinity{.pod_affinity = beside({near("zone", "db")}).pod_affinity,
                     .pod_anti_affinity = apart({near("host", "db")}).pod_anti_affinity}),
       {{db, "a1"}, {with(web, apart({near("host", "web")})), "a2"}},
       "",
       "b1 b2 lone",
       "a1",
       "a2"},
      {"succeeded and failed pods are not there",
       with(web, apart({near("zone", "db")})),
       {{in_phase(db, "Succeeded"), "a1"}, {in_phase(pod("db2", {{"app", "db"}}), "Failed"), "b1"}},
       all},
      {"a node that is not there", with(web, apart({near("zone", "db")})), {{db, "gone"}}, all},
      {"bound to no node", with(web, apart({near("zone", "db")})), {{db, ""}}, all},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const BoundPods pods = bound(c.there, {team});
    const auto fit = pods.fit(c.pod);
    REQUIRE(fit);
    CHECK(names(pods, fit->feasible) == c.feasible);
    CHECK(names(pods, fit->pod_affinity) == c.affinity);
    CHECK(names(pods, fit->pod_anti_affinity) == c.anti_affinity);
    CHECK(names(pods, fit->existing_anti_affinity) == c.existing);
    CHECK(fit->insufficient_resources.empty());
    CHECK(fit->missing_topology_key.empty());
    CHECK(fit->too_much_skew.empty());
  }
}

Pod asking(std::string name, const char* cpu, const char* memory) {
  Pod made = pod(std::move(name));
  made.spec.containers = {{.resources = {.requests = {{"cpu", *Quantity::parse(cpu)},
                                                      {"memory", *Quantity::parse(memory)}}}}};
  return made;
}

TEST_CASE("a pod goes where what it requests is left") {
  BoundPods pods(std::vector<Node>{node("small", {}, amounts("2", "4Gi", "2")),
                                   node("large", {}, amounts("8", "16Gi"))});
  const Pod two = asking("p", "1500m", "1Gi");
  CHECK(names(pods, fit(pods, two).feasible) == "small large");
  REQUIRE(pods.bind(asking("q", "1", "1Gi"), "small").empty());
  CHECK(names(pods, fit(pods, two).feasible) == "large");
  CHECK(names(pods, fit(pods, two).insufficient_resources) == "small");
  CHECK(pods.requested("small").milli_cpu == 1000);
  CHECK(pods.requested("small").pods == 1);
  REQUIRE(pods.bind(pod("r"), "small").empty());
  CHECK(names(pods, fit(pods, pod("s")).insufficient_resources) == "small");  // of two pods
  pods.unbind("shop", "q");
  CHECK(names(pods, fit(pods, two).feasible) == "small large");
  pods.unbind("shop", "r");
  CHECK(pods.requested("small") == Resources());
  CHECK(pods.requested("nowhere") == Resources());
  REQUIRE(pods.bind(asking("t", "1", "1Gi"), "").empty());
  CHECK(pods.requested("") == Resources());
}

TEST_CASE("a pod that is resized takes what it was granted, until it has less") {
  BoundPods pods(std::vector<Node>{node("n", {}, amounts("4", "8Gi"))});
  Pod resized = asking("q", "1", "2Gi");
  resized.spec.containers[0].name = "c";
  resized.status.container_statuses = {
      {.name = "c", .allocated_resources = {{"cpu", *Quantity::parse("3")}}}};
  REQUIRE(pods.bind(resized, "n").empty());
  CHECK(pods.requested("n").milli_cpu == 3000);
  CHECK(names(pods, fit(pods, asking("p", "2", "1Gi")).insufficient_resources) == "n");
  CHECK(pods.least_allocated(pod("p"), pods.nodes().nodes()).front() == (25 + 75) / 2);
  REQUIRE(pods.bind(asking("q", "1", "2Gi"), "n").empty());
  CHECK(pods.requested("n").milli_cpu == 1000);
  CHECK(names(pods, fit(pods, asking("p", "2", "1Gi")).feasible) == "n");
}

TEST_CASE("a pod may take all that is left, and of what is overused it may take nothing") {
  struct Case {
    Pod bound;
    Pod asking;
    bool fits;
  };
  const Case cases[] = {
      {asking("q", "500m", "1Gi"), asking("p", "1500m", "3Gi"), true},
      {asking("q", "500m", "1Gi"), asking("p", "1501m", "3Gi"), false},
      {asking("q", "500m", "1Gi"), asking("p", "1500m", "3221225473"), false},
      {asking("q", "2", "4Gi"), asking("p", "1m", "0"), false},
      {asking("q", "2", "4Gi"), asking("p", "0", "1"), false},
      {asking("q", "2", "4Gi"), asking("p", "0", "0"), true},
      {asking("q", "3", "1Gi"), asking("p", "0", "1Gi"), true},
      {asking("q", "1", "9Gi"), asking("p", "1", "0"), true},
  };
  for (const Case& c : cases) {
    CAPTURE(&c - cases);
    BoundPods pods(std::vector<Node>{node("n", {}, amounts("2", "4Gi"))});
    REQUIRE(pods.bind(c.bound, "n").empty());
    CHECK(fit(pods, c.asking).feasible.empty() != c.fits);
  }
}

TEST_CASE("pods on nodes that take no more count where a constraint honours taints") {
  std::vector<Node> all = {node("a1", {{"zone", "a"}}), node("b1", {{"zone", "b"}}),
                           node("b2", {{"zone", "b"}})};
  all[0].spec.unschedulable = true;
  all[1].spec.unschedulable = true;
  BoundPods pods(all);
  for (const char* name : {"web-1", "web-2"})
    REQUIRE(pods.bind(pod(name, {{"app", "web"}}), "b1").empty());
  Pod one_more = pod("web-3", {{"app", "web"}});
  one_more.spec.topology_spread_constraints = {
      {.max_skew = 1,
       .topology_key = "zone",
       .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule,
       .label_selector = LabelSelector{.match_labels = {{"app", "web"}}},
       .node_taints_policy = NodeInclusionPolicy::honor}};
  CHECK(names(pods, fit(pods, one_more).too_much_skew) == "b1 b2");
  // A taint that the pod does not tolerate counts there as well.
  std::vector<Node> tainted = all;
  tainted[0].spec.taints = {{"spot", "", TaintEffect::no_schedule}};
  BoundPods on_tainted(tainted);
  REQUIRE(on_tainted.bind(pod("web-1", {{"app", "web"}}), "b1").empty());
  CHECK(names(on_tainted, fit(on_tainted, one_more).too_much_skew).empty());
  // Once it takes pods again nothing else changes.
  all[0].spec.unschedulable = false;
  pods.add_node(all[0]);
  CHECK(names(pods, fit(pods, one_more).feasible) == "a1");
  CHECK(names(pods, fit(pods, one_more).too_much_skew) == "b1 b2");
}

TEST_CASE("pods that differ in one label or request are not taken for replicas of one another") {
  Pod one = pod("one", {{"a", "b c"}});
  Pod other = pod("other", {{"a b", "c"}});
  for (Pod* const each : {&one, &other}) {
    each->spec.containers = {{}};
    each->spec.containers[0].resources.requests = {{"example.com/x", *Quantity::parse("1")},
                                                   {"example.com/y", *Quantity::parse("1")}};
  }
  Pod third = other;
  third.metadata.name = "third";
  third.spec.containers[0].resources.requests["example.com/y"] = *Quantity::parse("2");
  const BoundPods pods = bound({{one, "a1"}, {other, "a2"}, {third, "b1"}});
  LabelSelector has_a;
  has_a.match_expressions = {{"a", LabelSelectorOperator::exists, {}}};
  const Pod asking = with(pod("p"), apart({{.label_selector = has_a, .topology_key = "host"}}));
  CHECK(names(pods, fit(pods, asking).feasible) == "a2 b1 b2 lone");
  CHECK(pods.requested("a2") != pods.requested("b1"));

  // The first of each pair keeps a pod away by what the second has not, and is like it otherwise.
  // Those of the second pair read alike where the size of each text and the text stand side by
  // side.
  const Affinity from_db = apart({near("host", "db")});
  const std::pair<Pod, Pod> pairs[] = {
      {pod("p", {{"a", "x"}}), pod("q", {{"b", "x"}})},
      {pod("p", {{"1", "abcdefghi0"}}), pod("q", {{"10abcdefghi", ""}})},
      {with(pod("p", {{"x", ""}}), from_db), pod("q", {{"x", ""}})},
      {with(pod("p", {{"x", ""}}), from_db),
       with(pod("q", {{"x", ""}}), apart({near("host", "web")}))},
  };
  LabelSelector has_1;
  has_1.match_expressions = {{"1", LabelSelectorOperator::exists, {}}};
  const Pod db =
      with(pod("r", {{"app", "db"}}), apart({{.label_selector = has_a, .topology_key = "host"},
                                             {.label_selector = has_1, .topology_key = "host"}}));
  for (const auto& [first, second] : pairs) {
    CAPTURE(first.metadata.labels.begin()->first);
    const BoundPods one_way = bound({{first, "a1"}, {second, "a2"}});
    CHECK(names(one_way, fit(one_way, db).feasible) == "a2 b1 b2 lone");
    const BoundPods other_way = bound({{second, "a1"}, {first, "a2"}});
    CHECK(names(other_way, fit(other_way, db).feasible) == "a1 b1 b2 lone");
  }
  const auto asking_for = [](std::string resource) {
    Pod made = pod(resource);
    made.spec.containers = {{.resources = {.requests = {{resource, *Quantity::parse("1")}}}}};
    return made;
  };
  const BoundPods of_two = bound({{asking_for("a/x"), "a1"}, {asking_for("a/y"), "a2"}});
  CHECK(of_two.requested("a2").scalar == bound({{asking_for("a/y"), "b1"}}).requested("b1").scalar);
  Pod plain = pod("plain");
  plain.spec.containers = {{}};
  const ResourceList small = amounts("1", "2000Mi");
  BoundPods scored(std::vector<Node>{node("n", {}, small), node("m", {}, small)});
  REQUIRE(scored.bind(plain, "n").empty());
  REQUIRE(scored.bind(::bound_pods_test::asking("none", "0", "0"), "m").empty());
  CHECK(scored.most_allocated(pod("p"), scored.nodes().nodes()) ==
        std::vector<std::int64_t>{10, 0});
}

TEST_CASE("what a pod counted in scores goes with it") {
  BoundPods pods = bound({});
  REQUIRE(pods.bind(asking("q", "2", "4Gi"), "a1").empty());
  pods.unbind("shop", "q");
  CHECK(pods.least_allocated(pod("p"), pods.nodes().nodes()).front() == 100);
}

TEST_CASE("a node without its label is in no domain, and two nodes of a domain are one") {
  BoundPods pods = bound({});
  Pod spread = pod("p", {{"app", "web"}});
  spread.spec.topology_spread_constraints = {
      {.max_skew = 1,
       .topology_key = "host",
       .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule,
       .label_selector = LabelSelector{.match_labels = {{"app", "web"}}}}};
  pods.add_node(node("a1", {{"zone", "a"}}));
  CHECK(names(pods, fit(pods, spread).missing_topology_key) == "a1");
  spread.spec.topology_spread_constraints[0].topology_key = "zone";
  spread.spec.topology_spread_constraints[0].min_domains = 3;
  for (const char* on : {"a1", "b1"}) REQUIRE(pods.bind(pod(on, {{"app", "web"}}), on).empty());
  CHECK(names(pods, fit(pods, spread).too_much_skew) == "a1 a2 b1 b2");
}

TEST_CASE("of all namespaces that are given the labels are known") {
  Namespace team;
  team.metadata = {.name = "team", .labels = {{"kind", "team"}}};
  Namespace shop;
  shop.metadata = {.name = "shop"};
  const BoundPods pods = bound({{pod("db", {{"app", "db"}}, "team"), "a1"}}, {shop, team});
  PodAffinityTerm term = near("host", "db");
  term.namespace_selector = LabelSelector{.match_labels = {{"kind", "team"}}};
  CHECK(names(pods, fit(pods, with(pod("p"), beside({term}))).feasible) == "a1");
}

TEST_CASE("what is too much for an integer is not given back by the pod that was not it") {
  for (const std::string resource : {"cpu", "memory", "ephemeral-storage", "example.com/gpu"}) {
    CAPTURE(resource);
    const auto quantity = [&](const std::string& amount) {
      return *Quantity::parse(resource == "cpu" ? amount + 'm' : amount);
    };
    const auto of = [&](std::string name, const char* amount) {
      Pod made = pod(std::move(name));
      made.spec.containers = {{.resources = {.requests = {{resource, quantity(amount)}}}}};
      return made;
    };
    ResourceList plenty = amounts("8", "16Gi");
    plenty[resource] = quantity("100");
    BoundPods pods(std::vector<Node>{node("n", {}, plenty), node("m", {}, plenty)});
    const Pod vast = of("vast", "9223372036854775807");
    REQUIRE(pods.bind(vast, "n").empty());
    REQUIRE(pods.bind(of("large", "99"), "n").empty());
    REQUIRE(pods.bind(of("elsewhere", "50"), "m").empty());
    pods.unbind("shop", "vast");
    CHECK(names(pods, fit(pods, of("p", "1")).feasible) == "n m");
    CHECK(names(pods, fit(pods, of("p", "2")).feasible) == "m");
    REQUIRE(pods.bind(vast, "n").empty());
    pods.unbind("shop", "large");
    CHECK(names(pods, fit(pods, of("p", "1")).feasible) == "m");
    if (resource == "memory") CHECK(pods.least_allocated(vast, pods.nodes().nodes()).front() <= 50);
  }
  // What is scored may be too much where what is requested is not.
  BoundPods pods(std::vector<Node>{node("n", {}, amounts("1", "2000Mi"))});
  Pod plain = pod("plain");
  plain.spec.containers = {{}};
  REQUIRE(pods.bind(asking("vast", "0", "9223372036854775000"), "n").empty());
  REQUIRE(pods.bind(plain, "n").empty());
  pods.unbind("shop", "vast");
  CHECK(pods.most_allocated(pod("p"), pods.nodes().nodes()).front() == 10);
}

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

WeightedPodAffinityTerm weighted(std::int32_t weight, PodAffinityTerm term) {
  return {.weight = weight, .pod_affinity_term = std::move(term)};
}

using Weighted = std::vector<WeightedPodAffinityTerm>;

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

TEST_CASE("what is wrong with a pod's terms is said, and it is not bound") {
  LabelSelector bad;
  bad.match_expressions = {{"app", LabelSelectorOperator::in, {}}};
  const Pod wrong = with(pod("p"), apart({{.label_selector = bad, .topology_key = "zone"}}));
  BoundPods pods(nodes);
  const auto at =
      "spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.matchExpressions[0].values"_path;
  const auto errors = pods.bind(wrong, "a1");
  REQUIRE(errors.size() == 1);
  CHECK(errors[0].field == at);
  CHECK(pods.requested("a1").pods == 0);
  REQUIRE_FALSE(pods.fit(wrong));
  CHECK(pods.fit(wrong).errors()[0].field == at);
  CHECK_FALSE(pods.affinity_scores(wrong, pods.nodes().nodes()));

  // Each list has indices of its own.
  Affinity of_both = apart({near("zone", "web")});
  of_both.pod_anti_affinity->preferred_during_scheduling_ignored_during_execution = {
      {.weight = 1, .pod_affinity_term = {.label_selector = bad, .topology_key = "zone"}}};
  const auto preferred = pods.bind(with(pod("p"), of_both), "a1");
  REQUIRE(preferred.size() == 1);
  CHECK(
      preferred[0].field ==
      "spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector.matchExpressions[0].values"_path);

  Pod spread = pod("p");
  spread.spec.topology_spread_constraints = {
      {.max_skew = 1,
       .topology_key = "zone",
       .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule,
       .label_selector = bad}};
  REQUIRE_FALSE(pods.fit(spread));
  CHECK(pods.fit(spread).errors()[0].field ==
        "spec.topologySpreadConstraints[0].labelSelector.matchExpressions[0].values"_path);

  const auto nameless = pods.bind(pod(""), "a1");
  REQUIRE(nameless.size() == 1);
  CHECK(nameless[0].field == "metadata.name"_path);
  CHECK(pods.requested("a1").pods == 0);
}

TEST_CASE("a pod that was moved from, and pods that were, fit nowhere") {
  BoundPods pods(nodes);
  Pod gone = pod("p");
  const Pod taken = std::move(gone);
  CHECK(fit(pods, taken).feasible.size() == 5);
  CHECK(fit(pods, gone).feasible.empty());
  BoundPods others = std::move(pods);
  CHECK(fit(pods, taken).feasible.empty());
  CHECK(fit(others, taken).feasible.size() == 5);
  CHECK(fit(BoundPods(), taken).feasible.empty());
  BoundPods none;
  CHECK(none.nodes().size() == 0);
  none.unbind("shop", "p");
  none.remove_node("n");
  none.remove_namespace("n");
  CHECK(none.least_allocated(taken, {}).empty());
  CHECK((*none.affinity_scores(taken, {})).empty());
  REQUIRE(none.bind(taken, "n").empty());
  CHECK(none.requested("n").pods == 1);
}

// The laws: whatever came and went in whatever order, the answers are those that the plain
// functions and the rules give for what is there now.

struct Cluster {
  std::vector<Node> nodes{};
  std::map<std::pair<std::string, std::string>, Pod>
      pods{};  ///< on the nodes that their specs name
  std::map<std::string, Labels> namespaces{};

  const Node* find(const std::string& name) const {
    const auto found = std::find_if(nodes.begin(), nodes.end(),
                                    [&](const Node& one) { return one.metadata.name == name; });
    return found == nodes.end() ? nullptr : &*found;
  }
  Labels labels_of(const Pod& one) const {
    const auto found = namespaces.find(std::string(namespace_of(one.metadata)));
    return found == namespaces.end() ? Labels() : found->second;
  }
  /// Whether a term of `by` selects the pod.
  bool selects(const PodAffinityTerm& term, const Pod& by, const Pod& of) const {
    return (*compile(term, by)).matches(of, labels_of(of));
  }
};

enum class Kept { feasible, insufficient, missing, skew, affinity, anti_affinity, existing };

const Terms& required(const std::optional<PodAffinity>& affinity) {
  static const Terms none;
  return affinity ? affinity->required_during_scheduling_ignored_during_execution : none;
}

const Weighted& preferred(const std::optional<PodAffinity>& affinity) {
  static const Weighted none;
  return affinity ? affinity->preferred_during_scheduling_ignored_during_execution : none;
}

bool in_one_domain(const Node& a, const Node& b, const std::string& key) {
  const auto in_a = a.metadata.labels.find(key);
  const auto in_b = b.metadata.labels.find(key);
  return in_a != a.metadata.labels.end() && in_b != b.metadata.labels.end() &&
         in_a->second == in_b->second;
}

Kept kept(const Cluster& cluster, const Pod& incoming, const Node& at, const PlainSpread& spread) {
  Resources used;
  for (const auto& [name, there] : cluster.pods)
    if (there.spec.node_name == at.metadata.name) used += requests(there.spec);
  if (!fits(requests(incoming.spec), allocatable(at), used)) return Kept::insufficient;
  const Spread spread_there = spread.on(at);
  if (spread_there == Spread::missing_label) return Kept::missing;
  if (spread_there == Spread::too_much_skew) return Kept::skew;

  const Affinity own = incoming.spec.affinity.value_or(Affinity{});
  const Terms& wanted = required(own.pod_affinity);
  const auto is_wanted = [&](const Pod& one) {
    return std::all_of(wanted.begin(), wanted.end(),
                       [&](const auto& term) { return cluster.selects(term, incoming, one); });
  };
  bool any = false;
  for (const auto& [name, there] : cluster.pods) {
    const Node* on = cluster.find(there.spec.node_name);
    for (const PodAffinityTerm& term : wanted)
      any = any || (on != nullptr && is_wanted(there) &&
                    find_label(on->metadata.labels, term.topology_key) != nullptr);
  }
  for (const PodAffinityTerm& term : wanted) {
    if (find_label(at.metadata.labels, term.topology_key) == nullptr) return Kept::affinity;
    bool met = !any && is_wanted(incoming);
    for (const auto& [name, there] : cluster.pods) {
      const Node* on = cluster.find(there.spec.node_name);
      met = met || (on != nullptr && is_wanted(there) && in_one_domain(*on, at, term.topology_key));
    }
    if (!met) return Kept::affinity;
  }
  const auto conflicts = [&](const Pod& by, const Pod& of, const Node& on) {
    const Affinity affinity = by.spec.affinity.value_or(Affinity{});
    const Terms& terms = required(affinity.pod_anti_affinity);
    return std::any_of(terms.begin(), terms.end(), [&](const auto& term) {
      return cluster.selects(term, by, of) && in_one_domain(on, at, term.topology_key);
    });
  };
  Kept kept = Kept::feasible;
  for (const auto& [name, there] : cluster.pods) {
    const Node* on = cluster.find(there.spec.node_name);
    if (on == nullptr) continue;
    if (conflicts(incoming, there, *on)) return Kept::anti_affinity;
    if (conflicts(there, incoming, *on)) kept = Kept::existing;
  }
  return kept;
}

std::int64_t affinity_score(const Cluster& cluster, const Pod& incoming, const Node& at) {
  std::int64_t score = 0;
  const auto add = [&](const Pod& by, const Pod& of, const Node& on, const PodAffinityTerm& term,
                       std::int64_t weight) {
    if (cluster.selects(term, by, of) && in_one_domain(on, at, term.topology_key)) score += weight;
  };
  const auto add_all = [&](const Pod& by, const Pod& of, const Node& on) {
    const Affinity affinity = by.spec.affinity.value_or(Affinity{});
    for (const auto& term : preferred(affinity.pod_affinity))
      add(by, of, on, term.pod_affinity_term, term.weight);
    for (const auto& term : preferred(affinity.pod_anti_affinity))
      add(by, of, on, term.pod_affinity_term, -term.weight);
  };
  for (const auto& [name, there] : cluster.pods) {
    const Node* on = cluster.find(there.spec.node_name);
    if (on == nullptr) continue;
    add_all(incoming, there, *on);
    add_all(there, incoming, *on);
    const Affinity affinity = there.spec.affinity.value_or(Affinity{});
    for (const auto& term : required(affinity.pod_affinity)) add(there, incoming, *on, term, 1);
  }
  return score;
}

/// Of cpu and of memory what the pod counts with where allocation is scored.
std::array<std::int64_t, 2> scored(const Pod& one) {
  PodSpec spec = one.spec;
  for (auto* const containers : {&spec.init_containers, &spec.containers}) {
    for (Container& container : *containers) {
      const auto& [requests, limits] =
          std::tie(container.resources.requests, container.resources.limits);
      if (!limits.contains("cpu")) requests.try_emplace("cpu", *Quantity::parse("100m"));
      if (!limits.contains("memory")) requests.try_emplace("memory", *Quantity::parse("200Mi"));
    }
  }
  const Resources all = requests(spec);
  return {all.milli_cpu, all.memory};
}

/// The mean of the percentages that are left or used of what a node has once the pod is there.
std::int64_t allocated(const Cluster& cluster, const Pod& incoming, const Node& at, bool is_left) {
  const Resources of_node = allocatable(at);
  std::array<std::int64_t, 2> used = scored(incoming);
  for (const auto& [name, there] : cluster.pods) {
    if (there.spec.node_name != at.metadata.name) continue;
    const auto more = scored(there);
    for (std::size_t i = 0; i < used.size(); ++i) used[i] += more[i];
  }
  const std::array<std::int64_t, 2> all = {of_node.milli_cpu, of_node.memory};
  std::int64_t sum = 0;
  std::int64_t resources = 0;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (all[i] == 0) continue;
    ++resources;
    const std::int64_t part = std::min(used[i], all[i]);
    sum += 100 * (is_left ? all[i] - part : part) / all[i];
  }
  return resources == 0 ? 0 : sum / resources;
}

void check_allocation(const Cluster& cluster, const BoundPods& pods, const Pod& incoming) {
  const NodeSet all = pods.nodes().nodes();
  const auto least = pods.least_allocated(incoming, all);
  const auto most = pods.most_allocated(incoming, all);
  for (const Node& at : cluster.nodes) {
    CAPTURE(at.metadata.name);
    const std::size_t number = *pods.nodes().find(at.metadata.name);
    CHECK(least[number] == allocated(cluster, incoming, at, true));
    CHECK(most[number] == allocated(cluster, incoming, at, false));
  }
  for (const std::string name : {"n0", "n1", "n2", "n3", "n4", "n5", "n6", ""}) {
    CAPTURE(name);
    Resources sum;
    for (const auto& [key, there] : cluster.pods)
      if (there.spec.node_name == name) sum += requests(there.spec);
    CHECK(pods.requested(name) == sum);
  }
}

void check_answers(const Cluster& cluster, const BoundPods& pods, const Pod& incoming) {
  check_allocation(cluster, pods, incoming);
  std::vector<Pod> there;
  for (const auto& [name, one] : cluster.pods) there.push_back(one);
  const PlainSpread spread(incoming, cluster.nodes, there);
  const auto fit = pods.fit(incoming);
  REQUIRE(fit);
  const std::array<NodeSet, 7> sets = {fit->feasible,
                                       fit->insufficient_resources,
                                       fit->missing_topology_key,
                                       fit->too_much_skew,
                                       fit->pod_affinity,
                                       fit->pod_anti_affinity,
                                       fit->existing_anti_affinity};
  REQUIRE(pods.nodes().nodes().size() == cluster.nodes.size());
  const NodeSet all = pods.nodes().nodes();
  const std::vector<std::int64_t> scores = *pods.affinity_scores(incoming, all);
  std::vector<std::int64_t> raw;
  for (const Node& at : cluster.nodes) raw.push_back(affinity_score(cluster, incoming, at));
  for (std::size_t i = 0; i < cluster.nodes.size(); ++i) {
    const Node& at = cluster.nodes[i];
    CAPTURE(at.metadata.name);
    const std::size_t number = *pods.nodes().find(at.metadata.name);
    const Kept wanted = kept(cluster, incoming, at, spread);
    for (std::size_t set = 0; set < sets.size(); ++set)
      CHECK(sets[set].contains(number) == (set == static_cast<std::size_t>(wanted)));
    const auto [least, most] = std::minmax_element(raw.begin(), raw.end());
    const double part = static_cast<double>(raw[i] - *least);
    CHECK(scores[number] ==
          (*least == *most
               ? 0
               : static_cast<std::int64_t>(100 * (part / static_cast<double>(*most - *least)))));
  }
}

class Maker {
 public:
  explicit Maker(std::uint32_t seed) : random_(seed) {}

  Random& random() { return random_; }

  Labels labels() {
    Labels labels;
    for (const char* key : {"app", "tier"})
      if (random_.chance(80)) labels[key] = random_.pick(values_);
    return labels;
  }

  Node node() {
    const std::string name = "n" + std::to_string(random_.below(6));
    Labels labels = {{"host", name}};
    if (random_.chance(80)) labels["zone"] = random_.pick(values_);
    if (random_.chance(50)) labels["rack"] = random_.pick(values_);
    Node made = bound_pods_test::node(name, labels, amounts("4", "4Gi", "6"));
    if (random_.chance(10)) made.status.allocatable.erase("memory");
    if (random_.chance(20)) made.spec.taints = {{"spot", "", TaintEffect::no_schedule}};
    made.spec.unschedulable = random_.chance(10);
    return made;
  }

  /// Mostly one more of the pods that were made before.
  Pod pod() {
    if (made_.size() < 4 || random_.chance(10)) made_.push_back(another());
    Pod made = random_.pick(made_);
    made.metadata.name = "p" + std::to_string(random_.below(24));
    if (random_.chance(10)) made.metadata.deletion_timestamp = "2030-01-01T00:00:00Z";
    if (random_.chance(10)) made.status.phase = random_.chance(50) ? "Succeeded" : "Failed";
    if (random_.chance(20))
      made.spec.containers = asking("", random_.chance(50) ? "1" : "500m", "512Mi").spec.containers;
    return made;
  }

  Namespace named() {
    return {.metadata = {.name = random_.pick(namespaces_),
                         .labels = {{"team", random_.pick(values_)}}}};
  }

 private:
  Pod another() {
    Pod made = bound_pods_test::pod("", labels(), random_.pick(namespaces_));
    if (random_.chance(40)) made.spec.affinity = affinity();
    if (random_.chance(20))
      made.spec.tolerations = {{.key = "spot", .operator_ = TolerationOperator::exists}};
    if (random_.chance(20)) made.spec.node_selector = {{"zone", random_.pick(values_)}};
    for (std::size_t i = random_.below(3); i > 0; --i)
      made.spec.topology_spread_constraints.push_back(constraint());
    return made;
  }
  std::optional<LabelSelector> selector(std::string key = "app") {
    if (random_.chance(5)) return std::nullopt;
    if (random_.chance(10)) return LabelSelector{};
    LabelSelector made;
    if (random_.chance(60)) {
      made.match_labels = {{key, random_.pick(values_)}};
    } else {
      made.match_expressions = {
          {key, random_.chance(50) ? LabelSelectorOperator::in : LabelSelectorOperator::not_in,
           random_.chance(50) ? Texts{random_.pick(values_)} : Texts{"a", "b"}}};
    }
    return made;
  }
  PodAffinityTerm term() {
    PodAffinityTerm made{.label_selector = selector(), .topology_key = random_.pick(keys_)};
    if (random_.chance(20))
      made.namespaces = {random_.pick(namespaces_), random_.pick(namespaces_)};
    if (random_.chance(20)) made.namespace_selector = selector("team");
    if (made.label_selector && random_.chance(20)) made.match_label_keys = {"tier"};
    return made;
  }
  PodAffinity terms() {
    PodAffinity made;
    if (random_.chance(40))
      made.required_during_scheduling_ignored_during_execution.push_back(term());
    if (random_.chance(10))
      made.required_during_scheduling_ignored_during_execution.push_back(term());
    if (random_.chance(40))
      made.preferred_during_scheduling_ignored_during_execution.push_back(
          weighted(static_cast<std::int32_t>(1 + random_.below(100)), term()));
    return made;
  }
  Affinity affinity() {
    Affinity made;
    if (random_.chance(60)) made.pod_affinity = terms();
    if (random_.chance(60)) made.pod_anti_affinity = terms();
    return made;
  }
  TopologySpreadConstraint constraint() {
    TopologySpreadConstraint made{.max_skew = static_cast<std::int32_t>(1 + random_.below(2)),
                                  .topology_key = random_.pick(keys_),
                                  .when_unsatisfiable = WhenUnsatisfiable::do_not_schedule,
                                  .label_selector = selector()};
    if (random_.chance(20)) made.when_unsatisfiable = WhenUnsatisfiable::schedule_anyway;
    if (random_.chance(30)) made.min_domains = static_cast<std::int32_t>(random_.below(4));
    if (random_.chance(30)) made.node_affinity_policy = NodeInclusionPolicy::ignore;
    if (random_.chance(30)) made.node_taints_policy = NodeInclusionPolicy::honor;
    if (random_.chance(20)) made.match_label_keys = {"tier"};
    return made;
  }

  Random random_;
  std::vector<Pod> made_;
  std::vector<std::string> values_ = {"a", "b", "c"};
  std::vector<std::string> keys_ = {"host", "zone", "rack", "none"};
  std::vector<std::string> namespaces_ = {"", "default", "shop", "team"};
};

TEST_CASE("whatever came and went, the answers are those of the plain functions") {
  for (int round = 0; round < times(tries(60)); ++round) {
    CAPTURE(round);
    Maker maker(static_cast<std::uint32_t>(round));
    Cluster cluster;
    BoundPods pods;
    std::vector<std::pair<Cluster, BoundPods>> kept;
    const auto is_named = [](const std::string& name) {
      return [&name](const Node& one) { return one.metadata.name == name; };
    };
    for (int step = 0; step < 60; ++step) {
      const std::size_t what = maker.random().below(100);
      if (what < 20) {
        const Node one = maker.node();
        std::erase_if(cluster.nodes, is_named(one.metadata.name));
        cluster.nodes.push_back(one);
        pods.add_node(one);
      } else if (what < 25) {
        const std::string name = maker.node().metadata.name;
        std::erase_if(cluster.nodes, is_named(name));
        pods.remove_node(name);
      } else if (what < 30) {
        const Namespace one = maker.named();
        cluster.namespaces[std::string(namespace_of(one))] = one.metadata.labels;
        pods.add_namespace(one);
      } else if (what < 32) {
        const Namespace one = maker.named();
        cluster.namespaces.erase(std::string(namespace_of(one)));
        pods.remove_namespace(one.metadata.name);
      } else {
        Pod one = maker.pod();
        const std::pair key(std::string(namespace_of(one.metadata)), one.metadata.name);
        if (what < 80) {
          if (maker.random().chance(95)) one.spec.node_name = maker.node().metadata.name;
          const bool is_counted = one.status.phase.empty() && !one.spec.node_name.empty();
          cluster.pods.erase(key);
          if (is_counted) cluster.pods.emplace(key, one);
          REQUIRE(pods.bind(one, one.spec.node_name).empty());
        } else {
          cluster.pods.erase(key);
          pods.unbind(one.metadata.namespace_, one.metadata.name);
        }
      }
      check_answers(cluster, pods, maker.pod());
      if (step % 20 == 0) kept.emplace_back(cluster, pods);
    }
    // Copies go their own ways.
    for (const auto& [then, copy] : kept) check_answers(then, copy, maker.pod());
    BoundPods copy = pods;
    for (const auto& [name, one] : cluster.pods) pods.unbind(name.first, name.second);
    for (const Node& one : cluster.nodes) CHECK(pods.requested(one.metadata.name) == Resources());
    check_answers(cluster, copy, maker.pod());
    cluster.pods.clear();
    check_answers(cluster, pods, maker.pod());
  }
}

}  // namespace bound_pods_test
