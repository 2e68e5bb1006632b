// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/name_order.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/metadata_policy/compile.hpp>
#include <schedpol/metadata_policy/impl/rules.hpp>
#include <schedpol/metadata_policy/options.hpp>

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// Whether a pod's quality of service matters to a rule, or to the scheduler that it writes.
inline bool uses_qos(const MetadataPolicyRule& rule) {
  const auto& [reject, labels, annotations] = rule.policy_action;
  if (!reject && annotations.contains(scheduler_name_annotation)) return true;
  const std::optional<LabelSelector>& selector = rule.policy_predicate.annotation_selector;
  return selector &&
         (selector->match_labels.contains(qos_annotation) ||
          schedpol::detail::any_of(selector->match_expressions, [](const auto& expression) {
            return expression.key == qos_annotation;
          }));
}

/// Adds the rules of one policy, and what is wrong with them to `errors`.
inline void compile_policy(const MetadataPolicy& policy, const schedpol::detail::PathBuilder& at,
                           std::vector<CompiledRule>& rules,
                           schedpol::detail::FieldErrors& errors) {
  using schedpol::detail::compile_for;
  using schedpol::detail::PathBuilder;
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
    rule.uses_qos = detail::uses_qos(policy.spec.rules[i]);
    rule.criteria.in_namespace(rule.namespace_)
        .selected(schedpol::detail::IndexKeyKind::label, predicate.label_selector)
        .selected(schedpol::detail::IndexKeyKind::annotation, predicate.annotation_selector);
    rules.push_back(std::move(rule));
  }
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> CompiledPolicies::with(
    std::span<const MetadataPolicy> policies) const {
  schedpol::detail::FieldErrors errors;
  std::vector<detail::CompiledRule> rules;
  std::vector<schedpol::detail::NamedObject> names;
  const schedpol::detail::PathBuilder root;
  const schedpol::detail::PathBuilder list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    detail::compile_policy(policies[i], list.index(i), rules, errors);
    names.push_back({policies[i].metadata.name, namespace_of(policies[i].metadata), i});
  }
  schedpol::detail::sort_by_name(names);
  for (const auto& named : schedpol::detail::namesakes(names))
    errors.add(ErrorType::duplicate, list, named.name, "two policies have this name");
  if (!errors.empty()) return std::move(errors).take();
  Impl impl = impl_ ? *impl_ : Impl();
  for (const MetadataPolicy& policy : policies) impl.remove(policy);
  for (detail::CompiledRule& rule : rules) impl.add(std::move(rule));
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

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
