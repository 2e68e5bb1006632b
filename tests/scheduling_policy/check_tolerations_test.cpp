// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "checked.hpp"

#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_tolerations_test {

using namespace checked;

using TolerationOperators = std::vector<OpenEnum<TolerationOperator>>;
using Effects = std::vector<OpenEnum<TaintEffect>>;
constexpr auto prefer_no_schedule = TaintEffect::prefer_no_schedule;

TEST_CASE("a toleration matches a pattern in key, operator, value and effect") {
  struct Case {
    const char* name;
    TolerationPattern pattern;
    Toleration toleration;
    bool allowed;
  };
  const TolerationPattern gpu{.keys = {"gpu"},
                              .operators = TolerationOperators{equal},
                              .values = {"a", "b"},
                              .effects = Effects{no_schedule}};
  const TolerationPattern everything{.keys = any, .operators = any, .values = any, .effects = any};
  const auto with = []<class L>(TolerationPattern pattern, AnyOr<L> TolerationPattern::*member,
                                std::type_identity_t<AnyOr<L>> list) {
    pattern.*member = std::move(list);
    return pattern;
  };
  const auto keys = &TolerationPattern::keys;
  const auto operators = &TolerationPattern::operators;
  const auto values = &TolerationPattern::values;
  const auto effects = &TolerationPattern::effects;
  const OpenEnum<TolerationOperator> unknown_operator("exists");
  const OpenEnum<TaintEffect> unknown_effect("NoRun");
  const Case cases[] = {
      {"all four listed", gpu, {"gpu", equal, "a", no_schedule}, true},
      {"an operator left out is Equal", gpu, {"gpu", {}, "b", no_schedule}, true},
      {"an empty operator in the pattern is Equal too",
       with(gpu, operators, {TolerationOperator::unset}),
       {"gpu", equal, "a", no_schedule},
       true},
      {"another key", gpu, {"spot", equal, "a", no_schedule}, false},
      {"another operator", gpu, {"gpu", TolerationOperator::lt, "a", no_schedule}, false},
      {"another value", gpu, {"gpu", equal, "c", no_schedule}, false},
      {"no value", gpu, {"gpu", equal, "", no_schedule}, false},
      {"another effect", gpu, {"gpu", equal, "a", no_execute}, false},
      {"no effect asks for all three", gpu, {"gpu", equal, "a", {}}, false},
      {"Exists asks for every value", gpu, {"gpu", exists, "", no_schedule}, false},
      {"tolerationSeconds do not matter to a pattern",
       with(gpu, effects, {no_execute}),
       {"gpu", equal, "a", no_execute, 60},
       true},

      {"keys [] is any key", with(gpu, keys, any), {"spot", equal, "a", no_schedule}, true},
      {"absent keys match nothing", with(gpu, keys, {}), {"gpu", equal, "a", no_schedule}, false},
      {"also no empty key", with(gpu, keys, {}), {"", equal, "a", no_schedule}, false},
      {"an empty key needs keys []", with(gpu, keys, any), {"", equal, "a", no_schedule}, true},
      {"an empty key that is listed stands for nothing",
       with(gpu, keys, {"", "gpu"}),
       {"", equal, "a", no_schedule},
       false},

      {"operators [] is any known operator",
       with(gpu, operators, any),
       {"gpu", TolerationOperator::gt, "a", no_schedule},
       true},
      {"absent operators match nothing",
       with(gpu, operators, {}),
       {"gpu", equal, "a", no_schedule},
       false},

      {"values [] is any value", with(gpu, values, any), {"gpu", equal, "c", no_schedule}, true},
      {"also none", with(gpu, values, any), {"gpu", equal, "", no_schedule}, true},
      {"absent values match what has no value",
       with(gpu, values, {}),
       {"gpu", equal, "", no_schedule},
       true},
      {"and nothing that has one", with(gpu, values, {}), {"gpu", equal, "a", no_schedule}, false},
      {"the empty value can be listed",
       with(gpu, values, {""}),
       {"gpu", equal, "", no_schedule},
       true},
      {"Exists needs values [] or none",
       with(everything, values, {"a"}),
       {"gpu", exists, "", no_schedule},
       false},
      {"also where the empty value is listed",
       with(everything, values, {""}),
       {"gpu", exists, "", no_schedule},
       false},
      {"Exists with values []", everything, {"gpu", exists, "", no_schedule}, true},
      {"Exists with absent values",
       with(everything, values, absent),
       {"gpu", exists, "", no_schedule},
       true},

      {"effects [] is any effect",
       with(gpu, effects, any),
       {"gpu", equal, "a", prefer_no_schedule},
       true},
      {"also none", with(gpu, effects, any), {"gpu", equal, "a", {}}, true},
      {"all three effects are any effect",
       with(gpu, effects, {no_execute, prefer_no_schedule, no_schedule}),
       {"gpu", equal, "a", {}},
       true},
      {"two effects are not",
       with(gpu, effects, {no_execute, prefer_no_schedule}),
       {"gpu", equal, "a", {}},
       false},
      {"nor is an empty effect that is listed",
       with(gpu, effects, {TaintEffect::unset}),
       {"gpu", equal, "a", {}},
       false},
      {"absent effects match nothing",
       with(gpu, effects, {}),
       {"gpu", equal, "a", no_schedule},
       false},
      {"absent effects do not match none either",
       with(gpu, effects, {}),
       {"gpu", equal, "a", {}},
       false},

      {"every toleration there is", everything, {"", exists, "", {}}, true},
      {"an unknown operator is never permitted",
       everything,
       {"gpu", unknown_operator, "", no_schedule},
       false},
      {"not even where it is listed",
       with(everything, operators, TolerationOperators{unknown_operator}),
       {"gpu", unknown_operator, "", no_schedule},
       false},
      {"an unknown effect is never permitted",
       everything,
       {"gpu", exists, "", unknown_effect},
       false},
      {"not even where it is listed",
       with(everything, effects, Effects{unknown_effect}),
       {"gpu", exists, "", unknown_effect},
       false},
      {"the pattern {} matches nothing", {}, {"gpu", equal, "", no_schedule}, false},
  };
  for (const auto& [name, pattern, toleration, allowed] : cases) {
    CAPTURE(name);
    CAPTURE(to_string(pattern));
    const Pod pod{.spec = {.tolerations = {toleration}}};
    const List not_allowed = {"TolerationNotAllowed spec.tolerations[0]"};
    const auto by_allowed = check(
        pod, merged_with_scheduler({.allowed = {.tolerations = TolerationPatterns{pattern}}}));
    CHECK(reasons(by_allowed) == (allowed ? List{} : not_allowed));
    if (!allowed) CHECK(by_allowed[0].value == to_string(toleration));

    // A required pattern permits and is met by exactly the same tolerations.
    const auto by_required = check(
        pod, merged_with_scheduler({.required = {.tolerations = TolerationPatterns{pattern}}}));
    CHECK(reasons(by_required) ==
          (allowed ? List{} : List{not_allowed[0], "TolerationRequired spec.tolerations"}));
    if (!allowed) CHECK(by_required[1].value == to_string(pattern));
  }
}

TEST_CASE("tolerations are permitted by the allowed, the required and the default ones") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    std::vector<Toleration> tolerations;
    List wanted;
  };
  const TolerationPattern gpu{.keys = {"gpu"},
                              .operators = TolerationOperators{exists},
                              .effects = Effects{no_schedule, no_execute}};
  const TolerationPattern gpu_preferred{.keys = {"gpu"},
                                        .operators = TolerationOperators{exists},
                                        .effects = Effects{prefer_no_schedule}};
  const TolerationPattern spot{
      .keys = {"spot"}, .operators = TolerationOperators{exists}, .effects = any};
  const auto given = [](Toleration toleration, AnyOr<Texts> values = {}) {
    return Defaults{.tolerations = std::vector<DefaultToleration>{
                        {.toleration = std::move(toleration), .values = std::move(values)}}};
  };
  const SchedulingPolicySpec allow_any{.allowed = {.tolerations = any}};
  const List not_allowed = {"TolerationNotAllowed spec.tolerations[0]"};
  const OpenEnum<TolerationOperator> unknown_operator("Like");
  const OpenEnum<TaintEffect> unknown_effect("NoRun");
  const Case cases[] = {
      {"absent everywhere, none is allowed", {}, {{"gpu", exists, "", no_schedule}}, not_allowed},
      {"a pod without one asks for nothing", {}, {}, {}},
      {"allowed [] is any",
       allow_any,
       {{"gpu", exists, "", no_schedule}, {"", exists, "", {}}},
       {}},
      {"but no unknown operator",
       allow_any,
       {{"gpu", unknown_operator, "", no_schedule}},
       not_allowed},
      {"and no unknown effect", allow_any, {{"gpu", exists, "", unknown_effect}}, not_allowed},
      {"required [] asks for nothing and permits nothing",
       {.required = {.tolerations = any}},
       {{"gpu", exists, "", no_schedule}},
       not_allowed},

      {"each toleration is checked, at its own index",
       {.allowed = {.tolerations = TolerationPatterns{gpu}}},
       {{"spot", exists, "", no_schedule},
        {"gpu", exists, "", no_schedule},
        {"gpu", exists, "", prefer_no_schedule}},
       {"TolerationNotAllowed spec.tolerations[0]", "TolerationNotAllowed spec.tolerations[2]"}},
      {"any of several patterns will do",
       {.allowed = {.tolerations = TolerationPatterns{gpu, spot}}},
       {{"spot", exists, "", no_schedule}, {"gpu", exists, "", no_execute}},
       {}},
      {"without an effect, the effects may be covered one by one",
       {.allowed = {.tolerations = TolerationPatterns{gpu, gpu_preferred}}},
       {{"gpu", exists, "", {}}},
       {}},
      {"by allowed and required together",
       {.required = {.tolerations = TolerationPatterns{gpu_preferred}},
        .allowed = {.tolerations = TolerationPatterns{gpu}}},
       {{"gpu", exists, "", {}}, {"gpu", exists, "", prefer_no_schedule}},
       {}},
      {"by allowed and default together",
       {.allowed = {.tolerations = TolerationPatterns{gpu}},
        .defaults = given({"gpu", exists, "", prefer_no_schedule})},
       {{"gpu", exists, "", {}}},
       {}},
      {"a default with tolerationSeconds covers only what has the same",
       {.allowed = {.tolerations = TolerationPatterns{gpu_preferred}},
        .defaults = given({"gpu", exists, "", no_schedule, 60})},
       {{"gpu", exists, "", {}}},
       not_allowed},
      {"but all three have to be",
       {.allowed = {.tolerations = TolerationPatterns{gpu}}},
       {{"gpu", exists, "", {}}},
       not_allowed},

      {"a default is allowed",
       {.defaults = given({"gpu", equal, "a", no_schedule})},
       {{"gpu", equal, "a", no_schedule}},
       {}},
      {"in whichever spelling",
       {.defaults = given({"gpu", equal, "a", no_schedule})},
       {{"gpu", {}, "a", no_schedule}},
       {}},
      {"one for each of its values",
       {.defaults = given({"gpu", equal, "", no_schedule}, {"a", "b"})},
       {{"gpu", equal, "b", no_schedule}, {"gpu", equal, "a", no_schedule}},
       {}},
      {"and no other value",
       {.defaults = given({"gpu", equal, "", no_schedule}, {"a", "b"})},
       {{"gpu", equal, "", no_schedule}},
       not_allowed},
      {"with other seconds it is another",
       {.defaults = given({"gpu", exists, "", no_execute, 300})},
       {{"gpu", exists, "", no_execute, 301}},
       not_allowed},
      {"a default without an effect allows that, and not a single effect",
       {.defaults = given({"gpu", exists, "", {}})},
       {{"gpu", exists, "", {}}, {"gpu", exists, "", no_schedule}},
       {"TolerationNotAllowed spec.tolerations[1]"}},
      {"a default of an unknown operator allows nothing",
       {.defaults = given({"gpu", unknown_operator, "", no_schedule})},
       {{"gpu", unknown_operator, "", no_schedule}},
       not_allowed},
      {"nor does one of an unknown effect, even of that name",
       {.defaults = given({"gpu", exists, "", OpenEnum<TaintEffect>("unknown")})},
       {{"gpu", exists, "", unknown_effect}},
       not_allowed},

      {"each required pattern is met by some toleration",
       {.required = {.tolerations = TolerationPatterns{spot, gpu}}},
       {{"gpu", exists, "", no_schedule}, {"spot", exists, "", no_execute}},
       {}},
      {"one toleration may meet several",
       {.required = {.tolerations =
                         TolerationPatterns{
                             gpu, {.keys = any, .operators = any, .values = any, .effects = any}}}},
       {{"gpu", exists, "", no_schedule}},
       {}},
      {"each that is not met is a violation of its own, after those of the tolerations",
       {.required = {.tolerations = TolerationPatterns{spot, gpu}}},
       {{"other", exists, "", no_schedule}},
       {"TolerationNotAllowed spec.tolerations[0]", "TolerationRequired spec.tolerations",
        "TolerationRequired spec.tolerations"}},
      {"a toleration that is allowed only effect by effect meets no pattern of one effect",
       {.required = {.tolerations = TolerationPatterns{gpu_preferred}},
        .allowed = {.tolerations = TolerationPatterns{gpu}}},
       {{"gpu", exists, "", {}}},
       {"TolerationRequired spec.tolerations"}},
  };
  for (const auto& [name, policy, tolerations, wanted] : cases) {
    CAPTURE(name);
    const auto found =
        check(Pod{.spec = {.tolerations = tolerations}}, merged_with_scheduler(policy));
    CHECK(reasons(found) == wanted);
  }
}

TEST_CASE("an exempt toleration needs no permission, and requirements see it") {
  const Options options{.exempt = {.tolerations = default_toleration_seconds()}};
  const auto exempt = options.exempt.tolerations;
  const auto found = [&](const SchedulingPolicySpec& policy, std::vector<Toleration> tolerations) {
    return reasons(check(Pod{.spec = {.tolerations = std::move(tolerations)}},
                         merged_with_scheduler(policy), options));
  };
  CHECK(found({}, exempt) == List{});
  CHECK(found({}, {exempt[1], {"gpu", exists, "", no_schedule}}) ==
        List{"TolerationNotAllowed spec.tolerations[1]"});
  Toleration other_seconds = exempt[0];
  other_seconds.toleration_seconds = 301;
  CHECK(found({}, {other_seconds}) == List{"TolerationNotAllowed spec.tolerations[0]"});

  const SchedulingPolicySpec required{
      .required = {.tolerations = TolerationPatterns{{.keys = {"node.kubernetes.io/not-ready"},
                                                      .operators = TolerationOperators{exists},
                                                      .effects = Effects{no_execute}}}}};
  CHECK(found(required, exempt) == List{});
  CHECK(found(required, {exempt[1]}) == List{"TolerationRequired spec.tolerations"});
  CHECK(found(required, {exempt[0], other_seconds}) == List{});
}

TEST_CASE("lists with nothing in them match nothing in a pattern") {
  const Toleration gpu{"gpu", exists, "", no_schedule};
  const TolerationPattern all{.keys = any, .operators = any, .values = any, .effects = any};
  TolerationPattern no_keys = all;
  no_keys.keys = Texts();
  TolerationPattern no_operators = all;
  no_operators.operators = TolerationOperators();
  TolerationPattern no_values = all;
  no_values.values = Texts();
  TolerationPattern no_effects = all;
  no_effects.effects = Effects();
  CHECK(check(Pod{.spec = {.tolerations = {gpu}}},
              merged_with_scheduler({.allowed = {.tolerations = {all}}}))
            .empty());
  for (const TolerationPattern& pattern : {no_keys, no_operators, no_values, no_effects}) {
    CAPTURE(to_string(pattern));
    CHECK(check(Pod{.spec = {.tolerations = {gpu}}},
                merged_with_scheduler({.allowed = {.tolerations = {pattern}}}))
              .size() == 1);
    CHECK(reasons(check(Pod{.spec = {.tolerations = {gpu}}},
                        merged_with_scheduler({.required = {.tolerations = {pattern}},
                                               .allowed = {.tolerations = {all}}}))) ==
          List{"TolerationRequired spec.tolerations"});
  }
}

TEST_CASE("of a default toleration that has both a value and values, the values count") {
  const EffectivePolicy effective = merged_with_scheduler(
      {.defaults = {.tolerations = std::vector<DefaultToleration>{
                        {.toleration = {"gpu", equal, "a", no_schedule}, .values = {"b"}}}}});
  CHECK(check(Pod{.spec = {.tolerations = {{"gpu", equal, "b", no_schedule}}}}, effective).empty());
  CHECK(check(Pod{.spec = {.tolerations = {{"gpu", equal, "a", no_schedule}}}}, effective).size() ==
        1);
}

TEST_CASE("default tolerations of one key are all found, whatever they differ in") {
  std::vector<DefaultToleration> given;
  for (const TolerationOperator operator_ : {equal, TolerationOperator::lt, TolerationOperator::gt})
    for (const TaintEffect effect : {no_schedule, no_execute})
      for (const char* value : {"1", "2", "3"})
        given.push_back({.toleration = {"cores", operator_, value, effect}});
  given.push_back({.toleration = {"cores", exists, "", no_execute, 60}});
  const EffectivePolicy effective = merged_with_scheduler({.defaults = {.tolerations = given}});
  for (const DefaultToleration& each : given) {
    CAPTURE(each.toleration);
    CHECK(check(Pod{.spec = {.tolerations = {each.toleration}}}, effective).empty());
    Toleration other = each.toleration;
    other.toleration_seconds = 61;
    CHECK(check(Pod{.spec = {.tolerations = {other}}}, effective).size() == 1);
  }
}

TEST_CASE("every value of a default toleration is permitted, in whatever order they are given") {
  const EffectivePolicy policy =
      merged({.allowed = {.scheduler_names = any},
              .defaults = {.tolerations = {{{.toleration = {.key = "gpu", .effect = no_schedule},
                                             .values = {"z", "a", "m"}},
                                            {.toleration = {.key = "spot", .effect = no_schedule},
                                             .values = {"y", "z", "x", "a", "m"}}}}}});
  for (const auto& [key, values] :
       {std::pair{"gpu", List{"a", "m", "z"}}, std::pair{"spot", List{"a", "m", "x", "y", "z"}}}) {
    for (const std::string& value : values) {
      CAPTURE(value);
      const Toleration toleration{.key = key, .value = value, .effect = no_schedule};
      CHECK(check(Pod{.spec = {.tolerations = {toleration}}}, policy).empty());
    }
  }
}

}  // namespace check_tolerations_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
