// SPDX-License-Identifier: Apache-2.0
#pragma once

// The classes that tests of RuntimeClass speak of, and how they read what was decided.

#include <schedpol/base/field_error.hpp>
#include <schedpol/core/admission.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/runtime_class/policy.hpp>

#include <doctest/doctest.h>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/reasons.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::runtime_class {

using testing::operator""_path;

using schedpol::testing::List;
using schedpol::testing::reasons;
using Classes = std::vector<RuntimeClass>;
using Changes = std::vector<Change>;
using Violations = std::vector<Violation>;

inline constexpr auto exists = TolerationOperator::exists;
inline constexpr auto equal = TolerationOperator::equal;
inline constexpr auto no_schedule = TaintEffect::no_schedule;
inline constexpr auto no_execute = TaintEffect::no_execute;
inline constexpr auto none = std::nullopt;

inline Quantity quantity(const char* text) {
  const auto parsed = Quantity::parse(text);
  REQUIRE(parsed);
  return *parsed;
}

inline ResourceList resources(const char* cpu, const char* memory) {
  return {{"cpu", quantity(cpu)}, {"memory", quantity(memory)}};
}

inline RuntimeClass kata() {
  return {.metadata = {.name = "kata"},
          .handler = "kata-qemu",
          .overhead = Overhead{.pod_fixed = resources("250m", "120Mi")},
          .scheduling = Scheduling{
              .node_selector = {{"kubernetes.io/os", "linux"}, {"runtime", "kata"}},
              .tolerations = {{.key = "sandbox", .operator_ = exists, .effect = no_schedule}},
          }};
}

/// A class without overhead.
inline RuntimeClass gvisor() {
  return {.metadata = {.name = "gvisor"},
          .handler = "runsc",
          .scheduling = Scheduling{.node_selector = {{"runtime", "gvisor"}}}};
}

/// A class that says nothing but its handler.
inline RuntimeClass plain() {
  return {.metadata = {.name = "plain"}, .handler = "runc"};
}

inline const Classes& classes() {
  static const Classes all = {kata(), gvisor(), plain()};
  return all;
}

inline Pod pod_of(PodSpec spec) {
  return {.metadata = {.name = "web", .namespace_ = "team-a"}, .spec = std::move(spec)};
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class
