// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/extend.hpp>

#include "extender_requests.hpp"

#include <cstddef>
#include <string>

namespace SCHEDPOL_NAMESPACE::json {
namespace extend_bad_input_test {

using namespace extender_requests;

TEST_CASE("what nothing answered is an error") {
  CHECK(ExtenderResponse().status == 400);
  CHECK_FALSE(ExtenderResponse().assumption);
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

}  // namespace extend_bad_input_test
}  // namespace SCHEDPOL_NAMESPACE::json
