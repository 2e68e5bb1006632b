// SPDX-License-Identifier: Apache-2.0
// Words of a command line that there are not, which a parser of options would call something else:
// where `--fro` is unknown, it is of no help that `--for` is missing.

#include "commands.hpp"

#include <schedpol/base/did_you_mean.hpp>
#include <schedpol/base/quoting.hpp>

namespace cli {

namespace {

std::string unknown(std::string_view what, std::string_view word,
                    std::span<const std::string_view> known) {
  return "unknown " + std::string(what) + " " + schedpol::in_backticks(word) +
         schedpol::did_you_mean(word, known);
}

std::string unknown_option(std::string_view word, const std::vector<std::string>& known) {
  const std::vector<std::string_view> names(known.begin(), known.end());
  // Of one letter the nearest would be any other one.
  const bool is_letter = word.size() == 2;
  return unknown("option", word, is_letter ? std::span<const std::string_view>() : names);
}

/// What is wrong with the words behind a command.
std::string unknown_option(const Command& command, std::span<const char* const> words) {
  std::vector<std::string> known = {"-h", "--help"};
  for (const Option& option : command.options) {
    known.push_back("--" + std::string(option.name));
    if (option.letter != 0) known.push_back("-" + std::string(1, option.letter));
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (word == "--") break;
    if (word.size() < 2 || word[0] != '-' || word == "--help" || word == "-h") continue;
    const bool is_long = word[1] == '-';
    const std::string_view name = word.substr(0, is_long ? word.find('=') : 2);
    const Option* found = nullptr;
    for (const Option& option : command.options) {
      if (word.substr(1) == option.name) return unknown_option(word, known);  // `-output`
      if (is_long ? name.substr(2) == option.name : option.letter == name[1]) found = &option;
    }
    if (found == nullptr) return unknown_option(name, known);
    if (found->takes_value() && word.size() == name.size()) ++i;
  }
  return {};
}

}  // namespace

const Command* find_command(std::string_view name) noexcept {
  for (const Command& command : commands())
    if (command.name == name) return &command;
  return nullptr;
}

std::string unknown_command(std::string_view word) {
  std::vector<std::string_view> known;
  for (const Command& command : commands())
    if (!command.is_hidden) known.push_back(command.name);
  return unknown("command", word, known);
}

std::string unknown_word(std::span<const char* const> words) {
  const std::string_view first = words[0];
  if (first.starts_with("-")) {
    const bool is_known = first == "-h" || first == "--help" || first == "--version";
    return is_known ? std::string() : unknown_option(first, {"--help", "--version"});
  }
  const Command* const command = find_command(first);
  return command == nullptr ? unknown_command(first) : unknown_option(*command, words.subspan(1));
}

}  // namespace cli
