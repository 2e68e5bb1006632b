// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/field_errors.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/core/syntax.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/scheduling_policy/impl/policy_size.hpp>
#include <schedpol/scheduling_policy/impl/validate_rules.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace schedpol::scheduling_policy {

namespace detail {

/// The toleration, as the API server would see it in a pod, and the values that it is given with.
inline void validate_default_toleration(FieldErrors& errors, const Place& place,
                                        const DefaultToleration& given) {
  schedpol::detail::validate_toleration(errors, place, given.toleration);
  if (given.values.is_absent()) return;
  if (given.toleration.operator_ == TolerationOperator::exists)
    errors.add(ErrorType::invalid, place.child("operator"), given.toleration.operator_.text(),
               "Exists takes no value");
  const Place values = place.child("values");
  if (given.values.listed().empty()) {
    errors.add(ErrorType::required, values, "",
               "must list at least one value; leave the field out for none");
  }
  if (!given.toleration.value.empty()) {
    errors.add(ErrorType::forbidden, place.child("value"), given.toleration.value,
               "must not be set beside values");
  }
  validate_texts(errors, values, given.values.listed(), TextSyntax::label_value);
}

inline void validate_defaults(FieldErrors& errors, const Place& place, const Defaults& defaults) {
  if (defaults.node_selector) {
    const Place node_selector = place.child("nodeSelector");
    for (const auto& [key, value] : *defaults.node_selector) {
      const Place pair = node_selector.key(key);
      errors.add_all(pair, key, label_key_problems(key));
      errors.add_all(pair, value, label_value_problems(value));
    }
  }
  for (const auto& [field, name] : {std::pair("schedulerName", &defaults.scheduler_name),
                                    std::pair("priorityClassName", &defaults.priority_class_name)})
    schedpol::detail::validate_length(errors, place.child(field), name->value_or(""),
                                      max_subdomain_bytes);
  if (defaults.affinity)
    schedpol::detail::validate_affinity(errors, place.child("affinity"), *defaults.affinity);
  if (!defaults.tolerations) return;
  const Place tolerations = place.child("tolerations");
  if (defaults.tolerations->empty()) {
    errors.add(ErrorType::required, tolerations, "",
               "must list at least one toleration; leave the field out to give none");
  }
  for (std::size_t i = 0; i < defaults.tolerations->size(); ++i)
    validate_default_toleration(errors, tolerations.index(i), (*defaults.tolerations)[i]);
}

/// A default that the policy's own requirement refuses would deny every pod that relies on it.
inline void validate_own_requirement(FieldErrors& errors, const Place& place,
                                     const std::optional<std::string>& given,
                                     const AnyOr<Texts>& required) {
  if (!given || given->empty() || required.listed().empty()) return;
  if (required.listed().contains(*given)) return;
  errors.add(ErrorType::invalid, place, *given, "is not among the names that the policy requires");
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const SchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::Place object;
  const schedpol::detail::Place metadata = object.child("metadata");
  schedpol::detail::validate_metadata(errors, metadata, policy.metadata);
  if (!policy.metadata.namespace_.empty())
    errors.add(ErrorType::forbidden, metadata.child("namespace"), policy.metadata.namespace_,
               "a SchedulingPolicy is cluster-scoped");

  const schedpol::detail::Place spec = object.child("spec");
  detail::RulesValidator(errors, detail::Section::required)
      .run(spec.child("required"), policy.spec.required);
  detail::RulesValidator(errors, detail::Section::allowed)
      .run(spec.child("allowed"), policy.spec.allowed);

  const Defaults& given = policy.spec.defaults;
  const schedpol::detail::Place defaults = spec.child("default");
  detail::validate_defaults(errors, defaults, given);
  detail::validate_own_requirement(errors, defaults.child("schedulerName"), given.scheduler_name,
                                   policy.spec.required.scheduler_names);
  detail::validate_own_requirement(errors, defaults.child("priorityClassName"),
                                   given.priority_class_name,
                                   policy.spec.required.priority_class_names);
  schedpol::detail::SpecSize size;
  size.add_all(policy.spec.required, policy.spec.allowed, policy.spec.defaults);
  size.validate(errors, spec);
  return std::move(errors).take();
}

}  // namespace schedpol::scheduling_policy
