// SPDX-License-Identifier: Apache-2.0
#include <schedpol/resource_policy/compile.hpp>

#include <schedpol/cluster/cluster.hpp>

#include "clusters.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace compile_test {

static_assert(std::is_nothrow_default_constructible_v<CompiledPolicies>);
static_assert(std::is_nothrow_move_constructible_v<CompiledPolicies>);
static_assert(std::is_copy_constructible_v<CompiledPolicies>);
static_assert(!std::is_constructible_v<CompiledPolicies, Policies>);

/// Whether the one policy selects the pod.
bool selects(const ResourcePolicy& policy, const Pod& pod) {
  const Cluster cluster = cluster_of({policy}, {});
  return cluster.prefilter(pod).code() == Code::success;
}

bool selects(const std::optional<LabelSelector>& selector, const Labels& labels) {
  return selects(policy("web", {.pod_selector = selector}), pod("p", labels));
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

  const ResourcePolicy all = policy("web", {});
  CHECK(selects(all, pod("p", {})));
  CHECK(!selects(all, in_namespace("shop-2", pod("p", {}))));
  CHECK(!selects(all, in_namespace("", pod("p", {}))));
}

TEST_CASE("units select nodes by their labels, without a selector all of them") {
  const LabelSelector rest = {
      .match_expressions = {{.key = "pool", .operator_ = Op::does_not_exist}}};
  struct Case {
    std::string name;
    std::optional<LabelSelector> selector;
    std::string unlabelled;
    std::string spot;
    std::string other;
  };
  const std::string out = "UnschedulableAndUnresolvable NodeNotInUnit";
  const std::string in = "Success in 0";
  const Case cases[] = {{"none", std::nullopt, in, in, in},
                        {"empty", LabelSelector{}, in, in, in},
                        {"a pair", pair("pool", "spot"), out, in, out},
                        {"a missing key", rest, in, out, out}};
  const std::vector<Node> nodes = {node("unlabelled", {}), node("spot", {{"pool", "spot"}}),
                                   node("other", {{"pool", "x"}})};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Cluster cluster =
        cluster_of({policy("web", {.units = {{.node_selector = c.selector}}})}, nodes);
    const Prefilter before = cluster.prefilter(pod("p", {}));
    CHECK(said(before.filter("unlabelled")) == c.unlabelled);
    CHECK(said(before.filter("spot")) == c.spot);
    CHECK(said(before.filter("other")) == c.other);
  }
}

TEST_CASE("only the strategy prefer prefers") {
  for (const Strategy strategy : {Strategy::unset, Strategy::required, Strategy::prefer}) {
    const Cluster cluster = cluster_of({policy("web", {.strategy = strategy})}, {node("a", {})});
    CHECK((cluster.prefilter(pod("p", {})).filter("a").code == Code::success) ==
          (strategy == Strategy::prefer));
  }
  CHECK(static_cast<bool>(compile({})));
}

TEST_CASE("a policy that is invalid is an error naming it, and nothing is evaluated") {
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
       {"Invalid policies[2].spec.units[1].nodeSelector.matchLabels"},
       {"policy-2"}},
      {"a negative priority",
       {{.units = {{.priority = -2}}}},
       {"Invalid policies[0].spec.units[0].priority"},
       {"policy-0"}},
      {"a negative maxCount",
       {{.units = {{}, {.max_count = -1}}}},
       {"Invalid policies[0].spec.units[1].maxCount"},
       {"policy-0"}},
      {"a negative resource",
       {{.units = {{}, {.max_resources = list({{"cpu", "-1"}})}}}},
       {"Invalid policies[0].spec.units[1].maxResources[cpu]"},
       {"policy-0"}},
      {"a matchLabelKey twice",
       {{.match_label_keys = {"a", "a"}}},
       {"Duplicate policies[0].spec.matchLabelKeys[1]"},
       {"policy-0"}},
      {"a matchLabelKey that is in the pod selector too, which counts no pods otherwise",
       {{.match_label_keys = {"app"}, .pod_selector = pair("app", "web")}},
       {},
       {}},
      {"of two policies",
       {unknown, {}, bad_pods},
       {"NotSupported policies[0].spec.strategy",
        "Required policies[2].spec.podSelector.matchExpressions[0].values"},
       {"policy-0", "policy-2"}},
      {"two of one policy",
       {{.units = {{.priority = -2, .max_count = -1}}}},
       {"Invalid policies[0].spec.units[0].priority", "Invalid policies[0].spec.units[0].maxCount"},
       {"policy-0", "policy-0"}},
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
  const auto everything = compile(std::vector{policy("web", all_bad)});
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
  CHECK(said(compile(std::vector{policy("", {})}).errors()) ==
        Strings{"Required policies[0].metadata.name"});
  const auto strategy = compile(std::vector{policy("web", {.strategy = OpenStrategy("best")})});
  REQUIRE(strategy.errors().size() == 1);
  CHECK(strategy.errors()[0].bad_value == "best");
}

}  // namespace compile_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
