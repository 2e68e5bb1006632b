// SPDX-License-Identifier: Apache-2.0
// `schedpol completion SHELL`: the completions of a shell, made of the table of commands. Where no
// word of the table fits, shells complete files.

#include "commands.hpp"

#include <iostream>
#include <string>

namespace cli {

namespace {

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text.append(text.empty() ? "" : " ").append(word);
  return text;
}

/// Within single quotes of a shell.
std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

void write_bash() {
  std::cout << "# bash completion of schedpol\n_schedpol() {\n"
               "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
               "  COMPREPLY=()\n"
               "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    words='";
  for (const Command& command : commands())
    if (!command.is_hidden) std::cout << command.name << ' ';
  std::cout << "--help --version'\n  else\n    case \"${COMP_WORDS[1]} $before\" in\n";
  for (const Command& command : commands()) {
    for (const Option& option : command.options) {
      if (!option.takes_value()) continue;
      std::cout << "      '" << command.name << " --" << option.name << "'";
      if (option.letter != 0) std::cout << " | '" << command.name << " -" << option.letter << "'";
      std::cout << ") words='" << joined(option.words) << "' ;;\n";
    }
  }
  std::cout << "      *)\n        case \"${COMP_WORDS[1]}\" in\n";
  for (const Command& command : commands()) {
    if (command.is_hidden) continue;
    std::cout << "          " << command.name << ") words='";
    for (const Option& option : command.options) std::cout << "--" << option.name << ' ';
    std::cout << "--help' ;;\n";
  }
  std::cout
      << "        esac\n        case \"$word\" in -*) ;; *) words= ;; esac ;;\n    esac\n  fi\n"
         "  if [ -n \"$words\" ]; then\n"
         "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "  else\n    COMPREPLY=($(compgen -f -- \"$word\"))\n  fi\n}\n"
         "complete -o filenames -F _schedpol schedpol\n";
}

void write_zsh() {
  std::cout << "#compdef schedpol\n_schedpol() {\n  if (( CURRENT == 2 )); then\n    local -a "
               "commands=(\n";
  for (const Command& command : commands()) {
    if (!command.is_hidden)
      std::cout << "      '" << command.name << ":" << quoted(command.summary) << "'\n";
  }
  std::cout
      << "    )\n    _describe command commands\n    return\n  fi\n  local command=$words[2]\n"
         "  shift words\n  (( CURRENT-- ))\n  case $command in\n";
  for (const Command& command : commands()) {
    if (command.is_hidden) continue;
    std::cout << "    " << command.name << ") _arguments '--help[print help]'";
    for (const Option& option : command.options) {
      std::string rest = "[" + quoted(option.help) + "]";
      if (!option.words.empty())
        rest += ":value:(" + joined(option.words) + ")";
      else if (option.value == "PATH...")
        rest += ":path:_files";
      else if (option.takes_value())
        rest += ":value: ";
      const std::string many = option.is_list() ? "*" : "";
      std::cout << " '" << many << "--" << option.name << rest << "'";
      if (option.letter != 0) std::cout << " '" << many << "-" << option.letter << rest << "'";
    }
    std::cout << " '*:path:_files' ;;\n";
  }
  std::cout << "  esac\n}\n_schedpol \"$@\"\n";
}

void write_fish() {
  for (const Command& command : commands()) {
    if (command.is_hidden) continue;
    std::cout << "complete -c schedpol -n __fish_use_subcommand -f -a " << command.name << " -d '"
              << quoted(command.summary) << "'\n";
    for (const Option& option : command.options) {
      std::cout << "complete -c schedpol -n '__fish_seen_subcommand_from " << command.name
                << "' -l " << option.name;
      if (option.letter != 0) std::cout << " -s " << option.letter;
      if (!option.words.empty())
        std::cout << " -x -a '" << joined(option.words) << "'";
      else if (option.value == "PATH...")
        std::cout << " -r";
      else if (option.takes_value())
        std::cout << " -x";
      std::cout << " -d '" << quoted(option.help) << "'\n";
    }
  }
}

}  // namespace

Status run_completion(const Arguments& arguments) {
  const std::string& shell = arguments.operands[0];
  if (shell == "bash")
    write_bash();
  else if (shell == "zsh")
    write_zsh();
  else if (shell == "fish")
    write_fish();
  else {
    std::cerr << "schedpol completion: `" << shell << "` is not among bash, zsh, fish\n";
    return Status::not_looked;
  }
  return Status::good;
}

}  // namespace cli
