// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether two elements of documents say the same: numbers by type and value, lists item by item,
/// objects whatever the order of their members, of which those that are null count as absent.

#include <schedpol/json/impl/insides.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::json::detail {

using Members = std::vector<std::pair<std::string_view, Element>>;

/// By their keys. A parsed document has each once.
[[nodiscard]] inline Members members_by_key(Element object) {
  Members members;
  ElementMembers all;
  if (!object.get(all)) return members;
  for (const auto& [key, value] : all)
    if (!value.is_null()) members.emplace_back(key, value);
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return members;
}

/// Of a real number, which is written in one way, but for this one.
[[nodiscard]] inline bool is_zero(Element real) {
  return real.text() == "0.0" || real.text() == "-0.0";
}

/// Costs n log n in what both say.
[[nodiscard]] inline bool is_equal(Element a, Element b) {
  if (a.kind() != b.kind()) return false;
  switch (a.kind()) {
    case ElementKind::object: {
      const Members of_a = members_by_key(a);
      const Members of_b = members_by_key(b);
      return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                        [](const auto& one, const auto& other) {
                          return one.first == other.first && is_equal(one.second, other.second);
                        });
    }
    case ElementKind::list: {
      ElementItems of_a;
      ElementItems of_b;
      if (!a.get(of_a) || !b.get(of_b) || of_a.size() != of_b.size()) return false;
      auto at = of_a.begin();
      for (const Element item : of_b) {
        if (!is_equal(*at, item)) return false;
        ++at;
      }
      return true;
    }
    case ElementKind::real: return a.text() == b.text() || (is_zero(a) && is_zero(b));
    case ElementKind::string:
    case ElementKind::integer:
    case ElementKind::natural: return a.text() == b.text();
    case ElementKind::no:
    case ElementKind::yes:
    case ElementKind::null:
    case ElementKind::absent: return true;
  }
  return false;
}

}  // namespace schedpol::json::detail
