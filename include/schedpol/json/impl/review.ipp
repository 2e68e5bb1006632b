// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/impl/admission_review.hpp>
#include <schedpol/json/impl/custom_templates.hpp>
#include <schedpol/json/review.hpp>

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// Answers one AdmissionReview.
class Reviewer {
 public:
  Reviewer(const engine::Engine& engine, engine::Phase phase, const engine::Adviser& adviser,
           std::string_view bytes)
      : engine_(engine), phase_(phase), adviser_(adviser), bytes_(bytes), decoder_(bytes.size()) {}

  /// `document` is used for its memory.
  ReviewResult run(Document& document) && {
    engine::Request request;
    if (std::optional<ReviewResult> answer = read(document, request)) return *std::move(answer);
    engine::Decision decision = engine_.decide(request);
    if (!decision.allowed) {
      const std::vector<Change> fix = adviser_.nearest_fix(engine_, request, decision);
      result_.unknown = std::move(decision.unknown);
      return deny(std::move(decision.steps), fix);
    }
    add_metadata_steps(decision.steps);
    if (phase_ == engine::Phase::validating || decision.steps.empty())
      return respond(Outcome::allowed, nullptr, std::move(decision.steps));
    Differ differ(request_element_["object"]);
    diff_metadata(differ);
    const Pod& changed = decision.pod;
    if (engine_.looks_at_metadata())
      differ.diff(changed.kind, "metadata", request.object.metadata, changed.metadata);
    differ.diff(changed.kind, "spec", request.object.spec, changed.spec);
    std::vector<std::string> warnings;
    for (const Warning& warning : decision.warnings) warnings.push_back(message(warning));
    return respond(Outcome::allowed, nullptr, std::move(decision.steps), std::move(differ).json(),
                   std::move(warnings));
  }

 private:
  /// Reads what the engine is to decide on; where it is not to decide, the answer.
  std::optional<ReviewResult> read(Document& document, engine::Request& request) {
    if (!document.parse(bytes_)) {
      // The uid of a document that is only ambiguous elsewhere can still be echoed.
      std::string_view uid;
      if (DocumentAccess::ambiguous_root(document)["request"]["uid"].get(uid)) request_.uid = uid;
      return malformed({document.error()});
    }
    const Element root = DocumentAccess::root(document);
    read_request(root);
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    const bool is_update = request_.operation == "UPDATE";
    if (!request_.sub_resource.empty() || (!is_update && request_.operation != "CREATE"))
      return passed();
    for (const std::string_view name : {"object", "oldObject"}) expect_kind_of_request(name);
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    const std::optional<PodKind> kind = pod_kind(request_.kind.kind);
    // A custom resource may well be a `Deployment` of another group.
    const bool has_pod = kind && is_in_group(*kind, request_.kind.group);
    engine::Objects policies;
    if (!has_pod && read_policy(policies)) return review_policy(policies, is_update);
    if (!has_pod || *kind != PodKind::pod) {
      decide_metadata(is_update);
      if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
      if (!metadata_.allowed) return deny(std::move(metadata_.steps), {});
    }
    request.requester = {.name = std::move(request_.user_info.username),
                         .groups = std::move(request_.user_info.groups)};
    request.phase = phase_;
    request.values = ChangeValues::omitted;
    if (!has_pod) return decide_templates(is_update, request);
    if (is_update) request.operation = engine::Operation::update;
    if (*kind != PodKind::pod) {
      if (skipped_by_owner(*kind) || (is_update && has_old_part(template_steps(*kind))))
        return metadata_.steps.empty() ? passed() : metadata_allowed();
      request.template_differs = is_update;
    }
    read_as_far_as_needed(request);
    read_pod("object", *kind, request.object);
    if (is_update) read_pod("oldObject", *kind, request.old.object);
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    return std::nullopt;
  }

  /// How much of pods is read.
  void read_as_far_as_needed(const engine::Request& request) {
    const bool reads_all =
        engine_.looks_at_metadata() || request.requester.groups.contains(engine::nodes_group);
    decoder_ = Decoder(bytes_.size(), reads_all ? Extent::whole : Extent::scheduling);
  }

  /// Decides on the pod templates that the configuration says an object of a custom kind has, each by itself. All
  /// of them have to be allowed.
  ReviewResult decide_templates(bool is_update, engine::Request& request) {
    const CustomObject object{
        request_element_["object"], is_update ? request_element_["oldObject"] : Element(),
        at_request_.child("object").path(), at_request_.child("oldObject").path()};
    const std::vector<CustomTemplate> templates = find_templates(
        decoder_, object, engine_.templates(), {request_.kind.group, request_.kind.kind});
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    if (templates.empty()) return metadata_.steps.empty() ? passed() : metadata_allowed();
    read_as_far_as_needed(request);
    ObjectMeta workload;
    read_metadata("object", workload);
    const std::vector<engine::TemplateRequest> requests =
        requests_about(decoder_, object, templates, workload, request);
    if (!decoder_.errors().empty()) return malformed(decoder_.take_errors());
    engine::TemplatesDecision decision = engine::decide_templates(engine_, requests, adviser_);
    if (!decision.allowed) {
      result_.unknown = std::move(decision.unknown);
      return deny(std::move(decision.steps), decision.nearest_fix);
    }
    add_metadata_steps(decision.steps);
    if (phase_ == engine::Phase::validating)
      return respond(Outcome::allowed, nullptr, std::move(decision.steps));
    Differ differ(object.now);
    diff_metadata(differ);
    diff_templates(differ, templates, requests, decision, engine_.looks_at_metadata());
    std::vector<std::string> warnings;
    for (const Warning& warning : decision.warnings) warnings.push_back(message(warning));
    return respond(Outcome::allowed, nullptr, std::move(decision.steps), std::move(differ).json(),
                   std::move(warnings));
  }

  /// Whether an owner of the workload was decided on in its place.
  [[nodiscard]] bool skipped_by_owner(PodKind kind) const {
    const Element owners = request_element_["object"]["metadata"]["ownerReferences"];
    for (const Element from : owners.items()) {
      OwnerReference owner;
      Decoder().read({}, from, owner);  // what cannot be read is none that passes it
      if (engine::skipped_by_owner(kind, owner)) return true;
    }
    return false;
  }

  /// Decides on what the object says of itself, where a system that runs looks at that.
  void decide_metadata(bool is_update) {
    metadata_.allowed = true;
    if (!engine_.looks_at_metadata() || request_.namespace_.empty() ||
        !engine::is_subject_to_metadata_policy(request_.kind.group, request_.kind.kind))
      return;
    engine::MetadataRequest request{
        .operation = is_update ? engine::Operation::update : engine::Operation::create,
        .api_group = request_.kind.group,
        .kind = request_.kind.kind,
        .requester = {.name = request_.user_info.username, .groups = request_.user_info.groups},
        .phase = phase_};
    read_metadata("object", request.object);
    if (is_update) read_metadata("oldObject", request.old.object);
    if (!decoder_.errors().empty()) return;
    metadata_ = engine_.decide_metadata(request);
    metadata_before_ = std::move(request.object);
  }

  /// Whether the request has the object, which is read then.
  template <class T>
  bool read_object(const PathBuilder& at, std::string_view name, T& into) {
    const Element object = request_element_.non_null(name);
    if (object.is_there()) {
      decoder_.read(at, object, into);
    } else {
      decoder_.report(ErrorType::required, at, "", "the operation needs it");
    }
    return object.is_there();
  }

  void read_metadata(std::string_view name, ObjectMeta& metadata) {
    const PathBuilder at = at_request_.child(name);
    AnyObject read;
    if (!read_object(at, name, read)) return;
    metadata = std::move(read.metadata);
    stand_in_namespace(at, metadata, false);
  }

  ReviewResult metadata_allowed() {
    Differ differ(request_element_["object"]);
    diff_metadata(differ);
    return respond(Outcome::allowed, nullptr, std::move(metadata_.steps), std::move(differ).json());
  }

  void diff_metadata(Differ& differ) const {
    if (metadata_before_) differ.diff_object(*metadata_before_, metadata_.metadata);
  }

  /// The policy that is written; false where the request is about something else.
  bool read_policy(engine::Objects& into) {
    if (!engine::is_policy(request_.kind.group, request_.kind.kind)) return false;
    for_each_list(into, [&](auto& list, engine::ObjectKinds kinds) {
      if (schedpol::detail::none_of(
              kinds, [&](const engine::ObjectKind& one) { return one.name == request_.kind.kind; }))
        return;
      const Element object = request_element_.non_null("object");
      if (!object.is_there()) {
        decoder_.report(ErrorType::required, whole_.child("object"), "", "the operation needs it");
      } else {
        decoder_.read(whole_, object, list.emplace_back());
      }
    });
    return true;
  }

  /// Of a policy that is written what is wrong with it, where it could be read.
  ReviewResult review_policy(const engine::Objects& objects, bool is_update) {
    // Whoever takes a finalizer off a policy that is invalid already must not be kept from it.
    if (is_update && has_old_part(spec_step)) return passed();
    std::vector<FieldError> errors = decoder_.take_errors();
    if (errors.empty()) errors = engine::validate_each(objects);
    if (errors.empty())
      return respond(Outcome::allowed, nullptr, {}, {}, adviser_.warnings(engine_, objects));
    return refuse(Outcome::denied, {422, "Invalid", request_.kind.kind}, std::move(errors));
  }

  static constexpr std::string_view spec_step[] = {"spec"};

  /// Whether an update leaves the part below these fields as it was, in all that the document says
  /// of it.
  [[nodiscard]] bool has_old_part(std::span<const std::string_view> steps) const {
    const Element now = request_element_["object"].below(steps);
    return now.is_there() && is_equal(now, request_element_["oldObject"].below(steps));
  }

  void read_request(Element root) {
    const PathBuilder& at = at_request_;
    if (!root.is_object())
      return decoder_.report(ErrorType::type_invalid, whole_, "",
                             "an AdmissionReview is an object");
    expect(root, "apiVersion", review_api_version);
    expect(root, "kind", "AdmissionReview");
    request_element_ = root["request"];
    if (!request_element_.is_there())
      return decoder_.report(ErrorType::required, at, "", "there is nothing to review");
    decoder_.read(at, request_element_, request_);
    if (request_.uid.empty())
      decoder_.report(ErrorType::required, at.child("uid"), "", "the response echoes it");
    if (request_.kind.kind.empty()) {
      const PathBuilder kind = at.child("kind");
      decoder_.report(ErrorType::required, kind.child("kind"), "", "tells what the object is");
    }
    constexpr std::string_view known[] = {"CREATE", "UPDATE", "DELETE", "CONNECT"};
    if (!schedpol::detail::contains(known, request_.operation)) {
      decoder_.report(ErrorType::not_supported, at.child("operation"), request_.operation,
                      "supported are CREATE, UPDATE, DELETE and CONNECT");
    }
  }

  /// An object that says another kind or group than the request would pass as what it is not.
  void expect_kind_of_request(std::string_view name) {
    const Element object = request_element_.non_null(name);
    const PathBuilder at = at_request_.child(name);
    std::string_view text;
    if (object["kind"].get(text) && text != request_.kind.kind)
      decoder_.report(ErrorType::invalid, at.child("kind"), text, "is not the kind of the request");
    if (object["apiVersion"].get(text) && api_group(text) != request_.kind.group) {
      decoder_.report(ErrorType::invalid, at.child("apiVersion"), text,
                      "is not of the group of the request");
    }
  }

  void expect(Element root, std::string_view name, std::string_view wanted) {
    std::string_view text;
    if (root[name].get(text) && text == wanted) return;
    decoder_.report(ErrorType::not_supported, whole_.child(name), "",
                    "must be " + std::string(wanted));
  }

  void read_pod(std::string_view name, PodKind kind, Pod& pod) {
    const PathBuilder at = at_request_.child(name);
    if (!read_object(at, name, pod) || !decoder_.errors().empty()) return;
    if (pod.kind != kind) {
      decoder_.report(ErrorType::invalid, at.child("kind"), to_string(pod.kind),
                      "is not the kind of the request");
    }
    // The pods of a workload stand in its namespace, whatever its template says.
    stand_in_namespace(at, pod.metadata, kind != PodKind::pod);
  }

  /// Puts an object into the namespace of the request, which it may name itself.
  void stand_in_namespace(const PathBuilder& at, ObjectMeta& object, bool whatever_it_says) {
    std::string& in = object.namespace_;
    if (in.empty() || (whatever_it_says && !request_.namespace_.empty())) in = request_.namespace_;
    if (!request_.namespace_.empty() && in != request_.namespace_) {
      const PathBuilder metadata = at.child("metadata");
      decoder_.report(ErrorType::invalid, metadata.child("namespace"), in,
                      "is not the namespace of the request");
    }
  }

  ReviewResult passed() { return respond(Outcome::passed, nullptr); }

  ReviewResult malformed(std::vector<FieldError> errors) {
    const Status status = schedpol::detail::any_of(errors, is_limit)
                              ? Status{413, "RequestEntityTooLarge"}
                              : Status{400, "BadRequest"};
    return refuse(Outcome::malformed, status, std::move(errors));
  }

  /// Denies what is wrong in itself.
  ReviewResult refuse(Outcome outcome, Status status, std::vector<FieldError> errors) {
    status.add(errors, [](const FieldError& error) { return to_string(error.type); });
    result_.errors = std::move(errors);
    return respond(outcome, &status);
  }

  /// What a system said of a workload itself stands before what it says of the template.
  void add_metadata_steps(std::vector<engine::StepDecision>& steps) {
    const auto prepend = [](auto& to, auto& from) {
      schedpol::detail::append(from, std::move(to));
      to = std::move(from);
    };
    for (engine::StepDecision& decided : metadata_.steps) {
      for (engine::StepDecision& step : steps) {
        if (step.step.system != decided.step.system) continue;
        prepend(step.violations, decided.violations);
        prepend(step.changes, decided.changes);
      }
    }
  }

  /// What its author would have to write, as the end of a sentence; nothing where that is more than
  /// a person wants to read.
  static std::string shown_fix(const std::vector<Change>& fix) {
    if (fix.empty() || fix.size() > max_shown_names) return "";
    std::string text = "; it would be allowed with ";
    for (std::size_t i = 0; i < fix.size(); ++i) {
      if (i > 0) text += i + 1 == fix.size() ? " and " : ", ";
      text += message(fix[i]);
    }
    return text;
  }

  ReviewResult deny(std::vector<engine::StepDecision> steps, const std::vector<Change>& fix) {
    Status status{403, "Forbidden"};
    if (steps.empty()) {
      status.text = "no policies are configured, so nothing is allowed";
    } else {
      const engine::StepDecision& decided = steps.back();
      status.text = to_string(decided.step.system);
      status.add(decided.violations, [](const Violation& each) { return to_string(each.code); });
      status.text += shown_fix(fix);
    }
    return respond(Outcome::denied, &status, std::move(steps));
  }

  /// `status` says why it is denied; null when it is allowed.
  ReviewResult respond(Outcome outcome, const Status* status,
                       std::vector<engine::StepDecision> steps = {}, std::string_view patch = {},
                       std::vector<std::string> warnings = {}) {
    result_.outcome = outcome;
    result_.response =
        ResponseWriter(status, steps, std::move(warnings)).write(request_.uid, patch);
    result_.uid = std::move(request_.uid);
    result_.steps = std::move(steps);
    return std::move(result_);
  }

  const engine::Engine& engine_;
  engine::Phase phase_;
  const engine::Adviser& adviser_;
  std::string_view bytes_;
  Decoder decoder_;
  const PathBuilder whole_{};  ///< the document, or a policy by itself
  const PathBuilder at_request_ = whole_.child("request");
  ReviewRequest request_;
  Element request_element_;
  engine::MetadataDecision metadata_;
  std::optional<ObjectMeta> metadata_before_;
  ReviewResult result_;
};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(Outcome outcome) noexcept {
  switch (outcome) {
    case Outcome::malformed: return "Malformed";
    case Outcome::denied: return "Denied";
    case Outcome::allowed: return "Allowed";
    case Outcome::passed: return "Passed";
  }
  return "";
}

SCHEDPOL_INLINE ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                        engine::Phase phase, Document& document,
                                        const engine::Adviser& adviser) {
  return detail::Reviewer(engine, phase, adviser, bytes).run(document);
}

SCHEDPOL_INLINE ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                        engine::Phase phase, const engine::Adviser& adviser) {
  Document document;
  return detail::Reviewer(engine, phase, adviser, bytes).run(document);
}

SCHEDPOL_INLINE std::string review(std::string_view bytes, const engine::Engine& engine,
                                   engine::Phase phase, const engine::Adviser& adviser) {
  Document document;
  return detail::Reviewer(engine, phase, adviser, bytes).run(document).response;
}

}  // namespace SCHEDPOL_NAMESPACE::json
