// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/merge.hpp>

#include "merged_policies.hpp"

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace merge_test {

using namespace merged_policies;

static_assert(std::is_enum_v<MergeStrategy> && !std::is_convertible_v<MergeStrategy, int>);

const AnyOr<Texts> absent;

constexpr MergeStrategy strategies[] = {
    MergeStrategy::smart_deep_merge, MergeStrategy::first_seen_wins, MergeStrategy::simple_merge};

TEST_CASE("a strategy has the name that a configuration gives it") {
  CHECK(to_string(MergeStrategy::smart_deep_merge) == "SmartDeepMerge");
  CHECK(to_string(MergeStrategy::first_seen_wins) == "FirstSeenWins");
  CHECK(to_string(MergeStrategy::simple_merge) == "SimpleMerge");
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
        PolicyNames{{"default.schedulerName"_path, {"a-10", "a-2", "b"}}});
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
      .required = {.scheduler_names = {"green"},
                   .priority_class_names = {"gold"},
                   .node_selectors = NodeSelectors{{"disk", {"ssd"}}, {"zone", absent}},
                   .tolerations = TolerationPatterns{key_pattern("gpu")},
                   .affinities = node_rules(NodeAffinityRule{{term_pattern("disk")}})},
      .allowed = {.scheduler_names = any,
                  .priority_class_names = {"silver"},
                  .node_selectors = NodeSelectors{{"os", any}, {"rack", absent}},
                  .tolerations = TolerationPatterns{key_pattern("spot")},
                  .affinities = pod_rules(PodAffinityRule{{"zone"}}, any)},
      .defaults = {.scheduler_name = "green",
                   .priority_class_name = "gold",
                   .node_selector = Labels{{"disk", "ssd"}},
                   .tolerations = {{{.toleration = {.key = "gpu"}, .values = {"a"}}}},
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
      .required = {.scheduler_names = any,
                   .priority_class_names = any,
                   .node_selectors = any,
                   .tolerations = any,
                   .affinities = any},
      .defaults = {
          .scheduler_name = "",
          .priority_class_name = "",
          .node_selector = Labels{},
          .tolerations = std::vector<DefaultToleration>{},
          .affinity = Affinity{.node_affinity = NodeAffinity{}, .pod_affinity = PodAffinity{}}}};
  const SchedulingPolicySpec full{
      .required = {.scheduler_names = {"green"},
                   .priority_class_names = {"gold"},
                   .node_selectors = NodeSelectors{{"disk", any}},
                   .tolerations = TolerationPatterns{key_pattern("gpu")},
                   .affinities = AffinityRules{.pod_affinities = any}},
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
      .defaults = {.tolerations = {{{.toleration = {.key = "gpu"}, .values = any}}}}};
  CHECK(merged({no_values}).spec().defaults.tolerations ==
        std::vector<DefaultToleration>{{.toleration = {.key = "gpu"}}});
}

TEST_CASE("smart deep merge: the first of required and default wins for each sub-key") {
  struct Case {
    const char* name;
    PolicySection first;
    PolicySection second;
    PolicySection wanted;
  };
  const Case cases[] = {
      {"a name list is one sub-key",
       {.scheduler_names = {"green"}, .priority_class_names = {"gold"}},
       {.scheduler_names = {"blue"}, .priority_class_names = {"silver"}},
       {.scheduler_names = {"green"}, .priority_class_names = {"gold"}}},
      {"what the first does not say, the second does",
       {.scheduler_names = {"green"}},
       {.priority_class_names = {"silver"}},
       {.scheduler_names = {"green"}, .priority_class_names = {"silver"}}},
      {"a toleration list is one sub-key",
       {.tolerations = TolerationPatterns{key_pattern("gpu")}},
       {.tolerations = TolerationPatterns{key_pattern("spot")}},
       {.tolerations = TolerationPatterns{key_pattern("gpu")}}},
      {"each key of the node selectors is one",
       {.node_selectors = NodeSelectors{{"disk", {"ssd"}}, {"zone", absent}}},
       {.node_selectors = NodeSelectors{{"disk", any}, {"os", any}, {"zone", {"a"}}}},
       {.node_selectors = NodeSelectors{{"disk", {"ssd"}}, {"os", any}, {"zone", absent}}}},
      {"each kind of affinity is told apart",
       {.affinities = node_rules(any)},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities =
            AffinityRules{.node_affinities = node_rules(any).node_affinities,
                          .pod_affinities = pod_rules(PodAffinityRule{{"zone"}}).pod_affinities}}},
      {"and each mode",
       {.affinities = node_rules(NodeAffinityRule{{term_pattern("disk")}})},
       {.affinities = node_rules(NodeAffinityRule{{term_pattern("zone")}},
                                 NodeAffinityRule{{term_pattern("os")}})},
       {.affinities = node_rules(NodeAffinityRule{{term_pattern("disk")}},
                                 NodeAffinityRule{{term_pattern("os")}})}},
      {"a mode {} is one as well",
       {.affinities = pod_rules(any)},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = pod_rules(any)}},
      {"a kind {} has no modes, so later ones join it",
       {.affinities = AffinityRules{.pod_affinities = any}},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})}},
      {"a kind {} adds nothing to modes that are there",
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = AffinityRules{.pod_affinities = any}},
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
    PolicySection first;
    PolicySection second;
    PolicySection wanted;
  };
  const Case cases[] = {
      {"names in the order of first sight, each once",
       {.scheduler_names = {"green", "blue", "green"}},
       {.scheduler_names = {"red", "blue"}},
       {.scheduler_names = {"green", "blue", "red"}}},
      {"any name absorbs what came before",
       {.scheduler_names = {"green"}},
       {.scheduler_names = any},
       {.scheduler_names = any}},
      {"and what comes after",
       {.priority_class_names = any},
       {.priority_class_names = {"gold"}},
       {.priority_class_names = any}},
      {"absent adds nothing", {.scheduler_names = {"green"}}, {}, {.scheduler_names = {"green"}}},
      {"node selectors by key and value",
       {.node_selectors = NodeSelectors{{"disk", {"ssd"}}, {"os", any}, {"zone", absent}}},
       {.node_selectors =
            NodeSelectors{
                {"disk", {"hdd", "ssd"}}, {"os", {"linux"}}, {"rack", absent}, {"zone", {"a"}}}},
       {.node_selectors =
            NodeSelectors{
                {"disk", {"ssd", "hdd"}}, {"os", any}, {"rack", absent}, {"zone", {"a"}}}}},
      {"any value absorbs the listed ones",
       {.node_selectors = NodeSelectors{{"disk", {"ssd"}}}},
       {.node_selectors = NodeSelectors{{"disk", any}}},
       {.node_selectors = NodeSelectors{{"disk", any}}}},
      {"any node selector absorbs every key",
       {.node_selectors = NodeSelectors{{"disk", {"ssd"}}}},
       {.node_selectors = any},
       {.node_selectors = any}},
      {"also a later one",
       {.node_selectors = any},
       {.node_selectors = NodeSelectors{{"disk", {"ssd"}}}},
       {.node_selectors = any}},
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
       {.tolerations = any},
       {.tolerations = any}},
      {"kinds of affinity",
       {.affinities = node_rules(any)},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities =
            AffinityRules{.node_affinities = node_rules(any).node_affinities,
                          .pod_affinities = pod_rules(PodAffinityRule{{"zone"}}).pod_affinities}}},
      {"any affinity absorbs the kinds",
       {.affinities = node_rules(any)},
       {.affinities = any},
       {.affinities = any}},
      {"a kind that is any absorbs its modes",
       {.affinities = AffinityRules{.pod_affinities = any}},
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = AffinityRules{.pod_affinities = any}}},
      {"also when it comes later",
       {.affinities = pod_rules(PodAffinityRule{{"zone"}})},
       {.affinities = AffinityRules{.pod_affinities = any}},
       {.affinities = AffinityRules{.pod_affinities = any}}},
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
       {.affinities = node_rules(any, any)},
       {.affinities = node_rules(any, any)}},
      {"also when it comes first",
       {.affinities = pod_rules({}, any)},
       {.affinities = pod_rules({}, PodAffinityRule{{"zone"}})},
       {.affinities = pod_rules({}, any)}},
      {"terms are told apart by all they say",
       {.affinities = node_rules(NodeAffinityRule{{TermPattern{}}})},
       {.affinities = node_rules(NodeAffinityRule{{{.match_fields = any}}})},
       {.affinities = node_rules(NodeAffinityRule{{TermPattern{}, {.match_fields = any}}})}},
  };
  for (const auto& [name, first, second, wanted] : cases) {
    CAPTURE(name);
    CHECK(merged({{.allowed = first}, {.allowed = second}}).spec() ==
          SchedulingPolicySpec{.allowed = wanted});
  }
}

TEST_CASE("simple merge takes each second-level entry whole, first seen wins") {
  const SchedulingPolicySpec first{.required = {.node_selectors = NodeSelectors{{"disk", {"ssd"}}},
                                                .affinities = node_rules(any)},
                                   .allowed = {.scheduler_names = {"green"}, .tolerations = any},
                                   .defaults = {.node_selector = Labels{{"disk", "ssd"}}}};
  const SchedulingPolicySpec second{
      .required = {.scheduler_names = {"blue"},
                   .node_selectors = NodeSelectors{{"os", {"linux"}}},
                   .affinities = pod_rules(any)},
      .allowed = {.scheduler_names = any,
                  .priority_class_names = {"gold"},
                  .tolerations = TolerationPatterns{key_pattern("gpu")},
                  .affinities = any},
      .defaults = {.priority_class_name = "gold", .node_selector = Labels{{"os", "linux"}}}};
  const EffectivePolicy effective = merged({first, second}, MergeStrategy::simple_merge);
  CHECK(effective.spec() ==
        SchedulingPolicySpec{
            .required = {.scheduler_names = {"blue"},
                         .node_selectors = NodeSelectors{{"disk", {"ssd"}}},
                         .affinities = node_rules(any)},
            .allowed = {.scheduler_names = {"green"},
                        .priority_class_names = {"gold"},
                        .tolerations = any,
                        .affinities = any},
            .defaults = {.priority_class_name = "gold", .node_selector = Labels{{"disk", "ssd"}}}});
  CHECK(effective.policies() == List{"a", "b"});
  CHECK(effective.sources_of("required.schedulerNames"_path) == List{"b"});
  CHECK(effective.sources_of("default.priorityClassName"_path) == List{"b"});
  CHECK(effective.sources().lost == PolicyNames{{"allowed.schedulerNames"_path, {"b"}},
                                                {"allowed.tolerations"_path, {"b"}},
                                                {"default.nodeSelector"_path, {"b"}},
                                                {"required.affinities"_path, {"b"}},
                                                {"required.nodeSelectors"_path, {"b"}}});
}

TEST_CASE("first seen wins: the first policy alone, even where it says nothing") {
  const SchedulingPolicySpec first{.allowed = {.scheduler_names = {"green"}}};
  const SchedulingPolicySpec second{.required = {.priority_class_names = {"gold"}},
                                    .allowed = {.scheduler_names = any},
                                    .defaults = {.scheduler_name = "blue"}};
  const EffectivePolicy effective = merged({first, second}, MergeStrategy::first_seen_wins);
  CHECK(effective.spec() == first);
  CHECK(effective.policies() == List{"a"});
  CHECK(effective.sources_of("allowed.schedulerNames"_path) == List{"a"});
  CHECK(effective.sources().lost == PolicyNames{{"allowed.schedulerNames"_path, {"b"}},
                                                {"default.schedulerName"_path, {"b"}},
                                                {"required.priorityClassNames"_path, {"b"}}});
  CHECK(merged({{}, second}, MergeStrategy::first_seen_wins).spec() == SchedulingPolicySpec{});
}

TEST_CASE("two equal policies of one name count once, two different ones are ambiguous") {
  const SchedulingPolicy green{.metadata = {.name = "p"},
                               .spec = {.allowed = {.scheduler_names = {"green"}}}};
  SchedulingPolicy blue = green;
  blue.spec.allowed.scheduler_names = {"blue"};
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

TEST_CASE("a merged permission is that of either policy, a merged requirement that of both") {
  const EffectivePolicy effective =
      merged({{.required = {.node_selectors = NodeSelectors{{"disk", {"ssd"}}}},
               .allowed = {.scheduler_names = {"green"}}},
              {.required = {.node_selectors = NodeSelectors{{"os", {"linux"}}}},
               .allowed = {.scheduler_names = {"blue"}}}});
  for (const char* scheduler : {"green", "blue"}) {
    CAPTURE(scheduler);
    Pod pod{.spec = {.scheduler_name = scheduler, .node_selector = {{"disk", "ssd"}}}};
    CHECK(check(pod, effective).size() == 1);
    pod.spec.node_selector["os"] = "linux";
    CHECK(check(pod, effective).empty());
  }
}

TEST_CASE("patterns that differ in an empty list and a listed empty text both stay") {
  const auto pattern = [](AnyOr<Texts> values) {
    return TolerationPattern{.keys = {"k"},
                             .operators = {TolerationOperator::equal},
                             .values = std::move(values),
                             .effects = {TaintEffect::no_schedule}};
  };
  const TolerationPattern without_value = pattern({""});
  const TolerationPattern any_value = pattern(any);
  CHECK(to_string(without_value) != to_string(any_value));
  const auto effective = merged({{.allowed = {.tolerations = {{without_value, any_value}}}}});
  CHECK(effective.spec().allowed.tolerations == TolerationPatterns{without_value, any_value});
}

TEST_CASE("a kind without modes is an entry for as long as no mode joins it") {
  const SchedulingPolicySpec kind = {
      .required = {.affinities = AffinityRules{.pod_affinities = any}}};
  const SchedulingPolicySpec mode = {
      .required = {.affinities = pod_rules(PodAffinityRule{{"zone"}})}};
  const FieldPath entry = "required.affinities.podAffinities"_path;
  const FieldPath mode_entry = entry.child(required_mode);
  CHECK(merged({kind, kind}).sources().entries == PolicyNames{{entry, {"a", "b"}}});
  CHECK(merged({kind, mode}).sources().entries == PolicyNames{{mode_entry, {"b"}}});
  CHECK(merged({mode, kind}).sources().entries == PolicyNames{{mode_entry, {"a"}}});
}

TEST_CASE("lists of keys that read alike when they are printed are merged apart") {
  // Printed, both entries of the first list are `allowed.nodeSelectors[a]\nx]\ny`.
  const SchedulingPolicySpec spec{
      .allowed = {.scheduler_names = any,
                  .node_selectors = NodeSelectors{{"a", {"x]\ny"}}, {"a]\nx", {"y"}}}}};
  for (const MergeStrategy strategy : strategies) {
    CAPTURE(to_string(strategy));
    const EffectivePolicy effective = merged({spec, spec}, strategy);
    CHECK(effective.spec().allowed.node_selectors == spec.allowed.node_selectors);
    const auto denied = [&](const char* key, const char* value) {
      return check(Pod{.spec = {.node_selector = {{key, value}}}}, effective).size() == 1;
    };
    CHECK(denied("a]\nx", "z"));
    CHECK(denied("a", "y"));
    CHECK_FALSE(denied("a]\nx", "y"));
    CHECK_FALSE(denied("a", "x]\ny"));
  }
}

TEST_CASE("what lists nothing permits nothing, hides nothing and never becomes any") {
  const AnyOr<Texts> no_texts = Texts();
  const AnyOr<NodeSelectors> no_selectors = NodeSelectors();
  const AnyOr<std::vector<TolerationPattern>> no_tolerations = TolerationPatterns();
  const PolicySection no_kinds{.affinities = AffinityRules{}};
  const PolicySection no_modes{.affinities = AffinityRules{.node_affinities = NodeAffinityRules{},
                                                           .pod_affinities = PodAffinityRules{}}};
  const PolicySection no_terms{
      .affinities = AffinityRules{.node_affinities = NodeAffinityRules{NodeAffinityRule{}, {}},
                                  .pod_anti_affinities = PodAffinityRules{{}, PodAffinityRule{}}}};
  const PolicySection cases[] = {{.scheduler_names = no_texts},
                                 {.priority_class_names = no_texts},
                                 {.node_selectors = no_selectors},
                                 {.tolerations = no_tolerations},
                                 no_kinds,
                                 no_modes,
                                 no_terms};
  const SchedulingPolicySpec blue{.required = {.scheduler_names = {"blue"}},
                                  .allowed = {.priority_class_names = {"gold"}}};
  for (const PolicySection& rules : cases) {
    // Names of which none is listed are required all the same, and had by no pod.
    PolicySection required = rules;
    required.scheduler_names = required.priority_class_names = {};
    const SchedulingPolicySpec nothing{.required = required, .allowed = rules};
    for (const MergeStrategy strategy : strategies) {
      CAPTURE(&rules - cases);
      CAPTURE(to_string(strategy));
      CHECK(merged({nothing}, strategy).spec() == SchedulingPolicySpec{});
      CHECK(merged({nothing}, strategy).sources() == Sources{});
      if (strategy == MergeStrategy::first_seen_wins) continue;
      CHECK(merged({nothing, blue}, strategy).spec() == blue);
      CHECK(merged({{.required = required}, blue}, strategy).spec().required.scheduler_names ==
            blue.required.scheduler_names);
    }
  }
  for (const MergeStrategy strategy : strategies) {
    CAPTURE(to_string(strategy));
    CHECK(merged({{.required = {.scheduler_names = no_texts}}, blue}, strategy).spec().required ==
          PolicySection{.scheduler_names = no_texts});
  }
  const SchedulingPolicySpec no_values{.allowed = {.node_selectors = {{"disk", no_texts}}}};
  CHECK(merged({no_values}).spec().allowed.node_selectors ==
        NodeSelectors{{"disk", AnyOr<Texts>()}});
}

TEST_CASE("values that are any are dropped from each default toleration, not from the first") {
  const std::vector<DefaultToleration> given = {{.toleration = {.key = "a"}},
                                                {.toleration = {.key = "b"}, .values = any}};
  CHECK(merged({{.defaults = {.tolerations = given}}}).spec().defaults.tolerations ==
        std::vector<DefaultToleration>{{.toleration = {.key = "a"}}, {.toleration = {.key = "b"}}});
}

TEST_CASE("every value list of a required key that lists nothing is taken as absent") {
  const NodeSelectors given{{"a", {"x"}}, {"b", Texts()}, {"c", Texts()}};
  CHECK(merged({{.required = {.node_selectors = given}}}).spec().required.node_selectors ==
        NodeSelectors{{"a", {"x"}}, {"b", absent}, {"c", absent}});
}

TEST_CASE("a default that only prefers nodes stays as it is") {
  NodeAffinity preferred;
  preferred.preferred_during_scheduling_ignored_during_execution = {{1, term("k")}};
  CHECK(merged({{.defaults = {.affinity = Affinity{.node_affinity = preferred}}}})
            .spec()
            .defaults.affinity == Affinity{.node_affinity = preferred});
}

}  // namespace merge_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
