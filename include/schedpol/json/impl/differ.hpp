// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Finds the patch from one value to another, by their schemas. The rules are those of `patch.hpp`.
/// What is found is taken down by `PatchList` as operations, or by `PatchText` as the text of a
/// JSON Patch.

#include <schedpol/core/impl/any_of.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/core/workload.hpp>
#include <schedpol/json/impl/document_access.hpp>
#include <schedpol/json/impl/list_edits.hpp>
#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/json/impl/schema.hpp>
#include <schedpol/json/impl/schema/core.hpp>
#include <schedpol/json/impl/writer.hpp>
#include <schedpol/json/patch_operation.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// The JSON Pointer to where a differ stands: made longer on the way down, and shorter on the way
/// back. `Taker` says how names are written.
template <class Taker>
class Pointer {
 public:
  /// Names of fields need no escapes.
  void enter_field(std::string_view name) {
    text_ += '/';
    text_ += name;
  }
  void enter_key(std::string_view name) {
    text_ += '/';
    while (true) {
      const std::size_t special = name.find_first_of("~/");
      Taker::append_name(text_, name.substr(0, special));
      if (special == std::string_view::npos) return;
      text_ += name[special] == '~' ? "~0" : "~1";
      name.remove_prefix(special + 1);
    }
  }
  void enter_index(std::size_t index) {
    text_ += '/';
    write(text_, index);
  }

  /// Goes back to where the text was so long.
  void leave_to(std::size_t size) noexcept { text_.shorten(size); }

  [[nodiscard]] std::string_view text() const noexcept { return text_.text(); }

 private:
  Writer text_;
};

/// Takes down operations as a list.
struct PatchList {
  Patch patch{};

  static void append_name(Writer& pointer, std::string_view part) { pointer += part; }

  void note(PatchOp op, std::string_view pointer) {
    patch.emplace_back(PatchOperation{.op = op}).path = pointer;
  }
  template <class T>
  void note(PatchOp op, std::string_view pointer, const T& value) {
    note(op, pointer);
    Writer out;
    write(out, value);
    patch.back().value = std::move(out).take();
  }
};

/// Takes down operations as the text of a JSON Patch; empty when there are none.
class PatchText {
 public:
  static void append_name(Writer& pointer, std::string_view part) { write_unquoted(pointer, part); }

  void note(PatchOp op, std::string_view pointer) {
    begin(op, pointer);
    text_ += "\"}";
  }
  template <class T>
  void note(PatchOp op, std::string_view pointer, const T& value) {
    begin(op, pointer);
    text_ += "\",\"value\":";
    write(text_, value);
    text_ += '}';
  }

  /// The whole text; nothing can be noted after it.
  [[nodiscard]] std::string_view finish() {
    if (!text_.empty()) text_ += ']';
    return text_.text();
  }

 private:
  void begin(PatchOp op, std::string_view pointer) {
    text_ += text_.empty() ? "[{\"op\":\"" : ",{\"op\":\"";
    text_ += to_string(op);
    text_ += "\",\"path\":\"";
    text_ += pointer;
  }

  Writer text_;
};

/// Finds what turns one value into another, and has it taken down. Nothing is built for what is
/// equal.
template <class Taker>
class Differ {
 public:
  /// `pointer` leads to the values that are compared, and does so again afterwards.
  Differ(Taker& taker, Pointer<Taker>& pointer) : taker_(taker), pointer_(pointer) {}

  template <Described T>
  void diff(const T& before, const T& after) {
    for_each_field<T>([&](const auto& field) {
      diff_field(field.name, part_of(before, field.access), part_of(after, field.access));
    });
  }

 private:
  /// Comes back to where it was made when it ends.
  class Return {
   public:
    explicit Return(Pointer<Taker>& pointer) : pointer_(pointer), size_(pointer.text().size()) {}
    Return(const Return&) = delete;
    Return& operator=(const Return&) = delete;
    ~Return() { pointer_.leave_to(size_); }

   private:
    Pointer<Taker>& pointer_;
    std::size_t size_;
  };

  template <class... Value>
  void note(PatchOp op, const Value&... value) {
    taker_.note(op, pointer_.text(), value...);
  }
  template <class... Value>
  void note_key(PatchOp op, std::string_view key, const Value&... value) {
    const Return back(pointer_);
    pointer_.enter_key(key);
    note(op, value...);
  }

  /// What a number is read as that is not there, or null.
  template <class T>
  [[nodiscard]] static bool is_zero(const T& value) noexcept {
    if constexpr (std::same_as<T, std::int32_t>) {
      return value == 0;
    } else {
      return false;
    }
  }

  template <class T>
  void diff_field(std::string_view name, const T& before, const T& after) {
    const bool was = !is_absent(before);
    const bool is = !is_absent(after);
    if (!was && !is) return;
    const Return back(pointer_);
    pointer_.enter_field(name);
    if (!is) {
      note(PatchOp::remove);
    } else if (!was || (is_zero(before) && !is_zero(after))) {
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
    const ListEdits<T> edits(old, wanted);
    std::size_t index = same;
    std::size_t length = before.size();
    for (std::size_t i = 0, j = 0; i < old.size() || j < wanted.size();) {
      const Return back(pointer_);
      const ListEdit edit = edits.at(i, j);
      if (edit == ListEdit::add && index == length) {
        pointer_.enter_field("-");
      } else {
        pointer_.enter_index(index);
      }
      switch (edit) {
        case ListEdit::change:
          change_item(old[i], wanted[j], edits.cost(i, j));
          ++index;
          ++i;
          ++j;
          break;
        case ListEdit::remove:
          note(PatchOp::remove);
          --length;
          ++i;
          break;
        case ListEdit::add:
          note(PatchOp::add, wanted[j]);
          ++index;
          ++length;
          ++j;
          break;
      }
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

  Taker& taker_;
  Pointer<Taker>& pointer_;
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
    Pointer<Taker> pointer;
    Element part = document_;
    const auto enter = [&](std::string_view step) {
      make(pointer, part);
      pointer.enter_field(step);
      part = part[step];
    };
    for (const std::string_view step : template_steps(kind)) enter(step);
    enter(field);
    make(pointer, part);
    Differ(taker_, pointer).diff(before, after);
  }

  /// The same of an object that has nothing to do with pods.
  void diff(const ObjectMeta& before, const ObjectMeta& after) {
    diff(PodKind::pod, "metadata", before, after);
  }

 private:
  /// Sees to it that there is something in a place of the document.
  void make(const Pointer<Taker>& pointer, Element part) {
    if (part.is_there() && !part.is_null()) return;
    if (schedpol::detail::contains(made_, pointer.text())) return;
    taker_.note(PatchOp::add, pointer.text(), Raw{"{}"});
    made_.emplace_back(pointer.text());
  }

  Taker& taker_;
  Element document_;
  std::vector<std::string> made_;  ///< parents that were missing
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
