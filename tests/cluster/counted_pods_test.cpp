// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>

#include "units.hpp"

#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace counted_pods_test {

using namespace units;

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

}  // namespace counted_pods_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
