// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A Configuration as JSON: any number of Kubernetes objects and one EngineConfiguration, which
/// says how they are put together:
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
/// `systems` has no default. `access` has `verb`, `apiGroup` and `resource`. The API group that a
/// role has to grant is by default the one that the SchedulingPolicies themselves are of, as the
/// first of them that is read says it in its `apiVersion`; without one, `schedpol.io`. `options` are
/// those of `schedulingPolicy.admit`; the tolerations of DefaultTolerationSeconds are exempt besides the
/// ones they list, and `defaultScheduler` is `Unspecified` unless they say otherwise. A list of
/// `metadataPolicy` takes the place of the one in `metadata_policy/options.hpp`.
///
/// An object that cannot be read, for a wrong type or a field that its kind has not, harms none of
/// the others: `engine::Objects::unreadable` has its name, why, and the selectors by which pods are
/// selected, where those could be read. An Engine denies the pods that it may be about, and
/// `validate` reports it. A document is refused as a whole where nobody can tell which object it
/// holds: no JSON, a kind or group that is not known, no name; or where its EngineConfiguration is
/// wrong.

#include <schedpol/engine/configuration.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// Adds what a document holds, one object or a list of them, to a configuration: an
/// EngineConfiguration, a policy of any system, a RuntimeClass, a Namespace, or a Role,
/// ClusterRole, RoleBinding or ClusterRoleBinding. The kind tells what it is; the group in its
/// apiVersion is one of those in `decode.hpp`. A list is a `List`, or what an API server answers
/// to a list request: of a `MetadataPolicyList` the items are MetadataPolicies of the list's
/// apiVersion, which they need not say; one that says another kind is an error. Returns why the document is refused, and which of
/// its objects cannot be read, with the configuration as it was; nothing where it is not refused:
/// what is wrong with its objects, `engine::validate` says then. Takes as long as the document,
/// whatever is there already.
[[nodiscard]] std::vector<FieldError> add_objects(engine::Configuration& configuration,
                                                  std::string_view bytes);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/configuration.ipp>
#endif
