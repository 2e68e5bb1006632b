// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The systems that decide on pods: their names, how strictly each is enforced, the objects they are
/// compiled from, and their settings. What each of them does is said in the headers of its folder.
///
/// The list of systems is this header and the rows of `impl/systems.ipp`. A new one is an enumerator
/// here, its objects in `Objects` and `for_each_list`, its `Settings`, and a row there.

#include <schedpol/metadata_policy/options.hpp>
#include <schedpol/metadata_policy/policy.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>
#include <schedpol/rbac/usable.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/policy.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// A system that decides on pods, named after the kind of its objects.
enum class System {
  runtime_class,
  metadata_policy,
  pod_scheduling_policy,
  scheduling_policy,
  resource_policy,  ///< denies a pod that more than one ResourcePolicy selects: no node takes it
  none,             ///< of a step of which nobody said it: an error
};

/// All of them but `none`, in the order of the enumeration.
inline constexpr auto all_systems = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{static_cast<System>(i)...};
}(std::make_index_sequence<static_cast<std::size_t>(System::none)>());

/// The kind of its objects: `RuntimeClass`, `MetadataPolicy`, ...; empty for `none`.
[[nodiscard]] std::string_view to_string(System system) noexcept;

/// What the system is called in audit annotations: `runtime-class`. The API server puts the
/// webhook's name in front, which makes it a label key. Empty for `none`.
[[nodiscard]] std::string_view audit_key(System system) noexcept;

/// What a system does with its decisions.
enum class Mode {
  enforce,  ///< it changes and denies
  warn,     ///< it only tells the user what it would have denied
  audit,    ///< it only tells the audit log what it would have denied or changed
};

/// All of them, in the order of the enumeration: each is weaker than those before it.
inline constexpr std::array all_modes = {Mode::enforce, Mode::warn, Mode::audit};

[[nodiscard]] std::string_view to_string(Mode mode) noexcept;

/// One system that runs. Which one has no default: a list of steps that forgets it would run another
/// one than was meant.
struct Step {
  System system = System::none;
  Mode mode = Mode::enforce;

  friend bool operator==(const Step&, const Step&) = default;
};

/// The label by which a namespace says how strictly what is in it is held to the policies: a word of
/// `Mode`; another one is `Enforce`.
inline constexpr std::string_view mode_label = "schedpol.io/mode";

/// Lets namespaces say their mode by that label. Whoever may label them then decides it.
struct NamespaceModes {
  Mode weakest = Mode::enforce;  ///< no label makes a mode weaker than this

  friend bool operator==(const NamespaceModes&, const NamespaceModes&) = default;
};

/// Pods that an object may be about: those with labels and annotations that these select, in
/// namespaces with such labels. One that is absent, or invalid, leaves none out.
struct PodSelection {
  std::optional<LabelSelector> namespaces{};
  std::optional<LabelSelector> labels{};
  std::optional<LabelSelector> annotations{};

  friend bool operator==(const PodSelection&, const PodSelection&) = default;
};

/// An object of which only the name could be read, so that it cannot be used (`Engine::problems`).
/// Of a kind that is not in `Objects` it denies nothing.
struct UnreadableObject {
  std::string kind{};
  std::string namespace_{};  ///< empty for the kinds of the cluster
  std::string name{};
  /// Of a policy that selects pods, those that it may select; empty where that could not be read
  /// either, so that it may be any.
  std::vector<PodSelection> selects{};
  std::vector<FieldError> errors{};  ///< why not; paths are those of the object

  friend bool operator==(const UnreadableObject&, const UnreadableObject&) = default;
};

/// An object that an Engine does not know, though the pod, or a grant to its user, leads to it.
struct UnknownObject {
  /// `Namespace`, `RuntimeClass`, `SchedulingPolicy`, `ClusterRole` or `Role`.
  std::string kind{};
  std::string namespace_{};  ///< of a Role
  std::string name{};        ///< empty: any SchedulingPolicy that `user` may use
  std::string user{};        ///< where the name is empty and policies are used through RBAC

  friend bool operator==(const UnknownObject&, const UnknownObject&) = default;
};

/// The objects that the systems of a cluster are compiled from, each kind in any order.
struct Objects {
  std::vector<runtime_class::RuntimeClass> runtime_classes{};
  std::vector<metadata_policy::MetadataPolicy> metadata_policies{};
  std::vector<pod_scheduling_policy::PodSchedulingPolicy> pod_scheduling_policies{};
  std::vector<scheduling_policy::SchedulingPolicy> scheduling_policies{};
  std::vector<resource_policy::ResourcePolicy> resource_policies{};
  rbac::Rbac rbac{};
  std::vector<Namespace> namespaces{};  ///< for the selectors of namespaces
  std::vector<UnreadableObject> unreadable{};

  friend bool operator==(const Objects&, const Objects&) = default;
};

/// The user who makes a request.
using Requester = rbac::User;

/// Where the objects of a kind stand.
enum class Scope { cluster, namespace_ };

/// A kind of object, as Kubernetes names it.
struct ObjectKind {
  std::string_view name;
  Scope scope = Scope::cluster;
  std::string_view api_version{};  ///< of a policy; empty for kinds of Kubernetes' own
  System system = System::none;    ///< that is compiled from them; none of roles and bindings
};

/// The kinds that may stand in a list: one, or those that the objects tell apart by their `kind`.
using ObjectKinds = std::initializer_list<ObjectKind>;

/// Calls `f(list, kinds)` for each list of `objects` that has kinds, in their order.
template <class Lists, class F>
void for_each_list(Lists& objects, F&& f) {
  constexpr Scope in_cluster = Scope::cluster;
  constexpr Scope in_namespace = Scope::namespace_;
  f(objects.runtime_classes, ObjectKinds{{"RuntimeClass", in_cluster, {}, System::runtime_class}});
  f(objects.metadata_policies,
    ObjectKinds{
        {"MetadataPolicy", in_namespace, metadata_policy::api_version, System::metadata_policy}});
  f(objects.pod_scheduling_policies,
    ObjectKinds{{"PodSchedulingPolicy", in_namespace, pod_scheduling_policy::api_version,
                 System::pod_scheduling_policy},
                {"ClusterPodSchedulingPolicy", in_cluster, pod_scheduling_policy::api_version,
                 System::pod_scheduling_policy}});
  f(objects.scheduling_policies,
    ObjectKinds{{"SchedulingPolicy", in_cluster, scheduling_policy::api_version,
                 System::scheduling_policy}});
  f(objects.resource_policies,
    ObjectKinds{
        {"ResourcePolicy", in_namespace, resource_policy::api_version, System::resource_policy}});
  f(objects.rbac.roles, ObjectKinds{{"Role", in_namespace}});
  f(objects.rbac.cluster_roles, ObjectKinds{{"ClusterRole", in_cluster}});
  f(objects.rbac.role_bindings, ObjectKinds{{"RoleBinding", in_namespace}});
  f(objects.rbac.cluster_role_bindings, ObjectKinds{{"ClusterRoleBinding", in_cluster}});
}

/// Calls `f(list, kinds)` for the list of the objects of one type.
template <class T, class Lists, class F>
void visit_list(Lists& objects, F&& f) {
  for_each_list(objects, [&](auto& list, ObjectKinds kinds) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(list)>::value_type, T>)
      f(list, kinds);
  });
}

/// Whether objects of the kind in the group are policies of one of the systems; not those of another
/// group that have the name of one.
[[nodiscard]] bool is_policy(std::string_view api_group, std::string_view kind) noexcept;

/// Which SchedulingPolicies a pod is judged by.
enum class PolicyUse {
  rbac,   ///< those that its service account may use
  every,  ///< all of them
};

[[nodiscard]] constexpr std::string_view to_string(PolicyUse use) noexcept {
  return use == PolicyUse::every ? "Every" : "Rbac";
}

/// SchedulingPolicy's options for pods from an API server, which fills in the scheduler's name and
/// the tolerations of DefaultTolerationSeconds: `default-scheduler` counts as unspecified, and those
/// tolerations are exempt besides those that `options` list.
[[nodiscard]] scheduling_policy::Options admission_options(scheduling_policy::Options options = {});

/// Where the objects of a custom kind have pod templates: `{"argoproj.io", "Rollout", "spec.template"}`. The path
/// is fields inside one another, and `[*]` behind a list stands for each of its items:
/// `spec.replicatedJobs[*].template.spec.template`. What stands there is a PodTemplateSpec; a kind that has
/// what a pod asks for in fields of its own is not read. A kind with several templates is listed with each path.
struct TemplatePath {
  std::string group{};  ///< of the API; a group of Kubernetes has kinds whose templates are known
  std::string kind{};
  std::string path{};

  friend bool operator==(const TemplatePath&, const TemplatePath&) = default;
};

/// A configuration has at most so many paths, and an object at most so many templates.
inline constexpr std::size_t max_template_paths = 64;

/// The settings of the systems, besides their objects.
struct Settings {
  PolicyUse policy_use = PolicyUse::rbac;
  /// What a rule has to grant for a policy to be usable. An empty API group is that of the kind,
  /// `own_api_group`.
  rbac::Access access{.api_group = {}};
  scheduling_policy::MergeStrategy strategy = scheduling_policy::MergeStrategy::smart_deep_merge;
  /// `default_scheduler` of these holds for PodSchedulingPolicy too.
  scheduling_policy::Options options = admission_options();
  /// The user that makes the pods of DaemonSets.
  std::string daemon_set_controller = "system:serviceaccount:kube-system:daemon-set-controller";
  /// Users that place pods which others wrote, as Kueue does, by their whole names: what they add to a
  /// pod that had scheduling gates needs no SchedulingPolicy's permission. Absent or empty: there are
  /// none. An empty name is nobody's, and a name is no pattern.
  Texts placers{};
  /// The pod templates of custom kinds, which are decided on as those of workloads are (`decide_templates`).
  /// Absent or empty: objects of custom kinds have none.
  std::vector<TemplatePath> templates{};
  metadata_policy::Options metadata_policy{};
  /// Absent: the label says nothing.
  std::optional<NamespaceModes> namespace_modes{};

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// The same with its API group said.
[[nodiscard]] rbac::Access access_of(const Settings& settings);

/// The rules by which the pods of one service account are judged.
using EffectivePolicy = scheduling_policy::EffectivePolicy;

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/system.ipp>
#endif
