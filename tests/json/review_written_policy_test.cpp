// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/review.hpp>

#include "reviews.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace review_written_policy_test {

using namespace reviews;

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

}  // namespace review_written_policy_test
