// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/compare.hpp>

#include "comparisons.hpp"

#include <string>

namespace compare_affinity_test {

using namespace comparisons;

NodeSelectorRequirement is_x(const std::string& key) {
  return {key, NodeSelectorOperator::in, {"x"}};
}
TermPattern some_of(const std::string& key) {
  return {.match_expressions = {{Texts{key}, any, any}}};
}

TEST_CASE("what is exempt or given of node affinity tells two policies apart") {
  const NodeSelectorTerm a{{is_x("a")}, {}};
  const NodeSelectorTerm b{{is_x("b")}, {}};
  const NodeSelectorTerm c{{is_x("c")}, {}};
  const NodeSelectorTerm both{{is_x("a"), is_x("b")}, {}};
  const NodeSelectorTerm field_a{{}, {is_x("a")}};
  const NodeSelectorTerm field_b{{}, {is_x("b")}};
  const NodeSelectorTerm both_fields{{}, {is_x("a"), is_x("b")}};
  const TermPattern a_in_x{.match_expressions = {{{"a"}, {NodeSelectorOperator::in}, {"x"}}}};
  const NodeSelectorTerm a_in_nothing{{{"a", NodeSelectorOperator::in, {}}}, {}};
  const NodeSelectorTerm a_exists{{{"a", NodeSelectorOperator::exists, {}}}, {}};
  const TermPattern both_keys{.match_expressions = {{{"a"}, any, any}, {{"b"}, any, any}}};
  const struct {
    const char* name;
    OfNodes before;
    OfNodes after;
    Relation relation;
  } cases[] = {
      {"an expression", {.exempt = {a}}, {}, Relation::stricter},
      {"the second of a term", {.exempt = {both}}, {.exempt = {a}}, Relation::stricter},
      {"the first of a term", {.exempt = {both}}, {.exempt = {b}}, Relation::stricter},
      {"a second term", {.exempt = {a, b}}, {.exempt = {a}}, Relation::stricter},
      {"a first term", {.exempt = {a, b}}, {.exempt = {b}}, Relation::stricter},
      {"a field", {.exempt = {field_a}}, {}, Relation::stricter},
      {"the second field", {.exempt = {both_fields}}, {.exempt = {field_a}}, Relation::stricter},
      {"the first field", {.exempt = {both_fields}}, {.exempt = {field_b}}, Relation::stricter},
      {"an empty term", {.exempt = {{}}}, {}, Relation::stricter},
      {"a preferred term", {.exempt_preferred = {{1, a}}}, {}, Relation::stricter},
      {"a second preferred term",
       {.exempt_preferred = {{1, a}, {1, b}}},
       {.exempt_preferred = {{1, a}}},
       Relation::stricter},
      {"a first preferred term",
       {.exempt_preferred = {{1, a}, {1, b}}},
       {.exempt_preferred = {{1, b}}},
       Relation::stricter},
      {"a preferred term of that weight alone",
       {.exempt_preferred = {{1, a}, {2, a}}},
       {.allowed_preferred = {a_in_x}, .exempt_preferred = {{1, a}, {2, a}}},
       Relation::looser},
      {"two together, of which one is permitted and one given",
       {.exempt = {both}},
       {.allowed = {some_of("b")}, .given = {a}},
       Relation::incomparable},
      {"the first of two that are given together",
       {.allowed = {some_of("b")}, .exempt = {both}},
       {.allowed = {some_of("b")}, .given = {both}},
       Relation::stricter},
      {"the second of two that are given together",
       {.allowed = {some_of("a")}, .exempt = {both}},
       {.allowed = {some_of("a")}, .given = {both}},
       Relation::stricter},
      {"one of two preferred terms that are given together",
       {.allowed_preferred = {some_of("b")}, .exempt_preferred = {{1, a}, {1, b}}},
       {.allowed_preferred = {some_of("b")}, .given_preferred = {{1, a}, {1, b}}},
       Relation::stricter},
      {"what is given with what is exempt in its term",
       {.required = {some_of("b")}, .given = {a}, .exempt = {b}},
       {.required = {some_of("b")}, .given = {a}},
       Relation::stricter},
      {"what is given beside an empty term",
       {.allowed = {some_of("b")}, .given = {a}, .exempt = {{}}},
       {.allowed = {some_of("b")}, .given = {a}},
       Relation::stricter},
      {"a field that is exempt in what is given",
       {.required = {{.match_fields = {{{"b"}, any, any}}}}, .given = {a}, .exempt = {field_b}},
       {.required = {{.match_fields = {{{"b"}, any, any}}}}, .given = {a}},
       Relation::stricter},
      {"two preferred terms that are given, with what is exempt",
       {.allowed_preferred = {some_of("c")},
        .given_preferred = {{1, a}, {1, b}},
        .exempt_preferred = {{1, c}}},
       {.allowed_preferred = {some_of("c")}, .given_preferred = {{1, a}, {1, b}}},
       Relation::stricter},
      {"a preferred term beside each that is required",
       {.required_preferred = {some_of("a"), some_of("b")}, .exempt_preferred = {{1, c}}},
       {.allowed_preferred = {some_of("a"), some_of("b")}},
       Relation::incomparable},
      {"a preferred term beside what both require",
       {.required_preferred = {some_of("a"), some_of("b")}, .exempt_preferred = {{1, c}}},
       {.required_preferred = {some_of("a"), some_of("b")}},
       Relation::stricter},
      {"preferred terms that are given, besides",
       {.given_preferred = {{1, a}}},
       {},
       Relation::stricter},
      {"one term that is given, and the same twice",
       {.given = {a}},
       {.given = {a, a}},
       Relation::incomparable},
      {"an expression that is exempt, with its value twice",
       {.allowed = {a_in_x, some_of("c")}, .exempt = {a}},
       {.allowed = {some_of("c")}, .exempt = {a}},
       Relation::stricter},
      {"the second of two that are exempt, with its value twice",
       {.allowed = {a_in_x, some_of("c")}, .exempt = {a_in_nothing, a}},
       {.allowed = {some_of("c")}, .exempt = {a_in_nothing, a}},
       Relation::stricter},
      {"a term with a key that nobody lists but `other`",
       {.allowed = {{.match_expressions = {{any, any, any}}}}},
       {.allowed = {some_of("other")}},
       Relation::stricter},
      {"a term with a key that nobody lists, `other` not being the first",
       {.allowed = {{.match_expressions = {{any, any, any}}}}},
       {.allowed = {some_of("a"), some_of("other")}},
       Relation::stricter},
      {"two required terms, one of fields",
       {.required = {{.match_fields = any}}},
       {.required = {some_of("a")}},
       Relation::incomparable},
      {"an expression that is exempt beside what both require",
       {.required = {some_of("b")}, .exempt = {a}},
       {.required = {some_of("b")}},
       Relation::stricter},
      {"an expression that is exempt over there beside what both require",
       {.required = {some_of("a")}},
       {.required = {some_of("a")}, .exempt = {b}},
       Relation::looser},
      {"a field that is exempt over there beside what both require",
       {.required = {some_of("a")}},
       {.required = {some_of("a")}, .exempt = {field_a}},
       Relation::looser},
      {"what is given, with what is required in its term",
       {.required = {some_of("a")}},
       {.required = {some_of("a")}, .given = {b}, .exempt = {a}},
       Relation::looser},
      {"what is given, with both that are required in its term",
       {.required = {both_keys}},
       {.required = {both_keys}, .given = {c}, .exempt = {a, b}},
       Relation::looser},
      {"what is given beside an empty term, in fields",
       {.given = {field_a}, .exempt = {{}}},
       {.allowed = {{}}, .given = {field_a}},
       Relation::stricter},
      {"what meets what is required, where it is given with what is exempt",
       {.required = {some_of("c")}, .given = {b}, .exempt = {{{is_x("a"), is_x("c")}, {}}}},
       {.required = {some_of("c")}, .exempt = {a}},
       Relation::stricter},
      {"two terms that are given, with what is exempt in both",
       {.allowed = {{.match_expressions = any}}},
       {.required = {{.match_expressions = any}}, .given = {{}, field_a}, .exempt = {a}},
       Relation::incomparable},
      {"an expression that is exempt and is the one that meets what is required",
       {.required = {{.match_expressions = {{{"a"}, {NodeSelectorOperator::exists}, any}}}},
        .exempt = {{{is_x("a"), {"a", NodeSelectorOperator::not_in, {"y"}}}, {}}}},
       {.allowed = {{.match_expressions =
                         {{any, {NodeSelectorOperator::in, NodeSelectorOperator::exists}, any}}}}},
       Relation::incomparable},
      {"an expression that is exempt in the second term and is the one that meets what is required",
       {.required = {{.match_expressions = {{{"a"}, {NodeSelectorOperator::exists}, any}}}},
        .exempt = {{{is_x("d")}, {}}, a_exists}},
       {.allowed = {{.match_expressions = {{{"a"}, {NodeSelectorOperator::in}, any}}}}},
       Relation::incomparable},
      {"a field that is exempt in the second term",
       {.required = {some_of("a")}, .exempt = {{}, field_a}},
       {.allowed = {some_of("a")}},
       Relation::incomparable},
      {"expressions without values, one of which is exempt",
       {.allowed = {{.match_expressions = {{{"a"}, any, {}}}}},
        .exempt = {{{{"b", NodeSelectorOperator::exists, {}}}, {}}}},
       {.exempt = {{{{"b", NodeSelectorOperator::exists, {}}}, {}}}},
       Relation::stricter},
      {"a preferred expression beside a preferred field, which the other side requires so",
       {.required_preferred =
            {{.match_expressions = {{{"a"}, {NodeSelectorOperator::exists}, any}}},
             {.match_fields = {{{"a"}, any, any}}}}},
       {.required_preferred = {{.match_fields = {{{"a"},
                                                  {NodeSelectorOperator::in,
                                                   NodeSelectorOperator::exists},
                                                  any}}}},
        .allowed_preferred = any},
       Relation::incomparable},
      {"preferred terms, which the other side requires of another value and of another operator",
       {.allowed_preferred = {some_of("a"), {.match_fields = {{{"a"}, any, any}}}}},
       {.required_preferred = {{.match_expressions = {{{"a"}, any, {"x"}}}},
                               {.match_fields = {{{"a"}, {NodeSelectorOperator::exists}, any}}}},
        .allowed_preferred = {{.match_fields = {{{"b"}, any, any}}}}},
       Relation::incomparable},
      {"of two fields that are required one, of another value",
       {.required = {{.match_fields = {{{"a"}, any, any}, {{"b"}, any, {"x"}}}}}, .allowed = any},
       {.required = {{.match_fields = {{{"b"}, any, any}, {{"a"}, any, any}}}}},
       Relation::incomparable},
      {"a key without values beside one that is exempt",
       {.allowed = {{.match_expressions = {{{"a", "b"}, {NodeSelectorOperator::exists}, {}}}},
                    some_of("c")}},
       {.allowed = {some_of("c")}, .exempt = {a_exists}},
       Relation::stricter},
      {"a key without values beside one that is exempt and not the first",
       {.allowed = {{.match_expressions = {{{"a", "b"}, {NodeSelectorOperator::exists}, {}}}},
                    some_of("c")},
        .exempt = {{{is_x("d")}, {}}}},
       {.allowed = {some_of("c")}, .exempt = {{{is_x("d"), a_exists.match_expressions[0]}, {}}}},
       Relation::stricter},
      {"any value, and no value or that which is called `other`",
       {.allowed = {some_of("a")}},
       {.allowed = {{.match_expressions = {{{"a"}, any, {"other"}}, {{"a"}, any, {}}}}}},
       Relation::stricter},
      {"a preferred expression beside one that is exempt where it is required",
       {.allowed = {a_in_x},
        .allowed_preferred =
            {{.match_expressions = {{{"a"}, {NodeSelectorOperator::not_in}, {"x"}}}}, some_of("c")},
        .exempt = {a}},
       {.allowed = {a_in_x}, .allowed_preferred = {some_of("c")}},
       Relation::stricter},
      {"the second field that is exempt, which meets what is required",
       {.required = {{.match_expressions = {{{"a"}, any, {"x"}}},
                      .match_fields = {{{"a"}, any, {}}}}},
        .given = {{{{"a", NodeSelectorOperator::in, {"y"}}}, {}}},
        .exempt = {{{}, {is_x("a"), a_exists.match_expressions[0]}}, a}},
       {.required = {{.match_expressions = {{{"a"}, any, {"x"}}},
                      .match_fields = {{{"a"}, any, any}}}}},
       Relation::incomparable},
      {"a preferred term that is given once, twice",
       {.allowed_preferred = {some_of("b"), some_of("c")}},
       {.allowed_preferred = {some_of("c")},
        .given_preferred = {{1, {{{"b", NodeSelectorOperator::in, {"other"}}}, {}}}}},
       Relation::stricter},
      {"of two terms that are required one, of another key",
       {.required_preferred = {{.match_expressions = {{any, any, any}}}, some_of("a")}},
       {.required_preferred = {{.match_expressions = {{{"a", "b"}, any, any}}}}},
       Relation::incomparable},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    for (const RequiredAffinity required :
         {RequiredAffinity::every_term, RequiredAffinity::present}) {
      if (required == RequiredAffinity::present && !each.before.required.is_absent()) continue;
      PolicyAndOptions before = of(each.before);
      PolicyAndOptions after = of(each.after);
      before.options.required_affinity = after.options.required_affinity = required;
      check_relation(before, after, each.relation);
    }
  }
}

TEST_CASE("where one term is enough what is exempt or given tells two policies apart, too") {
  const NodeSelectorTerm a{{is_x("a")}, {}};
  const NodeSelectorTerm b{{is_x("b")}, {}};
  const NodeSelectorTerm a_in_y{{{"a", NodeSelectorOperator::in, {"y"}}}, {}};
  const struct {
    const char* name;
    OfNodes before;
    OfNodes after;
  } cases[] = {
      {"what is exempt alone",
       {.required = {{.match_expressions = any}}, .allowed = any, .given = {a}},
       {.exempt = {{{}, {is_x("a")}}}}},
      {"what is given beside what is exempt",
       {.required = {some_of("a")}},
       {.required = {{.match_expressions = {{{"a"}, any, {"y"}}}}},
        .given = {b, a},
        .exempt = {a_in_y}}},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    PolicyAndOptions before = of(each.before);
    PolicyAndOptions after = of(each.after);
    before.options.required_affinity = after.options.required_affinity = RequiredAffinity::present;
    check_relation(before, after, Relation::incomparable);
  }
}

TEST_CASE("what is exempt or given of pod affinity tells two policies apart") {
  const PodAffinityTerm a{.topology_key = "a"};
  const PodAffinityTerm b{.topology_key = "b"};
  const PodAffinityTerm b_of_other{.namespaces = {"other"}, .topology_key = "b"};
  const struct {
    const char* name;
    OfPods before;
    OfPods after;
    Relation relation;
  } cases[] = {
      {"a term", {.exempt = {a}}, {}, Relation::stricter},
      {"a second term", {.exempt = {a, b}}, {.exempt = {a}}, Relation::stricter},
      {"a first term", {.exempt = {a, b}}, {.exempt = {b}}, Relation::stricter},
      {"a preferred term", {.exempt_preferred = {{1, a}}}, {}, Relation::stricter},
      {"a term of that sort, and every one of its key",
       {.exempt = {b}},
       {.allowed = {"b"}, .exempt = {b}},
       Relation::looser},
      {"two terms of other namespaces, and every one of their key",
       {.exempt = {b, b_of_other}},
       {.allowed = {"b"}, .exempt = {b, b_of_other}},
       Relation::looser},
      {"a preferred term of that weight, and every one of its key",
       {.exempt_preferred = {{1, b}}},
       {.allowed_preferred = {"b"}, .exempt_preferred = {{1, b}}},
       Relation::looser},
      {"preferred terms of two weights, and every one of their key",
       {.exempt_preferred = {{1, b}, {2, b}}},
       {.allowed_preferred = {"b"}},
       Relation::looser},
      {"two together, of which one is permitted and one given",
       {.exempt = {a, b}},
       {.allowed = {"b"}, .given = {a}},
       Relation::incomparable},
      {"the first of two that are given together",
       {.allowed = {"b"}, .exempt = {a, b}},
       {.allowed = {"b"}, .given = {a, b}},
       Relation::stricter},
      {"the second of two that are given together",
       {.allowed = {"a"}, .exempt = {a, b}},
       {.allowed = {"a"}, .given = {a, b}},
       Relation::stricter},
      {"what is given beside what is exempt",
       {.allowed = {"b"}, .given = {a}, .exempt = {b}},
       {.allowed = {"b"}, .given = {a}},
       Relation::stricter},
      {"what is required beside what is exempt",
       {.required = {"a"}, .exempt = {b}},
       {.required = {"a"}},
       Relation::stricter},
      {"a preferred term beside what is required",
       {.required_preferred = {"a"}, .exempt_preferred = {{1, b}}},
       {.required_preferred = {"a"}},
       Relation::stricter},
      {"of two that are permitted twice that one which is given once",
       {.allowed = {"a"}},
       {.given = {a}},
       Relation::stricter},
      {"the one that is given, beside which the other may stand",
       {.required = {"a"}, .allowed = {"b"}},
       {.required = {"a"}, .given = {a, b}},
       Relation::incomparable},
      {"what one side requires of what it permits",
       {.required = {"b"}, .allowed = {"a", "c"}},
       {.allowed = {"a", "b", "c"}},
       Relation::looser},
      {"what either requires of what both permit",
       {.required = {"b", "c"}},
       {.required = {"a", "b"}, .allowed = {"c"}},
       Relation::incomparable},
      {"a key that nobody lists", {.allowed = any}, {.allowed = {"other"}}, Relation::stricter},
      {"a key that nobody lists, beside one of two that are required",
       {.required = {"a", "b"}},
       {.required = {"a"}, .allowed = any},
       Relation::incomparable},
      {"a preferred term that is given beside those that are exempt, as to pods without any",
       {.required_preferred = {"a"},
        .given_preferred = {{1, a}},
        .exempt_preferred = {{1, b}, {1, a}}},
       {.exempt_preferred = {{1, b}, {1, a}}},
       Relation::stricter},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    check_relation(of(each.before), of(each.after), each.relation);
  }
}

TEST_CASE("what is given of one kind of affinity gives nothing of the others") {
  PolicyAndOptions before = of(OfPods{.allowed = {"b"}});
  PolicyAndOptions after = of(OfPods{});
  const NodeAffinity given = affinity_of({{{is_x("a")}, {}}}, {});
  before.spec.defaults.affinity = after.spec.defaults.affinity = Affinity{.node_affinity = given};
  check_relation(before, after, Relation::stricter);
}

}  // namespace compare_affinity_test
