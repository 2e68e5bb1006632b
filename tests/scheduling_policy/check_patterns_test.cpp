// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "checked.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_patterns_test {

using namespace checked;

TEST_CASE("a pattern of several keys permits each of them") {
  const SchedulingPolicySpec policy{
      .allowed = {
          .scheduler_names = any,
          .tolerations = {{.keys = {"gpu", "spot"}, .operators = {exists}, .effects = any}},
          .affinities = AffinityRules{
              .node_affinities = NodeAffinityRules{
                  .required_during_scheduling_ignored_during_execution = NodeAffinityRule{
                      {{.match_expressions = {
                            {.keys = {"disk", "zone"}, .operators = any, .values = any}}}}}}}}};
  for (const char* key : {"gpu", "spot"})
    CHECK(check(Pod{.spec = {.tolerations = {{.key = key, .operator_ = exists}}}}, merged(policy))
              .empty());
  for (const char* key : {"disk", "zone"}) {
    const NodeSelectorTerm term{.match_expressions = {{key, NodeSelectorOperator::exists, {}}}};
    const Pod pod{
        .spec = {.affinity = Affinity{.node_affinity = NodeAffinity{
                                          .required_during_scheduling_ignored_during_execution =
                                              NodeSelector{{term}}}}}};
    CHECK(check(pod, merged(policy)).empty());
  }
}

TEST_CASE("of many patterns of one key each permits its own values and operators") {
  SchedulingPolicySpec spec;
  for (int i = 0; i < 40; ++i)
    spec.allowed.tolerations.list().push_back(
        {.keys = {"k"}, .operators = {equal}, .values = {std::to_string(i)}, .effects = any});
  spec.allowed.tolerations.list().push_back(
      {.keys = {"k"}, .operators = {TolerationOperator::lt}, .values = any, .effects = any});
  const auto permitted = [&](TolerationOperator op, std::string value) {
    Pod pod;
    pod.spec.tolerations = {{"k", op, std::move(value), no_execute, std::nullopt}};
    return check(pod, merged_with_scheduler(spec)).empty();
  };
  CHECK(permitted(equal, "0"));
  CHECK(permitted(equal, "39"));
  CHECK_FALSE(permitted(equal, "40"));
  CHECK_FALSE(permitted(equal, ""));
  CHECK_FALSE(permitted(exists, ""));
  CHECK(permitted(TolerationOperator::lt, "40"));
  CHECK_FALSE(permitted(TolerationOperator::gt, "39"));
  // Once one says that there need be no value.
  spec.allowed.tolerations.list().push_back(
      {.keys = {"k"}, .operators = {exists}, .values = absent, .effects = any});
  CHECK(permitted(exists, ""));
  CHECK_FALSE(permitted(equal, ""));
  CHECK(permitted(equal, "39"));
}

TEST_CASE("of many patterns of one key each permits what it does alone") {
  Drawn drawn(12);
  const auto allowing = [](std::vector<TolerationPattern> tolerations,
                           std::vector<RequirementPattern> expressions) {
    AffinityRules rules;
    rules.node_affinities.list()
        .required_during_scheduling_ignored_during_execution.list()
        .node_selector_terms = {{.match_expressions = std::move(expressions)}};
    return merged_with_scheduler(
        {.allowed = {.tolerations = std::move(tolerations), .affinities = std::move(rules)}});
  };
  std::array<std::size_t, 4> met{};
  for (int round = 0; round < 10; ++round) {
    std::vector<TolerationPattern> tolerations;
    std::vector<RequirementPattern> expressions;
    std::vector<EffectivePolicy> alone;
    for (int i = 0; i < 60; ++i) {
      tolerations.push_back(drawn.pattern_of_key<TolerationPattern>());
      expressions.push_back(drawn.pattern_of_key<RequirementPattern>());
      alone.push_back(allowing({tolerations.back()}, {expressions.back()}));
    }
    const EffectivePolicy all = allowing(tolerations, expressions);
    for (int i = 0; i < 80; ++i) {
      Pod pod;
      if (i % 2 == 0) {
        pod.spec.tolerations = {drawn.toleration()};
        if (drawn.chance(80)) pod.spec.tolerations[0].key = "k";
      } else {
        NodeSelectorRequirement expression = drawn.expression();
        if (drawn.chance(80)) expression.key = "k";
        pod.spec.affinity.emplace()
            .node_affinity.emplace()
            .required_during_scheduling_ignored_during_execution.emplace()
            .node_selector_terms = {{{std::move(expression)}, {}}};
      }
      CAPTURE(pod);
      const bool is_permitted = check(pod, all).empty();
      const auto permits = [&](const EffectivePolicy& one) { return check(pod, one).empty(); };
      CHECK(is_permitted == std::any_of(alone.begin(), alone.end(), permits));
      ++met[static_cast<std::size_t>(i % 2 * 2 + is_permitted)];
    }
  }
  for (const std::size_t times : met) CHECK(times > 50);
}

TEST_CASE("of many patterns of one key one has to list every value of an expression") {
  RequirementPatterns patterns;
  for (int i = 0; i < 59; ++i)
    patterns.push_back({.keys = {"k"},
                        .operators = NodeOperators{in},
                        .values = {std::to_string(i % 10), "x" + std::to_string(i / 10)}});
  AffinityRules rules;
  rules.node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{.match_expressions = patterns}};
  const EffectivePolicy effective = merged_with_scheduler({.allowed = {.affinities = rules}});
  const auto permits = [&](Texts values) {
    const NodeSelectorRequirement expression{"k", in, std::move(values)};
    NodeAffinity node;
    node.required_during_scheduling_ignored_during_execution =
        NodeSelector{{{.match_expressions = {expression}}}};
    return check(Pod{.spec = {.affinity = Affinity{.node_affinity = node}}}, effective).empty();
  };
  for (int i = 0; i < 60; ++i)
    CHECK(permits({std::to_string(i % 10), "x" + std::to_string(i / 10)}) == (i < 59));
  CHECK(permits({"9"}));
  CHECK_FALSE(permits({"1", "2"}));
  CHECK_FALSE(permits({"1", "x9"}));
}

TEST_CASE(
    "an expression is not permitted where its values are too many for the patterns of its key") {
  struct Case {
    AnyOr<Texts> keys;
    std::size_t patterns;  ///< beside one of every value, and one of another key
  };
  // Of the other key are fewer, and each key has those of any key beside its own.
  const Case cases[] = {{{"k"}, 1'023}, {any, 1'022}};
  for (const auto& [name, of_term, of_pattern] : expression_lists) {
    for (const auto& [keys, count] : cases) {
      CAPTURE(name);
      CAPTURE(count);
      RequirementPatterns patterns(count, {.keys = keys, .operators = any, .values = {"x"}});
      patterns.push_back({.keys = keys, .operators = any, .values = any});
      patterns.push_back({.keys = {"other"}, .operators = any, .values = any});
      AffinityRules rules;
      rules.node_affinities.list()
              .required_during_scheduling_ignored_during_execution.list()
              .node_selector_terms.emplace_back().*
          of_pattern = patterns;
      const EffectivePolicy effective = merged_with_scheduler({.allowed = {.affinities = rules}});
      Pod pod;
      auto& expressions = pod.spec.affinity.emplace()
                              .node_affinity.emplace()
                              .required_during_scheduling_ignored_during_execution.emplace()
                              .node_selector_terms.emplace_back().*
                          of_term;
      const Texts values(std::vector<std::string>(max_matched_values / 1'024 / 2 - 1, "v"));
      expressions = {{"k", in, values}, {"k", in, values}};
      CHECK(check(pod, effective).empty());
      expressions[0].values.push_back("v");
      REQUIRE(check(pod, effective).size() == 1);
      CHECK(to_string(check(pod, effective)[0].field).ends_with(std::string(name) + "[1]"));
    }
  }
}

}  // namespace check_patterns_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
