// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include "../support/pod_templates.hpp"
#include "policies.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace inject_node_terms_test {

TEST_CASE("required node selector terms are merged as a product") {
  const NodeSelectorTerm a = term({has("a")});
  const NodeSelectorTerm b = term({has("b")});
  const NodeSelectorTerm x = term({has("x")});
  const NodeSelectorTerm y = term({has("y")});
  const NodeSelectorTerm empty = {};
  struct Case {
    const char* name;
    Terms pod;
    Terms policy;
    Terms wanted;
  };
  const Case cases[] = {
      {"the pod has none: the policy's", {}, {x, y}, {x, y}},
      {"the policy's expressions first", {a}, {x}, {term({has("x"), has("a")})}},
      {"each in its own order",
       {term({has("b"), has("a")})},
       {term({has("y"), has("x")})},
       {term({has("y"), has("x"), has("b"), has("a")})}},
      {"every term with every term, the pod's outside",
       {a, b},
       {x, y},
       {term({has("x"), has("a")}), term({has("y"), has("a")}), term({has("x"), has("b")}),
        term({has("y"), has("b")})}},
      {"an expression of both is there once",
       {term({has("a"), has("b")})},
       {term({has("b"), has("x")})},
       {term({has("b"), has("x"), has("a")})}},
      {"one key with other values is another expression",
       {term({in("zone", {"1", "2"})})},
       {term({in("zone", {"2", "3"})})},
       {term({in("zone", {"2", "3"}), in("zone", {"1", "2"})})}},
      {"one key with another operator is another expression",
       {term({has("zone")})},
       {term({in("zone", {"1"})})},
       {term({in("zone", {"1"}), has("zone")})}},

      {"the same term stays", {a}, {a}, {a}},
      {"a term that holds the policy's stays, in its order",
       {term({has("a"), has("x")})},
       {x},
       {term({has("a"), has("x")})}},
      {"a term that holds one of the policy's terms stays",
       {term({has("a"), has("y")})},
       {x, y},
       {term({has("a"), has("y")})}},
      {"of two terms the one that holds it stays",
       {term({has("a"), has("x")}), b},
       {x, y},
       {term({has("a"), has("x")}), term({has("x"), has("b")}), term({has("y"), has("b")})}},
      {"a term that holds only some of the policy's does not stay",
       {term({has("a"), has("x")})},
       {term({has("x"), has("y")})},
       {term({has("x"), has("y"), has("a")})}},
      {"two terms that become one are not merged",
       {a, b},
       {term({has("a"), has("b")})},
       {term({has("a"), has("b")}), term({has("a"), has("b")})}},

      {"matchFields likewise",
       {term({}, {is_node("n1")})},
       {term({}, {is_not_node("n2")})},
       {term({}, {is_not_node("n2"), is_node("n1")})}},
      {"a field of both is there once",
       {term({has("a")}, {is_node("n1")})},
       {term({has("x")}, {is_node("n1")})},
       {term({has("x"), has("a")}, {is_node("n1")})}},
      {"expressions and fields are kept apart",
       {term({has("a")})},
       {term({}, {is_node("n1")})},
       {term({has("a")}, {is_node("n1")})}},
      {"a field is no expression of the same words",
       {term({is_node("n1")})},
       {term({}, {is_node("n1")})},
       {term({is_node("n1")}, {is_node("n1")})}},
      {"a term that holds the expressions but not the fields does not stay",
       {term({has("a"), has("x")})},
       {term({has("x")}, {is_node("n1")})},
       {term({has("x"), has("a")}, {is_node("n1")})}},
      {"a term that holds the fields but not the expressions does not stay",
       {term({has("a")}, {is_node("n1")})},
       {term({has("x")}, {is_node("n1")})},
       {term({has("x"), has("a")}, {is_node("n1")})}},
      {"a term that holds both stays",
       {term({has("a"), has("x")}, {is_node("n2"), is_node("n1")})},
       {term({has("x")}, {is_node("n1")})},
       {term({has("a"), has("x")}, {is_node("n2"), is_node("n1")})}},

      {"an empty term of the pod is left out", {empty, a}, {x}, {term({has("x"), has("a")})}},
      {"an empty term of the policy is left out", {a}, {empty, x}, {term({has("x"), has("a")})}},
      {"an empty term of the policy is held by none",
       {a, b},
       {x, empty},
       {term({has("x"), has("a")}), term({has("x"), has("b")})}},
      {"empty terms on both sides", {a, empty}, {empty, x, empty}, {term({has("x"), has("a")})}},
      {"only empty terms of the pod: one stays", {empty, empty}, {x}, {empty}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = pod_of({.affinity = required(c.pod)});
    const PodSchedulingPolicy policy = of_team_a("p", {.affinity = required(c.policy)});
    const Injection injection = injected(pod, {policy});
    CHECK(injection.errors.empty());
    CHECK(injection.applied == List{"p"});
    CHECK(injection.skipped == std::vector<Skipped>{});
    CHECK(injection.pod.spec.affinity->node_affinity
              ->required_during_scheduling_ignored_during_execution->node_selector_terms ==
          c.wanted);
    CHECK(injection.changes.size() == (c.pod == c.wanted ? 0 : 1));
    for (const Change& change : injection.changes) {
      CHECK(change.field == required_node_path);
      CHECK(change.from.has_value() == !c.pod.empty());
      CHECK(change.to == to_string(NodeAffinity{NodeSelector{c.wanted}, {}}));
    }
    const Injection again = injected(injection.pod, {policy});
    CHECK(again == Injection{.pod = injection.pod, .applied = {"p"}});
  }
}

TEST_CASE("a pod without required terms takes over the policy's, whatever else it has") {
  const Terms terms = {term({has("x")}), term({has("y")})};
  const PodSchedulingPolicy policy = of_team_a("p", {.affinity = required(terms)});
  const std::vector<PreferredSchedulingTerm> likes = {{5, term({has("a")})}};
  const PodAffinity near = {.required_during_scheduling_ignored_during_execution = {beside("db")}};
  struct Case {
    const char* name;
    std::optional<Affinity> affinity;
    FieldPath field;
  };
  const Case cases[] = {
      {"no affinity", none, node_affinity_path},
      {"pod affinity only", Affinity{.pod_affinity = near}, node_affinity_path},
      {"an empty node affinity", Affinity{.node_affinity = NodeAffinity{}}, required_node_path},
      {"preferred terms only", preferred(likes), required_node_path},
      {"required without terms", required({}), required_node_path},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Injection injection = injected(pod_of({.affinity = c.affinity}), {policy});
    Affinity wanted = c.affinity.value_or(Affinity{});
    if (!wanted.node_affinity) wanted.node_affinity.emplace();
    wanted.node_affinity->required_during_scheduling_ignored_during_execution = NodeSelector{terms};
    CHECK((injection.pod.spec.affinity == wanted));
    CHECK(injection.changes == Changes{{c.field, none, "required (x Exists) | (y Exists)", "p"}});
  }
}

TEST_CASE("a policy without required terms leaves the pod's alone") {
  const Affinity own = required({term({has("a")}), {}});
  const std::vector<PreferredSchedulingTerm> likes = {{5, term({has("x")})}};
  const Affinity cases[] = {Affinity{.node_affinity = NodeAffinity{}}, Affinity{}};
  for (const Affinity& affinity : cases) {
    const Pod pod = pod_of({.affinity = own});
    CHECK(injected(pod, {of_team_a("p", {.affinity = affinity})}) ==
          Injection{.pod = pod, .applied = {"p"}});
  }
  const Injection injection =
      injected(pod_of({.affinity = own}), {of_team_a("p", {.affinity = preferred(likes)})});
  Affinity wanted = own;
  wanted.node_affinity->preferred_during_scheduling_ignored_during_execution = likes;
  CHECK((injection.pod.spec.affinity == wanted));
}

/// What of `from` is not there yet, after what is, looked for one by one.
template <class T>
std::vector<T> appended(std::vector<T> list, const std::vector<T>& from) {
  for (const T& item : from) {
    if (std::find(list.begin(), list.end(), item) == list.end()) list.push_back(item);
  }
  return list;
}

TEST_CASE("of many items those that the pod has are found as of few") {
  Tolerations tolerations[2];
  std::vector<PreferredSchedulingTerm> preferences[2];
  PodAffinity near[2];
  std::vector<NodeSelectorRequirement> expressions[2];
  for (std::size_t i = 0; i < 200; ++i) {
    // Each other has every third of the first one, and each item but the first is there twice.
    const std::string key = i == 0 ? "k" : "k" + std::to_string(i % 100);
    for (const std::size_t side : {0U, 1U}) {
      if (side == 1 && i % 3 != 0) continue;
      const auto weight = static_cast<std::int32_t>(1 + i % 2);
      tolerations[side].push_back(
          {.key = key,
           .operator_ = i % 2 == side ? OpenEnum(equal) : TolerationOperator(),
           .value = i % 5 == 0 ? "v" : ""});
      preferences[side].push_back({weight, term({has(key)})});
      near[side].required_during_scheduling_ignored_during_execution.push_back(beside(key));
      near[side].preferred_during_scheduling_ignored_during_execution.push_back(
          {weight, beside(key)});
      expressions[side].push_back(has(key));
    }
  }
  for (const std::size_t policy : {0U, 1U}) {
    CAPTURE(policy);
    const std::size_t own = 1 - policy;
    const auto affinity_of = [&](std::size_t side) {
      Affinity affinity = required({term(expressions[side])});
      affinity.node_affinity->preferred_during_scheduling_ignored_during_execution =
          preferences[side];
      affinity.pod_affinity = near[side];
      return affinity;
    };
    const Pod pod = pod_of({.tolerations = tolerations[own], .affinity = affinity_of(own)});
    const Policies policies = {
        of_team_a("p", {.tolerations = tolerations[policy], .affinity = affinity_of(policy)})};
    const Injection injection = injected(pod, policies);
    CHECK(injection.pod.spec.tolerations == appended(tolerations[own], tolerations[policy]));
    const Affinity& after = *injection.pod.spec.affinity;
    CHECK((after.node_affinity->preferred_during_scheduling_ignored_during_execution ==
           appended(preferences[own], preferences[policy])));
    CHECK((after.pod_affinity->required_during_scheduling_ignored_during_execution ==
           appended(near[own].required_during_scheduling_ignored_during_execution,
                    near[policy].required_during_scheduling_ignored_during_execution)));
    CHECK((after.pod_affinity->preferred_during_scheduling_ignored_during_execution ==
           appended(near[own].preferred_during_scheduling_ignored_during_execution,
                    near[policy].preferred_during_scheduling_ignored_during_execution)));
    // A pod that has all expressions of the policy keeps its term as it is.
    CHECK(required_terms(injection.pod) ==
          (own == 0 ? Terms{term(expressions[own])}
                    : Terms{term(appended(expressions[policy], expressions[own]))}));
    CHECK(injected(injection.pod, policies).changes.empty());
  }
}

TEST_CASE("terms are copied without the empty ones, and no more of them than the bound") {
  const NodeSelectorTerm disk = {
      .match_expressions = {{.key = "disk", .operator_ = NodeSelectorOperator::exists}}};
  const auto with_terms = [](Terms terms) {
    return Affinity{.node_affinity =
                        NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                         NodeSelector{std::move(terms)}}};
  };
  const Policies policies = {of_cluster("p", {.affinity = with_terms({disk, {}})})};
  const Injection once = inject(pod_of({}), team_a, policies);
  CHECK(once.pod.spec.affinity == with_terms({disk}));
  CHECK(inject(once.pod, team_a, policies).changes.empty());

  const Policies wide = {
      of_cluster("p", {.affinity = with_terms(Terms(max_node_selector_terms + 1, disk))})};
  for (const Pod& pod :
       {pod_of({}), pod_of({.affinity = Affinity{.node_affinity = NodeAffinity{}}})}) {
    const Injection failed = inject(pod, team_a, wide);
    CHECK(failed.errors.size() == 1);
    CHECK(failed.pod == pod);
    const auto admission = admit(pod, team_a, wide);
    CHECK_FALSE(admission.allowed);
    CHECK(admission.violations.front().policies == List{"p"});
  }
  const Pod brings_many =
      pod_of({.affinity = with_terms(Terms(max_node_selector_terms + 1, disk))});
  CHECK(inject(brings_many, team_a, policies).errors.empty());
  Terms and_empty(max_node_selector_terms + 1, disk);
  and_empty.emplace_back();
  CHECK(inject(pod_of({.affinity = with_terms(and_empty)}), team_a, policies).pod == brings_many);
}

}  // namespace inject_node_terms_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
