// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>

#include "units.hpp"

#include <cstddef>
#include <string>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace held_pods_test {

using namespace units;

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

}  // namespace held_pods_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
