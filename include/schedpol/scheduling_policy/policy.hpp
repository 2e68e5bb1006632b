// SPDX-License-Identifier: Apache-2.0
#pragma once

/// SchedulingPolicy: the cluster-scoped object that says which schedulers, priority classes, node
/// selectors, tolerations, affinities and runtime classes pods must, may and by default do use, and
/// which topology spread constraints, scheduling gates and resource claims they may.
///
/// Absent, any and listed differ everywhere in `required` and `allowed`; in a document `any` is an
/// empty list or map.
/// 1. In `allowed` an absent field permits nothing, `any` everything, a listed one what it lists.
///    The same holds one level down, for the values of a key, a kind or a mode of affinity.
/// 2. In `required` an absent field asks for nothing, a listed one for what it lists. `any` stands
///    only below: any value of a key, any term of a kind or in a mode. As a whole field of
///    `required` it is invalid (`validate`) and taken as absent.
/// 3. In a pattern an absent list matches nothing and `any` everything, except `values`, which
///    absent match what has no value.
/// 4. What is listed with nothing in it permits nothing: it is never taken for `any`. Required names of
///    which none is listed are had by no pod.
/// 5. Of runtime classes, spread constraints, gates and claims the proposal knows nothing, so that a
///    policy which was written for it must not deny them: what `allowed` does not permit of these is
///    denied where `Options::governs` has them. Nothing of the last three can be required.
/// 6. A runtime class that may be named is a permission to what it adds to the pod. What is permitted
///    of resource claims is their names: which devices a claim asks for is an object of its own.
/// Source: the SchedulingPolicy proposal, "SchedulingPolicy content".

#include <schedpol/base/any_or.hpp>
#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The `apiVersion` of its objects, usually: `is_in_group` says which other groups they can be of.
inline constexpr std::string_view api_version = own_api_version;

/// Node selector keys and the values each may have.
using NodeSelectors = TextMap<AnyOr<Texts>>;

/// Which tolerations are meant: those whose key, operator, value and effect all match.
struct TolerationPattern {
  AnyOr<Texts> keys{};
  AnyOr<std::vector<OpenEnum<TolerationOperator>>> operators{};
  AnyOr<Texts> values{};
  AnyOr<std::vector<OpenEnum<TaintEffect>>> effects{};

  friend bool operator==(const TolerationPattern&, const TolerationPattern&) = default;
};

/// Which node selector requirements are meant: those whose key and operator match and of whose
/// values every one is listed.
struct RequirementPattern {
  AnyOr<Texts> keys{};
  AnyOr<std::vector<OpenEnum<NodeSelectorOperator>>> operators{};
  AnyOr<Texts> values{};

  friend bool operator==(const RequirementPattern&, const RequirementPattern&) = default;
};

/// In `allowed`: the expressions a term may hold, none where the list is absent. In `required`: the
/// patterns a term has to hold; `any` asks for at least one expression. With both absent it permits
/// nothing and is never satisfied.
struct TermPattern {
  AnyOr<std::vector<RequirementPattern>> match_expressions{};
  AnyOr<std::vector<RequirementPattern>> match_fields{};

  friend bool operator==(const TermPattern&, const TermPattern&) = default;
};

/// One mode of node affinity. In `allowed` the expressions of all terms may be combined freely, in
/// `required` each term has to hold.
struct NodeAffinityRule {
  std::vector<TermPattern> node_selector_terms{};

  friend bool operator==(const NodeAffinityRule&, const NodeAffinityRule&) = default;
};

/// One mode of pod affinity or anti-affinity: the topology keys that terms may, or one of which a
/// term must have.
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

/// The affinities for nodes, and those for and against pods.
using NodeAffinityRules = AffinityModes<NodeAffinityRule>;
using PodAffinityRules = AffinityModes<PodAffinityRule>;

/// The three kinds of affinity.
struct AffinityRules {
  AnyOr<NodeAffinityRules> node_affinities{};
  AnyOr<PodAffinityRules> pod_affinities{};
  AnyOr<PodAffinityRules> pod_anti_affinities{};

  friend bool operator==(const AffinityRules&, const AffinityRules&) = default;
};

/// Which topology spread constraints are meant: those whose topology key and `whenUnsatisfiable` both
/// match. A key that is empty only `any` matches; a constraint without `whenUnsatisfiable` has to be
/// matched as one with either word.
struct SpreadConstraintPattern {
  AnyOr<Texts> topology_keys{};
  AnyOr<std::vector<OpenEnum<WhenUnsatisfiable>>> when_unsatisfiable{};

  friend bool operator==(const SpreadConstraintPattern&, const SpreadConstraintPattern&) = default;
};

/// The `required` or the `allowed` section. What stands behind `runtime_class_names` is of `allowed`
/// alone; in `required` it is invalid, and taken as absent.
struct PolicySection {
  AnyOr<Texts> scheduler_names{};
  AnyOr<Texts> priority_class_names{};
  AnyOr<NodeSelectors> node_selectors{};
  AnyOr<std::vector<TolerationPattern>> tolerations{};
  AnyOr<AffinityRules> affinities{};
  AnyOr<Texts> runtime_class_names{};
  AnyOr<std::vector<SpreadConstraintPattern>> topology_spread_constraints{};
  AnyOr<Texts> scheduling_gates{};  ///< by their names
  AnyOr<Texts> resource_claims{};   ///< names of claims, and of templates of claims

  friend bool operator==(const PolicySection&, const PolicySection&) = default;
};

/// A toleration to give to pods; with `values` listed, one for each of them, and `toleration.value`
/// is not used. `any` values are invalid, and taken as absent.
struct DefaultToleration {
  Toleration toleration{};
  AnyOr<Texts> values{};

  friend bool operator==(const DefaultToleration&, const DefaultToleration&) = default;
};

/// The `default` section: what a pod gets that does not specify it. An empty field gives nothing.
struct Defaults {
  std::optional<std::string> scheduler_name{};
  std::optional<std::string> priority_class_name{};
  Optional<Labels> node_selector{};
  std::optional<std::vector<DefaultToleration>> tolerations{};
  std::optional<Affinity> affinity{};
  std::optional<std::string> runtime_class_name{};

  friend bool operator==(const Defaults&, const Defaults&) = default;
};

/// What pods must, may and by default do use.
struct SchedulingPolicySpec {
  PolicySection required{};
  PolicySection allowed{};
  Defaults defaults{};

  friend bool operator==(const SchedulingPolicySpec&, const SchedulingPolicySpec&) = default;
};

/// Rules for the pods of those who may use it.
struct SchedulingPolicy {
  ObjectMeta metadata{};
  SchedulingPolicySpec spec{};

  friend bool operator==(const SchedulingPolicy&, const SchedulingPolicy&) = default;
};

/// Patterns on one line, as YAML writes them in flow style; `[]` is any, `none` a list of nothing.
/// Different patterns have different texts.
[[nodiscard]] std::string to_string(const TolerationPattern& pattern);
[[nodiscard]] std::string to_string(const RequirementPattern& pattern);
[[nodiscard]] std::string to_string(const TermPattern& pattern);
[[nodiscard]] std::string to_string(const SpreadConstraintPattern& pattern);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/policy.ipp>
#endif
