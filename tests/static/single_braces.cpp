// SPDX-License-Identifier: Apache-2.0
// Every list of a policy and of a pod stands in one pair of braces, as in YAML; no warning asks for
// another.
#include <schedpol/schedpol.hpp>

#include <vector>

namespace sp = schedpol::scheduling_policy;

namespace {

using enum schedpol::NodeSelectorOperator;
using schedpol::any;
using schedpol::LabelSelectorOperator;
using schedpol::TaintEffect;
using schedpol::TolerationOperator;

sp::SchedulingPolicy policy() {
  return {
      .metadata = {.name = "everyone", .labels = {{"team", "platform"}}},
      .spec = {
          .required = {.scheduler_names = {"fast", "slow"},
                       .node_selectors = sp::NodeSelectors{{"arch", {"amd64"}}}},
          .allowed =
              {
                  .scheduler_names = {"fast", "slow"},
                  .priority_class_names = {"gold"},
                  .node_selectors = {{"disk", {"ssd", "nvme"}}, {"zone", any}, {"os", {"linux"}}},
                  .tolerations =
                      {{.keys = {"gpu", "spot"},
                        .operators = {TolerationOperator::exists},
                        .effects = {TaintEffect::no_schedule, TaintEffect::no_execute}},
                       {.keys = {"infra"}, .operators = any, .values = {"a", "b"}, .effects = any}},
                  .affinities = sp::AffinityRules{.node_affinities = any, .pod_affinities = any},
              },
          .defaults = {.scheduler_name = "fast",
                       .node_selector = schedpol::Labels{{"disk", "ssd"}}},
      }};
}

schedpol::Pod pod() {
  return {.metadata = {.name = "web", .namespace_ = "shop", .labels = {{"app", "web"}}},
          .spec = {
              .scheduler_name = "fast",
              .node_selector = {{"disk", "ssd"}, {"zone", "za"}},
              .tolerations = {{.key = "gpu", .operator_ = TolerationOperator::exists},
                              {.key = "spot", .value = "yes", .effect = TaintEffect::no_schedule}},
          }};
}

schedpol::NodeSelectorTerm zones() {
  return {.match_expressions = {{.key = "zone", .operator_ = in, .values = {"za", "zb"}},
                                {.key = "disk", .operator_ = not_in, .values = {"hdd"}},
                                {.key = "arch", .operator_ = exists}}};
}

schedpol::LabelSelector web() {
  return {.match_labels = {{"app", "web"}},
          .match_expressions = {
              {.key = "tier", .operator_ = LabelSelectorOperator::in, .values = {"a", "b"}},
              {.key = "old", .operator_ = LabelSelectorOperator::does_not_exist}}};
}

schedpol::PodAffinityTerm near() {
  return {.label_selector = web(),
          .namespaces = {"shop", "cart"},
          .topology_key = "zone",
          .match_label_keys = {"pod-template-hash"}};
}

schedpol::rbac::Role may_use() {
  return {.metadata = {.name = "user", .namespace_ = "shop"},
          .rules = {{.verbs = {"use"},
                     .api_groups = {"schedpol.io"},
                     .resources = {"schedulingpolicies"},
                     .resource_names = {"everyone", "gpu"}}}};
}

schedpol::resource_policy::ResourcePolicy spread() {
  return {.metadata = {.name = "spread", .namespace_ = "shop"},
          .spec = {.match_label_keys = {"app", "version"},
                   .units = {{.priority = 5}, {.priority = 1, .max_count = 3}}}};
}

schedpol::Violation violation() {
  schedpol::Violation made = {.field = {"spec", "schedulerName"},
                              .value = "other",
                              .policies = {"everyone", "gpu"},
                              .permitted = {"fast"}};
  made.policies = {"gpu"};
  made.permitted = {};
  return made;
}

}  // namespace

bool allowed() {
  const auto effective = sp::merge(std::vector<sp::SchedulingPolicy>{policy(), policy()});
  const schedpol::Admission admission = sp::admit(pod(), effective, {});
  const auto matcher = schedpol::compile(web());
  return admission.allowed && matcher && matcher->matches({{"app", "web"}, {"tier", "a"}}) &&
         zones().match_expressions.size() == near().namespaces.size() && may_use().rules.empty() &&
         spread().spec.units.empty() && message(violation()).empty();
}
