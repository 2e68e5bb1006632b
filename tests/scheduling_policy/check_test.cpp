// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "checked.hpp"

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_test {

using namespace checked;

static_assert(std::is_same_v<decltype(check(Pod{}, EffectivePolicy{})), std::vector<Violation>>);

// ---- the whole

TEST_CASE("violations come in the order of the rules") {
  const SchedulingPolicySpec policy{
      .required = {.priority_class_names = {"gold"},
                   .node_selectors = NodeSelectors{{"arch", any}},
                   .tolerations = TolerationPatterns{{.keys = {"gpu"}}},
                   .affinities = AffinityRules{.pod_affinities = any}}};
  const Pod pod{.spec = {.node_name = "node-1",
                         .node_selector = {{"disk", "ssd"}},
                         .tolerations = {{"gpu", exists, "", no_schedule}},
                         .affinity = Affinity{.node_affinity = required_node({term({disk_ssd})})}}};
  CHECK(reasons(check(pod, merged(policy))) ==
        List{"SchedulerNameNotAllowed spec.schedulerName", "NodeNameNotAllowed spec.nodeName",
             "PriorityClassNameRequired spec.priorityClassName",
             "NodeSelectorRequired spec.nodeSelector[arch]",
             "NodeSelectorNotAllowed spec.nodeSelector[disk]",
             "TolerationNotAllowed spec.tolerations[0]", "TolerationRequired spec.tolerations",
             "AffinityNotAllowed " + node_field, "AffinityRequired " + pod_field});
}

TEST_CASE("without policies, and with two of one name, the one violation is at the spec") {
  const std::vector<SchedulingPolicy> twice = {
      {.metadata = {.name = "b"}},
      {.metadata = {.name = "a"}, .spec = {.allowed = {.scheduler_names = any}}},
      {.metadata = {.name = "a"}, .spec = {.allowed = {.scheduler_names = {"blue"}}}}};
  struct Case {
    const char* name;
    EffectivePolicy effective;
    PodKind kind;
    Violation wanted;
  };
  const Case cases[] = {
      {"no policies",
       merge(std::vector<SchedulingPolicy>{}),
       PodKind::pod,
       {ViolationCode::no_usable_policy, "spec"_path, "", {}}},
      {"no policies, a template",
       merge(std::vector<SchedulingPolicy>{}),
       PodKind::deployment,
       {ViolationCode::no_usable_policy, "spec.template.spec"_path, "", {}}},
      {"two policies of one name",
       merge(twice),
       PodKind::pod,
       {ViolationCode::ambiguous_policy, "spec"_path, "", {"a"}}},
      {"two policies of one name, a template",
       merge(twice),
       PodKind::cron_job,
       {ViolationCode::ambiguous_policy, "spec.jobTemplate.spec.template.spec"_path, "", {"a"}}},
  };
  for (const auto& [name, effective, kind, wanted] : cases) {
    CAPTURE(name);
    const Pod pod{.kind = kind, .spec = {.scheduler_name = "blue", .node_name = "node-1"}};
    CHECK(check(pod, effective) == std::vector<Violation>{wanted});
  }
}

TEST_CASE("a policy without rules is a policy, and permits a pod nothing") {
  CHECK(reasons(check(Pod{}, merged({}))) == List{"SchedulerNameNotAllowed spec.schedulerName"});
}

TEST_CASE("a template is told of at the paths of its workload") {
  struct Case {
    PodKind kind;
    std::string wanted;
  };
  const Case cases[] = {
      {PodKind::pod, "spec"},
      {PodKind::pod_template, "template.spec"},
      {PodKind::replication_controller, "spec.template.spec"},
      {PodKind::replica_set, "spec.template.spec"},
      {PodKind::deployment, "spec.template.spec"},
      {PodKind::stateful_set, "spec.template.spec"},
      {PodKind::daemon_set, "spec.template.spec"},
      {PodKind::job, "spec.template.spec"},
      {PodKind::cron_job, "spec.jobTemplate.spec.template.spec"},
  };
  for (const auto& [kind, wanted] : cases) {
    CAPTURE(wanted);
    const Pod pod{.kind = kind,
                  .spec = {.node_selector = {{"disk", "ssd"}},
                           .tolerations = {{"gpu", exists, "", no_schedule}},
                           .affinity = Affinity{.pod_affinity = required_pod({"zone"})}}};
    CHECK(reasons(check(pod, merged({}))) ==
          List{"SchedulerNameNotAllowed " + wanted + ".schedulerName",
               "NodeSelectorNotAllowed " + wanted + ".nodeSelector[disk]",
               "TolerationNotAllowed " + wanted + ".tolerations[0]",
               "AffinityNotAllowed " + wanted + ".affinity.podAffinity"});
  }
}

TEST_CASE("a missing requirement names those who require it, a refusal all who were asked") {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "a"},
       .spec = {.required = {.scheduler_names = {"blue"},
                             .node_selectors = NodeSelectors{{"arch", any}},
                             .affinities = AffinityRules{.node_affinities = any}}}},
      {.metadata = {.name = "b"},
       .spec = {.required = {.scheduler_names = {"blue"},
                             .priority_class_names = {"gold"},
                             .node_selectors = NodeSelectors{{"os", any}},
                             .tolerations = TolerationPatterns{{.keys = {"gpu"}}}}}},
      {.metadata = {.name = "c"},
       .spec = {.required = {
                    .scheduler_names = {"green"},
                    .node_selectors = NodeSelectors{{"arch", any}},
                    .affinities = AffinityRules{.pod_affinities = required_pod_rule({"zone"})}}}}};
  const Pod pod{.spec = {.scheduler_name = "green", .node_selector = {{"disk", "ssd"}}}};
  std::vector<std::pair<FieldPath, List>> found;
  for (const Violation& violation : check(pod, merge(policies)))
    found.emplace_back(violation.field, violation.policies.vector());
  const std::vector<std::pair<FieldPath, List>> wanted = {
      {"spec.schedulerName"_path, {"a", "b"}},
      {"spec.priorityClassName"_path, {"b"}},
      {"spec.nodeSelector[arch]"_path, {"a", "c"}},
      {"spec.nodeSelector[os]"_path, {"b"}},
      {"spec.nodeSelector[disk]"_path, {"a", "b", "c"}},
      {"spec.tolerations"_path, {"b"}},
      {"spec.affinity.nodeAffinity"_path, {"a"}},
      {FieldPath{"spec", "affinity", "podAffinity", schedpol::required_mode}, {"c"}}};
  REQUIRE(found.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    CAPTURE(to_string(wanted[i].first));
    CHECK(found[i].first == wanted[i].first);
    CHECK(found[i].second == wanted[i].second);
  }
}

TEST_CASE("a missing requirement names who requires it under every strategy") {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "a"},
       .spec = {
           .required = {.node_selectors = NodeSelectors{{"kubernetes.io/arch", any}},
                        .affinities = AffinityRules{.node_affinities = any,
                                                    .pod_affinities = required_pod_rule({"zone"})}},
           .allowed = {.scheduler_names = any}}}};
  for (const MergeStrategy strategy :
       {MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins,
        MergeStrategy::simple_merge}) {
    CAPTURE(to_string(strategy));
    const auto found = check(Pod{}, merge(policies, strategy));
    CHECK(found.size() == 3);
    for (const Violation& violation : found) CHECK(violation.policies == List{"a"});
  }
}

TEST_CASE("violations share the names of their policies") {
  std::vector<SchedulingPolicy> policies(100);
  for (std::size_t i = 0; i < policies.size(); ++i)
    policies[i].metadata.name = "policy-" + std::to_string(i);
  Pod pod;
  for (int i = 0; i < 100; ++i) pod.spec.tolerations.push_back({.key = "k" + std::to_string(i)});
  const auto found = check(pod, merge(policies));
  REQUIRE(found.size() == 101);
  for (const Violation& violation : found) {
    CHECK(violation.policies.size() == 100);
    CHECK(violation.policies.vector().data() == found[0].policies.vector().data());
  }
}

}  // namespace check_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
