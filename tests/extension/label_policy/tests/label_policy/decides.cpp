// SPDX-License-Identifier: Apache-2.0
// What decides once LabelPolicies and serviceAccountNames are there: an engine, and `review` of
// bytes. Says what is not so, and exits 1 if anything is.
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/review.hpp>

#include <cstdio>

namespace {

using namespace schedpol;

bool is_good = true;

void check(bool is_so, const char* what) {
  if (!is_so) std::printf("%s\n", what);
  is_good = is_good && is_so;
}

constexpr std::string_view label_policies = R"({"kind": "List", "items": [
  {"kind": "EngineConfiguration", "systems": [{"system": "LabelPolicy"}]},
  {"kind": "LabelPolicy", "metadata": {"name": "team", "namespace": "shop"},
   "spec": {"requiredLabels": ["team"]}},
  {"kind": "LabelPolicy", "metadata": {"name": "unreadable", "namespace": "bank"},
   "spec": {"requiredLabel": ["team"]}}]})";

constexpr std::string_view scheduling_policies = R"({"kind": "List", "items": [
  {"kind": "EngineConfiguration", "systems": [{"system": "SchedulingPolicy"}], "policyUse": "Every"},
  {"kind": "SchedulingPolicy", "metadata": {"name": "builders"},
   "spec": {"required": {"serviceAccountNames": ["builder"]}, "allowed": {"schedulerNames": []}}}]})";

engine::Engine compiled(std::string_view bytes) {
  engine::Configuration configuration;
  check(json::add_objects(configuration, bytes).empty(), "the configuration is not read");
  auto engine = compile(configuration);
  check(engine.has_value(), "the configuration is not compiled");
  return engine ? *std::move(engine) : engine::Engine();
}

/// The codes of all denials.
std::vector<ViolationCode> codes(const engine::Engine& engine, Pod pod) {
  engine::Request request;
  request.object = std::move(pod);
  std::vector<ViolationCode> all;
  for (const engine::StepDecision& step : engine.decide(request).steps)
    for (const Violation& violation : step.violations) all.push_back(violation.code);
  return all;
}

bool is_denied(const engine::Engine& engine, std::string_view namespace_, std::string_view spec,
               std::string_view reason) {
  const std::string in(namespace_);
  const std::string review =
      R"({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1", "request": {"uid": "1",
          "operation": "CREATE", "namespace": ")" +
      in + R"(", "kind": {"group": "", "version": "v1", "kind": "Pod"}, "object": {"kind": "Pod",
          "apiVersion": "v1", "metadata": {"name": "p", "namespace": ")" +
      in + R"("}, "spec": )" + std::string(spec) + "}}}";
  const std::string response = json::review(review, engine);
  return response.find(R"("allowed":false)") != response.npos &&
         response.find(reason) != response.npos;
}

}  // namespace

int main() {
  using enum ViolationCode;
  const engine::Engine labels = compiled(label_policies);
  Pod pod{.metadata = {.name = "p", .namespace_ = "shop"}};
  check(codes(labels, pod) == std::vector{label_required}, "a pod without the label is allowed");
  pod.metadata.labels = {{"team", "web"}};
  check(codes(labels, pod).empty(), "a pod with the label is denied");
  pod.metadata.namespace_ = "bank";
  check(codes(labels, pod) == std::vector{invalid_policy}, "what cannot be read denies nothing");
  check(is_denied(labels, "shop", "{}", "label `team` is required by `team`"),
        "the review of a pod without the label says something else");

  const engine::Engine accounts = compiled(scheduling_policies);
  pod.spec.scheduler_name = "default-scheduler";
  check(codes(accounts, pod) == std::vector{service_account_name_required},
        "a pod without the account is allowed");
  pod.spec.service_account_name = "web";
  check(codes(accounts, pod).front() == service_account_name_required, "another account will do");
  pod.spec.service_account_name = "builder";
  check(codes(accounts, pod).empty(), "a pod with the account is denied");
  check(is_denied(accounts, "shop", "{}", "service account"),
        "the review of a pod without the account says something else");
  return is_good ? 0 : 1;
}
