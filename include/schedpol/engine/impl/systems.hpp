// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The table of systems: a row each, with everything that the engine knows of one. Whoever runs,
/// names or validates a system asks its row.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/finding.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/engine/impl/object_changes.hpp>
#include <schedpol/engine/system.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::engine::detail {

/// Who asks for a pod.
enum class Requester { user, daemon_set_controller };

/// What is asked about a pod, besides the pod.
struct Question {
  Requester by = Requester::user;
  ChangeValues values = ChangeValues::omitted;
  std::size_t* candidates = nullptr;  ///< counts what all systems look at
};

class RunningSystem;
using Running = std::shared_ptr<const RunningSystem>;

/// One system as an Engine runs it: what was compiled of its objects. Asked from any number of
/// threads.
class RunningSystem {
 public:
  RunningSystem() = default;
  RunningSystem& operator=(const RunningSystem&) = delete;
  virtual ~RunningSystem() = default;

  /// Whether it looks at any object that changes.
  [[nodiscard]] virtual bool concerns(const Objects& changed) const noexcept = 0;

  /// The same system with other objects. What did not change both share.
  [[nodiscard]] virtual Running with(const ObjectChanges& changes) const = 0;

  /// Adds the usable objects that it was made of to `into`.
  virtual void collect(Objects& into) const = 0;

  /// The decision on a created pod; the pod of a denial is any.
  [[nodiscard]] virtual Admission admit(Pod&& pod, Question question) const = 0;

  /// The decision on a template that is put in the place of another one: changed as a created one,
  /// and denied for what it adds; where it is not permitted as it came, but neither was the old
  /// one, it stays as it came.
  [[nodiscard]] virtual Admission revise(const Pod& old, Pod&& updated, Question question) const;

  /// A pod that it allows, and the fewest edits that lead there from one that a user asks for and it
  /// denies; a denial where there are none, or where they are not looked for.
  [[nodiscard]] virtual Admission fix(const Pod&) const { return {}; }

  /// How many policies or rules `admit` looks at for a pod, where those are not found by its user.
  [[nodiscard]] virtual std::size_t candidates(const Pod&) const { return 0; }

  /// Whether what `admit` changes is meant for an object of that kind.
  [[nodiscard]] virtual bool changes(PodKind) const noexcept { return true; }

  /// What an update adds that is not permitted: the violations of `admit` that the old pod did not
  /// have.
  [[nodiscard]] virtual std::vector<Violation> judge_update(const Pod& old, const Pod& updated,
                                                            Requester by) const;

  /// What is not as it has to be when all mutators ran: by default the violations of `admit`.
  [[nodiscard]] virtual std::vector<Violation> verify(const Pod& final, Requester by) const;

 protected:
  RunningSystem(const RunningSystem&) = default;

  [[nodiscard]] std::vector<Violation> violations(const Pod& pod, Requester by) const;
};

/// What is analyzed of a system: objects that can be used, what is told besides, the nodes of the
/// cluster, and where only what is about some of the objects matters, what those are called.
struct Analyzed {
  const Objects& objects;
  const Settings& settings;
  std::span<const Node> nodes;
  const std::set<std::string, std::less<>>* written = nullptr;
};

struct Row {
  System system;
  std::string_view name;
  std::string_view audit_key;
  bool looks_at_metadata;  ///< at annotations and containers too; no other changes metadata
  Running (*make)(const Settings&);  ///< of no objects
  std::vector<Finding> (*analyze)(const Analyzed&);
};

/// In the order of the enumeration.
[[nodiscard]] std::span<const Row> rows() noexcept;

[[nodiscard]] inline const Row& row_of(System system) noexcept {
  return rows()[static_cast<std::size_t>(system)];
}

/// `systems` are those of all rows.
[[nodiscard]] EffectivePolicy effective_policy(std::span<const Running> systems, const Pod& pod);

// What `validate` finds wrong with an object. Of the objects of RBAC nothing is: what cannot be
// understood in them grants nothing.
[[nodiscard]] std::vector<FieldError> errors_of(const runtime_class::RuntimeClass& object);
[[nodiscard]] std::vector<FieldError> errors_of(const metadata_policy::MetadataPolicy& object);
[[nodiscard]] std::vector<FieldError> errors_of(
    const pod_scheduling_policy::PodSchedulingPolicy& object);
[[nodiscard]] std::vector<FieldError> errors_of(const scheduling_policy::SchedulingPolicy& object);
[[nodiscard]] std::vector<FieldError> errors_of(const resource_policy::ResourcePolicy& object);
[[nodiscard]] std::vector<FieldError> errors_of(const rbac::Role& object);
[[nodiscard]] std::vector<FieldError> errors_of(const rbac::ClusterRole& object);
[[nodiscard]] std::vector<FieldError> errors_of(const rbac::RoleBinding& object);
[[nodiscard]] std::vector<FieldError> errors_of(const rbac::ClusterRoleBinding& object);

}  // namespace schedpol::engine::detail
