// SPDX-License-Identifier: Apache-2.0
// `review` with an engine: an input is {"configuration": ..., "review": ..., "phase": ...}, and
// what is none is a review for an engine of nothing and for the one that permits everything.

#include "fuzz.hpp"
#include "value.hpp"

#include <schedpol/engine/engine.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/review.hpp>

#include <optional>
#include <string>
#include <string_view>

using schedpol::engine::Engine;
using schedpol::engine::Phase;
using schedpol::fuzz::law;
using schedpol::fuzz::Value;
using schedpol::json::Outcome;
using schedpol::json::ReviewResult;
using schedpol::json::try_review;

namespace {

std::string from_base64(std::string_view text) {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = digits.find(c);
    if (digit == digits.npos) continue;
    bits = (bits << 6U | static_cast<unsigned>(digit)) & 0xFFFFFU;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(count) & 0xFFU);
  }
  return bytes;
}

Engine compiled(std::string_view objects) {
  schedpol::engine::Configuration configuration;
  if (!schedpol::json::add_objects(configuration, objects).empty()) return {};
  auto engine = schedpol::engine::compile(configuration);
  return engine ? *std::move(engine) : Engine();
}

Value* member(Value& value, std::string_view name) {
  return const_cast<Value*>(value.find(name));
}

/// The object with the patch is allowed, and asked about it nobody changes more.
void check_patched(std::string_view review, const Engine& engine, std::string_view patch) {
  auto again = schedpol::fuzz::parse(review);
  Value* object = member(*member(*again, "request"), "object");
  const auto patched = schedpol::json::apply_patch(print(*object), from_base64(patch));
  law(bool(patched), "a patch applies to its object", review, from_base64(patch));
  *object = *schedpol::fuzz::parse(*patched);
  object->key = R"("object")";
  const ReviewResult more = try_review(print(*again), engine);
  law(more.outcome == Outcome::allowed, "what an answer makes is allowed", review, more.response);
  law(more.response.find(R"("patch")") == std::string::npos, "asked twice, nothing more", review,
      more.response);
}

void check(std::string_view review, const Engine& engine, Phase phase) {
  const schedpol::engine::InsightAdviser adviser;
  ReviewResult reviewed;
  {
    const schedpol::fuzz::Cost cost;
    reviewed = try_review(review, engine, phase, adviser);
    cost.is_within(review.size());
  }
  schedpol::json::Document document;
  law(document.parse(review) || reviewed.outcome == Outcome::malformed,
      "what is no document is malformed", review, reviewed.response);
  const ReviewResult same = try_review(review, engine, phase, document, adviser);
  law(same.response == reviewed.response && same.outcome == reviewed.outcome,
      "a review has one answer", review, reviewed.response);
  law(try_review(review, engine, phase).outcome == reviewed.outcome, "advice changes no decision",
      review, reviewed.response);
  const auto answer = schedpol::fuzz::parse(reviewed.response);
  const Value* response = answer ? answer->find("response") : nullptr;
  law(response != nullptr, "an answer is an AdmissionReview", review, reviewed.response);
  const bool allowed = response->at("allowed") == "true";
  const std::string patch = response->at("patch");
  law(allowed == (reviewed.outcome == Outcome::allowed || reviewed.outcome == Outcome::passed),
      "only what was decided is allowed", review, reviewed.response);
  law((reviewed.outcome == Outcome::malformed) == !reviewed.errors.empty(),
      "what is malformed has errors", review, reviewed.response);
  law(allowed || response->find("status") != nullptr, "a denial says why", review,
      reviewed.response);
  law(patch.empty() || (reviewed.outcome == Outcome::allowed && phase == Phase::mutating),
      "only what is allowed is changed, by mutators", review, reviewed.response);
  const ReviewResult nothing = try_review(review, Engine(), phase);
  law(nothing.outcome != Outcome::allowed, "an engine of nothing allows nothing", review,
      nothing.response);
  if (!patch.empty()) check_patched(review, engine, patch);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Engine everything = compiled(
      R"({"kind":"List","items":[{"kind":"EngineConfiguration","policyUse":"Every","systems":)"
      R"([{"system":"SchedulingPolicy"}]},{"kind":"SchedulingPolicy","metadata":{"name":"all"},)"
      R"("spec":{"allowed":{"schedulerNames":[],"priorityClassNames":[],"nodeSelectors":{},)"
      R"("tolerations":[],"affinities":{}}}}]})");
  const std::string_view text = schedpol::fuzz::text(data, size);
  const auto input = schedpol::fuzz::parse(text);
  const Value* review = input ? input->find("review") : nullptr;
  if (review == nullptr) {
    check(text, everything, Phase::mutating);
    return 0;
  }
  const Phase phase = input->at("phase") == R"("validating")" ? Phase::validating : Phase::mutating;
  check(print(*review), compiled(input->at("configuration")), phase);
  return 0;
}
