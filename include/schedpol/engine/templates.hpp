// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pod templates of an object of a custom kind (`TemplatePath`), decided on together:
///
/// 1. Each is decided on by itself, as it would be in a PodTemplate of the object's name.
/// 2. All of them have to be allowed. What the systems say of each is put together, system by system, with the fields
///    as they are in the object: `spec.replicatedJobs[1].template.spec.template.spec.tolerations[0]`. Of a denied
///    object only what is said of the templates that are denied is told.

#include <schedpol/engine/engine.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// What is asked about one pod template of an object. `json::read_templates` reads them.
struct TemplateRequest {
  TemplatePath path{};  ///< by which it was found: the kind and group of the object
  FieldPath
      place{};  ///< where it stands in the object: `spec.replicatedJobs[1].template.spec.template`
  Request
      request{};  ///< about a PodTemplate with it, with the namespace and the name of the object

  /// Where a field of that PodTemplate, `template.spec.tolerations`, stands in the object.
  [[nodiscard]] FieldPath in_object(const FieldPath& field) const;

  friend bool operator==(const TemplateRequest&, const TemplateRequest&) = default;
};

/// What became of the templates of one object. Default-constructed and moved from it is a denial. Of no templates it is
/// allowed, without steps.
struct TemplatesDecision {
  Allowed allowed{};
  std::vector<Pod>
      templates{};  ///< one for each request: as it is changed, of a denied object as it came
  std::vector<StepDecision> steps{};
  std::vector<Warning> warnings{};
  std::vector<UnknownObject> unknown{};
  std::vector<Change>
      nearest_fix{};  ///< of all that are denied, where the adviser has one for each

  friend bool operator==(const TemplatesDecision&, const TemplatesDecision&) = default;
};

/// Decides by the rules above.
[[nodiscard]] TemplatesDecision decide_templates(const Engine& engine,
                                                 std::span<const TemplateRequest> templates,
                                                 const Adviser& adviser = Adviser());

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/templates.ipp>
#endif
