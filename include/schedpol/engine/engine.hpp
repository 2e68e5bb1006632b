// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Engine: all that a cluster's admission depends on, compiled once and asked from any number of
/// threads. It decides on pods, on the pod templates of workloads, and on the metadata of every
/// object.
///
/// 1. A created object goes through the systems in their order. What one of them changes the next
///    one sees, and the first denial ends it, with the object as it came. The runtime class that a
///    SchedulingPolicy gives by default is there before any of them is asked, because what a class adds
///    depends on it.
/// 2. A system in mode `warn` or `audit` neither denies nor changes anything: it says what it would
///    have done.
///    With `Settings::namespace_modes` each system that runs takes its mode from the label `mode_label` of
///    the object's namespace, but none that is weaker than the weakest. Without the label it keeps the
///    mode of its step. In a namespace that is not known it enforces.
/// 3. Of an updated pod MetadataPolicies change the metadata, and tolerations of the old pod that it
///    lacks and the systems would add are put back, because the API server lets nobody take them
///    away. It is denied for what the update adds: violations that the old pod did not have.
/// 4. An updated workload whose template is the old one passes unread: a label, a replica count or
///    an annotation never causes a rollout. Another template is changed as that of a created one
///    and then denied for what it adds to the old one; another service account, for what that one
///    may not use and the old one might. So storing the author's own manifest again gives what is
///    stored, and what was injected into its lists is not lost. What cannot be injected, for a
///    namespace that is not known or too many terms, denies it as on creation.
/// 5. The template of a workload passes unread where its controller is a workload, which was decided
///    on, and so does that of a ReplicaSet with any controller: its owner would only make another
///    one in its place, for ever. Pods are always decided on, whoever owns them.
/// 6. What RuntimeClasses and ClusterPodSchedulingPolicies add to a pod, or would add, needs no
///    SchedulingPolicy's permission, however often it is asked:
///    - It is theirs where it equals what they have, part by part (`scheduling_policy/options.hpp`).
///    - The pod has to name the class, the policy has to select the pod as it stands, and the system
///      of either has to enforce: one that warns, audits or does not run exempts nothing. So whoever
///      may set the labels that a policy selects gets what it gives.
///    - What the objects of a namespace add needs permission: who may write one there could permit
///      himself anything.
///    - Where class and policies give more than `max_given_items` together a created pod and a new
///      template are denied (`LimitExceeded`), and of an updated pod nothing of it is theirs.
///    - A template is judged as its pods will be, with what its class adds to them, and nothing is
///      injected into it that contradicts that. Of its tolerations those count that its pods will have
///      when they are asked about: the API server merges them with the class's, where that has
///      `scheduling`, and drops what another one covers.
/// 7. What the DaemonSet controller adds is exempt from SchedulingPolicy where that user asks
///    (`Settings::daemon_set_controller`): its tolerations, and a `metadata.name In [NODE]` in each
///    required node term, of one node; a pod with nothing else in them has no required terms. So where
///    required node terms are asked for, and no default gives them, the pods of a DaemonSet are denied:
///    the controller takes away those of the template. The DaemonSet gets a warning that says so.
/// 8. What a placer (`Settings::placers`) adds to a pod that had scheduling gates (`spec.schedulingGates`
///    of the old object) needs no SchedulingPolicy's permission, nor do the gates that it takes away.
///    That holds for updates of pods alone: a pod that it creates or that has no gates, and a workload,
///    even a suspended Job, is judged like anybody's. Nothing that a pod says of itself counts.
/// 9. A mirror pod that a node writes (of the group `system:nodes`, with the annotation
///    `kubernetes.io/config.mirror`) passes: it runs already.
/// 10. After all mutators ran (`Phase::validating`) a created object is judged as it stands, and not
///    changed: SchedulingPolicy gives no defaults, what a RuntimeClass adds has to be in place,
///    MetadataPolicy judges what it has not written itself (`metadata_policy/reinvocation.hpp`), and
///    PodSchedulingPolicy denies nothing. An update is denied for what it adds.
/// 11. A RuntimeClass decides on pod templates but changes only pods: an overhead written into a
///    template would deny its pods on the day the class gets another one. In mode `warn` or `audit`
///    it says of a template what its pods would get.
/// 12. Asked twice, nothing more: the systems are asked again about what they made of an object until
///     nothing changes and each permits it as it stands. So the answer to the object that an answer
///     makes is "allowed, unchanged", whatever their order, in either phase. Only rules of
///     MetadataPolicies that undo one another never come to rest: after `max_decision_rounds` a pod
///     or template is judged as it stands.
/// 13. Tolerations are a set: where the systems together would only reorder those that the object
///     came with, they stay as they came.
/// 14. MetadataPolicy decides on the metadata of every object in a namespace, and of a workload apart
///    from its template. Excepted are kinds that are not stored, policies, because one that is wrong
///    has to be mended (`is_subject_to_metadata_policy`), objects that are being deleted, and, of what
///    is neither pod nor workload, what a cluster writes about itself (`metadata_policy/options.hpp`).
/// 15. A created pod, or a new template, in a namespace that is not known is denied
///    (`NamespaceNotFound`) where a policy asks for the namespace's labels. An updated pod is not, nor
///    is anything in the validating phase: nothing is injected there.
/// 16. An object that cannot be used, because it is invalid, could not be read, or another one has
///     its name, stops none of the others. It denies, with `InvalidPolicy` and its name, the pods
///     that it might have applied to: a RuntimeClass those that name it, a SchedulingPolicy those
///     whose user may use it, another policy those that its selectors select; one that cannot be
///     read selects all. A PodSchedulingPolicy denies only where one would be injected. A namespace is as one that is not known. A role or a binding grants
///     nothing: where policies demand something, the user is judged by the others that are granted,
///     so a demand on everybody has to be granted to everybody (`problems`).
///
/// 17. A program that watches a cluster may be asked about a pod before it has heard of what the pod
///     was created with. So a denial says what was not known (`Decision::unknown`); it can wait for
///     its watch and ask again.
///
/// Source: the systems' own headers; Kubernetes' rules for mutating and validating webhooks, its
/// DaemonSet controller and kubelet.

#include <schedpol/core/admission.hpp>
#include <schedpol/engine/configuration.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// What happens to an object. Nothing else is decided on.
enum class Operation { create, update };

/// The webhook that makes a request.
enum class Phase {
  mutating,    ///< a created object and a new template are changed
  validating,  ///< all mutators ran: it is decided on as it stands
};

/// The group of the users that nodes are. Annotations of what they ask for are looked at.
inline constexpr std::string_view nodes_group = "system:nodes";

/// A request about a pod or a pod template. The policies are those of the namespace in its metadata
/// (`namespace_of`).
struct Request {
  Operation operation = Operation::create;
  Pod object{};
  Old<Pod> old{};  ///< of an update, of the same kind
  /// Of an updated workload: its template differs in what a Pod does not hold, such as an image.
  bool template_differs = false;
  Requester requester{};  ///< the policies are those of the pod's own user
  Phase phase = Phase::mutating;
  /// What the changes say. Where nobody is shown them, leaving the values out is faster.
  ChangeValues values = ChangeValues::shown;

  friend bool operator==(const Request&, const Request&) = default;
};

/// A request about the metadata of an object that is no pod; of a workload, apart from its template.
struct MetadataRequest {
  Operation operation = Operation::create;
  std::string api_group{};  ///< empty: the core group
  std::string kind{};
  Scope scope = Scope::namespace_;  ///< of the kind
  ObjectMeta object{};
  Old<ObjectMeta> old{};  ///< of an update
  Requester requester{};
  Phase phase = Phase::mutating;

  friend bool operator==(const MetadataRequest&, const MetadataRequest&) = default;
};

/// Whether objects of the kind are subject to MetadataPolicy: not Namespaces of the core group, the
/// policies (`is_policy`), and what is not stored: Bindings of the core group, Evictions of `policy`,
/// Scales of `autoscaling`, and what is of `authentication.k8s.io` and `authorization.k8s.io`. A kind
/// of that name in another group is.
[[nodiscard]] bool is_subject_to_metadata_policy(std::string_view api_group,
                                                 std::string_view kind) noexcept;

/// Whether the template of a workload passes unread because of this owner (rule 5). Without an API
/// version an owner is of the core group.
[[nodiscard]] bool skipped_by_owner(PodKind kind, const OwnerReference& owner) noexcept;

/// The decision of one system. In mode `enforce`, either the violations for which the object is denied or
/// the changes it made and what it left out; otherwise what violations and changes would have been.
struct StepDecision {
  Step step{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
  std::vector<Warning> warnings{};

  friend bool operator==(const StepDecision&, const StepDecision&) = default;
};

/// What became of a pod. Default-constructed and moved from it is a denial. Denied: the pod as it came; the last
/// of `steps` says why. Allowed: the pod with the changes of all systems that enforce; without
/// steps it passed unread. `warnings` are of what the systems made of it together: a node selector
/// and required node affinity that no node can meet, with the policies behind them.
///
/// `unknown` are the objects that the system which denied looked for and does not know; once they
/// are, the pod may be allowed:
/// - the Namespace, where a policy asks for its labels, and the RuntimeClass that the pod names;
/// - of SchedulingPolicy, any policy where the user may use none; each policy that the user may use
///   by its name, and each role that is bound to the user, where there is none of that name; and
///   what the others that enforce do not know, because what they give needs no permission.
/// It is empty where nothing more can become known, and of an allowed pod. A policy that is granted
/// to nobody yet, beside others that are, cannot be missed.
struct Decision {
  Allowed allowed{};
  Pod pod{};
  std::vector<StepDecision> steps{};
  std::vector<Warning> warnings{};
  std::vector<UnknownObject> unknown{};

  friend bool operator==(const Decision&, const Decision&) = default;
};

/// What became of an object that is no pod, in the same way.
struct MetadataDecision {
  Allowed allowed{};
  ObjectMeta metadata{};
  std::vector<StepDecision> steps{};

  friend bool operator==(const MetadataDecision&, const MetadataDecision&) = default;
};

class Engine {
 public:
  /// Nothing is configured: denies everything, with no steps to say why.
  Engine() = default;

  /// Decides by the rules above. Any thread may ask.
  [[nodiscard]] Decision decide(const Request& request) const;

  /// Decides on the metadata of an object that is no pod (rule 13). What is not decided on is
  /// allowed as it came, without steps; so is an object of a kind that is in no namespace.
  [[nodiscard]] MetadataDecision decide_metadata(const MetadataRequest& request) const;

  /// Whether a system is among those that run.
  [[nodiscard]] bool runs(System system) const noexcept;

  /// Whether a system that runs looks at annotations and containers, and may change metadata. Where
  /// none does, a request need not have them.
  [[nodiscard]] bool looks_at_metadata() const noexcept;

  /// The user that makes the pods of DaemonSets (`Settings::daemon_set_controller`); valid as long as
  /// this engine, or a copy of it.
  [[nodiscard]] std::string_view daemon_set_controller() const noexcept;

  /// Where objects of custom kinds have pod templates (`Settings::templates`); valid as long as this engine, or a
  /// copy of it.
  [[nodiscard]] std::span<const TemplatePath> templates() const noexcept;

  /// The rules of SchedulingPolicy by which pods of this one's service account are judged; of
  /// nothing where a policy that it may use cannot be used.
  [[nodiscard]] EffectivePolicy effective_policy(const Pod& pod) const;

  /// What is wrong with objects that cannot be used (rule 15), as of `validate`, by kind and name.
  [[nodiscard]] std::vector<FieldError> problems() const;

  /// This engine with each of `objects` in the place of the one of its kind, namespace and name, or
  /// beside the others. Both share what does not change, so that one policy, role or binding of ten
  /// thousand is replaced in a hundredth of the time that all take.
  [[nodiscard]] Engine with(const Objects& objects) const;

  /// This engine without those that are called like one of `objects`.
  [[nodiscard]] Engine without(const Objects& objects) const;

 private:
  friend class EngineAccess;
  friend Result<Engine> compile(const Configuration& configuration);
  struct Impl;

  explicit Engine(Impl impl);

  Shared<Impl> impl_;
};

/// What a person is told besides a decision, for whoever answers people (`json::review`). This one
/// has nothing to say; `insight/adviser.hpp` has.
class Adviser {
 public:
  virtual ~Adviser() = default;

  /// Edits of the object of a request that was denied, after which it is allowed, if there are any.
  [[nodiscard]] virtual std::vector<Change> nearest_fix(const Engine& /*engine*/,
                                                        const Request& /*request*/,
                                                        const Decision& /*denial*/) const {
    return {};
  }

  /// What whoever writes these objects should know of them among those of the engine, a line each.
  [[nodiscard]] virtual std::vector<std::string> warnings(const Engine&, const Objects&) const {
    return {};
  }
};

/// Compiles an engine, or reports what is wrong with the list of systems or of templates. An object that cannot be
/// used stops none of the others (`Engine::problems`).
[[nodiscard]] Result<Engine> compile(const Configuration& configuration);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/engine.ipp>
#endif
