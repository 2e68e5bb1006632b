// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/policy.hpp>

#include "../support/list.hpp"
#include "../support/print.hpp"

#include <concepts>
#include <set>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace policy_test {

using schedpol::testing::List;

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
static_assert(is_plain_value<PolicySection>);
static_assert(is_plain_value<DefaultToleration>);
static_assert(is_plain_value<Defaults>);
static_assert(is_plain_value<SchedulingPolicySpec>);
static_assert(is_plain_value<SchedulingPolicy>);

TEST_CASE("a policy says nothing until it is told") {
  const SchedulingPolicySpec spec;
  CHECK(spec.required.scheduler_names.is_absent());
  CHECK(spec.required.priority_class_names.is_absent());
  CHECK(spec.required.node_selectors.is_absent());
  CHECK(spec.required.tolerations.is_absent());
  CHECK(spec.required.affinities.is_absent());
  CHECK(spec.allowed == spec.required);
  CHECK(spec.defaults == Defaults{});
}

TEST_CASE("an absent field and an empty one are different policies") {
  const SchedulingPolicySpec absent;
  const auto differs = [&](const SchedulingPolicySpec& empty) { return empty != absent; };
  CHECK(differs({.allowed = {.scheduler_names = any}}));
  CHECK(differs({.allowed = {.priority_class_names = any}}));
  CHECK(differs({.allowed = {.node_selectors = any}}));
  CHECK(differs({.allowed = {.tolerations = any}}));
  CHECK(differs({.allowed = {.affinities = any}}));
  CHECK(NodeSelectors{{"disk", any}} != NodeSelectors{{"disk", {}}});
  CHECK(AffinityRules{.pod_affinities = any} != AffinityRules{});
  CHECK(TermPattern{.match_fields = any} != TermPattern{});
}

TEST_CASE("a pattern is written on one line as YAML in flow style") {
  CHECK(to_string(TolerationPattern{}) == "{}");
  CHECK(to_string(TolerationPattern{.keys = {"gpu", "spot"},
                                    .operators = {TolerationOperator::equal},
                                    .values = any,
                                    .effects = {TaintEffect::no_execute}}) ==
        "{keys: [gpu, spot], operators: [Equal], values: [], effects: [NoExecute]}");
  CHECK(to_string(TermPattern{}) == "{}");
  CHECK(to_string(TermPattern{
            .match_expressions = {{RequirementPattern{
                .keys = {"disk"}, .operators = {NodeSelectorOperator::in}, .values = {"ssd"}}}},
            .match_fields = any}) ==
        "{matchExpressions: [{keys: [disk], operators: [In], values: [ssd]}], matchFields: []}");
}

TEST_CASE("different patterns have different texts") {
  const std::vector<TolerationPattern> patterns = {
      {},
      {.keys = any},
      {.keys = {"a"}},
      {.keys = {"a", "b"}},
      {.keys = {"a, b"}},
      {.keys = {"a]"}},
      {.keys = {"a\\"}},
      {.keys = {"a], values: [b"}},
      {.keys = {"a"}, .values = {"b"}},
      {.values = {"a"}},
      {.values = any},
      {.operators = any},
      {.operators = {TolerationOperator::exists}},
      {.operators = {OpenEnum<TolerationOperator>("exists")}},
      {.effects = any},
      {.effects = {TaintEffect::no_schedule}},
      {.effects = {OpenEnum<TaintEffect>("NoSchedule, NoExecute")}},
      {.effects = {TaintEffect::no_schedule, TaintEffect::no_execute}}};
  std::set<std::string> texts;
  for (const TolerationPattern& pattern : patterns) texts.insert(to_string(pattern));
  CHECK(texts.size() == patterns.size());

  const RequirementPattern disk{.keys = {"disk"}};
  const std::vector<TermPattern> terms = {{},
                                          {.match_expressions = any},
                                          {.match_fields = any},
                                          {.match_expressions = {RequirementPattern{}}},
                                          {.match_expressions = {disk}},
                                          {.match_fields = {disk}},
                                          {.match_expressions = {disk, disk}},
                                          {.match_expressions = {disk}, .match_fields = {disk}}};
  texts.clear();
  for (const TermPattern& term : terms) texts.insert(to_string(term));
  CHECK(texts.size() == terms.size());
}

TEST_CASE("a list of nothing reads as neither absent, nor any, nor a list of one") {
  const TolerationPattern nothing{.keys = Texts()};
  CHECK(to_string(nothing) == "{keys: none}");
  CHECK(to_string(TolerationPattern{.keys = {"none"}}) == "{keys: [none]}");
  CHECK(to_string(TolerationPattern{.keys = {""}}) == "{keys: [\"\"]}");
  CHECK(to_string(TolerationPattern{.keys = any}) == "{keys: []}");
  CHECK(to_string(TolerationPattern{.keys = {"[", "["}}) == "{keys: [\\[, \\[]}");
}

}  // namespace policy_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
