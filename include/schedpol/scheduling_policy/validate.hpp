// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is wrong with a SchedulingPolicy, with the API server's error types and field paths:
/// 1. the name is missing or no DNS subdomain, or there is a namespace: the policy is
///    cluster-scoped;
/// 2. a field of `required` is any, an affinity, a kind or a mode there lists nothing (what nulls
///    leave), `default.tolerations` is empty, or the `values` of a default toleration are any (the
///    proposal calls these invalid; evaluation takes them as absent);
/// 3. a term pattern is `{}`, which permits nothing and is never satisfied;
/// 4. an operator or effect is outside its vocabulary, a name is listed empty or twice, a key or
///    value of a label breaks its syntax;
/// 5. a default toleration is one that the API server would refuse, or has both a value and values;
///    a default affinity likewise; the name of a default priority class is no DNS subdomain (the API
///    server takes any name of a scheduler);
/// 6. a default would be refused by the policy's own requirement on scheduler or priority class;
/// 7. a list of texts has more than `max_expression_values`, a name more than `max_subdomain_bytes`, or
///    all of it more than `max_policy_bytes`.
/// Evaluation does not depend on this: a policy with errors still never permits more than it says.

#include <schedpol/scheduling_policy/policy.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Bytes of a spec, as `max_policy_bytes` bounds them.
[[nodiscard]] std::size_t policy_bytes(const SchedulingPolicySpec& spec);

/// Every error of a policy; none means that a cluster should accept it.
[[nodiscard]] std::vector<FieldError> validate(const SchedulingPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/scheduling_policy/impl/validate.ipp>
#endif
