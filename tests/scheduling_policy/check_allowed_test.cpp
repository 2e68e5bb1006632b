// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "checked.hpp"

#include <schedpol/insight/explain.hpp>
#include <schedpol/insight/nearest_fix.hpp>

#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_allowed_test {

using namespace checked;

constexpr auto do_not_schedule = WhenUnsatisfiable::do_not_schedule;
constexpr auto schedule_anyway = WhenUnsatisfiable::schedule_anyway;

const Options governing_all{.governs = Components::all()};

TEST_CASE("a topology spread constraint is permitted by patterns of its key and of what it does") {
  struct Case {
    const char* name;
    AnyOr<std::vector<SpreadConstraintPattern>> allowed;
    std::string key;
    OpenEnum<WhenUnsatisfiable> word;
    bool permitted;
    List by;  ///< of what is permitted, the entries that are shown to match it
  };
  const std::string all = "allowed.topologySpreadConstraints";
  const Case cases[] = {
      {"where none is allowed", {}, "zone", do_not_schedule, false, {}},
      {"where any is", any, "zone", do_not_schedule, true, {all}},
      {"any allows an empty key and no word", any, "", {}, true, {all}},
      {"not a word that there is not",
       any,
       "zone",
       OpenEnum<WhenUnsatisfiable>("Sometimes"),
       false,
       {}},
      {"by its key and word",
       {{{"zone"}, {do_not_schedule}}},
       "zone",
       do_not_schedule,
       true,
       {all + "[0]"}},
      {"not another key", {{{"zone"}, {do_not_schedule}}}, "rack", do_not_schedule, false, {}},
      {"not another word", {{{"zone"}, {do_not_schedule}}}, "zone", schedule_anyway, false, {}},
      {"each of its keys and words",
       {{{"rack", "zone"}, {do_not_schedule, schedule_anyway}}},
       "zone",
       schedule_anyway,
       true,
       {all + "[0]"}},
      {"by each pattern that matches it",
       {{{"zone"}, {schedule_anyway}},
        {any, {do_not_schedule}},
        {{"rack"}, any},
        {{"zone"}, any},
        {any, {schedule_anyway}}},
       "zone",
       do_not_schedule,
       true,
       {all + "[1]", all + "[3]"}},
      {"no word by a pattern of both", {{{"zone"}, any}}, "zone", {}, true, {all + "[0]"}},
      {"no word by a pattern of each",
       {{{"zone"}, {schedule_anyway}}, {any, {do_not_schedule}}},
       "zone",
       {},
       true,
       {all + "[0]", all + "[1]"}},
      {"no word not by a pattern of one", {{{"zone"}, {schedule_anyway}}}, "zone", {}, false, {}},
      {"an empty key by any alone",
       {{any, any}, {{""}, any}},
       "",
       do_not_schedule,
       true,
       {all + "[0]"}},
      {"an empty key not by the empty one", {{{"", "zone"}, any}}, "", do_not_schedule, false, {}},
      {"not by a pattern without keys", {{{}, any}}, "zone", do_not_schedule, false, {}},
      {"not by a pattern without words", {{any, {}}}, "zone", do_not_schedule, false, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const EffectivePolicy effective =
        merged_with_scheduler({.allowed = {.topology_spread_constraints = c.allowed}});
    const TopologySpreadConstraint constraint{
        .max_skew = 1, .topology_key = c.key, .when_unsatisfiable = c.word};
    const Pod pod{.spec = {.topology_spread_constraints = {constraint, constraint}}};
    CHECK(reasons(check(pod, effective, governing_all)) ==
          (c.permitted
               ? List{}
               : List{"TopologySpreadConstraintNotAllowed spec.topologySpreadConstraints[0]",
                      "TopologySpreadConstraintNotAllowed spec.topologySpreadConstraints[1]"}));
    List by;
    for (const ExplainedItem& item : explain_check(pod, effective, governing_all).items)
      if (item.field == "spec.topologySpreadConstraints[1]"_path)
        for (const PolicyEntry& entry : item.by) by.push_back(to_string(entry.entry));
    CHECK(by == c.by);
  }
}

TEST_CASE("a scheduling gate or a resource claim is permitted where each of its names is") {
  struct Case {
    const char* name;
    AnyOr<Texts> allowed;
    PodSpec pod;
    List wanted;
  };
  const auto gate = [](std::string name) { return PodSpec{.scheduling_gates = {{name}}}; };
  const auto claim = [](std::string name, std::string of_template) {
    return PodSpec{.resource_claims = {{"c", name, of_template}}};
  };
  const std::string gate_0 = "SchedulingGateNotAllowed spec.schedulingGates[0]";
  const std::string claim_0 = "ResourceClaimNotAllowed spec.resourceClaims[0]";
  const std::string name_0 = claim_0 + ".resourceClaimName";
  const std::string template_0 = claim_0 + ".resourceClaimTemplateName";
  const Case cases[] = {
      {"a gate where none is allowed", {}, gate("quota"), {gate_0 + ".name"}},
      {"a gate where any is", any, gate("quota"), {}},
      {"a listed gate", {"audit", "quota"}, gate("quota"), {}},
      {"another gate", {"audit"}, gate("quota"), {gate_0 + ".name"}},
      {"a gate without a name, only by any", {""}, gate(""), {gate_0 + ".name"}},
      {"a gate without a name, by any", any, gate(""), {}},
      {"each of two gates",
       {"quota"},
       {.scheduling_gates = {{"audit"}, {"quota"}}},
       {gate_0 + ".name"}},
      {"a listed claim", {"gpu"}, claim("gpu", ""), {}},
      {"another claim", {"gpu"}, claim("fpga", ""), {name_0}},
      {"a claim of a listed template", {"gpu"}, claim("", "gpu"), {}},
      {"a claim of another template", {"gpu"}, claim("", "fpga"), {template_0}},
      {"a claim and a template, of which one is listed",
       {"gpu"},
       claim("gpu", "fpga"),
       {template_0}},
      {"a claim and a template, of which the other is", {"gpu"}, claim("fpga", "gpu"), {name_0}},
      {"a claim that names nothing, only by any", {"", "gpu"}, claim("", ""), {claim_0}},
      {"a claim that names nothing, by any", any, claim("", ""), {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const EffectivePolicy effective = merged_with_scheduler(
        {.allowed = {.scheduling_gates = c.allowed, .resource_claims = c.allowed}});
    CHECK(reasons(check(Pod{.spec = c.pod}, effective, governing_all)) == c.wanted);
  }
}

TEST_CASE("a fix keeps the gates and claims that are permitted") {
  const EffectivePolicy effective = merged_with_scheduler(
      {.allowed = {.scheduling_gates = {"quota"}, .resource_claims = {"gpu"}}});
  const Pod pod{.spec = {.scheduling_gates = {{"quota"}, {"audit"}},
                         .resource_claims = {{"a", "gpu", ""}, {"b", "fpga", ""}}}};
  const auto fix = nearest_fix(pod, effective, governing_all);
  REQUIRE(fix);
  REQUIRE(*fix);
  CHECK((*fix)->pod.spec.scheduling_gates == std::vector<PodSchedulingGate>{{"quota"}});
  CHECK((*fix)->pod.spec.resource_claims == std::vector<PodResourceClaim>{{"a", "gpu", ""}});
}

}  // namespace check_allowed_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
