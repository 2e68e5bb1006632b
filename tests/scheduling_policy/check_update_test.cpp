// SPDX-License-Identifier: Apache-2.0

#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"
#include "../support/reasons.hpp"

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_update_test {

using schedpol::testing::operator""_path;

using schedpol::testing::List;
using schedpol::testing::reasons;

constexpr auto exists = TolerationOperator::exists;
constexpr auto no_schedule = TaintEffect::no_schedule;
constexpr auto in = NodeSelectorOperator::in;

EffectivePolicy merged(SchedulingPolicySpec spec) {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "p"}, .spec = std::move(spec)}};
  return merge(policies);
}

/// Permits the default scheduler, tolerations of the key `fine`, and required node affinity to
/// zone a; priority class gold is required.
EffectivePolicy some_policy() {
  return merged(
      {.required = {.priority_class_names = {"gold"}},
       .allowed = {
           .scheduler_names = {"default-scheduler"},
           .tolerations = {{{.keys = {"fine"}, .operators = {exists}, .effects = any}}},
           .affinities = AffinityRules{
               .node_affinities = NodeAffinityRules{
                   .required_during_scheduling_ignored_during_execution = NodeAffinityRule{
                       {{.match_expressions = {
                             {{.keys = {"zone"}, .operators = {in}, .values = {"a"}}}}}}}}}}});
}

PodSpec with_node_terms(std::vector<NodeSelectorTerm> terms) {
  return {.affinity = Affinity{
              .node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                                NodeSelector{std::move(terms)}}}};
}

TEST_CASE("an update is denied only for what the old pod did not have") {
  struct Case {
    const char* name;
    PodSpec old;
    PodSpec updated;
    List wanted;
  };
  const Toleration gpu = {"gpu", exists, "", no_schedule};
  const Toleration spot = {"spot", exists, "", no_schedule};
  const Toleration fine = {"fine", exists, "", no_schedule};
  const NodeSelectorRequirement disk = {.key = "disk", .operator_ = in, .values = {"ssd"}};
  const NodeSelectorRequirement rack = {.key = "rack", .operator_ = in, .values = {"1"}};
  const NodeSelectorRequirement zone = {.key = "zone", .operator_ = in, .values = {"a"}};
  const std::string terms =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
  const Case cases[] = {
      {"the same violation stays", {.scheduler_name = "blue"}, {.scheduler_name = "blue"}, {}},
      {"another value is new",
       {.scheduler_name = "blue"},
       {.scheduler_name = "green"},
       {"SchedulerNameNotAllowed spec.schedulerName"}},
      {"what was fine and is not any more is new",
       {},
       {.scheduler_name = "green"},
       {"SchedulerNameNotAllowed spec.schedulerName"}},
      {"what was wrong may be put right",
       {.scheduler_name = "blue"},
       {.priority_class_name = "gold"},
       {}},
      {"only the new ones are told, in the order of the check",
       {.scheduler_name = "blue"},
       {.scheduler_name = "blue", .node_name = "node-1", .priority_class_name = "silver"},
       {"NodeNameNotAllowed spec.nodeName", "PriorityClassNameRequired spec.priorityClassName"}},
      {"a toleration may move", {.tolerations = {gpu}}, {.tolerations = {fine, fine, gpu}}, {}},
      {"an added toleration is checked",
       {.tolerations = {gpu}},
       {.tolerations = {gpu, spot}},
       {"TolerationNotAllowed spec.tolerations[1]"}},
      {"also where it takes the place of another",
       {.tolerations = {gpu}},
       {.tolerations = {spot, gpu}},
       {"TolerationNotAllowed spec.tolerations[0]"}},
      {"other seconds make another toleration",
       {.tolerations = {{"gpu", exists, "", TaintEffect::no_execute, 60}}},
       {.tolerations = {{"gpu", exists, "", TaintEffect::no_execute}}},
       {"TolerationNotAllowed spec.tolerations[0]"}},
      {"an expression may move to another term",
       with_node_terms({{.match_expressions = {disk}}, {.match_expressions = {zone, rack}}}),
       with_node_terms({{.match_expressions = {zone, zone, rack}}}),
       {}},
      {"an added expression is checked",
       with_node_terms({{.match_expressions = {disk}}}),
       with_node_terms({{.match_expressions = {disk}}, {.match_expressions = {rack}}}),
       {"AffinityNotAllowed " + terms + "[1].matchExpressions[0]"}},
      {"an expression is no field",
       with_node_terms({{.match_expressions = {disk}}}),
       with_node_terms({{.match_fields = {disk}}}),
       {"AffinityNotAllowed " + terms + "[0].matchFields[0]"}},
      {"another key of the node selector is new",
       {.node_selector = {{"disk", "ssd"}}},
       {.node_selector = {{"disk2", "ssd"}}},
       {"NodeSelectorNotAllowed spec.nodeSelector[disk2]"}},
      {"also when both keys are numbers",
       {.node_selector = {{"1", "ssd"}}},
       {.node_selector = {{"2", "ssd"}}},
       {"NodeSelectorNotAllowed spec.nodeSelector[2]"}},
      {"another value of a key is new",
       {.node_selector = {{"disk", "ssd"}}},
       {.node_selector = {{"disk", "hdd"}}},
       {"NodeSelectorNotAllowed spec.nodeSelector[disk]"}},
  };
  const EffectivePolicy effective = some_policy();
  for (const auto& [name, old, updated, wanted] : cases) {
    CAPTURE(name);
    CHECK(reasons(check_update(Old(Pod{.spec = old}), Pod{.spec = updated}, effective)) == wanted);

    List in_template = wanted;
    for (std::string& reason : in_template)
      reason.replace(reason.find(" spec"), 5, " spec.template.spec");
    CHECK(reasons(check_update(Old(Pod{.kind = PodKind::job, .spec = old}),
                               Pod{.kind = PodKind::job, .spec = updated}, effective)) ==
          in_template);
  }
}

TEST_CASE("a violation of an update is that of the check, value and policies included") {
  const Pod updated{.spec = {.scheduler_name = "green", .priority_class_name = "gold"}};
  const EffectivePolicy effective = some_policy();
  CHECK(check_update(Old(Pod{}), updated, effective) == check(updated, effective));
  CHECK(check_update(Old(Pod{}), updated, effective) ==
        std::vector<Violation>{{ViolationCode::scheduler_name_not_allowed,
                                "spec.schedulerName"_path,
                                "green",
                                {"p"},
                                {"default-scheduler"}}});
}

TEST_CASE("an update of metadata is allowed whatever the policy") {
  const Pod old{.spec = {.scheduler_name = "green",
                         .node_name = "node-1",
                         .priority_class_name = "silver",
                         .node_selector = {{"disk", "ssd"}},
                         .tolerations = {{"gpu", exists, "", no_schedule}}}};
  Pod updated = old;
  updated.metadata.labels["team"] = "blue";
  for (const EffectivePolicy& effective :
       {some_policy(), EffectivePolicy(), EffectivePolicy::ambiguous("p")}) {
    CHECK_FALSE(check(updated, effective).empty());
    CHECK(check_update(Old(old), updated, effective).empty());
  }
}

TEST_CASE("an update never defaults") {
  const EffectivePolicy effective = merged({.defaults = {.scheduler_name = "blue"}});
  CHECK(reasons(check_update(Old(Pod{.spec = {.scheduler_name = "blue"}}), Pod{}, effective)) ==
        List{"SchedulerNameNotAllowed spec.schedulerName"});
}

TEST_CASE("required keys of the node selector that are numbers are not confused") {
  const EffectivePolicy effective =
      merged({.required = {.node_selectors = NodeSelectors{{"1", any}, {"2", any}}},
              .allowed = {.scheduler_names = any}});
  CHECK(reasons(check_update(Old(Pod{.spec = {.node_selector = {{"2", "x"}}}}),
                             Pod{.spec = {.node_selector = {{"1", "x"}}}}, effective)) ==
        List{"NodeSelectorRequired spec.nodeSelector[2]"});
}

TEST_CASE("an update is judged with the options of the check") {
  const EffectivePolicy effective = some_policy();
  const Pod updated{.spec = {.tolerations = default_toleration_seconds()}};
  CHECK(check_update(Old(Pod{}), updated, effective).size() == 2);
  CHECK(check_update(Old(Pod{}), updated, effective,
                     {.exempt = {.tolerations = default_toleration_seconds()}})
            .empty());
}

TEST_CASE("where no policy decides, an update may not ask for anything new") {
  struct Case {
    const char* name;
    PodSpec old;
    PodSpec updated;
    bool denied;
  };
  const Toleration gpu = {"gpu", exists, "", no_schedule};
  const PodAffinity pods{
      .required_during_scheduling_ignored_during_execution = {{.topology_key = "zone"}}};
  NodeAffinity nodes;
  nodes.required_during_scheduling_ignored_during_execution =
      NodeSelector{{{.match_expressions = {{.key = "zone", .operator_ = in, .values = {"a"}}}}}};
  const Affinity affinity{.node_affinity = nodes, .pod_affinity = pods, .pod_anti_affinity = pods};
  const Case cases[] = {
      {"nothing asked for", {}, {}, false},
      {"the same asked for", {.tolerations = {gpu}}, {.tolerations = {gpu}}, false},
      {"less asked for", {.tolerations = {gpu}}, {}, false},
      {"a node", {}, {.node_name = "node-1"}, true},
      {"a scheduler", {}, {.scheduler_name = "blue"}, true},
      {"a toleration", {.scheduler_name = "blue"}, {.tolerations = {gpu}}, true},
      {"an affinity", {}, {.affinity = affinity}, true},
      {"the same affinity", {.affinity = affinity}, {.affinity = affinity}, false},
  };
  for (const auto& [name, old, updated, denied] : cases) {
    CAPTURE(name);
    CHECK(reasons(check_update(Old(Pod{.spec = old}), Pod{.spec = updated}, EffectivePolicy())) ==
          (denied ? List{"NoUsablePolicy spec"} : List{}));
    CHECK(reasons(check_update(Old(Pod{.kind = PodKind::cron_job, .spec = old}),
                               Pod{.kind = PodKind::cron_job, .spec = updated},
                               EffectivePolicy::ambiguous("p"))) ==
          (denied ? List{"AmbiguousPolicy spec.jobTemplate.spec.template.spec"} : List{}));
  }
}

TEST_CASE("a term that moves from one kind of affinity to another is asked for anew") {
  const PodAffinityRules to_y = {.required_during_scheduling_ignored_during_execution =
                                     PodAffinityRule{{"y"}}};
  const EffectivePolicy effective =
      merged({.allowed = {.scheduler_names = any,
                          .affinities =
                              AffinityRules{.pod_affinities = to_y, .pod_anti_affinities = to_y}}});
  const PodAffinity to_z{
      .required_during_scheduling_ignored_during_execution = {{.topology_key = "z"}}};
  const Pod old{.spec = {.affinity = Affinity{.pod_affinity = to_z}}};
  const Pod updated{.spec = {.affinity = Affinity{.pod_anti_affinity = to_z}}};
  CHECK(reasons(check_update(Old(old), updated, effective)) ==
        List{"AffinityNotAllowed spec.affinity.podAntiAffinity."
             "requiredDuringSchedulingIgnoredDuringExecution[0].topologyKey"});
  CHECK(check_update(Old(old), old, effective).empty());
}

TEST_CASE("keys of the node selector that look like indices are told apart") {
  const EffectivePolicy effective = merged({.allowed = {.scheduler_names = any}});
  CHECK(reasons(check_update(Old(Pod{.spec = {.node_selector = {{"0", "x"}}}}),
                             Pod{.spec = {.node_selector = {{"1", "x"}}}}, effective)) ==
        List{"NodeSelectorNotAllowed spec.nodeSelector[1]"});
}

}  // namespace check_update_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
