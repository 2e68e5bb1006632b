// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "checked.hpp"

#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_affinity_test {

using namespace checked;

const NodeSelectorRequirement unknown_expression = {
    .key = "disk", .operator_ = OpenEnum<NodeSelectorOperator>("Like"), .values = {"ssd"}};

const SchedulingPolicySpec any_affinity = {.allowed = {.affinities = any}};

TEST_CASE("affinity is permitted by kind and mode") {
  const Affinity every_kind_and_mode = {
      .node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                        NodeSelector{{term({disk_ssd})}},
                                    .preferred_during_scheduling_ignored_during_execution =
                                        {{.weight = 1, .preference = term({zone_a})}}},
      .pod_affinity =
          PodAffinity{
              .required_during_scheduling_ignored_during_execution = {{.topology_key = "zone"}},
              .preferred_during_scheduling_ignored_during_execution =
                  {{.weight = 1, .pod_affinity_term = {.topology_key = "zone"}}}},
      .pod_anti_affinity = PodAffinity{
          .required_during_scheduling_ignored_during_execution = {{.topology_key = "zone"}},
          .preferred_during_scheduling_ignored_during_execution = {
              {.weight = 1, .pod_affinity_term = {.topology_key = "zone"}}}}};
  const auto allowed = [](AffinityRules rules) {
    return SchedulingPolicySpec{.allowed = {.affinities = std::move(rules)}};
  };
  const auto not_allowed = [](const std::string& field) { return "AffinityNotAllowed " + field; };
  check_all({
      {"absent everywhere, no kind is allowed, and each is told once",
       {},
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(pod_field), not_allowed(anti_field)}},
      {"a pod without affinity asks for nothing", {}, {}, {}},
      {"kinds without terms ask for nothing",
       {},
       {.node_affinity = required_node({}),
        .pod_affinity = PodAffinity{},
        .pod_anti_affinity = PodAffinity{}},
       {}},
      {"allowed {} is any affinity", any_affinity, every_kind_and_mode, {}},
      {"all three kinds {} are the same",
       allowed({.node_affinities = any, .pod_affinities = any, .pod_anti_affinities = any}),
       every_kind_and_mode,
       {}},
      {"one kind {} is any of that kind",
       allowed({.node_affinities = any}),
       every_kind_and_mode,
       {not_allowed(pod_field), not_allowed(anti_field)}},
      {"pod affinity is not pod anti-affinity",
       allowed({.pod_affinities = any}),
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(anti_field)}},
      {"nor the other way round",
       allowed({.pod_anti_affinities = any}),
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(pod_field)}},
      {"MODE: {} is anything in that mode, and the other mode is told at its own path",
       allowed({.node_affinities =
                    NodeAffinityRules{.required_during_scheduling_ignored_during_execution = any},
                .pod_affinities = preferred_pod_rule(any),
                .pod_anti_affinities = required_pod_rule(any)}),
       every_kind_and_mode,
       {not_allowed(node_field + preferred_mode), not_allowed(pod_field + required_mode),
        not_allowed(anti_field + preferred_mode)}},
      {"required affinities {} ask for nothing and permit nothing",
       {.required = {.affinities = any}},
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(pod_field), not_allowed(anti_field)}},
      {"required KIND {} permits the kind whole",
       {.required = {.affinities = AffinityRules{.pod_affinities = any}}},
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(anti_field)}},
      {"required MODE {} permits the mode whole",
       {.required = {.affinities = AffinityRules{.pod_affinities = required_pod_rule(any)}}},
       every_kind_and_mode,
       {not_allowed(node_field), not_allowed(pod_field + preferred_mode), not_allowed(anti_field)}},
      {"unknown operators are not permitted by any",
       any_affinity,
       {.node_affinity = required_node({term({disk_ssd, unknown_expression})})},
       {not_allowed(node_field + required_mode + ".nodeSelectorTerms[0].matchExpressions[1]")}},
      {"nor by a list that is any",
       allowed(preferred_node_rule({term_pattern(any)})),
       {.node_affinity = preferred_node({term({unknown_expression})})},
       {not_allowed(node_field + preferred_mode + "[0].preference.matchExpressions[0]")}},
  });
}

TEST_CASE("each expression of a node affinity matches a pattern of its list, kind and mode") {
  const auto allowed = [](std::vector<TermPattern> terms) {
    return SchedulingPolicySpec{.allowed = {.affinities = required_node_rule(std::move(terms))}};
  };
  const auto required_terms = [](Terms terms) {
    return Affinity{.node_affinity = required_node(std::move(terms))};
  };
  const auto not_allowed = [](const std::string& at) {
    return "AffinityNotAllowed " + node_field + required_mode + ".nodeSelectorTerms" + at;
  };
  const NodeSelectorRequirement name_1 = {
      .key = "metadata.name", .operator_ = in, .values = {"node-1"}};
  const auto one = [&](RequirementPattern pattern) {
    return allowed({term_pattern({std::move(pattern)})});
  };
  const List denied = {not_allowed("[0].matchExpressions[0]")};
  check_all({
      {"key, operator and every value listed",
       one(disk_pattern),
       required_terms({term({disk_ssd})}),
       {}},
      {"another key", one(zone_pattern), required_terms({term({disk_ssd})}), denied},
      {"another operator", one(disk_pattern), required_terms({term({{"disk", not_in, {"ssd"}}})}),
       denied},
      {"one value that is not listed", one(disk_pattern),
       required_terms({term({{"disk", in, {"ssd", "nvme"}}})}), denied},
      {"keys [] is any key",
       one({.keys = any, .operators = NodeOperators{in}, .values = {"ssd"}}),
       required_terms({term({disk_ssd})}),
       {}},
      {"absent keys match nothing", one({.operators = NodeOperators{in}, .values = {"ssd"}}),
       required_terms({term({disk_ssd})}), denied},
      {"an empty key needs keys []",
       one({.keys = {""}, .operators = NodeOperators{in}, .values = {"ssd"}}),
       required_terms({term({{"", in, {"ssd"}}})}), denied},
      {"operators [] is any operator",
       one({.keys = {"disk"}, .operators = any, .values = {"ssd"}}),
       required_terms({term({{"disk", NodeSelectorOperator::gt, {"ssd"}}})}),
       {}},
      {"absent operators match nothing", one({.keys = {"disk"}, .values = {"ssd"}}),
       required_terms({term({disk_ssd})}), denied},
      {"operators [] are no unknown ones", one({.keys = any, .operators = any, .values = any}),
       required_terms({term({unknown_expression})}), denied},
      {"an unknown operator is not permitted where it is listed",
       one({.keys = any, .operators = NodeOperators{unknown_expression.operator_}, .values = any}),
       required_terms({term({unknown_expression})}), denied},
      {"values [] is any value",
       one({.keys = {"disk"}, .operators = NodeOperators{in}, .values = any}),
       required_terms({term({disk_ssd})}),
       {}},
      {"absent values do not match an expression with values",
       one({.keys = {"disk"}, .operators = NodeOperators{in}}), required_terms({term({disk_ssd})}),
       denied},
      {"an expression without values needs absent",
       one({.keys = {"gpu"}, .operators = NodeOperators{NodeSelectorOperator::exists}}),
       required_terms({term({gpu_exists})}),
       {}},
      {"or empty values",
       one({.keys = any, .operators = any, .values = any}),
       required_terms({term({gpu_exists})}),
       {}},
      {"not listed ones", one({.keys = any, .operators = any, .values = {"ssd", ""}}),
       required_terms({term({gpu_exists})}), denied},

      {"patterns of one term are combined freely",
       allowed({term_pattern({disk_pattern, zone_pattern})}),
       required_terms({term({zone_a}), term({disk_ssd, zone_a})}),
       {}},
      {"so are patterns of several terms",
       allowed({term_pattern({disk_pattern}), term_pattern({zone_pattern})}),
       required_terms({term({disk_ssd, zone_a})}),
       {}},
      {"every expression is told at its own path",
       one(zone_pattern),
       required_terms({term({zone_a, disk_ssd}), term({zone_a}), term({gpu_exists})}),
       {not_allowed("[0].matchExpressions[1]"), not_allowed("[2].matchExpressions[0]")}},
      {"what is required is allowed, together with what is allowed",
       {.required = {.affinities = required_node_rule({term_pattern({disk_pattern})})},
        .allowed = {.affinities = required_node_rule({term_pattern({zone_pattern})})}},
       required_terms({term({disk_ssd, zone_a})}),
       {}},

      {"matchExpressions [] is any expression",
       allowed({term_pattern(any)}),
       required_terms({term({disk_ssd, gpu_exists})}),
       {}},
      {"and no field",
       allowed({term_pattern(any)}),
       required_terms({{.match_expressions = {disk_ssd}, .match_fields = {name_1}}}),
       {not_allowed("[0].matchFields[0]")}},
      {"matchFields [] is any field and no expression", allowed({{.match_fields = any}}),
       required_terms({{.match_expressions = {disk_ssd}, .match_fields = {name_1}}}), denied},
      {"a pattern for fields is none for expressions",
       allowed({{.match_fields = RequirementPatterns{disk_pattern}}}),
       required_terms({{.match_expressions = {disk_ssd}, .match_fields = {disk_ssd}}}), denied},
      {"a pattern for expressions is none for fields",
       one(disk_pattern),
       required_terms({{.match_expressions = {disk_ssd}, .match_fields = {disk_ssd}}}),
       {not_allowed("[0].matchFields[0]")}},
      {"each field has to match a pattern, the second too",
       allowed({{.match_fields = RequirementPatterns{disk_pattern}}}),
       required_terms({{.match_fields = {disk_ssd, name_1}}}),
       {not_allowed("[0].matchFields[1]")}},
      {"the term {} permits nothing", allowed({TermPattern{}}), required_terms({term({disk_ssd})}),
       denied},
      {"an empty term of the pod has nothing to permit",
       one(disk_pattern),
       required_terms({NodeSelectorTerm{}}),
       {}},

      {"a pattern for one mode is none for the other",
       one(disk_pattern),
       {.node_affinity = preferred_node({term({disk_ssd})})},
       {"AffinityNotAllowed " + node_field + preferred_mode}},
      {"preferences are told at their preference",
       {.allowed = {.affinities = preferred_node_rule({term_pattern({disk_pattern})})}},
       {.node_affinity = preferred_node({term({disk_ssd}), term({disk_ssd, zone_a})})},
       {"AffinityNotAllowed " + node_field + preferred_mode +
        "[1].preference.matchExpressions[1]"}},
  });
}

TEST_CASE("a topology key that is required twice is named once") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  auto& modes = spec.required.affinities.list().pod_affinities.list();
  modes.required_during_scheduling_ignored_during_execution =
      PodAffinityRule{{"zone", "host", "zone"}};
  Pod pod;
  pod.spec.affinity =
      Affinity{.pod_affinity = PodAffinity{.required_during_scheduling_ignored_during_execution = {
                                               {.topology_key = "rack"}}}};
  const auto violations =
      check(pod, merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}}));
  REQUIRE(!violations.empty());
  CHECK(violations.back().value == "topologyKey host or zone");
}

TEST_CASE("a violation lists what its own mode permits") {
  const auto permitting = [](const char* value) {
    NodeAffinityRule rule;
    rule.node_selector_terms = {
        {.match_expressions = {{{"zone"}, {NodeSelectorOperator::in}, {value}}}}};
    return rule;
  };
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  auto& modes = spec.allowed.affinities.list().node_affinities.list();
  modes.required_during_scheduling_ignored_during_execution = permitting("a");
  modes.preferred_during_scheduling_ignored_during_execution = permitting("b");
  const NodeSelectorTerm term{
      .match_expressions = {
          {.key = "zone", .operator_ = NodeSelectorOperator::in, .values = {"c"}}}};
  Pod pod;
  pod.spec.affinity =
      Affinity{.node_affinity = NodeAffinity{
                   .required_during_scheduling_ignored_during_execution = NodeSelector{{term}},
                   .preferred_during_scheduling_ignored_during_execution = {{1, term}}}};
  const auto violations =
      check(pod, merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}}));
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].permitted == Names{"{keys: [zone], operators: [In], values: [a]}"});
  CHECK(violations[1].permitted == Names{"{keys: [zone], operators: [In], values: [b]}"});
}

TEST_CASE("pod affinities are permitted by topology key") {
  const auto allowed = [](AffinityRules rules) {
    return SchedulingPolicySpec{.allowed = {.affinities = std::move(rules)}};
  };
  check_all({
      {"a listed key",
       allowed({.pod_affinities = required_pod_rule({"zone", "host"})}),
       {.pod_affinity = required_pod({"host", "zone"})},
       {}},
      {"another key",
       allowed({.pod_affinities = required_pod_rule({"zone"})}),
       {.pod_affinity = required_pod({"zone", "host"})},
       {"AffinityNotAllowed " + pod_field + required_mode + "[1].topologyKey"}},
      {"the other mode",
       allowed({.pod_anti_affinities = preferred_pod_rule({"zone"})}),
       {.pod_anti_affinity = required_pod({"zone"})},
       {"AffinityNotAllowed " + anti_field + required_mode}},
      {"preferred terms are told at their podAffinityTerm",
       allowed({.pod_anti_affinities = preferred_pod_rule({"zone"})}),
       {.pod_anti_affinity = preferred_pod({"host", "zone"})},
       {"AffinityNotAllowed " + anti_field + preferred_mode + "[0].podAffinityTerm.topologyKey"}},
      {"required and allowed keys together",
       {.required = {.affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}},
        .allowed = {.affinities = AffinityRules{.pod_affinities = required_pod_rule({"host"})}}},
       {.pod_affinity = required_pod({"host", "zone"})},
       {}},
  });
}

TEST_CASE("a mode that equals the default's is permitted whole") {
  const auto given = [](Affinity affinity) {
    return SchedulingPolicySpec{.defaults = {.affinity = std::move(affinity)}};
  };
  const Affinity disk = {.node_affinity = required_node({term({disk_ssd})})};
  const Affinity zone = {.pod_affinity = preferred_pod({"zone"})};
  check_all({
      {"equal node affinity", given(disk), disk, {}},
      {"equal pod affinity", given(zone), zone, {}},
      {"equal pod anti-affinity",
       given({.pod_anti_affinity = required_pod({"zone"})}),
       {.pod_anti_affinity = required_pod({"zone"})},
       {}},
      {"another term is told at its mode, because the default mentions the kind",
       given(disk),
       {.node_affinity = required_node({term({zone_a})})},
       {"AffinityNotAllowed " + node_field + required_mode}},
      {"one term more as well",
       given(disk),
       {.node_affinity = required_node({term({disk_ssd}), term({disk_ssd})})},
       {"AffinityNotAllowed " + node_field + required_mode}},
      {"another weight as well",
       given(zone),
       {.pod_affinity =
            PodAffinity{.preferred_during_scheduling_ignored_during_execution =
                            {{.weight = 2, .pod_affinity_term = {.topology_key = "zone"}}}}},
       {"AffinityNotAllowed " + pod_field + preferred_mode}},
      {"the other mode is told at its mode",
       given(disk),
       {.node_affinity = preferred_node({term({disk_ssd})})},
       {"AffinityNotAllowed " + node_field + preferred_mode}},
      {"a default without terms mentions nothing",
       given({.node_affinity = required_node({}), .pod_affinity = PodAffinity{}}),
       disk,
       {"AffinityNotAllowed " + node_field}},
      {"one mode may equal the default's while the other is checked",
       {.allowed = {.affinities = preferred_node_rule({term_pattern({zone_pattern})})},
        .defaults = {.affinity = disk}},
       {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                          NodeSelector{{term({disk_ssd})}},
                                      .preferred_during_scheduling_ignored_during_execution =
                                          {{.weight = 1, .preference = term({disk_ssd})}}}},
       {"AffinityNotAllowed " + node_field + preferred_mode +
        "[0].preference.matchExpressions[0]"}},
      {"a default of an unknown operator permits nothing",
       given({.node_affinity = required_node({term({unknown_expression})})}),
       {.node_affinity = required_node({term({unknown_expression})})},
       {"AffinityNotAllowed " + node_field + required_mode}},
  });
}

TEST_CASE("a default of several required terms is permitted joined, where every term has to hold") {
  const SchedulingPolicySpec policy{
      .required = {.affinities = required_node_rule(
                       {term_pattern({disk_pattern}), term_pattern({zone_pattern})})},
      .defaults = {.affinity = Affinity{.node_affinity = required_node(
                                            {term({disk_ssd, gpu_exists}), NodeSelectorTerm{},
                                             term({zone_a, disk_ssd})})}}};
  const Affinity joined = {.node_affinity = required_node({term({disk_ssd, gpu_exists, zone_a})})};
  const std::string terms = node_field + required_mode + ".nodeSelectorTerms";
  check_all({{"the joined form is permitted and meets the requirements", policy, joined, {}},
             {"another order of its expressions is not the default",
              policy,
              {.node_affinity = required_node({term({gpu_exists, disk_ssd, zone_a})})},
              {"AffinityNotAllowed " + terms + "[0].matchExpressions[0]"}},
             {"the default as it stands is permitted, but does not meet the requirements",
              policy,
              *policy.defaults.affinity,
              {"AffinityRequired " + node_field + required_mode,
               "AffinityRequired " + node_field + required_mode}}});
  check_all({{"where one term is enough, the default as it stands meets them",
              policy,
              *policy.defaults.affinity,
              {}},
             {"and there is no joined form",
              policy,
              joined,
              {"AffinityNotAllowed " + terms + "[0].matchExpressions[1]"}}},
            {.required_affinity = RequiredAffinity::present});
  const SchedulingPolicySpec not_required{.defaults = policy.defaults};
  check_all({{"without required terms there is no joined form",
              not_required,
              joined,
              {"AffinityNotAllowed " + node_field + required_mode}}});
}

TEST_CASE("a node expression without an operator is never permitted") {
  const auto any_list = SchedulingPolicySpec{
      .allowed = {
          .scheduler_names = any,
          .affinities = {
              {.node_affinities = NodeAffinityRules{
                   NodeAffinityRule{{{.match_expressions = any, .match_fields = any}}}, {}}}}}};
  auto any_of_all = any_list;
  any_of_all.allowed.affinities = any;
  const std::vector<NodeSelectorRequirement> without = {{.key = "metadata.name"}};
  const std::pair<NodeSelectorTerm, const char*> terms[] = {
      {{.match_expressions = without}, "matchExpressions"},
      {{.match_fields = without}, "matchFields"}};
  for (const SchedulingPolicySpec& spec : {any_list, any_of_all}) {
    for (const auto& [term, list] : terms) {
      CAPTURE(list);
      const Pod pod = {.spec = {.affinity = Affinity{.node_affinity = required_node({term})}}};
      const std::vector<SchedulingPolicy> policies = {{.metadata = {.name = "a"}, .spec = spec}};
      CHECK(reasons(check(pod, merge(policies))) ==
            List{"AffinityNotAllowed " + node_field + required_mode + ".nodeSelectorTerms[0]." +
                 list + "[0]"});
    }
  }
}

TEST_CASE("every field expression of a term is checked, not the first alone") {
  const auto name_is = [](const char* name) {
    return NodeSelectorRequirement{.key = "metadata.name", .operator_ = in, .values = {name}};
  };
  const RequirementPattern name_a{.keys = {"metadata.name"}, .operators = {in}, .values = {"a"}};
  const EffectivePolicy effective = merged_with_scheduler(
      {.allowed = {.affinities = required_node_rule({{.match_fields = {name_a}}})}});
  const auto with_fields = [&](std::vector<NodeSelectorRequirement> fields) {
    return Pod{.spec = {.affinity = Affinity{.node_affinity = required_node(
                                                 {{.match_fields = std::move(fields)}})}}};
  };
  CHECK(check(with_fields({name_is("a"), name_is("a")}), effective).empty());
  CHECK(reasons(check(with_fields({name_is("a"), name_is("b")}), effective)) ==
        List{"AffinityNotAllowed " + node_field + required_mode +
             ".nodeSelectorTerms[0].matchFields[1]"});
}

}  // namespace check_affinity_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
