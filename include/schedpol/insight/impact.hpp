// SPDX-License-Identifier: Apache-2.0
#pragma once

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

#include <schedpol/engine/owners.hpp>
#include <schedpol/engine/templates.hpp>

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

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/impact.ipp>
#endif
