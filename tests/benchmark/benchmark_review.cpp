// SPDX-License-Identifier: Apache-2.0
// How long an admission takes from the bytes of an AdmissionReview to those of its response, next
// to the floor below which no reader of the same bytes gets.
#include <schedpol/json/review.hpp>

#include "inputs.hpp"

#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/configuration.hpp>

#include <simdjson.h>

#include <string>
#include <string_view>

namespace {

using benchmark::DoNotOptimize;
using benchmark::State;
using schedpol::benchmarks::demand;
using schedpol::benchmarks::input_part;
using schedpol::benchmarks::read_input;
using schedpol::benchmarks::time_operation;
using schedpol::benchmarks::value_of;
namespace engine = schedpol::engine;
namespace json = schedpol::json;

constexpr const char* review_input = "w2-admission-review.json";

engine::Engine injection() {
  engine::Configuration configuration;
  configuration.systems = {{engine::System::pod_scheduling_policy, engine::Mode::enforce}};
  for (const auto* object : {"/namespace", "/policies/0", "/policies/1", "/policies/2"})
    demand(json::add_objects(configuration, input_part("w2-policies.json", object)).empty(),
           object);
  return value_of(engine::compile(configuration));
}

// What the three policies make of the pod: one of them does not select it.
void demand_injection(const engine::Engine& engine) {
  engine::Request request;
  const std::string object = input_part(review_input, "/request/object");
  request.object = value_of(json::decode<schedpol::Pod>(std::string_view(object)));
  const engine::Decision decision = engine.decide(request);
  const schedpol::PodSpec& spec = decision.pod.spec;
  demand(decision.allowed && spec.scheduler_name == "my-scheduler", "W2's scheduler");
  demand(spec.node_selector.size() == 3 && spec.tolerations.size() == 4,
         "W2's node selector and tolerations");
  demand(spec.affinity && spec.affinity->node_affinity && spec.affinity->pod_anti_affinity,
         "W2's affinity");
  const auto& required =
      spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
  demand(required && required->node_selector_terms.size() == 2 &&
             required->node_selector_terms.front().match_expressions.size() == 4,
         "W2's terms");
}

void review(State& state) {
  const engine::Engine engine = injection();
  const std::string bytes = read_input(review_input);
  demand_injection(engine);
  const auto reviewed = json::try_review(bytes, engine);
  demand(reviewed.outcome == json::Outcome::allowed, "W2's pod is allowed");
  demand(reviewed.response.find(R"("patchType":"JSONPatch")") != std::string::npos,
         "W2's pod is changed");
  json::Document document;
  time_operation(state, [&] {
    DoNotOptimize(json::try_review(bytes, engine, engine::Phase::mutating, document).response);
  });
}
BENCHMARK(review)->Name("W2/review");

engine::Engine restriction() {
  engine::Configuration configuration;
  configuration.settings.policy_use = engine::PolicyUse::every;
  configuration.systems = {{engine::System::scheduling_policy, engine::Mode::enforce}};
  constexpr std::string_view policy = R"({"kind": "SchedulingPolicy",
    "metadata": {"name": "restricted"},
    "spec": {"allowed": {
      "schedulerNames": ["default-scheduler"], "priorityClassNames": ["low", "normal"],
      "nodeSelectors": {"disk": ["ssd"]},
      "tolerations": [{"keys": ["spot"], "operators": ["Exists"], "values": [],
                       "effects": ["NoSchedule"]}]}}})";
  demand(json::add_objects(configuration, policy).empty(), "the policy that denies");
  return value_of(engine::compile(configuration));
}

// With its reasons and its nearest fix.
void deny(State& state) {
  const engine::Engine engine = restriction();
  const std::string bytes =
      R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{)"
      R"("uid":"705ab4f5-6393-11e8-b7cc-42010a800002","kind":{"version":"v1","kind":"Pod"},)"
      R"("namespace":"shop","operation":"CREATE","userInfo":{"username":"jane"},)"
      R"("object":{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","namespace":"shop"},)"
      R"("spec":{"priorityClassName":"system-node-critical",)"
      R"("tolerations":[{"key":"dedicated","operator":"Exists"}],)"
      R"("containers":[{"name":"web","image":"example.com/web:1"}]}}}})";
  demand(bytes.size() > 470 && bytes.size() < 490, "a review of 480 bytes");
  const engine::InsightAdviser adviser;
  json::Document document;
  const auto reviewed = [&] {
    return json::try_review(bytes, engine, engine::Phase::mutating, document, adviser);
  };
  demand(reviewed().outcome == json::Outcome::denied, "the pod is denied");
  demand(reviewed().response.find("would be allowed with") != std::string::npos, "it has a fix");
  time_operation(state, [&] { DoNotOptimize(reviewed().response); });
}
BENCHMARK(deny)->Name("denied review");

// A parser that has grown already, and input that is padded already.
void parse(State& state) {
  const simdjson::padded_string bytes(read_input(review_input));
  simdjson::dom::parser parser;
  const auto parses = [&] { return parser.parse(bytes).error() == simdjson::SUCCESS; };
  demand(parses(), "W2's review is JSON");
  time_operation(state, [&] { DoNotOptimize(parses()); });
}
BENCHMARK(parse)->Name("W2/simdjson_parse");

}  // namespace

BENCHMARK_MAIN();
