// SPDX-License-Identifier: Apache-2.0
#include <schedpol/pod_scheduling_policy/pod_scheduling_policy.hpp>

#include "../support/print.hpp"

#include "../support/print_systems.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::pod_scheduling_policy {
namespace {

static_assert(std::is_aggregate_v<PodSchedulingPolicySpec>);
static_assert(std::is_aggregate_v<PodSchedulingPolicy>);
static_assert(std::is_aggregate_v<Skipped>);
static_assert(std::is_aggregate_v<Injection>);
static_assert(std::is_nothrow_move_constructible_v<PodSchedulingPolicy>);
static_assert(std::is_nothrow_move_constructible_v<Injector>);
static_assert(std::is_nothrow_default_constructible_v<Injector>);
static_assert(std::is_copy_constructible_v<Injector>);
static_assert(std::equality_comparable<PodSchedulingPolicySpec>);
static_assert(std::equality_comparable<PodSchedulingPolicy>);
static_assert(std::equality_comparable<Skipped>);
static_assert(std::equality_comparable<Injection>);
static_assert(max_node_selector_terms == 1024);
static_assert(to_string(PolicyKind::pod_scheduling_policy) == "PodSchedulingPolicy");
static_assert(to_string(PolicyKind::cluster_pod_scheduling_policy) == "ClusterPodSchedulingPolicy");

using List = std::vector<std::string>;
using Policies = std::vector<PodSchedulingPolicy>;
using Changes = std::vector<Change>;
using Terms = std::vector<NodeSelectorTerm>;
using Tolerations = std::vector<Toleration>;

constexpr auto cluster = PolicyKind::cluster_pod_scheduling_policy;
constexpr auto exists = TolerationOperator::exists;
constexpr auto equal = TolerationOperator::equal;
constexpr auto no_schedule = TaintEffect::no_schedule;
constexpr auto none = std::nullopt;

const LabelSelector everything = {};
const ObjectMeta team_a = {.name = "team-a", .labels = {{"env", "prod"}}};

LabelSelector labelled(std::string key, std::string value) {
  return {.match_labels = {{std::move(key), std::move(value)}}};
}

LabelSelector where(std::string key, OpenEnum<LabelSelectorOperator> op, List values = {}) {
  return {.match_expressions = {{std::move(key), std::move(op), std::move(values)}}};
}

/// A policy of namespace team-a that selects every pod.
PodSchedulingPolicy of_team_a(std::string name, PodSchedulingPolicySpec spec) {
  spec.pod_selector = everything;
  return {.metadata = {.name = std::move(name), .namespace_ = "team-a"}, .spec = std::move(spec)};
}

/// A policy of the cluster that selects every pod of every namespace.
PodSchedulingPolicy of_cluster(std::string name, PodSchedulingPolicySpec spec) {
  spec.pod_selector = everything;
  spec.namespace_selector = everything;
  return {.kind = cluster, .metadata = {.name = std::move(name)}, .spec = std::move(spec)};
}

Pod pod_of(PodSpec spec) {
  return {.metadata = {.name = "web", .namespace_ = "team-a", .labels = {{"app", "web"}}},
          .spec = std::move(spec)};
}

Injection injected(const Pod& pod, const Policies& policies) {
  return inject(pod, team_a, policies);
}

// Expressions and terms.

NodeSelectorRequirement has(std::string key) {
  return {std::move(key), NodeSelectorOperator::exists, {}};
}
NodeSelectorRequirement in(std::string key, List values) {
  return {std::move(key), NodeSelectorOperator::in, std::move(values)};
}
NodeSelectorRequirement is_node(std::string name) {
  return in("metadata.name", {std::move(name)});
}
NodeSelectorTerm term(std::vector<NodeSelectorRequirement> expressions,
                      std::vector<NodeSelectorRequirement> fields = {}) {
  return {.match_expressions = std::move(expressions), .match_fields = std::move(fields)};
}

Affinity required(Terms terms) {
  return {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                            NodeSelector{std::move(terms)}}};
}

Affinity preferred(std::vector<PreferredSchedulingTerm> terms) {
  return {.node_affinity = NodeAffinity{.preferred_during_scheduling_ignored_during_execution =
                                            std::move(terms)}};
}

PodAffinityTerm beside(std::string app, std::string topology_key = "zone") {
  return {.label_selector = labelled("app", std::move(app)),
          .topology_key = std::move(topology_key)};
}

/// Types and fields, as in `FieldValueRequired spec.podSelector...`.
List reasons(const std::vector<FieldError>& errors) {
  List list;
  for (const FieldError& error : errors)
    list.push_back(std::string(to_string(error.type)) + " " + error.field);
  return list;
}

/// What an injection that failed looks like: the pod as it came, errors, and the policy that could
/// not be applied.
void check_failed(const Injection& injection, const Pod& pod, const List& wanted,
                  const List& policies = {}) {
  CHECK(reasons(injection.errors) == wanted);
  CHECK(injection.pod == pod);
  CHECK(injection.applied == policies);
  CHECK(injection.skipped == std::vector<Skipped>{});
  CHECK(injection.changes == Changes{});
}

const std::string required_mode = ".requiredDuringSchedulingIgnoredDuringExecution";
const std::string preferred_mode = ".preferredDuringSchedulingIgnoredDuringExecution";
const std::string required_node =
    "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";

// ---- Which policies apply

TEST_CASE("a policy applies to the pods and namespaces that its selectors match") {
  struct Case {
    const char* name;
    PodSchedulingPolicy policy;
    bool applies;
  };
  const auto own = [](std::optional<LabelSelector> pods, std::string namespace_ = "team-a",
                      std::optional<LabelSelector> namespaces = none) {
    return PodSchedulingPolicy{
        .metadata = {.name = "p", .namespace_ = std::move(namespace_)},
        .spec = {.namespace_selector = std::move(namespaces), .pod_selector = std::move(pods)}};
  };
  const auto any = [](std::optional<LabelSelector> namespaces, std::optional<LabelSelector> pods,
                      std::string namespace_ = "") {
    return PodSchedulingPolicy{
        .kind = cluster,
        .metadata = {.name = "p", .namespace_ = std::move(namespace_)},
        .spec = {.namespace_selector = std::move(namespaces), .pod_selector = std::move(pods)}};
  };
  constexpr auto not_in = LabelSelectorOperator::not_in;
  constexpr auto key_exists = LabelSelectorOperator::exists;
  constexpr auto key_is_missing = LabelSelectorOperator::does_not_exist;
  const Case cases[] = {
      {"a nil selector matches no pods", own(none), false},
      {"an empty selector matches all pods", own(everything), true},
      {"the pod's label", own(labelled("app", "web")), true},
      {"another value", own(labelled("app", "db")), false},
      {"a label that the pod has not", own(labelled("tier", "web")), false},
      {"a namespace's label is none of the pod", own(labelled("env", "prod")), false},
      {"In, listed", own(where("app", LabelSelectorOperator::in, {"db", "web"})), true},
      {"NotIn, listed", own(where("app", not_in, {"db", "web"})), false},
      {"NotIn, a missing key", own(where("tier", not_in, {"db"})), true},
      {"Exists", own(where("app", key_exists)), true},
      {"DoesNotExist", own(where("app", key_is_missing)), false},
      {"another namespace", own(everything, "team-b"), false},
      {"no namespace", own(everything, ""), false},
      {"a namespaced policy has no say in namespaces",
       own(everything, "team-a", labelled("env", "test")), true},
      {"a namespaced policy does not reach out of its namespace",
       own(everything, "team-b", everything), false},

      {"cluster: both selectors nil", any(none, none), false},
      {"cluster: a nil namespace selector matches no namespaces", any(none, everything), false},
      {"cluster: a nil pod selector matches no pods", any(everything, none), false},
      {"cluster: two empty selectors match everything", any(everything, everything), true},
      {"cluster: the namespace's label", any(labelled("env", "prod"), everything), true},
      {"cluster: another value", any(labelled("env", "test"), everything), false},
      {"cluster: a pod's label is none of the namespace", any(labelled("app", "web"), everything),
       false},
      {"cluster: both match", any(labelled("env", "prod"), labelled("app", "web")), true},
      {"cluster: only the namespace matches", any(labelled("env", "prod"), labelled("app", "db")),
       false},
      {"cluster: only the pod matches", any(labelled("env", "test"), labelled("app", "web")),
       false},
      {"cluster: DoesNotExist on the namespace", any(where("env", key_is_missing), everything),
       false},
      {"cluster: a namespace of its own has no say", any(everything, everything, "team-b"), true},
  };
  const Pod pod = pod_of({});
  for (Case c : cases) {
    CAPTURE(c.name);
    c.policy.spec.scheduler_name = "batch";
    const Injection injection = injected(pod, {c.policy});
    CHECK(injection.applied == (c.applies ? List{"p"} : List{}));
    CHECK(injection.pod.spec.scheduler_name == (c.applies ? "batch" : ""));
    if (!c.applies) CHECK(injection == Injection{.pod = pod});
  }
}

TEST_CASE("a namespace without labels and a pod without labels match the empty selector") {
  const Pod pod = {.metadata = {.name = "web", .namespace_ = "team-a"}};
  const PodSchedulingPolicy policy = of_cluster("p", {.scheduler_name = "batch"});
  CHECK(inject(pod, {.name = "team-a"}, Policies{policy}).applied == List{"p"});
  PodSchedulingPolicy labels = policy;
  labels.spec.namespace_selector = labelled("env", "prod");
  CHECK(inject(pod, {.name = "team-a"}, Policies{labels}).applied == List{});
}

TEST_CASE("without policies nothing is injected") {
  const Pod pod = pod_of({.scheduler_name = "batch"});
  CHECK(injected(pod, {}) == Injection{.pod = pod});
  CHECK(Injector().inject(pod, team_a) == Injection{.pod = pod});
  CHECK(injected(pod, {of_team_a("p", {})}) == Injection{.pod = pod, .applied = {"p"}});
}

TEST_CASE("policies apply in byte order of their names, the cluster's first of one name") {
  const auto local = [](const char* name, const char* scheduler) {
    return of_team_a(name, {.scheduler_name = scheduler});
  };
  const auto global = [](const char* name, const char* scheduler) {
    return of_cluster(name, {.scheduler_name = scheduler});
  };
  struct Case {
    const char* name;
    Policies policies;
    List applied;
    const char* scheduler;
  };
  const Case cases[] = {
      {"two of a namespace", {local("b", "late"), local("a", "early")}, {"a", "b"}, "early"},
      {"two of the cluster", {global("b", "late"), global("a", "early")}, {"a", "b"}, "early"},
      {"the name comes before the kind",
       {global("b", "late"), local("a", "early")},
       {"a", "b"},
       "early"},
      {"one name: the cluster's first",
       {local("a", "late"), global("a", "early")},
       {"a", "a"},
       "early"},
      {"upper case first", {local("a", "late"), local("B", "early")}, {"B", "a"}, "early"},
      {"a prefix first", {local("a-1", "late"), local("a", "early")}, {"a", "a-1"}, "early"},
      {"no numbers", {local("p9", "late"), local("p10", "early")}, {"p10", "p9"}, "early"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Injection injection = injected(pod_of({}), c.policies);
    CHECK(injection.applied == c.applied);
    CHECK(injection.pod.spec.scheduler_name == c.scheduler);
    CHECK(injection.skipped == std::vector<Skipped>{{c.applied[1], "spec.schedulerName",
                                                     "the pod has `early`, the policy `late`"}});
    CHECK(injected(pod_of({}), {c.policies[1], c.policies[0]}) == injection);
  }
}

// ---- What is injected

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
       {{"spec.nodeName", none, "node-1", "p"}},
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
       {{"p", "spec.nodeName", "the pod has `node-2`, the policy `node-1`"}}},

      {"schedulerName, the pod has none",
       {.scheduler_name = "bin-packing"},
       {},
       {.scheduler_name = "bin-packing"},
       {{"spec.schedulerName", none, "bin-packing", "p"}},
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
       {{"p", "spec.schedulerName", "the pod has `default-scheduler`, the policy `bin-packing`"}}},

      {"nodeSelector, the pod has none",
       {.node_selector = {{"disk", "ssd"}, {"pool", "etcd"}}},
       {},
       {.node_selector = {{"disk", "ssd"}, {"pool", "etcd"}}},
       {{"spec.nodeSelector[disk]", none, "ssd", "p"},
        {"spec.nodeSelector[pool]", none, "etcd", "p"}},
       {}},
      {"nodeSelector, the pod has other keys",
       {.node_selector = {{"pool", "etcd"}}},
       {.node_selector = {{"Pool", "web"}, {"zone", "a"}}},
       {.node_selector = {{"Pool", "web"}, {"pool", "etcd"}, {"zone", "a"}}},
       {{"spec.nodeSelector[pool]", none, "etcd", "p"}},
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
       {{"spec.nodeSelector[disk]", none, "ssd", "p"}},
       {{"p", "spec.nodeSelector[pool]", "the pod has `web`, the policy `etcd`"},
        {"p", "spec.nodeSelector[zone]", "the pod has ``, the policy `a`"}}},

      {"tolerations, the pod has none",
       {.tolerations = {etcd, spot}},
       {},
       {.tolerations = {etcd, spot}},
       {{"spec.tolerations[0]", none, "purpose=etcd:NoSchedule", "p"},
        {"spec.tolerations[1]", none, "spot Exists", "p"}},
       {}},
      {"tolerations, the pod's come first",
       {.tolerations = {etcd}},
       {.tolerations = {spot}},
       {.tolerations = {spot, etcd}},
       {{"spec.tolerations[1]", none, "purpose=etcd:NoSchedule", "p"}},
       {}},
      {"tolerations, the pod has an equal one",
       {.tolerations = {etcd, spot}},
       {.tolerations = {etcd_unset}},
       {.tolerations = {etcd_unset, spot}},
       {{"spec.tolerations[1]", none, "spot Exists", "p"}},
       {}},
      {"tolerations, a broader one is another one",
       {.tolerations = {spot}},
       {.tolerations = {any}},
       {.tolerations = {any, spot}},
       {{"spec.tolerations[1]", none, "spot Exists", "p"}},
       {}},
      {"tolerations, those of the pod are not merged",
       {.tolerations = {any}},
       {.tolerations = {spot, spot}},
       {.tolerations = {spot, spot, any}},
       {{"spec.tolerations[2]", none, "* Exists", "p"}},
       {}},
      {"tolerations, one that the policy repeats is injected once",
       {.tolerations = {etcd, spot, etcd_unset}},
       {},
       {.tolerations = {etcd, spot}},
       {{"spec.tolerations[0]", none, "purpose=etcd:NoSchedule", "p"},
        {"spec.tolerations[1]", none, "spot Exists", "p"}},
       {}},

      {"affinity, the pod has none",
       {.affinity = on_ssd},
       {},
       {.affinity = on_ssd},
       {{"spec.affinity.nodeAffinity", none, "required (ssd Exists)", "p"}},
       {}},
      {"affinity, the pod has an empty one",
       {.affinity = on_ssd},
       {.affinity = Affinity{}},
       {.affinity = on_ssd},
       {{"spec.affinity.nodeAffinity", none, "required (ssd Exists)", "p"}},
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
       {{required_node, "required (gpu Exists)", "required (ssd Exists & gpu Exists)", "p"}},
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
       {{"spec.nodeName", none, "node-1", "p"},
        {"spec.schedulerName", none, "bin-packing", "p"},
        {"spec.nodeSelector[pool]", none, "etcd", "p"},
        {"spec.tolerations[0]", none, "purpose=etcd:NoSchedule", "p"},
        {"spec.affinity.nodeAffinity", none, "required (ssd Exists)", "p"}},
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
       {{"spec.tolerations[1]", none, "purpose=etcd:NoSchedule", "p"},
        {required_node, "required (gpu Exists)", "required (ssd Exists & gpu Exists)", "p"}},
       {{"p", "spec.nodeName", "the pod has `node-2`, the policy `node-1`"},
        {"p", "spec.schedulerName", "the pod has `batch`, the policy `bin-packing`"},
        {"p", "spec.nodeSelector[pool]", "the pod has `web`, the policy `etcd`"}}},
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
      {"neither side has terms", {}, {}, {}},
      {"the policy has none: the pod's", {a, b}, {}, {a, b}},
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
       {term({}, {is_node("n2")})},
       {term({}, {is_node("n2"), is_node("n1")})}},
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
      {"only empty terms of the policy: one stays", {a, b}, {empty, empty}, {empty}},
      {"only empty terms: one stays", {empty}, {empty, empty}, {empty}},
      {"the pod's empty term stays without terms of the policy", {a, empty}, {}, {a, empty}},
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
      CHECK(change.field == required_node);
      CHECK(change.from.has_value() == !c.pod.empty());
      CHECK(change.to == to_string(NodeAffinity{NodeSelector{c.wanted}, {}}));
    }
    const Injection again = injected(injection.pod, {policy});
    CHECK(again == Injection{.pod = injection.pod, .applied = {"p"}});
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
    const char* field;
  };
  const Case cases[] = {
      {"no affinity", none, "spec.affinity.nodeAffinity"},
      {"pod affinity only", Affinity{.pod_affinity = near}, "spec.affinity.nodeAffinity"},
      {"an empty node affinity", Affinity{.node_affinity = NodeAffinity{}}, required_node.c_str()},
      {"preferred terms only", preferred(likes), required_node.c_str()},
      {"required without terms", required({}), required_node.c_str()},
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
  const Affinity cases[] = {Affinity{.node_affinity = NodeAffinity{}}, required({}), Affinity{}};
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
  const std::string field = "spec.affinity.nodeAffinity" + preferred_mode;
  const Case cases[] = {
      {"none of the policy", {ssd}, {}, {ssd}, {}},
      {"none of the pod",
       {},
       {ssd, zone},
       {ssd, zone},
       {{field + "[0]", none, "5 (ssd Exists)", "p"},
        {field + "[1]", none, "1 (zone In [a])", "p"}}},
      {"the pod's first",
       {zone},
       {ssd},
       {zone, ssd},
       {{field + "[1]", none, "5 (ssd Exists)", "p"}}},
      {"the same", {zone, ssd}, {ssd, zone}, {zone, ssd}, {}},
      {"another weight is another preference",
       {ssd},
       {ssd_more},
       {ssd, ssd_more},
       {{field + "[1]", none, "6 (ssd Exists)", "p"}}},
      {"a preference that the policy repeats is injected once",
       {zone},
       {ssd, ssd},
       {zone, ssd},
       {{field + "[1]", none, "5 (ssd Exists)", "p"}}},
      {"those that the pod repeats stay", {ssd, ssd}, {ssd}, {ssd, ssd}, {}},
      {"an empty preference is one like any other",
       {ssd},
       {{1, {}}},
       {ssd, {1, {}}},
       {{field + "[1]", none, "1 ()", "p"}}},
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
    std::vector<std::pair<std::string, std::string>> changes;
  };
  const Case cases[] = {
      {"absent: copied",
       none,
       {{db}, {prefer_db}},
       {{db}, {prefer_db}},
       {{"", "required zone with pods {app=db}, preferred 5 zone with pods {app=db}"}}},
      {"empty: appended",
       PodAffinity{},
       {{db}, {prefer_db}},
       {{db}, {prefer_db}},
       {{required_mode + "[0]", "zone with pods {app=db}"},
        {preferred_mode + "[0]", "5 zone with pods {app=db}"}}},
      {"the pod's first",
       PodAffinity{{cache}, {}},
       {{db, db_host}, {}},
       {{cache, db, db_host}, {}},
       {{required_mode + "[1]", "zone with pods {app=db}"},
        {required_mode + "[2]", "host with pods {app=db}"}}},
      {"the same",
       PodAffinity{{cache, db}, {prefer_db}},
       {{db}, {prefer_db}},
       {{cache, db}, {prefer_db}},
       {}},
      {"required and preferred are two lists",
       PodAffinity{{db}, {}},
       {{}, {prefer_db}},
       {{db}, {prefer_db}},
       {{preferred_mode + "[0]", "5 zone with pods {app=db}"}}},
      {"another weight is another preference",
       PodAffinity{{}, {prefer_db}},
       {{}, {prefer_db_more}},
       {{}, {prefer_db, prefer_db_more}},
       {{preferred_mode + "[1]", "6 zone with pods {app=db}"}}},
      {"terms that the policy repeats are injected once",
       PodAffinity{{cache}, {}},
       {{db, db}, {prefer_db, prefer_db}},
       {{cache, db}, {prefer_db}},
       {{required_mode + "[1]", "zone with pods {app=db}"},
        {preferred_mode + "[0]", "5 zone with pods {app=db}"}}},
  };
  struct Kind {
    std::optional<PodAffinity> Affinity::*member;
    const char* field;
  };
  const Kind kinds[] = {{&Affinity::pod_affinity, "spec.affinity.podAffinity"},
                        {&Affinity::pod_anti_affinity, "spec.affinity.podAntiAffinity"}};
  for (const Kind& kind : kinds) {
    for (const Case& c : cases) {
      CAPTURE(c.name);
      CAPTURE(kind.field);
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
        changes.push_back({kind.field + path, none, to, "p"});
      const Injection injection = injected(pod_of({.affinity = affinity(c.pod)}), {policy});
      CHECK(injection == Injection{.pod = pod_of({.affinity = affinity(c.wanted)}),
                                   .applied = {"p"},
                                   .changes = changes});
      CHECK(injected(injection.pod, {policy}).changes == Changes{});
    }
  }
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
          .skipped = {{"b-elsewhere", "spec.schedulerName",
                       "the pod has `batch`, the policy `other`"},
                      {"c-late", "spec.nodeName", "the pod has `node-1`, the policy `node-2`"},
                      {"c-late", "spec.nodeSelector[disk]", "the pod has `ssd`, the policy `hdd`"}},
          .changes = {
              {"spec.schedulerName", none, "batch", "a-early"},
              {"spec.nodeSelector[disk]", none, "ssd", "a-early"},
              {"spec.tolerations[0]", none, "spot Exists", "a-early"},
              {"spec.affinity.nodeAffinity", none, "required (x Exists)", "a-early"},
              {"spec.nodeName", none, "node-1", "b-elsewhere"},
              {"spec.nodeSelector[pool]", none, "etcd", "c-late"},
              {required_node, "required (x Exists)", "required (y Exists & x Exists)", "c-late"}}});
  const auto compiled = compile(policies);
  REQUIRE(compiled);
  CHECK(compiled->inject(pod_of({.node_selector = {{"zone", "a"}}}), team_a) == injection);
  CHECK(injected(injection.pod, policies) == Injection{.pod = injection.pod,
                                                       .applied = injection.applied,
                                                       .skipped = injection.skipped});
}

TEST_CASE("a conflict is shown in one line, whatever stands there") {
  const Injection injection =
      injected(pod_of({.scheduler_name = "a`b\n"}), {of_team_a("p", {.scheduler_name = "c d"})});
  CHECK(injection.skipped == std::vector<Skipped>{{"p", "spec.schedulerName",
                                                   "the pod has `a\\`b\\x0a`, the policy `c d`"}});
}

// ---- A dedicated worker pool

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
  const ObjectMeta shoot = {.name = "shoot-1", .labels = {{"role", "shoot"}}};
  const ObjectMeta garden = {.name = "garden", .labels = {{"role", "garden"}}};
  struct Case {
    const char* name;
    const char* app;
    ObjectMeta in;
    Policies policies;
    List nodes;
  };
  const Case cases[] = {
      {"etcd of a shoot", "etcd", shoot, {policy}, {"etcd"}},
      {"another pod of a shoot", "web", shoot, {policy}, {"common"}},
      {"etcd of another namespace", "etcd", garden, {policy}, {"common"}},
      {"a cluster without dedicated pools", "etcd", shoot, {}, {"common"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = {.metadata = {.namespace_ = c.in.name, .labels = {{"app", c.app}}}};
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

// ---- Workloads

TEST_CASE("the pod templates of all workload kinds are injected with their field paths") {
  struct Case {
    PodKind kind;
    const char* prefix;
  };
  const Case cases[] = {
      {PodKind::pod, ""},
      {PodKind::pod_template, "template."},
      {PodKind::replication_controller, "spec.template."},
      {PodKind::replica_set, "spec.template."},
      {PodKind::deployment, "spec.template."},
      {PodKind::stateful_set, "spec.template."},
      {PodKind::daemon_set, "spec.template."},
      {PodKind::job, "spec.template."},
      {PodKind::cron_job, "spec.jobTemplate.spec.template."},
  };
  const PodAffinity near = {{beside("db")}, {{1, beside("db")}}};
  Affinity all = required({term({has("x")})});
  all.node_affinity->preferred_during_scheduling_ignored_during_execution = {{1, term({has("x")})}};
  all.pod_affinity = near;
  all.pod_anti_affinity = near;
  const PodSchedulingPolicy policy =
      of_team_a("p", {.node_name = "node-1",
                      .scheduler_name = "batch",
                      .node_selector = {{"disk", "ssd"}, {"zone", "b"}},
                      .tolerations = {{.key = "spot", .operator_ = exists}},
                      .affinity = all});
  const std::string anti = "spec.affinity.podAntiAffinity";
  for (const auto& [kind, prefix] : cases) {
    CAPTURE(prefix);
    const std::string at = prefix;
    Affinity own = required({term({has("a")})});
    own.pod_anti_affinity = PodAffinity{};
    Pod pod = pod_of({.node_name = "node-2", .node_selector = {{"zone", "a"}}, .affinity = own});
    pod.kind = kind;
    const Injection injection = injected(pod, {policy});
    List changed;
    for (const Change& change : injection.changes) changed.push_back(change.field);
    CHECK(changed == List{at + "spec.schedulerName", at + "spec.nodeSelector[disk]",
                          at + "spec.tolerations[0]", at + "spec.affinity.podAffinity",
                          at + anti + required_mode + "[0]", at + anti + preferred_mode + "[0]",
                          at + "spec.affinity.nodeAffinity" + preferred_mode + "[0]",
                          at + required_node});
    List skipped;
    for (const Skipped& conflict : injection.skipped) skipped.push_back(conflict.field);
    CHECK(skipped == List{at + "spec.nodeName", at + "spec.nodeSelector[zone]"});
    CHECK((injection.pod.kind == kind));
    Pod its_pod = injection.pod;
    its_pod.kind = PodKind::pod;
    CHECK(injected(its_pod, {policy}).pod == its_pod);
    CHECK(injected(its_pod, {policy}).changes == Changes{});
  }
}

// ---- Errors

TEST_CASE("a selector that cannot be used is an error that names its policy, nothing is injected") {
  constexpr auto key_in = LabelSelectorOperator::in;
  constexpr auto key_exists = LabelSelectorOperator::exists;
  const OpenEnum<LabelSelectorOperator> unknown("Like");
  struct Case {
    const char* name;
    PodSchedulingPolicySpec spec;
    List wanted;
  };
  const std::string pods = "policies[1].spec.podSelector.";
  const std::string namespaces = "policies[1].spec.namespaceSelector.";
  const Case cases[] = {
      {"In without values",
       {.pod_selector = where("app", key_in)},
       {"FieldValueRequired " + pods + "matchExpressions[0].values"}},
      {"Exists with values",
       {.pod_selector = where("app", key_exists, {"web"})},
       {"FieldValueForbidden " + pods + "matchExpressions[0].values"}},
      {"an unknown operator",
       {.pod_selector = where("app", unknown, {"web"})},
       {"FieldValueNotSupported " + pods + "matchExpressions[0].operator"}},
      {"a malformed key",
       {.pod_selector = where("a b", key_exists)},
       {"FieldValueInvalid " + pods + "matchExpressions[0].key"}},
      {"a malformed value",
       {.pod_selector = labelled("app", "a b")},
       {"FieldValueInvalid " + pods + "matchLabels[app]"}},
      {"a namespace selector",
       {.namespace_selector = where("env", key_in), .pod_selector = everything},
       {"FieldValueRequired " + namespaces + "matchExpressions[0].values"}},
      {"both",
       {.namespace_selector = where("env", key_in), .pod_selector = where("app", key_in)},
       {"FieldValueRequired " + pods + "matchExpressions[0].values",
        "FieldValueRequired " + namespaces + "matchExpressions[0].values"}},
  };
  const Pod pod = pod_of({});
  for (const Case& c : cases) {
    for (const PolicyKind kind : {PolicyKind::pod_scheduling_policy, cluster}) {
      for (const char* namespace_ : {"team-a", "team-b"}) {
        CAPTURE(c.name);
        const Policies policies = {of_team_a("good", {.scheduler_name = "batch"}),
                                   {.kind = kind,
                                    .metadata = {.name = "broken", .namespace_ = namespace_},
                                    .spec = c.spec}};
        const Injection injection = injected(pod, policies);
        check_failed(injection, pod, c.wanted);
        for (const FieldError& error : injection.errors)
          CHECK(error.detail.find("(in `broken`)") != std::string::npos);
        const auto compiled = compile(policies);
        CHECK_FALSE(compiled);
        CHECK(compiled.errors() == injection.errors);
      }
    }
  }
}

TEST_CASE("the broken selectors of all policies are reported") {
  const LabelSelector broken = where("app", LabelSelectorOperator::in);
  const Policies policies = {
      {.metadata = {.name = "b", .namespace_ = "team-a"}, .spec = {.pod_selector = broken}},
      of_cluster("good", {}),
      {.kind = cluster,
       .metadata = {.name = "a"},
       .spec = {.namespace_selector = broken, .pod_selector = everything}}};
  const Pod pod = pod_of({});
  check_failed(
      injected(pod, policies), pod,
      {"FieldValueRequired policies[0].spec.podSelector.matchExpressions[0].values",
       "FieldValueRequired policies[2].spec.namespaceSelector.matchExpressions[0].values"});
}

TEST_CASE("two policies of one kind, name and namespace are an error") {
  PodSchedulingPolicy of_team_b = of_team_a("p", {});
  of_team_b.metadata.namespace_ = "team-b";
  PodSchedulingPolicy elsewhere = of_cluster("p", {});
  elsewhere.metadata.namespace_ = "team-b";
  struct Case {
    const char* name;
    Policies policies;
    List wanted;
  };
  const std::string twice = "FieldValueDuplicate policies";
  const Case cases[] = {
      {"the same one twice", {of_team_a("p", {}), of_team_a("p", {})}, {twice}},
      {"different ones",
       {of_team_a("p", {.node_name = "a"}), of_team_a("q", {}), of_team_a("p", {})},
       {twice}},
      {"of the cluster", {of_cluster("p", {}), of_cluster("p", {})}, {twice}},
      {"of the cluster, which has no namespaces", {of_cluster("p", {}), elsewhere}, {twice}},
      {"two names twice",
       {of_team_a("p", {}), of_cluster("q", {}), of_team_a("p", {}), of_cluster("q", {})},
       {twice, twice}},
      {"of two namespaces", {of_team_a("p", {}), of_team_b}, {}},
      {"of two kinds", {of_team_a("p", {}), of_cluster("p", {})}, {}},
      {"names in another case", {of_team_a("p", {}), of_team_a("P", {})}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto compiled = compile(c.policies);
    CHECK(reasons(compiled.errors()) == c.wanted);
    CHECK(static_cast<bool>(compiled) == c.wanted.empty());
    if (!c.wanted.empty()) CHECK(compiled.errors()[0].bad_value == "p");
  }
}

Terms numbered(const std::string& key, std::size_t count) {
  Terms terms;
  for (std::size_t i = 0; i < count; ++i) terms.push_back(term({has(key + std::to_string(i))}));
  return terms;
}

TEST_CASE("a product of more terms than the bound is an error and injects nothing") {
  const auto terms_of = [](const Injection& injection) {
    return injection.pod.spec.affinity->node_affinity
        ->required_during_scheduling_ignored_during_execution->node_selector_terms.size();
  };
  struct Case {
    std::size_t pod;
    std::size_t policy;
    bool fits;
  };
  const Case cases[] = {{32, 32, true},  {1, 1024, true},  {1024, 1, true}, {33, 32, false},
                        {32, 33, false}, {2, 1024, false}, {513, 2, false}, {1024, 1024, false}};
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
        CHECK(terms_of(injection) == of_pod * of_policy);
        continue;
      }
      check_failed(injection, pod,
                   {"FieldValueTooMany " + field_path(kind, "spec.affinity.nodeAffinity")},
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

// ---- Admissions

TEST_CASE("an injection is an admission that allows the pod with its changes") {
  const Policies policies = {of_team_a("p", {.node_name = "node-1", .scheduler_name = "batch"})};
  const Pod pod = pod_of({.node_name = "node-2"});
  const Pod wanted = pod_of({.scheduler_name = "batch", .node_name = "node-2"});
  CHECK(admit(pod, team_a, policies) ==
        Admission{.allowed = true,
                  .pod = wanted,
                  .changes = {{"spec.schedulerName", none, "batch", "p"}},
                  .before = pod});
  CHECK(admit(wanted, team_a, policies) == Admission{.allowed = true, .pod = wanted});
  CHECK(admit(pod, team_a, {}) == Admission{.allowed = true, .pod = pod});
}

TEST_CASE("policies that cannot be used deny the pod, one violation an error") {
  const LabelSelector broken = {.match_expressions = {{"app", LabelSelectorOperator::in, {}},
                                                      {"tier", LabelSelectorOperator::in, {}}}};
  const Policies policies = {
      of_cluster("good", {.scheduler_name = "batch"}),
      {.metadata = {.name = "broken", .namespace_ = "team-a"}, .spec = {.pod_selector = broken}}};
  for (const PodKind kind : {PodKind::pod, PodKind::deployment}) {
    Pod pod = pod_of({});
    pod.kind = kind;
    const Admission admission = admit(pod, team_a, policies);
    CHECK_FALSE(admission.allowed);
    CHECK(admission.pod == pod);
    CHECK(admission.changes == Changes{});
    CHECK_FALSE(admission.before.has_value());
    REQUIRE(admission.violations.size() == 2);
    for (const Violation& violation : admission.violations) {
      CHECK(violation.code == ViolationCode::invalid_policy);
      CHECK(violation.field == field_path(kind, "spec"));
      CHECK(message(violation).find("`broken`") != std::string::npos);
    }
  }
  const Pod many = pod_of({.affinity = required(numbered("pod-", 33))});
  const Admission admission =
      admit(many, team_a, Policies{of_team_a("p", {.affinity = required(numbered("p-", 32))})});
  CHECK_FALSE(admission.allowed);
  CHECK(admission.pod == many);
  CHECK(admission.violations.size() == 1);
}

TEST_CASE("injections and runtime classes chain") {
  const std::vector<runtime_class::RuntimeClass> classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = runtime_class::Scheduling{.node_selector = {{"runtime", "kata"}}}}};
  const auto chained = [&](const Pod& pod, const Policies& policies) {
    return admit(pod, team_a, policies).and_then([&](Pod next) {
      return runtime_class::admit(std::move(next), classes);
    });
  };
  const auto chained_back = [&](const Pod& pod, const Policies& policies) {
    return runtime_class::admit(pod, classes).and_then([&](Pod next) {
      return admit(std::move(next), team_a, policies);
    });
  };
  const Pod pod = pod_of({.runtime_class_name = "kata"});
  const Change by_policy = {"spec.nodeSelector[disk]", none, "ssd", "p"};
  const Change by_class = {"spec.nodeSelector[runtime]", none, "kata", "kata"};
  const Policies fitting = {of_team_a("p", {.node_selector = {{"disk", "ssd"}}})};
  CHECK(chained(pod, fitting).changes == Changes{by_policy, by_class});
  CHECK(chained_back(pod, fitting).changes == Changes{by_class, by_policy});
  CHECK(chained(pod, fitting).pod == chained_back(pod, fitting).pod);
  CHECK(chained(pod, fitting).before == pod);

  const Policies conflicting = {of_team_a("p", {.node_selector = {{"runtime", "runc"}}})};
  const Admission denied = chained(pod, conflicting);
  CHECK_FALSE(denied.allowed);
  CHECK(
      denied.violations ==
      std::vector<Violation>{
          {ViolationCode::node_selector_conflict, "spec.nodeSelector[runtime]", "runc", {"kata"}}});
  CHECK(denied.pod == pod);
  CHECK(denied.changes == Changes{});
  const Admission allowed = chained_back(pod, conflicting);
  CHECK(allowed.allowed);
  CHECK(allowed.changes == Changes{by_class});

  Policies broken = fitting;
  broken[0].spec.pod_selector = where("app", LabelSelectorOperator::in);
  CHECK_FALSE(chained_back(pod, broken).allowed);
  CHECK(chained_back(pod, broken).pod == pod);
}

// ---- Validation

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
      {"a malformed toleration",
       of_team_a("p", {.tolerations = {{.key = "a"}, {.value = "b"}}}),
       {"FieldValueInvalid spec.tolerations[1].operator"}},
      {"required without terms",
       of_team_a("p", {.affinity = required({})}),
       {"FieldValueRequired " + required_node + ".nodeSelectorTerms"}},
      {"a malformed expression",
       of_team_a("p", {.affinity = required({term({in("zone", {})})})}),
       {"FieldValueRequired " + required_node +
        ".nodeSelectorTerms[0].matchExpressions[0].values"}},
      {"a weight out of bounds",
       of_team_a("p", {.affinity = preferred({{101, term({has("a")})}})}),
       {"FieldValueInvalid spec.affinity.nodeAffinity" + preferred_mode + "[0].weight"}},
      {"no topology key",
       of_team_a("p", {.affinity =
                           Affinity{.pod_anti_affinity = PodAffinity{{beside("db", "a b")}, {}}}}),
       {"FieldValueInvalid spec.affinity.podAntiAffinity" + required_mode + "[0].topologyKey"}},
      {"everything, in document order",
       all_broken,
       {"FieldValueInvalid metadata.name",
        "FieldValueRequired spec.podSelector.matchExpressions[0].values",
        "FieldValueForbidden spec.namespaceSelector", "FieldValueInvalid spec.nodeSelector",
        "FieldValueInvalid spec.tolerations[0].operator",
        "FieldValueRequired " + required_node + ".nodeSelectorTerms"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(reasons(validate(c.policy)) == c.wanted);
  }
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
}

TEST_CASE("an affinity without terms injects nothing") {
  const Policies policies = {of_cluster(
      "p", {.affinity = Affinity{.node_affinity = NodeAffinity{}, .pod_affinity = PodAffinity{}}})};
  const Pod pod = pod_of({});
  CHECK(inject(pod, team_a, policies).pod == pod);
  CHECK_FALSE(admit(pod, team_a, policies).before);
}

}  // namespace
}  // namespace schedpol::pod_scheduling_policy
