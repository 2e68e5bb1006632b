// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What tells two outcomes of one pod apart, field by field: of lists that are sets the items, of
/// maps the keys, of affinities the kinds.

#include <schedpol/core/admission.hpp>
#include <schedpol/core/affinity.hpp>
#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/core/workload.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class Differences {
 public:
  [[nodiscard]] static std::vector<Change> between(const Pod& from, const Pod& to) {
    Differences found(from.kind);
    if (from == to) return {};
    found.compare({"metadata", "labels"}, from.metadata.labels, to.metadata.labels);
    found.compare({"metadata", "annotations"}, from.metadata.annotations, to.metadata.annotations);
    const PodSpec& before = from.spec;
    const PodSpec& after = to.spec;
    found.compare({"spec", "schedulerName"}, before.scheduler_name, after.scheduler_name);
    found.compare({"spec", "nodeName"}, before.node_name, after.node_name);
    found.compare({"spec", "priorityClassName"}, before.priority_class_name,
                  after.priority_class_name);
    found.compare({"spec", "priority"}, before.priority, after.priority);
    found.compare({"spec", "preemptionPolicy"}, before.preemption_policy, after.preemption_policy);
    found.compare({"spec", "nodeSelector"}, before.node_selector, after.node_selector);
    found.compare({"spec", "tolerations"}, before.tolerations, after.tolerations);
    const Affinity none;
    const Affinity& has = before.affinity ? *before.affinity : none;
    const Affinity& gets = after.affinity ? *after.affinity : none;
    found.compare({"spec", "affinity", "nodeAffinity"}, has.node_affinity, gets.node_affinity);
    found.compare({"spec", "affinity", "podAffinity"}, has.pod_affinity, gets.pod_affinity);
    found.compare({"spec", "affinity", "podAntiAffinity"}, has.pod_anti_affinity,
                  gets.pod_anti_affinity);
    found.compare({"spec", "overhead"}, before.overhead, after.overhead);
    // What no text tells apart differs all the same.
    if (found.changes_.empty()) found.changes_.push_back({field_path(from.kind, {"spec"})});
    return std::move(found.changes_);
  }

 private:
  using Fields = std::initializer_list<std::string_view>;

  explicit Differences(PodKind kind) : kind_(kind) {}

  static std::optional<std::string> text(const std::string& value) {
    return value.empty() ? std::nullopt : std::optional(value);
  }
  static std::optional<std::string> text(const std::optional<std::int32_t>& value) {
    return value ? std::optional(std::to_string(*value)) : std::nullopt;
  }
  template <class Kind>
  static std::optional<std::string> text(const std::optional<Kind>& affinity) {
    return affinity ? std::optional(to_string(*affinity)) : std::nullopt;
  }
  static std::optional<std::string> text(const ResourceList& resources) {
    return text(schedpol::detail::to_text(resources));
  }

  template <class T>
  void compare(Fields fields, const T& from, const T& to) {
    if (from != to) changes_.push_back({field_path(kind_, fields), text(from), text(to)});
  }
  void compare(Fields fields, const Labels& from, const Labels& to) {
    if (from == to) return;
    const FieldPath at = field_path(kind_, fields);
    for (const auto& [key, value] : from) {
      const std::string* then = find_label(to, key);
      if (then == nullptr) {
        changes_.push_back({at.key(key), value, std::nullopt});
      } else if (*then != value) {
        changes_.push_back({at.key(key), value, *then});
      }
    }
    for (const auto& [key, value] : to)
      if (find_label(from, key) == nullptr) changes_.push_back({at.key(key), std::nullopt, value});
  }
  void compare(Fields fields, const std::vector<Toleration>& from,
               const std::vector<Toleration>& to) {
    if (from == to) return;
    const FieldPath at = field_path(kind_, fields);
    std::map<std::string, std::int64_t> more_before;
    for (const Toleration& toleration : from) ++more_before[to_string(toleration)];
    for (const Toleration& toleration : to) --more_before[to_string(toleration)];
    const std::size_t known = changes_.size();
    for (const auto& [toleration, more] : more_before) {
      if (more > 0) changes_.push_back({at, toleration, std::nullopt});
      if (more < 0) changes_.push_back({at, std::nullopt, toleration});
    }
    if (changes_.size() == known) changes_.push_back({at, in_order(from), in_order(to)});
  }
  static std::string in_order(const std::vector<Toleration>& tolerations) {
    std::string all;
    for (const Toleration& toleration : tolerations)
      all += (all.empty() ? "" : ", ") + to_string(toleration);
    return all;
  }

  PodKind kind_;
  std::vector<Change> changes_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
