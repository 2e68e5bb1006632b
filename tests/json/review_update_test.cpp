// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/review.hpp>

#include "reviews.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace review_update_test {

using namespace reviews;

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

}  // namespace review_update_test
