// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/extend.hpp>

#include "extender_requests.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json {
namespace extend_test {

using namespace extender_requests;

/// `a-1 b-1 | c-1 (why) | d-1 (why)`, from either mode.
std::string filtered(const Json& answer) {
  std::string line;
  const auto each = [&](const char* list, auto name) {
    simdjson::dom::array items;
    if (answer.root().at_pointer(list).get(items) != simdjson::SUCCESS) return;
    for (const auto item : items) line += (line.empty() ? "" : " ") + name(item);
  };
  each("/NodeNames", [](auto item) { return std::string(std::string_view(item)); });
  each("/Nodes/items",
       [](auto item) { return std::string(std::string_view(item["metadata"]["name"])); });
  CHECK(answer.at("/FailedNodes") == "{}");
  simdjson::dom::object failed;
  REQUIRE(answer.root()["FailedAndUnresolvableNodes"].get(failed) == simdjson::SUCCESS);
  for (const auto member : failed) {
    line.append(" | ").append(member.key).append(" (");
    line.append(std::string_view(member.value)).append(")");
  }
  return line;
}

const Texts all = {"a-1", "a-2", "b-1", "ab-1", "c-1"};
const std::string outside = " | c-1 (in no unit of its ResourcePolicy)";

TEST_CASE("filter says of each node whether it takes the pod, or why not") {
  struct Case {
    std::string name;
    std::vector<std::string> policies;
    std::vector<std::pair<std::string, std::string>> bound;
    std::string labels;
    Texts nodes;
    std::string wanted;
  };
  const std::string full_a = "unit `a` is full";
  const std::string several = "more than one ResourcePolicy selects the pod";
  const std::string both = app_web + R"(,"tier":"any")";
  std::string wrong = any;
  wrong.replace(wrong.find("prefer"), 6, "perfer");
  const Case cases[] = {
      {"no policy is for it", {web}, {}, "", all, "a-1 a-2 b-1 ab-1 c-1"},
      {"no policy is for it, nor is the node known", {web}, {}, "", {"new"}, "new"},
      {"no nodes", {web}, {}, app_web, {}, ""},
      {"room everywhere", {web}, {}, app_web, all, "a-1 a-2 b-1 ab-1" + outside},
      {"some of the nodes, in their order", {web}, {}, app_web, {"b-1", "a-1"}, "b-1 a-1"},
      {"a unit is full",
       {web},
       {{"w-1", "a-1"}, {"w-2", "a-2"}},
       app_web,
       all,
       "b-1 | a-1 (" + full_a + ") | a-2 (" + full_a + ") | ab-1 (" + full_a + ")" + outside},
      {"the pod itself does not count",
       {web},
       {{"w-1", "a-1"}, {"asked", "a-2"}},
       app_web,
       {"a-1"},
       "a-1"},
      {"a node that is not known",
       {web},
       {},
       app_web,
       {"new", "a-1"},
       "a-1 | new (the node is not known yet)"},
      {"a node that is not known, under prefer",
       {any},
       {},
       R"("tier":"any")",
       {"new", "c-1"},
       "c-1 | new (the node is not known yet)"},
      {"several policies",
       {web, any},
       {},
       both,
       {"a-1", "c-1"},
       " | a-1 (" + several + ") | c-1 (" + several + ")"},
      {"an invalid policy",
       {web, wrong},
       {},
       both,
       {"a-1"},
       " | a-1 (ResourcePolicy `any` is invalid)"},
      {"an invalid policy for others", {web, wrong}, {}, app_web, {"a-1"}, "a-1"},
      {"an invalid policy alone",
       {wrong},
       {},
       both,
       {"a-1"},
       " | a-1 (ResourcePolicy `any` is invalid)"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const AssumeCache state = state_of(c.policies, c.bound);
    const std::string pod = pod_text("asked", c.labels);
    const ExtenderResponse by_name =
        answer_extender("/filter", asking(pod, names_of(c.nodes)), state);
    const ExtenderResponse by_node = answer_extender("/filter", asking(pod, whole(c.nodes)), state);
    for (const ExtenderResponse& said : {by_name, by_node}) {
      const Json answer(said.response);
      REQUIRE(answer.valid());
      CHECK(said.status == 200);
      CHECK(said.errors.empty());
      CHECK(said.nodes == c.nodes.size());
      CHECK(answer.at("/Error") == R"("")");
      CHECK(filtered(answer) == c.wanted);
      REQUIRE(said.assumption.has_value());
      CHECK(said.assumption->pod.metadata.uid == "uid-asked");
    }
    CHECK(Json(by_name.response).at("/Nodes") == "absent");
    CHECK(Json(by_node.response).at("/NodeNames") == "absent");
    CHECK(by_name.assumption == by_node.assumption);
    CHECK(by_name.feasible == by_node.feasible);
  }
}

TEST_CASE("nodes that came whole go back as they came") {
  const AssumeCache state = state_of({web});
  const std::string node =
      R"({ "metadata": {"name":"a-1","managedFields":[{},[],1]}, "x": 1.50, "y": "\u00e9\"" })";
  const std::string request =
      asking(pod_text("p", app_web), R"("NodeNames":null,"Nodes":{"items":[)" + node + "]}");
  const Json answer(answer_extender("/filter", request, state).response);
  CHECK(answer.at("/Nodes/items/0") ==
        "{\"metadata\":{\"name\":\"a-1\",\"managedFields\":[{},[],1]},\"x\":1.5,\"y\":"
        "\"\xc3\xa9\\\"\"}");
}

TEST_CASE("the next pod is not promised what the one before may take") {
  AssumeCache state = state_of({web}, {{"w-1", "a-1"}});
  const auto ask = [&](const std::string& name, const Texts& nodes) {
    const ExtenderResponse said =
        answer_extender("/filter", asking(pod_text(name, app_web), names_of(nodes)), state);
    REQUIRE(said.assumption.has_value());
    state.assume(*said.assumption, 0);
    return filtered(Json(said.response));
  };
  const std::string full = " | a-2 (unit `a` is full)";
  CHECK(ask("p-1", {"a-2", "b-1"}) == "a-2 b-1");
  CHECK(ask("p-1", {"a-2", "b-1"}) == "a-2 b-1");
  CHECK(ask("p-2", {"a-2", "b-1"}) == "b-1" + full);
  CHECK(ask("p-1", {"b-1"}) == "b-1");
  CHECK(ask("p-2", {"a-2"}) == "a-2");
  CHECK(state.assumed() == 2);
  // A pod that no policy is for is nobody's to remember.
  const ExtenderResponse free =
      answer_extender("/filter", asking(pod_text("x", ""), names_of(all)), state);
  state.assume(*free.assumption, 0);
  CHECK(state.assumed() == 2);
}

TEST_CASE("a pod fits a unit as far as its resources go, what was just promised included") {
  const std::string limited = R"({"metadata":{"name":"web","namespace":"shop"},"spec":{
    "podSelector":{"matchLabels":{"app":"web"}},
    "units":[{"name":"a","maxResources":{"cpu":"2"},"nodeSelector":{"matchLabels":{"pool":"a"}}}]}})";
  const auto with_cpu = [](const std::string& name, const std::string& cpu) {
    const std::string spec =
        R"("spec":{"initContainers":[],"containers":[{"resources":{"requests":{"cpu":)" + cpu +
        R"(}}}],"overhead":null,)";
    std::string pod = pod_text(name, app_web);
    return pod.replace(pod.find(R"("spec":{)"), 8, spec);
  };
  AssumeCache state = state_of({limited});
  const auto filter = [&](const std::string& pod) {
    return answer_extender("filter", asking(pod, names_of({"a-1", "a-2"})), state);
  };
  const ExtenderResponse first = filter(with_cpu("p-1", R"("1800m")"));
  CHECK(filtered(Json(first.response)) == "a-1 a-2");
  REQUIRE(first.assumption);
  state.assume(*first.assumption, 0);
  const std::string full = "insufficient cpu in unit `a`";
  CHECK(filtered(Json(filter(with_cpu("p-2", R"("500m")")).response)) ==
        " | a-1 (" + full + ") | a-2 (" + full + ")");
  CHECK(filtered(Json(filter(with_cpu("p-2", "0.2")).response)) == "a-1 a-2");
  CHECK(filtered(Json(filter(pod_text("p-2", app_web)).response)) == "a-1 a-2");
  const ExtenderResponse wrong = filter(with_cpu("p-2", R"("much")"));
  REQUIRE(wrong.errors.size() == 1);
  CHECK(to_string(wrong.errors[0].field) == "Pod.spec.containers[0].resources.requests[cpu]");
  CHECK_FALSE(wrong.assumption);

  Pod bound = read<Pod>(with_cpu("p-1", R"("1800m")"));
  bound.metadata.uid = "uid-p-1";
  bound.spec.node_name = "a-1";
  state.observe_pod(bound);
  const auto preempt = [&](const std::string& cpu) {
    return answer_extender("preempt",
                           R"({"Pod":)" + with_cpu("p-2", cpu) +
                               R"(,"NodeNameToMetaVictims":{"a-1":{"Pods":[{"UID":"uid-p-1"}]}}})",
                           state)
        .feasible;
  };
  CHECK(preempt(R"("2")") == 1);
  CHECK(preempt(R"("2001m")") == 0);
}

TEST_CASE("a pod requests what all parts of its spec do") {
  const std::string limited = R"({"metadata":{"name":"web","namespace":"shop"},"spec":{
    "podSelector":{"matchLabels":{"app":"web"}},
    "units":[{"name":"a","maxResources":{"cpu":"2"},"nodeSelector":{"matchLabels":{"pool":"a"}}}]}})";
  const AssumeCache state = state_of({limited});
  const std::string two = R"("containers":[{"resources":{"requests":{"cpu":"2"}}}])";
  const std::pair<std::string, bool> cases[] = {
      {two, true},
      {R"("containers":[{"resources":{"requests":{"cpu":"3"}}}])", false},
      {R"("initContainers":[{"resources":{"requests":{"cpu":"3"}}}])", false},
      {two + R"(,"overhead":{"cpu":"1"})", false},
      {two + R"(,"resources":{"requests":{"cpu":"3"}})", false},
  };
  for (const auto& [spec, fits] : cases) {
    CAPTURE(spec);
    std::string pod = pod_text("p", app_web);
    pod.replace(pod.find(R"("nodeName":"")"), 13, spec);
    CHECK(answer_extender("filter", asking(pod, names_of({"a-1"})), state).feasible ==
          (fits ? 1 : 0));
  }
}

TEST_CASE("a pod of a policy is placed only where the watch has shown it") {
  const AssumeCache state = state_of({web}, {{"w-1", "a-1"}});
  struct Case {
    std::string name;
    std::string pod;
    bool is_unknown;
  };
  std::string successor = pod_text("p", app_web);
  successor.replace(successor.find("uid-p"), 5, "uid-q");
  std::string without_uid = pod_text("p", app_web);
  without_uid.replace(without_uid.find("uid-p"), 5, "");
  const Case cases[] = {
      {"it has", pod_text("p", app_web), false},
      {"as bound", pod_text("w-1", app_web), false},
      {"not", pod_text("new", app_web), true},
      {"one of that name that was before it", successor, true},
      {"the question does not say which", without_uid, true},
      {"not, and no policy is for it", pod_text("new", ""), false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const ExtenderResponse said =
        answer_extender("/filter", asking(c.pod, names_of({"b-1"})), state);
    CHECK(said.is_unknown_pod == c.is_unknown);
    CHECK(said.errors.size() == (c.is_unknown ? 1 : 0));
    CHECK(said.assumption.has_value() == !c.is_unknown);
    CHECK(said.feasible == (c.is_unknown ? 0 : 1));
    CHECK(answer_extender("/prioritize", asking(c.pod, names_of({"b-1"})), state).status == 200);
  }
}

TEST_CASE("what a pod that fits nowhere was told is remembered with the nodes") {
  const AssumeCache state = state_of({web}, {{"w-1", "a-1"}, {"w-2", "a-2"}});
  const auto ask = [&](const Texts& nodes) {
    return answer_extender("/filter", asking(pod_text("p", app_web), names_of(nodes)), state);
  };
  CHECK(ask({"c-1"}).assumption->reason == "in no unit of its ResourcePolicy");
  CHECK(ask({"ab-1", "c-1"}).assumption->reason == "unit `a` is full");
  const ExtenderResponse said = ask({"new", "c-1", "a-2", "b-1"});
  REQUIRE(said.assumption);
  CHECK(said.assumption->reason == "unit `a` is full");
  NodeSet refused;
  for (const char* name : {"a-2", "c-1"}) refused.insert(*state.cluster().nodes().find(name));
  CHECK(said.assumption->refused == refused);
  const AssumeCache full = state_of(
      {web}, {{"w-1", "a-1"}, {"w-2", "a-2"}, {"w-3", "b-1"}, {"w-4", "b-1"}, {"w-5", "b-1"}});
  const auto first_of = [&](const Texts& nodes) {
    return answer_extender("/filter", asking(pod_text("p", app_web), names_of(nodes)), full)
        .assumption->reason;
  };
  CHECK(first_of({"c-1", "a-2", "b-1"}) == "unit `a` is full");
  CHECK(first_of({"b-1", "c-1", "a-2"}) == "unit `b` is full");
}

TEST_CASE("prioritize gives 0 to 10 between the worst and the best of the nodes") {
  struct Case {
    std::string name;
    std::string policy;
    std::string labels;
    Texts nodes;
    std::string wanted;
  };
  const auto score = [](const std::string& host, int points) {
    return R"({"Host":")" + host + R"(","Score":)" + std::to_string(points) + "}";
  };
  const Case cases[] = {
      {"no nodes", web, app_web, {}, "[]"},
      {"one", web, app_web, {"b-1"}, list_of({score("b-1", 10)}, "[", "]")},
      {"units by priority, outside all last",
       web,
       app_web,
       {"c-1", "b-1", "ab-1", "a-2"},
       list_of({score("c-1", 0), score("b-1", 5), score("ab-1", 10), score("a-2", 10)}, "[", "]")},
      {"only of those that are given",
       web,
       app_web,
       {"b-1", "a-1"},
       list_of({score("b-1", 0), score("a-1", 10)}, "[", "]")},
      {"a node that is not known",
       web,
       app_web,
       {"new", "b-1"},
       list_of({score("new", 0), score("b-1", 10)}, "[", "]")},
      {"no policy is for it",
       web,
       "",
       {"c-1", "a-1"},
       list_of({score("c-1", 10), score("a-1", 10)}, "[", "]")},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const AssumeCache state = state_of({c.policy}, {{"w-1", "a-1"}, {"w-2", "a-2"}});
    for (const std::string& nodes : {names_of(c.nodes), whole(c.nodes)}) {
      const ExtenderResponse said =
          answer_extender("/prioritize", asking(pod_text("p", c.labels), nodes), state);
      CHECK(said.status == 200);
      CHECK(said.response == c.wanted);
      CHECK(said.feasible == c.nodes.size());
      CHECK(!said.assumption.has_value());
    }
  }
}

TEST_CASE("what says nothing of a pod, a node or victims is read all the same") {
  const AssumeCache state = state_of({web});
  for (const std::string said : {R"("kind":null,)", R"("kind":"",)", R"("kind":"Pod",)"}) {
    CAPTURE(said);
    const std::string pod =
        "{" + said + R"("metadata":{"name":"p","namespace":"shop","uid":null}})";
    CHECK(filtered(
              Json(answer_extender("/filter", asking(pod, names_of({"a-1"})), state).response)) ==
          "a-1");
  }
  const std::string pod = pod_text("p", app_web);
  for (const std::string nodes : {R"("Nodes":{})", R"("Nodes":{"items":null})"}) {
    const ExtenderResponse said = answer_extender("/filter", asking(pod, nodes), state);
    CHECK(said.errors.empty());
    CHECK(Json(said.response).at("/Nodes/items") == "[]");
  }
  for (const std::string victims :
       {R"({"b-1":null})", R"({"b-1":{}})", R"({"b-1":{"Pods":null,"NumPDBViolations":1}})"}) {
    const ExtenderResponse said =
        answer_extender("/preempt", asking(pod, R"("NodeNameToMetaVictims":)" + victims), state);
    CHECK(said.errors.empty());
    CHECK(said.response == R"({"NodeNameToMetaVictims":{}})");
  }
  CHECK(answer_extender("/preempt",
                        asking(pod, R"("NodeNameToMetaVictims":{"b-1":{"Pods":[{"UID":"x"}]}})"),
                        state)
            .response ==
        R"({"NodeNameToMetaVictims":{"b-1":{"Pods":[{"UID":"x"}],"NumPDBViolations":0}}})");
}

TEST_CASE("as long as no policies are known nothing fits") {
  const AssumeCache state;
  const std::string request = asking(pod_text("p", ""), names_of({"a-1"}));
  const ExtenderResponse said = answer_extender("/filter", request, state);
  CHECK(said.status == 200);
  CHECK(Json(said.response).string_at("/Error") == "no ResourcePolicies are known yet");
  CHECK(answer_extender("/prioritize", request, state).status == 503);
  CHECK(answer_extender("/preempt", request, state).status == 503);
}

TEST_CASE("names are read as Go reads them, paths by their last segment") {
  const AssumeCache state = state_of({web});
  const std::string pod = pod_text("p", app_web);
  for (const std::string& request :
       {R"({"Pod":)" + pod + R"(,"Nodes":null,"NodeNames":["a-1"]})",
        R"({"pod":)" + pod + R"(,"nodes":null,"nodenames":["a-1"]})",
        R"({"POD":)" + pod + R"(,"nODENAMES":["a-1"],"unknown":{}})"}) {
    CAPTURE(request);
    for (const std::string path :
         {"filter", "/filter", "/policies/v1/filter", "/filter?timeout=5s"}) {
      CAPTURE(path);
      CHECK(filtered(Json(answer_extender(path, request, state).response)) == "a-1");
    }
    for (const std::string path : {"/filter/", "/Filter", "/filters", "", "/"})
      CHECK(answer_extender(path, request, state).status == 404);
  }
}

}  // namespace extend_test
}  // namespace SCHEDPOL_NAMESPACE::json
