// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/apply_patch.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/impl/document.ipp>
#include <schedpol/json/impl/element_equal.hpp>
#include <schedpol/json/impl/text_cursor.hpp>
#include <schedpol/json/impl/writer.hpp>

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

/// The index that a name is, as far as it is one.
[[nodiscard]] inline std::optional<std::size_t> index_of(std::string_view name) noexcept {
  const auto index = schedpol::detail::decimal_int64(name);
  if (!index || *index < 0) return std::nullopt;
  return static_cast<std::size_t>(*index);
}

/// How deep a value nests.
[[nodiscard]] inline std::size_t levels_of(std::string_view value) noexcept {
  std::size_t levels = 0;
  std::size_t most = 0;
  for (TextCursor cursor(value); !cursor.rest().empty(); cursor.take_gap()) {
    const char first = cursor.take_piece().front();
    if (first == '{' || first == '[') most = std::max(most, ++levels);
    if (first == '}' || first == ']') --levels;
  }
  return most;
}

/// Why something cannot be done; nothing where it was.
using Problem = std::optional<FieldError>;

/// Applies one operation after the other to the text of a document.
class PatchedDocument {
 public:
  /// The text of a good document.
  explicit PatchedDocument(std::string_view text)
      : text_(text), left_to_copy_(std::max(text.size(), max_copied_bytes)), bytes_(text.size()) {}

  /// The `index`th operation. The value that it brings is a good document.
  [[nodiscard]] Problem apply(std::size_t index, const PatchOperation& step) {
    place_ = FieldPath{"patch"}.index(index);
    const std::string_view value =
        has_value(step.op) ? TextCursor(step.value).take_value() : std::string_view();
    bytes_ += value.size();
    if (bytes_ > left_to_go_through_) {
      return FieldError{ErrorType::too_many, place_, "",
                        "the operations of a patch go through at most " +
                            std::to_string(max_patched_bytes) +
                            " bytes, each through the document"};
    }
    left_to_go_through_ -= bytes_;
    const auto path = pointer_names(step.path);
    if (!path) return refuse("path", step.path, not_a_pointer);
    if (step.op == PatchOp::add) return add(step, *path, value);
    if (step.op == PatchOp::move || step.op == PatchOp::copy) return move_or_copy(step, *path);
    const std::optional<Target> target = find(*path);
    if (!target) return refuse("path", step.path, nothing_there);
    if (step.op == PatchOp::test) return test(step, value_in(*target), value);
    if (step.op == PatchOp::remove) {
      if (path->empty()) return refuse("path", step.path, "the whole document cannot be removed");
      remove(*target);
      return std::nullopt;
    }
    put(*target, value);
    return std::nullopt;
  }

  /// What is wrong with the text as a document, by its limits.
  [[nodiscard]] Problem problem() const { return problem_of(text_, {"patch"}); }

  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  static constexpr std::string_view not_a_pointer =
      "must be a JSON Pointer: names that each begin with a slash, ~0 for ~ and ~1 for /";
  static constexpr std::string_view nothing_there = "there is nothing at this place";

  /// Where an item of a list or a member of an object stands; where it has none of that name, where
  /// one behind the last would.
  struct Target {
    bool is_there = true;
    std::size_t index = 0;  ///< in the list or object
    std::size_t gap = 0;    ///< in the text: of what stands before it, with its comma if it has one
    std::size_t begin = 0;  ///< of it, with the key of a member
    std::size_t value = 0;
  };

  [[nodiscard]] FieldError refuse(std::string_view member, std::string_view value,
                                  std::string_view detail) const {
    return {ErrorType::invalid, place_.child(member), std::string(value), std::string(detail)};
  }

  /// Of what the patch asks for at a place.
  [[nodiscard]] static Problem problem_of(std::string_view text, FieldPath place) {
    if (levels_of(text) > max_document_depth) return too_deep(std::move(place));
    if (text.size() <= max_document_bytes) return std::nullopt;
    return too_long(std::move(place));
  }

  /// Of what is next for a cursor in the text.
  [[nodiscard]] std::size_t offset(const TextCursor& cursor) const noexcept {
    return text_.size() - cursor.rest().size();
  }
  [[nodiscard]] TextCursor cursor_at(const Target& target) const noexcept {
    return TextCursor(std::string_view(text_).substr(target.value));
  }
  [[nodiscard]] std::string_view value_in(const Target& target) const noexcept {
    return cursor_at(target).take_value();
  }
  [[nodiscard]] bool is_list(const Target& target) const noexcept {
    return text_[target.value] == '[';
  }
  [[nodiscard]] bool is_object(const Target& target) const noexcept {
    return text_[target.value] == '{';
  }

  /// Of that name in a list or object.
  [[nodiscard]] Target target_in(const Target& parent, const std::string& name) const {
    TextCursor cursor = cursor_at(parent);
    cursor.take_piece();
    const auto wanted = index_of(name);
    for (Target target;; ++target.index) {
      target.gap = offset(cursor);
      cursor.take_gap();
      target.begin = offset(cursor);
      target.is_there = !cursor.is_at_end();
      if (!target.is_there) return target;
      const bool is_it =
          is_list(parent) ? wanted == target.index : is_key(cursor.take_piece(), name);
      cursor.take_gap();
      target.value = offset(cursor);
      if (is_it) return target;
      cursor.take_value();
    }
  }

  /// Where names lead, one in the other.
  [[nodiscard]] std::optional<Target> find(std::span<const std::string> names) const {
    Target target{.value = offset(TextCursor(text_))};
    for (const std::string& name : names) {
      if (!is_list(target) && !is_object(target)) return std::nullopt;
      target = target_in(target, name);
      if (!target.is_there) return std::nullopt;
    }
    return target;
  }

  /// Puts a value in place of another one.
  void put(const Target& target, std::string_view value) {
    text_.replace(target.value, value_in(target).size(), value);
  }

  [[nodiscard]] Problem add(const PatchOperation& step, std::span<const std::string> path,
                            std::string_view value) {
    if (path.size() > max_document_depth) return too_deep(place_.child("path"));
    if (path.empty()) {
      put(*find(path), value);
      return std::nullopt;
    }
    const std::optional<Target> parent = find(path.first(path.size() - 1));
    if (!parent || !add_to(*parent, path.back(), value))
      return refuse("path", step.path, "nothing can be put at this place");
    return std::nullopt;
  }

  /// False where that is no list or object, or not so long.
  [[nodiscard]] bool add_to(const Target& parent, const std::string& name, std::string_view value) {
    if (!is_list(parent) && !is_object(parent)) return false;
    const Target target = target_in(parent, name);
    if (target.is_there) {
      if (is_object(parent)) {
        put(target, value);
      } else {
        text_.insert(target.begin, std::string(value) + ',');
      }
      return true;
    }
    Writer added;
    if (target.index > 0) added += ',';
    if (is_object(parent)) {
      write(added, name);
      added += ':';
    } else if (name != "-" && index_of(name) != target.index) {
      return false;
    }
    added += value;
    text_.insert(target.gap, added.text());
    return true;
  }

  /// Of a list or object, which the document itself is none of.
  void remove(const Target& target) {
    TextCursor cursor = cursor_at(target);
    cursor.take_value();
    const std::size_t end = offset(cursor);
    cursor.take_gap();
    if (!cursor.is_at_end()) {  // what comes next stands in its place
      text_.erase(target.begin, offset(cursor) - target.begin);
    } else {
      const std::size_t begin = target.index > 0 ? target.gap : target.begin;
      text_.erase(begin, end - begin);
    }
  }

  [[nodiscard]] Problem test(const PatchOperation& step, std::string_view found,
                             std::string_view value) const {
    if (auto problem = problem_of(found, place_.child("path"))) return problem;
    Document is;
    Document wanted;
    if (is.parse(found) && wanted.parse(value) &&
        is_equal(DocumentAccess::root(is), DocumentAccess::root(wanted)))
      return std::nullopt;
    return refuse("path", step.path, "there is another value at this place");
  }

  [[nodiscard]] Problem move_or_copy(const PatchOperation& step,
                                     std::span<const std::string> path) {
    const auto from = pointer_names(step.from);
    if (!from) return refuse("from", step.from, not_a_pointer);
    const std::optional<Target> source = find(*from);
    if (!source) return refuse("from", step.from, nothing_there);
    const std::string value(value_in(*source));
    const bool moves = step.op == PatchOp::move;
    const bool is_inside =
        from->size() <= path.size() && std::equal(from->begin(), from->end(), path.begin());
    if (moves && is_inside) {
      if (from->size() == path.size()) return std::nullopt;
      return refuse("path", step.path, "a value cannot be moved into itself");
    }
    if (levels_of(value) > max_document_depth) return too_deep(place_.child("from"));
    if (moves) {
      remove(*source);
      return add(step, path, value);
    }
    if (value.size() > left_to_copy_) {
      return FieldError{ErrorType::too_long, place_.child("from"), "",
                        "the copies of a patch copy at most as much as the document has, or " +
                            std::to_string(max_copied_bytes) + " bytes"};
    }
    left_to_copy_ -= value.size();
    bytes_ += value.size();
    return add(step, path, value);
  }

  std::string text_;
  std::size_t left_to_copy_;                            ///< bytes, by all copies
  std::size_t bytes_;                                   ///< of all that was ever put into it
  std::size_t left_to_go_through_ = max_patched_bytes;  ///< by all operations
  FieldPath place_{};                                   ///< of the operation that is applied
};

/// A member of an operation that is a text.
[[nodiscard]] inline Problem read_text(Element operation, const FieldPath& at,
                                       std::string_view name, std::string& into) {
  const Element member = operation[name];
  if (!member.is_there())
    return FieldError{ErrorType::required, at.child(name), "", "the operation needs it"};
  if (!member.is_string())
    return FieldError{ErrorType::type_invalid, at.child(name), "", "must be a string"};
  into = member.text();
  return std::nullopt;
}

/// An operation, which is written like this at a place of the patch.
[[nodiscard]] inline Problem read_operation(Element from, std::string_view text,
                                            const FieldPath& at, PatchOperation& into) {
  if (!from.is_object())
    return FieldError{ErrorType::type_invalid, at, "", "an operation is an object"};
  std::string op;
  if (auto problem = read_text(from, at, "op", op)) return problem;
  constexpr PatchOp all[] = {PatchOp::add,  PatchOp::remove, PatchOp::replace,
                             PatchOp::move, PatchOp::copy,   PatchOp::test};
  const auto* const known = std::find_if(std::begin(all), std::end(all),
                                         [&](PatchOp one) { return to_string(one) == op; });
  if (known == std::end(all)) {
    return FieldError{ErrorType::not_supported, at.child("op"), op,
                      "supported are add, remove, replace, move, copy, test"};
  }
  into.op = *known;
  if (auto problem = read_text(from, at, "path", into.path)) return problem;
  if (into.op == PatchOp::move || into.op == PatchOp::copy)
    return read_text(from, at, "from", into.from);
  if (!has_value(into.op)) return std::nullopt;
  if (!from["value"].is_there())
    return FieldError{ErrorType::required, at.child("value"), "", "the operation needs it"};
  into.value = member_text(text, "value");
  return std::nullopt;
}

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
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (detail::has_value(patch[i].op) && !parsed.parse(patch[i].value))
      return detail::no_document(parsed.error(), FieldPath{"patch"}.index(i).child("value"));
  }
  detail::PatchedDocument patched(document);
  for (std::size_t i = 0; i < patch.size(); ++i) {
    if (auto problem = patched.apply(i, patch[i])) return std::vector<FieldError>{*problem};
  }
  if (auto problem = patched.problem()) return std::vector<FieldError>{*problem};
  return std::move(patched).take();
}

SCHEDPOL_INLINE Result<std::string> apply_patch(std::string_view document, std::string_view patch) {
  Document parsed;
  // What is wrong with the document is told before what is wrong with the patch.
  if (!parsed.parse(document)) return std::vector<FieldError>{parsed.error()};
  const FieldPath place{"patch"};
  if (!parsed.parse(patch)) return detail::no_document(parsed.error(), place);
  const detail::Element operations = DocumentAccess::root(parsed);
  if (!operations.is_list()) {
    return std::vector<FieldError>{
        {ErrorType::type_invalid, place, "", "a patch is a list of operations"}};
  }
  detail::TextCursor cursor(patch);
  cursor.take_piece();
  Patch read;
  for (const detail::Element operation : operations.items()) {
    cursor.take_gap();
    const FieldPath at = place.index(read.size());
    if (auto problem = read_operation(operation, cursor.take_value(), at, read.emplace_back()))
      return std::vector<FieldError>{*problem};
  }
  return apply_patch(document, read);
}

}  // namespace SCHEDPOL_NAMESPACE::json
