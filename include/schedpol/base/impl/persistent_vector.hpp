// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A persistent vector: its copies share what they have in common, so that one item of ten thousand is changed
/// without copying the others, or so much as looking at them.

#include <schedpol/base/impl/shared.hpp>

#include <vector>

namespace SCHEDPOL_NAMESPACE::detail {

/// Copies may be read by any number of threads, each copy changed by one.
template <class T>
class PersistentVector {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Of an index below the size.
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept {
    return (*chunks_[index / chunk_size])[index % chunk_size];
  }

  /// The item to be changed.
  [[nodiscard]] T& own(std::size_t index) {
    return chunks_[index / chunk_size].own()[index % chunk_size];
  }

  void push_back(T item) {
    if (size_ % chunk_size == 0) chunks_.emplace_back();
    chunks_.back().own().push_back(std::move(item));
    ++size_;
  }

 private:
  using Chunk = std::vector<T>;

  static constexpr std::size_t chunk_size = 64;

  std::vector<CopyOnWrite<Chunk>> chunks_;  ///< full, but the last
  std::size_t size_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE::detail
