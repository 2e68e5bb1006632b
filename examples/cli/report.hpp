// SPDX-License-Identifier: Apache-2.0
#pragma once

/// What a command finds, entry by entry, in the format that was asked for. Reports go to stdout,
/// and what is not part of one (progress, what could not be looked at) to stderr.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cli {

/// Where something stands; lines and columns count from 1, a line of 0 is all of the file.
struct Place {
  std::string file{};
  std::size_t line = 0;
  std::size_t column = 0;
};

/// `web.yaml:3:5`, printable, so that no name of a file breaks the line.
[[nodiscard]] std::string to_string(const Place& place);

enum class Level { error, warning, note };

[[nodiscard]] std::string_view to_string(Level level) noexcept;

/// Something to tell about an entry. `code` is the same for all of a sort.
struct Finding {
  Level level = Level::error;
  std::string code{};
  Place place{};
  std::string text{};
};

/// A line below an entry, for people.
struct Line {
  enum class Kind { plain, added, removed };
  Kind kind = Kind::plain;
  std::string text{};
};

/// What an object is called. What is not known of it is empty.
struct ObjectName {
  std::string api_version{};
  std::string kind{};
  std::string namespace_{};
  std::string name{};
};

/// `Deployment shop/web`; of an object without a name, its kind.
[[nodiscard]] std::string to_string(const ObjectName& object);

/// What was looked at, and what became of it.
struct Entry {
  bool good = false;
  bool skipped = false;   ///< nobody looked at it: it is neither good nor bad
  std::string verdict{};  ///< `allowed`, `changed`, `denied`, ...
  std::string name{};     ///< `Deployment shop/web`; empty where the findings are all there is
  std::optional<ObjectName> object{};  ///< where it is about one
  Place place{};
  std::vector<Finding> findings{};
  std::vector<Line> lines{};
  /// Members that the entry has in JSON besides: names, and values as JSON.
  std::vector<std::pair<std::string, std::string>> members{};
};

/// An entry that is a warning or a note, and no more.
[[nodiscard]] Entry entry_of(const Finding& finding);

/// What the report ends with.
struct Summary {
  std::vector<std::string> lines{};
  std::vector<std::string> problems{};  ///< what could not be looked at; people read it on stderr
  std::vector<std::pair<std::string, std::string>> members{};  ///< as those of an entry
};

/// Writes a report on `std::cout`. Keeps no entry of a text or JSON report; a JUnit report is kept
/// until its end, and of a SARIF report only the codes are.
class Reporter {
 public:
  Reporter() = default;
  virtual ~Reporter() = default;
  Reporter(const Reporter&) = delete;
  Reporter& operator=(const Reporter&) = delete;

  virtual void add(const Entry& entry) = 0;
  virtual void finish(const Summary& summary) = 0;
};

/// Of a command, in one of the formats of its table of options.
[[nodiscard]] std::unique_ptr<Reporter> make_reporter(std::string_view format,
                                                      std::string_view command);

[[nodiscard]] std::unique_ptr<Reporter> make_text_reporter();
[[nodiscard]] std::unique_ptr<Reporter> make_json_reporter();
[[nodiscard]] std::unique_ptr<Reporter> make_junit_reporter(std::string_view command);
[[nodiscard]] std::unique_ptr<Reporter> make_sarif_reporter();
[[nodiscard]] std::unique_ptr<Reporter> make_github_reporter();
[[nodiscard]] std::unique_ptr<Reporter> make_policy_reporter();

// Whatever a report is about, its texts are printable in it (../support/printable.hpp).

/// A finding as one line: of which entry it is, and its text.
[[nodiscard]] std::string described(const Entry& entry, const Finding& finding);

/// A JSON object of members whose values are JSON.
[[nodiscard]] std::string json_object(
    const std::vector<std::pair<std::string, std::string>>& members);

/// A text as a JSON string, printable.
[[nodiscard]] std::string json_text(std::string_view text);

/// `1 object`, `2 objects`.
[[nodiscard]] std::string counted(std::size_t count, std::string_view what);

}  // namespace cli
