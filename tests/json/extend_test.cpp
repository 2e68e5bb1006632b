// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/extend.hpp>

#include <schedpol/core/limits.hpp>
#include <schedpol/json/decode.hpp>

#include "../support/json.hpp"
#include "../support/print.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json {
namespace extend_test {

using resource_policy::AssumeCache;
using resource_policy::ResourcePolicy;
using testing::Json;

// Units of the nodes a-*, b-* and ab-*, which is in both.
const std::string web = R"({"metadata":{"name":"web","namespace":"shop"},"spec":{
  "podSelector":{"matchLabels":{"app":"web"}},
  "units":[{"name":"a","priority":5,"maxCount":2,"nodeSelector":{"matchExpressions":
              [{"key":"pool","operator":"In","values":["a","ab"]}]}},
           {"name":"b","priority":2,"maxCount":3,"nodeSelector":{"matchExpressions":
              [{"key":"pool","operator":"In","values":["b","ab"]}]}}]}})";
const std::string any = R"({"metadata":{"name":"any","namespace":"shop"},"spec":{
  "podSelector":{"matchLabels":{"tier":"any"}},"strategy":"prefer",
  "units":[{"priority":1,"nodeSelector":{"matchLabels":{"pool":"a"}}}]}})";

template <class T>
T read(const std::string& text) {
  auto value = decode<T>(text);
  REQUIRE(static_cast<bool>(value));
  return *std::move(value);
}

std::string pod_text(const std::string& name, const std::string& labels,
                     const std::string& on = "") {
  return R"({"metadata":{"name":")" + name + R"(","namespace":"shop","uid":"uid-)" + name +
         R"(","labels":{)" + labels + R"(}},"spec":{"nodeName":")" + on + R"("}})";
}
const std::string app_web = R"("app":"web")";

std::string node_text(const std::string& name) {
  const std::string pool = name.substr(0, name.find('-'));
  return R"({"metadata":{"name":")" + name + R"(","labels":{"pool":")" + pool +
         R"("}},"status":{"addresses":[{"address":"x"}]}})";
}

/// With pods of the names asked for that wait for a node.
AssumeCache state_of(const std::vector<std::string>& policies,
                     const std::vector<std::pair<std::string, std::string>>& bound = {}) {
  AssumeCache state;
  for (const std::string name : {"asked", "p", "p-1", "p-2"})
    state.observe_pod(read<Pod>(pod_text(name, app_web)));
  for (const std::string name : {"a-1", "a-2", "b-1", "ab-1", "c-1"})
    state.observe_node(read<Node>(node_text(name)));
  for (const auto& [name, on] : bound) state.observe_pod(read<Pod>(pod_text(name, app_web, on)));
  std::vector<ResourcePolicy> decoded;
  for (const std::string& policy : policies) decoded.push_back(read<ResourcePolicy>(policy));
  (void)state.set_policies(decoded);
  return state;
}

using Texts = std::vector<std::string>;

std::string list_of(const Texts& texts, std::string_view begin, std::string_view end) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "" : ",") + text;
  return std::string(begin) + list + std::string(end);
}
std::string names_of(const Texts& nodes) {
  Texts quoted;
  for (const std::string& node : nodes) quoted.push_back("\"" + node + "\"");
  return R"("NodeNames":)" + list_of(quoted, "[", "]");
}
std::string whole(const Texts& nodes) {
  Texts texts;
  for (const std::string& node : nodes) texts.push_back(node_text(node));
  return R"("Nodes":{"metadata":{},"items":)" + list_of(texts, "[", "]") + "}";
}
std::string asking(const std::string& pod, const std::string& nodes) {
  return R"({"Pod":)" + pod + "," + nodes + "}";
}

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

TEST_CASE("what nothing answered is an error") {
  CHECK(ExtenderResponse().status == 400);
  CHECK_FALSE(ExtenderResponse().assumption);
}

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

TEST_CASE("preempt keeps the nodes on which the pod fits without the victims") {
  // Unit a is full, b is not.
  const std::vector<std::pair<std::string, std::string>> bound = {
      {"w-1", "a-1"}, {"w-2", "a-2"}, {"w-3", "b-1"}};
  struct Victims {
    std::string node;
    Texts pods;
  };
  struct Case {
    std::string name;
    std::string labels;
    std::vector<Victims> victims;
    Texts wanted;  ///< nodes
    std::vector<std::pair<std::string, std::string>> more_bound{};
  };
  const Case cases[] = {
      {"none", app_web, {}, {}},
      {"of the unit", app_web, {{"a-1", {"w-1"}}}, {"a-1"}},
      {"of the unit, more of them", app_web, {{"a-1", {"x", "w-1"}}}, {"a-1"}},
      {"on another node of the unit", app_web, {{"a-1", {"w-2"}}}, {}},
      {"not of the policy", app_web, {{"a-1", {"x"}}}, {}},
      {"of a unit that stays full", app_web, {{"a-1", {"w-1"}}}, {}, {{"w-4", "a-1"}}},
      {"named twice", app_web, {{"a-1", {"w-1", "w-1"}}}, {}, {{"w-4", "a-1"}}},
      {"named twice, with another between",
       app_web,
       {{"a-1", {"w-1", "x", "w-1"}}},
       {},
       {{"w-4", "a-1"}}},
      {"as many as it takes", app_web, {{"a-1", {"w-1", "w-4"}}}, {"a-1"}, {{"w-4", "a-1"}}},
      {"where there is room anyway", app_web, {{"b-1", {"x"}}}, {"b-1"}},
      {"in no unit", app_web, {{"c-1", {"x"}}}, {}},
      {"on a node that is not known", app_web, {{"new", {"x"}}}, {}},
      {"on each node those of it",
       app_web,
       {{"a-1", {"w-1"}}, {"a-2", {"w-1"}}, {"b-1", {"w-3"}}, {"c-1", {"x"}}},
       {"a-1", "b-1"}},
      {"without any", app_web, {{"b-1", {}}}, {}},
      {"no policy is for it", "", {{"a-1", {"x"}}, {"new", {"y"}}}, {"a-1", "new"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    auto all_bound = bound;
    all_bound.insert(all_bound.end(), c.more_bound.begin(), c.more_bound.end());
    const AssumeCache state = state_of({web}, all_bound);
    Texts by_uid;
    Texts by_pod;
    Texts wanted;
    for (const Victims& each : c.victims) {
      Texts uids;
      Texts pods;
      for (const std::string& pod : each.pods) {
        uids.push_back(R"({"UID":"uid-)" + pod + "\"}");
        pods.push_back(pod_text(pod, app_web, each.node));
      }
      const std::string rest = R"(,"NumPDBViolations":7})";
      const std::string begin = "\"" + each.node + R"(":{"Pods":)";
      by_uid.push_back(begin + list_of(uids, "[", "]") + rest);
      by_pod.push_back(begin + list_of(pods, "[", "]") + rest);
      if (std::find(c.wanted.begin(), c.wanted.end(), each.node) != c.wanted.end())
        wanted.push_back(by_uid.back());
    }
    const std::string pod = pod_text("p", c.labels);
    for (const std::string& victims :
         {R"("NodeNameToMetaVictims":)" + list_of(by_uid, "{", "}"),
          R"("NodeNameToMetaVictims":null,"NodeNameToVictims":)" + list_of(by_pod, "{", "}")}) {
      const ExtenderResponse said = answer_extender("/preempt", asking(pod, victims), state);
      CHECK(said.status == 200);
      CHECK(said.response == R"({"NodeNameToMetaVictims":)" + list_of(wanted, "{", "}") + "}");
      CHECK(said.nodes == c.victims.size());
      CHECK(said.feasible == c.wanted.size());
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

TEST_CASE("preempt keeps no node for a pod whose policy is invalid") {
  std::string wrong = any;
  wrong.replace(wrong.find("prefer"), 6, "perfer");
  const std::string request =
      asking(pod_text("p", R"("tier":"any")"),
             R"("NodeNameToMetaVictims":{"a-1":{"Pods":[{"UID":"x"}],"NumPDBViolations":0}})");
  CHECK(answer_extender("/preempt", request, state_of({any})).feasible == 1);
  CHECK(answer_extender("/preempt", request, state_of({wrong})).feasible == 0);
}

TEST_CASE("what is wrong with a question is told in words, all of it") {
  const AssumeCache state = state_of({web});
  const auto told = [&](const std::string& verb, const std::string& request) {
    const Json answer(answer_extender(verb, request, state).response);
    return answer.string_at("/Error");
  };
  const std::string pod = pod_text("p", app_web);
  const std::string nodes = names_of({"a-1"});
  CHECK(told("filter", "{" + nodes + "}") == "`Pod`: required value: there is no pod to place");
  CHECK(told("filter", R"({"Pod":{},)" + nodes + "}") ==
        "`Pod.metadata`: required value: tells which pod it is");
  CHECK(told("filter", R"({"Pod":{"metadata":[]},)" + nodes + "}") ==
        "`Pod.metadata`: wrong type: must be an object, not a list");
  CHECK(told("filter", R"({"Pod":{"metadata":{}},)" + nodes + "}") ==
        "`Pod.metadata.name`: required value: tells which pod it is; "
        "`Pod.metadata.namespace`: required value: tells which policies are its");
  const std::string in_one = "the nodes come in one of Nodes and NodeNames";
  CHECK(told("filter", R"({"Pod":)" + pod + "}") == "`NodeNames`: required value: " + in_one);
  CHECK(told("filter", asking(pod, nodes + "," + whole({"a-1"}))) ==
        "`NodeNames`: forbidden: " + in_one);
  const std::string of_one =
      "the victims come in one of NodeNameToVictims and NodeNameToMetaVictims";
  CHECK(told("preempt", R"({"Pod":)" + pod + "}") ==
        "`NodeNameToMetaVictims`: required value: " + of_one);
  CHECK(told("preempt", asking(pod, R"("NodeNameToMetaVictims":{"b-1":{"Pods":[7]}})")) ==
        "`NodeNameToMetaVictims[b-1].Pods[0]`: wrong type: must be an object, not a number; "
        "`NodeNameToMetaVictims[b-1].Pods[0].uid`: required value: tells which pod it is");
  CHECK(told("preempt", asking(pod, R"("NodeNameToMetaVictims":{},"NodeNameToVictims":{})")) ==
        "`NodeNameToMetaVictims`: forbidden: " + of_one);
}

TEST_CASE("what cannot be read fits nowhere, and says why") {
  const AssumeCache state = state_of({web});
  const std::string pod = pod_text("p", app_web);
  const std::string nodes = names_of({"a-1"});
  struct Case {
    std::string request;
    std::string field;
    std::string verb = "filter";
    int status = 400;  ///< where the answer has no room for an error
  };
  const std::string victims = R"("NodeNameToMetaVictims":)";
  const Case cases[] = {
      {"", ""},
      {"{", ""},
      {"[]", ""},
      {"{}", "Pod"},
      {R"({"Pod":null,)" + nodes + "}", "Pod"},
      {R"({"Pod":[],)" + nodes + "}", "Pod"},
      {R"({"Pod":{},)" + nodes + "}", "Pod.metadata"},
      {R"({"Pod":{"metadata":{"namespace":"shop"}},)" + nodes + "}", "Pod.metadata.name"},
      {R"({"Pod":{"metadata":{"name":"p"}},)" + nodes + "}", "Pod.metadata.namespace"},
      {R"({"Pod":{"kind":"Job","metadata":{"name":"p","namespace":"shop"}},)" + nodes + "}",
       "Pod.kind"},
      {R"({"Pod":{"metadata":{"name":"p","namespace":"shop","labels":["app"]}},)" + nodes + "}",
       "Pod.metadata.labels"},
      {R"({"Pod":{"metadata":{"name":"p","namespace":"shop","uid":1}},)" + nodes + "}",
       "Pod.metadata.uid"},
      {R"({"Pod":{"metadata":{"name":"p","namespace":"shop"},"spec":[]},)" + nodes + "}",
       "Pod.spec"},
      {R"({"Pod":{"metadata":{"name":"p","namespace":"shop"},"spec":7},)" + nodes + "}", "Pod.spec",
       "prioritize"},
      {R"({"pod":)" + pod + R"(,"Pod":)" + pod + "," + nodes + "}", "Pod"},
      {R"({"Pod":)" + pod + "}", "NodeNames"},
      {asking(pod, R"("Nodes":null,"NodeNames":null)"), "NodeNames"},
      {asking(pod, nodes + "," + whole({"a-1"})), "NodeNames"},
      {asking(pod, nodes + R"(,"nodenames":[])"), "nodenames"},
      {asking(pod, nodes + R"(,"NodeNames":[])"), "NodeNames"},
      {asking(pod, R"("NodeNames":{"a-1":1})"), "NodeNames"},
      {asking(pod, R"("NodeNames":["a-1",1])"), "NodeNames[1]"},
      {asking(pod, R"("NodeNames":["a-1",""])"), "NodeNames[1]"},
      {asking(pod, names_of({"a-1", "b-1", "a-1"})), "NodeNames"},
      {asking(pod, R"("Nodes":[])"), "Nodes"},
      {asking(pod, R"("Nodes":{"items":{}})"), "Nodes.items"},
      {asking(pod, R"("Nodes":{"items":["a-1"]})"), "Nodes.items[0]"},
      {asking(pod, R"("Nodes":{"items":[{}]})"), "Nodes.items[0].metadata"},
      {asking(pod, whole({"a-1", "a-1"})), "Nodes.items"},
      {std::string(max_document_bytes + 1, ' '), "", "filter", 413},
      {asking(pod, R"("NodeNames":7)"), "NodeNames", "prioritize"},
      {"{", "", "prioritize"},
      {std::string(max_document_bytes + 1, ' '), "", "prioritize", 413},
      {"{", "", "preempt"},
      {R"({"Pod":)" + pod + "}", "NodeNameToMetaVictims", "preempt"},
      {asking(pod, victims + R"({},"NodeNameToVictims":{})"), "NodeNameToMetaVictims", "preempt"},
      {asking(pod, victims + "[]"), "NodeNameToMetaVictims", "preempt"},
      {asking(pod, victims + R"({"b-1":[]})"), "NodeNameToMetaVictims[b-1]", "preempt"},
      {asking(pod, victims + R"({"b-1":{"Pods":{}}})"), "NodeNameToMetaVictims[b-1].Pods",
       "preempt"},
      {asking(pod, victims + R"({"b-1":{"Pods":[{}]}})"), "NodeNameToMetaVictims[b-1].Pods[0].uid",
       "preempt"},
      {asking(pod, victims + R"({"b-1":{"Pods":[{"UID":"x"}],"NumPDBViolations":"1"}})"),
       "NodeNameToMetaVictims[b-1].NumPDBViolations", "preempt"},
      {asking(pod, R"("NodeNameToVictims":{"b-1":{"Pods":[{"UID":"x"}]}})"),
       "NodeNameToVictims[b-1].Pods[0].uid", "preempt"},
      {asking(pod, nodes), "", "bind", 404},
      {asking(pod, nodes), "", "", 404},
  };
  for (const Case& c : cases) {
    CAPTURE(c.request.substr(0, 200));
    CAPTURE(c.verb);
    const ExtenderResponse said = answer_extender("/" + c.verb, c.request, state);
    const Json answer(said.response);
    REQUIRE(answer.valid());
    CHECK(said.status == (c.verb == "filter" ? 200 : c.status));
    REQUIRE(said.errors.size() == 1);
    CHECK(to_string(said.errors[0].field) == c.field);
    CHECK(answer.string_at("/Error") == message(said.errors[0]));
    CHECK(answer.at("/Nodes") == "absent");
    CHECK(answer.at("/NodeNames") == "absent");
    CHECK(!said.assumption.has_value());
    CHECK(said.feasible == 0);
  }
}

TEST_CASE("every truncation of a good question is an error") {
  const AssumeCache state = state_of({web});
  const std::string good = asking(pod_text("p", app_web), whole({"a-1", "b-1"}));
  CHECK(answer_extender("filter", good, state).errors.empty());
  Document document;
  for (std::size_t size = 0; size < good.size(); ++size) {
    const ExtenderResponse said = answer_extender("filter", good.substr(0, size), state, document);
    CHECK(!said.errors.empty());
    CHECK(!said.assumption.has_value());
  }
  CHECK(answer_extender("filter", good, state, document).errors.empty());
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
