// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The answer of every system: the decision on a pod, the changes to the pod, and why it was denied.
/// Violations and changes are data and name the policies behind them. `message` makes text of
/// them.

#include <schedpol/base/names.hpp>
#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Why a pod is denied. Spelled by `to_string` without the underscores: `SchedulerNameNotAllowed`.
enum class ViolationCode {
  no_usable_policy,            ///< no policy applies, so nothing is permitted
  moved_from,                  ///< the pod was moved from, so there is nothing to judge
  ambiguous_policy,            ///< two different policies have the same name, so neither is trusted
  scheduler_name_required,     ///< the scheduler is not one of the required ones
  scheduler_name_not_allowed,  ///< no policy permits the scheduler
  node_name_not_allowed,       ///< the pod names its node and so bypasses every scheduler
  priority_class_name_required,
  priority_class_name_not_allowed,
  node_selector_required,  ///< a required key is missing or has a different value
  node_selector_not_allowed,
  toleration_required,  ///< no toleration matches a required pattern
  toleration_not_allowed,
  affinity_required,  ///< a required kind, mode or term is missing
  affinity_not_allowed,
  runtime_class_name_required,
  runtime_class_name_not_allowed,
  topology_spread_constraint_not_allowed,
  scheduling_gate_not_allowed,
  resource_claim_not_allowed,
  invalid_policy,                  ///< a policy cannot be evaluated, so no policy was
  runtime_class_not_found,         ///< the pod names a class that does not exist
  overhead_without_runtime_class,  ///< the pod has an overhead, and no class defines one
  overhead_mismatch,               ///< the pod's overhead differs from that of its class
  node_selector_conflict,          ///< the pod's value for a key differs from that of its class
  rejected_by_rule,                ///< a MetadataPolicy rule rejects the object
  namespace_not_found,             ///< a policy needs the labels of the namespace, which is unknown
  multiple_resource_policies,  ///< more than one ResourcePolicy selects the pod: no node takes it
  limit_exceeded,              ///< policies together give the pod more than `max_given_items`
};

[[nodiscard]] std::string_view to_string(ViolationCode code) noexcept;

/// One reason for a denial. `field` is the path in the object as it came. `value` is the pod's value
/// there, or the required one if that is missing. `policies` are those that require it, or all that
/// were consulted if none permits it. `permitted` lists what the field could be instead: only the
/// first values if there are many, and none if the permitted values cannot be listed. `detail` says
/// why no policy could permit the value: it has an unknown operator, or exceeds a limit. `added_by`
/// are the policies or classes that added the value, or the list it is in, if the author did not.
struct Violation {
  ViolationCode code = ViolationCode::no_usable_policy;
  FieldPath field{};
  std::string value{};
  Names policies{};
  Names permitted{};
  std::string detail{};
  Names added_by{};

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks. Lists at most
/// `max_shown_names` policies and permitted values each, and counts the rest.
[[nodiscard]] std::string message(const Violation& violation);

/// One mutation. `from` or `to` is absent if the field was or became absent; structured values are
/// on one line. `policy` made the change; it is empty if no policy did.
struct Change {
  FieldPath field{};
  std::optional<std::string> from{};
  std::optional<std::string> to{};
  std::string policy{};

  friend bool operator==(const Change&, const Change&) = default;
};

/// Whether changes have `from` and `to`. The text of an affinity costs more to make than the
/// affinity.
enum class ChangeValues {
  shown,
  omitted,  ///< `from` and `to` are absent
};

/// One line for a person, such as: `spec.schedulerName` set to `my-scheduler` by `payments`.
[[nodiscard]] std::string message(const Change& change);

/// What a person should know about an allowed pod: a policy's criterion was not added to it, or
/// no node can meet several of its criteria together. `policies` are the policies concerned.
struct Warning {
  FieldPath field{};
  std::string text{};
  Names policies{};

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// One line for a person: `spec.nodeSelector[pool]` of `etcd` is left out: ...
[[nodiscard]] std::string message(const Warning& warning);

/// Whether something is allowed: the bool that it was set to. False by default, and after it was
/// moved from.
using Allowed = MoveFlag<false>;

/// The whole decision on a pod. A default-constructed or moved-from one is a denial.
///
/// If allowed, `pod` has all `changes` applied, and there are no violations. If denied, `pod` is the
/// pod as it came, there are no changes, and `violations` say why, in the order of the checks.
/// Changes are never applied in part.
struct Admission {
  Allowed allowed{};
  Pod pod{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
  /// The pod as it came, if it was changed. A later denial in a chain returns it.
  std::optional<Pod> before{};
  std::vector<Warning> warnings{};  ///< of an allowed pod

  /// Hands the pod to the next step, a callable `(Pod) -> Admission`. A denial is returned as it is,
  /// without asking the next step. If the next step allows, the result has the changes and warnings of
  /// both. If it denies, the result has its violations, the pod as it entered the chain, and nothing else.
  template <class Next>
  [[nodiscard]] Admission and_then(Next&& next) && {
    static_assert(std::is_invocable_r_v<Admission, Next, Pod>,
                  "a step takes a Pod and returns an Admission");
    if (!allowed) return std::move(*this);
    Pod current = hand_over();
    return std::move(*this).joined(std::forward<Next>(next)(std::move(current)));
  }

  template <class Next>
  [[nodiscard]] Admission and_then(Next&& next) const& {
    return copy<Next>().and_then(std::forward<Next>(next));
  }

  friend bool operator==(const Admission&, const Admission&) = default;

 private:
  /// The pod for the next step. Leaves a denial behind.
  [[nodiscard]] Pod hand_over();
  /// This admission combined with the answer of the next step.
  [[nodiscard]] Admission joined(Admission&& next) &&;

  template <class Next>
  [[nodiscard]] Admission copy() const {
    return *this;
  }
};

/// The whole decision for a person: `allowed` or `denied`, and below it one line for each change or
/// violation. Shows at most `max_reported_errors` of these and counts the rest.
[[nodiscard]] std::string message(const Admission& admission);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/admission.ipp>
#endif
