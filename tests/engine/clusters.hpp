// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Clusters of any number of policies, of which three apply to a pod, and each changes one thing.

#include <schedpol/engine/configuration.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::testing {

inline constexpr const char* clusters[] = {"SchedulingPolicy by RBAC",
                                           "SchedulingPolicy by every",
                                           "PodSchedulingPolicy",
                                           "ClusterPodSchedulingPolicy",
                                           "ClusterPodSchedulingPolicy by namespace",
                                           "MetadataPolicy"};

/// Of eight characters, so that all texts made of them are of one size.
inline std::string numbered(std::string_view what, std::size_t i) {
  const std::string digits = std::to_string(i);
  return std::string(what) + std::string(8 - digits.size(), '0') + digits;
}

/// The pod that the three middle policies apply to.
inline Pod pod_of(std::size_t size) {
  Pod pod{.metadata = {.name = "p",
                       .namespace_ = numbered("namespace-", size / 2),
                       .labels = {{"app", numbered("app-", size / 2)}, {"tier", "web"}}}};
  pod.spec.service_account_name = "builder";
  return pod;
}

/// `size` policies in thirds as many applications, namespaces and users.
inline engine::Configuration cluster_of(std::string_view what, std::size_t size) {
  using engine::System;
  engine::Configuration configuration;
  auto& objects = configuration.objects;
  const auto place = [&](std::size_t i) { return (i / 3) * 3 + 1; };
  // The three of the middle have the number of the pod.
  const auto number = [&](std::size_t i) {
    return place(i) == place(size / 2) ? size / 2 : place(i) == size / 2 ? size + 1 : place(i);
  };
  for (std::size_t i = 0; i < size; ++i) {
    const std::string name = numbered("policy-", i);
    const std::string key = "key-" + std::to_string(i % 3);
    const std::string in = numbered("namespace-", number(i));
    const std::string app = numbered("app-", number(i));
    if (what.starts_with("SchedulingPolicy")) {
      configuration.systems = {{System::scheduling_policy}};
      configuration.settings.policy_use =
          what.ends_with("every") ? engine::PolicyUse::every : engine::PolicyUse::rbac;
      scheduling_policy::SchedulingPolicy policy{.metadata = {.name = name}};
      policy.spec.allowed.scheduler_names = {"default-scheduler"};
      policy.spec.defaults.node_selector = Labels{{key, "value"}};
      objects.scheduling_policies.push_back(std::move(policy));
      objects.rbac.roles.push_back({.metadata = {.name = name, .namespace_ = in},
                                    .rules = {{.verbs = {"use"},
                                               .api_groups = {"schedpol.io"},
                                               .resources = {"schedulingpolicies"},
                                               .resource_names = {name}}}});
      objects.rbac.role_bindings.push_back(
          {.metadata = {.name = name, .namespace_ = in},
           .role_ref = {.kind = "Role", .name = name},
           .subjects = {{.kind = "ServiceAccount", .name = "builder"}}});
    } else if (what == "MetadataPolicy") {
      configuration.systems = {{System::metadata_policy}};
      const LabelSelector selector{.match_labels = {{"app", app}}};
      metadata_policy::PolicyAction action;
      // With the annotation for the quality of service these are three changes.
      if (i % 3 != 0) action.updated_labels = {{key, "value"}};
      objects.metadata_policies.push_back(
          {.metadata = {.name = name, .namespace_ = numbered("namespace-", size / 2)},
           .spec = {.rules = {{.policy_predicate = {.label_selector = selector},
                               .policy_action = action}}}});
    } else {
      configuration.systems = {{System::pod_scheduling_policy}};
      pod_scheduling_policy::PodSchedulingPolicy policy{.metadata = {.name = name}};
      policy.spec.node_selector = {{key, "value"}};
      if (what == "PodSchedulingPolicy") {
        policy.metadata.namespace_ = in;
        policy.spec.pod_selector = LabelSelector{.match_labels = {{"tier", "web"}}};
      } else {
        policy.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy;
        policy.spec.namespace_selector = LabelSelector{.match_labels = {{"kind", "of-all"}}};
        policy.spec.pod_selector = LabelSelector{.match_labels = {{"tier", "web"}}};
        if (what.ends_with("namespace")) {
          policy.spec.namespace_selector->match_labels["name"] = in;
        } else {
          policy.spec.pod_selector->match_expressions = {
              {.key = "app", .operator_ = LabelSelectorOperator::in, .values = {app, app + "-x"}}};
        }
      }
      objects.pod_scheduling_policies.push_back(std::move(policy));
    }
    if (i % 3 == 0) {
      objects.namespaces.push_back({{.name = in, .labels = {{"kind", "of-all"}, {"name", in}}}});
    }
  }
  return configuration;
}

/// The policy in the middle, with another value; or the role or the binding there, for another
/// policy, another account.
inline engine::Objects one_changed(const engine::Objects& objects,
                                   std::string_view kind = "policy") {
  engine::Objects changed;
  const auto take = [](auto& to, const auto& from) {
    if (!from.empty()) to = {from[from.size() / 2]};
  };
  if (kind == "role") {
    take(changed.rbac.roles, objects.rbac.roles);
    for (rbac::Role& role : changed.rbac.roles)
      role.rules.front().resource_names.push_back(numbered("policy-", 0));
    return changed;
  }
  if (kind == "binding") {
    take(changed.rbac.role_bindings, objects.rbac.role_bindings);
    for (rbac::RoleBinding& binding : changed.rbac.role_bindings)
      binding.subjects.push_back({.kind = "ServiceAccount", .name = "another"});
    return changed;
  }
  take(changed.scheduling_policies, objects.scheduling_policies);
  take(changed.metadata_policies, objects.metadata_policies);
  take(changed.pod_scheduling_policies, objects.pod_scheduling_policies);
  for (auto& policy : changed.scheduling_policies)
    policy.spec.defaults.node_selector->begin()->second = "another";
  for (auto& policy : changed.pod_scheduling_policies)
    policy.spec.node_selector.begin()->second = "another";
  return changed;
}

}  // namespace schedpol::testing
