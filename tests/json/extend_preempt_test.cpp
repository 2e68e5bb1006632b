// SPDX-License-Identifier: Apache-2.0
#include <schedpol/json/extend.hpp>

#include "extender_requests.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json {
namespace extend_preempt_test {

using namespace extender_requests;

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

TEST_CASE("preempt keeps no node for a pod whose policy is invalid") {
  std::string wrong = any;
  wrong.replace(wrong.find("prefer"), 6, "perfer");
  const std::string request =
      asking(pod_text("p", R"("tier":"any")"),
             R"("NodeNameToMetaVictims":{"a-1":{"Pods":[{"UID":"x"}],"NumPDBViolations":0}})");
  CHECK(answer_extender("/preempt", request, state_of({any})).feasible == 1);
  CHECK(answer_extender("/preempt", request, state_of({wrong})).feasible == 0);
}

}  // namespace extend_preempt_test
}  // namespace SCHEDPOL_NAMESPACE::json
