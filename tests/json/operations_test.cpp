// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/evaluate.hpp>

#include "operations.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace operations_test {

using namespace operations_cases;

template <class T>
void check_round_trip(std::string_view text) {
  CAPTURE(text);
  const auto value = json::decode<T>(text);
  REQUIRE(value);
  CHECK(json::encode(*value) == text);
  CHECK(*json::decode<T>(json::encode(*value)) == *value);
}

TEST_CASE("the operations of the vocabulary answer") {
  const Case cases[] = {
      {"a pod and a node", "nodeAffinity.matches",
       R"({"pod":{"spec":{"nodeSelector":{"disk":"ssd"},"affinity":{"nodeAffinity":)"
       R"({"preferredDuringSchedulingIgnoredDuringExecution":[{"weight":7,"preference":)"
       R"({"matchExpressions":[{"key":"gpu","operator":"Exists"}]}}]}}}},)"
       R"("node":{"metadata":{"name":"n","labels":{"disk":"ssd","gpu":""}}}})",
       R"({"matches":true,"score":7})"},
      {"a template and a node", "nodeAffinity.matches",
       R"({"pod":{"kind":"Deployment","spec":{"template":{"spec":{"nodeSelector":{"a":"b"}}}}},)"
       R"("node":{"metadata":{"labels":{}}}})",
       R"({"matches":false,"score":0})"},
      {"no node", "nodeAffinity.matches", R"({"pod":{}})", "InvalidRequest at node"},
      {"another kind for a node", "nodeAffinity.matches", R"({"pod":{},"node":{"kind":"Pod"}})",
       "InvalidObject at node.kind"},
      {"numbers as quantities", "pod.qosClass",
       R"({"pod":{"spec":{"containers":[{"resources":{"requests":{"cpu":2,"memory":1073741824},)"
       R"("limits":{"cpu":"2000m","memory":"1Gi"}}}]}}})",
       R"({"qosClass":"Guaranteed"})"},
      {"a fraction as quantity", "pod.qosClass",
       R"({"pod":{"spec":{"resources":{"requests":{"cpu":0.5,"memory":"1Gi"},)"
       R"("limits":{"cpu":"500m","memory":"1Gi"}}}}})",
       R"({"qosClass":"Guaranteed"})"},
      {"a malformed quantity", "pod.qosClass",
       R"({"pod":{"spec":{"containers":[{"resources":{"limits":{"cpu":"1 core"}}}]}}})",
       "InvalidObject at pod.spec.containers[0].resources.limits[cpu]"},
      {"a quantity of another type", "pod.qosClass",
       R"({"pod":{"spec":{"overhead":{"cpu":true}}}})", "InvalidObject at pod.spec.overhead[cpu]"},
      {"quantities", "quantity.compare", R"({"a":"1Gi","b":"1G"})", R"({"compare":1})"},
      {"equal quantities", "quantity.compare", R"({"a":"1e3","b":"1k"})", R"({"compare":0})"},
      {"no quantity", "quantity.compare", R"({"a":"1","b":"one"})", "InvalidObject at b"},
      {"a missing quantity", "quantity.compare", R"({"a":"1"})", "InvalidRequest at b"},
      {"valid labels", "labels.validate", R"({"labels":{"app":"web"}})", R"({"errors":[]})"},
      {"no affinity", "affinity.validate", R"({"affinity":null})", R"({"errors":[]})"},
      {"an unknown operator is reported with its text", "tolerations.validate",
       R"({"tolerations":[{"key":"a","operator":"exists"}]})",
       R"({"errors":[{"field":"spec.tolerations[0].operator","type":"FieldValueNotSupported",)"
       R"("value":"exists","message":"`spec.tolerations[0].operator`: unsupported value `exists`: )"
       R"(supported are Equal and Exists, did you mean `Exists`"}]})"},
  };
  check_all(cases);
}

TEST_CASE("runtimeClass.admit answers with the object, or with the reasons") {
  const Case cases[] = {
      {"a template takes over from its class", "runtimeClass.admit",
       R"({"pod":{"kind":"Job","spec":{"template":{"spec":{"runtimeClassName":"kata","x":1.5}}}},)"
       R"("runtimeClasses":[{"metadata":{"name":"kata"},"handler":"kata","overhead":{"podFixed":)"
       R"({"cpu":"250m"}},"scheduling":{"nodeSelector":{"a/b":"c"}}}]})",
       R"({"allowed":true,"violations":[],"changes":[)"
       R"({"field":"spec.template.spec.overhead","from":null,"to":"cpu=250m","policy":"kata"},)"
       R"({"field":"spec.template.spec.nodeSelector[a/b]","from":null,"to":"c","policy":"kata"}],)"
       R"("object":{"kind":"Job","spec":{"template":{"spec":{"runtimeClassName":"kata","x":1.5,)"
       R"("nodeSelector":{"a/b":"c"},"overhead":{"cpu":"250m"}}}}},)"
       R"("patch":[{"op":"add","path":"/spec/template/spec/nodeSelector","value":{"a/b":"c"}},)"
       R"({"op":"add","path":"/spec/template/spec/overhead","value":{"cpu":"250m"}}]})"},
      {"two classes of one name", "runtimeClass.admit",
       R"({"pod":{},"runtimeClasses":[{"metadata":{"name":"a"}},{"metadata":{"name":"a"}}]})",
       "InvalidObject at runtimeClasses[1].metadata.name"},
      {"a misspelt field of a class", "runtimeClass.admit",
       R"({"pod":{},"runtimeClasses":[{"metadata":{"name":"a"},"schedulng":{}}]})",
       "InvalidObject at runtimeClasses[0].schedulng"},
  };
  check_all(cases);
}

TEST_CASE("validate of each system says what is wrong with an object, a missing name too") {
  struct Validated {
    const char* op;
    std::string part;  // of the input
    std::string good;
    std::string wrong;  // the same but for one field, at `field`
    const char* field;
    std::string misspelt;
    const char* unknown;
  };
  const Validated cases[] = {
      {"runtimeClass.validate", "runtimeClass", R"({"metadata":{"name":"a"},"handler":"kata"})",
       R"({"metadata":{"name":"a"},"handler":"Kata"})", "handler",
       R"({"metadata":{"name":"a"},"handle":"kata"})", "runtimeClass.handle"},
      {"podSchedulingPolicy.validate", "policy",
       R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"a"},"spec":{"podSelector":{},)"
       R"("namespaceSelector":{}}})",
       R"({"kind":"PodSchedulingPolicy","metadata":{"name":"a","namespace":"n"},)"
       R"("spec":{"podSelector":{},"namespaceSelector":{}}})",
       "spec.namespaceSelector", R"({"kind":"PodSchedulingPolicy","spec":{"nodeNames":"n"}})",
       "policy.spec.nodeNames"},
      {"metadataPolicy.validate", "policy",
       R"({"metadata":{"name":"a","namespace":"n"},"spec":{"rules":[{"policyAction":)"
       R"({"reject":true,"updatedLabels":{"a":"b"}}}]}})",
       R"({"metadata":{"name":"a"},"spec":{"rules":[{"policyAction":{"updatedLabels":)"
       R"({"a":"no value"}}}]}})",
       "spec.rules[0].policyAction.updatedLabels",
       R"({"metadata":{"name":"a"},"spec":{"rules":[{"action":{}}]}})",
       "policy.spec.rules[0].action"},
      {"resourcePolicy.validate", "policy",
       R"({"metadata":{"name":"a"},"spec":{"units":[{"priority":1}]}})",
       R"({"metadata":{"name":"a"},"spec":{"units":[{"priority":-1}]}})", "spec.units[0].priority",
       R"({"metadata":{"name":"a"},"spec":{"unit":[]}})", "policy.spec.unit"},
  };
  for (const Validated& c : cases) {
    CAPTURE(c.op);
    const auto errors = [&](const std::string& object) {
      CAPTURE(object);
      const testing::Json reply(testing::ask(c.op, "{\"" + c.part + "\":" + object + "}"));
      if (reply.at("/error") != "absent")
        return reply.string_at("/error/code") + " at " + reply.string_at("/error/field");
      std::string fields;
      for (int i = 0; reply.at("/result/errors/" + std::to_string(i)) != "absent"; ++i)
        fields += reply.string_at("/result/errors/" + std::to_string(i) + "/field") + ";";
      return fields;
    };
    CHECK(errors(c.good) == "");
    CHECK(errors(c.wrong) == std::string(c.field) + ";");
    CHECK(errors(c.misspelt) == "InvalidObject at " + std::string(c.unknown));
    CHECK(errors("[]") == "InvalidObject at " + c.part);
    CHECK(result_or_error(c.op, "{}") == "InvalidRequest at " + c.part);
    CHECK(result_or_error(c.op, "{\"" + c.part + "\":" + c.good + R"(,"policies":[]})") ==
          "InvalidRequest at policies");
    // Without a name, in whatever way it is missing.
    std::string unnamed = c.good;
    unnamed.replace(unnamed.find(R"("name":"a")"), 10, R"("name":"")");
    CHECK(errors(unnamed) == "metadata.name;");
    std::string without = c.good;
    without.replace(without.find(R"("metadata":{"name":"a")"), 22, R"("metadata":{"uid":"")");
    CHECK(errors(without) == "metadata.name;");
    const std::size_t metadata = without.find(R"("metadata":{)");
    without.replace(metadata, without.find('}', metadata) + 1 - metadata, R"("metadata":null)");
    CHECK(errors(without) == "metadata.name;");
  }
  CHECK(
      result_or_error("podSchedulingPolicy.validate", R"({"policy":{"metadata":{"name":"a"}}})") ==
      "InvalidObject at policy.kind");
  // What is legal and probably not meant is no error.
  CHECK(testing::Json(testing::ask("resourcePolicy.validate",
                                   R"({"policy":{"metadata":{"name":"a"},"spec":{"units":[)"
                                   R"({"name":"u"},{"name":"u","nodeSelector":{"matchLabels":)"
                                   R"({"a":"b"}}}]}}})"))
            .at("/result/warnings/0/field") == R"("spec.units[1].name")");
}

TEST_CASE("runtimeClass.verify: whether all of its class is still in place on a pod") {
  const auto verify = [](const std::string& pod) {
    return testing::verdict_of(testing::Json(testing::ask(
        "runtimeClass.verify",
        R"({"pod":{"spec":)" + pod +
            R"(},"runtimeClasses":[{"metadata":{"name":"kata"},"handler":"kata","overhead":)"
            R"({"podFixed":{"cpu":"250m"}},"scheduling":{"nodeSelector":{"a":"b"}}}]})")));
  };
  CHECK(verify("{}") == "allowed");
  CHECK(
      verify(R"({"runtimeClassName":"kata","overhead":{"cpu":"0.25"},"nodeSelector":{"a":"b"}})") ==
      "allowed");
  CHECK(verify(R"({"runtimeClassName":"kata"})") ==
        "OverheadMismatch spec.overhead; NodeSelectorRequired spec.nodeSelector[a]");
  CHECK(verify(R"({"runtimeClassName":"gvisor"})") == "RuntimeClassNotFound spec.runtimeClassName");
  const Case cases[] = {
      {"no pod", "runtimeClass.verify", R"({"runtimeClasses":[]})", "InvalidRequest at pod"},
      {"a class that cannot be read", "runtimeClass.verify",
       R"({"pod":{},"runtimeClasses":[{"metadata":{"name":"a"},"overheads":{}}]})",
       "InvalidObject at runtimeClasses[0].overheads"},
  };
  check_all(cases);
}

TEST_CASE("runtimeClass.supports: whether a node has the labels of a class, and which it lacks") {
  const Case cases[] = {
      {"all", "runtimeClass.supports",
       R"({"runtimeClass":{"metadata":{"name":"a"},"scheduling":{"nodeSelector":{"a":"b"}}},)"
       R"("node":{"metadata":{"labels":{"a":"b","c":"d"}}}})",
       R"({"supported":true,"missing":{}})"},
      {"another value, and none", "runtimeClass.supports",
       R"({"runtimeClass":{"metadata":{"name":"a"},"scheduling":{"nodeSelector":{"a":"b","c":"d",)"
       R"("e":"f"}}},"node":{"metadata":{"labels":{"a":"x","c":"d"}}}})",
       R"({"supported":false,"missing":{"a":"b","e":"f"}})"},
      {"no class", "runtimeClass.supports", R"({"node":{}})", "InvalidRequest at runtimeClass"},
      {"no node", "runtimeClass.supports", R"({"runtimeClass":{"metadata":{"name":"a"}}})",
       "InvalidRequest at node"},
      {"no labels", "runtimeClass.supports",
       R"({"runtimeClass":{"metadata":{"name":"a"},"scheduling":{"nodeSelector":["a"]}},"node":{}})",
       "InvalidObject at runtimeClass.scheduling.nodeSelector"},
  };
  check_all(cases);
}

TEST_CASE("the operations of MetadataPolicy answer with the decision") {
  const Case cases[] = {
      {"any object", "metadataPolicy.admit",
       R"({"object":{"kind":"Service","metadata":{"namespace":"n","labels":{"a":"b"}},"x":1.0},)"
       R"("policies":[{"metadata":{"name":"p","namespace":"n"},"spec":{"rules":[)"
       R"({"policyAction":{"updatedLabels":{"a":"c","d/e":"f"}}}]}}]})",
       R"({"allowed":true,"rejectedBy":[],"conflicts":[],"changes":[)"
       R"({"field":"metadata.labels[a]","from":"b","to":"c","policy":"p"},)"
       R"({"field":"metadata.labels[d/e]","from":null,"to":"f","policy":"p"}],)"
       R"("object":{"kind":"Service","metadata":{"namespace":"n","labels":{"a":"c","d/e":"f"}},)"
       R"("x":1.0},"patch":[{"op":"replace","path":"/metadata/labels/a","value":"c"},)"
       R"({"op":"add","path":"/metadata/labels/d~1e","value":"f"}]})"},
      {"a ConfigMap, whatever else is in it", "metadataPolicy.admit",
       R"({"object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"n",)"
       R"("creationTimestamp":null,"managedFields":[{"manager":"kubectl"}]},"data":{"spec":"5"},)"
       R"("binaryData":{},"immutable":true,"spec":5,"status":[]},)"
       R"("policies":[{"metadata":{"name":"p","namespace":"n"},"spec":{"rules":[)"
       R"({"policyPredicate":{"labelSelector":{"matchExpressions":[{"key":"X",)"
       R"("operator":"DoesNotExist"}]}},"policyAction":{"updatedLabels":{"X":"Y"}}}]}}]})",
       R"({"allowed":true,"rejectedBy":[],"conflicts":[],"changes":[)"
       R"({"field":"metadata.labels[X]","from":null,"to":"Y","policy":"p"}],)"
       R"("object":{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"n",)"
       R"("creationTimestamp":null,"managedFields":[{"manager":"kubectl"}],"labels":{"X":"Y"}},)"
       R"("data":{"spec":"5"},"binaryData":{},"immutable":true,"spec":5,"status":[]},)"
       R"("patch":[{"op":"add","path":"/metadata/labels","value":{"X":"Y"}}]})"},
      {"the Deployment itself, and not its template", "metadataPolicy.admit",
       R"({"object":{"kind":"Deployment","metadata":{"namespace":"n"},"spec":{"template":)"
       R"({"metadata":{"labels":{"X":"1"}}}}},)"
       R"("policies":[{"metadata":{"name":"p","namespace":"n"},"spec":{"rules":[)"
       R"({"policyPredicate":{"labelSelector":{"matchLabels":{"X":"1"}}},)"
       R"("policyAction":{"reject":true}}]}}]})",
       R"({"allowed":true,"rejectedBy":[],"conflicts":[],"changes":[],"object":)"
       R"({"kind":"Deployment","metadata":{"namespace":"n"},"spec":{"template":)"
       R"({"metadata":{"labels":{"X":"1"}}}}},"patch":[]})"},
      {"updates of a rule that rejects", "metadataPolicy.admit",
       R"({"object":{"metadata":{"namespace":"n"}},"policies":[{"metadata":{"name":"p",)"
       R"("namespace":"n"},"spec":{"rules":[{"policyAction":{"reject":true,"updatedLabels":)"
       R"({"a":"b"}}}]}}]})",
       R"({"allowed":false,"rejectedBy":[{"policy":"p","rule":0}],"conflicts":[],"changes":[],)"
       R"("object":{"metadata":{"namespace":"n"}},"patch":[]})"},
      {"writes that differ, of which the last counts", "metadataPolicy.admit",
       R"({"object":{"metadata":{"namespace":"n"}},"policies":[{"metadata":{"name":"p",)"
       R"("namespace":"n"},"spec":{"rules":[{"policyAction":{"updatedLabels":{"k":"1"}}},)"
       R"({"policyAction":{"updatedLabels":{"k":"2"}}}]}}]})",
       R"({"allowed":true,"rejectedBy":[],"conflicts":[{"field":"metadata.labels[k]","writes":[)"
       R"({"policy":"p","rule":0,"value":"1"},{"policy":"p","rule":1,"value":"2"}]}],)"
       R"("changes":[{"field":"metadata.labels[k]","from":null,"to":"2","policy":"p"}],)"
       R"("object":{"metadata":{"namespace":"n","labels":{"k":"2"}}},)"
       R"("patch":[{"op":"add","path":"/metadata/labels","value":{"k":"2"}}]})"},
      {"a rejected one", "metadataPolicy.admit",
       R"({"object":{"metadata":{"namespace":"n"}},"policies":[{"metadata":{"name":"p",)"
       R"("namespace":"n"},"spec":{"rules":[{"policyAction":{"reject":true}}]}}]})",
       R"({"allowed":false,"rejectedBy":[{"policy":"p","rule":0}],"conflicts":[],"changes":[],)"
       R"("object":{"metadata":{"namespace":"n"}},"patch":[]})"},
      {"the scheduler of a template", "metadataPolicy.chooseScheduler",
       R"({"pod":{"kind":"Deployment","metadata":{"namespace":"n"},"spec":{"template":{"spec":{}}}},)"
       R"("policies":[{"metadata":{"name":"p","namespace":"n"},"spec":{"rules":[)"
       R"({"policyAction":{"updatedAnnotations":{"scheduler.alpha.kubernetes.io/name":"s"}}}]}}]})",
       R"({"allowed":true,"rejectedBy":[],"conflicts":[],"changes":[)"
       R"({"field":"spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/qos]",)"
       R"("from":null,"to":"BestEffort","policy":""},)"
       R"({"field":"spec.template.metadata.annotations[scheduler.alpha.kubernetes.io/name]",)"
       R"("from":null,"to":"s","policy":"p"},)"
       R"({"field":"spec.template.spec.schedulerName","from":null,"to":"s","policy":"p"}],)"
       R"("object":{"kind":"Deployment","metadata":{"namespace":"n"},"spec":{"template":{"spec":)"
       R"({"schedulerName":"s"},"metadata":{"annotations":{)"
       R"("scheduler.alpha.kubernetes.io/name":"s",)"
       R"("scheduler.alpha.kubernetes.io/qos":"BestEffort"}}}}},)"
       R"("patch":[{"op":"add","path":"/spec/template/metadata","value":{}},)"
       R"({"op":"add","path":"/spec/template/metadata/annotations","value":{)"
       R"("scheduler.alpha.kubernetes.io/name":"s",)"
       R"("scheduler.alpha.kubernetes.io/qos":"BestEffort"}},)"
       R"({"op":"add","path":"/spec/template/spec/schedulerName","value":"s"}]})"},
      {"a rule with a misspelt action", "metadataPolicy.admit",
       R"({"object":{},"policies":[{"metadata":{"name":"p"},"spec":{"rules":[)"
       R"({"policyAction":{"rejects":true}}]}}]})",
       "InvalidObject at policies[0].spec.rules[0].policyAction.rejects"},
      {"a selector that cannot be used", "metadataPolicy.admit",
       R"({"object":{},"policies":[{"metadata":{"name":"p"},"spec":{"rules":[{"policyPredicate":)"
       R"({"annotationSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}}}]}}]})",
       "InvalidObject at "
       "policies[0].spec.rules[0].policyPredicate.annotationSelector.matchExpressions[0].values"},
      {"a selector that cannot be used", "metadataPolicy.chooseScheduler",
       R"({"pod":{},"policies":[{"metadata":{"name":"p"},"spec":{"rules":[{"policyPredicate":)"
       R"({"labelSelector":{"matchLabels":{"a":"not a value"}}}}]}}]})",
       "InvalidObject at policies[0].spec.rules[0].policyPredicate.labelSelector.matchLabels"},
  };
  check_all(cases);
}

TEST_CASE("schedulingPolicy.builtin: the policies of the proposal, and who may use them") {
  const testing::Json all(testing::ask("schedulingPolicy.builtin", "{}"));
  CHECK(all.at("/result/policies/0/metadata/name") == R"("restricted")");
  CHECK(all.at("/result/policies/1/metadata/name") == R"("restricted-multiarch-by-node-selector")");
  CHECK(all.at("/result/policies/2/metadata/name") == R"("restricted-multiarch-by-affinity")");
  CHECK(all.at("/result/policies/3/metadata/name") == R"("privileged")");
  CHECK(all.at("/result/policies/4") == "absent");
  CHECK(all.at("/result/policies/1/spec/default/nodeSelector") ==
        R"({"kubernetes.io/arch":"amd64","kubernetes.io/os":"linux"})");
  CHECK(all.at("/result/clusterRoles/0/metadata/name") == R"("sp:restricted")");
  CHECK(all.at("/result/clusterRoles/1/metadata/name") == R"("sp:privileged")");
  CHECK(all.at("/result/clusterRoleBindings/0/metadata/name") == R"("sp:restricted")");
  CHECK(all.at("/result/roleBindings/0/metadata") ==
        R"({"name":"sp:kube-system-privileged","namespace":"kube-system",)"
        R"("labels":{"kubernetes.io/bootstrapping":"rbac-defaults"},)"
        R"("annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}})");
  // They are what analyze takes, as a configuration has them.
  CHECK(testing::Json(testing::ask("schedulingPolicy.analyze", all.at("/result")))
            .at("/result/findings/0/code") != "absent");
  const testing::Json privileged(
      testing::ask("schedulingPolicy.builtin", R"({"names":["privileged"]})"));
  CHECK(privileged.at("/result/policies/0/metadata/name") == R"("privileged")");
  CHECK(privileged.at("/result/policies/1") == "absent");
  CHECK(privileged.at("/result/clusterRoles/0/metadata/name") == R"("sp:privileged")");
  CHECK(privileged.at("/result/clusterRoles/1") == "absent");
  CHECK(privileged.at("/result/clusterRoleBindings") == "[]");
  CHECK(privileged.at("/result/roleBindings/0/kind") == R"("RoleBinding")");
  // The proposal's letter.
  CHECK(testing::Json(testing::ask("schedulingPolicy.builtin",
                                   R"({"names":["restricted-multiarch-by-node-selector"],)"
                                   R"("nodeLabels":"Proposal"})"))
            .at("/result/policies/0/spec/default/nodeSelector") ==
        R"({"beta.kubernetes.io/arch":"amd64","beta.kubernetes.io/os":"Linux"})");
  const Case cases[] = {
      {"a policy for several architectures is granted to nobody", "schedulingPolicy.builtin",
       R"({"names":["restricted"],"nodeLabels":"Current","name":"x"})", "InvalidRequest at name"},
      {"another name", "schedulingPolicy.builtin", R"({"names":["restricted","privilegd"]})",
       "InvalidRequest at names[1]"},
      {"names no list", "schedulingPolicy.builtin", R"({"names":"restricted"})",
       "InvalidRequest at names"},
      {"other labels", "schedulingPolicy.builtin", R"({"nodeLabels":"Beta"})",
       "InvalidRequest at nodeLabels"},
  };
  check_all(cases);
  CHECK(testing::Json(testing::ask("schedulingPolicy.builtin", R"({"names":["privilegd"]})"))
            .string_at("/error/message") ==
        "`names[0]`: unsupported value `privilegd`: supported are restricted, "
        "restricted-multiarch-by-node-selector, restricted-multiarch-by-affinity, privileged, did "
        "you "
        "mean `privileged`");
  CHECK(testing::Json(testing::ask("schedulingPolicy.builtin", R"({"names":["restricted"]})"))
            .at("/result/roleBindings") == "[]");
}

TEST_CASE("policies and nodes are written as they are read") {
  check_round_trip<runtime_class::RuntimeClass>(
      R"({"apiVersion":"node.k8s.io/v1","kind":"RuntimeClass","metadata":{"name":"kata"},)"
      R"("handler":"kata","overhead":{"podFixed":{"cpu":"250m"}},)"
      R"("scheduling":{"nodeSelector":{"a":"b"},"tolerations":[{"key":"c","operator":"Exists"}]}})");
  check_round_trip<pod_scheduling_policy::PodSchedulingPolicy>(
      R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"a"},"spec":)"
      R"({"namespaceSelector":{},"podSelector":{"matchLabels":{"a":"b"}},"nodeName":"n"}})");
  check_round_trip<metadata_policy::MetadataPolicy>(
      R"({"apiVersion":"schedpol.io/v1alpha1","kind":"MetadataPolicy","metadata":{"name":"a"},)"
      R"("spec":{"rules":[{"policyPredicate":{"annotationSelector":{}},)"
      R"("policyAction":{"reject":true}}]}})");
  check_round_trip<resource_policy::ResourcePolicy>(
      R"({"apiVersion":"scheduling.sigs.x-k8s.io/v1alpha1","kind":"ResourcePolicy",)"
      R"("metadata":{"name":"a"},"spec":{"matchLabelKeys":["pod-template-hash"],)"
      R"("matchPolicy":{"ignoreTerminatingPod":true},"strategy":"prefer",)"
      R"("units":[{"name":"u","priority":0,"maxCount":10,"maxResources":{"cpu":"2"},"nodeSelector":{}}]}})");
  check_round_trip<Node>(R"({"apiVersion":"v1","kind":"Node"})");
  check_round_trip<Node>(
      R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n","labels":{"a":"b"}},)"
      R"("spec":{"taints":[{"key":"k","effect":"NoSchedule"}]}})");
}

TEST_CASE("a null term of a pod is replaced whole, so that the patch applies") {
  const testing::Json reply(testing::ask(
      "podSchedulingPolicy.inject",
      R"({"pod":{"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuring)"
      R"(Execution":{"nodeSelectorTerms":[null,{"matchExpressions":)"
      R"([{"key":"b","operator":"Exists"}]}]}}}}},"policies":[{"kind":)"
      R"("ClusterPodSchedulingPolicy","metadata":{"name":"a"},"spec":{"podSelector":{},)"
      R"("namespaceSelector":{},"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuring)"
      R"(Execution":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"Exists"}]},)"
      R"({"matchExpressions":[{"key":"c","operator":"Exists"}]}]}}}}}]})"));
  CHECK(reply.at("/error") == "absent");
  CHECK(reply.at("/result/object/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuring"
                 "Execution/nodeSelectorTerms/0/matchExpressions/0/key") == R"("a")");
}

TEST_CASE("every operation answers an empty input") {
  // That these are all is a test of the repository.
  const std::string_view operations[] = {
      "affinity.validate",
      "labelSelector.matches",
      "labels.validate",
      "nodeAffinity.matches",
      "pod.filterNodes",
      "pod.qosClass",
      "pod.requests",
      "quantity.compare",
      "taints.findUntolerated",
      "tolerations.merge",
      "tolerations.validate",
      "engine.analyze",
      "engine.asCreated",
      "engine.decide",
      "engine.impact",
      "engine.suggest",
      "metadataPolicy.admit",
      "metadataPolicy.chooseScheduler",
      "metadataPolicy.validate",
      "podSchedulingPolicy.inject",
      "podSchedulingPolicy.validate",
      "rbac.usablePolicies",
      "resourcePolicy.deletionCosts",
      "resourcePolicy.plan",
      "resourcePolicy.schedule",
      "resourcePolicy.validate",
      "runtimeClass.admit",
      "runtimeClass.supports",
      "runtimeClass.validate",
      "runtimeClass.verify",
      "schedulingPolicy.admit",
      "schedulingPolicy.analyze",
      "schedulingPolicy.builtin",
      "schedulingPolicy.checkUpdate",
      "schedulingPolicy.compare",
      "schedulingPolicy.explain",
      "schedulingPolicy.merge",
      "schedulingPolicy.nearestFix",
      "schedulingPolicy.validate",
  };
  for (const std::string_view operation : operations) {
    CAPTURE(operation);
    const testing::Json reply(testing::ask(operation, "{}"));
    CHECK(reply.valid());
    CHECK((reply.at("/result") == "absent") != (reply.at("/error") == "absent"));
    CHECK(reply.at("/error/code") != R"("UnknownOp")");
  }
}

}  // namespace operations_test
