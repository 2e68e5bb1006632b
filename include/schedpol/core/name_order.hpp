// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The order in which policies count: byte order of their names, of equal ones those of the cluster
/// before those of a namespace, then byte order of the namespaces. It does not depend on the order
/// in which the policies were given.

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

namespace schedpol::detail {

/// What tells one object of a list from the others.
struct Named {
  std::string_view name{};
  bool namespaced = false;
  std::string_view namespace_{};
  std::size_t index = 0;  ///< in the list

  /// Whether both are called the same, which no two objects of a cluster are.
  [[nodiscard]] bool is_namesake(const Named& other) const noexcept {
    return name == other.name && namespaced == other.namespaced && namespace_ == other.namespace_;
  }
};

/// Namesakes stay in the order of the list.
inline void sort_by_name(std::vector<Named>& objects) {
  std::sort(objects.begin(), objects.end(), [](const Named& a, const Named& b) {
    if (a.name != b.name) return a.name < b.name;
    if (a.namespaced != b.namespaced) return b.namespaced;
    if (a.namespace_ != b.namespace_) return a.namespace_ < b.namespace_;
    return a.index < b.index;
  });
}

}  // namespace schedpol::detail
