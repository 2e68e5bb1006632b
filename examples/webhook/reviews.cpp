// SPDX-License-Identifier: Apache-2.0
#include "reviews.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/insight/adviser.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/review.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

namespace webhook {

namespace {

using schedpol::engine::Phase;
using schedpol::json::encode;

/// Larger reviews are read into memory of their own, which goes back when they are answered.
constexpr std::size_t most_kept_bytes = std::size_t{64} << 10U;

/// An API server writes the uid first of all.
constexpr std::size_t most_bytes_before_uid = 4096;

/// For which a denial waits that may have what the watches have not told yet, though nothing says so: a
/// missing binding looks like none.
constexpr std::chrono::milliseconds wait_for_grants(200);

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

/// What a source lacks that is not ready.
std::string reason_of(const support::SourceStatus& status) {
  std::string message = "no whole set of policies is in force yet, so nothing is allowed";
  for (std::size_t i = 0; i < std::min(status.stale.size(), schedpol::max_shown_names); ++i)
    message.append(i == 0 ? ": " : "; ").append(status.stale[i]);
  if (status.stale.size() > schedpol::max_shown_names)
    message.append("; and ")
        .append(std::to_string(status.stale.size() - schedpol::max_shown_names))
        .append(" more");
  return message;
}

/// An AdmissionReview with what is said of a request: members of its response, as JSON.
std::string review_of(const std::string& uid, const std::string& said) {
  return R"({"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":)" +
         encode(uid) + ',' + said + "}}";
}

std::string denial(const std::string& message, std::string_view reason, int code) {
  return R"("allowed":false,"status":{"status":"Failure","message":)" + encode(message) +
         R"(,"reason":")" + std::string(reason) + R"(","code":)" + std::to_string(code) + "}";
}

/// The uid of a review that there is no time to read: the first one, as an API server writes it.
/// Empty where there is none; the API server refuses an answer with another one.
std::string uid_of(std::string_view bytes) {
  constexpr std::string_view key = R"("uid":)";
  bytes = bytes.substr(0, most_bytes_before_uid);
  const std::size_t begin = bytes.find(key);
  if (begin == std::string_view::npos) return {};
  bytes.remove_prefix(begin + key.size());
  bytes.remove_prefix(std::min(bytes.find_first_not_of(' '), bytes.size()));
  if (!bytes.starts_with('"')) return {};
  bytes.remove_prefix(1);
  const std::size_t end = bytes.find('"');
  if (end == std::string_view::npos) return {};
  const std::string_view uid = bytes.substr(0, end);
  const auto is_plain = [](char c) {
    return c == '-' || ('0' <= c && c <= '9') || ('A' <= c && c <= 'Z') || ('a' <= c && c <= 'z');
  };
  return std::all_of(uid.begin(), uid.end(), is_plain) ? std::string(uid) : std::string();
}

/// What can be said at once: how a pod that is denied is allowed, and of a written policy that it was
/// not compared with others.
class PromptAdviser final : public schedpol::engine::Adviser {
 public:
  [[nodiscard]] std::vector<schedpol::Change> nearest_fix(
      const schedpol::engine::Engine& engine, const schedpol::engine::Request& request,
      const schedpol::engine::Decision& denial) const override {
    return adviser_.nearest_fix(engine, request, denial);
  }
  [[nodiscard]] std::vector<std::string> warnings(
      const schedpol::engine::Engine& /*engine*/,
      const schedpol::engine::Objects& /*written*/) const override {
    was_asked_for_warnings_ = true;
    return {"there was no time to compare the policy with those that are stored"};
  }

  [[nodiscard]] bool was_asked_for_warnings() const { return was_asked_for_warnings_; }

 private:
  const schedpol::engine::InsightAdviser adviser_{};
  mutable bool was_asked_for_warnings_ = false;
};

schedpol::json::ReviewResult try_review(std::string_view bytes,
                                        const schedpol::engine::Engine& engine, Phase phase,
                                        const schedpol::engine::Adviser& adviser) {
  if (bytes.size() > most_kept_bytes)
    return schedpol::json::try_review(bytes, engine, phase, adviser);
  thread_local schedpol::json::Document document;
  return schedpol::json::try_review(bytes, engine, phase, document, adviser);
}

support::Response json_response(std::string body, int status = 200) {
  return {.status = status, .body = std::move(body), .content_type = "application/json"};
}

}  // namespace

Reviews::Reviews(const support::EngineSource& source, support::Metrics& metrics,
                 FailurePolicy failure_policy, Rehearsal* rehearsal)
    : source_(source),
      failure_policy_(failure_policy),
      metrics_(metrics),
      rehearsal_(rehearsal),
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

std::vector<support::Route> Reviews::routes(std::function<bool()> is_draining,
                                            support::Access access) {
  using support::Method;
  using support::Request;
  const auto reviews_at = [this, access](const std::string& path, Phase phase) {
    return support::Route{
        Method::post,
        path,
        [this, phase](const Request& asked) { return review(phase, asked); },
        [this, phase](const Request& asked) { return analyze(phase, asked); },
        [this, phase](const Request& asked) { return answer_too_late(phase, asked); },
        access};
  };
  return {
      reviews_at("/admit", Phase::mutating),
      reviews_at("/validate", Phase::validating),
      {Method::get, "/healthz", [](const Request&) { return support::Response{.body = "ok\n"}; }},
      {Method::get, "/readyz",
       [this, is_draining = std::move(is_draining)](const Request& asked) {
         return answer_ready(is_draining(), asked.query == "verbose");
       }},
      {Method::get, "/metrics",
       [this](const Request&) {
         return support::Response{.body = metrics_.text(),
                                  .content_type = "text/plain; version=0.0.4"};
       }},
      {.method = Method::get,
       .path = "/needs",
       .handler =
           [this](const Request&) {
             return support::Response{.body = rehearsal_->lines(),
                                      .content_type = "application/jsonl"};
           },
       .access = support::Access::known},
  };
}

support::Response Reviews::review(Phase phase, const support::Request& request) {
  using Clock = std::chrono::steady_clock;
  const auto engine = source_.engine();
  const PromptAdviser adviser;
  const Clock::time_point begin = Clock::now();
  schedpol::json::ReviewResult reviewed = try_review(request.body, *engine, phase, adviser);
  const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  const bool is_of_nothing = reviewed.outcome == schedpol::json::Outcome::denied &&
                             reviewed.steps.empty() && reviewed.errors.empty();
  if (is_of_nothing)
    reviewed.response =
        review_of(reviewed.uid, denial(reason_of(source_.status()), "Forbidden", 403));
  // Without a uid the API server has nothing to match the denial with.
  const bool answers_nobody =
      reviewed.outcome == schedpol::json::Outcome::malformed && reviewed.uid.empty();
  support::Response response =
      json_response(std::move(reviewed.response), answers_nobody ? 400 : 200);
  response.is_provisional = adviser.was_asked_for_warnings();
  if (rehearsal_ != nullptr) rehearsal_->hear(phase, request.body, reviewed, engine);
  const bool is_by_a_system =
      reviewed.outcome == schedpol::json::Outcome::denied && !reviewed.steps.empty();
  if (!source_.is_watched() || !is_by_a_system) {
    count(phase, reviewed, seconds);
    return response;
  }
  if (reviewed.unknown.empty()) response.wait_for_change = wait_for_grants;
  response.may_differ = [this, engine] { return source_.engine() != engine; };
  response.when_sent = [this, phase, seconds,
                        kept = std::make_shared<schedpol::json::ReviewResult>(
                            std::move(reviewed))] { count(phase, *kept, seconds); };
  return response;
}

support::Response Reviews::analyze(Phase phase, const support::Request& request) const {
  const schedpol::engine::InsightAdviser adviser;
  return json_response(try_review(request.body, *source_.engine(), phase, adviser).response);
}

support::Response Reviews::answer_too_late(Phase phase, const support::Request& request) {
  reviews_.with({to_string(phase), "Late"}).add();
  const std::string uid = uid_of(request.body);
  if (uid.empty()) return {.status = 504, .body = "no answer in time\n"};
  if (failure_policy_ == FailurePolicy::fail) {
    return json_response(
        review_of(uid, denial("the webhook had no time to decide on it, so it is denied; try again",
                              "Timeout", 504)));
  }
  return json_response(
      review_of(uid, R"("allowed":true,"warnings":["the webhook had no time to decide on it"])"));
}

void Reviews::count(Phase phase, const schedpol::json::ReviewResult& reviewed, double seconds) {
  reviews_.with({to_string(phase), to_string(reviewed.outcome)}).add();
  durations_.with({to_string(phase)}).observe(seconds);
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

support::Response Reviews::answer_ready(bool is_draining, bool is_verbose) const {
  const support::SourceStatus status = source_.status();
  const bool is_ready = status.ready && !is_draining;
  std::string text = is_draining ? "draining\n" : status.ready ? "ok\n" : "not ready\n";
  append_lines(text, "stale", status.stale);
  append_lines(text, "problem", status.problems);
  if (is_verbose) append_lines(text, "watched", status.watched);
  return {.status = is_ready ? 200 : 503, .body = std::move(text)};
}

}  // namespace webhook
