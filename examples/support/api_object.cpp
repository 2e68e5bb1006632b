// SPDX-License-Identifier: Apache-2.0
#include "api_object.hpp"

#include <simdjson.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace support {
namespace {

namespace ondemand = simdjson::ondemand;

/// Calls `take(key, value)` for each field, until it says that it cannot use one. False then, and
/// where it is no object.
template <class Take>
bool read_fields(simdjson::simdjson_result<ondemand::object> found, Take&& take) {
  ondemand::object object;
  if (std::move(found).get(object) != simdjson::SUCCESS) return false;
  for (simdjson::simdjson_result<ondemand::field> found_field : object) {
    ondemand::field field;
    std::string_view key;
    if (std::move(found_field).get(field) != simdjson::SUCCESS) return false;
    if (field.unescaped_key().get(key) != simdjson::SUCCESS) return false;
    if (!take(key, field.value())) return false;
  }
  return true;
}

bool read_text(ondemand::value value, std::string& text) {
  std::string_view view;
  if (value.get_string().get(view) != simdjson::SUCCESS) return false;
  text = view;
  return true;
}

bool read_metadata(ondemand::value value, ApiObject& object) {
  return read_fields(value.get_object(), [&](std::string_view key, ondemand::value field) {
    if (key == "name") return read_text(field, object.key.name);
    if (key == "namespace") return read_text(field, object.key.namespace_);
    if (key == "resourceVersion") return read_text(field, object.resource_version);
    return true;
  });
}

/// Whether a text means itself between quotation marks.
bool is_plain(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '.' ||
           c == '/' || c == '-';
  });
}

/// What the items of a list are, which do not say it themselves.
struct ItemType {
  std::string api_version{};
  std::string kind{};
};

/// `part` is a piece of bytes with `capacity` readable ones from its begin.
bool read_object(ondemand::parser& parser, std::string_view part, std::size_t capacity,
                 const ItemType& type, ApiObject& object) {
  ondemand::document document;
  if (parser.iterate(part.data(), part.size(), capacity).get(document) != simdjson::SUCCESS)
    return false;
  bool has_kind = false;
  bool has_api_version = false;
  const bool good =
      read_fields(document.get_object(), [&](std::string_view key, ondemand::value value) {
        has_kind = has_kind || key == "kind";
        has_api_version = has_api_version || key == "apiVersion";
        return key != "metadata" || read_metadata(value, object);
      });
  if (!good) return false;
  object.json = "{";
  if (!has_kind && !type.kind.empty()) object.json += "\"kind\":\"" + type.kind + "\",";
  if (!has_api_version && !type.api_version.empty())
    object.json += "\"apiVersion\":\"" + type.api_version + "\",";
  object.json += part.substr(1);
  return true;
}

}  // namespace

std::string resource_name(const Collection& collection) {
  return collection.group.empty() ? collection.resource
                                  : collection.resource + '.' + collection.group;
}

std::string path_of(const Collection& collection) {
  return path_of(collection, ObjectKey{});
}

std::string path_of(const Collection& collection, const ObjectKey& key) {
  std::string path = collection.group.empty() ? "/api/" : "/apis/" + collection.group + '/';
  path += collection.version;
  if (!key.namespace_.empty()) path += "/namespaces/" + key.namespace_;
  path += '/' + collection.resource;
  if (!key.name.empty()) path += '/' + key.name;
  return path;
}

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool as_is = ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') ||
                       c == '-' || c == '_' || c == '.' || c == '~';
    if (as_is) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += digits[byte >> 4U];
    encoded += digits[byte & 15U];
  }
  return encoded;
}

std::optional<ListPage> read_page(std::string_view bytes) {
  const simdjson::padded_string padded(bytes);
  ondemand::parser parser;
  ondemand::document document;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return std::nullopt;
  ListPage page;
  ItemType type;
  bool has_items = false;
  std::vector<std::string_view> items;
  const bool good =
      read_fields(document.get_object(), [&](std::string_view key, ondemand::value value) {
        if (key == "kind") return read_text(value, type.kind);
        if (key == "apiVersion") return read_text(value, type.api_version);
        if (key == "metadata") {
          return read_fields(value.get_object(), [&](std::string_view name, ondemand::value field) {
            if (name == "resourceVersion") return read_text(field, page.resource_version);
            return name != "continue" || read_text(field, page.continue_token);
          });
        }
        if (key != "items") return true;
        has_items = true;
        // A list of none may be null.
        bool is_null = false;
        if (value.is_null().get(is_null) != simdjson::SUCCESS) return false;
        if (is_null) return true;
        ondemand::array array;
        if (value.get_array().get(array) != simdjson::SUCCESS) return false;
        for (simdjson::simdjson_result<ondemand::value> found : array) {
          ondemand::value item;
          ondemand::object object;
          std::string_view part;
          if (std::move(found).get(item) != simdjson::SUCCESS ||
              item.get_object().get(object) != simdjson::SUCCESS ||
              object.raw_json().get(part) != simdjson::SUCCESS)
            return false;
          items.push_back(part);
        }
        return true;
      });
  if (!good || !has_items || !type.kind.ends_with("List")) return std::nullopt;
  type.kind.resize(type.kind.size() - std::string_view("List").size());
  if (!is_plain(type.kind) || !is_plain(type.api_version)) return std::nullopt;

  const char* const end = padded.data() + padded.size() + simdjson::SIMDJSON_PADDING;
  ondemand::parser item_parser;
  page.objects.reserve(items.size());
  for (const std::string_view part : items) {
    ApiObject object;
    const auto capacity = static_cast<std::size_t>(end - part.data());
    if (!read_object(item_parser, part, capacity, type, object) || object.key.name.empty())
      return std::nullopt;
    page.objects.push_back(std::move(object));
  }
  return page;
}

std::optional<WatchEvent> read_event(std::string_view line) {
  const simdjson::padded_string padded(line);
  ondemand::parser parser;
  ondemand::document document;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return std::nullopt;
  std::string type;
  std::string_view part;
  const bool good =
      read_fields(document.get_object(), [&](std::string_view key, ondemand::value value) {
        if (key == "type") return read_text(value, type);
        if (key != "object") return true;
        ondemand::object object;
        return value.get_object().get(object) == simdjson::SUCCESS &&
               object.raw_json().get(part) == simdjson::SUCCESS;
      });
  if (!good || part.empty()) return std::nullopt;

  using Type = WatchEvent::Type;
  constexpr std::pair<std::string_view, Type> types[] = {{"ADDED", Type::added},
                                                         {"MODIFIED", Type::modified},
                                                         {"DELETED", Type::deleted},
                                                         {"BOOKMARK", Type::bookmark},
                                                         {"ERROR", Type::error}};
  const auto known = std::find_if(std::begin(types), std::end(types),
                                  [&](const auto& named) { return named.first == type; });
  if (known == std::end(types)) return std::nullopt;
  WatchEvent event;
  event.type = known->second;
  if (event.type == Type::error) {
    event.status = read_status(part);
    return event;
  }
  const char* const end = padded.data() + padded.size() + simdjson::SIMDJSON_PADDING;
  ondemand::parser object_parser;
  const auto capacity = static_cast<std::size_t>(end - part.data());
  if (!read_object(object_parser, part, capacity, {}, event.object)) return std::nullopt;
  // Without it nobody could go on from here.
  if (event.object.resource_version.empty()) return std::nullopt;
  if (event.type != Type::bookmark && event.object.key.name.empty()) return std::nullopt;
  return event;
}

Status read_status(std::string_view bytes) {
  const simdjson::padded_string padded(bytes);
  ondemand::parser parser;
  ondemand::document document;
  Status status;
  if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return {};
  const bool good =
      read_fields(document.get_object(), [&](std::string_view key, ondemand::value value) {
        if (key == "message") return read_text(value, status.message);
        std::int64_t code = 0;
        if (key != "code") return true;
        if (value.get_int64().get(code) != simdjson::SUCCESS) return false;
        status.code = 100 <= code && code <= 599 ? static_cast<int>(code) : 0;
        return true;
      });
  return good ? status : Status{};
}

}  // namespace support
