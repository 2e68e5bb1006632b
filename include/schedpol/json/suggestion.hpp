// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The results of `engine::suggest` and `engine::prove` as JSON:
///
///     {"policies": [...], "roles": [...], "bindings": [...],
///      "entries": [{"policy": "gpu-tolerations-fad5", "entry": "allowed.tolerations[0]",
///                   "value": "{keys: [gpu], operators: [Exists], effects: [NoSchedule]}",
///                   "pods": 412, "others": 3, "accounts": 2,
///                   "example": {"kind": "Deployment", "namespace": "ml", "name": "train"},
///                   "nodes": {"count": 14, "all": 403}, "preempted": {"count": 7, "all": 500}}],
///      "undecided": [NEED], "unsatisfiable": [NEED], "excess": 0,
///      "fragile": {"owners": 40, "denied": 3},
///      "proof": {"allowed": 415, "denied": [NEED], "undecided": [NEED], "entries": 9, "subjects": 4,
///                "needlessEntries": [{"policy": "p", "entry": "allowed.schedulerNames[0]"}],
///                "needlessSubjects": [{"namespace": "ml", "binding": "b", "subject": "ml/train"}]}}
///
/// An entry has `heard` (how often a webhook heard of it), `nodes` and `preempted` if they are known. A NEED is
/// `{"owner": {"kind", "namespace", "name"}, "pods": 1, "reason": "...", "violations": [...]}`, without an empty
/// `reason` or `violations`. ClusterRoleBindings come before RoleBindings. All needs together have at most
/// `max_reported_violations` violations; `moreViolations` of a need counts those that are left out.

#include <schedpol/insight/suggest.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The whole document as compact JSON.
[[nodiscard]] std::string encode(const engine::Suggestion& suggestion);
/// Its member `proof` alone.
[[nodiscard]] std::string encode(const engine::Proof& proof);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/suggestion.ipp>
#endif
