// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include "../support/pod_templates.hpp"
#include "policies.hpp"

#include <optional>
#include <string>
#include <type_traits>
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

}  // namespace inject_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
