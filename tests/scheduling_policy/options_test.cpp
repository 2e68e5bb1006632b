// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/options.hpp>

#include <schedpol/insight/explain.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/check.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/list.hpp"
#include "../support/print.hpp"
#include "../support/reasons.hpp"

#include "../support/print.hpp"

#include <concepts>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace options_test {

static_assert(std::is_aggregate_v<Options> && std::semiregular<Options>);
static_assert(std::is_enum_v<RequiredAffinity> && !std::is_convertible_v<RequiredAffinity, int>);
static_assert(std::is_enum_v<NodeNameCheck> && !std::is_convertible_v<NodeNameCheck, int>);
static_assert(std::is_enum_v<DefaultScheduler> && !std::is_convertible_v<DefaultScheduler, int>);

TEST_CASE("without options the strict readings hold and nothing is exempt") {
  const Options options;
  CHECK(options.required_affinity == RequiredAffinity::every_term);
  CHECK(options.node_name == NodeNameCheck::require_any_scheduler);
  CHECK(options.default_scheduler == DefaultScheduler::specified);
  CHECK(options.exempt.tolerations.empty());
  CHECK(options.exempt.node_selector.empty());
  CHECK(options.global_default_priority_class.empty());
}

TEST_CASE("options are called what requests call them") {
  CHECK(to_string(RequiredAffinity::every_term) == "EveryTerm");
  CHECK(to_string(RequiredAffinity::present) == "Present");
  CHECK(to_string(NodeNameCheck::require_any_scheduler) == "RequireAnyScheduler");
  CHECK(to_string(NodeNameCheck::ignore) == "Ignore");
}

TEST_CASE("the preset of DefaultTolerationSeconds is its two tolerations, 300 seconds by default") {
  const auto wanted = [](std::int64_t seconds) {
    return std::vector<Toleration>{{.key = "node.kubernetes.io/not-ready",
                                    .operator_ = TolerationOperator::exists,
                                    .effect = TaintEffect::no_execute,
                                    .toleration_seconds = seconds},
                                   {.key = "node.kubernetes.io/unreachable",
                                    .operator_ = TolerationOperator::exists,
                                    .effect = TaintEffect::no_execute,
                                    .toleration_seconds = seconds}};
  };
  CHECK(default_toleration_seconds() == wanted(300));
  CHECK(default_toleration_seconds(60) == wanted(60));
  CHECK(default_toleration_seconds(60) != wanted(300));
}

TEST_CASE("the preset of DaemonSet pods has every toleration that their controller adds") {
  std::vector<std::string> texts;
  for (const Toleration& toleration : daemon_set_tolerations())
    texts.push_back(to_string(toleration));
  CHECK(texts ==
        std::vector<std::string>{"node.kubernetes.io/not-ready Exists:NoExecute",
                                 "node.kubernetes.io/unreachable Exists:NoExecute",
                                 "node.kubernetes.io/disk-pressure Exists:NoSchedule",
                                 "node.kubernetes.io/memory-pressure Exists:NoSchedule",
                                 "node.kubernetes.io/pid-pressure Exists:NoSchedule",
                                 "node.kubernetes.io/unschedulable Exists:NoSchedule",
                                 "node.kubernetes.io/network-unavailable Exists:NoSchedule"});
}

TEST_CASE("presets and what each of several objects adds are exempt together") {
  const SchedulingCriteria of_class{
      .node_selector = {{"sandbox", "kata"}},
      .tolerations = {{.key = "sandboxed", .operator_ = TolerationOperator::exists}}};
  const SchedulingCriteria of_policy{.node_selector = {{"sandbox", "gvisor"}}};
  const Options options = exempt(exempt(exempt({.exempt = {.node_selector = {{"sandbox", "none"}}}},
                                               default_toleration_seconds()),
                                        of_class),
                                 of_policy);
  CHECK(options.exempt.tolerations == default_toleration_seconds());
  CHECK(options.exempt.node_selector == Labels{{"sandbox", "none"}});
  CHECK(options.exempt_criteria == std::vector<SharedCriteria>{of_class, of_policy});
}

TEST_CASE("options are equal where the criteria that they exempt are") {
  const SharedCriteria blue(SchedulingCriteria{.scheduler_name = "blue"});
  const SharedCriteria same(SchedulingCriteria{.scheduler_name = "blue"});
  CHECK(Options{.exempt_criteria = {blue}} == Options{.exempt_criteria = {same}});
  CHECK(Options{.exempt_criteria = {blue}} != Options{});
}

// ---- what is exempt needs no permission

constexpr auto in = NodeSelectorOperator::in;
constexpr auto exists = TolerationOperator::exists;
using Terms = std::vector<NodeSelectorTerm>;
using schedpol::testing::List;
using schedpol::testing::reasons;

const NodeSelectorTerm zone_a{.match_expressions = {{"zone", in, {"a"}}}};
const NodeSelectorTerm disk_ssd{.match_expressions = {{"disk", in, {"ssd"}}}};
const NodeSelectorTerm both{.match_expressions = {{"zone", in, {"a"}}, {"disk", in, {"ssd"}}}};
const NodeSelectorTerm on_node{.match_fields = {{"metadata.name", in, {"n"}}}};

Affinity required_node(Terms terms) {
  return {.node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                            NodeSelector{std::move(terms)}}};
}
Affinity preferred_node(std::vector<PreferredSchedulingTerm> terms) {
  return {.node_affinity = NodeAffinity{.preferred_during_scheduling_ignored_during_execution =
                                            std::move(terms)}};
}
Affinity near(std::vector<PodAffinityTerm> required,
              std::vector<WeightedPodAffinityTerm> preferred = {}) {
  return {.pod_affinity = PodAffinity{std::move(required), std::move(preferred)}};
}
Affinity call_noinline(std::vector<PodAffinityTerm> required) {
  return {.pod_anti_affinity = PodAffinity{std::move(required), {}}};
}

struct Case {
  const char* name;
  SchedulingPolicySpec policy;
  PodSpec pod;
  SchedulingCriteria exempt;
  List without;  ///< what is reported where nothing is exempt
  List with;
};

EffectivePolicy merged(SchedulingPolicySpec spec) {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "p"}, .spec = std::move(spec)}};
  return merge(policies);
}

void check_each(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const EffectivePolicy effective = merged(c.policy);
    const Pod pod{.spec = c.pod};
    CHECK(reasons(check(pod, effective)) == c.without);
    CHECK(reasons(check(pod, effective, exempt({}, c.exempt))) == c.with);
  }
}

TEST_CASE("exempt names need no permission, and requirements see them") {
  const SchedulingPolicySpec blue{.allowed = {.scheduler_names = {"blue"}}};
  const SchedulingPolicySpec required{.required = {.scheduler_names = {"blue"}}};
  const List not_allowed{"SchedulerNameNotAllowed spec.schedulerName"};
  check_each({
      {"a scheduler",
       blue,
       {.scheduler_name = "green"},
       {.scheduler_name = "green"},
       not_allowed,
       {}},
      {"another scheduler",
       blue,
       {.scheduler_name = "red"},
       {.scheduler_name = "green"},
       not_allowed,
       not_allowed},
      {"the default scheduler of a pod without one",
       blue,
       {},
       {.scheduler_name = "default-scheduler"},
       not_allowed,
       {}},
      {"criteria without a scheduler", blue, {}, {}, not_allowed, not_allowed},
      {"a scheduler where another is required",
       required,
       {.scheduler_name = "green"},
       {.scheduler_name = "green"},
       {"SchedulerNameRequired spec.schedulerName"},
       {"SchedulerNameRequired spec.schedulerName"}},
      {"a scheduler that is required",
       required,
       {.scheduler_name = "blue"},
       {.scheduler_name = "blue"},
       {},
       {}},
      {"a node",
       blue,
       {.scheduler_name = "blue", .node_name = "n"},
       {.node_name = "n"},
       {"NodeNameNotAllowed spec.nodeName"},
       {}},
      {"another node",
       blue,
       {.scheduler_name = "blue", .node_name = "m"},
       {.node_name = "n"},
       {"NodeNameNotAllowed spec.nodeName"},
       {"NodeNameNotAllowed spec.nodeName"}},
  });
}

TEST_CASE("an item is exempt that equals any of several") {
  Options options = exempt(exempt({.exempt = {.node_selector = {{"pool", "a"}}}},
                                  SchedulingCriteria{.node_selector = {{"pool", "b"}}}),
                           SchedulingCriteria{.scheduler_name = "green",
                                              .node_selector = {{"pool", "c"}},
                                              .tolerations = {{.key = "gpu"}}});
  const EffectivePolicy effective = merged({});
  for (const char* value : {"a", "b", "c", "d"}) {
    CAPTURE(value);
    const Pod pod{.spec = {.scheduler_name = "green",
                           .node_selector = {{"pool", value}},
                           .tolerations = {{.key = "gpu"}}}};
    CHECK(check(pod, effective, options).empty() == (*value != 'd'));
  }
}

TEST_CASE("a Windows RuntimeClass is compatible with a policy that requires an operating system") {
  const SchedulingCriteria windows{
      .node_selector = {{"os", "windows"}},
      .tolerations = {{"os", TolerationOperator::equal, "windows", TaintEffect::no_schedule, {}}}};
  const SchedulingPolicySpec either{.required = {.node_selectors = {{"os", {"linux", "windows"}}}},
                                    .allowed = {.scheduler_names = any}};
  const SchedulingPolicySpec linux{.required = {.node_selectors = {{"os", {"linux"}}}},
                                   .allowed = {.scheduler_names = any}};
  const SchedulingPolicySpec tolerating{
      .required = {.tolerations = {{{.keys = {"os"},
                                     .operators = {TolerationOperator::equal},
                                     .values = {"windows"},
                                     .effects = {TaintEffect::no_schedule}}}}},
      .allowed = {.scheduler_names = any, .node_selectors = any}};
  const PodSpec pod{.node_selector = windows.node_selector, .tolerations = windows.tolerations};
  check_each({
      {"the value is one of the required",
       either,
       pod,
       windows,
       {"TolerationNotAllowed spec.tolerations[0]"},
       {}},
      {"the value is none of them",
       linux,
       pod,
       windows,
       {"NodeSelectorRequired spec.nodeSelector[os]", "TolerationNotAllowed spec.tolerations[0]"},
       {"NodeSelectorRequired spec.nodeSelector[os]"}},
      {"its toleration is the required one", tolerating, pod, windows, {}, {}},
  });
}

TEST_CASE("exempt affinity needs no permission, part by part") {
  const SchedulingPolicySpec nothing{.allowed = {.scheduler_names = any}};
  const auto with = [&](AffinityRules rules) {
    SchedulingPolicySpec spec = nothing;
    spec.allowed.affinities = std::move(rules);
    return spec;
  };
  const SchedulingPolicySpec zones =
      with({.node_affinities = NodeAffinityRules{
                .required_during_scheduling_ignored_during_execution =
                    NodeAffinityRule{{{.match_expressions = {{{{"zone"}, {in}, {"a"}}}}}}}}});
  const SchedulingPolicySpec pods =
      with({.pod_affinities = PodAffinityRules{
                .required_during_scheduling_ignored_during_execution = PodAffinityRule{{"zone"}}}});
  SchedulingPolicySpec ssd = nothing;
  ssd.defaults.affinity = required_node({disk_ssd});
  SchedulingPolicySpec of_two_parts = nothing;
  of_two_parts.defaults.affinity = required_node({both});
  SchedulingPolicySpec of_two_terms = nothing;
  of_two_terms.defaults.affinity = required_node({disk_ssd, on_node});
  const NodeSelectorTerm hdd{.match_expressions = {{"disk", in, {"hdd"}}}};
  const NodeSelectorTerm no_ssd{
      .match_expressions = {{"disk", NodeSelectorOperator::not_in, {"ssd"}}}};
  const NodeSelectorTerm hdd_no_ssd{
      .match_expressions = {no_ssd.match_expressions[0], hdd.match_expressions[0]}};
  NodeSelectorTerm both_no_ssd = both;
  both_no_ssd.match_expressions.push_back(no_ssd.match_expressions[0]);
  SchedulingPolicySpec of_two_disks = nothing;
  of_two_disks.defaults.affinity = required_node({both, hdd});
  SchedulingPolicySpec of_empty_terms = nothing;
  of_empty_terms.defaults.affinity = required_node({{}, {}});
  SchedulingPolicySpec anything = nothing;
  anything.allowed.affinities = any;
  // An operator that there is not is never permitted, but it is the cluster's own.
  const NodeSelectorTerm like_ssd{
      .match_expressions = {{"disk", OpenEnum<NodeSelectorOperator>("Like"), {"ssd"}}}};
  NodeSelectorTerm zone_on_node = zone_a;
  zone_on_node.match_fields = on_node.match_fields;
  NodeSelectorTerm both_on_node = both;
  both_on_node.match_fields = on_node.match_fields;
  const std::string node = "AffinityNotAllowed spec.affinity.nodeAffinity";
  const std::string near_pods = "AffinityNotAllowed spec.affinity.podAffinity";
  const std::string apart_pods = "AffinityNotAllowed spec.affinity.podAntiAffinity";
  const std::string required = "." + std::string(required_mode);
  const std::string preferred = "." + std::string(preferred_mode);
  const std::string terms = node + required + ".nodeSelectorTerms";
  const PodAffinityTerm zone{.topology_key = "zone"};
  const PodAffinityTerm host{.topology_key = "host"};
  SchedulingPolicySpec in_zone = nothing;
  in_zone.defaults.affinity = near({zone});
  const auto exempting = [](Affinity affinity) {
    return SchedulingCriteria{.affinity = std::move(affinity)};
  };
  check_each({
      {"all of a kind that is not mentioned",
       nothing,
       {.affinity = required_node({zone_a})},
       exempting(required_node({zone_a})),
       {node},
       {}},
      {"some of a kind that is not mentioned",
       nothing,
       {.affinity = required_node({zone_a, disk_ssd})},
       exempting(required_node({zone_a})),
       {node},
       {node}},
      {"all of a mode, and of the other mode nothing",
       nothing,
       {.affinity =
            Affinity{.node_affinity = NodeAffinity{NodeSelector{{zone_a}}, {{1, disk_ssd}}}}},
       exempting(required_node({zone_a})),
       {node},
       {node}},
      {"one expression of a term",
       zones,
       {.affinity = required_node({both})},
       exempting(required_node({disk_ssd})),
       {terms + "[0].matchExpressions[1]"},
       {}},
      {"expressions of different terms and objects",
       nothing,
       {.affinity = required_node({both})},
       exempting(required_node({disk_ssd, zone_a})),
       {node},
       {}},
      {"an expression of the other list",
       nothing,
       {.affinity = required_node({zone_a})},
       exempting(required_node({{.match_fields = zone_a.match_expressions}})),
       {node},
       {node}},
      {"a field",
       zones,
       {.affinity = required_node({on_node})},
       exempting(required_node({on_node})),
       {terms + "[0].matchFields[0]"},
       {}},
      {"an empty term",
       nothing,
       {.affinity = required_node({{}})},
       exempting(required_node({zone_a})),
       {node},
       {node}},
      {"an empty term of an affinity that has one",
       nothing,
       {.affinity = required_node({{}})},
       exempting(required_node({{}})),
       {node},
       {}},
      {"a preferred term",
       zones,
       {.affinity = preferred_node({{5, both}})},
       exempting(preferred_node({{5, both}})),
       {node + preferred},
       {}},
      {"a preferred term of another weight",
       zones,
       {.affinity = preferred_node({{5, both}})},
       exempting(preferred_node({{6, both}})),
       {node + preferred},
       {node + preferred}},
      {"an expression of a preferred term",
       zones,
       {.affinity = preferred_node({{5, zone_a}})},
       exempting(preferred_node({{5, both}})),
       {node + preferred},
       {node + preferred}},
      {"a required term among the preferred",
       zones,
       {.affinity = preferred_node({{5, zone_a}})},
       exempting(required_node({zone_a})),
       {node + preferred},
       {node + preferred}},
      {"a term of pod affinity beside a permitted one",
       pods,
       {.affinity = near({zone, host})},
       exempting(near({host})),
       {near_pods + required + "[1].topologyKey"},
       {}},
      {"one that selects other pods",
       pods,
       {.affinity = near({{.label_selector = LabelSelector{}, .topology_key = "host"}})},
       exempting(near({host})),
       {near_pods + required + "[0].topologyKey"},
       {near_pods + required + "[0].topologyKey"}},
      {"a weighted term in a mode that is not mentioned",
       pods,
       {.affinity = near({zone}, {{3, host}})},
       exempting(near({}, {{3, host}})),
       {near_pods + preferred},
       {}},
      {"one of another weight",
       pods,
       {.affinity = near({zone}, {{3, host}})},
       exempting(near({}, {{4, host}})),
       {near_pods + preferred},
       {near_pods + preferred}},
      {"a term of the other kind",
       nothing,
       {.affinity = call_noinline({host})},
       exempting(near({host})),
       {apart_pods},
       {apart_pods}},
      {"a term of anti-affinity",
       nothing,
       {.affinity = call_noinline({host})},
       exempting(call_noinline({host})),
       {apart_pods},
       {}},
      {"an expression that is exempt in required terms, in a preferred one",
       with({.node_affinities =
                 NodeAffinityRules{
                     .preferred_during_scheduling_ignored_during_execution =
                         NodeAffinityRule{{{.match_expressions = {{{{"zone"}, {in}, {"a"}}}}}}}}}),
       {.affinity = preferred_node({{5, both}})},
       exempting(required_node({both})),
       {node + preferred + "[0].preference.matchExpressions[1]"},
       {node + preferred + "[0].preference.matchExpressions[1]"}},
      {"an expression in a term that a default gives",
       ssd,
       {.affinity = required_node({both})},
       exempting(required_node({zone_a})),
       {node + required},
       {}},
      {"a term beside one that a default gives",
       ssd,
       {.affinity = required_node({zone_a, disk_ssd})},
       exempting(required_node({zone_a})),
       {node + required},
       {}},
      {"a field in a term that a default gives",
       ssd,
       {.affinity = required_node({both_on_node})},
       exempting(required_node({zone_a})),
       {node + required},
       {node + required}},
      {"the field of a term whose expressions no default gives",
       ssd,
       {.affinity = required_node({zone_on_node})},
       exempting(required_node({on_node})),
       {node + required},
       {node + required}},
      {"an expression in the place of one that a default gives",
       of_two_parts,
       {.affinity = required_node({zone_on_node})},
       exempting(required_node({on_node})),
       {node + required},
       {node + required}},
      {"one of two terms that a default gives is left out",
       of_two_terms,
       {.affinity = required_node({both})},
       exempting(required_node({zone_a})),
       {node + required},
       {node + required}},
      {"what is left of two terms of a default that were there when the exempt one came",
       of_two_disks,
       {.affinity = required_node({hdd_no_ssd})},
       exempting(required_node({no_ssd})),
       {node + required},
       {}},
      {"the one of them that no node meets beside the exempt one",
       of_two_disks,
       {.affinity = required_node({both_no_ssd})},
       exempting(required_node({no_ssd})),
       {node + required},
       {node + required}},
      {"the one that stays of empty terms",
       of_empty_terms,
       {.affinity = required_node({{}})},
       exempting(required_node({no_ssd})),
       {},
       {}},
      {"one with an expression among empty terms",
       of_empty_terms,
       {.affinity = required_node({{}, hdd})},
       exempting(required_node({no_ssd})),
       {node + required},
       {node + required}},
      {"a term that is neither, beside one that a default gives",
       ssd,
       {.affinity = required_node({both, on_node})},
       exempting(required_node({zone_a})),
       {node + required},
       {node + required}},
      {"a term of pod affinity after one that a default gives",
       in_zone,
       {.affinity = near({zone, host})},
       exempting(near({host})),
       {near_pods + required},
       {}},
      {"one before it",
       in_zone,
       {.affinity = near({host, zone})},
       exempting(near({host})),
       {near_pods + required},
       {}},
      {"one that is neither, beside both",
       in_zone,
       {.affinity = near({host, zone, {.topology_key = "rack"}})},
       exempting(near({host})),
       {near_pods + required},
       {near_pods + required}},
      {"an operator that there is not",
       anything,
       {.affinity = required_node({like_ssd})},
       exempting(required_node({like_ssd})),
       {terms + "[0].matchExpressions[0]"},
       {}},
      {"the same in a preferred term",
       anything,
       {.affinity = preferred_node({{5, like_ssd}})},
       exempting(preferred_node({{5, like_ssd}})),
       {node + preferred + "[0].preference.matchExpressions[0]"},
       {}},
      {"the same in a required one, but not in the preferred one",
       anything,
       {.affinity = preferred_node({{5, like_ssd}})},
       exempting(required_node({like_ssd})),
       {node + preferred + "[0].preference.matchExpressions[0]"},
       {node + preferred + "[0].preference.matchExpressions[0]"}},
      {"a default that was left out",
       ssd,
       {.affinity = required_node({zone_a, on_node})},
       exempting(required_node({zone_a})),
       {node + required},
       {node + required}},
  });
}

TEST_CASE("requirements on affinity see what is exempt") {
  const TermPattern zone_required{.match_expressions = {{{{"zone"}, {in}, any}}}};
  const SchedulingPolicySpec policy{
      .required = {.affinities =
                       AffinityRules{.node_affinities =
                                         NodeAffinityRules{
                                             .required_during_scheduling_ignored_during_execution =
                                                 NodeAffinityRule{{zone_required}}}}},
      .allowed = {.scheduler_names = any}};
  const std::string mode = "spec.affinity.nodeAffinity." + std::string(required_mode);
  check_each({
      {"an exempt term holds what is required",
       policy,
       {.affinity = required_node({zone_a})},
       {.affinity = required_node({zone_a})},
       {},
       {}},
      {"an exempt term breaks it beside one that holds it",
       policy,
       {.affinity = required_node({zone_a, disk_ssd})},
       {.affinity = required_node({disk_ssd})},
       {"AffinityNotAllowed " + mode + ".nodeSelectorTerms[1].matchExpressions[0]",
        "AffinityRequired " + mode},
       {"AffinityRequired " + mode}},
  });
}

TEST_CASE("of a pod's exempt items each is explained so, where no requirement is about it") {
  const SchedulingPolicySpec policy{.required = {.node_selectors = {{"os", {"linux", "windows"}}}},
                                    .allowed = {.scheduler_names = {"blue"}}};
  const SchedulingCriteria criteria{
      .node_name = "n",
      .scheduler_name = "green",
      .node_selector = {{"os", "windows"}, {"pool", "a"}},
      .tolerations = {{.key = "gpu", .operator_ = exists}},
      .affinity = Affinity{.node_affinity = NodeAffinity{NodeSelector{{both}}, {{1, zone_a}}},
                           .pod_affinity = near({{.topology_key = "zone"}}).pod_affinity}};
  const Pod pod{.spec = {.scheduler_name = criteria.scheduler_name,
                         .node_name = criteria.node_name,
                         .node_selector = criteria.node_selector,
                         .tolerations = criteria.tolerations,
                         .affinity = criteria.affinity}};
  const Explanation found = explain(pod, merged(policy), exempt({}, criteria));
  CHECK(found.allowed);
  List lines;
  for (const ExplainedItem& item : found.items)
    lines.push_back(std::string(to_string(item.ruling)) + " " + to_string(item.field) + " " +
                    item.value);
  const std::string node = "Exempt spec.affinity.nodeAffinity.";
  CHECK(lines == List{"Exempt spec.schedulerName green", "Exempt spec.nodeName n",
                      "Required spec.nodeSelector[os] windows", "Exempt spec.nodeSelector[pool] a",
                      "Exempt spec.tolerations[0] gpu Exists",
                      node + std::string(required_mode) +
                          ".nodeSelectorTerms[0].matchExpressions[0] zone In [a]",
                      node + std::string(required_mode) +
                          ".nodeSelectorTerms[0].matchExpressions[1] disk In [ssd]",
                      node + std::string(preferred_mode) + "[0].preference (zone In [a])",
                      "Exempt spec.affinity.podAffinity." + std::string(required_mode) +
                          "[0] zone with pods none"});
}

TEST_CASE("terms are explained as exempt where they are, whatever else permits them") {
  const auto expression = [](Ruling ruling, const char* term, const char* text) {
    return std::string(to_string(ruling)) + " spec.affinity.nodeAffinity." +
           std::string(required_mode) + ".nodeSelectorTerms[" + term + "].matchExpressions[0] " +
           text;
  };
  const AffinityRules zones{
      .node_affinities =
          NodeAffinityRules{.required_during_scheduling_ignored_during_execution = NodeAffinityRule{
                                {{.match_expressions = {{{{"zone"}, {in}, {"a"}}}}}}}}};
  struct TermsCase {
    const char* name;
    AnyOr<AffinityRules> allowed;
    Terms of_pod;
    Terms exempt;
    List wanted;
  };
  const TermsCase cases[] = {
      {"a term where any is allowed",
       any,
       {zone_a},
       {zone_a},
       {expression(Ruling::exempt, "0", "zone In [a]")}},
      {"an empty term is nothing to explain, and makes no other exempt",
       zones,
       {{}, zone_a},
       {disk_ssd},
       {expression(Ruling::permitted, "1", "zone In [a]")}},
      {"an empty term that is exempt",
       zones,
       {{}},
       {{}},
       {"Exempt spec.affinity.nodeAffinity." + std::string(required_mode) +
        ".nodeSelectorTerms[0] ()"}},
  };
  for (const auto& [name, allowed, of_pod, exempt_terms, wanted] : cases) {
    CAPTURE(name);
    SchedulingPolicySpec policy;
    policy.allowed.scheduler_names = any;
    policy.allowed.affinities = allowed;
    const Pod pod{.spec = {.affinity = required_node(of_pod)}};
    const Explanation found =
        explain(pod, merged(policy),
                exempt({}, SchedulingCriteria{.affinity = required_node(exempt_terms)}));
    List lines;
    for (const ExplainedItem& item : found.items)
      if (!item.value.starts_with("default-scheduler"))
        lines.push_back(std::string(to_string(item.ruling)) + " " + to_string(item.field) + " " +
                        item.value);
    CHECK(lines == wanted);
  }
}

// ---- what is added to the pods of a template

TEST_CASE("what the RuntimeClass adds to the pods of a template counts as there") {
  const Toleration gpu{.key = "gpu", .operator_ = exists};
  const Toleration spot{.key = "spot", .operator_ = exists};
  const Options options{
      .added_to_pods = {.node_selector = {{"os", "windows"}}, .tolerations = {gpu}}};
  struct AddedCase {
    const char* name;
    SchedulingPolicySpec policy;
    PodSpec spec;
    List denied;
    PodSpec given;  ///< where it is allowed
  };
  const TolerationPattern gpu_pattern{.keys = {"gpu"}, .operators = {exists}, .effects = any};
  const auto os = [](Texts values) {
    return PolicySection{.node_selectors = {{"os", std::move(values)}}};
  };
  const AddedCase cases[] = {
      {"a required key is met", {.required = os({"windows"})}, {}, {}, {}},
      {"a required key is broken",
       {.required = os({"linux"})},
       {},
       {"NodeSelectorRequired spec.nodeSelector[os]"},
       {}},
      {"the template's own pair goes before it",
       {.required = os({"linux"})},
       {.node_selector = {{"os", "linux"}}},
       {},
       {.node_selector = {{"os", "linux"}}}},
      {"a required toleration is met", {.required = {.tolerations = {{gpu_pattern}}}}, {}, {}, {}},
      {"no default is given for its keys",
       {.defaults = {.node_selector = Labels{{"arch", "arm64"}, {"os", "linux"}}}},
       {},
       {},
       {.node_selector = {{"arch", "arm64"}}}},
      {"of default tolerations those that are not added",
       {.defaults = {.tolerations = {{{gpu}, {spot}}}}},
       {},
       {},
       {.tolerations = {spot}}},
      {"what the template repeats needs no permission",
       {.defaults = {.tolerations = {{{spot}}}}},
       {.node_selector = {{"os", "windows"}}, .tolerations = {gpu}},
       {},
       {.node_selector = {{"os", "windows"}}, .tolerations = {gpu, spot}}},
      {"another value does",
       {},
       {.node_selector = {{"os", "linux"}}},
       {"NodeSelectorNotAllowed spec.template.spec.nodeSelector[os]"},
       {}},
  };
  for (const AddedCase& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec policy = c.policy;
    policy.allowed.scheduler_names = any;
    Pod pod{.spec = c.spec};
    if (!c.denied.empty() && c.denied[0].find("template") != std::string::npos)
      pod.kind = PodKind::deployment;
    const Admission admission = admit(pod, merged(policy), options);
    CHECK(reasons(admission.violations) == c.denied);
    if (c.denied.empty()) CHECK(admission.pod.spec == c.given);
  }
}

}  // namespace options_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
