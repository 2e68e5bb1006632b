// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/patch_operation.hpp>

namespace SCHEDPOL_NAMESPACE::json {

SCHEDPOL_INLINE std::string_view to_string(PatchOp op) noexcept {
  switch (op) {
    case PatchOp::add: return "add";
    case PatchOp::replace: return "replace";
    case PatchOp::remove: return "remove";
    case PatchOp::move: return "move";
    case PatchOp::copy: return "copy";
    case PatchOp::test: return "test";
  }
  return "";
}

}  // namespace SCHEDPOL_NAMESPACE::json
