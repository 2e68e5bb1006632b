// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>

#include "../resource_policy/clusters.hpp"

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

Pod terminating(Pod pod) {
  pod.metadata.deletion_timestamp = "2030-01-01T00:00:00Z";
  return pod;
}
Pod in_phase(std::string phase, Pod pod) {
  pod.status.phase = std::move(phase);
  return pod;
}

/// What the filter says of a node, for a pod that is looked at now.
std::string filtered(const Cluster& cluster, const Pod& pod, std::string_view node) {
  return said(cluster.prefilter(pod).filter(node));
}

const std::vector<Node> two_pools = {node("a-1", {{"pool", "a"}}), node("a-2", {{"pool", "a"}}),
                                     node("b-1", {{"pool", "b"}}), node("c-1", {{"pool", "c"}})};
const Unit pool_a = {.name = "a", .node_selector = pair("pool", "a")};
const Unit pool_b = {.name = "b", .node_selector = pair("pool", "b")};

Unit with_max(Unit unit, std::int32_t max_count) {
  unit.max_count = max_count;
  return unit;
}
Unit with_priority(Unit unit, std::int32_t priority) {
  unit.priority = priority;
  return unit;
}

const std::string denied = "UnschedulableAndUnresolvable";

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

TEST_CASE("counted are other pods of the policy on the unit's nodes, unless they are over") {
  const Pod web = pod("web-1", {{"app", "web"}}, "a-1");
  struct Case {
    std::string name;
    std::vector<Pod> pods;
    std::string counts;             ///< of the units a and b
    std::string not_terminating{};  ///< with ignoreTerminatingPod, where it differs
  };
  const Case cases[] = {
      {"none", {}, "[0, 0]"},
      {"one", {web}, "[1, 0]"},
      {"on both nodes of a unit", {web, pod("web-2", {{"app", "web"}}, "a-2")}, "[2, 0]"},
      {"in both units", {web, pod("web-2", {{"app", "web"}}, "b-1")}, "[1, 1]"},
      {"in no unit", {pod("web-1", {{"app", "web"}}, "c-1")}, "[0, 0]"},
      {"on an unknown node", {pod("web-1", {{"app", "web"}}, "gone")}, "[0, 0]"},
      {"not bound", {pod("web-1", {{"app", "web"}})}, "[0, 0]"},
      {"not selected", {pod("db-1", {{"app", "db"}}, "a-1")}, "[0, 0]"},
      {"without labels", {pod("x", {}, "a-1")}, "[0, 0]"},
      {"of another namespace", {in_namespace("x", web)}, "[0, 0]"},
      {"Pending", {in_phase("Pending", web)}, "[1, 0]"},
      {"Running", {in_phase("Running", web)}, "[1, 0]"},
      {"Unknown", {in_phase("Unknown", web)}, "[1, 0]"},
      {"Succeeded", {in_phase("Succeeded", web)}, "[0, 0]"},
      {"Failed", {in_phase("Failed", web)}, "[0, 0]"},
      {"terminating", {terminating(web)}, "[1, 0]", "[0, 0]"},
      {"Failed and terminating", {terminating(in_phase("Failed", web))}, "[0, 0]"},
      {"one terminating of two",
       {terminating(web), pod("web-2", {{"app", "web"}}, "a-1")},
       "[2, 0]",
       "[1, 0]"},
      {"the pod itself", {pod("web-0", {{"app", "web"}}, "a-1")}, "[0, 0]"},
      {"the pod itself and another", {pod("web-0", {{"app", "web"}}, "a-1"), web}, "[1, 0]"},
      {"its namesake elsewhere",
       {in_namespace("x", pod("web-0", {{"app", "web"}}, "a-1"))},
       "[0, 0]"},
      {"the pod itself, terminating",
       {terminating(pod("web-0", {{"app", "web"}}, "a-1")), web},
       "[1, 0]"},
      {"the pod itself under other labels", {pod("web-0", {{"app", "db"}}, "a-1"), web}, "[1, 0]"},
      {"the pod itself on an unknown node",
       {pod("web-0", {{"app", "web"}}, "gone"), web},
       "[1, 0]"},
  };
  ResourcePolicySpec spec = {.pod_selector = pair("app", "web"), .units = {pool_a, pool_b}};
  const Pod incoming = pod("web-0", {{"app", "web"}});
  for (const Case& c : cases) {
    CAPTURE(c.name);
    for (const bool ignores : {false, true}) {
      spec.match_policy.ignore_terminating_pod = ignores;
      const Cluster cluster = cluster_of({policy("web", spec)}, two_pools, c.pods);
      const bool differs = ignores && !c.not_terminating.empty();
      CHECK(said(cluster.prefilter(incoming)) ==
            "Success web " + (differs ? c.not_terminating : c.counts));
    }
  }
}

TEST_CASE("pods are counted apart by the match label keys that the incoming pod has") {
  const std::vector<Pod> pods = {
      pod("p1", {{"hash", "h1"}, {"track", "x"}}, "a-1"),
      pod("p2", {{"hash", "h1"}, {"track", "y"}}, "a-1"),
      pod("p3", {{"hash", "h1"}}, "a-2"),
      pod("p4", {{"hash", "h2"}, {"track", "x"}}, "a-2"),
      pod("p5", {{"hash", "h2"}}, "b-1"),
      pod("p6", {{"track", "x"}}, "a-1"),
      pod("p7", {{"hash", ""}}, "b-1"),
      pod("p8", {}, "b-1"),
  };
  struct Case {
    std::string name;
    Texts keys;
    Labels labels;
    std::string counts;  ///< of the units a and b
  };
  const Case cases[] = {
      {"no keys, all pods", {}, {{"hash", "h1"}}, "[5, 3]"},
      {"its value", {"hash"}, {{"hash", "h1"}}, "[3, 0]"},
      {"another value", {"hash"}, {{"hash", "h2"}}, "[1, 1]"},
      {"a new value", {"hash"}, {{"hash", "h3"}}, "[0, 0]"},
      {"an empty value is not a missing one", {"hash"}, {{"hash", ""}}, "[0, 1]"},
      {"without the key, all pods", {"hash"}, {}, "[5, 3]"},
      {"other labels have no say", {"hash"}, {{"hash", "h1"}, {"track", "z"}}, "[3, 0]"},
      {"both values", {"hash", "track"}, {{"hash", "h1"}, {"track", "x"}}, "[1, 0]"},
      {"both values, the keys in another order",
       {"track", "hash"},
       {{"hash", "h1"}, {"track", "x"}},
       "[1, 0]"},
      {"the second key missing", {"hash", "track"}, {{"hash", "h1"}}, "[3, 0]"},
      {"the first key missing", {"hash", "track"}, {{"track", "x"}}, "[3, 0]"},
      {"both keys missing", {"hash", "track"}, {}, "[5, 3]"},
      {"one value each, of different pods",
       {"hash", "track"},
       {{"hash", "h2"}, {"track", "y"}},
       "[0, 0]"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Cluster cluster = cluster_of(
        {policy("web", {.match_label_keys = c.keys, .units = {pool_a, pool_b}})}, two_pools, pods);
    CHECK(said(cluster.prefilter(pod("new", c.labels))) == "Success web " + c.counts);
  }
}

TEST_CASE("a bound pod does not count for itself, whatever its match label values were") {
  const std::vector<Pod> pods = {pod("p1", {{"hash", "h1"}}, "a-1"),
                                 pod("p2", {{"hash", "h1"}}, "a-1"), pod("p3", {}, "a-1")};
  const Cluster cluster = cluster_of(
      {policy("web", {.match_label_keys = {"hash"}, .units = {pool_a, {.name = "all"}}})},
      two_pools, pods);
  CHECK(said(cluster.prefilter(pod("p1", {{"hash", "h1"}}))) == "Success web [1, 1]");
  CHECK(said(cluster.prefilter(pod("p1", {{"hash", "h2"}}))) == "Success web [0, 0]");
  CHECK(said(cluster.prefilter(pod("p1", {}))) == "Success web [2, 2]");
  CHECK(said(cluster.prefilter(pod("p3", {{"hash", "h1"}}))) == "Success web [2, 2]");
  CHECK(said(cluster.prefilter(pod("p3", {}))) == "Success web [2, 2]");
  CHECK(said(cluster.prefilter(pod("p4", {}))) == "Success web [3, 3]");
}

TEST_CASE("a rolling update fills the units anew") {
  const Cluster empty = cluster_of(
      {policy("web", {.match_label_keys = {"pod-template-hash"}, .units = {with_max(pool_a, 2)}})},
      two_pools);
  Cluster cluster = empty;
  const auto replica = [](const std::string& hash, int number) {
    return pod("web-" + hash + "-" + std::to_string(number), {{"pod-template-hash", hash}});
  };
  for (const std::string hash : {"old", "new"}) {
    CAPTURE(hash);
    for (int i = 0; i < 2; ++i) {
      CHECK(filtered(cluster, replica(hash, i), "a-1") == "Success in 0");
      cluster.bind(replica(hash, i), "a-1");
    }
    CHECK(filtered(cluster, replica(hash, 2), "a-1") == "Unschedulable UnitFull in 0");
  }
  CHECK(filtered(cluster, pod("debug", {}), "a-2") == "Unschedulable UnitFull in 0");
  cluster.unbind("shop", "web-old-0");
  CHECK(filtered(cluster, replica("old", 2), "a-2") == "Success in 0");
  CHECK(filtered(cluster, replica("new", 2), "a-2") == "Unschedulable UnitFull in 0");
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

TEST_CASE("a pod is bound, bound elsewhere and unbound") {
  Cluster cluster =
      cluster_of({policy("web", {.units = {with_priority(pool_a, 2), pool_b}})}, two_pools);
  const Pod p = pod("p", {});
  const Pod probe = pod("probe", {});
  const auto counts = [&] { return said(cluster.prefilter(probe)); };
  const auto cost = [&](std::string_view name = "p") {
    return said(cluster.deletion_cost("shop", name));
  };

  cluster.unbind("shop", "p");
  cluster.unbind("", "");
  CHECK(counts() == "Success web [0, 0]");

  cluster.bind(p, "a-1");
  CHECK(counts() == "Success web [1, 0]");
  CHECK(cost() == "40");
  cluster.bind(p, "a-1");
  CHECK(counts() == "Success web [1, 0]");
  cluster.bind(p, "a-2");
  CHECK(counts() == "Success web [1, 0]");
  cluster.bind(p, "b-1");
  CHECK(counts() == "Success web [0, 1]");
  CHECK(cost() == "0");
  cluster.bind(p, "c-1");
  CHECK(counts() == "Success web [0, 0]");
  CHECK(cost() == "-20");
  cluster.bind(p, "a-1");
  cluster.bind(p, "gone");
  CHECK(counts() == "Success web [0, 0]");
  CHECK(cost() == "none");

  cluster.bind(p, "a-1");
  cluster.bind(pod("q", {}), "a-1");
  CHECK(counts() == "Success web [2, 0]");
  cluster.unbind("x", "p");
  cluster.unbind("shop", "r");
  CHECK(counts() == "Success web [2, 0]");
  cluster.unbind("shop", "p");
  CHECK(counts() == "Success web [1, 0]");
  CHECK(cost() == "none");
  CHECK(cost("q") == "40");
  cluster.unbind("shop", "p");
  CHECK(counts() == "Success web [1, 0]");

  cluster.bind(in_phase("Succeeded", pod("q", {})), "a-1");
  CHECK(counts() == "Success web [0, 0]");
  cluster.unbind("shop", "q");
  CHECK(counts() == "Success web [0, 0]");
}

TEST_CASE("the node of a bind counts, not the one in the pod's spec") {
  Cluster cluster = cluster_of({policy("web", {.units = {pool_a, pool_b}})}, two_pools);
  cluster.bind(pod("p", {}, "a-1"), "b-1");
  CHECK(said(cluster.prefilter(pod("probe", {}))) == "Success web [0, 1]");
  cluster.bind(pod("p", {}, "a-1"), "");
  CHECK(said(cluster.prefilter(pod("probe", {}))) == "Success web [0, 0]");
}

TEST_CASE("a pod that is bound again under other labels counts with their values") {
  Cluster cluster = cluster_of({policy("web", {.match_label_keys = {"hash"},
                                               .pod_selector = pair("app", "web"),
                                               .units = {pool_a}})},
                               two_pools);
  const auto counts = [&](const std::string& hash) {
    return said(cluster.prefilter(pod("probe", {{"app", "web"}, {"hash", hash}})));
  };
  cluster.bind(pod("p", {{"app", "web"}, {"hash", "1"}}), "a-1");
  CHECK(counts("1") == "Success web [1]");
  cluster.bind(pod("p", {{"app", "web"}, {"hash", "2"}}), "a-1");
  CHECK(counts("1") == "Success web [0]");
  CHECK(counts("2") == "Success web [1]");
  cluster.bind(pod("p", {{"app", "db"}, {"hash", "2"}}), "a-1");
  CHECK(counts("2") == "Success web [0]");
}

TEST_CASE("pods of one name in different namespaces are different pods") {
  Cluster cluster =
      cluster_of({policy("web", {.units = {pool_a}}), policy("db", {.units = {pool_a}}, "x")},
                 two_pools, {pod("p", {}, "a-1"), in_namespace("x", pod("p", {}, "a-1"))});
  CHECK(said(cluster.prefilter(pod("q", {}))) == "Success web [1]");
  CHECK(said(cluster.prefilter(in_namespace("x", pod("q", {})))) == "Success db [1]");
  cluster.unbind("x", "p");
  CHECK(said(cluster.prefilter(pod("q", {}))) == "Success web [1]");
  CHECK(said(cluster.prefilter(in_namespace("x", pod("q", {})))) == "Success db [0]");
}

TEST_CASE("a pod that several policies select counts for each of them") {
  const std::vector<ResourcePolicy> policies = {
      policy("web", {.pod_selector = pair("app", "web"), .units = {pool_a}}),
      policy("fast",
             {.pod_selector = pair("tier", "fast"), .units = {pool_b, pool_a, {.name = "all"}}})};
  Cluster cluster = cluster_of(policies, two_pools);
  cluster.bind(pod("p", {{"app", "web"}, {"tier", "fast"}}), "a-1");
  CHECK(said(cluster.prefilter(pod("q", {{"app", "web"}}))) == "Success web [1]");
  CHECK(said(cluster.prefilter(pod("q", {{"tier", "fast"}}))) == "Success fast [0, 1, 1]");
  cluster.unbind("shop", "p");
  CHECK(said(cluster.prefilter(pod("q", {{"app", "web"}}))) == "Success web [0]");
  CHECK(said(cluster.prefilter(pod("q", {{"tier", "fast"}}))) == "Success fast [0, 0, 0]");
}

TEST_CASE("a copy of a cluster goes its own way") {
  const Cluster original =
      cluster_of({policy("web", {.units = {pool_a}})}, two_pools, {pod("p", {}, "a-1")});
  Cluster copy = original;
  copy.bind(pod("q", {}), "a-1");
  copy.unbind("shop", "p");
  copy.bind(pod("r", {}), "a-2");
  CHECK(said(original.prefilter(pod("probe", {}))) == "Success web [1]");
  CHECK(said(copy.prefilter(pod("probe", {}))) == "Success web [2]");
}

TEST_CASE("a pod is asked about the nodes of the cluster that it was looked at in") {
  const Cluster one = cluster_of({policy("x", {.units = {pool_a}})}, two_pools);
  const Cluster other = cluster_of({policy("y", {.units = {pool_b}}, "elsewhere")}, two_pools);
  const Pod p = pod("p", {});
  const Prefilter in_one = one.prefilter(p);
  const Prefilter in_other = other.prefilter(p);
  CHECK(said(in_one) == "Success x [0]");
  CHECK(said(in_other) == "Skip");
  CHECK(said(in_one.filter("a-1")) == "Success in 0");
  CHECK(said(in_one.filter("b-1")) == denied + " NodeNotInUnit");
  CHECK(said(in_other.filter("b-1")) == "Success");
  for (const std::size_t of_another : {std::size_t{1}, std::size_t{7}})
    CHECK(in_one.score({Code::success, Reason::none, of_another}) == -20);
}

TEST_CASE("what is known of a pod lets it onto no node when its cluster has changed") {
  Cluster cluster = cluster_of({policy("web", {.units = {with_max(pool_a, 1)}})}, two_pools);
  const Pod p = pod("p", {});
  const Prefilter first = cluster.prefilter(p);
  cluster.unbind("shop", "nobody");
  cluster.bind(pod("q", {}), "gone");
  CHECK(said(first.filter("a-1")) == "Success in 0");

  cluster.bind(pod("q", {}), "a-1");
  CHECK(said(first.filter("a-1")) == denied);
  CHECK(said(first.filter("b-1")) == denied);
  CHECK(said(first) == "Success web [0]");
  const Prefilter second = cluster.prefilter(p);
  CHECK(said(second.filter("a-1")) == "Unschedulable UnitFull in 0");
  cluster.unbind("shop", "q");
  CHECK(said(second.filter("a-1")) == denied);
  CHECK(filtered(cluster, p, "a-1") == "Success in 0");

  const Pod elsewhere = in_namespace("elsewhere", p);
  const Prefilter skipped = cluster.prefilter(elsewhere);
  cluster.bind(elsewhere, "a-1");
  CHECK(said(skipped.filter("a-1")) == "Success");

  const Prefilter third = cluster.prefilter(p);
  cluster.remove_node("b-1");
  CHECK(said(third.filter("a-1")) == denied);
  // What is not known any more is not known without others either.
  cluster.bind(pod("q", {}), "a-1");
  const Prefilter full = cluster.prefilter(p);
  cluster.bind(pod("r", {}), "a-2");
  const std::vector<PodName> gone = {{"shop", "q"}};
  CHECK(said(full.without(gone, p)) == said(full));
}

TEST_CASE("pods without a node or on one that is not there count nowhere, whatever comes later") {
  Cluster cluster = cluster_of({policy("web", {.units = {{.name = "all"}}})}, {});
  cluster.bind(pod("p", {}), "gone");
  cluster.unbind("shop", "p");
  cluster.add_node(node("other", {}));
  cluster.bind(pod("p", {}), "gone");
  cluster.bind(pod("q", {}), "");
  cluster.add_node(node("", {}));
  CHECK(said(cluster.prefilter(pod("new", {}))) == "Success web [0]");
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

TEST_CASE("a node comes, is relabelled and goes, and its pods are counted where it is") {
  Cluster cluster = cluster_of({policy("web", {.units = {pool_a, pool_b}})}, two_pools,
                               {pod("p1", {}, "a-1"), pod("p2", {}, "new"), pod("p3", {}, "new")});
  const Pod p = pod("p", {});
  CHECK(said(cluster.prefilter(p)) == "Success web [1, 0]");
  CHECK(said(cluster.deletion_cost("shop", "p2")) == "none");
  cluster.add_node(node("new", {{"pool", "b"}}));
  CHECK(said(cluster.prefilter(p)) == "Success web [1, 2]");
  CHECK(said(cluster.deletion_cost("shop", "p2")) == "0");
  const auto number = cluster.nodes().find("new");
  CHECK(number == 4U);
  cluster.add_node(node("new", {{"pool", "a"}}));
  CHECK(cluster.nodes().find("new") == number);
  CHECK(said(cluster.prefilter(p)) == "Success web [3, 0]");
  cluster.add_node(node("new", {}));
  CHECK(said(cluster.prefilter(p)) == "Success web [1, 0]");
  CHECK(filtered(cluster, p, "new") == denied + " NodeNotInUnit");
  cluster.unbind("shop", "p2");
  cluster.remove_node("a-1");
  cluster.remove_node("never there");
  CHECK(said(cluster.prefilter(p)) == "Success web [0, 0]");
  CHECK(filtered(cluster, p, "a-1") == denied + " NodeNotInUnit");
  cluster.add_node(node("a-1", {{"pool", "a"}}));
  cluster.add_node(node("new", {{"pool", "b"}}));
  CHECK(said(cluster.prefilter(p)) == "Success web [1, 1]");

  const Prefilter before = cluster.prefilter(p);
  cluster.add_node(node("other", {}));
  CHECK(said(before.filter("a-2")) == denied);
  CHECK(before.feasible().empty());
  CHECK(before.infeasible(Reason::none) == cluster.nodes().nodes());
}

TEST_CASE("what was moved from denies") {
  Cluster cluster = cluster_of({policy("web", {.units = {pool_a}})}, two_pools);
  const Pod p = pod("p", {});
  Prefilter before = cluster.prefilter(p);
  const Prefilter moved = std::move(before);
  CHECK(said(moved.filter("a-1")) == "Success in 0");
  CHECK(said(before.filter("a-1")) == denied);  // NOLINT(bugprone-use-after-move)
  CHECK(cluster.prefilter(p).counts() == std::vector<std::int64_t>{0});

  Cluster other = std::move(cluster);
  CHECK(said(other.prefilter(p)) == "Success web [0]");
  CHECK(said(cluster.prefilter(p)) == denied);  // NOLINT(bugprone-use-after-move)
  cluster.bind(p, "a-1");
  cluster.unbind("shop", "p");
  CHECK(said(cluster.deletion_cost("shop", "p")) == "none");
  cluster.add_node(node("a-1", {}));
  cluster.remove_node("a-1");
  CHECK(cluster.nodes().nodes().empty());
  const Cluster copy = cluster;
  CHECK(filtered(copy, p, "a-1") == denied);
  cluster = other;
  CHECK(filtered(cluster, p, "a-1") == "Success in 0");
  cluster = Cluster({}, two_pools, {});
  CHECK(filtered(cluster, p, "a-1") == denied);
  Cluster& itself = other;
  other = itself;
  CHECK(filtered(other, p, "a-1") == "Success in 0");
}

TEST_CASE("of nodes of one name and of pods of one name the later count") {
  const std::vector<Node> nodes = {node("n", {{"pool", "a"}}), node("n", {{"pool", "b"}})};
  const Policies policies = {policy("web", {.units = {pool_a, pool_b}})};
  CHECK(filtered(cluster_of(policies, nodes), pod("p", {}), "n") == "Success in 1");
  const Cluster cluster =
      cluster_of(policies, two_pools, {pod("p", {}, "a-1"), pod("p", {}, "b-1")});
  CHECK(said(cluster.prefilter(pod("q", {}))) == "Success web [0, 1]");
}

NodeSet numbers_of(const Cluster& cluster, const Strings& names) {
  NodeSet numbers;
  for (const std::string& name : names) numbers.insert(*cluster.nodes().find(name));
  return numbers;
}

TEST_CASE("a held pod counts on every unit that one of its nodes is in, once") {
  const ResourcePolicy of_keys = policy("web", {.match_label_keys = {"hash"},
                                                .match_policy = {.ignore_terminating_pod = true},
                                                .pod_selector = pair("app", "web"),
                                                .units = {pool_a, pool_b, {.name = "all"}}});
  const Pod asking = pod("asking", {{"app", "web"}, {"hash", "1"}});
  struct Case {
    std::string name;
    Pod held;
    Strings nodes;
    std::string counts;
  };
  const Case cases[] = {
      {"for none", asking, {}, "[0, 0, 0]"},
      {"for two of one unit", asking, {"a-1", "a-2"}, "[1, 0, 1]"},
      {"for two units", asking, {"a-1", "b-1"}, "[1, 1, 1]"},
      {"for a node in no unit but all", asking, {"c-1"}, "[0, 0, 1]"},
      {"of another hash", pod("p", {{"app", "web"}, {"hash", "2"}}), {"a-1"}, "[0, 0, 0]"},
      {"not of the policy", pod("p", {{"hash", "1"}}), {"a-1"}, "[0, 0, 0]"},
      {"terminating", terminating(asking), {"a-1"}, "[0, 0, 0]"},
      {"succeeded", in_phase("Succeeded", asking), {"a-1"}, "[0, 0, 0]"},
      {"failed", in_phase("Failed", asking), {"a-1"}, "[0, 0, 0]"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Cluster cluster = cluster_of({of_keys}, two_pools);
    Pod held = c.held;
    held.metadata.name = "held";
    cluster.reserve(held, numbers_of(cluster, c.nodes));
    CHECK(said(cluster.prefilter(asking)) == "Success web " + c.counts);
    const Cluster copy = cluster;
    CHECK(said(copy.prefilter(asking)) == "Success web " + c.counts);
    const Prefilter before = cluster.prefilter(asking);
    cluster.unreserve("shop", "other");
    CHECK(said(before) == said(cluster.prefilter(asking)));
    cluster.unreserve("shop", "held");
    CHECK(said(cluster.prefilter(asking)) == "Success web [0, 0, 0]");
  }
}

TEST_CASE("no place is held for a pod that has no name or is terminal by now") {
  Cluster cluster = cluster_of({policy("web", {.units = {pool_a}})}, two_pools);
  const auto counts = [&] { return said(cluster.prefilter(pod("asking", {}))); };
  const NodeSet on_a = numbers_of(cluster, {"a-1"});
  cluster.reserve(pod("", {}), on_a);
  CHECK(counts() == "Success web [0]");
  cluster.reserve(pod("held", {}), on_a);
  CHECK(counts() == "Success web [1]");
  cluster.reserve(in_phase("Failed", pod("held", {})), on_a);
  CHECK(counts() == "Success web [0]");
}

TEST_CASE("a held pod that several policies select counts for each of them") {
  Cluster cluster = cluster_of(
      {policy("web", {.pod_selector = pair("app", "web"), .units = {pool_a}}),
       policy("fast", {.pod_selector = pair("tier", "fast"), .units = {pool_b, pool_a}})},
      two_pools);
  cluster.reserve(pod("held", {{"app", "web"}, {"tier", "fast"}}),
                  numbers_of(cluster, {"a-1", "b-1"}));
  CHECK(said(cluster.prefilter(pod("q", {{"app", "web"}}))) == "Success web [1]");
  CHECK(said(cluster.prefilter(pod("q", {{"tier", "fast"}}))) == "Success fast [1, 1]");
  cluster.unreserve("shop", "held");
  CHECK(said(cluster.prefilter(pod("q", {{"tier", "fast"}}))) == "Success fast [0, 0]");
}

TEST_CASE("a pod is held on the node that it was held on, whatever number that one has by now") {
  Cluster cluster = cluster_of({policy("web", {.units = {pool_a, pool_b}})}, two_pools);
  const auto counts = [&] { return said(cluster.prefilter(pod("asking", {}))); };
  NodeSet held = numbers_of(cluster, {"a-1"});
  const std::size_t number = *held.begin();
  const std::size_t free = cluster.nodes().size();
  held.insert(free);
  cluster.reserve(pod("held", {}), held);
  CHECK(counts() == "Success web [1, 0]");
  cluster.add_node(node("b-8", {{"pool", "b"}}));
  CHECK(cluster.nodes().find("b-8") == free);
  CHECK(counts() == "Success web [1, 0]");  // nobody was held on it
  cluster.remove_node("a-1");
  CHECK(counts() == "Success web [1, 0]");
  cluster.add_node(node("b-9", {{"pool", "b"}}));
  CHECK(cluster.nodes().find("b-9") == number);
  CHECK(counts() == "Success web [1, 0]");
  cluster.add_node(node("b-9", {{"pool", "b"}, {"disk", "ssd"}}));
  CHECK(counts() == "Success web [1, 0]");
  cluster.add_node(node("a-1", {{"pool", "b"}}));
  CHECK(cluster.nodes().find("a-1") != number);
  CHECK(counts() == "Success web [1, 1]");
  cluster.unreserve("shop", "held");
  CHECK(counts() == "Success web [0, 0]");
}

TEST_CASE("each pod that is held on a node that goes stays held on it, and no other") {
  Cluster cluster = cluster_of({policy("web", {.units = {pool_a, pool_b}})}, two_pools);
  const auto counts = [&] { return said(cluster.prefilter(pod("asking", {}))); };
  const NodeSet on_a = numbers_of(cluster, {"a-1"});
  cluster.reserve(pod("held-1", {}), on_a);
  cluster.reserve(pod("held-2", {}), on_a);
  cluster.reserve(pod("held-3", {}), numbers_of(cluster, {"b-1"}));
  CHECK(counts() == "Success web [2, 1]");
  cluster.remove_node("a-1");
  cluster.add_node(node("b-9", {{"pool", "b"}}));
  CHECK(cluster.nodes().find("b-9") == *on_a.begin());
  CHECK(counts() == "Success web [2, 1]");
  cluster.add_node(node("a-1", {{"pool", "a"}}));
  CHECK(counts() == "Success web [2, 1]");
}

TEST_CASE("what was counted before a pod is held or released lets nobody onto a node") {
  Cluster cluster = cluster_of({policy("web", {.units = {pool_a}})}, two_pools);
  const Prefilter before = cluster.prefilter(pod("p", {}));
  cluster.reserve(pod("held", {}), numbers_of(cluster, {"a-1"}));
  CHECK(said(before.filter("a-1")) == denied);
  CHECK(before.message("a-1") == "nothing is known of the pod any more");
  const Prefilter held = cluster.prefilter(pod("p", {}));
  cluster.unreserve("shop", "held");
  CHECK(said(held.filter("a-1")) == denied);
  CHECK(said(held.without({}, pod("p", {})).filter("a-1")) == denied);
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

}  // namespace cluster_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
