// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of SchedulingPolicy, with the other spellings that its proposal uses.

#include <schedpol/json/impl/schema.hpp>
#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

namespace schedpol::json::detail {

template <>
inline constexpr auto words<scheduling_policy::MergeStrategy> =
    vocabulary(Given::optional, scheduling_policy::MergeStrategy::smart_deep_merge,
               scheduling_policy::MergeStrategy::first_seen_wins,
               scheduling_policy::MergeStrategy::simple_merge);

template <>
inline constexpr auto words<scheduling_policy::RequiredAffinity> =
    vocabulary(Given::optional, scheduling_policy::RequiredAffinity::every_term,
               scheduling_policy::RequiredAffinity::present);

template <>
inline constexpr auto words<scheduling_policy::NodeName> =
    vocabulary(Given::optional, scheduling_policy::NodeName::require_any_scheduler,
               scheduling_policy::NodeName::ignore);

template <>
inline constexpr auto schema<scheduling_policy::TolerationPattern> = object(
    Traits{.null_item_is_empty = true}, field("keys", &scheduling_policy::TolerationPattern::keys),
    field("operators", &scheduling_policy::TolerationPattern::operators),
    field("values", &scheduling_policy::TolerationPattern::values),
    field("effects", &scheduling_policy::TolerationPattern::effects));

template <>
inline constexpr auto schema<scheduling_policy::RequirementPattern> = object(
    Traits{.null_item_is_empty = true}, field("keys", &scheduling_policy::RequirementPattern::keys),
    field("operators", &scheduling_policy::RequirementPattern::operators),
    field("values", &scheduling_policy::RequirementPattern::values));

template <>
inline constexpr auto schema<scheduling_policy::TermPattern> =
    object(Traits{.null_item_is_empty = true},
           field("matchExpressions", &scheduling_policy::TermPattern::match_expressions),
           field("matchFields", &scheduling_policy::TermPattern::match_fields));

template <>
inline constexpr auto schema<scheduling_policy::NodeAffinityRule> =
    object(field("nodeSelectorTerms", &scheduling_policy::NodeAffinityRule::node_selector_terms));

template <>
inline constexpr auto schema<scheduling_policy::PodAffinityRule> =
    object(field("topologyKeys", &scheduling_policy::PodAffinityRule::topology_keys));

template <class Rule>
inline constexpr auto schema<scheduling_policy::AffinityModes<Rule>> =
    affinity_modes<scheduling_policy::AffinityModes<Rule>>;

template <>
inline constexpr auto schema<scheduling_policy::AffinityRules> =
    object(field("nodeAffinities", &scheduling_policy::AffinityRules::node_affinities),
           field("podAffinities", &scheduling_policy::AffinityRules::pod_affinities),
           field("podAntiAffinities", &scheduling_policy::AffinityRules::pod_anti_affinities));

template <>
inline constexpr auto schema<scheduling_policy::PolicyRules> =
    object(field("schedulerNames", &scheduling_policy::PolicyRules::scheduler_names,
                 {.alias = "SchedulerNames"}),
           field("priorityClassNames", &scheduling_policy::PolicyRules::priority_class_names,
                 {.alias = "priorityClasseNames"}),
           field("nodeSelectors", &scheduling_policy::PolicyRules::node_selectors),
           field("tolerations", &scheduling_policy::PolicyRules::tolerations),
           field("affinities", &scheduling_policy::PolicyRules::affinities));

template <>
inline constexpr auto schema<scheduling_policy::DefaultToleration> = object(
    field("key", [](auto& t) -> auto& { return t.toleration.key; }),
    field("operator", [](auto& t) -> auto& { return t.toleration.operator_; }),
    field("value", [](auto& t) -> auto& { return t.toleration.value; }),
    field("values", &scheduling_policy::DefaultToleration::values),
    field("effect", [](auto& t) -> auto& { return t.toleration.effect; }),
    field("tolerationSeconds", [](auto& t) -> auto& { return t.toleration.toleration_seconds; }),
    exclusive(
        "value", "values",
        [](const auto& t) { return !t.values.is_absent() && !t.toleration.value.empty(); },
        [](const auto& t) -> const auto& { return t.toleration.value; }));

template <>
inline constexpr auto schema<scheduling_policy::Defaults> =
    object(field("schedulerName", &scheduling_policy::Defaults::scheduler_name,
                 {.alias = "SchedulerName"}),
           field("priorityClassName", &scheduling_policy::Defaults::priority_class_name,
                 {.alias = "priorityClasseName"}),
           field("nodeSelector", &scheduling_policy::Defaults::node_selector),
           field("tolerations", &scheduling_policy::Defaults::tolerations),
           field("affinity", &scheduling_policy::Defaults::affinity, {.lists_spelling = true}));

template <>
inline constexpr auto schema<scheduling_policy::SchedulingPolicySpec> =
    object(field("required", &scheduling_policy::SchedulingPolicySpec::required),
           field("allowed", &scheduling_policy::SchedulingPolicySpec::allowed),
           field("default", &scheduling_policy::SchedulingPolicySpec::defaults),
           misplaced(
               "allowedAffinities", [](auto& spec) -> auto& { return spec.allowed.affinities; },
               "allowed", "affinities"));

template <>
inline constexpr auto schema<scheduling_policy::SchedulingPolicy> =
    object(Traits{.kind = "SchedulingPolicy",
                  .api_version = "extensions/v1alpha1",
                  .own_group = true,
                  .kind_alias = "Kind",
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .named = true},
           field("metadata", &scheduling_policy::SchedulingPolicy::metadata),
           field("spec", &scheduling_policy::SchedulingPolicy::spec));

template <>
inline constexpr auto schema<scheduling_policy::Options> = object(
    Traits{.unknown = Unknown::refuse},
    field("requiredAffinity", &scheduling_policy::Options::required_affinity),
    field("nodeName", &scheduling_policy::Options::node_name),
    field("defaultScheduler", &scheduling_policy::Options::default_scheduler),
    field("exemptNodeName", [](auto& options) -> auto& { return options.exempt.node_name; }),
    field("exemptSchedulerName",
          [](auto& options) -> auto& { return options.exempt.scheduler_name; }),
    field("exemptNodeSelector",
          [](auto& options) -> auto& { return options.exempt.node_selector; }),
    field("exemptTolerations", [](auto& options) -> auto& { return options.exempt.tolerations; }),
    field("exemptAffinity", [](auto& options) -> auto& { return options.exempt.affinity; }),
    field("globalDefaultPriorityClass",
          &scheduling_policy::Options::global_default_priority_class));

}  // namespace schedpol::json::detail

namespace schedpol::json {

SCHEDPOL_JSON_VALUE(scheduling_policy::TolerationPattern)
SCHEDPOL_JSON_VALUE(scheduling_policy::RequirementPattern)
SCHEDPOL_JSON_VALUE(scheduling_policy::TermPattern)
SCHEDPOL_JSON_VALUE(scheduling_policy::NodeAffinityRule)
SCHEDPOL_JSON_VALUE(scheduling_policy::PodAffinityRule)
SCHEDPOL_JSON_VALUE(scheduling_policy::NodeAffinityRules)
SCHEDPOL_JSON_VALUE(scheduling_policy::PodAffinityRules)
SCHEDPOL_JSON_VALUE(scheduling_policy::AffinityRules)
SCHEDPOL_JSON_VALUE(scheduling_policy::PolicyRules)
SCHEDPOL_JSON_VALUE(scheduling_policy::DefaultToleration)
SCHEDPOL_JSON_VALUE(scheduling_policy::Defaults)
SCHEDPOL_JSON_VALUE(scheduling_policy::SchedulingPolicySpec)
SCHEDPOL_JSON_VALUE(scheduling_policy::SchedulingPolicy)
SCHEDPOL_JSON_VALUE(scheduling_policy::Options)

}  // namespace schedpol::json
