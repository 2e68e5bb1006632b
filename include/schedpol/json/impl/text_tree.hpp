// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of a good document as a tree of pieces of it, which can be changed: what is printed in
/// the end has all bytes that were not changed.

#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/strings.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// Goes through the text of a good document beside its elements, which do not tell where they stand.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) noexcept : text_(text) {}

  /// White space, with the comma or colon in it.
  std::string_view take_gap() noexcept {
    const std::size_t size = std::min(text_.find_first_not_of(" \t\r\n,:"), text_.size());
    return take(size);
  }

  /// A value. What is in it is not taken but left to `inside(gap, name, key, value)`: the text of
  /// `value` is next, `gap` stood before it and `name` is, of a member, its key and all up to the
  /// value. Returns what stands before the closing bracket.
  template <class F>
  std::string_view take_value(Element element, F&& inside) {
    ElementItems items;
    ElementMembers members;
    if (element.get(items)) {
      take(1);
      for (const Element item : items) {
        const std::string_view gap = take_gap();
        inside(gap, std::string_view(), std::string_view(), item);
      }
    } else if (element.get(members)) {
      take(1);
      for (const ElementMember member : members) {
        const std::string_view gap = take_gap();
        const std::string_view name = text_;
        take_string();
        take_gap();
        inside(gap, name.substr(0, name.size() - text_.size()), member.key, member.value);
      }
    } else {
      take_scalar(element);
      return {};
    }
    const std::string_view tail = take_gap();
    take(1);
    return tail;
  }

  /// All of a value.
  std::string_view take_value(Element element) {
    const std::string_view begin = text_;
    take_value(element, [this](auto, auto, auto, Element inner) { take_value(inner); });
    return begin.substr(0, begin.size() - text_.size());
  }

  /// What is left of it.
  [[nodiscard]] std::string_view rest() const noexcept { return text_; }

 private:
  std::string_view take(std::size_t size) noexcept {
    const std::string_view taken = text_.substr(0, size);
    text_.remove_prefix(size);
    return taken;
  }
  void take_string() noexcept {
    std::size_t end = 1;
    while (text_[end] != '"') end += text_[end] == '\\' ? 2 : 1;
    take(end + 1);
  }
  void take_scalar(Element element) noexcept {
    if (element.is_string()) return take_string();
    take(element.is_number() ? element.text().size() : element.kind() == ElementKind::no ? 5 : 4);
  }

  std::string_view text_;
};

/// The text of a member of an object, at whose text the cursor stands; `null` where it has none of
/// that name.
inline std::string_view member_text(TextCursor cursor, Element object, std::string_view name) {
  std::string_view found = "null";
  cursor.take_value(object, [&](auto, auto, std::string_view key, Element value) {
    const std::string_view text = cursor.take_value(value);
    if (key == name) found = text;
  });
  return found;
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
  std::uint32_t key_bytes = 0;     ///< of the key as written, without its quotes
  bool has_escapes = false;        ///< the key

  [[nodiscard]] bool is_object() const noexcept { return text.front() == '{'; }
  [[nodiscard]] bool is_list() const noexcept { return text.front() == '['; }

  /// Where in it an item or member of that name is; nowhere is the size.
  [[nodiscard]] std::size_t find(std::string_view wanted) const {
    if (is_list()) return std::min(index_of(wanted).value_or(inside.size()), inside.size());
    const auto found = std::find_if(inside.begin(), inside.end(),
                                    [&](const TextNode& node) { return node.has_key(wanted); });
    return static_cast<std::size_t>(found - inside.begin());
  }

  /// Makes it a member, `written` up to its value.
  void set_name(std::string_view written) {
    name = written;
    key_bytes = static_cast<std::uint32_t>(written.rfind('"') - 1);
    has_escapes = key().find('\\') != std::string_view::npos;
  }

 private:
  [[nodiscard]] std::string_view key() const noexcept { return name.substr(1, key_bytes); }

  /// Whether this is what the key of the member says.
  [[nodiscard]] bool has_key(std::string_view wanted) const {
    return has_escapes ? unescaped(key()) == wanted : key() == wanted;
  }
};

/// The tree of a value at whose text the cursor stands.
inline TextNode read_tree(TextCursor& cursor, Element element) {
  TextNode node{.text = cursor.rest()};
  ElementItems items;
  ElementMembers members;
  if (element.get(items)) node.inside.reserve(items.size());
  if (element.get(members)) node.inside.reserve(members.size());
  node.tail = cursor.take_value(
      element, [&](std::string_view gap, std::string_view name, auto, Element value) {
        node.inside.push_back(read_tree(cursor, value));
        node.inside.back().gap = gap;
        if (!name.empty()) node.inside.back().set_name(name);
      });
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
