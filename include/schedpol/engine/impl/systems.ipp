// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/shared_map.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/engine/impl/kept_objects.hpp>
#include <schedpol/engine/impl/suspects.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems/analyses.hpp>
#include <schedpol/engine/impl/systems/resource_policy.hpp>
#include <schedpol/engine/impl/systems/scheduling_policy.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/scheduler.hpp>
#include <schedpol/metadata_policy/validate.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/inject.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>
#include <schedpol/resource_policy/validate.hpp>
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/runtime_class/compile.hpp>
#include <schedpol/runtime_class/validate.hpp>
#include <schedpol/runtime_class/verify.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::engine {

SCHEDPOL_INLINE scheduling_policy::Options admission_options(scheduling_policy::Options options) {
  options.default_scheduler = DefaultScheduler::unspecified;
  return exempt(std::move(options), scheduling_policy::default_toleration_seconds());
}

namespace detail {

SCHEDPOL_INLINE std::vector<Violation> RunningSystem::violations(const Pod& pod,
                                                                 Requester by) const {
  return admit(Pod(pod), {by}).violations;
}

SCHEDPOL_INLINE std::vector<Violation> RunningSystem::judge_update(const Pod& old,
                                                                   const Pod& updated,
                                                                   Requester by) const {
  std::vector<Violation> added = violations(updated, by);
  if (added.empty()) return added;
  const std::vector<Violation> had = violations(old, by);
  std::erase_if(added, [&](const Violation& violation) {
    return std::find(had.begin(), had.end(), violation) != had.end();
  });
  return added;
}

SCHEDPOL_INLINE Admission RunningSystem::revise(const Pod& old, Pod&& updated,
                                                Question question) const {
  Admission admission = admit(std::move(updated), question);
  if (admission.allowed) return admission;
  admission.violations = judge_update(old, admission.pod, question.by);
  admission.allowed = admission.violations.empty();
  return admission;
}

SCHEDPOL_INLINE std::vector<Violation> RunningSystem::verify(const Pod& final, Requester by) const {
  return violations(final, by);
}

/// What policies that are compiled come to with others in the place of some.
template <class Compiled, class Policy>
void take_over(Compiled& compiled, const std::vector<Policy>& replaced,
               const std::vector<Policy>& usable) {
  if (replaced.empty()) return;
  // What has been found good can be compiled; otherwise it denies.
  auto made = compiled.without(replaced).with(usable);
  compiled = made ? *std::move(made) : Compiled();
}

class RuntimeClassSystem final : public RunningSystem {
 public:
  explicit RuntimeClassSystem(const Settings&) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.runtime_classes.empty();
  }
  Running with(const ObjectChanges& changes) const override {
    auto made = std::make_shared<RuntimeClassSystem>(*this);
    for (const runtime_class::RuntimeClass& replaced : changes.replaced.runtime_classes) {
      made->usable_.erase(replaced.metadata.name);
      made->unusable_.erase(replaced.metadata.name);
    }
    for (const runtime_class::RuntimeClass& object : changes.usable.runtime_classes)
      made->usable_.insert_or_assign(object.metadata.name, object);
    for (const auto& [object, reason] : changes.unusable_of<runtime_class::RuntimeClass>())
      made->unusable_.insert_or_assign(object.metadata.name, reason);
    for (const Unread& unread : changes.unread)
      if (unread.name.kind == "RuntimeClass")
        made->unusable_.insert_or_assign(unread.name.name, unread.reason);
    std::vector<runtime_class::RuntimeClass> classes;
    for (const auto& [name, object] : made->usable_) classes.push_back(object);
    // What cannot be compiled knows no class, and so denies.
    auto compiled = runtime_class::compile(classes);
    made->classes_ = compiled ? *std::move(compiled) : runtime_class::CompiledClasses();
    return made;
  }
  void collect(Objects& into) const override {
    for (const auto& [name, object] : usable_) into.runtime_classes.push_back(object);
  }

  Admission admit(Pod&& pod, Question) const override {
    if (std::vector<Violation> suspects = suspect(pod); !suspects.empty())
      return denied(std::move(pod), std::move(suspects));
    return runtime_class::admit(std::move(pod), classes_);
  }
  /// An overhead written into a template would deny its pods once the class has another one.
  bool changes(PodKind kind) const noexcept override { return kind == PodKind::pod; }

  std::vector<Violation> verify(const Pod& final, Requester by) const override {
    std::vector<Violation> suspects = suspect(final);
    if (!suspects.empty()) return suspects;
    return changes(final.kind) ? runtime_class::verify(final, classes_) : violations(final, by);
  }

 private:
  [[nodiscard]] std::vector<Violation> suspect(const Pod& pod) const {
    const auto found = unusable_.find(pod.spec.runtime_class_name);
    if (found == unusable_.end() || found->first.empty()) return {};
    return {invalid_policy(pod, found->first, found->second)};
  }

  std::map<std::string, runtime_class::RuntimeClass, std::less<>> usable_;
  std::map<std::string, FieldError, std::less<>> unusable_;
  runtime_class::CompiledClasses classes_;
};

class MetadataPolicySystem final : public RunningSystem {
 public:
  explicit MetadataPolicySystem(const Settings&) : policies_(*metadata_policy::compile({})) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.metadata_policies.empty();
  }
  Running with(const ObjectChanges& changes) const override {
    auto made = std::make_shared<MetadataPolicySystem>(*this);
    take_over(made->policies_, changes.replaced.metadata_policies,
              changes.usable.metadata_policies);
    for (const Policy& replaced : changes.replaced.metadata_policies)
      made->suspects_.erase(name_of(kind, replaced.metadata));
    for (const auto& [object, reason] : changes.unusable_of<Policy>())
      made->suspects_.add(name_of(kind, object.metadata), suspect(object, reason));
    made->objects_.take_over(
        changes.replaced.metadata_policies, changes.usable.metadata_policies,
        [](const Policy& policy) {
          return schedpol::detail::MapKeyView{0, policy.metadata.namespace_, policy.metadata.name};
        });
    made->suspects_.add_unread(changes, kind.name);
    return made;
  }
  void collect(Objects& into) const override { objects_.collect(into.metadata_policies); }

  Admission admit(Pod&& pod, Question) const override {
    return denied(metadata_policy::admit(pod, policies_), pod, suspects_of(pod));
  }

  std::size_t candidates(const Pod& pod) const override {
    return suspects_.size() + policies_.candidates(pod.metadata);
  }

  /// What cannot be changed for a policy that cannot be used would be lost.
  Admission revise(const Pod& old, Pod&& updated, Question question) const override {
    std::vector<Violation> suspects = suspects_of(updated);
    if (!suspects.empty()) return denied(std::move(updated), std::move(suspects));
    return RunningSystem::revise(old, std::move(updated), question);
  }

  /// Its rules look at the object as it came, and have decided on that.
  std::vector<Violation> verify(const Pod&, Requester) const override { return {}; }

 private:
  using Policy = metadata_policy::MetadataPolicy;
  static constexpr ObjectKind kind{"MetadataPolicy", Scope::namespace_};

  static Suspect suspect(const Policy& policy, const FieldError& reason) {
    Suspect suspect{.reason = reason, .objects = {}};
    for (const metadata_policy::MetadataPolicyRule& rule : policy.spec.rules) {
      const auto& [labels, annotations] = rule.policy_predicate;
      suspect.objects.emplace_back(PodSelection{.labels = labels, .annotations = annotations});
    }
    return suspect;
  }

  [[nodiscard]] std::vector<Violation> suspects_of(const Pod& pod) const {
    if (suspects_.empty()) return {};
    return suspects_.violations(pod, metadata_policy::annotate_qos(pod).metadata, nullptr);
  }

  metadata_policy::CompiledPolicies policies_;
  KeptObjects<Policy> objects_;
  Suspects suspects_;
};

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
    std::vector<Violation> violations = suspects_.violations(pod, pod.metadata, known);
    if (known == nullptr && policies_.needs_namespace(pod.metadata.labels)) {
      violations.push_back(
          {ViolationCode::namespace_not_found, FieldPath{"metadata", "namespace"}, name, {}});
    }
    if (!violations.empty()) return denied(std::move(pod), std::move(violations));
    std::optional<ObjectMeta> unlabelled;
    const ObjectMeta& in = known != nullptr ? *known : unlabelled.emplace(ObjectMeta{.name = name});
    pod_scheduling_policy::Injection injection{.pod = std::move(pod)};
    inject_into(injection, in, policies_, default_scheduler_, question.values);
    return to_admission(std::move(injection));
  }

  std::size_t candidates(const Pod& pod) const override {
    const std::string& name = pod.metadata.namespace_;
    const ObjectMeta* const known = namespaces_.find({0, name, {}});
    return suspects_.size() +
           policies_.candidates(pod.metadata.labels,
                                known != nullptr ? *known : ObjectMeta{.name = name});
  }

  /// What it cannot inject would be lost.
  Admission revise(const Pod&, Pod&& updated, Question question) const override {
    return admit(std::move(updated), question);
  }
  /// It denies only what it cannot inject, and nothing is injected any more.
  std::vector<Violation> judge_update(const Pod&, const Pod&, Requester) const override {
    return {};
  }
  std::vector<Violation> verify(const Pod&, Requester) const override { return {}; }

 private:
  using Policy = pod_scheduling_policy::PodSchedulingPolicy;
  using PolicyKind = pod_scheduling_policy::PolicyKind;
  static constexpr PolicyKind kinds[] = {PolicyKind::pod_scheduling_policy,
                                         PolicyKind::cluster_pod_scheduling_policy};

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
  schedpol::detail::SharedMap<ObjectMeta> namespaces_;
  DefaultScheduler default_scheduler_;
};

template <class System>
Running make(const Settings& settings) {
  return std::make_shared<System>(settings);
}

SCHEDPOL_INLINE std::span<const Row> rows() noexcept {
  static constexpr Row table[] = {
      {System::runtime_class, "RuntimeClass", "runtime-class", false, make<RuntimeClassSystem>,
       analyze_runtime_classes},
      {System::metadata_policy, "MetadataPolicy", "metadata-policy", true,
       make<MetadataPolicySystem>, analyze_metadata_policies},
      {System::pod_scheduling_policy, "PodSchedulingPolicy", "pod-scheduling-policy", false,
       make<PodSchedulingPolicySystem>, analyze_pod_scheduling_policies},
      {System::scheduling_policy, "SchedulingPolicy", "scheduling-policy", false,
       make<SchedulingPolicySystem>, analyze_scheduling_policies},
      {System::resource_policy, "ResourcePolicy", "resource-policy", false,
       make<ResourcePolicySystem>, analyze_resource_policies},
  };
  static_assert(
      [] {
        for (std::size_t i = 0; i < std::size(table); ++i)
          if (table[i].system != all_systems[i]) return false;
        return std::size(table) == std::size(all_systems);
      }(),
      "a row each, in the order of the enumeration");
  return table;
}

SCHEDPOL_INLINE std::vector<FieldError> errors_of(const runtime_class::RuntimeClass& object) {
  return validate(object);
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const metadata_policy::MetadataPolicy& object) {
  return validate(object);
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(
    const pod_scheduling_policy::PodSchedulingPolicy& object) {
  return validate(object);
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(
    const scheduling_policy::SchedulingPolicy& object) {
  return validate(object);
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const resource_policy::ResourcePolicy& object) {
  return validate(object).errors;
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const rbac::Role&) {
  return {};
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const rbac::ClusterRole&) {
  return {};
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const rbac::RoleBinding&) {
  return {};
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const rbac::ClusterRoleBinding&) {
  return {};
}

SCHEDPOL_INLINE EffectivePolicy effective_policy(std::span<const Running> systems, const Pod& pod) {
  const auto index = static_cast<std::size_t>(System::scheduling_policy);
  return static_cast<const SchedulingPolicySystem&>(*systems[index]).effective_policy(pod);
}

}  // namespace detail

}  // namespace schedpol::engine
