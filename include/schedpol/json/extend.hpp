// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What kube-scheduler asks an extender about ResourcePolicies, bytes to bytes:
///
/// 1. The last segment of the path is the verb: `filter`, `prioritize` or `preempt`. Anything else is
///    404, even `bind`: the scheduler binds (`assume_cache.hpp` says why).
/// 2. The names of the protocol's own fields are read in upper or lower case, as Go reads them, and
///    written as in its types (`NodeNames`). A field given in two spellings is an error. Pods and nodes
///    are read as in `decode.hpp`, but only the metadata and the requests of a pod. Unknown fields are
///    ignored.
/// 3. Nodes come either whole (`Nodes`) or by name (`NodeNames`, if the extender is `nodeCacheCapable`),
///    each once. The answer has the same form. Either way, only the state says which labels a node has:
///    those in the request may be older or newer than the ones behind the counts.
/// 4. `filter`: every node is in `Nodes` or `NodeNames`, or with a reason in `FailedAndUnresolvableNodes`:
///    its unit is full or has no room for what the pod requests; it is unknown or in no unit; several
///    policies select the pod, or an invalid one might. `FailedNodes` is empty: kube-scheduler would look
///    for victims on these nodes with its plugins alone. They find that the pod fits without victims, and
///    the scheduler reports an error. A pod that no policy selects fits all nodes.
/// 5. A pod that a policy selects, but whose uid the state does not know, gets no node, because no place
///    could be held for it. The watch may show it in a moment (`is_unknown_pod`).
/// 6. `prioritize`: 0 to 10 for each node, in the order of the request, from the scores normalised over
///    these nodes.
/// 7. `preempt`: the nodes on which the pod would fit without the victims that the scheduler chose, with
///    these victims. A ResourcePolicy deletes no pods, so no victims are added, and no pod is deleted
///    for one whose unit stays full. A victim makes room only if the state knows it as bound to
///    the node.
/// 8. What cannot be read never fits. `filter` answers 200 with no nodes and with `Error`, which the
///    scheduler shows as an event of the pod. The other two have no such field and answer 400 (413
///    beyond the limits). All of them answer this way while no policies are known.
///
/// Source: kube-scheduler, `extender/v1`, and kubernetes, `pkg/scheduler`: `extender.go`,
/// `schedule_one.go` and `framework/preemption/preemption.go`.

#include <schedpol/cluster/assume_cache.hpp>
#include <schedpol/json/document.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// An answer, and what the sender needs to know about it.
struct ExtenderResponse {
  int status = 400;                  ///< the HTTP status
  std::string response{};            ///< always JSON
  std::size_t nodes = 0;             ///< the number of nodes in the request
  std::size_t feasible = 0;          ///< the number of nodes that are left
  std::vector<FieldError> errors{};  ///< why there is no answer; empty if there is one
  bool is_unknown_pod = false;       ///< there is no answer because of rule 5

  /// For `filter`: pass this to `AssumeCache::assume` before any other change of the state, so that the
  /// next pod does not get the same place. Absent if there is no answer.
  std::optional<resource_policy::Assumption> assumption{};
};

/// Answers one request. The content of `document` is lost. Use one document for each thread and all its
/// requests, so that requests share its memory.
[[nodiscard]] ExtenderResponse answer_extender(std::string_view path, std::string_view bytes,
                                               const resource_policy::AssumeCache& state,
                                               Document& document);

/// The same with a document of its own.
[[nodiscard]] ExtenderResponse answer_extender(std::string_view path, std::string_view bytes,
                                               const resource_policy::AssumeCache& state);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/extend.ipp>
#endif
