// SPDX-License-Identifier: Apache-2.0
#pragma once

/// libyaml's events, with bounds on what it reads for one of them.

#include "input.hpp"
#include "place.hpp"

#include <yaml.h>

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace support::yaml {

class Event {
 public:
  Event() = default;
  ~Event() { yaml_event_delete(&event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  const yaml_event_t* operator->() const noexcept { return &event_; }

  /// Null where it has none.
  [[nodiscard]] const char* anchor() const noexcept;
  /// Of a scalar.
  [[nodiscard]] std::string_view text() const noexcept;
  [[nodiscard]] std::string_view tag() const noexcept;

 private:
  friend class Parser;
  yaml_event_t event_{};
};

class Parser {
 public:
  /// Of the rest of `input`, which has to outlive it.
  explicit Parser(Input& input);
  ~Parser() { yaml_parser_delete(&parser_); }
  Parser(const Parser&) = delete;
  Parser& operator=(const Parser&) = delete;

  /// The next event; false after an error.
  [[nodiscard]] bool next(Event& event);

  /// Where an event begins in the text.
  [[nodiscard]] Place place(const Event& event) const;

  /// What is read from here on is counted anew against `max_document_bytes`.
  void begin_object(Place place);

  /// What Helm's comment says between the end of the last document and `event`; empty without one.
  [[nodiscard]] std::string source_before(const Event& event);
  /// The document ends with `event`: comments before it name no other.
  void end_document(const Event& event);

  /// Keeps the first error; false.
  bool fail(Place place, std::string text);
  /// The same of what is no YAML, or none that is JSON, from a line on if not from that of `place`: if
  /// there is a template in it, that is what is wrong.
  bool fail_to_read(Place place, std::string text, std::size_t first_line = 0);
  [[nodiscard]] const std::optional<Message>& error() const noexcept { return error_; }

 private:
  static int read(void* self, unsigned char* bytes, std::size_t size, std::size_t* got);
  bool read(unsigned char* bytes, std::size_t size, std::size_t& got);
  void look_at_lines(std::string_view bytes);
  [[nodiscard]] Place place(const yaml_mark_t& mark) const;
  bool fail_by_parser();

  Input& input_;
  const Place begin_;
  yaml_parser_t parser_{};
  std::size_t object_bytes_ = 0;
  Place object_place_;
  std::string line_;            ///< the begin of the line that is being read
  std::size_t characters_ = 0;  ///< before that line
  std::size_t lines_ = 0;       ///< before it
  std::deque<std::pair<std::size_t, std::string>> sources_;  ///< by the character they begin at
  std::deque<std::size_t> templates_;                        ///< lines with what templates have
  std::optional<Message> error_;
};

}  // namespace support::yaml
