// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/core/pod_affinity.hpp>

#include "bindings.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace bound_pods_test {

using namespace bindings;

using schedpol::testing::operator""_path;

std::string names(const BoundPods& pods, const NodeSet& of) {
  std::string names;
  for (const std::size_t number : of)
    names += (names.empty() ? "" : " ") + std::string(pods.nodes().name(number));
  return names;
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
  CHECK(pods.node_of("shop", "q") == "small");
  CHECK(!pods.node_of("default", "q"));
  CHECK(!pods.node_of("shop", "p"));
  REQUIRE(pods.bind(pod("r"), "small").empty());
  CHECK(names(pods, fit(pods, pod("s")).insufficient_resources) == "small");  // of two pods
  pods.unbind("shop", "q");
  CHECK(names(pods, fit(pods, two).feasible) == "small large");
  pods.unbind("shop", "r");
  CHECK(pods.requested("small") == Resources());
  CHECK(pods.requested("nowhere") == Resources());
  REQUIRE(pods.bind(asking("t", "1", "1Gi"), "").empty());
  CHECK(pods.requested("") == Resources());
  CHECK(!pods.node_of("shop", "q"));
  CHECK(!pods.node_of("shop", "t"));
  const BoundPods none;
  CHECK(!none.node_of("shop", "q"));
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

}  // namespace bound_pods_test
