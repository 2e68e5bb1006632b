// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/encode.hpp>

#include "encoded.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace encode_round_trip_test {

using namespace encoded;

using schedpol::Affinity;
using schedpol::AnyOr;
using schedpol::LabelSelectorOperator;
using schedpol::NodeSelectorOperator;
using schedpol::NodeSelectorTerm;
using schedpol::PodSpec;
namespace rbac = schedpol::rbac;

// Absent, any and listed, for a list of names.
std::vector<AnyOr<Texts>> name_lists() {
  return {AnyOr<Texts>{}, any, AnyOr<Texts>{"a"}, AnyOr<Texts>{"b", "", "a"}};
}

// A pod with something in every field.
Pod full_pod() {
  Pod pod;
  pod.metadata = {.name = "web",
                  .namespace_ = "team-a",
                  .uid = "0b5b1d2c",
                  .labels = {{"app", "web"}, {"empty", ""}},
                  .annotations = {{"note", "a \"quoted\" text\nof two lines"}},
                  .deletion_timestamp = "2024-01-01T00:00:00Z"};
  pod.status = {
      .phase = "Running",
      .nominated_node_name = "n2",
      .conditions = {{"PodResizePending", "Deferred"}},
      .init_container_statuses = {{.name = "i", .allocated_resources = {{"cpu", quantity("1")}}}},
      .container_statuses = {{.name = "a",
                              .resources = {.requests = {{"cpu", quantity("2")}}, .limits = {}}}},
      .allocated_resources = {{"memory", quantity("1Gi")}},
      .resources =
          schedpol::ResourceRequirements{.requests = {{"cpu", quantity("3")}}, .limits = {}}};
  PodSpec& spec = pod.spec;
  spec.scheduler_name = "my-scheduler";
  spec.node_name = "n1";
  spec.priority_class_name = "gold";
  spec.priority = 0;
  spec.preemption_policy = "Never";
  spec.node_selector = {{"disk", "ssd"}, {"kubernetes.io/arch", ""}};
  spec.tolerations = {{},
                      {.key = "gpu",
                       .operator_ = TolerationOperator::exists,
                       .effect = TaintEffect::no_execute,
                       .toleration_seconds = 0},
                      {.key = "x",
                       .operator_ = OpenEnum<TolerationOperator>("exists"),
                       .value = "v",
                       .effect = OpenEnum<TaintEffect>("NoPods"),
                       .toleration_seconds = std::numeric_limits<std::int64_t>::min()}};
  spec.service_account_name = "runner";
  spec.service_account = "old";
  spec.runtime_class_name = "gvisor";
  spec.overhead = {{"cpu", quantity("250m")}};
  spec.containers = {
      {.name = "a", .resources = {.requests = {{"cpu", quantity("1")}}, .limits = {}}},
      {.name = "b", .resources = {}}};
  spec.init_containers = {
      {.name = "", .resources = {.requests = {}, .limits = {{"memory", quantity("1.50Gi")}}}}};
  spec.resources = schedpol::ResourceRequirements{.requests = {}, .limits = {{"x/y", {}}}};
  const NodeSelectorTerm term{
      .match_expressions = {{"disk", NodeSelectorOperator::in, {"ssd", ""}}, {"gpu", {}, {}}},
      .match_fields = {{"metadata.name", NodeSelectorOperator::not_in, {"n2"}}}};
  schedpol::PodAffinityTerm pods;
  pods.label_selector =
      LabelSelector{.match_labels = {{"app", "web"}},
                    .match_expressions = {{"tier", LabelSelectorOperator::not_in, {"db"}}}};
  pods.namespaces = {"team-b"};
  pods.topology_key = "zone";
  pods.namespace_selector = LabelSelector{};
  pods.match_label_keys = {"v"};
  pods.mismatch_label_keys = {"w"};
  Affinity& affinity = spec.affinity.emplace();
  affinity.node_affinity.emplace();
  affinity.node_affinity->required_during_scheduling_ignored_during_execution = {{{term, {}}}};
  affinity.node_affinity->preferred_during_scheduling_ignored_during_execution = {
      {.weight = 100, .preference = term}, {.weight = 0, .preference = {}}};
  affinity.pod_affinity.emplace();
  affinity.pod_affinity->required_during_scheduling_ignored_during_execution = {pods, {}};
  affinity.pod_anti_affinity.emplace();
  affinity.pod_anti_affinity->preferred_during_scheduling_ignored_during_execution = {
      {.weight = 1, .pod_affinity_term = pods}};
  return pod;
}

TEST_CASE("what is written is read back: pods of all kinds, full, empty and half empty") {
  std::vector<Pod> pods = {Pod{}, full_pod()};
  Pod half = full_pod();
  half.metadata.labels.clear();
  half.spec.affinity->node_affinity.emplace();
  half.spec.affinity->pod_affinity.reset();
  half.spec.priority = std::numeric_limits<std::int32_t>::min();
  pods.push_back(half);
  half.spec.affinity.emplace();
  pods.push_back(half);
  half.spec.affinity->node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution.emplace();
  pods.push_back(half);
  for (Pod& pod : pods) {
    for (const PodKind kind : schedpol::pod_kinds) {
      pod.kind = kind;
      Pod in_workload = pod;
      if (kind != PodKind::pod) in_workload.status = {};  // a template has none
      check_round_trip(in_workload);
      if (!schedpol::has_selector(kind)) continue;
      in_workload.selector.emplace();
      check_round_trip(in_workload);
      in_workload.selector->match_labels = {{"app", "web"}};
      check_round_trip(in_workload);
      if (kind == PodKind::replication_controller) continue;
      in_workload.selector->match_expressions = {
          {"tier", schedpol::LabelSelectorOperator::in, {"gold"}}};
      check_round_trip(in_workload);
    }
  }
}

TEST_CASE("what is written is read back: lists of a policy that are absent, any or listed") {
  for (const AnyOr<Texts>& names : name_lists()) {
    sp::SchedulingPolicySpec spec;
    spec.required.scheduler_names = names;
    check_round_trip(policy_with(spec));
    spec.allowed.priority_class_names = names;
    spec.allowed.node_selectors = any;
    check_round_trip(policy_with(spec));
    spec.allowed.node_selectors = sp::NodeSelectors{{"disk", names}};
    spec.required.node_selectors = sp::NodeSelectors{{"a/b", names}, {"", names}};
    check_round_trip(policy_with(spec));
    spec.allowed.tolerations = any;
    check_round_trip(policy_with(spec));
    spec.allowed.tolerations = {
        {.keys = names, .operators = {}, .values = names, .effects = {}},
        {.keys = {},
         .operators = {TolerationOperator::exists, OpenEnum<TolerationOperator>("is")},
         .values = names,
         .effects = {TaintEffect::no_execute, TaintEffect::unset}}};
    spec.required.tolerations = spec.allowed.tolerations;
    check_round_trip(policy_with(spec));
    spec.defaults.tolerations.emplace();
    check_round_trip(policy_with(spec));
    spec.defaults.tolerations->push_back(
        {.toleration = {.key = "gpu", .toleration_seconds = 5}, .values = names});
    check_round_trip(policy_with(spec));
  }
}

TEST_CASE("what is written is read back: affinities of a policy at each level") {
  std::vector<AnyOr<sp::NodeAffinityRule>> node_modes = {
      {}, any, sp::NodeAffinityRule{{sp::TermPattern{}}}};
  for (const AnyOr<Texts>& names : name_lists()) {
    const sp::RequirementPattern pattern{
        .keys = names, .operators = {NodeSelectorOperator::in}, .values = names};
    node_modes.push_back(sp::NodeAffinityRule{
        {{.match_expressions = {pattern, sp::RequirementPattern{}}, .match_fields = {}},
         {.match_expressions = {}, .match_fields = any}}});
  }
  const std::vector<AnyOr<sp::PodAffinityRule>> pod_modes = {
      {}, any, sp::PodAffinityRule{{"zone", ""}}};
  for (const auto& a : node_modes) {
    for (const auto& b : pod_modes) {
      sp::SchedulingPolicySpec spec;
      spec.allowed.affinities = any;
      check_round_trip(policy_with(spec));
      sp::AffinityRules rules;
      // A kind in which both modes are absent is absent itself.
      const auto node_kind = [](const AnyOr<sp::NodeAffinityRule>& required,
                                const AnyOr<sp::NodeAffinityRule>& preferred) {
        const bool says_nothing = required.is_absent() && preferred.is_absent();
        return says_nothing ? AnyOr<sp::NodeAffinityRules>{}
                            : AnyOr(sp::NodeAffinityRules{required, preferred});
      };
      rules.node_affinities = node_kind(a, {});
      rules.pod_affinities = any;
      spec.allowed.affinities = rules;
      check_round_trip(policy_with(spec));
      rules.node_affinities = node_kind(a, a);
      rules.pod_anti_affinities = sp::PodAffinityRules{any, b};
      spec.required.affinities = rules;
      check_round_trip(policy_with(spec));
    }
  }
}

TEST_CASE("what is listed but holds nothing is written as absent, at every level") {
  sp::SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = Texts{};
  spec.allowed.node_selectors = sp::NodeSelectors{};
  spec.allowed.tolerations = std::vector<sp::TolerationPattern>{};
  spec.allowed.affinities = sp::AffinityRules{};
  CHECK(encode(spec) == R"({"allowed":{}})");
  // A kind without modes, or a mode without terms, is none either.
  spec.allowed.affinities = sp::AffinityRules{sp::NodeAffinityRules{}, {}, sp::PodAffinityRules{}};
  CHECK(encode(spec) == R"({"allowed":{}})");
  spec.allowed.affinities =
      sp::AffinityRules{sp::NodeAffinityRules{sp::NodeAffinityRule{}, {}},
                        sp::PodAffinityRules{sp::PodAffinityRule{}, sp::PodAffinityRule{}},
                        {}};
  CHECK(encode(spec) == R"({"allowed":{}})");
  CHECK((*decode<sp::SchedulingPolicySpec>(encode(spec))).allowed.affinities.is_absent());
  spec.allowed.node_selectors = sp::NodeSelectors{{"a", Texts{}}, {"b", any}};
  spec.allowed.affinities = sp::AffinityRules{sp::NodeAffinityRules{}, any, {}};
  CHECK(encode(spec) ==
        R"({"allowed":{"nodeSelectors":{"a":null,"b":[]},"affinities":{"podAffinities":{}}}})");
  sp::AffinityRules& rules = spec.allowed.affinities.list();
  rules.node_affinities = sp::NodeAffinityRules{sp::NodeAffinityRule{}, any};
  rules.pod_affinities = sp::PodAffinityRules{sp::PodAffinityRule{{"z"}}, sp::PodAffinityRule{}};
  CHECK(encode(rules) ==
        R"({"nodeAffinities":{"preferredDuringSchedulingIgnoredDuringExecution":{}},)"
        R"("podAffinities":{"requiredDuringSchedulingIgnoredDuringExecution":)"
        R"({"topologyKeys":["z"]}}})");
}

TEST_CASE("what is written is read back: defaults") {
  sp::SchedulingPolicySpec spec;
  spec.defaults.scheduler_name = "";
  spec.defaults.priority_class_name = "gold";
  spec.defaults.node_selector.emplace();
  spec.defaults.affinity.emplace();
  check_round_trip(policy_with(spec));
  spec.defaults.node_selector = full_pod().spec.node_selector;
  spec.defaults.affinity = full_pod().spec.affinity;
  for (const Toleration& toleration : full_pod().spec.tolerations) {
    auto& list = spec.defaults.tolerations;
    if (!list) list.emplace();
    list->push_back({.toleration = toleration, .values = {}});
  }
  check_round_trip(policy_with(spec));
}

TEST_CASE("what is written is read back: built-in and merged policies") {
  const std::vector<sp::SchedulingPolicy> policies = {sp::restricted(), sp::privileged(),
                                                      sp::restricted_multiarch_by_node_selector(),
                                                      sp::restricted_multiarch_by_affinity()};
  for (const auto& policy : policies) check_round_trip(policy);
  check_round_trip(sp::merge(policies).spec());
}

TEST_CASE("what is written is read back: RBAC objects") {
  const rbac::Rbac builtin = rbac::builtin();
  for (const auto& role : builtin.cluster_roles) check_round_trip(role);
  for (const auto& binding : builtin.role_bindings) check_round_trip(binding);
  for (const auto& binding : builtin.cluster_role_bindings) check_round_trip(binding);
  check_round_trip(rbac::Role{});
  check_round_trip(rbac::RoleBinding{});
  rbac::Role role;
  role.metadata.name = "r";
  role.metadata.namespace_ = "team-a";
  role.rules = {{}, {.verbs = {"*"}, .api_groups = {""}, .resources = {"a", "b"}}};
  check_round_trip(role);
  rbac::ClusterRoleBinding binding;
  binding.role_ref.kind = "ClusterRole";
  binding.subjects = {{}, {"ServiceAccount", "", "s", "team-a"}};
  check_round_trip(binding);
  check_round_trip(rbac::User{"u", {"a", "b"}});
}

TEST_CASE("what is written is read back: selectors") {
  check_round_trip(std::optional<LabelSelector>{});
  check_round_trip(std::optional<LabelSelector>{LabelSelector{}});
  check_round_trip(
      LabelSelector{.match_labels = {{"a", ""}, {"b/c", "d"}},
                    .match_expressions = {{"k", LabelSelectorOperator::in, {"x", "y"}},
                                          {"k", OpenEnum<LabelSelectorOperator>("Gt"), {}},
                                          {"k", LabelSelectorOperator::does_not_exist, {}}}});
  check_round_trip(NodeSelectorTerm{.match_expressions = {{"k", NodeSelectorOperator::gt, {"5"}}},
                                    .match_fields = {}});
}

TEST_CASE("what is written is read back: policies of the other systems, and nodes") {
  namespace mp = schedpol::metadata_policy;
  namespace psp = schedpol::pod_scheduling_policy;
  namespace rp = schedpol::resource_policy;
  psp::PodSchedulingPolicy injected;
  injected.metadata.name = "p";
  check_round_trip(injected);
  injected.kind = psp::PolicyKind::cluster_pod_scheduling_policy;
  injected.spec.namespace_selector.emplace();
  injected.spec.pod_selector = LabelSelector{.match_labels = {{"a", "b"}}, .match_expressions = {}};
  injected.spec.node_name = "n";
  injected.spec.scheduler_name = "s";
  injected.spec.node_selector = {{"a", "b"}};
  injected.spec.tolerations = {{.key = "k"}};
  injected.spec.affinity = full_pod().spec.affinity;
  check_round_trip(injected);
  CHECK(encode(injected).starts_with(
      R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"p"},"spec":{)"));

  mp::MetadataPolicy rules;
  rules.metadata = {.name = "m", .namespace_ = "n"};
  check_round_trip(rules);
  rules.spec.rules = {
      {},
      {.policy_predicate = {.label_selector = LabelSelector{}, .annotation_selector = {}},
       .policy_action = {.reject = true}},
      {.policy_predicate = {.label_selector = {}, .annotation_selector = LabelSelector{}},
       .policy_action = {.updated_labels = {{"a", ""}}, .updated_annotations = {{"b", "c d"}}}}};
  check_round_trip(rules);
  CHECK(encode(rules) ==
        R"({"apiVersion":"schedpol.io/v1alpha1","kind":"MetadataPolicy",)"
        R"("metadata":{"name":"m","namespace":"n"},"spec":{"rules":[{},)"
        R"({"policyPredicate":{"labelSelector":{}},"policyAction":{"reject":true}},)"
        R"({"policyPredicate":{"annotationSelector":{}},)"
        R"("policyAction":{"updatedLabels":{"a":""},"updatedAnnotations":{"b":"c d"}}}]}})");

  rp::ResourcePolicy units;
  units.spec.match_label_keys = {"h"};
  units.spec.match_policy.ignore_terminating_pod = true;
  units.spec.pod_selector.emplace();
  units.spec.strategy = rp::Strategy::prefer;
  units.spec.units = {{.name = "u", .priority = 0, .max_count = -1, .node_selector = {}}, {}};
  check_round_trip(units);
  units.spec.strategy = OpenEnum<rp::Strategy>("Prefer");
  check_round_trip(units);

  schedpol::runtime_class::RuntimeClass runtime;
  check_round_trip(runtime);
  runtime.handler = "h";
  runtime.overhead.emplace().pod_fixed = {{"cpu", quantity("0.5")}};
  runtime.scheduling.emplace().tolerations = {{}};
  check_round_trip(runtime);

  schedpol::Node node;
  node.metadata.labels = {{"a", "b"}};
  node.spec.taints = {{"k", "v", TaintEffect::prefer_no_schedule}, {}};
  check_round_trip(node);
}

}  // namespace encode_round_trip_test
