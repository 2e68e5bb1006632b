// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/patch.hpp>

#include "patched.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patch_lists_test {

using namespace patched_pods;

using schedpol::TaintEffect;
const Toleration spot{.key = "spot", .value = "true", .effect = TaintEffect::no_schedule};

TEST_CASE("tolerations are appended, removed and changed one by one") {
  const auto append = [](Pod& pod) {
    pod.spec.tolerations.push_back(gpu);
    pod.spec.tolerations.push_back(spot);
  };
  const auto appended = patched(R"({"spec":{"tolerations":[{"key":"a","x":1}]}})", append);
  CHECK(appended.patch ==
        R"([{"op":"add","path":"/spec/tolerations/-","value":{"key":"gpu","operator":"Exists"}},)"
        R"({"op":"add","path":"/spec/tolerations/-",)"
        R"("value":{"key":"spot","value":"true","effect":"NoSchedule"}}])");
  CHECK(appended.document ==
        R"({"spec":{"tolerations":[{"key":"a","x":1},{"key":"gpu","operator":"Exists"},)"
        R"({"key":"spot","value":"true","effect":"NoSchedule"}]}})");
  for (const char* empty :
       {R"({"spec":{"tolerations":[]}})", R"({"spec":{"tolerations":null}})", R"({"spec":{}})"}) {
    CAPTURE(empty);
    CHECK(
        patched(empty, [](Pod& pod) { pod.spec.tolerations = {gpu}; }).patch ==
        R"([{"op":"add","path":"/spec/tolerations","value":[{"key":"gpu","operator":"Exists"}]}])");
  }
  CHECK(patched(R"({"spec":{"tolerations":[{"key":"a"},{"key":"b"}]}})", [](Pod& pod) {
          pod.spec.tolerations.pop_back();
        }).patch == R"([{"op":"remove","path":"/spec/tolerations/1"}])");
  const auto changed =
      patched(R"({"spec":{"tolerations":[{"key":"a","x":1},{"key":"b"}]}})", [](Pod& pod) {
        pod.spec.tolerations[0].toleration_seconds = 5;
        pod.spec.tolerations[1].key = "c";
      });
  CHECK(changed.patch ==
        R"([{"op":"add","path":"/spec/tolerations/0/tolerationSeconds","value":5},)"
        R"({"op":"replace","path":"/spec/tolerations/1","value":{"key":"c"}}])");
  CHECK(changed.document ==
        R"({"spec":{"tolerations":[{"key":"a","x":1,"tolerationSeconds":5},{"key":"c"}]}})");
}

TEST_CASE("an item keeps its unknown fields wherever it goes, and gives them to no other") {
  const auto toleration = [](const char* key) { return Toleration{.key = key}; };
  struct Case {
    const char* what;
    const char* before;
    std::vector<Toleration> after;
    const char* document;
    std::size_t operations;
  };
  const Case cases[] = {
      {"one in front",
       R"([{"key":"a","x":1}])",
       {toleration("b"), toleration("a")},
       R"([{"key":"b"},{"key":"a","x":1}])",
       1},
      {"one between",
       R"([{"key":"a","x":1},{"key":"b","x":2}])",
       {toleration("a"), toleration("c"), toleration("b")},
       R"([{"key":"a","x":1},{"key":"c"},{"key":"b","x":2}])",
       1},
      {"the first goes",
       R"([{"key":"a","x":1},{"key":"b","x":2},{"key":"c"}])",
       {toleration("b"), toleration("c")},
       R"([{"key":"b","x":2},{"key":"c"}])",
       1},
      {"the middle goes",
       R"([{"key":"a","x":1},{"key":"b","x":2},{"key":"c","x":3}])",
       {toleration("a"), toleration("c")},
       R"([{"key":"a","x":1},{"key":"c","x":3}])",
       1},
      {"two of four go",
       R"([{"key":"a","x":1},{"key":"b","x":2},{"key":"c","x":3},{"key":"d","x":4}])",
       {toleration("b"), toleration("d")},
       R"([{"key":"b","x":2},{"key":"d","x":4}])",
       2},
      {"all go", R"([{"key":"a","x":1},{"key":"b","x":2}])", {}, "null", 1},
      {"one replaced by a stranger",
       R"([{"key":"a","x":1},{"key":"b","x":2}])",
       {toleration("c"), toleration("b")},
       R"([{"key":"c"},{"key":"b","x":2}])",
       1},
      {"one changed",
       R"([{"key":"a","value":"1","x":1},{"key":"b","x":2}])",
       {toleration("a"), toleration("b")},
       R"([{"key":"a","x":1},{"key":"b","x":2}])",
       1},
      {"one that says nothing, between two that change",
       R"([{"key":"a","value":"1"},{"x":1},{"key":"b","value":"1"}])",
       {toleration("a"), {}, toleration("b")},
       R"([{"key":"a"},{"x":1},{"key":"b"}])",
       2},
      {"a stranger without a key too",
       R"([{"value":"c","x":1},{"key":"k","value":"v"},{"effect":"NoExecute","y":2}])",
       {Toleration{.effect = TaintEffect::no_execute}, toleration("k")},
       R"([{"effect":"NoExecute","y":2},{"key":"k"}])",
       3},
      {"one covered by a later one",
       R"([{"key":"a","value":"1","x":1},{"key":"b","x":2}])",
       {toleration("b"), toleration("a")},
       R"([{"key":"b","x":2},{"key":"a"}])",
       2},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const std::string list = R"({"spec":{"tolerations":)";
    const std::string text = list + c.before + "}}";
    schedpol::json::Document document;
    REQUIRE(document.parse(text));
    const auto before = schedpol::json::decode<Pod>(document);
    REQUIRE(before);
    Pod after = *before;
    after.spec.tolerations = c.after;
    const Patch patch = schedpol::json::make_patch(document, *before, after);
    CHECK(patch.size() == c.operations);
    const auto applied = apply_patch(text, patch);
    REQUIRE(applied);
    const bool gone = std::string_view(c.document) == "null";
    CHECK(*applied == (gone ? R"({"spec":{}})" : list + c.document + "}}"));
  }
}

TEST_CASE("a term that gets more expressions keeps its own, with their unknown fields") {
  using Requirement = schedpol::NodeSelectorRequirement;
  const auto exists = [](const char* key) {
    return Requirement{.key = key, .operator_ = schedpol::NodeSelectorOperator::exists};
  };
  const std::string terms =
      R"({"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":)";
  const auto result = patched(
      terms + R"([{"matchExpressions":[{"key":"a","operator":"Exists","x":1}]},)"
              R"({"y":2,"matchExpressions":[{"key":"b","operator":"Exists"}]}]}}}}})",
      [&](Pod& pod) {
        pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
            ->node_selector_terms = {{.match_expressions = {exists("p"), exists("a")}},
                                     {.match_expressions = {exists("q"), exists("a")}},
                                     {.match_expressions = {exists("p"), exists("b")}},
                                     {.match_expressions = {exists("q"), exists("b")}}};
      });
  // Of terms on the same key, the one with the same values.
  const auto zones = patched(
      terms + R"([{"matchExpressions":[{"key":"z","operator":"In","values":["a"]}]},)"
              R"({"matchExpressions":[{"key":"z","operator":"In","values":["b"]}],"x":1}]}}}}})",
      [&](Pod& pod) {
        const auto in = [](const char* zone) {
          return Requirement{
              .key = "z", .operator_ = schedpol::NodeSelectorOperator::in, .values = {zone}};
        };
        pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
            ->node_selector_terms = {{.match_expressions = {exists("p"), in("a")}},
                                     {.match_expressions = {exists("q"), in("a")}},
                                     {.match_expressions = {exists("p"), in("b")}},
                                     {.match_expressions = {exists("q"), in("b")}}};
      });
  const std::string of_b =
      R"([{"key":"p","operator":"Exists"},{"key":"z","operator":"In","values":["b"]}],"x":1)";
  CHECK(zones.document.find(of_b) != std::string::npos);
  CHECK(
      result.document ==
      terms +
          R"([{"matchExpressions":[{"key":"p","operator":"Exists"},{"key":"a","operator":"Exists","x":1}]},)"
          R"({"matchExpressions":[{"key":"q","operator":"Exists"},{"key":"a","operator":"Exists"}]},)"
          R"({"y":2,"matchExpressions":[{"key":"p","operator":"Exists"},{"key":"b","operator":"Exists"}]},)"
          R"({"matchExpressions":[{"key":"q","operator":"Exists"},{"key":"b","operator":"Exists"}]}]}}}}})");
}

TEST_CASE("a null item is replaced whole, whatever becomes of it") {
  const std::string terms = R"({"spec":{"affinity":{"podAffinity":)"
                            R"({"requiredDuringSchedulingIgnoredDuringExecution":)";
  CHECK(patched(terms + "[null]}}}}", [](Pod& pod) {
          pod.spec.affinity->pod_affinity->required_during_scheduling_ignored_during_execution[0]
              .namespaces = {"n"};
        }).document == terms + R"([{"namespaces":["n"]}]}}}})");
}

TEST_CASE("lists too long to be compared pair by pair are patched place by place") {
  std::string text = R"({"spec":{"tolerations":[)";
  for (int i = 0; i < 100; ++i)
    text += R"({"key":"a)" + std::to_string(i) + R"(","x":)" + std::to_string(i) + "},";
  text.back() = ']';
  text += "}}";
  const auto result = patched(text, [](Pod& pod) {
    std::reverse(pod.spec.tolerations.begin(), pod.spec.tolerations.end());
    pod.spec.tolerations.pop_back();
  });
  // No field goes to a stranger, even here.
  CHECK(result.document.find(R"({"key":"a99","x")") == std::string::npos);
  CHECK(result.document.find(R"({"key":"a99"})") != std::string::npos);
}

TEST_CASE("terms of many expressions are compared in about the time they take to read") {
  // 64 terms with 64 others, 200 expressions each on one key: a comparison of each expression with
  // each takes 164 million steps. Of so many the patch is more than `apply_patch` goes through.
  using Requirement = schedpol::NodeSelectorRequirement;
  const auto terms = [](std::size_t count, const std::string& prefix) {
    std::vector<schedpol::NodeSelectorTerm> made(count);
    for (std::size_t i = 0; i < made.size(); ++i) {
      for (std::size_t j = 0; j < 200; ++j) {
        made[i].match_expressions.push_back(
            Requirement{.key = "zone",
                        .operator_ = schedpol::NodeSelectorOperator::in,
                        .values = {prefix + std::to_string(i) + "-" + std::to_string(j)}});
      }
    }
    return made;
  };
  for (const auto& [count, is_applied] : {std::pair<std::size_t, bool>{64, false}, {8, true}}) {
    CAPTURE(count);
    Pod before;
    before.spec.affinity.emplace()
        .node_affinity.emplace()
        .required_during_scheduling_ignored_during_execution.emplace()
        .node_selector_terms = terms(count, "a");
    Pod after = before;
    after.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution
        ->node_selector_terms = terms(count, "b");
    const std::string text = schedpol::json::encode(before);
    schedpol::json::Document document;
    REQUIRE(document.parse(text));
    const Patch patch = schedpol::json::make_patch(document, before, after);
    REQUIRE(!patch.empty());
    const auto applied = apply_patch(text, patch);
    REQUIRE(static_cast<bool>(applied) == is_applied);
    if (is_applied)
      CHECK((*schedpol::json::decode<Pod>(std::string_view(*applied))).spec == after.spec);
  }
}

TEST_CASE("of related items the one that has more in common is changed") {
  // Preferred terms are told by their preferences, whose criteria may stand in any order.
  const auto result = patched(
      R"({"spec":{"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)"
      R"({"weight":1,"x":1,"preference":{"matchExpressions":[{"key":"b","operator":"Exists"},)"
      R"({"key":"a","operator":"In","values":["1","2"]}]}},)"
      R"({"weight":2,"x":2,"preference":{"matchFields":[{"key":"f","operator":"Exists"}]}}]}}}})",
      [](Pod& pod) {
        auto& preferred =
            pod.spec.affinity->node_affinity->preferred_during_scheduling_ignored_during_execution;
        std::swap(preferred[0].preference.match_expressions[0],
                  preferred[0].preference.match_expressions[1]);
        preferred[1].weight = 7;
        preferred.insert(preferred.begin(), {.weight = 5, .preference = {}});
      });
  CHECK(result.document.find(R"({"weight":1,"x":1,"preference":{"matchExpressions":)"
                             R"([{"key":"a","operator":"In","values":["1","2"]},)"
                             R"({"key":"b","operator":"Exists"}]}})") != std::string::npos);
  CHECK(result.document.find(R"({"weight":7,"x":2,)") != std::string::npos);
}

}  // namespace patch_lists_test
