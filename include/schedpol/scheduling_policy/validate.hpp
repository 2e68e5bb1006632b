// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a SchedulingPolicy, with the API server's error types and field paths:
/// 1. the name is missing or not a DNS subdomain, or a namespace is set although the policy is
///    cluster-scoped;
/// 2. a field of `required` is any; an affinity, kind or mode there lists nothing (nulls leave this
///    behind); `default.tolerations` is empty; the `values` of a default toleration are any. The
///    proposal calls these invalid; in evaluation they count as absent;
/// 3. a term pattern is `{}`, which permits nothing and is never satisfied;
/// 4. an operator or effect is not in its vocabulary, a listed name is empty or listed twice, or a label
///    key or value breaks its syntax;
/// 5. the API server would refuse a default toleration or affinity; a default toleration has both a
///    value and values; the name of a default priority class is not a DNS subdomain (the API server
///    accepts any scheduler name);
/// 6. the policy's own requirement on schedulers or priority classes would deny its default;
/// 7. a list of texts has more than `max_expression_values` items, a name more than
///    `max_subdomain_bytes`, or the spec more than `max_policy_bytes`.
/// Evaluation does not need validation: a policy with errors never permits more than it says.

#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The bytes of a spec, as `max_policy_bytes` counts them.
[[nodiscard]] std::size_t policy_bytes(const SchedulingPolicySpec& spec);

/// Every error of a policy. A cluster should accept a policy without errors.
[[nodiscard]] std::vector<FieldError> validate(const SchedulingPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/validate.ipp>
#endif
