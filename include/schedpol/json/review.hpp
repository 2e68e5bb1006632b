// SPDX-License-Identifier: Apache-2.0
#pragma once

/// AdmissionReview (admission.k8s.io/v1) bytes in, AdmissionReview bytes out: the whole of an
/// admission webhook but its socket.
///
/// 1. CREATE of a Pod, or of a workload with a pod template, is changed and decided on, and so is
///    an UPDATE of a workload with another template; UPDATE of a Pod is decided on for what it adds,
///    and changed where it lacks what the pod was given. Where MetadataPolicy is run, CREATE and
///    UPDATE of any object of `request.namespace` are changed and decided on as far as its own
///    metadata goes. DELETE, CONNECT and subresources pass. A dry run is answered like any other.
///    CREATE of a policy, or UPDATE of its spec, is denied for what cannot be read or `validate`
///    finds wrong, with code 422 and fields as in the policy itself, and otherwise answered with
///    what the adviser says of it as warnings; roles, bindings and RuntimeClasses, which the API
///    server validates, are objects like any other, and so is what has the name of a policy in
///    another group (`engine::is_policy`).
/// 2. A denial has a status with code 403, a message that says everything that is wrong and ends
///    with the nearest fix, where the adviser has one of few edits, and one cause each in its
///    details, a code and a field; of both `max_reported_errors` at most, and how many more there
///    are. Without an adviser (`insight/adviser.hpp`) a review only decides.
/// 3. A patch, an RFC 6902 JSON Patch in base64, is relative to the object of the request and
///    leaves every field alone that the library does not know.
/// 4. `warnings` are what systems in mode `warn` would have denied, what a PodSchedulingPolicy left
///    out because it conflicts with the pod, what no node can meet, and labels of a MetadataPolicy
///    that a workload's own selector does not select; `auditAnnotations` say which policy changed
///    what, and what was or would have been denied; no text stands in two of them.
/// 5. An object of a custom kind that the configuration has paths for (`engine::TemplatePath`) is changed and decided
///    on as a workload is, each of its pod templates by itself, as it would be in a PodTemplate of the object's name;
///    all of them have to be allowed. An updated template is held against the one that stood at its place, an item
///    of a list against the one of its `name`, without a name against the one of its index. Of items of one name the
///    second is new. What is not there is not decided on, and what is no PodTemplateSpec cannot be read, such as what
///    has fields of a pod's spec beside one.
/// 6. Whatever cannot be read is denied, with code 400 (413 beyond the limits), and echoes the
///    `uid` where it could be read. So is an object, or the old one, that says another kind or API
///    group than `request.kind`, which is what the API server sends it as; `request.requestKind`, as
///    what a client sent it before it was converted, may differ. Annotations, containers and objects that are no pods are only
///    read where a system that runs looks at them, and nothing of the template of a workload that
///    another workload controls, or whose UPDATE leaves the template as it is.
///
/// Source: Kubernetes' dynamic admission control.

#include <schedpol/engine/engine.hpp>
#include <schedpol/json/document.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// What became of a review.
enum class Outcome {
  malformed,  ///< denied, because it could not be read; `errors` say why
  denied,     ///< denied by a system; of a policy, because it is invalid, and `errors` say why
  allowed,    ///< allowed by all systems, with a patch where they changed something
  passed,     ///< allowed, because it is nothing that scheduling policies decide on
};

[[nodiscard]] std::string_view to_string(Outcome outcome) noexcept;

/// A response, and what a caller that counts or wants to answer an error instead has to know.
struct ReviewResult {
  Outcome outcome = Outcome::malformed;
  std::string response{};  ///< an AdmissionReview, always
  std::string uid{};       ///< that it echoes; empty where it could not be read
  std::vector<FieldError> errors{};
  /// What the systems said, as the engine did: by which policies it was denied, for instance.
  std::vector<engine::StepDecision> steps{};
  /// Of a denial, what the engine did not know (`engine::Decision::unknown`). Where there is any, a
  /// caller that watches a cluster can wait until an engine knows more, and ask again.
  std::vector<engine::UnknownObject> unknown{};
};

/// Answers an AdmissionReview. Total: bytes that are none get a denial too, and `outcome` and
/// `errors` let the caller answer an error of its own instead. `phase` says which webhook asks.
[[nodiscard]] ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                      engine::Phase phase = engine::Phase::mutating,
                                      const engine::Adviser& adviser = engine::Adviser());

/// The same. What `document` held is gone afterwards; one a thread, used for every review, spares
/// each the memory it is read into.
[[nodiscard]] ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                      engine::Phase phase, Document& document,
                                      const engine::Adviser& adviser = engine::Adviser());

/// The response alone: a denial for whatever cannot be read.
[[nodiscard]] std::string review(std::string_view bytes, const engine::Engine& engine,
                                 engine::Phase phase = engine::Phase::mutating,
                                 const engine::Adviser& adviser = engine::Adviser());

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/review.ipp>
#endif
