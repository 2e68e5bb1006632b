// SPDX-License-Identifier: Apache-2.0
#include "object_reader.hpp"

#include "json_objects.hpp"
#include "json_text.hpp"
#include "listed.hpp"
#include "yaml_objects.hpp"

#include <algorithm>
#include <utility>

namespace support::yaml {

class ObjectReader::Impl {
 public:
  explicit Impl(ReadBytes read) : input_(std::move(read)), json_(input_, document_) {
    input_.skip_byte_order_mark();
  }

  bool next(Object& object) {
    while (!error_) {
      if (!(yaml_ ? yaml_->next(object) : next_json(object))) {
        error_ = yaml_ ? yaml_->error() : json_.error();
        if (input_.has_failed()) error_ = Message{input_.place(), "it cannot be read to its end"};
        return false;
      }
      const std::string_view items = items_of_list(object.json());
      if (items == "null") continue;  // an empty list, as Go writes it
      if (!items.starts_with('[')) return true;
      error_ = Message{object.locate({"items"}).key, std::string(Listed::not_read)};
    }
    return false;
  }

  schedpol::json::Document document_;
  std::optional<Message> error_;

 private:
  /// The JSON of the items of a list that came as one object; empty where it is no list.
  static std::string_view items_of_list(std::string_view json) {
    bool is_list = false;
    std::string_view items;
    Members members(json, 0);
    while (const auto member = members.next()) {
      const std::string_view key = json.substr(member->key, member->value - 1 - member->key);
      const std::string_view value = json.substr(member->value, member->end - member->value);
      if (key.starts_with("\"kind\"")) {
        if (!value.ends_with("List\"")) return {};
        is_list = true;
      } else if (key.starts_with("\"items\"")) {
        items = value;
      }
    }
    return is_list ? items : std::string_view();
  }

  bool next_json(Object& object) {
    const JsonObjects::Next next = json_.next(object);
    if (next != JsonObjects::Next::not_json) return next == JsonObjects::Next::object;
    return yaml_.emplace(input_, document_).next(object);
  }

  Input input_;
  JsonObjects json_;
  std::optional<YamlObjects> yaml_;  ///< from where it is no JSON
};

ObjectReader::ObjectReader(ReadBytes read) : impl_(std::make_unique<Impl>(std::move(read))) {}

ObjectReader::ObjectReader(std::string_view bytes)
    : ObjectReader([bytes](char* to, std::size_t size) mutable {
        const std::size_t got = bytes.copy(to, size);
        bytes.remove_prefix(got);
        return std::optional<std::size_t>(got);
      }) {}

ObjectReader::~ObjectReader() = default;

bool ObjectReader::next(Object& object) {
  return impl_->next(object);
}

const schedpol::json::Document& ObjectReader::document() const noexcept {
  return impl_->document_;
}

const std::optional<Message>& ObjectReader::error() const noexcept {
  return impl_->error_;
}

}  // namespace support::yaml
