// SPDX-License-Identifier: Apache-2.0
#pragma once

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy as an Engine runs them.

#include <schedpol/engine/impl/object_store.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/unusable_policies.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What the class of a pod or template gives to it. The node selector that it adds to the pods of a
/// template is there while policies are injected, as it is in the pods, so that nothing is injected
/// that contradicts it.
class ClassTolerations {
 public:
  ClassTolerations(Pod& pod, const AdmissionContext& context) {
    if (pod.spec.runtime_class_name.empty()) return;
    // In any mode: the API server's own plugin gives the same.
    ClusterCriteria criteria;
    context.systems[static_cast<std::size_t>(System::runtime_class)]->add_criteria(
        pod, Mode::enforce, criteria);
    for (const auto& [key, value] : criteria.added_to_pods.node_selector)
      if (pod.spec.node_selector.try_emplace(key, value).second) keys_.push_back(key);
    tolerations_ = std::move(criteria.added_to_pods.tolerations);
    for (const SharedCriteria& of_pod : criteria.of_pod)
      schedpol::detail::append(tolerations_, of_pod->tolerations);
  }

  [[nodiscard]] const std::vector<Toleration>& tolerations() const noexcept { return tolerations_; }

  void take_back(Pod& pod) const {
    for (const std::string& key : keys_) pod.spec.node_selector.erase(key);
  }

 private:
  std::vector<std::string> keys_;
  std::vector<Toleration> tolerations_;
};

class PodSchedulingPolicySystem final : public CompiledSystem {
 public:
  explicit PodSchedulingPolicySystem(const Settings& settings)
      : policies_(*pod_scheduling_policy::compile({})),
        default_scheduler_(settings.options.default_scheduler) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.pod_scheduling_policies.empty() || !changed.namespaces.empty();
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    PodSchedulingPolicySystem made(*this);
    replace_policies(made.policies_, changes.replaced.pod_scheduling_policies,
                     changes.usable.pod_scheduling_policies);
    made.unusable_.apply<Policy>(changes, selections_of);
    made.objects_.apply(changes);
    for (const Namespace& replaced : changes.replaced.namespaces)
      made.namespaces_.erase({0, replaced.metadata.name, {}});
    for (const Namespace& in : changes.usable.namespaces)
      made.namespaces_[{0, in.metadata.name, {}}] = Namespace(in);
    return SharedSystem(std::move(made));
  }

  [[nodiscard]] const auto& policies() const noexcept { return policies_; }
  [[nodiscard]] const auto& objects() const noexcept { return objects_; }

  Admission admit(Pod&& pod, AdmissionContext context) const override {
    const Namespace* const known = find_namespace(pod);
    std::vector<Violation> violations =
        unusable_.violations(field_path(pod.kind, {"spec"}), pod.metadata, known);
    if (known == nullptr) {
      std::vector<std::string> asking = policies_.asking_for_namespace(pod.metadata.labels);
      if (!asking.empty())
        violations.push_back({ViolationCode::namespace_not_found,
                              FieldPath{"metadata", "namespace"},
                              std::string(namespace_of(pod.metadata)), Names(std::move(asking))});
    }
    if (!violations.empty()) return denied(std::move(pod), std::move(violations));
    const ClassTolerations of_class(pod, context);
    pod_scheduling_policy::Injection injection{.pod = std::move(pod)};
    const Namespace unlabelled = without_labels(injection.pod);
    inject_into(injection, known == nullptr ? unlabelled : *known, policies_, default_scheduler_,
                context.values, of_class.tolerations());
    of_class.take_back(injection.pod);
    return to_admission(std::move(injection));
  }

  /// Of a policy of the cluster and one of the namespace that have one name, what the latter adds is
  /// denied.
  std::string full_name(const std::string& policy, const Pod& pod) const override {
    const std::string_view namespace_ = namespace_of(pod.metadata);
    return objects_.find_in<Policy>(namespace_, policy) == nullptr
               ? policy
               : std::string(namespace_) + '/' + policy;
  }

  void add_criteria(const Pod& pod, Mode mode, ClusterCriteria& criteria) const override {
    if (mode != Mode::enforce) return;
    for (auto& of_policy : policies_.criteria_of_cluster(pod.metadata.labels, find_namespace(pod)))
      criteria.put_into_pod(of_policy.policy, std::move(of_policy.criteria));
  }

  void add_unknown(const Pod& pod, const AdmissionContext&,
                   std::vector<UnknownObject>& unknown) const override {
    if (find_namespace(pod) == nullptr &&
        !policies_.asking_for_namespace(pod.metadata.labels).empty())
      unknown.push_back({.kind = std::string(namespace_kind.name),
                         .name = std::string(namespace_of(pod.metadata))});
  }

  /// What it cannot inject would be lost.
  Admission update_template(const Old<Pod>&, Pod&& updated,
                            AdmissionContext context) const override {
    return admit(std::move(updated), context);
  }
  /// It denies only what it cannot inject, and nothing is injected any more.
  std::vector<Violation> judge_update(const Old<Pod>&, const Pod&,
                                      AdmissionContext) const override {
    return {};
  }
  std::vector<Violation> verify(const Pod&, AdmissionContext) const override { return {}; }

 private:
  using Policy = pod_scheduling_policy::PodSchedulingPolicy;

  /// Null where the namespace of a pod is not known.
  [[nodiscard]] const Namespace* find_namespace(const Pod& pod) const {
    return namespaces_.find({0, namespace_of(pod.metadata), {}});
  }
  /// A namespace of that name without labels, in place of one that is not known; only where no policy
  /// asks for its labels.
  [[nodiscard]] static Namespace without_labels(const Pod& pod) {
    return {{.name = std::string(namespace_of(pod.metadata))}};
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
