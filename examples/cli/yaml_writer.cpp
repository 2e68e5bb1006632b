// SPDX-License-Identifier: Apache-2.0
#include "yaml_writer.hpp"

#include "../support/json_members.hpp"

#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace cli {

namespace {

bool is_object(std::string_view json) {
  return json.starts_with("{");
}
bool is_list(std::string_view json) {
  return json.starts_with("[");
}

/// Plain where every reader takes it for a text.
std::string key(const std::string& name) {
  const bool is_plain = !name.empty() &&
                        std::all_of(name.begin(), name.end(),
                                    [](char c) {
                                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                                             c == '.' || c == '/' || c == '-';
                                    }) &&
                        name.size() > 3 && name[0] != '-' && name[0] != '.';
  const bool is_word = name == "true" || name == "false" || name == "null" || name == "True" ||
                       name == "False" || name == "Null" || name == "TRUE" || name == "FALSE" ||
                       name == "NULL";
  return is_plain && !is_word ? name : schedpol::json::encode(name);
}

}  // namespace

std::string YamlWriter::write(std::string_view json, std::size_t indent) && {
  write_item(std::string(json), "", indent);
  return std::move(out_);
}

/// Whether anything in it has a comment, or itself.
bool YamlWriter::has_comments(const std::string& path) const {
  const auto next = comments_.lower_bound(path);
  return next != comments_.end() && next->first.starts_with(path);
}

/// What stands on one line: scalars, what is empty, and an entry without others in it.
bool YamlWriter::is_short(std::string_view json, const std::string& path) const {
  if (json == "{}" || json == "[]" || (!is_object(json) && !is_list(json))) return true;
  const auto found = comments_.find(path);
  if (found == comments_.end()) return false;
  const auto next = std::next(found);
  return next == comments_.end() || !next->first.starts_with(path);
}

void YamlWriter::write_value(std::string_view json, const std::string& path, std::size_t indent) {
  if (is_object(json)) {
    // Labels are keys as well as fields are; of a map of texts the entries are called `[key]`.
    for (const auto& [name, value] : support::read_object(json)) {
      const std::string as_field = path.empty() ? name : path + "." + name;
      const std::string as_key = path + "[" + name + "]";
      out_ += std::string(indent, ' ') + key(name) + ":";
      write_item(value.json, has_comments(as_key) ? as_key : as_field, indent);
    }
    return;
  }
  const auto items = schedpol::json::decode<std::vector<schedpol::json::RawMessage>>(json);
  for (std::size_t i = 0; items && i < items->size(); ++i) {
    const std::string at = path + "[" + std::to_string(i) + "]";
    out_ += std::string(indent, ' ') + "-";
    if (has_comments(at)) {
      write_item((*items)[i].json, at, indent);
    } else {
      out_ += " " + (*items)[i].json + "\n";
    }
  }
}

void YamlWriter::write_item(const std::string& json, const std::string& path, std::size_t indent) {
  const std::string_view text = json.empty() ? std::string_view("null") : json;
  const bool is_line = is_short(text, path);
  if (is_line) out_ += " " + std::string(text);
  if (const auto found = comments_.find(path); found != comments_.end())
    out_ += "  # " + found->second;
  out_ += '\n';
  if (!is_line) write_value(text, path, indent + 2);
}

}  // namespace cli
