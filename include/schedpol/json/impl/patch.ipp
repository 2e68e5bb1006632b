// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/impl/differ.hpp>
#include <schedpol/json/impl/document.ipp>
#include <schedpol/json/patch.hpp>

namespace SCHEDPOL_NAMESPACE::json {

SCHEDPOL_INLINE Patch make_patch(const Document& document, const Pod& before, const Pod& after) {
  const detail::Element root = DocumentAccess::root(document);
  detail::Differ differ(root);
  if (root.is_there()) differ.diff(before, after);
  return differ.patch();
}

SCHEDPOL_INLINE Patch make_patch(const Document& document, const ObjectMeta& before,
                                 const ObjectMeta& after) {
  const detail::Element root = DocumentAccess::root(document);
  detail::Differ differ(root);
  if (root.is_there()) differ.diff_object(before, after);
  return differ.patch();
}

}  // namespace SCHEDPOL_NAMESPACE::json
