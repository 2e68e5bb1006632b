// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of an EngineConfiguration: the steps and settings of a Configuration, apart from its
/// objects.

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
    field("metadataPolicy", [](auto& read) -> auto& { return read.settings.metadata_policy; }));

}  // namespace SCHEDPOL_NAMESPACE::json::detail
