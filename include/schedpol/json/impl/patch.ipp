// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/impl/linkage.hpp>
#include <schedpol/json/impl/document.ipp>
#include <schedpol/json/impl/list_edits.hpp>
#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/json/patch.hpp>

namespace SCHEDPOL_NAMESPACE::json {

namespace detail {

/// Takes down the operations that turn one value into another, by their schemas. Nothing is built for
/// what is equal.
class Differ {
 public:
  /// Of a document that the values before were decoded from.
  explicit Differ(Element document) : document_(document) { operations_.reserve(usual_operations); }

  /// Gives `metadata` or `spec` of the pod or pod template in an object of the kind the fields of
  /// `after`, parents that the document lacks first. `before` is what was decoded from there.
  template <Described T>
  void diff(PodKind kind, std::string_view field, const T& before, const T& after) {
    if (before == after) return;
    const PointerScope back(pointer_);
    Element part = document_;
    for (const std::string_view step : template_steps(kind)) enter(part, step);
    diff_part(part, field, before, after);
  }
  /// The same of a pod template that `part` of the document is, at `place`, whose fields need no escapes.
  template <Described T>
  void diff(const FieldPath& place, Element part, std::string_view field, const T& before,
            const T& after) {
    if (before == after) return;
    const PointerScope back(pointer_);
    for (const FieldPath::Step& step : place.steps()) {
      if (step.kind == FieldPath::Step::Kind::index) {
        enter_index(step.index);
      } else {
        enter_field(step.name);
      }
    }
    diff_part(part, field, before, after);
  }
  void diff(const Pod& before, const Pod& after) {
    diff(before.kind, "metadata", before.metadata, after.metadata);
    diff(before.kind, "spec", before.spec, after.spec);
  }
  /// The same of what an object says of itself, whatever kind it is of.
  void diff_object(const ObjectMeta& before, const ObjectMeta& after) {
    diff(PodKind::pod, "metadata", before, after);
  }

  [[nodiscard]] Patch patch() const {
    Patch patch;
    const auto text = [&](Range part) { return json_.text().substr(part.begin, part.size); };
    for (const auto& [op, path, value] : operations_)
      patch.push_back({op, unescaped(text(path)), std::string(text(value)), {}});
    return patch;
  }
  /// The same as JSON; nothing where there are no operations. The last thing that is asked of it, and
  /// valid as long as it is there.
  [[nodiscard]] std::string_view json() && {
    if (!operations_.empty()) json_ += ']';
    return json_.text();
  }

 private:
  /// A part of the JSON.
  struct Range {
    std::size_t begin;
    std::size_t size;
  };
  struct WrittenOperation {
    PatchOp op;
    Range path;     ///< what stands in the quotes
    Range value{};  ///< none where there is no value
  };

  /// Takes off the pointer what was entered since it was made, when it ends.
  class PointerScope {
   public:
    explicit PointerScope(Writer& pointer) : pointer_(pointer), size_(pointer.text().size()) {}
    PointerScope(const PointerScope&) = delete;
    PointerScope& operator=(const PointerScope&) = delete;
    ~PointerScope() { pointer_.shorten(size_); }

   private:
    Writer& pointer_;
    std::size_t size_;
  };

  /// Goes into a field of what the pointer leads to.
  void enter(Element& part, std::string_view field) {
    make(part);
    enter_field(field);
    part = part[field];
  }
  template <Described T>
  void diff_part(Element part, std::string_view field, const T& before, const T& after) {
    enter(part, field);
    make(part);
    diff(before, after);
  }

  /// Names of fields need no escapes.
  void enter_field(std::string_view name) {
    pointer_ += '/';
    pointer_ += name;
  }
  void enter_key(std::string_view name) {
    pointer_ += '/';
    for (const char c : name) {
      if (c == '~') {
        pointer_ += "~0";
      } else if (c == '/') {
        pointer_ += "~1";
      } else if (is_plain(c)) {
        pointer_ += c;
      } else {
        write_escape(pointer_, c);
      }
    }
  }
  void enter_index(std::size_t index) {
    pointer_ += '/';
    write(pointer_, index);
  }

  /// An operation at the place where the pointer leads; `value` is nothing or one value.
  template <class... Value>
  void note(PatchOp op, const Value&... value) {
    const auto part = [&](std::string_view before, const auto& text) -> Range {
      json_ += before;
      const std::size_t begin = json_.text().size();
      write(json_, text);
      return {begin, json_.text().size() - begin};
    };
    part(operations_.empty() ? R"([{"op":)" : R"(,{"op":)", to_string(op));
    operations_.push_back({op, part(R"(,"path":")", Raw{pointer_.text()})});
    json_ += '"';
    ((operations_.back().value = part(R"(,"value":)", value)), ...);
    json_ += '}';
  }
  template <class... Value>
  void note_key(PatchOp op, std::string_view key, const Value&... value) {
    const PointerScope back(pointer_);
    enter_key(key);
    note(op, value...);
  }

  /// Sees to it that there is something in a place of the document.
  void make(Element part) {
    if (part.is_there() && !part.is_null()) return;
    if (schedpol::detail::contains(made_, pointer_.text())) return;
    note(PatchOp::add, Raw{"{}"});
    made_.emplace_back(pointer_.text());
  }

  template <Described T>
  void diff(const T& before, const T& after) {
    for_each_field<T>([&](const auto& field) {
      diff_field(field.name, part_of(before, field.access), part_of(after, field.access));
    });
  }

  template <class T>
  void diff_field(std::string_view name, const T& before, const T& after) {
    const bool was = !is_absent(before);
    const bool is = !is_absent(after);
    if (!was && !is) return;
    const PointerScope back(pointer_);
    enter_field(name);
    if (!is) {
      note(PatchOp::remove);
    } else if (before == T{} && after != T{}) {  // absent, or 0: a number that may not be there
      note(PatchOp::add, after);
    } else {
      diff(before, after);
    }
  }

  template <class T>
  void diff(const T& before, const T& after) {
    if (before != after) note(PatchOp::replace, after);
  }
  template <class T>
  void diff(const std::optional<T>& before, const std::optional<T>& after) {
    diff(*before, *after);
  }
  void diff(const Labels& before, const Labels& after) {
    auto old = before.begin();
    for (const auto& [key, value] : after) {
      for (; old != before.end() && old->first < key; ++old) note_key(PatchOp::remove, old->first);
      if (old == before.end() || old->first != key) {
        note_key(PatchOp::add, key, value);
      } else if ((old++)->second != value) {
        note_key(PatchOp::replace, key, value);
      }
    }
    for (; old != before.end(); ++old) note_key(PatchOp::remove, old->first);
  }
  void diff(const Texts& before, const Texts& after) { diff(before.vector(), after.vector()); }

  template <class T>
  void diff(const std::vector<T>& before, const std::vector<T>& after) {
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t same = 0;
    while (same < shorter && before[same] == after[same]) ++same;
    std::size_t tail = 0;
    while (tail < shorter - same &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
      ++tail;
    const std::span<const T> old = std::span(before).subspan(same, before.size() - same - tail);
    const std::span<const T> wanted = std::span(after).subspan(same, after.size() - same - tail);
    const auto cost = [&](std::size_t i, std::size_t j) { return change_cost(old[i], wanted[j]); };
    const ListEdits edits(old.size(), wanted.size(), cost);
    for (std::size_t i = 0, j = 0; i < old.size() || j < wanted.size();) {
      const PointerScope back(pointer_);
      if (i == old.size() && tail == 0) {
        enter_field("-");
      } else {
        enter_index(same + j);
      }
      const ListEdit edit = edits.at(i, j);
      switch (edit) {
        case ListEdit::change: change_item(old[i], wanted[j], cost(i, j)); break;
        case ListEdit::remove: note(PatchOp::remove); break;
        case ListEdit::add: note(PatchOp::add, wanted[j]); break;
      }
      i += edit == ListEdit::add ? 0 : 1;
      j += edit == ListEdit::remove ? 0 : 1;
    }
  }

  /// An item without any field may stand as null in the document, where nothing can be added to it.
  template <class T>
  void change_item(const T& before, const T& after, int cost) {
    if (cost == EditCost::equal) return;
    if (is_absent(before) || cost == EditCost::stranger) {
      note(PatchOp::replace, after);
    } else {
      diff(before, after);
    }
  }

  /// More than most patches have, so that the list rarely moves.
  static constexpr std::size_t usual_operations = 16;

  Element document_;
  Writer pointer_;  ///< the JSON Pointer to where it is, escaped as in a JSON string
  Writer json_;     ///< the operations, without the bracket that closes them
  std::vector<WrittenOperation> operations_;
  std::vector<std::string> made_;  ///< parents that were missing
};

}  // namespace detail

SCHEDPOL_INLINE Patch make_patch(const Document& document, const Pod& before, const Pod& after) {
  const detail::Element root = DocumentAccess::root(document);
  detail::Differ differ(root);
  if (root.is_there()) differ.diff(before, after);
  return differ.patch();
}

SCHEDPOL_INLINE Patch make_patch(const Document& document, const ObjectMeta& before,
                                 const ObjectMeta& after) {
  const detail::Element root = DocumentAccess::root(document);
  detail::Differ differ(root);
  if (root.is_there()) differ.diff_object(before, after);
  return differ.patch();
}

}  // namespace SCHEDPOL_NAMESPACE::json
