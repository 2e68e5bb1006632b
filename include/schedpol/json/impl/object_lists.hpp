// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Lists of objects as an API server answers them: a `List`, and the `KINDList` of one kind.
/// 1. Items of a `KINDList` that lack a kind or apiVersion have the kind of the list, without `List`, and
///    its apiVersion. The items of a `List` are like separate objects.
/// 2. An item of another kind or group than its `KINDList` is an error.
/// 3. An item cannot be a list itself. Other members of a list are ignored.

#include <schedpol/core/pod.hpp>
#include <schedpol/json/impl/decoder.hpp>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// What a string says; nothing of anything else.
inline std::string_view text_of(Element from) {
  std::string_view text;
  return from.get(text) ? text : std::string_view();
}

/// What a list says of its items; nothing where it is a `List`.
struct ItemHead {
  std::string_view kind{};
  Element api_version{};
};

/// None where it is, by its kind, no list of objects.
inline std::optional<ItemHead> item_head(Element list) {
  constexpr std::string_view list_kind = "List";
  std::string_view kind;
  if (!list["kind"].get(kind) || !kind.ends_with(list_kind)) return std::nullopt;
  kind.remove_suffix(list_kind.size());
  if (kind.empty()) return ItemHead{};
  return ItemHead{kind, list.non_null("apiVersion")};
}

/// Whether the kind is one of these, which the object is of then.
template <class T, class Kinds>
bool take_one(T& object, std::string_view kind, const Kinds& kinds) {
  for (const auto known : kinds) {
    if (to_string(known) != kind) continue;
    object.kind = known;
    return true;
  }
  return false;
}

/// Whether a `T` can be of the kind. One that knows its kind is of it then.
template <class T>
bool take_kind(T& object, std::string_view kind) {
  if constexpr (std::derived_from<T, Pod>) {
    return take_one(object, kind, pod_kinds);
  } else if constexpr (Object<T>) {
    return kind == schema<T>.traits.kind;
  } else {
    return take_one(object, kind, words<decltype(object.kind)>.words);
  }
}

/// What is wrong with an `apiVersion` for a `T` of that kind; empty where it is right, or not said.
template <class T>
std::string version_problem(std::string_view kind, Element version) {
  std::string_view text;
  if (!version.get(text)) return version.is_there() ? "must be a string" : "";
  if constexpr (std::derived_from<T, Pod>) {
    const std::optional<PodKind> known = pod_kind(kind);
    if (text.empty() || !known || is_in_group(*known, api_group(text))) return {};
    return "must be " + std::string(api_version(*known));
  } else {
    return group_problem(text, schema<T>.traits.api_version);
  }
}

/// Calls `read(place, item)` for each item of a list with such a head, and
/// `report(type, place, bad_value, detail)` for what is wrong with the list or an item of it.
template <class Report, class Read>
void for_each_listed(const PathBuilder& at, Element list, const ItemHead& head, Report&& report,
                     Read&& read) {
  const PathBuilder place = at.child("items");
  const Element items = list["items"];
  if (!items.is_list())
    return report(ErrorType::type_invalid, place, "", "must be a list of objects");
  std::string_view list_version;
  const bool has_version = head.api_version.get(list_version);
  std::size_t index = 0;
  for (const Element item : items.items()) {
    const PathBuilder at_item = place.index(index++);
    std::string_view kind;
    std::string_view version;
    if (!head.kind.empty() && written_kind(item).get(kind) && kind != head.kind) {
      report(ErrorType::not_supported, at_item.child("kind"), kind,
             "must be " + std::string(head.kind) + ", which its list is of");
    } else if (has_version && item["apiVersion"].get(version) && !version.empty() &&
               api_group(version) != api_group(list_version)) {
      report(ErrorType::not_supported, at_item.child("apiVersion"), version,
             "must be " + std::string(list_version) + ", which its list is of");
    } else {
      read(at_item, item);
    }
  }
}

/// Where objects stand that were read one after another, some of them out of lists in a list.
class ObjectPlaces {
 public:
  /// From this object on they stand below `list`, beginning with this item.
  void go_on(std::size_t object, FieldPath list, std::size_t item) {
    if (!runs_.empty() && runs_.back().first == object) runs_.pop_back();
    runs_.push_back({object, std::move(list), item});
  }

  [[nodiscard]] bool empty() const noexcept { return runs_.empty(); }

  /// Of one of the objects, where there are any.
  [[nodiscard]] FieldPath path(std::size_t object) const {
    auto run = runs_.rbegin();
    while (run->first > object) ++run;
    return run->list.index(run->item + object - run->first);
  }

 private:
  struct Run {
    std::size_t first;  ///< object
    FieldPath list;
    std::size_t item;
  };
  std::vector<Run> runs_;
};

/// Objects of Kubernetes: what has metadata.
template <class T>
concept Listable = requires(T object) { object.metadata; };

/// Reads what stands where a list of objects is wanted: a list of them, of which some may be lists
/// as an API server answers them, or one such list.
template <Listable T>
class ObjectListReader {
 public:
  ObjectListReader(Decoder& decoder, std::vector<T>& into) : decoder_(decoder), into_(into) {}

  void read(const PathBuilder& at, Element from) {
    if (!from.is_list()) {
      if (read_list(at, from)) return;
      if (!item_head(from)) return decoder_.wrong_type(at, from, "a list");
      return decoder_.report(ErrorType::not_supported, at.child("kind"), from["kind"].text(),
                             "lists no such objects");
    }
    const ElementItems items = from.items();
    if (!decoder_.may_list(at, items.size())) return;
    into_.reserve(items.size());
    std::size_t index = 0;
    for (const Element item : items) {
      const PathBuilder place = at.index(index++);
      if (places_.empty() && item_head(item)) places_.go_on(0, at.path(), 0);
      if (read_list(place, item)) {
        places_.go_on(into_.size(), at.path(), index);
      } else {
        read_one(place, item, {});
      }
    }
  }

  [[nodiscard]] ObjectPlaces places() && { return std::move(places_); }

 private:
  /// False where it lists no such objects.
  bool read_list(const PathBuilder& at, Element from) {
    const std::optional<ItemHead> head = item_head(from);
    T item{};
    if (!head || (!head->kind.empty() && !take_kind(item, head->kind))) return false;
    const auto report = [&](auto&&... error) { decoder_.report(error...); };
    const std::string problem = version_problem<T>(head->kind, head->api_version);
    const PathBuilder place = at.child("items");
    if (!problem.empty()) {
      report(ErrorType::not_supported, at.child("apiVersion"), text_of(head->api_version), problem);
    } else if (decoder_.may_list(place, from["items"].items().size())) {
      places_.go_on(into_.size(), place.path(), 0);
      if (!head->kind.empty()) decoder_.let_lack("kind");
      for_each_listed(at, from, *head, report,
                      [&](const PathBuilder& where, Element each) { read_one(where, each, item); });
      decoder_.let_lack({});
    }
    return true;
  }

  /// A null one is empty, as in any list of objects.
  void read_one(const PathBuilder& at, Element from, const T& empty) {
    into_.push_back(empty);
    if (!from.is_null()) decoder_.read(at, from, into_.back());
  }

  Decoder& decoder_;
  std::vector<T>& into_;
  ObjectPlaces places_;
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
