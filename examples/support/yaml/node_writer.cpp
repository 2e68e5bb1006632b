// SPDX-License-Identifier: Apache-2.0
#include "node_writer.hpp"

#include "json_text.hpp"
#include "object_reader.hpp"

#include <schedpol/base/quoting.hpp>
#include <schedpol/core/limits.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace support::yaml {

using schedpol::in_backticks;

namespace {

constexpr std::string_view standard_tag = "tag:yaml.org,2002:";

bool is_merge(const Event& key) {
  if (key->type != YAML_SCALAR_EVENT || key.text() != "<<") return false;
  return key->data.scalar.plain_implicit != 0 || key.tag() == std::string(standard_tag) + "merge";
}

}  // namespace

void NodeWriter::begin_document() {
  anchors_.clear();
  anchored_bytes_ = 0;
  keys_.clear();
}

void NodeWriter::write_into(Object& object) {
  object_ = &object;
  alias_bytes_ = 0;
}

bool NodeWriter::write_value(const Event& event) {
  const std::size_t begin = object_->json_.size();
  const std::size_t first_mark = object_->marks_.size();
  mark(parser_.place(event));
  if (event->type == YAML_ALIAS_EVENT) return write_alias(event);
  leave_open(event);
  return write_node(event) && (event.anchor() == nullptr || keep(event, cut(begin, first_mark)));
}

bool NodeWriter::write_node(const Event& event) {
  if (event->type == YAML_SCALAR_EVENT) return write_scalar(event);
  if (++depth_ > schedpol::max_document_depth) {
    return parser_.fail(
        parser_.place(event),
        "an object nests at most " + std::to_string(schedpol::max_document_depth) + " levels");
  }
  const bool good = event->type == YAML_SEQUENCE_START_EVENT ? write_sequence() : write_mapping();
  --depth_;
  return good;
}

bool NodeWriter::write_alias(const Event& event) {
  const Anchor* const anchor = find(event);
  if (anchor == nullptr) return false;
  const auto begin = static_cast<std::uint32_t>(object_->json_.size());
  // The alias itself is marked already.
  for (std::size_t i = 1; i < anchor->marks.size(); ++i) {
    Object::Mark& mark = object_->marks_.emplace_back(anchor->marks[i]);
    mark.offset += begin;
  }
  object_->json_ += anchor->json;
  return true;
}

bool NodeWriter::write_scalar(const Event& event) {
  const bool is_plain = event->data.scalar.plain_implicit != 0;
  const std::optional<Scalar> scalar = resolve(event.text(), event.tag(), is_plain);
  if (!scalar) return fail_for_tag(event);
  const bool is_octal_meant = is_at_file_mode() && event.text().starts_with('0');
  if (!append_json(object_->json_, event.text(), *scalar)) return fail_for_number(event);
  if (!is_octal_meant) warn(event, *scalar);
  return true;
}

bool NodeWriter::write_sequence() {
  object_->json_ += '[';
  Event item;
  while (parser_.next(item) && item->type != YAML_SEQUENCE_END_EVENT) {
    begin_item('[');
    if (!write_value(item)) return false;
  }
  object_->json_ += ']';
  return !parser_.error();
}

bool NodeWriter::write_mapping() {
  const std::size_t first_key = keys_.size();
  object_->json_ += '{';
  Event key;
  while (parser_.next(key) && key->type != YAML_MAPPING_END_EVENT)
    if (!write_member(key)) return false;
  return !parser_.error() && end_mapping(first_key);
}

void NodeWriter::begin_mapping(const Event& event) {
  mark(parser_.place(event));
  leave_open(event);
  object_->json_ += '{';
}

bool NodeWriter::write_member(const Event& key) {
  if (is_merge(key)) return merge();
  Event value;
  return write_key(key) && parser_.next(value) && write_value(value);
}

bool NodeWriter::write_key(const Event& key) {
  const Place place = parser_.place(key);
  begin_item('{');
  const std::size_t begin = object_->json_.size();
  mark(place);
  if (key->type == YAML_ALIAS_EVENT) {
    const Anchor* const anchor = find(key);
    if (anchor == nullptr) return false;
    if (anchor->json.front() != '"')
      return parser_.fail(place, "an alias for a key has to be text");
    object_->json_ += anchor->json;
  } else if (key->type == YAML_SCALAR_EVENT) {
    const bool is_plain = key->data.scalar.plain_implicit != 0;
    const std::optional<Scalar> scalar = resolve(key.text(), key.tag(), is_plain);
    if (!scalar) return fail_for_tag(key);
    const std::optional<std::string> text = key_text(key.text(), *scalar);
    if (!text) return parser_.fail(place, "a key cannot be null, or an integer of 64 bits");
    append_string(object_->json_, *text);
    warn(key, *scalar);
    if (key.anchor() != nullptr) {
      // What it stands for elsewhere is the scalar, which need not be text.
      Anchor anchor{{}, {object_->marks_.back()}};
      anchor.marks.front().offset = 0;
      if (!append_json(anchor.json, key.text(), *scalar)) return fail_for_number(key);
      if (!keep(key, std::move(anchor))) return false;
    }
  } else {
    return parser_.fail_to_read(place, "a list or a mapping cannot be a key");
  }
  keys_.push_back({begin, object_->json_.size()});
  object_->json_ += ':';
  return true;
}

bool NodeWriter::end_mapping() {
  return end_mapping(0);
}

bool NodeWriter::end_mapping(std::size_t first_key) {
  object_->json_ += '}';
  const auto begin = keys_.begin() + static_cast<std::ptrdiff_t>(first_key);
  const std::string_view json = object_->json_;
  const auto text = [json](const Key& key) { return json.substr(key.begin, key.end - key.begin); };
  std::sort(begin, keys_.end(), [text](const Key& a, const Key& b) {
    const int order = text(a).compare(text(b));
    return order < 0 || (order == 0 && a.begin < b.begin);
  });
  const auto first = std::adjacent_find(
      begin, keys_.end(), [text](const Key& a, const Key& b) { return text(a) == text(b); });
  if (first != keys_.end()) return fail_for_key(first[0], first[1]);
  keys_.resize(first_key);
  return true;
}

bool NodeWriter::merge() {
  Event value;
  const std::size_t begin = object_->json_.size();
  const std::size_t first_mark = object_->marks_.size();
  if (!parser_.next(value) || !write_value(value)) return false;
  const Anchor merged = cut(begin, first_mark);
  object_->json_.resize(begin);
  object_->marks_.resize(first_mark);
  const char kind = merged.json.front();
  bool good = kind == '{' || (kind == '[' && value->type == YAML_SEQUENCE_START_EVENT);
  if (kind == '{') take_members(merged, 0);
  if (kind == '[' && good) {
    Members items(merged.json, 0);
    while (const auto item = items.next()) {
      good = good && merged.json[item->value] == '{';
      if (good) take_members(merged, item->value);
    }
  }
  if (!good) {
    return parser_.fail(parser_.place(value),
                        "what is merged has to be a mapping, or a list of mappings");
  }
  return count_alias_bytes(value, merged.json.size());
}

void NodeWriter::take_members(const Anchor& merged, std::size_t at) {
  Members members(merged.json, at);
  auto mark = merged.marks.begin();
  while (const auto member = members.next()) {
    begin_item('{');
    const std::size_t begin = object_->json_.size();
    object_->json_.append(merged.json, member->key, member->end - member->key);
    keys_.push_back({begin, begin + (member->value - 1 - member->key), true});
    while (mark != merged.marks.end() && mark->offset < member->key) ++mark;
    for (; mark != merged.marks.end() && mark->offset < member->end; ++mark) {
      object_->marks_.push_back(*mark);
      object_->marks_.back().offset =
          static_cast<std::uint32_t>(begin + (mark->offset - member->key));
    }
  }
}

void NodeWriter::leave_open(const Event& event) {
  if (event.anchor() != nullptr) anchors_[event.anchor()] = Anchor{};
}

bool NodeWriter::keep(const Event& event, Anchor anchor) {
  // An anchor itself takes more memory than a small value.
  constexpr std::size_t of_an_anchor = 64;
  anchored_bytes_ += anchor.json.size() + of_an_anchor;
  anchors_[event.anchor()] = std::move(anchor);
  return anchored_bytes_ <= max_alias_bytes ||
         parser_.fail(parser_.place(event), "the values with an anchor have at most " +
                                                std::to_string(max_alias_bytes) + " bytes");
}

const NodeWriter::Anchor* NodeWriter::find(const Event& alias) {
  const auto found = anchors_.find(alias.anchor());
  std::string wrong;
  if (found == anchors_.end()) {
    wrong = "there is no anchor " + in_backticks(alias.anchor()) + " before it";
  } else if (found->second.json.empty()) {
    wrong = "the anchor " + in_backticks(alias.anchor()) + " contains itself";
  } else {
    const bool good = count_alias_bytes(alias, found->second.json.size());
    return good ? &found->second : nullptr;
  }
  parser_.fail(parser_.place(alias), std::move(wrong));
  return nullptr;
}

bool NodeWriter::count_alias_bytes(const Event& event, std::size_t bytes) {
  alias_bytes_ += bytes;
  return alias_bytes_ <= max_alias_bytes ||
         parser_.fail(parser_.place(event), "aliases and merges add at most " +
                                                std::to_string(max_alias_bytes) +
                                                " bytes to an object");
}

NodeWriter::Anchor NodeWriter::cut(std::size_t begin, std::size_t first_mark) const {
  Anchor anchor{
      object_->json_.substr(begin),
      {object_->marks_.begin() + static_cast<std::ptrdiff_t>(first_mark), object_->marks_.end()}};
  for (Object::Mark& mark : anchor.marks) mark.offset -= static_cast<std::uint32_t>(begin);
  return anchor;
}

void NodeWriter::begin_item(char open) {
  if (object_->json_.back() != open) object_->json_ += ',';
}

void NodeWriter::mark(Place place) {
  object_->marks_.push_back({static_cast<std::uint32_t>(object_->json_.size()),
                             static_cast<std::uint32_t>(place.column), place.line});
}

void NodeWriter::warn(const Event& event, const Scalar& scalar) {
  if (event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE || !event.tag().empty()) return;
  if (object_->warnings_.size() == schedpol::max_reported_errors) return;
  if (auto text = surprise(event.text(), scalar))
    object_->warnings_.push_back({parser_.place(event), *std::move(text)});
}

bool NodeWriter::is_at_file_mode() const {
  return object_->json_.ends_with("\"defaultMode\":") || object_->json_.ends_with("\"mode\":");
}

bool NodeWriter::fail_for_key(const Key& first, const Key& again) {
  const std::string_view text = object_->json_;
  const std::string key = in_backticks(text.substr(first.begin + 1, first.end - first.begin - 2));
  const auto line = [this](const Key& of) {
    return std::to_string(object_->place_of(of.begin).line);
  };
  if (!first.is_merged && !again.is_merged)
    return parser_.fail(object_->place_of(again.begin),
                        "the key " + key + " is already in line " + line(first));
  if (first.is_merged && again.is_merged)
    return parser_.fail(object_->place_of(again.begin),
                        "`<<` merges the key " + key + " twice, from here and from line " +
                            line(first) + ": strict readers refuse that, keep one");
  const auto& [own, merged] = first.is_merged ? std::pair(again, first) : std::pair(first, again);
  return parser_.fail(object_->place_of(own.begin),
                      "the key " + key + " overrides the one that `<<` merges from line " +
                          line(merged) + ": strict readers refuse that, take one of them out");
}

bool NodeWriter::fail_for_tag(const Event& event) {
  const std::string_view tag = event.tag().substr(standard_tag.size());
  return parser_.fail(parser_.place(event), in_backticks(event.text()) + " cannot be of the type " +
                                                in_backticks("!!" + std::string(tag)));
}

bool NodeWriter::fail_for_number(const Event& event) {
  return parser_.fail(parser_.place(event), in_backticks(event.text()) + " is no number of JSON");
}

}  // namespace support::yaml
