// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/validate.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"
#include "../support/reasons.hpp"

#include <type_traits>
#include <utility>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace validate_test {

using schedpol::testing::operator""_path;

static_assert(std::is_same_v<decltype(validate(SchedulingPolicy{})), std::vector<FieldError>>);

using schedpol::testing::List;
using schedpol::testing::reasons;
using TolerationPatterns = std::vector<TolerationPattern>;
using RequirementPatterns = std::vector<RequirementPattern>;
using DefaultTolerations = std::vector<DefaultToleration>;

struct Case {
  const char* name;
  SchedulingPolicySpec spec;
  List wanted;
};

void validate_each(const std::vector<Case>& cases) {
  for (const auto& [name, spec, wanted] : cases) {
    CAPTURE(name);
    CHECK(reasons(validate({.metadata = {.name = "p"}, .spec = spec})) == wanted);
  }
}

AffinityRules required_node(std::vector<TermPattern> terms) {
  return {.node_affinities =
              NodeAffinityRules{.required_during_scheduling_ignored_during_execution =
                                    NodeAffinityRule{std::move(terms)}}};
}

const std::string required_mode = ".requiredDuringSchedulingIgnoredDuringExecution";
const std::string preferred_mode = ".preferredDuringSchedulingIgnoredDuringExecution";

TEST_CASE("a policy has a name that is a DNS subdomain") {
  struct NameCase {
    std::string name;
    List wanted;
  };
  const NameCase cases[] = {
      {"p", {}},
      {"my-policy.v2", {}},
      {"", {"FieldValueRequired metadata.name"}},
      {"My-Policy", {"FieldValueInvalid metadata.name"}},
      {"my_policy", {"FieldValueInvalid metadata.name"}},
      {"-p", {"FieldValueInvalid metadata.name"}},
      {std::string(253, 'a'), {}},
      {std::string(254, 'a'), {"FieldValueInvalid metadata.name"}},
  };
  for (const auto& [name, wanted] : cases) {
    CAPTURE(name);
    const auto errors = validate({.metadata = {.name = name}});
    CHECK(reasons(errors) == wanted);
    if (!errors.empty()) CHECK(errors[0].bad_value == name);
  }
}

TEST_CASE("a policy is cluster-scoped") {
  const auto errors = validate({.metadata = {.name = "p", .namespace_ = "team-a"}});
  CHECK(reasons(errors) == List{"FieldValueForbidden metadata.namespace"});
  CHECK(errors.front().bad_value == "team-a");
}

TEST_CASE("what is empty in required is invalid, and in allowed is not") {
  const PolicySection empty{.scheduler_names = any,
                            .priority_class_names = any,
                            .node_selectors = any,
                            .tolerations = any,
                            .affinities = any};
  validate_each({
      {"all of required",
       {.required = empty},
       {"FieldValueRequired spec.required.schedulerNames",
        "FieldValueRequired spec.required.priorityClassNames",
        "FieldValueRequired spec.required.nodeSelectors",
        "FieldValueRequired spec.required.tolerations",
        "FieldValueRequired spec.required.affinities"}},
      {"all of allowed", {.allowed = empty}, {}},
      {"nothing at all", {}, {}},
      {"required is empty only as a whole",
       {.required = {.node_selectors = NodeSelectors{{"disk", any}, {"zone", {}}},
                     .tolerations = TolerationPatterns{{}},
                     .affinities = AffinityRules{.node_affinities = any, .pod_affinities = any}}},
       {}},
      {"required modes and lists of expressions may be empty",
       {.required = {.affinities = required_node({{.match_expressions = any}})}},
       {}},
      {"default tolerations",
       {.defaults = {.tolerations = DefaultTolerations{}}},
       {"FieldValueRequired spec.default.tolerations"}},
      {"the values of a default toleration",
       {.defaults = {.tolerations =
                         DefaultTolerations{{.toleration = {.key = "gpu"}, .values = any}}}},
       {"FieldValueRequired spec.default.tolerations[0].values"}},
  });
}

TEST_CASE("what nulls leave in required asks for nothing, which nobody can require") {
  const auto of_required = [](AffinityRules rules) {
    return SchedulingPolicySpec{.required = {.affinities = std::move(rules)}};
  };
  const PodAffinityRules listing_nothing{
      .required_during_scheduling_ignored_during_execution = PodAffinityRule{{"zone"}},
      .preferred_during_scheduling_ignored_during_execution = PodAffinityRule{}};
  const std::string affinities = "FieldValueRequired spec.required.affinities";
  validate_each({
      {"no kind", of_required({}), {affinities}},
      {"kinds without modes",
       of_required({.node_affinities = NodeAffinityRules{}, .pod_affinities = PodAffinityRules{}}),
       {affinities + ".nodeAffinities", affinities + ".podAffinities"}},
      {"a mode without terms",
       of_required(required_node({})),
       {affinities + ".nodeAffinities" + required_mode}},
      {"a mode without topology keys, beside one that has some",
       of_required({.pod_anti_affinities = listing_nothing}),
       {affinities + ".podAntiAffinities" + preferred_mode}},
      {"in allowed it permits nothing",
       {.allowed = {.affinities = AffinityRules{.node_affinities = NodeAffinityRules{},
                                                .pod_anti_affinities = listing_nothing}}},
       {}},
  });
}

TEST_CASE("a term pattern says something") {
  const auto preferred = [](std::vector<TermPattern> terms) {
    return AffinityRules{
        .node_affinities = NodeAffinityRules{.preferred_during_scheduling_ignored_during_execution =
                                                 NodeAffinityRule{std::move(terms)}}};
  };
  validate_each({
      {"in required",
       {.required = {.affinities = required_node({{.match_fields = any}, {}})}},
       {"FieldValueRequired spec.required.affinities.nodeAffinities" + required_mode +
        ".nodeSelectorTerms[1]"}},
      {"in allowed",
       {.allowed = {.affinities = preferred({{}})}},
       {"FieldValueRequired spec.allowed.affinities.nodeAffinities" + preferred_mode +
        ".nodeSelectorTerms[0]"}},
  });
}

TEST_CASE("operators and effects are of their vocabularies") {
  const OpenEnum<TolerationOperator> like("Like");
  const OpenEnum<TaintEffect> no_run("NoRun");
  const OpenEnum<NodeSelectorOperator> lower_in("in");
  validate_each({
      {"every known word",
       {.allowed = {.tolerations =
                        TolerationPatterns{
                            {.operators = {TolerationOperator::equal, TolerationOperator::exists,
                                           TolerationOperator::lt, TolerationOperator::gt},
                             .effects = {TaintEffect::no_schedule, TaintEffect::prefer_no_schedule,
                                         TaintEffect::no_execute}}}}},
       {}},
      {"an operator and an effect of a pattern",
       {.allowed = {.tolerations =
                        TolerationPatterns{{},
                                           {.operators = {TolerationOperator::exists, like},
                                            .effects = {no_run, TaintEffect::unset}}}}},
       {"FieldValueNotSupported spec.allowed.tolerations[1].operators[1]",
        "FieldValueNotSupported spec.allowed.tolerations[1].effects[0]",
        "FieldValueNotSupported spec.allowed.tolerations[1].effects[1]"}},
      {"an operator of an expression",
       {.required = {.affinities = required_node(
                         {{.match_expressions = RequirementPatterns{{.operators = {lower_in}}},
                           .match_fields =
                               RequirementPatterns{
                                   {}, {.operators = {NodeSelectorOperator::in, lower_in}}}}})}},
       {"FieldValueNotSupported spec.required.affinities.nodeAffinities" + required_mode +
            ".nodeSelectorTerms[0].matchExpressions[0].operators[0]",
        "FieldValueNotSupported spec.required.affinities.nodeAffinities" + required_mode +
            ".nodeSelectorTerms[0].matchFields[1].operators[1]"}},
      {"an operator and an effect of a default toleration",
       {.defaults = {.tolerations = DefaultTolerations{{.toleration = {"gpu", {}, "", {}}},
                                                       {.toleration = {"gpu", like, "", no_run}}}}},
       {"FieldValueNotSupported spec.default.tolerations[1].operator",
        "FieldValueNotSupported spec.default.tolerations[1].effect"}},
  });
}

TEST_CASE("an error shows the value and what would do") {
  const SchedulingPolicy policy{
      .metadata = {.name = "p"},
      .spec = {.allowed = {.tolerations =
                               TolerationPatterns{{.effects = {OpenEnum<TaintEffect>("NoRun")}}}}}};
  CHECK(
      validate(policy) ==
      std::vector<FieldError>{{.type = ErrorType::not_supported,
                               .field = "spec.allowed.tolerations[0].effects[0]"_path,
                               .bad_value = "NoRun",
                               .detail = "supported are NoSchedule, PreferNoSchedule, NoExecute"}});
}

TEST_CASE("names, keys and values are not empty, not twice, and of their syntax") {
  const auto topology = [](Texts keys) {
    return AffinityRules{.pod_anti_affinities =
                             PodAffinityRules{.required_during_scheduling_ignored_during_execution =
                                                  PodAffinityRule{std::move(keys)}}};
  };
  const std::string anti = "spec.allowed.affinities.podAntiAffinities" + required_mode;
  validate_each({
      {"scheduler and priority class names",
       {.required = {.scheduler_names = {"a", "", "a"}},
        .allowed = {.priority_class_names = {"gold", "gold"}}},
       {"FieldValueRequired spec.required.schedulerNames[1]",
        "FieldValueDuplicate spec.required.schedulerNames[2]",
        "FieldValueDuplicate spec.allowed.priorityClassNames[1]"}},
      {"the same name in two sections is no repetition",
       {.required = {.scheduler_names = {"a"}}, .allowed = {.scheduler_names = {"a"}}},
       {}},
      {"node selectors",
       {.allowed = {.node_selectors = NodeSelectors{{"bad key", {"ok", "bad value", "ok"}}}}},
       {"FieldValueInvalid spec.allowed.nodeSelectors[bad key]",
        "FieldValueInvalid spec.allowed.nodeSelectors[bad key][1]",
        "FieldValueDuplicate spec.allowed.nodeSelectors[bad key][2]"}},
      {"the empty value is a label value",
       {.allowed = {.node_selectors = NodeSelectors{{"disk", {""}}}}},
       {}},
      {"keys and values of a toleration pattern",
       {.allowed = {.tolerations = TolerationPatterns{{.keys = {"gpu", "-gpu"},
                                                       .values = {"", "a", "a", "b c"}}}}},
       {"FieldValueInvalid spec.allowed.tolerations[0].keys[1]",
        "FieldValueDuplicate spec.allowed.tolerations[0].values[2]",
        "FieldValueInvalid spec.allowed.tolerations[0].values[3]"}},
      {"keys of an expression; its values may be numbers and names",
       {.allowed = {.affinities = required_node(
                        {{.match_expressions =
                              RequirementPatterns{
                                  {.keys = {"a/b/c"}, .values = {"-1", "x.y-", "-1"}}}}})}},
       {"FieldValueInvalid spec.allowed.affinities.nodeAffinities" + required_mode +
            ".nodeSelectorTerms[0].matchExpressions[0].keys[0]",
        "FieldValueDuplicate spec.allowed.affinities.nodeAffinities" + required_mode +
            ".nodeSelectorTerms[0].matchExpressions[0].values[2]"}},
      {"topology keys",
       {.allowed = {.affinities = topology({"zone", "zone", "bad key"})}},
       {"FieldValueDuplicate " + anti + ".topologyKeys[1]",
        "FieldValueInvalid " + anti + ".topologyKeys[2]"}},
      {"the default node selector",
       {.defaults = {.node_selector = Labels{{"/disk", "ssd"}, {"zone", "-"}}}},
       {"FieldValueInvalid spec.default.nodeSelector[/disk]",
        "FieldValueInvalid spec.default.nodeSelector[zone]"}},
  });
}

TEST_CASE("a default toleration is one that a pod may have") {
  const auto exists = TolerationOperator::exists;
  const auto given = [](DefaultToleration toleration) {
    return SchedulingPolicySpec{
        .defaults = {.tolerations = DefaultTolerations{std::move(toleration)}}};
  };
  const std::string field = " spec.default.tolerations[0]";
  validate_each({
      {"no key with Exists", given({.toleration = {"", exists, "", {}}}), {}},
      {"no key without Exists",
       given({.toleration = {"", {}, "", {}}}),
       {"FieldValueInvalid" + field + ".operator"}},
      {"a key of bad syntax",
       given({.toleration = {"bad key", exists, "", {}}}),
       {"FieldValueInvalid" + field + ".key"}},
      {"seconds with NoExecute",
       given({.toleration = {"gpu", exists, "", TaintEffect::no_execute, 60}}),
       {}},
      {"seconds with another effect",
       given({.toleration = {"gpu", exists, "", TaintEffect::no_schedule, 60}}),
       {"FieldValueInvalid" + field + ".effect"}},
      {"a value beside values",
       given({.toleration = {.key = "gpu", .value = "a"}, .values = {"b"}}),
       {"FieldValueForbidden" + field + ".value"}},
      {"a value with Exists",
       given({.toleration = {"gpu", exists, "a", {}}}),
       {"FieldValueInvalid" + field + ".operator"}},
      {"values with Exists",
       given({.toleration = {"gpu", exists, "", {}}, .values = {"a"}}),
       {"FieldValueInvalid" + field + ".operator"}},
      {"an operator that the API server refuses by default",
       given({.toleration = {"cores", TolerationOperator::gt, "1", {}}}),
       {"FieldValueNotSupported" + field + ".operator"}},
      {"a value of bad syntax",
       given({.toleration = {.key = "gpu", .value = "a b"}}),
       {"FieldValueInvalid" + field + ".operator"}},
      {"values of bad syntax and twice",
       given({.toleration = {.key = "gpu"}, .values = {"b", "b", "c d"}}),
       {"FieldValueDuplicate" + field + ".values[1]", "FieldValueInvalid" + field + ".values[2]"}},
  });
}

TEST_CASE("a default affinity is one that a pod may have") {
  const auto given = [](NodeSelectorRequirement requirement) {
    NodeAffinity node;
    node.required_during_scheduling_ignored_during_execution =
        NodeSelector{{{.match_expressions = {std::move(requirement)}}}};
    return SchedulingPolicySpec{.defaults = {.affinity = Affinity{.node_affinity = node}}};
  };
  const std::string field =
      " spec.default.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
      "nodeSelectorTerms[0].matchExpressions[0]";
  validate_each({
      {"good", given({"disk", NodeSelectorOperator::in, {"ssd"}}), {}},
      {"an unknown operator",
       given({"disk", OpenEnum<NodeSelectorOperator>("Near"), {}}),
       {"FieldValueInvalid" + field + ".operator"}},
      {"In without values",
       given({"disk", NodeSelectorOperator::in, {}}),
       {"FieldValueRequired" + field + ".values"}},
  });
}

TEST_CASE("a default priority class has a name that a pod may have, a scheduler any") {
  validate_each({
      {"a subdomain", {.defaults = {.priority_class_name = "system-node.critical"}}, {}},
      {"none", {.defaults = {.priority_class_name = ""}}, {}},
      {"no subdomain",
       {.defaults = {.priority_class_name = "Not_A_Name"}},
       {"FieldValueInvalid spec.default.priorityClassName"}},
      {"no subdomain, as long as one may be",
       {.defaults = {.priority_class_name = std::string(253, '_')}},
       {"FieldValueInvalid spec.default.priorityClassName"}},
      {"a scheduler", {.defaults = {.scheduler_name = "Not_A_Name"}}, {}},
  });
}

TEST_CASE("a default is among what the policy itself requires") {
  validate_each({
      {"among them",
       {.required = {.scheduler_names = {"green", "blue"}, .priority_class_names = {"gold"}},
        .defaults = {.scheduler_name = "blue", .priority_class_name = "gold"}},
       {}},
      {"not among them",
       {.required = {.scheduler_names = {"green"}, .priority_class_names = {"gold"}},
        .defaults = {.scheduler_name = "blue", .priority_class_name = "silver"}},
       {"FieldValueInvalid spec.default.schedulerName",
        "FieldValueInvalid spec.default.priorityClassName"}},
      {"empty, which gives nothing",
       {.required = {.scheduler_names = {"green"}, .priority_class_names = {"gold"}},
        .defaults = {.scheduler_name = "", .priority_class_name = ""}},
       {}},
      {"allowed is no requirement",
       {.allowed = {.scheduler_names = {"green"}}, .defaults = {.scheduler_name = "blue"}},
       {}},
  });
}

TEST_CASE("all errors are reported, in the order of the document") {
  const SchedulingPolicy policy{.metadata = {.name = ""},
                                .spec = {.required = {.scheduler_names = any},
                                         .allowed = {.scheduler_names = {""}},
                                         .defaults = {.tolerations = DefaultTolerations{}}}};
  CHECK(reasons(validate(policy)) == List{"FieldValueRequired metadata.name",
                                          "FieldValueRequired spec.required.schedulerNames",
                                          "FieldValueRequired spec.allowed.schedulerNames[0]",
                                          "FieldValueRequired spec.default.tolerations"});
}

TEST_CASE("every entry of a list or map is looked at, not the first alone") {
  const auto pods = [](Texts required, Texts preferred) {
    return AffinityRules{.pod_affinities = PodAffinityRules{PodAffinityRule{std::move(required)},
                                                            PodAffinityRule{std::move(preferred)}}};
  };
  const std::string field = "spec.allowed.affinities.podAffinities";
  validate_each({
      {"the second key of node selectors",
       {.allowed = {.node_selectors = {{"a", any}, {"b!", any}}}},
       {"FieldValueInvalid spec.allowed.nodeSelectors[b!]"}},
      {"a topology key of either mode of pod affinity",
       {.allowed = {.affinities = pods({"b!"}, {"a", "c!"})}},
       {"FieldValueInvalid " + field + required_mode + ".topologyKeys[0]",
        "FieldValueInvalid " + field + preferred_mode + ".topologyKeys[1]"}},
      {"the second default toleration",
       {.defaults = {.tolerations = DefaultTolerations{{.toleration = {.key = "a"}},
                                                       {.toleration = {.key = "b!"}}}}},
       {"FieldValueInvalid spec.default.tolerations[1].key"}},
  });
}

TEST_CASE("a default toleration is judged by the rule for those of pods") {
  const auto given = [](DefaultToleration toleration) {
    return SchedulingPolicySpec{
        .defaults = {.tolerations = DefaultTolerations{std::move(toleration)}}};
  };
  const std::string field = " spec.default.tolerations[0]";
  validate_each({
      {"a value that is no label value",
       given({.toleration = {"a", TolerationOperator::equal, "b!", {}}}),
       {"FieldValueInvalid" + field + ".operator"}},
      {"Lt is not supported",
       given({.toleration = {"a", TolerationOperator::lt, "1", {}}}),
       {"FieldValueNotSupported" + field + ".operator"}},
      {"a value with Exists, beside values",
       given({.toleration = {"a", TolerationOperator::exists, "b", {}}, .values = {"c"}}),
       {"FieldValueInvalid" + field + ".operator", "FieldValueInvalid" + field + ".operator",
        "FieldValueForbidden" + field + ".value"}},
      {"no values at all",
       given({.toleration = {.key = "a"}, .values = Texts()}),
       {"FieldValueRequired" + field + ".values"}},
  });
}

TEST_CASE("what lists nothing in required is as wrong as any") {
  const PolicySection nothing{.scheduler_names = Texts(),
                              .priority_class_names = Texts(),
                              .node_selectors = NodeSelectors(),
                              .tolerations = TolerationPatterns(),
                              .affinities = AffinityRules()};
  validate_each({{"all of required",
                  {.required = nothing},
                  {"FieldValueRequired spec.required.schedulerNames",
                   "FieldValueRequired spec.required.priorityClassNames",
                   "FieldValueRequired spec.required.nodeSelectors",
                   "FieldValueRequired spec.required.tolerations",
                   "FieldValueRequired spec.required.affinities"}}});
}

}  // namespace validate_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
