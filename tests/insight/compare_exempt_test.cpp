// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/compare.hpp>

#include "comparisons.hpp"

#include <vector>

namespace compare_exempt_test {

using namespace comparisons;

TEST_CASE("what the options of one side alone exempt tells two policies apart") {
  const struct {
    const char* name;
    Options options;
    PodSpec exempt;
  } cases[] = {
      {"the global default priority class",
       {.global_default_priority_class = "gold"},
       {.priority_class_name = "gold"}},
      {"a pair of the node selector",
       {.exempt = {.node_selector = {{"sandbox", "kata"}}}},
       {.node_selector = {{"sandbox", "kata"}}}},
      {"a toleration",
       {.exempt = {.tolerations = {{.key = "k", .value = "v", .effect = TaintEffect::no_execute}}}},
       {.tolerations = {{.key = "k", .value = "v", .effect = TaintEffect::no_execute}}}},
  };
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = any;
  const EffectivePolicy policy =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto found = compare(policy, policy, c.options, {});
    REQUIRE(found);
    CHECK(found->relation == Relation::stricter);
    CHECK(found->allowed_before == Pod{.spec = c.exempt});
    const auto turned = compare(policy, policy, {}, c.options);
    REQUIRE(turned);
    CHECK(turned->relation == Relation::looser);
    CHECK(turned->allowed_after == Pod{.spec = c.exempt});
  }
}

TEST_CASE("each thing more that is exempt is a difference, which a pod with it shows") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = {"default-scheduler"};
  const auto policy =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
  const Toleration spot{.key = "spot", .operator_ = TolerationOperator::exists};
  const Toleration gpu{.key = "gpu", .operator_ = TolerationOperator::exists};
  const SchedulingCriteria blue{.scheduler_name = "blue"};
  const SchedulingCriteria green{.scheduler_name = "green"};
  const SchedulingCriteria here{.node_name = "here"};
  const SchedulingCriteria there{.node_name = "there"};
  const struct {
    const char* name;
    Options before;
    Options after;
    PodSpec shows;
  } cases[] = {
      {"a scheduler", {}, {.exempt = blue}, {.scheduler_name = "blue"}},
      {"another scheduler",
       {.exempt_criteria = {blue}},
       {.exempt_criteria = {blue, green}},
       {.scheduler_name = "green"}},
      {"a node", {}, {.exempt = here}, {.node_name = "here"}},
      {"another node",
       {.exempt_criteria = {here}},
       {.exempt_criteria = {here, there}},
       {.node_name = "there"}},
      {"another pair of the node selector",
       {.exempt = {.node_selector = {{"a", "1"}}}},
       {.exempt = {.node_selector = {{"a", "1"}, {"b", "2"}}}},
       {.node_selector = {{"b", "2"}}}},
      {"another pair of the same key",
       {.exempt_criteria = {{{.node_selector = {{"a", "1"}}}}}},
       {.exempt_criteria = {{{.node_selector = {{"a", "1"}}}}, {{.node_selector = {{"a", "2"}}}}}},
       {.node_selector = {{"a", "2"}}}},
      {"another toleration",
       {.exempt = {.tolerations = {spot}}},
       {.exempt = {.tolerations = {spot, gpu}}},
       {.tolerations = {gpu}}},
      {"a pair that is added",
       {.added_to_pods = {.node_selector = {{"a", "1"}}}},
       {.added_to_pods = {.node_selector = {{"a", "1"}, {"b", "2"}}}},
       {.node_selector = {{"b", "2"}}}},
      {"a toleration that is added",
       {.added_to_pods = {.tolerations = {spot}}},
       {.added_to_pods = {.tolerations = {spot, gpu}}},
       {.tolerations = {gpu}}},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const auto found = compare(policy, policy, c.before, c.after);
    REQUIRE(found);
    CHECK(found->relation == Relation::looser);
    REQUIRE(found->allowed_after);
    CHECK(found->allowed_after->spec == c.shows);
    const auto turned = compare(policy, policy, c.after, c.before);
    REQUIRE(turned);
    CHECK(turned->relation == Relation::stricter);
    CHECK(turned->allowed_before == found->allowed_after);
  }
}

TEST_CASE("of more pairs than are tried beside others each that is exempt is a difference") {
  SchedulingPolicySpec spec;
  spec.allowed.scheduler_names = {"default-scheduler"};
  const auto policy =
      merge(std::vector<SchedulingPolicy>{{.metadata = {.name = "p"}, .spec = spec}});
  Options before;
  for (std::size_t i = 0; i < compared_pairs; ++i)
    before.exempt.node_selector.emplace("a" + std::to_string(i), "1");
  for (const char* value : {"1", "2"}) {
    CAPTURE(value);
    Options after = before;
    after.exempt_criteria.push_back(SchedulingCriteria{.node_selector = {{"z", value}}});
    const auto found = compare(policy, policy, before, after);
    REQUIRE(found);
    CHECK(found->relation == Relation::looser);
    REQUIRE(found->allowed_after);
    CHECK(found->allowed_after->spec == PodSpec{.node_selector = {{"z", value}}});
    before = after;
  }
}

TEST_CASE("what is exempt on either side, in pods to which one gives a default that it denies") {
  const TolerationPattern m{{"m"}, any, any, any};
  const TolerationPattern n{{"n"}, any, any, any};
  const TolerationPattern q{{"q"}, any, any, any};
  const TolerationPattern z{{"z"}, any, any, any};
  Toleration denied = equals("d", "");
  denied.operator_ = OpenEnum<TolerationOperator>("Like");
  const struct {
    const char* name;
    OfTolerations before;
    OfTolerations after;
  } cases[] = {
      {"one exempts another of them, the other a third that the one denies",
       {.required = {m, n}, .exempt = {equals("m", "w"), equals("m", "x"), equals("n", "x")}},
       {.allowed = any,
        .given = {{denied}},
        .exempt = {equals("m", "x"), equals("n", "x"), equals("p", "x")}}},
      {"one exempts the first of them alone",
       {.required = {m, n}, .exempt = {equals("m", "w"), equals("m", "x")}},
       {.allowed = any,
        .given = {{denied}},
        .exempt = {equals("m", "x"), equals("n", "x"), equals("p", "x")}}},
      {"a default of the one meets what it requires besides",
       {.required = {m, n, q},
        .allowed = {{z}},
        .given = {{equals("q", "x")}},
        .exempt = {equals("p", "w"), equals("m", "x"), equals("n", "x")}},
       {.allowed = any,
        .given = {{denied}},
        .exempt = {equals("m", "x"), equals("n", "x"), equals("z", "x")}}},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    check_relation(of(each.before), of(each.after), Relation::incomparable);
  }
}

}  // namespace compare_exempt_test
