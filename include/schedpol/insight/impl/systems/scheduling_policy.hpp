// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is found of SchedulingPolicies, and of who may use them.

#include <schedpol/engine/impl/systems/scheduling_policy.hpp>
#include <schedpol/insight/analyze_rbac.hpp>
#include <schedpol/insight/impl/analyze_scheduling_policies.ipp>
#include <schedpol/insight/impl/changed_policies.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What a default does not give to the pods of a class, or of a policy of the cluster, because no node
/// could meet both.
inline std::vector<Finding> contradicted_defaults(const Objects& objects, const Settings& settings,
                                                  Budget& budget) {
  using pod_scheduling_policy::PolicyKind;
  schedpol::detail::Analysis analysis(budget);
  struct Adding {
    std::string whose;
    SharedCriteria criteria;
  };
  std::vector<Adding> adding;
  for (const auto& each : objects.runtime_classes) {
    if (each.scheduling && !each.scheduling->node_selector.empty())
      adding.push_back({"RuntimeClass " + in_backticks(each.metadata.name),
                        SchedulingCriteria{.node_selector = each.scheduling->node_selector}});
  }
  for (const auto& each : objects.pod_scheduling_policies) {
    if (!pod_scheduling_policy::detail::is_of_cluster(each)) continue;
    SchedulingCriteria criteria{.node_selector = each.spec.node_selector,
                                .affinity = each.spec.affinity};
    if (criteria == SchedulingCriteria{}) continue;
    adding.push_back(
        {"ClusterPodSchedulingPolicy " + in_backticks(each.metadata.name), std::move(criteria)});
  }
  const auto look_at = [&](const scheduling_policy::SchedulingPolicy& policy) {
    const std::size_t entries = scheduling_policy::detail::entries_of(policy.spec.defaults);
    if (entries == 0 || adding.empty() || !budget.spend(100 + 16 * entries)) return;
    scheduling_policy::SchedulingPolicySpec spec;
    spec.defaults = policy.spec.defaults;
    spec.required.affinities = policy.spec.required.affinities;
    const EffectivePolicy effective(std::move(spec), Names{policy.metadata.name}, {});
    for (const auto& [whose, criteria] : adding) {
      Pod pod{.spec = {.node_selector = criteria->node_selector, .affinity = criteria->affinity}};
      if (!budget.spend(500 + 20 * entries * scheduling_policy::detail::parts_of(pod.spec))) return;
      const scheduling_policy::Defaulted defaulted =
          apply_defaults(std::move(pod), effective, exempt(settings.options, criteria));
      for (const Warning& warning : defaulted.warnings)
        analysis.add({.code = FindingCode::default_contradicted,
                      .severity = Severity::warning,
                      .policies = {policy.metadata.name},
                      .field = FieldPath{"default"}.join(warning.field.below(1)),
                      .detail = whose + ": " + warning.text});
    }
  };
  analysis.look_for(FindingCode::default_contradicted, [&] {
    for (const auto& policy : objects.scheduling_policies) look_at(policy);
  });
  return std::move(analysis).take();
}

/// Each set of policies that somebody may use, and one of those who may use it.
inline std::vector<scheduling_policy::Grantee> find_grantees(const Objects& objects,
                                                             const Settings& settings) {
  std::set<std::string_view> names;
  for (const auto& policy : objects.scheduling_policies) names.insert(policy.metadata.name);
  GrantTable table(settings);
  table.change(objects.rbac, objects.rbac);
  std::vector<scheduling_policy::Grantee> grantees;
  std::set<std::vector<std::string_view>> known;
  table.for_each_grant([&](const rbac::Grant& grant, GrantTable::Holder&& holder) {
    std::vector<std::string_view> usable;
    if (grant.all) {
      usable.assign(names.begin(), names.end());
    } else {
      std::copy_if(grant.names.begin(), grant.names.end(), std::back_inserter(usable),
                   [&](std::string_view name) { return names.contains(name); });
    }
    if (usable.empty()) return;
    const auto [set, is_new] = known.insert(std::move(usable));
    if (!is_new) return;
    grantees.push_back({std::move(holder.whose),
                        Texts(std::vector<std::string>(set->begin(), set->end())),
                        std::move(holder.pod)});
  });
  return grantees;
}

inline std::vector<Finding> analyze_scheduling_policies(const Objects& objects,
                                                        const Settings& settings,
                                                        std::span<const Node>) {
  const auto& policies = objects.scheduling_policies;
  std::vector<Finding> findings;
  if (settings.policy_use == PolicyUse::every) {
    findings = scheduling_policy::analyze(policies, settings.strategy, settings.options);
  } else {
    findings = scheduling_policy::analyze(policies, find_grantees(objects, settings),
                                          settings.strategy, settings.options);
    append(findings, rbac::analyze(objects.rbac, access_of(settings)));
  }
  Budget budget;
  append(findings, contradicted_defaults(objects, settings, budget));
  return findings;
}

/// The analysis of SchedulingPolicies that are written.
class ChangedSchedulingPolicies {
 public:
  explicit ChangedSchedulingPolicies(ChangedPolicies& changed)
      : changed_(changed),
        written_(changed.written()),
        budget_(changed.budget()),
        stored_(changed.compiled<SchedulingPolicySystem>(System::scheduling_policy)) {}

  using SchedulingPolicies = std::vector<scheduling_policy::SchedulingPolicy>;

  std::vector<Finding> run() {
    const SchedulingPolicies& list = written_.scheduling_policies;
    std::set<std::string, std::less<>> names;
    for (const auto& policy : list) names.insert(policy.metadata.name);
    const Settings& settings = changed_.settings();
    scheduling_policy::detail::SchedulingPolicyAnalysis analysis(settings.strategy,
                                                                 settings.options, budget_, &names);
    if (settings.policy_use == PolicyUse::every) {
      analysis.look_at_all(policies_of_everybody());
      analysis.look_at_entries(list);
      return std::move(analysis).take();
    }
    const GrantTable grants = grants_with_written();
    std::set<std::size_t> numbers;
    for (const std::string& name : names) {
      const std::vector<std::size_t> of_policy = grants.grants().of_policy(name);
      numbers.insert(of_policy.begin(), of_policy.end());
    }
    std::set<std::string> used;
    std::set<std::vector<std::string>> known;
    budget_.spend(steps_of_holder * grants.holders() + steps_of_grant * numbers.size());
    const auto look_at = [&](const rbac::Grant& grant, GrantTable::Holder&& holder) {
      used.insert(grant.names.begin(), grant.names.end());
      if (grant.all) used.insert(names.begin(), names.end());
      const SchedulingPolicies policies = policies_of(grant);
      std::vector<std::string> usable;
      for (const auto& policy : policies) usable.push_back(policy.metadata.name);
      std::sort(usable.begin(), usable.end());
      if (budget_.used_up() || known.insert(std::move(usable)).second)
        analysis.look_at(policies, holder.whose, holder.pod);
    };
    if (!budget_.used_up()) grants.for_each_grant(look_at, &numbers);
    for (const auto& policy : list)
      if (!budget_.used_up() && !used.contains(policy.metadata.name)) analysis.note_unused(policy);
    analysis.look_at_contradictions(list);
    analysis.look_at_entries(list);
    std::vector<Finding> findings = std::move(analysis).take();
    append(findings, rbac::analyze(roles_naming(names), access_of(settings)));
    return findings;
  }
  /// All policies, with those that are written in the place of those of their names.
  SchedulingPolicies policies_of_everybody() {
    PolicyPointers all;
    for (const auto& policy : written_.scheduling_policies) add(policy, all);
    stored_.for_each_policy([&](const scheduling_policy::SchedulingPolicy& policy) {
      return changed_.is_replaced(policy, written_.scheduling_policies) || add(policy, all);
    });
    return copies(all);
  }

 private:
  using PolicyPointers = std::vector<const scheduling_policy::SchedulingPolicy*>;

  bool add(const scheduling_policy::SchedulingPolicy& policy, PolicyPointers& to) {
    to.push_back(&policy);
    return budget_.spend(scheduling_policy::detail::merging_steps({&policy, 1}));
  }
  /// Copies for a merge; none once the budget is used up.
  [[nodiscard]] SchedulingPolicies copies(const PolicyPointers& all) const {
    SchedulingPolicies policies;
    if (!budget_.used_up())
      for (const auto* policy : all) policies.push_back(*policy);
    return policies;
  }
  SchedulingPolicies policies_of(const rbac::Grant& grant) {
    if (grant.all) return policies_of_everybody();
    const SchedulingPolicies& list = written_.scheduling_policies;
    PolicyPointers all;
    for (const std::string& name : grant.names) {
      const auto found = std::find_if(list.begin(), list.end(),
                                      [&](const auto& each) { return each.metadata.name == name; });
      const auto* policy = found == list.end() ? stored_.policy(name) : &*found;
      if (!budget_.spend(4) || (policy != nullptr && !add(*policy, all))) break;
    }
    return copies(all);
  }

  static constexpr std::size_t steps_of_holder = 5;
  static constexpr std::size_t steps_of_grant = 50;

  [[nodiscard]] GrantTable grants_with_written() const {
    GrantTable grants = stored_.grants();
    if (written_.rbac != rbac::Rbac{}) grants.change(written_.rbac, written_.rbac);
    return grants;
  }

  /// The roles that name one of the policies, and the bindings to them.
  [[nodiscard]] rbac::Rbac roles_naming(const std::set<std::string, std::less<>>& policies) {
    rbac::Rbac found;
    const auto& stored = stored_.rbac();
    std::set<std::string> roles;
    const auto add_to = [&](auto& list) {
      return [&](const auto& role) {
        for (const rbac::PolicyRule& rule : role.rules) {
          budget_.spend(4 + 4 * rule.resource_names.size());
          if (schedpol::detail::none_of(rule.resource_names, [&](const std::string& name) {
                return policies.contains(name);
              }))
            continue;
          roles.insert(role.metadata.name);
          list.push_back(role);
          break;
        }
        return budget_.spend(steps_of_holder);
      };
    };
    stored.template for_each<rbac::ClusterRole>(add_to(found.cluster_roles));
    stored.template for_each<rbac::Role>(add_to(found.roles));
    if (roles.empty()) return found;
    const auto add_binding_to = [&](auto& list) {
      return [&](const auto& binding) {
        if (roles.contains(binding.role_ref.name)) list.push_back(binding);
        return budget_.spend(steps_of_holder);
      };
    };
    stored.template for_each<rbac::ClusterRoleBinding>(add_binding_to(found.cluster_role_bindings));
    stored.template for_each<rbac::RoleBinding>(add_binding_to(found.role_bindings));
    return found;
  }

  ChangedPolicies& changed_;
  const Objects& written_;
  Budget& budget_;
  const SchedulingPolicySystem& stored_;
};

inline std::vector<Finding> analyze_changed_scheduling_policies(ChangedPolicies& changed) {
  return ChangedSchedulingPolicies(changed).run();
}

inline std::size_t scheduling_policy_texts(const Objects& written) {
  std::size_t texts = 0;
  for (const auto& policy : written.scheduling_policies)
    texts += scheduling_policy::detail::entries_of(policy.spec);
  return texts;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
