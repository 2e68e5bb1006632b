// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy as an Engine runs them.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/impl/persistent_map.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/impl/object_store.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/unusable_policies.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/inject.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class PodSchedulingPolicySystem final : public RunningSystem {
 public:
  explicit PodSchedulingPolicySystem(const Settings& settings)
      : policies_(*pod_scheduling_policy::compile({})),
        default_scheduler_(settings.options.default_scheduler) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.pod_scheduling_policies.empty() || !changed.namespaces.empty();
  }
  Running with(const ObjectChanges& changes) const override {
    PodSchedulingPolicySystem made(*this);
    replace_policies(made.policies_, changes.replaced.pod_scheduling_policies,
                     changes.usable.pod_scheduling_policies);
    made.unusable_.take_over<Policy>(changes, selections_of);
    made.objects_.take_over(changes);
    for (const Namespace& replaced : changes.replaced.namespaces)
      made.namespaces_.erase({0, replaced.metadata.name, {}});
    for (const Namespace& in : changes.usable.namespaces)
      made.namespaces_[{0, in.metadata.name, {}}] = Namespace(in);
    return Running(std::move(made));
  }

  [[nodiscard]] const auto& objects() const noexcept { return objects_; }

  Admission admit(Pod&& pod, Question question) const override {
    const std::string_view name = schedpol::namespace_of(pod.metadata);
    const Namespace* const known = namespaces_.find({0, name, {}});
    std::vector<Violation> violations =
        unusable_.violations(field_path(pod.kind, {"spec"}), pod.metadata, known);
    if (known == nullptr && policies_.needs_namespace(pod.metadata.labels)) {
      violations.push_back({ViolationCode::namespace_not_found,
                            FieldPath{"metadata", "namespace"},
                            std::string(name),
                            {}});
    }
    if (!violations.empty()) return denied(std::move(pod), std::move(violations));
    pod_scheduling_policy::Injection injection{.pod = std::move(pod)};
    std::optional<Namespace> unlabelled;
    inject_into(injection, namespace_of(injection.pod, unlabelled), policies_, default_scheduler_,
                question.values);
    return to_admission(std::move(injection));
  }

  std::size_t candidates(const Pod& pod) const override {
    std::optional<Namespace> unlabelled;
    return unusable_.size() +
           policies_.candidates(pod.metadata.labels, namespace_of(pod, unlabelled));
  }

  void add_criteria(const Pod& pod, Mode mode, ClusterCriteria& criteria) const override {
    if (mode != Mode::enforce) return;
    std::optional<Namespace> unlabelled;
    for (auto& of_policy :
         policies_.criteria_of_cluster(pod.metadata.labels, namespace_of(pod, unlabelled)))
      criteria.of_pod.push_back(std::move(of_policy));
  }

  /// What it cannot inject would be lost.
  Admission revise(const Old<Pod>&, Pod&& updated, Question question) const override {
    return admit(std::move(updated), question);
  }
  /// It denies only what it cannot inject, and nothing is injected any more.
  std::vector<Violation> judge_update(const Old<Pod>&, const Pod&, Question) const override {
    return {};
  }
  std::vector<Violation> verify(const Pod&, Question) const override { return {}; }

 private:
  using Policy = pod_scheduling_policy::PodSchedulingPolicy;

  /// The namespace of a pod; where it is not known, one without labels, which is made.
  [[nodiscard]] const Namespace& namespace_of(const Pod& pod,
                                              std::optional<Namespace>& unlabelled) const {
    const std::string_view name = schedpol::namespace_of(pod.metadata);
    const Namespace* const known = namespaces_.find({0, name, {}});
    return known != nullptr ? *known : unlabelled.emplace(Namespace{{.name = std::string(name)}});
  }

  static std::vector<PodSelection> selections_of(const Policy& policy) {
    // Without a selector it selects nothing.
    const std::optional<LabelSelector>& pods = policy.spec.pod_selector;
    const std::optional<LabelSelector>& namespaces = policy.spec.namespace_selector;
    if (!pods) return {};
    if (policy.kind != pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy)
      return {{.labels = pods}};
    if (!namespaces) return {};
    return {{.namespaces = namespaces, .labels = pods}};
  }

  pod_scheduling_policy::CompiledPolicies policies_;
  ObjectStore<Policy> objects_;
  UnusablePolicies unusable_;
  schedpol::detail::PersistentMap<Namespace> namespaces_;
  DefaultScheduler default_scheduler_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
