// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What compiled policies are made of, and what kept policies from being compiled.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/policy.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::metadata_policy {

namespace detail {

/// A rule made for matching, told by its policy and its index in it.
struct CompiledRule {
  std::string namespace_;
  std::string policy;
  std::size_t index = 0;
  LabelMatcher labels;
  LabelMatcher annotations;
  PolicyAction action;

  [[nodiscard]] bool matches(const ObjectMeta& metadata) const noexcept {
    return labels.matches(metadata.labels) && annotations.matches(metadata.annotations);
  }
};

/// An error and the policy behind it, by its index; none where all of them together are.
struct PolicyProblem {
  FieldError error;
  std::optional<std::size_t> policy;
};

struct Compilation {
  std::vector<CompiledRule> rules;  ///< by namespace, policy name and index
  std::vector<PolicyProblem> problems;
};

/// Compiles what can be. The rules are to be used only where there are no problems.
[[nodiscard]] Compilation compile_rules(std::span<const MetadataPolicy> policies);

}  // namespace detail

struct CompiledPolicies::Impl {
  std::vector<detail::CompiledRule> rules;  ///< by namespace, policy name and index

  /// The rules of a namespace, in the order in which they apply. Logarithmic in the number of all.
  [[nodiscard]] std::span<const detail::CompiledRule> rules_of(
      std::string_view namespace_) const noexcept {
    const auto begin = std::partition_point(
        rules.begin(), rules.end(),
        [&](const detail::CompiledRule& rule) { return rule.namespace_ < namespace_; });
    const auto end = std::partition_point(
        begin, rules.end(),
        [&](const detail::CompiledRule& rule) { return rule.namespace_ == namespace_; });
    return {begin, end};
  }
};

}  // namespace schedpol::metadata_policy
