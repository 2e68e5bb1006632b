// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What every system answers with: the decision on a pod, what it changed and why it was denied.
/// Violations and changes are data that name the policy behind them; their texts come from
/// `message`.

#include <schedpol/base/names.hpp>
#include <schedpol/core/pod.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Why a pod is denied. Spelled by `to_string` without the underscores: `SchedulerNameNotAllowed`.
enum class ViolationCode {
  no_usable_policy,            ///< no policy applies, so nothing is permitted
  moved_from,                  ///< the pod was moved from, so there is nothing to judge
  ambiguous_policy,            ///< two different policies of one name, so none can be trusted
  scheduler_name_required,     ///< another scheduler than the required ones
  scheduler_name_not_allowed,  ///< a scheduler that nothing permits
  node_name_not_allowed,       ///< names its node, past every scheduler
  priority_class_name_required,
  priority_class_name_not_allowed,
  node_selector_required,  ///< a required key is missing, or has another value
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
  invalid_policy,                  ///< a policy cannot be evaluated, so nothing was
  runtime_class_not_found,         ///< names a class that does not exist
  overhead_without_runtime_class,  ///< brings an overhead that no class defines
  overhead_mismatch,               ///< brings another overhead than its class defines
  node_selector_conflict,          ///< asks for another value than its class
  rejected_by_rule,                ///< a metadata rule rejects it
  namespace_not_found,         ///< stands in an unknown namespace whose labels a policy looks at
  multiple_resource_policies,  ///< more than one ResourcePolicy selects it: no node can take it
  limit_exceeded,              ///< policies together give it more than a pod may be given
};

[[nodiscard]] std::string_view to_string(ViolationCode code) noexcept;

/// One reason for a denial. `field` is the path in the object as it came, `value` what was asked
/// for there (for a missing requirement: what is required), `policies` those that required it, or
/// all that were looked at and permit it nowhere. `permitted` is what could stand there instead,
/// the first of it where it is long, and nothing where that is no list. `detail` says what is wrong
/// with the value itself, where no policy could permit it: an operator that there is none of, more
/// than a limit. `added_by` are the policies or classes that wrote it, or the list that it stands in,
/// into the pod, where its author did not.
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

/// One line for a person: lower case, no full stop, input in backticks, at most `max_shown_names`
/// policies and permitted values, and how many more there are.
[[nodiscard]] std::string message(const Violation& violation);

/// One mutation. `from` and `to` are absent where the field was or became absent; structured values
/// are shown on one line. `policy` made the change; it is empty where no policy did.
struct Change {
  FieldPath field{};
  std::optional<std::string> from{};
  std::optional<std::string> to{};
  std::string policy{};

  friend bool operator==(const Change&, const Change&) = default;
};

/// Whether changes say what they were made from and to. Texts of affinities cost more than the
/// affinities.
enum class ChangeValues {
  shown,
  omitted,  ///< `from` and `to` are absent
};

/// One line for a person, such as: `spec.schedulerName` set to `my-scheduler` by `payments`.
[[nodiscard]] std::string message(const Change& change);

/// What a person should know of an allowed pod: a criterion of a policy that was left out of it, or
/// several that no node can meet together. `policies` are those that it is about.
struct Warning {
  FieldPath field{};
  std::string text{};
  Names policies{};

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// One line for a person: `spec.nodeSelector[pool]` of `etcd` is left out: ...
[[nodiscard]] std::string message(const Warning& warning);

/// Whether something is allowed: true or false, as it was set; false by default, and once it was
/// moved from.
using Allowed = MoveFlag<false>;

/// The whole decision on a pod. Default-constructed and moved from it is a denial.
///
/// Allowed: `pod` is the pod with all `changes` applied, and there are no violations. Denied: `pod`
/// is the pod as it came, there are no changes, and `violations` say why, in the order in which
/// they were checked. Nothing is ever half-applied.
struct Admission {
  Allowed allowed{};
  Pod pod{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
  /// The pod as it came, where changes were made: what a later denial in a chain gives back.
  std::optional<Pod> before{};
  std::vector<Warning> warnings{};  ///< of an allowed pod

  /// Hands the pod to the next step, a callable `(Pod) -> Admission`. A denial goes no further and
  /// is returned as it is. When the next step allows, the changes and warnings of both are kept;
  /// when it denies, its violations are returned with the pod as it came to the chain, and neither.
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
  /// The pod for the next step. What is left behind is a denial.
  [[nodiscard]] Pod hand_over();
  /// With what the next step said.
  [[nodiscard]] Admission joined(Admission&& next) &&;

  template <class Next>
  [[nodiscard]] Admission copy() const {
    return *this;
  }
};

/// The whole decision for a person: `allowed` or `denied`, and below it a line for each change, or
/// for each violation; at most `max_reported_errors`, and how many more there are.
[[nodiscard]] std::string message(const Admission& admission);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/admission.ipp>
#endif
