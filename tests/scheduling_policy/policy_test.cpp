// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/policy.hpp>

#include "../support/print.hpp"

#include <concepts>
#include <set>
#include <type_traits>

namespace schedpol::scheduling_policy {
namespace {

using List = std::vector<std::string>;

template <class T>
constexpr bool is_plain_value =
    std::is_aggregate_v<T> && std::regular<T> && std::is_nothrow_move_constructible_v<T>;

static_assert(is_plain_value<TolerationPattern>);
static_assert(is_plain_value<RequirementPattern>);
static_assert(is_plain_value<TermPattern>);
static_assert(is_plain_value<NodeAffinityRule>);
static_assert(is_plain_value<PodAffinityRule>);
static_assert(is_plain_value<NodeAffinityRules>);
static_assert(is_plain_value<PodAffinityRules>);
static_assert(is_plain_value<AffinityRules>);
static_assert(is_plain_value<Rules>);
static_assert(is_plain_value<DefaultToleration>);
static_assert(is_plain_value<Defaults>);
static_assert(is_plain_value<SchedulingPolicySpec>);
static_assert(is_plain_value<SchedulingPolicy>);

TEST_CASE("a policy says nothing until it is told") {
  const SchedulingPolicySpec spec;
  CHECK_FALSE(spec.required.scheduler_names.has_value());
  CHECK_FALSE(spec.required.priority_class_names.has_value());
  CHECK_FALSE(spec.required.node_selectors.has_value());
  CHECK_FALSE(spec.required.tolerations.has_value());
  CHECK_FALSE(spec.required.affinities.has_value());
  CHECK(spec.allowed == spec.required);
  CHECK(spec.defaults == Defaults{});
}

TEST_CASE("an absent field and an empty one are different policies") {
  const SchedulingPolicySpec absent;
  const auto differs = [&](const SchedulingPolicySpec& empty) { return empty != absent; };
  CHECK(differs({.allowed = {.scheduler_names = List{}}}));
  CHECK(differs({.allowed = {.priority_class_names = List{}}}));
  CHECK(differs({.allowed = {.node_selectors = NodeSelectors{}}}));
  CHECK(differs({.allowed = {.tolerations = std::vector<TolerationPattern>{}}}));
  CHECK(differs({.allowed = {.affinities = AffinityRules{}}}));
  CHECK(NodeSelectors{{"disk", List{}}} != NodeSelectors{{"disk", std::nullopt}});
  CHECK(AffinityRules{.pod_affinities = PodAffinityRules{}} != AffinityRules{});
  CHECK(TermPattern{.match_fields = std::vector<RequirementPattern>{}} != TermPattern{});
}

TEST_CASE("a pattern is written on one line as YAML in flow style") {
  CHECK(to_string(TolerationPattern{}) == "{}");
  CHECK(to_string(TolerationPattern{.keys = List{"gpu", "spot"},
                                    .operators = {{TolerationOperator::equal}},
                                    .values = List{},
                                    .effects = {{TaintEffect::no_execute}}}) ==
        "{keys: [gpu, spot], operators: [Equal], values: [], effects: [NoExecute]}");
  CHECK(to_string(TermPattern{}) == "{}");
  CHECK(to_string(TermPattern{
            .match_expressions = {{RequirementPattern{.keys = List{"disk"},
                                                      .operators = {{NodeSelectorOperator::in}},
                                                      .values = List{"ssd"}}}},
            .match_fields = std::vector<RequirementPattern>{}}) ==
        "{matchExpressions: [{keys: [disk], operators: [In], values: [ssd]}], matchFields: []}");
}

TEST_CASE("different patterns have different texts") {
  const std::vector<TolerationPattern> patterns = {
      {},
      {.keys = List{}},
      {.keys = List{"a"}},
      {.keys = List{"a", "b"}},
      {.keys = List{"a, b"}},
      {.keys = List{"a]"}},
      {.keys = List{"a\\"}},
      {.keys = List{"a], values: [b"}},
      {.keys = List{"a"}, .values = List{"b"}},
      {.values = List{"a"}},
      {.values = List{}},
      {.operators = std::vector<OpenEnum<TolerationOperator>>{}},
      {.operators = {{TolerationOperator::exists}}},
      {.operators = {{OpenEnum<TolerationOperator>("exists")}}},
      {.effects = std::vector<OpenEnum<TaintEffect>>{}},
      {.effects = {{TaintEffect::no_schedule}}},
      {.effects = {{OpenEnum<TaintEffect>("NoSchedule, NoExecute")}}},
      {.effects = {{TaintEffect::no_schedule, TaintEffect::no_execute}}}};
  std::set<std::string> texts;
  for (const TolerationPattern& pattern : patterns) texts.insert(to_string(pattern));
  CHECK(texts.size() == patterns.size());

  const RequirementPattern disk{.keys = List{"disk"}};
  const std::vector<TermPattern> terms = {
      {},
      {.match_expressions = std::vector<RequirementPattern>{}},
      {.match_fields = std::vector<RequirementPattern>{}},
      {.match_expressions = {{RequirementPattern{}}}},
      {.match_expressions = {{disk}}},
      {.match_fields = {{disk}}},
      {.match_expressions = {{disk, disk}}},
      {.match_expressions = {{disk}}, .match_fields = {{disk}}}};
  texts.clear();
  for (const TermPattern& term : terms) texts.insert(to_string(term));
  CHECK(texts.size() == terms.size());
}

}  // namespace
}  // namespace schedpol::scheduling_policy
