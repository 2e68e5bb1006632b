// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/nearest_fix.hpp>

#include "fixes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nearest_fix_test {

using namespace fixes;

using schedpol::testing::every_part;
using schedpol::testing::Generator;
using schedpol::testing::Part;
using schedpol::testing::Universe;

TEST_CASE("no allowed pod is nearer than the nearest fix") {
  for (const Part part : every_part) {
    const std::vector<PodSpec> pods = Universe::pods(part);
    Universe generate(static_cast<std::uint32_t>(part) + 10, part);
    int fixed = 0;
    // Of many pods some where not everything is tried.
    const int rounds = schedpol::testing::times(12);
    const std::size_t step = rounds > 12 ? 1 : 1 + pods.size() / 700;
    for (int i = 0; i < rounds; ++i) {
      const EffectivePolicy policy = merge(generate.policies());
      const Options options = generate.options();
      std::vector<const PodSpec*> allowed;
      for (std::size_t at = 0; at < pods.size(); at += step)
        if (admit({.spec = pods[at]}, policy, options).allowed) allowed.push_back(&pods[at]);
      for (int tried = 0; tried < 12; ++tried) {
        const Pod pod{.spec = generate.pick(pods)};
        if (admit(pod, policy, options).allowed) continue;
        CAPTURE(static_cast<int>(part));
        CAPTURE(pod);
        const auto fix = find_fix(pod, policy, options);
        CAPTURE(texts(fix));
        if (!fix) {
          REQUIRE(allowed.empty());
          continue;
        }
        ++fixed;
        REQUIRE(admit(fix->pod, policy, options).allowed);
        REQUIRE(fix->changes.size() == edits(pod.spec, fix->pod.spec));
        std::size_t fewest = fix->changes.size();
        for (const PodSpec* other : allowed) fewest = std::min(fewest, edits(pod.spec, *other));
        REQUIRE(fix->changes.size() == fewest);
      }
    }
    CHECK(fixed > 10);
  }
}

TEST_CASE("every fix of any pod is allowed, and an allowed pod needs none") {
  Generator generate(5);
  int fixed = 0;
  for (int i = 0; i < schedpol::testing::times(schedpol::testing::tries(300)); ++i) {
    const EffectivePolicy policy = merge(generate.policies());
    const Options options = generate.options();
    const Pod pod = generate.pod();
    CAPTURE(pod);
    const auto fix = find_fix(pod, policy, options);
    if (admit(pod, policy, options).allowed) {
      REQUIRE(fix);
      CHECK(*fix == Fix{pod, {}});
      continue;
    }
    if (!fix) continue;
    ++fixed;
    CAPTURE(texts(fix));
    REQUIRE(admit(fix->pod, policy, options).allowed);
    REQUIRE_FALSE(fix->changes.empty());
    CHECK(*find_fix(fix->pod, policy, options) == Fix{fix->pod, {}});
  }
  CHECK(fixed > schedpol::testing::at_least(100));
}

TEST_CASE("the fix of a default's terms keeps those that are exempt, or makes one of them") {
  bool preferred = false;
  const auto terms = [&](const std::vector<const char*>& keys) {
    std::optional<Affinity> affinity;
    for (const char* key : keys) {
      if (!affinity) affinity.emplace().pod_anti_affinity.emplace();
      PodAffinity& kind = *affinity->pod_anti_affinity;
      const PodAffinityTerm term{.topology_key = key};
      if (preferred) {
        kind.preferred_during_scheduling_ignored_during_execution.push_back({1, term});
      } else {
        kind.required_during_scheduling_ignored_during_execution.push_back(term);
      }
    }
    return affinity;
  };
  const struct {
    const char* name;
    std::vector<const char*> given, required, asked;
    const char* exempt;
    std::vector<const char*> fixed;
    std::size_t edits;
  } cases[] = {
      {"exempt between the given", {"a", "b"}, {}, {"a", "e", "x"}, "e", {"a", "e", "b"}, 1},
      {"one that was given twice", {"a"}, {}, {"a", "a", "e"}, "e", {"a", "e"}, 1},
      {"exempt terms alone are no default", {"a", "b"}, {}, {"b", "e", "a"}, "e", {"e"}, 2},
      {"an exempt term meets what is required", {"b"}, {"e"}, {"b", "b"}, "e", {"b", "e"}, 1},
      {"before the given", {"b"}, {"e"}, {"x", "b"}, "e", {"e", "b"}, 1},
      {"behind the given", {"b"}, {"e"}, {"b", "x"}, "e", {"b", "e"}, 1},
  };
  for (const bool mode : {false, true}) {
    preferred = mode;
    for (const auto& c : cases) {
      CAPTURE(c.name);
      CAPTURE(preferred);
      SchedulingPolicySpec spec;
      spec.allowed.scheduler_names = any;
      spec.defaults.affinity = terms(c.given);
      if (!c.required.empty()) {
        auto& modes = spec.required.affinities.list().pod_anti_affinities.list();
        (preferred ? modes.preferred_during_scheduling_ignored_during_execution
                   : modes.required_during_scheduling_ignored_during_execution)
            .list()
            .topology_keys = {c.required.front()};
      }
      Options options;
      options.exempt.affinity = terms({c.exempt});
      const Pod pod{.spec = {.affinity = terms(c.asked)}};
      REQUIRE_FALSE(admit(pod, effective(spec), options).allowed);
      const auto fix = find_fix(pod, effective(spec), options);
      REQUIRE(fix);
      CHECK(admit(fix->pod, effective(spec), options).allowed);
      CHECK(fix->changes.size() == c.edits);
      CHECK(edits(fix->pod.spec, {.affinity = terms(c.fixed)}) == 0);
    }
  }
}

TEST_CASE("the fix of a default's node terms keeps what is exempt in them and beside them") {
  const auto terms = [](const std::vector<const char*>& names) {
    std::vector<NodeSelectorTerm> made;
    for (const std::string name : names) {
      NodeSelectorTerm& term = made.emplace_back();
      for (const char key : name)
        term.match_expressions.push_back({std::string(1, key), NodeSelectorOperator::exists, {}});
    }
    return made;
  };
  const auto affinity = [&](const std::vector<const char*>& names) {
    Affinity made;
    made.node_affinity.emplace().required_during_scheduling_ignored_during_execution =
        NodeSelector{terms(names)};
    return made;
  };
  const struct {
    const char* name;
    std::vector<const char*> given, asked, fixed;
    std::size_t edits;
  } cases[] = {
      {"a part beside the given", {"a"}, {"a", "e", "ex"}, {"a", "e", "e"}, 1},
      {"one beside a given that is a part of another",
       {"ab", "a"},
       {"ab", "e", "x"},
       {"ab", "e", "a"},
       1},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    spec.defaults.affinity = affinity(c.given);
    Options options;
    options.exempt.affinity = affinity({"e"});
    const auto fix = find_fix({.spec = {.affinity = affinity(c.asked)}}, effective(spec), options);
    REQUIRE(fix);
    CHECK(fix->changes.size() == c.edits);
    CHECK(to_string(*fix->pod.spec.affinity->node_affinity) ==
          to_string(*affinity(c.fixed).node_affinity));
  }
}

TEST_CASE(
    "a pair that is required has to be written where the default contradicts what is exempt") {
  SchedulingPolicySpec spec;
  spec.required.node_selectors.list() = {{"b", any}};
  spec.allowed.scheduler_names = any;
  spec.defaults.node_selector = Labels{{"b", "b"}};
  Options options;
  options.exempt.affinity =
      Affinity{.node_affinity = NodeAffinity{
                   .required_during_scheduling_ignored_during_execution = NodeSelector{
                       {{.match_expressions = {{"b", NodeSelectorOperator::not_in, {"b"}}}}}}}};
  const EffectivePolicy policy = effective(spec);
  const Pod plain;
  REQUIRE(admit(plain, policy).allowed);
  Pod beside{.spec = {.affinity = options.exempt.affinity}};
  REQUIRE(!admit(beside, policy, options).allowed);
  const auto fix = find_fix(beside, policy, options);
  REQUIRE(fix);
  CHECK(admit(fix->pod, policy, options).allowed);
  CHECK(fix->changes.size() == 1);
}

TEST_CASE("what is required of each of two keys is met with a toleration of each") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.required.tolerations = {{{"a"}, any, any, any}, {{"b"}, any, any, any}};
  const auto fix =
      find_fix({}, merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}}));
  REQUIRE(fix);
  std::set<std::string> keys;
  for (const Toleration& toleration : fix->pod.spec.tolerations) keys.insert(toleration.key);
  CHECK(keys == std::set<std::string>{"a", "b"});
  CHECK(fix->changes.size() == 2);
}

TEST_CASE("one toleration meets two requirements by whichever key and value they share") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.required.tolerations = {{{"a", "k"}, {TolerationOperator::equal}, {"a", "v"}, any},
                               {{"b", "k"}, {TolerationOperator::equal}, {"b", "v"}, any}};
  CHECK(texts(find_fix({}, effective(spec))) ==
        std::vector<std::string>{"`spec.tolerations[0]` set to `k=v:NoSchedule`"});
}

TEST_CASE("a term of which nothing is permitted goes, where nothing is required of each") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.allowed.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{.match_expressions = {{{"zone"}, any, any}}}};
  Pod pod;
  const auto exists = [](const char* key) {
    return NodeSelectorTerm{.match_expressions = {{key, NodeSelectorOperator::exists, {}}}};
  };
  pod.spec.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution =
      NodeSelector{{exists("disk"), exists("zone")}};
  const Options every_term{.required_affinity = RequiredAffinity::every_term};
  const auto fix = find_fix(pod, effective(spec), every_term);
  REQUIRE(fix);
  CHECK(texts(fix).size() == 1);
  CHECK(required(fix->pod.spec.affinity->node_affinity) ==
        std::vector<NodeSelectorTerm>{exists("zone")});
}

TEST_CASE("a preferred term that is added weighs 1, one that is changed what it weighed") {
  const auto weights = [](const SchedulingPolicySpec& spec, const Affinity& asked) {
    const auto fix = find_fix({.spec = {.affinity = asked}}, effective(spec));
    std::vector<std::int32_t> all;
    if (!fix || !fix->pod.spec.affinity) return all;
    const auto& [node, pod, anti] = *fix->pod.spec.affinity;
    if (node)
      for (const auto& term : node->preferred_during_scheduling_ignored_during_execution)
        all.push_back(term.weight);
    if (pod)
      for (const auto& term : pod->preferred_during_scheduling_ignored_during_execution)
        all.push_back(term.weight);
    return all;
  };
  const NodeSelectorRequirement rack{"rack", NodeSelectorOperator::exists, {}};
  const Affinity nodes{.node_affinity = NodeAffinity{{}, {{7, {{rack}, {}}}}}};
  const Affinity pods{.pod_affinity = PodAffinity{{}, {{7, {.topology_key = "rack"}}}}};
  for (const bool is_permitted : {true, false}) {
    CAPTURE(is_permitted);
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    if (is_permitted) spec.allowed.affinities = any;
    auto& required = spec.required.affinities.list();
    required.node_affinities.list()
        .preferred_during_scheduling_ignored_during_execution.list()
        .node_selector_terms = {{.match_expressions = {{Texts{"arch"}, any, any}}}};
    CHECK(weights(spec, {}) == std::vector<std::int32_t>{1});
    CHECK(weights(spec, nodes) == (is_permitted ? std::vector{7, 1} : std::vector{7}));
    required = {};
    required.pod_affinities.list()
        .preferred_during_scheduling_ignored_during_execution.list()
        .topology_keys = {"zone"};
    CHECK(weights(spec, {}) == std::vector<std::int32_t>{1});
    CHECK(weights(spec, pods) == (is_permitted ? std::vector{7, 1} : std::vector{7}));
  }
}

TEST_CASE("of an affinity nothing stays of which nothing is left, and all that is not edited") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  Pod pod;
  pod.spec.affinity.emplace()
      .pod_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = terms_called({'a'});
  auto fix = find_fix(pod, effective(spec));
  REQUIRE(fix);
  CHECK(fix->pod == Pod{});
  pod.spec.affinity->node_affinity.emplace();
  fix = find_fix(pod, effective(spec));
  REQUIRE(fix);
  pod.spec.affinity->pod_affinity.reset();
  CHECK(fix->pod == pod);
}

TEST_CASE("what the API server derives from a priority class goes with it") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  Pod pod;
  pod.spec.priority_class_name = "gold";
  pod.spec.priority = 1000;
  pod.spec.preemption_policy = "Never";
  const auto fix = find_fix(pod, effective(spec));
  REQUIRE(fix);
  CHECK(fix->pod == Pod{});
  CHECK(fix->changes.size() == 3);
}

TEST_CASE("of a long list no more is edited than of a short one") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.allowed.tolerations = {{{"k"}, any, any, any}};
  Pod pod;
  pod.spec.tolerations.resize(502, {.key = "k"});
  for (const std::size_t i : {0, 1, 501}) pod.spec.tolerations[i].key = "bad";
  CHECK(texts(find_fix(pod, effective(spec))) ==
        std::vector<std::string>{"`spec.tolerations[0]` cleared", "`spec.tolerations[1]` cleared",
                                 "`spec.tolerations[501]` cleared"});
}

TEST_CASE("there is no fix where nothing is permitted, or what is required is not") {
  CHECK_FALSE(find_fix({}, {}));
  CHECK_FALSE(find_fix({}, EffectivePolicy::ambiguous("a")));
  CHECK_FALSE(
      find_fix({.spec = {.scheduler_name = "own"}}, {}, {.exempt = {.scheduler_name = "own"}}));
  CHECK_FALSE(find_fix({}, effective({})));
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  CHECK(find_fix({}, effective(spec)));
  spec.required.tolerations = {{.keys = {}, .operators = any, .values = any, .effects = any}};
  CHECK_FALSE(find_fix({}, effective(spec)));
  // A pattern of terms that says nothing is met by none.
  SchedulingPolicySpec of_terms;
  of_terms.allowed = schedpol::scheduling_policy::detail::everything();
  Pod pod;
  const Pod taken = std::move(pod);
  CHECK(find_fix(taken, effective(of_terms)));
  CHECK_FALSE(find_fix(pod, effective(of_terms)));  // NOLINT(bugprone-use-after-move)
  of_terms.required.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{}};
  CHECK_FALSE(find_fix({}, effective(of_terms)));
}

}  // namespace nearest_fix_test
