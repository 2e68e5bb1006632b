// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON of JSON Patch (RFC 6902).

#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/json/impl/schema.hpp>
#include <schedpol/json/patch_operation.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

inline void write(Writer& out, const PatchOperation& operation) {
  ObjectWriter object(out);
  object.member("op", to_string(operation.op));
  switch (operation.op) {
    case PatchOp::move:
    case PatchOp::copy: object.member("from", operation.from).member("path", operation.path); break;
    case PatchOp::remove: object.member("path", operation.path); break;
    case PatchOp::add:
    case PatchOp::replace:
    case PatchOp::test:
      object.member("path", operation.path).member("value", Raw{operation.value});
      break;
  }
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail

namespace SCHEDPOL_NAMESPACE::json {

SCHEDPOL_JSON_RESULT(PatchOperation)
SCHEDPOL_JSON_RESULT(std::vector<PatchOperation>)

}  // namespace SCHEDPOL_NAMESPACE::json
