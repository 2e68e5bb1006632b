// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The shape of a SchedulingPolicy's spec: the fields of each part, by their names in documents and
/// where they stand, in the order in which documents have them. Whatever treats fields alike
/// (merge, sources, validation, texts, JSON) goes through them here.
///
/// 1. A section has one field for each field of a pod that policies rule: `required` and `allowed`
///    under one name (`schedulerNames`), `default` under the pod's (`schedulerName`).
/// 2. So have the kinds of affinity: `nodeAffinities` in rules, `nodeAffinity` in pods and defaults.
/// 3. Both modes of a kind have one name everywhere.
/// Types that are described: the spec, its sections, the rules on affinity, patterns, and of a
/// default the affinity down to its modes. What is below is a value, a list or a map.

#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// A field of a `T`.
template <class T, class Member>
struct SpecField {
  std::string_view name;
  Member T::*member;
};
/// Its types are those of what it is made of.
template <class T, class Member>
SpecField(std::string_view, Member T::*) -> SpecField<T, Member>;

/// The sections of a spec.
inline constexpr SpecField required_section{"required", &SchedulingPolicySpec::required};
inline constexpr SpecField allowed_section{"allowed", &SchedulingPolicySpec::allowed};
inline constexpr SpecField default_section{"default", &SchedulingPolicySpec::defaults};

/// A field of a pod, or a kind of affinity, and the rules on it.
template <class Owner, class Value, class RulesOwner, class Rules>
struct RuledField {
  std::string_view field;        ///< in a pod and in a default: `nodeAffinity`
  std::string_view rules_field;  ///< in `required` and `allowed`: `nodeAffinities`
  Value Owner::*member;
  AnyOr<Rules> RulesOwner::*rules;
};

/// What policies rule of a pod.
template <class Value, class Rules>
using PodField = RuledField<Defaults, Value, PolicySection, Rules>;
/// The scheduler.
inline constexpr PodField<std::optional<std::string>, Texts> scheduler_name_field = {
    "schedulerName", "schedulerNames", &Defaults::scheduler_name, &PolicySection::scheduler_names};
/// The priority class.
inline constexpr PodField<std::optional<std::string>, Texts> priority_class_name_field = {
    "priorityClassName", "priorityClassNames", &Defaults::priority_class_name,
    &PolicySection::priority_class_names};
/// The node selector, key by key.
inline constexpr PodField<Optional<Labels>, NodeSelectors> node_selector_field = {
    "nodeSelector", "nodeSelectors", &Defaults::node_selector, &PolicySection::node_selectors};
/// Tolerations, given one by one and permitted by patterns.
inline constexpr PodField<std::optional<std::vector<DefaultToleration>>,
                          std::vector<TolerationPattern>>
    tolerations_field = {"tolerations", "tolerations", &Defaults::tolerations,
                         &PolicySection::tolerations};
/// Affinity, by its kinds.
inline constexpr PodField<std::optional<Affinity>, AffinityRules> affinity_field = {
    "affinity", "affinities", &Defaults::affinity, &PolicySection::affinities};

/// A kind of affinity.
template <class Kind, class Rule>
using AffinityKind = RuledField<Affinity, std::optional<Kind>, AffinityRules, AffinityModes<Rule>>;
/// Node affinity.
inline constexpr AffinityKind<NodeAffinity, NodeAffinityRule> node_affinity_kind = {
    "nodeAffinity", "nodeAffinities", &Affinity::node_affinity, &AffinityRules::node_affinities};
/// Pod affinity.
inline constexpr AffinityKind<PodAffinity, PodAffinityRule> pod_affinity_kind = {
    "podAffinity", "podAffinities", &Affinity::pod_affinity, &AffinityRules::pod_affinities};
/// Pod anti-affinity.
inline constexpr AffinityKind<PodAffinity, PodAffinityRule> pod_anti_affinity_kind = {
    "podAntiAffinity", "podAntiAffinities", &Affinity::pod_anti_affinity,
    &AffinityRules::pod_anti_affinities};

/// Calls `f` with all of them.
template <class F>
constexpr auto with_pod_fields(F&& f) {
  return f(scheduler_name_field, priority_class_name_field, node_selector_field, tolerations_field,
           affinity_field);
}
/// Calls `f` with all kinds of affinity, in the order in which documents and violations have them.
template <class F>
constexpr auto with_kinds(F&& f) {
  return f(node_affinity_kind, pod_affinity_kind, pod_anti_affinity_kind);
}

/// Calls `f` for each of them.
template <class F>
constexpr void for_each_pod_field(F&& f) {
  with_pod_fields([&](const auto&... each) { (f(each), ...); });
}
/// Calls `f` for each kind of affinity.
template <class F>
constexpr void for_each_kind(F&& f) {
  with_kinds([&](const auto&... each) { (f(each), ...); });
}

/// Calls `f` with all fields of a type: those of a spec are its sections.
template <class F>
constexpr auto fields_of(std::type_identity<SchedulingPolicySpec>, F&& f) {
  return f(required_section, allowed_section, default_section);
}
/// Those of `required` and `allowed`.
template <class F>
constexpr auto fields_of(std::type_identity<PolicySection>, F&& f) {
  return with_pod_fields([&](const auto&... each) {
    return f(SpecField{each.rules_field, each.rules}...);
  });
}
/// Those of `default`.
template <class F>
constexpr auto fields_of(std::type_identity<Defaults>, F&& f) {
  return with_pod_fields([&](const auto&... each) {
    return f(SpecField{each.field, each.member}...);
  });
}
/// Those of the rules on affinity.
template <class F>
constexpr auto fields_of(std::type_identity<AffinityRules>, F&& f) {
  return with_kinds([&](const auto&... each) {
    return f(SpecField{each.rules_field, each.rules}...);
  });
}
/// Those of an affinity.
template <class F>
constexpr auto fields_of(std::type_identity<Affinity>, F&& f) {
  return with_kinds([&](const auto&... each) { return f(SpecField{each.field, each.member}...); });
}
/// Those of a kind of affinity, or of the rules on one: its modes.
template <class Modes, class F>
  requires requires { &Modes::required_during_scheduling_ignored_during_execution; }
constexpr auto fields_of(std::type_identity<Modes>, F&& f) {
  return f(SpecField{required_mode, &Modes::required_during_scheduling_ignored_during_execution},
           SpecField{preferred_mode, &Modes::preferred_during_scheduling_ignored_during_execution});
}
/// Those of a rule on node affinity.
template <class F>
constexpr auto fields_of(std::type_identity<NodeAffinityRule>, F&& f) {
  return f(SpecField{"nodeSelectorTerms", &NodeAffinityRule::node_selector_terms});
}
/// Those of a rule on pod affinity.
template <class F>
constexpr auto fields_of(std::type_identity<PodAffinityRule>, F&& f) {
  return f(SpecField{"topologyKeys", &PodAffinityRule::topology_keys});
}
/// Those of a pattern of terms.
template <class F>
constexpr auto fields_of(std::type_identity<TermPattern>, F&& f) {
  return f(SpecField{"matchExpressions", &TermPattern::match_expressions},
           SpecField{"matchFields", &TermPattern::match_fields});
}
/// Those of a pattern of expressions.
template <class F>
constexpr auto fields_of(std::type_identity<RequirementPattern>, F&& f) {
  return f(SpecField{"keys", &RequirementPattern::keys},
           SpecField{"operators", &RequirementPattern::operators},
           SpecField{"values", &RequirementPattern::values});
}
/// Those of a pattern of tolerations.
template <class F>
constexpr auto fields_of(std::type_identity<TolerationPattern>, F&& f) {
  return f(SpecField{"keys", &TolerationPattern::keys},
           SpecField{"operators", &TolerationPattern::operators},
           SpecField{"values", &TolerationPattern::values},
           SpecField{"effects", &TolerationPattern::effects});
}

/// Takes fields, and does nothing with them.
struct AnyFields {
  /// All fields of a type.
  template <class... Fields>
  constexpr void operator()(const Fields&...) const noexcept {}
};

/// What the fields of are described.
template <class T>
concept HasFields = requires { fields_of(std::type_identity<T>{}, AnyFields{}); };

/// Calls `f(name, member)` for each field of a type.
template <HasFields T, class F>
constexpr void for_each_field(F&& f) {
  fields_of(std::type_identity<T>{},
            [&](const auto&... each) { (f(each.name, each.member), ...); });
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
