// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>
#include <schedpol/resource_policy/impl/policy_rules.hpp>

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

using NodeSelectors = schedpol::detail::NamedSlots<LabelMatcher>;

/// The matcher of a selector that was found good.
inline LabelMatcher make_matcher(const std::optional<LabelSelector>& selector) {
  return *schedpol::compile(selector.value_or(LabelSelector{}));
}

/// The most whole units, thousandths of cpu, that a quantity has room for.
inline std::int64_t rounded_down(std::string_view resource, const Quantity& quantity) {
  const std::int64_t up = resource == "cpu" ? quantity.milli_value() : quantity.value();
  return schedpol::detail::to_quantity(resource, up) > quantity ? up - 1 : up;
}

/// What is wrong with the policy, which stands at `place`, goes to `errors`; it is of no use then.
inline CompiledPolicy compile_one(const ResourcePolicy& policy,
                                  const schedpol::detail::PathBuilder& place,
                                  NodeSelectors& selectors, schedpol::detail::FieldErrors& errors) {
  const ResourcePolicySpec& from = policy.spec;
  schedpol::detail::FieldErrors found;
  validate_policy(found, place, policy);
  CompiledPolicy compiled;
  if (!found.empty()) {
    schedpol::detail::add_of_policy(errors, policy.metadata.name, std::move(found).take());
    return compiled;
  }
  compiled.name = policy.metadata.name;
  compiled.namespace_ = namespace_of(policy.metadata);
  compiled.pods = make_matcher(from.pod_selector);
  compiled.match_label_keys = from.match_label_keys;
  compiled.ignores_terminating_pods = from.match_policy.ignore_terminating_pod;
  compiled.prefers = from.strategy == Strategy::prefer;
  for (std::size_t i = 0; i < from.units.size(); ++i) {
    const Unit& unit = from.units[i];
    const std::size_t nodes =
        selectors.find_or_add(to_string(unit.node_selector.value_or(LabelSelector{})));
    selectors[nodes] = make_matcher(unit.node_selector);
    compiled.units.push_back(
        {unit.name, nodes, score_per_priority * unit.priority.value_or(0), unit.max_count});
    compiled.best_first.push_back(i);
    for (const auto& [name, quantity] : unit.max_resources)
      compiled.limits.push_back({i, name, rounded_down(name, quantity)});
  }
  const auto rank = [&](std::size_t unit) { return std::pair(-compiled.units[unit].score, unit); };
  std::sort(compiled.best_first.begin(), compiled.best_first.end(),
            [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return compiled;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const ResourcePolicy> policies) {
  CompiledPolicies::Impl impl;
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::PathBuilder root;
  const schedpol::detail::PathBuilder list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    impl.policies.push_back(
        detail::compile_one(policies[i], list.index(i), impl.node_selectors, errors));
    schedpol::detail::SelectionCriteria criteria;
    criteria.in_namespace(namespace_of(policies[i].metadata))
        .selected(schedpol::detail::IndexKeyKind::label, policies[i].spec.pod_selector);
    impl.index.add(Shared(i), criteria);
  }
  if (!errors.empty()) return std::move(errors).take();
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy
