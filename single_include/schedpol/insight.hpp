// SPDX-License-Identifier: Apache-2.0
// Copyright The schedpol authors
//
// schedpol's insight in one header, on top of schedpol.hpp beside it.
// Header-only as it is. With SCHEDPOL_COMPILED defined it only declares; then one translation unit of
// the program defines SCHEDPOL_IMPLEMENTATION too.
//
// Generated from include/ by amalgamate.py: change the headers there, not this file.

#include "schedpol.hpp"

#ifndef SCHEDPOL_SINGLE_INCLUDE_INSIGHT
#define SCHEDPOL_SINGLE_INCLUDE_INSIGHT


// schedpol/insight/explain.hpp

/// Why `admit` decides on a pod as it does: one item for everything that it checks, in the order of
/// `check`, with the policy entries that decided.
///
/// 1. The items with a denying ruling are the violations of `admit`, one to one and in order.
/// 2. The Defaulted items are the changes of `apply_defaults`. A permitted default has no second
///    item.
/// 3. Every entry is in the named policy, as that policy writes it. An item names at most
///    `max_shown_names` entries.
/// 4. An entry that another policy hid in the merge is shown once, at the first item that it is
///    about.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The ruling on an item.
enum class Ruling {
  permitted,
  permitted_by_default,  ///< permitted only because it equals a default
  defaulted,             ///< given by a default
  required,              ///< meets a requirement
  exempt,                ///< added by the cluster, so it needs no permission
  ungoverned,            ///< no policy permits it, and `Options::governs` does not have it
  not_permitted,         ///< denies the pod
  requirement_missing,   ///< denies the pod
};

/// `Permitted`, `PermittedByDefault`, ...
[[nodiscard]] std::string_view to_string(Ruling ruling) noexcept;
[[nodiscard]] bool denies(Ruling ruling) noexcept;

/// An entry of one policy: a path below its `spec`. `value` is set only if the entry lost.
struct PolicyEntry {
  std::string policy{};
  FieldPath entry{};
  std::string value{};

  friend bool operator==(const PolicyEntry&, const PolicyEntry&) = default;
};

/// `field` and `value` as in a violation or a change.
struct ExplainedItem {
  FieldPath field{};
  std::string value{};
  Ruling ruling = Ruling::not_permitted;
  std::vector<PolicyEntry> by{};
  std::vector<PolicyEntry> lost{};
  std::string_view permits_only{};  ///< the part of it that is permitted, if not all

  friend bool operator==(const ExplainedItem&, const ExplainedItem&) = default;
};

/// A default-constructed one explains a denial.
struct Explanation {
  Allowed allowed{};
  std::vector<ExplainedItem> items{};
};

/// Explains every item that `check` checks, in its order. If no policy decides, or the pod was moved from,
/// the only item is the violation of `check`.
[[nodiscard]] Explanation explain(const Pod& pod, const EffectivePolicy& effective,
                                  const Options& options = {});

/// The same for a pod as it stands, without defaults: the items with a denying ruling are the violations
/// of `check`.
[[nodiscard]] Explanation explain_check(const Pod& pod, const EffectivePolicy& effective,
                                        const Options& options = {});

/// The items of a pod as it stands that no policy permits and nothing denies, because `Options::governs`
/// does not have them.
[[nodiscard]] std::vector<ExplainedItem> find_ungoverned(const Pod& pod,
                                                         const EffectivePolicy& effective,
                                                         const Options& options = {});

/// An aligned table, denied items first; at most `max_reported_errors` lines.
[[nodiscard]] std::string message(const Explanation& explanation);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/insight/nearest_fix.hpp

/// The fewest edits of a pod after which `admit` allows it. One edit sets or clears a name, sets or
/// removes a node selector pair, or adds, removes or replaces one toleration or one affinity term. An
/// edit of a priority class includes what the API server derives from it. Among equally few edits, the
/// fix keeps more of the pod: it removes what is not permitted, and replaces it only by what is required;
/// from a node affinity term it removes only the expressions that are not permitted. If a default of
/// required node terms is combined with exempt terms, a fix of one edit is found (among
/// `max_single_edits`), but a longer fix may have one edit too many.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The pod as its author would have to write it, before defaults, and the edits in the order of `check`,
/// without policies. The path of an added item is in the new pod; that of a removed or replaced item is in
/// the old pod. No edits for a pod that is allowed.
struct Fix {
  Pod pod{};
  std::vector<Change> changes{};

  friend bool operator==(const Fix&, const Fix&) = default;
};

/// Nothing if no edits help: no permitted value meets a requirement, or the pod was moved from. An error
/// if the search takes more than `max_insight_steps`, or if the pod fails more than
/// `max_fixed_requirements` requirements on tolerations.
[[nodiscard]] Result<Optional<Fix>> nearest_fix(const Pod& pod, const EffectivePolicy& effective,
                                                const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/insight/adviser.hpp

/// Advice for the users of an engine, besides its decisions. Pass an adviser to `json::review`, or ask it
/// directly.

namespace SCHEDPOL_NAMESPACE::engine {

/// A fix has the fewest edits of the object as the user creates it (`scheduling_policy::nearest_fix`), if
/// it is found within `max_denial_fix_steps`. Warnings are the findings of `analyze` except those of
/// severity info: the first `max_finding_warnings`, the number of the rest, and what was not analyzed.
/// Thread-safe.
class InsightAdviser final : public Adviser {
 public:
  [[nodiscard]] std::vector<Change> nearest_fix(const Engine& engine, const Request& request,
                                                const Decision& denial) const override {
    return find_fix(engine, request, denial);
  }
  [[nodiscard]] std::vector<std::string> warnings(const Engine& engine,
                                                  const Objects& written) const override {
    return warnings_of(engine, written);
  }

  /// Why SchedulingPolicy decides as it does on the pod of the request, with the changes of the systems
  /// before it.
  /// 1. The items with a denying ruling are SchedulingPolicy's violations in the decision, one to one and
  ///    in order. For an update, violations of the old pod are left out.
  /// 2. The Defaulted items are SchedulingPolicy's changes in the decision. For a denied object, they are
  ///    what it would have got; for an updated pod there are none.
  /// 3. What the cluster adds is exempt, in whichever round a system added it.
  /// If the system does not run, or an earlier system denied the object, this is a denial without
  /// items. An object that passes unchecked is allowed without items.
  [[nodiscard]] scheduling_policy::Explanation explain(const Engine& engine,
                                                       const Request& request) const;

  /// The items of the same pod that no policy permits and nothing denies, because `Options::governs` does
  /// not have them. Costs almost nothing if the pod has no such items.
  [[nodiscard]] std::vector<scheduling_policy::ExplainedItem> find_ungoverned(
      const Engine& engine, const Request& request) const;

 private:
  // Separate functions, because g++ compiles all virtual functions of a class wherever one of them
  // has no body in the class.
  [[nodiscard]] static std::vector<Change> find_fix(const Engine& engine, const Request& request,
                                                    const Decision& denial);
  [[nodiscard]] static std::vector<std::string> warnings_of(const Engine& engine,
                                                            const Objects& written);
};

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/insight/finding.hpp

/// What is odd about a set of policies although each is valid: the results of `analyze`.

namespace SCHEDPOL_NAMESPACE {

/// Spelled by `to_string` without the underscores: `DefaultDenied`.
enum class FindingCode {
  default_denied,        ///< a default is denied
  default_not_given,     ///< no node can meet all terms of a default that must be given as one
  default_contradicted,  ///< a default is not given because a class or cluster policy contradicts it
  requirement_unmet,     ///< nothing that a pod can have meets a requirement
  requirement_lost,      ///< an earlier policy hides a requirement, so pods need not meet it
  entry_lost,            ///< an earlier policy hides an entry of `allowed` or a default
  entry_covered,         ///< other entries permit everything that an entry permits
  requirement_escaped,   ///< ORed terms of a pod escape a required affinity
  strategies_disagree,   ///< another merge strategy allows other pods
  every_pod_denied,      ///< no pod is allowed
  every_pod_allowed,     ///< nothing is denied
  null_entry,            ///< `kubectl apply` drops the null, and what is left means any
  entry_matches_nothing,       ///< a list of the pattern is absent, which is not any
  ungoverned,                  ///< the list in `allowed` denies nothing, because it is not governed
  granted_by_wildcard,         ///< a role grants the use of policies through `*`
  granted_in_other_group,      ///< a role names another API group than that of the policies
  grant_adds_requirements,     ///< users of the policy are denied what is allowed without it
  granted_to_nobody,           ///< nobody may use the policy
  role_not_found,              ///< a binding names a role that does not exist
  selects_nothing,             ///< no object matches the selector
  writes_differ,               ///< two policies or rules write different values to the same object
  updates_ignored,             ///< a rule that rejects lists updates, which have no effect
  selected_label_overwritten,  ///< a rule overwrites a label so that its selector no longer matches
  never_fires,                 ///< other rules reject everything that the rule selects
  injected_not_permitted,      ///< a cluster policy adds what no SchedulingPolicy permits
  selections_overlap,          ///< two policies select the same pod, so it is denied
  units_overlap,               ///< a node can be in two units of a policy
  no_node_serves,              ///< none of the nodes has the labels of the class
  limit_exceeded,              ///< policies together give a pod too much, so it is denied
  decides_too_early,           ///< a system decides on pods before another system adds to them
  not_decided,  ///< too much to compare: findings about what `detail` names may be missing
};

/// The severity of a finding.
enum class Severity { error, warning, info };

[[nodiscard]] std::string_view to_string(FindingCode code) noexcept;
[[nodiscard]] std::string_view to_string(Severity severity) noexcept;

/// `field` is a path below the `spec` of `policies`; empty if the finding is about all of it. For writes
/// that differ, it is a path in the object; for a role or binding, a path in that, and `object` is
/// `ClusterRole[NAME]` or the like (otherwise empty). `detail` is what else the text names. `witness` is a
/// pod that shows the finding; `namespace_` is its namespace, if the labels of that matter. Policies of a
/// namespace are called `NAMESPACE/NAME`.
struct Finding {
  FindingCode code = FindingCode::not_decided;
  Severity severity = Severity::info;
  Names policies{};
  FieldPath field{};
  std::string detail{};
  std::optional<Pod> witness{};
  std::optional<Namespace> namespace_{};
  FieldPath object{};

  friend bool operator==(const Finding&, const Finding&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks.
[[nodiscard]] std::string message(const Finding& finding);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/insight/analyze.hpp

/// What is odd about the objects of a cluster although each is valid: the findings of each system's
/// `analyze`, and these of all systems together.
///
/// 1. Unusable objects are left out; `validate` says what is wrong with them. The objects of every
///    system are analyzed, whether it runs or not.
/// 2. SchedulingPolicies are analyzed as they are merged: all together if all apply to everybody,
///    otherwise each set that somebody may use.
/// 3. Without nodes, findings that depend on nodes are not reported.
/// 4. InjectedNotPermitted: a ClusterPodSchedulingPolicy adds an item that no SchedulingPolicy permits, if
///    there are any. The item needs no permission.
/// 5. DefaultContradicted: the pods of a RuntimeClass or ClusterPodSchedulingPolicy do not get a default of
///    a SchedulingPolicy, in part or at all, because no node could meet both. Each pair is reported, with
///    what contradicts what.
/// 6. DecidesTooEarly: SchedulingPolicy enforces, and RuntimeClass or PodSchedulingPolicy enforces after it.
///    SchedulingPolicy denies pods for lack of what these would add, and allows their templates.

namespace SCHEDPOL_NAMESPACE::engine {

/// A finding, and the system whose objects it is about.
struct SystemFinding {
  System system = System::runtime_class;
  Finding finding{};

  friend bool operator==(const SystemFinding&, const SystemFinding&) = default;
};

/// The kind of the system and the text of the finding: `SchedulingPolicy: ...`
[[nodiscard]] std::string message(const SystemFinding& finding);

/// Findings in the order of the systems. The limits are those of each system's `analyze`.
[[nodiscard]] std::vector<SystemFinding> analyze(const Configuration& configuration,
                                                 std::span<const Node> nodes = {});

/// The findings about `written`, for the author of a policy: the objects of the engine are analyzed with
/// `written` added, or in place of those with the same names, and findings about other objects are left
/// out. A policy that differs from one of these is reported once. Takes at most
/// `max_written_policy_steps`, and `written_policy_steps_a_text` for each text in `written`, whatever the
/// engine has. What was not analyzed is NotDecided.
[[nodiscard]] std::vector<SystemFinding> analyze(const Engine& engine, const Objects& written);

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/insight/analyze_metadata_policies.hpp

/// What is odd about MetadataPolicies although each is valid:
/// 1. SelectsNothing: no metadata satisfies a predicate.
/// 2. UpdatesIgnored: a rule rejects what it selects, and also lists updates.
/// 3. SelectedLabelOverwritten: the label selector of a rule requires a label, and the rule changes it
///    to a value that the selector does not match. A workload that selects its pods by this label loses
///    them, and the API server refuses the workload.
/// 4. NeverFires: a rule updates, but everything that its predicate selects is rejected.
/// 5. WritesDiffer: two rules of one namespace can match the same object, which is not rejected, and
///    write different values to the same key. The later write wins.

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// Findings in the order of this list; for each rule the first with each code. Only the metadata of
/// objects counts, without what `choose_scheduler` writes into that of pods. Policies with errors of
/// `validate` are left out. What takes more than `max_insight_steps` is
/// NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/insight/analyze_pod_scheduling_policies.hpp

/// What is odd about PodSchedulingPolicies although each is valid:
/// 1. SelectsNothing: a selector is absent, or no labels satisfy it; the policy never applies.
/// 2. RequirementUnmet: no node meets any of the required terms together with the policy's own
///    nodeSelector, so these terms are never injected.
/// 3. WritesDiffer: two policies can select the same pod, which is shown with its namespace. They differ
///    in nodeName, schedulerName or the value of a nodeSelector key, or no node meets both. What the first
///    policy injects stays; the other's is skipped.
/// 4. LimitExceeded: a pod with exactly the labels that one policy selects gets more than `max_given_items`
///    from all policies that select it, and so is denied. Reported once for each policy. Pods with the
///    labels of several policies are not tried.
/// A namespace may have any labels, and always has the label with its name.

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// Findings in the order of this list; for each policy the first with each code. Policies with errors of
/// `validate` are left out. What takes more than `max_insight_steps` is NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const PodSchedulingPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/insight/analyze_rbac.hpp

/// What is odd about the grants of policies:
/// 1. GrantedByWildcard: a bound role grants the use of all policies, or of those that it names, by a
///    rule whose verb, API group or resource is `*`. The author may not have intended to grant
///    policies.
/// 2. GrantedInOtherGroup: a rule of a bound role has the verb and the resource of policies, but another
///    API group, so it grants nothing.
/// 3. RoleNotFound: a binding names a role that does not exist, so it grants nothing. The ClusterRoles of
///    every cluster (`admin`, `cluster-admin`, `edit`, `view`, `system:...`) count as existing.

namespace SCHEDPOL_NAMESPACE::rbac {

/// The first such rule of each role, in the order of the roles, then the bindings. The field is in the
/// role or binding.
[[nodiscard]] std::vector<Finding> analyze(const Rbac& rbac, const Access& access = {});

}  // namespace SCHEDPOL_NAMESPACE::rbac

// schedpol/insight/analyze_resource_policies.hpp

/// What is odd about ResourcePolicies although each is valid:
/// 1. SelectsNothing: no labels satisfy a podSelector, or the nodeSelector of a unit.
/// 2. SelectionsOverlap: two policies of one namespace can select the same pod, which `admit` denies.
/// 3. UnitsOverlap: a node can be in two units of one policy, and then takes a pod only if neither unit
///    is full.

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// Findings in the order of this list; for each policy and unit the first with each code. Policies with
/// errors of `validate` are left out. What takes more than `max_insight_steps` is NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const ResourcePolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/insight/analyze_runtime_classes.hpp

/// What is odd about RuntimeClasses in a cluster with these nodes, although each is valid:
/// 1. NoNodeServes: no node has the labels of the class's node selector, so its pods can run nowhere.
///    Not reported if no nodes are given.

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// Findings by the names of the classes. Classes with errors of `validate` are left out. What takes more
/// than `max_insight_steps` is NotDecided: hundreds of classes in a cluster of 5,000 nodes.
[[nodiscard]] std::vector<Finding> analyze(std::span<const RuntimeClass> classes,
                                           std::span<const Node> nodes);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/insight/analyze_scheduling_policies.hpp

/// What is odd about a set of SchedulingPolicies, as merged for one user. `admit` confirms the pod that a
/// finding shows, as in `compare`:
/// 1. DefaultDenied: the set itself denies its default; the pod gets it. DefaultNotGiven: not every
///    required node term of the default meets what is required, and no node can meet all terms together;
///    the pod lacks the default.
/// 2. RequirementUnmet: nothing meets a requirement, because a key has no values or a pattern matches
///    nothing.
/// 3. RequirementLost: an earlier policy hides a requirement in the merge; the pod is allowed and does not
///    meet it. EntryLost: the same for an entry of `allowed` or a default.
/// 4. RequirementEscaped: under `RequiredAffinity::present`, the pod has another term besides the required
///    one.
/// 5. StrategiesDisagree: another merge strategy decides differently on the pod. Not reported for policies
///    that only allow and are merged by `smart_deep_merge`, because their entries add up.
/// 6. EveryPodDenied, EveryPodAllowed. Not reported if there are no policies.
/// 7. EntryCovered: other patterns permit everything that a pattern of tolerations or node affinity in
///    `allowed` permits.
/// 8. NullEntry: braces with nothing but nulls. `kubectl apply` drops the nulls, and the empty braces that
///    are left mean any.
/// 9. EntryMatchesNothing: `keys`, `operators` or `effects` are absent in a pattern of tolerations or node
///    affinity; `[]` would be any.
/// 10. Ungoverned: `allowed` lists values of a field that `Options::governs` does not have. This looks like
///    a restriction and is none.
/// With grantees, these are found for each set that somebody may use, and also:
/// 11. GrantAddsRequirements: the pod is denied, but the other policies without this one would allow it.
/// 12. GrantedToNobody: nobody may use the policy, so it is in no set. Findings 1 and 2 are reported for
///    each policy by itself, too, whoever may use it.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Findings in the order of this list. What takes more than `max_insight_steps` is NotDecided.
[[nodiscard]] std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                           MergeStrategy strategy = MergeStrategy::smart_deep_merge,
                                           const Options& options = {});

/// A user, or a group of users, that may use some of the policies.
struct Grantee {
  std::string whose{};  ///< its name in texts: `service account shop/web`
  Texts policies{};     ///< the names of the policies
  Pod pod{};            ///< one of its pods: the namespace and service account of witnesses

  friend bool operator==(const Grantee&, const Grantee&) = default;
};

/// The same for the set of each grantee in turn. What is found in several sets is reported once.
[[nodiscard]] std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                           std::span<const Grantee> grantees,
                                           MergeStrategy strategy = MergeStrategy::smart_deep_merge,
                                           const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/insight/compare.hpp

/// Whether `admit` by one effective policy allows all pods that it allows by another. The answer is exact.
/// Each component (each name, each node selector key, the tolerations, each kind of affinity) is compared
/// by itself, with all values that the entries of the two policies distinguish. Node selector and node
/// affinity interact if a default contradicts a pair, or an exempt pair meets a requirement; such pairs
/// are tried one by one (`compared_pairs`). An empty set of pods is a subset of every other set.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// How the pods that are allowed after a change relate to those before it.
enum class Relation {
  equivalent,    ///< the same pods
  stricter,      ///< fewer pods
  looser,        ///< more pods
  incomparable,  ///< some pods are no longer allowed, and others newly are
};

/// `Equivalent`, `Stricter`, `Looser`, `Incomparable`.
[[nodiscard]] std::string_view to_string(Relation relation) noexcept;

/// A pod that `admit` allows only before, if there is one, and a pod that it allows only after.
struct Comparison {
  Relation relation = Relation::incomparable;
  std::optional<Pod> allowed_before{};
  std::optional<Pod> allowed_after{};

  friend bool operator==(const Comparison&, const Comparison&) = default;
};

/// An error if the comparison takes more than `max_insight_steps`, or if another component cancels out
/// every difference of one component.
[[nodiscard]] Result<Comparison> compare(const EffectivePolicy& before,
                                         const EffectivePolicy& after,
                                         const Options& options_before = {},
                                         const Options& options_after = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/insight/differences.hpp

/// The differences between two pods, field by field.

namespace SCHEDPOL_NAMESPACE::engine {

/// The changes from one pod to the other, in labels, annotations and the spec fields that systems decide on.
/// Maps are compared by key, an affinity by kind. Lists are compared as sets, by the parts of their items
/// that policies need; if tolerations differ only in order, that is a change. Paths are those of `from`.
[[nodiscard]] std::vector<Change> differences(const Pod& from, const Pod& to);

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/insight/impact.hpp

/// What a change of the policies does to the pods and workloads of a cluster: the decisions of two
/// engines on each of them.
///
/// 1. Both engines decide on each object as if it were created: a running pod keeps running, and is judged
///    when its controller creates it again. What an engine added to the object before is part of it.
/// 2. A pod with a phase is judged without its node, because a scheduler chose that. For a pod that a
///    DaemonSet controls, the requester is the DaemonSet controller; for a mirror pod it is a node.
/// 3. A workload that another workload controls passes unchecked and counts as unchanged. So does a
///    ReplicaSet with any controller.
/// 4. Systems in mode `warn` and `audit` do not affect the result.
/// 5. Objects are grouped by their outermost known controller (`Owners`): the pods of a ReplicaSet by its
///    Deployment. An object without a controller is a group of its own.
/// 6. Equal objects are decided on once: pods of one template, if they do not differ in labels, or in
///    annotations that a system needs.
/// 7. If the impact takes more than `max_insight_steps` or `max_insight_bytes`, the last objects are left
///    out. You can ask for another impact on these.
/// 8. For a workload, the decision is on its template. Its own metadata is not part of a `Pod`; use
///    `Engine::decide_metadata` to see what MetadataPolicies do to it.
/// 9. Each pod template of an object of a custom kind counts as one object. An engine without a path to the
///    template allows it as it is.

namespace SCHEDPOL_NAMESPACE::engine {

/// The effect on an object, or on a group of objects.
enum class Effect {
  unchanged,      ///< both allow it with the same result, or both deny it, for whatever reasons
  changed,        ///< both allow it, with different results
  newly_denied,   ///< only `before` allows it
  newly_allowed,  ///< only `after` allows it
};

/// `Unchanged`, `Changed`, `NewlyDenied`, `NewlyAllowed`.
[[nodiscard]] std::string_view to_string(Effect effect) noexcept;

/// Objects of one owner with the same outcome. `violations` are those of the engine that denies. For
/// changed objects, `changes` lead from the result of `before` to the result of `after`.
struct ImpactGroup {
  Owner owner{};
  Effect effect = Effect::unchanged;
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
  std::vector<std::size_t>
      objects{};  ///< their indices in the input; templates come after the objects

  friend bool operator==(const ImpactGroup&, const ImpactGroup&) = default;
};

/// The number of objects with each effect, and the groups of all objects that are not unchanged, in the
/// order of their first objects.
struct Impact {
  std::size_t not_looked_at = 0;  ///< the number of last objects that are left out
  std::size_t unchanged = 0;
  std::size_t changed = 0;
  std::size_t newly_denied = 0;
  std::size_t newly_allowed = 0;
  std::vector<ImpactGroup> groups{};

  friend bool operator==(const Impact&, const Impact&) = default;
};

/// The progress of an impact.
struct ImpactProgress {
  std::size_t objects = 0;    ///< objects done
  std::size_t decisions = 0;  ///< decisions by the two engines together
  std::size_t steps = 0;      ///< steps of these decisions
};

/// A reference to a callable `(const ImpactProgress&) -> bool`, which is called after each object and says
/// whether to go on. The callable must outlive the call of `impact`.
class ProgressCallback {
 public:
  ProgressCallback() noexcept = default;
  /// Refers to `callable`.
  template <std::predicate<const ImpactProgress&> Callable>
    requires(!std::same_as<std::remove_cvref_t<Callable>, ProgressCallback>)
  ProgressCallback(Callable&& callable) noexcept  // NOLINT
      : what_(&callable), call_([](const void* what, const ImpactProgress& progress) {
          return bool((*static_cast<const std::remove_reference_t<Callable>*>(what))(progress));
        }) {}

  [[nodiscard]] bool operator()(const ImpactProgress& progress) const {
    return call_ == nullptr || call_(what_, progress);
  }

 private:
  const void* what_ = nullptr;
  bool (*call_)(const void*, const ImpactProgress&) = nullptr;
};

/// Applies these rules to `objects` and `templates`. Linear, plus the decisions on objects that differ.
[[nodiscard]] Impact impact(const Engine& before, const Engine& after, std::vector<Pod> objects,
                            ProgressCallback go_on = {},
                            std::vector<TemplateRequest> templates = {});

/// For a person: the owner, the number of objects and the effect, and below it one line for each violation,
/// or for each changed field with both values; at most `max_reported_errors`.
[[nodiscard]] std::string message(const ImpactGroup& group);

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/insight/suggest.hpp

/// The least SchedulingPolicies, ClusterRoles and bindings under which everything that a cluster runs is
/// allowed, beside what is there, with the proof by deciding.
///
/// 1. Each object is asked about as it was created (`engine/as_created.hpp`). For each item of it that
///    SchedulingPolicy does not permit it needs the narrowest entry of `allowed` that does: a name, a
///    value of a key, a pattern of one key, operator, values and effect. A pod that names its node needs
///    `schedulerNames` of any.
/// 2. A subject needs what its objects need: a service account, or all of a namespace. It is granted no
///    entry that its others make needless, tried in byte order. Accounts that may use every policy are one
///    subject, to which nothing is bound.
/// 3. Under `smart_deep_merge` entries that the same subjects need are one policy. A policy that is there
///    and says nothing but what a subject needs is granted to it. Under the two other strategies a
///    subject has exactly one policy, and subjects with the same needs have the same one; what a policy
///    that is there would hide is undecided, and so is what needs one and may use every policy.
/// 4. Names come from content: `gpu-tolerations-3f2a` has the same entries in every run. No policy has a
///    name that a role there grants already, and no role one that a binding there names. A ClusterRole
///    `sp:POLICY` permits to use the policy. It is granted by a RoleBinding in each namespace, to service
///    accounts or to the group of them all.
/// 5. Nothing that is there changes. What is suggested beside its own answer is nothing.
/// 6. Of what denies nobody is helped by a permission: a requirement that is not met, a denial of another
///    system, a policy that cannot be used. Such an object is unsatisfiable, and so is one that asks for
///    what no valid policy can say, or for more than `max_needs_of_object`; nothing is granted for it.
/// 7. The answer does not depend on the order of the objects, nor of what is there.
/// 8. The result is irredundant: without any entry, and without any subject of a binding, somebody is
///    denied. It need not be the smallest of all that are. The proof names what could be taken away.
///
/// A policy permits more than the objects that were seen. It is to be read before it is used.

namespace SCHEDPOL_NAMESPACE::engine {

/// The priority that the API server gave to a pod, by its class.
struct GivenPriority {
  std::int32_t value = 0;
  bool preempts = true;  ///< not where its preemption policy is Never

  friend bool operator==(const GivenPriority&, const GivenPriority&) = default;
};

/// What a cluster runs: a workload, or alike pods.
struct RunningObject {
  Request request{};            ///< to create it, as it was created
  std::string doubtful_node{};  ///< that the pod has and may have asked for; empty: it is known
  Owner owner{};                ///< by which people know it
  std::size_t pods = 0;         ///< so many pods are alike; none: a workload, or what nobody stored
  /// So often it was asked about where its denial was only told, or more often; such an object stands
  /// for no pods that are there.
  std::size_t heard = 0;
  std::optional<GivenPriority> priority{};

  friend bool operator==(const RunningObject&, const RunningObject&) = default;
};

/// Whom a policy is granted to.
enum class SuggestedSubject { service_account, namespace_ };

/// `ServiceAccount`, `Namespace`.
[[nodiscard]] std::string_view to_string(SuggestedSubject subject) noexcept;

/// What an entry says of the names of nodes (`metadata.name`, the label `kubernetes.io/hostname`).
enum class SuggestedNodeNames { listed, any };

/// `Listed`, `Any`.
[[nodiscard]] std::string_view to_string(SuggestedNodeNames names) noexcept;

/// How much wider than what was seen, and to whom.
struct SuggestOptions {
  SuggestedSubject subject = SuggestedSubject::service_account;
  /// What so many percent of the subjects need is granted to every service account, of all namespaces,
  /// under `smart_deep_merge`. 0: nothing is.
  std::size_t common_percent = 0;
  Texts generalise{};  ///< keys whose values become any
  SuggestedNodeNames node_names = SuggestedNodeNames::listed;
  /// At most so many policies: those are joined which grants the least that nobody needs. 0: any number.
  std::size_t max_policies = 0;
  std::vector<Node> nodes{};  ///< for what an entry opens
  /// So many steps as `max_insight_steps` counts them, and as many bytes that are kept or those that insight
  /// may keep, if that is more; beyond them there is no answer. 0: any number.
  std::size_t max_steps = 0;

  friend bool operator==(const SuggestOptions&, const SuggestOptions&) = default;
};

/// What an entry opens: so many of all.
struct OpenedCount {
  std::size_t count = 0;
  std::size_t all = 0;

  friend bool operator==(const OpenedCount&, const OpenedCount&) = default;
};

/// An entry of a suggested policy, and why it is there.
struct SuggestedEntry {
  std::string policy{};
  FieldPath entry{};                       ///< below its `spec`: `allowed.tolerations[2]`
  std::string value{};                     ///< `[]` is any
  std::size_t pods = 0;                    ///< that need it
  std::size_t others = 0;                  ///< objects that need it and are neither pods nor heard
  std::size_t heard = 0;                   ///< how often objects that need it were heard
  std::size_t accounts = 0;                ///< service accounts of these
  Owner example{};                         ///< the first by namespace, kind and name
  std::optional<OpenedCount> nodes{};      ///< that it is about, where nodes are given
  std::optional<OpenedCount> preempted{};  ///< pods that it may preempt, where priorities are known

  friend bool operator==(const SuggestedEntry&, const SuggestedEntry&) = default;
};

/// An object for which nothing is granted, or of which nobody can tell what it needs.
struct UnmetNeed {
  Owner owner{};
  std::size_t pods = 0;
  std::string reason{};
  std::vector<Violation> violations{};

  friend bool operator==(const UnmetNeed&, const UnmetNeed&) = default;
};

/// A subject of a binding, by where the binding stands.
struct BoundSubject {
  std::string namespace_{};  ///< empty: a ClusterRoleBinding
  std::string binding{};
  std::string subject{};  ///< `shop/web` of a service account, or the name of a group

  friend bool operator==(const BoundSubject&, const BoundSubject&) = default;
};

/// What deciding shows of policies, roles and bindings that are added to what is there.
struct Proof {
  std::size_t allowed = 0;  ///< objects that are decided on, undecided ones included
  std::vector<UnmetNeed> denied{};
  std::vector<UnmetNeed> undecided{};  ///< they would be denied with the node that they have
  std::size_t entries = 0;             ///< without any one of them, somebody is denied
  std::size_t subjects = 0;            ///< the same
  std::vector<scheduling_policy::PolicyEntry> needless_entries{};
  std::vector<BoundSubject> needless_subjects{};

  friend bool operator==(const Proof&, const Proof&) = default;
};

/// Each object of an owner left out once: how many would be denied by what the others need.
struct Fragility {
  std::size_t owners = 0;
  std::size_t denied = 0;

  friend bool operator==(const Fragility&, const Fragility&) = default;
};

/// What is suggested, why, and how far it is to be trusted.
struct Suggestion {
  Objects objects{};  ///< SchedulingPolicies, ClusterRoles and bindings, each by namespace and name
  std::vector<SuggestedEntry> entries{};  ///< of the policies, in their order
  std::vector<UnmetNeed> undecided{};
  std::vector<UnmetNeed> unsatisfiable{};
  std::size_t excess = 0;  ///< grants of an entry to a known service account that does not need it
  Fragility fragile{};     ///< before `max_policies` joins any
  Proof proof{};           ///< denied are those that are undecided or unsatisfiable, and no others

  friend bool operator==(const Suggestion&, const Suggestion&) = default;
};

/// Entries that one subject needs, or one policy has: each is taken away and what is left is merged again.
/// Whoever needs more of them permits any values of their keys. Real subjects need some ten.
inline constexpr std::size_t max_suggested_entries = 1024;

/// Entries that one object needs. One that asks for more, as nobody's does, is unsatisfiable, so that it does
/// not keep the others waiting.
inline constexpr std::size_t max_needs_of_object = 64;

/// Steps for whoever asks about a whole cluster, some ten seconds. What 5,000 templates of 600 service
/// accounts need takes a hundredth of them, and a thousand service accounts of which each needs an entry
/// of its own a three-hundredth, or nearly all where their policies are joined.
inline constexpr std::size_t max_cluster_suggest_steps = 1'000'000'000;

/// By the rules above. SchedulingPolicy is taken to enforce, whatever its mode is or a namespace says, even
/// if it does not run; what it governs, its strategy and what is exempt are those of `surroundings`. Where every policy is used
/// (`PolicyUse::every`) all objects are one subject, and there are no roles. Errors are those of compiling,
/// and of more than `max_suggested_entries`.
[[nodiscard]] Result<Suggestion> suggest(const Configuration& surroundings,
                                         std::span<const RunningObject> objects,
                                         const SuggestOptions& options = {});

/// Decides on all objects with what is added, and again without each entry of the added policies and each
/// subject of the added bindings. `max_steps` is as in `SuggestOptions`.
[[nodiscard]] Result<Proof> prove(const Configuration& surroundings, const Objects& added,
                                  std::span<const RunningObject> objects,
                                  std::size_t max_steps = 0);

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/insight.hpp

/// Why a pod is allowed or denied, what would change that, and what is odd about a set of policies,
/// on top of `schedpol.hpp`. You do not need this header to decide on pods. Each function is in the
/// namespace of the system that it is about.

#endif  // SCHEDPOL_SINGLE_INCLUDE_INSIGHT

#if (!defined(SCHEDPOL_COMPILED) || defined(SCHEDPOL_IMPLEMENTATION)) && !defined(SCHEDPOL_SINGLE_INCLUDE_INSIGHT_BODIES)
#define SCHEDPOL_SINGLE_INCLUDE_INSIGHT_BODIES

#include <algorithm>
#include <cstdint>
#include <deque>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

// schedpol/insight/impl/explainer.hpp

/// Writes down all that `check` tells of a pod, with the entries behind it.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The entries of the default that gave a pod terms of one kind of affinity, one for each mode. The
/// pod has them by now. `injected` ends the path of the change: it is the kind, where the pod had nothing
/// of it and got both modes, or else a mode.
inline std::vector<FieldPath> default_affinity_entries(const FieldPath& field, const Pod& pod,
                                                       std::string_view kind,
                                                       std::string_view injected) {
  std::vector<FieldPath> entries;
  for_each_kind([&](const auto& each) {
    if (each.field != kind) return;
    const auto terms = terms_of(pod.spec.affinity, each.member);
    const auto add = [&](bool is_there, std::string_view mode) {
      if (is_there && (injected == kind || injected == mode))
        entries.push_back(field.child(kind).child(mode));
    };
    add(!terms.required.empty(), required_mode);
    add(!terms.preferred.empty(), preferred_mode);
  });
  return entries;
}

/// The numbers of the defaults that give a toleration as it stands, or as one of these effects.
inline std::vector<std::size_t> defaults_giving(const std::vector<DefaultToleration>& defaults,
                                                const Toleration& toleration,
                                                std::span<const TaintEffect> effects) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < defaults.size(); ++i) {
    const DefaultTolerations one(std::vector<DefaultToleration>{defaults[i]});
    if (one.contain(toleration) || schedpol::detail::any_of(effects, [&](TaintEffect effect) {
          return one.contain(toleration, effect);
        }))
      numbers.push_back(i);
  }
  return numbers;
}

/// The entries of a default that gave something to a pod, which has it by now. `field` is the
/// default's, `steps` lead to the change from its place in the pod.
using ChangeSteps = std::span<const FieldPath::Step>;
inline std::vector<FieldPath> giving_entries(const NameField&, const FieldPath& field, ChangeSteps,
                                             const Pod&, const Defaults&) {
  return {field};
}
inline std::vector<FieldPath> giving_entries(const NodeSelectorField&, const FieldPath& field,
                                             ChangeSteps steps, const Pod&, const Defaults&) {
  return {field.key(steps.front().name)};
}
inline std::vector<FieldPath> giving_entries(const TolerationsField& row, const FieldPath& field,
                                             ChangeSteps steps, const Pod& pod,
                                             const Defaults& defaults) {
  const Toleration& toleration = (pod.spec.*row.in_pod)[steps.front().index];
  const auto giving = defaults_giving(*(defaults.*row.member), toleration, {});
  if (giving.empty()) return {};
  return {field.index(giving.front())};
}
inline std::vector<FieldPath> giving_entries(const AffinityField&, const FieldPath& field,
                                             ChangeSteps steps, const Pod& pod, const Defaults&) {
  return default_affinity_entries(field, pod, steps.front().name, steps.back().name);
}

/// Whether what stands in this field of a pod goes with a row: it is its field, or derived from it.
inline bool goes_with(const auto& row, std::string_view field) {
  if constexpr (requires { row.traits.derived; })
    for (const DerivedField& derived : row.traits.derived)
      if (derived.field == field) return true;
  return row.field == field;
}

class Explainer final : public CheckListener {
 public:
  Explainer(const Pod& pod, const EffectivePolicy& effective)
      : CheckListener(Wants::everything), pod_(pod), effective_(effective) {}

  /// What is given to the pod, of which only what is not permitted is looked at again.
  void defaulted(const std::vector<Change>& changes) {
    for (const Change& change : changes) {
      defaulted_.insert(change.field);
      const std::vector<FieldPath::Step> steps = change.field.steps();
      const std::size_t at = template_steps(pod_.kind).size() + 1;
      for_each_pod_field([&](const auto& row) {
        if (!goes_with(row, steps[at].name)) return;
        const FieldPath field{default_section.name, row.field};
        Entries by;
        for (const FieldPath& entry :
             giving_entries(row, field, ChangeSteps(steps).subspan(at + 1), pod_, spec().defaults))
          append(by, entries_of(entry));
        keep(row.codes,
             {change.field, change.to.value_or(""), Ruling::defaulted, std::move(by), {}});
      });
    }
  }

  void on_event(const CheckEvent& event) override {
    switch (event.verdict) {
      case Verdict::permitted: return permitted(event);
      case Verdict::exempt:
        if (!is_required_key(event)) add(event, Ruling::exempt, {});
        return;
      case Verdict::ungoverned: return add(event, Ruling::ungoverned, {});
      case Verdict::requirement_met:
        return add(event, Ruling::required, entries_of(event.entry->path()));
      case Verdict::not_permitted: return add(event, Ruling::not_permitted, {});
      case Verdict::requirement_missing:
        return add(event, Ruling::requirement_missing, entries_of(event.entry->path()));
    }
  }

  [[nodiscard]] Explanation take() && {
    std::vector<ExplainedItem> items;
    for (auto& [row, item] : items_) items.push_back(std::move(item));
    return {allowed_, std::move(items)};
  }

 private:
  using Entries = std::vector<PolicyEntry>;

  /// Of a pair of the node selector, whether it was looked at before as what is required.
  [[nodiscard]] bool is_required_key(const CheckEvent& event) const {
    const std::string* key = event.item.pair.key;
    return key != nullptr && spec().required.node_selectors.listed().contains(*key);
  }

  void permitted(const CheckEvent& event) {
    with_row(event.codes, [&](const auto& row) { permitted(row, event); });
  }
  void permitted(const NodeNameField& row, const CheckEvent& event) {
    add(event, Ruling::permitted, entries_of({allowed_section.name, row.scheduler.rules_field}));
  }
  void permitted(const AffinityField& row, const CheckEvent& event) {
    look_at_mode(event);
    const CheckedExpression& expression = event.item.expression;
    const bool is_expression = expression.requirement != nullptr;
    // Of a whole mode what it may hold is any, or it is what the default gives.
    if (!is_expression && !event.item.is_text)
      return add_permitted(event, any_, {default_section.name, row.field, event.kind, event.mode});
    Entries by = any_;
    for (const ModeEntry& entry : mode_entries_)
      if (by.size() < max_shown_names &&
          (is_expression ? entry.permits(expression) : entry.topology_key == event.item.text))
        append(by, entry.entries);
    add(event, Ruling::permitted, std::move(by));
  }

  /// What an entry of a mode permits.
  struct ModeEntry {
    Entries entries;
    bool is_field = false;
    std::optional<Pattern> pattern{};  ///< none: any expression
    std::optional<std::string_view> topology_key{};

    [[nodiscard]] bool permits(const CheckedExpression& expression) const {
      return is_field == expression.is_field &&
             (!pattern || pattern->matches(*expression.requirement));
    }
  };

  static void append(Entries& entries, Entries more) {
    for (PolicyEntry& entry : more)
      if (entries.size() < max_shown_names) entries.push_back(std::move(entry));
  }

  /// The policies behind an entry that stands at the same place in each of them.
  [[nodiscard]] Entries entries_of(const FieldPath& entry) const {
    Entries entries;
    for (const std::string& policy : effective_.sources_of(entry))
      if (entries.size() < max_shown_names) entries.push_back({policy, entry, ""});
    return entries;
  }

  /// The policies behind an entry of a list that the merge has joined, each with the place where
  /// it has it. `list_of` gives the list of one policy, or null.
  template <class List, class ListOf>
  [[nodiscard]] Entries own_entries(const FieldPath& entry, const List& merged,
                                    ListOf&& list_of) const {
    Entries entries = entries_of(entry);
    const std::vector<FieldPath::Step> steps = entry.steps();
    const auto& item = merged[steps.back().index];
    for (PolicyEntry& each : entries) {
      const SchedulingPolicySpec* own = own_spec(effective_, each.policy);
      const auto* list = own == nullptr ? nullptr : list_of(*own);
      if (list == nullptr) continue;
      const auto found = std::find(list->begin(), list->end(), item);
      if (found == list->end()) continue;
      each.entry = entry.parent().index(static_cast<std::size_t>(found - list->begin()));
    }
    return entries;
  }

  /// The entries of a list of texts that say any, or list this text.
  template <class ListOf>
  [[nodiscard]] Entries listing(const FieldPath& path, const AnyOr<Texts>& texts,
                                std::string_view text, ListOf&& list_of) const {
    if (texts.is_any()) return entries_of(path);
    const auto found = std::find(texts.listed().begin(), texts.listed().end(), text);
    if (found == texts.listed().end()) return {};
    const auto index = static_cast<std::size_t>(found - texts.listed().begin());
    return own_entries(path.index(index), texts.listed(), list_of);
  }

  /// Gives what a policy lists in a field of `allowed`.
  static auto list_in_allowed(const auto& row) {
    return [&row](const SchedulingPolicySpec& own) { return &(own.allowed.*row.rules).listed(); };
  }

  void permitted(const NameField& row, const CheckEvent& event) {
    add_permitted(event,
                  listing({allowed_section.name, row.rules_field}, spec().allowed.*row.rules,
                          event.item.text, list_in_allowed(row)),
                  {default_section.name, row.field});
  }

  void permitted(const NodeSelectorField& row, const CheckEvent& event) {
    if (is_required_key(event)) return;
    const auto& [key, value] = event.item.pair;
    const AnyOr<NodeSelectors>& allowed = spec().allowed.*row.rules;
    const auto values_of = [&, key = key](const SchedulingPolicySpec& own) -> const Texts* {
      const auto& keys = (own.allowed.*row.rules).listed();
      const auto found = keys.find(*key);
      return found == keys.end() ? nullptr : &found->second.listed();
    };
    const FieldPath field{allowed_section.name, row.rules_field};
    Entries by;
    if (allowed.is_any()) {
      by = entries_of(field);
    } else if (const auto found = allowed.listed().find(*key); found != allowed.listed().end()) {
      by = listing(field.key(*key), found->second, *value, values_of);
    }
    add_permitted(event, std::move(by), FieldPath{default_section.name, row.field}.key(*key));
  }

  void permitted(const SpreadConstraintsField& row, const CheckEvent& event) {
    const AnyOr<std::vector<SpreadConstraintPattern>>& allowed = spec().allowed.*row.rules;
    const FieldPath field{allowed_section.name, row.rules_field};
    Entries by;
    if (allowed.is_any()) by = entries_of(field);
    for (std::size_t i = 0; i < allowed.listed().size() && by.size() < max_shown_names; ++i)
      if (matches(allowed.listed()[i], *event.item.spread_constraint))
        append(by, own_entries(field.index(i), allowed.listed(), list_in_allowed(row)));
    add(event, Ruling::permitted, std::move(by));
  }
  template <class Item>
  void permitted(const AllowedNamesField<Item>& row, const CheckEvent& event) {
    add(event, Ruling::permitted,
        listing({allowed_section.name, row.rules_field}, spec().allowed.*row.rules, event.item.text,
                list_in_allowed(row)),
        row.permits_only);
  }
  void permitted(const TolerationsField& row, const CheckEvent& event) {
    const Toleration& toleration = *event.item.toleration;
    Entries by = patterns_of(row, toleration);
    const Ruling ruling = by.empty() ? Ruling::permitted_by_default : Ruling::permitted;
    if (const auto& by_default = spec().defaults.*row.member) {
      for (const std::size_t i :
           defaults_giving(*by_default, toleration, tolerated_effects(toleration)))
        append(by, entries_of(FieldPath{default_section.name, row.field}.index(i)));
    }
    add(event, ruling, std::move(by));
  }

  /// The entries of `required` and `allowed` that match a toleration.
  [[nodiscard]] Entries patterns_of(const TolerationsField& row,
                                    const Toleration& toleration) const {
    const auto& required = (spec().required.*row.rules).listed();
    const auto& allowed = (spec().allowed.*row.rules).listed();
    const auto& rule = EffectivePolicyAccess::of(effective_).checks.of(row);
    const FieldPath in_required{required_section.name, row.rules_field};
    const FieldPath in_allowed{allowed_section.name, row.rules_field};
    std::vector<std::size_t> matching;
    for (const TaintEffect effect : tolerated_effects(toleration))
      rule.patterns().for_each_match(toleration, words_of(toleration, {&effect, 1}),
                                     [&](std::size_t i) { matching.push_back(i); });
    std::sort(matching.begin(), matching.end());
    matching.erase(std::unique(matching.begin(), matching.end()), matching.end());
    Entries by;
    if ((spec().allowed.*row.rules).is_any()) by = entries_of(in_allowed);
    for (const std::size_t i : matching) {
      if (by.size() == max_shown_names) break;
      if (i < required.size()) {
        append(by, entries_of(in_required.index(i)));
      } else if (!allowed.empty()) {
        append(by,
               own_entries(in_allowed.index(i - required.size()), allowed, list_in_allowed(row)));
      }
    }
    return by;
  }

  void add_permitted(const CheckEvent& event, Entries by, const FieldPath& by_default) {
    const Ruling ruling = by.empty() ? Ruling::permitted_by_default : Ruling::permitted;
    if (by.empty()) by = entries_of(by_default);
    add(event, ruling, std::move(by));
  }

  /// Reads the entries of a mode. All of a mode is looked at before the next one.
  void look_at_mode(const CheckEvent& event) {
    if (kind_ == event.kind && mode_ == event.mode) return;
    kind_ = event.kind;
    mode_ = event.mode;
    mode_entries_.clear();
    any_.clear();
    for_each_kind([&](const auto& kind) {
      if (kind.field != kind_) return;
      look_at_section(required_section, kind);
      look_at_section(allowed_section, kind);
    });
  }
  template <class Kind, class Rule>
  void look_at_section(const SpecField<SchedulingPolicySpec, PolicySection>& in,
                       const AffinityKind<Kind, Rule>& kind) {
    const auto section = in.member;
    const FieldPath path{in.name, affinity_field.rules_field};
    const FieldPath of_kind = path.child(kind.rules_field);
    const FieldPath of_mode = of_kind.child(mode_);
    const AnyOr<AffinityRules>& rules = (spec().*section).affinities;
    if (rules.is_any()) return append(any_, entries_of(path));
    const AnyOr<AffinityModes<Rule>>& modes = rules.listed().*kind.rules;
    if (modes.is_any()) return append(any_, entries_of(of_kind));
    const auto& [required, preferred] = modes.listed();
    if ((mode_ == required_mode ? required : preferred).is_any())
      return append(any_, entries_of(of_mode));
    add_parts(
        of_mode, listed_in(spec().*section, kind, mode_),
        [&](const SchedulingPolicySpec& own) { return &listed_in(own.*section, kind, mode_); });
  }
  template <class RuleOf>
  void add_parts(const FieldPath& mode, const NodeAffinityRule& rule, RuleOf&& rule_of) {
    const FieldPath terms = mode.child("nodeSelectorTerms");
    for (std::size_t i = 0; i < rule.node_selector_terms.size(); ++i) {
      const Entries entries = own_entries(
          terms.index(i), rule.node_selector_terms,
          [&](const SchedulingPolicySpec& own) { return &rule_of(own)->node_selector_terms; });
      const auto& [expressions, fields] = rule.node_selector_terms[i];
      add_parts(entries, "matchExpressions", expressions, false);
      add_parts(entries, "matchFields", fields, true);
    }
  }
  void add_parts(const Entries& of_term, std::string_view name,
                 const AnyOr<std::vector<RequirementPattern>>& list, bool is_field) {
    const auto below = [&](std::optional<std::size_t> index) {
      Entries entries = of_term;
      for (PolicyEntry& each : entries) {
        each.entry = each.entry.child(name);
        if (index) each.entry = each.entry.index(*index);
      }
      return entries;
    };
    if (list.is_any()) mode_entries_.push_back({below({}), is_field});
    for (std::size_t i = 0; i < list.listed().size(); ++i)
      mode_entries_.push_back({below(i), is_field, Pattern(list.listed()[i])});
  }
  template <class RuleOf>
  void add_parts(const FieldPath& mode, const PodAffinityRule& rule, RuleOf&& rule_of) {
    const FieldPath keys = mode.child("topologyKeys");
    for (std::size_t i = 0; i < rule.topology_keys.size(); ++i) {
      Entries entries = own_entries(
          keys.index(i), rule.topology_keys,
          [&](const SchedulingPolicySpec& own) { return &rule_of(own)->topology_keys; });
      mode_entries_.push_back({std::move(entries), false, std::nullopt, rule.topology_keys[i]});
    }
  }

  /// What `defaulted` has shown is shown again only where it is denied or required.
  void add(const CheckEvent& event, Ruling ruling, Entries by, std::string_view permits_only = {}) {
    FieldPath path = event.field->path(template_path(pod_.kind));
    if (denies(ruling)) allowed_ = false;
    if (!denies(ruling) && ruling != Ruling::required && is_defaulted(path)) return;
    keep(event.codes,
         {std::move(path), text_of(event.item), ruling, std::move(by), {}, permits_only});
  }
  void keep(const DenialCodes& of_row, ExplainedItem item) {
    items_.emplace(number_of(of_row), std::move(item));
  }
  [[nodiscard]] bool is_defaulted(const FieldPath& field) const {
    return defaulted_.contains(field) ||
           (!defaulted_.empty() && !field.empty() && is_defaulted(field.parent()));
  }

  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return effective_.spec(); }

  const Pod& pod_;
  const EffectivePolicy& effective_;
  bool allowed_ = true;
  /// In the order of the rows, those of one as they came.
  std::multimap<std::size_t, ExplainedItem> items_;
  std::set<FieldPath> defaulted_;
  std::string_view kind_;  ///< of affinity, whose mode is looked at
  std::string_view mode_;
  std::vector<ModeEntry> mode_entries_;
  Entries any_;  ///< those that permit all of the mode
};

inline bool has_nothing(const std::optional<Affinity>& affinity) noexcept {
  return !affinity;
}
inline bool has_nothing(const auto& of_pod) noexcept {
  return of_pod.empty();
}
/// Whether a pod has anything of what is not governed. Most have nothing.
inline bool has_ungoverned(const PodSpec& spec, const Options& options) noexcept {
  return with_rows([&](const auto&... row) {
    return ((!options.governs.contain(row.component) && !has_nothing(spec.*row.in_pod)) || ...);
  });
}
inline std::vector<ExplainedItem> ungoverned_of(std::vector<ExplainedItem> items) {
  schedpol::detail::erase_if(
      items, [](const ExplainedItem& item) { return item.ruling != Ruling::ungoverned; });
  return items;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/budget.hpp

/// What may be spent on one question of insight: steps, each of which takes no longer the larger the
/// input is, and bytes of what is kept. Both are spent where the work is done and before it is done.
/// Once either is used up nothing more is looked at.

namespace SCHEDPOL_NAMESPACE::detail {

class Budget {
 public:
  explicit Budget(std::size_t steps = max_insight_steps,
                  std::size_t bytes = max_insight_bytes) noexcept
      : steps_(steps), bytes_(bytes) {}
  /// Of whoever may spend as much as it takes.
  [[nodiscard]] static Budget unlimited() noexcept {
    constexpr auto most = static_cast<std::size_t>(-1);
    return Budget(most, most);
  }

  /// False once it is used up.
  bool spend(std::size_t steps = 1) noexcept {
    steps_ -= std::min(steps, steps_);
    return !used_up();
  }
  bool keep(std::size_t bytes) noexcept {
    bytes_ -= std::min(bytes, bytes_);
    return !used_up();
  }
  /// Of what would take more than anybody may spend.
  void use_up() noexcept { steps_ = 0; }
  [[nodiscard]] bool used_up() const noexcept { return steps_ == 0 || bytes_ == 0; }
  [[nodiscard]] std::size_t steps_left() const noexcept { return steps_; }

  /// What is said instead of an answer.
  [[nodiscard]] static std::vector<FieldError> exceeded(FieldPath field) {
    return {{ErrorType::too_many, std::move(field), "",
             "takes more than " + std::to_string(max_insight_steps) + " steps to compare"}};
  }

 private:
  std::size_t steps_;
  std::size_t bytes_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/insight/impl/sizes.hpp

/// How much there is in a policy and in a pod, for what is spent on looking at it.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

inline std::size_t parts_of(const PodAffinityTerm& term) {
  return 1 + term.namespaces.size();
}
template <class Term>
std::size_t parts_of(const std::vector<Term>& terms) {
  std::size_t parts = 0;
  for (const Term& term : terms) parts += parts_of(schedpol::detail::part_of(term));
  return parts;
}
inline std::size_t parts_of(const std::optional<Affinity>& affinity) {
  std::size_t parts = 0;
  for_each_kind([&](const auto& kind) {
    const auto terms = terms_of(affinity, kind.member);
    parts += parts_of(terms.required) + parts_of(terms.preferred);
  });
  return parts;
}
/// A name is looked at once, whatever it is.
inline std::size_t parts_of(const std::string&) noexcept {
  return 0;
}
inline std::size_t parts_of(const Labels& pairs) noexcept {
  return pairs.size();
}
inline std::size_t parts_of(const std::vector<Toleration>& tolerations) noexcept {
  return tolerations.size();
}
inline std::size_t parts_of(const std::vector<TopologySpreadConstraint>& constraints) noexcept {
  return constraints.size();
}
inline std::size_t parts_of(const std::vector<PodSchedulingGate>& gates) noexcept {
  return gates.size();
}
inline std::size_t parts_of(const std::vector<PodResourceClaim>& claims) noexcept {
  return claims.size();
}
/// What policies rule of it.
inline std::size_t parts_of(const PodSpec& spec) {
  std::size_t parts = 0;
  for_each_row([&](const auto& row) { parts += parts_of(spec.*row.in_pod); });
  return parts;
}

/// Counts texts, and the items and pairs that they stand in.
class EntryCount {
 public:
  template <class T>
  void add(const T& part) {
    if constexpr (HasFields<T>) {
      for_each_field<T>([&](std::string_view, auto member) { add(part.*member); });
    } else if constexpr (schedpol::detail::AnyOptional<T>) {
      if (part) add(*part);
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (const auto& [key, value] : part) add(value);
      count_ += part.size();
    } else {
      ++count_;
    }
  }
  template <class T>
  void add(const AnyOr<T>& part) {
    add(part.listed());
  }
  template <class T>
  void add(const std::vector<T>& items) {
    count_ += items.size();
    if constexpr (HasFields<T> || std::is_same_v<T, DefaultToleration>)
      for (const T& item : items) add(item);
  }
  void add(const Texts& texts) { count_ += texts.size(); }
  void add(const DefaultToleration& by_default) { add(by_default.values); }
  void add(const NodeAffinity& kind) { add_terms(kind); }
  void add(const PodAffinity& kind) { add_terms(kind); }

  [[nodiscard]] std::size_t count() const noexcept { return count_; }

 private:
  template <class Kind>
  void add_terms(const Kind& kind) {
    const auto terms = terms_of(kind);
    count_ += parts_of(terms.required) + parts_of(terms.preferred);
  }

  std::size_t count_ = 0;
};

template <class T>
std::size_t entries_of(const T& part) {
  EntryCount entries;
  entries.add(part);
  return entries.count();
}

/// Calls `f` for each pattern of expressions, of both modes.
template <class F>
void for_each_expression_pattern(const PolicySection& section, F&& f) {
  const NodeAffinityRules& modes = section.affinities.listed().node_affinities.listed();
  for_each_field<NodeAffinityRules>([&](std::string_view, auto mode) {
    for (const TermPattern& term : (modes.*mode).listed().node_selector_terms)
      for_each_field<TermPattern>([&](std::string_view, auto list) {
        for (const RequirementPattern& pattern : (term.*list).listed()) f(pattern);
      });
  });
}

/// The patterns of what is required, each of which a check holds against each part of a pod.
inline std::size_t required_patterns(const PolicySection& required) {
  std::size_t patterns = required.tolerations.listed().size();
  for_each_expression_pattern(required, [&](const RequirementPattern&) { ++patterns; });
  return patterns;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/compared.hpp

/// Two policies side by side, reduced to one component: what a pod has of it is permitted or not,
/// whatever else stands in the pod, because no rule of `check` and no default looks at two. But which
/// defaults of affinity are given, and what meets a requirement on node affinity, depends on what the
/// node selector and the other kinds of affinity have: so what is found is confirmed by `admit`.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Which rows deny anything.
class DenyingRows final : public CheckListener {
 public:
  DenyingRows() noexcept : CheckListener(Wants::denials) {}

  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool contain(const auto& row) const noexcept {
    return denies_[number_of(row.codes)];
  }

  void on_event(const CheckEvent& event) override {
    if (!denies(event.verdict)) return;
    any_ = true;
    denies_[number_of(event.codes)] = true;
  }

 private:
  bool any_ = false;
  std::array<bool, row_count> denies_{};
};

using schedpol::detail::Budget;

/// One of the two.
struct Side {
  EffectivePolicy policy{};
  const Options* options = nullptr;

  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return policy.spec(); }
  [[nodiscard]] ExemptItems exempt() const noexcept { return ExemptItems(*options); }

  /// Tells what `admit` finds in a pod; nothing where `check` clears it. There is a policy that decides.
  void run_on(const PodSpec& spec, CheckListener& listener) const {
    const auto& checks = EffectivePolicyAccess::of(policy).checks;
    const Pod pod = apply_defaults({.spec = spec}, policy, *options).pod;
    const EffectivePod effective_pod(pod, *options, this->spec().defaults);
    checks.run(effective_pod, listener, checks.clear_rows(effective_pod));
  }
  /// Whether `admit` allows it.
  [[nodiscard]] bool allows(const PodSpec& spec) const {
    if (!EffectivePolicyAccess::of(policy).decides) return false;
    DenyingRows rows;
    run_on(spec, rows);
    return !rows.any();
  }

  /// With nothing but what `pick(from, to)` takes over from the spec, and any scheduler, which every
  /// pod has.
  template <class Pick>
  [[nodiscard]] Side reduced(Pick&& pick) const {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    pick(policy.spec(), spec);
    // What is not governed is denied for what is required alone.
    for_each_section_field([&](const auto& row) {
      if (!options->governs.contain(row.component)) spec.allowed.*row.rules = any;
    });
    return {EffectivePolicy(std::move(spec), policy.policies(), {}), options};
  }
};

/// The components, as what a spec says of each: of a field as a whole.
template <class Field>
constexpr auto pick(const Field& field) {
  return [&field](const SchedulingPolicySpec& from, SchedulingPolicySpec& to) {
    to.allowed.*field.rules = from.allowed.*field.rules;
    if constexpr (!is_allowed_field<Field>) {
      to.required.*field.rules = from.required.*field.rules;
      to.defaults.*field.member = from.defaults.*field.member;
    }
  };
}

/// Whether a side allows a pod that has this value of a key, or none, where it is null, and is given
/// these pairs; its other keys are another matter.
inline bool allows_value(const Side& side, const NodeSelectorField& row, const std::string& key,
                         const std::string* value, const std::optional<Labels>& given) {
  if (value == nullptr) value = find_label(side.options->added_to_pods.node_selector, key);
  if (value == nullptr && given) value = find_label(*given, key);
  const bool is_exempt = value != nullptr && (side.exempt().contain(key, *value) ||
                                              !side.options->governs.contain(row.component));
  return EffectivePolicyAccess::of(side.policy).checks.of(row).allows(key, value, is_exempt);
}

/// What is required and given of one key of the node selector. What else is permitted of it meets no
/// requirement.
inline auto pick_key(const NodeSelectorField& row, std::string_view key) {
  return [&row, key](const SchedulingPolicySpec& from, SchedulingPolicySpec& to) {
    const NodeSelectors& required = (from.required.*row.rules).listed();
    if (const auto found = required.find(key); found != required.end())
      (to.required.*row.rules).list().insert(*found);
    if (!(from.defaults.*row.member)) return;
    const std::string* value = find_label(*(from.defaults.*row.member), key);
    if (value != nullptr) (to.defaults.*row.member).emplace().emplace(key, *value);
  };
}

/// One kind of affinity.
template <class Kind, class Rule>
auto pick_kind(const AffinityKind<Kind, Rule>& kind) {
  return [&kind](const SchedulingPolicySpec& from, SchedulingPolicySpec& to) {
    for (const auto section : {&SchedulingPolicySpec::required, &SchedulingPolicySpec::allowed}) {
      const AnyOr<AffinityRules>& rules = (from.*section).affinities;
      if (rules.is_any()) (to.*section).affinities = any;
      if (rules.is_listed())
        (to.*section).affinities.list().*kind.rules = rules.listed().*kind.rules;
    }
    if (from.defaults.affinity)
      to.defaults.affinity.emplace().*kind.member = (*from.defaults.affinity).*kind.member;
  };
}

/// The same, where any node selector and the other kinds may stand in the pod.
template <class Kind, class Rule>
auto pick_kind_beside_others(const AffinityKind<Kind, Rule>& kind) {
  return [&kind](const SchedulingPolicySpec& from, SchedulingPolicySpec& to) {
    pick_kind(kind)(from, to);
    to.allowed.node_selectors = any;
    to.defaults.node_selector = from.defaults.node_selector;
    if (to.allowed.affinities.is_any()) return;
    AffinityRules& rules = to.allowed.affinities.list();
    const auto permit = [&](const auto& other) {
      if (other.field != kind.field) rules.*other.rules = any;
    };
    for_each_kind(permit);
  };
}

/// First `before`, then `after`.
using Sides = std::array<Side, 2>;

/// Steps of a check of pods by one side, at most: it holds each part of a pod against the patterns of one
/// key, of which several take one step, and against each that is required.
class CheckSteps {
 public:
  explicit CheckSteps(const Side& side)
      : required_(required_patterns(side.spec().required)),
        defaults_(entries_of(side.spec().defaults)),
        exempt_(side.exempt()) {
    const auto& checks = EffectivePolicyAccess::of(side.policy).checks;
    const auto& node = checks.of(affinity_field).of(node_affinity_kind);
    of_toleration_ += checks.of(tolerations_field).patterns().most_of_key() / 4;
    of_expression_ += std::max(node.required_mode_rule().most_of_key(),
                               node.preferred_mode_rule().most_of_key()) /
                      4;
  }

  /// Of one toleration, against the patterns of its key.
  [[nodiscard]] std::size_t of_toleration() const noexcept { return of_toleration_; }
  [[nodiscard]] std::size_t of(const PodSpec& spec) const {
    const std::size_t steps = 30 + required_ + parts_of(spec) * (8 + required_) +
                              spec.tolerations.size() * of_toleration_ +
                              parts_of(spec.affinity) * of_expression_;
    const bool is_default_kept_away = schedpol::detail::any_of(
        spec.tolerations, [&](const Toleration& each) { return !exempt_.contain(each); });
    // Of what is given each has a text made of it.
    return is_default_kept_away ? steps : steps + defaults_ * (50 + required_);
  }

 private:
  std::size_t required_;
  std::size_t defaults_;
  ExemptItems exempt_;
  std::size_t of_toleration_ = 1;
  std::size_t of_expression_ = 1;
};

/// What was found of one component: something that a side allows, and something that it alone does.
class FoundParts {
 public:
  /// What the two sides say of a part of a pod.
  void note(const PodSpec& spec, bool before, bool after) {
    if (before && !any_[0]) any_[0] = spec;
    if (after && !any_[1]) any_[1] = spec;
    if (before && !after && !alone_[0]) alone_[0] = spec;
    if (after && !before && !alone_[1]) alone_[1] = spec;
  }

  [[nodiscard]] const std::optional<PodSpec>& any(std::size_t side) const { return any_[side]; }
  [[nodiscard]] const std::optional<PodSpec>& alone(std::size_t side) const { return alone_[side]; }

 private:
  std::array<std::optional<PodSpec>, 2> any_{};
  std::array<std::optional<PodSpec>, 2> alone_{};
};

/// Two sides that are reduced to one component, and what was found of it.
class Component {
 public:
  Component(const Sides& sides, Budget& budget)
      : sides_(sides), steps_{CheckSteps(sides[0]), CheckSteps(sides[1])}, budget_(budget) {}

  void attempt(const PodSpec& spec) {
    if (budget_.spend(steps_[0].of(spec) + steps_[1].of(spec)))
      found_.note(spec, sides_[0].allows(spec), sides_[1].allows(spec));
  }

  [[nodiscard]] const FoundParts& found() const noexcept { return found_; }

 private:
  const Sides& sides_;
  std::array<CheckSteps, 2> steps_;
  Budget& budget_;
  FoundParts found_;
};

/// Texts that the two sides list, and one that neither does.
class ListedTexts {
 public:
  void add(std::string_view text) { texts_.insert(text); }
  void add(const Texts& texts) { texts_.insert(texts.begin(), texts.end()); }

  [[nodiscard]] const std::set<std::string_view>& all() const noexcept { return texts_; }
  [[nodiscard]] std::string other(const std::string& name = "other") const {
    return schedpol::detail::fresh_name(name, texts_);
  }

 private:
  std::set<std::string_view> texts_;
};

/// Of texts that stand in the same lists, the first for all of them; the empty one is like no other.
class EquivalenceClasses {
 public:
  /// The lists outlive this object.
  void add(const Texts& list) {
    for (const std::string& text : list) {
      std::vector<std::size_t>& lists = texts_[text].lists;
      if (lists.empty() || lists.back() != count_) lists.push_back(count_);
    }
    ++count_;
  }

  /// Of one of the lists, in byte order. Once this is asked, no list is added.
  [[nodiscard]] std::vector<std::string_view> of(const Texts& list) {
    group();
    std::set<std::string_view> distinct;
    for (const std::string& text : list) distinct.insert(texts_.at(text).first);
    return {distinct.begin(), distinct.end()};
  }
  /// The same; of any one that nobody lists.
  [[nodiscard]] std::vector<std::string_view> of(const AnyOr<Texts>& list,
                                                 const std::string& other) {
    if (list.is_any()) return {other};
    return of(list.listed());
  }
  [[nodiscard]] std::string other() const {
    std::set<std::string_view> listed;
    for (const auto& [text, of] : texts_) listed.insert(text);
    return schedpol::detail::fresh_name("other", listed);
  }

 private:
  struct Listed {
    std::vector<std::size_t> lists{};  ///< until they are grouped
    std::string_view first{};
  };

  void group() {
    if (std::exchange(is_grouped_, true)) return;
    std::map<std::vector<std::size_t>, std::string_view> firsts;
    for (auto& [text, of] : texts_)
      of.first = text.empty() ? text : firsts.try_emplace(std::move(of.lists), text).first->second;
  }

  std::map<std::string_view, Listed> texts_;
  std::size_t count_ = 0;
  bool is_grouped_ = false;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/node_affinity_probes.hpp

/// What two policies tell apart in one mode of node affinity.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

constexpr std::string_view mode_name(bool required) noexcept {
  return required ? required_mode : preferred_mode;
}

/// What a side says of one mode, whatever its default gives.
template <class Kind, class Rule>
const auto& rule_of(const Side& side, const AffinityKind<Kind, Rule>& kind, bool required) {
  const auto& check = EffectivePolicyAccess::of(side.policy).checks.of(affinity_field).of(kind);
  return required ? check.required_mode_rule() : check.preferred_mode_rule();
}

/// Expressions with every operator. What they differ in besides stands once.
class Expressions {
 public:
  static constexpr std::array operators = {
      NodeSelectorOperator::in,     NodeSelectorOperator::not_in,
      NodeSelectorOperator::exists, NodeSelectorOperator::does_not_exist,
      NodeSelectorOperator::gt,     NodeSelectorOperator::lt};

  void add(NodeSelectorRequirement of_every_operator) {
    all_.push_back(std::move(of_every_operator));
  }
  [[nodiscard]] std::size_t size() const noexcept { return all_.size() * operators.size(); }

  /// Valid until the next is asked for.
  [[nodiscard]] const NodeSelectorRequirement& at(std::size_t i) {
    NodeSelectorRequirement& expression = all_[i / operators.size()];
    expression.operator_ = operators[i % operators.size()];
    return expression;
  }

 private:
  std::vector<NodeSelectorRequirement> all_;
};

/// The lists of terms to try in one mode of node affinity.
class NodeAffinityProbes {
 public:
  using Terms = std::vector<NodeSelectorTerm>;
  using List = std::vector<NodeSelectorRequirement> NodeSelectorTerm::*;

  NodeAffinityProbes(const Sides& sides, bool is_required, Budget& budget)
      : sides_(sides), is_required_(is_required), budget_(budget) {
    for (const List list : lists) collect(list);
  }

  /// Those that make up the smallest lists come first.
  [[nodiscard]] std::vector<Terms> run() {
    std::vector<Terms> all = {{}};
    for (std::size_t side = 0; side < 2; ++side)
      if (const auto least = term_holding(required(side), side)) all.push_back({*least});
    for (std::size_t side = 0; side < 2; ++side) add_from(side, all);
    return all;
  }

  [[nodiscard]] const std::vector<TermPattern>& required(std::size_t side) const {
    return terms_in(sides_[side].spec().required);
  }

  /// Terms without the expressions that a side does not permit.
  [[nodiscard]] Terms permitted(const Terms& terms, std::size_t side) const {
    Terms kept = terms;
    for (const List list : lists)
      for (NodeSelectorTerm& term : kept)
        schedpol::detail::erase_if(term.*list,
                                   [&](const auto& part) { return !permits(part, list, side); });
    return kept;
  }

  /// What a term must not hold: an expression in the list that a pattern matches, or any.
  struct Avoided {
    List list;
    std::optional<Pattern> pattern{};
  };
  static std::vector<Avoided> parts_of(const TermPattern& required) {
    std::vector<Avoided> parts;
    for (const List list : lists) {
      const auto& patterns = patterns_of(required, list);
      if (patterns.is_any()) parts.push_back({list});
      for (const RequirementPattern& pattern : patterns.listed())
        parts.push_back({list, Pattern(pattern)});
    }
    return parts;
  }

  /// A term with as little more than `term` in it as holds all that is required, which the side
  /// permits, where there is one.
  [[nodiscard]] std::optional<NodeSelectorTerm> term_holding(
      const std::vector<TermPattern>& all_required, std::size_t side,
      const Avoided* avoided = nullptr, NodeSelectorTerm term = {}) {
    for (const TermPattern& required : all_required) {
      if (!budget_.spend(10 * entries_of(required))) return std::nullopt;
      const std::vector<Avoided> parts = parts_of(required);
      if (parts.empty()) return std::nullopt;  // it is never satisfied
      for (const Avoided& part : parts) {
        if (!budget_.spend(1 + (term.*part.list).size())) return std::nullopt;
        const NodeSelectorRequirement* found = nullptr;
        Expressions& expressions = parts_[which(part.list)];
        const bool avoid = avoided != nullptr && avoided->list == part.list;
        if (avoid && !avoided->pattern) return std::nullopt;
        const auto holds = [&](const NodeSelectorRequirement& expression) {
          return !part.pattern || part.pattern->matches(expression);
        };
        if (schedpol::detail::any_of(term.*part.list, holds)) continue;
        for (std::size_t i = 0; i < expressions.size() && found == nullptr; ++i) {
          if (!budget_.spend(1 + expressions.at(i).values.size())) return std::nullopt;
          if (!permitted_[side][which(part.list)][i]) continue;
          const NodeSelectorRequirement& expression = expressions.at(i);
          if (!holds(expression) || (avoid && avoided->pattern->matches(expression))) continue;
          found = &expression;
        }
        if (found == nullptr) return std::nullopt;
        (term.*part.list).push_back(*found);
      }
    }
    return term;
  }

 private:
  static constexpr std::array<List, 2> lists = {&NodeSelectorTerm::match_expressions,
                                                &NodeSelectorTerm::match_fields};

  static std::size_t which(List list) noexcept { return list == lists[0] ? 0 : 1; }
  static const AnyOr<std::vector<RequirementPattern>>& patterns_of(const TermPattern& term,
                                                                   List list) noexcept {
    return list == lists[0] ? term.match_expressions : term.match_fields;
  }

  [[nodiscard]] const std::vector<TermPattern>& terms_in(const PolicySection& section) const {
    return listed_in(section, node_affinity_kind, mode_name(is_required_)).node_selector_terms;
  }

  /// Of the expressions that the patterns of both sides tell apart, one each. What has all values
  /// that a pattern lists is permitted by no more patterns than what has some.
  void collect(List list) {
    const RequirementPattern anything{any, any, any};
    std::vector<const RequirementPattern*> patterns = {&anything};
    EquivalenceClasses keys;
    ListedTexts values;
    const std::vector<NodeSelectorRequirement> exempt = exempt_expressions(list);
    std::deque<Texts> exempt_keys;
    for (const NodeSelectorRequirement& expression : exempt)
      keys.add(exempt_keys.emplace_back(Texts{expression.key}));
    for (const Side& side : sides_) {
      if (&side != &sides_[0] && &side.spec() == &sides_[0].spec()) continue;
      for (const PolicySection* section : {&side.spec().required, &side.spec().allowed})
        for (const TermPattern& term : terms_in(*section))
          for (const RequirementPattern& pattern : patterns_of(term, list).listed())
            patterns.push_back(&pattern);
    }
    for (const RequirementPattern* pattern : patterns) {
      keys.add(pattern->keys.listed());
      values.add(pattern->values.listed());
    }
    Expressions& all = parts_[which(list)];
    const std::string other_key = keys.other();
    const std::string other_value = values.other();
    for (const RequirementPattern* pattern : patterns) {
      Texts with_values = pattern->values.listed();
      if (pattern->values.is_any()) with_values = {other_value};
      for (const std::string_view key : keys.of(pattern->keys, other_key)) {
        if (!budget_.spend(Expressions::operators.size() * (8 + with_values.size())) ||
            !budget_.keep(3 * (sizeof(NodeSelectorRequirement) + key.size()) +
                          2 * sizeof(std::string) * with_values.size()))
          return;
        if (!with_values.empty()) all.add({std::string(key), {}, with_values});
        all.add({std::string(key), {}, {}});
        if (with_values.empty() || exempt.empty()) continue;
        // The same values in a list that is exempt nowhere.
        Texts repeated = with_values;
        while (schedpol::detail::any_of(exempt,
                                        [&](const auto& each) { return each.values == repeated; }))
          repeated.push_back(repeated.front());
        all.add({std::string(key), {}, std::move(repeated)});
      }
    }
    for (auto& of_side : permitted_) of_side[which(list)].resize(all.size());
    for (std::size_t side = 0; side < 2; ++side) {
      std::vector<bool>& permitted = permitted_[side][which(list)];
      // Each value is held against each pattern of its key.
      const std::size_t of_key =
          1 + rule_of(sides_[side], node_affinity_kind, is_required_).most_of_key() / 4;
      for (std::size_t i = 0; i < all.size(); ++i) {
        const NodeSelectorRequirement& expression = all.at(i);
        if (!budget_.spend(of_key * (1 + expression.values.size()))) return;
        permitted[i] = permits(expression, list, side);
      }
    }
  }

  /// Of the required mode, where they are exempt by themselves.
  [[nodiscard]] std::vector<NodeSelectorRequirement> exempt_expressions(List list) const {
    std::vector<NodeSelectorRequirement> all;
    if (!is_required_) return all;
    for (const Side& side : sides_)
      for_each_exempt_terms(*side.options, &Affinity::node_affinity, [&](const NodeTerms& terms) {
        for (const NodeSelectorTerm& term : terms.required)
          schedpol::detail::append(all, term.*list);
      });
    return all;
  }

  [[nodiscard]] bool permits(const NodeSelectorRequirement& expression, List list,
                             std::size_t side) const {
    const Side& of = sides_[side];
    return rule_of(of, node_affinity_kind, is_required_).permits(expression, list) ||
           (is_required_ && of.exempt().of(&Affinity::node_affinity).contain(expression, list));
  }

  void add_from(std::size_t side, std::vector<Terms>& all) {
    const auto& here = required(side);
    const auto least = term_holding(here, side);
    if (!least) return;
    all.push_back({*least, *least});
    all.push_back({*least, {}});
    for (const List list : lists) {
      const std::vector<bool>& permitted = permitted_[side][which(list)];
      const std::vector<bool>& there = permitted_[1 - side][which(list)];
      for (std::size_t i = 0; i < permitted.size(); ++i) {
        if (!permitted[i] || there[i]) continue;
        NodeSelectorTerm term = *least;
        (term.*list).push_back(parts_[which(list)].at(i));
        all.push_back({term});
        all.push_back({term, term});
        break;
      }
    }
    for (const TermPattern& avoided : required(1 - side)) add_without(here, side, avoided, all);
  }

  /// Terms that do not hold what is required over there: one that holds all that is required here,
  /// or one for each.
  void add_without(const std::vector<TermPattern>& here, std::size_t side,
                   const TermPattern& avoided, std::vector<Terms>& all) {
    const std::vector<Avoided> parts = parts_of(avoided);
    for (const Avoided& part : parts)
      if (auto term = term_holding(here, side, &part)) all.push_back({*std::move(term)});
    Terms terms;
    for (const TermPattern& required : here) {
      std::optional<NodeSelectorTerm> term;
      for (std::size_t i = 0; i < parts.size() && !term; ++i)
        term = term_holding({required}, side, &parts[i]);
      if (!term) return;
      terms.push_back(*std::move(term));
    }
    if (terms.size() > 1) all.push_back(std::move(terms));
  }

  const Sides& sides_;
  bool is_required_;
  Budget& budget_;
  std::array<Expressions, 2> parts_;                           ///< of each list
  std::array<std::array<std::vector<bool>, 2>, 2> permitted_;  ///< by each side, of each list
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/compare_affinity.hpp

/// The affinities of one kind on which two policies differ, if they do. Finitely many are tried. Why they
/// suffice, where one side (here) is to allow a list of terms that the other (there) denies:
///
/// 1. Parts of terms. A part is an expression of node affinity or the topology key of another kind. A
///    pattern of expressions asks of the key and the operator whether its list has it, and of the values
///    whether it has them all. So keys that stand in the same lists are alike, one that nobody lists
///    stands for any, and all values of a pattern at once stand for some of them: no pattern matches
///    these that does not match each of those. Tried are, for each pattern, a key of each class with all
///    its values and with none, and every operator. As with tolerations, where a pattern matches what
///    certain others do not match, it also matches a part that is tried and that these do not match.
/// 2. Lists of one mode. A term holds what is required where each pattern of that matches one of its parts.
///    Either one term has to hold it, or every term. A part more in a term takes that from no term. Let
///    a list be allowed here, and not there.
///    a. A part is not permitted there. One that is tried is permitted here alone. It is put into the
///       least term that holds all that is required here.
///    b. What a pattern there asks for is in no part of some term, or of any. The least term is tried
///       that holds all that is required here by parts which that pattern does not match; and, where a
///       term is enough for each requirement, one such term for each (`add_without`).
///    c. A list may be what a default gives, which is permitted as it stands: the default itself is
///       tried, and the same term twice, which it is not.
/// 3. Both modes. They are independent but for a kind that is required in whichever mode, and for the
///    default of a mode, which is given where the pod has none of that. So it matters of the other
///    mode whether it has a term, which one side allows or not, and whether it is what a default gives.
///    Lists of each sort come first (`compared_lists_beside`).
/// 4. What is exempt is permitted wherever it stands, and may meet what is required. It is added to each
///    sort of list, item by item and all at once (`compared_lists_with_exempt`): more of it never harms,
///    and one item alone tells where the other side would meet by it what it requires. Beside what is
///    given no list needs it to meet what is required, because that is permitted anyway.
///
/// What 3 and 4 leave out, and pairs of the node selector that meet a requirement, `core/limits.hpp` says;
/// so whatever is found is confirmed by `admit`, and where the parts do not confirm each other there is no
/// answer rather than a wrong one.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The lists of terms to try in one mode of node affinity.
inline std::vector<std::vector<NodeSelectorTerm>> compared_terms(
    const Sides& sides, const AffinityKind<NodeAffinity, NodeAffinityRule>&, bool is_required,
    Budget& budget) {
  return NodeAffinityProbes(sides, is_required, budget).run();
}

/// The lists of terms to try in one mode of pod affinity or anti-affinity.
inline std::vector<std::vector<PodAffinityTerm>> compared_terms(
    const Sides& sides, const AffinityKind<PodAffinity, PodAffinityRule>& kind, bool is_required,
    Budget& budget) {
  const auto keys_of = [&](const PolicySection& section) -> const Texts& {
    return listed_in(section, kind, mode_name(is_required)).topology_keys;
  };
  ListedTexts named;
  ListedTexts namespaces;
  for (const Side& side : sides) {
    for (const PolicySection* section : {&side.spec().required, &side.spec().allowed})
      named.add(keys_of(*section));
    for_each_exempt_terms(*side.options, kind.member, [&](const PodTerms& exempt) {
      for (const PodAffinityTerm& term : exempt.required) {
        namespaces.add("");
        namespaces.add(term.namespaces);
      }
    });
  }
  // None of them is exempt.
  PodAffinityTerm unexempt;
  if (!namespaces.all().empty()) unexempt.namespaces.push_back(namespaces.other());
  std::vector<PodAffinityTerm> terms;
  const auto add_key = [&](std::string key) {
    terms.push_back(unexempt);
    terms.back().topology_key = std::move(key);
  };
  add_key(named.other());
  for (const std::string_view key : named.all()) add_key(std::string(key));
  if (!budget.spend(20 * terms.size())) return {};
  const auto permits = [&](std::size_t side, const PodAffinityTerm& term) {
    return rule_of(sides[side], kind, is_required).permits(term.topology_key);
  };
  std::vector<std::vector<PodAffinityTerm>> all = {{}};
  for (std::size_t side = 0; side < 2; ++side) {
    const schedpol::detail::TextSet required_here(keys_of(sides[side].spec().required));
    const schedpol::detail::TextSet required_there(keys_of(sides[1 - side].spec().required));
    const bool asks = !keys_of(sides[side].spec().required).empty();
    const auto meets = [&](const PodAffinityTerm& term) {
      return permits(side, term) && (!asks || required_here.contains(term.topology_key));
    };
    auto meeting = std::find_if(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
      return meets(term) && !required_there.contains(term.topology_key);
    });
    if (meeting == terms.end()) meeting = std::find_if(terms.begin(), terms.end(), meets);
    if (meeting == terms.end()) continue;
    all.push_back({*meeting});
    const auto more = std::find_if(terms.begin(), terms.end(), [&](const PodAffinityTerm& term) {
      return permits(side, term) && !permits(1 - side, term);
    });
    if (more == terms.end()) continue;
    all.push_back({*meeting, *more});
    all.push_back({*meeting, *more, *more});  // which is not what is given
  }
  return all;
}

inline void set_required(NodeAffinity& kind, std::vector<NodeSelectorTerm> terms) {
  if (!terms.empty())
    kind.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
}
inline void set_required(PodAffinity& kind, std::vector<PodAffinityTerm> terms) {
  kind.required_during_scheduling_ignored_during_execution = std::move(terms);
}

/// What the default of a side that is reduced to one kind gives, and where its required terms are given
/// as one term, that.
template <class Kind>
std::vector<Kind> injected_by(const Side& side, std::optional<Kind> Affinity::*member) {
  const std::optional<Affinity>& defaults = side.spec().defaults.affinity;
  if (!defaults) return {};
  std::vector<Kind> all(1, *((*defaults).*member));
  if constexpr (std::is_same_v<Kind, NodeAffinity>) {
    const auto& affinity = EffectivePolicyAccess::of(side.policy).checks.of(affinity_field);
    const auto& joined = affinity.of(node_affinity_kind).joined_default_terms();
    if (joined.empty()) return all;
    all.push_back(all.front());
    set_required(all.back(), joined);
  }
  return all;
}

using schedpol::detail::append;

/// What is exempt by itself of a required term.
inline std::vector<NodeSelectorTerm> exempt_parts(const NodeSelectorTerm& term) {
  std::vector<NodeSelectorTerm> parts;
  if (is_empty(term)) parts.emplace_back();
  for (const NodeSelectorRequirement& each : term.match_expressions) parts.push_back({{each}, {}});
  for (const NodeSelectorRequirement& each : term.match_fields) parts.push_back({{}, {each}});
  return parts;
}
inline std::vector<PodAffinityTerm> exempt_parts(const PodAffinityTerm& term) {
  return {term};
}

/// Adds what is exempt to a list of terms: an expression to each required one.
inline void add_exempt(NodeAffinity& kind, const NodeAffinity& exempt) {
  append(kind.preferred_during_scheduling_ignored_during_execution,
         exempt.preferred_during_scheduling_ignored_during_execution);
  for (const NodeSelectorTerm& more : terms_of(exempt).required) {
    auto& selector = kind.required_during_scheduling_ignored_during_execution;
    if (!selector) selector.emplace();
    std::vector<NodeSelectorTerm>& terms = selector->node_selector_terms;
    if (terms.empty() || is_empty(more)) terms.emplace_back();
    for (NodeSelectorTerm& term : terms) {
      append(term.match_expressions, more.match_expressions);
      append(term.match_fields, more.match_fields);
    }
  }
}
inline void add_exempt(PodAffinity& kind, const PodAffinity& exempt) {
  append(kind.required_during_scheduling_ignored_during_execution,
         exempt.required_during_scheduling_ignored_during_execution);
  append(kind.preferred_during_scheduling_ignored_during_execution,
         exempt.preferred_during_scheduling_ignored_during_execution);
}

/// What a side exempts in one mode of a kind, item by item, and all of it: beside what is given all
/// of it may meet what is required.
template <class Kind>
std::vector<Kind> exempt_in(const Side& side, std::optional<Kind> Affinity::*member,
                            bool required) {
  std::vector<Kind> items;
  for_each_exempt_terms(*side.options, member, [&](const auto& exempt) {
    if (required) {
      for (const auto& term : exempt.required)
        for (const auto& part : exempt_parts(term)) set_required(items.emplace_back(), {part});
    } else {
      for (const auto& term : exempt.preferred)
        items.emplace_back().preferred_during_scheduling_ignored_during_execution = {term};
    }
  });
  Kind all;
  for (const Kind& item : items) add_exempt(all, item);
  if (items.size() > 1) items.push_back(std::move(all));
  return items;
}

/// A weight that no exempt term has.
template <class Kind>
std::int32_t unexempt_weight(const Sides& sides, std::optional<Kind> Affinity::*member) {
  std::set<std::int32_t> weights;
  for (const Side& side : sides)
    for_each_exempt_terms(*side.options, member, [&](const auto& exempt) {
      for (const auto& term : exempt.preferred) weights.insert(term.weight);
    });
  std::int32_t weight = 1;
  while (weights.contains(weight)) ++weight;
  return weight;
}

/// A pod with the required terms of one list and the preferred ones of another.
template <class Kind>
PodSpec spec_with(std::optional<Kind> Affinity::*member, const Kind& required,
                  const Kind& preferred) {
  std::optional<Kind> both = required;
  both->preferred_during_scheduling_ignored_during_execution =
      preferred.preferred_during_scheduling_ignored_during_execution;
  PodSpec spec;
  if (has_terms(both)) spec.affinity.emplace().*member = std::move(both);
  return spec;
}

template <class Kind, class Rule>
void compare_affinity(const AffinityKind<Kind, Rule>& kind, const Sides& sides, Budget& budget,
                      Component& component) {
  const std::int32_t weight = unexempt_weight(sides, kind.member);
  std::vector<Kind> required;
  std::vector<Kind> preferred;
  // What stands beside the lists of the other mode.
  std::vector<Kind> few_required;
  std::vector<Kind> few_preferred;
  for (const bool is_required : {true, false}) {
    std::vector<Kind>& all = is_required ? required : preferred;
    for (auto& terms : compared_terms(sides, kind, is_required, budget)) {
      Kind& list = all.emplace_back();
      if (is_required) {
        set_required(list, std::move(terms));
        continue;
      }
      for (auto& term : terms)
        list.preferred_during_scheduling_ignored_during_execution.push_back(
            {weight, std::move(term)});
    }
    const auto first = [&](std::size_t most) {
      return std::vector<Kind>(
          all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), most)));
    };
    std::vector<Kind>& few = is_required ? few_required : few_preferred;
    few = first(compared_lists_beside);
    std::vector<Kind> bases = first(compared_lists_with_exempt);
    for (const Side& side : sides) {
      for (const Kind& injected : injected_by(side, kind.member)) {
        few.push_back(injected);
        bases.push_back(injected);
      }
    }
    for (const Side& side : sides) {
      for (const Kind& exempt : exempt_in(side, kind.member, is_required)) {
        const std::size_t parts = bases.size() * entries_of(exempt);
        if (!budget.spend(20 * parts) || !budget.keep(sizeof(Kind) * parts)) return;
        for (const Kind& base : bases) add_exempt(all.emplace_back(base), exempt);
      }
    }
  }
  const auto attempt = [&](const Kind& with_required, const Kind& with_preferred) {
    if (!budget.used_up()) component.attempt(spec_with(kind.member, with_required, with_preferred));
  };
  for (const Kind& one : required)
    for (const Kind& other : few_preferred) attempt(one, other);
  for (const Kind& one : preferred)
    for (const Kind& other : few_required) attempt(other, one);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/list_edits.hpp

/// The fewest edits that make one list another: one adds, removes or replaces an item. And the terms
/// of a default in place of those that a pod has, but for what is exempt: that stays.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// What stands in the list as it came, and what will stand in its place; absent: nothing. `at` is
/// the index of what is added in the new list, and of all else that in the old one.
template <class T>
struct ListChange {
  std::size_t at = 0;
  std::optional<T> from{};
  std::optional<T> to{};
};

/// In the order of the list. What both lists begin and end with costs nothing; the rest is compared
/// each with each. None once the budget is used up.
template <class T>
std::vector<ListChange<T>> edits_between(const std::vector<T>& from, const std::vector<T>& to,
                                         Budget& budget) {
  std::size_t begin = 0;
  while (begin < std::min(from.size(), to.size()) && from[begin] == to[begin]) ++begin;
  std::size_t end = 0;
  while (end < std::min(from.size(), to.size()) - begin &&
         from[from.size() - 1 - end] == to[to.size() - 1 - end])
    ++end;
  const std::size_t rows = from.size() - begin - end;
  const std::size_t columns = to.size() - begin - end;
  const std::size_t cells = (rows + 1) * (columns + 1);
  if (!budget.spend(2 * cells) || !budget.keep(sizeof(std::uint32_t) * cells)) return {};
  // The edits from there on.
  std::vector<std::uint32_t> left(cells);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return left[i * (columns + 1) + j];
  };
  for (std::size_t i = rows + 1; i-- > 0;) {
    for (std::size_t j = columns + 1; j-- > 0;) {
      if (i == rows || j == columns) {
        at(i, j) = static_cast<std::uint32_t>(rows - i + columns - j);
      } else if (from[begin + i] == to[begin + j]) {
        at(i, j) = at(i + 1, j + 1);
      } else {
        at(i, j) = 1 + std::min({at(i + 1, j + 1), at(i + 1, j), at(i, j + 1)});
      }
    }
  }
  std::vector<ListChange<T>> edits;
  for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
    const std::size_t here = begin + i;
    if (i < rows && j < columns && from[here] == to[begin + j]) {
      ++i;
      ++j;
    } else if (i < rows && at(i, j) == 1 + at(i + 1, j)) {
      edits.push_back({here, from[here], std::nullopt});
      ++i;
    } else if (i < rows && at(i, j) == 1 + at(i + 1, j + 1)) {
      edits.push_back({here, from[here], to[begin + j]});
      ++i;
      ++j;
    } else {
      edits.push_back({begin + j, std::nullopt, to[begin + j]});
      ++j;
    }
  }
  return edits;
}

/// A term without the parts that are neither exempt nor in another one.
inline NodeSelectorTerm exempt_or_in(const NodeSelectorTerm& other, NodeSelectorTerm term,
                                     const ExemptTerms<NodeAffinity>& exempt) {
  for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
    schedpol::detail::erase_if(term.*list, [&](const NodeSelectorRequirement& each) {
      return !exempt.contain(each, list) && !schedpol::detail::contains(other.*list, each);
    });
  return term;
}

/// All parts of some terms.
inline NodeSelectorTerm all_parts(const std::vector<NodeSelectorTerm>& terms) {
  NodeSelectorTerm all;
  for (const NodeSelectorTerm& term : terms)
    for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
      schedpol::detail::append(all.*list, std::vector(term.*list));
  return all;
}

/// The given terms in any order, each as often as may be and with exempt parts in it, and terms that
/// are exempt. A term stays where it is one of these and `is_held`; in the place of
/// each other one comes a given one that is missing, if any does, and what is exempt in it stays.
template <class IsHeld>
std::vector<NodeSelectorTerm> node_terms_beside_exempt(
    const std::vector<NodeSelectorTerm>& terms, const std::vector<NodeSelectorTerm>& injected,
    const ExemptTerms<NodeAffinity>& exempt, Budget& budget, IsHeld&& is_held) {
  // Each is held against each, part by part.
  if (!budget.spend(8 * (parts_of(terms) + parts_of(injected)) * (1 + parts_of(injected))))
    return {};
  const auto is_injected_as = [&](const NodeSelectorTerm& term, const NodeSelectorTerm& each) {
    return holds_all(term, each) && exempt_or_in(each, term, exempt) == term;
  };
  std::vector<const NodeSelectorTerm*> missing;
  for (const NodeSelectorTerm& each : injected) missing.push_back(&each);
  std::vector<std::optional<NodeSelectorTerm>> places(terms.size());
  const auto put = [&](std::size_t i, NodeSelectorTerm term) {
    schedpol::detail::erase_if(missing,
                               [&](const auto* each) { return is_injected_as(term, *each); });
    places[i] = std::move(term);
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const bool is_any = schedpol::detail::any_of(
        injected, [&](const auto& each) { return is_injected_as(terms[i], each); });
    if ((is_any || exempt.contain(terms[i])) && is_held(terms[i])) put(i, terms[i]);
  }
  // What is missing may be a part of a term.
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto part = std::find_if(missing.begin(), missing.end(), [&](const auto* each) {
      return !places[i] && holds_all(terms[i], *each);
    });
    if (part != missing.end()) put(i, exempt_or_in(**part, terms[i], exempt));
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (places[i]) continue;
    NodeSelectorTerm rest = exempt_or_in({}, terms[i], exempt);
    if (!missing.empty()) {
      for (const auto list :
           {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
        (rest.*list)
            .insert((rest.*list).begin(), (missing.front()->*list).begin(),
                    (missing.front()->*list).end());
      put(i, std::move(rest));
    } else if (!is_empty(rest) && is_held(rest)) {
      put(i, std::move(rest));
    }
  }
  std::erase(places, std::nullopt);
  while (!missing.empty()) {
    places.emplace_back();
    put(places.size() - 1, *missing.front());
  }
  std::vector<NodeSelectorTerm> list;
  for (auto& term : places) list.push_back(*std::move(term));
  return list;
}

/// What any term meets.
struct NothingRequired {
  template <class Part>
  bool operator()(const Part&) const noexcept {
    return true;
  }
};

/// The given terms in their order and, wherever they stand, those that are exempt; a given one that
/// is exempt may be missing. Of all such lists in which a term `meets` what is required, if anything is,
/// one that takes the fewest edits; none where no list does.
template <class Kind, class Term, class Meets = NothingRequired>
std::vector<Term> injected_beside_exempt(const std::vector<Term>& terms,
                                         const std::vector<Term>& injected,
                                         const ExemptTerms<Kind>& exempt, Budget& budget,
                                         const Meets& meets = {}) {
  struct State {
    std::size_t term = 0;   ///< the next of those that are there
    std::size_t given = 0;  ///< the next of those given
    bool is_met = false;
  };
  const std::size_t cells = 2 * (terms.size() + 1) * (injected.size() + 1);
  std::size_t exempt_terms = 0;
  exempt.for_each(
      [&](const auto& some) { exempt_terms += 1 + some.required.size() + some.preferred.size(); });
  if (!budget.spend(8 * cells + (terms.size() + injected.size()) * exempt_terms) ||
      !budget.keep(sizeof(std::size_t) * cells))
    return {};
  struct Listed {
    const Term* term;
    bool is_exempt;
    bool meets;
  };
  const auto listed = [&](const std::vector<Term>& list) {
    std::vector<Listed> all;
    for (const Term& each : list) all.push_back({&each, exempt.contain(each), meets(each)});
    return all;
  };
  const std::vector<Listed> there = listed(terms);
  const std::vector<Listed> given = listed(injected);
  const Term* exempt_that_meets = nullptr;
  exempt.for_each([&](const auto& some) {
    const auto& of_mode = [&]() -> const std::vector<Term>& {
      if constexpr (std::is_same_v<Term, PodAffinityTerm>) {
        return some.required;
      } else {
        return some.preferred;
      }
    }();
    for (const Term& each : of_mode)
      if (exempt_that_meets == nullptr && meets(each)) exempt_that_meets = &each;
  });
  // Each way on: what it costs, the term that it puts into the list, and where it leads.
  const auto for_each_move = [&](const State& at, auto&& move) {
    const bool has_term = at.term < there.size();
    const bool has_given = at.given < given.size();
    const auto met_by = [&](const Listed& each) { return at.is_met || each.meets; };
    if (has_term) {
      const Listed& term = there[at.term];
      if (term.is_exempt) move(0, term.term, State{at.term + 1, at.given, met_by(term)});
      move(1, nullptr, State{at.term + 1, at.given, at.is_met});
    }
    for (const bool in_place : {true, false}) {
      if (in_place && !has_term) continue;
      const std::size_t next = at.term + (in_place ? 1 : 0);
      if (has_given) {
        const Listed& term = given[at.given];
        const bool stays = in_place && *there[at.term].term == *term.term;
        move(stays ? 0 : 1, term.term, State{next, at.given + 1, met_by(term)});
      }
      if (!at.is_met && exempt_that_meets != nullptr)
        move(1, exempt_that_meets, State{next, at.given, true});
    }
    if (has_given && given[at.given].is_exempt)
      move(0, nullptr, State{at.term, at.given + 1, at.is_met});
  };
  // The edits from a state on; more than any list takes where none meets what is required.
  std::vector<std::size_t> left(cells, cells);
  const auto left_at = [&](const State& at) -> std::size_t& {
    return left[2 * (at.term * (given.size() + 1) + at.given) + (at.is_met ? 1 : 0)];
  };
  const State end{there.size(), given.size(), true};
  left_at(end) = 0;
  for (std::size_t i = there.size() + 1; i-- > 0;)
    for (std::size_t j = given.size() + 1; j-- > 0;)
      for (const bool is_met : {true, false}) {
        const State at{i, j, is_met};
        for_each_move(at, [&](std::size_t edits, const Term*, const State& next) {
          left_at(at) = std::min(left_at(at), edits + left_at(next));
        });
      }
  State at{.is_met = std::is_same_v<Meets, NothingRequired>};
  std::vector<Term> list;
  if (left_at(at) >= cells) return list;
  while (at.term != end.term || at.given != end.given || !at.is_met) {
    const State from = at;
    bool moved = false;
    for_each_move(from, [&](std::size_t edits, const Term* term, const State& next) {
      if (moved || left_at(from) != edits + left_at(next)) return;
      if (term != nullptr) list.push_back(*term);
      at = next;
      moved = true;
    });
  }
  return list;
}

/// Both modes.
template <class IsHeld>
NodeAffinity injected_beside_exempt(const NodeAffinity& old, const NodeAffinity& injected,
                                    const ExemptTerms<NodeAffinity>& exempt, Budget& budget,
                                    IsHeld&& is_held) {
  NodeAffinity kind;
  auto required = node_terms_beside_exempt(terms_of(old).required, terms_of(injected).required,
                                           exempt, budget, is_held);
  if (!required.empty())
    kind.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(required)};
  kind.preferred_during_scheduling_ignored_during_execution =
      injected_beside_exempt(terms_of(old).preferred, terms_of(injected).preferred, exempt, budget);
  return kind;
}
/// `meets(term)` is asked of terms of either mode.
template <class Meets = NothingRequired>
PodAffinity injected_beside_exempt(const PodAffinity& old, const PodAffinity& injected,
                                   const ExemptTerms<PodAffinity>& exempt, Budget& budget,
                                   const Meets& meets = {}) {
  return {injected_beside_exempt(terms_of(old).required, terms_of(injected).required, exempt,
                                 budget, meets),
          injected_beside_exempt(terms_of(old).preferred, terms_of(injected).preferred, exempt,
                                 budget, meets)};
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/fix_affinity.hpp

/// The lists of terms that one mode of a kind of affinity may become, those that keep more of what the
/// pod says first; the nearest of those that are allowed is the fix.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class FixedAffinity {
 public:
  /// Of a policy reduced to the kind, for a pod that is fixed so far.
  FixedAffinity(const Side& side, const PodSpec& spec, Budget& budget)
      : side_(side), spec_(spec), budget_(budget) {}

  /// What a mode of node affinity may become.
  std::vector<NodeAffinity> of_mode(const AffinityKind<NodeAffinity, NodeAffinityRule>& kind,
                                    const NodeAffinity& old, bool is_required) {
    const Sides sides = {side_, side_};
    std::vector<NodeAffinity> kinds;
    const auto terms = terms_of(old);
    std::vector<NodeSelectorTerm> parts;
    if (is_required) parts = terms.required;
    if (!is_required)
      for (const PreferredSchedulingTerm& term : terms.preferred) parts.push_back(term.preference);
    NodeAffinityProbes rule(sides, is_required, budget_);
    const auto& required = rule.required(0);
    const bool every = is_required && !required.empty() &&
                       side_.options->required_affinity != RequiredAffinity::present;
    std::vector<std::optional<NodeSelectorTerm>> permitted;
    std::vector<std::optional<NodeSelectorTerm>> holding;
    const ExemptTerms<NodeAffinity> exempt = side_.exempt().of(kind.member);
    const std::vector<NodeSelectorTerm> all_permitted = rule.permitted(parts, 0);
    const auto& rule_of_mode = rule_of(side_, kind, is_required);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const NodeSelectorTerm& term = parts[i];
      const bool is_exempt =
          is_required ? exempt.contain(term) : exempt.contain(terms.preferred[i]);
      const NodeSelectorTerm& kept = is_exempt ? term : all_permitted[i];
      const bool gone =
          is_empty(kept) && !(is_empty(term) && (is_exempt || rule_of_mode.mentioned));
      permitted.push_back(gone ? std::nullopt : std::optional(kept));
      holding.push_back(rule.term_holding(required, 0, nullptr, kept));
    }
    const auto least = rule.term_holding(required, 0);
    const auto add = [&](const std::vector<std::optional<NodeSelectorTerm>>& list,
                         bool with_least) {
      add_terms(kinds.emplace_back(), terms.preferred, list, with_least ? least : std::nullopt,
                is_required);
    };
    add(every ? holding : permitted, false);
    // What takes the place of the first bad one holds all.
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (permitted[i] == parts[i]) continue;
      auto one = permitted;
      one[i] = holding[i];
      add(one, false);
      break;
    }
    add(every ? holding : permitted, true);
    const auto is_held = [&](const NodeSelectorTerm& term) {
      return !every ||
             (budget_.spend(parts_of(term) * (1 + required_patterns(side_.spec().required))) &&
              rule_of_mode.is_held({term}, NoPairs{}));
    };
    std::vector<NodeSelectorTerm> others = present(permitted);
    schedpol::detail::append(others, present(holding));
    if (least) others.push_back(*least);
    // What the default gives to any pod, and to this one.
    std::vector<NodeAffinity> given = injected_by(side_, kind.member);
    Pod bare{.spec = spec_};
    if (bare.spec.affinity) (*bare.spec.affinity).*kind.member = std::nullopt;
    const std::optional<Affinity> to_this =
        apply_defaults(std::move(bare), side_.policy, *side_.options).pod.spec.affinity;
    if (to_this && (*to_this).*kind.member) given.push_back(*((*to_this).*kind.member));
    for (const NodeAffinity& injected : given) {
      kinds.push_back(injected);
      kinds.push_back(injected_beside_exempt(old, injected, exempt, budget_, is_held));
      const NodeSelectorTerm more = all_parts(terms_of(given.front()).required);
      for (NodeSelectorTerm term : terms_of(injected).required) {
        others.push_back(term);
        for (const auto list :
             {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
          for (const NodeSelectorRequirement& part : more.*list)
            if (!is_held(term) && !schedpol::detail::contains(term.*list, part))
              (term.*list).push_back(part);
        others.push_back(std::move(term));
      }
    }
    // To what is exempt alone the default is added.
    std::vector<std::optional<NodeSelectorTerm>> only_exempt;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const NodeSelectorTerm part = is_required ? exempt.part_of(parts[i]) : parts[i];
      const bool stays = is_required ? !is_empty(part) || exempt.contain(parts[i])
                                     : exempt.contain(terms.preferred[i]);
      only_exempt.push_back(stays ? std::optional(part) : std::nullopt);
    }
    add(only_exempt, false);
    exempt.for_each([&](const NodeTerms& some) {
      schedpol::detail::append(others, std::vector(some.required));
    });
    if (is_required) others_ = std::move(others);
    return kinds;
  }

  /// Calls `f` with each list of required terms that is one edit away, once `of_mode` was asked for the
  /// mode: a term gone, or another one in its place with what is exempt in it, or at the end. Of what the
  /// default gives and what is exempt together more is permitted than by the rules of either.
  template <class F>
  void for_each_single_edit(const NodeAffinity& old, F&& f) {
    const std::vector<NodeSelectorTerm>& terms = terms_of(old).required;
    if ((terms.size() + 1) * (others_.size() + 1) > max_single_edits) return;
    const ExemptTerms<NodeAffinity> exempt = side_.exempt().of(node_affinity_kind.member);
    for (std::size_t i = 0; i <= terms.size(); ++i) {
      NodeAffinity kind;
      auto& list =
          kind.required_during_scheduling_ignored_during_execution.emplace().node_selector_terms;
      list = terms;
      if (i == terms.size()) list.emplace_back();
      for (const NodeSelectorTerm& other : others_) {
        NodeSelectorTerm& term = list[i];
        term = other;
        if (i < terms.size()) {
          NodeSelectorTerm own = exempt.part_of(terms[i]);
          schedpol::detail::append(term.match_expressions, std::move(own.match_expressions));
          schedpol::detail::append(term.match_fields, std::move(own.match_fields));
        }
        f(kind);
      }
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      if (i < terms.size()) f(list.empty() ? NodeAffinity{} : kind);
    }
  }

  /// What a mode of pod affinity or anti-affinity may become.
  template <class Rule>
  std::vector<PodAffinity> of_mode(const AffinityKind<PodAffinity, Rule>& kind,
                                   const PodAffinity& old, bool is_required) {
    const Texts& keys =
        listed_in(side_.spec().required, kind, mode_name(is_required)).topology_keys;
    // Where any will do, one that every node has.
    const std::string key = keys.empty() ? "kubernetes.io/hostname" : keys.front();
    std::vector<WeightedPodAffinityTerm> terms;
    if (is_required) {
      for (const PodAffinityTerm& term : old.required_during_scheduling_ignored_during_execution)
        terms.push_back({1, term});
    } else {
      terms = old.preferred_during_scheduling_ignored_during_execution;
    }
    std::vector<PodAffinity> kinds;
    const auto add = [&](const std::vector<WeightedPodAffinityTerm>& list) {
      PodAffinity& affinity = kinds.emplace_back();  // of which the other mode is not looked at
      affinity.preferred_during_scheduling_ignored_during_execution = list;
      for (const WeightedPodAffinityTerm& term : list)
        affinity.required_during_scheduling_ignored_during_execution.push_back(
            term.pod_affinity_term);
    };
    const ExemptTerms<PodAffinity> exempt = side_.exempt().of(kind.member);
    std::vector<WeightedPodAffinityTerm> kept;
    std::vector<WeightedPodAffinityTerm> with_key;  // in place of the first bad one
    bool replaced = false;
    for (const WeightedPodAffinityTerm& term : terms) {
      const bool is_permitted =
          rule_of(side_, kind, is_required).permits(term.pod_affinity_term.topology_key) ||
          (is_required ? exempt.contain(term.pod_affinity_term) : exempt.contain(term));
      if (is_permitted) kept.push_back(term);
      if (is_permitted || !replaced) with_key.push_back(term);
      if (!is_permitted && !std::exchange(replaced, true))
        with_key.back().pod_affinity_term.topology_key = key;
    }
    add(kept);
    add(with_key);
    kept.push_back({1, {.topology_key = key}});
    add(kept);
    // And what is given, or nothing, beside what is exempt; to that alone the default is added,
    // which may meet what is required.
    std::vector<PodAffinity> given = injected_by(side_, kind.member);
    given.emplace_back();
    const auto is_listed = [&](const auto& term) {
      return keys.empty() ||
             schedpol::detail::contains(keys, schedpol::detail::part_of(term).topology_key);
    };
    for (const PodAffinity& injected : given) {
      kinds.push_back(injected_beside_exempt(old, injected, exempt, budget_));
      kinds.push_back(injected_beside_exempt(old, injected, exempt, budget_, is_listed));
    }
    return kinds;
  }

 private:
  /// With terms instead of those of one mode; of the preferred ones each keeps its weight.
  static void add_terms(NodeAffinity& kind, const std::vector<PreferredSchedulingTerm>& old,
                        const std::vector<std::optional<NodeSelectorTerm>>& terms,
                        const std::optional<NodeSelectorTerm>& more, bool required) {
    std::vector<NodeSelectorTerm> list;
    std::vector<PreferredSchedulingTerm> preferred;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (!terms[i]) continue;
      list.push_back(*terms[i]);
      preferred.push_back({i < old.size() ? old[i].weight : 1, *terms[i]});
    }
    if (more) {
      list.push_back(*more);
      preferred.push_back({1, *more});
    }
    if (required) {
      set_required(kind, std::move(list));
    } else {
      kind.preferred_during_scheduling_ignored_during_execution = std::move(preferred);
    }
  }

  static std::vector<NodeSelectorTerm> present(
      const std::vector<std::optional<NodeSelectorTerm>>& terms) {
    std::vector<NodeSelectorTerm> present;
    for (const std::optional<NodeSelectorTerm>& term : terms)
      if (term) present.push_back(*term);
    return present;
  }

  const Side& side_;
  const PodSpec& spec_;
  Budget& budget_;
  std::vector<NodeSelectorTerm> others_{};  ///< that may take the place of a required one
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/fix_tolerations.hpp

/// The list of tolerations that is allowed and fewest edits away. What is not permitted has to go in
/// any case, and what meets a requirement that is not met takes its place. Where nothing is left,
/// the default is given, which may be allowed too.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class TolerationsFix {
 public:
  /// Of a policy reduced to tolerations.
  TolerationsFix(const Side& side, const std::vector<Toleration>& list, Budget& budget)
      : side_(side), steps_(side), list_(list), budget_(budget) {}

  /// Nothing where no list is allowed, or once the budget is used up.
  std::optional<std::vector<Toleration>> run() {
    if (!budget_.spend(1 + list_.size() * (8 + steps_.of_toleration()))) return std::nullopt;
    std::vector<bool> denied(list_.size());
    std::vector<bool> own(list_.size());
    std::vector<Toleration> kept;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      own[i] = !is_exempt(list_[i]);
      denied[i] = own[i] && !check().permits(list_[i]);
      if (!denied[i]) kept.push_back(list_[i]);
    }
    if (allows(kept)) return kept;
    const Patterns unmet = unmet_by(kept);
    if (unmet.size() > max_fixed_requirements) {
      budget_.use_up();
      return std::nullopt;
    }
    std::vector<Toleration> more = fewest_that_meet(unmet, [&](auto&& f) {
      for_each_point(unmet, f);
      for_each_exempt(unmet, f);
    });
    if (more.empty())  // the default is denied
      if (auto one = any_permitted()) more.push_back(*std::move(one));
    std::vector<Toleration> other = in_place_of(denied, std::move(more));
    if (!allows(other)) return std::nullopt;
    auto exempt = beside_default(own);
    const bool is_nearer =
        exempt && allows(*exempt) &&
        edits_between(list_, *exempt, budget_).size() < edits_between(list_, other, budget_).size();
    return is_nearer ? std::move(exempt) : std::optional(std::move(other));
  }

 private:
  [[nodiscard]] bool allows(std::vector<Toleration> list) {
    const PodSpec spec{.tolerations = std::move(list)};
    return budget_.spend(steps_.of(spec)) && side_.allows(spec);
  }
  [[nodiscard]] const TolerationsCheck& check() const {
    return EffectivePolicyAccess::of(side_.policy).checks.of(tolerations_field);
  }
  [[nodiscard]] bool is_exempt(const Toleration& toleration) const {
    return side_.exempt().contain(toleration);
  }

  /// Whether one that stands in the pod meets what a pattern requires.
  [[nodiscard]] bool meets(const Pattern& required, const Toleration& toleration) const {
    return required.matches(toleration) ||
           (required.matches_covered_by(toleration) && side_.exempt().give(toleration));
  }

  /// The list without what is denied, with others in its place as far as there are any.
  [[nodiscard]] std::vector<Toleration> in_place_of(const std::vector<bool>& denied,
                                                    std::vector<Toleration> others) const {
    std::vector<Toleration> list;
    std::size_t next = 0;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (!denied[i]) {
        list.push_back(list_[i]);
      } else if (next < others.size()) {
        list.push_back(std::move(others[next++]));
      }
    }
    while (next < others.size()) list.push_back(std::move(others[next++]));
    return list;
  }

  /// What is required that none of a list meets.
  using Patterns = std::vector<const TolerationPattern*>;
  [[nodiscard]] Patterns unmet_by(const std::vector<Toleration>& list) {
    const std::vector<Toleration>& added = side_.options->added_to_pods.tolerations;
    Patterns unmet;
    for (const TolerationPattern& source : side_.spec().required.tolerations.listed()) {
      if (!budget_.spend(16 * entries_of(source) + list.size() + added.size())) return {};
      const Pattern pattern(source);
      const bool is_met = schedpol::detail::any_of(
                              list, [&](const Toleration& each) { return meets(pattern, each); }) ||
                          schedpol::detail::any_of(added, [&](const Toleration& each) {
                            return pattern.matches_covered_by(each);
                          });
      if (!is_met) unmet.push_back(&source);
    }
    return unmet;
  }

  /// The fewest that meet all of some patterns, of those that `for_each` calls its argument with.
  template <class ForEach>
  [[nodiscard]] std::vector<Toleration> fewest_that_meet(const Patterns& sources,
                                                         ForEach&& for_each) {
    if (sources.empty()) return {};
    std::vector<Pattern> patterns;
    for (const TolerationPattern* source : sources) patterns.emplace_back(*source);
    std::map<RequirementSet, Toleration> first;  // of those that meet the same
    for_each([&](Toleration&& point) {
      RequirementSet met = 0;
      for (std::size_t i = 0; i < patterns.size(); ++i)
        if (meets(patterns[i], point)) met |= 1U << i;
      if (met != 0) first.try_emplace(met, std::move(point));
    });
    return fewest_that_meet((1U << patterns.size()) - 1, first);
  }

  /// What is exempt, which the default is given beside, with more of it in place of the pod's own as
  /// far as the default does not meet what is required.
  [[nodiscard]] std::optional<std::vector<Toleration>> beside_default(
      const std::vector<bool>& own) {
    std::vector<Toleration> there = check().defaults().in_order();
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (!own[i]) there.push_back(list_[i]);
    const Patterns unmet = unmet_by(there);
    if (unmet.size() > max_fixed_requirements) return std::nullopt;
    return in_place_of(own, fewest_that_meet(unmet, [&](auto&& f) { for_each_exempt(unmet, f); }));
  }

  /// Requirements, a bit each.
  using RequirementSet = std::uint32_t;

  /// The fewest tolerations that meet all together, by how few meet any part of it. None where they
  /// do not.
  std::vector<Toleration> fewest_that_meet(RequirementSet whole,
                                           const std::map<RequirementSet, Toleration>& first) {
    std::vector<const Toleration*> last(std::size_t{whole} + 1);
    std::vector<RequirementSet> before(std::size_t{whole} + 1);
    std::vector<RequirementSet> reached = {0};
    for (std::size_t next = 0; next < reached.size() && last[whole] == nullptr; ++next) {
      if (!budget_.spend(first.size())) return {};
      for (const auto& [met, toleration] : first) {
        const RequirementSet more = reached[next] | met;
        if (last[more] != nullptr) continue;
        last[more] = &toleration;
        before[more] = reached[next];
        reached.push_back(more);
      }
    }
    std::vector<Toleration> all;
    if (last[whole] == nullptr) return all;
    for (RequirementSet met = whole; met != 0; met = before[met]) all.push_back(*last[met]);
    return all;
  }

  /// Calls `f(toleration)` for tolerations of every sort that the patterns tell apart, those that
  /// tolerate little first, until the budget is used up.
  template <class F>
  void for_each_point(std::span<const TolerationPattern* const> patterns, F&& f) {
    EquivalenceClasses keys;
    EquivalenceClasses values;
    Texts all_keys;
    Texts all_values;
    for (const TolerationPattern* pattern : patterns) {
      keys.add(pattern->keys.listed());
      values.add(pattern->values.listed());
      for (const std::string& key : pattern->keys.listed()) all_keys.push_back(key);
      for (const std::string& value : pattern->values.listed()) all_values.push_back(value);
    }
    const std::string other_key = keys.other();
    std::vector<std::string_view> with_keys = keys.of(all_keys);
    with_keys.push_back(other_key);
    const std::vector<std::string_view> distinct_values = values.of(all_values);
    std::vector<std::pair<TolerationOperator, std::string_view>> with_values;
    for (const std::string_view value : distinct_values)
      with_values.emplace_back(TolerationOperator::equal, value);
    with_values.emplace_back(TolerationOperator::exists, "");
    for (const TolerationOperator op :
         {TolerationOperator::equal, TolerationOperator::lt, TolerationOperator::gt}) {
      for (const std::string_view value : distinct_values) with_values.emplace_back(op, value);
      with_values.emplace_back(op, "");
    }
    for (const std::string_view key : with_keys) {
      for (const auto& [op, value] : with_values) {
        for (const TaintEffect effect : {TaintEffect::no_schedule, TaintEffect::prefer_no_schedule,
                                         TaintEffect::no_execute, TaintEffect::unset}) {
          Toleration point{std::string(key), op, std::string(value), effect, std::nullopt};
          while (is_exempt(point))
            point.toleration_seconds = point.toleration_seconds.value_or(0) + 1;
          if (!budget_.spend(16 + patterns.size())) return;
          f(std::move(point));
        }
      }
    }
  }

  /// Calls `f(toleration)` for each that is exempt, until the budget is used up.
  template <class F>
  void for_each_exempt(const Patterns& unmet, F&& f) {
    side_.exempt().for_each_toleration([&](Toleration each) {
      if (budget_.spend(16 + unmet.size())) f(std::move(each));
    });
  }

  /// Any one that is allowed alone.
  [[nodiscard]] std::optional<Toleration> any_permitted() {
    const TolerationPattern anything{any, any, any, any};
    std::vector<const TolerationPattern*> patterns = {&anything};
    for (const TolerationPattern& pattern : side_.spec().allowed.tolerations.listed())
      patterns.push_back(&pattern);
    std::optional<Toleration> found;
    for (const TolerationPattern* pattern : patterns) {
      if (found || !budget_.spend(8 * entries_of(*pattern))) break;
      for_each_point(std::span(&pattern, 1), [&](Toleration&& point) {
        if (!found && allows({point})) found = std::move(point);
      });
    }
    for (const Toleration& point : check().defaults().in_order())
      if (!found && allows({point})) found = point;
    return found;
  }

  const Side& side_;
  CheckSteps steps_;
  const std::vector<Toleration>& list_;
  Budget& budget_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/pod_fixer.hpp

/// The search for the fewest edits after which a pod is allowed.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Fixes one component after the other, each in the policy reduced to it.
class PodFixer {
 public:
  PodFixer(const Pod& pod, const EffectivePolicy& effective, const Options& options, Budget& budget)
      : side_{effective, &options}, pod_(pod), fix_{pod, {}}, budget_(budget) {}

  /// Nothing where there is no fix, or once the budget is used up.
  std::optional<Fix> run() {
    if (!EffectivePolicyAccess::of(side_.policy).decides || pod_.spec.moved_from ||
        !budget_.spend(8 *
                       (entries_of(side_.spec().required) + entries_of(side_.spec().allowed))) ||
        !budget_.spend(CheckSteps(side_).of(pod_.spec)))
      return std::nullopt;
    DenyingRows rows;
    side_.run_on(pod_.spec, rows);
    for_each_row([&](const auto& row) {
      if (rows.contain(row)) fix(row);
    });
    if (!fixed_ || budget_.used_up() || !side_.allows(fix_.pod.spec)) return std::nullopt;
    return std::move(fix_);
  }

 private:
  PodSpec& spec() { return fix_.pod.spec; }

  /// The policy reduced to one component, which is compiled for it.
  template <class Pick>
  [[nodiscard]] Side reduced(Pick&& pick) {
    Side side = side_.reduced(pick);
    budget_.spend(100 + 16 * entries_of(side.spec()));
    return side;
  }

  void note(const FieldPath& field, std::optional<std::string> from,
            std::optional<std::string> to) {
    if (!budget_.spend(20) || !budget_.keep(2 * sizeof(Change))) return;
    fix_.changes.push_back(
        {template_path(pod_.kind).join(field), std::move(from), std::move(to), ""});
  }
  static std::optional<std::string> if_not_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  /// The first of some texts with which the pod is allowed, where it is not as it stands.
  template <class Try>
  std::optional<std::string> first_allowed(const std::vector<std::string>& texts, Try&& allows) {
    for (const std::string& text : texts)
      if (budget_.spend(40) && allows(text)) return text;
    fixed_ = false;
    return std::nullopt;
  }
  /// None first, which becomes what is given, then what is required and allowed.
  [[nodiscard]] std::vector<std::string> candidates(const NameField& row) const {
    std::vector<std::string> all = {""};
    for (const PolicySection* section : {&side_.spec().required, &side_.spec().allowed})
      schedpol::detail::append(all, (section->*row.rules).listed());
    side_.exempt().for_each_name(row.traits.exempt,
                                 [&](const std::string& each) { all.push_back(each); });
    return all;
  }

  void fix(const NameField& row) {
    const std::vector<std::string> names = candidates(row);
    const Side side = reduced(pick(row));
    const auto other = first_allowed(names, [&](const std::string& name) {
      PodSpec with;
      with.*row.in_pod = name;
      return side.allows(with);
    });
    if (!other) return;
    std::string& name = spec().*row.in_pod;
    note({"spec", row.field}, if_not_empty(name), if_not_empty(*other));
    name = *other;
    for (const DerivedField& derived : row.traits.derived) {
      std::optional<std::string> there = derived.text(spec());
      if (!there) continue;
      note({"spec", derived.field}, std::move(there), std::nullopt);
      derived.clear(spec());
    }
  }

  void fix(const NodeNameField& row) {
    note({"spec", row.field}, std::exchange(spec().*row.in_pod, ""), std::nullopt);
  }

  void fix(const NodeSelectorField& row) {
    const Labels& has = pod_.spec.*row.in_pod;
    // A pair that contradicts the affinity of the pod, or what is exempt, is not given.
    Pod without = pod_;
    (without.spec.*row.in_pod).clear();
    const std::optional<Labels> given =
        apply_defaults(std::move(without), side_.policy, *side_.options).pod.spec.*row.in_pod;
    const NodeSelectors& required = (side_.spec().required.*row.rules).listed();
    std::set<std::string, std::less<>> keys;
    for (const auto& [key, value] : has) keys.insert(key);
    for (const auto& [key, values] : required) keys.insert(key);
    // Required keys first, as `check` looks at them.
    for (const bool first : {true, false})
      for (const std::string& key : keys)
        if (required.contains(key) == first) fix_key(row, key, given);
  }
  void fix_key(const NodeSelectorField& row, const std::string& key,
               const std::optional<Labels>& given) {
    if (!budget_.spend(30)) return;
    const std::string* has = find_label(pod_.spec.*row.in_pod, key);
    const auto with = [&](const std::string* value) {
      return allows_value(side_, row, key, value, given);
    };
    if (with(has)) return;
    const FieldPath field = FieldPath{"spec", row.field}.key(key);
    const auto from = has == nullptr ? std::nullopt : std::optional(*has);
    if (with(nullptr)) {
      (spec().*row.in_pod).erase(key);
      return note(field, from, std::nullopt);
    }
    std::vector<std::string> values;
    const NodeSelectors& required = (side_.spec().required.*row.rules).listed();
    if (const auto found = required.find(key); found != required.end())
      values.assign(found->second.listed().begin(), found->second.listed().end());
    values.emplace_back();  // where any will do
    const auto to = first_allowed(values, [&](const std::string& value) { return with(&value); });
    if (!to) return;
    (spec().*row.in_pod)[key] = *to;
    note(field, from, to);
  }

  void fix(const TolerationsField& row) {
    const Side side = reduced(pick(row));
    std::vector<Toleration>& tolerations = spec().*row.in_pod;
    auto fixed = TolerationsFix(side, tolerations, budget_).run();
    if (!fixed) {
      fixed_ = false;
      return;
    }
    const FieldPath field{"spec", row.field};
    for (const auto& [at, from, to] : edits_between(tolerations, *fixed, budget_))
      note(field.index(at), from ? std::optional(schedpol::to_string(*from)) : std::nullopt,
           to ? std::optional(schedpol::to_string(*to)) : std::nullopt);
    tolerations = *std::move(fixed);
  }

  /// Without what is not permitted, or with what `other(item)` makes of it.
  template <class Item, class Other, class TextOf>
  void fix_items(std::string_view field, std::vector<Item> PodSpec::*in_pod, Other&& other,
                 TextOf&& text_of) {
    std::vector<Item> kept;
    for (std::size_t i = 0; i < (pod_.spec.*in_pod).size() && budget_.spend(40); ++i) {
      const Item& item = (pod_.spec.*in_pod)[i];
      std::optional<Item> now = other(item);
      if (now != item)
        note(FieldPath{"spec", field}.index(i), text_of(item),
             now ? std::optional(text_of(*now)) : std::nullopt);
      if (now) kept.push_back(*std::move(now));
    }
    spec().*in_pod = std::move(kept);
  }
  /// A constraint that is permitted with the other word gets that.
  void fix(const SpreadConstraintsField& row) {
    using Constraint = TopologySpreadConstraint;
    const auto& check = EffectivePolicyAccess::of(side_.policy).checks.of(row);
    fix_items(
        row.field, row.in_pod,
        [&](const Constraint& constraint) -> std::optional<Constraint> {
          if (check.permits(constraint)) return constraint;
          for (const WhenUnsatisfiable word :
               {WhenUnsatisfiable::schedule_anyway, WhenUnsatisfiable::do_not_schedule}) {
            Constraint other = constraint;
            other.when_unsatisfiable = word;
            if (check.permits(other)) return other;
          }
          return std::nullopt;
        },
        [](const Constraint& constraint) { return schedpol::to_string(constraint); });
  }
  template <class Item>
  void fix(const AllowedNamesField<Item>& row) {
    const auto& check = EffectivePolicyAccess::of(side_.policy).checks.of(row);
    fix_items(
        row.field, row.in_pod,
        [&](const Item& item) { return check.permits(item) ? std::optional(item) : std::nullopt; },
        [](const Item& item) {
          std::string text;
          for_each_allowed_name(item, [&](std::string_view, const std::string& name) {
            text.append(text.empty() ? "" : ", ").append(name);
          });
          return text;
        });
  }

  void fix(const AffinityField&) {
    for_each_kind([&](const auto& kind) { fix(kind); });
  }
  template <class Kind, class Rule>
  void fix(const AffinityKind<Kind, Rule>& kind) {
    const Side side = reduced(pick_kind(kind));
    const CheckSteps steps(side);
    // What stands beside it decides which defaults contradict, and what they meet.
    const Side beside = reduced(pick_kind_beside_others(kind));
    const auto is_allowed = [&](const PodSpec& with) {
      PodSpec all;
      all.node_selector = spec().node_selector;
      all.affinity = spec().affinity;
      if (all.affinity) (*all.affinity).*kind.member = std::nullopt;
      if (with.affinity) {
        if (!all.affinity) all.affinity.emplace();
        (*all.affinity).*kind.member = (*with.affinity).*kind.member;
      }
      return budget_.spend(steps.of(all)) && beside.allows(all);
    };
    const bool has = spec().affinity && (*spec().affinity).*kind.member;
    const Kind old = has ? *((*spec().affinity).*kind.member) : Kind{};
    if (is_allowed(spec_with(kind.member, old, old))) return;
    const auto old_terms = terms_of(old);
    FixedAffinity lists(side, spec(), budget_);
    const std::vector<Kind> required =
        distinct(lists.of_mode(kind, old, true),
                 [](const Kind& each) -> const auto& { return terms_of(each).required; });
    const std::vector<Kind> preferred =
        distinct(lists.of_mode(kind, old, false),
                 [](const Kind& each) -> const auto& { return terms_of(each).preferred; });
    std::optional<PodSpec> best;
    std::size_t fewest = 0;
    const auto take_if_nearer = [&](const Kind& with_required) {
      for (const Kind& with_preferred : preferred) {
        PodSpec with = spec_with(kind.member, with_required, with_preferred);
        const auto terms = terms_of(with.affinity, kind.member);
        const std::size_t edits =
            edits_between(old_terms.required, terms.required, budget_).size() +
            edits_between(old_terms.preferred, terms.preferred, budget_).size();
        if ((best && edits >= fewest) || !is_allowed(with)) continue;
        best = std::move(with);
        fewest = edits;
      }
    };
    for (const Kind& with_required : required) take_if_nearer(with_required);
    if constexpr (std::is_same_v<Kind, NodeAffinity>)
      if (!best ||
          edits_between(old_terms.required, terms_of(best->affinity, kind.member).required, budget_)
                  .size() > 1)
        lists.for_each_single_edit(old, take_if_nearer);
    if (!best) {
      fixed_ = false;
      return;
    }
    const FieldPath field{"spec", affinity_field.field, kind.field};
    const auto terms = terms_of(best->affinity, kind.member);
    note_terms(field.child(required_mode), old_terms.required, terms.required);
    note_terms(field.child(preferred_mode), old_terms.preferred, terms.preferred);
    if (!spec().affinity) spec().affinity.emplace();
    (*spec().affinity).*kind.member =
        best->affinity ? (*best->affinity).*kind.member : std::nullopt;
    if (*spec().affinity == Affinity{}) spec().affinity.reset();
  }

  /// Of those that are alike in one mode the first: each is put beside all of the other mode.
  template <class Kind, class TermsOfMode>
  std::vector<Kind> distinct(std::vector<Kind> kinds, TermsOfMode&& terms) {
    std::vector<Kind> distinct;
    for (Kind& kind : kinds) {
      const bool is_there = !budget_.spend(4 * distinct.size() * (1 + terms(kind).size())) ||
                            schedpol::detail::any_of(distinct, [&](const Kind& other) {
                              return terms(other) == terms(kind);
                            });
      if (!is_there) distinct.push_back(std::move(kind));
    }
    return distinct;
  }

  template <class Term>
  void note_terms(const FieldPath& mode, const std::vector<Term>& from,
                  const std::vector<Term>& to) {
    const bool in_selector = std::is_same_v<Term, NodeSelectorTerm>;
    const FieldPath list = in_selector ? mode.child("nodeSelectorTerms") : mode;
    const auto text = [](const std::optional<Term>& term) {
      return term ? std::optional(schedpol::to_string(part_of(*term))) : std::nullopt;
    };
    for (const auto& [at, old, now] : edits_between(from, to, budget_))
      note(list.index(at), text(old), text(now));
  }

  Side side_;
  const Pod& pod_;
  Fix fix_;
  Budget& budget_;
  bool fixed_ = true;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/adviser.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

inline const SchedulingPolicySystem& scheduling_policy_system(const EngineAccess::Impl& engine) {
  return static_cast<const SchedulingPolicySystem&>(engine.compiled(System::scheduling_policy));
}

/// What a user has to write for SchedulingPolicy to allow a pod, where that is soon found.
inline std::optional<scheduling_policy::Fix> scheduling_policy_fix(const EngineAccess::Impl& engine,
                                                                   Pod pod) {
  const SchedulingPolicySystem& system = scheduling_policy_system(engine);
  auto options =
      system.options_for(pod, engine.context_of(namespace_of(pod.metadata), PodWriter::user));
  const CoveredTolerations covered(pod, options.merged);
  schedpol::detail::Budget budget(max_denial_fix_steps);
  auto fix = scheduling_policy::detail::PodFixer(pod, system.effective_policy(pod),
                                                 options.without(covered), budget)
                 .run();
  if (fix) covered.restore_edited(fix->pod, fix->changes);
  return fix;
}

/// Explains what SchedulingPolicy said of an object in a decision.
class DecisionExplainer {
 public:
  using Explanation = scheduling_policy::Explanation;
  using Item = scheduling_policy::ExplainedItem;
  using Question = DecisionTrace::Question;

  DecisionExplainer(const Engine& engine, const Request& request, const Decision& decision)
      : request_(request),
        system_(scheduling_policy_system(*EngineAccess::of(engine))),
        context_(EngineAccess::of(engine)->context_of(
            namespace_of(request.object.metadata), EngineAccess::of(engine)->writer_of(request))) {
    for (const StepDecision& decided : decision.steps)
      if (decided.step.system == System::scheduling_policy) decided_ = &decided;
    allowed_ = decision.allowed;
  }

  [[nodiscard]] Explanation run(std::vector<Question> questions) const {
    // Of a system that does not enforce an allowed decision has the first round alone.
    if (allowed_ && decided_ != nullptr && decided_->step.mode != Mode::enforce)
      questions.resize(1);
    Explanation last = explain(questions.back());
    questions.pop_back();
    std::vector<Item> defaulted;
    for (const Question& question : questions) {
      Explanation explained = explain(question);
      for (Item& item : explained.items)
        if (item.ruling == Ruling::defaulted) defaulted.push_back(std::move(item));
    }
    // What was given in a round before is there in the last one.
    leave_out_defaulted(last.items, defaulted);
    last.items.insert(last.items.begin(), std::make_move_iterator(defaulted.begin()),
                      std::make_move_iterator(defaulted.end()));
    keep_changes(last.items);
    keep_violations(last);
    return last;
  }

 private:
  using Ruling = scheduling_policy::Ruling;

  [[nodiscard]] Explanation explain(const Question& question) const {
    const Pod& object = question.object;
    auto options = system_.options_for(object, context_);
    const EffectivePolicy effective = system_.effective_policy(object);
    const bool gets_defaults = question.is_changed && (request_.operation == Operation::create ||
                                                       object.kind != PodKind::pod);
    const Pod judged = unpinned(object, context_.by);
    if (object.kind != PodKind::pod)
      return explain_template(judged, gets_defaults, effective, options);
    return gets_defaults ? scheduling_policy::explain(judged, effective, *options)
                         : scheduling_policy::explain_check(judged, effective, *options);
  }

  /// What it is given, and what is said of it with that.
  [[nodiscard]] static Explanation explain_template(Pod judged, bool gets_defaults,
                                                    const EffectivePolicy& effective,
                                                    OptionsOfPod& options) {
    std::vector<Item> defaulted;
    if (gets_defaults) {
      CoveredTolerations covered(judged, options.merged);
      const scheduling_policy::Options& with = options.without(covered);
      defaulted = scheduling_policy::explain(judged, effective, with).items;
      schedpol::detail::erase_if(defaulted,
                                 [](const Item& item) { return item.ruling != Ruling::defaulted; });
      scheduling_policy::Defaulted made = apply_defaults(std::move(judged), effective, with);
      covered.restore(made.pod);
      covered.restore_injected(defaulted);
      judged = std::move(made.pod);
    }
    const CoveredTolerations covered(judged, options.merged, options.added_to(judged));
    Explanation explanation =
        scheduling_policy::explain_check(judged, effective, options.without(covered));
    covered.restore_places(explanation.items);
    leave_out_defaulted(explanation.items, defaulted);
    explanation.items.insert(explanation.items.begin(), std::make_move_iterator(defaulted.begin()),
                             std::make_move_iterator(defaulted.end()));
    return explanation;
  }

  /// Leaves out what is told of items that are given, unless it denies or is required.
  static void leave_out_defaulted(std::vector<Item>& items, const std::vector<Item>& defaulted) {
    std::set<FieldPath> fields;
    for (const Item& item : defaulted) fields.insert(item.field);
    const auto was_defaulted = [&](FieldPath field) {
      while (!field.empty() && !fields.contains(field)) field = field.parent();
      return !field.empty();
    };
    schedpol::detail::erase_if(items, [&](const Item& item) {
      return !fields.empty() && !denies(item.ruling) && item.ruling != Ruling::required &&
             was_defaulted(item.field);
    });
  }

  /// Leaves out what was given and is not the system's doing in the end.
  void keep_changes(std::vector<Item>& items) const {
    if (!allowed_ || decided_ == nullptr) return;
    std::multiset<FieldPath> changed;
    for (const Change& change : decided_->changes) changed.insert(change.field);
    schedpol::detail::erase_if(items, [&](const Item& item) {
      if (item.ruling != Ruling::defaulted) return false;
      const auto found = changed.find(item.field);
      if (found == changed.end()) return true;
      changed.erase(found);
      return false;
    });
  }

  /// Leaves out what is not denied because the old pod has it, and shows each violation as it was told.
  void keep_violations(Explanation& explanation) const {
    std::vector<Violation> violations;
    if (decided_ != nullptr) violations = decided_->violations;
    auto next = violations.begin();
    schedpol::detail::erase_if(explanation.items, [&](Item& item) {
      if (!denies(item.ruling)) return false;
      if (next == violations.end() || next->field != item.field ||
          !(item.value.empty() || item.value == next->value))
        return true;
      item.value = next->value;
      ++next;
      return false;
    });
    // Of policies that cannot be used there are several for one item.
    for (; next != violations.end(); ++next)
      explanation.items.push_back({next->field, next->value, Ruling::not_permitted, {}, {}});
    explanation.allowed = violations.empty();
  }

  const Request& request_;
  const SchedulingPolicySystem& system_;
  AdmissionContext context_;
  const StepDecision* decided_ = nullptr;
  bool allowed_ = false;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Change> InsightAdviser::find_fix(const Engine& engine,
                                                             const Request& request,
                                                             const Decision& denial) {
  const auto* impl = EngineAccess::of(engine);
  if (impl == nullptr || denial.allowed || denial.steps.empty() ||
      denial.steps.back().step.system != System::scheduling_policy ||
      request.operation != Operation::create ||
      request.requester.name == engine.daemon_set_controller())
    return {};
  auto fix = detail::scheduling_policy_fix(*impl, request.object);
  if (!fix) return {};
  // What another system makes of it may be denied all the same.
  Request fixed = request;
  fixed.object = std::move(fix->pod);
  return engine.decide(fixed).allowed ? std::move(fix->changes) : std::vector<Change>();
}

SCHEDPOL_INLINE scheduling_policy::Explanation InsightAdviser::explain(
    const Engine& engine, const Request& request) const {
  if (!engine.runs(System::scheduling_policy)) return {};
  detail::DecisionTrace trace{.watched = System::scheduling_policy};
  Request shown = request;
  shown.values = ChangeValues::shown;
  const Decision decision = EngineAccess::decide(engine, shown, trace);
  if (trace.questions.empty()) return {.allowed = decision.allowed};
  return detail::DecisionExplainer(engine, request, decision).run(std::move(trace.questions));
}

SCHEDPOL_INLINE std::vector<scheduling_policy::ExplainedItem> InsightAdviser::find_ungoverned(
    const Engine& engine, const Request& request) const {
  const auto* impl = EngineAccess::of(engine);
  if (impl == nullptr ||
      !scheduling_policy::detail::has_ungoverned(request.object.spec, impl->settings.options))
    return {};
  return scheduling_policy::detail::ungoverned_of(explain(engine, request).items);
}

SCHEDPOL_INLINE std::vector<std::string> InsightAdviser::warnings_of(const Engine& engine,
                                                                     const Objects& written) {
  std::vector<std::string> warnings;
  std::vector<std::string> not_decided;
  std::size_t more = 0;
  for (const SystemFinding& found : analyze(engine, written)) {
    if (found.finding.code == FindingCode::not_decided) not_decided.push_back(message(found));
    if (found.finding.severity == Severity::info) continue;
    if (warnings.size() < max_finding_warnings) {
      warnings.push_back(message(found));
    } else {
      ++more;
    }
  }
  if (more > 0) warnings.push_back("and " + std::to_string(more) + " more");
  schedpol::detail::append(warnings, std::move(not_decided));
  return warnings;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/insight/impl/analysis.hpp

/// What every analysis does: it looks for one sort of finding after the other, as far as its budget
/// goes, and names the sorts that it did not look for everywhere.

namespace SCHEDPOL_NAMESPACE::detail {

/// The name of an object that others of its kind cannot have.
inline std::string qualified_name(const ObjectMeta& metadata) {
  return metadata.namespace_.empty() ? metadata.name : metadata.namespace_ + '/' + metadata.name;
}

/// Of a text that is shown beside another as much as both together show of it.
inline std::string_view start_of(std::string_view text) noexcept {
  return text.substr(0, max_shown_bytes + 1);
}

class Analysis {
 public:
  explicit Analysis(Budget& budget) noexcept : budget_(budget) {}

  /// The last says what was not looked for, if there is such.
  [[nodiscard]] std::vector<Finding> take() && {
    if (missed_.empty()) return std::move(findings_);
    std::string names;
    for (const FindingCode code : missed_)
      names.append(names.empty() ? "" : ", ").append(to_string(code));
    findings_.push_back({.detail = std::move(names)});
    return std::move(findings_);
  }

  /// Lets `look()` find what is of this sort.
  template <class Look>
  void look_for(FindingCode code, Look&& look) {
    if (!budget_.used_up()) look();
    if (budget_.used_up()) missed_.insert(code);
  }

  /// Adds what a part of this analysis found where `is_new(finding)`, which may change it.
  template <class IsNew>
  void take_over(Analysis&& part, IsNew&& is_new) {
    for (Finding& finding : part.findings_)
      if (is_new(finding)) findings_.push_back(std::move(finding));
    missed_.insert(part.missed_.begin(), part.missed_.end());
  }

  /// Nothing more is found once the budget is used up.
  void add(Finding finding) {
    std::size_t bytes = 2 * sizeof(Finding) + finding.detail.size();
    if (finding.witness)
      for (const Labels* labels :
           {&finding.witness->metadata.labels, &finding.witness->metadata.annotations})
        for (const auto& [key, value] : *labels) bytes += 128 + key.size() + value.size();
    if (budget_.keep(bytes)) findings_.push_back(std::move(finding));
  }

 protected:
  Budget& budget_;

 private:
  std::vector<Finding> findings_;
  std::set<FindingCode> missed_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/insight/impl/numbers_around.hpp

/// The numbers that comparisons with bounds tell apart.

namespace SCHEDPOL_NAMESPACE::detail {

/// Numbers of every sort that bounds tell apart, none below `least`: each bound, and between two
/// neighbours the first that is not `taken`, where there is one.
template <class Taken>
std::vector<std::int64_t> numbers_around(const std::set<std::int64_t>& bounds, std::int64_t least,
                                         Taken&& taken) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::vector<std::int64_t> numbers(bounds.begin(), bounds.end());
  if (bounds.empty()) return {};
  for (std::int64_t down = *bounds.begin(); down != least;) {
    if (taken(--down)) continue;
    numbers.push_back(down);
    break;
  }
  for (auto bound = bounds.begin(); bound != bounds.end(); ++bound) {
    const auto next = std::next(bound);
    for (std::int64_t up = *bound; up != most;) {
      if (++up; next != bounds.end() && up == *next) break;
      if (taken(up)) continue;
      numbers.push_back(up);
      break;
    }
  }
  return numbers;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/insight/impl/counterexample_search.hpp

/// The search for labels that one selector selects and others do not.

namespace SCHEDPOL_NAMESPACE::detail {

/// Looks for labels and a name that satisfy one conjunction and none of several others. Of the
/// values of a key it looks at those that the requirements tell apart, and gives up after so many
/// steps, in each of which it holds a value against a requirement.
class CounterexampleSearch {
 public:
  CounterexampleSearch(const Conjunction& from, const std::vector<Conjunction>& others,
                       std::size_t most_steps)
      : others_(others), most_steps_(most_steps) {
    const auto add = [&](const Conjunction& conjunction) {
      for (const Requirement& requirement : conjunction)
        candidates_[requirement.key].distinguish(requirement);
    };
    add(from);
    for (const Conjunction& other : others) add(other);
    for (auto& [key, candidates] : candidates_) candidates.list_values(key);
    exists_ = all_of(from,
                     [&](const Requirement& requirement) {
                       return keep(candidates_.at(requirement.key), requirement, true, 0);
                     }) &&
              escapes(0);
  }

  [[nodiscard]] bool exists() const noexcept { return exists_; }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

  /// The labels, the name as that of the empty key.
  [[nodiscard]] Labels labels() const {
    Labels labels;
    for (const auto& [key, candidates] : candidates_)
      if (const auto& value = candidates.first()) labels.emplace(key, *value);
    return labels;
  }

 private:
  [[nodiscard]] bool gave_up() const noexcept { return steps_ > most_steps_; }

  /// Values that a label may have; nothing: the label is missing.
  using Values = std::vector<std::optional<std::string>>;

  /// The values of a key. Each is left until it is dropped, at a depth of the search that takes it
  /// back when it returns.
  struct Candidates {
    static constexpr std::size_t never = static_cast<std::size_t>(-1);

    /// Notes what a requirement of the key is about.
    void distinguish(const Requirement& requirement) {
      listed.insert(requirement.values.begin(), requirement.values.end());
      const bool compares = requirement.operator_ == Requirement::Operator::gt ||
                            requirement.operator_ == Requirement::Operator::lt;
      if (compares) bounds.insert(std::max<std::int64_t>(requirement.bound, -1));
    }
    /// The values that all of these tell apart.
    void list_values(std::string_view key) {
      if (!key.empty()) values.emplace_back();
      values.emplace_back(fresh_name("other", listed));
      for (const std::string_view value : listed) values.emplace_back(value);
      const auto is_listed = [&](std::int64_t number) { return !spelled(number, listed); };
      for (const std::int64_t number : numbers_around(bounds, -1, is_listed))
        if (auto text = spelled(number, listed)) values.push_back(std::move(text));
      dropped_at.assign(values.size(), never);
      left = values.size();
    }

    [[nodiscard]] const std::optional<std::string>& first() const noexcept {
      const auto found = std::find(dropped_at.begin(), dropped_at.end(), never);
      return values[static_cast<std::size_t>(found - dropped_at.begin())];
    }
    void take_back(std::size_t depth) noexcept {
      for (std::size_t& at : dropped_at) {
        if (at != depth) continue;
        at = never;
        ++left;
      }
    }

    std::set<std::string_view> listed;
    std::set<std::int64_t> bounds;
    Values values;
    std::vector<std::size_t> dropped_at;
    std::size_t left = 0;
  };

  /// Drops the values for which a requirement does not hold, or holds; whether any is left.
  bool keep(Candidates& candidates, const Requirement& requirement, bool holds, std::size_t depth) {
    steps_ += 1 + candidates.values.size();
    if (gave_up()) return false;
    for (std::size_t i = 0; i < candidates.values.size(); ++i) {
      const std::optional<std::string>& value = candidates.values[i];
      if (candidates.dropped_at[i] != Candidates::never ||
          requirement.holds(value ? &*value : nullptr) == holds)
        continue;
      candidates.dropped_at[i] = depth;
      --candidates.left;
    }
    return candidates.left > 0;
  }

  /// Whether there are values that break a requirement of each of the others from `i` on.
  bool escapes(std::size_t i) {
    if (i == others_.size()) return true;
    for (const Requirement& requirement : others_[i]) {
      Candidates& candidates = candidates_.at(requirement.key);
      if (keep(candidates, requirement, false, i + 1) && escapes(i + 1)) return true;
      if (gave_up()) return false;
      candidates.take_back(i + 1);
    }
    return false;
  }

  const std::vector<Conjunction>& others_;
  std::size_t most_steps_;
  std::map<std::string_view, Candidates> candidates_;
  std::size_t steps_ = 0;
  bool exists_ = false;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/insight/impl/selection.hpp

/// What a policy selects, and which of many things that select objects can select one object, with
/// what that object has. Things whose selectors ask for different values of one key are told apart
/// without being compared, so that thousands that each name a namespace or a label of their own take
/// n log n.

namespace SCHEDPOL_NAMESPACE::detail {

/// An object that is selected: its labels, its annotations, and its namespace.
struct SelectedObject {
  Labels labels{};
  Labels annotations{};
  ObjectMeta namespace_{};

  /// The first letter of a key says whose it is: `l` is a label of the object, `a` an annotation, `n` a
  /// label of its namespace. The rest is the key.
  explicit SelectedObject(const Labels& all) {
    for (const auto& [key, value] : all) {
      Labels& to = key[0] == 'l' ? labels : key[0] == 'a' ? annotations : namespace_.labels;
      to.emplace(key.substr(1), value);
    }
    if (const std::string* name = find_label(namespace_.labels, name_label))
      namespace_.name = *name;
  }

  /// The label of a namespace that says what it is called.
  static constexpr std::string_view name_label = "kubernetes.io/metadata.name";
};

/// Whether two selectors name different values of one label: a short look, after which few pairs are
/// left that have to be compared.
inline bool name_different_values(const std::optional<LabelSelector>& a,
                                  const std::optional<LabelSelector>& b, Budget& budget) {
  if (!a || !b) return false;
  const bool a_names_fewer = a->match_labels.size() < b->match_labels.size();
  const Labels& fewer = a_names_fewer ? a->match_labels : b->match_labels;
  const Labels& more = a_names_fewer ? b->match_labels : a->match_labels;
  budget.spend(1 + fewer.size());
  return schedpol::detail::any_of(fewer, [&](const auto& label) {
    const std::string* value = find_label(more, label.first);
    return value != nullptr && *value != label.second;
  });
}

/// The texts of a selector.
inline std::size_t texts_of(const std::optional<LabelSelector>& selector) {
  if (!selector) return 0;
  std::size_t texts = selector->match_labels.size();
  for (const LabelSelectorRequirement& each : selector->match_expressions)
    texts += 1 + each.values.size();
  return texts;
}

/// All that one thing asks for of the objects it selects.
class Selection {
 public:
  Selection& labels(const std::optional<LabelSelector>& selector) {
    return add('l', to_conjunction(selector));
  }
  Selection& annotations(const std::optional<LabelSelector>& selector) {
    return add('a', to_conjunction(selector, SelectedValues::annotations));
  }
  Selection& in_namespace(const std::string& name) {
    return add('n',
               Conjunction{{.key = std::string(SelectedObject::name_label), .values = {name}}});
  }
  Selection& in_namespaces(const std::optional<LabelSelector>& selector) {
    add('n', Conjunction{{std::string(SelectedObject::name_label), Requirement::Operator::exists}});
    return add('n', to_conjunction(selector));
  }

  /// Whether a selection of so many texts may be made.
  [[nodiscard]] static bool can_afford(std::size_t texts, Budget& budget) noexcept {
    return budget.spend(steps_a_requirement + steps_a_text * texts);
  }

  [[nodiscard]] const Conjunction& requirements() const noexcept { return requirements_; }

  /// Steps of a look for an object that it selects.
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

  /// An object that it selects, with nothing but what that takes.
  [[nodiscard]] std::optional<SelectedObject> selected() const {
    const auto labels = absent_ ? std::nullopt : to_labels(requirements_);
    if (!labels) return std::nullopt;
    return SelectedObject(*labels);
  }

  [[nodiscard]] bool selects_nothing(Budget& budget) const {
    budget.spend(steps_);
    return absent_ || !to_labels(requirements_);
  }

 private:
  Selection& add(char of, std::optional<Conjunction> more) {
    absent_ = absent_ || !more;
    if (!more) return *this;
    for (Requirement& requirement : *more) {
      requirement.key.insert(0, 1, of);
      steps_ += steps_a_requirement * (1 + requirement.values.size());
      requirements_.push_back(std::move(requirement));
    }
    return *this;
  }

  static constexpr std::size_t steps_a_requirement = 40;  ///< or value: it is copied and sorted
  static constexpr std::size_t steps_a_text = 100;        ///< which is validated before that

  Conjunction requirements_;
  std::size_t steps_ = steps_a_requirement;
  bool absent_ = false;
};

/// One of those among which overlaps are looked for. They come in the order of their numbers, and
/// those of one group are not compared, nor are two of which neither is asked about.
struct Overlapping {
  std::size_t number = 0;
  std::size_t group = 0;
  const Selection* selection = nullptr;
  bool is_asked_about = true;
};

/// Calls `found(a, b, labels)` for each that can select an object that one before it selects too,
/// once: with one of those, and the object as `SelectedObject` takes it. `witness(a, b)` finds the
/// labels.
template <class Witness, class Found>
class OverlapSearch {
 public:
  OverlapSearch(Budget& budget, Witness witness, Found found)
      : budget_(budget), witness_(std::move(witness)), found_(std::move(found)) {}

  void run(std::vector<Overlapping> all) { split(std::move(all), {}); }

 private:
  using List = std::vector<Overlapping>;
  using ByValue = std::map<std::string_view, List>;

  /// So many are compared faster than they are told apart.
  static constexpr std::size_t few = 8;
  /// Longer lists of values tell little apart.
  static constexpr std::size_t most_values = 16;

  void split(const List& all, std::set<std::string_view> keys) {
    if (all.size() < 2) return;
    const std::string_view key = all.size() > few ? best_key(all, keys) : std::string_view();
    if (key.empty()) return compare(all, all);
    keys.insert(key);
    ByValue by_value;
    List others;
    List listing;
    for (const Overlapping& one : all) {
      const Requirement* const values = values_of(one, key);
      if (values == nullptr) {
        others.push_back(one);
        continue;
      }
      // Whoever lists several is looked at as often.
      if (!budget_.spend(8 * values->values.size()) ||
          !budget_.keep(sizeof(Overlapping) * (values->values.size() - 1)))
        return;
      listing.push_back(one);
      for (const std::string& value : values->values) by_value[value].push_back(one);
    }
    for (auto& [value, list] : by_value) split(std::move(list), keys);
    compare(others, listing);
    compare(listing, others);
    split(std::move(others), std::move(keys));
  }

  /// The key that leaves the fewest to be compared; none where all leave most of them.
  std::string_view best_key(const List& all, const std::set<std::string_view>& known) {
    std::map<std::string_view, std::map<std::string_view, std::size_t>> counts;
    std::map<std::string_view, std::size_t> sizes;
    for (const Overlapping& one : all) {
      std::set<std::string_view> seen;
      if (!budget_.spend(8 * one.selection->requirements().size())) return {};
      for (const Requirement& requirement : one.selection->requirements()) {
        if (!tells_values(requirement) || known.contains(requirement.key) ||
            !seen.insert(requirement.key).second)
          continue;
        budget_.spend(8 * requirement.values.size());
        ++sizes[requirement.key];
        for (const std::string& value : requirement.values) ++counts[requirement.key][value];
      }
    }
    std::string_view best;
    std::size_t least = all.size() * all.size() / 2;
    for (const auto& [key, values] : counts) {
      std::size_t pairs = (all.size() - sizes[key]) * all.size();
      for (const auto& [value, count] : values) pairs += count * count;
      if (pairs >= least) continue;
      least = pairs;
      best = key;
    }
    return best;
  }

  static bool tells_values(const Requirement& requirement) noexcept {
    return requirement.operator_ == Requirement::Operator::in &&
           requirement.values.size() <= most_values;
  }
  static const Requirement* values_of(const Overlapping& one, std::string_view key) {
    for (const Requirement& requirement : one.selection->requirements())
      if (requirement.key == key && tells_values(requirement)) return &requirement;
    return nullptr;
  }

  /// Each of the one list with those of the other that come before it.
  void compare(const List& later, const List& earlier) {
    using Groups = std::map<std::size_t, List>;
    Groups asked_about;
    Groups all;
    for (const Overlapping& one : earlier) {
      all[one.group].push_back(one);
      if (one.is_asked_about) asked_about[one.group].push_back(one);
    }
    for (const Overlapping& one : later) {
      if (done_.contains(one.number)) continue;
      for (const auto& [group, list] : one.is_asked_about ? all : asked_about) {
        if (!budget_.spend()) return;
        if (group != one.group && overlaps(one, list)) break;
      }
    }
  }
  bool overlaps(const Overlapping& one, const List& earlier) {
    for (const Overlapping& before : earlier) {
      if (before.number >= one.number) return false;
      if (!budget_.spend(before.selection->steps() + one.selection->steps())) return true;
      const std::optional<Labels> labels = witness_(before, one);
      if (!labels) continue;
      done_.insert(one.number);
      found_(before, one, *labels);
      return true;
    }
    return false;
  }

  Budget& budget_;
  Witness witness_;
  Found found_;
  std::set<std::size_t> done_;
};

/// What both ask for.
inline Conjunction both(const Selection& a, const Selection& b) {
  Conjunction all = a.requirements();
  append(all, b.requirements());
  return all;
}

/// Looks for overlaps, the labels being what both select.
template <class Found>
void for_each_overlap(std::vector<Overlapping> all, Budget& budget, Found&& found) {
  const auto witness = [](const Overlapping& a, const Overlapping& b) {
    return to_labels(both(*a.selection, *b.selection));
  };
  OverlapSearch(budget, witness, std::forward<Found>(found)).run(std::move(all));
}

/// Those that write a field of an object, by what they write: of what is written once, nothing
/// differs.
class Writers {
 public:
  void add(std::string_view value, std::size_t number) { by_value_[value].push_back(number); }

  [[nodiscard]] bool differ() const noexcept { return by_value_.size() > 1; }

  /// In the order of their numbers, those of one value a group. `of(number)` is one of them, without
  /// number and group.
  template <class Of>
  [[nodiscard]] std::vector<Overlapping> grouped(Of&& of) {
    std::vector<Overlapping> all;
    for (const auto& [value, numbers] : by_value_) {
      for (const std::size_t number : numbers) {
        Overlapping& one = all.emplace_back(of(number));
        one.number = number;
        one.group = values_.size();
      }
      values_.push_back(value);
    }
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    return all;
  }
  /// What those of a group write.
  [[nodiscard]] std::string_view value_of(std::size_t group) const { return values_[group]; }

 private:
  std::map<std::string_view, std::vector<std::size_t>> by_value_;
  std::vector<std::string_view> values_;  ///< of each group
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/insight/impl/analyze_metadata_policies.ipp

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

using schedpol::detail::Budget;
using schedpol::detail::Selection;

/// A rule, and whether it is asked about: of the others only matters what they do to one that is.
struct AnalyzedRule {
  const MetadataPolicy* policy;
  std::size_t index;
  bool is_asked_about = true;
  Selection selection{};  ///< once it was looked at

  [[nodiscard]] const PolicyPredicate& predicate() const noexcept {
    return policy->spec.rules[index].policy_predicate;
  }
  [[nodiscard]] const PolicyAction& action() const noexcept {
    return policy->spec.rules[index].policy_action;
  }
  [[nodiscard]] bool lists_updates() const noexcept {
    return !action().updated_labels.empty() || !action().updated_annotations.empty();
  }
  [[nodiscard]] FieldPath path() const { return FieldPath{"rules"}.index(index); }
};

inline std::size_t texts_of(const MetadataPolicy& policy) {
  std::size_t texts = 0;
  for (const auto& [predicate, action] : policy.spec.rules)
    texts += 1 + schedpol::detail::texts_of(predicate.label_selector) +
             schedpol::detail::texts_of(predicate.annotation_selector) +
             action.updated_labels.size() + action.updated_annotations.size();
  return texts;
}

/// What rules reject.
class Rejections {
 public:
  /// `rules`, which are in the order of their namespaces, outlive it.
  explicit Rejections(const std::vector<AnalyzedRule>& rules) {
    for (const AnalyzedRule& rule : rules)
      if (rule.action().reject) rules_[rule.policy->metadata.namespace_].push_back(&rule);
  }

  /// Metadata with these requirements that is not rejected; none where there is none, or where it
  /// takes more than is left. Only rules that rejected something on the way are looked at.
  std::optional<Labels> spared(const schedpol::detail::Conjunction& requirements,
                               Budget& budget) const {
    const schedpol::detail::Conjunction required = schedpol::detail::condensed(requirements);
    std::optional<Labels> labels = schedpol::detail::to_labels(required);
    std::vector<schedpol::detail::Conjunction> rejected;
    std::size_t steps = 0;
    while (labels) {
      const std::size_t known = rejected.size();
      for (const AnalyzedRule* rule : rejecting(*labels, budget)) {
        rejected.push_back(rule->selection.requirements());
        steps += rule->selection.steps();
      }
      if (rejected.size() == known) return labels;
      if (!budget.spend(steps)) return std::nullopt;
      const schedpol::detail::CounterexampleSearch escape(required, rejected, budget.steps_left());
      budget.spend(escape.steps());
      labels = escape.exists() ? std::optional(escape.labels()) : std::nullopt;
    }
    return labels;
  }

 private:
  [[nodiscard]] std::vector<const AnalyzedRule*> rejecting(const Labels& labels,
                                                           Budget& budget) const {
    std::vector<const AnalyzedRule*> rejecting;
    const auto here = rules_.find(schedpol::detail::SelectedObject(labels).namespace_.name);
    if (here == rules_.end()) return rejecting;
    for (const AnalyzedRule* rule : here->second) {
      const schedpol::detail::Conjunction& requirements = rule->selection.requirements();
      if (!budget.spend(4 * requirements.size())) break;
      if (hold(requirements, labels)) rejecting.push_back(rule);
    }
    return rejecting;
  }

  std::map<std::string_view, std::vector<const AnalyzedRule*>> rules_;  ///< of each namespace
};

/// What is odd about rules of MetadataPolicies, as `analyze_metadata_policies.hpp` says it.
class MetadataPolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  /// Of policies that can be used.
  MetadataPolicyAnalysis(std::vector<AnalyzedRule> rules, Budget& budget)
      : Analysis(budget), rules_(std::move(rules)) {
    std::sort(rules_.begin(), rules_.end(), [](const AnalyzedRule& a, const AnalyzedRule& b) {
      const ObjectMeta& of_a = a.policy->metadata;
      const ObjectMeta& of_b = b.policy->metadata;
      return std::tie(of_a.namespace_, of_a.name, a.index) <
             std::tie(of_b.namespace_, of_b.name, b.index);
    });
  }

  std::vector<Finding> run() && {
    look_for(FindingCode::selects_nothing, [&] { look_at_predicates(); });
    look_for(FindingCode::updates_ignored, [&] { look_at_ignored(); });
    look_for(FindingCode::selected_label_overwritten, [&] { look_at_overwritten(); });
    const Rejections rejections(rules_);
    look_for(FindingCode::never_fires, [&] { look_at_rejected(rejections); });
    look_for(FindingCode::writes_differ, [&] {
      for (auto& [field, all] : writers()) look_at_writers(field.second, all, rejections);
    });
    return std::move(*this).take();
  }

 private:
  void find(FindingCode code, const AnalyzedRule& rule, FieldPath field, std::string detail = {}) {
    add({.code = code,
         .severity = Severity::warning,
         .policies = {schedpol::detail::qualified_name(rule.policy->metadata)},
         .field = std::move(field),
         .detail = std::move(detail)});
  }

  /// Leaves out the rules that select nothing.
  void look_at_predicates() {
    schedpol::detail::erase_if(rules_, [&](AnalyzedRule& rule) {
      const PolicyPredicate& predicate = rule.predicate();
      if (!Selection::can_afford(schedpol::detail::texts_of(predicate.label_selector) +
                                     schedpol::detail::texts_of(predicate.annotation_selector),
                                 budget_))
        return true;
      rule.selection.in_namespace(rule.policy->metadata.namespace_)
          .labels(predicate.label_selector.value_or(LabelSelector{}))
          .annotations(predicate.annotation_selector.value_or(LabelSelector{}));
      if (!rule.selection.selects_nothing(budget_)) return false;
      if (rule.is_asked_about)
        find(FindingCode::selects_nothing, rule, rule.path().child("policyPredicate"));
      return true;
    });
  }

  void look_at_ignored() {
    for (const AnalyzedRule& rule : rules_)
      if (rule.is_asked_about && rule.action().reject && rule.lists_updates())
        find(FindingCode::updates_ignored, rule, rule.path().child("policyAction"));
  }

  /// A label that may be missing is given a default, which is no harm.
  void look_at_overwritten() {
    for (const AnalyzedRule& rule : rules_) {
      const auto& selector = rule.predicate().label_selector;
      if (!rule.is_asked_about || rule.action().reject || !selector) continue;
      const schedpol::detail::Conjunction all = schedpol::detail::to_conjunction(*selector);
      for (const auto& [key, value] : rule.action().updated_labels) {
        if (!budget_.spend(all.size())) return;
        const auto some_fails = [&, &key = key](const std::string* text) {
          return schedpol::detail::any_of(all, [&](const schedpol::detail::Requirement& each) {
            return each.key == key && !each.holds(text);
          });
        };
        if (!some_fails(nullptr) || !some_fails(&value)) continue;
        find(FindingCode::selected_label_overwritten, rule,
             rule.path().child("policyAction").child("updatedLabels").key(key), value);
        break;
      }
    }
  }

  void look_at_rejected(const Rejections& rejections) {
    for (const AnalyzedRule& rule : rules_) {
      if (!rule.is_asked_about || rule.action().reject || !rule.lists_updates()) continue;
      if (rejections.spared(rule.selection.requirements(), budget_)) continue;
      if (budget_.used_up()) return;
      find(FindingCode::never_fires, rule, rule.path());
    }
  }

  using Writers = schedpol::detail::Writers;

  /// The rules that write each field of an object of a namespace. One that rejects writes nothing.
  [[nodiscard]] std::map<std::pair<std::string_view, FieldPath>, Writers> writers() const {
    std::map<std::pair<std::string_view, FieldPath>, Writers> all;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      if (rules_[i].action().reject) continue;
      const auto add = [&](std::string_view map, const Labels& updated) {
        for (const auto& [key, value] : updated) {
          budget_.spend(10);
          all[{rules_[i].policy->metadata.namespace_, FieldPath{"metadata", map}.key(key)}].add(
              value, i);
        }
      };
      add("labels", rules_[i].action().updated_labels);
      add("annotations", rules_[i].action().updated_annotations);
    }
    return all;
  }

  void look_at_writers(const FieldPath& field, Writers& writers, const Rejections& rejections) {
    if (!writers.differ()) return;
    const auto witness = [&](const auto& a, const auto& b) {
      return rejections.spared(both(*a.selection, *b.selection), budget_);
    };
    const auto found = [&](const auto& first, const auto& second, const Labels& labels) {
      schedpol::detail::SelectedObject selected(labels);
      const AnalyzedRule& a = rules_[first.number];
      const AnalyzedRule& b = rules_[second.number];
      Finding finding{.code = FindingCode::writes_differ,
                      .severity = Severity::warning,
                      .policies = {schedpol::detail::qualified_name(b.policy->metadata)},
                      .field = field};
      if (a.policy != b.policy)
        finding.policies = {schedpol::detail::qualified_name(a.policy->metadata),
                            schedpol::detail::qualified_name(b.policy->metadata)};
      finding.detail = written(a, writers.value_of(first.group)) + ", " +
                       written(b, writers.value_of(second.group));
      finding.witness.emplace().metadata = {.namespace_ = b.policy->metadata.namespace_,
                                            .labels = std::move(selected.labels),
                                            .annotations = std::move(selected.annotations)};
      add(std::move(finding));
    };
    schedpol::detail::OverlapSearch(budget_, witness, found)
        .run(writers.grouped([&](std::size_t i) {
          return schedpol::detail::Overlapping{.selection = &rules_[i].selection,
                                               .is_asked_about = rules_[i].is_asked_about};
        }));
  }
  static std::string written(const AnalyzedRule& rule, std::string_view value) {
    return to_string(rule.path()).append(" ").append(schedpol::detail::start_of(value));
  }

  std::vector<AnalyzedRule> rules_;  ///< in the order in which they apply
};

/// Whether a stored rule can matter to one that is written: rejects an object that it updates, or
/// writes a key that it writes.
inline bool is_neighbour(const AnalyzedRule& stored, const std::vector<AnalyzedRule>& written,
                         Budget& budget) {
  const auto writes_key_of = [&](const AnalyzedRule& each) {
    const auto is_written = [&](const auto& pair) {
      return each.action().updated_labels.contains(pair.first) ||
             each.action().updated_annotations.contains(pair.first);
    };
    budget.spend(
        2 * (stored.action().updated_labels.size() + stored.action().updated_annotations.size()));
    return schedpol::detail::any_of(stored.action().updated_labels, is_written) ||
           schedpol::detail::any_of(stored.action().updated_annotations, is_written);
  };
  return schedpol::detail::any_of(written, [&](const AnalyzedRule& each) {
    budget.spend(2);
    return !each.action().reject && each.lists_updates() &&
           (stored.action().reject || writes_key_of(each)) &&
           !name_different_values(stored.predicate().label_selector,
                                  each.predicate().label_selector, budget) &&
           !name_different_values(stored.predicate().annotation_selector,
                                  each.predicate().annotation_selector, budget);
  });
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const MetadataPolicy> policies) {
  std::vector<detail::AnalyzedRule> rules;
  for (const MetadataPolicy& policy : policies) {
    if (!validate(policy).empty()) continue;
    for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) rules.push_back({&policy, i});
  }
  detail::Budget budget;
  return detail::MetadataPolicyAnalysis(std::move(rules), budget).run();
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/insight/impl/changed_policies.hpp

/// What the analysis of each system asks of objects that are written, and of those that an engine has.

namespace SCHEDPOL_NAMESPACE::engine::detail {

using schedpol::detail::append;
using schedpol::detail::Budget;

/// What whoever writes objects has to be told of them, among those of an engine. Only what is stored
/// and can matter to what is written is looked at; stored objects are neither copied nor compiled
/// before that is known.
class ChangedPolicies {
 public:
  /// `written` are objects that can be used, of so many texts.
  ChangedPolicies(const EngineAccess::Impl& engine, const Objects& written, std::size_t texts)
      : engine_(engine),
        written_(written),
        budget_(max_written_policy_steps + written_policy_steps_a_text * texts) {}

  [[nodiscard]] const Objects& written() const noexcept { return written_; }
  [[nodiscard]] const Settings& settings() const noexcept { return engine_.settings; }
  [[nodiscard]] Budget& budget() noexcept { return budget_; }

  template <class T>
  [[nodiscard]] const T& compiled(System system) const {
    return static_cast<const T&>(engine_.compiled(system));
  }

  /// Whether one of a list is called like a stored object, which it takes the place of.
  template <class T>
  [[nodiscard]] bool is_replaced(const T& stored, const std::vector<T>& list) {
    budget_.spend(list.size());
    return schedpol::detail::any_of(list, [&](const T& each) {
      return each.metadata.name == stored.metadata.name &&
             each.metadata.namespace_ == stored.metadata.namespace_;
    });
  }

 private:
  const EngineAccess::Impl& engine_;
  const Objects& written_;
  Budget budget_;
};

template <class T>
std::set<std::string> namespaces_of(const std::vector<T>& list) {
  std::set<std::string> namespaces;
  for (const T& each : list) namespaces.insert(each.metadata.namespace_);
  return namespaces;
}

/// A stored policy that is sorted among the written ones.
inline constexpr std::size_t steps_of_neighbour = 60;

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/systems/metadata_policy.hpp

/// What is found of MetadataPolicies.

namespace SCHEDPOL_NAMESPACE::engine::detail {

inline std::vector<Finding> analyze_metadata_policies(const Objects& objects, const Settings&,
                                                      std::span<const Node>) {
  return metadata_policy::analyze(objects.metadata_policies);
}

inline std::vector<Finding> analyze_changed_metadata_policies(ChangedPolicies& changed) {
  Budget& budget = changed.budget();
  using metadata_policy::MetadataPolicy;
  const std::vector<MetadataPolicy>& list = changed.written().metadata_policies;
  std::vector<metadata_policy::detail::AnalyzedRule> rules;
  for (const MetadataPolicy& policy : list)
    for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) rules.push_back({&policy, i});
  std::vector<metadata_policy::detail::AnalyzedRule> stored;
  for (const std::string& namespace_ : namespaces_of(list)) {
    changed.compiled<MetadataPolicySystem>(System::metadata_policy)
        .objects()
        .for_each_in<MetadataPolicy>(namespace_, [&](const MetadataPolicy& policy) {
          if (changed.is_replaced(policy, list)) return true;
          budget.spend(5);
          for (std::size_t i = 0; i < policy.spec.rules.size() && !budget.used_up(); ++i) {
            metadata_policy::detail::AnalyzedRule rule{&policy, i, false};
            if (is_neighbour(rule, rules, budget) && budget.spend(steps_of_neighbour))
              stored.push_back(std::move(rule));
          }
          return !budget.used_up();
        });
  }
  schedpol::detail::append(rules, std::move(stored));
  return metadata_policy::detail::MetadataPolicyAnalysis(std::move(rules), budget).run();
}

inline std::size_t metadata_policy_texts(const Objects& written) {
  std::size_t texts = 0;
  for (const auto& policy : written.metadata_policies)
    texts += metadata_policy::detail::texts_of(policy);
  return texts;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/analyze_pod_scheduling_policies.ipp

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

namespace detail {

/// What a policy that has good selectors asks of nodes: its nodeSelector, and its required node terms.
/// Whether two policies contradict each other in it, injecting them tells, so that there is one rule
/// of what is skipped.
class NodeRequirements {
 public:
  explicit NodeRequirements(const PodSchedulingPolicySpec& from)
      : node_selector_(from.node_selector) {
    PodSchedulingPolicy policy{.kind = PolicyKind::cluster_pod_scheduling_policy,
                               .metadata = {.name = "requirements"}};
    policy.spec.pod_selector = LabelSelector();
    policy.spec.namespace_selector = LabelSelector();
    policy.spec.node_selector = from.node_selector;
    for (const auto& [key, value] : from.node_selector) append(key + '=' + value, " & ");
    const auto terms = required_terms(from.affinity);
    has_terms_ = !terms.empty();
    if (has_terms_) {
      policy.spec.affinity.emplace()
          .node_affinity.emplace()
          .required_during_scheduling_ignored_during_execution =
          NodeSelector{{terms.begin(), terms.end()}};
    }
    for (const NodeSelectorTerm& term : terms) {
      append(to_string(term), &term == terms.data() ? " & " : " | ");
      weight_ += term.match_expressions.size() + term.match_fields.size();
    }
    weight_ += from.node_selector.size();
    policies_ = *compile({&policy, 1});
    pod_ = injected_into(Pod()).pod;
  }

  /// On one line; different ones have different texts.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool has_terms() const noexcept { return has_terms_; }
  /// How much there is to look at.
  [[nodiscard]] std::size_t weight() const noexcept { return weight_; }

  /// Whether no node meets its terms together with its nodeSelector.
  [[nodiscard]] bool is_unmet() const noexcept {
    return has_terms_ && required_terms(pod_.spec.affinity).empty();
  }

  /// The field of it that is skipped in a pod with other requirements, apart from keys that both select
  /// with different values.
  [[nodiscard]] std::optional<FieldPath> skipped_after(const NodeRequirements& other) const {
    const Injection injection = injected_into(other.pod_);
    for (const auto& [key, value] : node_selector_)
      if (!injection.pod.spec.node_selector.contains(key))
        return FieldPath{"spec", "nodeSelector"}.key(key);
    const FieldPath terms = {"spec", "affinity", "nodeAffinity", required_mode};
    const bool skips = schedpol::detail::any_of(
        injection.skipped, [&](const Skipped& skipped) { return skipped.field == terms; });
    // Where some of its terms are merged nothing of what it means is lost.
    if (!skips || injection.pod.spec.affinity != other.pod_.spec.affinity) return std::nullopt;
    return terms;
  }

 private:
  [[nodiscard]] Injection injected_into(Pod pod) const {
    return inject(std::move(pod), {}, policies_, DefaultScheduler::specified,
                  ChangeValues::omitted);
  }
  void append(const std::string& part, const char* separator) {
    if (!text_.empty()) text_ += separator;
    text_ += part;
  }

  const Labels& node_selector_;
  std::string text_;
  bool has_terms_ = false;
  std::size_t weight_ = 1;
  CompiledPolicies policies_;  ///< one that selects every pod and injects nothing else
  Pod pod_;                    ///< one that asks for nothing else
};

using schedpol::detail::Budget;
using schedpol::detail::Overlapping;
using schedpol::detail::Selection;

inline bool is_of_cluster(const PodSchedulingPolicy& policy) noexcept {
  return policy.kind == PolicyKind::cluster_pod_scheduling_policy;
}

inline std::string shown_name(const PodSchedulingPolicy& policy) {
  return is_of_cluster(policy) ? policy.metadata.name
                               : schedpol::detail::qualified_name(policy.metadata);
}

/// Whether it asks anything of nodes.
inline bool asks_for_nodes(const PodSchedulingPolicySpec& spec) {
  return !spec.node_selector.empty() || !required_terms(spec.affinity).empty();
}

/// A policy, and whether it is asked about: of the others only matters what they write into pods of
/// one that is.
struct AnalyzedInjection {
  const PodSchedulingPolicy* policy;
  bool is_asked_about = true;
  Selection selection{};  ///< once it was looked at
};

inline std::size_t texts_of(const PodSchedulingPolicy& policy) {
  const PodSchedulingPolicySpec& spec = policy.spec;
  std::size_t texts = schedpol::detail::texts_of(spec.namespace_selector) +
                      schedpol::detail::texts_of(spec.pod_selector) + spec.node_selector.size();
  for (const NodeSelectorTerm& term : required_terms(spec.affinity))
    for (const auto* list : {&term.match_expressions, &term.match_fields})
      for (const NodeSelectorRequirement& each : *list) texts += 1 + each.values.size();
  return texts;
}

/// What is odd about PodSchedulingPolicies, as `analyze_pod_scheduling_policies.hpp` says it.
class PodSchedulingPolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  /// Of policies that can be used.
  PodSchedulingPolicyAnalysis(std::vector<AnalyzedInjection> policies, Budget& budget)
      : Analysis(budget), policies_(std::move(policies)) {
    std::sort(policies_.begin(), policies_.end(), [](const auto& a, const auto& b) {
      return schedpol::detail::is_before(name_of(*a.policy), name_of(*b.policy));
    });
  }

  std::vector<Finding> run() && {
    look_for(FindingCode::selects_nothing, [&] { look_at_selectors(); });
    look_for(FindingCode::requirement_unmet, [&] { look_at_requirements(); });
    look_for(FindingCode::writes_differ, [&] {
      for (auto& [field, all] : writers()) look_at_writers(field, all);
      look_at_contradictions();
    });
    return std::move(*this).take();
  }

 private:
  [[nodiscard]] const PodSchedulingPolicySpec& spec(std::size_t number) const noexcept {
    return policies_[number].policy->spec;
  }
  [[nodiscard]] Overlapping overlapping(std::size_t number) const noexcept {
    return {.number = number,
            .selection = &policies_[number].selection,
            .is_asked_about = policies_[number].is_asked_about};
  }

  /// What selects nothing is looked at no more, but for what it asks of nodes.
  void look_at_selectors() {
    for (AnalyzedInjection& analyzed : policies_) {
      const PodSchedulingPolicy& policy = *analyzed.policy;
      selects_.push_back(false);
      if (!Selection::can_afford(schedpol::detail::texts_of(policy.spec.pod_selector) +
                                     schedpol::detail::texts_of(policy.spec.namespace_selector),
                                 budget_))
        return;
      Selection pods;
      pods.labels(policy.spec.pod_selector);
      analyzed.selection = pods;
      if (is_of_cluster(policy)) {
        analyzed.selection.in_namespaces(policy.spec.namespace_selector);
      } else {
        analyzed.selection.in_namespace(policy.metadata.namespace_);
      }
      selects_.back() = !analyzed.selection.selects_nothing(budget_);
      if (selects_.back() || !analyzed.is_asked_about) continue;
      const bool no_pods = pods.selects_nothing(budget_);
      add({.code = FindingCode::selects_nothing,
           .severity = Severity::warning,
           .policies = {shown_name(policy)},
           .field = FieldPath{no_pods ? "podSelector" : "namespaceSelector"}});
    }
  }

  using Writers = schedpol::detail::Writers;

  /// Those that write each field of a pod.
  [[nodiscard]] std::map<FieldPath, Writers> writers() {
    std::map<FieldPath, Writers> all;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      if (!selects_[i]) continue;
      budget_.spend(20 + 20 * spec(i).node_selector.size());
      if (!spec(i).node_name.empty()) all[{"spec", "nodeName"}].add(spec(i).node_name, i);
      if (!spec(i).scheduler_name.empty())
        all[{"spec", "schedulerName"}].add(spec(i).scheduler_name, i);
      for (const auto& [key, value] : spec(i).node_selector)
        all[FieldPath{"spec", "nodeSelector"}.key(key)].add(value, i);
    }
    return all;
  }

  void look_at_writers(const FieldPath& field, Writers& writers) {
    if (!writers.differ()) return;
    for_each_overlap(writers.grouped([&](std::size_t i) { return overlapping(i); }), budget_,
                     [&](const auto& first, const auto& second, const Labels& labels) {
                       find_difference(first, second, labels, field, writers.value_of(first.group),
                                       writers.value_of(second.group));
                     });
  }

  /// Two policies that write a field of a pod that both select, which has these labels.
  void find_difference(const Overlapping& first, const Overlapping& second, const Labels& labels,
                       const FieldPath& field, std::string_view of_first,
                       std::string_view of_second) {
    using schedpol::detail::start_of;
    schedpol::detail::SelectedObject selected(labels);
    Finding finding{.code = FindingCode::writes_differ,
                    .severity = Severity::warning,
                    .policies = {shown_name(*policies_[first.number].policy),
                                 shown_name(*policies_[second.number].policy)},
                    .field = field};
    finding.detail.append(start_of(of_first)).append(", ").append(start_of(of_second));
    finding.witness.emplace().metadata = {.namespace_ = selected.namespace_.name,
                                          .labels = std::move(selected.labels)};
    finding.namespace_ = {std::move(selected.namespace_)};
    add(std::move(finding));
  }

  /// What those that select pods ask of nodes, told apart by their texts.
  void look_at_requirements() {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      if (!asks_for_nodes(spec(i))) continue;
      if (!budget_.spend(steps_of_injection + 24 * texts_of(*policies_[i].policy))) return;
      NodeRequirements requirements(spec(i));
      if (requirements.is_unmet()) {
        if (!policies_[i].is_asked_about) continue;
        add({.code = FindingCode::requirement_unmet,
             .severity = Severity::warning,
             .policies = {shown_name(*policies_[i].policy)},
             .field = {"affinity", "nodeAffinity", required_mode},
             .detail = std::string(schedpol::detail::start_of(requirements.text()))});
      } else if (selects_[i]) {
        const auto [number, added] = numbers.try_emplace(requirements.text(), requirements_.size());
        if (added) requirements_.push_back(std::move(requirements));
        requiring_.push_back(overlapping(i));
        requiring_.back().group = number->second;
      }
    }
  }

  /// Requirements, and others that come before them.
  using Contradictions = std::map<std::pair<std::size_t, std::size_t>, FieldPath>;

  [[nodiscard]] Contradictions contradictions() {
    std::vector<bool> are_asked_about(requirements_.size());
    for (const Overlapping& one : requiring_)
      if (one.is_asked_about) are_asked_about[one.group] = true;
    Contradictions all;
    const auto add = [&](std::size_t later, std::size_t earlier) {
      auto field = requirements_[later].skipped_after(requirements_[earlier]);
      if (field && budget_.keep(bytes_of_contradiction))
        all.emplace(std::pair(later, earlier), *std::move(field));
    };
    for (std::size_t i = 0; i < requirements_.size(); ++i) {
      if (!requirements_[i].has_terms()) continue;
      for (std::size_t j = 0; j < requirements_.size(); ++j) {
        if (i == j || (j < i && requirements_[j].has_terms())) continue;
        budget_.spend();
        if (!are_asked_about[i] && !are_asked_about[j]) continue;
        // Each term of the one is merged with each of the other, there and back.
        if (!budget_.spend(2 * steps_of_injection + steps_of_merged_term *
                                                        requirements_[i].weight() *
                                                        requirements_[j].weight()))
          return all;
        add(i, j);
        add(j, i);
      }
    }
    return all;
  }

  void look_at_contradictions() {
    const Contradictions all = contradictions();
    std::set<std::size_t> contradicting;
    for (const auto& [pair, field] : all) {
      contradicting.insert(pair.first);
      contradicting.insert(pair.second);
    }
    schedpol::detail::erase_if(requiring_,
                               [&](const auto& one) { return !contradicting.contains(one.group); });
    const auto witness = [&](const auto& first, const auto& second) -> std::optional<Labels> {
      if (!all.contains({second.group, first.group})) return std::nullopt;
      return to_labels(both(*first.selection, *second.selection));
    };
    const auto found = [&](const auto& first, const auto& second, const Labels& labels) {
      find_difference(first, second, labels, all.at({second.group, first.group}),
                      requirements_[first.group].text(), requirements_[second.group].text());
    };
    schedpol::detail::OverlapSearch(budget_, witness, found).run(std::move(requiring_));
  }

  /// Of a pod, by a policy that was compiled for it.
  static constexpr std::size_t steps_of_injection = 1'000;
  static constexpr std::size_t steps_of_merged_term = 150;
  static constexpr std::size_t bytes_of_contradiction = 256;

  std::vector<AnalyzedInjection> policies_;  ///< in the order in which they apply
  std::vector<bool> selects_;
  std::vector<NodeRequirements> requirements_;
  std::vector<Overlapping> requiring_;  ///< the policies, grouped by requirements
};

/// Whether a stored policy can matter to one that is written: may select one pod, and write something
/// else to a field of it, or ask for other nodes.
inline bool is_neighbour(const PodSchedulingPolicy& stored,
                         std::span<const PodSchedulingPolicy> written, Budget& budget) {
  const auto differ = [](const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() && a != b;
  };
  budget.spend(5);
  return schedpol::detail::any_of(written, [&](const PodSchedulingPolicy& each) {
    budget.spend(2);
    if (!is_of_cluster(stored) && !is_of_cluster(each) &&
        stored.metadata.namespace_ != each.metadata.namespace_)
      return false;
    const bool write_differently = differ(stored.spec.node_name, each.spec.node_name) ||
                                   differ(stored.spec.scheduler_name, each.spec.scheduler_name) ||
                                   (asks_for_nodes(stored.spec) && asks_for_nodes(each.spec));
    return write_differently &&
           !name_different_values(stored.spec.pod_selector, each.spec.pod_selector, budget);
  });
}

/// A pod that has what one policy selects, and no more; of a policy of the cluster in that namespace, or
/// in one of which nothing is known where it is empty.
inline std::optional<schedpol::detail::SelectedObject> selected_by(
    const PodSchedulingPolicy& policy, const std::string& namespace_) {
  Selection selection;
  selection.labels(policy.spec.pod_selector);
  if (is_of_cluster(policy)) selection.in_namespaces(policy.spec.namespace_selector);
  const std::string& in = is_of_cluster(policy) ? namespace_ : policy.metadata.namespace_;
  if (!in.empty()) selection.in_namespace(in);
  return selection.selected();
}

/// Those of `all` that give too much together to a pod that one of `policies` selects; one of the cluster
/// in each of `namespaces` besides.
inline std::vector<Finding> giving_too_much(std::span<const PodSchedulingPolicy> policies,
                                            std::set<std::string> namespaces,
                                            const CompiledPolicies& all, Budget& budget) {
  namespaces.emplace();
  schedpol::detail::Analysis analysis(budget);
  std::set<std::string> reported;
  const auto look_at = [&](schedpol::detail::SelectedObject selected) {
    const Namespace in{selected.namespace_};
    constexpr std::size_t steps_of_candidate = 10;
    if (!budget.spend(steps_of_candidate * all.candidates(selected.labels, in))) return;
    const std::size_t items = all.given_items(selected.labels, in);
    if (items <= max_given_items) return;
    Pod pod;
    pod.metadata = {.namespace_ = in.metadata.name, .labels = std::move(selected.labels)};
    // Both are in one order, in which those of the cluster come before others of their names.
    const auto of_cluster = all.criteria_of_cluster(pod.metadata.labels, &in);
    auto next = of_cluster.begin();
    std::vector<std::string> names = inject(pod, in, all).applied;
    for (std::string& name : names) {
      if (next != of_cluster.end() && next->policy == name) {
        ++next;
      } else {
        name.insert(0, in.metadata.name + '/');
      }
    }
    reported.insert(names.begin(), names.end());
    analysis.add({.code = FindingCode::limit_exceeded,
                  .severity = Severity::warning,
                  .policies = std::move(names),
                  .detail = std::to_string(items),
                  .witness = std::move(pod),
                  .namespace_ = in});
  };
  analysis.look_for(FindingCode::limit_exceeded, [&] {
    for (const PodSchedulingPolicy& policy : policies) {
      for (const std::string& namespace_ : namespaces) {
        if (reported.contains(shown_name(policy))) break;
        if (!Selection::can_afford(texts_of(policy), budget)) return;
        if (auto selected = selected_by(policy, namespace_)) look_at(*std::move(selected));
        if (!is_of_cluster(policy)) break;
      }
    }
  });
  return std::move(analysis).take();
}

/// What those of a list give, to whomever.
inline std::size_t given_items(std::span<const PodSchedulingPolicy> policies) noexcept {
  std::size_t items = 0;
  for (const PodSchedulingPolicy& policy : policies)
    items += schedpol::detail::given_items(policy.spec);
  return items;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const PodSchedulingPolicy> policies) {
  std::vector<PodSchedulingPolicy> good;
  for (const PodSchedulingPolicy& policy : policies)
    if (validate(policy).empty()) good.push_back(policy);
  std::vector<detail::AnalyzedInjection> analyzed;
  for (const PodSchedulingPolicy& policy : good) analyzed.push_back({&policy});
  detail::Budget budget;
  std::vector<Finding> findings =
      detail::PodSchedulingPolicyAnalysis(std::move(analyzed), budget).run();
  if (detail::given_items(good) <= max_given_items) return findings;
  std::set<std::string> namespaces;
  for (const PodSchedulingPolicy& policy : good)
    if (!detail::is_of_cluster(policy)) namespaces.insert(policy.metadata.namespace_);
  detail::Budget of_items;
  if (const auto compiled = compile(good))
    schedpol::detail::append(
        findings, detail::giving_too_much(good, std::move(namespaces), *compiled, of_items));
  return findings;
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/insight/impl/covered_patterns.hpp

/// Which patterns of a list permit nothing that the others together do not. Of what a pattern permits
/// one toleration or expression of each sort is tried that the list tells apart.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

template <class Source>
class CoveredPatterns {
 public:
  /// Patterns that outlive it.
  CoveredPatterns(const std::vector<const Source*>& patterns, Budget& budget)
      : patterns_(patterns),
        index_([&](auto&& add) {
          for (const Source* pattern : patterns) add(*pattern);
        }),
        left_out_(patterns.size()),
        budget_(budget) {
    for (const Source* pattern : patterns) {
      keys_.add(pattern->keys.listed());
      values_.add(pattern->values.listed());
    }
    other_key_ = keys_.other();
    other_value_ = values_.other();
  }

  /// Whether all the others together permit what one permits; from then on it is none of them.
  [[nodiscard]] bool leave_out(std::size_t which) {
    left_out_[which] = true;
    left_out_[which] = are_permitted(*patterns_[which]) && !budget_.used_up();
    return left_out_[which];
  }

 private:
  [[nodiscard]] bool are_permitted(const TolerationPattern& pattern) {
    const Pattern own(pattern);
    std::vector<std::string_view> values = values_.of(pattern.values, other_value_);
    values.emplace_back();
    for (const std::string_view key : keys_.of(pattern.keys, other_key_)) {
      for (const std::string_view value : values) {
        if (!budget_.spend(16)) return false;
        for (const TolerationOperator op : {TolerationOperator::equal, TolerationOperator::exists,
                                            TolerationOperator::lt, TolerationOperator::gt}) {
          for (const TaintEffect effect : taint_effects) {
            const Toleration point{std::string(key), op, std::string(value), effect, {}};
            if (own.matches(point) && !is_permitted(point, 1)) return false;
          }
        }
      }
    }
    return true;
  }
  /// What has all values of a pattern is permitted by no more patterns than what has some.
  [[nodiscard]] bool are_permitted(const RequirementPattern& pattern) {
    const Pattern own(pattern);
    const std::vector<std::string_view> values = values_.of(pattern.values, other_value_);
    NodeSelectorRequirement point;
    for (const std::string_view value : values) point.values.push_back(std::string(value));
    for (const std::string_view key : keys_.of(pattern.keys, other_key_)) {
      if (!budget_.spend(16 + values.size())) return false;
      point.key = key;
      for (const NodeSelectorOperator op : Expressions::operators) {
        point.operator_ = op;
        if (own.matches(point) && !is_permitted(point, 1 + values.size())) return false;
      }
    }
    return true;
  }

  /// Whether one that is not left out matches it, which has so many values.
  template <class Item>
  [[nodiscard]] bool is_permitted(const Item& point, std::size_t values) {
    if (!budget_.spend((1 + index_.most_of_key() / 4) * values)) return false;
    bool is_permitted = false;
    index_.for_each_match(point, words_of(point), [&](std::size_t number) {
      is_permitted = is_permitted || !left_out_[number];
    });
    return is_permitted;
  }

  const std::vector<const Source*>& patterns_;
  PatternIndex index_;
  std::vector<bool> left_out_;
  Budget& budget_;
  EquivalenceClasses keys_;
  EquivalenceClasses values_;
  std::string other_key_;
  std::string other_value_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/entry_text.hpp

/// What stands at an entry of a policy, on one line as YAML writes it in flow style: `[]` is any,
/// `none` a list of nothing. Empty where nothing stands there.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class EntryText {
 public:
  /// `entry` is one of those that a merge writes down, or one of the tolerations.
  static std::string of(const SchedulingPolicySpec& spec, const FieldPath& entry) {
    EntryText text;
    const std::vector<FieldPath::Step> steps = entry.steps();
    for_each_field<SchedulingPolicySpec>([&](std::string_view name, auto section) {
      if (name == steps.front().name) text.add_below(spec.*section, Steps(steps).subspan(1));
    });
    return std::move(text.text_);
  }

 private:
  using Steps = std::span<const FieldPath::Step>;

  /// What stands where the steps lead from here.
  template <class T>
  void add_below(const T& part, Steps steps) {
    if constexpr (HasFields<T>) {
      for_each_field<T>([&](std::string_view name, auto member) {
        if (name == steps.front().name) add_at(part.*member, steps.subspan(1));
      });
    } else if constexpr (requires { typename T::mapped_type; }) {
      const auto found = part.find(steps.front().name);
      if (found != part.end()) add_at(found->second, steps.subspan(1));
    } else if constexpr (std::is_same_v<T, std::vector<TolerationPattern>> ||
                         std::is_same_v<T, std::vector<SpreadConstraintPattern>>) {
      add(part[steps.front().index]);
    }
  }
  /// The terms of one mode.
  template <class Kind>
    requires std::is_same_v<Kind, NodeAffinity> || std::is_same_v<Kind, PodAffinity>
  void add_below(const Kind& kind, Steps steps) {
    Kind alone;
    for_each_field<Kind>([&](std::string_view name, auto mode) {
      if (name == steps.front().name) alone.*mode = kind.*mode;
    });
    add(alone);
  }
  template <class T>
  void add_at(const T& part, Steps steps) {
    steps.empty() ? add(part) : add_below(part, steps);
  }
  template <class T>
  void add_at(const AnyOr<T>& field, Steps steps) {
    steps.empty() ? add(field) : add_below(field.listed(), steps);
  }
  template <schedpol::detail::AnyOptional Field>
  void add_at(const Field& field, Steps steps) {
    if (field) add_at(*field, steps);
  }

  void add(std::string_view text) { append_escaped(text_, text, ",[]{}: \""); }
  void add(const std::string& text) { add(std::string_view(text)); }
  void add(const TolerationPattern& pattern) { text_ += to_string(pattern); }
  void add(const SpreadConstraintPattern& pattern) { text_ += to_string(pattern); }
  void add(const TermPattern& pattern) { text_ += to_string(pattern); }
  void add(const NodeAffinityRule& rule) { add_list(rule.node_selector_terms); }
  void add(const PodAffinityRule& rule) { add_list(rule.topology_keys); }
  void add(const NodeAffinity& kind) { text_ += schedpol::to_string(kind); }
  void add(const PodAffinity& kind) { text_ += schedpol::to_string(kind); }
  void add(const Affinity& affinity) {
    for_each_kind([&](const auto& kind) { add(affinity.*kind.member); });
  }
  void add(const DefaultToleration& by_default) {
    text_ += schedpol::to_string(by_default.toleration);
    if (by_default.values.is_absent()) return;
    text_ += " values ";
    add(by_default.values);
  }
  template <schedpol::detail::AnyOptional Field>
  void add(const Field& field) {
    if (field) add(*field);
  }
  template <class T>
  void add(const AnyOr<T>& field) {
    if (field.is_listed()) return add(field.listed());
    text_ += field.is_any() ? "[]" : "none";
  }
  void add(const Texts& list) { add_list(list); }
  template <class T>
  void add(const std::vector<T>& list) {
    add_list(list);
  }
  void add(const NodeSelectors& map) { add_map(map); }
  void add(const Labels& map) { add_map(map); }
  template <class Rule>
  void add(const AffinityModes<Rule>& kind) {
    text_ += '{';
    for_each_field<AffinityModes<Rule>>(
        [&](std::string_view name, auto mode) { add_field(name, kind.*mode); });
    text_ += '}';
  }
  void add(const AffinityRules& rules) {
    text_ += '{';
    for_each_kind([&](const auto& kind) {
      if (!(rules.*kind.rules).is_absent()) add_field(kind.rules_field, rules.*kind.rules);
    });
    text_ += '}';
  }

  template <class T>
  void add_field(std::string_view name, const T& value) {
    if (text_.back() != '{') text_ += ", ";
    add(name);
    text_ += ": ";
    add(value);
  }
  template <class Map>
  void add_map(const Map& map) {
    text_ += '{';
    for (const auto& [key, value] : map) add_field(key, value);
    text_ += '}';
  }
  template <class List>
  void add_list(const List& list) {
    if (list.begin() == list.end()) text_ += "none";
    std::string_view before = "[";
    for (const auto& item : list) {
      text_ += std::exchange(before, ", ");
      add(item);
    }
    if (list.begin() != list.end()) text_ += ']';
  }

  std::string text_;
};

/// Takes over what stands where the steps lead.
template <class T>
void copy_at(std::span<const FieldPath::Step> steps, const AnyOr<T>& from, AnyOr<T>& to);
template <class T>
void copy_at(std::span<const FieldPath::Step> steps, const T& from, T& to) {
  if (steps.empty()) {
    to = from;
  } else if constexpr (HasFields<T>) {
    for_each_field<T>([&](std::string_view name, auto member) {
      if (name == steps.front().name) copy_at(steps.subspan(1), from.*member, to.*member);
    });
  } else if constexpr (requires { typename T::mapped_type; }) {
    const auto found = from.find(steps.front().name);
    if (found != from.end()) to.insert(*found);
  }
}
template <class T>
void copy_at(std::span<const FieldPath::Step> steps, const AnyOr<T>& from, AnyOr<T>& to) {
  if (steps.empty()) {
    to = from;
  } else {
    copy_at(steps, from.listed(), to.list());
  }
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/compare_tolerations.hpp

/// The lists of tolerations on which two policies differ, if they do. Finitely many are tried. Why they
/// suffice, where one side (here) is to allow a list that the other (there) denies:
///
/// 1. Tolerations. A pattern asks of the key, the operator, the value and the effect, each by itself,
///    whether its list has it; it does not ask for seconds. So two tolerations that no default gives and
///    nobody exempts are alike where they have the same operator and effect, and their keys and their
///    values stand in the same lists (`EquivalenceClasses`): the same patterns match them. Tried are, for
///    each pattern, a key and a value of each class that its lists have, with all operators and effects.
///    Where a list is any, a text is tried that nobody lists: the pattern matches it, too, and no other
///    pattern does that does not match the listed one. What is exempt or given is tried itself, and
///    beside it the same with other seconds, which is neither.
/// 2. It follows: where a pattern matches a toleration that some other patterns do not match, it also
///    matches one that is tried and that none of those matches.
/// 3. No effect means each of them. Such a toleration is permitted where it is permitted with each
///    effect. So where it is permitted here and not there, that is also so with one of the effects.
/// 4. Lists. A list is allowed where each item is permitted or exempt, and each requirement is met by one
///    of them. An item more never takes that from the others. Let a list be allowed here, and not there.
///    a. An item is not permitted there. By 2 and 3 one that is tried is permitted here alone. With it,
///       and one that meets each requirement here, a list is allowed here and not there (`try_from`).
///    b. All are permitted there, and none meets some requirement of that side. For each requirement here
///       the list has an item that meets it. By 2 one that is tried does so as well, and does not meet
///       the requirement there either. All of these make such a list (`try_without`). Where nothing is
///       required here, one item that is permitted will do, or none.
/// 5. Defaults. A side gives its default to a list of nothing but what it exempts. By 4 what else such
///    a list has in it never harms, so it is enough to try those with the most in them: nothing, all that
///    both exempt, all that the other side exempts and this one permits, and, for each requirement of the
///    other side, all that this one exempts and that does not meet it.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class ComparedTolerations {
 public:
  ComparedTolerations(const Sides& sides, Budget& budget) : sides_(sides), budget_(budget) {
    for (const Side& side : sides_) steps_a_point_ += CheckSteps(side).of_toleration();
    collect();
    for (std::size_t side = 0; side < 2; ++side) look_at(side);
  }

  void run(Component& component) {
    component_ = &component;
    attempt({});
    Indices on_both_sides;  // where either may give its default
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (of_[0].exempt[i] && of_[1].exempt[i]) on_both_sides.push_back(i);
    attempt(on_both_sides);
    for (std::size_t side = 0; side < 2; ++side) try_from(side);
  }

 private:
  using Indices = std::vector<std::size_t>;

  /// What one side says of each toleration, and which of them meet each of its requirements.
  struct OfSide {
    std::vector<bool> permitted;  ///< or exempt
    std::vector<bool> exempt;
    std::vector<bool> injected;     ///< by a class or a cluster policy
    std::vector<Pattern> required;  ///< and not met by what is added
    std::vector<Indices> meeting;
  };

  /// Of the tolerations that the patterns of both tell apart, one each. A pattern that takes any
  /// key or value is missed by none more than by a key or value that nobody lists.
  void collect() {
    const TolerationPattern anything{any, any, any, any};
    std::vector<const TolerationPattern*> patterns = {&anything};
    EquivalenceClasses keys;
    EquivalenceClasses values;
    for (const Side& side : sides_) {
      for (const auto* list : {&side.spec().required.tolerations, &side.spec().allowed.tolerations})
        for (const TolerationPattern& pattern : list->listed()) patterns.push_back(&pattern);
      side.exempt().for_each_toleration([&](const Toleration& each) { add_point(each, false); });
      const DefaultTolerations by_default(side.spec().defaults.tolerations);
      for (const Toleration& toleration : by_default.in_order()) add_point(toleration, true);
    }
    for (const TolerationPattern* pattern : patterns) {
      keys.add(pattern->keys.listed());
      values.add(pattern->values.listed());
    }
    const std::string other_key = keys.other();
    const std::string other_value = values.other();
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const TolerationPattern* pattern : patterns) {
      std::vector<std::string_view> with_values = values.of(pattern->values, other_value);
      with_values.emplace_back();
      for (const std::string_view key : keys.of(pattern->keys, other_key))
        for (const std::string_view value : with_values)
          if (!budget_.used_up() && seen.emplace(key, value).second)
            add(std::string(key), std::string(value));
    }
  }

  /// Of every operator and effect.
  void add(const std::string& key, const std::string& value) {
    const bool has_points = keys_of_points_.contains(key);
    for (const TolerationOperator op : {TolerationOperator::equal, TolerationOperator::exists,
                                        TolerationOperator::lt, TolerationOperator::gt}) {
      if (op == TolerationOperator::exists && !value.empty()) continue;
      if (!may_add(has_points ? 16 : 4, key, value)) return;
      for (const TaintEffect effect : {TaintEffect::unset, TaintEffect::no_schedule,
                                       TaintEffect::prefer_no_schedule, TaintEffect::no_execute}) {
        if (!has_points) {
          all_.push_back({key, op, value, effect, std::nullopt});
          continue;
        }
        Toleration toleration{key, op, value, effect, std::nullopt};
        add_distinct(toleration);
        toleration.toleration_seconds = other_seconds_;
        add_distinct(std::move(toleration));
      }
    }
  }
  /// One that is itself exempt or given, and with `any_effect` the one that has none.
  void add_point(const Toleration& toleration, bool any_effect) {
    keys_of_points_.insert(toleration.key);
    if (toleration.toleration_seconds) seconds_.insert(*toleration.toleration_seconds);
    while (seconds_.contains(other_seconds_)) ++other_seconds_;
    if (!may_add(4, toleration.key, toleration.value)) return;
    add_distinct(toleration);
    if (!any_effect) return;
    Toleration without = toleration;
    without.effect = TaintEffect::unset;
    add_distinct(std::move(without));
  }
  void add_distinct(Toleration toleration) {
    if (seen_.contains(TolerationIdentity(toleration))) return;
    all_.push_back(std::move(toleration));
    seen_.insert(TolerationIdentity(all_.back()));
  }
  /// So many tolerations of a key and value, of which each side is asked.
  bool may_add(std::size_t count, const std::string& key, const std::string& value) {
    return budget_.spend(count * steps_a_point_) &&
           budget_.keep(count * (sizeof(Toleration) + key.size() + value.size() + 24));
  }

  void look_at(std::size_t side) {
    const auto& [policy, options] = sides_[side];
    OfSide& of = of_[side];
    of.permitted.resize(all_.size());
    of.exempt.resize(all_.size());
    of.injected.resize(all_.size());
    const auto& rule = EffectivePolicyAccess::of(policy).checks.of(tolerations_field);
    std::set<TolerationIdentity> exempt;
    sides_[side].exempt().for_each_toleration(
        [&](const Toleration& each) { exempt.insert(TolerationIdentity(each)); });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Toleration& toleration = all_[i];
      of.exempt[i] = exempt.contains(TolerationIdentity(toleration));
      of.injected[i] = of.exempt[i] && sides_[side].exempt().give(toleration);
      of.permitted[i] = of.exempt[i] || rule.permits(toleration);
    }
    Indices every;
    std::map<std::string_view, Indices> by_key;
    const auto& patterns = policy.spec().required.tolerations.listed();
    for (std::size_t i = 0; i < all_.size() && !patterns.empty(); ++i) {
      every.push_back(i);
      by_key[all_[i].key].push_back(i);
    }
    for (const TolerationPattern& pattern : patterns) {
      Pattern made(pattern);
      const std::vector<Toleration>& added = options->added_to_pods.tolerations;
      if (schedpol::detail::any_of(
              added, [&](const Toleration& each) { return made.matches_covered_by(each); }))
        continue;
      const Pattern& required = of.required.emplace_back(std::move(made));
      Indices& meeting = of.meeting.emplace_back();
      const auto add = [&](const Indices& all) {
        if (!budget_.spend(1 + all.size())) return;
        for (const std::size_t i : all)
          if (meets(of, required, i)) meeting.push_back(i);
      };
      if (pattern.keys.is_any()) add(every);
      std::set<std::string_view> keys(pattern.keys.listed().begin(), pattern.keys.listed().end());
      if (!keys.empty()) keys.insert("");  // which covers every key
      for (const std::string_view key : keys)
        if (const auto found = by_key.find(key); found != by_key.end()) add(found->second);
      std::sort(meeting.begin(), meeting.end());
    }
  }

  /// Whether a toleration meets what one side requires.
  [[nodiscard]] bool meets(const OfSide& of, const Pattern& required, std::size_t i) const {
    return required.matches(all_[i]) || (of.injected[i] && required.matches_covered_by(all_[i]));
  }

  void try_from(std::size_t side) {
    const OfSide& here = of_[side];
    const OfSide& there = of_[1 - side];
    Indices meeting;
    for (const Indices& one : here.meeting)
      if (!one.empty()) meeting.push_back(one.front());
    attempt(meeting);
    // What a default gives may be denied.
    for (std::size_t i = 0; i < all_.size() && meeting.empty(); ++i) {
      if (!here.permitted[i] || here.exempt[i]) continue;
      attempt({i});
      break;
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!here.permitted[i] || there.permitted[i]) continue;
      Indices list = meeting;
      list.push_back(i);
      attempt(list);
      break;
    }
    Indices exempt_here;
    Indices exempt_there;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (here.exempt[i]) exempt_here.push_back(i);
      if (there.exempt[i] && here.permitted[i]) exempt_there.push_back(i);
    }
    // For each requirement over there all that meets one here is gone through, and all there is.
    std::size_t steps = all_.size() + exempt_here.size();
    for (const Indices& one : here.meeting) steps += 1 + one.size();
    if (!budget_.spend(there.required.size() * steps)) return;
    for (const Pattern& required : there.required) try_without(here, there, required, exempt_here);
    attempt(exempt_there);
  }

  /// A list that nothing meets the requirement in, over there, with one that is not exempt there and
  /// so keeps the default away. Where all of a list is exempt here, the default may meet the rest.
  void try_without(const OfSide& here, const OfSide& there, const Pattern& required,
                   const Indices& exempt_here) {
    const auto avoids = [&](std::size_t i) { return !meets(there, required, i); };
    Indices exempt;
    std::copy_if(exempt_here.begin(), exempt_here.end(), std::back_inserter(exempt), avoids);
    if (!exempt.empty()) attempt(exempt);
    const auto is_found = [&](std::size_t i) { return !there.exempt[i] && avoids(i); };
    Indices list;
    for (const Indices& meeting : here.meeting) {
      // Beside one that is exempt there is another one of the same patterns, for other seconds.
      const auto found = std::find_if(meeting.begin(), meeting.end(), is_found);
      if (found == meeting.end()) return;
      list.push_back(*found);
    }
    attempt(list);
    for (std::size_t i = 0; i < all_.size() && list.empty(); ++i)
      if (here.permitted[i] && !here.exempt[i] && is_found(i)) list.push_back(i);
    if (here.meeting.empty()) attempt(list);
  }

  void attempt(const Indices& list) {
    if (budget_.used_up()) return;
    PodSpec spec;
    for (const std::size_t i : list) spec.tolerations.push_back(all_[i]);
    component_->attempt(spec);
  }

  const Sides& sides_;
  Budget& budget_;
  Component* component_ = nullptr;
  std::size_t steps_a_point_ = 24;     ///< of making one, and what both sides say of it
  std::deque<Toleration> all_;         ///< which does not move while it grows
  std::set<TolerationIdentity> seen_;  ///< of keys that points have; refers to `all_`
  std::set<std::string, std::less<>> keys_of_points_;
  std::set<std::int64_t> seconds_;
  std::int64_t other_seconds_ = 1;  ///< those of no default and no exempt one
  std::array<OfSide, 2> of_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/policy_comparison.hpp

/// Two effective policies, component by component.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class PolicyComparison {
 public:
  PolicyComparison(const EffectivePolicy& before, const EffectivePolicy& after,
                   const Options& options_before, const Options& options_after, Budget& budget)
      : sides_{Side{before, &options_before}, Side{after, &options_after}}, budget_(budget) {}

  /// Nothing where it takes more than is left.
  std::optional<Comparison> run() {
    // Each component has the entries that are about it, compiled anew.
    const std::size_t entries = entries_of(sides_[0].spec()) + entries_of(sides_[1].spec());
    if (!budget_.spend(steps_of_components + steps_an_entry * entries)) return std::nullopt;
    for (std::size_t side = 0; side < 2; ++side)
      allows_[side] = EffectivePolicyAccess::of(sides_[side].policy).decides;
    for_each_section_field([&](const auto& row) { compare(row); });
    if (budget_.used_up()) return std::nullopt;
    Comparison comparison;
    comparison.relation = Relation::equivalent;
    for (const std::size_t side : {0U, 1U}) {
      std::optional<Pod>& pod = side == 0 ? comparison.allowed_before : comparison.allowed_after;
      pod = pod_of(side);
      const bool exists = pod.has_value();
      if (exists && !is_difference(pod->spec, side)) pod = with_defaults(*std::move(pod), side);
      if (!exists || !is_difference(pod->spec, side)) pod = pod_beside_pairs(side);
      if (budget_.used_up() || (exists && !pod)) return std::nullopt;
    }
    if (comparison.allowed_before) comparison.relation = Relation::stricter;
    if (comparison.allowed_after)
      comparison.relation = comparison.allowed_before ? Relation::incomparable : Relation::looser;
    return comparison;
  }

 private:
  static constexpr std::size_t steps_of_components = 1500;
  static constexpr std::size_t steps_an_entry = 16;

  template <class Pick>
  [[nodiscard]] Sides reduced(Pick pick) const {
    return {sides_[0].reduced(pick), sides_[1].reduced(pick)};
  }

  /// Lets `attempt(component)` look at one component.
  template <class Attempt>
  void look_at(const Sides& sides, Attempt&& attempt) {
    Component component(sides, budget_);
    attempt(component);
    take_over(component.found());
  }
  void take_over(const FoundParts& found) {
    for (std::size_t side = 0; side < 2; ++side) {
      const std::optional<PodSpec>& some = found.any(side);
      if (some) {
        add(any_[side], *some);
      } else {
        allows_[side] = false;
      }
      // What the other components have to say comes before this one's and after it.
      if (alone_[side]) {
        if (some) add(*alone_[side], *some);
      } else if (found.alone(side)) {
        alone_[side] = any_before_[side];
        add(*alone_[side], *found.alone(side));
      }
      if (some) add(any_before_[side], *some);
    }
  }

  /// A pod that a side alone allows, as far as it allows any.
  [[nodiscard]] std::optional<Pod> pod_of(std::size_t side) const {
    if (!allows_[side]) return std::nullopt;
    if (!allows_[1 - side]) return Pod{.spec = any_[side]};
    if (!alone_[side]) return std::nullopt;
    return Pod{.spec = *alone_[side]};
  }

  /// Whether a side alone allows a pod. What each component says by itself is not all where a default
  /// of node affinity contradicts the node selector, or that meets what is required of it.
  [[nodiscard]] bool is_difference(const PodSpec& spec, std::size_t side) {
    if (!steps_) steps_.emplace(std::array{CheckSteps(sides_[0]), CheckSteps(sides_[1])});
    for (const CheckSteps& each : *steps_)
      if (!budget_.spend(each.of(spec))) return false;
    return sides_[side].allows(spec) && !sides_[1 - side].allows(spec);
  }

  /// A pod whose author wrote the required terms that the default would give, of which nothing is left
  /// out then.
  [[nodiscard]] Pod with_defaults(Pod pod, std::size_t side) const {
    const Side& of = sides_[side];
    const bool every_term = of.options->required_affinity == RequiredAffinity::every_term;
    for_each_kind([&](const auto& kind) {
      if (!terms_of(pod.spec.affinity, kind.member).required.empty()) return;
      auto injected = EffectivePolicyAccess::of(of.policy)
                          .checks.of(affinity_field)
                          .of(kind)
                          .injected(every_term);
      if (terms_of(injected).required.empty()) return;
      if (!pod.spec.affinity) pod.spec.affinity.emplace();
      auto& own = (*pod.spec.affinity).*kind.member;
      if (!own) own.emplace();
      own->required_during_scheduling_ignored_during_execution =
          injected.required_during_scheduling_ignored_during_execution;
    });
    return pod;
  }

  /// A pod that a side alone allows, by pairs of the node selector that matter to node affinity.
  [[nodiscard]] std::optional<Pod> pod_beside_pairs(std::size_t side) {
    if (!allows_[side]) return std::nullopt;
    std::map<std::string_view, ListedTexts> values;
    for (const Side& each : sides_) {
      const auto& by_default = each.spec().defaults.affinity;
      for (const NodeSelectorTerm& term : schedpol::detail::required_terms(by_default))
        for (const NodeSelectorRequirement& expression : term.match_expressions)
          for (const std::string& value : expression.values) values[expression.key].add(value);
      each.exempt().for_each_pair(
          [&](const std::string& key, const std::string& value) { values[key].add(value); });
    }
    std::size_t tried = 0;
    for (const auto& [key, listed] : values) {
      for (const std::string& value : with_other(listed)) {
        if (++tried > compared_pairs) return std::nullopt;
        for (const bool has_affinity : {true, false}) {
          PodSpec spec = any_[side];
          spec.node_selector[std::string(key)] = value;
          if (!has_affinity && spec.affinity) spec.affinity->node_affinity.reset();
          if (budget_.used_up()) return std::nullopt;
          if (is_difference(spec, side)) return Pod{.spec = std::move(spec)};
        }
      }
    }
    return std::nullopt;
  }

  /// Of another component.
  static void add(PodSpec& to, const PodSpec& from) {
    for_each_row([&](const auto& row) { add(to.*row.in_pod, from.*row.in_pod); });
  }
  static void add(Labels& to, const Labels& from) { to.insert(from.begin(), from.end()); }
  template <class List>
  static void add(List& to, const List& from) {
    if (!from.empty()) to = from;
  }
  static void add(std::optional<Affinity>& to, const std::optional<Affinity>& from) {
    if (!from) return;
    if (!to) to.emplace();
    for_each_kind([&](const auto& kind) {
      if ((*from).*kind.member) (*to).*kind.member = (*from).*kind.member;
    });
  }

  /// The node name is looked at with the name that permits it.
  void compare(const NameField& row) {
    const Sides sides = reduced(pick(row));
    const std::vector<std::string> names = with_other(named(sides, row));
    const bool permits_node = row.codes == node_name_field.scheduler.codes;
    const std::vector<std::string> nodes = permits_node
                                               ? with_other(exempt_names(node_name_field), "node")
                                               : std::vector<std::string>{""};
    look_at(sides, [&](Component& component) {
      for (const std::string& name : names) {
        for (const std::string& node : nodes) {
          PodSpec spec;
          spec.*row.in_pod = name;
          spec.*node_name_field.in_pod = node;
          component.attempt(spec);
        }
      }
    });
  }
  /// All names of which anything is said.
  [[nodiscard]] static ListedTexts named(const Sides& sides, const NameField& row) {
    ListedTexts names;
    names.add(row.traits.of_pods_without);
    for (const Side& side : sides) {
      names.add((side.spec().required.*row.rules).listed());
      names.add((side.spec().allowed.*row.rules).listed());
      if (const auto& name = side.spec().defaults.*row.member) names.add(*name);
      if (row.traits.filled_in != nullptr) names.add(side.options->*row.traits.filled_in);
      side.exempt().for_each_name(row.traits.exempt,
                                  [&](const std::string& name) { names.add(name); });
    }
    return names;
  }
  [[nodiscard]] ListedTexts exempt_names(const NodeNameField& row) const {
    ListedTexts names;
    for (const Side& side : sides_)
      side.exempt().for_each_name(row.exempt, [&](const std::string& name) { names.add(name); });
    return names;
  }
  /// Nothing first, then all of them, and one that nobody names.
  static std::vector<std::string> with_other(const ListedTexts& names,
                                             std::string other = "other") {
    std::vector<std::string> all = {""};
    for (const std::string_view name : names.all())
      if (!name.empty()) all.emplace_back(name);
    all.push_back(names.other(std::move(other)));
    return all;
  }

  void compare(const NodeSelectorField& row) {
    ListedTexts keys;
    ExemptValues exempt;
    for (const Side& side : sides_) {
      for (const PolicySection* section : {&side.spec().required, &side.spec().allowed})
        for (const auto& [key, values] : (section->*row.rules).listed()) keys.add(key);
      if (const auto& by_default = side.spec().defaults.*row.member)
        for (const auto& [key, value] : *by_default) keys.add(key);
      side.exempt().for_each_pair([&](const std::string& key, const std::string& value) {
        keys.add(key);
        exempt[key].push_back(value);
      });
    }
    for (const std::string_view key : keys.all()) {
      if (!budget_.spend(steps_a_key)) return;
      compare_key(row, std::string(key), exempt);
    }
    compare_key(row, keys.other(), exempt);
  }
  static constexpr std::size_t steps_a_key = 100;

  using ExemptValues = std::map<std::string_view, std::vector<std::string_view>>;

  void compare_key(const NodeSelectorField& row, const std::string& key,
                   const ExemptValues& exempt) {
    ListedTexts values;
    const auto add_label = [&](const Labels& labels) {
      if (const std::string* value = find_label(labels, key)) values.add(*value);
    };
    for (const Side& side : sides_) {
      for (const PolicySection* section : {&side.spec().required, &side.spec().allowed}) {
        const auto& listed = (section->*row.rules).listed();
        if (const auto found = listed.find(key); found != listed.end())
          values.add(found->second.listed());
      }
      if (const auto& by_default = side.spec().defaults.*row.member) add_label(*by_default);
    }
    if (const auto of_key = exempt.find(key); of_key != exempt.end())
      for (const std::string_view value : of_key->second) values.add(value);
    FoundParts found;
    const auto attempt = [&](const std::string* value) {
      if (!budget_.spend(steps_a_value)) return;
      PodSpec spec;
      if (value != nullptr) spec.*row.in_pod = Labels{{key, *value}};
      const auto is_allowed_by = [&](const Side& side) {
        return allows_value(side, row, key, value, side.spec().defaults.*row.member);
      };
      found.note(spec, is_allowed_by(sides_[0]), is_allowed_by(sides_[1]));
    };
    attempt(nullptr);
    for (const std::string_view value : values.all()) {
      const std::string text(value);
      attempt(&text);
    }
    const std::string other = values.other();
    attempt(&other);
    take_over(found);
  }
  static constexpr std::size_t steps_a_value = 40;

  void compare(const TolerationsField& row) {
    const Sides sides = reduced(pick(row));
    look_at(sides,
            [&](Component& component) { ComparedTolerations(sides, budget_).run(component); });
  }

  void compare(const SpreadConstraintsField& row) {
    const Sides sides = reduced(pick(row));
    ListedTexts keys;
    for (const Side& side : sides)
      for (const SpreadConstraintPattern& pattern : (side.spec().allowed.*row.rules).listed())
        keys.add(pattern.topology_keys.listed());
    look_at(sides, [&](Component& component) {
      component.attempt({});
      for (const std::string& key : with_other(keys)) {
        for (const WhenUnsatisfiable word :
             {WhenUnsatisfiable::do_not_schedule, WhenUnsatisfiable::schedule_anyway}) {
          PodSpec spec;
          spec.*row.in_pod = {{.max_skew = 1, .topology_key = key, .when_unsatisfiable = word}};
          component.attempt(spec);
        }
      }
    });
  }
  template <class Item>
  void compare(const AllowedNamesField<Item>& row) {
    const Sides sides = reduced(pick(row));
    ListedTexts names;
    for (const Side& side : sides) names.add((side.spec().allowed.*row.rules).listed());
    look_at(sides, [&](Component& component) {
      component.attempt({});
      for (const std::string& name : with_other(names)) {
        PodSpec spec;
        spec.*row.in_pod = {item_named<Item>(name)};
        component.attempt(spec);
      }
    });
  }

  void compare(const AffinityField&) {
    for_each_kind([&](const auto& kind) { compare(kind); });
  }
  template <class Kind, class Rule>
  void compare(const AffinityKind<Kind, Rule>& kind) {
    const Sides sides = reduced(pick_kind(kind));
    look_at(sides,
            [&](Component& component) { compare_affinity(kind, sides, budget_, component); });
  }

  Sides sides_;
  Budget& budget_;
  std::array<bool, 2> allows_{};
  std::array<PodSpec, 2> any_{};
  std::array<PodSpec, 2> any_before_{};
  std::array<std::optional<PodSpec>, 2> alone_{};
  std::optional<std::array<CheckSteps, 2>> steps_{};  ///< once one was needed
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/merged_policy_analysis.hpp

/// What is odd about policies that are merged together, as `analyze_scheduling_policies.hpp` says it.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Steps of merging these policies.
inline std::size_t merging_steps(std::span<const SchedulingPolicy> policies) {
  std::size_t steps = 0;
  for (const SchedulingPolicy& policy : policies) steps += 100 + 24 * entries_of(policy.spec);
  return steps;
}

class MergedPolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  MergedPolicyAnalysis(std::span<const SchedulingPolicy> policies, MergeStrategy strategy,
                       const Options& options, Budget& budget)
      : Analysis(budget),
        policies_(policies),
        strategy_(strategy),
        options_(options),
        merging_steps_(merging_steps(policies)),
        effective_(merged(policies, strategy)) {}

  void run() {
    using Code = FindingCode;
    const bool decides = EffectivePolicyAccess::of(effective_).decides;
    if (!decides && !budget_.used_up()) return;
    look_for_contradictions();
    look_for(Code::requirement_lost, [&] { entries_lost(); });
    look_for(Code::requirement_escaped, [&] { requirement_escaped(); });
    look_for(Code::strategies_disagree, [&] { strategies_disagree(); });
    look_for(Code::every_pod_denied, [&] { every_pod(); });
    look_for(Code::entry_covered, [&] { entries_covered(); });  // what takes most comes last
  }

  /// Finds what is wrong with policies whoever may use them.
  void look_for_contradictions() {
    look_for(FindingCode::default_denied, [&] { defaults_denied(); });
    look_for(FindingCode::requirement_unmet, [&] { requirements_unmet(); });
  }

  /// Finds each policy without which pods are allowed that are denied with it. `whose` are they?
  void look_for_added_requirements(const std::string& whose) {
    look_for(FindingCode::grant_adds_requirements, [&] {
      if (policies_.size() < 2) return;
      for (std::size_t i = 0; i < policies_.size() && !budget_.used_up(); ++i) {
        const SchedulingPolicy& policy = policies_[i];
        if (policy.spec.required == PolicySection{} || !budget_.spend(merging_steps_)) continue;
        std::vector<SchedulingPolicy> others(policies_.begin(), policies_.end());
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        if (auto pod = pod_of(merged(others, strategy_), effective_))
          add({.code = FindingCode::grant_adds_requirements,
               .severity = Severity::warning,
               .policies = {policy.metadata.name},
               .detail = whose,
               .witness = std::move(pod)});
      }
    });
  }

 private:
  [[nodiscard]] EffectivePolicy merged(std::span<const SchedulingPolicy> policies,
                                       MergeStrategy strategy) {
    return budget_.spend(merging_steps_) ? merge(policies, strategy) : EffectivePolicy();
  }

  [[nodiscard]] const SchedulingPolicySpec& spec() const { return effective_.spec(); }

  void find(FindingCode code, Severity severity, const FieldPath& field, std::string detail = {},
            std::optional<Pod> witness = {}) {
    add({code, severity, field.empty() ? effective_.policies() : effective_.sources_of(field),
         field, std::move(detail), std::move(witness)});
  }

  /// A policy of the set that says this.
  static EffectivePolicy saying(SchedulingPolicySpec spec) {
    return {std::move(spec), Names{"a"}, {}};
  }

  /// A pod that `a` allows and `b` does not. Nothing once the budget is used up.
  std::optional<Pod> pod_of(const EffectivePolicy& a, const EffectivePolicy& b,
                            const Options& options_a, const Options& options_b) {
    auto compared = PolicyComparison(a, b, options_a, options_b, budget_).run();
    return compared ? std::move(compared->allowed_before) : std::nullopt;
  }
  std::optional<Pod> pod_of(const EffectivePolicy& a, const EffectivePolicy& b) {
    return pod_of(a, b, options_, options_);
  }

  // ---- defaults

  template <class Pick>
  void component_denied(const FieldPath& entry, Pick&& pick) {
    if (!budget_.spend(steps_of_component)) return;
    const Side side = Side{effective_, &options_}.reduced(pick);
    if (!budget_.spend(16 * entries_of(side.spec()) + CheckSteps(side).of({}))) return;
    const Admission admission = admit({}, side.policy, options_);
    if (admission.allowed) return;
    find(FindingCode::default_denied, Severity::error, entry, message(admission.violations.front()),
         Pod{});
  }
  void defaults_denied() {
    for_each_pod_field([&](const auto& row) {
      if (spec().defaults.*row.member)
        default_denied(row, FieldPath{default_section.name, row.field});
    });
  }
  template <class Row>
  void default_denied(const Row& row, const FieldPath& field) {
    component_denied(field, pick(row));
  }
  void default_denied(const NodeSelectorField& row, const FieldPath& field) {
    for (const auto& [key, value] : *(spec().defaults.*row.member))
      component_denied(field.key(key), pick_key(row, key));
  }
  void default_denied(const AffinityField& row, const FieldPath& field) {
    const bool every_term = options_.required_affinity != RequiredAffinity::present;
    for_each_kind([&](const auto& kind) {
      const auto terms = terms_of(spec().defaults.*row.member, kind.member);
      if (terms.empty()) return;
      const bool has_required = !terms.required.empty();
      const FieldPath entry =
          field.child(kind.field).child(has_required ? required_mode : preferred_mode);
      const auto injected_kind =
          EffectivePolicyAccess::of(effective_).checks.of(row).of(kind).injected(every_term);
      if (has_required && terms_of(injected_kind).required.empty())
        return find(FindingCode::default_not_given, Severity::error, entry,
                    EntryText::of(spec(), entry), Pod{});
      component_denied(entry, pick_kind(kind));
    });
  }

  // ---- requirements

  /// Whether some pod meets a requirement, where it is the only one.
  template <class Rules>
  void requirement(const FieldPath& entry, AnyOr<Rules> PolicySection::*field,
                   AnyOr<Rules> required) {
    SchedulingPolicySpec alone;
    alone.allowed.scheduler_names = any;
    alone.required.*field = std::move(required);
    if (pod_of(saying(std::move(alone)), {}) || budget_.used_up()) return;
    find(FindingCode::requirement_unmet, Severity::error, entry, EntryText::of(spec(), entry));
  }
  void requirements_unmet() {
    for_each_pod_field([&](const auto& row) {
      unmet(row, FieldPath{required_section.name, row.rules_field}, spec().required.*row.rules);
    });
  }
  /// One of several names is had.
  static void unmet(const NameField&, const FieldPath&, const AnyOr<Texts>&) noexcept {}
  void unmet(const NodeSelectorField& row, const FieldPath& field,
             const AnyOr<NodeSelectors>& required) {
    for (const auto& [key, values] : required.listed())
      if (!values.is_any() && values.listed().empty())
        requirement(field.key(key), row.rules, AnyOr(NodeSelectors{{key, values}}));
  }
  void unmet(const TolerationsField& row, const FieldPath& field,
             const AnyOr<std::vector<TolerationPattern>>& required) {
    for (std::size_t i = 0; i < required.listed().size() && !budget_.used_up(); ++i)
      requirement(field.index(i), row.rules, AnyOr(std::vector{required.listed()[i]}));
  }
  void unmet(const AffinityField& row, const FieldPath& field,
             const AnyOr<AffinityRules>& required) {
    for_each_kind([&](const auto& kind) {
      if (!required.is_listed()) return;
      using Modes = std::decay_t<decltype((AffinityRules{}.*kind.rules).listed())>;
      const auto& modes = required.listed().*kind.rules;
      for_each_field<Modes>([&](std::string_view name, auto mode) {
        if ((modes.listed().*mode).is_absent()) return;
        AffinityRules alone;
        (alone.*kind.rules).list().*mode = modes.listed().*mode;
        requirement(field.child(kind.rules_field).child(name), row.rules, AnyOr(std::move(alone)));
      });
    });
  }

  // ---- what lost in the merge

  void entries_lost() {
    for (const auto& [entry, policies] : effective_.sources().lost) {
      const bool required = entry.steps()[0].name == required_section.name;
      for (const std::string& policy : policies) {
        if (!budget_.spend(steps_of_component)) return;
        const SchedulingPolicySpec* own = own_spec(effective_, policy);
        if (own == nullptr) continue;
        Finding finding{.code = FindingCode::entry_lost,
                        .policies = {policy},
                        .field = entry,
                        .detail = EntryText::of(*own, entry)};
        if (required) {
          finding.code = FindingCode::requirement_lost;
          finding.severity = Severity::warning;
          finding.witness = pod_without(entry, *own);
          if (!finding.witness) continue;  // what hides it asks for no less
        }
        add(std::move(finding));
      }
    }
  }

  /// A pod that is allowed and does not meet the requirement, with the defaults it is given. Where
  /// the entry is about one component alone, the rest is as in any pod that is allowed.
  std::optional<Pod> pod_without(const FieldPath& entry, const SchedulingPolicySpec& own) {
    if (!any_pod_) any_pod_ = pod_of(effective_, {});
    if (!*any_pod_) return std::nullopt;
    SchedulingPolicySpec requiring;
    requiring.allowed = everything();
    const std::vector<FieldPath::Step> steps = entry.steps();
    copy_at(steps, own, requiring);
    const std::size_t entries = entries_of(requiring) + entries_of(spec().defaults);
    if (!budget_.spend(steps_of_component + steps_an_entry_of_component * entries))
      return std::nullopt;
    requiring.defaults = spec().defaults;
    const EffectivePolicy alone = saying(std::move(requiring));
    // Whether terms of a default are given as they are or as one depends on what is required: they
    // are as all the policies together give them.
    const Pod defaulted = apply_defaults(**any_pod_, effective_, options_).pod;
    if (!budget_.spend(CheckSteps(Side{alone, &options_}).of(defaulted.spec))) return std::nullopt;
    if (!check(defaulted, alone, options_).empty()) return *any_pod_;
    std::optional<Pod> pod;
    for_each_pod_field([&](const auto& row) {
      if (row.rules_field == steps[1].name)
        pod = pod_without(row, std::span(steps).subspan(2), alone);
    });
    return pod;
  }
  /// `below`: the steps from the field to the entry.
  using BelowField = std::span<const FieldPath::Step>;
  template <class Row>
  std::optional<Pod> pod_without(const Row&, BelowField, const EffectivePolicy& alone) {
    return pod_of(effective_, alone);
  }
  std::optional<Pod> pod_without(const NodeSelectorField& row, BelowField below,
                                 const EffectivePolicy& alone) {
    if (below.empty()) return pod_of(effective_, alone);
    const std::string_view key = below.front().name;
    return in_place(pick_key(row, key), alone, [&](PodSpec& to, const PodSpec& from) {
      Labels& pairs = to.*row.in_pod;
      pairs.erase(std::string(key));
      pairs.insert((from.*row.in_pod).begin(), (from.*row.in_pod).end());
    });
  }
  std::optional<Pod> pod_without(const TolerationsField& row, BelowField,
                                 const EffectivePolicy& alone) {
    return in_place(pick(row), alone,
                    [&](PodSpec& to, const PodSpec& from) { to.*row.in_pod = from.*row.in_pod; });
  }
  template <class Pick, class Put>
  std::optional<Pod> in_place(Pick&& pick, const EffectivePolicy& alone, Put&& put) {
    const Side side = Side{effective_, &options_}.reduced(pick);
    if (!budget_.spend(steps_an_entry_of_component * entries_of(side.spec()))) return std::nullopt;
    const std::optional<Pod> part = pod_of(side.policy, alone);
    if (!part) return std::nullopt;
    Pod pod = **any_pod_;
    put(pod.spec, part->spec);
    return pod;
  }

  // ---- what other entries permit

  /// Patterns and where they stand.
  template <class Pattern>
  using Placed = std::vector<std::pair<FieldPath, const Pattern*>>;

  /// One after the other.
  template <class Pattern, class TextOf>
  void covered(const Placed<Pattern>& placed, TextOf&& text_of) {
    if (placed.size() < 2) return;
    std::vector<const Pattern*> patterns;
    std::size_t entries = 0;
    for (const auto& [path, pattern] : placed) {
      patterns.push_back(pattern);
      entries += entries_of(*pattern);
    }
    if (!budget_.spend(16 * entries) || !budget_.keep(128 * entries)) return;
    CoveredPatterns<Pattern> all(patterns, budget_);
    for (std::size_t i = 0; i < placed.size() && !budget_.used_up(); ++i)
      if (all.leave_out(i))
        find(FindingCode::entry_covered, Severity::info, placed[i].first, text_of(*patterns[i]));
  }
  void entries_covered() {
    for_each_section_field([&](const auto& row) {
      covered_in(FieldPath{allowed_section.name, row.rules_field},
                 (spec().allowed.*row.rules).listed());
    });
  }
  /// Of names and keys none covers another.
  static void covered_in(const FieldPath&, const Texts&) noexcept {}
  static void covered_in(const FieldPath&, const NodeSelectors&) noexcept {}
  void covered_in(const FieldPath& field, const std::vector<TolerationPattern>& patterns) {
    Placed<TolerationPattern> placed;
    for (const TolerationPattern& pattern : patterns)
      placed.emplace_back(field.index(placed.size()), &pattern);
    covered(placed, [](const TolerationPattern& pattern) { return to_string(pattern); });
  }
  /// By how many patterns each key is permitted with each word.
  void covered_in(const FieldPath& field, const std::vector<SpreadConstraintPattern>& patterns) {
    constexpr std::array words = {WhenUnsatisfiable::do_not_schedule,
                                  WhenUnsatisfiable::schedule_anyway};
    using Counts = std::array<std::size_t, words.size()>;
    if (!budget_.spend(16 * entries_of(patterns))) return;
    Counts of_any_key{};
    std::map<std::string_view, Counts> of_key;
    const auto for_each_place = [&](const SpreadConstraintPattern& pattern, auto&& f) {
      for (std::size_t i = 0; i < words.size(); ++i) {
        if ((accepted_words(pattern) & bit(words[i])) == 0) continue;
        if (pattern.topology_keys.is_any()) f(of_any_key[i], 0);
        const Texts& listed = pattern.topology_keys.listed();
        for (const std::string_view key : std::set<std::string_view>(listed.begin(), listed.end()))
          f(of_key[key][i], of_any_key[i]);
      }
    };
    for (const SpreadConstraintPattern& pattern : patterns)
      for_each_place(pattern, [](std::size_t& count, std::size_t) { ++count; });
    for (std::size_t n = 0; n < patterns.size(); ++n) {
      bool is_covered = true;
      for_each_place(patterns[n], [&](std::size_t& count, std::size_t of_any) {
        is_covered = is_covered && count + of_any > 1;
      });
      if (!is_covered) continue;
      for_each_place(patterns[n], [](std::size_t& count, std::size_t) { --count; });
      find(FindingCode::entry_covered, Severity::info, field.index(n), to_string(patterns[n]));
    }
  }
  void covered_in(const FieldPath& field, const AffinityRules& rules) {
    const auto& kind = rules.*node_affinity_kind.rules;
    for_each_field<NodeAffinityRules>([&](std::string_view name, auto mode) {
      const std::vector<TermPattern>& terms = (kind.listed().*mode).listed().node_selector_terms;
      const FieldPath path = field.child(node_affinity_kind.rules_field).child(name);
      for_each_field<NodeAffinityRule>([&](std::string_view terms_name, auto) {
        for_each_field<TermPattern>([&](std::string_view list_name, auto list) {
          terms_covered(path.child(terms_name), terms, list_name, list);
        });
      });
    });
  }
  void terms_covered(const FieldPath& path, const std::vector<TermPattern>& terms,
                     std::string_view list_name,
                     AnyOr<std::vector<RequirementPattern>> TermPattern::*list) {
    Placed<RequirementPattern> placed;
    for (std::size_t term = 0; term < terms.size(); ++term) {
      if ((terms[term].*list).is_any()) return;  // which permits everything
      const FieldPath of_term = path.index(term).child(list_name);
      const std::vector<RequirementPattern>& patterns = (terms[term].*list).listed();
      for (std::size_t i = 0; i < patterns.size(); ++i)
        placed.emplace_back(of_term.index(i), &patterns[i]);
    }
    covered(placed, [&](const RequirementPattern& pattern) {
      TermPattern term;
      (term.*list).list() = {pattern};
      return to_string(term);
    });
  }

  // ---- the set as a whole

  void requirement_escaped() {
    if (options_.required_affinity != RequiredAffinity::present) return;
    if (spec().required.affinities.is_absent() && !spec().defaults.affinity) return;
    Options every_term = options_;
    every_term.required_affinity = RequiredAffinity::every_term;
    auto pod = pod_of(effective_, effective_, options_, every_term);
    if (!pod) return;
    find(FindingCode::requirement_escaped, Severity::warning,
         FieldPath{required_section.name, affinity_field.rules_field,
                   node_affinity_kind.rules_field, required_mode},
         "", std::move(pod));
  }
  void strategies_disagree() {
    // What only allows adds up by this one: that others lose some of it says nothing.
    if (strategy_ == MergeStrategy::smart_deep_merge &&
        schedpol::detail::all_of(policies_, [](const SchedulingPolicy& policy) {
          return policy.spec.required == PolicySection{} && policy.spec.defaults == Defaults{};
        }))
      return;
    for (const MergeStrategy other :
         {MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins,
          MergeStrategy::simple_merge}) {
      if (other == strategy_ || policies_.size() < 2) continue;
      auto compared =
          PolicyComparison(effective_, merged(policies_, other), options_, options_, budget_).run();
      if (!compared) return;
      auto pod = std::move(compared->allowed_before);
      if (!pod) pod = std::move(compared->allowed_after);
      if (pod)
        find(FindingCode::strategies_disagree, Severity::info, {}, std::string(to_string(other)),
             std::move(pod));
    }
  }
  void every_pod() {
    // For most sets two pods show that neither holds, at a fraction of the cost of comparing.
    if (allows(plain_spec()) && !allows(strange_spec())) return;
    auto some = pod_of(effective_, {});
    if (!some && !budget_.used_up())
      return find(FindingCode::every_pod_denied, Severity::error, {});
    const std::vector<SchedulingPolicy> all = {privileged()};
    if (!pod_of(merge(all), effective_) && !budget_.used_up())
      find(FindingCode::every_pod_allowed, Severity::info, {}, "", std::move(some));
  }

  bool allows(const PodSpec& pod_spec) {
    const Side side{effective_, &options_};
    return budget_.spend(CheckSteps(side).of(pod_spec)) && side.allows(pod_spec);
  }
  /// A pod that asks for nothing but a scheduler.
  [[nodiscard]] PodSpec plain_spec() const {
    const Texts& schedulers = spec().allowed.scheduler_names.listed();
    return {.scheduler_name = schedulers.empty() ? "" : schedulers.front()};
  }
  /// A pod that hardly any policy allows unless it permits everything.
  static PodSpec strange_spec() {
    return {.scheduler_name = "?",
            .priority_class_name = "?",
            .node_selector = {{"?", ""}},
            .tolerations = {{.key = "?", .operator_ = TolerationOperator::exists}}};
  }

  static constexpr std::size_t steps_of_component = 300;  ///< that is compiled by itself
  /// Four effective policies are made of each of its entries, each with a set of the texts.
  static constexpr std::size_t steps_an_entry_of_component = 64;

  std::span<const SchedulingPolicy> policies_;
  MergeStrategy strategy_;
  const Options& options_;
  std::size_t merging_steps_;
  EffectivePolicy effective_;
  std::optional<std::optional<Pod>> any_pod_;  ///< one that is allowed, once one was needed
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/analyze_scheduling_policies.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// Entries of a policy that say something else than they seem to: nulls in braces, and patterns of
/// which a list is absent.
class PolicyEntryAnalysis final : public schedpol::detail::Analysis {
 public:
  explicit PolicyEntryAnalysis(schedpol::detail::Budget& budget) : Analysis(budget) {}

  void look_at(std::span<const SchedulingPolicy> policies, const Components& governs) {
    const auto look_at_each = [&](auto&& look) {
      for (const SchedulingPolicy& policy : policies)
        if (budget_.spend(20 + entries_of(policy.spec))) look(policy);
    };
    look_for(FindingCode::null_entry,
             [&] { look_at_each([&](const auto& policy) { look_at_nulls(policy); }); });
    look_for(FindingCode::entry_matches_nothing,
             [&] { look_at_each([&](const auto& policy) { look_at_patterns(policy); }); });
    look_for(FindingCode::ungoverned, [&] {
      look_at_each([&](const auto& policy) { look_at_ungoverned(policy, governs); });
    });
  }

 private:
  void look_at_nulls(const SchedulingPolicy& policy) {
    const auto found = [&](Severity severity, const FieldPath& field) {
      add({.code = FindingCode::null_entry,
           .severity = severity,
           .policies = {policy.metadata.name},
           .field = field});
    };
    // In `required` any asks for something, and as a whole field is refused.
    for_each_section_field([&](const auto& row) {
      const FieldPath allowed{allowed_section.name, row.rules_field};
      if (holds_nothing(policy.spec.allowed.*row.rules)) found(Severity::error, allowed);
      look_at_nulls_below(FieldPath{required_section.name, row.rules_field},
                          (policy.spec.required.*row.rules).listed(),
                          [&](const FieldPath& field) { found(Severity::warning, field); });
      look_at_nulls_below(allowed, (policy.spec.allowed.*row.rules).listed(),
                          [&](const FieldPath& field) { found(Severity::error, field); });
    });
  }
  /// Of what stands below a field only affinities have a structure.
  template <class Rules, class Found>
  static void look_at_nulls_below(const FieldPath&, const Rules&, Found&&) noexcept {}
  template <class Found>
  static void look_at_nulls_below(const FieldPath& field, const AffinityRules& rules,
                                  Found&& found) {
    for_each_kind([&](const auto& kind) {
      const auto& modes = rules.*kind.rules;
      const FieldPath at = field.child(kind.rules_field);
      if (holds_nothing(modes)) found(at);
      for_each_field<std::decay_t<decltype(modes.listed())>>([&](std::string_view name, auto mode) {
        if (holds_nothing(modes.listed().*mode)) found(at.child(name));
      });
    });
  }
  /// Of what is written in braces, only nulls stand in it.
  template <class T>
  static bool holds_nothing(const AnyOr<T>& field) {
    return field.is_listed() && field.listed() == T{};
  }
  /// Lists that nothing stands in are no structures.
  static bool holds_nothing(const AnyOr<Texts>&) noexcept { return false; }
  template <class Pattern>
  static bool holds_nothing(const AnyOr<std::vector<Pattern>>&) noexcept {
    return false;
  }
  static bool holds_nothing(const AnyOr<NodeSelectors>& field) {
    const NodeSelectors& keys = field.listed();
    return !keys.empty() && schedpol::detail::all_of(
                                keys, [](const auto& entry) { return entry.second.is_absent(); });
  }

  void look_at_ungoverned(const SchedulingPolicy& policy, const Components& governs) {
    for_each_section_field([&](const auto& row) {
      if (!governs.contain(row.component) && (policy.spec.allowed.*row.rules).is_listed())
        add({.code = FindingCode::ungoverned,
             .severity = Severity::error,
             .policies = {policy.metadata.name},
             .field = {allowed_section.name, row.rules_field}});
    });
  }

  void look_at_patterns(const SchedulingPolicy& policy) {
    for (const bool required : {true, false}) {
      const PolicySection& rules = required ? policy.spec.required : policy.spec.allowed;
      const FieldPath section{required ? required_section.name : allowed_section.name};
      const auto found = [&](const FieldPath& field, const std::vector<std::string>& absent) {
        if (absent.empty()) return;
        add({.code = FindingCode::entry_matches_nothing,
             .severity = required ? Severity::error : Severity::warning,
             .policies = {policy.metadata.name},
             .field = field,
             .detail =
                 in_backticks(Names(absent)) + (absent.size() == 1 ? " is" : " are") + " absent"});
      };
      for_each_section_field([&](const auto& row) {
        for_each_pattern(section.child(row.rules_field), (rules.*row.rules).listed(),
                         [&](const FieldPath& place, const auto& pattern) {
                           found(place, absent_lists(pattern));
                         });
      });
    }
  }
  /// Calls `f(place, pattern)` for each pattern in a field.
  template <class F>
  static void for_each_pattern(const FieldPath&, const Texts&, F&&) noexcept {}
  template <class F>
  static void for_each_pattern(const FieldPath&, const NodeSelectors&, F&&) noexcept {}
  template <class Pattern, class F>
  static void for_each_pattern(const FieldPath& list, const std::vector<Pattern>& patterns, F&& f) {
    for (std::size_t i = 0; i < patterns.size(); ++i) f(list.index(i), patterns[i]);
  }
  template <class F>
  static void for_each_pattern(const FieldPath& field, const AffinityRules& rules, F&& f) {
    const NodeAffinityRules& modes = (rules.*node_affinity_kind.rules).listed();
    const FieldPath kind = field.child(node_affinity_kind.rules_field);
    for_each_field<NodeAffinityRules>([&](std::string_view mode_name, auto mode) {
      for_each_field<NodeAffinityRule>([&](std::string_view name, auto member) {
        const std::vector<TermPattern>& terms = (modes.*mode).listed().*member;
        const FieldPath at = kind.child(mode_name).child(name);
        for (std::size_t i = 0; i < terms.size(); ++i)
          for_each_field<TermPattern>([&](std::string_view list_name, auto list) {
            for_each_pattern(at.index(i).child(list_name), (terms[i].*list).listed(), f);
          });
      });
    });
  }
  /// All but the values, which absent match what has none.
  template <class Pattern>
  static std::vector<std::string> absent_lists(const Pattern& pattern) {
    std::vector<std::string> absent;
    for_each_field<Pattern>([&](std::string_view name, auto list) {
      if constexpr (requires { list == &Pattern::values; })
        if (list == &Pattern::values) return;
      if ((pattern.*list).is_absent()) absent.emplace_back(name);
    });
    return absent;
  }
};

/// What is odd about the sets of SchedulingPolicies that somebody is judged by, and about each by
/// itself, as `analyze_scheduling_policies.hpp` says it.
class SchedulingPolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  using PolicyNames = std::set<std::string, std::less<>>;

  /// What is about none of `asked_about` is left out; null: nothing is.
  SchedulingPolicyAnalysis(MergeStrategy strategy, const Options& options, Budget& budget,
                           const PolicyNames* asked_about = nullptr)
      : Analysis(budget), strategy_(strategy), options_(options), asked_about_(asked_about) {}

  /// At what everybody is judged by.
  void look_at_all(std::span<const SchedulingPolicy> policies) {
    MergedPolicyAnalysis merged(policies, strategy_, options_, budget_);
    merged.run();
    take_over(std::move(merged), [&](const Finding& finding) { return is_new(finding); });
  }

  /// At what somebody is judged by who has such pods.
  void look_at(std::span<const SchedulingPolicy> policies, const std::string& whose,
               const Pod& pod) {
    MergedPolicyAnalysis merged(policies, strategy_, options_, budget_);
    merged.run();
    merged.look_for_added_requirements(whose);
    take_over(std::move(merged), [&](Finding& finding) {
      if (finding.witness) {
        finding.witness->metadata.namespace_ = pod.metadata.namespace_;
        finding.witness->spec.service_account_name = pod.spec.service_account_name;
      }
      return is_new(finding);
    });
  }

  /// At each by itself: what it denies or asks for in vain matters before anybody may use it.
  void look_at_contradictions(std::span<const SchedulingPolicy> policies) {
    for (const SchedulingPolicy& policy : policies) {
      MergedPolicyAnalysis alone({&policy, 1}, strategy_, options_, budget_);
      alone.look_for_contradictions();
      take_over(std::move(alone), [&](const Finding& finding) { return is_new(finding); });
    }
  }

  /// Says of a policy that nobody may use it.
  void note_unused(const SchedulingPolicy& policy) {
    add({.code = FindingCode::granted_to_nobody,
         .severity = Severity::info,
         .policies = {policy.metadata.name}});
  }

  /// At each by itself.
  void look_at_entries(std::span<const SchedulingPolicy> policies) {
    PolicyEntryAnalysis entries(budget_);
    entries.look_at(policies, options_.governs);
    take_over(std::move(entries), [](const Finding&) { return true; });
  }

 private:
  [[nodiscard]] bool is_new(const Finding& finding) {
    const auto is_asked_about = [&](const std::string& policy) {
      return asked_about_->contains(policy);
    };
    if (asked_about_ != nullptr && schedpol::detail::none_of(finding.policies, is_asked_about))
      return false;
    return known_.emplace(finding.code, finding.policies.vector(), finding.field, finding.detail)
        .second;
  }

  MergeStrategy strategy_;
  const Options& options_;
  const PolicyNames* asked_about_;
  std::set<std::tuple<FindingCode, std::vector<std::string>, FieldPath, std::string>> known_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                             MergeStrategy strategy, const Options& options) {
  detail::Budget budget;
  detail::SchedulingPolicyAnalysis analysis(strategy, options, budget);
  analysis.look_at_all(policies);
  analysis.look_at_entries(policies);
  return std::move(analysis).take();
}

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const SchedulingPolicy> policies,
                                             std::span<const Grantee> grantees,
                                             MergeStrategy strategy, const Options& options) {
  detail::Budget budget;
  detail::SchedulingPolicyAnalysis analysis(strategy, options, budget);
  std::map<std::string_view, const SchedulingPolicy*> by_name;
  for (const SchedulingPolicy& policy : policies) by_name.emplace(policy.metadata.name, &policy);
  std::set<std::string_view> used;
  for (const Grantee& grantee : grantees) {
    std::vector<SchedulingPolicy> theirs;
    for (const std::string& name : grantee.policies) {
      used.insert(name);
      const auto found = by_name.find(name);
      if (found != by_name.end() && !budget.used_up()) theirs.push_back(*found->second);
    }
    analysis.look_at(theirs, grantee.whose, grantee.pod);
  }
  for (const SchedulingPolicy& policy : policies)
    if (!used.contains(policy.metadata.name)) analysis.note_unused(policy);
  analysis.look_at_contradictions(policies);
  analysis.look_at_entries(policies);
  return std::move(analysis).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/insight/impl/systems/scheduling_policy.hpp

/// What is found of SchedulingPolicies, and of who may use them.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What a default does not give to the pods of a class, or of a policy of the cluster, because no node
/// could meet both.
inline std::vector<Finding> contradicted_defaults(const Objects& objects, const Settings& settings,
                                                  Budget& budget) {
  using pod_scheduling_policy::PolicyKind;
  schedpol::detail::Analysis analysis(budget);
  struct Adding {
    std::string whose;
    SharedCriteria criteria;
  };
  std::vector<Adding> adding;
  for (const auto& each : objects.runtime_classes) {
    if (each.scheduling && !each.scheduling->node_selector.empty())
      adding.push_back({"RuntimeClass " + in_backticks(each.metadata.name),
                        SchedulingCriteria{.node_selector = each.scheduling->node_selector}});
  }
  for (const auto& each : objects.pod_scheduling_policies) {
    if (!pod_scheduling_policy::detail::is_of_cluster(each)) continue;
    SchedulingCriteria criteria{.node_selector = each.spec.node_selector,
                                .affinity = each.spec.affinity};
    if (criteria == SchedulingCriteria{}) continue;
    adding.push_back(
        {"ClusterPodSchedulingPolicy " + in_backticks(each.metadata.name), std::move(criteria)});
  }
  const auto look_at = [&](const scheduling_policy::SchedulingPolicy& policy) {
    const std::size_t entries = scheduling_policy::detail::entries_of(policy.spec.defaults);
    if (entries == 0 || adding.empty() || !budget.spend(100 + 16 * entries)) return;
    scheduling_policy::SchedulingPolicySpec spec;
    spec.defaults = policy.spec.defaults;
    spec.required.affinities = policy.spec.required.affinities;
    const EffectivePolicy effective(std::move(spec), Names{policy.metadata.name}, {});
    for (const auto& [whose, criteria] : adding) {
      Pod pod{.spec = {.node_selector = criteria->node_selector, .affinity = criteria->affinity}};
      if (!budget.spend(500 + 20 * entries * scheduling_policy::detail::parts_of(pod.spec))) return;
      const scheduling_policy::Defaulted defaulted =
          apply_defaults(std::move(pod), effective, exempt(settings.options, criteria));
      for (const Warning& warning : defaulted.warnings)
        analysis.add({.code = FindingCode::default_contradicted,
                      .severity = Severity::warning,
                      .policies = {policy.metadata.name},
                      .field = FieldPath{"default"}.join(warning.field.below(1)),
                      .detail = whose + ": " + warning.text});
    }
  };
  analysis.look_for(FindingCode::default_contradicted, [&] {
    for (const auto& policy : objects.scheduling_policies) look_at(policy);
  });
  return std::move(analysis).take();
}

/// Each set of policies that somebody may use, and one of those who may use it.
inline std::vector<scheduling_policy::Grantee> find_grantees(const Objects& objects,
                                                             const Settings& settings) {
  std::set<std::string_view> names;
  for (const auto& policy : objects.scheduling_policies) names.insert(policy.metadata.name);
  GrantTable table(settings);
  table.change(objects.rbac, objects.rbac);
  std::vector<scheduling_policy::Grantee> grantees;
  std::set<std::vector<std::string_view>> known;
  table.for_each_grant([&](const rbac::Grant& grant, GrantTable::Holder&& holder) {
    std::vector<std::string_view> usable;
    if (grant.all) {
      usable.assign(names.begin(), names.end());
    } else {
      std::copy_if(grant.names.begin(), grant.names.end(), std::back_inserter(usable),
                   [&](std::string_view name) { return names.contains(name); });
    }
    if (usable.empty()) return;
    const auto [set, is_new] = known.insert(std::move(usable));
    if (!is_new) return;
    grantees.push_back({std::move(holder.whose),
                        Texts(std::vector<std::string>(set->begin(), set->end())),
                        std::move(holder.pod)});
  });
  return grantees;
}

inline std::vector<Finding> analyze_scheduling_policies(const Objects& objects,
                                                        const Settings& settings,
                                                        std::span<const Node>) {
  const auto& policies = objects.scheduling_policies;
  std::vector<Finding> findings;
  if (settings.policy_use == PolicyUse::every) {
    findings = scheduling_policy::analyze(policies, settings.strategy, settings.options);
  } else {
    findings = scheduling_policy::analyze(policies, find_grantees(objects, settings),
                                          settings.strategy, settings.options);
    append(findings, rbac::analyze(objects.rbac, access_of(settings)));
  }
  Budget budget;
  append(findings, contradicted_defaults(objects, settings, budget));
  return findings;
}

/// The analysis of SchedulingPolicies that are written.
class ChangedSchedulingPolicies {
 public:
  explicit ChangedSchedulingPolicies(ChangedPolicies& changed)
      : changed_(changed),
        written_(changed.written()),
        budget_(changed.budget()),
        stored_(changed.compiled<SchedulingPolicySystem>(System::scheduling_policy)) {}

  using SchedulingPolicies = std::vector<scheduling_policy::SchedulingPolicy>;

  std::vector<Finding> run() {
    const SchedulingPolicies& list = written_.scheduling_policies;
    std::set<std::string, std::less<>> names;
    for (const auto& policy : list) names.insert(policy.metadata.name);
    const Settings& settings = changed_.settings();
    scheduling_policy::detail::SchedulingPolicyAnalysis analysis(settings.strategy,
                                                                 settings.options, budget_, &names);
    if (settings.policy_use == PolicyUse::every) {
      analysis.look_at_all(policies_of_everybody());
      analysis.look_at_entries(list);
      return std::move(analysis).take();
    }
    const GrantTable grants = grants_with_written();
    std::set<std::size_t> numbers;
    for (const std::string& name : names) {
      const std::vector<std::size_t> of_policy = grants.grants().of_policy(name);
      numbers.insert(of_policy.begin(), of_policy.end());
    }
    std::set<std::string> used;
    std::set<std::vector<std::string>> known;
    budget_.spend(steps_of_holder * grants.holders() + steps_of_grant * numbers.size());
    const auto look_at = [&](const rbac::Grant& grant, GrantTable::Holder&& holder) {
      used.insert(grant.names.begin(), grant.names.end());
      if (grant.all) used.insert(names.begin(), names.end());
      const SchedulingPolicies policies = policies_of(grant);
      std::vector<std::string> usable;
      for (const auto& policy : policies) usable.push_back(policy.metadata.name);
      std::sort(usable.begin(), usable.end());
      if (budget_.used_up() || known.insert(std::move(usable)).second)
        analysis.look_at(policies, holder.whose, holder.pod);
    };
    if (!budget_.used_up()) grants.for_each_grant(look_at, &numbers);
    for (const auto& policy : list)
      if (!budget_.used_up() && !used.contains(policy.metadata.name)) analysis.note_unused(policy);
    analysis.look_at_contradictions(list);
    analysis.look_at_entries(list);
    std::vector<Finding> findings = std::move(analysis).take();
    append(findings, rbac::analyze(roles_naming(names), access_of(settings)));
    return findings;
  }
  /// All policies, with those that are written in the place of those of their names.
  SchedulingPolicies policies_of_everybody() {
    PolicyPointers all;
    for (const auto& policy : written_.scheduling_policies) add(policy, all);
    stored_.for_each_policy([&](const scheduling_policy::SchedulingPolicy& policy) {
      return changed_.is_replaced(policy, written_.scheduling_policies) || add(policy, all);
    });
    return copies(all);
  }

 private:
  using PolicyPointers = std::vector<const scheduling_policy::SchedulingPolicy*>;

  bool add(const scheduling_policy::SchedulingPolicy& policy, PolicyPointers& to) {
    to.push_back(&policy);
    return budget_.spend(scheduling_policy::detail::merging_steps({&policy, 1}));
  }
  /// Copies for a merge; none once the budget is used up.
  [[nodiscard]] SchedulingPolicies copies(const PolicyPointers& all) const {
    SchedulingPolicies policies;
    if (!budget_.used_up())
      for (const auto* policy : all) policies.push_back(*policy);
    return policies;
  }
  SchedulingPolicies policies_of(const rbac::Grant& grant) {
    if (grant.all) return policies_of_everybody();
    const SchedulingPolicies& list = written_.scheduling_policies;
    PolicyPointers all;
    for (const std::string& name : grant.names) {
      const auto found = std::find_if(list.begin(), list.end(),
                                      [&](const auto& each) { return each.metadata.name == name; });
      const auto* policy = found == list.end() ? stored_.policy(name) : &*found;
      if (!budget_.spend(4) || (policy != nullptr && !add(*policy, all))) break;
    }
    return copies(all);
  }

  static constexpr std::size_t steps_of_holder = 5;
  static constexpr std::size_t steps_of_grant = 50;

  [[nodiscard]] GrantTable grants_with_written() const {
    GrantTable grants = stored_.grants();
    if (written_.rbac != rbac::Rbac{}) grants.change(written_.rbac, written_.rbac);
    return grants;
  }

  /// The roles that name one of the policies, and the bindings to them.
  [[nodiscard]] rbac::Rbac roles_naming(const std::set<std::string, std::less<>>& policies) {
    rbac::Rbac found;
    const auto& stored = stored_.rbac();
    std::set<std::string> roles;
    const auto add_to = [&](auto& list) {
      return [&](const auto& role) {
        for (const rbac::PolicyRule& rule : role.rules) {
          budget_.spend(4 + 4 * rule.resource_names.size());
          if (schedpol::detail::none_of(rule.resource_names, [&](const std::string& name) {
                return policies.contains(name);
              }))
            continue;
          roles.insert(role.metadata.name);
          list.push_back(role);
          break;
        }
        return budget_.spend(steps_of_holder);
      };
    };
    stored.template for_each<rbac::ClusterRole>(add_to(found.cluster_roles));
    stored.template for_each<rbac::Role>(add_to(found.roles));
    if (roles.empty()) return found;
    const auto add_binding_to = [&](auto& list) {
      return [&](const auto& binding) {
        if (roles.contains(binding.role_ref.name)) list.push_back(binding);
        return budget_.spend(steps_of_holder);
      };
    };
    stored.template for_each<rbac::ClusterRoleBinding>(add_binding_to(found.cluster_role_bindings));
    stored.template for_each<rbac::RoleBinding>(add_binding_to(found.role_bindings));
    return found;
  }

  ChangedPolicies& changed_;
  const Objects& written_;
  Budget& budget_;
  const SchedulingPolicySystem& stored_;
};

inline std::vector<Finding> analyze_changed_scheduling_policies(ChangedPolicies& changed) {
  return ChangedSchedulingPolicies(changed).run();
}

inline std::size_t scheduling_policy_texts(const Objects& written) {
  std::size_t texts = 0;
  for (const auto& policy : written.scheduling_policies)
    texts += scheduling_policy::detail::entries_of(policy.spec);
  return texts;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/systems/pod_scheduling_policy.hpp

/// What is found of PodSchedulingPolicies and ClusterPodSchedulingPolicies.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Whether something that a pod has is permitted by nobody; otherwise it lacks something.
inline bool is_lack_of_permission(ViolationCode code) noexcept {
  switch (code) {
    case ViolationCode::scheduler_name_not_allowed:
    case ViolationCode::node_name_not_allowed:
    case ViolationCode::node_selector_not_allowed:
    case ViolationCode::toleration_not_allowed:
    case ViolationCode::affinity_not_allowed: return true;
    default: return false;
  }
}

/// What policies of the cluster give to pods that no SchedulingPolicy permits, nor all of them
/// together, by the names of those that give. Nothing where there are none, so that nobody has to
/// permit anything.
inline std::vector<Finding> injected_not_permitted(
    std::span<const pod_scheduling_policy::PodSchedulingPolicy> giving,
    std::span<const scheduling_policy::SchedulingPolicy> permitting, const Settings& settings,
    Budget& budget) {
  schedpol::detail::Analysis analysis(budget);
  const auto look_at = [&](const pod_scheduling_policy::PodSchedulingPolicy& policy,
                           std::vector<Violation> violations) {
    for (Violation& violation : violations) {
      if (!is_lack_of_permission(violation.code)) continue;
      if (violation.code == ViolationCode::scheduler_name_not_allowed &&
          policy.spec.scheduler_name.empty())
        continue;
      analysis.add({.code = FindingCode::injected_not_permitted,
                    .severity = Severity::info,
                    .policies = {policy.metadata.name},
                    .field = violation.field.below(1),
                    .detail = std::move(violation.value)});
    }
  };
  analysis.look_for(FindingCode::injected_not_permitted, [&] {
    if (permitting.empty() || giving.empty() ||
        !budget.spend(scheduling_policy::detail::merging_steps(permitting)))
      return;
    const EffectivePolicy effective = merge(permitting, settings.strategy);
    const scheduling_policy::detail::CheckSteps steps({effective, &settings.options});
    std::map<std::string_view, const pod_scheduling_policy::PodSchedulingPolicy*> by_name;
    for (const auto& policy : giving)
      if (pod_scheduling_policy::detail::is_of_cluster(policy))
        by_name.try_emplace(policy.metadata.name, &policy);
    for (const auto& [name, each] : by_name) {
      const pod_scheduling_policy::PodSchedulingPolicy& policy = *each;
      Pod pod;
      pod.spec.scheduler_name = policy.spec.scheduler_name;
      pod.spec.node_name = policy.spec.node_name;
      pod.spec.node_selector = policy.spec.node_selector;
      pod.spec.tolerations = policy.spec.tolerations;
      pod.spec.affinity = policy.spec.affinity;
      if (!budget.spend(steps.of(pod.spec))) return;
      look_at(policy, check(pod, effective, settings.options));
    }
  });
  return std::move(analysis).take();
}

inline std::vector<Finding> analyze_pod_scheduling_policies(const Objects& objects,
                                                            const Settings& settings,
                                                            std::span<const Node>) {
  const auto& policies = objects.pod_scheduling_policies;
  std::vector<Finding> findings = pod_scheduling_policy::analyze(policies);
  Budget budget;
  append(findings, injected_not_permitted(policies, objects.scheduling_policies, settings, budget));
  return findings;
}

inline std::vector<Finding> analyze_changed_pod_scheduling_policies(ChangedPolicies& changed) {
  Budget& budget = changed.budget();
  using pod_scheduling_policy::PodSchedulingPolicy;
  const std::vector<PodSchedulingPolicy>& list = changed.written().pod_scheduling_policies;
  std::vector<pod_scheduling_policy::detail::AnalyzedInjection> policies;
  for (const PodSchedulingPolicy& policy : list) policies.push_back({&policy});
  const auto add = [&](const PodSchedulingPolicy& policy) {
    if (changed.is_replaced(policy, list)) return true;
    if (pod_scheduling_policy::detail::is_neighbour(policy, list, budget) &&
        budget.spend(steps_of_neighbour))
      policies.push_back({&policy, false});
    return !budget.used_up();
  };
  const auto& system = changed.compiled<PodSchedulingPolicySystem>(System::pod_scheduling_policy);
  const auto& stored = system.objects();
  const bool of_cluster =
      schedpol::detail::any_of(list, pod_scheduling_policy::detail::is_of_cluster);
  if (of_cluster) {
    stored.for_each<PodSchedulingPolicy>(add);
  } else {
    for (const std::string& namespace_ : namespaces_of(list))
      stored.for_each_in<PodSchedulingPolicy>(namespace_, add);
    stored.for_each_of_cluster<PodSchedulingPolicy>(add);
  }
  auto findings =
      pod_scheduling_policy::detail::PodSchedulingPolicyAnalysis(std::move(policies), budget).run();
  if (const auto all = system.policies().with(list))
    append(findings, pod_scheduling_policy::detail::giving_too_much(list, {}, *all, budget));
  if (!of_cluster) return findings;
  append(findings,
         injected_not_permitted(list, ChangedSchedulingPolicies(changed).policies_of_everybody(),
                                changed.settings(), budget));
  return findings;
}

inline std::size_t pod_scheduling_policy_texts(const Objects& written) {
  std::size_t texts = 0;
  for (const auto& policy : written.pod_scheduling_policies)
    texts += pod_scheduling_policy::detail::texts_of(policy);
  return texts;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/analyze_resource_policies.ipp

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

using schedpol::detail::Budget;

/// A policy, and whether it is asked about: of the others only matters which pods they select.
struct AnalyzedResourcePolicy {
  const ResourcePolicy* policy;
  bool is_asked_about = true;
};

inline std::size_t texts_of(const ResourcePolicy& policy) {
  std::size_t texts = schedpol::detail::texts_of(policy.spec.pod_selector);
  for (const Unit& unit : policy.spec.units)
    texts += 1 + schedpol::detail::texts_of(unit.node_selector);
  return texts;
}

/// What is odd about ResourcePolicies, as `analyze_resource_policies.hpp` says it.
class ResourcePolicyAnalysis final : public schedpol::detail::Analysis {
 public:
  /// Of policies that can be used.
  ResourcePolicyAnalysis(std::vector<AnalyzedResourcePolicy> policies, Budget& budget)
      : Analysis(budget), policies_(std::move(policies)) {
    std::sort(policies_.begin(), policies_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.policy->metadata.namespace_, a.policy->metadata.name) <
             std::tie(b.policy->metadata.namespace_, b.policy->metadata.name);
    });
  }

  std::vector<Finding> run() && {
    look_for(FindingCode::selects_nothing, [&] {
      for (const AnalyzedResourcePolicy& policy : policies_) look_at_selectors(policy);
    });
    look_for(FindingCode::selections_overlap, [&] { look_at_pods(); });
    look_for(FindingCode::units_overlap, [&] {
      for (std::size_t i = 0; i < policies_.size(); ++i) look_at_units(i);
    });
    return std::move(*this).take();
  }

 private:
  using Overlapping = schedpol::detail::Overlapping;
  using Selection = schedpol::detail::Selection;

  static Finding make_finding(FindingCode code, Severity severity, const ResourcePolicy& policy,
                              FieldPath field) {
    return {.code = code,
            .severity = severity,
            .policies = {schedpol::detail::qualified_name(policy.metadata)},
            .field = std::move(field)};
  }

  /// The pods and units of what selects something; nothing of those that do not.
  void look_at_selectors(const AnalyzedResourcePolicy& analyzed) {
    const ResourcePolicySpec& spec = analyzed.policy->spec;
    const auto look_at = [&](const std::optional<LabelSelector>& selector, const FieldPath& field) {
      std::optional<Selection> selection;
      if (!Selection::can_afford(schedpol::detail::texts_of(selector), budget_)) return selection;
      selection.emplace();
      selection->labels(selector.value_or(LabelSelector{}));
      if (!selection->selects_nothing(budget_)) return selection;
      if (analyzed.is_asked_about)
        add(make_finding(FindingCode::selects_nothing, Severity::warning, *analyzed.policy, field));
      return std::optional<Selection>();
    };
    auto& pods = pods_.emplace_back(look_at(spec.pod_selector, {"podSelector"}));
    if (pods) pods->in_namespace(analyzed.policy->metadata.namespace_);
    auto& units = units_.emplace_back();
    for (std::size_t i = 0; i < spec.units.size() && analyzed.is_asked_about; ++i)
      units.push_back(
          look_at(spec.units[i].node_selector, FieldPath{"units"}.index(i).child("nodeSelector")));
  }

  static std::vector<Overlapping> overlapping(
      const std::vector<std::optional<Selection>>& selections) {
    std::vector<Overlapping> all;
    for (std::size_t i = 0; i < selections.size(); ++i)
      if (selections[i]) all.push_back({i, i, &*selections[i]});
    return all;
  }

  void look_at_pods() {
    std::vector<Overlapping> all = overlapping(pods_);
    for (Overlapping& one : all) one.is_asked_about = policies_[one.number].is_asked_about;
    for_each_overlap(
        std::move(all), budget_, [&](const auto& first, const auto& second, const Labels& labels) {
          schedpol::detail::SelectedObject selected(labels);
          const ObjectMeta& other = policies_[first.number].policy->metadata;
          const ObjectMeta& metadata = policies_[second.number].policy->metadata;
          Finding finding = make_finding(FindingCode::selections_overlap, Severity::error,
                                         *policies_[second.number].policy, {"podSelector"});
          finding.policies = {schedpol::detail::qualified_name(other),
                              schedpol::detail::qualified_name(metadata)};
          finding.witness.emplace().metadata = {.namespace_ = metadata.namespace_,
                                                .labels = std::move(selected.labels)};
          add(std::move(finding));
        });
  }

  void look_at_units(std::size_t policy) {
    for_each_overlap(
        overlapping(units_[policy]), budget_,
        [&](const auto& first, const auto& second, const Labels& labels) {
          const FieldPath units{"units"};
          const LabelSelector node{schedpol::detail::SelectedObject(labels).labels, {}};
          Finding finding =
              make_finding(FindingCode::units_overlap, Severity::info, *policies_[policy].policy,
                           units.index(second.number).child("nodeSelector"));
          finding.detail = to_string(units.index(first.number))
                               .append(" ")
                               .append(schedpol::detail::start_of(to_string(node)));
          add(std::move(finding));
        });
  }

  std::vector<AnalyzedResourcePolicy> policies_;  ///< by namespace and name
  std::vector<std::optional<Selection>> pods_;
  std::vector<std::vector<std::optional<Selection>>> units_;  ///< of each policy
};

/// Whether a stored policy may select a pod of one that is written, which is in its namespace.
inline bool is_neighbour(const ResourcePolicy& stored, std::span<const ResourcePolicy> written,
                         Budget& budget) {
  budget.spend(4);
  return schedpol::detail::any_of(written, [&](const ResourcePolicy& each) {
    budget.spend();
    return each.metadata.namespace_ == stored.metadata.namespace_ &&
           !name_different_values(stored.spec.pod_selector, each.spec.pod_selector, budget);
  });
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const ResourcePolicy> policies) {
  std::vector<detail::AnalyzedResourcePolicy> good;
  for (const ResourcePolicy& policy : policies)
    if (validate(policy).errors.empty()) good.push_back({&policy});
  detail::Budget budget;
  return detail::ResourcePolicyAnalysis(std::move(good), budget).run();
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/insight/impl/systems/resource_policy.hpp

/// What is found of ResourcePolicies.

namespace SCHEDPOL_NAMESPACE::engine::detail {

inline std::vector<Finding> analyze_resource_policies(const Objects& objects, const Settings&,
                                                      std::span<const Node>) {
  return resource_policy::analyze(objects.resource_policies);
}

inline std::vector<Finding> analyze_changed_resource_policies(ChangedPolicies& changed) {
  Budget& budget = changed.budget();
  using resource_policy::ResourcePolicy;
  const std::vector<ResourcePolicy>& list = changed.written().resource_policies;
  std::vector<resource_policy::detail::AnalyzedResourcePolicy> policies;
  for (const ResourcePolicy& policy : list) policies.push_back({&policy});
  for (const std::string& namespace_ : namespaces_of(list)) {
    const auto* here =
        changed.compiled<ResourcePolicySystem>(System::resource_policy).policies_in(namespace_);
    for (std::size_t i = 0; here != nullptr && i < here->size() && !budget.used_up(); ++i) {
      const ResourcePolicy& policy = (*here)[i];
      if (!changed.is_replaced(policy, list) &&
          resource_policy::detail::is_neighbour(policy, list, budget))
        policies.push_back({&policy, false});
    }
  }
  return resource_policy::detail::ResourcePolicyAnalysis(std::move(policies), budget).run();
}

inline std::size_t resource_policy_texts(const Objects& written) {
  std::size_t texts = 0;
  for (const auto& policy : written.resource_policies)
    texts += resource_policy::detail::texts_of(policy);
  return texts;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/systems/runtime_class.hpp

/// What is found of RuntimeClasses.

namespace SCHEDPOL_NAMESPACE::engine::detail {

inline std::vector<Finding> analyze_runtime_classes(const Objects& objects, const Settings&,
                                                    std::span<const Node> nodes) {
  return runtime_class::analyze(objects.runtime_classes, nodes);
}

/// Nodes decide, which are not known here.
inline std::vector<Finding> analyze_changed_runtime_classes(ChangedPolicies&) {
  return {};
}
inline std::size_t runtime_class_texts(const Objects&) {
  return 0;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/analyze.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// What is found of a system's objects.
struct AnalysisRow {
  System system = System::none;
  /// Of all that can be used.
  std::vector<Finding> (*analyze)(const Objects& objects, const Settings& settings,
                                  std::span<const Node> nodes) = nullptr;
  std::vector<Finding> (*analyze_changed)(ChangedPolicies& changed) = nullptr;
  std::size_t (*texts)(const Objects& written) = nullptr;  ///< how large its objects are
};

inline constexpr std::array<AnalysisRow, std::size(all_systems)> analyses = {{
    {System::runtime_class, analyze_runtime_classes, analyze_changed_runtime_classes,
     runtime_class_texts},
    {System::metadata_policy, analyze_metadata_policies, analyze_changed_metadata_policies,
     metadata_policy_texts},
    {System::pod_scheduling_policy, analyze_pod_scheduling_policies,
     analyze_changed_pod_scheduling_policies, pod_scheduling_policy_texts},
    {System::scheduling_policy, analyze_scheduling_policies, analyze_changed_scheduling_policies,
     scheduling_policy_texts},
    {System::resource_policy, analyze_resource_policies, analyze_changed_resource_policies,
     resource_policy_texts},
}};
constexpr bool analyses_are_whole() noexcept {
  for (std::size_t i = 0; i < analyses.size(); ++i)
    if (analyses[i].system != all_systems[i] || analyses[i].texts == nullptr) return false;
  return true;
}
static_assert(analyses_are_whole(), "a whole row each, in the order of the enumeration");

/// The systems that add to pods what SchedulingPolicy in front of them misses.
inline std::vector<Finding> analyze_order(const std::vector<Step>& steps) {
  std::vector<Finding> findings;
  bool decided = false;
  for (const Step& step : steps) {
    if (step.mode != Mode::enforce) continue;
    decided |= step.system == System::scheduling_policy;
    if (decided &&
        (step.system == System::runtime_class || step.system == System::pod_scheduling_policy))
      findings.push_back({.code = FindingCode::decides_too_early,
                          .severity = Severity::warning,
                          .detail = std::string(to_string(step.system))});
  }
  return findings;
}

}  // namespace detail

SCHEDPOL_INLINE std::string message(const SystemFinding& finding) {
  return std::string(to_string(finding.system)) + ": " + message(finding.finding);
}

SCHEDPOL_INLINE std::vector<SystemFinding> analyze(const Configuration& configuration,
                                                   std::span<const Node> nodes) {
  const Objects usable = detail::changes_to(configuration.objects).usable;
  std::vector<SystemFinding> all;
  const auto add = [&](System system, std::vector<Finding> findings) {
    for (Finding& finding : findings) all.push_back({system, std::move(finding)});
  };
  for (const detail::AnalysisRow& row : detail::analyses) {
    add(row.system, row.analyze(usable, configuration.settings, nodes));
    if (row.system == System::scheduling_policy)
      add(row.system, detail::analyze_order(configuration.systems));
  }
  return all;
}

SCHEDPOL_INLINE std::vector<SystemFinding> analyze(const Engine& engine, const Objects& written) {
  std::vector<SystemFinding> all;
  const auto* impl = EngineAccess::of(engine);
  if (impl == nullptr) return all;
  const Objects usable = detail::changes_to(written).usable;
  std::size_t texts = 0;
  for (const detail::AnalysisRow& row : detail::analyses) texts += row.texts(usable);
  for (const detail::AnalysisRow& row : detail::analyses) {
    if (!impl->compiled(row.system).concerns(usable)) continue;
    detail::ChangedPolicies changed(*impl, usable, texts);
    for (Finding& finding : row.analyze_changed(changed))
      all.push_back({row.system, std::move(finding)});
  }
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/insight/impl/analyze_rbac.ipp

namespace SCHEDPOL_NAMESPACE::rbac {

namespace detail {

/// Who has which roles: those of a namespace, and of the cluster without one.
class BoundRoles {
 public:
  explicit BoundRoles(const Rbac& rbac) {
    for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings) add(binding, "");
    for (const RoleBinding& binding : rbac.role_bindings)
      if (!binding.metadata.namespace_.empty()) add(binding, binding.metadata.namespace_);
  }

  [[nodiscard]] bool has(const ObjectMeta& role) const {
    return bound_.contains({role.namespace_, role.name});
  }

 private:
  template <class Binding>
  void add(const Binding& binding, const std::string& namespace_) {
    const auto is_somebody = [&](const Subject& subject) {
      return subject_key(subject, namespace_).has_value();
    };
    if (schedpol::detail::none_of(binding.subjects, is_somebody)) return;
    if (binding.role_ref.kind == "ClusterRole") bound_.emplace("", binding.role_ref.name);
    if (binding.role_ref.kind == "Role" && !namespace_.empty())
      bound_.emplace(namespace_, binding.role_ref.name);
  }

  std::set<std::pair<std::string, std::string>> bound_;
};

/// The field of a rule that grants what is asked for through a wildcard alone; empty where none
/// does.
inline std::string_view wildcard_in(const PolicyRule& rule, const Access& access) {
  if (!lists(rule.verbs, access.verb) || !lists(rule.api_groups, access.api_group) ||
      !lists(rule.resources, access.resource))
    return {};
  if (!rule.verbs.contains(access.verb)) return "verbs";
  if (!rule.api_groups.contains(access.api_group)) return "apiGroups";
  return rule.resources.contains(access.resource) ? std::string_view() : "resources";
}

/// Whether a rule is about the use of policies, in groups that theirs is not among.
inline bool is_for_other_group(const PolicyRule& rule, const Access& access) {
  return rule.verbs.contains(access.verb) && rule.resources.contains(access.resource) &&
         !lists(rule.api_groups, access.api_group);
}

/// What a binding names, by its name and namespace.
inline ObjectMeta role_of(const RoleBinding& binding) {
  const bool is_of_cluster = binding.role_ref.kind == "ClusterRole";
  return {.name = binding.role_ref.name,
          .namespace_ = is_of_cluster ? std::string() : binding.metadata.namespace_};
}
inline ObjectMeta role_of(const ClusterRoleBinding& binding) {
  return {.name = binding.role_ref.name};
}

/// The roles that a binding can name.
class KnownRoles {
 public:
  explicit KnownRoles(const Rbac& rbac) {
    for (const ClusterRole& role : rbac.cluster_roles) names_.emplace("", role.metadata.name);
    for (const Role& role : rbac.roles)
      names_.emplace(role.metadata.namespace_, role.metadata.name);
  }

  [[nodiscard]] bool has(std::string_view kind, const ObjectMeta& role) const {
    const std::string& name = role.name;
    const bool is_of_cluster = kind == "ClusterRole";
    if (is_of_cluster && (name == "admin" || name == "cluster-admin" || name == "edit" ||
                          name == "view" || name.starts_with("system:")))
      return true;
    return is_of_cluster == role.namespace_.empty() && names_.contains({role.namespace_, name});
  }

 private:
  std::set<std::pair<std::string, std::string>> names_;
};

/// `Role shop/admin`, and the same as a path.
inline std::string shown(std::string_view kind, const ObjectMeta& metadata) {
  return std::string(kind) + " " + schedpol::detail::qualified_name(metadata);
}
inline FieldPath place_of(std::string_view kind, const ObjectMeta& metadata) {
  return FieldPath{kind}.key(schedpol::detail::qualified_name(metadata));
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(const Rbac& rbac, const Access& access) {
  std::vector<Finding> findings;
  const detail::BoundRoles bound(rbac);
  const auto look_at = [&](const auto& role, std::string_view kind) {
    if (!bound.has(role.metadata)) return;
    const std::string shown = detail::shown(kind, role.metadata);
    for (std::size_t i = 0; i < role.rules.size(); ++i) {
      const PolicyRule& rule = role.rules[i];
      const bool other_group = detail::is_for_other_group(rule, access);
      const std::string_view field =
          other_group ? std::string_view("apiGroups") : detail::wildcard_in(rule, access);
      if (field.empty()) continue;
      findings.push_back({.code = other_group ? FindingCode::granted_in_other_group
                                              : FindingCode::granted_by_wildcard,
                          .severity = Severity::warning,
                          .policies = Names(rule.resource_names.vector()),
                          .field = FieldPath{"rules"}.index(i).child(field),
                          .detail = other_group
                                        ? in_backticks(shown) + " has to name their API group, " +
                                              in_backticks(access.api_group)
                                        : shown,
                          .object = detail::place_of(kind, role.metadata)});
      return;
    }
  };
  for (const ClusterRole& role : rbac.cluster_roles)
    if (role.metadata.namespace_.empty()) look_at(role, "ClusterRole");
  for (const Role& role : rbac.roles) look_at(role, "Role");
  const detail::KnownRoles known(rbac);
  const auto look_for_role = [&](const auto& binding, std::string_view kind) {
    const ObjectMeta role = detail::role_of(binding);
    if (known.has(binding.role_ref.kind, role)) return;
    findings.push_back({.code = FindingCode::role_not_found,
                        .severity = Severity::warning,
                        .field = FieldPath{"roleRef"},
                        .detail = in_backticks(detail::shown(kind, binding.metadata)) + " names " +
                                  in_backticks(detail::shown(binding.role_ref.kind, role)),
                        .object = detail::place_of(kind, binding.metadata)});
  };
  for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings)
    look_for_role(binding, "ClusterRoleBinding");
  for (const RoleBinding& binding : rbac.role_bindings) look_for_role(binding, "RoleBinding");
  return findings;
}

}  // namespace SCHEDPOL_NAMESPACE::rbac

// schedpol/insight/impl/analyze_runtime_classes.ipp

namespace SCHEDPOL_NAMESPACE::runtime_class {

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const RuntimeClass> classes,
                                             std::span<const Node> nodes) {
  if (nodes.empty()) return {};
  std::vector<const RuntimeClass*> sorted;
  for (const RuntimeClass& each : classes)
    if (each.scheduling && validate(each).empty()) sorted.push_back(&each);
  std::sort(sorted.begin(), sorted.end(), [](const RuntimeClass* a, const RuntimeClass* b) {
    return a->metadata.name < b->metadata.name;
  });
  schedpol::detail::Budget budget;
  schedpol::detail::Analysis analysis(budget);
  const auto may_serve = [&](const RuntimeClass& runtime_class, const Node& node) {
    return !budget.spend(2 + 5 * runtime_class.scheduling->node_selector.size()) ||
           supports(runtime_class, node).supported;
  };
  analysis.look_for(FindingCode::no_node_serves, [&] {
    for (const RuntimeClass* each : sorted)
      if (schedpol::detail::none_of(nodes,
                                    [&](const Node& node) { return may_serve(*each, node); }))
        analysis.add({.code = FindingCode::no_node_serves,
                      .severity = Severity::warning,
                      .policies = {each->metadata.name},
                      .field = FieldPath{"scheduling", "nodeSelector"}});
  });
  return std::move(analysis).take();
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/insight/impl/compare.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE std::string_view to_string(Relation relation) noexcept {
  switch (relation) {
    case Relation::equivalent: return "Equivalent";
    case Relation::stricter: return "Stricter";
    case Relation::looser: return "Looser";
    case Relation::incomparable: return "Incomparable";
  }
  return "";
}

SCHEDPOL_INLINE Result<Comparison> compare(const EffectivePolicy& before,
                                           const EffectivePolicy& after,
                                           const Options& options_before,
                                           const Options& options_after) {
  detail::Budget budget;
  auto compared =
      detail::PolicyComparison(before, after, options_before, options_after, budget).run();
  if (!compared) return detail::Budget::exceeded(FieldPath{"spec"});
  return *std::move(compared);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/insight/impl/differences.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

class Differences {
 public:
  [[nodiscard]] static std::vector<Change> between(const Pod& from, const Pod& to) {
    Differences found(from.kind);
    found.compare({"metadata", "labels"}, from.metadata.labels, to.metadata.labels);
    found.compare({"metadata", "annotations"}, from.metadata.annotations, to.metadata.annotations);
    const PodSpec& before = from.spec;
    const PodSpec& after = to.spec;
    scheduling_policy::for_each_row([&]<class Row>(const Row& row) {
      found.compare({"spec", row.field}, before.*row.in_pod, after.*row.in_pod);
      if constexpr (requires { row.traits.derived; })
        for (const scheduling_policy::DerivedField& derived : row.traits.derived)
          found.compare({"spec", derived.field}, derived.text(before), derived.text(after));
    });
    found.compare({"spec", "overhead"}, before.overhead, after.overhead);
    return std::move(found.changes_);
  }

 private:
  using Fields = std::initializer_list<std::string_view>;

  explicit Differences(PodKind kind) : kind_(kind) {}

  static std::optional<std::string> text(const std::string& value) {
    return value.empty() ? std::nullopt : std::optional(value);
  }
  static std::optional<std::string> text(const std::optional<std::string>& value) { return value; }
  template <class Kind>
  static std::optional<std::string> text(const std::optional<Kind>& affinity) {
    return affinity ? std::optional(to_string(*affinity)) : std::nullopt;
  }
  static std::optional<std::string> text(const ResourceList& resources) {
    return text(schedpol::detail::to_text(resources));
  }

  template <class T>
  void compare(Fields fields, const T& from, const T& to) {
    if (from != to) changes_.push_back({field_path(kind_, fields), text(from), text(to)});
  }
  void compare(Fields fields, const Labels& from, const Labels& to) {
    if (from == to) return;
    const FieldPath at = field_path(kind_, fields);
    for (const auto& [key, value] : from) {
      const std::string* then = find_label(to, key);
      if (then == nullptr) {
        changes_.push_back({at.key(key), value, std::nullopt});
      } else if (*then != value) {
        changes_.push_back({at.key(key), value, *then});
      }
    }
    for (const auto& [key, value] : to)
      if (find_label(from, key) == nullptr) changes_.push_back({at.key(key), std::nullopt, value});
  }
  template <class Item>
  void compare(Fields fields, const std::vector<Item>& from, const std::vector<Item>& to) {
    if (from == to) return;
    const FieldPath at = field_path(kind_, fields);
    std::map<std::string, std::int64_t> more_before;
    for (const Item& item : from)
      for_each_text(item, [&](std::string text) { ++more_before[std::move(text)]; });
    for (const Item& item : to)
      for_each_text(item, [&](std::string text) { --more_before[std::move(text)]; });
    const std::size_t known = changes_.size();
    for (const auto& [item, more] : more_before) {
      if (more > 0) changes_.push_back({at, item, std::nullopt});
      if (more < 0) changes_.push_back({at, std::nullopt, item});
    }
    if constexpr (std::is_same_v<Item, Toleration>)
      if (changes_.size() == known) changes_.push_back({at, in_order(from), in_order(to)});
  }
  void compare(Fields fields, const std::optional<Affinity>& from,
               const std::optional<Affinity>& to) {
    const Affinity none;
    const Affinity& has = from ? *from : none;
    const Affinity& gets = to ? *to : none;
    const std::vector<std::string_view> at(fields);
    scheduling_policy::for_each_kind([&](const auto& kind) {
      compare({at[0], at[1], kind.field}, has.*kind.member, gets.*kind.member);
    });
  }
  /// What policies look at of an item.
  template <class Item, class F>
  static void for_each_text(const Item& item, F&& f) {
    if constexpr (requires { to_string(item); }) {
      f(to_string(item));
    } else {
      scheduling_policy::detail::for_each_allowed_name(
          item, [&](std::string_view, const std::string& name) { f(name); });
    }
  }
  static std::string in_order(const std::vector<Toleration>& tolerations) {
    std::string all;
    for (const Toleration& toleration : tolerations)
      all += (all.empty() ? "" : ", ") + to_string(toleration);
    return all;
  }

  PodKind kind_;
  std::vector<Change> changes_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Change> differences(const Pod& from, const Pod& to) {
  return detail::Differences::between(from, to);
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/insight/impl/explain.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// What an entry is about, below the spec of a pod.
inline FieldPath about_of(const FieldPath& entry) {
  const std::vector<FieldPath::Step> steps = entry.steps();
  FieldPath about;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    std::string_view name = steps[i].name;
    const auto take_name_in_pod = [&](const auto& ruled) {
      if (name == ruled.rules_field) name = ruled.field;
    };
    if (i == 1) for_each_section_field(take_name_in_pod);
    if (i == 2) for_each_kind(take_name_in_pod);
    about = steps[i].kind == FieldPath::Step::Kind::key ? about.key(name) : about.child(name);
  }
  return about;
}

/// What was hidden in the merge, at the first item that it is about: of the same field, and of the
/// same key, kind or mode.
inline void add_lost(std::vector<ExplainedItem>& items, PodKind kind,
                     const EffectivePolicy& effective) {
  std::map<FieldPath, std::size_t> first;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const std::vector<FieldPath::Step> steps = items[i].field.steps();
    FieldPath about;
    for (std::size_t at = template_steps(kind).size() + 1, end = at + 3;
         at < std::min(end, steps.size()); ++at) {
      about = steps[at].kind == FieldPath::Step::Kind::key ? about.key(steps[at].name)
                                                           : about.child(steps[at].name);
      first.try_emplace(about, i);
    }
  }
  for (const auto& [entry, policies] : effective.sources().lost) {
    auto found = first.find(about_of(entry));
    if (found == first.end() && entry.steps().size() > 3)
      found = first.find(about_of(entry.parent()));
    if (found == first.end()) continue;
    for (const std::string& policy : policies) {
      const SchedulingPolicySpec* own = own_spec(effective, policy);
      items[found->second].lost.push_back(
          {policy, entry, own == nullptr ? "" : EntryText::of(*own, entry)});
    }
  }
}

/// How wide a column gets; what is longer stands out of it.
inline constexpr std::size_t max_aligned_bytes = 48;

/// `team-a: allowed.tolerations[2]`, and what stands there where it is shown.
inline std::string entry_text(const PolicyEntry& entry) {
  std::string text = in_backticks(entry.policy);
  if (!entry.entry.empty()) text += " " + to_string(entry.entry);
  return entry.value.empty() ? text : text + " " + in_backticks(entry.value);
}

inline std::string entries_text(std::string_view name, const std::vector<PolicyEntry>& entries) {
  std::string text;
  for (std::size_t i = 0; i < std::min(entries.size(), max_shown_names); ++i)
    text += (i == 0 ? std::string(name) : ", ") + entry_text(entries[i]);
  if (entries.size() > max_shown_names)
    text += " and " + std::to_string(entries.size() - max_shown_names) + " more";
  return text;
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(Ruling ruling) noexcept {
  switch (ruling) {
    case Ruling::permitted: return "Permitted";
    case Ruling::permitted_by_default: return "PermittedByDefault";
    case Ruling::defaulted: return "Defaulted";
    case Ruling::required: return "Required";
    case Ruling::exempt: return "Exempt";
    case Ruling::ungoverned: return "Ungoverned";
    case Ruling::not_permitted: return "NotPermitted";
    case Ruling::requirement_missing: return "RequirementMissing";
  }
  return "";
}

SCHEDPOL_INLINE bool denies(Ruling ruling) noexcept {
  return ruling == Ruling::not_permitted || ruling == Ruling::requirement_missing;
}

namespace detail {

/// Of a pod with its defaults, unless it cannot be judged.
inline Explanation explain_defaulted(const Defaulted& defaulted, const EffectivePolicy& effective,
                                     const Options& options) {
  const auto& rules = EffectivePolicyAccess::of(effective);
  if (!rules.decides)
    return {false, {{undecided(defaulted.pod.kind, effective).field, "", Ruling::not_permitted}}};
  if (defaulted.pod.spec.moved_from) {
    const Violation denial = schedpol::detail::moved_from_violation(defaulted.pod.kind);
    return {false, {{denial.field, "", Ruling::not_permitted}}};
  }
  Explainer explainer(defaulted.pod, effective);
  const EffectivePod effective_pod(defaulted.pod, options, rules.spec.defaults);
  explainer.defaulted(defaulted.changes);
  rules.checks.run(effective_pod, explainer);
  Explanation explanation = std::move(explainer).take();
  add_lost(explanation.items, defaulted.pod.kind, effective);
  return explanation;
}

}  // namespace detail

SCHEDPOL_INLINE Explanation explain(const Pod& pod, const EffectivePolicy& effective,
                                    const Options& options) {
  return detail::explain_defaulted(apply_defaults(pod, effective, options), effective, options);
}

SCHEDPOL_INLINE Explanation explain_check(const Pod& pod, const EffectivePolicy& effective,
                                          const Options& options) {
  return detail::explain_defaulted({.pod = pod}, effective, options);
}

SCHEDPOL_INLINE std::vector<ExplainedItem> find_ungoverned(const Pod& pod,
                                                           const EffectivePolicy& effective,
                                                           const Options& options) {
  if (!detail::has_ungoverned(pod.spec, options)) return {};
  return detail::ungoverned_of(explain_check(pod, effective, options).items);
}

SCHEDPOL_INLINE std::string message(const Explanation& explanation) {
  std::vector<const ExplainedItem*> items;
  for (const bool denying : {true, false})
    for (const ExplainedItem& item : explanation.items)
      if (denies(item.ruling) == denying) items.push_back(&item);
  const std::size_t shown = std::min(items.size(), max_reported_errors);
  std::size_t widest_field = 0;
  std::size_t widest_value = 0;
  std::vector<std::pair<std::string, std::string>> cells;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& [field, value] =
        cells.emplace_back(in_backticks(to_string(items[i]->field)),
                           items[i]->value.empty() ? "" : in_backticks(items[i]->value));
    widest_field = std::max(widest_field, field.size());
    widest_value = std::max(widest_value, value.size());
  }
  std::string text = explanation.allowed ? "allowed" : "denied";
  const auto pad = [&](std::string_view cell, std::size_t width) {
    text.append("  ").append(cell).append(width - std::min(width, cell.size()), ' ');
  };
  for (std::size_t i = 0; i < shown; ++i) {
    text += '\n';
    pad(to_string(items[i]->ruling), std::string_view("RequirementMissing").size());
    pad(cells[i].first, std::min(widest_field, detail::max_aligned_bytes));
    pad(cells[i].second, std::min(widest_value, detail::max_aligned_bytes));
    text += detail::entries_text("  by ", items[i]->by);
    text += detail::entries_text("; not by ", items[i]->lost);
    if (!items[i]->permits_only.empty())
      text.append(items[i]->by.empty() ? "" : "; ").append(items[i]->permits_only);
    text.erase(text.find_last_not_of(' ') + 1);
  }
  if (shown < items.size()) text += "\n  and " + std::to_string(items.size() - shown) + " more";
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/insight/impl/finding.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// What is said of a sort of findings.
struct FindingText {
  /// How the detail stands between the two parts of the text.
  enum class Detail { none, quoted, plain };

  std::string_view name;
  std::string_view before;
  Detail detail = Detail::none;
  std::string_view after{};
};

/// In the order of the codes. Names of findings, which the last one lists, need no escapes.
inline constexpr FindingText finding_texts[] = {
    {"DefaultDenied", "a pod that takes the default is denied: ", FindingText::Detail::plain},
    {"DefaultNotGiven", "pods are not given the default", FindingText::Detail::quoted,
     ", because not each of its terms holds what is required, and no node can meet them together"},
    {"DefaultContradicted", "all or a part of the default is not given to pods of ",
     FindingText::Detail::plain},
    {"RequirementUnmet", "nothing can meet the requirement", FindingText::Detail::quoted},
    {"RequirementLost", "the requirement", FindingText::Detail::quoted,
     " is hidden by an earlier policy, and pods that do not meet it are allowed"},
    {"EntryLost", "the entry", FindingText::Detail::quoted, " is hidden by an earlier policy"},
    {"EntryCovered", "other entries permit all that", FindingText::Detail::quoted, " permits"},
    {"RequirementEscaped",
     "a pod escapes the requirement with one more term, because terms are ORed"},
    {"StrategiesDisagree", "the merge strategy", FindingText::Detail::quoted, " allows other pods"},
    {"EveryPodDenied", "no pod is allowed"},
    {"EveryPodAllowed", "every pod is allowed"},
    {"NullEntry", "`kubectl apply` drops what is null, and what is left means any"},
    {"EntryMatchesNothing", "matches nothing: ", FindingText::Detail::plain, "; `[]` is any"},
    {"Ungoverned", "has no effect until `options.governs` lists it"},
    {"GrantedByWildcard", "the role", FindingText::Detail::quoted,
     " grants the use of policies through `*`"},
    {"GrantedInOtherGroup", "the rule grants no use of policies: ", FindingText::Detail::plain},
    {"GrantAddsRequirements", "may be used by", FindingText::Detail::quoted,
     ", whose pods are denied for what it requires"},
    {"GrantedToNobody", "nobody may use it"},
    {"RoleNotFound", "", FindingText::Detail::plain, ", which is not there, and grants nothing"},
    {"SelectsNothing", "no object has what the selector asks for"},
    {"WritesDiffer",
     "both can select one object, and write different values to it:", FindingText::Detail::quoted},
    {"UpdatesIgnored", "the rule rejects, so its updates have no effect"},
    {"SelectedLabelOverwritten", "the rule writes", FindingText::Detail::quoted,
     ", which it does not select, over a label by which it selects: a workload that selects its "
     "pods by the label loses them"},
    {"NeverFires", "the rule never fires, because all that it selects is rejected"},
    {"InjectedNotPermitted", "no SchedulingPolicy permits", FindingText::Detail::quoted,
     ", and whoever sets the labels that are selected gets it"},
    {"SelectionsOverlap", "both can select one pod, which is then denied"},
    {"UnitsOverlap", "a node can be in this unit and in", FindingText::Detail::quoted},
    {"NoNodeServes", "none of the nodes has the labels that the class asks for"},
    {"LimitExceeded", "a pod that they select is denied, because together they give it ",
     FindingText::Detail::plain, " items, which is more than it may be given"},
    {"DecidesTooEarly", "the system runs before", FindingText::Detail::quoted,
     ", so that it judges pods without what that adds to them: put it behind"},
    {"NotDecided", "too much to compare", FindingText::Detail::plain},
};
static_assert(std::size(finding_texts) == static_cast<std::size_t>(FindingCode::not_decided) + 1);

inline const FindingText& text_of(FindingCode code) noexcept {
  return finding_texts[std::min(static_cast<std::size_t>(code), std::size(finding_texts) - 1)];
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(FindingCode code) noexcept {
  return detail::text_of(code).name;
}

SCHEDPOL_INLINE std::string_view to_string(Severity severity) noexcept {
  switch (severity) {
    case Severity::error: return "Error";
    case Severity::warning: return "Warning";
    case Severity::info: break;
  }
  return "Info";
}

SCHEDPOL_INLINE std::string message(const Finding& finding) {
  std::string text;
  if (!finding.policies.empty()) text = in_backticks(finding.policies) + ": ";
  if (!finding.field.empty()) text += in_backticks(to_string(finding.field)) + ": ";
  const auto& [name, before, shown, after] = detail::text_of(finding.code);
  text += before;
  if (shown == detail::FindingText::Detail::quoted && !finding.detail.empty())
    text += " " + in_backticks(finding.detail);
  if (finding.code == FindingCode::not_decided && !finding.detail.empty())
    text += ", so that not all was found of ";
  if (shown == detail::FindingText::Detail::plain) text += finding.detail;
  return text += after;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/insight/impl/decision_steps.hpp

/// What a decision costs before it is made, for what makes many.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Steps of a decision of an engine, by the policies that stand where the object does. An index may
/// find few of them for it; it may also find all.
class DecisionSteps {
 public:
  explicit DecisionSteps(const Engine& engine) : impl_(EngineAccess::of(engine)) {
    if (impl_ == nullptr) return;
    of_every_pod_ += steps_of_policy * impl_->problems.size();
    for (const Step& step : impl_->steps)
      if (step.system == System::pod_scheduling_policy)
        compiled<PodSchedulingPolicySystem>(step).objects().for_each_of_cluster<InjectedPolicy>(
            [&](const auto&) { return of_every_pod_ += steps_of_policy; });
  }

  [[nodiscard]] std::size_t of(const Pod& object) {
    if (impl_ == nullptr) return of_every_pod_;
    const auto [found, is_new] =
        in_namespace_.try_emplace(std::string(namespace_of(object.metadata)), 0);
    if (is_new) found->second = steps_of_policy * policies_in(found->first);
    std::size_t steps = of_every_pod_ + found->second;
    for (const Step& step : impl_->steps)
      if (step.system == System::scheduling_policy)
        steps += compiled<SchedulingPolicySystem>(step).bytes_merged_for(object);
    return steps;
  }

 private:
  using InjectedPolicy = pod_scheduling_policy::PodSchedulingPolicy;

  template <class T>
  [[nodiscard]] const T& compiled(const Step& step) const {
    return static_cast<const T&>(impl_->compiled(step.system));
  }

  /// Or rules of policies.
  [[nodiscard]] std::size_t policies_in(const std::string& namespace_) const {
    std::size_t count = 0;
    for (const Step& step : impl_->steps) {
      if (step.system == System::metadata_policy) {
        compiled<MetadataPolicySystem>(step).objects().for_each_in<metadata_policy::MetadataPolicy>(
            namespace_, [&](const auto& policy) {
              count += policy.spec.rules.size();
              return true;
            });
      } else if (step.system == System::pod_scheduling_policy) {
        compiled<PodSchedulingPolicySystem>(step).objects().for_each_in<InjectedPolicy>(
            namespace_, [&](const auto&) { return ++count; });
      } else if (step.system == System::resource_policy) {
        const auto* here = compiled<ResourcePolicySystem>(step).policies_in(namespace_);
        if (here != nullptr) count += here->size();
      }
    }
    return count;
  }

  static constexpr std::size_t steps_of_decision = 50;
  static constexpr std::size_t steps_of_policy = 2;

  const EngineAccess::Impl* impl_;
  std::size_t of_every_pod_ = steps_of_decision;
  std::map<std::string, std::size_t> in_namespace_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/impact.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// The hash of several texts.
class TextHash {
 public:
  explicit TextHash(std::size_t of_others = 0) noexcept : value_(of_others) {}

  TextHash& add(std::string_view text) noexcept {
    value_ = (value_ ^ std::hash<std::string_view>()(text)) * std::size_t{0x9E3779B1};
    return *this;
  }
  TextHash& add(const Labels& labels) noexcept {
    for (const auto& [key, value] : labels) add(key).add(value);
    return add(std::string_view());
  }
  [[nodiscard]] std::size_t value() const noexcept { return value_; }

 private:
  std::size_t value_;
};

/// Finds what is alike by a hash of some of it. Whoever makes many of one hash is not compared with
/// all of them: what is not found among the last `max_alike_compared` counts as one of a kind.
class AlikeByHash {
 public:
  /// One that is alike, or nothing.
  template <class IsAlike>
  [[nodiscard]] std::optional<std::size_t> find(std::size_t hash, IsAlike&& is_alike) const {
    const auto found = numbers_.find(hash);
    if (found == numbers_.end()) return std::nullopt;
    for (const std::size_t number : found->second)
      if (is_alike(number)) return number;
    return std::nullopt;
  }
  void add(std::size_t hash, std::size_t number) {
    std::vector<std::size_t>& last = numbers_[hash];
    if (last.size() == max_alike_compared) last.erase(last.begin());
    last.push_back(number);
  }

 private:
  std::unordered_map<std::size_t, std::vector<std::size_t>> numbers_;
};

/// A change in words, with the value before it and after it also where one of them is absent.
inline std::string sides_of(const Change& change) {
  const auto shown = [](const std::optional<std::string>& value) {
    return value ? in_backticks(*value) : std::string("nothing");
  };
  return in_backticks(to_string(change.field)) + ": " + shown(change.from) + " before, " +
         shown(change.to) + " after";
}

class ImpactSearch {
 public:
  ImpactSearch(const Engine& before, const Engine& after, std::vector<Pod>&& objects,
               std::vector<TemplateRequest>&& templates)
      : before_{before, DecisionSteps(before)},
        after_{after, DecisionSteps(after)},
        looks_at_metadata_(before.looks_at_metadata() || after.looks_at_metadata()),
        objects_(std::move(objects)),
        owners_(objects_),
        templates_(std::move(templates)) {
    for (Pod& object : objects_)
      if (!object.status.phase.empty()) object.spec.node_name.clear();
  }

  Impact run(ProgressCallback go_on) && {
    // At least one is looked at, so that whoever asks about the rest comes to an end.
    bool goes_on = true;
    while (goes_on && progress_.steps < max_insight_steps && bytes_ < max_insight_bytes &&
           progress_.objects < objects_.size() + templates_.size()) {
      const std::size_t number = outcome_of(progress_.objects);
      count(progress_.objects++, outcomes_[number]);
      goes_on = go_on(progress_);
    }
    impact_.not_looked_at = objects_.size() + templates_.size() - progress_.objects;
    return std::move(impact_);
  }

 private:
  /// What becomes of alike objects of one writer.
  struct AlikeImpact {
    const Pod* decided = nullptr;       ///< one of them
    std::optional<PodWriter> writer{};  ///< none: a node, of a mirror pod
    Effect effect = Effect::unchanged;
    std::vector<Violation> violations{};
    std::vector<Change> changes{};
    std::size_t hash = 0;
    std::size_t bytes = 0;  ///< of its violations and changes
  };

  static std::optional<PodWriter> writer_of(const Pod& object) noexcept {
    if (object.kind != PodKind::pod) return PodWriter::user;
    if (object.metadata.annotations.contains(mirror_annotation)) return std::nullopt;
    const OwnerReference* controller = controller_of(object.metadata);
    return controller != nullptr && controller->kind == to_string(PodKind::daemon_set)
               ? PodWriter::daemon_set_controller
               : PodWriter::user;
  }

  /// None of an object that is a pod, or a workload that Kubernetes has.
  [[nodiscard]] const TemplateRequest* template_at(std::size_t index) const noexcept {
    return index < objects_.size() ? nullptr : &templates_[index - objects_.size()];
  }

  /// The number of its outcome. Few workloads are alike, and each may have a controller.
  std::size_t outcome_of(std::size_t index) {
    if (const TemplateRequest* custom = template_at(index)) {
      outcomes_.push_back(decide(custom->request.object, PodWriter::user, custom));
      return outcomes_.size() - 1;
    }
    const Pod& object = objects_[index];
    const std::optional<PodWriter> writer = writer_of(object);
    const std::size_t hash = hash_of(object);
    const auto is_alike = [&](std::size_t number) {
      const AlikeImpact& outcome = outcomes_[number];
      return outcome.writer == writer && are_alike(*outcome.decided, object);
    };
    if (object.kind == PodKind::pod)
      if (const auto number = decided_.find(hash, is_alike)) return *number;
    decided_.add(hash, outcomes_.size());
    outcomes_.push_back(decide(object, writer, nullptr));
    return outcomes_.size() - 1;
  }

  static std::size_t hash_of(const Pod& object) noexcept {
    const PodSpec& spec = object.spec;
    TextHash hash;
    hash.add(object.metadata.namespace_).add(object.metadata.labels);
    hash.add(spec.scheduler_name).add(spec.priority_class_name).add(spec.service_account_name);
    hash.add(spec.runtime_class_name).add(spec.node_selector);
    for (const Toleration& toleration : spec.tolerations) hash.add(toleration.key);
    return hash.value();
  }
  [[nodiscard]] bool are_alike(const Pod& a, const Pod& b) const {
    return a.kind == b.kind && a.metadata.namespace_ == b.metadata.namespace_ &&
           a.metadata.deletion_timestamp.empty() == b.metadata.deletion_timestamp.empty() &&
           a.metadata.labels == b.metadata.labels &&
           (!looks_at_metadata_ || a.metadata.annotations == b.metadata.annotations) &&
           a.spec == b.spec;
  }

  AlikeImpact decide(const Pod& object, std::optional<PodWriter> writer,
                     const TemplateRequest* custom) {
    AlikeImpact outcome{.decided = &object, .writer = writer};
    Decision before = ask(before_, object, writer, custom);
    Decision after = ask(after_, object, writer, custom);
    if (before.allowed && after.allowed) {
      outcome.changes = differences(before.pod, after.pod);
      if (!outcome.changes.empty()) outcome.effect = Effect::changed;
    } else if (before.allowed != after.allowed) {
      outcome.effect = before.allowed ? Effect::newly_denied : Effect::newly_allowed;
      Decision& denial = before.allowed ? after : before;
      if (!denial.steps.empty()) outcome.violations = std::move(denial.steps.back().violations);
    }
    if (custom != nullptr) {
      for (Violation& each : outcome.violations) each.field = custom->in_object(each.field);
      for (Change& each : outcome.changes) each.field = custom->in_object(each.field);
    }
    TextHash hash;
    for (const Violation& violation : outcome.violations)
      hash.add(to_string(violation.field)).add(violation.value);
    for (const Change& change : outcome.changes)
      hash.add(to_string(change.field)).add(change.from.value_or("")).add(change.to.value_or(""));
    outcome.hash = hash.value();
    outcome.bytes = sizeof(AlikeImpact) + bytes_of(outcome);
    bytes_ += outcome.bytes;
    return outcome;
  }

  /// About what they take: texts are as long as those of policies and pods.
  static std::size_t bytes_of(const AlikeImpact& outcome) {
    std::size_t bytes = 0;
    for (const Violation& violation : outcome.violations)
      bytes += 2 * sizeof(Violation) + violation.value.size();
    for (const Change& change : outcome.changes)
      bytes += 2 * sizeof(Change) + change.from.value_or("").size() + change.to.value_or("").size();
    return bytes;
  }

  /// One of the two.
  struct Side {
    const Engine& engine;
    DecisionSteps steps;
  };

  /// Takes note of the steps: how many decisions there will be, and how much each has to say, is not
  /// known before.
  Decision ask(Side& side, const Pod& object, std::optional<PodWriter> writer,
               const TemplateRequest* custom) {
    if (custom != nullptr && !schedpol::detail::contains(side.engine.templates(), custom->path)) {
      ++progress_.steps;
      Decision passed{.pod = object};
      passed.allowed = true;
      return passed;
    }
    Request request{.object = object, .values = ChangeValues::omitted};
    if (writer == PodWriter::daemon_set_controller)
      request.requester.name = side.engine.daemon_set_controller();
    if (!writer) request.requester.groups = {std::string(nodes_group)};
    Decision decision = side.engine.decide(request);
    ++progress_.decisions;
    progress_.steps += side.steps.of(object);
    for (const StepDecision& step : decision.steps)
      progress_.steps += steps_of_change * (step.changes.size() + step.violations.size());
    return decision;
  }

  void count(std::size_t index, const AlikeImpact& outcome) {
    // It is compared with those of few groups.
    progress_.steps += steps_of_object + outcome.violations.size() + outcome.changes.size();
    switch (outcome.effect) {
      case Effect::unchanged: ++impact_.unchanged; return;
      case Effect::changed: ++impact_.changed; break;
      case Effect::newly_denied: ++impact_.newly_denied; break;
      case Effect::newly_allowed: ++impact_.newly_allowed; break;
    }
    const TemplateRequest* const custom = template_at(index);
    const Pod& object = custom == nullptr ? objects_[index] : custom->request.object;
    Owner owner = owners_.outermost_of(object);
    if (custom != nullptr && controller_of(object.metadata) == nullptr)
      owner.kind = custom->path.kind;
    const std::size_t hash =
        TextHash(outcome.hash).add(owner.kind).add(owner.namespace_).add(owner.name).value();
    const auto is_alike = [&](std::size_t number) {
      const ImpactGroup& group = impact_.groups[number];
      return group.owner == owner && group.effect == outcome.effect &&
             group.violations == outcome.violations && group.changes == outcome.changes;
    };
    auto number = grouped_.find(hash, is_alike);
    if (!number) {
      bytes_ += sizeof(ImpactGroup) + outcome.bytes;
      number = impact_.groups.size();
      grouped_.add(hash, *number);
      impact_.groups.push_back(
          {std::move(owner), outcome.effect, outcome.violations, outcome.changes, {}});
    }
    impact_.groups[*number].objects.push_back(index);
  }

  static constexpr std::size_t steps_of_object = 10;
  static constexpr std::size_t steps_of_change = 40;  ///< or violation

  Side before_;
  Side after_;
  bool looks_at_metadata_;
  std::vector<Pod> objects_;
  Owners owners_;
  std::vector<TemplateRequest> templates_;
  std::vector<AlikeImpact> outcomes_;
  AlikeByHash decided_;    ///< numbers of outcomes
  AlikeByHash grouped_;    ///< numbers of groups
  std::size_t bytes_ = 0;  ///< of what is kept
  ImpactProgress progress_;
  Impact impact_;
};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(Effect effect) noexcept {
  switch (effect) {
    case Effect::unchanged: return "Unchanged";
    case Effect::changed: return "Changed";
    case Effect::newly_denied: return "NewlyDenied";
    case Effect::newly_allowed: return "NewlyAllowed";
  }
  return "";
}

SCHEDPOL_INLINE Impact impact(const Engine& before, const Engine& after, std::vector<Pod> objects,
                              ProgressCallback go_on, std::vector<TemplateRequest> templates) {
  return detail::ImpactSearch(before, after, std::move(objects), std::move(templates)).run(go_on);
}

SCHEDPOL_INLINE std::string message(const ImpactGroup& group) {
  const std::size_t count = group.objects.size();
  std::string name = group.owner.name;
  if (!group.owner.namespace_.empty()) name = group.owner.namespace_ + "/" + name;
  std::string text = group.owner.kind.empty() ? "" : in_backticks(group.owner.kind) + " ";
  text +=
      in_backticks(name) + ": " + std::to_string(count) + (count == 1 ? " object " : " objects ");
  switch (group.effect) {
    case Effect::unchanged: text += "unchanged"; break;
    case Effect::changed: text += "changed"; break;
    case Effect::newly_denied: text += "denied now"; break;
    case Effect::newly_allowed: text += "allowed now, and denied before"; break;
  }
  schedpol::detail::append_lines(text, group.violations);
  schedpol::detail::append_lines(text, group.changes, detail::sides_of);
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/insight/impl/nearest_fix.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE Result<Optional<Fix>> nearest_fix(const Pod& pod, const EffectivePolicy& effective,
                                                  const Options& options) {
  detail::Budget budget;
  auto fix = detail::PodFixer(pod, effective, options, budget).run();
  if (budget.used_up()) return detail::Budget::exceeded(FieldPath{"spec"});
  return Optional<Fix>(std::move(fix));
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/insight/impl/suggest/allowed_entries.hpp

/// What `allowed` says, entry by entry: the smallest parts of it that permit something, each as a
/// section of its own, and the section that several of them are together. A pattern is one entry, and
/// so is each name, each value of a key, each topology key, and each `any`.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Splits what one field says. `f(place, value, alone)` is called with where an entry stands, what
/// it is for a person, and the field with that entry alone.
class AllowedEntrySplitter {
 public:
  template <class F>
  static void split(const AnyOr<Texts>& texts, const FieldPath& at, F&& f) {
    if (texts.is_any()) return f(at, any_text(), AnyOr<Texts>(any));
    for (std::size_t i = 0; i < texts.listed().size(); ++i) {
      const std::string& text = texts.listed()[i];
      f(at.index(i), text, AnyOr<Texts>{text});
    }
  }
  template <class Pattern, class F>
  static void split(const AnyOr<std::vector<Pattern>>& patterns, const FieldPath& at, F&& f) {
    using List = std::vector<Pattern>;
    if (patterns.is_any()) return f(at, any_text(), AnyOr<List>(any));
    for (std::size_t i = 0; i < patterns.listed().size(); ++i) {
      const Pattern& pattern = patterns.listed()[i];
      f(at.index(i), to_string(pattern), AnyOr<List>(List{pattern}));
    }
  }
  template <class F>
  static void split(const AnyOr<NodeSelectors>& keys, const FieldPath& at, F&& f) {
    if (keys.is_any()) return f(at, any_text(), AnyOr<NodeSelectors>(any));
    for (const auto& [key, values] : keys.listed()) {
      split(values, at.key(key), [&](const FieldPath& place, std::string value, auto alone) {
        NodeSelectors one;
        one.try_emplace(key, std::move(alone));
        f(place, std::move(value), AnyOr<NodeSelectors>(std::move(one)));
      });
    }
  }
  /// A structure: each of its fields.
  template <HasFields T, class F>
  static void split(const AnyOr<T>& of, const FieldPath& at, F&& f) {
    if (of.is_any()) return f(at, any_text(), AnyOr<T>(any));
    if (!of.is_listed()) return;
    split_fields(of.listed(), at, [&](const FieldPath& place, std::string value, T alone) {
      f(place, std::move(value), AnyOr<T>(std::move(alone)));
    });
  }
  template <HasFields T, class F>
  static void split_fields(const T& of, const FieldPath& at, F&& f) {
    for_each_field<T>([&](std::string_view name, auto member) {
      split(of.*member, at.child(name), [&](const FieldPath& place, std::string value, auto alone) {
        T one;
        one.*member = std::move(alone);
        f(place, std::move(value), std::move(one));
      });
    });
  }

 private:
  static std::string any_text() { return "[]"; }

  template <class F>
  static void split(const std::vector<TermPattern>& terms, const FieldPath& at, F&& f) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      split_fields(terms[i], at.index(i),
                   [&](const FieldPath& place, std::string value, TermPattern alone) {
                     f(place, std::move(value), std::vector<TermPattern>{std::move(alone)});
                   });
    }
  }
  template <class F>
  static void split(const Texts& texts, const FieldPath& at, F&& f) {
    for (std::size_t i = 0; i < texts.size(); ++i) f(at.index(i), texts[i], Texts{texts[i]});
  }
};

/// Adds what one section says to what another does, as `allowed` is merged: `any` absorbs. Nothing looks
/// for what is there already, which would be quadratic: it permits no more than once. The expressions of
/// all terms stand in one, because they may be combined freely.
class AllowedEntryJoiner {
 public:
  template <class T>
  static void add(AnyOr<T>& into, const AnyOr<T>& from) {
    if (into.is_any() || from.is_absent()) return;
    if (from.is_any()) {
      into = any;
    } else {
      add(into.list(), from.listed());
    }
  }
  template <HasFields T>
  static void add(T& into, const T& from) {
    for_each_field<T>([&](std::string_view, auto member) { add(into.*member, from.*member); });
  }

 private:
  static void add(Texts& into, const Texts& from) {
    for (const std::string& text : from) into.push_back(text);
  }
  template <class Pattern>
  static void add(std::vector<Pattern>& into, const std::vector<Pattern>& from) {
    into.insert(into.end(), from.begin(), from.end());
  }
  static void add(NodeSelectors& into, const NodeSelectors& from) {
    for (const auto& [key, values] : from) add(into[key], values);
  }
  static void add(std::vector<TermPattern>& into, const std::vector<TermPattern>& from) {
    if (into.empty() && !from.empty()) into.emplace_back();
    for (const TermPattern& term : from) add<TermPattern>(into.front(), term);
  }
};

/// Calls `f(place, value, alone)` for each entry of a section.
template <class F>
void for_each_allowed_entry(const PolicySection& allowed, F&& f) {
  AllowedEntrySplitter::split_fields(allowed, FieldPath{allowed_section.name}, f);
}

/// Adds the entries of a section to another.
inline void add_allowed_entries(PolicySection& into, const PolicySection& from) {
  AllowedEntryJoiner::add(into, from);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/suggest/missing_permissions.hpp

/// The least that `allowed` has to say for what `check` does not permit: for each such item the narrowest
/// entry that permits it.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The narrowest pattern that matches a toleration, or an expression.
inline TolerationPattern pattern_for(const Toleration& toleration) {
  const bool is_equal = toleration.operator_ == TolerationOperator::unset;
  TolerationPattern pattern;
  if (toleration.key.empty()) {
    pattern.keys = any;
  } else {
    pattern.keys = {toleration.key};
  }
  pattern.operators = {is_equal ? TolerationOperator::equal : toleration.operator_};
  if (toleration.operator_ != TolerationOperator::exists && !toleration.value.empty())
    pattern.values = {toleration.value};
  if (toleration.effect == TaintEffect::unset) {
    pattern.effects = any;
  } else {
    pattern.effects = {toleration.effect};
  }
  return pattern;
}
inline RequirementPattern pattern_for(const NodeSelectorRequirement& expression) {
  RequirementPattern pattern{{expression.key}, {expression.operator_}, {}};
  std::vector<std::string> values = expression.values.vector();
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  if (!values.empty()) pattern.values = Texts(std::move(values));
  return pattern;
}
inline SpreadConstraintPattern pattern_for(const TopologySpreadConstraint& constraint) {
  SpreadConstraintPattern pattern{any, any};
  if (!constraint.topology_key.empty()) pattern.topology_keys = {constraint.topology_key};
  if (constraint.when_unsatisfiable != WhenUnsatisfiable::unset)
    pattern.when_unsatisfiable = {constraint.when_unsatisfiable};
  return pattern;
}

/// Hears what is not permitted, and calls `need` with a section that permits it and nothing else.
template <class Need>
class MissingPermissions final : public CheckListener {
 public:
  explicit MissingPermissions(Need need) : CheckListener(Wants::denials), need_(std::move(need)) {}

  /// Whether a requirement is not met, which no permission helps.
  [[nodiscard]] bool lacks_requirement() const noexcept { return lacks_requirement_; }
  /// Whether anything is denied.
  [[nodiscard]] bool denies() const noexcept { return denies_; }

  void on_event(const CheckEvent& event) override {
    if (!detail::denies(event.verdict)) return;
    denies_ = true;
    if (event.verdict == Verdict::requirement_missing) {
      lacks_requirement_ = true;
      return;
    }
    with_row(event.codes, [&](const auto& row) { permit(row, event); });
  }

 private:
  void permit(const NameField& row, const CheckEvent& event) {
    permit(row.rules, AnyOr<Texts>{event.item.text});
  }
  void permit(const NodeNameField& row, const CheckEvent&) {
    permit(row.scheduler.rules, AnyOr<Texts>(any));
  }
  void permit(const NodeSelectorField& row, const CheckEvent& event) {
    NodeSelectors one;
    one.try_emplace(*event.item.pair.key, AnyOr<Texts>{*event.item.pair.value});
    permit(row.rules, AnyOr<NodeSelectors>(std::move(one)));
  }
  void permit(const TolerationsField& row, const CheckEvent& event) {
    permit(row.rules, list_of(pattern_for(*event.item.toleration)));
  }
  void permit(const SpreadConstraintsField& row, const CheckEvent& event) {
    permit(row.rules, list_of(pattern_for(*event.item.spread_constraint)));
  }
  template <class Item>
  void permit(const AllowedNamesField<Item>& row, const CheckEvent& event) {
    permit(row.rules, event.item.text.empty() ? AnyOr<Texts>(any) : AnyOr<Texts>{event.item.text});
  }
  void permit(const AffinityField&, const CheckEvent& event) {
    for_each_kind([&](const auto& kind) {
      if (kind.field == event.kind) permit_in_kind(kind, event);
    });
  }

  void permit_in_kind(const AffinityKind<NodeAffinity, NodeAffinityRule>& kind,
                      const CheckEvent& event) {
    const auto permit_expression = [&](std::string_view mode, bool is_field,
                                       const NodeSelectorRequirement& expression) {
      TermPattern term;
      (is_field ? term.match_fields : term.match_expressions) = list_of(pattern_for(expression));
      permit_in_mode(kind, mode, NodeAffinityRule{{std::move(term)}});
    };
    if (event.item.expression.requirement != nullptr)
      return permit_expression(event.mode, event.item.expression.is_field,
                               *event.item.expression.requirement);
    bool permits_some = false;
    const auto permit_terms = [&](std::string_view mode, const auto& terms) {
      for (const auto& term : terms) {
        for (const bool is_field : {false, true}) {
          const NodeSelectorTerm& part = schedpol::detail::part_of(term);
          for (const auto& each : is_field ? part.match_fields : part.match_expressions) {
            permits_some = true;
            permit_expression(mode, is_field, each);
          }
        }
      }
    };
    permit_terms(required_mode, event.item.node_terms->required);
    permit_terms(preferred_mode, event.item.node_terms->preferred);
    // Terms without an expression only a mode of anything permits.
    if (permits_some) return;
    permit_any(kind, required_mode, event.item.node_terms->required);
    permit_any(kind, preferred_mode, event.item.node_terms->preferred);
  }
  void permit_in_kind(const AffinityKind<PodAffinity, PodAffinityRule>& kind,
                      const CheckEvent& event) {
    if (event.item.is_text)
      return permit_in_mode(kind, event.mode, PodAffinityRule{{event.item.text}});
    for (const PodAffinityTerm& term : event.item.pod_terms->required)
      permit_in_mode(kind, required_mode, PodAffinityRule{{term.topology_key}});
    for (const WeightedPodAffinityTerm& term : event.item.pod_terms->preferred)
      permit_in_mode(kind, preferred_mode, PodAffinityRule{{term.pod_affinity_term.topology_key}});
  }
  template <class Kind, class Term>
  void permit_any(const Kind& kind, std::string_view mode, const std::vector<Term>& terms) {
    if (!terms.empty()) permit_in_mode(kind, mode, any);
  }
  template <class Kind, class Rule>
  void permit_in_mode(const AffinityKind<Kind, Rule>& kind, std::string_view mode,
                      std::type_identity_t<AnyOr<Rule>> permitted) {
    AffinityModes<Rule> modes;
    (mode == required_mode ? modes.required_during_scheduling_ignored_during_execution
                           : modes.preferred_during_scheduling_ignored_during_execution) =
        std::move(permitted);
    AffinityRules rules;
    rules.*kind.rules = std::move(modes);
    permit(affinity_field.rules, AnyOr<AffinityRules>(std::move(rules)));
  }

  template <class Pattern>
  static AnyOr<std::vector<Pattern>> list_of(Pattern pattern) {
    return std::vector<Pattern>{std::move(pattern)};
  }
  template <class Rules>
  void permit(AnyOr<Rules> PolicySection::*rules, AnyOr<Rules> permitted) {
    PolicySection section;
    section.*rules = std::move(permitted);
    need_(std::move(section));
  }

  Need need_;
  bool lacks_requirement_ = false;
  bool denies_ = false;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/insight/impl/suggest/needs.hpp

/// What each object needs that policies do not permit yet, and who runs it.

namespace SCHEDPOL_NAMESPACE::engine::detail {

using scheduling_policy::PolicySection;
using scheduling_policy::SchedulingPolicy;

using schedpol::detail::Budget;

/// Steps that an entry takes where it is merged with others, and bytes of policies that take one.
inline constexpr std::size_t steps_of_entry = 16;
inline constexpr std::size_t bytes_merged_a_step = 2;
/// Bytes that are kept of each byte of a policy, which is merged.
inline constexpr std::size_t bytes_kept = 16;

/// Numbers in order, each once.
using Numbers = std::vector<std::size_t>;

inline void insert_number(Numbers& into, std::size_t number) {
  const auto at = std::lower_bound(into.begin(), into.end(), number);
  if (at == into.end() || *at != number) into.insert(at, number);
}
inline bool has_number(const Numbers& numbers, std::size_t number) noexcept {
  return std::binary_search(numbers.begin(), numbers.end(), number);
}
inline Numbers without_number(Numbers numbers, std::size_t number) {
  schedpol::detail::erase_if(numbers, [&](std::size_t each) { return each == number; });
  return numbers;
}

/// What tells entries apart, in the order of the fields of a section.
struct EntryIdentity {
  FieldPath place{};  ///< without the indices of lists
  std::string value{};

  friend auto operator<=>(const EntryIdentity&, const EntryIdentity&) = default;
};

/// Entries that somebody needs, by number.
class NeededEntries {
 public:
  explicit NeededEntries(const SuggestOptions& options) : generalised_(options.generalise) {
    if (options.node_names == SuggestedNodeNames::listed) return;
    generalised_.push_back("metadata.name");
    generalised_.push_back("kubernetes.io/hostname");
  }

  /// The number of a section of one entry; none where no valid policy can say that.
  std::optional<std::size_t> number_of(PolicySection&& section) {
    generalise(section);
    const EntryIdentity identity = identity_of(section);
    const auto [found, is_new] = numbers_.try_emplace(identity, std::nullopt);
    if (!is_new) return found->second;
    const SchedulingPolicy policy{{.name = "p"}, {.allowed = section}};
    if (!validate(policy).empty()) return std::nullopt;
    found->second = sections_.size();
    sections_.push_back(std::move(section));
    return found->second;
  }

  /// The number of an entry of some policy, where somebody needs it.
  [[nodiscard]] std::optional<std::size_t> find(const EntryIdentity& identity) const {
    const auto found = numbers_.find(identity);
    return found == numbers_.end() ? std::nullopt : found->second;
  }

  [[nodiscard]] static EntryIdentity identity_of(const PolicySection& of_one_entry) {
    EntryIdentity identity;
    scheduling_policy::detail::for_each_allowed_entry(
        of_one_entry, [&](const FieldPath& place, std::string value, const PolicySection&) {
          identity = {place.without_indices(), std::move(value)};
        });
    return identity;
  }

  [[nodiscard]] std::size_t size() const noexcept { return sections_.size(); }
  [[nodiscard]] const PolicySection& operator[](std::size_t number) const noexcept {
    return sections_[number];
  }

  /// What some of them permit together.
  [[nodiscard]] PolicySection section_of(const Numbers& numbers) const {
    PolicySection section;
    for (const std::size_t number : numbers)
      scheduling_policy::detail::add_allowed_entries(section, sections_[number]);
    return section;
  }

  /// Their numbers in the order of the fields, which does not depend on who needs them.
  [[nodiscard]] Numbers in_order() const {
    std::map<std::pair<std::size_t, const EntryIdentity*>, std::size_t, ByRow> ordered;
    for (const auto& [identity, number] : numbers_)
      if (number) ordered.emplace(std::pair(row_of(identity.place), &identity), *number);
    Numbers numbers;
    for (const auto& [key, number] : ordered) numbers.push_back(number);
    return numbers;
  }

  /// Renumbers them in that order: `renumbered[old]` is the new number.
  [[nodiscard]] std::vector<std::size_t> put_in_order() {
    const Numbers ordered = in_order();
    std::vector<std::size_t> renumbered(sections_.size());
    std::vector<PolicySection> sections;
    for (const std::size_t old : ordered) {
      renumbered[old] = sections.size();
      sections.push_back(std::move(sections_[old]));
    }
    sections_ = std::move(sections);
    for (auto& [identity, number] : numbers_)
      if (number) number = renumbered[*number];
    return renumbered;
  }

 private:
  struct ByRow {
    bool operator()(const std::pair<std::size_t, const EntryIdentity*>& a,
                    const std::pair<std::size_t, const EntryIdentity*>& b) const {
      return a.first != b.first ? a.first < b.first : *a.second < *b.second;
    }
  };
  static std::size_t row_of(const FieldPath& place) {
    const std::vector<FieldPath::Step> steps = place.steps();
    const auto& names = scheduling_policy::component_names;
    return static_cast<std::size_t>(std::find(names.begin(), names.end(), steps[1].name) -
                                    names.begin());
  }

  void generalise(PolicySection& section) const {
    if (generalised_.empty()) return;
    for (auto& [key, values] :
         section.node_selectors.is_listed() ? section.node_selectors.list() : no_selectors())
      if (generalised_.contains(key)) values = any;
    generalise(section.tolerations);
    if (!section.affinities.is_listed()) return;
    auto& kind = section.affinities.list().node_affinities;
    if (!kind.is_listed()) return;
    scheduling_policy::for_each_field<scheduling_policy::NodeAffinityRules>(
        [&](std::string_view, auto member) {
          if (!(kind.list().*member).is_listed()) return;
          for (scheduling_policy::TermPattern& term :
               (kind.list().*member).list().node_selector_terms) {
            generalise(term.match_expressions);
            generalise(term.match_fields);
          }
        });
  }
  template <class Pattern>
  void generalise(AnyOr<std::vector<Pattern>>& patterns) const {
    if (!patterns.is_listed()) return;
    for (Pattern& pattern : patterns.list())
      if (pattern.values.is_listed() && pattern.keys.is_listed() &&
          generalised_.contains(pattern.keys.listed().front()))
        pattern.values = any;
  }
  static scheduling_policy::NodeSelectors& no_selectors() {
    static scheduling_policy::NodeSelectors none;
    return none;
  }

  Texts generalised_;
  std::map<EntryIdentity, std::optional<std::size_t>> numbers_;
  std::vector<PolicySection> sections_;
};

/// The policies that some service accounts may use so far.
struct UsablePolicies {
  std::vector<SchedulingPolicy> policies{};
  EffectivePolicy effective{};
  std::size_t bytes = 0;
  bool are_all = false;  ///< that there are and will be, by a role that names none
};

struct RunningAccount {
  std::string namespace_{};
  std::string name{};
  std::size_t subject = 0;
  Shared<UsablePolicies> usable{};
};

/// An object that SchedulingPolicy decides on.
struct JudgedObject {
  std::size_t place = 0;  ///< among the objects that were given
  std::size_t account = 0;
  std::size_t owner = 0;
  PodWriter writer = PodWriter::user;
  /// The object as SchedulingPolicy is asked about it, where it needs anything; several where another
  /// system changes it once it is permitted.
  std::vector<Pod> questions{};
  Numbers needs{};
};

/// Judges by other policies than those of an engine.
class SchedulingJudge {
 public:
  SchedulingJudge(const Engine& engine, const Settings& settings, Budget& budget)
      : impl_(*EngineAccess::of(engine)),
        system_(
            static_cast<const SchedulingPolicySystem&>(impl_.compiled(System::scheduling_policy))),
        settings_(settings),
        budget_(budget) {}

  [[nodiscard]] const SchedulingPolicySystem& system() const noexcept { return system_; }
  /// Once it is used up nothing is judged, and nobody denied.
  [[nodiscard]] Budget& budget() const noexcept { return budget_; }

  /// The policies that an account may use already. Those that cannot be used are left out.
  [[nodiscard]] UsablePolicies usable(const rbac::Grant& grant) const {
    UsablePolicies usable{.are_all = grant.all};
    const auto add = [&](const SchedulingPolicy& policy) {
      const std::size_t bytes = scheduling_policy::policy_bytes(policy.spec);
      usable.bytes += bytes;
      if (budget_.keep(bytes_kept * bytes)) usable.policies.push_back(policy);
      return !budget_.used_up();
    };
    if (grant.all) system_.for_each_policy(add);
    for (const std::string& name : grant.names)
      if (const SchedulingPolicy* policy = system_.policy(name)) add(*policy);
    budget_.spend(usable.bytes / bytes_merged_a_step);
    if (!budget_.used_up()) usable.effective = merged(usable.policies);
    return usable;
  }

  /// The policies of an account with one more that permits so many entries.
  [[nodiscard]] EffectivePolicy with(const RunningAccount& account, PolicySection&& allowed,
                                     std::size_t entries) const {
    const UsablePolicies& usable = *account.usable;
    if (allowed == PolicySection{} ||
        !budget_.spend(steps_of_entry * entries + usable.bytes / bytes_merged_a_step))
      return usable.effective;
    std::vector<SchedulingPolicy> policies = usable.policies;
    // No policy is called so, and it comes after all others.
    policies.push_back({{.name = "~"}, {.allowed = std::move(allowed)}});
    return merged(policies);
  }
  [[nodiscard]] EffectivePolicy merged(const std::vector<SchedulingPolicy>& policies) const {
    return merge(policies, settings_.strategy);
  }

  /// Of a decision on a pod by a policy, without what other systems take.
  [[nodiscard]] std::size_t steps_of(const Pod& pod, const EffectivePolicy& effective) const {
    return scheduling_policy::detail::CheckSteps({effective, &settings_.options}).of(pod.spec);
  }

  /// Tells what is denied of an object by a policy.
  void judge(const Pod& question, PodWriter writer, const EffectivePolicy& effective,
             scheduling_policy::detail::CheckListener& listener) const {
    if (!budget_.spend(steps_of(question, effective))) return;
    Pod pod = unpinned(question, writer);
    auto options =
        system_.options_for(question, impl_.context_of(namespace_of(question.metadata), writer));
    if (pod.kind == PodKind::pod) {
      pod = apply_defaults(std::move(pod), effective, *options).pod;
      return run_checks(pod, effective, *options, listener);
    }
    CoveredTolerations covered(pod, options.merged);
    pod = apply_defaults(std::move(pod), effective, options.without(covered)).pod;
    covered.restore(pod);
    const CoveredTolerations of_pods(pod, options.merged, options.added_to(pod));
    run_checks(pod, effective, options.without(of_pods), listener);
  }

  /// Whether nothing is denied.
  [[nodiscard]] bool allows(const JudgedObject& object, const EffectivePolicy& effective) const {
    using scheduling_policy::EffectivePolicyAccess;
    if (budget_.used_up()) return true;
    if (!EffectivePolicyAccess::of(effective).decides) return false;
    scheduling_policy::detail::MissingPermissions listener([](PolicySection&&) {});
    for (const Pod& question : object.questions) {
      judge(question, object.writer, effective, listener);
      if (listener.denies()) return false;
    }
    return true;
  }

 private:
  static void run_checks(const Pod& pod, const EffectivePolicy& effective,
                         const scheduling_policy::Options& options,
                         scheduling_policy::detail::CheckListener& listener) {
    const auto& rules = scheduling_policy::EffectivePolicyAccess::of(effective);
    rules.checks.run(scheduling_policy::detail::EffectivePod(pod, options, rules.spec.defaults),
                     listener);
  }

  const EngineAccess::Impl& impl_;
  const SchedulingPolicySystem& system_;
  const Settings& settings_;
  Budget& budget_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/suggest/need_search.hpp

/// Finds what each object needs, and whose needs these are.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Whom something can be granted to: a service account, or all of a namespace; both empty where all
/// objects are one subject, and of the accounts that may use every policy anyway.
struct GrantedSubject {
  std::string namespace_{};
  std::string account{};  ///< empty: all of the namespace

  friend auto operator<=>(const GrantedSubject&, const GrantedSubject&) = default;
};

/// The objects, by who runs them and who owns them.
struct NeededPermissions {
  explicit NeededPermissions(const SuggestOptions& options) : entries(options) {}

  NeededEntries entries;
  std::vector<RunningAccount> accounts{};
  std::vector<GrantedSubject> subjects{};
  /// The subject of accounts that roles let use every policy, whoever it is for. Nothing is bound to it.
  std::optional<std::size_t> unbound{};
  std::vector<Owner> owners{};
  std::vector<JudgedObject> objects{};  ///< those that SchedulingPolicy decides on
  std::vector<UnmetNeed> undecided{};
  std::vector<UnmetNeed> unsatisfiable{};
  std::set<std::size_t> unmet{};  ///< the places of objects of these two
  /// The owners with objects that are decided on, unmet ones too, of each subject.
  std::vector<Numbers> owners_of_subject{};
  /// The owner and the subject of each object that was given, where it is decided on.
  std::vector<std::pair<std::size_t, std::size_t>> origins{};
};

inline std::tuple<const std::string&, const std::string&, const std::string&> order_of(
    const Owner& owner) noexcept {
  return {owner.namespace_, owner.kind, owner.name};
}

/// Into an order that does not depend on that of the objects.
inline void put_in_order(std::vector<UnmetNeed>& needs) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, std::vector<UnmetNeed>>
      ordered;
  for (UnmetNeed& need : needs) {
    std::string text = need.reason + '\n' + std::to_string(need.pods);
    for (const Violation& violation : need.violations) text += '\n' + message(violation);
    const auto& [namespace_, kind, name] = order_of(need.owner);
    std::vector<UnmetNeed>& alike = ordered[{namespace_, kind, name, text}];
    alike.push_back(std::move(need));
  }
  needs.clear();
  for (auto& [key, alike] : ordered) schedpol::detail::append(needs, std::move(alike));
}

class NeedSearch {
 public:
  NeedSearch(const Engine& engine, const Settings& settings, const SuggestOptions& options,
             std::span<const RunningObject> objects, Budget& budget)
      : engine_(engine),
        settings_(settings),
        options_(options),
        objects_(objects),
        judge_(engine, settings, budget),
        budget_(budget),
        steps_(engine),
        found_(options) {
    found_.origins.resize(objects.size(), {nowhere, nowhere});
    for (std::size_t place = 0; place < objects.size() && !stops(); ++place) look_at(place);
    put_in_order();
  }

  /// A subject that needs more than `max_suggested_entries`, where one does: nothing is looked for then.
  [[nodiscard]] const std::optional<GrantedSubject>& needs_too_much() const noexcept {
    return needs_too_much_;
  }

  [[nodiscard]] const NeededPermissions& found() const noexcept { return found_; }

  /// Looks again at objects that are denied by an engine which has all that was found: another system
  /// has its say once they are permitted, and may have changed them. What needs nothing more then is
  /// unsatisfiable. Looks, too, at all that SchedulingPolicy was asked about those that are allowed, where
  /// it was asked more than once: what an object needs does not depend on what others are granted. False
  /// where nothing else is found.
  bool look_again(const Engine& engine, const std::vector<std::size_t>& denied,
                  std::map<std::size_t, std::vector<Pod>>&& asked_again) {
    std::set<std::size_t> again;
    for (const std::size_t place : denied)
      if (!found_.unmet.contains(place)) again.insert(place);
    bool finds_else = !again.empty();
    schedpol::detail::erase_if(found_.objects, [&](JudgedObject& object) {
      if (stops()) return false;
      if (again.contains(object.place)) return !look_again_at(object, engine);
      const auto asked = asked_again.find(object.place);
      if (asked == asked_again.end() || object.needs.empty()) return false;
      const Numbers before = object.needs;
      const bool is_met = find_needs_of_all(object, std::move(asked->second));
      finds_else = finds_else || !is_met || object.needs != before;
      return !is_met;
    });
    if (finds_else) put_in_order();
    return finds_else;
  }

 private:
  [[nodiscard]] bool stops() const noexcept { return budget_.used_up() || needs_too_much_; }

  void look_at(std::size_t place) {
    const RunningObject& running = objects_[place];
    if (!budget_.spend(steps_.of(running.request.object))) return;
    DecisionTrace trace{.watched = System::scheduling_policy};
    const Decision decision = EngineAccess::decide(engine_, running.request, trace);
    if (decision.allowed && decision.steps.empty()) return;
    JudgedObject object{.place = place,
                        .account = account_of(running.request.object),
                        .owner = owner_of(running.owner),
                        .writer = EngineAccess::of(engine_)->writer_of(running.request)};
    const std::size_t subject = found_.accounts[object.account].subject;
    found_.origins[place] = {object.owner, subject};
    insert_number(found_.owners_of_subject[subject], object.owner);
    if (decision.allowed || add_needs(object, trace, decision))
      found_.objects.push_back(std::move(object));
  }

  bool look_again_at(JudgedObject& object, const Engine& engine) {
    const Request& request = objects_[object.place].request;
    if (!budget_.spend(steps_.of(request.object))) return true;
    DecisionTrace trace{.watched = System::scheduling_policy};
    const Decision decision = EngineAccess::decide(engine, request, trace);
    return decision.allowed || add_needs(object, trace, decision);
  }

  /// Of a denial. False where nothing is granted to the object, which is told.
  bool add_needs(JudgedObject& object, DecisionTrace& trace, const Decision& denial) {
    const std::vector<Violation>& violations = denial.steps.back().violations;
    const bool is_of_policies = denial.steps.back().step.system == System::scheduling_policy &&
                                schedpol::detail::all_of(violations, is_of_permission);
    std::string_view reason = "no permission is missing";
    if (is_of_policies) {
      const std::size_t before = object.needs.size();
      object.questions.push_back(std::move(trace.questions.back().object));
      reason = add_needs_of(object, object.questions.back());
      // A policy without entries is none that anybody writes.
      if (reason.empty() && object.needs.size() == before && !stops())
        reason = "it needs a policy, and nothing in it";
    }
    return is_met(object, reason, violations);
  }

  /// By all questions about it in their order, whatever was found before. The same.
  bool find_needs_of_all(JudgedObject& object, std::vector<Pod>&& questions) {
    object.questions = std::move(questions);
    object.needs.clear();
    std::string_view reason;
    for (const Pod& question : object.questions)
      if (reason.empty() && !stops()) reason = add_needs_of(object, question);
    std::sort(object.needs.begin(), object.needs.end());
    return is_met(object, reason, {});
  }

  /// Unless there is a reason that it is not, which is told.
  bool is_met(const JudgedObject& object, std::string_view reason,
              const std::vector<Violation>& violations) {
    if (reason.empty()) count_needs(object);
    if (reason.empty() || stops()) return true;
    const RunningObject& running = objects_[object.place];
    found_.unmet.insert(object.place);
    (reason == hidden || reason == hidden_by_others ? found_.undecided : found_.unsatisfiable)
        .push_back({running.owner, running.pods, std::string(reason), violations});
    return false;
  }

  /// Of the subject of an object.
  void count_needs(const JudgedObject& object) {
    const std::size_t subject = found_.accounts[object.account].subject;
    std::set<std::size_t>& needs = needs_of_[subject];
    needs.insert(object.needs.begin(), object.needs.end());
    if (needs.size() > max_suggested_entries) needs_too_much_ = found_.subjects[subject];
  }

  /// Of a denial that a permission may help.
  static bool is_of_permission(const Violation& violation) {
    bool is_of_row = violation.code == ViolationCode::no_usable_policy;
    scheduling_policy::for_each_row([&](const auto& row) {
      is_of_row = is_of_row || violation.code == row.codes.not_permitted ||
                  violation.code == row.codes.missing;
    });
    return is_of_row;
  }

  static constexpr std::string_view hidden =
      "a policy that it may use already would hide another one";
  static constexpr std::string_view hidden_by_others =
      "it may use every policy, and those of others would hide one for it";

  /// Of one question about it. Why it is not helped by them; empty where it is.
  std::string_view add_needs_of(JudgedObject& object, const Pod& question) {
    const RunningAccount& account = found_.accounts[object.account];
    if (account.subject == found_.unbound && !adds_up()) return hidden_by_others;
    EffectivePolicy effective = account.usable->effective;
    if (!object.needs.empty()) {
      effective = with_needs(object);
    } else if (effective.policies().empty()) {
      // Nothing is told of a pod without any policy, and one of no entries denies all that there
      // is.
      const std::vector<SchedulingPolicy> nothing = {{.metadata = {.name = "~"}}};
      effective = judge_.merged(nothing);
    }
    for (int round = 0; round < most_rounds; ++round) {
      const std::size_t so_far = object.needs.size();
      bool can_say = true;
      bool is_hidden = false;
      scheduling_policy::detail::MissingPermissions listener([&](PolicySection&& section) {
        if (object.needs.size() > max_needs_of_object) return;
        is_hidden = is_hidden || hides(account.usable->effective, section);
        const auto number = found_.entries.number_of(std::move(section));
        can_say = can_say && number;
        if (number) insert_number(object.needs, *number);
      });
      judge_.judge(question, object.writer, effective, listener);
      if (object.needs.size() > max_needs_of_object)
        return "it asks for too many things that nothing permits";
      if (listener.lacks_requirement()) return "a requirement is not met";
      if (!can_say) return "it asks for what no valid policy can permit";
      if (is_hidden) return hidden;
      if (!listener.denies()) break;
      if (stops()) break;
      if (object.needs.size() == so_far) return "no entry permits it";
      effective = with_needs(object);
    }
    return "";
  }

  [[nodiscard]] EffectivePolicy with_needs(const JudgedObject& object) const {
    return judge_.with(found_.accounts[object.account], found_.entries.section_of(object.needs),
                       object.needs.size());
  }

  /// Whether a policy that is there says something of a field, and so hides what another one says.
  [[nodiscard]] bool hides(const EffectivePolicy& there, const PolicySection& section) const {
    if (adds_up() || there.policies().empty()) return false;
    if (settings_.strategy != scheduling_policy::MergeStrategy::simple_merge) return true;
    bool is_hidden = false;
    scheduling_policy::for_each_section_field([&](const auto& row) {
      is_hidden = is_hidden || (!(section.*row.rules).is_absent() &&
                                !(there.spec().allowed.*row.rules).is_absent());
    });
    return is_hidden;
  }

  /// Whether no policy hides another one.
  [[nodiscard]] bool adds_up() const noexcept {
    return settings_.strategy == scheduling_policy::MergeStrategy::smart_deep_merge;
  }

  void put_in_order() {
    const std::vector<std::size_t> renumbered = found_.entries.put_in_order();
    for (JudgedObject& object : found_.objects) {
      for (std::size_t& number : object.needs) number = renumbered[number];
      std::sort(object.needs.begin(), object.needs.end());
    }
  }

  std::size_t account_of(const Pod& pod) {
    const std::string in(namespace_of(pod.metadata));
    const std::string name(rbac::account_of(pod));
    const auto [found, is_new] =
        account_numbers_.try_emplace(std::pair(in, name), found_.accounts.size());
    if (is_new) {
      RunningAccount account{.namespace_ = in, .name = name, .usable = usable_by(pod)};
      account.subject = subject_of(account);
      found_.accounts.push_back(std::move(account));
    }
    return found->second;
  }
  /// Accounts of one grant share what they may use.
  Shared<UsablePolicies> usable_by(const Pod& pod) {
    const rbac::Grant grant = judge_.system().grants().granted(pod);
    const auto [found, is_new] = usable_.try_emplace({grant.all, grant.names});
    if (is_new) found->second = Shared<UsablePolicies>(judge_.usable(grant));
    return found->second;
  }
  std::size_t subject_of(const RunningAccount& account) {
    GrantedSubject subject;
    if (!account.usable->are_all) {
      subject.namespace_ = account.namespace_;
      if (options_.subject == SuggestedSubject::service_account) subject.account = account.name;
    }
    const auto [found, is_new] = subject_numbers_.try_emplace(subject, found_.subjects.size());
    if (is_new) {
      if (account.usable->are_all && settings_.policy_use == PolicyUse::rbac)
        found_.unbound = found_.subjects.size();
      found_.subjects.push_back(std::move(subject));
      found_.owners_of_subject.emplace_back();
    }
    return found->second;
  }
  std::size_t owner_of(const Owner& owner) {
    const auto [found, is_new] = owner_numbers_.try_emplace(
        {owner.namespace_, owner.kind, owner.name}, found_.owners.size());
    if (is_new) found_.owners.push_back(owner);
    return found->second;
  }

  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  /// What stands in a kind of affinity is only told once something of the kind is permitted.
  static constexpr int most_rounds = 8;

  const Engine& engine_;
  const Settings& settings_;
  const SuggestOptions& options_;
  std::span<const RunningObject> objects_;
  SchedulingJudge judge_;
  Budget& budget_;
  DecisionSteps steps_;
  NeededPermissions found_;
  std::map<std::size_t, std::set<std::size_t>> needs_of_;  ///< of each subject
  std::optional<GrantedSubject> needs_too_much_;
  std::map<std::pair<bool, std::vector<std::string>>, Shared<UsablePolicies>>
      usable_;  ///< by what is granted
  std::map<std::pair<std::string, std::string>, std::size_t> account_numbers_;
  std::map<GrantedSubject, std::size_t> subject_numbers_;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> owner_numbers_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/suggest/entry_descriptions.hpp

/// Why each entry of the suggested policies is there, and what it opens.

namespace SCHEDPOL_NAMESPACE::engine::detail {

class EntryDescriptions {
 public:
  EntryDescriptions(const NeededPermissions& needed, std::span<const RunningObject> objects,
                    const SuggestOptions& options, Budget& budget)
      : needed_(needed),
        objects_(objects),
        nodes_(options.nodes),
        budget_(budget),
        needing_(needed.entries.size()) {
    for (const Node& node : nodes_) steps_of_nodes_ += steps_of_node + node.spec.taints.size();
    for (std::size_t i = 0; i < needed.objects.size(); ++i)
      for (const std::size_t entry : needed.objects[i].needs) needing_[entry].push_back(i);
    for (const RunningObject& object : objects) {
      if (!object.priority) continue;
      pods_by_priority_[object.priority->value] += object.pods;
      pods_with_priority_ += object.pods;
      const std::string& name = object.request.object.spec.priority_class_name;
      if (object.priority->preempts) priorities_.insert_or_assign(name, object.priority->value);
    }
  }

  [[nodiscard]] std::vector<SuggestedEntry> of(
      const std::vector<SchedulingPolicy>& policies) const {
    std::vector<SuggestedEntry> all;
    for (const SchedulingPolicy& policy : policies) {
      scheduling_policy::detail::for_each_allowed_entry(
          policy.spec.allowed,
          [&](const FieldPath& place, std::string value, const PolicySection& alone) {
            SuggestedEntry entry{.policy = policy.metadata.name, .entry = place, .value = value};
            if (const auto number =
                    needed_.entries.find({place.without_indices(), std::move(value)}))
              count(entry, *number);
            describe(entry, alone);
            all.push_back(std::move(entry));
          });
    }
    return all;
  }

 private:
  void count(SuggestedEntry& entry, std::size_t number) const {
    std::set<std::size_t> accounts;
    const Owner* first = nullptr;
    for (const std::size_t i : needing_[number]) {
      const JudgedObject& object = needed_.objects[i];
      const RunningObject& running = objects_[object.place];
      entry.pods += running.pods;
      entry.others += running.pods == 0 && running.heard == 0 ? 1 : 0;
      entry.heard += running.heard;
      accounts.insert(object.account);
      if (first == nullptr || order_of(running.owner) < order_of(*first)) first = &running.owner;
    }
    entry.accounts = accounts.size();
    if (first != nullptr) entry.example = *first;
  }

  void describe(SuggestedEntry& entry, const PolicySection& alone) const {
    if (!budget_.spend(steps_of_nodes_ + pods_by_priority_.size())) return;
    for (const std::string& name : alone.priority_class_names.listed()) {
      const auto found = priorities_.find(name);
      if (found == priorities_.end()) continue;
      OpenedCount& preempted = entry.preempted.emplace();
      preempted.all = pods_with_priority_;
      for (const auto& [priority, pods] : pods_by_priority_)
        if (priority < found->second) preempted.count += pods;
    }
    if (alone.scheduler_names.is_any()) count_nodes(entry, [](const Node&) { return true; });
    for (const auto& [key, values] : alone.node_selectors.listed()) {
      count_nodes(entry, [&, &key = key, &values = values](const Node& node) {
        const std::string* const value = find_label(node.metadata.labels, key);
        return value != nullptr && (values.is_any() || values.listed().contains(*value));
      });
    }
    for (const scheduling_policy::TolerationPattern& pattern : alone.tolerations.listed())
      count_nodes(entry, [&](const Node& node) { return has_tolerated_taint(node, pattern); });
    const auto& modes = alone.affinities.listed().node_affinities.listed();
    for (const auto* mode : {&modes.required_during_scheduling_ignored_during_execution,
                             &modes.preferred_during_scheduling_ignored_during_execution})
      for (const scheduling_policy::TermPattern& term : mode->listed().node_selector_terms)
        count_matching_nodes(entry, term);
  }

  template <class Predicate>
  void count_nodes(SuggestedEntry& entry, Predicate&& is_opened) const {
    if (nodes_.empty()) return;
    entry.nodes = {static_cast<std::size_t>(std::count_if(nodes_.begin(), nodes_.end(), is_opened)),
                   nodes_.size()};
  }

  /// Whether some toleration that a pattern matches tolerates a taint of the node.
  static bool has_tolerated_taint(const Node& node,
                                  const scheduling_policy::TolerationPattern& pattern) {
    Toleration toleration{.operator_ = TolerationOperator::exists};
    if (pattern.keys.is_listed()) toleration.key = pattern.keys.listed().front();
    if (pattern.values.is_listed()) {
      toleration.operator_ = pattern.operators.listed().front();
      toleration.value = pattern.values.listed().front();
    } else if (pattern.values.is_absent()) {
      toleration.operator_ = pattern.operators.listed().front();
    }
    if (pattern.effects.is_listed()) toleration.effect = pattern.effects.listed().front();
    return schedpol::detail::any_of(
        node.spec.taints, [&](const Taint& taint) { return tolerates(toleration, taint); });
  }

  /// Of values that may be any, those nodes that have the key.
  void count_matching_nodes(SuggestedEntry& entry,
                            const scheduling_policy::TermPattern& pattern) const {
    NodeSelectorTerm term;
    const auto add = [](std::vector<NodeSelectorRequirement>& to, const auto& patterns) {
      for (const scheduling_policy::RequirementPattern& each : patterns.listed()) {
        NodeSelectorRequirement requirement{.key = each.keys.listed().front(),
                                            .operator_ = each.operators.listed().front(),
                                            .values = each.values.listed()};
        if (each.values.is_any()) requirement.operator_ = NodeSelectorOperator::exists;
        to.push_back(std::move(requirement));
      }
    };
    add(term.match_expressions, pattern.match_expressions);
    const bool is_any_name = schedpol::detail::any_of(
        pattern.match_fields.listed(), [](const auto& each) { return each.values.is_any(); });
    if (!is_any_name) add(term.match_fields, pattern.match_fields);
    if (is_any_name) return count_nodes(entry, [](const Node&) { return true; });
    const NodeTermsMatcher matcher(std::span(&term, 1));
    count_nodes(entry, [&](const Node& node) { return matcher.matches(node); });
  }

  static constexpr std::size_t steps_of_node = 4;

  const NeededPermissions& needed_;
  std::span<const RunningObject> objects_;
  const std::vector<Node>& nodes_;
  Budget& budget_;
  std::size_t steps_of_nodes_ = 0;
  std::vector<std::vector<std::size_t>> needing_;  ///< the objects that need each entry
  std::map<std::int32_t, std::size_t> pods_by_priority_;
  std::size_t pods_with_priority_ = 0;
  std::map<std::string, std::int32_t> priorities_;  ///< of the classes that pods have
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/suggest/proof_by_deciding.hpp

/// Decides with what is added, and without each part of it.

namespace SCHEDPOL_NAMESPACE::engine::detail {

class ProofByDeciding {
 public:
  ProofByDeciding(const Engine& there, const Settings& settings, const Objects& added,
                  std::span<const RunningObject> objects, Budget& budget)
      : added_(added),
        objects_(objects),
        engine_(there.with(with_bindings_apart(added))),
        budget_(budget),
        steps_(engine_),
        judge_(engine_, settings, budget),
        steps_of_(objects.size()) {
    for (std::size_t place = 0; place < objects.size() && !budget.used_up(); ++place)
      decide_with_all(place);
  }

  /// What is there, with all that is added.
  [[nodiscard]] const Engine& engine() const noexcept { return engine_; }
  /// The places of objects that it denies.
  [[nodiscard]] const std::vector<std::size_t>& denied() const noexcept { return denied_; }
  /// What SchedulingPolicy was asked about each object that it allows, by its place, where that was more
  /// than once: it was changed after the first time. To be taken once.
  [[nodiscard]] std::map<std::size_t, std::vector<Pod>> take_asked_again() noexcept {
    return std::move(asked_again_);
  }

  Proof run() && {
    find_users();
    for (const SchedulingPolicy& policy : added_.scheduling_policies) take_entries_from(policy);
    for (const rbac::RoleBinding& binding : added_.rbac.role_bindings)
      take_subjects_from(binding, &rbac::Rbac::role_bindings);
    for (const rbac::ClusterRoleBinding& binding : added_.rbac.cluster_role_bindings)
      take_subjects_from(binding, &rbac::Rbac::cluster_role_bindings);
    put_in_order(proof_.denied);
    put_in_order(proof_.undecided);
    return std::move(proof_);
  }

 private:
  void decide_with_all(std::size_t place) {
    const RunningObject& object = objects_[place];
    steps_of_[place] = steps_.of(object.request.object) +
                       judge_.steps_of(object.request.object,
                                       judge_.system().effective_policy(object.request.object));
    if (!budget_.spend(2 * steps_of_[place])) return;
    DecisionTrace trace{.watched = System::scheduling_policy};
    Decision decision = EngineAccess::decide(engine_, object.request, trace);
    if (!decision.allowed) {
      denied_.push_back(place);
      std::vector<Violation> violations;
      if (!decision.steps.empty()) violations = std::move(decision.steps.back().violations);
      proof_.denied.push_back({object.owner, object.pods, "", std::move(violations)});
      return;
    }
    if (decision.steps.empty()) return;
    ++proof_.allowed;
    if (trace.questions.size() > 1)
      for (auto& question : trace.questions)
        asked_again_[place].push_back(std::move(question.object));
    if (!object.doubtful_node.empty()) {
      Request with_node = object.request;
      with_node.object.spec.node_name = object.doubtful_node;
      if (!engine_.decide(with_node).allowed)
        proof_.undecided.push_back(
            {object.owner, object.pods, "nobody can tell whether it named its node", {}});
    }
    const Pod& pod = object.request.object;
    by_account_[{std::string(namespace_of(pod.metadata)), std::string(rbac::account_of(pod))}]
        .push_back(place);
  }

  void take_entries_from(const SchedulingPolicy& policy) {
    const Numbers users = users_of(policy.metadata.name);
    std::vector<std::pair<FieldPath, PolicySection>> entries;
    scheduling_policy::detail::for_each_allowed_entry(
        policy.spec.allowed, [&](const FieldPath& place, const std::string&, PolicySection alone) {
          entries.emplace_back(place, std::move(alone));
        });
    const std::size_t merged_again =
        steps_of_entry * entries.size() +
        judge_.system().bytes_merged_with(policy.metadata.name) / bytes_merged_a_step;
    Objects changed;
    changed.scheduling_policies.push_back(policy);
    PolicySection& allowed = changed.scheduling_policies.front().spec.allowed;
    for (const auto& [place, taken] : entries) {
      if (!budget_.spend(merged_again)) return;
      allowed = {};
      for (const auto& each : entries)
        if (&each.second != &taken)
          scheduling_policy::detail::add_allowed_entries(allowed, each.second);
      if (denies_some(engine_.with(changed), users)) {
        ++proof_.entries;
      } else {
        proof_.needless_entries.push_back({policy.metadata.name, place, {}});
      }
    }
  }

  /// A binding of each subject, so that one is taken away without looking at the others.
  template <class Binding>
  [[nodiscard]] static Binding binding_of(const Binding& binding, std::size_t subject) {
    Binding one(binding);
    // No name that is written has a line break.
    one.metadata.name += '\n' + std::to_string(subject);
    one.subjects = {binding.subjects[subject]};
    return one;
  }
  [[nodiscard]] static Objects with_bindings_apart(const Objects& added) {
    Objects apart(added);
    const auto take_apart = [&](auto list) {
      (apart.rbac.*list).clear();
      for (const auto& binding : added.rbac.*list)
        for (std::size_t i = 0; i < binding.subjects.size(); ++i)
          (apart.rbac.*list).push_back(binding_of(binding, i));
    };
    take_apart(&rbac::Rbac::role_bindings);
    take_apart(&rbac::Rbac::cluster_role_bindings);
    return apart;
  }

  template <class Binding>
  void take_subjects_from(const Binding& binding, std::vector<Binding> rbac::Rbac::*list) {
    for (std::size_t i = 0; i < binding.subjects.size(); ++i) {
      if (!budget_.spend(steps_of_binding)) return;
      Objects taken;
      (taken.rbac.*list).push_back(binding_of(binding, i));
      const rbac::Subject& subject = binding.subjects[i];
      if (denies_some(engine_.without(taken), objects_of(binding.metadata, subject))) {
        ++proof_.subjects;
        continue;
      }
      const std::string name =
          subject.kind == "ServiceAccount" ? subject.namespace_ + "/" + subject.name : subject.name;
      proof_.needless_subjects.push_back(
          {binding.metadata.namespace_, binding.metadata.name, name});
    }
  }

  /// Whom each policy is granted to, of those that have objects.
  void find_users() {
    const auto& system = static_cast<const SchedulingPolicySystem&>(
        EngineAccess::of(engine_)->compiled(System::scheduling_policy));
    for (const auto& [account, places] : by_account_) {
      if (!budget_.spend(steps_of_grant)) return;
      const rbac::Grant grant = system.grants().granted(objects_[places.front()].request.object);
      if (grant.all) users_of_all_.push_back(&places);
      for (const std::string& policy : grant.names) users_[policy].push_back(&places);
    }
  }
  /// The objects of whom may use a policy.
  [[nodiscard]] Numbers users_of(const std::string& policy) const {
    Numbers objects;
    for (const Numbers* const places : users_of_all_) schedpol::detail::append(objects, *places);
    const auto found = users_.find(policy);
    if (found == users_.end()) return objects;
    for (const Numbers* const places : found->second) schedpol::detail::append(objects, *places);
    return objects;
  }
  /// Those that a subject of a binding may be about.
  [[nodiscard]] Numbers objects_of(const ObjectMeta& binding, const rbac::Subject& subject) const {
    const bool is_account = subject.kind == "ServiceAccount";
    const std::string& in = is_account ? subject.namespace_ : binding.namespace_;
    if (!binding.namespace_.empty() && binding.namespace_ != in) return {};
    Numbers objects;
    const std::pair first(in, is_account ? subject.name : "");
    for (auto at = by_account_.lower_bound(first); at != by_account_.end(); ++at) {
      if (is_account ? at->first != first : !in.empty() && at->first.first != in) break;
      budget_.spend();
      schedpol::detail::append(objects, at->second);
    }
    return objects;
  }

  [[nodiscard]] bool denies_some(const Engine& engine,
                                 const std::vector<std::size_t>& places) const {
    return schedpol::detail::any_of(places, [&](std::size_t place) {
      return budget_.spend(steps_of_[place]) && !engine.decide(objects_[place].request).allowed;
    });
  }

  static constexpr std::size_t steps_of_grant = 20;
  static constexpr std::size_t steps_of_binding = 500;

  const Objects& added_;
  std::span<const RunningObject> objects_;
  Engine engine_;
  Budget& budget_;
  DecisionSteps steps_;
  SchedulingJudge judge_;                ///< by all that is added, too
  std::vector<std::size_t> steps_of_{};  ///< of a decision on each object
  /// The places of objects that are allowed, by namespace and account.
  std::map<std::pair<std::string, std::string>, Numbers> by_account_;
  std::vector<const Numbers*> users_of_all_;                  ///< who may use every policy
  std::map<std::string, std::vector<const Numbers*>> users_;  ///< by the policy that they may use
  std::vector<std::size_t> denied_;
  std::map<std::size_t, std::vector<Pod>> asked_again_;
  Proof proof_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/suggest/grants.hpp

/// Which entries are granted to whom: the least that permits what everybody needs, and how it is divided
/// into policies.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// A policy: its entries and whom it is granted to.
struct GrantedPolicy {
  Numbers entries{};
  Numbers subjects{};  ///< empty if only accounts that may use every policy need it
  bool to_everybody = false;
  const SchedulingPolicy* there = nullptr;  ///< one that is there already, and stays as it is
};

class GrantPlan {
 public:
  GrantPlan(const Engine& engine, const Settings& settings, const SuggestOptions& options,
            const NeededPermissions& needed, Budget& budget)
      : settings_(settings),
        options_(options),
        needed_(needed),
        judge_(engine, settings, budget),
        budget_(budget),
        objects_(needed.subjects.size()),
        needing_(needed.entries.size()) {
    for (std::size_t i = 0; i < needed.objects.size(); ++i) {
      const JudgedObject& object = needed.objects[i];
      const std::size_t subject = needed.accounts[object.account].subject;
      objects_[subject].push_back(i);
      if (subject == needed.unbound) {
        insert_all(needs_unbound_, object.needs);
      } else {
        for (const std::size_t entry : object.needs) insert_number(needing_[entry], subject);
      }
    }
  }

  /// The policies that are suggested, and whom those that are there are granted to.
  std::vector<GrantedPolicy> run() {
    const std::vector<Numbers> needs = needs_by_subject();
    group(needs);
    join_policies();
    remove_needless();
    return std::move(policies_);
  }

  /// Grants of an entry to an account of which no object needs it. Who may use every policy is granted
  /// nothing.
  [[nodiscard]] std::size_t excess(const std::vector<GrantedPolicy>& policies) const {
    std::vector<Numbers> needs(needed_.accounts.size());
    for (const JudgedObject& object : needed_.objects)
      insert_all(needs[object.account], object.needs);
    std::size_t excess = 0;
    for (std::size_t i = 0; i < needs.size() && budget_.spend(policies.size()); ++i) {
      if (needed_.accounts[i].subject == needed_.unbound) continue;
      Numbers in_vain = granted_by(policies, needed_.accounts[i].subject);
      erase_all(in_vain, needs[i]);
      excess += in_vain.size();
    }
    return excess;
  }

  /// Whether so many of the bound subjects need an entry that everybody is granted it.
  [[nodiscard]] bool is_common(std::size_t needing, std::size_t subjects) const noexcept {
    return options_.common_percent > 0 &&
           settings_.strategy == scheduling_policy::MergeStrategy::smart_deep_merge &&
           settings_.policy_use == PolicyUse::rbac && needing > 0 &&
           needing * 100 >= options_.common_percent * subjects;
  }

  [[nodiscard]] const std::vector<Numbers>& objects() const noexcept { return objects_; }
  /// The subjects that need each entry, without the accounts that may use every policy.
  [[nodiscard]] const std::vector<Numbers>& needing() const noexcept { return needing_; }
  [[nodiscard]] const SchedulingJudge& judge() const noexcept { return judge_; }

 private:
  static bool has_all(const Numbers& numbers, const Numbers& of) {
    return std::includes(numbers.begin(), numbers.end(), of.begin(), of.end());
  }
  static void insert_all(Numbers& into, const Numbers& numbers) {
    for (const std::size_t number : numbers) insert_number(into, number);
  }
  static void erase_all(Numbers& from, const Numbers& numbers) {
    schedpol::detail::erase_if(from, [&](std::size_t each) { return has_number(numbers, each); });
  }

  /// Whether some object of these subjects is denied by what each is granted; those that need `entry`
  /// are asked first.
  template <class Granted>
  [[nodiscard]] bool denies_some(const Numbers& subjects, std::size_t entry,
                                 Granted&& granted) const {
    for (const bool needs_it : {true, false}) {
      for (const std::size_t subject : subjects) {
        if (!budget_.spend(1 + objects_[subject].size())) return false;
        std::optional<PolicySection> section;
        std::size_t entries = 0;
        std::map<std::size_t, EffectivePolicy> by_account;
        for (const std::size_t number : objects_[subject]) {
          const JudgedObject& object = needed_.objects[number];
          if (object.needs.empty() || has_number(object.needs, entry) != needs_it) continue;
          if (!section) {
            const Numbers numbers = granted(subject);
            entries = numbers.size();
            budget_.spend(steps_of_entry * entries + policies_.size());
            section = needed_.entries.section_of(numbers);
          }
          const auto [found, is_new] = by_account.try_emplace(object.account);
          if (is_new)
            found->second =
                judge_.with(needed_.accounts[object.account], PolicySection(*section), entries);
          if (!judge_.allows(object, found->second)) return true;
        }
      }
    }
    return false;
  }

  /// What everybody needs, and then what each subject needs besides, without what the others of these
  /// make needless.
  std::vector<Numbers> needs_by_subject() {
    std::vector<Numbers> needs(needed_.subjects.size());
    for (std::size_t entry = 0; entry < needing_.size(); ++entry) {
      if (is_common(needing_[entry].size(), bound_subjects())) common_.push_back(entry);
      for (const std::size_t subject : needing_[entry]) needs[subject].push_back(entry);
    }
    Numbers granted_to_some = common_;
    for (std::size_t subject = 0; subject < needs.size(); ++subject) {
      remove_needless(needs[subject], subject, common_);
      insert_all(granted_to_some, needs[subject]);
    }
    if (needed_.unbound) remove_needless(needs_unbound_, *needed_.unbound, granted_to_some);
    return needs;
  }
  /// What a subject needs besides what it is granted anyway.
  void remove_needless(Numbers& needs, std::size_t subject, const Numbers& granted_anyway) {
    erase_all(needs, granted_anyway);
    for (const std::size_t entry : Numbers(needs)) {
      if (!budget_.spend(1 + needs.size() / numbers_a_step)) return;
      const Numbers without = without_number(needs, entry);
      const auto granted = [&](std::size_t) {
        Numbers all = without;
        insert_all(all, granted_anyway);
        return all;
      };
      if (!denies_some({subject}, entry, granted)) needs = without;
    }
  }

  void group(std::vector<Numbers> needs) {
    const bool by_entry = settings_.strategy == scheduling_policy::MergeStrategy::smart_deep_merge;
    Numbers common = common_;
    if (by_entry) use_what_is_there(needs, common);
    if (!common.empty()) policies_.push_back({.entries = common, .to_everybody = true});
    std::map<Numbers, Numbers> groups;
    if (by_entry) {
      std::vector<Numbers> subjects(needed_.entries.size());
      for (std::size_t subject = 0; subject < needs.size(); ++subject)
        for (const std::size_t entry : needs[subject]) subjects[entry].push_back(subject);
      for (std::size_t entry = 0; entry < subjects.size(); ++entry)
        if (!subjects[entry].empty() || has_number(needs_unbound_, entry))
          groups[subjects[entry]].push_back(entry);
      for (auto& [of, entries] : groups) policies_.push_back({.entries = entries, .subjects = of});
    } else {
      for (std::size_t subject = 0; subject < needs.size(); ++subject)
        if (!needs[subject].empty()) groups[needs[subject]].push_back(subject);
      for (auto& [entries, of] : groups) policies_.push_back({.entries = entries, .subjects = of});
    }
    std::sort(policies_.begin(), policies_.end(),
              [](const GrantedPolicy& a, const GrantedPolicy& b) {
                return std::tie(a.entries, a.subjects) < std::tie(b.entries, b.subjects);
              });
  }

  /// Grants policies that are there to whom needs all that they say.
  void use_what_is_there(std::vector<Numbers>& needs, Numbers& common) {
    if (settings_.policy_use == PolicyUse::every) return;
    std::map<std::string_view, const SchedulingPolicy*> by_name;
    judge_.system().for_each_policy([&](const SchedulingPolicy& policy) {
      by_name.emplace(policy.metadata.name, &policy);
      return true;
    });
    for (const auto& [name, policy] : by_name) {
      const Numbers entries = entries_of(*policy);
      if (entries.empty() || !budget_.spend(needs.size())) continue;
      GrantedPolicy granted{.entries = entries, .there = policy};
      if (has_all(common, entries)) {
        granted.to_everybody = true;
        erase_all(common, entries);
      } else {
        for (std::size_t subject = 0; subject < needs.size(); ++subject) {
          if (!has_all(needs[subject], entries)) continue;
          granted.subjects.push_back(subject);
          erase_all(needs[subject], entries);
        }
      }
      if (granted.to_everybody || !granted.subjects.empty())
        policies_.push_back(std::move(granted));
    }
  }
  /// None where it says anything that nobody needs.
  [[nodiscard]] Numbers entries_of(const SchedulingPolicy& policy) const {
    if (policy.spec.required != PolicySection{} ||
        policy.spec.defaults != scheduling_policy::Defaults{})
      return {};
    Numbers entries;
    bool is_needed = true;
    scheduling_policy::detail::for_each_allowed_entry(
        policy.spec.allowed, [&](const FieldPath& place, std::string value, const PolicySection&) {
          const auto number = needed_.entries.find({place.without_indices(), std::move(value)});
          is_needed = is_needed && number;
          if (number) insert_number(entries, *number);
        });
    return is_needed ? entries : Numbers();
  }

  /// Joins the two policies that grant the least to whom does not need it, until there are few enough.
  /// Each knows with which later one that is, so that few are compared again once two are joined.
  void join_policies() {
    if (options_.max_policies == 0) return;
    std::vector<GrantedPolicy> joined;
    for (const GrantedPolicy& policy : policies_)
      if (policy.there == nullptr) joined.push_back(policy);
    schedpol::detail::erase_if(policies_,
                               [](const GrantedPolicy& policy) { return policy.there == nullptr; });
    std::vector<Partner> partners;
    for (std::size_t i = 0; i < joined.size(); ++i) partners.push_back(partner_of(joined, i));
    while (joined.size() > options_.max_policies && joined.size() > 1 && !budget_.used_up()) {
      const auto best = std::min_element(partners.begin(), partners.end());
      const auto into = static_cast<std::size_t>(best - partners.begin());
      const std::size_t from = best->policy;
      join(joined[into], joined[from]);
      joined.erase(joined.begin() + static_cast<std::ptrdiff_t>(from));
      partners.erase(partners.begin() + static_cast<std::ptrdiff_t>(from));
      for (std::size_t i = 0; i < joined.size(); ++i) {
        Partner& partner = partners[i];
        const bool is_gone = partner.policy == from || partner.policy == into;
        if (partner.policy > from && partner.policy != none) --partner.policy;
        if (i == into || is_gone) {
          partner = partner_of(joined, i);
        } else if (i < into) {
          partner = std::min(partner, {joint_cost(joined[i], joined[into]), into});
        }
      }
    }
    schedpol::detail::append(policies_, std::move(joined));
  }

  /// The later policy with which one is joined at the least cost, and that.
  struct Partner {
    std::size_t cost = none;
    std::size_t policy = none;

    friend auto operator<=>(const Partner&, const Partner&) = default;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  [[nodiscard]] Partner partner_of(const std::vector<GrantedPolicy>& policies,
                                   std::size_t of) const {
    Partner partner;
    for (std::size_t i = of + 1; i < policies.size() && !budget_.used_up(); ++i)
      partner = std::min(partner, {joint_cost(policies[of], policies[i]), i});
    return partner;
  }
  static void join(GrantedPolicy& into, const GrantedPolicy& from) {
    insert_all(into.entries, from.entries);
    insert_all(into.subjects, from.subjects);
    into.to_everybody = into.to_everybody || from.to_everybody;
    if (into.to_everybody) into.subjects.clear();
  }
  [[nodiscard]] std::size_t joint_cost(const GrantedPolicy& a, const GrantedPolicy& b) const {
    return cost_of(a, b) + cost_of(b, a);
  }
  /// What of one policy those of another are granted in vain.
  [[nodiscard]] std::size_t cost_of(const GrantedPolicy& policy, const GrantedPolicy& to) const {
    if (policy.to_everybody) return 0;
    const std::size_t subjects = to.to_everybody ? bound_subjects() : to.subjects.size();
    std::size_t have = 0;
    budget_.spend(1 + policy.subjects.size());
    for (const std::size_t subject : policy.subjects)
      have += to.to_everybody || has_number(to.subjects, subject) ? 1 : 0;
    return policy.entries.size() * (subjects - have);
  }
  [[nodiscard]] std::size_t bound_subjects() const noexcept {
    return needed_.subjects.size() - (needed_.unbound ? 1 : 0);
  }

  /// What joined and common policies grant in vain makes other entries and subjects needless.
  void remove_needless() {
    if (common_.empty() && options_.max_policies == 0) return;
    const auto granted = [&](std::size_t subject) { return granted_by(policies_, subject); };
    for (GrantedPolicy& policy : policies_) {
      if (policy.there != nullptr) continue;
      for (const std::size_t entry : Numbers(policy.entries)) {
        if (!budget_.spend(1 + policy.entries.size() / numbers_a_step)) return;
        const Numbers before = policy.entries;
        policy.entries = without_number(before, entry);
        if (denies_some(subjects_of(policy), entry, granted)) policy.entries = before;
      }
    }
    for (GrantedPolicy& policy : policies_) {
      if (policy.to_everybody) {
        const Numbers all = subjects_of(policy);
        policy.to_everybody = false;
        policy.to_everybody =
            denies_some(all, policy.entries.empty() ? 0 : policy.entries.front(), granted);
      }
      for (const std::size_t subject : Numbers(policy.subjects)) {
        if (!budget_.spend(1 + policy.subjects.size() / numbers_a_step)) return;
        const Numbers before = policy.subjects;
        policy.subjects = without_number(before, subject);
        if (denies_some({subject}, policy.entries.empty() ? 0 : policy.entries.front(), granted))
          policy.subjects = before;
      }
    }
    schedpol::detail::erase_if(policies_, [&](const GrantedPolicy& policy) {
      return policy.entries.empty() ||
             (!policy.to_everybody && policy.subjects.empty() && !needed_.unbound);
    });
  }
  [[nodiscard]] Numbers subjects_of(const GrantedPolicy& policy) const {
    if (!policy.to_everybody) {
      Numbers subjects = policy.subjects;
      if (needed_.unbound) insert_number(subjects, *needed_.unbound);
      return subjects;
    }
    Numbers all(needed_.subjects.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }
  /// What a subject is granted.
  [[nodiscard]] Numbers granted_by(const std::vector<GrantedPolicy>& policies,
                                   std::size_t subject) const {
    Numbers all;
    for (const GrantedPolicy& policy : policies)
      if (policy.to_everybody || subject == needed_.unbound || has_number(policy.subjects, subject))
        insert_all(all, policy.entries);
    return all;
  }

  /// That are copied.
  static constexpr std::size_t numbers_a_step = 8;

  const Settings& settings_;
  const SuggestOptions& options_;
  const NeededPermissions& needed_;
  SchedulingJudge judge_;
  Budget& budget_;
  std::vector<Numbers> objects_;  ///< of each subject
  std::vector<Numbers> needing_;  ///< by entry: the subjects that need it and are bound
  Numbers needs_unbound_;  ///< of accounts that may use every policy: what nobody else is granted
  Numbers common_;
  std::vector<GrantedPolicy> policies_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/suggest/written_objects.hpp

/// Writes granted policies as objects: their names, the policies, the roles that permit to use them, and
/// the bindings.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// A hash of texts that is the same everywhere and in every run (FNV-1a), as hexadecimal digits.
inline std::string digits_of(const std::vector<std::string>& texts) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const std::string& text : texts) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(0);
  }
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4)
    digits += "0123456789abcdef"[(hash >> static_cast<unsigned>(shift)) & 15U];
  return digits;
}

/// What a policy is called for a person: of what most of its entries are about.
class PolicyLabel {
 public:
  static std::string of(const NeededEntries& entries, const Numbers& numbers) {
    std::vector<std::pair<std::string, std::string>> words;  // what it is about, and its sort
    for (const std::size_t number : numbers) {
      auto word = words_of(entries[number]);
      if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
    const auto& [about, sort] = words.front();
    std::string label = about;
    if (!about.ends_with(sort)) label += (about.empty() ? "" : "-") + sort;
    if (words.size() == 1) return label;
    const bool is_of_one_sort = std::all_of(words.begin(), words.end(),
                                            [&](const auto& each) { return each.second == sort; });
    if (is_of_one_sort && !about.empty())
      return about + "-and-" + std::to_string(words.size() - 1) + "-more-" + sort;
    return label + "-and-" + std::to_string(words.size() - 1) + "-more";
  }

 private:
  static std::pair<std::string, std::string> words_of(const PolicySection& section) {
    std::pair<std::string, std::string> words;
    scheduling_policy::detail::for_each_allowed_entry(
        section, [&](const FieldPath& place, const std::string& value, const PolicySection& alone) {
          const std::vector<FieldPath::Step> steps = place.steps();
          std::string_view sort = steps[1].name;
          std::string about = value == "[]" ? "any" : value;
          for (const FieldPath::Step& step : steps)
            if (step.kind == FieldPath::Step::Kind::key) about = std::string(step.name);
          if (alone.affinities.is_listed() && steps.size() > 2) sort = steps[2].name;
          if (const std::string key = key_of(alone); !key.empty()) about = key;
          words = {short_of(about), dashed(sort)};
        });
    return words;
  }

  /// The key of its one pattern; empty where it has none.
  static std::string key_of(const PolicySection& section) {
    std::string key;
    const auto take = [&](const auto& patterns) {
      for (const auto& pattern : patterns.listed())
        key = pattern.keys.is_any() ? "any" : pattern.keys.listed().front();
    };
    take(section.tolerations);
    for (const auto& pattern : section.topology_spread_constraints.listed())
      key = pattern.topology_keys.is_any() ? "any" : pattern.topology_keys.listed().front();
    const auto& modes = section.affinities.listed().node_affinities.listed();
    for (const auto* mode : {&modes.required_during_scheduling_ignored_during_execution,
                             &modes.preferred_during_scheduling_ignored_during_execution}) {
      for (const scheduling_policy::TermPattern& term : mode->listed().node_selector_terms) {
        take(term.match_expressions);
        take(term.match_fields);
      }
    }
    return key;
  }

  /// What stands behind the prefix of a key, in the letters of names.
  static std::string short_of(std::string_view text) {
    const std::size_t slash = text.rfind('/');
    if (slash != std::string_view::npos) text.remove_prefix(slash + 1);
    std::string label;
    for (const char c : text.substr(0, most_letters)) {
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      const bool is_plain = (lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9');
      if (is_plain) {
        label += lower;
      } else if (!label.empty() && label.back() != '-') {
        label += '-';
      }
    }
    while (label.ends_with('-')) label.pop_back();
    return label;
  }
  /// `node-selectors` of `nodeSelectors`, `scheduler` of `schedulerNames`.
  static std::string dashed(std::string_view field) {
    constexpr std::string_view names = "Names";
    if (field.ends_with(names)) field.remove_suffix(names.size());
    std::string words;
    for (const char c : field) {
      if (c >= 'A' && c <= 'Z') {
        words += '-';
        words += static_cast<char>(c - 'A' + 'a');
      } else {
        words += c;
      }
    }
    return words;
  }

  static constexpr std::size_t most_letters = 40;
};

class SuggestionWriter {
 public:
  SuggestionWriter(const Configuration& surroundings, const SchedulingPolicySystem& usable,
                   const NeededPermissions& needed)
      : there_(surroundings.objects),
        settings_(surroundings.settings),
        access_(access_of(surroundings.settings)),
        needed_(needed) {
    const auto add = [](auto& names, const auto& list) {
      for (const auto& object : list) names.insert(name_of(object.metadata));
    };
    add(policy_names_, there_.scheduling_policies);
    add(role_names_, there_.rbac.cluster_roles);
    add(binding_names_, there_.rbac.role_bindings);
    add(binding_names_, there_.rbac.cluster_role_bindings);
    for (const UnreadableObject& object : there_.unreadable) {
      policy_names_.insert({"", object.name});
      role_names_.insert({"", object.name});
      binding_names_.insert({object.namespace_, object.name});
    }
    // Whoever has a role that names a policy may use it as soon as there is one of that name.
    const auto add_named = [&](const auto& roles) {
      for (const auto& role : roles)
        for (const rbac::PolicyRule& rule : role.rules)
          for (const std::string& policy : rule.resource_names) policy_names_.insert({"", policy});
    };
    add_named(there_.rbac.roles);
    add_named(there_.rbac.cluster_roles);
    // The same holds for who is bound to a role that is gone.
    for (const rbac::RoleBinding& binding : there_.rbac.role_bindings)
      role_names_.insert({"", binding.role_ref.name});
    for (const rbac::ClusterRoleBinding& binding : there_.rbac.cluster_role_bindings)
      role_names_.insert({"", binding.role_ref.name});
    usable.rbac().template for_each<rbac::ClusterRole>([&](const rbac::ClusterRole& role) {
      if (role.rules.size() != 1 || role.rules[0].resource_names.size() != 1) return true;
      const std::string& policy = role.rules[0].resource_names.front();
      if (role.rules != rules_for(policy)) return true;
      const auto [found, is_new] = roles_there_.try_emplace(policy, role.metadata.name);
      if (!is_new) found->second = std::min(found->second, role.metadata.name);
      return true;
    });
  }

  Objects write(const std::vector<GrantedPolicy>& policies) && {
    const std::vector<std::string> names = names_of(policies);
    for (std::size_t i = 0; i < policies.size(); ++i) {
      if (policies[i].there == nullptr)
        made_.scheduling_policies.push_back(
            {{.name = names[i]}, {.allowed = needed_.entries.section_of(policies[i].entries)}});
      if (settings_.policy_use == PolicyUse::rbac) grant(policies[i], names[i]);
    }
    sort(made_.scheduling_policies);
    sort(made_.rbac.cluster_roles);
    sort(made_.rbac.role_bindings);
    sort(made_.rbac.cluster_role_bindings);
    return std::move(made_);
  }

 private:
  /// By namespace and name.
  using Name = std::pair<std::string, std::string>;
  static Name name_of(const ObjectMeta& metadata) { return {metadata.namespace_, metadata.name}; }
  template <class T>
  static void sort(std::vector<T>& objects) {
    std::sort(objects.begin(), objects.end(),
              [](const T& a, const T& b) { return name_of(a.metadata) < name_of(b.metadata); });
  }

  /// A name with as few digits of the hash as no other object has.
  static std::string fresh(const std::string& label, char before_digits, const std::string& digits,
                           std::string_view in, std::set<Name>& names) {
    std::size_t shown = fewest_digits;
    std::string name;
    do {
      name = label + before_digits + digits.substr(0, shown);
      shown *= 2;
    } while (names.contains({std::string(in), name}) && shown <= digits.size());
    names.emplace(in, name);
    return name;
  }

  /// Those of one label and few digits get more digits, all of them, so that a name depends on nothing but
  /// what else there is.
  std::vector<std::string> names_of(const std::vector<GrantedPolicy>& policies) {
    std::vector<std::string> labels(policies.size());
    std::vector<std::string> digits(policies.size());
    std::map<std::string, std::size_t> alike;
    for (std::size_t i = 0; i < policies.size(); ++i) {
      if (policies[i].there != nullptr) continue;
      labels[i] = PolicyLabel::of(needed_.entries, policies[i].entries);
      digits[i] = digits_of(texts_of(policies[i].entries));
      ++alike[labels[i] + digits[i].substr(0, fewest_digits)];
    }
    std::vector<std::string> names;
    for (std::size_t i = 0; i < policies.size(); ++i) {
      if (policies[i].there != nullptr) {
        names.push_back(policies[i].there->metadata.name);
        continue;
      }
      const bool is_alone = alike[labels[i] + digits[i].substr(0, fewest_digits)] == 1;
      names.push_back(is_alone ? fresh(labels[i], '-', digits[i], "", policy_names_)
                               : fresh(labels[i] + "-" + digits[i].substr(0, fewest_digits), '-',
                                       digits[i].substr(fewest_digits), "", policy_names_));
    }
    return names;
  }
  [[nodiscard]] std::vector<std::string> texts_of(const Numbers& entries) const {
    std::vector<std::string> texts;
    for (const std::size_t entry : entries) {
      const EntryIdentity identity = NeededEntries::identity_of(needed_.entries[entry]);
      texts.push_back(to_string(identity.place));
      texts.push_back(identity.value);
    }
    return texts;
  }

  [[nodiscard]] std::vector<rbac::PolicyRule> rules_for(const std::string& policy) const {
    return {{.verbs = {access_.verb},
             .api_groups = {access_.api_group},
             .resources = {access_.resource},
             .resource_names = {policy}}};
  }

  void grant(const GrantedPolicy& policy, const std::string& name) {
    if (policy.subjects.empty() && !policy.to_everybody) return;
    const rbac::RoleRef role{std::string(rbac_group), "ClusterRole", role_of(name)};
    if (policy.to_everybody) {
      made_.rbac.cluster_role_bindings.push_back(
          {{.name = binding_name(name, "", {std::string(all_accounts)})},
           role,
           {group(std::string(all_accounts))}});
      return;
    }
    std::map<std::string, std::vector<rbac::Subject>> by_namespace;
    Numbers ordered = policy.subjects;
    std::sort(ordered.begin(), ordered.end(), [&](std::size_t a, std::size_t b) {
      return needed_.subjects[a] < needed_.subjects[b];
    });
    for (const std::size_t number : ordered) {
      const auto& [in, account] = needed_.subjects[number];
      by_namespace[in].push_back(account.empty()
                                     ? group(std::string(all_accounts) + ":" + in)
                                     : rbac::Subject{"ServiceAccount", "", account, in});
    }
    for (auto& [in, subjects] : by_namespace) {
      std::vector<std::string> texts;
      for (const rbac::Subject& subject : subjects) texts.push_back(subject.name);
      made_.rbac.role_bindings.push_back(
          {{.name = binding_name(name, in, texts), .namespace_ = in}, role, std::move(subjects)});
    }
  }
  static rbac::Subject group(std::string name) {
    return {"Group", std::string(rbac_group), std::move(name), ""};
  }

  /// That of a ClusterRole that permits to use the policy and nothing else.
  std::string role_of(const std::string& policy) {
    const auto [found, is_new] = roles_there_.try_emplace(policy);
    if (!is_new) return found->second;
    std::string name = "sp:" + policy;
    if (role_names_.contains({"", name}))
      name = fresh(name, ':', digits_of({policy}), "", role_names_);
    role_names_.emplace("", name);
    made_.rbac.cluster_roles.push_back({{.name = name}, rules_for(policy)});
    return found->second = name;
  }
  std::string binding_name(const std::string& policy, const std::string& in,
                           const std::vector<std::string>& subjects) {
    return fresh("sp:" + policy, ':', digits_of(subjects), in, binding_names_);
  }

  static constexpr std::string_view rbac_group = "rbac.authorization.k8s.io";
  static constexpr std::string_view all_accounts = "system:serviceaccounts";
  static constexpr std::size_t fewest_digits = 4;

  const Objects& there_;
  const Settings& settings_;
  rbac::Access access_;
  const NeededPermissions& needed_;
  std::set<Name> policy_names_;
  std::set<Name> role_names_;
  std::set<Name> binding_names_;
  std::map<std::string, std::string> roles_there_;  ///< by the policy that each permits to use
  Objects made_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/suggest/suggestion_search.hpp

/// Finds what is suggested, without telling why.

namespace SCHEDPOL_NAMESPACE::engine::detail {

inline std::vector<FieldError> too_many_entries(const std::string& whose) {
  return {{ErrorType::too_many,
           {},
           "",
           in_backticks(whose) + " has or needs more than " +
               std::to_string(max_suggested_entries) +
               " entries: any values of their keys can be permitted instead"}};
}
inline std::vector<FieldError> too_many_steps(std::size_t most) {
  return {{ErrorType::too_many,
           {},
           "",
           "takes more than " + std::to_string(most) + " steps, or the memory of as many"}};
}
inline std::vector<FieldError> too_many_entries(const std::vector<SchedulingPolicy>& policies) {
  for (const SchedulingPolicy& policy : policies) {
    std::size_t count = 0;
    scheduling_policy::detail::for_each_allowed_entry(
        policy.spec.allowed,
        [&](const FieldPath&, const std::string&, const PolicySection&) { ++count; });
    if (count > max_suggested_entries) return too_many_entries(policy.metadata.name);
  }
  return {};
}

/// What stands around the objects, for all that is asked of them.
struct SuggestSurroundings {
  const Configuration& configuration;
  const Engine& engine;  ///< compiled from it
  const SuggestOptions& options;
  Budget& budget;
};

/// Policies, roles and bindings for some objects.
class SuggestionSearch {
 public:
  SuggestionSearch(const SuggestSurroundings& around, std::span<const RunningObject> objects)
      : around_(around),
        objects_(objects),
        search_(around.engine, around.configuration.settings, around.options, objects,
                around.budget) {}
  SuggestionSearch(const SuggestionSearch&) = delete;
  SuggestionSearch& operator=(const SuggestionSearch&) = delete;

  /// Errors, where there is no answer. To be called once, before anything else.
  std::vector<FieldError> run() {
    const auto& [configuration, engine, options, budget] = around_;
    const Settings& settings = configuration.settings;
    do {
      if (const auto& subject = search_.needs_too_much())
        return too_many_entries(subject->namespace_ + "/" + subject->account);
      if (budget.used_up()) return too_many_steps(options.max_steps);
      plan_.emplace(engine, settings, options, needed(), budget);
      policies_ = plan_->run();
      if (budget.used_up()) return too_many_steps(options.max_steps);
      suggested_ =
          SuggestionWriter(configuration, plan_->judge().system(), needed()).write(policies_);
      if (auto errors = too_many_entries(suggested_.scheduling_policies); !errors.empty())
        return errors;
      if (auto errors = validate_each(suggested_); !errors.empty()) return errors;
      proof_.emplace(engine, settings, suggested_, objects_, budget);
    } while (search_.look_again(proof_->engine(), proof_->denied(), proof_->take_asked_again()));
    return {};
  }

  [[nodiscard]] const NeededPermissions& needed() const noexcept { return search_.found(); }
  [[nodiscard]] const GrantPlan& plan() const noexcept { return *plan_; }
  [[nodiscard]] const std::vector<GrantedPolicy>& policies() const noexcept { return policies_; }
  [[nodiscard]] const Objects& suggested() const noexcept { return suggested_; }
  [[nodiscard]] const Engine& engine_with_all() const noexcept { return proof_->engine(); }
  /// To be called last.
  [[nodiscard]] Proof prove() { return std::move(*proof_).run(); }

 private:
  const SuggestSurroundings& around_;
  std::span<const RunningObject> objects_;
  NeedSearch search_;
  std::optional<GrantPlan> plan_;
  std::vector<GrantedPolicy> policies_;
  Objects suggested_;
  std::optional<ProofByDeciding> proof_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/suggest/fragility.hpp

/// Whether what is suggested without the objects of one owner permits them: how far it fits what is not
/// there yet.
///
/// That is how it is defined, and to suggest once for each owner would take the square of what one
/// suggestion does. So an object is asked first about more and about less than its subject would be
/// granted, and only where one permits it and the other does not is it decided by the definition.
/// - More: all that the others of its subject need, and what as many subjects need without it that
///   everybody is granted it. Nothing else is granted, and what permits more denies no less.
/// - Less: the same without what everybody is granted and might not be, because all who need it have
///   others that permit as much. Of the rest the suggestion leaves out nothing but what its others make
///   needless: whoever needs an entry is permitted by them, and so is everything that the entry permits,
///   because an entry is the narrowest one for some item that was not permitted. There are exceptions
///   (`is_permitted_as_a_whole`, `may_hide_what_is_there`); where a subject has any, nothing is known to
///   be granted.

namespace SCHEDPOL_NAMESPACE::engine::detail {

class FragilitySearch {
 public:
  FragilitySearch(const SuggestSurroundings& around, std::span<const RunningObject> objects,
                  const SuggestionSearch& whole)
      : around_(around),
        objects_(objects),
        needed_(whole.needed()),
        plan_(whole.plan()),
        has_common_(plan_.is_common(1, 1)),
        of_owner_(needed_.owners.size()),
        needs_of_(needed_.subjects.size()),
        is_certain_(needed_.subjects.size(), true) {
    for (std::size_t i = 0; i < needed_.objects.size(); ++i) {
      const JudgedObject& object = needed_.objects[i];
      of_owner_[object.owner].push_back(i);
      for (const std::size_t entry : object.needs) {
        insert_number(owners_needing_[{subject_of(object), entry}], object.owner);
        // Whatever others need is granted to whoever may use every policy, too.
        if (needed_.unbound)
          insert_number(owners_needing_[{*needed_.unbound, entry}], object.owner);
      }
    }
    for (const auto& [key, owners] : owners_needing_) needs_of_[key.first].push_back(key.second);
    for (const RunningAccount& account : needed_.accounts)
      if (!is_certain(account)) is_certain_[account.subject] = false;
    for (const Numbers& subjects : plan_.needing()) counts_.push_back(subjects.size());
  }

  [[nodiscard]] Fragility run() {
    Fragility fragile;
    for (std::size_t owner = 0; owner < of_owner_.size(); ++owner) {
      const std::size_t steps = has_common_ ? counts_.size() + needed_.subjects.size() : 0;
      if (of_owner_[owner].empty() || !around_.budget.spend(steps + of_owner_[owner].size()))
        continue;
      ++fragile.owners;
      if (is_denied(owner)) ++fragile.denied;
    }
    return fragile;
  }

 private:
  enum class Answer { permitted, denied, unknown };

  [[nodiscard]] std::size_t subject_of(const JudgedObject& object) const {
    return needed_.accounts[object.account].subject;
  }

  /// Whether what permits the item that an entry is for permits all that the entry does.
  [[nodiscard]] static bool is_permitted_as_a_whole(const PolicySection& entry,
                                                    const UsablePolicies& there) {
    for (const scheduling_policy::TolerationPattern& pattern : entry.tolerations.listed()) {
      // Its item may be permitted in part by a default with other seconds, ...
      const auto& defaults = there.effective.spec().defaults.tolerations;
      if (pattern.effects.is_any() && defaults && !defaults->empty()) return false;
      // ... and one whose values became any by its own value.
      const bool may_be_wider = pattern.values.is_any() && !there.policies.empty();
      if (pattern.effects.is_any() && may_be_wider) return false;
      if (pattern.keys.is_any() && pattern.values.is_listed()) return false;
    }
    // It is for terms without an expression, which any other entry of the mode permits.
    const auto& modes = entry.affinities.listed().node_affinities.listed();
    return !modes.required_during_scheduling_ignored_during_execution.is_any() &&
           !modes.preferred_during_scheduling_ignored_during_execution.is_any();
  }
  /// Whether a policy that is granted to the subject, or to anybody, may come before one that an account
  /// of it has, and hide it.
  [[nodiscard]] bool may_hide_what_is_there(const RunningAccount& account) const {
    return around_.configuration.settings.strategy !=
               scheduling_policy::MergeStrategy::smart_deep_merge &&
           (around_.options.subject == SuggestedSubject::namespace_ ||
            account.subject == needed_.unbound) &&
           !account.usable->policies.empty();
  }
  [[nodiscard]] bool is_certain(const RunningAccount& account) const {
    return !may_hide_what_is_there(account) &&
           schedpol::detail::all_of(needs_of_[account.subject], [&](std::size_t entry) {
             return is_permitted_as_a_whole(needed_.entries[entry], *account.usable);
           });
  }

  [[nodiscard]] bool is_denied(std::size_t owner) {
    // Objects that need nothing change no grant, so leaving them out denies none.
    if (schedpol::detail::all_of(of_owner_[owner], [&](std::size_t number) {
          return needed_.objects[number].needs.empty();
        }))
      return false;
    const Numbers common = has_common_ ? common_without(owner) : Numbers();
    bool is_known = true;
    for (const std::size_t number : of_owner_[owner]) {
      const Answer answer = answer_to(needed_.objects[number], common);
      if (answer == Answer::denied) return true;
      is_known = is_known && answer == Answer::permitted;
    }
    return !is_known && is_denied_by_definition(owner);
  }

  [[nodiscard]] Answer answer_to(const JudgedObject& object, const Numbers& common) {
    const std::size_t subject = subject_of(object);
    const bool is_needed_by_others = schedpol::detail::all_of(object.needs, [&](std::size_t entry) {
      return owners_needing_.at({subject, entry}).size() > 1;
    });
    if (is_certain_[subject] && is_needed_by_others) return Answer::permitted;
    Numbers of_others;
    for (const std::size_t entry : needs_of_[subject])
      if (is_needed_without(object.owner, subject, entry)) of_others.push_back(entry);
    const auto allows_with = [&](const Numbers& granted_to_all) {
      Numbers granted;
      std::set_union(of_others.begin(), of_others.end(), granted_to_all.begin(),
                     granted_to_all.end(), std::back_inserter(granted));
      const RunningAccount& account = needed_.accounts[object.account];
      const SchedulingJudge& judge = plan_.judge();
      return judge.allows(object,
                          judge.with(account, needed_.entries.section_of(granted), granted.size()));
    };
    if (!may_hide_what_is_there(needed_.accounts[object.account]) && !allows_with(common))
      return Answer::denied;
    const bool is_permitted =
        is_certain_[subject] &&
        (common.empty() || allows_with(certainly_common(common, object.owner)));
    return is_permitted ? Answer::permitted : Answer::unknown;
  }
  [[nodiscard]] bool is_needed_without(std::size_t owner, std::size_t subject,
                                       std::size_t entry) const {
    const Numbers& owners = owners_needing_.at({subject, entry});
    return owners.size() > 1 || owners.front() != owner;
  }

  /// What so many subjects need without the objects of an owner that everybody is granted it.
  [[nodiscard]] Numbers common_without(std::size_t owner) const {
    Numbers common;
    std::size_t subjects = 0;
    for (const Numbers& owners : needed_.owners_of_subject)
      subjects += owners.size() > 1 || owners.front() != owner ? 1 : 0;
    if (needed_.unbound && needed_.owners_of_subject[*needed_.unbound] != Numbers{owner})
      --subjects;
    std::set<std::pair<std::size_t, std::size_t>> not_needed;  // entries, and by which subject
    for (const std::size_t number : of_owner_[owner]) {
      const JudgedObject& object = needed_.objects[number];
      const std::size_t subject = subject_of(object);
      for (const std::size_t entry : object.needs)
        if (subject != needed_.unbound && !is_needed_without(owner, subject, entry))
          not_needed.insert({entry, subject});
    }
    std::vector<std::size_t> counts = counts_;
    for (const auto& [entry, subject] : not_needed) --counts[entry];
    for (std::size_t entry = 0; entry < counts.size(); ++entry)
      if (plan_.is_common(counts[entry], subjects)) common.push_back(entry);
    return common;
  }

  /// What of the common entries is granted for certain: where an object of another owner would be denied
  /// without it by all that its subject may be granted.
  [[nodiscard]] Numbers certainly_common(const Numbers& common, std::size_t owner) {
    const auto [found, is_new] = needing_common_.try_emplace(common);
    if (is_new)
      for (const std::size_t entry : common)
        found->second.push_back(owners_that_need(entry, common));
    Numbers certain;
    for (std::size_t i = 0; i < common.size(); ++i)
      if (schedpol::detail::any_of(found->second[i],
                                   [&](std::size_t needing) { return needing != owner; }))
        certain.push_back(common[i]);
    return certain;
  }
  /// One or two of them.
  [[nodiscard]] Numbers owners_that_need(std::size_t entry, const Numbers& common) const {
    Numbers owners;
    for (const std::size_t subject : plan_.needing()[entry]) {
      if (!around_.budget.spend(1 + plan_.objects()[subject].size())) return owners;
      Numbers others;
      std::set_union(common.begin(), common.end(), needs_of_[subject].begin(),
                     needs_of_[subject].end(), std::back_inserter(others));
      others = without_number(std::move(others), entry);
      std::map<std::size_t, EffectivePolicy> by_account;
      for (const std::size_t number : plan_.objects()[subject]) {
        const JudgedObject& object = needed_.objects[number];
        if (!has_number(object.needs, entry) || has_number(owners, object.owner)) continue;
        const auto [found, is_new] = by_account.try_emplace(object.account);
        if (is_new)
          found->second = plan_.judge().with(needed_.accounts[object.account],
                                             needed_.entries.section_of(others), others.size());
        if (!plan_.judge().allows(object, found->second)) insert_number(owners, object.owner);
        if (owners.size() > 1 || around_.budget.used_up()) return owners;
      }
    }
    return owners;
  }

  /// Suggests for the others, and decides. Without common entries no subject to which anything is bound is
  /// granted anything for the objects of another one.
  [[nodiscard]] bool is_denied_by_definition(std::size_t owner) const {
    std::set<std::size_t> subjects;
    for (const std::size_t number : of_owner_[owner])
      subjects.insert(subject_of(needed_.objects[number]));
    const bool is_about_all =
        has_common_ || (needed_.unbound && subjects.contains(*needed_.unbound));
    std::vector<RunningObject> rest;
    for (std::size_t place = 0; place < objects_.size(); ++place) {
      const auto& [of_owner, of_subject] = needed_.origins[place];
      if (of_owner != owner && (is_about_all || subjects.contains(of_subject)))
        rest.push_back(objects_[place]);
    }
    SuggestOptions options = around_.options;
    options.max_policies = 0;
    const SuggestSurroundings around{around_.configuration, around_.engine, options,
                                     around_.budget};
    SuggestionSearch search(around, rest);
    if (!search.run().empty()) return true;
    return schedpol::detail::any_of(of_owner_[owner], [&](std::size_t number) {
      const Request& request = objects_[needed_.objects[number].place].request;
      return !search.engine_with_all().decide(request).allowed;
    });
  }

  const SuggestSurroundings& around_;
  std::span<const RunningObject> objects_;
  const NeededPermissions& needed_;
  const GrantPlan& plan_;
  bool has_common_;                ///< what many need is granted to everybody
  std::vector<Numbers> of_owner_;  ///< the objects of each
  std::map<std::pair<std::size_t, std::size_t>, Numbers> owners_needing_;  ///< by subject and entry
  std::vector<Numbers> needs_of_;                                          ///< of each subject
  std::vector<bool> is_certain_;     ///< of each subject: no exception is among its needs
  std::vector<std::size_t> counts_;  ///< of the subjects that need each entry
  /// By common entries: for each of them, owners that certainly need it.
  std::map<Numbers, std::vector<Numbers>> needing_common_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/insight/impl/suggest.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// The configuration with SchedulingPolicy enforcing, whatever it or a namespace says of that.
inline Configuration enforcing(Configuration configuration) {
  configuration.settings.namespace_modes.reset();
  bool runs = false;
  for (Step& step : configuration.systems) {
    if (step.system != System::scheduling_policy) continue;
    step.mode = Mode::enforce;
    runs = true;
  }
  if (!runs) configuration.systems.push_back({.system = System::scheduling_policy});
  return configuration;
}

inline schedpol::detail::Budget budget_of(std::size_t max_steps) noexcept {
  if (max_steps == 0) return schedpol::detail::Budget::unlimited();
  return schedpol::detail::Budget(max_steps, std::max(max_insight_bytes, max_steps));
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(SuggestedSubject subject) noexcept {
  switch (subject) {
    case SuggestedSubject::service_account: return "ServiceAccount";
    case SuggestedSubject::namespace_: return "Namespace";
  }
  return "";
}

SCHEDPOL_INLINE std::string_view to_string(SuggestedNodeNames names) noexcept {
  switch (names) {
    case SuggestedNodeNames::listed: return "Listed";
    case SuggestedNodeNames::any: return "Any";
  }
  return "";
}

SCHEDPOL_INLINE Result<Suggestion> suggest(const Configuration& surroundings,
                                           std::span<const RunningObject> objects,
                                           const SuggestOptions& options) {
  const Configuration configuration = detail::enforcing(surroundings);
  const Result<Engine> engine = compile(configuration);
  if (!engine) return engine.errors();
  schedpol::detail::Budget budget = detail::budget_of(options.max_steps);
  const detail::SuggestSurroundings around{configuration, *engine, options, budget};
  detail::SuggestionSearch search(around, objects);
  if (auto errors = search.run(); !errors.empty()) return errors;
  const detail::NeededPermissions& needed = search.needed();
  Suggestion suggestion;
  suggestion.objects = search.suggested();
  suggestion.excess = search.plan().excess(search.policies());
  suggestion.fragile = detail::FragilitySearch(around, objects, search).run();
  suggestion.entries = detail::EntryDescriptions(needed, objects, options, budget)
                           .of(suggestion.objects.scheduling_policies);
  suggestion.proof = search.prove();
  if (budget.used_up()) return detail::too_many_steps(options.max_steps);
  suggestion.undecided = needed.undecided;
  schedpol::detail::append(suggestion.undecided, suggestion.proof.undecided);
  suggestion.unsatisfiable = needed.unsatisfiable;
  detail::put_in_order(suggestion.undecided);
  detail::put_in_order(suggestion.unsatisfiable);
  return suggestion;
}

SCHEDPOL_INLINE Result<Proof> prove(const Configuration& surroundings, const Objects& added,
                                    std::span<const RunningObject> objects, std::size_t max_steps) {
  const Configuration configuration = detail::enforcing(surroundings);
  const Result<Engine> engine = compile(configuration);
  if (!engine) return engine.errors();
  if (auto errors = detail::too_many_entries(added.scheduling_policies); !errors.empty())
    return errors;
  schedpol::detail::Budget budget = detail::budget_of(max_steps);
  Proof proof =
      detail::ProofByDeciding(*engine, configuration.settings, added, objects, budget).run();
  if (budget.used_up()) return detail::too_many_steps(max_steps);
  return proof;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

#endif  // SCHEDPOL_SINGLE_INCLUDE_INSIGHT_BODIES
