// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/review.hpp>

#include "reviews.hpp"

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace review_metadata_test {

using namespace reviews;

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

}  // namespace review_metadata_test
