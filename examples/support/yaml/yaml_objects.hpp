// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Objects of a stream of YAML.

#include "input.hpp"
#include "listed.hpp"
#include "node_writer.hpp"
#include "object.hpp"
#include "parser.hpp"

#include <schedpol/json/document.hpp>

#include <optional>

namespace support::yaml {

class YamlObjects {
 public:
  /// Both have to outlive it; the document is the last object's.
  YamlObjects(Input& input, schedpol::json::Document& document)
      : parser_(input), writer_(parser_), document_(document) {}

  /// False at the end, and where there is an error.
  [[nodiscard]] bool next(Object& object);

  [[nodiscard]] const std::optional<Message>& error() const noexcept { return parser_.error(); }

 private:
  /// What an event is a part of.
  enum class Within { document, mapping, items };

  void begin_document(const Event& event);
  /// True when `object` is the whole document.
  bool read_root(const Event& event, Object& object);
  bool read_member(const Event& key);
  bool read_item(const Event& event, Object& object);
  bool end_mapping(Object& object);
  bool finish(Object& object);

  Parser parser_;
  NodeWriter writer_;
  schedpol::json::Document& document_;
  Within within_ = Within::document;
  Object whole_;            ///< a document that is a mapping, without the items of a list
  bool has_items_ = false;  ///< the document, so far
  bool is_list_ = false;
  Listed listed_;
};

}  // namespace support::yaml
