// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/validation.hpp>

#include "validated.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace validation_affinity_test {

using namespace validated;

using schedpol::LabelSelector;
using schedpol::LabelSelectorRequirement;
using schedpol::NodeAffinity;
using schedpol::NodeSelector;
using schedpol::NodeSelectorRequirement;
using schedpol::NodeSelectorTerm;
using schedpol::PodAffinity;
using schedpol::PodAffinityTerm;
using schedpol::Texts;
using LabelOp = schedpol::LabelSelectorOperator;
using NodeOp = schedpol::NodeSelectorOperator;

NodeSelectorRequirement requirement(std::string key, OpenEnum<NodeOp> operator_,
                                    Texts values = {}) {
  return {.key = std::move(key), .operator_ = std::move(operator_), .values = std::move(values)};
}

Affinity required(std::vector<NodeSelectorTerm> terms) {
  return {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                            NodeSelector{.node_selector_terms = std::move(terms)}}};
}

Affinity preferred(std::int32_t weight, NodeSelectorTerm term) {
  return {.node_affinity = NodeAffinity{.preferred_during_scheduling_ignored_during_execution = {
                                            {.weight = weight, .preference = std::move(term)}}}};
}

const std::string during_scheduling = "DuringSchedulingIgnoredDuringExecution";

TEST_CASE("the requirements of a node selector term are checked one by one") {
  using OpenOp = OpenEnum<NodeOp>;
  struct Case {
    std::string name;
    NodeSelectorRequirement requirement;
    Strings errors;  ///< below the requirement
  };
  const Case expressions[] = {
      {"In", requirement("a", NodeOp::in, {"x", "y"}), {}},
      {"In the empty value", requirement("a", NodeOp::in, {""}), {}},
      {"NotIn", requirement("a", NodeOp::not_in, {"x"}), {}},
      {"Exists", requirement("example.com/a", NodeOp::exists), {}},
      {"DoesNotExist", requirement("a", NodeOp::does_not_exist), {}},
      {"Gt", requirement("a", NodeOp::gt, {"5"}), {}},
      {"Lt", requirement("a", NodeOp::lt, {"5"}), {}},
      {"In without values", requirement("a", NodeOp::in), {"Required .values"}},
      {"NotIn without values", requirement("a", NodeOp::not_in), {"Required .values"}},
      {"Exists with a value", requirement("a", NodeOp::exists, {"x"}), {"Forbidden .values"}},
      {"Exists with an empty value", requirement("a", NodeOp::exists, {""}), {"Forbidden .values"}},
      {"DoesNotExist with values",
       requirement("a", NodeOp::does_not_exist, {"x", "y"}),
       {"Forbidden .values"}},
      {"Gt without values", requirement("a", NodeOp::gt), {"Required .values"}},
      {"Gt with two values", requirement("a", NodeOp::gt, {"1", "2"}), {"Required .values"}},
      {"Lt without values", requirement("a", NodeOp::lt), {"Required .values"}},
      {"Lt with two values", requirement("a", NodeOp::lt, {"1", "2"}), {"Required .values"}},
      {"no operator", requirement("a", {}, {"x"}), {"Invalid .operator"}},
      {"an unknown operator", requirement("a", OpenOp("Like"), {"x"}), {"Invalid .operator"}},
      {"an operator in another case", requirement("a", OpenOp("exists")), {"Invalid .operator"}},
      {"a malformed key", requirement("-a", NodeOp::exists), {"Invalid .key"}},
      {"an empty key breaks two rules",
       requirement("", NodeOp::exists),
       {"Invalid .key", "Invalid .key"}},
      {"a key with two slashes", requirement("a/b/c", NodeOp::in, {"x"}), {"Invalid .key"}},
      {"values before the key",
       requirement("-a", NodeOp::in),
       {"Required .values", "Invalid .key"}},
      {"the operator before the key",
       requirement("-a", OpenOp("Is")),
       {"Invalid .operator", "Invalid .key"}},
  };
  const Case fields[] = {
      {"In one name", requirement("metadata.name", NodeOp::in, {"node-1"}), {}},
      {"NotIn one name", requirement("metadata.name", NodeOp::not_in, {"a.b"}), {}},
      {"In no name", requirement("metadata.name", NodeOp::in), {"Required .values"}},
      {"In two names", requirement("metadata.name", NodeOp::in, {"a", "b"}), {"Required .values"}},
      {"NotIn two names",
       requirement("metadata.name", NodeOp::not_in, {"a", "b"}),
       {"Required .values"}},
      {"Exists", requirement("metadata.name", NodeOp::exists), {"Invalid .operator"}},
      {"DoesNotExist", requirement("metadata.name", NodeOp::does_not_exist), {"Invalid .operator"}},
      {"Gt", requirement("metadata.name", NodeOp::gt, {"5"}), {"Invalid .operator"}},
      {"Lt", requirement("metadata.name", NodeOp::lt, {"5"}), {"Invalid .operator"}},
      {"no operator", requirement("metadata.name", {}, {"a"}), {"Invalid .operator"}},
      {"an unknown operator",
       requirement("metadata.name", OpenOp("Is"), {"a"}),
       {"Invalid .operator"}},
      {"another field", requirement("metadata.namespace", NodeOp::in, {"a"}), {"Invalid .key"}},
      {"no key", requirement("", NodeOp::in, {"a"}), {"Invalid .key"}},
      {"a name that is none",
       requirement("metadata.name", NodeOp::in, {"A"}),
       {"Invalid .values[0]"}},
      {"an empty name", requirement("metadata.name", NodeOp::in, {""}), {"Invalid .values[0]"}},
      {"a long name",
       requirement("metadata.name", NodeOp::in, {std::string(254, 'a')}),
       {"Invalid .values[0]"}},
      {"a long name that is none",
       requirement("metadata.name", NodeOp::in, {std::string(254, '-')}),
       {"Invalid .values[0]", "Invalid .values[0]"}},
      {"names of which one is none",
       requirement("metadata.name", NodeOp::in, {"a", "-"}),
       {"Required .values", "Invalid .values[1]"}},
      {"another field without values",
       requirement("metadata.uid", NodeOp::in),
       {"Required .values", "Invalid .key"}},
      {"another field and operator",
       requirement("metadata.uid", NodeOp::exists, {"-"}),
       {"Invalid .operator", "Invalid .key"}},
  };
  const auto check = [](const Case& c, const std::string& list, const NodeSelectorTerm& term) {
    CAPTURE(list);
    CAPTURE(c.name);
    const std::string terms = ".nodeAffinity.required" + during_scheduling + ".nodeSelectorTerms";
    CHECK(said(validate(required({term}))) ==
          below("spec.affinity" + terms + "[0]." + list, c.errors));
    CHECK(said(validate(required({{}, term}), "spec.template.spec.affinity"_path)) ==
          below("spec.template.spec.affinity" + terms + "[1]." + list, c.errors));
    CHECK(said(validate(preferred(1, term), "root"_path)) ==
          below("root.nodeAffinity.preferred" + during_scheduling + "[0].preference." + list,
                c.errors));
  };
  for (const Case& c : expressions) {
    check(c, "matchExpressions[0]", {.match_expressions = {c.requirement}});
    check(c, "matchExpressions[1]",
          {.match_expressions = {requirement("b", NodeOp::exists), c.requirement}});
  }
  for (const Case& c : fields) {
    check(c, "matchFields[0]", {.match_fields = {c.requirement}});
    check(c, "matchFields[1]",
          {.match_expressions = {requirement("b", NodeOp::exists)},
           .match_fields = {requirement("metadata.name", NodeOp::in, {"a"}), c.requirement}});
  }
}

TEST_CASE("the values of required node affinity are label values, those of preferences are free") {
  struct Case {
    std::string name;
    NodeSelectorRequirement requirement;
    Strings errors;      ///< below the requirement
    Strings preferring;  ///< the same in a preference
  };
  const Case cases[] = {
      {"In", requirement("a", NodeOp::in, {"-value"}), {"Invalid .values[0]"}, {}},
      {"NotIn", requirement("a", NodeOp::not_in, {"x", "a b", ""}), {"Invalid .values[1]"}, {}},
      {"a value of two broken rules",
       requirement("a", NodeOp::in, {std::string(64, '-')}),
       {"Invalid .values[0]", "Invalid .values[0]"},
       {}},
      {"several values",
       requirement("a", NodeOp::in, {"-", "x", "_"}),
       {"Invalid .values[0]", "Invalid .values[2]"},
       {}},
      {"Gt", requirement("a", NodeOp::gt, {"-1"}), {"Invalid .values[0]"}, {}},
      {"values that must not be there",
       requirement("a", NodeOp::exists, {"-"}),
       {"Forbidden .values", "Invalid .values[0]"},
       {"Forbidden .values"}},
      {"values after operator and key",
       requirement("-a", OpenEnum<NodeOp>("Is"), {"-"}),
       {"Invalid .operator", "Invalid .key", "Invalid .values[0]"},
       {"Invalid .operator", "Invalid .key"}},
  };
  const std::string terms = "nodeAffinity.required" + during_scheduling + ".nodeSelectorTerms";
  const std::string preference = "nodeAffinity.preferred" + during_scheduling + "[0].preference";
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const NodeSelectorTerm term = {
        .match_expressions = {requirement("b", NodeOp::exists), c.requirement}};
    CHECK(said(validate(required({{}, term}), FieldPath{})) ==
          below(terms + "[1].matchExpressions[1]", c.errors));
    CHECK(said(validate(preferred(1, term), FieldPath{})) ==
          below(preference + ".matchExpressions[1]", c.preferring));
  }
}

TEST_CASE("a required node affinity has a term, and weights are 1 to 100") {
  const std::string terms =
      "spec.affinity.nodeAffinity.required" + during_scheduling + ".nodeSelectorTerms";
  CHECK(said(validate(required({}))) == Strings{"Required " + terms});
  CHECK(validate(required({{}})).empty());
  CHECK(validate(Affinity{}).empty());
  CHECK(validate(Affinity{.node_affinity = NodeAffinity{},
                          .pod_affinity = PodAffinity{},
                          .pod_anti_affinity = PodAffinity{}})
            .empty());
  for (const std::int32_t weight : {-2147483647 - 1, -1, 0, 1, 2, 50, 99, 100, 101, 2147483647}) {
    CAPTURE(weight);
    const bool good = weight >= 1 && weight <= 100;
    const Errors of_node = validate(preferred(weight, {}));
    CHECK(said(of_node) == (good ? Strings{}
                                 : Strings{"Invalid spec.affinity.nodeAffinity.preferred" +
                                           during_scheduling + "[0].weight"}));
    if (!good) CHECK(of_node.front().bad_value == std::to_string(weight));
    const PodAffinity preferring{
        .preferred_during_scheduling_ignored_during_execution = {
            {.weight = weight, .pod_affinity_term = {.topology_key = "zone"}}}};
    for (const bool anti : {false, true}) {
      Affinity affinity;
      (anti ? affinity.pod_anti_affinity : affinity.pod_affinity) = preferring;
      CHECK(said(validate(affinity)) ==
            (good ? Strings{}
                  : Strings{std::string("Invalid spec.affinity.") +
                            (anti ? "podAntiAffinity" : "podAffinity") + ".preferred" +
                            during_scheduling + "[0].weight"}));
    }
  }
}

TEST_CASE("every preferred term is looked at") {
  const std::string list = "spec.affinity.nodeAffinity.preferred" + during_scheduling;
  const auto affinity = [](const std::vector<std::int32_t>& weights) {
    NodeAffinity made;
    for (const std::int32_t weight : weights)
      made.preferred_during_scheduling_ignored_during_execution.push_back({.weight = weight});
    return Affinity{.node_affinity = std::move(made)};
  };
  CHECK(said(validate(affinity({1, 0}))) == Strings{"Invalid " + list + "[1].weight"});
  CHECK(said(validate(affinity({0, 1, 101}))) ==
        Strings{"Invalid " + list + "[0].weight", "Invalid " + list + "[2].weight"});
}

TEST_CASE("the terms of pod affinity and anti-affinity are checked alike") {
  using OpenOp = OpenEnum<LabelOp>;
  const auto selecting = [](LabelSelectorRequirement requirement) {
    return LabelSelector{.match_expressions = {std::move(requirement)}};
  };
  struct Case {
    std::string name;
    PodAffinityTerm term;
    Strings errors;  ///< below the term
  };
  const LabelSelector all;
  const Case cases[] = {
      {"a topology key", {.topology_key = "kubernetes.io/hostname"}, {}},
      {"no topology key breaks three rules",
       {},
       {"Required .topologyKey", "Invalid .topologyKey", "Invalid .topologyKey"}},
      {"a malformed topology key", {.topology_key = "a b"}, {"Invalid .topologyKey"}},

      {"an empty selector", {.label_selector = all, .topology_key = "zone"}, {}},
      {"a pair",
       {.label_selector = LabelSelector{.match_labels = {{"app", "web"}}}, .topology_key = "zone"},
       {}},
      {"a malformed pair",
       {.label_selector = LabelSelector{.match_labels = {{"-app", "a b"}}}, .topology_key = "zone"},
       {"Invalid .labelSelector.matchLabels", "Invalid .labelSelector.matchLabels"}},
      {"In without values",
       {.label_selector = selecting({.key = "a", .operator_ = LabelOp::in}),
        .topology_key = "zone"},
       {"Required .labelSelector.matchExpressions[0].values"}},
      {"NotIn without values",
       {.label_selector = selecting({.key = "a", .operator_ = LabelOp::not_in}),
        .topology_key = "zone"},
       {"Required .labelSelector.matchExpressions[0].values"}},
      {"Exists with a value",
       {.label_selector = selecting({.key = "a", .operator_ = LabelOp::exists, .values = {"x"}}),
        .topology_key = "zone"},
       {"Forbidden .labelSelector.matchExpressions[0].values"}},
      {"DoesNotExist with a value",
       {.label_selector =
            selecting({.key = "a", .operator_ = LabelOp::does_not_exist, .values = {"x"}}),
        .topology_key = "zone"},
       {"Forbidden .labelSelector.matchExpressions[0].values"}},
      {"an unknown operator",
       {.label_selector = selecting({.key = "a", .operator_ = OpenOp("Gt"), .values = {"1"}}),
        .topology_key = "zone"},
       {"Invalid .labelSelector.matchExpressions[0].operator"}},
      {"no operator",
       {.label_selector = selecting({.key = "a"}), .topology_key = "zone"},
       {"Invalid .labelSelector.matchExpressions[0].operator"}},
      {"a malformed key, after what else is wrong",
       {.label_selector = selecting({.key = "-a", .operator_ = LabelOp::in}),
        .topology_key = "zone"},
       {"Required .labelSelector.matchExpressions[0].values",
        "Invalid .labelSelector.matchExpressions[0].key"}},
      {"the second of two expressions",
       {.label_selector = LabelSelector{.match_expressions = {{"a", LabelOp::exists, {}},
                                                              {"b", LabelOp::in, {}}}},
        .topology_key = "zone"},
       {"Required .labelSelector.matchExpressions[1].values"}},
      {"a malformed value",
       {.label_selector = selecting({.key = "a", .operator_ = LabelOp::in, .values = {"-value"}}),
        .topology_key = "zone"},
       {"Invalid .labelSelector.matchExpressions[0].values[0]"}},
      {"malformed values between good ones",
       {.label_selector =
            selecting({.key = "a", .operator_ = LabelOp::not_in, .values = {"x", "a b", "", "_"}}),
        .topology_key = "zone"},
       {"Invalid .labelSelector.matchExpressions[0].values[1]",
        "Invalid .labelSelector.matchExpressions[0].values[3]"}},
      {"a malformed value that must not be there",
       {.label_selector = selecting({.key = "a", .operator_ = LabelOp::exists, .values = {"-"}}),
        .topology_key = "zone"},
       {"Forbidden .labelSelector.matchExpressions[0].values",
        "Invalid .labelSelector.matchExpressions[0].values[0]"}},
      {"a malformed value of a namespace selector",
       {.topology_key = "zone",
        .namespace_selector = selecting({.key = "a", .operator_ = LabelOp::in, .values = {"-"}})},
       {"Invalid .namespaceSelector.matchExpressions[0].values[0]"}},
      {"a namespace selector",
       {.topology_key = "zone",
        .namespace_selector = selecting({.key = "a", .operator_ = LabelOp::in})},
       {"Required .namespaceSelector.matchExpressions[0].values"}},

      {"namespaces", {.namespaces = {"default", "kube-system"}, .topology_key = "zone"}, {}},
      {"namespaces that are none",
       {.namespaces = {"default", "Default", "a.b", ""}, .topology_key = "zone"},
       {"Invalid .namespace", "Invalid .namespace", "Invalid .namespace"}},
      {"a long namespace",
       {.namespaces = {std::string(64, 'a')}, .topology_key = "zone"},
       {"Invalid .namespace"}},

      {"label keys",
       {.label_selector = all,
        .topology_key = "zone",
        .match_label_keys = {"a", "b"},
        .mismatch_label_keys = {"c"}},
       {}},
      {"matchLabelKeys without a selector",
       {.topology_key = "zone", .match_label_keys = {"a"}},
       {"Forbidden .matchLabelKeys"}},
      {"mismatchLabelKeys without a selector",
       {.topology_key = "zone", .mismatch_label_keys = {"a", "b"}},
       {"Forbidden .mismatchLabelKeys"}},
      {"a namespace selector is no selector of pods",
       {.topology_key = "zone", .namespace_selector = all, .match_label_keys = {"a"}},
       {"Forbidden .matchLabelKeys"}},
      {"malformed label keys without a selector",
       {.topology_key = "zone", .match_label_keys = {"-a", "b"}, .mismatch_label_keys = {"-c"}},
       {"Forbidden .matchLabelKeys", "Forbidden .mismatchLabelKeys"}},
      {"a key in both lists without a selector",
       {.topology_key = "zone", .match_label_keys = {"a"}, .mismatch_label_keys = {"a"}},
       {"Forbidden .matchLabelKeys", "Forbidden .mismatchLabelKeys", "Invalid .matchLabelKeys[0]"}},
      {"malformed label keys",
       {.label_selector = all,
        .topology_key = "zone",
        .match_label_keys = {"a", "-b"},
        .mismatch_label_keys = {"c/d/e"}},
       {"Invalid .matchLabelKeys[1]", "Invalid .mismatchLabelKeys[0]"}},
      {"a key that one expression is about",
       {.label_selector = selecting({.key = "b", .operator_ = LabelOp::in, .values = {"x"}}),
        .topology_key = "zone",
        .match_label_keys = {"a", "b"}},
       {}},
      {"a key that two expressions are about",
       {.label_selector = LabelSelector{.match_expressions = {{"b", LabelOp::in, {"x"}},
                                                              {"c", LabelOp::exists, {}},
                                                              {"b", LabelOp::exists, {}}}},
        .topology_key = "zone",
        .match_label_keys = {"a", "b"}},
       {"Invalid [1]"}},
      {"a key that the last of two labels and an expression are about",
       {.label_selector = LabelSelector{.match_labels = {{"a", "x"}, {"b", "x"}},
                                        .match_expressions = {{"b", LabelOp::exists, {}}}},
        .topology_key = "zone",
        .match_label_keys = {"b"}},
       {"Invalid [0]"}},
      {"a key that three expressions are about is reported for the second and the third",
       {.label_selector = LabelSelector{.match_expressions = {{"a", LabelOp::exists, {}},
                                                              {"a", LabelOp::exists, {}},
                                                              {"a", LabelOp::exists, {}}}},
        .topology_key = "zone",
        .match_label_keys = {"a"}},
       {"Invalid [0]", "Invalid [0]"}},
      {"a key that matchLabels has",
       {.label_selector = LabelSelector{.match_labels = {{"a", "x"}}},
        .topology_key = "zone",
        .match_label_keys = {"a"}},
       {}},
      {"a key that matchLabels has and an expression is about",
       {.label_selector = LabelSelector{.match_labels = {{"a", "x"}},
                                        .match_expressions = {{"a", LabelOp::in, {"y"}}}},
        .topology_key = "zone",
        .match_label_keys = {"a"}},
       {"Invalid [0]"}},
      {"a key listed twice stands where it is listed last",
       {.label_selector = LabelSelector{.match_labels = {{"a", "x"}},
                                        .match_expressions = {{"a", LabelOp::in, {"y"}}}},
        .topology_key = "zone",
        .match_label_keys = {"a", "b", "a"}},
       {"Invalid [2]"}},
      {"a key of mismatchLabelKeys may be constrained as well",
       {.label_selector = LabelSelector{.match_labels = {{"a", "x"}},
                                        .match_expressions = {{"a", LabelOp::in, {"y"}}}},
        .topology_key = "zone",
        .mismatch_label_keys = {"a"}},
       {}},
      {"a malformed key, one that is constrained, and in both lists",
       {.label_selector = LabelSelector{.match_labels = {{"b", "x"}},
                                        .match_expressions = {{"b", LabelOp::exists, {}}}},
        .topology_key = "zone",
        .match_label_keys = {"-a", "b"},
        .mismatch_label_keys = {"b"}},
       {"Invalid .matchLabelKeys[0]", "Invalid [1]", "Invalid .matchLabelKeys[1]"}},
      {"a key in both lists",
       {.label_selector = all,
        .topology_key = "zone",
        .match_label_keys = {"a", "b"},
        .mismatch_label_keys = {"c", "b"}},
       {"Invalid .matchLabelKeys[1]"}},

      {"all of it",
       {.label_selector = selecting({.key = "a", .operator_ = LabelOp::in}),
        .namespaces = {"-"},
        .topology_key = "-",
        .namespace_selector = selecting({.key = "a", .operator_ = LabelOp::exists, .values = {""}}),
        .match_label_keys = {"-"},
        .mismatch_label_keys = {"_"}},
       {"Required .labelSelector.matchExpressions[0].values",
        "Forbidden .namespaceSelector.matchExpressions[0].values", "Invalid .namespace",
        "Invalid .matchLabelKeys[0]", "Invalid .mismatchLabelKeys[0]", "Invalid .topologyKey"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const PodAffinityTerm good = {.topology_key = "zone"};
    const PodAffinity of_second = {
        .required_during_scheduling_ignored_during_execution = {good, c.term}};
    const PodAffinity preferring = {.preferred_during_scheduling_ignored_during_execution = {
                                        {.weight = 1, .pod_affinity_term = c.term}}};
    const std::string second = "required" + during_scheduling + "[1]";
    const std::string weighted = "preferred" + during_scheduling + "[0].podAffinityTerm";
    CHECK(said(validate(Affinity{.pod_affinity = of_second})) ==
          below("spec.affinity.podAffinity." + second, c.errors));
    CHECK(said(validate(Affinity{.pod_anti_affinity = of_second}, "root"_path)) ==
          below("root.podAntiAffinity." + second, c.errors));
    CHECK(said(validate(Affinity{.pod_affinity = preferring}, "root"_path)) ==
          below("root.podAffinity." + weighted, c.errors));
    CHECK(said(validate(Affinity{.pod_anti_affinity = preferring})) ==
          below("spec.affinity.podAntiAffinity." + weighted, c.errors));
  }
}

TEST_CASE("the errors of an affinity come in the order of its fields") {
  const PodAffinity bad_pods = {
      .required_during_scheduling_ignored_during_execution = {{.topology_key = "-"}},
      .preferred_during_scheduling_ignored_during_execution = {
          {.weight = 0, .pod_affinity_term = {.topology_key = "-"}}}};
  const Affinity affinity = {
      .node_affinity =
          NodeAffinity{
              .required_during_scheduling_ignored_during_execution =
                  NodeSelector{
                      .node_selector_terms = {{.match_expressions = {requirement("a", NodeOp::in)}},
                                              {.match_fields = {requirement("metadata.name",
                                                                            NodeOp::in, {"-"})}}}},
              .preferred_during_scheduling_ignored_during_execution =
                  {{.weight = 101,
                    .preference = {.match_expressions = {requirement("-", NodeOp::exists)}}}}},
      .pod_affinity = bad_pods,
      .pod_anti_affinity = bad_pods,
  };
  Strings wanted = {"Required .nodeAffinity.required" + during_scheduling +
                        ".nodeSelectorTerms[0].matchExpressions[0].values",
                    "Invalid .nodeAffinity.required" + during_scheduling +
                        ".nodeSelectorTerms[1].matchFields[0].values[0]",
                    "Invalid .nodeAffinity.preferred" + during_scheduling + "[0].weight",
                    "Invalid .nodeAffinity.preferred" + during_scheduling +
                        "[0].preference.matchExpressions[0].key"};
  for (const std::string kind : {"podAffinity", "podAntiAffinity"}) {
    wanted.push_back("Invalid ." + kind + ".required" + during_scheduling + "[0].topologyKey");
    wanted.push_back("Invalid ." + kind + ".preferred" + during_scheduling + "[0].weight");
    wanted.push_back("Invalid ." + kind + ".preferred" + during_scheduling +
                     "[0].podAffinityTerm.topologyKey");
  }
  CHECK(said(validate(affinity)) == below("spec.affinity", wanted));
  CHECK(said(validate(affinity, "spec.jobTemplate.spec.template.spec.affinity"_path)) ==
        below("spec.jobTemplate.spec.template.spec.affinity", wanted));
}

}  // namespace validation_affinity_test
