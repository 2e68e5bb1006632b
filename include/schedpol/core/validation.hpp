// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the API server finds wrong with labels, tolerations and affinities, with its field paths
/// and error types. Matching does not depend on it: what is malformed matches nothing. Sources:
/// Kubernetes, `pkg/apis/core/validation`, and apimachinery, `apis/meta/v1/validation`.

#include <schedpol/core/affinity.hpp>
#include <schedpol/core/field_error.hpp>
#include <schedpol/core/label_selector.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/node_selector.hpp>
#include <schedpol/core/syntax.hpp>
#include <schedpol/core/toleration.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol {

namespace detail {

/// Collects errors; paths are built from the one handed in.
class FieldErrors {
 public:
  void add(ErrorType type, std::string field, std::string_view value, std::string detail) {
    errors_.push_back({type, std::move(field), std::string(value), std::move(detail)});
  }
  void add_all(const std::string& field, std::string_view value,
               std::vector<std::string> problems) {
    for (std::string& problem : problems) add(ErrorType::invalid, field, value, std::move(problem));
  }
  /// The errors of something that could not be built.
  template <class T>
  void add_compiled(const Result<T>& result) {
    errors_.insert(errors_.end(), result.errors().begin(), result.errors().end());
  }
  [[nodiscard]] std::vector<FieldError> take() && { return std::move(errors_); }

 private:
  std::vector<FieldError> errors_;
};

inline std::string at_index(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

inline void validate_labels(FieldErrors& errors, const std::string& field, const Labels& labels) {
  for (const auto& [key, value] : labels) {
    errors.add_all(field, key, label_key_problems(key));
    errors.add_all(field, value, label_value_problems(value));
  }
}

/// The values of expressions are not looked at; they are when the selector is compiled.
inline void validate_selector(FieldErrors& errors, const std::string& field,
                              const std::optional<LabelSelector>& selector) {
  if (!selector) return;
  validate_labels(errors, field + ".matchLabels", selector->match_labels);
  for (std::size_t i = 0; i < selector->match_expressions.size(); ++i) {
    const LabelSelectorRequirement& requirement = selector->match_expressions[i];
    const std::string path = at_index(field + ".matchExpressions", i);
    switch (requirement.operator_.word()) {
      case LabelSelectorOperator::in:
      case LabelSelectorOperator::not_in:
        if (requirement.values.empty()) {
          errors.add(ErrorType::required, path + ".values", "",
                     "In and NotIn need at least one value");
        }
        break;
      case LabelSelectorOperator::exists:
      case LabelSelectorOperator::does_not_exist:
        if (!requirement.values.empty()) {
          errors.add(ErrorType::forbidden, path + ".values", "",
                     "Exists and DoesNotExist take no values");
        }
        break;
      case LabelSelectorOperator::unset:
      case LabelSelectorOperator::unknown:
        errors.add(ErrorType::invalid, path + ".operator", requirement.operator_.text(),
                   "must be In, NotIn, Exists or DoesNotExist");
        break;
    }
    errors.add_all(path + ".key", requirement.key, label_key_problems(requirement.key));
  }
}

inline void validate_expression(FieldErrors& errors, const std::string& path,
                                const NodeSelectorRequirement& requirement) {
  const std::string values = path + ".values";
  switch (requirement.operator_.word()) {
    case NodeSelectorOperator::in:
    case NodeSelectorOperator::not_in:
      if (requirement.values.empty()) {
        errors.add(ErrorType::required, values, "", "In and NotIn need at least one value");
      }
      break;
    case NodeSelectorOperator::exists:
    case NodeSelectorOperator::does_not_exist:
      if (!requirement.values.empty()) {
        errors.add(ErrorType::forbidden, values, "", "Exists and DoesNotExist take no values");
      }
      break;
    case NodeSelectorOperator::gt:
    case NodeSelectorOperator::lt:
      if (requirement.values.size() != 1) {
        errors.add(ErrorType::required, values, "", "Gt and Lt need one value");
      }
      break;
    case NodeSelectorOperator::unset:
    case NodeSelectorOperator::unknown:
      errors.add(ErrorType::invalid, path + ".operator", requirement.operator_.text(),
                 "must be In, NotIn, Exists, DoesNotExist, Gt or Lt");
      break;
  }
  errors.add_all(path + ".key", requirement.key, label_key_problems(requirement.key));
}

inline void validate_field_expression(FieldErrors& errors, const std::string& path,
                                      const NodeSelectorRequirement& requirement) {
  const bool known_operator = requirement.operator_ == NodeSelectorOperator::in ||
                              requirement.operator_ == NodeSelectorOperator::not_in;
  if (!known_operator) {
    errors.add(ErrorType::invalid, path + ".operator", requirement.operator_.text(),
               "must be In or NotIn");
  } else if (requirement.values.size() != 1) {
    errors.add(ErrorType::required, path + ".values", "", "In and NotIn need one value");
  }
  if (requirement.key != "metadata.name") {
    errors.add(ErrorType::invalid, path + ".key", requirement.key, "must be metadata.name");
    return;
  }
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    errors.add_all(at_index(path + ".values", i), requirement.values[i],
                   subdomain_problems(requirement.values[i]));
  }
}

inline void validate_term(FieldErrors& errors, const std::string& path,
                          const NodeSelectorTerm& term) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    validate_expression(errors, at_index(path + ".matchExpressions", i), term.match_expressions[i]);
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    validate_field_expression(errors, at_index(path + ".matchFields", i), term.match_fields[i]);
  }
}

inline void validate_weight(FieldErrors& errors, const std::string& path, std::int32_t weight) {
  if (weight >= 1 && weight <= 100) return;
  errors.add(ErrorType::invalid, path + ".weight", std::to_string(weight), "must be 1 to 100");
}

inline void validate_pod_term(FieldErrors& errors, const std::string& path,
                              const PodAffinityTerm& term) {
  validate_selector(errors, path + ".labelSelector", term.label_selector);
  validate_selector(errors, path + ".namespaceSelector", term.namespace_selector);
  for (const std::string& name : term.namespaces) {
    errors.add_all(path + ".namespace", name, dns_label_problems(name));
  }
  const auto validate_keys = [&](const std::string& field, const std::vector<std::string>& keys) {
    if (!keys.empty() && !term.label_selector) {
      errors.add(ErrorType::forbidden, field, "", "must not be set without a labelSelector");
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      errors.add_all(at_index(field, i), keys[i], label_key_problems(keys[i]));
    }
  };
  validate_keys(path + ".matchLabelKeys", term.match_label_keys);
  validate_keys(path + ".mismatchLabelKeys", term.mismatch_label_keys);
  const std::set<std::string_view> mismatch(term.mismatch_label_keys.begin(),
                                            term.mismatch_label_keys.end());
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i) {
    if (!mismatch.contains(term.match_label_keys[i])) continue;
    errors.add(ErrorType::invalid, at_index(path + ".matchLabelKeys", i), term.match_label_keys[i],
               "must not be in mismatchLabelKeys too");
  }
  if (term.topology_key.empty()) {
    errors.add(ErrorType::required, path + ".topologyKey", "", "must not be empty");
  }
  errors.add_all(path + ".topologyKey", term.topology_key, label_key_problems(term.topology_key));
}

inline void validate_pod_affinity(FieldErrors& errors, const std::string& path,
                                  const std::optional<PodAffinity>& affinity) {
  if (!affinity) return;
  const auto& required = affinity->required_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < required.size(); ++i) {
    validate_pod_term(errors, at_index(path + ".requiredDuringSchedulingIgnoredDuringExecution", i),
                      required[i]);
  }
  const auto& preferred = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const std::string item = at_index(path + ".preferredDuringSchedulingIgnoredDuringExecution", i);
    validate_weight(errors, item, preferred[i].weight);
    validate_pod_term(errors, item + ".podAffinityTerm", preferred[i].pod_affinity_term);
  }
}

inline void validate_node_affinity(FieldErrors& errors, const std::string& path,
                                   const std::optional<NodeAffinity>& affinity) {
  if (!affinity) return;
  if (const auto& required = affinity->required_during_scheduling_ignored_during_execution) {
    const std::string terms =
        path + ".requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    if (required->node_selector_terms.empty()) {
      errors.add(ErrorType::required, terms, "", "must have at least one term");
    }
    for (std::size_t i = 0; i < required->node_selector_terms.size(); ++i) {
      validate_term(errors, at_index(terms, i), required->node_selector_terms[i]);
    }
  }
  const auto& preferred = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const std::string item = at_index(path + ".preferredDuringSchedulingIgnoredDuringExecution", i);
    validate_weight(errors, item, preferred[i].weight);
    validate_term(errors, item + ".preference", preferred[i].preference);
  }
}

inline void validate_toleration(FieldErrors& errors, const std::string& path,
                                const Toleration& toleration) {
  if (!toleration.key.empty())
    errors.add_all(path + ".key", toleration.key, label_key_problems(toleration.key));
  if (toleration.key.empty() && toleration.operator_ != TolerationOperator::exists) {
    errors.add(ErrorType::invalid, path + ".operator", toleration.operator_.text(),
               "must be Exists when the key is empty");
  }
  if (toleration.toleration_seconds && toleration.effect != TaintEffect::no_execute) {
    errors.add(ErrorType::invalid, path + ".effect", toleration.effect.text(),
               "must be NoExecute when there are tolerationSeconds");
  }
  switch (toleration.operator_.word()) {
    case TolerationOperator::unset:
    case TolerationOperator::equal:
      if (auto problems = label_value_problems(toleration.value); !problems.empty()) {
        errors.add(ErrorType::invalid, path + ".operator", toleration.value,
                   "the value " + problems.front());
      }
      break;
    case TolerationOperator::exists:
      if (!toleration.value.empty()) {
        errors.add(ErrorType::invalid, path + ".operator", toleration.value,
                   "the value must be empty with Exists");
      }
      break;
    case TolerationOperator::lt:
    case TolerationOperator::gt:
    case TolerationOperator::unknown:
      errors.add(ErrorType::not_supported, path + ".operator", toleration.operator_.text(),
                 "supported are Equal and Exists");
      break;
  }
  if (!toleration.effect.known()) {
    errors.add(ErrorType::not_supported, path + ".effect", toleration.effect.text(),
               "supported are NoSchedule, PreferNoSchedule and NoExecute");
  }
}

inline void validate_tolerations(FieldErrors& errors, const std::string& field,
                                 const std::vector<Toleration>& tolerations) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    validate_toleration(errors, at_index(field, i), tolerations[i]);
  }
}

inline void validate_affinity(FieldErrors& errors, const std::string& field,
                              const Affinity& affinity) {
  validate_node_affinity(errors, field + ".nodeAffinity", affinity.node_affinity);
  validate_pod_affinity(errors, field + ".podAffinity", affinity.pod_affinity);
  validate_pod_affinity(errors, field + ".podAntiAffinity", affinity.pod_anti_affinity);
}

inline void validate_name(FieldErrors& errors, const std::string& name) {
  if (name.empty())
    return errors.add(ErrorType::required, "metadata.name", "", "an object has a name");
  errors.add_all("metadata.name", name, subdomain_problems(name));
}

/// The policies behind an error: the one that a path `policies[i]...` leads to, otherwise all of
/// them.
template <class Policy>
std::vector<std::string> policies_behind(std::string_view field, std::span<const Policy> policies) {
  constexpr std::string_view list = "policies[";
  std::vector<std::string> names;
  std::size_t index = policies.size();
  if (field.starts_with(list)) {
    field.remove_prefix(list.size());
    std::from_chars(field.data(), field.data() + field.size(), index);
  }
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (index >= policies.size() || i == index) names.push_back(policies[i].metadata.name);
  }
  return names;
}

}  // namespace detail

/// Labels: every key and value that breaks its syntax, all at `field`.
[[nodiscard]] inline std::vector<FieldError> validate(
    const Labels& labels, const std::string& field = "metadata.labels") {
  detail::FieldErrors errors;
  detail::validate_labels(errors, field, labels);
  return std::move(errors).take();
}

/// Tolerations: a malformed key; an empty key without Exists; tolerationSeconds without NoExecute;
/// a value that is no label value (Equal) or there at all (Exists), both reported at the operator;
/// an operator or effect that is not supported. Lt and Gt are reported too: the API server refuses
/// them unless its feature gate for them is on, and it is off by default.
[[nodiscard]] inline std::vector<FieldError> validate(
    std::span<const Toleration> tolerations, const std::string& field = "spec.tolerations") {
  detail::FieldErrors errors;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    detail::validate_toleration(errors, detail::at_index(field, i), tolerations[i]);
  }
  return std::move(errors).take();
}

/// Affinities: terms and weights of all three kinds, with the paths of the document.
[[nodiscard]] inline std::vector<FieldError> validate(const Affinity& affinity,
                                                      const std::string& field = "spec.affinity") {
  detail::FieldErrors errors;
  detail::validate_affinity(errors, field, affinity);
  return std::move(errors).take();
}

}  // namespace schedpol
