// SPDX-License-Identifier: Apache-2.0
#pragma once

// Engines, and what they are asked.

#include <schedpol/core/limits.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/runtime_class/admit.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace engines {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Mode;
using engine::PolicyUse;
using engine::System;
using Code = ViolationCode;

inline Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  for (const FieldError& error : engine.errors()) MESSAGE(message(error));
  REQUIRE(engine);
  return *engine;
}

// One policy that gives pods `batch` as their scheduler and permits that alone, besides a
// toleration of `spot`.
inline Configuration batch_only(Mode mode = Mode::enforce) {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy, mode}};
  configuration.settings.policy_use = PolicyUse::every;
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "batch"},
       .spec = {.allowed = {.tolerations = {{.keys = {"spot"}, .operators = any, .effects = any}}},
                .defaults = {.scheduler_name = "batch"}}}};
  return configuration;
}

inline Pod pod_in(std::string_view namespace_, Labels labels = {}) {
  return {.metadata = {
              .name = "p", .namespace_ = std::string(namespace_), .labels = std::move(labels)}};
}

inline Decision created(const Engine& engine, const Pod& pod) {
  return engine.decide({.object = pod});
}

inline std::vector<Code> codes(const Decision& decision) {
  std::vector<Code> all;
  for (const auto& said : decision.steps) {
    for (const Violation& violation : said.violations) all.push_back(violation.code);
  }
  return all;
}

inline std::vector<std::string> tolerations(const Decision& decision) {
  std::vector<std::string> texts;
  for (const Toleration& toleration : decision.pod.spec.tolerations)
    texts.push_back(to_string(toleration));
  return texts;
}

}  // namespace engines
