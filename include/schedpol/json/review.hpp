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
#include <schedpol/json/encode.hpp>
#include <schedpol/json/engine.hpp>
#include <schedpol/json/patch.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

/// The two digits of every 12 bits in base64.
inline constexpr auto base64_digits = [] {
  constexpr std::string_view digits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<std::array<char, 2>, 4096> pairs{};
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {digits[i >> 6U], digits[i & 63U]};
  return pairs;
}();

inline void append_base64(std::string& out, std::string_view bytes) {
  const auto byte = [&](std::size_t i) -> std::uint32_t {
    return static_cast<unsigned char>(bytes[i]);
  };
  const std::size_t begin = out.size();
  out.resize(begin + (bytes.size() + 2) / 3 * 4, '=');
  char* to = out.data() + begin;
  std::size_t i = 0;
  for (; i + 2 < bytes.size(); i += 3, to += 4) {
    const std::uint32_t three = byte(i) << 16U | byte(i + 1) << 8U | byte(i + 2);
    std::memcpy(to, base64_digits[three >> 12U].data(), 2);
    std::memcpy(to + 2, base64_digits[three & 4095U].data(), 2);
  }
  if (i == bytes.size()) return;
  const bool two = i + 1 < bytes.size();
  const std::uint32_t rest = byte(i) << 16U | (two ? byte(i + 1) << 8U : 0U);
  std::memcpy(to, base64_digits[rest >> 12U].data(), 2);
  if (two) to[2] = base64_digits[rest & 4095U][0];
}

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

  Reviewed run(std::string_view bytes) && {
    Document document;
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
    expect("apiVersion", api_version);
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

  void answer_created(Pod pod) {
    // Only MetadataPolicy changes metadata, so that most pods keep theirs without a copy.
    ObjectMeta metadata;
    const bool may_change_metadata = engine_.runs(System::metadata_policy);
    if (may_change_metadata) metadata = pod.metadata;
    const PodSpec spec = pod.spec;
    const Decision decision = engine_.change(std::move(pod), ChangeValues::omitted);
    if (!decision.allowed) return answer(decision, "");
    PatchText text;
    DocumentDiffer differ(text, object_);
    const Pod& changed = decision.pod;
    if (may_change_metadata)
      differ.diff(field_path(changed.kind, "metadata"), metadata, changed.metadata);
    differ.diff(field_path(changed.kind, "spec"), spec, changed.spec);
    answer(decision, std::move(text).take());
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

  struct Cause {
    std::string_view reason;
    std::string field;
    std::string message;
  };

  /// A metav1.Status, as far as a denial fills it in.
  struct Status {
    int code = 0;
    std::string_view reason;
    std::string text{};
    std::vector<Cause> causes{};

    void add(Cause cause) {
      if (causes.size() == max_reported_errors) return;
      if (!text.empty()) text += causes.empty() ? ": " : "; ";
      text += cause.message;
      causes.push_back(std::move(cause));
    }
  };

  static void write_status(ObjectWriter& response, const Status& status) {
    ObjectWriter object(response.key("status"));
    object.member("status", "Failure")
        .member("message", status.text)
        .member("reason", status.reason)
        .member("code", std::int32_t{status.code});
    if (status.causes.empty()) return;
    ObjectWriter details(object.key("details"));
    std::string& list = details.key("causes");
    list += '[';
    for (const Cause& cause : status.causes) {
      if (!list.ends_with('[')) list += ',';
      ObjectWriter(list)
          .member("reason", cause.reason)
          .member("message", cause.message)
          .member("field", cause.field);
    }
    list += ']';
  }

  /// `status` says why it is denied; null when it is allowed.
  void respond(const Status* status, const std::vector<StepDecision>& steps,
               std::string_view patch) {
    const bool allowed = status == nullptr;
    result_.response.reserve(1024 + patch.size() / 3 * 4);
    ObjectWriter review(result_.response);
    review.member("apiVersion", api_version).member("kind", "AdmissionReview");
    ObjectWriter response(review.key("response"));
    response.member("uid", request_.uid).member("allowed", allowed);
    if (!allowed) write_status(response, *status);
    if (!patch.empty()) {
      response.member("patchType", "JSONPatch");
      std::string& out = response.key("patch");
      out += '"';
      append_base64(out, patch);
      out += '"';
    }
    write_warnings(response, steps);
    write_audit_annotations(response, allowed, steps);
  }

  static void write_warnings(ObjectWriter& response, const std::vector<StepDecision>& steps) {
    std::vector<std::string> warnings;
    for (const StepDecision& said : steps) {
      if (said.step.mode != Mode::warn) continue;
      for (const Violation& violation : said.violations) {
        if (warnings.size() == max_reported_errors) break;
        warnings.push_back(std::string(to_string(said.step.system)) +
                           " would deny: " + message(violation));
      }
    }
    if (!warnings.empty()) response.member("warnings", warnings);
  }

  /// The API server puts the webhook's name in front of a key, which makes it a label key.
  static std::string_view audit_key(System system) noexcept {
    switch (system) {
      case System::runtime_class: return "runtime-class";
      case System::metadata_policy: return "metadata-policy";
      case System::pod_scheduling_policy: return "pod-scheduling-policy";
      case System::scheduling_policy: return "scheduling-policy";
      case System::resource_policy: return "resource-policy";
    }
    return "";
  }

  /// The fields that each policy changed: `gpu: spec.schedulerName, spec.tolerations[1]; zones:
  /// ...`.
  static std::string text_of(const std::vector<Change>& changes) {
    std::string text;
    const std::string* policy = nullptr;
    for (const Change& change : changes) {
      if (policy != nullptr && *policy == change.policy) {
        text += ", ";
      } else {
        if (!text.empty()) text += "; ";
        if (!change.policy.empty()) text.append(change.policy).append(": ");
      }
      text += change.field;
      policy = &change.policy;
    }
    return text;
  }
  static std::string text_of(const std::vector<Violation>& violations) {
    std::string text;
    for (std::size_t i = 0; i < std::min(violations.size(), max_reported_errors); ++i) {
      if (i > 0) text += "; ";
      text += message(violations[i]);
    }
    return text;
  }

  static void write_audit_annotations(ObjectWriter& response, bool allowed,
                                      const std::vector<StepDecision>& steps) {
    Labels annotations;
    const auto note = [&](const StepDecision& said, std::string_view suffix, const auto& what) {
      if (!what.empty())
        annotations[std::string(audit_key(said.step.system)).append(suffix)] = text_of(what);
    };
    for (const StepDecision& said : steps) {
      const bool enforced = said.step.mode == Mode::enforce;
      if (allowed || !enforced) note(said, enforced ? "" : "-would-change", said.changes);
      note(said, enforced ? "-denied" : "-would-deny", said.violations);
    }
    if (!annotations.empty()) response.member("auditAnnotations", annotations);
  }

  static constexpr std::string_view api_version = "admission.k8s.io/v1";

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
/// `errors` let the caller answer an error of its own instead.
[[nodiscard]] inline Reviewed try_review(std::string_view bytes, const Engine& engine,
                                         Phase phase = Phase::mutating) {
  return detail::Reviewer(engine, phase).run(bytes);
}

/// The response alone: a denial for whatever cannot be read.
[[nodiscard]] inline std::string review(std::string_view bytes, const Engine& engine,
                                        Phase phase = Phase::mutating) {
  return try_review(bytes, engine, phase).response;
}

}  // namespace schedpol::json
