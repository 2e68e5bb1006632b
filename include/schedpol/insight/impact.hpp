// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whom a change of the policies hits: what two engines say of the pods and workloads that a
/// cluster has.
///
/// 1. Each object is asked of both as one that is created: what is running keeps running, and is
///    judged when its controller makes it again. What an engine gave it when it came is part of it.
/// 2. A pod with a phase is asked without its node, which its scheduler gave it. One that a
///    DaemonSet controls is asked as by the DaemonSet controller, a mirror pod as by a node.
/// 3. A workload that another workload controls passes unread, and so does a ReplicaSet with any
///    controller: it is unchanged.
/// 4. Systems in mode `warn` and `audit` change nothing about an object.
/// 5. Objects are grouped by the outermost controller that is known (`Owners`): the pods of a
///    ReplicaSet by its Deployment. One without a controller stands by itself.
/// 6. What is asked in the same words is decided once: pods of one template, where they do not
///    differ in labels, or in annotations that a system looks at.
/// 7. What takes more than `max_insight_steps`, or keeps more than `max_insight_bytes`, is not looked
///    at: the last objects, which another impact may be asked about.
/// 8. Of a workload its template is asked about. Its own metadata is not part of a `Pod`: what
///    MetadataPolicies make of that is asked of `Engine::decide_metadata`.
/// 9. Of an object of a custom kind each pod template counts as one object. An engine that has no path to it
///    allows it as it is.

#include <schedpol/engine/owners.hpp>
#include <schedpol/engine/templates.hpp>

namespace SCHEDPOL_NAMESPACE::engine {

/// What becomes of an object, or of a group of them.
enum class Effect {
  unchanged,      ///< both allow it and make the same of it, or both deny it, for whatever reasons
  changed,        ///< both allow it, and make something else of it
  newly_denied,   ///< only `before` allows it
  newly_allowed,  ///< only `after` allows it
};

/// `Unchanged`, `Changed`, `NewlyDenied`, `NewlyAllowed`.
[[nodiscard]] std::string_view to_string(Effect effect) noexcept;

/// Objects of one owner with the same outcome. `violations` are those of the engine that
/// denies; of what is changed, `changes` lead from what `before` makes of it to what `after` does.
struct ImpactGroup {
  Owner owner{};
  Effect effect = Effect::unchanged;
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
  std::vector<std::size_t>
      objects{};  ///< their places in the inventory; templates come after the objects

  friend bool operator==(const ImpactGroup&, const ImpactGroup&) = default;
};

/// How many objects there are of each effect, and groups of all but those that are unchanged, in
/// the order of their first objects.
struct Impact {
  std::size_t not_looked_at = 0;  ///< so many of the last objects
  std::size_t unchanged = 0;
  std::size_t changed = 0;
  std::size_t newly_denied = 0;
  std::size_t newly_allowed = 0;
  std::vector<ImpactGroup> groups{};

  friend bool operator==(const Impact&, const Impact&) = default;
};

/// How far an impact has got.
struct ImpactProgress {
  std::size_t objects = 0;    ///< looked at
  std::size_t decisions = 0;  ///< taken, by the two engines together
  std::size_t steps = 0;      ///< that these took
};

/// Refers to what is asked after each object whether to go on: a callable `(const ImpactProgress&)
/// -> bool`, which outlives the call.
class ProgressCallback {
 public:
  ProgressCallback() noexcept = default;
  /// Of what is asked.
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

/// By the rules above; of `templates` the objects of their requests are looked at. Linear in the objects, besides what it takes to decide on those that differ.
[[nodiscard]] Impact impact(const Engine& before, const Engine& after, std::vector<Pod> objects,
                            ProgressCallback go_on = {},
                            std::vector<TemplateRequest> templates = {});

/// For a person: whose objects they are, how many and what becomes of them, and below it a line for
/// each violation, or each field with both its values; `max_reported_errors` at most.
[[nodiscard]] std::string message(const ImpactGroup& group);

}  // namespace SCHEDPOL_NAMESPACE::engine

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/impact.ipp>
#endif
