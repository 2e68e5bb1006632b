// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/merge.hpp>

#include "merged_policies.hpp"

#include <utility>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace merge_sources_test {

using namespace merged_policies;

TEST_CASE("smart deep merge writes down who says each entry, and who lost") {
  const SchedulingPolicySpec a{
      .required = {.scheduler_names = {"green"},
                   .node_selectors = NodeSelectors{{"disk", {"ssd"}}},
                   .affinities = node_rules(NodeAffinityRule{{term_pattern("disk")}})},
      .allowed = {.priority_class_names = {"gold", "silver"},
                  .node_selectors = NodeSelectors{{"os", {"linux"}}, {"zone", {"a"}}},
                  .tolerations = TolerationPatterns{key_pattern("gpu")},
                  .affinities = pod_rules(PodAffinityRule{{"zone"}})},
      .defaults = {.scheduler_name = "green", .node_selector = Labels{{"disk", "ssd"}}}};
  const SchedulingPolicySpec b{
      .required = {.scheduler_names = {"green"},
                   .node_selectors = NodeSelectors{{"disk", {"hdd"}}, {"os", any}},
                   .affinities = node_rules(NodeAffinityRule{{term_pattern("zone")}})},
      .allowed = {.priority_class_names = {"silver", "bronze"},
                  .node_selectors = NodeSelectors{{"os", {"linux", "windows"}}, {"zone", any}},
                  .tolerations = TolerationPatterns{key_pattern("gpu"), key_pattern("spot")},
                  .affinities = AffinityRules{.pod_affinities = any}},
      .defaults = {.scheduler_name = "blue", .node_selector = Labels{{"disk", "ssd"}}}};
  const SchedulingPolicySpec c{.allowed = {.node_selectors = NodeSelectors{{"zone", {"b"}}}}};
  const EffectivePolicy effective = merged({a, b, c});
  CHECK(effective.policies() == List{"a", "b", "c"});
  CHECK(effective.sources().lost ==
        PolicyNames{{"default.schedulerName"_path, {"b"}},
                    {"required.affinities.nodeAffinities"_path.child(required_mode), {"b"}},
                    {"required.nodeSelectors[disk]"_path, {"b"}}});
  struct Case {
    FieldPath entry;
    List wanted;
  };
  const Case cases[] = {
      {"required.schedulerNames"_path, {"a", "b"}},
      {"required.nodeSelectors[disk]"_path, {"a"}},
      {"required.nodeSelectors[os]"_path, {"b"}},
      {"required.affinities.nodeAffinities"_path.child(required_mode), {"a"}},
      {"allowed.priorityClassNames[0]"_path, {"a"}},
      {"allowed.priorityClassNames[1]"_path, {"a", "b"}},
      {"allowed.priorityClassNames[2]"_path, {"b"}},
      {"allowed.nodeSelectors[os][0]"_path, {"a", "b"}},
      {"allowed.nodeSelectors[os][1]"_path, {"b"}},
      {"allowed.tolerations[0]"_path, {"a", "b"}},
      {"allowed.tolerations[1]"_path, {"b"}},
      {"default.schedulerName"_path, {"a"}},
      {"default.nodeSelector[disk]"_path, {"a", "b"}},
      {"allowed.nodeSelectors[zone]"_path, {"b"}},
      {"allowed.affinities.podAffinities"_path, {"b"}},
  };
  for (const auto& [entry, wanted] : cases) {
    CAPTURE(to_string(entry));
    CHECK(effective.sources_of(entry) == wanted);
    CHECK(effective.sources().entries.contains(entry));
  }
  // Any replaces what was listed below it.
  CHECK_FALSE(effective.sources().entries.contains("allowed.nodeSelectors[zone][0]"_path));
  CHECK_FALSE(effective.sources().entries.contains(
      "allowed.affinities.podAffinities"_path.child(required_mode).child("topologyKeys").index(0)));
}

TEST_CASE("an entry listed twice by one policy has that policy once behind it") {
  CHECK(merged({{.allowed = {.scheduler_names = {"s", "s"}}}}).sources().entries ==
        PolicyNames{{"allowed.schedulerNames[0]"_path, {"a"}}});
}

TEST_CASE("any has behind it those who say it, and not those who list below it") {
  const auto allowed_mode = [](AnyOr<NodeAffinityRule> mode) {
    return SchedulingPolicySpec{.allowed = {.affinities = node_rules(std::move(mode))}};
  };
  const FieldPath mode = "allowed.affinities.nodeAffinities"_path.child(required_mode);
  CHECK(merged({allowed_mode(any)}).sources().entries == PolicyNames{{mode, {"a"}}});
  CHECK(merged({allowed_mode(NodeAffinityRule{{term_pattern("disk")}}), allowed_mode(any),
                allowed_mode(any)})
            .sources()
            .entries == PolicyNames{{mode, {"b", "c"}}});

  const auto allowed_key = [](AnyOr<Texts> values) {
    return SchedulingPolicySpec{
        .allowed = {.node_selectors = NodeSelectors{{"k", std::move(values)}}}};
  };
  CHECK(merged({allowed_key({"v", "w"}), allowed_key(any)}).sources().entries ==
        PolicyNames{{"allowed.nodeSelectors[k]"_path, {"b"}}});
}

TEST_CASE("a mode of a default affinity has a source, and those who lose to it") {
  const auto given = [](const char* key) {
    NodeAffinity node;
    node.required_during_scheduling_ignored_during_execution = NodeSelector{{term(key)}};
    return SchedulingPolicySpec{.defaults = {.affinity = Affinity{.node_affinity = node}}};
  };
  const EffectivePolicy effective = merged({given("k"), given("l"), given("k")});
  const FieldPath mode = "default.affinity.nodeAffinity"_path.child(required_mode);
  CHECK(effective.spec() == given("k"));
  CHECK(effective.sources() == Sources{.entries = {{mode, {"a", "c"}}}, .lost = {{mode, {"b"}}}});
}

TEST_CASE("a mode of a default without terms hides no other policy's") {
  NodeAffinity preferred;
  preferred.required_during_scheduling_ignored_during_execution = NodeSelector{};
  preferred.preferred_during_scheduling_ignored_during_execution = {{1, term("k")}};
  NodeAffinity required;
  required.required_during_scheduling_ignored_during_execution = NodeSelector{{term("l")}};
  NodeAffinity both = preferred;
  both.required_during_scheduling_ignored_during_execution = NodeSelector{{term("l")}};
  CHECK(merged({{.defaults = {.affinity = Affinity{.node_affinity = preferred}}},
                {.defaults = {.affinity = Affinity{.node_affinity = required}}}})
            .spec()
            .defaults.affinity == Affinity{.node_affinity = both});
}

TEST_CASE("first seen wins: every other policy that says something lost it") {
  const EffectivePolicy effective = merged(
      {{}, {.defaults = {.scheduler_name = "green"}}, {.defaults = {.scheduler_name = "blue"}}},
      MergeStrategy::first_seen_wins);
  CHECK(effective.policies() == List{"a"});
  CHECK(effective.sources() == Sources{.lost = {{"default.schedulerName"_path, {"b", "c"}}}});
}

}  // namespace merge_sources_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
