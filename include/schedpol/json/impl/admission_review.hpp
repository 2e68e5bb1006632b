// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An AdmissionReview (admission.k8s.io/v1): the request in it, and what is answered: the verdict, the
/// status of a denial, the patch in base64, warnings and audit annotations. What they say is in
/// `review.hpp`. Source: Kubernetes' dynamic admission control.

#include <schedpol/base/quoting.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/json/impl/base64.hpp>
#include <schedpol/json/impl/object_writer.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// The parts of a request that tell what it is about, apart from the objects.
struct ReviewRequest {
  struct Kind {
    std::string group{};
    std::string kind{};
  };
  struct UserInfo {
    std::string username{};
    Texts groups{};
  };
  std::string uid{};
  Kind kind{};
  std::string sub_resource{};
  std::string namespace_{};
  std::string operation{};
  UserInfo user_info{};
};

template <>
inline constexpr auto schema<ReviewRequest::Kind> =
    object(field("group", &ReviewRequest::Kind::group), field("kind", &ReviewRequest::Kind::kind));

template <>
inline constexpr auto schema<ReviewRequest::UserInfo> =
    object(field("username", &ReviewRequest::UserInfo::username),
           field("groups", &ReviewRequest::UserInfo::groups));

template <>
inline constexpr auto schema<ReviewRequest> = object(
    field("uid", &ReviewRequest::uid), field("kind", &ReviewRequest::kind),
    field("subResource", &ReviewRequest::sub_resource),
    field("namespace", &ReviewRequest::namespace_), field("operation", &ReviewRequest::operation),
    field("userInfo", &ReviewRequest::user_info));

/// A metav1.Status, as far as a denial fills it in. Its text says what the causes only name.
struct Status {
  struct Cause {
    std::string_view reason;
    FieldPath field;
  };

  std::int32_t code = 0;
  std::string_view reason;
  std::string text{};
  std::vector<Cause> causes{};

  /// All of them, after a text that says who denies, if any.
  template <class List, class Reason>
  void add(const List& list, Reason&& reason_of) {
    for (const auto& each : list) {
      if (causes.size() == max_reported_errors) {
        text += "; and " + std::to_string(list.size() - causes.size()) + " more";
        return;
      }
      if (!text.empty()) text += causes.empty() ? ": " : "; ";
      text += message(each);
      causes.push_back({reason_of(each), each.field});
    }
  }
};

inline void write(Writer& out, const Status::Cause& cause) {
  ObjectWriter(out).member("reason", cause.reason).member("field", cause.field);
}

inline constexpr std::string_view review_api_version = "admission.k8s.io/v1";

/// Writes the AdmissionReview that answers one request.
class ResponseWriter {
 public:
  /// `status` says why the request is denied; null when it is allowed. `warnings` stand before
  /// those of the steps.
  ResponseWriter(const Status* status, const std::vector<engine::StepDecision>& steps,
                 std::vector<std::string> warnings = {})
      : status_(status), steps_(steps), warnings_(std::move(warnings)) {}

  [[nodiscard]] std::string write(std::string_view uid, std::string_view patch) const {
    Writer out;
    {
      ObjectWriter review(out);
      review.member("apiVersion", review_api_version).member("kind", "AdmissionReview");
      ObjectWriter response(review.key("response"));
      response.member("uid", uid).member("allowed", status_ == nullptr);
      if (status_ != nullptr) write_status(response.key("status"));
      if (!patch.empty()) write_patch(response, patch);
      write_warnings(response);
      write_audit_annotations(response);
    }
    return std::move(out).take();
  }

 private:
  using StepDecision = engine::StepDecision;

  static bool enforced(const StepDecision& decided) noexcept {
    return decided.step.mode == engine::Mode::enforce;
  }
  /// Where it is denied, nothing that was to be enforced has been changed.
  [[nodiscard]] bool changed(const StepDecision& decided) const noexcept {
    return !decided.changes.empty() && (status_ == nullptr || !enforced(decided));
  }

  void write_status(Writer& out) const {
    ObjectWriter object(out);
    object.member("status", "Failure")
        .member("message", status_->text)
        .member("reason", status_->reason)
        .member("code", status_->code);
    if (!status_->causes.empty())
      ObjectWriter(object.key("details")).member("causes", status_->causes);
  }

  static void write_patch(ObjectWriter& response, std::string_view patch) {
    response.member("patchType", "JSONPatch");
    Writer& text = response.key("patch");
    text += '"';
    write_base64(text, patch);
    text += '"';
  }

  void write_warnings(ObjectWriter& response) const {
    std::vector<std::string> warnings = warnings_;
    for (const StepDecision& decided : steps_) {
      for (const Warning& warning : decided.warnings) {
        if (status_ != nullptr || warnings.size() == max_reported_errors) break;
        warnings.push_back(message(warning));
      }
      if (decided.step.mode != engine::Mode::warn) continue;
      for (const Violation& violation : decided.violations) {
        if (warnings.size() == max_reported_errors) break;
        warnings.push_back(std::string(to_string(decided.step.system)) +
                           " would deny: " + message(violation));
      }
    }
    if (!warnings.empty()) response.member("warnings", warnings);
  }

  /// Keys in byte order, as an object has them.
  void write_audit_annotations(ObjectWriter& response) const {
    std::vector<const StepDecision*> reported;
    for (const StepDecision& decided : steps_)
      if (changed(decided) || !decided.violations.empty()) reported.push_back(&decided);
    if (reported.empty()) return;
    std::sort(reported.begin(), reported.end(), [](const StepDecision* a, const StepDecision* b) {
      return audit_key(a->step.system) < audit_key(b->step.system);
    });
    ObjectWriter annotations(response.key("auditAnnotations"));
    for (const StepDecision* decided : reported) {
      const auto note = [&](std::string_view suffix, const std::string& text) {
        annotations.member(std::string(audit_key(decided->step.system)).append(suffix), text);
      };
      if (changed(*decided))
        note(enforced(*decided) ? "" : "-would-change", text_of(decided->changes));
      if (decided->violations.empty()) continue;
      // What the status or the warnings say is not said again.
      const bool is_reported = decided->step.mode != engine::Mode::audit;
      note(enforced(*decided) ? "-denied" : "-would-deny",
           texts_of(decided->violations, is_reported ? brief : message_of));
    }
  }

  /// The fields that each policy changed:
  /// `gpu: spec.schedulerName, spec.tolerations[1]; zones: ...`.
  static std::string text_of(const std::vector<Change>& changes) {
    constexpr std::size_t usual = 1000;  // more than most take
    std::string text;
    text.reserve(usual);
    const std::string* policy = nullptr;
    for (const Change& change : changes) {
      if (policy != nullptr && *policy == change.policy) {
        text += ", ";
      } else {
        if (policy != nullptr) text += "; ";
        text += change.policy;
        if (!change.policy.empty()) text += ": ";
      }
      append_to(text, change.field);
      policy = &change.policy;
    }
    return text;
  }

  static std::string message_of(const Violation& violation) { return message(violation); }
  /// `spec.schedulerName`: SchedulerNameNotAllowed by `everyone`.
  static std::string brief(const Violation& violation) {
    std::string text = in_backticks(to_string(violation.field)) + ": ";
    text += to_string(violation.code);
    return violation.policies.empty() ? text : text + " by " + in_backticks(violation.policies);
  }
  static std::string texts_of(const std::vector<Violation>& violations,
                              std::string (*text_of)(const Violation&)) {
    std::string text;
    for (std::size_t i = 0; i < std::min(violations.size(), max_reported_errors); ++i)
      text.append(i > 0 ? "; " : "").append(text_of(violations[i]));
    if (violations.size() > max_reported_errors)
      text += "; and " + std::to_string(violations.size() - max_reported_errors) + " more";
    return text;
  }

  const Status* status_;
  const std::vector<StepDecision>& steps_;
  std::vector<std::string> warnings_;
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
