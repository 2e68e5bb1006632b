// SPDX-License-Identifier: Apache-2.0
// Prints what json/impl/schema/ says of each kind that is written in files, as JSON Schema:
// {"SchedulingPolicy": {...}, ...}. Beside them are the codes of violations. reference_test.py adds
// what the fields are for.

#include <schedpol/json.hpp>
#include <schedpol/json/impl/object_writer.hpp>
#include <schedpol/json/impl/schema/engine.hpp>
#include <schedpol/json/impl/values.hpp>

#include <iostream>
#include <limits>

namespace SCHEDPOL_NAMESPACE::json::detail {
namespace {

/// What a part of an object takes over from what is around it.
struct Around {
  bool refuses_unknown = false;
  bool takes_listed = false;
  bool is_named = false;     ///< it is the metadata of an object that has a name
  bool is_required = false;  ///< it is what a policy requires, where `validate` refuses some fields
};

template <class T>
void write_schema(Writer& out, Around around);

template <class Words>
void write_words(ObjectWriter& object, const Words& known) {
  object.member("type", "string");
  ListWriter list(object.key("enum"));
  for (const auto& word : known) {
    if (!std::string_view(word).empty()) write(list.item(), std::string_view(word));
  }
}

// What a value is read from, which is what `Decoder` has an overload of `read` for.

void write_value(ObjectWriter& object, std::type_identity<std::string>, Around) {
  object.member("type", "string");
}
void write_value(ObjectWriter& object, std::type_identity<bool>, Around) {
  object.member("type", "boolean");
}
template <std::integral T>
void write_value(ObjectWriter& object, std::type_identity<T>, Around) {
  object.member("type", "integer");
  if constexpr (std::same_as<T, std::int32_t>)
    object.member("minimum", std::numeric_limits<T>::min())
        .member("maximum", std::numeric_limits<T>::max());
}
void write_value(ObjectWriter& object, std::type_identity<Quantity>, Around) {
  {
    ListWriter types(object.key("type"));
    write(types.item(), "string");
    write(types.item(), "number");
  }
  object.member("pattern",
                R"(^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([numkMGTPE]|[KMGTPE]i|[eE][+-]?[0-9]+)?$)");
}
template <Worded Word>
void write_value(ObjectWriter& object, std::type_identity<Word>, Around) {
  std::vector<std::string> known;
  for (const Word word : words<Word>.words) known.emplace_back(to_string(word));
  write_words(object, known);
}
void write_value(ObjectWriter& object, std::type_identity<scheduling_policy::Components>, Around) {
  ListWriter either(object.key("anyOf"));
  write_schema<ComponentSet>(either.item(), {});
  ObjectWriter list(either.item());
  list.member("type", "array").member("minItems", 1);
  write_schema<scheduling_policy::Component>(list.key("items"), {});
}
/// Any text is read; `validate` refuses what is no word.
template <class Word>
void write_value(ObjectWriter& object, std::type_identity<OpenEnum<Word>>, Around) {
  write_words(object, spellings(Word{}));
}
template <class T>
void write_value(ObjectWriter& object, std::type_identity<std::optional<T>>, Around around) {
  write_value(object, std::type_identity<T>{}, around);
}
template <class T>
void write_value(ObjectWriter& object, std::type_identity<Optional<T>>, Around around) {
  write_value(object, std::type_identity<T>{}, around);
}
template <class T>
void write_value(ObjectWriter& object, std::type_identity<AnyOr<T>>, Around around) {
  write_value(object, std::type_identity<T>{}, around);
}
template <class T>
void write_value(ObjectWriter& object, std::type_identity<std::vector<T>>, Around around) {
  object.member("type", "array");
  write_schema<T>(object.key("items"), around);
  if constexpr (Described<T>) {
    constexpr ListLimit limit = schema<T>.traits.list_limit;
    if (!limit.what.empty()) object.member("maxItems", limit.items);
  }
}
void write_value(ObjectWriter& object, std::type_identity<Texts>, Around around) {
  write_value(object, std::type_identity<std::vector<std::string>>{}, around);
}
template <class T>
void write_value(ObjectWriter& object, std::type_identity<TextMap<T>>, Around around) {
  object.member("type", "object");
  write_schema<T>(object.key("additionalProperties"), around);
}

/// Another spelling, which an editor is to take and not to propose.
template <class F>
void write_other_spelling(ObjectWriter& properties, std::string_view name, const std::string& usual,
                          F&& write_usual) {
  ObjectWriter other(properties.key(name));
  other.member("deprecated", true)
      .member("deprecationMessage", "is spelt " + usual)
      .member("doNotSuggest", true);
  write_usual(other);
}

/// `apiVersion`: what `is_in_group` says of the group, and any version.
void write_api_version(ObjectWriter& properties, std::string_view usual) {
  ObjectWriter object(properties.key("apiVersion"));
  object.member("type", "string").member("default", usual);
  if (api_group(usual) == own_api_group)
    return void(object.member("pattern", R"(^(extensions|[^/]*\.[^/]*)/)"));
  std::string pattern = "^";
  for (const char c : api_group(usual)) pattern.append(c == '.' ? "\\" : "").push_back(c);
  object.member("pattern", pattern + "/");
}

/// Whether a field stands in `allowed` alone.
bool is_of_allowed(std::string_view name) {
  bool found = false;
  scheduling_policy::for_each_allowed_field(
      [&](const auto& row) { found = found || row.rules_field == name; });
  return found;
}

template <Described T>
void write_value(ObjectWriter& object, std::type_identity<T>, Around around) {
  constexpr const Traits& traits = schema<T>.traits;
  constexpr bool is_whole = !traits.api_version.empty();
  const bool is_named = std::exchange(around.is_named, false);
  if (traits.unknown != Unknown::inherit)
    around.refuses_unknown = traits.unknown == Unknown::refuse;
  object.member("type", "object");
  std::vector<std::string> clashes;  // schemas that nothing may meet
  const auto both = [](std::string_view one, std::string_view other) {
    return R"({"required":[")" + std::string(one) + R"(",")" + std::string(other) + R"("]})";
  };
  {
    ObjectWriter properties(object.key("properties"));
    if constexpr (is_whole) write_api_version(properties, traits.api_version);
    if constexpr (!traits.kind.empty())
      ObjectWriter(properties.key("kind")).member("const", traits.kind);
    for_each_item(schema<T>.items, [&]<class Item>(const Item& item) {
      using Value = std::remove_cvref_t<decltype(part_of(std::declval<T&>(), item.access))>;
      if (around.is_required && is_of_allowed(item.name)) return;
      Around below = around;
      below.is_required = std::is_same_v<T, scheduling_policy::SchedulingPolicySpec> &&
                          item.name == scheduling_policy::required_section.name;
      below.is_named = traits.named && item.name == "metadata";
      if constexpr (traits::is_a<Item, Field>) {
        below.takes_listed = around.takes_listed || item.traits.lists_spelling;
        write_schema<Value>(properties.key(item.name), below);
        if (item.traits.alias.empty()) return;
        clashes.push_back(both(item.name, item.traits.alias));
        write_other_spelling(
            properties, item.traits.alias, std::string(item.name),
            [&](ObjectWriter& other) { write_value(other, std::type_identity<Value>{}, below); });
      } else if (!item.is_listed) {
        const std::string outer(item.outer);
        clashes.push_back(R"({"required":[")" + std::string(item.name) + R"("],"properties":{")" +
                          outer + R"(":{"required":[")" + std::string(item.usual) + R"("]}}})");
        write_other_spelling(
            properties, item.name, outer + "." + std::string(item.usual),
            [&](ObjectWriter& other) { write_value(other, std::type_identity<Value>{}, below); });
      } else if (around.takes_listed) {
        clashes.push_back(both(item.usual, item.name));
        write_other_spelling(
            properties, item.name, std::string(item.usual), [&](ObjectWriter& other) {
              other.member("type", "array").member("minItems", 1).member("maxItems", 1);
              write_schema<Value>(other.key("items"), below);
            });
      }
    });
    if constexpr (!traits.ignored.empty())
      ObjectWriter(properties.key(traits.ignored)).member("type", "object");
  }
  if (around.refuses_unknown) object.member("additionalProperties", false);
  {
    std::vector<std::string_view> needed;
    if constexpr (is_whole) needed = {"apiVersion", "kind"};
    if (traits.named) needed.push_back("metadata");
    if (is_named) needed.push_back("name");
    if (!traits.needed.empty() && traits.needed != "kind") needed.push_back(traits.needed);
    if (!needed.empty()) object.member("required", needed);
  }
  if (!clashes.empty()) {
    ObjectWriter none(object.key("not"));
    ListWriter list(none.key("anyOf"));
    for (const std::string& clash : clashes) list.item() += clash;
  }
}

template <class T>
void write_schema(Writer& out, Around around) {
  ObjectWriter object(out);
  write_value(object, std::type_identity<T>{}, around);
}

}  // namespace
}  // namespace SCHEDPOL_NAMESPACE::json::detail

int main() {
  using namespace schedpol::json::detail;
  Writer out;
  {
    ObjectWriter kinds(out);
    const schedpol::engine::Objects none;
    for_each_list(none, [&](const auto& list, schedpol::engine::ObjectKinds of) {
      using Policy = typename std::remove_cvref_t<decltype(list)>::value_type;
      if (!of.begin()->api_version.empty()) write_schema<Policy>(kinds.key(of.begin()->name), {});
    });
    write_schema<EngineConfiguration>(kinds.key("EngineConfiguration"), {});
    ListWriter codes(kinds.key("ViolationCode"));
    for (int i = 0; !to_string(static_cast<schedpol::ViolationCode>(i)).empty(); ++i)
      write(codes.item(), to_string(static_cast<schedpol::ViolationCode>(i)));
  }
  std::cout << std::move(out).take() << '\n';
}
