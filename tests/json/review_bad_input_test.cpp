// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/review.hpp>

#include "reviews.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace review_bad_input_test {

using namespace reviews;

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

}  // namespace review_bad_input_test
