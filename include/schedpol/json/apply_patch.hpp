// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Applies a JSON Patch (RFC 6902) to the text of a document: what it does not name keeps its bytes.
/// 1. A pointer (RFC 6901) is empty, the whole document, or begins with `/`; in its names `~0` is
///    `~`, `~1` is `/`, and no other `~` may stand. An index is decimal digits without leading
///    zeros; `-` is the place after the last item, where only add, move and copy find anything.
/// 2. add puts a member, replacing one of that name, or an item in front of the one that is there;
///    replace, remove, move, copy and test need their target. A value cannot be moved into itself,
///    and the whole document cannot be removed.
/// 3. test compares as section 4.6 of RFC 6902 has it: numbers by value, members in any order.
/// 4. All operations are applied, in their order, or none is.
/// What a patch makes is within the limits of a document, and so is the depth of what it names, moves
/// or copies. Its copies copy together at most as much as the document has, or `max_copied_bytes`;
/// its operations go through at most `max_patched_bytes`. Beyond: `too_many`, `too_long`.

#include <schedpol/base/field_error.hpp>
#include <schedpol/json/patch_operation.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The text of the document with the patch applied. An operation that cannot be applied is one
/// error at `patch[i]` and its member (`patch[3].path`), with what stands there. Bytes that are no
/// document within the limits are one error as in `Document`.
[[nodiscard]] Result<std::string> apply_patch(std::string_view document,
                                              std::span<const PatchOperation> patch);

/// The same with the patch as JSON. Members of an operation that RFC 6902 does not know are
/// ignored; one that is missing or of a wrong type is an error at `patch[i]`, and so is an unknown
/// operation. Bytes that are no patch are errors at `patch`.
[[nodiscard]] Result<std::string> apply_patch(std::string_view document, std::string_view patch);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/apply_patch.ipp>
#endif
