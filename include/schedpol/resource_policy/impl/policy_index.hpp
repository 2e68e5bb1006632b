// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which policies may select a pod, found without a look at all of them: by the namespace, and by
/// one label that the pod has to have.

#include <schedpol/core/labels.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/resource_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::resource_policy::detail {

class PolicyIndex {
 public:
  PolicyIndex() = default;

  explicit PolicyIndex(std::span<const ResourcePolicy> policies) {
    for (const ResourcePolicy& policy : policies) {
      for (const auto& [key, value] : labels_of(policy))
        ++namespaces_[policy.metadata.namespace_].by_label[key][value].asking;
    }
    for (std::size_t i = 0; i < policies.size(); ++i) add(i, policies[i]);
  }

  /// Calls `use` with the number of each policy that may select a pod, in their order.
  template <class Use>
  void for_each_candidate(const ObjectMeta& pod, Use use) const {
    std::vector<std::size_t> candidates;
    for_each_list(pod, [&](const std::vector<std::size_t>& found_by) {
      candidates.insert(candidates.end(), found_by.begin(), found_by.end());
    });
    std::sort(candidates.begin(), candidates.end());
    for (const std::size_t policy : candidates) use(policy);
  }

  /// How many those are.
  [[nodiscard]] std::size_t candidates(const ObjectMeta& pod) const {
    std::size_t count = 0;
    for_each_list(pod, [&](const std::vector<std::size_t>& found_by) { count += found_by.size(); });
    return count;
  }

 private:
  /// Calls `use` with the policies that ask for no label, and with those at each label of the pod.
  template <class Use>
  void for_each_list(const ObjectMeta& pod, Use use) const {
    const auto found = namespaces_.find(pod.namespace_);
    if (found == namespaces_.end()) return;
    const Namespace& policies = found->second;
    use(policies.without_label);
    for (const auto& [key, value] : pod.labels) {
      const auto by_value = policies.by_label.find(key);
      if (by_value == policies.by_label.end()) continue;
      const auto with_value = by_value->second.find(value);
      if (with_value != by_value->second.end()) use(with_value->second.found_by);
    }
  }

  /// The policies that ask for a label, and those of them that are found by it.
  struct Label {
    std::size_t asking = 0;
    std::vector<std::size_t> found_by{};
  };

  struct Namespace {
    std::map<std::string, std::map<std::string, Label>> by_label{};
    std::vector<std::size_t> without_label{};
  };

  static const Labels& labels_of(const ResourcePolicy& policy) {
    static const Labels none;
    const auto& selector = policy.spec.pod_selector;
    return selector ? selector->match_labels : none;
  }

  /// By the label that the fewest policies of its namespace ask for.
  void add(std::size_t number, const ResourcePolicy& policy) {
    Namespace& of = namespaces_[policy.metadata.namespace_];
    Label* rarest = nullptr;
    for (const auto& [key, value] : labels_of(policy)) {
      Label& label = of.by_label[key][value];
      if (rarest == nullptr || label.asking < rarest->asking) rarest = &label;
    }
    (rarest == nullptr ? of.without_label : rarest->found_by).push_back(number);
  }

  std::map<std::string, Namespace> namespaces_;
};

}  // namespace schedpol::resource_policy::detail
