// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/impl/differ.hpp>
#include <schedpol/json/impl/document_access.hpp>
#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/json/patch.hpp>

#include <utility>

namespace SCHEDPOL_NAMESPACE::json {

SCHEDPOL_INLINE Patch make_patch(const Document& document, const Pod& before, const Pod& after) {
  const detail::Element root = DocumentAccess::root(document);
  detail::PatchList list;
  if (!root.is_there()) return list.patch;
  detail::DocumentDiffer differ(list, root);
  differ.diff(before.kind, "metadata", before.metadata, after.metadata);
  differ.diff(before.kind, "spec", before.spec, after.spec);
  return std::move(list.patch);
}

SCHEDPOL_INLINE Patch make_patch(const Document& document, const ObjectMeta& before,
                                 const ObjectMeta& after) {
  const detail::Element root = DocumentAccess::root(document);
  detail::PatchList list;
  if (root.is_there()) detail::DocumentDiffer(list, root).diff(before, after);
  return std::move(list.patch);
}

}  // namespace SCHEDPOL_NAMESPACE::json
