// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Running objects, and what is suggested for them.

#include <schedpol/insight/suggest.hpp>

#include "../support/print.hpp"

#include <string>
#include <utility>
#include <vector>

namespace suggestions {

using namespace schedpol;
using engine::Configuration;
using engine::RunningObject;
using engine::SuggestedEntry;
using engine::SuggestedSubject;
using engine::Suggestion;
using engine::SuggestOptions;
using scheduling_policy::MergeStrategy;
using scheduling_policy::SchedulingPolicy;
using Lines = std::vector<std::string>;

inline RunningObject object(std::string account, PodSpec spec = {}, std::string in = "shop") {
  Pod pod{.metadata = {.name = account, .namespace_ = in}, .spec = std::move(spec)};
  pod.spec.service_account_name = account;
  return {.request = {.object = pod}, .owner = {"Deployment", in, account}, .pods = 1};
}
inline PodSpec with_selector(std::string key, std::string value) {
  return {.node_selector = {{key, value}}};
}
inline PodSpec with_toleration(std::string key, TaintEffect effect = TaintEffect::no_schedule) {
  return {.tolerations = {{key, TolerationOperator::exists, "", effect, {}}}};
}

inline Suggestion suggested(const std::vector<RunningObject>& objects,
                            const SuggestOptions& options = {}, Configuration configuration = {}) {
  configuration.settings.options.governs = scheduling_policy::Components::all();
  const auto suggestion = suggest(configuration, objects, options);
  REQUIRE(suggestion);
  CHECK(suggestion->proof.needless_entries.empty());
  CHECK(suggestion->proof.needless_subjects.empty());
  return *suggestion;
}

}  // namespace suggestions
