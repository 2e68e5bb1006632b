// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Amounts of single resources, by their names. Their bodies come with `core/resources.hpp`.

#include <schedpol/core/quantity.hpp>

namespace SCHEDPOL_NAMESPACE {

struct Resources;

namespace detail {

/// Whether a resource counts by rule 3 of `core/resources.hpp`.
[[nodiscard]] bool is_counted(std::string_view resource);

/// How much there is of one resource.
[[nodiscard]] std::int64_t amount_of(const Resources& resources,
                                     std::string_view resource) noexcept;

/// So much of a resource as people write it: `1800m`, `2` of cpu, `512Mi` of memory.
[[nodiscard]] Quantity to_quantity(std::string_view resource, std::int64_t amount);

/// A list as people read it: `cpu=250m, memory=120Mi`.
[[nodiscard]] inline std::string to_text(const ResourceList& resources) {
  std::string text;
  for (const auto& [name, quantity] : resources) {
    if (!text.empty()) text += ", ";
    text.append(name).append("=").append(quantity.text());
  }
  return text;
}

}  // namespace detail

}  // namespace SCHEDPOL_NAMESPACE
