// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/cluster/node_set.hpp>
#include <schedpol/impl/linkage.hpp>

#include <algorithm>

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE bool NodeSet::contains(std::size_t node) const noexcept {
  const std::size_t word = node / word_bits;
  return word < words_.size() && ((words_[word] >> (node % word_bits)) & 1U) != 0;
}

SCHEDPOL_INLINE bool NodeSet::empty() const noexcept {
  return begin() == end();
}

SCHEDPOL_INLINE std::size_t NodeSet::size() const noexcept {
  std::size_t sum = 0;
  for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

SCHEDPOL_INLINE void NodeSet::insert(std::size_t node) {
  const std::size_t word = node / word_bits;
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= std::uint64_t{1} << (node % word_bits);
}

SCHEDPOL_INLINE void NodeSet::erase(std::size_t node) noexcept {
  const std::size_t word = node / word_bits;
  if (word < words_.size()) words_[word] &= ~(std::uint64_t{1} << (node % word_bits));
}

SCHEDPOL_INLINE void NodeSet::clear() noexcept {
  words_.clear();  // and keeps its memory
}

SCHEDPOL_INLINE NodeSet::Iterator NodeSet::begin() const noexcept {
  return words_.empty() ? end() : Iterator(words_, 0);
}

SCHEDPOL_INLINE NodeSet::Iterator NodeSet::end() const noexcept {
  return {words_, words_.size()};
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator&=(const NodeSet& other) noexcept {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.words_[i];
  return *this;
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator|=(const NodeSet& other) {
  if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
  return *this;
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator-=(const NodeSet& other) noexcept {
  const std::size_t common = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < common; ++i) words_[i] &= ~other.words_[i];
  return *this;
}

SCHEDPOL_INLINE NodeSet NodeSet::operator&(const NodeSet& other) const {
  NodeSet both = *this;
  both &= other;
  return both;
}

SCHEDPOL_INLINE NodeSet NodeSet::operator|(const NodeSet& other) const {
  NodeSet either = *this;
  either |= other;
  return either;
}

SCHEDPOL_INLINE NodeSet NodeSet::operator-(const NodeSet& other) const {
  NodeSet rest = *this;
  rest -= other;
  return rest;
}

SCHEDPOL_INLINE bool NodeSet::operator==(const NodeSet& other) const noexcept {
  return std::equal(begin(), end(), other.begin(), other.end());
}

SCHEDPOL_INLINE NodeSet::Iterator NodeSet::Iterator::operator++(int) noexcept {
  const Iterator before = *this;
  ++*this;
  return before;
}

SCHEDPOL_INLINE NodeSet::Iterator::Iterator(const std::vector<std::uint64_t>& words,
                                            std::size_t word) noexcept
    : words_(words.data()), size_(words.size()), word_(word) {
  if (word_ < size_) {
    rest_ = words_[word_];
    to_next();
  }
}

}  // namespace SCHEDPOL_NAMESPACE
