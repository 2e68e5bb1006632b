// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/nearest_fix.hpp>

#include "fixes.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace nearest_fix_budget_test {

using namespace fixes;

TEST_CASE("what takes too much to find out is an error, and no fix that might not be the nearest") {
  const auto requiring = [](std::size_t count, const Texts& more_keys) {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    for (std::size_t i = 0; i < count; ++i) {
      Texts keys = more_keys;
      keys.push_back("k" + std::to_string(i));
      spec.required.tolerations.list().push_back({std::move(keys), any, any, any});
    }
    return effective(spec);
  };
  // One toleration may meet them all.
  CHECK((*find_fix({}, requiring(max_fixed_requirements, {"all"}))).changes.size() == 1);
  // Nor is it too much for a pod that meets most.
  Pod most;
  for (int i = 1; i < 30; ++i) most.spec.tolerations.push_back({.key = "k" + std::to_string(i)});
  CHECK((*find_fix(most, requiring(30, {}))).changes.size() == 1);
  const auto many = nearest_fix({}, requiring(max_fixed_requirements + 1, {"all"}));
  REQUIRE_FALSE(many);
  CHECK(many.errors().front().type == ErrorType::too_many);
  // Lists of which each has to be compared with each.
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.allowed.tolerations = {{{"k"}, any, any, any}};
  const auto with = [&](std::size_t count) {
    Pod pod;
    for (std::size_t i = 0; i < count; ++i)
      pod.spec.tolerations.push_back({.key = i % 2 == 0 ? "k" : "bad", .value = std::to_string(i)});
    return nearest_fix(pod, effective(spec));
  };
  CHECK((**with(1'000)).changes.size() == 500);
  CHECK_FALSE(with(3'700));
}

/// Gives terms of pod affinity, all alike.
void give(std::optional<Affinity>& affinity, const char* key, std::size_t count) {
  affinity.emplace().pod_affinity.emplace().required_during_scheduling_ignored_during_execution =
      std::vector<PodAffinityTerm>(count, {.topology_key = key});
}

TEST_CASE("what has to be looked at uses up a budget that is smaller") {
  const struct {
    const char* name;
    void (*says)(SchedulingPolicySpec&, Options&);
    Asks asks;
    std::size_t steps;
  } cases[] = {
      {"the entries of a policy",
       [](auto& spec, auto&) {
         for (int i = 0; i < 1'000; ++i)
           spec.allowed.priority_class_names.list().push_back(std::to_string(i));
       },
       [](auto&) {}, 6'000},
      {"and once more those of a component that is fixed",
       [](auto& spec, auto&) {
         for (int i = 0; i < 1'000; ++i)
           spec.allowed.priority_class_names.list().push_back(std::to_string(i));
       },
       [](auto& pod) { pod.priority_class_name = "other"; }, 18'000},
      {"the items of a pod", [](auto& spec, auto&) { spec.allowed.tolerations = any; },
       [](auto& pod) { pod.tolerations.resize(1'000); }, 6'000},
      {"each toleration against each that is left",
       [](auto& spec, auto&) {
         spec.allowed.tolerations = {{{"k"}, any, any, any}};
       },
       [](auto& pod) {
         for (int i = 0; i < 600; ++i)
           pod.tolerations.push_back({.key = i % 2 == 0 ? "k" : "bad", .value = std::to_string(i)});
       },
       600 * 300},
      {"each term of a pod against each that is given",
       [](auto& spec, auto&) { give(spec.defaults.affinity, "k", 600); },
       [](auto& pod) { give(pod.affinity, "k", 599); }, 1'000'000},
      {"each term against each that is exempt",
       [](auto& spec, auto& options) {
         give(spec.defaults.affinity, "k", 1);
         give(options.exempt.affinity, "e", 1'000);
       },
       [](auto& pod) { give(pod.affinity, "bad", 1'000); }, 2'000'000},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    Options options;
    c.says(spec, options);
    Pod pod;
    c.asks(pod.spec);
    const EffectivePolicy policy = effective(spec);
    schedpol::detail::Budget budget(c.steps);
    CHECK_FALSE(scheduling_policy::detail::PodFixer(pod, policy, options, budget).run());
    CHECK(budget.used_up());
  }
}

TEST_CASE("wherever a budget is used up there is no fix, and else always the same") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = {"own"};
  spec.allowed.priority_class_names = {"gold"};
  spec.required.node_selectors = {{"disk", {"ssd"}}};
  spec.required.tolerations = {{{"a"}, any, any, any}, {{"b"}, any, any, any}};
  auto& kinds = spec.required.affinities.list();
  kinds.node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{.match_expressions = {{Texts{"arch"}, any, any}}}};
  spec.defaults.affinity.emplace()
      .pod_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = terms_called({'a', 'b'});
  Pod pod;
  pod.spec.priority_class_name = "silver";
  pod.spec.tolerations = {{.key = "spot"}};
  Affinity& asked = pod.spec.affinity.emplace();
  asked.pod_affinity.emplace().required_during_scheduling_ignored_during_execution =
      terms_called({'b', 'x'});
  Options options;
  options.exempt.affinity.emplace()
      .pod_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = terms_called({'e'});
  const EffectivePolicy policy = effective(spec);
  const auto whole = find_fix(pod, policy, options);
  REQUIRE(whole);
  CHECK(whole->changes.size() == 8);
  std::size_t steps = 0;
  for (bool is_over = false; !is_over; steps += 19) {
    CAPTURE(steps);
    schedpol::detail::Budget budget(steps);
    const auto fix = scheduling_policy::detail::PodFixer(pod, policy, options, budget).run();
    is_over = !budget.used_up();
    REQUIRE(fix.has_value() == is_over);
    if (fix) CHECK(*fix == *whole);
  }
  CHECK(steps > 1'000);
}

}  // namespace nearest_fix_budget_test
