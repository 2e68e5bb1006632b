// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/evaluate.hpp>

#include <schedpol/core/limits.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <string>
#include <string_view>

namespace object_lists_test {

// Lists as an API server answers them, where an operation takes a list of objects.

using schedpol::testing::ask;
using schedpol::testing::Json;
using schedpol::testing::result_or_error;

struct Case {
  const char* name;
  std::string_view op;
  std::string input;
  std::string wanted;  // of a good request; `CODE at FIELD` for an error
};

template <std::size_t N>
void check_all(const Case (&cases)[N]) {
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.input);
    CHECK(result_or_error(c.op, c.input) == c.wanted);
  }
}

TEST_CASE("the items of a KINDList are of its kind and version") {
  const std::string rejects = R"({"metadata":{"name":"p"},"spec":{"rules":[{"policyAction":)"
                              R"({"reject":true}}]}})";
  const std::string rejected = R"({"allowed":false,"rejectedBy":[{"policy":"p","rule":0}],)"
                               R"("conflicts":[],"changes":[],"object":{},"patch":[]})";
  const std::string injects =
      R"({"metadata":{"name":"p"},"spec":{"podSelector":{},"namespaceSelector":{},"nodeName":"n"}})";
  const Case cases[] = {
      {"a MetadataPolicyList", "metadataPolicy.admit",
       R"({"object":{},"policies":{"apiVersion":"schedpol.io/v1alpha1","kind":"MetadataPolicyList",)"
       R"("metadata":{"resourceVersion":"1"},"items":[)" +
           rejects + "]}}",
       rejected},
      {"a List", "metadataPolicy.admit",
       R"({"object":{},"policies":{"apiVersion":"v1","kind":"List","items":[)" + rejects + "]}}",
       rejected},
      {"a list of lists and objects", "metadataPolicy.admit",
       R"({"object":{},"policies":[{"kind":"MetadataPolicyList","items":[]},)" + rejects +
           R"(,{"kind":"List","items":[]}]})",
       rejected},
      {"a ClusterPodSchedulingPolicyList, whose items do not say their kind",
       "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":{"kind":"ClusterPodSchedulingPolicyList","items":[)" + injects +
           "]}}",
       R"({"applied":["p"],"skipped":[],"changes":[{"field":"spec.nodeName","from":null,)"
       R"("to":"n","policy":"p"}],"object":{"spec":{"nodeName":"n"}},)"
       R"("patch":[{"op":"add","path":"/spec","value":{}},)"
       R"({"op":"add","path":"/spec/nodeName","value":"n"}]})"},
      {"a PodSchedulingPolicyList of the same", "podSchedulingPolicy.inject",
       R"({"pod":{"metadata":{"namespace":"n"}},"policies":{"kind":"PodSchedulingPolicyList",)"
       R"("items":[{"metadata":{"name":"p"},"spec":{"podSelector":{},"nodeName":"n"}}]}})",
       R"({"applied":[],"skipped":[],"changes":[],"object":{"metadata":{"namespace":"n"}},)"
       R"("patch":[]})"},
      {"its items in a List have to", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":{"kind":"List","items":[)" + injects + "]}}",
       "InvalidObject at policies.items[0].kind"},
      {"an object beside it too", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"ClusterPodSchedulingPolicyList","items":[]},)" + injects +
           "]}",
       "InvalidObject at policies[1].kind"},
      {"pods and nodes", "resourcePolicy.deletionCosts",
       R"({"policies":{"kind":"ResourcePolicyList","items":[{"metadata":{"name":"r"},"spec":)"
       R"({"units":[{"priority":3}]}}]},"pods":{"apiVersion":"v1","kind":"PodList","items":[)"
       R"({"metadata":{"name":"p"},"spec":{"nodeName":"a"}}]},)"
       R"("nodes":{"apiVersion":"v1","kind":"NodeList","items":[{"metadata":{"name":"a"}}]}})",
       R"({"costs":[{"namespace":"","name":"p","cost":60}]})"},
      {"of no version, as if they did not say it", "resourcePolicy.deletionCosts",
       R"({"policies":{"kind":"ResourcePolicyList","apiVersion":"scheduling.sigs.x-k8s.io/v1alpha1","items":[{"apiVersion":"",)"
       R"("metadata":{"name":"r"},"spec":{}}]},"pods":{"apiVersion":"","kind":"DeploymentList",)"
       R"("items":[]},"nodes":[]})",
       R"({"costs":[]})"},
      {"classes", "runtimeClass.verify",
       R"({"pod":{"spec":{"runtimeClassName":"k"}},"runtimeClasses":{"kind":"RuntimeClassList",)"
       R"("apiVersion":"node.k8s.io/v1","items":[{"metadata":{"name":"k"},"handler":"k"}]}})",
       R"({"allowed":true,"violations":[]})"},
  };
  check_all(cases);
}

TEST_CASE("a Deployment of a DeploymentList is no Pod, though it does not say so") {
  const auto impact = [](const std::string& objects) {
    const Json reply(ask(
        "engine.impact",
        R"({"before":[{"kind":"EngineConfiguration","systems":[{"system":"SchedulingPolicy"}],)"
        R"("policyUse":"Every"},{"kind":"SchedulingPolicyList","items":[{"metadata":{"name":"p"},)"
        R"("spec":{"allowed":{"schedulerNames":[],"nodeSelectors":{}}}}]}],"after":[)"
        R"({"kind":"EngineConfiguration","systems":[{"system":"SchedulingPolicy"}],)"
        R"("policyUse":"Every"},{"kind":"SchedulingPolicy","metadata":{"name":"p"},)"
        R"("spec":{"allowed":{"schedulerNames":[]}}}],"objects":)" +
            objects + "}"));
    return reply.at("/error") == "absent" ? reply.at("/result/groups/0/objects")
                                          : reply.at("/error/field");
  };
  const std::string deployments =
      R"({"apiVersion":"apps/v1","kind":"DeploymentList","items":[{"metadata":{"name":"d"},)"
      R"("spec":{"template":{"spec":{"nodeSelector":{"a":"b"}}}}}]})";
  const std::string pods = R"({"kind":"PodList","items":[{"metadata":{"name":"p"},"spec":)"
                           R"({"nodeSelector":{"a":"b"}}}]})";
  CHECK(impact(deployments) == R"(["Deployment/d"])");
  CHECK(impact("[" + pods + "]") == R"(["Pod/p"])");
  CHECK(impact(R"([{"kind":"PodList","items":[]},)" + deployments + "]") == R"(["Deployment/d"])");
}

TEST_CASE("a list that is wrong is an error with its place") {
  const Case cases[] = {
      {"an item of another kind", "resourcePolicy.schedule",
       R"({"pod":{},"pods":{"kind":"PodList","items":[{"metadata":{}},{"kind":"Job"}]}})",
       "InvalidObject at pods.items[1].kind"},
      {"an item of another group", "resourcePolicy.schedule",
       R"({"pod":{},"pods":{"apiVersion":"apps/v1","kind":"DeploymentList","items":[)"
       R"({"apiVersion":"extensions/v1beta1","kind":"Deployment"}]}})",
       "InvalidObject at pods.items[0].apiVersion"},
      {"a list of another group", "resourcePolicy.schedule",
       R"({"pod":{},"pods":{"apiVersion":"apps/v1","kind":"PodList","items":[]}})",
       "InvalidObject at pods.apiVersion"},
      {"a policy list of another group", "metadataPolicy.admit",
       R"({"object":{},"policies":{"apiVersion":"apps/v1","kind":"MetadataPolicyList","items":[]}})",
       "InvalidObject at policies.apiVersion"},
      {"a list of other objects", "resourcePolicy.schedule",
       R"({"pod":{},"pods":{"kind":"RoleList","items":[]}})", "InvalidObject at pods.kind"},
      {"a list of other objects in a list", "resourcePolicy.schedule",
       R"({"pod":{},"pods":[{"kind":"RoleList","items":[]}]})", "InvalidObject at pods[0].kind"},
      {"no items", "resourcePolicy.schedule", R"({"pod":{},"pods":{"kind":"PodList"}})",
       "InvalidObject at pods.items"},
      {"a list as an item", "resourcePolicy.schedule",
       R"({"pod":{},"pods":{"kind":"List","items":[{"kind":"PodList","items":[]}]}})",
       "InvalidObject at pods.items[0].kind"},
      {"no list", "resourcePolicy.schedule", R"({"pod":{},"pods":{"kind":"Pod"}})",
       "InvalidObject at pods"},
      {"a field of an item", "metadataPolicy.admit",
       R"({"object":{},"policies":[{"metadata":{"name":"a"}},{"kind":"MetadataPolicyList",)"
       R"("items":[{"metadata":{"name":"b"}},{"metadata":{"name":"c"},"specs":{}}]}]})",
       "InvalidObject at policies[1].items[1].specs"},
  };
  check_all(cases);
}

TEST_CASE("what is found once all objects are read has the place in its list") {
  const std::string good = R"({"kind":"MetadataPolicy","metadata":{"name":"NAME"}})";
  const auto named = [&](std::string_view name) {
    std::string text = good;
    return text.replace(text.find("NAME"), 4, name);
  };
  const std::string bad = R"({"metadata":{"name":"bad"},"spec":{"rules":[{"policyPredicate":)"
                          R"({"labelSelector":{"matchLabels":{"a":"no value"}}}}]}})";
  const std::string field = ".spec.rules[0].policyPredicate.labelSelector.matchLabels";
  const auto admit = [](const std::string& policies) {
    return result_or_error("metadataPolicy.admit", R"({"object":{},"policies":)" + policies + "}");
  };
  const std::string list = R"({"kind":"MetadataPolicyList","items":[)";
  CHECK(admit("[" + named("a") + "," + bad + "]") == "InvalidObject at policies[1]" + field);
  CHECK(admit(list + named("a") + "," + bad + "]}") ==
        "InvalidObject at policies.items[1]" + field);
  CHECK(admit("[" + named("a") + "," + list + "]}," + list + named("b") + "," + bad + "]}," +
              named("c") + "]") == "InvalidObject at policies[2].items[1]" + field);
  CHECK(admit("[" + list + named("a") + "," + named("b") + "]}," + list + named("c") + "]}," +
              named("d") + "," + bad + "]") == "InvalidObject at policies[3]" + field);
  const auto verify = [](const std::string& classes) {
    return result_or_error("runtimeClass.verify", R"({"pod":{},"runtimeClasses":)" + classes + "}");
  };
  const std::string a = R"({"metadata":{"name":"a"}})";
  const std::string classes = R"({"kind":"RuntimeClassList","items":[)" + a + "]}";
  CHECK(verify("[" + a + "," + a + "," + classes + "]") ==
        "InvalidObject at runtimeClasses[1].metadata.name");
  const std::string too_long =
      R"({"metadata":{"name":")" + std::string(schedpol::max_subdomain_bytes + 1, 'a') + R"("}})";
  const std::string of_too_long = R"({"kind":"RuntimeClassList","items":[)" + too_long + "]}";
  CHECK(verify("[" + too_long + "," + classes + "]") ==
        "LimitExceeded at runtimeClasses[0].metadata.name");
  CHECK(verify("[" + of_too_long + "," + classes + "]") ==
        "LimitExceeded at runtimeClasses[0].items[0].metadata.name");
  CHECK(verify("[" + classes + "," + classes + "]") ==
        "InvalidObject at runtimeClasses[1].items[0].metadata.name");
  CHECK(verify("[" + a + "," + classes + "]") ==
        "InvalidObject at runtimeClasses[1].items[0].metadata.name");
  CHECK(verify("[" + classes + "," + a + "]") ==
        "InvalidObject at runtimeClasses[1].metadata.name");
  CHECK(result_or_error("runtimeClass.admit",
                        R"({"pod":{},"runtimeClasses":{"kind":"RuntimeClassList","items":[)"
                        R"({"metadata":{"name":"a"}},{"metadata":{"name":"a"}}]}})") ==
        "InvalidObject at runtimeClasses.items[1].metadata.name");
}

}  // namespace object_lists_test
