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
[[nodiscard]] inline Members members_by_key(simdjson::dom::object object) {
  Members members;
  for (const auto& [key, value] : object)
    if (!value.is_null()) members.emplace_back(key, value);
  std::sort(members.begin(), members.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  return members;
}

/// Costs n log n in what both say.
[[nodiscard]] inline bool is_equal(Element a, Element b) {
  if (a.type() != b.type()) return false;
  switch (a.type()) {
    case simdjson::dom::element_type::OBJECT: {
      const Members of_a = members_by_key(a.get_object().value_unsafe());
      const Members of_b = members_by_key(b.get_object().value_unsafe());
      return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(),
                        [](const auto& one, const auto& other) {
                          return one.first == other.first && is_equal(one.second, other.second);
                        });
    }
    case simdjson::dom::element_type::ARRAY: {
      const simdjson::dom::array of_a = a.get_array().value_unsafe();
      const simdjson::dom::array of_b = b.get_array().value_unsafe();
      auto at = of_a.begin();
      for (const Element item : of_b) {
        if (!(at != of_a.end()) || !is_equal(*at, item)) return false;
        ++at;
      }
      return !(at != of_a.end());
    }
    case simdjson::dom::element_type::STRING:
      return a.get_string().value_unsafe() == b.get_string().value_unsafe();
    case simdjson::dom::element_type::INT64:
      return a.get_int64().value_unsafe() == b.get_int64().value_unsafe();
    case simdjson::dom::element_type::UINT64:
      return a.get_uint64().value_unsafe() == b.get_uint64().value_unsafe();
    case simdjson::dom::element_type::DOUBLE:
      return a.get_double().value_unsafe() == b.get_double().value_unsafe();
    case simdjson::dom::element_type::BOOL:
      return a.get_bool().value_unsafe() == b.get_bool().value_unsafe();
    case simdjson::dom::element_type::NULL_VALUE: return true;
  }
  return false;
}

}  // namespace schedpol::json::detail
