// SPDX-License-Identifier: Apache-2.0
#include <schedpol/resource_policy/policy.hpp>

#include "../support/print.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

using schedpol::ErrorType;
using schedpol::FieldError;
using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::OpenEnum;
using schedpol::Pod;
using schedpol::resource_policy::compile;
using schedpol::resource_policy::MatchPolicy;
using schedpol::resource_policy::Policies;
using schedpol::resource_policy::ResourcePolicy;
using schedpol::resource_policy::ResourcePolicySpec;
using schedpol::resource_policy::Strategy;
using schedpol::resource_policy::Unit;
using schedpol::resource_policy::validate;
using schedpol::resource_policy::Validation;
using Op = schedpol::LabelSelectorOperator;
using OpenStrategy = OpenEnum<Strategy>;
using Strings = std::vector<std::string>;

static_assert(std::is_aggregate_v<Unit>);
static_assert(std::is_aggregate_v<MatchPolicy>);
static_assert(std::is_aggregate_v<ResourcePolicySpec>);
static_assert(std::is_aggregate_v<ResourcePolicy>);
static_assert(std::is_aggregate_v<Validation>);
static_assert(std::is_nothrow_move_constructible_v<ResourcePolicy>);
static_assert(std::equality_comparable<ResourcePolicy>);
static_assert(std::equality_comparable<Validation>);
static_assert(!std::is_constructible_v<Policies, std::vector<ResourcePolicy>>);
static_assert(noexcept(std::declval<const Policies::Compiled&>().matches(std::declval<Pod&>())));

namespace {

/// Errors or warnings as `TYPE FIELD`, without the prefix that all types have.
Strings said(const std::vector<FieldError>& errors) {
  Strings lines;
  for (const FieldError& error : errors) {
    std::string_view type = to_string(error.type);
    type.remove_prefix(std::string_view("FieldValue").size());
    lines.push_back(std::string(type) + " " + error.field);
    CAPTURE(error);
    CHECK(!error.detail.empty());
  }
  return lines;
}

LabelSelector pair(std::string key, std::string value) {
  return {.match_labels = {{std::move(key), std::move(value)}}};
}

LabelSelector in_without_values(std::string key) {
  return {.match_expressions = {{.key = std::move(key), .operator_ = Op::in}}};
}

ResourcePolicy policy(ResourcePolicySpec spec) {
  return {.metadata = {.name = "web", .namespace_ = "shop"}, .spec = std::move(spec)};
}

Pod pod(std::string namespace_, Labels labels) {
  return {
      .metadata = {.name = "p", .namespace_ = std::move(namespace_), .labels = std::move(labels)}};
}

/// Whether the one policy of a set selects a pod of its namespace with these labels.
bool selects(const std::optional<LabelSelector>& selector, const Labels& labels) {
  const auto compiled = compile(std::vector{policy({.pod_selector = selector})});
  REQUIRE(static_cast<bool>(compiled));
  REQUIRE(compiled->all().size() == 1);
  return compiled->all()[0].matches(pod("shop", labels));
}

}  // namespace

TEST_CASE("an absent field of a policy is the default of the proposal") {
  const ResourcePolicy empty;
  CHECK(empty.spec.strategy == Strategy::unset);
  CHECK(!empty.spec.match_policy.ignore_terminating_pod);
  CHECK(!empty.spec.pod_selector.has_value());
  CHECK(!Unit().priority.has_value());
  CHECK(!Unit().max_count.has_value());
  CHECK(!Unit().node_selector.has_value());
}

TEST_CASE("a policy selects pods of its own namespace by their labels") {
  CHECK(selects(std::nullopt, {}));
  CHECK(selects(std::nullopt, {{"app", "web"}}));
  CHECK(selects(LabelSelector{}, {}));
  CHECK(selects(pair("app", "web"), {{"app", "web"}, {"tier", "x"}}));
  CHECK(!selects(pair("app", "web"), {{"app", "db"}}));
  CHECK(!selects(pair("app", "web"), {}));
  const LabelSelector both = {
      .match_labels = {{"app", "web"}},
      .match_expressions = {{.key = "tier", .operator_ = Op::not_in, .values = {"b", "a"}}}};
  CHECK(selects(both, {{"app", "web"}}));
  CHECK(selects(both, {{"app", "web"}, {"tier", "c"}}));
  CHECK(!selects(both, {{"app", "web"}, {"tier", "a"}}));

  const auto compiled = compile(std::vector{policy({})});
  REQUIRE(static_cast<bool>(compiled));
  CHECK(compiled->all()[0].matches(pod("shop", {})));
  CHECK(!compiled->all()[0].matches(pod("shop-2", {})));
  CHECK(!compiled->all()[0].matches(pod("", {})));
}

TEST_CASE("units select nodes by their labels, without a selector all of them") {
  const auto compiled = compile(std::vector{
      policy({.units = {{.name = "all"},
                        {.name = "empty", .node_selector = LabelSelector{}},
                        {.name = "spot", .node_selector = pair("pool", "spot")},
                        {.name = "rest",
                         .node_selector = LabelSelector{.match_expressions = {{
                                                            .key = "pool",
                                                            .operator_ = Op::does_not_exist,
                                                        }}}}}})});
  REQUIRE(static_cast<bool>(compiled));
  const auto& units = compiled->all()[0].units;
  REQUIRE(units.size() == 4);
  for (const Labels& labels : {Labels{}, Labels{{"pool", "spot"}}, Labels{{"pool", "x"}}}) {
    CHECK(units[0].matches(labels));
    CHECK(units[1].matches(labels));
    CHECK(units[2].matches(labels) == (labels == Labels{{"pool", "spot"}}));
    CHECK(units[3].matches(labels) == labels.empty());
  }
}

TEST_CASE("the strategies are required and prefer, spelled exactly so") {
  CHECK(OpenStrategy("required").word() == Strategy::required);
  CHECK(OpenStrategy("prefer").word() == Strategy::prefer);
  CHECK(OpenStrategy("").word() == Strategy::unset);
  for (const std::string text : {"Prefer", "REQUIRED", "preferred", "require", " prefer"}) {
    CAPTURE(text);
    CHECK(!OpenStrategy(text).known());
    CHECK(OpenStrategy(text).text() == text);
  }
}

TEST_CASE("only the strategy prefer prefers") {
  for (const Strategy strategy : {Strategy::unset, Strategy::required, Strategy::prefer}) {
    const auto compiled = compile(std::vector{policy({.strategy = strategy})});
    REQUIRE(static_cast<bool>(compiled));
    CHECK(compiled->all()[0].prefers() == (strategy == Strategy::prefer));
  }
  CHECK(Policies().all().empty());
  const auto none = compile({});
  REQUIRE(static_cast<bool>(none));
  CHECK(none->all().empty());
}

TEST_CASE("an unknown strategy and selectors that cannot be used are errors naming the policy") {
  struct Case {
    std::string name;
    std::vector<ResourcePolicySpec> specs;
    Strings errors;
    Strings policies;  ///< whose error each is
  };
  const ResourcePolicySpec unknown = {.strategy = OpenStrategy("best")};
  const ResourcePolicySpec bad_pods = {.pod_selector = in_without_values("app")};
  const ResourcePolicySpec bad_unit = {
      .units = {{}, {.node_selector = pair("pool", "a b")}, {.node_selector = LabelSelector{}}}};
  const ResourcePolicySpec all_bad = {.pod_selector = in_without_values("-app"),
                                      .strategy = OpenStrategy("Required"),
                                      .units = {{.node_selector = in_without_values("a")},
                                                {.node_selector = in_without_values("b")}}};
  const Case cases[] = {
      {"nothing wrong", {{}, {.strategy = Strategy::prefer}}, {}, {}},
      {"an unknown strategy", {unknown}, {"NotSupported policies[0].spec.strategy"}, {"policy-0"}},
      {"the second one", {{}, unknown}, {"NotSupported policies[1].spec.strategy"}, {"policy-1"}},
      {"a pod selector",
       {bad_pods},
       {"Required policies[0].spec.podSelector.matchExpressions[0].values"},
       {"policy-0"}},
      {"a unit's selector",
       {{}, {}, bad_unit},
       {"Invalid policies[2].spec.units[1].nodeSelector.matchLabels[pool]"},
       {"policy-2"}},
      {"of two policies",
       {unknown, {}, bad_pods},
       {"NotSupported policies[0].spec.strategy",
        "Required policies[2].spec.podSelector.matchExpressions[0].values"},
       {"policy-0", "policy-2"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    std::vector<ResourcePolicy> policies;
    for (const ResourcePolicySpec& spec : c.specs) {
      policies.push_back(
          {.metadata = {.name = "policy-" + std::to_string(policies.size())}, .spec = spec});
    }
    const auto compiled = compile(policies);
    CHECK(static_cast<bool>(compiled) == c.errors.empty());
    CHECK(said(compiled.errors()) == c.errors);
    REQUIRE(compiled.errors().size() == c.policies.size());
    for (std::size_t i = 0; i < c.policies.size(); ++i) {
      CAPTURE(compiled.errors()[i]);
      CHECK(compiled.errors()[i].detail.find("`" + c.policies[i] + "`") != std::string::npos);
    }
  }
  const auto everything = compile(std::vector{policy(all_bad)});
  CHECK(!static_cast<bool>(everything));
  Strings fields = said(everything.errors());
  std::sort(fields.begin(), fields.end());
  CHECK(fields == Strings{
                      "Invalid policies[0].spec.podSelector.matchExpressions[0].key",
                      "NotSupported policies[0].spec.strategy",
                      "Required policies[0].spec.podSelector.matchExpressions[0].values",
                      "Required policies[0].spec.units[0].nodeSelector.matchExpressions[0].values",
                      "Required policies[0].spec.units[1].nodeSelector.matchExpressions[0].values",
                  });
  const auto strategy = compile(std::vector{policy({.strategy = OpenStrategy("best")})});
  REQUIRE(strategy.errors().size() == 1);
  CHECK(strategy.errors()[0].bad_value == "best");
}

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
      {"a pod selector",
       {.pod_selector = in_without_values("app")},
       {"Required spec.podSelector.matchExpressions[0].values"}},
      {"a pod selector's pair",
       {.pod_selector = pair("app", "a b")},
       {"Invalid spec.podSelector.matchLabels[app]"}},
      {"a negative priority", {.units = {{.priority = -1}}}, {"Invalid spec.units[0].priority"}},
      {"a negative maxCount",
       {.units = {{}, {.max_count = -1, .node_selector = pair("a", "b")}}},
       {"Invalid spec.units[1].maxCount"}},
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
    const Validation validation = validate(policy(c.spec));
    CHECK(said(validation.errors) == c.errors);
    CHECK(said(validation.warnings) == Strings{});
  }
  const Validation negative = validate(policy({.units = {{.priority = -7}}}));
  REQUIRE(negative.errors.size() == 1);
  CHECK(negative.errors[0].bad_value == "-7");
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
    const Validation validation = validate(policy({.units = c.units}));
    CHECK(said(validation.errors) == Strings{});
    CHECK(said(validation.warnings) == c.warnings);
    CHECK(static_cast<bool>(compile(std::vector{policy({.units = c.units})})));
  }
}
