// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/did_you_mean.hpp>
#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/core/text.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/resource_policy/compile.hpp>
#include <schedpol/resource_policy/impl/compiled_policy.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace schedpol::resource_policy {

namespace detail {

/// The selectors of nodes, each once, however many units have it.
class NodeSelectors {
 public:
  std::size_t add(const LabelSelector& selector, LabelMatcher matcher) {
    const auto [at, is_new] = numbers_.try_emplace(to_string(selector), matchers_.size());
    if (is_new) matchers_.push_back(std::move(matcher));
    return at->second;
  }

  [[nodiscard]] std::vector<LabelMatcher> take() && { return std::move(matchers_); }

 private:
  std::map<std::string, std::size_t> numbers_;  ///< by the selector's text
  std::vector<LabelMatcher> matchers_;
};

/// What is wrong with the policy, which stands at `place`, goes to `errors`.
inline CompiledPolicy compile_one(const ResourcePolicy& policy,
                                  const schedpol::detail::Place& place, NodeSelectors& selectors,
                                  schedpol::detail::FieldErrors& errors) {
  using schedpol::detail::Place;
  const ResourcePolicySpec& from = policy.spec;
  const Place spec = place.child("spec");
  const Place units = spec.child("units");
  const auto matcher = [&](const LabelSelector& selector, const Place& field) {
    return schedpol::detail::compile_for(policy.metadata.name, selector, field, errors);
  };
  if (!from.strategy.known()) {
    errors.add(ErrorType::not_supported, spec.child("strategy"), from.strategy.text(),
               "supported are required and prefer" + schedpol::detail::did_you_mean(from.strategy) +
                   " (in " + in_backticks(policy.metadata.name) + ")");
  }
  CompiledPolicy compiled;
  compiled.name = policy.metadata.name;
  compiled.namespace_ = policy.metadata.namespace_;
  compiled.pods = matcher(from.pod_selector.value_or(LabelSelector{}), spec.child("podSelector"));
  compiled.match_label_keys = from.match_label_keys;
  compiled.ignores_terminating_pods = from.match_policy.ignore_terminating_pod;
  compiled.prefers = from.strategy == Strategy::prefer;
  for (std::size_t i = 0; i < from.units.size(); ++i) {
    const Unit& unit = from.units[i];
    const LabelSelector selector = unit.node_selector.value_or(LabelSelector{});
    const Place item = units.index(i);
    compiled.units.push_back(
        {unit.name, selectors.add(selector, matcher(selector, item.child("nodeSelector"))),
         score_per_priority * unit.priority.value_or(0), unit.max_count});
    compiled.best_first.push_back(i);
  }
  compiled.by_selector = compiled.best_first;
  std::sort(compiled.by_selector.begin(), compiled.by_selector.end(),
            [&](std::size_t a, std::size_t b) {
              return compiled.units[a].nodes < compiled.units[b].nodes;
            });
  std::stable_sort(compiled.best_first.begin(), compiled.best_first.end(),
                   [&](std::size_t a, std::size_t b) {
                     return compiled.units[a].score > compiled.units[b].score;
                   });
  return compiled;
}

SCHEDPOL_INLINE Compilation compile_each(std::span<const ResourcePolicy> policies) {
  Compilation compilation;
  NodeSelectors selectors;
  const schedpol::detail::Place root;
  const schedpol::detail::Place list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    schedpol::detail::FieldErrors errors;
    compilation.policies.push_back(compile_one(policies[i], list.index(i), selectors, errors));
    compilation.errors.push_back(std::move(errors).take());
  }
  compilation.node_selectors = std::move(selectors).take();
  return compilation;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const ResourcePolicy> policies) {
  detail::Compilation compilation = detail::compile_each(policies);
  schedpol::detail::FieldErrors errors;
  for (auto& of_policy : compilation.errors) errors.append(std::move(of_policy));
  if (!errors.empty()) return std::move(errors).take();
  CompiledPolicies::Impl impl;
  impl.policies = std::move(compilation.policies);
  impl.node_selectors = std::move(compilation.node_selectors);
  impl.index = detail::PolicyIndex(policies);
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE std::size_t CompiledPolicies::candidates(const ObjectMeta& pod) const {
  return impl_ ? impl_->index.candidates(pod) : 0;
}

}  // namespace schedpol::resource_policy
