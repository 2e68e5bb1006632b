// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/core/impl/overlaps.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/pod_scheduling_policy/analyze.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/impl/compiled_policy.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace schedpol::pod_scheduling_policy {

namespace detail {

class Analysis {
 public:
  explicit Analysis(std::span<const PodSchedulingPolicy> policies) {
    for (const PodSchedulingPolicy& policy : policies)
      if (validate(policy).empty()) policies_.push_back(&policy);
    std::sort(policies_.begin(), policies_.end(), [](const auto* a, const auto* b) {
      return schedpol::detail::is_before(name_of(*a), name_of(*b));
    });
  }

  std::vector<Finding> run() {
    for (const PodSchedulingPolicy* policy : policies_) look_at_selectors(*policy);
    for (const auto& [field, all] : writers()) look_at_writers(field, all);
    if (budget_.spent()) findings_.push_back({});
    return std::move(findings_);
  }

 private:
  using Selection = schedpol::detail::Selection;

  static bool is_of_cluster(const PodSchedulingPolicy& policy) noexcept {
    return policy.kind == PolicyKind::cluster_pod_scheduling_policy;
  }
  static std::string shown_name(const PodSchedulingPolicy& policy) {
    return is_of_cluster(policy) ? policy.metadata.name
                                 : schedpol::detail::qualified_name(policy.metadata);
  }

  void look_at_selectors(const PodSchedulingPolicy& policy) {
    Selection pods;
    Selection all;
    pods.labels(policy.spec.pod_selector);
    all.labels(policy.spec.pod_selector);
    if (is_of_cluster(policy)) {
      all.in_namespaces(policy.spec.namespace_selector);
    } else {
      all.in_namespace(policy.metadata.namespace_);
    }
    const auto find = [&](std::string_view field) {
      findings_.push_back({.code = FindingCode::selects_nothing,
                           .severity = Severity::warning,
                           .policies = {shown_name(policy)},
                           .field = FieldPath{field}});
    };
    const bool no_pods = pods.selects_nothing();
    const bool nothing = no_pods || all.selects_nothing();
    if (no_pods) find("podSelector");
    if (nothing && !no_pods) find("namespaceSelector");
    selects_.push_back(!nothing);
    selections_.push_back(std::move(all));
  }

  /// Those that write each field of a pod, told apart by what they write.
  using Writers = std::map<std::string_view, std::vector<std::size_t>>;

  [[nodiscard]] std::map<FieldPath, Writers> writers() const {
    std::map<FieldPath, Writers> all;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      if (!selects_[i]) continue;
      const PodSchedulingPolicySpec& spec = policies_[i]->spec;
      if (!spec.node_name.empty()) all[{"spec", "nodeName"}][spec.node_name].push_back(i);
      if (!spec.scheduler_name.empty())
        all[{"spec", "schedulerName"}][spec.scheduler_name].push_back(i);
      for (const auto& [key, value] : spec.node_selector)
        all[FieldPath{"spec", "nodeSelector"}.key(key)][value].push_back(i);
    }
    return all;
  }

  void look_at_writers(const FieldPath& field, const Writers& writers) {
    std::vector<schedpol::detail::Overlapping> all;
    std::vector<std::string_view> values;
    for (const auto& [value, numbers] : writers) {
      for (const std::size_t number : numbers)
        all.push_back({number, values.size(), &selections_[number]});
      values.push_back(value);
    }
    if (values.size() < 2) return;
    std::sort(all.begin(), all.end(),
              [](const auto& a, const auto& b) { return a.number < b.number; });
    for_each_overlap(
        std::move(all), budget_, [&](const auto& first, const auto& second, const Labels& labels) {
          schedpol::detail::Selected selected(labels);
          Finding finding{.code = FindingCode::writes_differ,
                          .severity = Severity::warning,
                          .policies = {shown_name(*policies_[first.number]),
                                       shown_name(*policies_[second.number])},
                          .field = field};
          finding.detail =
              std::string(values[first.group]) + ", " + std::string(values[second.group]);
          finding.witness.emplace().metadata = {.namespace_ = selected.namespace_.name,
                                                .labels = std::move(selected.labels)};
          finding.namespace_ = std::move(selected.namespace_);
          findings_.push_back(std::move(finding));
        });
  }

  std::vector<const PodSchedulingPolicy*> policies_;  ///< in the order in which they apply
  std::vector<Selection> selections_;
  std::vector<bool> selects_;
  schedpol::detail::PairBudget budget_;
  std::vector<Finding> findings_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const PodSchedulingPolicy> policies) {
  return detail::Analysis(policies).run();
}

}  // namespace schedpol::pod_scheduling_policy
