// SPDX-License-Identifier: Apache-2.0
#pragma once

/// JSON Patch (RFC 6902): the operations, and the patch from a document to what an admission made
/// of it. A patch is computed from the values before and after, names only what differs, and leaves
/// every field that the value types do not know where it is:
/// 1. What became absent is removed, what was absent or null is added, else replaced at the level
///    where it differs. Parents that the document lacks are added first.
/// 2. Items of lists are told by what they hold. One that is in both lists, or whose relative is
///    (the same key, or a criterion in common), keeps the fields that are not known here; no other
///    item gets them. What else there is is replaced, removed or added, in the shortest way from
///    one list to the other; lists of more than 4096 pairs of items are compared place by place.

#include <schedpol/core/object_meta.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/document.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace schedpol::json {

enum class PatchOp { add, replace, remove, move, copy, test };

[[nodiscard]] constexpr std::string_view to_string(PatchOp op) noexcept {
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

/// One operation. `path` and `from` are JSON Pointers (RFC 6901), `value` is the JSON of the value.
struct PatchOperation {
  PatchOp op = PatchOp::add;
  std::string path{};
  std::string value{};  ///< of add, replace and test; the others do not look at it
  std::string from{};   ///< of move and copy; the others do not look at it

  friend bool operator==(const PatchOperation&, const PatchOperation&) = default;
};

using Patch = std::vector<PatchOperation>;

/// The patch that gives a document the metadata and the scheduling fields of `after`. `document` is
/// the Pod or workload that was decoded as `before`, and good. Empty when nothing differs.
[[nodiscard]] Patch make_patch(const Document& document, const Pod& before, const Pod& after);

/// The same for the metadata of any object.
[[nodiscard]] Patch make_patch(const Document& document, const ObjectMeta& before,
                               const ObjectMeta& after);

}  // namespace schedpol::json

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/json/impl/patch.ipp>
#endif
