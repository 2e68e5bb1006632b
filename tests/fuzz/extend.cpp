// SPDX-License-Identifier: Apache-2.0
// What a scheduler asks its extender: an input is {"policies", "nodes", "pods", "told", "verb",
// "body"}: what a cluster has, the names of nodes that pods were told of before, and the question.
// What is none is the body of each question to a cluster of two nodes.

#include "fuzz.hpp"
#include "value.hpp"

#include <schedpol/json/decode.hpp>
#include <schedpol/json/extend.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

using namespace schedpol;
using fuzz::law;
using fuzz::Value;
using json::ExtenderResponse;
using resource_policy::AssumeCache;
using resource_policy::ResourcePolicy;

namespace {

template <class T, class Use>
void for_each_read(const Value* list, Use use) {
  if (list == nullptr) return;
  for (const Value& item : list->members) {
    if (auto read = json::decode<T>(print(item))) use(*read);
  }
}

/// The watch shows a pod that a scheduler asks for, unless it has another one of that name.
void show(AssumeCache& state, const Pod& pod) {
  const ObjectMeta& metadata = pod.metadata;
  if (!state.knows_pod(metadata.namespace_, metadata.name, metadata.uid)) state.observe_pod(pod);
}

AssumeCache state_of(const Value& input) {
  AssumeCache state;
  std::vector<ResourcePolicy> policies;
  for_each_read<ResourcePolicy>(input.find("policies"),
                                [&](const ResourcePolicy& policy) { policies.push_back(policy); });
  for_each_read<Node>(input.find("nodes"), [&](const Node& node) { state.observe_node(node); });
  for_each_read<Pod>(input.find("pods"), [&](const Pod& pod) { state.observe_pod(pod); });
  (void)state.set_policies(policies);
  for_each_read<Pod>(input.find("told"), [&](const Pod& pod) {
    show(state, pod);
    state.assume({.pod = pod, .nodes = state.cluster().prefilter(pod).feasible()}, 0);
  });
  return state;
}

/// The nodes that an answer leaves, as names in quotes.
std::vector<std::string> left(const Value& answer) {
  std::vector<std::string> names;
  if (const Value* list = answer.find("NodeNames")) {
    for (const Value& name : list->members) names.push_back(name.scalar);
  }
  if (const Value* nodes = answer.find("Nodes")) {
    for (const Value& node : nodes->find("items")->members)
      names.push_back(node.find("metadata")->at("name"));
  }
  return names;
}

void check_filter(const ExtenderResponse& said, const Value& answer, AssumeCache state,
                  std::string_view body) {
  const std::vector<std::string> names = left(answer);
  law(said.status == 200, "a filter is answered with 200", body, said.response);
  law(said.errors.empty() == said.assumption.has_value(), "what is answered is assumed", body);
  law(said.errors.empty() == (answer.at("Error") == R"("")"), "an error is told", body,
      said.response);
  law(said.errors.empty() || (names.empty() && said.feasible == 0), "an error fits nowhere", body,
      said.response);
  if (!said.errors.empty()) return;
  const std::size_t failed = answer.find("FailedNodes")->members.size() +
                             answer.find("FailedAndUnresolvableNodes")->members.size();
  law(names.size() == said.feasible && names.size() + failed == said.nodes,
      "every node is answered once", body, said.response);
  const auto& assumption = *said.assumption;
  const auto before = state.cluster().prefilter(assumption.pod);
  const NodeSet feasible = before.feasible();
  law(before.reason() != resource_policy::Reason::multiple_resource_policies || names.empty(),
      "several policies leave nothing", body, said.response);
  law(assumption.nodes == (assumption.nodes & feasible), "only feasible nodes are assumed", body,
      said.response);
  // Asked again it has the same answer, whatever was assumed of it; of the next one no unit is
  // beyond its maximum.
  state.assume(assumption, 0);
  const ExtenderResponse again = json::answer_extender("filter", body, state);
  law(again.response == said.response, "a pod does not count against itself", body, again.response);
  Pod next = assumption.pod;
  next.metadata.name += "-that-nobody-was-told-of";
  next.metadata.uid += "-next";
  const auto after = state.cluster().prefilter(next);
  law((after.feasible() - feasible).empty(), "what is assumed makes no room", body);
}

void check(std::string_view verb, std::string_view body, AssumeCache state) {
  const auto question = fuzz::parse(body);
  if (const Value* pod = question ? question->find("Pod") : nullptr) {
    if (const auto read = json::decode<Pod>(print(*pod))) show(state, *read);
  }
  ExtenderResponse said;
  {
    const fuzz::Cost cost;
    said = json::answer_extender(verb, body, state);
    cost.is_within(body.size());
  }
  const ExtenderResponse same =
      json::answer_extender("/prefix/" + std::string(verb) + "?timeout=1s", body, state);
  law(same.response == said.response && same.status == said.status, "a question has one answer",
      body, said.response);
  const auto answer = fuzz::parse(said.response);
  law(answer.has_value(), "an answer is JSON", body, said.response);
  json::Document document;
  law(document.parse(said.response), "an answer is a document", body, said.response);
  if (verb == "filter") return check_filter(said, *answer, state, body);
  law(!said.assumption.has_value(), "only a filter promises something", body);
  law(said.errors.empty() == (said.status == 200), "an error has a status", body, said.response);
  law(said.feasible <= said.nodes, "no nodes are made up", body, said.response);
  if (verb != "prioritize" || !said.errors.empty()) return;
  law(answer->members.size() == said.nodes, "every node has a score", body, said.response);
  for (const Value& host : answer->members) {
    const std::string score = host.at("Score");
    law(score == "10" || (score.size() == 1 && score >= "0" && score <= "9"), "a score is 0 to 10",
        body, said.response);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const AssumeCache two_nodes = state_of(*fuzz::parse(
      R"({"policies":[{"metadata":{"name":"p","namespace":"n"},"spec":{"strategy":"prefer",)"
      R"("units":[{"maxCount":1,"nodeSelector":{"matchLabels":{"a":"b"}}}]}}],)"
      R"("nodes":[{"metadata":{"name":"x","labels":{"a":"b"}}},{"metadata":{"name":"y"}}]})"));
  const std::string_view text = fuzz::text(data, size);
  const auto input = fuzz::parse(text);
  const Value* body = input ? input->find("body") : nullptr;
  for (const std::string_view verb : {"filter", "prioritize", "preempt"}) {
    if (body == nullptr) {
      check(verb, text, two_nodes);
    } else if (const std::string asked = input->at("verb");
               asked.empty() || asked == '"' + std::string(verb) + '"') {
      check(verb, print(*body), state_of(*input));
    }
  }
  return 0;
}
