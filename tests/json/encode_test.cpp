// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/encode.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"

#include <schedpol/core/admission.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/policy.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/policy.hpp>
#include <schedpol/rbac/builtin.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/runtime_class/policy.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace encode_test {

using schedpol::Affinity;
using schedpol::any;
using schedpol::AnyOr;
using schedpol::LabelSelector;
using schedpol::LabelSelectorOperator;
using schedpol::NodeSelectorOperator;
using schedpol::NodeSelectorTerm;
using schedpol::OpenEnum;
using schedpol::Pod;
using schedpol::PodKind;
using schedpol::PodSpec;
using schedpol::TaintEffect;
using schedpol::Texts;
using schedpol::Toleration;
using schedpol::TolerationOperator;
using schedpol::json::decode;
using schedpol::json::encode;
using schedpol::testing::operator""_path;
namespace rbac = schedpol::rbac;
namespace sp = schedpol::scheduling_policy;

template <class T>
void check_round_trip(const T& value) {
  const std::string text = encode(value);
  CAPTURE(text);
  const auto decoded = decode<T>(text);
  REQUIRE_MESSAGE(decoded, schedpol::testing::text(decoded.errors()));
  CHECK((*decoded == value));
  CHECK(encode(*decoded) == text);
}

sp::SchedulingPolicy policy_with(const sp::SchedulingPolicySpec& spec) {
  sp::SchedulingPolicy policy;
  policy.metadata.name = "p";
  policy.spec = spec;
  return policy;
}

// The JSON of a small value, of which an object is made.
template <class T>
std::string written(const T& value) {
  schedpol::json::detail::Writer out;
  write(out, value);
  return std::move(out).take();
}

// Absent, any and listed, for a list of names.
std::vector<AnyOr<Texts>> name_lists() {
  return {AnyOr<Texts>{}, any, AnyOr<Texts>{"a"}, AnyOr<Texts>{"b", "", "a"}};
}

schedpol::Quantity quantity(std::string_view text) {
  return schedpol::Quantity::parse(text).value();
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

TEST_CASE("texts are written as JSON strings") {
  struct Case {
    std::string text;
    const char* json;
  };
  using namespace std::string_literals;
  const Case cases[] = {
      {"", R"("")"},
      {"plain", R"("plain")"},
      {"\"quoted\" \\ a/b", R"("\"quoted\" \\ a/b")"},
      {"\n\r\t", R"("\n\r\t")"},
      {"\b\f\x01\x1F"s, "\"\\u0008\\u000c\\u0001\\u001f\""},
      {"zero\0byte"s, "\"zero\\u0000byte\""},
      {"\x7F", "\"\x7F\""},
      {"\xC3\xBC", "\"\xC3\xBC\""},
  };
  for (const Case& c : cases) {
    CAPTURE(c.json);
    CHECK(encode(c.text) == c.json);
    check_round_trip(c.text);
  }
}

TEST_CASE("objects are closed wherever the memory ends that they are written to") {
  for (const std::size_t end : {std::size_t{4096}, std::size_t{8192}}) {
    for (std::size_t size = end - 60; size < end + 5; ++size) {
      const std::string text(size, 'x');
      const LabelSelector selector = {.match_labels = {{"k", text}}};
      CHECK(encode(selector) == R"({"matchLabels":{"k":")" + text + R"("}})");
    }
  }
}

TEST_CASE("small values have these texts") {
  CHECK(written(true) == "true");
  CHECK(written(false) == "false");
  CHECK(written(std::int32_t{-5}) == "-5");
  CHECK(written(std::numeric_limits<std::int64_t>::max()) == "9223372036854775807");
  CHECK(written(std::numeric_limits<std::uint64_t>::max()) == "18446744073709551615");
  CHECK(written(std::size_t{5}) == "5");
  CHECK(written(5UL) == "5");
  CHECK(written(5ULL) == "5");
  CHECK(written(-5L) == "-5");
  CHECK(written(-5LL) == "-5");
  CHECK(encode(Texts{}) == "[]");
  CHECK(encode(Texts{"a", "b"}) == R"(["a","b"])");
  CHECK(encode(schedpol::Labels{{"b", "2"}, {"a", "1"}}) == R"({"a":"1","b":"2"})");
  CHECK(encode(std::optional<LabelSelector>{}) == "null");
  CHECK(encode(LabelSelector{}) == "{}");
  CHECK(written(OpenEnum<TaintEffect>(TaintEffect::no_execute)) == R"("NoExecute")");
  CHECK(encode(Toleration{}) == "{}");
  CHECK(encode(Toleration{.key = "gpu",
                          .operator_ = TolerationOperator::exists,
                          .effect = TaintEffect::no_execute,
                          .toleration_seconds = 0}) ==
        R"({"key":"gpu","operator":"Exists","effect":"NoExecute","tolerationSeconds":0})");
  CHECK(encode(schedpol::Taint{"spot", "true", TaintEffect::no_schedule}) ==
        R"({"key":"spot","value":"true","effect":"NoSchedule"})");
  CHECK(encode(schedpol::PreferredSchedulingTerm{}) == R"({"weight":0})");
}

TEST_CASE("an error, a violation and a change are written with all they hold") {
  CHECK(encode(schedpol::FieldError{schedpol::ErrorType::not_supported, "kind"_path, "X",
                                    "must be Y"}) ==
        R"({"field":"kind","type":"FieldValueNotSupported","value":"X",)"
        R"("message":"`kind`: unsupported value `X`: must be Y"})");
  CHECK(encode(schedpol::Violation{schedpol::ViolationCode::node_name_not_allowed,
                                   "spec.nodeName"_path,
                                   "n1",
                                   {"a", "b"}}) ==
        R"({"code":"NodeNameNotAllowed","field":"spec.nodeName","value":"n1","permitted":[],)"
        R"("message":"`spec.nodeName`: naming node `n1` goes past every scheduler, )"
        R"(which is not allowed by `a` and `b`","policies":["a","b"]})");
  CHECK(encode(schedpol::Violation{schedpol::ViolationCode::scheduler_name_not_allowed,
                                   "spec.schedulerName"_path,
                                   "x",
                                   {"a", "b", "c", "d", "e", "f", "g"},
                                   {schedpol::testing::List{"s", "t"}, 5}}) ==
        R"({"code":"SchedulerNameNotAllowed","field":"spec.schedulerName","value":"x",)"
        R"("permitted":["s","t"],"morePermitted":5,)"
        R"("message":"`spec.schedulerName`: scheduler `x` is not allowed by `a`, `b`, `c`, `d`, )"
        R"x(`e` and 2 more (permitted: `s`, `t` and 5 more)",)x"
        R"("policies":["a","b","c","d","e"],"morePolicies":2})");
  CHECK(encode(schedpol::Change{"spec.priority"_path, "5", std::nullopt, "a"}) ==
        R"({"field":"spec.priority","from":"5","to":null,"policy":"a"})");
}

TEST_CASE(
    "a policy is written with kind and version, in the usual spellings, without what is absent") {
  CHECK(encode(sp::SchedulingPolicy{}) ==
        R"({"apiVersion":"schedpol.io/v1alpha1","kind":"SchedulingPolicy","metadata":{}})");
  CHECK(encode(sp::restricted()) ==
        R"({"apiVersion":"schedpol.io/v1alpha1","kind":"SchedulingPolicy",)"
        R"("metadata":{"name":"restricted"},)"
        R"("spec":{"allowed":{"schedulerNames":["default-scheduler"]}}})");
  CHECK(encode(sp::privileged()) ==
        R"({"apiVersion":"schedpol.io/v1alpha1","kind":"SchedulingPolicy",)"
        R"("metadata":{"name":"privileged"},"spec":{"allowed":{"schedulerNames":[],)"
        R"("priorityClassNames":[],"nodeSelectors":{},"tolerations":[],"affinities":{}}}})");
  const auto spec = decode<sp::SchedulingPolicySpec>(R"({
    "allowedAffinities": {"podAffinities": {}},
    "allowed": {"SchedulerNames": [], "priorityClasseNames": ["a"]},
    "default": {"SchedulerName": "s", "priorityClasseName": ""}})");
  REQUIRE(spec);
  CHECK(encode(*spec) == R"({"allowed":{"schedulerNames":[],"priorityClassNames":["a"],)"
                         R"("affinities":{"podAffinities":{}}},)"
                         R"("default":{"schedulerName":"s","priorityClassName":""}})");
}

TEST_CASE("node selector keys are written with null where their values are absent") {
  sp::SchedulingPolicySpec spec;
  spec.allowed.node_selectors = sp::NodeSelectors{{"any", any}, {"none", {}}, {"one", {"a"}}};
  CHECK(encode(spec) == R"({"allowed":{"nodeSelectors":{"any":[],"none":null,"one":["a"]}}})");
  check_round_trip(policy_with(spec));
}

TEST_CASE("a pod stands in its workload, each of the nine kinds") {
  struct Case {
    PodKind kind;
    const char* text;
  };
  constexpr Case cases[] = {
      {PodKind::pod,
       R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},"spec":{"nodeName":"n"}})"},
      {PodKind::pod_template,
       R"({"apiVersion":"v1","kind":"PodTemplate","metadata":{"name":"web"},)"
       R"("template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}})"},
      {PodKind::replication_controller,
       R"({"apiVersion":"v1","kind":"ReplicationController","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::replica_set,
       R"({"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::deployment,
       R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::stateful_set,
       R"({"apiVersion":"apps/v1","kind":"StatefulSet","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::daemon_set,
       R"({"apiVersion":"apps/v1","kind":"DaemonSet","metadata":{"name":"web"},)"
       R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::job, R"({"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"web"},)"
                     R"("spec":{"template":{"metadata":{"name":"web"},"spec":{"nodeName":"n"}}}})"},
      {PodKind::cron_job, R"({"apiVersion":"batch/v1","kind":"CronJob","metadata":{"name":"web"},)"
                          R"("spec":{"jobTemplate":{"spec":{"template":{"metadata":{"name":"web"},)"
                          R"("spec":{"nodeName":"n"}}}}}})"},
  };
  std::size_t kinds = 0;
  for (const Case& c : cases) {
    CAPTURE(c.text);
    Pod pod;
    pod.kind = c.kind;
    pod.metadata.name = "web";
    pod.spec.node_name = "n";
    CHECK(encode(pod) == c.text);
    ++kinds;
  }
  CHECK(kinds == std::size(schedpol::pod_kinds));
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

TEST_CASE("a pod is written with all of its fields, a template without a status") {
  Pod pod;
  pod.metadata.deletion_timestamp = "2024-01-01T00:00:00Z";
  pod.spec.runtime_class_name = "gvisor";
  pod.spec.init_containers = {{.name = "i", .resources = {}}};
  pod.spec.containers = {
      {.name = "", .resources = {.requests = {{"cpu", quantity("1")}}, .limits = {}}}};
  pod.status.phase = "Failed";
  CHECK(encode(pod) ==
        R"({"apiVersion":"v1","kind":"Pod",)"
        R"("metadata":{"deletionTimestamp":"2024-01-01T00:00:00Z"},)"
        R"("spec":{"runtimeClassName":"gvisor","initContainers":[{"name":"i"}],)"
        R"("containers":[{"resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":"Failed"}})");
  pod.kind = PodKind::job;
  CHECK(encode(pod).find("status") == std::string::npos);
}

TEST_CASE("a text is escaped wherever it needs to be, however long it is") {
  constexpr std::pair<std::string_view, std::string_view> specials[] = {
      {"\"", R"(\")"}, {"\\", R"(\\)"},  {"\n", R"(\n)"},          {"\x1f", R"(\u001f)"},
      {" ", " "},      {"\x7f", "\x7f"}, {"\xc3\xa9", "\xc3\xa9"}, {"", ""}};
  for (std::size_t size = 0; size < 70; ++size) {
    for (std::size_t at = 0; at <= size; ++at) {
      const std::string head(at, 'h');
      const std::string tail(size - at, 't');
      for (const auto& [special, escaped] : specials) {
        const std::string text = head + std::string(special) + tail;
        const std::string wanted = head + std::string(escaped) + tail;
        schedpol::json::detail::Writer out;
        out += "x";
        schedpol::json::detail::write(out, std::string_view(text));
        if (out.text() != "x\"" + wanted + '"') FAIL_CHECK(out.text());
      }
    }
  }
}

TEST_CASE("what a system reports is written with all its members, empty ones too") {
  CHECK(encode(schedpol::FieldError{schedpol::ErrorType::required, {}, "", ""}) ==
        R"({"field":"","type":"FieldValueRequired","value":"","message":"required value"})");
  CHECK(encode(schedpol::Change{{}, std::nullopt, "5", ""})
            .starts_with(R"({"field":"","from":null,"to":"5","policy":"")"));
  CHECK(encode(schedpol::pod_scheduling_policy::Skipped{"p", "spec.nodeName"_path, "why"}) ==
        R"({"policy":"p","field":"spec.nodeName","reason":"why"})");
  namespace mp = schedpol::metadata_policy;
  CHECK(encode(mp::RuleName{"p", 3}) == R"({"policy":"p","rule":3})");
  CHECK(encode(mp::Conflict{"metadata.labels"_path.key("k"), {{{"a", 0}, "1"}, {{"b", 2}, ""}}}) ==
        R"({"field":"metadata.labels[k]","writes":[{"policy":"a","rule":0,"value":"1"},)"
        R"({"policy":"b","rule":2,"value":""}]})");
  CHECK(encode(std::vector<schedpol::Change>{}) == "[]");
}

}  // namespace encode_test
