// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/workload.hpp>
#include <schedpol/engine/impl/node_pin.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/validate.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/inject.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>
#include <schedpol/rbac/usable.hpp>
#include <schedpol/resource_policy/admit.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/validate.hpp>
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/runtime_class/compile.hpp>
#include <schedpol/runtime_class/validate.hpp>
#include <schedpol/runtime_class/verify.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/check_update.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/usable.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

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

/// A system of what was compiled of its objects.
template <class System, class Compiled, class... More>
Result<Running> run(Result<Compiled> compiled, const More&... more) {
  if (!compiled) return compiled.errors();
  return Running(std::make_shared<System>(*std::move(compiled), more...));
}

class RuntimeClassSystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings&) {
    return run<RuntimeClassSystem>(runtime_class::compile(objects.runtime_classes));
  }
  explicit RuntimeClassSystem(runtime_class::CompiledClasses classes)
      : classes_(std::move(classes)) {}

  Admission admit(Pod&& pod, Question) const override {
    return runtime_class::admit(std::move(pod), classes_);
  }
  /// An overhead written into a template would deny its pods once the class has another one.
  bool changes(PodKind kind) const noexcept override { return kind == PodKind::pod; }

  std::vector<Violation> verify(const Pod& final, Requester by) const override {
    return changes(final.kind) ? runtime_class::verify(final, classes_) : violations(final, by);
  }

 private:
  runtime_class::CompiledClasses classes_;
};

class MetadataPolicySystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings&) {
    return run<MetadataPolicySystem>(metadata_policy::compile(objects.metadata_policies));
  }
  explicit MetadataPolicySystem(metadata_policy::CompiledPolicies policies)
      : policies_(std::move(policies)) {}

  Admission admit(Pod&& pod, Question) const override {
    return metadata_policy::admit(pod, policies_);
  }
  /// Its rules look at the object as it came, and have decided on that.
  std::vector<Violation> verify(const Pod&, Requester) const override { return {}; }

 private:
  metadata_policy::CompiledPolicies policies_;
};

class PodSchedulingPolicySystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings& settings) {
    return run<PodSchedulingPolicySystem>(
        pod_scheduling_policy::compile(objects.pod_scheduling_policies), objects, settings);
  }
  PodSchedulingPolicySystem(pod_scheduling_policy::CompiledPolicies policies,
                            const Objects& objects, const Settings& settings)
      : policies_(std::move(policies)), default_scheduler_(settings.options.default_scheduler) {
    for (const ObjectMeta& in : objects.namespaces) namespaces_.emplace(in.name, in);
  }

  Admission admit(Pod&& pod, Question question) const override {
    const std::string& name = pod.metadata.namespace_;
    const auto known = namespaces_.find(name);
    if (known == namespaces_.end() && policies_.needs_namespace(pod.metadata.labels)) {
      Admission admission;
      admission.violations.push_back(
          {ViolationCode::namespace_not_found, FieldPath{"metadata", "namespace"}, name, {}});
      admission.pod = std::move(pod);
      return admission;
    }
    const ObjectMeta unlabelled{.name = name};
    const ObjectMeta& in = known == namespaces_.end() ? unlabelled : known->second;
    return to_admission(inject(std::move(pod), in, policies_, default_scheduler_, question.values));
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
  pod_scheduling_policy::CompiledPolicies policies_;
  std::map<std::string, ObjectMeta, std::less<>> namespaces_;
  DefaultScheduler default_scheduler_;
};

class SchedulingPolicySystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings& settings) {
    return Running(std::make_shared<SchedulingPolicySystem>(objects, settings));
  }

  SchedulingPolicySystem(const Objects& objects, const Settings& settings)
      : policies_(objects.scheduling_policies),
        rbac_(objects.rbac),
        settings_(settings),
        options_(settings.options) {
    for (const auto& policy : policies_) names_.push_back(policy.metadata.name);
    std::sort(names_.begin(), names_.end());
    for (const auto& from : objects.runtime_classes) {
      if (!from.scheduling) continue;
      options_of_classes_.insert_or_assign(
          from.metadata.name,
          OptionsByRequester(exempt(settings.options, from.scheduling->tolerations,
                                    from.scheduling->node_selector)));
    }
    merge_beforehand(objects.namespaces);
  }

  Admission admit(Pod&& pod, Question question) const override {
    const scheduling_policy::Options& options = options_for(pod, question.by);
    if (question.by == Requester::user)
      return scheduling_policy::admit(std::move(pod), effective_policy(pod), options);
    const NodePin pin(pod);
    Admission admission = scheduling_policy::admit(std::move(pod), effective_policy(pod), options);
    pin.restore(admission.pod);
    return admission;
  }
  Admission revise(const Pod& old, Pod&& updated, Question question) const override {
    const EffectivePolicy effective = effective_policy(updated);
    const scheduling_policy::Options& options = options_for(updated, question.by);
    scheduling_policy::Defaulted made = apply_defaults(std::move(updated), effective, options);
    Admission admission;
    admission.violations = check_update(old, made.pod, effective, options);
    admission.allowed = admission.violations.empty();
    admission.pod = std::move(made.pod);
    if (admission.allowed) admission.changes = std::move(made.changes);
    return admission;
  }
  std::vector<Violation> judge_update(const Pod& old, const Pod& updated,
                                      Requester by) const override {
    return check_update(unpinned(old, by), unpinned(updated, by), effective_policy(updated),
                        options_for(updated, by));
  }
  std::vector<Violation> verify(const Pod& final, Requester by) const override {
    return check(unpinned(final, by), effective_policy(final), options_for(final, by));
  }

  /// Those that the bindings at hand lead to are merged beforehand; a service account can still
  /// bring another set of groups and bindings together.
  [[nodiscard]] EffectivePolicy effective_policy(const Pod& pod) const {
    const bool every = settings_.policy_use == PolicyUse::every;
    const Names names = every ? names_ : usable_by(rbac::user_of(pod), pod.metadata.namespace_);
    const auto found = merged_.find(names);
    return found != merged_.end() ? found->second : merge_named(names);
  }

 private:
  using Names = std::vector<std::string>;

  /// What is exempt depends on who asks, too.
  struct OptionsByRequester {
    explicit OptionsByRequester(const scheduling_policy::Options& options)
        : of_user(options),
          of_daemon_set_controller(exempt(options, scheduling_policy::daemon_set_tolerations())) {}

    scheduling_policy::Options of_user;
    scheduling_policy::Options of_daemon_set_controller;
  };

  /// The options with what the requester and the pod's RuntimeClass add exempt.
  [[nodiscard]] const scheduling_policy::Options& options_for(const Pod& pod, Requester by) const {
    const auto found = options_of_classes_.find(pod.spec.runtime_class_name);
    const OptionsByRequester& options =
        found == options_of_classes_.end() ? options_ : found->second;
    return by == Requester::user ? options.of_user : options.of_daemon_set_controller;
  }

  [[nodiscard]] Names usable_by(const rbac::User& user, std::string_view namespace_) const {
    return rbac::usable(names_, user, namespace_, rbac_, settings_.access);
  }

  [[nodiscard]] EffectivePolicy merge_named(const Names& names) const {
    return merge(scheduling_policy::usable(policies_, names), settings_.strategy);
  }

  void merge_beforehand(std::span<const ObjectMeta> namespaces) {
    std::set<Names> sets = {Names{}};
    if (settings_.policy_use == PolicyUse::every) sets.insert(names_);
    const auto add = [&](std::string_view in, std::string_view account) {
      sets.insert(usable_by(rbac::service_account_user(in, account), in));
    };
    const auto add_subjects = [&](const auto& binding) {
      for (const rbac::Subject& subject : binding.subjects) {
        if (subject.kind != "ServiceAccount") continue;
        add(subject.namespace_.empty() ? binding.metadata.namespace_ : subject.namespace_,
            subject.name);
      }
    };
    if (settings_.policy_use == PolicyUse::rbac) {
      add("", "");
      for (const ObjectMeta& in : namespaces) add(in.name, "");
      for (const auto& binding : rbac_.cluster_role_bindings) add_subjects(binding);
      for (const auto& binding : rbac_.role_bindings) {
        add(binding.metadata.namespace_, "");
        add_subjects(binding);
      }
    }
    for (const Names& names : sets) merged_.emplace(names, merge_named(names));
  }

  std::vector<scheduling_policy::SchedulingPolicy> policies_;
  rbac::Rbac rbac_;
  Settings settings_;
  Names names_;
  OptionsByRequester options_;
  std::map<std::string, OptionsByRequester, std::less<>> options_of_classes_;
  std::map<Names, EffectivePolicy> merged_;
};

class ResourcePolicySystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings&) {
    return run<ResourcePolicySystem>(resource_policy::compile(objects.resource_policies));
  }
  explicit ResourcePolicySystem(resource_policy::CompiledPolicies policies)
      : policies_(std::move(policies)) {}

  Admission admit(Pod&& pod, Question) const override {
    return resource_policy::admit(std::move(pod), policies_);
  }

 private:
  resource_policy::CompiledPolicies policies_;
};

SCHEDPOL_INLINE std::span<const Row> rows() noexcept {
  static constexpr Row table[] = {
      {System::runtime_class, "RuntimeClass", "runtime-class", false, RuntimeClassSystem::compile},
      {System::metadata_policy, "MetadataPolicy", "metadata-policy", true,
       MetadataPolicySystem::compile},
      {System::pod_scheduling_policy, "PodSchedulingPolicy", "pod-scheduling-policy", false,
       PodSchedulingPolicySystem::compile},
      {System::scheduling_policy, "SchedulingPolicy", "scheduling-policy", false,
       SchedulingPolicySystem::compile},
      {System::resource_policy, "ResourcePolicy", "resource-policy", false,
       ResourcePolicySystem::compile},
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
