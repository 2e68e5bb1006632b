// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/assume_cache.hpp>

#include "assumed_pods.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace assume_cache_test {

using namespace assumed_pods;

static_assert(std::is_aggregate_v<Assumption>);
static_assert(std::is_copy_constructible_v<AssumeCache>);
static_assert(std::is_nothrow_move_constructible_v<AssumeCache>);
static_assert(std::is_nothrow_move_assignable_v<AssumeCache>);

/// The scheduler asks for a pod that the watch shows, and is told that nodes can take it.
void ask_for(AssumeCache& state, const Pod& pod, const Strings& nodes) {
  state.observe_pod(pod);
  state.assume(told(state, pod, nodes), 0);
}

/// What another pod sees.
std::string counts(const AssumeCache& state) {
  return said(state.cluster().prefilter(pod("other", {{"app", "web"}})));
}

TEST_CASE("a state is a value: what is shown to one is not shown to its copy") {
  AssumeCache state = two_pools();
  state.observe_pod(seen("p", "1", "a-1"));
  AssumeCache copy;
  copy = state;
  CHECK(counts(copy) == counts(state));
  state.observe_pod(seen("q", "2", "a-1"));
  CHECK(counts(copy) != counts(state));
  copy = std::move(state);
  CHECK(counts(copy) != counts(two_pools()));
}

TEST_CASE("nothing is reserved before policies are known, nor for a pod without a name") {
  AssumeCache state;
  state.observe_node(node("a-1", {{"pool", "a"}}));
  NodeSet first;
  first.insert(0);
  for (const char* name : {"web-1", ""}) {
    CAPTURE(name);
    const Pod asking = seen(name, "1");
    state.observe_pod(asking);
    state.assume({asking, first, {}, ""}, 0);
    for (int times = 0; times < 2; ++times) {
      CHECK(state.set_policies(Policies{web}).empty());
      CHECK(counts(state) == "Success web [0, 0]");
    }
  }
  CHECK(state.assumed() == 2);
}

TEST_CASE("as long as no policies are known no pod gets a node") {
  AssumeCache state;
  state.observe_node(node("a-1", {{"pool", "a"}}));
  state.observe_pod(seen("web-1", "1", "a-1"));
  CHECK(!state.knows_policies());
  CHECK(said(state.cluster().prefilter(seen("web-2", "2"))) == "UnschedulableAndUnresolvable");
  CHECK(state.set_policies({}).empty());
  CHECK(state.knows_policies());
  CHECK(said(state.cluster().prefilter(seen("web-2", "2"))) == "Skip");
  const AssumeCache moved = std::move(state);
  CHECK(moved.knows_policies());
  CHECK(!state.knows_policies());  // NOLINT(bugprone-use-after-move)
  CHECK(state.assumed() == 0);
  CHECK(state.expire(1) == 0);
  CHECK(!state.bound_pod("1", "a-1"));
  CHECK(!state.knows_pod("shop", "web-1", "1"));
  CHECK(state.waiting().empty());
  CHECK(said(state.cluster().prefilter(seen("web-2", "2"))) == "UnschedulableAndUnresolvable");
  state.show_node_gone("a-1");
  state.show_pod_gone("shop", "web-1", "1");
  state.observe_node(node("a-1", {}));
  state.observe_pod(seen("web-1", "1", "a-1"));
  CHECK(!state.knows_policies());
}

TEST_CASE("a pod counts where it may be, until the watch or the scheduler says more") {
  using State = AssumeCache;
  using Step = std::function<void(State&)>;
  const auto show = [](Pod pod) { return Step([=](State& state) { state.observe_pod(pod); }); };
  const auto gone = [](std::string name, std::string uid) {
    return Step([=](State& state) { state.show_pod_gone("shop", name, uid); });
  };
  const auto ask = [](Pod pod, Strings nodes, std::int64_t now = 0) {
    return Step([=](State& state) { state.assume(told(state, pod, nodes), now); });
  };
  const auto refuse = [](Pod pod, Strings nodes) {
    return Step([=](State& state) { state.assume(told(state, pod, {}, nodes), 0); });
  };
  const auto expire = [](std::int64_t before, std::size_t wanted) {
    return Step([=](State& state) { CHECK(state.expire(before) == wanted); });
  };
  const auto node_is = [](std::string name, std::string pool) {
    return Step([=](State& state) { state.observe_node(node(name, {{"pool", pool}})); });
  };
  const auto node_gone = [](std::string name) {
    return Step([=](State& state) { state.show_node_gone(name); });
  };
  const Step again = [](State& state) { CHECK(state.set_policies(Policies{web}).empty()); };
  const Pod first = seen("web-1", "1");
  const Pod on_a = seen("web-1", "1", "a-1");
  const Pod second = seen("web-1", "2");
  Pod labelled = first;
  labelled.metadata.labels["tier"] = "front";
  struct Case {
    std::string name;
    std::vector<Step> steps;
    std::string wanted;
    std::size_t assumed = 0;
    std::string beside = "[0, 0]";  ///< what the first pod itself sees
  };
  const Strings both = {"a-1", "b-1"};
  const Case cases[] = {
      {"nothing", {}, "[0, 0]"},
      {"shown as waiting", {show(first)}, "[0, 0]"},
      {"shown as bound", {show(on_a)}, "[1, 0]"},
      {"shown as bound, then terminal", {show(on_a), show(terminal(on_a))}, "[0, 0]"},
      {"shown as bound, then gone", {show(on_a), gone("web-1", "1")}, "[0, 0]"},
      {"shown as bound, one gone that was never shown", {show(on_a), gone("web-9", "9")}, "[1, 0]"},
      {"shown as bound, an older one gone", {show(on_a), gone("web-1", "0")}, "[1, 0]"},
      {"asked for, never shown", {ask(first, both)}, "[0, 0]"},
      {"asked for, only its predecessor shown", {show(first), ask(second, both)}, "[0, 0]"},
      {"asked for, gone before", {show(first), gone("web-1", "1"), ask(first, both)}, "[0, 0]"},
      {"asked for", {show(first), ask(first, both)}, "[1, 1]", 1},
      {"asked for, outside all units", {show(first), ask(first, {"c-1"})}, "[0, 0]", 1},
      {"asked for, shown again", {show(first), ask(first, both), show(first)}, "[1, 1]", 1},
      {"asked for, shown with another label",
       {show(first), ask(first, both), show(labelled)},
       "[1, 1]",
       1},
      {"asked for, shown as bound", {show(first), ask(first, both), show(on_a)}, "[1, 0]"},
      {"asked for, bound to another",
       {show(first), ask(first, {"a-1"}), show(seen("web-1", "1", "b-1"))},
       "[0, 1]"},
      {"asked for, gone", {show(first), ask(first, both), gone("web-1", "1")}, "[0, 0]"},
      {"asked for, an older one gone",
       {show(first), ask(first, both), gone("web-1", "0")},
       "[1, 1]",
       1},
      {"asked for, terminal", {show(first), ask(first, both), show(terminal(first))}, "[0, 0]"},
      {"asked for again", {show(first), ask(first, both), ask(first, {"b-1"})}, "[0, 1]", 1},
      {"asked for again, no node", {show(first), ask(first, both), ask(first, {})}, "[0, 0]"},
      {"asked for again, no node takes it, and it waits for long",
       {show(first), ask(first, both), refuse(first, both), expire(1'000'000, 0)},
       "[0, 0]"},
      {"asked for, then its successor is shown",
       {show(first), ask(first, both), show(second)},
       "[0, 0]"},
      {"its successor is asked for",
       {show(first), ask(first, both), show(second), ask(second, {"b-1"})},
       "[0, 1]",
       1},
      {"asked for when it is bound", {show(on_a), ask(first, both)}, "[1, 0]"},
      {"asked for when it is terminal", {show(terminal(first)), ask(first, both)}, "[0, 0]"},
      {"asked for, too long ago",
       {show(first), ask(first, both, 10), expire(10, 0), expire(11, 1)},
       "[0, 0]"},
      {"two asked for, too long ago",
       {show(first), ask(first, both, 10), show(seen("web-2", "2")),
        ask(seen("web-2", "2"), both, 9), expire(11, 2)},
       "[0, 0]"},
      {"asked for again in time",
       {show(first), ask(first, both, 10), ask(first, both, 12), expire(12, 0)},
       "[1, 1]",
       1},
      {"too long ago, then bound",
       {show(first), ask(first, both), expire(1, 1), show(on_a)},
       "[1, 0]"},
      {"nominated", {show(seen("web-1", "1", "", "b-1"))}, "[0, 1]"},
      {"nominated to a node that comes later",
       {show(seen("web-1", "1", "", "b-2")), node_is("b-2", "b")},
       "[0, 1]"},
      {"two nominated to a node that comes later",
       {show(seen("web-1", "1", "", "b-2")), show(seen("web-2", "2", "", "b-2")),
        show(seen("web-3", "3", "", "b-3")), node_is("b-2", "b")},
       "[0, 2]",
       0,
       "[0, 1]"},
      {"two nominated to a node that comes once one of them is gone",
       {show(seen("web-1", "1", "", "b-2")), show(seen("web-2", "2", "", "b-2")),
        gone("web-1", "1"), node_is("b-2", "b")},
       "[0, 1]",
       0,
       "[0, 1]"},
      {"nominated, the node gets into another unit",
       {show(seen("web-1", "1", "", "b-1")), node_is("b-1", "a")},
       "[1, 1]"},
      {"nominated no longer", {show(seen("web-1", "1", "", "b-1")), show(first)}, "[0, 0]"},
      {"nominated, then bound", {show(seen("web-1", "1", "", "b-1")), show(on_a)}, "[1, 0]"},
      {"nominated and bound", {show(seen("web-1", "1", "a-1", "b-1"))}, "[1, 0]"},
      {"nominated, gone", {show(seen("web-1", "1", "", "b-1")), gone("web-1", "1")}, "[0, 0]"},
      {"nominated and asked for",
       {show(seen("web-1", "1", "", "b-1")), ask(first, {"a-1"})},
       "[1, 0]",
       1},
      {"nominated, asked for, asked for again and no node takes it",
       {show(seen("web-1", "1", "", "b-1")), ask(first, {"a-1"}), refuse(first, {"a-1"})},
       "[0, 1]"},
      {"nominated, asked for too long ago",
       {show(seen("web-1", "1", "", "b-1")), ask(first, {"a-1"}), expire(1, 1)},
       "[0, 1]"},
      {"nominated, the node goes and another gets its number",
       {show(seen("web-1", "1", "", "a-1")), node_gone("a-1"), node_is("b-2", "b")},
       "[1, 0]"},
      {"policies come again, bound", {show(on_a), again}, "[1, 0]"},
      {"policies come again, asked for", {show(first), ask(first, both), again}, "[1, 1]", 1},
      {"policies come again, nominated", {show(seen("web-1", "1", "", "b-1")), again}, "[0, 1]"},
      {"policies come again, other numbers",
       {node_gone("a-1"), show(first), ask(first, {"b-1"}), again},
       "[0, 1]",
       1},
      {"policies come again, other numbers of the nodes of two",
       {node_gone("a-1"), show(first), ask(first, {"b-1"}), show(seen("web-2", "2")),
        ask(seen("web-2", "2"), {"b-1"}), again},
       "[0, 2]",
       2,
       "[0, 1]"},
      {"its node gets into another unit", {show(on_a), node_is("a-1", "b")}, "[0, 1]"},
      {"asked for, the node gets into another unit",
       {show(first), ask(first, {"a-1"}), node_is("a-1", "b")},
       "[1, 1]",
       1},
      {"asked for, then bound to it",
       {show(first), ask(first, {"a-1"}), node_is("a-1", "b"), show(on_a)},
       "[0, 1]"},
      {"asked for, another node gets into a unit",
       {show(first), ask(first, {"a-1"}), node_is("c-1", "b")},
       "[1, 0]",
       1},
      {"asked for, the node gets into another unit, shown with another label",
       {show(first), ask(first, {"a-1"}), node_is("a-1", "b"), show(labelled)},
       "[1, 1]",
       1},
      {"its node goes", {show(on_a), node_gone("a-1")}, "[0, 0]"},
      {"its node comes back", {show(on_a), node_gone("a-1"), node_is("a-1", "a")}, "[1, 0]"},
      {"asked for, the node goes",
       {show(first), ask(first, {"a-1"}), node_gone("a-1")},
       "[1, 0]",
       1},
      {"asked for, another node gets the number of the one that went",
       {show(first), ask(first, {"a-1"}), node_gone("a-1"), node_is("b-2", "b")},
       "[1, 0]",
       1},
      {"asked for, another gets the number, shown with another label",
       {show(first), ask(first, {"a-1"}), node_gone("a-1"), node_is("b-2", "b"), show(labelled)},
       "[1, 0]",
       1},
      {"asked for, the node comes back under another number, into another unit",
       {show(first), ask(first, {"a-1"}), node_gone("a-1"), node_is("c-2", ""),
        node_is("a-1", "b")},
       "[1, 1]",
       1},
      {"asked for, the node comes back after policies came again",
       {show(first), ask(first, {"a-1"}), node_gone("a-1"), node_is("b-2", "b"), again,
        node_is("a-1", "a")},
       "[1, 0]",
       1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    State state = two_pools();
    for (const Step& step : c.steps) step(state);
    CHECK(counts(state) == "Success web " + c.wanted);
    CHECK(state.assumed() == c.assumed);
    // It is a value, and does not count against itself.
    const State copy = state;
    ask_for(state, seen("x", "x"), {"b-1"});
    CHECK(counts(copy) == "Success web " + c.wanted);
    CHECK(said(copy.cluster().prefilter(first)) == "Success web " + c.beside);
  }
}

TEST_CASE("a node without labels is known like any other") {
  AssumeCache state = two_pools();
  state.observe_node(node("d-1", {}));
  CHECK(state.cluster().nodes().find("d-1").has_value());
  state.observe_node(node("d-1", {}));
  state.show_node_gone("d-1");
  CHECK_FALSE(state.cluster().nodes().find("d-1").has_value());
}

TEST_CASE("a bound pod that is terminating counts unless the policy ignores it") {
  Pod going = seen("web-1", "1", "a-1");
  going.metadata.deletion_timestamp = "2026-01-01T00:00:00Z";
  ResourcePolicy ignoring = web;
  ignoring.spec.match_policy.ignore_terminating_pod = true;
  for (const bool ignores : {false, true}) {
    AssumeCache state = two_pools({ignores ? ignoring : web});
    state.observe_pod(seen("web-1", "1", "a-1"));
    CHECK(counts(state) == "Success web [1, 0]");
    state.observe_pod(going);
    CHECK(counts(state) == (ignores ? "Success web [0, 0]" : "Success web [1, 0]"));
  }
}

TEST_CASE("what is shown again as it was changes nothing that is known of a pod") {
  AssumeCache state = two_pools();
  state.observe_pod(seen("web-1", "1", "a-1"));
  const Pod other = pod("other", {{"app", "web"}});
  const Prefilter before = state.cluster().prefilter(other);
  state.observe_pod(seen("web-1", "1", "a-1"));
  state.observe_node(node("a-1", {{"pool", "a"}}));
  CHECK(before.filter("a-1").code == Code::success);
}

TEST_CASE("whatever comes first, pods and nodes count once the policies are known") {
  AssumeCache state;
  state.observe_pod(seen("web-1", "1", "a-1"));
  state.observe_pod(seen("web-2", "2", "a-1"));
  state.observe_pod(seen("web-3", "3", "b-1"));
  state.observe_node(node("a-1", {{"pool", "a"}}));
  state.observe_node(node("b-1", {{"pool", "b"}}));
  CHECK(state.set_policies(Policies{web}).empty());
  CHECK(counts(state) == "Success web [2, 1]");
  ask_for(state, seen("web-4", "4"), {"a-1"});
  ask_for(state, seen("web-5", "5"), {"a-1"});
  CHECK(counts(state) == "Success web [4, 1]");
  state.observe_node(node("a-1", {{"pool", "b"}}));
  CHECK(counts(state) == "Success web [2, 5]");
  CHECK(state.set_policies(Policies{web}).empty());
  CHECK(counts(state) == "Success web [0, 5]");

  // Of what was moved from, too.
  using Shows = void (*)(AssumeCache&, const AssumeCache&);
  const Shows shows[] = {
      [](AssumeCache& to, const AssumeCache&) { CHECK(to.set_policies(Policies{web}).empty()); },
      [](AssumeCache& to, const AssumeCache&) { to.observe_node(node("a-1", {})); },
      [](AssumeCache& to, const AssumeCache&) { to.observe_pod(seen("web-1", "1", "a-1")); },
      [](AssumeCache& to, const AssumeCache& taken) {
        to.assume(told(taken, seen("web-1", "1"), {"a-1"}), 0);
      }};
  for (const Shows& show : shows) {
    AssumeCache from = two_pools();
    const AssumeCache taken = std::move(from);
    show(from, taken);  // NOLINT(bugprone-use-after-move)
    CHECK(from.knows_policies() == (&show == &shows[0]));
    CHECK(counts(taken) == "Success web [0, 0]");
  }
}

TEST_CASE("an invalid policy harms only the pods that it might be for") {
  ResourcePolicy wrong = policy(
      "wrong",
      {.pod_selector = pair("app", "db"), .strategy = OpenStrategy("prefers"), .units = {pool_a}});
  struct Case {
    std::string name;
    ResourcePolicy policy;
    std::string of_web;
    std::string of_db;
    std::string elsewhere;
  };
  ResourcePolicy for_all = wrong;
  for_all.spec.pod_selector.reset();
  ResourcePolicy unusable = wrong;
  unusable.spec.pod_selector = in_without_values("app");
  ResourcePolicy bad_unit = wrong;
  bad_unit.spec.strategy = {};
  bad_unit.spec.units[0].node_selector = in_without_values("pool");
  const Case cases[] = {
      {"its strategy", wrong, "", "wrong", ""},
      {"a unit of it", bad_unit, "", "wrong", ""},
      {"for all pods", for_all, "wrong", "wrong", ""},
      {"its selector", unusable, "wrong", "wrong", ""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    AssumeCache state;
    state.observe_node(node("a-1", {{"pool", "a"}}));
    const std::vector<FieldError> errors = state.set_policies(Policies{web, c.policy});
    CHECK(!errors.empty());
    for (const FieldError& error : errors)
      CHECK(to_string(error.field).starts_with("policies[1].spec."));
    CHECK(counts(state) == "Success web [0, 0]");
    const Pod of_db = pod("db-1", {{"app", "db"}});
    CHECK(state.invalid_policy(seen("web-1", "1")).value_or("") == c.of_web);
    CHECK(state.invalid_policy(of_db).value_or("") == c.of_db);
    CHECK(state.invalid_policy(in_namespace("other", of_db)).value_or("") == c.elsewhere);
    CHECK(state.set_policies(Policies{web}).empty());
    CHECK(!state.invalid_policy(of_db));
  }
  AssumeCache state;
  ResourcePolicy another = wrong;
  another.metadata.name = "another";
  another.spec.pod_selector = pair("app", "cache");
  CHECK(!state.set_policies(Policies{wrong, another}).empty());
  CHECK(state.invalid_policy(pod("cache-1", {{"app", "cache"}})) == "another");
  CHECK(!state.invalid_policy(seen("web-1", "1")));
}

TEST_CASE("what the policies of a namespace count is bounded") {
  const auto with_units = [](std::string name, std::size_t units, std::string app,
                             std::string in = "shop") {
    ResourcePolicy made = policy(std::move(name), {.pod_selector = pair("app", std::move(app))});
    made.metadata.namespace_ = std::move(in);
    made.spec.units.assign(units, pool_a);
    return made;
  };
  // A policy costs one more than its units, so that these leave three.
  Policies most;
  for (std::size_t left = max_namespace_counting_cost - 3; left > 0;) {
    const std::size_t cost = std::min(left, max_units + 1);
    most.push_back(with_units("full-" + std::to_string(left), cost - 1, "web"));
    left -= cost;
  }
  const ResourcePolicy fits = with_units("fits", 2, "db");
  const ResourcePolicy does_not = with_units("does-not", 3, "db");
  ResourcePolicy of_one_key = with_units("key", 0, "db");
  of_one_key.spec.match_label_keys = {"a"};
  const auto of_resources = [&](const char* name, ResourceList resources) {
    ResourcePolicy made = with_units(name, 1, "db");
    made.spec.units[0].max_resources = std::move(resources);
    return made;
  };
  const ResourcePolicy of_one_resource = of_resources("resource", list({{"cpu", "1"}}));
  ResourcePolicy invalid = fits;
  invalid.spec.strategy = OpenStrategy("prefers");
  struct Case {
    const char* name;
    Policies others;
    Strings errors;
    std::string invalid;  ///< of those for the pod
  };
  const std::string next = "policies[" + std::to_string(most.size()) + "].spec";
  const std::string after = "policies[" + std::to_string(most.size() + 1) + "].spec";
  const Case cases[] = {
      {"as many as may be", {fits}, {}, ""},
      {"one more", {does_not}, {"TooMany " + next}, "does-not"},
      {"a key counts four times", {of_one_key}, {"TooMany " + next}, "key"},
      {"a resource twice", {of_one_resource}, {"TooMany " + next}, "resource"},
      {"one resource less", {of_resources("none", {})}, {}, ""},
      {"what does not fit takes no room", {does_not, fits}, {"TooMany " + next}, "does-not"},
      {"nor does what is invalid", {invalid, fits}, {"NotSupported " + next + ".strategy"}, "fits"},
      {"one that fits, and one more",
       {fits, with_units("more", 0, "db")},
       {"TooMany " + after},
       "more"},
      {"in another namespace", {fits, with_units("elsewhere", max_units, "db", "other")}, {}, ""},
      {"no namespace is `default`", {with_units("unnamed", max_units, "db", ""), fits}, {}, ""},
  };
  const Pod of_db = pod("db-1", {{"app", "db"}});
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Policies all = most;
    all.insert(all.end(), c.others.begin(), c.others.end());
    AssumeCache state;
    CHECK(said(state.set_policies(all)) == c.errors);
    CHECK(state.invalid_policy(of_db).value_or("") == c.invalid);
    CHECK(!state.invalid_policy(pod("web-1", {{"app", "web"}})));
    for (const ResourcePolicy& other : c.others) {
      if (other.metadata.name == c.invalid) continue;
      const auto& units = other.spec.units;
      CHECK(state.cluster().usage(other.metadata.namespace_, other.metadata.name).size() ==
            units.size());
    }
  }
  Policies unnamed = most;  // and those of `default` are counted together
  for (ResourcePolicy& each : unnamed) each.metadata.namespace_.clear();
  unnamed.push_back(with_units("does-not", 3, "db", "default"));
  AssumeCache state;
  CHECK(said(state.set_policies(unnamed)) == Strings{"TooMany " + next});
  CHECK(message(state.set_policies(unnamed).front()) ==
        "`" + next +
            "`: too many `2049`: with the policies before it in its namespace: policies, units, "
            "twice what those limit and four times the match label keys must be at most 2048 (in "
            "`does-not`)");
}

TEST_CASE("what pods request counts where they are shown, assumed and nominated") {
  const ResourcePolicy limited =
      policy("web", {.pod_selector = pair("app", "web"),
                     .units = {with_resources({.name = "a", .node_selector = pair("pool", "a")},
                                              list({{"cpu", "2"}}))}});
  const auto of = [](const char* cpu, Pod pod) { return requesting(list({{"cpu", cpu}}), pod); };
  const auto requested = [](const AssumeCache& state) {
    const Pod other = pod("other", {{"app", "web"}});
    return said(state.cluster().prefilter(other).requested()).front();
  };
  AssumeCache state = two_pools({limited});
  CHECK(requested(state) == "0 cpu");
  state.observe_pod(of("500m", seen("p", "1", "a-1")));
  CHECK(requested(state) == "500m cpu");
  state.observe_pod(of("700m", seen("p", "1", "a-1")));  // resized
  CHECK(requested(state) == "700m cpu");
  ask_for(state, of("300m", seen("q", "2")), {"a-1", "b-1"});
  CHECK(requested(state) == "1 cpu");
  state.observe_pod(of("100m", seen("r", "3", "", "a-1")));
  CHECK(requested(state) == "1100m cpu");
  CHECK(state.set_policies(Policies{web}).empty());
  CHECK(state.set_policies(Policies{limited}).empty());
  CHECK(requested(state) == "1100m cpu");
  state.observe_pod(of("300m", seen("q", "2", "a-1")));
  CHECK(requested(state) == "1100m cpu");
  CHECK(state.assumed() == 0);
  state.show_pod_gone("shop", "p", "1");
  state.show_pod_gone("shop", "r", "3");
  CHECK(requested(state) == "300m cpu");
}

TEST_CASE("a bound pod is found by its uid, on its node") {
  AssumeCache state = two_pools();
  const auto found = [&](std::string_view uid, std::string_view on) {
    const auto name = state.bound_pod(uid, on);
    return name ? std::string(name->namespace_) + "/" + std::string(name->name) : "none";
  };
  state.observe_pod(seen("web-1", "1"));
  CHECK(found("1", "") == "none");
  state.observe_pod(seen("web-1", "1", "a-1"));
  CHECK(found("1", "a-1") == "shop/web-1");
  CHECK(found("1", "b-1") == "none");
  CHECK(found("2", "a-1") == "none");
  state.observe_pod(seen("web-1", "2", "a-1"));
  CHECK(found("1", "a-1") == "none");
  CHECK(found("2", "a-1") == "shop/web-1");
  state.observe_pod(terminal(seen("web-1", "2", "a-1")));
  CHECK(found("2", "a-1") == "none");
  state.observe_pod(seen("web-1", "3", "a-1"));
  CHECK(state.knows_pod("shop", "web-1", "3"));
  CHECK(!state.knows_pod("shop", "web-1", "2"));
  CHECK(!state.knows_pod("shop", "web-2", "3"));
  state.show_pod_gone("shop", "web-1", "3");
  CHECK(found("3", "a-1") == "none");
}

}  // namespace assume_cache_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
