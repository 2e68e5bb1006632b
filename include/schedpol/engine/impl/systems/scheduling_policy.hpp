// SPDX-License-Identifier: Apache-2.0
#pragma once

/// SchedulingPolicy as an Engine runs it: the policies of a cluster, merged in advance for all accounts
/// that may use the same ones, up to `max_merged_policy_bytes`.

#include <schedpol/engine/impl/node_pin.hpp>
#include <schedpol/engine/impl/object_store.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems/grant_table.hpp>
#include <schedpol/engine/impl/systems/scheduling_policy_template.hpp>
#include <schedpol/engine/impl/unusable_policies.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The pod without the node that the requester tied it to.
[[nodiscard]] inline Pod unpinned(Pod pod, PodWriter by) {
  if (by == PodWriter::daemon_set_controller) static_cast<void>(NodePin(pod));
  return pod;
}

class SchedulingPolicySystem final : public CompiledSystem {
 public:
  explicit SchedulingPolicySystem(const Settings& settings)
      : settings_(Settings(settings)),
        options_(settings.options),
        rbac_(RbacStore()),
        grants_(GrantTable(settings)) {
    evaluate_grant(0);
  }

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.scheduling_policies.empty() || concerns_rbac(changed.rbac);
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    SchedulingPolicySystem made(*this);
    std::set<std::size_t> changed;
    if (concerns_rbac(changes.replaced.rbac)) changed = made.apply_to_rbac(changes);
    changed.merge(made.apply_to_policies(changes));
    for (const std::size_t number : changed) made.evaluate_grant(number);
    return SharedSystem(std::move(made));
  }

  /// The default runtime class.
  std::vector<Change> give_first(Pod& pod) const override {
    if (policies_with_class_ == 0 || !pod.spec.runtime_class_name.empty()) return {};
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(pod);
    scheduling_policy::Defaulted made =
        apply_default_runtime_class(std::move(pod), evaluation->effective, options_.of_user);
    pod = std::move(made.pod);
    return std::move(made.changes);
  }

  Admission admit(Pod&& pod, AdmissionContext context) const override {
    if (pod.kind != PodKind::pod) return admit_template(nullptr, std::move(pod), context);
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(pod);
    if (!evaluation->unusable.empty())
      return denied(std::move(pod), unusable_violations(*evaluation, pod));
    OptionsOfPod options = options_for(pod, context);
    if (options.denial) return denied(std::move(pod), {*std::move(options.denial)});
    if (context.by != PodWriter::daemon_set_controller)
      return naming_user(scheduling_policy::admit(std::move(pod), evaluation->effective, *options));
    const NodePin pin(pod);
    Admission admission = scheduling_policy::admit(std::move(pod), evaluation->effective, *options);
    pin.restore(admission.pod);
    return naming_user(std::move(admission));
  }

  Admission update_template(const Old<Pod>& old, Pod&& updated,
                            AdmissionContext context) const override {
    return admit_template(&old, std::move(updated), context);
  }

  std::vector<Violation> judge_update(const Old<Pod>& old, const Pod& updated,
                                      AdmissionContext context) const override {
    if (context.by == PodWriter::placer) return {};
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(updated);
    OptionsOfPod options = options_for(updated, context);
    std::vector<Violation> violations = added_violations(
        Old(unpinned(old.object, context.by)), unpinned(updated, context.by), *evaluation, options);
    if (violations.empty() || evaluation->unusable.empty()) {
      name_user(violations, updated);
      return violations;
    }
    return unusable_violations(*evaluation, updated);
  }

  std::vector<Violation> verify(const Pod& final, AdmissionContext context) const override {
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(final);
    if (!evaluation->unusable.empty()) return unusable_violations(*evaluation, final);
    OptionsOfPod options = options_for(final, context);
    if (options.denial) return {*std::move(options.denial)};
    std::vector<Violation> violations =
        final.kind != PodKind::pod
            ? check_template(final, evaluation->effective, options)
            : check(unpinned(final, context.by), evaluation->effective, *options);
    name_user(violations, final);
    return violations;
  }

  /// With what the others that enforce do not know: what they give needs no permission.
  void add_unknown(const Pod& pod, const AdmissionContext& context,
                   std::vector<UnknownObject>& unknown) const override {
    const rbac::Grant grant = grants_->granted(pod);
    if (sources_of(grant).empty()) {
      unknown.push_back({.kind = "SchedulingPolicy"});
      if (settings_->policy_use != PolicyUse::every) unknown.back().user = rbac::user_of(pod).name;
    }
    for (const std::string& name : grant.names)
      if (policies_.find({0, name, {}}) == nullptr)
        unknown.push_back({.kind = "SchedulingPolicy", .name = name});
    for (rbac::RoleRef& role : grants_->missing_roles(pod)) {
      const bool is_of_cluster = role.kind == "ClusterRole";
      unknown.push_back({.kind = std::move(role.kind), .name = std::move(role.name)});
      if (!is_of_cluster) unknown.back().namespace_ = namespace_of(pod.metadata);
    }
    for (const Step& step : context.steps)
      if (step.mode == Mode::enforce && step.system != System::scheduling_policy)
        context.systems[static_cast<std::size_t>(step.system)]->add_unknown(pod, context, unknown);
  }

  /// Bytes of the policies that are merged for this pod alone; 0 where that was done beforehand.
  [[nodiscard]] std::size_t bytes_merged_for(const Pod& pod) const {
    return find_evaluation(pod) ? 0 : bytes_of(sources_of(grants_->granted(pod)));
  }

  /// Bytes of policies that are merged again where this one changes.
  [[nodiscard]] std::size_t bytes_merged_with(std::string_view policy) const {
    std::size_t bytes = 0;
    for (const std::size_t number : grants_->grants().of_policy(policy))
      if (const Shared<GrantEvaluation>& evaluation = evaluations_[number])
        bytes += evaluation->bytes;
    return bytes;
  }

  [[nodiscard]] const GrantTable& grants() const noexcept { return *grants_; }
  [[nodiscard]] const auto& rbac() const noexcept { return *rbac_; }
  /// Null where there is none of that name that can be used.
  [[nodiscard]] const scheduling_policy::SchedulingPolicy* policy(
      std::string_view name) const noexcept {
    const Shared<Source>* source = policies_.find({0, name, {}});
    return source == nullptr || (*source)->reason ? nullptr : &(*source)->policy;
  }
  /// Calls `f(policy)` for each that can be used, in no order, until it says no.
  template <class F>
  void for_each_policy(F&& f) const {
    policies_.for_each_until(
        0, {}, [&](const Shared<Source>& source) { return source->reason || f(source->policy); });
  }

  /// By what a pod is judged that a user asks for; a policy of nothing where one that the pod may use
  /// cannot be used.
  [[nodiscard]] EffectivePolicy effective_policy(const Pod& pod) const {
    return find_or_evaluate(pod)->effective;
  }

  /// The options with what the writer of the pod and the cluster's objects add exempt. Where that is
  /// more than a pod may be given an update is judged without, so that it can still be made.
  [[nodiscard]] OptionsOfPod options_for(const Pod& pod, const AdmissionContext& context) const {
    OptionsOfPod options{context.by != PodWriter::daemon_set_controller
                             ? options_.of_user
                             : options_.of_daemon_set_controller};
    ClusterCriteria criteria = cluster_criteria(pod, context);
    if (criteria.empty()) return options;
    options.denial = criteria.violation(pod.kind);
    if (options.denial) return options;
    scheduling_policy::Options& own = options.own.emplace(options.shared);
    schedpol::detail::append(own.exempt_criteria, std::move(criteria.of_pod));
    if (criteria.merges_tolerations)
      options.merged.emplace(MergedTolerations{criteria.added_to_pods.tolerations, context});
    own.added_to_pods = std::move(criteria.added_to_pods);
    return options;
  }

 private:
  using RbacStore =
      ObjectStore<rbac::Role, rbac::ClusterRole, rbac::RoleBinding, rbac::ClusterRoleBinding>;

  /// A policy, or why it cannot be used.
  struct Source {
    scheduling_policy::SchedulingPolicy policy;
    std::optional<FieldError> reason;
    std::size_t bytes = reason ? 0 : scheduling_policy::policy_bytes(policy.spec);
    bool gives_class = !reason && policy.spec.defaults.runtime_class_name;
  };
  using Sources = std::vector<Shared<Source>>;

  /// The rules for the holders of a grant, or those of its policies that cannot be used, which deny.
  struct GrantEvaluation {
    EffectivePolicy effective;
    Sources unusable;
    std::size_t bytes = 0;  ///< of the policies that it was made of
  };

  /// What is exempt depends on who creates the pod, too.
  struct OptionsByCreator {
    explicit OptionsByCreator(const scheduling_policy::Options& options)
        : of_user(options),
          of_daemon_set_controller(exempt(options, scheduling_policy::daemon_set_tolerations())) {}

    scheduling_policy::Options of_user;
    scheduling_policy::Options of_daemon_set_controller;
  };

  static std::vector<Violation> unusable_violations(const GrantEvaluation& evaluation,
                                                    const Pod& pod) {
    const FieldPath field = field_path(pod.kind, {"spec"});
    std::vector<Violation> violations;
    for (const Shared<Source>& source : evaluation.unusable)
      violations.push_back(invalid_policy(field, source->policy.metadata.name, *source->reason));
    return violations;
  }

  /// Where there is no policy, who may use none.
  void name_user(std::vector<Violation>& violations, const Pod& pod) const {
    if (settings_->policy_use != PolicyUse::rbac) return;
    for (Violation& violation : violations)
      if (violation.code == ViolationCode::no_usable_policy)
        violation.value = rbac::user_of(pod).name;
  }
  Admission naming_user(Admission&& admission) const {
    name_user(admission.violations, admission.pod);
    return std::move(admission);
  }

  static Admission to_admission(scheduling_policy::Defaulted&& made,
                                std::vector<Violation>&& violations) {
    Admission admission;
    admission.allowed = violations.empty();
    admission.violations = std::move(violations);
    admission.pod = std::move(made.pod);
    if (!admission.allowed) return admission;
    admission.changes = std::move(made.changes);
    admission.warnings = std::move(made.warnings);
    return admission;
  }

  /// A new template, or what an updated one adds.
  Admission admit_template(const Old<Pod>* old, Pod&& pod, const AdmissionContext& context) const {
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(pod);
    if (!evaluation->unusable.empty())
      return denied(std::move(pod), unusable_violations(*evaluation, pod));
    OptionsOfPod options = options_for(pod, context);
    if (options.denial) return denied(std::move(pod), {*std::move(options.denial)});
    const EffectivePolicy& effective = evaluation->effective;
    scheduling_policy::Defaulted made =
        apply_defaults_to_template(std::move(pod), effective, options);
    std::vector<Violation> violations = old != nullptr
                                            ? added_violations(*old, made.pod, *evaluation, options)
                                            : check_template(made.pod, effective, options);
    if (violations.empty()) warn_of_replaced_terms(made, effective, options);
    return naming_user(to_admission(std::move(made), std::move(violations)));
  }

  /// What an update adds that is not permitted. Of another user's pod or template the old user was
  /// permitted what the new one may not be.
  [[nodiscard]] std::vector<Violation> added_violations(Old<Pod> old, Pod updated,
                                                        const GrantEvaluation& evaluation,
                                                        OptionsOfPod& options) const {
    const bool is_same_user = rbac::account_of(old.object) == rbac::account_of(updated);
    const Shared<GrantEvaluation> of_old =
        is_same_user ? Shared<GrantEvaluation>() : find_or_evaluate(old.object);
    const EffectivePolicy& effective = evaluation.effective;
    const EffectivePolicy& effective_for_old =
        of_old && of_old->unusable.empty() ? of_old->effective : effective;
    if (updated.kind == PodKind::pod)
      return check_update(old, effective_for_old, *options, updated, effective, *options);
    const CoveredTolerations covered_of_old(old.object, options.merged,
                                            options.added_to(old.object));
    const scheduling_policy::Options options_for_old(options.without(covered_of_old));
    const CoveredTolerations covered(updated, options.merged, options.added_to(updated));
    std::vector<Violation> violations = check_update(old, effective_for_old, options_for_old,
                                                     updated, effective, options.without(covered));
    covered.restore_places(violations);
    return violations;
  }

  /// What was found out beforehand for the pod's user; none where that was too much.
  [[nodiscard]] Shared<GrantEvaluation> find_evaluation(const Pod& pod) const {
    const auto number = grants_->find(pod);
    return number ? evaluations_[*number] : Shared<GrantEvaluation>();
  }

  [[nodiscard]] Shared<GrantEvaluation> find_or_evaluate(const Pod& pod) const {
    Shared<GrantEvaluation> found = find_evaluation(pod);
    return found ? found : evaluate(sources_of(grants_->granted(pod)));
  }

  [[nodiscard]] Sources sources_of(const rbac::Grant& grant) const {
    Sources sources;
    if (grant.all)
      policies_.for_each([&](const Shared<Source>& source) { sources.push_back(source); });
    for (const std::string& name : grant.names)
      if (const Shared<Source>* source = policies_.find({0, name, {}})) sources.push_back(*source);
    return sources;
  }

  [[nodiscard]] static std::size_t bytes_of(const Sources& sources) noexcept {
    std::size_t bytes = 0;
    for (const Shared<Source>& source : sources) bytes += source->bytes;
    return bytes;
  }

  [[nodiscard]] Shared<GrantEvaluation> evaluate(const Sources& sources) const {
    GrantEvaluation evaluation{{}, {}, bytes_of(sources)};
    std::vector<scheduling_policy::SchedulingPolicy> usable;
    for (const Shared<Source>& source : sources) {
      if (source->reason) {
        evaluation.unusable.push_back(source);
      } else {
        usable.push_back(source->policy);
      }
    }
    std::sort(evaluation.unusable.begin(), evaluation.unusable.end(),
              [](const Shared<Source>& a, const Shared<Source>& b) {
                return a->policy.metadata.name < b->policy.metadata.name;
              });
    if (evaluation.unusable.empty()) evaluation.effective = merge(usable, settings_->strategy);
    return Shared(std::move(evaluation));
  }

  void evaluate_grant(std::size_t number) {
    while (evaluations_.size() < grants_->grants().size()) evaluations_.push_back({});
    Shared<GrantEvaluation>& evaluation = evaluations_.own(number);
    if (evaluation) merged_bytes_ -= evaluation->bytes;
    evaluation = {};
    const Sources sources = sources_of(grants_->grants()[number]);
    const std::size_t bytes = bytes_of(sources);
    if (bytes > max_merged_policy_bytes - merged_bytes_) return;
    evaluation = evaluate(sources);
    merged_bytes_ += bytes;
  }

  /// The numbers of the grants whose policies are others now.
  std::set<std::size_t> apply_to_policies(const ObjectChanges& changes) {
    std::set<std::size_t> touched;
    for (const auto& replaced : changes.replaced.scheduling_policies) {
      const std::string& name = replaced.metadata.name;
      erase(name);
      const std::vector<std::size_t> numbers = grants_->grants().of_policy(name);
      for (const std::size_t number : numbers) touched.insert(number);
    }
    for (const auto& policy : changes.usable.scheduling_policies)
      put(policy.metadata.name, {policy, std::nullopt});
    changes.for_each_unusable<scheduling_policy::SchedulingPolicy>(
        [&](const auto& policy, ObjectName&& name, const FieldError& reason) {
          put(name.name, {policy, reason});
        });
    for (const Unread& unread : changes.unread) {
      if (unread.name.kind != "SchedulingPolicy") continue;
      const std::string& name = unread.name.name;
      put(name, {{.metadata = {.name = name}}, unread.reason});
    }
    return touched;
  }

  void erase(const std::string& name) {
    if (const Shared<Source>* source = policies_.find({0, name, {}}))
      policies_with_class_ -= (*source)->gives_class ? 1 : 0;
    policies_.erase({0, name, {}});
  }
  /// Of a name that was erased.
  void put(const std::string& name, Source source) {
    policies_with_class_ += source.gives_class ? 1 : 0;
    policies_[{0, name, {}}] = Shared<Source>(std::move(source));
  }

  static bool concerns_rbac(const rbac::Rbac& replaced) noexcept {
    return !replaced.roles.empty() || !replaced.cluster_roles.empty() ||
           !replaced.role_bindings.empty() || !replaced.cluster_role_bindings.empty();
  }

  /// The numbers of the grants that are new.
  std::set<std::size_t> apply_to_rbac(const ObjectChanges& changes) {
    RbacStore store = *rbac_;
    store.apply(changes);
    rbac_ = Shared<RbacStore>(std::move(store));
    GrantTable grants = *grants_;
    std::set<std::size_t> changed = grants.change(changes.replaced.rbac, changes.usable.rbac);
    if (changed.size() == grants.grants().size()) {
      evaluations_ = {};
      merged_bytes_ = 0;
    }
    grants_ = Shared<GrantTable>(std::move(grants));
    return changed;
  }

  Shared<Settings> settings_;
  OptionsByCreator options_;
  schedpol::detail::PersistentMap<Shared<Source>> policies_;
  std::size_t policies_with_class_ = 0;  ///< that give one by default
  Shared<RbacStore> rbac_;
  Shared<GrantTable> grants_;
  /// Of each grant; none where all together would be more than `max_merged_policy_bytes`.
  schedpol::detail::PersistentVector<Shared<GrantEvaluation>> evaluations_;
  std::size_t merged_bytes_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
