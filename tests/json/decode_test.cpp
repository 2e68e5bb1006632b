// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/decode.hpp>

#include "../support/path.hpp"
#include "../support/print.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/metadata_policy/policy.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/policy.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace decode_test {

using schedpol::ErrorType;
using schedpol::FieldError;
using schedpol::Labels;
using schedpol::NodeSelectorOperator;
using schedpol::OwnerReference;
using schedpol::Pod;
using schedpol::PodKind;
using schedpol::Texts;
using schedpol::Toleration;
using schedpol::TolerationOperator;
using schedpol::json::decode;
using namespace std::string_view_literals;
using schedpol::scheduling_policy::SchedulingPolicy;
using schedpol::scheduling_policy::SchedulingPolicySpec;
using schedpol::testing::operator""_path;
namespace mp = schedpol::metadata_policy;
namespace psp = schedpol::pod_scheduling_policy;
namespace rbac = schedpol::rbac;

// What is wrong with a text, as `TYPE FIELD`, separated by `; `; `good` when nothing is.
template <class T>
std::string errors(std::string_view bytes) {
  const auto decoded = decode<T>(bytes);
  if (decoded) return "good";
  std::string text;
  for (const FieldError& error : decoded.errors()) {
    if (!text.empty()) text += "; ";
    text += std::string(to_string(error.type)).substr(std::string_view("FieldValue").size());
    text += " " + to_string(error.field);
  }
  return text;
}

template <class T>
T read(std::string_view bytes) {
  const auto decoded = decode<T>(bytes);
  REQUIRE(decoded);
  return *decoded;
}

// A policy with this spec; sections are given as `required`, `allowed` and `default` members.
std::string policy(std::string_view spec) {
  return std::string(R"({"metadata":{"name":"p"},"spec":)").append(spec) + "}";
}

SchedulingPolicySpec read_spec(std::string_view spec) {
  return read<SchedulingPolicy>(policy(spec)).spec;
}

struct ErrorCase {
  const char* name;
  const char* text;
  const char* errors;
};

template <class T, std::size_t N>
void check_errors(const ErrorCase (&cases)[N]) {
  for (const ErrorCase& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.text);
    CHECK(errors<T>(c.text) == c.errors);
  }
}

template <std::size_t N>
void check_spec_errors(const ErrorCase (&cases)[N]) {
  for (const ErrorCase& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.text);
    CHECK(errors<SchedulingPolicy>(policy(c.text)) == c.errors);
  }
}

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

TEST_CASE("an object is of the groups that its kind is in, in any version") {
  struct Case {
    const char* kind;
    const char* version;
    bool good;
  };
  constexpr Case cases[] = {
      {"SchedulingPolicy", "schedpol.io/v1alpha1", true},
      {"SchedulingPolicy", "extensions/v1alpha1", true},
      {"SchedulingPolicy", "extensions/valpha1", true},
      {"SchedulingPolicy", "schedpol.io/v1", true},
      {"SchedulingPolicy", "policy/v1alpha1", false},
      {"SchedulingPolicy", "v1", false},
      {"SchedulingPolicy", "extensions", false},
      {"SchedulingPolicy", "rbac.authorization.k8s.io/v1", false},
      {"SchedulingPolicy", "policy.kubernetes.io/v1", false},
      {"MetadataPolicy", "extensions/v1alpha1", true},
      {"MetadataPolicy", "example.com/v1", true},
      {"MetadataPolicy", "apps/v1", false},
      {"PodSchedulingPolicy", "kupid.gardener.cloud/v1alpha1", true},
      {"PodSchedulingPolicy", "example.com/v1", false},
      {"ClusterPodSchedulingPolicy", "kupid.gardener.cloud/v1", true},
      {"ResourcePolicy", "scheduling.sigs.x-k8s.io/v1alpha1", true},
      {"ResourcePolicy", "extensions/v1alpha1", false},
      {"RuntimeClass", "node.k8s.io/v1beta1", true},
      {"RuntimeClass", "v1", false},
      {"Role", "rbac.authorization.k8s.io/v1", true},
      {"Role", "rbac/v1", false},
      {"Node", "v1", true},
      {"Node", "node.k8s.io/v1", false},
      {"Pod", "v1", true},
      {"Pod", "apps/v1", false},
      {"Deployment", "apps/v1", true},
      {"Deployment", "extensions/v1beta1", true},
      {"Deployment", "example.com/v1", false},
      {"CronJob", "batch/v1", true},
      {"CronJob", "v1", false},
  };
  for (const auto& [kind, version, good] : cases) {
    CAPTURE(kind);
    CAPTURE(version);
    const std::string bytes = std::string(R"({"kind": ")") + kind + R"(", "apiVersion": ")" +
                              version + R"(", "metadata": {"name": "x"}})";
    std::string found;
    if (kind == "SchedulingPolicy"sv) found = errors<SchedulingPolicy>(bytes);
    if (kind == "MetadataPolicy"sv)
      found = errors<schedpol::metadata_policy::MetadataPolicy>(bytes);
    if (std::string_view(kind).ends_with("PodSchedulingPolicy"))
      found = errors<psp::PodSchedulingPolicy>(bytes);
    if (kind == "ResourcePolicy"sv)
      found = errors<schedpol::resource_policy::ResourcePolicy>(bytes);
    if (kind == "RuntimeClass"sv) found = errors<schedpol::runtime_class::RuntimeClass>(bytes);
    if (kind == "Role"sv) found = errors<schedpol::rbac::Role>(bytes);
    if (kind == "Node"sv) found = errors<schedpol::Node>(bytes);
    if (schedpol::pod_kind(kind)) found = errors<schedpol::Pod>(bytes);
    CHECK(found == (good ? "good" : "NotSupported apiVersion"));
  }
  CHECK(
      schedpol::message(
          decode<SchedulingPolicy>(R"({"apiVersion": "policy/v1", "metadata": {}})").errors()[0]) ==
      "`apiVersion`: unsupported value `policy/v1`: must be schedpol.io/v1alpha1, or of a group of "
      "its own CRD, which is a domain");
}

TEST_CASE("a key of a policy's map is no longer than a label key") {
  const auto with_key = [](std::size_t bytes) {
    return errors<SchedulingPolicy>(
        policy(R"({"allowed": {"nodeSelectors": {")" + std::string(bytes, 'k') + R"(": []}}})"));
  };
  CHECK(with_key(schedpol::max_label_key_bytes) == "good");
  CHECK(with_key(schedpol::max_label_key_bytes + 1) == "TooLong spec.allowed.nodeSelectors");
  // What a pod has is for who validates it.
  CHECK(errors<Pod>(R"({"metadata": {"labels": {")" + std::string(1'000, 'k') + R"(": ""}}})") ==
        "good");
}

TEST_CASE("an unknown field that is nearly one, and a kind, are said to be it") {
  const auto error = [](std::string_view bytes) {
    return schedpol::message(decode<SchedulingPolicy>(bytes).errors().front());
  };
  CHECK(error(R"({"metadata": {"name": "p"}, "spec": {"allow": {}}})") ==
        "`spec.allow`: forbidden: unknown field, did you mean `allowed`");
  CHECK(error(R"({"metadata": {"name": "p"}, "spec": {"allowed": {"nodeSelector": {}}}})") ==
        "`spec.allowed.nodeSelector`: forbidden: unknown field, did you mean `nodeSelectors`");
  CHECK(error(R"({"metadata": {"name": "p"}, "spec": {"allowed": {"nodes": {}}}})") ==
        "`spec.allowed.nodes`: forbidden: unknown field");
  CHECK(schedpol::message(decode<schedpol::Pod>(R"({"kind": "deployment"})").errors().front()) ==
        "`kind`: unsupported value `deployment`: must be Pod, or a workload that has a pod "
        "template, did you mean `Deployment`");
  CHECK(schedpol::message(decode<schedpol::Pod>(R"({"kind": "Pods"})").errors().front())
            .ends_with("did you mean `Pod`"));
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

TEST_CASE("a wrong type is told with what should stand there and what does") {
  const auto detail = [](std::string_view bytes) {
    const auto decoded = decode<schedpol::PodSpec>(bytes);
    return decoded ? "good" : decoded.errors().front().detail;
  };
  CHECK(detail(R"({"schedulerName": 5})") == "must be a string, not a number");
  CHECK(detail(R"({"schedulerName": 5.5})") == "must be a string, not a number");
  CHECK(detail(R"({"schedulerName": []})") == "must be a string, not a list");
  CHECK(detail(R"({"schedulerName": {}})") == "must be a string, not an object");
  CHECK(detail(R"({"tolerations": true})") == "must be a list, not true or false");
  CHECK(detail(R"({"affinity": "x"})") == "must be an object, not a string");
  CHECK(detail("null") == "must be an object, not null");
}

TEST_CASE("all errors are told, up to a number of them, in the order of the document") {
  CHECK(errors<schedpol::PodSpec>(R"({"nodeName": 1, "schedulerName": 2, "tolerations": 3})") ==
        "TypeInvalid nodeName; TypeInvalid schedulerName; TypeInvalid tolerations");
  std::string many = R"({"tolerations": [0)";
  for (int i = 1; i < 200; ++i) many += ",0";
  const auto decoded = decode<schedpol::PodSpec>(many + "]}");
  REQUIRE(!decoded);
  CHECK(decoded.errors().size() == schedpol::max_reported_errors);
}

TEST_CASE("a list of tolerations, and one of taints, has a bounded length") {
  const auto list = [](std::size_t length) {
    std::string text = "[{}";
    for (std::size_t i = 1; i < length; ++i) text += ",{}";
    return text + "]";
  };
  CHECK(read<std::vector<Toleration>>(list(schedpol::max_tolerations)).size() ==
        schedpol::max_tolerations);
  CHECK(read<std::vector<schedpol::Taint>>(list(schedpol::max_taints)).size() ==
        schedpol::max_taints);
  CHECK(errors<schedpol::NodeSpec>(R"({"taints":)" + list(schedpol::max_taints + 1) + "}") ==
        "TooMany taints");
  CHECK(errors<schedpol::PodSpec>(R"({"tolerations":)" + list(schedpol::max_tolerations + 1) +
                                  "}") == "TooMany tolerations");
}

TEST_CASE("bytes that are no document are one error without a field") {
  CHECK(errors<Pod>("") == "Invalid ");
  CHECK(errors<Pod>("{") == "Invalid ");
  CHECK(errors<Pod>(std::string(300, '[') + std::string(300, ']')) == "TooMany ");
  CHECK(errors<Pod>(R"({"spec": {"nodeName": "a", "nodeName": "a"}})") ==
        "Duplicate spec.nodeName");
}

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

TEST_CASE("the spellings of the proposal are read as the usual ones") {
  struct Case {
    const char* proposal;
    const char* usual;
  };
  constexpr Case cases[] = {
      {R"({"required": {"SchedulerNames": ["a"]}})", R"({"required": {"schedulerNames": ["a"]}})"},
      {R"({"allowed": {"SchedulerNames": []}})", R"({"allowed": {"schedulerNames": []}})"},
      {R"({"allowed": {"priorityClasseNames": ["a"]}})",
       R"({"allowed": {"priorityClassNames": ["a"]}})"},
      {R"({"default": {"SchedulerName": "a", "priorityClasseName": "b"}})",
       R"({"default": {"schedulerName": "a", "priorityClassName": "b"}})"},
      {R"({"allowedAffinities": {"nodeAffinities": {}}})",
       R"({"allowed": {"affinities": {"nodeAffinities": {}}}})"},
      {R"({"allowedAffinities": {}, "allowed": {"schedulerNames": []}})",
       R"({"allowed": {"affinities": {}, "schedulerNames": []}})"},
      {R"({"allowed": {"schedulerNames": []}, "allowedAffinities": {}})",
       R"({"allowed": {"affinities": {}, "schedulerNames": []}})"},
      {R"({"allowedAffinities": null})", "{}"},
      {R"({"allowedAffinities": {"podAffinities": null}})",
       R"({"allowed": {"affinities": {"podAffinities": null}}})"},
      {R"({"default": {"affinity": {"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
              {"matchExpressions": [{"keys": ["a"], "operators": ["In"], "values": ["b"]}],
               "matchFields": [{"keys": ["c"], "operator": "In", "values": ["d"]}]}]},
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference":
              {"matchExpressions": [{"key": "e", "operators": ["Exists"]}]}}]}}}})",
       R"({"default": {"affinity": {"nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
              {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}],
               "matchFields": [{"key": "c", "operator": "In", "values": ["d"]}]}]},
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference":
              {"matchExpressions": [{"key": "e", "operator": "Exists"}]}}]}}}})"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.proposal);
    CHECK((read_spec(c.proposal) == read_spec(c.usual)));
  }
  CHECK(errors<SchedulingPolicy>(R"({"Kind": "SchedulingPolicy", "metadata": {}})") == "good");
}

TEST_CASE("both spellings at once are an error, whichever comes first and whatever they say") {
  constexpr ErrorCase cases[] = {
      {"scheduler names", R"({"required": {"SchedulerNames": ["a"], "schedulerNames": ["a"]}})",
       "Duplicate spec.required.schedulerNames"},
      {"the other way round", R"({"allowed": {"schedulerNames": ["a"], "SchedulerNames": ["a"]}})",
       "Duplicate spec.allowed.SchedulerNames"},
      {"one of them null", R"({"allowed": {"schedulerNames": null, "SchedulerNames": []}})",
       "Duplicate spec.allowed.SchedulerNames"},
      {"priority classes",
       R"({"allowed": {"priorityClasseNames": [], "priorityClassNames": ["a"]}})",
       "Duplicate spec.allowed.priorityClassNames"},
      {"defaults", R"({"default": {"schedulerName": "a", "SchedulerName": "b",
                                   "priorityClassName": "a", "priorityClasseName": "b"}})",
       "Duplicate spec.default.SchedulerName; Duplicate spec.default.priorityClasseName"},
      {"affinities", R"({"allowed": {"affinities": {}}, "allowedAffinities": {}})",
       "Duplicate spec.allowedAffinities"},
      {"affinities the other way round",
       R"({"allowedAffinities": {"nodeAffinities": {}}, "allowed": {"affinities": {}}})",
       "Duplicate spec.allowedAffinities"},
      {"key and operator", R"({"default": {"affinity": {"nodeAffinity":
         {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
           {"matchExpressions": [{"key": "a", "keys": ["a"], "operators": ["In"],
                                  "operator": "In"}]}]}}}}})",
       "Duplicate spec.default.affinity.nodeAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]."
       "keys; "
       "Duplicate spec.default.affinity.nodeAffinity."
       "requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0]."
       "operators"},
  };
  check_spec_errors(cases);
  CHECK(errors<SchedulingPolicy>(
            R"({"metadata": {}, "kind": "SchedulingPolicy", "Kind": "SchedulingPolicy"})") ==
        "Duplicate Kind");
  CHECK(errors<SchedulingPolicy>(
            R"({"metadata": {}, "Kind": "SchedulingPolicy", "kind": "SchedulingPolicy"})") ==
        "Duplicate kind");
}

TEST_CASE("the plural spelling of an expression lists exactly one") {
  const auto with_keys = [](std::string_view expression) {
    return errors<SchedulingPolicy>(policy(std::string(R"({"default": {"affinity": {"nodeAffinity":
          {"preferredDuringSchedulingIgnoredDuringExecution": [{"preference":
            {"matchFields": [)")
                                               .append(expression) +
                                           "]}}]}}}}"));
  };
  const std::string at =
      " spec.default.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution[0]."
      "preference.matchFields[0].";
  CHECK(with_keys(R"({"keys": ["a"], "operators": ["Exists"]})") == "good");
  CHECK(with_keys(R"({"keys": null, "operators": null})") == "good");
  CHECK(with_keys(R"({"keys": []})") == "Invalid" + at + "keys");
  CHECK(with_keys(R"({"keys": ["a", "b"]})") == "Invalid" + at + "keys");
  CHECK(with_keys(R"({"keys": "a"})") == "TypeInvalid" + at + "keys");
  CHECK(with_keys(R"({"keys": [5]})") == "TypeInvalid" + at + "keys[0]");
  CHECK(with_keys(R"({"operators": [null]})") == "TypeInvalid" + at + "operators[0]");
  CHECK(with_keys(R"({"operators": ["In", "In"]})") == "Invalid" + at + "operators");
}

TEST_CASE("the spellings of the proposal hold in policies only, and at their places only") {
  CHECK(read<schedpol::PodSpec>(R"({"SchedulerName": "a"})").scheduler_name == "");
  CHECK(read<schedpol::NodeSelectorRequirement>(R"({"keys": ["a"]})").key == "");
  constexpr ErrorCase cases[] = {
      {"the singular in required", R"({"required": {"priorityClasseName": "a"}})",
       "Forbidden spec.required.priorityClasseName"},
      {"allowed affinities inside allowed", R"({"allowed": {"allowedAffinities": {}}})",
       "Forbidden spec.allowed.allowedAffinities"},
      {"Spec", R"({"default": {"Affinity": {}}})", "Forbidden spec.default.Affinity"},
  };
  check_spec_errors(cases);
}

TEST_CASE("RBAC objects are read whole") {
  const auto role = read<rbac::ClusterRole>(R"({
    "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
    "metadata": {"name": "r", "uid": "5"}, "aggregationRule": {"clusterRoleSelectors": [{}]},
    "rules": [{"verbs": ["use"], "apiGroups": ["schedpol.io"], "resources": ["schedulingpolicies"],
               "resourceNames": ["a", "b"]}, {"verbs": ["get"], "nonResourceURLs": ["/x"]}]
  })");
  CHECK(role.metadata.name == "r");
  REQUIRE(role.rules.size() == 2);
  CHECK(role.rules[0] == rbac::PolicyRule{.verbs = {"use"},
                                          .api_groups = {"schedpol.io"},
                                          .resources = {"schedulingpolicies"},
                                          .resource_names = {"a", "b"}});
  const auto binding = read<rbac::RoleBinding>(R"({
    "kind": "RoleBinding", "metadata": {"name": "b", "namespace": "team-a"},
    "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
    "subjects": [{"kind": "ServiceAccount", "name": "s", "namespace": "team-b"},
                 {"kind": "User", "apiVersion": "x", "name": "u"}]
  })");
  CHECK(binding.metadata.namespace_ == "team-a");
  CHECK(binding.role_ref == rbac::RoleRef{"rbac.authorization.k8s.io", "Role", "r"});
  REQUIRE(binding.subjects.size() == 2);
  CHECK(binding.subjects[0] == rbac::Subject{"ServiceAccount", "", "s", "team-b"});
  CHECK(read<rbac::ClusterRoleBinding>(R"({"subjects": null})").subjects.empty());
}

TEST_CASE("a misspelt field of an RBAC object is refused, since it would grant more") {
  constexpr ErrorCase roles[] = {
      {"resourceName", R"({"rules": [{"verbs": ["use"], "resourceName": ["a"]}]})",
       "Forbidden rules[0].resourceName"},
      {"rule", R"({"rule": []})", "Forbidden rule"},
      {"in other case", R"({"rules": [{"Verbs": ["use"]}]})", "Forbidden rules[0].Verbs"},
      {"aggregation in a Role", R"({"aggregationRule": {}})", "Forbidden aggregationRule"},
      {"null among verbs", R"({"rules": [{"verbs": [null]}]})", "Required rules[0].verbs[0]"},
      {"verbs no list", R"({"rules": [{"verbs": "use"}]})", "TypeInvalid rules[0].verbs"},
      {"another kind", R"({"kind": "ClusterRole"})", "NotSupported kind"},
      {"Kind", R"({"Kind": "Role"})", "Forbidden Kind"},
      {"metadata", R"({"metadata": {"x": 1}})", "good"},
  };
  check_errors<rbac::Role>(roles);
  constexpr ErrorCase bindings[] = {
      {"rolRef", R"({"rolRef": {}})", "Forbidden rolRef"},
      {"a role reference's namespace", R"({"roleRef": {"namespace": "a"}})",
       "Forbidden roleRef.namespace"},
      {"a subject's group", R"({"subjects": [{"group": "a"}]})", "Forbidden subjects[0].group"},
      {"subjects no list", R"({"subjects": {}})", "TypeInvalid subjects"},
      {"a subject no object", R"({"subjects": ["a"]})", "TypeInvalid subjects[0]"},
      {"another kind", R"({"kind": "RoleBinding"})", "NotSupported kind"},
  };
  check_errors<rbac::ClusterRoleBinding>(bindings);
  constexpr ErrorCase users[] = {
      {"group", R"({"name": "a", "group": ["b"]})", "Forbidden group"},
      {"null among groups", R"({"name": "a", "groups": [null]})", "Required groups[0]"},
      {"a user", R"({"name": "a", "groups": ["b"]})", "good"},
  };
  check_errors<rbac::User>(users);
}

TEST_CASE("a selector is read with absent and empty told apart") {
  using Selector = std::optional<schedpol::LabelSelector>;
  CHECK(!read<Selector>("null"));
  CHECK((read<Selector>("{}") == schedpol::LabelSelector{}));
  CHECK((read<Selector>(R"({"matchLabels": null, "matchExpressions": []})") ==
         schedpol::LabelSelector{}));
  const auto selector = read<schedpol::LabelSelector>(
      R"({"matchLabels": {"a": "b"}, "matchExpressions": [{"key": "c", "operator": "Exists"}]})");
  CHECK(selector.match_labels == Labels{{"a", "b"}});
  REQUIRE(selector.match_expressions.size() == 1);
  CHECK(selector.match_expressions[0].operator_ == schedpol::LabelSelectorOperator::exists);
}

TEST_CASE("a value is read from a document as from its bytes, and from none that is not good") {
  schedpol::json::Document document;
  REQUIRE(document.parse(R"({"schedulerName": "a", "priority": "b"})"));
  CHECK(decode<schedpol::PodSpec>(document).errors() ==
        decode<schedpol::PodSpec>(R"({"schedulerName": "a", "priority": "b"})").errors());
  REQUIRE(document.parse(R"({"schedulerName": "a"})"));
  CHECK((*decode<schedpol::PodSpec>(document)).scheduler_name == "a");
  REQUIRE(!document.parse("{"));
  CHECK(decode<schedpol::PodSpec>(document).errors() == std::vector<FieldError>{document.error()});
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

TEST_CASE("true and false are no texts") {
  constexpr ErrorCase cases[] = {
      {"a text", R"({"policyAction": {"reject": "true"}})", "TypeInvalid policyAction.reject"},
      {"a number", R"({"policyAction": {"reject": 1}})", "TypeInvalid policyAction.reject"},
      {"true", R"({"policyAction": {"reject": true}})", "good"},
  };
  check_errors<mp::MetadataPolicyRule>(cases);
  CHECK(read<mp::MetadataPolicyRule>(R"({"policyAction": {"reject": true}})").policy_action.reject);
  CHECK(
      !read<mp::MetadataPolicyRule>(R"({"policyAction": {"reject": false}})").policy_action.reject);
}

TEST_CASE("an empty name is a field like any other that is not known") {
  constexpr ErrorCase cases[] = {
      {"at the top", R"({"metadata": {}, "": {}})", "Forbidden "},
      {"below", R"({"metadata": {}, "spec": {"": {}}})", "Forbidden spec."},
      {"where another spelling is known",
       R"({"metadata": {}, "spec": {"allowed": {"": []}, "default": {"": ""}}})",
       "Forbidden spec.allowed.; Forbidden spec.default."},
      {"in metadata", R"({"metadata": {"": 1}})", "good"},
  };
  check_errors<SchedulingPolicy>(cases);
  CHECK(errors<mp::MetadataPolicy>(R"({"metadata": {"name": "a"}, "": "x"})") == "Forbidden ");
  CHECK(errors<rbac::PolicyRule>(R"({"": 1})") == "good");
  CHECK(errors<rbac::Role>(R"({"rules": [{"": 1}]})") == "Forbidden rules[0].");
  CHECK(errors<Pod>(R"({"": 1, "spec": {"": 1}})") == "good");
}

TEST_CASE("a word of a vocabulary may be empty where there is a default, but not unknown") {
  using schedpol::scheduling_policy::Options;
  CHECK((read<Options>(R"({"requiredAffinity": "", "nodeName": ""})") == Options{}));
  CHECK(read<Options>(R"({"requiredAffinity": "Present"})").required_affinity ==
        schedpol::scheduling_policy::RequiredAffinity::present);
  const auto unknown = decode<Options>(R"({"nodeName": "ignore"})");
  REQUIRE(!unknown);
  CHECK(unknown.errors().front() ==
        FieldError{ErrorType::not_supported, "nodeName"_path, "ignore",
                   "supported are RequireAnyScheduler, Ignore, did you mean `Ignore`"});
  constexpr ErrorCase kinds[] = {
      {"empty", R"({"kind": ""})", "NotSupported kind"},
      {"absent", "{}", "Required kind"},
      {"null", R"({"kind": null})", "Required kind"},
      {"another", R"({"kind": "Pod"})", "NotSupported kind"},
      {"the cluster's", R"({"kind": "ClusterPodSchedulingPolicy", "metadata": {}})", "good"},
  };
  check_errors<psp::PodSchedulingPolicy>(kinds);
  CHECK(decode<psp::PodSchedulingPolicy>("{}").errors().front() ==
        FieldError{ErrorType::required, "kind"_path, "", "it has to be there"});
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

TEST_CASE("the plural spelling of an expression holds in no other policy") {
  const std::string affinity = R"({"nodeAffinity": {
      "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"keys": ["a"], "operators": ["Exists"]}]}]}}})";
  const std::string at =
      "affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]."
      "matchExpressions[0].";
  CHECK(errors<psp::PodSchedulingPolicy>(
            R"({"kind": "PodSchedulingPolicy", "spec": {"affinity": )" + affinity + "}}") ==
        "Forbidden spec." + at + "keys; Forbidden spec." + at + "operators");
  // In a pod nobody looks at it, and after a policy's default it is unknown again.
  CHECK(read<schedpol::PodSpec>(R"({"affinity": )" + affinity + "}")
            .affinity->node_affinity->required_during_scheduling_ignored_during_execution
            ->node_selector_terms[0]
            .match_expressions[0]
            .key == "");
  CHECK(errors<SchedulingPolicy>(policy(R"({"default": {"affinity": )" + affinity +
                                        R"(, "tolerations": [{"keys": ["a"]}]}})")) ==
        "Forbidden spec.default.tolerations[0].keys");
}

TEST_CASE("what is wrong with a policy is said in words") {
  const auto error = [](std::string_view spec) {
    const auto decoded = decode<SchedulingPolicy>(policy(spec));
    return decoded ? "good" : decoded.errors().front().detail;
  };
  CHECK(error(R"({"x": 1})") == "unknown field");
  CHECK(error(R"({"allowed": {"SchedulerNames": [], "schedulerNames": []}})") ==
        "`schedulerNames` and `SchedulerNames` are spellings of one field");
  CHECK(error(R"({"allowedAffinities": {}, "allowed": {"affinities": {}}})") ==
        "`allowed.affinities` and `allowedAffinities` are spellings of one field");
  const std::string in_expression = R"({"default": {"affinity": {"nodeAffinity":
      {"preferredDuringSchedulingIgnoredDuringExecution": [{"preference": {"matchFields": [)";
  CHECK(error(in_expression + R"({"key": "a", "keys": ["a"]}]}}]}}}})") ==
        "`key` and `keys` are spellings of one field");
  CHECK(error(in_expression + R"({"operators": []}]}}]}}}})") == "must list exactly one");
  CHECK(error(R"({"allowed": {"schedulerNames": [null]}})") == "must not be null");
  CHECK(error(R"({"default": {"nodeSelector": {"a": null}}})") == "must not be null");
  CHECK(error(R"({"default": {"tolerations": [{"value": "a", "values": []}]}})") ==
        "must not be set beside values");
  CHECK(decode<SchedulingPolicy>(R"({"kind": "Pod"})").errors().front() ==
        FieldError{ErrorType::not_supported, "kind"_path, "Pod", "must be SchedulingPolicy"});
  CHECK(decode<SchedulingPolicy>(R"({"kind": "SchedulingPolicy", "Kind": ""})").errors().front() ==
        FieldError{ErrorType::duplicate, "Kind"_path, "",
                   "`kind` and `Kind` are spellings of one field"});
  CHECK(decode<Pod>(R"({"kind": "Service"})").errors().front() ==
        FieldError{ErrorType::not_supported, "kind"_path, "Service",
                   "must be Pod, or a workload that has a pod template"});
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

}  // namespace decode_test
