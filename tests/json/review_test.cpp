// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/review.hpp>

#include "../support/count_allocations.hpp"
#include "../support/json.hpp"
#include "../support/print.hpp"

#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/decode.hpp>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace review_test {

using namespace schedpol;
using engine::Engine;
using engine::Phase;
using json::Outcome;
using testing::Json;

Engine engine_of(std::string_view systems, std::string_view objects) {
  engine::Configuration configuration;
  const std::string settings = R"({"kind":"EngineConfiguration","policyUse":"Every","systems":[)" +
                               std::string(systems) + "]}";
  REQUIRE(json::add_objects(configuration, settings).empty());
  const std::string list = R"({"kind":"List","items":[)" + std::string(objects) + "]}";
  const auto errors = json::add_objects(configuration, list);
  for (const FieldError& error : errors) MESSAGE(message(error));
  REQUIRE(errors.empty());
  const auto engine = compile(configuration);
  for (const FieldError& error : engine.errors()) MESSAGE(message(error));
  REQUIRE(engine);
  return *engine;
}

constexpr std::string_view batch_policy =
    R"({"kind":"SchedulingPolicy","metadata":{"name":"batch"},"spec":{)"
    R"("allowed":{"tolerations":[{"keys":["spot"],"operators":[],"effects":[]}]},)"
    R"("default":{"schedulerName":"batch","nodeSelector":{"a/b.c":"d"}}}})";

Engine batch_engine() {
  return engine_of(R"({"system":"SchedulingPolicy"})", batch_policy);
}

// A review of `object`; `more` are further members of the request, each with a comma in front.
std::string review_of(std::string_view group, std::string_view kind, std::string_view object,
                      std::string_view operation = "CREATE", std::string_view more = "") {
  std::string text =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u-1",)";
  text.append(R"("kind":{"group":")")
      .append(group)
      .append(R"(","version":"v1","kind":")")
      .append(kind);
  text.append(R"("},"namespace":"n","operation":")").append(operation).append(R"(")").append(more);
  return text.append(R"(,"object":)").append(object).append("}}");
}

std::string decoded(std::string_view base64) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  std::size_t bits = 0;
  std::uint32_t value = 0;
  for (const char c : base64) {
    if (c == '=') break;
    value = value << 6U | static_cast<std::uint32_t>(digits.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    text += static_cast<char>(value >> bits & 255U);
  }
  return text;
}

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

TEST_CASE("an object that is not of the kind of its request is denied, whatever that is") {
  const Engine engine = engine_of(
      R"({"system":"SchedulingPolicy"},{"system":"MetadataPolicy"})",
      R"({"kind":"SchedulingPolicy","metadata":{"name":"any"},"spec":{"allowed":{"schedulerNames":[]}}})");
  const std::string_view pod = R"({"apiVersion":"v1","kind":"Pod","spec":{"nodeName":"n"}})";
  const std::string_view deployment =
      R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"},"spec":{}})";
  const std::string_view policy =
      R"({"apiVersion":"schedpol.io/v1alpha1","kind":"SchedulingPolicy","metadata":{"name":"p"},)"
      R"("spec":{}})";
  const auto old = [](std::string_view object) {
    return std::string(R"(,"oldObject":)").append(object);
  };
  constexpr std::string_view other_kind = "request.object.kind";
  constexpr std::string_view other_group = "request.object.apiVersion";
  struct Case {
    std::string review;
    std::string_view field;  // empty where it is no contradiction
  };
  const Case cases[] = {
      {review_of("", "Pod", pod), ""},
      {review_of("", "Pod", R"({"metadata":{"name":"p"}})"), ""},
      {review_of("", "ConfigMap", pod), other_kind},
      {review_of("example.com", "Widget", pod), other_kind},
      {review_of("apps", "Deployment", pod), other_kind},
      {review_of("", "Pod", deployment), other_kind},
      {review_of("schedpol.io", "SchedulingPolicy", pod), other_kind},
      {review_of("schedpol.io", "SchedulingPolicy", policy), ""},
      {review_of("", "Pod", policy), other_kind},
      {review_of("apps", "Deployment", deployment), ""},
      {review_of("example.com", "Deployment", deployment), other_group},
      {review_of("", "SchedulingPolicy", policy), other_group},
      {review_of("", "Pod", pod, "UPDATE", old(pod)), ""},
      {review_of("", "Pod", pod, "UPDATE", old(deployment)), "request.oldObject.kind"},
      {review_of(
           "apps", "Deployment", deployment, "CREATE",
           R"(,"requestKind":{"group":"extensions","version":"v1beta1","kind":"Deployment"})"),
       ""},
      {review_of("", "ConfigMap", pod, "DELETE"), ""},
      {review_of("policy", "Eviction", pod, "CREATE", R"(,"subResource":"eviction")"), ""},
  };
  for (const auto& [review, field] : cases) {
    CAPTURE(review);
    const json::ReviewResult reviewed = json::try_review(review, engine);
    CHECK((reviewed.outcome == Outcome::malformed) == !field.empty());
    if (field.empty()) continue;
    REQUIRE(!reviewed.errors.empty());
    CHECK(to_string(reviewed.errors[0].field) == field);
    CHECK(Json(reviewed.response).at("/response/status/code") == "400");
  }
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

TEST_CASE("an update is decided on for what it adds, and gets no patch") {
  const auto update = [](std::string_view old, std::string_view updated) {
    return json::review(
        review_of("", "Pod", updated, "UPDATE", ",\"oldObject\":" + std::string(old)),
        batch_engine());
  };
  constexpr std::string_view fast = R"({"kind":"Pod","spec":{"schedulerName":"fast"}})";
  constexpr std::string_view batch = R"({"kind":"Pod","spec":{"schedulerName":"batch"}})";
  CHECK(Json(update(fast, fast)).at("/response") == R"({"uid":"u-1","allowed":true})");
  CHECK(Json(update(batch, fast)).at("/response/allowed") == "false");
  CHECK(
      Json(
          update(
              batch,
              R"({"kind":"Pod","metadata":{"labels":{"a":"b"}},"spec":{"schedulerName":"batch"}})"))
          .at("/response") == R"({"uid":"u-1","allowed":true})");
}

// ---- Updates of workloads, and who asks.

// A workload of `kind` whose pod template, and whose own metadata, are these.
std::string workload(std::string_view kind, std::string_view template_,
                     std::string_view metadata = "{}") {
  std::string text = R"({"kind":")" + std::string(kind) + R"(","metadata":)";
  text.append(metadata).append(",");
  if (kind == "PodTemplate") return text.append(R"("template":)").append(template_).append("}");
  if (kind != "CronJob")
    return text.append(R"("spec":{"replicas":1,"template":)").append(template_).append("}}");
  return text.append(R"("spec":{"jobTemplate":{"spec":{"template":)")
      .append(template_)
      .append("}}}}");
}

struct Workload {
  std::string_view group;
  std::string_view kind;
};
constexpr Workload workloads[] = {{"", "PodTemplate"},     {"", "ReplicationController"},
                                  {"apps", "ReplicaSet"},  {"apps", "Deployment"},
                                  {"apps", "StatefulSet"}, {"apps", "DaemonSet"},
                                  {"batch", "Job"},        {"batch", "CronJob"}};

json::ReviewResult update_of(const Workload& of, std::string_view old, std::string_view updated,
                             Phase phase = Phase::mutating) {
  return json::try_review(
      review_of(of.group, of.kind, updated, "UPDATE", ",\"oldObject\":" + std::string(old)),
      batch_engine(), phase);
}

std::string patch_of(const json::ReviewResult& reviewed) {
  const Json reply(reviewed.response);
  REQUIRE(reply.valid());
  return reply.at("/response/patch") == "absent" ? "" : decoded(reply.string_at("/response/patch"));
}

TEST_CASE("an update of a workload that leaves its template alone passes, whatever is in it") {
  constexpr std::string_view denied =
      R"({"metadata":{"creationTimestamp":null},"spec":{"schedulerName":"fast","tolerations":7}})";
  constexpr std::string_view reordered =
      R"({"spec":{"tolerations":7,"schedulerName":"fast"},"metadata":{"creationTimestamp":null}})";
  for (const Workload& of : workloads) {
    CAPTURE(of.kind);
    std::string old = workload(of.kind, denied);
    // What stands around the template may change.
    if (const std::size_t at = old.find("\"replicas\":1"); at != std::string::npos)
      old.replace(at, 12, "\"replicas\":2");
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      const auto reviewed =
          update_of(of, old, workload(of.kind, reordered, R"({"labels":{"a":"b"}})"), phase);
      CHECK(reviewed.outcome == Outcome::passed);
      CHECK(Json(reviewed.response).at("/response") == R"({"uid":"u-1","allowed":true})");
    }
  }
}

TEST_CASE("a template is the old one where both documents say the same of it") {
  struct Case {
    std::string_view old;
    std::string_view updated;
    bool is_same;
  };
  const Case cases[] = {
      {R"({"spec":{"a":1,"b":"x"}})", R"({ "spec": {"b":"\u0078","a":1} })", true},
      {R"({"spec":{"a":null}})", R"({"spec":{"a":null}})", true},
      {R"({"spec":{"a":null}})", R"({"spec":{}})", false},
      {R"({"spec":{"a":{}}})", R"({"spec":{"a":{"b":null}}})", false},
      {R"({"spec":{"a":-0.0}})", R"({"spec":{"a":0.0}})", true},
      {R"({"spec":{"a":[]}})", R"({"spec":{}})", false},
      {R"({"spec":{"a":[]}})", R"({"spec":{"a":{}}})", false},
      {R"({"spec":{"a":"1"}})", R"({"spec":{"a":1}})", false},
      {R"({"spec":{"a":1.5}})", R"({"spec":{"a":1.5}})", true},
      {R"({"spec":{"a":1.5}})", R"({"spec":{"a":2.5}})", false},
      {R"({"spec":{"a":1.5}})", R"({"spec":{"a":0.0}})", false},
      {R"({"spec":{"a":true}})", R"({"spec":{"a":false}})", false},
      {R"({"spec":{"a":"x"}})", R"({"spec":{"b":"x"}})", false},
      {R"({"spec":{"a":"x"}})", R"({"spec":{"a":"x","b":"x"}})", false},
      {R"({"spec":{"a":"x","b":"x"}})", R"({"spec":{"a":"x","b":"y"}})", false},
      {R"({"spec":{"a":[1,2,3]}})", R"({"spec":{"a":[1,2,3]}})", true},
      {R"({"spec":{"a":[true,false,null]}})", R"({"spec":{"a":[true,false,null]}})", true},
      {R"({"spec":{"a":[1,2,3]}})", R"({"spec":{"a":[1,2,4]}})", false},
      {R"({"spec":{"a":[1,2,3]}})", R"({"spec":{"a":[1,3,2]}})", false},
      {R"({"spec":{"a":[1,2,3]}})", R"({"spec":{"a":[1,2]}})", false},
      {R"({"spec":{"a":[1,null]}})", R"({"spec":{"a":[1]}})", false},
  };
  const Workload of{"apps", "Deployment"};
  for (const Case& c : cases) {
    CAPTURE(c.old);
    CAPTURE(c.updated);
    const std::string old = workload(of.kind, c.old);
    const std::string updated = workload(of.kind, c.updated);
    const Outcome outcome = c.is_same ? Outcome::passed : Outcome::allowed;
    CHECK(update_of(of, old, updated).outcome == outcome);
    CHECK(update_of(of, updated, old).outcome == outcome);
  }
  // Where there is none before nor now, the pods are those of an empty one.
  CHECK(patch_of(update_of(of, R"({"kind":"Deployment"})", R"({"kind":"Deployment","x":1})"))
            .find(R"("value":"batch")") != std::string::npos);
  // What is created has no old template, whatever the request says.
  const std::string fast = workload(of.kind, R"({"spec":{"schedulerName":"fast"}})");
  CHECK(json::try_review(review_of(of.group, of.kind, fast, "CREATE", ",\"oldObject\":" + fast),
                         batch_engine())
            .outcome == Outcome::denied);
}

TEST_CASE("an update of a workload with another template is patched like its creation") {
  constexpr std::string_view author =
      R"({"spec":{"tolerations":[{"key":"spot"}],"containers":[{"image":"x:1"}]}})";
  constexpr std::string_view stored =
      R"({"spec":{"schedulerName":"batch","nodeSelector":{"a/b.c":"d"},)"
      R"("tolerations":[{"key":"spot"}],"containers":[{"image":"x:1"}]}})";
  constexpr std::string_view other_image =
      R"({"spec":{"tolerations":[{"key":"spot"}],"containers":[{"image":"x:2"}]}})";
  constexpr std::string_view fast = R"({"spec":{"schedulerName":"fast"}})";
  for (const Workload& of : workloads) {
    CAPTURE(of.kind);
    const auto replaced = update_of(of, workload(of.kind, stored), workload(of.kind, author));
    CHECK(replaced.outcome == Outcome::allowed);
    const std::string patch = patch_of(replaced);
    CHECK(patch == patch_of(json::try_review(
                       review_of(of.group, of.kind, workload(of.kind, author)), batch_engine())));
    CHECK(patch.find(R"("value":"batch")") != std::string::npos);
    // The image alone makes another template, of a workload that is older than the policy.
    CHECK(patch_of(update_of(of, workload(of.kind, author), workload(of.kind, other_image))) ==
          patch);
    // Nothing is patched after all mutators.
    CHECK(patch_of(update_of(of, workload(of.kind, fast), workload(of.kind, other_image),
                             Phase::validating)) == "");
    CHECK(update_of(of, workload(of.kind, stored), workload(of.kind, fast)).outcome ==
          Outcome::denied);
    CHECK(update_of(of, workload(of.kind, fast),
                    workload(of.kind, R"({"spec":{"schedulerName":"fast","x":1}})"))
              .outcome == Outcome::allowed);
    // A template that is new is all added.
    CHECK(update_of(of, "{\"kind\":\"" + std::string(of.kind) + "\"}", workload(of.kind, fast))
              .outcome == Outcome::denied);
  }
}

TEST_CASE("a workload that another workload controls passes unread") {
  const auto owned_by = [](std::string_view owners) {
    return R"({"ownerReferences":)" + std::string(owners) + "}";
  };
  struct Case {
    std::string_view owners;
    bool passes;
  };
  const Case cases[] = {
      {R"([{"kind":"A","name":"a"},{"apiVersion":"apps/v1","kind":"Deployment","controller":true}])",
       true},
      {R"([{"apiVersion":"batch/v1","kind":"CronJob","name":"b","controller":true},{"kind":"A"}])",
       true},
      {R"([{"apiVersion":"apps/v1","kind":"Deployment","name":"a","controller":false}])", false},
      {R"([{"apiVersion":"apps/v1","kind":"Deployment","name":"a","controller":"true"}])", false},
      {R"([{"kind":"A","name":"a"}])", false},
      {"[]", false},
      {"null", false},
  };
  constexpr std::string_view unreadable = R"({"spec":{"tolerations":7}})";
  for (const Workload& of : workloads) {
    for (const Case& c : cases) {
      CAPTURE(of.kind);
      CAPTURE(c.owners);
      const std::string object = workload(of.kind, unreadable, owned_by(c.owners));
      const Outcome outcome = c.passes ? Outcome::passed : Outcome::malformed;
      CHECK(json::try_review(review_of(of.group, of.kind, object), batch_engine()).outcome ==
            outcome);
      CHECK(update_of(of, workload(of.kind, "{}"), object).outcome == outcome);
      // Only the workload itself has owners that count.
      CHECK(json::try_review(
                review_of(of.group, of.kind,
                          workload(of.kind, R"({"spec":{"schedulerName":"fast"},"metadata":)" +
                                                owned_by(c.owners) + "}")),
                batch_engine())
                .outcome != Outcome::passed);
    }
  }
  CHECK(json::try_review(review_of("", "Pod",
                                   R"({"kind":"Pod","spec":{"schedulerName":"fast"},"metadata":)" +
                                       owned_by(cases[0].owners) + "}"),
                         batch_engine())
            .outcome == Outcome::denied);
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

TEST_CASE("a policy that is written is denied for what is wrong with it") {
  struct Case {
    const char* what;
    std::string_view group;
    std::string_view kind;
    std::string_view object;
    const char* field;  ///< of the first error; null: it is allowed
  };
  constexpr Case cases[] = {
      {"a good one", "schedpol.io", "SchedulingPolicy",
       R"({"kind":"SchedulingPolicy","metadata":{"name":"a"},"spec":{}})", nullptr},
      {"what must not be any", "schedpol.io", "SchedulingPolicy",
       R"({"kind":"SchedulingPolicy","metadata":{"name":"a"},"spec":{"required":{"schedulerNames":[]}}})",
       "spec.required.schedulerNames"},
      {"a field that there is not", "schedpol.io", "SchedulingPolicy",
       R"({"kind":"SchedulingPolicy","metadata":{"name":"a"},"spec":{"denied":{}}})",
       "spec.denied"},
      {"of the group of a cluster's own CRD", "policies.example.com", "SchedulingPolicy",
       R"({"kind":"SchedulingPolicy","metadata":{"name":"a"},"spec":{"denied":{}}})",
       "spec.denied"},
      {"a label key that is none", "policies.example.com", "MetadataPolicy",
       R"({"kind":"MetadataPolicy","metadata":{"name":"a","namespace":"n"},"spec":{"rules":[)"
       R"({"policyAction":{"updatedLabels":{"no key!":"x"}}}]}})",
       "spec.rules[0].policyAction.updatedLabels"},
      {"a selector that cannot be used", "kupid.gardener.cloud", "PodSchedulingPolicy",
       R"({"kind":"PodSchedulingPolicy","metadata":{"name":"a","namespace":"n"},)"
       R"("spec":{"podSelector":{"matchExpressions":[{"key":"a","operator":"In"}]}}})",
       "spec.podSelector.matchExpressions[0].values"},
      {"of the cluster kind", "kupid.gardener.cloud", "ClusterPodSchedulingPolicy",
       R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"a"},)"
       R"("spec":{"podSelector":{},"tolerations":[{"key":"a b"}]}})",
       "spec.tolerations[0].key"},
      {"a negative maximum", "scheduling.sigs.x-k8s.io", "ResourcePolicy",
       R"({"kind":"ResourcePolicy","metadata":{"name":"a","namespace":"n"},)"
       R"("spec":{"units":[{"maxCount":-1}]}})",
       "spec.units[0].maxCount"},
      {"no object", "scheduling.sigs.x-k8s.io", "ResourcePolicy", "null", "object"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      for (const bool is_update : {false, true}) {
        const auto reviewed = json::try_review(
            is_update
                ? review_of(c.group, c.kind, c.object, "UPDATE", R"(,"oldObject":{"spec":{"x":1}})")
                : review_of(c.group, c.kind, c.object),
            batch_engine(), phase);
        const Json reply(reviewed.response);
        REQUIRE(reply.valid());
        CHECK(reply.string_at("/response/uid") == "u-1");
        CHECK(reply.at("/response/patch") == "absent");
        if (c.field == nullptr) {
          CHECK(reviewed.outcome == Outcome::allowed);
          continue;
        }
        CHECK(reviewed.outcome == Outcome::denied);
        REQUIRE(!reviewed.errors.empty());
        CHECK(reviewed.errors[0].field == c.field);
        CHECK(reply.at("/response/status/code") == "422");
        CHECK(reply.string_at("/response/status/details/causes/0/field") == c.field);
        CHECK(reply.string_at("/response/status/message").starts_with(c.kind));
      }
    }
    // Its metadata can be changed, whatever is wrong with its spec, once it is there.
    if (c.object == "null") continue;
    const auto beside_itself = [&](std::string_view operation) {
      return json::try_review(review_of(c.group, c.kind, c.object, operation,
                                        ",\"oldObject\":" + std::string(c.object)),
                              batch_engine())
          .outcome;
    };
    CHECK(beside_itself("UPDATE") == Outcome::passed);
    CHECK(beside_itself("CREATE") == (c.field == nullptr ? Outcome::allowed : Outcome::denied));
  }
  // Another CRD of that name is an object like any other.
  for (const char* kind : {"ResourcePolicy", "PodSchedulingPolicy"})
    CHECK(json::try_review(review_of("scheduling.alibabacloud.com", kind, R"({"spec":7})"),
                           batch_engine())
              .outcome == Outcome::passed);
  constexpr std::string_view unreadable = R"({"kind":"Role","spec":{"x":1},"rules":7})";
  CHECK(json::try_review(review_of("rbac.authorization.k8s.io", "Role", unreadable), batch_engine())
            .outcome == Outcome::passed);
  CHECK(json::try_review(review_of("node.k8s.io", "RuntimeClass", "{}"), batch_engine()).outcome ==
        Outcome::passed);
  CHECK(json::try_review(review_of("", "SchedulingPolicy", R"({"spec":{"x":1}})"), batch_engine())
            .outcome == Outcome::passed);
  CHECK(json::try_review(review_of("schedpol.io", "SchedulingPolicy", unreadable, "DELETE"),
                         batch_engine())
            .outcome == Outcome::passed);
  CHECK(json::try_review(review_of("schedpol.io", "SchedulingPolicy", unreadable, "UPDATE",
                                   R"(,"subResource":"status")"),
                         batch_engine())
            .outcome == Outcome::passed);
}

TEST_CASE(
    "a policy that is written is answered with what is odd about it among those that are there") {
  using Warnings = std::vector<std::string>;
  const auto selecting = [](const std::string& name, const std::string& app,
                            const std::string& scheduler) {
    return R"({"kind":"PodSchedulingPolicy","metadata":{"name":")" + name +
           R"(","namespace":"n"},"spec":{"podSelector":{"matchLabels":{"app":")" + app +
           R"("}},"schedulerName":")" + scheduler + R"("}})";
  };
  engine::Configuration configuration;
  configuration.systems = {{engine::System::pod_scheduling_policy}};
  configuration.settings.policy_use = engine::PolicyUse::every;
  for (const std::string& object :
       {selecting("a", "web", "blue"), selecting("b", "web", "blue"),
        std::string(R"({"kind":"SchedulingPolicy","metadata":{"name":"a"},"spec":{"required":)"
                    R"({"schedulerNames":["blue"]}}})")})
    REQUIRE(json::add_objects(configuration, object).empty());
  const engine::Engine engine = *compile(configuration);
  const auto told = [&](const std::string& kind, const std::string& object,
                        const std::string& operation = "CREATE", const std::string& more = "") {
    const auto reviewed = json::try_review(
        review_of(kind == "SchedulingPolicy" ? "schedpol.io" : "kupid.gardener.cloud", kind, object,
                  operation, more),
        engine, Phase::mutating, engine::InsightAdviser());
    CHECK(reviewed.outcome == Outcome::allowed);
    const Json reply(reviewed.response);
    REQUIRE(reply.valid());
    Warnings warnings;
    for (std::size_t i = 0; reply.at("/response/warnings/" + std::to_string(i)) != "absent"; ++i)
      warnings.push_back(reply.string_at("/response/warnings/" + std::to_string(i)));
    return warnings;
  };
  CHECK(told("PodSchedulingPolicy", selecting("c", "db", "green")) == Warnings{});
  CHECK(told("PodSchedulingPolicy", selecting("c", "web", "green")) ==
        Warnings{"PodSchedulingPolicy: `n/a` and `n/c`: `spec.schedulerName`: both can select one "
                 "object, and write different values to it: `blue, green`"});
  // What it replaces is no longer there.
  CHECK(told("PodSchedulingPolicy", selecting("b", "web", "green"), "UPDATE",
             R"(,"oldObject":{"spec":{}})")
            .size() == 1);
  CHECK(told("SchedulingPolicy",
             R"({"kind":"SchedulingPolicy","metadata":{"name":"b"},"spec":{"required":)"
             R"({"schedulerNames":["green"]}}})") ==
        Warnings{"SchedulingPolicy: `b`: `required.schedulerNames`: the requirement `[green]` is "
                 "hidden by an earlier policy, and pods that do not meet it are allowed"});
  // What kubectl would make of a null is told before it does.
  CHECK(told("SchedulingPolicy",
             R"({"kind":"SchedulingPolicy","metadata":{"name":"b"},"spec":{"allowed":)"
             R"({"affinities":{"podAffinities":null}}}})") ==
        Warnings{"SchedulingPolicy: `b`: `allowed.affinities`: `kubectl apply` drops what is null, "
                 "and what is left means any"});
  // What is no fault is told to who asks.
  CHECK(
      told(
          "SchedulingPolicy",
          R"({"kind":"SchedulingPolicy","metadata":{"name":"b"},"spec":{"allowed":{"tolerations":[)"
          R"({"keys":["x"],"operators":[],"values":[],"effects":[]},)"
          R"({"keys":["x"],"operators":["Exists"],"values":[],"effects":[]}]}}})") == Warnings{});
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

TEST_CASE("what cannot be read is denied with its field, and echoes the uid where there is one") {
  struct Case {
    const char* what;
    std::string review;
    const char* field;
    const char* uid = "u-1";
    int code = 400;
  };
  const std::string pod = R"({"kind":"Pod","spec":{}})";
  const auto replaced = [&](std::string_view what, std::string_view with) {
    std::string text = review_of("", "Pod", pod);
    const std::size_t at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), with);
  };
  std::string many = "{}";
  for (std::size_t i = 0; i < max_tolerations; ++i) many += ",{}";
  const Case cases[] = {
      {"nothing", "", "", ""},
      {"no JSON", "allowed", "", ""},
      {"no object", "[true]", "", ""},
      {"cut off", review_of("", "Pod", pod).substr(0, 150), "", ""},
      {"not UTF-8", replaced("u-1", "\xff"), "", ""},
      {"another version", replaced("admission.k8s.io/v1", "admission.k8s.io/v1beta1"),
       "apiVersion"},
      {"no version", replaced("\"apiVersion\"", "\"version\""), "apiVersion"},
      {"another kind of document", replaced("AdmissionReview", "TokenReview"), "kind"},
      {"no request", R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})", "request",
       ""},
      {"a request that is none",
       R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":[]})", "request",
       ""},
      {"no uid", replaced("\"uid\"", "\"id\""), "request.uid", ""},
      {"a uid that is none", replaced("\"u-1\"", "1"), "request.uid", ""},
      {"no kind", replaced("\"kind\":{", "\"kin\":{"), "request.kind.kind"},
      {"no operation", replaced("\"operation\"", "\"op\""), "request.operation"},
      {"an unknown operation", replaced("CREATE", "create"), "request.operation"},
      {"a null operation", replaced("\"CREATE\"", "null"), "request.operation"},
      {"no object", replaced(pod, "null"), "request.object"},
      {"an update without the old object", replaced("CREATE", "UPDATE"), "request.oldObject"},
      {"an object of another kind", replaced(pod, R"({"kind":"Job"})"), "request.object.kind"},
      {"an object of no such kind", replaced(pod, R"({"kind":"Secret"})"), "request.object.kind"},
      {"a wrong type", replaced("{}}", R"({"tolerations":[{"key":7}]}})"),
       "request.object.spec.tolerations[0].key"},
      {"more tolerations than a pod may have",
       replaced("\"spec\":{}", "\"spec\":{\"tolerations\":[" + many + "]}"),
       "request.object.spec.tolerations", "u-1", 413},
      {"a pod of another namespace",
       replaced(pod, R"({"kind":"Pod","metadata":{"namespace":"m"}})"),
       "request.object.metadata.namespace"},
      {"a key twice", replaced("\"spec\":{}", R"("spec":{"nodeName":"a","nodeName":"b"})"),
       "request.object.spec.nodeName"},
      {"too deep",
       replaced("\"spec\":{}", "\"x\":" + std::string(300, '[') + std::string(300, ']')), "", "",
       413},
      {"too long", std::string(max_document_bytes + 1, ' '), "", "", 413},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const auto reviewed = json::try_review(c.review, batch_engine());
    CHECK(reviewed.outcome == Outcome::malformed);
    REQUIRE(!reviewed.errors.empty());
    CHECK(reviewed.errors.front().field == c.field);
    CHECK(reviewed.uid == c.uid);
    const Json reply(reviewed.response);
    REQUIRE(reply.valid());
    CHECK(reply.at("/response/allowed") == "false");
    CHECK(reply.string_at("/response/uid") == c.uid);
    CHECK(reply.at("/response/status/code") == std::to_string(c.code));
    CHECK(reply.string_at("/response/status/message") != "");
    CHECK(reply.at("/response/patch") == "absent");
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

TEST_CASE("what cannot be read is told in words") {
  const auto first_error = [](const std::string& review) {
    return message(json::try_review(review, batch_engine()).errors.front());
  };
  const std::string pod = R"({"kind":"Pod","spec":{}})";
  CHECK(first_error("[]") == "an AdmissionReview is an object");
  CHECK(first_error(R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"})") ==
        "`request`: required value: there is nothing to review");
  CHECK(first_error("{}") == "`apiVersion`: unsupported value: must be admission.k8s.io/v1");
  CHECK(first_error(review_of("", "Pod", pod, "PATCH")) ==
        "`request.operation`: unsupported value `PATCH`: supported are CREATE, UPDATE, DELETE and "
        "CONNECT");
  const auto without_object = [](std::string_view group, std::string_view kind) {
    std::string text = review_of(group, kind, "{}");
    return text.replace(text.find("\"object\""), 8, "\"none\"");
  };
  for (const std::string& review : {review_of("", "Pod", "null"), without_object("", "Pod")})
    CHECK(first_error(review) == "`request.object`: required value: the operation needs it");
  CHECK(first_error(without_object("schedpol.io", "SchedulingPolicy")) ==
        "`object`: required value: the operation needs it");
  CHECK(json::try_review(review_of("apps", "Deployment", R"({"kind":"Deploymen"})"), batch_engine())
            .errors.size() == 1);
  CHECK(first_error(review_of("", "Pod", R"({"kind":"Job"})")) ==
        "`request.object.kind`: invalid value `Job`: is not the kind of the request");
  CHECK(first_error(review_of("", "Pod", R"({"kind":"Pod","metadata":{"namespace":"m"}})")) ==
        "`request.object.metadata.namespace`: invalid value `m`: is not the namespace of the "
        "request");
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

TEST_CASE("without an adviser a review decides the same, and says neither a fix nor findings") {
  const Engine engine = engine_of(
      R"({"system":"PodSchedulingPolicy"},{"system":"SchedulingPolicy"})",
      std::string(batch_policy) +
          R"(,{"kind":"PodSchedulingPolicy","metadata":{"name":"a","namespace":"n"},"spec":{)"
          R"("podSelector":{"matchLabels":{"app":"web"}},"nodeSelector":{"a/b.c":"d"}}})");
  const struct {
    const char* what;
    const char* group;
    const char* kind;
    const char* object;
    const char* advice;  ///< what only an adviser says
  } cases[] = {
      {"a name", "", "Pod", R"({"kind":"Pod","spec":{"schedulerName":"x"}})",
       "; it would be allowed with `spec.schedulerName` cleared"},
      {"a toleration of a template", "apps", "Deployment",
       R"({"kind":"Deployment","spec":{"template":{"spec":{"tolerations":[{"key":"k"}]}}}})",
       "; it would be allowed with `spec.template.spec.tolerations[0]` cleared"},
      {"a pod that is allowed", "", "Pod", R"({"kind":"Pod","metadata":{},"spec":{}})", ""},
      {"what a policy leaves out", "", "Pod",
       R"({"kind":"Pod","metadata":{"labels":{"app":"web"}},"spec":{"nodeSelector":{"a/b.c":"d"}}})",
       ""},
      {"what cannot be read", "", "Pod", R"({"kind":"Pod","spec":{"schedulerName":7}})", ""},
      {"an invalid policy", "schedpol.io", "SchedulingPolicy",
       R"({"kind":"SchedulingPolicy","metadata":{"name":"p"},"spec":{"a":1}})", ""},
      {"a policy that another one contradicts", "kupid.gardener.cloud", "PodSchedulingPolicy",
       R"({"kind":"PodSchedulingPolicy","metadata":{"name":"b","namespace":"n"},"spec":{)"
       R"("podSelector":{"matchLabels":{"app":"web"}},"nodeSelector":{"a/b.c":"e"}}})",
       R"(,"warnings":["PodSchedulingPolicy: `n/a` and `n/b`: `spec.nodeSelector[a/b.c]`: both )"
       R"(can select one object, and write different values to it: `d, e`"])"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.what);
    const std::string review = review_of(c.group, c.kind, c.object);
    const auto plain = json::try_review(review, engine);
    const auto advised =
        json::try_review(review, engine, Phase::mutating, engine::InsightAdviser());
    CHECK(plain.outcome == advised.outcome);
    CHECK(plain.errors == advised.errors);
    CHECK(plain.steps == advised.steps);
    std::string without = advised.response;
    const std::size_t at = without.find(c.advice);
    REQUIRE(at != std::string::npos);
    without.erase(at, std::string_view(c.advice).size());
    CHECK(plain.response == without);
    CHECK(plain.response.find("would be allowed") == std::string::npos);
  }
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
  CHECK(first.count() <= 110);
  CHECK(reviewed.outcome == json::Outcome::allowed);
  CHECK(reviewed.response.find("JSONPatch") != std::string::npos);
  // The memory of a document is used again, whatever was in it.
  static_cast<void>(json::try_review(bytes, *engine, Phase::mutating, document));
  const testing::CountAllocations again;
  const auto same = json::try_review(bytes, *engine, Phase::mutating, document);
  CHECK(again.count() <= 104);
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

constexpr std::string_view team_policy =
    R"({"kind":"MetadataPolicy","metadata":{"name":"m","namespace":"n"},"spec":{"rules":[)"
    R"({"policyPredicate":{"labelSelector":{"matchExpressions":[{"key":"team","operator":"DoesNotExist"}]}},)"
    R"("policyAction":{"updatedLabels":{"team":"shop"}}},)"
    R"({"policyPredicate":{"labelSelector":{"matchExpressions":[{"key":"forbidden","operator":"Exists"}]}},)"
    R"("policyAction":{"reject":true}}]}})";

TEST_CASE("MetadataPolicies change and reject objects of every kind") {
  const Engine engine = engine_of(R"({"system":"MetadataPolicy"})", team_policy);
  const auto review = [&](std::string_view group, std::string_view kind, std::string_view object,
                          Phase phase = Phase::mutating) {
    return Json(json::review(review_of(group, kind, object), engine, phase));
  };
  const Json changed = review("", "ConfigMap", R"({"metadata":{"name":"c"},"data":{"a":"b"}})");
  CHECK(changed.at("/response/allowed") == "true");
  CHECK(decoded(changed.string_at("/response/patch")) ==
        R"([{"op":"add","path":"/metadata/labels","value":{"team":"shop"}}])");
  CHECK(changed.string_at("/response/auditAnnotations/metadata-policy") ==
        "m: metadata.labels[team]");
  const Json rejected =
      review("", "ConfigMap", R"({"metadata":{"name":"c","labels":{"forbidden":"x"}}})");
  CHECK(rejected.at("/response/allowed") == "false");
  CHECK(rejected.string_at("/response/status/message") ==
        "MetadataPolicy: `metadata`: rejected by rule `1` of `m`");
  CHECK(rejected.string_at("/response/status/details/causes/0/field") == "metadata");
  // A validating webhook answers without a patch, and judges what a later mutator added.
  CHECK(review("", "ConfigMap", R"({"metadata":{"name":"c"}})", Phase::validating)
            .at("/response/patch") == "absent");
  CHECK(review("", "ConfigMap", R"({"metadata":{"labels":{"team":"shop","forbidden":"x"}}})",
               Phase::validating)
            .at("/response/allowed") == "false");
  // Kinds that nobody knows are objects like any other; of a CRD called `Deployment` only the
  // metadata counts.
  for (const std::string_view kind : {"Database", "Deployment"}) {
    const Json custom = review("example.com", kind, R"({"metadata":{},"spec":{"template":7}})");
    CHECK(decoded(custom.string_at("/response/patch")) ==
          R"([{"op":"add","path":"/metadata/labels","value":{"team":"shop"}}])");
  }
  // What is not in the namespace, not stored, or needed for repair passes unread.
  constexpr std::string_view forbidden = R"({"metadata":{"labels":{"forbidden":"x"}}})";
  for (const auto& [group, kind] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"", "Namespace"}, {"", "Binding"}, {"autoscaling", "Scale"}}) {
    CHECK(review(group, kind, forbidden).at("/response/allowed") == "true");
    CHECK(review(group, kind, R"({"metadata":{"labels":7}})").at("/response/allowed") == "true");
  }
  CHECK(review("rabbitmq.com", "Binding", forbidden).at("/response/allowed") == "false");
  CHECK(review("", "ConfigMap", R"({"metadata":{"namespace":"other"}})")
            .at("/response/status/details/causes/0/field") ==
        R"("request.object.metadata.namespace")");
  const auto elsewhere = engine_of(R"({"system":"SchedulingPolicy"})", team_policy);
  CHECK(json::try_review(review_of("", "ConfigMap", R"({"metadata":{"labels":7}})"), elsewhere)
            .outcome == Outcome::passed);
  CHECK(json::try_review(review_of("", "ConfigMap", R"({"metadata":{"labels":7}})"), engine)
            .outcome == Outcome::malformed);
}

TEST_CASE("an object of no namespace is no MetadataPolicy's") {
  std::string policy(team_policy);
  policy.replace(policy.find(R"("namespace":"n")"), 15, R"("namespace":"default")");
  const Engine engine = engine_of(R"({"system":"MetadataPolicy"})", policy);
  std::string bytes = review_of("rbac.authorization.k8s.io", "ClusterRole",
                                R"({"metadata":{"labels":{"forbidden":"x"}}})");
  CHECK(Json(json::review(bytes, engine)).at("/response/allowed") == "true");
  const std::string_view in_namespace = R"("namespace":"n",)";
  bytes.replace(bytes.find(in_namespace), in_namespace.size(), "");
  CHECK(Json(json::review(bytes, engine)).at("/response/allowed") == "true");
}

TEST_CASE("an object that is updated is rejected for what it was not before") {
  const Engine engine = engine_of(R"({"system":"MetadataPolicy"})", team_policy);
  const auto allowed = [&](std::string_view before) {
    const std::string old =
        R"(,"oldObject":{"metadata":{"name":"c","labels":)" + std::string(before) + "}}";
    return Json(json::review(
                    review_of("", "ConfigMap",
                              R"({"metadata":{"name":"c","labels":{"team":"a","forbidden":"x"}}})",
                              "UPDATE", old),
                    engine))
        .at("/response/allowed");
  };
  CHECK(allowed(R"({"team":"a"})") == "false");
  CHECK(allowed(R"({"team":"a","forbidden":"x"})") == "true");
}

TEST_CASE("what a cluster writes about itself is passed") {
  const std::string_view object = R"({"metadata":{"name":"o","labels":{"forbidden":"x"}}})";
  const Engine engine = engine_of(R"({"system":"MetadataPolicy"})", team_policy);
  const auto outcome = [&](std::string_view kind, std::string_view user) {
    const std::string more = R"(,"userInfo":)" + std::string(user);
    return to_string(json::try_review(review_of("", kind, object, "CREATE", more), engine).outcome);
  };
  CHECK(outcome("ConfigMap", R"({"username":"a"})") == "Denied");
  CHECK(outcome("Event", R"({"username":"a"})") == "Passed");
  CHECK(outcome("ConfigMap", R"({"username":"system:kube-controller-manager"})") == "Passed");
  CHECK(outcome("ConfigMap", R"({"username":"n","groups":["system:nodes"]})") == "Passed");
}

TEST_CASE("what is said of a workload itself stands before what is said of its template") {
  const std::string_view object =
      R"({"kind":"Deployment","metadata":{},"spec":{"template":{"metadata":{}}}})";
  const Json changed(json::review(
      review_of("apps", "Deployment", object),
      engine_of(R"({"system":"RuntimeClass"},{"system":"MetadataPolicy"})", team_policy)));
  CHECK(changed.at("/response/auditAnnotations") ==
        R"({"metadata-policy":"m: metadata.labels[team], spec.template.metadata.labels[team]"})");
  const std::string forbidden = R"({"labels":{"team":"a","forbidden":"x"}})";
  const Json warned(json::review(
      review_of("apps", "Deployment",
                R"({"kind":"Deployment","metadata":)" + forbidden +
                    R"(,"spec":{"template":{"metadata":)" + forbidden + "}}}"),
      engine_of(R"({"system":"MetadataPolicy","mode":"Warn"},{"system":"RuntimeClass"})",
                team_policy)));
  CHECK(warned.at("/response/allowed") == "true");
  CHECK(warned.at("/response/warnings") ==
        R"(["MetadataPolicy would deny: `metadata`: rejected by rule `1` of `m`",)"
        R"("MetadataPolicy would deny: `spec.template.metadata`: rejected by rule `1` of `m`"])");
}

TEST_CASE("a workload is changed itself and in its template") {
  const Engine engine = engine_of(R"({"system":"MetadataPolicy"})", team_policy);
  const std::string_view web = R"({"kind":"Deployment","metadata":{"name":"web"},)"
                               R"("spec":{"template":{"metadata":{"labels":{"team":"own"}}}}})";
  const auto review = [&](std::string_view object, std::string_view operation = "CREATE",
                          std::string_view more = "") {
    return Json(json::review(review_of("apps", "Deployment", object, operation, more), engine));
  };
  CHECK(decoded(review(web).string_at("/response/patch")) ==
        R"([{"op":"add","path":"/metadata/labels","value":{"team":"shop"}}])");
  // Its own label is denied, whatever its template, and a default label that was taken off comes
  // back without a rollout.
  const std::string old = ",\"oldObject\":" + std::string(web);
  const auto with_labels = [](std::string_view labels) {
    return R"({"kind":"Deployment","metadata":{"name":"web","labels":)" + std::string(labels) +
           R"(},"spec":{"template":{"metadata":{"labels":{"team":"own"}}}}})";
  };
  const Json denied = review(with_labels(R"({"forbidden":"x"})"), "UPDATE", old);
  CHECK(denied.at("/response/allowed") == "false");
  CHECK(denied.string_at("/response/status/details/causes/0/field") == "metadata");
  const Json restored = review(with_labels("{}"), "UPDATE", old);
  CHECK(decoded(restored.string_at("/response/patch")) ==
        R"([{"op":"add","path":"/metadata/labels","value":{"team":"shop"}}])");
  // The template of one that a workload controls passes, its own labels are judged.
  const std::string owned =
      R"({"kind":"ReplicaSet","metadata":{"name":"web","labels":{"team":"x"},"ownerReferences":)"
      R"([{"apiVersion":"apps/v1","kind":"Deployment","name":"web","controller":true}]},)"
      R"("spec":{"template":{"metadata":{"labels":{"forbidden":"x"}}}}})";
  CHECK(
      Json(json::review(review_of("apps", "ReplicaSet", owned), engine)).at("/response/allowed") ==
      "true");
  const std::string by_custom_resource =
      R"({"kind":"StatefulSet","metadata":{"name":"web","labels":{"team":"x"},"ownerReferences":)"
      R"([{"apiVersion":"druid.gardener.cloud/v1alpha1","kind":"Etcd","name":"e","controller":true}]},)"
      R"("spec":{"template":{"metadata":{"labels":{"forbidden":"x"}}}}})";
  CHECK(Json(json::review(review_of("apps", "StatefulSet", by_custom_resource), engine))
            .at("/response/allowed") == "false");
}

TEST_CASE("a pod that is updated gets back what it was given") {
  const Engine engine = engine_of(
      R"({"system":"PodSchedulingPolicy"})",
      R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"pool"},"spec":{"podSelector":{},)"
      R"("namespaceSelector":{},"tolerations":[{"key":"pool","operator":"Exists"}]}},)"
      R"({"kind":"Namespace","apiVersion":"v1","metadata":{"name":"n"}})");
  const std::string old = R"(,"oldObject":{"kind":"Pod","metadata":{"name":"p"},"spec":)"
                          R"({"tolerations":[{"key":"mine"},{"key":"pool","operator":"Exists"}]}})";
  const std::string_view applied =
      R"({"kind":"Pod","metadata":{"name":"p"},"spec":{"tolerations":[{"key":"mine"}]}})";
  const std::string bytes = review_of("", "Pod", applied, "UPDATE", old);
  const Json reply(json::review(bytes, engine));
  CHECK(
      decoded(reply.string_at("/response/patch")) ==
      R"([{"op":"add","path":"/spec/tolerations/-","value":{"key":"pool","operator":"Exists"}}])");
  CHECK(Json(json::review(bytes, engine, Phase::validating)).at("/response/patch") == "absent");
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
