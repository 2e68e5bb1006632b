// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/decode.hpp>

#include "decoded.hpp"

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace decode_pod_test {

using namespace decoded_objects;

using schedpol::NodeSelectorOperator;
using schedpol::OwnerReference;
using schedpol::PodKind;
using schedpol::TolerationOperator;

TEST_CASE("a pod is read with all that scheduling looks at") {
  const Pod pod = read<Pod>(R"({
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "web", "namespace": "team-a", "labels": {"app": "web"},
                 "annotations": {"note": "free text / of any kind"}, "uid": "5"},
    "spec": {
      "schedulerName": "my-scheduler",
      "nodeName": "n1",
      "priorityClassName": "gold",
      "priority": 1000,
      "preemptionPolicy": "Never",
      "serviceAccountName": "runner",
      "serviceAccount": "old",
      "nodeSelector": {"disk": "ssd", "zone": ""},
      "tolerations": [
        {"key": "gpu", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 30},
        {"key": "kernel", "operator": "Gt", "value": "5"}
      ],
      "affinity": {
        "nodeAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
            {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}],
             "matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n2"]}]}
          ]},
          "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 7, "preference": {"matchExpressions": [{"key": "a", "operator": "Exists"}]}}
          ]
        },
        "podAffinity": {
          "requiredDuringSchedulingIgnoredDuringExecution": [
            {"topologyKey": "zone", "labelSelector": {}, "namespaces": ["x"],
             "matchLabelKeys": ["v"], "mismatchLabelKeys": ["w"]}
          ]
        },
        "podAntiAffinity": {
          "preferredDuringSchedulingIgnoredDuringExecution": [
            {"weight": 9, "podAffinityTerm": {"topologyKey": "host",
              "labelSelector": {"matchLabels": {"app": "web"},
                "matchExpressions": [{"key": "t", "operator": "NotIn", "values": ["b"]}]},
              "namespaceSelector": {}}}
          ]
        }
      },
      "containers": [{"name": "c", "image": "i"}]
    },
    "status": {"phase": "Pending"}
  })");
  CHECK(pod.kind == PodKind::pod);
  CHECK(pod.metadata.name == "web");
  CHECK(pod.metadata.namespace_ == "team-a");
  CHECK(pod.metadata.labels == Labels{{"app", "web"}});
  CHECK(pod.metadata.annotations == Labels{{"note", "free text / of any kind"}});
  const auto& spec = pod.spec;
  CHECK(spec.scheduler_name == "my-scheduler");
  CHECK(spec.node_name == "n1");
  CHECK(spec.priority_class_name == "gold");
  CHECK(spec.priority == 1000);
  CHECK(spec.preemption_policy == "Never");
  CHECK(spec.service_account_name == "runner");
  CHECK(spec.service_account == "old");
  CHECK(spec.node_selector == Labels{{"disk", "ssd"}, {"zone", ""}});
  REQUIRE(spec.tolerations.size() == 2);
  CHECK(spec.tolerations[0] == Toleration{.key = "gpu",
                                          .operator_ = TolerationOperator::exists,
                                          .effect = schedpol::TaintEffect::no_execute,
                                          .toleration_seconds = 30});
  CHECK(spec.tolerations[1] ==
        Toleration{.key = "kernel", .operator_ = TolerationOperator::gt, .value = "5"});
  REQUIRE(spec.affinity);
  const auto& node = *spec.affinity->node_affinity;
  const auto& term =
      node.required_during_scheduling_ignored_during_execution->node_selector_terms[0];
  CHECK(to_string(term) == "(disk In [ssd] & field metadata.name NotIn [n2])");
  CHECK(to_string(node) == "required " + to_string(term) + ", preferred 7 (a Exists)");
  CHECK(to_string(*spec.affinity->pod_affinity) ==
        "required zone with pods {} in namespaces [x] of equal [v] of unequal [w]");
  CHECK(to_string(*spec.affinity->pod_anti_affinity) ==
        "preferred 9 host with pods {app=web, t NotIn [b]} in namespaces with {}");
}

TEST_CASE("a pod without kind is a Pod, and all of it may be absent") {
  CHECK(read<Pod>("{}") == Pod{});
  CHECK(read<Pod>(R"({"kind": null, "metadata": null, "spec": null})") == Pod{});
  CHECK(read<Pod>(R"({"kind": ""})").kind == PodKind::pod);
}

TEST_CASE("a pod template is read where it stands in its workload") {
  struct Case {
    const char* kind;
    const char* before;
    const char* after;
  };
  constexpr Case cases[] = {
      {"Pod", "", ""},
      {"PodTemplate", R"("template":{)", "}"},
      {"ReplicationController", R"("spec":{"template":{)", "}}"},
      {"ReplicaSet", R"("spec":{"replicas":2,"template":{)", "}}"},
      {"Deployment", R"("spec":{"selector":{"x":1},"template":{)", "}}"},
      {"StatefulSet", R"("spec":{"template":{)", "}}"},
      {"DaemonSet", R"("spec":{"template":{)", "}}"},
      {"Job", R"("spec":{"template":{)", "}}"},
      {"CronJob", R"("spec":{"schedule":"@daily","jobTemplate":{"spec":{"template":{)", "}}}}"},
  };
  std::vector<PodKind> seen;
  for (const Case& c : cases) {
    CAPTURE(c.kind);
    // What else there is of a template, and the status that it has not, nobody looks at.
    const std::string others = std::string(c.before).empty() ? R"("x":1,)" : R"("status":1,"x":1,)";
    const Pod pod = read<Pod>(std::string(R"({"kind":")") + c.kind + R"(",)" + c.before + others +
                              R"("spec":{"schedulerName":"s"})" + c.after + "}");
    CHECK(to_string(pod.kind) == c.kind);
    CHECK(pod.spec.scheduler_name == "s");
    seen.push_back(pod.kind);
  }
  CHECK(seen.size() == std::size(schedpol::pod_kinds));
}

TEST_CASE("the selector of a workload is read of those kinds whose author writes it") {
  const auto selector_of = [](std::string kind, std::string selector) {
    return read<Pod>(R"({"kind":")" + kind + R"(","spec":{"selector":)" + selector + "}}").selector;
  };
  const schedpol::LabelSelector web{.match_labels = {{"app", "web"}}};
  for (const char* kind : {"ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"}) {
    CAPTURE(kind);
    CHECK(selector_of(kind, R"({"matchLabels":{"app":"web"},"x":1})") == web);
    CHECK(selector_of(kind, "{}") == schedpol::LabelSelector{});
    CHECK(selector_of(kind, "null") == std::nullopt);
  }
  CHECK(selector_of("ReplicationController", R"({"app":"web"})") == web);
  CHECK(selector_of("Deployment", R"({"matchExpressions":[{"key":"a","operator":"Is"}]})")
            ->match_expressions.size() == 1);
  for (const char* kind : {"Pod", "PodTemplate", "Job", "CronJob"})
    CHECK(selector_of(kind, "1") == std::nullopt);
}

TEST_CASE("a template is in the namespace of its workload, and takes its name where it has none") {
  const Pod pod = read<Pod>(R"({
    "kind": "Deployment",
    "metadata": {"name": "web", "namespace": "team-a", "labels": {"of": "the workload"}},
    "spec": {"template": {"metadata": {"labels": {"of": "the template"}}}}
  })");
  CHECK(pod.metadata.name == "web");
  CHECK(pod.metadata.namespace_ == "team-a");
  CHECK(pod.metadata.labels == Labels{{"of", "the template"}});

  const Pod own = read<Pod>(R"({
    "kind": "CronJob",
    "metadata": {"name": "nightly", "namespace": "team-a"},
    "spec": {"jobTemplate": {"metadata": {"name": "job"},
             "spec": {"template": {"metadata": {"name": "own", "namespace": "team-b"}}}}}
  })");
  CHECK(own.metadata.name == "own");
  CHECK(own.metadata.namespace_ == "team-a");
  const Pod nowhere = read<Pod>(R"({
    "kind": "Job",
    "metadata": {"name": "j"},
    "spec": {"template": {"metadata": {"namespace": "team-b"}}}
  })");
  CHECK(nowhere.metadata.namespace_ == "team-b");

  CHECK(read<Pod>(R"({"kind": "Job", "metadata": {"name": "j"}, "spec": null})").metadata.name ==
        "j");
  CHECK(read<Pod>(R"({"kind": "Job", "metadata": {"name": "j"}})").spec == schedpol::PodSpec{});
}

TEST_CASE("in pods null is absent, and a null entry is an empty one") {
  const Pod pod = read<Pod>(R"({
    "metadata": {"name": null, "labels": {"a": null}, "annotations": null},
    "spec": {"schedulerName": null, "priority": null, "nodeSelector": {"disk": null},
             "tolerations": [null, {"key": null, "operator": null, "tolerationSeconds": null}],
             "affinity": {"nodeAffinity": {
               "requiredDuringSchedulingIgnoredDuringExecution": null,
               "preferredDuringSchedulingIgnoredDuringExecution": null},
               "podAffinity": null}}
  })");
  CHECK(pod.metadata.labels == Labels{{"a", ""}});
  CHECK(pod.spec.node_selector == Labels{{"disk", ""}});
  CHECK(!pod.spec.priority);
  CHECK(pod.spec.tolerations == std::vector<Toleration>(2));
  REQUIRE(pod.spec.affinity);
  CHECK(pod.spec.affinity->node_affinity == schedpol::NodeAffinity{});
  CHECK(!pod.spec.affinity->pod_affinity);
}

TEST_CASE("unknown fields are ignored in pods, at every level") {
  CHECK(errors<Pod>(R"({
    "Spec": {"schedulerName": 5}, "Status": [], "metadata": {"managedFields": [{}], "Name": 5},
    "spec": {"": 5, "SchedulerName": 5, "schedulerName": "a", "schedulername": [], "containers": [{"image": 5}],
      "tolerations": [{"keys": [5]}],
      "affinity": {"nodeAffinities": [], "nodeAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": {"terms": 5, "nodeSelectorTerms": [
          {"matchExpression": 5, "matchExpressions": [{"keys": 5, "operators": 5}]}]}}}}
  })") == "good");
}

TEST_CASE("unknown words are kept as they are written") {
  const auto toleration = read<Toleration>(R"({"operator": "exists", "effect": "NoPods"})");
  CHECK(!toleration.operator_.known());
  CHECK(toleration.operator_.text() == "exists");
  CHECK(!toleration.effect.known());
  CHECK(toleration.effect.text() == "NoPods");
  CHECK(read<schedpol::LabelSelectorRequirement>(R"({"operator": "Gt"})").operator_ ==
        schedpol::OpenEnum<schedpol::LabelSelectorOperator>("Gt"));
  CHECK(read<schedpol::NodeSelectorRequirement>(R"({"operator": "in"})").operator_ ==
        schedpol::OpenEnum<schedpol::NodeSelectorOperator>("in"));
  const auto spec = read_spec(
      R"({"allowed": {"tolerations": [{"operators": ["equal", "Exists"], "effects": ["x"]}]}})");
  const auto& pattern = spec.allowed.tolerations.listed().at(0);
  CHECK(pattern.operators.listed().at(0).text() == "equal");
  CHECK(pattern.operators.listed().at(1) == TolerationOperator::exists);
  CHECK(pattern.effects.listed().at(0).text() == "x");
}

TEST_CASE("integers keep to the bounds of their fields") {
  CHECK(read<schedpol::PodSpec>(R"({"priority": 2147483647})").priority ==
        std::numeric_limits<std::int32_t>::max());
  CHECK(read<schedpol::PodSpec>(R"({"priority": -2147483648})").priority ==
        std::numeric_limits<std::int32_t>::min());
  CHECK(read<Toleration>(R"({"tolerationSeconds": 9223372036854775807})").toleration_seconds ==
        std::numeric_limits<std::int64_t>::max());
  CHECK(read<Toleration>(R"({"tolerationSeconds": -9223372036854775808})").toleration_seconds ==
        std::numeric_limits<std::int64_t>::min());
  constexpr ErrorCase cases[] = {
      {"more than 32 bits", R"({"priority": 2147483648})", "Invalid priority"},
      {"less than 32 bits", R"({"priority": -2147483649})", "Invalid priority"},
      {"more than 64 bits", R"({"tolerations": [{"tolerationSeconds": 9223372036854775808}]})",
       "TypeInvalid tolerations[0].tolerationSeconds"},
      {"a fraction", R"({"priority": 1.5})", "TypeInvalid priority"},
      {"a whole number with a fraction", R"({"priority": 1.0})", "TypeInvalid priority"},
      {"an exponent", R"({"priority": 1e3})", "TypeInvalid priority"},
      {"a number in a string", R"({"priority": "1"})", "TypeInvalid priority"},
      {"true", R"({"priority": true})", "TypeInvalid priority"},
  };
  check_errors<schedpol::PodSpec>(cases);
  const auto decoded = decode<schedpol::PodSpec>(R"({"priority": 2147483648})");
  REQUIRE(!decoded);
  CHECK(decoded.errors().front() ==
        FieldError{ErrorType::invalid, "priority"_path, "2147483648", "must fit in 32 bits"});
}

TEST_CASE("a wrong type in a pod is an error at its path") {
  CHECK(errors<Pod>("[]") == "TypeInvalid ");
  CHECK(errors<Pod>("null") == "TypeInvalid ");
  constexpr ErrorCase cases[] = {
      {"no object", "[]", "TypeInvalid "},
      {"kind", R"({"metadata": {}, "kind": 5})", "TypeInvalid kind"},
      {"kind of something else", R"({"kind": "Service"})", "NotSupported kind"},
      {"kind in other case", R"({"kind": "pod"})", "NotSupported kind"},
      {"a list of pods", R"({"kind": "PodList"})", "NotSupported kind"},
      {"metadata", R"({"metadata": []})", "TypeInvalid metadata"},
      {"name", R"({"metadata": {"name": {}}})", "TypeInvalid metadata.name"},
      {"namespace", R"({"metadata": {"namespace": 5}})", "TypeInvalid metadata.namespace"},
      {"labels", R"({"metadata": {"labels": []}})", "TypeInvalid metadata.labels"},
      {"a label", R"({"metadata": {"labels": {"a/b": 5}}})", "TypeInvalid metadata.labels[a/b]"},
      {"an annotation", R"({"metadata": {"annotations": {"a": true}}})",
       "TypeInvalid metadata.annotations[a]"},
      {"spec", R"({"spec": "x"})", "TypeInvalid spec"},
      {"a string", R"({"spec": {"schedulerName": 5}})", "TypeInvalid spec.schedulerName"},
      {"nodeSelector", R"({"spec": {"nodeSelector": [["disk", "ssd"]]}})",
       "TypeInvalid spec.nodeSelector"},
      {"a pair of it", R"({"spec": {"nodeSelector": {"disk": ["ssd"]}}})",
       "TypeInvalid spec.nodeSelector[disk]"},
      {"tolerations", R"({"spec": {"tolerations": {}}})", "TypeInvalid spec.tolerations"},
      {"a toleration", R"({"spec": {"tolerations": [{}, "x"]}})",
       "TypeInvalid spec.tolerations[1]"},
      {"an operator", R"({"spec": {"tolerations": [{"operator": ["Exists"]}]}})",
       "TypeInvalid spec.tolerations[0].operator"},
      {"affinity", R"({"spec": {"affinity": []}})", "TypeInvalid spec.affinity"},
      {"node selector", R"({"spec": {"affinity": {"nodeAffinity":
         {"requiredDuringSchedulingIgnoredDuringExecution": []}}}})",
       "TypeInvalid spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"},
      {"terms", R"({"spec": {"affinity": {"nodeAffinity":
         {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": {}}}}}})",
       "TypeInvalid spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution."
       "nodeSelectorTerms"},
      {"values", R"({"spec": {"affinity": {"nodeAffinity":
         {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": "1", "preference":
           {"matchFields": [{"values": ["a", 5, null]}]}}]}}}})",
       "TypeInvalid spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
       "weight; "
       "TypeInvalid spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
       "preference.matchFields[0].values[1]"},
      {"topology key", R"({"spec": {"affinity": {"podAntiAffinity":
         {"preferredDuringSchedulingIgnoredDuringExecution": [
           {"podAffinityTerm": {"topologyKey": []}}]}}}})",
       "TypeInvalid spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution"
       "[0].podAffinityTerm.topologyKey"},
      {"label selector", R"({"spec": {"affinity": {"podAffinity":
         {"requiredDuringSchedulingIgnoredDuringExecution": [
           {"labelSelector": {"matchLabels": {"app": 1}, "matchExpressions": [5]}}]}}}})",
       "TypeInvalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."
       "labelSelector.matchLabels[app]; "
       "TypeInvalid spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]."
       "labelSelector.matchExpressions[0]"},
      {"in a template", R"({"kind": "CronJob", "spec": {"jobTemplate": {"spec": {"template":
         {"spec": {"nodeName": 5}, "metadata": {"labels": 5}}}}}})",
       "TypeInvalid spec.jobTemplate.spec.template.spec.nodeName; "
       "TypeInvalid spec.jobTemplate.spec.template.metadata.labels"},
      {"on the way to a template", R"({"kind": "CronJob", "spec": {"jobTemplate": []}})",
       "TypeInvalid spec.jobTemplate"},
      {"a spec in the wrong place is none", R"({"kind": "PodTemplate", "spec": 5})", "good"},
  };
  check_errors<Pod>(cases);
}

TEST_CASE("the rest of a pod that some system looks at is read") {
  const Pod pod = read<Pod>(R"({
    "metadata": {"uid": "0b5b1d2c", "deletionTimestamp": "2024-01-01T00:00:00Z"},
    "spec": {"runtimeClassName": "gvisor", "overhead": {"cpu": "250m", "memory": 1024},
             "resources": {"limits": {"cpu": 1}},
             "initContainers": [{"name": "i", "resources": {"requests": {"cpu": "1"}}}],
             "containers": [{"name": "a"}, {"name": "b", "resources": {"limits": {"x/y": "2Gi"}}}]},
    "status": {"phase": "Running", "nominatedNodeName": "n1", "podIP": 5,
               "conditions": [{"type": "PodResizePending", "status": 5, "reason": "Infeasible"}],
               "containerStatuses": [{"name": "a", "image": 5, "allocatedResources": {"cpu": "2"},
                                      "resources": {"requests": {"cpu": "3"}}}],
               "initContainerStatuses": [{"name": "i", "resources": null}],
               "allocatedResources": {"cpu": "4"}, "resources": {"requests": {"cpu": 5}}}})");
  CHECK(pod.metadata.uid == "0b5b1d2c");
  CHECK(pod.status.nominated_node_name == "n1");
  CHECK(pod.metadata.deletion_timestamp == "2024-01-01T00:00:00Z");
  CHECK(pod.spec.runtime_class_name == "gvisor");
  CHECK(pod.spec.overhead.at("cpu").text() == "250m");
  CHECK(pod.spec.overhead.at("memory").text() == "1024");
  CHECK(pod.spec.resources->limits.at("cpu").text() == "1");
  REQUIRE(pod.spec.init_containers.size() == 1);
  CHECK(pod.spec.init_containers[0].name == "i");
  CHECK(pod.spec.init_containers[0].resources.requests.at("cpu").text() == "1");
  REQUIRE(pod.spec.containers.size() == 2);
  CHECK(pod.spec.containers[0].name == "a");
  CHECK(pod.spec.containers[1].resources.limits.at("x/y").text() == "2Gi");
  CHECK(pod.status.phase == "Running");
  const schedpol::PodCondition infeasible{.type = "PodResizePending", .reason = "Infeasible"};
  CHECK(pod.status.conditions == std::vector{infeasible});
  REQUIRE(pod.status.container_statuses.size() == 1);
  CHECK(pod.status.container_statuses[0].name == "a");
  CHECK(pod.status.container_statuses[0].allocated_resources.at("cpu").text() == "2");
  CHECK(pod.status.container_statuses[0].resources.requests.at("cpu").text() == "3");
  CHECK(pod.status.init_container_statuses ==
        std::vector<schedpol::ContainerStatus>{{.name = "i"}});
  CHECK(pod.status.allocated_resources.at("cpu").text() == "4");
  CHECK(pod.status.resources->requests.at("cpu").text() == "5");
}

TEST_CASE("a quantity is a text or a number, and one that is null is zero") {
  const auto container = read<schedpol::Container>(R"({"resources": {"requests": {"cpu": null}}})");
  REQUIRE(container.resources.requests.contains("cpu"));
  CHECK(container.resources.requests.at("cpu").is_zero());
  CHECK(read<schedpol::Quantity>("1.5").text() == "1.5");
  CHECK(read<schedpol::Quantity>(R"("1.5Gi")").text() == "1.5Gi");
  constexpr ErrorCase cases[] = {
      {"a word", R"("much")", "Invalid "},
      {"nothing", R"("")", "Invalid "},
      {"true", "true", "TypeInvalid "},
      {"a list", "[1]", "TypeInvalid "},
  };
  check_errors<schedpol::Quantity>(cases);
  CHECK(decode<schedpol::Quantity>(R"("much")").errors().front() ==
        FieldError{ErrorType::invalid, {}, "much", "must be a quantity such as 500m or 1.5Gi"});
}

TEST_CASE("the owners of a template are those of its workload") {
  const std::vector<OwnerReference> owners = {{.kind = "App", .name = "web"},
                                              {.kind = "B", .name = "b", .controller = true}};
  const auto deployment = decode<Pod>(
      R"({"kind":"Deployment","metadata":{"ownerReferences":[{"kind":"App","name":"web"},)"
      R"({"kind":"B","name":"b","controller":true,"uid":"1"}]},"spec":{"template":)"
      R"({"metadata":{"ownerReferences":[{"kind":"C","name":"c","controller":true}]}}}})");
  REQUIRE(deployment);
  CHECK(deployment->metadata.owner_references == owners);
  const auto written = decode<Pod>(schedpol::json::encode(*deployment));
  REQUIRE(written);
  CHECK(*written == *deployment);
  const auto unowned =
      decode<Pod>(R"({"kind":"Job","spec":{"template":{"metadata":)"
                  R"({"ownerReferences":[{"kind":"C","name":"c","controller":true}]}}}})");
  REQUIRE(unowned);
  CHECK(unowned->metadata.owner_references.empty());
  const auto pod =
      decode<Pod>(R"({"kind":"Pod","metadata":{"ownerReferences":[{"kind":"App","name":"web"}]}})");
  REQUIRE(pod);
  CHECK(pod->metadata.owner_references == std::vector{owners[0]});
}

TEST_CASE("a template has no status, and whatever else stands there does not matter") {
  CHECK(errors<Pod>(R"({"kind": "Deployment", "status": 1, "spec": {"template":
      {"status": 1, "x": 1, "spec": {"schedulerName": "s"}}}})") == "good");
  const Pod pod = read<Pod>(R"({"kind": "Deployment", "status": {"phase": "Running"},
      "spec": {"template": {"status": {"phase": "Running"}}}})");
  CHECK(pod.status == schedpol::PodStatus{});
  CHECK(errors<Pod>(R"({"status": 1})") == "TypeInvalid status");
}

TEST_CASE("lists of anything but tolerations may be long") {
  std::string terms = R"({"nodeSelectorTerms":[{})";
  for (std::size_t i = 0; i < schedpol::max_tolerations; ++i) terms += ",{}";
  CHECK(read<schedpol::NodeSelector>(terms + "]}").node_selector_terms.size() ==
        schedpol::max_tolerations + 1);
  const auto decoded = decode<std::vector<Toleration>>(
      terms.replace(0, std::string_view(R"({"nodeSelectorTerms":)").size(), "") + "]");
  REQUIRE(!decoded);
  CHECK(decoded.errors().front() ==
        FieldError{ErrorType::too_many, {}, "2049", "must list at most 2048 tolerations"});
}

TEST_CASE("a pod names a bounded number of resources") {
  const auto listed = [](std::size_t first, std::size_t count) {
    std::string list;
    for (std::size_t i = first; i < first + count; ++i)
      list.append(list.empty() ? "{" : ",") += "\"example.com/r" + std::to_string(i) + "\":\"1\"";
    return list + "}";
  };
  const auto pod = [](const std::string& spec) { return R"({"spec":{)" + spec + "}}"; };
  const auto containers = [&](const std::string& requests, const std::string& limits) {
    return R"("containers":[{"resources":{"requests":)" + requests +
           R"(}}, {"resources":{"limits":)" + limits + "}}]";
  };
  constexpr std::size_t most = schedpol::max_pod_resources;
  const std::string all = listed(0, most);
  const struct {
    const char* name;
    std::string spec;
    bool is_read;
  } cases[] = {
      {"as many as there may be", containers(all, "{}"), true},
      {"the same in each container", containers(all, all), true},
      {"one more", containers(listed(0, most + 1), "{}"), false},
      {"more in all containers", containers(listed(0, most / 2), listed(most / 2, most)), false},
      {"one more as overhead", containers(all, "{}") + R"(,"overhead":{"cpu":"1"})", false},
      {"one more of the pod", containers(all, "{}") + R"(,"resources":{"requests":{"cpu":"1"}})",
       false},
      {"one more of an init container",
       containers(all, "{}") + R"(,"initContainers":[{"resources":{"limits":{"cpu":"1"}}}])",
       false},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(errors<Pod>(pod(c.spec)) == (c.is_read ? "good" : "TooMany spec"));
  }
}

}  // namespace decode_pod_test
