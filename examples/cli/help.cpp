// SPDX-License-Identifier: Apache-2.0
// `schedpol --help` and `schedpol COMMAND --help`, made of the table of commands.

#include "commands.hpp"

#include <algorithm>
#include <iostream>

namespace cli {

namespace {

constexpr std::size_t width = 80;

/// In lines of at most `width`, each after so many spaces; the first one has its own.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent,
                    std::size_t first_used) {
  std::size_t used = first_used;
  bool is_first = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    if (!is_first && used + 1 + end > width) {
      out.append("\n").append(indent, ' ');
      used = indent;
    } else if (!is_first) {
      out += ' ';
      ++used;
    }
    is_first = false;
    out += text.substr(0, end);
    used += end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  out += '\n';
}

/// A line of a table of two columns.
void append_row(std::string& out, const std::string& left, std::string_view right) {
  constexpr std::size_t column = 28;
  out += "  " + left;
  const std::size_t used = 2 + left.size();
  if (used + 2 > column) {
    out.append("\n").append(column, ' ');
  } else {
    out.append(column - used, ' ');
  }
  append_wrapped(out, right, column, column);
}

}  // namespace

std::string help() {
  std::string out = "schedpol " + std::string(program_summary) +
                    ".\n\nUsage: schedpol COMMAND ...\n\nCommands:\n";
  for (const Command& command : commands())
    if (!command.is_hidden) append_row(out, std::string(command.name), command.summary);
  out += "\nOptions:\n";
  append_row(out, "-h, --help", "print this help; after a command, print the help of that command");
  append_row(out, "--version", "print the version");
  out +=
      "\nExample:\n  schedpol init shop && cd shop && schedpol check policies/ --for workloads/\n";
  return out;
}

std::string help(const Command& command) {
  std::string out = "schedpol " + std::string(command.name) + " ";
  append_wrapped(out, std::string(command.summary) + ".", 0, out.size());
  out += "\nUsage: schedpol " + std::string(command.name);
  for (const Option& option : command.options)
    if (option.required) out.append(" --").append(option.name).append(" ").append(option.value);
  out.append(command.options.empty() ? " " : " [OPTIONS] ").append(command.operands).append("\n");
  if (!command.about.empty()) {
    out += '\n';
    append_wrapped(out, command.about, 0, 0);
  }
  out += "\nOptions:\n";
  for (const Option& option : command.options) {
    std::string left =
        option.letter != 0 ? "-" + std::string(1, option.letter) + ", " : std::string("    ");
    left.append("--").append(option.name);
    if (option.takes_value()) left.append(" ").append(option.value);
    append_row(out, left, option.help);
  }
  append_row(out, "-h, --help", "print this help");
  if (!command.example.empty()) out += "\nExample:\n  " + std::string(command.example) + "\n";
  return out;
}

Status run_version(const Arguments&) {
  std::cout << "schedpol " << version_text() << '\n';
  return Status::good;
}

Status run_help(const Arguments& arguments) {
  if (arguments.operands.empty()) {
    std::cout << help();
    return Status::good;
  }
  const Command* const command = find_command(arguments.operands[0]);
  if (command == nullptr) {
    std::cerr << "schedpol: " << unknown_command(arguments.operands[0]) << '\n';
    return Status::not_looked;
  }
  std::cout << help(*command);
  return Status::good;
}

}  // namespace cli
