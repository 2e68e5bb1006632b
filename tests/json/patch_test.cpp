// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/patch.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patch_test {

using schedpol::Pod;
using schedpol::TaintEffect;
using schedpol::Toleration;
using schedpol::TolerationOperator;
using schedpol::json::apply_patch;
using schedpol::json::Patch;

// A change of a pod, the patch that it makes in a document, and the document after it.
struct Patched {
  std::string patch;
  std::string document;
};

template <class Change>
Patched patched(std::string_view text, Change&& change) {
  schedpol::json::Document document;
  REQUIRE(document.parse(text));
  const auto before = schedpol::json::decode<Pod>(document);
  REQUIRE(before);
  Pod after = *before;
  change(after);
  const Patch patch = schedpol::json::make_patch(document, *before, after);
  const auto applied = apply_patch(text, patch);
  REQUIRE(applied);
  // Whatever the patch looks like, the document now reads as the changed pod.
  const auto read = schedpol::json::decode<Pod>(std::string_view(*applied));
  REQUIRE(read);
  CHECK(read->spec == after.spec);
  return {schedpol::json::encode(patch), *applied};
}

const Toleration gpu{.key = "gpu", .operator_ = TolerationOperator::exists};
const Toleration spot{.key = "spot", .value = "true", .effect = TaintEffect::no_schedule};

TEST_CASE("nothing differs: the patch is empty, and so is what it does") {
  constexpr const char* documents[] = {"{}", R"({"spec":null})", R"({"kind":"CronJob"})",
                                       R"({"spec":{"tolerations":[{"operator":"Equal"}]}})"};
  for (const char* document : documents) {
    CAPTURE(document);
    const auto result = patched(document, [](Pod&) {});
    CHECK(result.patch == "[]");
    CHECK(result.document == document);
  }
  const auto equal = patched(R"({"spec":{"tolerations":[{"key":"a"}]}})", [](Pod& pod) {
    pod.spec.tolerations[0].operator_ = TolerationOperator::equal;
  });
  CHECK(equal.patch == "[]");
}

TEST_CASE("fields of a pod are added where they are absent, empty or null, else replaced") {
  const auto give_name = [](Pod& pod) { pod.spec.scheduler_name = "s"; };
  struct Case {
    const char* document;
    const char* patch;
    const char* after;
  };
  constexpr Case cases[] = {
      {R"({"spec":{}})", R"([{"op":"add","path":"/spec/schedulerName","value":"s"}])",
       R"({"spec":{"schedulerName":"s"}})"},
      {R"({"spec":{"schedulerName":null}})",
       R"([{"op":"add","path":"/spec/schedulerName","value":"s"}])",
       R"({"spec":{"schedulerName":"s"}})"},
      {R"({"spec":{"schedulerName":""}})",
       R"([{"op":"add","path":"/spec/schedulerName","value":"s"}])",
       R"({"spec":{"schedulerName":"s"}})"},
      {R"({"spec":{"schedulerName":"x"}})",
       R"([{"op":"replace","path":"/spec/schedulerName","value":"s"}])",
       R"({"spec":{"schedulerName":"s"}})"},
      {R"({"spec":null})",
       R"([{"op":"add","path":"/spec","value":{}},)"
       R"({"op":"add","path":"/spec/schedulerName","value":"s"}])",
       R"({"spec":{"schedulerName":"s"}})"},
      {"{}",
       R"([{"op":"add","path":"/spec","value":{}},)"
       R"({"op":"add","path":"/spec/schedulerName","value":"s"}])",
       R"({"spec":{"schedulerName":"s"}})"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    const auto result = patched(c.document, give_name);
    CHECK(result.patch == c.patch);
    CHECK(result.document == c.after);
  }
}

TEST_CASE("fields that became absent are removed, once they are there") {
  const auto clear = [](Pod& pod) {
    pod.spec.priority.reset();
    pod.spec.preemption_policy.clear();
    pod.spec.node_selector.clear();
    pod.spec.affinity.reset();
  };
  const auto result =
      patched(R"({"spec":{"priority":0,"a":1,"preemptionPolicy":"Never","nodeSelector":{"x":"y"},)"
              R"("affinity":{}}})",
              clear);
  CHECK(
      result.patch ==
      R"([{"op":"remove","path":"/spec/priority"},{"op":"remove","path":"/spec/preemptionPolicy"},)"
      R"({"op":"remove","path":"/spec/nodeSelector"},{"op":"remove","path":"/spec/affinity"}])");
  CHECK(result.document == R"({"spec":{"a":1}})");
  CHECK(patched(R"({"spec":{"preemptionPolicy":null,"priority":null,"nodeSelector":{}}})", clear)
            .patch == "[]");
}

TEST_CASE("node selectors are patched key by key, with / and ~ escaped") {
  const auto result =
      patched(R"({"spec":{"nodeSelector":{"b~":"2","gone":"x","a/b~c":"1"}}})", [](Pod& pod) {
        pod.spec.node_selector = {{"a/b~c", "3"}, {"b~", "2"}, {"kubernetes.io/arch", ""}};
      });
  CHECK(result.patch ==
        R"([{"op":"replace","path":"/spec/nodeSelector/a~1b~0c","value":"3"},)"
        R"({"op":"remove","path":"/spec/nodeSelector/gone"},)"
        R"({"op":"add","path":"/spec/nodeSelector/kubernetes.io~1arch","value":""}])");
  CHECK(result.document ==
        R"({"spec":{"nodeSelector":{"b~":"2","a/b~c":"3","kubernetes.io/arch":""}}})");
  CHECK(patched(R"({"spec":{"nodeSelector":{"a":"1","y":"2","z":"3"}}})",
                [](Pod& pod) {
                  pod.spec.node_selector = {{"a", "1"}};
                })
            .patch == R"([{"op":"remove","path":"/spec/nodeSelector/y"},)"
                      R"({"op":"remove","path":"/spec/nodeSelector/z"}])");
  CHECK(patched(R"({"spec":{"nodeSelector":null}})", [](Pod& pod) {
          pod.spec.node_selector = {{"a/b", "c"}};
        }).patch == R"([{"op":"add","path":"/spec/nodeSelector","value":{"a/b":"c"}}])");
}

TEST_CASE("a key that JSON has to escape is escaped in the pointer too, once") {
  const auto result =
      patched(R"({"spec":{"nodeSelector":{"a\"b\\c":"1","\u0001~":"1","ü":"1"}}})", [](Pod& pod) {
        pod.spec.node_selector = {{"a\"b\\c", "2"}, {"\n/", "1"}};
      });
  CHECK(result.patch == R"([{"op":"remove","path":"/spec/nodeSelector/\u0001~0"},)"
                        R"({"op":"add","path":"/spec/nodeSelector/\n~1","value":"1"},)"
                        R"({"op":"replace","path":"/spec/nodeSelector/a\"b\\c","value":"2"},)"
                        R"({"op":"remove","path":"/spec/nodeSelector/ü"}])");
  CHECK(result.document == R"({"spec":{"nodeSelector":{"a\"b\\c":"2","\n/":"1"}}})");
}

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

TEST_CASE("a document that is not good has no patch") {
  schedpol::json::Document document;
  Pod after;
  after.spec.scheduler_name = "s";
  CHECK(schedpol::json::make_patch(document, {}, after).empty());
  CHECK(schedpol::json::make_patch(document, {}, schedpol::ObjectMeta{.labels = {{"a", "b"}}})
            .empty());
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

TEST_CASE("affinity is patched at the level where it differs") {
  const auto give_anti_affinity = [](Pod& pod) {
    if (!pod.spec.affinity) pod.spec.affinity.emplace();
    auto& anti = pod.spec.affinity->pod_anti_affinity;
    if (!anti) anti.emplace();
    anti->required_during_scheduling_ignored_during_execution.emplace_back().topology_key = "zone";
  };
  struct Case {
    const char* document;
    const char* patch;
  };
  constexpr Case cases[] = {
      {R"({"spec":{}})",
       R"([{"op":"add","path":"/spec/affinity","value":{"podAntiAffinity":)"
       R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone"}]}}}])"},
      {R"({"spec":{"affinity":null}})",
       R"([{"op":"add","path":"/spec/affinity","value":{"podAntiAffinity":)"
       R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone"}]}}}])"},
      {R"({"spec":{"affinity":{"nodeAffinity":{}}}})",
       R"([{"op":"add","path":"/spec/affinity/podAntiAffinity","value":)"
       R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone"}]}}])"},
      {R"({"spec":{"affinity":{"podAntiAffinity":null}}})",
       R"([{"op":"add","path":"/spec/affinity/podAntiAffinity","value":)"
       R"({"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"zone"}]}}])"},
      {R"({"spec":{"affinity":{"podAntiAffinity":{}}}})",
       R"([{"op":"add","path":"/spec/affinity/podAntiAffinity/)"
       R"(requiredDuringSchedulingIgnoredDuringExecution","value":[{"topologyKey":"zone"}]}])"},
      {R"({"spec":{"affinity":{"podAntiAffinity":
          {"requiredDuringSchedulingIgnoredDuringExecution":[{"topologyKey":"host"}]}}}})",
       R"([{"op":"add","path":"/spec/affinity/podAntiAffinity/)"
       R"(requiredDuringSchedulingIgnoredDuringExecution/-","value":{"topologyKey":"zone"}}])"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    CHECK(patched(c.document, give_anti_affinity).patch == c.patch);
  }
  const auto terms = patched(
      R"({"spec":{"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
          {"nodeSelectorTerms":[{"matchExpressions":[{"key":"a","operator":"In"}]}]}}}}})",
      [](Pod& pod) {
        auto& required =
            pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
        required->node_selector_terms[0].match_expressions[0].values = {"x"};
        required->node_selector_terms.push_back({});
      });
  CHECK(terms.patch ==
        R"([{"op":"add","path":"/spec/affinity/nodeAffinity/)"
        R"(requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchExpressions/0/)"
        R"(values","value":["x"]},)"
        R"({"op":"add","path":"/spec/affinity/nodeAffinity/)"
        R"(requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/-","value":{}}])");
}

TEST_CASE("a weight is patched whether the term has one or not") {
  struct Case {
    const char* term;
    const char* patch;
    const char* after;
  };
  constexpr Case cases[] = {
      {R"({"podAffinityTerm":{"topologyKey":"a"}})", R"({"op":"add","path":"PLACE","value":7})",
       R"({"podAffinityTerm":{"topologyKey":"a"},"weight":7})"},
      {R"({"weight":null,"podAffinityTerm":{"topologyKey":"a"}})",
       R"({"op":"add","path":"PLACE","value":7})",
       R"({"weight":7,"podAffinityTerm":{"topologyKey":"a"}})"},
      {R"({"weight":0,"podAffinityTerm":{"topologyKey":"a"}})",
       R"({"op":"add","path":"PLACE","value":7})",
       R"({"weight":7,"podAffinityTerm":{"topologyKey":"a"}})"},
      {R"({"weight":1,"podAffinityTerm":{"topologyKey":"a"}})",
       R"({"op":"replace","path":"PLACE","value":7})",
       R"({"weight":7,"podAffinityTerm":{"topologyKey":"a"}})"},
  };
  const std::string place = "podAffinity/preferredDuringSchedulingIgnoredDuringExecution";
  const auto document_with = [](std::string_view term) {
    return R"({"spec":{"affinity":{"podAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)" +
           std::string(term) + "]}}}}";
  };
  for (const Case& c : cases) {
    CAPTURE(c.term);
    const auto result = patched(document_with(c.term), [](Pod& pod) {
      pod.spec.affinity->pod_affinity->preferred_during_scheduling_ignored_during_execution[0]
          .weight = 7;
    });
    std::string patch = c.patch;
    patch.replace(patch.find("PLACE"), 5, "/spec/affinity/" + place + "/0/weight");
    CHECK(result.patch == "[" + patch + "]");
    CHECK(result.document == document_with(c.after));
  }
  // One that stays what it was is not patched.
  const auto result = patched(document_with(cases[2].term), [](Pod& pod) {
    pod.spec.affinity->pod_affinity->preferred_during_scheduling_ignored_during_execution[0]
        .pod_affinity_term.namespaces = {"n"};
  });
  CHECK(result.patch == R"([{"op":"add","path":"/spec/affinity/)" + place +
                            R"(/0/podAffinityTerm/namespaces","value":["n"]}])");
}

TEST_CASE("in workloads the patch reaches the template, and makes the parents that are missing") {
  struct Case {
    const char* document;
    const char* patch;
    const char* after;
  };
  constexpr Case cases[] = {
      {R"({"kind":"Deployment","spec":{"replicas":2,"template":{"spec":{"a":1}}}})",
       R"([{"op":"add","path":"/spec/template/spec/nodeName","value":"n"}])",
       R"({"kind":"Deployment","spec":{"replicas":2,"template":{"spec":{"a":1,"nodeName":"n"}}}})"},
      {R"({"kind":"StatefulSet","spec":{"template":{"metadata":{}}}})",
       R"([{"op":"add","path":"/spec/template/spec","value":{}},)"
       R"({"op":"add","path":"/spec/template/spec/nodeName","value":"n"}])",
       R"({"kind":"StatefulSet","spec":{"template":{"metadata":{},"spec":{"nodeName":"n"}}}})"},
      {R"({"kind":"DaemonSet","spec":{"template":null}})",
       R"([{"op":"add","path":"/spec/template","value":{}},)"
       R"({"op":"add","path":"/spec/template/spec","value":{}},)"
       R"({"op":"add","path":"/spec/template/spec/nodeName","value":"n"}])",
       R"({"kind":"DaemonSet","spec":{"template":{"spec":{"nodeName":"n"}}}})"},
      {R"({"kind":"ReplicaSet"})",
       R"([{"op":"add","path":"/spec","value":{}},{"op":"add","path":"/spec/template","value":{}},)"
       R"({"op":"add","path":"/spec/template/spec","value":{}},)"
       R"({"op":"add","path":"/spec/template/spec/nodeName","value":"n"}])",
       R"({"kind":"ReplicaSet","spec":{"template":{"spec":{"nodeName":"n"}}}})"},
      {R"({"kind":"ReplicationController","spec":{"template":{"spec":{"nodeName":"old"}}}})",
       R"([{"op":"replace","path":"/spec/template/spec/nodeName","value":"n"}])",
       R"({"kind":"ReplicationController","spec":{"template":{"spec":{"nodeName":"n"}}}})"},
      {R"({"kind":"Job","spec":{"template":{}}})",
       R"([{"op":"add","path":"/spec/template/spec","value":{}},)"
       R"({"op":"add","path":"/spec/template/spec/nodeName","value":"n"}])",
       R"({"kind":"Job","spec":{"template":{"spec":{"nodeName":"n"}}}})"},
      {R"({"kind":"PodTemplate","template":{"spec":{}}})",
       R"([{"op":"add","path":"/template/spec/nodeName","value":"n"}])",
       R"({"kind":"PodTemplate","template":{"spec":{"nodeName":"n"}}})"},
      {R"({"kind":"CronJob","spec":{"jobTemplate":{"metadata":{}}}})",
       R"([{"op":"add","path":"/spec/jobTemplate/spec","value":{}},)"
       R"({"op":"add","path":"/spec/jobTemplate/spec/template","value":{}},)"
       R"({"op":"add","path":"/spec/jobTemplate/spec/template/spec","value":{}},)"
       R"({"op":"add","path":"/spec/jobTemplate/spec/template/spec/nodeName","value":"n"}])",
       R"({"kind":"CronJob","spec":{"jobTemplate":{"metadata":{},)"
       R"("spec":{"template":{"spec":{"nodeName":"n"}}}}}})"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.document);
    const auto result = patched(c.document, [](Pod& pod) { pod.spec.node_name = "n"; });
    CHECK(result.patch == c.patch);
    CHECK(result.document == c.after);
  }
}

TEST_CASE("what a patch does not name keeps its bytes") {
  constexpr std::string_view before =
      " {\n\t\"kind\" : \"Pod\" ,\r\n  \"\\u0073pec\": { \"nodeSelector\" :{ \"k\\u0065y\" : "
      "\"ssd\" , \"z\\/y\":\"\\u00e9\\/\" } ,\n"
      "   \"volumes\" : [ {\"x\": 1.0e3, \"y\":123456789012345678, \"w\": -0, \"v\":1E+2 } ,\n"
      "  [ ] , { } ] , \"tolerations\" :[ {\"key\": \"a\" } ] }\n , \"status\":{\"a\": \"\\\"}]\"}"
      " }\n";
  const auto result = patched(before, [](Pod& pod) {
    pod.spec.node_selector["key"] = "hdd";
    pod.spec.node_selector["new"] = "x";
    pod.spec.tolerations.push_back(gpu);
  });
  CHECK(result.patch ==
        R"([{"op":"replace","path":"/spec/nodeSelector/key","value":"hdd"},)"
        R"({"op":"add","path":"/spec/nodeSelector/new","value":"x"},)"
        R"({"op":"add","path":"/spec/tolerations/-","value":{"key":"gpu","operator":"Exists"}}])");
  CHECK(result.document ==
        " {\n\t\"kind\" : \"Pod\" ,\r\n  \"\\u0073pec\": { \"nodeSelector\" :{ \"k\\u0065y\" : "
        "\"hdd\" , \"z\\/y\":\"\\u00e9\\/\",\"new\":\"x\" } ,\n"
        "   \"volumes\" : [ {\"x\": 1.0e3, \"y\":123456789012345678, \"w\": -0, \"v\":1E+2 } ,\n"
        "  [ ] , { } ] , \"tolerations\" :[ {\"key\": \"a\" },{\"key\":\"gpu\",\"operator\":"
        "\"Exists\"} ] }\n , \"status\":{\"a\": \"\\\"}]\"}"
        " }\n");
}

TEST_CASE("metadata is patched too, of a pod, a template and of any object") {
  const auto annotate = [](auto& object) {
    object.annotations["a/b"] = "c";
    object.labels.clear();
  };
  const auto pod = patched(R"({"metadata":{"name":"p","labels":{"x":"y"}}})",
                           [&](Pod& changed) { annotate(changed.metadata); });
  CHECK(pod.patch == R"([{"op":"remove","path":"/metadata/labels"},)"
                     R"({"op":"add","path":"/metadata/annotations","value":{"a/b":"c"}}])");
  // Where all of it is missing, each parent is made once.
  const auto deployment =
      patched(R"({"kind":"Deployment","metadata":{"namespace":"n"},"spec":{}})", [&](Pod& changed) {
        annotate(changed.metadata);
        changed.spec.node_name = "n1";
      });
  CHECK(deployment.patch ==
        R"([{"op":"add","path":"/spec/template","value":{}},)"
        R"({"op":"add","path":"/spec/template/metadata","value":{}},)"
        R"({"op":"add","path":"/spec/template/metadata/annotations","value":{"a/b":"c"}},)"
        R"({"op":"add","path":"/spec/template/spec","value":{}},)"
        R"({"op":"add","path":"/spec/template/spec/nodeName","value":"n1"}])");

  schedpol::json::Document document;
  REQUIRE(document.parse(R"({"kind":"ConfigMap","data":{"k":"v"}})"));
  const schedpol::ObjectMeta before;
  schedpol::ObjectMeta after;
  annotate(after);
  CHECK(schedpol::json::encode(schedpol::json::make_patch(document, before, after)) ==
        R"([{"op":"add","path":"/metadata","value":{}},)"
        R"({"op":"add","path":"/metadata/annotations","value":{"a/b":"c"}}])");
  CHECK(schedpol::json::make_patch(document, after, after).empty());
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

}  // namespace patch_test
