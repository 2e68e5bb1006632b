// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/assume_cache.hpp>

#include "assumed_pods.hpp"

#include <functional>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace assume_cache_waiting_test {

using namespace assumed_pods;

TEST_CASE("a pod that no node takes waits, and it is told when one does") {
  using State = AssumeCache;
  const Pod first = seen("web-1", "1");
  const Pod at_a = seen("web-0", "0", "a-1");
  Unit one_of_a = pool_a;
  one_of_a.max_count = 1;
  ResourcePolicy tight = web;
  tight.spec.units = {one_of_a};
  const auto full = [&] {
    State state = two_pools({tight});
    state.observe_pod(at_a);
    state.observe_pod(first);
    state.assume(told(state, first, {}, {"a-1"}), 0);
    return state;
  };
  ResourcePolicy wrong = policy("wrong", {.strategy = OpenStrategy("prefers")});
  ResourcePolicy other = web;
  other.metadata.name = "other";
  using Step = std::function<void(State&)>;
  struct Case {
    std::string name;
    Step step;
    std::vector<WaitingPod> wanted;
  };
  const WaitingPod waits{"shop", "web-1", "1", "web", "it is full", false};
  WaitingPod fits = waits;
  fits.fits = true;
  WaitingPod of_none = waits;
  of_none.policy.clear();
  WaitingPod of_none_fits = of_none;
  of_none_fits.fits = true;
  const auto policies = [](Policies all) {
    return Step([=](State& state) { (void)state.set_policies(all); });
  };
  const Case cases[] = {
      {"nothing happens", [](State&) {}, {waits}},
      {"a place gets free", [](State& s) { s.show_pod_gone("shop", "web-0", "0"); }, {fits}},
      {"maxCount is raised", policies({web}), {fits}},
      {"the policy is gone", policies({}), {of_none_fits}},
      {"a second policy selects it", policies({web, other}), {of_none}},
      {"an invalid policy selects it too", policies({web, wrong}), {waits}},
      {"a node that it was not asked about takes it",
       [](State& s) {
         s.observe_node(node("a-2", {{"pool", "a"}}));
       },
       {waits}},
      {"the node gets into no unit", [](State& s) { s.observe_node(node("a-1", {})); }, {waits}},
      {"the node is gone", [](State& s) { s.show_node_gone("a-1"); }, {waits}},
      {"the node is gone, and another gets its number and takes it",
       [](State& s) {
         s.show_node_gone("a-1");
         s.observe_node(node("a-2", {{"pool", "a"}}));
       },
       {waits}},
      {"it is asked for again, and fits",
       [&](State& s) { s.assume(told(s, first, {"b-1"}), 0); },
       {}},
      {"it is bound", [](State& s) { s.observe_pod(seen("web-1", "1", "b-1")); }, {}},
      {"it is terminal", [&](State& s) { s.observe_pod(terminal(first)); }, {}},
      {"it is gone", [](State& s) { s.show_pod_gone("shop", "web-1", "1"); }, {}},
      {"its successor is there", [](State& s) { s.observe_pod(seen("web-1", "2")); }, {}},
      {"a pod that does not exist is asked for",
       [](State& s) { s.assume(told(s, seen("none", "3"), {}, {"a-1"}), 0); },
       {waits}},
      {"it is asked for again about no node",
       [&](State& s) { s.assume(told(s, first, {}), 0); },
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    State state = full();
    c.step(state);
    CHECK(state.waiting() == c.wanted);
    CHECK(state.assumed() == (c.name.ends_with("and fits") ? 1 : 0));
  }
  // The same of each that waits.
  State state = full();
  WaitingPod second = waits;
  second.name = "web-2";
  second.uid = "2";
  state.observe_pod(seen("web-2", "2"));
  state.assume(told(state, seen("web-2", "2"), {}, {"a-1"}), 0);
  state.show_node_gone("a-1");
  state.observe_node(node("a-2", {{"pool", "a"}}));
  CHECK(state.waiting() == std::vector{waits, second});
  // Other numbers of the nodes when policies come again.
  state = two_pools({tight});
  state.show_node_gone("c-1");
  state.observe_node(node("a-0", {{"pool", "a"}}));
  state.observe_pod(at_a);
  state.observe_pod(first);
  state.assume(told(state, first, {}, {"a-0"}), 0);
  ResourcePolicy roomy = tight;
  roomy.spec.units = {pool_a};
  CHECK(state.set_policies(Policies{roomy}).empty());
  CHECK(state.waiting() == std::vector{fits});
  // Of two that wait both are told, and both have the numbers of their nodes.
  state = two_pools({tight});
  state.show_node_gone("c-1");
  state.observe_node(node("a-0", {{"pool", "a"}}));
  state.observe_pod(at_a);
  for (const Pod& each : {first, seen("web-2", "2")}) {
    state.observe_pod(each);
    state.assume(told(state, each, {}, {"a-0"}), 0);
  }
  second.fits = true;
  CHECK(state.set_policies(Policies{roomy}).empty());
  CHECK(state.waiting() == std::vector{fits, second});
}

}  // namespace assume_cache_waiting_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
