// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands behind CompiledPolicies: each policy with its selectors compiled.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/impl/selector_index.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/policy.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

struct CompiledUnit {
  std::string name{};
  std::size_t nodes = 0;   ///< which of the node selectors is its
  std::int64_t score = 0;  ///< of its nodes, before normalisation
  std::optional<std::int32_t> max_count{};
};

/// Whether the unit holds as many pods as it may.
[[nodiscard]] inline bool is_full(const CompiledUnit& unit, std::int64_t pods) noexcept {
  return unit.max_count && pods >= *unit.max_count;
}

/// The most that the pods of a unit may request of a resource, which is one of its policy's.
struct UnitLimit {
  std::size_t resource = 0;
  std::int64_t max = 0;
};

struct CompiledPolicy {
  std::string name{};
  std::string namespace_{};
  LabelMatcher pods{};
  Texts match_label_keys{};
  bool ignores_terminating_pods = false;
  bool prefers = false;  ///< whether its pods may run outside its units
  std::vector<CompiledUnit> units{};
  std::vector<std::size_t> best_first{};  ///< its units by score, of equals the first first

  std::vector<std::string> resources{};  ///< that its units limit, each once
  std::vector<UnitLimit> limits{};       ///< of all units, one unit after the other
  std::vector<std::size_t>
      limits_before{};  ///< those of the units before each; none without limits

  /// Calls `use` with the number of each limit of a unit.
  template <class Use>
  void for_each_limit(std::size_t unit, Use use) const {
    if (limits.empty()) return;
    const std::size_t end =
        unit + 1 < limits_before.size() ? limits_before[unit + 1] : limits.size();
    for (std::size_t limit = limits_before[unit]; limit < end; ++limit) use(limit);
  }
};

/// One of the policies as the index finds it.
struct PolicyNumber {
  std::size_t number = 0;
};

/// What came of compiling policies. Of use only where there are no errors.
struct Compilation {
  std::vector<CompiledPolicy> policies{};
  std::vector<LabelMatcher> node_selectors{};     ///< of all units, each once
  std::vector<std::vector<FieldError>> errors{};  ///< of each policy
};

Compilation compile_each(std::span<const ResourcePolicy> policies);

}  // namespace detail

struct CompiledPolicies::Impl {
  std::vector<detail::CompiledPolicy> policies{};  ///< in the order in which they were given
  std::vector<LabelMatcher> node_selectors{};
  schedpol::detail::SelectorIndex<detail::PolicyNumber> index{};

  /// Calls `use` with the number of each policy that selects the pod, in no order.
  template <class Use>
  void for_each_selecting(const Pod& pod, Use use) const {
    index.for_each_candidate(selectable(pod.metadata), [&](const detail::PolicyNumber& policy) {
      const detail::CompiledPolicy& asked = policies[policy.number];
      if (asked.namespace_ == namespace_of(pod.metadata) && asked.pods.matches(pod.metadata.labels))
        use(policy.number);
    });
  }

  static schedpol::detail::Selectable selectable(const ObjectMeta& pod) {
    return {.namespace_ = namespace_of(pod), .labels = &pod.labels};
  }
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
