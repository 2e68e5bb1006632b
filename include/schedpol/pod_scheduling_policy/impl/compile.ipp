// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/impl/compiled_policy.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace schedpol::pod_scheduling_policy {

namespace detail {

/// Its namespace tells two policies apart only where it has one.
inline schedpol::detail::Named name_of(const PodSchedulingPolicy& policy, std::size_t index) {
  if (policy.kind == PolicyKind::cluster_pod_scheduling_policy)
    return {policy.metadata.name, false, {}, index};
  return {policy.metadata.name, true, policy.metadata.namespace_, index};
}

SCHEDPOL_INLINE Compilation compile_each(std::span<const PodSchedulingPolicy> policies) {
  using schedpol::detail::Place;
  Compilation compilation;
  std::vector<CompiledPolicy> compiled;
  std::vector<schedpol::detail::Named> names;
  const Place root;
  const Place list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const PodSchedulingPolicy& policy = policies[i];
    const std::string& name = policy.metadata.name;
    const Place item = list.index(i);
    const Place spec = item.child("spec");
    schedpol::detail::FieldErrors errors;
    CompiledPolicy& made = compiled.emplace_back();
    made.policy = policy;
    made.pods = schedpol::detail::compile_for(name, policy.spec.pod_selector,
                                              spec.child("podSelector"), errors);
    made.namespaces = schedpol::detail::compile_for(name, policy.spec.namespace_selector,
                                                    spec.child("namespaceSelector"), errors);
    compilation.errors.push_back(std::move(errors).take());
    names.push_back(name_of(policy, i));
  }
  schedpol::detail::sort_by_name(names);
  for (const auto& named : schedpol::detail::namesakes(names)) {
    compilation.namesakes.push_back({ErrorType::duplicate,
                                     {"policies"},
                                     std::string(named.name),
                                     "two policies have this name"});
  }
  for (const auto& named : names) compilation.policies.push_back(std::move(compiled[named.index]));
  return compilation;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const PodSchedulingPolicy> policies) {
  detail::Compilation compilation = detail::compile_each(policies);
  schedpol::detail::FieldErrors errors;
  for (auto& of_policy : compilation.errors) errors.append(std::move(of_policy));
  errors.append(std::move(compilation.namesakes));
  if (!errors.empty()) return std::move(errors).take();
  CompiledPolicies compiled;
  compiled.impl_ = Shared(CompiledPolicies::Impl{std::move(compilation.policies)});
  return compiled;
}

SCHEDPOL_INLINE bool CompiledPolicies::needs_namespace(const Labels& labels) const noexcept {
  if (!impl_) return true;
  return std::any_of(impl_->policies.begin(), impl_->policies.end(), [&](const auto& compiled) {
    return compiled.looks_at_namespaces() && compiled.pods.matches(labels);
  });
}

}  // namespace schedpol::pod_scheduling_policy
