// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which of the files and objects that a command is given it looks at, and how many it does not.
///
/// 1. `--exclude GLOB` leaves out the files that the glob names, and those of a folder that it names. It
///    names a path whose end it matches, from any name of the path on: `*` is any text within a name,
///    `?` any character of it, `**` any number of folders. An object that Helm says the source of is
///    excluded by that, too.
/// 2. `--exclude-kind KIND` leaves out the objects of this kind, as they spell it.
/// 3. In a folder, what Kustomize and Helm keep there (`kustomization.yaml`, `Chart.yaml`,
///    `values*.yaml`) is passed over, and so is what has neither `apiVersion` nor `kind`.
/// All of it is counted. A glob or a kind that excludes nothing is said on stderr.

#include "commands.hpp"
#include "report.hpp"

#include "../support/yaml/object.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace cli {

/// How a file was come to.
enum class Within {
  named,   ///< by its name, or it is stdin
  folder,  ///< it is in a folder
};

/// What becomes of a file or an object.
enum class Choice { looked_at, excluded, passed_over };

class Selection {
 public:
  explicit Selection(const Arguments& arguments);

  // Both count what they choose to leave out.
  [[nodiscard]] Choice choose(const std::string& file, Within within);
  [[nodiscard]] Choice choose(const support::yaml::Object& object, Within within);

  /// Adds the counts to the end of a report, and says what excluded nothing. Once all is read.
  void finish(Summary& summary) const;
  /// The same where no report has an end: the counts are said on stderr.
  void finish() const;

 private:
  /// A glob, in its parts, or a kind.
  struct Exclusion {
    std::string text{};
    std::vector<std::string> names{};
    bool excludes_any = false;
  };

  bool excludes_path(const std::string& path);
  bool excludes_kind(const std::string& kind);
  void say_needless() const;

  std::vector<Exclusion> globs_;
  std::vector<Exclusion> kinds_;
  std::set<std::string> seen_kinds_;
  std::size_t excluded_files_ = 0;
  std::size_t excluded_objects_ = 0;
  std::size_t files_of_tools_ = 0;
  std::size_t documents_ = 0;
};

}  // namespace cli
