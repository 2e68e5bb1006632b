// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Decides with what is added, and without each part of it.

#include <schedpol/insight/impl/suggest/need_search.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class ProofByDeciding {
 public:
  ProofByDeciding(const Engine& there, const Settings& settings, const Objects& added,
                  std::span<const RunningObject> objects, Budget& budget)
      : added_(added),
        objects_(objects),
        engine_(there.with(with_bindings_apart(added))),
        budget_(budget),
        steps_(engine_),
        judge_(engine_, settings, budget),
        steps_of_(objects.size()) {
    for (std::size_t place = 0; place < objects.size() && !budget.used_up(); ++place)
      decide_with_all(place);
  }

  /// What is there, with all that is added.
  [[nodiscard]] const Engine& engine() const noexcept { return engine_; }
  /// The places of objects that it denies.
  [[nodiscard]] const std::vector<std::size_t>& denied() const noexcept { return denied_; }
  /// What SchedulingPolicy was asked about each object that it allows, by its place, where that was more
  /// than once: it was changed after the first time. To be taken once.
  [[nodiscard]] std::map<std::size_t, std::vector<Pod>> take_asked_again() noexcept {
    return std::move(asked_again_);
  }

  Proof run() && {
    find_users();
    for (const SchedulingPolicy& policy : added_.scheduling_policies) take_entries_from(policy);
    for (const rbac::RoleBinding& binding : added_.rbac.role_bindings)
      take_subjects_from(binding, &rbac::Rbac::role_bindings);
    for (const rbac::ClusterRoleBinding& binding : added_.rbac.cluster_role_bindings)
      take_subjects_from(binding, &rbac::Rbac::cluster_role_bindings);
    put_in_order(proof_.denied);
    put_in_order(proof_.undecided);
    return std::move(proof_);
  }

 private:
  void decide_with_all(std::size_t place) {
    const RunningObject& object = objects_[place];
    steps_of_[place] = steps_.of(object.request.object) +
                       judge_.steps_of(object.request.object,
                                       judge_.system().effective_policy(object.request.object));
    if (!budget_.spend(2 * steps_of_[place])) return;
    DecisionTrace trace{.watched = System::scheduling_policy};
    Decision decision = EngineAccess::decide(engine_, object.request, trace);
    if (!decision.allowed) {
      denied_.push_back(place);
      std::vector<Violation> violations;
      if (!decision.steps.empty()) violations = std::move(decision.steps.back().violations);
      proof_.denied.push_back({object.owner, object.pods, "", std::move(violations)});
      return;
    }
    if (decision.steps.empty()) return;
    ++proof_.allowed;
    if (trace.questions.size() > 1)
      for (auto& question : trace.questions)
        asked_again_[place].push_back(std::move(question.object));
    if (!object.doubtful_node.empty()) {
      Request with_node = object.request;
      with_node.object.spec.node_name = object.doubtful_node;
      if (!engine_.decide(with_node).allowed)
        proof_.undecided.push_back(
            {object.owner, object.pods, "nobody can tell whether it named its node", {}});
    }
    const Pod& pod = object.request.object;
    by_account_[{std::string(namespace_of(pod.metadata)), std::string(rbac::account_of(pod))}]
        .push_back(place);
  }

  void take_entries_from(const SchedulingPolicy& policy) {
    const Numbers users = users_of(policy.metadata.name);
    std::vector<std::pair<FieldPath, PolicySection>> entries;
    scheduling_policy::detail::for_each_allowed_entry(
        policy.spec.allowed, [&](const FieldPath& place, const std::string&, PolicySection alone) {
          entries.emplace_back(place, std::move(alone));
        });
    const std::size_t merged_again =
        steps_of_entry * entries.size() +
        judge_.system().bytes_merged_with(policy.metadata.name) / bytes_merged_a_step;
    Objects changed;
    changed.scheduling_policies.push_back(policy);
    PolicySection& allowed = changed.scheduling_policies.front().spec.allowed;
    for (const auto& [place, taken] : entries) {
      if (!budget_.spend(merged_again)) return;
      allowed = {};
      for (const auto& each : entries)
        if (&each.second != &taken)
          scheduling_policy::detail::add_allowed_entries(allowed, each.second);
      if (denies_some(engine_.with(changed), users)) {
        ++proof_.entries;
      } else {
        proof_.needless_entries.push_back({policy.metadata.name, place, {}});
      }
    }
  }

  /// A binding of each subject, so that one is taken away without looking at the others.
  template <class Binding>
  [[nodiscard]] static Binding binding_of(const Binding& binding, std::size_t subject) {
    Binding one(binding);
    // No name that is written has a line break.
    one.metadata.name += '\n' + std::to_string(subject);
    one.subjects = {binding.subjects[subject]};
    return one;
  }
  [[nodiscard]] static Objects with_bindings_apart(const Objects& added) {
    Objects apart(added);
    const auto take_apart = [&](auto list) {
      (apart.rbac.*list).clear();
      for (const auto& binding : added.rbac.*list)
        for (std::size_t i = 0; i < binding.subjects.size(); ++i)
          (apart.rbac.*list).push_back(binding_of(binding, i));
    };
    take_apart(&rbac::Rbac::role_bindings);
    take_apart(&rbac::Rbac::cluster_role_bindings);
    return apart;
  }

  template <class Binding>
  void take_subjects_from(const Binding& binding, std::vector<Binding> rbac::Rbac::*list) {
    for (std::size_t i = 0; i < binding.subjects.size(); ++i) {
      if (!budget_.spend(steps_of_binding)) return;
      Objects taken;
      (taken.rbac.*list).push_back(binding_of(binding, i));
      const rbac::Subject& subject = binding.subjects[i];
      if (denies_some(engine_.without(taken), objects_of(binding.metadata, subject))) {
        ++proof_.subjects;
        continue;
      }
      const std::string name =
          subject.kind == "ServiceAccount" ? subject.namespace_ + "/" + subject.name : subject.name;
      proof_.needless_subjects.push_back(
          {binding.metadata.namespace_, binding.metadata.name, name});
    }
  }

  /// Whom each policy is granted to, of those that have objects.
  void find_users() {
    const auto& system = static_cast<const SchedulingPolicySystem&>(
        EngineAccess::of(engine_)->compiled(System::scheduling_policy));
    for (const auto& [account, places] : by_account_) {
      if (!budget_.spend(steps_of_grant)) return;
      const rbac::Grant grant = system.grants().granted(objects_[places.front()].request.object);
      if (grant.all) users_of_all_.push_back(&places);
      for (const std::string& policy : grant.names) users_[policy].push_back(&places);
    }
  }
  /// The objects of whom may use a policy.
  [[nodiscard]] Numbers users_of(const std::string& policy) const {
    Numbers objects;
    for (const Numbers* const places : users_of_all_) schedpol::detail::append(objects, *places);
    const auto found = users_.find(policy);
    if (found == users_.end()) return objects;
    for (const Numbers* const places : found->second) schedpol::detail::append(objects, *places);
    return objects;
  }
  /// Those that a subject of a binding may be about.
  [[nodiscard]] Numbers objects_of(const ObjectMeta& binding, const rbac::Subject& subject) const {
    const bool is_account = subject.kind == "ServiceAccount";
    const std::string& in = is_account ? subject.namespace_ : binding.namespace_;
    if (!binding.namespace_.empty() && binding.namespace_ != in) return {};
    Numbers objects;
    const std::pair first(in, is_account ? subject.name : "");
    for (auto at = by_account_.lower_bound(first); at != by_account_.end(); ++at) {
      if (is_account ? at->first != first : !in.empty() && at->first.first != in) break;
      budget_.spend();
      schedpol::detail::append(objects, at->second);
    }
    return objects;
  }

  [[nodiscard]] bool denies_some(const Engine& engine,
                                 const std::vector<std::size_t>& places) const {
    return schedpol::detail::any_of(places, [&](std::size_t place) {
      return budget_.spend(steps_of_[place]) && !engine.decide(objects_[place].request).allowed;
    });
  }

  static constexpr std::size_t steps_of_grant = 20;
  static constexpr std::size_t steps_of_binding = 500;

  const Objects& added_;
  std::span<const RunningObject> objects_;
  Engine engine_;
  Budget& budget_;
  DecisionSteps steps_;
  SchedulingJudge judge_;                ///< by all that is added, too
  std::vector<std::size_t> steps_of_{};  ///< of a decision on each object
  /// The places of objects that are allowed, by namespace and account.
  std::map<std::pair<std::string, std::string>, Numbers> by_account_;
  std::vector<const Numbers*> users_of_all_;                  ///< who may use every policy
  std::map<std::string, std::vector<const Numbers*>> users_;  ///< by the policy that they may use
  std::vector<std::size_t> denied_;
  std::map<std::size_t, std::vector<Pod>> asked_again_;
  Proof proof_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
