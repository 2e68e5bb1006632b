// SPDX-License-Identifier: Apache-2.0
#include "reviews.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/review.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>

namespace webhook {

namespace {

using schedpol::engine::Phase;

/// Larger reviews are read into memory of their own, which goes back when they are answered.
constexpr std::size_t most_kept_bytes = std::size_t{64} << 10U;

/// Lines of one kind in an answer to a person.
constexpr std::size_t most_lines = 100;

std::string_view to_string(Phase phase) {
  return phase == Phase::mutating ? "Mutating" : "Validating";
}

/// What a system did. What it would have done shows in its mode.
std::string_view outcome_of(const schedpol::engine::StepDecision& step) {
  return !step.violations.empty() ? "Denied" : !step.changes.empty() ? "Changed" : "Allowed";
}

void append_lines(std::string& text, std::string_view what, const std::vector<std::string>& lines) {
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    text.append(what).append(": ").append(lines[i]).append("\n");
  if (lines.size() > most_lines)
    text.append(what)
        .append(": and ")
        .append(std::to_string(lines.size() - most_lines))
        .append(" more\n");
}

/// Denies, because the source is not ready, with what it lacks.
std::string denial_of(const std::string& uid, const support::SourceStatus& status) {
  using schedpol::json::encode;
  std::string message = "no whole set of policies is in force yet, so nothing is allowed";
  for (std::size_t i = 0; i < std::min(status.stale.size(), schedpol::max_shown_names); ++i)
    message.append(i == 0 ? ": " : "; ").append(status.stale[i]);
  if (status.stale.size() > schedpol::max_shown_names)
    message.append("; and ")
        .append(std::to_string(status.stale.size() - schedpol::max_shown_names))
        .append(" more");
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":)" +
         encode(uid) + R"(,"allowed":false,"status":{"status":"Failure","message":)" +
         encode(message) + R"(,"reason":"Forbidden","code":403}}})";
}

schedpol::json::Reviewed try_review(std::string_view bytes, const schedpol::engine::Engine& engine,
                                    Phase phase) {
  const schedpol::engine::InsightAdviser adviser;
  if (bytes.size() > most_kept_bytes)
    return schedpol::json::try_review(bytes, engine, phase, adviser);
  thread_local schedpol::json::Document document;
  return schedpol::json::try_review(bytes, engine, phase, document, adviser);
}

}  // namespace

Reviews::Reviews(const support::EngineSource& source, support::Metrics& metrics)
    : source_(source),
      metrics_(metrics),
      reviews_(metrics.counters("schedpol_reviews_total", "Admission reviews that were answered.",
                                {"phase", "outcome"})),
      durations_(metrics.histograms("schedpol_review_duration_seconds",
                                    "Time from the bytes of a review to its answer.", {"phase"})),
      decisions_(metrics.counters("schedpol_decisions_total",
                                  "What each system said of the objects that it was asked about.",
                                  {"system", "mode", "outcome"})),
      denials_(metrics.counters("schedpol_denials_total",
                                "Denials by the policies that are named in them, those of systems "
                                "that only warn or audit too.",
                                {"system", "mode", "policy"})) {
  metrics.gauge("schedpol_policy_generation", "Number of the policy set in force; 0: none.",
                [this] { return static_cast<double>(source_.status().generation); });
  metrics.gauge("schedpol_ready", "1 once there was a whole set of policies.",
                [this] { return source_.status().ready ? 1 : 0; });
  metrics.gauge("schedpol_stale", "Sources of policies that are not in force as they are.",
                [this] { return static_cast<double>(source_.status().stale.size()); });
  metrics.gauge("schedpol_engine_problems", "What is wrong with objects that are not used.",
                [this] { return static_cast<double>(source_.status().problems.size()); });
}

std::vector<support::Route> Reviews::routes(std::function<bool()> is_draining) {
  using support::Method;
  using support::Request;
  const auto reviews_for = [this](Phase phase) {
    return [this, phase](const Request& request) { return review(phase, request); };
  };
  return {
      {Method::post, "/admit", reviews_for(Phase::mutating)},
      {Method::post, "/validate", reviews_for(Phase::validating)},
      {Method::get, "/healthz", [](const Request&) { return support::Response{.body = "ok\n"}; }},
      {Method::get, "/readyz",
       [this, is_draining = std::move(is_draining)](const Request&) {
         return answer_ready(is_draining());
       }},
      {Method::get, "/metrics",
       [this](const Request&) {
         return support::Response{.body = metrics_.text(),
                                  .content_type = "text/plain; version=0.0.4"};
       }},
  };
}

support::Response Reviews::review(Phase phase, const support::Request& request) {
  using Clock = std::chrono::steady_clock;
  const auto engine = source_.engine();
  const Clock::time_point begin = Clock::now();
  schedpol::json::Reviewed reviewed = try_review(request.body, *engine, phase);
  count(to_string(phase), reviewed, std::chrono::duration<double>(Clock::now() - begin).count());
  const bool is_of_nothing = reviewed.outcome == schedpol::json::Outcome::denied &&
                             reviewed.steps.empty() && reviewed.errors.empty();
  if (is_of_nothing) reviewed.response = denial_of(reviewed.uid, source_.status());
  // Without a uid the API server has nothing to match the denial with.
  const bool answers_nobody =
      reviewed.outcome == schedpol::json::Outcome::malformed && reviewed.uid.empty();
  return {.status = answers_nobody ? 400 : 200,
          .body = std::move(reviewed.response),
          .content_type = "application/json"};
}

void Reviews::count(std::string_view phase, const schedpol::json::Reviewed& reviewed,
                    double seconds) {
  reviews_.with({phase, to_string(reviewed.outcome)}).add();
  durations_.with({phase}).observe(seconds);
  for (const schedpol::engine::StepDecision& step : reviewed.steps) {
    const std::string_view system = to_string(step.step.system);
    const std::string_view mode = to_string(step.step.mode);
    decisions_.with({system, mode, outcome_of(step)}).add();
    // Each policy once, and of many those that a message names.
    std::set<std::string_view> policies;
    for (const schedpol::Violation& violation : step.violations) {
      std::size_t named = 0;
      for (const std::string_view policy : violation.policies) {
        if (named++ == schedpol::max_shown_names) break;
        policies.insert(policy);
      }
    }
    for (const std::string_view policy : policies) denials_.with({system, mode, policy}).add();
  }
}

support::Response Reviews::answer_ready(bool is_draining) const {
  const support::SourceStatus status = source_.status();
  const bool is_ready = status.ready && !is_draining;
  std::string text = is_draining ? "draining\n" : status.ready ? "ok\n" : "not ready\n";
  append_lines(text, "stale", status.stale);
  append_lines(text, "problem", status.problems);
  return {.status = is_ready ? 200 : 503, .body = std::move(text)};
}

}  // namespace webhook
