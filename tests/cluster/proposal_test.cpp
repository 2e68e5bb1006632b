// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/resource_policy/validate.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cluster_proposal_test {

// The ResourcePolicy of the proposal: three units of 10, 10 and 20 pods, the first two preferred.

using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::Node;
using schedpol::Pod;
using schedpol::resource_policy::Cluster;
using schedpol::resource_policy::Code;
using schedpol::resource_policy::compile;
using schedpol::resource_policy::Filter;
using schedpol::resource_policy::normalise;
using schedpol::resource_policy::Prefilter;
using schedpol::resource_policy::Reason;
using schedpol::resource_policy::ResourcePolicy;
using schedpol::resource_policy::Strategy;
using schedpol::resource_policy::validate;
using Op = schedpol::LabelSelectorOperator;

ResourcePolicy proposed(Strategy strategy) {
  return {
      .metadata = {.name = "xxx", .namespace_ = "xxx"},
      .spec = {
          .match_label_keys = {"pod-template-hash"},
          .match_policy = {.ignore_terminating_pod = true},
          .pod_selector = LabelSelector{.match_labels = {{"key1", "value1"}},
                                        .match_expressions = {{.key = "key1",
                                                               .operator_ = Op::in,
                                                               .values = {"value1"}}}},
          .strategy = strategy,
          .units = {{.name = "unit1",
                     .priority = 5,
                     .max_count = 10,
                     .node_selector = LabelSelector{.match_expressions = {{.key = "key1",
                                                                           .operator_ = Op::in,
                                                                           .values = {"value1"}}}}},
                    {.name = "unit2",
                     .priority = 5,
                     .max_count = 10,
                     .node_selector = LabelSelector{.match_expressions = {{.key = "key1",
                                                                           .operator_ = Op::in,
                                                                           .values = {"value2"}}}}},
                    {.name = "unit3",
                     .priority = 4,
                     .max_count = 20,
                     .node_selector = LabelSelector{.match_labels = {{"key1", "value3"}}}}}}};
}

/// Two nodes of each unit and two outside.
std::vector<Node> cluster_nodes() {
  std::vector<Node> nodes;
  for (const std::string kind : {"value1", "value2", "value3", "other"}) {
    for (const std::string number : {"-1", "-2"}) {
      nodes.push_back({.metadata = {.name = kind + number, .labels = {{"key1", kind}}}});
    }
  }
  return nodes;
}

Pod replica(std::size_t number, const std::string& hash = "h1") {
  return {.metadata = {.name = "web-" + hash + "-" + std::to_string(number),
                       .namespace_ = "xxx",
                       .labels = {{"key1", "value1"}, {"pod-template-hash", hash}}}};
}

Cluster cluster_of(Strategy strategy) {
  auto compiled = compile(std::vector{proposed(strategy)});
  REQUIRE(static_cast<bool>(compiled));
  return Cluster(*std::move(compiled), cluster_nodes(), {});
}

/// The node a scheduler would choose: the first of the highest normalised score.
std::optional<std::string> chosen(const Cluster& cluster, const Pod& pod) {
  const Prefilter before = cluster.prefilter(pod);
  std::vector<std::string> feasible;
  std::vector<std::int64_t> scores;
  for (const Node& node : cluster_nodes()) {
    const Filter filter = before.filter(node.metadata.name);
    if (filter.code != Code::success) continue;
    feasible.push_back(node.metadata.name);
    scores.push_back(before.score(filter));
  }
  const std::vector<std::int64_t> normalised = normalise(scores);
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < feasible.size(); ++i) {
    if (!best || normalised[i] > normalised[*best]) best = i;
  }
  if (!best) return std::nullopt;
  CHECK(normalised[*best] == 100);
  return feasible[*best];
}

std::string kind_of(const std::string& node) {
  return node.substr(0, node.find('-'));
}

TEST_CASE("the policy of the proposal is valid") {
  for (const Strategy strategy : {Strategy::required, Strategy::prefer, Strategy::unset}) {
    const auto validation = validate(proposed(strategy));
    CHECK(validation.errors == std::vector<schedpol::FieldError>{});
    CHECK(validation.warnings == std::vector<schedpol::FieldError>{});
  }
}

TEST_CASE("under required the three units are filled, and then nothing is left") {
  Cluster cluster = cluster_of(Strategy::required);
  std::vector<std::string> kinds;
  for (std::size_t i = 0; i < 40; ++i) {
    CAPTURE(i);
    const auto node = chosen(cluster, replica(i));
    REQUIRE(node.has_value());
    kinds.push_back(kind_of(*node));
    cluster.bind(replica(i), *node);
  }
  std::vector<std::string> wanted(10, "value1");
  wanted.insert(wanted.end(), 10, "value2");
  wanted.insert(wanted.end(), 20, "value3");
  CHECK(kinds == wanted);

  CHECK(!chosen(cluster, replica(40)).has_value());
  const Prefilter before = cluster.prefilter(replica(40));
  CHECK((before.counts() == std::vector<std::int64_t>{10, 10, 20}));
  for (const Node& node : cluster_nodes()) {
    CAPTURE(node.metadata.name);
    const Filter filter = before.filter(node.metadata.name);
    const bool outside = kind_of(node.metadata.name) == "other";
    CHECK(to_string(filter.code) == (outside ? "UnschedulableAndUnresolvable" : "Unschedulable"));
    CHECK(to_string(filter.reason) == (outside ? "NodeNotInUnit" : "UnitFull"));
  }
}

TEST_CASE("under prefer the nodes outside the units come after them, without end") {
  Cluster cluster = cluster_of(Strategy::prefer);
  std::map<std::string, int> placed;
  for (std::size_t i = 0; i < 100; ++i) {
    CAPTURE(i);
    const auto node = chosen(cluster, replica(i));
    REQUIRE(node.has_value());
    const std::string kind = kind_of(*node);
    CHECK(kind == (i < 10 ? "value1" : i < 20 ? "value2" : i < 40 ? "value3" : "other"));
    ++placed[kind];
    cluster.bind(replica(i), *node);
    const auto cost = cluster.deletion_cost("xxx", replica(i).metadata.name);
    REQUIRE(cost.has_value());
    CHECK(*cost == (i < 20 ? 100 : i < 40 ? 80 : -20));
  }
  CHECK(placed["other"] == 60);
}

TEST_CASE("the next template has the units to itself, and freed places are taken again") {
  Cluster cluster = cluster_of(Strategy::required);
  for (std::size_t i = 0; i < 40; ++i) cluster.bind(replica(i), *chosen(cluster, replica(i)));
  for (std::size_t i = 0; i < 40; ++i) {
    CAPTURE(i);
    const auto node = chosen(cluster, replica(i, "h2"));
    REQUIRE(node.has_value());
    cluster.bind(replica(i, "h2"), *node);
  }
  CHECK(!chosen(cluster, replica(40)).has_value());
  CHECK(!chosen(cluster, replica(40, "h2")).has_value());

  cluster.unbind("xxx", replica(15).metadata.name);
  CHECK(kind_of(chosen(cluster, replica(40)).value_or("")) == "value2");
  CHECK(!chosen(cluster, replica(40, "h2")).has_value());

  // A pod that is being deleted gives its place back, since the policy ignores those.
  Pod leaving = replica(3, "h2");
  leaving.metadata.deletion_timestamp = "2030-01-01T00:00:00Z";
  cluster.bind(leaving, "value1-1");
  CHECK(kind_of(chosen(cluster, replica(40, "h2")).value_or("")) == "value1");
  CHECK(cluster.deletion_cost("xxx", leaving.metadata.name) == 100);
}

TEST_CASE("pods of other namespaces and labels are not the policy's") {
  Cluster cluster = cluster_of(Strategy::required);
  Pod elsewhere = replica(0);
  elsewhere.metadata.namespace_ = "yyy";
  Pod other = replica(0);
  other.metadata.labels = {{"key1", "value2"}};
  for (const Pod& pod : {elsewhere, other}) {
    const Prefilter before = cluster.prefilter(pod);
    CHECK(to_string(before.code()) == "Skip");
    CHECK(to_string(before.filter("other-1").code) == "Success");
    cluster.bind(pod, "value1-1");
    CHECK(!cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name).has_value());
  }
  CHECK((cluster.prefilter(replica(1)).counts() == std::vector<std::int64_t>{0, 0, 0}));
}

}  // namespace cluster_proposal_test
