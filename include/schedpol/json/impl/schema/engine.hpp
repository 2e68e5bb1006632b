// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of an EngineConfiguration: the steps and settings of a Configuration, apart from its
/// objects; and what an object says of being stored, which nothing that decides reads.

#include <schedpol/engine/as_created.hpp>
#include <schedpol/engine/system.hpp>
#include <schedpol/json/impl/schema/core.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto words<engine::System> =
    Vocabulary<engine::System, std::size(engine::all_systems)>{engine::all_systems, true};

template <>
inline constexpr auto words<engine::Mode> =
    vocabulary(Presence::optional, engine::Mode::enforce, engine::Mode::warn, engine::Mode::audit);

template <>
inline constexpr auto words<engine::PolicyUse> =
    vocabulary(Presence::optional, engine::PolicyUse::rbac, engine::PolicyUse::every);

template <>
inline constexpr auto schema<engine::Step> =
    object(Traits{.needed = "system"}, field("system", &engine::Step::system),
           field("mode", &engine::Step::mode));

template <>
inline constexpr auto schema<engine::TemplatePath> =
    object(Traits{.unknown = Unknown::refuse}, field("group", &engine::TemplatePath::group),
           field("kind", &engine::TemplatePath::kind), field("path", &engine::TemplatePath::path));

/// Without the tolerations that admission exempts besides those of the options.
struct EngineConfiguration {
  std::vector<engine::Step> systems{};
  engine::Settings settings{.options = {.default_scheduler = DefaultScheduler::unspecified}};
};

template <>
inline constexpr auto schema<decltype(engine::Settings::access)> =
    object(field("verb", &decltype(engine::Settings::access)::verb),
           field("apiGroup", &decltype(engine::Settings::access)::api_group),
           field("resource", &decltype(engine::Settings::access)::resource));

template <>
inline constexpr auto words<metadata_policy::QosAnnotation> =
    vocabulary(Presence::optional, metadata_policy::QosAnnotation::where_used,
               metadata_policy::QosAnnotation::always);

template <>
inline constexpr auto schema<metadata_policy::Options> =
    object(field("exemptKinds", &metadata_policy::Options::exempt_kinds),
           field("exemptUsers", &metadata_policy::Options::exempt_users),
           field("exemptGroups", &metadata_policy::Options::exempt_groups),
           field("qosAnnotation", &metadata_policy::Options::qos_annotation));

template <>
inline constexpr auto schema<engine::NamespaceModes> =
    object(Traits{.unknown = Unknown::refuse, .needed = "weakest"},
           field("weakest", &engine::NamespaceModes::weakest));

template <>
inline constexpr auto schema<EngineConfiguration> = object(
    Traits{.kind = "EngineConfiguration",
           .api_version = own_api_version,
           .unknown = Unknown::refuse,
           .ignored = "metadata"},
    field("systems", &EngineConfiguration::systems),
    field("policyUse", [](auto& read) -> auto& { return read.settings.policy_use; }),
    field("access", [](auto& read) -> auto& { return read.settings.access; }),
    field("strategy", [](auto& read) -> auto& { return read.settings.strategy; }),
    field("options", [](auto& read) -> auto& { return read.settings.options; }),
    field("daemonSetController",
          [](auto& read) -> auto& { return read.settings.daemon_set_controller; }),
    field("placers", [](auto& read) -> auto& { return read.settings.placers; }),
    field("templates", [](auto& read) -> auto& { return read.settings.templates; }),
    field("metadataPolicy", [](auto& read) -> auto& { return read.settings.metadata_policy; }),
    field("namespaceModes", [](auto& read) -> auto& { return read.settings.namespace_modes; }));

/// Who named the node. A subresource is written to by schedulers and nodes.
inline engine::NodeNamedBy node_named_by(Element managed_fields) {
  using engine::NodeNamedBy;
  if (!managed_fields.is_list() || managed_fields.items().size() == 0) return NodeNamedBy::unknown;
  for (const Element entry : managed_fields.items()) {
    const Element subresource = entry.non_null("subresource");
    const bool is_of_object =
        !subresource.is_there() || (subresource.is_string() && subresource.text().empty());
    if (is_of_object && entry["fieldsV1"]["f:spec"]["f:nodeName"].is_there())
      return NodeNamedBy::author;
  }
  return NodeNamedBy::scheduler;
}

/// What an object, which is read already, says of being stored.
inline void read_storage(Decoder& decoder, const PathBuilder& at, Element from,
                         engine::StoredObject& into) {
  const Element metadata = from["metadata"];
  const PathBuilder place = at.child("metadata");
  const auto read = [&](std::string_view name, std::string& text) {
    const Element value = metadata.non_null(name);
    if (value.is_there()) decoder.read(place.child(name), value, text);
  };
  // That of a pod is read, and what is wrong with it told.
  into.uid = into.object.metadata.uid;
  if (into.object.kind != PodKind::pod) read("uid", into.uid);
  read("creationTimestamp", into.creation_timestamp);
  into.node_named_by = node_named_by(metadata["managedFields"]);
}

inline void read_value(Decoder& decoder, const PathBuilder& at, Element from,
                       engine::StoredObject& into) {
  decoder.read(at, from, into.object);
  read_storage(decoder, at, from, into);
}

/// Read alone: what is written is an object as it was.
using EngineValues = Types<engine::StoredObject>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
