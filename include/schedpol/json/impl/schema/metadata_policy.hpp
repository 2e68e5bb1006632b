// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of MetadataPolicy.

#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto schema<metadata_policy::PolicyPredicate> =
    object(field("labelSelector", &metadata_policy::PolicyPredicate::label_selector),
           field("annotationSelector", &metadata_policy::PolicyPredicate::annotation_selector));

template <>
inline constexpr auto schema<metadata_policy::PolicyAction> =
    object(field("reject", &metadata_policy::PolicyAction::reject),
           field("updatedLabels", &metadata_policy::PolicyAction::updated_labels),
           field("updatedAnnotations", &metadata_policy::PolicyAction::updated_annotations));

template <>
inline constexpr auto schema<metadata_policy::MetadataPolicyRule> =
    object(field("policyPredicate", &metadata_policy::MetadataPolicyRule::policy_predicate),
           field("policyAction", &metadata_policy::MetadataPolicyRule::policy_action));

template <>
inline constexpr auto schema<metadata_policy::MetadataPolicySpec> =
    object(field("rules", &metadata_policy::MetadataPolicySpec::rules));

template <>
inline constexpr auto schema<metadata_policy::MetadataPolicy> =
    object(Traits{.kind = "MetadataPolicy",
                  .api_version = metadata_policy::api_version,
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .named = true},
           field("metadata", &metadata_policy::MetadataPolicy::metadata),
           field("spec", &metadata_policy::MetadataPolicy::spec));

template <>
inline constexpr auto schema<metadata_policy::RuleName> =
    result(field("policy", &metadata_policy::RuleName::policy),
           field("rule", &metadata_policy::RuleName::rule));

template <>
inline constexpr auto schema<metadata_policy::Write> = result(
    field("policy", [](const metadata_policy::Write& write) -> auto& { return write.by.policy; }),
    field("rule", [](const metadata_policy::Write& write) { return write.by.rule; }),
    field("value", &metadata_policy::Write::value));

template <>
inline constexpr auto schema<metadata_policy::Conflict> =
    result(field("field", &metadata_policy::Conflict::field),
           field("writes", &metadata_policy::Conflict::writes));

using MetadataPolicyValues =
    Types<metadata_policy::PolicyPredicate, metadata_policy::PolicyAction,
          metadata_policy::MetadataPolicyRule, metadata_policy::MetadataPolicySpec,
          metadata_policy::MetadataPolicy>;
using MetadataPolicyResults =
    Types<metadata_policy::RuleName, std::vector<metadata_policy::RuleName>,
          metadata_policy::Conflict, std::vector<metadata_policy::Conflict>>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
