// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a pod that a cluster printed was when it was created: that is what policies are asked about.
/// A running pod has what the API server, the scheduler and controllers put in, and would be denied
/// for it.
///
/// 1. An object is stored where it has a uid and a creation timestamp; a status alone says nothing,
///    because a dry run of the client prints one. What nobody stored stays as it is, and so does a
///    workload: a template is what its author wrote.
/// 2. A mirror pod and one that has run (`is_terminal`) are not looked at.
/// 3. Taken away is
///    - the node that a scheduler chose (rule 4);
///    - the priority and the preemption policy, which the pod's class gives;
///    - the two tolerations of 300 seconds that DefaultTolerationSeconds adds;
///    - of a DaemonSet's pod the tolerations that its controller adds
///      (`scheduling_policy::daemon_set_tolerations`) and the `metadata.name In [NODE]` of its node
///      terms, and these where none of them has anything else;
///    - that it is being deleted.
///    What the template of the pod says of these stays.
/// 4. Who named the node of a pod:
///    - its author, or a mutator, where `managedFields` are shown and one of them has `spec.nodeName`:
///      a scheduler's binding leaves none. The node stays;
///    - a scheduler, where they are shown and none has it;
///    - otherwise its template, where that names one, even another one by now, and else a scheduler, of a
///      pod that a controller made. A controller whose template is not known is taken to name none;
///    - of a pod without a controller nobody can tell: it is undecided.
/// 5. All else stays: what its RuntimeClass, a webhook or a plugin added is asked about.
///
/// A pod says itself whose it is and what it mirrors, so the answer is for reports alone.
///
/// Source: Kubernetes, `plugin/pkg/admission/{defaulttolerationseconds,priority}`,
/// `pkg/controller/daemon/util`, `pkg/registry/core/pod/storage`.

#include <schedpol/engine/owners.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// Who named the node of a pod, as far as `metadata.managedFields` tell.
enum class NodeNamedBy {
  unknown,    ///< they are not shown
  author,     ///< whoever created or changed the pod
  scheduler,  ///< nobody of these
};

/// An object as it is printed, with what that says of being stored.
struct StoredObject {
  Pod object{};
  std::string uid{};
  std::string creation_timestamp{};
  NodeNamedBy node_named_by = NodeNamedBy::unknown;

  friend bool operator==(const StoredObject&, const StoredObject&) = default;
};

/// Whether a cluster stores the object (rule 1).
[[nodiscard]] bool is_stored(const StoredObject& object) noexcept;

/// What there is to ask about.
enum class AskedAs {
  undecided,   ///< as it was created, if it did not name its node itself
  created,     ///< as it was created
  it_stands,   ///< nobody stored it, or it is a workload
  mirror_pod,  ///< nothing: it mirrors what a node runs by itself
  terminal,    ///< nothing: it has run
};

/// `Undecided`, `Created`, `ItStands`, `MirrorPod`, `Terminal`.
[[nodiscard]] std::string_view to_string(AskedAs as) noexcept;

/// An undecided pod may only be called allowed where it is with the node it has and without one.
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
