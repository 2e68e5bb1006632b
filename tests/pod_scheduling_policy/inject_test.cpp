// SPDX-License-Identifier: Apache-2.0

#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include "../support/pod_templates.hpp"
#include "policies.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace inject_test {

static_assert(std::is_aggregate_v<Skipped>);
static_assert(std::is_aggregate_v<Injection>);
static_assert(std::equality_comparable<Skipped>);
static_assert(std::equality_comparable<Injection>);
static_assert(max_node_selector_terms == 1024);

TEST_CASE("without policies nothing is injected") {
  const Pod pod = pod_of({.scheduler_name = "batch"});
  CHECK(injected(pod, {}) == Injection{.pod = pod});
  CHECK(inject(pod, team_a, *compile(Policies{})) == Injection{.pod = pod});
  CHECK(injected(pod, {of_team_a("p", {})}) == Injection{.pod = pod, .applied = {"p"}});
}

TEST_CASE("what the pod says itself wins, what does not conflict is merged") {
  const Toleration etcd = {
      .key = "purpose", .operator_ = equal, .value = "etcd", .effect = no_schedule};
  const Toleration etcd_unset = {.key = "purpose", .value = "etcd", .effect = no_schedule};
  const Toleration spot = {.key = "spot", .operator_ = exists};
  const Toleration any = {.operator_ = exists};
  const Affinity on_ssd = required({term({has("ssd")})});
  const Affinity on_gpu = required({term({has("gpu")})});
  struct Case {
    const char* name;
    PodSchedulingPolicySpec policy;
    PodSpec pod;
    PodSpec wanted;
    Changes changes;
    std::vector<Skipped> skipped;
  };
  const Case cases[] = {
      {"nodeName, the pod has none",
       {.node_name = "node-1"},
       {},
       {.node_name = "node-1"},
       {{"spec.nodeName"_path, none, "node-1", "p"}},
       {}},
      {"nodeName, the pod has the same",
       {.node_name = "node-1"},
       {.node_name = "node-1"},
       {.node_name = "node-1"},
       {},
       {}},
      {"nodeName, the pod has another",
       {.node_name = "node-1"},
       {.node_name = "node-2"},
       {.node_name = "node-2"},
       {},
       {{"p", "spec.nodeName"_path, "the pod has `node-2`, the policy `node-1`"}}},

      {"schedulerName, the pod has none",
       {.scheduler_name = "bin-packing"},
       {},
       {.scheduler_name = "bin-packing"},
       {{"spec.schedulerName"_path, none, "bin-packing", "p"}},
       {}},
      {"schedulerName, the pod has the same",
       {.scheduler_name = "bin-packing"},
       {.scheduler_name = "bin-packing"},
       {.scheduler_name = "bin-packing"},
       {},
       {}},
      {"schedulerName, the pod names the default one",
       {.scheduler_name = "bin-packing"},
       {.scheduler_name = "default-scheduler"},
       {.scheduler_name = "default-scheduler"},
       {},
       {{"p", "spec.schedulerName"_path,
         "the pod has `default-scheduler`, the policy `bin-packing`"}}},

      {"nodeSelector, the pod has none",
       {.node_selector = {{"disk", "ssd"}, {"pool", "etcd"}}},
       {},
       {.node_selector = {{"disk", "ssd"}, {"pool", "etcd"}}},
       {{"spec.nodeSelector[disk]"_path, none, "ssd", "p"},
        {"spec.nodeSelector[pool]"_path, none, "etcd", "p"}},
       {}},
      {"nodeSelector, the pod has other keys",
       {.node_selector = {{"pool", "etcd"}}},
       {.node_selector = {{"Pool", "web"}, {"zone", "a"}}},
       {.node_selector = {{"Pool", "web"}, {"pool", "etcd"}, {"zone", "a"}}},
       {{"spec.nodeSelector[pool]"_path, none, "etcd", "p"}},
       {}},
      {"nodeSelector, the pod has the same pair",
       {.node_selector = {{"pool", "etcd"}}},
       {.node_selector = {{"pool", "etcd"}}},
       {.node_selector = {{"pool", "etcd"}}},
       {},
       {}},
      {"nodeSelector, only the conflicting key is skipped",
       {.node_selector = {{"disk", "ssd"}, {"pool", "etcd"}, {"zone", "a"}}},
       {.node_selector = {{"pool", "web"}, {"zone", ""}}},
       {.node_selector = {{"disk", "ssd"}, {"pool", "web"}, {"zone", ""}}},
       {{"spec.nodeSelector[disk]"_path, none, "ssd", "p"}},
       {{"p", "spec.nodeSelector[pool]"_path, "the pod has `web`, the policy `etcd`"},
        {"p", "spec.nodeSelector[zone]"_path, "the pod has ``, the policy `a`"}}},

      {"tolerations, the pod has none",
       {.tolerations = {etcd, spot}},
       {},
       {.tolerations = {etcd, spot}},
       {{"spec.tolerations[0]"_path, none, "purpose=etcd:NoSchedule", "p"},
        {"spec.tolerations[1]"_path, none, "spot Exists", "p"}},
       {}},
      {"tolerations, the pod's come first",
       {.tolerations = {etcd}},
       {.tolerations = {spot}},
       {.tolerations = {spot, etcd}},
       {{"spec.tolerations[1]"_path, none, "purpose=etcd:NoSchedule", "p"}},
       {}},
      {"tolerations, the pod has an equal one",
       {.tolerations = {etcd, spot}},
       {.tolerations = {etcd_unset}},
       {.tolerations = {etcd_unset, spot}},
       {{"spec.tolerations[1]"_path, none, "spot Exists", "p"}},
       {}},
      {"tolerations, a broader one is another one",
       {.tolerations = {spot}},
       {.tolerations = {any}},
       {.tolerations = {any, spot}},
       {{"spec.tolerations[1]"_path, none, "spot Exists", "p"}},
       {}},
      {"tolerations, those of the pod are not merged",
       {.tolerations = {any}},
       {.tolerations = {spot, spot}},
       {.tolerations = {spot, spot, any}},
       {{"spec.tolerations[2]"_path, none, "* Exists", "p"}},
       {}},
      {"tolerations, one that the policy repeats is injected once",
       {.tolerations = {etcd, spot, etcd_unset}},
       {},
       {.tolerations = {etcd, spot}},
       {{"spec.tolerations[0]"_path, none, "purpose=etcd:NoSchedule", "p"},
        {"spec.tolerations[1]"_path, none, "spot Exists", "p"}},
       {}},

      {"affinity, the pod has none",
       {.affinity = on_ssd},
       {},
       {.affinity = on_ssd},
       {{"spec.affinity.nodeAffinity"_path, none, "required (ssd Exists)", "p"}},
       {}},
      {"affinity, the pod has an empty one",
       {.affinity = on_ssd},
       {.affinity = Affinity{}},
       {.affinity = on_ssd},
       {{"spec.affinity.nodeAffinity"_path, none, "required (ssd Exists)", "p"}},
       {}},
      {"affinity, the pod has the same",
       {.affinity = on_ssd},
       {.affinity = on_ssd},
       {.affinity = on_ssd},
       {},
       {}},
      {"affinity, the pod has its own",
       {.affinity = on_ssd},
       {.affinity = on_gpu},
       {.affinity = required({term({has("ssd"), has("gpu")})})},
       {{required_node_path, "required (gpu Exists)", "required (ssd Exists & gpu Exists)", "p"}},
       {}},
      {"an empty affinity injects nothing", {.affinity = Affinity{}}, {}, {}, {}, {}},

      {"all five, the pod has none",
       {.node_name = "node-1",
        .scheduler_name = "bin-packing",
        .node_selector = {{"pool", "etcd"}},
        .tolerations = {etcd},
        .affinity = on_ssd},
       {.priority_class_name = "gold", .runtime_class_name = "kata"},
       {.scheduler_name = "bin-packing",
        .node_name = "node-1",
        .priority_class_name = "gold",
        .node_selector = {{"pool", "etcd"}},
        .tolerations = {etcd},
        .affinity = on_ssd,
        .runtime_class_name = "kata"},
       {{"spec.nodeName"_path, none, "node-1", "p"},
        {"spec.schedulerName"_path, none, "bin-packing", "p"},
        {"spec.nodeSelector[pool]"_path, none, "etcd", "p"},
        {"spec.tolerations[0]"_path, none, "purpose=etcd:NoSchedule", "p"},
        {"spec.affinity.nodeAffinity"_path, none, "required (ssd Exists)", "p"}},
       {}},
      {"all five, the pod has its own",
       {.node_name = "node-1",
        .scheduler_name = "bin-packing",
        .node_selector = {{"pool", "etcd"}},
        .tolerations = {etcd},
        .affinity = on_ssd},
       {.scheduler_name = "batch",
        .node_name = "node-2",
        .node_selector = {{"pool", "web"}},
        .tolerations = {spot},
        .affinity = on_gpu},
       {.scheduler_name = "batch",
        .node_name = "node-2",
        .node_selector = {{"pool", "web"}},
        .tolerations = {spot, etcd},
        .affinity = required({term({has("ssd"), has("gpu")})})},
       {{"spec.tolerations[1]"_path, none, "purpose=etcd:NoSchedule", "p"},
        {required_node_path, "required (gpu Exists)", "required (ssd Exists & gpu Exists)", "p"}},
       {{"p", "spec.nodeName"_path, "the pod has `node-2`, the policy `node-1`"},
        {"p", "spec.schedulerName"_path, "the pod has `batch`, the policy `bin-packing`"},
        {"p", "spec.nodeSelector[pool]"_path, "the pod has `web`, the policy `etcd`"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Injection wanted = {
        .pod = pod_of(c.wanted), .applied = {"p"}, .skipped = c.skipped, .changes = c.changes};
    CHECK(injected(pod_of(c.pod), {of_team_a("p", c.policy)}) == wanted);
    CHECK(injected(pod_of(c.pod), {of_cluster("p", c.policy)}) == wanted);
    const Injection again = injected(wanted.pod, {of_team_a("p", c.policy)});
    CHECK(again == Injection{.pod = wanted.pod, .applied = {"p"}, .skipped = c.skipped});
  }
}

TEST_CASE("required node selector terms are merged as a product") {
  const NodeSelectorTerm a = term({has("a")});
  const NodeSelectorTerm b = term({has("b")});
  const NodeSelectorTerm x = term({has("x")});
  const NodeSelectorTerm y = term({has("y")});
  const NodeSelectorTerm empty = {};
  struct Case {
    const char* name;
    Terms pod;
    Terms policy;
    Terms wanted;
  };
  const Case cases[] = {
      {"the pod has none: the policy's", {}, {x, y}, {x, y}},
      {"the policy's expressions first", {a}, {x}, {term({has("x"), has("a")})}},
      {"each in its own order",
       {term({has("b"), has("a")})},
       {term({has("y"), has("x")})},
       {term({has("y"), has("x"), has("b"), has("a")})}},
      {"every term with every term, the pod's outside",
       {a, b},
       {x, y},
       {term({has("x"), has("a")}), term({has("y"), has("a")}), term({has("x"), has("b")}),
        term({has("y"), has("b")})}},
      {"an expression of both is there once",
       {term({has("a"), has("b")})},
       {term({has("b"), has("x")})},
       {term({has("b"), has("x"), has("a")})}},
      {"one key with other values is another expression",
       {term({in("zone", {"1", "2"})})},
       {term({in("zone", {"2", "3"})})},
       {term({in("zone", {"2", "3"}), in("zone", {"1", "2"})})}},
      {"one key with another operator is another expression",
       {term({has("zone")})},
       {term({in("zone", {"1"})})},
       {term({in("zone", {"1"}), has("zone")})}},

      {"the same term stays", {a}, {a}, {a}},
      {"a term that holds the policy's stays, in its order",
       {term({has("a"), has("x")})},
       {x},
       {term({has("a"), has("x")})}},
      {"a term that holds one of the policy's terms stays",
       {term({has("a"), has("y")})},
       {x, y},
       {term({has("a"), has("y")})}},
      {"of two terms the one that holds it stays",
       {term({has("a"), has("x")}), b},
       {x, y},
       {term({has("a"), has("x")}), term({has("x"), has("b")}), term({has("y"), has("b")})}},
      {"a term that holds only some of the policy's does not stay",
       {term({has("a"), has("x")})},
       {term({has("x"), has("y")})},
       {term({has("x"), has("y"), has("a")})}},
      {"two terms that become one are not merged",
       {a, b},
       {term({has("a"), has("b")})},
       {term({has("a"), has("b")}), term({has("a"), has("b")})}},

      {"matchFields likewise",
       {term({}, {is_node("n1")})},
       {term({}, {is_not_node("n2")})},
       {term({}, {is_not_node("n2"), is_node("n1")})}},
      {"a field of both is there once",
       {term({has("a")}, {is_node("n1")})},
       {term({has("x")}, {is_node("n1")})},
       {term({has("x"), has("a")}, {is_node("n1")})}},
      {"expressions and fields are kept apart",
       {term({has("a")})},
       {term({}, {is_node("n1")})},
       {term({has("a")}, {is_node("n1")})}},
      {"a field is no expression of the same words",
       {term({is_node("n1")})},
       {term({}, {is_node("n1")})},
       {term({is_node("n1")}, {is_node("n1")})}},
      {"a term that holds the expressions but not the fields does not stay",
       {term({has("a"), has("x")})},
       {term({has("x")}, {is_node("n1")})},
       {term({has("x"), has("a")}, {is_node("n1")})}},
      {"a term that holds the fields but not the expressions does not stay",
       {term({has("a")}, {is_node("n1")})},
       {term({has("x")}, {is_node("n1")})},
       {term({has("x"), has("a")}, {is_node("n1")})}},
      {"a term that holds both stays",
       {term({has("a"), has("x")}, {is_node("n2"), is_node("n1")})},
       {term({has("x")}, {is_node("n1")})},
       {term({has("a"), has("x")}, {is_node("n2"), is_node("n1")})}},

      {"an empty term of the pod is left out", {empty, a}, {x}, {term({has("x"), has("a")})}},
      {"an empty term of the policy is left out", {a}, {empty, x}, {term({has("x"), has("a")})}},
      {"an empty term of the policy is held by none",
       {a, b},
       {x, empty},
       {term({has("x"), has("a")}), term({has("x"), has("b")})}},
      {"empty terms on both sides", {a, empty}, {empty, x, empty}, {term({has("x"), has("a")})}},
      {"only empty terms of the pod: one stays", {empty, empty}, {x}, {empty}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = pod_of({.affinity = required(c.pod)});
    const PodSchedulingPolicy policy = of_team_a("p", {.affinity = required(c.policy)});
    const Injection injection = injected(pod, {policy});
    CHECK(injection.errors.empty());
    CHECK(injection.applied == List{"p"});
    CHECK(injection.skipped == std::vector<Skipped>{});
    CHECK(injection.pod.spec.affinity->node_affinity
              ->required_during_scheduling_ignored_during_execution->node_selector_terms ==
          c.wanted);
    CHECK(injection.changes.size() == (c.pod == c.wanted ? 0 : 1));
    for (const Change& change : injection.changes) {
      CHECK(change.field == required_node_path);
      CHECK(change.from.has_value() == !c.pod.empty());
      CHECK(change.to == to_string(NodeAffinity{NodeSelector{c.wanted}, {}}));
    }
    const Injection again = injected(injection.pod, {policy});
    CHECK(again == Injection{.pod = injection.pod, .applied = {"p"}});
  }
}

TEST_CASE("the non-conflicting part is merged and the conflicting part is skipped") {
  const NodeSelectorRequirement web = in("pool", {"web"});
  const NodeSelectorRequirement etcd = in("pool", {"etcd"});
  const NodeSelectorRequirement pool_above_24{"pool", NodeSelectorOperator::gt, {"24"}};
  const NodeSelectorRequirement zone_a = in("zone", {"a"});
  const NodeSelectorRequirement zone_b = in("zone", {"b"});
  const auto compares = [](NodeSelectorOperator op, const char* number) {
    return NodeSelectorRequirement{"cores", op, {number}};
  };
  const NodeSelectorRequirement more_than_8 = compares(NodeSelectorOperator::gt, "8");
  const NodeSelectorRequirement less_than_9 = compares(NodeSelectorOperator::lt, "9");
  const NodeSelectorRequirement less_than_0 = compares(NodeSelectorOperator::lt, "0");
  const NodeSelectorRequirement no_cores = {"cores", NodeSelectorOperator::does_not_exist, {}};
  const NodeSelectorRequirement is_missing = {"pool", NodeSelectorOperator::does_not_exist, {}};
  const NodeSelectorRequirement unknown_operator = {
      "pool", OpenEnum<NodeSelectorOperator>("Like"), {"web"}};
  const NodeSelectorTerm impossible = term({web, etcd});
  const std::vector<PreferredSchedulingTerm> likes = {{1, term({has("ssd")})}};
  const std::string both =
      "no node meets the pod's `pool In [web]` and the policy's `pool In [etcd]`";
  const std::string rest = "; the others are merged";
  Affinity likes_and_etcd = preferred(likes);
  likes_and_etcd.node_affinity->required_during_scheduling_ignored_during_execution =
      NodeSelector{{term({etcd})}};
  struct Case {
    const char* name;
    PodSpec pod;
    PodSchedulingPolicySpec policy;
    PodSpec wanted;
    std::vector<std::pair<FieldPath, std::string>> skipped;
  };
  const FieldPath terms = required_node_path;
  const auto pair = [](const char* key) { return FieldPath{"spec", "nodeSelector"}.key(key); };
  const Case cases[] = {
      {"pool web and pool etcd: the pod's terms stay, the rest is merged",
       {.affinity = required({term({web})})},
       {.node_selector = {{"disk", "ssd"}},
        .tolerations = {{.key = "etcd", .operator_ = exists}},
        .affinity = required({term({etcd})})},
       {.node_selector = {{"disk", "ssd"}},
        .tolerations = {{.key = "etcd", .operator_ = exists}},
        .affinity = required({term({web})})},
       {{terms, both}}},
      {"the pod's nodeSelector excludes the policy's terms: none is copied",
       {.node_selector = {{"pool", "web"}}},
       {.affinity = required({term({etcd})})},
       {.node_selector = {{"pool", "web"}}},
       {{terms, both}}},
      {"it excludes one of them: the other is copied",
       {.node_selector = {{"pool", "web"}}},
       {.affinity = required({term({etcd}), term({has("ssd")})})},
       {.node_selector = {{"pool", "web"}}, .affinity = required({term({has("ssd")})})},
       {{terms, both + rest}}},
      {"it excludes all, and preferred terms are copied",
       {.node_selector = {{"pool", "web"}}},
       {.affinity = likes_and_etcd},
       {.node_selector = {{"pool", "web"}}, .affinity = preferred(likes)},
       {{terms, both}}},
      {"likewise where the pod has preferred terms",
       {.node_selector = {{"pool", "web"}}, .affinity = preferred(likes)},
       {.affinity = likes_and_etcd},
       {.node_selector = {{"pool", "web"}}, .affinity = preferred(likes)},
       {{terms, both}}},
      {"the pod's nodeSelector excludes products",
       {.node_selector = {{"pool", "web"}}, .affinity = required({term({has("ssd")})})},
       {.affinity = required({term({etcd})})},
       {.node_selector = {{"pool", "web"}}, .affinity = required({term({has("ssd")})})},
       {{terms, both}}},
      {"a pair that leaves none of the pod's terms is not added",
       {.affinity = required({term({web})})},
       {.node_selector = {{"disk", "ssd"}, {"pool", "etcd"}}},
       {.node_selector = {{"disk", "ssd"}}, .affinity = required({term({web})})},
       {{pair("pool"), both}}},
      {"a pair that leaves one of them is added",
       {.affinity = required({term({web}), term({has("ssd")})})},
       {.node_selector = {{"pool", "etcd"}}},
       {.node_selector = {{"pool", "etcd"}},
        .affinity = required({term({web}), term({has("ssd")})})},
       {}},
      {"what a pair excludes is not excluded again by the next one",
       {.affinity = required({term({web}), term({web, zone_a}), term({zone_a})})},
       {.node_selector = {{"pool", "etcd"}, {"zone", "b"}}},
       {.node_selector = {{"pool", "etcd"}},
        .affinity = required({term({web}), term({web, zone_a}), term({zone_a})})},
       {{pair("zone"), "no node meets the pod's `zone In [a]` and the policy's `zone In [b]`"}}},
      {"a number in the second expression of a term is merged",
       {.node_selector = {{"pool", "web"}}},
       {.affinity = required({term({has("ssd"), pool_above_24})})},
       {.node_selector = {{"pool", "web"}},
        .affinity = required({term({has("ssd"), pool_above_24})})},
       {}},
      {"pairs go onto the result of the one before",
       {.affinity = required({term({zone_a}), term({web})})},
       {.node_selector = {{"pool", "etcd"}, {"zone", "b"}}},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({zone_a}), term({web})})},
       {{pair("zone"), "no node meets the pod's `zone In [a]` and the policy's `zone In [b]`"}}},
      {"pairs go before terms",
       {},
       {.node_selector = {{"pool", "web"}}, .affinity = required({term({etcd})})},
       {.node_selector = {{"pool", "web"}}},
       {{terms, both}}},
      {"a term of the pod that contradicts beside one that does not",
       {.affinity = required({term({web}), term({has("ssd")})})},
       {.affinity = required({term({etcd})})},
       {.affinity = required({term({etcd, has("ssd")})})},
       {{terms, both + rest}}},
      {"and beside one that holds the policy's",
       {.affinity = required({term({web}), term({etcd, has("ssd")})})},
       {.affinity = required({term({etcd})})},
       {.affinity = required({term({etcd, has("ssd")})})},
       {{terms, both + rest}}},
      {"products that contradict are left out",
       {.affinity = required({term({zone_a}), term({zone_b})})},
       {.affinity = required({term({zone_a, has("x")}), term({zone_b, has("y")})})},
       {.affinity = required({term({zone_a, has("x")}), term({zone_b, has("y")})})},
       {{terms,
         "no node meets the pod's `zone In [a]` and the policy's `zone In [b]`, the first of 2 "
         "such pairs of terms; the others are merged"}}},
      {"all of several contradict",
       {.affinity = required({term({zone_a, web}), term({web})})},
       {.affinity = required({term({etcd})})},
       {.affinity = required({term({zone_a, web}), term({web})})},
       {{terms, both + ", the first of 2 such pairs of terms"}}},
      {"a term that no node meets anyway is merged as any other",
       {.affinity = required({impossible})},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({zone_a})})},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({zone_a, web, etcd})})},
       {}},
      {"likewise for an operator that there is not",
       {.affinity = required({term({unknown_operator})})},
       {.node_selector = {{"pool", "etcd"}}},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({unknown_operator})})},
       {}},
      {"beside one that a node could meet it saves nothing",
       {.affinity = required({impossible, term({web})})},
       {.affinity = required({term({etcd, has("x")})})},
       {.affinity = required({impossible, term({web})})},
       {{terms, both}}},
      {"nor does one that holds the policy's",
       {.affinity = required({impossible, term({web})})},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({etcd})})},
       {.affinity = required({impossible, term({web})})},
       {{pair("pool"), both}, {terms, both}}},
      {"the names of nodes",
       {.affinity = required({term({}, {is_node("n1")})})},
       {.affinity = required({term({}, {is_node("n2")})})},
       {.affinity = required({term({}, {is_node("n1")})})},
       {{terms,
         "no node meets the pod's `field metadata.name In [n1]` and the policy's `field "
         "metadata.name In [n2]`"}}},
      {"a pair without a key is not about the names of nodes",
       {.node_selector = {{"", "n1"}}},
       {.affinity = required({term({}, {is_node("n2")})})},
       {.node_selector = {{"", "n1"}}, .affinity = required({term({}, {is_node("n2")})})},
       {}},
      {"a label may be called like the name of a node",
       {.affinity = required({term({is_node("n1")})})},
       {.affinity = required({term({}, {is_node("n2")})})},
       {.affinity = required({term({is_node("n1")}, {is_node("n2")})})},
       {}},
      {"numbers are not compared: one above and below",
       {.affinity = required({term({more_than_8})})},
       {.affinity = required({term({less_than_9})})},
       {.affinity = required({term({less_than_9, more_than_8})})},
       {}},
      {"one that no label can be",
       {.affinity = required({term({web})})},
       {.affinity = required({term({less_than_0})})},
       {.affinity = required({term({less_than_0, web})})},
       {}},
      {"one that the pod's nodeSelector does not have",
       {.node_selector = {{"cores", "4"}}},
       {.affinity = required({term({more_than_8})})},
       {.node_selector = {{"cores", "4"}}, .affinity = required({term({more_than_8})})},
       {}},
      {"likewise of a product",
       {.node_selector = {{"cores", "many"}}, .affinity = required({term({web})})},
       {.affinity = required({term({more_than_8})})},
       {.node_selector = {{"cores", "many"}}, .affinity = required({term({more_than_8, web})})},
       {}},
      {"one that a pair does not have",
       {.affinity = required({term({more_than_8})})},
       {.node_selector = {{"cores", "many"}}},
       {.node_selector = {{"cores", "many"}}, .affinity = required({term({more_than_8})})},
       {}},
      {"but a number is there, and a label that is missing has none",
       {.affinity = required({term({more_than_8})})},
       {.affinity = required({term({no_cores})})},
       {.affinity = required({term({more_than_8})})},
       {{terms, "no node meets the pod's `cores Gt [8]` and the policy's `cores DoesNotExist`"}}},
      {"what is no number is met by no node",
       {.affinity = required({term({web})})},
       {.affinity = required({term({compares(NodeSelectorOperator::gt, "many")})})},
       {.affinity = required({term({web})})},
       {{terms, "no node meets the policy's `cores Gt [many]`"}}},
      {"a label that is missing, and listed",
       {.affinity = required({term({is_missing})})},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({etcd})})},
       {.affinity = required({term({is_missing})})},
       {{pair("pool"),
         "no node meets the pod's `pool DoesNotExist` and the policy's `pool In [etcd]`"},
        {terms, "no node meets the pod's `pool DoesNotExist` and the policy's `pool In [etcd]`"}}},
      {"only several expressions together contradict",
       {.affinity = required({term({in("pool", {"a", "b"}), not_in("pool", {"a"})})})},
       {.affinity = required({term({has("x"), not_in("pool", {"b"})})})},
       {.affinity = required({term({in("pool", {"a", "b"}), not_in("pool", {"a"})})})},
       {{terms,
         "no node meets the pod's `pool In [a, b] & pool NotIn [a]` and the policy's `pool NotIn "
         "[b]`"}}},
      {"a policy that contradicts itself",
       {.affinity = required({term({has("ssd")})})},
       {.affinity = required({impossible})},
       {.affinity = required({term({has("ssd")})})},
       {{terms, "no node meets the policy's `pool In [web] & pool In [etcd]`"}}},
      {"one whose terms are empty, which match no node",
       {.affinity = required({term({web})})},
       {.affinity = required({{}, {}})},
       {.affinity = required({term({web})})},
       {{terms, "no node meets the policy's `()`"}}},
      {"the same, and a pod without terms",
       {},
       {.affinity = required({{}, {}})},
       {},
       {{terms, "no node meets the policy's `()`"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const PodSchedulingPolicy policy = of_team_a("p", c.policy);
    const Injection injection = injected(pod_of(c.pod), {policy});
    CHECK(injection.pod == pod_of(c.wanted));
    CHECK(injection.applied == List{"p"});
    std::vector<Skipped> skipped;
    for (const auto& [field, reason] : c.skipped) skipped.push_back({"p", field, reason});
    CHECK(injection.skipped == skipped);
    CHECK((injection.pod == pod_of(c.pod)) == injection.changes.empty());
    const Injection again = injected(injection.pod, {policy});
    CHECK(again.pod == injection.pod);
    CHECK(again.changes == Changes{});
  }
}

TEST_CASE("a pod without required terms takes over the policy's, whatever else it has") {
  const Terms terms = {term({has("x")}), term({has("y")})};
  const PodSchedulingPolicy policy = of_team_a("p", {.affinity = required(terms)});
  const std::vector<PreferredSchedulingTerm> likes = {{5, term({has("a")})}};
  const PodAffinity near = {.required_during_scheduling_ignored_during_execution = {beside("db")}};
  struct Case {
    const char* name;
    std::optional<Affinity> affinity;
    FieldPath field;
  };
  const Case cases[] = {
      {"no affinity", none, node_affinity_path},
      {"pod affinity only", Affinity{.pod_affinity = near}, node_affinity_path},
      {"an empty node affinity", Affinity{.node_affinity = NodeAffinity{}}, required_node_path},
      {"preferred terms only", preferred(likes), required_node_path},
      {"required without terms", required({}), required_node_path},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Injection injection = injected(pod_of({.affinity = c.affinity}), {policy});
    Affinity wanted = c.affinity.value_or(Affinity{});
    if (!wanted.node_affinity) wanted.node_affinity.emplace();
    wanted.node_affinity->required_during_scheduling_ignored_during_execution = NodeSelector{terms};
    CHECK((injection.pod.spec.affinity == wanted));
    CHECK(injection.changes == Changes{{c.field, none, "required (x Exists) | (y Exists)", "p"}});
  }
}

TEST_CASE("a policy without required terms leaves the pod's alone") {
  const Affinity own = required({term({has("a")}), {}});
  const std::vector<PreferredSchedulingTerm> likes = {{5, term({has("x")})}};
  const Affinity cases[] = {Affinity{.node_affinity = NodeAffinity{}}, Affinity{}};
  for (const Affinity& affinity : cases) {
    const Pod pod = pod_of({.affinity = own});
    CHECK(injected(pod, {of_team_a("p", {.affinity = affinity})}) ==
          Injection{.pod = pod, .applied = {"p"}});
  }
  const Injection injection =
      injected(pod_of({.affinity = own}), {of_team_a("p", {.affinity = preferred(likes)})});
  Affinity wanted = own;
  wanted.node_affinity->preferred_during_scheduling_ignored_during_execution = likes;
  CHECK((injection.pod.spec.affinity == wanted));
}

TEST_CASE("preferred node terms that the pod does not have yet are appended") {
  const PreferredSchedulingTerm ssd = {5, term({has("ssd")})};
  const PreferredSchedulingTerm ssd_more = {6, term({has("ssd")})};
  const PreferredSchedulingTerm zone = {1, term({in("zone", {"a"})})};
  using Preferences = std::vector<PreferredSchedulingTerm>;
  struct Case {
    const char* name;
    Preferences pod;
    Preferences policy;
    Preferences wanted;
    Changes changes;
  };
  const FieldPath field = node_affinity_path.child(preferred_mode);
  const Case cases[] = {
      {"none of the policy", {ssd}, {}, {ssd}, {}},
      {"none of the pod",
       {},
       {ssd, zone},
       {ssd, zone},
       {{field.index(0), none, "5 (ssd Exists)", "p"},
        {field.index(1), none, "1 (zone In [a])", "p"}}},
      {"the pod's first",
       {zone},
       {ssd},
       {zone, ssd},
       {{field.index(1), none, "5 (ssd Exists)", "p"}}},
      {"the same", {zone, ssd}, {ssd, zone}, {zone, ssd}, {}},
      {"another weight is another preference",
       {ssd},
       {ssd_more},
       {ssd, ssd_more},
       {{field.index(1), none, "6 (ssd Exists)", "p"}}},
      {"a preference that the policy repeats is injected once",
       {zone},
       {ssd, ssd},
       {zone, ssd},
       {{field.index(1), none, "5 (ssd Exists)", "p"}}},
      {"those that the pod repeats stay", {ssd, ssd}, {ssd}, {ssd, ssd}, {}},
      {"an empty preference is one like any other",
       {ssd},
       {{1, {}}},
       {ssd, {1, {}}},
       {{field.index(1), none, "1 ()", "p"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const PodSchedulingPolicy policy = of_team_a("p", {.affinity = preferred(c.policy)});
    const Injection injection = injected(pod_of({.affinity = preferred(c.pod)}), {policy});
    CHECK(injection == Injection{.pod = pod_of({.affinity = preferred(c.wanted)}),
                                 .applied = {"p"},
                                 .changes = c.changes});
    CHECK(injected(injection.pod, {policy}).changes == Changes{});
  }
}

TEST_CASE("pod affinity and anti-affinity terms that the pod does not have yet are appended") {
  const PodAffinityTerm db = beside("db");
  const PodAffinityTerm cache = beside("cache");
  const PodAffinityTerm db_host = beside("db", "host");
  const WeightedPodAffinityTerm prefer_db = {5, db};
  const WeightedPodAffinityTerm prefer_db_more = {6, db};
  struct Case {
    const char* name;
    std::optional<PodAffinity> pod;
    PodAffinity policy;
    PodAffinity wanted;
    /// Paths below the kind, and the new text.
    std::vector<std::pair<FieldPath, std::string>> changes;
  };
  const Case cases[] = {
      {"absent: copied",
       none,
       {{db}, {prefer_db}},
       {{db}, {prefer_db}},
       {{{}, "required zone with pods {app=db}, preferred 5 zone with pods {app=db}"}}},
      {"empty: appended",
       PodAffinity{},
       {{db}, {prefer_db}},
       {{db}, {prefer_db}},
       {{FieldPath{required_mode}.index(0), "zone with pods {app=db}"},
        {FieldPath{preferred_mode}.index(0), "5 zone with pods {app=db}"}}},
      {"the pod's first",
       PodAffinity{{cache}, {}},
       {{db, db_host}, {}},
       {{cache, db, db_host}, {}},
       {{FieldPath{required_mode}.index(1), "zone with pods {app=db}"},
        {FieldPath{required_mode}.index(2), "host with pods {app=db}"}}},
      {"the same",
       PodAffinity{{cache, db}, {prefer_db}},
       {{db}, {prefer_db}},
       {{cache, db}, {prefer_db}},
       {}},
      {"required and preferred are two lists",
       PodAffinity{{db}, {}},
       {{}, {prefer_db}},
       {{db}, {prefer_db}},
       {{FieldPath{preferred_mode}.index(0), "5 zone with pods {app=db}"}}},
      {"another weight is another preference",
       PodAffinity{{}, {prefer_db}},
       {{}, {prefer_db_more}},
       {{}, {prefer_db, prefer_db_more}},
       {{FieldPath{preferred_mode}.index(1), "6 zone with pods {app=db}"}}},
      {"terms that the policy repeats are injected once",
       PodAffinity{{cache}, {}},
       {{db, db}, {prefer_db, prefer_db}},
       {{cache, db}, {prefer_db}},
       {{FieldPath{required_mode}.index(1), "zone with pods {app=db}"},
        {FieldPath{preferred_mode}.index(0), "5 zone with pods {app=db}"}}},
  };
  struct Kind {
    std::optional<PodAffinity> Affinity::*member;
    FieldPath field;
  };
  const Kind kinds[] = {{&Affinity::pod_affinity, "spec.affinity.podAffinity"_path},
                        {&Affinity::pod_anti_affinity, "spec.affinity.podAntiAffinity"_path}};
  for (const Kind& kind : kinds) {
    for (const Case& c : cases) {
      CAPTURE(c.name);
      CAPTURE(to_string(kind.field));
      const auto affinity = [&](const std::optional<PodAffinity>& of_kind) {
        Affinity all = required({term({has("a")})});
        all.*kind.member = of_kind;
        return all;
      };
      Affinity injects;
      injects.*kind.member = c.policy;
      const PodSchedulingPolicy policy = of_team_a("p", {.affinity = injects});
      Changes changes;
      for (const auto& [path, to] : c.changes)
        changes.push_back({kind.field.join(path), none, to, "p"});
      const Injection injection = injected(pod_of({.affinity = affinity(c.pod)}), {policy});
      CHECK(injection == Injection{.pod = pod_of({.affinity = affinity(c.wanted)}),
                                   .applied = {"p"},
                                   .changes = changes});
      CHECK(injected(injection.pod, {policy}).changes == Changes{});
    }
  }
}

TEST_CASE(
    "required pod affinity and equal anti-affinity contradict, the policy's part is skipped") {
  const PodAffinityTerm db = beside("db");
  const PodAffinityTerm cache = beside("cache");
  PodAffinityTerm db_in_words = db;
  db_in_words.label_selector = where("app", LabelSelectorOperator::in, {"db", "db"});
  db_in_words.namespaces = {"team-a"};
  PodAffinityTerm db_elsewhere = db;
  db_elsewhere.namespaces = {"team-b"};
  const WeightedPodAffinityTerm prefer_db = {5, db};
  using Pods = std::optional<PodAffinity>;
  struct Case {
    const char* name;
    Pods opposite;  ///< what the pod has of the other kind
    Pods pod;
    PodAffinity policy;
    Pods wanted;
    std::vector<std::string> skipped;
  };
  const std::string no_db = "zone with pods {app=db}";
  const Case cases[] = {
      {"all that is required: nothing is injected",
       PodAffinity{{db}, {}},
       none,
       {{db}, {}},
       none,
       {no_db}},
      {"preferred terms stay",
       PodAffinity{{db}, {}},
       none,
       {{db}, {prefer_db}},
       PodAffinity{{}, {prefer_db}},
       {no_db}},
      {"the other terms stay",
       PodAffinity{{cache, db}, {}},
       none,
       {{beside("web"), db}, {}},
       PodAffinity{{beside("web")}, {}},
       {no_db}},
      {"they are appended to the pod's",
       PodAffinity{{db}, {}},
       PodAffinity{{cache}, {}},
       {{db, beside("web"), db}, {}},
       PodAffinity{{cache, beside("web")}, {}},
       {no_db + ", the first of 2 such terms"}},
      {"the same in other words", PodAffinity{{db_in_words}, {}}, none, {{db}, {}}, none, {no_db}},
      {"a preferred term contradicts nothing",
       PodAffinity{{}, {prefer_db}},
       none,
       {{db}, {}},
       PodAffinity{{db}, {}},
       {}},
      {"nor does another topology key",
       PodAffinity{{beside("db", "host")}, {}},
       none,
       {{db}, {}},
       PodAffinity{{db}, {}},
       {}},
      {"nor do other namespaces",
       PodAffinity{{db_elsewhere}, {}},
       none,
       {{db}, {}},
       PodAffinity{{db}, {}},
       {}},
      {"what the pod has by itself is its own conflict",
       PodAffinity{{db}, {}},
       PodAffinity{{db}, {}},
       {{db}, {}},
       PodAffinity{{db}, {}},
       {}},
  };
  struct Kind {
    Pods Affinity::*member;
    Pods Affinity::*opposite;
    FieldPath field;
    std::string reason;
  };
  const Kind kinds[] = {{&Affinity::pod_affinity, &Affinity::pod_anti_affinity,
                         "spec.affinity.podAffinity"_path.child(required_mode),
                         "the pod's podAntiAffinity keeps these pods away: "},
                        {&Affinity::pod_anti_affinity, &Affinity::pod_affinity,
                         "spec.affinity.podAntiAffinity"_path.child(required_mode),
                         "the pod's podAffinity asks for these pods: "}};
  for (const Kind& kind : kinds) {
    for (const Case& c : cases) {
      CAPTURE(c.name);
      CAPTURE(to_string(kind.field));
      const auto affinity = [&](const Pods& of_kind) {
        Affinity all;
        all.*kind.member = of_kind;
        all.*kind.opposite = c.opposite;
        return all;
      };
      Affinity injects;
      injects.*kind.member = c.policy;
      const PodSchedulingPolicy policy =
          of_team_a("p", {.node_selector = {{"disk", "ssd"}}, .affinity = injects});
      std::vector<Skipped> skipped;
      for (const std::string& term : c.skipped)
        skipped.push_back({"p", kind.field, kind.reason + term});
      const Injection injection = injected(pod_of({.affinity = affinity(c.pod)}), {policy});
      CHECK(injection.pod ==
            pod_of({.node_selector = {{"disk", "ssd"}}, .affinity = affinity(c.wanted)}));
      CHECK(injection.skipped == skipped);
      const Injection again = injected(injection.pod, {policy});
      CHECK(again.changes == Changes{});
      CHECK(again.skipped == skipped);
    }
  }
  // Of two policies the first wins, as the first of one policy's two kinds does.
  const Affinity beside_db = {.pod_affinity = PodAffinity{{db}, {}}};
  const Affinity apart_from_db = {.pod_anti_affinity = PodAffinity{{db}, {}}};
  Affinity both = beside_db;
  both.pod_anti_affinity = apart_from_db.pod_anti_affinity;
  CHECK(injected(pod_of({}), {of_team_a("a", {.affinity = apart_from_db}),
                              of_team_a("b", {.affinity = beside_db})})
            .pod == pod_of({.affinity = apart_from_db}));
  CHECK(injected(pod_of({}), {of_team_a("a", {.affinity = both})}).pod ==
        pod_of({.affinity = beside_db}));
}

TEST_CASE("each policy applies to the result of the one before") {
  const Toleration spot = {.key = "spot", .operator_ = exists};
  const Policies policies = {
      of_team_a("c-late", {.node_name = "node-2",
                           .node_selector = {{"disk", "hdd"}, {"pool", "etcd"}},
                           .tolerations = {spot},
                           .affinity = required({term({has("y")})})}),
      of_cluster("a-early", {.scheduler_name = "batch",
                             .node_selector = {{"disk", "ssd"}},
                             .tolerations = {spot},
                             .affinity = required({term({has("x")})})}),
      of_team_a("b-elsewhere", {.node_name = "node-1", .scheduler_name = "other"}),
  };
  const Injection injection = injected(pod_of({.node_selector = {{"zone", "a"}}}), policies);
  CHECK(
      injection ==
      Injection{
          .pod = pod_of({.scheduler_name = "batch",
                         .node_name = "node-1",
                         .node_selector = {{"disk", "ssd"}, {"pool", "etcd"}, {"zone", "a"}},
                         .tolerations = {spot},
                         .affinity = required({term({has("y"), has("x")})})}),
          .applied = {"a-early", "b-elsewhere", "c-late"},
          .skipped = {{"b-elsewhere", "spec.schedulerName"_path,
                       "the pod has `batch`, the policy `other`"},
                      {"c-late", "spec.nodeName"_path, "the pod has `node-1`, the policy `node-2`"},
                      {"c-late", "spec.nodeSelector[disk]"_path,
                       "the pod has `ssd`, the policy `hdd`"}},
          .changes = {{"spec.schedulerName"_path, none, "batch", "a-early"},
                      {"spec.nodeSelector[disk]"_path, none, "ssd", "a-early"},
                      {"spec.tolerations[0]"_path, none, "spot Exists", "a-early"},
                      {"spec.affinity.nodeAffinity"_path, none, "required (x Exists)", "a-early"},
                      {"spec.nodeName"_path, none, "node-1", "b-elsewhere"},
                      {"spec.nodeSelector[pool]"_path, none, "etcd", "c-late"},
                      {required_node_path, "required (x Exists)", "required (y Exists & x Exists)",
                       "c-late"}}});
  const auto compiled = compile(policies);
  REQUIRE(compiled);
  CHECK(inject(pod_of({.node_selector = {{"zone", "a"}}}), team_a, *compiled) == injection);
  CHECK(injected(injection.pod, policies) == Injection{.pod = injection.pod,
                                                       .applied = injection.applied,
                                                       .skipped = injection.skipped});
}

TEST_CASE("a conflict is shown in one line, whatever stands there") {
  const Injection injection =
      injected(pod_of({.scheduler_name = "a`b\n"}), {of_team_a("p", {.scheduler_name = "c d"})});
  CHECK(injection.skipped == std::vector<Skipped>{{"p", "spec.schedulerName"_path,
                                                   "the pod has `a\\`b\\x0a`, the policy `c d`"}});
}

TEST_CASE("etcd moves to a dedicated worker pool, and needs none") {
  const PodSchedulingPolicy policy = {
      .kind = cluster,
      .metadata = {.name = "etcd-pool"},
      .spec = {.namespace_selector = labelled("role", "shoot"),
               .pod_selector = labelled("app", "etcd"),
               .tolerations =
                   {{.key = "purpose", .operator_ = equal, .value = "etcd", .effect = no_schedule}},
               .affinity = required({term({in("pool", {"etcd"})})})}};
  CHECK(validate(policy).empty());
  const std::vector<Node> nodes = {{.metadata = {.name = "common", .labels = {{"pool", "common"}}}},
                                   {.metadata = {.name = "etcd", .labels = {{"pool", "etcd"}}},
                                    .spec = {.taints = {{"purpose", "etcd", no_schedule}}}}};
  const Namespace shoot = {{.name = "shoot-1", .labels = {{"role", "shoot"}}}};
  const Namespace garden = {{.name = "garden", .labels = {{"role", "garden"}}}};
  struct Case {
    const char* name;
    const char* app;
    Namespace in;
    Policies policies;
    List nodes;
    Labels node_selector{};
  };
  const Case cases[] = {
      {"etcd of a shoot", "etcd", shoot, {policy}, {"etcd"}},
      {"another pod of a shoot", "web", shoot, {policy}, {"common"}},
      {"etcd of another namespace", "etcd", garden, {policy}, {"common"}},
      {"a cluster without dedicated pools", "etcd", shoot, {}, {"common"}},
      {"etcd that says itself where it runs",
       "etcd",
       shoot,
       {policy},
       {"common"},
       {{"pool", "common"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = {.metadata = {.namespace_ = c.in.metadata.name, .labels = {{"app", c.app}}},
                     .spec = {.node_selector = c.node_selector}};
    const Injection injection = inject(pod, c.in, c.policies);
    const NodeAffinityMatcher matcher(injection.pod.spec);
    List lands_on;
    for (const Node& node : nodes) {
      if (matcher.matches(node) &&
          find_untolerated(injection.pod.spec.tolerations, node.spec.taints).empty()) {
        lands_on.push_back(node.metadata.name);
      }
    }
    CHECK(lands_on == c.nodes);
  }
}

TEST_CASE("the pod templates of all workload kinds are injected with their field paths") {
  const PodAffinity near = {{beside("db")}, {{1, beside("db")}}};
  Affinity all = required({term({has("x")})});
  all.node_affinity->preferred_during_scheduling_ignored_during_execution = {{1, term({has("x")})}};
  all.pod_affinity = near;
  all.pod_anti_affinity = PodAffinity{{beside("web")}, {{1, beside("web")}}};
  const PodSchedulingPolicy policy =
      of_team_a("p", {.node_name = "node-1",
                      .scheduler_name = "batch",
                      .node_selector = {{"disk", "ssd"}, {"zone", "b"}},
                      .tolerations = {{.key = "spot", .operator_ = exists}},
                      .affinity = all});
  for (const auto& [kind, prefix] : testing::pod_templates) {
    CAPTURE(prefix);
    const std::string at = prefix;
    Affinity own = required({term({has("a")})});
    own.pod_anti_affinity = PodAffinity{};
    Pod pod = pod_of({.node_name = "node-2", .node_selector = {{"zone", "a"}}, .affinity = own});
    pod.kind = kind;
    const Injection injection = injected(pod, {policy});
    const auto anti_affinity = field_path(kind, {"spec", "affinity", "podAntiAffinity"});
    const auto node_affinity = field_path(kind, {"spec", "affinity", "nodeAffinity"});
    List changed;
    for (const Change& change : injection.changes) changed.push_back(to_string(change.field));
    CHECK(changed == List{at + "spec.schedulerName", at + "spec.nodeSelector[disk]",
                          at + "spec.tolerations[0]", at + "spec.affinity.podAffinity",
                          to_string(anti_affinity.child(required_mode).index(0)),
                          to_string(anti_affinity.child(preferred_mode).index(0)),
                          to_string(node_affinity.child(preferred_mode).index(0)),
                          to_string(node_affinity.child(required_mode))});
    List skipped;
    for (const Skipped& conflict : injection.skipped) skipped.push_back(to_string(conflict.field));
    CHECK(skipped == List{at + "spec.nodeName", at + "spec.nodeSelector[zone]"});
    CHECK((injection.pod.kind == kind));
    Pod its_pod = injection.pod;
    its_pod.kind = PodKind::pod;
    CHECK(injected(its_pod, {policy}).pod == its_pod);
    CHECK(injected(its_pod, {policy}).changes == Changes{});
  }
}

TEST_CASE("a product of more terms than the bound is an error and injects nothing") {
  struct Case {
    std::size_t pod;
    std::size_t policy;
    bool fits;
  };
  const Case cases[] = {{32, 32, true},  {1, 1019, true},  {1024, 1, true}, {33, 32, false},
                        {32, 33, false}, {2, 1019, false}, {513, 2, false}, {1024, 1019, false}};
  for (const auto& [of_pod, of_policy, fits] : cases) {
    CAPTURE(of_pod);
    CAPTURE(of_policy);
    for (const PodKind kind : {PodKind::pod, PodKind::cron_job}) {
      Pod pod = pod_of({.affinity = required(numbered("pod-", of_pod))});
      pod.kind = kind;
      const Policies policies = {
          of_team_a("a-first", {.node_name = "node-1",
                                .node_selector = {{"disk", "ssd"}},
                                .tolerations = {{.key = "spot", .operator_ = exists}}}),
          of_team_a("b-terms", {.scheduler_name = "batch",
                                .affinity = required(numbered("policy-", of_policy))}),
          of_team_a("c-after", {.scheduler_name = "batch"})};
      const Injection injection = injected(pod, policies);
      if (fits) {
        CHECK(injection.errors.empty());
        CHECK(required_terms(injection.pod).size() == of_pod * of_policy);
        continue;
      }
      check_failed(injection, pod,
                   {"FieldValueTooMany " +
                    to_string(field_path(kind, {"spec", "affinity", "nodeAffinity"}))},
                   {"b-terms"});
      CHECK(injection.errors.at(0).detail.find("`b-terms`") != std::string::npos);
    }
  }
}

TEST_CASE("the bound counts the terms that come out, and names the policy that goes beyond it") {
  Terms holding = numbered("pod-", 1024);
  for (NodeSelectorTerm& each : holding) each.match_expressions.push_back(has("policy-1"));
  const Pod held = pod_of({.affinity = required(holding)});
  CHECK(injected(held, {of_team_a("p", {.affinity = required(numbered("policy-", 1024))})}) ==
        Injection{.pod = held, .applied = {"p"}});

  Terms with_empty = numbered("pod-", 1024);
  with_empty.insert(with_empty.begin(), 1000, NodeSelectorTerm{});
  CHECK(injected(pod_of({.affinity = required(with_empty)}),
                 {of_team_a("p", {.affinity = required({term({has("x")}), {}})})})
            .errors.empty());

  Policies policies;
  for (const char* name : {"a", "b", "c", "d"})
    policies.push_back(of_team_a(name, {.affinity = required(numbered(name, 10))}));
  const Pod pod = pod_of({});
  CHECK(injected(pod, {policies[0], policies[1], policies[2]}).errors.empty());
  const Injection injection = injected(pod, policies);
  check_failed(injection, pod, {"FieldValueTooMany spec.affinity.nodeAffinity"}, {"d"});
  CHECK(injection.errors.at(0).detail.find("`d`") != std::string::npos);
}

TEST_CASE("a pod without terms comes out with as many as the bound, and no more") {
  const Pod pods[] = {pod_of({}), pod_of({.affinity = Affinity{.node_affinity = NodeAffinity{}}})};
  for (const Pod& pod : pods) {
    const Injection most =
        injected(pod, {of_team_a("p", {.affinity = required(numbered("k", 1024))})});
    CHECK(most.errors.empty());
    CHECK(required_terms(most.pod) == numbered("k", 1024));
    check_failed(injected(pod, {of_team_a("p", {.affinity = required(numbered("k", 1025))})}), pod,
                 {"FieldValueTooMany policies[0].spec"});
  }
}

TEST_CASE("terms that stay as they are count towards the bound") {
  const Policies policies = {of_team_a("p", {.affinity = required(numbered("k", 2))})};
  for (const std::size_t kept : {1022U, 1023U}) {
    CAPTURE(kept);
    Terms terms = {term({has("x")})};
    terms.insert(terms.end(), kept, term({has("k0")}));
    const Pod pod = pod_of({.affinity = required(terms)});
    const Injection injection = injected(pod, policies);
    // One that is left out does not count.
    terms.push_back(term({{"k0", NodeSelectorOperator::does_not_exist, {}},
                          {"k1", NodeSelectorOperator::does_not_exist, {}}}));
    const Pod with_another = pod_of({.affinity = required(terms)});
    const Injection of_another = injected(with_another, policies);
    if (kept == 1022) {
      CHECK(injection.errors.empty());
      CHECK(required_terms(injection.pod).size() == 1024);
      CHECK(required_terms(of_another.pod) == required_terms(injection.pod));
    } else {
      const List wanted = {"FieldValueTooMany spec.affinity.nodeAffinity"};
      check_failed(injection, pod, wanted, {"p"});
      check_failed(of_another, with_another, wanted, {"p"});
    }
  }
}

TEST_CASE("terms that policies make are only so long, those of all policies together") {
  // What one policy makes is half of what may be made.
  Terms long_terms;
  for (std::size_t i = 0; i < 512; ++i)
    long_terms.push_back(
        term({in("k", Texts(List(max_merged_term_bytes / 1024 / 64, std::string(56, 'v'))))}));
  const Pod pod = pod_of({.affinity = required(long_terms)});
  Terms with_empty = numbered("a", 1);  // empty terms make nothing
  with_empty.resize(4);
  const Policies one = {of_team_a("a", {.affinity = required(with_empty)})};
  const Injection injection = injected(pod, one);
  CHECK(injection.errors.empty());
  CHECK(required_terms(injection.pod).size() == 512);
  const Policies two = {one.front(), of_team_a("b", {.affinity = required(numbered("b", 1))})};
  check_failed(injected(pod, two), pod, {"FieldValueTooLong spec.affinity.nodeAffinity"}, {"b"});
  // Terms that are only taken over are as long as they come.
  const Terms brought(long_terms.begin(), long_terms.begin() + 16);
  const Policies brings = {of_team_a("a", {.affinity = required(brought)}),
                           of_team_a("b", {.affinity = required(brought)})};
  CHECK(required_terms(injected(pod_of({}), brings).pod) == brought);
}

TEST_CASE("wherever text stands in a term it counts towards how long terms get") {
  const std::string text(max_merged_term_bytes / 512, 'x');
  const NodeSelectorTerm cases[] = {
      term({has(text), has("a")}),  term({has("a"), has(text)}),
      term({in("a", {text, "b"})}), term({in("a", {"b", text})}),
      term({}, {is_node(text)}),    term({has("a")}, {is_node("b"), is_node(text)}),
  };
  const Terms few = numbered("k", 32);
  for (const NodeSelectorTerm& one : cases) {
    CAPTURE(&one - cases);
    Terms many(32, one);
    for (std::size_t i = 0; i < many.size(); ++i)
      many[i].match_expressions.push_back(has("n" + std::to_string(i)));
    const Pod pod = pod_of({.affinity = required(many)});
    check_failed(injected(pod, {of_team_a("p", {.affinity = required(few)})}), pod,
                 {"FieldValueTooLong spec.affinity.nodeAffinity"}, {"p"});
  }
  // That of a policy too, as long as a policy may be.
  Terms of_policy = numbered("n", 16);
  const std::size_t values = max_merged_term_bytes / 1024 / 63 + 1;
  for (NodeSelectorTerm& one : of_policy)
    one.match_expressions.push_back(in("a", Texts(List(values, std::string(63, 'x')))));
  const Pod pod = pod_of({.affinity = required(numbered("k", 64))});
  check_failed(injected(pod, {of_team_a("p", {.affinity = required(of_policy)})}), pod,
               {"FieldValueTooLong spec.affinity.nodeAffinity"}, {"p"});
}

TEST_CASE("however many policies make terms, the pod comes back as it was") {
  for (const bool first_has_none : {false, true}) {
    CAPTURE(first_has_none);
    Policies policies;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
      policies.push_back(of_team_a(
          name, {.node_name = name,
                 .tolerations = {{.key = name, .operator_ = exists}},
                 .affinity =
                     first_has_none && *name == 'a' ? Affinity{} : required(numbered(name, 32))}));
    }
    const std::string failing = first_has_none ? "d" : "c";
    for (const Pod& pod :
         {pod_of({}), pod_of({.node_selector = {{"disk", "ssd"}}, .affinity = Affinity{}})}) {
      const Injection injection = injected(pod, policies);
      check_failed(injection, pod, {"FieldValueTooMany spec.affinity.nodeAffinity"}, {failing});
      CHECK(injection.errors.at(0).detail ==
            "the policy `" + failing + "` makes more than 1024 node selector terms");
      Injection left{.pod = pod};
      inject_into(left, team_a, *compile(policies), DefaultScheduler::specified,
                  ChangeValues::shown);
      left.pod = pod;
      CHECK(left == injection);
    }
  }
}

TEST_CASE("the first policy that names a scheduler replaces a default one that is unspecified") {
  constexpr auto unspecified = DefaultScheduler::unspecified;
  constexpr auto specified = DefaultScheduler::specified;
  const std::string by_default = "default-scheduler";
  struct Case {
    const char* name;
    std::string pod;
    DefaultScheduler default_scheduler;
    List policies;  ///< what they name, in their order
    std::string wanted;
    List skipped{};  ///< policies
  };
  const Case cases[] = {
      {"one policy", by_default, unspecified, {"x"}, "x"},
      {"specified", by_default, specified, {"x"}, by_default, {"a"}},
      {"the second policy is too late", by_default, unspecified, {"x", "y"}, "x", {"b"}},
      {"the first policy names none", by_default, unspecified, {"", "x"}, "x"},
      {"the first policy names the default one",
       by_default,
       unspecified,
       {by_default, "x"},
       by_default,
       {"b"}},
      {"the first policy names the default one, the pod none",
       "",
       unspecified,
       {by_default, "x"},
       by_default,
       {"b"}},
      {"the second policy names the default one",
       by_default,
       unspecified,
       {"x", by_default},
       "x",
       {"b"}},
      {"another scheduler is the pod's own", "own", unspecified, {"x"}, "own", {"a"}},
      {"a policy that names none does not end it", by_default, unspecified, {"", "", "x"}, "x"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Policies policies;
    for (const std::string& scheduler : c.policies) {
      policies.push_back(of_team_a(std::string(1, static_cast<char>('a' + policies.size())),
                                   {.scheduler_name = scheduler}));
    }
    const Injection injection =
        inject(pod_of({.scheduler_name = c.pod}), team_a, *compile(policies), c.default_scheduler);
    CHECK(inject(pod_of({.scheduler_name = c.pod}), team_a, policies, c.default_scheduler) ==
          injection);
    CHECK(admit(pod_of({.scheduler_name = c.pod}), team_a, policies, c.default_scheduler).pod ==
          injection.pod);
    CHECK(injection.pod.spec.scheduler_name == c.wanted);
    List skipped;
    for (const Skipped& conflict : injection.skipped) skipped.push_back(conflict.policy);
    CHECK(skipped == c.skipped);
    if (c.wanted == c.pod) CHECK(injection.changes == Changes{});
    for (const Change& change : injection.changes) {
      CHECK(change.field == "spec.schedulerName"_path);
      CHECK(change.from == (c.pod.empty() ? none : std::optional(c.pod)));
      CHECK(change.to == c.wanted);
    }
  }
}

TEST_CASE("changes without values tell the same fields") {
  const Policies policies = {
      of_team_a("a", {.node_name = "node-1", .affinity = required({term({has("x")})})}),
      of_team_a("b", {.tolerations = {{.key = "spot", .operator_ = exists}},
                      .affinity = required({term({has("y")})})})};
  const Pod pod = pod_of({.affinity = required({term({has("z")})})});
  Injection shown = injected(pod, policies);
  for (Change& change : shown.changes) {
    CHECK(change.to.has_value());
    change.from.reset();
    change.to.reset();
  }
  CHECK(inject(pod, team_a, *compile(policies), DefaultScheduler::specified,
               ChangeValues::omitted) == shown);
  Injection into{.pod = pod};
  inject_into(into, team_a, *compile(policies), DefaultScheduler::specified, ChangeValues::omitted);
  CHECK(into == shown);
}

/// What of `from` is not there yet, after what is, looked for one by one.
template <class T>
std::vector<T> appended(std::vector<T> list, const std::vector<T>& from) {
  for (const T& item : from) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  }
  return list;
}

TEST_CASE("of many items those that the pod has are found as of few") {
  Tolerations tolerations[2];
  std::vector<PreferredSchedulingTerm> preferences[2];
  PodAffinity near[2];
  std::vector<NodeSelectorRequirement> expressions[2];
  for (std::size_t i = 0; i < 200; ++i) {
    // Each other has every third of the first one, and each item but the first is there twice.
    const std::string key = i == 0 ? "k" : "k" + std::to_string(i % 100);
    for (const std::size_t side : {0U, 1U}) {
      if (side == 1 && i % 3 != 0) continue;
      const auto weight = static_cast<std::int32_t>(1 + i % 2);
      tolerations[side].push_back(
          {.key = key,
           .operator_ = i % 2 == side ? OpenEnum(equal) : TolerationOperator(),
           .value = i % 5 == 0 ? "v" : ""});
      preferences[side].push_back({weight, term({has(key)})});
      near[side].required_during_scheduling_ignored_during_execution.push_back(beside(key));
      near[side].preferred_during_scheduling_ignored_during_execution.push_back(
          {weight, beside(key)});
      expressions[side].push_back(has(key));
    }
  }
  for (const std::size_t policy : {0U, 1U}) {
    CAPTURE(policy);
    const std::size_t own = 1 - policy;
    const auto affinity_of = [&](std::size_t side) {
      Affinity affinity = required({term(expressions[side])});
      affinity.node_affinity->preferred_during_scheduling_ignored_during_execution =
          preferences[side];
      affinity.pod_affinity = near[side];
      return affinity;
    };
    const Pod pod = pod_of({.tolerations = tolerations[own], .affinity = affinity_of(own)});
    const Policies policies = {
        of_team_a("p", {.tolerations = tolerations[policy], .affinity = affinity_of(policy)})};
    const Injection injection = injected(pod, policies);
    CHECK(injection.pod.spec.tolerations == appended(tolerations[own], tolerations[policy]));
    const Affinity& after = *injection.pod.spec.affinity;
    CHECK((after.node_affinity->preferred_during_scheduling_ignored_during_execution ==
           appended(preferences[own], preferences[policy])));
    CHECK((after.pod_affinity->required_during_scheduling_ignored_during_execution ==
           appended(near[own].required_during_scheduling_ignored_during_execution,
                    near[policy].required_during_scheduling_ignored_during_execution)));
    CHECK((after.pod_affinity->preferred_during_scheduling_ignored_during_execution ==
           appended(near[own].preferred_during_scheduling_ignored_during_execution,
                    near[policy].preferred_during_scheduling_ignored_during_execution)));
    // A pod that has all expressions of the policy keeps its term as it is.
    CHECK(required_terms(injection.pod) ==
          (own == 0 ? Terms{term(expressions[own])}
                    : Terms{term(appended(expressions[policy], expressions[own]))}));
    CHECK(injected(injection.pod, policies).changes.empty());
  }
}

TEST_CASE("policies that nobody compiled inject nothing, which is an error") {
  CHECK(CompiledPolicies().candidates({}, team_a) == 0);
  for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
    Pod pod = pod_of({});
    pod.kind = kind;
    const Injection injection = inject(pod, team_a, CompiledPolicies());
    check_failed(injection, pod, {"FieldValueRequired policies"});
  }
}

TEST_CASE("policies are asked about the namespace of the pod, and of no other") {
  const Namespace other = {.metadata = {.name = "team-b"}};
  const Pod pod = pod_of({});
  const Injection injection =
      inject(pod, other, Policies{of_cluster("p", {.scheduler_name = "batch"})});
  check_failed(injection, pod, {"FieldValueInvalid metadata.namespace"});
}

TEST_CASE("terms are copied without the empty ones, and no more of them than the bound") {
  const NodeSelectorTerm disk = {
      .match_expressions = {{.key = "disk", .operator_ = NodeSelectorOperator::exists}}};
  const auto with_terms = [](Terms terms) {
    return Affinity{.node_affinity =
                        NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                         NodeSelector{std::move(terms)}}};
  };
  const Policies policies = {of_cluster("p", {.affinity = with_terms({disk, {}})})};
  const Injection once = inject(pod_of({}), team_a, policies);
  CHECK(once.pod.spec.affinity == with_terms({disk}));
  CHECK(inject(once.pod, team_a, policies).changes.empty());

  const Policies wide = {
      of_cluster("p", {.affinity = with_terms(Terms(max_node_selector_terms + 1, disk))})};
  for (const Pod& pod :
       {pod_of({}), pod_of({.affinity = Affinity{.node_affinity = NodeAffinity{}}})}) {
    const Injection failed = inject(pod, team_a, wide);
    CHECK(failed.errors.size() == 1);
    CHECK(failed.pod == pod);
    const auto admission = admit(pod, team_a, wide);
    CHECK_FALSE(admission.allowed);
    CHECK(admission.violations.front().policies == List{"p"});
  }
  const Pod brings_many =
      pod_of({.affinity = with_terms(Terms(max_node_selector_terms + 1, disk))});
  CHECK(inject(brings_many, team_a, policies).errors.empty());
  Terms and_empty(max_node_selector_terms + 1, disk);
  and_empty.emplace_back();
  CHECK(inject(pod_of({.affinity = with_terms(and_empty)}), team_a, policies).pod == brings_many);
}

TEST_CASE("policies together give a pod a bounded number of items") {
  const auto selected = [](std::size_t pairs) {
    Labels all;
    for (std::size_t i = 0; i < pairs; ++i) all["key" + std::to_string(i)] = "v";
    return all;
  };
  const auto spread = [](std::size_t required, std::size_t preferred) {
    PodAffinity pods;
    for (std::size_t i = 0; i < required; ++i)
      pods.required_during_scheduling_ignored_during_execution.push_back(beside("a", "key"));
    for (std::size_t i = 0; i < preferred; ++i)
      pods.preferred_during_scheduling_ignored_during_execution.push_back({1, beside("a", "key")});
    return pods;
  };
  const auto tolerating = [](std::size_t count) {
    return of_team_a("most", {.tolerations = tolerations(count)});
  };
  static_assert(max_given_items == 1024);
  struct Case {
    const char* name;
    PodSchedulingPolicySpec more;
    std::size_t items;
  };
  const Case cases[] = {
      {"nothing", {}, 1},
      {"a node and a scheduler", {.node_name = "node-1", .scheduler_name = "batch"}, 2},
      {"pairs of the nodeSelector", {.node_selector = selected(3)}, 3},
      {"tolerations", {.tolerations = tolerations(4, "other")}, 4},
      {"expressions of a required term",
       {.affinity = required({term({has("a"), has("b")}, {is_node("n")}), term({has("c")})})},
       4},
      {"an empty term beside one", {.affinity = required({term({}), term({has("a")})})}, 2},
      {"expressions of preferences",
       {.affinity = preferred({{1, term({has("a"), has("b")})}, {2, term({has("c")})}})},
       3},
      {"pod affinity", {.affinity = Affinity{.pod_affinity = spread(2, 3)}}, 5},
      {"pod anti-affinity", {.affinity = Affinity{.pod_anti_affinity = spread(1, 1)}}, 2},
      {"many values of one expression are one item",
       {.affinity = required({term({in("zone", {"a", "b", "c"})})})},
       1},
  };
  const Pod pod = pod_of({.tolerations = tolerations(2, "own")});
  for (const Case& c : cases) {
    CAPTURE(c.name);
    for (const auto& [more, elsewhere] :
         {std::pair(of_cluster("more", c.more), of_team_a("elsewhere", c.more)),
          std::pair(of_team_a("more", c.more), of_team_a("elsewhere", c.more))}) {
      PodSchedulingPolicy not_here = elsewhere;
      not_here.metadata.namespace_ = "team-b";
      const Injection within =
          injected(pod, {more, tolerating(max_given_items - c.items), not_here});
      CHECK(within.errors.empty());
      CHECK(within.applied == List{"more", "most"});
      const Policies beyond = {more, not_here, tolerating(max_given_items - c.items + 1)};
      check_failed(injected(pod, beyond), pod, {"FieldValueTooMany spec"}, {"more", "most"});
      const Admission admission = admit(pod, team_a, beyond);
      CHECK_FALSE(admission.allowed);
      CHECK(admission.pod == pod);
      REQUIRE(admission.violations.size() == 1);
      CHECK((admission.violations[0].code == ViolationCode::limit_exceeded));
      CHECK(
          message(admission.violations[0]) ==
          "`spec`: a limit is exceeded by `more` and `most`: a pod is given at most 1024 items by "
          "policies and its class, and these are 1025");
    }
  }
}

TEST_CASE("an affinity without terms injects nothing") {
  const Policies policies = {of_cluster(
      "p", {.affinity = Affinity{.node_affinity = NodeAffinity{}, .pod_affinity = PodAffinity{}}})};
  const Pod pod = pod_of({});
  CHECK(inject(pod, team_a, policies).pod == pod);
  CHECK_FALSE(admit(pod, team_a, policies).before);
}

}  // namespace inject_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
