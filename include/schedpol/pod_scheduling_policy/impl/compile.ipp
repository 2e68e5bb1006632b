// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/pod_scheduling_policy/compile.hpp>
#include <schedpol/pod_scheduling_policy/impl/compiled_policy.hpp>
#include <schedpol/pod_scheduling_policy/impl/policy_rules.hpp>

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

namespace detail {

/// What is wrong with the policy, which stands at `place`, goes to `errors`; it is of no use then.
inline CompiledPolicy compile_one(const PodSchedulingPolicy& policy,
                                  const schedpol::detail::PathBuilder& place,
                                  schedpol::detail::FieldErrors& errors) {
  schedpol::detail::FieldErrors found;
  validate_policy(found, place, policy);
  CompiledPolicy made{.policy = policy};
  if (!found.empty()) {
    schedpol::detail::add_of_policy(errors, policy.metadata.name, std::move(found).take());
    return made;
  }
  made.pods = *schedpol::compile(policy.spec.pod_selector);
  made.namespaces = *schedpol::compile(policy.spec.namespace_selector);
  for (const NodeSelectorTerm& term : required_terms(policy.spec.affinity))
    made.required.push_back(schedpol::detail::to_policy_term(term));
  if (made.is_of_cluster()) made.of_cluster = criteria_of(policy.spec);
  return made;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> CompiledPolicies::with(
    std::span<const PodSchedulingPolicy> policies) const {
  using schedpol::detail::PathBuilder;
  schedpol::detail::FieldErrors errors;
  std::vector<detail::CompiledPolicy> all;
  std::vector<schedpol::detail::NamedObject> names;
  const PathBuilder root;
  const PathBuilder list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    all.push_back(detail::compile_one(policies[i], list.index(i), errors));
    names.push_back(detail::name_of(policies[i], i));
  }
  schedpol::detail::sort_by_name(names);
  for (const auto& named : schedpol::detail::namesakes(names))
    errors.add(ErrorType::duplicate, list, named.name, "two policies have this name");
  if (!errors.empty()) return std::move(errors).take();
  Impl impl = impl_ ? *impl_ : Impl();
  for (detail::CompiledPolicy& policy : all) {
    impl.remove(policy.policy);
    impl.add(std::move(policy));
  }
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE CompiledPolicies
CompiledPolicies::without(std::span<const PodSchedulingPolicy> policies) const {
  if (!impl_) return {};
  Impl impl = *impl_;
  for (const PodSchedulingPolicy& policy : policies) impl.remove(policy);
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const PodSchedulingPolicy> policies) {
  return CompiledPolicies().with(policies);
}

SCHEDPOL_INLINE std::vector<std::string> CompiledPolicies::asking_for_namespace(
    const Labels& labels) const {
  std::set<std::string> asking;
  if (!impl_) return {};
  impl_->policies.for_each([&](const detail::CompiledPolicy& compiled) {
    if (compiled.looks_at_namespaces() && compiled.pods.matches(labels))
      asking.insert(compiled.policy.metadata.name);
  });
  return {asking.begin(), asking.end()};
}

SCHEDPOL_INLINE std::size_t CompiledPolicies::candidates(const Labels& labels,
                                                         const Namespace& in) const {
  return impl_ ? impl_->policies.candidates(Impl::selectable(labels, in)) : 0;
}

SCHEDPOL_INLINE std::size_t CompiledPolicies::given_items(const Labels& labels,
                                                          const Namespace& in) const {
  return impl_ ? Impl::given_items(impl_->applying(labels, in)) : 0;
}

SCHEDPOL_INLINE std::vector<GivenCriteria> CompiledPolicies::criteria_of_cluster(
    const Labels& labels, const Namespace* in) const {
  std::vector<GivenCriteria> criteria;
  if (!impl_) return criteria;
  for (const detail::CompiledPolicy* policy :
       impl_->applying(labels, in == nullptr ? Namespace() : *in)) {
    if (policy->is_of_cluster() && (in != nullptr || !policy->looks_at_namespaces()))
      criteria.push_back({policy->policy.metadata.name, policy->of_cluster});
  }
  return criteria;
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy
