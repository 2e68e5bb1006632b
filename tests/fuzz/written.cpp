// SPDX-License-Identifier: Apache-2.0
// A policy that is written beside those that are stored: an input is {"configuration", "policy",
// "old"}: the objects of a cluster, what is written, and what it was before, if anything.

#include "fuzz.hpp"
#include "value.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/engine/configuration.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/review.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

using schedpol::engine::Configuration;
using schedpol::engine::Engine;
using schedpol::engine::InsightAdviser;
using schedpol::engine::Phase;
using schedpol::fuzz::law;
using schedpol::fuzz::Value;
using schedpol::json::Outcome;
using schedpol::json::ReviewResult;
using schedpol::json::try_review;

namespace {

std::string unquoted(std::string_view text) {
  return std::string(text.size() < 2 ? "" : text.substr(1, text.size() - 2));
}

/// Whether it says that it is a policy; else it is an object like any other.
bool is_policy(const Value& policy) {
  constexpr std::pair<std::string_view, std::string_view> kinds[] = {
      {R"("SchedulingPolicy")", R"("schedpol.io/v1alpha1")"},
      {R"("MetadataPolicy")", R"("schedpol.io/v1alpha1")"},
      {R"("PodSchedulingPolicy")", R"("kupid.gardener.cloud/v1alpha1")"},
      {R"("ClusterPodSchedulingPolicy")", R"("kupid.gardener.cloud/v1alpha1")"},
      {R"("ResourcePolicy")", R"("scheduling.sigs.x-k8s.io/v1alpha1")"}};
  for (const auto& [kind, version] : kinds)
    if (policy.at("kind") == kind && policy.at("apiVersion") == version) return true;
  return false;
}

/// The review of it; the group is the one that its apiVersion says.
std::string review_of(const Value& policy, const Value* old) {
  const std::string version = unquoted(policy.at("apiVersion"));
  const std::size_t slash = version.find('/');
  const std::string group = slash == std::string::npos ? "" : version.substr(0, slash);
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u",)"
         R"("kind":{"group":")" +
         group + R"(","version":"v1","kind":")" + unquoted(policy.at("kind")) +
         R"("},"namespace":"n","operation":")" + (old == nullptr ? "CREATE" : "UPDATE") +
         R"(","object":)" + print(policy) +
         (old == nullptr ? "" : R"(,"oldObject":)" + print(*old)) + "}}";
}

void check(const Configuration& configuration, const Engine& engine, const Value& policy,
           const Value* old, std::string_view shown) {
  const std::string review = review_of(policy, old);
  const InsightAdviser adviser;
  ReviewResult advised;
  {
    // Whatever is stored: an analysis has a budget.
    const schedpol::fuzz::Cost cost;
    advised = try_review(review, engine, Phase::validating, adviser);
    cost.is_within(shown.size(), 64);
  }
  const ReviewResult plain = try_review(review, engine, Phase::validating);
  law(advised.outcome == plain.outcome, "advice changes no decision", shown, advised.response);
  law(advised.outcome != Outcome::denied || advised.response == plain.response,
      "of a policy that is denied nothing else is said", shown, advised.response);
  law(advised.response == try_review(review, engine, Phase::validating, adviser).response,
      "a written policy has one answer", shown, advised.response);
  const auto answer = schedpol::fuzz::parse(advised.response);
  const Value* response = answer ? answer->find("response") : nullptr;
  law(response != nullptr &&
          (response->at("allowed") == "true") ==
              (advised.outcome == Outcome::allowed || advised.outcome == Outcome::passed),
      "an answer is an AdmissionReview", shown, advised.response);
  const Value* warnings = response->find("warnings");
  law(warnings == nullptr || warnings->members.size() <= schedpol::max_finding_warnings + 2,
      "few warnings are told", shown, advised.response);
  if (advised.outcome != Outcome::allowed || !is_policy(policy)) return;
  // What may be written harms nobody but where another of its kind has the name.
  Configuration alone;
  const auto errors = schedpol::json::add_objects(alone, print(policy));
  law(errors.empty() && validate_each(alone.objects).empty(),
      "what may be written is a policy that can be used", shown, advised.response);
  Configuration both = configuration;
  law(schedpol::json::add_objects(both, print(policy)).empty(), "what may be written is read",
      shown, advised.response);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view shown = schedpol::fuzz::text(data, size);
  const auto input = schedpol::fuzz::parse(shown);
  const Value* policy = input ? input->find("policy") : nullptr;
  const Value* objects = input ? input->find("configuration") : nullptr;
  if (policy == nullptr || objects == nullptr) return 0;
  Configuration configuration;
  const auto list = R"({"kind":"List","items":)" + print(*objects) + "}";
  if (!schedpol::json::add_objects(configuration, list).empty()) return 0;
  const auto engine = compile(configuration);
  if (!engine) return 0;
  check(configuration, *engine, *policy, input->find("old"), shown);
  return 0;
}
