// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/defaults.hpp>

#include "given_defaults.hpp"

#include <concepts>
#include <type_traits>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace defaults_test {

using namespace given_defaults;

static_assert(std::is_aggregate_v<Defaulted> && std::regular<Defaulted>);

using schedpol::testing::List;

constexpr auto equal = TolerationOperator::equal;
constexpr auto no_schedule = TaintEffect::no_schedule;

TEST_CASE("without defaults nothing changes") {
  const Pod pod{.spec = {.node_selector = {{"disk", "ssd"}}}};
  for (const EffectivePolicy& effective :
       {EffectivePolicy(), EffectivePolicy::ambiguous("p"), merged({})}) {
    CHECK(apply_defaults(pod, effective) == Defaulted{.pod = pod});
  }
}

TEST_CASE("the scheduler name is given to a pod that has none") {
  const Defaults blue{.scheduler_name = "blue"};
  apply_each({
      {"none",
       blue,
       {},
       {.scheduler_name = "blue"},
       {{"spec.schedulerName"_path, {}, "blue", "p"}}},
      {"another", blue, {.scheduler_name = "green"}, {.scheduler_name = "green"}, {}},
      {"the default scheduler is one that the pod asks for",
       blue,
       {.scheduler_name = "default-scheduler"},
       {.scheduler_name = "default-scheduler"},
       {}},
      {"an empty default gives nothing", {.scheduler_name = ""}, {}, {}, {}},
  });
  apply_each({{"unless it is taken as unspecified",
               blue,
               {.scheduler_name = "default-scheduler"},
               {.scheduler_name = "blue"},
               {{"spec.schedulerName"_path, "default-scheduler", "blue", "p"}}},
              {"none",
               blue,
               {},
               {.scheduler_name = "blue"},
               {{"spec.schedulerName"_path, {}, "blue", "p"}}},
              {"another stays", blue, {.scheduler_name = "green"}, {.scheduler_name = "green"}, {}},
              {"it is not replaced by itself",
               {.scheduler_name = "default-scheduler"},
               {.scheduler_name = "default-scheduler"},
               {.scheduler_name = "default-scheduler"},
               {}}},
             {.default_scheduler = DefaultScheduler::unspecified});
}

TEST_CASE("the priority class is given to a pod that has none, and what it stands for cleared") {
  const Defaults gold{.priority_class_name = "gold"};
  apply_each({
      {"none",
       gold,
       {},
       {.priority_class_name = "gold"},
       {{"spec.priorityClassName"_path, {}, "gold", "p"}}},
      {"none, with a priority and a preemption policy",
       gold,
       {.priority = 0, .preemption_policy = "Never"},
       {.priority_class_name = "gold"},
       {{"spec.priorityClassName"_path, {}, "gold", "p"},
        {"spec.priority"_path, "0", {}, "p"},
        {"spec.preemptionPolicy"_path, "Never", {}, "p"}}},
      {"another stays, with its priority",
       gold,
       {.priority_class_name = "silver", .priority = 7},
       {.priority_class_name = "silver", .priority = 7},
       {}},
      {"the same stays, with its priority",
       gold,
       {.priority_class_name = "gold", .priority = 7},
       {.priority_class_name = "gold", .priority = 7},
       {}},
  });
  apply_each({{"the global default is taken as none",
               gold,
               {.priority_class_name = "bronze", .priority = 1},
               {.priority_class_name = "gold"},
               {{"spec.priorityClassName"_path, "bronze", "gold", "p"},
                {"spec.priority"_path, "1", {}, "p"}}},
              {"none is none, whatever the global default",
               gold,
               {},
               {.priority_class_name = "gold"},
               {{"spec.priorityClassName"_path, {}, "gold", "p"}}},
              {"and is not replaced by itself",
               {.priority_class_name = "bronze"},
               {.priority_class_name = "bronze", .priority = 1},
               {.priority_class_name = "bronze", .priority = 1},
               {}}},
             {.global_default_priority_class = "bronze"});
}

TEST_CASE("the node selector is given key by key") {
  const Defaults two{.node_selector = Labels{{"arch", "amd64"}, {"os", "linux"}}};
  apply_each({
      {"none",
       two,
       {},
       {.node_selector = {{"arch", "amd64"}, {"os", "linux"}}},
       {{"spec.nodeSelector[arch]"_path, {}, "amd64", "p"},
        {"spec.nodeSelector[os]"_path, {}, "linux", "p"}}},
      {"one of them, and another key",
       two,
       {.node_selector = {{"arch", "arm64"}, {"disk", "ssd"}}},
       {.node_selector = {{"arch", "arm64"}, {"disk", "ssd"}, {"os", "linux"}}},
       {{"spec.nodeSelector[os]"_path, {}, "linux", "p"}}},
      {"an empty value is specified",
       two,
       {.node_selector = {{"arch", ""}, {"os", ""}}},
       {.node_selector = {{"arch", ""}, {"os", ""}}},
       {}},
  });
  apply_each({{"an exempt pair is not replaced",
               two,
               {.node_selector = {{"arch", "arm64"}}},
               {.node_selector = {{"arch", "arm64"}, {"os", "linux"}}},
               {{"spec.nodeSelector[os]"_path, {}, "linux", "p"}}}},
             {.exempt = {.node_selector = {{"arch", "arm64"}}}});
}

TEST_CASE("tolerations are given to a pod that has none") {
  const Toleration gpu_a = {"gpu", equal, "a", no_schedule};
  const Toleration gpu_b = {"gpu", equal, "b", no_schedule};
  const Toleration spot = {"spot", exists, "", {}};
  const Defaults three{
      .tolerations = {{{.toleration = {"gpu", equal, "", no_schedule}, .values = {"a", "b"}},
                       {.toleration = spot}}}};
  apply_each({
      {"none: one for each value",
       three,
       {},
       {.tolerations = {gpu_a, gpu_b, spot}},
       {{"spec.tolerations[0]"_path, {}, to_string(gpu_a), "p"},
        {"spec.tolerations[1]"_path, {}, to_string(gpu_b), "p"},
        {"spec.tolerations[2]"_path, {}, to_string(spot), "p"}}},
      {"any toleration specifies them",
       three,
       {.tolerations = {{"other", exists, "", {}}}},
       {.tolerations = {{"other", exists, "", {}}}},
       {}},
      {"one of the defaults as well",
       three,
       {.tolerations = {gpu_b}},
       {.tolerations = {gpu_b}},
       {}},
      {"each only once",
       {.tolerations = {{{.toleration = gpu_a},
                         {.toleration = {"gpu", {}, "", no_schedule}, .values = {"a", "a"}}}}},
       {},
       {.tolerations = {gpu_a}},
       {{"spec.tolerations[0]"_path, {}, to_string(gpu_a), "p"}}},
      {"values [] is as good as none",
       {.tolerations = {{{.toleration = gpu_a, .values = any}}}},
       {},
       {.tolerations = {gpu_a}},
       {{"spec.tolerations[0]"_path, {}, to_string(gpu_a), "p"}}},
  });

  const auto exempt = default_toleration_seconds();
  const Defaults with_exempt{.tolerations = {{{.toleration = exempt[1]}, {.toleration = spot}}}};
  apply_each({{"exempt ones do not specify them",
               three,
               {.tolerations = {exempt[0]}},
               {.tolerations = {exempt[0], gpu_a, gpu_b, spot}},
               {{"spec.tolerations[1]"_path, {}, to_string(gpu_a), "p"},
                {"spec.tolerations[2]"_path, {}, to_string(gpu_b), "p"},
                {"spec.tolerations[3]"_path, {}, to_string(spot), "p"}}},
              {"another beside them does",
               three,
               {.tolerations = {exempt[0], gpu_b}},
               {.tolerations = {exempt[0], gpu_b}},
               {}},
              {"a default that the pod has is not given again",
               with_exempt,
               {.tolerations = exempt},
               {.tolerations = {exempt[0], exempt[1], spot}},
               {{"spec.tolerations[2]"_path, {}, to_string(spot), "p"}}},
              {"a default that is exempt itself is given once",
               {.tolerations = {{{.toleration = exempt[1]}}}},
               {},
               {.tolerations = {exempt[1]}},
               {{"spec.tolerations[0]"_path, {}, to_string(exempt[1]), "p"}}}},
             {.exempt = {.tolerations = exempt}});
}

TEST_CASE("a change names the path in the workload and the first policy that gives it") {
  const Defaults blue{.scheduler_name = "blue", .node_selector = Labels{{"disk", "ssd"}}};
  const Defaults more{.scheduler_name = "blue",
                      .node_selector = Labels{{"disk", "ssd"}, {"os", "linux"}},
                      .tolerations = {{{.toleration = {"gpu", exists, "", {}}}}},
                      .affinity = Affinity{.pod_affinity = topology("zone")}};
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "b"}, .spec = {.defaults = more}},
      {.metadata = {.name = "a"}, .spec = {.defaults = blue}}};
  CHECK(
      apply_defaults(Pod{.kind = PodKind::deployment}, merge(policies)).changes ==
      Changes{
          {"spec.template.spec.schedulerName"_path, {}, "blue", "a"},
          {"spec.template.spec.nodeSelector[disk]"_path, {}, "ssd", "a"},
          {"spec.template.spec.nodeSelector[os]"_path, {}, "linux", "b"},
          {"spec.template.spec.tolerations[0]"_path, {}, "gpu Exists", "b"},
          {"spec.template.spec.affinity.podAffinity"_path, {}, to_string(topology("zone")), "b"}});
}

TEST_CASE("a change names its policy under every strategy") {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "a"},
       .spec = {.defaults = {.scheduler_name = "blue",
                             .priority_class_name = "gold",
                             .node_selector = Labels{{"kubernetes.io/os", "linux"}},
                             .tolerations = {{{.toleration = {"gpu", exists, "", {}}}}},
                             .affinity = Affinity{.pod_anti_affinity = topology("zone")}}}}};
  for (const MergeStrategy strategy :
       {MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins,
        MergeStrategy::simple_merge}) {
    CAPTURE(to_string(strategy));
    const Changes changes = apply_defaults(Pod{}, merge(policies, strategy)).changes;
    CHECK(changes.size() == 5);
    for (const Change& change : changes) CHECK(change.policy == "a");
  }
}

TEST_CASE("metadata and the fields that policies do not speak of stay") {
  const Pod pod{.kind = PodKind::job,
                .metadata = {.name = "n", .namespace_ = "ns", .labels = {{"a", "b"}}},
                .spec = {.node_name = "node-1", .service_account_name = "sa"}};
  Pod wanted = pod;
  wanted.spec.scheduler_name = "blue";
  CHECK(apply_defaults(pod, merged({.scheduler_name = "blue"})).pod == wanted);
}

}  // namespace defaults_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
