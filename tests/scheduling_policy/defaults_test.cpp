// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/defaults.hpp>

#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"

#include <concepts>
#include <type_traits>

namespace schedpol::scheduling_policy {
namespace defaults_test {

using schedpol::testing::operator""_path;

static_assert(std::is_aggregate_v<Defaulted> && std::regular<Defaulted>);

using schedpol::testing::List;
using Changes = std::vector<Change>;

constexpr auto equal = TolerationOperator::equal;
constexpr auto exists = TolerationOperator::exists;
constexpr auto no_schedule = TaintEffect::no_schedule;

EffectivePolicy merged(Defaults defaults, PolicyRules required = {}) {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "p"},
       .spec = {.required = std::move(required), .defaults = std::move(defaults)}}};
  return merge(policies);
}

struct Case {
  const char* name;
  Defaults defaults;
  PodSpec pod;
  PodSpec wanted;
  Changes changes;
};

void apply_each(const std::vector<Case>& cases, const Options& options = {}) {
  for (const auto& [name, defaults, pod, wanted, changes] : cases) {
    CAPTURE(name);
    const EffectivePolicy effective = merged(defaults);
    const Defaulted once = apply_defaults(Pod{.spec = pod}, effective, options);
    CHECK(once.pod == Pod{.spec = wanted});
    CHECK(once.changes == changes);
    const Defaulted twice = apply_defaults(once.pod, effective, options);
    CHECK(twice.pod == once.pod);
    CHECK(twice.changes == Changes{});
  }
}

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
             {.exempt_node_selector = {{"arch", "arm64"}}});
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
             {.exempt_tolerations = exempt});
}

// ---- affinity

NodeSelectorRequirement requirement(std::string key) {
  return {.key = std::move(key), .operator_ = NodeSelectorOperator::exists};
}
NodeSelectorTerm term(std::vector<std::string> keys) {
  NodeSelectorTerm term;
  for (std::string& key : keys) term.match_expressions.push_back(requirement(std::move(key)));
  return term;
}
Affinity required_node(std::vector<NodeSelectorTerm> terms) {
  return {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                            NodeSelector{std::move(terms)}}};
}
PodAffinity topology(std::string key) {
  return {
      .required_during_scheduling_ignored_during_execution = {{.topology_key = std::move(key)}}};
}

TEST_CASE("affinity is given kind by kind, where the pod has no terms of the kind") {
  Affinity all = required_node({term({"disk"})});
  all.pod_affinity = topology("zone");
  all.pod_anti_affinity = topology("host");
  const Defaults every_kind{.affinity = all};
  Affinity own = required_node({term({"own"})});
  own.pod_affinity = PodAffinity{};
  own.pod_anti_affinity =
      PodAffinity{.preferred_during_scheduling_ignored_during_execution = {
                      {.weight = 1, .pod_affinity_term = {.topology_key = "x"}}}};
  Affinity own_and_given = own;
  own_and_given.pod_affinity = all.pod_affinity;
  apply_each({
      {"none",
       every_kind,
       {},
       {.affinity = all},
       {{"spec.affinity.nodeAffinity"_path, {}, to_string(*all.node_affinity), "p"},
        {"spec.affinity.podAffinity"_path, {}, to_string(*all.pod_affinity), "p"},
        {"spec.affinity.podAntiAffinity"_path, {}, to_string(*all.pod_anti_affinity), "p"}}},
      {"kinds without terms are none",
       every_kind,
       {.affinity = Affinity{.node_affinity =
                                 NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                                  NodeSelector{}},
                             .pod_affinity = PodAffinity{},
                             .pod_anti_affinity = PodAffinity{}}},
       {.affinity = all},
       {{"spec.affinity.nodeAffinity"_path, {}, to_string(*all.node_affinity), "p"},
        {"spec.affinity.podAffinity"_path, {}, to_string(*all.pod_affinity), "p"},
        {"spec.affinity.podAntiAffinity"_path, {}, to_string(*all.pod_anti_affinity), "p"}}},
      {"a kind with terms in either mode stays",
       every_kind,
       {.affinity = own},
       {.affinity = own_and_given},
       {{"spec.affinity.podAffinity"_path, {}, to_string(*all.pod_affinity), "p"}}},
      {"a default without terms gives nothing",
       {.affinity = Affinity{.node_affinity = NodeAffinity{}, .pod_affinity = PodAffinity{}}},
       {},
       {},
       {}},
      {"several terms stay as they are where none are required",
       {.affinity = required_node({term({"a"}), term({"b"})})},
       {},
       {.affinity = required_node({term({"a"}), term({"b"})})},
       {{"spec.affinity.nodeAffinity"_path, {}, "required (a Exists) | (b Exists)", "p"}}},
  });
}

TEST_CASE("a default of several required node terms is joined where terms are required") {
  NodeSelectorTerm with_field = term({"b", "a"});
  with_field.match_fields = {requirement("metadata.name")};
  NodeSelectorTerm joined = term({"a", "b"});
  joined.match_fields = with_field.match_fields;
  const PolicyRules listed{
      .affinities =
          AffinityRules{.node_affinities = NodeAffinityRules{
                            .required_during_scheduling_ignored_during_execution = NodeAffinityRule{
                                {TermPattern{.match_expressions = {{{.keys = {"a"}}}}}}}}}};
  const PolicyRules any_mode{
      .affinities = AffinityRules{.node_affinities = NodeAffinityRules{
                                      .required_during_scheduling_ignored_during_execution = any}}};
  const PolicyRules any_kind{.affinities = AffinityRules{.node_affinities = any}};
  const PolicyRules preferred{
      .affinities = AffinityRules{
          .node_affinities = NodeAffinityRules{
              .preferred_during_scheduling_ignored_during_execution =
                  NodeAffinityRule{{TermPattern{.match_expressions = {{{.keys = {"a"}}}}}}}}}};
  const Affinity several = required_node({term({"a"}), NodeSelectorTerm{}, with_field});
  struct JoinCase {
    const char* name;
    PolicyRules required;
    RequiredAffinity reading;
    Affinity given;
    Affinity wanted;
  };
  const JoinCase cases[] = {
      {"equal expressions once, empty terms left out", listed, RequiredAffinity::every_term,
       several, required_node({joined})},
      {"one term stays as it is, also with an expression twice", listed,
       RequiredAffinity::every_term, required_node({term({"a", "a"})}),
       required_node({term({"a", "a"})})},
      {"not where one term is enough", listed, RequiredAffinity::present, several, several},
      {"not where the requirement lists no terms", any_mode, RequiredAffinity::every_term, several,
       several},
      {"nor for a required kind", any_kind, RequiredAffinity::every_term, several, several},
      {"nor for required preferences", preferred, RequiredAffinity::every_term, several, several},
  };
  for (const auto& [name, required, reading, given, wanted] : cases) {
    CAPTURE(name);
    const EffectivePolicy effective = merged({.affinity = given}, required);
    const Options options{.required_affinity = reading};
    const Defaulted once = apply_defaults(Pod{}, effective, options);
    CHECK(once.pod == Pod{.spec = {.affinity = wanted}});
    CHECK(once.changes ==
          Changes{{"spec.affinity.nodeAffinity"_path, {}, to_string(*wanted.node_affinity), "p"}});
    CHECK(apply_defaults(once.pod, effective, options) == Defaulted{.pod = once.pod});
  }
}

TEST_CASE("joining terms keeps the preferences of the default") {
  Affinity given = required_node({term({"a"}), term({"b"})});
  given.node_affinity->preferred_during_scheduling_ignored_during_execution = {
      {.weight = 5, .preference = term({"c"})}};
  Affinity wanted = given;
  wanted.node_affinity->required_during_scheduling_ignored_during_execution =
      NodeSelector{{term({"a", "b"})}};
  const PolicyRules required{
      .affinities =
          AffinityRules{.node_affinities = NodeAffinityRules{
                            .required_during_scheduling_ignored_during_execution = NodeAffinityRule{
                                {TermPattern{.match_expressions = {{{.keys = {"a"}}}}}}}}}};
  CHECK(apply_defaults(Pod{}, merged({.affinity = given}, required)).pod.spec.affinity == wanted);
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
}  // namespace schedpol::scheduling_policy
