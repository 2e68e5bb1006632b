// SPDX-License-Identifier: Apache-2.0
#pragma once

// The objects, rules and policies that tests of MetadataPolicy speak of.

#include <schedpol/base/field_error.hpp>
#include <schedpol/core/admission.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/metadata_policy/metadata_admission.hpp>
#include <schedpol/metadata_policy/policy.hpp>

#include <doctest/doctest.h>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/reasons.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

using testing::operator""_path;

using schedpol::testing::List;
using schedpol::testing::reasons;
using Policies = std::vector<MetadataPolicy>;
using RuleList = std::vector<MetadataPolicyRule>;
using Changes = std::vector<Change>;
using Names = std::vector<RuleName>;

inline constexpr auto none = std::nullopt;
inline constexpr auto in = LabelSelectorOperator::in;
inline constexpr auto not_in = LabelSelectorOperator::not_in;
inline constexpr auto exists = LabelSelectorOperator::exists;
inline constexpr auto does_not_exist = LabelSelectorOperator::does_not_exist;

inline const std::string qos(qos_annotation);
inline const std::string scheduler(scheduler_name_annotation);

inline LabelSelector equal(std::string key, std::string value) {
  return {.match_labels = {{std::move(key), std::move(value)}}};
}
inline LabelSelector where(std::string key, OpenEnum<LabelSelectorOperator> op, Texts values = {}) {
  return {.match_expressions = {{std::move(key), std::move(op), std::move(values)}}};
}

inline MetadataPolicy policy(std::string name, RuleList rules, std::string namespace_ = "team-a") {
  return {.metadata = {.name = std::move(name), .namespace_ = std::move(namespace_)},
          .spec = {.rules = std::move(rules)}};
}

inline MetadataPolicyRule sets_label(std::string key, std::string value,
                                     PolicyPredicate predicate = {}) {
  return {.policy_predicate = std::move(predicate),
          .policy_action = {.updated_labels = {{std::move(key), std::move(value)}}}};
}
inline MetadataPolicyRule sets_annotation(std::string key, std::string value,
                                          PolicyPredicate predicate = {}) {
  return {.policy_predicate = std::move(predicate),
          .policy_action = {.updated_annotations = {{std::move(key), std::move(value)}}}};
}
inline MetadataPolicyRule rejects(PolicyPredicate predicate = {}) {
  return {.policy_predicate = std::move(predicate), .policy_action = {.reject = true}};
}

inline ObjectMeta object(Labels labels = {}, Labels annotations = {}) {
  return {.name = "web",
          .namespace_ = "team-a",
          .labels = std::move(labels),
          .annotations = std::move(annotations)};
}

inline ResourceRequirements resources(const char* requests, const char* limits) {
  const auto both = [](const char* text) {
    ResourceList list;
    if (*text == '\0') return list;
    const auto quantity = Quantity::parse(text);
    REQUIRE(quantity);
    list["cpu"] = *quantity;
    list["memory"] = *quantity;
    return list;
  };
  return {.requests = both(requests), .limits = both(limits)};
}

/// A pod of one container that requests and is limited to so much cpu and memory.
inline Pod pod_with(const char* requests, const char* limits, Labels annotations = {}) {
  return {.metadata = object({}, std::move(annotations)),
          .spec = {.containers = {{.name = "main", .resources = resources(requests, limits)}}}};
}

/// Guaranteed pods go to one scheduler, BestEffort pods to another.
inline const Policies& by_qos() {
  static const Policies policies = {policy(
      "choose",
      {sets_annotation(scheduler, "gold", {.annotation_selector = equal(qos, "Guaranteed")}),
       sets_annotation(scheduler, "cheap", {.annotation_selector = equal(qos, "BestEffort")})})};
  return policies;
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
