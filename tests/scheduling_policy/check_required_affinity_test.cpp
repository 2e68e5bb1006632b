// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "checked.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_required_affinity_test {

using namespace checked;

TEST_CASE("required affinity holds: a kind, a mode, or its listed terms") {
  const auto required = [](AffinityRules rules) {
    return SchedulingPolicySpec{.required = {.affinities = std::move(rules)},
                                .allowed = {.affinities = any}};
  };
  const auto missing = [](const std::string& field) { return "AffinityRequired " + field; };
  const auto node_terms = [](Terms terms) {
    return Affinity{.node_affinity = required_node(std::move(terms))};
  };
  const NodeSelectorRequirement name_1 = {
      .key = "metadata.name", .operator_ = in, .values = {"node-1"}};
  const List mode_missing = {missing(node_field + required_mode)};
  const auto disk_or_zone = required_node_rule({term_pattern({disk_pattern})});
  check_all({
      {"KIND {} needs a term of the kind",
       required({.node_affinities = any}),
       {},
       {missing(node_field)}},
      {"of the same kind",
       required({.pod_affinities = any}),
       {.pod_anti_affinity = required_pod({"zone"})},
       {missing(pod_field)}},
      {"in whichever mode",
       required({.pod_anti_affinities = any}),
       {.pod_anti_affinity = preferred_pod({"zone"})},
       {}},
      {"a kind without terms does not do",
       required({.node_affinities = any}),
       node_terms({}),
       {missing(node_field)}},
      {"MODE {} needs a term in the mode",
       required(required_node_rule(any)),
       {.node_affinity = preferred_node({term({disk_ssd})})},
       mode_missing},
      {"any term in the mode",
       required(required_node_rule(any)),
       node_terms({term({disk_ssd})}),
       {}},
      {"the preferred mode of pods as well",
       required({.pod_affinities = preferred_pod_rule(any)}),
       {.pod_affinity = required_pod({"zone"})},
       {missing(pod_field + preferred_mode)}},

      {"a listed term holds", required(disk_or_zone), node_terms({term({zone_a, disk_ssd})}), {}},
      {"a listed term does not hold", required(disk_or_zone), node_terms({term({zone_a})}),
       mode_missing},
      {"a listed term needs a term", required(disk_or_zone), {}, mode_missing},
      {"an empty term of the pod holds nothing", required(disk_or_zone),
       node_terms({NodeSelectorTerm{}}), mode_missing},
      {"every term of the pod has to hold it", required(disk_or_zone),
       node_terms({term({disk_ssd}), term({zone_a})}), mode_missing},
      {"all patterns of a required term have to match",
       required(required_node_rule({term_pattern({disk_pattern, zone_pattern})})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"each required term that does not hold is told",
       required(required_node_rule({term_pattern({disk_pattern}), term_pattern({zone_pattern}),
                                    term_pattern({{.keys = {"gpu"}, .operators = any}})})),
       node_terms({term({zone_a})}),
       {mode_missing[0], mode_missing[0]}},
      {"matchExpressions [] asks for an expression",
       required(required_node_rule({term_pattern(any)})), node_terms({{.match_fields = {name_1}}}),
       mode_missing},
      {"whichever",
       required(required_node_rule({term_pattern(any)})),
       node_terms({term({gpu_exists})}),
       {}},
      {"matchFields [] asks for a field", required(required_node_rule({{.match_fields = any}})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"a field meets it",
       required(required_node_rule({{.match_fields = any}})),
       node_terms({{.match_fields = {name_1}}}),
       {}},
      {"patterns for fields are met by fields",
       required(required_node_rule({{.match_fields = RequirementPatterns{disk_pattern}}})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"a required term asks for its expressions and its fields",
       required(required_node_rule(
           {{.match_expressions = RequirementPatterns{disk_pattern}, .match_fields = any}})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"the term {} is never satisfied", required(required_node_rule({TermPattern{}})),
       node_terms({term({disk_ssd})}), mode_missing},
      {"an empty key is matched by keys [] alone",
       required(required_node_rule(
           {term_pattern({{.keys = {""}, .operators = NodeOperators{in}, .values = any}})})),
       node_terms({term({{"", in, {"ssd"}}})}), mode_missing},

      {"one preferred term is enough",
       required(preferred_node_rule({term_pattern({disk_pattern})})),
       {.node_affinity = preferred_node({term({zone_a}), term({disk_ssd})})},
       {}},
      {"but there has to be one",
       required(preferred_node_rule({term_pattern({disk_pattern})})),
       {.node_affinity = preferred_node({term({zone_a})})},
       {missing(node_field + preferred_mode)}},
      {"one of the topology keys is enough",
       required({.pod_affinities = required_pod_rule({"zone", "host"})}),
       {.pod_affinity = required_pod({"rack", "host"})},
       {}},
      {"another key is not, and it is told once",
       required({.pod_affinities = required_pod_rule({"zone", "host"})}),
       {.pod_affinity = required_pod({"rack"})},
       {missing(pod_field + required_mode)}},
      {"a requirement on preferred keys is not met by required terms",
       required({.pod_anti_affinities = preferred_pod_rule({"zone"})}),
       {.pod_anti_affinity = required_pod({"zone"})},
       {missing(anti_field + preferred_mode)}},

      {"first what is not allowed of every kind, then what is required of every kind",
       {.required = {.affinities = AffinityRules{.node_affinities = disk_or_zone.node_affinities,
                                                 .pod_anti_affinities = any}}},
       {.node_affinity = required_node({term({zone_a})}), .pod_affinity = required_pod({"zone"})},
       {"AffinityNotAllowed " + node_field + required_mode +
            ".nodeSelectorTerms[0].matchExpressions[0]",
        "AffinityNotAllowed " + pod_field, mode_missing[0], missing(anti_field)}},
  });

  check_all({{"with the literal reading one term is enough",
              required(disk_or_zone),
              node_terms({term({disk_ssd}), term({zone_a})}),
              {}},
             {"which has to match all its patterns",
              required(required_node_rule({term_pattern({disk_pattern, zone_pattern})})),
              node_terms({term({disk_ssd}), term({zone_a})}), mode_missing},
             {"and has to be there", required(disk_or_zone), node_terms({}), mode_missing}},
            {.required_affinity = RequiredAffinity::present});
}

TEST_CASE("an affinity violation shows what was asked for, or what is required") {
  const SchedulingPolicySpec policy{
      .required = {
          .affinities = AffinityRules{
              .node_affinities = required_node_rule({term_pattern({disk_pattern})}).node_affinities,
              .pod_affinities = required_pod_rule({"zone", "host"}),
              .pod_anti_affinities = any}}};
  const Affinity affinity = {
      .node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                        NodeSelector{{term({zone_a})}},
                                    .preferred_during_scheduling_ignored_during_execution =
                                        {{.weight = 7, .preference = term({gpu_exists})}}},
      .pod_affinity = required_pod({"rack"})};
  List values;
  for (const Violation& violation :
       check(Pod{.spec = {.affinity = affinity}}, merged_with_scheduler(policy))) {
    CHECK(violation.policies == List{"p"});
    values.push_back(violation.value);
  }
  CHECK(values == List{"zone In [a]", "preferred 7 (gpu Exists)", "rack",
                       "{matchExpressions: [{keys: [disk], operators: [In], values: [ssd, hdd]}]}",
                       "topologyKey host or zone", ""});
}

TEST_CASE("of many requirements and as many that could meet them each is as it is alone") {
  constexpr std::size_t many = 70;
  Drawn drawn(11);
  const auto count = [](const Pod& pod, const PolicySection& required) {
    std::size_t unmet = 0;
    for (const Violation& violation : check(pod, merged_with_scheduler({.required = required})))
      unmet += violation.code == ViolationCode::toleration_required ||
               violation.code == ViolationCode::affinity_required;
    return unmet;
  };
  std::size_t met = 0;
  std::size_t unmet = 0;
  for (int round = 0; round < 20; ++round) {
    Pod pod;
    std::vector<TolerationPattern> patterns;
    std::vector<TermPattern> required;
    auto& terms = pod.spec.affinity.emplace()
                      .node_affinity.emplace()
                      .required_during_scheduling_ignored_during_execution.emplace()
                      .node_selector_terms;
    terms.resize(1 + drawn.below(2));
    for (std::size_t i = 0; i < many; ++i) {
      pod.spec.tolerations.push_back(drawn.toleration());
      auto& term = terms[drawn.below(terms.size())];
      (drawn.chance(80) || round % 4 == 0 ? term.match_expressions : term.match_fields)
          .push_back(drawn.expression());
      patterns.push_back(drawn.pattern<TolerationPattern>());
      TermPattern& of_term = required.emplace_back();
      (drawn.chance(80) ? of_term.match_expressions : of_term.match_fields)
          .list()
          .push_back(drawn.pattern<RequirementPattern>());
    }
    required[0] = {};  // asks for nothing, which nothing meets
    required[1] = {.match_fields = any};
    const auto requiring = [](std::vector<TermPattern> all) {
      AffinityRules rules;
      rules.node_affinities.list()
          .required_during_scheduling_ignored_during_execution.list()
          .node_selector_terms = std::move(all);
      return rules;
    };
    std::size_t alone = 0;
    for (std::size_t i = 0; i < many; ++i) {
      alone += count(pod, {.tolerations = {patterns[i]}});
      alone += count(pod, {.affinities = requiring({required[i]})});
    }
    CHECK(count(pod, {.tolerations = patterns, .affinities = requiring(required)}) == alone);
    unmet += alone;
    met += 2 * many - alone;
  }
  CHECK(met > 500);
  CHECK(unmet > 500);
}

TEST_CASE("terms that are too many to be held against what is required do not meet it") {
  for (const auto& [name, of_term, of_pattern] : expression_lists) {
    CAPTURE(name);
    SchedulingPolicySpec spec;
    auto& required = spec.required.affinities.list()
                         .node_affinities.list()
                         .required_during_scheduling_ignored_during_execution.list()
                         .node_selector_terms;
    Pod pod;
    auto& terms = pod.spec.affinity.emplace()
                      .node_affinity.emplace()
                      .required_during_scheduling_ignored_during_execution.emplace()
                      .node_selector_terms;
    // A required term of one pattern counts as two, beside one for all of them; a term of one value
    // as three.
    for (int i = 0; i < 1'600; ++i)
      required.emplace_back().*of_pattern = {{{"a", "b" + std::to_string(i)}, any, any}};
    while (terms.size() < max_matched_values / (1 + 1'600 * 2) / 3)
      terms.emplace_back().*of_term = {{"a", in, {std::to_string(terms.size())}}};
    CHECK(check(pod, merged_with_scheduler(spec)).empty());
    terms.push_back(terms.back());
    CHECK(check(pod, merged_with_scheduler(spec)).size() == 1'600);
    required.pop_back();
    CHECK(check(pod, merged_with_scheduler(spec)).empty());
  }
}

}  // namespace check_required_affinity_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
