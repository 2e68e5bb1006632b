// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One entry point for language bindings and offline tests: a request in JSON, a reply in JSON.
///
///     {"id": 1, "op": "quantity.compare", "input": {"a": "1Gi", "b": "1G"}}
///     {"id": 1, "result": {"compare": 1}}
///     {"id": 1, "error": {"code": "InvalidObject", "message": "...", "field": "b"}}
///
/// 1. `id` may be any scalar and is echoed. It is null if it is absent or cannot be read.
/// 2. Members of a request other than `id`, `op` and `input` are ignored; unknown ones in `input` are errors.
/// 3. The `field` of an error is a path in `input`, or the member of the request that is wrong.
/// 4. A request with anything wrong gets an error, never a decision.
/// 5. A list of objects may be what an API server answers to a list request, and its items may be such
///    lists: a `List`, or the `KINDList` of one kind (`PodList`), whose items need not say their kind
///    and version. An item of another kind is an error.
/// 6. What `validate` finds, such as a missing name, is in `errors` of its result, not an error of the request.
///
/// `impl/operations` lists the operations of each system, and those that all share.

#include <schedpol/engine/engine.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The `code` of an error in a reply.
enum class EvaluateError {
  invalid_json,     ///< the request is not a valid JSON document
  invalid_request,  ///< it is not a request, or a part of it is missing or misspelled
  unknown_op,       ///< there is no such operation
  invalid_object,   ///< a Kubernetes object cannot be read, or a selector cannot be used
  limit_exceeded,   ///< the request exceeds a limit
};

[[nodiscard]] std::string_view to_string(EvaluateError code) noexcept;

/// Answers one request, on one line if the request is on one line. Keeps no state between calls.
[[nodiscard]] std::string evaluate(std::string_view request);

/// The same, but `engine.decide` asks `engine` and takes no `configuration`.
[[nodiscard]] std::string evaluate(std::string_view request, const engine::Engine& engine);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/evaluate.ipp>
#endif
