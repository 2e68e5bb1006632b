// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about the grants of policies:
/// 1. GrantedByWildcard: a bound role grants the use of all policies, or of those that it names, by a
///    rule whose verb, API group or resource is `*`. The author may not have intended to grant
///    policies.
/// 2. GrantedInOtherGroup: a rule of a bound role has the verb and the resource of policies, but another
///    API group, so it grants nothing.
/// 3. RoleNotFound: a binding names a role that does not exist, so it grants nothing. The ClusterRoles of
///    every cluster (`admin`, `cluster-admin`, `edit`, `view`, `system:...`) count as existing.

#include <schedpol/insight/finding.hpp>
#include <schedpol/rbac/usable.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

/// The first such rule of each role, in the order of the roles, then the bindings. The field is in the
/// role or binding.
[[nodiscard]] std::vector<Finding> analyze(const Rbac& rbac, const Access& access = {});

}  // namespace SCHEDPOL_NAMESPACE::rbac

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_rbac.ipp>
#endif
