// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Operations on the vocabulary of Kubernetes, with their inputs and results:
/// - labelSelector.matches: selector, labels; matches.
/// - nodeAffinity.matches: pod, node; matches, score.
/// - taints.findUntolerated: tolerations, taints; untolerated.
/// - tolerations.merge: first, second; tolerations.
/// - tolerations.validate, affinity.validate, labels.validate: tolerations, affinity, labels;
///   errors, below `spec.tolerations`, `spec.affinity`, `metadata.labels`.
/// - quantity.compare: a, b; compare, which is -1, 0 or 1.
/// - pod.qosClass: pod; qosClass.
/// - pod.requests: pod; requests, what it takes of a node (rule 5 of `core/resources.hpp`).

#include <schedpol/core/impl/resource_amounts.hpp>
#include <schedpol/core/qos.hpp>
#include <schedpol/core/resources.hpp>
#include <schedpol/core/validation.hpp>
#include <schedpol/json/impl/operation.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void label_selector_matches(Input& input, ObjectWriter& result) {
  const auto selector = input.read<std::optional<LabelSelector>>("selector");
  const auto labels = input.read<Labels>("labels");
  const auto matcher = compile(selector, FieldPath{"selector"});
  input.fail(EvaluateError::invalid_object, matcher.errors());
  if (input.complete()) result.member("matches", matcher->matches(labels));
}

inline void taints_find_untolerated(Input& input, ObjectWriter& result) {
  const auto tolerations = input.read<std::vector<Toleration>>("tolerations");
  const auto taints = input.read<std::vector<Taint>>("taints");
  if (input.complete()) result.member("untolerated", find_untolerated(tolerations, taints));
}

inline void tolerations_merge(Input& input, ObjectWriter& result) {
  const auto first = input.read<std::vector<Toleration>>("first");
  const auto second = input.read<std::vector<Toleration>>("second");
  if (input.complete()) result.member("tolerations", merge(first, second));
}

inline void labels_validate(Input& input, ObjectWriter& result) {
  const auto labels = input.read<Labels>("labels");
  if (input.complete()) result.member("errors", validate(labels));
}

inline void tolerations_validate(Input& input, ObjectWriter& result) {
  const auto tolerations = input.read<std::vector<Toleration>>("tolerations");
  if (input.complete()) result.member("errors", validate(tolerations));
}

inline void affinity_validate(Input& input, ObjectWriter& result) {
  const auto affinity = input.read<Affinity>("affinity");
  if (input.complete()) result.member("errors", validate(affinity));
}

inline void node_affinity_matches(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  const auto node = input.require<Node>("node");
  if (!input.complete()) return;
  const NodeAffinityMatcher matcher(pod.spec);
  result.member("matches", matcher.matches(node)).member("score", matcher.score(node));
}

inline void pod_qos_class(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  if (input.complete()) result.member("qosClass", to_string(qos_class(pod.spec)));
}

inline void pod_requests(Input& input, ObjectWriter& result) {
  const auto pod = input.require<Pod>("pod");
  if (!input.complete()) return;
  const Resources all = requests(pod.spec, pod.status);
  ResourceList counted;
  for (const auto& [name, quantity] : schedpol::pod_requests(pod.spec, pod.status)) {
    const std::int64_t amount = schedpol::detail::amount_of(all, name);
    if (amount > 0 && schedpol::detail::is_counted(name))
      counted.emplace(name, schedpol::detail::to_quantity(name, amount));
  }
  result.member("requests", counted);
}

inline void quantity_compare(Input& input, ObjectWriter& result) {
  const auto a = input.require<Quantity>("a");
  const auto b = input.require<Quantity>("b");
  if (input.complete()) result.member("compare", a < b ? -1 : a > b ? 1 : 0);
}

inline constexpr NamedOperation core_operations[] = {
    {"affinity.validate", affinity_validate}, {"labelSelector.matches", label_selector_matches},
    {"labels.validate", labels_validate},     {"nodeAffinity.matches", node_affinity_matches},
    {"pod.qosClass", pod_qos_class},          {"pod.requests", pod_requests},
    {"quantity.compare", quantity_compare},   {"taints.findUntolerated", taints_find_untolerated},
    {"tolerations.merge", tolerations_merge}, {"tolerations.validate", tolerations_validate},
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
