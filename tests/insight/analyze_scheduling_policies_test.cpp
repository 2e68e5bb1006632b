// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze_scheduling_policies.hpp>

#include "analyzed_policies.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace analyze_scheduling_policies_test {

using namespace analyzed_policies;

using schedpol::testing::Generator;

TEST_CASE("a default that its own set denies, and one that it permits") {
  SchedulingPolicySpec spec;
  spec.required.scheduler_names = {"blue"};
  spec.defaults.scheduler_name = "green";
  CHECK(found(FindingCode::default_denied, saying({spec})) ==
        Lines{"`a`: `default.schedulerName`: a pod that takes the default is denied: "
              "`spec.schedulerName`: scheduler `green` is not among those required by any policy "
              "(permitted: `blue`)"});
  spec.required.scheduler_names = {"blue", "green"};
  CHECK(found(FindingCode::default_denied, saying({spec})) == Lines{});

  SchedulingPolicySpec keys;
  keys.required.node_selectors = {{"disk", {"ssd"}}};
  keys.defaults.node_selector = Labels{{"disk", "hdd"}, {"zone", "1"}};
  CHECK(found(FindingCode::default_denied, saying({keys})).size() == 1);
  keys.defaults.node_selector = Labels{{"arch", "arm64"}, {"disk", "hdd"}};
  CHECK(found(FindingCode::default_denied, saying({keys})).size() == 1);
  keys.defaults.node_selector = Labels{{"disk", "ssd"}};
  CHECK(found(FindingCode::default_denied, saying({keys})) == Lines{});

  SchedulingPolicySpec classes;
  classes.required.priority_class_names = {"gold"};
  classes.defaults.priority_class_name = "silver";
  CHECK(found(FindingCode::default_denied, saying({classes})).size() == 1);
  classes.defaults.priority_class_name = "gold";
  CHECK(found(FindingCode::default_denied, saying({classes})) == Lines{});

  SchedulingPolicySpec tolerations;
  tolerations.required.tolerations = {of_key("gpu")};
  tolerations.defaults.tolerations = {{.toleration = {.key = "spot"}}};
  CHECK(found(FindingCode::default_denied, saying({tolerations})).size() == 1);
  tolerations.defaults.tolerations = {{.toleration = {.key = "gpu"}}};
  CHECK(found(FindingCode::default_denied, saying({tolerations})) == Lines{});

  SchedulingPolicySpec affinity =
      requiring({.match_expressions = {{.keys = {"arch"}, .operators = any, .values = any}}});
  NodeSelectorTerm term{.match_expressions = {{"os", NodeSelectorOperator::in, {"linux"}}}};
  const auto give = [&] {
    affinity.defaults.affinity.emplace()
        .node_affinity.emplace()
        .required_during_scheduling_ignored_during_execution = NodeSelector{{term}};
  };
  give();
  CHECK(found(FindingCode::default_denied, saying({affinity})).size() == 1);
  term.match_expressions.push_back({"arch", NodeSelectorOperator::in, {"arm64"}});
  give();
  CHECK(found(FindingCode::default_denied, saying({affinity})) == Lines{});
  // What is required of a kind is not asked of a default that is of another one.
  affinity.defaults.affinity =
      Affinity{.pod_affinity =
                   PodAffinity{.preferred_during_scheduling_ignored_during_execution = {
                                   {.weight = 1, .pod_affinity_term = {.topology_key = "zone"}}}}};
  affinity.allowed.affinities.list().pod_affinities = any;
  CHECK(found(FindingCode::default_denied, saying({affinity})) == Lines{});
}

TEST_CASE("required node terms of a default that no node can meet together are not given") {
  const auto of = [](const char* key, const char* value) {
    return NodeSelectorRequirement{key, NodeSelectorOperator::in, {value}};
  };
  SchedulingPolicySpec spec =
      requiring({.match_expressions = {{.keys = {"arch"}, .operators = any, .values = any},
                                       {.keys = {"zone"}, .operators = any, .values = any}}});
  const auto give = [&](std::vector<NodeSelectorTerm> terms) {
    spec.defaults.affinity.emplace()
        .node_affinity.emplace()
        .required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
  };
  const Options present{.required_affinity = RequiredAffinity::present};
  give({{{of("arch", "amd64"), of("zone", "a")}, {}}, {{of("arch", "arm64")}, {}}});
  CHECK(found(FindingCode::default_not_given, saying({spec})) ==
        Lines{"`a`: `default.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`:"
              " pods are not given the default `required (arch In [amd64] & zone In [a]) | (arch In"
              " [arm64])`, because not each of its terms holds what is required, and no node can "
              "meet them together"});
  // That the pod is denied follows from it.
  CHECK(found(FindingCode::default_denied, saying({spec})) == Lines{});
  const Finding finding = analyze(saying({spec})).front();
  CHECK(finding.severity == Severity::error);
  REQUIRE(finding.witness);
  CHECK_FALSE(admit(*finding.witness, merge(saying({spec}))).allowed);
  CHECK(found(FindingCode::default_not_given, saying({spec}), present) == Lines{});

  // Each holds what is required, or a node can meet both.
  give(
      {{{of("arch", "amd64"), of("zone", "a")}, {}}, {{of("arch", "arm64"), of("zone", "b")}, {}}});
  CHECK(found(FindingCode::default_not_given, saying({spec})) == Lines{});
  give({{{of("arch", "amd64")}, {}}, {{of("zone", "a")}, {}}});
  CHECK(found(FindingCode::default_not_given, saying({spec})) == Lines{});
  CHECK(found(FindingCode::default_denied, saying({spec})) == Lines{});

  // The preferences of it are given, and are no finding.
  spec.defaults.affinity->node_affinity->required_during_scheduling_ignored_during_execution = {};
  spec.defaults.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution = {
      {1, {{of("zone", "a")}, {}}}};
  CHECK(found(FindingCode::default_not_given, saying({spec})) == Lines{});
}

TEST_CASE("a requirement that nothing meets, and one that something does") {
  SchedulingPolicySpec spec;
  spec.required.tolerations = {of_key("gpu"), {.keys = {}, .operators = any, .values = any}};
  CHECK(found(FindingCode::requirement_unmet, saying({spec})) ==
        Lines{"`a`: `required.tolerations[1]`: nothing can meet the requirement "
              "`{operators: [], values: []}`"});
  spec.required.tolerations = {of_key("gpu")};
  CHECK(found(FindingCode::requirement_unmet, saying({spec})) == Lines{});

  SchedulingPolicySpec keys;
  keys.required.node_selectors = {{"disk", {}}, {"zone", any}};
  CHECK(found(FindingCode::requirement_unmet, saying({keys})) ==
        Lines{"`a`: `required.nodeSelectors[disk]`: nothing can meet the requirement `none`"});
  keys.required.node_selectors = {{"disk", AnyOr<Texts>(Texts())}};
  CHECK(found(FindingCode::requirement_unmet, saying({keys})) ==
        Lines{"`a`: `required.nodeSelectors[disk]`: nothing can meet the requirement `none`"});
  keys.required.node_selectors = {{"disk", {}}, {"zone", {}}};
  CHECK(found(FindingCode::requirement_unmet, saying({keys})).size() == 2);

  CHECK(found(FindingCode::requirement_unmet, saying({requiring({})})).size() == 1);
  CHECK(found(FindingCode::requirement_unmet, saying({requiring({.match_fields = any})})) ==
        Lines{});
}

TEST_CASE("a required affinity is escaped where one term is enough") {
  const Policies policies = saying(
      {requiring({.match_expressions = {{.keys = {"arch"}, .operators = any, .values = any}}})});
  Options present;
  present.required_affinity = RequiredAffinity::present;
  CHECK(found(FindingCode::requirement_escaped, policies, present).size() == 1);
  CHECK(found(FindingCode::requirement_escaped, policies) == Lines{});
  CHECK(found(FindingCode::requirement_escaped, saying({{}}), present) == Lines{});
}

TEST_CASE("strategies that disagree, and sets that allow nothing or everything") {
  SchedulingPolicySpec a;
  a.allowed.priority_class_names = {"gold"};
  SchedulingPolicySpec b;
  b.allowed.priority_class_names = {"silver"};
  CHECK(found(FindingCode::strategies_disagree, saying({a, b})) == Lines{});
  CHECK(
      found(FindingCode::strategies_disagree, saying({a, b}), {}, MergeStrategy::first_seen_wins) ==
      Lines{"`a`: the merge strategy `SmartDeepMerge` allows other pods"});
  b.defaults.scheduler_name = "batch";
  CHECK(found(FindingCode::strategies_disagree, saying({a, b})) ==
        Lines{"`a` and `b`: the merge strategy `FirstSeenWins` allows other pods",
              "`a` and `b`: the merge strategy `SimpleMerge` allows other pods"});
  CHECK(found(FindingCode::strategies_disagree, saying({a, a})) == Lines{});

  CHECK(found(FindingCode::every_pod_denied, {{.metadata = {.name = "a"}}}) ==
        Lines{"`a`: no pod is allowed"});
  CHECK(found(FindingCode::every_pod_denied, {restricted()}) == Lines{});
  CHECK(found(FindingCode::every_pod_allowed, {privileged()}) ==
        Lines{"`privileged`: every pod is allowed"});
  CHECK(found(FindingCode::every_pod_allowed, {restricted()}) == Lines{});
  // What only some pods show.
  SchedulingPolicySpec nearly = privileged().spec;
  nearly.allowed.affinities = {};
  CHECK(found(FindingCode::every_pod_allowed, saying({nearly})) == Lines{});
  nearly = privileged().spec;
  nearly.required.tolerations = {of_key("gpu")};
  CHECK(analyze(saying({nearly})).empty());
  CHECK(analyze({}).empty());
}

TEST_CASE("who may use which policy: what a grant adds, and what nobody is granted") {
  SchedulingPolicySpec gpu;
  gpu.required.tolerations = {of_key("gpu")};
  const Policies policies = saying({{}, gpu, {}});
  const Pod web{.metadata = {.namespace_ = "shop"}, .spec = {.service_account_name = "web"}};
  const auto of = [&](std::vector<Grantee> grantees) {
    std::vector<std::string> texts;
    for (const Finding& finding : analyze(policies, grantees)) {
      if (finding.code == FindingCode::grant_adds_requirements) {
        REQUIRE(finding.witness);
        CHECK(finding.witness->metadata.namespace_ == "shop");
        CHECK(finding.witness->spec.service_account_name == "web");
        const auto allowed = [&](const Policies& by) {
          return admit(*finding.witness, merge(by)).allowed;
        };
        CHECK(allowed({policies[0]}));
        CHECK_FALSE(allowed({policies[0], policies[1]}));
      }
      if (finding.code != FindingCode::strategies_disagree) texts.push_back(message(finding));
    }
    return texts;
  };
  CHECK(of({{"group all", {"a", "c"}, web}, {"service account shop/web", {"a", "b"}, web}}) ==
        Lines{"`b`: may be used by `service account shop/web`, whose pods are denied for what it "
              "requires"});
  // One that is used alone adds to nothing.
  CHECK(of({{"group all", {"a"}, web}, {"service account shop/web", {"b"}, web}}) ==
        Lines{"`c`: nobody may use it"});
  CHECK(of({{"group all", {"a", "c", "elsewhere"}, web}}) == Lines{"`b`: nobody may use it"});
  CHECK(of({}).size() == 3);
  // Whichever of them it is.
  CHECK(of({{"group all", {"b", "c"}, web}}) ==
        Lines{"`b`: may be used by `group all`, whose pods are denied for what it requires",
              "`a`: nobody may use it"});
  // What no pod can show is found there, too.
  SchedulingPolicySpec unmet;
  unmet.required.tolerations = {{.keys = {}, .operators = any, .values = any}};
  const auto findings = analyze(saying({unmet}), std::vector<Grantee>{{"group all", {"a"}, web}});
  REQUIRE(!findings.empty());
  CHECK(findings[0].code == FindingCode::requirement_unmet);
  CHECK(!findings[0].witness);
}

TEST_CASE("a set that is too much to analyze is said to be, and what was found is kept") {
  SchedulingPolicySpec spec;
  spec.defaults.scheduler_name = "green";
  spec.required.scheduler_names = {"blue"};
  for (int i = 0; i < 150; ++i) {
    spec.allowed.tolerations.list().push_back(
        {.keys = {"k" + std::to_string(i)}, .operators = any, .values = any, .effects = any});
    auto& values = spec.allowed.node_selectors.list()["key-" + std::to_string(i)];
    for (int j = 0; j < 600; ++j) values.list().push_back(std::to_string(j));
  }
  const auto findings = analyze(saying({spec, spec, spec}));
  CHECK(findings.front().code == FindingCode::default_denied);
  CHECK(findings.back().code == FindingCode::not_decided);
  CHECK(findings.back().severity == Severity::info);
  // What takes most is looked for last.
  CHECK(findings.back().detail.find("EntryCovered") != std::string::npos);
  CHECK(findings.back().detail.find("DefaultDenied") == std::string::npos);
}

TEST_CASE("two thousand sets of what is granted entry by entry are looked at") {
  Policies policies;
  for (std::size_t i = 0; i < 12; ++i) {
    SchedulingPolicySpec spec;
    spec.allowed.tolerations = {of_key("key-" + std::to_string(i))};
    spec.allowed.affinities = requiring({.match_expressions = {{.keys = {std::to_string(i)},
                                                                .operators = any,
                                                                .values = {"a", "b"}}}})
                                  .required.affinities;
    policies.push_back({{.name = std::to_string(i)}, std::move(spec)});
  }
  policies[0].spec.allowed.scheduler_names = {"default-scheduler"};
  std::vector<Grantee> grantees;
  for (std::size_t set = 0; set < 2'000; ++set) {
    Grantee grantee{.whose = std::to_string(set), .policies = {"0"}};
    for (std::size_t i = 1; i < policies.size(); ++i)
      if ((set >> (i - 1) & 1U) != 0) grantee.policies.push_back(policies[i].metadata.name);
    grantees.push_back(std::move(grantee));
  }
  CHECK(analyze(policies, grantees).empty());
  Options present;
  present.required_affinity = RequiredAffinity::present;
  CHECK(analyze(policies, grantees, MergeStrategy::smart_deep_merge, present).empty());
}

TEST_CASE("hundreds of requirements and of entries that are lost are looked at") {
  SchedulingPolicySpec many;
  for (int i = 0; i < 300; ++i)
    many.required.tolerations.list().push_back(
        {.keys = {"k" + std::to_string(i)}, .operators = any, .values = any, .effects = any});
  many.required.tolerations.list().push_back(
      {.keys = {}, .operators = any, .values = any, .effects = any});
  many.allowed = schedpol::scheduling_policy::detail::everything();
  const auto unmet = analyze(saying({many}));
  CHECK(std::count_if(unmet.begin(), unmet.end(), [](const Finding& finding) {
          return finding.code == FindingCode::requirement_unmet &&
                 finding.field == FieldPath{"required", "tolerations"}.index(300);
        }) == 1);
  Policies lost;
  for (int i = 0; i < 301; ++i) {
    SchedulingPolicySpec spec;
    spec.allowed.scheduler_names = any;
    spec.defaults.priority_class_name = std::to_string(i);
    lost.push_back({.metadata = {.name = std::to_string(i)}, .spec = spec});
  }
  const auto findings = analyze(lost);
  CHECK(std::count_if(findings.begin(), findings.end(), [](const Finding& finding) {
          return finding.code == FindingCode::entry_lost;
        }) == 300);
}

TEST_CASE("every witness is what its finding says, and the built-in policies are sane") {
  Generator generate(3);
  std::set<FindingCode> codes;
  for (int i = 0; i < 8; ++i) {
    const Policies policies = generate.policies();
    const Options options = generate.options();
    const EffectivePolicy effective = merge(policies);
    for (const Finding& finding : analyze(policies, MergeStrategy::smart_deep_merge, options)) {
      codes.insert(finding.code);
      if (!finding.witness) continue;
      CAPTURE(message(finding));
      CAPTURE(*finding.witness);
      const bool allowed = admit(*finding.witness, effective, options).allowed;
      if (finding.code == FindingCode::default_denied ||
          finding.code == FindingCode::default_not_given) {
        REQUIRE_FALSE(allowed);
      } else if (finding.code == FindingCode::strategies_disagree) {
        const MergeStrategy other = finding.detail == "SimpleMerge"
                                        ? MergeStrategy::simple_merge
                                        : MergeStrategy::first_seen_wins;
        REQUIRE(admit(*finding.witness, merge(policies, other), options).allowed != allowed);
      } else {
        REQUIRE(allowed);
      }
    }
  }
  CHECK(codes.size() >= 4);
  for (const SchedulingPolicy& policy :
       {restricted(), restricted_multiarch_by_node_selector(), restricted_multiarch_by_affinity()})
    CHECK(analyze(Policies{policy}).empty());
}

}  // namespace analyze_scheduling_policies_test
