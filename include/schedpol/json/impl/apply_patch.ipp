// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/core/field_path.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/json_equal.hpp>
#include <schedpol/json/impl/text_scanner.hpp>
#include <schedpol/json/impl/text_tree.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace schedpol::json {

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

/// The index that a name is, as far as it is one.
[[nodiscard]] inline std::optional<std::size_t> index_of(std::string_view name) noexcept {
  if (name.size() > 1 && name.front() == '0') return std::nullopt;
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return index;
}

/// Applies one operation after the other to the tree of a document. Each returns whether it could;
/// where not, `error` says why.
class PatchedDocument {
 public:
  /// A text that is a good document, and stays where it is.
  explicit PatchedDocument(std::string_view text)
      : text_(text),
        root_(tree_.scan(text)),
        left_to_copy_(std::max(text.size(), max_copied_bytes)) {
    begin_ = tree_.text(root_).data();
    end_ = begin_ + tree_.text(root_).size();
  }

  /// An operation, with the value that it brings, a good document that stays where it is.
  struct Step {
    std::size_t index;
    PatchOp op;
    std::string_view path;
    std::string_view from;
    std::string_view value;
  };

  [[nodiscard]] bool apply(const Step& step) {
    const auto path = pointer_names(step.path);
    if (!path) return fail(step, "path", step.path, not_a_pointer);
    switch (step.op) {
      case PatchOp::add: return add(step, *path, tree_.scan(step.value));
      case PatchOp::replace: {
        TextNode* const target = find(*path);
        if (target == nullptr) return fail(step, "path", step.path, nothing_there);
        *target = tree_.scan(step.value);
        return true;
      }
      case PatchOp::remove: return remove(step, "path", step.path, *path);
      case PatchOp::test: {
        const TextNode* const target = find(*path);
        if (target == nullptr) return fail(step, "path", step.path, nothing_there);
        if (is_equal(tree_, *target, tree_.scan(step.value))) return true;
        return fail(step, "path", step.path, "there is another value at this place");
      }
      case PatchOp::move:
      case PatchOp::copy: break;
    }
    const auto from = pointer_names(step.from);
    if (!from) return fail(step, "from", step.from, not_a_pointer);
    return step.op == PatchOp::move ? move(step, *from, *path) : copy(step, *from, *path);
  }

  /// The whole text by now.
  [[nodiscard]] std::optional<std::string> print() {
    std::string text(text_.substr(0, static_cast<std::size_t>(begin_ - text_.data())));
    const auto behind = static_cast<std::size_t>(text_.data() + text_.size() - end_);
    text.reserve(text_.size());
    if (!print(root_, text, max_document_bytes - behind, {"patch"})) return std::nullopt;
    return text.append(end_, behind);
  }

  [[nodiscard]] FieldError take_error() && { return std::move(error_); }

 private:
  static constexpr std::string_view not_a_pointer =
      "must be a JSON Pointer: names that each begin with a slash, ~0 for ~ and ~1 for /";
  static constexpr std::string_view nothing_there = "there is nothing at this place";

  using Names = std::vector<std::string>;

  bool fail(const Step& step, std::string_view member, std::string_view value,
            std::string_view detail) {
    error_ = {ErrorType::invalid, FieldPath{"patch"}.index(step.index).child(member),
              std::string(value), std::string(detail)};
    return false;
  }

  /// Appends the text of a value, which has to be within the limits of a document; `place` is where
  /// the patch asks for it.
  [[nodiscard]] bool print(TextNode node, std::string& to, std::size_t max_bytes,
                           const FieldPath& place) {
    switch (tree_.print(node, to, max_document_depth, max_bytes)) {
      case TextTree::Printed::whole: return true;
      case TextTree::Printed::too_deep:
        error_ = {ErrorType::too_many, place, "",
                  "a document nests at most " + std::to_string(max_document_depth) + " levels"};
        break;
      case TextTree::Printed::too_long:
        error_ = {ErrorType::too_long, place, "",
                  "a document has at most " + std::to_string(max_document_bytes) + " bytes"};
        break;
    }
    return false;
  }

  /// The value that is in another one under a name; null where there is none.
  [[nodiscard]] TextNode* find_in(TextNode node, const std::string& name) {
    switch (tree_.kind(node)) {
      case TextTree::Kind::object: return tree_.member(node, name);
      case TextTree::Kind::list: {
        const auto index = index_of(name);
        return index ? tree_.item(node, *index) : nullptr;
      }
      case TextTree::Kind::string:
      case TextTree::Kind::number:
      case TextTree::Kind::word: break;
    }
    return nullptr;
  }

  /// The value at the first `count` of the names; null where there is none.
  [[nodiscard]] TextNode* find(const Names& names, std::size_t count) {
    TextNode* found = &root_;
    for (std::size_t i = 0; i < count && found != nullptr; ++i) found = find_in(*found, names[i]);
    return found;
  }
  [[nodiscard]] TextNode* find(const Names& names) { return find(names, names.size()); }

  [[nodiscard]] bool add(const Step& step, const Names& path, TextNode value) {
    if (path.empty()) {
      root_ = value;
      return true;
    }
    const TextNode* const parent = find(path, path.size() - 1);
    if (parent == nullptr || !add_to(*parent, path.back(), value))
      return fail(step, "path", step.path, "nothing can be put at this place");
    return true;
  }

  [[nodiscard]] bool add_to(TextNode parent, const std::string& name, TextNode value) {
    if (tree_.kind(parent) == TextTree::Kind::object) {
      if (TextNode* const there = tree_.member(parent, name)) {
        *there = value;
      } else {
        tree_.append_member(parent, name, value);
      }
      return true;
    }
    if (tree_.kind(parent) != TextTree::Kind::list) return false;
    const std::size_t size = tree_.items(parent).size();
    const auto index = name == "-" ? size : index_of(name);
    if (!index || *index > size) return false;
    tree_.insert_item(parent, *index, value);
    return true;
  }

  [[nodiscard]] bool remove(const Step& step, std::string_view member, std::string_view pointer,
                            const Names& path) {
    if (path.empty()) return fail(step, member, pointer, "the whole document cannot be removed");
    const TextNode* const parent = find(path, path.size() - 1);
    if (parent == nullptr || find_in(*parent, path.back()) == nullptr)
      return fail(step, member, pointer, nothing_there);
    if (tree_.kind(*parent) == TextTree::Kind::object) {
      tree_.erase_member(*parent, path.back());
    } else {
      tree_.erase_item(*parent, *index_of(path.back()));
    }
    return true;
  }

  [[nodiscard]] bool move(const Step& step, const Names& from, const Names& path) {
    const TextNode* const found = find(from);
    if (found == nullptr) return fail(step, "from", step.from, nothing_there);
    if (from == path) return true;
    if (from.size() < path.size() && std::equal(from.begin(), from.end(), path.begin()))
      return fail(step, "path", step.path, "a value cannot be moved into itself");
    const TextNode value = *found;
    return remove(step, "from", step.from, from) && add(step, path, value);
  }

  [[nodiscard]] bool copy(const Step& step, const Names& from, const Names& path) {
    const TextNode* const found = find(from);
    if (found == nullptr) return fail(step, "from", step.from, nothing_there);
    std::string text;
    const FieldPath place = FieldPath{"patch"}.index(step.index).child("from");
    if (!print(*found, text, left_to_copy_, place)) {
      if (error_.type == ErrorType::too_long)
        error_.detail = "the copies of a patch copy at most as much as the document has, or " +
                        std::to_string(max_copied_bytes) + " bytes";
      return false;
    }
    left_to_copy_ -= text.size();
    return add(step, path, tree_.scan_kept(std::move(text)));
  }

  std::string_view text_;
  TextTree tree_;
  TextNode root_;
  const char* begin_;         ///< of the root in the text as it came
  const char* end_;           ///< the same of its end
  std::size_t left_to_copy_;  ///< bytes, by all copies
  FieldError error_;
};

/// Reads the operations of a patch from its text, a good document.
class PatchReader {
 public:
  explicit PatchReader(std::string_view text) : patch_(tree_.scan(text)) {}

  /// The operations, their values as the text has them; nothing where it is no patch.
  [[nodiscard]] std::optional<std::vector<PatchedDocument::Step>> read() {
    if (tree_.kind(patch_) != TextTree::Kind::list) {
      fail(ErrorType::type_invalid, place_, "a patch is a list of operations");
      return std::nullopt;
    }
    std::vector<PatchedDocument::Step> steps;
    const bool good = tree_.items(patch_).for_each([&](const TextItem& item) {
      PatchedDocument::Step step{steps.size(), PatchOp::add, {}, {}, {}};
      place_ = FieldPath{"patch"}.index(steps.size());
      if (!read_step(item.value, step)) return false;
      steps.push_back(step);
      return true;
    });
    if (!good) return std::nullopt;
    return steps;
  }

  [[nodiscard]] FieldError take_error() && { return std::move(error_); }

 private:
  bool fail(ErrorType type, FieldPath place, std::string_view detail, std::string_view value = {}) {
    error_ = {type, std::move(place), std::string(value), std::string(detail)};
    return false;
  }

  [[nodiscard]] bool read_step(TextNode node, PatchedDocument::Step& step) {
    if (tree_.kind(node) != TextTree::Kind::object)
      return fail(ErrorType::type_invalid, place_, "an operation is an object");
    std::string_view op;
    if (!read_text(node, "op", op)) return false;
    const auto known = op_of(op);
    if (!known) {
      return fail(ErrorType::not_supported, place_.child("op"),
                  "supported are add, remove, replace, move, copy, test", op);
    }
    step.op = *known;
    if (!read_text(node, "path", step.path)) return false;
    switch (step.op) {
      case PatchOp::move:
      case PatchOp::copy: return read_text(node, "from", step.from);
      case PatchOp::remove: return true;
      case PatchOp::add:
      case PatchOp::replace:
      case PatchOp::test: break;
    }
    const TextNode* const value = tree_.member(node, "value");
    if (value == nullptr)
      return fail(ErrorType::required, place_.child("value"), "the operation needs it");
    step.value = tree_.text(*value);
    return true;
  }

  [[nodiscard]] bool read_text(TextNode operation, std::string_view name, std::string_view& into) {
    const TextNode* const member = tree_.member(operation, name);
    if (member == nullptr)
      return fail(ErrorType::required, place_.child(name), "the operation needs it");
    if (tree_.kind(*member) != TextTree::Kind::string)
      return fail(ErrorType::type_invalid, place_.child(name), "must be a string");
    into = texts_.emplace_back(unescaped(tree_.text(*member)));
    return true;
  }

  [[nodiscard]] static std::optional<PatchOp> op_of(std::string_view name) noexcept {
    for (const PatchOp op : {PatchOp::add, PatchOp::replace, PatchOp::remove, PatchOp::move,
                             PatchOp::copy, PatchOp::test}) {
      if (to_string(op) == name) return op;
    }
    return std::nullopt;
  }

  TextTree tree_;
  TextNode patch_;
  FieldPath place_{"patch"};
  std::deque<std::string> texts_;  ///< of the members
  FieldError error_;
};

/// The document with all operations applied; it and their values are good documents.
[[nodiscard]] inline Result<std::string> apply_steps(std::string_view document,
                                                     std::span<const PatchedDocument::Step> steps) {
  PatchedDocument patched(document);
  for (const PatchedDocument::Step& step : steps) {
    if (!patched.apply(step)) return std::vector<FieldError>{std::move(patched).take_error()};
  }
  auto text = patched.print();
  if (!text) return std::vector<FieldError>{std::move(patched).take_error()};
  return *std::move(text);
}

/// The error of bytes that stand at a place of the patch and are no good document.
[[nodiscard]] inline std::vector<FieldError> no_document(FieldError error, const FieldPath& at) {
  error.field = at.join(error.field);
  return {std::move(error)};
}

}  // namespace detail

SCHEDPOL_INLINE Result<std::string> apply_patch(std::string_view document,
                                                std::span<const PatchOperation> patch) {
  std::vector<detail::PatchedDocument::Step> steps;
  steps.reserve(patch.size());
  {
    Document parsed;  // gone before its text is read once more
    if (!parsed.parse(document)) return std::vector<FieldError>{parsed.error()};
    for (const auto& [op, path, value, from] : patch) {
      const std::size_t index = steps.size();
      const bool needs_value = op == PatchOp::add || op == PatchOp::replace || op == PatchOp::test;
      if (needs_value && !parsed.parse(value))
        return detail::no_document(parsed.error(), FieldPath{"patch"}.index(index).child("value"));
      steps.push_back({index, op, path, from, value});
    }
  }
  return detail::apply_steps(document, steps);
}

SCHEDPOL_INLINE Result<std::string> apply_patch(std::string_view document, std::string_view patch) {
  {
    Document parsed;
    if (!parsed.parse(document)) return std::vector<FieldError>{parsed.error()};
    if (!parsed.parse(patch)) return detail::no_document(parsed.error(), {"patch"});
  }
  detail::PatchReader reader(patch);
  const auto steps = reader.read();
  if (!steps) return std::vector<FieldError>{std::move(reader).take_error()};
  return detail::apply_steps(document, *steps);
}

}  // namespace schedpol::json
