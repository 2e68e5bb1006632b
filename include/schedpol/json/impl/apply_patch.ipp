// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/document.ipp>
#include <schedpol/json/impl/element_equal.hpp>
#include <schedpol/json/impl/text_tree.hpp>
#include <schedpol/json/impl/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// The names of a JSON Pointer (RFC 6901); nothing where the text is none.
[[nodiscard]] inline std::optional<std::vector<std::string>> pointer_names(
    std::string_view pointer) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < pointer.size(); ++i) {
    const char c = pointer[i];
    if (c == '/') {
      names.emplace_back();
    } else if (names.empty()) {
      return std::nullopt;
    } else if (c != '~') {
      names.back() += c;
    } else if (++i < pointer.size() && (pointer[i] == '0' || pointer[i] == '1')) {
      names.back() += pointer[i] == '0' ? '~' : '/';
    } else {
      return std::nullopt;
    }
  }
  return names;
}

/// Whether an operation brings a value.
[[nodiscard]] constexpr bool has_value(PatchOp op) noexcept {
  return op == PatchOp::add || op == PatchOp::replace || op == PatchOp::test;
}

/// Applies one operation after the other to the tree of a document. Each returns whether it could;
/// where not, `error` says why.
class PatchedDocument {
 public:
  /// A good document, whose text stays where it is.
  PatchedDocument(std::string_view text, Element root)
      : left_to_copy_(std::max(text.size(), max_copied_bytes)), bytes_(text.size()) {
    TextCursor cursor(text);
    before_ = text.substr(0, text.size() - cursor.rest().size());
    root_ = read_tree(cursor, root);
    after_ = cursor.rest();
  }

  /// The `index`th operation, with the tree of its value where it brings one.
  [[nodiscard]] bool apply(std::size_t index, const PatchOperation& step, TextNode value) {
    step_ = index;
    bytes_ += value.text.size();
    if (bytes_ > left_to_go_through_) {
      return fail({ErrorType::too_many, place(), "",
                   "the operations of a patch go through at most " +
                       std::to_string(max_patched_bytes) + " bytes, each through the document"});
    }
    left_to_go_through_ -= bytes_;
    const auto path = pointer_names(step.path);
    if (!path) return refuse("path", step.path, not_a_pointer);
    switch (step.op) {
      case PatchOp::add: return add(step, *path, std::move(value));
      case PatchOp::remove: return remove("path", step.path, *path);
      case PatchOp::replace: {
        TextNode* const target = find(*path);
        if (target == nullptr) return refuse("path", step.path, nothing_there);
        put(*target, std::move(value));
        return true;
      }
      case PatchOp::test: return test(step, *path, value.text);
      case PatchOp::move:
      case PatchOp::copy: break;
    }
    const auto from = pointer_names(step.from);
    if (!from) return refuse("from", step.from, not_a_pointer);
    TextNode* const found = find(*from);
    if (found == nullptr) return refuse("from", step.from, nothing_there);
    return step.op == PatchOp::move ? move(step, *from, *path, *found) : copy(step, *path, *found);
  }

  /// The whole text by now.
  [[nodiscard]] std::optional<std::string> print() {
    TextExtent extent = extent_of(root_);
    extent.bytes += before_.size() + after_.size();
    if (!is_document(extent, {"patch"})) return std::nullopt;
    std::string text(before_);
    text.reserve(extent.bytes);
    detail::print(root_, text);
    return text.append(after_);
  }

  [[nodiscard]] FieldError take_error() && { return std::move(error_); }

 private:
  static constexpr std::string_view not_a_pointer =
      "must be a JSON Pointer: names that each begin with a slash, ~0 for ~ and ~1 for /";
  static constexpr std::string_view nothing_there = "there is nothing at this place";

  using Names = std::vector<std::string>;

  bool fail(FieldError error) {
    error_ = std::move(error);
    return false;
  }
  bool refuse(std::string_view member, std::string_view value, std::string_view detail) {
    return fail(
        {ErrorType::invalid, place().child(member), std::string(value), std::string(detail)});
  }

  /// Of the operation that is applied.
  [[nodiscard]] FieldPath place() const { return FieldPath{"patch"}.index(step_); }

  bool too_deep(FieldPath place) {
    return fail({ErrorType::too_many, std::move(place), "",
                 "a document nests at most " + std::to_string(max_document_depth) + " levels"});
  }

  /// Whether what the patch asks for at a place is within the limits of a document.
  bool is_document(const TextExtent& extent, FieldPath place) {
    if (extent.levels > max_document_depth) return too_deep(std::move(place));
    if (extent.bytes <= max_document_bytes) return true;
    return fail({ErrorType::too_long, std::move(place), "",
                 "a document has at most " + std::to_string(max_document_bytes) + " bytes"});
  }

  /// The value at the first `count` of the names; null where there is none.
  [[nodiscard]] TextNode* find(const Names& names, std::size_t count) {
    TextNode* found = &root_;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = found->find(names[i]);
      if (at == found->inside.size()) return nullptr;
      found = &found->inside[at];
    }
    return found;
  }
  [[nodiscard]] TextNode* find(const Names& names) { return find(names, names.size()); }

  /// Puts a value in place of another one, where that was in a list or object.
  static void put(TextNode& there, TextNode value) {
    there.text = value.text;
    there.inside = std::move(value.inside);
    there.tail = value.tail;
  }

  [[nodiscard]] bool add(const PatchOperation& step, const Names& path, TextNode value) {
    if (path.size() > max_document_depth) return too_deep(place().child("path"));
    if (path.empty()) {
      put(root_, std::move(value));
      return true;
    }
    TextNode* const parent = find(path, path.size() - 1);
    if (parent == nullptr || !add_to(*parent, path.back(), std::move(value)))
      return refuse("path", step.path, "nothing can be put at this place");
    return true;
  }

  [[nodiscard]] bool add_to(TextNode& parent, const std::string& name, TextNode value) {
    std::vector<TextNode>& inside = parent.inside;
    value.gap = inside.empty() ? "" : ",";
    value.name = {};
    if (parent.is_object()) {
      if (const std::size_t at = parent.find(name); at < inside.size()) {
        put(inside[at], std::move(value));
        return true;
      }
      Writer key;
      write(key, name);
      key += ':';
      value.name = keep(std::move(key).take());
      inside.push_back(std::move(value));
      return true;
    }
    const auto index = name == "-" ? inside.size() : index_of(name);
    if (!parent.is_list() || !index || *index > inside.size()) return false;
    if (*index < inside.size()) std::swap(value.gap, inside[*index].gap);
    inside.insert(inside.begin() + static_cast<std::ptrdiff_t>(*index), std::move(value));
    return true;
  }

  [[nodiscard]] bool remove(std::string_view member, std::string_view pointer, const Names& path) {
    if (path.empty()) return refuse(member, pointer, "the whole document cannot be removed");
    TextNode* const parent = find(path, path.size() - 1);
    const std::size_t at = parent == nullptr ? 0 : parent->find(path.back());
    if (parent == nullptr || at == parent->inside.size())
      return refuse(member, pointer, nothing_there);
    std::vector<TextNode>& inside = parent->inside;
    if (at + 1 < inside.size()) {
      inside[at + 1].gap = inside[at].gap;
    } else if (at == 0) {
      parent->tail = keep(std::string(inside[at].gap).append(parent->tail));
    }
    inside.erase(inside.begin() + static_cast<std::ptrdiff_t>(at));
    return true;
  }

  [[nodiscard]] bool test(const PatchOperation& step, const Names& path, std::string_view value) {
    const TextNode* const found = find(path);
    if (found == nullptr) return refuse("path", step.path, nothing_there);
    if (!is_document(extent_of(*found), place().child("path"))) return false;
    std::string text;
    detail::print(*found, text);
    Document is;
    Document wanted;
    if (is.parse(text) && wanted.parse(value) &&
        is_equal(DocumentAccess::root(is), DocumentAccess::root(wanted), NullMember::is_null))
      return true;
    return refuse("path", step.path, "there is another value at this place");
  }

  [[nodiscard]] bool move(const PatchOperation& step, const Names& from, const Names& path,
                          TextNode& found) {
    if (from == path) return true;
    if (from.size() < path.size() && std::equal(from.begin(), from.end(), path.begin()))
      return refuse("path", step.path, "a value cannot be moved into itself");
    if (extent_of(found).levels > max_document_depth) return too_deep(place().child("from"));
    TextNode value = std::move(found);
    return remove("from", step.from, from) && add(step, path, std::move(value));
  }

  [[nodiscard]] bool copy(const PatchOperation& step, const Names& path, const TextNode& found) {
    const auto [levels, bytes] = extent_of(found);
    if (levels > max_document_depth) return too_deep(place().child("from"));
    if (bytes > left_to_copy_) {
      return fail({ErrorType::too_long, place().child("from"), "",
                   "the copies of a patch copy at most as much as the document has, or " +
                       std::to_string(max_copied_bytes) + " bytes"});
    }
    left_to_copy_ -= bytes;
    bytes_ += bytes;
    return add(step, path, TextNode(found));
  }

  std::string_view keep(std::string text) { return kept_.emplace_back(std::move(text)); }

  std::string_view before_;  ///< white space around the root
  TextNode root_;
  std::string_view after_;
  std::size_t left_to_copy_;                            ///< bytes, by all copies
  std::size_t bytes_;                                   ///< of all that was ever put into it
  std::size_t left_to_go_through_ = max_patched_bytes;  ///< by all operations
  std::size_t step_ = 0;
  std::deque<std::string> kept_{};  ///< texts that were made here
  FieldError error_{};
};

/// Reads the operations of a patch.
class PatchReader {
 public:
  /// A good document.
  explicit PatchReader(std::string_view text) : cursor_(text) {}

  [[nodiscard]] Result<Patch> read(Element root) && {
    ElementItems operations;
    if (!root.get(operations)) {
      fail(ErrorType::type_invalid, place_, "a patch is a list of operations");
      return std::vector<FieldError>{std::move(error_)};
    }
    Patch patch;
    patch.reserve(operations.size());
    cursor_.take_piece();
    for (const Element operation : operations) {
      place_ = FieldPath{"patch"}.index(patch.size());
      cursor_.take_gap();
      if (!read_operation(operation, cursor_.take_value(), patch.emplace_back()))
        return std::vector<FieldError>{std::move(error_)};
    }
    return patch;
  }

 private:
  bool fail(ErrorType type, FieldPath place, std::string_view detail, std::string_view value = {}) {
    error_ = {type, std::move(place), std::string(value), std::string(detail)};
    return false;
  }

  [[nodiscard]] bool read_operation(Element from, std::string_view text, PatchOperation& into) {
    if (!from.is_object())
      return fail(ErrorType::type_invalid, place_, "an operation is an object");
    std::string op;
    if (!read_text(from, "op", op)) return false;
    const auto known = op_of(op);
    if (!known) {
      return fail(ErrorType::not_supported, place_.child("op"),
                  "supported are add, remove, replace, move, copy, test", op);
    }
    into.op = *known;
    if (!read_text(from, "path", into.path)) return false;
    if (into.op == PatchOp::move || into.op == PatchOp::copy)
      return read_text(from, "from", into.from);
    if (!has_value(into.op)) return true;
    if (!from["value"].is_there())
      return fail(ErrorType::required, place_.child("value"), "the operation needs it");
    into.value = member_text(text, "value");
    return true;
  }

  [[nodiscard]] bool read_text(Element operation, std::string_view name, std::string& into) {
    const Element member = operation[name];
    if (!member.is_there())
      return fail(ErrorType::required, place_.child(name), "the operation needs it");
    std::string_view text;
    if (!member.get(text))
      return fail(ErrorType::type_invalid, place_.child(name), "must be a string");
    into = text;
    return true;
  }

  [[nodiscard]] static std::optional<PatchOp> op_of(std::string_view name) noexcept {
    for (const PatchOp op : {PatchOp::add, PatchOp::replace, PatchOp::remove, PatchOp::move,
                             PatchOp::copy, PatchOp::test}) {
      if (to_string(op) == name) return op;
    }
    return std::nullopt;
  }

  TextCursor cursor_;
  FieldPath place_{"patch"};
  FieldError error_;
};
/// The error of bytes that stand at a place of the patch and are no good document.
[[nodiscard]] inline std::vector<FieldError> no_document(FieldError error, const FieldPath& at) {
  error.field = at.join(error.field);
  return {std::move(error)};
}

}  // namespace detail

SCHEDPOL_INLINE Result<std::string> apply_patch(std::string_view document,
                                                std::span<const PatchOperation> patch) {
  Document parsed;
  if (!parsed.parse(document)) return std::vector<FieldError>{parsed.error()};
  detail::PatchedDocument patched(document, DocumentAccess::root(parsed));
  std::vector<detail::TextNode> values(patch.size());
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (!detail::has_value(patch[i].op)) continue;
    if (!parsed.parse(patch[i].value))
      return detail::no_document(parsed.error(), FieldPath{"patch"}.index(i).child("value"));
    detail::TextCursor cursor(patch[i].value);
    values[i] = read_tree(cursor, DocumentAccess::root(parsed));
  }
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (!patched.apply(i, patch[i], std::move(values[i])))
      return std::vector<FieldError>{std::move(patched).take_error()};
  }
  auto text = patched.print();
  if (!text) return std::vector<FieldError>{std::move(patched).take_error()};
  return *std::move(text);
}

SCHEDPOL_INLINE Result<std::string> apply_patch(std::string_view document, std::string_view patch) {
  Document parsed;
  // What is wrong with the document is told before what is wrong with the patch.
  if (!parsed.parse(document)) return std::vector<FieldError>{parsed.error()};
  if (!parsed.parse(patch)) return detail::no_document(parsed.error(), {"patch"});
  const Result<Patch> operations = detail::PatchReader(patch).read(DocumentAccess::root(parsed));
  if (!operations) return operations.errors();
  return apply_patch(document, *operations);
}

}  // namespace SCHEDPOL_NAMESPACE::json
