// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/core/impl/path_builder.hpp>
#include <schedpol/core/impl/shared.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/impl/rules.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// The rules of one policy. What is wrong with them is added to `errors`.
inline std::vector<CompiledRule> compile_policy(const MetadataPolicy& policy,
                                                const schedpol::detail::PathBuilder& at,
                                                schedpol::detail::FieldErrors& errors) {
  using schedpol::detail::compile_for;
  using schedpol::detail::PathBuilder;
  std::vector<CompiledRule> rules;
  const PathBuilder spec = at.child("spec");
  const PathBuilder list = spec.child("rules");
  for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) {
    const auto& [predicate, action] = policy.spec.rules[i];
    const PathBuilder item = list.index(i);
    const PathBuilder place = item.child("policyPredicate");
    const auto matcher = [&](const std::optional<LabelSelector>& selector, std::string_view field,
                             SelectedValues values) {
      return compile_for(policy.metadata.name, selector.value_or(LabelSelector{}),
                         place.child(field), errors, values);
    };
    CompiledRule rule;
    rule.namespace_ = namespace_of(policy.metadata);
    rule.policy = policy.metadata.name;
    rule.index = i;
    rule.labels = matcher(predicate.label_selector, "labelSelector", SelectedValues::labels);
    rule.annotations =
        matcher(predicate.annotation_selector, "annotationSelector", SelectedValues::annotations);
    rule.action = action;
    rule.criteria.in_namespace(rule.namespace_)
        .selected(schedpol::detail::Clue::label, predicate.label_selector)
        .selected(schedpol::detail::Clue::annotation, predicate.annotation_selector);
    rules.push_back(std::move(rule));
  }
  return rules;
}

SCHEDPOL_INLINE Compilation compile_rules(std::span<const MetadataPolicy> policies) {
  Compilation compilation;
  std::vector<schedpol::detail::NamedObject> names(policies.size());
  const FieldPath root = {"policies"};
  const schedpol::detail::PathBuilder list = root;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const ObjectMeta& metadata = policies[i].metadata;
    names[i] = {metadata.name, namespace_of(metadata), i};
    schedpol::detail::FieldErrors errors;
    compilation.rules.push_back(compile_policy(policies[i], list.index(i), errors));
    for (FieldError& error : std::move(errors).take())
      compilation.problems.push_back({std::move(error), i});
  }
  schedpol::detail::sort_by_name(names);
  for (const schedpol::detail::NamedObject& name : schedpol::detail::namesakes(names)) {
    compilation.problems.push_back(
        {{ErrorType::duplicate, root, std::string(name.name), "two policies have this name"},
         std::nullopt});
  }
  return compilation;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> CompiledPolicies::with(
    std::span<const MetadataPolicy> policies) const {
  detail::Compilation compilation = detail::compile_rules(policies);
  if (!compilation.problems.empty()) {
    std::vector<FieldError> errors;
    for (detail::PolicyProblem& problem : compilation.problems)
      errors.push_back(std::move(problem.error));
    return errors;
  }
  Impl impl = impl_ ? *impl_ : Impl();
  for (std::size_t i = 0; i < policies.size(); ++i) {
    impl.remove(policies[i]);
    impl.add(policies[i], std::move(compilation.rules[i]));
  }
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE CompiledPolicies
CompiledPolicies::without(std::span<const MetadataPolicy> policies) const {
  if (!impl_) return {};
  Impl impl = *impl_;
  for (const MetadataPolicy& policy : policies) impl.remove(policy);
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const MetadataPolicy> policies) {
  return CompiledPolicies().with(policies);
}

SCHEDPOL_INLINE std::size_t CompiledPolicies::candidates(const ObjectMeta& metadata) const {
  return impl_ ? impl_->rules.candidates(Impl::selectable(metadata)) : 0;
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
