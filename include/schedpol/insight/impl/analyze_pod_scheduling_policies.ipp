// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/analyze_pod_scheduling_policies.hpp>
#include <schedpol/insight/impl/overlaps.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/impl/compiled_policy.hpp>
#include <schedpol/pod_scheduling_policy/impl/node_request.hpp>
#include <schedpol/pod_scheduling_policy/validate.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

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
    look_at_requests();
    for (const auto& [field, all] : writers()) look_at_writers(field, all);
    look_at_contradictions();
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
          find_difference(
              first.number, second.number, labels, field,
              std::string(values[first.group]) + ", " + std::string(values[second.group]));
        });
  }

  /// Two policies that write a field of a pod that both select, which has these labels.
  void find_difference(std::size_t first, std::size_t second, const Labels& labels,
                       const FieldPath& field, std::string detail) {
    schedpol::detail::Selected selected(labels);
    Finding finding{.code = FindingCode::writes_differ,
                    .severity = Severity::warning,
                    .policies = {shown_name(*policies_[first]), shown_name(*policies_[second])},
                    .field = field};
    finding.detail = std::move(detail);
    finding.witness.emplace().metadata = {.namespace_ = selected.namespace_.name,
                                          .labels = std::move(selected.labels)};
    finding.namespace_ = {std::move(selected.namespace_)};
    findings_.push_back(std::move(finding));
  }

  /// What those that select pods ask of nodes, told apart by their texts.
  void look_at_requests() {
    std::map<std::string, std::size_t> numbers;
    for (std::size_t i = 0; i < policies_.size(); ++i) {
      const PodSchedulingPolicySpec& spec = policies_[i]->spec;
      if (spec.node_selector.empty() && required_terms(spec.affinity).empty()) continue;
      NodeRequest request(spec);
      if (request.is_unmet()) {
        findings_.push_back({.code = FindingCode::requirement_unmet,
                             .severity = Severity::warning,
                             .policies = {shown_name(*policies_[i])},
                             .field = {"affinity", "nodeAffinity", required_mode},
                             .detail = request.text()});
      } else if (selects_[i]) {
        const auto [number, added] = numbers.try_emplace(request.text(), requests_.size());
        if (added) requests_.push_back(std::move(request));
        requesting_.push_back({i, number->second, &selections_[i]});
      }
    }
  }

  /// A request, and one that comes before it.
  using Contradictions = std::map<std::pair<std::size_t, std::size_t>, FieldPath>;

  [[nodiscard]] Contradictions contradictions() {
    Contradictions all;
    const auto add = [&](std::size_t later, std::size_t earlier) {
      if (auto field = requests_[later].skipped_after(requests_[earlier]))
        all.emplace(std::pair(later, earlier), *std::move(field));
    };
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!requests_[i].has_terms()) continue;
      for (std::size_t j = 0; j < requests_.size(); ++j) {
        if (i == j || (j < i && requests_[j].has_terms())) continue;
        if (!budget_.spend(requests_[i].weight() + requests_[j].weight())) return all;
        add(i, j);
        add(j, i);
      }
    }
    return all;
  }

  void look_at_contradictions() {
    const Contradictions all = contradictions();
    std::set<std::size_t> contradicting;
    for (const auto& [requests, field] : all) {
      contradicting.insert(requests.first);
      contradicting.insert(requests.second);
    }
    std::erase_if(requesting_, [&](const auto& one) { return !contradicting.contains(one.group); });
    const auto witness = [&](const auto& first, const auto& second) -> std::optional<Labels> {
      if (!all.contains({second.group, first.group})) return std::nullopt;
      return labels_of(both(*first.selection, *second.selection));
    };
    const auto found = [&](const auto& first, const auto& second, const Labels& labels) {
      find_difference(first.number, second.number, labels, all.at({second.group, first.group}),
                      requests_[first.group].text() + ", " + requests_[second.group].text());
    };
    schedpol::detail::OverlapSearch(budget_, witness, found).run(std::move(requesting_));
  }

  std::vector<const PodSchedulingPolicy*> policies_;  ///< in the order in which they apply
  std::vector<Selection> selections_;
  std::vector<bool> selects_;
  std::vector<NodeRequest> requests_;
  std::vector<schedpol::detail::Overlapping> requesting_;  ///< the policies, grouped by request
  schedpol::detail::PairBudget budget_;
  std::vector<Finding> findings_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Finding> analyze(std::span<const PodSchedulingPolicy> policies) {
  return detail::Analysis(policies).run();
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
