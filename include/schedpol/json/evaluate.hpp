// SPDX-License-Identifier: Apache-2.0
#pragma once

/// One door for bytes, for language bindings and offline tests: a request in JSON, a reply in JSON.
///
///     {"id": 1, "op": "quantity.compare", "input": {"a": "1Gi", "b": "1G"}}
///     {"id": 1, "result": {"compare": 1}}
///     {"id": 1, "error": {"code": "InvalidObject", "message": "...", "field": "b"}}
///
/// 1. `id` may be any scalar and is echoed; it is null where it is absent or could not be read.
/// 2. Members of a request but `id`, `op`, `input` are ignored; unknown ones of `input` are errors.
/// 3. The `field` of an error is a path in `input`, or the member of the request that is wrong.
/// 4. Whatever is wrong with a request is an error and never a decision.
/// 5. A list of objects may be what an API server answers to a list request, and have such lists
///    among its items: a `List`, or the `KINDList` of one kind (`PodList`), whose items need not
///    say their kind and version. An item of another kind is an error.
/// 6. What `validate` finds, a missing name too, are `errors` of its result, no error.
///
/// The operations of each system, and of what they share, are listed in `impl/operations`.

#include <schedpol/engine/engine.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// What kind of error a reply reports, as its `code`.
enum class EvaluateError {
  invalid_json,     ///< the request is no valid JSON document
  invalid_request,  ///< it is no request, or lacks or misspells a part of one
  unknown_op,       ///< there is no such operation
  invalid_object,   ///< a Kubernetes object in it cannot be read, or a selector not be used
  limit_exceeded,   ///< it is longer or deeper than is read
};

[[nodiscard]] std::string_view to_string(EvaluateError code) noexcept;

/// Answers one request, on one line where the request is on one. Keeps nothing between calls.
[[nodiscard]] std::string evaluate(std::string_view request);

/// The same, but `engine.decide` asks `engine`, and takes no `configuration`.
[[nodiscard]] std::string evaluate(std::string_view request, const engine::Engine& engine);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/evaluate.ipp>
#endif
