// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Reads values from the elements of a document, by their schemas. The rules are those of
/// `decode.hpp`.

#include <schedpol/base/any_or.hpp>
#include <schedpol/base/field_error.hpp>
#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/base/impl/did_you_mean.hpp>
#include <schedpol/base/impl/path_builder.hpp>
#include <schedpol/core/quantity.hpp>
#include <schedpol/json/impl/elements.hpp>
#include <schedpol/json/impl/schema.hpp>

#include <cstring>

namespace SCHEDPOL_NAMESPACE::json::detail {

using schedpol::detail::PathBuilder;

/// Whether something is more than is read, rather than wrong.
[[nodiscard]] inline bool is_limit(const FieldError& error) noexcept {
  return error.type == ErrorType::too_many || error.type == ErrorType::too_long;
}

/// Whether an object is a SchedulingPolicy as its proposal writes it, `Kind: SchedulingPolicy`.
[[nodiscard]] inline bool says_proposed_kind(Element from) noexcept {
  std::string_view kind;
  return from[proposed_kind_field].get(kind) && kind == proposed_kind;
}

/// What an object says of its kind; nothing where that is missing or null.
[[nodiscard]] inline Element written_kind(Element from) noexcept {
  const Element kind = from.non_null("kind");
  return !kind.is_there() && says_proposed_kind(from) ? from[proposed_kind_field] : kind;
}

/// Reads one document, and collects what is wrong with all parts of it.
class Decoder {
 public:
  /// Leaves what is beyond `extent` unread. How much lists may hold depends on the bytes of the
  /// document.
  explicit Decoder(std::size_t document_bytes = max_document_bytes, Extent extent = Extent::whole)
      : extent_(extent),
        left_to_list_(std::max(max_listed_objects, document_bytes / min_bytes_of_listed)) {}

  [[nodiscard]] const std::vector<FieldError>& errors() const noexcept { return errors_; }
  [[nodiscard]] std::vector<FieldError> take_errors() { return std::exchange(errors_, {}); }

  void report(ErrorType type, const PathBuilder& at, std::string_view bad_value,
              std::string detail) {
    if (errors_.size() < max_reported_errors)
      errors_.push_back({type, at.path(), std::string(bad_value), std::move(detail)});
  }

  /// Reports what stands there in place of what is wanted: `a string`.
  void wrong_type(const PathBuilder& at, Element from, std::string_view wanted) {
    report(ErrorType::type_invalid, at, "",
           "must be " + std::string(wanted) + ", not " + std::string(type_of(from)));
  }

  void read(const PathBuilder& at, Element from, std::string& into) {
    std::string_view text;
    if (!from.get(text)) return wrong_type(at, from, "a string");
    into.clear();
    into.append(text);
  }
  void read(const PathBuilder& at, Element from, bool& into) {
    if (!from.get(into)) wrong_type(at, from, "true or false");
  }
  void read(const PathBuilder& at, Element from, std::int64_t& into) {
    if (!from.get(into)) wrong_type(at, from, "an integer");
  }
  void read(const PathBuilder& at, Element from, std::int32_t& into) {
    std::int64_t wide = 0;
    if (!from.get(wide)) return wrong_type(at, from, "an integer");
    if (!std::in_range<std::int32_t>(wide))
      return report(ErrorType::invalid, at, std::to_string(wide), "must fit in 32 bits");
    into = static_cast<std::int32_t>(wide);
  }

  /// A quantity, which Kubernetes also takes as a number.
  void read(const PathBuilder& at, Element from, Quantity& into) {
    if (!from.is_number() && !from.is_string()) return wrong_type(at, from, "a quantity");
    auto quantity = Quantity::parse(from.text());
    if (quantity) {
      into = *std::move(quantity);
    } else {
      report(ErrorType::invalid, at, from.text(), "must be a quantity such as 500m or 1.5Gi");
    }
  }

  template <Worded Word>
  void read(const PathBuilder& at, Element from, Word& into) {
    std::string_view text;
    if (!from.get(text)) return wrong_type(at, from, "a string");
    if (text.empty() && !words<Word>.needed) return;
    std::string supported = "supported are";
    schedpol::detail::NearestWord nearest(text);
    for (const Word word : words<Word>.words) {
      if (to_string(word) == text) {
        into = word;
        return;
      }
      supported.append(supported.ends_with("are") ? " " : ", ").append(to_string(word));
      nearest.consider(to_string(word));
    }
    report(ErrorType::not_supported, at, text, supported + nearest.text());
  }

  template <class Word>
  void read(const PathBuilder& at, Element from, OpenEnum<Word>& into) {
    std::string_view text;
    if (!from.get(text)) return wrong_type(at, from, "a string");
    into.read(text);
  }

  template <class T>
  void read(const PathBuilder& at, Element from, std::optional<T>& into) {
    if (!from.is_null()) read(at, from, into.emplace());
  }

  /// What holds nothing once it is read is any where it was written empty; of a map or structure
  /// nothing but nulls lists nothing, which says no more than an absent one.
  template <class T>
  void read(const PathBuilder& at, Element from, AnyOr<T>& into) {
    if (from.is_null()) return;
    T value{};
    read(at, from, value);
    if (value == T{} && is_written_empty(from)) {
      into = any;
    } else {
      into = AnyOr<T>(std::move(value));
    }
  }

  void read(const PathBuilder& at, Element from, Texts& into) { read(at, from, into.vector()); }

  template <class T>
  void read(const PathBuilder& at, Element from, std::vector<T>& into) {
    if (!from.is_list()) return wrong_type(at, from, "a list");
    const ElementItems array = from.items();
    if constexpr (Described<T>) {
      constexpr ListLimit limit = schema<T>.traits.list_limit;
      if (array.size() > limit.items) {
        return report(
            ErrorType::too_many, at, std::to_string(array.size()),
            "must list at most " + std::to_string(limit.items) + " " + std::string(limit.what));
      }
    }
    if (!std::is_same_v<T, std::string> && !may_list(at, array.size())) return;
    into.clear();
    into.reserve(array.size());
    PathBuilder place = at.index(0);
    for (const Element item : array) {
      place.beside(into.size());
      if constexpr (std::is_same_v<T, std::string>) {  // made of its text, not filled with it
        if (item.is_string()) {
          into.emplace_back(item.text());
          continue;
        }
      }
      T& value = into.emplace_back();
      if (!item.is_null()) {
        read(place, item, value);
      } else if (!takes_null_item<T>()) {
        null_item(place);
      }
    }
  }

  template <class Value, class Compare>
  void read(const PathBuilder& at, Element from, std::map<std::string, Value, Compare>& into) {
    if (!from.is_object()) return wrong_type(at, from, "an object");
    for (const auto [key, value] : from.members()) {
      if (is_strict_ && key.size() > max_label_key_bytes) {
        report(ErrorType::too_long, at, key,
               "a key has at most " + std::to_string(max_label_key_bytes) + " bytes");
        continue;
      }
      // What comes in the order of its keys, as an API server writes it, goes to the end.
      if constexpr (std::is_same_v<Value, std::string>) {
        if (value.is_string()) {
          into.emplace_hint(into.end(), key, value.text());
          continue;
        }
      }
      Value& entry = into.emplace_hint(into.end(), key, Value())->second;
      const PathBuilder place = at.key(key);
      if (!value.is_null()) {
        read(place, value, entry);
      } else if (std::is_same_v<Value, std::string> && is_strict_) {
        null_item(place);
      }
    }
  }

  template <Described T>
  void read(const PathBuilder& at, Element from, T& into) {
    constexpr const Traits& traits = schema<T>.traits;
    constexpr bool has_own_rule = traits.unknown != Unknown::inherit;
    [[maybe_unused]] const bool outer = is_strict_;
    if constexpr (has_own_rule) is_strict_ = traits.unknown == Unknown::refuse;
    if (!from.is_object()) wrong_type(at, from, "an object");
    PathBuilder below = at.child({});
    for (const auto [name, value] : from.members()) {
      below.beside(name);
      if (!read_field(below, from, name, value, into) &&
          !read_head(below, from, name, value, traits))
        refuse_unknown<T>(below, name);
    }
    if constexpr (traits.named) {
      const PathBuilder metadata = at.child("metadata");
      if (lacks(from, "metadata"))
        report(ErrorType::required, metadata.child("name"), "", "an object has a name");
    }
    if constexpr (!traits.needed.empty()) {
      if (lacks(from, traits.needed))
        report(ErrorType::required, at.child(traits.needed), "", "it has to be there");
    }
    if constexpr (requires { check_value(*this, at, into); }) check_value(*this, at, into);
    if constexpr (has_own_rule) is_strict_ = outer;
  }

  /// A part of an object whose unknown fields are errors.
  template <class T>
  void read_strictly(const PathBuilder& at, Element from, T& into) {
    const bool outer = std::exchange(is_strict_, true);
    read(at, from, into);
    is_strict_ = outer;
  }

  /// Whether a list may hold so many objects more; else that is an error.
  [[nodiscard]] bool may_list(const PathBuilder& at, std::size_t size) {
    if (size > left_to_list_) {
      report(ErrorType::too_many, at, std::to_string(size),
             "all lists of a document hold at most " + std::to_string(max_listed_objects) +
                 " objects, or one for each " + std::to_string(min_bytes_of_listed) +
                 " bytes of it");
      return false;
    }
    left_to_list_ -= size;
    return true;
  }

  /// The kind that an object says, for who has to know it before anything else is read (`written_kind`).
  /// Both spellings at once are an error.
  [[nodiscard]] Element read_kind(const PathBuilder& at, Element from) {
    const Element kind = written_kind(from);
    if (from.non_null("kind").is_there() && says_proposed_kind(from))
      spelled_twice(at.child("kind"), "kind", proposed_kind_field);
    return kind;
  }

  /// From now on no object needs this field, which is told or reported elsewhere.
  void let_lack(std::string_view field) noexcept { may_lack_ = field; }

  /// A type that is read in a way of its own has a function `read_value`; one whose fields have to be
  /// looked at together once they are read `check_value`.
  template <class T>
    requires requires(Decoder& decoder, const PathBuilder& at, Element from, T& into) {
      read_value(decoder, at, from, into);
    }
  void read(const PathBuilder& at, Element from, T& into) {
    read_value(*this, at, from, into);
  }

 private:
  void null_item(const PathBuilder& at) { report(ErrorType::required, at, "", "must not be null"); }

  void spelled_twice(const PathBuilder& at, std::string_view usual, std::string_view other) {
    report(
        ErrorType::duplicate, at, "",
        "`" + std::string(usual) + "` and `" + std::string(other) + "` are spellings of one field");
  }

  /// Whether the other of two spellings stands before the one at `at`, which is an error then.
  bool is_spelled_before(const PathBuilder& at, Element from, std::string_view usual,
                         std::string_view alias) {
    if (alias.empty()) return false;
    for (const ElementMember member : from.members()) {
      if (member.key == at.step().name) return false;
      if (member.key == usual || member.key == alias) break;
    }
    spelled_twice(at, usual, alias);
    return true;
  }

  template <class T>
  void refuse_unknown(const PathBuilder& at, std::string_view name) {
    constexpr const Traits& traits = schema<T>.traits;
    if (!is_strict_ || (!traits.ignored.empty() && name == traits.ignored)) return;
    schedpol::detail::NearestWord nearest(name);
    for_each_field<T>([&](const auto& field) { nearest.consider(field.name); });
    report(ErrorType::forbidden, at, "", "unknown field" + nearest.text());
  }

  /// In a pod a null item is an empty one, as for the API server; in a policy an empty one may
  /// permit or give something.
  template <class T>
  [[nodiscard]] bool takes_null_item() const noexcept {
    if constexpr (Described<T>) {
      if (schema<T>.traits.null_item_is_empty) return true;
    }
    return !is_strict_;
  }

  /// Whether a list or map that holds nothing was written so, or a structure with a list in it:
  /// `{nodeSelectorTerms: []}` does mean any.
  static bool is_written_empty(Element from) {
    const ElementMembers members = from.members();
    return from.is_list() || (from.is_object() && members.size() == 0) ||
           schedpol::detail::any_of(members,
                                    [](ElementMember member) { return member.value.is_list(); });
  }

  template <class T>
  bool read_field(const PathBuilder& at, Element from, std::string_view name, Element value,
                  T& into) {
    return [&]<std::size_t... i, class... Items>(
               const IndexedItems<std::index_sequence<i...>, Items...>&) {
      return (read_if_named<i>(at, from, name, value, into) || ...);
    }(schema<T>.items);
  }

  /// Reads the `i`th field of an object if it has the name. What that is compared with is constant
  /// for the compiler, which so compares without a call. `from` is the object, `at` the member.
  template <std::size_t i, class T>
  bool read_if_named(const PathBuilder& at, Element from, std::string_view name, Element value,
                     T& into) {
    constexpr const auto& item = item_at<i>(schema<T>.items);
    using Item = std::remove_cvref_t<decltype(item)>;
    if constexpr (traits::is_a<Item, Field>) {
      constexpr FieldTraits field_traits = item.traits;
      if (!is_text<item.name.size()>(name, item.name) &&
          (field_traits.alias.empty() ||
           !is_text<field_traits.alias.size()>(name, field_traits.alias)))
        return false;
      if constexpr (field_traits.extent == Extent::whole) {
        if (extent_ != Extent::whole) return true;
      }
      // No object has a key twice, so that a field without another spelling is there once.
      if (is_spelled_before(at, from, item.name, field_traits.alias) || value.is_null())
        return true;
      [[maybe_unused]] const bool outer = takes_listed_;
      if constexpr (field_traits.lists_spelling) takes_listed_ = true;
      read(at, value, part_of(into, item.access));
      if constexpr (field_traits.lists_spelling) takes_listed_ = outer;
      return true;
    } else {
      if (name != item.name || (item.is_listed && !takes_listed_)) return false;
      const Element around = item.outer.empty() ? from : from[item.outer];
      if (around[item.usual].is_there()) {
        std::string usual(item.outer);
        if (!usual.empty()) usual += '.';
        spelled_twice(at, usual.append(item.usual), name);
      } else if constexpr (item.is_listed) {
        read_only_one(at, value, part_of(into, item.access));
      } else {
        read(at, value, part_of(into, item.access));
      }
      return true;
    }
  }

  template <std::size_t size>
  static bool is_text(std::string_view text, std::string_view wanted) noexcept {
    return text.size() == size && std::memcmp(text.data(), wanted.data(), size) == 0;
  }

  template <class T>
  void read_only_one(const PathBuilder& at, Element value, T& into) {
    if (value.is_null()) return;
    if (!value.is_list()) return wrong_type(at, value, "a list");
    const ElementItems array = value.items();
    if (array.size() != 1) return report(ErrorType::invalid, at, "", "must list exactly one");
    const PathBuilder first = at.index(0);
    read(first, *array.begin(), into);
  }

  /// Whether an object has no such member that it needs, or a null.
  [[nodiscard]] bool lacks(Element from, std::string_view name) const {
    return from.is_object() && !from.non_null(name).is_there() && name != may_lack_;
  }

  /// `kind` of a whole object and, where the group matters, `apiVersion`, which have to be right where
  /// they are given.
  bool read_head(const PathBuilder& at, Element from, std::string_view name, Element value,
                 const Traits& traits) {
    if (!traits.api_version.empty() && name == "apiVersion") {
      std::string text;
      if (!value.is_null()) read(at, value, text);
      const std::string problem = group_problem(text, traits.api_version);
      if (!problem.empty()) report(ErrorType::not_supported, at, text, problem);
      return true;
    }
    if (traits.kind.empty() ||
        (name != "kind" && (traits.kind_alias.empty() || name != traits.kind_alias)))
      return false;
    if (is_spelled_before(at, from, "kind", traits.kind_alias) || value.is_null()) return true;
    std::string text;
    read(at, value, text);
    if (!text.empty() && text != traits.kind)
      report(ErrorType::not_supported, at, text, "must be " + std::string(traits.kind));
    return true;
  }

  std::vector<FieldError> errors_;
  Extent extent_;
  std::size_t left_to_list_;     ///< objects
  std::string_view may_lack_{};  ///< a field
  bool is_strict_ = false;       ///< as of a policy: unknown fields, long keys and nulls are errors
  bool takes_listed_ = false;    ///< see `OtherSpelling`
};

}  // namespace SCHEDPOL_NAMESPACE::json::detail
