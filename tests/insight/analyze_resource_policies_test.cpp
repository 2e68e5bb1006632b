// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/analyze_resource_policies.hpp>

#include <schedpol/resource_policy/admit.hpp>

#include "../resource_policy/clusters.hpp"
#include "../support/findings.hpp"
#include "../support/print.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace analyze_resource_policies_test {

using testing::texts;

LabelSelector contradicting() {
  LabelSelector selector = pair("app", "web");
  selector.match_expressions = {{"app", LabelSelectorOperator::not_in, {"web"}}};
  return selector;
}

TEST_CASE("a selector that selects nothing, and one that nearly does") {
  CHECK(
      texts(analyze(Policies{policy(
          "a", {.pod_selector = contradicting(), .units = {{}, {.node_selector = contradicting()}}},
          "shop")})) ==
      testing::List{"`shop/a`: `podSelector`: no object has what the selector asks for",
                    "`shop/a`: `units[1].nodeSelector`: no object has what the selector asks for"});
  CHECK(analyze(Policies{policy("a", {.pod_selector = pair("app", "web")})}).empty());
}

TEST_CASE("two policies that can select one pod, and two that nearly can") {
  const ResourcePolicy web = policy("web", {.pod_selector = pair("app", "web")}, "shop");
  const auto findings =
      analyze(Policies{web, policy("gold", {.pod_selector = pair("tier", "gold")}, "shop")});
  CHECK(texts(findings) == testing::List{"`shop/gold` and `shop/web`: `podSelector`: both can "
                                         "select one pod, which is then denied"});
  CHECK(findings[0].severity == Severity::error);
  CHECK(findings[0].witness->metadata.labels == Labels{{"app", "web"}, {"tier", "gold"}});
  CHECK(analyze(Policies{web, policy("db", {.pod_selector = pair("app", "db")}, "shop")}).empty());
  CHECK(analyze(Policies{web, policy("web", {}, "office")}).empty());
  // Each with one before it, those of one name too.
  CHECK(analyze(Policies(40, web)).size() == 39);
}

TEST_CASE("a node that can be in two units, and one that nearly can") {
  const auto of_units = [](LabelSelector a, LabelSelector b) {
    return texts(
        analyze(Policies{policy("a", {.units = {{.node_selector = a}, {.node_selector = b}}})}));
  };
  CHECK(of_units(pair("disk", "ssd"), pair("zone", "1")) ==
        testing::List{"`shop/a`: `units[1].nodeSelector`: a node can be in this unit and in "
                      "`units[0] {disk=ssd, zone=1}`"});
  CHECK(of_units(pair("disk", "ssd"), pair("disk", "hdd")).empty());
}

TEST_CASE("of units that are too many to be compared that is said") {
  // Units of which none can have a node of another.
  Policies of_units;
  for (int i = 0; i < 60; ++i) {
    of_units.push_back(policy("u" + std::to_string(i), {}));
    of_units.back().metadata.namespace_ = "n" + std::to_string(i);
    for (std::size_t unit = 0; unit < max_units; ++unit) {
      LabelSelector nodes;
      for (std::size_t key = 0; key < 12; ++key)
        nodes.match_expressions.push_back({"k" + std::to_string(key),
                                           (unit >> (key % 6) & 1) == 0
                                               ? LabelSelectorOperator::exists
                                               : LabelSelectorOperator::does_not_exist,
                                           {}});
      of_units.back().spec.units.push_back({.node_selector = nodes});
    }
  }
  CHECK(texts(analyze(of_units)) ==
        testing::List{"too much to compare, so that not all was found of UnitsOverlap"});
}

TEST_CASE("law: policies overlap where some labels show it, and every pod shown is denied") {
  testing::SelectorGenerator generate(7);
  std::size_t with = 0;
  std::size_t without = 0;
  for (int round = 0; round < 40; ++round) {
    Policies policies;
    for (std::size_t i = 2 + generate.below(round % 2 == 0 ? 2 : 20); i > 0; --i)
      policies.push_back(policy(std::to_string(10 + i), {.pod_selector = generate.selector()},
                                generate.chance(50) ? "shop" : "office"));
    std::set<std::string> wanted;
    for (const char* in : {"shop", "office"})
      for (const Labels& labels : testing::SelectorGenerator::all_labels()) {
        const Admission admission =
            admit({.metadata = {.namespace_ = in, .labels = labels}}, policies);
        if (admission.allowed) continue;
        std::set<std::string> names(admission.violations[0].policies.begin(),
                                    admission.violations[0].policies.end());
        names.erase(names.begin());
        for (const std::string& name : names) wanted.insert(in + ("/" + name));
      }
    std::set<std::string> found;
    for (const Finding& finding : analyze(policies)) {
      if (finding.code != FindingCode::selections_overlap) continue;
      found.insert(finding.policies[1]);
      REQUIRE_FALSE(admit(*finding.witness, policies).allowed);
    }
    REQUIRE(found == wanted);
    (found.empty() ? without : with) += 1;
  }
  CHECK(with > 10);
  CHECK(without > 5);
}

}  // namespace analyze_resource_policies_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
