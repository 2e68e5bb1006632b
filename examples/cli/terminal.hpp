// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What is shown on terminals only: colour, where `NO_COLOR` is not set, and progress on stderr.

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace cli {

enum class Colour { none, red, green, yellow, bold };

/// On stdout; as it is where that is no terminal.
[[nodiscard]] std::string coloured(std::string_view text, Colour colour);

/// A line on stderr that says how far long work is, several times a second; nothing where stderr is
/// no terminal.
class Progress {
 public:
  Progress();
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Of `bytes` there are, where that is known.
  void show(std::size_t objects, std::size_t read, std::size_t bytes);

 private:
  bool on_;
  bool shown_ = false;
  std::chrono::steady_clock::time_point next_;
};

}  // namespace cli
