// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/bound_pods.hpp>
#include <schedpol/core/pod_affinity.hpp>

#include "bindings.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace bound_pods_laws_test {

using namespace bindings;

using schedpol::testing::PlainSpread;
using schedpol::testing::Random;
using schedpol::testing::Spread;
using schedpol::testing::times;
using schedpol::testing::tries;

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
    Node made = bindings::node(name, labels, amounts("4", "4Gi", "6"));
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
    Pod made = bindings::pod("", labels(), random_.pick(namespaces_));
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

}  // namespace bound_pods_laws_test
