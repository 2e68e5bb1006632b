// SPDX-License-Identifier: Apache-2.0
#include "yaml_objects.hpp"

#include <utility>

namespace support::yaml {

bool YamlObjects::next(Object& object) {
  Event event;
  while (parser_.next(event)) {
    switch (event->type) {
      case YAML_STREAM_START_EVENT: break;
      case YAML_DOCUMENT_START_EVENT: begin_document(event); break;
      case YAML_DOCUMENT_END_EVENT: parser_.end_document(event); break;
      case YAML_SEQUENCE_END_EVENT:
        within_ = Within::mapping;
        writer_.write_into(whole_);
        break;
      case YAML_MAPPING_END_EVENT:
        if (end_mapping(object)) return true;
        break;
      case YAML_NO_EVENT:
      case YAML_STREAM_END_EVENT: return false;
      default:
        if (within_ == Within::mapping) {
          static_cast<void>(read_member(event));
        } else if (within_ == Within::items ? read_item(event, object) : read_root(event, object)) {
          return true;
        }
    }
  }
  return false;
}

void YamlObjects::begin_document(const Event& event) {
  writer_.begin_document();
  parser_.begin_object(parser_.place(event));
  const yaml_version_directive_t* const version = event->data.document_start.version_directive;
  if (version != nullptr && version->minor != 1)
    parser_.fail(parser_.place(event), "Kubernetes reads YAML 1.1");
}

bool YamlObjects::read_root(const Event& event, Object& object) {
  const Place place = parser_.place(event);
  parser_.begin_object(place);
  const bool is_mapping = event->type == YAML_MAPPING_START_EVENT;
  Object& into = is_mapping ? whole_ : object;
  into.clear(place);
  into.source_ = parser_.source_before(event);
  writer_.write_into(into);
  if (!is_mapping) return writer_.write_value(event) && into.json_ != "null" && finish(into);
  within_ = Within::mapping;
  is_list_ = has_items_ = false;
  writer_.begin_mapping(event);
  return false;
}

bool YamlObjects::read_member(const Event& key) {
  const bool is_items =
      key->type == YAML_SCALAR_EVENT && key.tag().empty() && key.text() == "items";
  if (!is_items || has_items_) return writer_.write_member(key);
  has_items_ = true;
  Event value;
  if (!writer_.write_key(key) || !parser_.next(value)) return false;
  listed_ = Listed::of(whole_.json_ + "null}");
  if (value->type != YAML_SEQUENCE_START_EVENT || !listed_.may_be_list())
    return writer_.write_value(value);
  writer_.leave_open(value);
  whole_.json_ += "[]";
  is_list_ = true;
  within_ = Within::items;
  return true;
}

bool YamlObjects::read_item(const Event& event, Object& object) {
  const Place place = parser_.place(event);
  parser_.begin_object(place);
  object.clear(place);
  object.source_ = whole_.source_;
  writer_.write_into(object);
  if (!writer_.write_value(event)) return false;
  if (object.json_.front() != '{')
    return parser_.fail(place, "an item of a list has to be an object");
  return finish(object);
}

bool YamlObjects::end_mapping(Object& object) {
  within_ = Within::document;
  if (!writer_.end_mapping()) return false;
  if (!is_list_) {
    std::swap(object, whole_);
    return finish(object);
  }
  if (Listed::of(whole_.json_).is_list()) return false;
  return parser_.fail(whole_.place_, std::string(Listed::no_list));
}

bool YamlObjects::finish(Object& object) {
  const bool is_item = within_ == Within::items;
  object.written_ = is_item ? listed_.complete(object.json_) : object.json_.size();
  if (document_.parse(object.json_)) return true;
  return parser_.fail(object.locate(document_.error().field).key, message(document_.error()));
}

}  // namespace support::yaml
