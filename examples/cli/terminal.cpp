// SPDX-License-Identifier: Apache-2.0
#include "terminal.hpp"

#include <unistd.h>

#include <cstdlib>
#include <iostream>

namespace cli {

namespace {

constexpr auto soon = std::chrono::milliseconds(200);
constexpr std::size_t bar_width = 30;

bool has_colour() {
  static const bool has = [] {
    const char* const no = std::getenv("NO_COLOR");
    return isatty(STDOUT_FILENO) != 0 && (no == nullptr || *no == '\0');
  }();
  return has;
}

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none: return "";
    case Colour::red: return "31";
    case Colour::green: return "32";
    case Colour::yellow: return "33";
    case Colour::bold: return "1";
  }
  return "";
}

}  // namespace

std::string coloured(std::string_view text, Colour colour) {
  if (colour == Colour::none || !has_colour()) return std::string(text);
  return "\x1b[" + std::string(code_of(colour)) + "m" + std::string(text) + "\x1b[0m";
}

Progress::Progress()
    : on_(isatty(STDERR_FILENO) != 0), next_(std::chrono::steady_clock::now() + soon) {}

Progress::~Progress() {
  if (shown_) std::cerr << "\r\x1b[K" << std::flush;
}

void Progress::show(std::size_t objects, std::size_t read, std::size_t bytes) {
  if (!on_) return;
  const auto now = std::chrono::steady_clock::now();
  if (now < next_) return;
  next_ = now + soon;
  shown_ = true;
  std::cerr << "\r\x1b[K";
  if (bytes > 0) {
    const std::size_t done = read >= bytes ? bar_width : read * bar_width / bytes;
    std::cerr << '[' << std::string(done, '#') << std::string(bar_width - done, ' ') << "] ";
  }
  std::cerr << objects << " objects, " << (read >> 20U) << " MiB" << std::flush;
}

}  // namespace cli
