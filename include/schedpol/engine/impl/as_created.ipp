// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/default_toleration_seconds.hpp>
#include <schedpol/engine/as_created.hpp>
#include <schedpol/engine/impl/mirror_annotation.hpp>
#include <schedpol/engine/impl/node_pin.hpp>
#include <schedpol/engine/impl/workload_kind.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// Takes away what the API server and controllers added to a pod.
class CreatedPodMaker {
 public:
  /// `from` is the workload by whose template it was made, or null.
  CreatedPodMaker(Pod& pod, const Pod* from) noexcept
      : pod_(pod), template_(from != nullptr ? from->spec : no_template()) {}

  void remove_additions() {
    PodSpec& spec = pod_.spec;
    const OwnerReference* const controller = controller_of(pod_.metadata);
    if (controller != nullptr && workload_kind(*controller) == PodKind::daemon_set) {
      const std::vector<Toleration> added = schedpol::detail::daemon_set_tolerations();
      remove_tolerations([&](const Toleration& toleration) {
        return std::find(added.begin(), added.end(), toleration) != added.end();
      });
      if (NodePin::take_from(pod_)) remove_empty_affinity();
    }
    remove_tolerations(schedpol::detail::is_default_toleration_seconds);
    spec.priority = template_.priority;
    spec.preemption_policy = template_.preemption_policy;
    pod_.metadata.deletion_timestamp.clear();
  }

  /// False where nobody can tell.
  bool remove_scheduled_node(NodeNamedBy by) {
    std::string& node = pod_.spec.node_name;
    if (node.empty() || by == NodeNamedBy::author) return true;
    const bool is_bare = controller_of(pod_.metadata) == nullptr;
    if (template_.node_name.empty() || by == NodeNamedBy::scheduler) node.clear();
    return !is_bare || by == NodeNamedBy::scheduler;
  }

 private:
  static const PodSpec& no_template() noexcept {
    static const PodSpec none;
    return none;
  }

  template <class Added>
  void remove_tolerations(Added&& is_added) {
    const std::vector<Toleration>& own = template_.tolerations;
    std::erase_if(pod_.spec.tolerations, [&](const Toleration& toleration) {
      return is_added(toleration) && std::find(own.begin(), own.end(), toleration) == own.end();
    });
  }

  void remove_empty_affinity() {
    std::optional<Affinity>& affinity = pod_.spec.affinity;
    if (affinity->node_affinity == NodeAffinity{}) affinity->node_affinity.reset();
    if (affinity == Affinity{}) affinity.reset();
  }

  Pod& pod_;
  const PodSpec& template_;
};

}  // namespace detail

SCHEDPOL_INLINE bool is_stored(const StoredObject& object) noexcept {
  return !object.uid.empty() && !object.creation_timestamp.empty();
}

SCHEDPOL_INLINE std::string_view to_string(AskedAs as) noexcept {
  switch (as) {
    case AskedAs::undecided: return "Undecided";
    case AskedAs::created: return "Created";
    case AskedAs::it_stands: return "ItStands";
    case AskedAs::mirror_pod: return "MirrorPod";
    case AskedAs::terminal: return "Terminal";
  }
  return "";
}

SCHEDPOL_INLINE CreatedObject as_created(StoredObject object, const Owners& owners) {
  CreatedObject created{AskedAs::created, std::move(object.object)};
  Pod& pod = created.object;
  if (pod.kind != PodKind::pod || !is_stored(object)) {
    created.as = AskedAs::it_stands;
  } else if (pod.metadata.annotations.contains(detail::mirror_annotation)) {
    created.as = AskedAs::mirror_pod;
  } else if (is_terminal(pod)) {
    created.as = AskedAs::terminal;
  } else {
    detail::CreatedPodMaker maker(pod, owners.template_of(pod));
    maker.remove_additions();
    if (!maker.remove_scheduled_node(object.node_named_by)) created.as = AskedAs::undecided;
  }
  return created;
}

}  // namespace SCHEDPOL_NAMESPACE::engine
