// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/evaluate.hpp>

#include "operations.hpp"

#include <string>

namespace operations_pod_scheduling_policy_test {

using namespace operations_cases;

TEST_CASE("podSchedulingPolicy.inject answers with what applied and what was skipped") {
  const Case cases[] = {
      {"a pod with a criterion of its own", "podSchedulingPolicy.inject",
       R"({"pod":{"metadata":{"namespace":"shop"},"spec":{"schedulerName":"mine"}},)"
       R"("namespace":{"metadata":{"name":"shop","labels":{"team":"a"}}},"policies":[)"
       R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"z"},"spec":{"podSelector":{},)"
       R"("namespaceSelector":{"matchLabels":{"team":"a"}},"schedulerName":"theirs",)"
       R"("nodeSelector":{"disk":"ssd"}}}]})",
       R"({"applied":["z"],"skipped":[{"policy":"z","field":"spec.schedulerName",)"
       R"("reason":"the pod has `mine`, the policy `theirs`"}],"changes":[)"
       R"({"field":"spec.nodeSelector[disk]","from":null,"to":"ssd","policy":"z"}],)"
       R"("object":{"metadata":{"namespace":"shop"},"spec":{"schedulerName":"mine",)"
       R"("nodeSelector":{"disk":"ssd"}}},)"
       R"("patch":[{"op":"add","path":"/spec/nodeSelector","value":{"disk":"ssd"}}]})"},
      {"a namespace without its name is the pod's", "podSchedulingPolicy.inject",
       R"({"pod":{"metadata":{"namespace":"shop"}},"namespace":{"metadata":{"labels":{"a":"b"}}},)"
       R"("policies":[{"kind":"PodSchedulingPolicy","metadata":{"name":"p","namespace":"shop"},)"
       R"("spec":{"podSelector":{}}}]})",
       R"({"applied":["p"],"skipped":[],"changes":[],)"
       R"("object":{"metadata":{"namespace":"shop"}},"patch":[]})"},
      {"a namespace with its name, of a pod that says none", "podSchedulingPolicy.inject",
       R"({"pod":{},"namespace":{"metadata":{"name":"shop"}},"policies":[)"
       R"({"kind":"PodSchedulingPolicy","metadata":{"name":"p","namespace":"shop"},)"
       R"("spec":{"podSelector":{}}}]})",
       R"({"applied":["p"],"skipped":[],"changes":[],"object":{},"patch":[]})"},
      {"a pod as an API server shows it", "podSchedulingPolicy.inject",
       R"({"pod":{"metadata":{"namespace":"shop"},"spec":{"schedulerName":"default-scheduler"}},)"
       R"("options":{"defaultScheduler":"Unspecified"},"policies":[{"kind":"PodSchedulingPolicy",)"
       R"("metadata":{"name":"p","namespace":"shop"},"spec":{"podSelector":{},)"
       R"("schedulerName":"batch"}}]})",
       R"({"applied":["p"],"skipped":[],"changes":[{"field":"spec.schedulerName",)"
       R"("from":"default-scheduler","to":"batch","policy":"p"}],)"
       R"("object":{"metadata":{"namespace":"shop"},"spec":{"schedulerName":"batch"}},)"
       R"("patch":[{"op":"replace","path":"/spec/schedulerName","value":"batch"}]})"},
      {"a pod as its author wrote it", "podSchedulingPolicy.inject",
       R"({"pod":{"metadata":{"namespace":"shop"},"spec":{"schedulerName":"default-scheduler"}},)"
       R"("options":{"defaultScheduler":"Specified"},"policies":[{"kind":"PodSchedulingPolicy",)"
       R"("metadata":{"name":"p","namespace":"shop"},"spec":{"podSelector":{},)"
       R"("schedulerName":"batch"}}]})",
       R"({"applied":["p"],"skipped":[{"policy":"p","field":"spec.schedulerName",)"
       R"("reason":"the pod has `default-scheduler`, the policy `batch`"}],"changes":[],)"
       R"("object":{"metadata":{"namespace":"shop"},"spec":{"schedulerName":"default-scheduler"}},)"
       R"("patch":[]})"},
      {"a default scheduler of neither sort", "podSchedulingPolicy.inject",
       R"({"pod":{},"options":{"defaultScheduler":"unspecified"},"policies":[]})",
       "InvalidRequest at options.defaultScheduler"},
      {"an option that there is not", "podSchedulingPolicy.inject",
       R"({"pod":{},"options":{"nodeName":"Ignore"},"policies":[]})",
       "InvalidRequest at options.nodeName"},
      {"a worker pool that the pod does not want", "podSchedulingPolicy.inject",
       R"({"pod":{"metadata":{"namespace":"shop"},"spec":{"nodeSelector":{"pool":"web"}}},)"
       R"("policies":[{"kind":"PodSchedulingPolicy","metadata":{"name":"p","namespace":"shop"},)"
       R"("spec":{"podSelector":{},"affinity":{"nodeAffinity":{)"
       R"("requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[)"
       R"({"matchExpressions":[{"key":"pool","operator":"In","values":["etcd"]}]}]}}}}}]})",
       R"({"applied":["p"],"skipped":[{"policy":"p","field":)"
       R"("spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution",)"
       R"("reason":"no node meets the pod's `pool In [web]` and the policy's `pool In [etcd]`"}],)"
       R"("changes":[],)"
       R"("object":{"metadata":{"namespace":"shop"},"spec":{"nodeSelector":{"pool":"web"}}},)"
       R"("patch":[]})"},
      {"a namespace of another kind", "podSchedulingPolicy.inject",
       R"({"pod":{},"namespace":{"kind":"Node","metadata":{"name":"shop"}},"policies":[]})",
       "InvalidObject at namespace.kind"},
      {"a policy without kind", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"metadata":{"name":"a"}}]})", "InvalidObject at policies[0].kind"},
      {"a policy of another kind", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"SchedulingPolicy","metadata":{"name":"a"}}]})",
       "InvalidObject at policies[0].kind"},
      {"a selector that cannot be used", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"PodSchedulingPolicy","metadata":{"name":"a"},"spec":)"
       R"({"podSelector":{"matchExpressions":[{"key":"x","operator":"in","values":["y"]}]}}}]})",
       "InvalidObject at policies[0].spec.podSelector.matchExpressions[0].operator"},
      {"an operator that tolerations have not", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"PodSchedulingPolicy","metadata":{"name":"a"},"spec":)"
       R"({"tolerations":[{"key":"x","operator":"In"}]}}]})",
       "InvalidObject at policies[0].spec.tolerations[0].operator"},
      {"a malformed label in the node selector", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"PodSchedulingPolicy","metadata":{"name":"a"},"spec":)"
       R"({"nodeSelector":{"disk":"a b"}}}]})",
       "InvalidObject at policies[0].spec.nodeSelector"},
      {"a negative weight", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"PodSchedulingPolicy","metadata":{"name":"a"},"spec":)"
       R"({"affinity":{"nodeAffinity":{"preferredDuringSchedulingIgnoredDuringExecution":[)"
       R"({"weight":-1,"preference":{"matchExpressions":[{"key":"x","operator":"Exists"}]}}]}}}}]})",
       "InvalidObject at policies[0].spec.affinity.nodeAffinity."
       "preferredDuringSchedulingIgnoredDuringExecution[0].weight"},
      {"a policy of the cluster with a namespace", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"ClusterPodSchedulingPolicy",)"
       R"("metadata":{"name":"a","namespace":"shop"}}]})",
       "InvalidObject at policies[0].metadata.namespace"},
      {"a namespace selector of the namespaced kind", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"PodSchedulingPolicy","metadata":{"name":"a"},)"
       R"("spec":{"namespaceSelector":{}}}]})",
       "InvalidObject at policies[0].spec.namespaceSelector"},
      {"the second policy", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"PodSchedulingPolicy","metadata":{"name":"a"}},)"
       R"({"kind":"PodSchedulingPolicy","metadata":{"name":"b"},"spec":{"nodeName":"a b"}}]})",
       "InvalidObject at policies[1].spec.nodeName"},
      {"a null label", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"PodSchedulingPolicy","metadata":{"name":"a"},"spec":)"
       R"({"nodeSelector":{"x":null}}}]})",
       "InvalidObject at policies[0].spec.nodeSelector[x]"},
      {"two policies of one name", "podSchedulingPolicy.inject",
       R"({"pod":{},"policies":[{"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"a"}},)"
       R"({"kind":"ClusterPodSchedulingPolicy","metadata":{"name":"a"}}]})",
       "InvalidObject at policies"},
  };
  check_all(cases);
}

TEST_CASE("an injection of too many or too long terms is a limit, and the policy is named") {
  const auto affinity = [](int terms, const std::string& key) {
    std::string text = R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuring)"
                       R"(Execution":{"nodeSelectorTerms":[)";
    for (int i = 0; i < terms; ++i) {
      text += std::string(i == 0 ? "" : ",") + R"({"matchExpressions":[{"key":")" + key +
              std::to_string(i) + R"(","operator":"Exists"}]})";
    }
    return text + "]}}}";
  };
  struct Terms {
    int count;
    std::string key;
  };
  for (const Terms& c : {Terms{40, "a"}, Terms{20, "a" + std::string(100'000, 'a')}}) {
    CAPTURE(c.count);
    const std::string input =
        R"({"pod":{"spec":)" + affinity(c.count, c.key) + R"(}},"policies":[{"kind":)" +
        R"("ClusterPodSchedulingPolicy","metadata":{"name":"wide"},"spec":)" +
        affinity(c.count, "b") + R"(,"podSelector":{},"namespaceSelector":{}}}]})";
    CHECK(result_or_error("podSchedulingPolicy.inject", input) ==
          "LimitExceeded at spec.affinity.nodeAffinity");
    CHECK(testing::ask("podSchedulingPolicy.inject", input).find("`wide`") != std::string::npos);
  }
}

}  // namespace operations_pod_scheduling_policy_test
