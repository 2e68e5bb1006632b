// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How the JSON fields of a type are described, once for decoding, encoding and patching:
///
///     template <>
///     inline constexpr auto schema<rbac::Role> =
///         object(Traits{.kind = "Role", .api_version = rbac_version, .unknown = Unknown::refuse},
///                field("metadata", &rbac::Role::metadata), field("rules", &rbac::Role::rules));
///
/// A schema is one value, so that a misspelt trait or a forgotten one of these words does not
/// compile. The schemas themselves are in `schema/`, one file a system.

#include <schedpol/core/workload.hpp>

#include <type_traits>
#include <utility>

namespace SCHEDPOL_NAMESPACE::json::detail {

/// How unknown fields of an object are taken.
enum class Unknown {
  inherit,  ///< as in the object around it; at the top, ignored
  ignore,   ///< Kubernetes objects carry much that does not matter here
  refuse,   ///< a typo in a policy is a hole
};

/// How much of a pod is read.
enum class Extent {
  scheduling,  ///< what schedulers look at
  whole,       ///< annotations and containers too, which are the largest
};

/// How long a list of objects may be, and what they are called.
struct ListLimit {
  std::size_t items = std::string_view::npos;
  std::string_view what{};
};

/// The proposal of SchedulingPolicy writes `Kind: SchedulingPolicy`, of no other kind.
inline constexpr std::string_view proposed_kind_field = "Kind";
inline constexpr std::string_view proposed_kind = "SchedulingPolicy";

/// What there is to know of an object besides its fields.
struct Traits {
  std::string_view kind{};         ///< of a whole object; empty for a part of one
  std::string_view api_version{};  ///< the same; `is_in_group` says which groups are read
  std::string_view kind_alias{};   ///< another spelling of `kind` as a field; empty: none
  Unknown unknown = Unknown::inherit;
  std::string_view ignored{};       ///< a field that is known but not read; empty: none
  std::string_view needed{};        ///< a field that has to be there; empty: none
  bool named = false;               ///< metadata has to be there, with the name
  bool null_item_is_empty = false;  ///< a null in a list of them is an empty one in a policy too
  ListLimit list_limit{};
};

/// What is wrong with an `apiVersion`, which is empty where it is not said; empty where a kind that is
/// usually of `wanted` can be of its group.
inline std::string group_problem(std::string_view api_version, std::string_view wanted) {
  if (api_version.empty() || is_in_group(wanted, api_group(api_version))) return {};
  const std::string problem = "must be " + std::string(wanted);
  return api_group(wanted) == own_api_group
             ? problem + ", or of a group of its own CRD, which is a domain"
             : problem;
}

/// What there is to know of a field besides its name.
struct FieldTraits {
  std::string_view alias{};  ///< accepted when decoding, never written; empty: none
  Extent extent = Extent::scheduling;
  bool lists_spelling = false;  ///< what is below may have the spellings of `listed`
};

/// A field. `access` is a pointer to a member, or a callable from the value to a reference.
template <class Access>
struct Field {
  std::string_view name;
  Access access;
  FieldTraits traits;
};
template <class Access>
constexpr Field<Access> field(std::string_view name, Access access, FieldTraits traits = {}) {
  return {name, access, traits};
}

/// A field that is only read: another spelling of the usual one, which stands beside it, or in `outer`.
template <class Access>
struct OtherSpelling {
  std::string_view name;
  Access access;
  std::string_view outer;
  std::string_view usual;
  bool is_listed;  ///< a list of one, and only below a field with `lists_spelling`
};
template <class Access>
constexpr OtherSpelling<Access> misplaced(std::string_view name, Access access,
                                          std::string_view outer, std::string_view usual) {
  return {name, access, outer, usual, false};
}
template <class Access>
constexpr OtherSpelling<Access> listed(std::string_view name, Access access,
                                       std::string_view usual) {
  return {name, access, {}, usual, true};
}

/// What a field is of a value.
template <class Access, class T>
constexpr decltype(auto) part_of(T& value, const Access& access) {
  if constexpr (std::is_member_object_pointer_v<Access>) {
    return (value.*access);
  } else {
    return access(value);
  }
}

/// The items of a schema, in their order: the little of std::tuple that is needed here, because all
/// of it takes a compiler long.
template <std::size_t i, class Item>
struct IndexedItem {
  Item item;
};
template <class Places, class... Items>
struct IndexedItems;
template <std::size_t... i, class... Items>
struct IndexedItems<std::index_sequence<i...>, Items...> : IndexedItem<i, Items>... {
  constexpr explicit IndexedItems(Items... items) : IndexedItem<i, Items>{items}... {}
};
template <class... Items>
using ItemList = IndexedItems<std::index_sequence_for<Items...>, Items...>;

/// The `i`th of some items.
template <std::size_t i, class Item>
constexpr const Item& item_at(const IndexedItem<i, Item>& indexed) {
  return indexed.item;
}

/// Calls `f` for each of some items, in their order.
template <std::size_t... i, class... Items, class F>
constexpr void for_each_item(const IndexedItems<std::index_sequence<i...>, Items...>& items,
                             F&& f) {
  (f(item_at<i>(items)), ...);
}

/// The schema of a type that is read and written.
template <class... Items>
struct ObjectSchema {
  Traits traits;
  ItemList<Items...> items;  ///< of the kinds above
};
template <class... Items>
constexpr ObjectSchema<Items...> object(Traits traits, Items... items) {
  return {traits, ItemList<Items...>(items...)};
}
template <class... Items>
constexpr ObjectSchema<Items...> object(Items... items) {
  return {Traits{}, ItemList<Items...>(items...)};
}

/// Types whose JSON is not made of fields, or that have none.
struct NoSchema {};

template <class T>
inline constexpr auto schema = NoSchema{};

/// The enumerators of a closed vocabulary, which `to_string` spells. A needed word has to be given;
/// else an empty text is what the value is anyway.
template <class Word, std::size_t size>
struct Vocabulary {
  std::array<Word, size> words;
  bool needed;
};
enum class Presence { optional, needed };
template <class Word, class... Words>
constexpr Vocabulary<Word, 1 + sizeof...(Words)> vocabulary(Presence presence, Word first,
                                                            Words... rest) {
  return {{first, rest...}, presence == Presence::needed};
}

template <class Word>
inline constexpr auto words = NoSchema{};

namespace traits {

/// Whether a type is made of a template.
template <class T, template <class...> class Of>
inline constexpr bool is_a = false;
template <template <class...> class Of, class... Arguments>
inline constexpr bool is_a<Of<Arguments...>, Of> = true;

template <class T>
inline constexpr bool exists = !std::is_same_v<T, NoSchema>;

}  // namespace traits

template <class T>
concept Described = traits::exists<std::remove_cvref_t<decltype(schema<T>)>>;
template <class T>
concept Worded = traits::exists<std::remove_cvref_t<decltype(words<T>)>>;

/// Whole objects, which have a kind.
template <class T>
concept Object = Described<T> && !schema<T>.traits.kind.empty();

/// Calls `f` for each field of a type, in their order.
template <Described T, class F>
constexpr void for_each_field(F&& f) {
  for_each_item(schema<T>.items, [&]<class Item>(const Item& item) {
    if constexpr (traits::is_a<Item, Field>) f(item);
  });
}

/// Types one after another: `XValues` of a file in `schema/` are those that `decode` reads and
/// `encode` writes, `XResults` those that are only written.
template <class... T>
struct Types {};
template <class... T, class... More>
constexpr Types<T..., More...> operator+(Types<T...>, Types<More...>) {
  return {};
}
template <class T, class... Of>
constexpr bool is_one_of(Types<Of...>) {
  return (std::is_same_v<T, Of> || ...);
}

}  // namespace SCHEDPOL_NAMESPACE::json::detail
