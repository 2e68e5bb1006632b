// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The systems that decide on pods: their names and modes, the objects they are compiled from, and
/// their settings. The headers in the folder of each system say what it does.
///
/// This header and the rows of `impl/systems.ipp` list the systems. A new system has an enumerator
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
  none,             ///< a step does not name its system: an error
};

/// All systems, without `none`, in the order of the enumeration.
inline constexpr auto all_systems = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{static_cast<System>(i)...};
}(std::make_index_sequence<static_cast<std::size_t>(System::none)>());

/// The kind of its objects: `RuntimeClass`, `MetadataPolicy`, ...; empty for `none`.
[[nodiscard]] std::string_view to_string(System system) noexcept;

/// The key of the system in audit annotations: `runtime-class`. The API server adds the name of the
/// webhook as prefix, which makes a label key. Empty for `none`.
[[nodiscard]] std::string_view audit_key(System system) noexcept;

/// What a system does with its decisions.
enum class Mode {
  enforce,  ///< changes and denies objects
  warn,     ///< only warns the user what it would have denied
  audit,    ///< only writes to the audit log what it would have denied or changed
};

/// All modes. Each is weaker than those before it.
inline constexpr std::array all_modes = {Mode::enforce, Mode::warn, Mode::audit};

[[nodiscard]] std::string_view to_string(Mode mode) noexcept;

/// One system that runs. `system` has no valid default, so a step that forgets it does not run an
/// unintended system.
struct Step {
  System system = System::none;
  Mode mode = Mode::enforce;

  friend bool operator==(const Step&, const Step&) = default;
};

/// The label by which a namespace sets the mode for its objects: a value of `Mode`. Any other value is
/// `Enforce`.
inline constexpr std::string_view mode_label = "schedpol.io/mode";

/// Lets namespaces set their mode by this label. Everybody who may label a namespace can then set it.
struct NamespaceModes {
  Mode weakest = Mode::enforce;  ///< no label makes a mode weaker than this

  friend bool operator==(const NamespaceModes&, const NamespaceModes&) = default;
};

/// The pods that an object may apply to, by selectors of their labels, their annotations, and the labels
/// of their namespaces. An absent or invalid selector excludes no pod.
struct PodSelection {
  std::optional<LabelSelector> namespaces{};
  std::optional<LabelSelector> labels{};
  std::optional<LabelSelector> annotations{};

  friend bool operator==(const PodSelection&, const PodSelection&) = default;
};

/// An unusable object of which only the name could be read (`Engine::problems`). It denies nothing if its
/// kind is not in `Objects`.
struct UnreadableObject {
  std::string kind{};
  std::string namespace_{};  ///< empty for cluster-scoped kinds
  std::string name{};
  /// For a policy that selects pods, the pods that it may select. Empty, which means any pod, if the
  /// selectors could not be read either.
  std::vector<PodSelection> selects{};
  std::vector<FieldError> errors{};  ///< why it is unusable; paths are those of the object

  friend bool operator==(const UnreadableObject&, const UnreadableObject&) = default;
};

/// An object that the pod, or a grant to its user, refers to, and that the Engine does not know.
struct UnknownObject {
  /// `Namespace`, `RuntimeClass`, `SchedulingPolicy`, `ClusterRole` or `Role`.
  std::string kind{};
  std::string namespace_{};  ///< of a Role
  std::string name{};        ///< empty: any SchedulingPolicy that `user` may use
  std::string user{};        ///< set if the name is empty and RBAC grants the use of policies

  friend bool operator==(const UnknownObject&, const UnknownObject&) = default;
};

/// The objects that the systems of a cluster are compiled from, in any order.
struct Objects {
  std::vector<runtime_class::RuntimeClass> runtime_classes{};
  std::vector<metadata_policy::MetadataPolicy> metadata_policies{};
  std::vector<pod_scheduling_policy::PodSchedulingPolicy> pod_scheduling_policies{};
  std::vector<scheduling_policy::SchedulingPolicy> scheduling_policies{};
  std::vector<resource_policy::ResourcePolicy> resource_policies{};
  rbac::Rbac rbac{};
  std::vector<Namespace> namespaces{};  ///< for namespaceSelectors and modes
  std::vector<UnreadableObject> unreadable{};

  friend bool operator==(const Objects&, const Objects&) = default;
};

/// The user who makes a request.
using Requester = rbac::User;

/// Whether a kind is cluster-scoped or namespaced.
enum class Scope { cluster, namespace_ };

/// A kind of object, as Kubernetes names it.
struct ObjectKind {
  std::string_view name;
  Scope scope = Scope::cluster;
  std::string_view api_version{};  ///< of a policy; empty for Kubernetes' own kinds
  System system = System::none;    ///< compiled from these objects; none for roles and bindings
};

/// The kinds of objects that a list may have. If there are several, each object has its `kind`.
using ObjectKinds = std::initializer_list<ObjectKind>;

/// Calls `f(list, kinds)` for each list of `objects` that has kinds, in order.
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

/// Calls `f(list, kinds)` for the list of objects of type `T`.
template <class T, class Lists, class F>
void visit_list(Lists& objects, F&& f) {
  for_each_list(objects, [&](auto& list, ObjectKinds kinds) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(list)>::value_type, T>)
      f(list, kinds);
  });
}

/// Whether objects of this kind and group are policies of a system. A kind with the name of a policy in
/// another group is not a policy.
[[nodiscard]] bool is_policy(std::string_view api_group, std::string_view kind) noexcept;

/// Which SchedulingPolicies apply to a pod.
enum class PolicyUse {
  rbac,   ///< those that its service account may use
  every,  ///< all SchedulingPolicies
};

[[nodiscard]] constexpr std::string_view to_string(PolicyUse use) noexcept {
  return use == PolicyUse::every ? "Every" : "Rbac";
}

/// SchedulingPolicy's options for pods from an API server, which adds a scheduler name and the
/// tolerations of DefaultTolerationSeconds. So `default-scheduler` counts as unspecified, and these
/// tolerations are exempt in addition to those in `options`.
[[nodiscard]] scheduling_policy::Options admission_options(scheduling_policy::Options options = {});

/// The path of pod templates in objects of a custom kind: `{"argoproj.io", "Rollout", "spec.template"}`. A
/// path has nested fields; `[*]` after a list means each of its items, as in
/// `spec.replicatedJobs[*].template.spec.template`. It must lead to a PodTemplateSpec; a kind that has the
/// fields of a pod spec elsewhere is not supported. A kind with several templates has an entry for each path.
struct TemplatePath {
  std::string group{};  ///< the API group; not one of Kubernetes', whose templates are known
  std::string kind{};
  std::string path{};

  friend bool operator==(const TemplatePath&, const TemplatePath&) = default;
};

/// The most paths in a configuration, and the most templates in an object.
inline constexpr std::size_t max_template_paths = 64;

/// The settings of the systems, besides their objects.
struct Settings {
  PolicyUse policy_use = PolicyUse::rbac;
  /// What an RBAC rule must grant for a user to use a policy. An empty API group means that of the kind,
  /// `own_api_group`.
  rbac::Access access{.api_group = {}};
  scheduling_policy::MergeStrategy strategy = scheduling_policy::MergeStrategy::smart_deep_merge;
  /// `default_scheduler` in these options holds for PodSchedulingPolicy, too.
  scheduling_policy::Options options = admission_options();
  /// The user that creates the pods of DaemonSets.
  std::string daemon_set_controller = "system:serviceaccount:kube-system:daemon-set-controller";
  /// Users that place the pods of others, as Kueue does. What they add to a pod that had scheduling gates
  /// needs no SchedulingPolicy's permission. Each is a whole user name, not a pattern; an empty name
  /// matches nobody. Absent or empty: there are no placers.
  Texts placers{};
  /// The pod templates of custom kinds. Decisions on them are like those on workloads (`decide_templates`).
  /// Absent or empty: objects of custom kinds have no templates.
  std::vector<TemplatePath> templates{};
  metadata_policy::Options metadata_policy{};
  /// Absent: the label has no effect.
  std::optional<NamespaceModes> namespace_modes{};

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// `Settings::access` with its API group filled in.
[[nodiscard]] rbac::Access access_of(const Settings& settings);

/// The merged SchedulingPolicies of one service account.
using EffectivePolicy = scheduling_policy::EffectivePolicy;

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/system.ipp>
#endif
