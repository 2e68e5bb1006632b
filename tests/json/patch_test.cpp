// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/patch.hpp>

#include "patched.hpp"

#include <string>
#include <string_view>

namespace patch_test {

using namespace patched_pods;

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

TEST_CASE("a document that is not good has no patch") {
  schedpol::json::Document document;
  Pod after;
  after.spec.scheduler_name = "s";
  CHECK(schedpol::json::make_patch(document, {}, after).empty());
  CHECK(schedpol::json::make_patch(document, {}, schedpol::ObjectMeta{.labels = {{"a", "b"}}})
            .empty());
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

}  // namespace patch_test
