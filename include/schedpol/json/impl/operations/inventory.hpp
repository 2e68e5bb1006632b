// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The objects of an inventory: pods, workloads, and objects of the custom kinds that a configuration
/// has paths for.

#include <schedpol/json/impl/custom_templates.hpp>
#include <schedpol/json/impl/operation.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Whether the object is neither a pod nor a workload. Where its kind is nearly one of those, in a
/// group of theirs, it is a misspelt one and no other.
inline bool is_other_kind(Element object) {
  std::string_view kind;
  std::string_view version;
  if (!written_kind(object).get(kind) || !object["apiVersion"].get(version)) return false;
  const std::string_view group = api_group(version);
  if (pod_kind(kind)) return is_custom_group(group);
  return did_you_mean_kind(kind).empty() ||
         schedpol::detail::none_of(pod_kinds, [&](PodKind of) { return is_in_group(of, group); });
}

/// One of a custom kind is only kept as it is written.
struct InventoryObject : Pod {
  Element written{};
  bool is_custom = false;
};

inline void read_value(Decoder& decoder, const PathBuilder& at, Element from,
                       InventoryObject& into) {
  into.written = from;
  into.is_custom = is_other_kind(from);
  if (!into.is_custom) decoder.read(at, from, static_cast<Pod&>(into));
}

/// What is asked about the templates of an object of a custom kind, which is the `index`th. A kind
/// without a path is no pod or workload: an error.
inline std::vector<engine::TemplateRequest> read_custom_templates(
    Input& input, Decoder& decoder, Element custom, std::size_t index,
    std::span<const engine::TemplatePath> paths) {
  const CustomObject object{custom, {}, FieldPath{"objects"}.index(index), {}};
  const GroupKind kind = group_kind_of(custom);
  if (schedpol::detail::none_of(paths, [&](const auto& path) { return kind.has(path); })) {
    input.fail(EvaluateError::invalid_object,
               {ErrorType::not_supported, object.at.child("kind"), std::string(kind.kind),
                "must be Pod, or a kind that has pod templates"});
  }
  AnyObject workload;
  decoder.read(PathBuilder(object.at), custom, workload);
  const std::vector<CustomTemplate> found = find_templates(decoder, object, paths, kind);
  return requests_about(decoder, object, found, workload.metadata, {});
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
