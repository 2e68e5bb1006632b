// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>

#include "units.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace cluster_test {

using namespace units;

static_assert(std::is_aggregate_v<Filter>);
static_assert(std::equality_comparable<Filter>);
static_assert(Filter().code != Code::success, "fails closed");
static_assert(std::is_copy_constructible_v<Cluster>);
static_assert(std::is_copy_assignable_v<Cluster>);
static_assert(std::is_nothrow_move_constructible_v<Cluster>);
static_assert(std::is_nothrow_move_assignable_v<Cluster>);
static_assert(!std::is_default_constructible_v<Cluster>);
static_assert(noexcept(std::declval<const Prefilter&>().filter(std::string_view())));
static_assert(noexcept(std::declval<const Prefilter&>().score(std::declval<const Filter&>())));

TEST_CASE("codes are spelled as the scheduler framework does, and reasons likewise") {
  CHECK(to_string(Code::success) == "Success");
  CHECK(to_string(Code::skip) == "Skip");
  CHECK(to_string(Code::unschedulable) == "Unschedulable");
  CHECK(to_string(Code::unschedulable_and_unresolvable) == "UnschedulableAndUnresolvable");
  CHECK(to_string(Reason::none).empty());
  CHECK(to_string(Reason::multiple_resource_policies) == "MultipleResourcePolicies");
  CHECK(to_string(Reason::unit_full) == "UnitFull");
  CHECK(to_string(Reason::unit_resources_exceeded) == "UnitResourcesExceeded");
  CHECK(to_string(Reason::node_not_in_unit) == "NodeNotInUnit");
}

constexpr std::int32_t int32_max = std::numeric_limits<std::int32_t>::max();

TEST_CASE("default-constructed answers deny") {
  CHECK(said(Prefilter()) == denied);
  CHECK(said(Filter()) == denied);
  CHECK(said(Prefilter().filter("a-1")) == denied);
  CHECK(said(Prefilter().without({}, pod("p", {}))) == denied);
  CHECK(Prefilter().score({Code::success, Reason::none, 0}) == -20);
}

TEST_CASE("a pod that ever so many policies select counts for each, for as long as it is there") {
  std::vector<ResourcePolicy> policies;
  Labels all;
  for (int i = 0; i < 40; ++i) {
    const std::string key = "key-" + std::to_string(i);
    all[key] = "a";
    policies.push_back(policy(
        "of-" + key, {.pod_selector = pair(key, "a"), .units = {with_max(pool_a, 2), pool_b}}));
  }
  policies[1].spec.match_label_keys = {"version"};
  policies[2].spec.match_policy.ignore_terminating_pod = true;
  Labels versioned = all;
  versioned["version"] = "1";
  Cluster cluster(*compile(policies), two_pools, {});
  const auto counts_of = [&](int key, Labels more = {}) {
    more["key-" + std::to_string(key)] = "a";
    const Prefilter prefilter = cluster.prefilter(pod("asking", more));
    CHECK(prefilter.code() == Code::success);
    return prefilter.counts();
  };
  using Counts = std::vector<std::int64_t>;
  const Pod many = pod("many", versioned);
  cluster.bind(many, "a-1");
  cluster.bind(terminating(pod("going", all)), "b-1");
  CHECK(counts_of(0) == Counts{1, 1});
  CHECK(counts_of(1, {{"version", "1"}}) == Counts{1, 0});
  CHECK(counts_of(1, {{"version", "2"}}) == Counts{0, 0});
  CHECK(counts_of(2) == Counts{1, 0});
  CHECK(counts_of(39) == Counts{1, 1});
  cluster.add_node(node("a-1", {{"pool", "b"}}));
  CHECK(counts_of(0) == Counts{0, 2});
  const PodName gone[] = {{many.metadata.namespace_, many.metadata.name}};
  const Pod asking = pod("asking", {{"key-0", "a"}});
  CHECK(cluster.prefilter(asking).without(gone, asking).counts() == Counts{0, 1});
  // Others are not gone for good.
  CHECK(cluster.prefilter(asking).without(gone, asking).without({}, asking).counts() ==
        Counts{0, 2});
  const Pod version = pod("asking", {{"key-1", "a"}, {"version", "2"}});
  CHECK(cluster.prefilter(version).without(gone, version).counts() == Counts{0, 0});
  cluster.unbind(many.metadata.namespace_, many.metadata.name);
  CHECK(counts_of(0) == Counts{0, 1});
  CHECK(counts_of(1, {{"version", "1"}}) == Counts{0, 0});
  CHECK(cluster.deletion_cost("n", "going") == std::nullopt);
}

TEST_CASE("one policy of the pod's namespace has to select it") {
  const ResourcePolicy web =
      policy("web", {.pod_selector = pair("app", "web"), .units = {pool_a, pool_b}});
  const ResourcePolicy db = policy("db", {.pod_selector = pair("app", "db"), .units = {pool_a}});
  const ResourcePolicy all = policy("all", {.units = {pool_b}});
  const ResourcePolicy elsewhere = policy("web", {.units = {pool_a}}, "elsewhere");
  const std::string several = "UnschedulableAndUnresolvable MultipleResourcePolicies";
  struct Case {
    std::string name;
    std::vector<ResourcePolicy> policies;
    Pod pod;
    std::string wanted;
  };
  const Case cases[] = {
      {"no policies", {}, pod("p", {{"app", "web"}}), "Skip"},
      {"a policy that does not select it", {db}, pod("p", {{"app", "web"}}), "Skip"},
      {"a policy of another namespace", {elsewhere}, pod("p", {{"app", "web"}}), "Skip"},
      {"a pod of another namespace", {all}, in_namespace("x", pod("p", {})), "Skip"},
      {"a pod without namespace", {all}, in_namespace("", pod("p", {})), "Skip"},
      {"one policy", {web}, pod("p", {{"app", "web"}}), "Success web [0, 0]"},
      {"one policy for all", {all}, pod("p", {}), "Success all [0]"},
      {"one of two", {db, web}, pod("p", {{"app", "web"}}), "Success web [0, 0]"},
      {"one of two, the first", {db, web}, pod("p", {{"app", "db"}}), "Success db [0]"},
      {"one besides another namespace's",
       {elsewhere, web, elsewhere},
       pod("p", {{"app", "web"}}),
       "Success web [0, 0]"},
      {"two", {web, all}, pod("p", {{"app", "web"}}), several},
      {"two, the other order", {all, web}, pod("p", {{"app", "web"}}), several},
      {"two, a third does not", {all, db, web}, pod("p", {{"app", "web"}}), several},
      {"three", {all, web, all}, pod("p", {{"app", "web"}}), several},
      {"a policy without units", {policy("none", {})}, pod("p", {}), "Success none"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Cluster cluster = cluster_of(c.policies, two_pools);
    const Prefilter before = cluster.prefilter(c.pod);
    CHECK(said(before) == c.wanted);
  }
}

TEST_CASE("of many policies that ask for labels those are found that select the pod") {
  Policies policies;
  const auto asking = [&](Labels labels) {
    const std::string name = "p" + std::to_string(policies.size());
    policies.push_back(policy(name, {.pod_selector = LabelSelector{.match_labels = labels}}));
  };
  for (const std::string team : {"a", "b"}) {
    for (const std::string app : {"web", "db", "api"}) asking({{"team", team}, {"app", app}});
  }
  asking({{"tier", "front"}});
  asking({});
  policies.back().spec.pod_selector->match_expressions = {
      {.key = "debug", .operator_ = Op::exists}};
  const Cluster cluster = cluster_of(policies, two_pools);
  const std::string several = denied + " MultipleResourcePolicies";
  struct Case {
    Labels labels;
    std::string wanted;
  };
  const Case cases[] = {
      {{}, "Skip"},
      {{{"app", "web"}}, "Skip"},
      {{{"team", "a"}}, "Skip"},
      {{{"team", "a"}, {"app", "cache"}}, "Skip"},
      {{{"team", "a"}, {"app", "web"}}, "Success p0"},
      {{{"team", "b"}, {"app", "api"}, {"x", "y"}}, "Success p5"},
      {{{"team", "c"}, {"app", "web"}, {"tier", "front"}}, "Success p6"},
      {{{"debug", ""}}, "Success p7"},
      {{{"debug", ""}, {"tier", "front"}}, several},
      {{{"team", "b"}, {"app", "db"}, {"tier", "front"}}, several},
  };
  for (const Case& c : cases) {
    CAPTURE(c.labels);
    CHECK(said(cluster.prefilter(pod("p", c.labels))) == c.wanted);
  }
}

TEST_CASE("a pod that no policy selects runs anywhere, one that several do nowhere") {
  const ResourcePolicy none = policy("a", {.pod_selector = pair("app", "web"), .units = {pool_a}});
  const ResourcePolicy all = policy("b", {.strategy = Strategy::prefer, .units = {pool_a}});
  const Pod other = pod("p", {{"app", "db"}});
  const Pod web = pod("p", {{"app", "web"}});
  for (const std::string name : {"a-1", "b-1", "unknown", ""}) {
    CAPTURE(name);
    CHECK(filtered(cluster_of({none}, two_pools), other, name) == "Success");
    CHECK(filtered(cluster_of({none, all}, two_pools), web, name) ==
          "UnschedulableAndUnresolvable MultipleResourcePolicies");
    CHECK(filtered(cluster_of({none, all}, two_pools), pod("", {{"app", "web"}}), name) ==
          "UnschedulableAndUnresolvable MultipleResourcePolicies");
  }
}

TEST_CASE("a node of a full unit is refused, one of no unit unless they are merely preferred") {
  const std::vector<Pod> pods = {pod("p1", {}, "a-1"), pod("p2", {}, "a-2"), pod("p3", {}, "b-1")};
  struct Case {
    std::string name;
    std::vector<Unit> units;
    std::string_view node;
    std::string required;
    std::string prefer{};  ///< where it differs
  };
  const std::string not_in_unit = "UnschedulableAndUnresolvable NodeNotInUnit";
  const Unit all = {.name = "all"};
  const Case cases[] = {
      {"in a unit without maximum", {pool_a}, "a-1", "Success in 0"},
      {"below the maximum", {with_max(pool_a, 3)}, "a-1", "Success in 0"},
      {"at the maximum", {with_max(pool_a, 2)}, "a-1", "Unschedulable UnitFull in 0"},
      {"above the maximum", {with_max(pool_a, 1)}, "a-2", "Unschedulable UnitFull in 0"},
      {"a maximum of zero", {with_max(pool_b, 0)}, "b-1", "Unschedulable UnitFull in 0"},
      {"a maximum of zero, no pods",
       {with_max({.node_selector = pair("pool", "c")}, 0)},
       "c-1",
       "Unschedulable UnitFull in 0"},
      {"the largest maximum", {with_max(pool_a, int32_max)}, "a-1", "Success in 0"},
      {"another unit is full", {with_max(pool_a, 2), pool_b}, "b-1", "Success in 1"},
      {"outside", {pool_a, pool_b}, "c-1", not_in_unit, "Success"},
      {"outside, the units full", {with_max(pool_a, 1)}, "c-1", not_in_unit, "Success"},
      {"an unknown node", {pool_a, all}, "gone", not_in_unit, "Success"},
      {"no units", {}, "a-1", not_in_unit, "Success"},
      {"in a unit of all nodes", {pool_a, all}, "c-1", "Success in 1"},

      {"two units, neither full", {with_max(pool_a, 3), with_max(all, 4)}, "a-1", "Success in 0"},
      {"two units, the first full",
       {with_max(pool_a, 2), with_max(all, 4)},
       "a-1",
       "Unschedulable UnitFull in 0"},
      {"two units, the second full",
       {with_max(pool_a, 3), with_max(all, 3)},
       "a-1",
       "Unschedulable UnitFull in 0"},
      {"two units, the better full",
       {pool_a, with_max(with_priority(all, 5), 3)},
       "a-1",
       "Unschedulable UnitFull in 1"},
      {"two units, the better not full",
       {with_max(pool_a, 2), with_priority(all, 5)},
       "a-1",
       "Unschedulable UnitFull in 1"},
      {"two units, both full",
       {with_max(pool_a, 2), with_max(all, 3)},
       "a-2",
       "Unschedulable UnitFull in 0"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const std::string prefer = c.prefer.empty() ? c.required : c.prefer;
    for (const Strategy strategy : {Strategy::unset, Strategy::required, Strategy::prefer}) {
      const Cluster cluster =
          cluster_of({policy("web", {.strategy = strategy, .units = c.units})}, two_pools, pods);
      CHECK(filtered(cluster, pod("new", {}), c.node) ==
            (strategy == Strategy::prefer ? prefer : c.required));
    }
  }
}

TEST_CASE("a node scores 20 times the priority of its best unit, -20 outside") {
  const Unit all = {.name = "all"};
  struct Case {
    std::string name;
    std::vector<Unit> units;
    std::size_t unit;
    std::int64_t score;  ///< of a-1
  };
  const Case cases[] = {
      {"no priority is 0", {pool_a}, 0, 0},
      {"priority 0", {with_priority(pool_a, 0)}, 0, 0},
      {"priority 1", {with_priority(pool_a, 1)}, 0, 20},
      {"priority 5", {with_priority(pool_a, 5)}, 0, 100},
      {"the largest", {with_priority(pool_a, int32_max)}, 0, 20LL * int32_max},
      {"another unit has a higher one",
       {with_priority(pool_b, 9), with_priority(pool_a, 1)},
       1,
       20},
      {"the highest, first", {with_priority(pool_a, 5), with_priority(all, 4)}, 0, 100},
      {"the highest, last", {with_priority(pool_a, 4), with_priority(all, 5)}, 1, 100},
      {"of equals the first", {pool_b, with_priority(pool_a, 5), with_priority(all, 5)}, 1, 100},
      {"none is 0", {all, with_priority(pool_a, 1)}, 1, 20},
      {"of none and 0 the first", {all, with_priority(pool_a, 0)}, 0, 0},
      {"three", {all, with_priority(pool_a, 2), with_priority(pool_a, 1)}, 1, 40},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Cluster cluster =
        cluster_of({policy("web", {.strategy = Strategy::prefer, .units = c.units})}, two_pools);
    const Prefilter before = cluster.prefilter(pod("p", {}));
    const Filter inside = before.filter("a-1");
    REQUIRE(inside.unit.has_value());
    CHECK(*inside.unit == c.unit);
    CHECK(before.score(inside) == c.score);
    const Filter outside = before.filter("gone");
    CHECK(said(outside) == "Success");
    CHECK(before.score(outside) == -20);
  }
}

TEST_CASE("the deletion cost of a bound pod is 20 times the highest priority of its units") {
  const Pod bound = pod("p", {{"app", "web"}}, "a-1");
  const Unit all = {.name = "all"};
  const auto web = [](std::vector<Unit> units) {
    return policy("web", {.pod_selector = pair("app", "web"), .units = std::move(units)});
  };
  struct Case {
    std::string name;
    std::vector<ResourcePolicy> policies;
    std::vector<Pod> pods;
    std::string cost;
  };
  const std::vector<Unit> priority_5 = {with_priority(pool_a, 5), pool_b};
  const ResourcePolicy everything = policy("all", {.units = {all}});
  ResourcePolicy ignoring = web(priority_5);
  ignoring.spec.match_policy.ignore_terminating_pod = true;
  ResourcePolicy preferring = web({pool_b});
  preferring.spec.strategy = Strategy::prefer;
  const Case cases[] = {
      {"in a unit", {web(priority_5)}, {bound}, "100"},
      {"in a unit without priority", {web({pool_a})}, {bound}, "0"},
      {"the highest of its units", {web({all, with_priority(pool_a, 3)})}, {bound}, "60"},
      {"another unit has a higher one", {web({with_priority(pool_b, 9), all})}, {bound}, "0"},
      {"outside all units", {web({pool_b})}, {bound}, "-20"},
      {"outside all units, prefer", {preferring}, {bound}, "-20"},
      {"no units", {web({})}, {bound}, "-20"},
      {"the last priority within int32",
       {web({with_priority(pool_a, 107'374'182)})},
       {bound},
       "2147483640"},
      {"the first beyond", {web({with_priority(pool_a, 107'374'183)})}, {bound}, "2147483647"},
      {"the largest priority", {web({with_priority(pool_a, int32_max)})}, {bound}, "2147483647"},
      {"a full unit", {web({with_max(with_priority(pool_a, 5), 0)})}, {bound}, "100"},
      {"terminating", {web(priority_5)}, {terminating(bound)}, "100"},
      {"terminating, not counted", {ignoring}, {terminating(bound)}, "100"},
      {"Succeeded", {web(priority_5)}, {in_phase("Succeeded", bound)}, "none"},
      {"Failed", {web(priority_5)}, {in_phase("Failed", bound)}, "none"},
      {"not bound", {web(priority_5)}, {pod("p", {{"app", "web"}})}, "none"},
      {"on an unknown node", {web(priority_5)}, {pod("p", {{"app", "web"}}, "gone")}, "none"},
      {"another name", {web(priority_5)}, {pod("q", {{"app", "web"}}, "a-1")}, "none"},
      {"another namespace", {web(priority_5)}, {in_namespace("x", bound)}, "none"},
      {"no policies", {}, {bound}, "none"},
      {"no policy selects it", {web(priority_5)}, {pod("p", {}, "a-1")}, "none"},
      {"two policies select it", {web(priority_5), everything}, {bound}, "none"},
      {"two policies, the other order", {everything, web(priority_5)}, {bound}, "none"},
      {"two policies, one selects it", {everything, web(priority_5)}, {pod("p", {}, "b-1")}, "0"},
      {"another namespace's policy",
       {web(priority_5), policy("all", {.units = {all}}, "x")},
       {bound},
       "100"},
      {"after another namespace's policy",
       {policy("all", {.units = {all}}, "x"), web(priority_5)},
       {bound},
       "100"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(said(cluster_of(c.policies, two_pools, c.pods).deletion_cost("shop", "p")) == c.cost);
  }
}

/// The names of some nodes, in the order of their numbers.
Strings named(const Cluster& cluster, const NodeSet& nodes) {
  Strings names;
  for (const std::size_t number : nodes) names.emplace_back(cluster.nodes().name(number));
  return names;
}

TEST_CASE("all nodes are asked at once, each by its number") {
  using Scores = std::vector<std::int64_t>;
  const std::vector<Pod> pods = {pod("p1", {}, "a-1")};
  const std::vector<Unit> units = {with_priority(with_max(pool_a, 1), 2), with_priority(pool_b, 1)};
  const Pod p = pod("p", {});
  const Cluster required = cluster_of({policy("web", {.units = units})}, two_pools, pods);
  const Prefilter before = required.prefilter(p);
  CHECK(named(required, before.feasible()) == Strings{"b-1"});
  CHECK(named(required, before.infeasible(Reason::unit_full)) == Strings{"a-1", "a-2"});
  CHECK(named(required, before.infeasible(Reason::node_not_in_unit)) == Strings{"c-1"});
  CHECK(before.infeasible(Reason::none).empty());
  CHECK(before.scores(required.nodes().nodes()) == Scores{40, 40, 20, -20});
  CHECK(before.scores(before.feasible()) == Scores{0, 0, 20, 0});

  const Cluster preferred =
      cluster_of({policy("web", {.strategy = Strategy::prefer, .units = units})}, two_pools, pods);
  CHECK(named(preferred, preferred.prefilter(p).feasible()) == Strings{"b-1", "c-1"});
  CHECK(preferred.prefilter(p).infeasible(Reason::node_not_in_unit).empty());

  const Prefilter skipped = required.prefilter(in_namespace("x", p));
  CHECK(skipped.feasible() == required.nodes().nodes());
  CHECK(skipped.scores(skipped.feasible()) == Scores{-20, -20, -20, -20});
  CHECK(skipped.infeasible(Reason::none).empty());

  const Unit all = {.name = "all"};
  const Cluster overlapping = cluster_of(
      {policy("web", {.units = {all, with_priority(pool_b, 1), with_priority(pool_a, 2)}})},
      two_pools);
  CHECK(overlapping.prefilter(p).scores(overlapping.nodes().nodes()) == Scores{40, 40, 20, 0});

  const ResourceList half = list({{"cpu", "500m"}});
  const Cluster limited = cluster_of(
      {policy("web", {.units = {with_resources(pool_a, half), all, with_resources(pool_b, half)}})},
      two_pools);
  const Prefilter large = limited.prefilter(requesting(list({{"cpu", "1"}}), p));
  CHECK(named(limited, large.feasible()) == Strings{"c-1"});
  CHECK(named(limited, large.infeasible(Reason::unit_resources_exceeded)) ==
        Strings{"a-1", "a-2", "b-1"});

  const Cluster twice = cluster_of({policy("web", {}), policy("all", {})}, two_pools);
  const Prefilter several = twice.prefilter(p);
  CHECK(several.feasible().empty());
  CHECK(several.infeasible(Reason::multiple_resource_policies) == twice.nodes().nodes());

  CHECK(Prefilter().feasible().empty());
  CHECK(Prefilter().infeasible(Reason::none).empty());
  CHECK(Prefilter().scores(required.nodes().nodes()).empty());
}

TEST_CASE("without others, as many fewer count as they were") {
  const ResourcePolicy of_keys =
      policy("web", {.match_label_keys = {"hash"}, .units = {with_max(pool_a, 2), pool_b}});
  const Labels first = {{"hash", "1"}};
  Cluster cluster = cluster_of(
      {of_keys}, two_pools,
      {pod("p-1", first, "a-1"), pod("p-2", first, "a-2"), pod("p-3", {{"hash", "2"}}, "a-1"),
       pod("p-4", first, "b-1"), in_namespace("x", pod("p-1", first, "a-1"))});
  cluster.reserve(pod("h-1", first), numbers_of(cluster, {"a-1", "b-1"}));
  const Pod asking = pod("p-2", first);
  const Prefilter before = cluster.prefilter(asking);
  CHECK(said(before) == "Success web [2, 2]");
  CHECK(said(before.filter("a-1")) == "Unschedulable UnitFull in 0");
  struct Case {
    std::vector<PodName> gone;
    std::string counts;
    std::string of_a;
  };
  const std::string full = "Unschedulable UnitFull in 0";
  const Case cases[] = {
      {{}, "[2, 2]", full},
      {{{"shop", "p-1"}}, "[1, 2]", "Success in 0"},
      {{{"shop", "p-4"}}, "[2, 1]", full},
      {{{"shop", "h-1"}}, "[1, 1]", "Success in 0"},
      {{{"shop", "p-2"}}, "[2, 2]", full},
      {{{"shop", "p-3"}, {"x", "p-1"}, {"shop", "unknown"}}, "[2, 2]", full},
      {{{"shop", "p-1"}, {"shop", "h-1"}, {"shop", "p-4"}}, "[0, 0]", "Success in 0"},
  };
  for (const Case& c : cases) {
    const Prefilter after = before.without(c.gone, asking);
    CHECK(said(after) == "Success web " + c.counts);
    CHECK(said(after.filter("a-1")) == c.of_a);
  }
  CHECK(said(cluster.prefilter(in_namespace("y", asking)).without(cases[1].gone, asking)) ==
        "Skip");
  const Cluster without_policies = cluster_of({}, two_pools, {});
  CHECK(said(without_policies.prefilter(asking).without(cases[1].gone, asking)) == "Skip");
}

TEST_CASE("what keeps a pod from a node is told in a sentence") {
  const Unit full = {.max_count = 0, .node_selector = pair("pool", "b")};
  const ResourcePolicy web = policy("web", {.units = {with_max(pool_a, 1), full}});
  const Cluster cluster = cluster_of({web}, two_pools, {pod("p", {}, "a-2")});
  const Prefilter before = cluster.prefilter(pod("q", {}));
  CHECK(before.message("a-1") == "unit `a` is full");
  CHECK(before.message("b-1") == "unit 1 is full");
  CHECK(before.message("c-1") == "in no unit of its ResourcePolicy");
  CHECK(cluster.prefilter(pod("p", {})).message("a-1").empty());
  CHECK(cluster.prefilter(in_namespace("x", pod("p", {}))).message("b-1").empty());
  const Cluster of_two = cluster_of({web, web}, two_pools);
  CHECK(of_two.prefilter(pod("p", {})).message("a-1") ==
        "more than one ResourcePolicy selects the pod");
}

TEST_CASE("of several full units of a node the first is told, whatever others there are") {
  const ResourcePolicy web = policy(
      "web", {.units = {with_max(pool_a, 0),
                        {.name = "ssd", .max_count = 0, .node_selector = pair("disk", "ssd")},
                        with_max(pool_b, 0)}});
  ResourcePolicy many = policy("many", {.units = {web.spec.units[1], web.spec.units[0]}}, "other");
  for (int i = 0; i < 60; ++i)
    many.spec.units.push_back({.node_selector = pair("rack", std::to_string(i))});
  for (const Policies& policies : {Policies{web}, Policies{many, web}}) {
    const Cluster cluster = cluster_of(policies, {node("a-1", {{"pool", "a"}, {"disk", "ssd"}})});
    CHECK(cluster.prefilter(pod("p", {})).message("a-1") == "unit `a` is full");
  }
}

}  // namespace cluster_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
