// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a policy gives to pods that do not specify it themselves:
/// 1. the scheduler name, when the pod has none;
/// 2. the priority class name, when it has none; `priority` and `preemptionPolicy` are then
///    cleared, because the API server derives them from the class and refuses others;
/// 3. the node selector, key by key;
/// 4. the tolerations, when the pod has none but exempt ones: each default that it does not have;
/// 5. the affinity, kind by kind, where the pod has no terms of the kind.
///
/// Where required node affinity terms are listed and every term of the pod has to hold them, a
/// default of several required node terms is given as one term with all their expressions: as ORed
/// terms they would not meet the requirement they stand for. Source: the SchedulingPolicy proposal,
/// "default".

#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::scheduling_policy {

/// A pod with its defaults, and what they changed.
struct Defaulted {
  Pod pod{};
  std::vector<Change> changes{};

  friend bool operator==(const Defaulted&, const Defaulted&) = default;
};

namespace detail {

/// Gives one pod the defaults of one policy.
class Defaulter {
 public:
  Defaulter(Pod pod, const EffectivePolicy& effective, const Options& options)
      : effective_(effective),
        defaults_(effective.spec().defaults),
        options_(options),
        result_{std::move(pod), {}} {}

  Defaulted run() && {
    default_scheduler_name();
    default_priority_class_name();
    default_node_selector();
    default_tolerations();
    if (defaults_.affinity) {
      default_node_affinity();
      default_pod_affinity("podAffinity", defaults_.affinity->pod_affinity,
                           &Affinity::pod_affinity);
      default_pod_affinity("podAntiAffinity", defaults_.affinity->pod_anti_affinity,
                           &Affinity::pod_anti_affinity);
    }
    return std::move(result_);
  }

 private:
  PodSpec& spec() { return result_.pod.spec; }

  void note(std::string_view field, std::optional<std::string> from, std::optional<std::string> to,
            std::string_view entry) {
    auto policies = effective_.sources_of(entry);
    result_.changes.push_back({field_path(result_.pod.kind, field), std::move(from), std::move(to),
                               policies.empty() ? std::string() : std::move(policies.front())});
  }

  static std::optional<std::string> if_not_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  void default_scheduler_name() {
    std::string& name = spec().scheduler_name;
    const bool unspecified =
        name.empty() || (options_.default_scheduler == DefaultScheduler::unspecified &&
                         name == default_scheduler_name_of_kubernetes);
    if (!defaults_.scheduler_name || !unspecified || name == *defaults_.scheduler_name) return;
    note("spec.schedulerName", if_not_empty(name), defaults_.scheduler_name,
         "default.schedulerName");
    name = *defaults_.scheduler_name;
  }

  void default_priority_class_name() {
    constexpr std::string_view entry = "default.priorityClassName";
    std::string& name = spec().priority_class_name;
    const bool unspecified = name.empty() || name == options_.global_default_priority_class;
    if (!defaults_.priority_class_name || !unspecified || name == *defaults_.priority_class_name)
      return;
    note("spec.priorityClassName", if_not_empty(name), defaults_.priority_class_name, entry);
    name = *defaults_.priority_class_name;
    if (spec().priority) {
      note("spec.priority", std::to_string(*spec().priority), std::nullopt, entry);
      spec().priority.reset();
    }
    if (!spec().preemption_policy.empty()) {
      note("spec.preemptionPolicy", spec().preemption_policy, std::nullopt, entry);
      spec().preemption_policy.clear();
    }
  }

  void default_node_selector() {
    if (!defaults_.node_selector) return;
    for (const auto& [key, value] : *defaults_.node_selector) {
      if (!spec().node_selector.try_emplace(key, value).second) continue;
      note("spec.nodeSelector[" + key + "]", std::nullopt, value,
           "default.nodeSelector[" + key + "]");
    }
  }

  void default_tolerations() {
    auto& tolerations = spec().tolerations;
    for (const Toleration& toleration : tolerations) {
      if (!is_exempt(toleration, options_)) return;  // the pod specifies its own
    }
    const TolerationSet exempt(tolerations.begin(), tolerations.end());
    for (const Toleration& toleration : effective_.lookup().default_tolerations) {
      if (exempt.contains(toleration)) continue;
      note("spec.tolerations[" + std::to_string(tolerations.size()) + "]", std::nullopt,
           to_string(toleration), "default.tolerations");
      tolerations.push_back(toleration);
    }
  }

  /// The entry behind a kind of default affinity: that of its required mode, where it has one.
  std::string entry_of(std::string_view kind) const {
    const std::string path = "default.affinity." + std::string(kind);
    std::string entry = path + ".requiredDuringSchedulingIgnoredDuringExecution";
    if (effective_.sources().entries.contains(entry)) return entry;
    return path + ".preferredDuringSchedulingIgnoredDuringExecution";
  }

  Affinity& affinity() {
    if (!spec().affinity) spec().affinity.emplace();
    return *spec().affinity;
  }

  void default_node_affinity() {
    if (!has_terms(defaults_.affinity->node_affinity)) return;
    if (spec().affinity && has_terms(spec().affinity->node_affinity)) return;
    NodeAffinity node = *defaults_.affinity->node_affinity;
    const NodeSelector& joined = effective_.lookup().joined_default_terms;
    if (options_.required_affinity == RequiredAffinity::every_term &&
        !joined.node_selector_terms.empty()) {
      node.required_during_scheduling_ignored_during_execution.emplace(joined);
    }
    note("spec.affinity.nodeAffinity", std::nullopt, to_string(node), entry_of("nodeAffinity"));
    affinity().node_affinity = std::move(node);
  }

  void default_pod_affinity(std::string_view kind, const std::optional<PodAffinity>& from,
                            std::optional<PodAffinity> Affinity::*member) {
    if (!has_terms(from)) return;
    if (spec().affinity && has_terms((*spec().affinity).*member)) return;
    note("spec.affinity." + std::string(kind), std::nullopt, to_string(*from), entry_of(kind));
    (affinity().*member).emplace(*from);
  }

  static constexpr std::string_view default_scheduler_name_of_kubernetes =
      schedpol::default_scheduler_name;

  const EffectivePolicy& effective_;
  const Defaults& defaults_;
  const Options& options_;
  Defaulted result_;
};

}  // namespace detail

/// The pod with the defaults of `effective`; idempotent. A change names the first of the policies
/// that the default came from. An effective policy without defaults, the empty and the ambiguous
/// one included, changes nothing. Says nothing about whether the pod is allowed.
[[nodiscard]] inline Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                              const Options& options = {}) {
  return detail::Defaulter(std::move(pod), effective, options).run();
}

}  // namespace schedpol::scheduling_policy
