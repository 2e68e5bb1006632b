// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is odd about the grants of policies:
/// 1. GrantedByWildcard: a role that somebody is bound to lets every policy, or those it names, be
///    used by a rule in which the verb, the API group or the resource is `*`: whoever wrote it may
///    not have thought of policies.
/// 2. GrantedInOtherGroup: a role that somebody is bound to names the verb and the resource of
///    policies, but another API group than theirs, so that the rule grants nothing.
/// 3. RoleNotFound: a binding names a role that is not there, so that it grants nothing. ClusterRoles
///    that every cluster has (`admin`, `cluster-admin`, `edit`, `view`, `system:...`) are there.

#include <schedpol/insight/finding.hpp>
#include <schedpol/rbac/usable.hpp>

namespace SCHEDPOL_NAMESPACE::rbac {

/// Of each role the first such rule, in the order of the roles, and then of each binding. The field
/// is that of the role or binding.
[[nodiscard]] std::vector<Finding> analyze(const Rbac& rbac, const Access& access = {});

}  // namespace SCHEDPOL_NAMESPACE::rbac

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/insight/impl/analyze_rbac.ipp>
#endif
