// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/count_allocations.hpp"
#include "../support/list.hpp"
#include "../support/print.hpp"

#include <cstddef>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace allocation_test {

using schedpol::testing::List;

/// The allocations of one check, and its verdict.
struct Counted {
  std::size_t allocations = 0;
  bool allowed = false;
};

Counted count(const Pod& pod, const EffectivePolicy& effective, const Options& options) {
  const testing::CountAllocations counter;
  const bool allowed = check(pod, effective, options).empty();
  return {counter.count(), allowed};
}

/// Longer than what a string holds without an allocation.
std::string longer(const std::string& text) {
  return text + "-of-more-than-a-few-characters";
}

NodeSelectorRequirement in(const std::string& key, const std::string& value) {
  return {.key = longer(key), .operator_ = NodeSelectorOperator::in, .values = {longer(value)}};
}

RequirementPattern in_any(const std::string& key) {
  return {.keys = {longer(key)}, .operators = {NodeSelectorOperator::in}, .values = any};
}

TEST_CASE("the counter counts") {
  std::size_t counted = 0;
  {
    const testing::CountAllocations counter;
    const std::string text = longer("text");
    counted = counter.count();
  }
  CHECK(counted > 0);
  const std::string more = longer("text");
  CHECK(testing::CountAllocations().count() == 0);
}

TEST_CASE("checking an allowed pod allocates nothing") {
  const auto exists = TolerationOperator::exists;
  const Affinity affinity{
      .node_affinity =
          NodeAffinity{.required_during_scheduling_ignored_during_execution =
                           NodeSelector{{{.match_expressions = {in("disk", "ssd"), in("os", "x")},
                                          .match_fields = {in("name", "node")}}}},
                       .preferred_during_scheduling_ignored_during_execution =
                           {{.weight = 1, .preference = {.match_expressions = {in("os", "y")}}}}},
      .pod_affinity = PodAffinity{.required_during_scheduling_ignored_during_execution =
                                      {{.topology_key = longer("zone")}}},
      .pod_anti_affinity =
          PodAffinity{.preferred_during_scheduling_ignored_during_execution = {
                          {.weight = 1, .pod_affinity_term = {.topology_key = longer("host")}}}}};
  const Pod pod{.spec = {.scheduler_name = longer("scheduler"),
                         .priority_class_name = longer("gold"),
                         .node_selector = {{longer("disk"), longer("ssd")},
                                           {longer("given"), longer("value")},
                                           {longer("exempt"), longer("value")},
                                           {longer("zone"), longer("a")}},
                         .tolerations = {{longer("gpu"), exists, "", TaintEffect::no_schedule},
                                         {longer("spot"), {}, longer("value"), {}},
                                         {longer("given"), exists, "", TaintEffect::no_execute, 60},
                                         {longer("exempt"), exists, "", {}}},
                         .affinity = affinity}};
  const NodeAffinityRule node_rule{
      {{.match_expressions = {in_any("disk"), in_any("os")}, .match_fields = {in_any("name")}}}};
  const TolerationPattern gpu{
      .keys = {longer("gpu")}, .operators = {exists}, .effects = {TaintEffect::no_schedule}};
  const auto spot = [](TaintEffect effect) {
    return TolerationPattern{.keys = {longer("spot")},
                             .operators = {TolerationOperator::equal},
                             .values = {longer("value")},
                             .effects = {effect}};
  };
  const SchedulingPolicySpec listed{
      .required = {.scheduler_names = {longer("scheduler")},
                   .priority_class_names = {longer("gold")},
                   .node_selectors = {{longer("disk"), {longer("ssd")}}},
                   .tolerations = {{gpu}},
                   .affinities =
                       AffinityRules{.node_affinities =
                                         NodeAffinityRules{
                                             .required_during_scheduling_ignored_during_execution =
                                                 node_rule},
                                     .pod_affinities =
                                         PodAffinityRules{
                                             .required_during_scheduling_ignored_during_execution =
                                                 PodAffinityRule{{longer("zone")}}},
                                     .pod_anti_affinities = any}},
      .allowed = {.scheduler_names = {longer("other")},
                  .node_selectors = {{longer("zone"), any}},
                  .tolerations = {{spot(TaintEffect::no_schedule),
                                   spot(TaintEffect::prefer_no_schedule),
                                   spot(TaintEffect::no_execute)}},
                  .affinities =
                      AffinityRules{.node_affinities =
                                        NodeAffinityRules{
                                            .preferred_during_scheduling_ignored_during_execution =
                                                node_rule}}},
      .defaults = {.scheduler_name = longer("scheduler"),
                   .node_selector = Labels{{longer("given"), longer("value")}},
                   .tolerations = {{{.toleration = {longer("given"), exists, "",
                                                    TaintEffect::no_execute, 60}}}}}};
  SchedulingPolicySpec given_in_part = listed;
  given_in_part.defaults.affinity = Affinity{.node_affinity = affinity.node_affinity};
  given_in_part.defaults.affinity->node_affinity
      ->required_during_scheduling_ignored_during_execution->node_selector_terms.push_back(
          {.match_expressions = {in("os", "z")}});
  const SchedulingPolicySpec given{.allowed = {.scheduler_names = any,
                                               .priority_class_names = {longer("gold")},
                                               .node_selectors = any,
                                               .tolerations = any},
                                   .defaults = {.affinity = affinity}};
  const Options options{.exempt = {.node_selector = {{longer("exempt"), longer("value")}},
                                   .tolerations = {{longer("exempt"), exists, "", {}}}}};
  const SchedulingPolicySpec names{
      .required = {.node_selectors = {{longer("disk"), any}}, .tolerations = {{gpu}}},
      .allowed = {.priority_class_names = any, .affinities = AffinityRules{.pod_affinities = any}}};
  const Options all_exempt =
      exempt(options, SchedulingCriteria{.node_name = longer("node"),
                                         .scheduler_name = longer("scheduler"),
                                         .node_selector = pod.spec.node_selector,
                                         .tolerations = pod.spec.tolerations,
                                         .affinity = affinity});
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    const Options& options;
  };
  const Case cases[] = {
      {"by the privileged policy", privileged().spec, options},
      {"by lists, requirements and defaults", listed, options},
      {"by lists, with a part of the default", given_in_part, options},
      {"by an affinity that equals the default", given, options},
      {"by being exempt", names, all_exempt},
      {"by being exempt, and by lists", listed, all_exempt},
  };
  for (const auto& [name, policy, with] : cases) {
    CAPTURE(name);
    const std::vector<SchedulingPolicy> policies = {
        {.metadata = {.name = longer("policy")}, .spec = policy}};
    const EffectivePolicy effective = merge(policies);
    CHECK(check(pod, effective, with) == std::vector<Violation>{});
    const Counted counted = count(pod, effective, with);
    CHECK(counted.allowed);
    CHECK(counted.allocations == 0);
  }
}

}  // namespace allocation_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
