// SPDX-License-Identifier: Apache-2.0
#pragma once

/// JSON Patch (RFC 6902) from a document to what an admission made of it. A patch is computed from
/// the values before and after, names only what differs, and leaves every field that the value
/// types do not know where it is.

#include <schedpol/core/labels.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/encode.hpp>
#include <schedpol/json/schema.hpp>
#include <schedpol/json/writer.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace schedpol::json {

enum class PatchOp { add, replace, remove };

[[nodiscard]] constexpr std::string_view to_string(PatchOp op) noexcept {
  switch (op) {
    case PatchOp::add: return "add";
    case PatchOp::replace: return "replace";
    case PatchOp::remove: return "remove";
  }
  return "";
}

/// One operation: `path` is a JSON Pointer, `value` the JSON of the value (empty for `remove`).
struct PatchOperation {
  PatchOp op = PatchOp::add;
  std::string path;
  std::string value;

  friend bool operator==(const PatchOperation&, const PatchOperation&) = default;
};

using Patch = std::vector<PatchOperation>;

namespace detail {

/// Appends a part of the name of a key to a JSON Pointer, or to one that is written as JSON.
inline void append_name(std::string& pointer, std::string_view part) {
  pointer += part;
}
inline void append_name(Writer& pointer, std::string_view part) {
  write_unquoted(pointer, part);
}

/// Appends the name of a key, with `~` and `/` escaped.
template <class Pointer>
void append_key(Pointer& pointer, std::string_view name) {
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
void append_pointer(Pointer& pointer, const Path& path) {
  if (path.step == Path::Step::root) return;
  append_pointer(pointer, *path.parent);
  pointer += '/';
  switch (path.step) {
    case Path::Step::root: break;
    case Path::Step::field: pointer += path.name; break;
    case Path::Step::key: append_key(pointer, path.name); break;
    case Path::Step::item: pointer += std::to_string(path.index); break;
  }
}

/// What it costs to make one item of a list of another: less than to remove the one and add the
/// other. Items with the same key, or terms that have a criterion in common, are one and the same
/// item that was changed; strangers are replaced.
struct Cost {
  static constexpr int equal = 0;
  static constexpr int common = 4;
  static constexpr int remove_or_add = 5;
  static constexpr int related = 6;
  static constexpr int stranger = 9;
};

template <class T>
int change_cost(const T& a, const T& b) {
  if (a == b) return Cost::equal;
  if constexpr (requires { a.key; }) {
    return a.key == b.key && !a.key.empty() ? Cost::related : Cost::stranger;
  } else if constexpr (requires { a.topology_key; }) {
    return a.topology_key == b.topology_key ? Cost::related : Cost::stranger;
  } else if constexpr (requires { a.preference; }) {
    return std::max(Cost::common, change_cost(a.preference, b.preference));
  } else if constexpr (requires { a.pod_affinity_term; }) {
    return std::max(Cost::common, change_cost(a.pod_affinity_term, b.pod_affinity_term));
  } else if constexpr (requires { a.match_expressions; }) {
    int least = Cost::stranger;
    const auto compare = [&](const auto& some, const auto& others) {
      for (const auto& x : some) {
        for (const auto& y : others)
          least = std::min(least, std::max(Cost::common, change_cost(x, y)));
      }
    };
    compare(a.match_expressions, b.match_expressions);
    compare(a.match_fields, b.match_fields);
    return least;
  } else {
    return Cost::related;
  }
}

/// Takes down operations as a list.
struct PatchList {
  Patch patch{};

  void note(PatchOp op, const Path& path) {
    append_pointer(patch.emplace_back(PatchOperation{op, {}, {}}).path, path);
  }
  template <class T>
  void note(PatchOp op, const Path& path, const T& value) {
    note(op, path);
    patch.back().value = encode(value);
  }
};

/// Takes down operations as the text of a JSON Patch; empty when there are none.
class PatchText {
 public:
  void note(PatchOp op, const Path& path) {
    begin(op, path);
    text_ += '}';
  }
  template <class T>
  void note(PatchOp op, const Path& path, const T& value) {
    begin(op, path);
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
  void begin(PatchOp op, const Path& path) {
    text_ += text_.empty() ? "[{\"op\":\"" : ",{\"op\":\"";
    text_ += to_string(op);
    text_ += "\",\"path\":\"";
    append_pointer(text_, path);
    text_ += '"';
  }

  Writer text_{4096};  // more than most patches have, so that the text rarely moves
};

/// What makes one list of another: a step for each item of either, so that the items that are
/// changed, removed and added cost the least.
template <class T>
class ListEdits {
 public:
  enum class Edit : unsigned char { change, remove, add };

  ListEdits(std::span<const T> from, std::span<const T> to) : from_(from), to_(to) {
    if (from.empty() || to.empty() || from.size() * to.size() > max_compared) return;
    // Levenshtein's distance from every suffix of one list to every suffix of the other.
    distances_.resize((from.size() + 1) * (to.size() + 1));
    for (std::size_t i = from.size() + 1; i-- > 0;) {
      for (std::size_t j = to.size() + 1; j-- > 0;) {
        if (i == from.size() || j == to.size()) {
          distances_[place(i, j)] =
              Cost::remove_or_add * static_cast<int>(from.size() - i + to.size() - j);
        } else {
          distances_[place(i, j)] = std::min({distance(i + 1, j + 1) + change_cost(from[i], to[j]),
                                              distance(i + 1, j) + Cost::remove_or_add,
                                              distance(i, j + 1) + Cost::remove_or_add});
        }
      }
    }
  }

  /// The step to take where the first `i` items of the one are the first `j` of the other by now.
  /// Some item has to be left.
  [[nodiscard]] Edit at(std::size_t i, std::size_t j) const {
    if (i == from_.size()) return Edit::add;
    if (j == to_.size()) return Edit::remove;
    if (distances_.empty()) return Edit::change;
    const int left = distance(i, j);
    if (left == distance(i + 1, j + 1) + change_cost(from_[i], to_[j])) return Edit::change;
    return left == distance(i + 1, j) + Cost::remove_or_add ? Edit::remove : Edit::add;
  }

 private:
  /// Pairs of items that are compared at most to find the shortest way. Beyond, items are changed
  /// place by place, which is longer and as right.
  static constexpr std::size_t max_compared = 4096;

  [[nodiscard]] std::size_t place(std::size_t i, std::size_t j) const noexcept {
    return i * (to_.size() + 1) + j;
  }
  [[nodiscard]] int distance(std::size_t i, std::size_t j) const noexcept {
    return distances_[place(i, j)];
  }

  std::span<const T> from_;
  std::span<const T> to_;
  std::vector<int> distances_;
};

/// Finds what turns one value into another, and has it taken down. Nothing is built for what is
/// equal.
///
/// Items of lists are told by what they hold. One that is in both lists, or whose relative is,
/// keeps the fields that are not known here; no other item gets them. What else there is is
/// replaced, removed or added, in the shortest way from one list to the other.
template <class Taker>
class Differ {
 public:
  explicit Differ(Taker& taker) : taker_(taker) {}

  template <class T>
  void diff_field(const Path& path, const T& before, const T& after) {
    if (is_absent(after)) {
      if (!is_absent(before)) taker_.note(PatchOp::remove, path);
    } else if (is_absent(before)) {
      taker_.note(PatchOp::add, path, after);
    } else {
      diff(path, before, after);
    }
  }

  template <Described T>
  void diff(const Path& path, const T& before, const T& after) {
    const auto diff_one = [&](const auto& entry) {
      diff_field(path.field(entry.name), std::invoke(entry.access, before),
                 std::invoke(entry.access, after));
    };
    std::apply([&](const auto&... entries) { (diff_one(entries), ...); }, Schema<T>::fields);
  }

 private:
  template <class T>
  void diff(const Path& path, const T& before, const T& after) {
    if (before != after) taker_.note(PatchOp::replace, path, after);
  }
  template <class T>
  void diff(const Path& path, const std::optional<T>& before, const std::optional<T>& after) {
    diff(path, *before, *after);
  }
  void diff(const Path& path, const Labels& before, const Labels& after) {
    auto old = before.begin();
    for (const auto& [key, value] : after) {
      for (; old != before.end() && old->first < key; ++old)
        taker_.note(PatchOp::remove, path.key(old->first));
      if (old == before.end() || old->first != key) {
        taker_.note(PatchOp::add, path.key(key), value);
      } else if ((old++)->second != value) {
        taker_.note(PatchOp::replace, path.key(key), value);
      }
    }
    for (; old != before.end(); ++old) taker_.note(PatchOp::remove, path.key(old->first));
  }

  template <class T>
  void diff(const Path& path, const std::vector<T>& before, const std::vector<T>& after) {
    const std::size_t shorter = std::min(before.size(), after.size());
    std::size_t same = 0;
    while (same < shorter && before[same] == after[same]) ++same;
    std::size_t tail = 0;
    while (tail < shorter - same &&
           before[before.size() - 1 - tail] == after[after.size() - 1 - tail])
      ++tail;
    const std::span<const T> old = std::span(before).subspan(same, before.size() - same - tail);
    const std::span<const T> wanted = std::span(after).subspan(same, after.size() - same - tail);
    using Edits = ListEdits<T>;
    const Edits edits(old, wanted);
    std::size_t index = same;
    std::size_t length = before.size();
    for (std::size_t i = 0, j = 0; i < old.size() || j < wanted.size();) {
      switch (edits.at(i, j)) {
        case Edits::Edit::change: change_item(path.item(index++), old[i++], wanted[j++]); break;
        case Edits::Edit::remove:
          taker_.note(PatchOp::remove, path.item(index));
          --length, ++i;
          break;
        case Edits::Edit::add:
          taker_.note(PatchOp::add, index == length ? path.field("-") : path.item(index),
                      wanted[j++]);
          ++index, ++length;
          break;
      }
    }
  }

  /// An item without any field may stand as null in the document, where nothing can be added to it.
  template <class T>
  void change_item(const Path& path, const T& before, const T& after) {
    if (before == after) return;
    if (is_absent(before) || change_cost(before, after) == Cost::stranger) {
      taker_.note(PatchOp::replace, path, after);
    } else {
      diff(path, before, after);
    }
  }

  Taker& taker_;
};

template <>
struct Schema<PatchOperation> {
  static void write(Writer& out, const PatchOperation& operation) {
    ObjectWriter object(out);
    object.member("op", to_string(operation.op)).member("path", operation.path);
    if (operation.op != PatchOp::remove) object.member("value", Raw{operation.value});
  }
};

/// Finds the patch of a whole document.
template <class Taker>
class DocumentDiffer {
 public:
  DocumentDiffer(Taker& taker, simdjson::dom::element document)
      : taker_(taker), document_(document) {}

  /// Gives the part of the document at `field` (a field path such as `spec.template.spec`) the
  /// fields of `after`, parents that it lacks first. `before` is what was decoded from there.
  template <Described T>
  void diff(std::string_view field, const T& before, const T& after) {
    if (before != after) diff_below(document_, {}, field, before, after);
  }

 private:
  template <Described T>
  void diff_below(std::optional<simdjson::dom::element> part, const Path& at, std::string_view rest,
                  const T& before, const T& after) {
    if (rest.empty()) return Differ(taker_).diff(at, before, after);
    const std::size_t dot = rest.find('.');
    const Path below = at.field(rest.substr(0, dot));
    simdjson::dom::element found;
    const bool there =
        part && part->at_key(below.name).get(found) == simdjson::SUCCESS && !found.is_null();
    if (!there && std::find(made_.begin(), made_.end(), below.text()) == made_.end()) {
      taker_.note(PatchOp::add, below, Raw{"{}"});
      made_.push_back(below.text());
    }
    diff_below(there ? std::optional(found) : std::nullopt, below,
               dot == std::string_view::npos ? "" : rest.substr(dot + 1), before, after);
  }

  Taker& taker_;
  simdjson::dom::element document_;
  std::vector<std::string> made_;  ///< parents that were missing
};

}  // namespace detail

/// The patch that gives a document the metadata and the scheduling fields of `after`. `document` is
/// the Pod or workload that was decoded as `before`. Empty when nothing differs.
[[nodiscard]] inline Patch make_patch(simdjson::dom::element document, const Pod& before,
                                      const Pod& after) {
  detail::PatchList list;
  detail::DocumentDiffer differ(list, document);
  differ.diff(field_path(before.kind, "metadata"), before.metadata, after.metadata);
  differ.diff(field_path(before.kind, "spec"), before.spec, after.spec);
  return std::move(list.patch);
}

/// The same for the metadata of any object.
[[nodiscard]] inline Patch make_patch(simdjson::dom::element document, const ObjectMeta& before,
                                      const ObjectMeta& after) {
  detail::PatchList list;
  detail::DocumentDiffer(list, document).diff("metadata", before, after);
  return std::move(list.patch);
}

}  // namespace schedpol::json
