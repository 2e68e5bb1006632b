// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kubernetes JSON to value types:
/// 1. null is absent. A wrong type, a word or number out of range is an error with its field path.
/// 2. Unknown fields are ignored in pods, nodes and workloads, and errors in policies and RBAC
///    objects (outside their metadata), because a typo there is a hole; a policy and a RuntimeClass
///    have metadata. `kind` has to be right where it is given, and so has the group in
///    `apiVersion`, in whichever version. That of a policy is the group of `api_version` in its
///    `policy.hpp`; RuntimeClass: `node.k8s.io`; Role, ClusterRole and their bindings:
///    `rbac.authorization.k8s.io`; Node: the core group; Pod and workloads: those of
///    `is_in_group`; SchedulingPolicy, MetadataPolicy, EngineConfiguration: `schedpol.io`, a domain
///    of one's own, not Kubernetes', or the proposals' `extensions`.
/// 3. Where absent, any and listed differ, `[]` and `{}` are any, but only when they were written
///    empty: `{nodeAffinities: null}` says no more than an absent map.
/// 4. A null in a list or map of a pod is an empty entry, as for the API server; in a policy a
///    pattern that matches nothing, or an error where an empty one would give or permit something.
/// 5. A list of tolerations has at most `max_tolerations`, one of taints `max_taints`, a pod
///    names at most `max_pod_resources` resources; of one value `max_reported_errors` errors are reported, in the order of the document.
/// 6. SchedulingPolicies have the spellings of their proposal too: `priorityClasseNames`,
///    `priorityClasseName`, `Kind`, `SchedulerNames`, `SchedulerName`, `spec.allowedAffinities`, in
///    expressions of defaults `keys: [k]`, `operators: [Op]`. Both of one field are an error.
///
/// What is read; any other type does not compile, or does not link where the library is compiled:
/// - Pod, which reads the pod template of a workload too, and its parts: ObjectMeta, PodSpec,
///   Affinity, Toleration, LabelSelector, ...; Node, Taint, Quantity;
/// - engine::StoredObject, of whatever a Pod is read of;
/// - the types of each system's `policy.hpp` or `rbac.hpp`, scheduling_policy::Options, rbac::User;
/// - std::string, bool, std::int64_t, Texts, Labels, ResourceList, RawMessage, RawObject; a vector
///   of Container, RawMessage, Toleration, Taint, NodeSelectorTerm; std::optional of LabelSelector.

#include <schedpol/json/document.hpp>
#include <schedpol/json/raw_message.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The value that bytes stand for, or everything that is wrong. Bytes that are no document within
/// the limits are one error.
template <class T>
[[nodiscard]] Result<T> decode(std::string_view bytes);

/// The same of a document; one that is not good is an error.
template <class T>
[[nodiscard]] Result<T> decode(const Document& document);

/// The kind that an object says: its `kind`, or the `Kind` of a SchedulingPolicy (rule 6); empty where
/// it says none.
[[nodiscard]] std::string kind_of(const RawObject& object);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/decode.ipp>
#endif
