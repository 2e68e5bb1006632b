// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The commands and their options as one table. The parser is made of it, and so are the help, the
/// man page and the completions.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace cli {

/// The exit status, whatever the format of the output.
enum class Status {
  good = 0,        ///< all is as it should be
  bad = 1,         ///< something is denied, has failed, or differs
  not_looked = 2,  ///< something could not be looked at, or there was nothing to look at
};

/// What a command line says.
struct Arguments {
  std::vector<std::string> operands{};
  std::vector<std::string> objects{};
  std::vector<std::string> nodes{};
  std::vector<std::string> pods{};
  std::vector<std::string> excluded{};
  std::vector<std::string> excluded_kinds{};
  std::vector<std::string> existing{};
  std::vector<std::string> from{};
  std::vector<std::string> prove{};
  std::vector<std::string> generalise{};
  std::vector<std::string> components{};
  std::string namespace_ = "default";
  std::string output = "text";
  std::string filter{};
  std::string stdin_name = "<stdin>";
  std::string strategy{};
  std::string service_account{};
  std::optional<std::string> replicas{};
  bool policy_only = false;
  std::string subject{};
  std::string mode{};  ///< empty: that of the EngineConfiguration
  std::string date{};
  std::size_t common = 0;        ///< percent; none
  std::size_t max_policies = 0;  ///< none: any number
  bool only_denied = false;
  bool coverage = false;
  bool strict = false;
  bool live_rbac = false;
  bool as_stored = false;
  bool any_node_names = false;
};

/// What an option says, and whether it has a value, is told by the member that it sets.
struct Option {
  std::string_view name;
  char letter;  ///< 0: none
  std::variant<bool Arguments::*, std::string Arguments::*, std::size_t Arguments::*,
               std::optional<std::string> Arguments::*, std::vector<std::string> Arguments::*>
      into;
  std::string_view value;  ///< what the value is called; of files and folders `PATH...`
  std::string_view help;
  std::span<const std::string_view> words{};  ///< where no others may be said
  bool required = false;
  bool not_empty =
      false;  ///< an empty value, such as that of a variable that is not set, is an error

  [[nodiscard]] bool takes_value() const noexcept { return into.index() != 0; }
  /// Whether it may be said again.
  [[nodiscard]] bool is_list() const noexcept {
    return std::holds_alternative<std::vector<std::string> Arguments::*>(into);
  }
};

struct Command {
  std::string_view name;
  std::string_view summary;   ///< a line of the list of commands
  std::string_view operands;  ///< `POLICIES...`
  std::size_t fewest_operands;
  std::size_t most_operands;
  std::string_view about;    ///< what it answers, and what its exit status says
  std::string_view example;  ///< a command line
  std::span<const Option> options;
  Status (*run)(const Arguments&);
  bool is_hidden = false;  ///< for packagers
};

[[nodiscard]] std::span<const Command> commands() noexcept;
/// Null where there is none of that name.
[[nodiscard]] const Command* find_command(std::string_view name) noexcept;

/// `unknown command `chek`, did you mean `check``.
[[nodiscard]] std::string unknown_command(std::string_view word);
/// The same of the first command or option of a command line that there is not; empty where all are
/// known.
[[nodiscard]] std::string unknown_word(std::span<const char* const> words);

/// `0.3.0`.
[[nodiscard]] std::string version_text();

/// What the program is for, in a line.
inline constexpr std::string_view program_summary =
    "tests Kubernetes scheduling policies before a cluster sees them";

/// What `--help` prints: of the program, of a command.
[[nodiscard]] std::string help();
[[nodiscard]] std::string help(const Command& command);

// What each command runs.
Status run_check(const Arguments& arguments);
Status run_explain(const Arguments& arguments);
Status run_lint(const Arguments& arguments);
Status run_diff(const Arguments& arguments);
Status run_merge(const Arguments& arguments);
Status run_test(const Arguments& arguments);
Status run_plan(const Arguments& arguments);
Status run_suggest(const Arguments& arguments);
Status run_export(const Arguments& arguments);
Status run_init(const Arguments& arguments);
Status run_version(const Arguments& arguments);
Status run_help(const Arguments& arguments);
Status run_man(const Arguments& arguments);
Status run_completion(const Arguments& arguments);

}  // namespace cli
