// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Sets of nodes, by their numbers in a `NodeTable`: the answers to questions about all nodes of a
/// cluster. You can combine sets from tables of different sizes. A set has only numbers that were
/// inserted.

#include <schedpol/version.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace SCHEDPOL_NAMESPACE {

/// Empty by default. Takes memory for every number up to the largest.
class NodeSet {
 public:
  class Iterator;
  using value_type = std::size_t;
  using const_iterator = Iterator;

  NodeSet() = default;

  [[nodiscard]] bool contains(std::size_t node) const noexcept;  ///< takes any number
  [[nodiscard]] bool empty() const noexcept;

  /// The number of nodes in the set.
  [[nodiscard]] std::size_t size() const noexcept;

  void insert(std::size_t node);          ///< does nothing if the node is in the set
  void erase(std::size_t node) noexcept;  ///< does nothing if the node is not in the set
  void clear() noexcept;                  ///< removes all nodes

  /// The numbers, ascending. Iterators are valid until the set changes.
  [[nodiscard]] Iterator begin() const noexcept;
  [[nodiscard]] Iterator end() const noexcept;

  /// Intersection, union and difference.
  NodeSet& operator&=(const NodeSet& other) noexcept;
  NodeSet& operator|=(const NodeSet& other);
  NodeSet& operator-=(const NodeSet& other) noexcept;

  [[nodiscard]] NodeSet operator&(const NodeSet& other) const;
  [[nodiscard]] NodeSet operator|(const NodeSet& other) const;
  [[nodiscard]] NodeSet operator-(const NodeSet& other) const;

  /// Whether both have the same numbers.
  [[nodiscard]] bool operator==(const NodeSet& other) const noexcept;

 private:
  friend class SparseNodeSet;

  static constexpr std::size_t word_bits = 64;

  std::vector<std::uint64_t> words_;
};

/// Iterates over the numbers, ascending.
class NodeSet::Iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = const std::size_t*;
  using reference = std::size_t;

  Iterator() = default;

  [[nodiscard]] std::size_t operator*() const noexcept {
    return word_ * word_bits + static_cast<std::size_t>(std::countr_zero(rest_));
  }
  Iterator& operator++() noexcept {
    rest_ &= rest_ - 1;
    return to_next();
  }
  Iterator operator++(int) noexcept;

  [[nodiscard]] friend bool operator==(const Iterator&, const Iterator&) = default;

 private:
  friend class NodeSet;

  Iterator(const std::vector<std::uint64_t>& words, std::size_t word) noexcept;

  /// If this word has no numbers left, goes to the next word that has any, or to the end.
  Iterator& to_next() noexcept {
    while (rest_ == 0 && ++word_ < size_) rest_ = words_[word_];
    return *this;
  }

  const std::uint64_t* words_ = nullptr;
  std::size_t size_ = 0;
  std::size_t word_ = 0;
  std::uint64_t rest_ = 0;  ///< the numbers of this word that are left
};

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/cluster/impl/node_set.ipp>
#endif
