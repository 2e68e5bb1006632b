// SPDX-License-Identifier: Apache-2.0
// Nobody borrows the mode of another namespace by what he writes into an object.
#include <schedpol/json/review.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <schedpol/json/configuration.hpp>

#include <string>
#include <string_view>

namespace review_namespace_modes_test {

using namespace schedpol;
using engine::Engine;
using engine::Phase;
using testing::Json;

/// Permits the default scheduler alone; the namespace `lax` only warns.
Engine engine_with_a_lax_namespace() {
  engine::Configuration configuration;
  for (
      const char* const object :
      {R"({"kind":"EngineConfiguration","policyUse":"Every","systems":[{"system":"SchedulingPolicy"}],)"
       R"("namespaceModes":{"weakest":"Warn"},"templates":[{"group":"jobset.x-k8s.io","kind":"JobSet",)"
       R"("path":"spec.replicatedJobs[*].template.spec.template"}]})",
       R"({"kind":"Namespace","metadata":{"name":"strict"}})",
       R"({"kind":"Namespace","metadata":{"name":"lax","labels":{"schedpol.io/mode":"Warn"}}})",
       R"({"kind":"SchedulingPolicy","metadata":{"name":"baseline"},)"
       R"("spec":{"allowed":{"schedulerNames":["default-scheduler"]}}})"})
    REQUIRE(json::add_objects(configuration, object).empty());
  const auto engine = compile(configuration);
  REQUIRE(engine);
  return *engine;
}

/// Whether the API server would store it, asked in the namespace of the request.
bool is_allowed(const Engine& engine, std::string_view kind, std::string_view in,
                const std::string& object, Phase phase) {
  std::string text =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":)"
      R"("CREATE","userInfo":{"username":"somebody"},"kind":)";
  text.append(kind).append(R"(,"namespace":")").append(in).append(R"(","object":)");
  text.append(object).append("}}");
  return Json(json::review(text, engine, phase)).at("/response/allowed") == "true";
}

TEST_CASE("the mode of an object is that of the request's namespace, whatever the object says") {
  const Engine engine = engine_with_a_lax_namespace();
  const std::string spec = R"("spec":{"schedulerName":"mine"})";
  const std::string lax_template = R"("template":{"metadata":{"namespace":"lax"},)" + spec + "}";
  const struct {
    std::string_view kind;
    std::string api_version;
    std::string rest;
  } cases[] = {
      {R"({"group":"","version":"v1","kind":"Pod"})", R"("apiVersion":"v1","kind":"Pod")",
       R"("labels":{"schedpol.io/mode":"Warn"}},)" + spec},
      {R"({"group":"apps","version":"v1","kind":"Deployment"})",
       R"("apiVersion":"apps/v1","kind":"Deployment")",
       R"("labels":{"schedpol.io/mode":"Warn"}},"spec":{)" + lax_template + "}"},
      {R"({"group":"jobset.x-k8s.io","version":"v1alpha2","kind":"JobSet"})",
       R"("apiVersion":"jobset.x-k8s.io/v1alpha2","kind":"JobSet")",
       R"("labels":{}},"spec":{"replicatedJobs":[{"name":"a","template":{"spec":{)" + lax_template +
           "}}}]}"},
  };
  for (const auto& [kind, api_version, rest] : cases) {
    CAPTURE(api_version);
    const auto object = [&](std::string_view in) {
      std::string text = "{" + api_version + R"(,"metadata":{"name":"o",)";
      if (!in.empty()) text.append(R"("namespace":")").append(in).append(R"(",)");
      return text + rest + "}";
    };
    for (const Phase phase : {Phase::mutating, Phase::validating}) {
      CHECK(is_allowed(engine, kind, "lax", object("lax"), phase));
      for (const char* const says : {"", "strict", "lax"})
        CHECK_FALSE(is_allowed(engine, kind, "strict", object(says), phase));
    }
  }
}

}  // namespace review_namespace_modes_test
