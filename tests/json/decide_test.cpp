// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/evaluate.hpp>

#include <schedpol/json/configuration.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <string>
#include <string_view>

namespace decide_test {

// engine.decide: what a cluster with these objects would do with one.

using schedpol::testing::ask;
using schedpol::testing::Json;
using schedpol::testing::result_or_error;

const std::string engine =
    R"({"kind":"EngineConfiguration","systems":[{"system":"RuntimeClass"},)"
    R"({"system":"PodSchedulingPolicy","mode":"Audit"},{"system":"SchedulingPolicy"}],)"
    R"("policyUse":"Every"})";
const std::string policies =
    R"({"kind":"SchedulingPolicyList","items":[{"metadata":{"name":"p"},"spec":{"allowed":)"
    R"({"schedulerNames":["default-scheduler"],"nodeSelectors":{"disk":[]}},)"
    R"("default":{"priorityClassName":"gold"}}}]})";
const std::string injection =
    R"({"kind":"PodSchedulingPolicy","metadata":{"name":"k","namespace":"shop"},)"
    R"("spec":{"podSelector":{},"schedulerName":"other"}})";
const std::string configuration =
    R"("configuration":[)" + engine + "," + policies + "," + injection + "]";

std::string decide(const std::string& rest) {
  return result_or_error("engine.decide", "{" + configuration + "," + rest + "}");
}

TEST_CASE("a pod that is allowed comes back with what all systems made of it") {
  CHECK(decide(R"("object":{"metadata":{"name":"w"},"spec":{"nodeSelector":{"disk":"ssd"}}},)"
               R"("namespace":"shop")") ==
        R"({"allowed":true,"steps":[)"
        R"({"system":"RuntimeClass","mode":"Enforce","violations":[],"changes":[]},)"
        R"({"system":"PodSchedulingPolicy","mode":"Audit","violations":[],"changes":[)"
        R"({"field":"spec.schedulerName","from":null,"to":"other","policy":"k"}]},)"
        R"({"system":"SchedulingPolicy","mode":"Enforce","violations":[],"changes":[)"
        R"({"field":"spec.priorityClassName","from":null,"to":"gold","policy":"p"}]}],)"
        R"("object":{"metadata":{"name":"w"},"spec":{"nodeSelector":{"disk":"ssd"},)"
        R"("priorityClassName":"gold"}},)"
        R"("patch":[{"op":"add","path":"/spec/priorityClassName","value":"gold"}]})");
}

TEST_CASE("a policy that is the object is validated") {
  const auto decided = [](const std::string& object, const std::string& more = "") {
    return Json(ask("engine.decide", "{" + configuration + R"(,"object":)" + object + more + "}"));
  };
  const auto policy = [](const std::string& spec) {
    return R"({"apiVersion":"schedpol.io/v1alpha1","kind":"SchedulingPolicy",)"
           R"("metadata":{"name":"new"},"spec":)" +
           spec + "}";
  };
  const std::string invalid = policy(R"({"required":{"schedulerNames":[]}})");
  const Json denied = decided(invalid);
  CHECK(denied.at("/result/allowed") == "false");
  CHECK(denied.at("/result/errors/0/field") == R"("spec.required.schedulerNames")");
  CHECK(denied.at("/result/object") == invalid);
  CHECK(denied.at("/result/patch") == "[]");
  const Json valid = decided(policy(R"({"allowed":{"schedulerNames":["a"]}})"));
  CHECK(valid.at("/result/allowed") == "true");
  CHECK(valid.at("/result/errors") == "absent");
  const Json odd = decided(
      policy(R"({"required":{"tolerations":[{"keys":["gpu"],"operators":[],"effects":[]}]},)"
             R"("default":{"tolerations":[{"key":"spot","operator":"Exists"}]}})"));
  CHECK(odd.at("/result/allowed") == "true");
  CHECK(odd.at("/result/warnings/0") != "absent");
  CHECK(decided(invalid, R"(,"old":)" + invalid).at("/result/allowed") == "true");
  CHECK(decided(policy(R"({"requird":{}})")).at("/error/code") == R"("InvalidObject")");
  CHECK(decided(R"({"apiVersion":"kupid.gardener.cloud/v1alpha1","kind":"PodSchedulingPolicy",)"
                R"("metadata":{"name":"new"},"spec":{"podSelector":{"matchLabels":{"?":""}}}})")
            .at("/result/allowed") != "true");
}

TEST_CASE("a denial says what the configuration lacks") {
  const auto lacks = [](const std::string& pod, const std::string& systems) {
    const std::string asked = R"({"configuration":[{"kind":"EngineConfiguration","systems":[)" +
                              systems + R"(]}],"namespace":"shop","object":)" + pod + "}";
    return Json(ask("engine.decide", asked)).at("/result/unknown");
  };
  const std::string of_class = R"({"system":"RuntimeClass"})";
  CHECK(lacks(R"({"spec":{"runtimeClassName":"kata"}})", of_class) ==
        R"([{"kind":"RuntimeClass","name":"kata"}])");
  CHECK(lacks(R"({"spec":{}})", R"({"system":"SchedulingPolicy"})") ==
        R"([{"kind":"SchedulingPolicy","user":"system:serviceaccount:shop:default"}])");
  CHECK(lacks(R"({"spec":{}})", of_class) == "absent");
}

TEST_CASE("a pod that is denied comes back as it came, with why and the nearest fix") {
  const Json reply(ask("engine.decide",
                       "{" + configuration + R"(,"object":{"spec":{"schedulerName":"mine"}}})"));
  CHECK(reply.at("/result/allowed") == "false");
  CHECK(reply.at("/result/object") == R"({"spec":{"schedulerName":"mine"}})");
  CHECK(reply.at("/result/patch") == "[]");
  const std::string last = "/result/steps/2";
  CHECK(reply.at(last + "/system") == R"("SchedulingPolicy")");
  CHECK(reply.at(last + "/violations/0/code") == R"("SchedulerNameNotAllowed")");
  CHECK(reply.at(last + "/violations/0/policies") == R"(["p"])");
  CHECK(reply.at("/result/nearestFix/0/field") == R"("spec.schedulerName")");
  CHECK(reply.at("/result/nearestFix/0/from") == R"("mine")");
  CHECK(Json(ask("engine.decide", "{" + configuration + R"(,"object":{}})"))
            .at("/result/nearestFix") == "absent");
}

TEST_CASE("an object is in the namespace of the input, or its own, or the default one") {
  struct Case {
    std::string rest;
    const char* audited;  // whether the policy of `shop` would have changed it, or an error
  };
  const Case cases[] = {
      {R"("object":{})", "no"},
      {R"("object":{},"namespace":"shop")", "yes"},
      {R"("object":{"metadata":{"namespace":"shop"}})", "yes"},
      {R"("object":{"metadata":{"namespace":"shop"}},"namespace":"shop")", "yes"},
      {R"("object":{"metadata":{"namespace":"shop"}},"namespace":"other")",
       "object.metadata.namespace"},
      {R"("object":{"kind":"Job","metadata":{"namespace":"shop"},"spec":{"template":)"
       R"({"metadata":{"namespace":"other"}}}})",
       "yes"},
      {R"("object":{"kind":"Job","spec":{"template":{"metadata":{"namespace":"shop"}}}})", "no"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.rest);
    const Json reply(ask("engine.decide", "{" + configuration + "," + c.rest + "}"));
    if (reply.at("/error") != "absent") {
      CHECK(reply.string_at("/error/field") == c.audited);
    } else {
      const bool changed = reply.at("/result/steps/1/changes") != "[]";
      CHECK(std::string(changed ? "yes" : "no") == c.audited);
    }
  }
}

TEST_CASE("a SchedulingPolicy is one whichever spelling its kind has, and no pod without a kind") {
  const std::string metadata = R"("metadata":{"name":"s"},"spec":{}})";
  for (const char* kind : {R"("kind":"SchedulingPolicy",)", R"("Kind":"SchedulingPolicy",)"}) {
    CAPTURE(kind);
    CHECK(decide(R"("object":{"apiVersion":"schedpol.io/v1alpha1",)" + std::string(kind) + metadata)
              .starts_with(R"({"allowed":true,"steps":[],)"));
    const Json reply(
        ask("engine.decide", "{" + configuration + R"(,"object":{)" + kind + metadata + "}"));
    CHECK(reply.at("/error/field") == R"("object.kind")");
  }
  for (const char* kind : {"SchedulingPolicy", "Pod"}) {
    CAPTURE(kind);
    const Json reply(ask("engine.decide",
                         "{" + configuration +
                             R"(,"object":{"apiVersion":"v1","Kind":"SchedulingPolicy","kind":")" +
                             kind + R"(","metadata":{"name":"s"}}})"));
    CHECK(reply.at("/error/field") == R"("object.kind")");
    CHECK(reply.at("/error/message") != "absent");
  }
}

TEST_CASE("an update is denied for what it adds, and a template that stays passes unread") {
  const std::string old = R"("old":{"spec":{"schedulerName":"mine"}})";
  const auto allowed = [](const std::string& rest) {
    const Json reply(ask("engine.decide", "{" + configuration + "," + rest + "}"));
    if (reply.at("/error") != "absent")
      return reply.string_at("/error/code") + " at " + reply.string_at("/error/field");
    return reply.at("/result/allowed");
  };
  CHECK(allowed(R"("object":{"spec":{"schedulerName":"mine"}},)" + old) == "true");
  CHECK(allowed(R"("operation":"UPDATE","object":{"spec":{"schedulerName":"mine"}},)" + old) ==
        "true");
  CHECK(allowed(R"("object":{"spec":{"schedulerName":"theirs"}},)" + old) == "false");
  const auto deployment = [](const char* image) {
    return std::string(R"({"kind":"Deployment","spec":{"template":{"spec":{"schedulerName":"mine",)"
                       R"("containers":[{"image":")") +
           image + R"("}]}}}})";
  };
  const auto rolled_out = [&](const char* image) {
    return Json(ask("engine.decide", "{" + configuration + R"(,"object":)" + deployment(image) +
                                         R"(,"old":)" + deployment("one") + "}"))
        .at("/result/steps");
  };
  CHECK(rolled_out("one") == "[]");
  CHECK(rolled_out("two") != "[]");
  CHECK(allowed(R"("object":{},"operation":"CREATE")") == "true");
  CHECK(allowed(R"("object":{},"operation":"UPDATE")") == "InvalidRequest at old");
  CHECK(allowed(R"("operation":"CREATE","object":{},)" + old) == "InvalidRequest at old");
  CHECK(allowed(R"("operation":"DELETE","object":{})") == "InvalidRequest at operation");
  CHECK(allowed(R"("object":{"kind":"Job"},)" + old) == "InvalidRequest at old.kind");
  CHECK(allowed(R"("object":{},"namespace":"a","old":{"metadata":{"namespace":"b"}})") ==
        "InvalidRequest at old.metadata.namespace");
}

TEST_CASE("after all mutators ran an object is judged as it stands") {
  const Json reply(ask("engine.decide", "{" + configuration +
                                            R"(,"object":{"spec":{"nodeSelector":{"disk":"ssd"}}},)"
                                            R"("phase":"Validating"})"));
  CHECK(reply.at("/result/allowed") == "true");
  CHECK(reply.at("/result/patch") == "[]");
  CHECK(decide(R"("object":{},"phase":"Mutating")").starts_with(R"({"allowed":true)"));
  CHECK(decide(R"("object":{},"phase":"mutating")") == "InvalidRequest at phase");
  CHECK(Json(ask("engine.decide", "{" + configuration + R"(,"object":{},"phase":"mutating"})"))
            .string_at("/error/message")
            .ends_with("supported are Mutating and Validating"));
}

TEST_CASE("who asks is told by name and groups") {
  const std::string pod = R"("object":{"metadata":{"annotations":{"kubernetes.io/config.mirror":)"
                          R"("x"}},"spec":{"schedulerName":"mine"}})";
  CHECK(decide(pod).starts_with(R"({"allowed":false)"));
  CHECK(decide(pod + R"(,"user":{"name":"system:node:a","groups":["system:nodes"]})")
            .starts_with(R"({"allowed":true,"steps":[])"));
  CHECK(decide(pod + R"(,"user":{"name":5})") == "InvalidObject at user.name");
  CHECK(decide(pod + R"(,"user":{"group":[]})") == "InvalidObject at user.group");
}

TEST_CASE("an engine that is compiled already takes the place of the configuration") {
  schedpol::engine::Configuration read;
  for (const std::string& document : {engine, policies, injection})
    REQUIRE(schedpol::json::add_objects(read, document).empty());
  const auto compiled = compile(read);
  REQUIRE(compiled);
  const auto request = [](const std::string& input) {
    return R"({"id":1,"op":"engine.decide","input":{)" + input + "}}";
  };
  const auto asked = [&](const std::string& input) {
    return schedpol::json::evaluate(request(input), *compiled);
  };
  for (const std::string_view pod :
       {R"({"spec":{"nodeSelector":{"disk":"ssd"}}})", R"({"spec":{"schedulerName":"mine"}})",
        R"({"kind":"Job","spec":{"template":{"spec":{}}}})", R"({"spec":5})"}) {
    const std::string input = R"("namespace":"shop","object":)" + std::string(pod);
    CHECK(asked(input) == schedpol::json::evaluate(request(configuration + "," + input)));
  }
  CHECK(asked(configuration + R"(,"object":{})").find(R"("field":"configuration")") !=
        std::string::npos);
  CHECK(schedpol::json::evaluate(request(R"("object":{})"), {}).find(R"("allowed":false)") !=
        std::string::npos);
}

TEST_CASE("what is missing or wrong is an error and never a decision") {
  CHECK(result_or_error("engine.decide", R"({"object":{}})") == "InvalidRequest at configuration");
  CHECK(decide(R"("namespace":"a")") == "InvalidRequest at object");
  CHECK(decide(R"("object":{"spec":{"tolerations":{}}})") ==
        "InvalidObject at object.spec.tolerations");
  CHECK(decide(R"("object":{},"old":{"spec":5})") == "InvalidObject at old.spec");
  CHECK(decide(R"("object":{},"username":"a")") == "InvalidRequest at username");
  CHECK(result_or_error("engine.decide", R"({"object":{},"configuration":[]})") ==
        "InvalidObject at configuration.systems");
  CHECK(result_or_error("engine.decide",
                        R"({"object":{},"configuration":{"kind":"RoleList","items":[{"x":1}]}})") ==
        "InvalidObject at configuration.items[0].x");
}

TEST_CASE(
    "of an object that is no pod the metadata is decided on, of a workload that and its template") {
  const std::string with_rule =
      R"("configuration":[{"kind":"EngineConfiguration","systems":[{"system":"MetadataPolicy"}]},)"
      R"({"kind":"MetadataPolicy","metadata":{"name":"m","namespace":"shop"},"spec":{"rules":[)"
      R"({"policyPredicate":{"labelSelector":{"matchExpressions":[{"key":"team","operator":"DoesNotExist"}]}},)"
      R"("policyAction":{"updatedLabels":{"team":"shop"}}},)"
      R"({"policyPredicate":{"labelSelector":{"matchLabels":{"forbidden":"x"}}},"policyAction":{"reject":true}}]}}],)"
      R"("namespace":"shop",)";
  const auto asked = [&](std::string_view object, std::string_view more = "") {
    return Json(ask("engine.decide", "{" + with_rule + R"("object":)" + std::string(object) +
                                         std::string(more) + "}"));
  };
  const Json config_map =
      asked(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}})");
  CHECK(config_map.at("/result/object/metadata/labels") == R"({"team":"shop"})");
  CHECK(config_map.at("/result/steps/0/changes/0/field") == R"("metadata.labels[team]")");
  const Json rejected =
      asked(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"forbidden":"x"}}})");
  CHECK(rejected.at("/result/allowed") == "false");
  CHECK(rejected.at("/result/patch") == "[]");
  const Json updated =
      asked(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"labels":{"forbidden":"x"}}})",
            R"(,"old":{"metadata":{"labels":{"forbidden":"x"}}})");
  CHECK(updated.at("/result/allowed") == "true");
  // What needs repair or is a policy is nobody's.
  for (const std::string_view kind : {R"("apiVersion":"v1","kind":"Namespace")",
                                      R"("apiVersion":"autoscaling/v1","kind":"Scale")"})
    CHECK(asked("{" + std::string(kind) + R"(,"metadata":{"labels":{"forbidden":"x"}}})")
              .at("/result/allowed") == "true");
  // A Deployment of another group is a custom resource; a misspelt one, or one of another group of
  // Kubernetes, is an error.
  for (const std::string_view kind : {"Deployment", "Deploymet"})
    CHECK(asked(R"({"apiVersion":"example.com/v1","kind":")" + std::string(kind) +
                R"(","spec":{"template":7}})")
              .at("/result/allowed") == "true");
  CHECK(asked(R"({"apiVersion":"apps/v1","kind":"Deploymet","spec":{}})").at("/error/field") ==
        R"("object.kind")");
  for (const std::string_view group : {"batch", "networking.k8s.io"})
    CHECK(asked(R"({"apiVersion":")" + std::string(group) + R"(/v1","kind":"Deployment"})")
              .at("/error/field") == R"("object.apiVersion")");
  const Json workload = asked(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{"template":{"metadata":{}}}})");
  CHECK(workload.at("/result/object/metadata/labels") == R"({"team":"shop"})");
  CHECK(workload.at("/result/object/spec/template/metadata/labels") == R"({"team":"shop"})");
  const Json denied = asked(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{},"spec":{"template":{"metadata":{"labels":{"forbidden":"x"}}}}})");
  CHECK(denied.at("/result/allowed") == "false");
  CHECK(denied.at("/result/patch") == "[]");
  // Where it is denied itself its template is not looked at.
  const Json denied_itself = asked(
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"labels":{"forbidden":"x"}},)"
      R"("spec":{"template":{"metadata":{}}}})");
  CHECK(denied_itself.at("/result/allowed") == "false");
  CHECK(denied_itself.at("/result/steps/0/violations/0/field") == R"("metadata")");
  CHECK(denied_itself.at("/result/steps/1") == "absent");
  CHECK(config_map.at("/result/steps/1") == "absent");
  CHECK(workload.at("/result/steps/1/changes/0/field") ==
        R"("spec.template.metadata.labels[team]")");
}

TEST_CASE("the pod templates of a custom kind are decided on where the configuration has them") {
  const std::string jobs =
      R"({"apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet","metadata":{"name":"train",)"
      R"("labels":{"a":"b"}},"spec":{"replicatedJobs":[{"name":"l","template":{"spec":{"template":)"
      R"({"spec":{"runtimeClassName":"kata"}}}}},{"name":"w","template":{"spec":{"template":{"spec":)";
  const auto job_set = [&](const std::string& spec) { return jobs + spec + "}}}}]}}"; };
  const auto decided = [&](const std::string& more) {
    const std::string of_batch =
        R"([{"kind":"EngineConfiguration","policyUse":"Every","systems":[{"system":)"
        R"("SchedulingPolicy"}],"templates":[{"group":"jobset.x-k8s.io","kind":"JobSet",)"
        R"("path":"spec.replicatedJobs[*].template.spec.template"}]},{"kind":"SchedulingPolicy",)"
        R"("metadata":{"name":"p"},"spec":{"default":{"schedulerName":"batch"}}}])";
    return Json(ask("engine.decide", R"({"configuration":)" + of_batch + "," + more + "}"));
  };
  const std::string worker = "spec.replicatedJobs[1].template.spec.template.spec.";
  const Json allowed = decided(R"("object":)" + job_set(R"({"schedulerName":"batch"})"));
  CHECK(allowed.at("/result/allowed") == "true");
  CHECK(allowed.at("/result/patch") ==
        R"([{"op":"add","path":"/spec/replicatedJobs/0/template/spec/template/spec/schedulerName",)"
        R"("value":"batch"}])");
  CHECK(allowed.at("/result/object/spec/replicatedJobs/0/template/spec/template/spec") ==
        R"({"runtimeClassName":"kata","schedulerName":"batch"})");
  CHECK(allowed.at("/result/ungoverned") ==
        R"([{"field":"spec.replicatedJobs[0].template.spec.template.spec.runtimeClassName",)"
        R"("value":"kata"}])");
  const std::string own = job_set(R"({"schedulerName":"own"})");
  const Json denied = decided(R"("object":)" + own);
  CHECK(denied.at("/result/allowed") == "false");
  CHECK(denied.string_at("/result/steps/0/violations/0/field") == worker + "schedulerName");
  CHECK(denied.string_at("/result/nearestFix/0/field") == worker + "schedulerName");
  CHECK(denied.at("/result/patch") == "[]");
  // What an update leaves alone is not looked at.
  const Json updated = decided(R"("object":)" + own + R"(,"old":)" + own);
  CHECK(updated.at("/result/allowed") == "true");
  CHECK(updated.at("/result/steps") == "[]");
  CHECK(decided(R"("object":)" + job_set("7")).string_at("/error/field") ==
        "object." + worker.substr(0, worker.size() - 1));
  // What another kind had the object did not have.
  for (const std::string& object : {own, std::string(R"({"apiVersion":"v1","kind":"ConfigMap"})")})
    CHECK(decided(R"("object":)" + object + R"(,"old":{"apiVersion":"v1","kind":"Secret"})")
              .string_at("/error/field") == "old.kind");
}

TEST_CASE("what policies leave out of an allowed pod, and what no node can meet, are warnings") {
  const std::string_view injection_first =
      R"({"system":"PodSchedulingPolicy"},{"system":"RuntimeClass"},{"system":"SchedulingPolicy"})";
  const std::string_view injection_second =
      R"({"system":"RuntimeClass"},{"system":"PodSchedulingPolicy"},{"system":"SchedulingPolicy"})";
  const auto warnings = [](std::string_view systems, std::string_view scheduling_policy) {
    const auto injecting = [](std::string_view name, std::string_view spec) {
      return R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":")" + std::string(name) +
             R"("},"spec":{"podSelector":{},"namespaceSelector":{},)" + std::string(spec) + "}},";
    };
    return Json(
               ask("engine.decide",
                   R"({"configuration":[{"kind":"EngineConfiguration","policyUse":"Every",)"
                   R"("systems":[)" +
                       std::string(systems) + "]}," +
                       injecting("a", R"("schedulerName":"one","affinity":{"nodeAffinity":)"
                                      R"({"requiredDuringSchedulingIgnoredDuringExecution":)"
                                      R"({"nodeSelectorTerms":[{"matchExpressions":[{"key":"disk",)"
                                      R"("operator":"In","values":["hdd"]}]}]}}})") +
                       injecting("b", R"("schedulerName":"two")") +
                       R"({"kind":"SchedulingPolicy","metadata":{"name":"p"},"spec":)" +
                       std::string(scheduling_policy) +
                       R"(}],"object":{"spec":{"schedulerName":"own"}}})"))
        .at("/result/warnings");
  };
  for (const std::string_view systems : {injection_first, injection_second}) {
    CAPTURE(systems);
    CHECK(warnings(systems, R"({"allowed":{"schedulerNames":[]},)"
                            R"("default":{"nodeSelector":{"disk":"ssd"}}})") ==
          R"(["`spec.schedulerName` of `a`: the pod has `own`, the policy `one`",)"
          R"("`spec.schedulerName` of `b`: the pod has `own`, the policy `two`",)"
          R"("`spec.nodeSelector[disk]` of `p`: no node meets the pod's `disk In [hdd]` and the )"
          R"(policy's `disk In [ssd]`"])");
    CHECK(warnings(systems, "{}") == "absent");
  }
}

}  // namespace decide_test
