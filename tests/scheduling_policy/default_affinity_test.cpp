// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/defaults.hpp>

#include "given_defaults.hpp"

#include <schedpol/base/impl/any_of.hpp>

#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace default_affinity_test {

using namespace given_defaults;

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

PodAffinity preferred_topology(std::string key) {
  return {.preferred_during_scheduling_ignored_during_execution = {
              {.weight = 1, .pod_affinity_term = {.topology_key = std::move(key)}}}};
}

TEST_CASE("affinity is given to a pod that has no terms of the kind") {
  Affinity all = required_node({term({"disk"})});
  all.pod_affinity = topology("zone");
  all.pod_anti_affinity = topology("host");
  const Defaults every_kind{.affinity = all};
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

TEST_CASE("affinity is given mode by mode of each kind, where the pod has no terms in the mode") {
  const std::vector<PreferredSchedulingTerm> ssd = {{.weight = 5, .preference = term({"ssd"})}};
  const std::vector<PreferredSchedulingTerm> own = {{.weight = 7, .preference = term({"own"})}};
  const auto node = [](std::vector<NodeSelectorTerm> required,
                       std::vector<PreferredSchedulingTerm> preferred) {
    NodeAffinity affinity{.preferred_during_scheduling_ignored_during_execution = preferred};
    if (!required.empty())
      affinity.required_during_scheduling_ignored_during_execution = NodeSelector{required};
    return Affinity{.node_affinity = affinity};
  };
  const auto pods = [](PodAffinity required, const PodAffinity& preferred) {
    required.preferred_during_scheduling_ignored_during_execution =
        preferred.preferred_during_scheduling_ignored_during_execution;
    return Affinity{.pod_affinity = required, .pod_anti_affinity = required};
  };
  const Defaults both_modes{.affinity = node({term({"amd64"})}, ssd)};
  const Defaults both_of_pods{.affinity = pods(topology("zone"), preferred_topology("host"))};
  apply_each({
      {"neither mode: one change of the kind",
       both_modes,
       {},
       {.affinity = both_modes.affinity},
       {{"spec.affinity.nodeAffinity"_path,
         {},
         "required (amd64 Exists), preferred 5 (ssd Exists)",
         "p"}}},
      {"only preferred node affinity: the required terms, which are unspecified",
       both_modes,
       {.affinity = node({}, own)},
       {.affinity = node({term({"amd64"})}, own)},
       {{"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"_path,
         {},
         "required (amd64 Exists)",
         "p"}}},
      {"required node affinity without terms beside it is unspecified, too",
       both_modes,
       {.affinity =
            Affinity{.node_affinity =
                         NodeAffinity{
                             .required_during_scheduling_ignored_during_execution = NodeSelector{},
                             .preferred_during_scheduling_ignored_during_execution = own}}},
       {.affinity = node({term({"amd64"})}, own)},
       {{"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"_path,
         {},
         "required (amd64 Exists)",
         "p"}}},
      {"only required node affinity: the preferred terms",
       both_modes,
       {.affinity = node({term({"own"})}, {})},
       {.affinity = node({term({"own"})}, ssd)},
       {{"spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution"_path,
         {},
         "preferred 5 (ssd Exists)",
         "p"}}},
      {"both modes stay",
       both_modes,
       {.affinity = node({term({"own"})}, own)},
       {.affinity = node({term({"own"})}, own)},
       {}},
      {"a default of the mode that the pod has gives nothing",
       {.affinity = node({}, ssd)},
       {.affinity = node({}, own)},
       {.affinity = node({}, own)},
       {}},
      {"pod affinity and anti-affinity: the required terms",
       both_of_pods,
       {.affinity = pods({}, preferred_topology("own"))},
       {.affinity = pods(topology("zone"), preferred_topology("own"))},
       {{"spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"_path,
         {},
         to_string(topology("zone")),
         "p"},
        {"spec.affinity.podAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution"_path,
         {},
         to_string(topology("zone")),
         "p"}}},
      {"pod affinity and anti-affinity: the preferred terms",
       both_of_pods,
       {.affinity = pods(topology("own"), {})},
       {.affinity = pods(topology("own"), preferred_topology("host"))},
       {{"spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution"_path,
         {},
         to_string(preferred_topology("host")),
         "p"},
        {"spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution"_path,
         {},
         to_string(preferred_topology("host")),
         "p"}}},
  });
}

TEST_CASE("a mode that another policy gives is a change of that policy") {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "a"},
       .spec = {.defaults = {.affinity = Affinity{.pod_affinity = preferred_topology("host")}}}},
      {.metadata = {.name = "b"},
       .spec = {.defaults = {.affinity = Affinity{.pod_affinity = topology("zone")}}}}};
  const Pod required{.spec = {.affinity = Affinity{.pod_affinity = topology("own")}}};
  const Pod preferred{.spec = {.affinity = Affinity{.pod_affinity = preferred_topology("own")}}};
  const EffectivePolicy effective = merge(policies);
  CHECK(apply_defaults(required, effective).changes ==
        Changes{{"spec.affinity.podAffinity.preferredDuringSchedulingIgnoredDuringExecution"_path,
                 {},
                 to_string(preferred_topology("host")),
                 "a"}});
  CHECK(apply_defaults(preferred, effective).changes ==
        Changes{{"spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution"_path,
                 {},
                 to_string(topology("zone")),
                 "b"}});
}

/// `KEY In [VALUE]`.
NodeSelectorRequirement in(std::string key, std::string value) {
  return {std::move(key), NodeSelectorOperator::in, {std::move(value)}};
}
/// What `restricted-multiarch-by-affinity` requires: in one term each, or both in one.
NodeAffinityRule requires_keys(std::vector<Texts> terms) {
  NodeAffinityRule rule;
  for (const Texts& keys : terms) {
    TermPattern term;
    for (const std::string& key : keys)
      term.match_expressions.list().push_back(
          {.keys = {key}, .operators = {NodeSelectorOperator::in}, .values = any});
    rule.node_selector_terms.push_back(std::move(term));
  }
  return rule;
}
PolicySection requiring(AnyOr<NodeAffinityRule> required, AnyOr<NodeAffinityRule> preferred = {}) {
  return {.affinities = AffinityRules{
              .node_affinities = NodeAffinityRules{
                  .required_during_scheduling_ignored_during_execution = std::move(required),
                  .preferred_during_scheduling_ignored_during_execution = std::move(preferred)}}};
}

TEST_CASE(
    "a default of several required node terms is given as it is, where each holds what is "
    "required, "
    "else as one term, where a node can meet it") {
  using Terms = std::vector<NodeSelectorTerm>;
  const auto amd64 = in("arch", "amd64");
  const auto arm64 = in("arch", "arm64");
  const auto linux = in("os", "linux");
  const auto zone_a = in("zone", "a");
  const auto zone_b = in("zone", "b");
  const auto field = in("metadata.name", "n");
  const auto either = NodeSelectorRequirement{"arch", NodeSelectorOperator::in, {"amd64", "arm64"}};
  const NodeAffinityRule arch = requires_keys({{"arch"}});
  const NodeAffinityRule arch_and_os = requires_keys({{"arch"}, {"os"}});
  const PolicySection any_kind{.affinities = AffinityRules{.node_affinities = any}};
  constexpr auto every = RequiredAffinity::every_term;
  constexpr auto present = RequiredAffinity::present;
  const struct {
    const char* name;
    PolicySection required;
    RequiredAffinity reading;
    Terms given;
    Terms wanted;
  } cases[] = {
      {"amd64 in zone a or arm64 in zone b, each of which holds what is required",
       requiring(arch),
       every,
       {{{amd64, zone_a}, {}}, {{arm64, zone_b}, {}}},
       {{{amd64, zone_a}, {}}, {{arm64, zone_b}, {}}}},
      {"each holds all of several required terms",
       requiring(arch_and_os),
       every,
       {{{amd64, linux}, {}}, {{linux, arm64}, {field}}},
       {{{amd64, linux}, {}}, {{linux, arm64}, {field}}}},
      {"each of three",
       requiring(arch),
       every,
       {{{amd64}, {}}, {{arm64}, {}}, {{amd64, linux}, {}}},
       {{{amd64}, {}}, {{arm64}, {}}, {{amd64, linux}, {}}}},
      {"restricted-multiarch-by-affinity: one term each of what is required",
       requiring(arch_and_os),
       every,
       {{{amd64}, {}}, {{linux}, {}}},
       {{{amd64, linux}, {}}}},
      {"the same with both in one required term",
       requiring(requires_keys({{"arch", "os"}})),
       every,
       {{{amd64}, {}}, {{linux}, {}}},
       {{{amd64, linux}, {}}}},
      {"one of two holds what is required",
       requiring(arch),
       every,
       {{{amd64}, {}}, {{zone_b}, {}}},
       {{{amd64, zone_b}, {}}}},
      {"each holds one of two required terms, and one the other",
       requiring(arch_and_os),
       every,
       {{{amd64, linux}, {}}, {{linux, zone_a}, {}}},
       {{{amd64, linux, zone_a}, {}}}},
      {"equal expressions once, empty terms left out, fields too",
       requiring(arch),
       every,
       {{{amd64}, {}}, {}, {{zone_a, amd64}, {field}}, {{}, {field}}},
       {{{amd64, zone_a}, {field}}}},
      {"a node can meet two lists that have a value in common",
       requiring(arch_and_os),
       every,
       {{{either}, {}}, {{linux, arm64}, {}}},
       {{{either, linux, arm64}, {}}}},
      {"no node is amd64 and arm64: not given",
       requiring(arch_and_os),
       every,
       {{{amd64, linux}, {}}, {{arm64}, {}}},
       {}},
      {"nor is a label that has to exist and must not",
       requiring(arch),
       every,
       {{{amd64, requirement("disk")}, {}},
        {{{"disk", NodeSelectorOperator::does_not_exist, {}}}, {}}},
       {}},
      {"nor has a node two names",
       requiring(arch),
       every,
       {{{amd64}, {field}}, {{zone_a}, {in("metadata.name", "m")}}},
       {}},
      {"and none meets an expression that the API server refuses",
       requiring(arch),
       every,
       {{{amd64}, {}}, {{{"zone", NodeSelectorOperator::in, {}}}, {}}},
       {}},
      {"nor what is empty", requiring(arch), every, {{}, {}}, {}},
      {"one term stays as it is, whatever it holds and whoever meets it",
       requiring(arch),
       every,
       {{{zone_a, zone_a, zone_b}, {}}},
       {{{zone_a, zone_a, zone_b}, {}}}},
      {"where one term is enough all stay as they are",
       requiring(arch_and_os),
       present,
       {{{amd64}, {}}, {{linux}, {}}},
       {{{amd64}, {}}, {{linux}, {}}}},
      {"where the requirement lists no terms",
       requiring(any),
       every,
       {{{amd64}, {}}, {{linux}, {}}},
       {{{amd64}, {}}, {{linux}, {}}}},
      {"for a required kind", any_kind, every, {{{amd64}, {}}, {}}, {{{amd64}, {}}, {}}},
      {"for required preferences",
       requiring({}, arch),
       every,
       {{{amd64}, {}}, {{linux}, {}}},
       {{{amd64}, {}}, {{linux}, {}}}},
  };
  for (const auto& [name, required, reading, given, wanted] : cases) {
    CAPTURE(name);
    const EffectivePolicy effective = merged({.affinity = required_node(given)}, required);
    const Options options{.required_affinity = reading};
    const Defaulted once = apply_defaults(Pod{}, effective, options);
    if (wanted.empty()) {
      CHECK(once == Defaulted{});
      continue;
    }
    const Affinity affinity = required_node(wanted);
    CHECK(once.pod == Pod{.spec = {.affinity = affinity}});
    CHECK(
        once.changes ==
        Changes{{"spec.affinity.nodeAffinity"_path, {}, to_string(*affinity.node_affinity), "p"}});
    CHECK(apply_defaults(once.pod, effective, options) == Defaulted{.pod = once.pod});
  }
}

TEST_CASE("a default is given beside exempt terms where a node can meet both") {
  using Terms = std::vector<NodeSelectorTerm>;
  const auto zone_b = in("zone", "b");
  const auto ssd = in("disk", "ssd");
  const auto hdd = in("disk", "hdd");
  const auto arch = in("arch", "arm64");
  const struct {
    const char* name;
    Labels node_selector;
    Terms exempt;  ///< those of the pod
    Terms given;
    Terms wanted;
  } cases[] = {
      {"which it does not contradict",
       {},
       {{{zone_b, ssd}, {}}},
       {{{arch}, {}}},
       {{{arch, zone_b, ssd}, {}}}},
      {"but not where it contradicts the last expression of one",
       {},
       {{{zone_b, ssd}, {}}},
       {{{hdd}, {}}},
       {{{zone_b, ssd}, {}}}},
      {"nor where it contradicts the only one that the pod's node selector meets",
       {{"zone", "a"}},
       {{{zone_b}, {}}, {{ssd}, {}}},
       {{{hdd}, {}}},
       {{{zone_b}, {}}, {{ssd}, {}}}},
  };
  for (const auto& [name, node_selector, exempt, given, wanted] : cases) {
    CAPTURE(name);
    const Options options{.exempt = {.affinity = required_node(exempt)}};
    const Pod pod{.spec = {.node_selector = node_selector, .affinity = required_node(exempt)}};
    const Defaulted made = apply_defaults(pod, merged({.affinity = required_node(given)}), options);
    CHECK(made.pod.spec.affinity == std::optional(required_node(wanted)));
    CHECK(made.changes.empty() == (wanted == exempt));
    CHECK(made.warnings.empty() == (wanted != exempt));
  }
}

TEST_CASE("the preferences of a default are given beside its required terms in whatever form") {
  const std::vector<PreferredSchedulingTerm> ssd = {{.weight = 5, .preference = term({"ssd"})}};
  const PolicySection required = requiring(requires_keys({{"arch"}, {"os"}}));
  const auto with = [&](std::vector<NodeSelectorTerm> terms) {
    Affinity affinity = required_node(std::move(terms));
    affinity.node_affinity->preferred_during_scheduling_ignored_during_execution = ssd;
    return affinity;
  };
  const auto given = [&](std::vector<NodeSelectorTerm> terms) {
    return apply_defaults(Pod{}, merged({.affinity = with(std::move(terms))}, required));
  };
  const NodeSelectorTerm amd64{{in("arch", "amd64")}, {}};
  const NodeSelectorTerm linux{{in("os", "linux")}, {}};
  const NodeSelectorTerm both{{in("arch", "amd64"), in("os", "linux")}, {}};
  CHECK(given({both, both}).pod.spec.affinity == with({both, both}));
  CHECK(given({amd64, linux}).pod.spec.affinity == with({both}));
  const Defaulted alone = given({amd64, {{in("arch", "arm64")}, {}}});
  CHECK(alone.pod.spec.affinity ==
        Affinity{.node_affinity =
                     NodeAffinity{.preferred_during_scheduling_ignored_during_execution = ssd}});
  CHECK(alone.changes ==
        Changes{{"spec.affinity.nodeAffinity"_path, {}, "preferred 5 (ssd Exists)", "p"}});
}

TEST_CASE(
    "what a default adds to exempt terms is permitted, though it has one of them or one twice") {
  const auto preferring = [](const std::vector<std::string>& keys) {
    PodAffinity kind;
    for (const std::string& key : keys)
      schedpol::detail::append(
          kind.preferred_during_scheduling_ignored_during_execution,
          preferred_topology(key).preferred_during_scheduling_ignored_during_execution);
    return Affinity{.pod_anti_affinity = kind};
  };
  struct Row {
    std::vector<std::string> given;
    std::vector<std::string> exempt;
    std::vector<std::string> pod;
    std::vector<std::string> wanted;
  };
  const std::vector<Row> rows = {{{"b", "b"}, {}, {}, {"b", "b"}},
                                 {{"b", "b"}, {"c"}, {"c"}, {"c", "b", "b"}},
                                 {{"b", "b"}, {"b", "c"}, {"b", "c"}, {"b", "c"}},
                                 {{"b", "b", "a"}, {"b"}, {"b"}, {"b", "a"}},
                                 {{"a", "c"}, {"c"}, {"c"}, {"c", "a"}},
                                 {{"c", "a"}, {"c", "d"}, {"d", "c"}, {"d", "c", "a"}}};
  for (const Row& row : rows) {
    CAPTURE(row.pod);
    const EffectivePolicy effective = merge(
        std::vector<SchedulingPolicy>{{.metadata = {.name = "p"},
                                       .spec = {.allowed = {.scheduler_names = any},
                                                .defaults = {.affinity = preferring(row.given)}}}});
    Options options;
    if (!row.exempt.empty()) options.exempt.affinity = preferring(row.exempt);
    PodSpec spec;
    if (!row.pod.empty()) spec.affinity = preferring(row.pod);
    const Admission admission = admit({.spec = spec}, effective, options);
    CHECK(admission.violations == std::vector<Violation>{});
    CHECK(admission.pod.spec.affinity == std::optional(preferring(row.wanted)));
  }
}

}  // namespace default_affinity_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
