// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON Patch (RFC 6902) from a document to the result of an admission. It compares the values
/// before and after, names only what differs, and keeps every field that the value types do not know:
/// 1. What became absent is removed. What was absent or null is added. Anything else is replaced at the
///    level where it differs. Parents that the document lacks are added first.
/// 2. List items are identified by their content. An item keeps its unknown fields if it is in both lists,
///    or if the other list has a related one: with the same key, or with a common requirement among the
///    first `max_compared_requirements`. No other item gets these fields. All other items are replaced,
///    removed or added by the shortest edit; with more than `max_list_edit_cells` pairs, index by index.

#include <schedpol/core/pod.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/patch_operation.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The patch that gives a document the metadata and the scheduling fields of `after`. `document` is the
/// good document from which `before` was decoded. Empty if nothing differs.
[[nodiscard]] Patch make_patch(const Document& document, const Pod& before, const Pod& after);

/// The same for the metadata of any object.
[[nodiscard]] Patch make_patch(const Document& document, const ObjectMeta& before,
                               const ObjectMeta& after);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/patch.ipp>
#endif
