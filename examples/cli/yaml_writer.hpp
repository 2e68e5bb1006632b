// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects as YAML, an entry of a policy a line, with a comment. What an entry holds, and an item of a
/// list in which nothing has a comment, stays JSON, which is YAML.

#include <map>
#include <string>
#include <string_view>

namespace cli {

class YamlWriter {
 public:
  /// The comments of entries, by their places below what is written: `allowed.tolerations[2]`.
  using Comments = std::map<std::string, std::string, std::less<>>;

  explicit YamlWriter(const Comments& comments) : comments_(comments) {}

  /// A value that stands behind a name, so far below the margin.
  [[nodiscard]] std::string write(std::string_view json, std::size_t indent = 0) &&;

 private:
  [[nodiscard]] bool has_comments(const std::string& path) const;
  [[nodiscard]] bool is_short(std::string_view json, const std::string& path) const;
  void write_value(std::string_view json, const std::string& path, std::size_t indent);
  void write_item(const std::string& json, const std::string& path, std::size_t indent);

  const Comments& comments_;
  std::string out_;
};

}  // namespace cli
