// SPDX-License-Identifier: Apache-2.0
#pragma once

/// An object as it was written: its JSON, and where in the text each part of it stands.

#include "place.hpp"

#include <schedpol/base/field_path.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace support::yaml {

/// Where a field stands.
struct Location {
  Place key{};    ///< of its name; of an item of a list, and of the object itself, its value's
  Place value{};  ///< of what it is
  /// False where there is no such field: then it is the place of the nearest one around it.
  bool exact = false;
};

class Object {
 public:
  /// One JSON document, as `json::decode` and the other functions of the library read it.
  [[nodiscard]] const std::string& json() const noexcept { return json_; }

  /// What Helm's comment `# Source: chart/templates/x.yaml` before a YAML document says; or empty.
  [[nodiscard]] const std::string& source() const noexcept { return source_; }

  /// What a person may have meant otherwise; an object has at most `max_reported_errors` of these.
  [[nodiscard]] const std::vector<Message>& warnings() const noexcept { return warnings_; }

  [[nodiscard]] Place place() const noexcept { return place_; }

  /// Takes as long as the object; nothing is prepared for it. What an alias stands for is where it
  /// was written. Of a key that is there twice it is the last.
  [[nodiscard]] Location locate(const schedpol::FieldPath& path) const;

 private:
  friend class JsonObjects;
  friend class YamlObjects;
  friend class NodeWriter;

  /// A key or value of what was YAML, and where it begins in the JSON.
  struct Mark {
    std::uint32_t offset = 0;
    std::uint32_t column = 1;
    std::size_t line = 1;
  };

  [[nodiscard]] Place place_of(std::size_t offset) const;
  void clear(Place place);

  std::string json_;
  std::string source_;
  std::vector<Message> warnings_;
  std::vector<Mark> marks_;  ///< none where the JSON is the text itself
  Place place_;
  std::size_t written_ = 0;  ///< the bytes of the JSON that are from the text, before any added
};

}  // namespace support::yaml
