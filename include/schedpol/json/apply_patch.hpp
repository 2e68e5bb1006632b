// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Applies a JSON Patch (RFC 6902) to the text of a document. What the patch does not name keeps its bytes.
/// 1. A pointer (RFC 6901) is empty (the whole document) or begins with `/`. In its names `~0` means
///    `~`, `~1` means `/`, and any other `~` is an error. An index is decimal digits without leading
///    zeros. `-` is the place after the last item; only add, move and copy can use it.
/// 2. add sets a member, replacing one with that name, or inserts an item before the one at the index.
///    replace, remove, move, copy and test need an existing target. A value cannot be moved into itself,
///    and the whole document cannot be removed.
/// 3. test compares by section 4.6 of RFC 6902: numbers by value, members in any order.
/// 4. All operations are applied, in order, or none is.
/// The result must be within the limits of a document, and so must the depth of what the patch names, moves
/// or copies. All copies together may copy the size of the document, or `max_copied_bytes` if that is more;
/// all operations may go through `max_patched_bytes`. Beyond these: `too_many`, `too_long`.

#include <schedpol/base/field_error.hpp>
#include <schedpol/json/patch_operation.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The text of the document with the patch applied. If an operation cannot be applied, there is one error
/// at `patch[i]` and its member (`patch[3].path`), with the value there. If the bytes are not a document
/// within the limits, there is one error, as in `Document`.
[[nodiscard]] Result<std::string> apply_patch(std::string_view document,
                                              std::span<const PatchOperation> patch);

/// The same with the patch as JSON. Members of an operation that RFC 6902 does not know are ignored.
/// A missing member, a member of the wrong type and an unknown operation are errors at `patch[i]`.
/// Bytes that are not a patch are errors at `patch`.
[[nodiscard]] Result<std::string> apply_patch(std::string_view document, std::string_view patch);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/apply_patch.ipp>
#endif
