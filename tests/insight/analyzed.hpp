// SPDX-License-Identifier: Apache-2.0
#pragma once

// Objects that are analyzed.

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/insight/analyze.hpp>
#include <schedpol/rbac/builtin.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace analyzed {

using namespace schedpol;
using engine::Configuration;
using engine::Engine;
using engine::Objects;
using engine::PolicyUse;
using engine::System;
using engine::SystemFinding;
using Lines = std::vector<std::string>;

inline Lines texts(const std::vector<SystemFinding>& findings) {
  Lines all;
  for (const SystemFinding& finding : findings) all.push_back(message(finding));
  return all;
}

/// One finding of each system.
inline Configuration odd() {
  Configuration configuration;
  for (const System system : engine::all_systems) configuration.systems.push_back({system});
  configuration.settings.policy_use = PolicyUse::every;
  Objects& objects = configuration.objects;
  objects.runtime_classes = {{.metadata = {.name = "kata"},
                              .handler = "kata",
                              .scheduling = {{.node_selector = {{"runtime", "kata"}}}}}};
  objects.metadata_policies = {
      {.metadata = {.name = "m", .namespace_ = "shop"},
       .spec = {.rules = {{.policy_action = {.updated_labels = {{"a", "1"}}}},
                          {.policy_action = {.updated_labels = {{"a", "2"}}}}}}}};
  for (const char* name : {"p", "q"}) {
    objects.pod_scheduling_policies.push_back(
        {.metadata = {.name = name, .namespace_ = "shop"},
         .spec = {.pod_selector = LabelSelector{}, .scheduler_name = name}});
    objects.resource_policies.push_back({.metadata = {.name = name, .namespace_ = "shop"}});
  }
  objects.scheduling_policies = {{.metadata = {.name = "s"}}};
  return configuration;
}

inline const char* const found[] = {
    "RuntimeClass: `kata`: `scheduling.nodeSelector`: none of the nodes has the labels that the "
    "class asks for",
    "MetadataPolicy: `shop/m`: `metadata.labels[a]`: both can select one object, and write "
    "different values to it: `rules[0] 1, rules[1] 2`",
    "PodSchedulingPolicy: `shop/p` and `shop/q`: `spec.schedulerName`: both can select one object, "
    "and write different values to it: `p, q`",
    "SchedulingPolicy: `s`: no pod is allowed",
    "ResourcePolicy: `shop/p` and `shop/q`: `podSelector`: both can select one pod, which is then "
    "denied"};

inline rbac::Rbac granting(const char* policy, const char* account, const char* more_of_name = "") {
  const std::string name = std::string(policy) + more_of_name;
  rbac::Rbac objects;
  objects.roles = {{{.name = name, .namespace_ = "shop"},
                    {{{"use"}, {"schedpol.io"}, {"schedulingpolicies"}, {policy}}}}};
  objects.role_bindings = {{{.name = name, .namespace_ = "shop"},
                            {.kind = "Role", .name = name},
                            {{.kind = "ServiceAccount", .name = account}}}};
  return objects;
}

inline void add(rbac::Rbac& to, const rbac::Rbac& from) {
  to.roles.insert(to.roles.end(), from.roles.begin(), from.roles.end());
  to.role_bindings.insert(to.role_bindings.end(), from.role_bindings.begin(),
                          from.role_bindings.end());
}

/// Policies of two namespaces and of the cluster that often do different things to one object.
inline Objects overlapping(testing::Generator& generate) {
  const auto selector = [&] {
    LabelSelector made;
    for (const char* key : {"app", "tier"}) {
      const std::string value = generate.chance(50) ? "1" : "2";
      if (generate.chance(40)) made.match_labels.try_emplace(key, value);
      if (generate.chance(20))
        made.match_expressions.push_back({key, LabelSelectorOperator::not_in, {value}});
    }
    return made;
  };
  Objects objects;
  for (int i = 0; i < 5; ++i) {
    const std::string in = generate.chance(80) ? "shop" : "office";
    const auto called = [&](const char* name) {
      return ObjectMeta{.name = name + std::to_string(i), .namespace_ = in};
    };
    const std::string value = generate.chance(50) ? "1" : "2";
    metadata_policy::MetadataPolicy policy{.metadata = called("m")};
    policy.spec.rules.resize(1);
    policy.spec.rules[0].policy_predicate.label_selector = selector();
    policy.spec.rules[0].policy_action.reject = generate.chance(20);
    if (!policy.spec.rules[0].policy_action.reject)
      policy.spec.rules[0].policy_action.updated_labels = {{"x", value}};
    objects.metadata_policies.push_back(policy);
    pod_scheduling_policy::PodSchedulingPolicy injecting{
        .metadata = called("p"),
        .spec = {.pod_selector = selector(), .node_selector = {{"pool", value}}}};
    if (generate.chance(30)) {
      injecting.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy;
      injecting.metadata.namespace_ = "";
      injecting.spec.namespace_selector = LabelSelector{};
    }
    objects.pod_scheduling_policies.push_back(injecting);
    objects.resource_policies.push_back(
        {.metadata = called("r"), .spec = {.pod_selector = selector()}});
  }
  return objects;
}

}  // namespace analyzed
