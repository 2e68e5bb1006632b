// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One decision on all pod templates of an object of a custom kind (`TemplatePath`):
///
/// 1. Each template is decided on by itself, like that of a PodTemplate with the name of the object.
/// 2. The object is allowed if all templates are. The answers for all templates are combined by system. Field
///    paths are the object's: `spec.replicatedJobs[1].template.spec.template.spec.tolerations[0]`. The
///    answer for a denied object is only about the denied templates.

#include <schedpol/engine/engine.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// A request about one pod template of an object. `json::read_templates` reads these.
struct TemplateRequest {
  TemplatePath path{};  ///< the path that found the template, with the object's group and kind
  FieldPath place{};    ///< its path in the object: `spec.replicatedJobs[1].template.spec.template`
  Request
      request{};  ///< about a PodTemplate with this template and the object's namespace and name

  /// The path in the object of a field of the PodTemplate, such as `template.spec.tolerations`.
  [[nodiscard]] FieldPath in_object(const FieldPath& field) const;

  friend bool operator==(const TemplateRequest&, const TemplateRequest&) = default;
};

/// The decision on the templates of one object. A default-constructed or moved-from one is a denial. An object
/// without templates is allowed, without steps.
struct TemplatesDecision {
  Allowed allowed{};
  std::vector<Pod>
      templates{};  ///< one for each request: with its changes, or if denied, as it came
  std::vector<StepDecision> steps{};
  std::vector<Warning> warnings{};
  std::vector<UnknownObject> unknown{};
  std::vector<Change>
      nearest_fix{};  ///< for all denied templates, if the adviser has a fix for each

  friend bool operator==(const TemplatesDecision&, const TemplatesDecision&) = default;
};

/// Decides by these rules.
[[nodiscard]] TemplatesDecision decide_templates(const Engine& engine,
                                                 std::span<const TemplateRequest> templates,
                                                 const Adviser& adviser = Adviser());

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/templates.ipp>
#endif
