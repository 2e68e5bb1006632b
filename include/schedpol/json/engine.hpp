// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Engine: all that a cluster's admission of pods depends on, built once and asked from any number
/// of threads. A Configuration lists the objects of the five systems, which of them run, in which
/// order and how strictly; `compile` checks all of it; the Engine decides on pods and pod
/// templates.
///
/// 1. A created pod goes through the systems in their order. What one of them changes the next one
///    sees, and the first denial ends it, with the pod as it came.
/// 2. A system in mode `warn` or `audit` neither denies nor changes anything: it says what it would
///    have done.
/// 3. An updated pod is never changed. It is denied for what the update adds: violations that the
///    old pod did not have.
/// 4. A RuntimeClass decides on pod templates but changes only pods: an overhead written into a
///    template would deny its pods on the day the class gets another one.
/// 5. What the pod's RuntimeClass adds is exempt from SchedulingPolicy.
/// Source: the five systems' own headers; Kubernetes' rules for mutating and validating webhooks.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/configuration.hpp>
#include <schedpol/json/configuration_validator.hpp>
#include <schedpol/metadata_policy/metadata_policy.hpp>
#include <schedpol/pod_scheduling_policy/pod_scheduling_policy.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/runtime_class.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/check_update.hpp>
#include <schedpol/scheduling_policy/effective_policy.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>
#include <schedpol/scheduling_policy/usable.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::json {

/// What one system said. In mode `enforce`, either the violations for which the pod is denied or
/// the changes it made; otherwise what they would have been.
struct StepDecision {
  Step step{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};

  friend bool operator==(const StepDecision&, const StepDecision&) = default;
};

/// What became of a pod. Default-constructed it is a denial. Denied: the pod as it came; the last
/// of `steps` says why. Allowed: the pod with the changes of all systems that enforce.
struct Decision {
  bool allowed = false;
  Pod pod{};
  std::vector<StepDecision> steps{};

  friend bool operator==(const Decision&, const Decision&) = default;
};

namespace detail {
class Reviewer;
}

class Engine {
 public:
  /// No systems: denies everything, with no steps to say why.
  Engine() = default;

  /// Whether a system has a say.
  [[nodiscard]] bool runs(System system) const noexcept {
    const auto& systems = configuration_.systems;
    return std::any_of(systems.begin(), systems.end(),
                       [&](const Step& step) { return step.system == system; });
  }

  /// The decision on a pod, or the template of a workload, that is created. `namespace_` of its
  /// metadata tells which policies apply.
  [[nodiscard]] Decision decide(const Pod& pod) const {
    Decision decision = change(Pod(pod), ChangeValues::shown);
    if (!decision.allowed) decision.pod = pod;
    return decision;
  }

  /// The decision on a created pod after all mutators ran, which changes nothing: SchedulingPolicy
  /// checks it as it stands, what its RuntimeClass adds has to be in place. MetadataPolicy has
  /// decided on the object as it came, and PodSchedulingPolicy denies nothing.
  [[nodiscard]] Decision verify(Pod pod) const {
    return judge(std::move(pod), [&](System system, const Pod& final) -> std::vector<Violation> {
      switch (system) {
        case System::runtime_class:
          if (final.kind == PodKind::pod)
            return runtime_class::verify(final, configuration_.runtime_classes);
          return admit(system, Pod(final)).violations;
        case System::scheduling_policy:
          return with_effective_policy(final, [&](const auto& effective) {
            return check(final, effective, options_for(final));
          });
        case System::resource_policy: return admit(system, Pod(final)).violations;
        case System::metadata_policy:
        case System::pod_scheduling_policy: break;
      }
      return {};
    });
  }

  /// The decision on an update, which changes nothing.
  [[nodiscard]] Decision decide_update(const Pod& old, Pod updated) const {
    return judge(std::move(updated), [&](System system, const Pod& pod) -> std::vector<Violation> {
      if (system == System::pod_scheduling_policy) return {};
      if (system == System::scheduling_policy) {
        return with_effective_policy(pod, [&](const auto& effective) {
          return check_update(old, pod, effective, options_for(pod));
        });
      }
      std::vector<Violation> added = admit(system, Pod(pod)).violations;
      if (added.empty()) return added;
      const std::vector<Violation> had = admit(system, Pod(old)).violations;
      std::erase_if(added, [&](const Violation& violation) {
        return std::find(had.begin(), had.end(), violation) != had.end();
      });
      return added;
    });
  }

  /// The rules of SchedulingPolicy by which pods of this one's service account are judged.
  [[nodiscard]] scheduling_policy::EffectivePolicy effective_policy(const Pod& pod) const {
    return with_effective_policy(pod, [](const auto& effective) { return effective; });
  }

 private:
  friend Result<Engine> compile(Configuration);

  friend class detail::Reviewer;

  using Names = std::vector<std::string>;

  /// `decide` without going back: the pod of a denial has the changes of the systems before.
  [[nodiscard]] Decision change(Pod&& pod, ChangeValues values) const {
    Decision decision{.pod = std::move(pod)};
    for (const Step step : configuration_.systems) {
      const bool changes = step.mode == Mode::enforce && (step.system != System::runtime_class ||
                                                          decision.pod.kind == PodKind::pod);
      Admission admission = changes ? admit(step.system, std::move(decision.pod), values)
                                    : admit(step.system, Pod(decision.pod), values);
      if (changes) decision.pod = std::move(admission.pod);
      StepDecision& said = decision.steps.emplace_back();
      said.step = step;
      said.violations = std::move(admission.violations);
      if (changes || step.mode != Mode::enforce) said.changes = std::move(admission.changes);
      if (step.mode == Mode::enforce && !admission.allowed) return decision;
    }
    decision.allowed = !configuration_.systems.empty();
    return decision;
  }

  template <class Judge>
  Decision judge(Pod pod, Judge&& violations_of) const {
    Decision decision;
    decision.allowed = !configuration_.systems.empty();
    for (const Step step : configuration_.systems) {
      StepDecision& said = decision.steps.emplace_back();
      said.step = step;
      said.violations = violations_of(step.system, pod);
      if (step.mode != Mode::enforce || said.violations.empty()) continue;
      decision.allowed = false;
      break;
    }
    decision.pod = std::move(pod);
    return decision;
  }

  [[nodiscard]] Admission admit(System system, Pod&& pod,
                                ChangeValues values = ChangeValues::omitted) const {
    switch (system) {
      case System::runtime_class:
        return runtime_class::admit(std::move(pod), configuration_.runtime_classes);
      case System::metadata_policy: return metadata_policy::admit(pod, metadata_rules_);
      case System::pod_scheduling_policy: return inject(std::move(pod), values);
      case System::scheduling_policy:
        return with_effective_policy(pod, [&](const auto& effective) {
          return scheduling_policy::admit(pod, effective, options_for(pod));
        });
      case System::resource_policy: return admit_to_resource_policies(std::move(pod));
    }
    return {};
  }

  [[nodiscard]] Admission inject(Pod&& pod, ChangeValues values) const {
    const std::string& name = pod.metadata.namespace_;
    const auto found = std::lower_bound(configuration_.namespaces.begin(),
                                        configuration_.namespaces.end(), name, by_name);
    const bool known = found != configuration_.namespaces.end() && found->name == name;
    if (!known && injector_.needs_namespace(pod.metadata.labels)) {
      Admission admission;
      admission.violations.push_back(
          {ViolationCode::namespace_not_found, "metadata.namespace", name, {}});
      admission.pod = std::move(pod);
      return admission;
    }
    ObjectMeta unlabelled;
    if (!known) unlabelled.name = name;
    return pod_scheduling_policy::to_admission(
        injector_.inject(std::move(pod), known ? *found : unlabelled,
                         configuration_.options.default_scheduler, values));
  }

  [[nodiscard]] Admission admit_to_resource_policies(Pod&& pod) const {
    Admission admission;
    Names matching;
    for (const auto& compiled : resource_policies_.all()) {
      if (compiled.matches(pod)) matching.push_back(compiled.policy.metadata.name);
    }
    admission.allowed = matching.size() <= 1;
    if (!admission.allowed) {
      admission.violations.push_back({ViolationCode::multiple_resource_policies,
                                      field_path(pod.kind, "metadata.labels"), "",
                                      std::move(matching)});
    }
    admission.pod = std::move(pod);
    return admission;
  }

  /// The options with what the pod's RuntimeClass adds exempt.
  [[nodiscard]] const scheduling_policy::Options& options_for(const Pod& pod) const {
    const auto found = options_of_classes_.find(pod.spec.runtime_class_name);
    return found == options_of_classes_.end() ? configuration_.options : found->second;
  }

  [[nodiscard]] Names usable_by(const rbac::User& user, std::string_view namespace_) const {
    return rbac::usable(policy_names_, user, namespace_, configuration_.rbac,
                        configuration_.access);
  }

  [[nodiscard]] scheduling_policy::EffectivePolicy merge_named(const Names& names) const {
    return merge(scheduling_policy::usable(configuration_.scheduling_policies, names),
                 configuration_.strategy);
  }

  /// `f` of the rules that the pod is judged by. Those that the bindings at hand lead to are merged
  /// beforehand; a service account can still bring another set of groups and bindings together.
  template <class F>
  std::invoke_result_t<F, const scheduling_policy::EffectivePolicy&> with_effective_policy(
      const Pod& pod, F&& f) const {
    const Names names = configuration_.policy_use == PolicyUse::every
                            ? policy_names_
                            : usable_by(rbac::user_of(pod), pod.metadata.namespace_);
    const auto found = merged_.find(names);
    return found != merged_.end() ? f(found->second) : f(merge_named(names));
  }

  void merge_beforehand() {
    std::set<Names> sets = {Names{}};
    if (configuration_.policy_use == PolicyUse::every) sets.insert(policy_names_);
    const auto add = [&](std::string_view in, std::string_view account) {
      sets.insert(usable_by(rbac::service_account_user(in, account), in));
    };
    const auto add_subjects = [&](const std::vector<rbac::Subject>& subjects,
                                  std::string_view binding_namespace) {
      for (const rbac::Subject& subject : subjects) {
        const std::string_view in =
            subject.namespace_.empty() ? binding_namespace : subject.namespace_;
        if (subject.kind == "ServiceAccount") add(in, subject.name);
      }
    };
    if (configuration_.policy_use == PolicyUse::rbac) {
      add("", "");
      for (const ObjectMeta& in : configuration_.namespaces) add(in.name, "");
      for (const auto& binding : configuration_.rbac.cluster_role_bindings)
        add_subjects(binding.subjects, "");
      for (const auto& binding : configuration_.rbac.role_bindings) {
        add(binding.metadata.namespace_, "");
        add_subjects(binding.subjects, binding.metadata.namespace_);
      }
    }
    for (const Names& names : sets) merged_.emplace(names, merge_named(names));
  }

  static bool by_name(const ObjectMeta& in, std::string_view name) noexcept {
    return in.name < name;
  }

  Configuration configuration_;
  Names policy_names_;
  metadata_policy::Rules metadata_rules_;
  pod_scheduling_policy::Injector injector_;
  resource_policy::Policies resource_policies_;
  std::map<Names, scheduling_policy::EffectivePolicy> merged_;
  std::map<std::string, scheduling_policy::Options> options_of_classes_;
};

/// Builds the engine, or reports everything that is wrong: no systems or one of them twice, what
/// `validate` finds in a policy or class, two objects of one kind and name, a namespaced object
/// without a namespace. A path begins with the object:
/// `SchedulingPolicy[gpu].spec.required.schedulerNames`.
[[nodiscard]] inline Result<Engine> compile(Configuration configuration) {
  std::vector<FieldError> errors = detail::ConfigurationValidator().run(configuration);
  const auto take = [&](auto compiled, auto& into) {
    if (compiled) {
      into = *std::move(compiled);
    } else if (errors.empty()) {
      errors = compiled.errors();
    }
  };
  Engine engine;
  take(metadata_policy::compile(configuration.metadata_policies), engine.metadata_rules_);
  take(pod_scheduling_policy::compile(configuration.pod_scheduling_policies), engine.injector_);
  take(resource_policy::compile(configuration.resource_policies), engine.resource_policies_);
  if (!errors.empty()) return errors;
  std::sort(configuration.namespaces.begin(), configuration.namespaces.end(),
            [](const ObjectMeta& a, const ObjectMeta& b) { return a.name < b.name; });
  for (const auto& policy : configuration.scheduling_policies)
    engine.policy_names_.push_back(policy.metadata.name);
  std::sort(engine.policy_names_.begin(), engine.policy_names_.end());
  for (const runtime_class::RuntimeClass& from : configuration.runtime_classes) {
    if (!from.scheduling) continue;
    engine.options_of_classes_[from.metadata.name] =
        exempt(configuration.options, from.scheduling->tolerations, from.scheduling->node_selector);
  }
  engine.configuration_ = std::move(configuration);
  engine.merge_beforehand();
  return engine;
}

}  // namespace schedpol::json
