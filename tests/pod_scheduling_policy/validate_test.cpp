// SPDX-License-Identifier: Apache-2.0
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include <schedpol/core/limits.hpp>

#include "policies.hpp"

#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace validate_test {

const std::string required_node = to_string(required_node_path) + ".nodeSelectorTerms";

TEST_CASE("a policy is validated with the paths of its document") {
  const LabelSelector broken = where("app", LabelSelectorOperator::in);
  PodSchedulingPolicy all_broken = of_team_a(
      "-", {.node_selector = {{"a", "b c"}}, .tolerations = {{}}, .affinity = required({})});
  all_broken.spec.namespace_selector = everything;
  all_broken.spec.pod_selector = broken;
  struct Case {
    const char* name;
    PodSchedulingPolicy policy;
    List wanted;
  };
  const Case cases[] = {
      {"nothing but a name", {.metadata = {.name = "p"}}, {}},
      {"of a namespace", of_team_a("p", {.node_name = "node-1", .scheduler_name = "batch"}), {}},
      {"of the cluster", of_cluster("p", {}), {}},
      {"of the cluster, in a namespace",
       {.kind = cluster, .metadata = {.name = "p", .namespace_ = "team-a"}},
       {"FieldValueForbidden metadata.namespace"}},
      {"no name", of_team_a("", {}), {"FieldValueRequired metadata.name"}},
      {"a malformed name", of_cluster("A", {}), {"FieldValueInvalid metadata.name"}},
      {"a namespace selector of the namespaced kind",
       {.metadata = {.name = "p"}, .spec = {.namespace_selector = everything}},
       {"FieldValueForbidden spec.namespaceSelector"}},
      {"a broken pod selector",
       {.metadata = {.name = "p"}, .spec = {.pod_selector = broken}},
       {"FieldValueRequired spec.podSelector.matchExpressions[0].values"}},
      {"a broken namespace selector",
       {.kind = cluster, .metadata = {.name = "p"}, .spec = {.namespace_selector = broken}},
       {"FieldValueRequired spec.namespaceSelector.matchExpressions[0].values"}},
      {"a malformed label key",
       of_team_a("p", {.node_selector = {{"a b", "c"}}}),
       {"FieldValueInvalid spec.nodeSelector"}},
      {"a malformed name of a node",
       of_team_a("p", {.node_name = "Not A Node"}),
       {"FieldValueInvalid spec.nodeName"}},
      {"a scheduler's name is free, as in pods", of_team_a("p", {.scheduler_name = "A b"}), {}},
      {"a malformed toleration",
       of_team_a("p", {.tolerations = {{.key = "a"}, {.value = "b"}}}),
       {"FieldValueInvalid spec.tolerations[1].operator"}},
      {"required without terms",
       of_team_a("p", {.affinity = required({})}),
       {"FieldValueRequired " + required_node}},
      {"a malformed expression",
       of_team_a("p", {.affinity = required({term({in("zone", {})})})}),
       {"FieldValueRequired " + required_node + "[0].matchExpressions[0].values"}},
      {"a weight out of bounds",
       of_team_a("p", {.affinity = preferred({{101, term({has("a")})}})}),
       {"FieldValueInvalid " +
        to_string(node_affinity_path.child(preferred_mode).index(0).child("weight"))}},
      {"no topology key",
       of_team_a("p", {.affinity =
                           Affinity{.pod_anti_affinity = PodAffinity{{beside("db", "a b")}, {}}}}),
       {"FieldValueInvalid " +
        to_string(FieldPath{"spec", "affinity", "podAntiAffinity", required_mode}.index(0).child(
            "topologyKey"))}},
      {"as many items as a pod may be given",
       of_team_a("p", {.tolerations = tolerations(max_given_items)}),
       {}},
      {"more items than a pod may be given",
       of_cluster("p", {.scheduler_name = "batch", .tolerations = tolerations(max_given_items)}),
       {"FieldValueTooMany spec"}},
      {"everything, in document order",
       all_broken,
       {"FieldValueInvalid metadata.name",
        "FieldValueRequired spec.podSelector.matchExpressions[0].values",
        "FieldValueForbidden spec.namespaceSelector", "FieldValueInvalid spec.nodeSelector",
        "FieldValueInvalid spec.tolerations[0].operator", "FieldValueRequired " + required_node}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(reasons(validate(c.policy)) == c.wanted);
  }
}

}  // namespace validate_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
