// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The table of systems: one row for each, with everything that the engine knows about it.

#include <schedpol/base/impl/shared.hpp>
#include <schedpol/core/impl/given_items.hpp>
#include <schedpol/engine/impl/object_changes.hpp>
#include <schedpol/engine/system.hpp>
#include <schedpol/impl/linkage.hpp>

#include <iterator>
#include <set>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Who writes a pod: what two of them put into it needs no permission. A placer is one only for a pod
/// that had scheduling gates.
enum class PodWriter { user, daemon_set_controller, placer };

class CompiledSystem;

/// A system that does not change, shared by all engines that run it.
class SharedSystem : public SharedOwner {
 public:
  template <class System>
  explicit SharedSystem(System made) : SharedOwner(new System(std::move(made))) {}

  [[nodiscard]] const CompiledSystem& operator*() const noexcept;
  [[nodiscard]] const CompiledSystem* operator->() const noexcept { return &**this; }
};

/// What is told of a decision to whoever looks on.
struct DecisionTrace {
  /// The object as a system was asked about it.
  struct Question {
    Pod object;
    bool is_changed;  ///< false: it is judged as it stands
  };

  System watched = System::none;
  std::vector<Question> questions{};  ///< that the watched system was asked, each round
};

/// What an admission depends on besides the pod.
struct AdmissionContext {
  PodWriter by;
  ChangeValues values;
  DecisionTrace* trace;                      ///< null where nobody looks on
  const std::vector<Step>& steps;            ///< that are run
  const std::vector<SharedSystem>& systems;  ///< of all rows, in their order
};

/// Criteria of a pod that objects of the cluster, and not its author, put into it, or would.
class ClusterCriteria {
 public:
  std::vector<SharedCriteria> of_pod{};
  SchedulingCriteria added_to_pods{};  ///< of a template
  bool merges_tolerations = false;     ///< of a template, with those that a class adds to its pods

  /// What an object puts into the pod. Its name has to last as long as this.
  void put_into_pod(std::string_view name, SharedCriteria criteria) {
    count(name, *criteria);
    of_pod.push_back(std::move(criteria));
  }
  /// What a class puts into the pods of a template.
  void add_to_pods(std::string_view name, const SchedulingCriteria& criteria) {
    count(name, criteria);
    added_to_pods = criteria;
    merges_tolerations = true;
  }

  [[nodiscard]] bool empty() const noexcept { return names_.empty(); }

  /// Why a pod is denied that these give too much.
  [[nodiscard]] std::optional<Violation> violation(PodKind kind) const {
    if (items_ <= max_given_items) return std::nullopt;
    const FieldPath field = field_path(kind, {"spec"});
    return schedpol::detail::limit_exceeded(field,
                                            schedpol::detail::too_many_injected(field, items_),
                                            std::vector<std::string>(names_.begin(), names_.end()));
  }

 private:
  void count(std::string_view name, const SchedulingCriteria& criteria) {
    names_.push_back(name);
    items_ += schedpol::detail::given_items(criteria);
  }

  std::vector<std::string_view> names_;
  std::size_t items_ = 0;
};

/// The decision on the metadata of an object.
struct MetadataOutcome {
  Allowed allowed{};
  ObjectMeta metadata{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
};

/// One system as an Engine runs it: what was compiled of its objects. Asked from any number of
/// threads.
class CompiledSystem : public SharedObject {
 public:
  CompiledSystem() = default;
  CompiledSystem& operator=(const CompiledSystem&) = delete;
  ~CompiledSystem() override = default;

  /// Whether it looks at any object that changes.
  [[nodiscard]] virtual bool concerns(const Objects& changed) const noexcept = 0;

  /// The same system with other objects. What did not change both share.
  [[nodiscard]] virtual SharedSystem with(const ObjectChanges& changes) const = 0;

  /// Gives to a created pod, or to a new template, what other systems look at, before any of them is
  /// asked.
  virtual std::vector<Change> give_first(Pod&) const { return {}; }

  /// The decision on a created pod. On a denial `pod` is unspecified; the caller restores it.
  [[nodiscard]] virtual Admission admit(Pod&& pod, AdmissionContext context) const = 0;

  /// The decision on a template that is put in the place of another one: changed as a created one,
  /// and denied for what it adds; where it is not permitted as it came, but neither was the old
  /// one, it stays as it came.
  [[nodiscard]] SCHEDPOL_INLINE virtual Admission update_template(const Old<Pod>& old,
                                                                  Pod&& updated,
                                                                  AdmissionContext context) const;

  /// The decision on an update of a pod, which keeps what it was given: denied for what it adds;
  /// tolerations of the old pod that it lacks, and that a created pod would be given, are put back,
  /// because the API server refuses to take them away.
  [[nodiscard]] SCHEDPOL_INLINE virtual Admission update_pod(const Old<Pod>& old, Pod&& updated,
                                                             AdmissionContext context) const;

  /// The decision on an object that is no pod, or on a workload apart from its template; nothing
  /// where it is not about such. `old` is null when the object is created.
  [[nodiscard]] virtual std::optional<MetadataOutcome> admit_metadata(
      const ObjectMeta&, const Old<ObjectMeta>*) const {
    return std::nullopt;
  }

  /// Whether it is not about objects of the kind, or none that the user writes. Of pods and workloads
  /// nobody asks it.
  [[nodiscard]] virtual bool exempts(std::string_view, std::string_view, const Requester&) const {
    return false;
  }

  /// Adds what it puts into a pod, or would, by objects that stand in no namespace.
  virtual void add_criteria(const Pod&, Mode, ClusterCriteria&) const {}

  /// Adds the objects that it does not know and would have looked at for a pod that it denied.
  virtual void add_unknown(const Pod&, const AdmissionContext&, std::vector<UnknownObject>&) const {
  }

  /// What a policy that changed the pod is called: with its namespace, where it is in one.
  [[nodiscard]] virtual std::string full_name(const std::string& policy, const Pod&) const {
    return policy;
  }

  /// Whether what `admit` changes is meant for an object of that kind.
  [[nodiscard]] virtual bool changes(PodKind) const noexcept { return true; }

  /// What an update adds that is not permitted: the violations of `admit` that the old pod did not
  /// have.
  [[nodiscard]] SCHEDPOL_INLINE virtual std::vector<Violation> judge_update(
      const Old<Pod>& old, const Pod& updated, AdmissionContext context) const;

  /// Why it denies an object as it stands; `old` is null where that is created.
  [[nodiscard]] SCHEDPOL_INLINE std::vector<Violation> violations_of(
      const Pod& object, const Old<Pod>* old, AdmissionContext context) const;

  /// What is not as it has to be when all mutators ran: by default the violations of `admit`.
  [[nodiscard]] SCHEDPOL_INLINE virtual std::vector<Violation> verify(
      const Pod& final, AdmissionContext context) const;

 protected:
  CompiledSystem(const CompiledSystem&) : SharedObject() {}  // it has owners of its own

  [[nodiscard]] std::vector<Violation> violations(const Pod& pod,
                                                  const AdmissionContext& context) const;
};

inline const CompiledSystem& SharedSystem::operator*() const noexcept {
  return static_cast<const CompiledSystem&>(*object());
}

/// What the cluster's objects put into a pod, or would. A system that is not run puts nothing into
/// it, but the API server does what a RuntimeClass says by itself.
[[nodiscard]] ClusterCriteria cluster_criteria(const Pod& pod, const AdmissionContext& context);

struct SystemRow {
  System system;
  std::string_view name;
  std::string_view audit_key;
  bool looks_at_metadata;  ///< at annotations and containers too; no other changes metadata
  SharedSystem (*make)(const Settings&);  ///< of no objects
};

/// In the order of the enumeration.
using SystemRows = std::array<SystemRow, std::size(all_systems)>;
[[nodiscard]] const SystemRows& system_rows() noexcept;

[[nodiscard]] inline const SystemRow& system_row(System system) noexcept {
  return system_rows()[static_cast<std::size_t>(system)];
}

/// `systems` are those of all rows.
[[nodiscard]] EffectivePolicy effective_policy(const std::vector<SharedSystem>& systems,
                                               const Pod& pod);

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
