// SPDX-License-Identifier: Apache-2.0
#include "input.hpp"

#include <algorithm>

namespace support::yaml {

bool Input::fill() {
  constexpr std::size_t part = 65536;
  if (has_ended_) return false;
  if (begin_ > buffer_.size() / 2) {
    buffer_.erase(0, begin_);
    begin_ = 0;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + part);
  const std::optional<std::size_t> size = read_(buffer_.data() + before, part);
  buffer_.resize(before + std::min(size.value_or(0), part));
  has_failed_ = !size;
  has_ended_ = buffer_.size() == before;
  return !has_ended_;
}

void Input::skip_byte_order_mark() {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  while (rest().size() < mark.size() && fill()) continue;
  if (rest().starts_with(mark)) begin_ += mark.size();
}

void Input::drop(std::size_t bytes) {
  place_ = behind(place_, rest().substr(0, bytes));
  begin_ += bytes;
}

}  // namespace support::yaml
