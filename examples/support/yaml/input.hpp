// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The bytes of a stream, read as far as somebody looks.

#include "place.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace support::yaml {

/// Puts at most `size` bytes there and tells how many; none at the end, nothing on a failure.
using ReadBytes = std::function<std::optional<std::size_t>(char* bytes, std::size_t size)>;

class Input {
 public:
  explicit Input(ReadBytes read) : read_(std::move(read)) {}

  /// What was read and not dropped.
  [[nodiscard]] std::string_view rest() const noexcept {
    return std::string_view(buffer_).substr(begin_);
  }
  [[nodiscard]] Place place() const noexcept { return place_; }  ///< of its first byte

  /// Reads more. False where there is none, or where it cannot be read.
  [[nodiscard]] bool fill();
  [[nodiscard]] bool has_failed() const noexcept { return has_failed_; }

  /// What says at the begin of a stream that it is UTF-8 is no part of the text.
  void skip_byte_order_mark();

  /// The first bytes of the rest are done with.
  void drop(std::size_t bytes);

 private:
  ReadBytes read_;
  std::string buffer_;
  std::size_t begin_ = 0;
  Place place_;
  bool has_ended_ = false;
  bool has_failed_ = false;
};

}  // namespace support::yaml
