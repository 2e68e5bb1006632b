// SPDX-License-Identifier: Apache-2.0
// The reviews that Kueue's pod integration makes: a user's pod with its gate, then its own update.
#include <schedpol/json/review.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <schedpol/json/configuration.hpp>

#include <string>
#include <string_view>

namespace review_placers_test {

using namespace schedpol;
using engine::Engine;
using engine::Phase;
using testing::Json;

constexpr std::string_view kueue = "system:serviceaccount:kueue-system:kueue-controller-manager";

Engine baseline() {
  engine::Configuration configuration;
  REQUIRE(
      json::add_objects(
          configuration,
          R"({"kind":"EngineConfiguration","policyUse":"Every","systems":[{"system":"SchedulingPolicy"}],)"
          R"("placers":["system:serviceaccount:kueue-system:kueue-controller-manager"]})")
          .empty());
  REQUIRE(json::add_objects(configuration,
                            R"({"kind":"SchedulingPolicy","metadata":{"name":"baseline"},)"
                            R"("spec":{"allowed":{"schedulerNames":["default-scheduler"]}}})")
              .empty());
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

std::string pod(std::string_view spec) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"train-0","namespace":"ml","labels":)"
         R"({"kueue.x-k8s.io/queue-name":"gpu"}},"spec":{"containers":[{"name":"main"}])" +
         std::string(spec) + "}}";
}

struct Review {
  std::string_view user;
  std::string object;
  std::string old{};
  std::string_view kind = R"({"group":"","version":"v1","kind":"Pod"})";
  std::string_view subresource{};
};

std::string answer(const Review& review, Phase phase) {
  std::string text =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
      R"("namespace":"ml","operation":")";
  text.append(review.old.empty() ? "CREATE" : "UPDATE").append(R"(","kind":)").append(review.kind);
  if (!review.subresource.empty())
    text.append(R"(,"subResource":")").append(review.subresource).append(R"(")");
  text.append(R"(,"userInfo":{"username":")").append(review.user).append(R"("},"object":)");
  text.append(review.object).append(R"(,"oldObject":)");
  text.append(review.old.empty() ? "null" : review.old).append("}}");
  const std::string response = json::review(text, baseline(), phase);
  const Json reply(response);
  REQUIRE(reply.valid());
  return reply.at("/response/allowed") == "true"
             ? std::string(reply.at("/response/patch") == "absent" ? "allowed" : "changed")
             : reply.string_at("/response/status/message");
}

constexpr std::string_view gate = R"(,"schedulingGates":[{"name":"kueue.x-k8s.io/admission"}])";
constexpr std::string_view flavor =
    R"(,"nodeSelector":{"accelerator":"a100"},"tolerations":[{"key":"gpu","operator":"Exists",)"
    R"("effect":"NoSchedule"}])";

TEST_CASE("a pod in a queue is made with a gate, and placed by an update of Kueue's") {
  const std::string job =
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"train","namespace":"ml"},)"
      R"("spec":{"suspend":true,"template":{"spec":{"containers":[{"name":"main"}]}}}})";
  const std::string started_job =
      R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"train","namespace":"ml"},)"
      R"("spec":{"suspend":false,"template":{"spec":{"containers":[{"name":"main"}])" +
      std::string(flavor) + "}}}}";
  const struct {
    const char* what;
    Review review;
    bool allowed;
  } cases[] = {
      {"a user makes a pod, to which Kueue's webhook has added its gate", {"ann", pod(gate)}, true},
      {"Kueue writes where it goes and takes the gate away", {kueue, pod(flavor), pod(gate)}, true},
      {"a user writes the same", {"ann", pod(flavor), pod(gate)}, false},
      {"Kueue writes it when the gate is gone", {kueue, pod(flavor), pod("")}, false},
      {"a user makes a pod that is placed already",
       {"ann", pod(std::string(gate).append(flavor))},
       false},
      {"Kueue makes one", {kueue, pod(std::string(gate).append(flavor))}, false},
      {"a status is written, by which the API server changes no spec",
       {"ann", pod(flavor), pod(gate), R"({"group":"","version":"v1","kind":"Pod"})", "status"},
       true},
      {"Kueue starts a suspended Job with its flavor",
       {kueue, started_job, job, R"({"group":"batch","version":"v1","kind":"Job"})"},
       false},
  };
  for (const auto& c : cases)
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      CAPTURE(c.what);
      const std::string said = answer(c.review, phase);
      if (c.allowed) {
        CHECK(said == "allowed");
      } else {
        CHECK(said.find("accelerator") != std::string::npos);
        CHECK(said.find("gpu") != std::string::npos);
      }
    }
}

TEST_CASE("a gate that cannot be read denies the placer, too") {
  for (const std::string_view gates :
       {R"(,"schedulingGates":"kueue.x-k8s.io/admission")", R"(,"schedulingGates":[7])",
        R"(,"schedulingGates":{"name":"kueue.x-k8s.io/admission"})"}) {
    CAPTURE(gates);
    const std::string said = answer({kueue, pod(flavor), pod(gates)}, Phase::mutating);
    CHECK(said.find("oldObject.spec.schedulingGates") != std::string::npos);
  }
  // Nothing in it is no gate.
  for (const std::string_view gates : {R"(,"schedulingGates":[])", R"(,"schedulingGates":null)"})
    CHECK(answer({kueue, pod(flavor), pod(gates)}, Phase::mutating).find("accelerator") !=
          std::string::npos);
}

}  // namespace review_placers_test
