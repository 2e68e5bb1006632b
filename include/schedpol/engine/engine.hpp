// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Engine: everything that a cluster's admission depends on, compiled once. Any number of threads may
/// use it. It decides on pods, on the pod templates of workloads, and on the metadata of every
/// object.
///
/// 1. A created object goes through the systems in their order. Each system sees the changes of those
///    before it. The first denial ends the decision and returns the object as it came. The default runtime
///    class of a SchedulingPolicy is set before any system is asked, because what a class adds depends on
///    it.
/// 2. A system in mode `warn` or `audit` neither denies nor changes anything. It reports what it would
///    have done.
///    With `Settings::namespace_modes`, each system takes its mode from the label `mode_label` of the
///    object's namespace, but none weaker than `weakest`. Without the label it keeps the mode of its
///    step. In an unknown namespace it enforces.
/// 3. An updated pod: MetadataPolicies change its metadata. Tolerations that the old pod had, the updated
///    one lacks and the systems would add are put back, because the API server lets nobody remove them.
///    The update is denied for violations that the old pod did not have.
/// 4. An updated workload with an unchanged template passes unchecked, so a changed label, annotation or
///    replica count never causes a rollout. The systems change a new template as on creation, and then
///    deny it for what it adds to the old one. If its service account differs, they deny it for what that
///    account may not use and the old one might. So an author who applies the same manifest again gets
///    what is stored, and injected list items are not lost. If injection fails (an unknown namespace, too
///    many terms), the update is denied as on creation.
/// 5. The template of a workload passes unchecked if its controller is a workload, because that one was
///    checked. So does the template of a ReplicaSet with any controller; if it were denied, the controller
///    would create replacements forever. Pods are always checked, whoever owns them.
/// 6. What RuntimeClasses and ClusterPodSchedulingPolicies add to a pod, or would add, never needs a
///    SchedulingPolicy's permission:
///    - An item is exempt if it equals one of theirs, part by part (`scheduling_policy/options.hpp`).
///    - The pod must name the class, the policy must select the pod as it stands, and their system must
///      enforce. A system that warns, audits or does not run exempts nothing. So everybody who may set
///      the labels that a policy selects gets what the policy gives.
///    - What the objects of a namespace add needs permission. Otherwise everybody who may write one could
///      permit anything.
///    - If class and policies together give more than `max_given_items`, a created pod or a new template
///      is denied (`LimitExceeded`), and nothing in an updated pod is exempt.
///    - A template is judged as its pods will be, with what their class adds. Nothing that contradicts
///      the class is injected into a template. Its tolerations count as its pods will have them: if the
///      class has `scheduling`, the API server merges in the class's tolerations and drops those that
///      another one covers.
/// 7. If the DaemonSet controller asks (`Settings::daemon_set_controller`), what it adds is exempt from
///    SchedulingPolicy: its tolerations, and `metadata.name In [NODE]` with one node in each required
///    node term. Terms with nothing else do not count as required terms. The controller replaces the
///    required terms of the template, so if policies require some and no default gives them, the pods
///    are denied. A warning for the DaemonSet says so.
/// 8. A placer (`Settings::placers`) updates a pod that had scheduling gates (`spec.schedulingGates` of the
///    old object): what it adds, and the gates that it removes, need no SchedulingPolicy's permission.
///    This holds only for updates of such pods. A pod that it creates, and a workload, even a suspended
///    Job, is judged like anybody's. Nothing that a pod says about itself counts.
/// 9. A mirror pod that a node writes (the user is in the group `system:nodes`, and the pod has the
///    annotation `kubernetes.io/config.mirror`) passes, because it already runs.
/// 10. After all mutators ran (`Phase::validating`), a created object is judged as it stands and not
///    changed. SchedulingPolicy gives no defaults, what a RuntimeClass adds must be in place,
///    MetadataPolicy judges what it has not written itself (`metadata_policy/reinvocation.hpp`), and
///    PodSchedulingPolicy denies nothing. An update is denied for what it adds.
/// 11. RuntimeClasses decide on pod templates but change only pods: if an overhead were in the template,
///    its pods would be denied once the class gets another overhead. In mode `warn` or `audit` the system
///    reports for a template what its pods would get.
/// 12. A decision is idempotent, in any order of the systems and in either phase: asked about the object
///     that it returned, an engine allows it unchanged. For this, the systems are asked again about their
///     own result until nothing changes and each of them permits it. Only rules of MetadataPolicies that
///     undo each other never settle: after `max_decision_rounds`, a pod or template is judged as it
///     stands.
/// 13. Tolerations are a set: if the systems together only reordered those of the object, they keep the
///     order in which they came.
/// 14. MetadataPolicy decides on the metadata of every object in a namespace; for a workload this excludes
///    its template. Exempt are kinds that are not stored; policies, so that a wrong one can be corrected
///    (`is_subject_to_metadata_policy`); objects that are being deleted; and, except pods and workloads,
///    what a cluster writes about itself (`metadata_policy/options.hpp`).
/// 15. A created pod or a new template in an unknown namespace is denied (`NamespaceNotFound`) if a policy
///    needs the labels of the namespace. An updated pod is not denied, and neither is anything in the
///    validating phase, because nothing is injected then.
/// 16. An object is unusable if it is invalid, could not be read, or has the name of another one. It does
///     not affect the other objects. It denies (`InvalidPolicy`, with its name) the pods that it might
///     have applied to: a RuntimeClass those that name it, a SchedulingPolicy those whose user may use it,
///     another policy those that its selectors select, or all if these cannot be read. A
///     PodSchedulingPolicy denies only if it would be injected. A namespace counts as unknown. A role or
///     binding grants nothing: the user is then judged by the policies of the other grants. So grant a
///     policy that requires something of everybody to everybody (`problems`).
///
/// 17. A program that watches a cluster may be asked about a pod before the watch shows the objects that
///     were created with it. So a denial says which objects were unknown (`Decision::unknown`). The
///     program can wait for its watch and ask again.
///
/// Source: the systems' own headers; Kubernetes' rules for mutating and validating webhooks, its
/// DaemonSet controller and kubelet.

#include <schedpol/core/admission.hpp>
#include <schedpol/engine/configuration.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// The operations on an object that an engine decides on.
enum class Operation { create, update };

/// The webhook that makes a request.
enum class Phase {
  mutating,    ///< a created object and a new template are changed
  validating,  ///< all mutators ran: objects are judged as they stand
};

/// The group of the nodes' users. In their requests, an engine needs the annotations of the object.
inline constexpr std::string_view nodes_group = "system:nodes";

/// A request about a pod or a pod template. The policies of the namespace in its metadata apply
/// (`namespace_of`).
struct Request {
  Operation operation = Operation::create;
  Pod object{};
  Old<Pod> old{};  ///< for an update; of the same kind
  /// For an updated workload: its template differs in something that a Pod does not hold, such as an image.
  bool template_differs = false;
  Requester requester{};  ///< does not choose the policies: those of the pod's own user apply
  Phase phase = Phase::mutating;
  /// Whether changes have values. If nobody sees the changes, it is faster to omit the values.
  ChangeValues values = ChangeValues::shown;

  friend bool operator==(const Request&, const Request&) = default;
};

/// A request about the metadata of an object that is not a pod. For a workload, not about its template.
struct MetadataRequest {
  Operation operation = Operation::create;
  std::string api_group{};  ///< empty: the core group
  std::string kind{};
  Scope scope = Scope::namespace_;  ///< of the kind
  ObjectMeta object{};
  Old<ObjectMeta> old{};  ///< for an update
  Requester requester{};
  Phase phase = Phase::mutating;

  friend bool operator==(const MetadataRequest&, const MetadataRequest&) = default;
};

/// Whether objects of the kind are subject to MetadataPolicy. Not subject are Namespaces of the core
/// group, policies (`is_policy`), and kinds that are not stored: Bindings of the core group, Evictions of
/// `policy`, Scales of `autoscaling`, and all kinds of `authentication.k8s.io` and
/// `authorization.k8s.io`. A kind with such a name in another group is subject.
[[nodiscard]] bool is_subject_to_metadata_policy(std::string_view api_group,
                                                 std::string_view kind) noexcept;

/// Whether the template of a workload passes unchecked because of this owner (rule 5). An owner without
/// an API version is in the core group.
[[nodiscard]] bool skipped_by_owner(PodKind kind, const OwnerReference& owner) noexcept;

/// The decision of one system. In mode `enforce`, it has the violations for which the object is denied, or
/// the changes and the warnings. In another mode, it has what these would have been.
struct StepDecision {
  Step step{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
  std::vector<Warning> warnings{};

  friend bool operator==(const StepDecision&, const StepDecision&) = default;
};

/// The decision on a pod. A default-constructed or moved-from one is a denial. If denied, `pod` is as it
/// came, and the last of `steps` says why. If allowed, `pod` has the changes of all systems that enforce;
/// without steps, it passed unchecked. `warnings` are about the result of all systems together: no node can
/// meet both its node selector and its required node affinity, with the policies behind them.
///
/// `unknown` are objects that the denying system needs and does not know. Once they are known, the pod may
/// be allowed:
/// - the Namespace, if a policy needs its labels, and the RuntimeClass that the pod names;
/// - for SchedulingPolicy: any policy, if the user may use none; each policy that a grant names and each
///   role that is bound to the user, if there is none with that name; and what the other enforcing
///   systems do not know, because what they give needs no permission.
/// It is empty for an allowed pod, and if no object could change the denial. If the user may use some
/// policies, an engine cannot tell that one more is yet to be granted.
struct Decision {
  Allowed allowed{};
  Pod pod{};
  std::vector<StepDecision> steps{};
  std::vector<Warning> warnings{};
  std::vector<UnknownObject> unknown{};

  friend bool operator==(const Decision&, const Decision&) = default;
};

/// The decision on an object that is not a pod, with the same meaning.
struct MetadataDecision {
  Allowed allowed{};
  ObjectMeta metadata{};
  std::vector<StepDecision> steps{};

  friend bool operator==(const MetadataDecision&, const MetadataDecision&) = default;
};

class Engine {
 public:
  /// An engine without a configuration: denies everything, without steps.
  Engine() = default;

  /// Decides by the rules above. Thread-safe.
  [[nodiscard]] Decision decide(const Request& request) const;

  /// Decides on the metadata of an object that is not a pod (rule 14). An exempt object, and one of a
  /// cluster-scoped kind, is allowed as it came, without steps.
  [[nodiscard]] MetadataDecision decide_metadata(const MetadataRequest& request) const;

  /// Whether the system is configured to run, in any mode.
  [[nodiscard]] bool runs(System system) const noexcept;

  /// Whether a system that runs needs annotations and containers, and may change metadata. If false, a
  /// request need not have them.
  [[nodiscard]] bool looks_at_metadata() const noexcept;

  /// The user that creates the pods of DaemonSets (`Settings::daemon_set_controller`); valid as long as
  /// this engine or a copy of it exists.
  [[nodiscard]] std::string_view daemon_set_controller() const noexcept;

  /// Where objects of custom kinds have pod templates (`Settings::templates`); valid as long as this engine or
  /// a copy of it exists.
  [[nodiscard]] std::span<const TemplatePath> templates() const noexcept;

  /// The SchedulingPolicy rules for pods with the service account of `pod`. Empty, which denies
  /// everything, if one of the account's policies is unusable.
  [[nodiscard]] EffectivePolicy effective_policy(const Pod& pod) const;

  /// What is wrong with unusable objects (rule 16), as `validate` reports it, by kind and name.
  [[nodiscard]] std::vector<FieldError> problems() const;

  /// This engine with `objects`, which are added or replace those of the same kind, namespace and name.
  /// Both engines share what does not change: to replace one policy, role or binding of ten thousand
  /// takes a hundredth of the time to compile all.
  [[nodiscard]] Engine with(const Objects& objects) const;

  /// This engine without the objects that have the kind, namespace and name of one of `objects`.
  [[nodiscard]] Engine without(const Objects& objects) const;

 private:
  friend class EngineAccess;
  friend Result<Engine> compile(const Configuration& configuration);
  struct Impl;

  explicit Engine(Impl impl);

  Shared<Impl> impl_;
};

/// Advice for a person besides a decision, for callers such as `json::review`. This base class has
/// no advice; `insight/adviser.hpp` has an implementation.
class Adviser {
 public:
  virtual ~Adviser() = default;

  /// Edits after which the denied object of a request would be allowed; empty if there are none.
  [[nodiscard]] virtual std::vector<Change> nearest_fix(const Engine& /*engine*/,
                                                        const Request& /*request*/,
                                                        const Decision& /*denial*/) const {
    return {};
  }

  /// What the author of these objects should know about them among those of the engine, one line each.
  [[nodiscard]] virtual std::vector<std::string> warnings(const Engine&, const Objects&) const {
    return {};
  }
};

/// Compiles an engine, or reports what is wrong with the list of systems or of templates. An unusable object
/// is not an error (`Engine::problems`).
[[nodiscard]] Result<Engine> compile(const Configuration& configuration);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/engine.ipp>
#endif
