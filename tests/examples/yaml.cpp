// SPDX-License-Identifier: Apache-2.0
// What the reader of YAML makes of its input, for yaml_test.py: a line of JSON for each object, and
// one for the error.
//
//     yaml [places|count] < STREAM
//
// With `places` each object has the line and column of the key and the value of all its fields;
// with `count` the objects are only counted.

#include "support/yaml/object_reader.hpp"

#include <schedpol/base/field_path.hpp>
#include <schedpol/json/decode.hpp>
#include <schedpol/json/encode.hpp>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

using schedpol::FieldPath;
using schedpol::json::RawMessage;
using schedpol::json::RawObject;

std::string text(std::string_view of) {
  return schedpol::json::encode(std::string(of));
}

std::string numbers(support::yaml::Place place) {
  return std::to_string(place.line) + "," + std::to_string(place.column);
}

/// The places of what stands below `path`, each as a member.
void append_places(std::string& line, const support::yaml::Object& object, const FieldPath& path,
                   const std::string& json) {
  const support::yaml::Location at = object.locate(path);
  line.append(text(to_string(path))).append(":[").append(numbers(at.key)).append(",");
  line.append(numbers(at.value)).append(at.exact ? "]" : ",\"not there\"]");
  if (json.starts_with('[')) {
    const auto items = schedpol::json::decode<std::vector<RawMessage>>(json);
    for (std::size_t i = 0; items && i < items->size(); ++i) {
      line += ',';
      append_places(line, object, path.index(i), (*items)[i].json);
    }
  } else if (json.starts_with('{')) {
    const auto members = schedpol::json::decode<RawObject>(json);
    for (const auto& [name, value] : members ? *members : RawObject()) {
      line += ',';
      append_places(line, object, path.child(name), value.json);
    }
  }
}

void print(const support::yaml::Object& object, bool with_places) {
  std::string line = "{\"object\":" + object.json();
  line.append(",\"place\":[").append(numbers(object.place())).append("]");
  if (!object.source().empty()) line.append(",\"source\":").append(text(object.source()));
  line += ",\"warnings\":[";
  for (const support::yaml::Message& warning : object.warnings()) {
    if (line.back() != '[') line += ',';
    line += text(to_string("-", warning));
  }
  line += ']';
  if (with_places) {
    line += ",\"places\":{";
    append_places(line, object, {}, object.json());
    line += '}';
  }
  // What is JSON may have lines of its own.
  for (char& c : line)
    if (c == '\n' || c == '\r') c = ' ';
  std::puts((line + "}").c_str());
}

/// Of this program alone: what the system counts for it at its end may be that of who started it.
std::size_t most_memory() {
  std::ifstream status("/proc/self/status");
  std::size_t most = 0;
  for (std::string name; status >> name;)
    if (name == "VmHWM:") status >> most;
  return most;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  support::yaml::ObjectReader reader([](char* to, std::size_t size) -> std::optional<std::size_t> {
    const std::size_t got = std::fread(to, 1, size, stdin);
    if (std::ferror(stdin) != 0) return std::nullopt;
    return got;
  });
  support::yaml::Object object;
  std::size_t count = 0;
  for (; reader.next(object); ++count)
    if (mode != "count") print(object, mode == "places");
  if (mode == "count") std::printf("{\"count\":%zu,\"memory\":%zu}\n", count, most_memory());
  if (!reader.error()) return 0;
  std::puts(("{\"error\":" + text(to_string("-", *reader.error())) + "}").c_str());
  return 2;
}
