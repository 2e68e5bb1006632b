// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads the pod templates of an object of a custom kind, by the paths of a configuration, for
/// `engine::decide_templates`:
///
/// 1. A path that leads to nothing, or to null, has no template. A value on the path or at its end that is not
///    an object or list is an error. So is a field of a pod's spec beside the spec: only a whole
///    PodTemplateSpec is supported.
/// 2. For an update, only templates that differ are read. Each is compared with the old one at the same path;
///    a list item with the item of the same `name`, or without a name, of the same index. If two items have
///    the same name, the second is new.
///
/// Source: what `json::review` does with such an object.

#include <schedpol/engine/templates.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The JSON of an object, and its path for errors.
struct LocatedObject {
  std::string_view json{};
  FieldPath at{};
};

/// The requests about the templates of an object, by the `paths` for its kind and group, or everything that
/// is wrong. `old` is for an update; if its JSON is empty, there is no old object. The caller fills in the
/// requester, and the namespace if the object names none.
[[nodiscard]] Result<std::vector<engine::TemplateRequest>> read_templates(
    const LocatedObject& object, std::span<const engine::TemplatePath> paths,
    const LocatedObject& old = {});

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/templates.ipp>
#endif
