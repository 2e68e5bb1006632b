// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze_pod_scheduling_policies.hpp>

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include "../pod_scheduling_policy/policies.hpp"
#include "../support/findings.hpp"
#include "../support/print.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace analyze_pod_scheduling_policies_test {

using testing::texts;

PodSchedulingPolicy selecting(PodSchedulingPolicy policy, std::optional<LabelSelector> pods) {
  policy.spec.pod_selector = std::move(pods);
  return policy;
}

TEST_CASE("a selector that selects nothing, and one that nearly does") {
  LabelSelector contradicting = labelled("app", "web");
  contradicting.match_expressions = {{"app", LabelSelectorOperator::not_in, {"web"}}};
  const PodSchedulingPolicy policy = of_cluster("all", {});
  PodSchedulingPolicy nowhere = of_cluster("nowhere", {});
  nowhere.spec.namespace_selector = std::nullopt;
  PodSchedulingPolicy misnamed = of_cluster("misnamed", {});
  misnamed.spec.namespace_selector =
      where("kubernetes.io/metadata.name", LabelSelectorOperator::does_not_exist);
  CHECK(texts(analyze(Policies{policy, nowhere, misnamed,
                               selecting(of_team_a("none", {}), std::nullopt),
                               selecting(of_team_a("never", {}), contradicting)})) ==
        List{"`misnamed`: `namespaceSelector`: no object has what the selector asks for",
             "`team-a/never`: `podSelector`: no object has what the selector asks for",
             "`team-a/none`: `podSelector`: no object has what the selector asks for",
             "`nowhere`: `namespaceSelector`: no object has what the selector asks for"});
  contradicting.match_expressions = {{"app", LabelSelectorOperator::not_in, {"db"}}};
  CHECK(analyze(Policies{selecting(of_team_a("rarely", {}), contradicting)}).empty());
}

TEST_CASE("policies that give one pod too much together") {
  const auto giving = [](PodSchedulingPolicy policy, std::size_t count) {
    policy.spec.tolerations = tolerations(count, policy.metadata.name);
    return policy;
  };
  constexpr std::size_t half = max_given_items / 2;
  const PodSchedulingPolicy a = giving(of_team_a("a", {}), half);
  const PodSchedulingPolicy b = giving(of_cluster("b", {}), half);
  const PodSchedulingPolicy c = giving(of_cluster("c", {}), 1);
  const auto findings = analyze(Policies{c, b, a});
  REQUIRE(texts(findings) ==
          List{"`team-a/a`, `b` and `c`: a pod that they select is denied, because together they "
               "give it 1025 items, which is more than it may be given"});
  CHECK(findings[0].severity == Severity::warning);
  CHECK(findings[0].namespace_->metadata.name == "team-a");
  const Pod& witness = *findings[0].witness;
  CHECK_FALSE(admit(witness, *findings[0].namespace_, Policies{a, b, c}).allowed);

  PodSchedulingPolicy elsewhere = a;
  elsewhere.metadata.namespace_ = "team-b";
  const PodSchedulingPolicy web = selecting(b, labelled("app", "web"));
  PodSchedulingPolicy of_cluster_a = giving(of_cluster("a", {}), 2);
  const struct {
    const char* name;
    Policies policies;
    List told;
  } cases[] = {
      {"as much as there may be", {a, b}, {}},
      {"in other namespaces", {a, elsewhere, c}, {}},
      {"of other pods", {selecting(a, labelled("app", "db")), web, c}, {}},
      {"of the pods of one of them", {a, web, c}, {"`team-a/a`, `b` and `c`"}},
      {"two of one name", {of_cluster_a, a, b}, {"`a`, `team-a/a` and `b`"}},
      {"of what one could not be used with alone", {giving(a, max_given_items + 1), b}, {}},
      {"of pods that several name together, which are not looked for",
       {selecting(a, labelled("app", "web")), selecting(b, labelled("tier", "db")),
        selecting(c, labelled("zone", "1"))},
       {}},
  };
  for (const auto& each : cases) {
    CAPTURE(each.name);
    List told;
    for (const Finding& finding : analyze(each.policies))
      told.push_back(in_backticks(finding.policies));
    CHECK(told == each.told);
  }
}

TEST_CASE("two policies that write one criterion differently, and two that nearly do") {
  const PodSchedulingPolicy a = of_team_a("a", {.scheduler_name = "blue"});
  const PodSchedulingPolicy b = of_cluster("b", {.scheduler_name = "green"});
  const auto findings = analyze(Policies{b, a});
  REQUIRE(texts(findings) == List{"`team-a/a` and `b`: `spec.schedulerName`: both can select one "
                                  "object, and write different values to it: `blue, green`"});
  CHECK(findings[0].severity == Severity::warning);
  CHECK(findings[0].witness->metadata == ObjectMeta{.namespace_ = "team-a"});
  CHECK(findings[0].namespace_ ==
        Namespace{{.name = "team-a", .labels = {{"kubernetes.io/metadata.name", "team-a"}}}});

  const auto other = [&](PodSchedulingPolicySpec spec) { return of_team_a("b", std::move(spec)); };
  struct Case {
    const char* name;
    Policies policies;
    std::size_t found;
  };
  PodSchedulingPolicy elsewhere = other({.scheduler_name = "green"});
  elsewhere.metadata.namespace_ = "team-b";
  PodSchedulingPolicy not_here = b;
  not_here.spec.namespace_selector =
      where("kubernetes.io/metadata.name", LabelSelectorOperator::not_in, {"team-a"});
  const PodSchedulingPolicy web = selecting(a, labelled("app", "web"));
  const Case cases[] = {
      {"the same value", {a, other({.scheduler_name = "blue"})}, 0},
      {"another criterion", {a, other({.node_name = "node-1"})}, 0},
      {"another namespace", {a, elsewhere}, 0},
      {"all namespaces but this", {a, not_here}, 0},
      {"other pods", {web, selecting(other({.scheduler_name = "g"}), labelled("app", "db"))}, 0},
      {"pods of another label",
       {web, selecting(other({.scheduler_name = "g"}), labelled("tier", "db"))},
       1},
      {"keys of the node selector",
       {of_team_a("a", {.node_selector = {{"disk", "ssd"}, {"zone", "1"}}}),
        other({.node_selector = {{"disk", "hdd"}, {"arch", "arm64"}}})},
       1},
      {"node names", {of_team_a("a", {.node_name = "n1"}), other({.node_name = "n2"})}, 1},
      {"tolerations, which are added",
       {of_team_a("a", {.tolerations = {{.key = "a"}}}), other({.tolerations = {{.key = "b"}}})},
       0},
      {"one that selects nothing, which alone is told",
       {a, selecting(other({.scheduler_name = "green"}), std::nullopt)},
       1},
      {"one that cannot be used",
       {a, selecting(other({.scheduler_name = "g"}), where("a", LabelSelectorOperator::in))},
       0},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(analyze(c.policies).size() == c.found);
  }
}

TEST_CASE("two policies that ask for nodes of which none meets both") {
  const auto asking = [](const char* name, Labels selector, Terms terms) {
    PodSchedulingPolicySpec spec = {.node_selector = std::move(selector)};
    if (!terms.empty()) spec.affinity = required(std::move(terms));
    return of_team_a(name, std::move(spec));
  };
  const NodeSelectorTerm web = term({in("pool", {"web"})});
  const NodeSelectorTerm etcd = term({in("pool", {"etcd"})});
  const std::string terms = to_string(required_node_path);
  const auto both = [](const std::string& field, const std::string& asked) {
    return "`team-a/a` and `team-a/b`: `" + field +
           "`: both can select one object, and write different values to it: `" + asked + "`";
  };
  struct Case {
    const char* name;
    PodSchedulingPolicy a;
    PodSchedulingPolicy b;
    List wanted;
  };
  const Case cases[] = {
      {"two pools",
       asking("a", {}, {web}),
       asking("b", {}, {etcd}),
       {both(terms, "(pool In [web]), (pool In [etcd])")}},
      {"a pool and a pair",
       asking("a", {}, {web}),
       asking("b", {{"pool", "etcd"}}, {}),
       {both("spec.nodeSelector[pool]", "(pool In [web]), pool=etcd")}},
      {"a pool and two pairs",
       asking("a", {}, {web}),
       asking("b", {{"disk", "ssd"}, {"pool", "etcd"}}, {}),
       {both("spec.nodeSelector[pool]", "(pool In [web]), disk=ssd & pool=etcd")}},
      {"a pair of another key, and a pool",
       asking("a", {{"disk", "ssd"}}, {}),
       asking("b", {}, {web}),
       {}},
      {"a pool, and a pair of another key",
       asking("a", {}, {web}),
       asking("b", {{"disk", "ssd"}}, {}),
       {}},
      {"a pair and a pool",
       asking("a", {{"pool", "etcd"}}, {}),
       asking("b", {}, {web, term({in("pool", {"x"})})}),
       {both(terms, "pool=etcd, (pool In [web]) | (pool In [x])")}},
      {"a pair among others, which alone is told",
       asking("a", {{"pool", "etcd"}}, {}),
       asking("b", {{"disk", "ssd"}, {"pool", "web"}}, {term({has("disk")})}),
       {both("spec.nodeSelector[pool]", "etcd, web")}},
      {"a term is left", asking("a", {}, {web, etcd}), asking("b", {}, {etcd}), {}},
      {"another key", asking("a", {}, {web}), asking("b", {}, {term({has("disk")})}), {}},
      {"the same", asking("a", {}, {web}), asking("b", {}, {web}), {}},
      {"other pods",
       selecting(asking("a", {}, {web}), labelled("app", "web")),
       selecting(asking("b", {}, {etcd}), labelled("app", "etcd")),
       {}},
      {"a policy that contradicts itself",
       asking("a", {{"pool", "web"}}, {etcd}),
       asking("b", {}, {web}),
       {"`team-a/a`: `affinity.nodeAffinity." + std::string(required_mode) +
        "`: nothing can meet the requirement `pool=web & (pool In [etcd])`"}},
      {"and nearly does",
       asking("a", {{"pool", "web"}}, {etcd, term({has("disk")})}),
       asking("b", {}, {web}),
       {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto findings = analyze(Policies{c.b, c.a});
    CHECK(texts(findings) == c.wanted);
    for (const Finding& finding : findings) {
      CHECK(finding.severity == Severity::warning);
      if (finding.code != FindingCode::writes_differ) continue;
      const Injection shown = inject(*finding.witness, *finding.namespace_, Policies{c.a, c.b});
      REQUIRE(shown.skipped.size() == 1);
      CHECK(shown.skipped[0].policy == "b");
      CHECK(shown.skipped[0].field == finding.field);
    }
  }
}

TEST_CASE("of three policies that ask for nodes each is told that contradicts one before it") {
  const auto asking = [](const char* name, Texts pools) {
    return of_team_a(name, {.affinity = required({term({in("pool", std::move(pools))})})});
  };
  const auto told = [](const char* policies, const char* asked) {
    return std::string(policies) + ": `" + to_string(required_node_path) +
           "`: both can select one object, and write different values to it: `" + asked + "`";
  };
  const PodSchedulingPolicy web = asking("a", {"web"});
  const PodSchedulingPolicy etcd = asking("b", {"etcd"});
  CHECK(texts(analyze(Policies{web, etcd, asking("c", {"db"})})) ==
        List{told("`team-a/a` and `team-a/b`", "(pool In [web]), (pool In [etcd])"),
             told("`team-a/a` and `team-a/c`", "(pool In [web]), (pool In [db])")});
  // The first of them asks for what the third one takes, too.
  CHECK(texts(analyze(Policies{web, etcd, asking("c", {"db", "web"})})) ==
        List{told("`team-a/a` and `team-a/b`", "(pool In [web]), (pool In [etcd])"),
             told("`team-a/b` and `team-a/c`", "(pool In [etcd]), (pool In [db, web])")});
}

TEST_CASE("what policies write differently is told in the order in which they apply") {
  CHECK(
      texts(analyze(Policies{of_team_a("c", {.node_name = "x"}), of_team_a("b", {.node_name = "y"}),
                             of_team_a("a", {.node_name = "z"})})) ==
      List{"`team-a/a` and `team-a/b`: `spec.nodeName`: both can select one object, and write "
           "different values to it: `z, y`",
           "`team-a/b` and `team-a/c`: `spec.nodeName`: both can select one object, and write "
           "different values to it: `y, x`"});
}

TEST_CASE("law: what overlaps is what some labels of some namespace show, and is confirmed") {
  testing::SelectorGenerator generate(5);
  const auto all_labels = testing::SelectorGenerator::all_labels();
  std::size_t with = 0;
  std::size_t without = 0;
  for (int round = 0; round < 30; ++round) {
    Policies policies;
    for (std::size_t i = 2 + generate.below(14); i > 0; --i) {
      const std::string name = "p" + std::to_string(10 + i);
      PodSchedulingPolicySpec spec;
      if (generate.chance(70)) spec.scheduler_name = generate.chance(70) ? "blue" : "green";
      PodSchedulingPolicy policy =
          generate.chance(50) ? of_team_a(name, spec) : of_cluster(name, spec);
      if (generate.chance(20) && policy.kind != cluster) policy.metadata.namespace_ = "team-b";
      if (policy.kind == cluster) policy.spec.namespace_selector = generate.selector();
      policies.push_back(selecting(policy, generate.selector()));
    }
    std::vector<Namespace> namespaces;
    for (const char* name : {"team-a", "team-b", "other"})
      for (Labels labels : all_labels) {
        labels["kubernetes.io/metadata.name"] = name;
        namespaces.push_back({{.name = name, .labels = std::move(labels)}});
      }
    std::set<std::string> wanted;
    const CompiledPolicies compiled = *compile(policies);
    for (const Labels& labels : all_labels)
      for (const Namespace& in : namespaces) {
        const auto applied =
            inject({.metadata = {.namespace_ = in.metadata.name, .labels = labels}}, in, compiled)
                .applied;
        std::set<std::string> written;
        for (const std::string& name : applied) {
          const auto policy = std::find_if(policies.begin(), policies.end(), [&](const auto& each) {
            return each.metadata.name == name;
          });
          if (policy->spec.scheduler_name.empty()) continue;
          written.insert(policy->spec.scheduler_name);
          if (written.size() > 1 || !written.contains(policy->spec.scheduler_name))
            wanted.insert(name);
        }
      }
    std::set<std::string> found;
    for (const Finding& finding : analyze(policies)) {
      if (finding.code != FindingCode::writes_differ) continue;
      const auto plain = [](const std::string& name) { return name.substr(name.find('/') + 1); };
      found.insert(plain(finding.policies[1]));
      const Injection shown = inject(*finding.witness, *finding.namespace_, compiled);
      for (const std::string& name : finding.policies)
        REQUIRE(std::count(shown.applied.begin(), shown.applied.end(), plain(name)) == 1);
      REQUIRE_FALSE(shown.skipped.empty());
    }
    REQUIRE(found == wanted);
    (found.empty() ? without : with) += 1;
  }
  CHECK(with > 5);
  CHECK(without > 2);
}

TEST_CASE(
    "thousands of policies that name their pods are told apart, and what is too much is said") {
  Policies policies;
  Policies everywhere;
  for (int i = 0; i < 2000; ++i) {
    const std::string name = std::to_string(i);
    PodSchedulingPolicy policy = of_cluster("p" + name, {.scheduler_name = "s" + name});
    LabelSelector pods = labelled("app", "app-" + name);
    policies.push_back(selecting(policy, pods));
    pods.match_labels.clear();
    pods.match_expressions = {{"app", LabelSelectorOperator::not_in, {"a" + name}},
                              {"app-" + name, LabelSelectorOperator::does_not_exist, {}},
                              {"all", LabelSelectorOperator::exists, {}}};
    pods.match_expressions.push_back(
        {"all", i % 2 == 0 ? LabelSelectorOperator::not_in : LabelSelectorOperator::in, {"x"}});
    policy.spec.scheduler_name = i % 2 == 0 ? "blue" : "green";
    everywhere.push_back(selecting(policy, pods));
  }
  CHECK(analyze(policies).empty());
  // Wherever among the values that are told apart, first or second of two.
  const auto add = [&](const char* name, Texts values) {
    policies.push_back(selecting(of_cluster(name, {.scheduler_name = "s"}),
                                 where("app", LabelSelectorOperator::in, std::move(values))));
  };
  add("q-1", {"app-7"});
  CHECK(analyze(policies).size() == 1);
  add("q-2", {"app-0"});
  add("q-3", {"app-1x", "app-8"});
  add("q-4", {"app-9", "b"});
  CHECK(analyze(policies).size() == 4);
  // Once, however many it can select a pod with.
  add("q-5", {"app-3", "app-4"});
  CHECK(analyze(policies).size() == 5);
  // And one that names another label.
  policies.push_back(
      selecting(of_cluster("q-6", {.scheduler_name = "s"}), labelled("tier", "web")));
  CHECK(analyze(policies).size() == 6);
  CHECK(texts(analyze(everywhere)) ==
        List{"too much to compare, so that not all was found of WritesDiffer",
             "too much to compare, so that not all was found of LimitExceeded"});
}

}  // namespace analyze_pod_scheduling_policies_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
