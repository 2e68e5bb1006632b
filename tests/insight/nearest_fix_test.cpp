// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/nearest_fix.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/tries.hpp"
#include "../support/universe.hpp"

#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nearest_fix_test {

using namespace schedpol;
using namespace schedpol::scheduling_policy;
using schedpol::testing::every_part;
using schedpol::testing::Generator;
using schedpol::testing::Part;
using schedpol::testing::Universe;

/// Of what is small enough to find out.
Optional<Fix> fix_of(const Pod& pod, const EffectivePolicy& policy, const Options& options = {}) {
  auto found = nearest_fix(pod, policy, options);
  REQUIRE(found);
  return *std::move(found);
}

/// How many items have to be added, removed or replaced.
template <class List>
std::size_t edits(const List& from, const List& to, std::size_t i = 0, std::size_t j = 0) {
  if (i == from.size()) return to.size() - j;
  if (j == to.size()) return from.size() - i;
  if (from[i] == to[j]) return edits(from, to, i + 1, j + 1);
  return 1 + std::min({edits(from, to, i + 1, j + 1), edits(from, to, i + 1, j),
                       edits(from, to, i, j + 1)});
}

std::vector<NodeSelectorTerm> required(const std::optional<NodeAffinity>& kind) {
  if (!kind || !kind->required_during_scheduling_ignored_during_execution) return {};
  return kind->required_during_scheduling_ignored_during_execution->node_selector_terms;
}

std::size_t edits(const PodSpec& from, const PodSpec& to) {
  std::size_t all = 0;
  all += from.scheduler_name != to.scheduler_name;
  all += from.node_name != to.node_name;
  all += from.priority_class_name != to.priority_class_name;
  for (const auto& [key, value] : from.node_selector) {
    const std::string* other = find_label(to.node_selector, key);
    all += other == nullptr || *other != value;
  }
  for (const auto& [key, value] : to.node_selector) all += !from.node_selector.contains(key);
  all += edits(from.tolerations, to.tolerations);
  const Affinity a = from.affinity.value_or(Affinity{});
  const Affinity b = to.affinity.value_or(Affinity{});
  all += edits(required(a.node_affinity), required(b.node_affinity));
  const auto node = [](const Affinity& affinity) {
    return affinity.node_affinity.value_or(NodeAffinity{})
        .preferred_during_scheduling_ignored_during_execution;
  };
  const auto pod = [](const Affinity& affinity) {
    return affinity.pod_anti_affinity.value_or(PodAffinity{});
  };
  all += edits(node(a), node(b));
  all += edits(pod(a).required_during_scheduling_ignored_during_execution,
               pod(b).required_during_scheduling_ignored_during_execution);
  return all + edits(pod(a).preferred_during_scheduling_ignored_during_execution,
                     pod(b).preferred_during_scheduling_ignored_during_execution);
}

EffectivePolicy effective(SchedulingPolicySpec spec) {
  return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = std::move(spec)}});
}

std::vector<std::string> texts(const std::optional<Fix>& fix) {
  std::vector<std::string> all;
  if (!fix) return {"none"};
  for (const Change& change : fix->changes) all.push_back(message(change));
  return all;
}

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
        const auto fix = fix_of(pod, policy, options);
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
    const auto fix = fix_of(pod, policy, options);
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
    CHECK(*fix_of(fix->pod, policy, options) == Fix{fix->pod, {}});
  }
  CHECK(fixed > schedpol::testing::at_least(100));
}

TEST_CASE("of as few edits, those that keep more of what the pod says") {
  SchedulingPolicySpec spec;
  spec.allowed = {any, {}, {{"disk", {"ssd"}}}, {}, {}};
  spec.allowed.tolerations = {{.keys = {"gpu"}, .operators = any, .values = any, .effects = any}};
  PodSpec pod;
  pod.priority_class_name = "gold";
  pod.priority = 1000;
  pod.node_selector = {{"disk", "hdd"}};
  pod.tolerations = {{.key = "gpu", .operator_ = TolerationOperator::exists},
                     {.key = "spot", .operator_ = TolerationOperator::exists}};
  CHECK(texts(fix_of({.spec = pod}, effective(spec))) ==
        std::vector<std::string>{"`spec.priorityClassName` cleared", "`spec.priority` cleared",
                                 "`spec.nodeSelector[disk]` cleared",
                                 "`spec.tolerations[1]` cleared"});

  // What is required takes the place of what is not permitted.
  spec.required.node_selectors = {{"disk", {"ssd"}}};
  spec.required.tolerations = {
      {.keys = {"team"}, .operators = any, .values = {"a"}, .effects = any}};
  CHECK(texts(fix_of({.spec = pod}, effective(spec))) ==
        std::vector<std::string>{
            "`spec.priorityClassName` cleared", "`spec.priority` cleared",
            "`spec.nodeSelector[disk]` changed from `hdd` to `ssd`",
            "`spec.tolerations[1]` changed from `spot Exists` to `team=a:NoSchedule`"});

  // Of a term only the expressions go that are not permitted.
  Pod with_term{.kind = PodKind::deployment};
  NodeSelector& selector = with_term.spec.affinity.emplace()
                               .node_affinity.emplace()
                               .required_during_scheduling_ignored_during_execution.emplace();
  selector.node_selector_terms = {
      {.match_expressions = {{"kubernetes.io/arch", NodeSelectorOperator::in, {"arm64"}},
                             {"rack", NodeSelectorOperator::exists, {}}}}};
  CHECK(
      texts(fix_of(with_term, effective(restricted_multiarch_by_affinity().spec))) ==
      std::vector<std::string>{
          "`spec.template.spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuring"
          "Execution.nodeSelectorTerms[0]` changed from `(kubernetes.io/arch In [arm64] & rack "
          "Exists)` to `(kubernetes.io/arch In [arm64] & kubernetes.io/os In [linux, windows])`"});
}

/// Says one thing about a policy, or about a pod.
using Says = void (*)(SchedulingPolicySpec&);
using Asks = void (*)(PodSpec&);

TEST_CASE("an edit is of the sort that is nearest") {
  static constexpr auto of_key = [](std::string key) {
    return TolerationPattern{{std::move(key)}, any, any, any};
  };
  static constexpr auto exists = [](std::string key) {
    return NodeSelectorRequirement{std::move(key), NodeSelectorOperator::exists, {}};
  };
  static constexpr auto of_expression = [](std::string key) {
    return TermPattern{.match_expressions = {{{std::move(key)}, any, any}}};
  };
  const struct {
    const char* name;
    Says says;
    Asks asks;
    std::vector<std::string> wanted;
  } cases[] = {
      {"a key that is required with any value gets one",
       [](auto& spec) {
         spec.required.node_selectors = {{"disk", any}};
       },
       [](auto&) {},
       {"`spec.nodeSelector[disk]` set to ``"}},
      {"where the default tolerations are denied, any other one is given",
       [](auto& spec) {
         spec.allowed.tolerations = any;
         spec.defaults.tolerations = {
             {.toleration = {.key = "k", .operator_ = OpenEnum<TolerationOperator>("Like")}}};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `other Exists:NoSchedule`"}},
      {"a requirement of an operator is met with that",
       [](auto& spec) {
         spec.required.tolerations = {{{"k"}, {TolerationOperator::lt}, any, any}};
         spec.allowed.tolerations = {of_key("k")};
       },
       [](auto&) {},
       {"`spec.tolerations[0]` set to `k Lt:NoSchedule`"}},
      {"what is added has its own place, what is replaced that of the pod",
       [](auto& spec) {
         spec.allowed.tolerations = {of_key("a"), of_key("b"), of_key("c")};
         spec.required.tolerations = {of_key("a"), of_key("b"), of_key("c")};
       },
       [](auto& pod) { pod.tolerations = {{.key = "spot"}}; },
       {"`spec.tolerations[0]` changed from `spot=` to `c Exists:NoSchedule`",
        "`spec.tolerations[1]` set to `b Exists:NoSchedule`",
        "`spec.tolerations[2]` set to `a Exists:NoSchedule`"}},
      {"the default meets what would take three",
       [](auto& spec) {
         spec.allowed.tolerations = any;
         spec.required.tolerations = {of_key("a"), of_key("b"), of_key("c")};
         spec.defaults.tolerations = {{.toleration = {.key = "a"}},
                                      {.toleration = {.key = "b"}},
                                      {.toleration = {.key = "c"}}};
       },
       [](auto& pod) { pod.tolerations = {{.key = "spot"}}; },
       {"`spec.tolerations[0]` cleared"}},
      {"each term gets what has to hold in every one",
       [](auto& spec) {
         spec.allowed.affinities = any;
         spec.required.affinities.list()
             .node_affinities.list()
             .required_during_scheduling_ignored_during_execution.list()
             .node_selector_terms = {of_expression("arch")};
       },
       [](auto& pod) {
         pod.affinity.emplace()
             .node_affinity.emplace()
             .required_during_scheduling_ignored_during_execution =
             NodeSelector{{{{exists("a")}, {}}, {{exists("b")}, {}}}};
       },
       {"required[0] changed from `(a Exists)` to `(a Exists & arch In [other])`",
        "required[1] changed from `(b Exists)` to `(b Exists & arch In [other])`"}},
      {"of a preferred term, too, only what is not permitted goes",
       [](auto& spec) {
         spec.allowed.affinities.list()
             .node_affinities.list()
             .preferred_during_scheduling_ignored_during_execution.list()
             .node_selector_terms = {of_expression("arch")};
       },
       [](auto& pod) {
         pod.affinity.emplace()
             .node_affinity.emplace()
             .preferred_during_scheduling_ignored_during_execution = {
             {7, {{exists("arch"), exists("rack")}, {}}}};
       },
       {"preferred[0] changed from `(arch Exists & rack Exists)` to `(arch Exists)`"}},
      {"what the default gives stays, though nothing else permits it",
       [](auto& spec) {
         PodAffinity& given = spec.defaults.affinity.emplace().pod_affinity.emplace();
         for (const char* key : {"a", "b"})
           given.required_during_scheduling_ignored_during_execution.push_back(
               {.topology_key = key});
       },
       [](auto& pod) {
         PodAffinity& asked = pod.affinity.emplace().pod_affinity.emplace();
         for (const char* key : {"a", "b", "c"})
           asked.required_during_scheduling_ignored_during_execution.push_back(
               {.topology_key = key});
       },
       {"podAffinity required[2] cleared"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    c.says(spec);
    Pod pod;
    c.asks(pod.spec);
    const auto fix = fix_of(pod, effective(spec));
    std::vector<std::string> said;
    for (std::string& text : texts(fix)) {
      for (const auto& [whole, part] : {std::pair{"`spec.affinity.nodeAffinity.", ""},
                                        {"`spec.affinity.podAffinity.", "podAffinity "},
                                        {"DuringSchedulingIgnoredDuringExecution", ""},
                                        {".nodeSelectorTerms", ""}})
        if (const auto at = text.find(whole); at != std::string::npos)
          text.replace(at, std::string(whole).size(), part);
      if (!text.starts_with("`")) text.erase(text.find('`'), 1);
      said.push_back(std::move(text));
    }
    CHECK(said == c.wanted);
    if (fix) CHECK(admit(fix->pod, effective(spec)).allowed);
  }
}

TEST_CASE("the fix of a default's terms keeps those that are exempt, or makes one of them") {
  const auto terms = [](const std::vector<const char*>& keys) {
    std::optional<Affinity> affinity;
    for (const char* key : keys) {
      if (!affinity) affinity.emplace().pod_anti_affinity.emplace();
      affinity->pod_anti_affinity->required_during_scheduling_ignored_during_execution.push_back(
          {.topology_key = key});
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
      {"an exempt term meets what is required", {"b"}, {"e"}, {"b", "b"}, "e", {"e", "b"}, 1},
      {"before the given", {"b"}, {"e"}, {"x", "b"}, "e", {"e", "b"}, 1},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    spec.defaults.affinity = terms(c.given);
    if (!c.required.empty())
      spec.required.affinities.list()
          .pod_anti_affinities.list()
          .required_during_scheduling_ignored_during_execution.list()
          .topology_keys = {c.required.front()};
    Options options;
    options.exempt.affinity = terms({c.exempt});
    const Pod pod{.spec = {.affinity = terms(c.asked)}};
    REQUIRE_FALSE(admit(pod, effective(spec), options).allowed);
    const auto fix = fix_of(pod, effective(spec), options);
    REQUIRE(fix);
    CHECK(admit(fix->pod, effective(spec), options).allowed);
    CHECK(fix->changes.size() == c.edits);
    CHECK(edits(fix->pod.spec, {.affinity = terms(c.fixed)}) == 0);
  }
}

TEST_CASE("what is required of each of two keys is met with a toleration of each") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.required.tolerations = {{{"a"}, any, any, any}, {{"b"}, any, any, any}};
  const auto fix =
      fix_of({}, merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}}));
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
  CHECK(texts(fix_of({}, effective(spec))) ==
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
  const auto fix = fix_of(pod, effective(spec), every_term);
  REQUIRE(fix);
  CHECK(texts(fix).size() == 1);
  CHECK(required(fix->pod.spec.affinity->node_affinity) ==
        std::vector<NodeSelectorTerm>{exists("zone")});
}

TEST_CASE("what the API server derives from a priority class goes with it") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  Pod pod;
  pod.spec.priority_class_name = "gold";
  pod.spec.priority = 1000;
  pod.spec.preemption_policy = "Never";
  const auto fix = fix_of(pod, effective(spec));
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
  CHECK(texts(fix_of(pod, effective(spec))) ==
        std::vector<std::string>{"`spec.tolerations[0]` cleared", "`spec.tolerations[1]` cleared",
                                 "`spec.tolerations[501]` cleared"});
}

TEST_CASE("what takes too much to find out is an error, and no fix that might not be the nearest") {
  const auto requiring = [](std::size_t count, const Texts& more_keys) {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    for (std::size_t i = 0; i < count; ++i) {
      Texts keys = more_keys;
      keys.push_back("k" + std::to_string(i));
      spec.required.tolerations.list().push_back({std::move(keys), any, any, any});
    }
    return effective(spec);
  };
  // One toleration may meet them all.
  CHECK((*fix_of({}, requiring(max_fixed_requirements, {"all"}))).changes.size() == 1);
  const auto many = nearest_fix({}, requiring(max_fixed_requirements + 1, {"all"}));
  REQUIRE_FALSE(many);
  CHECK(many.errors().front().type == ErrorType::too_many);
  // Lists of which each has to be compared with each.
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.allowed.tolerations = {{{"k"}, any, any, any}};
  const auto with = [&](std::size_t count) {
    Pod pod;
    for (std::size_t i = 0; i < count; ++i)
      pod.spec.tolerations.push_back({.key = i % 2 == 0 ? "k" : "bad", .value = std::to_string(i)});
    return nearest_fix(pod, effective(spec));
  };
  CHECK((**with(1'000)).changes.size() == 500);
  CHECK_FALSE(with(6'000));
}

TEST_CASE("there is no fix where nothing is permitted, or what is required is not") {
  CHECK_FALSE(fix_of({}, {}));
  CHECK_FALSE(fix_of({}, EffectivePolicy::ambiguous("a")));
  CHECK_FALSE(fix_of({}, effective({})));
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  CHECK(fix_of({}, effective(spec)));
  spec.required.tolerations = {{.keys = {}, .operators = any, .values = any, .effects = any}};
  CHECK_FALSE(fix_of({}, effective(spec)));
}

}  // namespace nearest_fix_test
