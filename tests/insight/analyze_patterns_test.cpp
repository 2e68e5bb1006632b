// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze_scheduling_policies.hpp>

#include "analyzed_policies.hpp"

#include <cstddef>
#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace analyze_patterns_test {

using namespace analyzed_policies;

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

}  // namespace analyze_patterns_test
