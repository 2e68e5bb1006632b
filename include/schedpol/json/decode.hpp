// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kubernetes JSON to value types:
/// 1. null is absent. A wrong type and a word or number out of range are errors with their field path.
/// 2. Unknown fields are ignored in pods, nodes and workloads. In policies and RBAC objects (outside their
///    metadata) they are errors, because a typo there is a security hole. Policies and RuntimeClasses
///    must have metadata. If `kind` is given, it must be right; if `apiVersion` is given, its group must be
///    right, in any version. The group of a policy is that of `api_version` in its `policy.hpp`;
///    RuntimeClass: `node.k8s.io`; Role, ClusterRole and their bindings: `rbac.authorization.k8s.io`; Node:
///    the core group; Pod and workloads: those of `is_in_group`; SchedulingPolicy, MetadataPolicy,
///    EngineConfiguration: `schedpol.io`, a custom group, or the proposals' `extensions`.
/// 3. Where absent, any and listed differ, `[]` and `{}` are any, but only if they are written empty:
///    `{nodeAffinities: null}` means the same as an absent map.
/// 4. A null in a list or map of a pod is an empty entry, as in the API server. In a policy it is a
///    pattern that matches nothing, or an error if an empty entry would give or permit something.
/// 5. A list of tolerations has at most `max_tolerations`, a list of taints `max_taints`; a pod names at
///    most `max_pod_resources` resources. At most `max_reported_errors` are reported, in document order.
/// 6. SchedulingPolicies may also use the spellings of their proposal: `priorityClasseNames`,
///    `priorityClasseName`, `Kind`, `SchedulerNames`, `SchedulerName`, `spec.allowedAffinities`, and in
///    expressions of defaults `keys: [k]`, `operators: [Op]`. Both spellings of one field are an error.
///
/// Types that can be read; any other does not compile, or does not link if the library is compiled:
/// - Pod, which also reads the pod template of a workload, and its parts: ObjectMeta, PodSpec,
///   Affinity, Toleration, LabelSelector, ...; Node, Taint, Quantity;
/// - engine::StoredObject, from the same documents as Pod;
/// - the types of each system's `policy.hpp` or `rbac.hpp`, scheduling_policy::Options, rbac::User;
/// - std::string, bool, std::int64_t, Texts, Labels, ResourceList, RawMessage, RawObject; a vector
///   of Container, RawMessage, Toleration, Taint, NodeSelectorTerm; std::optional of LabelSelector.

#include <schedpol/json/document.hpp>
#include <schedpol/json/raw_message.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The value in the bytes, or everything that is wrong. Bytes that are not a document within the limits
/// give one error.
template <class T>
[[nodiscard]] Result<T> decode(std::string_view bytes);

/// The same for a document; a document that is not good gives one error.
template <class T>
[[nodiscard]] Result<T> decode(const Document& document);

/// The kind of an object: its `kind`, or the `Kind` of a SchedulingPolicy (rule 6); empty if it has
/// neither.
[[nodiscard]] std::string kind_of(const RawObject& object);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/decode.ipp>
#endif
