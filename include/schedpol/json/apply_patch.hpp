// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Applies a JSON Patch (RFC 6902) to the text of a document. It edits the text in place of a
/// parser and a printer, so whatever the patch does not name keeps its bytes.

#include <schedpol/core/field_error.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/patch.hpp>

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace schedpol::json {

namespace detail {

/// A stretch of a text.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// Where an item of an object or list stands: from its key, if it has one, and its value alone.
struct ItemSpan {
  Span whole;
  Span value;
};

/// The places of the items of one object or list, by key or index.
class Container {
 public:
  /// False when `text` is no object or list.
  bool read(std::string_view text) {
    simdjson::padded_string padded(text);
    simdjson::ondemand::parser parser;
    simdjson::ondemand::document document;
    if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return false;
    simdjson::ondemand::object object;
    if (document.get_object().get(object) == simdjson::SUCCESS) {
      is_object_ = true;
      return read_object(object, padded.data());
    }
    simdjson::ondemand::array array;
    return document.get_array().get(array) == simdjson::SUCCESS && read_array(array, padded.data());
  }

  [[nodiscard]] bool is_object() const noexcept { return is_object_; }
  [[nodiscard]] const std::vector<ItemSpan>& items() const noexcept { return items_; }

  /// The index of the item that a token of a JSON Pointer names; the number of items for none.
  [[nodiscard]] std::size_t find(std::string_view token) const noexcept {
    if (is_object_) {
      return static_cast<std::size_t>(std::find(keys_.begin(), keys_.end(), token) - keys_.begin());
    }
    std::size_t index = items_.size();
    if (token == "-" || (token.size() > 1 && token.front() == '0')) return index;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), index);
    const bool whole = error == std::errc() && end == token.data() + token.size();
    return whole ? std::min(index, items_.size()) : items_.size();
  }

 private:
  bool read_object(simdjson::ondemand::object& object, const char* base) {
    for (auto item : object) {
      simdjson::ondemand::field field;
      std::string_view key;
      Span value;
      if (std::move(item).get(field) != simdjson::SUCCESS) return false;
      const auto begin = static_cast<std::size_t>(field.key().raw() - base) - 1;
      if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
      if (!read_value(field.value(), base, value)) return false;
      keys_.emplace_back(key);
      items_.push_back({{begin, value.end}, value});
    }
    return true;
  }
  bool read_array(simdjson::ondemand::array& array, const char* base) {
    for (auto item : array) {
      simdjson::ondemand::value value;
      Span span;
      if (std::move(item).get(value) != simdjson::SUCCESS || !read_value(value, base, span))
        return false;
      items_.push_back({span, span});
    }
    return true;
  }

  static bool read_value(simdjson::ondemand::value value, const char* base, Span& span) {
    simdjson::ondemand::json_type type{};
    if (value.type().get(type) != simdjson::SUCCESS) return false;
    std::string_view text;
    if (type == simdjson::ondemand::json_type::object) {
      simdjson::ondemand::object object;
      if (value.get_object().get(object) != simdjson::SUCCESS ||
          object.raw_json().get(text) != simdjson::SUCCESS)
        return false;
    } else if (type == simdjson::ondemand::json_type::array) {
      simdjson::ondemand::array array;
      if (value.get_array().get(array) != simdjson::SUCCESS ||
          array.raw_json().get(text) != simdjson::SUCCESS)
        return false;
    } else {
      text = value.raw_json_token();
    }
    while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
      text.remove_suffix(1);
    span.begin = static_cast<std::size_t>(text.data() - base);
    span.end = span.begin + text.size();
    return true;
  }

  bool is_object_ = false;
  std::vector<std::string> keys_;
  std::vector<ItemSpan> items_;
};

inline std::string unescaped(std::string_view token) {
  std::string text;
  for (std::size_t i = 0; i < token.size(); ++i) {
    const bool escape =
        token[i] == '~' && i + 1 < token.size() && (token[i + 1] == '0' || token[i + 1] == '1');
    text += !escape ? token[i] : token[i + 1] == '0' ? '~' : '/';
    if (escape) ++i;
  }
  return text;
}

/// Replaces, inserts or removes one item of the object or list `text`; false when that cannot be
/// done.
inline bool edit_item(std::string& text, PatchOp op, std::string_view token,
                      std::string_view value) {
  Container container;
  if (!container.read(text)) return false;
  const auto& items = container.items();
  const std::size_t at = container.find(token);
  const bool exists = at < items.size();
  if (exists && (op == PatchOp::replace || (op == PatchOp::add && container.is_object()))) {
    text.replace(items[at].value.begin, items[at].value.end - items[at].value.begin, value);
    return true;
  }
  if (op == PatchOp::add) {
    std::string item;
    if (container.is_object()) {
      item = encode(token) + ':';
    } else if (!exists && token != "-" && token != std::to_string(items.size())) {
      return false;
    }
    item += value;
    if (exists) {
      text.insert(items[at].whole.begin, item + ',');
    } else if (items.empty()) {
      text.insert(text.find_first_of("{[") + 1, item);
    } else {
      text.insert(items.back().whole.end, ',' + item);
    }
    return true;
  }
  if (op != PatchOp::remove || !exists) return false;
  // The comma goes with the item: the one after it, or for the last the one before.
  const bool last = at + 1 == items.size();
  const std::size_t begin = last && at > 0 ? items[at - 1].whole.end : items[at].whole.begin;
  const std::size_t end = last ? items[at].whole.end : items[at + 1].whole.begin;
  text.erase(begin, end - begin);
  return true;
}

/// Applies an operation to the part of a document that `pointer` (a `/` and a token at least) is
/// relative to.
inline bool apply_below(std::string& text, PatchOp op, std::string_view pointer,
                        std::string_view value) {
  if (!pointer.starts_with('/')) return false;
  const std::size_t slash = pointer.find('/', 1);
  const std::string token =
      unescaped(pointer.substr(1, slash == std::string_view::npos ? slash : slash - 1));
  if (slash == std::string_view::npos) return edit_item(text, op, token, value);
  Container container;
  if (!container.read(text)) return false;
  const std::size_t at = container.find(token);
  if (at >= container.items().size()) return false;
  const Span span = container.items()[at].value;
  std::string part = text.substr(span.begin, span.end - span.begin);
  if (!apply_below(part, op, pointer.substr(slash), value)) return false;
  text.replace(span.begin, span.end - span.begin, part);
  return true;
}

}  // namespace detail

/// The text of the document with the patch applied; all bytes that the patch does not name stay as
/// they are. An operation whose target is not there is an error with its pointer; bytes that are no
/// document within the limits are one without.
[[nodiscard]] inline Result<std::string> apply_patch(std::string_view document,
                                                     std::span<const PatchOperation> patch) {
  if (Document parsed; !parsed.parse(document)) return std::vector<FieldError>{parsed.error()};
  std::string text(document);
  for (const PatchOperation& operation : patch) {
    if (!detail::apply_below(text, operation.op, operation.path, operation.value)) {
      return std::vector<FieldError>{
          {ErrorType::invalid, operation.path, "", "the patch does not apply to the document"}};
    }
  }
  return text;
}

}  // namespace schedpol::json
