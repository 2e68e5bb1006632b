// SPDX-License-Identifier: Apache-2.0
// The objects of a stream of YAML or JSON: each is a document that the library reads, and what is a
// JSON document has the same values, read as JSON and as YAML.

#include "fuzz.hpp"
#include "value.hpp"

#include "support/yaml/object_reader.hpp"

#include <schedpol/json/decode.hpp>
#include <schedpol/json/document.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

using schedpol::fuzz::law;
using schedpol::fuzz::Value;

namespace {

struct Reading {
  std::vector<std::string> objects;
  bool is_good = false;
};

Reading read(std::string_view bytes) {
  Reading reading;
  support::yaml::ObjectReader reader(bytes);
  schedpol::json::Document document;
  for (support::yaml::Object object; reader.next(object);) {
    law(document.parse(object.json()), "an object is a document", bytes, object.json());
    const support::yaml::Location root = object.locate({});
    law(root.exact && root.value == object.place(), "an object is where it begins", bytes);
    reading.objects.push_back(object.json());
  }
  reading.is_good = !reader.error();
  return reading;
}

/// A string by what it says, a number by its value of 64 bits.
bool same_scalar(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto text = [](const std::string& json) {
    return schedpol::json::decode<std::string>(json);
  };
  const auto number = [](const std::string& json) { return std::strtod(json.c_str(), nullptr); };
  if (a.front() == '"') return b.front() == '"' && *text(a) == *text(b);
  // What is beyond all numbers is a text as YAML.
  return std::isinf(number(a)) || (b.front() != '"' && number(a) == number(b));
}

/// Members in their order, which stays.
bool same_values(const Value& a, const Value& b) {
  if (a.kind != b.kind || a.members.size() != b.members.size()) return false;
  if (a.kind == Value::Kind::scalar) return same_scalar(a.scalar, b.scalar);
  for (std::size_t i = 0; i < a.members.size(); ++i) {
    const Value& left = a.members[i];
    const Value& right = b.members[i];
    if (a.kind == Value::Kind::object && !same_scalar(left.key, right.key)) return false;
    if (!same_values(left, right)) return false;
  }
  return true;
}

bool same_json(const std::string& a, const std::string& b) {
  const std::optional<Value> left = schedpol::fuzz::parse(a);
  const std::optional<Value> right = schedpol::fuzz::parse(b);
  return left && right && same_values(*left, *right);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes = schedpol::fuzz::text(data, size);
  {
    // Aliases may add this to what was written.
    const schedpol::fuzz::Cost cost;
    support::yaml::ObjectReader reader(bytes);
    for (support::yaml::Object object; reader.next(object);) continue;
    cost.is_within(size + support::yaml::max_alias_bytes);
  }
  const Reading reading = read(bytes);
  schedpol::json::Document document;
  if (!document.parse(bytes)) return 0;
  const auto root = schedpol::json::decode<schedpol::json::RawObject>(document);
  const bool is_whole = root && root->find("items") == root->end();
  if (is_whole) {
    law(reading.is_good && reading.objects.size() == 1 &&
            same_json(reading.objects[0], std::string(bytes)),
        "a JSON document is read as it is", bytes);
  }
  // A List gives its items its apiVersion where that is a text, which a number that no double holds
  // is as YAML alone.
  if (root && !is_whole) {
    const auto version = root->find("apiVersion");
    if (version != root->end() && !version->second.json.starts_with('"')) return 0;
  }
  // As YAML some of JSON is an error: surrogates, keys that are too long.
  const Reading as_yaml = read("---\n" + std::string(bytes));
  if (!as_yaml.is_good || !reading.is_good) return 0;
  law(as_yaml.objects.size() == reading.objects.size(), "JSON has the same objects as YAML", bytes);
  for (std::size_t i = 0; i < reading.objects.size(); ++i) {
    law(same_json(reading.objects[i], as_yaml.objects[i]), "JSON has the same values as YAML",
        reading.objects[i], as_yaml.objects[i]);
  }
  return 0;
}
