// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze_scheduling_policies.hpp>

#include "../support/generate.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"

#include <schedpol/insight/compare.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/builtin.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace analyze_scheduling_policies_test {

using namespace schedpol;
using namespace schedpol::scheduling_policy;
using schedpol::testing::Generator;

using Policies = std::vector<SchedulingPolicy>;

/// Policies a, b, ... that allow the schedulers and say this besides.
Policies saying(std::vector<SchedulingPolicySpec> specs) {
  Policies policies;
  for (SchedulingPolicySpec& spec : specs) {
    if (spec.allowed.scheduler_names.is_absent())
      spec.allowed.scheduler_names = {"default-scheduler"};
    policies.push_back(
        {.metadata = {.name = std::string(1, static_cast<char>('a' + policies.size()))},
         .spec = std::move(spec)});
  }
  return policies;
}

/// The findings of one sort, without those on the set as a whole unless they are asked for.
std::vector<std::string> found(FindingCode code, const Policies& policies,
                               const Options& options = {},
                               MergeStrategy strategy = MergeStrategy::smart_deep_merge) {
  std::vector<std::string> texts;
  for (const Finding& finding : analyze(policies, strategy, options))
    if (finding.code == code) texts.push_back(message(finding));
  return texts;
}

using Lines = std::vector<std::string>;

TolerationPattern of_key(std::string key) {
  return {.keys = {key}, .operators = any, .values = any, .effects = any};
}

SchedulingPolicySpec requiring(const TermPattern& term) {
  SchedulingPolicySpec spec;
  spec.required.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {term};
  return spec;
}

TEST_CASE("a default that its own set denies, and one that it permits") {
  SchedulingPolicySpec spec;
  spec.required.scheduler_names = {"blue"};
  spec.defaults.scheduler_name = "green";
  CHECK(found(FindingCode::default_denied, saying({spec})) ==
        Lines{"`a`: `default.schedulerName`: a pod that takes the default is denied: "
              "`spec.schedulerName`: scheduler `green` is not among those required by any policy "
              "(permitted: `blue`)"});
  spec.required.scheduler_names = {"blue", "green"};
  CHECK(found(FindingCode::default_denied, saying({spec})) == Lines{});

  SchedulingPolicySpec keys;
  keys.required.node_selectors = {{"disk", {"ssd"}}};
  keys.defaults.node_selector = Labels{{"disk", "hdd"}, {"zone", "1"}};
  CHECK(found(FindingCode::default_denied, saying({keys})).size() == 1);
  keys.defaults.node_selector = Labels{{"arch", "arm64"}, {"disk", "hdd"}};
  CHECK(found(FindingCode::default_denied, saying({keys})).size() == 1);
  keys.defaults.node_selector = Labels{{"disk", "ssd"}};
  CHECK(found(FindingCode::default_denied, saying({keys})) == Lines{});

  SchedulingPolicySpec classes;
  classes.required.priority_class_names = {"gold"};
  classes.defaults.priority_class_name = "silver";
  CHECK(found(FindingCode::default_denied, saying({classes})).size() == 1);
  classes.defaults.priority_class_name = "gold";
  CHECK(found(FindingCode::default_denied, saying({classes})) == Lines{});

  SchedulingPolicySpec tolerations;
  tolerations.required.tolerations = {of_key("gpu")};
  tolerations.defaults.tolerations = {{.toleration = {.key = "spot"}}};
  CHECK(found(FindingCode::default_denied, saying({tolerations})).size() == 1);
  tolerations.defaults.tolerations = {{.toleration = {.key = "gpu"}}};
  CHECK(found(FindingCode::default_denied, saying({tolerations})) == Lines{});

  SchedulingPolicySpec affinity =
      requiring({.match_expressions = {{.keys = {"arch"}, .operators = any, .values = any}}});
  NodeSelectorTerm term{.match_expressions = {{"os", NodeSelectorOperator::in, {"linux"}}}};
  const auto give = [&] {
    affinity.defaults.affinity.emplace()
        .node_affinity.emplace()
        .required_during_scheduling_ignored_during_execution = NodeSelector{{term}};
  };
  give();
  CHECK(found(FindingCode::default_denied, saying({affinity})).size() == 1);
  term.match_expressions.push_back({"arch", NodeSelectorOperator::in, {"arm64"}});
  give();
  CHECK(found(FindingCode::default_denied, saying({affinity})) == Lines{});
  // What is required of a kind is not asked of a default that is of another one.
  affinity.defaults.affinity =
      Affinity{.pod_affinity =
                   PodAffinity{.preferred_during_scheduling_ignored_during_execution = {
                                   {.weight = 1, .pod_affinity_term = {.topology_key = "zone"}}}}};
  affinity.allowed.affinities.list().pod_affinities = any;
  CHECK(found(FindingCode::default_denied, saying({affinity})) == Lines{});
}

TEST_CASE("required node terms of a default that no node can meet together are not given") {
  const auto of = [](const char* key, const char* value) {
    return NodeSelectorRequirement{key, NodeSelectorOperator::in, {value}};
  };
  SchedulingPolicySpec spec =
      requiring({.match_expressions = {{.keys = {"arch"}, .operators = any, .values = any},
                                       {.keys = {"zone"}, .operators = any, .values = any}}});
  const auto give = [&](std::vector<NodeSelectorTerm> terms) {
    spec.defaults.affinity.emplace()
        .node_affinity.emplace()
        .required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
  };
  const Options present{.required_affinity = RequiredAffinity::present};
  give({{{of("arch", "amd64"), of("zone", "a")}, {}}, {{of("arch", "arm64")}, {}}});
  CHECK(found(FindingCode::default_not_given, saying({spec})) ==
        Lines{"`a`: `default.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`:"
              " pods are not given the default `required (arch In [amd64] & zone In [a]) | (arch In"
              " [arm64])`, because not each of its terms holds what is required, and no node can "
              "meet them together"});
  // That the pod is denied follows from it.
  CHECK(found(FindingCode::default_denied, saying({spec})) == Lines{});
  const Finding finding = analyze(saying({spec})).front();
  CHECK(finding.severity == Severity::error);
  REQUIRE(finding.witness);
  CHECK_FALSE(admit(*finding.witness, merge(saying({spec}))).allowed);
  CHECK(found(FindingCode::default_not_given, saying({spec}), present) == Lines{});

  // Each holds what is required, or a node can meet both.
  give(
      {{{of("arch", "amd64"), of("zone", "a")}, {}}, {{of("arch", "arm64"), of("zone", "b")}, {}}});
  CHECK(found(FindingCode::default_not_given, saying({spec})) == Lines{});
  give({{{of("arch", "amd64")}, {}}, {{of("zone", "a")}, {}}});
  CHECK(found(FindingCode::default_not_given, saying({spec})) == Lines{});
  CHECK(found(FindingCode::default_denied, saying({spec})) == Lines{});

  // The preferences of it are given, and are no finding.
  spec.defaults.affinity->node_affinity->required_during_scheduling_ignored_during_execution = {};
  spec.defaults.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution = {
      {1, {{of("zone", "a")}, {}}}};
  CHECK(found(FindingCode::default_not_given, saying({spec})) == Lines{});
}

TEST_CASE("a requirement that nothing meets, and one that something does") {
  SchedulingPolicySpec spec;
  spec.required.tolerations = {of_key("gpu"), {.keys = {}, .operators = any, .values = any}};
  CHECK(found(FindingCode::requirement_unmet, saying({spec})) ==
        Lines{"`a`: `required.tolerations[1]`: nothing can meet the requirement "
              "`{operators: [], values: []}`"});
  spec.required.tolerations = {of_key("gpu")};
  CHECK(found(FindingCode::requirement_unmet, saying({spec})) == Lines{});

  SchedulingPolicySpec keys;
  keys.required.node_selectors = {{"disk", {}}, {"zone", any}};
  CHECK(found(FindingCode::requirement_unmet, saying({keys})) ==
        Lines{"`a`: `required.nodeSelectors[disk]`: nothing can meet the requirement `none`"});
  keys.required.node_selectors = {{"disk", AnyOr<Texts>(Texts())}};
  CHECK(found(FindingCode::requirement_unmet, saying({keys})) ==
        Lines{"`a`: `required.nodeSelectors[disk]`: nothing can meet the requirement `none`"});
  keys.required.node_selectors = {{"disk", {}}, {"zone", {}}};
  CHECK(found(FindingCode::requirement_unmet, saying({keys})).size() == 2);

  CHECK(found(FindingCode::requirement_unmet, saying({requiring({})})).size() == 1);
  CHECK(found(FindingCode::requirement_unmet, saying({requiring({.match_fields = any})})) ==
        Lines{});
}

TEST_CASE("a requirement that an earlier policy hides, and one that it implies") {
  SchedulingPolicySpec a;
  a.required.tolerations = {of_key("gpu")};
  SchedulingPolicySpec b;
  b.required.tolerations = {of_key("spot")};
  CHECK(found(FindingCode::requirement_lost, saying({a, b})) ==
        Lines{"`b`: `required.tolerations`: the requirement `[{keys: [spot], operators: [], "
              "values: [], effects: []}]` is hidden by an earlier policy, and pods that do not "
              "meet it are allowed"});
  const auto findings = analyze(saying({a, b}));
  CHECK(std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
          return finding.code == FindingCode::requirement_lost &&
                 finding.severity == Severity::warning;
        }) == 1);
  // Where nobody is allowed, no pod shows it.
  SchedulingPolicySpec nothing = a;
  nothing.required.node_selectors = {{"disk", {}}};
  CHECK(found(FindingCode::requirement_lost, saying({nothing, b})) == Lines{});
  b.required.tolerations = {
      {.keys = {"gpu", "spot"}, .operators = any, .values = any, .effects = any}};
  CHECK(found(FindingCode::requirement_lost, saying({a, b})) == Lines{});
  CHECK(found(FindingCode::requirement_lost, saying({b, a})).size() == 1);

  SchedulingPolicySpec c;
  c.defaults.scheduler_name = "default-scheduler";
  SchedulingPolicySpec d;
  d.defaults.scheduler_name = "green";
  CHECK(found(FindingCode::entry_lost, saying({c, d})) ==
        Lines{"`b`: `default.schedulerName`: the entry `green` is hidden by an earlier policy"});
  CHECK(found(FindingCode::entry_lost, saying({c, c})) == Lines{});
}

TEST_CASE("a hidden requirement is not lost where what is given meets it") {
  using Code = FindingCode;
  SchedulingPolicySpec a;
  a.required.priority_class_names = {"gold"};
  a.defaults.priority_class_name = "gold";
  SchedulingPolicySpec b;
  b.required.priority_class_names = {"gold", "silver"};
  CHECK(found(Code::requirement_lost, saying({a, b})) == Lines{});
  // A class that the API server gives is none, but where the default is that class.
  const Options gold{.global_default_priority_class = "gold"};
  CHECK(found(Code::requirement_lost, saying({a, b}), gold) == Lines{});
  b.required.priority_class_names = {"silver"};
  CHECK(found(Code::requirement_lost, saying({a, b})).size() == 1);

  SchedulingPolicySpec c;
  c.required.tolerations = {of_key("gpu")};
  c.defaults.tolerations = {{.toleration = {.key = "gpu"}}, {.toleration = {.key = "spot"}}};
  SchedulingPolicySpec d;
  d.required.tolerations = {
      {.keys = {"gpu", "arm"}, .operators = any, .values = any, .effects = any}};
  CHECK(found(Code::requirement_lost, saying({c, d})) == Lines{});
  // Another pod lacks what a pod without tolerations is given.
  d.required.tolerations = {of_key("spot")};
  const auto findings = analyze(saying({c, d}));
  const auto lost = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.code == Code::requirement_lost;
  });
  REQUIRE(lost != findings.end());
  CHECK(lost->witness->spec.tolerations.size() == 1);

  SchedulingPolicySpec e;
  e.defaults.node_selector = Labels{{"disk", "ssd"}};
  SchedulingPolicySpec f;
  f.required.node_selectors = {{"disk", any}};
  constexpr auto simple = MergeStrategy::simple_merge;
  SchedulingPolicySpec zone;
  zone.required.node_selectors = {{"zone", {"1"}}};
  CHECK(found(Code::requirement_lost, saying({e, zone, f}), {}, simple) == Lines{});
  f.required.node_selectors = {{"disk", {"hdd"}}};
  CHECK(found(Code::requirement_lost, saying({e, zone, f}), {}, simple).size() == 1);
}

TEST_CASE("a hidden requirement is lost where terms are given as they are") {
  const auto of = [](const char* key) {
    return NodeSelectorTerm{{{key, NodeSelectorOperator::exists, {}}}, {}};
  };
  SchedulingPolicySpec a =
      requiring({.match_expressions = {{.keys = any, .operators = any, .values = any}}});
  a.defaults.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = NodeSelector{{of("arch"), of("os")}};
  const SchedulingPolicySpec b =
      requiring({.match_expressions = {{.keys = {"arch"}, .operators = any, .values = any}}});
  // Together the terms would hold it, but for `a` each is enough.
  CHECK(found(FindingCode::requirement_lost, saying({a, b})).size() == 1);
}

TEST_CASE("whatever sort of requirement is hidden, a pod shows that nobody asks for it") {
  const auto node = [](const char* key) {
    return NodeAffinityRule{
        {{.match_expressions = {{.keys = {key}, .operators = any, .values = any}}}}};
  };
  const auto affinities = [](AnyOr<NodeAffinityRule> required, AnyOr<PodAffinityRule> preferred) {
    AffinityRules rules;
    if (!required.is_absent())
      rules.node_affinities.list().required_during_scheduling_ignored_during_execution =
          std::move(required);
    if (!preferred.is_absent())
      rules.pod_anti_affinities.list().preferred_during_scheduling_ignored_during_execution =
          std::move(preferred);
    return PolicySection{.affinities = std::move(rules)};
  };
  constexpr auto smart = MergeStrategy::smart_deep_merge;
  constexpr auto simple = MergeStrategy::simple_merge;
  constexpr auto first = MergeStrategy::first_seen_wins;
  const struct {
    const char* name;
    MergeStrategy strategy;
    PolicySection hiding;
    PolicySection hidden;
    Lines wanted;  ///< fields, and what is required there
  } cases[] = {
      {"scheduler names",
       smart,
       {.scheduler_names = {"blue"}},
       {.scheduler_names = {"green"}},
       {"required.schedulerNames [green]"}},
      {"priority class names",
       smart,
       {.priority_class_names = {"gold"}},
       {.priority_class_names = {"silver"}},
       {"required.priorityClassNames [silver]"}},
      {"keys of the node selector, each for itself",
       smart,
       {.node_selectors = {{"disk", {"ssd"}}, {"os", {"linux"}}, {"zone", {"1"}}}},
       {.node_selectors = {{"disk", {"hdd"}}, {"os", any}, {"rack", any}, {"zone", {"2"}}}},
       {"required.nodeSelectors[disk] [hdd]", "required.nodeSelectors[zone] [2]"}},
      {"the node selector as a whole",
       simple,
       {.node_selectors = {{"disk", {"ssd"}}}},
       {.node_selectors = {{"disk", any}, {"zone", {"2"}}}},
       {"required.nodeSelectors {disk: [], zone: [2]}"}},
      {"keys that no policy but the second asks for",
       first,
       {.scheduler_names = {"blue"}},
       {.node_selectors = {{"zone", {"2"}}}},
       {"required.nodeSelectors {zone: [2]}"}},
      {"tolerations",
       first,
       {.tolerations = {of_key("gpu")}},
       {.tolerations = {of_key("spot")}},
       {"required.tolerations [{keys: [spot], operators: [], values: [], effects: []}]"}},
      {"modes of affinity, each for itself",
       smart,
       affinities(node("arch"), PodAffinityRule{{"zone"}}),
       affinities(node("os"), PodAffinityRule{{"host"}}),
       {"required.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuringExecution "
        "[{matchExpressions: [{keys: [os], operators: [], values: []}]}]",
        "required.affinities.podAntiAffinities.preferredDuringSchedulingIgnoredDuringExecution "
        "[host]"}},
      {"a mode that says the same",
       smart,
       affinities(node("arch"), PodAffinityRule{{"zone"}}),
       affinities(node("arch"), PodAffinityRule{{"host"}}),
       {"required.affinities.podAntiAffinities.preferredDuringSchedulingIgnoredDuringExecution "
        "[host]"}},
      {"fewer values of a key",
       smart,
       {.node_selectors = {{"disk", {"hdd", "ssd"}}}},
       {.node_selectors = {{"disk", {"hdd"}}}},
       {"required.nodeSelectors[disk] [hdd]"}},
      {"a mode of affinity beside tolerations that are asked for anyway",
       smart,
       {.tolerations = {of_key("gpu")}, .affinities = affinities(node("arch"), {}).affinities},
       {.tolerations = {{{"gpu", "spot"}, any, any, any}},
        .affinities = affinities(node("os"), {}).affinities},
       {"required.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuringExecution "
        "[{matchExpressions: [{keys: [os], operators: [], values: []}]}]"}},
      {"a mode of affinity that asks for no more than what hides it",
       smart,
       affinities({}, PodAffinityRule{{"zone"}}),
       affinities({}, PodAffinityRule{{"host", "zone"}}),
       {}},
      {"a part of the tolerations that are asked for",
       smart,
       {.tolerations = {{{"gpu", "spot"}, any, any, any}}},
       {.tolerations = {of_key("gpu")}},
       {"required.tolerations [{keys: [gpu], operators: [], values: [], effects: []}]"}},
      {"affinities as a whole",
       simple,
       affinities(node("arch"), {}),
       affinities({}, PodAffinityRule{{"zone", "host"}}),
       {"required.affinities {podAntiAffinities: {requiredDuringSchedulingIgnoredDuringExecution: "
        "none, preferredDuringSchedulingIgnoredDuringExecution: [zone, host]}}"}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    SchedulingPolicySpec a;
    a.allowed = schedpol::scheduling_policy::detail::everything();
    a.required = c.hiding;
    SchedulingPolicySpec b;
    b.required = c.hidden;
    const Policies policies = saying({a, b});
    const EffectivePolicy effective = merge(policies, c.strategy);
    Lines lines;
    for (const Finding& finding : analyze(policies, c.strategy)) {
      if (finding.code != FindingCode::requirement_lost) continue;
      lines.push_back(to_string(finding.field) + " " + finding.detail);
      REQUIRE(finding.witness);
      CAPTURE(*finding.witness);
      CHECK(admit(*finding.witness, effective).allowed);
      b.allowed = a.allowed;
      CHECK_FALSE(admit(*finding.witness, merge(saying({b}))).allowed);
    }
    CHECK(lines == c.wanted);
  }
}

TEST_CASE("a pattern that others cover, and one that they nearly do") {
  SchedulingPolicySpec a;
  a.allowed.tolerations = {
      {.keys = {"gpu"}, .operators = any, .values = any, .effects = {TaintEffect::no_schedule}}};
  SchedulingPolicySpec b;
  b.allowed.tolerations = {
      {.keys = {"gpu"}, .operators = {TolerationOperator::exists}, .values = any, .effects = any},
      {.keys = {"gpu"},
       .operators = {TolerationOperator::equal, TolerationOperator::lt, TolerationOperator::gt},
       .values = any,
       .effects = {TaintEffect::no_schedule, TaintEffect::no_execute}}};
  CHECK(found(FindingCode::entry_covered, saying({a, b})) ==
        Lines{"`a`: `allowed.tolerations[0]`: other entries permit all that `{keys: [gpu], "
              "operators: [], values: [], effects: [NoSchedule]}` permits"});
  b.allowed.tolerations.list()[1].operators = {TolerationOperator::equal, TolerationOperator::lt};
  CHECK(found(FindingCode::entry_covered, saying({a, b})) == Lines{});

  SchedulingPolicySpec c;
  auto& terms = c.allowed.affinities.list()
                    .node_affinities.list()
                    .preferred_during_scheduling_ignored_during_execution.list()
                    .node_selector_terms;
  terms = {{.match_expressions = {{.keys = {"disk"}, .operators = any, .values = {"a", "b"}}}},
           {.match_expressions = {{.keys = any, .operators = any, .values = {"b", "a", "c"}}}}};
  CHECK(found(FindingCode::entry_covered, saying({c})).size() == 1);
  terms[1].match_expressions = {{.keys = any, .operators = any, .values = {"a", "c"}},
                                {.keys = any, .operators = any, .values = {"b", "c"}}};
  CHECK(found(FindingCode::entry_covered, saying({c})) == Lines{});

  // Several may cover one together, and of tolerations no value is the empty one.
  const AnyOr<std::vector<OpenEnum<TolerationOperator>>> equal = {TolerationOperator::equal};
  SchedulingPolicySpec together;
  together.allowed.tolerations = {{{"a"}, any, {"x", "y"}, any},
                                  {{"a"}, any, {"x"}, any},
                                  {{"a"}, any, {"y"}, any},
                                  {{"b"}, equal, {}, any},
                                  {{"b"}, equal, {""}, any}};
  const auto fields_of = [](const SchedulingPolicySpec& spec) {
    Lines fields;
    for (const Finding& finding : analyze(saying({spec})))
      if (finding.code == FindingCode::entry_covered) fields.push_back(to_string(finding.field));
    return fields;
  };
  CHECK(fields_of(together) == Lines{"allowed.tolerations[0]", "allowed.tolerations[3]"});
  // What is for any key is for more than the empty one.
  together.allowed.tolerations = {{any, any, any, any}, {{""}, any, any, any}};
  CHECK(fields_of(together) == Lines{"allowed.tolerations[1]"});
  // There are no others that could cover one which matches nothing.
  together.allowed.tolerations = {{{"a"}, {TolerationOperator::exists}, {"x"}, any}};
  CHECK(fields_of(together) == Lines{});
  terms = {{.match_expressions = {{{"a"}, any, {""}}}}, {.match_expressions = {{{"a"}, any, {}}}}};
  CHECK(fields_of(c) == Lines{});

  SchedulingPolicySpec of_fields;
  of_fields.allowed.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {
      {.match_fields = {{.keys = {"metadata.name"}, .operators = any, .values = {"n"}}}},
      {.match_fields = {{.keys = {"metadata.name"}, .operators = any, .values = any}}}};
  CHECK(found(FindingCode::entry_covered, saying({of_fields})) ==
        Lines{"`a`: "
              "`allowed.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuringExecution."
              "nodeSelectorTerms[0].matchFields[0]`: other entries permit all that "
              "`{matchFields: [{keys: [metadata.name], operators: [], values: [n]}]}` permits"});
  // Where a term permits any, none is told of another one.
  of_fields.allowed.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms.push_back({.match_fields = any});
  CHECK(found(FindingCode::entry_covered, saying({of_fields})) == Lines{});
}

/// Patterns that differ in little, the empty text among what they list.
class Patterns : public schedpol::testing::Random {
 public:
  using Random::Random;

  SchedulingPolicySpec of_tolerations() {
    SchedulingPolicySpec spec;
    for (int i = 0; i < 4; ++i)
      spec.allowed.tolerations.list().push_back(
          {texts(), words({TolerationOperator::equal, TolerationOperator::exists}), texts(),
           words({TaintEffect::no_schedule, TaintEffect::prefer_no_schedule,
                  TaintEffect::no_execute})});
    return spec;
  }
  SchedulingPolicySpec of_expressions() {
    std::vector<TermPattern> terms(2);
    for (int i = 0; i < 4; ++i)
      terms[below(2)].match_expressions.list().push_back(
          {texts(), words({NodeSelectorOperator::in, NodeSelectorOperator::exists}), texts()});
    SchedulingPolicySpec spec;
    spec.allowed.affinities.list()
        .node_affinities.list()
        .required_during_scheduling_ignored_during_execution.list()
        .node_selector_terms = terms;
    return spec;
  }

 private:
  AnyOr<Texts> texts() {
    if (chance(10)) return {};
    if (chance(30)) return any;
    AnyOr<Texts> some;
    for (const char* text : {"", "a", "b"})
      if (chance(50)) some.list().push_back(text);
    return some;
  }
  template <class Word>
  AnyOr<std::vector<OpenEnum<Word>>> words(std::initializer_list<Word> all) {
    if (chance(30)) return any;
    AnyOr<std::vector<OpenEnum<Word>>> some;
    for (const Word word : all)
      if (chance(60)) some.list().push_back(word);
    return some;
  }
};

using OfPattern = std::function<void(const FieldPath&, AnyOr<Texts>& keys)>;

void for_each_toleration(SchedulingPolicySpec& spec, const OfPattern& f) {
  auto& patterns = spec.allowed.tolerations.list();
  for (std::size_t i = 0; i < patterns.size(); ++i)
    f(FieldPath{"allowed", "tolerations"}.index(i), patterns[i].keys);
}
void for_each_expression(SchedulingPolicySpec& spec, const OfPattern& f) {
  const FieldPath mode{"allowed", "affinities", "nodeAffinities",
                       "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms"};
  auto& terms = spec.allowed.affinities.list()
                    .node_affinities.list()
                    .required_during_scheduling_ignored_during_execution.list()
                    .node_selector_terms;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    auto& patterns = terms[i].match_expressions.list();
    for (std::size_t j = 0; j < patterns.size(); ++j)
      f(mode.index(i).child("matchExpressions").index(j), patterns[j].keys);
  }
}

/// The patterns that permit no pod, as `compare` sees it, which those that are left do not. One
/// without keys permits nothing.
Lines covered_by_comparison(SchedulingPolicySpec spec,
                            void (*for_each)(SchedulingPolicySpec&, const OfPattern&)) {
  Lines covered;
  std::size_t count = 0;
  for_each(spec, [&](const auto&, auto&) { ++count; });
  for (std::size_t i = 0; i < count; ++i) {
    SchedulingPolicySpec alone = spec;
    SchedulingPolicySpec others = spec;
    std::string field;
    std::size_t at = 0;
    for_each(alone, [&](const FieldPath& path, AnyOr<Texts>& keys) {
      at++ == i ? field = to_string(path), void() : void(keys = {});
    });
    at = 0;
    for_each(others, [&](const auto&, AnyOr<Texts>& keys) {
      if (at++ == i) keys = {};
    });
    if ((*compare(merge(saying({alone})), merge(saying({others})))).allowed_before) continue;
    covered.push_back(field);
    spec = others;
  }
  return covered;
}

TEST_CASE("patterns that permit nothing more than the others are covered, and no other is") {
  Patterns patterns(7);
  std::size_t all = 0;
  for (int i = 0; i < 200; ++i) {
    const bool of_tolerations = i % 2 == 0;
    const auto policies =
        saying({of_tolerations ? patterns.of_tolerations() : patterns.of_expressions()});
    const auto spec = merge(policies).spec();
    CAPTURE(spec.allowed.tolerations.listed());
    CAPTURE(i);
    Lines covered;
    for (const Finding& finding : analyze(policies))
      if (finding.code == FindingCode::entry_covered) covered.push_back(to_string(finding.field));
    all += covered.size();
    CHECK(covered ==
          covered_by_comparison(spec, of_tolerations ? for_each_toleration : for_each_expression));
  }
  CHECK(all > 100);
}

TEST_CASE("hundreds of patterns of a list are told apart") {
  SchedulingPolicySpec spec;
  auto& patterns = spec.allowed.tolerations.list();
  auto& terms = spec.allowed.affinities.list()
                    .node_affinities.list()
                    .required_during_scheduling_ignored_during_execution.list()
                    .node_selector_terms;
  for (int i = 0; i < 500; ++i) {
    const std::string name = std::to_string(i);
    patterns.push_back({.keys = {"a", "b"}, .operators = any, .values = {name}, .effects = any});
    terms.push_back({.match_expressions = {{{"a", "b" + name}, any, {"v", name}}}});
  }
  patterns.push_back({{"b"}, {TolerationOperator::lt}, {"499"}, {TaintEffect::no_execute}});
  terms.push_back({.match_expressions = {{{"b7"}, {NodeSelectorOperator::gt}, {"7"}}}});
  const auto findings = analyze(saying({spec}));
  Lines fields;
  for (const Finding& finding : findings) fields.push_back(to_string(finding.field));
  CHECK(fields == Lines{"allowed.tolerations[500]",
                        "allowed.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuring"
                        "Execution.nodeSelectorTerms[500].matchExpressions[0]"});
}

TEST_CASE("a required affinity is escaped where one term is enough") {
  const Policies policies = saying(
      {requiring({.match_expressions = {{.keys = {"arch"}, .operators = any, .values = any}}})});
  Options present;
  present.required_affinity = RequiredAffinity::present;
  CHECK(found(FindingCode::requirement_escaped, policies, present).size() == 1);
  CHECK(found(FindingCode::requirement_escaped, policies) == Lines{});
  CHECK(found(FindingCode::requirement_escaped, saying({{}}), present) == Lines{});
}

TEST_CASE("strategies that disagree, and sets that allow nothing or everything") {
  SchedulingPolicySpec a;
  a.allowed.priority_class_names = {"gold"};
  SchedulingPolicySpec b;
  b.allowed.priority_class_names = {"silver"};
  CHECK(found(FindingCode::strategies_disagree, saying({a, b})) ==
        Lines{"`a` and `b`: the merge strategy `FirstSeenWins` allows other pods",
              "`a` and `b`: the merge strategy `SimpleMerge` allows other pods"});
  CHECK(found(FindingCode::strategies_disagree, saying({a, a})) == Lines{});
  CHECK(
      found(FindingCode::strategies_disagree, saying({a, b}), {}, MergeStrategy::first_seen_wins) ==
      Lines{"`a`: the merge strategy `SmartDeepMerge` allows other pods"});

  CHECK(found(FindingCode::every_pod_denied, {{.metadata = {.name = "a"}}}) ==
        Lines{"`a`: no pod is allowed"});
  CHECK(found(FindingCode::every_pod_denied, {restricted()}) == Lines{});
  CHECK(found(FindingCode::every_pod_allowed, {privileged()}) ==
        Lines{"`privileged`: every pod is allowed"});
  CHECK(found(FindingCode::every_pod_allowed, {restricted()}) == Lines{});
  CHECK(analyze({}).empty());
}

TEST_CASE("a null that leaves any when it is dropped, and one that does not") {
  SchedulingPolicySpec spec;
  spec.allowed.node_selectors = {{"disk", {}}};
  CHECK(found(FindingCode::null_entry, saying({spec})) ==
        Lines{"`a`: `allowed.nodeSelectors`: `kubectl apply` drops what is null, and what is left "
              "means any"});
  spec.allowed.node_selectors = {{"disk", {}}, {"zone", {"1"}}};
  CHECK(found(FindingCode::null_entry, saying({spec})) == Lines{});
  spec.allowed.affinities = AffinityRules{};
  CHECK(found(FindingCode::null_entry, saying({spec})).size() == 1);
  spec.allowed.affinities.list().pod_affinities = any;
  CHECK(found(FindingCode::null_entry, saying({spec})) == Lines{});
  auto& kind = spec.allowed.affinities.list().node_affinities;
  kind = NodeAffinityRules{};
  CHECK(found(FindingCode::null_entry, saying({spec})).size() == 1);
  kind.list().required_during_scheduling_ignored_during_execution = NodeAffinityRule{};
  CHECK(found(FindingCode::null_entry, saying({spec})) ==
        Lines{"`a`: `allowed.affinities.nodeAffinities.requiredDuringSchedulingIgnoredDuring"
              "Execution`: `kubectl apply` drops what is null, and what is left means any"});
  kind.list().required_during_scheduling_ignored_during_execution.list().node_selector_terms = {{}};
  CHECK(found(FindingCode::null_entry, saying({spec})) == Lines{});
  // As a whole field of `required` any is refused.
  SchedulingPolicySpec required;
  required.required.affinities = AffinityRules{};
  CHECK(found(FindingCode::null_entry, saying({required})) == Lines{});
  required.required.affinities.list().pod_affinities = PodAffinityRules{};
  CHECK(found(FindingCode::null_entry, saying({required})).size() == 1);
}

TEST_CASE("a pattern that matches nothing, because one of its lists is absent and not any") {
  SchedulingPolicySpec spec;
  spec.allowed.tolerations = {{.keys = {"gpu"}, .operators = any},
                              {.effects = any},
                              {.keys = any, .operators = any, .effects = any}};
  CHECK(found(FindingCode::entry_matches_nothing, saying({spec})) ==
        Lines{"`a`: `allowed.tolerations[0]`: matches nothing: `effects` is absent; `[]` is any",
              "`a`: `allowed.tolerations[1]`: matches nothing: `keys` and `operators` are absent; "
              "`[]` is any"});

  SchedulingPolicySpec required;
  required.required.tolerations = {{.keys = {"gpu"}, .effects = any}};
  const std::string terms =
      "affinities.nodeAffinities." + std::string(required_mode) + ".nodeSelectorTerms[0].";
  required.required.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {{.match_fields = {{{.keys = any}}}}};
  required.allowed.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution.list()
      .node_selector_terms = {
      {.match_expressions = {{{.keys = {"zone"}, .operators = any}, {.operators = any}}}}};
  CHECK(found(FindingCode::entry_matches_nothing, saying({{}, required})) ==
        Lines{"`b`: `required.tolerations[0]`: matches nothing: `operators` is absent; `[]` is any",
              "`b`: `required." + terms +
                  "matchFields[0]`: matches nothing: `operators` is absent; `[]` is any",
              "`b`: `allowed." + terms +
                  "matchExpressions[1]`: matches nothing: `keys` is absent; `[]` is any"});
  for (const Finding& finding : analyze(saying({spec, required}))) {
    if (finding.code != FindingCode::entry_matches_nothing) continue;
    const bool is_required = finding.field.steps()[0].name == "required";
    CHECK(finding.severity == (is_required ? Severity::error : Severity::warning));
  }
}

TEST_CASE("who may use which policy: what a grant adds, and what nobody is granted") {
  SchedulingPolicySpec gpu;
  gpu.required.tolerations = {of_key("gpu")};
  const Policies policies = saying({{}, gpu, {}});
  const Pod web{.metadata = {.namespace_ = "shop"}, .spec = {.service_account_name = "web"}};
  const auto of = [&](std::vector<Grantee> grantees) {
    std::vector<std::string> texts;
    for (const Finding& finding : analyze(policies, grantees)) {
      if (finding.code == FindingCode::grant_adds_requirements) {
        REQUIRE(finding.witness);
        CHECK(finding.witness->metadata.namespace_ == "shop");
        CHECK(finding.witness->spec.service_account_name == "web");
        const auto allowed = [&](const Policies& by) {
          return admit(*finding.witness, merge(by)).allowed;
        };
        CHECK(allowed({policies[0]}));
        CHECK_FALSE(allowed({policies[0], policies[1]}));
      }
      if (finding.code != FindingCode::strategies_disagree) texts.push_back(message(finding));
    }
    return texts;
  };
  CHECK(of({{"group all", {"a", "c"}, web}, {"service account shop/web", {"a", "b"}, web}}) ==
        Lines{"`b`: may be used by `service account shop/web`, whose pods are denied for what it "
              "requires"});
  // One that is used alone adds to nothing.
  CHECK(of({{"group all", {"a"}, web}, {"service account shop/web", {"b"}, web}}) ==
        Lines{"`c`: nobody may use it"});
  CHECK(of({{"group all", {"a", "c", "elsewhere"}, web}}) == Lines{"`b`: nobody may use it"});
  CHECK(of({}).size() == 3);
  // Whichever of them it is.
  CHECK(of({{"group all", {"b", "c"}, web}}) ==
        Lines{"`b`: may be used by `group all`, whose pods are denied for what it requires",
              "`a`: nobody may use it"});
  // What no pod can show is found there, too.
  SchedulingPolicySpec unmet;
  unmet.required.tolerations = {{.keys = {}, .operators = any, .values = any}};
  const auto findings = analyze(saying({unmet}), std::vector<Grantee>{{"group all", {"a"}, web}});
  REQUIRE(!findings.empty());
  CHECK(findings[0].code == FindingCode::requirement_unmet);
  CHECK(!findings[0].witness);
}

TEST_CASE("a set that is too much to analyze is said to be, and what was found is kept") {
  SchedulingPolicySpec spec;
  spec.defaults.scheduler_name = "green";
  spec.required.scheduler_names = {"blue"};
  for (int i = 0; i < 150; ++i) {
    spec.allowed.tolerations.list().push_back(
        {.keys = {"k" + std::to_string(i)}, .operators = any, .values = any, .effects = any});
    auto& values = spec.allowed.node_selectors.list()["key-" + std::to_string(i)];
    for (int j = 0; j < 600; ++j) values.list().push_back(std::to_string(j));
  }
  const auto findings = analyze(saying({spec, spec, spec}));
  CHECK(findings.front().code == FindingCode::default_denied);
  CHECK(findings.back().code == FindingCode::not_decided);
  CHECK(findings.back().severity == Severity::info);
  // What takes most is looked for last.
  CHECK(findings.back().detail.find("EntryCovered") != std::string::npos);
  CHECK(findings.back().detail.find("DefaultDenied") == std::string::npos);
}

TEST_CASE("hundreds of requirements and of entries that are lost are looked at") {
  SchedulingPolicySpec many;
  for (int i = 0; i < 300; ++i)
    many.required.tolerations.list().push_back(
        {.keys = {"k" + std::to_string(i)}, .operators = any, .values = any, .effects = any});
  many.required.tolerations.list().push_back(
      {.keys = {}, .operators = any, .values = any, .effects = any});
  many.allowed = schedpol::scheduling_policy::detail::everything();
  const auto unmet = analyze(saying({many}));
  CHECK(std::count_if(unmet.begin(), unmet.end(), [](const Finding& finding) {
          return finding.code == FindingCode::requirement_unmet &&
                 finding.field == FieldPath{"required", "tolerations"}.index(300);
        }) == 1);
  Policies lost;
  for (int i = 0; i < 301; ++i) {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    spec.defaults.priority_class_name = std::to_string(i);
    lost.push_back({.metadata = {.name = std::to_string(i)}, .spec = spec});
  }
  const auto findings = analyze(lost);
  CHECK(std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
          return finding.code == FindingCode::entry_lost;
        }) == 300);
}

TEST_CASE("every witness is what its finding says, and the built-in policies are sane") {
  Generator generate(3);
  std::set<FindingCode> codes;
  for (int i = 0; i < 8; ++i) {
    const Policies policies = generate.policies();
    const Options options = generate.options();
    const EffectivePolicy effective = merge(policies);
    for (const Finding& finding : analyze(policies, MergeStrategy::smart_deep_merge, options)) {
      codes.insert(finding.code);
      if (!finding.witness) continue;
      CAPTURE(message(finding));
      CAPTURE(*finding.witness);
      const bool allowed = admit(*finding.witness, effective, options).allowed;
      if (finding.code == FindingCode::default_denied ||
          finding.code == FindingCode::default_not_given) {
        REQUIRE_FALSE(allowed);
      } else if (finding.code == FindingCode::strategies_disagree) {
        const MergeStrategy other = finding.detail == "SimpleMerge"
                                        ? MergeStrategy::simple_merge
                                        : MergeStrategy::first_seen_wins;
        REQUIRE(admit(*finding.witness, merge(policies, other), options).allowed != allowed);
      } else {
        REQUIRE(allowed);
      }
    }
  }
  CHECK(codes.size() >= 4);
  for (const SchedulingPolicy& policy :
       {restricted(), restricted_multiarch_by_node_selector(), restricted_multiarch_by_affinity()})
    CHECK(analyze(Policies{policy}).empty());
}

}  // namespace analyze_scheduling_policies_test
