// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What several policies say at one place, in the order in which the policies count. A merge goes
/// through the places of a spec, and at each through those who say something there.

#include <schedpol/core/any_or.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::scheduling_policy::detail {

/// `value` is what the policy of that name says.
template <class T>
struct Said {
  const T* value = nullptr;
  const std::string* policy = nullptr;
};

template <class T>
bool is_said(const AnyOr<T>& field) noexcept {
  return !field.is_absent();
}
template <class T>
bool is_said(const std::optional<T>& field) noexcept {
  return field.has_value();
}
template <class T>
bool is_said(const std::vector<T>& list) noexcept {
  return !list.empty();
}

/// What they say in one of the fields.
template <class T, class Field>
std::vector<Said<Field>> said(const std::vector<Said<T>>& all, Field T::*field) {
  std::vector<Said<Field>> found;
  for (const Said<T>& each : all)
    if (is_said(each.value->*field)) found.push_back({&(each.value->*field), each.policy});
  return found;
}

/// What stands inside, of those who list something.
template <class T>
std::vector<Said<T>> inside(const std::vector<Said<AnyOr<T>>>& all) {
  std::vector<Said<T>> found;
  for (const Said<AnyOr<T>>& each : all)
    if (each.value->is_listed()) found.push_back({&each.value->listed(), each.policy});
  return found;
}
template <class T>
std::vector<Said<T>> inside(const std::vector<Said<std::optional<T>>>& all) {
  std::vector<Said<T>> found;
  for (const Said<std::optional<T>>& each : all)
    if (*each.value) found.push_back({&**each.value, each.policy});
  return found;
}

/// What they say at each key of a map; at a key, an absent value is said too.
template <class Map>
auto by_key(const std::vector<Said<Map>>& all) {
  std::map<std::string_view, std::vector<Said<typename Map::mapped_type>>> found;
  for (const Said<Map>& each : all)
    for (const auto& [key, value] : *each.value) found[key].push_back({&value, each.policy});
  return found;
}

}  // namespace schedpol::scheduling_policy::detail
