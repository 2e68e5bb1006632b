// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/evaluate.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <string>
#include <string_view>

namespace evaluate_test {

using schedpol::json::evaluate;
using schedpol::testing::ask;
using schedpol::testing::canonical;
using schedpol::testing::Json;
using schedpol::testing::result_or_error;
using schedpol::testing::verdict_of;

struct Case {
  const char* name;
  const char* input;
  const char* result;  // of a good request; `CODE at FIELD` for an error
};

template <std::size_t N>
void check_results(std::string_view op, const Case (&cases)[N]) {
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CAPTURE(c.input);
    CHECK(result_or_error(op, c.input) == c.result);
  }
}

// `schedulingPolicy.admit` of a pod without spec against one policy, with these options.
std::string admit_with(std::string_view pod_spec, std::string_view policy_spec,
                       std::string_view options) {
  return verdict_of(Json(
      ask("schedulingPolicy.admit", std::string(R"({"pod":{"spec":)")
                                        .append(pod_spec)
                                        .append(R"(},"policies":[{"metadata":{"name":"p"},"spec":)")
                                        .append(policy_spec)
                                        .append(R"(}],"options":)")
                                        .append(options)
                                        .append("}"))));
}

TEST_CASE("a reply has the id of its request and a result or an error, as one line of text") {
  CHECK(evaluate(R"({"id":7,"op":"labelSelector.matches","input":{"selector":{}}})") ==
        R"({"id":7,"result":{"matches":true}})");
  CHECK(evaluate("{\n  \"op\": \"labelSelector.matches\",\n  \"id\": \"a\\u0022b\",\n"
                 "  \"input\": {}\n}\n") == R"({"id":"a\"b","result":{"matches":false}})");
  CHECK(evaluate(R"({"id":7,"op":"nothing","input":{}})") ==
        R"({"id":7,"error":{"code":"UnknownOp",)"
        R"("message":"`op`: unsupported value `nothing`: there is no such operation",)"
        R"("field":"op"}})");
}

TEST_CASE("an id is any scalar; without one it is null") {
  struct IdCase {
    const char* id;
    const char* echoed;
  };
  constexpr IdCase cases[] = {
      {R"("id":1,)", "1"},
      {R"("id":-5,)", "-5"},
      {R"("id":18446744073709551615,)", "18446744073709551615"},
      {R"("id":0.5,)", "0.5"},
      {R"("id":"",)", R"("")"},
      {R"("id":"x\ny",)", R"("x\ny")"},
      {R"("id":true,)", "true"},
      {R"("id":null,)", "null"},
      {"", "null"},
  };
  for (const IdCase& c : cases) {
    CAPTURE(c.id);
    const Json good(
        evaluate(std::string("{") + c.id + R"("op":"labelSelector.matches","input":{}})"));
    CHECK(good.at("/id") == c.echoed);
    CHECK(good.at("/result/matches") == "false");
    const Json bad(evaluate(std::string("{") + c.id + R"("op":"nothing"})"));
    CHECK(bad.at("/id") == c.echoed);
    CHECK(bad.at("/error/code") == R"("UnknownOp")");
  }
}

TEST_CASE("members of a request that are not its own are ignored") {
  CHECK(evaluate(R"({"expected":{"matches":false},"id":1,"op":"labelSelector.matches",)"
                 R"("input":{"selector":{}},"Op":5})") == R"({"id":1,"result":{"matches":true}})");
}

TEST_CASE("error codes have their names") {
  using schedpol::json::EvaluateError;
  CHECK(to_string(EvaluateError::invalid_json) == "InvalidJson");
  CHECK(to_string(EvaluateError::invalid_request) == "InvalidRequest");
  CHECK(to_string(EvaluateError::unknown_op) == "UnknownOp");
  CHECK(to_string(EvaluateError::invalid_object) == "InvalidObject");
  CHECK(to_string(EvaluateError::limit_exceeded) == "LimitExceeded");
}

TEST_CASE("labelSelector.matches: an absent selector selects nothing, an empty one everything") {
  constexpr Case cases[] = {
      {"absent", R"({"labels":{"a":"b"}})", R"({"matches":false})"},
      {"null", R"({"selector":null,"labels":{"a":"b"}})", R"({"matches":false})"},
      {"empty", R"({"selector":{},"labels":{"a":"b"}})", R"({"matches":true})"},
      {"empty, no labels", R"({"selector":{}})", R"({"matches":true})"},
      {"a label", R"({"selector":{"matchLabels":{"a":"b"}},"labels":{"a":"b","c":"d"}})",
       R"({"matches":true})"},
      {"an empty value", R"({"selector":{"matchLabels":{"a":""}},"labels":{}})",
       R"({"matches":false})"},
      {"not in", R"({"selector":{"matchExpressions":[{"key":"a","operator":"NotIn",
                    "values":["b"]}]},"labels":null})",
       R"({"matches":true})"},
      {"an unknown operator", R"({"selector":{"matchExpressions":[{"key":"a","operator":"Gt",
                                 "values":["1"]}]}})",
       "InvalidObject at selector.matchExpressions[0].operator"},
      {"In without values", R"({"selector":{"matchExpressions":[{"key":"a","operator":"In"}]}})",
       "InvalidObject at selector.matchExpressions[0].values"},
      {"no label value", R"({"selector":{"matchLabels":{"a":"b c"}}})",
       "InvalidObject at selector.matchLabels"},
      {"labels no map", R"({"selector":{},"labels":["a"]})", "InvalidObject at labels"},
  };
  check_results("labelSelector.matches", cases);
}

TEST_CASE("taints.findUntolerated: the taints that no toleration tolerates") {
  constexpr Case cases[] = {
      {"none", "{}", R"({"untolerated":[]})"},
      {"one of two",
       R"({"taints":[{"key":"gpu","value":"a","effect":"NoSchedule"},
                     {"key":"spot","effect":"NoExecute"}],
           "tolerations":[{"key":"gpu","operator":"Exists"}]})",
       R"({"untolerated":[{"key":"spot","effect":"NoExecute"}]})"},
      {"by comparison",
       R"({"taints":[{"key":"k","value":"5","effect":"NoSchedule"}],
           "tolerations":[{"key":"k","operator":"Lt","value":"6"}]})",
       R"({"untolerated":[]})"},
      {"a wrong type", R"({"taints":[{"key":5}]})", "InvalidObject at taints[0].key"},
  };
  check_results("taints.findUntolerated", cases);
}

TEST_CASE("tolerations.merge: the union without what is covered") {
  constexpr Case cases[] = {
      {"none", "{}", R"({"tolerations":[]})"},
      {"covered by the second list",
       R"({"first":[{"key":"gpu","value":"a"},{"key":"x"}],
           "second":[{"key":"gpu","operator":"Exists"}]})",
       R"({"tolerations":[{"key":"x"},{"key":"gpu","operator":"Exists"}]})"},
      {"of equal ones the first stays as it is",
       R"({"first":[{"key":"a"}],"second":[{"key":"a","operator":"Equal"}]})",
       R"({"tolerations":[{"key":"a"}]})"},
  };
  check_results("tolerations.merge", cases);
}

TEST_CASE("schedulingPolicy.validate: what is wrong with a policy") {
  constexpr Case cases[] = {
      {"nothing", R"({"policy":{"metadata":{"name":"p"}}})", R"({"errors":[]})"},
      {"an empty requirement",
       R"({"policy":{"metadata":{"name":"p"},"spec":{"required":{"schedulerNames":[]}}}})",
       R"({"errors":[{"field":"spec.required.schedulerNames","type":"FieldValueRequired",)"
       R"("value":"","message":"`spec.required.schedulerNames`: required value: )"
       R"(must list at least one entry; leave the field out to require nothing"}]})"},
      {"no name", R"({"policy":{}})",
       R"({"errors":[{"field":"metadata.name","type":"FieldValueRequired","value":"",)"
       R"("message":"`metadata.name`: required value: an object has a name"}]})"},
      {"a name that is empty", R"({"policy":{"metadata":{"name":""}}})",
       R"({"errors":[{"field":"metadata.name","type":"FieldValueRequired","value":"",)"
       R"("message":"`metadata.name`: required value: an object has a name"}]})"},
      {"a namespace", R"({"policy":{"metadata":{"name":"p","namespace":"n"}}})",
       R"({"errors":[{"field":"metadata.namespace","type":"FieldValueForbidden","value":"n",)"
       R"("message":"`metadata.namespace`: forbidden `n`: a SchedulingPolicy is )"
       R"(cluster-scoped"}]})"},
      {"a policy that cannot be read", R"({"policy":{"spec":{"x":1}}})",
       "InvalidObject at policy.spec.x"},
      {"no policy", "{}", "InvalidRequest at policy"},
  };
  check_results("schedulingPolicy.validate", cases);
  // A name that is missing is an error of the policy, not of the request.
  const std::string no_name = R"({"errors":[{"field":"metadata.name","type":"FieldValueRequired",)"
                              R"("value":"","message":"`metadata.name`: required value: )";
  for (const char* const policy : {"{}", R"({"metadata":null})", R"({"metadata":{}})",
                                   R"({"metadata":{"name":""},"spec":{}})"}) {
    CAPTURE(policy);
    CHECK(result_or_error("schedulingPolicy.validate", R"({"policy":)" + std::string(policy) + "}")
              .starts_with(no_name));
  }
}

TEST_CASE("schedulingPolicy.merge: the merged spec, its sources, and what lost") {
  constexpr Case cases[] = {
      {"none", "{}", R"({"spec":{},"sources":{},"lost":{}})"},
      {"two, in byte order of their names",
       R"({"policies":[
             {"metadata":{"name":"b"},"spec":{"allowed":{"schedulerNames":["x","y"]},
                                             "default":{"schedulerName":"x"}}},
             {"metadata":{"name":"a"},"spec":{"allowed":{"schedulerNames":["y"]},
                                             "default":{"schedulerName":"y"}}}]})",
       R"({"spec":{"allowed":{"schedulerNames":["y","x"]},"default":{"schedulerName":"y"}},)"
       R"("sources":{"allowed.schedulerNames[0]":["a","b"],"allowed.schedulerNames[1]":["b"],)"
       R"("default.schedulerName":["a"]},"lost":{"default.schedulerName":["b"]}})"},
  };
  check_results("schedulingPolicy.merge", cases);
}

TEST_CASE("schedulingPolicy.admit: an allowed pod comes back with its defaults and their patch") {
  const Json reply(ask("schedulingPolicy.admit", R"({
    "pod": {"kind": "Pod", "metadata": {"name": "web"}, "spec": {
      "priority": 5, "containers": [{"resources": {"limits": {"cpu": 1.50, "x": 1.0e3}}}],
      "nodeSelector": {"disk": "ssd"}}, "status": {}},
    "policies": [
      {"metadata": {"name": "a"}, "spec": {
        "allowed": {"nodeSelectors": {}},
        "default": {"schedulerName": "my-scheduler", "priorityClassName": "gold"}}},
      {"metadata": {"name": "b"}, "spec": {
        "default": {"nodeSelector": {"kubernetes.io/arch": "amd64"},
                    "tolerations": [{"key": "gpu", "operator": "Exists"}]}}}
    ]})"));
  CHECK(reply.at("/result/allowed") == "true");
  CHECK(reply.at("/result/violations") == "[]");
  CHECK(reply.at("/result/changes") ==
        R"([{"field":"spec.schedulerName","from":null,"to":"my-scheduler","policy":"a"},)"
        R"({"field":"spec.priorityClassName","from":null,"to":"gold","policy":"a"},)"
        R"({"field":"spec.priority","from":"5","to":null,"policy":"a"},)"
        R"({"field":"spec.nodeSelector[kubernetes.io/arch]","from":null,"to":"amd64",)"
        R"("policy":"b"},)"
        R"({"field":"spec.tolerations[0]","from":null,"to":"gpu Exists","policy":"b"}])");
  CHECK(reply.at("/result/patch") ==
        R"([{"op":"add","path":"/spec/schedulerName","value":"my-scheduler"},)"
        R"({"op":"add","path":"/spec/priorityClassName","value":"gold"},)"
        R"({"op":"remove","path":"/spec/priority"},)"
        R"({"op":"add","path":"/spec/nodeSelector/kubernetes.io~1arch","value":"amd64"},)"
        R"({"op":"add","path":"/spec/tolerations","value":[{"key":"gpu","operator":"Exists"}]}])");
  CHECK(canonical(reply.at("/result/object")) ==
        canonical(R"({"kind": "Pod", "metadata": {"name": "web"}, "spec": {
          "containers": [{"resources": {"limits": {"cpu": 1.50, "x": 1.0e3}}}],
          "nodeSelector": {"disk": "ssd", "kubernetes.io/arch": "amd64"},
          "schedulerName": "my-scheduler", "priorityClassName": "gold",
          "tolerations": [{"key": "gpu", "operator": "Exists"}]}, "status": {}})"));
  // What was not changed keeps its bytes.
  CHECK(reply.text().find(R"({"cpu": 1.50, "x": 1.0e3})") != std::string::npos);
}

TEST_CASE("schedulingPolicy.admit: a denied pod comes back as it was, with all violations") {
  const std::string reply = ask("schedulingPolicy.admit", R"({
    "pod": { "spec":{"schedulerName" : "x","nodeName":"n"} },
    "policies": [{"metadata": {"name": "a"}, "spec": {"default": {"priorityClassName": "gold"}}}]
  })");
  CHECK(
      reply ==
      R"({"id":1,"result":{"allowed":false,)"
      R"("violations":[{"code":"SchedulerNameNotAllowed","field":"spec.schedulerName",)"
      R"("value":"x","permitted":[],"message":"`spec.schedulerName`: scheduler `x` is not allowed by `a`",)"
      R"("policies":["a"]},{"code":"NodeNameNotAllowed","field":"spec.nodeName","value":"n",)"
      R"("permitted":[],"message":"`spec.nodeName`: naming node `n` goes past every scheduler, )"
      R"(which is not allowed by `a`","policies":["a"]}],"changes":[],)"
      R"("object":{ "spec":{"schedulerName" : "x","nodeName":"n"} },"patch":[]}})");
}

TEST_CASE("schedulingPolicy.merge: a reply whose sources were too long is an error") {
  // The source of each value has the key.
  std::string values;
  for (int i = 0; i < 8'000; ++i) values += (i > 0 ? ",\"" : "\"") + std::to_string(i) + '"';
  std::string policies;
  for (char name = 'a'; name <= 'h'; ++name) {
    policies += std::string(name == 'a' ? "" : ",") + R"({"metadata":{"name":")" + name +
                R"("},"spec":{"allowed":{"nodeSelectors":{")" +
                std::string(schedpol::max_label_key_bytes, name) + R"(":[)" + values + "]}}}}";
  }
  const Json reply(ask("schedulingPolicy.merge", R"({"policies":[)" + policies + "]}"));
  CHECK(reply.string_at("/error/code") == "LimitExceeded");
  CHECK(reply.string_at("/error/field") == "sources");
}

TEST_CASE("schedulingPolicy.admit: a pod that its defaults make too long a document is an error") {
  const auto reply = [](std::size_t bytes) {
    std::string values = R"("0")";
    for (int i = 1; i < 100; ++i) values += ",\"" + std::to_string(i) + '"';
    return Json(
        ask("schedulingPolicy.admit",
            R"({"policies":[{"metadata":{"name":"p"},"spec":{"default":{"schedulerName":"s",)"
            R"("tolerations":[{"key":"team","operator":"Equal","values":[)" +
                values + R"(]}]}}}],"pod":{"x":")" + std::string(bytes, 'x') + R"("}})"));
  };
  CHECK(reply(100).at("/result/object/spec/tolerations/99/value") == R"("99")");
  const Json too_long = reply(schedpol::max_document_bytes - 2'000);
  CHECK(too_long.string_at("/error/code") == "LimitExceeded");
  CHECK(too_long.string_at("/error/field") == "patch");
}

TEST_CASE("schedulingPolicy.admit: of very many violations the first are written") {
  for (const auto& [count, more] :
       {std::pair{1'000, "absent"}, std::pair{1'001, "1"}, std::pair{1'500, "500"}}) {
    std::string pairs;
    for (int i = 1; i < count; ++i)
      pairs += (i > 1 ? ",\"k" : "\"k") + std::to_string(i) + R"(":"v")";
    // And the scheduler.
    const Json reply(
        ask("schedulingPolicy.admit", R"({"pod":{"spec":{"nodeSelector":{)" + pairs +
                                          R"(}}},"policies":[{"metadata":{"name":"p"}}]})"));
    CHECK(reply.at("/result/violations/999") != "absent");
    CHECK(reply.at("/result/violations/1000") == "absent");
    CHECK(reply.at("/result/moreViolations") == more);
  }
}

TEST_CASE("schedulingPolicy.admit: without policies nothing is allowed") {
  for (const char* policies : {"", R"(,"policies":null)", R"(,"policies":[])"}) {
    CAPTURE(policies);
    CHECK(verdict_of(Json(ask("schedulingPolicy.admit", std::string(R"({"pod":{})") + policies +
                                                            "}"))) == "NoUsablePolicy spec");
  }
  CHECK(verdict_of(Json(ask("schedulingPolicy.admit", R"({"pod":{"kind":"CronJob"}})"))) ==
        "NoUsablePolicy spec.jobTemplate.spec.template.spec");
}

TEST_CASE("schedulingPolicy.admit: paths are those of the workload that was given") {
  const Json denied(ask("schedulingPolicy.admit", R"({
    "pod": {"kind": "Deployment", "spec": {"template": {"spec": {"tolerations": [{}]}}}},
    "policies": [{"metadata": {"name": "a"}}]})"));
  CHECK(verdict_of(denied) ==
        "SchedulerNameNotAllowed spec.template.spec.schedulerName; "
        "TolerationNotAllowed spec.template.spec.tolerations[0]");
  const Json allowed(ask("schedulingPolicy.admit", R"({
    "pod": {"kind": "CronJob", "metadata": {"name": "nightly"}, "spec": {"schedule": "@daily"}},
    "policies": [{"metadata": {"name": "a"}, "spec": {"default": {"schedulerName": "s"}}}]})"));
  CHECK(verdict_of(allowed) == "allowed");
  CHECK(allowed.at("/result/changes/0/field") ==
        R"("spec.jobTemplate.spec.template.spec.schedulerName")");
  CHECK(allowed.at("/result/object") ==
        R"({"kind":"CronJob","metadata":{"name":"nightly"},"spec":{"schedule":"@daily",)"
        R"("jobTemplate":{"spec":{"template":{"spec":{"schedulerName":"s"}}}}}})");
}

TEST_CASE("schedulingPolicy.admit: strategies") {
  constexpr std::string_view input = R"({
    "pod": {"spec": {"schedulerName": "b"}},
    "policies": [{"metadata": {"name": "b"}, "spec": {"allowed": {"schedulerNames": ["b"]}}},
                 {"metadata": {"name": "a"}, "spec": {"allowed": {"schedulerNames": ["a"]}}}])";
  const auto with = [&](std::string_view strategy) {
    return verdict_of(
        Json(ask("schedulingPolicy.admit", std::string(input).append(strategy).append("}"))));
  };
  constexpr const char* denied = "SchedulerNameNotAllowed spec.schedulerName";
  CHECK(with("") == "allowed");
  CHECK(with(R"(,"strategy":null)") == "allowed");
  CHECK(with(R"(,"strategy":"")") == "allowed");
  CHECK(with(R"(,"strategy":"SmartDeepMerge")") == "allowed");
  CHECK(with(R"(,"strategy":"FirstSeenWins")") == denied);
  CHECK(with(R"(,"strategy":"SimpleMerge")") == denied);
}

TEST_CASE("schedulingPolicy.admit: options") {
  struct OptionCase {
    const char* name;
    const char* pod;
    const char* policy;
    const char* options;
    const char* without;
    const char* with;
  };
  constexpr const char* one_of_two_terms =
      R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
          {"nodeSelectorTerms":[
            {"matchExpressions":[{"key":"a","operator":"Exists"}]},
            {"matchExpressions":[{"key":"b","operator":"Exists"}]}]}}}})";
  constexpr const char* terms =
      R"({"allowed":{"schedulerNames":[],"affinities":{}},
          "required":{"affinities":{"nodeAffinities":{
            "requiredDuringSchedulingIgnoredDuringExecution":{"nodeSelectorTerms":[
              {"matchExpressions":[{"keys":["a"],"operators":["Exists"]}]}]}}}}})";
  constexpr const char* affinity_required =
      "AffinityRequired spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
  constexpr const char* default_scheduler =
      R"({"allowed":{"schedulerNames":["default-scheduler"]}})";
  const OptionCase cases[] = {
      {"required affinity", one_of_two_terms, terms, R"({"requiredAffinity":"Present"})",
       affinity_required, "allowed"},
      {"required affinity, the default", one_of_two_terms, terms,
       R"({"requiredAffinity":"EveryTerm"})", affinity_required, affinity_required},
      {"node name", R"({"nodeName":"n"})", default_scheduler, R"({"nodeName":"Ignore"})",
       "NodeNameNotAllowed spec.nodeName", "allowed"},
      {"node name, the default", R"({"nodeName":"n"})", default_scheduler,
       R"({"nodeName":"RequireAnyScheduler"})", "NodeNameNotAllowed spec.nodeName",
       "NodeNameNotAllowed spec.nodeName"},
      {"exempt tolerations", R"({"tolerations":[{"key":"gpu","operator":"Exists"}]})",
       default_scheduler, R"({"exemptTolerations":[{"key":"gpu","operator":"Exists"}]})",
       "TolerationNotAllowed spec.tolerations[0]", "allowed"},
      {"exempt node selector", R"({"nodeSelector":{"a":"b"}})", default_scheduler,
       R"({"exemptNodeSelector":{"a":"b"}})", "NodeSelectorNotAllowed spec.nodeSelector[a]",
       "allowed"},
      {"exempt node name", R"({"nodeName":"n"})", default_scheduler, R"({"exemptNodeName":"n"})",
       "NodeNameNotAllowed spec.nodeName", "allowed"},
      {"exempt scheduler name", R"({"schedulerName":"green"})", default_scheduler,
       R"({"exemptSchedulerName":"green"})", "SchedulerNameNotAllowed spec.schedulerName",
       "allowed"},
      {"exempt affinity", one_of_two_terms, default_scheduler,
       R"({"exemptAffinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":
           {"nodeSelectorTerms":[{"matchExpressions":[
             {"key":"b","operator":"Exists"},{"key":"a","operator":"Exists"}]}]}}}})",
       "AffinityNotAllowed spec.affinity.nodeAffinity", "allowed"},
      {"the default scheduler, filled in", R"({"schedulerName":"default-scheduler"})",
       R"({"required":{"schedulerNames":["blue"]},"default":{"schedulerName":"blue"}})",
       R"({"defaultScheduler":"Unspecified"})", "SchedulerNameRequired spec.schedulerName",
       "allowed"},
      {"the default scheduler, the default", R"({"schedulerName":"default-scheduler"})",
       R"({"required":{"schedulerNames":["blue"]},"default":{"schedulerName":"blue"}})",
       R"({"defaultScheduler":"Specified"})", "SchedulerNameRequired spec.schedulerName",
       "SchedulerNameRequired spec.schedulerName"},
      {"the class that the cluster gives", R"({"priorityClassName":"normal"})", default_scheduler,
       R"({"globalDefaultPriorityClass":"normal"})",
       "PriorityClassNameNotAllowed spec.priorityClassName", "allowed"},
      {"null options", R"({"nodeName":"n"})", default_scheduler,
       R"({"nodeName":null,"requiredAffinity":null,"exemptTolerations":null})",
       "NodeNameNotAllowed spec.nodeName", "NodeNameNotAllowed spec.nodeName"},
  };
  for (const OptionCase& c : cases) {
    CAPTURE(c.name);
    CHECK(admit_with(c.pod, c.policy, "null") == c.without);
    CHECK(admit_with(c.pod, c.policy, "{}") == c.without);
    CHECK(admit_with(c.pod, c.policy, c.options) == c.with);
  }
}

TEST_CASE("schedulingPolicy.checkUpdate: only what the update adds is denied") {
  struct UpdateCase {
    const char* name;
    const char* old_spec;
    const char* new_spec;
    const char* verdict;
  };
  constexpr UpdateCase cases[] = {
      {"nothing changed", R"({"nodeName":"n","tolerations":[{"key":"a"}]})",
       R"({"nodeName":"n","tolerations":[{"key":"a"}]})", "allowed"},
      {"a toleration in another place", R"({"tolerations":[{"key":"a"},{"key":"b"}]})",
       R"({"tolerations":[{"key":"b"},{"key":"a"}]})", "allowed"},
      {"a toleration more", R"({"tolerations":[{"key":"a"}]})",
       R"({"tolerations":[{"key":"a"},{"key":"b"}]})", "TolerationNotAllowed spec.tolerations[1]"},
      {"another value", R"({"nodeSelector":{"disk":"ssd"}})", R"({"nodeSelector":{"disk":"hdd"}})",
       "NodeSelectorNotAllowed spec.nodeSelector[disk]"},
      {"a node", "{}", R"({"nodeName":"n"})", "NodeNameNotAllowed spec.nodeName"},
  };
  for (const UpdateCase& c : cases) {
    CAPTURE(c.name);
    const Json reply(ask(
        "schedulingPolicy.checkUpdate",
        std::string(R"({"old":{"spec":)") + c.old_spec + R"(},"new":{"spec":)" + c.new_spec +
            R"(},"policies":[{"metadata":{"name":"p"},"spec":{"default":{"schedulerName":"s"}}}]})"));
    CHECK(verdict_of(reply) == c.verdict);
    // An update is never defaulted, so there is nothing to change.
    CHECK(reply.at("/result/patch") == "absent");
    CHECK(reply.at("/result/object") == "absent");
  }
  constexpr Case errors[] = {
      {"no old", R"({"new":{}})", "InvalidRequest at old"},
      {"no new", R"({"old":{}})", "InvalidRequest at new"},
      {"another kind", R"({"old":{"kind":"Job"},"new":{"kind":"Pod"}})",
       "InvalidRequest at new.kind"},
  };
  check_results("schedulingPolicy.checkUpdate", errors);
}

TEST_CASE("rbac.usablePolicies: names in byte order, of the resource and group asked for") {
  constexpr Case cases[] = {
      {"nothing granted", R"({"user":{"name":"u"},"policies":["a"]})", R"({"usable":[]})"},
      {"all of a group",
       R"({"user":{"name":"u","groups":["g"]},"policies":["b","a","b"],
           "clusterRoles":[{"metadata":{"name":"r"},"rules":[{"verbs":["*"],"apiGroups":["*"],
                            "resources":["*"]}]}],
           "clusterRoleBindings":[{"roleRef":{"kind":"ClusterRole","name":"r"},
                                   "subjects":[{"kind":"Group","name":"g"}]}]})",
       R"({"usable":["a","b"]})"},
      {"in a namespace",
       R"({"user":{"name":"u"},"namespace":"n","policies":["b","a"],
           "roles":[{"metadata":{"name":"r","namespace":"n"},"rules":[{"verbs":["use"],
             "apiGroups":["extensions"],"resources":["schedulingpolicies"],
             "resourceNames":["a"]}]}],
           "roleBindings":[{"metadata":{"namespace":"n"},"roleRef":{"kind":"Role","name":"r"},
                            "subjects":[{"kind":"User","name":"u"}]}]})",
       R"({"usable":["a"]})"},
      {"another group and resource",
       R"({"user":{"name":"u"},"policies":["a"],"apiGroup":"policy","resource":"sp",
           "clusterRoles":[{"metadata":{"name":"r"},"rules":[{"verbs":["use"],
             "apiGroups":["policy"],"resources":["sp"]}]}],
           "clusterRoleBindings":[{"roleRef":{"kind":"ClusterRole","name":"r"},
                                   "subjects":[{"kind":"User","name":"u"}]}]})",
       R"({"usable":["a"]})"},
      {"no user", R"({"policies":["a"]})", "InvalidRequest at user"},
      {"names no list", R"({"user":{"name":"u"},"policies":"a"})", "InvalidRequest at policies"},
      {"a name no text", R"({"user":{"name":"u"},"policies":[{"metadata":{}}]})",
       "InvalidRequest at policies[0]"},
      {"a misspelt role",
       R"({"user":{"name":"u"},"clusterRoles":[{"rules":[{"resourceName":[]}]}]})",
       "InvalidObject at clusterRoles[0].rules[0].resourceName"},
  };
  check_results("rbac.usablePolicies", cases);
}

TEST_CASE("a place is told as one in the input, and a key is not taken for a place") {
  const auto error = [](std::string_view request) {
    const Json reply(evaluate(request));
    return reply.string_at("/error/field") + ": " + reply.string_at("/error/message");
  };
  CHECK(error(R"({"op":"pod.qosClass","input":{"pod":{"x":1,"x":2}}})") ==
        "pod.x: `pod.x`: duplicate value: the key is there more than once");
  CHECK(error(R"({"op":"pod.qosClass","input":{},"input":{}})") ==
        "input: `input`: duplicate value: the key is there more than once");
  CHECK(error(R"({"op":"pod.qosClass","input":{},"expected":{"a":1,"a":2}})") ==
        "expected.a: `expected.a`: duplicate value: the key is there more than once");
  CHECK(error(R"({"op":"pod.qosClass","input.a":1,"input.a":2})") ==
        "input.a: `input.a`: duplicate value: the key is there more than once");
}

}  // namespace evaluate_test
