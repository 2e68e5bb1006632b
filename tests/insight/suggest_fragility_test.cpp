// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/suggest.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace suggest_fragility_test {

// That it is exact for every inventory is a law, in suggest_laws_test.cpp.

using namespace schedpol;
using engine::Configuration;
using engine::Fragility;
using engine::RunningObject;
using engine::SuggestedSubject;
using engine::SuggestOptions;
using engine::System;
using scheduling_policy::MergeStrategy;
using scheduling_policy::SchedulingPolicy;

using Operator = TolerationOperator;
using Effect = TaintEffect;

/// An object of an owner of its own.
RunningObject object(std::string account, std::string owner, PodSpec spec, Labels labels = {}) {
  Pod pod{.metadata = {.name = owner, .namespace_ = "shop", .labels = std::move(labels)},
          .spec = std::move(spec)};
  pod.spec.service_account_name = std::move(account);
  return {.request = {.object = pod}, .owner = {"Deployment", "shop", std::move(owner)}, .pods = 1};
}
PodSpec tolerating(std::vector<Toleration> tolerations) {
  return {.tolerations = std::move(tolerations)};
}
Toleration exists(std::string key, OpenEnum<Effect> effect = {}) {
  return {std::move(key), Operator::exists, "", effect, {}};
}
PodSpec with_terms(std::vector<NodeSelectorTerm> terms) {
  NodeAffinity affinity;
  affinity.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
  return {.affinity = Affinity{.node_affinity = std::move(affinity)}};
}
NodeSelectorTerm in(std::string key, std::string value) {
  return {{{std::move(key), NodeSelectorOperator::in, {std::move(value)}}}, {}};
}

Fragility fragility_of(const std::vector<RunningObject>& objects,
                       const SuggestOptions& options = {},
                       const Configuration& configuration = {}) {
  const auto suggestion = suggest(configuration, objects, options);
  REQUIRE(suggestion);
  return suggestion->fragile;
}

/// May be used by an account.
void grant(Configuration& configuration, const std::string& policy, const std::string& account) {
  rbac::Rbac& rbac = configuration.objects.rbac;
  rbac.cluster_roles.push_back({{.name = policy},
                                {{.verbs = {"use"},
                                  .api_groups = {"schedpol.io"},
                                  .resources = {"schedulingpolicies"},
                                  .resource_names = {policy}}}});
  rbac.role_bindings.push_back({{.name = policy, .namespace_ = "shop"},
                                {"rbac.authorization.k8s.io", "ClusterRole", policy},
                                {{"ServiceAccount", "", account, "shop"}}});
}

TEST_CASE("an owner is fragile whose objects need what no other of the subject does") {
  const PodSpec gpu = tolerating({exists("gpu", Effect::no_schedule)});
  const PodSpec gpu_of_any_effect = tolerating({exists("gpu")});
  CHECK(fragility_of({object("web", "a", gpu)}) == Fragility{1, 1});
  CHECK(fragility_of({object("web", "a", gpu), object("web", "b", gpu)}) == Fragility{2, 0});
  CHECK(fragility_of({object("web", "a", gpu), object("api", "b", gpu)}) == Fragility{2, 2});
  CHECK(fragility_of({object("web", "a", gpu), object("web", "b", {})}) == Fragility{2, 1});
  CHECK(fragility_of({object("web", "a", gpu), object("web", "b", gpu_of_any_effect)}) ==
        Fragility{2, 1});
  CHECK(fragility_of({object("web", "a", gpu), object("api", "b", gpu)},
                     {.subject = SuggestedSubject::namespace_}) == Fragility{2, 0});
  CHECK(fragility_of({object("web", "a", gpu), object("api", "b", gpu), object("cron", "c", gpu)},
                     {.common_percent = 60}) == Fragility{3, 0});
}

TEST_CASE("an object needs by itself what another system adds to it once it is permitted") {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}, {System::pod_scheduling_policy}};
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "fast", .namespace_ = "shop"},
       .spec = {.pod_selector = LabelSelector{.match_labels = {{"app", "fast"}}},
                .node_selector = {{"disk", "ssd"}}}}};
  CHECK(fragility_of({object("web", "a", {}, {{"app", "fast"}}),
                      object("web", "b", {.node_selector = {{"disk", "ssd"}}})},
                     {}, configuration) == Fragility{2, 0});
}

}  // namespace suggest_fragility_test
