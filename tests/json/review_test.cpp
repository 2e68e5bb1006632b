// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/review.hpp>

#include "reviews.hpp"

#include <cstddef>
#include <fstream>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace review_test {

using namespace reviews;

std::string input(const std::string& name) {
  std::ifstream file(SCHEDPOL_TEST_CONFORMANCE_DIR "/../benchmark/inputs/" + name,
                     std::ios::binary);
  REQUIRE(file.good());
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_CASE("a created pod is answered with its patch, in base64, and who made it") {
  const Json reply(
      json::review(review_of("", "Pod", R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"x":1}})"),
                   batch_engine()));
  REQUIRE(reply.valid());
  CHECK(reply.string_at("/apiVersion") == "admission.k8s.io/v1");
  CHECK(reply.string_at("/kind") == "AdmissionReview");
  CHECK(reply.string_at("/response/uid") == "u-1");
  CHECK(reply.at("/response/allowed") == "true");
  CHECK(reply.string_at("/response/patchType") == "JSONPatch");
  CHECK(decoded(reply.string_at("/response/patch")) ==
        R"([{"op":"add","path":"/spec/schedulerName","value":"batch"},)"
        R"({"op":"add","path":"/spec/nodeSelector","value":{"a/b.c":"d"}}])");
  CHECK(reply.at("/response/auditAnnotations") ==
        R"({"scheduling-policy":"batch: spec.schedulerName, spec.nodeSelector[a/b.c]"})");
  CHECK(reply.at("/response/status") == "absent");
  CHECK(reply.at("/response/warnings") == "absent");
}

TEST_CASE("a caller learns what was not known where a review is denied for it") {
  const Engine engine = engine_of(
      R"({"system":"RuntimeClass"},{"system":"SchedulingPolicy"})",
      R"({"kind":"SchedulingPolicy","metadata":{"name":"any"},"spec":{"allowed":{"schedulerNames":[]}}})");
  const auto unknown_of = [&](std::string_view kind, std::string_view object) {
    return json::try_review(review_of(kind == "Pod" ? "" : "apps", kind, object), engine).unknown;
  };
  const std::vector<engine::UnknownObject> kata = {{.kind = "RuntimeClass", .name = "kata"}};
  CHECK(unknown_of("Pod", R"({"kind":"Pod","spec":{"runtimeClassName":"kata"}})") == kata);
  CHECK(unknown_of(
            "Deployment",
            R"({"kind":"Deployment","spec":{"template":{"spec":{"runtimeClassName":"kata"}}}})") ==
        kata);
  CHECK(unknown_of("Pod", R"({"kind":"Pod","spec":{"nodeName":"n"}})").empty());
  CHECK(unknown_of("Pod", R"({"kind":"Pod","spec":{"priorityClassName":"p"}})").empty());
  CHECK(unknown_of("Pod", R"({"kind":7})").empty());
}

TEST_CASE("a default may take a field away, and stands beside what is there") {
  const Json reply(json::review(
      review_of("", "Pod",
                R"({"kind":"Pod","spec":{"priority":5,"nodeSelector":{"b":"c"},"x":1}})"),
      engine_of(R"({"system":"SchedulingPolicy"})",
                R"({"kind":"SchedulingPolicy","metadata":{"name":"a"},"spec":{)"
                R"("allowed":{"nodeSelectors":{}},"default":{"schedulerName":"batch",)"
                R"("priorityClassName":"gold","nodeSelector":{"a/b.c":"d"}}}})")));
  CHECK(decoded(reply.string_at("/response/patch")) ==
        R"([{"op":"add","path":"/spec/schedulerName","value":"batch"},)"
        R"({"op":"add","path":"/spec/priorityClassName","value":"gold"},)"
        R"({"op":"remove","path":"/spec/priority"},)"
        R"({"op":"add","path":"/spec/nodeSelector/a~1b.c","value":"d"}])");
}

TEST_CASE("an annotation is added to those that the pod has") {
  const Json reply(json::review(
      review_of("", "Pod", R"({"kind":"Pod","metadata":{"annotations":{"a/b":"c"}},"spec":{}})"),
      engine_of(R"({"system":"MetadataPolicy"})",
                R"({"kind":"MetadataPolicy","metadata":{"name":"m","namespace":"n"},"spec":{)"
                R"("rules":[{"policyPredicate":{"annotationSelector":{"matchLabels":{"a/b":"c"}}},)"
                R"("policyAction":{"updatedAnnotations":{"d/e":"f"}}}]}})")));
  CHECK(decoded(reply.string_at("/response/patch")) ==
        R"([{"op":"add","path":"/metadata/annotations/d~1e","value":"f"}])");
}

TEST_CASE("nothing to change: there is no patch") {
  const Json reply(json::review(
      review_of("", "Pod",
                R"({"kind":"Pod","spec":{"schedulerName":"batch","nodeSelector":{"a/b.c":"d"}}})"),
      batch_engine()));
  CHECK(reply.at("/response") == R"({"uid":"u-1","allowed":true})");
}

TEST_CASE("every kind with a pod template is patched where its template stands") {
  struct Case {
    const char* group;
    const char* kind;
    const char* template_;
  };
  constexpr Case cases[] = {
      {"", "PodTemplate", "/template"},
      {"", "ReplicationController", "/spec/template"},
      {"apps", "ReplicaSet", "/spec/template"},
      {"apps", "Deployment", "/spec/template"},
      {"extensions", "Deployment", "/spec/template"},
      {"apps", "StatefulSet", "/spec/template"},
      {"apps", "DaemonSet", "/spec/template"},
      {"batch", "Job", "/spec/template"},
      {"batch", "CronJob", "/spec/jobTemplate/spec/template"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.kind);
    std::string object = R"("template":{"spec":{"x":1}}})";
    const std::string kind = std::string(R"({"kind":")") + c.kind + "\",";
    if (std::string_view(c.template_) == "/template") {
      object = kind + object;
    } else if (std::string_view(c.template_) == "/spec/template") {
      object = kind + R"("spec":{)" + object + "}";
    } else {
      object = kind + R"("spec":{"jobTemplate":{"spec":{)" + object + "}}}";
    }
    const Json reply(json::review(review_of(c.group, c.kind, object), batch_engine()));
    CHECK(decoded(reply.string_at("/response/patch"))
              .find(std::string(R"({"op":"add","path":")") + c.template_ +
                    R"(/spec/schedulerName","value":"batch"})") != std::string::npos);
  }
}

TEST_CASE("a denial names policy and field of all that is wrong, and changes nothing") {
  const auto reviewed = json::try_review(
      review_of("apps", "Deployment",
                R"({"kind":"Deployment","spec":{"template":{"spec":{"schedulerName":"fast",)"
                R"("tolerations":[{"key":"gpu","operator":"Exists"}]}}}})"),
      batch_engine(), Phase::mutating, engine::InsightAdviser());
  CHECK(reviewed.outcome == Outcome::denied);
  CHECK(reviewed.errors.empty());
  REQUIRE(reviewed.steps.size() == 1);
  CHECK(reviewed.steps[0].step.system == schedpol::engine::System::scheduling_policy);
  CHECK(reviewed.steps[0].violations.size() == 2);
  const Json reply(reviewed.response);
  CHECK(reply.at("/response/allowed") == "false");
  CHECK(reply.at("/response/patch") == "absent");
  CHECK(reply.at("/response/status/code") == "403");
  CHECK(reply.string_at("/response/status/reason") == "Forbidden");
  CHECK(reply.string_at("/response/status/message") ==
        "SchedulingPolicy: `spec.template.spec.schedulerName`: scheduler `fast` is not allowed by "
        "`batch` (permitted: `batch`); `spec.template.spec.tolerations[0]`: toleration `gpu "
        "Exists` is not allowed by `batch` (permitted: "
        "`{keys: [spot], operators: [], effects: []}`); it would be allowed with "
        "`spec.template.spec.schedulerName` cleared and `spec.template.spec.tolerations[0]` "
        "cleared");
  CHECK(reply.at("/response/status/details/causes/1") ==
        R"({"reason":"TolerationNotAllowed","field":"spec.template.spec.tolerations[0]"})");
  CHECK(reply.string_at("/response/auditAnnotations/scheduling-policy-denied") ==
        "`spec.template.spec.schedulerName`: SchedulerNameNotAllowed by `batch`; "
        "`spec.template.spec.tolerations[0]`: TolerationNotAllowed by `batch`");
  CHECK(reply.at("/response/auditAnnotations/scheduling-policy") == "absent");
}

TEST_CASE("systems that only warn or audit say so where it belongs") {
  const std::string object = R"({"kind":"Pod","spec":{"schedulerName":"fast"}})";
  const Json warned(
      json::review(review_of("", "Pod", object),
                   engine_of(R"({"system":"SchedulingPolicy","mode":"Warn"})", batch_policy)));
  CHECK(warned.at("/response/allowed") == "true");
  CHECK(warned.at("/response/patch") == "absent");
  CHECK(
      warned.at("/response/warnings") ==
      R"x(["SchedulingPolicy would deny: `spec.schedulerName`: scheduler `fast` is not allowed by `batch` (permitted: `batch`)"])x");
  CHECK(warned.string_at("/response/auditAnnotations/scheduling-policy-would-deny") ==
        "`spec.schedulerName`: SchedulerNameNotAllowed by `batch`");
  const Json twice(json::review(review_of("", "Pod",
                                          R"({"kind":"Pod","spec":{"schedulerName":"fast",)"
                                          R"("runtimeClassName":"gone"}})"),
                                engine_of(R"({"system":"RuntimeClass","mode":"Warn"},)"
                                          R"({"system":"SchedulingPolicy","mode":"Warn"})",
                                          batch_policy)));
  CHECK(twice.string_at("/response/warnings/0").starts_with("RuntimeClass would deny: "));
  CHECK(twice.string_at("/response/warnings/1").starts_with("SchedulingPolicy would deny: "));
  const Json audited(
      json::review(review_of("", "Pod", object),
                   engine_of(R"({"system":"SchedulingPolicy","mode":"Audit"})", batch_policy)));
  CHECK(audited.at("/response/allowed") == "true");
  CHECK(audited.at("/response/warnings") == "absent");
  CHECK(audited.string_at("/response/auditAnnotations/scheduling-policy-would-deny") ==
        "`spec.schedulerName`: scheduler `fast` is not allowed by `batch` (permitted: `batch`)");
  const Json unchanged(
      json::review(review_of("", "Pod", R"({"kind":"Pod","spec":{}})"),
                   engine_of(R"({"system":"SchedulingPolicy","mode":"Audit"})", batch_policy)));
  CHECK(unchanged.at("/response/patch") == "absent");
  CHECK(
      unchanged.at("/response/auditAnnotations") ==
      R"({"scheduling-policy-would-change":"batch: spec.schedulerName, spec.nodeSelector[a/b.c]"})");
}

TEST_CASE("each policy is named with what it changed") {
  const Json reply(json::review(
      review_of("", "Pod", R"({"kind":"Pod","metadata":{"labels":{"app":"x"}},"spec":{}})"),
      engine_of(R"({"system":"MetadataPolicy"},{"system":"PodSchedulingPolicy"})",
                R"({"kind":"PodSchedulingPolicy","metadata":{"name":"a","namespace":"n"},)"
                R"("spec":{"podSelector":{},"nodeName":"node-1","nodeSelector":{"k":"v"}}},)"
                R"({"kind":"PodSchedulingPolicy","metadata":{"name":"b","namespace":"n"},)"
                R"("spec":{"podSelector":{},"schedulerName":"s"}})")));
  CHECK(
      reply.at("/response/auditAnnotations") ==
      R"({"pod-scheduling-policy":"a: spec.nodeName, spec.nodeSelector[k]; b: spec.schedulerName"})");
}

TEST_CASE("a RuntimeClass is told of under its own key") {
  const Json reply(json::review(
      review_of("", "Pod", R"({"kind":"Pod","spec":{"runtimeClassName":"kata"}})"),
      engine_of(R"({"system":"RuntimeClass"},{"system":"ResourcePolicy","mode":"Audit"})",
                R"({"kind":"RuntimeClass","metadata":{"name":"kata"},"handler":"kata",)"
                R"("overhead":{"podFixed":{"cpu":"1"}}},)"
                R"({"kind":"ResourcePolicy","metadata":{"name":"a","namespace":"n"}},)"
                R"({"kind":"ResourcePolicy","metadata":{"name":"b","namespace":"n"}})")));
  CHECK(reply.at("/response/auditAnnotations") ==
        R"({"resource-policy-would-deny":"`metadata.labels`: selected by `a` and `b`, and only )"
        R"(one resource policy may place a pod","runtime-class":"kata: spec.overhead"})");
}

TEST_CASE("where it is denied, nobody has changed anything but those who only would have") {
  const auto annotations = [](std::string_view mode) {
    return Json(
               json::review(review_of("", "Pod", R"({"kind":"Pod","spec":{"nodeName":"x"}})"),
                            engine_of(R"({"system":"PodSchedulingPolicy","mode":")" +
                                          std::string(mode) + R"("},{"system":"SchedulingPolicy"})",
                                      std::string(batch_policy) +
                                          R"(,{"kind":"PodSchedulingPolicy",)"
                                          R"("metadata":{"name":"a","namespace":"n"},)"
                                          R"("spec":{"podSelector":{},"schedulerName":"batch"}})")))
        .at("/response/auditAnnotations");
  };
  const std::string denied =
      R"("scheduling-policy-denied":"`spec.nodeName`: NodeNameNotAllowed by `batch`"})";
  CHECK(annotations("Enforce") == "{" + denied);
  CHECK(annotations("Audit") ==
        R"({"pod-scheduling-policy-would-change":"a: spec.schedulerName",)" + denied);
}

TEST_CASE("of many reasons a hundred are told, wherever they are told") {
  const auto reviewed = [](std::string_view mode, int count = 150) {
    std::string tolerations;
    for (int i = 0; i < count; ++i) {
      tolerations += std::string(tolerations.empty() ? "" : ",") + R"({"key":"k)" +
                     std::to_string(i) + R"(","operator":"Exists"})";
    }
    return json::review(
        review_of("", "Pod", R"({"kind":"Pod","spec":{"tolerations":[)" + tolerations + "]}}"),
        engine_of(R"({"system":"SchedulingPolicy","mode":")" + std::string(mode) + R"("})",
                  batch_policy));
  };
  const auto count = [](std::string_view text, std::string_view what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string_view::npos;
         at = text.find(what, at + what.size()))
      ++found;
    return found;
  };
  const Json denied(reviewed("Enforce"));
  CHECK(denied.at("/response/status/details/causes/99/field") == R"("spec.tolerations[99]")");
  CHECK(denied.at("/response/status/details/causes/100") == "absent");
  CHECK(count(denied.string_at("/response/status/message"), "is not allowed by") == 100);
  CHECK(denied.string_at("/response/status/message").ends_with("; and 50 more"));
  const auto annotation = denied.string_at("/response/auditAnnotations/scheduling-policy-denied");
  CHECK(count(annotation, "TolerationNotAllowed by `batch`") == 100);
  CHECK(annotation.ends_with("; and 50 more"));
  const Json warned(reviewed("Warn"));
  CHECK(warned.at("/response/warnings/99") != "absent");
  CHECK(warned.at("/response/warnings/100") == "absent");
  CHECK(count(warned.string_at("/response/auditAnnotations/scheduling-policy-would-deny"),
              "TolerationNotAllowed by `batch`") == 100);
  // What is only audited warns nobody.
  CHECK(Json(reviewed("Audit")).at("/response/warnings") == "absent");
  // A hundred are all of them.
  const std::string whole = reviewed("Enforce", 100);
  CHECK(count(whole, "TolerationNotAllowed by `batch`") == 100);
  CHECK(count(whole, " more\"") == 0);
}

TEST_CASE("who asks is the user of the request") {
  const auto reviewed = [](std::string_view object, std::string_view user_info) {
    return json::try_review(
               review_of("", "Pod", object, "CREATE", R"(,"userInfo":)" + std::string(user_info)),
               batch_engine())
        .outcome;
  };
  constexpr std::string_view daemon_pod =
      R"({"kind":"Pod","spec":{"affinity":{"nodeAffinity":{)"
      R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[{"matchFields":[)"
      R"({"key":"metadata.name","operator":"In","values":["node-1"]}]}]}}}}})";
  CHECK(
      reviewed(
          daemon_pod,
          R"({"username":"system:serviceaccount:kube-system:daemon-set-controller","extra":{}})") ==
      Outcome::allowed);
  CHECK(reviewed(daemon_pod, R"({"username":"admin"})") == Outcome::denied);
  CHECK(reviewed(daemon_pod, "null") == Outcome::denied);
  constexpr std::string_view mirror =
      R"({"kind":"Pod","metadata":{"annotations":{"kubernetes.io/config.mirror":"x"}},)"
      R"("spec":{"nodeName":"node-1"}})";
  CHECK(reviewed(mirror, R"({"username":"system:node:a","groups":["system:nodes"]})") ==
        Outcome::allowed);
  CHECK(reviewed(mirror, R"({"username":"admin","groups":["system:masters"]})") == Outcome::denied);
  CHECK(reviewed(R"({"kind":"Pod","spec":{"nodeName":"node-1"}})",
                 R"({"username":"system:node:a","groups":["system:nodes"]})") == Outcome::denied);
  CHECK(reviewed(mirror, R"({"username":7})") == Outcome::malformed);
}

TEST_CASE("who writes a workload is warned of a label that its selector needs otherwise") {
  const Engine engine = engine_of(
      R"({"system":"MetadataPolicy"})",
      R"({"kind":"MetadataPolicy","metadata":{"name":"relabel","namespace":"n"},"spec":{"rules":[)"
      R"({"policyAction":{"updatedLabels":{"app":"db"}}}]}})");
  const Json reply(json::review(
      review_of("apps", "Deployment",
                R"({"kind":"Deployment","spec":{"selector":{"matchLabels":{"app":"web"}},)"
                R"("template":{"metadata":{"labels":{"app":"web"}}}}})"),
      engine));
  CHECK(reply.at("/response/allowed") == "true");
  CHECK(reply.at("/response/warnings") ==
        R"(["`spec.template.metadata.labels[app]` of `relabel`: the selector of the Deployment )"
        R"(needs `{app=web}` and does not select `db`, so the API server refuses it"])");
  CHECK(decoded(reply.string_at("/response/patch")).find("selector") == std::string::npos);
}

TEST_CASE("a dry run is answered like any other request") {
  constexpr std::string_view pod = R"({"kind":"Pod","spec":{}})";
  CHECK(json::review(review_of("", "Pod", pod, "CREATE", R"(,"dryRun":true)"), batch_engine()) ==
        json::review(review_of("", "Pod", pod), batch_engine()));
}

TEST_CASE("a validating webhook judges what there is, without a patch") {
  const auto judged = [](std::string_view object) {
    return Json(json::review(review_of("", "Pod", object), batch_engine(), Phase::validating))
        .at("/response/allowed");
  };
  CHECK(judged(R"({"kind":"Pod","spec":{}})") == "false");
  const std::string reply =
      json::review(review_of("", "Pod", R"({"kind":"Pod","spec":{"schedulerName":"batch"}})"),
                   batch_engine(), Phase::validating);
  CHECK(Json(reply).at("/response") == R"({"uid":"u-1","allowed":true})");
}

TEST_CASE("what scheduling policies do not decide on passes, whatever it holds") {
  struct Case {
    const char* what;
    std::string review;
  };
  const std::string denied = R"({"kind":"Pod","spec":{"schedulerName":"fast"}})";
  const Case cases[] = {
      {"another kind", review_of("", "ConfigMap", R"({"kind":"ConfigMap"})")},
      {"a kind of the same name in another group", review_of("example.com", "Deployment", "{}")},
      {"a pod of another group", review_of("metrics.k8s.io", "Pod", "{}")},
      {"a deletion", review_of("", "Pod", "null", "DELETE", ",\"oldObject\":" + denied)},
      {"a connection", review_of("", "Pod", "{}", "CONNECT")},
      {"a subresource", review_of("", "Pod", denied, "UPDATE", R"(,"subResource":"status")")},
      {"a scale", review_of("autoscaling", "Scale", "{}", "UPDATE", R"(,"subResource":"scale")")},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const auto reviewed = json::try_review(c.review, batch_engine());
    CHECK(reviewed.outcome == Outcome::passed);
    CHECK(Json(reviewed.response).at("/response") == R"({"uid":"u-1","allowed":true})");
  }
}

TEST_CASE("the namespace of a workload's pods is that of the request, whatever the template says") {
  const Engine engine =
      engine_of(R"({"system":"PodSchedulingPolicy"})",
                R"({"kind":"PodSchedulingPolicy","metadata":{"name":"a","namespace":"m"},)"
                R"("spec":{"podSelector":{},"nodeName":"of-m"}},)"
                R"({"kind":"PodSchedulingPolicy","metadata":{"name":"b","namespace":"n"},)"
                R"("spec":{"podSelector":{},"nodeName":"of-n"}})");
  const Json reply(json::review(
      review_of("batch", "Job",
                R"({"kind":"Job","spec":{"template":{"metadata":{"namespace":"m"},"spec":{}}}})"),
      engine));
  CHECK(decoded(reply.string_at("/response/patch")) ==
        R"([{"op":"add","path":"/spec/template/spec/nodeName","value":"of-n"}])");
}

TEST_CASE("a template keeps its namespace where the request has none") {
  const Engine engine =
      engine_of(R"({"system":"PodSchedulingPolicy"})",
                R"({"kind":"PodSchedulingPolicy","metadata":{"name":"a","namespace":"m"},)"
                R"("spec":{"podSelector":{},"nodeName":"of-m"}})");
  std::string review =
      review_of("batch", "Job",
                R"({"kind":"Job","spec":{"template":{"metadata":{"namespace":"m"},"spec":{}}}})");
  review.replace(review.find(R"("namespace":"n",)"), 16, "");
  const auto reviewed = json::try_review(review, engine);
  CHECK(reviewed.outcome == Outcome::allowed);
  CHECK(decoded(Json(reviewed.response).string_at("/response/patch")) ==
        R"([{"op":"add","path":"/spec/template/spec/nodeName","value":"of-m"}])");
}

TEST_CASE("a denial ends with the nearest fix where it is short, and is a fix") {
  using scheduling_policy::SchedulingPolicy;
  engine::Configuration configuration;
  configuration.systems = {{engine::System::pod_scheduling_policy},
                           {engine::System::scheduling_policy}};
  configuration.settings.policy_use = engine::PolicyUse::every;
  SchedulingPolicy policy{.metadata = {.name = "p"}};
  policy.spec.allowed = {.scheduler_names = {"default-scheduler"},
                         .priority_class_names = {"batch"},
                         .tolerations = {{.keys = {"spot"}, .operators = any, .effects = any}}};
  policy.spec.required.node_selectors.list()["arch"] = {"amd64"};
  configuration.objects.scheduling_policies = {policy};
  const auto engine_of = [](const engine::Configuration& of) { return *compile(of); };
  engine::Configuration injecting = configuration;
  injecting.objects.pod_scheduling_policies = {
      {.metadata = {.name = "i", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{}, .scheduler_name = "other"}}};
  engine::Configuration large = configuration;
  for (int i = 0; i < 4'000; ++i)
    large.objects.scheduling_policies[0].spec.allowed.scheduler_names.list().push_back(
        "s-" + std::to_string(i));
  engine::Configuration no_policy = configuration;
  no_policy.objects.scheduling_policies.clear();
  const auto tolerating = [](int count) {
    std::string spec = R"("nodeSelector":{"arch":"amd64"},"tolerations":[)";
    for (int i = 0; i < count; ++i)
      spec += std::string(i == 0 ? "" : ",") + R"({"key":"k)" + std::to_string(i) + R"("})";
    return spec + "]";
  };
  const struct {
    const char* name;
    Engine engine;
    std::string spec;
    const char* ends_with;  ///< nothing: no fix is told
  } cases[] = {
      {"a name and a key", engine_of(configuration), R"("schedulerName":"volcano")",
       "; it would be allowed with `spec.schedulerName` cleared and `spec.nodeSelector[arch]` set "
       "to `amd64`"},
      {"one value", engine_of(configuration), R"("nodeSelector":{"arch":"arm64"})",
       "; it would be allowed with `spec.nodeSelector[arch]` changed from `arm64` to `amd64`"},
      {"as much as a person reads", engine_of(configuration), tolerating(max_shown_names),
       "`spec.tolerations[3]` cleared and `spec.tolerations[4]` cleared"},
      {"more than a person reads", engine_of(configuration), tolerating(max_shown_names + 1), ""},
      {"what another system injects", engine_of(injecting), R"("nodeSelector":{"arch":"amd64"})",
       ""},
      {"policies of more entries than are looked at", engine_of(large),
       R"("schedulerName":"volcano")", ""},
      {"no policy permits anything", engine_of(no_policy), R"("schedulerName":"volcano")", ""},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const Json reply(json::review(
        review_of("", "Pod",
                  R"({"kind":"Pod","metadata":{"namespace":"n"},"spec":{)" + c.spec + "}}"),
        c.engine, Phase::mutating, engine::InsightAdviser()));
    CHECK(reply.at("/response/allowed") == "false");
    const std::string text = reply.string_at("/response/status/message");
    CAPTURE(text);
    CHECK((text.find("; it would be allowed with ") == std::string::npos) == (c.ends_with[0] == 0));
    CHECK(text.ends_with(c.ends_with));
  }
  CHECK(Json(json::review(review_of("", "Pod",
                                    R"({"kind":"Pod","metadata":{"namespace":"n"},)"
                                    R"("spec":{"nodeSelector":{"arch":"arm64"}}})"),
                          cases[1].engine, Phase::validating, engine::InsightAdviser()))
            .string_at("/response/status/message")
            .ends_with("`spec.nodeSelector[arch]` changed from `arm64` to `amd64`"));
}

TEST_CASE("an engine of nothing denies pods and says why") {
  const Json reply(json::review(review_of("", "Pod", R"({"kind":"Pod"})"), Engine()));
  CHECK(reply.at("/response/allowed") == "false");
  CHECK(reply.string_at("/response/status/message") ==
        "no policies are configured, so nothing is allowed");
}

// A review is nearly all strings, so its allocations tell what it costs on any machine. The bounds
// are what it takes today and a few to spare for another standard library.

TEST_CASE("a review that injects three policies allocates no more than this") {
  const std::string list = input("w2-policies.json");
  engine::Configuration configuration;
  configuration.systems = {{engine::System::pod_scheduling_policy}};
  const Json inputs(list);
  for (const char* policy : {"/policies/0", "/policies/1", "/policies/2"})
    REQUIRE(json::add_objects(configuration, inputs.at(policy)).empty());
  REQUIRE(json::add_objects(configuration, inputs.at("/namespace")).empty());
  json::Document document;
  const auto engine = compile(configuration);
  REQUIRE(engine);
  const std::string bytes = input("w2-admission-review.json");
  const testing::CountAllocations first;
  const auto reviewed = json::try_review(bytes, *engine);
  CHECK(first.count() <= 114);
  CHECK(reviewed.outcome == json::Outcome::allowed);
  CHECK(reviewed.response.find("JSONPatch") != std::string::npos);
  // The memory of a document is used again, whatever was in it.
  static_cast<void>(json::try_review(bytes, *engine, Phase::mutating, document));
  const testing::CountAllocations again;
  const auto same = json::try_review(bytes, *engine, Phase::mutating, document);
  CHECK(again.count() <= 108);
  CHECK(same.response == reviewed.response);
  const auto other = json::try_review("{}", *engine, Phase::mutating, document);
  CHECK(other.response == json::review("{}", *engine));
}

TEST_CASE("where memory runs out there is no answer: it is no document that is too large") {
  const engine::InsightAdviser adviser;
  const Engine engine = batch_engine();
  const std::string pods[] = {
      R"({"spec":{"tolerations":[{"key":"spot","operator":"Exists","effect":"NoSchedule"}]}})",
      R"({"spec":{"tolerations":[{"key":"a key longer than strings keep by themselves"}]}})"};
  for (const std::string& pod : pods) {
    const std::string bytes = review_of("", "Pod", pod);
    const std::string wanted = json::try_review(bytes, engine, Phase::mutating, adviser).response;
    std::size_t nth = 0;
    std::string answer;
    while (answer.empty()) {
      testing::CountAllocations counted;
      if (!counted.fail(++nth)) return;
      try {
        answer = json::try_review(bytes, engine, Phase::mutating, adviser).response;
      } catch (const std::bad_alloc&) {
      }
    }
    CHECK(answer == wanted);
    CHECK(nth > 10);
  }
}

TEST_CASE("a pod spec is decoded with no more allocations than it has long texts and lists") {
  const std::string bytes = input("w1-pod-spec-allow.json");
  const testing::CountAllocations counter;
  const auto spec = json::decode<PodSpec>(bytes);
  const std::size_t allocations = counter.count();
  REQUIRE(spec);
  CHECK(spec->tolerations.size() == 3);
  CHECK(allocations <= 28);
}

TEST_CASE("what a policy leaves out, and what no node can meet, are warnings") {
  const Engine engine = engine_of(
      R"({"system":"PodSchedulingPolicy"},{"system":"SchedulingPolicy"})",
      R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"pool"},"spec":{"podSelector":{},)"
      R"("namespaceSelector":{},"schedulerName":"batch","affinity":{"nodeAffinity":)"
      R"({"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)"
      R"([{"matchExpressions":[{"key":"disk","operator":"In","values":["hdd"]}]}]}}}}},)"
      R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n"}},)"
      R"({"kind":"SchedulingPolicy","metadata":{"name":"everyone"},"spec":{)"
      R"("allowed":{"schedulerNames":[]},"default":{"nodeSelector":{"disk":"ssd"}}}})");
  const Json reply(json::review(
      review_of("", "Pod", R"({"kind":"Pod","metadata":{},"spec":{"schedulerName":"own"}})"),
      engine));
  CHECK(reply.at("/response/allowed") == "true");
  CHECK(reply.string_at("/response/warnings/0") ==
        "`spec.schedulerName` of `pool`: the pod has `own`, the policy `batch`");
  CHECK(reply.string_at("/response/warnings/1") ==
        "`spec.nodeSelector[disk]` of `everyone`: no node meets the pod's `disk In [hdd]` and the "
        "policy's `disk In [ssd]`");
}

TEST_CASE("of what policies leave out a hundred are told, and where it is denied none") {
  std::string policies = R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n"}})";
  for (int i = 0; i < 150; ++i) {
    policies += R"(,{"kind":"PodSchedulingPolicy","metadata":{"name":"p)" + std::to_string(i) +
                R"(","namespace":"n"},"spec":{"podSelector":{},"schedulerName":"batch"}})";
  }
  const auto warnings = [&](std::string_view systems) {
    return Json(json::review(
                    review_of("", "Pod", R"({"kind":"Pod","spec":{"schedulerName":"own"}})"),
                    engine_of(systems, policies)))
        .at("/response/warnings");
  };
  const Json told(R"({"warnings":)" + warnings(R"({"system":"PodSchedulingPolicy"})") + "}");
  CHECK(told.string_at("/warnings/1") ==
        "`spec.schedulerName` of `p1`: the pod has `own`, the policy `batch`");
  CHECK(told.at("/warnings/99") != "absent");
  CHECK(told.at("/warnings/100") == "absent");
  CHECK(warnings(R"({"system":"PodSchedulingPolicy"},{"system":"SchedulingPolicy"})") == "absent");
}

}  // namespace review_test
