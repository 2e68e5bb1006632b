// SPDX-License-Identifier: Apache-2.0
#include <schedpol/cluster/assume_cache.hpp>

#include "assumed_pods.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace assume_cache_laws_test {

using namespace assumed_pods;

/// A scheduler, an API server, and a watch that is late.
struct Simulation {
  explicit Simulation(std::uint32_t seed) : random(seed) {}

  /// Fills the units until nothing fits, and checks that they hold. How many pods were placed.
  std::size_t run() {
    const std::vector<std::string> pools = {"a", "b", "ab"};
    Unit a = pool_a;
    Unit b = pool_b;
    a.node_selector.emplace().match_expressions = {
        {.key = "pool", .operator_ = Op::in, .values = {"a", "ab"}}};
    b.node_selector.emplace().match_expressions = {
        {.key = "pool", .operator_ = Op::in, .values = {"b", "ab"}}};
    a.max_count = static_cast<std::int32_t>(random.below(5));
    b.max_count = static_cast<std::int32_t>(random.below(5));
    const ResourcePolicy filled = policy(
        "web",
        {.strategy = random.chance(30) ? Strategy::prefer : Strategy::required, .units = {a, b}});
    for (std::size_t i = 0; i < 1 + random.below(5); ++i) {
      nodes.push_back(node("n-" + std::to_string(i), {{"pool", random.pick(pools)}}));
      state.observe_node(nodes.back());
    }
    CHECK(state.set_policies(Policies{filled}).empty());
    for (int i = 0; i < 12; ++i) state.observe_pod(pending("web-" + std::to_string(i)));
    std::size_t placed = 0;
    for (std::int64_t now = 0; now < 60; ++now) {
      const std::string name = "web-" + std::to_string(random.below(12));
      if (random.chance(15)) remove(name);
      if (!bound.contains(name)) {
        placed += schedule(name, now);
      }
      while (!late.empty() && random.chance(lateness)) {
        state.observe_pod(late.front());
        late.pop_front();
      }
      check(a, b);
    }
    return placed;
  }

  Pod pending(const std::string& name) {
    return seen(name, name + "-" + std::to_string(lives[name]));
  }

  std::size_t schedule(const std::string& name, std::int64_t now) {
    const Pod asked = pending(name);
    if (!state.knows_pod("shop", name, asked.metadata.uid)) return 0;
    const Prefilter before = state.cluster().prefilter(asked);
    Strings fits;
    for (const Node& each : nodes) {
      if (before.filter(each.metadata.name).code == Code::success)
        fits.push_back(each.metadata.name);
    }
    state.assume(told(state, asked, fits), now);
    // The scheduler may still find it cannot, or fail to bind.
    if (fits.empty() || random.chance(10)) return 0;
    Pod placed = asked;
    placed.spec.node_name = random.pick(fits);
    bound[name] = placed;
    late.push_back(placed);
    return 1;
  }

  void remove(const std::string& name) {
    const auto found = bound.find(name);
    if (found == bound.end()) return;
    // The watch shows all that was before, then that it is gone.
    while (!late.empty()) {
      state.observe_pod(late.front());
      late.pop_front();
    }
    const ObjectMeta& metadata = found->second.metadata;
    state.show_pod_gone(metadata.namespace_, metadata.name, metadata.uid);
    ++lives[name];
    bound.erase(found);
    late.push_back(pending(name));
  }

  void check(const Unit& a, const Unit& b) const {
    std::int64_t in_a = 0;
    std::int64_t in_b = 0;
    for (const auto& [name, pod] : bound) {
      const auto at = std::find_if(nodes.begin(), nodes.end(), [&, &pod = pod](const Node& each) {
        return each.metadata.name == pod.spec.node_name;
      });
      const std::string& pool = at->metadata.labels.at("pool");
      in_a += pool == "b" ? 0 : 1;
      in_b += pool == "a" ? 0 : 1;
    }
    CHECK(in_a <= *a.max_count);
    CHECK(in_b <= *b.max_count);
  }

  testing::Random random;
  std::size_t lateness = random.below(101);  ///< 0: the watch shows nothing but by chance
  AssumeCache state;
  std::vector<Node> nodes;
  std::map<std::string, Pod> bound;
  std::map<std::string, int> lives;
  std::deque<Pod> late;  ///< what the watch has still to show
};

TEST_CASE("law: a unit never gets one pod too many, however late the watch is") {
  std::size_t placed = 0;
  for (int i = 0; i < testing::tries(400); ++i)
    placed += Simulation(static_cast<std::uint32_t>(i)).run();
  CHECK(placed > static_cast<std::size_t>(testing::at_least(500)));
}

}  // namespace assume_cache_laws_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
