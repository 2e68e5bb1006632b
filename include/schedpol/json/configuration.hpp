// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A Configuration as JSON: any number of Kubernetes objects, and one EngineConfiguration with the
/// systems and settings:
///
///     {"apiVersion": "schedpol.io/v1alpha1", "kind": "EngineConfiguration",
///      "systems": [{"system": "RuntimeClass"}, {"system": "SchedulingPolicy", "mode": "Warn"}],
///      "policyUse": "Rbac", "access": {"verb": "use"}, "strategy": "SmartDeepMerge",
///      "options": {},
///      "daemonSetController": "system:serviceaccount:kube-system:daemon-set-controller",
///      "placers": ["system:serviceaccount:kueue-system:kueue-controller-manager"],
///      "templates": [{"group": "argoproj.io", "kind": "Rollout", "path": "spec.template"}],
///      "metadataPolicy": {"exemptKinds": ["Event", "Lease.coordination.k8s.io"], "exemptUsers": [],
///                         "exemptGroups": ["system:nodes"], "qosAnnotation": "WhereUsed"},
///      "namespaceModes": {"weakest": "Warn"}}
///
/// `systems` has no default. `access` has `verb`, `apiGroup` and `resource`. By default, the API group
/// that a role must grant is that of the SchedulingPolicies: the one in the `apiVersion` of the first
/// that is read, or `schedpol.io` without any. `options` are those of `schedulingPolicy.admit`. The
/// tolerations of DefaultTolerationSeconds are exempt in addition to those that `options` list, and
/// `defaultScheduler` is `Unspecified` by default. A list in `metadataPolicy` replaces the default one
/// in `metadata_policy/options.hpp`.
///
/// An object that cannot be read, because of a wrong type or an unknown field, does not affect the
/// others. `engine::Objects::unreadable` has its name, the errors, and its selectors of pods if they
/// could be read. An Engine denies the pods that the object may apply to, and `validate` reports it. A
/// document is refused as a whole if it does not tell which object it holds (not JSON, an unknown kind
/// or group, no name), or if its EngineConfiguration is wrong.

#include <schedpol/engine/configuration.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// Adds a document with one object, or with a list of objects, to a configuration. An object is an
/// EngineConfiguration, a policy of any system, a RuntimeClass, a Namespace, a Role, ClusterRole,
/// RoleBinding or ClusterRoleBinding. Its `kind` says which; the group in its `apiVersion` is one of
/// those in `decode.hpp`. A list is a `List`, or what an API server answers to a list request: the items
/// of a `MetadataPolicyList` are MetadataPolicies of the list's apiVersion and need not say so; an item of
/// another kind is an error. If the document is refused, returns why, and which of its objects cannot be
/// read, and leaves the configuration as it was. Otherwise returns nothing; `engine::validate` then
/// reports what is wrong with the objects. Linear in the document, whatever the configuration has.
[[nodiscard]] std::vector<FieldError> add_objects(engine::Configuration& configuration,
                                                  std::string_view bytes);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/configuration.ipp>
#endif
