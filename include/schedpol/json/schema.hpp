// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON fields of every value type, once: decoding, encoding and patching all read these
/// tables. A field is a name and what it stands for in the value, with the other spelling that the
/// SchedulingPolicy proposal uses, where it uses one.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/metadata_policy/metadata_policy.hpp>
#include <schedpol/pod_scheduling_policy/pod_scheduling_policy.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/runtime_class.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <array>
#include <string_view>
#include <tuple>

namespace schedpol::json::detail {

/// Who looks at a field. Those of a pod that only MetadataPolicy needs are the largest.
enum class LookedAt { by_all, by_metadata_policy };

/// `access` is a pointer to a member, or a callable from the value to a reference.
template <class Access>
struct Field {
  std::string_view name;
  Access access;
  std::string_view alias;  ///< accepted when decoding, never written; empty: none
  LookedAt looked_at = LookedAt::by_all;
};

template <class Access>
constexpr Field<Access> field(std::string_view name, Access access, std::string_view alias = "") {
  return {name, access, alias};
}
template <class Access>
constexpr Field<Access> field(std::string_view name, Access access, LookedAt looked_at) {
  return {name, access, "", looked_at};
}

/// How unknown fields of an object are taken.
enum class Unknown {
  inherit,  ///< as in the object around it; at the top, ignored
  ignore,   ///< Kubernetes objects carry much that does not matter here
  refuse,   ///< a typo in a policy is a hole
};

/// `fields`, and for whole objects `kind` and `api_version`; `unknown` where it is not inherited;
/// `ignored` names fields that are known but not read, `needed` one that has to be there;
/// `empty_is_any` marks maps that permit everything when they are written empty.
template <class T>
struct Schema;

/// The enumerators of a closed vocabulary, which `to_string` spells. Empty text is the first of
/// them, unless the vocabulary is `needed`.
template <class Word>
struct Words;

template <class Word>
concept Worded = requires { Words<Word>::all; };

template <>
struct Words<scheduling_policy::MergeStrategy> {
  using enum scheduling_policy::MergeStrategy;
  static constexpr std::array all = {smart_deep_merge, first_seen_wins, simple_merge};
};

template <>
struct Words<scheduling_policy::RequiredAffinity> {
  using enum scheduling_policy::RequiredAffinity;
  static constexpr std::array all = {every_term, present};
};

template <>
struct Words<scheduling_policy::NodeName> {
  using enum scheduling_policy::NodeName;
  static constexpr std::array all = {require_any_scheduler, ignore};
};

template <>
struct Words<pod_scheduling_policy::PolicyKind> {
  using enum pod_scheduling_policy::PolicyKind;
  static constexpr bool needed = true;
  static constexpr std::array all = {pod_scheduling_policy, cluster_pod_scheduling_policy};
};

template <class T>
concept Described = requires { Schema<T>::fields; };

template <class T>
concept Object = Described<T> && requires { Schema<T>::kind; };

template <>
struct Schema<ObjectMeta> {
  static constexpr auto unknown = Unknown::ignore;
  static constexpr auto fields =
      std::tuple(field("name", &ObjectMeta::name), field("namespace", &ObjectMeta::namespace_),
                 field("labels", &ObjectMeta::labels),
                 field("annotations", &ObjectMeta::annotations, LookedAt::by_metadata_policy),
                 field("deletionTimestamp", &ObjectMeta::deletion_timestamp));
};

/// An object of which only the metadata matters, such as a Namespace.
struct AnyObject {
  ObjectMeta metadata{};

  friend bool operator==(const AnyObject&, const AnyObject&) = default;
};

template <>
struct Schema<AnyObject> {
  static constexpr auto unknown = Unknown::ignore;
  static constexpr auto fields = std::tuple(field("metadata", &AnyObject::metadata));
};

template <>
struct Schema<Taint> {
  static constexpr auto fields = std::tuple(
      field("key", &Taint::key), field("value", &Taint::value), field("effect", &Taint::effect));
};

template <>
struct Schema<Toleration> {
  static constexpr auto fields =
      std::tuple(field("key", &Toleration::key), field("operator", &Toleration::operator_),
                 field("value", &Toleration::value), field("effect", &Toleration::effect),
                 field("tolerationSeconds", &Toleration::toleration_seconds));
};

template <>
struct Schema<LabelSelectorRequirement> {
  static constexpr auto fields = std::tuple(field("key", &LabelSelectorRequirement::key),
                                            field("operator", &LabelSelectorRequirement::operator_),
                                            field("values", &LabelSelectorRequirement::values));
};

template <>
struct Schema<LabelSelector> {
  static constexpr auto fields =
      std::tuple(field("matchLabels", &LabelSelector::match_labels),
                 field("matchExpressions", &LabelSelector::match_expressions));
};

template <>
struct Schema<NodeSelectorRequirement> {
  static constexpr auto fields = std::tuple(field("key", &NodeSelectorRequirement::key),
                                            field("operator", &NodeSelectorRequirement::operator_),
                                            field("values", &NodeSelectorRequirement::values));
};

template <>
struct Schema<NodeSelectorTerm> {
  static constexpr auto fields =
      std::tuple(field("matchExpressions", &NodeSelectorTerm::match_expressions),
                 field("matchFields", &NodeSelectorTerm::match_fields));
};

template <>
struct Schema<NodeSelector> {
  static constexpr auto fields =
      std::tuple(field("nodeSelectorTerms", &NodeSelector::node_selector_terms));
};

template <>
struct Schema<PreferredSchedulingTerm> {
  static constexpr auto fields =
      std::tuple(field("weight", &PreferredSchedulingTerm::weight),
                 field("preference", &PreferredSchedulingTerm::preference));
};

template <>
struct Schema<PodAffinityTerm> {
  static constexpr auto fields =
      std::tuple(field("labelSelector", &PodAffinityTerm::label_selector),
                 field("namespaces", &PodAffinityTerm::namespaces),
                 field("topologyKey", &PodAffinityTerm::topology_key),
                 field("namespaceSelector", &PodAffinityTerm::namespace_selector),
                 field("matchLabelKeys", &PodAffinityTerm::match_label_keys),
                 field("mismatchLabelKeys", &PodAffinityTerm::mismatch_label_keys));
};

template <>
struct Schema<WeightedPodAffinityTerm> {
  static constexpr auto fields =
      std::tuple(field("weight", &WeightedPodAffinityTerm::weight),
                 field("podAffinityTerm", &WeightedPodAffinityTerm::pod_affinity_term));
};

/// The two modes, which every kind of affinity has under the same names.
template <class T>
struct ModesSchema {
  static constexpr auto fields =
      std::tuple(field("requiredDuringSchedulingIgnoredDuringExecution",
                       &T::required_during_scheduling_ignored_during_execution),
                 field("preferredDuringSchedulingIgnoredDuringExecution",
                       &T::preferred_during_scheduling_ignored_during_execution));
};
template <>
struct Schema<NodeAffinity> : ModesSchema<NodeAffinity> {};
template <>
struct Schema<PodAffinity> : ModesSchema<PodAffinity> {};

template <>
struct Schema<Affinity> {
  static constexpr auto fields = std::tuple(field("nodeAffinity", &Affinity::node_affinity),
                                            field("podAffinity", &Affinity::pod_affinity),
                                            field("podAntiAffinity", &Affinity::pod_anti_affinity));
};

template <>
struct Schema<ResourceRequirements> {
  static constexpr auto fields = std::tuple(field("requests", &ResourceRequirements::requests),
                                            field("limits", &ResourceRequirements::limits));
};

template <>
struct Schema<Container> {
  static constexpr auto fields =
      std::tuple(field("name", &Container::name), field("resources", &Container::resources));
};

template <>
struct Schema<PodStatus> {
  static constexpr auto fields = std::tuple(field("phase", &PodStatus::phase));
};

template <>
struct Schema<NodeSpec> {
  static constexpr auto fields = std::tuple(field("taints", &NodeSpec::taints));
};

template <>
struct Schema<Node> {
  static constexpr std::string_view api_version = "v1";
  static constexpr std::string_view kind = "Node";
  static constexpr auto fields =
      std::tuple(field("metadata", &Node::metadata), field("spec", &Node::spec));
};

template <>
struct Schema<PodSpec> {
  static constexpr auto fields = std::tuple(
      field("schedulerName", &PodSpec::scheduler_name), field("nodeName", &PodSpec::node_name),
      field("priorityClassName", &PodSpec::priority_class_name),
      field("priority", &PodSpec::priority), field("preemptionPolicy", &PodSpec::preemption_policy),
      field("nodeSelector", &PodSpec::node_selector), field("tolerations", &PodSpec::tolerations),
      field("affinity", &PodSpec::affinity),
      field("serviceAccountName", &PodSpec::service_account_name),
      field("serviceAccount", &PodSpec::service_account),
      field("runtimeClassName", &PodSpec::runtime_class_name),
      field("overhead", &PodSpec::overhead),
      field("initContainers", &PodSpec::init_containers, LookedAt::by_metadata_policy),
      field("containers", &PodSpec::containers, LookedAt::by_metadata_policy),
      field("resources", &PodSpec::resources, LookedAt::by_metadata_policy));
};

// SchedulingPolicy

template <>
struct Schema<scheduling_policy::TolerationPattern> {
  static constexpr bool null_is_nothing = true;
  using T = scheduling_policy::TolerationPattern;
  static constexpr auto fields =
      std::tuple(field("keys", &T::keys), field("operators", &T::operators),
                 field("values", &T::values), field("effects", &T::effects));
};

template <>
struct Schema<scheduling_policy::RequirementPattern> {
  static constexpr bool null_is_nothing = true;
  using T = scheduling_policy::RequirementPattern;
  static constexpr auto fields = std::tuple(
      field("keys", &T::keys), field("operators", &T::operators), field("values", &T::values));
};

template <>
struct Schema<scheduling_policy::TermPattern> {
  static constexpr bool null_is_nothing = true;
  using T = scheduling_policy::TermPattern;
  static constexpr auto fields = std::tuple(field("matchExpressions", &T::match_expressions),
                                            field("matchFields", &T::match_fields));
};

template <>
struct Schema<scheduling_policy::NodeAffinityRule> {
  static constexpr bool empty_is_any = true;
  static constexpr auto fields = std::tuple(
      field("nodeSelectorTerms", &scheduling_policy::NodeAffinityRule::node_selector_terms));
};

template <>
struct Schema<scheduling_policy::PodAffinityRule> {
  static constexpr bool empty_is_any = true;
  static constexpr auto fields =
      std::tuple(field("topologyKeys", &scheduling_policy::PodAffinityRule::topology_keys));
};

template <class Rule>
struct Schema<scheduling_policy::AffinityModes<Rule>>
    : ModesSchema<scheduling_policy::AffinityModes<Rule>> {
  static constexpr bool empty_is_any = true;
};

template <>
struct Schema<scheduling_policy::AffinityRules> {
  using T = scheduling_policy::AffinityRules;
  static constexpr bool empty_is_any = true;
  static constexpr auto fields = std::tuple(field("nodeAffinities", &T::node_affinities),
                                            field("podAffinities", &T::pod_affinities),
                                            field("podAntiAffinities", &T::pod_anti_affinities));
};

template <>
struct Schema<scheduling_policy::Rules> {
  using T = scheduling_policy::Rules;
  static constexpr auto fields =
      std::tuple(field("schedulerNames", &T::scheduler_names, "SchedulerNames"),
                 field("priorityClassNames", &T::priority_class_names, "priorityClasseNames"),
                 field("nodeSelectors", &T::node_selectors), field("tolerations", &T::tolerations),
                 field("affinities", &T::affinities));
};

template <>
struct Schema<scheduling_policy::DefaultToleration> {
  using T = scheduling_policy::DefaultToleration;
  static constexpr auto fields = std::tuple(
      field("key", [](auto& t) -> auto& { return t.toleration.key; }),
      field("operator", [](auto& t) -> auto& { return t.toleration.operator_; }),
      field("value", [](auto& t) -> auto& { return t.toleration.value; }),
      field("values", &T::values),
      field("effect", [](auto& t) -> auto& { return t.toleration.effect; }),
      field("tolerationSeconds", [](auto& t) -> auto& { return t.toleration.toleration_seconds; }));
};

template <>
struct Schema<scheduling_policy::Defaults> {
  using T = scheduling_policy::Defaults;
  static constexpr auto fields =
      std::tuple(field("schedulerName", &T::scheduler_name, "SchedulerName"),
                 field("priorityClassName", &T::priority_class_name, "priorityClasseName"),
                 field("nodeSelector", &T::node_selector), field("tolerations", &T::tolerations),
                 field("affinity", &T::affinity));
};

template <>
struct Schema<scheduling_policy::SchedulingPolicySpec> {
  using T = scheduling_policy::SchedulingPolicySpec;
  static constexpr auto fields =
      std::tuple(field("required", &T::required), field("allowed", &T::allowed),
                 field("default", &T::defaults));
};

template <>
struct Schema<scheduling_policy::SchedulingPolicy> {
  using T = scheduling_policy::SchedulingPolicy;
  static constexpr std::string_view api_version = "extensions/v1alpha1";
  static constexpr std::string_view kind = "SchedulingPolicy";
  static constexpr std::string_view kind_alias = "Kind";
  static constexpr auto unknown = Unknown::refuse;
  static constexpr std::array<std::string_view, 1> ignored = {"status"};
  static constexpr auto fields =
      std::tuple(field("metadata", &T::metadata), field("spec", &T::spec));
};

template <>
struct Schema<scheduling_policy::Options> {
  using T = scheduling_policy::Options;
  static constexpr auto unknown = Unknown::refuse;
  static constexpr auto fields =
      std::tuple(field("requiredAffinity", &T::required_affinity), field("nodeName", &T::node_name),
                 field("exemptTolerations", &T::exempt_tolerations),
                 field("exemptNodeSelector", &T::exempt_node_selector),
                 field("globalDefaultPriorityClass", &T::global_default_priority_class));
};

// RBAC. A misspelt field is refused here too: `resourceName` for `resourceNames` would grant all.

template <>
struct Schema<rbac::PolicyRule> {
  using T = rbac::PolicyRule;
  static constexpr std::array<std::string_view, 1> ignored = {"nonResourceURLs"};
  static constexpr auto fields =
      std::tuple(field("verbs", &T::verbs), field("apiGroups", &T::api_groups),
                 field("resources", &T::resources), field("resourceNames", &T::resource_names));
};

template <>
struct Schema<rbac::RoleRef> {
  using T = rbac::RoleRef;
  static constexpr auto fields = std::tuple(field("apiGroup", &T::api_group),
                                            field("kind", &T::kind), field("name", &T::name));
};

template <>
struct Schema<rbac::Subject> {
  using T = rbac::Subject;
  // `apiVersion` is what `apiGroup` was called before rbac.authorization.k8s.io/v1beta1.
  static constexpr std::array<std::string_view, 1> ignored = {"apiVersion"};
  static constexpr auto fields =
      std::tuple(field("kind", &T::kind), field("apiGroup", &T::api_group), field("name", &T::name),
                 field("namespace", &T::namespace_));
};

struct RbacObjectSchema {
  static constexpr std::string_view api_version = "rbac.authorization.k8s.io/v1";
  static constexpr auto unknown = Unknown::refuse;
};

template <>
struct Schema<rbac::Role> : RbacObjectSchema {
  static constexpr std::string_view kind = "Role";
  static constexpr auto fields =
      std::tuple(field("metadata", &rbac::Role::metadata), field("rules", &rbac::Role::rules));
};

template <>
struct Schema<rbac::ClusterRole> : RbacObjectSchema {
  static constexpr std::string_view kind = "ClusterRole";
  static constexpr std::array<std::string_view, 1> ignored = {"aggregationRule"};
  static constexpr auto fields = std::tuple(field("metadata", &rbac::ClusterRole::metadata),
                                            field("rules", &rbac::ClusterRole::rules));
};

template <class Binding>
struct BindingSchema : RbacObjectSchema {
  static constexpr auto fields =
      std::tuple(field("metadata", &Binding::metadata), field("roleRef", &Binding::role_ref),
                 field("subjects", &Binding::subjects));
};
template <>
struct Schema<rbac::RoleBinding> : BindingSchema<rbac::RoleBinding> {
  static constexpr std::string_view kind = "RoleBinding";
};
template <>
struct Schema<rbac::ClusterRoleBinding> : BindingSchema<rbac::ClusterRoleBinding> {
  static constexpr std::string_view kind = "ClusterRoleBinding";
};

template <>
struct Schema<rbac::User> {
  static constexpr auto unknown = Unknown::refuse;
  static constexpr auto fields =
      std::tuple(field("name", &rbac::User::name), field("groups", &rbac::User::groups));
};

// RuntimeClass

template <>
struct Schema<runtime_class::Overhead> {
  static constexpr auto fields = std::tuple(field("podFixed", &runtime_class::Overhead::pod_fixed));
};

template <>
struct Schema<runtime_class::Scheduling> {
  using T = runtime_class::Scheduling;
  static constexpr auto fields =
      std::tuple(field("nodeSelector", &T::node_selector), field("tolerations", &T::tolerations));
};

template <>
struct Schema<runtime_class::RuntimeClass> {
  using T = runtime_class::RuntimeClass;
  static constexpr std::string_view api_version = "node.k8s.io/v1";
  static constexpr std::string_view kind = "RuntimeClass";
  static constexpr auto unknown = Unknown::refuse;
  static constexpr auto fields =
      std::tuple(field("metadata", &T::metadata), field("handler", &T::handler),
                 field("overhead", &T::overhead), field("scheduling", &T::scheduling));
};

// PodSchedulingPolicy and ClusterPodSchedulingPolicy

template <>
struct Schema<pod_scheduling_policy::PodSchedulingPolicySpec> {
  using T = pod_scheduling_policy::PodSchedulingPolicySpec;
  static constexpr auto fields = std::tuple(
      field("namespaceSelector", &T::namespace_selector), field("podSelector", &T::pod_selector),
      field("nodeName", &T::node_name), field("schedulerName", &T::scheduler_name),
      field("nodeSelector", &T::node_selector), field("tolerations", &T::tolerations),
      field("affinity", &T::affinity));
};

template <>
struct Schema<pod_scheduling_policy::PodSchedulingPolicy> {
  using T = pod_scheduling_policy::PodSchedulingPolicy;
  static constexpr auto unknown = Unknown::refuse;
  static constexpr std::string_view needed = "kind";  // it tells the two kinds of policy apart
  static constexpr std::array<std::string_view, 2> ignored = {"apiVersion", "status"};
  static constexpr auto fields =
      std::tuple(field("kind", &T::kind), field("metadata", &T::metadata), field("spec", &T::spec));
};

// MetadataPolicy

template <>
struct Schema<metadata_policy::PolicyPredicate> {
  using T = metadata_policy::PolicyPredicate;
  static constexpr auto fields = std::tuple(field("labelSelector", &T::label_selector),
                                            field("annotationSelector", &T::annotation_selector));
};

template <>
struct Schema<metadata_policy::PolicyAction> {
  using T = metadata_policy::PolicyAction;
  static constexpr auto fields =
      std::tuple(field("reject", &T::reject), field("updatedLabels", &T::updated_labels),
                 field("updatedAnnotations", &T::updated_annotations));
};

template <>
struct Schema<metadata_policy::MetadataPolicyRule> {
  using T = metadata_policy::MetadataPolicyRule;
  static constexpr auto fields = std::tuple(field("policyPredicate", &T::policy_predicate),
                                            field("policyAction", &T::policy_action));
};

template <>
struct Schema<metadata_policy::MetadataPolicySpec> {
  static constexpr auto fields =
      std::tuple(field("rules", &metadata_policy::MetadataPolicySpec::rules));
};

template <>
struct Schema<metadata_policy::MetadataPolicy> {
  using T = metadata_policy::MetadataPolicy;
  static constexpr std::string_view api_version = "extensions/v1alpha1";
  static constexpr std::string_view kind = "MetadataPolicy";
  static constexpr auto unknown = Unknown::refuse;
  static constexpr std::array<std::string_view, 1> ignored = {"status"};
  static constexpr auto fields =
      std::tuple(field("metadata", &T::metadata), field("spec", &T::spec));
};

// ResourcePolicy

template <>
struct Schema<resource_policy::Unit> {
  using T = resource_policy::Unit;
  static constexpr auto fields =
      std::tuple(field("name", &T::name), field("priority", &T::priority),
                 field("maxCount", &T::max_count), field("nodeSelector", &T::node_selector));
};

template <>
struct Schema<resource_policy::MatchPolicy> {
  static constexpr auto fields = std::tuple(
      field("ignoreTerminatingPod", &resource_policy::MatchPolicy::ignore_terminating_pod));
};

template <>
struct Schema<resource_policy::ResourcePolicySpec> {
  using T = resource_policy::ResourcePolicySpec;
  static constexpr auto fields =
      std::tuple(field("matchLabelKeys", &T::match_label_keys),
                 field("matchPolicy", &T::match_policy), field("podSelector", &T::pod_selector),
                 field("strategy", &T::strategy), field("units", &T::units));
};

template <>
struct Schema<resource_policy::ResourcePolicy> {
  using T = resource_policy::ResourcePolicy;
  static constexpr std::string_view api_version = "scheduling.sigs.x-k8s.io/v1alpha1";
  static constexpr std::string_view kind = "ResourcePolicy";
  static constexpr auto unknown = Unknown::refuse;
  static constexpr std::array<std::string_view, 1> ignored = {"status"};
  static constexpr auto fields =
      std::tuple(field("metadata", &T::metadata), field("spec", &T::spec));
};

}  // namespace schedpol::json::detail
