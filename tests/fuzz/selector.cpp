// SPDX-License-Identifier: Apache-2.0
// Selectors, node affinity and tolerations: an input is {"selector", "labels", "pod", "nodes"}. The
// compiled forms answer as the rules read, and a table of nodes as each of its nodes.

#include "fuzz.hpp"
#include "value.hpp"

#include <schedpol/cluster/node_table.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

using namespace schedpol;
using fuzz::law;

namespace {

/// Rule 3 of label_selector.hpp, word by word.
bool holds(const LabelSelectorRequirement& requirement, const Labels& labels) {
  const auto label = labels.find(requirement.key);
  const bool there = label != labels.end();
  const bool listed = there && std::find(requirement.values.begin(), requirement.values.end(),
                                         label->second) != requirement.values.end();
  if (requirement.operator_ == LabelSelectorOperator::in) return listed;
  if (requirement.operator_ == LabelSelectorOperator::not_in) return !listed;
  return (requirement.operator_ == LabelSelectorOperator::exists) == there;
}

bool selects(const std::optional<LabelSelector>& selector, const Labels& labels) {
  if (!selector) return false;
  const auto is_there = [&](const auto& pair) {
    const auto label = labels.find(pair.first);
    return label != labels.end() && label->second == pair.second;
  };
  return std::all_of(selector->match_labels.begin(), selector->match_labels.end(), is_there) &&
         std::all_of(selector->match_expressions.begin(), selector->match_expressions.end(),
                     [&](const auto& requirement) { return holds(requirement, labels); });
}

void check_selector(const fuzz::Value& input) {
  const std::string text = input.find("selector") == nullptr ? "null" : input.at("selector");
  const auto selector = json::decode<std::optional<LabelSelector>>(text);
  const auto labels = json::decode<Labels>(input.at("labels"));
  if (!selector || !labels) return;
  const auto back = json::decode<std::optional<LabelSelector>>(json::encode(*selector));
  law(back && *back == *selector, "what is written is read back", print(input));
  const auto matcher = compile(*selector);
  const auto lenient = compile(*selector, {}, SelectedValues::annotations);
  law(lenient || !matcher, "whatever selects labels could select annotations", print(input));
  for (const auto* compiled : {&matcher, &lenient}) {
    law(!*compiled || (*compiled)->matches(*labels) == selects(*selector, *labels),
        "a selector matches as it reads", print(input));
  }
}

void check_nodes(const fuzz::Value& input) {
  std::vector<Node> nodes;
  const fuzz::Value* given = input.find("nodes");
  if (given == nullptr) return;
  for (const fuzz::Value& value : given->members)
    if (const auto node = json::decode<Node>(print(value))) nodes.push_back(*node);
  const auto pod = json::decode<Pod>(input.at("pod"));
  if (!pod) return;
  NodeTable table(nodes);
  if (nodes.size() > 1) {  // put together in another way
    table.remove(0);
    table.replace(1, nodes[0]);
    table.add(nodes[1]);
    std::swap(nodes[0], nodes[1]);
  }
  const NodeAffinityMatcher matcher(pod->spec);
  const auto matching = table.matching(matcher);
  const auto scores = table.scores(matcher);
  const auto tolerated = table.tolerated_by(pod->spec.tolerations);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    law(matching.contains(i) == matcher.matches(nodes[i]), "a table matches as its nodes do",
        print(input));
    law(scores[i] == matcher.score(nodes[i]), "a table scores as its nodes do", print(input));
    law(tolerated.contains(i) == tolerates_all(pod->spec.tolerations, nodes[i]),
        "a table tolerates as its nodes do", print(input));
    for (const Toleration& a : pod->spec.tolerations) {
      law(covers(a, a), "a toleration covers itself", print(input));
      for (const Toleration& b : pod->spec.tolerations)
        for (const Taint& taint : nodes[i].spec.taints)
          law(!covers(a, b) || !tolerates(b, taint) || tolerates(a, taint),
              "what covers a toleration tolerates what it does", print(input));
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = fuzz::parse(fuzz::text(data, size));
  if (!input || size > std::size_t{1} << 16U) return 0;
  check_selector(*input);
  check_nodes(*input);
  return 0;
}
