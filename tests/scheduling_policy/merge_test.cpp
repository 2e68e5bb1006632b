// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/print.hpp"

#include <algorithm>
#include <type_traits>

namespace schedpol::scheduling_policy {
namespace {

static_assert(std::is_enum_v<MergeStrategy> && !std::is_convertible_v<MergeStrategy, int>);

using List = std::vector<std::string>;
using Policies = std::vector<SchedulingPolicy>;
using TolerationPatterns = std::vector<TolerationPattern>;

const Names absent = std::nullopt;

constexpr MergeStrategy strategies[] = {
    MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins, MergeStrategy::simple_merge};

TolerationPattern key_pattern(std::string key) {
  return {.keys = List{std::move(key)},
          .operators = {{TolerationOperator::exists}},
          .effects = {{TaintEffect::no_schedule}}};
}
TermPattern term_pattern(std::string key) {
  return {.match_expressions = {{RequirementPattern{
              .keys = List{std::move(key)}, .operators = {{NodeSelectorOperator::exists}}}}}};
}
NodeSelectorTerm term(std::string key) {
  return {
      .match_expressions = {{.key = std::move(key), .operator_ = NodeSelectorOperator::exists}}};
}
AffinityRules node_rules(std::optional<NodeAffinityRule> required,
                         std::optional<NodeAffinityRule> preferred = std::nullopt) {
  return {.node_affinities = NodeAffinityRules{std::move(required), std::move(preferred)}};
}
AffinityRules pod_rules(std::optional<PodAffinityRule> required,
                        std::optional<PodAffinityRule> preferred = std::nullopt) {
  return {.pod_affinities = PodAffinityRules{std::move(required), std::move(preferred)}};
}

/// Merges specs as policies named a, b, c, ... in that order, given in the reverse one.
EffectivePolicy merged(const std::vector<SchedulingPolicySpec>& specs,
                       MergeStrategy strategy = MergeStrategy::smart_deep_merge) {
  Policies policies;
  for (const SchedulingPolicySpec& spec : specs) {
    const auto letter = static_cast<char>('a' + policies.size());
    policies.push_back({.metadata = {.name = std::string(1, letter)}, .spec = spec});
  }
  std::reverse(policies.begin(), policies.end());
  return merge(policies, strategy);
}

TEST_CASE("a strategy has the name that a configuration gives it") {
  static_assert(to_string(MergeStrategy::smart_deep_merge) == "SmartDeepMerge");
  static_assert(to_string(MergeStrategy::first_seen_wins) == "FirstSeenWins");
  static_assert(to_string(MergeStrategy::simple_merge) == "SimpleMerge");
}

TEST_CASE("policies count in byte order of their names") {
  const auto policy = [](std::string name) {
    return SchedulingPolicy{.metadata = {.name = name},
                            .spec = {.defaults = {.scheduler_name = name}}};
  };
  const Policies policies = {policy("b"), policy("a-2"), policy("a-10"), policy("Z")};
  for (const MergeStrategy strategy : strategies) {
    CAPTURE(to_string(strategy));
    CHECK(merge(policies, strategy).spec().defaults.scheduler_name == "Z");
  }
  CHECK(merge(policies).policies() == List{"Z", "a-10", "a-2", "b"});
  CHECK(merge(policies).sources().lost ==
        PolicyNames{{"default.schedulerName", {"a-10", "a-2", "b"}}});
}

TEST_CASE("no policies merge into one that has none") {
  for (const MergeStrategy strategy : strategies) {
    CAPTURE(to_string(strategy));
    const EffectivePolicy effective = merge(Policies{}, strategy);
    CHECK(effective.spec() == SchedulingPolicySpec{});
    CHECK(effective.policies().empty());
    CHECK_FALSE(effective.is_ambiguous());
  }
}

TEST_CASE("a policy alone merges into its own rules") {
  const SchedulingPolicySpec spec{
      .required = {.scheduler_names = List{"green"},
                   .priority_class_names = List{"gold"},
                   .node_selectors = NodeSelectors{{"disk", List{"ssd"}}, {"zone", absent}},
                   .tolerations = TolerationPatterns{key_pattern("gpu")},
                   .affinities = node_rules(NodeAffinityRule{{term_pattern("disk")}})},
      .allowed = {.scheduler_names = List{},
                  .priority_class_names = List{"silver"},
                  .node_selectors = NodeSelectors{{"os", List{}}, {"rack", absent}},
                  .tolerations = TolerationPatterns{key_pattern("spot")},
                  .affinities = pod_rules(PodAffinityRule{{"zone"}}, PodAffinityRule{})},
      .defaults = {.scheduler_name = "green",
                   .priority_class_name = "gold",
                   .node_selector = Labels{{"disk", "ssd"}},
                   .tolerations = {{{.toleration = {.key = "gpu"}, .values = List{"a"}}}},
                   .affinity = Affinity{.node_affinity = NodeAffinity{
                                            .required_during_scheduling_ignored_during_execution =
                                                NodeSelector{{term("disk")}}}}}};
  for (const MergeStrategy strategy : strategies) {
    CAPTURE(to_string(strategy));
    const EffectivePolicy effective = merged({spec}, strategy);
    CHECK(effective.spec() == spec);
    CHECK(effective.policies() == List{"a"});
    CHECK(effective.sources().lost.empty());
  }
}

TEST_CASE("fields that are empty where that is invalid are taken as absent") {
  const SchedulingPolicySpec empty{
      .required = {.scheduler_names = List{},
                   .priority_class_names = List{},
                   .node_selectors = NodeSelectors{},
                   .tolerations = TolerationPatterns{},
                   .affinities = AffinityRules{}},
      .defaults = {
          .scheduler_name = "",
          .priority_class_name = "",
          .node_selector = Labels{},
          .tolerations = std::vector<DefaultToleration>{},
          .affinity = Affinity{.node_affinity = NodeAffinity{}, .pod_affinity = PodAffinity{}}}};
  const SchedulingPolicySpec full{
      .required = {.scheduler_names = List{"green"},
                   .priority_class_names = List{"gold"},
                   .node_selectors = NodeSelectors{{"disk", List{}}},
                   .tolerations = TolerationPatterns{key_pattern("gpu")},
                   .affinities = pod_rules({})},
      .defaults = {.scheduler_name = "green",
                   .priority_class_name = "gold",
                   .node_selector = Labels{{"disk", "ssd"}},
                   .tolerations = {{{.toleration = {.key = "gpu"}}}},
                   .affinity = Affinity{.pod_affinity = PodAffinity{
                                            .required_during_scheduling_ignored_during_execution = {
                                                {.topology_key = "zone"}}}}}};
  for (const MergeStrategy strategy : strategies) {
    CAPTURE(to_string(strategy));
    CHECK(merged({empty}, strategy).spec() == SchedulingPolicySpec{});
    CHECK(merged({empty}, strategy).sources() == Sources{});
    if (strategy == MergeStrategy::first_seen_wins) continue;
    CHECK(merged({empty, full}, strategy).spec() == full);
    CHECK(merged({full, empty}, strategy).spec() == full);
    CHECK(merged({full, empty}, strategy).sources().lost.empty());
  }
  const SchedulingPolicySpec no_values{
      .defaults = {.tolerations = {{{.toleration = {.key = "gpu"}, .values = List{}}}}}};
  CHECK(merged({no_values}).spec().defaults.tolerations ==
        std::vector<DefaultToleration>{{.toleration = {.key = "gpu"}}});
}

TEST_CASE("smart deep merge: the first of required and default wins for each sub-key") {
  struct Case {
    const char* name;
    Rules first;
    Rules second;
    Rules wanted;
  };
  const Case cases[] = {
      {"a name list is one sub-key",
       {.scheduler_names = List{"green"}, .priority_class_names = List{"gold"}},
       {.scheduler_names = List{"blue"}, .priority_class_names = List{"silver"}},
       {.scheduler_names = List{"green"}, .priority_class_names = List{"gold"}}},
      {"what the first does not say, the second does",
       {.scheduler_names = List{"green"}},
       {.priority_class_names = List{"silver"}},
       {.scheduler_names = List{"green"}, .priority_class_names = List{"silver"}}},
      {"a toleration list is one sub-key",
       {.tolerations = TolerationPatterns{key_pattern("gpu")}},
       {.tolerations = TolerationPatterns{key_pattern("spot")}},
       {.tolerations = TolerationPatterns{key_pattern("gpu")}}},
      {"each key of the node selectors is one",
       {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}, {"zone", absent}}},
       {.node_selectors = NodeSelectors{{"disk", List{}}, {"os", List{}}, {"zone", List{"a"}}}},
       {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}, {"os", List{}}, {"zone", absent}}}},
      {"each kind of affinity is told apart",
       {.affinities = node_rules(NodeAffinityRule{})},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities =
            AffinityRules{.node_affinities = node_rules(NodeAffinityRule{}).node_affinities,
                          .pod_affinities = pod_rules(PodAffinityRule{{"zone"}}).pod_affinities}}},
      {"and each mode",
       {.affinities = node_rules(NodeAffinityRule{{term_pattern("disk")}})},
       {.affinities = node_rules(NodeAffinityRule{{term_pattern("zone")}},
                                 NodeAffinityRule{{term_pattern("os")}})},
       {.affinities = node_rules(NodeAffinityRule{{term_pattern("disk")}},
                                 NodeAffinityRule{{term_pattern("os")}})}},
      {"a mode {} is one as well",
       {.affinities = pod_rules(PodAffinityRule{})},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = pod_rules(PodAffinityRule{})}},
      {"a kind {} has no modes, so later ones join it",
       {.affinities = AffinityRules{.pod_affinities = PodAffinityRules{}}},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})}},
      {"a kind {} adds nothing to modes that are there",
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = AffinityRules{.pod_affinities = PodAffinityRules{}}},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})}},
  };
  for (const auto& [name, first, second, wanted] : cases) {
    CAPTURE(name);
    CHECK(merged({{.required = first}, {.required = second}}).spec() ==
          SchedulingPolicySpec{.required = wanted});
  }

  const auto node = [](std::vector<NodeSelectorTerm> required, std::int32_t weight) {
    NodeAffinity affinity;
    if (!required.empty())
      affinity.required_during_scheduling_ignored_during_execution = NodeSelector{required};
    if (weight > 0)
      affinity.preferred_during_scheduling_ignored_during_execution = {
          {.weight = weight, .preference = term("p")}};
    return affinity;
  };
  const PodAffinity zone{
      .required_during_scheduling_ignored_during_execution = {{.topology_key = "zone"}}};
  const Defaults first{.priority_class_name = "gold",
                       .node_selector = Labels{{"disk", "ssd"}},
                       .tolerations = {{{.toleration = {.key = "gpu"}}}},
                       .affinity = Affinity{.node_affinity = node({term("a")}, 0)}};
  const Defaults second{
      .scheduler_name = "blue",
      .priority_class_name = "silver",
      .node_selector = Labels{{"disk", "hdd"}, {"os", "linux"}},
      .tolerations = {{{.toleration = {.key = "spot"}}}},
      .affinity = Affinity{.node_affinity = node({term("b")}, 7), .pod_anti_affinity = zone}};
  CHECK(
      merged({{.defaults = first}, {.defaults = second}}).spec() ==
      SchedulingPolicySpec{.defaults = {.scheduler_name = "blue",
                                        .priority_class_name = "gold",
                                        .node_selector = Labels{{"disk", "ssd"}, {"os", "linux"}},
                                        .tolerations = {{{.toleration = {.key = "gpu"}}}},
                                        .affinity = Affinity{.node_affinity = node({term("a")}, 7),
                                                             .pod_anti_affinity = zone}}});
}

TEST_CASE("smart deep merge: allowed is additive at every level, and any absorbs") {
  struct Case {
    const char* name;
    Rules first;
    Rules second;
    Rules wanted;
  };
  const Case cases[] = {
      {"names in the order of first sight, each once",
       {.scheduler_names = List{"green", "blue", "green"}},
       {.scheduler_names = List{"red", "blue"}},
       {.scheduler_names = List{"green", "blue", "red"}}},
      {"any name absorbs what came before",
       {.scheduler_names = List{"green"}},
       {.scheduler_names = List{}},
       {.scheduler_names = List{}}},
      {"and what comes after",
       {.priority_class_names = List{}},
       {.priority_class_names = List{"gold"}},
       {.priority_class_names = List{}}},
      {"absent adds nothing",
       {.scheduler_names = List{"green"}},
       {},
       {.scheduler_names = List{"green"}}},
      {"node selectors by key and value",
       {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}, {"os", List{}}, {"zone", absent}}},
       {.node_selectors = NodeSelectors{{"disk", List{"hdd", "ssd"}},
                                        {"os", List{"linux"}},
                                        {"rack", absent},
                                        {"zone", List{"a"}}}},
       {.node_selectors = NodeSelectors{{"disk", List{"ssd", "hdd"}},
                                        {"os", List{}},
                                        {"rack", absent},
                                        {"zone", List{"a"}}}}},
      {"any value absorbs the listed ones",
       {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}}},
       {.node_selectors = NodeSelectors{{"disk", List{}}}},
       {.node_selectors = NodeSelectors{{"disk", List{}}}}},
      {"any node selector absorbs every key",
       {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}}},
       {.node_selectors = NodeSelectors{}},
       {.node_selectors = NodeSelectors{}}},
      {"also a later one",
       {.node_selectors = NodeSelectors{}},
       {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}}},
       {.node_selectors = NodeSelectors{}}},
      {"a null entry does not become any",
       {.node_selectors = NodeSelectors{{"disk", absent}}},
       {.node_selectors = NodeSelectors{{"disk", absent}}},
       {.node_selectors = NodeSelectors{{"disk", absent}}}},
      {"toleration patterns, equal ones once",
       {.tolerations = TolerationPatterns{key_pattern("gpu"), key_pattern("spot")}},
       {.tolerations = TolerationPatterns{key_pattern("spot"), key_pattern("infra")}},
       {.tolerations =
            TolerationPatterns{key_pattern("gpu"), key_pattern("spot"), key_pattern("infra")}}},
      {"any toleration absorbs",
       {.tolerations = TolerationPatterns{key_pattern("gpu")}},
       {.tolerations = TolerationPatterns{}},
       {.tolerations = TolerationPatterns{}}},
      {"kinds of affinity",
       {.affinities = node_rules(NodeAffinityRule{})},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities =
            AffinityRules{.node_affinities = node_rules(NodeAffinityRule{}).node_affinities,
                          .pod_affinities = pod_rules(PodAffinityRule{{"zone"}}).pod_affinities}}},
      {"any affinity absorbs the kinds",
       {.affinities = node_rules(NodeAffinityRule{})},
       {.affinities = AffinityRules{}},
       {.affinities = AffinityRules{}}},
      {"a kind that is any absorbs its modes",
       {.affinities = AffinityRules{.pod_affinities = PodAffinityRules{}}},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = AffinityRules{.pod_affinities = PodAffinityRules{}}}},
      {"also when it comes later",
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = AffinityRules{.pod_affinities = PodAffinityRules{}}},
       {.affinities = AffinityRules{.pod_affinities = PodAffinityRules{}}}},
      {"modes, terms and topology keys",
       {.affinities =
            AffinityRules{
                .node_affinities = NodeAffinityRules{NodeAffinityRule{{term_pattern("disk")}}, {}},
                .pod_affinities = PodAffinityRules{PodAffinityRule{{"zone"}}, {}}}},
       {.affinities =
            AffinityRules{
                .node_affinities =
                    NodeAffinityRules{NodeAffinityRule{{term_pattern("os"), term_pattern("disk")}},
                                      NodeAffinityRule{{term_pattern("disk")}}},
                .pod_affinities = PodAffinityRules{PodAffinityRule{{"host", "zone"}}, {}}}},
       {.affinities =
            AffinityRules{
                .node_affinities =
                    NodeAffinityRules{NodeAffinityRule{{term_pattern("disk"), term_pattern("os")}},
                                      NodeAffinityRule{{term_pattern("disk")}}},
                .pod_affinities = PodAffinityRules{PodAffinityRule{{"zone", "host"}}, {}}}}},
      {"a mode that is any absorbs",
       {.affinities = node_rules(NodeAffinityRule{{term_pattern("disk")}})},
       {.affinities = node_rules(NodeAffinityRule{}, NodeAffinityRule{})},
       {.affinities = node_rules(NodeAffinityRule{}, NodeAffinityRule{})}},
      {"also when it comes first",
       {.affinities = pod_rules({}, PodAffinityRule{})},
       {.affinities = pod_rules({}, PodAffinityRule{{"zone"}})},
       {.affinities = pod_rules({}, PodAffinityRule{})}},
      {"terms are told apart by all they say",
       {.affinities = node_rules(NodeAffinityRule{{TermPattern{}}})},
       {.affinities =
            node_rules(NodeAffinityRule{{{.match_fields = std::vector<RequirementPattern>{}}}})},
       {.affinities = node_rules(NodeAffinityRule{
            {TermPattern{}, {.match_fields = std::vector<RequirementPattern>{}}}})}},
  };
  for (const auto& [name, first, second, wanted] : cases) {
    CAPTURE(name);
    CHECK(merged({{.allowed = first}, {.allowed = second}}).spec() ==
          SchedulingPolicySpec{.allowed = wanted});
  }
}

TEST_CASE("simple merge takes each second-level entry whole, first seen wins") {
  const SchedulingPolicySpec first{
      .required = {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}},
                   .affinities = node_rules(NodeAffinityRule{})},
      .allowed = {.scheduler_names = List{"green"}, .tolerations = TolerationPatterns{}},
      .defaults = {.node_selector = Labels{{"disk", "ssd"}}}};
  const SchedulingPolicySpec second{
      .required = {.scheduler_names = List{"blue"},
                   .node_selectors = NodeSelectors{{"os", List{"linux"}}},
                   .affinities = pod_rules(PodAffinityRule{})},
      .allowed = {.scheduler_names = List{},
                  .priority_class_names = List{"gold"},
                  .tolerations = TolerationPatterns{key_pattern("gpu")},
                  .affinities = AffinityRules{}},
      .defaults = {.priority_class_name = "gold", .node_selector = Labels{{"os", "linux"}}}};
  const EffectivePolicy effective = merged({first, second}, MergeStrategy::simple_merge);
  CHECK(effective.spec() ==
        SchedulingPolicySpec{
            .required = {.scheduler_names = List{"blue"},
                         .node_selectors = NodeSelectors{{"disk", List{"ssd"}}},
                         .affinities = node_rules(NodeAffinityRule{})},
            .allowed = {.scheduler_names = List{"green"},
                        .priority_class_names = List{"gold"},
                        .tolerations = TolerationPatterns{},
                        .affinities = AffinityRules{}},
            .defaults = {.priority_class_name = "gold", .node_selector = Labels{{"disk", "ssd"}}}});
  CHECK(effective.policies() == List{"a", "b"});
  CHECK(effective.sources_of("required.schedulerNames") == List{"b"});
  CHECK(effective.sources_of("default.priorityClassName") == List{"b"});
  CHECK(effective.sources().lost == PolicyNames{{"allowed.schedulerNames", {"b"}},
                                                {"allowed.tolerations", {"b"}},
                                                {"default.nodeSelector", {"b"}},
                                                {"required.affinities", {"b"}},
                                                {"required.nodeSelectors", {"b"}}});
}

TEST_CASE("first seen wins: the first policy alone, even where it says nothing") {
  const SchedulingPolicySpec first{.allowed = {.scheduler_names = List{"green"}}};
  const SchedulingPolicySpec second{.required = {.priority_class_names = List{"gold"}},
                                    .allowed = {.scheduler_names = List{}},
                                    .defaults = {.scheduler_name = "blue"}};
  const EffectivePolicy effective = merged({first, second}, MergeStrategy::first_seen_wins);
  CHECK(effective.spec() == first);
  CHECK(effective.policies() == List{"a"});
  CHECK(effective.sources_of("allowed.schedulerNames") == List{"a"});
  CHECK(effective.sources().lost == PolicyNames{{"allowed.schedulerNames", {"b"}},
                                                {"default.schedulerName", {"b"}},
                                                {"required.priorityClassNames", {"b"}}});
  CHECK(merged({{}, second}, MergeStrategy::first_seen_wins).spec() == SchedulingPolicySpec{});
}

TEST_CASE("two equal policies of one name count once, two different ones are ambiguous") {
  const SchedulingPolicy green{.metadata = {.name = "p"},
                               .spec = {.allowed = {.scheduler_names = List{"green"}}}};
  SchedulingPolicy blue = green;
  blue.spec.allowed.scheduler_names = List{"blue"};
  SchedulingPolicy labelled = green;
  labelled.metadata.labels["team"] = "blue";
  const SchedulingPolicy before{.metadata = {.name = "a"}, .spec = blue.spec};
  const SchedulingPolicy after{.metadata = {.name = "z"}, .spec = blue.spec};
  for (const MergeStrategy strategy : strategies) {
    CAPTURE(to_string(strategy));
    const EffectivePolicy once = merge(Policies{green, green, labelled}, strategy);
    CHECK(once.spec() == green.spec);
    CHECK(once.policies() == List{"p"});
    CHECK_FALSE(once.is_ambiguous());
    for (const Policies& policies :
         {Policies{before, green, blue, after}, Policies{blue, after, green, before},
          Policies{green, blue, green, after}}) {
      const EffectivePolicy ambiguous = merge(policies, strategy);
      CHECK(ambiguous.is_ambiguous());
      CHECK(ambiguous.policies() == List{"p"});
      CHECK(ambiguous.spec() == SchedulingPolicySpec{});
    }
  }
}

TEST_CASE("smart deep merge writes down who says each entry, and who lost") {
  const SchedulingPolicySpec a{
      .required = {.scheduler_names = List{"green"},
                   .node_selectors = NodeSelectors{{"disk", List{"ssd"}}},
                   .affinities = node_rules(NodeAffinityRule{{term_pattern("disk")}})},
      .allowed = {.priority_class_names = List{"gold", "silver"},
                  .node_selectors = NodeSelectors{{"os", List{"linux"}}, {"zone", List{"a"}}},
                  .tolerations = TolerationPatterns{key_pattern("gpu")},
                  .affinities = pod_rules(PodAffinityRule{{"zone"}})},
      .defaults = {.scheduler_name = "green", .node_selector = Labels{{"disk", "ssd"}}}};
  const SchedulingPolicySpec b{
      .required = {.scheduler_names = List{"green"},
                   .node_selectors = NodeSelectors{{"disk", List{"hdd"}}, {"os", List{}}},
                   .affinities = node_rules(NodeAffinityRule{{term_pattern("zone")}})},
      .allowed = {.priority_class_names = List{"silver", "bronze"},
                  .node_selectors =
                      NodeSelectors{{"os", List{"linux", "windows"}}, {"zone", List{}}},
                  .tolerations = TolerationPatterns{key_pattern("gpu"), key_pattern("spot")},
                  .affinities = AffinityRules{.pod_affinities = PodAffinityRules{}}},
      .defaults = {.scheduler_name = "blue", .node_selector = Labels{{"disk", "ssd"}}}};
  const SchedulingPolicySpec c{.allowed = {.node_selectors = NodeSelectors{{"zone", List{"b"}}}}};
  const EffectivePolicy effective = merged({a, b, c});
  const std::string mode = ".requiredDuringSchedulingIgnoredDuringExecution";
  CHECK(effective.policies() == List{"a", "b", "c"});
  CHECK(effective.sources().lost ==
        PolicyNames{{"default.schedulerName", {"b"}},
                    {"required.affinities.nodeAffinities" + mode, {"b"}},
                    {"required.nodeSelectors[disk]", {"b"}}});
  struct Case {
    std::string entry;
    List wanted;
  };
  const Case cases[] = {
      {"required.schedulerNames", {"a", "b"}},
      {"required.nodeSelectors[disk]", {"a"}},
      {"required.nodeSelectors[os]", {"b"}},
      {"required.affinities.nodeAffinities" + mode, {"a"}},
      {"allowed.priorityClassNames[0]", {"a"}},
      {"allowed.priorityClassNames[1]", {"a", "b"}},
      {"allowed.priorityClassNames[2]", {"b"}},
      {"allowed.nodeSelectors[os][0]", {"a", "b"}},
      {"allowed.nodeSelectors[os][1]", {"b"}},
      {"allowed.tolerations[0]", {"a", "b"}},
      {"allowed.tolerations[1]", {"b"}},
      {"default.schedulerName", {"a"}},
      {"default.nodeSelector[disk]", {"a", "b"}},
      {"allowed.nodeSelectors[zone]", {"b"}},
      {"allowed.affinities.podAffinities", {"b"}},
  };
  for (const auto& [entry, wanted] : cases) {
    CAPTURE(entry);
    CHECK(effective.sources_of(entry) == wanted);
    CHECK(effective.sources().entries.contains(entry));
  }
  // Any replaces what was listed below it.
  CHECK_FALSE(effective.sources().entries.contains("allowed.nodeSelectors[zone][0]"));
  CHECK_FALSE(effective.sources().entries.contains("allowed.affinities.podAffinities" + mode +
                                                   ".topologyKeys[0]"));
}

TEST_CASE("a merged permission is that of either policy, a merged requirement that of both") {
  const EffectivePolicy effective =
      merged({{.required = {.node_selectors = NodeSelectors{{"disk", List{"ssd"}}}},
               .allowed = {.scheduler_names = List{"green"}}},
              {.required = {.node_selectors = NodeSelectors{{"os", List{"linux"}}}},
               .allowed = {.scheduler_names = List{"blue"}}}});
  for (const char* scheduler : {"green", "blue"}) {
    CAPTURE(scheduler);
    Pod pod{.spec = {.scheduler_name = scheduler, .node_selector = {{"disk", "ssd"}}}};
    CHECK(check(pod, effective).size() == 1);
    pod.spec.node_selector["os"] = "linux";
    CHECK(check(pod, effective).empty());
  }
}

TEST_CASE("patterns that differ in an empty list and a listed empty text both stay") {
  const auto pattern = [](Names values) {
    return TolerationPattern{.keys = {{"k"}},
                             .operators = {{TolerationOperator::equal}},
                             .values = std::move(values),
                             .effects = {{TaintEffect::no_schedule}}};
  };
  const TolerationPattern without_value = pattern(List{""});
  const TolerationPattern any_value = pattern(List{});
  CHECK(to_string(without_value) != to_string(any_value));
  const auto effective = merged({{.allowed = {.tolerations = {{without_value, any_value}}}}});
  CHECK(effective.spec().allowed.tolerations == TolerationPatterns{without_value, any_value});
}

TEST_CASE("a kind without modes is an entry for as long as no mode joins it") {
  const SchedulingPolicySpec kind = {.required = {.affinities = pod_rules(std::nullopt)}};
  const SchedulingPolicySpec mode = {
      .required = {.affinities = pod_rules(PodAffinityRule{{"zone"}})}};
  const std::string entry = "required.affinities.podAffinities";
  const std::string mode_entry = entry + ".requiredDuringSchedulingIgnoredDuringExecution";
  CHECK(merged({kind, kind}).sources().entries == PolicyNames{{entry, {"a", "b"}}});
  CHECK(merged({kind, mode}).sources().entries == PolicyNames{{mode_entry, {"b"}}});
  CHECK(merged({mode, kind}).sources().entries == PolicyNames{{mode_entry, {"a"}}});
}

}  // namespace
}  // namespace schedpol::scheduling_policy
