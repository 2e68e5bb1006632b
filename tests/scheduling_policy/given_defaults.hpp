// SPDX-License-Identifier: Apache-2.0
#pragma once

// Policies that give defaults.

#include <schedpol/scheduling_policy/defaults.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/options.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace given_defaults {

using schedpol::testing::operator""_path;
using Changes = std::vector<Change>;
inline constexpr auto exists = TolerationOperator::exists;

inline EffectivePolicy merged(Defaults defaults, PolicySection required = {}) {
  const std::vector<SchedulingPolicy> policies = {
      {.metadata = {.name = "p"},
       .spec = {.required = std::move(required), .defaults = std::move(defaults)}}};
  return merge(policies);
}

struct Case {
  const char* name;
  Defaults defaults;
  PodSpec pod;
  PodSpec wanted;
  Changes changes;
};

inline void apply_each(const std::vector<Case>& cases, const Options& options = {}) {
  for (const auto& [name, defaults, pod, wanted, changes] : cases) {
    CAPTURE(name);
    const EffectivePolicy effective = merged(defaults);
    const Defaulted once = apply_defaults(Pod{.spec = pod}, effective, options);
    CHECK(once.pod == Pod{.spec = wanted});
    CHECK(once.changes == changes);
    const Defaulted twice = apply_defaults(once.pod, effective, options);
    CHECK(twice.pod == once.pod);
    CHECK(twice.changes == Changes{});
  }
}
inline PodAffinity topology(std::string key) {
  return {
      .required_during_scheduling_ignored_during_execution = {{.topology_key = std::move(key)}}};
}

}  // namespace given_defaults
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
