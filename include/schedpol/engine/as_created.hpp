// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Turns a stored pod, as a cluster prints it, back into the pod as it was created. Policies decide on
/// created pods. They would deny a running pod for what the API server, the scheduler and controllers
/// added.
///
/// 1. An object is stored if it has a uid and a creation timestamp. A status alone is no proof, because
///    a client-side dry run prints one. An object that is not stored stays as it is, and so does a
///    workload: its template is what the author wrote.
/// 2. Mirror pods and terminal pods (`is_terminal`) are not asked about.
/// 3. These are removed, unless the pod's template has them:
///    - the node that a scheduler chose (rule 4);
///    - the priority and the preemption policy, which come from the priority class;
///    - the two tolerations for 300 seconds that DefaultTolerationSeconds adds;
///    - from a DaemonSet's pod, the tolerations that its controller adds
///      (`scheduling_policy::daemon_set_tolerations`) and the `metadata.name In [NODE]` of its node
///      selector terms; the terms, too, if none of them has anything else;
///    - the deletion timestamp.
/// 4. Who named the node of a pod:
///    - If `managedFields` are shown and one has `spec.nodeName`: the author or a mutator, because a
///      scheduler's binding leaves no such entry. The node stays.
///    - If they are shown and none has it: a scheduler.
///    - If they are not shown and a controller made the pod: its template, if that names a node, even a
///      different one by now; otherwise a scheduler. An unknown template counts as naming no node.
///    - If they are not shown and the pod has no controller, nobody can tell: the pod is undecided.
/// 5. Everything else stays: policies decide on what a RuntimeClass, a webhook or a plugin added.
///
/// The pod itself says who owns it and what it mirrors, so use the answer only for reports.
///
/// Source: Kubernetes, `plugin/pkg/admission/{defaulttolerationseconds,priority}`,
/// `pkg/controller/daemon/util`, `pkg/registry/core/pod/storage`.

#include <schedpol/engine/owners.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// Who named the node of a pod, as far as `metadata.managedFields` tell.
enum class NodeNamedBy {
  unknown,    ///< the fields are not shown
  author,     ///< a user or mutator that created or changed the pod
  scheduler,  ///< no such user
};

/// An object as a cluster prints it, with the fields that show whether it is stored.
struct StoredObject {
  Pod object{};
  std::string uid{};
  std::string creation_timestamp{};
  NodeNamedBy node_named_by = NodeNamedBy::unknown;

  friend bool operator==(const StoredObject&, const StoredObject&) = default;
};

/// Whether a cluster stores the object (rule 1).
[[nodiscard]] bool is_stored(const StoredObject& object) noexcept;

/// What policies are asked about.
enum class AskedAs {
  undecided,   ///< the pod as it was created, if it did not name its node itself
  created,     ///< the pod as it was created
  it_stands,   ///< the object as it is: it is not stored, or is a workload
  mirror_pod,  ///< nothing: the pod mirrors a pod that its node runs by itself
  terminal,    ///< nothing: the pod has run
};

/// `Undecided`, `Created`, `ItStands`, `MirrorPod`, `Terminal`.
[[nodiscard]] std::string_view to_string(AskedAs as) noexcept;

/// Call an undecided pod allowed only if it is allowed both with its node and without one.
struct CreatedObject {
  AskedAs as = AskedAs::undecided;
  Pod object{};

  friend bool operator==(const CreatedObject&, const CreatedObject&) = default;
};

/// By the rules above.
[[nodiscard]] CreatedObject as_created(StoredObject object, const Owners& owners);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/engine/impl/as_created.ipp>
#endif
