// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether a fix can be found while somebody waits for it.

#include <schedpol/core/limits.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/scheduling_policy/impl/affinity_kinds.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <cstddef>
#include <string_view>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Counts the entries of a policy, as far as they are not too many.
class EntryCount {
 public:
  [[nodiscard]] bool are_few() const noexcept { return entries_ <= max_fixed_entries; }

  void add(std::size_t entries) noexcept { entries_ += entries; }
  void add(const PolicyRules& rules) {
    add(rules.scheduler_names.listed().size() + rules.priority_class_names.listed().size());
    for (const auto& [key, values] : rules.node_selectors.listed()) {
      if (!are_few()) return;
      add(1 + values.listed().size());
    }
    add_patterns(rules.tolerations.listed());
    for_each_kind([&](const auto& kind) {
      for (const std::string_view mode : {required_mode, preferred_mode})
        add(listed_in(rules, kind, mode));
    });
  }

 private:
  template <class Pattern>
  void add_patterns(const std::vector<Pattern>& patterns) {
    for (const Pattern& pattern : patterns) {
      if (!are_few()) return;
      add(1 + pattern.keys.listed().size() + pattern.values.listed().size());
    }
  }
  void add(const NodeAffinityRule& rule) {
    for (const TermPattern& term : rule.node_selector_terms) {
      add_patterns(term.match_expressions.listed());
      add_patterns(term.match_fields.listed());
      add(1);
      if (!are_few()) return;
    }
  }
  void add(const PodAffinityRule& rule) { add(rule.topology_keys.size()); }

  std::size_t entries_ = 0;
};

inline bool has_few_entries(const SchedulingPolicySpec& spec) {
  EntryCount count;
  count.add(spec.required);
  count.add(spec.allowed);
  if (spec.defaults.tolerations) count.add(spec.defaults.tolerations->size());
  return count.are_few();
}

inline bool has_few_parts(const PodSpec& spec) {
  std::size_t parts = spec.node_selector.size() + spec.tolerations.size();
  const NodeTerms node = terms_of(spec.affinity, &Affinity::node_affinity);
  const auto add = [&](const NodeSelectorTerm& term) {
    parts += 1 + term.match_expressions.size() + term.match_fields.size();
  };
  for (const NodeSelectorTerm& term : node.required) add(term);
  for (const PreferredSchedulingTerm& term : node.preferred) add(term.preference);
  for (const auto kind : {&Affinity::pod_affinity, &Affinity::pod_anti_affinity}) {
    const PodTerms terms = terms_of(spec.affinity, kind);
    parts += terms.required.size() + terms.preferred.size();
  }
  return parts <= max_fixed_parts;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
