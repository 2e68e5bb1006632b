// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The JSON Patch (RFC 6902) from a document to what an admission made of it. It is computed from
/// the values before and after, names only what differs, and leaves every field that the value
/// types do not know where it is:
/// 1. What became absent is removed, what was absent or null is added, else replaced at the level
///    where it differs. Parents that the document lacks are added first.
/// 2. Items of lists are told by what they hold. One that is in both lists, or whose relative is
///    (the same key, or a criterion in common among the first `max_compared_requirements`), keeps the
///    fields that are not known here; no other item gets them. What else there is is replaced, removed or added, in the shortest way from
///    one list to the other; of more than `max_list_edit_cells` pairs items change place by place.

#include <schedpol/core/pod.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/patch_operation.hpp>

namespace SCHEDPOL_NAMESPACE::json {

/// The patch that gives a document the metadata and the scheduling fields of `after`. `document` is
/// the Pod or workload that was decoded as `before`, and good. Empty when nothing differs.
[[nodiscard]] Patch make_patch(const Document& document, const Pod& before, const Pod& after);

/// The same for the metadata of any object.
[[nodiscard]] Patch make_patch(const Document& document, const ObjectMeta& before,
                               const ObjectMeta& after);

}  // namespace SCHEDPOL_NAMESPACE::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/patch.ipp>
#endif
