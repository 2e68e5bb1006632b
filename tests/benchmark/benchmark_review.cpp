// SPDX-License-Identifier: Apache-2.0
// How long an admission takes from the bytes of an AdmissionReview to those of its response, next
// to the floor below which no reader of the same bytes gets.
#include <schedpol/json/review.hpp>

#include "inputs.hpp"

#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using benchmark::DoNotOptimize;
using benchmark::State;
using schedpol::ObjectMeta;
using schedpol::benchmarks::demand;
using schedpol::benchmarks::read_input;
using schedpol::benchmarks::time_operation;
using schedpol::benchmarks::value_of;
using schedpol::pod_scheduling_policy::PodSchedulingPolicy;
namespace json = schedpol::json;

constexpr const char* review_input = "w2-admission-review.json";

json::Engine injection() {
  json::Document document;
  demand(document.parse(read_input("w2-policies.json")), "W2's policies are JSON");
  simdjson::dom::array policies;
  simdjson::dom::element in;
  demand(document.root()["policies"].get(policies) == simdjson::SUCCESS, "W2 has policies");
  demand(document.root()["namespace"]["metadata"].get(in) == simdjson::SUCCESS,
         "W2 has a namespace");
  json::Configuration configuration;
  configuration.systems = {{json::System::pod_scheduling_policy, json::Mode::enforce}};
  configuration.namespaces = {value_of(json::decode<ObjectMeta>(in))};
  for (const auto policy : policies) {
    configuration.pod_scheduling_policies.push_back(
        value_of(json::decode<PodSchedulingPolicy>(policy)));
  }
  demand(configuration.pod_scheduling_policies.size() == 3, "W2 has three policies");
  return value_of(json::compile(std::move(configuration)));
}

// What the three policies make of the pod: one of them does not select it.
void demand_injection(const json::Engine& engine, std::string_view bytes) {
  json::Document document;
  demand(document.parse(bytes), "W2's review is JSON");
  simdjson::dom::element object;
  demand(document.root()["request"]["object"].get(object) == simdjson::SUCCESS,
         "W2's review has an object");
  const json::Decision decision = engine.decide(value_of(json::decode<schedpol::Pod>(object)));
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
  const json::Engine engine = injection();
  const std::string bytes = read_input(review_input);
  demand_injection(engine, bytes);
  const auto reviewed = json::try_review(bytes, engine);
  demand(reviewed.outcome == json::Outcome::allowed, "W2's pod is allowed");
  demand(reviewed.response.find(R"("patchType":"JSONPatch")") != std::string::npos,
         "W2's pod is changed");
  json::Document document;
  time_operation(state, [&] {
    DoNotOptimize(json::try_review(bytes, engine, json::Phase::mutating, document).response);
  });
}
BENCHMARK(review)->Name("W2/review");

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
