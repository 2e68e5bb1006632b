// SPDX-License-Identifier: Apache-2.0
#include "parser.hpp"

#include <schedpol/core/limits.hpp>

#include <algorithm>
#include <cstring>

namespace support::yaml {

namespace {

/// libyaml compares each with all before it.
constexpr std::ptrdiff_t max_tag_directives = 100;

const char* chars(const yaml_char_t* text) {
  return reinterpret_cast<const char*>(text);
}

std::string_view view(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : chars(text);
}

}  // namespace

const char* Event::anchor() const noexcept {
  switch (event_.type) {
    case YAML_ALIAS_EVENT: return chars(event_.data.alias.anchor);
    case YAML_SCALAR_EVENT: return chars(event_.data.scalar.anchor);
    case YAML_SEQUENCE_START_EVENT: return chars(event_.data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT: return chars(event_.data.mapping_start.anchor);
    default: return nullptr;
  }
}

std::string_view Event::text() const noexcept {
  return {chars(event_.data.scalar.value), event_.data.scalar.length};
}

std::string_view Event::tag() const noexcept {
  return view(event_.data.scalar.tag);
}

Parser::Parser(Input& input) : input_(input), begin_(input.place()), object_place_(begin_) {
  if (yaml_parser_initialize(&parser_) == 0) {
    fail(begin_, "there is no memory to read it");
    return;
  }
  yaml_parser_set_input(&parser_, &Parser::read, this);
}

bool Parser::next(Event& event) {
  yaml_event_delete(&event.event_);
  if (error_) return false;
  return yaml_parser_parse(&parser_, &event.event_) != 0 || fail_by_parser();
}

Place Parser::place(const Event& event) const {
  return place(event->start_mark);
}

Place Parser::place(const yaml_mark_t& mark) const {
  const std::size_t column_before = mark.line == 0 ? begin_.column - 1 : 0;
  return {begin_.line + mark.line, column_before + mark.column + 1};
}

void Parser::begin_object(Place place) {
  object_bytes_ = 0;
  object_place_ = place;
}

std::string Parser::source_before(const Event& event) {
  std::string source;
  while (!sources_.empty() && sources_.front().first < event->start_mark.index) {
    source = std::move(sources_.front().second);
    sources_.pop_front();
  }
  return source;
}

void Parser::end_document(const Event& event) {
  static_cast<void>(source_before(event));
}

bool Parser::fail(Place place, std::string text) {
  if (!error_) error_ = Message{place, std::move(text)};
  return false;
}

bool Parser::fail_to_read(Place place, std::string text, std::size_t first_line) {
  if (first_line == 0) first_line = place.line;
  const auto found =
      std::lower_bound(templates_.begin(), templates_.end(), first_line - begin_.line);
  if (found != templates_.end() && *found <= place.line - begin_.line) text = not_rendered;
  return fail(place, std::move(text));
}

int Parser::read(void* self, unsigned char* bytes, std::size_t size, std::size_t* got) {
  return static_cast<Parser*>(self)->read(bytes, size, *got) ? 1 : 0;
}

bool Parser::read(unsigned char* bytes, std::size_t size, std::size_t& got) {
  if (parser_.tag_directives.top - parser_.tag_directives.start > max_tag_directives) {
    return fail(place(parser_.mark),
                "a document has at most " + std::to_string(max_tag_directives) + " tag directives");
  }
  if (object_bytes_ > schedpol::max_document_bytes) {
    return fail(object_place_,
                "an object has at most " + std::to_string(schedpol::max_document_bytes) + " bytes");
  }
  if (input_.rest().empty() && !input_.fill() && input_.has_failed())
    return fail(input_.place(), "it cannot be read to its end");
  got = std::min(size, input_.rest().size());
  const std::string_view part = input_.rest().substr(0, got);
  if (got > 0) std::memcpy(bytes, part.data(), got);
  look_at_lines(part);
  object_bytes_ += got;
  input_.drop(got);
  return true;
}

void Parser::look_at_lines(std::string_view bytes) {
  constexpr std::string_view source = "# Source: ";
  constexpr std::size_t longest = 1024;
  // As many as libyaml has read and not yet looked at.
  constexpr std::size_t most = 4096;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() < longest) line_.append(part, 0, longest - line_.size());
    characters_ += behind(Place{}, part).column - 1;
    bytes.remove_prefix(part.size());
    if ((templates_.empty() || templates_.back() != lines_) &&
        line_.find("{{") != std::string::npos) {
      if (templates_.size() == most) templates_.pop_front();
      templates_.push_back(lines_);
    }
    if (end == std::string_view::npos) return;
    bytes.remove_prefix(1);
    if (line_.starts_with(source)) {
      if (line_.back() == '\r') line_.pop_back();
      if (sources_.size() == most) sources_.pop_front();
      sources_.emplace_back(characters_, line_.substr(source.size()));
    }
    ++characters_;
    ++lines_;
    line_.clear();
  }
}

bool Parser::fail_by_parser() {
  std::string text = parser_.problem == nullptr ? "it cannot be read" : parser_.problem;
  Place place = this->place(parser_.problem_mark);
  if (parser_.error == YAML_MEMORY_ERROR) {
    text = "there is no memory to read it";
  } else if (parser_.error == YAML_READER_ERROR) {
    // What is wrong is behind what was read ahead.
    const std::string_view ahead(
        chars(parser_.buffer.pointer),
        static_cast<std::size_t>(parser_.buffer.last - parser_.buffer.pointer));
    place = behind(this->place(parser_.mark), ahead);
  } else if (parser_.error == YAML_SCANNER_ERROR && *parser_.buffer.pointer == '\t') {
    text = "a tab cannot indent, only spaces can";
  } else if (parser_.context != nullptr) {
    text += std::string(" ") + parser_.context;
  }
  // What was scanned is a token, of the same line or the next.
  const bool is_token = parser_.error == YAML_SCANNER_ERROR && parser_.context != nullptr;
  return fail_to_read(place, std::move(text),
                      is_token ? this->place(parser_.context_mark).line : 0);
}

}  // namespace support::yaml
