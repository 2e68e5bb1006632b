// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The steps of a path that is written down, such as that to the pod templates of a custom kind.

#include <schedpol/version.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// A field, and where it is followed by `[*]` each item of the list in it.
struct WrittenStep {
  std::string_view field;
  bool each_item;
};

/// The steps of `spec.replicatedJobs[*].template`, whose text outlives them; none where it is malformed. A field is
/// letters, digits, `_` and `-`, as the API server has them in the schema of a custom resource.
[[nodiscard]] inline std::vector<WrittenStep> written_steps(std::string_view path) {
  constexpr std::string_view each = "[*]";
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  std::vector<WrittenStep> steps;
  while (true) {
    const std::size_t dot = path.find('.');
    std::string_view field = path.substr(0, dot);
    const bool each_item = field.ends_with(each);
    if (each_item) field.remove_suffix(each.size());
    if (field.empty() || field.find_first_not_of(letters) != std::string_view::npos) return {};
    steps.push_back({field, each_item});
    if (dot == std::string_view::npos) return steps;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace SCHEDPOL_NAMESPACE::detail
