// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Kubernetes JSON to value types. null is absent; a wrong type, a word or number out of range is
/// an error with its field path, never a guess. Unknown fields are ignored in pods and workloads,
/// and errors in policies and RBAC objects (outside their metadata), because a typo there is a
/// hole. The spellings of the SchedulingPolicy proposal are read too; both spellings at once are an
/// error.

#include <schedpol/core/field_error.hpp>
#include <schedpol/json/document.hpp>
#include <schedpol/json/schema.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::json {

namespace detail {

using simdjson::dom::element;

/// Reads one document; the errors of all its parts come together here.
class Decoder {
 public:
  /// Leaves out, unread, the fields that only MetadataPolicy looks at, when `looked_at` says so.
  explicit Decoder(LookedAt looked_at = LookedAt::by_metadata_policy) : looked_at_(looked_at) {}

  [[nodiscard]] const std::vector<FieldError>& errors() const noexcept { return errors_; }
  [[nodiscard]] std::vector<FieldError> take_errors() && { return std::move(errors_); }

  void report(ErrorType type, const Path& path, std::string_view bad_value, std::string detail) {
    if (errors_.size() < max_reported_errors) {
      errors_.push_back({type, path.text(), std::string(bad_value), std::move(detail)});
    }
  }

  void read(const Path& path, element from, std::string& into) {
    std::string_view text;
    if (from.get(text) != simdjson::SUCCESS) return wrong_type(path, from, "a string");
    into = text;
  }
  void read(const Path& path, element from, bool& into) {
    if (from.get(into) != simdjson::SUCCESS) wrong_type(path, from, "true or false");
  }
  void read(const Path& path, element from, std::int64_t& into) {
    if (from.get(into) != simdjson::SUCCESS) wrong_type(path, from, "an integer");
  }
  void read(const Path& path, element from, std::int32_t& into) {
    std::int64_t wide = 0;
    if (from.get(wide) != simdjson::SUCCESS) return wrong_type(path, from, "an integer");
    if (wide < std::numeric_limits<std::int32_t>::min() ||
        wide > std::numeric_limits<std::int32_t>::max()) {
      return report(ErrorType::invalid, path, std::to_string(wide), "must fit in 32 bits");
    }
    into = static_cast<std::int32_t>(wide);
  }
  /// A quantity, which Kubernetes also takes as a number.
  void read(const Path& path, element from, Quantity& into) {
    std::string text;
    if (from.is_number()) {
      text = simdjson::minify(from);
    } else if (!from.is_string()) {
      return wrong_type(path, from, "a quantity");
    } else {
      read(path, from, text);
    }
    if (auto quantity = Quantity::parse(text)) {
      into = *std::move(quantity);
    } else {
      report(ErrorType::invalid, path, text, "must be a quantity such as 500m or 1.5Gi");
    }
  }
  void read(const Path& path, element from, ResourceList& into) {
    for_each_member(path, from, [&](std::string_view key, element value) {
      Quantity& quantity = into[std::string(key)];
      if (!value.is_null()) read(path.key(key), value, quantity);
    });
  }
  template <Worded Word>
  void read(const Path& path, element from, Word& into) {
    std::string_view text;
    if (from.get(text) != simdjson::SUCCESS) return wrong_type(path, from, "a string");
    constexpr bool needed = requires { Words<Word>::needed; };
    if (text.empty() && !needed) return;
    std::string supported = "supported are";
    for (const Word word : Words<Word>::all) {
      if (to_string(word) == text) {
        into = word;
        return;
      }
      supported.append(supported.ends_with("are") ? " " : ", ").append(to_string(word));
    }
    report(ErrorType::not_supported, path, text, std::move(supported));
  }
  template <class Word>
  void read(const Path& path, element from, OpenEnum<Word>& into) {
    std::string_view text;
    if (from.get(text) != simdjson::SUCCESS) return wrong_type(path, from, "a string");
    into = OpenEnum<Word>(text);
  }
  template <class T>
  void read(const Path& path, element from, std::optional<T>& into) {
    if (from.is_null()) return;
    into.emplace();
    read(path, from, *into);
    // A map of nothing but nulls was not written empty, so it must not read as "any": it says no
    // more than an absent one.
    if constexpr (requires { Schema<T>::empty_is_any; }) {
      simdjson::dom::object object;
      if (from.get(object) == simdjson::SUCCESS && object.size() > 0 && *into == T{} &&
          !wrote_empty_list(object))
        into.reset();
    }
  }
  template <class T>
  void read(const Path& path, element from, std::vector<T>& into) {
    simdjson::dom::array array;
    if (from.get(array) != simdjson::SUCCESS) return wrong_type(path, from, "a list");
    if (std::is_same_v<T, Toleration> && array.size() > max_tolerations) {
      return report(ErrorType::too_many, path, std::to_string(array.size()),
                    "must list at most " + std::to_string(max_tolerations) + " tolerations");
    }
    into.reserve(into.size() + array.size());
    std::size_t index = 0;
    for (const auto item : array) {
      into.emplace_back();
      const Path at = path.item(index++);
      if (!item.is_null()) {
        read(at, item, into.back());
      } else if (refuses_unknown_ && !null_is_nothing<T>) {
        // In a pod a null item is an empty one, as for the API server; in a policy an empty one may
        // permit or give something.
        report(ErrorType::required, at, "", "must not be null");
      }
    }
  }
  void read(const Path& path, element from, Labels& into) {
    for_each_member(path, from, [&](std::string_view key, element value) {
      std::string& label = into[std::string(key)];
      if (!value.is_null()) return read(path.key(key), value, label);
      if (refuses_unknown_) report(ErrorType::required, path.key(key), "", "must not be null");
    });
  }
  void read(const Path& path, element from, scheduling_policy::NodeSelectors& into) {
    for_each_member(path, from, [&](std::string_view key, element value) {
      read(path.key(key), value, into[std::string(key)]);
    });
  }
  template <Described T>
  void read(const Path& path, element from, T& into) {
    const bool outer = refuses_unknown_;
    if constexpr (requires { Schema<T>::unknown; })
      refuses_unknown_ = Schema<T>::unknown == Unknown::refuse;
    Seen seen = 0;
    for_each_member(path, from, [&](std::string_view name, element value) {
      if (read_field(path, name, value, into, seen) || read_head<T>(path, name, value, seen))
        return;
      if (read_other_spelling(path, from, name, value, into)) return;
      if (refuses_unknown_ && !is_ignored<T>(name))
        report(ErrorType::forbidden, path.field(name), "", "unknown field");
    });
    if constexpr (requires { Schema<T>::needed; }) {
      element there;
      constexpr std::string_view name = Schema<T>::needed;
      if (from.is_object() && (from[name].get(there) != simdjson::SUCCESS || there.is_null()))
        report(ErrorType::required, path.field(name), "", "there is no default");
    }
    if constexpr (std::is_same_v<T, scheduling_policy::DefaultToleration>) {
      if (into.values && !into.toleration.value.empty()) {
        report(ErrorType::forbidden, path.field("value"), into.toleration.value,
               "must not be set beside values");
      }
    }
    refuses_unknown_ = outer;
  }

  /// A Pod, or the pod template of any workload, told by `kind`; without one it is a Pod. A
  /// template takes name and namespace from its workload where it has none.
  void read(const Path& path, element from, Pod& into) {
    if (!from.is_object()) return wrong_type(path, from, "an object");
    std::string kind;
    ObjectMeta metadata;
    for_each_member(path, from, [&](std::string_view name, element value) {
      if (value.is_null()) return;
      if (name == "kind") read(path.field(name), value, kind);
      if (name == "metadata") read(path.field(name), value, metadata);
    });
    const auto known_kind = kind.empty() ? PodKind::pod : pod_kind(kind);
    if (!known_kind) {
      return report(ErrorType::not_supported, path.field("kind"), kind,
                    "must be Pod, or a workload that has a pod template");
    }
    into.kind = *known_kind;
    read_template(path, from, template_path(into.kind), into);
    if (into.kind == PodKind::pod) {
      into.metadata = std::move(metadata);
    } else {
      if (into.metadata.name.empty()) into.metadata.name = std::move(metadata.name);
      if (into.metadata.namespace_.empty())
        into.metadata.namespace_ = std::move(metadata.namespace_);
    }
  }

 private:
  void wrong_type(const Path& path, element from, std::string_view wanted) {
    std::string_view found = "something else";
    switch (from.type()) {
      case simdjson::dom::element_type::ARRAY: found = "a list"; break;
      case simdjson::dom::element_type::OBJECT: found = "an object"; break;
      case simdjson::dom::element_type::STRING: found = "a string"; break;
      case simdjson::dom::element_type::BOOL: found = "true or false"; break;
      case simdjson::dom::element_type::NULL_VALUE: found = "null"; break;
      case simdjson::dom::element_type::INT64:
      case simdjson::dom::element_type::UINT64:
      case simdjson::dom::element_type::DOUBLE: found = "a number"; break;
    }
    report(ErrorType::type_invalid, path, "",
           "must be " + std::string(wanted) + ", not " + std::string(found));
  }

  template <class T>
  static constexpr bool null_is_nothing = requires { Schema<T>::null_is_nothing; };

  /// Whether a member is a list, which then is empty: `{nodeSelectorTerms: []}` does mean any.
  static bool wrote_empty_list(simdjson::dom::object object) {
    for (const auto member : object) {
      if (member.value.is_array()) return true;
    }
    return false;
  }

  template <class F>
  void for_each_member(const Path& path, element from, F&& f) {
    simdjson::dom::object object;
    if (from.get(object) != simdjson::SUCCESS) return wrong_type(path, from, "an object");
    for (const auto member : object) f(member.key, member.value);
  }

  /// The fields of an object that were seen, one bit each; the last is its kind.
  using Seen = std::uint32_t;
  static constexpr Seen kind_bit = Seen{1} << 31U;

  template <class T>
  bool read_field(const Path& path, std::string_view name, element value, T& into, Seen& seen) {
    using Fields = std::remove_cvref_t<decltype(Schema<T>::fields)>;
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return (read_if_named<i>(path, name, value, into, seen) || ...);
    }(std::make_index_sequence<std::tuple_size_v<Fields>>());
  }

  /// Reads the `i`th field of an object if `name` names it. What it is compared with is constant
  /// for the compiler, which so compares without a call.
  template <std::size_t i, class T>
  bool read_if_named(const Path& path, std::string_view name, element value, T& into, Seen& seen) {
    static_assert(i < 31, "the last bit is the kind's");
    constexpr const auto& entry = std::get<i>(Schema<T>::fields);
    if (!is_text<entry.name.size()>(name, entry.name)) {
      if constexpr (entry.alias.empty()) return false;
      if (name != entry.alias) return false;
    }
    if (looked_at_ == LookedAt::by_all && entry.looked_at != looked_at_) return true;
    constexpr Seen bit = Seen{1} << i;
    if ((seen & bit) != 0) {
      report(ErrorType::duplicate, path.field(name), "", spelled_twice(entry.name, entry.alias));
    } else if (!value.is_null()) {
      read(path.field(name), value, std::invoke(entry.access, into));
    }
    seen |= bit;
    return true;
  }

  template <std::size_t size>
  static bool is_text(std::string_view text, std::string_view wanted) noexcept {
    return text.size() == size && std::memcmp(text.data(), wanted.data(), size) == 0;
  }

  static std::string spelled_twice(std::string_view name, std::string_view alias) {
    return in_backticks(name) + " and " + in_backticks(alias) + " are spellings of one field";
  }

  /// `apiVersion` and `kind` of a whole object. The version is not looked at, the kind has to be
  /// right where it is given.
  template <class T>
  bool read_head(const Path& path, std::string_view name, element value, Seen& seen) {
    if constexpr (Object<T>) {
      const Path at = path.field(name);
      std::string text;
      if (name == "apiVersion") {
        if (!value.is_null()) read(at, value, text);
        return true;
      }
      std::string_view alias;
      if constexpr (requires { Schema<T>::kind_alias; }) alias = Schema<T>::kind_alias;
      if (name != "kind" && (alias.empty() || name != alias)) return false;
      if ((seen & kind_bit) != 0) {
        report(ErrorType::duplicate, at, "", spelled_twice("kind", alias));
        return true;
      }
      seen |= kind_bit;
      if (value.is_null()) return true;
      read(at, value, text);
      if (!text.empty() && text != Schema<T>::kind) {
        report(ErrorType::not_supported, at, text, "must be " + std::string(Schema<T>::kind));
      }
      return true;
    } else {
      return false;
    }
  }

  template <class T>
  static bool is_ignored(std::string_view name) noexcept {
    if constexpr (requires { Schema<T>::ignored; }) {
      return std::find(Schema<T>::ignored.begin(), Schema<T>::ignored.end(), name) !=
             Schema<T>::ignored.end();
    }
    return false;
  }

  template <class T>
  static bool read_other_spelling(const Path&, element, std::string_view, element, T&) noexcept {
    return false;
  }

  /// The proposal writes `spec.allowedAffinities` for `spec.allowed.affinities`.
  bool read_other_spelling(const Path& path, element from, std::string_view name, element value,
                           scheduling_policy::SchedulingPolicySpec& into) {
    if (name != "allowedAffinities") return false;
    element other;
    if (from["allowed"]["affinities"].get(other) == simdjson::SUCCESS) {
      report(ErrorType::duplicate, path.field(name), "", spelled_twice("allowed.affinities", name));
    } else {
      read(path.field(name), value, into.allowed.affinities);
    }
    return true;
  }

  /// In a default affinity the proposal writes `keys: [k]` and `operators: [Op]` for `key` and
  /// `operator`.
  bool read_other_spelling(const Path& path, element from, std::string_view name, element value,
                           NodeSelectorRequirement& into) {
    if (!refuses_unknown_) return false;
    if (name == "keys") read_only_one(path, from, name, value, "key", into.key);
    if (name == "operators") read_only_one(path, from, name, value, "operator", into.operator_);
    return name == "keys" || name == "operators";
  }
  template <class T>
  void read_only_one(const Path& path, element from, std::string_view name, element value,
                     std::string_view usual, T& into) {
    const Path at = path.field(name);
    element other;
    if (from[usual].get(other) == simdjson::SUCCESS)
      return report(ErrorType::duplicate, at, "", spelled_twice(usual, name));
    if (value.is_null()) return;
    simdjson::dom::array array;
    if (value.get(array) != simdjson::SUCCESS) return wrong_type(at, value, "a list");
    if (array.size() != 1) return report(ErrorType::invalid, at, "", "must list exactly one");
    read(at.item(0), array.at(0).value_unsafe(), into);
  }

  /// Walks down `rest` (`spec.template`, or nothing) and reads the template that stands there.
  void read_template(const Path& path, element from, std::string_view rest, Pod& into) {
    const std::size_t dot = rest.find('.');
    const std::string_view below = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
    for_each_member(path, from, [&](std::string_view name, element value) {
      if (value.is_null()) return;
      if (!rest.empty()) {
        if (name == rest.substr(0, dot)) read_template(path.field(name), value, below, into);
      } else if (name == "spec") {
        read(path.field(name), value, into.spec);
      } else if (name == "status" && into.kind == PodKind::pod) {
        read(path.field(name), value, into.status);
      } else if (name == "metadata" && into.kind != PodKind::pod) {
        read(path.field(name), value, into.metadata);
      }
    });
  }

  std::vector<FieldError> errors_;
  LookedAt looked_at_;
  bool refuses_unknown_ = false;
};

}  // namespace detail

/// Reads a value from an element of a parsed document, with paths below `path`.
template <class T>
[[nodiscard]] Result<T> decode(simdjson::dom::element from, const detail::Path& path = {}) {
  T value{};
  detail::Decoder decoder;
  decoder.read(path, from, value);
  if (!decoder.errors().empty()) return std::move(decoder).take_errors();
  return value;
}

/// Reads a value from bytes: a Pod or workload, a policy, an RBAC object, or a part of one such as
/// a Toleration. Bytes that are no document within the limits are one error without a field.
template <class T>
[[nodiscard]] Result<T> decode(std::string_view bytes) {
  Document document;
  if (!document.parse(bytes)) return std::vector<FieldError>{document.error()};
  return decode<T>(document.root());
}

}  // namespace schedpol::json
