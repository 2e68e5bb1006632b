// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The text of a document as a tree of stretches of it, which can be changed: values replaced,
/// inserted and removed. The text is gone through once, a list or object is made one that can be
/// looked into where somebody does, and what is printed at the end has all bytes that were not
/// changed. Texts are known to be JSON without duplicate keys.

#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/json/impl/text_scanner.hpp>
#include <schedpol/json/impl/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::json::detail {

/// A value of a tree.
using TextNode = std::uint32_t;

/// An item of a list or a member of an object, with the text around it.
struct TextItem {
  std::string_view gap;   ///< before it: white space, and a comma unless it is the first
  std::string_view name;  ///< of a member: its key and all up to its value
  TextNode value = 0;
};

/// The items of a list. One is found by its index in the square root of their number.
class TextItems {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Only where `index` is less than the size.
  [[nodiscard]] TextItem& at(std::size_t index) noexcept {
    std::size_t block = 0;
    for (; index >= blocks_[block].size(); ++block) index -= blocks_[block].size();
    return blocks_[block][index];
  }

  void push_back(const TextItem& item) {
    if (blocks_.empty() || blocks_.back().size() >= usual) blocks_.emplace_back();
    blocks_.back().push_back(item);
    ++size_;
  }

  /// Only where `index` is less than the size.
  void insert(std::size_t index, const TextItem& item) {
    std::size_t block = 0;
    for (; index >= blocks_[block].size(); ++block) index -= blocks_[block].size();
    std::vector<TextItem>& items = blocks_[block];
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(index), item);
    ++size_;
    if (items.size() < 2 * usual) return;
    const auto middle = items.begin() + static_cast<std::ptrdiff_t>(usual);
    std::vector<TextItem> rest(middle, items.end());
    items.erase(middle, items.end());
    blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(block) + 1, std::move(rest));
  }

  /// Only where `index` is less than the size.
  void erase(std::size_t index) {
    std::size_t block = 0;
    for (; index >= blocks_[block].size(); ++block) index -= blocks_[block].size();
    std::vector<TextItem>& items = blocks_[block];
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
    --size_;
    if (items.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(block));
  }

  /// Calls `f(item)` for each, in their order, until it returns false.
  template <class F>
  bool for_each(F&& f) const {
    for (const auto& block : blocks_) {
      for (const TextItem& item : block) {
        if (!f(item)) return false;
      }
    }
    return true;
  }

  /// Whether `f(item, other)` is true of all, each beside the one of `others` at the same index, of
  /// which there are as many.
  template <class F>
  [[nodiscard]] bool all_beside(const TextItems& others, F&& f) const {
    std::size_t block = 0;
    std::size_t index = 0;
    return for_each([&](const TextItem& item) {
      const TextItem& other = others.blocks_[block][index];
      if (++index == others.blocks_[block].size()) {
        index = 0;
        ++block;
      }
      return f(item, other);
    });
  }

 private:
  static constexpr std::size_t usual = 512;

  std::vector<std::vector<TextItem>> blocks_;  ///< none of them empty
  std::size_t size_ = 0;
};

/// The members of an object, in the order of the document and by their keys.
struct TextMembers {
  std::list<TextItem> in_order{};
  std::map<std::string_view, std::list<TextItem>::iterator> by_key{};
};

class TextTree {
 public:
  enum class Kind { object, list, string, number, word };

  /// Takes in the value that `text` is, with white space around it or not. The text stays where it
  /// is as long as the tree.
  TextNode scan(std::string_view text) {
    const auto first = static_cast<TextNode>(stretches_.size());
    std::vector<TextNode> open;
    for (std::size_t at = skip_space(text, 0); at < text.size(); at = skip_space(text, at)) {
      const char c = text[at];
      if (c == ',' || c == ':') {
        ++at;
      } else if (c == '}' || c == ']') {
        close(open, text.data() + ++at);
      } else if (c == '{' || c == '[') {
        open.push_back(append(text.data() + at, 1));
        ++at;
      } else {
        const std::size_t end = c == '"' ? end_of_string(text, at) : end_of_scalar(text, at);
        append(text.data() + at, end - at);
        at = end;
      }
    }
    return first;
  }

  /// The same of a text that the tree keeps.
  TextNode scan_kept(std::string text) { return scan(keep(std::move(text))); }

  [[nodiscard]] Kind kind(TextNode node) const noexcept {
    switch (*stretches_[node].text) {
      case '{': return Kind::object;
      case '[': return Kind::list;
      case '"': return Kind::string;
      case 't':
      case 'f':
      case 'n': return Kind::word;
      default: return Kind::number;
    }
  }

  /// The text of a value as it was scanned.
  [[nodiscard]] std::string_view text(TextNode node) const noexcept {
    return {stretches_[node].text, stretches_[node].size};
  }

  /// The items of a list.
  [[nodiscard]] const TextItems& items(TextNode list) { return look_into_list(list).content; }

  /// The members of an object.
  [[nodiscard]] const TextMembers& members(TextNode object) {
    return look_into_object(object).content;
  }

  /// The value of a member of an object; null where it has none of that name.
  [[nodiscard]] TextNode* member(TextNode object, std::string_view key) {
    auto& by_key = look_into_object(object).content.by_key;
    const auto found = by_key.find(key);
    return found == by_key.end() ? nullptr : &found->second->value;
  }

  /// The value of an item of a list; null where there is none.
  [[nodiscard]] TextNode* item(TextNode list, std::size_t index) {
    TextItems& items = look_into_list(list).content;
    return index < items.size() ? &items.at(index).value : nullptr;
  }

  /// Adds a member, of which the object has none of that name, behind the others.
  void append_member(TextNode object, std::string_view key, TextNode value) {
    TextMembers& members = look_into_object(object).content;
    Writer name;
    write(name, key);
    name += ':';
    members.in_order.push_back(
        {gap_at_end(members.in_order.empty()), keep(std::move(name).take()), value});
    members.by_key.emplace(keep(std::string(key)), std::prev(members.in_order.end()));
  }

  /// Inserts an item in front of that at `index`, which is at most the size.
  void insert_item(TextNode list, std::size_t index, TextNode value) {
    TextItems& items = look_into_list(list).content;
    if (index == items.size()) {
      return items.push_back({gap_at_end(items.size() == 0), {}, value});
    }
    const std::string_view gap = std::exchange(items.at(index).gap, ",");
    items.insert(index, {gap, {}, value});
  }

  /// Only where there is one of that name.
  void erase_member(TextNode object, std::string_view key) {
    auto& [members, tail] = look_into_object(object);
    const auto found = members.by_key.find(key);
    const auto gone = found->second;
    const auto next = std::next(gone);
    if (next != members.in_order.end()) {
      next->gap = gone->gap;
    } else if (gone == members.in_order.begin()) {
      tail = joined(gone->gap, tail);
    }
    members.by_key.erase(found);
    members.in_order.erase(gone);
  }

  /// Only where `index` is less than the size.
  void erase_item(TextNode list, std::size_t index) {
    auto& [items, tail] = look_into_list(list);
    const std::string_view gap = items.at(index).gap;
    if (index + 1 < items.size()) {
      items.at(index + 1).gap = gap;
    } else if (index == 0) {
      tail = joined(gap, tail);
    }
    items.erase(index);
  }

  /// What keeps a text from being printed.
  enum class Printed { whole, too_deep, too_long };

  /// Appends the text of a value as it is by now, as far as it has at most `levels` of nesting and
  /// the text gets at most `max_bytes` long.
  [[nodiscard]] Printed print(TextNode node, std::string& to, std::size_t levels,
                              std::size_t max_bytes) {
    const Stretch& stretch = stretches_[node];
    if (stretch.opened == 0) {
      if (stretch.levels > levels) return Printed::too_deep;
      return append(to, text(node), max_bytes);
    }
    if (levels == 0) return Printed::too_deep;
    const bool is_object = kind(node) == Kind::object;
    Printed printed = append(to, is_object ? "{" : "[", max_bytes);
    const auto print_item = [&](const TextItem& item) {
      if (printed == Printed::whole) printed = append(to, item.gap, max_bytes);
      if (printed == Printed::whole) printed = append(to, item.name, max_bytes);
      if (printed == Printed::whole) printed = print(item.value, to, levels - 1, max_bytes);
      return printed == Printed::whole;
    };
    std::string_view tail;
    if (is_object) {
      const auto& opened = objects_[stretch.opened - 1];
      for (const TextItem& item : opened.content.in_order) {
        if (!print_item(item)) return printed;
      }
      tail = opened.tail;
    } else {
      const auto& opened = lists_[stretch.opened - 1];
      if (!opened.content.for_each(print_item)) return printed;
      tail = opened.tail;
    }
    printed = append(to, tail, max_bytes);
    return printed == Printed::whole ? append(to, is_object ? "}" : "]", max_bytes) : printed;
  }

 private:
  /// A value, followed by all that is in it: of objects, key and value by turns.
  struct Stretch {
    const char* text;
    std::uint32_t size;
    TextNode end;          ///< the first that is not in it
    std::uint32_t opened;  ///< where it is looked into, counted from one; 0: nowhere
    std::uint32_t levels;  ///< of nesting that it has
  };

  /// A list or object that was looked into.
  template <class Content>
  struct Opened {
    Content content{};
    std::string_view tail{};  ///< what stands before its end
  };

  TextNode append(const char* text, std::size_t size) {
    const auto node = static_cast<TextNode>(stretches_.size());
    stretches_.push_back({text, static_cast<std::uint32_t>(size), node + 1, 0, 0});
    return node;
  }

  void close(std::vector<TextNode>& open, const char* end) {
    Stretch& closed = stretches_[open.back()];
    closed.size = static_cast<std::uint32_t>(end - closed.text);
    closed.end = static_cast<TextNode>(stretches_.size());
    ++closed.levels;
    open.pop_back();
    if (open.empty()) return;
    Stretch& around = stretches_[open.back()];
    around.levels = std::max(around.levels, closed.levels);
  }

  [[nodiscard]] Opened<TextItems>& look_into_list(TextNode list) {
    if (stretches_[list].opened != 0) return lists_[stretches_[list].opened - 1];
    Opened<TextItems>& opened = lists_.emplace_back();
    stretches_[list].opened = static_cast<std::uint32_t>(lists_.size());
    const char* before = stretches_[list].text + 1;
    for (TextNode node = list + 1; node < stretches_[list].end; node = stretches_[node].end) {
      const char* const begin = stretches_[node].text;
      opened.content.push_back({between(before, begin), {}, node});
      before = begin + stretches_[node].size;
    }
    opened.tail = between(before, end_of(list) - 1);
    return opened;
  }

  [[nodiscard]] Opened<TextMembers>& look_into_object(TextNode object) {
    if (stretches_[object].opened != 0) return objects_[stretches_[object].opened - 1];
    Opened<TextMembers>& opened = objects_.emplace_back();
    stretches_[object].opened = static_cast<std::uint32_t>(objects_.size());
    const char* before = stretches_[object].text + 1;
    for (TextNode key = object + 1; key < stretches_[object].end;) {
      const TextNode value = key + 1;
      const char* const begin = stretches_[key].text;
      opened.content.in_order.push_back(
          {between(before, begin), between(begin, stretches_[value].text), value});
      opened.content.by_key.emplace(key_of(key), std::prev(opened.content.in_order.end()));
      before = end_of(value);
      key = stretches_[value].end;
    }
    opened.tail = between(before, end_of(object) - 1);
    return opened;
  }

  [[nodiscard]] std::string_view key_of(TextNode key) {
    const std::string_view written = text(key);
    return written.find('\\') == std::string_view::npos ? written.substr(1, written.size() - 2)
                                                        : keep(unescaped(written));
  }

  [[nodiscard]] const char* end_of(TextNode node) const noexcept {
    return stretches_[node].text + stretches_[node].size;
  }
  [[nodiscard]] static std::string_view between(const char* begin, const char* end) noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }

  /// What stands before an item that is put behind the last.
  [[nodiscard]] static std::string_view gap_at_end(bool is_first) noexcept {
    return is_first ? "" : ",";
  }

  [[nodiscard]] std::string_view joined(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty()) return a.empty() ? b : a;
    return keep(std::string(a).append(b));
  }

  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

  [[nodiscard]] static Printed append(std::string& to, std::string_view text,
                                      std::size_t max_bytes) {
    if (text.size() > max_bytes || to.size() > max_bytes - text.size()) return Printed::too_long;
    to += text;
    return Printed::whole;
  }

  std::vector<Stretch> stretches_;
  std::deque<Opened<TextItems>> lists_;
  std::deque<Opened<TextMembers>> objects_;
  std::deque<std::string> kept_;  ///< texts that were made here
};

}  // namespace schedpol::json::detail
