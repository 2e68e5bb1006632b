// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Finds the patch from one value to another, by their schemas. The rules are those of `patch.hpp`.
/// What is found is taken down by `PatchList` as operations, or by `PatchText` as the text of a
/// JSON Patch.

#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/json/impl/insides.hpp>
#include <schedpol/json/impl/list_edits.hpp>
#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/json/impl/schema.hpp>
#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/json/impl/template_walk.hpp>
#include <schedpol/json/impl/writer.hpp>
#include <schedpol/json/patch_operation.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::json::detail {

// A JSON Pointer is a text, or one that is written as JSON.

/// Appends a step whose name needs no escapes.
inline void append_step(std::string& pointer, std::string_view name) {
  pointer += '/';
  pointer += name;
}
inline void append_step(Writer& pointer, std::string_view name) {
  char* const at = pointer.extend(1 + name.size());
  *at = '/';
  name.copy(at + 1, name.size());
}

/// Appends a part of the name of a key.
inline void append_name(std::string& pointer, std::string_view part) {
  pointer += part;
}
inline void append_name(Writer& pointer, std::string_view part) {
  write_unquoted(pointer, part);
}

/// Appends the step to a key, with `~` and `/` escaped.
template <class Pointer>
void append_key(Pointer& pointer, std::string_view name) {
  pointer += '/';
  while (true) {
    const std::size_t special = name.find_first_of("~/");
    append_name(pointer, name.substr(0, special));
    if (special == std::string_view::npos) return;
    pointer += name[special] == '~' ? "~0" : "~1";
    name.remove_prefix(special + 1);
  }
}

/// Appends the JSON Pointer to a place in a document. Names of fields need no escapes.
template <class Pointer>
void append_pointer(Pointer& pointer, const Place& place) {
  if (place.parent() == nullptr) return;
  append_pointer(pointer, *place.parent());
  switch (place.step().kind) {
    case FieldPath::Step::Kind::field: return append_step(pointer, place.step().name);
    case FieldPath::Step::Kind::key: return append_key(pointer, place.step().name);
    case FieldPath::Step::Kind::index:
      return append_step(pointer, std::to_string(place.step().index));
  }
}

/// Takes down operations as a list.
struct PatchList {
  Patch patch{};

  void note(PatchOp op, const Place& place) {
    append_pointer(patch.emplace_back(PatchOperation{.op = op}).path, place);
  }
  template <class T>
  void note(PatchOp op, const Place& place, const T& value) {
    note(op, place);
    Writer out;
    write(out, value);
    patch.back().value = std::move(out).take();
  }
};

/// Takes down operations as the text of a JSON Patch; empty when there are none.
class PatchText {
 public:
  void note(PatchOp op, const Place& place) {
    begin(op, place);
    text_ += '}';
  }
  template <class T>
  void note(PatchOp op, const Place& place, const T& value) {
    begin(op, place);
    text_ += ",\"value\":";
    write(text_, value);
    text_ += '}';
  }

  /// The whole text; nothing can be noted after it.
  [[nodiscard]] std::string_view finish() {
    if (!text_.empty()) text_ += ']';
    return text_.text();
  }

 private:
  void begin(PatchOp op, const Place& place) {
    text_ += text_.empty() ? "[{\"op\":\"" : ",{\"op\":\"";
    text_ += to_string(op);
    text_ += "\",\"path\":\"";
    append_pointer(text_, place);
    text_ += '"';
  }

  Writer text_;
};

/// Finds what turns one value into another, and has it taken down. Nothing is built for what is
/// equal.
template <class Taker>
class Differ {
 public:
  explicit Differ(Taker& taker) : taker_(taker) {}

  template <class T>
  void diff_field(const Place& place, const T& before, const T& after) {
    if (is_absent(after)) {
      if (!is_absent(before)) taker_.note(PatchOp::remove, place);
    } else if (is_absent(before)) {
      taker_.note(PatchOp::add, place, after);
    } else {
      diff(place, before, after);
    }
  }

  template <Described T>
  void diff(const Place& place, const T& before, const T& after) {
    for_each_field<T>([&](const auto& field) {
      const Place below = place.child(field.name);
      diff_field(below, part_of(before, field.access), part_of(after, field.access));
    });
  }

 private:
  template <class T>
  void diff(const Place& place, const T& before, const T& after) {
    if (before != after) taker_.note(PatchOp::replace, place, after);
  }
  template <class T>
  void diff(const Place& place, const std::optional<T>& before, const std::optional<T>& after) {
    diff(place, *before, *after);
  }
  void diff(const Place& place, const Labels& before, const Labels& after) {
    auto old = before.begin();
    for (const auto& [key, value] : after) {
      for (; old != before.end() && old->first < key; ++old)
        taker_.note(PatchOp::remove, place.key(old->first));
      if (old == before.end() || old->first != key) {
        taker_.note(PatchOp::add, place.key(key), value);
      } else if ((old++)->second != value) {
        taker_.note(PatchOp::replace, place.key(key), value);
      }
    }
    for (; old != before.end(); ++old) taker_.note(PatchOp::remove, place.key(old->first));
  }
  void diff(const Place& place, const Texts& before, const Texts& after) {
    diff(place, before.vector(), after.vector());
  }

  template <class T>
  void diff(const Place& place, const std::vector<T>& before, const std::vector<T>& after) {
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t same = 0;
    while (same < shorter && before[same] == after[same]) ++same;
    std::size_t tail = 0;
    while (tail < shorter - same &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
      ++tail;
    const std::span<const T> old = std::span(before).subspan(same, before.size() - same - tail);
    const std::span<const T> wanted = std::span(after).subspan(same, after.size() - same - tail);
    const ListEdits<T> edits(old, wanted);
    std::size_t index = same;
    std::size_t length = before.size();
    for (std::size_t i = 0, j = 0; i < old.size() || j < wanted.size();) {
      const Place item = place.index(index);
      switch (edits.at(i, j)) {
        case ListEdit::change:
          change_item(item, old[i], wanted[j], edits.cost(i, j));
          ++index, ++i, ++j;
          break;
        case ListEdit::remove:
          taker_.note(PatchOp::remove, item);
          --length, ++i;
          break;
        case ListEdit::add:
          taker_.note(PatchOp::add, index == length ? place.child("-") : item, wanted[j]);
          ++index, ++length, ++j;
          break;
      }
    }
  }

  /// An item without any field may stand as null in the document, where nothing can be added to it.
  template <class T>
  void change_item(const Place& place, const T& before, const T& after, int cost) {
    if (cost == EditCost::equal) return;
    if (is_absent(before) || cost == EditCost::stranger) {
      taker_.note(PatchOp::replace, place, after);
    } else {
      diff(place, before, after);
    }
  }

  Taker& taker_;
};

/// Finds the patch of a whole document.
template <class Taker>
class DocumentDiffer {
 public:
  DocumentDiffer(Taker& taker, Element document) : taker_(taker), document_(document) {}

  /// Gives `metadata` or `spec` of the pod or pod template in an object of the kind the fields of
  /// `after`, parents that the document lacks first. `before` is what was decoded from there.
  template <Described T>
  void diff(PodKind kind, std::string_view field, const T& before, const T& after) {
    if (before == after) return;
    const std::span<const std::string_view> above = template_steps(kind);
    std::vector<std::string_view> steps(above.begin(), above.end());
    steps.push_back(field);
    std::size_t depth = 0;
    walk_down(
        {}, document_, steps,
        [&](const Place& place, Element part) {
          const bool there = part.is_there() && !part.is_null();
          const std::span<const std::string_view> here = std::span(steps).first(depth++);
          if (!there && !is_made(here)) {
            taker_.note(PatchOp::add, place, Raw{"{}"});
            made_.emplace_back(here.begin(), here.end());
          }
          return WalkOn::yes;
        },
        [&](const Place& place, Element) { Differ(taker_).diff(place, before, after); });
  }

  /// The same of an object that has nothing to do with pods.
  void diff(const ObjectMeta& before, const ObjectMeta& after) {
    diff(PodKind::pod, "metadata", before, after);
  }

 private:
  [[nodiscard]] bool is_made(std::span<const std::string_view> steps) const {
    return std::any_of(made_.begin(), made_.end(),
                       [&](const auto& made) { return std::ranges::equal(made, steps); });
  }

  Taker& taker_;
  Element document_;
  std::vector<std::vector<std::string_view>> made_;  ///< parents that were missing
};

}  // namespace schedpol::json::detail
