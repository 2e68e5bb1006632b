// SPDX-License-Identifier: Apache-2.0
// Tests policies before a cluster sees them: decides on the pods of a file of cases by the policies
// of a directory, compares the decisions with what is expected, and tells which rules of the
// policies no case exercised.
//
//     policytest POLICIES_DIR CASES.json [--junit FILE]
//
// Every *.json of the directory is read, in the order of their names: policies, RuntimeClasses,
// Namespaces, RBAC objects and one EngineConfiguration. cases.hpp tells how cases are written.
//
// A rule is exercised when leaving it out changes the decision on some case, be it the verdict, a
// reason, a warning or a change; so a rule that another one repeats is never exercised. Rules are
// the entries of lists and maps; of a field that permits anything, the field; MetadataPolicies
// count by their rules, ResourcePolicies as a whole. A rule without which the configuration does
// not compile (a required name that is the policy's own default) is listed apart, with the error.
//
// Exit status: 0, all cases are as expected; 1, some are not; 2, bad input or usage. Rules that
// nothing exercises do not change it.

#include "cases.hpp"
#include "junit.hpp"
#include "outcome.hpp"
#include "rules.hpp"

#include <schedpol/core/text.hpp>
#include <schedpol/engine/engine.hpp>
#include <schedpol/json/configuration.hpp>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

using namespace schedpol;
using namespace policytest;

namespace {

struct Arguments {
  std::string policies;
  std::string cases;
  std::optional<std::string> junit;
};

std::optional<Arguments> read_arguments(int argc, char** argv) {
  Arguments arguments;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--junit" && i + 1 < argc && !arguments.junit) {
      arguments.junit = argv[++i];
    } else if (argument.starts_with("-")) {
      return std::nullopt;
    } else {
      names.push_back(argument);
    }
  }
  if (names.size() != 2) return std::nullopt;
  arguments.policies = names[0];
  arguments.cases = names[1];
  return arguments;
}

void complain(const std::string& file, const std::vector<FieldError>& errors) {
  for (const FieldError& error : errors) std::cerr << file << ": " << message(error) << '\n';
}
void complain(const std::string& file, const std::string& text) {
  std::cerr << file << ": " << text << '\n';
}

std::optional<std::string> read_file(const std::string& name) {
  std::error_code error;
  std::ifstream file(name, std::ios::binary);
  if (!file || std::filesystem::is_directory(name, error)) {
    complain(name, "cannot be read");
    return std::nullopt;
  }
  return std::string(std::istreambuf_iterator<char>(file), {});
}

/// The files that `*.json` names in a shell, by name.
std::optional<std::vector<std::string>> list_policies(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> names;
  std::filesystem::directory_iterator at(directory, error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.ends_with(".json") && !name.starts_with(".")) names.push_back(at->path().string());
  }
  if (error) {
    complain(directory, "cannot be read: " + error.message());
    return std::nullopt;
  }
  if (names.empty()) {
    complain(directory, "there is no *.json");
    return std::nullopt;
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// Adds what a file holds. Returns what is wrong with it by itself, whatever the others hold: later
/// nobody knows which file an object is from.
std::vector<FieldError> add_file(engine::Configuration& configuration, const std::string& bytes) {
  engine::Configuration alone;
  std::vector<FieldError> errors = json::add_objects(alone, bytes);
  if (errors.empty()) errors = json::add_objects(configuration, bytes);
  if (!errors.empty()) return errors;
  if (alone.systems.empty()) {  // another file says them
    alone.systems.push_back({.system = engine::System::scheduling_policy});
  }
  return validate(alone);
}

/// Reads and compiles the whole directory, and complains of everything that is wrong.
std::optional<std::pair<engine::Configuration, engine::Engine>> read_policies(
    const std::string& directory) {
  const auto names = list_policies(directory);
  if (!names) return std::nullopt;
  engine::Configuration configuration;
  bool good = true;
  for (const std::string& name : *names) {
    const auto bytes = read_file(name);
    const auto errors = bytes ? add_file(configuration, *bytes) : std::vector<FieldError>();
    complain(name, errors);
    good = good && bytes && errors.empty();
  }
  if (!good) return std::nullopt;
  const std::vector<FieldError> errors = validate(configuration);
  complain(directory, errors);
  if (!errors.empty()) return std::nullopt;
  engine::Engine engine = *engine::compile(configuration);
  return std::pair(std::move(configuration), std::move(engine));
}

/// On one line, whatever it holds.
std::string line(std::string_view text) {
  std::string out;
  append_escaped(out, text, "");
  return out;
}

struct Coverage {
  std::size_t rules = 0;
  std::vector<std::string> unexercised;
  std::vector<std::string> inseparable;
};

/// What was decided, without the hints at what would have been permitted: those list rules that had
/// no part in it.
engine::Decision without_hints(engine::Decision decision) {
  for (engine::StepDecision& step : decision.steps)
    for (Violation& violation : step.violations) violation.permitted = {};
  return decision;
}

/// Decides all cases anew without each of the rules in turn.
Coverage cover(const engine::Configuration& configuration, const std::vector<Case>& cases,
               const std::vector<engine::Decision>& decisions) {
  Coverage coverage;
  for (const policytest::Rule& rule : rules_of(configuration)) {
    ++coverage.rules;
    engine::Configuration without_it = configuration;
    rule.leave_out(without_it);
    if (const std::vector<FieldError> errors = validate(without_it); !errors.empty()) {
      coverage.inseparable.push_back(line(to_string(rule.name)) + ": " + message(errors.front()));
      continue;
    }
    const auto engine = engine::compile(without_it);
    const bool same =
        std::equal(cases.begin(), cases.end(), decisions.begin(),
                   [&](const Case& one, const engine::Decision& decision) {
                     return without_hints(decide(one, *engine)) == without_hints(decision);
                   });
    if (same) coverage.unexercised.push_back(line(to_string(rule.name)));
  }
  return coverage;
}

void print_list(std::string_view title, const std::vector<std::string>& lines) {
  if (lines.empty()) return;
  std::cout << title << '\n';
  for (const std::string& text : lines) std::cout << "  " << text << '\n';
}

void print(const std::vector<CaseResult>& results, const Coverage& coverage) {
  std::size_t good = 0;
  for (const CaseResult& result : results) {
    good += result.differences.empty() ? 1 : 0;
    std::cout << (result.differences.empty() ? "ok      " : "FAILED  ") << line(result.name)
              << '\n';
    if (result.differences.empty()) continue;
    for (const std::string& text : result.differences) std::cout << "  " << text << '\n';
    for (const std::string& text : result.decided) std::cout << "  " << text << '\n';
  }
  const std::size_t exercised =
      coverage.rules - coverage.unexercised.size() - coverage.inseparable.size();
  std::cout << '\n'
            << good << " of " << results.size() << " cases as expected, " << exercised << " of "
            << coverage.rules << " rules exercised\n";
  print_list("exercised by no case, which fails nothing:", coverage.unexercised);
  print_list("not looked at, because nothing compiles without them:", coverage.inseparable);
}

/// The name of the file without its extension, in ASCII: nothing else is sure to be UTF-8.
std::string suite_name(const std::string& file) {
  std::string name = std::filesystem::path(file).stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  return name;
}

}  // namespace

int main(int argc, char** argv) {
  const auto arguments = read_arguments(argc, argv);
  if (!arguments) {
    std::cerr << "usage: policytest POLICIES_DIR CASES.json [--junit FILE]\n";
    return 2;
  }
  const auto policies = read_policies(arguments->policies);
  const auto bytes = read_file(arguments->cases);
  const auto cases = bytes ? read_cases(*bytes) : Result<std::vector<Case>>(std::vector<Case>{});
  complain(arguments->cases, cases.errors());
  if (!policies || !bytes || !cases) return 2;
  const auto& [configuration, engine] = *policies;

  std::vector<engine::Decision> decisions;
  std::vector<CaseResult> results;
  for (const Case& one : *cases) {
    const Outcome outcome = outcome_of(decisions.emplace_back(decide(one, engine)));
    results.push_back({one.name, differences(one.expect, outcome), texts_of(outcome)});
  }
  print(results, cover(configuration, *cases, decisions));
  if (arguments->junit) {
    std::ofstream file(*arguments->junit, std::ios::binary);
    file << junit(suite_name(arguments->cases), results) << std::flush;
    if (!file) {
      complain(*arguments->junit, "cannot be written");
      return 2;
    }
  }
  if (!(std::cout << std::flush)) return 2;
  const bool good = std::all_of(results.begin(), results.end(), [](const CaseResult& result) {
    return result.differences.empty();
  });
  return good ? 0 : 1;
}
