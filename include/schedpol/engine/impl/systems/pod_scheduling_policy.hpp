// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy as an Engine runs them.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/impl/persistent_map.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/impl/kept_objects.hpp>
#include <schedpol/engine/impl/suspects.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems/compiled_policies.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/inject.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::engine::detail {

class PodSchedulingPolicySystem final : public RunningSystem {
 public:
  explicit PodSchedulingPolicySystem(const Settings& settings)
      : policies_(*pod_scheduling_policy::compile({})),
        default_scheduler_(settings.options.default_scheduler) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.pod_scheduling_policies.empty() || !changed.namespaces.empty();
  }
  Running with(const ObjectChanges& changes) const override {
    auto made = std::make_shared<PodSchedulingPolicySystem>(*this);
    take_over(made->policies_, changes.replaced.pod_scheduling_policies,
              changes.usable.pod_scheduling_policies);
    for (const Policy& replaced : changes.replaced.pod_scheduling_policies)
      made->suspects_.erase(name_of(replaced));
    for (const auto& [object, reason] : changes.unusable_of<Policy>())
      made->suspects_.add(name_of(object), suspect(object, reason));
    for (const PolicyKind kind : kinds) made->suspects_.add_unread(changes, to_string(kind));
    for (const ObjectMeta& replaced : changes.replaced.namespaces)
      made->namespaces_.erase({0, replaced.name, {}});
    for (const ObjectMeta& in : changes.usable.namespaces) made->namespaces_[{0, in.name, {}}] = in;
    made->objects_.take_over(
        changes.replaced.pod_scheduling_policies, changes.usable.pod_scheduling_policies,
        [](const Policy& policy) {
          const bool cluster = is_of_cluster(policy);
          return schedpol::detail::MapKeyView{
              cluster ? 'c' : 'n',
              cluster ? std::string_view() : std::string_view(policy.metadata.namespace_),
              policy.metadata.name};
        });
    return made;
  }
  void collect(Objects& into) const override { objects_.collect(into.pod_scheduling_policies); }

  Admission admit(Pod&& pod, Question question) const override {
    const std::string& name = pod.metadata.namespace_;
    const ObjectMeta* const known = namespaces_.find({0, name, {}});
    std::vector<Violation> violations =
        suspects_.violations(field_path(pod.kind, {"spec"}), pod.metadata, known);
    if (known == nullptr && policies_.needs_namespace(pod.metadata.labels)) {
      violations.push_back(
          {ViolationCode::namespace_not_found, FieldPath{"metadata", "namespace"}, name, {}});
    }
    if (!violations.empty()) return denied(std::move(pod), std::move(violations));
    pod_scheduling_policy::Injection injection{.pod = std::move(pod)};
    std::optional<ObjectMeta> unlabelled;
    inject_into(injection, namespace_of(injection.pod, unlabelled), policies_, default_scheduler_,
                question.values);
    return to_admission(std::move(injection));
  }

  std::size_t candidates(const Pod& pod) const override {
    std::optional<ObjectMeta> unlabelled;
    return suspects_.size() +
           policies_.candidates(pod.metadata.labels, namespace_of(pod, unlabelled));
  }

  void add_criteria(const Pod& pod, Mode mode, ClusterCriteria& criteria) const override {
    if (mode != Mode::enforce) return;
    std::optional<ObjectMeta> unlabelled;
    for (auto& of_policy :
         policies_.criteria_of_cluster(pod.metadata.labels, namespace_of(pod, unlabelled)))
      criteria.of_pod.push_back(std::move(of_policy));
  }

  /// What it cannot inject would be lost.
  Admission revise(const Pod&, Pod&& updated, Question question) const override {
    return admit(std::move(updated), question);
  }
  /// It denies only what it cannot inject, and nothing is injected any more.
  std::vector<Violation> judge_update(const Pod&, const Pod&, Question) const override {
    return {};
  }
  std::vector<Violation> verify(const Pod&, Question) const override { return {}; }

 private:
  using Policy = pod_scheduling_policy::PodSchedulingPolicy;
  using PolicyKind = pod_scheduling_policy::PolicyKind;
  static constexpr PolicyKind kinds[] = {PolicyKind::pod_scheduling_policy,
                                         PolicyKind::cluster_pod_scheduling_policy};

  /// The namespace of a pod; where it is not known, one without labels, which is made.
  [[nodiscard]] const ObjectMeta& namespace_of(const Pod& pod,
                                               std::optional<ObjectMeta>& unlabelled) const {
    const std::string& name = pod.metadata.namespace_;
    const ObjectMeta* const known = namespaces_.find({0, name, {}});
    return known != nullptr ? *known : unlabelled.emplace(ObjectMeta{.name = name});
  }

  static bool is_of_cluster(const Policy& policy) noexcept {
    return policy.kind == PolicyKind::cluster_pod_scheduling_policy;
  }
  static ObjectName name_of(const Policy& policy) {
    const Scope scope = is_of_cluster(policy) ? Scope::cluster : Scope::namespace_;
    return detail::name_of({to_string(policy.kind), scope}, policy.metadata);
  }
  static Suspect suspect(const Policy& policy, const FieldError& reason) {
    Suspect suspect{.reason = reason, .objects = {}};
    // Without a selector it selects nothing.
    PodSelection selected{.labels = policy.spec.pod_selector};
    if (!selected.labels) return suspect;
    if (is_of_cluster(policy)) {
      selected.namespaces = policy.spec.namespace_selector;
      if (!selected.namespaces) return suspect;
    }
    suspect.objects.emplace_back(selected);
    return suspect;
  }

  pod_scheduling_policy::CompiledPolicies policies_;
  KeptObjects<Policy> objects_;
  Suspects suspects_;
  schedpol::detail::PersistentMap<ObjectMeta> namespaces_;
  DefaultScheduler default_scheduler_;
};

}  // namespace schedpol::engine::detail
