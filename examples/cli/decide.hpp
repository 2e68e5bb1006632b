// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One object, or AdmissionReview, and what an engine decides on it: its metadata, where that is not
/// a pod's, and then its pod or pod template; of a custom kind that the configuration has paths for,
/// all its pod templates.

#include "report.hpp"

#include <schedpol/base/field_error.hpp>
#include <schedpol/base/field_path.hpp>
#include <schedpol/engine/as_created.hpp>
#include <schedpol/engine/templates.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cli {

/// What is asked, by an AdmissionReview or of a plain object.
struct AdmissionRequest {
  ObjectName name{};             ///< without a namespace: of the cluster
  schedpol::FieldPath object{};  ///< where the object stands in the document: `request.object`
  std::optional<schedpol::engine::Request> pod{};
  std::optional<schedpol::engine::MetadataRequest> metadata{};
  std::vector<schedpol::engine::TemplateRequest> templates{};  ///< of a custom kind
  /// Why nothing is decided on, as `it is PASSES`. Empty where something is.
  std::string passes{};
  /// The node that the pod has and nobody can tell whether it asked for; empty where it is known.
  std::string doubtful_node{};
};

/// Calls `f(request, in_object)` for the pod, or for each template; `in_object` is where a field of
/// what is asked about stands in the object.
template <class F>
void for_each_pod(const AdmissionRequest& asked, F&& f) {
  using schedpol::FieldPath;
  if (asked.pod) f(*asked.pod, [](const FieldPath& field) { return field; });
  for (const schedpol::engine::TemplateRequest& each : asked.templates)
    f(each.request, [&](const FieldPath& field) { return each.in_object(field); });
}

/// What became of an object, the first that is true.
enum class Verdict {
  not_looked_at,  ///< no system that runs decides on it
  denied,
  undecided,  ///< it is denied with the node that it may have asked for, and allowed without
  warned,     ///< systems in mode Warn would deny it
  audited,    ///< systems in mode Audit would
  changed,
  allowed,
};

inline constexpr Verdict all_verdicts[] = {
    Verdict::allowed, Verdict::changed,   Verdict::warned,       Verdict::audited,
    Verdict::denied,  Verdict::undecided, Verdict::not_looked_at};

/// `allowed`, `not looked at`, ...
[[nodiscard]] std::string_view to_string(Verdict verdict) noexcept;

/// What was decided, part by part. The last of `steps` says why it is denied.
struct AdmissionResponse {
  bool allowed = false;    ///< not where it is undecided
  bool undecided = false;  ///< the steps are those with the doubtful node
  std::vector<schedpol::engine::StepDecision> steps{};
  std::vector<schedpol::Warning> warnings{};
  std::vector<schedpol::Change> fix{};
  /// The pod, or each template, as it is changed, and as it came where it is denied.
  std::vector<schedpol::Pod> pods{};

  [[nodiscard]] Verdict verdict() const;
  /// The systems that looked at the object: none, where it is not looked at.
  [[nodiscard]] schedpol::Texts systems() const;
  /// In effect, of an object that is allowed.
  [[nodiscard]] std::vector<schedpol::Change> changes() const;
  /// What systems of the mode deny it for, or would.
  [[nodiscard]] std::vector<schedpol::Violation> reasons(
      schedpol::engine::Mode mode = schedpol::engine::Mode::enforce) const;
  [[nodiscard]] std::string denied_by() const;  ///< the system; empty where it is allowed
};

/// What a cluster printed is asked about as it was when it was created (`engine::as_created`), unless
/// it is to be taken literally.
enum class Stored { as_created, as_stored };

/// Reads what is asked; an object that says no namespace is in `in`, and one of a custom kind has
/// pod templates where `paths` say. With `old` it is an update of that object. Errors are those of the
/// document.
[[nodiscard]] schedpol::Result<AdmissionRequest> read_request(
    std::string_view json, std::string_view in,
    std::span<const schedpol::engine::TemplatePath> paths, const std::string* old = nullptr,
    Stored stored = Stored::as_created);

/// Asks about a pod as it was created: sets what a request of its metadata's names lacks.
void ask_as_created(AdmissionRequest& asked, schedpol::engine::StoredObject&& object,
                    const schedpol::engine::Owners& owners);

enum class Fixes { looked_for, omitted };

[[nodiscard]] AdmissionResponse decide(const schedpol::engine::Engine& engine,
                                       const AdmissionRequest& asked,
                                       Fixes fixes = Fixes::looked_for);

}  // namespace cli
