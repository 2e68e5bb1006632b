// SPDX-License-Identifier: Apache-2.0
#pragma once

/// AdmissionReview (admission.k8s.io/v1) bytes in, AdmissionReview bytes out: the whole of an
/// admission webhook but its socket.
///
/// 1. CREATE of a Pod, or of a workload with a pod template, is changed and decided on; UPDATE is
///    decided on for what it adds. DELETE, CONNECT, subresources and other kinds pass.
/// 2. A denial has a status with code 403, a message that names policy and field of everything that
///    is wrong, and one cause each in its details; of both `max_reported_errors` at most.
/// 3. A patch, an RFC 6902 JSON Patch in base64, is relative to the object of the request and
///    leaves every field alone that the library does not know.
/// 4. Systems in mode `warn` speak through `warnings`; `auditAnnotations` say which policy changed
///    what, and what was or would have been denied in modes other than `enforce`.
/// 5. Whatever cannot be read is denied, with code 400 (413 beyond the limits), and echoes the
///    `uid` where it could be read. Annotations and containers are only read where MetadataPolicy
///    runs, because no other system looks at them.
/// Source: Kubernetes' dynamic admission control.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/engine.hpp>
#include <schedpol/json/patch.hpp>
#include <schedpol/json/response.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace schedpol::json {

/// Which webhook asks.
enum class Phase {
  mutating,    ///< a created object is changed
  validating,  ///< all mutators ran: it is decided on as it stands, and no patch is answered
};

/// What became of a review.
enum class Outcome {
  malformed,  ///< denied, because it could not be read; `errors` say why
  denied,     ///< denied by a system
  allowed,    ///< allowed by all systems, with a patch where they changed something
  passed,     ///< allowed, because it is nothing that scheduling policies decide on
};

[[nodiscard]] constexpr std::string_view to_string(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::malformed: return "Malformed";
    case Outcome::denied: return "Denied";
    case Outcome::allowed: return "Allowed";
    case Outcome::passed: return "Passed";
  }
  return "";
}

/// A response, and what a caller that counts or wants to answer an error instead has to know.
struct Reviewed {
  Outcome outcome = Outcome::malformed;
  std::string response{};  ///< an AdmissionReview, always
  std::vector<FieldError> errors{};
};

namespace detail {

/// The parts of a request that tell what it is about.
struct ReviewRequest {
  struct Kind {
    std::string group{};
    std::string kind{};

    friend bool operator==(const Kind&, const Kind&) = default;
  };
  std::string uid{};
  Kind kind{};
  std::string sub_resource{};
  std::string namespace_{};
  std::string operation{};

  friend bool operator==(const ReviewRequest&, const ReviewRequest&) = default;
};

template <>
struct Schema<ReviewRequest::Kind> {
  using T = ReviewRequest::Kind;
  static constexpr auto fields = std::tuple(field("group", &T::group), field("kind", &T::kind));
};

template <>
struct Schema<ReviewRequest> {
  using T = ReviewRequest;
  static constexpr auto fields = std::tuple(
      field("uid", &T::uid), field("kind", &T::kind), field("subResource", &T::sub_resource),
      field("namespace", &T::namespace_), field("operation", &T::operation));
};

/// Answers one AdmissionReview.
class Reviewer {
 public:
  Reviewer(const Engine& engine, Phase phase)
      : engine_(engine),
        phase_(phase),
        decoder_(engine.runs(System::metadata_policy) ? LookedAt::by_metadata_policy
                                                      : LookedAt::by_all) {}

  /// `document` is used for its memory.
  Reviewed run(std::string_view bytes, Document& document) && {
    if (!document.parse(bytes)) {
      // The uid of a document that is only ambiguous elsewhere can still be echoed.
      if (document.problem() == DocumentProblem::duplicate_key) read_uid(document.root());
      return malformed({document.error()}, document.problem() == DocumentProblem::limit_exceeded);
    }
    read_uid(document.root());
    read_request(document.root());
    if (!decoder_.errors().empty()) return malformed(std::move(decoder_).take_errors());
    const std::optional<PodKind> kind = kind_of(request_);
    const bool decides = request_.operation == "CREATE" || request_.operation == "UPDATE";
    if (!kind || !decides || !request_.sub_resource.empty()) {
      result_.outcome = Outcome::passed;
      respond(nullptr, {}, {});
      return std::move(result_);
    }
    Pod pod = read_pod("object", *kind);
    Pod old;
    if (request_.operation == "UPDATE") old = read_pod("oldObject", *kind);
    if (!decoder_.errors().empty()) return malformed(std::move(decoder_).take_errors());
    if (request_.operation == "UPDATE") {
      answer(engine_.decide_update(old, std::move(pod)), "");
    } else if (phase_ == Phase::validating) {
      answer(engine_.verify(std::move(pod)), "");
    } else {
      answer_created(std::move(pod));
    }
    return std::move(result_);
  }

 private:
  void read_uid(element root) {
    std::string_view uid;
    if (root["request"]["uid"].get(uid) == simdjson::SUCCESS) request_.uid = uid;
  }

  void read_request(element root) {
    const Path path;
    std::string_view text;
    const auto expect = [&](std::string_view name, std::string_view wanted) {
      if (root[name].get(text) == simdjson::SUCCESS && text == wanted) return;
      decoder_.report(ErrorType::not_supported, path.field(name), "",
                      "must be " + std::string(wanted));
    };
    if (!root.is_object())
      return decoder_.report(ErrorType::type_invalid, path, "", "an AdmissionReview is an object");
    expect("apiVersion", review_api_version);
    expect("kind", "AdmissionReview");
    const Path at = path.field("request");
    element request;
    if (root["request"].get(request) != simdjson::SUCCESS)
      return decoder_.report(ErrorType::required, at, "", "there is nothing to review");
    decoder_.read(at, request, request_);
    if (request_.uid.empty())
      decoder_.report(ErrorType::required, at.field("uid"), "", "the response echoes it");
    if (request_.kind.kind.empty())
      decoder_.report(ErrorType::required, at.field("kind").field("kind"), "",
                      "tells what the object is");
    constexpr std::array<std::string_view, 4> known_operations = {"CREATE", "UPDATE", "DELETE",
                                                                  "CONNECT"};
    if (std::find(known_operations.begin(), known_operations.end(), request_.operation) ==
        known_operations.end()) {
      decoder_.report(ErrorType::not_supported, at.field("operation"), request_.operation,
                      "supported are CREATE, UPDATE, DELETE and CONNECT");
    }
    request_element_ = request;
  }

  /// The kind of pod or workload, told by group and kind; a custom resource may well be a
  /// `Deployment` of another group.
  static std::optional<PodKind> kind_of(const ReviewRequest& request) noexcept {
    const std::optional<PodKind> kind = pod_kind(request.kind.kind);
    if (!kind) return std::nullopt;
    const std::string_view group = request.kind.group;
    switch (*kind) {
      case PodKind::pod:
      case PodKind::pod_template:
      case PodKind::replication_controller: return group.empty() ? kind : std::nullopt;
      case PodKind::job:
      case PodKind::cron_job: return group == "batch" ? kind : std::nullopt;
      case PodKind::replica_set:
      case PodKind::deployment:
      case PodKind::stateful_set:
      case PodKind::daemon_set: break;
    }
    return group == "apps" || group == "extensions" ? kind : std::nullopt;
  }

  Pod read_pod(std::string_view name, PodKind kind) {
    const Path root;
    const Path request = root.field("request");
    const Path path = request.field(name);
    Pod pod;
    element object;
    if (request_element_[name].get(object) != simdjson::SUCCESS || object.is_null()) {
      decoder_.report(ErrorType::required, path, "", "the operation needs it");
      return pod;
    }
    decoder_.read(path, object, pod);
    if (!decoder_.errors().empty()) return pod;
    if (pod.kind != kind) {
      decoder_.report(ErrorType::invalid, path.field("kind"), to_string(pod.kind),
                      "is not the kind of the request");
    }
    // The pods of a workload stand in its namespace, whatever its template says.
    std::string& in = pod.metadata.namespace_;
    if (in.empty() || (kind != PodKind::pod && !request_.namespace_.empty()))
      in = request_.namespace_;
    if (!request_.namespace_.empty() && in != request_.namespace_) {
      decoder_.report(ErrorType::invalid, path.field("metadata").field("namespace"), in,
                      "is not the namespace of the request");
    }
    if (name == "object") object_ = object;
    return pod;
  }

  Reviewed malformed(std::vector<FieldError> errors, bool limit = false) {
    const bool beyond = limit || std::any_of(errors.begin(), errors.end(), [](const auto& error) {
                          return error.type == ErrorType::too_many;
                        });
    Status status = beyond ? Status{413, "RequestEntityTooLarge"} : Status{400, "BadRequest"};
    for (const FieldError& error : errors)
      status.add({to_string(error.type), error.field, message(error)});
    respond(&status, {}, {});
    result_.errors = std::move(errors);
    return std::move(result_);
  }

  void answer_created(Pod&& pod) {
    // Only MetadataPolicy changes metadata, so that most pods keep theirs without a copy.
    ObjectMeta metadata;
    const bool may_change_metadata = engine_.runs(System::metadata_policy);
    if (may_change_metadata) metadata = pod.metadata;
    const PodSpec spec = pod.spec;
    const Decision decision = engine_.change(std::move(pod), ChangeValues::omitted);
    if (!decision.allowed) return answer(decision, "");
    PatchText patch;
    DocumentDiffer differ(patch, object_);
    const Pod& changed = decision.pod;
    if (may_change_metadata)
      differ.diff(field_path(changed.kind, "metadata"), metadata, changed.metadata);
    differ.diff(field_path(changed.kind, "spec"), spec, changed.spec);
    answer(decision, patch.finish());
  }

  void answer(const Decision& decision, std::string_view patch) {
    result_.outcome = decision.allowed ? Outcome::allowed : Outcome::denied;
    if (decision.allowed) return respond(nullptr, decision.steps, patch);
    Status status{403, "Forbidden"};
    if (decision.steps.empty()) {
      status.text = "no policies are configured, so nothing is allowed";
    } else {
      const StepDecision& said = decision.steps.back();
      status.text = to_string(said.step.system);
      for (const Violation& violation : said.violations)
        status.add({to_string(violation.code), violation.field, message(violation)});
    }
    respond(&status, decision.steps, {});
  }

  /// `status` says why it is denied; null when it is allowed.
  void respond(const Status* status, const std::vector<StepDecision>& steps,
               std::string_view patch) {
    result_.response = response_to(request_.uid, status, steps, patch);
  }

  const Engine& engine_;
  Phase phase_;
  Decoder decoder_;
  ReviewRequest request_;
  element request_element_;
  element object_;
  Reviewed result_;
};

}  // namespace detail

/// Answers an AdmissionReview. Total: bytes that are none get a denial too, and `outcome` and
/// `errors` let the caller answer an error of its own instead. What `document` held is gone
/// afterwards; one a thread, used for every review, spares each the memory it is read into.
[[nodiscard]] inline Reviewed try_review(std::string_view bytes, const Engine& engine, Phase phase,
                                         Document& document) {
  return detail::Reviewer(engine, phase).run(bytes, document);
}
[[nodiscard]] inline Reviewed try_review(std::string_view bytes, const Engine& engine,
                                         Phase phase = Phase::mutating) {
  Document document;
  return try_review(bytes, engine, phase, document);
}

/// The response alone: a denial for whatever cannot be read.
[[nodiscard]] inline std::string review(std::string_view bytes, const Engine& engine,
                                        Phase phase = Phase::mutating) {
  return try_review(bytes, engine, phase).response;
}

}  // namespace schedpol::json
