// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What stands behind CompiledPolicies: each policy with its selectors compiled.

#include <schedpol/base/impl/slots.hpp>
#include <schedpol/core/impl/selector_index.hpp>
#include <schedpol/resource_policy/compile.hpp>

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

/// The most that the pods of a unit may request of a resource.
struct UnitLimit {
  std::size_t unit = 0;
  std::string resource{};
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
  std::vector<UnitLimit> limits{};        ///< of all units, one unit after the other
};

}  // namespace detail

struct CompiledPolicies::Impl {
  std::vector<detail::CompiledPolicy> policies{};  ///< in the order in which they were given
  schedpol::detail::NamedSlots<LabelMatcher> node_selectors{};  ///< each once, by its text
  schedpol::detail::SelectorIndex<std::size_t> index{};         ///< of numbers of policies

  /// Calls `use` with the number of each policy that selects the pod, in no order.
  template <class Use>
  void for_each_selecting(const Pod& pod, Use use) const {
    index.for_each_candidate(selectable(pod.metadata), [&](std::size_t policy) {
      const detail::CompiledPolicy& compiled = policies[policy];
      if (compiled.namespace_ == namespace_of(pod.metadata) &&
          compiled.pods.matches(pod.metadata.labels))
        use(policy);
    });
  }

  static schedpol::detail::Selectable selectable(const ObjectMeta& pod) {
    return {.namespace_ = namespace_of(pod), .labels = &pod.labels};
  }
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
