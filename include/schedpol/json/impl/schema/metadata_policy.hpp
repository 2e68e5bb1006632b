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

inline void write(Writer& out, const metadata_policy::RuleName& name) {
  ObjectWriter(out).member("policy", name.policy).member("rule", name.rule);
}

inline void write(Writer& out, const metadata_policy::Write& write) {
  ObjectWriter(out)
      .member("policy", write.by.policy)
      .member("rule", write.by.rule)
      .member("value", write.value);
}

inline void write(Writer& out, const metadata_policy::Conflict& conflict) {
  ObjectWriter(out).member("field", conflict.field).member("writes", conflict.writes);
}

using MetadataPolicyValues =
    Types<metadata_policy::PolicyPredicate, metadata_policy::PolicyAction,
          metadata_policy::MetadataPolicyRule, metadata_policy::MetadataPolicySpec,
          metadata_policy::MetadataPolicy>;
using MetadataPolicyResults =
    Types<metadata_policy::RuleName, std::vector<metadata_policy::RuleName>,
          metadata_policy::Conflict, std::vector<metadata_policy::Conflict>>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
