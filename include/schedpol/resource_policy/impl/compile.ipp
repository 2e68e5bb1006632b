// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>

#include <string_view>
#include <utility>

namespace schedpol::resource_policy {

namespace detail {

/// What is wrong with the policy, which stands at `place`, goes to `errors`.
inline CompiledPolicy compile_one(const ResourcePolicy& policy,
                                  const schedpol::detail::Place& place,
                                  schedpol::detail::FieldErrors& errors) {
  using schedpol::detail::Place;
  const ResourcePolicySpec& from = policy.spec;
  const Place spec = place.child("spec");
  const Place units = spec.child("units");
  const auto matcher = [&](const std::optional<LabelSelector>& selector, const Place& field) {
    return schedpol::detail::compile_for(policy.metadata.name, selector.value_or(LabelSelector{}),
                                         field, errors);
  };
  if (!from.strategy.known()) {
    errors.add(ErrorType::not_supported, spec.child("strategy"), from.strategy.text(),
               "supported are required and prefer (in " + in_backticks(policy.metadata.name) + ")");
  }
  CompiledPolicy compiled;
  compiled.name = policy.metadata.name;
  compiled.namespace_ = policy.metadata.namespace_;
  compiled.pods = matcher(from.pod_selector, spec.child("podSelector"));
  compiled.match_label_keys = from.match_label_keys;
  compiled.ignores_terminating_pods = from.match_policy.ignore_terminating_pod;
  compiled.prefers = from.strategy == Strategy::prefer;
  for (std::size_t i = 0; i < from.units.size(); ++i) {
    const Unit& unit = from.units[i];
    const Place item = units.index(i);
    compiled.units.push_back({matcher(unit.node_selector, item.child("nodeSelector")),
                              score_per_priority * unit.priority.value_or(0), unit.max_count});
  }
  return compiled;
}

SCHEDPOL_INLINE Compilation compile_each(std::span<const ResourcePolicy> policies) {
  Compilation compilation;
  const schedpol::detail::Place root;
  const schedpol::detail::Place list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    schedpol::detail::FieldErrors errors;
    compilation.policies.push_back(compile_one(policies[i], list.index(i), errors));
    compilation.errors.push_back(std::move(errors).take());
  }
  return compilation;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const ResourcePolicy> policies) {
  detail::Compilation compilation = detail::compile_each(policies);
  schedpol::detail::FieldErrors errors;
  for (auto& of_policy : compilation.errors) errors.append(std::move(of_policy));
  if (!errors.empty()) return std::move(errors).take();
  CompiledPolicies compiled;
  compiled.impl_ = Shared(CompiledPolicies::Impl{std::move(compilation.policies)});
  return compiled;
}

}  // namespace schedpol::resource_policy
