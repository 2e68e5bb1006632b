// SPDX-License-Identifier: Apache-2.0
#pragma once

/// SchedulingPolicy: the cluster-scoped object that says which schedulers, priority classes, node
/// selectors, tolerations, affinities and runtime classes pods must use, may use, and get by default.
/// It also says which topology spread constraints, scheduling gates and resource claims they may use.
///
/// Absent, any and listed differ everywhere in `required` and `allowed`. In YAML, `any` is an empty
/// list or map.
/// 1. In `allowed`, an absent field permits nothing, `any` everything, a listed field what it lists.
///    The same holds one level down: for the values of a key, and for a kind or mode of affinity.
/// 2. In `required`, an absent field requires nothing, a listed field what it lists. `any` is valid
///    only below a field: any value of a key, any term of a kind or mode. As a whole field of
///    `required` it is invalid (`validate`) and counts as absent.
/// 3. In a pattern, an absent list matches nothing and `any` everything. The exception is `values`: if
///    absent, it matches only items without values.
/// 4. A list without items permits nothing and never means `any`. No pod meets a requirement that lists
///    no names.
/// 5. The proposal does not know runtime classes, spread constraints, gates and claims, so a policy
///    written for the proposal must not deny them. They are denied for lack of permission only if
///    `Options::governs` has them. The last three cannot be required.
/// 6. A policy that permits a runtime class also permits what the class adds to the pod. Resource claims
///    are permitted by name; the devices that a claim asks for are in another object.
/// Source: the SchedulingPolicy proposal, "SchedulingPolicy content".

#include <schedpol/base/any_or.hpp>
#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The usual `apiVersion` of its objects; `is_in_group` knows the other groups they can be in.
inline constexpr std::string_view api_version = own_api_version;

/// Node selector keys and the values each may have.
using NodeSelectors = TextMap<AnyOr<Texts>>;

/// Matches tolerations whose key, operator, value and effect all match.
struct TolerationPattern {
  AnyOr<Texts> keys{};
  AnyOr<std::vector<OpenEnum<TolerationOperator>>> operators{};
  AnyOr<Texts> values{};
  AnyOr<std::vector<OpenEnum<TaintEffect>>> effects{};

  friend bool operator==(const TolerationPattern&, const TolerationPattern&) = default;
};

/// Matches node selector requirements whose key and operator match, and whose values are all
/// listed.
struct RequirementPattern {
  AnyOr<Texts> keys{};
  AnyOr<std::vector<OpenEnum<NodeSelectorOperator>>> operators{};
  AnyOr<Texts> values{};

  friend bool operator==(const RequirementPattern&, const RequirementPattern&) = default;
};

/// In `allowed`: the expressions that a term may have, none if the list is absent. In `required`: each
/// pattern must match an expression of the term; `any` requires at least one expression. If both
/// lists are absent, the pattern permits nothing and is never satisfied.
struct TermPattern {
  AnyOr<std::vector<RequirementPattern>> match_expressions{};
  AnyOr<std::vector<RequirementPattern>> match_fields{};

  friend bool operator==(const TermPattern&, const TermPattern&) = default;
};

/// One mode of node affinity. In `allowed`, a pod may freely combine the expressions of all terms. In
/// `required`, the pod must satisfy each term.
struct NodeAffinityRule {
  std::vector<TermPattern> node_selector_terms{};

  friend bool operator==(const NodeAffinityRule&, const NodeAffinityRule&) = default;
};

/// One mode of pod affinity or anti-affinity. In `allowed`, the topology keys that terms may have. In
/// `required`, a term must have one of these keys.
struct PodAffinityRule {
  Texts topology_keys{};

  friend bool operator==(const PodAffinityRule&, const PodAffinityRule&) = default;
};

/// One kind of affinity, by its two modes.
template <class Rule>
struct AffinityModes {
  AnyOr<Rule> required_during_scheduling_ignored_during_execution{};
  AnyOr<Rule> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const AffinityModes&, const AffinityModes&) = default;
};

/// The rules for node affinity, and for pod affinity and anti-affinity.
using NodeAffinityRules = AffinityModes<NodeAffinityRule>;
using PodAffinityRules = AffinityModes<PodAffinityRule>;

/// The three kinds of affinity.
struct AffinityRules {
  AnyOr<NodeAffinityRules> node_affinities{};
  AnyOr<PodAffinityRules> pod_affinities{};
  AnyOr<PodAffinityRules> pod_anti_affinities{};

  friend bool operator==(const AffinityRules&, const AffinityRules&) = default;
};

/// Matches topology spread constraints whose topology key and `whenUnsatisfiable` both match. Only `any`
/// matches an empty key. A constraint without `whenUnsatisfiable` matches only if it would match with
/// either value.
struct SpreadConstraintPattern {
  AnyOr<Texts> topology_keys{};
  AnyOr<std::vector<OpenEnum<WhenUnsatisfiable>>> when_unsatisfiable{};

  friend bool operator==(const SpreadConstraintPattern&, const SpreadConstraintPattern&) = default;
};

/// The `required` or the `allowed` section. The fields after `runtime_class_names` are only for
/// `allowed`; in `required` they are invalid and count as absent.
struct PolicySection {
  AnyOr<Texts> scheduler_names{};
  AnyOr<Texts> priority_class_names{};
  AnyOr<NodeSelectors> node_selectors{};
  AnyOr<std::vector<TolerationPattern>> tolerations{};
  AnyOr<AffinityRules> affinities{};
  AnyOr<Texts> runtime_class_names{};
  AnyOr<std::vector<SpreadConstraintPattern>> topology_spread_constraints{};
  AnyOr<Texts> scheduling_gates{};  ///< names of gates
  AnyOr<Texts> resource_claims{};   ///< names of ResourceClaims and ResourceClaimTemplates

  friend bool operator==(const PolicySection&, const PolicySection&) = default;
};

/// A toleration that pods get. If `values` are listed, pods get one toleration for each value instead
/// of `toleration.value`. `any` values are invalid and count as absent.
struct DefaultToleration {
  Toleration toleration{};
  AnyOr<Texts> values{};

  friend bool operator==(const DefaultToleration&, const DefaultToleration&) = default;
};

/// The `default` section: what a pod gets if it does not specify it. An empty field gives nothing.
struct Defaults {
  std::optional<std::string> scheduler_name{};
  std::optional<std::string> priority_class_name{};
  Optional<Labels> node_selector{};
  std::optional<std::vector<DefaultToleration>> tolerations{};
  std::optional<Affinity> affinity{};
  std::optional<std::string> runtime_class_name{};

  friend bool operator==(const Defaults&, const Defaults&) = default;
};

/// What pods must use, may use, and get by default.
struct SchedulingPolicySpec {
  PolicySection required{};
  PolicySection allowed{};
  Defaults defaults{};

  friend bool operator==(const SchedulingPolicySpec&, const SchedulingPolicySpec&) = default;
};

/// Rules for the pods of the users that may use the policy.
struct SchedulingPolicy {
  ObjectMeta metadata{};
  SchedulingPolicySpec spec{};

  friend bool operator==(const SchedulingPolicy&, const SchedulingPolicy&) = default;
};

/// A pattern on one line in YAML flow style. `[]` is any, `none` is a list without items. Different
/// patterns have different texts.
[[nodiscard]] std::string to_string(const TolerationPattern& pattern);
[[nodiscard]] std::string to_string(const RequirementPattern& pattern);
[[nodiscard]] std::string to_string(const TermPattern& pattern);
[[nodiscard]] std::string to_string(const SpreadConstraintPattern& pattern);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/policy.ipp>
#endif
