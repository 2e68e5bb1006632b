// SPDX-License-Identifier: Apache-2.0
#pragma once

// The policies, nodes and pods that tests of ResourcePolicy speak of, and how they read what was
// decided.

#include <schedpol/base/field_error.hpp>
#include <schedpol/cluster/cluster.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/node.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/policy.hpp>

#include "../support/path.hpp"
#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {

using testing::operator""_path;

using Strings = std::vector<std::string>;
using Policies = std::vector<ResourcePolicy>;
using Op = LabelSelectorOperator;
using OpenStrategy = OpenEnum<Strategy>;

inline LabelSelector pair(std::string key, std::string value) {
  return {.match_labels = {{std::move(key), std::move(value)}}};
}

inline LabelSelector in_without_values(std::string key) {
  return {.match_expressions = {{.key = std::move(key), .operator_ = Op::in}}};
}

inline ResourcePolicy policy(std::string name, ResourcePolicySpec spec,
                             std::string namespace_ = "shop") {
  return {.metadata = {.name = std::move(name), .namespace_ = std::move(namespace_)},
          .spec = std::move(spec)};
}

inline Node node(std::string name, Labels labels) {
  return {.metadata = {.name = std::move(name), .labels = std::move(labels)}};
}

inline Pod pod(std::string name, Labels labels, std::string node = "") {
  return {.metadata = {.name = std::move(name), .namespace_ = "shop", .labels = std::move(labels)},
          .spec = {.node_name = std::move(node)}};
}

inline Pod in_namespace(std::string namespace_, Pod pod) {
  pod.metadata.namespace_ = std::move(namespace_);
  return pod;
}

inline ResourceList list(std::initializer_list<std::pair<const char*, const char*>> texts) {
  ResourceList list;
  for (const auto& [name, text] : texts) list[name] = Quantity::parse(text).value();
  return list;
}

/// A pod of one container that requests so much.
inline Pod requesting(ResourceList requests, Pod pod) {
  pod.spec.containers = {{.resources = {.requests = std::move(requests)}}};
  return pod;
}

inline Unit with_resources(Unit unit, ResourceList max_resources) {
  unit.max_resources = std::move(max_resources);
  return unit;
}

/// Per unit `[1800m cpu, 2 example.com/gpu]`
inline Strings said(const std::vector<ResourceList>& requested) {
  Strings lines;
  for (const ResourceList& list : requested) {
    std::string& line = lines.emplace_back();
    for (const auto& [name, quantity] : list)
      line += (line.empty() ? "" : ", ") + quantity.text() + " " + name;
  }
  return lines;
}

inline Cluster cluster_of(const Policies& policies, const std::vector<Node>& nodes,
                          const std::vector<Pod>& pods = {}) {
  const auto compiled = compile(policies);
  REQUIRE(static_cast<bool>(compiled));
  return Cluster(*compiled, nodes, pods);
}

/// Errors or warnings as `TYPE FIELD`, without the prefix that all types have.
inline Strings said(const std::vector<FieldError>& errors) {
  Strings lines;
  for (const FieldError& error : errors) {
    std::string_view type = to_string(error.type);
    type.remove_prefix(std::string_view("FieldValue").size());
    lines.push_back(std::string(type) + " " + to_string(error.field));
    CAPTURE(error);
    CHECK(!error.detail.empty());
  }
  return lines;
}

inline std::string said(Code code, Reason reason) {
  std::string text(to_string(code));
  if (reason != Reason::none) text.append(" ").append(to_string(reason));
  return text;
}

/// `Success web [1, 0]`
inline std::string said(const Prefilter& prefilter) {
  std::string line = said(prefilter.code(), prefilter.reason());
  if (!prefilter.policy().empty()) line.append(" ").append(prefilter.policy());
  if (prefilter.counts().empty()) return line;
  std::string counts;
  for (const std::int64_t count : prefilter.counts()) {
    counts += (counts.empty() ? "" : ", ") + std::to_string(count);
  }
  return line + " [" + counts + "]";
}

/// `Unschedulable UnitFull in 1`
inline std::string said(const Filter& filter) {
  const std::string line = said(filter.code, filter.reason);
  return filter.unit ? line + " in " + std::to_string(*filter.unit) : line;
}

inline std::string said(const std::optional<std::int32_t>& cost) {
  return cost ? std::to_string(*cost) : "none";
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
