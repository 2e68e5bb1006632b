// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of SchedulingPolicy, with the other spellings that its proposal uses.

#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/scheduling_policy/impl/fields.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

template <>
inline constexpr auto words<scheduling_policy::MergeStrategy> =
    vocabulary(Presence::optional, scheduling_policy::MergeStrategy::smart_deep_merge,
               scheduling_policy::MergeStrategy::first_seen_wins,
               scheduling_policy::MergeStrategy::simple_merge);

template <>
inline constexpr auto words<scheduling_policy::RequiredAffinity> =
    vocabulary(Presence::optional, scheduling_policy::RequiredAffinity::every_term,
               scheduling_policy::RequiredAffinity::present);

template <>
inline constexpr auto words<scheduling_policy::NodeNameCheck> =
    vocabulary(Presence::optional, scheduling_policy::NodeNameCheck::require_any_scheduler,
               scheduling_policy::NodeNameCheck::ignore);

/// The fields of a part of a spec, as `fields.hpp` names them, and `more` items.
template <class T, class... More>
constexpr auto described(Traits traits = {}, More... more) {
  return scheduling_policy::fields_of(std::type_identity<T>{}, [&](const auto&... each) {
    return object(traits, field(each.name, each.member)..., more...);
  });
}

template <>
inline constexpr auto schema<scheduling_policy::TolerationPattern> =
    described<scheduling_policy::TolerationPattern>({.null_item_is_empty = true});

template <>
inline constexpr auto schema<scheduling_policy::SpreadConstraintPattern> =
    described<scheduling_policy::SpreadConstraintPattern>({.null_item_is_empty = true});

template <>
inline constexpr auto schema<scheduling_policy::RequirementPattern> =
    described<scheduling_policy::RequirementPattern>({.null_item_is_empty = true});

template <>
inline constexpr auto schema<scheduling_policy::TermPattern> =
    described<scheduling_policy::TermPattern>({.null_item_is_empty = true});

template <>
inline constexpr auto schema<scheduling_policy::NodeAffinityRule> =
    described<scheduling_policy::NodeAffinityRule>();

template <>
inline constexpr auto schema<scheduling_policy::PodAffinityRule> =
    described<scheduling_policy::PodAffinityRule>();

template <class Rule>
inline constexpr auto schema<scheduling_policy::AffinityModes<Rule>> =
    described<scheduling_policy::AffinityModes<Rule>>();

template <>
inline constexpr auto schema<scheduling_policy::AffinityRules> =
    described<scheduling_policy::AffinityRules>();

/// What the proposal writes in places for a field in `required` and `allowed`, or in `default`.
constexpr FieldTraits other_spelling(std::string_view field) {
  using scheduling_policy::priority_class_name_field;
  using scheduling_policy::scheduler_name_field;
  if (field == scheduler_name_field.rules_field) return {.alias = "SchedulerNames"};
  if (field == priority_class_name_field.rules_field) return {.alias = "priorityClasseNames"};
  if (field == scheduler_name_field.field) return {.alias = "SchedulerName"};
  if (field == priority_class_name_field.field) return {.alias = "priorityClasseName"};
  return {.lists_spelling = field == scheduling_policy::affinity_field.field};
}

template <>
inline constexpr auto schema<scheduling_policy::PolicySection> =
    scheduling_policy::with_section_fields([](const auto&... row) {
      return object(field(row.rules_field, row.rules, other_spelling(row.rules_field))...);
    });

inline void check_value(Decoder& decoder, const PathBuilder& at,
                        const scheduling_policy::DefaultToleration& read) {
  const std::string& value = read.toleration.value;
  if (read.values.is_absent() || value.empty()) return;
  decoder.report(ErrorType::forbidden, at.child("value"), value, "must not be set beside values");
}

template <>
inline constexpr auto schema<scheduling_policy::DefaultToleration> = object(
    field("key", [](auto& t) -> auto& { return t.toleration.key; }),
    field("operator", [](auto& t) -> auto& { return t.toleration.operator_; }),
    field("value", [](auto& t) -> auto& { return t.toleration.value; }),
    field("values", &scheduling_policy::DefaultToleration::values),
    field("effect", [](auto& t) -> auto& { return t.toleration.effect; }),
    field("tolerationSeconds", [](auto& t) -> auto& { return t.toleration.toleration_seconds; }));

template <>
inline constexpr auto schema<scheduling_policy::Defaults> =
    scheduling_policy::with_pod_fields([](const auto&... row) {
      return object(field(row.field, row.member, other_spelling(row.field))...);
    });

template <>
inline constexpr auto schema<scheduling_policy::SchedulingPolicySpec> =
    described<scheduling_policy::SchedulingPolicySpec>(
        {}, misplaced(
                "allowedAffinities", [](auto& spec) -> auto& { return spec.allowed.affinities; },
                scheduling_policy::allowed_section.name,
                scheduling_policy::affinity_field.rules_field));

template <>
inline constexpr auto schema<scheduling_policy::SchedulingPolicy> =
    object(Traits{.kind = proposed_kind,
                  .api_version = scheduling_policy::api_version,
                  .kind_alias = proposed_kind_field,
                  .unknown = Unknown::refuse,
                  .ignored = "status",
                  .named = true},
           field("metadata", &scheduling_policy::SchedulingPolicy::metadata),
           field("spec", &scheduling_policy::SchedulingPolicy::spec));

template <>
inline constexpr auto words<scheduling_policy::Component> = [] {
  constexpr std::size_t count = scheduling_policy::component_names.size();
  Vocabulary<scheduling_policy::Component, count> all{{}, true};
  for (std::size_t i = 0; i < count; ++i)
    all.words[i] = static_cast<scheduling_policy::Component>(i);
  return all;
}();

/// Components that have a name together.
enum class ComponentSet { proposal, all };
constexpr std::string_view to_string(ComponentSet set) noexcept {
  return set == ComponentSet::all ? "All" : "Proposal";
}
template <>
inline constexpr auto words<ComponentSet> =
    vocabulary(Presence::optional, ComponentSet::proposal, ComponentSet::all);

/// `Proposal`, `All`, or a list. What lists none would open all that a cluster is closed by.
inline void read_value(Decoder& decoder, const PathBuilder& at, Element from,
                       scheduling_policy::Components& into) {
  if (!from.is_list()) {
    ComponentSet set = ComponentSet::proposal;
    if (!from.is_string()) return decoder.wrong_type(at, from, "a string or a list");
    decoder.read(at, from, set);
    into = set == ComponentSet::all ? scheduling_policy::Components::all()
                                    : scheduling_policy::Components::proposal();
    return;
  }
  std::vector<scheduling_policy::Component> listed;
  decoder.read(at, from, listed);
  if (listed.empty())
    decoder.report(ErrorType::required, at, "",
                   "must list a component at least, or be `Proposal` or `All`");
  into = scheduling_policy::Components(listed);
}
inline void write(Writer& out, const scheduling_policy::Components& components) {
  if (components == scheduling_policy::Components::proposal())
    return write(out, ComponentSet::proposal);
  if (components == scheduling_policy::Components::all()) return write(out, ComponentSet::all);
  ListWriter list(out);
  for (const scheduling_policy::Component each : words<scheduling_policy::Component>.words)
    if (components.contain(each)) write(list.item(), each);
}

template <>
inline constexpr auto schema<scheduling_policy::Options> = object(
    Traits{.unknown = Unknown::refuse}, field("governs", &scheduling_policy::Options::governs),
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

using SchedulingPolicyValues =
    Types<scheduling_policy::TolerationPattern, scheduling_policy::RequirementPattern,
          scheduling_policy::SpreadConstraintPattern, scheduling_policy::TermPattern,
          scheduling_policy::NodeAffinityRule, scheduling_policy::PodAffinityRule,
          scheduling_policy::NodeAffinityRules, scheduling_policy::PodAffinityRules,
          scheduling_policy::AffinityRules, scheduling_policy::PolicySection,
          scheduling_policy::DefaultToleration, scheduling_policy::Defaults,
          scheduling_policy::SchedulingPolicySpec, scheduling_policy::SchedulingPolicy,
          scheduling_policy::Options>;

}  // namespace SCHEDPOL_NAMESPACE::json::detail
