// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/decode.hpp>

#include "decoded.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace decode_policy_test {

using namespace decoded_objects;

using schedpol::Texts;

TEST_CASE("a policy is read with absent, empty and listed told apart") {
  const auto spec = read_spec(R"({
    "required": {"schedulerNames": ["a", "b"], "nodeSelectors": {"arch": ["amd64"], "disk": []},
                 "tolerations": [{"keys": [], "effects": ["NoSchedule"]}],
                 "affinities": {"nodeAffinities": {}}},
    "allowed": {"schedulerNames": [], "nodeSelectors": {}, "tolerations": [], "affinities": {}},
    "default": {"schedulerName": "a", "priorityClassName": "", "nodeSelector": {},
                "tolerations": [{"key": "gpu", "values": ["a", "b"]},
                                {"key": "spot", "value": "x"}, {"key": "t", "values": []}],
                "affinity": {"podAffinity": {}}}
  })");
  const auto& required = spec.required;
  CHECK(required.scheduler_names.listed() == Texts{"a", "b"});
  CHECK(required.priority_class_names.is_absent());
  REQUIRE(required.node_selectors.is_listed());
  CHECK(required.node_selectors.listed().at("arch").listed() == Texts{"amd64"});
  CHECK(required.node_selectors.listed().at("disk").is_any());
  REQUIRE(required.tolerations.is_listed());
  const auto& pattern = required.tolerations.listed().at(0);
  CHECK(pattern.keys.is_any());
  CHECK(pattern.operators.is_absent());
  CHECK(pattern.values.is_absent());
  CHECK(pattern.effects.listed().size() == 1);
  REQUIRE(required.affinities.is_listed());
  CHECK(required.affinities.listed().node_affinities.is_any());
  CHECK(required.affinities.listed().pod_affinities.is_absent());

  const auto& allowed = spec.allowed;
  CHECK(allowed.scheduler_names.is_any());
  CHECK(allowed.priority_class_names.is_absent());
  CHECK(allowed.node_selectors.is_any());
  CHECK(allowed.tolerations.is_any());
  CHECK(allowed.affinities.is_any());

  const auto& defaults = spec.defaults;
  CHECK(defaults.scheduler_name == "a");
  CHECK(defaults.priority_class_name == "");
  CHECK(defaults.node_selector == Labels{});
  REQUIRE(defaults.tolerations->size() == 3);
  CHECK(defaults.tolerations->at(0).values.listed() == Texts{"a", "b"});
  CHECK(defaults.tolerations->at(1).toleration.value == "x");
  CHECK(defaults.tolerations->at(1).values.is_absent());
  CHECK(defaults.tolerations->at(2).values.is_any());
  CHECK(defaults.affinity->pod_affinity == schedpol::PodAffinity{});
  CHECK(!defaults.affinity->node_affinity);
}

TEST_CASE("in policies null is absent, and a map of nothing but nulls is not an empty one") {
  struct Case {
    const char* name;
    const char* affinities;
    const char* same_as;
  };
  const auto evaluated = [](auto affinities) {
    using namespace schedpol::scheduling_policy;
    const std::vector<SchedulingPolicy> policies = {
        {.metadata = {.name = "a"}, .spec = {.allowed = {.affinities = std::move(affinities)}}}};
    return merge(policies).spec().allowed.affinities;
  };
  // What is written on the left means the same as what is written on the right.
  constexpr Case cases[] = {
      {"null", "null", "absent"},
      {"empty", "{}", "{}"},
      {"one kind null", R"({"nodeAffinities": null})", "absent"},
      {"all kinds null",
       R"({"nodeAffinities": null, "podAffinities": null, "podAntiAffinities": null})", "absent"},
      {"one kind null, another any", R"({"nodeAffinities": null, "podAffinities": {}})",
       R"({"podAffinities": {}})"},
      {"a mode null",
       R"({"nodeAffinities": {"requiredDuringSchedulingIgnoredDuringExecution": null}})", "absent"},
      {"a mode null, the other any",
       R"({"podAffinities": {"requiredDuringSchedulingIgnoredDuringExecution": null,
                             "preferredDuringSchedulingIgnoredDuringExecution": {}}})",
       R"({"podAffinities": {"preferredDuringSchedulingIgnoredDuringExecution": {}}})"},
      {"terms null",
       R"({"nodeAffinities": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": null}}})",
       "absent"},
      {"terms empty",
       R"({"nodeAffinities": {"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms": []}}})",
       R"({"nodeAffinities": {"requiredDuringSchedulingIgnoredDuringExecution": {}}})"},
      {"topology keys null",
       R"({"podAntiAffinities": {"preferredDuringSchedulingIgnoredDuringExecution":
           {"topologyKeys": null}}})",
       "absent"},
      {"topology keys empty",
       R"({"podAntiAffinities": {"preferredDuringSchedulingIgnoredDuringExecution":
           {"topologyKeys": []}}})",
       R"({"podAntiAffinities": {"preferredDuringSchedulingIgnoredDuringExecution": {}}})"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    for (const char* section : {"allowed", "required"}) {
      CAPTURE(section);
      const auto rules = [&](std::string_view affinities) {
        const auto spec = read_spec(std::string(R"({")") + section + R"(": {"affinities": )" +
                                    std::string(affinities) + "}}");
        return std::string_view(section) == "allowed" ? spec.allowed.affinities
                                                      : spec.required.affinities;
      };
      const std::string_view same_as = c.same_as;
      using Affinities = decltype(rules(same_as));
      const Affinities wanted = same_as == "absent" ? Affinities{} : rules(same_as);
      CHECK((evaluated(rules(c.affinities)) == evaluated(wanted)));
      if (same_as != "absent") CHECK((rules(c.affinities) == wanted));
    }
  }
}

TEST_CASE("an entry that is null permits nothing") {
  const auto spec = read_spec(R"({"allowed": {
    "nodeSelectors": {"disk": null},
    "tolerations": [null],
    "affinities": {"nodeAffinities": {"requiredDuringSchedulingIgnoredDuringExecution":
      {"nodeSelectorTerms": [null, {"matchExpressions": null, "matchFields": [null]}]}}}}})");
  REQUIRE(spec.allowed.node_selectors.is_listed());
  CHECK(spec.allowed.node_selectors.listed().size() == 1);
  CHECK(spec.allowed.node_selectors.listed().at("disk").is_absent());
  REQUIRE(spec.allowed.tolerations.listed().size() == 1);
  CHECK(spec.allowed.tolerations.listed().front() ==
        schedpol::scheduling_policy::TolerationPattern{});
  const auto& node = spec.allowed.affinities.listed().node_affinities.listed();
  const auto& terms =
      node.required_during_scheduling_ignored_during_execution.listed().node_selector_terms;
  REQUIRE(terms.size() == 2);
  CHECK((terms[0] == schedpol::scheduling_policy::TermPattern{}));
  CHECK(terms[1].match_expressions.is_absent());
  REQUIRE(terms[1].match_fields.listed().size() == 1);
  CHECK((terms[1].match_fields.listed().front() ==
         schedpol::scheduling_policy::RequirementPattern{}));
}

TEST_CASE("every section and field of a policy may be null") {
  CHECK(errors<SchedulingPolicy>(
            R"({"apiVersion": null, "kind": null, "metadata": {}, "spec": null})") == "good");
  const SchedulingPolicySpec nothing;
  CHECK((read_spec(R"({"required": null, "allowed": null, "default": null})") == nothing));
  CHECK((read_spec(R"({
    "required": {"schedulerNames": null, "priorityClassNames": null, "nodeSelectors": null,
                 "tolerations": null, "affinities": null},
    "allowed": {"schedulerNames": null, "priorityClassNames": null, "nodeSelectors": null,
                "tolerations": null, "affinities": null},
    "default": {"schedulerName": null, "priorityClassName": null, "nodeSelector": null,
                "tolerations": null, "affinity": null}
  })") == nothing));
}

TEST_CASE("null in a list of names or words of a policy is an error") {
  constexpr ErrorCase cases[] = {
      {"scheduler names", R"({"allowed": {"schedulerNames": ["a", null]}})",
       "Required spec.allowed.schedulerNames[1]"},
      {"priority classes", R"({"required": {"priorityClassNames": [null]}})",
       "Required spec.required.priorityClassNames[0]"},
      {"values of a node selector", R"({"allowed": {"nodeSelectors": {"disk": [null]}}})",
       "Required spec.allowed.nodeSelectors[disk][0]"},
      {"a pattern", R"({"allowed": {"tolerations": [{"keys": [null], "operators": [null],
         "values": [null], "effects": [null]}]}})",
       "Required spec.allowed.tolerations[0].keys[0]; "
       "Required spec.allowed.tolerations[0].operators[0]; "
       "Required spec.allowed.tolerations[0].values[0]; "
       "Required spec.allowed.tolerations[0].effects[0]"},
      {"topology keys", R"({"allowed": {"affinities": {"podAffinities":
         {"requiredDuringSchedulingIgnoredDuringExecution": {"topologyKeys": [null]}}}}})",
       "Required spec.allowed.affinities.podAffinities."
       "requiredDuringSchedulingIgnoredDuringExecution.topologyKeys[0]"},
      {"values of a default toleration", R"({"default": {"tolerations": [{"values": [null]}]}})",
       "Required spec.default.tolerations[0].values[0]"},
      {"values of a default affinity", R"({"default": {"affinity": {"nodeAffinity":
         {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
           {"matchExpressions": [{"key": "a", "operator": "In", "values": [null]}]}]}}}}})",
       "Required spec.default.affinity.nodeAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]."
       "values[0]"},
  };
  check_spec_errors(cases);
}

TEST_CASE("unknown fields of a policy are refused, at every level but in its metadata") {
  constexpr ErrorCase cases[] = {
      {"spec", R"({"alowed": {}})", "Forbidden spec.alowed"},
      {"a section", R"({"allowed": {"schedulers": []}})", "Forbidden spec.allowed.schedulers"},
      {"a section in other case", R"({"Allowed": {}})", "Forbidden spec.Allowed"},
      {"a field in other case", R"({"allowed": {"NodeSelectors": {}}})",
       "Forbidden spec.allowed.NodeSelectors"},
      {"the singular in allowed", R"({"allowed": {"schedulerName": "a"}})",
       "Forbidden spec.allowed.schedulerName"},
      {"the plural in default", R"({"default": {"schedulerNames": ["a"]}})",
       "Forbidden spec.default.schedulerNames"},
      {"an unknown field that is null", R"({"allowed": {"x": null}})", "Forbidden spec.allowed.x"},
      {"a pattern", R"({"allowed": {"tolerations": [{"key": "a"}]}})",
       "Forbidden spec.allowed.tolerations[0].key"},
      {"affinities", R"({"allowed": {"affinities": {"nodeAffinity": {}}}})",
       "Forbidden spec.allowed.affinities.nodeAffinity"},
      {"a kind", R"({"allowed": {"affinities": {"nodeAffinities": {"required": {}}}}})",
       "Forbidden spec.allowed.affinities.nodeAffinities.required"},
      {"a mode", R"({"allowed": {"affinities": {"podAffinities":
         {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": []}}}}})",
       "Forbidden spec.allowed.affinities.podAffinities."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms"},
      {"a term", R"({"required": {"affinities": {"nodeAffinities":
         {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms":
           [{"matchLabels": {}}]}}}}})",
       "Forbidden spec.required.affinities.nodeAffinities."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchLabels"},
      {"an expression", R"({"required": {"affinities": {"nodeAffinities":
         {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms":
           [{"matchFields": [{"key": "a"}]}]}}}}})",
       "Forbidden spec.required.affinities.nodeAffinities."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchFields[0].key"},
      {"a default toleration", R"({"default": {"tolerations": [{"keys": ["a"]}]}})",
       "Forbidden spec.default.tolerations[0].keys"},
      {"a default affinity", R"({"default": {"affinity": {"nodeAffinities": {}}}})",
       "Forbidden spec.default.affinity.nodeAffinities"},
      {"a selector in a default affinity", R"({"default": {"affinity": {"podAffinity":
         {"requiredDuringSchedulingIgnoredDuringExecution": [{"labelSelector": {"x": 1}}]}}}})",
       "Forbidden spec.default.affinity.podAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution[0].labelSelector.x"},
  };
  check_spec_errors(cases);
  constexpr ErrorCase whole[] = {
      {"the object", R"({"metadata": {"name": "p"}, "Spec": {}})", "Forbidden Spec"},
      {"after metadata", R"({"metadata": {"x": 1}, "y": 1})", "Forbidden y"},
      {"metadata", R"({"metadata": {"name": "p", "generation": 5, "ownerReferences": []}})",
       "good"},
      {"status", R"({"metadata": {}, "status": {"whatever": 1}})", "good"},
  };
  check_errors<SchedulingPolicy>(whole);
  const auto decoded = decode<SchedulingPolicy>(R"({"x": 1})");
  REQUIRE(!decoded);
  CHECK(decoded.errors().front() ==
        FieldError{ErrorType::forbidden, "x"_path, "", "unknown field"});
}

TEST_CASE("a wrong type in a policy is an error at its path") {
  constexpr ErrorCase cases[] = {
      {"a section", R"({"allowed": []})", "TypeInvalid spec.allowed"},
      {"names", R"({"allowed": {"schedulerNames": "a"}})",
       "TypeInvalid spec.allowed.schedulerNames"},
      {"names by their other spelling", R"({"allowed": {"priorityClasseNames": {}}})",
       "TypeInvalid spec.allowed.priorityClasseNames"},
      {"a name", R"({"allowed": {"schedulerNames": ["a", 5]}})",
       "TypeInvalid spec.allowed.schedulerNames[1]"},
      {"node selectors", R"({"allowed": {"nodeSelectors": []}})",
       "TypeInvalid spec.allowed.nodeSelectors"},
      {"the values of a key", R"({"required": {"nodeSelectors": {"disk": "ssd"}}})",
       "TypeInvalid spec.required.nodeSelectors[disk]"},
      {"one value", R"({"required": {"nodeSelectors": {"disk": ["ssd", 1]}}})",
       "TypeInvalid spec.required.nodeSelectors[disk][1]"},
      {"tolerations", R"({"allowed": {"tolerations": {}}})",
       "TypeInvalid spec.allowed.tolerations"},
      {"a pattern", R"({"allowed": {"tolerations": [[]]}})",
       "TypeInvalid spec.allowed.tolerations[0]"},
      {"a list of a pattern", R"({"allowed": {"tolerations": [{"effects": "NoSchedule"}]}})",
       "TypeInvalid spec.allowed.tolerations[0].effects"},
      {"a word", R"({"allowed": {"tolerations": [{"effects": [5]}]}})",
       "TypeInvalid spec.allowed.tolerations[0].effects[0]"},
      {"affinities", R"({"allowed": {"affinities": []}})", "TypeInvalid spec.allowed.affinities"},
      {"a kind", R"({"allowed": {"affinities": {"nodeAffinities": []}}})",
       "TypeInvalid spec.allowed.affinities.nodeAffinities"},
      {"a mode", R"({"allowed": {"affinities": {"nodeAffinities":
         {"requiredDuringSchedulingIgnoredDuringExecution": []}}}})",
       "TypeInvalid spec.allowed.affinities.nodeAffinities."
       "requiredDuringSchedulingIgnoredDuringExecution"},
      {"a default name", R"({"default": {"schedulerName": ["a"]}})",
       "TypeInvalid spec.default.schedulerName"},
      {"a default pair", R"({"default": {"nodeSelector": {"disk": ["ssd"]}}})",
       "TypeInvalid spec.default.nodeSelector[disk]"},
      {"default tolerations", R"({"default": {"tolerations": {}}})",
       "TypeInvalid spec.default.tolerations"},
      {"default seconds", R"({"default": {"tolerations": [{"tolerationSeconds": "5"}]}})",
       "TypeInvalid spec.default.tolerations[0].tolerationSeconds"},
      {"value beside values", R"({"default": {"tolerations": [{"value": "a", "values": ["b"]}]}})",
       "Forbidden spec.default.tolerations[0].value"},
  };
  check_spec_errors(cases);
  constexpr ErrorCase whole[] = {
      {"a list", "[]", "TypeInvalid "},
      {"spec", R"({"metadata": {}, "spec": []})", "TypeInvalid spec"},
      {"apiVersion", R"({"metadata": {}, "apiVersion": 5})", "TypeInvalid apiVersion"},
      {"kind", R"({"metadata": {}, "kind": 5})", "TypeInvalid kind"},
      {"another kind", R"({"metadata": {}, "kind": "Pod"})", "NotSupported kind"},
      {"another kind in the other spelling", R"({"metadata": {}, "Kind": "Pod"})",
       "NotSupported Kind"},
      {"nothing", "{}", "Required metadata.name"},
      {"no metadata", R"({"metadata": null})", "Required metadata.name"},
      {"name", R"({"metadata": {"name": 5}})", "TypeInvalid metadata.name"},
      {"any version", R"({"metadata": {}, "apiVersion": "extensions/valpha1"})", "good"},
  };
  check_errors<SchedulingPolicy>(whole);
}

TEST_CASE("policies of every system are read whole, and refuse what they do not know") {
  const auto injected = read<psp::PodSchedulingPolicy>(R"({
    "apiVersion": "kupid.gardener.cloud/v1alpha1", "kind": "PodSchedulingPolicy",
    "metadata": {"name": "p", "namespace": "n"}, "status": {"x": 1},
    "spec": {"podSelector": {}, "nodeName": "n1", "schedulerName": "s", "nodeSelector": {"a": "b"},
             "tolerations": [{"key": "k"}], "affinity": {"podAffinity": {}}}})");
  CHECK(injected.kind == psp::PolicyKind::pod_scheduling_policy);
  CHECK(injected.spec.pod_selector == schedpol::LabelSelector{});
  CHECK(!injected.spec.namespace_selector);
  CHECK(injected.spec.node_name == "n1");
  CHECK(injected.spec.scheduler_name == "s");
  CHECK(injected.spec.node_selector == Labels{{"a", "b"}});
  CHECK(injected.spec.tolerations == std::vector<Toleration>{{.key = "k"}});
  CHECK(injected.spec.affinity->pod_affinity.has_value());

  const auto rules =
      read<mp::MetadataPolicy>(R"({"kind": "MetadataPolicy", "metadata": {}, "spec": {"rules": [
    {"policyPredicate": {"labelSelector": {}, "annotationSelector": {"matchLabels": {"a": "b c"}}},
     "policyAction": {"updatedLabels": {"x": "1"}, "updatedAnnotations": {"y": "2"}}}]}})");
  REQUIRE(rules.spec.rules.size() == 1);
  CHECK(rules.spec.rules[0].policy_predicate.label_selector.has_value());
  CHECK(rules.spec.rules[0].policy_predicate.annotation_selector->match_labels ==
        Labels{{"a", "b c"}});
  CHECK(rules.spec.rules[0].policy_action.updated_labels == Labels{{"x", "1"}});
  CHECK(rules.spec.rules[0].policy_action.updated_annotations == Labels{{"y", "2"}});

  const auto units = read<schedpol::resource_policy::ResourcePolicy>(R"({"metadata": {}, "spec": {
    "matchLabelKeys": ["pod-template-hash"], "matchPolicy": {"ignoreTerminatingPod": true},
    "podSelector": {"matchLabels": {"a": "b"}}, "strategy": "prefer",
    "units": [{"name": "u", "priority": 5, "maxCount": 0, "nodeSelector": {}}, {}]}})");
  CHECK(units.spec.match_label_keys == Texts{"pod-template-hash"});
  CHECK(units.spec.match_policy.ignore_terminating_pod);
  CHECK(units.spec.strategy == schedpol::resource_policy::Strategy::prefer);
  REQUIRE(units.spec.units.size() == 2);
  CHECK(units.spec.units[0].priority == 5);
  CHECK(units.spec.units[0].max_count == 0);
  CHECK(units.spec.units[0].node_selector.has_value());
  CHECK(!units.spec.units[1].max_count);

  const auto runtime =
      read<schedpol::runtime_class::RuntimeClass>(R"({"handler": "h", "metadata": {},
    "overhead": {"podFixed": {"cpu": "1"}}, "scheduling": {"nodeSelector": {"a": "b"},
                                                            "tolerations": [{}]}})");
  CHECK(runtime.handler == "h");
  CHECK(runtime.overhead->pod_fixed.at("cpu").text() == "1");
  CHECK(runtime.scheduling->node_selector == Labels{{"a", "b"}});
  CHECK(runtime.scheduling->tolerations.size() == 1);

  const auto node = read<schedpol::Node>(
      R"({"metadata": {"labels": {"a": "b"}}, "spec": {"podCIDR": "x", "taints": [{"key": "t",
          "value": "v", "effect": "NoSchedule"}]}})");
  CHECK(node.metadata.labels == Labels{{"a", "b"}});
  CHECK(node.spec.taints ==
        std::vector<schedpol::Taint>{{"t", "v", schedpol::TaintEffect::no_schedule}});

  CHECK(errors<psp::PodSchedulingPolicy>(
            R"({"kind": "PodSchedulingPolicy", "spec": {"nodeSelectors": {}}})") ==
        "Forbidden spec.nodeSelectors");
  CHECK(errors<mp::MetadataPolicy>(
            R"({"metadata": {}, "spec": {"rules": [{"policyAction": {"rejects": true}}]}})") ==
        "Forbidden spec.rules[0].policyAction.rejects");
  CHECK(errors<schedpol::resource_policy::ResourcePolicy>(
            R"({"metadata": {}, "spec": {"units": [{"maxCounts": 5}]}})") ==
        "Forbidden spec.units[0].maxCounts");
  CHECK(errors<schedpol::runtime_class::RuntimeClass>(
            R"({"metadata": {}, "scheduling": {"x": 1}})") == "Forbidden scheduling.x");
}

TEST_CASE("any is only what was written empty, at every level of a policy") {
  const auto allowed = [](std::string_view text) { return read_spec(text).allowed; };
  CHECK(allowed(R"({"allowed": {"nodeSelectors": {}}})").node_selectors.is_any());
  CHECK(allowed(R"({"allowed": {"nodeSelectors": {"a": null}}})").node_selectors.is_listed());
  CHECK(allowed(R"({"allowed": {"tolerations": [{}]}})").tolerations.is_listed());
  CHECK(allowed(R"({"allowed": {"schedulerNames": [""]}})").scheduler_names.is_listed());
  const auto pattern = allowed(R"({"allowed": {"tolerations": [
      {"keys": [], "operators": null, "values": ["a"], "effects": []}]}})")
                           .tolerations.listed()
                           .at(0);
  CHECK(pattern.keys.is_any());
  CHECK(pattern.operators.is_absent());
  CHECK(pattern.values.is_listed());
  CHECK(pattern.effects.is_any());
  const auto term = allowed(R"({"allowed": {"affinities": {"nodeAffinities": {
      "preferredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [], "matchFields": null}]}}}}})")
                        .affinities.listed()
                        .node_affinities.listed()
                        .preferred_during_scheduling_ignored_during_execution.listed()
                        .node_selector_terms.at(0);
  CHECK(term.match_expressions.is_any());
  CHECK(term.match_fields.is_absent());
}

}  // namespace decode_policy_test
