// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A template as SchedulingPolicy judges it: as its pods will be.

#include <schedpol/core/impl/required_terms.hpp>
#include <schedpol/engine/impl/covered_tolerations.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The options that all pods share, or the pod's own.
struct OptionsOfPod {
  const scheduling_policy::Options& shared;
  std::optional<scheduling_policy::Options> own{};
  std::optional<Violation> denial{};  ///< of a pod that is given too much, nothing of it exempt
  /// Of a template whose class has `scheduling`.
  std::optional<MergedTolerations> merged{};

  /// What the API server adds to every pod of a template.
  [[nodiscard]] std::vector<Toleration> added_to(const Pod& of_template) const {
    return added_to_every_pod(of_template.spec.tolerations, shared.exempt.tolerations);
  }
  /// The options for a template without what is covered.
  [[nodiscard]] const scheduling_policy::Options& without(const CoveredTolerations& covered) {
    if (own) own->added_to_pods.tolerations = covered.of_class();
    return **this;
  }
  [[nodiscard]] const scheduling_policy::Options& operator*() const noexcept {
    return own ? *own : shared;
  }
};

[[nodiscard]] inline scheduling_policy::Defaulted apply_defaults_to_template(
    Pod&& pod, const EffectivePolicy& effective, OptionsOfPod& options) {
  CoveredTolerations covered(pod, options.merged);
  scheduling_policy::Defaulted made =
      apply_defaults(std::move(pod), effective, options.without(covered));
  covered.restore(made.pod);
  covered.restore_injected(made.changes);
  return made;
}

[[nodiscard]] inline std::vector<Violation> check_template(Pod pod,
                                                           const EffectivePolicy& effective,
                                                           OptionsOfPod& options) {
  const CoveredTolerations covered(pod, options.merged, options.added_to(pod));
  std::vector<Violation> violations = check(pod, effective, options.without(covered));
  covered.restore_places(violations);
  return violations;
}

/// Of a DaemonSet whose pods do not get its required node terms back by default: its controller picks
/// nodes by them and puts the name of the node in their place.
inline void warn_of_replaced_terms(scheduling_policy::Defaulted& made,
                                   const EffectivePolicy& effective, OptionsOfPod& options) {
  const auto& terms = schedpol::detail::required_terms(made.pod.spec.affinity);
  if (made.pod.kind != PodKind::daemon_set || terms.empty()) return;
  Pod pod = made.pod;
  pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution.reset();
  const scheduling_policy::Defaulted given =
      apply_defaults_to_template(std::move(pod), effective, options);
  const auto warn = [&](std::string_view pods, Names policies) {
    const FieldPath mode{"spec", "affinity", "nodeAffinity",
                         "requiredDuringSchedulingIgnoredDuringExecution"};
    made.warnings.push_back(
        {template_path(made.pod.kind).join(mode),
         "the DaemonSet controller replaces it with the name of a node, and the pods will be " +
             std::string(pods),
         std::move(policies)});
  };
  for (const Violation& violation : check_template(given.pod, effective, options))
    if (violation.code == ViolationCode::affinity_required)
      return warn("denied: it is required, and no default gives it back", violation.policies);
  if (!given.changes.empty() && schedpol::detail::required_terms(given.pod.spec.affinity) != terms)
    warn("given another one by default", {given.changes[0].policy});
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
