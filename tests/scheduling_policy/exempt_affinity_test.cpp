// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/options.hpp>

#include "exempt_items.hpp"

#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace exempt_affinity_test {

using namespace exempt_items;

// ---- what is exempt needs no permission

constexpr auto in = NodeSelectorOperator::in;
using Terms = std::vector<NodeSelectorTerm>;

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

TEST_CASE("an exempt pair of the node selector meets a required NotIn that lists another value") {
  const auto requiring_not_in = [](Texts values) {
    const TermPattern required{
        .match_expressions = {{{{"zone"}, {NodeSelectorOperator::not_in}, std::move(values)}}}};
    return SchedulingPolicySpec{
        .required = {.affinities =
                         AffinityRules{
                             .node_affinities =
                                 NodeAffinityRules{
                                     .required_during_scheduling_ignored_during_execution =
                                         NodeAffinityRule{{required}}}}},
        .allowed = {.scheduler_names = any}};
  };
  const std::string missing =
      "AffinityRequired spec.affinity.nodeAffinity." + std::string(required_mode);
  const std::string not_allowed = "NodeSelectorNotAllowed spec.nodeSelector[zone]";
  const Labels zone{{"zone", "a"}};
  const auto row = [&](const char* name, Texts values, List with) {
    return Case{name,
                requiring_not_in(std::move(values)),
                {.node_selector = zone},
                {.node_selector = zone},
                {not_allowed, missing},
                std::move(with)};
  };
  check_each({
      row("another value", {"b"}, {}),
      row("its own, and another one behind it", {"a", "b"}, {}),
      row("its own", {"a"}, {missing}),
      row("its own twice", {"a", "a"}, {missing}),
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

}  // namespace exempt_affinity_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
