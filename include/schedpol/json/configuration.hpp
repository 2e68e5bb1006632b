// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A Configuration as JSON: any number of Kubernetes objects and one EngineConfiguration, which
/// says how they are put together:
///
///     {"apiVersion": "schedpol/v1alpha1", "kind": "EngineConfiguration",
///      "systems": [{"system": "RuntimeClass"}, {"system": "SchedulingPolicy", "mode": "Warn"}],
///      "policyUse": "Rbac", "access": {"apiGroup": "extensions"}, "strategy": "SmartDeepMerge",
///      "options": {},
///      "daemonSetController": "system:serviceaccount:kube-system:daemon-set-controller"}
///
/// `systems` has no default. `access` has `verb`, `apiGroup` and `resource`. `options` are those of
/// `schedulingPolicy.admit`; the tolerations of DefaultTolerationSeconds are exempt besides the
/// ones they list.

#include <schedpol/core/field_error.hpp>
#include <schedpol/engine/configuration.hpp>

#include <string_view>
#include <vector>

namespace schedpol::json {

/// Adds what a document holds, one object or a `List` of them, to a configuration: an
/// EngineConfiguration, a policy of any system, a RuntimeClass, a Namespace, or a Role,
/// ClusterRole, RoleBinding or ClusterRoleBinding. The kind tells what it is; the group in its
/// apiVersion is one of those in `decode.hpp`. With any error, which are returned, the
/// configuration stays as it was. Takes as long as the document, whatever is there already. What is
/// wrong with an object that can be read, `engine::compile` says.
[[nodiscard]] std::vector<FieldError> add_objects(engine::Configuration& configuration,
                                                  std::string_view bytes);

}  // namespace schedpol::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/configuration.ipp>
#endif
