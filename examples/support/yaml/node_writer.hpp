// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Writes the nodes that a parser finds as JSON, and marks where each begins.

#include "object.hpp"
#include "parser.hpp"
#include "scalar.hpp"

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

namespace support::yaml {

class NodeWriter {
 public:
  explicit NodeWriter(Parser& parser) : parser_(parser) {}

  /// No anchor is known any more.
  void begin_document();

  /// What follows goes behind what `object` has.
  void write_into(Object& object);

  /// The functions below are false where there is an error, which the parser has.

  /// The node that begins with `event`.
  [[nodiscard]] bool write_value(const Event& event);

  /// The same in parts, of a mapping: a key by itself, or a key and what it reads on for its value.
  void begin_mapping(const Event& event);
  [[nodiscard]] bool write_key(const Event& key);
  [[nodiscard]] bool write_member(const Event& key);
  [[nodiscard]] bool end_mapping();

  /// An alias to this node is an error, as inside of itself.
  void leave_open(const Event& event);

 private:
  /// A value that was written, with the offsets of its marks counted from its begin.
  struct Anchor {
    std::string json{};  ///< empty while it is not at its end
    std::vector<Object::Mark> marks{};
  };
  struct Key {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool is_merged = false;  ///< by `<<`
  };

  bool write_node(const Event& event);
  bool write_alias(const Event& event);
  bool write_scalar(const Event& event);
  bool write_sequence();
  bool write_mapping();
  bool end_mapping(std::size_t first_key);
  bool merge();
  void take_members(const Anchor& merged, std::size_t at);
  bool keep(const Event& event, Anchor anchor);
  [[nodiscard]] const Anchor* find(const Event& alias);
  bool count_alias_bytes(const Event& event, std::size_t bytes);
  [[nodiscard]] Anchor cut(std::size_t begin, std::size_t first_mark) const;
  void begin_item(char open);
  void mark(Place place);
  bool fail_for_key(const Key& first, const Key& again);
  bool fail_for_tag(const Event& event);
  bool fail_for_number(const Event& event);
  void warn(const Event& event, const Scalar& scalar);
  /// Whether what comes next is the mode of a file, which everybody writes in octal.
  [[nodiscard]] bool is_at_file_mode() const;

  Parser& parser_;
  Object* object_ = nullptr;
  std::size_t depth_ = 0;
  std::size_t alias_bytes_ = 0;     ///< of the object
  std::size_t anchored_bytes_ = 0;  ///< of the document
  std::unordered_map<std::string, Anchor> anchors_;
  std::vector<Key> keys_;  ///< of the mappings that are open, the innermost one's last
};

}  // namespace support::yaml
