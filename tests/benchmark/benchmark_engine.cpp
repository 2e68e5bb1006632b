// SPDX-License-Identifier: Apache-2.0
// How long a decision takes among many policies of which three apply, what it takes to compile all
// of them, and to replace one, a role or a binding.
#include <schedpol/engine/engine.hpp>

#include "../engine/clusters.hpp"
#include "inputs.hpp"

#include <cstddef>
#include <string>

namespace {

using benchmark::DoNotOptimize;
using benchmark::State;
using schedpol::benchmarks::demand;
using schedpol::benchmarks::time_operation;
using schedpol::benchmarks::value_of;
namespace engine = schedpol::engine;
namespace testing = schedpol::testing;

void decide(State& state, const char* cluster) {
  const auto policies = static_cast<std::size_t>(state.range(0));
  const engine::Engine all = value_of(engine::compile(testing::cluster_of(cluster, policies)));
  const engine::Request request{.object = testing::pod_of(policies)};
  const engine::Decision decision = all.decide(request);
  demand(decision.allowed && decision.steps.at(0).changes.size() == 3, "three policies apply");
  time_operation(state, [&] { DoNotOptimize(all.decide(request)); });
}
#define SCHEDPOL_CLUSTER_BENCHMARK(name, cluster) \
  BENCHMARK_CAPTURE(decide, name, cluster)        \
      ->Name("engine/" #name)                     \
      ->Arg(10)                                   \
      ->Arg(100)                                  \
      ->Arg(1000)                                 \
      ->Arg(10000)
SCHEDPOL_CLUSTER_BENCHMARK(scheduling_policy_by_rbac, "SchedulingPolicy by RBAC");
SCHEDPOL_CLUSTER_BENCHMARK(scheduling_policy_by_every, "SchedulingPolicy by every");
SCHEDPOL_CLUSTER_BENCHMARK(pod_scheduling_policy, "PodSchedulingPolicy");
SCHEDPOL_CLUSTER_BENCHMARK(cluster_pod_scheduling_policy, "ClusterPodSchedulingPolicy");
SCHEDPOL_CLUSTER_BENCHMARK(metadata_policy, "MetadataPolicy");
#undef SCHEDPOL_CLUSTER_BENCHMARK

constexpr const char* largest = "SchedulingPolicy by RBAC";

void compile_engine(State& state) {
  const auto policies = static_cast<std::size_t>(state.range(0));
  const engine::Configuration configuration = testing::cluster_of(largest, policies);
  demand(engine::compile(configuration).errors().empty(), "the cluster is right");
  time_operation(
      state, [&] { DoNotOptimize(engine::compile(configuration)); }, double(policies));
}
BENCHMARK(compile_engine)->Name("engine/compile")->Arg(1000)->Arg(10000);

void replace(State& state, const char* kind) {
  const auto policies = static_cast<std::size_t>(state.range(0));
  const engine::Configuration configuration = testing::cluster_of(largest, policies);
  const engine::Engine all = value_of(engine::compile(configuration));
  const engine::Objects changed = testing::one_changed(configuration.objects, kind);
  time_operation(state, [&] { DoNotOptimize(all.with(changed)); });
}
BENCHMARK_CAPTURE(replace, policy, "policy")->Name("engine/replace")->Arg(10000);
BENCHMARK_CAPTURE(replace, role, "role")->Name("engine/replace_a_role")->Arg(10000);
BENCHMARK_CAPTURE(replace, binding, "binding")->Name("engine/replace_a_binding")->Arg(10000);

}  // namespace

BENCHMARK_MAIN();
