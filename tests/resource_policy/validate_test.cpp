// SPDX-License-Identifier: Apache-2.0
#include <schedpol/resource_policy/validate.hpp>

#include <schedpol/resource_policy/compile.hpp>

#include "clusters.hpp"

#include <concepts>
#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace validate_test {

static_assert(std::is_aggregate_v<Validation>);
static_assert(std::equality_comparable<Validation>);

TEST_CASE("validation finds what makes a policy unfit") {
  struct Case {
    std::string name;
    ResourcePolicySpec spec;
    Strings errors;
  };
  const Case cases[] = {
      {"nothing at all", {}, {}},
      {"the strategies", {.strategy = Strategy::required}, {}},
      {"prefer", {.strategy = Strategy::prefer}, {}},
      {"zeros", {.units = {{.priority = 0, .max_count = 0}}}, {}},
      {"the largest numbers", {.units = {{.priority = 2147483647, .max_count = 2147483647}}}, {}},
      {"label keys", {.match_label_keys = {"pod-template-hash", "example.com/a"}}, {}},
      {"an unknown strategy", {.strategy = OpenStrategy("best")}, {"NotSupported spec.strategy"}},
      {"a strategy in another case",
       {.strategy = OpenStrategy("Prefer")},
       {"NotSupported spec.strategy"}},
      {"a malformed label key",
       {.match_label_keys = {"a", "-b"}},
       {"Invalid spec.matchLabelKeys[1]"}},
      {"an empty label key breaks two rules",
       {.match_label_keys = {""}},
       {"Invalid spec.matchLabelKeys[0]", "Invalid spec.matchLabelKeys[0]"}},
      {"a label key twice",
       {.match_label_keys = {"a", "b", "a", "a"}},
       {"Duplicate spec.matchLabelKeys[2]", "Duplicate spec.matchLabelKeys[3]"}},
      {"a label key that is in the pod selector's pairs",
       {.match_label_keys = {"app", "hash"}, .pod_selector = pair("app", "web")},
       {"Invalid spec.matchLabelKeys[0]"}},
      {"a label key that is in the pod selector's expressions",
       {.match_label_keys = {"hash", "app"},
        .pod_selector =
            LabelSelector{.match_expressions = {{.key = "app", .operator_ = Op::exists}}}},
       {"Invalid spec.matchLabelKeys[1]"}},
      {"label keys that are among others in the pod selector",
       {.match_label_keys = {"b", "d"},
        .pod_selector =
            LabelSelector{.match_labels = {{"a", "x"}, {"b", "x"}},
                          .match_expressions = {{.key = "c", .operator_ = Op::exists},
                                                {.key = "d", .operator_ = Op::exists}}}},
       {"Invalid spec.matchLabelKeys[0]", "Invalid spec.matchLabelKeys[1]"}},
      {"label keys that are only in a unit's selector",
       {.match_label_keys = {"pool"},
        .pod_selector = pair("app", "web"),
        .units = {{.node_selector = pair("pool", "a")}}},
       {}},
      {"a pod selector",
       {.pod_selector = in_without_values("app")},
       {"Required spec.podSelector.matchExpressions[0].values"}},
      {"a pod selector's pair",
       {.pod_selector = pair("app", "a b")},
       {"Invalid spec.podSelector.matchLabels"}},
      {"a negative priority", {.units = {{.priority = -1}}}, {"Invalid spec.units[0].priority"}},
      {"a negative maxCount",
       {.units = {{}, {.max_count = -1, .node_selector = pair("a", "b")}}},
       {"Invalid spec.units[1].maxCount"}},
      {"resources that pods request",
       {.units = {{.max_resources = list({{"cpu", "0"},
                                          {"memory", "1Gi"},
                                          {"ephemeral-storage", "1.5"},
                                          {"hugepages-2Mi", "4Mi"},
                                          {"example.com/gpu", "1"}})}}},
       {}},
      {"a negative quantity",
       {.units = {{.max_resources = list({{"cpu", "-1m"}, {"memory", "1"}})}}},
       {"Invalid spec.units[0].maxResources[cpu]"}},
      {"resources that no pod requests",
       {.units = {{.max_resources = list({{"cpus", "1"},
                                          {"pods", "1"},
                                          {"requests.example.com/gpu", "1"},
                                          {"storage", "1"}})}}},
       {"Invalid spec.units[0].maxResources[cpus]", "Invalid spec.units[0].maxResources[pods]",
        "Invalid spec.units[0].maxResources[requests.example.com/gpu]",
        "Invalid spec.units[0].maxResources[storage]"}},
      {"malformed names, and negative besides",
       {.units = {{.node_selector = pair("a", "b")},
                  {.max_resources = list({{"a b", "1"}, {"hugepages-", "-1"}})}}},
       {"Invalid spec.units[1].maxResources[a b]", "Invalid spec.units[1].maxResources[hugepages-]",
        "Invalid spec.units[1].maxResources[hugepages-]"}},
      {"a unit's selector",
       {.units = {{.node_selector = in_without_values("a")}}},
       {"Required spec.units[0].nodeSelector.matchExpressions[0].values"}},
      {"all of it, in the order of the fields",
       {.match_label_keys = {"-"},
        .pod_selector = in_without_values("a"),
        .strategy = OpenStrategy("x"),
        .units = {{.priority = -1, .max_count = -2, .node_selector = in_without_values("b")},
                  {.max_count = -3}}},
       {"Invalid spec.matchLabelKeys[0]", "Required spec.podSelector.matchExpressions[0].values",
        "NotSupported spec.strategy", "Invalid spec.units[0].priority",
        "Invalid spec.units[0].maxCount",
        "Required spec.units[0].nodeSelector.matchExpressions[0].values",
        "Invalid spec.units[1].maxCount"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Validation validation = validate(policy("web", c.spec));
    CHECK(said(validation.errors) == c.errors);
    CHECK(said(validation.warnings) == Strings{});
  }
  const Validation negative = validate(policy("web", {.units = {{.priority = -7}}}));
  REQUIRE(negative.errors.size() == 1);
  CHECK(negative.errors[0].bad_value == "-7");
  const Validation of_pods =
      validate(policy("web", {.units = {{.max_resources = list({{"cpus", "1"}, {"pods", "1"}})}}}));
  REQUIRE(of_pods.errors.size() == 2);
  CHECK(of_pods.errors[0].detail == "is no resource that pods request");
  CHECK(of_pods.errors[1].detail == "is no resource that pods request; maxCount limits them");
}

TEST_CASE("a policy counts with its units, twice what they limit and four times its label keys") {
  CHECK(counting_cost({}) == 1);
  const ResourceList two = list({{"cpu", "1"}, {"memory", "1"}});
  CHECK(counting_cost({.match_label_keys = {"a", "b"},
                       .units = {{.max_resources = two}, {.max_resources = two}, {}}}) ==
        1 + 4 * 2 + 3 + 2 * 4);
}

TEST_CASE("a unit limits at most 32 resources") {
  Unit unit;
  for (std::size_t i = 0; i < max_unit_resources; ++i)
    unit.max_resources["example.com/r-" + std::to_string(i)] = Quantity();
  CHECK(said(validate(policy("web", {.units = {unit}})).errors) == Strings{});
  unit.max_resources["cpu"] = Quantity();
  CHECK(said(validate(policy("web", {.units = {unit}})).errors) ==
        Strings{"TooMany spec.units[0].maxResources"});
}

TEST_CASE("a policy has a name that is a subdomain") {
  struct Case {
    std::string name;
    Strings errors;
  };
  const Case cases[] = {
      {"web", {}},
      {"web.shop-1", {}},
      {std::string(253, 'a'), {}},
      {"", {"Required metadata.name"}},
      {"Web", {"Invalid metadata.name"}},
      {"-web", {"Invalid metadata.name"}},
      {std::string(254, 'a'), {"Invalid metadata.name"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(said(validate({.metadata = {.name = c.name}}).errors) == c.errors);
  }
}

TEST_CASE("units of one name or of one selector are legal and probably not meant") {
  struct Case {
    std::string name;
    std::vector<Unit> units;
    Strings warnings;
  };
  const LabelSelector spot = pair("pool", "spot");
  const LabelSelector fixed = pair("pool", "static");
  const Case cases[] = {
      {"different units",
       {{.name = "a", .node_selector = spot}, {.name = "b", .node_selector = fixed}},
       {}},
      {"no names", {{.node_selector = spot}, {.node_selector = fixed}}, {}},
      {"one name",
       {{.name = "a", .node_selector = spot}, {.name = "a", .node_selector = fixed}},
       {"Duplicate spec.units[1].name"}},
      {"one name three times",
       {{.name = "a", .node_selector = spot},
        {.name = "a", .node_selector = fixed},
        {.name = "a", .node_selector = pair("pool", "x")}},
       {"Duplicate spec.units[1].name", "Duplicate spec.units[2].name"}},
      {"one selector",
       {{.name = "a", .node_selector = spot}, {.name = "b", .node_selector = spot}},
       {"Duplicate spec.units[1].nodeSelector"}},
      {"one selector three times",
       {{.node_selector = spot}, {.node_selector = spot}, {.node_selector = spot}},
       {"Duplicate spec.units[1].nodeSelector", "Duplicate spec.units[2].nodeSelector"}},
      {"an absent and an empty selector",
       {{.name = "a"}, {.name = "b", .node_selector = LabelSelector{}}},
       {"Duplicate spec.units[1].nodeSelector"}},
      {"not side by side",
       {{.node_selector = spot}, {.node_selector = fixed}, {.node_selector = spot}},
       {"Duplicate spec.units[2].nodeSelector"}},
      {"selectors that may overlap", {{}, {.node_selector = spot}}, {}},
      {"name and selector",
       {{.name = "a"}, {.name = "a"}},
       {"Duplicate spec.units[1].name", "Duplicate spec.units[1].nodeSelector"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Validation validation = validate(policy("web", {.units = c.units}));
    CHECK(said(validation.errors) == Strings{});
    CHECK(said(validation.warnings) == c.warnings);
    CHECK(static_cast<bool>(compile(std::vector{policy("web", {.units = c.units})})));
  }
}

TEST_CASE("a repeated selector is that of the first unit that has it") {
  const LabelSelector spot = pair("pool", "spot");
  struct Case {
    std::string name;
    std::vector<Unit> units;
    std::string detail;
  };
  const Case cases[] = {
      {"the first unit", {{.node_selector = spot}, {}, {.node_selector = spot}}, "unit 0"},
      {"not the first", {{.node_selector = spot}, {}, {}}, "unit 1"},
      {"the last of three that have it", {{}, {.node_selector = LabelSelector{}}, {}}, "unit 0"},
      {"a selector in other words",
       {{.node_selector = LabelSelector{.match_expressions = {{"pool", Op::in, {"spot"}}}}},
        {.node_selector = spot},
        {.node_selector = spot}},
       "unit 1"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Validation validation = validate(policy("web", {.units = c.units}));
    REQUIRE(!validation.warnings.empty());
    CHECK(validation.warnings.back().field == "spec.units[2].nodeSelector"_path);
    CHECK(validation.warnings.back().detail == c.detail + " selects the same nodes");
  }
}

}  // namespace validate_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
