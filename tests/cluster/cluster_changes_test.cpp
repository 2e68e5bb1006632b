// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>

#include "units.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace cluster_changes_test {

using namespace units;

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

}  // namespace cluster_changes_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
