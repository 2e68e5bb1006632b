// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects of a stream of JSON: cut out by brackets and quotes, and then parsed.

#include "input.hpp"
#include "listed.hpp"
#include "object.hpp"

#include <schedpol/json/document.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace support::yaml {

class JsonObjects {
 public:
  /// Both have to outlive it; the document is the last object's.
  JsonObjects(Input& input, schedpol::json::Document& document)
      : input_(input), document_(document) {}

  enum class Next {
    object,
    end,
    not_json,  ///< from here on it may be YAML
    error,
  };
  [[nodiscard]] Next next(Object& object);

  [[nodiscard]] const std::optional<Message>& error() const noexcept { return error_; }

 private:
  Next next_members(Object& object);
  Next next_item(Object& object, char first);
  bool begin_list(std::size_t at);
  Next end_list(Object& object, std::size_t size);
  Next take_document(Object& object, std::size_t size);
  Next not_json(std::size_t at);
  Next fail(Place place, std::string text);
  char skip_space();
  /// What is at `at`, or behind the space there; null at the end.
  char byte_at(std::size_t& at);
  [[nodiscard]] bool has_ended(std::size_t at) const;
  bool skip_value(std::size_t& at);

  Input& input_;
  schedpol::json::Document& document_;
  Place place_;             ///< of the document
  bool has_items_ = false;  ///< the document, so far
  bool is_in_list_ = false;
  bool is_first_ = false;  ///< no item was seen
  Listed listed_;
  std::string list_;  ///< a list without its items, as far as it is read; or empty
  std::optional<Message> error_;
};

}  // namespace support::yaml
