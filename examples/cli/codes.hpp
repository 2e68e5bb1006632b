// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What the codes of findings mean, for reports that describe their rules.

#include <string>
#include <string_view>

namespace cli {

struct CodeText {
  std::string_view meaning{};  ///< a sentence
  std::string_view help{};     ///< what to do about it
  std::string_view name{};     ///< where the words of the code are too few
};

[[nodiscard]] CodeText text_of(std::string_view code);

/// `Toleration not allowed` of `TolerationNotAllowed`.
[[nodiscard]] std::string words_of(std::string_view code);

}  // namespace cli
