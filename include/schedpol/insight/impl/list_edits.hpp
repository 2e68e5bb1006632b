// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The fewest edits that make one list another: one adds, removes or replaces an item.

#include <schedpol/core/limits.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// What stands in the list as it came, and what will stand in its place; absent: nothing. `at` is
/// the index of what is added in the new list, and of all else that in the old one.
template <class T>
struct ListEdit {
  std::size_t at = 0;
  std::optional<T> from{};
  std::optional<T> to{};
};

/// In the order of the list. What both lists begin and end with costs nothing; the rest is compared
/// each with each, or where that is more than `max_compared`, one after the other.
template <class T>
std::vector<ListEdit<T>> edits_between(const std::vector<T>& from, const std::vector<T>& to) {
  std::size_t begin = 0;
  while (begin < std::min(from.size(), to.size()) && from[begin] == to[begin]) ++begin;
  std::size_t end = 0;
  while (end < std::min(from.size(), to.size()) - begin &&
         from[from.size() - 1 - end] == to[to.size() - 1 - end])
    ++end;
  const std::size_t rows = from.size() - begin - end;
  const std::size_t columns = to.size() - begin - end;
  if (rows * columns > max_compared) {
    std::vector<ListEdit<T>> edits;
    for (std::size_t i = 0; i < std::max(rows, columns); ++i) {
      if (i < std::min(rows, columns) && from[begin + i] == to[begin + i]) continue;
      ListEdit<T>& edit = edits.emplace_back();
      edit.at = begin + i;
      if (i < rows) edit.from = from[begin + i];
      if (i < columns) edit.to = to[begin + i];
    }
    return edits;
  }
  // The edits from there on.
  std::vector<std::vector<std::size_t>> left(rows + 1, std::vector<std::size_t>(columns + 1));
  for (std::size_t i = rows + 1; i-- > 0;) {
    for (std::size_t j = columns + 1; j-- > 0;) {
      if (i == rows || j == columns) {
        left[i][j] = rows - i + columns - j;
      } else if (from[begin + i] == to[begin + j]) {
        left[i][j] = left[i + 1][j + 1];
      } else {
        left[i][j] = 1 + std::min({left[i + 1][j + 1], left[i + 1][j], left[i][j + 1]});
      }
    }
  }
  std::vector<ListEdit<T>> edits;
  for (std::size_t i = 0, j = 0; i < rows || j < columns;) {
    const std::size_t at = begin + i;
    if (i < rows && j < columns && from[at] == to[begin + j]) {
      ++i;
      ++j;
    } else if (i < rows && left[i][j] == 1 + left[i + 1][j]) {
      edits.push_back({at, from[at], std::nullopt});
      ++i;
    } else if (i < rows && j < columns && left[i][j] == 1 + left[i + 1][j + 1]) {
      edits.push_back({at, from[at], to[begin + j]});
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
