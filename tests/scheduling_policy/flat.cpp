// SPDX-License-Identifier: Apache-2.0
// One check of a pod, which asks for the last entry, against a policy with many entries in one
// list.
#include "../flat/flat.hpp"

#include <schedpol/schedpol.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace {

using schedpol::NodeSelectorOperator;
using schedpol::NodeSelectorRequirement;
using schedpol::Pod;
using schedpol::TaintEffect;
using schedpol::Texts;
using schedpol::TolerationOperator;
using schedpol::scheduling_policy::EffectivePolicy;
using schedpol::scheduling_policy::NodeAffinityRule;
using schedpol::scheduling_policy::PodAffinityRule;
using schedpol::scheduling_policy::RequirementPattern;
using schedpol::scheduling_policy::SchedulingPolicySpec;
using schedpol::scheduling_policy::TolerationPattern;

std::string numbered(std::uint64_t i) {
  const std::string digits = std::to_string(i);
  return "example.com/" + std::string(6 - digits.size(), '0') + digits + "-of-the-same-length";
}

/// Sixteen bytes whose hash is the same for every `i`.
std::string of_one_hash(std::uint64_t i) {
  std::uint64_t half = (16 ^ i) * 0x9E3779B97F4A7C15;
  half ^= half >> 32;
  std::string text(16, '\0');
  std::memcpy(text.data(), &i, 8);
  std::memcpy(text.data() + 8, &half, 8);
  return text;
}

struct Case {
  SchedulingPolicySpec spec;
  Pod pod;
};

RequirementPattern in(Texts keys, Texts values) {
  return {.keys = std::move(keys),
          .operators = {NodeSelectorOperator::in},
          .values = std::move(values)};
}

void require(Case& made, std::vector<RequirementPattern> patterns, std::string key,
             std::string value) {
  made.spec.allowed.affinities.list()
      .node_affinities.list()
      .required_during_scheduling_ignored_during_execution =
      NodeAffinityRule{{{.match_expressions = std::move(patterns)}}};
  made.pod.spec.affinity.emplace()
      .node_affinity.emplace()
      .required_during_scheduling_ignored_during_execution = {
      {{{.match_expressions = {NodeSelectorRequirement{
             std::move(key), NodeSelectorOperator::in, {std::move(value)}}}}}}};
}

Case make(const std::string& name, std::size_t entries) {
  Texts texts;
  for (std::size_t i = 0; i < entries; ++i)
    texts.push_back(name == "names of one hash" ? of_one_hash(i + 1) : numbered(i));
  const std::string last = texts[texts.size() - 1];
  Case made;
  made.spec.allowed.scheduler_names = {"default-scheduler"};
  auto& allowed = made.spec.allowed;
  auto& pod = made.pod.spec;
  if (name == "scheduler names" || name == "names of one hash") {
    allowed.scheduler_names = texts;
    pod.scheduler_name = last;
  } else if (name == "node selector keys") {
    for (const std::string& text : texts) allowed.node_selectors.list()[text] = {"value"};
    pod.node_selector = {{last, "value"}};
  } else if (name == "node selector values") {
    allowed.node_selectors = {{"key", texts}};
    pod.node_selector = {{"key", last}};
  } else if (name == "toleration patterns") {
    for (const std::string& text : texts)
      allowed.tolerations.list().push_back({.keys = {text},
                                            .operators = {TolerationOperator::equal},
                                            .values = {"value"},
                                            .effects = {TaintEffect::no_schedule}});
    pod.tolerations = {{last, TolerationOperator::equal, "value", TaintEffect::no_schedule, {}}};
  } else if (name == "toleration values") {
    allowed.tolerations = {TolerationPattern{.keys = {"key"},
                                             .operators = {TolerationOperator::equal},
                                             .values = texts,
                                             .effects = {TaintEffect::no_schedule}}};
    pod.tolerations = {{"key", TolerationOperator::equal, last, TaintEffect::no_schedule, {}}};
  } else if (name == "requirement patterns") {
    std::vector<RequirementPattern> patterns;
    for (const std::string& text : texts) patterns.push_back(in({text}, {"value"}));
    require(made, std::move(patterns), last, "value");
  } else if (name == "requirement values") {
    require(made, {in({"key"}, texts)}, "key", last);
  } else if (name == "topology keys") {
    allowed.affinities.list()
        .pod_affinities.list()
        .required_during_scheduling_ignored_during_execution = PodAffinityRule{texts};
    pod.affinity.emplace()
        .pod_affinity.emplace()
        .required_during_scheduling_ignored_during_execution.push_back({.topology_key = last});
  }
  return made;
}

}  // namespace

namespace schedpol::testing {

Flat flat_check(const std::string& name, std::size_t entries) {
  const Case made = make(name, entries);
  const EffectivePolicy effective(made.spec, {"policy"}, {});
  return [pod = made.pod, effective] { return scheduling_policy::check(pod, effective).empty(); };
}

}  // namespace schedpol::testing
