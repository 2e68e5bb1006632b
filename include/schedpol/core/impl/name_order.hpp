// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The order in which policies count, and duplicate names.
///
/// The order is the byte order of the names, then of the namespaces. Cluster-scoped objects have no
/// namespace, so they come first. The order of the input does not count.

#include <schedpol/version.hpp>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <tuple>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// What tells one object of a list from the others.
struct NamedObject {
  std::string_view name{};
  std::string_view namespace_{};  ///< empty: of the cluster
  std::size_t index = 0;          ///< in the list

  /// Whether both are called the same, which no two objects of a cluster are.
  [[nodiscard]] bool is_namesake(const NamedObject& other) const noexcept {
    return name == other.name && namespace_ == other.namespace_;
  }
};

/// The order; namesakes stay in that of the list.
[[nodiscard]] inline bool is_before(const NamedObject& a, const NamedObject& b) noexcept {
  return std::tie(a.name, a.namespace_, a.index) < std::tie(b.name, b.namespace_, b.index);
}

inline void sort_by_name(std::vector<NamedObject>& objects) {
  std::sort(objects.begin(), objects.end(), is_before);
}

/// Of objects in the order of `sort_by_name`, those that have a namesake before them.
inline std::vector<NamedObject> namesakes(const std::vector<NamedObject>& sorted) {
  std::vector<NamedObject> later;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].is_namesake(sorted[i - 1])) later.push_back(sorted[i]);
  }
  return later;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
