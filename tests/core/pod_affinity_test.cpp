// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/pod_affinity.hpp>

#include "../support/path.hpp"
#include "../support/print.hpp"

#include <string>
#include <utility>
#include <vector>

namespace pod_affinity_test {

using schedpol::compile;
using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::LabelSelectorOperator;
using schedpol::Pod;
using schedpol::PodAffinityMatcher;
using schedpol::PodAffinityTerm;
using schedpol::testing::operator""_path;

Pod pod(std::string namespace_, Labels labels) {
  return {.metadata = {.namespace_ = std::move(namespace_), .labels = std::move(labels)}};
}

LabelSelector having(std::string key, std::string value) {
  return {.match_labels = {{std::move(key), std::move(value)}}};
}

TEST_CASE("a term selects the pods of its namespaces that its selector matches") {
  const Pod web = pod("shop", {{"app", "web"}, {"hash", "1"}, {"track", "a"}});
  const LabelSelector apps = having("app", "web");
  struct Case {
    std::string name;
    PodAffinityTerm term;  ///< of `web`
    Pod other;
    Labels namespace_labels;
    bool wanted;
  };
  const Case cases[] = {
      {"its own namespace", {.label_selector = apps}, web, {}, true},
      {"another namespace", {.label_selector = apps}, pod("x", {{"app", "web"}}), {}, false},
      {"not selected", {.label_selector = apps}, pod("shop", {{"app", "db"}}), {}, false},
      {"selected by {}", {.label_selector = LabelSelector{}}, pod("shop", {}), {}, true},
      {"no selector", {}, web, {}, false},
      {"a listed namespace",
       {.label_selector = apps, .namespaces = {"x", "y"}},
       pod("x", {{"app", "web"}}),
       {},
       true},
      {"its own, when others are listed",
       {.label_selector = apps, .namespaces = {"x", "y"}},
       web,
       {},
       false},
      {"a namespace by its labels",
       {.label_selector = apps, .namespace_selector = having("team", "a")},
       pod("x", {{"app", "web"}}),
       {{"team", "a"}},
       true},
      {"a namespace of other labels",
       {.label_selector = apps, .namespace_selector = having("team", "a")},
       pod("shop", {{"app", "web"}}),
       {{"team", "b"}},
       false},
      {"every namespace",
       {.label_selector = apps, .namespace_selector = LabelSelector{}},
       pod("x", {{"app", "web"}}),
       {},
       true},
      {"listed or by its labels",
       {.label_selector = apps, .namespaces = {"x"}, .namespace_selector = having("team", "a")},
       pod("x", {{"app", "web"}}),
       {{"team", "b"}},
       true},
      {"a key with its value",
       {.label_selector = apps, .match_label_keys = {"hash"}},
       pod("shop", {{"app", "web"}, {"hash", "1"}}),
       {},
       true},
      {"a key with another value",
       {.label_selector = apps, .match_label_keys = {"hash"}},
       pod("shop", {{"app", "web"}, {"hash", "2"}}),
       {},
       false},
      {"two keys, the second with another value",
       {.label_selector = apps, .match_label_keys = {"app", "hash"}},
       pod("shop", {{"app", "web"}, {"hash", "2"}}),
       {},
       false},
      {"a key that is missing",
       {.label_selector = apps, .match_label_keys = {"hash"}},
       pod("shop", {{"app", "web"}}),
       {},
       false},
      {"a key that the pod of the term lacks",
       {.label_selector = apps, .match_label_keys = {"none"}},
       pod("shop", {{"app", "web"}}),
       {},
       true},
      {"a key that must not match, matching",
       {.label_selector = apps, .mismatch_label_keys = {"track"}},
       pod("shop", {{"app", "web"}, {"track", "a"}}),
       {},
       false},
      {"a key that must not match, another value",
       {.label_selector = apps, .mismatch_label_keys = {"track"}},
       pod("shop", {{"app", "web"}, {"track", "b"}}),
       {},
       true},
      {"a key that must not match, missing",
       {.label_selector = apps, .mismatch_label_keys = {"track"}},
       pod("shop", {{"app", "web"}}),
       {},
       true},
      {"keys without a selector",
       {.match_label_keys = {"hash"}},
       pod("shop", {{"hash", "1"}}),
       {},
       false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto matcher = compile(c.term, web);
    REQUIRE(matcher);
    CHECK(matcher->matches(c.other, c.namespace_labels) == c.wanted);
  }
  CHECK(!PodAffinityMatcher().matches(web));
}

TEST_CASE("selectors that cannot be used are reported where they stand") {
  PodAffinityTerm term;
  term.label_selector =
      LabelSelector{.match_expressions = {{"app", LabelSelectorOperator::in, {}},
                                          {"tier", LabelSelectorOperator::not_in, {}}}};
  term.namespace_selector = having("-", "x");
  const auto matcher = compile(term, Pod(), "spec.affinity"_path);
  REQUIRE(!matcher);
  REQUIRE(matcher.errors().size() == 3);
  CHECK(matcher.errors()[0].field == "spec.affinity.labelSelector.matchExpressions[0].values");
  CHECK(matcher.errors()[1].field == "spec.affinity.labelSelector.matchExpressions[1].values");
  CHECK(matcher.errors()[2].field == "spec.affinity.namespaceSelector.matchLabels");
}

}  // namespace pod_affinity_test
