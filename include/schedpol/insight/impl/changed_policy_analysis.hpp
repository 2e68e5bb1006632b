// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/engine/impl/engine_impl.hpp>
#include <schedpol/engine/impl/systems/metadata_policy.hpp>
#include <schedpol/engine/impl/systems/pod_scheduling_policy.hpp>
#include <schedpol/engine/impl/systems/resource_policy.hpp>
#include <schedpol/engine/impl/systems/scheduling_policy.hpp>
#include <schedpol/insight/analyze_rbac.hpp>
#include <schedpol/insight/impl/analyze_metadata_policies.ipp>
#include <schedpol/insight/impl/analyze_pod_scheduling_policies.ipp>
#include <schedpol/insight/impl/analyze_resource_policies.ipp>
#include <schedpol/insight/impl/analyze_scheduling_policies.ipp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

using schedpol::detail::append;
using schedpol::detail::Budget;

/// Whether something that a pod has is permitted by nobody; otherwise it lacks something.
inline bool is_lack_of_permission(ViolationCode code) noexcept {
  switch (code) {
    case ViolationCode::scheduler_name_not_allowed:
    case ViolationCode::node_name_not_allowed:
    case ViolationCode::node_selector_not_allowed:
    case ViolationCode::toleration_not_allowed:
    case ViolationCode::affinity_not_allowed: return true;
    default: return false;
  }
}

/// What policies of the cluster give to pods that no SchedulingPolicy permits, nor all of them
/// together, by the names of those that give. Nothing where there are none, so that nobody has to
/// permit anything.
inline std::vector<Finding> injected_not_permitted(
    std::span<const pod_scheduling_policy::PodSchedulingPolicy> giving,
    std::span<const scheduling_policy::SchedulingPolicy> permitting, const Settings& settings,
    Budget& budget) {
  schedpol::detail::Analysis analysis(budget);
  const auto look_at = [&](const pod_scheduling_policy::PodSchedulingPolicy& policy,
                           std::vector<Violation> violations) {
    for (Violation& violation : violations) {
      if (!is_lack_of_permission(violation.code)) continue;
      if (violation.code == ViolationCode::scheduler_name_not_allowed &&
          policy.spec.scheduler_name.empty())
        continue;
      analysis.add({.code = FindingCode::injected_not_permitted,
                    .severity = Severity::info,
                    .policies = {policy.metadata.name},
                    .field = violation.field.below(1),
                    .detail = std::move(violation.value)});
    }
  };
  analysis.look_for(FindingCode::injected_not_permitted, [&] {
    if (permitting.empty() || giving.empty() ||
        !budget.spend(scheduling_policy::detail::merging_steps(permitting)))
      return;
    const EffectivePolicy effective = merge(permitting, settings.strategy);
    const scheduling_policy::detail::CheckSteps steps({effective, &settings.options});
    std::map<std::string_view, const pod_scheduling_policy::PodSchedulingPolicy*> by_name;
    for (const auto& policy : giving)
      if (pod_scheduling_policy::detail::is_of_cluster(policy))
        by_name.try_emplace(policy.metadata.name, &policy);
    for (const auto& [name, each] : by_name) {
      const pod_scheduling_policy::PodSchedulingPolicy& policy = *each;
      Pod pod;
      pod.spec.scheduler_name = policy.spec.scheduler_name;
      pod.spec.node_name = policy.spec.node_name;
      pod.spec.node_selector = policy.spec.node_selector;
      pod.spec.tolerations = policy.spec.tolerations;
      pod.spec.affinity = policy.spec.affinity;
      if (!budget.spend(steps.of(pod.spec))) return;
      look_at(policy, check(pod, effective, settings.options));
    }
  });
  return std::move(analysis).take();
}

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

/// What whoever writes objects has to be told of them, among those of an engine. Only what is stored
/// and can matter to what is written is looked at; stored objects are neither copied nor compiled
/// before that is known.
class ChangedPolicyAnalysis {
 public:
  /// `written` are objects that can be used.
  ChangedPolicyAnalysis(const EngineAccess::Impl& engine, const Objects& written)
      : engine_(engine),
        written_(written),
        budget_(max_written_policy_steps + written_policy_steps_a_text * texts_of(written)) {}

  std::vector<Finding> run(System system) {
    switch (system) {
      case System::metadata_policy: return metadata_policies();
      case System::pod_scheduling_policy: return pod_scheduling_policies();
      case System::scheduling_policy: return scheduling_policies();
      case System::resource_policy: return resource_policies();
      case System::runtime_class:  // nodes decide, which are not known here
      case System::none: break;
    }
    return {};
  }

 private:
  static std::size_t texts_of(const Objects& written) {
    std::size_t texts = 0;
    for (const auto& policy : written.metadata_policies)
      texts += metadata_policy::detail::texts_of(policy);
    for (const auto& policy : written.pod_scheduling_policies)
      texts += pod_scheduling_policy::detail::texts_of(policy);
    for (const auto& policy : written.resource_policies)
      texts += resource_policy::detail::texts_of(policy);
    for (const auto& policy : written.scheduling_policies)
      texts += scheduling_policy::detail::entries_of(policy.spec);
    return texts;
  }

  template <class T>
  [[nodiscard]] const T& compiled(System system) const {
    return static_cast<const T&>(engine_.compiled(system));
  }

  /// Whether one of a list is called like a stored object, which it takes the place of.
  template <class T>
  [[nodiscard]] bool is_replaced(const T& stored, const std::vector<T>& list) {
    budget_.spend(list.size());
    return schedpol::detail::any_of(list, [&](const T& each) {
      return each.metadata.name == stored.metadata.name &&
             each.metadata.namespace_ == stored.metadata.namespace_;
    });
  }
  template <class T>
  static std::set<std::string> namespaces_of(const std::vector<T>& list) {
    std::set<std::string> namespaces;
    for (const T& each : list) namespaces.insert(each.metadata.namespace_);
    return namespaces;
  }

  std::vector<Finding> metadata_policies() {
    using metadata_policy::MetadataPolicy;
    const std::vector<MetadataPolicy>& list = written_.metadata_policies;
    std::vector<metadata_policy::detail::AnalyzedRule> rules;
    for (const MetadataPolicy& policy : list)
      for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) rules.push_back({&policy, i});
    std::vector<metadata_policy::detail::AnalyzedRule> stored;
    for (const std::string& namespace_ : namespaces_of(list)) {
      compiled<MetadataPolicySystem>(System::metadata_policy)
          .objects()
          .for_each_in<MetadataPolicy>(namespace_, [&](const MetadataPolicy& policy) {
            if (is_replaced(policy, list)) return true;
            budget_.spend(5);
            for (std::size_t i = 0; i < policy.spec.rules.size() && !budget_.used_up(); ++i) {
              metadata_policy::detail::AnalyzedRule rule{&policy, i, false};
              if (is_neighbour(rule, rules, budget_) && budget_.spend(steps_of_neighbour))
                stored.push_back(std::move(rule));
            }
            return !budget_.used_up();
          });
    }
    schedpol::detail::append(rules, std::move(stored));
    return metadata_policy::detail::MetadataPolicyAnalysis(std::move(rules), budget_).run();
  }

  std::vector<Finding> pod_scheduling_policies() {
    using pod_scheduling_policy::PodSchedulingPolicy;
    const std::vector<PodSchedulingPolicy>& list = written_.pod_scheduling_policies;
    std::vector<pod_scheduling_policy::detail::AnalyzedInjection> policies;
    for (const PodSchedulingPolicy& policy : list) policies.push_back({&policy});
    const auto add = [&](const PodSchedulingPolicy& policy) {
      if (is_replaced(policy, list)) return true;
      if (pod_scheduling_policy::detail::is_neighbour(policy, list, budget_) &&
          budget_.spend(steps_of_neighbour))
        policies.push_back({&policy, false});
      return !budget_.used_up();
    };
    const auto& system = compiled<PodSchedulingPolicySystem>(System::pod_scheduling_policy);
    const auto& stored = system.objects();
    const bool of_cluster =
        schedpol::detail::any_of(list, pod_scheduling_policy::detail::is_of_cluster);
    if (of_cluster) {
      stored.for_each<PodSchedulingPolicy>(add);
    } else {
      for (const std::string& namespace_ : namespaces_of(list))
        stored.for_each_in<PodSchedulingPolicy>(namespace_, add);
      stored.for_each_of_cluster<PodSchedulingPolicy>(add);
    }
    auto findings =
        pod_scheduling_policy::detail::PodSchedulingPolicyAnalysis(std::move(policies), budget_)
            .run();
    if (const auto all = system.policies().with(list))
      append(findings, pod_scheduling_policy::detail::giving_too_much(list, {}, *all, budget_));
    if (!of_cluster) return findings;
    append(findings,
           injected_not_permitted(list, policies_of_everybody(), engine_.settings, budget_));
    return findings;
  }

  std::vector<Finding> resource_policies() {
    using resource_policy::ResourcePolicy;
    const std::vector<ResourcePolicy>& list = written_.resource_policies;
    std::vector<resource_policy::detail::AnalyzedResourcePolicy> policies;
    for (const ResourcePolicy& policy : list) policies.push_back({&policy});
    for (const std::string& namespace_ : namespaces_of(list)) {
      const auto* here =
          compiled<ResourcePolicySystem>(System::resource_policy).policies_in(namespace_);
      for (std::size_t i = 0; here != nullptr && i < here->size() && !budget_.used_up(); ++i) {
        const ResourcePolicy& policy = (*here)[i];
        if (!is_replaced(policy, list) &&
            resource_policy::detail::is_neighbour(policy, list, budget_))
          policies.push_back({&policy, false});
      }
    }
    return resource_policy::detail::ResourcePolicyAnalysis(std::move(policies), budget_).run();
  }

  using SchedulingPolicies = std::vector<scheduling_policy::SchedulingPolicy>;

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
  /// All policies, with those that are written in the place of those of their names.
  SchedulingPolicies policies_of_everybody() {
    PolicyPointers all;
    for (const auto& policy : written_.scheduling_policies) add(policy, all);
    compiled<SchedulingPolicySystem>(System::scheduling_policy)
        .for_each_policy([&](const scheduling_policy::SchedulingPolicy& policy) {
          return is_replaced(policy, written_.scheduling_policies) || add(policy, all);
        });
    return copies(all);
  }
  SchedulingPolicies policies_of(const rbac::Grant& grant) {
    if (grant.all) return policies_of_everybody();
    const auto& stored = compiled<SchedulingPolicySystem>(System::scheduling_policy);
    const SchedulingPolicies& list = written_.scheduling_policies;
    PolicyPointers all;
    for (const std::string& name : grant.names) {
      const auto found = std::find_if(list.begin(), list.end(),
                                      [&](const auto& each) { return each.metadata.name == name; });
      const auto* policy = found == list.end() ? stored.policy(name) : &*found;
      if (!budget_.spend(4) || (policy != nullptr && !add(*policy, all))) break;
    }
    return copies(all);
  }

  std::vector<Finding> scheduling_policies() {
    const SchedulingPolicies& list = written_.scheduling_policies;
    std::set<std::string, std::less<>> names;
    for (const auto& policy : list) names.insert(policy.metadata.name);
    const Settings& settings = engine_.settings;
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
  static constexpr std::size_t steps_of_neighbour = 60;  ///< which is sorted among the others
  static constexpr std::size_t steps_of_holder = 5;
  static constexpr std::size_t steps_of_grant = 50;

  [[nodiscard]] GrantTable grants_with_written() const {
    GrantTable grants = compiled<SchedulingPolicySystem>(System::scheduling_policy).grants();
    if (written_.rbac != rbac::Rbac{}) grants.change(written_.rbac, written_.rbac);
    return grants;
  }

  /// The roles that name one of the policies, and the bindings to them.
  [[nodiscard]] rbac::Rbac roles_naming(const std::set<std::string, std::less<>>& policies) {
    rbac::Rbac found;
    const auto& stored = compiled<SchedulingPolicySystem>(System::scheduling_policy).rbac();
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

  const EngineAccess::Impl& engine_;
  const Objects& written_;
  Budget budget_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
