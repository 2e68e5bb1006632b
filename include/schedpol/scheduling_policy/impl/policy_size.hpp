// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The parts of a SchedulingPolicy that make up its size.

#include <schedpol/core/impl/spec_size.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

inline void add_parts(schedpol::detail::SpecSize& size, const TolerationPattern& pattern) {
  size.add_all(pattern.keys, pattern.operators, pattern.values, pattern.effects);
}
inline void add_parts(schedpol::detail::SpecSize& size, const RequirementPattern& pattern) {
  size.add_all(pattern.keys, pattern.operators, pattern.values);
}
inline void add_parts(schedpol::detail::SpecSize& size, const TermPattern& term) {
  size.add_all(term.match_expressions, term.match_fields);
}
inline void add_parts(schedpol::detail::SpecSize& size, const NodeAffinityRule& rule) {
  size.add(rule.node_selector_terms);
}
inline void add_parts(schedpol::detail::SpecSize& size, const PodAffinityRule& rule) {
  size.add(rule.topology_keys);
}
inline void add_parts(schedpol::detail::SpecSize& size, const AffinityRules& rules) {
  size.add_all(rules.node_affinities, rules.pod_affinities, rules.pod_anti_affinities);
}
inline void add_parts(schedpol::detail::SpecSize& size, const PolicyRules& rules) {
  size.add_all(rules.scheduler_names, rules.priority_class_names, rules.node_selectors,
               rules.tolerations, rules.affinities);
}
inline void add_parts(schedpol::detail::SpecSize& size, const DefaultToleration& given) {
  size.add_all(given.toleration, given.values);
}
inline void add_parts(schedpol::detail::SpecSize& size, const Defaults& defaults) {
  size.add_all(defaults.scheduler_name, defaults.priority_class_name, defaults.node_selector,
               defaults.tolerations, defaults.affinity);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
