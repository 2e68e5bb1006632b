// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/evaluate.hpp>

#include <schedpol/core/limits.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <string>
#include <string_view>

namespace insight_test {

// What `evaluate` says of why, what if, and whether a set is sane.

using schedpol::testing::ask;
using schedpol::testing::Json;
using schedpol::testing::result_or_error;

const std::string policies =
    R"("policies":[{"metadata":{"name":"a"},"spec":{"required":{"schedulerNames":["blue"]},)"
    R"("allowed":{"tolerations":[{"keys":["x"],"operators":[],"values":[],"effects":[]}]}}},)"
    R"({"metadata":{"name":"b"},"spec":{"required":{"schedulerNames":["green"]},)"
    R"("allowed":{"tolerations":[{"keys":["gpu"],"operators":[],"values":[],"effects":[]}]}}}])";

const std::string pod =
    R"("pod":{"kind":"Pod","spec":{"tolerations":[{"key":"gpu","operator":"Exists"}]}})";

TEST_CASE("a denied pod is explained, and fixed") {
  CHECK(
      result_or_error("schedulingPolicy.explain", "{" + pod + "," + policies + "}") ==
      R"({"allowed":false,"items":[)"
      R"({"field":"spec.schedulerName","value":"default-scheduler","ruling":"RequirementMissing",)"
      R"("by":[{"policy":"a","entry":"required.schedulerNames"}],)"
      R"("lost":[{"policy":"b","entry":"required.schedulerNames","value":"[green]"}]},)"
      R"({"field":"spec.tolerations[0]","value":"gpu Exists","ruling":"Permitted",)"
      R"("by":[{"policy":"b","entry":"allowed.tolerations[0]"}],"lost":[]}],)"
      R"("text":"denied\n  RequirementMissing  `spec.schedulerName`   `default-scheduler`  by `a` )"
      R"(required.schedulerNames; not by `b` required.schedulerNames `[green]`\n)"
      R"(  Permitted           `spec.tolerations[0]`  `gpu Exists`         by `b` )"
      R"(allowed.tolerations[0]"})");
  CHECK(result_or_error("schedulingPolicy.nearestFix", "{" + pod + "," + policies + "}") ==
        R"({"exists":true,"changes":[{"field":"spec.schedulerName","from":null,"to":"blue",)"
        R"("policy":""}],"object":{"kind":"Pod","spec":{"tolerations":[{"key":"gpu",)"
        R"("operator":"Exists"}],"schedulerName":"blue"}},)"
        R"("patch":[{"op":"add","path":"/spec/schedulerName","value":"blue"}]})");
  CHECK(result_or_error("schedulingPolicy.nearestFix", "{" + pod + R"(,"policies":[]})") ==
        R"({"exists":false,"changes":[],"object":{"kind":"Pod","spec":{"tolerations":)"
        R"([{"key":"gpu","operator":"Exists"}]}},"patch":[]})");
}

TEST_CASE("a fix that takes too much to find is an error") {
  std::string tolerations;
  for (std::size_t i = 0; i <= schedpol::max_fixed_requirements; ++i) {
    tolerations += std::string(i == 0 ? "" : ",") + R"({"keys":["k)" + std::to_string(i) +
                   R"("],"operators":[],"values":[],"effects":[]})";
  }
  CHECK(result_or_error("schedulingPolicy.nearestFix",
                        R"({"pod":{},"policies":[{"metadata":{"name":"p"},"spec":{"required":)"
                        R"({"tolerations":[)" +
                            tolerations + "]}}}]}") == "LimitExceeded at spec");
}

TEST_CASE("all entries that permit an item are told, and of very many items the first") {
  const auto explained = [](const std::string& spec, const std::string& allowed) {
    std::string two;
    for (const std::string name : {"a", "b"})
      two += (two.empty() ? "" : ",") + std::string(R"({"metadata":{"name":")") + name +
             R"("},"spec":{"allowed":)" + allowed + "}}";
    return Json(ask("schedulingPolicy.explain",
                    R"({"pod":{"spec":)" + spec + R"(},"policies":[)" + two + "]}"));
  };
  CHECK(explained(R"({"schedulerName":"s"})", R"({"schedulerNames":["s"]})")
            .at("/result/items/0/by") == R"([{"policy":"a","entry":"allowed.schedulerNames[0]"},)"
                                         R"({"policy":"b","entry":"allowed.schedulerNames[0]"}])");
  std::string pairs;
  for (int i = 0; i < 1'500; ++i)
    pairs += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + R"(":"v")";
  const Json many = explained(R"({"schedulerName":"s","nodeSelector":{)" + pairs + "}}",
                              R"({"schedulerNames":["s"]})");
  CHECK(many.at("/result/items/999") != "absent");
  CHECK(many.at("/result/items/1000") == "absent");
  CHECK(many.at("/result/moreItems") == "501");
}

TEST_CASE("a set of policies is analyzed") {
  CHECK(result_or_error("schedulingPolicy.analyze",
                        R"({"policies":[{"metadata":{"name":"a"},"spec":{"allowed":)"
                        R"({"nodeSelectors":{"disk":null}}}}]})") ==
        R"({"findings":[{"code":"EveryPodDenied","severity":"Error","policy":"a","field":"",)"
        R"("message":"`a`: no pod is allowed"},{"code":"NullEntry","severity":"Error",)"
        R"("policy":"a","field":"allowed.nodeSelectors","message":"`a`: `allowed.nodeSelectors`: )"
        R"(`kubectl apply` drops what is null, and what is left means any"}]})");
  const Json nothing(ask("schedulingPolicy.analyze",
                         R"({"policies":[{"metadata":{"name":"a"},"spec":{"allowed":)"
                         R"({"schedulerNames":["s"],"tolerations":[{"keys":["gpu"]}]}}}]})"));
  CHECK(nothing.at("/result/findings/0/code") == R"("EntryMatchesNothing")");
  CHECK(nothing.at("/result/findings/0/severity") == R"("Warning")");
  CHECK(nothing.at("/result/findings/0/message") ==
        R"("`a`: `allowed.tolerations[0]`: matches nothing: `operators` and `effects` are absent; )"
        R"(`[]` is any")");
  const Json lost(ask("schedulingPolicy.analyze", "{" + policies + "}"));
  CHECK(lost.at("/result/findings/0/code") == R"("RequirementLost")");
  CHECK(lost.at("/result/findings/0/policy") == R"("b")");
  CHECK(lost.at("/result/findings/0/witness/spec/schedulerName") == R"("blue")");
  CHECK(lost.at("/result/findings/1/policy") == "null");
  std::string many;
  for (int i = 0; i < 1'100; ++i)
    many += std::string(i > 0 ? "," : "") + R"({"metadata":{"name":"p)" + std::to_string(i) +
            R"("},"spec":{"allowed":{"nodeSelectors":{"disk":null}}}})";
  const Json shown(ask("schedulingPolicy.analyze", R"({"policies":[)" + many + "]}"));
  CHECK(shown.at("/result/findings/999") != "absent");
  CHECK(shown.at("/result/findings/1000") == "absent");
  CHECK(shown.at("/result/moreFindings") == "101");
}

TEST_CASE("who may use which policy is looked at where it is said") {
  const std::string input =
      "{" + policies +
      R"(,"clusterRoles":[{"metadata":{"name":"r"},"rules":[{"verbs":["*"],)"
      R"("apiGroups":["mine"],"resources":["schedulingpolicies"],"resourceNames":["a"]}]}],)"
      R"("clusterRoleBindings":[{"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole",)"
      R"("name":"r"},"subjects":[{"kind":"Group","name":"system:authenticated"}]}])";
  CHECK(result_or_error("schedulingPolicy.analyze", input + R"(,"apiGroup":"mine"})") ==
        R"({"findings":[{"system":"SchedulingPolicy","code":"GrantedToNobody","severity":"Info",)"
        R"("policy":"b","field":"","message":"`b`: nobody may use it"},)"
        R"({"system":"SchedulingPolicy","code":"GrantedByWildcard","severity":"Warning",)"
        R"("policy":"a","field":"rules[0].verbs","message":"`a`: `rules[0].verbs`: the role )"
        R"(`ClusterRole r` grants the use of policies through `*`","object":"ClusterRole[r]"}]})");
  const Json nobody(ask("schedulingPolicy.analyze", input + "}"));
  CHECK(nobody.at("/result/findings/0/message") == R"("`a`: nobody may use it")");
  // A grant that names no policy is of all there are.
  std::string of_all = input;
  const std::string named = R"(,"resourceNames":["a"])";
  of_all.erase(of_all.find(named), named.size());
  CHECK(ask("schedulingPolicy.analyze", of_all + R"(,"apiGroup":"mine"})")
            .find(R"("code":"GrantedByWildcard","severity":"Warning","policy":null,)"
                  R"("field":"rules[0].verbs")") != std::string::npos);
}

TEST_CASE("all objects of a configuration are analyzed") {
  const auto kupid = [](const std::string& kind, const std::string& metadata,
                        const std::string& value) {
    return R"({"kind":")" + kind + R"(","metadata":{)" + metadata +
           R"(},"spec":{"podSelector":{"matchLabels":{"app":"web"}},"namespaceSelector":)" +
           (kind.starts_with("Cluster") ? R"({"matchLabels":{"env":"prod"}})" : "null") +
           R"(,"schedulerName":")" + value + R"("}})";
  };
  const std::string configuration =
      R"({"kind":"List","items":[)" +
      kupid("PodSchedulingPolicy", R"("name":"p","namespace":"shop")", "blue") + "," +
      kupid("ClusterPodSchedulingPolicy", R"("name":"q")", "green") + "]}";
  CHECK(result_or_error("engine.analyze", R"({"configuration":)" + configuration + "}") ==
        R"({"findings":[{"system":"PodSchedulingPolicy","code":"WritesDiffer",)"
        R"("severity":"Warning","policy":"shop/p","field":"spec.schedulerName","message":)"
        R"("`shop/p` and `q`: `spec.schedulerName`: both can select one object, and write )"
        R"(different values to it: `blue, green`","policies":["shop/p","q"],"witness":)"
        R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"shop","labels":{"app":"web"}},)"
        R"("spec":{}},"namespace":{"name":"shop","labels":{"env":"prod",)"
        R"("kubernetes.io/metadata.name":"shop"}}}]})");
  const std::string runtime =
      R"("configuration":[{"kind":"RuntimeClass","metadata":{"name":"kata"},"handler":"kata",)"
      R"("scheduling":{"nodeSelector":{"runtime":"kata"}}}])";
  CHECK(result_or_error("engine.analyze", "{" + runtime + "}") == R"({"findings":[]})");
  CHECK(Json(ask("engine.analyze", "{" + runtime + R"(,"nodes":[{"metadata":{"name":"n"}}]})"))
            .at("/result/findings/0/code") == R"("NoNodeServes")");
  // What kubectl would drop is seen at any depth.
  const std::string nulls =
      R"([{"kind":"SchedulingPolicy","metadata":{"name":"a"},"spec":{"allowed":{"affinities":)"
      R"({"podAffinities":{"requiredDuringSchedulingIgnoredDuringExecution":)"
      R"({"topologyKeys":null}}}}}},{"kind":"EngineConfiguration","policyUse":"Every",)"
      R"("systems":[{"system":"SchedulingPolicy"}]}])";
  CHECK(Json(ask("engine.analyze", R"({"configuration":)" + nulls + "}"))
            .at("/result/findings/1/field") ==
        R"("allowed.affinities.podAffinities.requiredDuringSchedulingIgnoredDuringExecution")");
  CHECK(result_or_error("engine.analyze", R"({"configuration":[{"kind":"Pod"}]})") ==
        "InvalidObject at configuration[0].kind");
  CHECK(result_or_error("engine.analyze", "{}") == "InvalidRequest at configuration");
}

TEST_CASE("two sets of policies are compared") {
  const std::string before = R"("before":{)" + policies + "}";
  const std::string after = R"("after":{)" + policies + R"(,"strategy":"FirstSeenWins"})";
  CHECK(result_or_error("schedulingPolicy.compare", "{" + before + "," + after + "}") ==
        R"({"relation":"Stricter","allowedBefore":{"apiVersion":"v1","kind":"Pod","metadata":{},)"
        R"("spec":{"schedulerName":"blue","tolerations":[{"key":"gpu","operator":"Equal",)"
        R"("value":"other"}]}}})");
  CHECK(result_or_error("schedulingPolicy.compare", "{" + before + "," + R"("after":{)" + policies +
                                                        R"(,"strategy":"SmartDeepMerge"}})") ==
        R"({"relation":"Equivalent"})");
  // Each set has options of its own.
  const std::string any = R"("policies":[{"metadata":{"name":"a"},"spec":{"allowed":)"
                          R"({"schedulerNames":["x","default-scheduler"]}}}])";
  const std::string ignoring = any + R"(,"options":{"nodeName":"Ignore"})";
  const std::string on_a_node = R"({"apiVersion":"v1","kind":"Pod","metadata":{},)"
                                R"("spec":{"nodeName":"node"}}})";
  CHECK(result_or_error("schedulingPolicy.compare",
                        R"({"before":{)" + any + R"(},"after":{)" + ignoring + "}}") ==
        R"({"relation":"Looser","allowedAfter":)" + on_a_node);
  CHECK(result_or_error("schedulingPolicy.compare",
                        R"({"before":{)" + ignoring + R"(},"after":{)" + any + "}}") ==
        R"({"relation":"Stricter","allowedBefore":)" + on_a_node);
  const auto much = [](const std::string& key) {
    std::string keys;
    for (int i = 0; i < 600; ++i) {
      keys += std::string(i > 0 ? "," : "") + R"({"keys":[")" + key + std::to_string(i) +
              R"("],"operators":[],"values":[],"effects":[]})";
    }
    return R"({"policies":[{"metadata":{"name":"a"},"spec":{"required":{"tolerations":[)" + keys +
           "]}}}]}";
  };
  CHECK(result_or_error("schedulingPolicy.compare",
                        R"({"before":)" + much("k") + R"(,"after":)" + much("other-") + "}")
            .starts_with("LimitExceeded at "));
  CHECK(result_or_error("schedulingPolicy.compare", "{" + before + "}") ==
        "InvalidRequest at after");
  CHECK(result_or_error("schedulingPolicy.compare", "{" + before + R"(,"after":[]})") ==
        "InvalidRequest at after");
  CHECK(Json(ask("schedulingPolicy.compare", "{" + before + "}")).string_at("/error/message") ==
        "`after`: required value: the operation needs an object");
  CHECK(Json(ask("schedulingPolicy.compare", "{" + before + R"(,"after":[]})"))
            .string_at("/error/message") == "`after`: wrong type: the operation needs an object");
  CHECK(result_or_error("schedulingPolicy.compare", "{" + before + R"(,"after":{"pod":{}}})") ==
        "InvalidRequest at after.pod");
}

TEST_CASE("what a change of policies does to the objects of a cluster is told owner by owner") {
  const auto settings =
      std::string(R"({"kind":"EngineConfiguration","systems":[{"system":"SchedulingPolicy"}],)"
                  R"("policyUse":"Every"})");
  const auto allowing = [&](const std::string& spec) {
    return R"({"kind":"SchedulingPolicy","metadata":{"name":"p"},"spec":)" + spec + "}";
  };
  const auto ask_impact = [&](const std::string& before, const std::string& after,
                              const std::string& objects) {
    return result_or_error("engine.impact", R"({"before":)" + before + R"(,"after":)" + after +
                                                R"(,"objects":)" + objects + "}");
  };
  const std::string any_scheduler = allowing(R"({"allowed":{"schedulerNames":[]}})");
  const std::string blue =
      allowing(R"({"allowed":{"schedulerNames":["blue"]},"default":{"schedulerName":"blue"}})");
  const std::string before = "[" + settings + "," + any_scheduler + "]";
  const std::string after = R"({"kind":"List","items":[)" + settings + "," + blue + "]}";
  const auto pod_of = [](const char* name, const char* scheduler) {
    return R"({"kind":"Pod","metadata":{"namespace":"n","name":")" + std::string(name) +
           R"(","ownerReferences":[{"kind":"Job","name":"j","controller":true}]},)"
           R"("spec":{"schedulerName":")" +
           scheduler + R"(","nodeName":"m"},"status":{"phase":"Running"}})";
  };
  const std::string objects = "[" + pod_of("a", "red") + "," + pod_of("b", "blue") + "," +
                              pod_of("c", "red") +
                              R"(,{"kind":"Deployment","metadata":{"name":"d"}}])";
  CHECK(ask_impact(before, after, objects) ==
        R"({"counts":{"unchanged":1,"changed":1,"newlyDenied":2,"newlyAllowed":0},"groups":[)"
        R"({"owner":{"kind":"Job","namespace":"n","name":"j"},"change":"NewlyDenied",)"
        R"("from":"Allowed","to":"Denied","violations":[{"code":"SchedulerNameNotAllowed",)"
        R"("field":"spec.schedulerName","value":"red","permitted":["blue"],"message":)"
        R"~("`spec.schedulerName`: scheduler `red` is not allowed by `p` (permitted: `blue`)",)~"
        R"("policies":["p"]}],"objects":["Pod/a","Pod/c"]},)"
        R"({"owner":{"kind":"Deployment","namespace":"","name":"d"},"change":"Changed",)"
        R"("from":"Allowed","to":"Allowed","changes":[{"field":)"
        R"("spec.template.spec.schedulerName","from":null,"to":"blue","policy":""}],)"
        R"("objects":["Deployment/d"]}]})");
  CHECK(ask_impact(before, before, objects) ==
        R"({"counts":{"unchanged":4,"changed":0,"newlyDenied":0,"newlyAllowed":0},"groups":[]})");
  const struct {
    const char* name;
    std::string before;
    std::string after;
    std::string objects;
    const char* wanted;
  } refused[] = {
      {"no settings", "[" + blue + "]", after, "[]", "InvalidObject at before.systems"},
      {"an object of another kind", before, R"([{"kind":"Service"}])", "[]",
       "InvalidObject at after[0].kind"},
      {"a list in a List", before, R"({"kind":"List","items":[)" + after + "]}", "[]",
       "InvalidObject at after.items[0].kind"},
      {"a policy with a typo", before, "[" + settings + "," + allowing(R"({"alowed":{}})") + "]",
       "[]", "InvalidObject at after[1].spec.alowed"},
      {"the same in a List", R"({"kind":"List","items":[{}]})", after, "[]",
       "InvalidObject at before.items[0].kind"},
      {"text for a configuration", R"("before")", after, "[]", "InvalidObject at before"},
      {"nothing", "null", after, "[]", "InvalidRequest at before"},
      {"no objects", before, after, "null", "InvalidRequest at objects"},
      {"a service for a pod", before, after, R"([{"kind":"Service"}])",
       "InvalidObject at objects[0].kind"},
  };
  for (const auto& c : refused) {
    CAPTURE(c.name);
    CHECK(ask_impact(c.before, c.after, c.objects) == c.wanted);
  }
}

TEST_CASE(
    "an impact counts each pod template of a custom kind, which one of the two may not look at") {
  const auto configuration = [](const std::string& scheduler, const std::string& templates) {
    return R"([{"kind":"EngineConfiguration","systems":[{"system":"SchedulingPolicy"}],)"
           R"("policyUse":"Every","templates":[)" +
           templates + R"(]},{"kind":"SchedulingPolicy","metadata":{"name":"p"},"spec":)" +
           R"({"allowed":{"schedulerNames":[)" + scheduler + "]}}}]";
  };
  const std::string of_pairs = R"({"group":"example.com","kind":"Pair","path":"spec.leader"},)"
                               R"({"group":"example.com","kind":"Pair","path":"spec.worker"})";
  const auto impact = [](const std::string& before, const std::string& after,
                         const std::string& objects) {
    return Json(ask("engine.impact", R"({"before":)" + before + R"(,"after":)" + after +
                                         R"(,"objects":)" + objects + "}"));
  };
  const std::string pair =
      R"({"apiVersion":"example.com/v1","kind":"Pair","metadata":{"name":"x","namespace":"n"},)"
      R"("spec":{"leader":{"spec":{}},"worker":{"spec":{"schedulerName":"red"}}}})";
  const std::string list =
      R"([{"kind":"List","items":[)" + pair + R"(,{"kind":"Pod","metadata":{"name":"p"}}]}])";
  const std::string all = configuration("", of_pairs);
  const std::string blue = configuration(R"("default-scheduler")", of_pairs);
  const Json denied = impact(all, blue, list);
  CHECK(denied.at("/result/counts/unchanged") == "2");
  CHECK(denied.at("/result/counts/newlyDenied") == "1");
  CHECK(denied.at("/result/groups/0/owner") == R"({"kind":"Pair","namespace":"n","name":"x"})");
  CHECK(denied.at("/result/groups/0/objects") == R"(["Pair/x"])");
  CHECK(denied.string_at("/result/groups/0/violations/0/field") ==
        "spec.worker.spec.schedulerName");
  const Json looked_at_now = impact(configuration(R"("default-scheduler")", ""), blue, list);
  CHECK(looked_at_now.at("/result/counts/newlyDenied") == "1");
  CHECK(impact(blue, configuration("", ""), list).at("/result/counts/newlyAllowed") == "1");
  // Where neither looks at it, it is no object to ask about.
  const std::string none = configuration("", "");
  CHECK(impact(none, none, list).string_at("/error/field") == "objects[0].items[0].kind");
}

TEST_CASE("an impact tells as many violations and changes as one pod may have") {
  const auto pairs = [](int count) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + R"(":"v")";
    return "{" + text + "}";
  };
  const auto pods = [](int count, std::string_view node_selector = {}) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      const std::string own = R"({"own":")" + std::to_string(i) + R"("})";
      text += std::string(i > 0 ? "," : "") + R"({"metadata":{"name":"p)" + std::to_string(i) +
              R"("},"spec":{"nodeSelector":)" +
              (node_selector.empty() ? own : std::string(node_selector)) + "}}";
    }
    return "[" + text + "]";
  };
  const auto impact = [](const std::string& before, const std::string& after,
                         const std::string& objects) {
    const auto configuration = [](const std::string& spec) {
      return R"([{"kind":"EngineConfiguration","systems":[{"system":"SchedulingPolicy"}],)"
             R"("policyUse":"Every"},{"kind":"SchedulingPolicy","metadata":{"name":"p"},"spec":)" +
             spec + "}]";
    };
    return ask("engine.impact", R"({"before":)" + configuration(before) + R"(,"after":)" +
                                    configuration(after) + R"(,"objects":)" + objects + "}");
  };
  const std::string any = R"({"allowed":{"schedulerNames":[],"nodeSelectors":{}}})";
  const std::string none = R"({"allowed":{"schedulerNames":[]}})";
  const auto giving = [&](int count) {
    return R"({"allowed":{"schedulerNames":[],"nodeSelectors":{}},"default":{"nodeSelector":)" +
           pairs(count) + "}}";
  };
  const Json denied(impact(any, none, pods(2, pairs(700))));
  CHECK(denied.at("/result/groups/0/moreViolations") == "absent");
  CHECK(denied.at("/result/groups/1/violations/299") != "absent");
  CHECK(denied.at("/result/groups/1/violations/300") == "absent");
  CHECK(denied.at("/result/groups/1/moreViolations") == "400");
  const Json changed(impact(any, giving(700), pods(2)));
  CHECK(changed.at("/result/groups/0/moreChanges") == "absent");
  CHECK(changed.at("/result/groups/1/changes/299") != "absent");
  CHECK(changed.at("/result/groups/1/changes/300") == "absent");
  CHECK(changed.at("/result/groups/1/moreChanges") == "400");
  CHECK(Json(impact(any, giving(1'000), pods(20))).at("/result/counts/notLookedAt") == "absent");
  const Json too_many(impact(any, giving(1'000), pods(500)));
  const int left = std::stoi("0" + too_many.at("/result/counts/notLookedAt"));
  CHECK(left > 1);
  CHECK(Json(impact(any, giving(1'000), pods(500 - left + 1))).at("/result/counts/notLookedAt") ==
        "1");
  CHECK(Json(impact(any, giving(1'000), pods(500 - left))).at("/result/counts/notLookedAt") ==
        "absent");

  // Rules that are looked at for every pod, and select none.
  const auto many = [](int count, const std::string& of_first, const std::string& rest) {
    std::string text;
    for (int i = 0; i < count; ++i)
      text += (i == 0 ? "" : ",") + of_first + std::to_string(i) + rest;
    return "[" + text + "]";
  };
  const auto looks_at = [&](int rules, int objects) {
    const std::string settings =
        R"({"kind":"EngineConfiguration","systems":[{"system":"MetadataPolicy"}]})";
    return Json(ask(
        "engine.impact",
        R"({"before":[)" + settings + R"(],"after":[)" + settings +
            R"(,{"kind":"MetadataPolicy","metadata":{"name":"p","namespace":"n"},"spec":{"rules":)" +
            many(rules,
                 R"({"policyPredicate":{"labelSelector":{"matchExpressions":)"
                 R"([{"key":"k)",
                 R"(","operator":"Exists"}]}}})") +
            R"(}}],"objects":)" +
            many(objects, R"({"kind":"Pod","metadata":{"namespace":"n","labels":{"a":")",
                 R"("}}})") +
            "}"));
  };
  CHECK(looks_at(2'000, 500).at("/result/counts/unchanged") == "500");
  CHECK(looks_at(2'000, 8'000).at("/result/counts/unchanged") != "8000");
}

}  // namespace insight_test
