// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy: scheduling criteria that are injected into
/// the pods and pod templates they select.
///
/// 1. A policy applies when its podSelector matches the pod's (the template's) labels; the cluster
///    kind also needs its namespaceSelector to match the namespace's, the namespaced kind only
///    applies in its own namespace. An absent selector selects nothing, `{}` everything.
/// 2. Policies apply in byte order of their names (equal names: cluster first), each onto the
///    result of the one before. The pod's own criteria win; what does not conflict is merged in.
/// 3. nodeName, schedulerName: where the pod has none. nodeSelector: keys that it has not.
///    Tolerations, preferred terms, pod affinity and anti-affinity terms: those that it does not
///    have yet.
/// 4. Required node selector terms: where one side has none, the other's. Otherwise every term of
///    the pod with every term of the policy, the policy's expressions first, each only once. A term
///    of the pod that holds all expressions of some term of the policy stays as it is, so injecting
///    twice changes nothing. An empty term matches no node and is left out; where nothing remains,
///    one empty term stays.
/// Source: the kupid README and webhook.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/affinity.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/name_order.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/validation.hpp>
#include <schedpol/pod_scheduling_policy/injection.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::pod_scheduling_policy {

/// Policies made for injecting: their selectors compiled, in the order in which they apply.
class Injector {
 public:
  /// No policies: injects nothing.
  Injector() = default;

  /// The pod, or pod template, with everything that the policies which select it inject. `in` is
  /// the metadata of its namespace. Where `default-scheduler` counts as unspecified, the first
  /// policy that names a scheduler replaces it. A product of terms beyond `max_node_selector_terms`
  /// is an error.
  [[nodiscard]] Injection inject(Pod pod, const ObjectMeta& in,
                                 DefaultScheduler default_scheduler = DefaultScheduler::specified,
                                 ChangeValues values = ChangeValues::shown) const {
    Injection injection;
    injection.pod = std::move(pod);
    // Only where the terms could become too many, the pod may have to come back as it was.
    std::optional<Pod> before;
    if (may_exceed(injection.pod.spec)) before.emplace(injection.pod);
    for (const Compiled& compiled : policies_) {
      if (!compiled.applies(injection.pod.metadata.labels, in)) continue;
      injection.applied.push_back(compiled.policy.metadata.name);
      if (detail::Merger(injection, compiled.policy, default_scheduler, values).run()) {
        if (!compiled.policy.spec.scheduler_name.empty())
          default_scheduler = DefaultScheduler::specified;
        continue;
      }
      Injection failed;
      failed.applied.push_back(compiled.policy.metadata.name);
      failed.errors.push_back({ErrorType::too_many,
                               field_path(before->kind, "spec.affinity.nodeAffinity"), "",
                               "the policy " + in_backticks(compiled.policy.metadata.name) +
                                   " makes more than 1024 node selector terms"});
      failed.pod = *std::move(before);
      return failed;
    }
    return injection;
  }

  /// The injection as an admission, to be chained.
  [[nodiscard]] Admission admit(
      Pod pod, const ObjectMeta& in,
      DefaultScheduler default_scheduler = DefaultScheduler::specified) const;

  /// Whether a pod with these labels cannot be injected without knowing the labels of its
  /// namespace: a policy of the cluster kind selects it, and not in every namespace.
  [[nodiscard]] bool needs_namespace(const Labels& labels) const noexcept {
    for (const Compiled& compiled : policies_) {
      const auto& selector = compiled.policy.spec.namespace_selector;
      if (compiled.policy.kind == PolicyKind::cluster_pod_scheduling_policy && selector &&
          *selector != LabelSelector{} && compiled.pods.matches(labels)) {
        return true;
      }
    }
    return false;
  }

 private:
  friend Result<Injector> compile(std::span<const PodSchedulingPolicy>);

  struct Compiled {
    PodSchedulingPolicy policy;
    LabelMatcher pods;
    LabelMatcher namespaces;

    [[nodiscard]] bool applies(const Labels& labels, const ObjectMeta& in) const noexcept {
      const bool here = policy.kind == PolicyKind::pod_scheduling_policy
                            ? policy.metadata.namespace_ == in.name
                            : namespaces.matches(in.labels);
      return here && pods.matches(labels);
    }
  };

  /// The required terms in an affinity, one at least: the factor that it is in a product.
  static std::size_t factor(const std::optional<Affinity>& affinity) noexcept {
    if (!affinity || !affinity->node_affinity) return 1;
    const auto& required =
        affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    return required ? std::max<std::size_t>(required->node_selector_terms.size(), 1) : 1;
  }

  /// Whether the product of the terms of a pod with those of all policies has more than it may.
  [[nodiscard]] bool may_exceed(const PodSpec& spec) const noexcept {
    std::size_t product = factor(spec.affinity);
    for (const Compiled& compiled : policies_) {
      if (product > max_node_selector_terms) break;
      product *= factor(compiled.policy.spec.affinity);
    }
    return product > max_node_selector_terms;
  }

  std::vector<Compiled> policies_;
};

/// Builds the injector, or reports every selector that cannot be used, naming its policy: nothing
/// is injected then. Paths begin with `policies[i]`. Two policies of one kind, name and namespace
/// are an error, because which came first would matter.
[[nodiscard]] inline Result<Injector> compile(std::span<const PodSchedulingPolicy> policies) {
  std::vector<Injector::Compiled> compiled;
  std::vector<schedpol::detail::Named> names(policies.size());
  std::vector<FieldError> errors;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const PodSchedulingPolicy& policy = policies[i];
    const std::string field = "policies[" + std::to_string(i) + "].spec";
    const auto take = [&](const std::optional<LabelSelector>& selector, std::string_view name) {
      return schedpol::detail::compile_for(policy.metadata.name, selector,
                                           field + std::string(name), errors);
    };
    compiled.push_back({policy, take(policy.spec.pod_selector, ".podSelector"),
                        take(policy.spec.namespace_selector, ".namespaceSelector")});
    const bool namespaced = policy.kind == PolicyKind::pod_scheduling_policy;
    names[i] = {policy.metadata.name, namespaced, {}, i};
    if (namespaced) names[i].namespace_ = policy.metadata.namespace_;
  }
  schedpol::detail::sort_by_name(names);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (!names[i].is_namesake(names[i - 1])) continue;
    errors.push_back({ErrorType::duplicate, "policies", std::string(names[i].name),
                      "two policies have this name"});
  }
  if (!errors.empty()) return errors;
  Injector injector;
  for (const auto& named : names) {
    injector.policies_.push_back(std::move(compiled[named.index]));
  }
  return injector;
}

/// Compiles the policies and injects them into one pod; where they cannot be compiled, the pod
/// comes back as it was, with the errors.
[[nodiscard]] inline Injection inject(Pod pod, const ObjectMeta& in,
                                      std::span<const PodSchedulingPolicy> policies) {
  const auto injector = compile(policies);
  if (injector) return injector->inject(std::move(pod), in);
  return Injection{.pod = std::move(pod), .errors = injector.errors()};
}

/// An injection as an admission: allowed with its changes, or denied with `InvalidPolicy` when a
/// policy makes too many terms. To be chained it needs the pod as it came, in `before`.
[[nodiscard]] inline Admission to_admission(Injection injection) {
  Admission admission;
  admission.allowed = injection.errors.empty();
  for (const FieldError& error : injection.errors) {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(injection.pod.kind, "spec"), message(error),
                                    injection.applied});
  }
  admission.pod = std::move(injection.pod);
  admission.changes = std::move(injection.changes);
  return admission;
}

inline Admission Injector::admit(Pod pod, const ObjectMeta& in,
                                 DefaultScheduler default_scheduler) const {
  Pod before = pod;
  Admission admission = to_admission(inject(std::move(pod), in, default_scheduler));
  if (!admission.changes.empty()) admission.before = std::move(before);
  return admission;
}

/// The injection of policies that are compiled first; denied with one `InvalidPolicy` an error when
/// they cannot be.
[[nodiscard]] inline Admission admit(Pod pod, const ObjectMeta& in,
                                     std::span<const PodSchedulingPolicy> policies) {
  const auto injector = compile(policies);
  if (injector) return injector->admit(std::move(pod), in);
  Admission admission;
  admission.pod = std::move(pod);
  for (const FieldError& error : injector.errors()) {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(admission.pod.kind, "spec"), message(error),
                                    schedpol::detail::policies_behind(error.field, policies)});
  }
  return admission;
}

}  // namespace schedpol::pod_scheduling_policy
