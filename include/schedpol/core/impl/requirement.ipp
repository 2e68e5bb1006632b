// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/impl/requirement.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>
#include <charconv>
#include <system_error>

namespace SCHEDPOL_NAMESPACE::detail {

SCHEDPOL_INLINE std::optional<std::int64_t> label_int64(std::string_view text) noexcept {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

SCHEDPOL_INLINE bool Requirement::holds(const std::string* value) const noexcept {
  switch (operator_) {
    case Operator::in: return lists(value);
    case Operator::not_in: return !lists(value);
    case Operator::exists: return value != nullptr;
    case Operator::does_not_exist: return value == nullptr;
    case Operator::gt:
    case Operator::lt: break;
  }
  const auto number = value != nullptr ? label_int64(*value) : std::nullopt;
  if (!number) return false;
  return operator_ == Operator::gt ? *number > bound : *number < bound;
}

SCHEDPOL_INLINE bool Requirement::lists(const std::string* value) const noexcept {
  if (value == nullptr) return false;
  if (values.size() == 1) return values.front() == *value;  // mostly the lengths tell
  return std::binary_search(values.begin(), values.end(), *value);
}

SCHEDPOL_INLINE bool hold(const std::vector<Requirement>& requirements,
                          const Labels& labels) noexcept {
  for (const Requirement& requirement : requirements) {
    if (!requirement.holds(find_label(labels, requirement.key))) return false;
  }
  return true;
}

}  // namespace SCHEDPOL_NAMESPACE::detail
