// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The pod templates of an object of a custom kind, read by the paths of a configuration for
/// `engine::decide_templates`:
///
/// 1. A path that leads to nothing, or to null, has no template. What stands on the way or at its end and is no object
///    or list is an error, and so is a field of a pod's spec beside the spec: what is flatter than a PodTemplateSpec is
///    not read.
/// 2. Of an update only templates that differ are read. Each is held against the one that stood at its place, an item
///    of a list against the one of its `name`, without a name against the one of its index. Of items of one name the
///    second is new.
///
/// Source: what `json::review` does with such an object.

#include <schedpol/engine/templates.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The JSON of an object, and where errors say that it stands.
struct LocatedObject {
  std::string_view json{};
  FieldPath at{};
};

/// What is asked about the templates of an object by those of `paths` that are of its kind and group, or everything
/// that is wrong. `old` is of an update; without JSON there is none. Who asks is left to the caller, and so is the
/// namespace where the object says none.
[[nodiscard]] Result<std::vector<engine::TemplateRequest>> read_templates(
    const LocatedObject& object, std::span<const engine::TemplatePath> paths,
    const LocatedObject& old = {});

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/templates.ipp>
#endif
