// SPDX-License-Identifier: Apache-2.0
// `schedpol man`: the man page, made of the table of commands.

#include "commands.hpp"

#include <cctype>
#include <iostream>

namespace cli {

namespace {

/// As a line of roff that is no request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '-') out += '\\';
    out += c == '\\' ? 'e' : c;
  }
  return out.starts_with(".") || out.starts_with("'") ? "\\&" + out : out;
}

void write_option(const Option& option) {
  std::cout << ".TP\n.B ";
  if (option.letter != 0) std::cout << "\\-" << option.letter << ", ";
  std::cout << "\\-\\-" << roff(option.name);
  if (option.takes_value()) std::cout << " \\fI" << roff(option.value) << "\\fR";
  std::cout << '\n' << roff(option.help) << (option.required ? "; required" : "") << '\n';
}

}  // namespace

Status run_man(const Arguments&) {
  std::cout << ".TH SCHEDPOL 1 \"\" \"schedpol " << version_text() << "\"\n"
            << ".SH NAME\nschedpol \\- " << roff(program_summary) << "\n"
            << ".SH SYNOPSIS\n";
  for (const Command& command : commands()) {
    if (command.is_hidden) continue;
    std::cout << ".B schedpol " << roff(command.name) << "\n.RI [ options ] \" "
              << roff(command.operands) << "\"\n.br\n";
  }
  std::cout
      << ".SH DESCRIPTION\nPolicies and objects are YAML or JSON: files, folders, or "
         "\\fB\\-\\fR for stdin.\nWithout roles and bindings, every SchedulingPolicy is used.\n"
         ".SH COMMANDS\n";
  for (const Command& command : commands()) {
    if (command.is_hidden) continue;
    std::cout << ".SS schedpol " << roff(command.name) << '\n'
              << roff(command.summary) << ".\n.PP\n"
              << roff(command.about) << '\n';
    for (const Option& option : command.options) write_option(option);
    std::cout << ".PP\nExample:\n.PP\n.nf\n.RS\n" << roff(command.example) << "\n.RE\n.fi\n";
  }
  std::cout << ".SH ENVIRONMENT\n.TP\n.B NO_COLOR\nIf it is set and not empty, output on a "
               "terminal has no colour.\n";
  return Status::good;
}

}  // namespace cli
