// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The shape of a SchedulingPolicy's spec: the fields of each part with their names in YAML and their
/// members, in the order of YAML. Code that treats all fields in the same way (merge, sources, `check`,
/// violations, defaults, validation, insight, texts, JSON) iterates over these.
///
/// 1. A section has one field for each pod field that policies govern. `required` and `allowed` share one
///    name (`schedulerNames`); `default` has the name in the pod (`schedulerName`). One row has everything
///    about a field: its names, its members, the codes of its violations, and the rule of `check` for
///    fields of its kind.
/// 2. The kinds of affinity work the same: `nodeAffinities` in rules, `nodeAffinity` in pods and defaults.
/// 3. A mode of affinity has the same name everywhere.
/// 4. Fields that cannot be required or given by default are only in `allowed` (`AllowedField`).
///    `PolicySection` has them in `required`, too, where `validate` refuses them.
/// The described types are the spec, its sections, affinity rules, patterns, and the affinity of a
/// default down to its modes. Everything below is a value, a list or a map. If a member of such a type
/// has no field here, the code does not compile.

#include <schedpol/scheduling_policy/impl/pod_field.hpp>

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

/// A field of a pod that the API server derives from another, and refuses where it contradicts.
struct DerivedField {
  std::string_view field;
  std::optional<std::string> (*text)(const PodSpec& spec);  ///< none where it is not there
  void (*clear)(PodSpec& spec);
};
inline constexpr std::array<DerivedField, 2> derived_from_priority_class = {{
    {"priority",
     [](const PodSpec& spec) {
       return spec.priority ? std::optional(std::to_string(*spec.priority)) : std::nullopt;
     },
     [](PodSpec& spec) { spec.priority.reset(); }},
    {"preemptionPolicy",
     [](const PodSpec& spec) {
       return spec.preemption_policy.empty() ? std::nullopt : std::optional(spec.preemption_policy);
     },
     [](PodSpec& spec) { spec.preemption_policy.clear(); }},
}};

/// What names that a pod may have of an object differ in.
struct NameTraits {
  std::string_view of_pods_without{};                 ///< the name of a pod that has none
  std::string Options::*filled_in = nullptr;          ///< what the cluster gives to such a pod
  std::string SchedulingCriteria::*exempt = nullptr;  ///< where exempt ones stand
  bool is_object_name = true;                         ///< it has to be a subdomain
  std::span<const DerivedField> derived{};
};
using NameField =
    PodField<std::string, std::optional<std::string>, Texts, detail::NameCheck, NameTraits>;

/// The scheduler.
inline constexpr NameField scheduler_name_field = {
    .field = "schedulerName",
    .rules_field = "schedulerNames",
    .in_pod = &PodSpec::scheduler_name,
    .member = &Defaults::scheduler_name,
    .rules = &PolicySection::scheduler_names,
    .component = Component::scheduler_names,
    .codes = {ViolationCode::scheduler_name_not_allowed, ViolationCode::scheduler_name_required},
    .traits = {.of_pods_without = default_scheduler_name,
               .exempt = &SchedulingCriteria::scheduler_name,
               .is_object_name = false}};
/// The priority class.
inline constexpr NameField priority_class_name_field = {
    .field = "priorityClassName",
    .rules_field = "priorityClassNames",
    .in_pod = &PodSpec::priority_class_name,
    .member = &Defaults::priority_class_name,
    .rules = &PolicySection::priority_class_names,
    .component = Component::priority_class_names,
    .codes = {ViolationCode::priority_class_name_not_allowed,
              ViolationCode::priority_class_name_required},
    .traits = {.filled_in = &Options::global_default_priority_class,
               .derived = derived_from_priority_class}};

/// The runtime class.
inline constexpr NameField runtime_class_name_field = {
    .field = "runtimeClassName",
    .rules_field = "runtimeClassNames",
    .in_pod = &PodSpec::runtime_class_name,
    .member = &Defaults::runtime_class_name,
    .rules = &PolicySection::runtime_class_names,
    .component = Component::runtime_class_names,
    .codes = {ViolationCode::runtime_class_name_not_allowed,
              ViolationCode::runtime_class_name_required}};

struct NoTraits {};

/// The node selector, key by key.
using NodeSelectorField =
    PodField<Labels, Optional<Labels>, NodeSelectors, detail::NodeSelectorCheck, NoTraits>;
inline constexpr NodeSelectorField node_selector_field = {
    .field = "nodeSelector",
    .rules_field = "nodeSelectors",
    .in_pod = &PodSpec::node_selector,
    .member = &Defaults::node_selector,
    .rules = &PolicySection::node_selectors,
    .component = Component::node_selectors,
    .codes = {ViolationCode::node_selector_not_allowed, ViolationCode::node_selector_required}};
/// Tolerations, given one by one and permitted by patterns.
using TolerationsField =
    PodField<std::vector<Toleration>, std::optional<std::vector<DefaultToleration>>,
             std::vector<TolerationPattern>, detail::TolerationsCheck, NoTraits>;
inline constexpr TolerationsField tolerations_field = {
    .field = "tolerations",
    .rules_field = "tolerations",
    .in_pod = &PodSpec::tolerations,
    .member = &Defaults::tolerations,
    .rules = &PolicySection::tolerations,
    .component = Component::tolerations,
    .codes = {ViolationCode::toleration_not_allowed, ViolationCode::toleration_required}};
/// Affinity, by its kinds.
using AffinityField = PodField<std::optional<Affinity>, std::optional<Affinity>, AffinityRules,
                               detail::AffinityCheck, NoTraits>;
inline constexpr AffinityField affinity_field = {
    .field = "affinity",
    .rules_field = "affinities",
    .in_pod = &PodSpec::affinity,
    .member = &Defaults::affinity,
    .rules = &PolicySection::affinities,
    .component = Component::affinities,
    .codes = {ViolationCode::affinity_not_allowed, ViolationCode::affinity_required}};

/// Topology spread constraints, permitted by patterns.
using SpreadConstraintsField =
    AllowedField<std::vector<TopologySpreadConstraint>, std::vector<SpreadConstraintPattern>,
                 detail::SpreadConstraintsCheck>;
inline constexpr SpreadConstraintsField topology_spread_constraints_field = {
    .field = "topologySpreadConstraints",
    .in_pod = &PodSpec::topology_spread_constraints,
    .rules = &PolicySection::topology_spread_constraints,
    .component = Component::topology_spread_constraints,
    .codes = {ViolationCode::topology_spread_constraint_not_allowed,
              ViolationCode::topology_spread_constraint_not_allowed}};
/// Items that are permitted by the names that they have.
template <class Item>
using AllowedNamesField = AllowedField<std::vector<Item>, Texts, detail::AllowedNamesCheck<Item>>;
/// Scheduling gates.
inline constexpr AllowedNamesField<PodSchedulingGate> scheduling_gates_field = {
    .field = "schedulingGates",
    .in_pod = &PodSpec::scheduling_gates,
    .rules = &PolicySection::scheduling_gates,
    .component = Component::scheduling_gates,
    .codes = {ViolationCode::scheduling_gate_not_allowed,
              ViolationCode::scheduling_gate_not_allowed}};
/// Resource claims, and templates of claims.
inline constexpr AllowedNamesField<PodResourceClaim> resource_claims_field = {
    .field = "resourceClaims",
    .in_pod = &PodSpec::resource_claims,
    .rules = &PolicySection::resource_claims,
    .component = Component::resource_claims,
    .codes = {ViolationCode::resource_claim_not_allowed, ViolationCode::resource_claim_not_allowed},
    .permits_only = "the name alone, whatever devices the claim asks for"};

/// The node that a pod names, and so goes past every scheduler. It stands in no section: it is
/// permitted where any scheduler is.
struct NodeNameField {
  using Check = detail::NodeCheck;

  std::string_view field;
  std::string PodSpec::*in_pod;
  const NameField& scheduler;
  Component component;
  std::string SchedulingCriteria::*exempt;
  DenialCodes codes;
};
inline constexpr NodeNameField node_name_field = {
    .field = "nodeName",
    .in_pod = &PodSpec::node_name,
    .scheduler = scheduler_name_field,
    .component = scheduler_name_field.component,
    .exempt = &SchedulingCriteria::node_name,
    .codes = {ViolationCode::node_name_not_allowed, ViolationCode::node_name_not_allowed}};

/// A kind of affinity, and the rules on it.
template <class Kind, class Rule>
struct AffinityKind {
  std::string_view field;        ///< in a pod and in a default: `nodeAffinity`
  std::string_view rules_field;  ///< in `required` and `allowed`: `nodeAffinities`
  std::optional<Kind> Affinity::*member;
  AnyOr<AffinityModes<Rule>> AffinityRules::*rules;
};
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

/// Rows of the table.
template <const auto&... rows>
struct RowList {
  template <class F>
  static constexpr auto with_each(F&& f) {
    return f(rows...);
  }
};
/// All fields of pods of which something can be required, allowed and given, in the order of
/// documents and of `check`.
using PodFields = RowList<scheduler_name_field, priority_class_name_field, node_selector_field,
                          tolerations_field, affinity_field, runtime_class_name_field>;
/// Those that `allowed` alone has, which come after them.
using AllowedFields =
    RowList<topology_spread_constraints_field, scheduling_gates_field, resource_claims_field>;

template <const auto&... rows, const auto&... more>
RowList<rows..., more...> joined(RowList<rows...>, RowList<more...>);
/// All fields of a section.
using SectionFields = decltype(joined(PodFields{}, AllowedFields{}));

template <const auto& scheduler, const auto&... others>
RowList<scheduler, node_name_field, others...> with_node_name(RowList<scheduler, others...>);
/// All rows: the node name comes after the scheduler.
using AllRows = decltype(with_node_name(SectionFields{}));

/// Calls `f` with all fields of pods of which something can be required, allowed and given.
template <class F>
constexpr auto with_pod_fields(F&& f) {
  return PodFields::with_each(f);
}
/// Calls `f` with all fields of a section.
template <class F>
constexpr auto with_section_fields(F&& f) {
  return SectionFields::with_each(f);
}
/// Calls `f` with all rows.
template <class F>
constexpr auto with_rows(F&& f) {
  return AllRows::with_each(f);
}
/// Calls `f` with all kinds of affinity, in the order in which documents and violations have them.
template <class F>
constexpr auto with_kinds(F&& f) {
  return f(node_affinity_kind, pod_affinity_kind, pod_anti_affinity_kind);
}

/// Calls `f` for each row.
template <class F>
constexpr void for_each_row(F&& f) {
  with_rows([&](const auto&... each) { (f(each), ...); });
}
/// Calls `f` with the row whose denials are called so.
template <class F>
constexpr void with_row(const DenialCodes& codes, F&& f) {
  for_each_row([&](const auto& row) {
    if (row.codes == codes) f(row);
  });
}
/// Where that row stands in the table.
constexpr std::size_t number_of(const DenialCodes& codes) {
  std::size_t before = 0;
  bool found = false;
  for_each_row([&](const auto& row) {
    found = found || row.codes == codes;
    if (!found) ++before;
  });
  return before;
}
inline constexpr std::size_t row_count =
    with_rows([](const auto&... row) { return sizeof...(row); });

/// Calls `f` for each field of pods of which something can be required, allowed and given.
template <class F>
constexpr void for_each_pod_field(F&& f) {
  with_pod_fields([&](const auto&... each) { (f(each), ...); });
}
/// Calls `f` for each field of a section.
template <class F>
constexpr void for_each_section_field(F&& f) {
  with_section_fields([&](const auto&... each) { (f(each), ...); });
}
/// Calls `f` for each field that `allowed` alone has.
template <class F>
constexpr void for_each_allowed_field(F&& f) {
  AllowedFields::with_each([&](const auto&... each) { (f(each), ...); });
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
  return with_section_fields([&](const auto&... each) {
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

/// Those of a pattern of topology spread constraints.
template <class F>
constexpr auto fields_of(std::type_identity<SpreadConstraintPattern>, F&& f) {
  return f(SpecField{"topologyKeys", &SpreadConstraintPattern::topology_keys},
           SpecField{"whenUnsatisfiable", &SpreadConstraintPattern::when_unsatisfiable});
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

namespace detail {

/// Any of each field.
inline PolicySection everything() {
  PolicySection section;
  for_each_section_field([&](const auto& row) { section.*row.rules = any; });
  return section;
}

}  // namespace detail

/// Whether a type has a field for each of its members, in their order.
template <HasFields T>
inline constexpr bool is_described =
    fields_of(std::type_identity<T>{}, []<class... Members>(const SpecField<T, Members>&...) {
      return requires { T{Members{}...}; } && !requires { T{Members{}..., {}}; };
    });
static_assert(is_described<SchedulingPolicySpec> && is_described<PolicySection> &&
                  is_described<Defaults> && is_described<AffinityRules> && is_described<Affinity> &&
                  is_described<NodeAffinityRules> && is_described<PodAffinityRules> &&
                  is_described<NodeAffinity> && is_described<PodAffinity> &&
                  is_described<NodeAffinityRule> && is_described<PodAffinityRule> &&
                  is_described<TermPattern> && is_described<RequirementPattern> &&
                  is_described<TolerationPattern> && is_described<SpreadConstraintPattern>,
              "each member has its row");

static_assert(with_pod_fields([](const auto&... row) {
                return ((!row.field.empty() && !row.rules_field.empty() && row.in_pod != nullptr &&
                         row.member != nullptr && row.rules != nullptr) &&
                        ...);
              }),
              "each row is whole");
static_assert(with_section_fields([](const auto&... row) {
                std::size_t number = 0;
                return ((row.rules != nullptr && row.in_pod != nullptr &&
                         static_cast<std::size_t>(row.component) == number &&
                         to_string(row.component) == row.rules_field && ++number != 0) &&
                        ...) &&
                       number == component_names.size();
              }),
              "each component is a field, and is called like it");
static_assert(with_rows([](const auto&... row) {
                std::size_t number = 0;
                return ((number_of(row.codes) == number++) && ...);
              }),
              "no two rows have the same codes");

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
