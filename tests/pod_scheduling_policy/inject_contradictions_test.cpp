// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/limits.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/pod_scheduling_policy/admit.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include "../support/pod_templates.hpp"
#include "policies.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {
namespace inject_contradictions_test {

TEST_CASE("the non-conflicting part is merged and the conflicting part is skipped") {
  const NodeSelectorRequirement web = in("pool", {"web"});
  const NodeSelectorRequirement etcd = in("pool", {"etcd"});
  const NodeSelectorRequirement pool_above_24{"pool", NodeSelectorOperator::gt, {"24"}};
  const NodeSelectorRequirement zone_a = in("zone", {"a"});
  const NodeSelectorRequirement zone_b = in("zone", {"b"});
  const auto compares = [](NodeSelectorOperator op, const char* number) {
    return NodeSelectorRequirement{"cores", op, {number}};
  };
  const NodeSelectorRequirement more_than_8 = compares(NodeSelectorOperator::gt, "8");
  const NodeSelectorRequirement less_than_9 = compares(NodeSelectorOperator::lt, "9");
  const NodeSelectorRequirement less_than_0 = compares(NodeSelectorOperator::lt, "0");
  const NodeSelectorRequirement no_cores = {"cores", NodeSelectorOperator::does_not_exist, {}};
  const NodeSelectorRequirement is_missing = {"pool", NodeSelectorOperator::does_not_exist, {}};
  const NodeSelectorRequirement unknown_operator = {
      "pool", OpenEnum<NodeSelectorOperator>("Like"), {"web"}};
  const NodeSelectorTerm impossible = term({web, etcd});
  const std::vector<PreferredSchedulingTerm> likes = {{1, term({has("ssd")})}};
  const std::string both =
      "no node meets the pod's `pool In [web]` and the policy's `pool In [etcd]`";
  const std::string rest = "; the others are merged";
  Affinity likes_and_etcd = preferred(likes);
  likes_and_etcd.node_affinity->required_during_scheduling_ignored_during_execution =
      NodeSelector{{term({etcd})}};
  struct Case {
    const char* name;
    PodSpec pod;
    PodSchedulingPolicySpec policy;
    PodSpec wanted;
    std::vector<std::pair<FieldPath, std::string>> skipped;
  };
  const FieldPath terms = required_node_path;
  const auto pair = [](const char* key) { return FieldPath{"spec", "nodeSelector"}.key(key); };
  const Case cases[] = {
      {"pool web and pool etcd: the pod's terms stay, the rest is merged",
       {.affinity = required({term({web})})},
       {.node_selector = {{"disk", "ssd"}},
        .tolerations = {{.key = "etcd", .operator_ = exists}},
        .affinity = required({term({etcd})})},
       {.node_selector = {{"disk", "ssd"}},
        .tolerations = {{.key = "etcd", .operator_ = exists}},
        .affinity = required({term({web})})},
       {{terms, both}}},
      {"the pod's nodeSelector excludes the policy's terms: none is copied",
       {.node_selector = {{"pool", "web"}}},
       {.affinity = required({term({etcd})})},
       {.node_selector = {{"pool", "web"}}},
       {{terms, both}}},
      {"it excludes one of them: the other is copied",
       {.node_selector = {{"pool", "web"}}},
       {.affinity = required({term({etcd}), term({has("ssd")})})},
       {.node_selector = {{"pool", "web"}}, .affinity = required({term({has("ssd")})})},
       {{terms, both + rest}}},
      {"it excludes all, and preferred terms are copied",
       {.node_selector = {{"pool", "web"}}},
       {.affinity = likes_and_etcd},
       {.node_selector = {{"pool", "web"}}, .affinity = preferred(likes)},
       {{terms, both}}},
      {"likewise where the pod has preferred terms",
       {.node_selector = {{"pool", "web"}}, .affinity = preferred(likes)},
       {.affinity = likes_and_etcd},
       {.node_selector = {{"pool", "web"}}, .affinity = preferred(likes)},
       {{terms, both}}},
      {"the pod's nodeSelector excludes products",
       {.node_selector = {{"pool", "web"}}, .affinity = required({term({has("ssd")})})},
       {.affinity = required({term({etcd})})},
       {.node_selector = {{"pool", "web"}}, .affinity = required({term({has("ssd")})})},
       {{terms, both}}},
      {"a pair that leaves none of the pod's terms is not added",
       {.affinity = required({term({web})})},
       {.node_selector = {{"disk", "ssd"}, {"pool", "etcd"}}},
       {.node_selector = {{"disk", "ssd"}}, .affinity = required({term({web})})},
       {{pair("pool"), both}}},
      {"a pair that leaves one of them is added",
       {.affinity = required({term({web}), term({has("ssd")})})},
       {.node_selector = {{"pool", "etcd"}}},
       {.node_selector = {{"pool", "etcd"}},
        .affinity = required({term({web}), term({has("ssd")})})},
       {}},
      {"what a pair excludes is not excluded again by the next one",
       {.affinity = required({term({web}), term({web, zone_a}), term({zone_a})})},
       {.node_selector = {{"pool", "etcd"}, {"zone", "b"}}},
       {.node_selector = {{"pool", "etcd"}},
        .affinity = required({term({web}), term({web, zone_a}), term({zone_a})})},
       {{pair("zone"), "no node meets the pod's `zone In [a]` and the policy's `zone In [b]`"}}},
      {"a number in the second expression of a term is merged",
       {.node_selector = {{"pool", "web"}}},
       {.affinity = required({term({has("ssd"), pool_above_24})})},
       {.node_selector = {{"pool", "web"}},
        .affinity = required({term({has("ssd"), pool_above_24})})},
       {}},
      {"pairs go onto the result of the one before",
       {.affinity = required({term({zone_a}), term({web})})},
       {.node_selector = {{"pool", "etcd"}, {"zone", "b"}}},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({zone_a}), term({web})})},
       {{pair("zone"), "no node meets the pod's `zone In [a]` and the policy's `zone In [b]`"}}},
      {"pairs go before terms",
       {},
       {.node_selector = {{"pool", "web"}}, .affinity = required({term({etcd})})},
       {.node_selector = {{"pool", "web"}}},
       {{terms, both}}},
      {"a term of the pod that contradicts beside one that does not",
       {.affinity = required({term({web}), term({has("ssd")})})},
       {.affinity = required({term({etcd})})},
       {.affinity = required({term({etcd, has("ssd")})})},
       {{terms, both + rest}}},
      {"and beside one that holds the policy's",
       {.affinity = required({term({web}), term({etcd, has("ssd")})})},
       {.affinity = required({term({etcd})})},
       {.affinity = required({term({etcd, has("ssd")})})},
       {{terms, both + rest}}},
      {"products that contradict are left out",
       {.affinity = required({term({zone_a}), term({zone_b})})},
       {.affinity = required({term({zone_a, has("x")}), term({zone_b, has("y")})})},
       {.affinity = required({term({zone_a, has("x")}), term({zone_b, has("y")})})},
       {{terms,
         "no node meets the pod's `zone In [a]` and the policy's `zone In [b]`, the first of 2 "
         "such pairs of terms; the others are merged"}}},
      {"all of several contradict",
       {.affinity = required({term({zone_a, web}), term({web})})},
       {.affinity = required({term({etcd})})},
       {.affinity = required({term({zone_a, web}), term({web})})},
       {{terms, both + ", the first of 2 such pairs of terms"}}},
      {"a term that no node meets anyway is merged as any other",
       {.affinity = required({impossible})},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({zone_a})})},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({zone_a, web, etcd})})},
       {}},
      {"likewise for an operator that there is not",
       {.affinity = required({term({unknown_operator})})},
       {.node_selector = {{"pool", "etcd"}}},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({unknown_operator})})},
       {}},
      {"beside one that a node could meet it saves nothing",
       {.affinity = required({impossible, term({web})})},
       {.affinity = required({term({etcd, has("x")})})},
       {.affinity = required({impossible, term({web})})},
       {{terms, both}}},
      {"nor does one that holds the policy's",
       {.affinity = required({impossible, term({web})})},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({etcd})})},
       {.affinity = required({impossible, term({web})})},
       {{pair("pool"), both}, {terms, both}}},
      {"the names of nodes",
       {.affinity = required({term({}, {is_node("n1")})})},
       {.affinity = required({term({}, {is_node("n2")})})},
       {.affinity = required({term({}, {is_node("n1")})})},
       {{terms,
         "no node meets the pod's `field metadata.name In [n1]` and the policy's `field "
         "metadata.name In [n2]`"}}},
      {"a pair without a key is not about the names of nodes",
       {.node_selector = {{"", "n1"}}},
       {.affinity = required({term({}, {is_node("n2")})})},
       {.node_selector = {{"", "n1"}}, .affinity = required({term({}, {is_node("n2")})})},
       {}},
      {"a label may be called like the name of a node",
       {.affinity = required({term({is_node("n1")})})},
       {.affinity = required({term({}, {is_node("n2")})})},
       {.affinity = required({term({is_node("n1")}, {is_node("n2")})})},
       {}},
      {"numbers are not compared: one above and below",
       {.affinity = required({term({more_than_8})})},
       {.affinity = required({term({less_than_9})})},
       {.affinity = required({term({less_than_9, more_than_8})})},
       {}},
      {"one that no label can be",
       {.affinity = required({term({web})})},
       {.affinity = required({term({less_than_0})})},
       {.affinity = required({term({less_than_0, web})})},
       {}},
      {"one that the pod's nodeSelector does not have",
       {.node_selector = {{"cores", "4"}}},
       {.affinity = required({term({more_than_8})})},
       {.node_selector = {{"cores", "4"}}, .affinity = required({term({more_than_8})})},
       {}},
      {"likewise of a product",
       {.node_selector = {{"cores", "many"}}, .affinity = required({term({web})})},
       {.affinity = required({term({more_than_8})})},
       {.node_selector = {{"cores", "many"}}, .affinity = required({term({more_than_8, web})})},
       {}},
      {"one that a pair does not have",
       {.affinity = required({term({more_than_8})})},
       {.node_selector = {{"cores", "many"}}},
       {.node_selector = {{"cores", "many"}}, .affinity = required({term({more_than_8})})},
       {}},
      {"but a number is there, and a label that is missing has none",
       {.affinity = required({term({more_than_8})})},
       {.affinity = required({term({no_cores})})},
       {.affinity = required({term({more_than_8})})},
       {{terms, "no node meets the pod's `cores Gt [8]` and the policy's `cores DoesNotExist`"}}},
      {"what is no number is met by no node",
       {.affinity = required({term({web})})},
       {.affinity = required({term({compares(NodeSelectorOperator::gt, "many")})})},
       {.affinity = required({term({web})})},
       {{terms, "no node meets the policy's `cores Gt [many]`"}}},
      {"a label that is missing, and listed",
       {.affinity = required({term({is_missing})})},
       {.node_selector = {{"pool", "etcd"}}, .affinity = required({term({etcd})})},
       {.affinity = required({term({is_missing})})},
       {{pair("pool"),
         "no node meets the pod's `pool DoesNotExist` and the policy's `pool In [etcd]`"},
        {terms, "no node meets the pod's `pool DoesNotExist` and the policy's `pool In [etcd]`"}}},
      {"only several expressions together contradict",
       {.affinity = required({term({in("pool", {"a", "b"}), not_in("pool", {"a"})})})},
       {.affinity = required({term({has("x"), not_in("pool", {"b"})})})},
       {.affinity = required({term({in("pool", {"a", "b"}), not_in("pool", {"a"})})})},
       {{terms,
         "no node meets the pod's `pool In [a, b] & pool NotIn [a]` and the policy's `pool NotIn "
         "[b]`"}}},
      {"a policy that contradicts itself",
       {.affinity = required({term({has("ssd")})})},
       {.affinity = required({impossible})},
       {.affinity = required({term({has("ssd")})})},
       {{terms, "no node meets the policy's `pool In [web] & pool In [etcd]`"}}},
      {"one whose terms are empty, which match no node",
       {.affinity = required({term({web})})},
       {.affinity = required({{}, {}})},
       {.affinity = required({term({web})})},
       {{terms, "no node meets the policy's `()`"}}},
      {"the same, and a pod without terms",
       {},
       {.affinity = required({{}, {}})},
       {},
       {{terms, "no node meets the policy's `()`"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const PodSchedulingPolicy policy = of_team_a("p", c.policy);
    const Injection injection = injected(pod_of(c.pod), {policy});
    CHECK(injection.pod == pod_of(c.wanted));
    CHECK(injection.applied == List{"p"});
    std::vector<Skipped> skipped;
    for (const auto& [field, reason] : c.skipped) skipped.push_back({"p", field, reason});
    CHECK(injection.skipped == skipped);
    CHECK((injection.pod == pod_of(c.pod)) == injection.changes.empty());
    const Injection again = injected(injection.pod, {policy});
    CHECK(again.pod == injection.pod);
    CHECK(again.changes == Changes{});
  }
}

TEST_CASE(
    "required pod affinity and equal anti-affinity contradict, the policy's part is skipped") {
  const PodAffinityTerm db = beside("db");
  const PodAffinityTerm cache = beside("cache");
  PodAffinityTerm db_in_words = db;
  db_in_words.label_selector = where("app", LabelSelectorOperator::in, {"db", "db"});
  db_in_words.namespaces = {"team-a"};
  PodAffinityTerm db_elsewhere = db;
  db_elsewhere.namespaces = {"team-b"};
  const WeightedPodAffinityTerm prefer_db = {5, db};
  using Pods = std::optional<PodAffinity>;
  struct Case {
    const char* name;
    Pods opposite;  ///< what the pod has of the other kind
    Pods pod;
    PodAffinity policy;
    Pods wanted;
    std::vector<std::string> skipped;
  };
  const std::string no_db = "zone with pods {app=db}";
  const Case cases[] = {
      {"all that is required: nothing is injected",
       PodAffinity{{db}, {}},
       none,
       {{db}, {}},
       none,
       {no_db}},
      {"preferred terms stay",
       PodAffinity{{db}, {}},
       none,
       {{db}, {prefer_db}},
       PodAffinity{{}, {prefer_db}},
       {no_db}},
      {"the other terms stay",
       PodAffinity{{cache, db}, {}},
       none,
       {{beside("web"), db}, {}},
       PodAffinity{{beside("web")}, {}},
       {no_db}},
      {"they are appended to the pod's",
       PodAffinity{{db}, {}},
       PodAffinity{{cache}, {}},
       {{db, beside("web"), db}, {}},
       PodAffinity{{cache, beside("web")}, {}},
       {no_db + ", the first of 2 such terms"}},
      {"the same in other words", PodAffinity{{db_in_words}, {}}, none, {{db}, {}}, none, {no_db}},
      {"a preferred term contradicts nothing",
       PodAffinity{{}, {prefer_db}},
       none,
       {{db}, {}},
       PodAffinity{{db}, {}},
       {}},
      {"nor does another topology key",
       PodAffinity{{beside("db", "host")}, {}},
       none,
       {{db}, {}},
       PodAffinity{{db}, {}},
       {}},
      {"nor do other namespaces",
       PodAffinity{{db_elsewhere}, {}},
       none,
       {{db}, {}},
       PodAffinity{{db}, {}},
       {}},
      {"what the pod has by itself is its own conflict",
       PodAffinity{{db}, {}},
       PodAffinity{{db}, {}},
       {{db}, {}},
       PodAffinity{{db}, {}},
       {}},
  };
  struct Kind {
    Pods Affinity::*member;
    Pods Affinity::*opposite;
    FieldPath field;
    std::string reason;
  };
  const Kind kinds[] = {{&Affinity::pod_affinity, &Affinity::pod_anti_affinity,
                         "spec.affinity.podAffinity"_path.child(required_mode),
                         "the pod's podAntiAffinity keeps these pods away: "},
                        {&Affinity::pod_anti_affinity, &Affinity::pod_affinity,
                         "spec.affinity.podAntiAffinity"_path.child(required_mode),
                         "the pod's podAffinity asks for these pods: "}};
  for (const Kind& kind : kinds) {
    for (const Case& c : cases) {
      CAPTURE(c.name);
      CAPTURE(to_string(kind.field));
      const auto affinity = [&](const Pods& of_kind) {
        Affinity all;
        all.*kind.member = of_kind;
        all.*kind.opposite = c.opposite;
        return all;
      };
      Affinity injects;
      injects.*kind.member = c.policy;
      const PodSchedulingPolicy policy =
          of_team_a("p", {.node_selector = {{"disk", "ssd"}}, .affinity = injects});
      std::vector<Skipped> skipped;
      for (const std::string& term : c.skipped)
        skipped.push_back({"p", kind.field, kind.reason + term});
      const Injection injection = injected(pod_of({.affinity = affinity(c.pod)}), {policy});
      CHECK(injection.pod ==
            pod_of({.node_selector = {{"disk", "ssd"}}, .affinity = affinity(c.wanted)}));
      CHECK(injection.skipped == skipped);
      const Injection again = injected(injection.pod, {policy});
      CHECK(again.changes == Changes{});
      CHECK(again.skipped == skipped);
    }
  }
  // Of two policies the first wins, as the first of one policy's two kinds does.
  const Affinity beside_db = {.pod_affinity = PodAffinity{{db}, {}}};
  const Affinity apart_from_db = {.pod_anti_affinity = PodAffinity{{db}, {}}};
  Affinity both = beside_db;
  both.pod_anti_affinity = apart_from_db.pod_anti_affinity;
  CHECK(injected(pod_of({}), {of_team_a("a", {.affinity = apart_from_db}),
                              of_team_a("b", {.affinity = beside_db})})
            .pod == pod_of({.affinity = apart_from_db}));
  CHECK(injected(pod_of({}), {of_team_a("a", {.affinity = both})}).pod ==
        pod_of({.affinity = beside_db}));
}

TEST_CASE("a conflict is shown in one line, whatever stands there") {
  const Injection injection =
      injected(pod_of({.scheduler_name = "a`b\n"}), {of_team_a("p", {.scheduler_name = "c d"})});
  CHECK(injection.skipped == std::vector<Skipped>{{"p", "spec.schedulerName"_path,
                                                   "the pod has `a\\`b\\x0a`, the policy `c d`"}});
}

}  // namespace inject_contradictions_test
}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
