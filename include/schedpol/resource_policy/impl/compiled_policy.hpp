// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands behind CompiledPolicies: each policy with its selectors compiled.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/policy.hpp>
#include <schedpol/resource_policy/score.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace schedpol::resource_policy {

namespace detail {

struct CompiledUnit {
  LabelMatcher nodes{};
  std::int64_t score = 0;  ///< of its nodes, before normalisation
  std::optional<std::int32_t> max_count{};
};

struct CompiledPolicy {
  std::string name{};
  std::string namespace_{};
  LabelMatcher pods{};
  Texts match_label_keys{};
  bool ignores_terminating_pods = false;
  bool prefers = false;  ///< whether its pods may run outside its units
  std::vector<CompiledUnit> units{};

  /// Whether the pod is the policy's to place: of its namespace and selected.
  [[nodiscard]] bool selects(const Pod& pod) const noexcept {
    return pod.metadata.namespace_ == namespace_ && pods.matches(pod.metadata.labels);
  }
};

/// What came of compiling policies. Of use only where there are no errors.
struct Compilation {
  std::vector<CompiledPolicy> policies{};
  std::vector<std::vector<FieldError>> errors{};  ///< of each policy
};

Compilation compile_each(std::span<const ResourcePolicy> policies);

}  // namespace detail

struct CompiledPolicies::Impl {
  std::vector<detail::CompiledPolicy> policies{};  ///< in the order in which they were given
};

}  // namespace schedpol::resource_policy
