// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include "../support/pod_templates.hpp"
#include "policies.hpp"

#include <cstddef>
#include <string>
#include <utility>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace inject_limits_test {

TEST_CASE("a product of more terms than the bound is an error and injects nothing") {
  struct Case {
    std::size_t pod;
    std::size_t policy;
    bool fits;
  };
  const Case cases[] = {{32, 32, true},  {1, 1019, true},  {1024, 1, true}, {33, 32, false},
                        {32, 33, false}, {2, 1019, false}, {513, 2, false}, {1024, 1019, false}};
  for (const auto& [of_pod, of_policy, fits] : cases) {
    CAPTURE(of_pod);
    CAPTURE(of_policy);
    for (const PodKind kind : {PodKind::pod, PodKind::cron_job}) {
      Pod pod = pod_of({.affinity = required(numbered("pod-", of_pod))});
      pod.kind = kind;
      const Policies policies = {
          of_team_a("a-first", {.node_name = "node-1",
                                .node_selector = {{"disk", "ssd"}},
                                .tolerations = {{.key = "spot", .operator_ = exists}}}),
          of_team_a("b-terms", {.scheduler_name = "batch",
                                .affinity = required(numbered("policy-", of_policy))}),
          of_team_a("c-after", {.scheduler_name = "batch"})};
      const Injection injection = injected(pod, policies);
      if (fits) {
        CHECK(injection.errors.empty());
        CHECK(required_terms(injection.pod).size() == of_pod * of_policy);
        continue;
      }
      check_failed(injection, pod,
                   {"FieldValueTooMany " +
                    to_string(field_path(kind, {"spec", "affinity", "nodeAffinity"}))},
                   {"b-terms"});
      CHECK(injection.errors.at(0).detail.find("`b-terms`") != std::string::npos);
    }
  }
}

TEST_CASE("the bound counts the terms that come out, and names the policy that goes beyond it") {
  Terms holding = numbered("pod-", 1024);
  for (NodeSelectorTerm& each : holding) each.match_expressions.push_back(has("policy-1"));
  const Pod held = pod_of({.affinity = required(holding)});
  CHECK(injected(held, {of_team_a("p", {.affinity = required(numbered("policy-", 1024))})}) ==
        Injection{.pod = held, .applied = {"p"}});

  Terms with_empty = numbered("pod-", 1024);
  with_empty.insert(with_empty.begin(), 1000, NodeSelectorTerm{});
  CHECK(injected(pod_of({.affinity = required(with_empty)}),
                 {of_team_a("p", {.affinity = required({term({has("x")}), {}})})})
            .errors.empty());

  Policies policies;
  for (const char* name : {"a", "b", "c", "d"})
    policies.push_back(of_team_a(name, {.affinity = required(numbered(name, 10))}));
  const Pod pod = pod_of({});
  CHECK(injected(pod, {policies[0], policies[1], policies[2]}).errors.empty());
  const Injection injection = injected(pod, policies);
  check_failed(injection, pod, {"FieldValueTooMany spec.affinity.nodeAffinity"}, {"d"});
  CHECK(injection.errors.at(0).detail.find("`d`") != std::string::npos);
}

TEST_CASE("a pod without terms comes out with as many as the bound, and no more") {
  const Pod pods[] = {pod_of({}), pod_of({.affinity = Affinity{.node_affinity = NodeAffinity{}}})};
  for (const Pod& pod : pods) {
    const Injection most =
        injected(pod, {of_team_a("p", {.affinity = required(numbered("k", 1024))})});
    CHECK(most.errors.empty());
    CHECK(required_terms(most.pod) == numbered("k", 1024));
    check_failed(injected(pod, {of_team_a("p", {.affinity = required(numbered("k", 1025))})}), pod,
                 {"FieldValueTooMany policies[0].spec"});
  }
}

TEST_CASE("terms that stay as they are count towards the bound") {
  const Policies policies = {of_team_a("p", {.affinity = required(numbered("k", 2))})};
  for (const std::size_t kept : {1022U, 1023U}) {
    CAPTURE(kept);
    Terms terms = {term({has("x")})};
    terms.insert(terms.end(), kept, term({has("k0")}));
    const Pod pod = pod_of({.affinity = required(terms)});
    const Injection injection = injected(pod, policies);
    // One that is left out does not count.
    terms.push_back(term({{"k0", NodeSelectorOperator::does_not_exist, {}},
                          {"k1", NodeSelectorOperator::does_not_exist, {}}}));
    const Pod with_another = pod_of({.affinity = required(terms)});
    const Injection of_another = injected(with_another, policies);
    if (kept == 1022) {
      CHECK(injection.errors.empty());
      CHECK(required_terms(injection.pod).size() == 1024);
      CHECK(required_terms(of_another.pod) == required_terms(injection.pod));
    } else {
      const List wanted = {"FieldValueTooMany spec.affinity.nodeAffinity"};
      check_failed(injection, pod, wanted, {"p"});
      check_failed(of_another, with_another, wanted, {"p"});
    }
  }
}

TEST_CASE("terms that policies make are only so long, those of all policies together") {
  // What one policy makes is half of what may be made.
  Terms long_terms;
  for (std::size_t i = 0; i < 512; ++i)
    long_terms.push_back(
        term({in("k", Texts(List(max_merged_term_bytes / 1024 / 64, std::string(56, 'v'))))}));
  const Pod pod = pod_of({.affinity = required(long_terms)});
  Terms with_empty = numbered("a", 1);  // empty terms make nothing
  with_empty.resize(4);
  const Policies one = {of_team_a("a", {.affinity = required(with_empty)})};
  const Injection injection = injected(pod, one);
  CHECK(injection.errors.empty());
  CHECK(required_terms(injection.pod).size() == 512);
  const Policies two = {one.front(), of_team_a("b", {.affinity = required(numbered("b", 1))})};
  check_failed(injected(pod, two), pod, {"FieldValueTooLong spec.affinity.nodeAffinity"}, {"b"});
  // Terms that are only taken over are as long as they come.
  const Terms brought(long_terms.begin(), long_terms.begin() + 16);
  const Policies brings = {of_team_a("a", {.affinity = required(brought)}),
                           of_team_a("b", {.affinity = required(brought)})};
  CHECK(required_terms(injected(pod_of({}), brings).pod) == brought);
}

TEST_CASE("wherever text stands in a term it counts towards how long terms get") {
  const std::string text(max_merged_term_bytes / 512, 'x');
  const NodeSelectorTerm cases[] = {
      term({has(text), has("a")}),  term({has("a"), has(text)}),
      term({in("a", {text, "b"})}), term({in("a", {"b", text})}),
      term({}, {is_node(text)}),    term({has("a")}, {is_node("b"), is_node(text)}),
  };
  const Terms few = numbered("k", 32);
  for (const NodeSelectorTerm& one : cases) {
    CAPTURE(&one - cases);
    Terms many(32, one);
    for (std::size_t i = 0; i < many.size(); ++i)
      many[i].match_expressions.push_back(has("n" + std::to_string(i)));
    const Pod pod = pod_of({.affinity = required(many)});
    check_failed(injected(pod, {of_team_a("p", {.affinity = required(few)})}), pod,
                 {"FieldValueTooLong spec.affinity.nodeAffinity"}, {"p"});
  }
  // That of a policy too, as long as a policy may be.
  Terms of_policy = numbered("n", 16);
  const std::size_t values = max_merged_term_bytes / 1024 / 63 + 1;
  for (NodeSelectorTerm& one : of_policy)
    one.match_expressions.push_back(in("a", Texts(List(values, std::string(63, 'x')))));
  const Pod pod = pod_of({.affinity = required(numbered("k", 64))});
  check_failed(injected(pod, {of_team_a("p", {.affinity = required(of_policy)})}), pod,
               {"FieldValueTooLong spec.affinity.nodeAffinity"}, {"p"});
}

TEST_CASE("however many policies make terms, the pod comes back as it was") {
  for (const bool first_has_none : {false, true}) {
    CAPTURE(first_has_none);
    Policies policies;
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
      policies.push_back(of_team_a(
          name, {.node_name = name,
                 .tolerations = {{.key = name, .operator_ = exists}},
                 .affinity =
                     first_has_none && *name == 'a' ? Affinity{} : required(numbered(name, 32))}));
    }
    const std::string failing = first_has_none ? "d" : "c";
    for (const Pod& pod :
         {pod_of({}), pod_of({.node_selector = {{"disk", "ssd"}}, .affinity = Affinity{}})}) {
      const Injection injection = injected(pod, policies);
      check_failed(injection, pod, {"FieldValueTooMany spec.affinity.nodeAffinity"}, {failing});
      CHECK(injection.errors.at(0).detail ==
            "the policy `" + failing + "` makes more than 1024 node selector terms");
      Injection left{.pod = pod};
      inject_into(left, team_a, *compile(policies), DefaultScheduler::specified,
                  ChangeValues::shown);
      left.pod = pod;
      CHECK(left == injection);
    }
  }
}

TEST_CASE("policies together give a pod a bounded number of items") {
  const auto selected = [](std::size_t pairs) {
    Labels all;
    for (std::size_t i = 0; i < pairs; ++i) all["key" + std::to_string(i)] = "v";
    return all;
  };
  const auto spread = [](std::size_t required, std::size_t preferred) {
    PodAffinity pods;
    for (std::size_t i = 0; i < required; ++i)
      pods.required_during_scheduling_ignored_during_execution.push_back(beside("a", "key"));
    for (std::size_t i = 0; i < preferred; ++i)
      pods.preferred_during_scheduling_ignored_during_execution.push_back({1, beside("a", "key")});
    return pods;
  };
  const auto tolerating = [](std::size_t count) {
    return of_team_a("most", {.tolerations = tolerations(count)});
  };
  static_assert(max_given_items == 1024);
  struct Case {
    const char* name;
    PodSchedulingPolicySpec more;
    std::size_t items;
  };
  const Case cases[] = {
      {"nothing", {}, 1},
      {"a node and a scheduler", {.node_name = "node-1", .scheduler_name = "batch"}, 2},
      {"pairs of the nodeSelector", {.node_selector = selected(3)}, 3},
      {"tolerations", {.tolerations = tolerations(4, "other")}, 4},
      {"expressions of a required term",
       {.affinity = required({term({has("a"), has("b")}, {is_node("n")}), term({has("c")})})},
       4},
      {"an empty term beside one", {.affinity = required({term({}), term({has("a")})})}, 2},
      {"expressions of preferences",
       {.affinity = preferred({{1, term({has("a"), has("b")})}, {2, term({has("c")})}})},
       3},
      {"pod affinity", {.affinity = Affinity{.pod_affinity = spread(2, 3)}}, 5},
      {"pod anti-affinity", {.affinity = Affinity{.pod_anti_affinity = spread(1, 1)}}, 2},
      {"many values of one expression are one item",
       {.affinity = required({term({in("zone", {"a", "b", "c"})})})},
       1},
  };
  const Pod pod = pod_of({.tolerations = tolerations(2, "own")});
  for (const Case& c : cases) {
    CAPTURE(c.name);
    for (const auto& [more, elsewhere] :
         {std::pair(of_cluster("more", c.more), of_team_a("elsewhere", c.more)),
          std::pair(of_team_a("more", c.more), of_team_a("elsewhere", c.more))}) {
      PodSchedulingPolicy not_here = elsewhere;
      not_here.metadata.namespace_ = "team-b";
      const Injection within =
          injected(pod, {more, tolerating(max_given_items - c.items), not_here});
      CHECK(within.errors.empty());
      CHECK(within.applied == List{"more", "most"});
      const Policies beyond = {more, not_here, tolerating(max_given_items - c.items + 1)};
      check_failed(injected(pod, beyond), pod, {"FieldValueTooMany spec"}, {"more", "most"});
      const Admission admission = admit(pod, team_a, beyond);
      CHECK_FALSE(admission.allowed);
      CHECK(admission.pod == pod);
      REQUIRE(admission.violations.size() == 1);
      CHECK((admission.violations[0].code == ViolationCode::limit_exceeded));
      CHECK(
          message(admission.violations[0]) ==
          "`spec`: a limit is exceeded by `more` and `most`: a pod is given at most 1024 items by "
          "policies and its class, and these are 1025");
    }
  }
}

}  // namespace inject_limits_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
