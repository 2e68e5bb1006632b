// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The operations of JSON Patch (RFC 6902): `patch.hpp` makes them, `apply_patch.hpp` applies them.

#include <schedpol/version.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json {

/// The operations of RFC 6902.
enum class PatchOp { add, replace, remove, move, copy, test };

[[nodiscard]] std::string_view to_string(PatchOp op) noexcept;

/// One operation. `path` and `from` are JSON Pointers (RFC 6901), `value` is the JSON of the value.
struct PatchOperation {
  PatchOp op = PatchOp::add;
  std::string path{};
  std::string value{};  ///< for add, replace and test; ignored by the others
  std::string from{};   ///< for move and copy; ignored by the others

  friend bool operator==(const PatchOperation&, const PatchOperation&) = default;
};

using Patch = std::vector<PatchOperation>;  ///< applied in this order

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/patch_operation.ipp>
#endif
