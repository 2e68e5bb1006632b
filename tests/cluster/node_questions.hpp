// SPDX-License-Identifier: Apache-2.0
#pragma once

// Nodes, and what a table of them is asked.

#include <schedpol/cluster/node_table.hpp>

#include "../support/count_allocations.hpp"
#include "../support/print.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace node_questions {

using schedpol::compile;
using schedpol::LabelMatcher;
using schedpol::Labels;
using schedpol::LabelSelector;
using schedpol::LabelSelectorOperator;
using schedpol::LabelSelectorRequirement;
using schedpol::Node;
using schedpol::NodeAffinity;
using schedpol::NodeAffinityMatcher;
using schedpol::NodeSelectorOperator;
using schedpol::NodeSelectorRequirement;
using schedpol::NodeSelectorTerm;
using schedpol::NodeSet;
using schedpol::NodeTable;
using schedpol::OpenEnum;
using schedpol::PodSpec;
using schedpol::Taint;
using schedpol::TaintEffect;
using schedpol::Texts;
using schedpol::Toleration;
using schedpol::TolerationOperator;
using schedpol::testing::Random;
using Op = NodeSelectorOperator;
using OpenOp = OpenEnum<Op>;
using Strings = std::vector<std::string>;
using Numbers = std::vector<std::size_t>;
using Scores = std::vector<std::int64_t>;

inline Node node(Labels labels, std::string name = "node", std::vector<Taint> taints = {}) {
  return {.metadata = {.name = std::move(name), .labels = std::move(labels)},
          .spec = {.taints = std::move(taints)}};
}

inline Numbers numbers(const NodeSet& set) {
  return {set.begin(), set.end()};
}

/// Clusters, and what may be asked of their nodes, with words that meet often; some break a rule.
class Questions {
 public:
  explicit Questions(std::uint32_t seed) : random_(seed) {}

  std::vector<Node> nodes() {
    std::vector<Node> nodes(random_.pick(Numbers{0, 1, 7, 63, 64, 65, 130, 200}));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      Node& made = nodes[i];
      made.metadata.name = "node-" + std::to_string(random_.below(nodes.size()));
      if (random_.chance(90)) made.metadata.labels["host"] = std::to_string(i);
      for (std::size_t n = random_.below(5); n > 0; --n)
        made.metadata.labels[random_.pick(keys_)] = random_.pick(values_);
      for (std::size_t n = random_.below(3); n > 0; --n) made.spec.taints.push_back(taint());
    }
    return nodes;
  }

  LabelSelector selector() {
    LabelSelector selector;
    for (std::size_t n = random_.below(2); n > 0; --n)
      selector.match_labels[random_.pick(keys_)] = random_.pick(good_values_);
    for (std::size_t n = random_.below(3); n > 0; --n) {
      LabelSelectorRequirement made{.key = random_.pick(keys_),
                                    .operator_ = random_.pick(label_operators_)};
      if (made.operator_ == LabelSelectorOperator::in ||
          made.operator_ == LabelSelectorOperator::not_in)
        made.values = some_values();
      selector.match_expressions.push_back(std::move(made));
    }
    return selector;
  }

  PodSpec pod() {
    PodSpec spec;
    for (std::size_t n = random_.chance(75) ? 0 : random_.below(3); n > 0; --n)
      spec.node_selector[random_.pick(keys_)] = random_.pick(values_);
    for (std::size_t n = random_.below(4); n > 0; --n) spec.tolerations.push_back(toleration());
    if (random_.chance(10)) return spec;
    NodeAffinity& affinity = spec.affinity.emplace().node_affinity.emplace();
    if (random_.chance(80)) {
      auto& required = affinity.required_during_scheduling_ignored_during_execution.emplace();
      for (std::size_t n = random_.chance(5) ? 0 : 1 + random_.below(3); n > 0; --n)
        required.node_selector_terms.push_back(any_term());
    }
    for (std::size_t n = random_.below(4); n > 0; --n) {
      affinity.preferred_during_scheduling_ignored_during_execution.push_back(
          {.weight = static_cast<std::int32_t>(random_.below(100)), .preference = any_term()});
    }
    return spec;
  }

  std::vector<TaintEffect> effects() {
    std::vector<TaintEffect> effects;
    for (const TaintEffect effect : schedpol::taint_effects) {
      if (random_.chance(50)) effects.push_back(effect);
    }
    if (random_.chance(20)) effects.push_back(TaintEffect::unknown);
    return effects;
  }

 private:
  Texts some_values() {
    Texts values;
    for (std::size_t n = 1 + random_.below(3); n > 0; --n)
      values.push_back(random_.pick(good_values_));
    return values;
  }

  NodeSelectorRequirement any_requirement() {
    NodeSelectorRequirement made{.key = random_.pick(keys_),
                                 .operator_ = random_.pick(node_operators_)};
    if (made.operator_ == Op::in || made.operator_ == Op::not_in) made.values = some_values();
    if (made.operator_ == Op::gt || made.operator_ == Op::lt)
      made.values = {random_.pick(good_values_)};
    if (random_.chance(2)) made.values.push_back(random_.pick(values_));
    if (random_.chance(2)) made.operator_ = OpenOp("Like");
    if (random_.chance(1)) made.operator_ = Op::unset;
    if (random_.chance(1)) made.key = "";
    return made;
  }

  NodeSelectorRequirement any_field() {
    NodeSelectorRequirement made{.key = "metadata.name",
                                 .operator_ = random_.chance(50) ? Op::in : Op::not_in,
                                 .values = {"node-" + std::to_string(random_.below(40))}};
    if (random_.chance(10)) made.key = "metadata.namespace";
    if (random_.chance(10)) made.values.push_back("node-1");
    if (random_.chance(10)) made.operator_ = Op::exists;
    return made;
  }

  NodeSelectorTerm any_term() {
    NodeSelectorTerm made;
    for (std::size_t n = random_.below(3); n > 0; --n)
      made.match_expressions.push_back(any_requirement());
    for (std::size_t n = random_.chance(75) ? 0 : 1 + random_.below(2); n > 0; --n)
      made.match_fields.push_back(any_field());
    return made;
  }

  Taint taint() {
    return {random_.pick(taint_keys_), random_.pick(good_values_), random_.pick(effects_)};
  }

  Toleration toleration() {
    Toleration made{.key = random_.pick(taint_keys_),
                    .operator_ = random_.pick(toleration_operators_),
                    .value = random_.pick(good_values_),
                    .effect = random_.pick(effects_)};
    if (random_.chance(20)) made.key.clear();
    if (random_.chance(40)) made.operator_ = TolerationOperator::exists;
    return made;
  }

  Random random_;
  const Strings keys_ = {"disk", "zone", "size", "host", "nowhere"};
  const Strings good_values_ = {"", "1", "2", "10", "007", "ssd", "99999999999999999999"};
  const Strings values_ = {"",   "1",  "2",   "10", "007", "ssd", "99999999999999999999",
                           "-3", "+4", "1e3", "2 ", "SSD"};
  const std::vector<LabelSelectorOperator> label_operators_ = {
      LabelSelectorOperator::in, LabelSelectorOperator::not_in, LabelSelectorOperator::exists,
      LabelSelectorOperator::does_not_exist};
  const std::vector<Op> node_operators_ = {Op::in, Op::not_in, Op::exists, Op::does_not_exist,
                                           Op::gt, Op::lt};
  const Strings taint_keys_ = {"dedicated", "spot", "score"};
  const std::vector<OpenEnum<TaintEffect>> effects_ = {
      TaintEffect::no_schedule, TaintEffect::prefer_no_schedule, TaintEffect::no_execute,
      TaintEffect::unset, OpenEnum<TaintEffect>("NoRun")};
  const std::vector<OpenEnum<TolerationOperator>> toleration_operators_ = {
      TolerationOperator::unset, TolerationOperator::equal, TolerationOperator::lt,
      TolerationOperator::gt, OpenEnum<TolerationOperator>("Like")};
};

/// A cluster of 12 labels a node, as clouds label theirs.
inline std::vector<Node> cloud_nodes(std::size_t count) {
  constexpr std::array zones = {"eu-west-1a", "eu-west-1b", "eu-west-1c"};
  constexpr std::array types = {"m6i.2xlarge", "m6i.4xlarge", "r6i.4xlarge", "c6i.8xlarge",
                                "m7g.4xlarge"};
  constexpr std::array disks = {"ssd", "nvme", "hdd"};
  constexpr std::array pools = {"general", "payments", "legacy", "gpu"};
  const auto padded = [](std::size_t number, std::size_t digits) {
    const std::string text = std::to_string(number);
    return std::string(digits - text.size(), '0') + text;
  };
  std::vector<Node> nodes(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = "node-" + padded(i, 5);
    const std::string arch = i % 4 == 3 ? "arm64" : "amd64";
    nodes[i].metadata = {.name = name,
                         .labels = {{"kubernetes.io/hostname", name},
                                    {"kubernetes.io/os", "linux"},
                                    {"beta.kubernetes.io/os", "linux"},
                                    {"kubernetes.io/arch", arch},
                                    {"beta.kubernetes.io/arch", arch},
                                    {"topology.kubernetes.io/region", "eu-west-1"},
                                    {"topology.kubernetes.io/zone", zones[i % 3]},
                                    {"node.kubernetes.io/instance-type", types[i % 5]},
                                    {"disk", disks[i / 3 % 3]},
                                    {"node-pool", pools[i / 9 % 4]},
                                    {"team", "team-" + padded(i % 17, 2)},
                                    {"kernel", "6.1." + std::to_string(i % 40)}}};
    std::vector<Taint>& taints = nodes[i].spec.taints;
    if (i % 5 == 0) taints.push_back({"dedicated", "gpu", TaintEffect::no_schedule});
    if (i % 7 == 0) taints.push_back({"dedicated", "infra", TaintEffect::no_schedule});
    if (i % 11 == 0) taints.push_back({"spot", "true", TaintEffect::prefer_no_schedule});
    if (i % 13 == 0)
      taints.push_back({"node.kubernetes.io/memory-pressure", "", TaintEffect::no_schedule});
  }
  return nodes;
}

}  // namespace node_questions
