// SPDX-License-Identifier: Apache-2.0
#include "api_object.hpp"

#include "json_members.hpp"

#include <schedpol/json/encode.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace support {
namespace {

using schedpol::json::encode;
using schedpol::json::RawMessage;
using schedpol::json::RawObject;

/// Whether a text is one that a kind may be.
bool is_kind(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9');
  });
}

/// What the items of a list are, which do not say it themselves.
struct ItemType {
  std::string api_version{};
  std::string kind{};
};

bool read_api_object(std::string_view json, const ItemType& type, ApiObject& object) {
  const RawObject members = read_object(json);
  RawObject metadata;
  if (!read_member(members, "metadata", metadata) ||
      !read_member(metadata, "name", object.key.name) ||
      !read_member(metadata, "namespace", object.key.namespace_) ||
      !read_member(metadata, "resourceVersion", object.resource_version))
    return false;
  object.json = "{";
  const auto say = [&](std::string_view name, const std::string& value) {
    if (!value.empty() && !members.contains(name))
      object.json.append("\"").append(name).append("\":").append(encode(value)).append(",");
  };
  say("kind", type.kind);
  say("apiVersion", type.api_version);
  object.json += json.substr(1);
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
  ListPage page;
  ItemType type;
  RawObject metadata;
  std::vector<RawMessage> items;
  {
    const RawObject list = read_object(bytes);
    if (!list.contains("items") || !read_member(list, "kind", type.kind) ||
        !read_member(list, "apiVersion", type.api_version) ||
        !read_member(list, "metadata", metadata) || !read_member(list, "items", items))
      return std::nullopt;
  }
  if (!read_member(metadata, "resourceVersion", page.resource_version) ||
      !read_member(metadata, "continue", page.continue_token) || !type.kind.ends_with("List"))
    return std::nullopt;
  type.kind.resize(type.kind.size() - std::string_view("List").size());
  if (!is_kind(type.kind)) return std::nullopt;

  page.objects.reserve(items.size());
  for (const RawMessage& item : items) {
    ApiObject& object = page.objects.emplace_back();
    if (!read_api_object(item.json, type, object) || object.key.name.empty()) return std::nullopt;
  }
  return page;
}

std::optional<WatchEvent> read_event(std::string_view line) {
  using Type = WatchEvent::Type;
  constexpr std::pair<std::string_view, Type> types[] = {{"ADDED", Type::added},
                                                         {"MODIFIED", Type::modified},
                                                         {"DELETED", Type::deleted},
                                                         {"BOOKMARK", Type::bookmark},
                                                         {"ERROR", Type::error}};
  const RawObject members = read_object(line);
  const std::string type = member<std::string>(members, "type");
  const std::string object = member<RawMessage>(members, "object").json;
  const auto known = std::find_if(std::begin(types), std::end(types),
                                  [&](const auto& named) { return named.first == type; });
  if (known == std::end(types) || !object.starts_with('{')) return std::nullopt;
  WatchEvent event;
  event.type = known->second;
  if (event.type == Type::error) {
    event.status = read_status(object);
    return event;
  }
  if (!read_api_object(object, {}, event.object)) return std::nullopt;
  // Without it nobody could go on from here.
  if (event.object.resource_version.empty()) return std::nullopt;
  if (event.type != Type::bookmark && event.object.key.name.empty()) return std::nullopt;
  return event;
}

Status read_status(std::string_view bytes) {
  const RawObject status = read_object(bytes);
  const auto code = member<std::int64_t>(status, "code");
  return {.code = 100 <= code && code <= 599 ? static_cast<int>(code) : 0,
          .message = member<std::string>(status, "message")};
}

}  // namespace support
