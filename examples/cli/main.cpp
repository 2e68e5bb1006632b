// SPDX-License-Identifier: Apache-2.0
// The command line of schedpol: see `schedpol --help`.

#include "commands.hpp"

#include "../support/binary_streams.hpp"

#include <schedpol/base/quoting.hpp>

#include <CLI/CLI.hpp>

#include <csignal>
#include <iostream>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace {

using cli::Arguments;
using cli::Command;
using cli::Option;
using cli::Status;

std::string text(std::string_view view) {
  return std::string(view);
}

void add_option(CLI::App& app, const Option& option, Arguments& arguments) {
  std::string names = option.letter != 0 ? "-" + std::string(1, option.letter) + "," : "";
  names += "--" + text(option.name);
  const std::string help = text(option.help);
  CLI::Option* added = std::visit(
      [&](auto member) -> CLI::Option* {
        auto& into = arguments.*member;
        if constexpr (std::is_same_v<std::remove_reference_t<decltype(into)>, bool>) {
          return app.add_flag(names, into, help);
        } else {
          return app.add_option(names, into, help)->type_name(text(option.value));
        }
      },
      option.into);
  if (option.is_list()) {
    added->expected(1, CLI::detail::expected_max_vector_size)->take_all();
    added->allow_extra_args(option.value.ends_with("..."));
  }
  if (option.required) added->required();
  if (option.not_empty)
    added->check(
        [](const std::string& said) {
          return std::string(said.empty() ? "must not be empty" : "");
        },
        "");
  if (!option.words.empty()) {
    added->check(
        [&option](const std::string& said) {
          std::string supported;
          for (const std::string_view word : option.words) {
            if (word == said) return std::string();
            supported += (supported.empty() ? "" : ", ") + text(word);
          }
          return "`" + said + "` is not among " + supported;
        },
        "");
  }
}

CLI::App* add_command(CLI::App& app, const Command& command, Arguments& arguments) {
  CLI::App* const added = app.add_subcommand(text(command.name), text(command.summary));
  added->formatter_fn(
      [&command](const CLI::App*, std::string, CLI::AppFormatMode) { return help(command); });
  // How many there may be, `wrong_operands` says in words of its own.
  added->add_option("OPERANDS", arguments.operands)
      ->expected(0, CLI::detail::expected_max_vector_size);
  for (const Option& option : command.options) add_option(*added, option, arguments);
  return added;
}

/// Says what is wrong with the words behind the program's name, and where to look.
int refuse(const std::string& wrong, std::span<const char* const> words) {
  const Command* const command = words.empty() ? nullptr : cli::find_command(words[0]);
  std::cerr << "schedpol: " << wrong << "\nRun `schedpol "
            << (command != nullptr ? text(command->name) + " " : "")
            << "--help` for what there is.\n";
  return static_cast<int>(Status::not_looked);
}

/// What is wrong with how many operands a command has; empty where nothing is.
std::string wrong_operands(const Command& command, const std::vector<std::string>& operands) {
  const bool are_several = command.operands.find(' ') != std::string_view::npos;
  if (operands.size() < command.fewest_operands)
    return text(command.operands) + (are_several ? " are required" : " is required");
  if (operands.size() > command.most_operands)
    return "unexpected argument " + schedpol::in_backticks(operands[command.most_operands]);
  return {};
}

/// What the parser of options says, in our words where it has odd ones.
std::string wrong_options(const CLI::ParseError& error) {
  const std::string said = error.what();
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) == nullptr) return said;
  return said.substr(0, said.find(':')) + " needs a value";
}

}  // namespace

int main(int argc, char** argv) {
#if defined(SIGPIPE)
  // A reader that has gone, as `head` does, ends the program without a word, even where whoever
  // started it ignores the signal.
  std::signal(SIGPIPE, SIG_DFL);
#endif
  support::use_binary_streams();
  const std::span<const char* const> words(argv + 1, argv + argc);
  const std::string wrong = words.empty() ? "a command is required" : cli::unknown_word(words);
  if (!wrong.empty()) return refuse(wrong, words);
  CLI::App app(text(cli::program_summary), "schedpol");
  app.set_version_flag("--version", "schedpol " + cli::version_text());
  app.require_subcommand(1);
  app.formatter_fn([](const CLI::App*, std::string, CLI::AppFormatMode) { return cli::help(); });
  Arguments arguments;
  std::vector<CLI::App*> added;
  for (const Command& command : cli::commands())
    added.push_back(add_command(app, command, arguments));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return refuse(wrong_options(error), words);
  }
  Status status = Status::not_looked;
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (!added[i]->parsed()) continue;
    const Command& command = cli::commands()[i];
    const std::string odd = wrong_operands(command, arguments.operands);
    if (!odd.empty()) return refuse(odd, words);
    status = command.run(arguments);
  }
  if (!(std::cout << std::flush)) {
    std::cerr << "schedpol: the output cannot be written\n";
    return static_cast<int>(Status::not_looked);
  }
  return static_cast<int>(status);
}
