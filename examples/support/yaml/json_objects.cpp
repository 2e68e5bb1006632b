// SPDX-License-Identifier: Apache-2.0
#include "json_objects.hpp"

#include "json_text.hpp"

#include <schedpol/core/limits.hpp>

#include <string_view>
#include <utility>

namespace support::yaml {

JsonObjects::Next JsonObjects::next(Object& object) {
  if (is_in_list_) return next_item(object, skip_space());
  // Where it is YAML, what stands before it may be its indentation.
  std::size_t at = 0;
  const char first = byte_at(at);
  if (first != '{') return has_ended(at) ? Next::end : Next::not_json;
  input_.drop(at);
  list_.clear();
  has_items_ = false;
  place_ = input_.place();
  return next_members(object);
}

JsonObjects::Next JsonObjects::next_members(Object& object) {
  // Behind the bracket that the rest begins with: of the object, or of the items that were there.
  std::size_t at = 1;
  for (char byte = byte_at(at); byte != '}'; byte = byte_at(at)) {
    if (byte == ',') byte_at(++at);
    const std::size_t key = at;
    if (!skip_value(at)) return not_json(at);
    const bool is_items = input_.rest().substr(key, at - key) == "\"items\"";
    if (byte_at(at) != ':') return not_json(at);
    if (byte_at(++at) == '[' && is_items && begin_list(at)) return next(object);
    if (!skip_value(at)) return not_json(at);
  }
  ++at;
  return list_.empty() ? take_document(object, at) : end_list(object, at);
}

bool JsonObjects::begin_list(std::size_t at) {
  if (std::exchange(has_items_, true)) return false;
  // As it is without its items and what comes behind them.
  std::string list(input_.rest().substr(0, at + 1));
  list += "]}";
  listed_ = Listed::of(list);
  if (!document_.parse(list) || !listed_.may_be_list()) return false;
  list_ = input_.rest().substr(0, at + 1);
  is_in_list_ = is_first_ = true;
  input_.drop(at + 1);
  return true;
}

JsonObjects::Next JsonObjects::end_list(Object& object, std::size_t size) {
  list_.append(input_.rest(), 0, size);
  input_.drop(size);
  if (!document_.parse(list_)) return fail(place_, message(document_.error()));
  if (!Listed::of(list_).is_list()) return fail(place_, std::string(Listed::no_list));
  return next(object);
}

JsonObjects::Next JsonObjects::next_item(Object& object, char first) {
  if (first == ']') {
    is_in_list_ = false;
    return next_members(object);
  }
  if (!is_first_ && first == ',') {
    input_.drop(1);
    first = skip_space();
  } else if (!is_first_) {
    first = '\0';
  }
  is_first_ = false;
  const Place place = input_.place();
  std::size_t at = 0;
  if (first != '{') return fail(place, "an item of a list, which is an object, has to be here");
  if (!skip_value(at)) return not_json(at);
  object.clear(place);
  object.json_ = input_.rest().substr(0, at);
  object.written_ = listed_.complete(object.json_);
  input_.drop(at);
  if (document_.parse(object.json_)) return Next::object;
  return fail(object.locate(document_.error().field).key, message(document_.error()));
}

JsonObjects::Next JsonObjects::take_document(Object& object, std::size_t size) {
  object.clear(place_);
  object.json_ = input_.rest().substr(0, size);
  object.written_ = size;
  if (!document_.parse(object.json_)) {
    if (document_.problem() == schedpol::json::DocumentProblem::invalid_json) return Next::not_json;
    return fail(object.locate(document_.error().field).key, message(document_.error()));
  }
  input_.drop(size);
  return Next::object;
}

JsonObjects::Next JsonObjects::not_json(std::size_t at) {
  const Place place = behind(input_.place(), input_.rest().substr(0, at));
  if (at > schedpol::max_document_bytes) {
    return fail(input_.place(),
                "an object has at most " + std::to_string(schedpol::max_document_bytes) + " bytes");
  }
  return list_.empty() ? Next::not_json : fail(place, "this list is not valid JSON");
}

JsonObjects::Next JsonObjects::fail(Place place, std::string text) {
  error_ = Message{place, std::move(text)};
  return Next::error;
}

char JsonObjects::skip_space() {
  std::size_t at = 0;
  do {
    at = yaml::skip_space(input_.rest(), 0);
    input_.drop(at);
  } while (input_.rest().empty() && input_.fill());
  return input_.rest().empty() ? '\0' : input_.rest().front();
}

char JsonObjects::byte_at(std::size_t& at) {
  do {
    at = yaml::skip_space(input_.rest(), at);
  } while (at == input_.rest().size() && at <= schedpol::max_document_bytes && input_.fill());
  return at == input_.rest().size() ? '\0' : input_.rest()[at];
}

bool JsonObjects::has_ended(std::size_t at) const {
  return at == input_.rest().size() && at <= schedpol::max_document_bytes;
}

bool JsonObjects::skip_value(std::size_t& at) {
  ValueEnd end;
  while (!end.find(input_.rest(), at))
    if (at > schedpol::max_document_bytes || !input_.fill()) return false;
  return true;
}

}  // namespace support::yaml
