// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What kube-scheduler asks an extender about ResourcePolicies, bytes to bytes:
///
/// 1. The last segment of the path says what is asked: `filter`, `prioritize` or `preempt`. Anything
///    else is 404, `bind` too: the scheduler binds (`assume_cache.hpp` says why).
/// 2. The names of the protocol's own fields are read in any case, as Go reads them, and written as
///    in its types (`NodeNames`); a field that is there in two cases is an error. Pods and nodes are
///    read as in `decode.hpp`, of a pod its metadata and what it requests. Unknown fields are
///    ignored.
/// 3. Nodes come whole (`Nodes`) or by name (`NodeNames`, where the extender is `nodeCacheCapable`),
///    exactly one of the two, and each once; the answer has what came. Either way the state says
///    what a node is: its labels in the request may be older or newer than what counts are made of.
/// 4. `filter`: every node stands in `Nodes` or `NodeNames`, or, with the reason, in
///    `FailedAndUnresolvableNodes`: its unit is full or has no room for what the pod requests, it is in
///    no unit or not known, several policies select the pod, or an invalid one might. `FailedNodes`
///    is empty: kube-scheduler looks for victims there by its plugins alone, which find the node fit
///    as it is, and calls it an error that there are none. A pod that no policy is for fits all.
/// 5. A pod of a policy that the state does not know by its uid is not placed: no place could be held
///    for it. The watch may show it in a moment (`is_unknown_pod`).
/// 6. `prioritize`: 0 to 10 for each node in the order they came, from the scores normalised over
///    them.
/// 7. `preempt`: the nodes on which the pod would fit once the victims that the scheduler chose are
///    gone, with those victims. None are added: a ResourcePolicy deletes no pods. So nobody is
///    deleted for a pod whose unit is full all the same. A victim that the state does not know as
///    bound there makes no room.
/// 8. What cannot be read never fits: `filter` answers 200 with `Error`, which the scheduler shows as
///    an event of the pod, and no nodes; the other two, whose answers have no such field, 400 (413
///    beyond the limits). So does everything as long as no policies are known.
///
/// Source: kube-scheduler, `extender/v1`, and kubernetes, `pkg/scheduler`: `extender.go`,
/// `schedule_one.go` and `framework/preemption/preemption.go`.

#include <schedpol/cluster/assume_cache.hpp>
#include <schedpol/json/document.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// An answer, and what its sender has to know besides.
struct ExtenderResponse {
  int status = 400;                  ///< of HTTP
  std::string response{};            ///< JSON, always
  std::size_t nodes = 0;             ///< that were asked about
  std::size_t feasible = 0;          ///< of them, those that are left
  std::vector<FieldError> errors{};  ///< why it could not be answered; none where it was
  bool is_unknown_pod = false;       ///< it could not be for the reason of rule 5

  /// Of `filter`: what the state has to be told before anything else, so that the next pod is not
  /// promised the same place. Absent where it was not answered.
  std::optional<resource_policy::Assumption> assumption{};
};

/// Answers one request. What `document` held is gone afterwards; one a thread, used for every
/// request, spares each the memory it is read into.
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
