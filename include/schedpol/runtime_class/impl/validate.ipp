// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/given_items.hpp>
#include <schedpol/core/impl/spec_size.hpp>
#include <schedpol/core/impl/syntax.hpp>
#include <schedpol/core/impl/validators.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/runtime_class/validate.hpp>

namespace SCHEDPOL_NAMESPACE::runtime_class {

namespace detail {

inline void validate_handler(schedpol::detail::FieldErrors& errors,
                             const schedpol::detail::PathBuilder& at, std::string_view handler) {
  if (handler.empty()) {
    errors.add(ErrorType::required, at, "", "a class has the name of its runtime");
  } else {
    errors.add_all(at, handler, schedpol::detail::dns_label_problems(handler));
  }
}

inline void validate_overhead(schedpol::detail::FieldErrors& errors,
                              const schedpol::detail::PathBuilder& at, const Overhead& overhead) {
  const schedpol::detail::PathBuilder pod_fixed = at.child("podFixed");
  if (overhead.pod_fixed.size() > max_pod_resources)
    errors.add(ErrorType::too_many, pod_fixed, std::to_string(overhead.pod_fixed.size()),
               "a pod has at most " + std::to_string(max_pod_resources) + " resources");
  for (const auto& [name, quantity] : overhead.pod_fixed) {
    const schedpol::detail::PathBuilder item = pod_fixed.key(name);
    schedpol::detail::validate_length(errors, item, name, max_label_key_bytes);
    if (quantity >= Quantity()) continue;
    errors.add(ErrorType::invalid, item, quantity.text(), "must not be negative");
  }
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const RuntimeClass& runtime_class) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::PathBuilder object;
  schedpol::detail::validate_cluster_metadata(errors, object.child("metadata"), "RuntimeClass",
                                              runtime_class.metadata);
  detail::validate_handler(errors, object.child("handler"), runtime_class.handler);
  if (runtime_class.overhead)
    detail::validate_overhead(errors, object.child("overhead"), *runtime_class.overhead);
  if (runtime_class.scheduling) {
    const schedpol::detail::PathBuilder scheduling = object.child("scheduling");
    schedpol::detail::validate_labels(errors, scheduling.child("nodeSelector"),
                                      runtime_class.scheduling->node_selector);
    schedpol::detail::validate_tolerations(errors, scheduling.child("tolerations"),
                                           runtime_class.scheduling->tolerations);
    schedpol::detail::validate_given_items(errors, scheduling, *runtime_class.scheduling);
  }
  schedpol::detail::SpecSize size;
  if (runtime_class.overhead) size.add(runtime_class.overhead->pod_fixed);
  if (runtime_class.scheduling)
    size.add_all(runtime_class.scheduling->node_selector, runtime_class.scheduling->tolerations);
  size.validate(errors, object);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class
