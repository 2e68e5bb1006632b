// SPDX-License-Identifier: Apache-2.0
#pragma once

/// AdmissionReview (admission.k8s.io/v1) bytes in, AdmissionReview bytes out: everything of an
/// admission webhook except its socket.
///
/// 1. CREATE of a Pod or of a workload with a pod template is changed and decided on, and so is UPDATE of
///    a workload if its template differs. UPDATE of a Pod is decided on for what it adds, and gets back
///    what it lacks and the pod had been given. If MetadataPolicy runs, the metadata of every object in a
///    namespace is also changed and decided on, at CREATE and UPDATE. DELETE, CONNECT and subresources
///    pass. A dry run is answered like any other request. CREATE of a policy, or UPDATE of its spec, is
///    denied with code 422 and the policy's own field paths if the policy cannot be read or `validate`
///    finds errors. Otherwise the adviser's findings about it are warnings. Roles, bindings and
///    RuntimeClasses, which the API server validates, are not policies here; nor are objects of another
///    group with the name of a policy (`engine::is_policy`).
/// 2. A denial has a status with code 403. Its message says everything that is wrong and ends with the
///    nearest fix, if the adviser has one with few edits. Its details have one cause, a code and a field,
///    for each violation. Both have at most `max_reported_errors`, and count the rest. Without an adviser
///    (`insight/adviser.hpp`), a review only decides.
/// 3. The patch, an RFC 6902 JSON Patch in base64, is relative to the object of the request. It leaves
///    every field unchanged that the library does not know.
/// 4. `warnings` say what systems in mode `warn` would have denied, what a PodSchedulingPolicy left out as
///    conflicting with the pod, what no node can meet, and which labels of a MetadataPolicy a workload's
///    own selector does not match. `auditAnnotations` say which policy changed what, and what was or
///    would have been denied. No text is in two of them.
/// 5. An object of a custom kind with paths in the configuration (`engine::TemplatePath`) is changed and decided
///    on like a workload, each pod template like that of a PodTemplate with the object's name. All must be
///    allowed. An updated template is compared with the old one at the same path; a list item with the item of
///    the same `name`, or without a name, of the same index. If two items have the same name, the second is new.
///    A missing template is not decided on. What is not a PodTemplateSpec cannot be read, such as an object with
///    fields of a pod's spec beside the spec.
/// 6. What cannot be read is denied with code 400 (413 beyond the limits), and with the `uid` if that could be
///    read. So is an object or old object with another kind or API group than `request.kind`, the kind as
///    which the API server sends it. `request.requestKind`, the kind that the client sent, may differ.
///    Annotations, containers and objects other than pods are read only if a system that runs needs them.
///    The template of a workload is not read if another workload controls it, or if UPDATE does not change
///    the template.
///
/// Source: Kubernetes' dynamic admission control.

#include <schedpol/engine/engine.hpp>
#include <schedpol/json/document.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The outcome of a review.
enum class Outcome {
  malformed,  ///< denied because it could not be read; `errors` say why
  denied,     ///< denied by a system, or an invalid policy; for a policy, `errors` say why
  allowed,    ///< allowed by all systems, with a patch if they changed something
  passed,     ///< allowed because no system decides on such an object
};

[[nodiscard]] std::string_view to_string(Outcome outcome) noexcept;

/// A response, and data for callers that keep metrics or answer errors in their own way.
struct ReviewResult {
  Outcome outcome = Outcome::malformed;
  std::string response{};  ///< always an AdmissionReview
  std::string uid{};       ///< the `uid` of the response; empty if it could not be read
  std::vector<FieldError> errors{};
  /// The decisions of the systems, for example to see which policies denied the object.
  std::vector<engine::StepDecision> steps{};
  /// For a denial, the objects that the engine did not know (`engine::Decision::unknown`). If there are any,
  /// a caller that watches a cluster can wait until an engine knows them, and ask again.
  std::vector<engine::UnknownObject> unknown{};
};

/// Answers an AdmissionReview. Any other bytes get a denial, too; by `outcome` and `errors`, the caller can
/// answer an error of its own instead. `phase` says which webhook asks.
[[nodiscard]] ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                      engine::Phase phase = engine::Phase::mutating,
                                      const engine::Adviser& adviser = engine::Adviser());

/// The same. The content of `document` is lost. Use one document for each thread and all its reviews, so
/// that reviews share its memory.
[[nodiscard]] ReviewResult try_review(std::string_view bytes, const engine::Engine& engine,
                                      engine::Phase phase, Document& document,
                                      const engine::Adviser& adviser = engine::Adviser());

/// The response alone: a denial if the bytes cannot be read.
[[nodiscard]] std::string review(std::string_view bytes, const engine::Engine& engine,
                                 engine::Phase phase = engine::Phase::mutating,
                                 const engine::Adviser& adviser = engine::Adviser());

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/review.ipp>
#endif
