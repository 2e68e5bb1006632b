// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/did_you_mean.hpp>
#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>

#include <set>

namespace SCHEDPOL_NAMESPACE::detail {

inline void validate_weight(FieldErrors& errors, const PathBuilder& item, std::int32_t weight) {
  if (is_valid_weight(weight)) return;
  errors.add(ErrorType::invalid, item.child("weight"), std::to_string(weight), "must be 1 to 100");
}

/// The keys of matchLabelKeys or mismatchLabelKeys.
inline void validate_label_keys(FieldErrors& errors, const PathBuilder& place, const Texts& keys,
                                const PodAffinityTerm& term) {
  if (keys.empty()) return;
  if (!term.label_selector) {
    errors.add(ErrorType::forbidden, place, "", "must not be set without a labelSelector");
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    errors.add_all(place.index(i), keys[i], label_key_problems(keys[i]));
}

/// Keys of matchLabelKeys that the author's own selector is about.
inline void validate_selected_keys(FieldErrors& errors, const PathBuilder& place,
                                   const PodAffinityTerm& term) {
  if (!term.label_selector) return;
  std::map<std::string_view, std::size_t> indices;
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i)
    indices[term.match_label_keys[i]] = i;
  std::set<std::string_view> selected;
  for (const auto& [key, value] : term.label_selector->match_labels) selected.insert(key);
  for (const LabelSelectorRequirement& expression : term.label_selector->match_expressions) {
    const bool is_first = selected.insert(expression.key).second;
    const auto found = indices.find(expression.key);
    if (is_first || found == indices.end()) continue;
    errors.add(ErrorType::invalid, place.index(found->second), expression.key,
               "must not be in the labelSelector too");
  }
}

inline void validate_pod_term(FieldErrors& errors, const PathBuilder& place,
                              const PodAffinityTerm& term) {
  if (term.label_selector)
    validate_selector(errors, place.child("labelSelector"), *term.label_selector);
  if (term.namespace_selector)
    validate_selector(errors, place.child("namespaceSelector"), *term.namespace_selector);
  for (const std::string& name : term.namespaces)
    errors.add_all(place.child("namespace"), name, dns_label_problems(name));
  const PathBuilder match = place.child("matchLabelKeys");
  validate_label_keys(errors, match, term.match_label_keys, term);
  validate_label_keys(errors, place.child("mismatchLabelKeys"), term.mismatch_label_keys, term);
  validate_selected_keys(errors, place, term);
  const std::set<std::string_view> mismatch(term.mismatch_label_keys.begin(),
                                            term.mismatch_label_keys.end());
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i) {
    if (!mismatch.contains(term.match_label_keys[i])) continue;
    errors.add(ErrorType::invalid, match.index(i), term.match_label_keys[i],
               "must not be in mismatchLabelKeys too");
  }
  const PathBuilder topology = place.child("topologyKey");
  if (term.topology_key.empty()) errors.add(ErrorType::required, topology, "", "must not be empty");
  errors.add_all(topology, term.topology_key, label_key_problems(term.topology_key));
}

inline void validate_pod_affinity(FieldErrors& errors, const PathBuilder& place,
                                  const std::optional<PodAffinity>& affinity) {
  if (!affinity) return;
  const PathBuilder required = place.child(required_mode);
  const auto& terms = affinity->required_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < terms.size(); ++i)
    validate_pod_term(errors, required.index(i), terms[i]);
  const PathBuilder preferred = place.child(preferred_mode);
  const auto& weighted = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    const PathBuilder item = preferred.index(i);
    validate_weight(errors, item, weighted[i].weight);
    validate_pod_term(errors, item.child("podAffinityTerm"), weighted[i].pod_affinity_term);
  }
}

inline void validate_node_affinity(FieldErrors& errors, const PathBuilder& place,
                                   const std::optional<NodeAffinity>& affinity) {
  if (!affinity) return;
  if (const auto& selector = affinity->required_during_scheduling_ignored_during_execution) {
    const PathBuilder required = place.child(required_mode);
    const PathBuilder terms = required.child("nodeSelectorTerms");
    if (selector->node_selector_terms.empty())
      errors.add(ErrorType::required, terms, "", "must have at least one term");
    for (std::size_t i = 0; i < selector->node_selector_terms.size(); ++i)
      validate_term(errors, terms.index(i), selector->node_selector_terms[i]);
  }
  const PathBuilder preferred = place.child(preferred_mode);
  const auto& weighted = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    const PathBuilder item = preferred.index(i);
    validate_weight(errors, item, weighted[i].weight);
    validate_term(errors, item.child("preference"), weighted[i].preference, Values::free);
  }
}

SCHEDPOL_INLINE void validate_metadata(FieldErrors& errors, const PathBuilder& place,
                                       const ObjectMeta& metadata) {
  const PathBuilder name = place.child("name");
  if (metadata.name.empty()) errors.add(ErrorType::required, name, "", "an object has a name");
  if (!metadata.name.empty())
    errors.add_all(name, metadata.name, subdomain_problems(metadata.name));
  validate_length(errors, place.child("namespace"), metadata.namespace_, max_label_name_bytes);
}

SCHEDPOL_INLINE void validate_cluster_metadata(FieldErrors& errors, const PathBuilder& place,
                                               std::string_view kind, const ObjectMeta& metadata) {
  validate_metadata(errors, place, metadata);
  if (metadata.namespace_.empty()) return;
  errors.add(ErrorType::forbidden, place.child("namespace"), metadata.namespace_,
             "a " + std::string(kind) + " is cluster-scoped");
}

SCHEDPOL_INLINE void validate_length(FieldErrors& errors, const PathBuilder& place,
                                     std::string_view text, std::size_t most) {
  if (text.size() <= most) return;
  errors.add(ErrorType::too_long, place, text,
             "must be no more than " + std::to_string(most) + " bytes");
}

SCHEDPOL_INLINE void validate_name(FieldErrors& errors, const PathBuilder& place,
                                   std::string_view name) {
  if (name.size() > max_subdomain_bytes)
    return validate_length(errors, place, name, max_subdomain_bytes);
  if (!name.empty()) errors.add_all(place, name, subdomain_problems(name));
}

SCHEDPOL_INLINE void validate_toleration(FieldErrors& errors, const PathBuilder& place,
                                         const Toleration& toleration) {
  const PathBuilder operator_ = place.child("operator");
  const PathBuilder effect = place.child("effect");
  if (!toleration.key.empty())
    errors.add_all(place.child("key"), toleration.key, label_key_problems(toleration.key));
  if (toleration.key.empty() && toleration.operator_ != TolerationOperator::exists) {
    errors.add(ErrorType::invalid, operator_, toleration.operator_.text(),
               "must be Exists when the key is empty");
  }
  if (toleration.toleration_seconds && toleration.effect != TaintEffect::no_execute) {
    errors.add(ErrorType::invalid, effect, toleration.effect.text(),
               "must be NoExecute when there are tolerationSeconds");
  }
  switch (toleration.operator_.word()) {
    case TolerationOperator::unset:
    case TolerationOperator::equal:
      if (auto problems = label_value_problems(toleration.value); !problems.empty()) {
        errors.add(ErrorType::invalid, operator_, toleration.value,
                   "the value " + problems.front());
      }
      break;
    case TolerationOperator::exists:
      if (toleration.value.empty()) break;
      errors.add(ErrorType::invalid, operator_, toleration.value,
                 "the value must be empty with Exists");
      break;
    case TolerationOperator::lt:
    case TolerationOperator::gt:
    case TolerationOperator::unknown:
      errors.add(ErrorType::not_supported, operator_, toleration.operator_.text(),
                 "supported are Equal and Exists" + did_you_mean(toleration.operator_));
      break;
  }
  if (!toleration.effect.known()) {
    errors.add(ErrorType::not_supported, effect, toleration.effect.text(),
               "supported are NoSchedule, PreferNoSchedule and NoExecute" +
                   did_you_mean(toleration.effect));
  }
}

SCHEDPOL_INLINE void validate_tolerations(FieldErrors& errors, const PathBuilder& place,
                                          std::span<const Toleration> tolerations) {
  for (std::size_t i = 0; i < tolerations.size(); ++i)
    validate_toleration(errors, place.index(i), tolerations[i]);
}

SCHEDPOL_INLINE void validate_affinity(FieldErrors& errors, const PathBuilder& place,
                                       const Affinity& affinity) {
  validate_node_affinity(errors, place.child("nodeAffinity"), affinity.node_affinity);
  validate_pod_affinity(errors, place.child("podAffinity"), affinity.pod_affinity);
  validate_pod_affinity(errors, place.child("podAntiAffinity"), affinity.pod_anti_affinity);
}

SCHEDPOL_INLINE void add_of_policy(FieldErrors& errors, std::string_view policy,
                                   std::vector<FieldError> found) {
  for (FieldError& error : found) {
    error.detail += " (in " + in_backticks(policy) + ")";
    errors.add(std::move(error));
  }
}

SCHEDPOL_INLINE LabelMatcher compile_for(std::string_view policy,
                                         const std::optional<LabelSelector>& selector,
                                         const PathBuilder& place, FieldErrors& errors,
                                         SelectedValues selected) {
  auto matcher = compile(selector, place.path(), selected);
  if (matcher) return *std::move(matcher);
  add_of_policy(errors, policy, matcher.errors());
  return {};
}

}  // namespace SCHEDPOL_NAMESPACE::detail
