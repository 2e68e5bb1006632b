// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of a good document as a tree of pieces of it, which can be changed: what is printed in
/// the end has all bytes that were not changed.

#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/strings.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Goes through the text of a good document.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) noexcept : rest_(text) { take_gap(); }

  /// White space, with the comma or colon in it.
  std::string_view take_gap() noexcept {
    return take(std::min(rest_.find_first_not_of(" \t\r\n,:"), rest_.size()));
  }

  /// The key of a member, and all up to its value.
  std::string_view take_name() noexcept {
    const std::string_view begin = rest_;
    take_piece();
    take_gap();
    return begin.substr(0, begin.size() - rest_.size());
  }

  /// All of a value.
  std::string_view take_value() noexcept {
    const std::string_view begin = rest_;
    for (std::size_t levels = 0;;) {
      const char first = take_piece().front();
      if (first == '{' || first == '[') ++levels;
      if (first == '}' || first == ']') --levels;
      if (levels == 0) return begin.substr(0, begin.size() - rest_.size());
      take_gap();
    }
  }

  /// A bracket, or all of a string, a number or a word.
  std::string_view take_piece() noexcept {
    constexpr std::string_view brackets = "{}[]";
    std::size_t size = 1;
    if (rest_.front() == '"') {
      while (rest_[size] != '"') size += rest_[size] == '\\' ? 2 : 1;
      ++size;
    } else if (brackets.find(rest_.front()) == std::string_view::npos) {
      size = std::min(rest_.find_first_of(" \t\r\n,]}"), rest_.size());
    }
    return take(size);
  }

  /// What is left of it.
  [[nodiscard]] std::string_view rest() const noexcept { return rest_; }

 private:
  std::string_view take(std::size_t size) noexcept {
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
};

/// Whether this is what a key says, which is written like that between its quotes.
[[nodiscard]] inline bool is_key(std::string_view written, std::string_view wanted) {
  return written.find('\\') == std::string_view::npos ? written == wanted
                                                      : unescaped(written) == wanted;
}

/// The text of a member of an object with this text; `null` where it has none of that name.
[[nodiscard]] inline std::string_view member_text(std::string_view object, std::string_view name) {
  TextCursor cursor(object);
  cursor.take_piece();
  while (true) {
    cursor.take_gap();
    const std::string_view key = cursor.take_piece();
    if (key == "}") return "null";
    cursor.take_gap();
    const std::string_view value = cursor.take_value();
    if (is_key(key.substr(1, key.size() - 2), name)) return value;
  }
}

/// The index that a name is, as far as it is one.
[[nodiscard]] inline std::optional<std::size_t> index_of(std::string_view name) noexcept {
  if (name.size() > 1 && name.front() == '0') return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return index;
}

/// A value, with the text around it.
struct TextNode {
  std::string_view gap{};          ///< before an item or member; its comma, unless it is the first
  std::string_view name{};         ///< of a member: its key and all up to its value
  std::string_view text{};         ///< of the value as it was read
  std::vector<TextNode> inside{};  ///< the items or members by now
  std::string_view tail{};         ///< before the closing bracket

  [[nodiscard]] bool is_object() const noexcept { return text.front() == '{'; }
  [[nodiscard]] bool is_list() const noexcept { return text.front() == '['; }

  /// Where in it an item or member of that name is; nowhere is the size.
  [[nodiscard]] std::size_t find(std::string_view wanted) const {
    if (is_list()) return std::min(index_of(wanted).value_or(inside.size()), inside.size());
    const auto found = std::find_if(inside.begin(), inside.end(), [&](const TextNode& node) {
      return is_key(node.key(), wanted);
    });
    return static_cast<std::size_t>(found - inside.begin());
  }

 private:
  /// Of a member, as written between its quotes.
  [[nodiscard]] std::string_view key() const noexcept {
    return name.substr(1, name.rfind('"') - 1);
  }
};

/// The tree of a value at whose text the cursor stands. Its elements say how much it holds.
inline TextNode read_tree(TextCursor& cursor, Element element) {
  TextNode node{.text = cursor.rest()};
  ElementItems items;
  ElementMembers members;
  const auto read_inside = [&](Element value, bool has_name) {
    const std::string_view gap = cursor.take_gap();
    const std::string_view name = has_name ? cursor.take_name() : std::string_view();
    TextNode& inner = node.inside.emplace_back(read_tree(cursor, value));
    inner.gap = gap;
    inner.name = name;
  };
  cursor.take_piece();
  if (element.get(items)) {
    node.inside.reserve(items.size());
    for (const Element item : items) read_inside(item, false);
  } else if (element.get(members)) {
    node.inside.reserve(members.size());
    for (const ElementMember member : members) read_inside(member.value, true);
  }
  if (node.is_list() || node.is_object()) {
    node.tail = cursor.take_gap();
    cursor.take_piece();
  }
  node.text.remove_suffix(cursor.rest().size());
  return node;
}

/// How much a value is by now.
struct TextExtent {
  std::size_t levels = 0;  ///< of nesting
  std::size_t bytes = 0;
};

[[nodiscard]] inline TextExtent extent_of(const TextNode& node) {
  if (!node.is_list() && !node.is_object()) return {0, node.text.size()};
  TextExtent extent{0, 2 + node.tail.size()};
  for (const TextNode& item : node.inside) {
    const auto [levels, bytes] = extent_of(item);
    extent.levels = std::max(extent.levels, levels);
    extent.bytes += item.gap.size() + item.name.size() + bytes;
  }
  ++extent.levels;
  return extent;
}

/// Appends the text of a value as it is by now.
inline void print(const TextNode& node, std::string& to) {
  if (!node.is_list() && !node.is_object()) {
    to += node.text;
    return;
  }
  to += node.text.front();
  for (const TextNode& item : node.inside) {
    to.append(item.gap).append(item.name);
    print(item, to);
  }
  to.append(node.tail) += node.text.back();
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
