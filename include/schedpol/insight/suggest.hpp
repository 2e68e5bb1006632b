// SPDX-License-Identifier: Apache-2.0
#pragma once

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

#include <schedpol/core/node.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/engine/owners.hpp>
#include <schedpol/insight/explain.hpp>

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

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/suggest.ipp>
#endif
