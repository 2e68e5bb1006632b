// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The fewest edits that make one list another: one adds, removes or replaces an item.

#include <schedpol/insight/impl/compared.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// What stands in the list as it came, and what will stand in its place; absent: nothing. `at` is
/// the index of what is added in the new list, and of all else that in the old one.
template <class T>
struct ListChange {
  std::size_t at = 0;
  std::optional<T> from{};
  std::optional<T> to{};
};

/// In the order of the list. What both lists begin and end with costs nothing; the rest is compared
/// each with each. None once the budget is used up.
template <class T>
std::vector<ListChange<T>> edits_between(const std::vector<T>& from, const std::vector<T>& to,
                                         Budget& budget) {
  std::size_t begin = 0;
  while (begin < std::min(from.size(), to.size()) && from[begin] == to[begin]) ++begin;
  std::size_t end = 0;
  while (end < std::min(from.size(), to.size()) - begin &&
         from[from.size() - 1 - end] == to[to.size() - 1 - end])
    ++end;
  const std::size_t rows = from.size() - begin - end;
  const std::size_t columns = to.size() - begin - end;
  const std::size_t cells = (rows + 1) * (columns + 1);
  if (!budget.spend(2 * cells) || !budget.keep(sizeof(std::uint32_t) * cells)) return {};
  // The edits from there on.
  std::vector<std::uint32_t> left(cells);
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint32_t& {
    return left[i * (columns + 1) + j];
  };
  for (std::size_t i = rows + 1; i-- > 0;) {
    for (std::size_t j = columns + 1; j-- > 0;) {
      if (i == rows || j == columns) {
        at(i, j) = static_cast<std::uint32_t>(rows - i + columns - j);
      } else if (from[begin + i] == to[begin + j]) {
        at(i, j) = at(i + 1, j + 1);
      } else {
        at(i, j) = 1 + std::min({at(i + 1, j + 1), at(i + 1, j), at(i, j + 1)});
      }
    }
  }
  std::vector<ListChange<T>> edits;
  for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
    const std::size_t here = begin + i;
    if (i < rows && j < columns && from[here] == to[begin + j]) {
      ++i;
      ++j;
    } else if (i < rows && at(i, j) == 1 + at(i + 1, j)) {
      edits.push_back({here, from[here], std::nullopt});
      ++i;
    } else if (i < rows && j < columns && at(i, j) == 1 + at(i + 1, j + 1)) {
      edits.push_back({here, from[here], to[begin + j]});
      ++i;
      ++j;
    } else {
      edits.push_back({begin + j, std::nullopt, to[begin + j]});
      ++j;
    }
  }
  return edits;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
