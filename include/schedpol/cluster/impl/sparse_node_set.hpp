// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The nodes with one name, label, value or taint; a table has such a set for each of these.
/// 1. It has the numbers that were inserted and not erased, like a `NodeSet`.
/// 2. It takes 16 bytes for each block of 64 numbers in which it has any, and nothing for other blocks. So
///    the name of one node takes as little memory among ten thousand nodes as among ten.
/// 3. Adding it to a `NodeSet`, or subtracting it, takes a few instructions for each block.

#include <schedpol/cluster/node_set.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE {

class SparseNodeSet {
 public:
  [[nodiscard]] bool empty() const noexcept { return words_.empty(); }

  /// False where it was in already.
  bool insert(std::size_t node) {
    auto at = find(node);
    if (at == words_.end() || at->index != index_of(node)) at = words_.insert(at, {index_of(node)});
    const std::uint64_t before = at->bits;
    at->bits |= bit_of(node);
    return at->bits != before;
  }

  /// One that is in.
  void erase(std::size_t node) noexcept {
    const auto at = find(node);
    at->bits &= ~bit_of(node);
    if (at->bits == 0) words_.erase(at);
  }

  /// The least, of a set that is not empty.
  [[nodiscard]] std::size_t front() const noexcept {
    return words_.front().index * NodeSet::word_bits +
           static_cast<std::size_t>(std::countr_zero(words_.front().bits));
  }

  void add_to(NodeSet& set) const {
    if (words_.empty()) return;
    if (set.words_.size() <= words_.back().index) set.words_.resize(words_.back().index + 1);
    for (const Word& word : words_) set.words_[word.index] |= word.bits;
  }

  void remove_from(NodeSet& set) const noexcept {
    for (const Word& word : words_) {
      if (word.index >= set.words_.size()) break;
      set.words_[word.index] &= ~word.bits;
    }
  }

 private:
  /// Of a `NodeSet`, and which.
  struct Word {
    std::size_t index = 0;
    std::uint64_t bits = 0;
  };

  static std::size_t index_of(std::size_t node) noexcept { return node / NodeSet::word_bits; }
  static std::uint64_t bit_of(std::size_t node) noexcept {
    return std::uint64_t{1} << (node % NodeSet::word_bits);
  }
  /// The first word that is not before that of a node.
  std::vector<Word>::iterator find(std::size_t node) noexcept {
    return std::partition_point(words_.begin(), words_.end(),
                                [&](const Word& word) { return word.index < index_of(node); });
  }

  std::vector<Word> words_;  ///< by index; none is 0
};

}  // namespace SCHEDPOL_NAMESPACE
