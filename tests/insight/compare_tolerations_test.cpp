// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/compare.hpp>

#include "comparisons.hpp"

#include <vector>

namespace compare_tolerations_test {

using namespace comparisons;

TEST_CASE("each toleration that is exempt on one side tells two policies apart") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.required.tolerations = {{{"b"}, any, any, any}};
  const auto policy =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
  SchedulingPolicySpec denies_b = spec;
  denies_b.required = {};
  const auto without =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = denies_b}});
  // The second of two, of which the first is of no matter.
  const Options options{.exempt = {.tolerations = {{.key = "a"}, {.key = "b", .value = "v"}}}};
  const auto found = compare(without, without, {}, options);
  REQUIRE(found);
  CHECK(found->relation == Relation::looser);
  const auto meets = compare(policy, without, {}, options);
  REQUIRE(meets);
  REQUIRE(meets->allowed_after);
  CHECK(admit(*meets->allowed_after, without, options).allowed);
}

TEST_CASE("of tolerations that one side exempts, one that it does not keeps its default away") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  spec.required.tolerations = {
      {{"k"}, {TolerationOperator::equal}, {"v"}, {TaintEffect::no_execute}}};
  SchedulingPolicySpec there;
  there.allowed = {.scheduler_names = any, .tolerations = any};
  there.required.tolerations = {{{"d"}, any, any, any}};
  there.defaults.tolerations = {{.toleration = {.key = "d"}}};
  const Toleration exempt{.key = "k", .value = "v", .effect = TaintEffect::no_execute};
  const Options options{.exempt = {.tolerations = {exempt}}};
  const auto of = [](const SchedulingPolicySpec& from) {
    return merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = from}});
  };
  CHECK(admit({.spec = {.tolerations = {exempt}}}, of(spec)).allowed);
  CHECK(admit({.spec = {.tolerations = {exempt}}}, of(there), options).allowed);
  const auto found = compare(of(spec), of(there), {}, options);
  REQUIRE(found);
  REQUIRE(found->allowed_before);
  REQUIRE(found->allowed_before->spec.tolerations.size() == 1);
  Toleration other = exempt;
  other.toleration_seconds = 1;
  CHECK(found->allowed_before->spec.tolerations[0] == other);
}

TEST_CASE("what is exempt or given of tolerations tells two policies apart") {
  const TolerationPattern k{{"k"}, any, any, any};
  const TolerationPattern m{{"m"}, any, any, any};
  const TolerationPattern n{{"n"}, any, any, any};
  Toleration denied = equals("d", "");
  denied.operator_ = OpenEnum<TolerationOperator>("Like");
  Toleration for_ever = equals("k", "x");
  for_ever.effect = TaintEffect::no_execute;
  Toleration for_one_second = for_ever;
  for_one_second.toleration_seconds = 1;
  const struct {
    const char* name;
    OfTolerations before;
    OfTolerations after;
    Relation relation;
  } cases[] = {
      {"the default of one meets what both require",
       {.required = {k},
        .given = {{equals("k", "x")}},
        .exempt = {equals("k", "z"), equals("k", "u")}},
       {.required = {k}, .allowed = any, .exempt = {equals("k", "y"), equals("k", "u")}},
       Relation::incomparable},
      {"all that one side exempts of what the other requires, where its default is denied",
       {.required = {k, m}, .exempt = {equals("k", "w")}},
       {.allowed = any,
        .given = {{denied}},
        .exempt = {equals("k", "x"), equals("m", "x"), equals("p", "x")}},
       Relation::incomparable},
      {"what one side exempts without what the other requires, which its default gives",
       {.required = {k, m, n},
        .given = {{equals("k", "z")}},
        .exempt = {equals("m", "x"), equals("n", "x"), equals("k", "y")}},
       {.required = {k}, .allowed = any},
       Relation::incomparable},
      {"a second toleration that keeps the default away which the other side requires",
       {.allowed = {k, m}, .given = {{denied}}, .exempt = {equals("e", "x")}},
       {.required = {k}, .allowed = any, .given = {{equals("k", "x")}}},
       Relation::incomparable},
      {"what is added to pods meets what the default of the other side does",
       {.required = {k}, .allowed = {m}, .added = {equals("k", "x")}},
       {.required = {k}, .allowed = any, .given = {{equals("k", "x")}}},
       Relation::incomparable},
      {"one of other seconds than those that are exempt",
       {.required = {{{"k"}, {TolerationOperator::equal}, {"x"}, {TaintEffect::no_execute}}}},
       {.required = {m},
        .allowed = any,
        .given = {{equals("m", "x")}},
        .exempt = {for_ever, for_one_second}},
       Relation::incomparable},
      {"a second default",
       {.given = {{equals("a", "x")}, {equals("b", "x")}}},
       {.given = {{equals("a", "x")}}},
       Relation::stricter},
      {"any key, and that which is called `other`",
       {.allowed = {{any, any, any, any}}},
       {.allowed = {{{"other"}, any, any, any}}},
       Relation::stricter},
      {"any key, and others, the last of which is called `other`",
       {.allowed = {{any, any, any, any}}},
       {.allowed = {{{"a"}, any, any, any}, {{"other"}, any, any, any}}},
       Relation::stricter},
      {"no value, and either no or another value",
       {.allowed = {{{"k"}, any, {"", "x"}, any}}},
       {.allowed = {{{"k"}, any, {}, any}}},
       Relation::incomparable},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    check_relation(of(each.before), of(each.after), each.relation);
  }
}

}  // namespace compare_tolerations_test
