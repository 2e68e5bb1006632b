// SPDX-License-Identifier: Apache-2.0
#pragma once

/// SchedulingPolicy as an Engine runs it: the policies of a cluster, merged beforehand for all that
/// may use the same ones.

#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/impl/shared_list.hpp>
#include <schedpol/core/impl/shared_map.hpp>
#include <schedpol/core/shared.hpp>
#include <schedpol/engine/impl/node_pin.hpp>
#include <schedpol/engine/impl/suspects.hpp>
#include <schedpol/engine/impl/systems.hpp>
#include <schedpol/engine/impl/systems/grant_table.hpp>
#include <schedpol/insight/nearest_fix.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/check_update.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/fields.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::engine::detail {

class SchedulingPolicySystem final : public RunningSystem {
 public:
  explicit SchedulingPolicySystem(const Settings& settings)
      : settings_(std::make_shared<const Settings>(settings)),
        options_(settings.options),
        kept_(std::make_shared<const KeptRbac>()),
        grants_(std::make_shared<const GrantTable>(settings)) {
    judge(0);
  }

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.scheduling_policies.empty() || concerns_rbac(changed.rbac);
  }
  Running with(const ObjectChanges& changes) const override {
    auto made = std::make_shared<SchedulingPolicySystem>(*this);
    std::set<std::size_t> changed;
    if (concerns_rbac(changes.replaced.rbac)) changed = made->take_over_rbac(changes);
    changed.merge(made->take_over_policies(changes));
    for (const std::size_t number : changed) made->judge(number);
    return made;
  }

  void collect(Objects& into) const override {
    policies_.for_each([&](const Shared<Source>& source) {
      if (!source->reason) into.scheduling_policies.push_back(source->policy);
    });
    kept_->collect(into.rbac);
  }

  Admission admit(Pod&& pod, Question question) const override {
    const Judgement judgement = judgement_of(pod);
    Admission admission;
    if (!judgement->suspects.empty()) {
      admission.violations = violations_of(*judgement, pod);
      admission.pod = std::move(pod);
      return admission;
    }
    const OptionsOfPod options = options_for(pod, question);
    if (question.by == Requester::user)
      return scheduling_policy::admit(std::move(pod), judgement->effective, *options);
    const NodePin pin(pod);
    admission = scheduling_policy::admit(std::move(pod), judgement->effective, *options);
    pin.restore(admission.pod);
    return admission;
  }

  Admission revise(const Pod& old, Pod&& updated, Question question) const override {
    const Judgement judgement = judgement_of(updated);
    Admission admission;
    if (!judgement->suspects.empty()) {
      admission.violations = violations_of(*judgement, updated);
      admission.pod = std::move(updated);
      return admission;
    }
    const OptionsOfPod options = options_for(updated, question);
    scheduling_policy::Defaulted made =
        apply_defaults(std::move(updated), judgement->effective, *options);
    admission.violations = check_update(old, made.pod, judgement->effective, *options);
    admission.allowed = admission.violations.empty();
    admission.pod = std::move(made.pod);
    if (admission.allowed) admission.changes = std::move(made.changes);
    return admission;
  }

  std::vector<Violation> judge_update(const Pod& old, const Pod& updated,
                                      Question question) const override {
    const Judgement judgement = judgement_of(updated);
    std::vector<Violation> violations =
        check_update(unpinned(old, question.by), unpinned(updated, question.by),
                     judgement->effective, *options_for(updated, question));
    if (violations.empty() || judgement->suspects.empty()) return violations;
    return violations_of(*judgement, updated);
  }

  std::vector<Violation> verify(const Pod& final, Question question) const override {
    const Judgement judgement = judgement_of(final);
    if (!judgement->suspects.empty()) return violations_of(*judgement, final);
    return check(unpinned(final, question.by), judgement->effective, *options_for(final, question));
  }

  Admission fix(const Pod& pod, Question question) const override {
    Admission fixed;
    const Judgement judgement = judgement_of(pod);
    if (!judgement->is_small || !judgement->suspects.empty() || parts_of(pod.spec) > most_parts)
      return fixed;
    auto found = nearest_fix(pod, judgement->effective, *options_for(pod, question));
    if (!found) return fixed;
    fixed.allowed = true;
    fixed.pod = std::move(found->pod);
    fixed.changes = std::move(found->changes);
    return fixed;
  }

  [[nodiscard]] EffectivePolicy effective_policy(const Pod& pod) const {
    return judgement_of(pod)->effective;
  }

 private:
  /// A policy, or why it cannot be used.
  struct Source {
    scheduling_policy::SchedulingPolicy policy;
    std::optional<FieldError> reason;
  };

  /// By what those are judged who have one grant. With suspects it decides nothing.
  struct Judged {
    EffectivePolicy effective;
    std::vector<Shared<Source>> suspects;
    bool is_small = false;  ///< enough for a pod to be fixed while somebody waits
  };
  using Judgement = Shared<Judged>;

  /// What is exempt depends on who asks, too.
  struct OptionsByRequester {
    explicit OptionsByRequester(const scheduling_policy::Options& options)
        : of_user(options),
          of_daemon_set_controller(exempt(options, scheduling_policy::daemon_set_tolerations())) {}

    scheduling_policy::Options of_user;
    scheduling_policy::Options of_daemon_set_controller;
  };

  /// Those that all pods share, or the pod's own.
  class OptionsOfPod {
   public:
    explicit OptionsOfPod(const scheduling_policy::Options& shared) : shared_(&shared) {}
    OptionsOfPod(const scheduling_policy::Options& shared, ClusterCriteria&& criteria)
        : own_(shared) {
      own_->exempt_criteria.insert(own_->exempt_criteria.end(),
                                   std::make_move_iterator(criteria.of_pod.begin()),
                                   std::make_move_iterator(criteria.of_pod.end()));
      own_->added_to_pods = std::move(criteria.added_to_pods);
    }

    [[nodiscard]] const scheduling_policy::Options& operator*() const noexcept {
      return own_ ? *own_ : *shared_;
    }

   private:
    const scheduling_policy::Options* shared_ = nullptr;
    std::optional<scheduling_policy::Options> own_;
  };

  /// The options with what the requester and the cluster's objects add exempt.
  [[nodiscard]] OptionsOfPod options_for(const Pod& pod, const Question& question) const {
    const scheduling_policy::Options& shared =
        question.by == Requester::user ? options_.of_user : options_.of_daemon_set_controller;
    ClusterCriteria criteria = cluster_criteria(pod, question);
    return criteria.empty() ? OptionsOfPod(shared) : OptionsOfPod(shared, std::move(criteria));
  }

  static std::vector<Violation> violations_of(const Judged& judged, const Pod& pod) {
    const FieldPath field = field_path(pod.kind, {"spec"});
    std::vector<Violation> violations;
    for (const Shared<Source>& suspect : judged.suspects)
      violations.push_back(invalid_policy(field, suspect->policy.metadata.name, *suspect->reason));
    return violations;
  }

  [[nodiscard]] Judgement judgement_of(const Pod& pod) const {
    const auto number = grants_->find(pod);
    return number ? judgements_[*number] : judged_by(grants_->granted(pod));
  }

  [[nodiscard]] Judgement judged_by(const rbac::Grant& grant) const {
    Judged judged;
    std::vector<scheduling_policy::SchedulingPolicy> usable;
    const auto add = [&](const Shared<Source>& source) {
      if (source->reason) {
        judged.suspects.push_back(source);
      } else {
        usable.push_back(source->policy);
      }
    };
    if (grant.all) policies_.for_each(add);
    for (const std::string& name : grant.names)
      if (const Shared<Source>* source = policies_.find({0, name, {}})) add(*source);
    std::sort(judged.suspects.begin(), judged.suspects.end(),
              [](const Shared<Source>& a, const Shared<Source>& b) {
                return a->policy.metadata.name < b->policy.metadata.name;
              });
    if (judged.suspects.empty()) {
      judged.effective = merge(usable, settings_->strategy);
      const scheduling_policy::SchedulingPolicySpec& spec = judged.effective.spec();
      judged.is_small = entries_of(spec.required) + entries_of(spec.allowed) +
                            (spec.defaults.tolerations ? spec.defaults.tolerations->size() : 0) <=
                        most_entries;
    }
    return Judgement(std::move(judged));
  }

  /// What a fix may have to look at.
  static constexpr std::size_t most_entries = 256;
  static constexpr std::size_t most_parts = 64;

  template <class T>
  static std::size_t entries_of(const T& part) {
    std::size_t entries = 0;
    if constexpr (scheduling_policy::HasFields<T>) {
      scheduling_policy::for_each_field<T>(
          [&](std::string_view, auto member) { entries += entries_of(part.*member); });
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (const auto& [key, values] : part) entries += 1 + entries_of(values);
    } else if constexpr (scheduling_policy::HasFields<typename T::value_type>) {
      for (const auto& pattern : part) entries += 1 + entries_of(pattern);
    } else if constexpr (std::is_same_v<T, Texts>) {
      entries = part.size();
    }
    return entries;
  }
  template <class T>
  static std::size_t entries_of(const AnyOr<T>& field) {
    return entries_of(field.listed());
  }
  static std::size_t parts_of(const PodSpec& spec) {
    std::size_t parts = spec.node_selector.size() + spec.tolerations.size();
    if (!spec.affinity) return parts;
    const auto& [node, pod, pod_anti] = *spec.affinity;
    const auto add = [&](const NodeSelectorTerm& term) {
      parts += 1 + term.match_expressions.size() + term.match_fields.size();
    };
    if (node && node->required_during_scheduling_ignored_during_execution)
      for (const auto& term :
           node->required_during_scheduling_ignored_during_execution->node_selector_terms)
        add(term);
    if (node)
      for (const auto& term : node->preferred_during_scheduling_ignored_during_execution)
        add(term.preference);
    for (const auto* kind : {&pod, &pod_anti})
      if (*kind)
        parts += (*kind)->required_during_scheduling_ignored_during_execution.size() +
                 (*kind)->preferred_during_scheduling_ignored_during_execution.size();
    return parts;
  }

  void judge(std::size_t number) {
    while (judgements_.size() < grants_->size()) judgements_.push_back({});
    judgements_.own(number) = judged_by((*grants_)[number]);
  }

  /// The numbers of the grants whose policies are others now.
  std::set<std::size_t> take_over_policies(const ObjectChanges& changes) {
    std::set<std::size_t> touched;
    for (const auto& replaced : changes.replaced.scheduling_policies) {
      const std::string& name = replaced.metadata.name;
      policies_.erase({0, name, {}});
      const std::vector<std::size_t> numbers = grants_->grants_of(name);
      touched.insert(numbers.begin(), numbers.end());
    }
    for (const auto& policy : changes.usable.scheduling_policies)
      policies_[{0, policy.metadata.name, {}}] = Shared<Source>({policy, std::nullopt});
    for (const auto& suspect : changes.unusable_of<scheduling_policy::SchedulingPolicy>()) {
      policies_[{0, suspect.object.metadata.name, {}}] =
          Shared<Source>({suspect.object, suspect.reason});
    }
    for (const Unread& unread : changes.unread) {
      if (unread.name.kind != "SchedulingPolicy") continue;
      const std::string& name = unread.name.name;
      policies_[{0, name, {}}] = Shared<Source>({{.metadata = {.name = name}}, unread.reason});
    }
    return touched;
  }

  static bool concerns_rbac(const rbac::Rbac& replaced) noexcept {
    return !replaced.roles.empty() || !replaced.cluster_roles.empty() ||
           !replaced.role_bindings.empty() || !replaced.cluster_role_bindings.empty();
  }

  /// The same of roles and bindings.
  std::set<std::size_t> take_over_rbac(const ObjectChanges& changes) {
    KeptRbac kept = *kept_;
    kept.take_over(changes.replaced.rbac, changes.usable.rbac);
    kept_ = std::make_shared<const KeptRbac>(std::move(kept));
    GrantTable grants = *grants_;
    std::set<std::size_t> changed = grants.change(changes.replaced.rbac, changes.usable.rbac);
    grants_ = std::make_shared<const GrantTable>(std::move(grants));
    return changed;
  }

  std::shared_ptr<const Settings> settings_;
  OptionsByRequester options_;
  schedpol::detail::SharedMap<Shared<Source>> policies_;
  std::shared_ptr<const KeptRbac> kept_;
  std::shared_ptr<const GrantTable> grants_;
  schedpol::detail::SharedList<Judgement> judgements_;  ///< of each grant
};

}  // namespace schedpol::engine::detail
