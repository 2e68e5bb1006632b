// SPDX-License-Identifier: Apache-2.0
// How long schedpol takes: one check, the same from bytes, one pod against the nodes of a cluster,
// and how the two tables that can grow, policies and clusters, change that. benchmark_review.cpp
// has the way from an AdmissionReview to its response.
#include <schedpol/cluster.hpp>
#include <schedpol/schedpol.hpp>

#include "inputs.hpp"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using benchmark::DoNotOptimize;
using benchmark::State;
using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::LabelSelectorOperator;
using schedpol::Node;
using schedpol::NodeSelectorOperator;
using schedpol::Pod;
using schedpol::PodSpec;
using schedpol::Taint;
using schedpol::TaintEffect;
using schedpol::TolerationOperator;
using schedpol::benchmarks::decode_input;
using schedpol::benchmarks::demand;
using schedpol::benchmarks::input_part;
using schedpol::benchmarks::time_operation;
using schedpol::benchmarks::value_of;
using schedpol::scheduling_policy::EffectivePolicy;
using schedpol::scheduling_policy::RequirementPattern;
using schedpol::scheduling_policy::SchedulingPolicy;
using schedpol::scheduling_policy::TolerationPattern;
namespace json = schedpol::json;
namespace resource_policy = schedpol::resource_policy;
namespace scheduling_policy = schedpol::scheduling_policy;

std::string numbered(std::string_view name, std::size_t number) {
  return std::string(name) + "-" + std::to_string(number);
}

// --- W1: one pod spec against one policy

EffectivePolicy effective_policy() {
  const std::array policies = {decode_input<SchedulingPolicy>("w1-policy.json")};
  return scheduling_policy::merge(policies);
}

Pod pod_of(const std::string& input) {
  Pod pod;
  pod.spec = decode_input<PodSpec>(input);
  return pod;
}

void check(State& state, const std::string& input, bool allowed) {
  const EffectivePolicy effective = effective_policy();
  const Pod pod = pod_of(input);
  demand(scheduling_policy::check(pod, effective).empty() == allowed, "W1's verdict");
  time_operation(state, [&] { DoNotOptimize(scheduling_policy::check(pod, effective)); });
}
BENCHMARK_CAPTURE(check, allow, "w1-pod-spec-allow.json", true)->Name("W1/check/allow");
BENCHMARK_CAPTURE(check, deny, "w1-pod-spec-deny.json", false)->Name("W1/check/deny");

void check_bytes(State& state) {
  const EffectivePolicy effective = effective_policy();
  const std::string bytes = input_part("w1-pod-spec-allow.json", "");
  demand(bytes.size() == 854, "W1's spec has 854 bytes");
  json::Document read;
  time_operation(state, [&] {
    demand(read.parse(bytes), "W1's spec is a document");
    auto spec = json::decode<PodSpec>(read);
    demand(static_cast<bool>(spec), "W1's spec decodes");
    const Pod pod{.spec = *std::move(spec)};
    const auto violations = scheduling_policy::check(pod, effective);
    demand(violations.empty(), "W1's pod is allowed");
    DoNotOptimize(violations);
  });
}
BENCHMARK(check_bytes)->Name("W1j/check_bytes");

// --- W3: one pod against the nodes of a cluster

constexpr std::size_t node_count = 5000;

std::string padded(std::size_t number, std::size_t digits) {
  const std::string text = std::to_string(number);
  return std::string(digits - text.size(), '0') + text;
}

Node node(std::size_t i) {
  constexpr std::array zones = {"eu-west-1a", "eu-west-1b", "eu-west-1c"};
  constexpr std::array types = {"m6i.2xlarge", "m6i.4xlarge", "r6i.4xlarge", "c6i.8xlarge",
                                "m7g.4xlarge"};
  constexpr std::array disks = {"ssd", "nvme", "hdd"};
  constexpr std::array pools = {"general", "payments", "legacy", "gpu"};
  const std::string arch = i % 4 == 3 ? "arm64" : "amd64";
  Node made;
  made.metadata.name = "node-" + padded(i, 5);
  made.metadata.labels = {{"kubernetes.io/hostname", made.metadata.name},
                          {"kubernetes.io/os", "linux"},
                          {"beta.kubernetes.io/os", "linux"},
                          {"kubernetes.io/arch", arch},
                          {"beta.kubernetes.io/arch", arch},
                          {"topology.kubernetes.io/region", "eu-west-1"},
                          {"topology.kubernetes.io/zone", zones[i % 3]},
                          {"node.kubernetes.io/instance-type", types[i % 5]},
                          {"disk", disks[i / 3 % 3]},
                          {"node-pool", pools[i / 9 % 4]},
                          {"team", "team-" + padded(i % 17, 2)},
                          {"kernel", "6.1." + std::to_string(i % 40)}};
  std::vector<Taint>& taints = made.spec.taints;
  if (i % 5 == 0) taints.push_back({"dedicated", "gpu", TaintEffect::no_schedule});
  if (i % 7 == 0) taints.push_back({"dedicated", "infra", TaintEffect::no_schedule});
  if (i % 11 == 0) taints.push_back({"spot", "true", TaintEffect::prefer_no_schedule});
  if (i % 13 == 0)
    taints.push_back({"node.kubernetes.io/memory-pressure", "", TaintEffect::no_schedule});
  return made;
}

const std::vector<Node>& nodes() {
  static const std::vector<Node> all = [] {
    std::vector<Node> made;
    made.reserve(node_count);
    for (std::size_t i = 0; i < node_count; ++i) made.push_back(node(i));
    return made;
  }();
  return all;
}

LabelSelector linux_but_not_legacy() {
  LabelSelector selector;
  selector.match_labels = {{"kubernetes.io/os", "linux"}};
  selector.match_expressions = {{"node-pool", LabelSelectorOperator::not_in, {"legacy"}}};
  return selector;
}

// Nodes that match by selector, by nodeSelector and affinity, by taints, by all three.
using Counts = std::array<std::size_t, 4>;
constexpr Counts wanted_counts = {3749, 417, 3955, 219};

// A snapshot is indexed once; what the pod asks for is compiled each time.
void match_nodes(State& state) {
  const Pod pod = pod_of("w1-pod-spec-allow.json");
  const LabelSelector selector = linux_but_not_legacy();
  const schedpol::NodeTable table(nodes());
  const auto match = [&] {
    schedpol::NodeSet selected = table.matching(value_of(schedpol::compile(selector)));
    const schedpol::NodeSet attracted = table.matching(schedpol::NodeAffinityMatcher(pod.spec));
    const schedpol::NodeSet tolerated = table.tolerated_by(pod.spec.tolerations);
    Counts matching = {selected.size(), attracted.size(), tolerated.size(), 0};
    matching[3] = ((selected &= attracted) &= tolerated).size();
    return matching;
  };
  demand(match() == wanted_counts, "W3's counts");
  time_operation(
      state, [&] { DoNotOptimize(match()); }, node_count);
}
BENCHMARK(match_nodes)->Name("W3/match_nodes");

void index_nodes(State& state) {
  const std::vector<Node>& all = nodes();
  time_operation(
      state, [&] { DoNotOptimize(schedpol::NodeTable(all).size()); }, node_count);
}
BENCHMARK(index_nodes)->Name("W3/index_nodes");

// One node after the other, as they are.
void match_each_node(State& state) {
  const Pod pod = pod_of("w1-pod-spec-allow.json");
  const auto labels = value_of(schedpol::compile(linux_but_not_legacy()));
  const schedpol::NodeAffinityMatcher affinity(pod.spec);
  const std::vector<Node>& all = nodes();
  const auto match = [&] {
    Counts matching{};
    for (const Node& candidate : all) {
      const bool selected = labels.matches(candidate.metadata.labels);
      const bool attracted = affinity.matches(candidate);
      const bool tolerated = schedpol::tolerates_all(pod.spec.tolerations, candidate.spec.taints);
      matching[0] += selected;
      matching[1] += attracted;
      matching[2] += tolerated;
      matching[3] += selected && attracted && tolerated;
    }
    return matching;
  };
  demand(match() == wanted_counts, "W3's counts");
  time_operation(
      state, [&] { DoNotOptimize(match()); }, node_count);
}
BENCHMARK(match_each_node)->Name("W3/match_each_node");

// --- Scale: entries a list

constexpr std::size_t policy_count = 10;

// A tenth of the entries in each of ten policies; `add` puts entry i into a policy.
template <class Add>
EffectivePolicy merged(std::size_t entries, Add add) {
  std::vector<SchedulingPolicy> policies(policy_count);
  for (std::size_t i = 0; i < policy_count; ++i) {
    policies[i].metadata.name = numbered("policy", i);
    policies[i].spec.allowed.scheduler_names = {"default-scheduler"};
    const std::size_t share = entries / policy_count;
    for (std::size_t j = 0; j < share; ++j) add(policies[i].spec.allowed, i * share + j);
  }
  return scheduling_policy::merge(policies);
}

void check_last(State& state, const Pod& pod, const Pod& other, const EffectivePolicy& effective) {
  demand(scheduling_policy::check(pod, effective).empty(), "the last entry permits the pod");
  demand(!scheduling_policy::check(other, effective).empty(), "no other entry permits the other");
  time_operation(state, [&] { DoNotOptimize(scheduling_policy::check(pod, effective)); });
}

std::size_t entries_of(const State& state) {
  return static_cast<std::size_t>(state.range(0));
}

void scheduler_names(State& state) {
  const std::size_t entries = entries_of(state);
  const auto effective = merged(entries, [](auto& allowed, std::size_t i) {
    allowed.scheduler_names.list().push_back(numbered("scheduler", i));
  });
  const auto pod = [](std::size_t i) {
    Pod made;
    made.spec.scheduler_name = numbered("scheduler", i);
    return made;
  };
  check_last(state, pod(entries - 1), pod(entries), effective);
}

void node_selector_values(State& state) {
  const std::size_t entries = entries_of(state);
  const auto effective = merged(entries, [](auto& allowed, std::size_t i) {
    allowed.node_selectors.list()["disk"].list().push_back(numbered("disk", i));
  });
  const auto pod = [](std::size_t i) {
    Pod made;
    made.spec.node_selector = {{"disk", numbered("disk", i)}};
    return made;
  };
  check_last(state, pod(entries - 1), pod(entries), effective);
}

void toleration_patterns(State& state) {
  const std::size_t entries = entries_of(state);
  const auto effective = merged(entries, [](auto& allowed, std::size_t i) {
    TolerationPattern pattern;
    pattern.keys = {numbered("taint", i)};
    pattern.operators = {TolerationOperator::equal};
    pattern.values = {"true"};
    pattern.effects = {TaintEffect::no_schedule};
    allowed.tolerations.list().push_back(std::move(pattern));
  });
  const auto pod = [](std::size_t i) {
    Pod made;
    made.spec.tolerations = {
        {numbered("taint", i), TolerationOperator::equal, "true", TaintEffect::no_schedule, {}}};
    return made;
  };
  check_last(state, pod(entries - 1), pod(entries), effective);
}

void requirement_patterns(State& state) {
  const std::size_t entries = entries_of(state);
  const auto effective = merged(entries, [](auto& allowed, std::size_t i) {
    auto& terms = allowed.affinities.list()
                      .node_affinities.list()
                      .required_during_scheduling_ignored_during_execution.list()
                      .node_selector_terms;
    if (terms.empty()) terms.emplace_back();
    RequirementPattern pattern;
    pattern.keys = {numbered("label", i)};
    pattern.operators = {NodeSelectorOperator::in};
    pattern.values = {"true"};
    terms.front().match_expressions.list().push_back(std::move(pattern));
  });
  const auto pod = [](std::size_t i) {
    schedpol::NodeSelectorTerm term;
    term.match_expressions = {{numbered("label", i), NodeSelectorOperator::in, {"true"}}};
    Pod made;
    auto& affinity = made.spec.affinity.emplace().node_affinity.emplace();
    affinity.required_during_scheduling_ignored_during_execution.emplace()
        .node_selector_terms.push_back(std::move(term));
    return made;
  };
  check_last(state, pod(entries - 1), pod(entries), effective);
}

#define SCHEDPOL_SCALE_BENCHMARK(function) \
  BENCHMARK(function)->Name("policies/" #function)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000)
SCHEDPOL_SCALE_BENCHMARK(scheduler_names);
SCHEDPOL_SCALE_BENCHMARK(node_selector_values);
SCHEDPOL_SCALE_BENCHMARK(toleration_patterns);
SCHEDPOL_SCALE_BENCHMARK(requirement_patterns);
#undef SCHEDPOL_SCALE_BENCHMARK

// --- Scale: pods of a cluster

constexpr std::size_t namespace_count = 10;

// One policy a namespace: a unit for each zone, which no count ever fills.
resource_policy::CompiledPolicies resource_policies() {
  std::vector<resource_policy::ResourcePolicy> policies(namespace_count);
  for (std::size_t i = 0; i < namespace_count; ++i) {
    policies[i].metadata.name = "zones";
    policies[i].metadata.namespace_ = numbered("namespace", i);
    auto& spec = policies[i].spec;
    spec.match_label_keys = {"pod-template-hash"};
    spec.pod_selector = {{.match_labels = {{"app", "web"}}}};
    std::int32_t priority = 0;
    for (const auto* zone : {"eu-west-1a", "eu-west-1b", "eu-west-1c"}) {
      resource_policy::Unit unit;
      unit.name = zone;
      unit.priority = ++priority;
      unit.max_count = 1'000'000;
      unit.node_selector = {{.match_labels = {{"topology.kubernetes.io/zone", zone}}}};
      spec.units.push_back(std::move(unit));
    }
  }
  return value_of(resource_policy::compile(policies));
}

// The label values, and so the groups in which pods are counted, do not grow with the pods.
Pod cluster_pod(std::string_view name, std::size_t i) {
  Pod pod;
  pod.metadata.name = numbered(name, i);
  pod.metadata.namespace_ = numbered("namespace", i % namespace_count);
  pod.metadata.labels = {{"app", "web"}, {"pod-template-hash", numbered("hash", i / 10 % 8)}};
  return pod;
}

std::vector<Pod> running_pods(std::size_t count) {
  std::vector<Pod> pods;
  pods.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    pods.push_back(cluster_pod("running", i));
    pods.back().spec.node_name = nodes()[i % node_count].metadata.name;
    pods.back().status.phase = "Running";
  }
  return pods;
}

void cluster_build(State& state) {
  const auto policies = resource_policies();
  const auto pods = running_pods(entries_of(state));
  time_operation(
      state, [&] { DoNotOptimize(resource_policy::Cluster(policies, nodes(), pods)); },
      static_cast<double>(pods.size()));
}

// A cluster is built once for both benchmarks that ask it, because that takes the longest.
resource_policy::Cluster& cluster(std::size_t pods) {
  static std::map<std::size_t, std::unique_ptr<resource_policy::Cluster>> clusters;
  auto& made = clusters[pods];
  if (!made) {
    made = std::make_unique<resource_policy::Cluster>(resource_policies(), nodes(),
                                                      running_pods(pods));
  }
  return *made;
}

// Pods that are not there yet, each with a node of its own.
std::vector<Pod> incoming_pods() {
  std::vector<Pod> pods;
  for (std::size_t i = 0; i < 1000; ++i) {
    pods.push_back(cluster_pod("incoming", i));
    pods.back().spec.node_name = nodes()[i * 7 % node_count].metadata.name;
  }
  return pods;
}

void cluster_filter(State& state) {
  const auto& filtering = cluster(entries_of(state));
  const auto pods = incoming_pods();
  std::size_t next = 0;
  time_operation(state, [&] {
    const Pod& pod = pods[next++ % pods.size()];
    const auto filter = filtering.prefilter(pod).filter(pod.spec.node_name);
    demand(filter.code == resource_policy::Code::success, "there is room for every pod");
    DoNotOptimize(filter);
  });
}

void cluster_bind(State& state) {
  auto& binding = cluster(entries_of(state));
  const auto pods = incoming_pods();
  const auto before = binding.prefilter(pods.front()).counts();
  std::size_t next = 0;
  time_operation(state, [&] {
    const Pod& pod = pods[next++ % pods.size()];
    binding.bind(pod, pod.spec.node_name);
    binding.unbind(pod.metadata.namespace_, pod.metadata.name);
  });
  demand(binding.prefilter(pods.front()).counts() == before,
         "unbinding takes back what binding did");
}

BENCHMARK(cluster_build)
    ->Name("cluster/build")
    ->Arg(15'000)
    ->Arg(150'000)
    ->Unit(benchmark::kMillisecond);
BENCHMARK(cluster_filter)->Name("cluster/prefilter_and_filter")->Arg(15'000)->Arg(150'000);
BENCHMARK(cluster_bind)->Name("cluster/bind_and_unbind")->Arg(15'000)->Arg(150'000);

// A node comes back under other labels, in a cluster with 30 pods a node.
void cluster_relabel(State& state) {
  auto& changing = cluster(150'000);
  Node changed = nodes()[7];
  std::size_t next = 0;
  time_operation(state, [&] {
    changed.metadata.labels["topology.kubernetes.io/zone"] =
        ++next % 2 == 0 ? "eu-west-1a" : "eu-west-1b";
    changing.add_node(changed);
  });
  changing.add_node(nodes()[7]);
}

void cluster_remove_and_add(State& state) {
  auto& changing = cluster(150'000);
  time_operation(state, [&] {
    changing.remove_node(nodes()[7].metadata.name);
    changing.add_node(nodes()[7]);
  });
}

BENCHMARK(cluster_relabel)->Name("cluster/relabel_a_node");
BENCHMARK(cluster_remove_and_add)->Name("cluster/remove_and_add_a_node");

// --- W4: a scheduling loop; pods come and leave again

constexpr std::size_t loop_nodes = 2000;
constexpr std::size_t loop_running = 3000;  // so many pods stay, then the oldest leaves
constexpr std::size_t loop_kinds = 60;

resource_policy::CompiledPolicies loop_policies() {
  std::vector<resource_policy::ResourcePolicy> policies(namespace_count);
  for (std::size_t i = 0; i < namespace_count; ++i) {
    policies[i].metadata.name = "zones";
    policies[i].metadata.namespace_ = numbered("namespace", i);
    policies[i].spec.match_label_keys = {"pod-template-hash"};
    policies[i].spec.pod_selector = {{.match_labels = {{"app", "web"}}}};
    const auto unit = [&](const char* zone, std::int32_t priority,
                          std::optional<std::int32_t> max) {
      policies[i].spec.units.push_back(
          {.name = zone,
           .priority = priority,
           .max_count = max,
           .node_selector =
               LabelSelector{.match_labels = {{"topology.kubernetes.io/zone", zone}}}});
    };
    unit("eu-west-1a", 3, 20);
    unit("eu-west-1b", 2, 20);
    unit("eu-west-1c", 1, std::nullopt);
  }
  return value_of(resource_policy::compile(policies));
}

// Pods like those of a Deployment each: alike but for their names.
Pod loop_pod(std::size_t kind) {
  constexpr std::array zones = {"eu-west-1a", "eu-west-1b", "eu-west-1c"};
  Pod pod;
  pod.metadata.namespace_ = numbered("namespace", kind % namespace_count);
  pod.metadata.labels = {{"app", "web"}, {"pod-template-hash", numbered("hash", kind)}};
  if (kind % 2 == 0)
    pod.spec.tolerations = {
        {"dedicated", TolerationOperator::equal, "gpu", TaintEffect::no_schedule, {}}};
  auto& affinity = pod.spec.affinity.emplace().node_affinity.emplace();
  affinity.required_during_scheduling_ignored_during_execution.emplace().node_selector_terms = {
      {.match_expressions = {{"disk", NodeSelectorOperator::in, {"ssd", "nvme"}},
                             {"node-pool", NodeSelectorOperator::not_in, {"legacy"}}}}};
  affinity.preferred_during_scheduling_ignored_during_execution = {
      {10,
       {.match_expressions = {{"topology.kubernetes.io/zone",
                               NodeSelectorOperator::in,
                               {zones[kind % zones.size()]}}}}},
      {5, {.match_expressions = {{"team", NodeSelectorOperator::in, {"team-03"}}}}}};
  return pod;
}

struct Loop {
  resource_policy::Cluster cluster{loop_policies(), std::span(nodes()).first(loop_nodes), {}};
  std::vector<Pod> kinds = [] {
    std::vector<Pod> made;
    for (std::size_t i = 0; i < loop_kinds; ++i) made.push_back(loop_pod(i));
    return made;
  }();
  std::vector<std::string> running = std::vector<std::string>(loop_running);  // by slot
  std::size_t arrived = 0;

  // Where the next pod goes: of the nodes of the highest score one after the other.
  std::size_t step() {
    Pod& pod = kinds[arrived % loop_kinds];
    const std::size_t slot = arrived++ % loop_running;
    if (!running[slot].empty())
      cluster.unbind(kinds[slot % loop_kinds].metadata.namespace_, running[slot]);
    pod.metadata.name = numbered("pod", arrived);
    const schedpol::NodeAffinityMatcher affinity(pod.spec);
    const auto prefilter = cluster.prefilter(pod);
    const schedpol::NodeSet feasible = cluster.nodes().matching(affinity) &
                                       cluster.nodes().tolerated_by(pod.spec.tolerations) &
                                       prefilter.feasible();
    std::vector<std::int64_t> scores =
        schedpol::normalise_by_highest(cluster.nodes().scores(affinity), feasible);
    const auto by_policy = resource_policy::normalise(prefilter.scores(feasible), feasible);
    for (const std::size_t number : feasible) scores[number] += by_policy[number];
    const schedpol::NodeSet best = schedpol::highest(scores, feasible);
    demand(!best.empty(), "every pod of W4 has a node");
    const std::size_t chosen =
        *std::next(best.begin(), static_cast<std::ptrdiff_t>(arrived % best.size()));
    cluster.bind(pod, cluster.nodes().name(chosen));
    running[slot] = pod.metadata.name;
    return chosen;
  }
};

// The nodes that the first pods go to, as the loop in Go finds them.
void scheduling_loop(State& state) {
  Loop loop;
  std::size_t sum = 0;
  for (std::size_t i = 0; i < 6000; ++i) sum += loop.step() * (i % 7 + 1);
  demand(sum == 24'424'066, "W4's nodes, not " + std::to_string(sum));
  time_operation(state, [&] { DoNotOptimize(loop.step()); });
}
BENCHMARK(scheduling_loop)->Name("W4/loop");

// --- W5: the same with what bound pods decide: 5,000 nodes, 50,000 pods of 1,000 Deployments in 50
// namespaces; one Deployment in ten has a spread constraint, one in ten required anti-affinity

constexpr std::size_t spread_running = 50'000;
constexpr std::size_t spread_kinds = 1'000;

Pod spread_pod(std::size_t kind) {
  Pod pod;
  pod.metadata.namespace_ = numbered("namespace", kind % 50);
  pod.metadata.labels = {{"app", numbered("app", kind)},
                         {"pod-template-hash", numbered("hash", kind)}};
  pod.spec.containers = {
      {.resources = {.requests = {{"cpu", *schedpol::Quantity::parse("250m")},
                                  {"memory", *schedpol::Quantity::parse("1Gi")}}}}};
  const schedpol::LabelSelector own = {.match_labels = {{"app", numbered("app", kind)}}};
  if (kind % 10 == 0)
    pod.spec.topology_spread_constraints = {
        {.max_skew = 1,
         .topology_key = "topology.kubernetes.io/zone",
         .when_unsatisfiable = schedpol::WhenUnsatisfiable::do_not_schedule,
         .label_selector = own,
         .match_label_keys = {"pod-template-hash"}}};
  if (kind % 10 == 5)
    pod.spec.affinity.emplace()
        .pod_anti_affinity.emplace()
        .required_during_scheduling_ignored_during_execution = {
        {.label_selector = own, .topology_key = "kubernetes.io/hostname"}};
  return pod;
}

// Bytes that are allocated.
std::size_t allocated() {
  return mallinfo2().uordblks;
}

struct SpreadLoop {
  static schedpol::BoundPods of_nodes() {
    std::vector<schedpol::Node> with_room = nodes();
    for (schedpol::Node& node : with_room)
      node.status.allocatable = {{"cpu", *schedpol::Quantity::parse("16")},
                                 {"memory", *schedpol::Quantity::parse("64Gi")},
                                 {"pods", *schedpol::Quantity::parse("110")}};
    return schedpol::BoundPods(with_room);
  }

  schedpol::BoundPods pods = of_nodes();
  std::vector<Pod> kinds = [] {
    std::vector<Pod> made;
    for (std::size_t i = 0; i < spread_kinds; ++i) made.push_back(spread_pod(i));
    return made;
  }();
  std::size_t arrived = 0;

  void step() {
    Pod& pod = kinds[arrived % spread_kinds];
    if (arrived >= spread_running)
      pods.unbind(pod.metadata.namespace_, numbered("pod", arrived - spread_running));
    pod.metadata.name = numbered("pod", arrived++);
    const auto fit = pods.fit(pod);
    demand(fit && !fit->feasible.empty(), "every pod of W5 has a node");
    const auto scores = pods.least_allocated(pod, fit->feasible);
    const std::size_t chosen = *schedpol::choose(scores, fit->feasible, arrived);
    demand(pods.bind(pod, pods.nodes().name(chosen)).empty(), "every pod of W5 is bound");
  }
};

void spread_loop(State& state) {
  const std::size_t before = allocated();
  SpreadLoop loop;
  const std::size_t with_nodes = allocated();
  for (std::size_t i = 0; i < spread_running; ++i) loop.step();
  state.counters["bytes_a_node"] =
      static_cast<double>(with_nodes - before) / static_cast<double>(nodes().size());
  state.counters["bytes_a_pod"] =
      static_cast<double>(allocated() - with_nodes) / static_cast<double>(spread_running);
  time_operation(state, [&] { loop.step(); });
}
BENCHMARK(spread_loop)->Name("W5/spread");

}  // namespace

BENCHMARK_MAIN();
