// SPDX-License-Identifier: Apache-2.0
// Copyright The schedpol authors
//
// schedpol in one header: all that decides.
// Header-only as it is. With SCHEDPOL_COMPILED defined it only declares; then one translation unit of
// the program defines SCHEDPOL_IMPLEMENTATION too.
//
// Generated from include/ by amalgamate.py: change the headers there, not this file.

#ifndef SCHEDPOL_SINGLE_INCLUDE
#define SCHEDPOL_SINGLE_INCLUDE

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// schedpol/version.hpp

/// The library's version, and the Kubernetes release whose rules it implements. The build files read
/// the three macros; everything else uses `schedpol::version`. A compiler set to an older C++ reports
/// one error here instead of hundreds elsewhere.

#define SCHEDPOL_VERSION_MAJOR 0
#define SCHEDPOL_VERSION_MINOR 3
#define SCHEDPOL_VERSION_PATCH 0

// The namespace of the whole library. Its inner part is inline, so users write only `schedpol`. The
// version is part of every symbol, so one program can link two versions of the library.
#define SCHEDPOL_NAMESPACE schedpol::inline v0_3_0

#if __cplusplus <= 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG <= 201703L)
#error "schedpol needs C++20: compile with -std=c++20 or newer"
#include "nothing more is read"  // a missing file ends the compilation at once
#endif

namespace SCHEDPOL_NAMESPACE {

struct Version {
  int major = SCHEDPOL_VERSION_MAJOR;
  int minor = SCHEDPOL_VERSION_MINOR;
  int patch = SCHEDPOL_VERSION_PATCH;

  friend constexpr bool operator==(const Version&, const Version&) = default;
};

inline constexpr Version version{};  ///< the version of these headers

/// The release whose rules apply wherever a rule is Kubernetes' own (tolerations, selectors, RBAC,
/// label syntax).
inline constexpr const char* kubernetes_release = "v1.37";

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/end_program.hpp

/// How a program ends when its code breaks a precondition.

namespace SCHEDPOL_NAMESPACE {

/// Writes one line to standard error, `schedpol: ` and the reason, and aborts (`std::abort`).
[[noreturn]] void end_program(const char* why) noexcept;

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/texts.hpp

/// Lists of texts (keys, values, names), written as in YAML. `{"a", "b"}` lists two. An extra pair
/// of braces does not compile; a vector of strings would read `{{"a", "b"}}` as two pointers into
/// one text.

namespace SCHEDPOL_NAMESPACE {

/// One text in braces. Only what converts to `std::string_view` makes one; braces never do.
struct Text {
  /// A literal, a string or a string view.
  template <std::convertible_to<std::string_view> T>
  Text(const T& from) : value(view_of(from)) {}  // NOLINT(google-explicit-constructor)

  std::string_view value;  ///< valid as long as its source

 private:
  /// A null pointer (`std::getenv` may return one) is not a text: the program says why and ends (`std::abort`).
  template <class T>
  static std::string_view view_of(const T& from) noexcept {
    if constexpr (std::is_pointer_v<T>) {
      if (from == nullptr) end_program("a null pointer is no text");
    }
    return from;
  }
};

/// A list of texts. Absent and empty mean the same.
class Texts {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;

  Texts() = default;
  Texts(std::initializer_list<Text> texts) {  ///< keeps their order
    texts_.reserve(texts.size());
    for (const Text& text : texts) texts_.emplace_back(text.value);
  }
  Texts(std::initializer_list<std::initializer_list<Text>>) = delete;  // too many braces
  Texts(const Texts&) = default;
  Texts(Texts&&) noexcept = default;
  Texts& operator=(const Texts&) = default;
  template <std::same_as<Texts> Other>  // a template, so that `= {}` picks the copy
  Texts& operator=(Other&& other) noexcept {
    texts_ = std::move(other.texts_);
    return *this;
  }
  ~Texts() = default;

  /// The texts in a vector. Braces never convert to this vector.
  template <std::same_as<std::vector<std::string>> Vector>
  explicit Texts(Vector texts) noexcept : texts_(std::move(texts)) {}

  [[nodiscard]] bool empty() const noexcept { return texts_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return texts_.begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return texts_.end(); }

  /// `index` must be less than the size.
  [[nodiscard]] const std::string& operator[](std::size_t index) const noexcept {
    return texts_[index];
  }
  [[nodiscard]] std::string& operator[](std::size_t index) noexcept { return texts_[index]; }

  /// The list must not be empty.
  [[nodiscard]] const std::string& front() const noexcept { return texts_.front(); }

  /// Linear in the number of texts.
  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    for (const std::string& listed : texts_)
      if (listed == text) return true;
    return false;
  }

  void push_back(std::string text) { texts_.push_back(std::move(text)); }  ///< at the end

  /// The texts as a vector, which you may change.
  [[nodiscard]] const std::vector<std::string>& vector() const& noexcept { return texts_; }
  [[nodiscard]] std::vector<std::string>& vector() & noexcept { return texts_; }
  [[nodiscard]] std::vector<std::string> vector() && noexcept { return std::move(texts_); }

  friend bool operator==(const Texts&, const Texts&) = default;

 private:
  std::vector<std::string> texts_;
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/text_map.hpp

/// A map with text keys, written as in YAML. `{{"a", "b"}}` is one pair. An extra pair of braces does not
/// compile; a `std::map` of strings would read `{{{"a", "b"}, {"c", "d"}}}` as two ranges of
/// characters.

namespace SCHEDPOL_NAMESPACE {

/// One pair in braces. A text value may be anything that converts to a text.
template <class Value>
struct TextMapEntry {
  /// A pair of two texts, or of a text and a value.
  TextMapEntry(Text of, std::conditional_t<std::is_same_v<Value, std::string>, Text, Value> is)
      : key(of), value(std::move(is)) {}

  Text key;
  std::conditional_t<std::is_same_v<Value, std::string>, Text, Value> value;
};

/// A `std::map` in byte order of its keys. Absent and empty mean the same.
template <class Value>
class TextMap : public std::map<std::string, Value, std::less<>> {
 public:
  using Entry = TextMapEntry<Value>;  ///< one pair

  TextMap() = default;
  /// If two pairs have the same key, the first counts.
  TextMap(std::initializer_list<Entry> entries) {
    for (const Entry& entry : entries) {
      if constexpr (std::is_same_v<Value, std::string>) {
        this->try_emplace(std::string(entry.key.value), std::string(entry.value.value));
      } else {
        this->try_emplace(std::string(entry.key.value), Value(entry.value));
      }
    }
  }
  TextMap(std::initializer_list<std::initializer_list<Entry>>) = delete;  // too many braces
  TextMap& operator=(std::initializer_list<Entry> entries) { return *this = TextMap(entries); }
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/any_or.hpp

/// A policy field that distinguishes absent, any and listed:
/// 1. `{}` is absent: the policy says nothing, so nothing is permitted and nothing is required;
/// 2. `any` is everything. No other spelling means everything;
/// 3. `{...}` lists. An empty list permits nothing: it never turns into `any`.
/// A misplaced brace never turns one of the three into another.

namespace SCHEDPOL_NAMESPACE {

/// The type of `any`. Braces cannot construct one.
class Any {
 public:
  /// A constructor argument that braces alone cannot supply; use `any`.
  enum class Spelled { out };
  constexpr explicit Any(Spelled) noexcept {}
};
inline constexpr Any any{Any::Spelled::out};  ///< everything

/// @cond What the braces of a list may hold: its items, or for a list of texts anything that
/// converts to a text. A structure has no items.
template <class T>
struct ListItem {
  class type {
    type() = delete;
  };
};
template <class T>
  requires requires { typename T::value_type; }
struct ListItem<T> {
  using type = typename T::value_type;
};
template <>
struct ListItem<Texts> {
  using type = Text;
};
template <class Value>
struct ListItem<TextMap<Value>> {
  using type = TextMapEntry<Value>;
};
/// @endcond

/// Absent, any, or a `T`: a list, a map or a structure. After a move, an absent value is still absent.
/// Any other lists nothing, so it permits nothing.
template <class T>
class AnyOr {
 public:
  AnyOr() = default;

  /// Any, or what is listed.
  AnyOr(Any) noexcept : state_(State::everything) {}
  AnyOr(T listed) : state_(State::listed), listed_(std::move(listed)) {}
  AnyOr(std::initializer_list<typename ListItem<T>::type> items)
    requires requires { typename T::value_type; }
      : state_(State::listed), listed_(items) {}
  AnyOr(std::initializer_list<std::initializer_list<typename ListItem<T>::type>>)
    requires std::same_as<T, Texts> || requires { typename T::mapped_type; }
  = delete;  // too many braces

  AnyOr(const AnyOr&) = default;
  AnyOr(AnyOr&& other) noexcept : state_(other.state_), listed_(std::move(other.listed_)) {
    if (other.is_any()) other.state_ = State::listed;
  }
  AnyOr& operator=(const AnyOr& other) { return *this = AnyOr(other); }
  template <std::same_as<AnyOr> Other>  // a template, so that `= {}` picks the copy: absent
  AnyOr& operator=(Other&& other) noexcept {
    state_ = other.state_;
    listed_ = std::move(other.listed_);
    if (other.is_any()) other.state_ = State::listed;
    return *this;
  }
  ~AnyOr() = default;

  /// Which of the three this is.
  [[nodiscard]] bool is_absent() const noexcept { return state_ == State::absent; }
  [[nodiscard]] bool is_any() const noexcept { return state_ == State::everything; }
  [[nodiscard]] bool is_listed() const noexcept { return state_ == State::listed; }

  /// What is listed; empty if this is absent or any.
  [[nodiscard]] const T& listed() const& noexcept { return listed_; }
  [[nodiscard]] T listed() && noexcept { return std::move(listed_); }

  /// The list, for changing. From now on this is listed; if it was any, the list starts empty.
  [[nodiscard]] T& list() & noexcept {
    state_ = State::listed;
    return listed_;
  }

  friend bool operator==(const AnyOr&, const AnyOr&) = default;

 private:
  enum class State : unsigned char { absent, everything, listed };

  State state_ = State::absent;
  T listed_{};  ///< empty unless listed
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/did_you_mean.hpp

/// Finds the known word that a misspelled word was meant to be. The two differ only in upper and lower
/// case, or in at most two letters (one in words of up to three letters) that are missing, added,
/// replaced, or swapped with the next letter.

namespace SCHEDPOL_NAMESPACE {

/// `, did you mean `Exists``: the nearest word in `known`, the first of equally near ones. Empty if no
/// word is near.
[[nodiscard]] std::string did_you_mean(std::string_view word,
                                       std::span<const std::string_view> known);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/field_path.hpp

/// The path of a field in an object: `FieldPath{"spec", "units"}.index(3).child("nodeSelector")`
/// prints as `spec.units[3].nodeSelector`, as the API server spells it. A path is a list of steps: it
/// is compared and extended by steps, becomes text only when printed, and is never parsed from text.
/// Source: apimachinery, `util/validation/field`.

namespace SCHEDPOL_NAMESPACE {

class FieldPath {
 public:
  /// One step down. `name` is valid until the path that it came from is changed or destroyed.
  struct Step {
    /// What the step goes into.
    enum class Kind : unsigned char {
      field,  ///< a field of an object: `.name`
      key,    ///< a key of a map, any text: `[name]`
      index,  ///< an item of a list: `[index]`
    };
    Kind kind = Kind::field;
    std::string_view name{};
    std::size_t index = 0;
  };

  /// The object itself; prints as the empty text.
  FieldPath() = default;

  /// A path of nested fields.
  FieldPath(std::initializer_list<std::string_view> fields);
  explicit FieldPath(std::span<const std::string_view> fields);

  /// One step down: into a field, to a key of a map, to an item of a list.
  [[nodiscard]] FieldPath child(std::string_view field) const&;
  [[nodiscard]] FieldPath child(std::string_view field) &&;
  [[nodiscard]] FieldPath key(std::string_view key) const&;
  [[nodiscard]] FieldPath key(std::string_view key) &&;
  [[nodiscard]] FieldPath index(std::size_t index) const&;
  [[nodiscard]] FieldPath index(std::size_t index) &&;

  void push_back(const Step& step);  ///< extends this path itself

  /// This path followed by `below`, or by nested fields: where they are if their object is here.
  [[nodiscard]] FieldPath join(const FieldPath& below) const;
  [[nodiscard]] FieldPath join(std::initializer_list<std::string_view> fields) &&;

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::vector<Step> steps() const&;  ///< outermost first
  [[nodiscard]] std::vector<Step> steps() && = delete;

  /// The path without its last step; empty if the path is empty.
  [[nodiscard]] FieldPath parent() const;

  /// The path without its first `steps` steps; empty if it has no more than that.
  [[nodiscard]] FieldPath below(std::size_t steps) const;

  /// The path with every list index set to zero. Paths that differ only in indices become equal.
  [[nodiscard]] FieldPath without_indices() const;

  friend bool operator==(const FieldPath&, const FieldPath&) = default;

  /// Compares step by step: fields before keys before indices, names in byte order, indices by number.
  [[nodiscard]] std::strong_ordering operator<=>(const FieldPath& other) const noexcept;

  /// Whether the path prints as `text`.
  [[nodiscard]] bool operator==(std::string_view text) const;

 private:
  friend void append_to(std::string& text, const FieldPath& path);

  void append(std::span<const std::string_view> fields);

  std::string bytes_;  ///< the steps in order, each with its kind and size
};

/// `spec.nodeSelector[disk]`, `spec.tolerations[2].effect`; keys are not escaped.
[[nodiscard]] std::string to_string(const FieldPath& path);

/// Appends `to_string(path)` to `text`.
void append_to(std::string& text, const FieldPath& path);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/optional.hpp

/// The result of a function that may find nothing, and labels that may be absent.

namespace SCHEDPOL_NAMESPACE {

/// A `std::optional` that is safe to read. Reading a missing value says why and ends the program
/// (`std::abort`). A temporary returns no reference or pointer to its value. To set optional labels, use the
/// same braces as for labels.
template <class T>
class Optional : public std::optional<T> {
 public:
  using std::optional<T>::optional;
  Optional(std::optional<T> from) noexcept : std::optional<T>(std::move(from)) {}  // NOLINT
  template <class Map = T>
  Optional(std::initializer_list<typename Map::Entry> entries)
      : std::optional<T>(std::in_place, entries) {}

  [[nodiscard]] const T& operator*() const& noexcept { return *checked(*this); }
  [[nodiscard]] T& operator*() & noexcept { return *checked(*this); }
  [[nodiscard]] T operator*() && noexcept { return *std::move(checked(*this)); }
  [[nodiscard]] const T* operator->() const& noexcept { return &**this; }
  [[nodiscard]] T* operator->() & noexcept { return &**this; }
  T* operator->() && = delete;
  const T* operator->() const&& = delete;

  // std::optional's own comparisons would compare one Optional with the value inside the other:
  // two empty ones would not be equal.
  [[nodiscard]] friend bool operator==(const Optional& left, const Optional& right) {
    return left == static_cast<const std::optional<T>&>(right);
  }
  [[nodiscard]] friend bool operator==(const Optional& left, const std::optional<T>& right) {
    return static_cast<const std::optional<T>&>(left) == right;
  }
  [[nodiscard]] friend bool operator==(const Optional& left, const auto& value) {
    return static_cast<const std::optional<T>&>(left) == value;
  }

 private:
  template <class Self>
  static auto& checked(Self& self) noexcept {
    if (!self.has_value()) end_program("the value of an Optional that has none was asked for");
    if constexpr (std::is_const_v<Self>) {
      return static_cast<const std::optional<T>&>(self);
    } else {
      return static_cast<std::optional<T>&>(self);
    }
  }
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/field_error.hpp

/// What is wrong with an object, and where: the error types and field paths of the Kubernetes API
/// server (apimachinery, `util/validation/field`). Errors are data; only `message` makes text of them.

namespace SCHEDPOL_NAMESPACE {

/// The API server's error types, spelled by `to_string` as in a Status object's causes.
enum class ErrorType {
  required,       ///< a value is missing, or empty where it must not be
  invalid,        ///< a value breaks its syntax or its bounds
  not_supported,  ///< a value is not one of the known words
  forbidden,      ///< a field must not be set, given the others
  duplicate,      ///< a value is listed twice, or a name is used twice
  too_long,       ///< more bytes than permitted
  too_many,       ///< more entries than permitted
  type_invalid,   ///< a value has the wrong JSON type
};

[[nodiscard]] std::string_view to_string(ErrorType type) noexcept;

/// One problem of an object. `field` is the path in the object as its author wrote it
/// (`spec.allowed.tolerations[2].effects[0]`), `bad_value` the value there (empty if there is
/// none), `detail` what the value should be.
struct FieldError {
  ErrorType type = ErrorType::invalid;
  FieldPath field{};
  std::string bad_value{};
  std::string detail{};

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks. An error without a field
/// is about the whole document; its message is the detail alone.
[[nodiscard]] std::string message(const FieldError& error);

/// Ends the program, because it asked for the value of a result that has these errors instead.
[[noreturn]] void end_program(const std::vector<FieldError>& errors) noexcept;

/// A value, or every problem that kept it from being built, with the names of `std::expected`. True means
/// that there is a value. There are errors exactly if there is no value, unless they were moved out. A
/// caller that asks for a missing value or error has a bug: the program says why and ends
/// (`std::abort`). So no caller takes an empty object for an admitted one. A temporary result returns
/// its value by value, never a reference.
template <class T>
class Result {
 public:
  /// A result with a value.
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  /// A result with a default-constructed value, to be filled in place.
  explicit Result(std::in_place_t) : value_(std::in_place) {}

  /// No value. Callers that look only at the list would take an empty one for success, so one error
  /// without details replaces it.
  Result(std::vector<FieldError> errors)  // NOLINT(google-explicit-constructor)
      : errors_(std::move(errors)) {
    if (errors_.empty()) errors_.push_back(FieldError{});
  }

  [[nodiscard]] explicit operator bool() const noexcept { return value_.has_value(); }
  /// The same as `operator bool`.
  [[nodiscard]] bool has_value() const noexcept { return value_.has_value(); }

  /// Every problem; empty if there is a value.
  [[nodiscard]] const std::vector<FieldError>& errors() const& noexcept { return errors_; }
  [[nodiscard]] std::vector<FieldError> errors() && noexcept { return std::move(errors_); }

  /// The first error. Call it only if the result is false.
  [[nodiscard]] const FieldError& error() const& noexcept {
    if (errors_.empty()) end_program("the error of a Result that has none was asked for");
    return errors_.front();
  }
  [[nodiscard]] FieldError error() && noexcept { return std::as_const(*this).error(); }

  /// The value. Call it only if the result is true.
  [[nodiscard]] const T& value() const& noexcept {
    if (!value_) end_program(errors_);
    return *value_;
  }
  [[nodiscard]] T& value() & noexcept {
    if (!value_) end_program(errors_);
    return *value_;
  }
  [[nodiscard]] T value() && noexcept { return std::move(value()); }
  [[nodiscard]] const T& operator*() const& noexcept { return value(); }
  [[nodiscard]] T& operator*() & noexcept { return value(); }
  [[nodiscard]] T operator*() && noexcept { return std::move(value()); }
  [[nodiscard]] const T* operator->() const& noexcept { return &value(); }
  const T* operator->() const&& = delete;

 private:
  std::optional<T> value_;
  std::vector<FieldError> errors_;
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/shared.hpp

/// How classes hold their implementation. All copies of a compiled form (matcher, policies, `Engine`)
/// share one immutable object, so copies are cheap and any number of threads may use them. The results
/// of `with` and `without` share what stays the same: to replace one policy of ten thousand costs a small
/// part of compiling all. Each mutable value (table, cluster) has its own object, and a copy copies that
/// object; any number of threads may read a value while none changes it. Implementations stay out of the
/// public headers. So does `<memory>`, which alone would cost a user's file a quarter of what all other
/// standard headers cost together.

namespace SCHEDPOL_NAMESPACE {

/// A shared object with the count of its owners.
class SharedObject;

/// One of the owners of an object, whatever its type.
class SharedOwner {
 public:
  SharedOwner() noexcept = default;
  SharedOwner(const SharedOwner& other) noexcept;
  SharedOwner(SharedOwner&& other) noexcept : object_(other.object_) { other.object_ = nullptr; }
  SharedOwner& operator=(const SharedOwner& other) noexcept;
  SharedOwner& operator=(SharedOwner&& other) noexcept;
  ~SharedOwner();

 protected:
  /// Takes over an object whose owner count is one.
  explicit SharedOwner(SharedObject* object) noexcept : object_(object) {}

  [[nodiscard]] SharedObject* object() const noexcept { return object_; }  ///< or null
  [[nodiscard]] SharedOwner copied() const;  ///< the owner of a copy of the object

 private:
  SharedObject* object_ = nullptr;
};

/// No object if default-constructed or moved from. `T` needs to be complete only where an object is
/// made or read.
template <class T>
class Shared : public SharedOwner {
 public:
  Shared() noexcept = default;

  /// Shares `value` from now on.
  explicit Shared(T value);

  [[nodiscard]] explicit operator bool() const noexcept { return object() != nullptr; }

  /// Only where there is an object.
  [[nodiscard]] const T& operator*() const noexcept;
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }

 private:
  struct Value;
};

/// The same with a mutable object; a copy has its own copy of it.
template <class T>
class Owned : private SharedOwner {
 public:
  Owned() noexcept = default;
  Owned(const Owned& other) : SharedOwner(other.copied()) {}
  Owned(Owned&& other) noexcept = default;
  Owned& operator=(const Owned& other) { return *this = Owned(other); }
  Owned& operator=(Owned&& other) noexcept = default;
  ~Owned() = default;

  /// Takes over `value`.
  explicit Owned(T value);

  [[nodiscard]] explicit operator bool() const noexcept { return object() != nullptr; }

  /// Only where there is an object.
  [[nodiscard]] T& operator*() noexcept;
  [[nodiscard]] const T& operator*() const noexcept;
  [[nodiscard]] T* operator->() noexcept { return &**this; }
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/names.hpp

/// The names in an answer: of the policies behind it, or of what would have been permitted. A
/// thousand violations may name the same four thousand policies, so all copies share one immutable
/// list. If there are too many names to list, this holds the first of them and the number of the
/// rest.

namespace SCHEDPOL_NAMESPACE {

class Names {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;

  Names() noexcept = default;
  Names(std::initializer_list<Text> names);                            ///< all of the names
  Names(std::initializer_list<std::initializer_list<Text>>) = delete;  // too many braces
  Names(const Names&) noexcept = default;
  Names(Names&&) noexcept = default;
  Names& operator=(const Names&) noexcept = default;
  template <std::same_as<Names> Other>  // a template, so that `= {}` picks the copy
  Names& operator=(Other&& other) noexcept {
    list_ = std::move(other.list_);
    more_ = other.more_;
    return *this;
  }
  ~Names() = default;

  /// The names in a vector, and the number of further ones. Braces never convert to this vector.
  template <std::same_as<std::vector<std::string>> Vector>
  Names(Vector names, std::size_t more = 0) : Names(Texts(std::move(names)), more) {}
  explicit Names(Texts names, std::size_t more = 0);  ///< these, and `more` that are not listed

  [[nodiscard]] bool empty() const noexcept { return !list_; }
  [[nodiscard]] std::size_t size() const noexcept { return vector().size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return vector().begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return vector().end(); }

  /// `index` must be less than the size. Valid as long as any copy of this list exists.
  [[nodiscard]] const std::string& operator[](std::size_t index) const& noexcept {
    return vector()[index];
  }

  /// The number of names beyond those listed.
  [[nodiscard]] std::size_t more() const noexcept { return more_; }

  [[nodiscard]] const std::vector<std::string>& vector() const& noexcept;  ///< the listed names
  [[nodiscard]] std::vector<std::string> vector() &&;

  [[nodiscard]] friend bool operator==(const Names& a, const Names& b) noexcept {
    return a.more_ == b.more_ && a.vector() == b.vector();
  }

 private:
  Shared<Texts> list_;  ///< no object if nothing is listed
  std::size_t more_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/open_enum.hpp

/// Words of a fixed Kubernetes vocabulary (operators, taint effects) as enumerators. A word outside
/// the vocabulary keeps its text. The API server would refuse an object with such a word, but a
/// webhook or an offline check sees the object earlier. An unknown word matches nothing, validation
/// reports it, and encoding writes it back unchanged.

namespace SCHEDPOL_NAMESPACE {

/// An enumerator of `Word`, or the unknown text found in its place.
///
/// `Word` has `unset` (the empty text) first and `unknown` last. A function `spellings(Word)`
/// lists the texts of all enumerators except `unknown`, in order. Spellings are case-sensitive,
/// as in Kubernetes. A `Word` converts to it, so you can write
/// `{.key = "gpu", .operator_ = TolerationOperator::exists}`.
template <class Word>
class OpenEnum {
  static_assert(std::is_enum_v<Word>);
  static_assert(static_cast<std::size_t>(Word::unset) == 0);
  static_assert(static_cast<std::size_t>(Word::unknown) == spellings(Word{}).size());

 public:
  constexpr OpenEnum() noexcept = default;
  /// The word itself. `unknown`, and a number that is not an enumerator, get the text `unknown`.
  constexpr OpenEnum(Word word) noexcept  // NOLINT(google-explicit-constructor)
      : word_(static_cast<std::size_t>(word) < known_texts.size() ? word : Word::unknown) {
    if (!known()) unknown_text_ = "unknown";  // the empty text would mean `unset`
  }

  /// Reads a spelling; anything else becomes `Word::unknown` and keeps its text.
  constexpr explicit OpenEnum(std::string_view text) { read(text); }
  /// Reads a spelling into this object.
  constexpr void read(std::string_view text) {
    const auto is = [text](std::string_view known) {
      return text.size() == known.size() &&
             std::char_traits<char>::compare(text.data(), known.data(), known.size()) == 0;
    };
    const auto find = [&]<std::size_t... i>(std::index_sequence<i...>) {
      return ((is(spellings(Word{})[i]) && (word_ = static_cast<Word>(i), true)) || ...);
    };
    const bool found = find(std::make_index_sequence<spellings(Word{}).size()>());
    unknown_text_.clear();
    if (found) return;
    word_ = Word::unknown;
    unknown_text_ = text;
  }

  /// The word, and whether it is in the vocabulary.
  [[nodiscard]] constexpr Word word() const noexcept { return word_; }
  [[nodiscard]] constexpr bool known() const noexcept { return word_ != Word::unknown; }

  /// The spelling, or the unknown text; valid until this object is changed or destroyed.
  [[nodiscard]] constexpr std::string_view text() const& noexcept {
    return known() ? known_texts[static_cast<std::size_t>(word_)] : std::string_view(unknown_text_);
  }
  std::string_view text() const&& = delete;  // the view would outlive its text

  friend constexpr bool operator==(const OpenEnum&, const OpenEnum&) = default;
  friend constexpr bool operator==(const OpenEnum& a, Word b) noexcept { return a.word_ == b; }

 private:
  static constexpr auto known_texts = spellings(Word{});

  Word word_ = Word::unset;
  std::string unknown_text_;
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/text_limits.hpp

/// Limits on the texts of errors, violations and changes. Other limits are in `core/limits.hpp`.

namespace SCHEDPOL_NAMESPACE {

/// Bytes of input that a text shows; longer input is cut and ends with `...`.
inline constexpr std::size_t max_shown_bytes = 512;

/// Names or values that a text lists before it counts the rest; fewer if together they have more than
/// `max_shown_bytes`. Also the most changes that a fix at the end of a denial may have.
inline constexpr std::size_t max_shown_names = 5;

/// Bytes of the longest word that `did_you_mean` compares with the known ones. A longer word gets no
/// suggestion. The longest field name has 47 bytes.
inline constexpr std::size_t max_meant_bytes = 48;

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/quoting.hpp

/// How the texts of errors, violations and changes show input: between backticks, on one line, at
/// most `max_shown_bytes` long. Objects are untrusted, and these texts end up in logs and on
/// terminals.

namespace SCHEDPOL_NAMESPACE {

/// The length in bytes of the first character of `text`, if it must not be shown as it is. That holds
/// for control characters (ASCII, and U+0080 to U+009F, which terminals obey too), line and paragraph
/// separators (U+2028, U+2029), and characters that change the text direction, so that a line seems
/// to say something else (Unicode's Bidi_Control: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to
/// U+2069). Zero for any other first character, and for an empty text.
[[nodiscard]] std::size_t unprintable_bytes(std::string_view text) noexcept;

/// ASCII characters that separate the parts of a text, so they get a backslash inside a part. Most sets
/// are compile-time constants.
class Separators {
 public:
  /// All characters of a literal, a string or a string view.
  template <std::convertible_to<std::string_view> T>
  constexpr Separators(const T& all) noexcept {  // NOLINT(google-explicit-constructor)
    for (const char c : std::string_view(all)) {
      const auto byte = static_cast<unsigned char>(c);
      special_[byte / 64U] |= std::uint64_t{1} << (byte % 64U);
    }
  }

  /// Whether a byte may need escaping: a separator, a backslash, a control character or a byte
  /// outside ASCII.
  [[nodiscard]] constexpr bool is_special(char c) const noexcept {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x80 || (special_[byte / 64U] >> (byte % 64U) & 1U) != 0;
  }

 private:
  /// One bit for each ASCII character.
  std::uint64_t special_[2] = {0xFFFF'FFFFU,
                               std::uint64_t{1} << 63U | std::uint64_t{1} << ('\\' % 64U)};
};

/// Appends `part` with a backslash before each separator and each backslash. The bytes of
/// unprintable characters (`unprintable_bytes`) are in hexadecimal. Two different values never have
/// the same text, and no value breaks the line.
void append_escaped(std::string& text, std::string_view part, const Separators& separators);

/// `input` between backticks, escaped by `append_escaped` with the backtick as separator. Input
/// longer than `max_shown_bytes` is cut, never inside a UTF-8 sequence.
[[nodiscard]] std::string in_backticks(std::string_view input);

/// `a`, `b` and `c`; with more than `max_shown_names` names, `a`, `b`, `c`, `d`, `e` and 55 more;
/// empty without names.
[[nodiscard]] std::string in_backticks(const Names& names);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/labels.hpp

/// Labels, and Kubernetes' other maps from text to text (annotations, nodeSelector). `validation.hpp`
/// says which keys and values are valid.

namespace SCHEDPOL_NAMESPACE {

/// Labels or annotations, by key.
using Labels = TextMap<std::string>;

/// The value of a label, or null if there is no such label. A label may have an empty value.
[[nodiscard]] const std::string* find_label(const Labels& labels, std::string_view key) noexcept;
const std::string* find_label(const Labels&& labels, std::string_view key) = delete;

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/label_selector.hpp

/// Label selectors (meta/v1 LabelSelector) and how they match labels:
/// 1. an absent selector selects nothing, an empty one everything;
/// 2. otherwise all of matchLabels and all of matchExpressions must hold;
/// 3. In: the key has one of the listed values. NotIn: it does not, or the key is missing.
///    Exists, DoesNotExist: only the key counts.
///
/// `compile` reports all problems of a selector once. The result then matches without errors.
/// Source: apimachinery, `LabelSelectorAsSelector`.

namespace SCHEDPOL_NAMESPACE {

/// The operators of `matchExpressions`.
enum class LabelSelectorOperator { unset, in, not_in, exists, does_not_exist, unknown };

constexpr std::array<std::string_view, 5> spellings(LabelSelectorOperator) noexcept {
  return {"", "In", "NotIn", "Exists", "DoesNotExist"};
}

/// In and NotIn have at least one of `values`; Exists and DoesNotExist have none.
struct LabelSelectorRequirement {
  std::string key{};
  OpenEnum<LabelSelectorOperator> operator_{};
  Texts values{};

  friend bool operator==(const LabelSelectorRequirement&,
                         const LabelSelectorRequirement&) = default;
};

/// An absent selector is an empty optional; a default-constructed one is `{}`.
struct LabelSelector {
  Labels match_labels{};
  std::vector<LabelSelectorRequirement> match_expressions{};

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

/// What a selector matches. The values of labels have a syntax; those of annotations are free
/// text.
enum class SelectedValues { labels, annotations };

/// A label selector compiled for matching. A default-constructed one is the absent selector.
class LabelMatcher {
 public:
  LabelMatcher() = default;

  [[nodiscard]] bool matches(const Labels& labels) const noexcept;  ///< by the rules above

 private:
  friend class NodeTable;
  friend Result<LabelMatcher> compile(const std::optional<LabelSelector>&, const FieldPath&,
                                      SelectedValues);

  struct Impl;
  Shared<Impl> impl_;  ///< without an object, selects nothing
};

/// Builds the matcher of a selector, or reports every problem with a path below `field`: an invalid
/// label key or value, an unknown operator, In or NotIn without values, Exists or DoesNotExist with
/// values, more than `max_selector_requirements` pairs and expressions, or an expression with more
/// than `max_expression_values` values.
[[nodiscard]] Result<LabelMatcher> compile(const std::optional<LabelSelector>& selector,
                                           const FieldPath& field = {},
                                           SelectedValues selected = SelectedValues::labels);

/// One selector on one line: `{app=x, tier In [web, db]}`; absent: `none`. Different selectors have
/// different texts.
[[nodiscard]] std::string to_string(const std::optional<LabelSelector>& selector);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/node_selector.hpp

/// Node selectors (core/v1). `node.hpp` says how they match a node.

namespace SCHEDPOL_NAMESPACE {

/// The operators of `matchExpressions` and `matchFields`.
enum class NodeSelectorOperator { unset, in, not_in, exists, does_not_exist, gt, lt, unknown };

constexpr std::array<std::string_view, 7> spellings(NodeSelectorOperator) noexcept {
  return {"", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
}

/// In and NotIn have at least one of `values`; Gt and Lt have exactly one, an integer; Exists and
/// DoesNotExist have none.
struct NodeSelectorRequirement {
  std::string key{};
  OpenEnum<NodeSelectorOperator> operator_{};
  Texts values{};

  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

/// `match_expressions` are about a node's labels, `match_fields` about its fields (`metadata.name`).
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions{};
  std::vector<NodeSelectorRequirement> match_fields{};

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// Whether the term has neither matchExpressions nor matchFields.
[[nodiscard]] bool is_empty(const NodeSelectorTerm& term) noexcept;

struct NodeSelector {
  std::vector<NodeSelectorTerm> node_selector_terms{};

  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

/// One requirement on one line: `disk In [ssd, nvme]`, `gpu Exists`. Different requirements have
/// different texts.
[[nodiscard]] std::string to_string(const NodeSelectorRequirement& requirement);

/// One term on one line, its requirements joined by `&`, fields marked `field`; `()` when empty.
[[nodiscard]] std::string to_string(const NodeSelectorTerm& term);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/affinity.hpp

/// Node affinity, pod affinity and pod anti-affinity (core/v1). For each kind, a node must meet the
/// required terms; the preferred terms only add to its score.

namespace SCHEDPOL_NAMESPACE {

/// The field names of the two modes of affinity.
inline constexpr std::string_view required_mode = "requiredDuringSchedulingIgnoredDuringExecution";
inline constexpr std::string_view preferred_mode =
    "preferredDuringSchedulingIgnoredDuringExecution";

/// Whether the API server accepts the weight of a preferred term: 1 to 100.
[[nodiscard]] constexpr bool is_valid_weight(std::int32_t weight) noexcept {
  return weight >= 1 && weight <= 100;
}

/// An empty preference matches no node. A preference with an invalid weight adds nothing to a score.
struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference{};

  friend bool operator==(const PreferredSchedulingTerm&, const PreferredSchedulingTerm&) = default;
};

/// The nodes that a pod requires, and those that it prefers.
struct NodeAffinity {
  std::optional<NodeSelector> required_during_scheduling_ignored_during_execution{};
  std::vector<PreferredSchedulingTerm> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

/// `pod_affinity.hpp` says which pods a term selects.
struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector{};
  Texts namespaces{};
  std::string topology_key{};
  std::optional<LabelSelector> namespace_selector{};
  Texts match_label_keys{};
  Texts mismatch_label_keys{};

  friend bool operator==(const PodAffinityTerm&, const PodAffinityTerm&) = default;
};

/// `weight` is 1 to 100.
struct WeightedPodAffinityTerm {
  std::int32_t weight = 0;
  PodAffinityTerm pod_affinity_term{};

  friend bool operator==(const WeightedPodAffinityTerm&, const WeightedPodAffinityTerm&) = default;
};

/// The pods that a pod must run beside, and those that it prefers to run beside.
struct PodAffinity {
  std::vector<PodAffinityTerm> required_during_scheduling_ignored_during_execution{};
  std::vector<WeightedPodAffinityTerm> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const PodAffinity&, const PodAffinity&) = default;
};

/// The same fields as PodAffinity, with the opposite meaning.
using PodAntiAffinity = PodAffinity;

struct Affinity {
  std::optional<NodeAffinity> node_affinity{};
  std::optional<PodAffinity> pod_affinity{};
  std::optional<PodAntiAffinity> pod_anti_affinity{};

  friend bool operator==(const Affinity&, const Affinity&) = default;
};

/// Whether there is a term in either mode. Absent, `{}` and empty lists have none.
[[nodiscard]] bool has_terms(const std::optional<NodeAffinity>& affinity) noexcept;
[[nodiscard]] bool has_terms(const std::optional<PodAffinity>& affinity) noexcept;

/// One term on one line: its topology key, the selectors of pods and namespaces, and the label keys.
[[nodiscard]] std::string to_string(const PodAffinityTerm& term);

/// An affinity on one line, its terms in order: `required (disk In [ssd]), preferred 5
/// (zone Exists)`. Affinities with different terms have different texts.
[[nodiscard]] std::string to_string(const NodeAffinity& affinity);
[[nodiscard]] std::string to_string(const PodAffinity& affinity);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/object_meta.hpp

/// The metadata of every Kubernetes object (meta/v1 ObjectMeta), as far as policies need it.

namespace SCHEDPOL_NAMESPACE {

/// A reference from an object to its owner.
struct OwnerReference {
  std::string api_version{};
  std::string kind{};
  std::string name{};
  bool controller = false;  ///< whether the owner manages the object; at most one owner does

  friend bool operator==(const OwnerReference&, const OwnerReference&) = default;
};

/// `namespace_` is empty for cluster-scoped objects, and if the author left it out (see `namespace_of`).
struct ObjectMeta {
  std::string name{};
  std::string namespace_{};
  std::string uid{};  ///< differs from that of any earlier or later object of the same name
  Labels labels{};
  Labels annotations{};
  std::string deletion_timestamp{};  ///< not empty: the object is being deleted
  std::vector<OwnerReference> owner_references{};

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

/// An object as it was before an update. This is a type of its own, so that a caller cannot mix up the
/// old and the new object.
template <class T>
class Old {
 public:
  Old() = default;
  explicit Old(T was) : object(std::move(was)) {}  ///< the object before the update

  T object{};  ///< the object before the update

  friend bool operator==(const Old&, const Old&) = default;
};

/// A Namespace, for policies that select namespaces.
struct Namespace {
  ObjectMeta metadata{};

  friend bool operator==(const Namespace&, const Namespace&) = default;
};

/// The namespace of a namespaced object that names none: kubectl and other clients put such an object
/// there.
inline constexpr std::string_view default_namespace = "default";

/// The name, or `default` if the name is empty. So an object that names no namespace does not escape
/// the policies of a namespace.
[[nodiscard]] constexpr std::string_view namespace_or_default(std::string_view name) noexcept {
  return name.empty() ? default_namespace : name;
}

/// The namespace of a namespaced object; valid as long as the object.
[[nodiscard]] inline std::string_view namespace_of(const ObjectMeta& metadata) noexcept {
  return namespace_or_default(metadata.namespace_);
}
std::string_view namespace_of(const ObjectMeta&& metadata) = delete;
/// The name of a namespace, or `default` if it has none.
[[nodiscard]] inline std::string_view namespace_of(const Namespace& in) noexcept {
  return namespace_or_default(in.metadata.name);
}
std::string_view namespace_of(const Namespace&& in) = delete;

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/limits.hpp

/// Every limit that input can reach; `base/text_limits.hpp` has those of texts. Objects are untrusted,
/// so everything that could cost more than in proportion to its size has a limit. Input or a result beyond
/// a limit is an error where it is read or made, unless the limit says otherwise.

namespace SCHEDPOL_NAMESPACE {

// Syntax of names and labels, with the API server's limits.

inline constexpr std::size_t max_label_name_bytes = 63;   ///< without the prefix
inline constexpr std::size_t max_label_value_bytes = 63;  ///< a value may be empty
inline constexpr std::size_t max_subdomain_bytes = 253;   ///< of most names, and of prefixes
inline constexpr std::size_t max_label_key_bytes =
    max_subdomain_bytes + 1 + max_label_name_bytes;  ///< with the prefix

// Policies. Real ones stay far below these limits.

/// Bytes of the spec of a policy: the bytes of its texts plus `policy_text_bytes` for each text, and
/// `policy_entry_bytes` for each pair and each other list item. About as much as 256 KiB of YAML.
inline constexpr std::size_t max_policy_bytes = std::size_t{256} << 10U;
inline constexpr std::size_t policy_text_bytes = 8;
inline constexpr std::size_t policy_entry_bytes = 32;

/// Pairs and expressions of one label selector. A check whether two selectors overlap needs all of them.
inline constexpr std::size_t max_selector_requirements = 256;

/// Values of one expression. Somebody may list the names of all nodes, up to 5,000 in a cluster.
inline constexpr std::size_t max_expression_values = 8192;

/// matchLabelKeys of a ResourcePolicy. Each pod is counted by its values of all of these keys.
inline constexpr std::size_t max_match_label_keys = 16;

/// Units of a ResourcePolicy. Each pod and each node is checked against all of them.
inline constexpr std::size_t max_units = 64;

/// Resources that a unit of a ResourcePolicy limits.
inline constexpr std::size_t max_unit_resources = 32;

// Quantities.

/// Bytes of the longest text that is read as a quantity. A longer text is malformed.
inline constexpr std::size_t max_quantity_bytes = 1024;

/// The largest power of ten after `e`, positive or negative. A larger one is malformed.
inline constexpr std::int32_t max_quantity_power = 1024;

// Documents.

/// Bytes of the largest document that is read.
inline constexpr std::size_t max_document_bytes = std::size_t{16} << 20U;

/// Levels of nesting of the deepest document that is read.
inline constexpr std::size_t max_document_depth = 256;

/// Tolerations in one list of a document. A merge of two lists compares all pairs.
inline constexpr std::size_t max_tolerations = 2048;

/// Taints in one list of a document; nodes have a few. Each is compared with each toleration.
inline constexpr std::size_t max_taints = 128;

/// Resources that one pod of a document names, in all its containers and at pod level. Real pods name
/// about five; a node with every kind of device has about twenty.
inline constexpr std::size_t max_pod_resources = 128;

/// Errors reported for one document. The search for errors stops there.
inline constexpr std::size_t max_reported_errors = 100;

/// Violations of one pod, or findings of one analysis, written as JSON. Beside them is the number of the rest.
inline constexpr std::size_t max_reported_violations = 1000;

/// Objects in all lists of one document: this many in any document, and in a larger one, one for each
/// `min_bytes_of_listed` bytes. If there are more, most of them are empty, and reading them costs more
/// than sending them.
inline constexpr std::size_t max_listed_objects = 4096;
inline constexpr std::size_t min_bytes_of_listed = 32;

/// Bytes that all copy operations of a JSON Patch may copy together. A longer document permits its own size.
inline constexpr std::size_t max_copied_bytes = std::size_t{1} << 20U;

/// Bytes that all operations of a JSON Patch go through. Each goes through the document and all that was
/// added to it. So 1.5 MB, etcd's limit, permits 178 operations; 26 KB permits the API server's 10,000.
inline constexpr std::size_t max_patched_bytes = std::size_t{1} << 28U;

/// Pairs of items compared to find the shortest patch of a list. With more, items change index by index.
inline constexpr std::size_t max_list_edit_cells = 4096;

/// Requirements by which a patch recognizes a changed node selector term: the first of its
/// matchExpressions and the first of its matchFields. Real terms have about five.
inline constexpr std::size_t max_compared_requirements = 32;

/// Findings that the writer of a policy gets as warnings; the rest are only counted.
inline constexpr std::size_t max_finding_warnings = 10;

// Injection.

/// Items that all policies together give to one pod. It is also the limit for what the pod's class and the
/// cluster policies give without permission. Items are nodeSelector pairs, tolerations, expressions of
/// node selector terms, pod affinity terms and names; a policy counts as at least one. Each item of the
/// pod is compared with all of them. Real pods get tens. A policy or class with more is invalid; a pod
/// that gets more from several is denied.
inline constexpr std::size_t max_given_items = 1024;

/// Required node selector terms that a pod may have after injection. A policy that adds more is an error.
inline constexpr std::size_t max_node_selector_terms = 1024;

/// Bytes of the required node selector terms that policies make for one pod, summed over all policies.
/// The terms of each policy contain those of the policies before it.
inline constexpr std::size_t max_merged_term_bytes = std::size_t{8} << 20U;

// Counting. The cost of a ResourcePolicy is one, plus one for each unit, two for each resource that
// its units limit, and four for each of its matchLabelKeys. A pod that the policy counts takes up
// to 40 bytes times this cost.

/// Nodes and pods of one request, times the cost of all ResourcePolicies, or times the required pod affinity
/// terms and spread constraints of all pods. At worst every policy counts each pod, by values of its own.
inline constexpr std::size_t max_counted_pairs = std::size_t{1} << 23U;

/// The cost of the ResourcePolicies of one namespace in an `AssumeCache`. However the policies overlap, a
/// pod takes up to 80 KB. This is enough for 250 policies with three units and one of matchLabelKeys
/// each.
inline constexpr std::size_t max_namespace_counting_cost = 2048;

/// The cost of all ResourcePolicies plus `planned_steps_beside`, times the replicas and the nodes of a
/// `resourcePolicy.plan`.
inline constexpr std::size_t max_planned_steps = std::size_t{1} << 26U;
inline constexpr std::size_t planned_steps_beside = 4;

/// Bytes that each replica of a plan counts as, besides its pod and the name of a node. All replicas
/// together count at most `max_document_bytes`.
inline constexpr std::size_t planned_replica_bytes = 512;

// Comparisons.

/// Comparisons for the node affinity of a pod. Each value counts once for each pattern of the key with the
/// most patterns, and again for each required pattern; terms, expressions and required patterns count as
/// one more each. Terms beyond the limit are not permitted and meet no requirement. Real pods have about a
/// thousand values, and a key a few patterns. The limit also bounds the product of the expressions of the
/// pod, a default and what is exempt: beyond it, no term is permitted as a default with exempt expressions.
inline constexpr std::size_t max_matched_values = std::size_t{1} << 24U;

// Insight.

/// Steps of one analysis, impact, comparison or fix. A step takes about 20 ns, whatever the input, so
/// all steps take a third of a second. A request asks for up to five such answers.
inline constexpr std::size_t max_insight_steps = 16'000'000;

/// Bytes that one of these keeps besides its input. A request of 1 MB may use 64 MB, and its own
/// objects take half of that.
inline constexpr std::size_t max_insight_bytes = std::size_t{24} << 20U;

/// Lists of terms in one mode of affinity: how many a comparison combines with all lists of the other
/// mode, and to how many it adds exempt terms. It takes the first ones, which include every sort of list.
/// It misses a difference that shows only with a later one; to combine all would be quadratic.
inline constexpr std::size_t compared_lists_beside = 13;
inline constexpr std::size_t compared_lists_with_exempt = 7;

/// Node selector pairs that a comparison combines, one at a time, with the defaults of node affinity,
/// which a pair may contradict. It misses a difference that shows only with a later pair or with
/// several pairs.
inline constexpr std::size_t compared_pairs = 64;

/// Objects or outcomes with the same hash that an impact compares a new one with: the latest ones. With
/// more hash collisions than that, the impact may fail to recognize equal ones.
inline constexpr std::size_t max_alike_compared = 8;

/// Steps of the analysis of a policy that is being written, and the further steps for each of its texts:
/// 3 ms for a small policy beside about 8,000 others, 150 ms for the largest. The API server waits for it.
inline constexpr std::size_t max_written_policy_steps = 160'000;
inline constexpr std::size_t written_policy_steps_a_text = 512;

/// Steps to find the fix at the end of a denial: half a millisecond, because a user waits for the denial.
inline constexpr std::size_t max_denial_fix_steps = 25'000;

/// Requirements on tolerations that one fix meets. One toleration may meet several, so a fix searches
/// all sets of requirements for the fewest tolerations.
inline constexpr std::size_t max_fixed_requirements = 16;

/// Lists of required node selector terms that a fix tries: those one edit away from the pod's list,
/// besides the lists that the rules suggest.
inline constexpr std::size_t max_single_edits = 256;

// Decisions.

/// Rounds in which the systems are asked about an object. Each round starts from the result of the one
/// before. A pod or template that still changes is then judged as it stands, and may be denied; other
/// metadata is accepted as it stands.
inline constexpr int max_decision_rounds = 8;

/// Levels of controllers that `Owners` follows from an object to its outermost controller. Kubernetes has
/// two levels; a cycle of controllers has no end.
inline constexpr int max_owner_levels = 8;

/// Policy names in all grants that are resolved in advance. With more, each grant is resolved for each
/// pod, with the same answer.
inline constexpr std::size_t max_granted_names = 1'000'000;

/// Bytes of the policies in all grants that are merged in advance, counted as for `max_policy_bytes`, once
/// for each grant. With more, policies are merged for each pod. A merged policy is about fifteen times as
/// large, so memory stays near 100 MB. Real clusters have about a hundred grants of a few KB.
inline constexpr std::size_t max_merged_policy_bytes = std::size_t{8} << 20U;

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/quantity.hpp

/// Quantities of resources (apimachinery, `api/resource`): the whole grammar and exact comparison.
///
///     quantity = [+-] number suffix
///     number   = digits with at most one dot, either side of which may be empty
///     suffix   = n u m "" k M G T P E      powers of a thousand
///              | Ki Mi Gi Ti Pi Ei         powers of 1024
///              | (e | E) [+-] digits       a power of ten
///
/// As in Kubernetes, a value is rounded away from zero to a multiple of a billionth, and a value with
/// a binary suffix is at most 2^63-1. A number without digits is zero (`Gi`), except before Pi, Ei or
/// a power below 10^-9, where it is malformed. Unlike Kubernetes, this refuses white space anywhere,
/// even in a quoted quantity.

namespace SCHEDPOL_NAMESPACE {

/// A number with the text that it was read from; `0` by default. Quantities are equal if their values
/// are: `1`, `1000m` and `1e0` are equal.
class Quantity {
 public:
  Quantity() = default;

  /// Reads a quantity. Nothing if the text is empty, longer than `max_quantity_bytes` or otherwise
  /// malformed: an unknown suffix, white space, a power of ten beyond `max_quantity_power`.
  [[nodiscard]] static Optional<Quantity> parse(std::string_view text);

  /// The text it was read from. A copy, because the quantity may be a temporary.
  [[nodiscard]] std::string text() const { return text_; }
  [[nodiscard]] bool is_zero() const noexcept { return digits_.empty(); }

  /// The value in units and in thousandths, rounded away from zero like Kubernetes' `Value` and
  /// `MilliValue`. On overflow, the nearest int64.
  [[nodiscard]] std::int64_t value() const noexcept { return scaled(0); }
  [[nodiscard]] std::int64_t milli_value() const noexcept { return scaled(3); }

  /// The exact sum and difference. Their text is plain digits and a power of ten.
  [[nodiscard]] Quantity operator+(const Quantity& other) const;
  [[nodiscard]] Quantity operator-(const Quantity& other) const;

  [[nodiscard]] bool operator==(const Quantity& other) const noexcept;
  [[nodiscard]] std::strong_ordering operator<=>(const Quantity& other) const noexcept;

 private:
  /// The value times ten to the `power`, rounded away from zero, within int64.
  [[nodiscard]] std::int64_t scaled(std::int64_t power) const noexcept;

  struct Arithmetic;

  std::string text_ = "0";
  /// No zeros at either end. The value is these digits times ten to the exponent.
  std::string digits_{};
  std::int64_t exponent_ = 0;
  bool negative_ = false;
};

/// Quantities by resource name.
using ResourceList = TextMap<Quantity>;

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/toleration.hpp

/// Taints and tolerations (core/v1): which tolerations tolerate a taint or cover another toleration,
/// and the union of two lists. Lt and Gt match as with KEP-5471's feature gate on; `validation.hpp`
/// says whether a cluster accepts them. Sources: core/v1 `Toleration.ToleratesTaint`,
/// KEP-5471, and the toleration merge of the RuntimeClass admission plugin.

namespace SCHEDPOL_NAMESPACE {

/// In a toleration `unset` means every effect. A taint always has an effect.
enum class TaintEffect { unset, no_schedule, prefer_no_schedule, no_execute, unknown };

constexpr std::array<std::string_view, 4> spellings(TaintEffect) noexcept {
  return {"", "NoSchedule", "PreferNoSchedule", "NoExecute"};
}

/// All effects. A toleration without an effect means all of them.
inline constexpr std::array<TaintEffect, 3> taint_effects = {
    TaintEffect::no_schedule, TaintEffect::prefer_no_schedule, TaintEffect::no_execute};

/// The effects that keep a pod off a node; PreferNoSchedule only counts against the node.
inline constexpr std::array<TaintEffect, 2> repelling_effects = {TaintEffect::no_schedule,
                                                                 TaintEffect::no_execute};

/// `unset` means Equal.
enum class TolerationOperator { unset, equal, exists, lt, gt, unknown };

constexpr std::array<std::string_view, 5> spellings(TolerationOperator) noexcept {
  return {"", "Equal", "Exists", "Lt", "Gt"};
}

/// Keeps pods that do not tolerate it off a node.
struct Taint {
  std::string key{};
  std::string value{};
  OpenEnum<TaintEffect> effect{};

  friend bool operator==(const Taint&, const Taint&) = default;
};

/// An empty key matches every key, an unset effect every effect. `toleration_seconds` limits how
/// long a NoExecute taint is tolerated: absent means forever, zero or less means not at all.
struct Toleration {
  std::string key{};
  OpenEnum<TolerationOperator> operator_{};
  std::string value{};
  OpenEnum<TaintEffect> effect{};
  std::optional<std::int64_t> toleration_seconds{};

  /// Compares the meaning: an unset operator is Equal. tolerationSeconds count.
  friend bool operator==(const Toleration& a, const Toleration& b) noexcept;
};

/// Whether `toleration` tolerates `taint`. The rules, in order:
/// 1. the effects are equal, or the toleration has none;
/// 2. the keys are equal, or the toleration has none;
/// 3. Equal (and unset): the values are equal. Exists: any value. Lt, Gt: the taint's value is less
///    or greater than the toleration's; both are decimal int64 without `+` or leading zeros;
/// 4. anything else, including an unknown operator, is not tolerated.
[[nodiscard]] bool tolerates(const Toleration& toleration, const Taint& taint) noexcept;

/// The taints that no toleration tolerates, in their order and whatever their effect. You decide
/// which effects count; `tolerates_all` does this as a scheduler does.
[[nodiscard]] std::vector<Taint> find_untolerated(std::span<const Toleration> tolerations,
                                                  std::span<const Taint> taints);

/// Whether every taint with one of `effects` is tolerated. The default is a scheduler's: taints with
/// other effects, including unknown ones, keep no pod off a node.
[[nodiscard]] bool tolerates_all(std::span<const Toleration> tolerations,
                                 std::span<const Taint> taints,
                                 std::span<const TaintEffect> effects = repelling_effects) noexcept;

/// Whether `a` tolerates every taint that `b` tolerates, and if `a` names NoExecute, for at least as
/// long. The rules:
/// 1. equal tolerations cover each other;
/// 2. the keys are equal, or `a` has none and is Exists;
/// 3. the effects are equal, or `a` has none;
/// 4. if `a` is NoExecute and has tolerationSeconds, `b` has them too, and not more;
/// 5. `a` is Exists, or both have the same operator and value (an unset operator is Equal).
///
/// A toleration with an unknown operator tolerates nothing, so it covers only an equal one.
[[nodiscard]] bool covers(const Toleration& a, const Toleration& b) noexcept;

/// The tolerations that no other in the list covers, in their order. Of equal ones the first stays; of
/// unequal ones that cover each other, the later. Quadratic in the tolerations with the same key or none.
[[nodiscard]] std::vector<Toleration> without_covered(std::span<const Toleration> tolerations);

/// The union of two lists, `first` before `second`, `without_covered`.
[[nodiscard]] std::vector<Toleration> merge(std::span<const Toleration> first,
                                            std::span<const Toleration> second);

/// One toleration on one line, as in kubectl: `dedicated=gpu:NoSchedule`, `spot Exists:NoExecute
/// for 300s`; `*` for every key, no colon for every effect. Different tolerations have different
/// texts.
[[nodiscard]] std::string to_string(const Toleration& toleration);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/api_version.hpp

/// `apiVersion`: the group and version of an object's kind, and the groups that a kind can be in.
///
/// 1. A kind is in the group that its `apiVersion` names: `apps` in `apps/v1`, the core group in `v1`.
/// 2. schedpol's own kinds are in `schedpol.io/v1alpha1`. You may define their CRDs in a custom group
///    instead. The proposals' group, `extensions`, is read as well, although no cluster can have a
///    CRD in it.

namespace SCHEDPOL_NAMESPACE {

/// The `apiVersion` of SchedulingPolicy, MetadataPolicy, EngineConfiguration and PolicyTest.
inline constexpr std::string_view own_api_version = "schedpol.io/v1alpha1";

/// The group of SchedulingPolicy and MetadataPolicy in their proposals.
inline constexpr std::string_view proposal_api_group = "extensions";

/// The API group in an `apiVersion`: `apps` for `apps/v1`, empty (the core group) for `v1`.
[[nodiscard]] constexpr std::string_view api_group(std::string_view api_version) noexcept {
  const auto slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view() : api_version.substr(0, slash);
}

/// The group of `own_api_version`.
inline constexpr std::string_view own_api_group = api_group(own_api_version);

/// Whether anybody may define CRDs in the group: it is a domain, but not one of Kubernetes' (`k8s.io`,
/// `kubernetes.io` and their subdomains). The core group and words without a dot are not domains. The
/// syntax of a domain is not checked.
[[nodiscard]] bool is_custom_group(std::string_view api_group) noexcept;

/// Whether a kind whose usual `apiVersion` is this one can be in `group`: in the group that the
/// `apiVersion` names, and for schedpol's own kinds also in the others of rule 2.
[[nodiscard]] bool is_in_group(std::string_view api_version, std::string_view group) noexcept;

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/workload.hpp

/// The kinds of objects that contain a pod spec, and where: a Pod itself, and the pod template of a
/// workload. A decision on a template has the field paths of the document that its author wrote
/// (`spec.template.spec.nodeName`).

namespace SCHEDPOL_NAMESPACE {

/// A pod, and the kinds with a pod template.
enum class PodKind {
  pod,
  pod_template,
  replication_controller,
  replica_set,
  deployment,
  stateful_set,
  daemon_set,
  job,
  cron_job,
};

/// All kinds, in the order of the enumeration.
inline constexpr std::array<PodKind, 9> pod_kinds = {
    PodKind::pod,         PodKind::pod_template, PodKind::replication_controller,
    PodKind::replica_set, PodKind::deployment,   PodKind::stateful_set,
    PodKind::daemon_set,  PodKind::job,          PodKind::cron_job};

/// The Kubernetes kind: `Pod`, `PodTemplate`, `Deployment`, ...
[[nodiscard]] std::string_view to_string(PodKind kind) noexcept;

/// The kind of that name; nothing if a kind of that name has no pod template. Case-sensitive.
[[nodiscard]] std::optional<PodKind> pod_kind(std::string_view name) noexcept;

/// The group and version of the kind: `v1`, `apps/v1` or `batch/v1`.
[[nodiscard]] std::string_view api_version(PodKind kind) noexcept;

/// Whether the kind can be in this API group (empty: the core group). The kinds of `apps` were once in
/// `extensions` too.
[[nodiscard]] bool is_in_group(PodKind kind, std::string_view group) noexcept;

/// Whether authors of this kind write a selector of pods in `spec.selector`. The API server refuses a
/// workload whose selector does not match its own template. For a Job, the API server writes the
/// selector itself.
[[nodiscard]] constexpr bool has_selector(PodKind kind) noexcept {
  return kind == PodKind::replication_controller || kind == PodKind::replica_set ||
         kind == PodKind::deployment || kind == PodKind::stateful_set ||
         kind == PodKind::daemon_set;
}

/// The fields that lead to the pod template in an object of the kind, such as `spec`, `template`. Empty
/// for a Pod.
[[nodiscard]] std::span<const std::string_view> template_steps(PodKind kind) noexcept;

/// The same as a path: `spec.template`.
[[nodiscard]] FieldPath template_path(PodKind kind);

/// The path of a pod field (`{"spec", "nodeName"}`) in an object of the kind
/// (`spec.template.spec.nodeName`).
[[nodiscard]] FieldPath field_path(PodKind kind, std::initializer_list<std::string_view> fields);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/pod.hpp

/// Pods, and the pod templates of workloads, as far as policies need them. A template is a Pod that
/// knows the kind of its workload. So every function takes both, and field paths are those of the
/// document that the author wrote.

namespace SCHEDPOL_NAMESPACE {

/// The scheduler of a pod that names none.
inline constexpr std::string_view default_scheduler_name = "default-scheduler";

/// How to read `default-scheduler` in a pod that a policy could give another scheduler.
enum class DefaultScheduler {
  specified,    ///< the pod asks for that scheduler
  unspecified,  ///< the pod names none: the API server fills in the name before a webhook sees it
};

[[nodiscard]] constexpr std::string_view to_string(DefaultScheduler scheduler) noexcept {
  return scheduler == DefaultScheduler::unspecified ? "Unspecified" : "Specified";
}

/// The resources that a container, or a whole pod, requests, and their limits.
struct ResourceRequirements {
  ResourceList requests{};
  ResourceList limits{};

  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

/// A container, as far as scheduling needs it.
struct Container {
  std::string name{};
  ResourceRequirements resources{};
  std::string restart_policy{};  ///< `Always` makes an init container a sidecar

  friend bool operator==(const Container&, const Container&) = default;
};

/// A bool, false by default, that becomes `left` when it is moved from. `MoveFlag<true>` only records a
/// move: you cannot set it, and all of them are equal.
template <bool left>
class MoveFlag {
 public:
  MoveFlag() noexcept = default;
  /// Takes a bool, and nothing that converts to one.
  MoveFlag(std::same_as<bool> auto value) noexcept  // NOLINT(google-explicit-constructor)
    requires(!left)
      : value_(value) {}
  MoveFlag(const MoveFlag&) noexcept = default;
  MoveFlag(MoveFlag&& other) noexcept : value_(std::exchange(other.value_, left)) {}
  MoveFlag& operator=(MoveFlag other) noexcept {
    value_ = other.value_;
    return *this;
  }
  ~MoveFlag() = default;

  /// The value.
  [[nodiscard]] explicit(left) operator bool() const noexcept { return value_; }

  friend bool operator==(const MoveFlag&, const MoveFlag&) noexcept
    requires left
  {
    return true;
  }

 private:
  bool value_ = false;
};

/// Whether the enclosing structure was moved from. A moved-from pod asks for nothing, and policies would
/// permit that. So every decision on such a pod is a denial (`ViolationCode::moved_from`), and no node of
/// a `Cluster` or `BoundPods` takes it. Matchers, and a pod that is bound, treat it as one that asks for
/// nothing.
using MovedFrom = MoveFlag<true>;

/// What happens to a pod if no node satisfies the constraint.
enum class WhenUnsatisfiable { unset, do_not_schedule, schedule_anyway, unknown };

constexpr std::array<std::string_view, 3> spellings(WhenUnsatisfiable) noexcept {
  return {"", "DoNotSchedule", "ScheduleAnyway"};
}

/// Whether to leave out the nodes that the pod cannot run on.
enum class NodeInclusionPolicy { unset, honor, ignore, unknown };

constexpr std::array<std::string_view, 3> spellings(NodeInclusionPolicy) noexcept {
  return {"", "Honor", "Ignore"};
}

/// How a pod is spread over domains; a domain is the nodes with the same value of `topology_key`. Rule 2
/// of `bound_pods.hpp` says which nodes satisfy a constraint. An unset `node_affinity_policy` is Honor,
/// an unset `node_taints_policy` is Ignore. Values that the API server would refuse have a meaning, too:
/// only DoNotSchedule keeps a pod from nodes, an unknown inclusion policy is Ignore, and a `min_domains`
/// below one is one.
struct TopologySpreadConstraint {
  std::int32_t max_skew = 0;
  std::string topology_key{};
  OpenEnum<WhenUnsatisfiable> when_unsatisfiable{};
  std::optional<LabelSelector> label_selector{};
  std::optional<std::int32_t> min_domains{};  ///< absent: 1
  OpenEnum<NodeInclusionPolicy> node_affinity_policy{};
  OpenEnum<NodeInclusionPolicy> node_taints_policy{};
  Texts match_label_keys{};

  friend bool operator==(const TopologySpreadConstraint&,
                         const TopologySpreadConstraint&) = default;
};

/// On one line: `topology.kubernetes.io/zone:DoNotSchedule`.
[[nodiscard]] inline std::string to_string(const TopologySpreadConstraint& constraint) {
  if (constraint.when_unsatisfiable == WhenUnsatisfiable::unset) return constraint.topology_key;
  return constraint.topology_key + ':' + std::string(constraint.when_unsatisfiable.text());
}

/// A pod is not scheduled until all of its gates are removed. Gates can be added only when a pod is
/// created.
struct PodSchedulingGate {
  std::string name{};

  friend bool operator==(const PodSchedulingGate&, const PodSchedulingGate&) = default;
};

/// Devices that the containers of a pod may share: the name of a ResourceClaim, or of the template from
/// which a claim is made for the pod.
struct PodResourceClaim {
  std::string name{};  ///< the name that containers use for it
  std::string resource_claim_name{};
  std::string resource_claim_template_name{};

  friend bool operator==(const PodResourceClaim&, const PodResourceClaim&) = default;
};

/// As in core/v1, an empty string, list or map is the same as an absent one.
struct PodSpec {
  std::string scheduler_name{};  ///< empty: `default_scheduler_name`
  std::string node_name{};       ///< if set, the pod bypasses every scheduler
  std::string priority_class_name{};
  std::optional<std::int32_t> priority{};  ///< derived from the class by the API server
  std::string preemption_policy{};         ///< derived from the class by the API server
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};
  std::vector<TopologySpreadConstraint> topology_spread_constraints{};
  std::vector<PodSchedulingGate> scheduling_gates{};
  std::vector<PodResourceClaim> resource_claims{};
  std::string service_account_name{};  ///< empty: `service_account`, then `default`
  std::string service_account{};       ///< the deprecated spelling of `service_account_name`
  std::string runtime_class_name{};
  ResourceList overhead{};  ///< what the runtime needs in addition to the containers
  std::vector<Container> init_containers{};
  std::vector<Container> containers{};
  std::optional<ResourceRequirements> resources{};  ///< of the pod as a whole
  MovedFrom moved_from{};                           ///< set by a move, never by you

  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

/// The resources of a running container, as its node reports them. What the node does not report is empty.
struct ContainerStatus {
  std::string name{};
  ResourceList allocated_resources{};  ///< the requests that the node has granted
  ResourceRequirements resources{};    ///< the actual requests and limits

  friend bool operator==(const ContainerStatus&, const ContainerStatus&) = default;
};

/// A condition of a pod that is true. The reason of a `PodResizePending` says whether a resize is
/// infeasible.
struct PodCondition {
  std::string type{};
  std::string reason{};

  friend bool operator==(const PodCondition&, const PodCondition&) = default;
};

/// `phase` is `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`; a template has none.
struct PodStatus {
  std::string phase{};
  std::string nominated_node_name{};  ///< where a scheduler intends to bind the pod
  std::vector<PodCondition> conditions{};
  std::vector<ContainerStatus> init_container_statuses{};
  std::vector<ContainerStatus> container_statuses{};
  ResourceList allocated_resources{};               ///< the granted requests at pod level
  std::optional<ResourceRequirements> resources{};  ///< the actual resources at pod level

  friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

/// A pod, or the pod template of a workload. `metadata` is that of the pod or template. A template
/// without a `name` takes that of its workload, and takes its workload's `namespace_` if that is set.
/// Its owners and `selector` are always the workload's. Only kinds whose authors write a selector have
/// one (`has_selector`); that of a ReplicationController has no expressions.
struct Pod {
  PodKind kind = PodKind::pod;
  ObjectMeta metadata{};
  PodSpec spec{};
  PodStatus status{};
  std::optional<LabelSelector> selector{};

  friend bool operator==(const Pod&, const Pod&) = default;
};

/// Whether the pod is terminal (Succeeded or Failed): it has run and no longer uses its node.
[[nodiscard]] inline bool is_terminal(const Pod& pod) noexcept {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/admission.hpp

/// The answer of every system: the decision on a pod, the changes to the pod, and why it was denied.
/// Violations and changes are data and name the policies behind them. `message` makes text of
/// them.

namespace SCHEDPOL_NAMESPACE {

/// Why a pod is denied. Spelled by `to_string` without the underscores: `SchedulerNameNotAllowed`.
enum class ViolationCode {
  no_usable_policy,            ///< no policy applies, so nothing is permitted
  moved_from,                  ///< the pod was moved from, so there is nothing to judge
  ambiguous_policy,            ///< two different policies have the same name, so neither is trusted
  scheduler_name_required,     ///< the scheduler is not one of the required ones
  scheduler_name_not_allowed,  ///< no policy permits the scheduler
  node_name_not_allowed,       ///< the pod names its node and so bypasses every scheduler
  priority_class_name_required,
  priority_class_name_not_allowed,
  node_selector_required,  ///< a required key is missing or has a different value
  node_selector_not_allowed,
  toleration_required,  ///< no toleration matches a required pattern
  toleration_not_allowed,
  affinity_required,  ///< a required kind, mode or term is missing
  affinity_not_allowed,
  runtime_class_name_required,
  runtime_class_name_not_allowed,
  topology_spread_constraint_not_allowed,
  scheduling_gate_not_allowed,
  resource_claim_not_allowed,
  invalid_policy,                  ///< a policy cannot be evaluated, so no policy was
  runtime_class_not_found,         ///< the pod names a class that does not exist
  overhead_without_runtime_class,  ///< the pod has an overhead, and no class defines one
  overhead_mismatch,               ///< the pod's overhead differs from that of its class
  node_selector_conflict,          ///< the pod's value for a key differs from that of its class
  rejected_by_rule,                ///< a MetadataPolicy rule rejects the object
  namespace_not_found,             ///< a policy needs the labels of the namespace, which is unknown
  multiple_resource_policies,  ///< more than one ResourcePolicy selects the pod: no node takes it
  limit_exceeded,              ///< policies together give the pod more than `max_given_items`
};

[[nodiscard]] std::string_view to_string(ViolationCode code) noexcept;

/// One reason for a denial. `field` is the path in the object as it came. `value` is the pod's value
/// there, or the required one if that is missing. `policies` are those that require it, or all that
/// were consulted if none permits it. `permitted` lists what the field could be instead: only the
/// first values if there are many, and none if the permitted values cannot be listed. `detail` says
/// why no policy could permit the value: it has an unknown operator, or exceeds a limit. `added_by`
/// are the policies or classes that added the value, or the list it is in, if the author did not.
struct Violation {
  ViolationCode code = ViolationCode::no_usable_policy;
  FieldPath field{};
  std::string value{};
  Names policies{};
  Names permitted{};
  std::string detail{};
  Names added_by{};

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks. Lists at most
/// `max_shown_names` policies and permitted values each, and counts the rest.
[[nodiscard]] std::string message(const Violation& violation);

/// One mutation. `from` or `to` is absent if the field was or became absent; structured values are
/// on one line. `policy` made the change; it is empty if no policy did.
struct Change {
  FieldPath field{};
  std::optional<std::string> from{};
  std::optional<std::string> to{};
  std::string policy{};

  friend bool operator==(const Change&, const Change&) = default;
};

/// Whether changes have `from` and `to`. The text of an affinity costs more to make than the
/// affinity.
enum class ChangeValues {
  shown,
  omitted,  ///< `from` and `to` are absent
};

/// One line for a person, such as: `spec.schedulerName` set to `my-scheduler` by `payments`.
[[nodiscard]] std::string message(const Change& change);

/// What a person should know about an allowed pod: a policy's criterion was not added to it, or
/// no node can meet several of its criteria together. `policies` are the policies concerned.
struct Warning {
  FieldPath field{};
  std::string text{};
  Names policies{};

  friend bool operator==(const Warning&, const Warning&) = default;
};

/// One line for a person: `spec.nodeSelector[pool]` of `etcd` is left out: ...
[[nodiscard]] std::string message(const Warning& warning);

/// Whether something is allowed: the bool that it was set to. False by default, and after it was
/// moved from.
using Allowed = MoveFlag<false>;

/// The whole decision on a pod. A default-constructed or moved-from one is a denial.
///
/// If allowed, `pod` has all `changes` applied, and there are no violations. If denied, `pod` is the
/// pod as it came, there are no changes, and `violations` say why, in the order of the checks.
/// Changes are never applied in part.
struct Admission {
  Allowed allowed{};
  Pod pod{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
  /// The pod as it came, if it was changed. A later denial in a chain returns it.
  std::optional<Pod> before{};
  std::vector<Warning> warnings{};  ///< of an allowed pod

  /// Hands the pod to the next step, a callable `(Pod) -> Admission`. A denial is returned as it is,
  /// without asking the next step. If the next step allows, the result has the changes and warnings of
  /// both. If it denies, the result has its violations, the pod as it entered the chain, and nothing else.
  template <class Next>
  [[nodiscard]] Admission and_then(Next&& next) && {
    static_assert(std::is_invocable_r_v<Admission, Next, Pod>,
                  "a step takes a Pod and returns an Admission");
    if (!allowed) return std::move(*this);
    Pod current = hand_over();
    return std::move(*this).joined(std::forward<Next>(next)(std::move(current)));
  }

  template <class Next>
  [[nodiscard]] Admission and_then(Next&& next) const& {
    return copy<Next>().and_then(std::forward<Next>(next));
  }

  friend bool operator==(const Admission&, const Admission&) = default;

 private:
  /// The pod for the next step. Leaves a denial behind.
  [[nodiscard]] Pod hand_over();
  /// This admission combined with the answer of the next step.
  [[nodiscard]] Admission joined(Admission&& next) &&;

  template <class Next>
  [[nodiscard]] Admission copy() const {
    return *this;
  }
};

/// The whole decision for a person: `allowed` or `denied`, and below it one line for each change or
/// violation. Shows at most `max_reported_errors` of these and counts the rest.
[[nodiscard]] std::string message(const Admission& admission);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/node.hpp

/// Nodes, and which of them a pod may run on or prefers:
/// 1. the pod's `nodeSelector` AND its required node affinity must match; a required affinity
///    without terms matches no node;
/// 2. terms are ORed, the requirements of a term ANDed; an empty term matches no node;
/// 3. In, NotIn, Exists, DoesNotExist look at the node's labels (NotIn also matches a missing
///    key). Gt and Lt compare int64 and do not match if either side is not an integer;
/// 4. matchFields knows only `metadata.name`, with In or NotIn and one value;
/// 5. a requirement that breaks these rules, or the syntax of label keys and values, makes its term
///    match no node;
/// 6. the score is the sum of the weights of the matching preferences; an empty preference matches
///    no node, and one whose weight is not 1 to 100 adds nothing.
///
/// Compile a pod's requirements once, then match any number of nodes. Source: component-helpers,
/// `scheduling/corev1/nodeaffinity`, which differs in three ways. There, one malformed preference is
/// an error for the whole list; here it adds nothing to the score. There, the caller supplies the
/// fields of a node; here, any field other than `metadata.name` matches no node. There, only the API
/// server refuses weights.

namespace SCHEDPOL_NAMESPACE {

/// The spec of a node, as far as scheduling needs it.
struct NodeSpec {
  std::vector<Taint> taints{};
  bool unschedulable = false;  ///< set by `kubectl cordon`

  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

/// The status of a node, as far as scheduling needs it.
struct NodeStatus {
  ResourceList allocatable{};  ///< what pods may use of the node, `pods` included

  friend bool operator==(const NodeStatus&, const NodeStatus&) = default;
};

struct Node {
  ObjectMeta metadata{};
  NodeSpec spec{};
  NodeStatus status{};

  friend bool operator==(const Node&, const Node&) = default;
};

/// The taint that every unschedulable node counts as having, even before a controller adds it:
/// `node.kubernetes.io/unschedulable:NoSchedule`.
[[nodiscard]] Taint unschedulable_taint();

/// Whether the tolerations tolerate every taint of the node with one of `effects`. The taints include
/// `unschedulable_taint`. Source: kube-scheduler's TaintToleration and NodeUnschedulable filters.
[[nodiscard]] bool tolerates_all(std::span<const Toleration> tolerations, const Node& node,
                                 std::span<const TaintEffect> effects = repelling_effects);

/// Node selector terms compiled for matching. Terms that can match no node are left out.
class NodeTermsMatcher {
 public:
  /// Without terms: matches no node.
  NodeTermsMatcher() = default;
  explicit NodeTermsMatcher(std::span<const NodeSelectorTerm> terms);  ///< ORed

  /// Whether one of the terms matches.
  [[nodiscard]] bool matches(const Node& node) const noexcept;

 private:
  friend class NodeTable;

  struct Impl;
  Shared<Impl> impl_;  ///< without an object, no terms
};

/// What a pod requires and prefers of nodes, compiled for matching.
class NodeAffinityMatcher {
 public:
  /// Without a pod: matches no node, scores zero.
  NodeAffinityMatcher() = default;

  /// A pod without a node selector and required node affinity matches every node.
  explicit NodeAffinityMatcher(const PodSpec& spec);

  /// Whether the pod may run on the node. Only the node's labels and name count.
  [[nodiscard]] bool matches(const Node& node) const noexcept;

  /// How much the pod prefers the node, whether or not it may run there.
  [[nodiscard]] std::int64_t score(const Node& node) const noexcept;

 private:
  friend class NodeTable;

  struct Impl;
  Shared<Impl> impl_;  ///< without an object, no pod
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/pod_affinity.hpp

/// The pods that a term of pod affinity or anti-affinity selects meet all three rules:
/// 1. The pod is in a namespace that the term lists, or whose labels its namespace selector matches.
///    If the term has neither, the pod is in the namespace of the pod with the term.
/// 2. The term's label selector matches the pod; an absent selector matches no pod.
/// 3. Keys that the pod with the term lacks do not count. For each other key of matchLabelKeys both pods
///    have the same value; for each of mismatchLabelKeys the selected pod has another value or none.
///
/// The topology key says which pods are near: two nodes are in one domain if both have this label with
/// the same value. Sources: kube-scheduler, `AffinityTerm.Matches`; the API server, which writes rule 3
/// into the label selector when a pod is created.

namespace SCHEDPOL_NAMESPACE {

/// A term compiled for matching. A default-constructed one selects no pod.
class PodAffinityMatcher {
 public:
  PodAffinityMatcher() = default;

  /// Whether the term selects the pod; `namespace_labels` are those of that pod's namespace.
  [[nodiscard]] bool matches(const Pod& pod, const Labels& namespace_labels = {}) const noexcept;

 private:
  friend Result<PodAffinityMatcher> compile(const PodAffinityTerm&, const Pod&, const FieldPath&);

  struct Impl;
  Shared<Impl> impl_;  ///< without an object, no pod
};

/// Builds the matcher of a term of `pod`, or reports what is wrong with the term's selectors, with
/// paths below `field`.
[[nodiscard]] Result<PodAffinityMatcher> compile(const PodAffinityTerm& term, const Pod& pod,
                                                 const FieldPath& field = {});

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/qos.hpp

/// The quality-of-service class of a pod, as the kubelet computes it. The cpu and memory of each
/// container and init container count. If `spec.resources` names a pod-level resource (cpu, memory,
/// hugepages), the cpu and memory of the pod as a whole count instead.
/// 1. BestEffort: all requests and limits are absent or zero.
/// 2. Guaranteed: for cpu and for memory, the request equals the limit and is not zero.
/// 3. Burstable: everything else.
///
/// Other resources and ephemeral containers do not count. Source: Kubernetes, `ComputePodQOS`.

namespace SCHEDPOL_NAMESPACE {

/// The classes of the rules above.
enum class QosClass { best_effort, burstable, guaranteed };

[[nodiscard]] std::string_view to_string(QosClass qos) noexcept;

/// The class by these rules, of the spec as it stands.
[[nodiscard]] QosClass qos_class(const PodSpec& spec);

/// The class with the values that the API server writes into a pod, so a template has the class that its
/// pods will have. An absent request is the limit (rule 2 of `resources.hpp`). A pod with pod-level
/// resources whose containers all have a limit gets their sum as limit, or its request if that is more.
[[nodiscard]] QosClass effective_qos_class(const PodSpec& spec);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/resources.hpp

/// What pods request and nodes have, in the integers that kube-scheduler uses: thousandths of cpu,
/// whole units of everything else.
/// 1. For each resource, a pod requests the larger of two amounts: the sum of its containers and sidecars
///    (init containers with restartPolicy Always), or any init container with the sidecars before it. A
///    pod-level request (cpu, memory, hugepages) replaces that amount. Overhead is added to either.
/// 2. A container that limits a resource without requesting it requests its limit. A pod-level limit
///    without a request works in the same way: for hugepages the request is the limit; for cpu and memory
///    it is what the containers request, or else the limit. The API server writes these requests into
///    pods but not into templates. They count for a template, too, so it requests what its pods will.
/// 3. cpu, memory, ephemeral-storage, hugepages, attachable volumes and names with a domain count.
/// 4. A pod fits a node if the node may hold one more pod and, for each resource of which the pod requests
///    more than zero, the allocatable amount minus the used amount is enough.
/// 5. While a pod on a node is resized (KEP-1287), three amounts differ: what its spec requests, what the
///    node has granted, and what its containers have. The largest counts. The spec does not count while
///    the node reports the resize as `Infeasible`.
///
/// Sums saturate at the bounds of int64. Sources: component-helpers `resource.PodRequests`,
/// `SetDefaults_Pod`, `DefaultPodLevelResources`, the NodeResourcesFit filter.

namespace SCHEDPOL_NAMESPACE {

/// Amounts of resources. A missing resource is zero.
struct Resources {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  std::int64_t pods = 0;                                      ///< the number of pods
  std::map<std::string, std::int64_t, std::less<>> scalar{};  ///< all others of rule 3, by name

  Resources& operator+=(const Resources& other);
  Resources& operator-=(const Resources& other);

  friend bool operator==(const Resources&, const Resources&) = default;
};

/// The exact sums of rules 1 and 2, including resources that do not count by rule 3.
[[nodiscard]] ResourceList pod_requests(const PodSpec& spec);

/// The exact sums of rule 5, for a pod on a node.
[[nodiscard]] ResourceList pod_requests(const PodSpec& spec, const PodStatus& status);

/// The same in integers, rounded up. Only what counts by rule 3; negative amounts are 0, `pods` is 1.
[[nodiscard]] Resources requests(const PodSpec& spec);
[[nodiscard]] Resources requests(const PodSpec& spec, const PodStatus& status);

/// What pods may use of a node, and how many pods it may hold.
[[nodiscard]] Resources allocatable(const Node& node);

/// Rule 4: whether `requests` fit into `allocatable` besides what is `used`.
[[nodiscard]] bool fits(const Resources& requests, const Resources& allocatable,
                        const Resources& used) noexcept;

/// What is short, in kube-scheduler's words: `Too many pods`, `Insufficient cpu`,
/// `Insufficient nvidia.com/gpu`. Empty if the requests fit.
[[nodiscard]] std::vector<std::string> insufficient(const Resources& requests,
                                                    const Resources& allocatable,
                                                    const Resources& used);

/// The number of nodes that each reason keeps a pod from. A node may have several reasons.
using Reasons = std::map<std::string, std::size_t, std::less<>>;

/// kube-scheduler's message for a pod that no node can take (`FitError`): `0/2000 nodes are available:
/// 1100 NodeNotInUnit, 900 UnitFull`, with a full stop. Reasons are in the byte order of their printed
/// form, numbers included. A reason with no nodes is left out.
[[nodiscard]] std::string unschedulable_message(std::size_t nodes, const Reasons& reasons);

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/scheduling_criteria.hpp

/// The scheduling criteria that a policy, a class or a controller adds to pods. Each has the name and
/// the meaning of its field in `PodSpec`.

namespace SCHEDPOL_NAMESPACE {

/// An empty string, list or map adds nothing to a pod.
struct SchedulingCriteria {
  std::string node_name{};
  std::string scheduler_name{};
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const SchedulingCriteria&, const SchedulingCriteria&) = default;
};

/// Criteria whose copies share one object, so you can list those of many objects without copying
/// them. Equal if their criteria are equal.
class SharedCriteria {
 public:
  SharedCriteria() noexcept = default;          ///< empty
  SharedCriteria(SchedulingCriteria criteria);  ///< shares `criteria` from now on

  [[nodiscard]] const SchedulingCriteria& operator*() const noexcept;
  [[nodiscard]] const SchedulingCriteria* operator->() const noexcept { return &**this; }

  friend bool operator==(const SharedCriteria& a, const SharedCriteria& b);

 private:
  Shared<SchedulingCriteria> criteria_;
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/validation.hpp

/// What the API server finds wrong with labels, tolerations and affinities when an object is
/// created, with its field paths and error types. The API server's lenient checks for updates are not
/// implemented. Matching does not need validation: malformed input matches nothing. Sources:
/// Kubernetes, `pkg/apis/core/validation`, and apimachinery, `apis/meta/v1/validation`.

namespace SCHEDPOL_NAMESPACE {

/// Labels: every key and value that breaks its syntax, all at `field`.
[[nodiscard]] std::vector<FieldError> validate(const Labels& labels,
                                               const FieldPath& field = {"metadata", "labels"});

/// Tolerations:
/// 1. a key that is not a label key;
/// 2. an empty key without Exists, reported at the operator;
/// 3. tolerationSeconds without NoExecute, reported at the effect;
/// 4. with Equal, a value that is not a label value; with Exists, any value; both reported at the operator;
/// 5. an operator or effect that is not supported. Lt and Gt are not: the API server refuses them
///    unless their feature gate (KEP-5471) is on, and it is off by default.
[[nodiscard]] std::vector<FieldError> validate(std::span<const Toleration> tolerations,
                                               const FieldPath& field = {"spec", "tolerations"});

/// Affinities of all three kinds, with the paths of the document. Any breach of a rule is an error:
/// 1. required node affinity has a term;
/// 2. an expression has a label key and a known operator; In and NotIn have values, Exists and
///    DoesNotExist none, Gt and Lt one. The values are label values, except in preferred node
///    affinity, where the API server does not check them;
/// 3. a field expression has the key `metadata.name`, In or NotIn, and one value, a subdomain;
/// 4. the weight of a preferred term is 1 to 100;
/// 5. a pod affinity term has a topologyKey, which is a label key; its namespaces are DNS labels;
///    the labels of its selectors are valid, and rule 2 holds for their expressions;
/// 6. its matchLabelKeys and mismatchLabelKeys are label keys, no key is in both, and there are none
///    without a labelSelector (nothing else is then reported about them);
/// 7. if an expression of the labelSelector has a key of matchLabelKeys, then no earlier expression and
///    no matchLabels entry has that key: the API server adds one such expression itself. The error is at
///    the term followed by the index of the key, as in the API server;
/// 8. a label selector has at most `max_selector_requirements` pairs and expressions, and an expression
///    at most `max_expression_values` values. The API server has no such limits.
[[nodiscard]] std::vector<FieldError> validate(const Affinity& affinity,
                                               const FieldPath& field = {"spec", "affinity"});

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/engine/owners.hpp

/// The owner of a pod, as far as the known workloads tell: the workload whose template made the pod, and
/// the outermost controller, by which people know the pod.
///
/// 1. An object belongs to its controller, in its own namespace.
/// 2. A workload is found by kind, group and name. An owner without an API version can be in any group.
///    If two workloads have the same name, the first counts.
/// 3. A ReplicaSet that is not among the objects belongs to a Deployment if its pod has the label
///    `pod-template-hash` and the name of the ReplicaSet ends with its value. The Deployment controller
///    names ReplicaSets this way. The template is then the Deployment's current one.
/// 4. Controllers are followed for `max_owner_levels` steps, so a cycle comes to an end.

namespace SCHEDPOL_NAMESPACE::engine {

/// The owner of an object: its controller, or the object itself.
struct Owner {
  std::string kind{};
  std::string namespace_{};
  std::string name{};

  friend bool operator==(const Owner&, const Owner&) = default;
};

/// The owner reference of the object's controller; null if it has none. Valid as long as the object.
[[nodiscard]] const OwnerReference* controller_of(const ObjectMeta& metadata) noexcept;
const OwnerReference* controller_of(const ObjectMeta&& metadata) = delete;

/// Finds owners among the workloads of a cluster.
class Owners {
 public:
  /// No known workloads: pods belong to the controller that they name.
  Owners() = default;
  /// Uses these objects, which must outlive this and not move. Pods among them own nothing.
  explicit Owners(std::span<const Pod> objects);
  explicit Owners(std::vector<Pod>&& objects) = delete;

  /// The workload whose template made the pod; null if it is not among the objects.
  [[nodiscard]] const Pod* template_of(const Pod& pod) const;

  /// The outermost known controller.
  [[nodiscard]] Owner outermost_of(const Pod& object) const;

 private:
  /// Kind, namespace and name.
  using Key = std::pair<PodKind, std::pair<std::string_view, std::string_view>>;

  [[nodiscard]] const Pod* find(const OwnerReference& owner, std::string_view in) const;

  std::map<Key, const Pod*> workloads_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/engine/as_created.hpp

/// Turns a stored pod, as a cluster prints it, back into the pod as it was created. Policies decide on
/// created pods. They would deny a running pod for what the API server, the scheduler and controllers
/// added.
///
/// 1. An object is stored if it has a uid and a creation timestamp. A status alone is no proof, because
///    a client-side dry run prints one. An object that is not stored stays as it is, and so does a
///    workload: its template is what the author wrote.
/// 2. Mirror pods and terminal pods (`is_terminal`) are not asked about.
/// 3. These are removed, unless the pod's template has them:
///    - the node that a scheduler chose (rule 4);
///    - the priority and the preemption policy, which come from the priority class;
///    - the two tolerations for 300 seconds that DefaultTolerationSeconds adds;
///    - from a DaemonSet's pod, the tolerations that its controller adds
///      (`scheduling_policy::daemon_set_tolerations`) and the `metadata.name In [NODE]` of its node
///      selector terms; the terms, too, if none of them has anything else;
///    - the deletion timestamp.
/// 4. Who named the node of a pod:
///    - If `managedFields` are shown and one has `spec.nodeName`: the author or a mutator, because a
///      scheduler's binding leaves no such entry. The node stays.
///    - If they are shown and none has it: a scheduler.
///    - If they are not shown and a controller made the pod: its template, if that names a node, even a
///      different one by now; otherwise a scheduler. An unknown template counts as naming no node.
///    - If they are not shown and the pod has no controller, nobody can tell: the pod is undecided.
/// 5. Everything else stays: policies decide on what a RuntimeClass, a webhook or a plugin added.
///
/// The pod itself says who owns it and what it mirrors, so use the answer only for reports.
///
/// Source: Kubernetes, `plugin/pkg/admission/{defaulttolerationseconds,priority}`,
/// `pkg/controller/daemon/util`, `pkg/registry/core/pod/storage`.

namespace SCHEDPOL_NAMESPACE::engine {

/// Who named the node of a pod, as far as `metadata.managedFields` tell.
enum class NodeNamedBy {
  unknown,    ///< the fields are not shown
  author,     ///< a user or mutator that created or changed the pod
  scheduler,  ///< no such user
};

/// An object as a cluster prints it, with the fields that show whether it is stored.
struct StoredObject {
  Pod object{};
  std::string uid{};
  std::string creation_timestamp{};
  NodeNamedBy node_named_by = NodeNamedBy::unknown;

  friend bool operator==(const StoredObject&, const StoredObject&) = default;
};

/// Whether a cluster stores the object (rule 1).
[[nodiscard]] bool is_stored(const StoredObject& object) noexcept;

/// What policies are asked about.
enum class AskedAs {
  undecided,   ///< the pod as it was created, if it did not name its node itself
  created,     ///< the pod as it was created
  it_stands,   ///< the object as it is: it is not stored, or is a workload
  mirror_pod,  ///< nothing: the pod mirrors a pod that its node runs by itself
  terminal,    ///< nothing: the pod has run
};

/// `Undecided`, `Created`, `ItStands`, `MirrorPod`, `Terminal`.
[[nodiscard]] std::string_view to_string(AskedAs as) noexcept;

/// Call an undecided pod allowed only if it is allowed both with its node and without one.
struct CreatedObject {
  AskedAs as = AskedAs::undecided;
  Pod object{};

  friend bool operator==(const CreatedObject&, const CreatedObject&) = default;
};

/// By the rules above.
[[nodiscard]] CreatedObject as_created(StoredObject object, const Owners& owners);

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/metadata_policy/options.hpp

/// A cluster's options for MetadataPolicies: the objects that are exempt, because nobody could add to
/// them what a policy asks for, and the pods that get an annotation with their quality of service.
///
/// 1. Pods and workloads are never exempt, whoever writes them.
/// 2. By default, the kinds that a cluster writes about itself are exempt, and so is what its own
///    controllers, kube-system and nodes write; they write `kube-root-ca.crt` into each namespace.

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The annotation in which rules see the quality of service of a pod.
inline constexpr std::string_view qos_annotation = "scheduler.alpha.kubernetes.io/qos";

/// The annotation to which rules write the scheduler of a pod.
inline constexpr std::string_view scheduler_name_annotation = "scheduler.alpha.kubernetes.io/name";

/// Which pods get `qos_annotation`. A number that is not an enumerator means
/// `where_used`.
enum class QosAnnotation {
  where_used,  ///< pods in a namespace with a rule that selects by it or writes the scheduler
  always,
};

[[nodiscard]] constexpr std::string_view to_string(QosAnnotation qos) noexcept {
  return qos == QosAnnotation::always ? "Always" : "WhereUsed";
}

struct Options {
  Texts exempt_kinds{"Event", "Event.events.k8s.io", "Lease.coordination.k8s.io",
                     "EndpointSlice.discovery.k8s.io"};  ///< `KIND.GROUP`; `KIND` of the core group
  Texts exempt_users{"system:kube-controller-manager"};  ///< what these users write is exempt
  Texts exempt_groups{"system:nodes", "system:serviceaccounts:kube-system"};
  QosAnnotation qos_annotation = QosAnnotation::where_used;

  friend bool operator==(const Options&, const Options&) = default;
};

/// Whether all objects of the kind are exempt, whoever writes them.
[[nodiscard]] bool exempts_kind(const Options& options, std::string_view api_group,
                                std::string_view kind) noexcept;

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/metadata_policy/policy.hpp

/// MetadataPolicy: rules on the labels and annotations of the objects in a namespace. Each rule is a
/// predicate, and an action for the objects that it matches. `admit` decides how rules apply. Source:
/// the MetadataPolicy proposal, "API".

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The usual `apiVersion` of its objects; `is_in_group` knows the other groups they can be in.
inline constexpr std::string_view api_version = own_api_version;

/// Both selectors must match; an absent selector always matches.
struct PolicyPredicate {
  std::optional<LabelSelector> label_selector{};
  std::optional<LabelSelector> annotation_selector{};  ///< its values are free text

  friend bool operator==(const PolicyPredicate&, const PolicyPredicate&) = default;
};

/// Rejects the object, or writes labels and annotations over those that are there. The updates of a
/// rule that rejects have no effect.
struct PolicyAction {
  bool reject = false;
  Labels updated_labels{};
  Labels updated_annotations{};

  friend bool operator==(const PolicyAction&, const PolicyAction&) = default;
};

/// What to do with objects whose metadata matches a predicate.
struct MetadataPolicyRule {
  PolicyPredicate policy_predicate{};
  PolicyAction policy_action{};

  friend bool operator==(const MetadataPolicyRule&, const MetadataPolicyRule&) = default;
};

/// The rules, in the order in which they apply.
struct MetadataPolicySpec {
  std::vector<MetadataPolicyRule> rules{};

  friend bool operator==(const MetadataPolicySpec&, const MetadataPolicySpec&) = default;
};

/// Rules for the objects of its namespace.
struct MetadataPolicy {
  ObjectMeta metadata{};
  MetadataPolicySpec spec{};

  friend bool operator==(const MetadataPolicy&, const MetadataPolicy&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/pod_scheduling_policy/policy.hpp

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy as their authors write them: scheduling
/// criteria, and selectors of the pods and pod templates that get them. `validate.hpp` says what can
/// be wrong with a policy, `admit.hpp` what it does. Source: the kupid README.

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// The `apiVersion` of its objects.
inline constexpr std::string_view api_version = "kupid.gardener.cloud/v1alpha1";

/// The two kinds of policy, namespaced and cluster-scoped.
enum class PolicyKind { pod_scheduling_policy, cluster_pod_scheduling_policy };

[[nodiscard]] constexpr std::string_view to_string(PolicyKind kind) noexcept {
  return kind == PolicyKind::pod_scheduling_policy ? "PodSchedulingPolicy"
                                                   : "ClusterPodSchedulingPolicy";
}

/// The pods to select, and the criteria to inject. An empty string, list or map injects nothing.
struct PodSchedulingPolicySpec {
  std::optional<LabelSelector> namespace_selector{};  ///< only in the cluster kind
  std::optional<LabelSelector> pod_selector{};
  std::string node_name{};
  std::string scheduler_name{};
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const PodSchedulingPolicySpec&, const PodSchedulingPolicySpec&) = default;
};

/// A policy of either kind. A policy of the cluster kind has no namespace.
struct PodSchedulingPolicy {
  PolicyKind kind = PolicyKind::pod_scheduling_policy;
  ObjectMeta metadata{};
  PodSchedulingPolicySpec spec{};

  friend bool operator==(const PodSchedulingPolicy&, const PodSchedulingPolicy&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/rbac/rbac.hpp

/// The RBAC objects (rbac.authorization.k8s.io/v1) that say which users may use which policies.
/// `usable` decides what they grant. Absent and empty lists mean the same.

namespace SCHEDPOL_NAMESPACE::rbac {

/// The verbs that are allowed on which objects.
struct PolicyRule {
  Texts verbs{};
  Texts api_groups{};
  Texts resources{};
  Texts resource_names{};

  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

/// Rules for its namespace.
struct Role {
  ObjectMeta metadata{};
  std::vector<PolicyRule> rules{};

  friend bool operator==(const Role&, const Role&) = default;
};

/// Rules for all namespaces, or for the namespace of a RoleBinding that grants it.
struct ClusterRole {
  ObjectMeta metadata{};
  std::vector<PolicyRule> rules{};

  friend bool operator==(const ClusterRole&, const ClusterRole&) = default;
};

/// The role that a binding grants.
struct RoleRef {
  std::string api_group{};
  std::string kind{};  ///< `Role` or `ClusterRole`
  std::string name{};

  friend bool operator==(const RoleRef&, const RoleRef&) = default;
};

/// A user, group or service account to which a binding grants its role.
struct Subject {
  std::string kind{};  ///< `User`, `Group` or `ServiceAccount`
  std::string api_group{};
  std::string name{};
  std::string namespace_{};  ///< of a service account

  friend bool operator==(const Subject&, const Subject&) = default;
};

/// Grants a role in its namespace.
struct RoleBinding {
  ObjectMeta metadata{};
  RoleRef role_ref{};
  std::vector<Subject> subjects{};

  friend bool operator==(const RoleBinding&, const RoleBinding&) = default;
};

/// Grants a ClusterRole everywhere.
struct ClusterRoleBinding {
  ObjectMeta metadata{};
  RoleRef role_ref{};
  std::vector<Subject> subjects{};

  friend bool operator==(const ClusterRoleBinding&, const ClusterRoleBinding&) = default;
};

/// All RBAC objects of a cluster, or those about policies.
struct Rbac {
  std::vector<Role> roles{};
  std::vector<ClusterRole> cluster_roles{};
  std::vector<RoleBinding> role_bindings{};
  std::vector<ClusterRoleBinding> cluster_role_bindings{};

  friend bool operator==(const Rbac&, const Rbac&) = default;
};

/// A user name and the groups of the user.
struct User {
  std::string name{};
  Texts groups{};

  friend bool operator==(const User&, const User&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::rbac

// schedpol/rbac/usable.hpp

/// Which SchedulingPolicies a user may use: RBAC for the verb `use`.
///
/// 1. A subject of kind User matches by name, a Group by membership, and a ServiceAccount by the user
///    name `system:serviceaccount:NAMESPACE:NAME`. A ServiceAccount without a namespace is in that of
///    its RoleBinding; in a ClusterRoleBinding it matches nobody. A subject without a name, or of any
///    other kind, matches nobody.
/// 2. A ClusterRoleBinding grants the rules of its ClusterRole everywhere. A RoleBinding grants the
///    rules of a Role in its namespace, or of a ClusterRole, only in its own namespace.
/// 3. A binding to a role that does not exist, or to anything but a role, grants nothing. Nor does a
///    ClusterRoleBinding to a Role.
/// 4. A rule applies if it lists the verb, API group and resource (`*` lists all), and lists the
///    policy's name or has empty resourceNames. `*` in resourceNames is a name like any other.
///
/// Source: Kubernetes' RBAC authorizer.

namespace SCHEDPOL_NAMESPACE::rbac {

/// The user of a service account, with its three groups. An empty name is `default`.
[[nodiscard]] User service_account_user(std::string_view namespace_, std::string_view name);

/// The name of the pod's service account, valid as long as the pod: `serviceAccountName`; if that is
/// empty, the deprecated `serviceAccount`; if both are, `default`.
[[nodiscard]] std::string_view account_of(const Pod& pod) noexcept;
std::string_view account_of(const Pod&& pod) = delete;  // the view would outlive the pod

/// The user of the pod: its service account in its namespace.
[[nodiscard]] User user_of(const Pod& pod);

/// What a rule must grant, besides the name of the policy.
struct Access {
  std::string verb = "use";
  std::string api_group{own_api_group};
  std::string resource = "schedulingpolicies";

  friend bool operator==(const Access&, const Access&) = default;
};

/// The policies that somebody may use: all, or those with some names, whether or not they exist.
struct Grant {
  bool all = false;
  std::vector<std::string> names{};  ///< in byte order, each once; empty if `all`

  /// Whether the grant includes the policy of this name.
  [[nodiscard]] bool contains(std::string_view policy) const noexcept;

  friend bool operator==(const Grant&, const Grant&) = default;
};

/// The service accounts of a binding: one, all of a namespace, or all.
struct ServiceAccounts {
  std::optional<std::string> namespace_{};  ///< absent: any namespace
  std::optional<std::string> name{};        ///< absent: any name

  friend bool operator==(const ServiceAccounts&, const ServiceAccounts&) = default;
};

/// RBAC objects, compiled for lookup by users and groups. A default-constructed value grants nothing,
/// whatever you add to it.
class CompiledRbac {
 public:
  CompiledRbac() = default;

  /// What `user` may use in `namespace_`. If that is empty, what the user may use everywhere.
  [[nodiscard]] Grant granted(const User& user, std::string_view namespace_) const;

  /// What all of these accounts may use in their namespace, or everywhere if the namespace is absent.
  [[nodiscard]] Grant granted(const ServiceAccounts& accounts) const;

  /// The roles that are bound to `user` in `namespace_` (which may be empty, as in `granted`) and do not
  /// exist. A missing Role is one of that namespace.
  [[nodiscard]] std::vector<RoleRef> missing_roles(const User& user,
                                                   std::string_view namespace_) const;

  /// The service accounts whose grants may change if objects with the names in `rbac` are replaced: the
  /// subjects of a binding with such a name, or of a binding to a role with such a name. In no order and
  /// with possible duplicates.
  [[nodiscard]] std::vector<ServiceAccounts> bound_accounts(const Rbac& rbac) const;

  /// These objects and those in `rbac`, which replace objects of the same kind, namespace and name.
  [[nodiscard]] CompiledRbac with(const Rbac& rbac) const;

  /// These objects except those with the kind, namespace and name of one in `rbac`.
  [[nodiscard]] CompiledRbac without(const Rbac& rbac) const;

 private:
  friend CompiledRbac compile(const Rbac&, const Access&);
  struct Impl;

  Shared<Impl> impl_;
};

/// Compiles the objects that grant `access`, in n log n. A malformed object grants nothing.
[[nodiscard]] CompiledRbac compile(const Rbac& rbac, const Access& access = {});

/// The names among `policies` that `user` may use in `namespace_` (which may be empty, as in `granted`).
/// In byte order, each once. To ask more than once, compile the objects first.
[[nodiscard]] Texts usable(const Texts& policies, const User& user, std::string_view namespace_,
                           const Rbac& rbac, const Access& access = {});

}  // namespace SCHEDPOL_NAMESPACE::rbac

// schedpol/resource_policy/policy.hpp

/// ResourcePolicy as its author writes it: the units of nodes that the pods of a workload may use, how
/// many pods and which requests each unit may hold, and which units are preferred. `validate.hpp` says
/// what can be wrong with a policy, `cluster/cluster.hpp` what it decides. Source: the Resource Policy
/// proposal, "CRD API".

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// The `apiVersion` of its objects.
inline constexpr std::string_view api_version = "scheduling.sigs.x-k8s.io/v1alpha1";

/// What happens to nodes outside all units; `unset` is `required`.
enum class Strategy { unset, required, prefer, unknown };

constexpr std::array<std::string_view, 3> spellings(Strategy) noexcept {
  return {"", "required", "prefer"};
}

/// A set of nodes. An absent selector is `{}`, all nodes. `max_resources` limits what the pods of the
/// unit may request together; a resource that is not listed has no limit.
struct Unit {
  std::string name{};
  std::optional<std::int32_t> priority{};   ///< absent: 0; higher is better
  std::optional<std::int32_t> max_count{};  ///< pods that the unit may hold; absent: no limit
  ResourceList max_resources{};
  std::optional<LabelSelector> node_selector{};

  friend bool operator==(const Unit&, const Unit&) = default;
};

/// Rules 4 and 5 of `cluster/cluster.hpp`: the score for each priority of a node's best unit, and the score
/// of a node in no unit.
inline constexpr std::int64_t score_per_priority = 20;
inline constexpr std::int64_t score_outside_units = -20;

/// Which pods are counted.
struct MatchPolicy {
  bool ignore_terminating_pod = false;  ///< true: pods that are being deleted do not count

  friend bool operator==(const MatchPolicy&, const MatchPolicy&) = default;
};

/// An absent pod selector is `{}`, all pods of the namespace. Pods with different values of
/// `match_label_keys`, such as `pod-template-hash`, are counted separately.
struct ResourcePolicySpec {
  Texts match_label_keys{};
  MatchPolicy match_policy{};
  std::optional<LabelSelector> pod_selector{};
  OpenEnum<Strategy> strategy{};
  std::vector<Unit> units{};

  friend bool operator==(const ResourcePolicySpec&, const ResourcePolicySpec&) = default;
};

/// Units of nodes for the pods of its namespace.
struct ResourcePolicy {
  ObjectMeta metadata{};
  ResourcePolicySpec spec{};

  friend bool operator==(const ResourcePolicy&, const ResourcePolicy&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/runtime_class/policy.hpp

/// RuntimeClass (node.k8s.io/v1): a container runtime that pods ask for by name, the overhead of its
/// pods, and the nodes that support it. `admit` decides what a pod takes over from its class. Source:
/// the RuntimeClass scheduling proposal, "API".

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// What pods of the class need in addition to their containers. Without resources there is no overhead.
struct Overhead {
  ResourceList pod_fixed{};

  friend bool operator==(const Overhead&, const Overhead&) = default;
};

/// The nodes that support the class, and the taints that its pods tolerate there.
struct Scheduling {
  Labels node_selector{};
  std::vector<Toleration> tolerations{};

  friend bool operator==(const Scheduling&, const Scheduling&) = default;
};

/// Cluster-scoped. `handler` is the name of the runtime on the nodes; no decision depends on it.
struct RuntimeClass {
  ObjectMeta metadata{};
  std::string handler{};
  std::optional<Overhead> overhead{};
  std::optional<Scheduling> scheduling{};

  friend bool operator==(const RuntimeClass&, const RuntimeClass&) = default;
};

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/scheduling_policy/policy.hpp

/// SchedulingPolicy: the cluster-scoped object that says which schedulers, priority classes, node
/// selectors, tolerations, affinities and runtime classes pods must use, may use, and get by default.
/// It also says which topology spread constraints, scheduling gates and resource claims they may use.
///
/// Absent, any and listed differ everywhere in `required` and `allowed`. In YAML, `any` is an empty
/// list or map.
/// 1. In `allowed`, an absent field permits nothing, `any` everything, a listed field what it lists.
///    The same holds one level down: for the values of a key, and for a kind or mode of affinity.
/// 2. In `required`, an absent field requires nothing, a listed field what it lists. `any` is valid
///    only below a field: any value of a key, any term of a kind or mode. As a whole field of
///    `required` it is invalid (`validate`) and counts as absent.
/// 3. In a pattern, an absent list matches nothing and `any` everything. The exception is `values`: if
///    absent, it matches only items without values.
/// 4. A list without items permits nothing and never means `any`. No pod meets a requirement that lists
///    no names.
/// 5. The proposal does not know runtime classes, spread constraints, gates and claims, so a policy
///    written for the proposal must not deny them. They are denied for lack of permission only if
///    `Options::governs` has them. The last three cannot be required.
/// 6. A policy that permits a runtime class also permits what the class adds to the pod. Resource claims
///    are permitted by name; the devices that a claim asks for are in another object.
/// Source: the SchedulingPolicy proposal, "SchedulingPolicy content".

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The usual `apiVersion` of its objects; `is_in_group` knows the other groups they can be in.
inline constexpr std::string_view api_version = own_api_version;

/// Node selector keys and the values each may have.
using NodeSelectors = TextMap<AnyOr<Texts>>;

/// Matches tolerations whose key, operator, value and effect all match.
struct TolerationPattern {
  AnyOr<Texts> keys{};
  AnyOr<std::vector<OpenEnum<TolerationOperator>>> operators{};
  AnyOr<Texts> values{};
  AnyOr<std::vector<OpenEnum<TaintEffect>>> effects{};

  friend bool operator==(const TolerationPattern&, const TolerationPattern&) = default;
};

/// Matches node selector requirements whose key and operator match, and whose values are all
/// listed.
struct RequirementPattern {
  AnyOr<Texts> keys{};
  AnyOr<std::vector<OpenEnum<NodeSelectorOperator>>> operators{};
  AnyOr<Texts> values{};

  friend bool operator==(const RequirementPattern&, const RequirementPattern&) = default;
};

/// In `allowed`: the expressions that a term may have, none if the list is absent. In `required`: each
/// pattern must match an expression of the term; `any` requires at least one expression. If both
/// lists are absent, the pattern permits nothing and is never satisfied.
struct TermPattern {
  AnyOr<std::vector<RequirementPattern>> match_expressions{};
  AnyOr<std::vector<RequirementPattern>> match_fields{};

  friend bool operator==(const TermPattern&, const TermPattern&) = default;
};

/// One mode of node affinity. In `allowed`, a pod may freely combine the expressions of all terms. In
/// `required`, the pod must satisfy each term.
struct NodeAffinityRule {
  std::vector<TermPattern> node_selector_terms{};

  friend bool operator==(const NodeAffinityRule&, const NodeAffinityRule&) = default;
};

/// One mode of pod affinity or anti-affinity. In `allowed`, the topology keys that terms may have. In
/// `required`, a term must have one of these keys.
struct PodAffinityRule {
  Texts topology_keys{};

  friend bool operator==(const PodAffinityRule&, const PodAffinityRule&) = default;
};

/// One kind of affinity, by its two modes.
template <class Rule>
struct AffinityModes {
  AnyOr<Rule> required_during_scheduling_ignored_during_execution{};
  AnyOr<Rule> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const AffinityModes&, const AffinityModes&) = default;
};

/// The rules for node affinity, and for pod affinity and anti-affinity.
using NodeAffinityRules = AffinityModes<NodeAffinityRule>;
using PodAffinityRules = AffinityModes<PodAffinityRule>;

/// The three kinds of affinity.
struct AffinityRules {
  AnyOr<NodeAffinityRules> node_affinities{};
  AnyOr<PodAffinityRules> pod_affinities{};
  AnyOr<PodAffinityRules> pod_anti_affinities{};

  friend bool operator==(const AffinityRules&, const AffinityRules&) = default;
};

/// Matches topology spread constraints whose topology key and `whenUnsatisfiable` both match. Only `any`
/// matches an empty key. A constraint without `whenUnsatisfiable` matches only if it would match with
/// either value.
struct SpreadConstraintPattern {
  AnyOr<Texts> topology_keys{};
  AnyOr<std::vector<OpenEnum<WhenUnsatisfiable>>> when_unsatisfiable{};

  friend bool operator==(const SpreadConstraintPattern&, const SpreadConstraintPattern&) = default;
};

/// The `required` or the `allowed` section. The fields after `runtime_class_names` are only for
/// `allowed`; in `required` they are invalid and count as absent.
struct PolicySection {
  AnyOr<Texts> scheduler_names{};
  AnyOr<Texts> priority_class_names{};
  AnyOr<NodeSelectors> node_selectors{};
  AnyOr<std::vector<TolerationPattern>> tolerations{};
  AnyOr<AffinityRules> affinities{};
  AnyOr<Texts> runtime_class_names{};
  AnyOr<std::vector<SpreadConstraintPattern>> topology_spread_constraints{};
  AnyOr<Texts> scheduling_gates{};  ///< names of gates
  AnyOr<Texts> resource_claims{};   ///< names of ResourceClaims and ResourceClaimTemplates

  friend bool operator==(const PolicySection&, const PolicySection&) = default;
};

/// A toleration that pods get. If `values` are listed, pods get one toleration for each value instead
/// of `toleration.value`. `any` values are invalid and count as absent.
struct DefaultToleration {
  Toleration toleration{};
  AnyOr<Texts> values{};

  friend bool operator==(const DefaultToleration&, const DefaultToleration&) = default;
};

/// The `default` section: what a pod gets if it does not specify it. An empty field gives nothing.
struct Defaults {
  std::optional<std::string> scheduler_name{};
  std::optional<std::string> priority_class_name{};
  Optional<Labels> node_selector{};
  std::optional<std::vector<DefaultToleration>> tolerations{};
  std::optional<Affinity> affinity{};
  std::optional<std::string> runtime_class_name{};

  friend bool operator==(const Defaults&, const Defaults&) = default;
};

/// What pods must use, may use, and get by default.
struct SchedulingPolicySpec {
  PolicySection required{};
  PolicySection allowed{};
  Defaults defaults{};

  friend bool operator==(const SchedulingPolicySpec&, const SchedulingPolicySpec&) = default;
};

/// Rules for the pods of the users that may use the policy.
struct SchedulingPolicy {
  ObjectMeta metadata{};
  SchedulingPolicySpec spec{};

  friend bool operator==(const SchedulingPolicy&, const SchedulingPolicy&) = default;
};

/// A pattern on one line in YAML flow style. `[]` is any, `none` is a list without items. Different
/// patterns have different texts.
[[nodiscard]] std::string to_string(const TolerationPattern& pattern);
[[nodiscard]] std::string to_string(const RequirementPattern& pattern);
[[nodiscard]] std::string to_string(const TermPattern& pattern);
[[nodiscard]] std::string to_string(const SpreadConstraintPattern& pattern);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/effective_policy.hpp

/// EffectivePolicy: the merged rules of all policies that apply to a pod, compiled for lookup, with
/// the names of the policies behind each rule. `merge` makes it; `apply_defaults`, `check` and
/// `admit` take it. It is immutable: any number of threads may use one value, and copies share
/// everything.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Policy names by entry, in the order in which the policies count. An entry is a path below `spec`,
/// printed as `required.nodeSelectors[disk]` or `allowed.tolerations[2]`; a kind or mode of affinity
/// is an entry, too.
using PolicyNames = std::map<FieldPath, Names>;

/// Where the entries of a merged spec came from.
struct Sources {
  PolicyNames entries{};  ///< the policies whose entries are in the merged entry
  PolicyNames lost{};     ///< the policies whose entry is hidden by an earlier policy's

  friend bool operator==(const Sources&, const Sources&) = default;
};

class EffectivePolicy {
 public:
  /// No policy, no rules: denies every pod.
  EffectivePolicy() = default;

  /// The rules of `spec`, merged from `policies`. Prefer `merge`, which fills in the sources. Drops what
  /// counts as absent (`merge.hpp`).
  EffectivePolicy(SchedulingPolicySpec spec, Names policies, Sources sources);

  /// Denies every pod, because two different policies have this name.
  [[nodiscard]] static EffectivePolicy ambiguous(std::string_view name);

  /// The merged rules, without what counts as absent (`merge.hpp`).
  [[nodiscard]] const SchedulingPolicySpec& spec() const& noexcept;
  [[nodiscard]] SchedulingPolicySpec spec() &&;

  /// The merged policies, in byte order. If ambiguous, the name that two policies share.
  [[nodiscard]] Names policies() const noexcept;
  [[nodiscard]] const Sources& sources() const& noexcept;  ///< of the entries of `spec`
  [[nodiscard]] Sources sources() &&;
  [[nodiscard]] bool is_ambiguous() const noexcept;  ///< whether two policies have the same name

  /// The policies behind a path below the merged spec: those of its own entry, or of the entry around
  /// it. (`simple_merge` takes `required.nodeSelectors` whole, so each key has the sources of the
  /// field.) Empty if there is no such entry.
  [[nodiscard]] Names sources_of(const FieldPath& place) const;

 private:
  friend class EffectivePolicyAccess;
  struct Impl;

  Shared<Impl> impl_;  ///< without an object, no rules
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/merge.hpp

/// How several usable policies become one set of rules. Policies count in the byte order of their
/// names, however you give them. A policy given twice counts once.
///
/// 1. `smart_deep_merge`: in `required` and `default`, the first policy with an entry wins. An entry is
///    a list of names or tolerations, one node selector key, or one mode of one kind of affinity. A mode
///    that is `any` is an entry, too; a kind that is `any` has no modes, so modes of later policies join
///    it. `allowed` adds up at every level, in order of first appearance, without duplicates; `any`
///    absorbs everything else at its level.
/// 2. `first_seen_wins`: the first policy alone.
/// 3. `simple_merge`: for each second-level entry (`required.nodeSelectors`, ...), the first policy wins.
///
/// A field of `required` that is `any`, and an empty field of `default`, count as absent: they never hide
/// another policy's field (`validate` refuses them). A list without items counts as absent, too, and never
/// becomes `any`. The exception is a list of names in `required` (schedulers, priority and runtime classes):
/// without names it stays, no pod meets it, and it hides those of later policies. Source: the
/// SchedulingPolicy proposal, "Multiple SchedulingPolicies considerations".

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The strategies of the rules above.
enum class MergeStrategy { smart_deep_merge, first_seen_wins, simple_merge };

/// `SmartDeepMerge`, `FirstSeenWins`, `SimpleMerge`.
[[nodiscard]] std::string_view to_string(MergeStrategy strategy) noexcept;

/// The rules of all `policies` together, compiled for lookup. Without policies, the result denies
/// everything (`NoUsablePolicy`). Two equal policies with the same name count once. Two different ones
/// make a result that denies everything (`AmbiguousPolicy`), whatever the strategy: to pick either
/// would lose the other's requirements. A strategy that is none of the three also denies everything.
/// Takes n log n in the size of the policies.
[[nodiscard]] EffectivePolicy merge(std::span<const SchedulingPolicy> policies,
                                    MergeStrategy strategy = MergeStrategy::smart_deep_merge);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/options.hpp

/// What the caller of `apply_defaults`, `check` and `admit` decides: how strictly required node
/// affinity is checked, and which parts of a pod the cluster added, and so are exempt.
///
/// Exempt items count as added by the cluster, whoever wrote them:
/// 1. An exempt item needs no permission, but it may meet or break a requirement. An exempt node
///    selector pair also meets a requirement on node affinity, as if each required term had
///    `KEY In [VALUE]` and every other expression that holds for the value. A toleration that a class
///    or a cluster policy adds meets a requirement on any toleration that it covers.
/// 2. If all tolerations of a pod are exempt, the pod does not specify tolerations and gets the default
///    ones. The same holds for a mode of affinity in which all terms are exempt.
/// 3. An item is exempt if it equals an exempt one. An item is a node name, a scheduler name
///    (`default-scheduler` for a pod without one), a node selector pair, a toleration with its
///    tolerationSeconds, one expression of a required node selector term, a whole preferred node
///    term, or a whole term of pod affinity or anti-affinity with its weight. An empty required node
///    selector term is exempt if an exempt affinity has one.
/// 4. No policy needs to mention a kind or mode of affinity in which everything is exempt. A kind or
///    mode that equals a default still counts as the default with exempt items added.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Where a pod must have the required node affinity. Here and below, a number that is not an enumerator
/// means the strictest one.
enum class RequiredAffinity {
  every_term,  ///< in every term of the pod, because Kubernetes ORs them
  present,     ///< in one term of the pod: the literal reading of the proposal
};

[[nodiscard]] constexpr std::string_view to_string(RequiredAffinity required) noexcept {
  return required == RequiredAffinity::present ? "Present" : "EveryTerm";
}

/// What happens to a pod that names its node.
enum class NodeNameCheck {
  require_any_scheduler,  ///< allowed only if `allowed.schedulerNames` is any
  ignore,                 ///< the node name is not checked
};

[[nodiscard]] constexpr std::string_view to_string(NodeNameCheck node_name) noexcept {
  return node_name == NodeNameCheck::ignore ? "Ignore" : "RequireAnyScheduler";
}

/// The parts of a pod that policies can govern: the fields of `allowed`, in order.
enum class Component {
  scheduler_names,  ///< the node name, too
  priority_class_names,
  node_selectors,
  tolerations,
  affinities,
  runtime_class_names,
  topology_spread_constraints,
  scheduling_gates,
  resource_claims,
};

/// All components, as `allowed` spells them.
inline constexpr auto component_names = std::to_array<std::string_view>(
    {"schedulerNames", "priorityClassNames", "nodeSelectors", "tolerations", "affinities",
     "runtimeClassNames", "topologySpreadConstraints", "schedulingGates", "resourceClaims"});

[[nodiscard]] constexpr std::string_view to_string(Component component) noexcept {
  const auto number = static_cast<std::size_t>(component);
  return number < component_names.size() ? component_names[number] : std::string_view();
}

/// A set of components: by default, or if none are listed, those of the SchedulingPolicy proposal.
class Components {
 public:
  constexpr Components() noexcept = default;
  /// The listed ones.
  constexpr Components(std::initializer_list<Component> listed) noexcept
      : Components(std::span(listed.begin(), listed.size())) {}
  /// The same for a list that is made at run time.
  constexpr explicit Components(std::span<const Component> listed) noexcept
      : bits_(listed.size() == 0 ? of_proposal : 0) {
    for (const Component each : listed) bits_ |= bit(each);
  }

  /// The first five components.
  [[nodiscard]] static constexpr Components proposal() noexcept { return {}; }
  /// All components.
  [[nodiscard]] static constexpr Components all() noexcept {
    Components components;
    components.bits_ = (1U << component_names.size()) - 1;
    return components;
  }

  /// Whether the component is in the set; false for a number that is not an enumerator.
  [[nodiscard]] constexpr bool contain(Component component) const noexcept {
    return (bits_ & bit(component)) != 0;
  }

  friend constexpr bool operator==(const Components&, const Components&) = default;

 private:
  /// The bit of a component; none for a number that is not an enumerator.
  static constexpr std::uint32_t bit(Component component) noexcept {
    return to_string(component).empty() ? 0 : 1U << static_cast<unsigned>(component);
  }
  static constexpr std::uint32_t of_proposal =
      (2U << static_cast<unsigned>(Component::affinities)) - 1;

  std::uint32_t bits_ = of_proposal;
};

struct Options {
  /// The components that need permission. Requirements and defaults apply to all components, whether
  /// they are governed or not. By default, policies written for the proposal's components never deny
  /// any other component for lack of permission.
  Components governs{};

  RequiredAffinity required_affinity = RequiredAffinity::every_term;
  NodeNameCheck node_name = NodeNameCheck::require_any_scheduler;
  DefaultScheduler default_scheduler = DefaultScheduler::specified;

  /// What the cluster itself adds to every pod.
  SchedulingCriteria exempt{};

  /// What cluster-scoped objects add to this pod, or will add; also exempt. Their values may differ. No
  /// default contradicts any of them.
  std::vector<SharedCriteria> exempt_criteria{};

  /// The node selector and tolerations that a RuntimeClass adds to the pods of a template; also exempt.
  /// They count as part of the template, except for keys that it has itself, but are not written to it.
  SchedulingCriteria added_to_pods{};

  /// The priority class that the API server gives to pods without one. It counts as no class, unless the
  /// policy's own default is this class. Empty: there is none.
  std::string global_default_priority_class{};

  friend bool operator==(const Options&, const Options&) = default;
};

/// The tolerations that the DefaultTolerationSeconds admission plugin adds to every pod: of not-ready
/// and unreachable nodes, NoExecute, for `seconds` (300 by default in the API server, too).
[[nodiscard]] std::vector<Toleration> default_toleration_seconds(std::int64_t seconds = 300);

/// The tolerations that the DaemonSet controller adds to its pods, including the one for pods on the
/// host network.
[[nodiscard]] std::vector<Toleration> daemon_set_tolerations();

/// `options` with these tolerations also exempt, such as those that the functions above return.
[[nodiscard]] Options exempt(Options options, std::span<const Toleration> tolerations);

/// `options` with these criteria also exempt: what a RuntimeClass or a ClusterPodSchedulingPolicy
/// adds to the pod.
[[nodiscard]] Options exempt(Options options, SharedCriteria criteria);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/engine/system.hpp

/// The systems that decide on pods: their names and modes, the objects they are compiled from, and
/// their settings. The headers in the folder of each system say what it does.
///
/// This header and the rows of `impl/systems.ipp` list the systems. A new system has an enumerator
/// here, its objects in `Objects` and `for_each_list`, its `Settings`, and a row there.

namespace SCHEDPOL_NAMESPACE::engine {

/// A system that decides on pods, named after the kind of its objects.
enum class System {
  runtime_class,
  metadata_policy,
  pod_scheduling_policy,
  scheduling_policy,
  resource_policy,  ///< denies a pod that more than one ResourcePolicy selects: no node takes it
  none,             ///< a step does not name its system: an error
};

/// All systems, without `none`, in the order of the enumeration.
inline constexpr auto all_systems = []<std::size_t... i>(std::index_sequence<i...>) {
  return std::array{static_cast<System>(i)...};
}(std::make_index_sequence<static_cast<std::size_t>(System::none)>());

/// The kind of its objects: `RuntimeClass`, `MetadataPolicy`, ...; empty for `none`.
[[nodiscard]] std::string_view to_string(System system) noexcept;

/// The key of the system in audit annotations: `runtime-class`. The API server adds the name of the
/// webhook as prefix, which makes a label key. Empty for `none`.
[[nodiscard]] std::string_view audit_key(System system) noexcept;

/// What a system does with its decisions.
enum class Mode {
  enforce,  ///< changes and denies objects
  warn,     ///< only warns the user what it would have denied
  audit,    ///< only writes to the audit log what it would have denied or changed
};

/// All modes. Each is weaker than those before it.
inline constexpr std::array all_modes = {Mode::enforce, Mode::warn, Mode::audit};

[[nodiscard]] std::string_view to_string(Mode mode) noexcept;

/// One system that runs. `system` has no valid default, so a step that forgets it does not run an
/// unintended system.
struct Step {
  System system = System::none;
  Mode mode = Mode::enforce;

  friend bool operator==(const Step&, const Step&) = default;
};

/// The label by which a namespace sets the mode for its objects: a value of `Mode`. Any other value is
/// `Enforce`.
inline constexpr std::string_view mode_label = "schedpol.io/mode";

/// Lets namespaces set their mode by this label. Everybody who may label a namespace can then set it.
struct NamespaceModes {
  Mode weakest = Mode::enforce;  ///< no label makes a mode weaker than this

  friend bool operator==(const NamespaceModes&, const NamespaceModes&) = default;
};

/// The pods that an object may apply to, by selectors of their labels, their annotations, and the labels
/// of their namespaces. An absent or invalid selector excludes no pod.
struct PodSelection {
  std::optional<LabelSelector> namespaces{};
  std::optional<LabelSelector> labels{};
  std::optional<LabelSelector> annotations{};

  friend bool operator==(const PodSelection&, const PodSelection&) = default;
};

/// An unusable object of which only the name could be read (`Engine::problems`). It denies nothing if its
/// kind is not in `Objects`.
struct UnreadableObject {
  std::string kind{};
  std::string namespace_{};  ///< empty for cluster-scoped kinds
  std::string name{};
  /// For a policy that selects pods, the pods that it may select. Empty, which means any pod, if the
  /// selectors could not be read either.
  std::vector<PodSelection> selects{};
  std::vector<FieldError> errors{};  ///< why it is unusable; paths are those of the object

  friend bool operator==(const UnreadableObject&, const UnreadableObject&) = default;
};

/// An object that the pod, or a grant to its user, refers to, and that the Engine does not know.
struct UnknownObject {
  /// `Namespace`, `RuntimeClass`, `SchedulingPolicy`, `ClusterRole` or `Role`.
  std::string kind{};
  std::string namespace_{};  ///< of a Role
  std::string name{};        ///< empty: any SchedulingPolicy that `user` may use
  std::string user{};        ///< set if the name is empty and RBAC grants the use of policies

  friend bool operator==(const UnknownObject&, const UnknownObject&) = default;
};

/// The objects that the systems of a cluster are compiled from, in any order.
struct Objects {
  std::vector<runtime_class::RuntimeClass> runtime_classes{};
  std::vector<metadata_policy::MetadataPolicy> metadata_policies{};
  std::vector<pod_scheduling_policy::PodSchedulingPolicy> pod_scheduling_policies{};
  std::vector<scheduling_policy::SchedulingPolicy> scheduling_policies{};
  std::vector<resource_policy::ResourcePolicy> resource_policies{};
  rbac::Rbac rbac{};
  std::vector<Namespace> namespaces{};  ///< for namespaceSelectors and modes
  std::vector<UnreadableObject> unreadable{};

  friend bool operator==(const Objects&, const Objects&) = default;
};

/// The user who makes a request.
using Requester = rbac::User;

/// Whether a kind is cluster-scoped or namespaced.
enum class Scope { cluster, namespace_ };

/// A kind of object, as Kubernetes names it.
struct ObjectKind {
  std::string_view name;
  Scope scope = Scope::cluster;
  std::string_view api_version{};  ///< of a policy; empty for Kubernetes' own kinds
  System system = System::none;    ///< compiled from these objects; none for roles and bindings
};

/// The kinds of objects that a list may have. If there are several, each object has its `kind`.
using ObjectKinds = std::initializer_list<ObjectKind>;

/// Calls `f(list, kinds)` for each list of `objects` that has kinds, in order.
template <class Lists, class F>
void for_each_list(Lists& objects, F&& f) {
  constexpr Scope in_cluster = Scope::cluster;
  constexpr Scope in_namespace = Scope::namespace_;
  f(objects.runtime_classes, ObjectKinds{{"RuntimeClass", in_cluster, {}, System::runtime_class}});
  f(objects.metadata_policies,
    ObjectKinds{
        {"MetadataPolicy", in_namespace, metadata_policy::api_version, System::metadata_policy}});
  f(objects.pod_scheduling_policies,
    ObjectKinds{{"PodSchedulingPolicy", in_namespace, pod_scheduling_policy::api_version,
                 System::pod_scheduling_policy},
                {"ClusterPodSchedulingPolicy", in_cluster, pod_scheduling_policy::api_version,
                 System::pod_scheduling_policy}});
  f(objects.scheduling_policies,
    ObjectKinds{{"SchedulingPolicy", in_cluster, scheduling_policy::api_version,
                 System::scheduling_policy}});
  f(objects.resource_policies,
    ObjectKinds{
        {"ResourcePolicy", in_namespace, resource_policy::api_version, System::resource_policy}});
  f(objects.rbac.roles, ObjectKinds{{"Role", in_namespace}});
  f(objects.rbac.cluster_roles, ObjectKinds{{"ClusterRole", in_cluster}});
  f(objects.rbac.role_bindings, ObjectKinds{{"RoleBinding", in_namespace}});
  f(objects.rbac.cluster_role_bindings, ObjectKinds{{"ClusterRoleBinding", in_cluster}});
}

/// Calls `f(list, kinds)` for the list of objects of type `T`.
template <class T, class Lists, class F>
void visit_list(Lists& objects, F&& f) {
  for_each_list(objects, [&](auto& list, ObjectKinds kinds) {
    if constexpr (std::is_same_v<typename std::remove_cvref_t<decltype(list)>::value_type, T>)
      f(list, kinds);
  });
}

/// Whether objects of this kind and group are policies of a system. A kind with the name of a policy in
/// another group is not a policy.
[[nodiscard]] bool is_policy(std::string_view api_group, std::string_view kind) noexcept;

/// Which SchedulingPolicies apply to a pod.
enum class PolicyUse {
  rbac,   ///< those that its service account may use
  every,  ///< all SchedulingPolicies
};

[[nodiscard]] constexpr std::string_view to_string(PolicyUse use) noexcept {
  return use == PolicyUse::every ? "Every" : "Rbac";
}

/// SchedulingPolicy's options for pods from an API server, which adds a scheduler name and the
/// tolerations of DefaultTolerationSeconds. So `default-scheduler` counts as unspecified, and these
/// tolerations are exempt in addition to those in `options`.
[[nodiscard]] scheduling_policy::Options admission_options(scheduling_policy::Options options = {});

/// The path of pod templates in objects of a custom kind: `{"argoproj.io", "Rollout", "spec.template"}`. A
/// path has nested fields; `[*]` after a list means each of its items, as in
/// `spec.replicatedJobs[*].template.spec.template`. It must lead to a PodTemplateSpec; a kind that has the
/// fields of a pod spec elsewhere is not supported. A kind with several templates has an entry for each path.
struct TemplatePath {
  std::string group{};  ///< the API group; not one of Kubernetes', whose templates are known
  std::string kind{};
  std::string path{};

  friend bool operator==(const TemplatePath&, const TemplatePath&) = default;
};

/// The most paths in a configuration, and the most templates in an object.
inline constexpr std::size_t max_template_paths = 64;

/// The settings of the systems, besides their objects.
struct Settings {
  PolicyUse policy_use = PolicyUse::rbac;
  /// What an RBAC rule must grant for a user to use a policy. An empty API group means that of the kind,
  /// `own_api_group`.
  rbac::Access access{.api_group = {}};
  scheduling_policy::MergeStrategy strategy = scheduling_policy::MergeStrategy::smart_deep_merge;
  /// `default_scheduler` in these options holds for PodSchedulingPolicy, too.
  scheduling_policy::Options options = admission_options();
  /// The user that creates the pods of DaemonSets.
  std::string daemon_set_controller = "system:serviceaccount:kube-system:daemon-set-controller";
  /// Users that place the pods of others, as Kueue does. What they add to a pod that had scheduling gates
  /// needs no SchedulingPolicy's permission. Each is a whole user name, not a pattern; an empty name
  /// matches nobody. Absent or empty: there are no placers.
  Texts placers{};
  /// The pod templates of custom kinds. Decisions on them are like those on workloads (`decide_templates`).
  /// Absent or empty: objects of custom kinds have no templates.
  std::vector<TemplatePath> templates{};
  metadata_policy::Options metadata_policy{};
  /// Absent: the label has no effect.
  std::optional<NamespaceModes> namespace_modes{};

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// `Settings::access` with its API group filled in.
[[nodiscard]] rbac::Access access_of(const Settings& settings);

/// The merged SchedulingPolicies of one service account.
using EffectivePolicy = scheduling_policy::EffectivePolicy;

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/engine/configuration.hpp

/// Configuration: what an Engine is compiled from. It says which systems run, in which order and mode,
/// and has the objects of the cluster that they are compiled from.
///
/// 1. At least one system runs, and each at most once. The objects of systems that do not run must be
///    valid, too.
/// 2. No two objects have the same kind, namespace (if the kind has one) and name.
/// 3. A namespaced object without a namespace is an error, because its author may not have meant
///    `default`. An Engine denies the pods that the selectors of such an object select, in every
///    namespace; a role or binding without a namespace grants nothing.
/// 4. A path to pod templates (`TemplatePath`) is well formed and listed once. The name of its group has a
///    dot, and its kind is neither a policy nor one of Kubernetes' own workloads.
/// 5. Every object could be read, and its system's `validate` finds nothing wrong with it.

namespace SCHEDPOL_NAMESPACE::engine {

struct Configuration {
  std::vector<Step> systems{};
  Objects objects{};
  Settings settings{};

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Everything that is wrong with a configuration by these rules; empty if it is well formed. A path
/// begins with the object: `SchedulingPolicy[gpu].spec.required.schedulerNames`,
/// `Role[shop/reader].metadata.name`.
[[nodiscard]] std::vector<FieldError> validate(const Configuration& configuration);

/// What the systems' `validate` finds wrong with each object by itself, whatever the other objects, and
/// why objects could not be read. Paths are those of the object.
[[nodiscard]] std::vector<FieldError> validate_each(const Objects& objects);

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/engine/engine.hpp

/// Engine: everything that a cluster's admission depends on, compiled once. Any number of threads may
/// use it. It decides on pods, on the pod templates of workloads, and on the metadata of every
/// object.
///
/// 1. A created object goes through the systems in their order. Each system sees the changes of those
///    before it. The first denial ends the decision and returns the object as it came. The default runtime
///    class of a SchedulingPolicy is set before any system is asked, because what a class adds depends on
///    it.
/// 2. A system in mode `warn` or `audit` neither denies nor changes anything. It reports what it would
///    have done.
///    With `Settings::namespace_modes`, each system takes its mode from the label `mode_label` of the
///    object's namespace, but none weaker than `weakest`. Without the label it keeps the mode of its
///    step. In an unknown namespace it enforces.
/// 3. An updated pod: MetadataPolicies change its metadata. Tolerations that the old pod had, the updated
///    one lacks and the systems would add are put back, because the API server lets nobody remove them.
///    The update is denied for violations that the old pod did not have.
/// 4. An updated workload with an unchanged template passes unchecked, so a changed label, annotation or
///    replica count never causes a rollout. The systems change a new template as on creation, and then
///    deny it for what it adds to the old one. If its service account differs, they deny it for what that
///    account may not use and the old one might. So an author who applies the same manifest again gets
///    what is stored, and injected list items are not lost. If injection fails (an unknown namespace, too
///    many terms), the update is denied as on creation.
/// 5. The template of a workload passes unchecked if its controller is a workload, because that one was
///    checked. So does the template of a ReplicaSet with any controller; if it were denied, the controller
///    would create replacements forever. Pods are always checked, whoever owns them.
/// 6. What RuntimeClasses and ClusterPodSchedulingPolicies add to a pod, or would add, never needs a
///    SchedulingPolicy's permission:
///    - An item is exempt if it equals one of theirs, part by part (`scheduling_policy/options.hpp`).
///    - The pod must name the class, the policy must select the pod as it stands, and their system must
///      enforce. A system that warns, audits or does not run exempts nothing. So everybody who may set
///      the labels that a policy selects gets what the policy gives.
///    - What the objects of a namespace add needs permission. Otherwise everybody who may write one could
///      permit anything.
///    - If class and policies together give more than `max_given_items`, a created pod or a new template
///      is denied (`LimitExceeded`), and nothing in an updated pod is exempt.
///    - A template is judged as its pods will be, with what their class adds. Nothing that contradicts
///      the class is injected into a template. Its tolerations count as its pods will have them: if the
///      class has `scheduling`, the API server merges in the class's tolerations and drops those that
///      another one covers.
/// 7. If the DaemonSet controller asks (`Settings::daemon_set_controller`), what it adds is exempt from
///    SchedulingPolicy: its tolerations, and `metadata.name In [NODE]` with one node in each required
///    node term. Terms with nothing else do not count as required terms. The controller replaces the
///    required terms of the template, so if policies require some and no default gives them, the pods
///    are denied. A warning for the DaemonSet says so.
/// 8. A placer (`Settings::placers`) updates a pod that had scheduling gates (`spec.schedulingGates` of the
///    old object): what it adds, and the gates that it removes, need no SchedulingPolicy's permission.
///    This holds only for updates of such pods. A pod that it creates, and a workload, even a suspended
///    Job, is judged like anybody's. Nothing that a pod says about itself counts.
/// 9. A mirror pod that a node writes (the user is in the group `system:nodes`, and the pod has the
///    annotation `kubernetes.io/config.mirror`) passes, because it already runs.
/// 10. After all mutators ran (`Phase::validating`), a created object is judged as it stands and not
///    changed. SchedulingPolicy gives no defaults, what a RuntimeClass adds must be in place,
///    MetadataPolicy judges what it has not written itself (`metadata_policy/reinvocation.hpp`), and
///    PodSchedulingPolicy denies nothing. An update is denied for what it adds.
/// 11. RuntimeClasses decide on pod templates but change only pods: if an overhead were in the template,
///    its pods would be denied once the class gets another overhead. In mode `warn` or `audit` the system
///    reports for a template what its pods would get.
/// 12. A decision is idempotent, in any order of the systems and in either phase: asked about the object
///     that it returned, an engine allows it unchanged. For this, the systems are asked again about their
///     own result until nothing changes and each of them permits it. Only rules of MetadataPolicies that
///     undo each other never settle: after `max_decision_rounds`, a pod or template is judged as it
///     stands.
/// 13. Tolerations are a set: if the systems together only reordered those of the object, they keep the
///     order in which they came.
/// 14. MetadataPolicy decides on the metadata of every object in a namespace; for a workload this excludes
///    its template. Exempt are kinds that are not stored; policies, so that a wrong one can be corrected
///    (`is_subject_to_metadata_policy`); objects that are being deleted; and, except pods and workloads,
///    what a cluster writes about itself (`metadata_policy/options.hpp`).
/// 15. A created pod or a new template in an unknown namespace is denied (`NamespaceNotFound`) if a policy
///    needs the labels of the namespace. An updated pod is not denied, and neither is anything in the
///    validating phase, because nothing is injected then.
/// 16. An object is unusable if it is invalid, could not be read, or has the name of another one. It does
///     not affect the other objects. It denies (`InvalidPolicy`, with its name) the pods that it might
///     have applied to: a RuntimeClass those that name it, a SchedulingPolicy those whose user may use it,
///     another policy those that its selectors select, or all if these cannot be read. A
///     PodSchedulingPolicy denies only if it would be injected. A namespace counts as unknown. A role or
///     binding grants nothing: the user is then judged by the policies of the other grants. So grant a
///     policy that requires something of everybody to everybody (`problems`).
///
/// 17. A program that watches a cluster may be asked about a pod before the watch shows the objects that
///     were created with it. So a denial says which objects were unknown (`Decision::unknown`). The
///     program can wait for its watch and ask again.
///
/// Source: the systems' own headers; Kubernetes' rules for mutating and validating webhooks, its
/// DaemonSet controller and kubelet.

namespace SCHEDPOL_NAMESPACE::engine {

/// The operations on an object that an engine decides on.
enum class Operation { create, update };

/// The webhook that makes a request.
enum class Phase {
  mutating,    ///< a created object and a new template are changed
  validating,  ///< all mutators ran: objects are judged as they stand
};

/// The group of the nodes' users. In their requests, an engine needs the annotations of the object.
inline constexpr std::string_view nodes_group = "system:nodes";

/// A request about a pod or a pod template. The policies of the namespace in its metadata apply
/// (`namespace_of`).
struct Request {
  Operation operation = Operation::create;
  Pod object{};
  Old<Pod> old{};  ///< for an update; of the same kind
  /// For an updated workload: its template differs in something that a Pod does not hold, such as an image.
  bool template_differs = false;
  Requester requester{};  ///< does not choose the policies: those of the pod's own user apply
  Phase phase = Phase::mutating;
  /// Whether changes have values. If nobody sees the changes, it is faster to omit the values.
  ChangeValues values = ChangeValues::shown;

  friend bool operator==(const Request&, const Request&) = default;
};

/// A request about the metadata of an object that is not a pod. For a workload, not about its template.
struct MetadataRequest {
  Operation operation = Operation::create;
  std::string api_group{};  ///< empty: the core group
  std::string kind{};
  Scope scope = Scope::namespace_;  ///< of the kind
  ObjectMeta object{};
  Old<ObjectMeta> old{};  ///< for an update
  Requester requester{};
  Phase phase = Phase::mutating;

  friend bool operator==(const MetadataRequest&, const MetadataRequest&) = default;
};

/// Whether objects of the kind are subject to MetadataPolicy. Not subject are Namespaces of the core
/// group, policies (`is_policy`), and kinds that are not stored: Bindings of the core group, Evictions of
/// `policy`, Scales of `autoscaling`, and all kinds of `authentication.k8s.io` and
/// `authorization.k8s.io`. A kind with such a name in another group is subject.
[[nodiscard]] bool is_subject_to_metadata_policy(std::string_view api_group,
                                                 std::string_view kind) noexcept;

/// Whether the template of a workload passes unchecked because of this owner (rule 5). An owner without
/// an API version is in the core group.
[[nodiscard]] bool skipped_by_owner(PodKind kind, const OwnerReference& owner) noexcept;

/// The decision of one system. In mode `enforce`, it has the violations for which the object is denied, or
/// the changes and the warnings. In another mode, it has what these would have been.
struct StepDecision {
  Step step{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
  std::vector<Warning> warnings{};

  friend bool operator==(const StepDecision&, const StepDecision&) = default;
};

/// The decision on a pod. A default-constructed or moved-from one is a denial. If denied, `pod` is as it
/// came, and the last of `steps` says why. If allowed, `pod` has the changes of all systems that enforce;
/// without steps, it passed unchecked. `warnings` are about the result of all systems together: no node can
/// meet both its node selector and its required node affinity, with the policies behind them.
///
/// `unknown` are objects that the denying system needs and does not know. Once they are known, the pod may
/// be allowed:
/// - the Namespace, if a policy needs its labels, and the RuntimeClass that the pod names;
/// - for SchedulingPolicy: any policy, if the user may use none; each policy that a grant names and each
///   role that is bound to the user, if there is none with that name; and what the other enforcing
///   systems do not know, because what they give needs no permission.
/// It is empty for an allowed pod, and if no object could change the denial. If the user may use some
/// policies, an engine cannot tell that one more is yet to be granted.
struct Decision {
  Allowed allowed{};
  Pod pod{};
  std::vector<StepDecision> steps{};
  std::vector<Warning> warnings{};
  std::vector<UnknownObject> unknown{};

  friend bool operator==(const Decision&, const Decision&) = default;
};

/// The decision on an object that is not a pod, with the same meaning.
struct MetadataDecision {
  Allowed allowed{};
  ObjectMeta metadata{};
  std::vector<StepDecision> steps{};

  friend bool operator==(const MetadataDecision&, const MetadataDecision&) = default;
};

class Engine {
 public:
  /// An engine without a configuration: denies everything, without steps.
  Engine() = default;

  /// Decides by the rules above. Thread-safe.
  [[nodiscard]] Decision decide(const Request& request) const;

  /// Decides on the metadata of an object that is not a pod (rule 14). An exempt object, and one of a
  /// cluster-scoped kind, is allowed as it came, without steps.
  [[nodiscard]] MetadataDecision decide_metadata(const MetadataRequest& request) const;

  /// Whether the system is configured to run, in any mode.
  [[nodiscard]] bool runs(System system) const noexcept;

  /// Whether a system that runs needs annotations and containers, and may change metadata. If false, a
  /// request need not have them.
  [[nodiscard]] bool looks_at_metadata() const noexcept;

  /// The user that creates the pods of DaemonSets (`Settings::daemon_set_controller`); valid as long as
  /// this engine or a copy of it exists.
  [[nodiscard]] std::string_view daemon_set_controller() const noexcept;

  /// Where objects of custom kinds have pod templates (`Settings::templates`); valid as long as this engine or
  /// a copy of it exists.
  [[nodiscard]] std::span<const TemplatePath> templates() const noexcept;

  /// The SchedulingPolicy rules for pods with the service account of `pod`. Empty, which denies
  /// everything, if one of the account's policies is unusable.
  [[nodiscard]] EffectivePolicy effective_policy(const Pod& pod) const;

  /// What is wrong with unusable objects (rule 16), as `validate` reports it, by kind and name.
  [[nodiscard]] std::vector<FieldError> problems() const;

  /// This engine with `objects`, which are added or replace those of the same kind, namespace and name.
  /// Both engines share what does not change: to replace one policy, role or binding of ten thousand
  /// takes a hundredth of the time to compile all.
  [[nodiscard]] Engine with(const Objects& objects) const;

  /// This engine without the objects that have the kind, namespace and name of one of `objects`.
  [[nodiscard]] Engine without(const Objects& objects) const;

 private:
  friend class EngineAccess;
  friend Result<Engine> compile(const Configuration& configuration);
  struct Impl;

  explicit Engine(Impl impl);

  Shared<Impl> impl_;
};

/// Advice for a person besides a decision, for callers such as `json::review`. This base class has
/// no advice; `insight/adviser.hpp` has an implementation.
class Adviser {
 public:
  virtual ~Adviser() = default;

  /// Edits after which the denied object of a request would be allowed; empty if there are none.
  [[nodiscard]] virtual std::vector<Change> nearest_fix(const Engine& /*engine*/,
                                                        const Request& /*request*/,
                                                        const Decision& /*denial*/) const {
    return {};
  }

  /// What the author of these objects should know about them among those of the engine, one line each.
  [[nodiscard]] virtual std::vector<std::string> warnings(const Engine&, const Objects&) const {
    return {};
  }
};

/// Compiles an engine, or reports what is wrong with the list of systems or of templates. An unusable object
/// is not an error (`Engine::problems`).
[[nodiscard]] Result<Engine> compile(const Configuration& configuration);

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/engine/templates.hpp

/// One decision on all pod templates of an object of a custom kind (`TemplatePath`):
///
/// 1. Each template is decided on by itself, like that of a PodTemplate with the name of the object.
/// 2. The object is allowed if all templates are. The answers for all templates are combined by system. Field
///    paths are the object's: `spec.replicatedJobs[1].template.spec.template.spec.tolerations[0]`. The
///    answer for a denied object is only about the denied templates.

namespace SCHEDPOL_NAMESPACE::engine {

/// A request about one pod template of an object. `json::read_templates` reads these.
struct TemplateRequest {
  TemplatePath path{};  ///< the path that found the template, with the object's group and kind
  FieldPath place{};    ///< its path in the object: `spec.replicatedJobs[1].template.spec.template`
  Request
      request{};  ///< about a PodTemplate with this template and the object's namespace and name

  /// The path in the object of a field of the PodTemplate, such as `template.spec.tolerations`.
  [[nodiscard]] FieldPath in_object(const FieldPath& field) const;

  friend bool operator==(const TemplateRequest&, const TemplateRequest&) = default;
};

/// The decision on the templates of one object. A default-constructed or moved-from one is a denial. An object
/// without templates is allowed, without steps.
struct TemplatesDecision {
  Allowed allowed{};
  std::vector<Pod>
      templates{};  ///< one for each request: with its changes, or if denied, as it came
  std::vector<StepDecision> steps{};
  std::vector<Warning> warnings{};
  std::vector<UnknownObject> unknown{};
  std::vector<Change>
      nearest_fix{};  ///< for all denied templates, if the adviser has a fix for each

  friend bool operator==(const TemplatesDecision&, const TemplatesDecision&) = default;
};

/// Decides by these rules.
[[nodiscard]] TemplatesDecision decide_templates(const Engine& engine,
                                                 std::span<const TemplateRequest> templates,
                                                 const Adviser& adviser = Adviser());

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/metadata_policy/compile.hpp

/// MetadataPolicies compiled for matching. An index finds rules by the namespace, labels and
/// annotations that they name. Only rules that name no label or annotation are checked for every
/// object of their namespace.

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The rules for `admit` and `choose_scheduler`. A default-constructed value fails closed: the policies
/// are not known, so every object is rejected.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

  /// These policies and `policies`, which replace those of the same name and namespace. Errors are
  /// those of `compile`.
  [[nodiscard]] Result<CompiledPolicies> with(std::span<const MetadataPolicy> policies) const;

  /// These policies except those with the name and namespace of one of `policies`.
  [[nodiscard]] CompiledPolicies without(std::span<const MetadataPolicy> policies) const;

 private:
  friend struct CompiledPoliciesAccess;
  struct Impl;

  Shared<Impl> impl_;
};

/// Compiles the policies, or reports every invalid selector with the name of its policy; nothing is
/// then evaluated. Paths begin with `policies[i]`. Two policies with the same name and namespace are
/// an error at `policies`.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/metadata_policy/metadata_admission.hpp

/// What MetadataPolicies do to the metadata of an object of any kind:
///
/// 1. All policies of the object's namespace apply.
/// 2. A rule matches if its labelSelector and its annotationSelector match; an absent selector always
///    matches. Predicates see the object as it came.
/// 3. If any matching rule rejects, the object is rejected and not changed, and every rejecting rule is
///    named.
/// 4. Otherwise all matching rules apply, in the order of policy name and rule index. If two rules write
///    the same key, the later one wins; different values are reported.
///
/// Source: the MetadataPolicy proposal.

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// A rule: the name of its policy, and its index there.
struct RuleName {
  std::string policy{};
  std::size_t rule = 0;

  friend bool operator==(const RuleName&, const RuleName&) = default;
};

/// What a rule wrote.
struct Write {
  RuleName by{};
  std::string value{};

  friend bool operator==(const Write&, const Write&) = default;
};

/// One key to which rules wrote different values; the last write wins.
struct Conflict {
  FieldPath field{};
  std::vector<Write> writes{};

  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// The result for an object's metadata. A default-constructed or moved-from one is a rejection. If the
/// object is rejected or there are `errors`, the metadata is as it came, and there are no changes.
struct MetadataAdmission {
  Allowed allowed{};
  ObjectMeta metadata{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};  ///< why the policies cannot be evaluated

  friend bool operator==(const MetadataAdmission&, const MetadataAdmission&) = default;
};

/// Why the object is rejected: one `RejectedByRule` for each rule, one `InvalidPolicy` for each error.
/// `field` is the path of the metadata in its document.
[[nodiscard]] std::vector<Violation> violations(const MetadataAdmission& admission,
                                                const FieldPath& field = {"metadata"});

/// The decision on an object with this metadata. `field` is the path of the metadata in its document.
[[nodiscard]] MetadataAdmission admit(ObjectMeta metadata, const CompiledPolicies& policies,
                                      const FieldPath& field = {"metadata"});

/// The same, but compiles the policies first. If they do not compile, rejects with `errors`.
[[nodiscard]] MetadataAdmission admit(ObjectMeta metadata,
                                      std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/metadata_policy/admit.hpp

/// What MetadataPolicies decide on a pod, or the pod template of a workload. Their main purpose is to
/// choose a scheduler by quality of service. An annotation gets the pod's quality of service, rules write
/// another annotation that names the scheduler, and that name becomes `spec.schedulerName`.
/// `metadata_admission.hpp` decides on the metadata of other objects. Source: the MetadataPolicy
/// proposal.

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The pod with its quality of service in `qos_annotation`, replacing any value there. An absent request
/// is the limit, as in the pods that are made from a template (`effective_qos_class`).
[[nodiscard]] Pod annotate_qos(Pod pod);

/// The result for a pod. A default-constructed one is a rejection. If the pod is rejected or there are
/// `errors`, the pod is as it came, and there are no changes.
struct SchedulerChoice {
  Allowed allowed{};
  Pod pod{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};  ///< why the policies cannot be evaluated

  friend bool operator==(const SchedulerChoice&, const SchedulerChoice&) = default;
};

/// `annotate_qos`, then the rules, then the scheduler in `scheduler_name_annotation`, if there is one.
/// The change of the scheduler names the policy whose rule wrote that annotation, or no policy if the
/// pod came with it.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod, const CompiledPolicies& policies);

/// The same, but compiles the policies first, with `errors` if they do not compile. In both functions, a
/// moved-from pod is an error.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod,
                                               std::span<const MetadataPolicy> policies);

/// `choose_scheduler` as an admission, to chain with those of other systems. It is denied with one
/// `RejectedByRule` for each rejecting rule, or with `InvalidPolicy` if nothing was compiled. Otherwise it
/// has the pod with its scheduler and what the rules wrote. A warning says if a rule wrote a label so
/// that a workload no longer selects its own template (`Pod::selector`).
[[nodiscard]] Admission admit(const Pod& pod, const CompiledPolicies& policies);

/// The same, but compiles the policies first. If they do not compile, the pod is denied with one
/// `InvalidPolicy` for each error. It names the policy with the invalid selector, or all policies if two
/// have the same name.
[[nodiscard]] Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/metadata_policy/reinvocation.hpp

/// What MetadataPolicies decide on an object that they may already have changed. A webhook is asked
/// again after another one changed the object (reinvocation), after all mutators, and on every update.
///
/// 1. Let B be the object without every label and annotation that updating rules of its namespace write
///    with that key and value. If the rules permit B and turn it into the object, the object already is
///    what they make of it: it is permitted and stays as it is.
/// 2. Otherwise `admit` decides on the object as it stands. So a second decision changes nothing, and
///    rules judge only what they have not written themselves.
/// 3. Only rules that did not match the old object reject an update. If all rejecting rules matched the
///    old object, the update is allowed and stays as it came.
/// 4. An object that is being deleted is allowed, too: anybody must be able to remove its finalizers.
/// 5. A pod gets a scheduler when it is created, a pod template whenever it is changed.
/// 6. A pod gets the annotation of its quality of service only if a rule of its namespace selects by it or
///    writes the scheduler, or if every pod must have it.
///
/// Source: the MetadataPolicy proposal; Kubernetes' rules for mutating webhooks.

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// The decision on a created object. `field` is the path of its metadata in its document.
[[nodiscard]] MetadataAdmission readmit(ObjectMeta metadata, const CompiledPolicies& policies,
                                        const FieldPath& field = {"metadata"});

/// The decision on an updated object.
[[nodiscard]] MetadataAdmission readmit_update(const Old<ObjectMeta>& old, ObjectMeta updated,
                                               const CompiledPolicies& policies,
                                               const FieldPath& field = {"metadata"});

/// The same for a pod or a pod template, with the violations of `admit`.
[[nodiscard]] Admission readmit(const Pod& pod, const CompiledPolicies& policies,
                                QosAnnotation qos = QosAnnotation::where_used);
[[nodiscard]] Admission readmit_update(const Old<Pod>& old, const Pod& updated,
                                       const CompiledPolicies& policies,
                                       QosAnnotation qos = QosAnnotation::where_used);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/metadata_policy/validate.hpp

/// What is wrong with a MetadataPolicy, apart from what its types already exclude.

namespace SCHEDPOL_NAMESPACE::metadata_policy {

/// Errors in the name, the selectors, and the labels and annotation keys that its rules update, even in
/// a rule that rejects; a spec of more than `max_policy_bytes`. Empty if the policy is well
/// formed.
[[nodiscard]] std::vector<FieldError> validate(const MetadataPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/pod_scheduling_policy/compile.hpp

/// PodSchedulingPolicies compiled for injection, and which of them apply to a pod:
///
/// 1. A policy applies if its podSelector matches the labels of the pod or template. In addition, the
///    namespaceSelector of the cluster kind must match the labels of the namespace; the namespaced kind
///    applies only in its own namespace. An absent selector selects nothing, `{}` everything.
/// 2. Policies apply in the byte order of their names (equal names: cluster kind first), each to the
///    result of the one before. The order in which you give them does not matter.
/// 3. An index finds policies by the labels and namespaces that their selectors name. Only policies whose
///    selectors name none are all checked for each pod.
///
/// Source: the kupid README and webhook.

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

struct Injection;

/// What a policy gives to pods. The name is valid as long as the CompiledPolicies.
struct GivenCriteria {
  std::string_view policy{};
  SharedCriteria criteria{};
};

/// Policies in the order in which they apply. A default-constructed value fails closed: the policies are
/// not known, so every pod is denied.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

  /// The names of the policies that need the labels of the namespace to decide on a pod with these
  /// labels: cluster policies that select the pod, but not in every namespace. Empty if nothing was
  /// compiled; then every pod is denied anyway.
  [[nodiscard]] std::vector<std::string> asking_for_namespace(const Labels& labels) const;

  /// These policies and `policies`, which replace those of the same kind, name and namespace. Errors are
  /// those of `compile`.
  [[nodiscard]] Result<CompiledPolicies> with(std::span<const PodSchedulingPolicy> policies) const;

  /// These policies except those with the kind, name and namespace of one of `policies`.
  [[nodiscard]] CompiledPolicies without(std::span<const PodSchedulingPolicy> policies) const;

  /// The number of policies checked for a pod with these labels; zero if nothing was compiled.
  [[nodiscard]] std::size_t candidates(const Labels& labels, const Namespace& in) const;

  /// The number of items (`max_given_items`) that the policies which apply to a pod with these labels
  /// give it together; zero if nothing was compiled.
  [[nodiscard]] std::size_t given_items(const Labels& labels, const Namespace& in) const;

  /// The criteria of the ClusterPodSchedulingPolicies that apply to a pod with these labels, in the
  /// order in which they apply, even if the pod has conflicting ones. Empty if nothing was compiled.
  /// `in` is null for an unknown namespace: only policies that apply in every namespace then count.
  /// The criteria are shared with the policies.
  [[nodiscard]] std::vector<GivenCriteria> criteria_of_cluster(const Labels& labels,
                                                               const Namespace* in) const;

 private:
  friend void inject_into(Injection&, const Namespace&, const CompiledPolicies&, DefaultScheduler,
                          ChangeValues, std::vector<Toleration>);

  struct Impl;
  Shared<Impl> impl_;
};

/// Compiles the policies, or reports all errors of `validate`, each with the name of its policy; nothing
/// is then injected. Paths begin with `policies[i]`. Two policies with the same kind, name and namespace
/// are an error, because their order would matter.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const PodSchedulingPolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/pod_scheduling_policy/admit.hpp

/// How the policies that apply to a pod, or to the pod template of a workload, are merged into it.
/// The pod's own criteria win; policies add only what does not conflict with them:
///
/// 1. nodeName, schedulerName: if the pod has none.
/// 2. nodeSelector: the pairs whose keys the pod lacks, in the order of their keys. Each pair is checked
///    against the result of the one before. A pair is skipped if no node could meet any of the pod's
///    required terms with it, and a node could without it.
/// 3. Tolerations, preferred terms, pod affinity and anti-affinity terms: those that the pod lacks, after
///    its own. A required pod affinity term is skipped if the pod requires anti-affinity with the same
///    topology key, label selector, namespaces and label keys, and the other way round. A toleration of
///    a taint of DefaultTolerationSeconds (not-ready, unreachable; NoExecute) replaces the one for 300
///    seconds that the API server adds, because Kubernetes takes the first toleration that matches. It
///    does not replace one that a RuntimeClass or another cluster policy gives to the pod.
/// 4. Required node selector terms, after the nodeSelector. A pod without such terms gets the policy's.
///    Otherwise every term of the pod is combined with every term of the policy: the policy's expressions
///    first, each only once. A term of the pod that has all expressions of some term of the policy stays
///    as it is, so a second injection changes nothing. An empty term matches no node and is left out; if
///    a pod has only empty terms, one stays.
/// 5. A combined term is skipped if no node can meet it together with the pod's nodeSelector, and a node
///    can meet the pod's own term. If no term is left that a node can meet, the pod's terms stay as they
///    were. So if a node can meet the pod before, a node can meet it afterwards, except for rule 6.
/// 6. In rules 2 and 5, Gt and Lt count as Exists: like kupid, this ignores the numbers that they compare.
///    No node meets a pod with `pool: web` and an injected `pool Gt 24`; an engine warns about it.
///
/// All policies that apply give at most `max_given_items` together. If they give more, nothing is
/// injected and the pod is denied.
///
/// Everything that is skipped is reported; the required terms of a policy count as one item. To combine
/// two terms takes n log n in the expressions with common keys. `max_merged_term_bytes` limits all
/// combined terms together.
///
/// `compile.hpp` says which policies apply, and in which order. Source: the kupid README and
/// webhook; unlike this, the webhook widens an empty term to all nodes.

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// A part of a policy that conflicts with the pod and is not injected.
struct Skipped {
  std::string policy{};
  FieldPath field{};
  std::string reason{};

  friend bool operator==(const Skipped&, const Skipped&) = default;
};

/// The result for a pod. If there are `errors`, the pod is as it came, and `applied` names the policy
/// that could not be applied, or all that apply if together they give too much.
struct Injection {
  Pod pod{};
  std::vector<std::string> applied{};  ///< the policies that select the pod, in their order
  std::vector<Skipped> skipped{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};

  friend bool operator==(const Injection&, const Injection&) = default;
};

/// The pod, or pod template, with everything that the policies which select it inject. `in` must be its
/// namespace; another one is an error. If `default-scheduler` counts as unspecified, the first policy
/// that names a scheduler replaces it. These are errors, too: policies that give more than
/// `max_given_items` together; a policy that would give the pod more than `max_node_selector_terms`
/// required terms besides those that it came with; a policy with which the combined terms exceed
/// `max_merged_term_bytes`; a moved-from pod.
[[nodiscard]] Injection inject(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                               DefaultScheduler default_scheduler = DefaultScheduler::specified,
                               ChangeValues values = ChangeValues::shown);

/// The same, but compiles the policies first. If they do not compile, returns the pod as it came and
/// the errors.
[[nodiscard]] Injection inject(Pod pod, const Namespace& in,
                               std::span<const PodSchedulingPolicy> policies,
                               DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The first `inject`, in place, for a caller that keeps a copy of the pod: `injection` has the pod and
/// nothing else. No other toleration replaces one of `kept`, those of the pod's RuntimeClass. If there are
/// `errors`, the pod in `injection` may be half changed; do not use it.
void inject_into(Injection& injection, const Namespace& in, const CompiledPolicies& policies,
                 DefaultScheduler default_scheduler, ChangeValues values,
                 std::vector<Toleration> kept = {});

/// The injection as an admission, to chain with those of other systems. It is denied with `InvalidPolicy`
/// if a policy cannot be evaluated, and with `LimitExceeded` if policies give too much or make too many
/// node selector terms. Otherwise it is allowed, with the changes. What is skipped as conflicting is a
/// warning.
[[nodiscard]] Admission admit(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                              DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The same, but compiles the policies first. If they do not compile, the pod is denied with one
/// `InvalidPolicy` for each error, which names its policy.
[[nodiscard]] Admission admit(Pod pod, const Namespace& in,
                              std::span<const PodSchedulingPolicy> policies,
                              DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The injection as an admission: allowed, or denied with one `InvalidPolicy` or `LimitExceeded` an error.
/// An injection does not keep the pod as it came. To chain the admission, set `before` to that pod.
[[nodiscard]] Admission to_admission(Injection&& injection);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/pod_scheduling_policy/validate.hpp

/// What is wrong with a PodSchedulingPolicy. The API server must accept in a pod what the policy
/// injects, so errors show when the policy is written and not with its first pod. Source: the
/// validation of pods in the Kubernetes API server.

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

/// Errors in the name, in the selectors, and in criteria that the API server would refuse in a pod; a
/// namespaceSelector in the namespaced kind; a namespace of the cluster kind; more than
/// `max_policy_bytes` or `max_given_items`.
[[nodiscard]] std::vector<FieldError> validate(const PodSchedulingPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/rbac/builtin.hpp

/// The RBAC objects that the SchedulingPolicy proposal provisions in every cluster, as values.
/// Everybody may use the policy `restricted`; the service accounts of kube-system may use the policy
/// `privileged`. The objects have the marks of those that the API server keeps up to date itself. The
/// API group of the policies is the proposal's, unless you name another. Source: the SchedulingPolicy
/// proposal, "RBAC".

namespace SCHEDPOL_NAMESPACE::rbac {

/// `sp:restricted`: may use the policy `restricted`.
[[nodiscard]] ClusterRole restricted_cluster_role(
    std::string_view policy_group = proposal_api_group);

/// `sp:privileged`: may use the policy `privileged`.
[[nodiscard]] ClusterRole privileged_cluster_role(
    std::string_view policy_group = proposal_api_group);

/// `sp:restricted`: every authenticated user has the role `sp:restricted`.
[[nodiscard]] ClusterRoleBinding restricted_cluster_role_binding();

/// `sp:kube-system-privileged`: all service accounts of kube-system have `sp:privileged` there.
[[nodiscard]] RoleBinding kube_system_privileged_role_binding();

/// All of these objects.
[[nodiscard]] Rbac builtin(std::string_view policy_group = proposal_api_group);

}  // namespace SCHEDPOL_NAMESPACE::rbac

// schedpol/resource_policy/compile.hpp

/// ResourcePolicies compiled for matching. A policy selects the pods of its own namespace whose labels
/// its podSelector matches. The one policy that selects a pod places it. Source: the Resource Policy
/// proposal, "CRD API".

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// A default-constructed value fails closed: the policies are not known, so no pod is admitted and none
/// can be placed.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

 private:
  friend Result<CompiledPolicies> compile(std::span<const ResourcePolicy>);
  friend Admission admit(Pod, const CompiledPolicies&);
  friend class Cluster;

  struct Impl;
  Shared<Impl> impl_;
};

/// Compiles the policies, or reports all errors of `validate`, each with the name of its policy; nothing
/// is then evaluated. Paths begin with `policies[i]`. One error of `validate` is none here: a key may be
/// in matchLabelKeys and in the podSelector. Pods with different values of it are then counted apart.
/// An `engine::Engine` does not use such a policy.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const ResourcePolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/resource_policy/admit.hpp

/// What ResourcePolicies decide when a pod is created. If more than one selects a pod, the pod is denied
/// with `MultipleResourcePolicies`, because the prefilter would keep it from every node. They change
/// nothing. Source: the Resource Policy proposal, "PreFilter".

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// The decision on a pod, or on the pods of a template. The violation is at the labels and names all
/// policies that select the pod, in byte order.
[[nodiscard]] Admission admit(Pod pod, const CompiledPolicies& policies);

/// The same, but compiles the policies first. If they do not compile, the pod is denied with one
/// `InvalidPolicy` for each error, which names its policy.
[[nodiscard]] Admission admit(Pod pod, std::span<const ResourcePolicy> policies);

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/resource_policy/validate.hpp

/// What is wrong with a ResourcePolicy, and what is legal but probably not intended. Only the nodes of a
/// cluster show whether two units share a node; this compares the selectors of units word for
/// word.

namespace SCHEDPOL_NAMESPACE::resource_policy {

/// What `validate` finds. Errors make a policy unusable; warnings are legal but probably not intended.
struct Validation {
  std::vector<FieldError> errors{};
  std::vector<FieldError> warnings{};

  friend bool operator==(const Validation&, const Validation&) = default;
};

/// Errors: in the name, strategy, selectors or label keys; a key twice in matchLabelKeys, or there and in
/// the podSelector; a negative maxCount, priority or resource; a resource that does not count by rule 3 of
/// `core/resources.hpp`; more than `max_unit_resources` resources of a unit, `max_units` units,
/// `max_match_label_keys` keys or `max_policy_bytes`.
/// Warnings: two units with the same name or the same selector, reported at the later unit.
[[nodiscard]] Validation validate(const ResourcePolicy& policy);

/// The cost of counting by a policy, as `core/limits.hpp` defines it.
[[nodiscard]] std::size_t counting_cost(const ResourcePolicySpec& of) noexcept;

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/runtime_class/compile.hpp

/// The RuntimeClasses of a cluster, compiled for lookup by name. If two different classes have the same
/// name, neither is trusted: the name is ambiguous. A class given twice counts once.

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// A default-constructed value has no classes, so it denies every pod that names one.
class CompiledClasses {
 public:
  CompiledClasses() = default;

  /// The class of that name, or null if there is none or the name is ambiguous. Valid as long as this
  /// value or a copy of it exists. Logarithmic in the number of classes.
  [[nodiscard]] const RuntimeClass* find(std::string_view name) const& noexcept;
  const RuntimeClass* find(std::string_view) && = delete;

  /// Whether two different classes have this name.
  [[nodiscard]] bool is_ambiguous(std::string_view name) const noexcept;

 private:
  friend CompiledClasses compile(std::span<const RuntimeClass>);
  struct Impl;

  Shared<Impl> impl_;
};

/// Uses all classes, even those with errors of `validate`.
[[nodiscard]] CompiledClasses compile(std::span<const RuntimeClass> classes);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/runtime_class/admit.hpp

/// RuntimeClass scheduling: what a pod takes over from its RuntimeClass.
///
/// 1. A pod without `runtimeClassName` takes over nothing. A pod that names a class which does not exist
///    is denied for that alone.
/// 2. Overhead: set from the class. A pod that comes with a different overhead is denied; quantities are
///    compared by value. So is a pod with an overhead if no class defines one.
/// 3. Node selector: the class's pairs are added. The same key with another value is a conflict.
/// 4. Tolerations, if the class has `scheduling`, even an empty one: the union of the pod's and the class's,
///    the pod's first. If the union adds and drops nothing, the pod's list keeps its order.
///
/// Source: the RuntimeClass scheduling proposal, and Kubernetes' RuntimeClass admission plugin.

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// The whole decision on a pod, with all violations. Admitting an allowed result again allows it and
/// changes nothing. A pod that names an ambiguous class is denied (`AmbiguousPolicy`). Quadratic in the
/// number of tolerations.
[[nodiscard]] Admission admit(Pod pod, const CompiledClasses& classes);

/// The same for classes that are not compiled. Only classes with the name in the pod count.
[[nodiscard]] Admission admit(Pod pod, std::span<const RuntimeClass> classes);

/// What the final pod lacks of its class after all mutators ran, for a validating webhook. Empty if
/// everything is in place. A pod without a class, or whose class does not exist or is ambiguous, has the
/// violations of `admit`. Otherwise, a different overhead is `OverheadMismatch`, or
/// `OverheadWithoutRuntimeClass` if the class has none. A node selector pair that is missing or has
/// another value is `NodeSelectorRequired`. A class toleration that no toleration of the pod covers is
/// `TolerationRequired`.
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, const CompiledClasses& classes);
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, std::span<const RuntimeClass> classes);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/runtime_class/supports.hpp

/// Whether a node supports a RuntimeClass: the node has the labels of the class's node selector.
/// Taints do not count, because the class adds the tolerations that its pods need. Source: the
/// RuntimeClass scheduling proposal, "Labeling Nodes".

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// Whether a node supports a class, and if not, the class's labels that are missing on the node or have
/// another value.
struct Support {
  bool supported = false;
  Labels missing{};

  friend bool operator==(const Support&, const Support&) = default;
};

/// Every node supports a class without a node selector.
[[nodiscard]] Support supports(const RuntimeClass& runtime_class, const Node& node);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/runtime_class/validate.hpp

/// What the API server would find wrong with a new RuntimeClass. Source: Kubernetes,
/// `pkg/apis/node/validation`.

namespace SCHEDPOL_NAMESPACE::runtime_class {

/// Errors in the name, the handler (a DNS label, required), the node selector labels and the tolerations;
/// a namespace, which no class has; a negative overhead. The API server does not check the limits: more
/// than `max_policy_bytes`, `max_given_items`, or `max_pod_resources` resources. Empty if the class is
/// well formed.
[[nodiscard]] std::vector<FieldError> validate(const RuntimeClass& runtime_class);

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/scheduling_policy/admit.hpp

/// The whole decision of the SchedulingPolicy admission controller on a new pod: `apply_defaults`,
/// then `check` on the result. For updates, use `check_update`, which gives no defaults.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// If allowed, the pod with its defaults and their changes. If denied, the pod as it came, and every
/// violation of the pod with its defaults. Admitting an allowed result again allows it and changes
/// nothing.
[[nodiscard]] Admission admit(Pod pod, const EffectivePolicy& effective,
                              const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/builtin.hpp

/// The policies that the SchedulingPolicy proposal provisions in every cluster, as values.
/// `rbac/builtin.hpp` has the RBAC objects that let pods use them. Source: the SchedulingPolicy
/// proposal, "Default SchedulingPolicies".

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// How the multi-architecture policies name architectures and operating systems.
enum class PlatformLabels {
  current,   ///< as nodes have them: `kubernetes.io/arch`, `kubernetes.io/os`, values like `linux`
  proposal,  ///< as the proposal spells them, on no node: `beta.kubernetes.io/...`, `Linux`
};

[[nodiscard]] constexpr std::string_view to_string(PlatformLabels labels) noexcept {
  return labels == PlatformLabels::current ? "Current" : "Proposal";
}

/// `restricted`: only the default scheduler; no priority class, toleration, node selector or
/// affinity.
[[nodiscard]] SchedulingPolicy restricted();

/// `privileged`: all schedulers, priority classes, node selectors, tolerations and affinities.
[[nodiscard]] SchedulingPolicy privileged();

/// `restricted-multiarch-by-node-selector`: the default scheduler, and a node selector that picks an
/// architecture (amd64 or arm64) and an operating system (Linux or Windows); amd64 and Linux by
/// default.
[[nodiscard]] SchedulingPolicy restricted_multiarch_by_node_selector(
    PlatformLabels labels = PlatformLabels::current);

/// `restricted-multiarch-by-affinity`: the same with required node affinity.
[[nodiscard]] SchedulingPolicy restricted_multiarch_by_affinity(
    PlatformLabels labels = PlatformLabels::current);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/check.hpp

/// Whether an effective policy permits a pod as it stands, and if not, every violation. A policy permits
/// what its `required`, `allowed` or `default` says: what it requires is allowed, and so is what it
/// injects itself. The rules, in the order of the violations:
///
/// 1. Scheduler name (`default-scheduler` if the pod has none): if any names are required, it is one of
///    them. Otherwise it is permitted.
/// 2. Node name: allowed only if `allowed.schedulerNames` is any.
/// 3. Priority class name: like the scheduler name. A pod without one can break only a requirement.
/// 4. Node selector: each required key has one of the listed values. Each other key of the pod is
///    permitted with its value.
/// 5. Tolerations: each equals a default, or matches an allowed or required pattern. One without an
///    effect must do so for each of the three effects. Then each required pattern matches a toleration
///    of the pod, or one that a toleration of a class or cluster policy covers.
/// 6. Affinity, by kind and mode: the policy permits any, or the terms are a default, or every expression
///    (of pod terms: the topology key) matches a pattern of the kind, mode and list. The terms are a
///    default as written, as this pod gets it, or as it got it before the cluster contradicted more of it:
///    it may still have parts that only exclude nodes, and may lack terms that no node meets beside the
///    cluster's if a node meets another term. Then requirements hold, those on required node affinity in
///    every term of the pod, because Kubernetes ORs terms.
/// 7. Runtime class name: like the priority class name.
/// 8. Topology spread constraints: for each, one allowed pattern matches both its topology key and its
///    `whenUnsatisfiable`.
/// 9. Scheduling gates and resource claims: the name of each gate, claim or claim template is allowed.
///    Only `any` allows one without a name.
///
/// A component that `Options::governs` does not have needs no permission, but still has to meet
/// requirements. The same holds for exempt items (`Options`). The global default priority class counts as
/// no class. A toleration or expression with an operator or effect unknown to Kubernetes, and an
/// expression without an operator, is never permitted. Source: the SchedulingPolicy proposal, "Detailed
/// Design".

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// Every violation of the pod; none if it is allowed. A moved-from pod has one, `MovedFrom`, here and in
/// `check_update`. Allocates nothing if there are no violations, unless the pod has a part of a default
/// affinity that would otherwise be left out. Names, node selector pairs and keys of patterns are found by
/// lookup, however many there are. Each toleration and expression is compared with all patterns for its
/// key or any key, and with all requirements.
[[nodiscard]] std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                           const Options& options);

/// The same with default options.
[[nodiscard]] std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective);

/// The violations of an updated pod or template that `old` did not have. Violations are the same if they
/// have the same code, value and field; list indices do not count, because an update may shift them. So
/// a newer policy never blocks a metadata edit of a running pod, but an added toleration is always
/// checked. Without a usable policy, or with an ambiguous one, the result is the one violation of
/// `check`, if the update asks for anything that `old` did not.
[[nodiscard]] std::vector<Violation> check_update(const Old<Pod>& old, const Pod& updated,
                                                  const EffectivePolicy& effective,
                                                  const Options& options = {});

/// The same if `old` has other policies, because another user runs it, or other options, because the
/// cluster adds something else to it.
[[nodiscard]] std::vector<Violation> check_update(
    const Old<Pod>& old, const EffectivePolicy& effective_for_old, const Options& options_for_old,
    const Pod& updated, const EffectivePolicy& effective, const Options& options);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/defaults.hpp

/// What a policy gives to pods that do not specify it themselves:
/// 1. the scheduler name and the runtime class name, if the pod has none;
/// 2. the priority class name, if the pod has none. `priority` and `preemptionPolicy` are then
///    cleared, because the API server derives them from the class and refuses other values;
/// 3. the node selector, key by key, except keys to which the pod's RuntimeClass or a
///    ClusterPodSchedulingPolicy gives another value;
/// 4. the tolerations, if the pod has only exempt ones: each default that the pod lacks. A default with
///    the key and effect of one of DefaultTolerationSeconds' two replaces it, because Kubernetes takes
///    the first toleration that matches. If a class, a cluster policy or the DaemonSet controller adds
///    a toleration of that taint, the default would have no effect and is not given;
/// 5. the affinity, for each kind and mode in which the pod has only exempt terms. Required node terms
///    are combined with the exempt ones as a cross product (`pod_scheduling_policy/admit.hpp`, rules
///    4 and 5); other terms are added after them.
///
/// No default contradicts what the pod has, or what its class and cluster policies add to it:
/// 6. A node selector pair is not given if no node can meet it together with one of the required
///    node terms.
/// 7. Required node terms are given after the node selector. An expression is left out if no node can
///    meet it together with the node selector and the exempt terms; the whole term is left out if no
///    node can meet its rest. A term that no node can meet by itself is not checked.
/// 8. A required pod affinity term is left out if the pod has an equal anti-affinity term, and the other
///    way round, unless the default itself has both.
/// A warning names what is left out or has no effect, and what it contradicts.
///
/// Kubernetes ORs required node terms. If `required` lists node terms that every term of the pod must
/// satisfy, and rule 7 leaves several terms of a default, then they are given
/// 9. as they are, if each of them satisfies the requirement;
/// 10. otherwise as one term with all their expressions, equal ones once, empty terms left out;
/// 11. not at all if no node can meet that one term. `analyze` reports it.
///
/// Source: the SchedulingPolicy proposal, "default".

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// A pod with its defaults, and what they changed.
struct Defaulted {
  Pod pod{};
  std::vector<Change> changes{};
  std::vector<Warning> warnings{};  ///< about defaults that are not given

  friend bool operator==(const Defaulted&, const Defaulted&) = default;
};

/// The pod with the defaults of `effective`. Idempotent, except that it warns again. An affinity is one
/// change if the pod has nothing of its kind, otherwise one for each mode. A change names the first of the
/// policies that the default came from. An effective policy without defaults, such as an empty or
/// ambiguous one, changes nothing. This does not decide whether the pod is allowed.
[[nodiscard]] Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                       const Options& options = {});

/// The pod with the default runtime class alone. If you ask other systems, too, call this first: what a
/// class adds to the pod depends on it.
[[nodiscard]] Defaulted apply_default_runtime_class(Pod pod, const EffectivePolicy& effective,
                                                    const Options& options = {});

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/validate.hpp

/// What is wrong with a SchedulingPolicy, with the API server's error types and field paths:
/// 1. the name is missing or not a DNS subdomain, or a namespace is set although the policy is
///    cluster-scoped;
/// 2. a field of `required` is any; an affinity, kind or mode there lists nothing (nulls leave this
///    behind); `default.tolerations` is empty; the `values` of a default toleration are any. The
///    proposal calls these invalid; in evaluation they count as absent;
/// 3. a term pattern is `{}`, which permits nothing and is never satisfied;
/// 4. an operator or effect is not in its vocabulary, a listed name is empty or listed twice, or a label
///    key or value breaks its syntax;
/// 5. the API server would refuse a default toleration or affinity; a default toleration has both a
///    value and values; the name of a default priority class is not a DNS subdomain (the API server
///    accepts any scheduler name);
/// 6. the policy's own requirement on schedulers or priority classes would deny its default;
/// 7. a list of texts has more than `max_expression_values` items, a name more than
///    `max_subdomain_bytes`, or the spec more than `max_policy_bytes`.
/// Evaluation does not need validation: a policy with errors never permits more than it says.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// The bytes of a spec, as `max_policy_bytes` counts them.
[[nodiscard]] std::size_t policy_bytes(const SchedulingPolicySpec& spec);

/// Every error of a policy. A cluster should accept a policy without errors.
[[nodiscard]] std::vector<FieldError> validate(const SchedulingPolicy& policy);

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/schedpol.hpp

/// Everything that decides on pods: value types and pure functions that need only the standard library.

#endif  // SCHEDPOL_SINGLE_INCLUDE

#if (!defined(SCHEDPOL_COMPILED) || defined(SCHEDPOL_IMPLEMENTATION)) && !defined(SCHEDPOL_SINGLE_INCLUDE_BODIES)
#define SCHEDPOL_SINGLE_INCLUDE_BODIES

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// schedpol/impl/linkage.hpp

/// How the bodies in `impl/*.ipp` are defined. By default every header brings its bodies along, as
/// inline functions. With `SCHEDPOL_COMPILED` headers only declare, and one translation unit of the
/// program includes `<schedpol/impl/src.hpp>`, and those of `cluster/`, `insight/` and
/// `json/` where it uses them.
/// An object that has lists in it is copied by its constructor (`to = Pod(from)`), never by assignment,
/// for which g++ compiles the assignment of every list in it.
/// A virtual function says so where its class declares it, too: for a class with one that is not
/// inline there, g++ compiles all of them in every unit that includes the header.

#if defined(SCHEDPOL_COMPILED)
#define SCHEDPOL_INLINE
#else
#define SCHEDPOL_INLINE inline
#endif

// schedpol/base/impl/end_program.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE void end_program(const char* why) noexcept {
  std::fputs("schedpol: ", stderr);
  std::fputs(why, stderr);
  std::fputs("\n", stderr);
  std::abort();
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/did_you_mean.hpp

/// What `did_you_mean` answers of any list of words, and of vocabularies.

namespace SCHEDPOL_NAMESPACE::detail {

constexpr char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// How many letters make one of two words the other. Both have at most `max_meant_bytes`.
inline std::size_t edit_distance(std::string_view a, std::string_view b) noexcept {
  using Row = std::array<std::size_t, max_meant_bytes + 1>;
  Row two_before{};
  Row before{};
  Row row{};
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_before = std::exchange(before, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + (same ? 0U : 1U)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

/// The known words one after another, of which the nearest is kept, the first of equals.
class NearestWord {
 public:
  explicit NearestWord(std::string_view word) noexcept
      : word_(word), letters_(word.size() > 3 ? 3 : std::min<std::size_t>(word.size(), 2)) {}

  void consider(std::string_view known) noexcept {
    const auto [shorter, longer] = std::minmax({known.size(), word_.size()});
    if (longer > max_meant_bytes || longer - shorter >= letters_) return;
    const std::size_t letters = edit_distance(word_, known);
    if (letters >= std::min(letters_, known.size())) return;
    letters_ = letters;
    known_ = known;
  }

  /// `, did you mean `Exists``; empty where nothing is near.
  [[nodiscard]] std::string text() const {
    return known_.empty() ? std::string() : ", did you mean " + in_backticks(known_);
  }

 private:
  std::string_view word_;
  std::size_t letters_;  ///< fewer are near
  std::string_view known_{};
};

/// Of the words of any list.
template <class List>
std::string did_you_mean(std::string_view word, const List& known) {
  NearestWord nearest(word);
  for (const std::string_view each : known) nearest.consider(each);
  return nearest.text();
}

/// Of a vocabulary; empty where the word is in it.
template <class Word>
std::string did_you_mean(const OpenEnum<Word>& word) {
  return word.known() ? std::string() : did_you_mean(word.text(), spellings(Word{}));
}

/// `unknown operator `Exist`, did you mean `Exists``; `what` is the sort of word.
template <class Word>
std::string unknown_word(std::string_view what, const OpenEnum<Word>& word) {
  return "unknown " + std::string(what) + " " + in_backticks(word.text()) + did_you_mean(word);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/base/impl/did_you_mean.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE std::string did_you_mean(std::string_view word,
                                         std::span<const std::string_view> known) {
  return detail::did_you_mean(word, known);
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/field_error.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// How an error type is spelled, and called in messages.
struct ErrorTypeTexts {
  std::string_view spelling;
  std::string_view message;
};

constexpr ErrorTypeTexts texts_of(ErrorType type) noexcept {
  switch (type) {
    case ErrorType::required: return {"FieldValueRequired", "required value"};
    case ErrorType::invalid: return {"FieldValueInvalid", "invalid value"};
    case ErrorType::not_supported: return {"FieldValueNotSupported", "unsupported value"};
    case ErrorType::forbidden: return {"FieldValueForbidden", "forbidden"};
    case ErrorType::duplicate: return {"FieldValueDuplicate", "duplicate value"};
    case ErrorType::too_long: return {"FieldValueTooLong", "too long"};
    case ErrorType::too_many: return {"FieldValueTooMany", "too many"};
    case ErrorType::type_invalid: return {"FieldValueTypeInvalid", "wrong type"};
  }
  return {"InternalError", ""};
}

}  // namespace detail

SCHEDPOL_INLINE void end_program(const std::vector<FieldError>& errors) noexcept {
  std::string why = "the value of a Result that has none was asked for";
  if (!errors.empty()) why += ": " + message(errors.front());
  end_program(why.c_str());
}

SCHEDPOL_INLINE std::string_view to_string(ErrorType type) noexcept {
  return detail::texts_of(type).spelling;
}

SCHEDPOL_INLINE std::string message(const FieldError& error) {
  if (error.field.empty() && !error.detail.empty()) return error.detail;
  std::string text =
      error.field.empty() ? std::string() : in_backticks(to_string(error.field)) + ": ";
  text += detail::texts_of(error.type).message;
  if (!error.bad_value.empty()) text += " " + in_backticks(error.bad_value);
  if (!error.detail.empty()) text += ": " + error.detail;
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/field_path.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// The names of fields that most paths are made of, which are kept as a number.
inline constexpr std::string_view interned_fields[] = {
    "spec",
    "metadata",
    "template",
    "jobTemplate",
    "labels",
    "annotations",
    "namespace",
    "schedulerName",
    "nodeName",
    "priorityClassName",
    "runtimeClassName",
    "overhead",
    "nodeSelector",
    "tolerations",
    "affinity",
    "nodeAffinity",
    "podAffinity",
    "podAntiAffinity",
    "requiredDuringSchedulingIgnoredDuringExecution",
    "preferredDuringSchedulingIgnoredDuringExecution",
    "nodeSelectorTerms",
    "matchExpressions",
    "matchFields",
    "key",
    "operator",
    "value",
    "values",
    "effect"};

/// Another number below 64 for each of these names.
constexpr std::size_t interned_slot(std::string_view name) noexcept {
  const auto byte = [](char c) -> std::size_t { return static_cast<unsigned char>(c); };
  return (name.size() * 33 + byte(name.front()) * 3 + byte(name.back())) % 64;
}

constexpr std::array<unsigned char, 64> slots_of_usual_fields() {
  std::array<unsigned char, 64> slots{};
  for (std::size_t i = 0; i < std::size(interned_fields); ++i)
    slots.at(interned_slot(interned_fields[i])) = static_cast<unsigned char>(i);
  return slots;
}

inline constexpr auto interned_slots = slots_of_usual_fields();

constexpr bool every_usual_field_has_its_slot() {
  for (std::size_t i = 0; i < std::size(interned_fields); ++i)
    if (interned_slots[interned_slot(interned_fields[i])] != i) return false;
  return true;
}
static_assert(every_usual_field_has_its_slot());

/// Nothing where it is none of these names.
inline std::optional<std::size_t> usual_number(std::string_view name) noexcept {
  if (name.empty()) return std::nullopt;
  const std::size_t number = interned_slots[interned_slot(name)];
  return interned_fields[number] == name ? std::optional(number) : std::nullopt;
}

/// A step of a path in bytes: its kind, then its index or the size of its name, then the name. That
/// of a usual field or of a small index is one byte, so that most paths need no memory of their own.
struct StepBytes {
  using Kind = FieldPath::Step::Kind;

  static constexpr std::size_t head = 1 + sizeof(std::uint64_t);
  static constexpr auto first_interned = static_cast<std::size_t>(Kind::index) + 1;
  static constexpr auto first_index = first_interned + std::size(interned_fields);

  static void append(std::string& bytes, const FieldPath::Step& step) {
    if (const auto byte = short_form(step)) {
      bytes += static_cast<char>(*byte);
      return;
    }
    const std::uint64_t number = step.kind == Kind::index ? step.index : step.name.size();
    const std::size_t before = bytes.size();
    bytes.resize(before + head + step.name.size());
    char* const to = bytes.data() + before;
    *to = static_cast<char>(step.kind);
    std::memcpy(to + 1, &number, sizeof number);
    std::char_traits<char>::copy(to + head, step.name.data(), step.name.size());
  }

  /// Takes the first step off `bytes`, which has one.
  static FieldPath::Step take(std::string_view& bytes) noexcept {
    FieldPath::Step step;
    const std::size_t first = static_cast<unsigned char>(bytes.front());
    if (first >= first_interned) {
      bytes.remove_prefix(1);
      if (first < first_index) {
        step.name = interned_fields[first - first_interned];
      } else {
        step.kind = Kind::index;
        step.index = first - first_index;
      }
      return step;
    }
    step.kind = static_cast<Kind>(first);
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + 1, sizeof number);
    bytes.remove_prefix(head);
    if (step.kind == FieldPath::Step::Kind::index) {
      step.index = static_cast<std::size_t>(number);
    } else {
      step.name = bytes.substr(0, static_cast<std::size_t>(number));
      bytes.remove_prefix(step.name.size());
    }
    return step;
  }

 private:
  /// The one byte of a step that has one.
  static std::optional<std::size_t> short_form(const FieldPath::Step& step) noexcept {
    if (step.kind == Kind::index && step.index < 256 - first_index) return first_index + step.index;
    if (step.kind != Kind::field) return std::nullopt;
    const auto usual = usual_number(step.name);
    return usual ? std::optional(first_interned + *usual) : std::nullopt;
  }
};

}  // namespace detail

SCHEDPOL_INLINE void FieldPath::append(std::span<const std::string_view> fields) {
  for (const std::string_view field : fields) detail::StepBytes::append(bytes_, {.name = field});
}

SCHEDPOL_INLINE FieldPath::FieldPath(std::initializer_list<std::string_view> fields) {
  append({fields.begin(), fields.size()});
}
SCHEDPOL_INLINE FieldPath::FieldPath(std::span<const std::string_view> fields) {
  append(fields);
}

SCHEDPOL_INLINE FieldPath FieldPath::child(std::string_view field) && {
  detail::StepBytes::append(bytes_, {.name = field});
  return std::move(*this);
}
SCHEDPOL_INLINE FieldPath FieldPath::key(std::string_view key) && {
  detail::StepBytes::append(bytes_, {.kind = Step::Kind::key, .name = key});
  return std::move(*this);
}
SCHEDPOL_INLINE FieldPath FieldPath::index(std::size_t index) && {
  detail::StepBytes::append(bytes_, {.kind = Step::Kind::index, .index = index});
  return std::move(*this);
}
SCHEDPOL_INLINE FieldPath FieldPath::child(std::string_view field) const& {
  return FieldPath(*this).child(field);
}
SCHEDPOL_INLINE FieldPath FieldPath::key(std::string_view key) const& {
  return FieldPath(*this).key(key);
}
SCHEDPOL_INLINE FieldPath FieldPath::index(std::size_t index) const& {
  return FieldPath(*this).index(index);
}

SCHEDPOL_INLINE void FieldPath::push_back(const Step& step) {
  detail::StepBytes::append(bytes_, step);
}

SCHEDPOL_INLINE FieldPath FieldPath::join(const FieldPath& below) const {
  FieldPath path = *this;
  path.bytes_ += below.bytes_;
  return path;
}

SCHEDPOL_INLINE FieldPath FieldPath::join(std::initializer_list<std::string_view> fields) && {
  append({fields.begin(), fields.size()});
  return std::move(*this);
}

SCHEDPOL_INLINE std::vector<FieldPath::Step> FieldPath::steps() const& {
  std::vector<Step> steps;
  for (std::string_view rest = bytes_; !rest.empty();)
    steps.push_back(detail::StepBytes::take(rest));
  return steps;
}

SCHEDPOL_INLINE FieldPath FieldPath::parent() const {
  std::size_t last = 0;
  for (std::string_view rest = bytes_; !rest.empty(); detail::StepBytes::take(rest))
    last = bytes_.size() - rest.size();
  FieldPath path;
  path.bytes_ = bytes_.substr(0, last);
  return path;
}

SCHEDPOL_INLINE FieldPath FieldPath::below(std::size_t steps) const {
  std::string_view rest = bytes_;
  for (; steps > 0 && !rest.empty(); --steps) detail::StepBytes::take(rest);
  FieldPath below;
  below.bytes_ = rest;
  return below;
}

SCHEDPOL_INLINE FieldPath FieldPath::without_indices() const {
  FieldPath path;
  path.bytes_.reserve(bytes_.size());
  for (std::string_view rest = bytes_; !rest.empty();) {
    Step step = detail::StepBytes::take(rest);
    step.index = 0;
    detail::StepBytes::append(path.bytes_, step);
  }
  return path;
}

SCHEDPOL_INLINE std::strong_ordering FieldPath::operator<=>(const FieldPath& other) const noexcept {
  std::string_view left = bytes_;
  std::string_view right = other.bytes_;
  while (!left.empty() && !right.empty()) {
    const Step a = detail::StepBytes::take(left);
    const Step b = detail::StepBytes::take(right);
    if (a.kind != b.kind) return a.kind <=> b.kind;
    if (a.index != b.index) return a.index <=> b.index;
    if (const auto names = a.name <=> b.name; names != 0) return names;
  }
  return left.size() <=> right.size();
}

SCHEDPOL_INLINE bool FieldPath::operator==(std::string_view text) const {
  return to_string(*this) == text;
}

SCHEDPOL_INLINE void append_to(std::string& text, const FieldPath& path) {
  for (std::string_view rest = path.bytes_; !rest.empty();) {
    const bool is_first = rest.size() == path.bytes_.size();
    const FieldPath::Step step = detail::StepBytes::take(rest);
    switch (step.kind) {
      case FieldPath::Step::Kind::field:
        if (!is_first) text += '.';
        text += step.name;
        break;
      case FieldPath::Step::Kind::key: text.append(1, '[').append(step.name) += ']'; break;
      case FieldPath::Step::Kind::index:
        text.append(1, '[').append(std::to_string(step.index)) += ']';
        break;
    }
  }
}

SCHEDPOL_INLINE std::string to_string(const FieldPath& path) {
  std::string text;
  append_to(text, path);
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/shared.hpp

/// What stands behind a `Shared<T>` and an `Owned<T>`, for the files that make one or look at it.

namespace SCHEDPOL_NAMESPACE {

/// What a `SharedOwner` owns, alone or with others.
class SharedObject {
 public:
  SharedObject() = default;
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  virtual ~SharedObject() = default;

  /// Null where it is never copied.
  [[nodiscard]] virtual SharedObject* copy() const { return nullptr; }

  std::atomic<std::size_t> owners = 1;
};

template <class T>
struct Shared<T>::Value : SharedObject {
  explicit Value(T from) : value(std::move(from)) {}

  const T value;
};

template <class T>
Shared<T>::Shared(T value) : SharedOwner(new Value(std::move(value))) {}

template <class T>
const T& Shared<T>::operator*() const noexcept {
  return static_cast<const Value*>(object())->value;
}

namespace detail {

/// One that is copied for another owner.
template <class T>
struct OwnedObject final : SharedObject {
  explicit OwnedObject(T from) : value(std::move(from)) {}

  [[nodiscard]] SharedObject* copy() const override { return new OwnedObject(value); }

  T value;
};

}  // namespace detail

template <class T>
Owned<T>::Owned(T value) : SharedOwner(new detail::OwnedObject<T>(std::move(value))) {}

template <class T>
T& Owned<T>::operator*() noexcept {
  return static_cast<detail::OwnedObject<T>*>(object())->value;
}

template <class T>
const T& Owned<T>::operator*() const noexcept {
  return static_cast<const detail::OwnedObject<T>*>(object())->value;
}

namespace detail {

/// A value that copies share until one of them changes it. While one is copied from another that
/// lives on, what both have is never taken for its own.
template <class T>
class CopyOnWrite : private SharedOwner {
 public:
  CopyOnWrite() noexcept = default;
  explicit CopyOnWrite(T value) : SharedOwner(new OwnedObject<T>(std::move(value))) {}

  [[nodiscard]] explicit operator bool() const noexcept { return object() != nullptr; }

  /// Only where there is a value.
  [[nodiscard]] const T& operator*() const noexcept {
    return static_cast<const OwnedObject<T>*>(object())->value;
  }

  /// The value to be changed, made where there is none: one that no other has.
  [[nodiscard]] T& own() {
    if (object() == nullptr) {
      *this = CopyOnWrite(T());
    } else if (object()->owners.load(std::memory_order_acquire) > 1) {
      SharedOwner::operator=(copied());
    }
    return static_cast<OwnedObject<T>*>(object())->value;
  }
};

}  // namespace detail

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/names.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE Names::Names(std::initializer_list<Text> names) : Names(Texts(names)) {}

SCHEDPOL_INLINE Names::Names(Texts names, std::size_t more) : more_(more) {
  if (!names.empty()) list_ = Shared<Texts>(std::move(names));
}

SCHEDPOL_INLINE const std::vector<std::string>& Names::vector() const& noexcept {
  static const std::vector<std::string> none;
  return list_ ? list_->vector() : none;
}
SCHEDPOL_INLINE std::vector<std::string> Names::vector() && {
  return std::as_const(*this).vector();
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/shared.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE SharedOwner::SharedOwner(const SharedOwner& other) noexcept
    : object_(other.object_) {
  if (object_ != nullptr) object_->owners.fetch_add(1, std::memory_order_relaxed);
}

SCHEDPOL_INLINE SharedOwner& SharedOwner::operator=(const SharedOwner& other) noexcept {
  SharedOwner copy = other;
  std::swap(object_, copy.object_);
  return *this;
}

SCHEDPOL_INLINE SharedOwner& SharedOwner::operator=(SharedOwner&& other) noexcept {
  SharedOwner taken = std::move(other);
  std::swap(object_, taken.object_);
  return *this;
}

SCHEDPOL_INLINE SharedOwner::~SharedOwner() {
  if (object_ == nullptr) return;
  if (object_->owners.fetch_sub(1, std::memory_order_acq_rel) == 1) delete object_;
}

SCHEDPOL_INLINE SharedOwner SharedOwner::copied() const {
  return SharedOwner(object_ == nullptr ? nullptr : object_->copy());
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/quoting.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline void append_hex(std::string& text, unsigned char byte) {
  constexpr std::string_view hex = "0123456789abcdef";
  text.append("\\x").append(1, hex[byte >> 4U]).append(1, hex[byte & 0xFU]);
}

}  // namespace detail

SCHEDPOL_INLINE std::size_t unprintable_bytes(std::string_view text) noexcept {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(i < text.size() ? text[i] : '\0');
  };
  if (text.empty()) return 0;
  switch (byte(0)) {
    case 0xC2: return byte(1) >= 0x80 && byte(1) < 0xA0 ? 2 : 0;
    case 0xD8: return byte(1) == 0x9C ? 2 : 0;  // U+061C
    case 0xE2: {
      const unsigned char last = byte(2);
      const bool in_2000 = byte(1) == 0x80 && (last == 0x8E || last == 0x8F ||   // U+200E, U+200F
                                               (last >= 0xA8 && last <= 0xAE));  // U+2028 to U+202E
      const bool in_2040 = byte(1) == 0x81 && last >= 0xA6 && last <= 0xA9;      // U+2066 to U+2069
      return in_2000 || in_2040 ? 3 : 0;
    }
    default: return byte(0) < 0x20 || byte(0) == 0x7F ? 1 : 0;
  }
}

SCHEDPOL_INLINE void append_escaped(std::string& text, std::string_view part,
                                    const Separators& separators) {
  const auto is_special = [&](char c) { return separators.is_special(c); };
  while (!part.empty()) {
    const auto special = std::find_if(part.begin(), part.end(), is_special);
    const auto plain = static_cast<std::size_t>(special - part.begin());
    text.append(part.substr(0, plain));
    part.remove_prefix(plain);
    if (part.empty()) return;
    const std::size_t unprintable = unprintable_bytes(part);
    for (const char c : part.substr(0, unprintable))
      detail::append_hex(text, static_cast<unsigned char>(c));
    part.remove_prefix(unprintable);
    if (unprintable > 0) continue;
    if (static_cast<unsigned char>(part.front()) < 0x80) text += '\\';
    text += part.front();
    part.remove_prefix(1);
  }
}

SCHEDPOL_INLINE std::string in_backticks(std::string_view input) {
  bool cut = false;
  if (input.size() > max_shown_bytes) {
    std::size_t end = max_shown_bytes;
    while (end > 0 && (static_cast<unsigned char>(input[end]) & 0xC0U) == 0x80U) --end;
    input = input.substr(0, end);
    cut = true;
  }
  std::string text = "`";
  constexpr Separators backtick("`");
  append_escaped(text, input, backtick);
  text += cut ? "...`" : "`";
  return text;
}

SCHEDPOL_INLINE std::string in_backticks(const Names& names) {
  const std::size_t all = names.size() + names.more();
  std::string text;
  std::size_t shown = 0;
  std::size_t bytes = 0;
  for (const std::string& name : names) {
    bytes += name.size();
    if (shown == max_shown_names || (shown > 0 && bytes > max_shown_bytes)) break;
    if (shown > 0) text += shown + 1 == all ? " and " : ", ";
    text += in_backticks(name);
    ++shown;
  }
  if (shown < all) text += " and " + std::to_string(all - shown) + " more";
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/any_of.hpp

/// The algorithms of the standard library of these names, for whole lists. Without optimisation each use
/// of those compiles eight functions, of these one. With it those that search compile four times what they
/// ask, which for a pattern is long.

namespace SCHEDPOL_NAMESPACE::detail {

/// Whether `holds` is true of one item at least.
template <class List, class Predicate>
[[nodiscard]] constexpr bool any_of(const List& list, Predicate&& holds) {
  for (const auto& item : list)
    if (holds(item)) return true;
  return false;
}

/// Whether it is true of no item.
template <class List, class Predicate>
[[nodiscard]] constexpr bool none_of(const List& list, Predicate&& holds) {
  for (const auto& item : list)
    if (holds(item)) return false;
  return true;
}

/// Whether it is true of every item.
template <class List, class Predicate>
[[nodiscard]] constexpr bool all_of(const List& list, Predicate&& holds) {
  for (const auto& item : list)
    if (!holds(item)) return false;
  return true;
}

/// Whether one of the items is equal to this one.
template <class List, class Item>
[[nodiscard]] constexpr bool contains(const List& list, const Item& wanted) {
  for (const auto& item : list)
    if (item == wanted) return true;
  return false;
}

/// The indices of what `list` has and `other` does not have as often.
template <class Item>
[[nodiscard]] std::vector<std::size_t> missing_from(std::vector<Item> other,
                                                    const std::vector<Item>& list) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto at = other.begin();
    while (at != other.end() && !(*at == list[i])) ++at;
    if (at != other.end()) {
      other.erase(at);
    } else {
      missing.push_back(i);
    }
  }
  return missing;
}

/// Erases every item of which it is true; the others stay in their order.
template <class Item, class Predicate>
void erase_if(std::vector<Item>& list, Predicate&& holds) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (holds(list[i])) continue;
    if (kept != i) list[kept] = std::move(list[i]);
    ++kept;
  }
  while (list.size() > kept) list.pop_back();
}

/// Adds the items of a list to the end of another one; moves them where the list is given away.
template <class Item, class List>
void append(std::vector<Item>& to, List&& from) {
  for (auto& item : from) {
    if constexpr (std::is_lvalue_reference_v<List>) {
      to.push_back(item);
    } else {
      to.push_back(std::move(item));
    }
  }
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/message_lines.hpp

namespace SCHEDPOL_NAMESPACE::detail {

/// The lines of a decision below its first: what `line_of` an item says, by default its message.
template <class List, class LineOf>
void append_lines(std::string& text, const List& list, LineOf&& line_of) {
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == max_reported_errors) {
      text += "\n  and " + std::to_string(list.size() - i) + " more";
      return;
    }
    text += "\n  " + line_of(list[i]);
  }
}
template <class List>
void append_lines(std::string& text, const List& list) {
  append_lines(text, list, [](const auto& item) { return message(item); });
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/admission.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// The policies behind a violation, as the rest of a sentence.
inline std::string shown_policies(const Names& policies) {
  if (policies.empty()) return "any policy";
  return policies == Names{""} ? "a policy without a name" : in_backticks(policies);
}

/// What could stand there instead, after a sentence.
inline std::string shown_permitted(const Names& permitted) {
  return permitted.empty() ? std::string() : " (permitted: " + in_backticks(permitted) + ")";
}

/// Whose doing it is, after a sentence.
inline std::string shown_added_by(const Names& added_by) {
  return added_by.empty() ? std::string() : ", added by " + in_backticks(added_by);
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(ViolationCode code) noexcept {
  switch (code) {
    case ViolationCode::no_usable_policy: return "NoUsablePolicy";
    case ViolationCode::moved_from: return "MovedFrom";
    case ViolationCode::ambiguous_policy: return "AmbiguousPolicy";
    case ViolationCode::scheduler_name_required: return "SchedulerNameRequired";
    case ViolationCode::scheduler_name_not_allowed: return "SchedulerNameNotAllowed";
    case ViolationCode::node_name_not_allowed: return "NodeNameNotAllowed";
    case ViolationCode::priority_class_name_required: return "PriorityClassNameRequired";
    case ViolationCode::priority_class_name_not_allowed: return "PriorityClassNameNotAllowed";
    case ViolationCode::node_selector_required: return "NodeSelectorRequired";
    case ViolationCode::node_selector_not_allowed: return "NodeSelectorNotAllowed";
    case ViolationCode::toleration_required: return "TolerationRequired";
    case ViolationCode::toleration_not_allowed: return "TolerationNotAllowed";
    case ViolationCode::affinity_required: return "AffinityRequired";
    case ViolationCode::affinity_not_allowed: return "AffinityNotAllowed";
    case ViolationCode::runtime_class_name_required: return "RuntimeClassNameRequired";
    case ViolationCode::runtime_class_name_not_allowed: return "RuntimeClassNameNotAllowed";
    case ViolationCode::topology_spread_constraint_not_allowed:
      return "TopologySpreadConstraintNotAllowed";
    case ViolationCode::scheduling_gate_not_allowed: return "SchedulingGateNotAllowed";
    case ViolationCode::resource_claim_not_allowed: return "ResourceClaimNotAllowed";
    case ViolationCode::invalid_policy: return "InvalidPolicy";
    case ViolationCode::runtime_class_not_found: return "RuntimeClassNotFound";
    case ViolationCode::overhead_without_runtime_class: return "OverheadWithoutRuntimeClass";
    case ViolationCode::overhead_mismatch: return "OverheadMismatch";
    case ViolationCode::node_selector_conflict: return "NodeSelectorConflict";
    case ViolationCode::rejected_by_rule: return "RejectedByRule";
    case ViolationCode::namespace_not_found: return "NamespaceNotFound";
    case ViolationCode::multiple_resource_policies: return "MultipleResourcePolicies";
    case ViolationCode::limit_exceeded: return "LimitExceeded";
  }
  return "";
}

namespace detail {

inline std::string write_sentence(const Violation& violation) {
  const std::string at = in_backticks(to_string(violation.field)) + ": ";
  const std::string value = violation.value.empty() ? "" : " " + in_backticks(violation.value);
  const std::string by = shown_policies(violation.policies);
  const std::string permitted = shown_permitted(violation.permitted);
  const auto not_allowed = [&](std::string_view what) {
    const std::string subject = at + std::string(what) + value + " is not allowed";
    if (!violation.detail.empty()) return subject + ": " + violation.detail;
    return subject + " by " + by + permitted;
  };
  const auto not_required = [&](std::string_view what) {
    if (value.empty()) return at + "a " + std::string(what) + " is required by " + by + permitted;
    return at + std::string(what) + value + " is not among those required by " + by + permitted;
  };
  switch (violation.code) {
    case ViolationCode::no_usable_policy:
      return at + "no scheduling policy may be used " +
             (value.empty() ? "for this pod" : "by" + value);
    case ViolationCode::moved_from: return at + "the pod was moved from, so there is none to judge";
    case ViolationCode::ambiguous_policy: return at + "more than one policy is named " + by;
    case ViolationCode::scheduler_name_required: return not_required("scheduler");
    case ViolationCode::scheduler_name_not_allowed: return not_allowed("scheduler");
    case ViolationCode::node_name_not_allowed:
      return at + "naming node" + value + " goes past every scheduler, which is not allowed by " +
             by;
    case ViolationCode::priority_class_name_required: return not_required("priority class");
    case ViolationCode::priority_class_name_not_allowed: return not_allowed("priority class");
    case ViolationCode::node_selector_required: return not_required("value");
    case ViolationCode::node_selector_not_allowed: return not_allowed("node selector");
    case ViolationCode::toleration_required:
      return at + "a toleration of the form" + value + " is required by " + by;
    case ViolationCode::toleration_not_allowed: return not_allowed("toleration");
    case ViolationCode::affinity_required: return at + "affinity" + value + " is required by " + by;
    case ViolationCode::affinity_not_allowed: return not_allowed("affinity");
    case ViolationCode::runtime_class_name_required: return not_required("runtime class");
    case ViolationCode::runtime_class_name_not_allowed: return not_allowed("runtime class");
    case ViolationCode::topology_spread_constraint_not_allowed:
      return not_allowed("topology spread constraint");
    case ViolationCode::scheduling_gate_not_allowed: return not_allowed("scheduling gate");
    case ViolationCode::resource_claim_not_allowed: return not_allowed("resource claim");
    case ViolationCode::invalid_policy: return at + by + " cannot be evaluated: " + violation.value;
    case ViolationCode::runtime_class_not_found: return at + "there is no runtime class" + value;
    case ViolationCode::overhead_without_runtime_class:
      return at + "overhead" + value + " is not defined by a runtime class";
    case ViolationCode::overhead_mismatch:
      return at + "overhead" + value + " is not that of the runtime class " + by + permitted;
    case ViolationCode::node_selector_conflict:
      return at + "value" + value + " conflicts with the runtime class " + by + permitted;
    case ViolationCode::rejected_by_rule: return at + "rejected by rule" + value + " of " + by;
    case ViolationCode::namespace_not_found:
      return at + "nothing is known of namespace" + value + ", whose labels are looked at by " + by;
    case ViolationCode::multiple_resource_policies:
      return at + "selected by " + by + ", and only one resource policy may place a pod";
    case ViolationCode::limit_exceeded:
      return at + "a limit is exceeded by " + by +
             (violation.detail.empty() ? "" : ": " + violation.detail);
  }
  return at;
}

}  // namespace detail

SCHEDPOL_INLINE std::string message(const Violation& violation) {
  return detail::write_sentence(violation) + detail::shown_added_by(violation.added_by);
}

SCHEDPOL_INLINE std::string message(const Change& change) {
  std::string text = in_backticks(to_string(change.field));
  if (!change.to) {
    text += " cleared";
  } else {
    text += change.from ? " changed from " + in_backticks(*change.from) + " to "
                        : std::string(" set to ");
    text += in_backticks(*change.to);
  }
  return change.policy.empty() ? text : text + " by " + in_backticks(change.policy);
}

SCHEDPOL_INLINE std::string message(const Warning& warning) {
  const std::string at = in_backticks(to_string(warning.field));
  return (warning.policies.empty() ? at : at + " of " + in_backticks(warning.policies)) + ": " +
         warning.text;
}

SCHEDPOL_INLINE std::string message(const Admission& admission) {
  std::string text = admission.allowed ? "allowed" : "denied";
  if (admission.allowed) {
    detail::append_lines(text, admission.changes);
  } else {
    detail::append_lines(text, admission.violations);
  }
  return text;
}

SCHEDPOL_INLINE Pod Admission::hand_over() {
  if (!before) before.emplace(pod);
  allowed = false;
  return std::move(pod);
}

SCHEDPOL_INLINE Admission Admission::joined(Admission&& next) && {
  if (!next.allowed) {
    next.pod = *std::move(before);
    next.changes.clear();
    next.warnings.clear();
    next.before.reset();
    return std::move(next);
  }
  if (!changes.empty() || !next.changes.empty()) next.before = std::move(before);
  detail::append(changes, std::move(next.changes));
  detail::append(warnings, std::move(next.warnings));
  next.changes = std::move(changes);
  next.warnings = std::move(warnings);
  return std::move(next);
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/affinity_text.hpp

/// The terms of one kind of affinity on one line: `required A | B, preferred 5 C`.

namespace SCHEDPOL_NAMESPACE::detail {

/// The part of a term that is more than its weight.
inline const NodeSelectorTerm& part_of(const NodeSelectorTerm& term) noexcept {
  return term;
}
inline const NodeSelectorTerm& part_of(const PreferredSchedulingTerm& term) noexcept {
  return term.preference;
}
inline const PodAffinityTerm& part_of(const PodAffinityTerm& term) noexcept {
  return term;
}
inline const PodAffinityTerm& part_of(const WeightedPodAffinityTerm& term) noexcept {
  return term.pod_affinity_term;
}

template <class Required, class Preferred>
std::string affinity_text(const std::vector<Required>& required,
                          const std::vector<Preferred>& preferred) {
  std::string text;
  for (const Required& term : required)
    text += (text.empty() ? "required " : " | ") + to_string(term);
  for (const Preferred& term : preferred) {
    if (!text.empty()) text += ", ";
    text += "preferred " + std::to_string(term.weight) + " " + to_string(part_of(term));
  }
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/expression_text.hpp

/// The text of expressions and lists of texts on one line.

namespace SCHEDPOL_NAMESPACE::detail {

/// `[a, b]`, each escaped.
inline void append_list(std::string& text, const Texts& list, const Separators& separators) {
  text += '[';
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) text += ", ";
    append_escaped(text, list[i], separators);
  }
  text += ']';
}

/// `key Operator [values]`, of an expression of a label selector or a node selector.
template <class Expression>
void append_expression(std::string& text, const Expression& expression,
                       const Separators& separators) {
  append_escaped(text, expression.key, separators);
  text += ' ';
  append_escaped(text, expression.operator_.text(), separators);
  if (expression.values.empty()) return;
  text += ' ';
  append_list(text, expression.values, separators);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/required_terms.hpp

/// The node selector terms of which a node must meet one; nothing if there is no such list.

namespace SCHEDPOL_NAMESPACE::detail {

inline const std::vector<NodeSelectorTerm>& required_terms(const NodeAffinity& affinity) noexcept {
  static const std::vector<NodeSelectorTerm> none;
  const auto& required = affinity.required_during_scheduling_ignored_during_execution;
  return required ? required->node_selector_terms : none;
}

inline const std::vector<NodeSelectorTerm>& required_terms(
    const std::optional<Affinity>& affinity) noexcept {
  static const NodeAffinity none;
  return required_terms(affinity && affinity->node_affinity ? *affinity->node_affinity : none);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/affinity.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE bool has_terms(const std::optional<NodeAffinity>& affinity) noexcept {
  return affinity && (!detail::required_terms(*affinity).empty() ||
                      !affinity->preferred_during_scheduling_ignored_during_execution.empty());
}

SCHEDPOL_INLINE bool has_terms(const std::optional<PodAffinity>& affinity) noexcept {
  return affinity && (!affinity->required_during_scheduling_ignored_during_execution.empty() ||
                      !affinity->preferred_during_scheduling_ignored_during_execution.empty());
}

SCHEDPOL_INLINE std::string to_string(const PodAffinityTerm& term) {
  constexpr Separators separators(" ,[]{}()");
  std::string text;
  append_escaped(text, term.topology_key, separators);
  text += " with pods " + to_string(term.label_selector);
  const auto append_names = [&](std::string_view what, const Texts& names) {
    if (names.empty()) return;
    text.append(what) += ' ';
    detail::append_list(text, names, separators);
  };
  append_names(" in namespaces", term.namespaces);
  if (term.namespace_selector) text += " in namespaces with " + to_string(term.namespace_selector);
  append_names(" of equal", term.match_label_keys);
  append_names(" of unequal", term.mismatch_label_keys);
  return text;
}

SCHEDPOL_INLINE std::string to_string(const NodeAffinity& affinity) {
  return detail::affinity_text(detail::required_terms(affinity),
                               affinity.preferred_during_scheduling_ignored_during_execution);
}

SCHEDPOL_INLINE std::string to_string(const PodAffinity& affinity) {
  return detail::affinity_text(affinity.required_during_scheduling_ignored_during_execution,
                               affinity.preferred_during_scheduling_ignored_during_execution);
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/requirement.hpp

/// One expression of a label selector or a node selector, compiled for matching. All matchers and the
/// table of nodes keep expressions in this form.

namespace SCHEDPOL_NAMESPACE {

struct LabelSelector;
struct Node;

}  // namespace SCHEDPOL_NAMESPACE

namespace SCHEDPOL_NAMESPACE::detail {

struct Requirement {
  using Operator = NodeSelectorOperator;  ///< of label selectors too, and a known one

  std::string key;
  Operator operator_ = Operator::in;
  std::vector<std::string> values{};  ///< of In and NotIn, in byte order
  std::int64_t bound = 0;             ///< of Gt and Lt

  /// Whether it holds for the value of the label; null: the label is missing.
  [[nodiscard]] bool holds(const std::string* value) const noexcept;

 private:
  [[nodiscard]] bool lists(const std::string* value) const noexcept;
};

/// Nothing where the expression can hold for no node.
[[nodiscard]] std::optional<Requirement> to_requirement(const NodeSelectorRequirement& expression);

/// Requirements that hold together, of a selector or of one term. That of the empty key is about
/// the name of a node, which every node has.
using Conjunction = std::vector<Requirement>;

/// Whether all of them hold.
[[nodiscard]] bool hold(const Conjunction& all, const Labels& labels) noexcept;
[[nodiscard]] bool hold(const Conjunction& all, const Node& node) noexcept;

/// Of a selector that has been found good.
[[nodiscard]] Conjunction to_conjunction(const LabelSelector& selector);

/// Nothing where the term can match no node.
[[nodiscard]] std::optional<Conjunction> to_conjunction(const NodeSelectorTerm& term);

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/label_matcher.hpp

/// The implementation of `LabelMatcher`.

namespace SCHEDPOL_NAMESPACE {

struct LabelMatcher::Impl {
  detail::Conjunction requirements;
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/path_builder.hpp

/// A place in an object as whoever walks through it holds it: a chain on the stack, which costs
/// nothing until somebody needs the path. A step of a temporary would outlive it and does not
/// compile: every level that is gone through has a name of its own.

namespace SCHEDPOL_NAMESPACE::detail {

class PathBuilder {
 public:
  /// The object itself.
  PathBuilder() = default;
  /// A path that outlives the place.
  PathBuilder(const FieldPath& path) noexcept
      : path_(&path) {}  // NOLINT(google-explicit-constructor)
  PathBuilder(FieldPath&&) = delete;

  /// The names outlive the place.
  [[nodiscard]] PathBuilder child(std::string_view field) const& noexcept {
    return {this, {.kind = FieldPath::Step::Kind::field, .name = field}};
  }
  [[nodiscard]] PathBuilder key(std::string_view key) const& noexcept {
    return {this, {.kind = FieldPath::Step::Kind::key, .name = key}};
  }
  [[nodiscard]] PathBuilder index(std::size_t index) const& noexcept {
    return {this, {.kind = FieldPath::Step::Kind::index, .index = index}};
  }
  PathBuilder child(std::string_view) && = delete;
  PathBuilder key(std::string_view) && = delete;
  PathBuilder index(std::size_t) && = delete;

  /// Goes on to another field, key or item of what is above.
  void beside(std::string_view name) noexcept { step_.name = name; }
  void beside(std::size_t index) noexcept { step_.index = index; }

  /// The place above, null where this is not a step down from one.
  [[nodiscard]] const PathBuilder* parent() const noexcept { return parent_; }
  [[nodiscard]] const FieldPath::Step& step() const noexcept { return step_; }

  /// As a value. `object` is where the object stands in another one.
  [[nodiscard]] FieldPath path(FieldPath object = {}) const {
    append_to(object);
    return object;
  }

 private:
  void append_to(FieldPath& path) const {
    if (parent_ != nullptr) {
      parent_->append_to(path);
      path.push_back(step_);
    } else if (path_ != nullptr) {
      path = path.join(*path_);
    }
  }

  PathBuilder(const PathBuilder* parent, FieldPath::Step step) noexcept
      : parent_(parent), step_(step) {}

  const FieldPath* path_ = nullptr;  ///< where the chain begins, if not at the object itself
  const PathBuilder* parent_ = nullptr;
  FieldPath::Step step_{};
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/base/impl/field_errors.hpp

/// What validators and compilers collect their errors in, in the order of the document.

namespace SCHEDPOL_NAMESPACE::detail {

class FieldErrors {
 public:
  void add(FieldError error) { errors_.push_back(std::move(error)); }
  void add(ErrorType type, FieldPath field, std::string_view value, std::string detail) {
    add({type, std::move(field), std::string(value), std::move(detail)});
  }
  void add(ErrorType type, const PathBuilder& place, std::string_view value, std::string detail) {
    add(type, place.path(), value, std::move(detail));
  }

  /// One FieldValueInvalid a problem, as the functions of `syntax.hpp` list them.
  void add_all(const PathBuilder& place, std::string_view value,
               std::vector<std::string> problems) {
    for (std::string& problem : problems) add(ErrorType::invalid, place, value, std::move(problem));
  }

  /// The errors of something else, or of something that could not be built.
  void append(std::vector<FieldError> errors) {
    for (FieldError& error : errors) add(std::move(error));
  }
  [[nodiscard]] bool empty() const noexcept { return errors_.empty(); }
  [[nodiscard]] std::vector<FieldError> take() && { return std::move(errors_); }

 private:
  std::vector<FieldError> errors_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/selector_rules.hpp

/// The rules for valid labels, label selectors and node selectors, for validation and for building
/// matchers. Each function adds errors to `errors`, with paths below the path that it is
/// given.

namespace SCHEDPOL_NAMESPACE {

struct LabelSelector;
struct LabelSelectorRequirement;
enum class SelectedValues;

}  // namespace SCHEDPOL_NAMESPACE

namespace SCHEDPOL_NAMESPACE::detail {

/// Of the operator of either selector: those of labels are the first of those of nodes, which have Gt
/// and Lt besides.
template <class Operator>
constexpr NodeSelectorOperator node_operator(Operator word) noexcept {
  return word == Operator::unknown ? NodeSelectorOperator::unknown
                                   : static_cast<NodeSelectorOperator>(word);
}

/// Whether the syntax of values is looked at: the API server does so in selectors of labels and in
/// required node affinity, and not in preferred node affinity. Annotations have none.
enum class Values { checked, free };

/// So many items at most.
void validate_count(FieldErrors& errors, const PathBuilder& place, std::size_t count,
                    std::size_t most);

/// Keys and values. All is reported at the place itself, as the API server does.
void validate_labels(FieldErrors& errors, const PathBuilder& place, const Labels& labels,
                     Values values = Values::checked);

/// Operator, key and values of one expression. This is the one rule on how many values an operator
/// takes: In and NotIn at least one, Exists and DoesNotExist none, Gt and Lt one.
void validate_expression(FieldErrors& errors, const PathBuilder& place,
                         const LabelSelectorRequirement& expression,
                         Values values = Values::checked);
void validate_expression(FieldErrors& errors, const PathBuilder& place,
                         const NodeSelectorRequirement& expression,
                         Values values = Values::checked);

/// One expression of matchFields: `metadata.name`, In or NotIn, one value, which is a subdomain.
void validate_field_expression(FieldErrors& errors, const PathBuilder& place,
                               const NodeSelectorRequirement& expression);

/// With `max_expression_values`, which matching does not ask for.
void validate_term(FieldErrors& errors, const PathBuilder& place, const NodeSelectorTerm& term,
                   Values values = Values::checked);

/// With `max_selector_requirements` and `max_expression_values`.
void validate_selector(FieldErrors& errors, const PathBuilder& place, const LabelSelector& selector,
                       SelectedValues selected);

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/label_selector.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

static_assert(node_operator(LabelSelectorOperator::does_not_exist) ==
              NodeSelectorOperator::does_not_exist);

SCHEDPOL_INLINE Conjunction to_conjunction(const LabelSelector& selector) {
  Conjunction all;
  for (const auto& [key, value] : selector.match_labels)
    all.push_back({.key = key, .values = {value}});
  for (const LabelSelectorRequirement& expression : selector.match_expressions) {
    all.push_back(
        {expression.key, node_operator(expression.operator_.word()), expression.values.vector()});
    std::sort(all.back().values.begin(), all.back().values.end());
  }
  return all;
}

}  // namespace detail

SCHEDPOL_INLINE bool LabelMatcher::matches(const Labels& labels) const noexcept {
  return impl_ && detail::hold(impl_->requirements, labels);
}

SCHEDPOL_INLINE Result<LabelMatcher> compile(const std::optional<LabelSelector>& selector,
                                             const FieldPath& field, SelectedValues selected) {
  if (!selector) return LabelMatcher();
  detail::FieldErrors errors;
  detail::validate_selector(errors, field, *selector, selected);
  if (!errors.empty()) return std::move(errors).take();
  LabelMatcher matcher;
  matcher.impl_ = Shared(LabelMatcher::Impl{detail::to_conjunction(*selector)});
  return matcher;
}

SCHEDPOL_INLINE std::string to_string(const std::optional<LabelSelector>& selector) {
  constexpr Separators separators(" ,={}[]");
  if (!selector) return "none";
  std::string text = "{";
  for (const auto& [key, value] : selector->match_labels) {
    if (text.size() > 1) text += ", ";
    append_escaped(text, key, separators);
    text += '=';
    append_escaped(text, value, separators);
  }
  for (const LabelSelectorRequirement& expression : selector->match_expressions) {
    if (text.size() > 1) text += ", ";
    detail::append_expression(text, expression, separators);
  }
  return text + "}";
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/labels.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE const std::string* find_label(const Labels& labels, std::string_view key) noexcept {
  const auto it = labels.find(key);
  return it == labels.end() ? nullptr : &it->second;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/node_selector.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE bool is_empty(const NodeSelectorTerm& term) noexcept {
  return term.match_expressions.empty() && term.match_fields.empty();
}

SCHEDPOL_INLINE std::string to_string(const NodeSelectorRequirement& requirement) {
  constexpr Separators separators(" ,[]()&|");
  std::string text;
  detail::append_expression(text, requirement, separators);
  return text;
}

SCHEDPOL_INLINE std::string to_string(const NodeSelectorTerm& term) {
  std::string text = "(";
  for (const auto& requirement : term.match_expressions) {
    if (text.size() > 1) text += " & ";
    text += to_string(requirement);
  }
  for (const auto& requirement : term.match_fields) {
    if (text.size() > 1) text += " & ";
    text += "field " + to_string(requirement);
  }
  return text + ")";
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/base/impl/decimal_int64.hpp

/// How whole numbers are read from texts.

namespace SCHEDPOL_NAMESPACE::detail {

/// A whole text as `std::from_chars` reads it: an optional `-`, leading zeros permitted.
inline std::optional<std::int64_t> plain_int64(std::string_view text) noexcept {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// An int64 as Go reads it, in the labels of Gt and Lt and in the exponents of quantities: a `+` is
/// permitted too.
inline std::optional<std::int64_t> signed_int64(std::string_view text) noexcept {
  return plain_int64(text.substr(text.starts_with('+') && !text.starts_with("+-") ? 1 : 0));
}

/// A decimal int64 as the API server accepts it in comparisons: an optional `-`, no `+`, no leading
/// zeros; nothing else has a value.
inline std::optional<std::int64_t> decimal_int64(std::string_view text) noexcept {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits.front() == '0' && text.size() > 1)) return std::nullopt;
  return plain_int64(text);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/quantity.ipp

namespace SCHEDPOL_NAMESPACE {

/// DecimalSuffix arithmetic on the digits of quantities.
struct Quantity::Arithmetic {
  static constexpr std::int64_t smallest_exponent = -9;

  static std::string_view take_digits(std::string_view& text) noexcept {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
  }

  /// Applies the suffix and brings the value into its one form. Returns the power of ten or 1024,
  /// nothing for an unknown suffix.
  static std::optional<int> scale(Quantity& quantity, std::string_view suffix) {
    struct Suffix {
      std::string_view name;
      int base;
      int power;
    };
    constexpr Suffix suffixes[] = {
        {"n", 10, -9},   {"u", 10, -6},   {"m", 10, -3},   {"", 10, 0},
        {"k", 10, 3},    {"M", 10, 6},    {"G", 10, 9},    {"T", 10, 12},
        {"P", 10, 15},   {"E", 10, 18},   {"Ki", 1024, 1}, {"Mi", 1024, 2},
        {"Gi", 1024, 3}, {"Ti", 1024, 4}, {"Pi", 1024, 5}, {"Ei", 1024, 6}};
    for (const auto& [name, base, power] : suffixes)
      if (suffix == name)
        return base == 10 ? scale_by_ten(quantity, power) : scale_by_1024(quantity, power);
    if (!suffix.starts_with('e') && !suffix.starts_with('E')) return std::nullopt;
    const std::optional<std::int64_t> power = detail::signed_int64(suffix.substr(1));
    if (!power || *power < -max_quantity_power || *power > max_quantity_power) return std::nullopt;
    return scale_by_ten(quantity, static_cast<int>(*power));
  }

  static int scale_by_ten(Quantity& quantity, int power) {
    quantity.exponent_ += power;
    normalise(quantity);
    return power;
  }

  static int scale_by_1024(Quantity& quantity, int power) {
    for (int i = 0; i < power; ++i) multiply(quantity.digits_, 1024);
    normalise(quantity);
    Quantity largest;
    largest.digits_ = "9223372036854775807";
    if (compare_magnitude(quantity, largest) > 0) {
      quantity.digits_ = largest.digits_;
      quantity.exponent_ = largest.exponent_;
    }
    return power;
  }

  static void multiply(std::string& digits, unsigned factor) {
    unsigned carry = 0;
    for (std::size_t i = digits.size(); i-- > 0;) {
      const unsigned product = static_cast<unsigned>(digits[i] - '0') * factor + carry;
      digits[i] = static_cast<char>('0' + product % 10);
      carry = product / 10;
    }
    if (carry > 0) digits.insert(0, std::to_string(carry));
  }

  /// No zeros at either end, nothing below a billionth, and zero without sign or digits.
  static void normalise(Quantity& quantity) {
    std::string& digits = quantity.digits_;
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (quantity.exponent_ < smallest_exponent) {
      const auto excess = static_cast<std::uint64_t>(smallest_exponent - quantity.exponent_);
      const std::size_t kept =
          excess < digits.size() ? digits.size() - static_cast<std::size_t>(excess) : 0;
      const bool round_up = digits.find_first_not_of('0', kept) != std::string::npos;
      digits.resize(kept);
      quantity.exponent_ = smallest_exponent;
      Quantity unit;
      unit.digits_ = "1";
      unit.exponent_ = smallest_exponent;
      if (round_up) add_magnitude(quantity, unit, 1);
    }
    while (digits.ends_with('0')) {
      digits.pop_back();
      ++quantity.exponent_;
    }
    if (digits.empty()) {
      quantity.negative_ = false;
      quantity.exponent_ = 0;
    }
  }

  /// Adds the digits of a number, or takes away those of one that is not larger.
  static void add_magnitude(Quantity& sum, const Quantity& smaller, int direction) {
    const std::int64_t exponent = std::min(sum.exponent_, smaller.exponent_);
    std::string addend = smaller.digits_;
    addend.append(static_cast<std::size_t>(smaller.exponent_ - exponent), '0');
    sum.digits_.append(static_cast<std::size_t>(sum.exponent_ - exponent), '0');
    sum.exponent_ = exponent;
    const std::size_t size = std::max(addend.size(), sum.digits_.size());
    addend.insert(0, size - addend.size(), '0');
    sum.digits_.insert(0, size - sum.digits_.size(), '0');
    int carry = 0;
    for (std::size_t i = addend.size(); i-- > 0;) {
      const int total = (sum.digits_[i] - '0') + direction * (addend[i] - '0') + carry;
      carry = total < 0 ? -1 : total / 10;
      sum.digits_[i] = static_cast<char>('0' + (total + 10) % 10);
    }
    if (carry > 0) sum.digits_.insert(0, 1, '1');
  }

  /// Makes the text of what was computed.
  static void write(Quantity& quantity) {
    quantity.text_ = (quantity.negative_ ? "-" : "") +
                     (quantity.is_zero() ? "0" : quantity.digits_) + "e" +
                     std::to_string(quantity.exponent_);
  }

  static std::strong_ordering compare_magnitude(const Quantity& a, const Quantity& b) noexcept {
    if (a.digits_.empty() || b.digits_.empty()) return !a.digits_.empty() <=> !b.digits_.empty();
    const std::int64_t a_size = static_cast<std::int64_t>(a.digits_.size()) + a.exponent_;
    const std::int64_t b_size = static_cast<std::int64_t>(b.digits_.size()) + b.exponent_;
    if (a_size != b_size) return a_size <=> b_size;
    // Without trailing zeros, a longer run of equal digits is the larger number.
    return a.digits_ <=> b.digits_;
  }
};

SCHEDPOL_INLINE Optional<Quantity> Quantity::parse(std::string_view text) {
  if (text.empty() || text.size() > max_quantity_bytes) return std::nullopt;
  std::string_view rest = text;
  Quantity quantity;
  quantity.text_ = text;
  if (rest.front() == '+' || rest.front() == '-') {
    quantity.negative_ = rest.front() == '-';
    rest.remove_prefix(1);
  }
  quantity.digits_ = Arithmetic::take_digits(rest);
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    const std::string_view fraction = Arithmetic::take_digits(rest);
    quantity.digits_ += fraction;
    quantity.exponent_ -= static_cast<std::int64_t>(fraction.size());
  }
  const bool without_digits = quantity.digits_.empty();
  const std::optional<int> power = Arithmetic::scale(quantity, rest);
  if (!power) return std::nullopt;
  const bool needs_digits = *power < Arithmetic::smallest_exponent || rest == "Pi" || rest == "Ei";
  if (without_digits && needs_digits) return std::nullopt;
  return quantity;
}

SCHEDPOL_INLINE Quantity Quantity::operator+(const Quantity& other) const {
  if (is_zero()) return other;
  if (other.is_zero()) return *this;
  const bool is_larger = Arithmetic::compare_magnitude(*this, other) >= 0;
  Quantity sum = is_larger ? *this : other;
  const Quantity& smaller = is_larger ? other : *this;
  Arithmetic::add_magnitude(sum, smaller, negative_ == other.negative_ ? 1 : -1);
  Arithmetic::normalise(sum);
  Arithmetic::write(sum);
  return sum;
}

SCHEDPOL_INLINE Quantity Quantity::operator-(const Quantity& other) const {
  if (other.is_zero()) return *this;
  Quantity negated = other;
  negated.negative_ = !other.negative_;
  Arithmetic::write(negated);
  return *this + negated;
}

SCHEDPOL_INLINE std::int64_t Quantity::scaled(std::int64_t power) const noexcept {
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr auto most = static_cast<std::uint64_t>(Limits::max());
  const std::int64_t exponent = exponent_ + power;
  const auto size = static_cast<std::int64_t>(digits_.size());
  const std::int64_t places = size + exponent;  // before the point
  const std::int64_t nearest = negative_ ? Limits::min() : Limits::max();
  if (places > Limits::digits10 + 1) return nearest;
  std::uint64_t magnitude = 0;
  for (std::int64_t i = 0; i < places; ++i) {
    const char digit = i < size ? digits_[static_cast<std::size_t>(i)] : '0';
    magnitude = magnitude * 10 + static_cast<std::uint64_t>(digit - '0');
  }
  if (exponent < 0) ++magnitude;  // what is behind the point is not zero
  if (magnitude > most) return nearest;
  return negative_ ? -static_cast<std::int64_t>(magnitude) : static_cast<std::int64_t>(magnitude);
}

SCHEDPOL_INLINE bool Quantity::operator==(const Quantity& other) const noexcept {
  return (*this <=> other) == 0;
}

SCHEDPOL_INLINE std::strong_ordering Quantity::operator<=>(const Quantity& other) const noexcept {
  if (negative_ != other.negative_) return other.negative_ <=> negative_;
  return negative_ ? Arithmetic::compare_magnitude(other, *this)
                   : Arithmetic::compare_magnitude(*this, other);
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/toleration.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline bool is_tolerated(const Taint& taint, std::span<const Toleration> tolerations) noexcept {
  return any_of(tolerations,
                [&](const Toleration& toleration) { return tolerates(toleration, taint); });
}

inline bool is_equal_operator(const Toleration& toleration) noexcept {
  return toleration.operator_ == TolerationOperator::unset ||
         toleration.operator_ == TolerationOperator::equal;
}

/// Whether both say the same operator, unset being Equal.
inline bool same_operator(const Toleration& a, const Toleration& b) noexcept {
  return a.operator_ == b.operator_ || (is_equal_operator(a) && is_equal_operator(b));
}

}  // namespace detail

SCHEDPOL_INLINE bool operator==(const Toleration& a, const Toleration& b) noexcept {
  return a.key == b.key && detail::same_operator(a, b) && a.value == b.value &&
         a.effect == b.effect && a.toleration_seconds == b.toleration_seconds;
}

SCHEDPOL_INLINE bool tolerates(const Toleration& toleration, const Taint& taint) noexcept {
  if (toleration.effect != TaintEffect::unset && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  switch (toleration.operator_.word()) {
    case TolerationOperator::unset:
    case TolerationOperator::equal: return toleration.value == taint.value;
    case TolerationOperator::exists: return true;
    case TolerationOperator::lt:
    case TolerationOperator::gt: {
      const auto bound = detail::decimal_int64(toleration.value);
      const auto value = detail::decimal_int64(taint.value);
      if (!bound || !value) return false;
      return toleration.operator_ == TolerationOperator::lt ? *value < *bound : *value > *bound;
    }
    case TolerationOperator::unknown: break;
  }
  return false;
}

SCHEDPOL_INLINE std::vector<Taint> find_untolerated(std::span<const Toleration> tolerations,
                                                    std::span<const Taint> taints) {
  std::vector<Taint> untolerated;
  for (const Taint& taint : taints)
    if (!detail::is_tolerated(taint, tolerations)) untolerated.push_back(taint);
  return untolerated;
}

SCHEDPOL_INLINE bool tolerates_all(std::span<const Toleration> tolerations,
                                   std::span<const Taint> taints,
                                   std::span<const TaintEffect> effects) noexcept {
  return detail::all_of(taints, [&](const Taint& taint) {
    const bool counts =
        detail::any_of(effects, [&](TaintEffect effect) { return taint.effect == effect; });
    return !counts || detail::is_tolerated(taint, tolerations);
  });
}

SCHEDPOL_INLINE bool covers(const Toleration& a, const Toleration& b) noexcept {
  if (a == b) return true;
  if (!a.operator_.known()) return false;
  const bool exists = a.operator_ == TolerationOperator::exists;
  if (a.key != b.key && !(a.key.empty() && exists)) return false;
  if (a.effect != TaintEffect::unset && a.effect != b.effect) return false;
  if (a.effect == TaintEffect::no_execute && a.toleration_seconds &&
      (!b.toleration_seconds || *b.toleration_seconds > *a.toleration_seconds)) {
    return false;
  }
  return exists || (detail::same_operator(a, b) && a.value == b.value);
}

SCHEDPOL_INLINE std::vector<Toleration> without_covered(std::span<const Toleration> tolerations) {
  // What covers another has its key or none.
  std::map<std::string_view, std::vector<std::size_t>> by_key;
  for (std::size_t i = 0; i < tolerations.size(); ++i) by_key[tolerations[i].key].push_back(i);
  const std::vector<std::size_t>& of_every_key = by_key[""];
  std::vector<Toleration> kept;
  std::vector<char> is_kept(tolerations.size());
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const Toleration& candidate = tolerations[i];
    const auto covers_it = [&](std::size_t j) {
      if (j < i && is_kept[j] == 0) return false;
      return (j < i || tolerations[j] != candidate) && covers(tolerations[j], candidate);
    };
    const std::vector<std::size_t>& same_key = by_key.find(candidate.key)->second;
    if (detail::any_of(same_key, covers_it) || detail::any_of(of_every_key, covers_it)) continue;
    is_kept[i] = 1;
    kept.push_back(candidate);
  }
  return kept;
}

SCHEDPOL_INLINE std::vector<Toleration> merge(std::span<const Toleration> first,
                                              std::span<const Toleration> second) {
  std::vector<Toleration> all(first.begin(), first.end());
  detail::append(all, second);
  return without_covered(all);
}

SCHEDPOL_INLINE std::string to_string(const Toleration& toleration) {
  constexpr Separators separators("*= :");
  std::string text;
  if (toleration.key.empty()) {
    text = "*";
  } else {
    append_escaped(text, toleration.key, separators);
  }
  if (detail::is_equal_operator(toleration)) {
    text += '=';
    append_escaped(text, toleration.value, separators);
  } else {
    text += ' ';
    append_escaped(text, toleration.operator_.text(), separators);
    if (!toleration.value.empty()) {
      text += ' ';
      append_escaped(text, toleration.value, separators);
    }
  }
  if (toleration.effect != TaintEffect::unset) {
    text += ':';
    append_escaped(text, toleration.effect.text(), separators);
  }
  if (toleration.toleration_seconds)
    text += " for " + std::to_string(*toleration.toleration_seconds) + "s";
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/workload.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline constexpr std::string_view below_template[] = {"template"};
inline constexpr std::string_view below_spec[] = {"spec", "template"};
inline constexpr std::string_view below_job[] = {"spec", "jobTemplate", "spec", "template"};

struct PodKindInfo {
  std::string_view name;
  std::string_view api_version;
  std::span<const std::string_view> template_steps;
};

/// In the order of the enumeration.
inline constexpr PodKindInfo pod_kind_infos[] = {
    {"Pod", "v1", {}},
    {"PodTemplate", "v1", below_template},
    {"ReplicationController", "v1", below_spec},
    {"ReplicaSet", "apps/v1", below_spec},
    {"Deployment", "apps/v1", below_spec},
    {"StatefulSet", "apps/v1", below_spec},
    {"DaemonSet", "apps/v1", below_spec},
    {"Job", "batch/v1", below_spec},
    {"CronJob", "batch/v1", below_job},
};
static_assert(std::size(pod_kind_infos) == pod_kinds.size());

/// Of a number that is no kind nothing is known.
constexpr PodKindInfo info_of(PodKind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(pod_kind_infos) ? pod_kind_infos[index] : PodKindInfo{};
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(PodKind kind) noexcept {
  return detail::info_of(kind).name;
}

SCHEDPOL_INLINE std::optional<PodKind> pod_kind(std::string_view name) noexcept {
  for (const PodKind kind : pod_kinds) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

SCHEDPOL_INLINE std::string_view api_version(PodKind kind) noexcept {
  return detail::info_of(kind).api_version;
}

SCHEDPOL_INLINE bool is_in_group(PodKind kind, std::string_view group) noexcept {
  const std::string_view own = api_group(api_version(kind));
  return group == own || (own == "apps" && group == "extensions");
}

SCHEDPOL_INLINE std::span<const std::string_view> template_steps(PodKind kind) noexcept {
  return detail::info_of(kind).template_steps;
}

SCHEDPOL_INLINE FieldPath template_path(PodKind kind) {
  return FieldPath(template_steps(kind));
}

SCHEDPOL_INLINE FieldPath field_path(PodKind kind, std::initializer_list<std::string_view> fields) {
  return FieldPath(template_steps(kind)).join(fields);
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/api_version.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE bool is_custom_group(std::string_view api_group) noexcept {
  if (api_group.find('.') == std::string_view::npos) return false;
  for (const std::string_view kept : {"k8s.io", "kubernetes.io"}) {
    if (!api_group.ends_with(kept)) continue;
    const std::string_view below = api_group.substr(0, api_group.size() - kept.size());
    if (below.empty() || below.ends_with('.')) return false;
  }
  return true;
}

SCHEDPOL_INLINE bool is_in_group(std::string_view api_version, std::string_view group) noexcept {
  const std::string_view usual = api_group(api_version);
  return group == usual ||
         (usual == own_api_group && (group == proposal_api_group || is_custom_group(group)));
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/node_matchers.hpp

/// The implementation of `NodeTermsMatcher` and `NodeAffinityMatcher`.

namespace SCHEDPOL_NAMESPACE {

struct NodeTermsMatcher::Impl {
  std::vector<detail::Conjunction> terms;
};

struct NodeAffinityMatcher::Impl {
  struct Preference {
    std::int64_t weight;
    detail::Conjunction term;
  };

  Labels node_selector;
  std::optional<NodeTermsMatcher> required;
  std::vector<Preference> preferences;
};

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/node.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

SCHEDPOL_INLINE bool hold(const Conjunction& all, const Node& node) noexcept {
  const ObjectMeta& metadata = node.metadata;
  return all_of(all, [&](const Requirement& requirement) {
    return requirement.holds(
        requirement.key.empty() ? &metadata.name : find_label(metadata.labels, requirement.key));
  });
}

}  // namespace detail

SCHEDPOL_INLINE Taint unschedulable_taint() {
  return {.key = "node.kubernetes.io/unschedulable", .effect = TaintEffect::no_schedule};
}

SCHEDPOL_INLINE bool tolerates_all(std::span<const Toleration> tolerations, const Node& node,
                                   std::span<const TaintEffect> effects) {
  if (!tolerates_all(tolerations, node.spec.taints, effects)) return false;
  if (!node.spec.unschedulable) return true;
  const Taint taint = unschedulable_taint();
  return tolerates_all(tolerations, {&taint, 1}, effects);
}

SCHEDPOL_INLINE NodeTermsMatcher::NodeTermsMatcher(std::span<const NodeSelectorTerm> terms) {
  Impl impl;
  for (const NodeSelectorTerm& from : terms) {
    if (auto term = detail::to_conjunction(from)) impl.terms.push_back(*std::move(term));
  }
  impl_ = Shared<Impl>(std::move(impl));
}

SCHEDPOL_INLINE bool NodeTermsMatcher::matches(const Node& node) const noexcept {
  return impl_ && detail::any_of(impl_->terms,
                                 [&](const detail::Conjunction& term) { return hold(term, node); });
}

SCHEDPOL_INLINE NodeAffinityMatcher::NodeAffinityMatcher(const PodSpec& spec) {
  Impl impl;
  impl.node_selector = spec.node_selector;
  if (spec.affinity && spec.affinity->node_affinity) {
    const NodeAffinity& affinity = *spec.affinity->node_affinity;
    if (const auto& required = affinity.required_during_scheduling_ignored_during_execution)
      impl.required.emplace(required->node_selector_terms);
    for (const auto& preferred : affinity.preferred_during_scheduling_ignored_during_execution) {
      if (!is_valid_weight(preferred.weight)) continue;
      if (auto term = detail::to_conjunction(preferred.preference))
        impl.preferences.push_back({preferred.weight, *std::move(term)});
    }
  }
  impl_ = Shared<Impl>(std::move(impl));
}

SCHEDPOL_INLINE bool NodeAffinityMatcher::matches(const Node& node) const noexcept {
  if (!impl_) return false;
  for (const auto& [key, value] : impl_->node_selector) {
    const std::string* label = find_label(node.metadata.labels, key);
    if (label == nullptr || *label != value) return false;
  }
  return !impl_->required || impl_->required->matches(node);
}

SCHEDPOL_INLINE std::int64_t NodeAffinityMatcher::score(const Node& node) const noexcept {
  std::int64_t sum = 0;
  if (!impl_) return sum;
  for (const Impl::Preference& preference : impl_->preferences) {
    if (hold(preference.term, node)) sum += preference.weight;
  }
  return sum;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/match_label_keys.hpp

/// Adds the label keys of a pod affinity term or a topology spread constraint to its label
/// selector.

namespace SCHEDPOL_NAMESPACE::detail {

/// Adds an expression for each of the keys that the pod has, with the pod's value. An absent selector
/// stays absent.
inline void add_label_keys(std::optional<LabelSelector>& selector, const Texts& keys,
                           LabelSelectorOperator operator_, const Labels& of_pod) {
  if (!selector) return;
  for (const std::string& key : keys) {
    if (const std::string* value = find_label(of_pod, key))
      selector->match_expressions.push_back({key, operator_, {*value}});
  }
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/pod_affinity.ipp

namespace SCHEDPOL_NAMESPACE {

struct PodAffinityMatcher::Impl {
  Texts namespaces;
  LabelMatcher namespace_labels;
  LabelMatcher labels;
};

SCHEDPOL_INLINE bool PodAffinityMatcher::matches(const Pod& pod,
                                                 const Labels& namespace_labels) const noexcept {
  if (!impl_) return false;
  const bool is_there = impl_->namespaces.contains(namespace_of(pod.metadata)) ||
                        impl_->namespace_labels.matches(namespace_labels);
  return is_there && impl_->labels.matches(pod.metadata.labels);
}

SCHEDPOL_INLINE Result<PodAffinityMatcher> compile(const PodAffinityTerm& term, const Pod& pod,
                                                   const FieldPath& field) {
  std::optional<LabelSelector> selector = term.label_selector;
  detail::add_label_keys(selector, term.match_label_keys, LabelSelectorOperator::in,
                         pod.metadata.labels);
  detail::add_label_keys(selector, term.mismatch_label_keys, LabelSelectorOperator::not_in,
                         pod.metadata.labels);
  auto labels = compile(selector, field.child("labelSelector"));
  auto namespace_labels = compile(term.namespace_selector, field.child("namespaceSelector"));
  detail::FieldErrors errors;
  errors.append(labels.errors());
  errors.append(namespace_labels.errors());
  if (!errors.empty()) return std::move(errors).take();
  PodAffinityMatcher::Impl impl{term.namespaces, *std::move(namespace_labels), *std::move(labels)};
  if (term.namespaces.empty() && !term.namespace_selector)
    impl.namespaces = {namespace_of(pod.metadata)};
  PodAffinityMatcher matcher;
  matcher.impl_ = Shared<PodAffinityMatcher::Impl>(std::move(impl));
  return matcher;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/container_requests.hpp

/// Rules 1, 2 and 5 of `resources.hpp`, step by step.

namespace SCHEDPOL_NAMESPACE::detail {

/// Whether what a pod as a whole says of the resource counts.
inline bool is_pod_level(std::string_view name) noexcept {
  return name == "cpu" || name == "memory" || name.starts_with("hugepages-");
}

inline void add_to(ResourceList& sum, const ResourceList& more) {
  for (const auto& [name, quantity] : more) sum[name] = sum[name] + quantity;
}

/// Calls `use(name, quantity)` with each request by rule 2.
template <class Use>
void for_each_request(const ResourceRequirements& resources, Use use) {
  for (const auto& [name, request] : resources.requests) use(name, request);
  for (const auto& [name, limit] : resources.limits)
    if (!resources.requests.contains(name)) use(name, limit);
}

inline void raise_to(ResourceList& most, const std::string& name, const Quantity& quantity) {
  Quantity& there = most.try_emplace(name, quantity).first->second;
  if (there < quantity) there = quantity;
}

inline void raise_to(ResourceList& most, const ResourceList& other) {
  for (const auto& [name, quantity] : other) raise_to(most, name, quantity);
}

/// Of all containers together; `each(container, use)` calls `use(name, quantity)` with what one asks for.
template <class Each>
ResourceList sum_of_containers(const PodSpec& spec, Each each) {
  ResourceList sum;
  const auto add_container = [&](ResourceList& to, const Container& container) {
    each(container, [&](const std::string& name, const Quantity& quantity) {
      to[name] = to[name] + quantity;
    });
  };
  for (const Container& container : spec.containers) add_container(sum, container);
  ResourceList sidecars;  // that run when the next init container starts
  ResourceList most_at_init;
  for (const Container& container : spec.init_containers) {
    if (container.restart_policy == "Always") {
      add_container(sum, container);
      add_container(sidecars, container);
      continue;
    }
    // What it does not ask for needs no more than the sidecars, which are in the sum.
    each(container, [&](const std::string& name, const Quantity& quantity) {
      const auto beside = sidecars.find(name);
      raise_to(most_at_init, name, beside == sidecars.end() ? quantity : beside->second + quantity);
    });
  }
  raise_to(sum, most_at_init);
  return sum;
}

/// What the spec requests for all containers together.
inline ResourceList container_requests(const PodSpec& spec) {
  return sum_of_containers(spec, [](const Container& container, const auto& use) {
    for_each_request(container.resources, use);
  });
}

/// Puts what the pod as a whole requests in place of what its containers do.
inline void put_pod_level(ResourceList& sum, const ResourceRequirements& pod) {
  for (const auto& [name, quantity] : pod.limits) {
    if (!is_pod_level(name)) continue;
    if (name.starts_with("hugepages-")) {
      sum.insert_or_assign(name, quantity);
    } else {
      sum.try_emplace(name, quantity);
    }
  }
  for (const auto& [name, quantity] : pod.requests)
    if (is_pod_level(name)) sum.insert_or_assign(name, quantity);
}

/// Whether every container limits the resource.
inline bool is_limited_by_all(const PodSpec& spec, const std::string& name) {
  const auto limits = [&](const Container& container) {
    return container.resources.limits.contains(name);
  };
  return all_of(spec.containers, limits) && all_of(spec.init_containers, limits);
}

/// What a pod as a whole says, with what the API server writes into it when the pod is created
/// (`DefaultPodLevelResources`): requests, and limits of what all containers limit.
inline std::optional<ResourceRequirements> defaulted_pod_level(const PodSpec& spec) {
  std::optional<ResourceRequirements> pod = spec.resources;
  if (!pod || (pod->requests.empty() && pod->limits.empty())) return pod;
  pod->requests = container_requests(spec);
  put_pod_level(pod->requests, *spec.resources);
  const ResourceList limited =
      sum_of_containers(spec, [](const Container& container, const auto& use) {
        for (const auto& [name, limit] : container.resources.limits) use(name, limit);
      });
  for (const auto& [name, limit] : limited) {
    const auto request = pod->requests.find(name);
    if (!is_pod_level(name) || request == pod->requests.end() || !is_limited_by_all(spec, name))
      continue;
    pod->limits.try_emplace(name, std::max(limit, request->second));
  }
  return pod;
}

/// Whether the node has refused what the spec asks for since the pod was resized.
inline bool is_resize_infeasible(const PodStatus& status) {
  for (const PodCondition& condition : status.conditions)
    if (condition.type == "PodResizePending") return condition.reason == "Infeasible";
  return false;
}

/// What the status says of a container; null: nothing.
inline const ContainerStatus* find_status(const PodStatus& status, std::string_view container) {
  for (const auto* statuses : {&status.container_statuses, &status.init_container_statuses})
    for (const ContainerStatus& of_one : *statuses)
      if (of_one.name == container) return &of_one;
  return nullptr;
}

/// Rule 5 for all containers together.
inline ResourceList container_requests(const PodSpec& spec, const PodStatus& status) {
  const bool infeasible = is_resize_infeasible(status);
  ResourceList most = infeasible ? ResourceList() : container_requests(spec);
  if (!status.allocated_resources.empty() && status.resources &&
      !status.resources->requests.empty()) {
    raise_to(most, status.allocated_resources);
    raise_to(most, status.resources->requests);
    return most;
  }
  // What the status does not say of a container is what the next best place says of it.
  for (const bool actual : {false, true}) {
    raise_to(most, sum_of_containers(spec, [&](const Container& container, const auto& use) {
               const ContainerStatus* const said = find_status(status, container.name);
               if (actual && said != nullptr && !said->resources.requests.empty()) {
                 for (const auto& [name, quantity] : said->resources.requests) use(name, quantity);
               } else if (said != nullptr && !said->allocated_resources.empty()) {
                 for (const auto& [name, quantity] : said->allocated_resources) use(name, quantity);
               } else if (!infeasible) {
                 for_each_request(container.resources, use);
               }
             }));
  }
  return most;
}

/// Rule 5 for what the pod as a whole says, in place of what its containers request.
inline void put_pod_level(ResourceList& sum, const PodSpec& spec, const PodStatus& status) {
  if (!spec.resources) return;
  ResourceList most = container_requests(spec);
  put_pod_level(most, *spec.resources);
  std::erase_if(most, [&](const auto& one) {
    return !is_pod_level(one.first) || (!spec.resources->requests.contains(one.first) &&
                                        !spec.resources->limits.contains(one.first));
  });
  if (most.empty()) return;
  if (status.resources) {
    if (is_resize_infeasible(status)) most.clear();
    raise_to(most, status.resources->requests);
    raise_to(most, status.allocated_resources);
  }
  for (const auto& [name, quantity] : most)
    if (is_pod_level(name)) sum.insert_or_assign(name, quantity);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/qos.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline Quantity amount_of(const ResourceList& list, std::string_view name) {
  const auto found = list.find(name);
  return found == list.end() ? Quantity() : found->second;
}

/// The class of one container, or of the pod as a whole; `requests_of` says where the request of a
/// resource stands.
template <class RequestsOf>
QosClass qos_class(const ResourceRequirements& of, RequestsOf requests_of) {
  const auto of_resource = [&](std::string_view name) {
    const Quantity limit = amount_of(of.limits, name);
    if (amount_of(requests_of(of, name), name) != limit) return QosClass::burstable;
    return limit.is_zero() ? QosClass::best_effort : QosClass::guaranteed;
  };
  const QosClass cpu = of_resource("cpu");
  return cpu == of_resource("memory") ? cpu : QosClass::burstable;
}

/// Of a pod, where `pod` is what it says as a whole.
template <class RequestsOf>
QosClass qos_class(const PodSpec& spec, const std::optional<ResourceRequirements>& pod,
                   RequestsOf requests_of) {
  const auto counts = [](const auto& one) { return is_pod_level(one.first); };
  if (pod && (any_of(pod->requests, counts) || any_of(pod->limits, counts)))
    return qos_class(*pod, requests_of);
  std::optional<QosClass> common;
  for (const auto* containers : {&spec.init_containers, &spec.containers}) {
    for (const Container& container : *containers) {
      const QosClass one = qos_class(container.resources, requests_of);
      if (common.value_or(one) != one) return QosClass::burstable;
      common = one;
    }
  }
  return common.value_or(QosClass::best_effort);
}

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(QosClass qos) noexcept {
  switch (qos) {
    case QosClass::best_effort: return "BestEffort";
    case QosClass::burstable: return "Burstable";
    case QosClass::guaranteed: return "Guaranteed";
  }
  return "";
}

SCHEDPOL_INLINE QosClass qos_class(const PodSpec& spec) {
  return detail::qos_class(spec, spec.resources,
                           [](const ResourceRequirements& of,
                              std::string_view) -> const ResourceList& { return of.requests; });
}

SCHEDPOL_INLINE QosClass effective_qos_class(const PodSpec& spec) {
  return detail::qos_class(
      spec, detail::defaulted_pod_level(spec),
      [](const ResourceRequirements& of, std::string_view name) -> const ResourceList& {
        return of.requests.contains(name) ? of.requests : of.limits;
      });
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/resource_amounts.hpp

/// Amounts of single resources, by their names. Their bodies come with `core/resources.hpp`.

namespace SCHEDPOL_NAMESPACE {

struct Resources;

namespace detail {

/// Whether a resource counts by rule 3 of `core/resources.hpp`.
[[nodiscard]] bool is_counted(std::string_view resource);

/// How much there is of one resource.
[[nodiscard]] std::int64_t amount_of(const Resources& resources,
                                     std::string_view resource) noexcept;

/// So much of a resource as people write it: `1800m`, `2` of cpu, `512Mi` of memory.
[[nodiscard]] Quantity to_quantity(std::string_view resource, std::int64_t amount);

/// A list as people read it: `cpu=250m, memory=120Mi`.
[[nodiscard]] inline std::string to_text(const ResourceList& resources) {
  std::string text;
  for (const auto& [name, quantity] : resources) {
    if (!text.empty()) text += ", ";
    text.append(name).append("=").append(quantity.text());
  }
  return text;
}

}  // namespace detail

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/syntax.hpp

/// Syntax of names, label keys and label values (apimachinery, `util/validation`). Each function
/// returns one entry for each broken rule, and nothing if the text is well formed. The limits are
/// those of `core/limits.hpp`.

namespace SCHEDPOL_NAMESPACE::detail {

/// A DNS-1123 subdomain: the names of most objects, and the prefix of a label key. At most
/// `max_subdomain_bytes`; lower-case alphanumerics, `-` and `.`, alphanumeric around each dot and
/// at both ends.
[[nodiscard]] std::vector<std::string> subdomain_problems(std::string_view text);

/// A DNS-1123 label: the names of namespaces. At most `max_label_name_bytes`; lower-case
/// alphanumerics and `-`, alphanumeric at both ends.
[[nodiscard]] std::vector<std::string> dns_label_problems(std::string_view text);

/// A label key: a name of at most `max_label_name_bytes` alphanumerics, dashes, dots and
/// underscores, alphanumeric at both ends, after an optional subdomain and a slash.
[[nodiscard]] std::vector<std::string> label_key_problems(std::string_view key);

/// A label value: empty, or like the name of a key, of at most `max_label_value_bytes`.
[[nodiscard]] std::vector<std::string> label_value_problems(std::string_view value);

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/resources.ipp

namespace SCHEDPOL_NAMESPACE {

namespace detail {

inline std::int64_t saturating_add(std::int64_t a, std::int64_t b) noexcept {
  using Limits = std::numeric_limits<std::int64_t>;
  if (b > 0 && a > Limits::max() - b) return Limits::max();
  if (b < 0 && a < Limits::min() - b) return Limits::min();
  return a + b;
}

inline std::int64_t saturating_subtract(std::int64_t a, std::int64_t b) noexcept {
  using Limits = std::numeric_limits<std::int64_t>;
  if (b < 0 && a > Limits::max() + b) return Limits::max();
  if (b > 0 && a < Limits::min() + b) return Limits::min();
  return a - b;
}

/// An amount that has a member of its own.
struct NamedAmount {
  std::string_view name;
  std::int64_t Resources::*amount;
};

inline constexpr NamedAmount named_amounts[] = {
    {"pods", &Resources::pods},
    {"cpu", &Resources::milli_cpu},
    {"memory", &Resources::memory},
    {"ephemeral-storage", &Resources::ephemeral_storage}};

/// Whether a resource besides cpu, memory and ephemeral-storage counts.
inline bool is_scalar(std::string_view name) {
  if (name.starts_with("hugepages-") || name.starts_with("attachable-volumes-")) return true;
  if (name.find("kubernetes.io/") != std::string_view::npos) return true;
  if (name.find('/') == std::string_view::npos || name.starts_with("requests.")) return false;
  return label_key_problems("requests." + std::string(name)).empty();
}

SCHEDPOL_INLINE bool is_counted(std::string_view resource) {
  return resource == "cpu" || resource == "memory" || resource == "ephemeral-storage" ||
         is_scalar(resource);
}

SCHEDPOL_INLINE std::int64_t amount_of(const Resources& resources,
                                       std::string_view resource) noexcept {
  for (const auto& [name, amount] : named_amounts)
    if (resource == name) return resources.*amount;
  const auto found = resources.scalar.find(resource);
  return found == resources.scalar.end() ? 0 : found->second;
}

SCHEDPOL_INLINE Quantity to_quantity(std::string_view resource, std::int64_t amount) {
  std::string_view suffix;
  const auto divide = [&](std::int64_t by, std::string_view by_suffix) {
    if (amount % by != 0) return false;
    amount /= by;
    suffix = by_suffix;
    return true;
  };
  if (resource == "cpu") {
    suffix = "m";
    divide(1000, "");
  } else if (amount != 0 && (resource == "memory" || resource == "ephemeral-storage" ||
                             resource.starts_with("hugepages-"))) {
    for (const std::string_view next : {"Ki", "Mi", "Gi", "Ti", "Pi"})
      if (!divide(1024, next)) break;
  }
  // An integer and a known suffix are a quantity.
  return *Quantity::parse(std::to_string(amount).append(suffix));
}

/// `pods` is left to the caller.
inline Resources to_resources(const ResourceList& list) {
  Resources resources;
  for (const auto& [name, quantity] : list) {
    if (name == "cpu") {
      resources.milli_cpu = quantity.milli_value();
    } else if (name == "memory") {
      resources.memory = quantity.value();
    } else if (name == "ephemeral-storage") {
      resources.ephemeral_storage = quantity.value();
    } else if (is_scalar(name)) {
      resources.scalar[name] = quantity.value();
    }
  }
  return resources;
}

/// Each amount of `into` becomes `combine(it, that of other)`.
template <class Combine>
void combine_each(Resources& into, const Resources& other, Combine combine) {
  for (const auto& [name, amount] : named_amounts)
    into.*amount = combine(into.*amount, other.*amount);
  for (const auto& [name, amount] : other.scalar) {
    std::int64_t& changed = into.scalar[name];
    changed = combine(changed, amount);
  }
}

/// Of one pod, of which nothing is below zero.
inline Resources requests_of_one(const ResourceList& list) {
  Resources requests = to_resources(list);
  combine_each(requests, Resources(requests),
               [](std::int64_t amount, std::int64_t) { return std::max<std::int64_t>(amount, 0); });
  requests.pods = 1;
  return requests;
}

}  // namespace detail

SCHEDPOL_INLINE Resources& Resources::operator+=(const Resources& other) {
  detail::combine_each(*this, other, detail::saturating_add);
  return *this;
}

SCHEDPOL_INLINE Resources& Resources::operator-=(const Resources& other) {
  detail::combine_each(*this, other, detail::saturating_subtract);
  return *this;
}

SCHEDPOL_INLINE ResourceList pod_requests(const PodSpec& spec) {
  ResourceList sum = detail::container_requests(spec);
  if (spec.resources) detail::put_pod_level(sum, *spec.resources);
  detail::add_to(sum, spec.overhead);
  return sum;
}

SCHEDPOL_INLINE ResourceList pod_requests(const PodSpec& spec, const PodStatus& status) {
  ResourceList sum = detail::container_requests(spec, status);
  detail::put_pod_level(sum, spec, status);
  detail::add_to(sum, spec.overhead);
  return sum;
}

SCHEDPOL_INLINE Resources requests(const PodSpec& spec) {
  return detail::requests_of_one(pod_requests(spec));
}

SCHEDPOL_INLINE Resources requests(const PodSpec& spec, const PodStatus& status) {
  return detail::requests_of_one(pod_requests(spec, status));
}

SCHEDPOL_INLINE Resources allocatable(const Node& node) {
  Resources allocatable = detail::to_resources(node.status.allocatable);
  const auto pods = node.status.allocatable.find("pods");
  if (pods != node.status.allocatable.end()) allocatable.pods = pods->second.value();
  return allocatable;
}

namespace detail {

/// Whether `is_left(name, left)` of every resource: whether what is asked for is left.
template <class IsLeft>
bool each_resource(const Resources& requests, const Resources& allocatable, const Resources& used,
                   const IsLeft& is_left) {
  const auto holds = [&](std::string_view name, std::int64_t requested, std::int64_t may,
                         std::int64_t does) {
    return is_left(name, requested <= 0 || requested <= saturating_subtract(may, does));
  };
  return all_of(named_amounts,
                [&](const NamedAmount& of) {
                  return holds(of.name, requests.*of.amount, allocatable.*of.amount,
                               used.*of.amount);
                }) &&
         all_of(requests.scalar, [&](const auto& resource) {
           const auto& [name, requested] = resource;
           return holds(name, requested, amount_of(allocatable, name), amount_of(used, name));
         });
}

}  // namespace detail

SCHEDPOL_INLINE bool fits(const Resources& requests, const Resources& allocatable,
                          const Resources& used) noexcept {
  return detail::each_resource(requests, allocatable, used,
                               [](std::string_view, bool is_left) { return is_left; });
}

SCHEDPOL_INLINE std::vector<std::string> insufficient(const Resources& requests,
                                                      const Resources& allocatable,
                                                      const Resources& used) {
  std::vector<std::string> reasons;
  detail::each_resource(requests, allocatable, used, [&](std::string_view name, bool is_left) {
    if (!is_left)
      reasons.push_back(name == "pods" ? "Too many pods" : "Insufficient " + std::string(name));
    return true;
  });
  return reasons;
}

SCHEDPOL_INLINE std::string unschedulable_message(std::size_t nodes, const Reasons& reasons) {
  std::vector<std::string> parts;
  for (const auto& [reason, count] : reasons) {
    if (count > 0) parts.push_back(std::to_string(count) + " " + reason);
  }
  std::sort(parts.begin(), parts.end());
  std::string message = "0/" + std::to_string(nodes) + " nodes are available:";
  for (std::size_t i = 0; i < parts.size(); ++i) message += (i == 0 ? " " : ", ") + parts[i];
  return parts.empty() ? message : message + ".";
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/scheduling_criteria.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE SharedCriteria::SharedCriteria(SchedulingCriteria criteria)
    : criteria_(std::move(criteria)) {}

SCHEDPOL_INLINE const SchedulingCriteria& SharedCriteria::operator*() const noexcept {
  static const SchedulingCriteria empty;
  return criteria_ ? *criteria_ : empty;
}

SCHEDPOL_INLINE bool operator==(const SharedCriteria& a, const SharedCriteria& b) {
  return *a == *b;
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/validators.hpp

/// The rules of `validation.hpp`, one function each, for validating an object that has such a part.
/// Each adds errors to `errors`, with paths below the path that it is given.

namespace SCHEDPOL_NAMESPACE::detail {

/// Of labels, where nothing else is said.
void validate_selector(FieldErrors& errors, const PathBuilder& place, const LabelSelector& selector,
                       SelectedValues selected = SelectedValues::labels);

/// The metadata of an object: a name, which is a subdomain, and a namespace that is not too long.
void validate_metadata(FieldErrors& errors, const PathBuilder& place, const ObjectMeta& metadata);

/// The same of an object of a kind that stands in no namespace, and so has none.
void validate_cluster_metadata(FieldErrors& errors, const PathBuilder& place, std::string_view kind,
                               const ObjectMeta& metadata);

/// A text that has at most so many bytes.
void validate_length(FieldErrors& errors, const PathBuilder& place, std::string_view text,
                     std::size_t most);

/// The name of an object, which is a subdomain; empty where nothing is named.
void validate_name(FieldErrors& errors, const PathBuilder& place, std::string_view name);

void validate_toleration(FieldErrors& errors, const PathBuilder& place,
                         const Toleration& toleration);
void validate_tolerations(FieldErrors& errors, const PathBuilder& place,
                          std::span<const Toleration> tolerations);

void validate_affinity(FieldErrors& errors, const PathBuilder& place, const Affinity& affinity);

/// Adds what was found wrong with a policy, naming it.
void add_of_policy(FieldErrors& errors, std::string_view policy, std::vector<FieldError> found);

/// The matcher of a policy's selector. What is wrong with it goes to `errors`, naming the policy,
/// and it then selects nothing.
[[nodiscard]] LabelMatcher compile_for(std::string_view policy,
                                       const std::optional<LabelSelector>& selector,
                                       const PathBuilder& place, FieldErrors& errors,
                                       SelectedValues selected = SelectedValues::labels);

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/validation.ipp

namespace SCHEDPOL_NAMESPACE {

SCHEDPOL_INLINE std::vector<FieldError> validate(const Labels& labels, const FieldPath& field) {
  detail::FieldErrors errors;
  detail::validate_labels(errors, field, labels);
  return std::move(errors).take();
}

SCHEDPOL_INLINE std::vector<FieldError> validate(std::span<const Toleration> tolerations,
                                                 const FieldPath& field) {
  detail::FieldErrors errors;
  detail::validate_tolerations(errors, field, tolerations);
  return std::move(errors).take();
}

SCHEDPOL_INLINE std::vector<FieldError> validate(const Affinity& affinity, const FieldPath& field) {
  detail::FieldErrors errors;
  detail::validate_affinity(errors, field, affinity);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE

// schedpol/core/impl/default_toleration_seconds.hpp

/// The two tolerations that the DefaultTolerationSeconds admission plugin adds to each pod that
/// does not tolerate these taints. It adds them before any webhook sees the pod, and Kubernetes takes
/// the first toleration that matches a taint, so a later toleration of such a taint has no effect.
/// Also the tolerations that the DaemonSet controller adds to its pods.
/// Source: Kubernetes, `plugin/pkg/admission/defaulttolerationseconds`, `pkg/controller/daemon/util`.

namespace SCHEDPOL_NAMESPACE::detail {

inline constexpr std::string_view not_ready_taint = "node.kubernetes.io/not-ready";
inline constexpr std::string_view unreachable_taint = "node.kubernetes.io/unreachable";
/// What the API server adds unless it is told otherwise.
inline constexpr std::int64_t usual_toleration_seconds = 300;

/// Whether it is about one of the two taints, and tolerates what the plugin's tolerates.
[[nodiscard]] inline bool takes_default_toleration_seconds(const Toleration& toleration) noexcept {
  return (toleration.key == not_ready_taint || toleration.key == unreachable_taint) &&
         toleration.effect == TaintEffect::no_execute &&
         (toleration.operator_ == TolerationOperator::exists ||
          ((toleration.operator_ == TolerationOperator::unset ||
            toleration.operator_ == TolerationOperator::equal) &&
           toleration.value.empty()));
}

/// Whether it is one of the two as the plugin adds it. Nobody can tell whether the pod's author
/// wrote the same.
[[nodiscard]] inline bool is_default_toleration_seconds(const Toleration& toleration) noexcept {
  return takes_default_toleration_seconds(toleration) &&
         toleration.operator_ == TolerationOperator::exists && toleration.value.empty() &&
         toleration.toleration_seconds == usual_toleration_seconds;
}

/// Whether a policy's toleration takes the place of one that the pod has.
[[nodiscard]] inline bool replaces(const Toleration& toleration, const Toleration& there) noexcept {
  return is_default_toleration_seconds(there) && toleration.key == there.key &&
         takes_default_toleration_seconds(toleration) && toleration != there;
}

inline Toleration existing(std::string_view key, TaintEffect effect,
                           std::optional<std::int64_t> seconds = {}) {
  return {.key = std::string(key),
          .operator_ = TolerationOperator::exists,
          .value = {},
          .effect = effect,
          .toleration_seconds = seconds};
}

inline std::vector<Toleration> daemon_set_tolerations() {
  return {existing(not_ready_taint, TaintEffect::no_execute),
          existing(unreachable_taint, TaintEffect::no_execute),
          existing("node.kubernetes.io/disk-pressure", TaintEffect::no_schedule),
          existing("node.kubernetes.io/memory-pressure", TaintEffect::no_schedule),
          existing("node.kubernetes.io/pid-pressure", TaintEffect::no_schedule),
          existing("node.kubernetes.io/unschedulable", TaintEffect::no_schedule),
          existing("node.kubernetes.io/network-unavailable", TaintEffect::no_schedule)};
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/engine/impl/mirror_annotation.hpp

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What tells that a pod only shows one that a node runs by itself.
inline constexpr std::string_view mirror_annotation = "kubernetes.io/config.mirror";

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/node_pin.hpp

/// The node to which the DaemonSet controller pins a pod: one term, `metadata.name In [NODE]`, replaces the
/// required node terms of its template. If a default adds terms, each of them then has this expression.
/// Source: Kubernetes, `pkg/controller/daemon/util`.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Takes the node out of a pod's required terms while the rest of them is judged.
class NodePin {
 public:
  /// The pod without it; as it is where not each term has it, of one node.
  explicit NodePin(Pod& pod) {
    node_ = node_of(schedpol::detail::required_terms(pod.spec.affinity));
    if (!node_) return;
    before_.emplace(*pod.spec.affinity);
    auto& required =
        pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    for (NodeSelectorTerm& term : required->node_selector_terms)
      term.match_fields.erase(term.match_fields.begin() + std::ptrdiff_t(*find(term)));
    if (schedpol::detail::all_of(required->node_selector_terms,
                                 [](const NodeSelectorTerm& term) { return is_empty(term); }))
      required.reset();
    without_.emplace(*pod.spec.affinity);
  }

  /// Whether there was one, which then is gone for good.
  static bool take_from(Pod& pod) { return NodePin(pod).node_.has_value(); }

  /// Gives it back, also to terms that the pod has got since.
  void restore(Pod& pod) const {
    if (!node_) return;
    if (pod.spec.affinity == without_) {
      pod.spec.affinity.emplace(*before_);
      return;
    }
    if (!pod.spec.affinity) pod.spec.affinity.emplace();
    auto& node = pod.spec.affinity->node_affinity;
    if (!node) node.emplace();
    auto& required = node->required_during_scheduling_ignored_during_execution;
    if (!required) required.emplace();
    if (required->node_selector_terms.empty()) required->node_selector_terms.emplace_back();
    for (NodeSelectorTerm& term : required->node_selector_terms)
      term.match_fields.push_back(*node_);
  }

 private:
  /// What all terms have; nothing where there are none.
  static std::optional<NodeSelectorRequirement> node_of(
      const std::vector<NodeSelectorTerm>& terms) {
    std::optional<NodeSelectorRequirement> node;
    for (const NodeSelectorTerm& term : terms) {
      const std::optional<std::size_t> at = find(term);
      if (!at || (node && term.match_fields[*at] != *node)) return std::nullopt;
      node = term.match_fields[*at];
    }
    return node;
  }

  /// Where the node stands among the fields of a term: the last place that names one.
  static std::optional<std::size_t> find(const NodeSelectorTerm& term) noexcept {
    for (std::size_t i = term.match_fields.size(); i > 0; --i) {
      const NodeSelectorRequirement& field = term.match_fields[i - 1];
      if (field.key == "metadata.name" && field.operator_ == NodeSelectorOperator::in &&
          field.values.size() == 1)
        return i - 1;
    }
    return std::nullopt;
  }

  std::optional<NodeSelectorRequirement> node_;
  std::optional<Affinity> before_;
  std::optional<Affinity> without_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/workload_kind.hpp

/// The kind of workload in an owner reference.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The kind of workload that an owner is; nothing where it is none.
inline std::optional<PodKind> workload_kind(const OwnerReference& owner) noexcept {
  const std::optional<PodKind> kind = pod_kind(owner.kind);
  if (!kind || *kind == PodKind::pod) return std::nullopt;
  const bool is_of_group =
      owner.api_version.empty() || is_in_group(*kind, api_group(owner.api_version));
  return is_of_group ? kind : std::nullopt;
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/as_created.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// Takes away what the API server and controllers added to a pod.
class CreatedPodMaker {
 public:
  /// `from` is the workload by whose template it was made, or null.
  CreatedPodMaker(Pod& pod, const Pod* from) noexcept
      : pod_(pod), template_(from != nullptr ? from->spec : no_template()) {}

  void remove_additions() {
    PodSpec& spec = pod_.spec;
    const OwnerReference* const controller = controller_of(pod_.metadata);
    if (controller != nullptr && workload_kind(*controller) == PodKind::daemon_set) {
      const std::vector<Toleration> added = schedpol::detail::daemon_set_tolerations();
      remove_tolerations([&](const Toleration& toleration) {
        return std::find(added.begin(), added.end(), toleration) != added.end();
      });
      if (NodePin::take_from(pod_)) remove_empty_affinity();
    }
    remove_tolerations(schedpol::detail::is_default_toleration_seconds);
    spec.priority = template_.priority;
    spec.preemption_policy = template_.preemption_policy;
    pod_.metadata.deletion_timestamp.clear();
  }

  /// False where nobody can tell.
  bool remove_scheduled_node(NodeNamedBy by) {
    std::string& node = pod_.spec.node_name;
    if (node.empty() || by == NodeNamedBy::author) return true;
    const bool is_bare = controller_of(pod_.metadata) == nullptr;
    if (template_.node_name.empty() || by == NodeNamedBy::scheduler) node.clear();
    return !is_bare || by == NodeNamedBy::scheduler;
  }

 private:
  static const PodSpec& no_template() noexcept {
    static const PodSpec none;
    return none;
  }

  template <class Added>
  void remove_tolerations(Added&& is_added) {
    const std::vector<Toleration>& own = template_.tolerations;
    std::erase_if(pod_.spec.tolerations, [&](const Toleration& toleration) {
      return is_added(toleration) && std::find(own.begin(), own.end(), toleration) == own.end();
    });
  }

  void remove_empty_affinity() {
    std::optional<Affinity>& affinity = pod_.spec.affinity;
    if (affinity->node_affinity == NodeAffinity{}) affinity->node_affinity.reset();
    if (affinity == Affinity{}) affinity.reset();
  }

  Pod& pod_;
  const PodSpec& template_;
};

}  // namespace detail

SCHEDPOL_INLINE bool is_stored(const StoredObject& object) noexcept {
  return !object.uid.empty() && !object.creation_timestamp.empty();
}

SCHEDPOL_INLINE std::string_view to_string(AskedAs as) noexcept {
  switch (as) {
    case AskedAs::undecided: return "Undecided";
    case AskedAs::created: return "Created";
    case AskedAs::it_stands: return "ItStands";
    case AskedAs::mirror_pod: return "MirrorPod";
    case AskedAs::terminal: return "Terminal";
  }
  return "";
}

SCHEDPOL_INLINE CreatedObject as_created(StoredObject object, const Owners& owners) {
  CreatedObject created{AskedAs::created, std::move(object.object)};
  Pod& pod = created.object;
  if (pod.kind != PodKind::pod || !is_stored(object)) {
    created.as = AskedAs::it_stands;
  } else if (pod.metadata.annotations.contains(detail::mirror_annotation)) {
    created.as = AskedAs::mirror_pod;
  } else if (is_terminal(pod)) {
    created.as = AskedAs::terminal;
  } else {
    detail::CreatedPodMaker maker(pod, owners.template_of(pod));
    maker.remove_additions();
    if (!maker.remove_scheduled_node(object.node_named_by)) created.as = AskedAs::undecided;
  }
  return created;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/engine/impl/owners.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// The name of the Deployment of a ReplicaSet (rule 3); empty where that is not told.
inline std::string_view deployment_of(const OwnerReference& replica_set, const Labels& of_pod) {
  if (workload_kind(replica_set) != PodKind::replica_set) return {};
  const std::string* const hash = find_label(of_pod, "pod-template-hash");
  std::string_view name = replica_set.name;
  if (hash == nullptr || hash->empty() || !name.ends_with(*hash)) return {};
  name.remove_suffix(hash->size());
  if (!name.ends_with('-')) return {};
  name.remove_suffix(1);
  return name;
}

}  // namespace detail

SCHEDPOL_INLINE const OwnerReference* controller_of(const ObjectMeta& metadata) noexcept {
  for (const OwnerReference& owner : metadata.owner_references)
    if (owner.controller) return &owner;
  return nullptr;
}

SCHEDPOL_INLINE Owners::Owners(std::span<const Pod> objects) {
  for (const Pod& object : objects) {
    if (object.kind == PodKind::pod) continue;
    const ObjectMeta& metadata = object.metadata;
    workloads_.try_emplace(Key(object.kind, {namespace_of(metadata), metadata.name}), &object);
  }
}

SCHEDPOL_INLINE const Pod* Owners::find(const OwnerReference& owner, std::string_view in) const {
  const std::optional<PodKind> kind = detail::workload_kind(owner);
  if (!kind) return nullptr;
  const auto found = workloads_.find({*kind, {in, owner.name}});
  return found == workloads_.end() ? nullptr : found->second;
}

SCHEDPOL_INLINE const Pod* Owners::template_of(const Pod& pod) const {
  const OwnerReference* const controller = controller_of(pod.metadata);
  if (controller == nullptr) return nullptr;
  const std::string_view in = namespace_of(pod.metadata);
  if (const Pod* const found = find(*controller, in)) return found;
  const std::string_view name = detail::deployment_of(*controller, pod.metadata.labels);
  if (name.empty()) return nullptr;
  const auto found = workloads_.find({PodKind::deployment, {in, name}});
  return found == workloads_.end() ? nullptr : found->second;
}

SCHEDPOL_INLINE Owner Owners::outermost_of(const Pod& object) const {
  Owner owner{std::string(to_string(object.kind)), object.metadata.namespace_,
              object.metadata.name};
  const std::string_view in = namespace_of(object.metadata);
  const Pod* at = &object;
  for (int step = 0; step < max_owner_levels && at != nullptr; ++step) {
    const OwnerReference* const controller = controller_of(at->metadata);
    if (controller == nullptr) break;
    owner.kind = controller->kind;
    owner.name = controller->name;
    const Pod* next = find(*controller, in);
    if (next == nullptr) {
      if (const auto name = detail::deployment_of(*controller, at->metadata.labels);
          !name.empty()) {
        owner.kind = to_string(PodKind::deployment);
        owner.name = name;
        const auto found = workloads_.find({PodKind::deployment, {in, name}});
        if (found != workloads_.end()) next = found->second;
      }
    }
    at = next;
  }
  return owner;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/base/impl/written_steps.hpp

/// The steps of a path that is written down, such as that to the pod templates of a custom kind.

namespace SCHEDPOL_NAMESPACE::detail {

/// A field, and where it is followed by `[*]` each item of the list in it.
struct WrittenStep {
  std::string_view field;
  bool each_item;
};

/// The steps of `spec.replicatedJobs[*].template`, whose text outlives them; none where it is malformed. A field is
/// letters, digits, `_` and `-`, as the API server has them in the schema of a custom resource.
[[nodiscard]] inline std::vector<WrittenStep> written_steps(std::string_view path) {
  constexpr std::string_view each = "[*]";
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
  std::vector<WrittenStep> steps;
  while (true) {
    const std::size_t dot = path.find('.');
    std::string_view field = path.substr(0, dot);
    const bool each_item = field.ends_with(each);
    if (each_item) field.remove_suffix(each.size());
    if (field.empty() || field.find_first_not_of(letters) != std::string_view::npos) return {};
    steps.push_back({field, each_item});
    if (dot == std::string_view::npos) return steps;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/engine/impl/object_changes.hpp

/// A change of an Engine's objects: the usable ones, and the unusable ones with the reasons.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What tells an object from all others.
struct ObjectName {
  std::string_view kind;
  std::string namespace_;  ///< empty for the kinds of the cluster
  std::string name;

  friend auto operator<=>(const ObjectName&, const ObjectName&) = default;
};

[[nodiscard]] inline ObjectName name_of(const ObjectKind& kind, const ObjectMeta& metadata) {
  const bool namespaced = kind.scope == Scope::namespace_;
  return {kind.name, namespaced ? metadata.namespace_ : std::string(), metadata.name};
}

/// The kind of an object, out of those that stand in its list.
template <class T>
[[nodiscard]] ObjectKind kind_of(const T& object, ObjectKinds kinds) {
  if constexpr (requires { to_string(object.kind); }) {
    for (const ObjectKind& kind : kinds)
      if (kind.name == to_string(object.kind)) return kind;
  }
  return *kinds.begin();
}

inline constexpr ObjectKind namespace_kind{"Namespace", Scope::cluster};

/// The kind of an object that could not be read; without a name where there is no such kind.
[[nodiscard]] inline ObjectKind kind_of(const UnreadableObject& object) {
  ObjectKind found{};
  if (object.kind == namespace_kind.name) found = namespace_kind;
  const Objects none;
  for_each_list(none, [&](const auto&, ObjectKinds kinds) {
    for (const ObjectKind& kind : kinds)
      if (kind.name == object.kind) found = kind;
  });
  return found;
}

[[nodiscard]] inline ObjectMeta metadata_of(const UnreadableObject& object) {
  return {.name = object.name, .namespace_ = object.namespace_};
}

/// What is wrong, by object.
using Problems = std::map<ObjectName, std::vector<FieldError>>;

/// An object that could not be read, and the first reason why.
struct Unread {
  ObjectName name;
  const UnreadableObject* object;
  FieldError reason;
};

/// What an Engine takes in. All that was called like one of `replaced` goes first. For what cannot be
/// used pods are denied, but for roles, bindings and namespaces: they grant nothing and select nothing.
struct ObjectChanges {
  Objects replaced{};  ///< with stand-ins for what could not be read
  Objects usable{};
  Objects unusable{};
  std::vector<Unread> unread{};
  Problems problems{};

  /// The first of what is wrong with an object; null where nothing is.
  [[nodiscard]] const FieldError* reason_of(const ObjectName& name) const noexcept {
    const auto found = problems.find(name);
    return found == problems.end() ? nullptr : &found->second.front();
  }

  /// Calls `f(object, name, reason)` for each of a type that cannot be used.
  template <class T, class F>
  void for_each_unusable(F&& f) const {
    visit_list<T>(unusable, [&](const auto& list, ObjectKinds kinds) {
      for (const T& object : list) {
        ObjectName name = name_of(kind_of(object, kinds), object.metadata);
        const FieldError& reason = *reason_of(name);
        f(object, std::move(name), reason);
      }
    });
  }
};

/// The objects, with one of its name beside them for each that could not be read.
[[nodiscard]] Objects with_stand_ins(Objects objects);

/// Each of `objects`, which outlive this, takes the place of the one of its name.
[[nodiscard]] ObjectChanges changes_to(const Objects& objects);

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/base/impl/text_key.hpp

/// An injective encoding of several texts as one.

namespace SCHEDPOL_NAMESPACE::detail {

/// Of each text the size and the text, `3:abc`; of one that is missing `-`.
class TextKey {
 public:
  TextKey& add(std::string_view text) {
    text_.append(std::to_string(text.size())).append(1, ':').append(text);
    return *this;
  }
  void add_missing() { text_ += '-'; }

  [[nodiscard]] const std::string& text() const& noexcept { return text_; }
  [[nodiscard]] std::string text() && noexcept { return std::move(text_); }

  /// Takes the first of them off what is left of `text()`, which is not empty.
  [[nodiscard]] static std::optional<std::string_view> next(std::string_view& left) noexcept {
    const char first = left.front();
    left.remove_prefix(1);
    if (first == '-') return std::nullopt;
    std::size_t size = static_cast<std::size_t>(first - '0');
    for (; left.front() != ':'; left.remove_prefix(1))
      size = size * 10 + static_cast<std::size_t>(left.front() - '0');
    const std::string_view text = left.substr(1, size);
    left.remove_prefix(1 + size);
    return text;
  }

 private:
  std::string text_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/engine/impl/kept_tolerations.hpp

/// Puts back tolerations that a pod got when it was created and that an update lacks. A client that applies
/// its manifest again lists only its own tolerations, and the API server lets nobody remove one from a
/// pod. Source: Kubernetes, `pkg/apis/core/validation`, ValidatePodUpdate.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What tells tolerations apart on an update, which may change their tolerationSeconds.
[[nodiscard]] inline std::string identity_of(const Toleration& toleration) {
  schedpol::detail::TextKey key;
  key.add(toleration.key).add(toleration.operator_.text());
  key.add(toleration.value).add(toleration.effect.text());
  return std::move(key).text();
}

/// The places of tolerations in their list by what tells them apart, of equal ones the first.
using PlacesByIdentity = std::map<std::string, std::size_t, std::less<>>;

/// Those of the tolerations of the old pod that the updated one lacks, or that the API server has
/// put the usual one of DefaultTolerationSeconds in the place of.
[[nodiscard]] inline PlacesByIdentity lost_tolerations(const Pod& old, const Pod& updated) {
  PlacesByIdentity lost;
  for (std::size_t i = 0; i < old.spec.tolerations.size(); ++i)
    lost.try_emplace(identity_of(old.spec.tolerations[i]), i);
  for (const Toleration& toleration : updated.spec.tolerations) {
    const auto found = lost.find(identity_of(toleration));
    if (found == lost.end() ||
        schedpol::detail::replaces(old.spec.tolerations[found->second], toleration))
      continue;
    lost.erase(found);
  }
  return lost;
}

/// Gives those of them back that `created` was given, which is what the update would be as a new
/// pod.
inline void put_back(PlacesByIdentity lost, const Pod& old, const Admission& created,
                     Admission& updated) {
  const FieldPath list{"spec", "tolerations"};
  std::vector<Toleration>& tolerations = updated.pod.spec.tolerations;
  for (std::size_t i = 0; i < created.pod.spec.tolerations.size() && !lost.empty(); ++i) {
    const auto found = lost.find(identity_of(created.pod.spec.tolerations[i]));
    if (found == lost.end()) continue;
    const Toleration& toleration = old.spec.tolerations[found->second];
    const FieldPath place = list.index(i);
    Change change;
    for (const Change& injected : created.changes)
      if (injected.field == place) change = injected;
    const auto there = std::find_if(
        tolerations.begin(), tolerations.end(),
        [&](const Toleration& each) { return schedpol::detail::replaces(toleration, each); });
    change.field = list.index(static_cast<std::size_t>(there - tolerations.begin()));
    if (change.to) change.to = to_string(toleration);
    updated.changes.push_back(std::move(change));
    if (there == tolerations.end()) {
      tolerations.push_back(toleration);
    } else {
      *there = toleration;
    }
    lost.erase(found);
  }
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/core/impl/given_items.hpp

/// The number of items that policies and classes give to one pod, as `max_given_items` counts them.

namespace SCHEDPOL_NAMESPACE::detail {

/// The items of each sort. An empty term is one, too.
inline std::size_t given_items(const NodeSelectorTerm& term) noexcept {
  return std::max<std::size_t>(term.match_expressions.size() + term.match_fields.size(), 1);
}
inline std::size_t given_items(const Affinity& affinity) noexcept {
  std::size_t items = 0;
  if (const auto& node = affinity.node_affinity) {
    if (const auto& required = node->required_during_scheduling_ignored_during_execution)
      for (const NodeSelectorTerm& term : required->node_selector_terms) items += given_items(term);
    for (const auto& preferred : node->preferred_during_scheduling_ignored_during_execution)
      items += given_items(preferred.preference);
  }
  for (const auto* pods : {&affinity.pod_affinity, &affinity.pod_anti_affinity})
    if (*pods)
      items += (*pods)->required_during_scheduling_ignored_during_execution.size() +
               (*pods)->preferred_during_scheduling_ignored_during_execution.size();
  return items;
}

/// What criteria give to a pod; one where that is nothing. `Criteria` are a policy's spec, or
/// `SchedulingCriteria`.
template <class Criteria>
[[nodiscard]] std::size_t given_items(const Criteria& criteria) noexcept {
  std::size_t items = criteria.node_selector.size() + criteria.tolerations.size();
  if constexpr (requires { criteria.affinity; }) {
    items += (criteria.node_name.empty() ? 0 : 1) + (criteria.scheduler_name.empty() ? 0 : 1);
    if (criteria.affinity) items += given_items(*criteria.affinity);
  }
  return std::max<std::size_t>(items, 1);
}

/// What is wrong where somebody gives so many items.
[[nodiscard]] inline FieldError too_many_injected(FieldPath field, std::size_t items) {
  return {ErrorType::too_many, std::move(field), std::to_string(items),
          "a pod is given at most " + std::to_string(max_given_items) +
              " items by policies and its class, and these are " + std::to_string(items)};
}
template <class Criteria>
void validate_given_items(FieldErrors& errors, const PathBuilder& at, const Criteria& criteria) {
  const std::size_t items = given_items(criteria);
  if (items > max_given_items) errors.add(too_many_injected(at.path(), items));
}

/// The denial of a pod that these give more than a limit.
[[nodiscard]] inline Violation limit_exceeded(FieldPath field, const FieldError& error,
                                              Names policies) {
  return {.code = ViolationCode::limit_exceeded,
          .field = std::move(field),
          .value = error.bad_value,
          .policies = std::move(policies),
          .detail = error.detail};
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/engine/impl/systems.hpp

/// The table of systems: one row for each, with everything that the engine knows about it.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Who writes a pod: what two of them put into it needs no permission. A placer is one only for a pod
/// that had scheduling gates.
enum class PodWriter { user, daemon_set_controller, placer };

class CompiledSystem;

/// A system that does not change, shared by all engines that run it.
class SharedSystem : public SharedOwner {
 public:
  template <class System>
  explicit SharedSystem(System made) : SharedOwner(new System(std::move(made))) {}

  [[nodiscard]] const CompiledSystem& operator*() const noexcept;
  [[nodiscard]] const CompiledSystem* operator->() const noexcept { return &**this; }
};

/// What is told of a decision to whoever looks on.
struct DecisionTrace {
  /// The object as a system was asked about it.
  struct Question {
    Pod object;
    bool is_changed;  ///< false: it is judged as it stands
  };

  System watched = System::none;
  std::vector<Question> questions{};  ///< that the watched system was asked, each round
};

/// What an admission depends on besides the pod.
struct AdmissionContext {
  PodWriter by;
  ChangeValues values;
  DecisionTrace* trace;                      ///< null where nobody looks on
  const std::vector<Step>& steps;            ///< that are run
  const std::vector<SharedSystem>& systems;  ///< of all rows, in their order
};

/// Criteria of a pod that objects of the cluster, and not its author, put into it, or would.
class ClusterCriteria {
 public:
  std::vector<SharedCriteria> of_pod{};
  SchedulingCriteria added_to_pods{};  ///< of a template
  bool merges_tolerations = false;     ///< of a template, with those that a class adds to its pods

  /// What an object puts into the pod. Its name has to last as long as this.
  void put_into_pod(std::string_view name, SharedCriteria criteria) {
    count(name, *criteria);
    of_pod.push_back(std::move(criteria));
  }
  /// What a class puts into the pods of a template.
  void add_to_pods(std::string_view name, const SchedulingCriteria& criteria) {
    count(name, criteria);
    added_to_pods = criteria;
    merges_tolerations = true;
  }

  [[nodiscard]] bool empty() const noexcept { return names_.empty(); }

  /// Why a pod is denied that these give too much.
  [[nodiscard]] std::optional<Violation> violation(PodKind kind) const {
    if (items_ <= max_given_items) return std::nullopt;
    const FieldPath field = field_path(kind, {"spec"});
    return schedpol::detail::limit_exceeded(field,
                                            schedpol::detail::too_many_injected(field, items_),
                                            std::vector<std::string>(names_.begin(), names_.end()));
  }

 private:
  void count(std::string_view name, const SchedulingCriteria& criteria) {
    names_.push_back(name);
    items_ += schedpol::detail::given_items(criteria);
  }

  std::vector<std::string_view> names_;
  std::size_t items_ = 0;
};

/// The decision on the metadata of an object.
struct MetadataOutcome {
  Allowed allowed{};
  ObjectMeta metadata{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
};

/// One system as an Engine runs it: what was compiled of its objects. Asked from any number of
/// threads.
class CompiledSystem : public SharedObject {
 public:
  CompiledSystem() = default;
  CompiledSystem& operator=(const CompiledSystem&) = delete;
  ~CompiledSystem() override = default;

  /// Whether it looks at any object that changes.
  [[nodiscard]] virtual bool concerns(const Objects& changed) const noexcept = 0;

  /// The same system with other objects. What did not change both share.
  [[nodiscard]] virtual SharedSystem with(const ObjectChanges& changes) const = 0;

  /// Gives to a created pod, or to a new template, what other systems look at, before any of them is
  /// asked.
  virtual std::vector<Change> give_first(Pod&) const { return {}; }

  /// The decision on a created pod. On a denial `pod` is unspecified; the caller restores it.
  [[nodiscard]] virtual Admission admit(Pod&& pod, AdmissionContext context) const = 0;

  /// The decision on a template that is put in the place of another one: changed as a created one,
  /// and denied for what it adds; where it is not permitted as it came, but neither was the old
  /// one, it stays as it came.
  [[nodiscard]] SCHEDPOL_INLINE virtual Admission update_template(const Old<Pod>& old,
                                                                  Pod&& updated,
                                                                  AdmissionContext context) const;

  /// The decision on an update of a pod, which keeps what it was given: denied for what it adds;
  /// tolerations of the old pod that it lacks, and that a created pod would be given, are put back,
  /// because the API server refuses to take them away.
  [[nodiscard]] SCHEDPOL_INLINE virtual Admission update_pod(const Old<Pod>& old, Pod&& updated,
                                                             AdmissionContext context) const;

  /// The decision on an object that is no pod, or on a workload apart from its template; nothing
  /// where it is not about such. `old` is null when the object is created.
  [[nodiscard]] virtual std::optional<MetadataOutcome> admit_metadata(
      const ObjectMeta&, const Old<ObjectMeta>*) const {
    return std::nullopt;
  }

  /// Whether it is not about objects of the kind, or none that the user writes. Of pods and workloads
  /// nobody asks it.
  [[nodiscard]] virtual bool exempts(std::string_view, std::string_view, const Requester&) const {
    return false;
  }

  /// Adds what it puts into a pod, or would, by objects that stand in no namespace.
  virtual void add_criteria(const Pod&, Mode, ClusterCriteria&) const {}

  /// Adds the objects that it does not know and would have looked at for a pod that it denied.
  virtual void add_unknown(const Pod&, const AdmissionContext&, std::vector<UnknownObject>&) const {
  }

  /// What a policy that changed the pod is called: with its namespace, where it is in one.
  [[nodiscard]] virtual std::string full_name(const std::string& policy, const Pod&) const {
    return policy;
  }

  /// Whether what `admit` changes is meant for an object of that kind.
  [[nodiscard]] virtual bool changes(PodKind) const noexcept { return true; }

  /// What an update adds that is not permitted: the violations of `admit` that the old pod did not
  /// have.
  [[nodiscard]] SCHEDPOL_INLINE virtual std::vector<Violation> judge_update(
      const Old<Pod>& old, const Pod& updated, AdmissionContext context) const;

  /// Why it denies an object as it stands; `old` is null where that is created.
  [[nodiscard]] SCHEDPOL_INLINE std::vector<Violation> violations_of(
      const Pod& object, const Old<Pod>* old, AdmissionContext context) const;

  /// What is not as it has to be when all mutators ran: by default the violations of `admit`.
  [[nodiscard]] SCHEDPOL_INLINE virtual std::vector<Violation> verify(
      const Pod& final, AdmissionContext context) const;

 protected:
  CompiledSystem(const CompiledSystem&) : SharedObject() {}  // it has owners of its own

  [[nodiscard]] std::vector<Violation> violations(const Pod& pod,
                                                  const AdmissionContext& context) const;
};

inline const CompiledSystem& SharedSystem::operator*() const noexcept {
  return static_cast<const CompiledSystem&>(*object());
}

/// What the cluster's objects put into a pod, or would. A system that is not run puts nothing into
/// it, but the API server does what a RuntimeClass says by itself.
[[nodiscard]] ClusterCriteria cluster_criteria(const Pod& pod, const AdmissionContext& context);

struct SystemRow {
  System system;
  std::string_view name;
  std::string_view audit_key;
  bool looks_at_metadata;  ///< at annotations and containers too; no other changes metadata
  SharedSystem (*make)(const Settings&);  ///< of no objects
};

/// In the order of the enumeration.
using SystemRows = std::array<SystemRow, std::size(all_systems)>;
[[nodiscard]] const SystemRows& system_rows() noexcept;

[[nodiscard]] inline const SystemRow& system_row(System system) noexcept {
  return system_rows()[static_cast<std::size_t>(system)];
}

/// `systems` are those of all rows.
[[nodiscard]] EffectivePolicy effective_policy(const std::vector<SharedSystem>& systems,
                                               const Pod& pod);

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/base/impl/persistent_map.hpp

/// A persistent map: its copies share what they have in common, so that one value of ten thousand is changed
/// without copying the others. It is spread over shards by the hash of its keys; a change copies
/// one shard.

namespace SCHEDPOL_NAMESPACE::detail {

/// Two texts, and what they are texts of.
template <class Text>
struct BasicMapKey {
  char kind = 0;
  Text first{};
  Text second{};

  friend auto operator<=>(const BasicMapKey&, const BasicMapKey&) = default;
};
using MapKey = BasicMapKey<std::string>;
using MapKeyView = BasicMapKey<std::string_view>;

[[nodiscard]] inline MapKeyView view(const MapKey& key) noexcept {
  return {key.kind, key.first, key.second};
}
[[nodiscard]] inline MapKeyView view(const MapKeyView& key) noexcept {
  return key;
}
[[nodiscard]] inline MapKey copy_of(const MapKeyView& key) {
  return {key.kind, std::string(key.first), std::string(key.second)};
}

/// Of keys and views of them, so that a key is found without copying its texts.
struct MapKeyOrder {
  using is_transparent = void;

  template <class A, class B>
  bool operator()(const A& one, const B& other) const noexcept {
    return view(one) < view(other);
  }
};

/// Objects by key, whose types only `PersistentMap` knows, so that one map is compiled for all types.
class PersistentObjects {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Null where there is none.
  [[nodiscard]] const SharedObject* find(const MapKeyView& key) const noexcept {
    if (size_ == 0) return nullptr;
    const CopyOnWrite<Shard>& shard = shards_[number_of(key)];
    if (!shard) return nullptr;
    const auto found = (*shard).find(key);
    return found == (*shard).end() ? nullptr : found->second.object();
  }

  /// The same, to be changed: one that no other map has.
  [[nodiscard]] SharedObject* own(const MapKeyView& key) {
    if (find(key) == nullptr) return nullptr;
    ValueOwner& owner = own_shard(key).find(key)->second;
    if (owner.object()->owners.load(std::memory_order_acquire) > 1)
      owner = ValueOwner(owner.object()->copy());
    return owner.object();
  }

  /// Of a key that there is none of. Takes the object, which has one owner.
  void insert(const MapKeyView& key, SharedObject* object) {
    ValueOwner owner(object);
    if (shards_.empty()) shards_.resize(shard_count);
    own_shard(key).try_emplace(copy_of(key), std::move(owner));
    ++size_;
  }

  void erase(const MapKeyView& key) {
    if (find(key) == nullptr) return;
    Shard& shard = own_shard(key);
    shard.erase(shard.find(key));
    --size_;
  }

  /// All keys, in their order.
  [[nodiscard]] std::set<MapKey> keys() const {
    std::set<MapKey> keys;
    for_each([&](const MapKey& key, const SharedObject&) { keys.insert(key); });
    return keys;
  }

  /// Calls `f(key, object)` for each.
  template <class F>
  void for_each(F&& f) const {
    for (const CopyOnWrite<Shard>& shard : shards_) {
      if (!shard) continue;
      for (const auto& [key, owner] : *shard) f(key, *owner.object());
    }
  }

  /// Calls `f(key, object)` for each of this kind, and with this first text where one is given, until
  /// it says no.
  template <class F>
  void for_each_until(char kind, std::optional<std::string_view> first, F&& f) const {
    for (const CopyOnWrite<Shard>& shard : shards_) {
      if (!shard) continue;
      for (auto at = (*shard).lower_bound(MapKeyView{kind, first.value_or(""), {}});
           at != (*shard).end() && at->first.kind == kind && (!first || at->first.first == *first);
           ++at)
        if (!f(at->first, *at->second.object())) return;
    }
  }

 private:
  class ValueOwner : public SharedOwner {
   public:
    explicit ValueOwner(SharedObject* object) noexcept : SharedOwner(object) {}
    using SharedOwner::object;
  };

  using Shard = std::map<MapKey, ValueOwner, MapKeyOrder>;

  /// Of ten thousand values a shard has forty.
  static constexpr std::size_t shard_count = 256;

  static std::size_t number_of(const MapKeyView& key) noexcept {
    constexpr std::hash<std::string_view> hash;
    return (hash(key.first) * 31 + hash(key.second) + static_cast<unsigned char>(key.kind)) %
           shard_count;
  }

  Shard& own_shard(const MapKeyView& key) { return shards_[number_of(key)].own(); }

  std::vector<CopyOnWrite<Shard>> shards_;  ///< none before the first value
  std::size_t size_ = 0;
};

/// Copies may be read by any number of threads, each copy changed by one.
template <class Value>
class PersistentMap {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return objects_.size(); }

  /// Null where there is none. Valid until the map is changed.
  [[nodiscard]] const Value* find(const MapKeyView& key) const noexcept {
    const SharedObject* const found = objects_.find(key);
    return found == nullptr ? nullptr : &value_of(*found);
  }

  /// The value to be changed, made where there is none.
  [[nodiscard]] Value& operator[](const MapKeyView& key) {
    SharedObject* known = objects_.own(key);
    if (known == nullptr) objects_.insert(key, known = new Object(Value()));
    return static_cast<Object*>(known)->value;
  }

  void erase(const MapKeyView& key) { objects_.erase(key); }

  /// All keys, in their order: to change values one by one.
  [[nodiscard]] std::set<MapKey> keys() const { return objects_.keys(); }

  /// Calls `f(key, value)` for each, in no order.
  template <class F>
  void for_each_entry(F&& f) const {
    objects_.for_each(
        [&](const MapKey& key, const SharedObject& object) { f(key, value_of(object)); });
  }

  /// Calls `f(value)` for each, in no order.
  template <class F>
  void for_each(F&& f) const {
    objects_.for_each([&](const MapKey&, const SharedObject& object) { f(value_of(object)); });
  }

  /// Calls `f(value)` for each of this kind, and with this first text where one is given, in no order,
  /// until it says no. Takes a look into every shard.
  template <class F>
  void for_each_until(char kind, std::optional<std::string_view> first, F&& f) const {
    objects_.for_each_until(kind, first, [&](const MapKey&, const SharedObject& object) {
      return f(value_of(object));
    });
  }

  /// Calls `f(key, value)` for each of this kind with this first text, in no order. Takes a look
  /// into every shard.
  template <class F>
  void for_each_of(char kind, std::string_view first, F&& f) const {
    objects_.for_each_until(kind, first, [&](const MapKey& key, const SharedObject& object) {
      f(key, value_of(object));
      return true;
    });
  }

 private:
  using Object = OwnedObject<Value>;

  static const Value& value_of(const SharedObject& object) noexcept {
    return static_cast<const Object&>(object).value;
  }

  PersistentObjects objects_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/engine/impl/object_store.hpp

/// The original objects of an Engine, for systems that compile them into another form, and their
/// replacement.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The objects of some types that can be used. Copies share them.
template <class... Types>
class ObjectStore {
 public:
  void apply(const ObjectChanges& changes) { (apply_to_list<Types>(changes), ...); }

  /// The object of a type that has this name in a namespace; null where there is none.
  template <class T>
  [[nodiscard]] const T* find_in(std::string_view namespace_,
                                 std::string_view name) const noexcept {
    return map_of<T>().find({0, namespace_, name});
  }

  /// Calls `f(object)` for each of a type that is in a namespace, or in none, until it says no.
  template <class T, class F>
  void for_each_in(std::string_view namespace_, F&& f) const {
    map_of<T>().for_each_until(0, namespace_, f);
  }
  /// The same of all that are in no namespace, of a type of which others are in one.
  template <class T, class F>
  void for_each_of_cluster(F&& f) const {
    map_of<T>().for_each_until(1, {}, f);
  }
  /// The same of all of a type.
  template <class T, class F>
  void for_each(F&& f) const {
    bool goes_on = true;
    const auto one = [&](const T& object) { return goes_on = goes_on && f(object); };
    map_of<T>().for_each_until(0, {}, one);
    map_of<T>().for_each_until(1, {}, one);
  }

 private:
  template <class T>
  using Map = schedpol::detail::PersistentMap<T>;

  template <class T>
  [[nodiscard]] const Map<T>& map_of() const noexcept {
    return std::get<Map<T>>(objects_);
  }

  template <class T>
  void apply_to_list(const ObjectChanges& changes) {
    Map<T>& objects = std::get<Map<T>>(objects_);
    visit_list<T>(changes.replaced, [&](const auto& list, ObjectKinds kinds) {
      for (const T& object : list) objects.erase(key_of(object, kinds));
    });
    visit_list<T>(changes.usable, [&](const auto& list, ObjectKinds kinds) {
      for (const T& object : list) objects[key_of(object, kinds)] = T(object);
    });
  }

  template <class T>
  static schedpol::detail::MapKeyView key_of(const T& object, ObjectKinds kinds) {
    const ObjectKind kind = kind_of(object, kinds);
    if (kind.scope == Scope::namespace_)
      return {0, object.metadata.namespace_, object.metadata.name};
    return {static_cast<char>(kinds.size() - 1), object.metadata.name, {}};
  }

  std::tuple<Map<Types>...> objects_;
};

/// Puts policies into the place of others in what a system has compiled of them.
template <class Compiled, class Policy>
void replace_policies(Compiled& compiled, const std::vector<Policy>& replaced,
                      const std::vector<Policy>& usable) {
  if (replaced.empty()) return;
  // What has been found good can be compiled; otherwise it denies.
  auto made = compiled.without(replaced).with(usable);
  compiled = made ? *std::move(made) : Compiled();
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/core/impl/widest_matcher.hpp

namespace SCHEDPOL_NAMESPACE::detail {

/// What a selector of a policy that cannot be used might select: everything where there is none, or
/// where it cannot be read itself.
[[nodiscard]] inline LabelMatcher widest_matcher(const std::optional<LabelSelector>& selector,
                                                 SelectedValues selected = SelectedValues::labels) {
  if (auto matcher = compile(selector, {}, selected); selector && matcher)
    return *std::move(matcher);
  return *compile(LabelSelector{});
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/engine/impl/unusable_policies.hpp

/// Unusable policies, and the pods that each of them might have applied to: those that its selectors
/// select; a selector that cannot be read selects everything. Such a pod is denied, because nobody knows
/// what the policy would have done with it.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The denial of an object because of one policy. `field` is what the policy is about in it.
[[nodiscard]] inline Violation invalid_policy(FieldPath field, const std::string& name,
                                              const FieldError& reason) {
  return {.code = ViolationCode::invalid_policy,
          .field = std::move(field),
          .value = message(reason),
          .policies = {name}};
}

/// The denial of a pod, which is as it came.
[[nodiscard]] inline Admission denied(Pod&& pod, std::vector<Violation>&& violations) {
  Admission admission;
  admission.pod = std::move(pod);
  admission.violations = std::move(violations);
  return admission;
}

/// The same, with the violations of an admission after these.
[[nodiscard]] inline Admission denied(Admission&& admission, const Pod& pod,
                                      std::vector<Violation>&& violations) {
  if (violations.empty()) return std::move(admission);
  schedpol::detail::append(violations, std::move(admission.violations));
  return denied(Pod(pod), std::move(violations));
}

/// Leaves out what there was before, word for word: a MetadataPolicy that rejects an object anew is not
/// one that rejected it before.
inline std::vector<Violation> without(std::vector<Violation> added,
                                      const std::vector<Violation>& had) {
  schedpol::detail::erase_if(added, [&](const Violation& violation) {
    return schedpol::detail::contains(had, violation);
  });
  return added;
}

/// The pods of a PodSelection.
class PodMatcher {
 public:
  explicit PodMatcher(const PodSelection& selection)
      : namespaces_(schedpol::detail::widest_matcher(selection.namespaces)),
        labels_(schedpol::detail::widest_matcher(selection.labels)),
        annotations_(
            schedpol::detail::widest_matcher(selection.annotations, SelectedValues::annotations)) {}

  /// `in` is the namespace; null where it is not known, and might be selected.
  [[nodiscard]] bool might_match(const ObjectMeta& object, const Namespace* in) const noexcept {
    return (in == nullptr || namespaces_.matches(in->metadata.labels)) &&
           labels_.matches(object.labels) && annotations_.matches(object.annotations);
  }

 private:
  LabelMatcher namespaces_;
  LabelMatcher labels_;
  LabelMatcher annotations_;
};

/// Those of one system, by kind and name.
class UnusablePolicies {
 public:
  [[nodiscard]] bool empty() const noexcept { return all_.empty(); }

  /// Those of `changes`. `selections_of(policy)` are the pods that a policy may be about.
  template <class Policy, class SelectionsOf>
  void apply(const ObjectChanges& changes, SelectionsOf&& selections_of) {
    visit_list<Policy>(changes.replaced, [&](const auto& replaced, ObjectKinds kinds) {
      for (const Policy& policy : replaced)
        all_.erase(name_of(kind_of(policy, kinds), policy.metadata));
      changes.for_each_unusable<Policy>(
          [&](const Policy& policy, ObjectName&& name, const FieldError& reason) {
            add(std::move(name), reason, selections_of(policy));
          });
      for (const Unread& unread : changes.unread) {
        if (schedpol::detail::none_of(
                kinds, [&](const ObjectKind& kind) { return kind.name == unread.name.kind; }))
          continue;
        const std::vector<PodSelection>& selects = unread.object->selects;
        add(unread.name, unread.reason, selects.empty() ? std::vector<PodSelection>(1) : selects);
      }
    });
  }

  /// Why an object with this metadata is denied. `in` is its namespace; null where that is not
  /// known. `field` is what the policies are about in the object.
  [[nodiscard]] std::vector<Violation> violations(const FieldPath& field,
                                                  const ObjectMeta& metadata,
                                                  const Namespace* in) const {
    std::vector<Violation> violations;
    const ObjectName* reported = nullptr;
    for (const auto& [name, policy] : all_) {
      if (reported != nullptr && *reported == name) continue;
      // One that says no namespace, though its kind has one, might be meant for any.
      const bool here = name.namespace_.empty() || name.namespace_ == namespace_of(metadata);
      if (!here || schedpol::detail::none_of(policy.pods, [&](const PodMatcher& one) {
            return one.might_match(metadata, in);
          }))
        continue;
      violations.push_back(invalid_policy(field, name.name, policy.reason));
      reported = &name;
    }
    return violations;
  }

 private:
  struct UnusablePolicy {
    FieldError reason;
    std::vector<PodMatcher> pods;  ///< that it may be about, by one of these
  };

  /// Beside others of that name, each of which may be the one that counts.
  void add(ObjectName name, const FieldError& reason, const std::vector<PodSelection>& selections) {
    all_.emplace(std::move(name), UnusablePolicy{reason, {selections.begin(), selections.end()}});
  }

  std::multimap<ObjectName, UnusablePolicy> all_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/systems/metadata_policy.hpp

/// MetadataPolicy as an Engine runs it.

namespace SCHEDPOL_NAMESPACE::engine::detail {

class MetadataPolicySystem final : public CompiledSystem {
 public:
  explicit MetadataPolicySystem(const Settings& settings)
      : options_(metadata_policy::Options(settings.metadata_policy)),
        policies_(*metadata_policy::compile({})) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.metadata_policies.empty();
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    MetadataPolicySystem made(*this);
    replace_policies(made.policies_, changes.replaced.metadata_policies,
                     changes.usable.metadata_policies);
    made.unusable_.apply<Policy>(changes, selections_of);
    made.objects_.apply(changes);
    return SharedSystem(std::move(made));
  }

  [[nodiscard]] const auto& objects() const noexcept { return objects_; }

  Admission admit(Pod&& pod, AdmissionContext) const override {
    return denied(metadata_policy::readmit(pod, policies_, options_->qos_annotation), pod,
                  denials_of(pod));
  }

  std::string full_name(const std::string& policy, const Pod& pod) const override {
    return policy.empty() ? policy : std::string(namespace_of(pod.metadata)) + '/' + policy;
  }

  /// What cannot be changed for a policy that cannot be used would be lost.
  Admission update_template(const Old<Pod>& old, Pod&& updated, AdmissionContext) const override {
    std::vector<Violation> denials = denials_of(updated);
    if (!denials.empty()) return denied(std::move(updated), std::move(denials));
    return metadata_policy::readmit_update(old, updated, policies_, options_->qos_annotation);
  }

  /// Metadata is changed again; a pod that runs is not denied for a policy that cannot be used.
  Admission update_pod(const Old<Pod>& old, Pod&& updated, AdmissionContext) const override {
    return denied(
        metadata_policy::readmit_update(old, updated, policies_, options_->qos_annotation), updated,
        without(denials_of(updated), denials_of(old.object)));
  }

  std::vector<Violation> judge_update(const Old<Pod>& old, const Pod& updated,
                                      AdmissionContext context) const override {
    return update_pod(old, Pod(updated), context).violations;
  }

  bool exempts(std::string_view api_group, std::string_view kind,
               const Requester& requester) const override {
    return exempts_kind(*options_, api_group, kind) ||
           options_->exempt_users.contains(requester.name) ||
           schedpol::detail::any_of(requester.groups, [&](const std::string& group) {
             return options_->exempt_groups.contains(group);
           });
  }

  std::optional<MetadataOutcome> admit_metadata(const ObjectMeta& metadata,
                                                const Old<ObjectMeta>* old) const override {
    const FieldPath field{"metadata"};
    auto made = old == nullptr ? metadata_policy::readmit(metadata, policies_)
                               : metadata_policy::readmit_update(*old, metadata, policies_);
    MetadataOutcome admission{.violations = unusable_.violations(field, metadata, nullptr)};
    if (old != nullptr)
      admission.violations = without(std::move(admission.violations),
                                     unusable_.violations(field, old->object, nullptr));
    for (Violation& violation : metadata_policy::violations(made))
      admission.violations.push_back(std::move(violation));
    admission.allowed = admission.violations.empty();
    admission.metadata = admission.allowed ? std::move(made.metadata) : ObjectMeta(metadata);
    if (admission.allowed) admission.changes = std::move(made.changes);
    return admission;
  }

 private:
  using Policy = metadata_policy::MetadataPolicy;

  static std::vector<PodSelection> selections_of(const Policy& policy) {
    std::vector<PodSelection> selections;
    for (const metadata_policy::MetadataPolicyRule& rule : policy.spec.rules) {
      const auto& [labels, annotations] = rule.policy_predicate;
      selections.push_back({.labels = labels, .annotations = annotations});
    }
    return selections;
  }

  [[nodiscard]] std::vector<Violation> denials_of(const Pod& pod) const {
    if (unusable_.empty()) return {};
    return unusable_.violations(field_path(pod.kind, {"spec"}),
                                metadata_policy::annotate_qos(pod).metadata, nullptr);
  }

  Shared<metadata_policy::Options> options_;
  metadata_policy::CompiledPolicies policies_;
  ObjectStore<Policy> objects_;
  UnusablePolicies unusable_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/systems/pod_scheduling_policy.hpp

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy as an Engine runs them.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// What the class of a pod or template gives to it. The node selector that it adds to the pods of a
/// template is there while policies are injected, as it is in the pods, so that nothing is injected
/// that contradicts it.
class ClassTolerations {
 public:
  ClassTolerations(Pod& pod, const AdmissionContext& context) {
    if (pod.spec.runtime_class_name.empty()) return;
    // In any mode: the API server's own plugin gives the same.
    ClusterCriteria criteria;
    context.systems[static_cast<std::size_t>(System::runtime_class)]->add_criteria(
        pod, Mode::enforce, criteria);
    for (const auto& [key, value] : criteria.added_to_pods.node_selector)
      if (pod.spec.node_selector.try_emplace(key, value).second) keys_.push_back(key);
    tolerations_ = std::move(criteria.added_to_pods.tolerations);
    for (const SharedCriteria& of_pod : criteria.of_pod)
      schedpol::detail::append(tolerations_, of_pod->tolerations);
  }

  [[nodiscard]] const std::vector<Toleration>& tolerations() const noexcept { return tolerations_; }

  void take_back(Pod& pod) const {
    for (const std::string& key : keys_) pod.spec.node_selector.erase(key);
  }

 private:
  std::vector<std::string> keys_;
  std::vector<Toleration> tolerations_;
};

class PodSchedulingPolicySystem final : public CompiledSystem {
 public:
  explicit PodSchedulingPolicySystem(const Settings& settings)
      : policies_(*pod_scheduling_policy::compile({})),
        default_scheduler_(settings.options.default_scheduler) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.pod_scheduling_policies.empty() || !changed.namespaces.empty();
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    PodSchedulingPolicySystem made(*this);
    replace_policies(made.policies_, changes.replaced.pod_scheduling_policies,
                     changes.usable.pod_scheduling_policies);
    made.unusable_.apply<Policy>(changes, selections_of);
    made.objects_.apply(changes);
    for (const Namespace& replaced : changes.replaced.namespaces)
      made.namespaces_.erase({0, replaced.metadata.name, {}});
    for (const Namespace& in : changes.usable.namespaces)
      made.namespaces_[{0, in.metadata.name, {}}] = Namespace(in);
    return SharedSystem(std::move(made));
  }

  [[nodiscard]] const auto& policies() const noexcept { return policies_; }
  [[nodiscard]] const auto& objects() const noexcept { return objects_; }

  Admission admit(Pod&& pod, AdmissionContext context) const override {
    const Namespace* const known = find_namespace(pod);
    std::vector<Violation> violations =
        unusable_.violations(field_path(pod.kind, {"spec"}), pod.metadata, known);
    if (known == nullptr) {
      std::vector<std::string> asking = policies_.asking_for_namespace(pod.metadata.labels);
      if (!asking.empty())
        violations.push_back({ViolationCode::namespace_not_found,
                              FieldPath{"metadata", "namespace"},
                              std::string(namespace_of(pod.metadata)), Names(std::move(asking))});
    }
    if (!violations.empty()) return denied(std::move(pod), std::move(violations));
    const ClassTolerations of_class(pod, context);
    pod_scheduling_policy::Injection injection{.pod = std::move(pod)};
    const Namespace unlabelled = without_labels(injection.pod);
    inject_into(injection, known == nullptr ? unlabelled : *known, policies_, default_scheduler_,
                context.values, of_class.tolerations());
    of_class.take_back(injection.pod);
    return to_admission(std::move(injection));
  }

  /// Of a policy of the cluster and one of the namespace that have one name, what the latter adds is
  /// denied.
  std::string full_name(const std::string& policy, const Pod& pod) const override {
    const std::string_view namespace_ = namespace_of(pod.metadata);
    return objects_.find_in<Policy>(namespace_, policy) == nullptr
               ? policy
               : std::string(namespace_) + '/' + policy;
  }

  void add_criteria(const Pod& pod, Mode mode, ClusterCriteria& criteria) const override {
    if (mode != Mode::enforce) return;
    for (auto& of_policy : policies_.criteria_of_cluster(pod.metadata.labels, find_namespace(pod)))
      criteria.put_into_pod(of_policy.policy, std::move(of_policy.criteria));
  }

  void add_unknown(const Pod& pod, const AdmissionContext&,
                   std::vector<UnknownObject>& unknown) const override {
    if (find_namespace(pod) == nullptr &&
        !policies_.asking_for_namespace(pod.metadata.labels).empty())
      unknown.push_back({.kind = std::string(namespace_kind.name),
                         .name = std::string(namespace_of(pod.metadata))});
  }

  /// What it cannot inject would be lost.
  Admission update_template(const Old<Pod>&, Pod&& updated,
                            AdmissionContext context) const override {
    return admit(std::move(updated), context);
  }
  /// It denies only what it cannot inject, and nothing is injected any more.
  std::vector<Violation> judge_update(const Old<Pod>&, const Pod&,
                                      AdmissionContext) const override {
    return {};
  }
  std::vector<Violation> verify(const Pod&, AdmissionContext) const override { return {}; }

 private:
  using Policy = pod_scheduling_policy::PodSchedulingPolicy;

  /// Null where the namespace of a pod is not known.
  [[nodiscard]] const Namespace* find_namespace(const Pod& pod) const {
    return namespaces_.find({0, namespace_of(pod.metadata), {}});
  }
  /// A namespace of that name without labels, in place of one that is not known; only where no policy
  /// asks for its labels.
  [[nodiscard]] static Namespace without_labels(const Pod& pod) {
    return {{.name = std::string(namespace_of(pod.metadata))}};
  }

  static std::vector<PodSelection> selections_of(const Policy& policy) {
    // Without a selector it selects nothing.
    const std::optional<LabelSelector>& pods = policy.spec.pod_selector;
    const std::optional<LabelSelector>& namespaces = policy.spec.namespace_selector;
    if (!pods) return {};
    if (policy.kind != pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy)
      return {{.labels = pods}};
    if (!namespaces) return {};
    return {{.namespaces = namespaces, .labels = pods}};
  }

  pod_scheduling_policy::CompiledPolicies policies_;
  ObjectStore<Policy> objects_;
  UnusablePolicies unusable_;
  schedpol::detail::PersistentMap<Namespace> namespaces_;
  DefaultScheduler default_scheduler_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/systems/resource_policy.hpp

/// ResourcePolicy as an Engine runs it: the policies of each namespace. They are compiled again when one
/// of them changes.

namespace SCHEDPOL_NAMESPACE::engine::detail {

class ResourcePolicySystem final : public CompiledSystem {
 public:
  explicit ResourcePolicySystem(const Settings&) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.resource_policies.empty();
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    ResourcePolicySystem made(*this);
    std::set<std::string_view> touched;
    for (const Policy& replaced : changes.replaced.resource_policies) {
      made.remove(replaced.metadata);
      touched.insert(replaced.metadata.namespace_);
    }
    for (const Policy& policy : changes.usable.resource_policies)
      made.policies_[{0, policy.metadata.namespace_, {}}].objects.push_back(policy);
    made.unusable_.apply<Policy>(changes, [](const Policy& policy) {
      return std::vector<PodSelection>{{.labels = policy.spec.pod_selector}};
    });
    for (const std::string_view namespace_ : touched) made.compile({0, namespace_, {}});
    return SharedSystem(std::move(made));
  }

  /// Those of a namespace; null where there are none.
  [[nodiscard]] const std::vector<resource_policy::ResourcePolicy>* policies_in(
      std::string_view namespace_) const noexcept {
    const OfNamespace* const here = policies_.find({0, namespace_, {}});
    return here == nullptr ? nullptr : &here->objects;
  }

  Admission admit(Pod&& pod, AdmissionContext) const override {
    std::vector<Violation> denials =
        unusable_.violations(field_path(pod.kind, {"spec"}), pod.metadata, nullptr);
    const OfNamespace* const here = policies_.find({0, namespace_of(pod.metadata), {}});
    Admission admission;
    if (here != nullptr) {
      admission = resource_policy::admit(std::move(pod), here->compiled);
    } else {
      admission.allowed = true;
      admission.pod = std::move(pod);
    }
    if (denials.empty()) return admission;
    // It changes nothing, so the pod is as it came.
    const Pod as_it_came = admission.pod;
    return denied(std::move(admission), as_it_came, std::move(denials));
  }

 private:
  using Policy = resource_policy::ResourcePolicy;

  struct OfNamespace {
    std::vector<Policy> objects;
    resource_policy::CompiledPolicies compiled;
  };

  void remove(const ObjectMeta& metadata) {
    schedpol::detail::erase_if(
        policies_[{0, metadata.namespace_, {}}].objects,
        [&](const Policy& policy) { return policy.metadata.name == metadata.name; });
  }
  void compile(const schedpol::detail::MapKeyView& key) {
    OfNamespace& here = policies_[key];
    if (here.objects.empty()) return policies_.erase(key);
    // What has been found good can be compiled; otherwise it denies.
    auto compiled = resource_policy::compile(here.objects);
    here.compiled = compiled ? *std::move(compiled) : resource_policy::CompiledPolicies();
  }

  schedpol::detail::PersistentMap<OfNamespace> policies_;  ///< by namespace
  UnusablePolicies unusable_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/systems/runtime_class.hpp

/// RuntimeClass as an Engine runs it.

namespace SCHEDPOL_NAMESPACE::engine::detail {

class RuntimeClassSystem final : public CompiledSystem {
 public:
  explicit RuntimeClassSystem(const Settings&) {}

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.runtime_classes.empty();
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    RuntimeClassSystem made(*this);
    for (const runtime_class::RuntimeClass& replaced : changes.replaced.runtime_classes)
      made.by_name_.erase({0, replaced.metadata.name, {}});
    for (const runtime_class::RuntimeClass& object : changes.usable.runtime_classes) {
      StoredClass& stored = made.by_name_[{0, object.metadata.name, {}}];
      stored.usable.emplace(object);
      if (object.scheduling)
        stored.criteria = SchedulingCriteria{.node_selector = object.scheduling->node_selector,
                                             .tolerations = object.scheduling->tolerations};
    }
    changes.for_each_unusable<runtime_class::RuntimeClass>(
        [&](const auto&, ObjectName&& name, const FieldError& reason) {
          made.by_name_[{0, name.name, {}}].reason = reason;
        });
    for (const Unread& unread : changes.unread)
      if (unread.name.kind == "RuntimeClass")
        made.by_name_[{0, unread.name.name, {}}].reason = unread.reason;
    std::vector<runtime_class::RuntimeClass> classes;
    made.by_name_.for_each([&](const StoredClass& stored) {
      if (stored.usable) classes.push_back(*stored.usable);
    });
    made.classes_ = runtime_class::compile(classes);
    return SharedSystem(std::move(made));
  }

  Admission admit(Pod&& pod, AdmissionContext) const override {
    if (std::vector<Violation> denials = denials_of(pod); !denials.empty())
      return denied(std::move(pod), std::move(denials));
    return runtime_class::admit(std::move(pod), classes_);
  }
  /// An overhead written into a template would deny its pods once the class has another one.
  bool changes(PodKind kind) const noexcept override { return kind == PodKind::pod; }

  std::vector<Violation> verify(const Pod& final, AdmissionContext context) const override {
    std::vector<Violation> denials = denials_of(final);
    if (!denials.empty()) return denials;
    return changes(final.kind) ? runtime_class::verify(final, classes_)
                               : violations(final, context);
  }

  /// To the pods of a template the API server's own RuntimeClass plugin adds the same where this system
  /// does not enforce.
  void add_criteria(const Pod& pod, Mode mode, ClusterCriteria& criteria) const override {
    const StoredClass* const stored = by_name_.find({0, pod.spec.runtime_class_name, {}});
    if (stored == nullptr || !stored->criteria) return;
    const std::string& name = pod.spec.runtime_class_name;
    if (pod.kind == PodKind::pod) {
      if (mode == Mode::enforce) criteria.put_into_pod(name, *stored->criteria);
    } else {
      criteria.add_to_pods(name, **stored->criteria);
    }
  }

  void add_unknown(const Pod& pod, const AdmissionContext&,
                   std::vector<UnknownObject>& unknown) const override {
    const std::string& name = pod.spec.runtime_class_name;
    if (!name.empty() && by_name_.find({0, name, {}}) == nullptr)
      unknown.push_back({.kind = "RuntimeClass", .name = name});
  }

 private:
  [[nodiscard]] std::vector<Violation> denials_of(const Pod& pod) const {
    const std::string& name = pod.spec.runtime_class_name;
    const StoredClass* const stored = by_name_.find({0, name, {}});
    if (stored == nullptr || name.empty() || !stored->reason) return {};
    return {invalid_policy(field_path(pod.kind, {"spec"}), name, *stored->reason)};
  }

  /// A class, or why it cannot be used.
  struct StoredClass {
    std::optional<runtime_class::RuntimeClass> usable{};
    std::optional<FieldError> reason{};
    std::optional<SharedCriteria> criteria{};  ///< what its `scheduling` adds to pods
  };

  schedpol::detail::PersistentMap<StoredClass> by_name_;
  runtime_class::CompiledClasses classes_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/base/impl/persistent_vector.hpp

/// A persistent vector: its copies share what they have in common, so that one item of ten thousand is changed
/// without copying the others, or so much as looking at them.

namespace SCHEDPOL_NAMESPACE::detail {

/// Copies may be read by any number of threads, each copy changed by one.
template <class T>
class PersistentVector {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Of an index below the size.
  [[nodiscard]] const T& operator[](std::size_t index) const noexcept {
    return (*chunks_[index / chunk_size])[index % chunk_size];
  }

  /// The item to be changed.
  [[nodiscard]] T& own(std::size_t index) {
    return chunks_[index / chunk_size].own()[index % chunk_size];
  }

  void push_back(T item) {
    if (size_ % chunk_size == 0) chunks_.emplace_back();
    chunks_.back().own().push_back(std::move(item));
    ++size_;
  }

 private:
  using Chunk = std::vector<T>;

  static constexpr std::size_t chunk_size = 64;

  std::vector<CopyOnWrite<Chunk>> chunks_;  ///< full, but the last
  std::size_t size_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/engine/impl/systems/grant_table.hpp

/// The SchedulingPolicies that the service accounts of a cluster may use, computed in advance for each
/// account and each namespace that a binding names, and for everybody else. Only service accounts run
/// pods. A change of roles and bindings updates only the accounts that it affects.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The different grants, by number. One without holders keeps its number.
class NumberedGrants {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return grants_.size(); }

  [[nodiscard]] const rbac::Grant& operator[](std::size_t number) const noexcept {
    return grants_[number];
  }

  /// The number of a grant; one that is new is added to `added`.
  std::size_t number_of(rbac::Grant grant, std::set<std::size_t>& added) {
    const std::string text = text_of(grant);
    if (const std::size_t* const known = numbers_.find({0, text, {}})) return *known;
    const std::size_t number = grants_.size();
    numbers_[{0, text, {}}] = number;
    added.insert(number);
    if (grant.all) of_all_ = number;
    for (const std::string& name : grant.names) by_policy_[{0, name, {}}].push_back(number);
    grants_.push_back(std::move(grant));
    return number;
  }

  /// The grants that a policy of this name is part of.
  [[nodiscard]] std::vector<std::size_t> of_policy(std::string_view policy) const {
    std::vector<std::size_t> numbers;
    if (const auto* of_policy = by_policy_.find({0, policy, {}})) numbers = *of_policy;
    if (of_all_) numbers.push_back(*of_all_);
    return numbers;
  }

 private:
  /// No two grants have one text.
  static std::string text_of(const rbac::Grant& grant) {
    if (grant.all) return "*";
    schedpol::detail::TextKey key;
    for (const std::string& name : grant.names) key.add(name);
    return std::move(key).text();
  }

  schedpol::detail::PersistentVector<rbac::Grant> grants_;
  schedpol::detail::PersistentMap<std::size_t> numbers_;  ///< by the text of what is granted
  schedpol::detail::PersistentMap<std::vector<std::size_t>> by_policy_;
  std::optional<std::size_t> of_all_;
};

class GrantTable {
 public:
  /// Of no roles and bindings.
  explicit GrantTable(const Settings& settings)
      : every_(settings.policy_use == PolicyUse::every),
        rbac_(rbac::compile({}, access_of(settings))) {
    holders_[all_accounts] = {};
    std::set<std::size_t> added;
    find_out({all_accounts.kind, {}, {}}, added);
  }

  [[nodiscard]] const NumberedGrants& grants() const noexcept { return grants_; }

  /// Takes `usable`, where no two bindings are called the same, in the place of what is called like
  /// one of `replaced`; nothing else is in `usable`. The numbers of the grants that are new.
  std::set<std::size_t> change(const rbac::Rbac& replaced, const rbac::Rbac& usable) {
    std::set<std::size_t> added;
    if (every_) return added;
    std::set<MapKey> touched;
    for (const rbac::ServiceAccounts& accounts : rbac_.bound_accounts(replaced))
      --holders_[view(*touched.insert(key_of(accounts)).first)].bindings;
    rbac_ = rbac_.without(replaced).with(usable);
    for (const rbac::ServiceAccounts& accounts : rbac_.bound_accounts(replaced))
      ++holders_[view(*touched.insert(key_of(accounts)).first)].bindings;
    const bool all = touch_all_that_depend(touched);
    for (const MapKey& holder : touched) forget(holder);
    if (all) {
      grants_ = {};
      left_out_ = false;
    }
    for (const MapKey& holder : touched) find_out(holder, added);
    return added;
  }

  /// A holder of a grant for a person: a name, and a pod with that grant.
  struct Holder {
    std::string whose{};
    Pod pod{};
  };

  [[nodiscard]] std::size_t holders() const noexcept { return holders_.size(); }

  /// Calls `f(grant, holder)` for each grant with its first holder, in the order of holders; of
  /// those of some numbers alone, where they are given. Takes a look at every holder.
  template <class F>
  void for_each_grant(F&& f, const std::set<std::size_t>* numbers = nullptr) const {
    std::vector<const MapKey*> first(grants_.size());
    holders_.for_each_entry([&](const MapKey& key, const Known& known) {
      if (!known.number || (numbers != nullptr && !numbers->contains(*known.number))) return;
      const MapKey*& holder = first[*known.number];
      if (holder == nullptr || key < *holder) holder = &key;
    });
    std::set<MapKey> in_order;
    for (const MapKey* holder : first)
      if (holder != nullptr) in_order.insert(*holder);
    for (const MapKey& holder : in_order) {
      const std::size_t number = *holders_.find(view(holder))->number;
      f(grants_[number], holder_of(holder, number));
    }
  }

  /// The number of the grant of the pod's user; nothing where it was too much to find out
  /// beforehand.
  [[nodiscard]] std::optional<std::size_t> find(const Pod& pod) const noexcept {
    const std::string_view namespace_ = namespace_of(pod.metadata);
    const Known* known = holders_.find({one_account, namespace_, rbac::account_of(pod)});
    if (known == nullptr) known = holders_.find({of_namespace, namespace_, {}});
    if (known == nullptr) known = holders_.find(all_accounts);
    return known == nullptr ? std::nullopt : known->number;
  }

  /// What the pod's user may use, found out now.
  [[nodiscard]] rbac::Grant granted(const Pod& pod) const {
    if (every_) return {.all = true};
    return rbac_.granted(rbac::user_of(pod), namespace_of(pod.metadata));
  }

  /// The roles that are bound to the pod's user and are not there.
  [[nodiscard]] std::vector<rbac::RoleRef> missing_roles(const Pod& pod) const {
    return rbac_.missing_roles(rbac::user_of(pod), namespace_of(pod.metadata));
  }

 private:
  using Key = schedpol::detail::MapKeyView;
  using MapKey = schedpol::detail::MapKey;

  // Who holds grants, in the order in which theirs are found out.
  static constexpr Key all_accounts{'1', {}, {}};
  static constexpr char of_namespace = '2';
  static constexpr char one_account = '3';

  struct Known {
    std::size_t bindings = 0;  ///< for the holder, each as often as it names it
    std::optional<std::size_t> number{};
  };

  static MapKey key_of(const rbac::ServiceAccounts& accounts) {
    if (!accounts.namespace_) return {all_accounts.kind, {}, {}};
    if (!accounts.name) return {of_namespace, *accounts.namespace_, {}};
    return {one_account, *accounts.namespace_, *accounts.name};
  }
  static rbac::ServiceAccounts accounts_of(const MapKey& holder) {
    rbac::ServiceAccounts accounts;
    if (holder.kind != all_accounts.kind) accounts.namespace_ = holder.first;
    if (holder.kind == one_account) accounts.name = holder.second;
    return accounts;
  }

  /// If more than 1 in 16 holders changed, recomputing all is cheaper than finding those that depend on
  /// them.
  static constexpr std::size_t holders_a_touched = 16;
  /// Grants without holders keep their numbers until there are twice as many grants as holders and this
  /// many more. Otherwise each change would make a small table anew.
  static constexpr std::size_t few_grants = 64;

  /// Adds the holders that depend on those touched: accounts on their namespace, and all on what is
  /// granted to all. Whether those are all holders, which they also are where a grant was left out.
  bool touch_all_that_depend(std::set<MapKey>& touched) const {
    const bool all = left_out_ || touched.contains({all_accounts.kind, {}, {}}) ||
                     touched.size() * holders_a_touched > holders_.size() ||
                     grants_.size() > 2 * holders_.size() + few_grants;
    if (all) {
      holders_.for_each_entry([&](const MapKey& key, const Known&) { touched.insert(key); });
      return true;
    }
    std::vector<std::string> namespaces;
    for (const MapKey& holder : touched)
      if (holder.kind == of_namespace) namespaces.push_back(holder.first);
    for (const std::string& namespace_ : namespaces) {
      holders_.for_each_of(one_account, namespace_,
                           [&](const MapKey& key, const Known&) { touched.insert(key); });
    }
    return false;
  }

  void forget(const MapKey& holder) {
    std::optional<std::size_t>& number = holders_[view(holder)].number;
    if (number) known_names_ -= 1 + grants_[*number].names.size();
    number.reset();
  }

  /// What a holder may use that was forgotten; one that no binding is for is none any longer.
  void find_out(const MapKey& holder, std::set<std::size_t>& added) {
    const Key key = view(holder);
    if (holders_.find(key)->bindings == 0 && key != all_accounts) return holders_.erase(key);
    if (known_names_ > max_granted_names) {
      left_out_ = true;
      return;
    }
    rbac::Grant grant{.all = every_};
    if (!every_) grant = rbac_.granted(accounts_of(holder));
    known_names_ += 1 + grant.names.size();
    holders_[key].number = grants_.number_of(std::move(grant), added);
  }

  [[nodiscard]] Holder holder_of(const MapKey& key, std::size_t number) const {
    Holder holder{.pod = {.metadata = {.namespace_ = key.first}}};
    std::string& account = holder.pod.spec.service_account_name;
    account = key.second;
    if (key.kind == one_account) {
      holder.whose = "service account " + key.first + "/" + key.second;
      return holder;
    }
    holder.whose =
        key.kind == of_namespace ? "service accounts of " + key.first : "every service account";
    // One that no binding names.
    for (; find(holder.pod) != number; account += '?')
      if (key.kind == all_accounts.kind) holder.pod.metadata.namespace_ = account;
    return holder;
  }

  bool every_;  ///< everybody may use all policies
  rbac::CompiledRbac rbac_;
  schedpol::detail::PersistentMap<Known> holders_;
  NumberedGrants grants_;
  std::size_t known_names_ = 0;
  bool left_out_ = false;  ///< whether there is one whose grant was too much to find out
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/covered_tolerations.hpp

/// The tolerations that the pods of a template will have when SchedulingPolicy is asked about them. The
/// API server adds the two of DefaultTolerationSeconds. Then, where the class of a pod has `scheduling`,
/// it merges the tolerations of both and drops those that another one covers. Systems may give some of
/// these to the pod again. A template is judged by what is left, so that it and its pods get one answer.
/// Sources: Kubernetes, `plugin/pkg/admission/defaulttolerationseconds` and
/// `plugin/pkg/admission/runtimeclass`.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Of those that the API server adds to every pod, the ones that it will add to a pod with these.
[[nodiscard]] inline std::vector<Toleration> added_to_every_pod(
    const std::vector<Toleration>& own, const std::vector<Toleration>& to_every_pod) {
  std::vector<Toleration> added;
  for (const Toleration& each : to_every_pod) {
    const bool is_tolerated = schedpol::detail::any_of(own, [&](const Toleration& other) {
      return (other.key.empty() || other.key == each.key) &&
             (other.effect == TaintEffect::unset || other.effect == each.effect);
    });
    if (schedpol::detail::is_default_toleration_seconds(each) && !is_tolerated)
      added.push_back(each);
  }
  return added;
}

/// What becomes of the tolerations of a template's pods before SchedulingPolicy looks at them.
struct MergedTolerations {
  std::vector<Toleration> of_class{};  ///< the API server merges them with the pod's
  AdmissionContext context;

  /// What a pod with these tolerations has when SchedulingPolicy is asked: systems before it may have given
  /// it others. The same ones where a system denies the pod.
  [[nodiscard]] std::vector<Toleration> when_asked(Pod pod,
                                                   const std::vector<Toleration>& merged) const {
    pod.spec.tolerations = merged;
    AdmissionContext asked = context;
    asked.values = ChangeValues::omitted;
    for (const Step& step : asked.steps) {
      if (step.system == System::scheduling_policy) break;
      if (step.mode != Mode::enforce) continue;
      const auto& system = *asked.systems[static_cast<std::size_t>(step.system)];
      Admission admission = system.admit(std::move(pod), asked);
      if (!admission.allowed) return merged;
      pod = std::move(admission.pod);
    }
    return std::move(pod.spec.tolerations);
  }
};

/// Takes what is covered out of a template while the rest is judged.
class CoveredTolerations {
 public:
  /// The template as its pods will be, but for what their class adds. It is as it came where there is no
  /// class to merge its tolerations with and nothing is added.
  CoveredTolerations(Pod& pod, const std::optional<MergedTolerations>& with,
                     const std::vector<Toleration>& added = {})
      : list_(field_path(pod.kind, {"spec", "tolerations"})),
        own_size_(pod.spec.tolerations.size()) {
    std::vector<Toleration>& own = pod.spec.tolerations;
    schedpol::detail::append(own, added);
    if (!with) return;
    std::vector<Toleration> then = merge(own, with->of_class);
    covered_ = schedpol::detail::missing_from(then, own);
    if (!covered_.empty()) {
      then = with->when_asked(pod, then);
      covered_ = schedpol::detail::missing_from(then, own);
    }
    for (const Toleration& each : with->of_class)
      if (schedpol::detail::contains(then, each)) of_class_.push_back(each);
    if (covered_.empty()) return;
    before_ = own;
    std::vector<Toleration> kept;
    for (std::size_t i = 0, next = 0; i < before_.size(); ++i) {
      if (next < covered_.size() && covered_[next] == i) {
        ++next;
        continue;
      }
      if (i < own_size_) places_.push_back(i);
      kept.push_back(before_[i]);
    }
    own = std::move(kept);
  }

  [[nodiscard]] bool empty() const noexcept { return covered_.empty(); }

  /// Those of the class that the pods will have.
  [[nodiscard]] const std::vector<Toleration>& of_class() const noexcept { return of_class_; }

  /// Gives them back, each at its place, to a template that has got others in the place of its own, or
  /// behind them.
  void restore(Pod& pod) {
    if (covered_.empty()) return;
    std::vector<Toleration> whole = before_;
    const std::vector<Toleration>& now = pod.spec.tolerations;
    for (std::size_t i = 0; i < now.size(); ++i) {
      if (i < places_.size()) {
        whole[places_[i]] = now[i];
        continue;
      }
      const auto there = std::find_if(covered_.begin(), covered_.end(),
                                      [&](std::size_t at) { return before_[at] == now[i]; });
      places_.push_back(there == covered_.end() ? whole.size() : *there);
      if (there == covered_.end()) whole.push_back(now[i]);
    }
    pod.spec.tolerations = std::move(whole);
  }

  /// Says the places in the whole list of what the template has got; what is among them is no change.
  template <class Item>
  void restore_injected(std::vector<Item>& items) const {
    if (covered_.empty()) return;
    restore_places(items);
    schedpol::detail::erase_if(items, [&](const Item& item) {
      return schedpol::detail::any_of(
          covered_, [&](std::size_t at) { return item.field == list_.index(at); });
    });
  }

  /// The same after edits of a person, who also removes some: of `changes` those of tolerations. What
  /// is added stands last.
  void restore_edited(Pod& pod, std::vector<Change>& changes) const {
    if (covered_.empty()) return;
    std::set<std::size_t> removed;
    std::set<std::size_t> added;  // in the list as it is now
    for (const Change& change : changes) {
      if (change.field.parent() != list_) continue;
      const std::size_t at = change.field.steps().back().index;
      if (!change.from) added.insert(at);
      if (!change.to) removed.insert(at);
    }
    std::vector<std::optional<Toleration>> whole(before_.begin(), before_.end());
    const std::vector<Toleration>& now = pod.spec.tolerations;
    for (std::size_t i = 0, next = 0; i < places_.size(); ++i) {
      while (added.contains(next)) ++next;
      whole[places_[i]] = removed.contains(i) ? std::nullopt : std::optional(now[next++]);
    }
    std::erase(whole, std::nullopt);
    const std::size_t first_added = whole.size();
    for (const std::size_t at : added) whole.emplace_back(now[at]);
    for (Change& change : changes) {
      if (change.field.parent() != list_) continue;
      const std::size_t at = change.field.steps().back().index;
      const auto before = std::size_t(std::distance(added.begin(), added.find(at)));
      change.field = list_.index(change.from ? places_[at] : first_added + before);
    }
    pod.spec.tolerations.clear();
    for (std::optional<Toleration>& each : whole) pod.spec.tolerations.push_back(*std::move(each));
  }

  /// Says the places in the whole list, and nothing of what is added.
  template <class Item>
  void restore_places(std::vector<Item>& items) const {
    const std::size_t size = covered_.empty() ? own_size_ : places_.size();
    schedpol::detail::erase_if(items, [&](Item& item) {
      if (item.field.parent() != list_) return false;
      const std::size_t at = item.field.steps().back().index;
      if (at >= size) return true;
      if (!covered_.empty()) item.field = list_.index(places_[at]);
      return false;
    });
  }

 private:
  FieldPath list_;
  std::size_t own_size_;
  std::vector<Toleration> before_{};
  std::vector<std::size_t> covered_{};
  std::vector<std::size_t> places_{};  ///< of the others
  std::vector<Toleration> of_class_{};
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/systems/scheduling_policy_template.hpp

/// A template as SchedulingPolicy judges it: as its pods will be.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The options that all pods share, or the pod's own.
struct OptionsOfPod {
  const scheduling_policy::Options& shared;
  std::optional<scheduling_policy::Options> own{};
  std::optional<Violation> denial{};  ///< of a pod that is given too much, nothing of it exempt
  /// Of a template whose class has `scheduling`.
  std::optional<MergedTolerations> merged{};

  /// What the API server adds to every pod of a template.
  [[nodiscard]] std::vector<Toleration> added_to(const Pod& of_template) const {
    return added_to_every_pod(of_template.spec.tolerations, shared.exempt.tolerations);
  }
  /// The options for a template without what is covered.
  [[nodiscard]] const scheduling_policy::Options& without(const CoveredTolerations& covered) {
    if (own) own->added_to_pods.tolerations = covered.of_class();
    return **this;
  }
  [[nodiscard]] const scheduling_policy::Options& operator*() const noexcept {
    return own ? *own : shared;
  }
};

[[nodiscard]] inline scheduling_policy::Defaulted apply_defaults_to_template(
    Pod&& pod, const EffectivePolicy& effective, OptionsOfPod& options) {
  CoveredTolerations covered(pod, options.merged);
  scheduling_policy::Defaulted made =
      apply_defaults(std::move(pod), effective, options.without(covered));
  covered.restore(made.pod);
  covered.restore_injected(made.changes);
  return made;
}

[[nodiscard]] inline std::vector<Violation> check_template(Pod pod,
                                                           const EffectivePolicy& effective,
                                                           OptionsOfPod& options) {
  const CoveredTolerations covered(pod, options.merged, options.added_to(pod));
  std::vector<Violation> violations = check(pod, effective, options.without(covered));
  covered.restore_places(violations);
  return violations;
}

/// Of a DaemonSet whose pods do not get its required node terms back by default: its controller picks
/// nodes by them and puts the name of the node in their place.
inline void warn_of_replaced_terms(scheduling_policy::Defaulted& made,
                                   const EffectivePolicy& effective, OptionsOfPod& options) {
  const auto& terms = schedpol::detail::required_terms(made.pod.spec.affinity);
  if (made.pod.kind != PodKind::daemon_set || terms.empty()) return;
  Pod pod = made.pod;
  pod.spec.affinity->node_affinity->required_during_scheduling_ignored_during_execution.reset();
  const scheduling_policy::Defaulted given =
      apply_defaults_to_template(std::move(pod), effective, options);
  const auto warn = [&](std::string_view pods, Names policies) {
    const FieldPath mode{"spec", "affinity", "nodeAffinity",
                         "requiredDuringSchedulingIgnoredDuringExecution"};
    made.warnings.push_back(
        {template_path(made.pod.kind).join(mode),
         "the DaemonSet controller replaces it with the name of a node, and the pods will be " +
             std::string(pods),
         std::move(policies)});
  };
  for (const Violation& violation : check_template(given.pod, effective, options))
    if (violation.code == ViolationCode::affinity_required)
      return warn("denied: it is required, and no default gives it back", violation.policies);
  if (!given.changes.empty() && schedpol::detail::required_terms(given.pod.spec.affinity) != terms)
    warn("given another one by default", {given.changes[0].policy});
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/systems/scheduling_policy.hpp

/// SchedulingPolicy as an Engine runs it: the policies of a cluster, merged in advance for all accounts
/// that may use the same ones, up to `max_merged_policy_bytes`.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The pod without the node that the requester tied it to.
[[nodiscard]] inline Pod unpinned(Pod pod, PodWriter by) {
  if (by == PodWriter::daemon_set_controller) static_cast<void>(NodePin(pod));
  return pod;
}

class SchedulingPolicySystem final : public CompiledSystem {
 public:
  explicit SchedulingPolicySystem(const Settings& settings)
      : settings_(Settings(settings)),
        options_(settings.options),
        rbac_(RbacStore()),
        grants_(GrantTable(settings)) {
    evaluate_grant(0);
  }

  bool concerns(const Objects& changed) const noexcept override {
    return !changed.scheduling_policies.empty() || concerns_rbac(changed.rbac);
  }
  SharedSystem with(const ObjectChanges& changes) const override {
    SchedulingPolicySystem made(*this);
    std::set<std::size_t> changed;
    if (concerns_rbac(changes.replaced.rbac)) changed = made.apply_to_rbac(changes);
    changed.merge(made.apply_to_policies(changes));
    for (const std::size_t number : changed) made.evaluate_grant(number);
    return SharedSystem(std::move(made));
  }

  /// The default runtime class.
  std::vector<Change> give_first(Pod& pod) const override {
    if (policies_with_class_ == 0 || !pod.spec.runtime_class_name.empty()) return {};
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(pod);
    scheduling_policy::Defaulted made =
        apply_default_runtime_class(std::move(pod), evaluation->effective, options_.of_user);
    pod = std::move(made.pod);
    return std::move(made.changes);
  }

  Admission admit(Pod&& pod, AdmissionContext context) const override {
    if (pod.kind != PodKind::pod) return admit_template(nullptr, std::move(pod), context);
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(pod);
    if (!evaluation->unusable.empty())
      return denied(std::move(pod), unusable_violations(*evaluation, pod));
    OptionsOfPod options = options_for(pod, context);
    if (options.denial) return denied(std::move(pod), {*std::move(options.denial)});
    if (context.by != PodWriter::daemon_set_controller)
      return naming_user(scheduling_policy::admit(std::move(pod), evaluation->effective, *options));
    const NodePin pin(pod);
    Admission admission = scheduling_policy::admit(std::move(pod), evaluation->effective, *options);
    pin.restore(admission.pod);
    return naming_user(std::move(admission));
  }

  Admission update_template(const Old<Pod>& old, Pod&& updated,
                            AdmissionContext context) const override {
    return admit_template(&old, std::move(updated), context);
  }

  std::vector<Violation> judge_update(const Old<Pod>& old, const Pod& updated,
                                      AdmissionContext context) const override {
    if (context.by == PodWriter::placer) return {};
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(updated);
    OptionsOfPod options = options_for(updated, context);
    std::vector<Violation> violations = added_violations(
        Old(unpinned(old.object, context.by)), unpinned(updated, context.by), *evaluation, options);
    if (violations.empty() || evaluation->unusable.empty()) {
      name_user(violations, updated);
      return violations;
    }
    return unusable_violations(*evaluation, updated);
  }

  std::vector<Violation> verify(const Pod& final, AdmissionContext context) const override {
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(final);
    if (!evaluation->unusable.empty()) return unusable_violations(*evaluation, final);
    OptionsOfPod options = options_for(final, context);
    if (options.denial) return {*std::move(options.denial)};
    std::vector<Violation> violations =
        final.kind != PodKind::pod
            ? check_template(final, evaluation->effective, options)
            : check(unpinned(final, context.by), evaluation->effective, *options);
    name_user(violations, final);
    return violations;
  }

  /// With what the others that enforce do not know: what they give needs no permission.
  void add_unknown(const Pod& pod, const AdmissionContext& context,
                   std::vector<UnknownObject>& unknown) const override {
    const rbac::Grant grant = grants_->granted(pod);
    if (sources_of(grant).empty()) {
      unknown.push_back({.kind = "SchedulingPolicy"});
      if (settings_->policy_use != PolicyUse::every) unknown.back().user = rbac::user_of(pod).name;
    }
    for (const std::string& name : grant.names)
      if (policies_.find({0, name, {}}) == nullptr)
        unknown.push_back({.kind = "SchedulingPolicy", .name = name});
    for (rbac::RoleRef& role : grants_->missing_roles(pod)) {
      const bool is_of_cluster = role.kind == "ClusterRole";
      unknown.push_back({.kind = std::move(role.kind), .name = std::move(role.name)});
      if (!is_of_cluster) unknown.back().namespace_ = namespace_of(pod.metadata);
    }
    for (const Step& step : context.steps)
      if (step.mode == Mode::enforce && step.system != System::scheduling_policy)
        context.systems[static_cast<std::size_t>(step.system)]->add_unknown(pod, context, unknown);
  }

  /// Bytes of the policies that are merged for this pod alone; 0 where that was done beforehand.
  [[nodiscard]] std::size_t bytes_merged_for(const Pod& pod) const {
    return find_evaluation(pod) ? 0 : bytes_of(sources_of(grants_->granted(pod)));
  }

  /// Bytes of policies that are merged again where this one changes.
  [[nodiscard]] std::size_t bytes_merged_with(std::string_view policy) const {
    std::size_t bytes = 0;
    for (const std::size_t number : grants_->grants().of_policy(policy))
      if (const Shared<GrantEvaluation>& evaluation = evaluations_[number])
        bytes += evaluation->bytes;
    return bytes;
  }

  [[nodiscard]] const GrantTable& grants() const noexcept { return *grants_; }
  [[nodiscard]] const auto& rbac() const noexcept { return *rbac_; }
  /// Null where there is none of that name that can be used.
  [[nodiscard]] const scheduling_policy::SchedulingPolicy* policy(
      std::string_view name) const noexcept {
    const Shared<Source>* source = policies_.find({0, name, {}});
    return source == nullptr || (*source)->reason ? nullptr : &(*source)->policy;
  }
  /// Calls `f(policy)` for each that can be used, in no order, until it says no.
  template <class F>
  void for_each_policy(F&& f) const {
    policies_.for_each_until(
        0, {}, [&](const Shared<Source>& source) { return source->reason || f(source->policy); });
  }

  /// By what a pod is judged that a user asks for; a policy of nothing where one that the pod may use
  /// cannot be used.
  [[nodiscard]] EffectivePolicy effective_policy(const Pod& pod) const {
    return find_or_evaluate(pod)->effective;
  }

  /// The options with what the writer of the pod and the cluster's objects add exempt. Where that is
  /// more than a pod may be given an update is judged without, so that it can still be made.
  [[nodiscard]] OptionsOfPod options_for(const Pod& pod, const AdmissionContext& context) const {
    OptionsOfPod options{context.by != PodWriter::daemon_set_controller
                             ? options_.of_user
                             : options_.of_daemon_set_controller};
    ClusterCriteria criteria = cluster_criteria(pod, context);
    if (criteria.empty()) return options;
    options.denial = criteria.violation(pod.kind);
    if (options.denial) return options;
    scheduling_policy::Options& own = options.own.emplace(options.shared);
    schedpol::detail::append(own.exempt_criteria, std::move(criteria.of_pod));
    if (criteria.merges_tolerations)
      options.merged.emplace(MergedTolerations{criteria.added_to_pods.tolerations, context});
    own.added_to_pods = std::move(criteria.added_to_pods);
    return options;
  }

 private:
  using RbacStore =
      ObjectStore<rbac::Role, rbac::ClusterRole, rbac::RoleBinding, rbac::ClusterRoleBinding>;

  /// A policy, or why it cannot be used.
  struct Source {
    scheduling_policy::SchedulingPolicy policy;
    std::optional<FieldError> reason;
    std::size_t bytes = reason ? 0 : scheduling_policy::policy_bytes(policy.spec);
    bool gives_class = !reason && policy.spec.defaults.runtime_class_name;
  };
  using Sources = std::vector<Shared<Source>>;

  /// The rules for the holders of a grant, or those of its policies that cannot be used, which deny.
  struct GrantEvaluation {
    EffectivePolicy effective;
    Sources unusable;
    std::size_t bytes = 0;  ///< of the policies that it was made of
  };

  /// What is exempt depends on who creates the pod, too.
  struct OptionsByCreator {
    explicit OptionsByCreator(const scheduling_policy::Options& options)
        : of_user(options),
          of_daemon_set_controller(exempt(options, scheduling_policy::daemon_set_tolerations())) {}

    scheduling_policy::Options of_user;
    scheduling_policy::Options of_daemon_set_controller;
  };

  static std::vector<Violation> unusable_violations(const GrantEvaluation& evaluation,
                                                    const Pod& pod) {
    const FieldPath field = field_path(pod.kind, {"spec"});
    std::vector<Violation> violations;
    for (const Shared<Source>& source : evaluation.unusable)
      violations.push_back(invalid_policy(field, source->policy.metadata.name, *source->reason));
    return violations;
  }

  /// Where there is no policy, who may use none.
  void name_user(std::vector<Violation>& violations, const Pod& pod) const {
    if (settings_->policy_use != PolicyUse::rbac) return;
    for (Violation& violation : violations)
      if (violation.code == ViolationCode::no_usable_policy)
        violation.value = rbac::user_of(pod).name;
  }
  Admission naming_user(Admission&& admission) const {
    name_user(admission.violations, admission.pod);
    return std::move(admission);
  }

  static Admission to_admission(scheduling_policy::Defaulted&& made,
                                std::vector<Violation>&& violations) {
    Admission admission;
    admission.allowed = violations.empty();
    admission.violations = std::move(violations);
    admission.pod = std::move(made.pod);
    if (!admission.allowed) return admission;
    admission.changes = std::move(made.changes);
    admission.warnings = std::move(made.warnings);
    return admission;
  }

  /// A new template, or what an updated one adds.
  Admission admit_template(const Old<Pod>* old, Pod&& pod, const AdmissionContext& context) const {
    const Shared<GrantEvaluation> evaluation = find_or_evaluate(pod);
    if (!evaluation->unusable.empty())
      return denied(std::move(pod), unusable_violations(*evaluation, pod));
    OptionsOfPod options = options_for(pod, context);
    if (options.denial) return denied(std::move(pod), {*std::move(options.denial)});
    const EffectivePolicy& effective = evaluation->effective;
    scheduling_policy::Defaulted made =
        apply_defaults_to_template(std::move(pod), effective, options);
    std::vector<Violation> violations = old != nullptr
                                            ? added_violations(*old, made.pod, *evaluation, options)
                                            : check_template(made.pod, effective, options);
    if (violations.empty()) warn_of_replaced_terms(made, effective, options);
    return naming_user(to_admission(std::move(made), std::move(violations)));
  }

  /// What an update adds that is not permitted. Of another user's pod or template the old user was
  /// permitted what the new one may not be.
  [[nodiscard]] std::vector<Violation> added_violations(Old<Pod> old, Pod updated,
                                                        const GrantEvaluation& evaluation,
                                                        OptionsOfPod& options) const {
    const bool is_same_user = rbac::account_of(old.object) == rbac::account_of(updated);
    const Shared<GrantEvaluation> of_old =
        is_same_user ? Shared<GrantEvaluation>() : find_or_evaluate(old.object);
    const EffectivePolicy& effective = evaluation.effective;
    const EffectivePolicy& effective_for_old =
        of_old && of_old->unusable.empty() ? of_old->effective : effective;
    if (updated.kind == PodKind::pod)
      return check_update(old, effective_for_old, *options, updated, effective, *options);
    const CoveredTolerations covered_of_old(old.object, options.merged,
                                            options.added_to(old.object));
    const scheduling_policy::Options options_for_old(options.without(covered_of_old));
    const CoveredTolerations covered(updated, options.merged, options.added_to(updated));
    std::vector<Violation> violations = check_update(old, effective_for_old, options_for_old,
                                                     updated, effective, options.without(covered));
    covered.restore_places(violations);
    return violations;
  }

  /// What was found out beforehand for the pod's user; none where that was too much.
  [[nodiscard]] Shared<GrantEvaluation> find_evaluation(const Pod& pod) const {
    const auto number = grants_->find(pod);
    return number ? evaluations_[*number] : Shared<GrantEvaluation>();
  }

  [[nodiscard]] Shared<GrantEvaluation> find_or_evaluate(const Pod& pod) const {
    Shared<GrantEvaluation> found = find_evaluation(pod);
    return found ? found : evaluate(sources_of(grants_->granted(pod)));
  }

  [[nodiscard]] Sources sources_of(const rbac::Grant& grant) const {
    Sources sources;
    if (grant.all)
      policies_.for_each([&](const Shared<Source>& source) { sources.push_back(source); });
    for (const std::string& name : grant.names)
      if (const Shared<Source>* source = policies_.find({0, name, {}})) sources.push_back(*source);
    return sources;
  }

  [[nodiscard]] static std::size_t bytes_of(const Sources& sources) noexcept {
    std::size_t bytes = 0;
    for (const Shared<Source>& source : sources) bytes += source->bytes;
    return bytes;
  }

  [[nodiscard]] Shared<GrantEvaluation> evaluate(const Sources& sources) const {
    GrantEvaluation evaluation{{}, {}, bytes_of(sources)};
    std::vector<scheduling_policy::SchedulingPolicy> usable;
    for (const Shared<Source>& source : sources) {
      if (source->reason) {
        evaluation.unusable.push_back(source);
      } else {
        usable.push_back(source->policy);
      }
    }
    std::sort(evaluation.unusable.begin(), evaluation.unusable.end(),
              [](const Shared<Source>& a, const Shared<Source>& b) {
                return a->policy.metadata.name < b->policy.metadata.name;
              });
    if (evaluation.unusable.empty()) evaluation.effective = merge(usable, settings_->strategy);
    return Shared(std::move(evaluation));
  }

  void evaluate_grant(std::size_t number) {
    while (evaluations_.size() < grants_->grants().size()) evaluations_.push_back({});
    Shared<GrantEvaluation>& evaluation = evaluations_.own(number);
    if (evaluation) merged_bytes_ -= evaluation->bytes;
    evaluation = {};
    const Sources sources = sources_of(grants_->grants()[number]);
    const std::size_t bytes = bytes_of(sources);
    if (bytes > max_merged_policy_bytes - merged_bytes_) return;
    evaluation = evaluate(sources);
    merged_bytes_ += bytes;
  }

  /// The numbers of the grants whose policies are others now.
  std::set<std::size_t> apply_to_policies(const ObjectChanges& changes) {
    std::set<std::size_t> touched;
    for (const auto& replaced : changes.replaced.scheduling_policies) {
      const std::string& name = replaced.metadata.name;
      erase(name);
      const std::vector<std::size_t> numbers = grants_->grants().of_policy(name);
      for (const std::size_t number : numbers) touched.insert(number);
    }
    for (const auto& policy : changes.usable.scheduling_policies)
      put(policy.metadata.name, {policy, std::nullopt});
    changes.for_each_unusable<scheduling_policy::SchedulingPolicy>(
        [&](const auto& policy, ObjectName&& name, const FieldError& reason) {
          put(name.name, {policy, reason});
        });
    for (const Unread& unread : changes.unread) {
      if (unread.name.kind != "SchedulingPolicy") continue;
      const std::string& name = unread.name.name;
      put(name, {{.metadata = {.name = name}}, unread.reason});
    }
    return touched;
  }

  void erase(const std::string& name) {
    if (const Shared<Source>* source = policies_.find({0, name, {}}))
      policies_with_class_ -= (*source)->gives_class ? 1 : 0;
    policies_.erase({0, name, {}});
  }
  /// Of a name that was erased.
  void put(const std::string& name, Source source) {
    policies_with_class_ += source.gives_class ? 1 : 0;
    policies_[{0, name, {}}] = Shared<Source>(std::move(source));
  }

  static bool concerns_rbac(const rbac::Rbac& replaced) noexcept {
    return !replaced.roles.empty() || !replaced.cluster_roles.empty() ||
           !replaced.role_bindings.empty() || !replaced.cluster_role_bindings.empty();
  }

  /// The numbers of the grants that are new.
  std::set<std::size_t> apply_to_rbac(const ObjectChanges& changes) {
    RbacStore store = *rbac_;
    store.apply(changes);
    rbac_ = Shared<RbacStore>(std::move(store));
    GrantTable grants = *grants_;
    std::set<std::size_t> changed = grants.change(changes.replaced.rbac, changes.usable.rbac);
    if (changed.size() == grants.grants().size()) {
      evaluations_ = {};
      merged_bytes_ = 0;
    }
    grants_ = Shared<GrantTable>(std::move(grants));
    return changed;
  }

  Shared<Settings> settings_;
  OptionsByCreator options_;
  schedpol::detail::PersistentMap<Shared<Source>> policies_;
  std::size_t policies_with_class_ = 0;  ///< that give one by default
  Shared<RbacStore> rbac_;
  Shared<GrantTable> grants_;
  /// Of each grant; none where all together would be more than `max_merged_policy_bytes`.
  schedpol::detail::PersistentVector<Shared<GrantEvaluation>> evaluations_;
  std::size_t merged_bytes_ = 0;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/systems.ipp

namespace SCHEDPOL_NAMESPACE::engine {

SCHEDPOL_INLINE scheduling_policy::Options admission_options(scheduling_policy::Options options) {
  options.default_scheduler = DefaultScheduler::unspecified;
  return exempt(std::move(options), scheduling_policy::default_toleration_seconds());
}

namespace detail {

SCHEDPOL_INLINE std::vector<Violation> CompiledSystem::violations_of(
    const Pod& object, const Old<Pod>* old, AdmissionContext context) const {
  context.values = ChangeValues::omitted;
  if (old == nullptr) return admit(Pod(object), context).violations;
  return object.kind == PodKind::pod ? update_pod(*old, Pod(object), context).violations
                                     : update_template(*old, Pod(object), context).violations;
}

SCHEDPOL_INLINE std::vector<Violation> CompiledSystem::violations(
    const Pod& pod, const AdmissionContext& context) const {
  return violations_of(pod, nullptr, context);
}

SCHEDPOL_INLINE std::vector<Violation> CompiledSystem::judge_update(
    const Old<Pod>& old, const Pod& updated, AdmissionContext context) const {
  std::vector<Violation> added = violations(updated, context);
  if (added.empty()) return added;
  return without(std::move(added), violations(old.object, context));
}

SCHEDPOL_INLINE Admission CompiledSystem::update_pod(const Old<Pod>& old, Pod&& updated,
                                                     AdmissionContext context) const {
  Admission admission;
  admission.pod = std::move(updated);
  auto lost = lost_tolerations(old.object, admission.pod);
  if (!lost.empty()) {
    const Admission created = admit(Pod(admission.pod), context);
    if (created.allowed) put_back(std::move(lost), old.object, created, admission);
  }
  // What is put back may be what a policy requires.
  admission.violations = judge_update(old, admission.pod, context);
  admission.allowed = admission.violations.empty();
  if (!admission.allowed) admission.changes.clear();
  return admission;
}

SCHEDPOL_INLINE Admission CompiledSystem::update_template(const Old<Pod>& old, Pod&& updated,
                                                          AdmissionContext context) const {
  Admission admission = admit(Pod(updated), context);
  if (admission.allowed) return admission;
  admission.violations = judge_update(old, updated, context);
  admission.pod = std::move(updated);
  admission.allowed = admission.violations.empty();
  return admission;
}

SCHEDPOL_INLINE std::vector<Violation> CompiledSystem::verify(const Pod& final,
                                                              AdmissionContext context) const {
  return violations(final, context);
}

SCHEDPOL_INLINE ClusterCriteria cluster_criteria(const Pod& pod, const AdmissionContext& context) {
  ClusterCriteria criteria;
  std::array<Mode, std::size(all_systems)> modes{};
  modes.fill(Mode::audit);
  for (const Step& step : context.steps) modes[static_cast<std::size_t>(step.system)] = step.mode;
  for (std::size_t i = 0; i < context.systems.size(); ++i)
    context.systems[i]->add_criteria(pod, modes[i], criteria);
  return criteria;
}

template <class System>
SharedSystem make(const Settings& settings) {
  return SharedSystem(System(settings));
}

SCHEDPOL_INLINE const SystemRows& system_rows() noexcept {
  static constexpr SystemRows table = {{
      {System::runtime_class, "RuntimeClass", "runtime-class", false, make<RuntimeClassSystem>},
      {System::metadata_policy, "MetadataPolicy", "metadata-policy", true,
       make<MetadataPolicySystem>},
      {System::pod_scheduling_policy, "PodSchedulingPolicy", "pod-scheduling-policy", false,
       make<PodSchedulingPolicySystem>},
      {System::scheduling_policy, "SchedulingPolicy", "scheduling-policy", false,
       make<SchedulingPolicySystem>},
      {System::resource_policy, "ResourcePolicy", "resource-policy", false,
       make<ResourcePolicySystem>},
  }};
  static_assert(
      [] {
        for (std::size_t i = 0; i < table.size(); ++i)
          if (table[i].system != all_systems[i]) return false;
        return true;
      }(),
      "a row each, in the order of the enumeration");
  return table;
}

SCHEDPOL_INLINE EffectivePolicy effective_policy(const std::vector<SharedSystem>& systems,
                                                 const Pod& pod) {
  const auto index = static_cast<std::size_t>(System::scheduling_policy);
  return static_cast<const SchedulingPolicySystem&>(*systems[index]).effective_policy(pod);
}

}  // namespace detail

SCHEDPOL_INLINE rbac::Access access_of(const Settings& settings) {
  rbac::Access access = settings.access;
  if (access.api_group.empty()) access.api_group = own_api_group;
  return access;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/engine/impl/configuration.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// Roles and bindings.
template <class T>
inline constexpr bool is_of_rbac =
    requires(T object) { object.rules; } || requires(T object) { object.role_ref; };

/// What `validate` of its system finds wrong with an object. Of the objects of RBAC nothing is: what
/// cannot be understood in them grants nothing.
template <class T>
std::vector<FieldError> errors_of(const T& object) {
  if constexpr (is_of_rbac<T>) {
    return {};
  } else if constexpr (requires { validate(object).errors; }) {
    return validate(object).errors;
  } else {
    return validate(object);
  }
}

/// Finds what is wrong with objects, one after another.
class ObjectValidator {
 public:
  /// Calls `f(name, errors, unreadable)` for each of `objects`, namespaces included; `unreadable` is
  /// null for an object that could be read.
  template <class F>
  void for_each(const Objects& objects, F&& f) {
    const UnreadableObject* const readable = nullptr;
    for_each_list(objects, [&](const auto& list, ObjectKinds kinds) {
      for (const auto& object : list) {
        const ObjectKind kind = kind_of(object, kinds);
        f(name_of(kind, object.metadata), errors_in(kind, object), readable);
      }
    });
    for (const Namespace& in : objects.namespaces) {
      std::vector<FieldError> errors;
      validate_name(errors, namespace_kind, in.metadata);
      f(name_of(namespace_kind, in.metadata), std::move(errors), readable);
    }
    for (const UnreadableObject& object : objects.unreadable) {
      const ObjectKind kind = kind_of(object);
      f(name_of(kind, metadata_of(object)), errors_in(kind, object), &object);
    }
  }

 private:
  std::vector<FieldError> errors_in(const ObjectKind& kind, const UnreadableObject& object) {
    if (kind.name.empty()) {
      return {{ErrorType::not_supported, FieldPath{object.kind}.key(object.name).child("kind"),
               object.kind, "is no object of a scheduling policy"}};
    }
    std::vector<FieldError> of_name;
    const FieldPath path = validate_name(of_name, kind, object.namespace_, object.name);
    std::vector<FieldError> errors = object.errors;
    if (errors.empty()) errors.push_back({ErrorType::invalid, {}, "", "cannot be read"});
    for (FieldError& error : errors) error.field = path.join(error.field);
    schedpol::detail::append(errors, std::move(of_name));
    return errors;
  }

  template <class T>
  std::vector<FieldError> errors_in(const ObjectKind& kind, const T& object) {
    std::vector<FieldError> errors;
    const FieldPath path = validate_name(errors, kind, object.metadata);
    for (FieldError& error : errors_of(object)) {
      // That a name is missing was said.
      if (object.metadata.name.empty() && error.field == FieldPath{"metadata", "name"}) continue;
      error.field = path.join(error.field);
      errors.push_back(std::move(error));
    }
    return errors;
  }

  FieldPath validate_name(std::vector<FieldError>& errors, const ObjectKind& kind,
                          const ObjectMeta& metadata) {
    return validate_name(errors, kind, metadata.namespace_, metadata.name);
  }
  /// The path of an object; notes a name that is missing or there before.
  FieldPath validate_name(std::vector<FieldError>& errors, const ObjectKind& kind,
                          const std::string& namespace_, const std::string& name) {
    const auto add = [&](ErrorType type, FieldPath field, std::string_view value,
                         std::string_view detail) {
      errors.push_back({type, std::move(field), std::string(value), std::string(detail)});
    };
    const bool namespaced = kind.scope == Scope::namespace_;
    const FieldPath path = FieldPath{kind.name}.key(namespaced ? namespace_ + '/' + name : name);
    const FieldPath at_name = path.child("metadata").child("name");
    if (name.empty()) add(ErrorType::required, at_name, "", "an object is told by its name");
    if (namespaced && namespace_.empty()) {
      add(ErrorType::required, path.child("metadata").child("namespace"), "",
          "without one it applies nowhere");
    }
    const std::string_view in = namespaced ? std::string_view(namespace_) : "";
    schedpol::detail::TextKey identity;
    identity.add(kind.name).add(in).add(name);
    if (!seen_.insert(identity.text()).second)
      add(ErrorType::duplicate, at_name, name, "another object has this name");
    return path;
  }

  std::set<std::string> seen_;  ///< kind, namespace and name of each
};

/// What is wrong with the list of systems.
inline std::vector<FieldError> validate_steps(const std::vector<Step>& steps) {
  if (steps.empty()) {
    return {{ErrorType::required, FieldPath{"systems"}, "", "which systems run has to be said"}};
  }
  std::vector<FieldError> errors;
  bool seen[std::size(all_systems)] = {};
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const System system = steps[i].system;
    const FieldPath step = FieldPath{"systems"}.index(i);
    const FieldPath field = step.child("system");
    if (to_string(steps[i].mode).empty())
      errors.push_back({ErrorType::required, step.child("mode"), "",
                        "what becomes of its decisions has to be said"});
    if (!schedpol::detail::contains(all_systems, system)) {
      errors.push_back({ErrorType::required, field, "", "which system runs has to be said"});
    } else if (std::exchange(seen[static_cast<std::size_t>(system)], true)) {
      errors.push_back(
          {ErrorType::duplicate, field, std::string(to_string(system)), "a system runs once"});
    }
  }
  return errors;
}

/// What is wrong with the paths to pod templates.
inline std::vector<FieldError> validate_templates(const std::vector<TemplatePath>& templates) {
  const FieldPath field{"templates"};
  std::vector<FieldError> errors;
  if (templates.size() > max_template_paths) {
    return {{ErrorType::too_many, field, std::to_string(templates.size()),
             "at most " + std::to_string(max_template_paths) + " paths are read"}};
  }
  for (std::size_t i = 0; i < templates.size(); ++i) {
    const auto& [group, kind, path] = templates[i];
    const FieldPath at = field.index(i);
    const std::optional<PodKind> known = pod_kind(kind);
    if (kind.empty()) {
      errors.push_back(
          {ErrorType::required, at.child("kind"), "", "which kind has them has to be said"});
    } else if (is_policy(group, kind)) {
      errors.push_back({ErrorType::invalid, at.child("kind"), kind, "is a policy and has no pods"});
    } else if (known && is_in_group(*known, group)) {
      errors.push_back(
          {ErrorType::invalid, at.child("kind"), kind, "is a workload whose template is known"});
    }
    const bool is_told =
        !kind.empty() && (is_policy(group, kind) || (known && is_in_group(*known, group)));
    if (!is_told && (group.find('.') == std::string::npos ||
                     !schedpol::detail::subdomain_problems(group).empty())) {
      errors.push_back({group.empty() ? ErrorType::required : ErrorType::invalid, at.child("group"),
                        group,
                        "a custom kind has a group with a dot in it, such as `argoproj.io`"});
    }
    if (schedpol::detail::written_steps(path).empty()) {
      errors.push_back({ErrorType::invalid, at.child("path"), path,
                        "must be fields such as `spec.template` or `spec.jobs[*].template`"});
    }
    if (std::find(templates.begin(), templates.begin() + std::ptrdiff_t(i), templates[i]) !=
        templates.begin() + std::ptrdiff_t(i))
      errors.push_back({ErrorType::duplicate, at, path, "a path is listed once"});
  }
  return errors;
}

/// What is wrong with the configuration besides its objects.
inline std::vector<FieldError> validate_settings(const Configuration& configuration) {
  std::vector<FieldError> errors = validate_steps(configuration.systems);
  schedpol::detail::append(errors, validate_templates(configuration.settings.templates));
  return errors;
}

SCHEDPOL_INLINE Objects with_stand_ins(Objects objects) {
  for (const UnreadableObject& object : objects.unreadable) {
    if (object.kind == namespace_kind.name) objects.namespaces.push_back({metadata_of(object)});
    for_each_list(objects, [&](auto& list, ObjectKinds kinds) {
      for (const ObjectKind& kind : kinds) {
        if (kind.name != object.kind) continue;
        auto& stand_in = list.emplace_back();
        stand_in.metadata = metadata_of(object);
        // The kinds of a list have the order of their enumerators.
        if constexpr (requires { to_string(stand_in.kind); })
          stand_in.kind = static_cast<decltype(stand_in.kind)>(&kind - kinds.begin());
      }
    });
  }
  return objects;
}

/// What is wrong with several objects of one name is told in one order, whichever came first.
inline void sort_errors_of_namesakes(std::vector<FieldError>& errors) {
  if (schedpol::detail::none_of(
          errors, [](const FieldError& error) { return error.type == ErrorType::duplicate; }))
    return;
  std::sort(errors.begin(), errors.end(),
            [](const FieldError& a, const FieldError& b) { return message(a) < message(b); });
}

SCHEDPOL_INLINE ObjectChanges changes_to(const Objects& objects) {
  ObjectChanges changes{.replaced = with_stand_ins(objects)};
  ObjectValidator().for_each(objects, [&](ObjectName&& name, std::vector<FieldError>&& errors,
                                          const UnreadableObject* unreadable) {
    if (unreadable != nullptr) changes.unread.push_back({name, unreadable, {}});
    if (!errors.empty())
      schedpol::detail::append(changes.problems[std::move(name)], std::move(errors));
  });
  for (auto& [name, errors] : changes.problems) sort_errors_of_namesakes(errors);
  for (Unread& unread : changes.unread) unread.reason = *changes.reason_of(unread.name);
  // Of two that are called the same neither can be trusted, the first one neither.
  const auto kept = [&](bool usable) {
    const auto is_kept = [&](const ObjectKind& kind, const ObjectMeta& metadata) {
      return (changes.reason_of(name_of(kind, metadata)) == nullptr) == usable;
    };
    Objects all = objects;
    for_each_list(all, [&](auto& list, ObjectKinds kinds) {
      schedpol::detail::erase_if(list, [&](const auto& object) {
        return !is_kept(kind_of(object, kinds), object.metadata);
      });
    });
    schedpol::detail::erase_if(
        all.namespaces, [&](const Namespace& in) { return !is_kept(namespace_kind, in.metadata); });
    return all;
  };
  changes.usable = kept(true);
  if (!changes.problems.empty()) changes.unusable = kept(false);
  return changes;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate_each(const Objects& objects) {
  std::vector<FieldError> errors;
  for_each_list(objects, [&](const auto& list, ObjectKinds) {
    for (const auto& object : list) schedpol::detail::append(errors, detail::errors_of(object));
  });
  for (const UnreadableObject& object : objects.unreadable)
    schedpol::detail::append(errors, object.errors);
  return errors;
}

SCHEDPOL_INLINE std::vector<FieldError> validate(const Configuration& configuration) {
  std::vector<FieldError> errors = detail::validate_settings(configuration);
  detail::ObjectValidator().for_each(
      configuration.objects,
      [&](const detail::ObjectName&, std::vector<FieldError>&& found, const UnreadableObject*) {
        schedpol::detail::append(errors, std::move(found));
      });
  return errors;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/engine/impl/system.ipp

namespace SCHEDPOL_NAMESPACE::engine {

SCHEDPOL_INLINE std::string_view to_string(Mode mode) noexcept {
  switch (mode) {
    case Mode::enforce: return "Enforce";
    case Mode::warn: return "Warn";
    case Mode::audit: return "Audit";
  }
  return "";
}

SCHEDPOL_INLINE std::string_view to_string(System system) noexcept {
  return system == System::none ? std::string_view() : detail::system_row(system).name;
}

SCHEDPOL_INLINE std::string_view audit_key(System system) noexcept {
  return system == System::none ? std::string_view() : detail::system_row(system).audit_key;
}

SCHEDPOL_INLINE bool is_policy(std::string_view api_group, std::string_view kind) noexcept {
  bool found = false;
  const Objects none;
  for_each_list(none, [&](const auto&, ObjectKinds kinds) {
    found |= schedpol::detail::any_of(kinds, [&](const ObjectKind& one) {
      return one.name == kind && !one.api_version.empty() &&
             is_in_group(one.api_version, api_group);
    });
  });
  return found;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/metadata_policy/impl/options.ipp

namespace SCHEDPOL_NAMESPACE::metadata_policy {

SCHEDPOL_INLINE bool exempts_kind(const Options& options, std::string_view api_group,
                                  std::string_view kind) noexcept {
  return schedpol::detail::any_of(options.exempt_kinds, [&](std::string_view listed) {
    const std::size_t dot = listed.find('.');
    const bool has_group = dot != std::string_view::npos;
    return listed.substr(0, dot) == kind &&
           (has_group ? listed.substr(dot + 1) : std::string_view()) == api_group;
  });
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/rbac/impl/rules.hpp

namespace SCHEDPOL_NAMESPACE::rbac::detail {

inline bool lists(const Texts& texts, std::string_view text) noexcept {
  return texts.contains(text) || texts.contains("*");
}

}  // namespace SCHEDPOL_NAMESPACE::rbac::detail

// schedpol/rbac/impl/subjects.hpp

/// Whom a binding is for: a user or a group, and the service accounts that are it or in it.

namespace SCHEDPOL_NAMESPACE::rbac::detail {

using schedpol::detail::MapKey;
using schedpol::detail::MapKeyView;

inline constexpr const char* rbac_group = "rbac.authorization.k8s.io";

// Source: Kubernetes, `apiserver/pkg/authentication/serviceaccount` and `user`.
inline constexpr std::string_view account_user = "system:serviceaccount:";
inline constexpr const char* accounts_group = "system:serviceaccounts";
inline constexpr std::string_view accounts_of_namespace_group = "system:serviceaccounts:";
inline constexpr const char* authenticated_group = "system:authenticated";

inline std::string service_account_user_name(std::string_view namespace_, std::string_view name) {
  return std::string(account_user).append(namespace_).append(":").append(name);
}

// The kinds of a subject's key, which has the namespace of the binding and the subject's name.
inline constexpr char user_kind = 'u';  ///< a service account has that of its user
inline constexpr char group_kind = 'g';

/// Whom a binding is for, and where: nothing for a subject that is nobody.
inline std::optional<MapKey> subject_key(const Subject& subject,
                                         const std::string& binding_namespace) {
  if (subject.name.empty()) return std::nullopt;
  if (subject.kind == "User") return MapKey{user_kind, binding_namespace, subject.name};
  if (subject.kind == "Group") return MapKey{group_kind, binding_namespace, subject.name};
  if (subject.kind != "ServiceAccount") return std::nullopt;
  const std::string& in = subject.namespace_.empty() ? binding_namespace : subject.namespace_;
  if (in.empty()) return std::nullopt;
  return MapKey{user_kind, binding_namespace, service_account_user_name(in, subject.name)};
}

/// Adds the service accounts that a binding grants something to because of the subject.
inline void add_accounts_of_subject(std::vector<ServiceAccounts>& accounts, const MapKey& subject) {
  const std::string& binding_namespace = subject.first;
  const auto add = [&](std::string_view in, std::optional<std::string> name) {
    if (binding_namespace.empty() || binding_namespace == in)
      accounts.push_back({std::string(in), std::move(name)});
  };
  std::string_view rest = subject.second;
  if (subject.kind == user_kind && rest.starts_with(account_user)) {
    rest.remove_prefix(account_user.size());
    // Namespaces and names have no colons, but nobody has looked at those of a pod.
    for (std::size_t at = rest.find(':'); at < rest.size(); at = rest.find(':', at + 1))
      add(rest.substr(0, at), std::string(rest.substr(at + 1)));
  } else if (subject.kind == group_kind && rest.starts_with(accounts_of_namespace_group)) {
    add(rest.substr(accounts_of_namespace_group.size()), std::nullopt);
  } else if (subject.kind == group_kind &&
             (rest == accounts_group || rest == authenticated_group)) {
    if (binding_namespace.empty()) {
      accounts.emplace_back();
    } else {
      add(binding_namespace, std::nullopt);
    }
  }
}

}  // namespace SCHEDPOL_NAMESPACE::rbac::detail

// schedpol/rbac/impl/usable.ipp

namespace SCHEDPOL_NAMESPACE::rbac {

namespace detail {

using schedpol::detail::PersistentMap;

// The kinds of keys. What is of the cluster has no namespace.
inline constexpr char role_kind = 'r';
inline constexpr char binding_kind = 'b';

/// The role that a binding of the namespace grants; nothing where there can be none.
inline std::optional<MapKeyView> key_of(const RoleRef& role, std::string_view namespace_) {
  if (role.kind == "ClusterRole") return MapKeyView{role_kind, {}, role.name};
  if (role.kind == "Role" && !namespace_.empty())
    return MapKeyView{role_kind, namespace_, role.name};
  return std::nullopt;
}

/// Calls `f(key, object)` for each role; one that says no namespace, though its kind has one, is
/// none.
template <class F>
void for_each_role(const Rbac& rbac, F&& f) {
  for (const ClusterRole& role : rbac.cluster_roles)
    f(MapKeyView{role_kind, {}, role.metadata.name}, role);
  for (const Role& role : rbac.roles)
    if (const std::string& in = role.metadata.namespace_; !in.empty())
      f(MapKeyView{role_kind, in, role.metadata.name}, role);
}

/// The same for each binding.
template <class F>
void for_each_binding(const Rbac& rbac, F&& f) {
  for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings)
    f(MapKeyView{binding_kind, {}, binding.metadata.name}, binding);
  for (const RoleBinding& binding : rbac.role_bindings)
    if (const std::string& in = binding.metadata.namespace_; !in.empty())
      f(MapKeyView{binding_kind, in, binding.metadata.name}, binding);
}

/// Adds what the rules grant.
inline void add_granted(Grant& grant, const std::vector<PolicyRule>& rules, const Access& access) {
  for (const PolicyRule& rule : rules) {
    if (!lists(rule.verbs, access.verb) || !lists(rule.api_groups, access.api_group) ||
        !lists(rule.resources, access.resource)) {
      continue;
    }
    grant.all |= rule.resource_names.empty();
    schedpol::detail::append(grant.names, rule.resource_names);
  }
}

}  // namespace detail

struct CompiledRbac::Impl {
  struct BoundRole {
    detail::MapKey role;
    std::vector<detail::MapKey> subjects;
  };

  Access access{};
  // Of several that are called the same all count.
  detail::PersistentMap<Grant> grants{};                         ///< by role
  detail::PersistentMap<std::vector<BoundRole>> bindings{};      ///< by their own names
  detail::PersistentMap<std::multiset<detail::MapKey>> bound{};  ///< the roles of a subject

  void remove(const Rbac& rbac) {
    detail::for_each_role(rbac,
                          [&](const detail::MapKeyView& key, const auto&) { grants.erase(key); });
    detail::for_each_binding(rbac, [&](const detail::MapKeyView& key, const auto&) {
      const std::vector<BoundRole>* const all = bindings.find(key);
      if (all == nullptr) return;
      for (const BoundRole& one : *all) {
        for (const detail::MapKey& subject : one.subjects) {
          std::multiset<detail::MapKey>& roles = bound[view(subject)];
          roles.erase(roles.find(one.role));
          if (roles.empty()) bound.erase(view(subject));
        }
      }
      bindings.erase(key);
    });
  }

  void add(const Rbac& rbac) {
    detail::for_each_role(rbac, [&](const detail::MapKeyView& key, const auto& role) {
      detail::add_granted(grants[key], role.rules, access);
    });
    detail::for_each_binding(rbac, [&](const detail::MapKeyView& key, const auto& binding) {
      const auto role = detail::key_of(binding.role_ref, key.first);
      if (!role) return;
      BoundRole one{copy_of(*role), {}};
      for (const Subject& subject : binding.subjects) {
        auto whom = detail::subject_key(subject, std::string(key.first));
        if (!whom) continue;
        bound[view(*whom)].insert(one.role);
        one.subjects.push_back(*std::move(whom));
      }
      if (!one.subjects.empty()) bindings[key].push_back(std::move(one));
    });
  }

  /// The bindings that are called like those of `rbac`, and those to roles that are.
  [[nodiscard]] std::set<detail::MapKeyView> bindings_of(const Rbac& rbac) const {
    std::set<detail::MapKeyView> found;
    detail::for_each_binding(
        rbac, [&](const detail::MapKeyView& key, const auto&) { found.insert(key); });
    std::set<detail::MapKeyView> roles;
    detail::for_each_role(rbac,
                          [&](const detail::MapKeyView& key, const auto&) { roles.insert(key); });
    if (roles.empty()) return found;
    bindings.for_each_entry([&](const detail::MapKey& key, const std::vector<BoundRole>& all) {
      for (const BoundRole& one : all)
        if (roles.contains(view(one.role))) found.insert(view(key));
    });
    return found;
  }

  /// Adds the roles that are bound to a subject. They are valid as long as this is.
  void collect(std::set<detail::MapKeyView>& roles, const detail::MapKeyView& subject) const {
    if (const std::multiset<detail::MapKey>* const all = bound.find(subject))
      for (const detail::MapKey& role : *all) roles.insert(view(role));
  }

  /// The roles that are bound to a user, each once, however often it is bound or a group is named. They
  /// are valid as long as this is.
  [[nodiscard]] std::set<detail::MapKeyView> roles_of(const User& user,
                                                      std::string_view namespace_) const {
    std::set<detail::MapKeyView> roles;
    const auto collect_all = [&](char kind, std::string_view name) {
      collect(roles, {kind, {}, name});
      if (!namespace_.empty()) collect(roles, {kind, namespace_, name});
    };
    collect_all(detail::user_kind, user.name);
    for (const std::string_view group :
         std::set<std::string_view>(user.groups.begin(), user.groups.end()))
      collect_all(detail::group_kind, group);
    return roles;
  }
};

SCHEDPOL_INLINE bool Grant::contains(std::string_view policy) const noexcept {
  return all || std::binary_search(names.begin(), names.end(), policy);
}

SCHEDPOL_INLINE Grant CompiledRbac::granted(const User& user, std::string_view namespace_) const {
  Grant grant;
  if (!impl_) return grant;
  for (const detail::MapKeyView& role : impl_->roles_of(user, namespace_)) {
    const Grant* const of_role = impl_->grants.find(role);
    if (of_role == nullptr) continue;
    grant.all |= of_role->all;
    schedpol::detail::append(grant.names, of_role->names);
  }
  if (grant.all) grant.names.clear();
  std::sort(grant.names.begin(), grant.names.end());
  grant.names.erase(std::unique(grant.names.begin(), grant.names.end()), grant.names.end());
  return grant;
}

SCHEDPOL_INLINE Grant CompiledRbac::granted(const ServiceAccounts& accounts) const {
  const std::string in = accounts.namespace_.value_or("");
  User user = service_account_user(in, accounts.name.value_or(""));
  if (!accounts.name) user.name.clear();
  if (!accounts.namespace_) user.groups = {detail::accounts_group, detail::authenticated_group};
  return granted(user, in);
}

SCHEDPOL_INLINE std::vector<RoleRef> CompiledRbac::missing_roles(
    const User& user, std::string_view namespace_) const {
  std::vector<RoleRef> missing;
  if (!impl_) return missing;
  for (const auto& [kind, in, name] : impl_->roles_of(user, namespace_)) {
    if (impl_->grants.find({kind, in, name}) != nullptr) continue;
    missing.push_back({detail::rbac_group, in.empty() ? "ClusterRole" : "Role", std::string(name)});
  }
  return missing;
}

SCHEDPOL_INLINE std::vector<ServiceAccounts> CompiledRbac::bound_accounts(const Rbac& rbac) const {
  std::vector<ServiceAccounts> accounts;
  if (!impl_) return accounts;
  for (const detail::MapKeyView& binding : impl_->bindings_of(rbac))
    if (const std::vector<Impl::BoundRole>* const all = impl_->bindings.find(binding))
      for (const Impl::BoundRole& one : *all)
        for (const detail::MapKey& subject : one.subjects)
          detail::add_accounts_of_subject(accounts, subject);
  return accounts;
}

SCHEDPOL_INLINE CompiledRbac CompiledRbac::with(const Rbac& rbac) const {
  CompiledRbac compiled;
  if (!impl_) return compiled;
  Impl impl = *impl_;
  impl.remove(rbac);
  impl.add(rbac);
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE CompiledRbac CompiledRbac::without(const Rbac& rbac) const {
  CompiledRbac compiled;
  if (!impl_) return compiled;
  Impl impl = *impl_;
  impl.remove(rbac);
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE CompiledRbac compile(const Rbac& rbac, const Access& access) {
  CompiledRbac compiled;
  compiled.impl_ = Shared(CompiledRbac::Impl{.access = access});
  return compiled.with(rbac);
}

SCHEDPOL_INLINE User service_account_user(std::string_view namespace_, std::string_view name) {
  User user;
  user.name = detail::service_account_user_name(namespace_, name.empty() ? "default" : name);
  user.groups = {detail::accounts_group,
                 std::string(detail::accounts_of_namespace_group).append(namespace_),
                 detail::authenticated_group};
  return user;
}

SCHEDPOL_INLINE std::string_view account_of(const Pod& pod) noexcept {
  if (!pod.spec.service_account_name.empty()) return pod.spec.service_account_name;
  return pod.spec.service_account.empty() ? "default" : std::string_view(pod.spec.service_account);
}

SCHEDPOL_INLINE User user_of(const Pod& pod) {
  return service_account_user(namespace_of(pod.metadata), account_of(pod));
}

SCHEDPOL_INLINE Texts usable(const Texts& policies, const User& user, std::string_view namespace_,
                             const Rbac& rbac, const Access& access) {
  const Grant grant = compile(rbac, access).granted(user, namespace_);
  std::set<std::string_view> names;
  for (const std::string& policy : policies)
    if (grant.contains(policy)) names.insert(policy);
  return Texts(std::vector<std::string>(names.begin(), names.end()));
}

}  // namespace SCHEDPOL_NAMESPACE::rbac

// schedpol/scheduling_policy/impl/pod_field.hpp

/// What there is to know of a field of a pod that policies rule: the form of the rows of `fields.hpp`.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// What the denials of a row are called. No other row has the same, so that they stand for the row.
struct DenialCodes {
  constexpr DenialCodes(ViolationCode of_not_permitted, ViolationCode of_missing) noexcept
      : not_permitted(of_not_permitted), missing(of_missing) {}

  ViolationCode not_permitted;
  ViolationCode missing;  ///< of what is required

  friend constexpr bool operator==(const DenialCodes&, const DenialCodes&) = default;
};

namespace detail {

// The rules of `check`, in `check_*.hpp`, one for each kind of field.
class NameCheck;
class NodeCheck;
class NodeSelectorCheck;
class TolerationsCheck;
class AffinityCheck;
class SpreadConstraintsCheck;
template <class Item>
class AllowedNamesCheck;

}  // namespace detail

/// A field of a pod that policies rule, of a kind that has this rule of `check`. `Traits`: what
/// there is to know of it besides.
template <class InPod, class Default, class Rules, class CheckOfKind, class TraitsOfKind>
struct PodField {
  using Check = CheckOfKind;
  using Traits = TraitsOfKind;

  std::string_view field;        ///< in a pod and in a default: `schedulerName`
  std::string_view rules_field;  ///< in `required` and `allowed`: `schedulerNames`
  InPod PodSpec::*in_pod;
  Default Defaults::*member;
  AnyOr<Rules> PolicySection::*rules;
  Component component;
  DenialCodes codes;
  Traits traits{};
};

/// A field of a pod of which `allowed` says what there may be, and no more. It is called alike in
/// pods and in `allowed`.
template <class InPod, class RulesOfField, class CheckOfKind>
struct AllowedField {
  using Check = CheckOfKind;
  using Rules = RulesOfField;

  std::string_view field;
  std::string_view rules_field = field;
  InPod PodSpec::*in_pod;
  AnyOr<Rules> PolicySection::*rules;
  Component component;
  DenialCodes codes;
  std::string_view permits_only{};  ///< what a permission does not reach beyond; nothing: all of it
};

/// Whether `allowed` alone has a row.
template <class Row>
inline constexpr bool is_allowed_field = false;
template <class InPod, class Rules, class Check>
inline constexpr bool is_allowed_field<AllowedField<InPod, Rules, Check>> = true;

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/impl/fields.hpp

/// The shape of a SchedulingPolicy's spec: the fields of each part with their names in YAML and their
/// members, in the order of YAML. Code that treats all fields in the same way (merge, sources, `check`,
/// violations, defaults, validation, insight, texts, JSON) iterates over these.
///
/// 1. A section has one field for each pod field that policies govern. `required` and `allowed` share one
///    name (`schedulerNames`); `default` has the name in the pod (`schedulerName`). One row has everything
///    about a field: its names, its members, the codes of its violations, and the rule of `check` for
///    fields of its kind.
/// 2. The kinds of affinity work the same: `nodeAffinities` in rules, `nodeAffinity` in pods and defaults.
/// 3. A mode of affinity has the same name everywhere.
/// 4. Fields that cannot be required or given by default are only in `allowed` (`AllowedField`).
///    `PolicySection` has them in `required`, too, where `validate` refuses them.
/// The described types are the spec, its sections, affinity rules, patterns, and the affinity of a
/// default down to its modes. Everything below is a value, a list or a map. If a member of such a type
/// has no field here, the code does not compile.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

/// A field of a `T`.
template <class T, class Member>
struct SpecField {
  std::string_view name;
  Member T::*member;
};
/// Its types are those of what it is made of.
template <class T, class Member>
SpecField(std::string_view, Member T::*) -> SpecField<T, Member>;

/// The sections of a spec.
inline constexpr SpecField required_section{"required", &SchedulingPolicySpec::required};
inline constexpr SpecField allowed_section{"allowed", &SchedulingPolicySpec::allowed};
inline constexpr SpecField default_section{"default", &SchedulingPolicySpec::defaults};

/// A field of a pod that the API server derives from another, and refuses where it contradicts.
struct DerivedField {
  std::string_view field;
  std::optional<std::string> (*text)(const PodSpec& spec);  ///< none where it is not there
  void (*clear)(PodSpec& spec);
};
inline constexpr std::array<DerivedField, 2> derived_from_priority_class = {{
    {"priority",
     [](const PodSpec& spec) {
       return spec.priority ? std::optional(std::to_string(*spec.priority)) : std::nullopt;
     },
     [](PodSpec& spec) { spec.priority.reset(); }},
    {"preemptionPolicy",
     [](const PodSpec& spec) {
       return spec.preemption_policy.empty() ? std::nullopt : std::optional(spec.preemption_policy);
     },
     [](PodSpec& spec) { spec.preemption_policy.clear(); }},
}};

/// What names that a pod may have of an object differ in.
struct NameTraits {
  std::string_view of_pods_without{};                 ///< the name of a pod that has none
  std::string Options::*filled_in = nullptr;          ///< what the cluster gives to such a pod
  std::string SchedulingCriteria::*exempt = nullptr;  ///< where exempt ones stand
  bool is_object_name = true;                         ///< it has to be a subdomain
  std::span<const DerivedField> derived{};
};
using NameField =
    PodField<std::string, std::optional<std::string>, Texts, detail::NameCheck, NameTraits>;

/// The scheduler.
inline constexpr NameField scheduler_name_field = {
    .field = "schedulerName",
    .rules_field = "schedulerNames",
    .in_pod = &PodSpec::scheduler_name,
    .member = &Defaults::scheduler_name,
    .rules = &PolicySection::scheduler_names,
    .component = Component::scheduler_names,
    .codes = {ViolationCode::scheduler_name_not_allowed, ViolationCode::scheduler_name_required},
    .traits = {.of_pods_without = default_scheduler_name,
               .exempt = &SchedulingCriteria::scheduler_name,
               .is_object_name = false}};
/// The priority class.
inline constexpr NameField priority_class_name_field = {
    .field = "priorityClassName",
    .rules_field = "priorityClassNames",
    .in_pod = &PodSpec::priority_class_name,
    .member = &Defaults::priority_class_name,
    .rules = &PolicySection::priority_class_names,
    .component = Component::priority_class_names,
    .codes = {ViolationCode::priority_class_name_not_allowed,
              ViolationCode::priority_class_name_required},
    .traits = {.filled_in = &Options::global_default_priority_class,
               .derived = derived_from_priority_class}};

/// The runtime class.
inline constexpr NameField runtime_class_name_field = {
    .field = "runtimeClassName",
    .rules_field = "runtimeClassNames",
    .in_pod = &PodSpec::runtime_class_name,
    .member = &Defaults::runtime_class_name,
    .rules = &PolicySection::runtime_class_names,
    .component = Component::runtime_class_names,
    .codes = {ViolationCode::runtime_class_name_not_allowed,
              ViolationCode::runtime_class_name_required}};

struct NoTraits {};

/// The node selector, key by key.
using NodeSelectorField =
    PodField<Labels, Optional<Labels>, NodeSelectors, detail::NodeSelectorCheck, NoTraits>;
inline constexpr NodeSelectorField node_selector_field = {
    .field = "nodeSelector",
    .rules_field = "nodeSelectors",
    .in_pod = &PodSpec::node_selector,
    .member = &Defaults::node_selector,
    .rules = &PolicySection::node_selectors,
    .component = Component::node_selectors,
    .codes = {ViolationCode::node_selector_not_allowed, ViolationCode::node_selector_required}};
/// Tolerations, given one by one and permitted by patterns.
using TolerationsField =
    PodField<std::vector<Toleration>, std::optional<std::vector<DefaultToleration>>,
             std::vector<TolerationPattern>, detail::TolerationsCheck, NoTraits>;
inline constexpr TolerationsField tolerations_field = {
    .field = "tolerations",
    .rules_field = "tolerations",
    .in_pod = &PodSpec::tolerations,
    .member = &Defaults::tolerations,
    .rules = &PolicySection::tolerations,
    .component = Component::tolerations,
    .codes = {ViolationCode::toleration_not_allowed, ViolationCode::toleration_required}};
/// Affinity, by its kinds.
using AffinityField = PodField<std::optional<Affinity>, std::optional<Affinity>, AffinityRules,
                               detail::AffinityCheck, NoTraits>;
inline constexpr AffinityField affinity_field = {
    .field = "affinity",
    .rules_field = "affinities",
    .in_pod = &PodSpec::affinity,
    .member = &Defaults::affinity,
    .rules = &PolicySection::affinities,
    .component = Component::affinities,
    .codes = {ViolationCode::affinity_not_allowed, ViolationCode::affinity_required}};

/// Topology spread constraints, permitted by patterns.
using SpreadConstraintsField =
    AllowedField<std::vector<TopologySpreadConstraint>, std::vector<SpreadConstraintPattern>,
                 detail::SpreadConstraintsCheck>;
inline constexpr SpreadConstraintsField topology_spread_constraints_field = {
    .field = "topologySpreadConstraints",
    .in_pod = &PodSpec::topology_spread_constraints,
    .rules = &PolicySection::topology_spread_constraints,
    .component = Component::topology_spread_constraints,
    .codes = {ViolationCode::topology_spread_constraint_not_allowed,
              ViolationCode::topology_spread_constraint_not_allowed}};
/// Items that are permitted by the names that they have.
template <class Item>
using AllowedNamesField = AllowedField<std::vector<Item>, Texts, detail::AllowedNamesCheck<Item>>;
/// Scheduling gates.
inline constexpr AllowedNamesField<PodSchedulingGate> scheduling_gates_field = {
    .field = "schedulingGates",
    .in_pod = &PodSpec::scheduling_gates,
    .rules = &PolicySection::scheduling_gates,
    .component = Component::scheduling_gates,
    .codes = {ViolationCode::scheduling_gate_not_allowed,
              ViolationCode::scheduling_gate_not_allowed}};
/// Resource claims, and templates of claims.
inline constexpr AllowedNamesField<PodResourceClaim> resource_claims_field = {
    .field = "resourceClaims",
    .in_pod = &PodSpec::resource_claims,
    .rules = &PolicySection::resource_claims,
    .component = Component::resource_claims,
    .codes = {ViolationCode::resource_claim_not_allowed, ViolationCode::resource_claim_not_allowed},
    .permits_only = "the name alone, whatever devices the claim asks for"};

/// The node that a pod names, and so goes past every scheduler. It stands in no section: it is
/// permitted where any scheduler is.
struct NodeNameField {
  using Check = detail::NodeCheck;

  std::string_view field;
  std::string PodSpec::*in_pod;
  const NameField& scheduler;
  Component component;
  std::string SchedulingCriteria::*exempt;
  DenialCodes codes;
};
inline constexpr NodeNameField node_name_field = {
    .field = "nodeName",
    .in_pod = &PodSpec::node_name,
    .scheduler = scheduler_name_field,
    .component = scheduler_name_field.component,
    .exempt = &SchedulingCriteria::node_name,
    .codes = {ViolationCode::node_name_not_allowed, ViolationCode::node_name_not_allowed}};

/// A kind of affinity, and the rules on it.
template <class Kind, class Rule>
struct AffinityKind {
  std::string_view field;        ///< in a pod and in a default: `nodeAffinity`
  std::string_view rules_field;  ///< in `required` and `allowed`: `nodeAffinities`
  std::optional<Kind> Affinity::*member;
  AnyOr<AffinityModes<Rule>> AffinityRules::*rules;
};
/// Node affinity.
inline constexpr AffinityKind<NodeAffinity, NodeAffinityRule> node_affinity_kind = {
    "nodeAffinity", "nodeAffinities", &Affinity::node_affinity, &AffinityRules::node_affinities};
/// Pod affinity.
inline constexpr AffinityKind<PodAffinity, PodAffinityRule> pod_affinity_kind = {
    "podAffinity", "podAffinities", &Affinity::pod_affinity, &AffinityRules::pod_affinities};
/// Pod anti-affinity.
inline constexpr AffinityKind<PodAffinity, PodAffinityRule> pod_anti_affinity_kind = {
    "podAntiAffinity", "podAntiAffinities", &Affinity::pod_anti_affinity,
    &AffinityRules::pod_anti_affinities};

/// Rows of the table.
template <const auto&... rows>
struct RowList {
  template <class F>
  static constexpr auto with_each(F&& f) {
    return f(rows...);
  }
};
/// All fields of pods of which something can be required, allowed and given, in the order of
/// documents and of `check`.
using PodFields = RowList<scheduler_name_field, priority_class_name_field, node_selector_field,
                          tolerations_field, affinity_field, runtime_class_name_field>;
/// Those that `allowed` alone has, which come after them.
using AllowedFields =
    RowList<topology_spread_constraints_field, scheduling_gates_field, resource_claims_field>;

template <const auto&... rows, const auto&... more>
RowList<rows..., more...> joined(RowList<rows...>, RowList<more...>);
/// All fields of a section.
using SectionFields = decltype(joined(PodFields{}, AllowedFields{}));

template <const auto& scheduler, const auto&... others>
RowList<scheduler, node_name_field, others...> with_node_name(RowList<scheduler, others...>);
/// All rows: the node name comes after the scheduler.
using AllRows = decltype(with_node_name(SectionFields{}));

/// Calls `f` with all fields of pods of which something can be required, allowed and given.
template <class F>
constexpr auto with_pod_fields(F&& f) {
  return PodFields::with_each(f);
}
/// Calls `f` with all fields of a section.
template <class F>
constexpr auto with_section_fields(F&& f) {
  return SectionFields::with_each(f);
}
/// Calls `f` with all rows.
template <class F>
constexpr auto with_rows(F&& f) {
  return AllRows::with_each(f);
}
/// Calls `f` with all kinds of affinity, in the order in which documents and violations have them.
template <class F>
constexpr auto with_kinds(F&& f) {
  return f(node_affinity_kind, pod_affinity_kind, pod_anti_affinity_kind);
}

/// Calls `f` for each row.
template <class F>
constexpr void for_each_row(F&& f) {
  with_rows([&](const auto&... each) { (f(each), ...); });
}
/// Calls `f` with the row whose denials are called so.
template <class F>
constexpr void with_row(const DenialCodes& codes, F&& f) {
  for_each_row([&](const auto& row) {
    if (row.codes == codes) f(row);
  });
}
/// Where that row stands in the table.
constexpr std::size_t number_of(const DenialCodes& codes) {
  std::size_t before = 0;
  bool found = false;
  for_each_row([&](const auto& row) {
    found = found || row.codes == codes;
    if (!found) ++before;
  });
  return before;
}
inline constexpr std::size_t row_count =
    with_rows([](const auto&... row) { return sizeof...(row); });

/// Calls `f` for each field of pods of which something can be required, allowed and given.
template <class F>
constexpr void for_each_pod_field(F&& f) {
  with_pod_fields([&](const auto&... each) { (f(each), ...); });
}
/// Calls `f` for each field of a section.
template <class F>
constexpr void for_each_section_field(F&& f) {
  with_section_fields([&](const auto&... each) { (f(each), ...); });
}
/// Calls `f` for each field that `allowed` alone has.
template <class F>
constexpr void for_each_allowed_field(F&& f) {
  AllowedFields::with_each([&](const auto&... each) { (f(each), ...); });
}
/// Calls `f` for each kind of affinity.
template <class F>
constexpr void for_each_kind(F&& f) {
  with_kinds([&](const auto&... each) { (f(each), ...); });
}

/// Calls `f` with all fields of a type: those of a spec are its sections.
template <class F>
constexpr auto fields_of(std::type_identity<SchedulingPolicySpec>, F&& f) {
  return f(required_section, allowed_section, default_section);
}
/// Those of `required` and `allowed`.
template <class F>
constexpr auto fields_of(std::type_identity<PolicySection>, F&& f) {
  return with_section_fields([&](const auto&... each) {
    return f(SpecField{each.rules_field, each.rules}...);
  });
}
/// Those of `default`.
template <class F>
constexpr auto fields_of(std::type_identity<Defaults>, F&& f) {
  return with_pod_fields([&](const auto&... each) {
    return f(SpecField{each.field, each.member}...);
  });
}
/// Those of the rules on affinity.
template <class F>
constexpr auto fields_of(std::type_identity<AffinityRules>, F&& f) {
  return with_kinds([&](const auto&... each) {
    return f(SpecField{each.rules_field, each.rules}...);
  });
}
/// Those of an affinity.
template <class F>
constexpr auto fields_of(std::type_identity<Affinity>, F&& f) {
  return with_kinds([&](const auto&... each) { return f(SpecField{each.field, each.member}...); });
}
/// Those of a kind of affinity, or of the rules on one: its modes.
template <class Modes, class F>
  requires requires { &Modes::required_during_scheduling_ignored_during_execution; }
constexpr auto fields_of(std::type_identity<Modes>, F&& f) {
  return f(SpecField{required_mode, &Modes::required_during_scheduling_ignored_during_execution},
           SpecField{preferred_mode, &Modes::preferred_during_scheduling_ignored_during_execution});
}
/// Those of a rule on node affinity.
template <class F>
constexpr auto fields_of(std::type_identity<NodeAffinityRule>, F&& f) {
  return f(SpecField{"nodeSelectorTerms", &NodeAffinityRule::node_selector_terms});
}
/// Those of a rule on pod affinity.
template <class F>
constexpr auto fields_of(std::type_identity<PodAffinityRule>, F&& f) {
  return f(SpecField{"topologyKeys", &PodAffinityRule::topology_keys});
}
/// Those of a pattern of terms.
template <class F>
constexpr auto fields_of(std::type_identity<TermPattern>, F&& f) {
  return f(SpecField{"matchExpressions", &TermPattern::match_expressions},
           SpecField{"matchFields", &TermPattern::match_fields});
}
/// Those of a pattern of expressions.
template <class F>
constexpr auto fields_of(std::type_identity<RequirementPattern>, F&& f) {
  return f(SpecField{"keys", &RequirementPattern::keys},
           SpecField{"operators", &RequirementPattern::operators},
           SpecField{"values", &RequirementPattern::values});
}
/// Those of a pattern of tolerations.
template <class F>
constexpr auto fields_of(std::type_identity<TolerationPattern>, F&& f) {
  return f(SpecField{"keys", &TolerationPattern::keys},
           SpecField{"operators", &TolerationPattern::operators},
           SpecField{"values", &TolerationPattern::values},
           SpecField{"effects", &TolerationPattern::effects});
}

/// Those of a pattern of topology spread constraints.
template <class F>
constexpr auto fields_of(std::type_identity<SpreadConstraintPattern>, F&& f) {
  return f(SpecField{"topologyKeys", &SpreadConstraintPattern::topology_keys},
           SpecField{"whenUnsatisfiable", &SpreadConstraintPattern::when_unsatisfiable});
}

/// Takes fields, and does nothing with them.
struct AnyFields {
  /// All fields of a type.
  template <class... Fields>
  constexpr void operator()(const Fields&...) const noexcept {}
};

/// What the fields of are described.
template <class T>
concept HasFields = requires { fields_of(std::type_identity<T>{}, AnyFields{}); };

/// Calls `f(name, member)` for each field of a type.
template <HasFields T, class F>
constexpr void for_each_field(F&& f) {
  fields_of(std::type_identity<T>{},
            [&](const auto&... each) { (f(each.name, each.member), ...); });
}

namespace detail {

/// Any of each field.
inline PolicySection everything() {
  PolicySection section;
  for_each_section_field([&](const auto& row) { section.*row.rules = any; });
  return section;
}

}  // namespace detail

/// Whether a type has a field for each of its members, in their order.
template <HasFields T>
inline constexpr bool is_described =
    fields_of(std::type_identity<T>{}, []<class... Members>(const SpecField<T, Members>&...) {
      return requires { T{Members{}...}; } && !requires { T{Members{}..., {}}; };
    });
static_assert(is_described<SchedulingPolicySpec> && is_described<PolicySection> &&
                  is_described<Defaults> && is_described<AffinityRules> && is_described<Affinity> &&
                  is_described<NodeAffinityRules> && is_described<PodAffinityRules> &&
                  is_described<NodeAffinity> && is_described<PodAffinity> &&
                  is_described<NodeAffinityRule> && is_described<PodAffinityRule> &&
                  is_described<TermPattern> && is_described<RequirementPattern> &&
                  is_described<TolerationPattern> && is_described<SpreadConstraintPattern>,
              "each member has its row");

static_assert(with_pod_fields([](const auto&... row) {
                return ((!row.field.empty() && !row.rules_field.empty() && row.in_pod != nullptr &&
                         row.member != nullptr && row.rules != nullptr) &&
                        ...);
              }),
              "each row is whole");
static_assert(with_section_fields([](const auto&... row) {
                std::size_t number = 0;
                return ((row.rules != nullptr && row.in_pod != nullptr &&
                         static_cast<std::size_t>(row.component) == number &&
                         to_string(row.component) == row.rules_field && ++number != 0) &&
                        ...) &&
                       number == component_names.size();
              }),
              "each component is a field, and is called like it");
static_assert(with_rows([](const auto&... row) {
                std::size_t number = 0;
                return ((number_of(row.codes) == number++) && ...);
              }),
              "no two rows have the same codes");

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/impl/affinity_kinds.hpp

/// The terms of a pod or a default for one kind of affinity, in both modes.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// What a section lists in one mode of a kind.
template <class Kind, class Rule>
const Rule& listed_in(const PolicySection& section, const AffinityKind<Kind, Rule>& kind,
                      std::string_view mode) noexcept {
  const auto& [required, preferred] = (section.affinities.listed().*kind.rules).listed();
  return (mode == required_mode ? required : preferred).listed();
}

template <class Term>
const std::vector<Term>& no_terms() noexcept {
  static const std::vector<Term> none;
  return none;
}

/// The terms that a pod or a default has of one kind. Absent, `{}` and lists without terms are one.
template <class Required, class Preferred>
struct KindTerms {
  const std::vector<Required>& required = no_terms<Required>();
  const std::vector<Preferred>& preferred = no_terms<Preferred>();

  [[nodiscard]] bool empty() const noexcept { return required.empty() && preferred.empty(); }
};
using NodeTerms = KindTerms<NodeSelectorTerm, PreferredSchedulingTerm>;
using PodTerms = KindTerms<PodAffinityTerm, WeightedPodAffinityTerm>;

inline NodeTerms terms_of(const NodeAffinity& kind) noexcept {
  return {schedpol::detail::required_terms(kind),
          kind.preferred_during_scheduling_ignored_during_execution};
}
inline PodTerms terms_of(const PodAffinity& kind) noexcept {
  return {kind.required_during_scheduling_ignored_during_execution,
          kind.preferred_during_scheduling_ignored_during_execution};
}
template <class Kind>
auto terms_of(const std::optional<Affinity>& affinity,
              std::optional<Kind> Affinity::*member) noexcept {
  using Terms = decltype(terms_of(Kind{}));
  return affinity && (*affinity).*member ? terms_of(*((*affinity).*member)) : Terms{};
}

/// The term, its expressions and their values.
inline std::size_t parts_of(const NodeSelectorTerm& term) noexcept {
  std::size_t parts = 1;
  for (const auto* list : {&term.match_expressions, &term.match_fields})
    for (const NodeSelectorRequirement& each : *list) parts += 1 + each.values.size();
  return parts;
}

template <class Required, class Preferred>
std::string to_string(const KindTerms<Required, Preferred>& terms) {
  return schedpol::detail::affinity_text(terms.required, terms.preferred);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_events.hpp

/// The events of `check`: one for each item that it checks, in the order of the rules. A decision keeps
/// the denials; an explanation keeps all events.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

enum class Verdict {
  permitted,
  exempt,
  requirement_met,
  ungoverned,           ///< nothing permits it, and nothing has to
  not_permitted,        ///< denying
  requirement_missing,  ///< denying
};

constexpr bool denies(Verdict verdict) noexcept {
  return verdict == Verdict::not_permitted || verdict == Verdict::requirement_missing;
}

class PatternIndex;

/// A key of the node selector; of one that the pod has not, the value is null.
struct NodeSelectorPair {
  const std::string* key = nullptr;
  const std::string* value = nullptr;
};

/// An expression of a node affinity term.
struct CheckedExpression {
  const NodeSelectorRequirement* requirement = nullptr;
  bool is_field = false;  ///< it stands in `matchFields`
};

/// What is looked at: one of these, and all others are null.
struct CheckedItem {
  CheckedItem(std::string_view of) noexcept : text(of), is_text(true) {}
  CheckedItem(const NodeSelectorPair& of) noexcept : pair(of) {}
  CheckedItem(const Toleration* of) noexcept : toleration(of) {}
  CheckedItem(const TopologySpreadConstraint* of) noexcept : spread_constraint(of) {}
  CheckedItem(const CheckedExpression& of) noexcept : expression(of) {}
  CheckedItem(const NodeSelectorTerm* of) noexcept : node_term(of) {}
  CheckedItem(const PodAffinityTerm* of) noexcept : pod_term(of) {}
  CheckedItem(const NodeTerms& of) noexcept : node_terms(&of) {}
  CheckedItem(const PodTerms& of) noexcept : pod_terms(&of) {}

  std::string_view text{};  ///< a name, a topology key, or what is required
  bool is_text = false;
  NodeSelectorPair pair{};
  const Toleration* toleration = nullptr;
  const TopologySpreadConstraint* spread_constraint = nullptr;
  CheckedExpression expression{};
  const NodeSelectorTerm* node_term = nullptr;  ///< exempt as a whole
  const PodAffinityTerm* pod_term = nullptr;    ///< the same
  const NodeTerms* node_terms = nullptr;        ///< of a mode or kind, permitted or not as a whole
  const PodTerms* pod_terms = nullptr;          ///< the same
};

/// Refers to the pod, the policy and the stack of the rule: it is over when the listener returns.
struct CheckEvent {
  DenialCodes codes;  ///< of the row whose rule it is
  Verdict verdict;
  CheckedItem item;
  const schedpol::detail::PathBuilder* field;  ///< in the pod
  const schedpol::detail::PathBuilder* entry =
      nullptr;                             ///< of what is required, in the merged spec
  std::string_view kind{};                 ///< of affinity, as in a pod
  std::string_view mode{};                 ///< empty: the kind as a whole
  const PatternIndex* patterns = nullptr;  ///< that it was held against, where there are any
};

class CheckListener {
 public:
  enum class Wants { denials, everything };

  CheckListener(const CheckListener&) = delete;
  CheckListener& operator=(const CheckListener&) = delete;

  /// Whether a rule has to go through what it permits as a whole.
  [[nodiscard]] bool wants_everything() const noexcept { return wants_ == Wants::everything; }

  /// Hears of everything, whatever it wants.
  virtual void on_event(const CheckEvent& event) = 0;

 protected:
  explicit CheckListener(Wants wants) noexcept : wants_(wants) {}
  ~CheckListener() = default;

 private:
  Wants wants_;
};

/// Tells another listener what becomes of a field that is not governed.
class UngovernedEvents final : public CheckListener {
 public:
  explicit UngovernedEvents(CheckListener& listener) noexcept
      : CheckListener(listener.wants_everything() ? Wants::everything : Wants::denials),
        listener_(listener) {}

  void on_event(const CheckEvent& event) override {
    CheckEvent told = event;
    if (told.verdict == Verdict::not_permitted) told.verdict = Verdict::ungoverned;
    listener_.on_event(told);
  }

 private:
  CheckListener& listener_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/exempt_items.hpp

/// Which items of a pod are exempt by the options (`options.hpp`). The lists are short, so they are
/// searched as they are, without an index.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// Calls `f` with all criteria that are exempt.
template <class F>
void for_each_criteria(const Options& options, F&& f) {
  f(options.exempt);
  for (const SharedCriteria& criteria : options.exempt_criteria) f(*criteria);
}

/// Calls `f` with what is exempt of one kind of affinity, once for each object that adds to it.
template <class Kind, class F>
void for_each_exempt_terms(const Options& options, std::optional<Kind> Affinity::*kind, F&& f) {
  for_each_criteria(options,
                    [&](const SchedulingCriteria& exempt) { f(terms_of(exempt.affinity, kind)); });
}

/// Whether a term holds all of another.
inline bool holds_all(const NodeSelectorTerm& term, const NodeSelectorTerm& other) {
  const auto holds = [&](auto list) {
    return schedpol::detail::all_of(other.*list, [&](const auto& each) {
      return schedpol::detail::contains(term.*list, each);
    });
  };
  return holds(&NodeSelectorTerm::match_expressions) && holds(&NodeSelectorTerm::match_fields);
}

/// The exempt terms of one kind of affinity.
template <class Kind>
class ExemptTerms {
 public:
  ExemptTerms(const Options& options, std::optional<Kind> Affinity::*kind) noexcept
      : options_(options), kind_(kind) {}

  /// One expression of a required node term.
  [[nodiscard]] bool contain(
      const NodeSelectorRequirement& expression,
      std::vector<NodeSelectorRequirement> NodeSelectorTerm::*list) const noexcept {
    return any_required([&](const NodeSelectorTerm& exempt) {
      const std::vector<NodeSelectorRequirement>& all = exempt.*list;
      return schedpol::detail::contains(all, expression);
    });
  }

  /// Everything in a required node term.
  [[nodiscard]] bool contain(const NodeSelectorTerm& term) const noexcept {
    if (is_empty(term))
      return any_required([](const NodeSelectorTerm& exempt) { return is_empty(exempt); });
    return contain_each(term, &NodeSelectorTerm::match_expressions) &&
           contain_each(term, &NodeSelectorTerm::match_fields);
  }
  /// Any other term, as a whole.
  [[nodiscard]] bool contain(const PreferredSchedulingTerm& term) const noexcept {
    return any([&](const auto& exempt) { return has(exempt.preferred, term); });
  }
  [[nodiscard]] bool contain(const PodAffinityTerm& term) const noexcept {
    return any_required([&](const PodAffinityTerm& exempt) { return exempt == term; });
  }
  [[nodiscard]] bool contain(const WeightedPodAffinityTerm& term) const noexcept {
    return any([&](const auto& exempt) { return has(exempt.preferred, term); });
  }

  /// What of a required node term is exempt.
  [[nodiscard]] NodeSelectorTerm part_of(const NodeSelectorTerm& term) const {
    NodeSelectorTerm part;
    for (const auto list : {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields})
      for (const NodeSelectorRequirement& each : term.*list)
        if (contain(each, list)) (part.*list).push_back(each);
    return part;
  }

  /// Calls `f` with the terms, once for each object that adds to them.
  template <class F>
  void for_each(F&& f) const {
    for_each_exempt_terms(options_, kind_, f);
  }

  /// Each of some terms.
  template <class Term>
  [[nodiscard]] bool contain(const std::vector<Term>& terms) const noexcept {
    return schedpol::detail::all_of(terms, [&](const Term& term) { return contain(term); });
  }

  /// Whether a term holds nothing but exempt items and parts of another one; others are no more than
  /// whole.
  [[nodiscard]] bool adds_to_part(const NodeSelectorTerm& term,
                                  const NodeSelectorTerm& of) const noexcept {
    const auto is_part = [&](auto list) {
      return schedpol::detail::all_of(term.*list, [&](const auto& each) {
        return schedpol::detail::contains(of.*list, each) || contain(each, list);
      });
    };
    return is_part(&NodeSelectorTerm::match_expressions) &&
           is_part(&NodeSelectorTerm::match_fields);
  }
  template <class Term>
  [[nodiscard]] static bool adds_to_part(const Term& term, const Term& of) noexcept {
    return term == of;
  }

  /// Whether terms are those that a default gives with exempt ones among them, in whatever places. A given one that
  /// is exempt may be missing: where the pod had it, it was not given again.
  template <class Term>
  [[nodiscard]] bool account_for_difference(const std::vector<Term>& terms,
                                            const std::vector<Term>& injected) const noexcept {
    auto next = injected.begin();
    for (const Term& term : terms) {
      while (next != injected.end() && *next != term && contain(*next)) ++next;
      if (next != injected.end() && term == *next) {
        ++next;
      } else if (!contain(term)) {
        return false;
      }
    }
    return !injected.empty() &&
           std::all_of(next, injected.end(), [&](const Term& each) { return contain(each); });
  }
  /// Of required node terms each is one of those given with exempt expressions in it, or exempt, and
  /// none of those given is missing: what a policy adds may stand in every term, or double them. But
  /// an exempt one that holds one of them got no other. Beyond `max_matched_values` comparisons they are
  /// not.
  [[nodiscard]] bool account_for_difference(
      const std::vector<NodeSelectorTerm>& terms,
      const std::vector<NodeSelectorTerm>& injected) const noexcept {
    if (injected.empty() || !may_compare(terms, injected) ||
        schedpol::detail::none_of(terms, [&](const auto& term) { return contain_some(term); }))
      return false;
    const auto extends_one = [&](const NodeSelectorTerm& term) {
      return schedpol::detail::any_of(injected, [&](const NodeSelectorTerm& each) {
        return account_for_difference(term, each);
      });
    };
    const auto is_extended = [&](const NodeSelectorTerm& each) {
      return schedpol::detail::any_of(
          terms, [&](const NodeSelectorTerm& term) { return account_for_difference(term, each); });
    };
    return schedpol::detail::all_of(
               terms, [&](const auto& term) { return contain(term) || extends_one(term); }) &&
           (schedpol::detail::all_of(injected, is_extended) ||
            schedpol::detail::any_of(
                terms, [&](const auto& term) { return contain(term) && extends_one(term); }));
  }

  /// Whether each expression of some terms may be held against each of those given, for each of them
  /// against all that are exempt.
  [[nodiscard]] bool may_compare(const std::vector<NodeSelectorTerm>& terms,
                                 const std::vector<NodeSelectorTerm>& injected) const noexcept {
    const auto size_of = [](const auto& list) {
      std::size_t size = 1;
      for (const NodeSelectorTerm& term : list)
        size += 1 + term.match_expressions.size() + term.match_fields.size();
      return size;
    };
    std::size_t exempt = 1;
    for_each([&](const auto& some) { exempt += size_of(some.required); });
    return size_of(terms) <= max_matched_values / exempt / size_of(injected);
  }

 private:
  template <class Predicate>
  [[nodiscard]] bool any(Predicate&& holds) const noexcept {
    bool found = false;
    for_each_exempt_terms(options_, kind_,
                          [&](const auto& terms) { found = found || holds(terms); });
    return found;
  }
  template <class Predicate>
  [[nodiscard]] bool any_required(Predicate&& holds) const noexcept {
    return any([&](const auto& terms) { return schedpol::detail::any_of(terms.required, holds); });
  }
  template <class Term>
  [[nodiscard]] static bool has(const std::vector<Term>& terms, const Term& term) noexcept {
    return schedpol::detail::contains(terms, term);
  }

  [[nodiscard]] bool contain_each(
      const NodeSelectorTerm& term,
      std::vector<NodeSelectorRequirement> NodeSelectorTerm::*list) const noexcept {
    return schedpol::detail::all_of(
        term.*list, [&](const auto& expression) { return contain(expression, list); });
  }

  [[nodiscard]] bool contain_some(const NodeSelectorTerm& term) const noexcept {
    const auto is_in = [&](auto list) {
      return schedpol::detail::any_of(
          term.*list, [&](const auto& expression) { return contain(expression, list); });
    };
    return is_in(&NodeSelectorTerm::match_expressions) || is_in(&NodeSelectorTerm::match_fields) ||
           contain(term);
  }

  [[nodiscard]] bool account_for_difference(const NodeSelectorTerm& term,
                                            const NodeSelectorTerm& other) const noexcept {
    const auto extends = [&](auto list) {
      const auto& all = term.*list;
      const auto& of_other = other.*list;
      const auto is_in = [](const auto& expression, const auto& expressions) {
        return schedpol::detail::contains(expressions, expression);
      };
      return schedpol::detail::all_of(
                 of_other, [&](const auto& expression) { return is_in(expression, all); }) &&
             schedpol::detail::all_of(all, [&](const auto& expression) {
               return is_in(expression, of_other) || contain(expression, list);
             });
    };
    return extends(&NodeSelectorTerm::match_expressions) &&
           extends(&NodeSelectorTerm::match_fields);
  }

  const Options& options_;
  std::optional<Kind> Affinity::*kind_;
};

/// The exempt items of all other sorts.
class ExemptItems {
 public:
  explicit ExemptItems(const Options& options) noexcept : options_(options) {}

  /// Names stand there in criteria; where that is null, none is exempt.
  using NameOf = std::string SchedulingCriteria::*;
  [[nodiscard]] bool contain(NameOf of, std::string_view name) const noexcept {
    return of != nullptr &&
           any([&](const SchedulingCriteria& exempt) { return exempt.*of == name; });
  }
  [[nodiscard]] bool contain(std::string_view key, std::string_view value) const noexcept {
    return has(options_.added_to_pods.node_selector, key, value) ||
           any([&](const SchedulingCriteria& exempt) {
             return has(exempt.node_selector, key, value);
           });
  }
  [[nodiscard]] bool contain(const Toleration& toleration) const noexcept {
    return has(options_.added_to_pods.tolerations, toleration) ||
           any([&](const SchedulingCriteria& exempt) {
             return has(exempt.tolerations, toleration);
           });
  }
  /// Whether a class or a cluster policy gives it to this pod.
  [[nodiscard]] bool give(const Toleration& toleration) const noexcept {
    return has(options_.added_to_pods.tolerations, toleration) ||
           schedpol::detail::any_of(options_.exempt_criteria, [&](const SharedCriteria& criteria) {
             return has(criteria->tolerations, toleration);
           });
  }
  template <class Kind>
  [[nodiscard]] ExemptTerms<Kind> of(std::optional<Kind> Affinity::*kind) const noexcept {
    return {options_, kind};
  }

  /// Calls `f` with each of them.
  template <class F>
  void for_each_name(NameOf of, F&& f) const {
    if (of == nullptr) return;
    for_each_criteria(options_, [&](const SchedulingCriteria& exempt) {
      if (!(exempt.*of).empty()) f(exempt.*of);
    });
  }
  template <class F>
  void for_each_pair(F&& f) const {
    const auto call = [&](const Labels& pairs) {
      for (const auto& [key, value] : pairs) f(key, value);
    };
    call(options_.added_to_pods.node_selector);
    for_each_criteria(options_,
                      [&](const SchedulingCriteria& exempt) { call(exempt.node_selector); });
  }
  template <class F>
  void for_each_toleration(F&& f) const {
    const auto call = [&](const std::vector<Toleration>& tolerations) {
      for (const Toleration& toleration : tolerations) f(toleration);
    };
    call(options_.added_to_pods.tolerations);
    for_each_criteria(options_,
                      [&](const SchedulingCriteria& exempt) { call(exempt.tolerations); });
  }

 private:
  template <class Predicate>
  [[nodiscard]] bool any(Predicate&& holds) const noexcept {
    return holds(options_.exempt) ||
           schedpol::detail::any_of(options_.exempt_criteria, [&](const SharedCriteria& criteria) {
             return holds(*criteria);
           });
  }
  [[nodiscard]] static bool has(const Labels& pairs, std::string_view key,
                                std::string_view value) noexcept {
    const std::string* exempt = find_label(pairs, key);
    return exempt != nullptr && *exempt == value;
  }
  [[nodiscard]] static bool has(const std::vector<Toleration>& tolerations,
                                const Toleration& toleration) noexcept {
    return schedpol::detail::contains(tolerations, toleration);
  }

  const Options& options_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/base/impl/lookup/text_table.hpp

/// Texts that are made once and then asked for often, each with an address.
/// 1. `find` gives the address of a text that is there, and for every other text one address.
/// 2. It allocates nothing and takes as long among ten thousand texts as among nine, whoever chose
///    them: of texts made to share one hash no more than a binary search is compared.
/// 3. Among at most eight texts it takes about 25 instructions: no more than one is compared.

namespace SCHEDPOL_NAMESPACE::detail {

/// The bytes at `at`.
template <class Number>
inline std::uint64_t bytes_at(const char* at) noexcept {
  Number bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

/// A text as a number: how most texts are told apart by one instruction. Numbers depend on the
/// machine, so nothing that is shown may depend on them.
struct TextNumber {
  /// The last eight bytes of a text, in which names and values mostly differ; all of a shorter one,
  /// of which no other text of its size has the number.
  [[nodiscard]] static std::uint64_t of(std::string_view text) noexcept {
    return text.size() < 8 ? of_short(text)
                           : bytes_at<std::uint64_t>(text.data() + text.size() - 8);
  }
  [[nodiscard]] static std::uint64_t of_short(std::string_view text) noexcept {
    const char* end = text.data() + text.size();
    if (text.size() >= 4)
      return bytes_at<std::uint32_t>(text.data()) << 32U | bytes_at<std::uint32_t>(end - 4);
    if (text.size() >= 2)
      return bytes_at<std::uint16_t>(text.data()) << 32U | bytes_at<std::uint16_t>(end - 2);
    return text.empty() ? 0 : static_cast<unsigned char>(text.front());
  }

  /// Every byte counts, so that names with long common beginnings and ends are told apart. The
  /// upper bits are the best.
  [[nodiscard]] static std::uint64_t hash(std::string_view text) noexcept;
};

/// Texts, each with an address. A few stand in slots that are chosen so that no two share one, and
/// are told by their number, their beginning and their size; only of one of more than sixteen bytes
/// more is compared. Many, and the few that no choice sets apart, stand by their hash.
class TextTable {
 public:
  /// Up to so many texts have slots.
  static constexpr std::size_t few = 8;

  struct Entry {
    std::string_view text;
    const void* at;
  };

  /// Of no texts; `missing` is the address of those that are not there.
  explicit TextTable(const void* missing = nullptr) noexcept : missing_(missing) {}
  /// In byte order, each once.
  TextTable(std::vector<Entry> entries, const void* missing);
  TextTable(TextTable&& other) noexcept { swap(other); }
  TextTable& operator=(TextTable&& other) noexcept {
    swap(other);
    return *this;
  }
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;
  ~TextTable();

  [[nodiscard]] const void* find(std::string_view text) const noexcept {
    if (const Slot* slot = slot_with(text)) return slot->at;
    if (many_ != nullptr) [[unlikely]]
      return find_among_many(text);
    return missing_;
  }
  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    if (slot_with(text) != nullptr) return true;
    if (many_ != nullptr) [[unlikely]]
      return find_among_many(text) != missing_;
    return false;
  }

 private:
  struct Many;
  /// Of 32 bytes, whatever the machine.
  struct alignas(16) Slot {
    std::uint64_t number = 0;
    std::size_t size = static_cast<std::size_t>(-1);  ///< no text has this size
    const void* at = nullptr;
    const char* text = nullptr;
  };

  /// Null where it has none.
  [[nodiscard]] const Slot* slot_with(std::string_view text) const noexcept {
    if (text.size() < 8) {
      const std::uint64_t number = TextNumber::of_short(text);
      const Slot& slot = slot_of(number);
      if (slot.number == number && slot.size == text.size()) return &slot;
    } else {
      const auto number = bytes_at<std::uint64_t>(text.data() + text.size() - 8);
      const auto beginning = bytes_at<std::uint64_t>(text.data());
      const Slot& slot = slot_of(number + 2 * beginning);
      if (slot.number == number && slot.size == text.size() &&
          bytes_at<std::uint64_t>(slot.text) == beginning &&
          (text.size() <= 16 || is_same_between(slot, text)))
        return &slot;
    }
    return nullptr;
  }
  /// Eight bytes at a time, between the first and the last eight of more than sixteen.
  [[nodiscard]] static bool is_same_between(const Slot& slot, std::string_view text) noexcept {
    const char* a = slot.text;
    for (std::size_t i = text.size() - 16; i > 8; i -= 8)
      if (bytes_at<std::uint64_t>(a + i) != bytes_at<std::uint64_t>(text.data() + i)) return false;
    return bytes_at<std::uint64_t>(a + 8) == bytes_at<std::uint64_t>(text.data() + 8);
  }
  [[nodiscard]] const Slot& slot_of(std::uint64_t bits) const noexcept {
    return *reinterpret_cast<const Slot*>(reinterpret_cast<const char*>(slots_) + offset(bits));
  }
  /// Of a slot, in bytes.
  [[nodiscard]] std::size_t offset(std::uint64_t bits) const noexcept {
    static_assert(sizeof(Slot) == 32);
    return static_cast<std::size_t>(bits * factor_ >> (58U - 5U)) & last_offset_;
  }
  [[nodiscard]] const void* find_among_many(std::string_view text) const noexcept;
  /// Whether there is a slot for each.
  [[nodiscard]] bool set_apart(const std::vector<Entry>& entries);
  void swap(TextTable& other) noexcept {
    std::swap(slots_, other.slots_);
    std::swap(factor_, other.factor_);
    std::swap(last_offset_, other.last_offset_);
    std::swap(missing_, other.missing_);
    std::swap(many_, other.many_);
    std::swap(bytes_, other.bytes_);
  }

  static const Slot none;

  const Slot* slots_ = &none;
  std::uint64_t factor_ = 0;
  std::size_t last_offset_ = 0;  ///< of the slots, of which there are a power of two
  const void* missing_ = nullptr;
  const Many* many_ = nullptr;
  const char* bytes_ = nullptr;  ///< of all texts
};

/// Texts alone.
class TextSet {
 public:
  TextSet() = default;
  /// Of a list of texts, which may have one twice.
  template <class List>
  explicit TextSet(const List& texts)
      : TextSet(std::vector<std::string_view>(texts.begin(), texts.end())) {}

  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    return table_.contains(text);
  }
  /// Whether all texts of a list are there.
  template <class List>
  [[nodiscard]] bool contains_all(const List& texts) const noexcept {
    for (const std::string& text : texts)
      if (!contains(text)) return false;
    return true;
  }

 private:
  explicit TextSet(std::vector<std::string_view> texts);

  TextTable table_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/tolerated_effects.hpp

namespace SCHEDPOL_NAMESPACE::detail {

/// The effects that a toleration is about: without one it stands for one toleration of each effect.
/// An unknown effect stands for itself.
inline std::span<const TaintEffect> tolerated_effects(const Toleration& toleration) noexcept {
  static constexpr std::array one = {TaintEffect::unset, TaintEffect::no_schedule,
                                     TaintEffect::prefer_no_schedule, TaintEffect::no_execute,
                                     TaintEffect::unknown};
  if (toleration.effect == TaintEffect::unset) return taint_effects;
  return {&one[static_cast<std::size_t>(toleration.effect.word())], 1};
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/scheduling_policy/impl/patterns.hpp

/// Whether a pattern of a policy matches a toleration or a node selector requirement of a pod, and
/// which patterns there are for a key. Built once, then only read. Lookups do not
/// allocate.
///
/// 1. The key is listed, or the pattern's keys are any. Only any matches an empty key, even if the empty
///    text is listed.
/// 2. The operator and each effect are listed or any. In a toleration, an unset operator is Equal, and an
///    unset effect means all three. Words outside the vocabulary match nothing.
/// 3. Every value is listed, or values are any. Absent values match only an item without values. An
///    Exists toleration has no value, whatever its `value` says.
/// 4. A toleration from a class or a cluster policy also meets a requirement if it covers a toleration that
///    the pattern matches, because a class drops tolerations that its own cover.
/// 5. A node selector pair also meets a requirement on node terms, if the pattern matches an expression
///    that holds for its value.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::TextSet;
using schedpol::detail::TextTable;

/// Texts, each with the numbers of what is about it, in order.
using NumbersByText = std::map<std::string_view, std::vector<std::size_t>>;

/// A list of texts: absent permits none, any all, a listed one what it lists.
class TextRule {
 public:
  TextRule() = default;
  explicit TextRule(const AnyOr<Texts>& texts)
      : any_(texts.is_any()),
        permits_some_text_(any_ || schedpol::detail::any_of(texts.listed(), is_not_empty)),
        listed_(texts.listed()) {}
  /// With one more text that is permitted.
  TextRule(const AnyOr<Texts>& texts, const std::string& also)
      : TextRule(texts.is_any() ? texts : AnyOr<Texts>(with(texts.listed(), also))) {}

  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool permits(std::string_view text) const noexcept {
    return any_ || listed_.contains(text);
  }
  /// Whether it permits any that is not empty.
  [[nodiscard]] bool permits_some_text() const noexcept { return permits_some_text_; }

 private:
  static bool is_not_empty(const std::string& text) noexcept { return !text.empty(); }
  static Texts with(Texts texts, const std::string& also) {
    texts.push_back(also);
    return texts;
  }

  bool any_ = false;
  bool permits_some_text_ = false;
  TextSet listed_;
};

using schedpol::detail::tolerated_effects;

/// Operators in the lower half and effects in the upper, a bit each: those that a pattern accepts,
/// or those that one toleration or requirement has.
using WordBits = std::uint32_t;

template <class Word>
constexpr WordBits bit(Word word) noexcept {
  return WordBits{1} << static_cast<unsigned>(word);
}
constexpr WordBits bits(std::span<const TaintEffect> effects) noexcept {
  WordBits all = 0;
  for (const TaintEffect effect : effects) all |= bit(effect);
  return all;
}
/// Of a list. Those outside `every` have no bit: nothing matches them.
template <class Word>
WordBits bits(const AnyOr<std::vector<OpenEnum<Word>>>& words, WordBits every) noexcept {
  if (words.is_any()) return every;
  WordBits listed = 0;
  for (const OpenEnum<Word>& word : words.listed()) listed |= bit(word.word());
  return listed & every;
}

inline WordBits words_of(const Toleration& toleration,
                         std::span<const TaintEffect> effects) noexcept {
  return bit(toleration.operator_.word()) | bits(effects) << 16U;
}
inline WordBits words_of(const Toleration& toleration) noexcept {
  constexpr WordBits every_effect = bits(taint_effects);
  const TaintEffect effect = toleration.effect.word();
  return bit(toleration.operator_.word()) |
         (effect == TaintEffect::unset ? every_effect : bit(effect)) << 16U;
}
inline WordBits words_of(const NodeSelectorRequirement& requirement) noexcept {
  return bit(requirement.operator_.word());
}

inline WordBits accepted_words(const TolerationPattern& pattern) noexcept {
  constexpr WordBits equal = bit(TolerationOperator::unset) | bit(TolerationOperator::equal);
  constexpr WordBits every_operator = equal | bit(TolerationOperator::exists) |
                                      bit(TolerationOperator::lt) | bit(TolerationOperator::gt);
  WordBits operators = bits(pattern.operators, every_operator);
  if ((operators & equal) != 0) operators |= equal;
  return operators | bits(pattern.effects, bits(taint_effects)) << 16U;
}
inline WordBits accepted_words(const RequirementPattern& pattern) noexcept {
  constexpr WordBits every_operator =
      bit(NodeSelectorOperator::in) | bit(NodeSelectorOperator::not_in) |
      bit(NodeSelectorOperator::exists) | bit(NodeSelectorOperator::does_not_exist) |
      bit(NodeSelectorOperator::gt) | bit(NodeSelectorOperator::lt);
  return bits(pattern.operators, every_operator);
}

/// One pattern.
class Pattern {
 public:
  template <class Source>
  explicit Pattern(const Source& source)
      : keys_(source.keys),
        words_(accepted_words(source)),
        any_value_(source.values.is_any()),
        no_value_(any_value_ || source.values.is_absent()),
        values_(source.values.listed()) {
    if (source.values.listed().empty()) return;
    const Texts& listed = source.values.listed();
    one_value_ = listed.front();
    lists_several_ = schedpol::detail::any_of(
        listed, [&](const std::string& value) { return value != one_value_; });
  }

  [[nodiscard]] bool matches(const Toleration& toleration) const noexcept {
    return matches(toleration, words_of(toleration));
  }
  [[nodiscard]] bool matches(const NodeSelectorRequirement& requirement) const noexcept {
    return matches(requirement, words_of(requirement));
  }

  /// Whether it matches a toleration that this one covers (`covers`), whose tolerationSeconds no
  /// pattern looks at.
  [[nodiscard]] bool matches_covered_by(const Toleration& covering) const noexcept {
    const bool exists = covering.operator_ == TolerationOperator::exists;
    const bool takes_key =
        keys_.any() ||
        (covering.key.empty() ? exists && keys_.permits_some_text() : keys_.permits(covering.key));
    const WordBits effects = bits(tolerated_effects(covering)) << 16U;
    if (!takes_key || (effects & words_) == 0) return false;
    constexpr WordBits with_values =
        bit(TolerationOperator::equal) | bit(TolerationOperator::lt) | bit(TolerationOperator::gt);
    if (!exists)
      return (bit(covering.operator_.word()) & words_) != 0 &&
             (any_value_ || accepts_value(covering));
    return no_value_ ? (words_ & (with_values | bit(TolerationOperator::exists))) != 0
                     : one_value_.has_value() && (words_ & with_values) != 0;
  }

  /// Whether a node with this label meets some expression that the pattern matches. A pattern for Gt
  /// and Lt lists numbers that nobody else has to know.
  [[nodiscard]] bool is_implied_by(const std::string& key,
                                   const std::string& value) const noexcept {
    const auto accepts = [this](NodeSelectorOperator operator_) {
      return (bit(operator_) & words_) != 0;
    };
    if (key.empty() || !keys_.permits(key)) return false;
    return (accepts(NodeSelectorOperator::in) && (any_value_ || values_.contains(value))) ||
           (accepts(NodeSelectorOperator::exists) && no_value_) ||
           (accepts(NodeSelectorOperator::not_in) && (any_value_ || lists_other_than(value)));
  }

  /// An item with a key that the pattern takes.
  template <class Item>
  [[nodiscard]] bool matches_of_key(const Item& item, WordBits words) const noexcept {
    return (words & ~words_) == 0 && (any_value_ || accepts_value(item));
  }

 private:
  template <class Item>
  [[nodiscard]] bool matches(const Item& item, WordBits words) const noexcept {
    return matches_of_key(item, words) &&
           (keys_.any() || (!item.key.empty() && keys_.permits(item.key)));
  }

  [[nodiscard]] bool accepts_value(const Toleration& toleration) const noexcept {
    if (toleration.operator_ == TolerationOperator::exists) return no_value_;
    return values_.contains(toleration.value) || (no_value_ && toleration.value.empty());
  }
  [[nodiscard]] bool accepts_value(const NodeSelectorRequirement& requirement) const noexcept {
    return requirement.values.empty() ? no_value_ : values_.contains_all(requirement.values);
  }

  [[nodiscard]] bool lists_other_than(const std::string& value) const noexcept {
    return lists_several_ || (one_value_ && *one_value_ != value);
  }

  TextRule keys_;
  WordBits words_;
  bool any_value_;
  bool no_value_;  ///< what has none
  TextSet values_;
  std::optional<std::string> one_value_{};  ///< the first that is listed
  bool lists_several_ = false;
};

/// Patterns by the keys that they list. An item is held against those of its key and those of any,
/// one by one: as limits bound both lists, that is at most some millions of comparisons. A requirement
/// has values, each of which is one, so that those of a check are bounded by `max_matched_values`.
class PatternIndex {
 public:
  /// Of all patterns that `for_each` calls its argument with. Those that are no temporaries outlive
  /// the index.
  template <class ForEach>
  explicit PatternIndex(const ForEach& for_each) {
    NumbersByText by_key;
    std::vector<std::size_t> any_key;
    for_each([&]<class Source>(Source&& source) {
      const std::size_t number = patterns_.size();
      patterns_.push_back(Pattern(source));
      const bool is_named = std::is_lvalue_reference_v<Source> && !source.keys.is_absent();
      sources_.push_back(is_named ? &source : nullptr);
      if (source.keys.is_any()) any_key.push_back(number);
      for (const std::string& key : source.keys.listed()) by_key[key].push_back(number);
    });
    list(by_key, any_key);
  }

  /// The patterns as a policy lists them, by number; null for one that none lists, or that takes no
  /// key.
  [[nodiscard]] const std::vector<const void*>& sources() const noexcept { return sources_; }

  /// Patterns of the key that has most, and those of any: so many each value is held against, at most.
  [[nodiscard]] std::size_t most_of_key() const noexcept { return most_of_key_; }

  /// Whether for each item a pattern matches it.
  template <class Item>
  [[nodiscard]] bool match_each(const std::vector<Item>& items) const noexcept {
    return schedpol::detail::all_of(items, [&](const Item& item) { return match(item); });
  }

  [[nodiscard]] bool match(const auto& item) const noexcept { return match(item, words_of(item)); }
  /// The toleration, taken as one with this effect.
  [[nodiscard]] bool match(const Toleration& toleration, TaintEffect effect) const noexcept {
    return match(toleration, words_of(toleration, {&effect, 1}));
  }

  /// Calls `f` with the number of each pattern that lists a key, then of each that takes any, both in
  /// order and once.
  template <class F>
  void for_each_of_key(std::string_view key, F&& f) const {
    const void* const* of_key =
        key.empty() ? of_empty_key_ : static_cast<const void* const*>(by_key_.find(key));
    for (const void* const* list : {of_key, lists_.data()}) {
      const void* before = nullptr;  // a key may be listed twice
      for (; *list != nullptr; ++list)
        if (*list != std::exchange(before, *list)) f(number_of(*list));
    }
  }

  /// Calls `f` with the number of each pattern that matches an item with these words, at least once,
  /// in no order. `explain` reads the same index as `check`.
  template <class Item, class F>
  void for_each_match(const Item& item, WordBits words, F&& f) const {
    for (const void* const* list :
         {static_cast<const void* const*>(by_key_.find(item.key)), lists_.data()}) {
      for (; *list != nullptr; ++list) {
        if (static_cast<const Pattern*>(*list)->matches_of_key(item, words)) f(number_of(*list));
      }
    }
  }

 private:
  void list(NumbersByText& by_key, const std::vector<std::size_t>& any_key) {
    std::size_t size = any_key.size() + 1;
    for (const auto& [key, numbers] : by_key) {
      if (!key.empty()) most_of_key_ = std::max(most_of_key_, numbers.size());
      size += numbers.size() + 1;
    }
    most_of_key_ += any_key.size();
    lists_.reserve(size);
    const auto add = [&](const std::vector<std::size_t>& numbers) {
      for (const std::size_t number : numbers) lists_.push_back(&patterns_[number]);
      lists_.push_back(nullptr);
    };
    add(any_key);
    const void* const* const none = lists_.data() + any_key.size();
    of_empty_key_ = none;
    std::vector<TextTable::Entry> keys;
    for (const auto& [key, numbers] : by_key) {
      const void* const* const begin = lists_.data() + lists_.size();
      add(numbers);
      if (key.empty()) {
        of_empty_key_ = begin;  // it is matched by any alone
      } else {
        keys.push_back({key, begin});
      }
    }
    by_key_ = TextTable(std::move(keys), none);
  }

  [[nodiscard]] std::size_t number_of(const void* pattern) const noexcept {
    return static_cast<std::size_t>(static_cast<const Pattern*>(pattern) - patterns_.data());
  }

  template <class Item>
  [[nodiscard]] bool match(const Item& item, WordBits words) const noexcept {
    return match_one(static_cast<const void* const*>(by_key_.find(item.key)), item, words) ||
           match_one(lists_.data(), item, words);
  }

  template <class Item>
  [[nodiscard]] static bool match_one(const void* const* list, const Item& item,
                                      WordBits words) noexcept {
    for (; *list != nullptr; ++list)
      if (static_cast<const Pattern*>(*list)->matches_of_key(item, words)) return true;
    return false;
  }

  std::vector<Pattern> patterns_;
  std::vector<const void*> sources_;
  std::vector<const void*> lists_;  ///< those of any key, and of each; a null ends a list
  TextTable by_key_;
  const void* const* of_empty_key_ = nullptr;  ///< those that list it, which match nothing by it
  std::size_t most_of_key_ = 0;
};
// A copy would point into what it was copied from.
static_assert(!std::is_copy_constructible_v<PatternIndex>);

/// One list of expressions in a required term: what a term of the pod has to hold.
class RequiredList {
 public:
  explicit RequiredList(const AnyOr<std::vector<RequirementPattern>>& list)
      : at_least_one_(list.is_any()) {
    for (const RequirementPattern& pattern : list.listed()) patterns_.push_back(Pattern(pattern));
  }

  /// Whether it asks for anything.
  [[nodiscard]] bool asks() const noexcept { return at_least_one_ || !patterns_.empty(); }

  [[nodiscard]] std::size_t patterns() const noexcept { return patterns_.size(); }

  /// `pairs` stand in the list, too.
  template <class Pairs>
  [[nodiscard]] bool holds(const std::vector<NodeSelectorRequirement>& list,
                           const Pairs& pairs) const noexcept {
    if (at_least_one_ && list.empty() && pairs.empty()) return false;
    return schedpol::detail::all_of(patterns_, [&](const Pattern& pattern) {
      return schedpol::detail::any_of(
                 list, [&](const auto& requirement) { return pattern.matches(requirement); }) ||
             pairs.any([&](const std::string& key, const std::string& value) {
               return pattern.is_implied_by(key, value);
             });
    });
  }

 private:
  bool at_least_one_;
  std::vector<Pattern> patterns_;
};

/// No pairs of a node selector.
struct NoPairs {
  [[nodiscard]] static bool empty() noexcept { return true; }
  [[nodiscard]] static std::size_t size() noexcept { return 0; }
  template <class Predicate>
  [[nodiscard]] static bool any(const Predicate&) noexcept {
    return false;
  }
};

/// A required term. One that asks for nothing is never satisfied.
struct RequiredTerm {
  explicit RequiredTerm(const TermPattern& pattern)
      : expressions(pattern.match_expressions),
        fields(pattern.match_fields),
        text(to_string(pattern)) {}

  template <class Pairs>
  [[nodiscard]] bool holds(const NodeSelectorTerm& term, const Pairs& pairs) const noexcept {
    return (expressions.asks() || fields.asks()) &&
           expressions.holds(term.match_expressions, pairs) &&
           fields.holds(term.match_fields, NoPairs{});
  }

  RequiredList expressions;
  RequiredList fields;
  std::string text;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/affinity_modes.hpp

/// One mode of one kind of affinity: what `required` and `allowed` together permit, and what `required`
/// requires. Built once, then only read.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

using schedpol::detail::part_of;

/// Where the part that rules are about stands in the `i`th term of a mode.
template <class Term>
class PartPlace {
 public:
  PartPlace(const PathBuilder& mode, std::size_t i) noexcept
      : above_(is_in_list ? mode.child("nodeSelectorTerms") : mode.index(i)),
        part_(is_in_list ? above_.index(i) : above_.child(name)),
        place_(std::is_same_v<Term, PodAffinityTerm> ? above_ : part_) {}
  PartPlace(const PartPlace&) = delete;  // its places point to one another
  PartPlace& operator=(const PartPlace&) = delete;
  ~PartPlace() = default;

  [[nodiscard]] const PathBuilder& operator*() const noexcept { return place_; }

 private:
  static constexpr bool is_in_list = std::is_same_v<Term, NodeSelectorTerm>;
  static constexpr std::string_view name =
      std::is_same_v<Term, PreferredSchedulingTerm> ? "preference" : "podAffinityTerm";

  PathBuilder above_;
  PathBuilder part_;
  const PathBuilder& place_;
};

/// Where a kind of affinity stands in a pod, and its entry in `required`.
struct KindPlaces {
  KindPlaces(std::string_view in_pod, std::string_view in_policy)
      : kind(affinity.child(in_pod)), entry(affinities.child(in_policy)) {}
  KindPlaces(const KindPlaces&) = delete;  // its places point to one another
  KindPlaces& operator=(const KindPlaces&) = delete;
  ~KindPlaces() = default;

  PathBuilder object{};
  PathBuilder spec = object.child("spec");
  PathBuilder affinity = spec.child(affinity_field.field);
  PathBuilder kind;
  PathBuilder required = object.child(required_section.name);
  PathBuilder affinities = required.child(affinity_field.rules_field);
  PathBuilder entry;
};

/// What a listener is told of items in one mode of a kind.
class ModeEvents {
 public:
  ModeEvents(const KindPlaces& kind, std::string_view mode, CheckListener& listener) noexcept
      : kind_(kind.kind.step().name),
        mode_(mode),
        place_(kind.kind.child(mode)),
        entry_(kind.entry.child(mode)),
        listener_(listener) {}
  ModeEvents(const ModeEvents&) = delete;  // who listens is told of its places
  ModeEvents& operator=(const ModeEvents&) = delete;
  ~ModeEvents() = default;

  /// Where the mode stands in the pod, and in `required`.
  [[nodiscard]] const PathBuilder& place() const noexcept { return place_; }
  [[nodiscard]] const PathBuilder& entry() const noexcept { return entry_; }

  [[nodiscard]] CheckListener& listener() const noexcept { return listener_; }

  /// The places outlive the event.
  [[nodiscard]] CheckEvent event(Verdict verdict, const CheckedItem& item, const PathBuilder& field,
                                 const PatternIndex* patterns = nullptr) const noexcept {
    return {affinity_field.codes, verdict, item, &field, nullptr, kind_, mode_, patterns};
  }
  [[nodiscard]] CheckEvent event(Verdict verdict, const CheckedItem& item) const noexcept {
    return event(verdict, item, place_);
  }
  /// What is required in the mode by an entry in it, or by the mode itself.
  [[nodiscard]] CheckEvent requirement(bool is_met, std::string_view what,
                                       const PathBuilder& entry) const noexcept {
    const Verdict verdict = is_met ? Verdict::requirement_met : Verdict::requirement_missing;
    return {affinity_field.codes, verdict, what, &place_, &entry, kind_, mode_};
  }

 private:
  std::string_view kind_;
  std::string_view mode_;
  PathBuilder place_;
  PathBuilder entry_;
  CheckListener& listener_;
};

/// What `required` and `allowed` say of a mode of any kind.
struct ModeRule {
  bool any;        ///< everything is permitted in it
  bool mentioned;  ///< they say something of it
  bool asks;       ///< `required` asks for a term in it, whichever

  /// `any_of_kind`: the kind is permitted whole, whatever the two say.
  template <class Rule>
  ModeRule(const AnyOr<Rule>& required, const AnyOr<Rule>& allowed, bool any_of_kind)
      : any(any_of_kind || required.is_any() || allowed.is_any()),
        mentioned(any || required.is_listed() || allowed.is_listed()),
        asks(required.is_any()) {}
};

class NodeModeRule : public ModeRule {
 public:
  NodeModeRule(const AnyOr<NodeAffinityRule>& required, const AnyOr<NodeAffinityRule>& allowed,
               bool any_of_kind)
      : ModeRule(required, allowed, any_of_kind),
        expressions_(permitted(required, allowed, &TermPattern::match_expressions)),
        fields_(permitted(required, allowed, &TermPattern::match_fields)),
        most_of_key_(std::max(expressions_.most_of_key(), fields_.most_of_key())) {
    for (const TermPattern& term : required.listed().node_selector_terms)
      required_.emplace_back(term);
  }

  /// Patterns that one value is held against, at most.
  [[nodiscard]] std::size_t most_of_key() const noexcept { return most_of_key_; }

  /// `required` lists terms.
  [[nodiscard]] bool requires_terms() const noexcept { return !required_.empty(); }

  /// Whether every expression of every term is permitted by itself.
  template <class Term>
  [[nodiscard]] bool permits(const std::vector<Term>& terms) const noexcept {
    std::size_t values = 0;
    for (const Term& term : terms) {
      values += parts_of(part_of(term));
      if (values * most_of_key_ > max_matched_values) return false;
      const auto& [expressions, fields] = part_of(term);
      if (!expressions_.match_each(expressions) || !fields_.match_each(fields)) return false;
    }
    return true;
  }

  /// Whether an expression is permitted by itself, in that list of a term.
  [[nodiscard]] bool permits(
      const NodeSelectorRequirement& expression,
      std::vector<NodeSelectorRequirement> NodeSelectorTerm::*list) const noexcept {
    const bool in_expressions = list == &NodeSelectorTerm::match_expressions;
    return (in_expressions ? expressions_ : fields_).match(expression);
  }

  /// Whether every operator is one of Kubernetes, but in what is exempt; there is no default for an
  /// empty one.
  template <class Term>
  [[nodiscard]] static bool are_known(const std::vector<Term>& terms,
                                      const ExemptTerms<NodeAffinity>& exempt) noexcept {
    const auto are_known_in = [&](const Term& term, auto list) {
      const std::vector<NodeSelectorRequirement>& all = part_of(term).*list;
      return schedpol::detail::all_of(all, [&](const NodeSelectorRequirement& each) {
        return (each.operator_.known() && each.operator_ != NodeSelectorOperator::unset) ||
               (std::is_same_v<Term, NodeSelectorTerm> && exempt.contain(each, list));
      });
    };
    return schedpol::detail::all_of(terms, [&](const Term& term) {
      return (are_known_in(term, &NodeSelectorTerm::match_expressions) &&
              are_known_in(term, &NodeSelectorTerm::match_fields)) ||
             exempt.contain(term);
    });
  }

  /// Tells whether each expression is permitted by itself.
  template <class Term>
  void check_parts(const std::vector<Term>& terms, const ExemptTerms<NodeAffinity>& exempt,
                   const ModeEvents& events) const {
    constexpr bool by_expression = std::is_same_v<Term, NodeSelectorTerm>;
    std::size_t left = max_matched_values;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const PartPlace<Term> place(events.place(), i);
      const NodeSelectorTerm& term = part_of(terms[i]);
      if (is_exempt_whole(terms[i], exempt)) {
        events.listener().on_event(events.event(Verdict::exempt, &term, *place));
        continue;
      }
      for (const bool is_field : {false, true}) {
        const auto list =
            is_field ? &NodeSelectorTerm::match_fields : &NodeSelectorTerm::match_expressions;
        const PatternIndex& patterns = is_field ? fields_ : expressions_;
        const PathBuilder in_list = (*place).child(is_field ? "matchFields" : "matchExpressions");
        for (std::size_t j = 0; j < (term.*list).size(); ++j) {
          const NodeSelectorRequirement& expression = (term.*list)[j];
          const std::size_t compared = most_of_key_ * (1 + expression.values.size());
          const bool is_permitted = compared <= left && patterns.match(expression);
          left -= std::min(left, compared);
          if (is_permitted && !events.listener().wants_everything()) continue;
          const Verdict verdict = by_expression && exempt.contain(expression, list)
                                      ? Verdict::exempt
                                  : is_permitted ? Verdict::permitted
                                                 : Verdict::not_permitted;
          const PathBuilder at = in_list.index(j);
          events.listener().on_event(
              events.event(verdict, CheckedExpression{&expression, is_field}, at, &patterns));
        }
      }
    }
  }

  /// Tells whether what is required is there. `every_term`: in all terms, not in one. `pairs` stand in
  /// each term, and in one alone where there are none.
  template <class Term, class Pairs>
  void check_required(const std::vector<Term>& terms, const Pairs& pairs, bool every_term,
                      const ModeEvents& events) const {
    if (asks)
      events.listener().on_event(
          events.requirement(!terms.empty() || !pairs.empty(), "", events.entry()));
    const PathBuilder entries = events.entry().child("nodeSelectorTerms");
    const bool can_hold = can_hold_required(terms, pairs);
    for (std::size_t i = 0; i < required_.size(); ++i) {
      const bool is_met = can_hold && hold_required(i, terms, pairs, every_term);
      const PathBuilder entry = entries.index(i);
      events.listener().on_event(events.requirement(is_met, required_[i].text, entry));
    }
  }

  /// Whether each of some terms, beside `pairs`, holds all the terms that `required` lists.
  template <class Pairs>
  [[nodiscard]] bool is_held(const std::vector<NodeSelectorTerm>& terms, const Pairs& pairs) const {
    bool is_held = required_.empty() || can_hold_required(terms, pairs);
    for (std::size_t i = 0; is_held && i < required_.size(); ++i)
      is_held = hold_required(i, terms, pairs, true);
    return is_held;
  }

 private:
  using Patterns = AnyOr<std::vector<RequirementPattern>>;

  /// Whether any terms, or pairs, are there to hold what is required, and no more than may be compared
  /// with all of it: `max_matched_values`.
  template <class Term, class Pairs>
  [[nodiscard]] bool can_hold_required(const std::vector<Term>& terms,
                                       const Pairs& pairs) const noexcept {
    std::size_t patterns = 1;
    for (const RequiredTerm& term : required_)
      patterns += 1 + term.expressions.patterns() + term.fields.patterns();
    const std::size_t places = std::max<std::size_t>(terms.size(), 1);
    std::size_t values = pairs.empty() ? 0 : places * pairs.size();
    if (terms.empty() && !pairs.empty()) values += parts_of(NodeSelectorTerm());
    for (const Term& term : terms) values += parts_of(part_of(term));
    return (!terms.empty() || !pairs.empty()) && values <= max_matched_values / patterns;
  }

  /// Whether terms, all or one of them, hold the `i`th that `required` lists.
  template <class Term, class Pairs>
  [[nodiscard]] bool hold_required(std::size_t i, const std::vector<Term>& terms,
                                   const Pairs& pairs, bool every_term) const noexcept {
    const auto holds = [&](const auto& term) {
      return pairs.empty() ? required_[i].holds(part_of(term), NoPairs{})
                           : required_[i].holds(part_of(term), pairs);
    };
    if (terms.empty()) return holds(NodeSelectorTerm());
    return every_term ? schedpol::detail::all_of(terms, holds)
                      : schedpol::detail::any_of(terms, holds);
  }

  /// What one list of expressions in the terms of the mode may hold. Any is every expression with
  /// an operator of Kubernetes.
  PatternIndex permitted(const AnyOr<NodeAffinityRule>& required,
                         const AnyOr<NodeAffinityRule>& allowed,
                         Patterns TermPattern::*list) const {
    return PatternIndex([&](auto&& add) {
      bool everything = any;
      for (const AnyOr<NodeAffinityRule>* rule : {&required, &allowed}) {
        for (const TermPattern& term : rule->listed().node_selector_terms) {
          everything |= (term.*list).is_any();
          for (const RequirementPattern& pattern : (term.*list).listed()) add(pattern);
        }
      }
      if (everything) add(RequirementPattern{schedpol::any, schedpol::any, schedpol::any});
    });
  }

  /// An empty required term, of which there is nothing else to say, and any preferred one.
  [[nodiscard]] static bool is_exempt_whole(const NodeSelectorTerm& term,
                                            const ExemptTerms<NodeAffinity>& exempt) noexcept {
    return is_empty(term) && exempt.contain(term);
  }
  [[nodiscard]] static bool is_exempt_whole(const PreferredSchedulingTerm& term,
                                            const ExemptTerms<NodeAffinity>& exempt) noexcept {
    return exempt.contain(term);
  }

  PatternIndex expressions_;
  PatternIndex fields_;
  std::size_t most_of_key_;  ///< patterns of both that one value is held against
  std::vector<RequiredTerm> required_;
};

class PodModeRule : public ModeRule {
 public:
  PodModeRule(const AnyOr<PodAffinityRule>& required, const AnyOr<PodAffinityRule>& allowed,
              bool any_of_kind)
      : ModeRule(required, allowed, any_of_kind), required_(required.listed().topology_keys) {
    Texts keys = required.listed().topology_keys;
    for (const std::string& key : allowed.listed().topology_keys) keys.push_back(key);
    permitted_ = schedpol::detail::TextSet(keys);
    const Texts& wanted = required.listed().topology_keys;
    for (const std::string_view key : std::set<std::string_view>(wanted.begin(), wanted.end()))
      required_text_.append(required_text_.empty() ? "topologyKey " : " or ").append(key);
  }

  /// Whether all words in the terms are of Kubernetes: there are none.
  [[nodiscard]] static bool are_known(const auto& /*terms*/, const auto& /*exempt*/) noexcept {
    return true;
  }

  /// Whether the topology key of every term is permitted.
  template <class Term>
  [[nodiscard]] bool permits(const std::vector<Term>& terms) const noexcept {
    return any || schedpol::detail::all_of(terms, [&](const Term& term) {
             return permitted_.contains(part_of(term).topology_key);
           });
  }

  /// Whether a term with this key is permitted by itself.
  [[nodiscard]] bool permits(std::string_view topology_key) const noexcept {
    return any || permitted_.contains(topology_key);
  }

  /// Tells whether the topology key of each term is permitted.
  template <class Term>
  void check_parts(const std::vector<Term>& terms, const ExemptTerms<PodAffinity>& exempt,
                   const ModeEvents& events) const {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const PodAffinityTerm& term = part_of(terms[i]);
      const PartPlace<Term> place(events.place(), i);
      const PathBuilder at_key = (*place).child("topologyKey");
      const bool is_permitted = permitted_.contains(term.topology_key);
      events.listener().on_event(
          exempt.contain(terms[i])
              ? events.event(Verdict::exempt, &term, *place)
              : events.event(is_permitted ? Verdict::permitted : Verdict::not_permitted,
                             std::string_view(term.topology_key), at_key));
    }
  }

  /// Tells whether what is required is there: one term with one of the keys is enough.
  template <class Term>
  void check_required(const std::vector<Term>& terms, NoPairs, bool,
                      const ModeEvents& events) const {
    if (asks) events.listener().on_event(events.requirement(!terms.empty(), "", events.entry()));
    if (required_text_.empty()) return;
    const bool is_met = schedpol::detail::any_of(
        terms, [&](const Term& term) { return required_.contains(part_of(term).topology_key); });
    events.listener().on_event(events.requirement(is_met, required_text_, events.entry()));
  }

 private:
  schedpol::detail::TextSet permitted_;
  schedpol::detail::TextSet required_;
  std::string required_text_;  ///< empty where no key is required
};

/// How the modes of a kind are ruled.
template <class Rule>
using ModeRuleOf =
    std::conditional_t<std::is_same_v<Rule, NodeAffinityRule>, NodeModeRule, PodModeRule>;

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/base/impl/fresh_name.hpp

/// A text that nobody lists: one stands for all others.

namespace SCHEDPOL_NAMESPACE::detail {

/// `name`, or `name-1`, `name-2`, ...: the first that is not among them. No number.
inline std::string fresh_name(const std::string& name, const std::set<std::string_view>& listed) {
  std::string text = name;
  for (int i = 1; listed.contains(text); ++i) text = name + "-" + std::to_string(i);
  return text;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/conjunction.hpp

/// Selectors as requirements that must all hold, and labels that they select.

namespace SCHEDPOL_NAMESPACE::detail {

/// Nothing where it selects nothing.
inline std::optional<Conjunction> to_conjunction(const std::optional<LabelSelector>& selector,
                                                 SelectedValues selected = SelectedValues::labels) {
  if (!selector || !compile(selector, {}, selected)) return std::nullopt;
  return to_conjunction(*selector);
}

/// A label value that is this number and not listed. None is negative, and zeros may lead.
inline std::optional<std::string> spelled(std::int64_t number,
                                          const std::set<std::string_view>& listed) {
  if (number < 0) return std::nullopt;
  for (std::string text = std::to_string(number); text.size() <= max_label_value_bytes;
       text.insert(0, 1, '0')) {
    if (!listed.contains(text)) return text;
  }
  return std::nullopt;
}

/// The same requirements in the order of their keys, with one of an operator for each key. Each of
/// them is held against every value that is told apart, so that many of one key would take the
/// square of their number.
inline Conjunction condensed(const Conjunction& all) {
  using Operator = Requirement::Operator;
  std::map<std::string_view, std::vector<std::size_t>> by_key;
  for (std::size_t i = 0; i < all.size(); ++i) by_key[all[i].key].push_back(i);
  const auto join = [](Requirement& one, const Requirement& next) {
    if (next.operator_ == Operator::gt) one.bound = std::max(one.bound, next.bound);
    if (next.operator_ == Operator::lt) one.bound = std::min(one.bound, next.bound);
    if (next.operator_ == Operator::in)
      detail::erase_if(one.values, [&](const std::string& value) { return !next.holds(&value); });
    if (next.operator_ == Operator::not_in) append(one.values, next.values);
  };
  Conjunction condensed;
  for (const auto& [key, numbers] : by_key) {
    for (const Operator operator_ : {Operator::in, Operator::not_in, Operator::exists,
                                     Operator::does_not_exist, Operator::gt, Operator::lt}) {
      Requirement* one = nullptr;
      for (const std::size_t number : numbers) {
        if (all[number].operator_ != operator_) continue;
        if (one != nullptr) {
          join(*one, all[number]);
        } else {
          one = &condensed.emplace_back(all[number]);
        }
      }
      if (one != nullptr) std::sort(one->values.begin(), one->values.end());
    }
  }
  return condensed;
}

/// Whether a label may have a value for which all of these hold, at most one of each operator: the
/// first of these that is found, or nothing where the label may be missing.
inline bool find_value(const Conjunction& of_key, std::optional<std::string>& value) {
  std::set<std::string_view> listed;
  const Requirement* above = nullptr;
  const Requirement* below = nullptr;
  for (const Requirement& each : of_key) {
    listed.insert(each.values.begin(), each.values.end());
    if (each.operator_ == Requirement::Operator::gt) above = &each;
    if (each.operator_ == Requirement::Operator::lt) below = &each;
  }
  const auto all_hold = [&](std::optional<std::string> wanted) {
    value = std::move(wanted);
    const std::string* of_label = value ? &*value : nullptr;
    return all_of(of_key, [&](const Requirement& each) { return each.holds(of_label); });
  };
  if (!of_key.front().key.empty() && all_hold(std::nullopt)) return true;
  if (all_hold(fresh_name("other", listed))) return true;
  for (const std::string_view text : listed)
    if (all_hold(std::string(text))) return true;
  if (above == nullptr && below == nullptr) return false;
  // Of numbers that are not listed the next to a bound stands for all.
  const std::int64_t last = below != nullptr ? std::max<std::int64_t>(below->bound, 0) - 1
                                             : std::numeric_limits<std::int64_t>::max();
  std::int64_t number = above != nullptr ? std::max<std::int64_t>(above->bound, -1) : last + 1;
  while (above != nullptr ? number < last : number > 0) {
    number += above != nullptr ? 1 : -1;
    if (std::optional<std::string> text = spelled(number, listed)) return all_hold(std::move(text));
  }
  return false;
}

/// Labels for which all hold, the name of a node as that of the empty key.
inline std::optional<Labels> to_labels(const std::optional<Conjunction>& conjunction) {
  if (!conjunction) return std::nullopt;
  Conjunction all = condensed(*conjunction);
  Labels labels;
  for (std::size_t i = 0; i < all.size();) {
    Conjunction of_key;
    do of_key.push_back(std::move(all[i]));
    while (++i < all.size() && all[i].key == of_key.front().key);
    std::optional<std::string> value;
    if (!find_value(of_key, value)) return std::nullopt;
    if (value) labels.try_emplace(std::move(of_key.front().key), *std::move(value));
  }
  return labels;
}

[[nodiscard]] inline bool compares_numbers(NodeSelectorOperator operator_) noexcept {
  return operator_ == NodeSelectorOperator::gt || operator_ == NodeSelectorOperator::lt;
}

/// Whether an expression does not hold for a value of its label. A malformed one holds for none.
[[nodiscard]] inline bool excludes(const NodeSelectorRequirement& expression,
                                   const std::string& value) {
  const std::optional<Requirement> requirement = to_requirement(expression);
  return !requirement || !requirement->holds(&value);
}

/// The first requirement that a pair of the node selector, which leaves its key one value, does not
/// meet; null where all are met. That of the empty key is about the name of the node.
[[nodiscard]] inline const Requirement* unmet_requirement(const Conjunction& all,
                                                          const Labels& node_selector) noexcept {
  if (node_selector.empty()) return nullptr;
  for (const Requirement& requirement : all) {
    if (requirement.key.empty()) continue;
    const std::string* value = find_label(node_selector, requirement.key);
    if (value != nullptr && !requirement.holds(value)) return &requirement;
  }
  return nullptr;
}

/// Whether a node can meet what a term requires, nothing where it can match none, together with a
/// node selector.
[[nodiscard]] inline bool can_match_a_node(const std::optional<Conjunction>& all,
                                           const Labels& node_selector) {
  return all && unmet_requirement(*all, node_selector) == nullptr && to_labels(all);
}
[[nodiscard]] inline bool can_match_a_node(const NodeSelectorTerm& term,
                                           const Labels& node_selector = {}) {
  return can_match_a_node(to_conjunction(term), node_selector);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/satisfiability.hpp

/// Whether any node can meet both a pod's and a policy's requirements. Keys are independent of each
/// other, so only keys that both constrain are checked. Takes n log n in the expressions and values,
/// however many have the same key.

namespace SCHEDPOL_NAMESPACE::detail {

/// What a term is held against other terms and pairs by; nothing where it can match no node. Gt and
/// Lt ask for a label whatever its number is, as the numbers of nodes are the scheduler's to compare:
/// kupid merges them with everything that does not ask for the label to be missing.
[[nodiscard]] inline std::optional<Conjunction> to_mergeable(const NodeSelectorTerm& term) {
  std::optional<Conjunction> all = to_conjunction(term);
  if (!all) return all;
  for (Requirement& each : *all)
    if (compares_numbers(each.operator_)) each.operator_ = NodeSelectorOperator::exists;
  return all;
}

/// Whether a node can meet that of a term together with a nodeSelector.
[[nodiscard]] inline bool is_satisfiable(const NodeSelectorTerm& term,
                                         const Labels& node_selector) {
  return can_match_a_node(to_mergeable(term), node_selector);
}

inline bool before_by_key(const Requirement& a, const Requirement& b) noexcept {
  return a.key < b.key;
}

inline Conjunction by_key(Conjunction all) {
  std::sort(all.begin(), all.end(), before_by_key);
  return all;
}

/// A required term of a policy, made for being held against those of pods.
struct PolicyTerm {
  Conjunction requirements{};         ///< by key
  bool is_satisfiable_alone = false;  ///< whatever the pod asks for

  [[nodiscard]] bool constrains(std::string_view key) const noexcept {
    const auto at = std::lower_bound(
        requirements.begin(), requirements.end(), key,
        [](const Requirement& requirement, std::string_view of) { return requirement.key < of; });
    return at != requirements.end() && at->key == key;
  }
};

inline PolicyTerm to_policy_term(const NodeSelectorTerm& term) {
  std::optional<Conjunction> all = to_mergeable(term);
  if (!all) return {};
  const bool met = to_labels(all).has_value();
  return {by_key(*std::move(all)), met};
}

/// What a term of a pod and one of a policy ask of the keys that both constrain, by key. Nothing
/// where there is no such key, nor where that of the pod is malformed, so that no node meets it.
inline Conjunction shared_requirements(const NodeSelectorTerm& pod, const PolicyTerm& policy) {
  NodeSelectorTerm of_pod;
  for (const NodeSelectorRequirement& expression : pod.match_expressions)
    if (policy.constrains(expression.key)) of_pod.match_expressions.push_back(expression);
  if (policy.constrains("")) append(of_pod.match_fields, pod.match_fields);
  if (is_empty(of_pod)) return {};
  PolicyTerm shared;
  if (auto own = to_mergeable(of_pod)) shared.requirements = by_key(*std::move(own));
  Conjunction all = shared.requirements;
  for (const Requirement& requirement : policy.requirements)
    if (shared.constrains(requirement.key)) all.push_back(requirement);
  return by_key(std::move(all));
}

/// The first key whose requirements, which are in the order of their keys, contradict each other.
inline std::optional<std::string> contradicting_key(const Conjunction& all) {
  for (auto first = all.begin(); first != all.end();) {
    const auto last = std::find_if(first, all.end(),
                                   [&](const Requirement& each) { return each.key != first->key; });
    if (!to_labels(Conjunction(first, last))) return first->key;
    first = last;
  }
  return std::nullopt;
}

/// Why no node meets a term of a policy: by itself, or with what a pod asks for of a key.
struct Contradiction {
  enum class With { nothing, node_selector, term };

  With with = With::nothing;
  std::string key{};  ///< empty for the name of the node
};

/// None where a node meets the term of a policy and what a pod asks for: its nodeSelector, and one of
/// its terms, null where it has none. Only of a pod that a node can meet.
inline std::optional<Contradiction> find_contradiction(const NodeSelectorTerm* pod,
                                                       const Labels& node_selector,
                                                       const PolicyTerm& policy) {
  using With = Contradiction::With;
  if (!policy.is_satisfiable_alone) return Contradiction{};
  if (const Requirement* unmet = unmet_requirement(policy.requirements, node_selector))
    return Contradiction{With::node_selector, unmet->key};
  if (pod == nullptr) return std::nullopt;
  auto key = contradicting_key(shared_requirements(*pod, policy));
  if (!key) return std::nullopt;
  return Contradiction{With::term, *std::move(key)};
}

/// What of a term is about one key, empty for the name of the node.
inline NodeSelectorTerm only(const NodeSelectorTerm& term, std::string_view key) {
  NodeSelectorTerm only;
  if (key.empty()) only.match_fields = term.match_fields;
  for (const NodeSelectorRequirement& expression : term.match_expressions)
    if (expression.key == key) only.match_expressions.push_back(expression);
  return only;
}

/// A pair of a nodeSelector as a term.
inline NodeSelectorTerm make_term(const std::string& key, const std::string& value) {
  return {.match_expressions = {{key, NodeSelectorOperator::in, {value}}}};
}

/// A term without the parentheses that tell it from the next one of a list.
inline std::string shown(const NodeSelectorTerm& term) {
  const std::string text = to_string(term);
  return in_backticks(is_empty(term) ? text : text.substr(1, text.size() - 2));
}

/// Why something of a policy is skipped, for a person.
inline std::string contradiction_text(const NodeSelectorTerm& pod, const NodeSelectorTerm& policy) {
  return "no node meets the pod's " + shown(pod) + " and the policy's " + shown(policy);
}

/// The same of what was asked about, the term of the policy being given as written.
inline std::string contradiction_text(const Contradiction& found, const NodeSelectorTerm* pod,
                                      const Labels& node_selector,
                                      const NodeSelectorTerm& written) {
  using With = Contradiction::With;
  if (found.with == With::nothing) return "no node meets the policy's " + shown(written);
  return contradiction_text(found.with == With::node_selector
                                ? make_term(found.key, *find_label(node_selector, found.key))
                                : only(*pod, found.key),
                            only(written, found.key));
}

/// Whether the numbers that Gt and Lt compare with count.
enum class Numbers { ignored, compared };

/// Which pairs of a policy's nodeSelector, asked about in the order of their keys, leave a node that
/// meets the pod: its nodeSelector, and one of its required terms. Costs one look at each expression
/// of the terms; where one of them excludes a pair, n log n of the terms.
class PairFilter {
 public:
  PairFilter(const Labels& node_selector, const std::vector<NodeSelectorTerm>& terms,
             const Labels& from, Numbers numbers = Numbers::ignored) {
    const bool compares = numbers == Numbers::compared;
    if (from.empty()) return;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (const NodeSelectorRequirement& expression : terms[i].match_expressions) {
        const auto pair = from.find(expression.key);
        if (pair == from.end()) continue;
        if ((compares || !compares_numbers(expression.operator_.word())) &&
            excludes(expression, pair->second))
          excluding_[pair->first].push_back({i, &expression});
      }
    }
    if (excluding_.empty()) return;
    for (const NodeSelectorTerm& term : terms) {
      const bool is_met =
          compares ? can_match_a_node(term, node_selector) : is_satisfiable(term, node_selector);
      satisfiable_.push_back(is_met ? 1 : 0);
      left_ += satisfiable_.back() != 0 ? 1 : 0;
    }
  }

  /// An expression of the pod that excludes the pair of that key, where no term is left that does
  /// not; otherwise null, and the pair counts as one of the pod's from now on.
  [[nodiscard]] const NodeSelectorRequirement* excluding(std::string_view key) {
    const auto found = excluding_.find(key);
    if (found == excluding_.end()) return nullptr;
    std::vector<std::size_t> lost;
    const NodeSelectorRequirement* first = nullptr;
    for (const Exclusion& exclusion : found->second) {
      if (satisfiable_[exclusion.term] == 0 || (!lost.empty() && lost.back() == exclusion.term))
        continue;
      lost.push_back(exclusion.term);
      if (first == nullptr) first = exclusion.expression;
    }
    if (lost.size() == left_) return first;
    for (const std::size_t term : lost) satisfiable_[term] = 0;
    left_ -= lost.size();
    return nullptr;
  }

 private:
  struct Exclusion {
    std::size_t term;
    const NodeSelectorRequirement* expression;
  };

  std::map<std::string_view, std::vector<Exclusion>> excluding_;  ///< by key, of terms in order
  std::vector<char> satisfiable_;                                 ///< of the terms
  std::size_t left_ = 0;                                          ///< how many of them can
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/node_term_product.hpp

/// Combines the required node selector terms of a pod and of a policy into one list, by rules 4 and 5
/// of `pod_scheduling_policy/admit.hpp`.

namespace SCHEDPOL_NAMESPACE::detail {

/// One item on one line. Different items have different texts.
inline std::string text(const Toleration& toleration) {
  return to_string(toleration);
}
inline std::string text(const NodeSelectorRequirement& requirement) {
  return to_string(requirement);
}
inline std::string text(const PodAffinityTerm& term) {
  return to_string(term);
}
inline std::string text(const WeightedPodAffinityTerm& term) {
  return std::to_string(term.weight) + " " + to_string(term.pod_affinity_term);
}
inline std::string text(const PreferredSchedulingTerm& term) {
  return std::to_string(term.weight) + " " + to_string(term.preference);
}

/// Tells the items that are among those of a list. For a few questions or items the list is looked
/// through; for many the texts of its items are kept, so that n questions about n items take
/// n log n.
template <class T>
class ItemSet {
 public:
  /// `size` is how long the list gets.
  ItemSet(const std::vector<T>& list, std::size_t size, std::size_t questions) : list_(list) {
    if (size * questions <= few * (size + questions)) return;
    texts_.emplace();
    for (const T& item : list) texts_->insert(text(item));
  }

  [[nodiscard]] bool has(const T& item) const {
    if (texts_) return texts_->contains(text(item));
    return contains(list_, item);
  }

  [[nodiscard]] bool has_all(const std::vector<T>& items) const {
    return all_of(items, [this](const T& item) { return has(item); });
  }

  /// Whether the list lacks the item, which the caller then appends to it.
  [[nodiscard]] bool add_if_missing(const T& item) {
    return texts_ ? texts_->insert(text(item)).second : !has(item);
  }

 private:
  /// A text costs as much as so many items that are looked at.
  static constexpr std::size_t few = 32;

  const std::vector<T>& list_;
  std::optional<std::set<std::string>> texts_;
};

using Requirements = std::vector<NodeSelectorRequirement>;
using Terms = std::vector<NodeSelectorTerm>;

/// What came of merging terms.
enum class Merged { within_limits, too_many, too_long };

/// Roughly the bytes of a term as JSON.
[[nodiscard]] inline std::size_t bytes_of(const NodeSelectorTerm& term) {
  std::size_t bytes = 0;
  const auto add = [&](const Requirements& requirements) {
    for (const NodeSelectorRequirement& one : requirements) {
      bytes += policy_entry_bytes + one.key.size() + one.operator_.text().size();
      for (const std::string& value : one.values) bytes += policy_text_bytes + value.size();
    }
  };
  add(term.match_expressions);
  add(term.match_fields);
  return bytes;
}

/// The required terms of a policy as they are written and as they are compiled, one for one.
class PolicyTerms {
 public:
  PolicyTerms(const std::vector<NodeSelectorTerm>& terms, const std::vector<PolicyTerm>& compiled)
      : terms_(terms), compiled_(compiled) {
    for (const NodeSelectorTerm& term : terms) {
      are_empty_ = are_empty_ && is_empty(term);
      expressions_ += term.match_expressions.size();
      fields_ += term.match_fields.size();
    }
  }

  [[nodiscard]] std::size_t size() const noexcept { return terms_.size(); }
  [[nodiscard]] const NodeSelectorTerm& operator[](std::size_t i) const noexcept {
    return terms_[i];
  }
  [[nodiscard]] const PolicyTerm& compiled(std::size_t i) const noexcept { return compiled_[i]; }

  /// Whether each of them is empty.
  [[nodiscard]] bool are_empty() const noexcept { return are_empty_; }

  /// Whether a term of the pod holds all expressions of some term of the policy, and so needs none
  /// of them.
  [[nodiscard]] bool is_held_by(const NodeSelectorTerm& pod) const {
    const ItemSet expressions(pod.match_expressions, pod.match_expressions.size(), expressions_);
    const ItemSet fields(pod.match_fields, pod.match_fields.size(), fields_);
    return any_of(terms_, [&](const NodeSelectorTerm& policy) {
      return !is_empty(policy) && expressions.has_all(policy.match_expressions) &&
             fields.has_all(policy.match_fields);
    });
  }

 private:
  const std::vector<NodeSelectorTerm>& terms_;
  const std::vector<PolicyTerm>& compiled_;
  bool are_empty_ = true;
  std::size_t expressions_ = 0;  ///< in all of them
  std::size_t fields_ = 0;
};

/// What of a policy's terms is left out, because no node meets it together with the pod.
class LeftOut {
 public:
  /// A term of the policy, with one of the pod; null where that has none.
  void add(const Contradiction& found, const NodeSelectorTerm* pod, const Labels& node_selector,
           const NodeSelectorTerm& policy) {
    if (count_++ == 0) reason_ = contradiction_text(found, pod, node_selector, policy);
  }

  [[nodiscard]] bool any() const noexcept { return count_ != 0; }

  /// Why, for a person, and whether that is `all` that the policy has.
  [[nodiscard]] std::string reason(bool all) const {
    std::string reason = reason_;
    if (count_ > 1) reason += ", the first of " + std::to_string(count_) + " such pairs of terms";
    return all ? reason : reason + "; the others are merged";
  }

 private:
  std::size_t count_ = 0;
  std::string reason_;
};

/// The terms of a policy that a pod without terms gets; none where all are left out.
inline Terms copied(const Labels& node_selector, const PolicyTerms& policy, LeftOut& left_out) {
  Terms terms;
  if (policy.are_empty()) left_out.add({}, nullptr, node_selector, policy[0]);
  for (std::size_t i = 0; i < policy.size(); ++i) {
    if (is_empty(policy[i])) continue;
    if (const auto found = find_contradiction(nullptr, node_selector, policy.compiled(i))) {
      left_out.add(*found, nullptr, node_selector, policy[i]);
    } else {
      terms.push_back(policy[i]);
    }
  }
  return terms;
}

/// One of the terms that a pod comes out with: one of its own as it is, or with one of the policy's.
struct Factors {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t pod = 0;
  std::size_t policy = none;
};

/// All of them in their order, to be made. Where it changes nothing the pod's terms stay instead.
struct Product {
  Merged merged = Merged::within_limits;
  bool changes = false;
  std::vector<Factors> terms{};

  /// Made of the terms of the pod that it is a product of, which are moved from.
  [[nodiscard]] Terms make(Terms& of_pod, const PolicyTerms& policy) const {
    Terms made;
    made.reserve(std::max<std::size_t>(terms.size(), 1));
    for (std::size_t i = 0; i < terms.size(); ++i) {
      NodeSelectorTerm& own = of_pod[terms[i].pod];
      if (terms[i].policy == Factors::none) {
        made.push_back(std::move(own));
        continue;
      }
      const NodeSelectorTerm& term = policy[terms[i].policy];
      // The last one takes what the pod has, the others copy it.
      const bool is_last = i + 1 == terms.size() || terms[i + 1].pod != terms[i].pod;
      made.push_back({joined(term.match_expressions, own.match_expressions, is_last),
                      joined(term.match_fields, own.match_fields, is_last)});
    }
    if (made.empty()) made.emplace_back();
    return made;
  }

 private:
  /// `first`, then what of `second` it does not hold, of which nothing is left where it `takes`
  /// that.
  static Requirements joined(const Requirements& first, Requirements& second, bool takes) {
    Requirements all;
    all.reserve(first.size() + second.size());
    append(all, first);
    ItemSet present(all, first.size() + second.size(), second.size());
    for (NodeSelectorRequirement& item : second) {
      if (!present.add_if_missing(item)) continue;
      if (takes) {
        all.push_back(std::move(item));
      } else {
        all.push_back(item);
      }
    }
    return all;
  }
};

/// Multiplies the terms of one pod with those of one policy after the other.
class TermMerger {
 public:
  /// Of a pod and a policy that have some terms each. A pod that needs none of the policy's keeps as
  /// many as it brings.
  [[nodiscard]] Product multiply(const Terms& terms, const Labels& node_selector,
                                 const PolicyTerms& policy, LeftOut& left_out) {
    Product product;
    if (policy.are_empty()) {
      left_out.add({}, nullptr, node_selector, policy[0]);
      return product;
    }
    product.terms.reserve(std::min(terms.size() * policy.size(), max_node_selector_terms));
    bool multiplied = false;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (is_empty(terms[i])) continue;
      if (policy.is_held_by(terms[i])) {
        product.terms.push_back({.pod = i});
        continue;
      }
      const std::size_t bytes = bytes_of(terms[i]);
      std::optional<bool> own;  // whether a node can meet the pod's term, once that matters
      for (std::size_t j = 0; j < policy.size(); ++j) {
        if (is_empty(policy[j])) continue;
        if (!take_bytes(bytes + bytes_of(policy[j]))) return {.merged = Merged::too_long};
        if (const auto found = find_contradiction(&terms[i], node_selector, policy.compiled(j))) {
          if (!own) own = is_satisfiable(terms[i], node_selector);
          if (*own) {
            left_out.add(*found, &terms[i], node_selector, policy[j]);
            continue;
          }
        }
        multiplied = true;
        product.terms.push_back({i, j});
        if (product.terms.size() > max_node_selector_terms) return {.merged = Merged::too_many};
      }
    }
    if (multiplied && product.terms.size() > max_node_selector_terms)
      return {.merged = Merged::too_many};
    if (left_out.any()) {
      product.changes = leaves_a_node(product, terms, node_selector);
    } else {
      // Without the empty terms, of which one stays where there is nothing else.
      product.changes =
          multiplied || std::max<std::size_t>(product.terms.size(), 1) != terms.size();
    }
    return product;
  }

 private:
  /// Takes the bytes of a product from those that are left; false where they are not there.
  [[nodiscard]] bool take_bytes(std::size_t bytes) noexcept {
    if (bytes > bytes_left_) return false;
    bytes_left_ -= bytes;
    return true;
  }

  /// Whether a node can meet one of the terms of the pod that the product keeps. What is kept of
  /// such a term a node can meet, too.
  static bool leaves_a_node(const Product& product, const Terms& terms,
                            const Labels& node_selector) {
    for (std::size_t i = 0; i < product.terms.size(); ++i) {
      const std::size_t pod = product.terms[i].pod;
      if (i > 0 && product.terms[i - 1].pod == pod) continue;
      if (is_satisfiable(terms[pod], node_selector)) return true;
    }
    return false;
  }

  std::size_t bytes_left_ = max_merged_term_bytes;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/scheduling_policy/impl/node_context.hpp

/// The requirements on nodes that a default must not contradict: the pod's node selector and required
/// terms, with what its RuntimeClass and the ClusterPodSchedulingPolicies add, in the same way as they
/// add it.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::Conjunction;

/// A term as it is held against others: what it requires, by key, and whether a node can meet it by
/// itself.
struct CompiledTerm {
  explicit CompiledTerm(const NodeSelectorTerm& term) {
    std::optional<Conjunction> all = schedpol::detail::to_conjunction(term);
    is_met = all && schedpol::detail::to_labels(all);
    if (is_met) requirements = schedpol::detail::by_key(*std::move(all));
  }

  Conjunction requirements{};
  bool is_met = false;  ///< by some node; otherwise it requires nothing here
};

class NodeContext {
 public:
  /// Of a pod with this node selector, which outlives it, and of those of its required terms that
  /// count, none where any node will do.
  NodeContext(const Labels& node_selector, std::vector<NodeSelectorTerm> terms,
              const Options& options)
      : of_pod_(node_selector), terms_(std::move(terms)) {
    add(options.added_to_pods);
    for (const SharedCriteria& criteria : options.exempt_criteria) add(*criteria);
  }

  /// Makes the terms ready for being held against others.
  [[nodiscard]] NodeContext compiled() && {
    for (const NodeSelectorTerm& term : terms_) {
      CompiledTerm compiled(term);
      if (compiled.is_met && unmet(compiled.requirements) == nullptr)
        met_.push_back(std::move(compiled.requirements));
    }
    return std::move(*this);
  }

  [[nodiscard]] const Labels& node_selector() const noexcept { return all_ ? *all_ : of_pod_; }
  [[nodiscard]] const std::vector<NodeSelectorTerm>& terms() const noexcept { return terms_; }

  /// What of a default's pairs contradicts the terms, asked about in the order of their keys.
  [[nodiscard]] schedpol::detail::PairFilter filter(const Labels& pairs) const {
    return {node_selector(), terms_, pairs, schedpol::detail::Numbers::compared};
  }
  /// The pod's node selector has got a pair that the filter let pass.
  void added(const std::string& key, const std::string& value) {
    if (all_) all_->try_emplace(key, value);
  }

  /// Whether a node can meet a term together with what the pod has, once that is `compiled`.
  [[nodiscard]] bool is_met(const Conjunction& term) const {
    return unmet(term) == nullptr &&
           (terms_.empty() || schedpol::detail::any_of(met_, [&](const Conjunction& own) {
              return !contradicting_key(own, term);
            }));
  }
  [[nodiscard]] bool is_met(const CompiledTerm& term) const {
    return term.is_met && is_met(term.requirements);
  }
  [[nodiscard]] bool is_met(const NodeSelectorTerm& term) const {
    return is_met(CompiledTerm(term));
  }
  /// The same, but that no term contradicts a pod that no node can meet by itself.
  [[nodiscard]] bool admits(const Conjunction& term) const {
    return (!terms_.empty() && met_.empty()) || is_met(term);
  }

  /// What of a term no node can meet is left out: expressions by themselves where the rest can be
  /// met, otherwise all of it. `why` says so of the first.
  [[nodiscard]] std::optional<NodeSelectorTerm> admitted(const NodeSelectorTerm& term,
                                                         const CompiledTerm& compiled,
                                                         std::optional<std::string>& why) const {
    // One that no node can meet by itself contradicts no pod; with terms it makes no product.
    if (!compiled.is_met) return terms_.empty() ? std::optional(term) : std::nullopt;
    if (admits(compiled.requirements)) return term;
    NodeSelectorTerm kept;
    for (const auto list :
         {&NodeSelectorTerm::match_expressions, &NodeSelectorTerm::match_fields}) {
      for (const NodeSelectorRequirement& each : term.*list) {
        NodeSelectorTerm alone;
        (alone.*list).push_back(each);
        if (admits(CompiledTerm(alone).requirements)) {
          (kept.*list).push_back(each);
        } else if (!why) {
          why = text_of(alone);
        }
      }
    }
    if (!why) why = text_of(term);
    if (is_empty(kept) || !admits(CompiledTerm(kept).requirements)) return std::nullopt;
    return kept;
  }

  /// Why a term is not admitted, for a person.
  [[nodiscard]] std::string text_of(const NodeSelectorTerm& term) const {
    const CompiledTerm compiled(term);
    NodeSelectorTerm own;
    if (const auto* found = unmet(compiled.requirements)) {
      own = schedpol::detail::make_term(found->key, *find_label(node_selector(), found->key));
      return schedpol::detail::contradiction_text(own, schedpol::detail::only(term, found->key));
    }
    if (!terms_.empty()) own = terms_.front();
    return schedpol::detail::contradiction_text(own, term);
  }

  /// Adds the required terms of a policy to those of a pod; whether that is within the limits.
  [[nodiscard]] static bool multiply(std::vector<NodeSelectorTerm>& terms,
                                     const Labels& node_selector,
                                     const std::vector<NodeSelectorTerm>& required) {
    std::vector<schedpol::detail::PolicyTerm> compiled;
    for (const NodeSelectorTerm& term : required)
      compiled.push_back(schedpol::detail::to_policy_term(term));
    const schedpol::detail::PolicyTerms policy(required, compiled);
    schedpol::detail::LeftOut left_out;
    if (terms.empty()) {
      terms = schedpol::detail::copied(node_selector, policy, left_out);
      return terms.size() <= max_node_selector_terms;
    }
    schedpol::detail::TermMerger merger;
    const schedpol::detail::Product product =
        merger.multiply(terms, node_selector, policy, left_out);
    if (product.merged != schedpol::detail::Merged::within_limits) return false;
    if (product.changes) terms = product.make(terms, policy);
    return true;
  }

 private:
  [[nodiscard]] const schedpol::detail::Requirement* unmet(const Conjunction& all) const noexcept {
    return schedpol::detail::unmet_requirement(all, node_selector());
  }

  /// The first key whose requirements in both, which are in the order of their keys, no label meets.
  [[nodiscard]] static bool contradicting_key(const Conjunction& a, const Conjunction& b) {
    for (auto first = b.begin(); first != b.end();) {
      const auto last =
          std::find_if(first, b.end(), [&](const auto& each) { return each.key != first->key; });
      const auto [begin, end] =
          std::equal_range(a.begin(), a.end(), *first, schedpol::detail::before_by_key);
      if (begin != end) {
        Conjunction shared(begin, end);
        shared.insert(shared.end(), first, last);
        if (!schedpol::detail::to_labels(shared)) return true;
      }
      first = last;
    }
    return false;
  }

  /// As a ClusterPodSchedulingPolicy injects it; a class has a node selector alone.
  void add(const SchedulingCriteria& from) {
    schedpol::detail::PairFilter pairs(node_selector(), terms_, from.node_selector);
    for (const auto& [key, value] : from.node_selector) {
      if (node_selector().contains(key) || pairs.excluding(key) != nullptr) continue;
      if (!all_) all_.emplace(of_pod_);
      all_->try_emplace(key, value);
    }
    const auto& required = schedpol::detail::required_terms(from.affinity);
    if (!required.empty()) static_cast<void>(multiply(terms_, node_selector(), required));
  }

  const Labels& of_pod_;
  std::optional<Labels> all_;  ///< none where they are those of the pod
  std::vector<NodeSelectorTerm> terms_;
  std::vector<Conjunction> met_;  ///< of the terms, those that a node can meet
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/effective_pod.hpp

/// The input of the rules: the spec of a pod, what the options add to it, and which of its items are
/// exempt. Violations and defaults depend on nothing else of the pod. It is on the stack and refers to
/// the pod and the options, which must outlive it.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The exempt pairs of a node selector: each asks of nodes what `KEY In [VALUE]` does in every
/// required node term.
class ExemptPairs {
 public:
  ExemptPairs(const Labels& of_pod, const Options& options) noexcept
      : of_pod_(of_pod), added_(options.added_to_pods.node_selector), exempt_(options) {}

  template <class Predicate>
  [[nodiscard]] bool any(const Predicate& holds) const noexcept {
    return schedpol::detail::any_of(of_pod_,
                                    [&](const auto& pair) {
                                      return exempt_.contain(pair.first, pair.second) &&
                                             holds(pair.first, pair.second);
                                    }) ||
           schedpol::detail::any_of(added_, [&](const auto& pair) {
             return !of_pod_.contains(pair.first) && holds(pair.first, pair.second);
           });
  }
  [[nodiscard]] bool empty() const noexcept {
    return !any([](const std::string&, const std::string&) { return true; });
  }
  /// At most so many.
  [[nodiscard]] std::size_t size() const noexcept { return of_pod_.size() + added_.size(); }

 private:
  const Labels& of_pod_;
  const Labels& added_;
  ExemptItems exempt_;
};

class EffectivePod {
 public:
  EffectivePod(const Pod& pod, const Options& options, const Defaults& defaults) noexcept
      : pod_(pod), options_(options), defaults_(defaults), exempt_(options) {}

  [[nodiscard]] const PodSpec& spec() const noexcept { return pod_.spec; }

  /// Whether something of this field is denied because nothing permits it.
  [[nodiscard]] bool is_governed(const auto& row) const noexcept {
    return options_.governs.contain(row.component);
  }

  /// Empty where the pod names none, or has the name that the cluster gives to such pods; one that
  /// the policy gives is the pod's own in any case.
  [[nodiscard]] std::string_view name(const NameField& row) const noexcept {
    const std::string& name = pod_.spec.*row.in_pod;
    if (name.empty()) return row.traits.of_pods_without;
    const bool filled_in = row.traits.filled_in != nullptr &&
                           name == options_.*row.traits.filled_in && name != defaults_.*row.member;
    return filled_in ? std::string_view() : name;
  }
  /// Whether a default is given to it.
  [[nodiscard]] bool specifies(const NameField& row) const noexcept {
    const std::string& name = pod_.spec.*row.in_pod;
    const bool filled_in = options_.default_scheduler == DefaultScheduler::unspecified &&
                           name == row.traits.of_pods_without;
    return !name.empty() && !filled_in && !this->name(row).empty();
  }

  /// Empty where none is named, or it is not looked at.
  [[nodiscard]] std::string_view name(const NodeNameField& row) const noexcept {
    return options_.node_name == NodeNameCheck::ignore ? std::string_view() : pod_.spec.*row.in_pod;
  }

  /// The value of a key of the node selector as a requirement sees it; null where there is none.
  [[nodiscard]] const std::string* required_value(std::string_view key) const noexcept {
    const std::string* value = find_label(pod_.spec.node_selector, key);
    return value != nullptr ? value : find_label(options_.added_to_pods.node_selector, key);
  }

  /// Whether any toleration is the pod's own, so that no default is given.
  [[nodiscard]] bool specifies_tolerations() const noexcept {
    return schedpol::detail::any_of(pod_.spec.tolerations,
                                    [&](const Toleration& each) { return !exempt_.contain(each); });
  }
  /// Whether a class or a cluster policy gives it to the pod.
  [[nodiscard]] bool is_injected_by_cluster(const Toleration& toleration) const noexcept {
    return exempt_.give(toleration);
  }
  /// What the cluster gives to the pod in whose place, or behind which, this one would stand and
  /// have no effect; null where there is none. It is one of the taints of DefaultTolerationSeconds.
  [[nodiscard]] const Toleration* first_of_cluster(const Toleration& toleration) const {
    if (!schedpol::detail::takes_default_toleration_seconds(toleration)) return nullptr;
    const auto hides = [&](Toleration other) {
      other.toleration_seconds.reset();
      return covers(other, toleration);
    };
    const auto find_in = [&](const std::vector<Toleration>& list) {
      const auto found = std::find_if(list.begin(), list.end(), hides);
      return found == list.end() ? nullptr : &*found;
    };
    for (const Toleration& each : pod_.spec.tolerations)
      if (exempt_.contain(each) && !schedpol::detail::is_default_toleration_seconds(each) &&
          hides(each))
        return &each;
    const Toleration* found = find_in(options_.added_to_pods.tolerations);
    for (const SharedCriteria& criteria : options_.exempt_criteria)
      if (found == nullptr) found = find_in(criteria->tolerations);
    return found;
  }
  /// Whether a toleration of the pod, or one that is added to the pods of a template, meets what a
  /// pattern requires.
  template <class Pattern>
  [[nodiscard]] bool meets(const Pattern& required) const noexcept {
    return schedpol::detail::any_of(
               pod_.spec.tolerations,
               [&](const Toleration& each) {
                 return required.matches(each) ||
                        (required.matches_covered_by(each) && exempt_.give(each));
               }) ||
           schedpol::detail::any_of(
               options_.added_to_pods.tolerations,
               [&](const Toleration& each) { return required.matches_covered_by(each); });
  }

  /// Whether required node affinity has to hold in every term of the pod, not in one alone.
  [[nodiscard]] bool holds_in_every_term() const noexcept {
    return options_.required_affinity != RequiredAffinity::present;
  }

  /// What meets requirements on node affinity besides its terms.
  [[nodiscard]] ExemptPairs exempt_pairs() const noexcept {
    return {pod_.spec.node_selector, options_};
  }
  /// What a default of required node terms must not contradict, of which those of the pod that are
  /// not exempt are no part.
  [[nodiscard]] NodeContext node_context() const {
    std::vector<NodeSelectorTerm> terms;
    const ExemptTerms<NodeAffinity> exempt = exempt_.of(&Affinity::node_affinity);
    for (const NodeSelectorTerm& term : schedpol::detail::required_terms(pod_.spec.affinity)) {
      terms.push_back(exempt.part_of(term));
      if (!is_empty(terms.back()) || exempt.contain(term)) continue;
      terms.clear();  // any node will do
      break;
    }
    return NodeContext(pod_.spec.node_selector, std::move(terms), options_).compiled();
  }

  /// Whether the pod has, or is to get, a required term that contradicts this one of the other kind
  /// of pod affinity. One that the default has for both kinds is no contradiction of the pod's.
  [[nodiscard]] bool contradicts(const PodAffinityTerm& term,
                                 std::optional<PodAffinity> Affinity::*other) const noexcept {
    bool found = schedpol::detail::contains(terms_of(pod_.spec.affinity, other).required, term) &&
                 !schedpol::detail::contains(terms_of(defaults_.affinity, other).required, term);
    for (const SharedCriteria& criteria : options_.exempt_criteria)
      found =
          found || schedpol::detail::contains(terms_of(criteria->affinity, other).required, term);
    return found;
  }

  /// What needs no permission.
  [[nodiscard]] const ExemptItems& exempt() const noexcept { return exempt_; }

 private:
  const Pod& pod_;
  const Options& options_;
  const Defaults& defaults_;
  ExemptItems exempt_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_affinity.hpp

/// Rule 6 of `check`: affinity. First checks, kind by kind, that everything is permitted; then, kind by
/// kind, that requirements are met.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// One kind of affinity.
template <class Kind, class Rule>
class KindCheck {
 public:
  using Terms = decltype(terms_of(Kind{}));
  using ModeRule = ModeRuleOf<Rule>;

  KindCheck(const AffinityKind<Kind, Rule>& kind, const SchedulingPolicySpec& spec)
      : KindCheck(kind, spec.required.affinities.listed().*kind.rules,
                  spec.allowed.affinities.listed().*kind.rules, spec.allowed.affinities.is_any(),
                  spec.defaults.affinity ? (*spec.defaults.affinity).*kind.member : std::nullopt) {
    if (!default_ || terms_of(*default_).required.empty()) return;
    const auto& terms = terms_of(*default_).required;
    if constexpr (std::is_same_v<Kind, NodeAffinity>) {
      for (const NodeSelectorTerm& term : terms) compiled_.push_back(CompiledTerm(term));
      parts_ = {join(terms)};
      joins_ = must_join(terms, NoPairs{}, true);
      if (joins_ && CompiledTerm(parts_.front()).is_met) joined_ = parts_;
    } else {
      parts_ = terms;
    }
  }

  [[nodiscard]] const ModeRule& required_mode_rule() const noexcept { return required_mode_; }
  [[nodiscard]] const ModeRule& preferred_mode_rule() const noexcept { return preferred_mode_; }

  /// What the default gives to a pod that has nothing of the kind. `every_term`: what is required has
  /// to hold in every term of the pod.
  [[nodiscard]] Kind injected(bool every_term) const {
    Kind injected = default_ ? *default_ : Kind{};
    if constexpr (std::is_same_v<Kind, NodeAffinity>)
      if (every_term && joins_)
        injected.required_during_scheduling_ignored_during_execution = NodeSelector{joined_};
    return injected;
  }

  /// What of it is given to this pod: nothing that contradicts what the pod requires otherwise. Says
  /// of what is left out why, for a person.
  [[nodiscard]] Kind injected_into(const EffectivePod& pod,
                                   std::vector<std::string>& left_out) const {
    Kind injected = this->injected(pod.holds_in_every_term());
    if (!default_ || terms_of(*default_).required.empty()) return injected;
    if constexpr (std::is_same_v<Kind, NodeAffinity>) {
      const NodeContext context = pod.node_context();
      const ExemptPairs pairs = pod.exempt_pairs();
      std::vector<NodeSelectorTerm> terms = present(admitted_parts(context, left_out));
      if (left_out.empty() && context.terms().empty() && pairs.empty()) return injected;
      if (must_join(terms, pairs, pod.holds_in_every_term())) {
        NodeSelectorTerm joined = join(terms);
        terms.clear();
        const CompiledTerm compiled(joined);
        if (compiled.is_met && !context.admits(compiled.requirements)) {
          left_out.push_back(context.text_of(joined));
        } else if (compiled.is_met) {
          terms.push_back(std::move(joined));
        }
      }
      auto& required = injected.required_during_scheduling_ignored_during_execution;
      required.reset();
      if (!terms.empty()) required = NodeSelector{std::move(terms)};
    } else {
      const bool is_anti = kind_->member == pod_anti_affinity_kind.member;
      const auto& other = is_anti ? pod_affinity_kind : pod_anti_affinity_kind;
      auto& required = injected.required_during_scheduling_ignored_during_execution;
      schedpol::detail::erase_if(required, [&](const PodAffinityTerm& term) {
        if (!pod.contradicts(term, other.member)) return false;
        left_out.push_back("no node meets it and the pod's " + std::string(other.field) + " " +
                           in_backticks(schedpol::to_string(term)));
        return true;
      });
    }
    return injected;
  }

  /// The one term that the default's required node terms are given as where what is required has to
  /// hold in every term; none where they are given as they are, or not at all.
  [[nodiscard]] const auto& joined_default_terms() const noexcept { return joined_; }

  /// Whether both modes permit what there is in them, part by part.
  [[nodiscard]] bool permits(const std::optional<Kind>& kind) const noexcept {
    return !kind ||
           (permits_part_by_part(required_mode_,
                                 kind->required_during_scheduling_ignored_during_execution) &&
            permits_part_by_part(preferred_mode_,
                                 kind->preferred_during_scheduling_ignored_during_execution));
  }

  /// Tells what is permitted in either way.
  void check(const std::optional<Kind>& kind, const EffectivePod& pod,
             CheckListener& listener) const {
    if (!has_terms(kind)) return;
    const Terms terms = terms_of(*kind);
    const ExemptTerms<Kind> exempt = pod.exempt().of(kind_->member);
    const KindPlaces at(kind_->field, kind_->rules_field);
    if (!mentioned_ && !(exempt.contain(terms.required) && exempt.contain(terms.preferred))) {
      return listener.on_event({.codes = affinity_field.codes,
                                .verdict = Verdict::not_permitted,
                                .item = terms,
                                .field = &at.kind,
                                .kind = kind_->field});
    }
    const Terms by_default = default_ ? terms_of(*default_) : Terms{};
    // What of a default was given matters where a part is not permitted by itself.
    const bool may_be_injected_in_part =
        !parts_.empty() && (listener.wants_everything() || !permits(kind));
    const bool is_injected =
        is_injected_as(terms.required, by_default.required, exempt) ||
        (pod.holds_in_every_term() && is_injected_as(terms.required, joined_, exempt)) ||
        (may_be_injected_in_part && is_injected_in_part(terms.required, pod, exempt));
    const ModeEvents required(at, required_mode, listener);
    if (!is_one_event(required_mode_, Terms{.required = terms.required}, terms.required,
                      is_injected, exempt, required))
      required_mode_.check_parts(terms.required, exempt, required);
    const ModeEvents preferred(at, preferred_mode, listener);
    if (!is_one_event(preferred_mode_, Terms{.preferred = terms.preferred}, terms.preferred,
                      is_injected_as(terms.preferred, by_default.preferred, exempt), exempt,
                      preferred))
      preferred_mode_.check_parts(terms.preferred, exempt, preferred);
  }

  /// Tells whether what is required is there.
  void check_required(const EffectivePod& pod, CheckListener& listener) const {
    const Terms terms = terms_of(pod.spec().affinity, kind_->member);
    const KindPlaces at(kind_->field, kind_->rules_field);
    const auto pairs = [&] {
      if constexpr (std::is_same_v<Kind, NodeAffinity>) {
        return pod.exempt_pairs();
      } else {
        return NoPairs{};
      }
    }();
    if (asks_) {
      const bool is_met = !terms.empty() || !pairs.empty();
      listener.on_event(
          {.codes = affinity_field.codes,
           .verdict = is_met ? Verdict::requirement_met : Verdict::requirement_missing,
           .item = std::string_view(),
           .field = &at.kind,
           .entry = &at.entry,
           .kind = kind_->field});
    }
    required_mode_.check_required(terms.required, pairs, pod.holds_in_every_term(),
                                  ModeEvents(at, required_mode, listener));
    preferred_mode_.check_required(terms.preferred, NoPairs{}, false,
                                   ModeEvents(at, preferred_mode, listener));
  }

 private:
  template <class Term>
  [[nodiscard]] static bool permits_part_by_part(const ModeRule& mode,
                                                 const std::vector<Term>& terms) noexcept {
    return terms.empty() || (mode.mentioned && mode.permits(terms));
  }
  [[nodiscard]] static bool permits_part_by_part(
      const ModeRule& mode, const std::optional<NodeSelector>& selector) noexcept {
    return !selector || permits_part_by_part(mode, selector->node_selector_terms);
  }

  /// Whether terms are what the default gives, exempt items aside.
  template <class Term>
  [[nodiscard]] static bool is_injected_as(const std::vector<Term>& terms,
                                           const std::vector<Term>& injected,
                                           const ExemptTerms<Kind>& exempt) noexcept {
    return terms == injected || exempt.account_for_difference(terms, injected);
  }

  /// Whether terms are what of the default this pod was given. This allocates, so it is asked last,
  /// and only of terms that are nothing but parts of the default and exempt items.
  template <class Term>
  [[nodiscard]] bool is_injected_in_part(const std::vector<Term>& terms, const EffectivePod& pod,
                                         const ExemptTerms<Kind>& exempt) const {
    if (terms.empty()) return false;
    const auto is_part = [&](const Term& term) {
      return exempt.contain(term) || schedpol::detail::any_of(parts_, [&](const Term& of) {
               return exempt.adds_to_part(term, of);
             });
    };
    if (!schedpol::detail::all_of(terms, is_part)) return false;
    // Of empty terms, which no node meets, one stays where a policy of the cluster is merged.
    if constexpr (std::is_same_v<Term, NodeSelectorTerm>)
      if (is_empty(parts_.front())) return true;
    std::vector<std::string> left_out;
    const Kind injected = injected_into(pod, left_out);
    return is_injected_as(terms, terms_of(injected).required, exempt) ||
           hold_what_is_injected(terms, terms_of(injected).required, pod, exempt);
  }

  /// Whether parts of the default hold what is given to the pod now, and more that only keeps nodes away:
  /// that was given before a policy of the cluster contradicted it. A term of the default that no node
  /// meets beside the policy's may be gone where a node meets another one, for that is how the policy's
  /// are merged.
  [[nodiscard]] bool hold_what_is_injected(const std::vector<NodeSelectorTerm>& terms,
                                           const std::vector<NodeSelectorTerm>&,
                                           const EffectivePod& pod,
                                           const ExemptTerms<Kind>& exempt) const {
    const NodeContext context = pod.node_context();
    std::vector<std::string> left_out;
    const auto parts = admitted_parts(context, left_out);
    const std::vector<NodeSelectorTerm> injected = present(parts);
    if (injected == terms_of(*default_).required || !exempt.may_compare(terms, injected))
      return false;
    const auto holds_one = [&](const NodeSelectorTerm& term) {
      return schedpol::detail::any_of(
          injected, [&](const NodeSelectorTerm& each) { return holds_all(term, each); });
    };
    const auto is_held = [&](const NodeSelectorTerm& each) {
      return schedpol::detail::any_of(
          terms, [&](const NodeSelectorTerm& term) { return holds_all(term, each); });
    };
    bool leaves_a_node = false;
    for (const NodeSelectorTerm& term : terms) {
      const bool is_met = context.is_met(term);
      if (is_met && !holds_one(term)) return false;
      leaves_a_node = leaves_a_node || is_met;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i] || is_held(*parts[i]) || !context.is_met(*parts[i])) continue;
      if (!leaves_a_node || context.is_met(compiled_[i])) return false;
    }
    return true;
  }
  [[nodiscard]] bool hold_what_is_injected(const std::vector<PodAffinityTerm>& terms,
                                           const std::vector<PodAffinityTerm>& injected,
                                           const EffectivePod&,
                                           const ExemptTerms<Kind>& exempt) const {
    std::vector<PodAffinityTerm> all = terms_of(*default_).required;
    schedpol::detail::erase_if(all, [&](const PodAffinityTerm& term) {
      return !schedpol::detail::contains(terms, term) &&
             !schedpol::detail::contains(injected, term);
    });
    return is_injected_as(terms, all, exempt);
  }

  using Rules = AffinityModes<Rule>;

  KindCheck(const AffinityKind<Kind, Rule>& kind, const AnyOr<Rules>& required,
            const AnyOr<Rules>& allowed, bool any_kind, std::optional<Kind> by_default)
      : kind_(&kind),
        asks_(required.is_any()),
        any_(any_kind || required.is_any() || allowed.is_any()),
        required_mode_(required.listed().required_during_scheduling_ignored_during_execution,
                       allowed.listed().required_during_scheduling_ignored_during_execution, any_),
        preferred_mode_(required.listed().preferred_during_scheduling_ignored_during_execution,
                        allowed.listed().preferred_during_scheduling_ignored_during_execution,
                        any_),
        default_(std::move(by_default)),
        mentioned_(any_ || required.is_listed() || allowed.is_listed() || has_terms(default_)) {}

  /// Whether a mode is permitted or not as a whole, which is told: where it may hold anything, or what
  /// it holds is what the default gives, or nothing is said of it.
  template <class Term>
  [[nodiscard]] static bool is_one_event(const ModeRule& mode, const Terms& alone,
                                         const std::vector<Term>& terms, bool is_injected,
                                         const ExemptTerms<Kind>& exempt,
                                         const ModeEvents& events) {
    const bool is_exempt = exempt.contain(terms);  // where there are none, too
    const bool is_permitted =
        !is_exempt && (mode.any || is_injected) && ModeRule::are_known(terms, exempt);
    if (!is_permitted && (mode.mentioned || is_exempt)) return false;
    events.listener().on_event(
        events.event(is_permitted ? Verdict::permitted : Verdict::not_permitted, alone));
    return true;
  }

  /// What of each required term of the default is given beside what the pod has, one for one.
  [[nodiscard]] std::vector<std::optional<NodeSelectorTerm>> admitted_parts(
      const NodeContext& context, std::vector<std::string>& left_out) const {
    const std::vector<NodeSelectorTerm>& all = terms_of(*default_).required;
    std::vector<std::optional<NodeSelectorTerm>> parts;
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::optional<std::string> why;
      parts.push_back(context.admitted(all[i], compiled_[i], why));
      if (why) left_out.push_back(*std::move(why));
    }
    return parts;
  }
  static std::vector<NodeSelectorTerm> present(
      const std::vector<std::optional<NodeSelectorTerm>>& parts) {
    std::vector<NodeSelectorTerm> terms;
    for (const std::optional<NodeSelectorTerm>& part : parts)
      if (part) terms.push_back(*part);
    return terms;
  }

  /// Whether, as ORed terms, they would not meet what is required of each, unless each of them does.
  template <class Pairs>
  [[nodiscard]] bool must_join(const std::vector<NodeSelectorTerm>& terms, const Pairs& pairs,
                               bool every_term) const {
    return every_term && required_mode_.requires_terms() && terms.size() > 1 &&
           !required_mode_.is_held(terms, pairs);
  }
  static NodeSelectorTerm join(const std::vector<NodeSelectorTerm>& terms) {
    return {distinct(terms, &NodeSelectorTerm::match_expressions),
            distinct(terms, &NodeSelectorTerm::match_fields)};
  }

  /// One list of all terms, in order, of equal ones the first.
  static std::vector<NodeSelectorRequirement> distinct(
      const std::vector<NodeSelectorTerm>& terms,
      std::vector<NodeSelectorRequirement> NodeSelectorTerm::*list) {
    // Different requirements have different texts.
    std::map<std::string, std::size_t, std::less<>> seen;
    std::vector<NodeSelectorRequirement> distinct;
    for (const NodeSelectorTerm& term : terms) {
      for (const NodeSelectorRequirement& requirement : term.*list)
        if (seen.try_emplace(to_string(requirement), distinct.size()).second)
          distinct.push_back(requirement);
    }
    return distinct;
  }

  const AffinityKind<Kind, Rule>* kind_;
  bool asks_;  ///< `required` asks for a term of the kind, in whichever mode
  bool any_;   ///< the kind is permitted whole
  ModeRule required_mode_;
  ModeRule preferred_mode_;
  std::optional<Kind> default_;           ///< what the default gives
  bool mentioned_;                        ///< by `required`, `allowed` or `default`
  std::vector<CompiledTerm> compiled_{};  ///< the default's required node terms, one for one
  bool joins_ = false;  ///< the default's required node terms are not given as they are
  std::decay_t<decltype(Terms{}.required)> joined_{};  ///< none where no node can meet it
  /// What the default's required terms hold: of node terms one with all their expressions.
  std::decay_t<decltype(Terms{}.required)> parts_{};
};

class AffinityCheck {
 public:
  AffinityCheck(const AffinityField& row, const SchedulingPolicySpec& spec)
      : node_(node_affinity_kind, spec),
        pod_(pod_affinity_kind, spec),
        pod_anti_(pod_anti_affinity_kind, spec),
        any_required_(!(spec.required.*row.rules).is_absent()) {}

  [[nodiscard]] const auto& of(const AffinityKind<NodeAffinity, NodeAffinityRule>&) const noexcept {
    return node_;
  }
  [[nodiscard]] const auto& of(
      const AffinityKind<PodAffinity, PodAffinityRule>& kind) const noexcept {
    return kind.member == pod_affinity_kind.member ? pod_ : pod_anti_;
  }

  /// Whether every part of every term is permitted, and nothing required.
  [[nodiscard]] bool permits_all(const AffinityField& row, const EffectivePod& pod) const noexcept {
    const std::optional<Affinity>& affinity = pod.spec().*row.in_pod;
    return !any_required_ && (!affinity || (node_.permits(affinity->node_affinity) &&
                                            pod_.permits(affinity->pod_affinity) &&
                                            pod_anti_.permits(affinity->pod_anti_affinity)));
  }

  [[nodiscard]] bool requires_any() const noexcept { return any_required_; }

  void run(const AffinityField& row, const EffectivePod& pod, CheckListener& listener) const {
    if (const std::optional<Affinity>& affinity = pod.spec().*row.in_pod) {
      node_.check(affinity->node_affinity, pod, listener);
      pod_.check(affinity->pod_affinity, pod, listener);
      pod_anti_.check(affinity->pod_anti_affinity, pod, listener);
    }
    if (!any_required_) return;
    node_.check_required(pod, listener);
    pod_.check_required(pod, listener);
    pod_anti_.check_required(pod, listener);
  }

 private:
  KindCheck<NodeAffinity, NodeAffinityRule> node_;
  KindCheck<PodAffinity, PodAffinityRule> pod_;
  KindCheck<PodAffinity, PodAffinityRule> pod_anti_;
  bool any_required_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_allowed.hpp

/// Rules 8 and 9 of `check`: items of which `allowed` says what there may be, topology spread
/// constraints by patterns, scheduling gates and resource claims by names.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

/// The words that a constraint has of `whenUnsatisfiable`: both where it has none.
inline constexpr WordBits every_when_unsatisfiable =
    bit(WhenUnsatisfiable::do_not_schedule) | bit(WhenUnsatisfiable::schedule_anyway);
inline WordBits words_of(const TopologySpreadConstraint& constraint) noexcept {
  const WhenUnsatisfiable word = constraint.when_unsatisfiable.word();
  return word == WhenUnsatisfiable::unset ? every_when_unsatisfiable : bit(word);
}
inline WordBits accepted_words(const SpreadConstraintPattern& pattern) noexcept {
  return bits(pattern.when_unsatisfiable, every_when_unsatisfiable);
}

/// Whether a pattern matches a constraint, or what it may be taken for where it lacks a word.
inline bool matches(const SpreadConstraintPattern& pattern,
                    const TopologySpreadConstraint& constraint) noexcept {
  const bool takes_key = pattern.topology_keys.is_any() ||
                         (!constraint.topology_key.empty() &&
                          pattern.topology_keys.listed().contains(constraint.topology_key));
  return takes_key && (words_of(constraint) & accepted_words(pattern)) != 0;
}

class SpreadConstraintsCheck {
 public:
  SpreadConstraintsCheck(const SpreadConstraintsField& row, const SchedulingPolicySpec& spec) {
    const AnyOr<std::vector<SpreadConstraintPattern>>& allowed = spec.allowed.*row.rules;
    if (allowed.is_any()) of_any_key_ = every_when_unsatisfiable;
    std::map<std::string_view, WordBits> by_key;
    for (const SpreadConstraintPattern& pattern : allowed.listed()) {
      const WordBits words = accepted_words(pattern);
      if (pattern.topology_keys.is_any()) of_any_key_ |= words;
      for (const std::string& key : pattern.topology_keys.listed()) by_key[key] |= words;
    }
    by_key.erase("");  // an empty key is matched by any alone
    of_key_.reserve(by_key.size() + 1);
    of_key_.push_back(of_any_key_);
    std::vector<TextTable::Entry> keys;
    for (const auto& [key, words] : by_key) {
      of_key_.push_back(words | of_any_key_);
      keys.push_back({key, &of_key_.back()});
    }
    by_key_ = TextTable(std::move(keys), of_key_.data());
  }

  [[nodiscard]] bool permits_all(const SpreadConstraintsField& row,
                                 const EffectivePod& pod) const noexcept {
    return schedpol::detail::all_of(
        pod.spec().*row.in_pod,
        [&](const TopologySpreadConstraint& constraint) { return permits(constraint); });
  }
  [[nodiscard]] static bool requires_any() noexcept { return false; }

  /// Whether a pattern matches it; of one that does not say what is to be done where no node satisfies
  /// it, for each of the words.
  [[nodiscard]] bool permits(const TopologySpreadConstraint& constraint) const noexcept {
    const auto* words = static_cast<const WordBits*>(by_key_.find(constraint.topology_key));
    return (words_of(constraint) & ~*words) == 0;
  }

  void run(const SpreadConstraintsField& row, const EffectivePod& pod,
           CheckListener& listener) const {
    const std::vector<TopologySpreadConstraint>& constraints = pod.spec().*row.in_pod;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder field = spec.child(row.field);
    for (std::size_t i = 0; i < constraints.size(); ++i) {
      const PathBuilder item = field.index(i);
      const Verdict verdict = permits(constraints[i]) ? Verdict::permitted : Verdict::not_permitted;
      listener.on_event({row.codes, verdict, &constraints[i], &item});
    }
  }

 private:
  WordBits of_any_key_ = 0;  ///< the words that patterns of any key accept
  /// Those of a key that is not listed, then of each that is, with those of any.
  std::vector<WordBits> of_key_;
  TextTable by_key_;
};

/// The names by which items are permitted: calls `f(field, name)` for each. An item that names nothing
/// has one name, the empty one, and no field of it.
template <class F>
void for_each_allowed_name(const PodSchedulingGate& gate, F&& f) {
  f("name", gate.name);
}
template <class F>
void for_each_allowed_name(const PodResourceClaim& claim, F&& f) {
  const bool has_name = !claim.resource_claim_name.empty();
  const bool has_template = !claim.resource_claim_template_name.empty();
  if (has_name || !has_template) f(has_name ? "resourceClaimName" : "", claim.resource_claim_name);
  if (has_template) f("resourceClaimTemplateName", claim.resource_claim_template_name);
}

/// An item that is permitted where this name is.
template <class Item>
Item item_named(const std::string& name) {
  if constexpr (std::is_same_v<Item, PodSchedulingGate>) {
    return {.name = name};
  } else {
    return {.name = name, .resource_claim_name = name};
  }
}

template <class Item>
class AllowedNamesCheck {
 public:
  AllowedNamesCheck(const AllowedNamesField<Item>& row, const SchedulingPolicySpec& spec)
      : permitted_(spec.allowed.*row.rules) {}

  [[nodiscard]] bool permits_all(const AllowedNamesField<Item>& row,
                                 const EffectivePod& pod) const noexcept {
    return schedpol::detail::all_of(pod.spec().*row.in_pod,
                                    [&](const Item& item) { return permits(item); });
  }
  [[nodiscard]] static bool requires_any() noexcept { return false; }

  /// Whether each of its names is permitted.
  [[nodiscard]] bool permits(const Item& item) const noexcept {
    bool permits_each = true;
    for_each_allowed_name(item, [&](std::string_view, const std::string& name) {
      permits_each = permits_each && permits(name);
    });
    return permits_each;
  }

  void run(const AllowedNamesField<Item>& row, const EffectivePod& pod,
           CheckListener& listener) const {
    const std::vector<Item>& items = pod.spec().*row.in_pod;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder field = spec.child(row.field);
    for (std::size_t i = 0; i < items.size(); ++i) {
      const PathBuilder item = field.index(i);
      for_each_allowed_name(items[i], [&](std::string_view of_name, const std::string& name) {
        const PathBuilder at_name = item.child(of_name);
        const Verdict verdict = permits(name) ? Verdict::permitted : Verdict::not_permitted;
        listener.on_event(
            {row.codes, verdict, std::string_view(name), of_name.empty() ? &item : &at_name});
      });
    }
  }

 private:
  [[nodiscard]] bool permits(const std::string& name) const noexcept {
    return permitted_.any() || (!name.empty() && permitted_.permits(name));
  }

  TextRule permitted_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_names.hpp

/// Rules 1 to 3 and 7 of `check`: scheduler, priority class and runtime class names, and the node name.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

/// The names that a pod may have of one sort.
class NameCheck {
 public:
  NameCheck(const NameField& row, const SchedulingPolicySpec& spec)
      : required_(!(spec.required.*row.rules).is_absent()) {
    const std::optional<std::string>& by_default = spec.defaults.*row.member;
    if (required_) {
      permitted_ = TextRule(spec.required.*row.rules);
    } else {
      const AnyOr<Texts>& allowed = spec.allowed.*row.rules;
      permitted_ = by_default ? TextRule(allowed, *by_default) : TextRule(allowed);
    }
  }

  [[nodiscard]] bool permits_all(const NameField& row, const EffectivePod& pod) const noexcept {
    return permits(pod.name(row));
  }
  [[nodiscard]] bool requires_any() const noexcept { return required_; }

  void run(const NameField& row, const EffectivePod& pod, CheckListener& listener) const {
    if (!listener.wants_everything() && permits_all(row, pod)) return;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder field = spec.child(row.field);
    const PathBuilder required = object.child(required_section.name);
    const PathBuilder entry = required.child(row.rules_field);
    const std::string_view name = pod.name(row);
    const std::string_view written = pod.spec().*row.in_pod;
    CheckEvent event{.codes = row.codes,
                     .verdict = Verdict::exempt,
                     .item = name.empty() ? written : name,
                     .field = &field,
                     .entry = &entry};
    if (!name.empty()) {
      const bool is_exempt = !required_ && pod.exempt().contain(row.traits.exempt, name);
      if (!is_exempt) event.verdict = verdict(permits(name));
      return listener.on_event(event);
    }
    if (!written.empty()) listener.on_event(event);
    event.verdict = Verdict::requirement_missing;
    if (required_) listener.on_event(event);
  }

 private:
  [[nodiscard]] Verdict verdict(bool permits) const noexcept {
    if (required_) return permits ? Verdict::requirement_met : Verdict::requirement_missing;
    return permits ? Verdict::permitted : Verdict::not_permitted;
  }
  [[nodiscard]] bool permits(std::string_view name) const noexcept {
    return name.empty() ? !required_ : permitted_.permits(name);
  }

  bool required_;       ///< names are required, rather than only permitted
  TextRule permitted_;  ///< the required, where any are, otherwise allowed and default
};

class NodeCheck {
 public:
  NodeCheck(const NodeNameField& row, const SchedulingPolicySpec& spec)
      : any_((spec.allowed.*row.scheduler.rules).is_any()) {}

  [[nodiscard]] bool permits_all(const NodeNameField& row, const EffectivePod& pod) const noexcept {
    return any_ || pod.name(row).empty();
  }
  [[nodiscard]] static bool requires_any() noexcept { return false; }

  void run(const NodeNameField& row, const EffectivePod& pod, CheckListener& listener) const {
    const std::string_view name = pod.name(row);
    if (name.empty()) return;
    const Verdict verdict = any_ ? Verdict::permitted : Verdict::not_permitted;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder field = spec.child(row.field);
    listener.on_event(
        {.codes = row.codes,
         .verdict = pod.exempt().contain(row.exempt, name) ? Verdict::exempt : verdict,
         .item = name,
         .field = &field});
  }

 private:
  bool any_;  ///< a pod may name its node, past every scheduler
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_node_selector.hpp

/// Rule 4 of `check`: the node selector.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

class NodeSelectorCheck {
 public:
  NodeSelectorCheck(const NodeSelectorField& row, const SchedulingPolicySpec& spec)
      : any_key_((spec.allowed.*row.rules).is_any()) {
    const Labels none;
    const Labels& by_default = spec.defaults.*row.member ? *(spec.defaults.*row.member) : none;
    NumbersByText by_key;
    const auto permit = [&](const std::string& key, TextRule rule) {
      by_key[key].push_back(rules_.size());
      rules_.push_back(std::move(rule));
    };
    rules_.push_back(TextRule());
    for (const auto& [key, values] : (spec.required.*row.rules).listed()) {
      required_.push_back(key);
      required_values_.push_back(TextRule(values));
      permit(key, TextRule(any));
    }
    for (const auto& [key, values] : (spec.allowed.*row.rules).listed()) {
      const std::string* value = find_label(by_default, key);
      permit(key, value == nullptr ? TextRule(values) : TextRule(values, *value));
    }
    for (const auto& [key, value] : by_default) permit(key, TextRule({}, value));
    std::vector<TextTable::Entry> keys;
    for (const auto& [key, numbers] : by_key) keys.push_back({key, &rules_[numbers.front()]});
    permitted_ = TextTable(std::move(keys), &rules_.front());
  }

  /// Whether every pair is permitted, and no key required.
  [[nodiscard]] bool permits_all(const NodeSelectorField& row,
                                 const EffectivePod& pod) const noexcept {
    if (!required_.empty()) return false;
    if (any_key_) return true;
    for (const auto& [key, value] : pod.spec().*row.in_pod)
      if (!permits(key, value)) return false;
    return true;
  }

  [[nodiscard]] bool requires_any() const noexcept { return !required_.empty(); }

  /// Whether a key is as it has to be where this is its value, or there is none, where it is null.
  [[nodiscard]] bool allows(const std::string& key, const std::string* value,
                            bool is_exempt) const noexcept {
    const auto required = std::lower_bound(required_.begin(), required_.end(), key);
    if (required != required_.end() && *required == key &&
        (value == nullptr ||
         !required_values_[static_cast<std::size_t>(required - required_.begin())].permits(*value)))
      return false;
    return value == nullptr || is_exempt || any_key_ || permits(key, *value);
  }

  void run(const NodeSelectorField& row, const EffectivePod& pod, CheckListener& listener) const {
    if (!listener.wants_everything() && permits_all(row, pod)) return;
    const PathBuilder object;
    const PathBuilder spec = object.child("spec");
    const PathBuilder pairs = spec.child(row.field);
    const PathBuilder required = object.child(required_section.name);
    const PathBuilder entries = required.child(row.rules_field);
    for (std::size_t i = 0; i < required_.size(); ++i) {
      const std::string& key = required_[i];
      const std::string* value = pod.required_value(key);
      const bool is_met = value != nullptr && required_values_[i].permits(*value);
      const PathBuilder field = pairs.key(key);
      const PathBuilder entry = entries.key(key);
      listener.on_event({row.codes,
                         is_met ? Verdict::requirement_met : Verdict::requirement_missing,
                         NodeSelectorPair{&key, value}, &field, &entry});
    }
    if (any_key_ && !listener.wants_everything()) return;
    for (const auto& [key, value] : pod.spec().*row.in_pod) {
      const bool is_permitted = any_key_ || permits(key, value);
      const Verdict verdict = is_permitted ? Verdict::permitted : Verdict::not_permitted;
      const PathBuilder field = pairs.key(key);
      listener.on_event({row.codes, pod.exempt().contain(key, value) ? Verdict::exempt : verdict,
                         NodeSelectorPair{&key, &value}, &field});
    }
  }

 private:
  [[nodiscard]] bool permits(const std::string& key, const std::string& value) const noexcept {
    return static_cast<const TextRule*>(permitted_.find(key))->permits(value);
  }

  std::vector<std::string> required_;  ///< keys in byte order
  std::vector<TextRule> required_values_;
  /// First that of all keys that nothing mentions; of those of one key the first counts. A required
  /// key has any here: what it requires was looked at before.
  std::vector<TextRule> rules_;
  TextTable permitted_;  ///< the keys that are mentioned, and their rules
  bool any_key_ = false;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_tolerations.hpp

/// Rule 5 of `check`: tolerations. Also expands a default toleration with several values.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

/// What tells tolerations apart, in an order: two have the same exactly when they are equal.
struct TolerationIdentity {
  std::string_view key;
  std::string_view value;
  std::string_view operator_;
  std::string_view effect;
  bool bounded;
  std::int64_t seconds;

  explicit TolerationIdentity(const Toleration& of) noexcept
      : TolerationIdentity(of, of.effect.text()) {}
  /// Of one that is `of` but for its effect.
  TolerationIdentity(const Toleration& of, std::string_view other_effect) noexcept
      : key(of.key),
        value(of.value),
        operator_(of.operator_ == TolerationOperator::unset ? equal : of.operator_.text()),
        effect(other_effect),
        bounded(of.toleration_seconds.has_value()),
        seconds(of.toleration_seconds.value_or(0)) {}

  friend auto operator<=>(const TolerationIdentity&, const TolerationIdentity&) = default;

 private:
  static constexpr std::string_view equal =
      spellings(TolerationOperator{})[static_cast<std::size_t>(TolerationOperator::equal)];
};

/// The tolerations that a default gives, one for each of its values, each once.
class DefaultTolerations {
 public:
  explicit DefaultTolerations(const std::optional<std::vector<DefaultToleration>>& defaults) {
    if (!defaults) return;
    std::vector<Toleration> all;
    for (const DefaultToleration& by_default : *defaults) {
      if (!by_default.values.is_listed()) all.push_back(by_default.toleration);
      for (const std::string& value : by_default.values.listed()) {
        all.push_back(by_default.toleration);
        all.back().value = value;
      }
    }
    in_order_.reserve(all.size());  // identities refer to it
    for (const Toleration& toleration : all) {
      if (identities_.contains(TolerationIdentity(toleration))) continue;
      in_order_.push_back(toleration);
      identities_.insert(TolerationIdentity(in_order_.back()));
    }
  }
  DefaultTolerations(DefaultTolerations&&) = default;
  DefaultTolerations& operator=(DefaultTolerations&&) = default;
  DefaultTolerations(const DefaultTolerations&) = delete;
  DefaultTolerations& operator=(const DefaultTolerations&) = delete;
  ~DefaultTolerations() = default;

  [[nodiscard]] const std::vector<Toleration>& in_order() const noexcept { return in_order_; }

  /// Whether one of them is this toleration, as it stands or taken as one with this effect.
  [[nodiscard]] bool contain(const Toleration& toleration) const noexcept {
    return identities_.contains(TolerationIdentity(toleration));
  }
  [[nodiscard]] bool contain(const Toleration& toleration, TaintEffect effect) const noexcept {
    const OpenEnum<TaintEffect> wanted = effect;
    return identities_.contains(TolerationIdentity(toleration, wanted.text()));
  }

 private:
  std::vector<Toleration> in_order_;
  std::set<TolerationIdentity> identities_;
};

class TolerationsCheck {
 public:
  TolerationsCheck(const TolerationsField& row, const SchedulingPolicySpec& spec)
      : defaults_(spec.defaults.*row.member), patterns_([&](auto&& add) {
          const AnyOr<std::vector<TolerationPattern>>& allowed = spec.allowed.*row.rules;
          for (const TolerationPattern& pattern : (spec.required.*row.rules).listed()) add(pattern);
          if (allowed.is_any()) add(TolerationPattern{any, any, any, any});
          for (const TolerationPattern& pattern : allowed.listed()) add(pattern);
        }) {
    for (const TolerationPattern& pattern : (spec.required.*row.rules).listed()) {
      required_.push_back(Pattern(pattern));
      required_texts_.push_back(to_string(pattern));
    }
  }

  [[nodiscard]] const DefaultTolerations& defaults() const noexcept { return defaults_; }
  /// What `required` lists, then what `allowed` does, or one that takes anything.
  [[nodiscard]] const PatternIndex& patterns() const noexcept { return patterns_; }

  /// Whether a pattern matches each as it stands, and none is required.
  [[nodiscard]] bool permits_all(const TolerationsField& row,
                                 const EffectivePod& pod) const noexcept {
    return required_.empty() && patterns_.match_each(pod.spec().*row.in_pod);
  }

  [[nodiscard]] bool requires_any() const noexcept { return !required_.empty(); }

  /// Whether it is listed or a default as it stands, or for each of the effects that it has for
  /// want of one.
  [[nodiscard]] bool permits(const Toleration& toleration) const noexcept {
    if (!toleration.operator_.known() || !toleration.effect.known()) return false;
    const std::span<const TaintEffect> effects = tolerated_effects(toleration);
    return defaults_.contain(toleration) ||
           schedpol::detail::all_of(effects, [&](TaintEffect effect) {
             return patterns_.match(toleration, effect) || defaults_.contain(toleration, effect);
           });
  }

  void run(const TolerationsField& row, const EffectivePod& pod, CheckListener& listener) const {
    if (!listener.wants_everything() && permits_all(row, pod)) return;
    const PathBuilder object;
    const PathBuilder of_pod = object.child("spec");
    const PathBuilder field = of_pod.child(row.field);
    const std::vector<Toleration>& tolerations = pod.spec().*row.in_pod;
    for (std::size_t i = 0; i < tolerations.size(); ++i) {
      const Toleration& toleration = tolerations[i];
      const PathBuilder item = field.index(i);
      const Verdict verdict = pod.exempt().contain(toleration) ? Verdict::exempt
                              : permits(toleration)            ? Verdict::permitted
                                                               : Verdict::not_permitted;
      listener.on_event({.codes = row.codes,
                         .verdict = verdict,
                         .item = &toleration,
                         .field = &item,
                         .patterns = &patterns_});
    }
    const PathBuilder required = object.child(required_section.name);
    const PathBuilder entries = required.child(row.rules_field);
    for (std::size_t i = 0; i < required_.size(); ++i) {
      const PathBuilder entry = entries.index(i);
      const Verdict verdict =
          pod.meets(required_[i]) ? Verdict::requirement_met : Verdict::requirement_missing;
      const std::string_view text = required_texts_[i];
      listener.on_event({row.codes, verdict, text, &field, &entry});
    }
  }

 private:
  DefaultTolerations defaults_;
  std::vector<Pattern> required_;
  std::vector<std::string> required_texts_;
  PatternIndex patterns_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/field_checks.hpp

/// The rules of `check` of all rows of `fields.hpp`, made for one spec.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The rule of one row.
template <const auto& row, class Check = typename std::remove_cvref_t<decltype(row)>::Check>
struct RowCheck {
  Check check;
};

template <class Rows>
class RowChecks;
template <const auto&... rows>
class RowChecks<RowList<rows...>> : RowCheck<rows>... {
 public:
  explicit RowChecks(const SchedulingPolicySpec& spec) : RowCheck<rows>{{rows, spec}}... {}

  /// How many rows, from the first on, have nothing in the pod that is more than what the policies
  /// list, or are not governed, and require nothing of it: there what is exempt, given or required need
  /// not be looked at. What stands in the next one may still be permitted.
  [[nodiscard]] std::size_t clear_rows(const EffectivePod& pod) const noexcept {
    std::size_t clear = 0;
    static_cast<void>((((RowCheck<rows>::check.permits_all(rows, pod) ||
                         (!pod.is_governed(rows) && !RowCheck<rows>::check.requires_any())) &&
                        ++clear != 0) &&
                       ...));
    return clear;
  }

  /// Tells what each rule finds, but for those of so many rows from the first on.
  void run(const EffectivePod& pod, CheckListener& listener, std::size_t without = 0) const {
    UngovernedEvents ungoverned(listener);
    std::size_t row = 0;
    ((row++ < without
          ? void()
          : RowCheck<rows>::check.run(
                rows, pod,
                pod.is_governed(rows) ? listener : static_cast<CheckListener&>(ungoverned))),
     ...);
  }

  /// That of a row which alone is of its kind.
  template <class Row>
  [[nodiscard]] const auto& of(const Row&) const noexcept {
    return only<typename Row::Check>(*this);
  }

 private:
  template <class Check, const auto& row>
  [[nodiscard]] static const Check& only(const RowCheck<row, Check>& rule) noexcept {
    return rule.check;
  }
};
using FieldChecks = RowChecks<AllRows>;

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/effective_policy_access.hpp

/// The implementation of an EffectivePolicy: the merged spec, and each rule of `check` compiled for
/// lookup.

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

struct EffectivePolicy::Impl {
  Impl() : Impl({}, {}, {}) {}
  Impl(SchedulingPolicySpec merged, Names from, Sources behind)
      : spec(std::move(merged)),
        policies(std::move(from)),
        sources(std::move(behind)),
        checks(spec),
        decides(!policies.empty()) {}

  SchedulingPolicySpec spec;
  Names policies;
  Sources sources;
  detail::FieldChecks checks;
  std::vector<std::string> merged_names{};           ///< in byte order; none where nobody merged
  std::vector<SchedulingPolicySpec> merged_specs{};  ///< theirs, as evaluation sees them
  bool ambiguous = false;
  bool decides = false;  ///< there are policies, and no two of one name
};

/// The way of this folder's functions to the insides.
class EffectivePolicyAccess {
 public:
  using Impl = EffectivePolicy::Impl;

  /// Without any, those of no policies: nothing is permitted.
  [[nodiscard]] static const EffectivePolicy::Impl& of(const EffectivePolicy& effective) noexcept {
    return effective.impl_ ? *effective.impl_ : of_none();
  }

  [[nodiscard]] static EffectivePolicy make(EffectivePolicy::Impl impl) {
    EffectivePolicy effective;
    effective.impl_ = Shared<EffectivePolicy::Impl>(std::move(impl));
    return effective;
  }

 private:
  static const EffectivePolicy::Impl& of_none() noexcept {
    static const EffectivePolicy::Impl none;
    return none;
  }
};

namespace detail {

/// What a policy that was merged says itself; null where it was not.
inline const SchedulingPolicySpec* own_spec(const EffectivePolicy& effective,
                                            std::string_view policy) {
  const auto& merged = EffectivePolicyAccess::of(effective);
  const auto begin = merged.merged_names.begin();
  const auto found = std::lower_bound(begin, merged.merged_names.end(), policy);
  const bool is_there = found != merged.merged_names.end() && *found == policy;
  return is_there ? &merged.merged_specs[static_cast<std::size_t>(found - begin)] : nullptr;
}

}  // namespace detail

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/base/impl/any_optional.hpp

/// AnyOptional: what may be absent, a `std::optional` or an `Optional`.

namespace SCHEDPOL_NAMESPACE::detail {

template <class T>
concept AnyOptional = requires { typename T::value_type; } &&
                      std::derived_from<T, std::optional<typename T::value_type>>;

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/scheduling_policy/impl/policy_values.hpp

/// The values of several policies at one path, and the policies behind each entry of a merge. A merge
/// goes through the paths of a spec, and at each through the policies that have a value there.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// A spec as evaluation sees it: what is empty and so says nothing is absent, and never hides what
/// another policy says.
/// 1. A field of `required` that is any or that `allowed` alone can have, and an empty field of
///    `default`: `validate` refuses them.
/// 2. What is listed with nothing in it: fields, kinds and modes of affinity in both sections, and
///    the values of a key. The key itself stays: it permits no value. So does a list of required names
///    with none in it, as a configuration without them leaves one, or a policy that was moved from: no
///    pod has one of those names.
class Normalizer {
 public:
  static SchedulingPolicySpec normalized(SchedulingPolicySpec spec) {
    drop_empty(spec.allowed);
    drop_empty(spec.defaults);
    for_each_pod_field([&](const auto& row) { drop_empty_of_required(spec.required.*row.rules); });
    for_each_allowed_field([&](const auto& row) { spec.required.*row.rules = {}; });
    return spec;
  }

 private:
  template <class T>
  static void drop_empty_of_required(AnyOr<T>& field) {
    if (field.is_any()) field = {};
    drop_empty(field);
  }
  static void drop_empty_of_required(AnyOr<Texts>& names) {
    if (names.is_any()) names = {};
  }
  template <class T>
  static void drop_empty(T& part) {
    if constexpr (HasFields<T>) {
      for_each_field<T>([&](std::string_view, auto member) { drop_empty(part.*member); });
    } else if constexpr (requires { typename T::mapped_type; }) {
      for (auto& [key, value] : part) drop_empty(value);
    }
  }
  template <class T>
  static void drop_empty(AnyOr<T>& field) {
    if (!field.is_listed()) return;
    drop_empty(field.list());
    if (field.listed() == T{}) field = {};
  }
  template <schedpol::detail::AnyOptional Field>
  static void drop_empty(Field& field) {
    if (!field) return;
    drop_empty(*field);
    if (*field == typename Field::value_type{}) field.reset();
  }
  static void drop_empty(std::vector<DefaultToleration>& tolerations) {
    for (DefaultToleration& toleration : tolerations)
      if (toleration.values.is_any()) toleration.values = {};
  }
};

/// Policies by their place in the order in which they count.
using PolicyNumbers = std::vector<std::size_t>;

/// What policies say at one place. One list of numbers and one of addresses serve for every `T`.
template <class T>
struct PolicyValues {
  PolicyNumbers policies{};
  std::vector<const void*> values{};  ///< of each of them a `T`

  void add(std::size_t policy, const T& value) {
    policies.push_back(policy);
    values.push_back(&value);
  }
  /// What the `i`th of them says.
  [[nodiscard]] const T& operator[](std::size_t i) const noexcept {
    return *static_cast<const T*>(values[i]);
  }
};

template <class T>
bool is_set(const AnyOr<T>& field) noexcept {
  return !field.is_absent();
}
template <schedpol::detail::AnyOptional Field>
bool is_set(const Field& field) noexcept {
  return field.has_value();
}
template <class List>
bool is_set(const List& list) noexcept {
  return !list.empty();
}

/// What they say in one of the fields.
template <class T, class Member>
PolicyValues<Member> values_of(const PolicyValues<T>& all, Member T::*member) {
  PolicyValues<Member> found;
  for (std::size_t i = 0; i < all.policies.size(); ++i)
    if (is_set(all[i].*member)) found.add(all.policies[i], all[i].*member);
  return found;
}

/// What stands inside, of those who list something.
template <class T>
PolicyValues<T> inside(const PolicyValues<AnyOr<T>>& all) {
  PolicyValues<T> found;
  for (std::size_t i = 0; i < all.policies.size(); ++i)
    if (all[i].is_listed()) found.add(all.policies[i], all[i].listed());
  return found;
}
template <schedpol::detail::AnyOptional Field>
PolicyValues<typename Field::value_type> inside(const PolicyValues<Field>& all) {
  PolicyValues<typename Field::value_type> found;
  for (std::size_t i = 0; i < all.policies.size(); ++i) found.add(all.policies[i], *all[i]);
  return found;
}

/// The keys of a map, each with the places of those who have it.
template <class Map>
NumbersByText keys_of(const PolicyValues<Map>& all) {
  NumbersByText keys;
  for (std::size_t i = 0; i < all.policies.size(); ++i)
    for (const auto& [key, value] : all[i]) keys[key].push_back(i);
  return keys;
}

/// What those say at a key who have it; an absent value is one too.
template <class Map>
PolicyValues<typename Map::mapped_type> values_at(const PolicyValues<Map>& all,
                                                  std::string_view key,
                                                  const std::vector<std::size_t>& places) {
  PolicyValues<typename Map::mapped_type> found;
  for (const std::size_t i : places) found.add(all.policies[i], all[i].find(key)->second);
  return found;
}

/// Which policies are behind each entry of a merge, as it is written down while that goes on. All
/// entries that have the same policies behind them share one list of names.
class SourceTracker {
 public:
  /// Of the names of the policies, which outlive this object.
  explicit SourceTracker(const std::vector<std::string>& names) noexcept : names_(names) {}

  /// Those whose entry counts, and those whose entry an earlier policy's hides; once each.
  void add(const FieldPath& entry, const PolicyNumbers& behind) {
    add(sources_.entries, entry, behind);
  }
  void add_lost(const FieldPath& entry, const PolicyNumbers& behind) {
    add(sources_.lost, entry, behind);
  }

  [[nodiscard]] Sources take() && { return std::move(sources_); }

 private:
  void add(PolicyNames& to, const FieldPath& entry, const PolicyNumbers& behind) {
    if (behind.empty()) return;
    FieldPath numbers;
    for (const std::size_t policy : behind) numbers = std::move(numbers).index(policy);
    Names& shared = lists_[numbers];
    if (shared.empty()) {
      std::vector<std::string> names;
      for (const std::size_t policy : behind) names.push_back(names_[policy]);
      shared = Names(std::move(names));
    }
    // Mostly behind all others, as entries are merged in their order.
    if (Names& names = to.try_emplace(to.end(), entry)->second; names.empty()) names = shared;
  }

  const std::vector<std::string>& names_;
  Sources sources_;
  /// By the numbers of those in them, as the indices of a path: a map of its own type would take the
  /// compiler as long as all the rest of this class.
  PolicyNames lists_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/merge.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// First seen wins: of what several policies say at one place, what the first says counts. The
/// others that say the same are behind it too, what others say is lost.
class FirstSeen {
 public:
  /// Writes down in `sources` where every entry came from.
  explicit FirstSeen(SourceTracker& sources) noexcept : sources_(sources) {}

  /// One entry as a whole.
  template <class T>
  T whole(const FieldPath& entry, const PolicyValues<T>& all) {
    if (all.policies.empty()) return T();
    PolicyNumbers behind;
    PolicyNumbers lost;
    for (std::size_t i = 0; i < all.policies.size(); ++i)
      (all[i] == all[0] ? behind : lost).push_back(all.policies[i]);
    sources_.add(entry, behind);
    sources_.add_lost(entry, lost);
    return all[0];
  }

  /// Field by field, or key by key.
  template <class T>
  T merge(const FieldPath& path, const PolicyValues<T>& all) {
    T merged;
    if constexpr (HasFields<T>) {
      for_each_field<T>([&](std::string_view name, auto member) {
        merged.*member = entry_or_below(path.child(name), values_of(all, member));
      });
    } else {
      for (const auto& [key, places] : keys_of(all))
        merged.try_emplace(std::string(key), whole(path.key(key), values_at(all, key, places)));
    }
    return merged;
  }

 private:
  /// A mode of affinity is one entry, whatever it is made of.
  template <class T>
  static constexpr bool has_sub_keys =
      !std::is_same_v<T, NodeAffinityRule> && !std::is_same_v<T, PodAffinityRule> &&
      (HasFields<T> || requires { typename T::mapped_type; });

  template <class T>
  T entry_or_below(const FieldPath& path, const PolicyValues<T>& all) {
    return whole(path, all);
  }
  /// A kind of affinity that is any is an entry for as long as no mode joins it.
  template <template <class> class Absent, class T>
    requires has_sub_keys<T>
  Absent<T> entry_or_below(const FieldPath& path, const PolicyValues<Absent<T>>& all) {
    const auto listed = inside(all);
    if (listed.policies.empty()) return whole(path, all);
    return merge(path, listed);
  }

  SourceTracker& sources_;
};

/// `allowed` of several policies together: at every level what one of them permits is permitted.
/// Any absorbs the rest at the level where it stands; lists are joined in order of first sight, of
/// equal entries the first. A list of entries never becomes any.
class Additive {
 public:
  /// Writes down in `sources` where every entry came from.
  explicit Additive(SourceTracker& sources) noexcept : sources_(sources) {}

  /// Whatever has the three states: absent where nobody says anything, any where one says so,
  /// otherwise what is listed inside.
  template <class T>
  AnyOr<T> merge(const FieldPath& path, const PolicyValues<AnyOr<T>>& all) {
    if (all.policies.empty()) return {};
    PolicyNumbers permitting_any;
    for (std::size_t i = 0; i < all.policies.size(); ++i)
      if (all[i].is_any()) permitting_any.push_back(all.policies[i]);
    if (permitting_any.empty()) return merge(path, inside(all));
    sources_.add(path, permitting_any);
    return any;
  }
  template <HasFields T>
  T merge(const FieldPath& path, const PolicyValues<T>& all) {
    T merged;
    for_each_field<T>([&](std::string_view name, auto member) {
      merged.*member = merge(path.child(name), values_of(all, member));
    });
    return merged;
  }
  /// A key that some policy names is there, with no values where nobody lists any.
  NodeSelectors merge(const FieldPath& path, const PolicyValues<NodeSelectors>& all) {
    NodeSelectors merged;
    for (const auto& [key, places] : keys_of(all)) {
      PolicyValues<AnyOr<Texts>> listing;
      for (const std::size_t i : places) {
        const AnyOr<Texts>& values = all[i].find(key)->second;
        if (!values.is_absent()) listing.add(all.policies[i], values);
      }
      merged.try_emplace(std::string(key), merge(path.key(key), listing));
    }
    return merged;
  }
  /// A list of entries, each of which is one for the sources too.
  template <class List>
  List merge(const FieldPath& path, const PolicyValues<List>& all) {
    List merged;
    std::size_t entries = 0;
    for (std::size_t i = 0; i < all.policies.size(); ++i) entries += all[i].size();
    std::vector<std::string> texts;
    texts.reserve(entries);  // `behind` refers to them
    NumbersByText behind;
    for (std::size_t i = 0; i < all.policies.size(); ++i) {
      const std::size_t policy = all.policies[i];
      for (const auto& entry : all[i]) {
        texts.push_back(text_of(entry));
        PolicyNumbers& policies = behind[texts.back()];
        if (policies.empty()) merged.push_back(entry);
        if (policies.empty() || policies.back() != policy) policies.push_back(policy);
      }
    }
    for (std::size_t i = 0; i < merged.size(); ++i)
      sources_.add(path.index(i), behind.find(text_of(merged[i]))->second);
    return merged;
  }

 private:
  /// Different entries of a list have different texts.
  static const std::string& text_of(const std::string& entry) noexcept { return entry; }
  template <class Pattern>
  static std::string text_of(const Pattern& entry) {
    return to_string(entry);
  }

  SourceTracker& sources_;
};

/// Policies in the order in which they count, and what becomes of them.
class PolicyMerge {
 public:
  void add(const SchedulingPolicy& policy) {
    names_.push_back(policy.metadata.name);
    specs_.push_back(Normalizer::normalized(policy.spec));
  }

  EffectivePolicy run(MergeStrategy strategy) && {
    SchedulingPolicySpec merged;
    if (strategy == MergeStrategy::smart_deep_merge) {
      merge(merged, required_section, FirstSeen(sources_));
      merge(merged, allowed_section, Additive(sources_));
      merge(merged, default_section, FirstSeen(sources_));
    } else {
      for_each_field<SchedulingPolicySpec>([&](std::string_view name, auto member) {
        merge_entries(merged, SpecField{name, member}, strategy);
      });
    }
    // Only the first policy speaks alone; the others are named in what was lost.
    std::vector<std::string> speaking = names_;
    if (strategy == MergeStrategy::first_seen_wins && !speaking.empty()) speaking.resize(1);
    EffectivePolicyAccess::Impl impl(std::move(merged), std::move(speaking),
                                     std::move(sources_).take());
    impl.merged_names = std::move(names_);
    impl.merged_specs = std::move(specs_);
    return EffectivePolicyAccess::make(std::move(impl));
  }

 private:
  /// What all policies say in a section.
  template <class Section>
  PolicyValues<Section> values_of(Section SchedulingPolicySpec::*section) const {
    PolicyValues<Section> all;
    for (std::size_t policy = 0; policy < specs_.size(); ++policy)
      all.add(policy, specs_[policy].*section);
    return all;
  }

  template <class Section, class How>
  void merge(SchedulingPolicySpec& merged, const SpecField<SchedulingPolicySpec, Section>& section,
             How&& how) const {
    merged.*section.member = how.merge(FieldPath{section.name}, values_of(section.member));
  }

  /// Each entry of a section as a whole.
  template <class Section>
  void merge_entries(SchedulingPolicySpec& merged,
                     const SpecField<SchedulingPolicySpec, Section>& section,
                     MergeStrategy strategy) {
    const FieldPath path{section.name};
    const auto all = values_of(section.member);
    for_each_field<Section>([&](std::string_view name, auto member) {
      const FieldPath entry = path.child(name);
      auto values = detail::values_of(all, member);
      if (strategy == MergeStrategy::first_seen_wins) leave_to_first(entry, values.policies);
      merged.*section.member.*member = FirstSeen(sources_).whole(entry, values);
    });
  }

  /// What others than the first policy say is lost.
  void leave_to_first(const FieldPath& entry, PolicyNumbers& policies) {
    PolicyNumbers first;
    PolicyNumbers lost;
    for (const std::size_t policy : policies) (policy == 0 ? first : lost).push_back(policy);
    sources_.add_lost(entry, lost);
    policies = std::move(first);
  }

  std::vector<std::string> names_;
  std::vector<SchedulingPolicySpec> specs_;
  SourceTracker sources_{names_};
};

}  // namespace detail

SCHEDPOL_INLINE std::string_view to_string(MergeStrategy strategy) noexcept {
  switch (strategy) {
    case MergeStrategy::smart_deep_merge: return "SmartDeepMerge";
    case MergeStrategy::first_seen_wins: return "FirstSeenWins";
    case MergeStrategy::simple_merge: return "SimpleMerge";
  }
  return "";
}

SCHEDPOL_INLINE EffectivePolicy merge(std::span<const SchedulingPolicy> policies,
                                      MergeStrategy strategy) {
  if (to_string(strategy).empty()) return {};
  detail::NumbersByText by_name;
  for (std::size_t i = 0; i < policies.size(); ++i) by_name[policies[i].metadata.name].push_back(i);
  detail::PolicyMerge merge;
  for (const auto& [name, numbers] : by_name) {
    const SchedulingPolicy& policy = policies[numbers.front()];
    for (const std::size_t number : numbers)
      if (policies[number].spec != policy.spec) return EffectivePolicy::ambiguous(name);
    merge.add(policy);
  }
  return std::move(merge).run(strategy);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/impl/effective_policy.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE EffectivePolicy::EffectivePolicy(SchedulingPolicySpec spec, Names policies,
                                                 Sources sources)
    : impl_(Impl(detail::Normalizer::normalized(std::move(spec)), std::move(policies),
                 std::move(sources))) {}

SCHEDPOL_INLINE EffectivePolicy EffectivePolicy::ambiguous(std::string_view name) {
  Impl impl;
  impl.ambiguous = true;
  impl.policies = {name};
  return EffectivePolicyAccess::make(std::move(impl));
}

SCHEDPOL_INLINE const SchedulingPolicySpec& EffectivePolicy::spec() const& noexcept {
  return EffectivePolicyAccess::of(*this).spec;
}
SCHEDPOL_INLINE SchedulingPolicySpec EffectivePolicy::spec() && {
  return std::as_const(*this).spec();
}
SCHEDPOL_INLINE Names EffectivePolicy::policies() const noexcept {
  return EffectivePolicyAccess::of(*this).policies;
}
SCHEDPOL_INLINE const Sources& EffectivePolicy::sources() const& noexcept {
  return EffectivePolicyAccess::of(*this).sources;
}
SCHEDPOL_INLINE Sources EffectivePolicy::sources() && {
  return std::as_const(*this).sources();
}
SCHEDPOL_INLINE bool EffectivePolicy::is_ambiguous() const noexcept {
  return EffectivePolicyAccess::of(*this).ambiguous;
}

SCHEDPOL_INLINE Names EffectivePolicy::sources_of(const FieldPath& place) const {
  const PolicyNames& entries = sources().entries;
  for (FieldPath entry = place; !entry.empty(); entry = entry.parent()) {
    const auto found = entries.find(entry);
    if (found != entries.end()) return found->second;
  }
  return {};
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/impl/policy.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// Writes one pattern: `{keys: [a, b], values: []}`.
class PatternText {
 public:
  PatternText() {
    text_.reserve(100);  // most are shorter
    text_ += '{';
  }

  /// `name: [a, b]` after what stands there already; nothing for an absent list.
  template <class List>
  void add(std::string_view name, const AnyOr<List>& list) {
    if (list.is_absent()) return;
    if (text_.back() != '{') add(", ");
    add(name);
    if (list.is_any()) return add(": []");
    std::string_view before = ": [";
    for (const auto& item : list.listed()) {
      add(std::exchange(before, ", "));
      add_item(item);
    }
    add(list.listed().empty() ? ": none" : "]");
  }

  [[nodiscard]] std::string take() && { return std::move(text_ += '}'); }

 private:
  void add(std::string_view text) { text_ += text; }

  /// An empty item is `""`, so that a list of it is not taken for an empty list.
  void add_item(std::string_view item) {
    constexpr Separators separators(",[]{}: \"");
    append_escaped(text_, item, separators);
    if (item.empty()) text_ += "\"\"";
  }
  template <class Word>
  void add_item(const OpenEnum<Word>& item) {
    add_item(item.text());
  }
  void add_item(const RequirementPattern& item) { text_ += to_string(item); }

  std::string text_;
};

}  // namespace detail

SCHEDPOL_INLINE std::string to_string(const TolerationPattern& pattern) {
  detail::PatternText text;
  text.add("keys", pattern.keys);
  text.add("operators", pattern.operators);
  text.add("values", pattern.values);
  text.add("effects", pattern.effects);
  return std::move(text).take();
}

SCHEDPOL_INLINE std::string to_string(const RequirementPattern& pattern) {
  detail::PatternText text;
  text.add("keys", pattern.keys);
  text.add("operators", pattern.operators);
  text.add("values", pattern.values);
  return std::move(text).take();
}

SCHEDPOL_INLINE std::string to_string(const TermPattern& pattern) {
  detail::PatternText text;
  text.add("matchExpressions", pattern.match_expressions);
  text.add("matchFields", pattern.match_fields);
  return std::move(text).take();
}

SCHEDPOL_INLINE std::string to_string(const SpreadConstraintPattern& pattern) {
  detail::PatternText text;
  text.add("topologyKeys", pattern.topology_keys);
  text.add("whenUnsatisfiable", pattern.when_unsatisfiable);
  return std::move(text).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/impl/options.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE std::vector<Toleration> default_toleration_seconds(std::int64_t seconds) {
  return {schedpol::detail::existing(schedpol::detail::not_ready_taint, TaintEffect::no_execute,
                                     seconds),
          schedpol::detail::existing(schedpol::detail::unreachable_taint, TaintEffect::no_execute,
                                     seconds)};
}

SCHEDPOL_INLINE std::vector<Toleration> daemon_set_tolerations() {
  return schedpol::detail::daemon_set_tolerations();
}

SCHEDPOL_INLINE Options exempt(Options options, std::span<const Toleration> tolerations) {
  schedpol::detail::append(options.exempt.tolerations, tolerations);
  return options;
}

SCHEDPOL_INLINE Options exempt(Options options, SharedCriteria criteria) {
  options.exempt_criteria.push_back(std::move(criteria));
  return options;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/core/impl/moved_from.hpp

/// The answers about a moved-from pod, which has nothing left to judge.

namespace SCHEDPOL_NAMESPACE::detail {

[[nodiscard]] inline Violation moved_from_violation(PodKind kind) {
  return {.code = ViolationCode::moved_from, .field = field_path(kind, {"spec"})};
}

[[nodiscard]] inline FieldError moved_from_error(PodKind kind) {
  return {ErrorType::required, field_path(kind, {"spec"}), "", "the pod was moved from"};
}

[[nodiscard]] inline Admission moved_from_denial(Pod&& pod) {
  Admission admission;
  admission.violations.push_back(moved_from_violation(pod.kind));
  admission.pod = std::move(pod);
  return admission;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/engine/impl/contradiction.hpp

/// Whether any node can meet what several systems made of a pod. Defaults and policies leave out what
/// contradicts the pod. A RuntimeClass does not, and the numbers in a PodSchedulingPolicy are not
/// compared. A pod that no node can meet is still allowed, because each system permits it, and stays
/// pending; its creator gets a warning.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// A pair of the node selector that an expression of the term excludes; null where there is none.
[[nodiscard]] inline const Labels::value_type* excluded_pair(const Labels& node_selector,
                                                             const NodeSelectorTerm& term) {
  for (const NodeSelectorRequirement& expression : term.match_expressions) {
    const auto pair = node_selector.find(expression.key);
    if (pair != node_selector.end() && schedpol::detail::excludes(expression, pair->second))
      return &*pair;
  }
  return nullptr;
}

/// Whether a node can meet what a pod requires of nodes.
[[nodiscard]] inline bool can_match_a_node(const PodSpec& spec) {
  const std::vector<NodeSelectorTerm>& terms = schedpol::detail::required_terms(spec.affinity);
  return terms.empty() || schedpol::detail::any_of(terms, [&](const NodeSelectorTerm& term) {
           return schedpol::detail::can_match_a_node(term, spec.node_selector);
         });
}

/// A pair that keeps a required term from being met by any node, where none of the terms can be
/// met; null where there is none.
[[nodiscard]] inline const Labels::value_type* excluded_pair(const PodSpec& spec) {
  const Labels::value_type* found = nullptr;
  for (const NodeSelectorTerm& term : schedpol::detail::required_terms(spec.affinity))
    if (found == nullptr) found = excluded_pair(spec.node_selector, term);
  return found != nullptr && !can_match_a_node(spec) ? found : nullptr;
}

/// Whether a path leads to a place, or below it.
[[nodiscard]] inline bool is_below(FieldPath path, const FieldPath& place) {
  while (!path.empty()) {
    if (path == place) return true;
    path = path.parent();
  }
  return false;
}

/// Whether any of the terms compares numbers.
[[nodiscard]] inline bool compare_numbers(const std::vector<NodeSelectorTerm>& terms) {
  return schedpol::detail::any_of(terms, [](const NodeSelectorTerm& term) {
    return schedpol::detail::any_of(
        term.match_expressions, [](const NodeSelectorRequirement& expression) {
          return schedpol::detail::compares_numbers(expression.operator_.word());
        });
  });
}

/// Of an allowed pod that no node can meet, although some could have met it as it came: what the
/// systems that enforce put into it to that end.
[[nodiscard]] inline std::optional<Warning> contradiction_warning(const PodSpec& before,
                                                                  const Decision& decision) {
  const Pod& pod = decision.pod;
  // A PodSchedulingPolicy leaves out what would contradict the pod, but for numbers.
  const bool may_contradict =
      compare_numbers(schedpol::detail::required_terms(pod.spec.affinity)) ||
      schedpol::detail::any_of(decision.steps, [](const StepDecision& decided) {
        return decided.step.mode == Mode::enforce && !decided.changes.empty() &&
               decided.step.system != System::pod_scheduling_policy;
      });
  if (!may_contradict ||
      (before.node_selector == pod.spec.node_selector && before.affinity == pod.spec.affinity))
    return std::nullopt;
  const Labels::value_type* const pair = excluded_pair(pod.spec);
  if (pair == nullptr || !can_match_a_node(before)) return std::nullopt;
  const FieldPath key = field_path(pod.kind, {"spec", "nodeSelector"}).key(pair->first);
  const FieldPath affinity = field_path(pod.kind, {"spec", "affinity"});
  std::vector<std::string> policies;
  for (const StepDecision& decided : decision.steps) {
    if (decided.step.mode != Mode::enforce) continue;
    for (const Change& change : decided.changes) {
      if (change.policy.empty() || !(change.field == key || is_below(change.field, affinity)))
        continue;
      if (!schedpol::detail::contains(policies, change.policy)) policies.push_back(change.policy);
    }
  }
  return Warning{key,
                 "no node has " + in_backticks(pair->first + "=" + pair->second) +
                     " and what the required node affinity asks for",
                 std::move(policies)};
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/engine_impl.hpp

// What an Engine is made of, for what is asked of one besides decisions.

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// What the labels of namespaces say of modes, of those that are known.
class NamespaceModeTable {
 public:
  /// Nothing, where no label says a mode.
  NamespaceModeTable() = default;
  NamespaceModeTable(const NamespaceModes& modes, const std::vector<Step>& steps) {
    for (const Mode mode : all_modes) {
      std::vector<Step>& stricter = steps_.emplace_back(steps);
      for (Step& step : stricter) step.mode = std::min(mode, modes.weakest);
    }
  }

  void apply(const ObjectChanges& changes) {
    if (steps_.empty()) return;
    for (const Namespace& replaced : changes.replaced.namespaces)
      modes_.erase({0, replaced.metadata.name, {}});
    for (const Namespace& in : changes.usable.namespaces) {
      std::optional<Mode>& said = modes_[{0, in.metadata.name, {}}];
      const auto label = in.metadata.labels.find(mode_label);
      said.reset();
      if (label == in.metadata.labels.end()) continue;
      said = Mode::enforce;
      for (const Mode mode : all_modes)
        if (label->second == to_string(mode)) said = mode;
    }
  }

  /// Whether it would matter to know the namespace.
  [[nodiscard]] bool lacks(std::string_view namespace_) const noexcept {
    return !steps_.empty() && modes_.find({0, namespace_, {}}) == nullptr;
  }

  /// The steps of objects in the namespace, which are `configured` where no label says otherwise.
  [[nodiscard]] const std::vector<Step>& steps_in(
      std::string_view namespace_, const std::vector<Step>& configured) const noexcept {
    if (steps_.empty()) return configured;
    const std::optional<Mode>* const said = modes_.find({0, namespace_, {}});
    if (said == nullptr) return steps_.front();
    return *said ? steps_[static_cast<std::size_t>(**said)] : configured;
  }

 private:
  std::vector<std::vector<Step>> steps_;  ///< by the mode of a label
  schedpol::detail::PersistentMap<std::optional<Mode>> modes_;
};

}  // namespace detail

struct Engine::Impl {
  std::vector<Step> steps;  ///< as they are configured
  detail::NamespaceModeTable namespace_modes;
  std::vector<detail::SharedSystem> systems;  ///< of all rows, in their order
  Settings settings;
  detail::Problems problems;
  bool looks_at_metadata = false;

  [[nodiscard]] const detail::CompiledSystem& compiled(System system) const noexcept {
    return *systems[static_cast<std::size_t>(system)];
  }

  /// With the systems and their modes, because one judges by what the others give.
  [[nodiscard]] detail::AdmissionContext context_of(
      std::string_view namespace_, detail::PodWriter by,
      ChangeValues values = ChangeValues::omitted,
      detail::DecisionTrace* trace = nullptr) const noexcept {
    return {by, values, trace, namespace_modes.steps_in(namespace_, steps), systems};
  }

  /// Who writes the pod of a request.
  [[nodiscard]] detail::PodWriter writer_of(const Request& request) const noexcept {
    const std::string& user = request.requester.name;
    if (request.object.kind != PodKind::pod || user.empty()) return detail::PodWriter::user;
    if (user == settings.daemon_set_controller) return detail::PodWriter::daemon_set_controller;
    const bool was_gated = request.old.object.kind == PodKind::pod &&
                           !request.old.object.spec.scheduling_gates.empty();
    return was_gated && settings.placers.contains(user) ? detail::PodWriter::placer
                                                        : detail::PodWriter::user;
  }

  /// What systems that enforce give to a created pod, or a new template, before any is asked.
  [[nodiscard]] std::array<std::vector<Change>, std::size(all_systems)> give_first(
      Pod& pod, const Old<Pod>* old, const detail::AdmissionContext& context) const {
    std::array<std::vector<Change>, std::size(all_systems)> given;
    if (old != nullptr && pod.kind == PodKind::pod) return given;
    for (const Step step : context.steps)
      if (step.mode == Mode::enforce)
        given[static_cast<std::size_t>(step.system)] = compiled(step.system).give_first(pod);
    return given;
  }

  [[nodiscard]] Decision decide(const Request& request, detail::DecisionTrace* trace) const;
  [[nodiscard]] Decision admit(const Pod& before, const Old<Pod>* old,
                               const detail::AdmissionContext& context) const;
  void change(Decision& decision, const Old<Pod>* old,
              const detail::AdmissionContext& context) const;
  void reinvoke(const Pod& before, Decision& decision, const Old<Pod>* old,
                const detail::AdmissionContext& context) const;
  [[nodiscard]] Decision judge(const Pod& pod, const Old<Pod>* old,
                               const detail::AdmissionContext& context) const;
  void report_who_added(const Pod& before, const Old<Pod>* old, const Decision& earlier,
                        Decision& decision, detail::AdmissionContext context) const;
  void report_who_added(const Pod& before, const Old<Pod>* old,
                        const std::vector<const StepDecision*>& changed, StepDecision& decided,
                        const detail::AdmissionContext& context) const;
  [[nodiscard]] std::vector<UnknownObject> unknown_to(
      const Decision& denial, const detail::AdmissionContext& context) const;

  /// Takes these objects in the place of those that are called like them.
  void apply(const detail::ObjectChanges& changes) {
    using detail::name_of;
    for (detail::SharedSystem& system : systems)
      if (system->concerns(changes.replaced)) system = system->with(changes);
    namespace_modes.apply(changes);
    if (!problems.empty()) {
      for_each_list(changes.replaced, [&](const auto& list, ObjectKinds kinds) {
        for (const auto& object : list)
          problems.erase(name_of(detail::kind_of(object, kinds), object.metadata));
      });
      for (const Namespace& in : changes.replaced.namespaces)
        problems.erase(name_of(detail::namespace_kind, in.metadata));
    }
    for (const auto& [name, errors] : changes.problems) problems.insert_or_assign(name, errors);
  }
};

/// Lets `explain` see what an engine is made of.
class EngineAccess {
 public:
  using Impl = Engine::Impl;

  /// Null where nothing is configured.
  [[nodiscard]] static const Impl* of(const Engine& engine) noexcept {
    return engine.impl_ ? &*engine.impl_ : nullptr;
  }

  /// Decides, and tells of it.
  [[nodiscard]] static Decision decide(const Engine& engine, const Request& request,
                                       detail::DecisionTrace& trace) {
    const Impl* const impl = of(engine);
    return impl == nullptr ? engine.decide(request) : impl->decide(request, &trace);
  }
};

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/engine/impl/writers_by_place.hpp

/// The policies or classes that added what is denied, by path.

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// Who wrote what into an object, by place, wherever in its lists it stands.
class WritersByPlace {
 public:
  void add(const std::string& policy, const Change& change) {
    const bool takes_away = change.from && !change.to;
    if (policy.empty() || takes_away) return;
    Writers& writers = places_[change.field.without_indices()];
    writers.all.insert(policy);
    if (change.to) writers.of_value[*change.to].insert(policy);
  }

  /// Those who wrote the value of a violation there; where the changes do not say so, those who wrote
  /// to its place or to what holds it.
  [[nodiscard]] Names of(const Violation& violation) const {
    for (FieldPath place = violation.field.without_indices(); !place.empty();
         place = place.parent()) {
      const auto found = places_.find(place);
      if (found == places_.end()) continue;
      const auto exact = found->second.of_value.find(violation.value);
      const std::set<std::string>& names =
          exact == found->second.of_value.end() ? found->second.all : exact->second;
      const std::size_t shown = std::min(names.size(), max_shown_names);
      return {
          std::vector<std::string>(names.begin(), std::next(names.begin(), std::ptrdiff_t(shown))),
          names.size() - shown};
    }
    return {};
  }

 private:
  struct Writers {
    std::set<std::string> all;
    std::map<std::string, std::set<std::string>> of_value;
  };

  std::map<FieldPath, Writers> places_;
};

/// What tells the violations of an object apart, wherever in its lists they stand.
inline std::string identity_of(const Violation& violation) {
  schedpol::detail::TextKey key;
  key.add(to_string(violation.code)).add(to_string(violation.field.without_indices()));
  key.add(violation.value);
  return std::move(key).text();
}

}  // namespace SCHEDPOL_NAMESPACE::engine::detail

// schedpol/engine/impl/engine.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

inline bool is_same_template(const Pod& a, const Pod& b) {
  return a.metadata.labels == b.metadata.labels &&
         a.metadata.annotations == b.metadata.annotations && a.spec == b.spec;
}

/// Whether there is nothing to decide.
inline bool passes(const Request& request) {
  const ObjectMeta& metadata = request.object.metadata;
  if (request.object.kind == PodKind::pod) {
    return metadata.annotations.contains(mirror_annotation) &&
           request.requester.groups.contains(nodes_group);
  }
  if (schedpol::detail::any_of(metadata.owner_references, [&](const OwnerReference& owner) {
        return skipped_by_owner(request.object.kind, owner);
      }))
    return true;
  return request.operation == Operation::update && !request.template_differs &&
         is_same_template(request.object, request.old.object);
}

/// Whether both lists have the same tolerations, which are then put into the order of `before`.
inline bool restore_order(const std::vector<Toleration>& before, std::vector<Toleration>& after) {
  if (after.size() != before.size() ||
      !std::is_permutation(after.begin(), after.end(), before.begin()))
    return false;
  after = before;
  return true;
}

/// Leaves out that systems took tolerations away that others gave back.
inline void forget_tolerations(Decision& decision) {
  if (decision.steps.size() < 2) return;
  const FieldPath list = field_path(decision.pod.kind, {"spec", "tolerations"});
  for (StepDecision& decided : decision.steps) {
    if (decided.step.mode != Mode::enforce) continue;
    schedpol::detail::erase_if(decided.changes,
                               [&](const Change& change) { return change.field.parent() == list; });
  }
}

/// Whether a system might say something else about the object as it is now. Later systems already saw
/// the changes of the first that enforces, so no second round is needed for those. Only a system of
/// metadata changes what it has made itself.
inline bool needs_reinvocation(const std::vector<StepDecision>& steps) {
  bool is_first = true;
  for (const StepDecision& decided : steps) {
    if (decided.step.mode != Mode::enforce) continue;
    if (!decided.changes.empty() &&
        (!is_first || system_row(decided.step.system).looks_at_metadata))
      return true;
    is_first = false;
  }
  return false;
}

/// Whether no system that enforces has changed the pod, which all of them permit.
inline bool changes_nothing(const std::vector<StepDecision>& allowed) {
  return schedpol::detail::all_of(allowed, [](const StepDecision& decided) {
    return decided.step.mode != Mode::enforce || decided.changes.empty();
  });
}

/// Adds to what systems that enforce have changed what they changed in another round.
inline void add_changes(std::vector<StepDecision>& steps, std::vector<StepDecision>&& round) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].step.mode != Mode::enforce) continue;
    schedpol::detail::append(steps[i].changes, std::move(round[i].changes));
  }
}

/// Adds what is left out in another round. What was left out before stays so; a PodSchedulingPolicy
/// says it again, a default that was given in part is the pod's own by now.
inline void add_warnings(std::vector<Warning>& warnings, std::vector<Warning>&& round) {
  for (Warning& warning : round)
    if (!schedpol::detail::contains(warnings, warning)) warnings.push_back(std::move(warning));
}

}  // namespace detail

SCHEDPOL_INLINE Decision Engine::decide(const Request& request) const {
  return impl_ ? impl_->decide(request, nullptr) : Decision{.pod = request.object};
}

SCHEDPOL_INLINE Decision Engine::Impl::decide(const Request& request,
                                              detail::DecisionTrace* trace) const {
  if (request.object.spec.moved_from) {
    return Decision{
        .pod = request.object,
        .steps = {{.step = steps.front(),
                   .violations = {schedpol::detail::moved_from_violation(request.object.kind)}}}};
  }
  if (detail::passes(request)) return Decision{.allowed = true, .pod = request.object};
  const detail::AdmissionContext context =
      context_of(namespace_of(request.object.metadata), writer_of(request), request.values, trace);
  const Old<Pod>* const old = request.operation == Operation::update ? &request.old : nullptr;
  Decision decision = request.phase == Phase::validating ? judge(request.object, old, context)
                                                         : admit(request.object, old, context);
  if (!decision.allowed) decision.unknown = unknown_to(decision, context);
  // Which of several it was the values of the changes say.
  const auto is_of_several = [](const StepDecision& decided) {
    return schedpol::detail::any_of(decided.violations,
                                    [](const Violation& each) { return each.added_by.size() > 1; });
  };
  if (request.values == ChangeValues::omitted &&
      schedpol::detail::any_of(decision.steps, is_of_several)) {
    Request shown = request;
    shown.values = ChangeValues::shown;
    Decision again = decide(shown, nullptr);
    for (std::size_t i = 0; i < decision.steps.size(); ++i)
      decision.steps[i].violations = std::move(again.steps[i].violations);
  }
  return decision;
}

/// What the system that denied does not know. An object that cannot be used is known.
SCHEDPOL_INLINE std::vector<UnknownObject> Engine::Impl::unknown_to(
    const Decision& denial, const detail::AdmissionContext& context) const {
  std::vector<UnknownObject> unknown;
  compiled(denial.steps.back().step.system).add_unknown(denial.pod, context, unknown);
  const std::string_view in = namespace_of(denial.pod.metadata);
  if (namespace_modes.lacks(in) && schedpol::detail::none_of(unknown, [](const auto& object) {
        return object.kind == detail::namespace_kind.name;
      }))
    unknown.push_back({.kind = std::string(detail::namespace_kind.name), .name = std::string(in)});
  schedpol::detail::erase_if(unknown, [&](const UnknownObject& object) {
    return problems.contains({object.kind, object.namespace_, object.name});
  });
  return unknown;
}

/// Changes and judges an object.
SCHEDPOL_INLINE Decision Engine::Impl::admit(const Pod& before, const Old<Pod>* old,
                                             const detail::AdmissionContext& context) const {
  Decision decision{.pod = before};
  change(decision, old, context);
  report_who_added(before, old, {}, decision, context);
  if (decision.allowed && detail::needs_reinvocation(decision.steps))
    reinvoke(before, decision, old, context);
  if (!decision.allowed) {
    decision.pod = Pod(before);
    return decision;
  }
  if (detail::restore_order(before.spec.tolerations, decision.pod.spec.tolerations))
    detail::forget_tolerations(decision);
  if (auto warning = detail::contradiction_warning(before.spec, decision))
    decision.warnings.push_back(*std::move(warning));
  return decision;
}

/// Says of each violation that the object as it came does not have who added it; `earlier` are the rounds before.
SCHEDPOL_INLINE void Engine::Impl::report_who_added(const Pod& before, const Old<Pod>* old,
                                                    const Decision& earlier, Decision& decision,
                                                    detail::AdmissionContext context) const {
  const auto has_violations = [](const StepDecision& decided) {
    return !decided.violations.empty();
  };
  if (!schedpol::detail::any_of(decision.steps, has_violations)) return;
  context.trace = nullptr;
  std::vector<const StepDecision*> changed;
  const auto add_changed = [&](const StepDecision& decided) {
    if (decided.step.mode == Mode::enforce && !decided.changes.empty()) changed.push_back(&decided);
  };
  // A system that gives something first may not have been asked yet.
  std::vector<StepDecision> first;
  Pod given = before;
  const auto given_first = give_first(given, old, context);
  for (const Step step : context.steps)
    first.push_back({.step = step, .changes = given_first[static_cast<std::size_t>(step.system)]});
  for (const StepDecision& decided : first) add_changed(decided);
  for (const StepDecision& decided : earlier.steps) add_changed(decided);
  for (StepDecision& decided : decision.steps) {
    if (has_violations(decided)) report_who_added(before, old, changed, decided, context);
    add_changed(decided);
  }
}

/// The same of one system, by what systems had changed before it was asked.
SCHEDPOL_INLINE void Engine::Impl::report_who_added(const Pod& before, const Old<Pod>* old,
                                                    const std::vector<const StepDecision*>& changed,
                                                    StepDecision& decided,
                                                    const detail::AdmissionContext& context) const {
  detail::WritersByPlace writers;
  bool by_others = false;
  for (const StepDecision* const other : changed) {
    if (other->step.system == decided.step.system) continue;
    by_others = true;
    for (const Change& change : other->changes)
      writers.add(compiled(other->step.system).full_name(change.policy, before), change);
  }
  if (!by_others) return;
  std::set<std::string> of_author;
  for (const Violation& own : compiled(decided.step.system).violations_of(before, old, context))
    of_author.insert(detail::identity_of(own));
  const Violation on_class{.field = field_path(before.kind, {"spec", "runtimeClassName"})};
  for (Violation& violation : decided.violations) {
    if (of_author.contains(detail::identity_of(violation))) continue;
    violation.added_by = writers.of(violation);
    // What the author wrote contradicts a class that somebody gave.
    if (violation.added_by == Names() && decided.step.system == System::runtime_class)
      violation.added_by = writers.of(on_class);
  }
}

/// One round: each system sees what those before it made of the pod. On a denial the pod of the
/// decision is unspecified; `admit` restores it.
SCHEDPOL_INLINE void Engine::Impl::change(Decision& decision, const Old<Pod>* old,
                                          const detail::AdmissionContext& context) const {
  decision.steps.reserve(context.steps.size());
  const auto given_first = give_first(decision.pod, old, context);
  for (const Step step : context.steps) {
    const detail::CompiledSystem& system = compiled(step.system);
    const bool enforces = step.mode == Mode::enforce;
    const bool changes = enforces && system.changes(decision.pod.kind);
    if (context.trace != nullptr && context.trace->watched == step.system)
      context.trace->questions.push_back({decision.pod, true});
    std::optional<Pod> copy;
    Pod& pod = changes ? decision.pod : copy.emplace(decision.pod);
    Admission admission = old == nullptr ? system.admit(std::move(pod), context)
                          : pod.kind == PodKind::pod
                              ? system.update_pod(*old, std::move(pod), context)
                              : system.update_template(*old, std::move(pod), context);
    if (changes) decision.pod = std::move(admission.pod);
    StepDecision& decided = decision.steps.emplace_back();
    decided.step = step;
    decided.violations = std::move(admission.violations);
    if (changes || !enforces) decided.changes = std::move(admission.changes);
    const std::vector<Change>& first = given_first[static_cast<std::size_t>(step.system)];
    if (admission.allowed)
      decided.changes.insert(decided.changes.begin(), first.begin(), first.end());
    if (changes) decided.warnings = std::move(admission.warnings);
    if (enforces && !admission.allowed) return;
  }
  decision.allowed = !context.steps.empty();
}

/// As many rounds more as it takes until nothing changes, and each system permits what has become of
/// the pod. On a denial the pod of the decision is unspecified; `admit` restores it.
SCHEDPOL_INLINE void Engine::Impl::reinvoke(const Pod& before, Decision& decision,
                                            const Old<Pod>* old,
                                            const detail::AdmissionContext& context) const {
  const auto deny = [&](Decision&& denial) {
    report_who_added(before, old, decision, denial, context);
    decision = std::move(denial);
  };
  for (int round = 1; round < max_decision_rounds; ++round) {
    Decision again{.pod = decision.pod};
    change(again, old, context);
    if (!again.allowed) return deny(std::move(again));
    detail::restore_order(decision.pod.spec.tolerations, again.pod.spec.tolerations);
    for (std::size_t i = 0; i < context.steps.size(); ++i)
      detail::add_warnings(decision.steps[i].warnings, std::move(again.steps[i].warnings));
    if (again.pod == decision.pod) {
      if (detail::changes_nothing(again.steps)) return;
      break;
    }
    decision.pod = std::move(again.pod);
    detail::add_changes(decision.steps, std::move(again.steps));
  }
  // A system may undo each time what another one needs.
  Decision judged = judge(decision.pod, old, context);
  if (!judged.allowed) deny(std::move(judged));
}

/// Judges an object as it stands.
SCHEDPOL_INLINE Decision Engine::Impl::judge(const Pod& pod, const Old<Pod>* old,
                                             const detail::AdmissionContext& context) const {
  Decision decision{.allowed = !context.steps.empty(), .pod = pod};
  for (const Step step : context.steps) {
    const detail::CompiledSystem& system = compiled(step.system);
    if (context.trace != nullptr && context.trace->watched == step.system)
      context.trace->questions.push_back({pod, false});
    StepDecision& decided = decision.steps.emplace_back();
    decided.step = step;
    decided.violations =
        old == nullptr ? system.verify(pod, context) : system.judge_update(*old, pod, context);
    if (step.mode != Mode::enforce || decided.violations.empty()) continue;
    decision.allowed = false;
    break;
  }
  return decision;
}

SCHEDPOL_INLINE bool is_subject_to_metadata_policy(std::string_view api_group,
                                                   std::string_view kind) noexcept {
  if (api_group == "authentication.k8s.io" || api_group == "authorization.k8s.io") return false;
  using GroupKind = std::pair<std::string_view, std::string_view>;
  constexpr GroupKind not_subject[] = {
      {"", "Namespace"}, {"", "Binding"}, {"policy", "Eviction"}, {"autoscaling", "Scale"}};
  return !schedpol::detail::contains(not_subject, GroupKind{api_group, kind}) &&
         !is_policy(api_group, kind);
}

SCHEDPOL_INLINE bool skipped_by_owner(PodKind kind, const OwnerReference& owner) noexcept {
  if (!owner.controller) return false;
  const std::optional<PodKind> of_owner = pod_kind(owner.kind);
  return kind == PodKind::replica_set || (of_owner && *of_owner != PodKind::pod &&
                                          is_in_group(*of_owner, api_group(owner.api_version)));
}

SCHEDPOL_INLINE MetadataDecision Engine::decide_metadata(const MetadataRequest& request) const {
  MetadataDecision decision{.metadata = request.object};
  if (!impl_) return decision;
  decision.allowed = true;
  if (request.scope == Scope::cluster ||
      !is_subject_to_metadata_policy(request.api_group, request.kind))
    return decision;
  const Old<ObjectMeta>* const old =
      request.operation == Operation::update ? &request.old : nullptr;
  const std::optional<PodKind> pod = pod_kind(request.kind);
  const bool is_workload = pod && is_in_group(*pod, request.api_group);
  const std::string_view in = namespace_of(request.object);
  for (const Step step : impl_->namespace_modes.steps_in(in, impl_->steps)) {
    const detail::CompiledSystem& system = impl_->compiled(step.system);
    if (!is_workload && system.exempts(request.api_group, request.kind, request.requester))
      continue;
    auto outcome = system.admit_metadata(decision.metadata, old);
    if (!outcome) continue;
    const bool enforces = step.mode == Mode::enforce;
    const bool changes = enforces && request.phase == Phase::mutating;
    StepDecision& decided = decision.steps.emplace_back();
    decided.step = step;
    for (int round = 1; changes && outcome->allowed && !outcome->changes.empty(); ++round) {
      schedpol::detail::append(decided.changes, std::move(outcome->changes));
      decision.metadata = std::move(outcome->metadata);
      if (round == max_decision_rounds) break;
      outcome = system.admit_metadata(decision.metadata, old);
    }
    decided.violations = std::move(outcome->violations);
    if (!enforces) decided.changes = std::move(outcome->changes);
    if (!enforces || outcome->allowed) continue;
    decided.changes.clear();
    decision.allowed = false;
    decision.metadata = ObjectMeta(request.object);
    break;
  }
  return decision;
}

SCHEDPOL_INLINE bool Engine::runs(System system) const noexcept {
  return impl_ && schedpol::detail::any_of(impl_->steps,
                                           [&](const Step& step) { return step.system == system; });
}

SCHEDPOL_INLINE bool Engine::looks_at_metadata() const noexcept {
  return impl_ && impl_->looks_at_metadata;
}

SCHEDPOL_INLINE std::string_view Engine::daemon_set_controller() const noexcept {
  return impl_ ? std::string_view(impl_->settings.daemon_set_controller) : std::string_view();
}

SCHEDPOL_INLINE std::span<const TemplatePath> Engine::templates() const noexcept {
  if (!impl_) return {};
  return impl_->settings.templates;
}

SCHEDPOL_INLINE EffectivePolicy Engine::effective_policy(const Pod& pod) const {
  return !impl_ ? EffectivePolicy() : detail::effective_policy(impl_->systems, pod);
}

SCHEDPOL_INLINE std::vector<FieldError> Engine::problems() const {
  std::vector<FieldError> all;
  if (!impl_) return all;
  for (const auto& [name, errors] : impl_->problems) schedpol::detail::append(all, errors);
  return all;
}

SCHEDPOL_INLINE Engine Engine::with(const Objects& objects) const {
  if (!impl_) return {};
  Impl impl = *impl_;
  impl.apply(detail::changes_to(objects));
  return Engine(std::move(impl));
}

SCHEDPOL_INLINE Engine Engine::without(const Objects& objects) const {
  if (!impl_) return {};
  Impl impl = *impl_;
  impl.apply({.replaced = detail::with_stand_ins(objects)});
  return Engine(std::move(impl));
}

SCHEDPOL_INLINE Engine::Engine(Impl impl) : impl_(std::move(impl)) {}

SCHEDPOL_INLINE Result<Engine> compile(const Configuration& configuration) {
  std::vector<FieldError> errors = detail::validate_settings(configuration);
  if (!errors.empty()) return errors;
  Engine::Impl impl;
  impl.steps = configuration.systems;
  impl.settings = Settings(configuration.settings);
  for (const detail::SystemRow& row : detail::system_rows())
    impl.systems.push_back(row.make(configuration.settings));
  for (const Step step : impl.steps)
    impl.looks_at_metadata |= detail::system_row(step.system).looks_at_metadata;
  if (impl.settings.namespace_modes)
    impl.namespace_modes = detail::NamespaceModeTable(*impl.settings.namespace_modes, impl.steps);
  return Engine(std::move(impl)).with(configuration.objects);
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/engine/impl/templates.ipp

namespace SCHEDPOL_NAMESPACE::engine {

namespace detail {

/// Gives what is said of a template the fields that it has in the object.
template <class T>
void relocate(std::vector<T>& said, const TemplateRequest& of) {
  for (T& one : said) one.field = of.in_object(one.field);
}

/// Adds what the systems said of a template to what they said of those before it.
inline void add_steps(std::vector<StepDecision>& to, std::vector<StepDecision>&& from,
                      const TemplateRequest& of) {
  for (StepDecision& decided : from) {
    relocate(decided.violations, of);
    relocate(decided.changes, of);
    relocate(decided.warnings, of);
    const auto same = std::find_if(to.begin(), to.end(), [&](const StepDecision& step) {
      return step.step.system == decided.step.system;
    });
    if (same == to.end()) {
      to.push_back(std::move(decided));
      continue;
    }
    schedpol::detail::append(same->violations, std::move(decided.violations));
    schedpol::detail::append(same->changes, std::move(decided.changes));
    schedpol::detail::append(same->warnings, std::move(decided.warnings));
  }
}

}  // namespace detail

SCHEDPOL_INLINE FieldPath TemplateRequest::in_object(const FieldPath& field) const {
  return place.join(field.below(template_steps(PodKind::pod_template).size()));
}

SCHEDPOL_INLINE TemplatesDecision decide_templates(const Engine& engine,
                                                   std::span<const TemplateRequest> templates,
                                                   const Adviser& adviser) {
  TemplatesDecision all;
  all.allowed = true;
  bool is_fixed = true;
  for (const TemplateRequest& one : templates) {
    Decision decision = engine.decide(one.request);
    if (!decision.allowed) {
      std::vector<Change> edits = adviser.nearest_fix(engine, one.request, decision);
      detail::relocate(edits, one);
      is_fixed = is_fixed && !edits.empty();
      schedpol::detail::append(all.nearest_fix, std::move(edits));
      if (all.allowed) {
        all.steps.clear();
        all.unknown = std::move(decision.unknown);
      }
      all.allowed = false;
      detail::add_steps(all.steps, std::move(decision.steps), one);
    } else if (all.allowed) {
      detail::add_steps(all.steps, std::move(decision.steps), one);
    }
    detail::relocate(decision.warnings, one);
    schedpol::detail::append(all.warnings, std::move(decision.warnings));
    all.templates.push_back(std::move(decision.pod));
  }
  if (all.allowed) return all;
  // Nothing is half-applied.
  for (std::size_t i = 0; i < templates.size(); ++i) all.templates[i] = templates[i].request.object;
  all.warnings.clear();
  if (!is_fixed) all.nearest_fix.clear();
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::engine

// schedpol/core/impl/invalid_policies.hpp

/// The denial of a pod by policies that cannot be compiled.

namespace SCHEDPOL_NAMESPACE::detail {

/// One `InvalidPolicy` an error, at `field`. Each names the policy that its error is below
/// (`policies[i]`), and all of them where that is no single one.
template <class Policy>
[[nodiscard]] Admission invalid_policies_denial(Pod pod, const FieldPath& field,
                                                const std::vector<FieldError>& errors,
                                                std::span<const Policy> policies) {
  Admission admission;
  for (const FieldError& error : errors) {
    const std::vector<FieldPath::Step> steps = error.field.steps();
    const bool is_of_one = steps.size() > 1;
    std::vector<std::string> names;
    for (const Policy& policy : is_of_one ? policies.subspan(steps[1].index, 1) : policies)
      names.push_back(policy.metadata.name);
    admission.violations.push_back(
        {ViolationCode::invalid_policy, field, message(error), std::move(names)});
  }
  admission.pod = std::move(pod);
  return admission;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/selector_index.hpp

/// An index of selectors of labels and namespaces. It finds the few candidates that may select an
/// object. Each selector has one key: a label, an annotation, a namespace or a label of one, that every
/// selected object must have. If there are several, the key is the one with the fewest other selectors.
/// Selectors that name nothing are always candidates. The caller then matches the candidates
/// themselves.

namespace SCHEDPOL_NAMESPACE::detail {

/// What may be named.
enum class IndexKeyKind : char {
  namespace_ = 'n',
  label = 'l',
  annotation = 'a',
  namespace_label = 'N',
};

/// Keys of which whatever is selected has exactly one, or has one at all: it is looked for at each.
using AnyOfKeys = std::set<MapKey>;

/// What somebody's selectors name; any one criterion finds what they select.
class SelectionCriteria {
 public:
  SelectionCriteria& in_namespace(std::string_view name) {
    all_.push_back({key(IndexKeyKind::namespace_, name, {})});
    return *this;
  }
  /// In one of them.
  SelectionCriteria& in_namespaces(const Texts& names) {
    AnyOfKeys& criterion = all_.emplace_back();
    for (const std::string& name : names) criterion.insert(key(IndexKeyKind::namespace_, name, {}));
    return *this;
  }

  /// Of a selector of labels, annotations or namespaces. An absent one names nothing.
  SelectionCriteria& selected(IndexKeyKind clue, const std::optional<LabelSelector>& selector) {
    if (!selector) return *this;
    for (const auto& [name, value] : selector->match_labels)
      all_.push_back({key(clue, name, value)});
    for (const LabelSelectorRequirement& expression : selector->match_expressions) {
      if (expression.operator_ != LabelSelectorOperator::in) continue;
      AnyOfKeys& criterion = all_.emplace_back();
      for (const std::string& value : expression.values)
        criterion.insert(key(clue, expression.key, value));
    }
    return *this;
  }

  [[nodiscard]] const std::vector<AnyOfKeys>& all() const noexcept { return all_; }

  /// The criterion that `count` counts least for, of equals the first; null where there is none.
  template <class Count>
  [[nodiscard]] const AnyOfKeys* least(Count count) const {
    const AnyOfKeys* best = nullptr;
    std::size_t fewest = 0;
    for (const AnyOfKeys& criterion : all_) {
      const std::size_t number = count(criterion);
      if (best != nullptr && number >= fewest) continue;
      best = &criterion;
      fewest = number;
    }
    return best;
  }

 private:
  static MapKey key(IndexKeyKind clue, std::string_view first, std::string_view second) {
    return {static_cast<char>(clue), std::string(first), std::string(second)};
  }

  std::vector<AnyOfKeys> all_;
};

/// What is looked for.
struct Selectable {
  std::string_view namespace_{};
  const Labels* labels = nullptr;
  const Labels* annotations = nullptr;
  const Labels* namespace_labels = nullptr;
};

/// Entries whose type only `SelectorIndex` knows, so that one index is compiled for all types.
class SelectorEntries {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  void add(SharedOwner owner, const void* entry, const SelectionCriteria& criteria) {
    ++size_;
    const AnyOfKeys* const best =
        criteria.least([&](const AnyOfKeys& criterion) { return longest(criterion); });
    if (best == nullptr) return by_key_[always].push_back({std::move(owner), entry});
    for (const MapKey& key : *best) by_key_[view(key)].push_back({owner, entry});
  }

  void remove(const void* entry, const SelectionCriteria& criteria) {
    --size_;
    if (take_out(entry, always)) return;
    for (const AnyOfKeys& criterion : criteria.all())
      for (const MapKey& key : criterion) take_out(entry, view(key));
  }

  /// Calls `use` with those that may select the object: those that are always looked at, and those at
  /// each thing that it has.
  template <class Use>
  void for_each_candidate(const Selectable& object, Use use) const {
    const auto take = [&](const Entries* entries) {
      if (entries == nullptr) return;
      for (const OwnedEntry& one : *entries) use(one.entry);
    };
    take(by_key_.find(always));
    take(by_key_.find({static_cast<char>(IndexKeyKind::namespace_), object.namespace_, {}}));
    const auto take_all = [&](IndexKeyKind clue, const Labels* labels) {
      if (labels == nullptr) return;
      for (const auto& [key, value] : *labels)
        take(by_key_.find({static_cast<char>(clue), key, value}));
    };
    take_all(IndexKeyKind::label, object.labels);
    take_all(IndexKeyKind::annotation, object.annotations);
    take_all(IndexKeyKind::namespace_label, object.namespace_labels);
  }

  /// Calls `use` with all of them.
  template <class Use>
  void for_each(Use use) const {
    by_key_.for_each([&](const Entries& entries) {
      for (const OwnedEntry& one : entries) use(one.entry);
    });
  }

 private:
  struct OwnedEntry {
    SharedOwner owner;
    const void* entry;
  };
  using Entries = std::vector<OwnedEntry>;

  static constexpr MapKeyView always{'*', {}, {}};  ///< where those are that name nothing

  /// Whether it stood there.
  bool take_out(const void* entry, const MapKeyView& key) {
    const auto is_entry = [&](const OwnedEntry& one) { return one.entry == entry; };
    const Entries* const entries = by_key_.find(key);
    if (entries == nullptr || detail::none_of(*entries, is_entry)) return false;
    Entries& own = by_key_[key];
    detail::erase_if(own, is_entry);
    if (own.empty()) by_key_.erase(key);
    return true;
  }

  [[nodiscard]] std::size_t longest(const AnyOfKeys& criterion) const noexcept {
    std::size_t most = 0;
    for (const MapKey& key : criterion) {
      const Entries* const entries = by_key_.find(view(key));
      if (entries != nullptr) most = std::max(most, entries->size());
    }
    return most;
  }

  PersistentMap<Entries> by_key_;
  std::size_t size_ = 0;
};

/// Copies share what they have in common.
template <class T>
class SelectorIndex {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return entries_.size(); }

  void add(const Shared<T>& entry, const SelectionCriteria& criteria) {
    entries_.add(entry, &*entry, criteria);
  }

  /// Takes out an entry that was added with the same criteria.
  void remove(const T& entry, const SelectionCriteria& criteria) {
    entries_.remove(&entry, criteria);
  }

  /// Calls `use` with those that may select the object, in no order.
  template <class Use>
  void for_each_candidate(const Selectable& object, Use use) const {
    entries_.for_each_candidate(object, [&](const void* entry) { use(entry_of(entry)); });
  }

  /// Those that `selects`, in the order of `T`: `before(other)`.
  template <class Selects>
  [[nodiscard]] std::vector<const T*> find(const Selectable& object, Selects&& selects) const {
    std::vector<const T*> found;
    found.reserve(std::min<std::size_t>(size(), 8));  // most objects are selected by a few
    for_each_candidate(object, [&](const T& entry) {
      if (selects(entry)) found.push_back(&entry);
    });
    std::sort(found.begin(), found.end(), [](const T* a, const T* b) { return a->before(*b); });
    return found;
  }

  /// How many `find` looks at.
  [[nodiscard]] std::size_t candidates(const Selectable& object) const {
    std::size_t count = 0;
    entries_.for_each_candidate(object, [&](const void*) { ++count; });
    return count;
  }

  /// Calls `f` with each entry, at least once, in no order.
  template <class F>
  void for_each(F&& f) const {
    entries_.for_each([&](const void* entry) { f(entry_of(entry)); });
  }

 private:
  static const T& entry_of(const void* entry) noexcept { return *static_cast<const T*>(entry); }

  SelectorEntries entries_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/metadata_policy/impl/rules.hpp

/// What compiled policies are made of.

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// A compiled rule, with its policy and its index in it.
struct CompiledRule {
  std::string namespace_;
  std::string policy;
  std::size_t index = 0;
  LabelMatcher labels;
  LabelMatcher annotations;
  PolicyAction action;
  bool uses_qos = false;  ///< pods have to say their quality of service for it
  schedpol::detail::SelectionCriteria criteria;  ///< what its selectors name

  /// Whether it applies first of two rules of one namespace.
  [[nodiscard]] bool before(const CompiledRule& other) const noexcept {
    return std::tie(policy, index) < std::tie(other.policy, other.index);
  }

  [[nodiscard]] bool matches(const ObjectMeta& metadata) const noexcept {
    return namespace_ == namespace_of(metadata) && labels.matches(metadata.labels) &&
           annotations.matches(metadata.annotations);
  }
};

/// The labels and annotations that updating rules write, and how many rules do, so that a policy
/// can be taken out again.
class WrittenPairs {
 public:
  void add(const CompiledRule& rule) {
    for_each(rule, [&](const schedpol::detail::MapKeyView& key, const std::string& value) {
      ++writers_[key][value];
    });
  }
  /// A rule that was added.
  void remove(const CompiledRule& rule) {
    for_each(rule, [&](const schedpol::detail::MapKeyView& key, const std::string& value) {
      Writers& writers = writers_[key];
      const auto found = writers.find(value);
      if (--found->second == 0) writers.erase(found);
      if (writers.empty()) writers_.erase(key);
    });
  }

  /// The object without them; none where it has none of them.
  [[nodiscard]] std::optional<ObjectMeta> without(const ObjectMeta& metadata) const {
    std::optional<ObjectMeta> without;
    const auto drop = [&](char what, Labels ObjectMeta::*pairs) {
      for (const auto& [key, value] : metadata.*pairs) {
        const Writers* const writers = writers_.find({what, namespace_of(metadata), key});
        if (writers == nullptr || !writers->contains(value)) continue;
        if (!without) without = metadata;
        ((*without).*pairs).erase(key);
      }
    };
    drop(label, &ObjectMeta::labels);
    drop(annotation, &ObjectMeta::annotations);
    return without;
  }

 private:
  using Writers = std::map<std::string, std::size_t, std::less<>>;  ///< by value
  static constexpr char label = 'l';
  static constexpr char annotation = 'a';

  template <class F>
  static void for_each(const CompiledRule& rule, F&& f) {
    if (rule.action.reject) return;
    for (const auto& [key, value] : rule.action.updated_labels)
      f({label, rule.namespace_, key}, value);
    for (const auto& [key, value] : rule.action.updated_annotations)
      f({annotation, rule.namespace_, key}, value);
  }

  schedpol::detail::PersistentMap<Writers> writers_;  ///< by what it is, namespace and key
};

}  // namespace detail

struct CompiledPolicies::Impl {
  using Rule = detail::CompiledRule;

  schedpol::detail::SelectorIndex<Rule> rules{};
  schedpol::detail::PersistentMap<std::vector<Shared<Rule>>> by_policy{};
  detail::WrittenPairs written{};
  schedpol::detail::PersistentMap<std::size_t>
      rules_of_qos{};  ///< by namespace, where there are any

  void add(Rule rule) {
    if (rule.uses_qos) ++rules_of_qos[{0, rule.namespace_, {}}];
    const Shared<Rule> shared(std::move(rule));
    by_policy[{0, shared->namespace_, shared->policy}].push_back(shared);
    rules.add(shared, shared->criteria);
    written.add(*shared);
  }
  void remove(const MetadataPolicy& policy) {
    const std::vector<Shared<Rule>>* const all = by_policy.find(key_of(policy));
    if (all == nullptr) return;
    for (const Shared<Rule>& rule : *all) {
      rules.remove(*rule, rule->criteria);
      written.remove(*rule);
      if (rule->uses_qos) remove_rule_of_qos(rule->namespace_);
    }
    by_policy.erase(key_of(policy));
  }

  /// Whether pods of the namespace have to say their quality of service.
  [[nodiscard]] bool uses_qos(std::string_view namespace_) const noexcept {
    return rules_of_qos.find({0, namespace_, {}}) != nullptr;
  }

  /// Those that match an object, in the order in which they apply.
  [[nodiscard]] std::vector<const Rule*> matching(const ObjectMeta& metadata) const {
    return rules.find(selectable(metadata),
                      [&](const Rule& rule) { return rule.matches(metadata); });
  }

  static schedpol::detail::Selectable selectable(const ObjectMeta& metadata) {
    return {.namespace_ = namespace_of(metadata),
            .labels = &metadata.labels,
            .annotations = &metadata.annotations};
  }

 private:
  void remove_rule_of_qos(std::string_view namespace_) {
    const schedpol::detail::MapKeyView key{0, namespace_, {}};
    if (--rules_of_qos[key] == 0) rules_of_qos.erase(key);
  }

  static schedpol::detail::MapKeyView key_of(const MetadataPolicy& policy) noexcept {
    return {0, namespace_of(policy.metadata), policy.metadata.name};
  }
};

/// For the functions that ask compiled policies.
struct CompiledPoliciesAccess {
  /// Null where nothing was compiled.
  [[nodiscard]] static const CompiledPolicies::Impl* of(const CompiledPolicies& policies) noexcept {
    return policies.impl_ ? &*policies.impl_ : nullptr;
  }
};

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/metadata_policy/impl/metadata_admission.ipp

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

using MatchingRules = std::vector<const CompiledRule*>;

/// Writes to one of the two maps at `field` what the rules update there, with changes and
/// conflicts in the order of keys.
inline void write(MetadataAdmission& admission, const FieldPath& field, Labels& into,
                  const MatchingRules& rules, Labels PolicyAction::*updates) {
  std::map<std::string_view, std::vector<std::size_t>> writers;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    for (const auto& [key, value] : rules[i]->action.*updates) writers[key].push_back(i);
  }
  for (const auto& [key, by] : writers) {
    const auto written = [&, key = key](std::size_t rule) -> const std::string& {
      return *find_label(rules[rule]->action.*updates, key);
    };
    const std::string& last = written(by.back());
    const std::string* before = find_label(into, key);
    if (before == nullptr || *before != last) {
      admission.changes.push_back({field.key(key),
                                   before == nullptr ? std::nullopt : std::optional(*before), last,
                                   rules[by.back()]->policy});
      into[std::string(key)] = last;
    }
    bool disagree = false;
    for (const std::size_t rule : by) disagree |= written(rule) != last;
    if (!disagree) continue;
    Conflict conflict{field.key(key), {}};
    for (const std::size_t rule : by)
      conflict.writes.push_back({{rules[rule]->policy, rules[rule]->index}, written(rule)});
    admission.conflicts.push_back(std::move(conflict));
  }
}

inline std::vector<Violation> violations(const std::vector<FieldError>& errors,
                                         const std::vector<RuleName>& rejected_by,
                                         const FieldPath& field) {
  std::vector<Violation> violations;
  for (const FieldError& error : errors) {
    violations.push_back(
        {.code = ViolationCode::invalid_policy, .field = field, .value = message(error)});
  }
  for (const RuleName& rejecting : rejected_by) {
    violations.push_back({.code = ViolationCode::rejected_by_rule,
                          .field = field,
                          .value = std::to_string(rejecting.rule),
                          .policies = {rejecting.policy}});
  }
  return violations;
}

/// What the rules decide on the metadata. Where there is an old object, a rule that matched it
/// rejects nothing; none where every rule that would reject did, so that the object stays as it is.
inline std::optional<MetadataAdmission> decide(ObjectMeta metadata, const ObjectMeta* old,
                                               const CompiledPolicies& policies,
                                               const FieldPath& field) {
  MetadataAdmission admission;
  admission.metadata = std::move(metadata);
  const auto* const compiled = CompiledPoliciesAccess::of(policies);
  if (compiled == nullptr) {
    admission.errors.push_back(
        {ErrorType::required, {"policies"}, "", "nothing has been compiled"});
    return admission;
  }
  const MatchingRules matching = compiled->matching(admission.metadata);
  bool rejects = false;
  for (const CompiledRule* rule : matching) {
    if (!rule->action.reject) continue;
    rejects = true;
    if (old != nullptr && rule->matches(*old)) continue;
    admission.rejected_by.push_back({rule->policy, rule->index});
  }
  admission.allowed = !rejects;
  if (!admission.rejected_by.empty()) return admission;
  if (rejects) return std::nullopt;
  write(admission, field.child("labels"), admission.metadata.labels, matching,
        &PolicyAction::updated_labels);
  write(admission, field.child("annotations"), admission.metadata.annotations, matching,
        &PolicyAction::updated_annotations);
  return admission;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Violation> violations(const MetadataAdmission& admission,
                                                  const FieldPath& field) {
  return detail::violations(admission.errors, admission.rejected_by, field);
}

SCHEDPOL_INLINE MetadataAdmission admit(ObjectMeta metadata, const CompiledPolicies& policies,
                                        const FieldPath& field) {
  return *detail::decide(std::move(metadata), nullptr, policies, field);
}

SCHEDPOL_INLINE MetadataAdmission admit(ObjectMeta metadata,
                                        std::span<const MetadataPolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return admit(std::move(metadata), *compiled);
  MetadataAdmission admission;
  admission.metadata = std::move(metadata);
  admission.errors = compiled.errors();
  return admission;
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/metadata_policy/impl/admit.ipp

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// The change that writing the quality of service made, if it made one.
inline std::optional<Change> qos_change(const Labels& before, const Labels& after,
                                        const FieldPath& annotations) {
  const std::string* from = find_label(before, qos_annotation);
  const std::string* to = find_label(after, qos_annotation);
  if (to == nullptr || (from != nullptr && *from == *to)) return std::nullopt;
  return Change{annotations.key(qos_annotation),
                from == nullptr ? std::nullopt : std::optional(*from), *to, ""};
}

/// Gives the pod the scheduler that its annotation names, if it names one.
inline void resolve_scheduler(Pod& pod) {
  const std::string* name = find_label(pod.metadata.annotations, scheduler_name_annotation);
  if (name != nullptr && !name->empty()) pod.spec.scheduler_name = *name;
}

/// What becomes of a pod whose metadata `decide(metadata, field)` decides on, with its quality of
/// service where it `says_qos`; where that says nothing the pod is allowed as it came.
template <class Decide>
SchedulerChoice choose(const Pod& pod, bool chooses_scheduler, bool says_qos, Decide&& decide) {
  const FieldPath metadata = field_path(pod.kind, {"metadata"});
  const FieldPath annotations = metadata.child("annotations");
  Pod chosen = says_qos ? annotate_qos(pod) : Pod(pod);
  auto qos_change =
      detail::qos_change(pod.metadata.annotations, chosen.metadata.annotations, annotations);
  std::optional<MetadataAdmission> decided = decide(std::move(chosen.metadata), metadata);
  if (!decided) return {.allowed = true, .pod = pod};
  MetadataAdmission& admission = *decided;
  SchedulerChoice choice;
  choice.allowed = admission.allowed;
  choice.rejected_by = std::move(admission.rejected_by);
  choice.conflicts = std::move(admission.conflicts);
  choice.errors = std::move(admission.errors);
  if (!choice.allowed) {
    choice.pod = Pod(pod);
    return choice;
  }
  if (qos_change) choice.changes.push_back(*std::move(qos_change));
  const FieldPath scheduler_annotation = annotations.key(scheduler_name_annotation);
  std::string chosen_by;
  for (Change& change : admission.changes) {
    if (change.field == scheduler_annotation) chosen_by = change.policy;
    choice.changes.push_back(std::move(change));
  }
  chosen.metadata = std::move(admission.metadata);
  if (chooses_scheduler) resolve_scheduler(chosen);
  const std::string& before = pod.spec.scheduler_name;
  if (chosen.spec.scheduler_name != before) {
    choice.changes.push_back({field_path(pod.kind, {"spec", "schedulerName"}),
                              before.empty() ? std::nullopt : std::optional(before),
                              chosen.spec.scheduler_name, std::move(chosen_by)});
  }
  choice.pod = std::move(chosen);
  return choice;
}

/// What of a selector is about one label.
inline LabelSelector part_about(const LabelSelector& selector, const std::string& key) {
  LabelSelector part;
  if (const std::string* value = find_label(selector.match_labels, key))
    part.match_labels.emplace(key, *value);
  for (const LabelSelectorRequirement& each : selector.match_expressions)
    if (each.key == key) part.match_expressions.push_back(each);
  return part;
}

/// Of a template that its workload selected before it was changed, and now does not: each label that
/// is to blame. Nothing of a selector that is malformed, or did not select the template before.
inline std::vector<Warning> selector_warnings(const Pod& before, const Pod& after,
                                              const std::vector<Change>& changes) {
  if (!before.selector || changes.empty() || before.metadata.labels == after.metadata.labels)
    return {};
  const auto selects = [](const std::optional<LabelSelector>& selector, const Pod& pod) {
    const auto compiled = schedpol::compile(selector);
    return compiled && compiled->matches(pod.metadata.labels);
  };
  if (!selects(before.selector, before)) return {};
  const FieldPath labels = field_path(before.kind, {"metadata", "labels"});
  std::vector<Warning> warnings;
  for (const auto& [key, value] : after.metadata.labels) {
    const std::optional<LabelSelector> needed = part_about(*before.selector, key);
    if (selects(needed, after)) continue;
    const FieldPath field = labels.key(key);
    const auto change = std::find_if(changes.begin(), changes.end(),
                                     [&](const Change& each) { return each.field == field; });
    if (change == changes.end()) continue;
    warnings.push_back({field,
                        "the selector of the " + std::string(to_string(before.kind)) + " needs " +
                            in_backticks(to_string(needed)) + " and does not select " +
                            in_backticks(value) + ", so the API server refuses it",
                        {change->policy}});
  }
  return warnings;
}

/// What a choice for a pod comes to.
inline Admission to_admission(const Pod& pod, SchedulerChoice&& choice) {
  Admission admission;
  admission.allowed = choice.allowed;
  admission.violations =
      violations(choice.errors, choice.rejected_by, field_path(pod.kind, {"metadata"}));
  if (!choice.changes.empty()) admission.before.emplace(pod);
  admission.warnings = selector_warnings(pod, choice.pod, choice.changes);
  admission.pod = std::move(choice.pod);
  admission.changes = std::move(choice.changes);
  return admission;
}

}  // namespace detail

SCHEDPOL_INLINE Pod annotate_qos(Pod pod) {
  pod.metadata.annotations[std::string(qos_annotation)] = to_string(effective_qos_class(pod.spec));
  return pod;
}

SCHEDPOL_INLINE SchedulerChoice choose_scheduler(const Pod& pod, const CompiledPolicies& policies) {
  if (pod.spec.moved_from)
    return {.pod = pod, .errors = {schedpol::detail::moved_from_error(pod.kind)}};
  return detail::choose(pod, true, true, [&](ObjectMeta metadata, const FieldPath& field) {
    return std::optional(admit(std::move(metadata), policies, field));
  });
}

SCHEDPOL_INLINE SchedulerChoice choose_scheduler(const Pod& pod,
                                                 std::span<const MetadataPolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return choose_scheduler(pod, *compiled);
  return {.pod = pod, .errors = compiled.errors()};
}

SCHEDPOL_INLINE Admission admit(const Pod& pod, const CompiledPolicies& policies) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(Pod(pod));
  return detail::to_admission(pod, choose_scheduler(pod, policies));
}

SCHEDPOL_INLINE Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return admit(pod, *compiled);
  return schedpol::detail::invalid_policies_denial(pod, field_path(pod.kind, {"metadata"}),
                                                   compiled.errors(), policies);
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/core/impl/name_order.hpp

/// The order in which policies count, and duplicate names.
///
/// The order is the byte order of the names, then of the namespaces. Cluster-scoped objects have no
/// namespace, so they come first. The order of the input does not count.

namespace SCHEDPOL_NAMESPACE::detail {

/// What tells one object of a list from the others.
struct NamedObject {
  std::string_view name{};
  std::string_view namespace_{};  ///< empty: of the cluster
  std::size_t index = 0;          ///< in the list

  /// Whether both are called the same, which no two objects of a cluster are.
  [[nodiscard]] bool is_namesake(const NamedObject& other) const noexcept {
    return name == other.name && namespace_ == other.namespace_;
  }
};

/// The order; namesakes stay in that of the list.
[[nodiscard]] inline bool is_before(const NamedObject& a, const NamedObject& b) noexcept {
  return std::tie(a.name, a.namespace_, a.index) < std::tie(b.name, b.namespace_, b.index);
}

inline void sort_by_name(std::vector<NamedObject>& objects) {
  std::sort(objects.begin(), objects.end(), is_before);
}

/// Of objects in the order of `sort_by_name`, those that have a namesake before them.
inline std::vector<NamedObject> namesakes(const std::vector<NamedObject>& sorted) {
  std::vector<NamedObject> later;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].is_namesake(sorted[i - 1])) later.push_back(sorted[i]);
  }
  return later;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/metadata_policy/impl/compile.ipp

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// Whether a pod's quality of service matters to a rule, or to the scheduler that it writes.
inline bool uses_qos(const MetadataPolicyRule& rule) {
  const auto& [reject, labels, annotations] = rule.policy_action;
  if (!reject && annotations.contains(scheduler_name_annotation)) return true;
  const std::optional<LabelSelector>& selector = rule.policy_predicate.annotation_selector;
  return selector &&
         (selector->match_labels.contains(qos_annotation) ||
          schedpol::detail::any_of(selector->match_expressions, [](const auto& expression) {
            return expression.key == qos_annotation;
          }));
}

/// Adds the rules of one policy, and what is wrong with them to `errors`.
inline void compile_policy(const MetadataPolicy& policy, const schedpol::detail::PathBuilder& at,
                           std::vector<CompiledRule>& rules,
                           schedpol::detail::FieldErrors& errors) {
  using schedpol::detail::compile_for;
  using schedpol::detail::PathBuilder;
  const PathBuilder spec = at.child("spec");
  const PathBuilder list = spec.child("rules");
  for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) {
    const auto& [predicate, action] = policy.spec.rules[i];
    const PathBuilder item = list.index(i);
    const PathBuilder place = item.child("policyPredicate");
    const auto matcher = [&](const std::optional<LabelSelector>& selector, std::string_view field,
                             SelectedValues values) {
      return compile_for(policy.metadata.name, selector.value_or(LabelSelector{}),
                         place.child(field), errors, values);
    };
    CompiledRule rule;
    rule.namespace_ = namespace_of(policy.metadata);
    rule.policy = policy.metadata.name;
    rule.index = i;
    rule.labels = matcher(predicate.label_selector, "labelSelector", SelectedValues::labels);
    rule.annotations =
        matcher(predicate.annotation_selector, "annotationSelector", SelectedValues::annotations);
    rule.action = action;
    rule.uses_qos = detail::uses_qos(policy.spec.rules[i]);
    rule.criteria.in_namespace(rule.namespace_)
        .selected(schedpol::detail::IndexKeyKind::label, predicate.label_selector)
        .selected(schedpol::detail::IndexKeyKind::annotation, predicate.annotation_selector);
    rules.push_back(std::move(rule));
  }
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> CompiledPolicies::with(
    std::span<const MetadataPolicy> policies) const {
  schedpol::detail::FieldErrors errors;
  std::vector<detail::CompiledRule> rules;
  std::vector<schedpol::detail::NamedObject> names;
  const schedpol::detail::PathBuilder root;
  const schedpol::detail::PathBuilder list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    detail::compile_policy(policies[i], list.index(i), rules, errors);
    names.push_back({policies[i].metadata.name, namespace_of(policies[i].metadata), i});
  }
  schedpol::detail::sort_by_name(names);
  for (const auto& named : schedpol::detail::namesakes(names))
    errors.add(ErrorType::duplicate, list, named.name, "two policies have this name");
  if (!errors.empty()) return std::move(errors).take();
  Impl impl = impl_ ? *impl_ : Impl();
  for (const MetadataPolicy& policy : policies) impl.remove(policy);
  for (detail::CompiledRule& rule : rules) impl.add(std::move(rule));
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE CompiledPolicies
CompiledPolicies::without(std::span<const MetadataPolicy> policies) const {
  if (!impl_) return {};
  Impl impl = *impl_;
  for (const MetadataPolicy& policy : policies) impl.remove(policy);
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const MetadataPolicy> policies) {
  return CompiledPolicies().with(policies);
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/metadata_policy/impl/reinvocation.ipp

namespace SCHEDPOL_NAMESPACE::metadata_policy {

namespace detail {

/// `old` is null when the object is created. None where the object is allowed as it came.
[[nodiscard]] inline std::optional<MetadataAdmission> readmit(const ObjectMeta& metadata,
                                                              const ObjectMeta* old,
                                                              const CompiledPolicies& policies,
                                                              const FieldPath& field) {
  if (!metadata.deletion_timestamp.empty()) return std::nullopt;
  std::optional<MetadataAdmission> admission = decide(metadata, old, policies, field);
  if (admission && admission->allowed && admission->changes.empty()) return admission;
  const auto* const compiled = CompiledPoliciesAccess::of(policies);
  if (compiled == nullptr) return admission;
  std::optional<ObjectMeta> before = compiled->written.without(metadata);
  if (!before) return admission;
  std::optional<MetadataAdmission> made = decide(*std::move(before), nullptr, policies, field);
  if (!made->allowed || made->metadata != metadata) return admission;
  made->changes.clear();
  return made;
}

[[nodiscard]] inline MetadataAdmission as_it_came(std::optional<MetadataAdmission>&& admission,
                                                  ObjectMeta&& metadata) {
  if (admission) return *std::move(admission);
  return {.allowed = true, .metadata = std::move(metadata)};
}

/// Whether a pod has to say its quality of service.
[[nodiscard]] inline bool says_qos(const Pod& pod, const CompiledPolicies& policies,
                                   QosAnnotation qos) {
  const auto* const compiled = CompiledPoliciesAccess::of(policies);
  return qos == QosAnnotation::always ||
         (compiled != nullptr && compiled->uses_qos(namespace_of(pod.metadata)));
}

[[nodiscard]] inline Admission readmit(const Pod& pod, const ObjectMeta* old,
                                       const CompiledPolicies& policies, bool says_qos) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(Pod(pod));
  const bool chooses_scheduler = old == nullptr || pod.kind != PodKind::pod;
  return to_admission(pod, choose(pod, chooses_scheduler, says_qos,
                                  [&](const ObjectMeta& metadata, const FieldPath& field) {
                                    return readmit(metadata, old, policies, field);
                                  }));
}

}  // namespace detail

SCHEDPOL_INLINE MetadataAdmission readmit(ObjectMeta metadata, const CompiledPolicies& policies,
                                          const FieldPath& field) {
  auto admission = detail::readmit(metadata, nullptr, policies, field);
  return detail::as_it_came(std::move(admission), std::move(metadata));
}

SCHEDPOL_INLINE MetadataAdmission readmit_update(const Old<ObjectMeta>& old, ObjectMeta updated,
                                                 const CompiledPolicies& policies,
                                                 const FieldPath& field) {
  auto admission = detail::readmit(updated, &old.object, policies, field);
  return detail::as_it_came(std::move(admission), std::move(updated));
}

SCHEDPOL_INLINE Admission readmit(const Pod& pod, const CompiledPolicies& policies,
                                  QosAnnotation qos) {
  return detail::readmit(pod, nullptr, policies, detail::says_qos(pod, policies, qos));
}

SCHEDPOL_INLINE Admission readmit_update(const Old<Pod>& old, const Pod& updated,
                                         const CompiledPolicies& policies, QosAnnotation qos) {
  if (!detail::says_qos(updated, policies, qos))
    return detail::readmit(updated, &old.object.metadata, policies, false);
  const ObjectMeta before = annotate_qos(old.object).metadata;
  return detail::readmit(updated, &before, policies, true);
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/core/impl/spec_size.hpp

/// The size of a policy's spec, as `max_policy_bytes` counts it.

namespace SCHEDPOL_NAMESPACE::detail {

/// Counts the texts of what it is given, and the items and pairs that they stand in. The parts of a
/// type are what its function `add_parts` adds.
class SpecSize {
 public:
  template <class... Parts>
  void add_all(const Parts&... parts) {
    (add(parts), ...);
  }

  void add(std::string_view text) noexcept { bytes_ += policy_text_bytes + text.size(); }
  void add(const std::string& text) noexcept { add(std::string_view(text)); }
  void add(const Quantity&) noexcept {}
  void add(const Texts& texts) {
    for (const std::string& text : texts) add(text);
  }
  template <class Word>
  void add(const OpenEnum<Word>& word) {
    add(word.text());
  }
  template <AnyOptional Part>
  void add(const Part& part) {
    if (part) add(*part);
  }
  template <class T>
  void add(const AnyOr<T>& part) {
    add(part.listed());
  }
  template <class T>
  void add(const std::vector<T>& items) {
    bytes_ += policy_entry_bytes * items.size();
    for (const T& item : items) add(item);
  }
  template <class Value>
  void add(const TextMap<Value>& pairs) {
    bytes_ += policy_entry_bytes * pairs.size();
    for (const auto& [key, value] : pairs) add_all(key, value);
  }
  template <class T>
  void add(const T& part) {
    add_parts(*this, part);
  }

  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

  /// An error where it is more than a policy may have.
  void validate(FieldErrors& errors, const PathBuilder& spec) const {
    if (bytes_ <= max_policy_bytes) return;
    errors.add(ErrorType::too_long, spec, std::to_string(bytes_),
               "the texts and entries of a policy have at most " +
                   std::to_string(max_policy_bytes) + " bytes");
  }

 private:
  std::size_t bytes_ = 0;
};

/// An expression of a label selector or a node selector.
template <class Expression>
  requires requires(const Expression& of) { of.key, of.operator_, of.values; }
void add_parts(SpecSize& size, const Expression& expression) {
  size.add_all(expression.key, expression.operator_, expression.values);
}
inline void add_parts(SpecSize& size, const LabelSelector& selector) {
  size.add_all(selector.match_labels, selector.match_expressions);
}
inline void add_parts(SpecSize& size, const NodeSelectorTerm& term) {
  size.add_all(term.match_expressions, term.match_fields);
}
inline void add_parts(SpecSize& size, const NodeSelector& selector) {
  size.add(selector.node_selector_terms);
}
inline void add_parts(SpecSize& size, const PreferredSchedulingTerm& term) {
  size.add(term.preference);
}
inline void add_parts(SpecSize& size, const PodAffinityTerm& term) {
  size.add_all(term.label_selector, term.namespaces, term.topology_key, term.namespace_selector,
               term.match_label_keys, term.mismatch_label_keys);
}
inline void add_parts(SpecSize& size, const WeightedPodAffinityTerm& term) {
  size.add(term.pod_affinity_term);
}
inline void add_parts(SpecSize& size, const NodeAffinity& affinity) {
  size.add_all(affinity.required_during_scheduling_ignored_during_execution,
               affinity.preferred_during_scheduling_ignored_during_execution);
}
inline void add_parts(SpecSize& size, const PodAffinity& affinity) {
  size.add_all(affinity.required_during_scheduling_ignored_during_execution,
               affinity.preferred_during_scheduling_ignored_during_execution);
}
inline void add_parts(SpecSize& size, const Affinity& affinity) {
  size.add_all(affinity.node_affinity, affinity.pod_affinity, affinity.pod_anti_affinity);
}
inline void add_parts(SpecSize& size, const Toleration& toleration) {
  size.add_all(toleration.key, toleration.operator_, toleration.value, toleration.effect);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/metadata_policy/impl/validate.ipp

namespace SCHEDPOL_NAMESPACE::metadata_policy {

inline void add_parts(schedpol::detail::SpecSize& size, const MetadataPolicyRule& rule) {
  const auto& [predicate, action] = rule;
  size.add_all(predicate.label_selector, predicate.annotation_selector, action.updated_labels,
               action.updated_annotations);
}

namespace detail {

inline void validate_predicate(schedpol::detail::FieldErrors& errors,
                               const schedpol::detail::PathBuilder& at,
                               const PolicyPredicate& predicate) {
  using schedpol::detail::validate_selector;
  if (predicate.label_selector) {
    validate_selector(errors, at.child("labelSelector"), *predicate.label_selector,
                      SelectedValues::labels);
  }
  if (predicate.annotation_selector) {
    validate_selector(errors, at.child("annotationSelector"), *predicate.annotation_selector,
                      SelectedValues::annotations);
  }
}

/// The key of an annotation is a qualified name, too, but its case does not matter to the API server.
[[nodiscard]] inline std::vector<std::string> annotation_key_problems(std::string key) {
  for (char& c : key)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return schedpol::detail::label_key_problems(key);
}

inline void validate_action(schedpol::detail::FieldErrors& errors,
                            const schedpol::detail::PathBuilder& at, const PolicyAction& action) {
  schedpol::detail::validate_labels(errors, at.child("updatedLabels"), action.updated_labels);
  const schedpol::detail::PathBuilder annotations = at.child("updatedAnnotations");
  for (const auto& [key, value] : action.updated_annotations)
    errors.add_all(annotations, key, annotation_key_problems(key));
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const MetadataPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::PathBuilder object;
  schedpol::detail::validate_metadata(errors, object.child("metadata"), policy.metadata);
  const schedpol::detail::PathBuilder spec = object.child("spec");
  const schedpol::detail::PathBuilder rules = spec.child("rules");
  for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) {
    const schedpol::detail::PathBuilder rule = rules.index(i);
    detail::validate_predicate(errors, rule.child("policyPredicate"),
                               policy.spec.rules[i].policy_predicate);
    detail::validate_action(errors, rule.child("policyAction"), policy.spec.rules[i].policy_action);
  }
  schedpol::detail::SpecSize size;
  size.add(policy.spec.rules);
  size.validate(errors, spec);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE::metadata_policy

// schedpol/core/impl/required_pod_terms.hpp

/// Whether required pod affinity contradicts required pod anti-affinity: a term requires a pod in a domain,
/// and an equal term excludes the same pods from it. Terms are equal if they have the same topology key,
/// label selector, namespaces, namespace selector and label keys; order and duplicates do not count, and
/// a pair of matchLabels is In with one value. A term without namespaces and namespace selector is about
/// the namespace of its pod. A term without a label selector selects no pods, so it equals no
/// term.

namespace SCHEDPOL_NAMESPACE::detail {

/// What equal terms have in common; nothing of a term that selects no pods.
inline std::optional<std::string> identity_of(const PodAffinityTerm& term,
                                              std::string_view own_namespace) {
  if (!term.label_selector) return std::nullopt;
  using Sorted = std::set<std::string_view>;
  TextKey key;
  const auto add = [&key](const Sorted& texts) {
    key.add(std::to_string(texts.size()));
    for (const std::string_view text : texts) key.add(text);
  };
  const auto add_selector = [&](const LabelSelector& selector) {
    std::set<std::string> requirements;
    const auto insert = [&](std::string_view of_key, std::string_view operator_,
                            const Sorted& values) {
      TextKey requirement;
      requirement.add(of_key).add(operator_);
      for (const std::string_view value : values) requirement.add(value);
      requirements.insert(std::move(requirement).text());
    };
    for (const auto& [of_key, value] : selector.match_labels) insert(of_key, "In", {value});
    for (const LabelSelectorRequirement& each : selector.match_expressions)
      insert(each.key, each.operator_.text(), {each.values.begin(), each.values.end()});
    add({requirements.begin(), requirements.end()});
  };
  key.add(term.topology_key);
  add_selector(*term.label_selector);
  if (term.namespace_selector) {
    add_selector(*term.namespace_selector);
  } else {
    key.add_missing();
  }
  Sorted namespaces(term.namespaces.begin(), term.namespaces.end());
  if (namespaces.empty() && !term.namespace_selector) namespaces.insert(own_namespace);
  add(namespaces);
  add({term.match_label_keys.begin(), term.match_label_keys.end()});
  add({term.mismatch_label_keys.begin(), term.mismatch_label_keys.end()});
  return std::move(key).text();
}

/// The required terms of one pod, of its affinity or its anti-affinity, for those that are to be added
/// to the other kind.
class RequiredPodTerms {
 public:
  explicit RequiredPodTerms(std::string_view own_namespace) : own_namespace_(own_namespace) {}

  /// Whether one of them, which stand in `kind`, contradicts `term` of the other kind. From one question
  /// to the next terms are only appended to `kind`.
  [[nodiscard]] bool contradict(const std::optional<PodAffinity>& kind,
                                const PodAffinityTerm& term) {
    if (!kind) return false;
    const auto& terms = kind->required_during_scheduling_ignored_during_execution;
    for (; known_ < terms.size(); ++known_)
      if (auto identity = identity_of(terms[known_], own_namespace_))
        identities_.insert(*std::move(identity));
    if (identities_.empty()) return false;
    const auto identity = identity_of(term, own_namespace_);
    return identity && identities_.contains(*identity);
  }

 private:
  std::string own_namespace_;
  std::set<std::string> identities_;
  std::size_t known_ = 0;  ///< how many of them are among the identities
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/pod_scheduling_policy/impl/compiled_policy.hpp

/// What stands behind CompiledPolicies: each policy with its selectors compiled.

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

namespace detail {

/// Its namespace tells two policies apart only where it has one.
inline schedpol::detail::NamedObject name_of(const PodSchedulingPolicy& policy,
                                             std::size_t index = 0) {
  if (policy.kind == PolicyKind::cluster_pod_scheduling_policy)
    return {policy.metadata.name, {}, index};
  return {policy.metadata.name, namespace_of(policy.metadata), index};
}

/// The same as a key.
inline schedpol::detail::MapKeyView key_of(const PodSchedulingPolicy& policy) {
  const schedpol::detail::NamedObject named = name_of(policy);
  return {0, named.namespace_, named.name};
}

using schedpol::detail::PolicyTerm;
using schedpol::detail::required_terms;

/// What a policy injects, and what policies may change of a pod.
template <class Spec>
SchedulingCriteria criteria_of(const Spec& spec) {
  return {.node_name = spec.node_name,
          .scheduler_name = spec.scheduler_name,
          .node_selector = spec.node_selector,
          .tolerations = spec.tolerations,
          .affinity = spec.affinity};
}

struct CompiledPolicy {
  PodSchedulingPolicy policy{};
  LabelMatcher pods{};
  LabelMatcher namespaces{};
  std::vector<PolicyTerm> required{};  ///< its required node terms, one for one
  SharedCriteria of_cluster{};         ///< what one of the cluster kind injects

  [[nodiscard]] bool is_of_cluster() const noexcept {
    return policy.kind == PolicyKind::cluster_pod_scheduling_policy;
  }

  /// Whether it applies to a pod with these labels in that namespace.
  [[nodiscard]] bool applies(const Labels& labels, const Namespace& in) const noexcept {
    const bool here = is_of_cluster() ? namespaces.matches(in.metadata.labels)
                                      : namespace_of(policy.metadata) == namespace_of(in);
    return here && pods.matches(labels);
  }

  /// Whether it applies first of two that apply.
  [[nodiscard]] bool before(const CompiledPolicy& other) const noexcept {
    return schedpol::detail::is_before(name_of(policy), name_of(other.policy));
  }

  /// What its selectors name.
  [[nodiscard]] schedpol::detail::SelectionCriteria criteria() const {
    using schedpol::detail::IndexKeyKind;
    schedpol::detail::SelectionCriteria criteria;
    if (is_of_cluster()) {
      criteria.selected(IndexKeyKind::namespace_label, policy.spec.namespace_selector);
    } else {
      criteria.in_namespace(namespace_of(policy.metadata));
    }
    return criteria.selected(IndexKeyKind::label, policy.spec.pod_selector);
  }

  /// Whether the labels of a namespace say if it applies there.
  [[nodiscard]] bool looks_at_namespaces() const noexcept {
    const auto& selector = policy.spec.namespace_selector;
    return is_of_cluster() && selector && *selector != LabelSelector{};
  }
};

}  // namespace detail

struct CompiledPolicies::Impl {
  schedpol::detail::SelectorIndex<detail::CompiledPolicy> policies{};
  schedpol::detail::PersistentMap<Shared<detail::CompiledPolicy>> by_name{};

  void add(detail::CompiledPolicy policy) {
    const Shared<detail::CompiledPolicy> shared(std::move(policy));
    policies.add(shared, shared->criteria());
    by_name[detail::key_of(shared->policy)] = shared;
  }
  void remove(const PodSchedulingPolicy& policy) {
    const Shared<detail::CompiledPolicy>* const found = by_name.find(detail::key_of(policy));
    if (found == nullptr) return;
    policies.remove(**found, (*found)->criteria());
    by_name.erase(detail::key_of(policy));
  }

  /// Those that apply to a pod with these labels, in the order in which they do.
  [[nodiscard]] std::vector<const detail::CompiledPolicy*> applying(const Labels& labels,
                                                                    const Namespace& in) const {
    return policies.find(selectable(labels, in), [&](const detail::CompiledPolicy& policy) {
      return policy.applies(labels, in);
    });
  }

  /// What some of them give to a pod together.
  [[nodiscard]] static std::size_t given_items(
      const std::vector<const detail::CompiledPolicy*>& applying) noexcept {
    std::size_t items = 0;
    for (const detail::CompiledPolicy* compiled : applying)
      items += schedpol::detail::given_items(compiled->policy.spec);
    return items;
  }

  static schedpol::detail::Selectable selectable(const Labels& labels, const Namespace& in) {
    return {
        .namespace_ = namespace_of(in), .labels = &labels, .namespace_labels = &in.metadata.labels};
  }
};

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/pod_scheduling_policy/impl/notes.hpp

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail {

/// Notes what one policy changes, and what of it is skipped. Fields are named as in a Pod.
class Notes {
 public:
  using Fields = std::initializer_list<std::string_view>;

  Notes(Injection& into, const std::string& policy, ChangeValues values)
      : into_(into), policy_(policy), values_(values) {}

  [[nodiscard]] bool show_values() const noexcept { return values_ == ChangeValues::shown; }

  [[nodiscard]] FieldPath path(Fields fields) const { return field_path(into_.pod.kind, fields); }

  /// `to` is called for the text of the new value where it is shown.
  template <class Text>
  void change(FieldPath field, std::optional<std::string> before, Text&& to) {
    if (into_.changes.empty()) into_.changes.reserve(usual_changes);
    Change& change = into_.changes.emplace_back();
    change.field = std::move(field);
    change.policy = policy_;
    if (!show_values()) return;
    change.from = std::move(before);
    change.to = to();
  }

  void skip(FieldPath field, std::string reason) {
    into_.skipped.push_back({policy_, std::move(field), std::move(reason)});
  }
  void skip(FieldPath field, const std::string& has, const std::string& wanted) {
    skip(std::move(field),
         "the pod has " + in_backticks(has) + ", the policy " + in_backticks(wanted));
  }

 private:
  /// More than most policies make, so that the list of changes rarely moves.
  static constexpr std::size_t usual_changes = 16;

  Injection& into_;
  const std::string& policy_;
  ChangeValues values_;
};

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail

// schedpol/pod_scheduling_policy/impl/admit.ipp

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

namespace detail {

using schedpol::detail::contradiction_text;
using schedpol::detail::ItemSet;
using schedpol::detail::LeftOut;
using schedpol::detail::make_term;
using schedpol::detail::Merged;
using schedpol::detail::PairFilter;
using schedpol::detail::PolicyTerms;
using schedpol::detail::Product;
using schedpol::detail::TermMerger;
using schedpol::detail::Terms;
using schedpol::detail::text;

/// Gives a pod back what policies may change of it.
inline void give_back(PodSpec& spec, SchedulingCriteria&& criteria) {
  spec.node_name = std::move(criteria.node_name);
  spec.scheduler_name = std::move(criteria.scheduler_name);
  spec.node_selector = std::move(criteria.node_selector);
  spec.tolerations = std::move(criteria.tolerations);
  spec.affinity = std::move(criteria.affinity);
}

/// `unspecified` is the text that counts as none.
inline void merge_name(Notes& notes, std::string_view field, std::string& name,
                       const std::string& from, std::string_view unspecified) {
  if (from.empty() || name == from) return;
  FieldPath path = notes.path({"spec", field});
  if (!name.empty() && name != unspecified) return notes.skip(std::move(path), name, from);
  notes.change(std::move(path), name.empty() ? std::nullopt : std::optional(name),
               [&] { return from; });
  name = from;
}

inline void merge_node_selector(Notes& notes, PodSpec& pod, const Labels& from) {
  PairFilter filter(pod.node_selector, required_terms(pod.affinity), from);
  for (const auto& [key, value] : from) {
    const auto at = pod.node_selector.lower_bound(key);
    const bool has = at != pod.node_selector.end() && at->first == key;
    if (has && at->second == value) continue;
    FieldPath path = notes.path({"spec", "nodeSelector"}).key(key);
    if (has) {
      notes.skip(std::move(path), at->second, value);
    } else if (const NodeSelectorRequirement* own = filter.excluding(key)) {
      notes.skip(std::move(path),
                 contradiction_text(NodeSelectorTerm{{*own}, {}}, make_term(key, value)));
    } else {
      notes.change(std::move(path), std::nullopt, [&] { return value; });
      pod.node_selector.try_emplace(at, key, value);
    }
  }
}

/// Appends the items that the list does not have yet, but for those that `skips` says no to.
template <class T, class Skips>
void append_missing(Notes& notes, Notes::Fields field, std::vector<T>& list,
                    const std::vector<T>& from, Skips&& skips) {
  ItemSet present(list, list.size() + from.size(), from.size());
  for (const T& item : from) {
    if (!present.add_if_missing(item) || skips(item)) continue;
    notes.change(notes.path(field).index(list.size()), std::nullopt, [&] { return text(item); });
    list.push_back(item);
  }
}
template <class T>
void append_missing(Notes& notes, Notes::Fields field, std::vector<T>& list,
                    const std::vector<T>& from) {
  append_missing(notes, field, list, from, [](const T&) { return false; });
}

/// The tolerations that the pod does not have yet, after its own, or in the place of one that
/// DefaultTolerationSeconds added. Those `kept` stay.
inline void merge_tolerations(Notes& notes, std::vector<Toleration>& list,
                              const std::vector<Toleration>& from,
                              const std::vector<Toleration>& kept) {
  std::vector<Toleration> more;
  for (const Toleration& item : from) {
    const auto place = std::find_if(list.begin(), list.end(), [&](const Toleration& each) {
      return schedpol::detail::replaces(item, each) && !schedpol::detail::contains(kept, each);
    });
    if (place == list.end() || schedpol::detail::contains(list, item)) {
      more.push_back(item);
      continue;
    }
    notes.change(
        notes.path({"spec", "tolerations"}).index(static_cast<std::size_t>(place - list.begin())),
        text(*place), [&] { return text(item); });
    *place = item;
  }
  append_missing(notes, {"spec", "tolerations"}, list, more);
}

/// A kind of pod affinity, and the other one, which must not contradict it.
struct PodAffinityKind {
  std::string_view name;
  std::optional<PodAffinity> Affinity::*member;
  std::optional<PodAffinity> Affinity::*opposite;
  std::string_view contradicted;  ///< what is said of a term of the opposite kind
};

inline constexpr PodAffinityKind pod_affinity_kind = {
    "podAffinity", &Affinity::pod_affinity, &Affinity::pod_anti_affinity,
    "the pod's podAntiAffinity keeps these pods away: "};
inline constexpr PodAffinityKind pod_anti_affinity_kind = {
    "podAntiAffinity", &Affinity::pod_anti_affinity, &Affinity::pod_affinity,
    "the pod's podAffinity asks for these pods: "};

/// The required terms of a policy that a required one of the pod's opposite kind contradicts.
class SkippedTerms {
 public:
  /// `opposite` has the pod's required terms of the opposite kind.
  SkippedTerms(const PodAffinityKind& kind, schedpol::detail::RequiredPodTerms& opposite,
               const Affinity& pod)
      : kind_(kind), opposite_(opposite), pod_(pod) {}

  [[nodiscard]] bool add_if_contradicted(const PodAffinityTerm& term) {
    if (!opposite_.contradict(pod_.*kind_.opposite, term)) return false;
    if (count_++ == 0) first_ = to_string(term);
    return true;
  }

  void note(Notes& notes) const {
    if (count_ == 0) return;
    std::string reason = std::string(kind_.contradicted) + first_;
    if (count_ > 1) reason += ", the first of " + std::to_string(count_) + " such terms";
    notes.skip(notes.path({"spec", "affinity", kind_.name, required_mode}), std::move(reason));
  }

 private:
  const PodAffinityKind& kind_;
  schedpol::detail::RequiredPodTerms& opposite_;
  const Affinity& pod_;
  std::size_t count_ = 0;
  std::string first_;
};

inline void merge_pod_affinity(Notes& notes, const PodAffinityKind& kind,
                               schedpol::detail::RequiredPodTerms& opposite, Affinity& into,
                               const Affinity& policy) {
  const std::optional<PodAffinity>& from = policy.*kind.member;
  if (!has_terms(from)) return;
  SkippedTerms skipped(kind, opposite, into);
  const auto skips = [&](const PodAffinityTerm& term) { return skipped.add_if_contradicted(term); };
  std::optional<PodAffinity>& affinity = into.*kind.member;
  if (!affinity) {
    PodAffinity whole = *from;
    schedpol::detail::erase_if(whole.required_during_scheduling_ignored_during_execution, skips);
    if (whole != PodAffinity()) {
      affinity = std::move(whole);
      notes.change(notes.path({"spec", "affinity", kind.name}), std::nullopt,
                   [&] { return to_string(*affinity); });
    }
  } else {
    append_missing(notes, {"spec", "affinity", kind.name, required_mode},
                   affinity->required_during_scheduling_ignored_during_execution,
                   from->required_during_scheduling_ignored_during_execution, skips);
    append_missing(notes, {"spec", "affinity", kind.name, preferred_mode},
                   affinity->preferred_during_scheduling_ignored_during_execution,
                   from->preferred_during_scheduling_ignored_during_execution);
  }
  skipped.note(notes);
}

/// The text of required terms.
inline std::string text(const Terms& terms) {
  return to_string(NodeAffinity{NodeSelector{terms}, {}});
}

inline FieldPath required_terms_path(const Notes& notes) {
  return notes.path({"spec", "affinity", "nodeAffinity", required_mode});
}

static_assert(max_given_items <= max_node_selector_terms, "those of one policy are never too many");

/// A policy's required terms for a pod that has none, but that nodeSelector.
inline Terms copied_terms(Notes& notes, const Labels& node_selector, const PolicyTerms& policy) {
  if (policy.size() == 0) return {};
  LeftOut left_out;
  Terms terms = copied(node_selector, policy, left_out);
  if (left_out.any()) notes.skip(required_terms_path(notes), left_out.reason(terms.empty()));
  return terms;
}

/// A policy's required terms, and those of a pod with that nodeSelector.
[[nodiscard]] inline Merged merge_required_terms(Notes& notes, TermMerger& merger,
                                                 const Labels& node_selector,
                                                 std::optional<NodeSelector>& selector,
                                                 const PolicyTerms& policy) {
  if (policy.size() == 0) return Merged::within_limits;
  if (!selector || selector->node_selector_terms.empty()) {
    Terms terms = copied_terms(notes, node_selector, policy);
    if (terms.empty()) return Merged::within_limits;
    notes.change(required_terms_path(notes), std::nullopt, [&] { return text(terms); });
    selector = NodeSelector{std::move(terms)};
    return Merged::within_limits;
  }
  LeftOut left_out;
  Terms& terms = selector->node_selector_terms;
  const Product product = merger.multiply(terms, node_selector, policy, left_out);
  if (product.merged != Merged::within_limits) return product.merged;
  if (left_out.any()) notes.skip(required_terms_path(notes), left_out.reason(!product.changes));
  if (!product.changes) return Merged::within_limits;
  std::optional<std::string> had;
  if (notes.show_values()) had = text(terms);
  terms = product.make(terms, policy);
  notes.change(required_terms_path(notes), std::move(had), [&] { return text(terms); });
  return Merged::within_limits;
}

[[nodiscard]] inline Merged merge_node_affinity(Notes& notes, TermMerger& merger,
                                                const Labels& node_selector,
                                                std::optional<NodeAffinity>& affinity,
                                                const std::optional<NodeAffinity>& from,
                                                const PolicyTerms& policy) {
  if (!has_terms(from)) return Merged::within_limits;
  if (!affinity) {
    Terms terms = copied_terms(notes, node_selector, policy);
    NodeAffinity whole{.preferred_during_scheduling_ignored_during_execution =
                           from->preferred_during_scheduling_ignored_during_execution};
    if (!terms.empty())
      whole.required_during_scheduling_ignored_during_execution = NodeSelector{std::move(terms)};
    if (whole == NodeAffinity()) return Merged::within_limits;
    affinity = std::move(whole);
    notes.change(notes.path({"spec", "affinity", "nodeAffinity"}), std::nullopt,
                 [&] { return to_string(*affinity); });
    return Merged::within_limits;
  }
  append_missing(notes, {"spec", "affinity", "nodeAffinity", preferred_mode},
                 affinity->preferred_during_scheduling_ignored_during_execution,
                 from->preferred_during_scheduling_ignored_during_execution);
  return merge_required_terms(notes, merger, node_selector,
                              affinity->required_during_scheduling_ignored_during_execution,
                              policy);
}

/// What the policies that are merged into one pod, one after the other, have in common.
struct Merging {
  explicit Merging(std::string_view namespace_) : affinity(namespace_), anti_affinity(namespace_) {}

  TermMerger node_terms{};
  schedpol::detail::RequiredPodTerms affinity;
  schedpol::detail::RequiredPodTerms anti_affinity;
};

/// Where it fails the pod is left half done.
[[nodiscard]] inline Merged merge(Notes& notes, Merging& merging, PodSpec& pod,
                                  const CompiledPolicy& compiled,
                                  DefaultScheduler default_scheduler,
                                  const std::vector<Toleration>& kept) {
  const PodSchedulingPolicySpec& from = compiled.policy.spec;
  merge_name(notes, "nodeName", pod.node_name, from.node_name, "");
  merge_name(notes, "schedulerName", pod.scheduler_name, from.scheduler_name,
             default_scheduler == DefaultScheduler::unspecified ? default_scheduler_name : "");
  merge_node_selector(notes, pod, from.node_selector);
  merge_tolerations(notes, pod.tolerations, from.tolerations, kept);
  const auto& affinity = from.affinity;
  if (!affinity) return Merged::within_limits;
  const bool had = pod.affinity.has_value();
  Affinity& into = had ? *pod.affinity : pod.affinity.emplace();
  merge_pod_affinity(notes, pod_affinity_kind, merging.anti_affinity, into, *affinity);
  merge_pod_affinity(notes, pod_anti_affinity_kind, merging.affinity, into, *affinity);
  const Merged merged = merge_node_affinity(
      notes, merging.node_terms, pod.node_selector, into.node_affinity, affinity->node_affinity,
      PolicyTerms(required_terms(affinity), compiled.required));
  if (!had && into == Affinity()) pod.affinity.reset();
  return merged;
}

/// Why a policy cannot be merged.
inline FieldError error_of(Merged merged, FieldPath field, const std::string& policy) {
  const std::string makes = "the policy " + in_backticks(policy) + " makes ";
  if (merged == Merged::too_long) {
    return {ErrorType::too_long, std::move(field), "",
            makes + "the node selector terms of policies longer than " +
                std::to_string(max_merged_term_bytes) + " bytes"};
  }
  return {ErrorType::too_many, std::move(field), "",
          makes + "more than " + std::to_string(max_node_selector_terms) + " node selector terms"};
}

/// What was noted of an injection that fails is gone.
inline void fail(Injection& injection, std::vector<std::string> policies, FieldError error) {
  injection.applied = std::move(policies);
  injection.skipped.clear();
  injection.changes.clear();
  injection.errors = {std::move(error)};
}

}  // namespace detail

SCHEDPOL_INLINE void inject_into(Injection& injection, const Namespace& in,
                                 const CompiledPolicies& policies,
                                 DefaultScheduler default_scheduler, ChangeValues values,
                                 std::vector<Toleration> kept) {
  if (injection.pod.spec.moved_from)
    return detail::fail(injection, {}, schedpol::detail::moved_from_error(injection.pod.kind));
  if (!policies.impl_) {
    return detail::fail(injection, {},
                        {ErrorType::required, {"policies"}, "", "no policies were compiled"});
  }
  if (namespace_of(in) != namespace_of(injection.pod.metadata)) {
    return detail::fail(injection, {},
                        {ErrorType::invalid, FieldPath{"metadata", "namespace"},
                         std::string(namespace_of(injection.pod.metadata)),
                         "is not " + in_backticks(namespace_of(in)) +
                             ", the namespace that the policies are asked about"});
  }
  detail::Merging merging(namespace_of(in));
  const auto applying = policies.impl_->applying(injection.pod.metadata.labels, in);
  injection.applied.reserve(applying.size());
  const std::size_t items = CompiledPolicies::Impl::given_items(applying);
  if (items > max_given_items) {
    std::vector<std::string> names;
    for (const detail::CompiledPolicy* compiled : applying)
      names.push_back(compiled->policy.metadata.name);
    return detail::fail(
        injection, std::move(names),
        schedpol::detail::too_many_injected(field_path(injection.pod.kind, {"spec"}), items));
  }
  for (const detail::CompiledPolicy* compiled : applying) {
    const std::string& name = compiled->policy.metadata.name;
    detail::Notes notes(injection, name, values);
    using detail::Merged;
    if (const Merged merged =
            detail::merge(notes, merging, injection.pod.spec, *compiled, default_scheduler, kept);
        merged != Merged::within_limits) {
      return detail::fail(
          injection, {name},
          detail::error_of(merged, notes.path({"spec", "affinity", "nodeAffinity"}), name));
    }
    injection.applied.push_back(name);
    if (compiled->is_of_cluster())
      schedpol::detail::append(kept, compiled->policy.spec.tolerations);
    if (!compiled->policy.spec.scheduler_name.empty())
      default_scheduler = DefaultScheduler::specified;
  }
}

SCHEDPOL_INLINE Injection inject(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                                 DefaultScheduler default_scheduler, ChangeValues values) {
  SchedulingCriteria before = detail::criteria_of(pod.spec);
  Injection injection{.pod = std::move(pod)};
  inject_into(injection, in, policies, default_scheduler, values);
  if (!injection.errors.empty()) detail::give_back(injection.pod.spec, std::move(before));
  return injection;
}

SCHEDPOL_INLINE Injection inject(Pod pod, const Namespace& in,
                                 std::span<const PodSchedulingPolicy> policies,
                                 DefaultScheduler default_scheduler) {
  const auto compiled = compile(policies);
  if (!compiled) return {.pod = std::move(pod), .errors = compiled.errors()};
  return inject(std::move(pod), in, *compiled, default_scheduler);
}

SCHEDPOL_INLINE Admission to_admission(Injection&& injection) {
  Admission admission{.allowed = injection.errors.empty(),
                      .pod = std::move(injection.pod),
                      .changes = std::move(injection.changes)};
  for (Skipped& skipped : injection.skipped)
    admission.warnings.push_back(
        {std::move(skipped.field), std::move(skipped.reason), {skipped.policy}});
  for (const FieldError& error : injection.errors) {
    FieldPath field = field_path(admission.pod.kind, {"spec"});
    Names policies = injection.applied;
    if (error.type == ErrorType::too_many || error.type == ErrorType::too_long) {
      admission.violations.push_back(
          schedpol::detail::limit_exceeded(std::move(field), error, std::move(policies)));
    } else {
      admission.violations.push_back(
          {ViolationCode::invalid_policy, std::move(field), message(error), std::move(policies)});
    }
  }
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, const Namespace& in, const CompiledPolicies& policies,
                                DefaultScheduler default_scheduler) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(std::move(pod));
  Pod before = pod;
  Admission admission = to_admission(inject(std::move(pod), in, policies, default_scheduler));
  if (!admission.changes.empty()) admission.before = std::move(before);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, const Namespace& in,
                                std::span<const PodSchedulingPolicy> policies,
                                DefaultScheduler default_scheduler) {
  const auto compiled = compile(policies);
  if (compiled) return admit(std::move(pod), in, *compiled, default_scheduler);
  const FieldPath field = field_path(pod.kind, {"spec"});
  return schedpol::detail::invalid_policies_denial(std::move(pod), field, compiled.errors(),
                                                   policies);
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/pod_scheduling_policy/impl/policy_rules.hpp

/// What makes a PodSchedulingPolicy good, for `validate` and for `compile`.

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail {

/// What is wrong with the policy, which stands at `place`, goes to `errors`.
inline void validate_policy(schedpol::detail::FieldErrors& errors,
                            const schedpol::detail::PathBuilder& place,
                            const PodSchedulingPolicy& policy) {
  const PodSchedulingPolicySpec& from = policy.spec;
  const schedpol::detail::PathBuilder spec = place.child("spec");
  const schedpol::detail::PathBuilder namespaces = spec.child("namespaceSelector");
  const schedpol::detail::PathBuilder metadata = place.child("metadata");
  if (policy.kind == PolicyKind::pod_scheduling_policy) {
    validate_metadata(errors, metadata, policy.metadata);
  } else {
    validate_cluster_metadata(errors, metadata, to_string(policy.kind), policy.metadata);
  }
  if (from.pod_selector)
    validate_selector(errors, spec.child("podSelector"), *from.pod_selector,
                      SelectedValues::labels);
  if (from.namespace_selector) {
    validate_selector(errors, namespaces, *from.namespace_selector, SelectedValues::labels);
    if (policy.kind == PolicyKind::pod_scheduling_policy) {
      errors.add(ErrorType::forbidden, namespaces, "", "only the cluster kind selects namespaces");
    }
  }
  validate_labels(errors, spec.child("nodeSelector"), from.node_selector);
  validate_tolerations(errors, spec.child("tolerations"), from.tolerations);
  if (from.affinity) validate_affinity(errors, spec.child("affinity"), *from.affinity);
  validate_name(errors, spec.child("nodeName"), from.node_name);
  validate_length(errors, spec.child("schedulerName"), from.scheduler_name, max_subdomain_bytes);
  schedpol::detail::SpecSize size;
  size.add_all(from.namespace_selector, from.pod_selector, from.node_name, from.scheduler_name,
               from.node_selector, from.tolerations, from.affinity);
  size.validate(errors, spec);
  schedpol::detail::validate_given_items(errors, spec, from);
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy::detail

// schedpol/pod_scheduling_policy/impl/compile.ipp

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

namespace detail {

/// What is wrong with the policy, which stands at `place`, goes to `errors`; it is of no use then.
inline CompiledPolicy compile_one(const PodSchedulingPolicy& policy,
                                  const schedpol::detail::PathBuilder& place,
                                  schedpol::detail::FieldErrors& errors) {
  schedpol::detail::FieldErrors found;
  validate_policy(found, place, policy);
  CompiledPolicy made{.policy = policy};
  if (!found.empty()) {
    schedpol::detail::add_of_policy(errors, policy.metadata.name, std::move(found).take());
    return made;
  }
  made.pods = *schedpol::compile(policy.spec.pod_selector);
  made.namespaces = *schedpol::compile(policy.spec.namespace_selector);
  for (const NodeSelectorTerm& term : required_terms(policy.spec.affinity))
    made.required.push_back(schedpol::detail::to_policy_term(term));
  if (made.is_of_cluster()) made.of_cluster = criteria_of(policy.spec);
  return made;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> CompiledPolicies::with(
    std::span<const PodSchedulingPolicy> policies) const {
  using schedpol::detail::PathBuilder;
  schedpol::detail::FieldErrors errors;
  std::vector<detail::CompiledPolicy> all;
  std::vector<schedpol::detail::NamedObject> names;
  const PathBuilder root;
  const PathBuilder list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    all.push_back(detail::compile_one(policies[i], list.index(i), errors));
    names.push_back(detail::name_of(policies[i], i));
  }
  schedpol::detail::sort_by_name(names);
  for (const auto& named : schedpol::detail::namesakes(names))
    errors.add(ErrorType::duplicate, list, named.name, "two policies have this name");
  if (!errors.empty()) return std::move(errors).take();
  Impl impl = impl_ ? *impl_ : Impl();
  for (detail::CompiledPolicy& policy : all) {
    impl.remove(policy.policy);
    impl.add(std::move(policy));
  }
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE CompiledPolicies
CompiledPolicies::without(std::span<const PodSchedulingPolicy> policies) const {
  if (!impl_) return {};
  Impl impl = *impl_;
  for (const PodSchedulingPolicy& policy : policies) impl.remove(policy);
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const PodSchedulingPolicy> policies) {
  return CompiledPolicies().with(policies);
}

SCHEDPOL_INLINE std::vector<std::string> CompiledPolicies::asking_for_namespace(
    const Labels& labels) const {
  std::set<std::string> asking;
  if (!impl_) return {};
  impl_->policies.for_each([&](const detail::CompiledPolicy& compiled) {
    if (compiled.looks_at_namespaces() && compiled.pods.matches(labels))
      asking.insert(compiled.policy.metadata.name);
  });
  return {asking.begin(), asking.end()};
}

SCHEDPOL_INLINE std::size_t CompiledPolicies::candidates(const Labels& labels,
                                                         const Namespace& in) const {
  return impl_ ? impl_->policies.candidates(Impl::selectable(labels, in)) : 0;
}

SCHEDPOL_INLINE std::size_t CompiledPolicies::given_items(const Labels& labels,
                                                          const Namespace& in) const {
  return impl_ ? Impl::given_items(impl_->applying(labels, in)) : 0;
}

SCHEDPOL_INLINE std::vector<GivenCriteria> CompiledPolicies::criteria_of_cluster(
    const Labels& labels, const Namespace* in) const {
  std::vector<GivenCriteria> criteria;
  if (!impl_) return criteria;
  for (const detail::CompiledPolicy* policy :
       impl_->applying(labels, in == nullptr ? Namespace() : *in)) {
    if (policy->is_of_cluster() && (in != nullptr || !policy->looks_at_namespaces()))
      criteria.push_back({policy->policy.metadata.name, policy->of_cluster});
  }
  return criteria;
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/pod_scheduling_policy/impl/validate.ipp

namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy {

SCHEDPOL_INLINE std::vector<FieldError> validate(const PodSchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  detail::validate_policy(errors, {}, policy);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE::pod_scheduling_policy

// schedpol/rbac/impl/builtin.ipp

namespace SCHEDPOL_NAMESPACE::rbac {

namespace detail {

/// The marks of objects that the API server keeps up to date by itself.
inline ObjectMeta bootstrapped(std::string name, std::string namespace_ = "") {
  ObjectMeta metadata;
  metadata.name = std::move(name);
  metadata.namespace_ = std::move(namespace_);
  metadata.labels["kubernetes.io/bootstrapping"] = "rbac-defaults";
  metadata.annotations["rbac.authorization.kubernetes.io/autoupdate"] = "true";
  return metadata;
}

inline ClusterRole may_use(std::string name, const char* policy, std::string_view policy_group) {
  const Access access;
  PolicyRule rule;
  rule.verbs = {access.verb};
  rule.api_groups = {std::string(policy_group)};
  rule.resources = {access.resource};
  rule.resource_names = {policy};
  return {bootstrapped(std::move(name)), {std::move(rule)}};
}

}  // namespace detail

SCHEDPOL_INLINE ClusterRole restricted_cluster_role(std::string_view policy_group) {
  return detail::may_use("sp:restricted", "restricted", policy_group);
}

SCHEDPOL_INLINE ClusterRole privileged_cluster_role(std::string_view policy_group) {
  return detail::may_use("sp:privileged", "privileged", policy_group);
}

SCHEDPOL_INLINE ClusterRoleBinding restricted_cluster_role_binding() {
  return {detail::bootstrapped("sp:restricted"),
          {detail::rbac_group, "ClusterRole", "sp:restricted"},
          {{"Group", detail::rbac_group, "system:authenticated", ""}}};
}

SCHEDPOL_INLINE RoleBinding kube_system_privileged_role_binding() {
  return {detail::bootstrapped("sp:kube-system-privileged", "kube-system"),
          {detail::rbac_group, "ClusterRole", "sp:privileged"},
          {{"Group", detail::rbac_group, "system:serviceaccounts:kube-system", ""}}};
}

SCHEDPOL_INLINE Rbac builtin(std::string_view policy_group) {
  return {.roles = {},
          .cluster_roles = {restricted_cluster_role(policy_group),
                            privileged_cluster_role(policy_group)},
          .role_bindings = {kube_system_privileged_role_binding()},
          .cluster_role_bindings = {restricted_cluster_role_binding()}};
}

}  // namespace SCHEDPOL_NAMESPACE::rbac

// schedpol/base/impl/slots.hpp

/// Things by small numbers, which stay theirs until they are removed and then go to others.

namespace SCHEDPOL_NAMESPACE::detail {

template <class T>
class Slots {
 public:
  /// All numbers are below it; at one that is free stands a `T()`.
  [[nodiscard]] std::size_t size() const noexcept { return items_.size(); }
  [[nodiscard]] T& operator[](std::size_t number) noexcept { return items_[number]; }
  [[nodiscard]] const T& operator[](std::size_t number) const noexcept { return items_[number]; }

  std::size_t add(T item) {
    if (free_.empty()) {
      items_.push_back(std::move(item));
      return items_.size() - 1;
    }
    const std::size_t number = free_.back();
    free_.pop_back();
    items_[number] = std::move(item);
    return number;
  }

  void remove(std::size_t number) {
    items_[number] = T();
    free_.push_back(number);
  }

 private:
  std::vector<T> items_;
  std::vector<std::size_t> free_;
};

/// The same, each found by its name.
template <class T>
class NamedSlots {
 public:
  [[nodiscard]] bool empty() const noexcept { return numbers_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return slots_.size(); }
  [[nodiscard]] T& operator[](std::size_t number) noexcept { return slots_[number].item; }
  [[nodiscard]] const T& operator[](std::size_t number) const noexcept {
    return slots_[number].item;
  }

  /// Of an item that is there.
  [[nodiscard]] std::string_view name(std::size_t number) const noexcept {
    return slots_[number].name;
  }

  [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  /// The number of a name; where there is none a `T()` is added.
  std::size_t find_or_add(std::string_view name) {
    if (const auto found = find(name)) return *found;
    return numbers_.try_emplace(std::string(name), slots_.add({std::string(name)})).first->second;
  }

  void remove(std::size_t number) {
    numbers_.erase(slots_[number].name);
    slots_.remove(number);
  }

 private:
  struct Slot {
    std::string name{};
    T item{};
  };

  std::map<std::string, std::size_t, std::less<>> numbers_;
  Slots<Slot> slots_;
};

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/resource_policy/impl/compiled_policy.hpp

/// What stands behind CompiledPolicies: each policy with its selectors compiled.

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

struct CompiledUnit {
  std::string name{};
  std::size_t nodes = 0;   ///< which of the node selectors is its
  std::int64_t score = 0;  ///< of its nodes, before normalisation
  std::optional<std::int32_t> max_count{};
};

/// Whether the unit holds as many pods as it may.
[[nodiscard]] inline bool is_full(const CompiledUnit& unit, std::int64_t pods) noexcept {
  return unit.max_count && pods >= *unit.max_count;
}

/// The most that the pods of a unit may request of a resource.
struct UnitLimit {
  std::size_t unit = 0;
  std::string resource{};
  std::int64_t max = 0;
};

struct CompiledPolicy {
  std::string name{};
  std::string namespace_{};
  LabelMatcher pods{};
  Texts match_label_keys{};
  bool ignores_terminating_pods = false;
  bool prefers = false;  ///< whether its pods may run outside its units
  std::vector<CompiledUnit> units{};
  std::vector<std::size_t> best_first{};  ///< its units by score, of equals the first first
  std::vector<UnitLimit> limits{};        ///< of all units, one unit after the other
};

}  // namespace detail

struct CompiledPolicies::Impl {
  std::vector<detail::CompiledPolicy> policies{};  ///< in the order in which they were given
  schedpol::detail::NamedSlots<LabelMatcher> node_selectors{};  ///< each once, by its text
  schedpol::detail::SelectorIndex<std::size_t> index{};         ///< of numbers of policies

  /// Calls `use` with the number of each policy that selects the pod, in no order.
  template <class Use>
  void for_each_selecting(const Pod& pod, Use use) const {
    index.for_each_candidate(selectable(pod.metadata), [&](std::size_t policy) {
      const detail::CompiledPolicy& compiled = policies[policy];
      if (compiled.namespace_ == namespace_of(pod.metadata) &&
          compiled.pods.matches(pod.metadata.labels))
        use(policy);
    });
  }

  static schedpol::detail::Selectable selectable(const ObjectMeta& pod) {
    return {.namespace_ = namespace_of(pod), .labels = &pod.labels};
  }
};

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/resource_policy/impl/admit.ipp

namespace SCHEDPOL_NAMESPACE::resource_policy {

SCHEDPOL_INLINE Admission admit(Pod pod, const CompiledPolicies& policies) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(std::move(pod));
  Admission admission;
  if (policies.impl_) {
    std::vector<std::string> selecting;
    policies.impl_->for_each_selecting(pod, [&](std::size_t policy) {
      selecting.push_back(policies.impl_->policies[policy].name);
    });
    admission.allowed = selecting.size() <= 1;
    if (!admission.allowed) {
      std::sort(selecting.begin(), selecting.end());
      admission.violations.push_back({ViolationCode::multiple_resource_policies,
                                      field_path(pod.kind, {"metadata", "labels"}), "",
                                      std::move(selecting)});
    }
  } else {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(pod.kind, {"spec"}),
                                    "no policies were compiled",
                                    {}});
  }
  admission.pod = std::move(pod);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, std::span<const ResourcePolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return admit(std::move(pod), *compiled);
  const FieldPath field = field_path(pod.kind, {"spec"});
  return schedpol::detail::invalid_policies_denial(std::move(pod), field, compiled.errors(),
                                                   policies);
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/resource_policy/impl/policy_rules.hpp

/// What makes a ResourcePolicy good, for `compile`, and for `validate`, which refuses more
/// (`validate_unselected`).

namespace SCHEDPOL_NAMESPACE::resource_policy {

inline void add_parts(schedpol::detail::SpecSize& size, const Unit& unit) {
  size.add_all(unit.name, unit.max_resources, unit.node_selector);
}

namespace detail {

inline void validate_not_negative(schedpol::detail::FieldErrors& errors,
                                  const schedpol::detail::PathBuilder& place,
                                  const std::optional<std::int32_t>& number) {
  if (!number || *number >= 0) return;
  errors.add(ErrorType::invalid, place, std::to_string(*number), "must not be negative");
}

inline void validate_match_label_keys(schedpol::detail::FieldErrors& errors,
                                      const schedpol::detail::PathBuilder& place,
                                      const Texts& keys) {
  schedpol::detail::validate_count(errors, place, keys.size(), max_match_label_keys);
  std::set<std::string_view> seen;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const schedpol::detail::PathBuilder item = place.index(i);
    errors.add_all(item, keys[i], schedpol::detail::label_key_problems(keys[i]));
    if (!seen.insert(keys[i]).second)
      errors.add(ErrorType::duplicate, item, keys[i], "is there twice");
  }
}

inline void validate_max_resources(schedpol::detail::FieldErrors& errors,
                                   const schedpol::detail::PathBuilder& place,
                                   const ResourceList& resources) {
  schedpol::detail::validate_count(errors, place, resources.size(), max_unit_resources);
  for (const auto& [name, quantity] : resources) {
    const schedpol::detail::PathBuilder item = place.key(name);
    std::vector<std::string> problems = schedpol::detail::label_key_problems(name);
    if (problems.empty() && !schedpol::detail::is_counted(name)) {
      problems.emplace_back(name == "pods"
                                ? "is no resource that pods request; maxCount limits them"
                                : "is no resource that pods request");
    }
    errors.add_all(item, name, std::move(problems));
    if (quantity < Quantity())
      errors.add(ErrorType::invalid, item, quantity.text(), "must not be negative");
  }
}

/// An absent selector is good.
inline void validate_selector(schedpol::detail::FieldErrors& errors,
                              const schedpol::detail::PathBuilder& place,
                              const std::optional<LabelSelector>& selector) {
  if (selector) schedpol::detail::validate_selector(errors, place, *selector);
}

inline void validate_policy(schedpol::detail::FieldErrors& errors,
                            const schedpol::detail::PathBuilder& place,
                            const ResourcePolicy& policy) {
  using schedpol::detail::PathBuilder;
  const ResourcePolicySpec& from = policy.spec;
  const PathBuilder spec = place.child("spec");
  const PathBuilder units = spec.child("units");
  schedpol::detail::validate_metadata(errors, place.child("metadata"), policy.metadata);
  validate_match_label_keys(errors, spec.child("matchLabelKeys"), from.match_label_keys);
  validate_selector(errors, spec.child("podSelector"), from.pod_selector);
  if (!from.strategy.known()) {
    errors.add(ErrorType::not_supported, spec.child("strategy"), from.strategy.text(),
               "supported are required and prefer" + schedpol::detail::did_you_mean(from.strategy));
  }
  schedpol::detail::validate_count(errors, units, from.units.size(), max_units);
  for (std::size_t i = 0; i < from.units.size(); ++i) {
    const PathBuilder unit = units.index(i);
    schedpol::detail::validate_length(errors, unit.child("name"), from.units[i].name,
                                      max_subdomain_bytes);
    validate_not_negative(errors, unit.child("priority"), from.units[i].priority);
    validate_not_negative(errors, unit.child("maxCount"), from.units[i].max_count);
    validate_max_resources(errors, unit.child("maxResources"), from.units[i].max_resources);
    validate_selector(errors, unit.child("nodeSelector"), from.units[i].node_selector);
  }
  schedpol::detail::SpecSize size;
  size.add_all(from.match_label_keys, from.pod_selector, from.units);
  size.validate(errors, spec);
}

}  // namespace detail

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/resource_policy/impl/compile.ipp

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

using NodeSelectors = schedpol::detail::NamedSlots<LabelMatcher>;

/// The matcher of a selector that was found good.
inline LabelMatcher make_matcher(const std::optional<LabelSelector>& selector) {
  return *schedpol::compile(selector.value_or(LabelSelector{}));
}

/// The most whole units, thousandths of cpu, that a quantity has room for.
inline std::int64_t rounded_down(std::string_view resource, const Quantity& quantity) {
  const std::int64_t up = resource == "cpu" ? quantity.milli_value() : quantity.value();
  return schedpol::detail::to_quantity(resource, up) > quantity ? up - 1 : up;
}

/// What is wrong with the policy, which stands at `place`, goes to `errors`; it is of no use then.
inline CompiledPolicy compile_one(const ResourcePolicy& policy,
                                  const schedpol::detail::PathBuilder& place,
                                  NodeSelectors& selectors, schedpol::detail::FieldErrors& errors) {
  const ResourcePolicySpec& from = policy.spec;
  schedpol::detail::FieldErrors found;
  validate_policy(found, place, policy);
  CompiledPolicy compiled;
  if (!found.empty()) {
    schedpol::detail::add_of_policy(errors, policy.metadata.name, std::move(found).take());
    return compiled;
  }
  compiled.name = policy.metadata.name;
  compiled.namespace_ = namespace_of(policy.metadata);
  compiled.pods = make_matcher(from.pod_selector);
  compiled.match_label_keys = from.match_label_keys;
  compiled.ignores_terminating_pods = from.match_policy.ignore_terminating_pod;
  compiled.prefers = from.strategy == Strategy::prefer;
  for (std::size_t i = 0; i < from.units.size(); ++i) {
    const Unit& unit = from.units[i];
    const std::size_t nodes =
        selectors.find_or_add(to_string(unit.node_selector.value_or(LabelSelector{})));
    selectors[nodes] = make_matcher(unit.node_selector);
    compiled.units.push_back(
        {unit.name, nodes, score_per_priority * unit.priority.value_or(0), unit.max_count});
    compiled.best_first.push_back(i);
    for (const auto& [name, quantity] : unit.max_resources)
      compiled.limits.push_back({i, name, rounded_down(name, quantity)});
  }
  const auto rank = [&](std::size_t unit) { return std::pair(-compiled.units[unit].score, unit); };
  std::sort(compiled.best_first.begin(), compiled.best_first.end(),
            [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return compiled;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const ResourcePolicy> policies) {
  CompiledPolicies::Impl impl;
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::PathBuilder root;
  const schedpol::detail::PathBuilder list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    impl.policies.push_back(
        detail::compile_one(policies[i], list.index(i), impl.node_selectors, errors));
    schedpol::detail::SelectionCriteria criteria;
    criteria.in_namespace(namespace_of(policies[i].metadata))
        .selected(schedpol::detail::IndexKeyKind::label, policies[i].spec.pod_selector);
    impl.index.add(Shared(i), criteria);
  }
  if (!errors.empty()) return std::move(errors).take();
  CompiledPolicies compiled;
  compiled.impl_ = Shared(std::move(impl));
  return compiled;
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/resource_policy/impl/validate.ipp

namespace SCHEDPOL_NAMESPACE::resource_policy {

namespace detail {

/// What is legal and probably not meant: units of one name, and of one selector.
inline void find_repetitions(schedpol::detail::FieldErrors& warnings,
                             const schedpol::detail::PathBuilder& place,
                             const std::vector<Unit>& units) {
  std::set<std::string_view> names;
  // The first unit of a selector, by the selector's text.
  std::map<std::string, std::size_t, std::less<>> first;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const schedpol::detail::PathBuilder item = place.index(i);
    if (!units[i].name.empty() && !names.insert(units[i].name).second) {
      warnings.add(ErrorType::duplicate, item.child("name"), units[i].name,
                   "another unit has this name");
    }
    const std::optional selector = units[i].node_selector.value_or(LabelSelector{});
    const auto [same, is_first] = first.try_emplace(to_string(selector), i);
    if (is_first) continue;
    warnings.add(ErrorType::duplicate, item.child("nodeSelector"), "",
                 "unit " + std::to_string(same->second) + " selects the same nodes");
  }
}

/// Pods are counted apart by keys; one that the selector is about would count them apart by what it
/// has decided already. The API server refuses that in topology spread constraints, too. What such a
/// policy says is plain, so that `compile` takes it.
inline void validate_unselected(schedpol::detail::FieldErrors& errors,
                                const schedpol::detail::PathBuilder& place,
                                const ResourcePolicySpec& spec) {
  if (!spec.pod_selector || spec.match_label_keys.empty()) return;
  std::set<std::string_view> selected;
  for (const auto& [key, value] : spec.pod_selector->match_labels) selected.insert(key);
  for (const auto& expression : spec.pod_selector->match_expressions)
    selected.insert(expression.key);
  for (std::size_t i = 0; i < spec.match_label_keys.size(); ++i) {
    const std::string& key = spec.match_label_keys[i];
    if (selected.contains(key))
      errors.add(ErrorType::invalid, place.index(i), key, "must not be in the podSelector too");
  }
}

}  // namespace detail

SCHEDPOL_INLINE Validation validate(const ResourcePolicy& policy) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::FieldErrors warnings;
  const schedpol::detail::PathBuilder root;
  const schedpol::detail::PathBuilder spec = root.child("spec");
  const schedpol::detail::PathBuilder units = spec.child("units");
  detail::validate_policy(errors, root, policy);
  detail::validate_unselected(errors, spec.child("matchLabelKeys"), policy.spec);
  detail::find_repetitions(warnings, units, policy.spec.units);
  return {std::move(errors).take(), std::move(warnings).take()};
}

SCHEDPOL_INLINE std::size_t counting_cost(const ResourcePolicySpec& of) noexcept {
  std::size_t cost = 1 + of.units.size() + 4 * of.match_label_keys.size();
  for (const Unit& unit : of.units) cost += 2 * unit.max_resources.size();
  return cost;
}

}  // namespace SCHEDPOL_NAMESPACE::resource_policy

// schedpol/runtime_class/impl/pod_and_class.hpp

/// A pod and the class it names: which class that is, what of it the pod lacks, and where the two
/// disagree. What follows from it is decided by `admit` and `verify`.

namespace SCHEDPOL_NAMESPACE::runtime_class::detail {

using schedpol::detail::to_text;

/// The classes of one name, compiled.
inline CompiledClasses compile_named(std::span<const RuntimeClass> classes, std::string_view name) {
  std::vector<RuntimeClass> named;
  for (const RuntimeClass& runtime_class : classes) {
    if (runtime_class.metadata.name == name) named.push_back(runtime_class);
  }
  return compile(named);
}

/// The class that a pod names. Where there is none the pod is left alone, or denied by the
/// violation.
struct NamedClass {
  const RuntimeClass* runtime_class = nullptr;
  std::optional<Violation> violation;
};

inline NamedClass named_class(const Pod& pod, const CompiledClasses& classes) {
  const std::string& name = pod.spec.runtime_class_name;
  NamedClass named;
  if (name.empty()) {
    if (pod.spec.overhead.empty()) return named;
    named.violation = {.code = ViolationCode::overhead_without_runtime_class,
                       .field = field_path(pod.kind, {"spec", "overhead"}),
                       .value = to_text(pod.spec.overhead)};
    return named;
  }
  named.runtime_class = classes.find(name);
  if (named.runtime_class != nullptr) return named;
  named.violation = {.code = ViolationCode::runtime_class_not_found,
                     .field = field_path(pod.kind, {"spec", "runtimeClassName"}),
                     .value = name};
  if (classes.is_ambiguous(name)) {
    named.violation->code = ViolationCode::ambiguous_policy;
    named.violation->policies = {name};
  }
  return named;
}

/// How the overhead of a pod stands to that of its class.
enum class OverheadState {
  in_place,
  missing,    ///< the pod has none
  other,      ///< the pod has another one
  undefined,  ///< the pod has one, and the class defines none
};

/// A pair of the class's node selector that the pod does not have.
struct MissingPair {
  const std::string* key;
  const std::string* value;
  const std::string* found;  ///< the other value that the pod has there, null where it has none
};

struct ClassMismatch {
  OverheadState overhead = OverheadState::in_place;
  std::vector<MissingPair> node_selector;  ///< in the order of keys
};

inline OverheadState compare_overhead(const ResourceList& of_pod, const RuntimeClass& with) {
  if (!with.overhead || with.overhead->pod_fixed.empty()) {
    return of_pod.empty() ? OverheadState::in_place : OverheadState::undefined;
  }
  if (of_pod.empty()) return OverheadState::missing;
  return of_pod == with.overhead->pod_fixed ? OverheadState::in_place : OverheadState::other;
}

/// Tolerations are not compared: `admit` merges them, and `verify` asks which are covered. Valid as
/// long as both live unchanged.
inline ClassMismatch find_mismatch(const Pod& pod, const RuntimeClass& with) {
  ClassMismatch mismatch;
  mismatch.overhead = compare_overhead(pod.spec.overhead, with);
  if (!with.scheduling) return mismatch;
  for (const auto& [key, value] : with.scheduling->node_selector) {
    const std::string* found = find_label(pod.spec.node_selector, key);
    if (found == nullptr || *found != value) {
      mismatch.node_selector.push_back({&key, &value, found});
    }
  }
  return mismatch;
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class::detail

// schedpol/runtime_class/impl/admit.ipp

namespace SCHEDPOL_NAMESPACE::runtime_class {

namespace detail {

/// A violation for all in which the pod contradicts its class.
inline std::vector<Violation> conflict_violations(const Pod& pod, const ClassMismatch& mismatch,
                                                  const RuntimeClass& from) {
  std::vector<Violation> violations;
  if (mismatch.overhead == OverheadState::other || mismatch.overhead == OverheadState::undefined) {
    violations.push_back({.code = mismatch.overhead == OverheadState::other
                                      ? ViolationCode::overhead_mismatch
                                      : ViolationCode::overhead_without_runtime_class,
                          .field = field_path(pod.kind, {"spec", "overhead"}),
                          .value = to_text(pod.spec.overhead),
                          .policies = {from.metadata.name}});
    if (from.overhead && !from.overhead->pod_fixed.empty())
      violations.back().permitted = {to_text(from.overhead->pod_fixed)};
  }
  for (const MissingPair& pair : mismatch.node_selector) {
    if (pair.found == nullptr) continue;
    violations.push_back({.code = ViolationCode::node_selector_conflict,
                          .field = field_path(pod.kind, {"spec", "nodeSelector"}).key(*pair.key),
                          .value = *pair.found,
                          .policies = {from.metadata.name},
                          .permitted = {*pair.value}});
  }
  return violations;
}

/// The admission of a pod that does not contradict its class, with what it lacks of it. Of tolerations the union, where
/// that is not the pod's own; one of the pod that it no longer lists was covered by another, or is
/// there once already.
[[nodiscard]] inline Admission with_class(Pod pod, const ClassMismatch& mismatch,
                                          const RuntimeClass& from) {
  Admission admission;
  admission.allowed = true;
  const auto note = [&](FieldPath field, std::optional<std::string> before,
                        std::optional<std::string> after) {
    admission.changes.push_back(
        {std::move(field), std::move(before), std::move(after), from.metadata.name});
  };
  if (mismatch.overhead == OverheadState::missing)
    note(field_path(pod.kind, {"spec", "overhead"}), std::nullopt,
         to_text(from.overhead->pod_fixed));
  for (const MissingPair& pair : mismatch.node_selector)
    note(field_path(pod.kind, {"spec", "nodeSelector"}).key(*pair.key), std::nullopt, *pair.value);
  std::optional<std::vector<Toleration>> tolerations;
  if (from.scheduling) {
    const std::vector<Toleration>& own = pod.spec.tolerations;
    std::vector<Toleration> merged = merge(own, from.scheduling->tolerations);
    const std::vector<std::size_t> dropped = schedpol::detail::missing_from(merged, own);
    const std::vector<std::size_t> added = schedpol::detail::missing_from(own, merged);
    const FieldPath field = field_path(pod.kind, {"spec", "tolerations"});
    for (const std::size_t i : dropped) note(field.index(i), to_string(own[i]), std::nullopt);
    for (const std::size_t i : added) note(field.index(i), std::nullopt, to_string(merged[i]));
    if (!dropped.empty() || !added.empty()) tolerations = std::move(merged);
  }
  if (!admission.changes.empty()) admission.before.emplace(pod);
  if (mismatch.overhead == OverheadState::missing) pod.spec.overhead = from.overhead->pod_fixed;
  for (const MissingPair& pair : mismatch.node_selector)
    pod.spec.node_selector.try_emplace(*pair.key, *pair.value);
  if (tolerations) pod.spec.tolerations = *std::move(tolerations);
  admission.pod = std::move(pod);
  return admission;
}

inline bool is_covered(const Toleration& toleration, std::span<const Toleration> by) noexcept {
  for (const Toleration& own : by) {
    if (covers(own, toleration)) return true;
  }
  return false;
}

/// What of the class a pod lacks.
inline std::vector<Violation> lacks(const Pod& pod, const RuntimeClass& of) {
  std::vector<Violation> violations;
  const auto lack = [&](ViolationCode code, FieldPath field, std::string value) {
    violations.push_back({.code = code,
                          .field = std::move(field),
                          .value = std::move(value),
                          .policies = {of.metadata.name}});
  };
  const ClassMismatch mismatch = find_mismatch(pod, of);
  if (mismatch.overhead != OverheadState::in_place) {
    lack(mismatch.overhead == OverheadState::undefined
             ? ViolationCode::overhead_without_runtime_class
             : ViolationCode::overhead_mismatch,
         field_path(pod.kind, {"spec", "overhead"}), to_text(pod.spec.overhead));
  }
  for (const MissingPair& pair : mismatch.node_selector) {
    lack(ViolationCode::node_selector_required,
         field_path(pod.kind, {"spec", "nodeSelector"}).key(*pair.key),
         pair.found == nullptr ? "" : *pair.found);
  }
  if (!of.scheduling) return violations;
  for (const Toleration& toleration : of.scheduling->tolerations) {
    if (is_covered(toleration, pod.spec.tolerations)) continue;
    lack(ViolationCode::toleration_required, field_path(pod.kind, {"spec", "tolerations"}),
         to_string(toleration));
  }
  return violations;
}

}  // namespace detail

SCHEDPOL_INLINE Admission admit(Pod pod, const CompiledClasses& classes) {
  if (pod.spec.moved_from) return schedpol::detail::moved_from_denial(std::move(pod));
  detail::NamedClass named = detail::named_class(pod, classes);
  Admission admission;
  if (named.violation) admission.violations.push_back(*std::move(named.violation));
  if (named.runtime_class != nullptr) {
    const detail::ClassMismatch mismatch = detail::find_mismatch(pod, *named.runtime_class);
    admission.violations = detail::conflict_violations(pod, mismatch, *named.runtime_class);
    if (admission.violations.empty())
      return detail::with_class(std::move(pod), mismatch, *named.runtime_class);
  }
  admission.allowed = admission.violations.empty();
  admission.pod = std::move(pod);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, std::span<const RuntimeClass> classes) {
  const CompiledClasses named = detail::compile_named(classes, pod.spec.runtime_class_name);
  return admit(std::move(pod), named);
}

SCHEDPOL_INLINE std::vector<Violation> verify(const Pod& pod, const CompiledClasses& classes) {
  if (pod.spec.moved_from) return {schedpol::detail::moved_from_violation(pod.kind)};
  detail::NamedClass named = detail::named_class(pod, classes);
  if (named.runtime_class != nullptr) return detail::lacks(pod, *named.runtime_class);
  std::vector<Violation> violations;
  if (named.violation) violations.push_back(*std::move(named.violation));
  return violations;
}

SCHEDPOL_INLINE std::vector<Violation> verify(const Pod& pod,
                                              std::span<const RuntimeClass> classes) {
  return verify(pod, detail::compile_named(classes, pod.spec.runtime_class_name));
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/runtime_class/impl/compile.ipp

namespace SCHEDPOL_NAMESPACE::runtime_class {

struct CompiledClasses::Impl {
  struct KnownClass {
    RuntimeClass runtime_class;
    bool ambiguous = false;
  };
  std::vector<KnownClass> classes;  ///< one a name, in byte order

  [[nodiscard]] const KnownClass* find(std::string_view name) const noexcept {
    const auto at = std::partition_point(
        classes.begin(), classes.end(),
        [&](const KnownClass& known) { return known.runtime_class.metadata.name < name; });
    return at == classes.end() || at->runtime_class.metadata.name != name ? nullptr : &*at;
  }
};

SCHEDPOL_INLINE const RuntimeClass* CompiledClasses::find(std::string_view name) const& noexcept {
  const Impl::KnownClass* known = impl_ ? impl_->find(name) : nullptr;
  return known == nullptr || known->ambiguous ? nullptr : &known->runtime_class;
}

SCHEDPOL_INLINE bool CompiledClasses::is_ambiguous(std::string_view name) const noexcept {
  const Impl::KnownClass* known = impl_ ? impl_->find(name) : nullptr;
  return known != nullptr && known->ambiguous;
}

SCHEDPOL_INLINE CompiledClasses compile(std::span<const RuntimeClass> classes) {
  std::vector<const RuntimeClass*> by_name;
  by_name.reserve(classes.size());
  for (const RuntimeClass& runtime_class : classes) by_name.push_back(&runtime_class);
  std::sort(by_name.begin(), by_name.end(), [](const RuntimeClass* a, const RuntimeClass* b) {
    const int order = a->metadata.name.compare(b->metadata.name);
    return order != 0 ? order < 0 : a < b;
  });
  CompiledClasses::Impl impl;
  for (const RuntimeClass* runtime_class : by_name) {
    auto& known = impl.classes;
    if (known.empty() || known.back().runtime_class.metadata.name != runtime_class->metadata.name) {
      known.push_back({*runtime_class});
    } else if (known.back().runtime_class != *runtime_class) {
      known.back().ambiguous = true;
    }
  }
  CompiledClasses compiled;
  compiled.impl_ = Shared<CompiledClasses::Impl>(std::move(impl));
  return compiled;
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/runtime_class/impl/supports.ipp

namespace SCHEDPOL_NAMESPACE::runtime_class {

SCHEDPOL_INLINE Support supports(const RuntimeClass& runtime_class, const Node& node) {
  Support support;
  if (runtime_class.scheduling) {
    for (const auto& [key, value] : runtime_class.scheduling->node_selector) {
      const std::string* label = find_label(node.metadata.labels, key);
      if (label == nullptr || *label != value) support.missing.try_emplace(key, value);
    }
  }
  support.supported = support.missing.empty();
  return support;
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/runtime_class/impl/validate.ipp

namespace SCHEDPOL_NAMESPACE::runtime_class {

namespace detail {

inline void validate_handler(schedpol::detail::FieldErrors& errors,
                             const schedpol::detail::PathBuilder& at, std::string_view handler) {
  if (handler.empty()) {
    errors.add(ErrorType::required, at, "", "a class has the name of its runtime");
  } else {
    errors.add_all(at, handler, schedpol::detail::dns_label_problems(handler));
  }
}

inline void validate_overhead(schedpol::detail::FieldErrors& errors,
                              const schedpol::detail::PathBuilder& at, const Overhead& overhead) {
  const schedpol::detail::PathBuilder pod_fixed = at.child("podFixed");
  if (overhead.pod_fixed.size() > max_pod_resources)
    errors.add(ErrorType::too_many, pod_fixed, std::to_string(overhead.pod_fixed.size()),
               "a pod has at most " + std::to_string(max_pod_resources) + " resources");
  for (const auto& [name, quantity] : overhead.pod_fixed) {
    const schedpol::detail::PathBuilder item = pod_fixed.key(name);
    schedpol::detail::validate_length(errors, item, name, max_label_key_bytes);
    if (quantity >= Quantity()) continue;
    errors.add(ErrorType::invalid, item, quantity.text(), "must not be negative");
  }
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const RuntimeClass& runtime_class) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::PathBuilder object;
  schedpol::detail::validate_cluster_metadata(errors, object.child("metadata"), "RuntimeClass",
                                              runtime_class.metadata);
  detail::validate_handler(errors, object.child("handler"), runtime_class.handler);
  if (runtime_class.overhead)
    detail::validate_overhead(errors, object.child("overhead"), *runtime_class.overhead);
  if (runtime_class.scheduling) {
    const schedpol::detail::PathBuilder scheduling = object.child("scheduling");
    schedpol::detail::validate_labels(errors, scheduling.child("nodeSelector"),
                                      runtime_class.scheduling->node_selector);
    schedpol::detail::validate_tolerations(errors, scheduling.child("tolerations"),
                                           runtime_class.scheduling->tolerations);
    schedpol::detail::validate_given_items(errors, scheduling, *runtime_class.scheduling);
  }
  schedpol::detail::SpecSize size;
  if (runtime_class.overhead) size.add(runtime_class.overhead->pod_fixed);
  if (runtime_class.scheduling)
    size.add_all(runtime_class.scheduling->node_selector, runtime_class.scheduling->tolerations);
  size.validate(errors, object);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE::runtime_class

// schedpol/scheduling_policy/impl/admit.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

SCHEDPOL_INLINE Admission admit(Pod pod, const EffectivePolicy& effective, const Options& options) {
  Defaulted defaulted = apply_defaults(pod, effective, options);
  std::vector<Violation> violations = check(defaulted.pod, effective, options);
  const bool allowed = violations.empty();
  const bool changed = allowed && !defaulted.changes.empty();
  return {.allowed = allowed,
          .pod = std::move(allowed ? defaulted.pod : pod),
          .violations = std::move(violations),
          .changes = changed ? std::move(defaulted.changes) : std::vector<Change>(),
          .before = changed ? std::optional(std::move(pod)) : std::nullopt,
          .warnings = allowed ? std::move(defaulted.warnings) : std::vector<Warning>()};
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/impl/builtin.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

struct Platforms {
  std::string arch_label{};
  std::string os_label{};
  std::string linux_name{};
  std::string windows_name{};
};

inline Platforms platforms(PlatformLabels labels) {
  if (labels == PlatformLabels::proposal)
    return {"beta.kubernetes.io/arch", "beta.kubernetes.io/os", "Linux", "Windows"};
  return {"kubernetes.io/arch", "kubernetes.io/os", "linux", "windows"};
}

/// The default scheduler, required and given.
inline SchedulingPolicy restricted_multiarch(std::string name) {
  SchedulingPolicy policy;
  policy.metadata.name = std::move(name);
  policy.spec.required.scheduler_names = {default_scheduler_name};
  policy.spec.defaults.scheduler_name = default_scheduler_name;
  return policy;
}

/// One of two values of a label.
inline TermPattern either(const std::string& key, std::string_view a, std::string_view b) {
  const RequirementPattern pattern{
      .keys = {key}, .operators = {NodeSelectorOperator::in}, .values = {a, b}};
  return {.match_expressions = {pattern}, .match_fields = {}};
}
inline NodeSelectorTerm exactly(const std::string& key, std::string_view value) {
  return {.match_expressions = {{key, NodeSelectorOperator::in, {value}}}, .match_fields = {}};
}

}  // namespace detail

SCHEDPOL_INLINE SchedulingPolicy restricted() {
  SchedulingPolicy policy;
  policy.metadata.name = "restricted";
  policy.spec.allowed.scheduler_names = {default_scheduler_name};
  return policy;
}

SCHEDPOL_INLINE SchedulingPolicy privileged() {
  SchedulingPolicy policy;
  policy.metadata.name = "privileged";
  policy.spec.allowed = detail::everything();
  return policy;
}

SCHEDPOL_INLINE SchedulingPolicy restricted_multiarch_by_node_selector(PlatformLabels labels) {
  const detail::Platforms names = detail::platforms(labels);
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-node-selector");
  policy.spec.required.node_selectors = {{names.arch_label, {"amd64", "arm64"}},
                                         {names.os_label, {names.linux_name, names.windows_name}}};
  policy.spec.defaults.node_selector =
      Labels{{names.arch_label, "amd64"}, {names.os_label, names.linux_name}};
  return policy;
}

SCHEDPOL_INLINE SchedulingPolicy restricted_multiarch_by_affinity(PlatformLabels labels) {
  const detail::Platforms names = detail::platforms(labels);
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-affinity");
  const NodeAffinityRule rule{
      {detail::either(names.arch_label, "amd64", "arm64"),
       detail::either(names.os_label, names.linux_name, names.windows_name)}};
  NodeAffinityRules& required = policy.spec.required.affinities.list().node_affinities.list();
  required.required_during_scheduling_ignored_during_execution = rule;
  NodeAffinity& affinity = policy.spec.defaults.affinity.emplace().node_affinity.emplace();
  affinity.required_during_scheduling_ignored_during_execution =
      NodeSelector{{detail::exactly(names.arch_label, "amd64"),
                    detail::exactly(names.os_label, names.linux_name)}};
  return policy;
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/base/impl/lookup/calls.hpp

/// How a question that takes many searches of a few instructions each is asked without a call for
/// each of them.

namespace SCHEDPOL_NAMESPACE::detail {

/// What `f` returns of the arguments; it captures nothing. All that it calls becomes one piece of
/// code, but for what stands apart.
template <class F, class... Arguments>
[[gnu::flatten, gnu::noinline]] auto call_flattened(F f, const Arguments&... arguments) {
  return f(arguments...);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/scheduling_policy/impl/permitted.hpp

/// The permitted values in a violation: the first of them, and the number of the rest. They are looked
/// up only for a denial, never for an allowed pod.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// As many as a text shows; what is too long to be shown whole is only counted.
class ShortList {
 public:
  [[nodiscard]] bool is_full() const noexcept { return shown_.size() == max_shown_names; }
  /// Whether nothing was shown or counted.
  [[nodiscard]] bool empty() const noexcept { return shown_.empty() && more_ == 0; }

  void add(const std::string& text) {
    if (is_full() || text.size() > max_shown_bytes) {
      ++more_;
    } else {
      shown_.push_back(text);
    }
  }
  void add(const Texts& texts) {
    for (const std::string& text : texts) add(text);
  }
  void count(std::size_t more) noexcept { more_ += more; }

  /// None where none can be shown.
  [[nodiscard]] Names take() && {
    return shown_.empty() ? Names() : Names(std::move(shown_), more_);
  }

 private:
  std::vector<std::string> shown_;
  std::size_t more_ = 0;
};

/// Texts: the allowed and the default's.
inline Names permitted_texts(const Texts& allowed, const std::string* by_default) {
  ShortList list;
  list.add(allowed);
  if (by_default != nullptr && !allowed.contains(*by_default)) list.add(*by_default);
  return std::move(list).take();
}

/// Names: the required, where any are, otherwise the allowed and the default's.
inline Names permitted_names(const AnyOr<Texts>& required, const AnyOr<Texts>& allowed,
                             const std::optional<std::string>& by_default) {
  if (!required.is_absent()) return permitted_texts(required.listed(), nullptr);
  return permitted_texts(allowed.listed(), by_default ? &*by_default : nullptr);
}

/// Values of a node selector key, in the same way.
inline Names permitted_values(const SchedulingPolicySpec& spec, std::string_view key) {
  const NodeSelectors& required = spec.required.node_selectors.listed();
  if (const auto found = required.find(key); found != required.end())
    return permitted_texts(found->second.listed(), nullptr);
  const NodeSelectors& allowed = spec.allowed.node_selectors.listed();
  const auto found = allowed.find(key);
  const std::optional<Labels>& by_default = spec.defaults.node_selector;
  return permitted_texts(found == allowed.end() ? Texts() : found->second.listed(),
                         by_default ? find_label(*by_default, key) : nullptr);
}

/// The patterns of an index, of which those are named that are about a key: first those that list it,
/// then those that take any. Where none is about it, they are named as they come. No pattern becomes a
/// text before it is named, and none twice while the same index is asked.
template <class Source>
class NamedPatterns {
 public:
  /// What is permitted at a key.
  [[nodiscard]] Names at(std::string_view key, const PatternIndex& index) {
    if (index_ != &index) *this = NamedPatterns(index);
    ShortList names;
    index.for_each_of_key(key, [&](std::size_t number) { name(number, names); });
    return names.empty() ? all() : std::move(names).take();
  }

  NamedPatterns() = default;

 private:
  explicit NamedPatterns(const PatternIndex& index) noexcept : index_(&index) {}

  void name(std::size_t number, ShortList& names) {
    const void* source = index_->sources()[number];
    if (source == nullptr) return;
    if (names.is_full()) return names.count(1);
    if (texts_.size() <= number) texts_.resize(number + 1);
    std::string& text = texts_[number];
    if (text.empty()) text = to_string(*static_cast<const Source*>(source));
    names.add(text);
  }
  [[nodiscard]] const Names& all() {
    if (all_) return *all_;
    ShortList names;
    for (std::size_t i = 0; i < index_->sources().size(); ++i) name(i, names);
    return all_.emplace(std::move(names).take());
  }

  const PatternIndex* index_ = nullptr;
  std::vector<std::string> texts_{};  ///< by number, once they are named
  std::optional<Names> all_{};        ///< once they are named
};

/// What a default of tolerations gives, as patterns.
inline std::vector<TolerationPattern> given_tolerations(
    const std::optional<std::vector<DefaultToleration>>& defaults) {
  std::vector<TolerationPattern> given;
  if (!defaults) return given;
  for (const DefaultToleration& by_default : *defaults) {
    const auto& [key, operator_, value, effect, seconds] = by_default.toleration;
    const bool is_equal = operator_ == TolerationOperator::unset;
    TolerationPattern pattern{.keys = any, .operators = {operator_}, .values = {}, .effects = any};
    if (!key.empty()) pattern.keys = {key};
    if (is_equal) pattern.operators = {TolerationOperator::equal};
    pattern.values =
        by_default.values.is_listed() || value.empty() ? by_default.values : AnyOr<Texts>{value};
    if (effect != TaintEffect::unset) pattern.effects = {effect};
    given.push_back(std::move(pattern));
  }
  return given;
}

/// Tolerations: what is required, allowed and given.
class PermittedTolerations {
 public:
  /// `listed`: the index of what is required and allowed.
  PermittedTolerations(const SchedulingPolicySpec& spec, const PatternIndex& listed)
      : given_(given_tolerations(spec.defaults.tolerations)), index_(&listed) {
    if (given_.empty()) return;
    index_ = &with_given_.emplace([&](auto&& add) {
      for (const auto* list : {&spec.required.tolerations.listed(),
                               &spec.allowed.tolerations.listed(), &std::as_const(given_)})
        for (const TolerationPattern& pattern : *list) add(pattern);
    });
  }
  PermittedTolerations(const PermittedTolerations&) = delete;  // it points to its own
  PermittedTolerations& operator=(const PermittedTolerations&) = delete;
  ~PermittedTolerations() = default;

  [[nodiscard]] Names at(std::string_view key) { return patterns_.at(key, *index_); }

 private:
  std::vector<TolerationPattern> given_;
  std::optional<PatternIndex> with_given_{};
  const PatternIndex* index_;
  NamedPatterns<TolerationPattern> patterns_{};
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/violation_list.hpp

/// The denials of `check` as violations, with the permitted values.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The value of a violation, or of an item that is explained.
inline std::string text_of(const CheckedItem& item) {
  if (item.pair.value != nullptr) return *item.pair.value;
  if (item.toleration != nullptr) return schedpol::to_string(*item.toleration);
  if (item.spread_constraint != nullptr) return schedpol::to_string(*item.spread_constraint);
  if (item.expression.requirement != nullptr)
    return schedpol::to_string(*item.expression.requirement);
  if (item.node_term != nullptr) return schedpol::to_string(*item.node_term);
  if (item.pod_term != nullptr) return schedpol::to_string(*item.pod_term);
  if (item.node_terms != nullptr) return to_string(*item.node_terms);
  if (item.pod_terms != nullptr) return to_string(*item.pod_terms);
  return std::string(item.text);
}

inline std::vector<Violation> one_violation(Violation&& violation) {
  std::vector<Violation> violations;
  violations.push_back(std::move(violation));
  return violations;
}

/// The one violation where no policy decides.
inline Violation undecided(PodKind kind, const EffectivePolicy& effective) {
  return {
      effective.is_ambiguous() ? ViolationCode::ambiguous_policy : ViolationCode::no_usable_policy,
      field_path(kind, {"spec"}), "", effective.policies()};
}

/// The topology keys that the two sections list in a mode of pod affinity.
struct PermittedInMode {
  std::string_view kind{};
  std::string_view mode{};
  Names topology_keys{};
};

class ViolationList final : public CheckListener {
 public:
  ViolationList(PodKind kind, const EffectivePolicy& effective) noexcept
      : CheckListener(Wants::denials), kind_(kind), effective_(effective) {}

  void on_event(const CheckEvent& event) override {
    if (!denies(event.verdict)) return;
    Violation& violation = violations_.emplace_back();
    violation.field = event.field->path(template_path(kind_));
    violation.value = text_of(event.item);
    if (event.verdict == Verdict::requirement_missing) {
      violation.code = event.codes.missing;
      violation.policies = effective_.sources_of(event.entry->path());
    } else {
      violation.code = event.codes.not_permitted;
      violation.policies = effective_.policies();
      violation.detail = unknown_word_in(event.item);
    }
    if (violation.detail.empty()) violation.permitted = permitted(event);
  }

  [[nodiscard]] std::vector<Violation> take() && { return std::move(violations_); }

 private:
  /// What no policy whatsoever permits; empty where it is none of that.
  static std::string unknown_word_in(const CheckedItem& item) {
    using schedpol::detail::unknown_word;
    if (const Toleration* toleration = item.toleration) {
      if (!toleration->operator_.known()) return unknown_word("operator", toleration->operator_);
      if (!toleration->effect.known()) return unknown_word("effect", toleration->effect);
    }
    if (const TopologySpreadConstraint* constraint = item.spread_constraint)
      if (!constraint->when_unsatisfiable.known())
        return unknown_word("whenUnsatisfiable", constraint->when_unsatisfiable);
    if (const NodeSelectorRequirement* requirement = item.expression.requirement) {
      const auto& operator_ = requirement->operator_;
      if (!operator_.known()) return unknown_word("operator", operator_);
      if (operator_ == NodeSelectorOperator::unset) return "it has no operator";
    }
    return {};
  }

  /// What would have been permitted in the place of the item.
  [[nodiscard]] Names permitted(const CheckEvent& event) {
    Names names;
    with_row(event.codes, [&](const auto& row) { names = permitted(row, event); });
    return names;
  }
  [[nodiscard]] Names permitted(const NameField& row, const CheckEvent&) const {
    return permitted_names(spec().required.*row.rules, spec().allowed.*row.rules,
                           spec().defaults.*row.member);
  }
  [[nodiscard]] static Names permitted(const NodeNameField&, const CheckEvent&) { return {}; }
  [[nodiscard]] Names permitted(const NodeSelectorField&, const CheckEvent& event) const {
    return permitted_values(spec(), *event.item.pair.key);
  }
  [[nodiscard]] Names permitted(const SpreadConstraintsField& row, const CheckEvent&) const {
    ShortList patterns;
    for (const SpreadConstraintPattern& each : (spec().allowed.*row.rules).listed())
      patterns.add(to_string(each));
    return std::move(patterns).take();
  }
  template <class Item>
  [[nodiscard]] Names permitted(const AllowedNamesField<Item>& row, const CheckEvent&) const {
    return permitted_texts((spec().allowed.*row.rules).listed(), nullptr);
  }
  [[nodiscard]] Names permitted(const TolerationsField&, const CheckEvent& event) {
    if (event.verdict == Verdict::requirement_missing) return {};
    if (!tolerations_) tolerations_.emplace(spec(), *event.patterns);
    return tolerations_->at(event.item.toleration->key);
  }
  [[nodiscard]] Names permitted(const AffinityField&, const CheckEvent& event) {
    if (event.verdict == Verdict::requirement_missing) return {};
    if (const auto& [requirement, is_field] = event.item.expression; requirement != nullptr)
      return (is_field ? fields_ : expressions_).at(requirement->key, *event.patterns);
    return permitted_topology_keys(event);
  }

  /// All of a mode is looked at before the next one.
  [[nodiscard]] const Names& permitted_topology_keys(const CheckEvent& event) {
    if (in_mode_.kind == event.kind && in_mode_.mode == event.mode) return in_mode_.topology_keys;
    ShortList keys;
    for (const auto* kind : {&pod_affinity_kind, &pod_anti_affinity_kind}) {
      if (kind->field != event.kind) continue;
      keys.add(listed_in(spec().required, *kind, event.mode).topology_keys);
      keys.add(listed_in(spec().allowed, *kind, event.mode).topology_keys);
    }
    in_mode_ = {event.kind, event.mode, std::move(keys).take()};
    return in_mode_.topology_keys;
  }

  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return effective_.spec(); }

  PodKind kind_;
  const EffectivePolicy& effective_;
  std::vector<Violation> violations_;
  std::optional<PermittedTolerations> tolerations_;  ///< once one is denied
  NamedPatterns<RequirementPattern> expressions_;
  NamedPatterns<RequirementPattern> fields_;
  PermittedInMode in_mode_;  ///< the one looked at last
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_items.hpp

/// Applies all rules of `check` to one pod; each rule reports its events. First comes a test that
/// allocates nothing. It finds the rows without violations: the policies require nothing and list
/// everything that the pod has.

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(const Pod& pod, const EffectivePolicy& effective,
                                          const Options& options) {
  constexpr auto clear_rows = [](const EffectivePolicyAccess::Impl& of, const Pod& whole,
                                 const Options& with) {
    return of.checks.clear_rows(EffectivePod(whole, with, of.spec.defaults));
  };
  if (pod.spec.moved_from) return one_violation(schedpol::detail::moved_from_violation(pod.kind));
  const auto& rules = EffectivePolicyAccess::of(effective);
  const std::size_t clear = schedpol::detail::call_flattened(clear_rows, rules, pod, options);
  if (clear == row_count) return {};
  ViolationList violations(pod.kind, effective);
  rules.checks.run(EffectivePod(pod, options, rules.spec.defaults), violations, clear);
  return std::move(violations).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// What tells the violations of a pod apart, wherever in their lists they stand.
inline std::string identity_of(const Violation& violation) {
  std::string text(to_string(violation.code));
  text += ' ';
  append_escaped(text, to_string(violation.field.without_indices()), " ");
  return text + ' ' + violation.value;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                             const Options& options) {
  if (!EffectivePolicyAccess::of(effective).decides)
    return detail::one_violation(detail::undecided(pod.kind, effective));
  return detail::check_items(pod, effective, options);
}

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective) {
  static const Options by_default;
  return check(pod, effective, by_default);
}

SCHEDPOL_INLINE std::vector<Violation> check_update(const Old<Pod>& old, const Pod& updated,
                                                    const EffectivePolicy& effective,
                                                    const Options& options) {
  return check_update(old, effective, options, updated, effective, options);
}

SCHEDPOL_INLINE std::vector<Violation> check_update(
    const Old<Pod>& old, const EffectivePolicy& effective_for_old, const Options& options_for_old,
    const Pod& updated, const EffectivePolicy& effective, const Options& options) {
  std::vector<Violation> violations = detail::check_items(updated, effective, options);
  if (violations.empty() || updated.spec.moved_from) return violations;
  Texts of_old;
  for (const Violation& violation :
       detail::check_items(old.object, effective_for_old, options_for_old))
    of_old.push_back(detail::identity_of(violation));
  const schedpol::detail::TextSet before(of_old);
  schedpol::detail::erase_if(violations, [&](const Violation& violation) {
    return before.contains(detail::identity_of(violation));
  });
  if (violations.empty() || EffectivePolicyAccess::of(effective).decides) return violations;
  return check(updated, effective, options);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/impl/defaults.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

/// Gives one pod the defaults of one policy.
class Defaulter {
 public:
  Defaulter(Pod pod, const EffectivePolicy& effective, const Options& options)
      : effective_(effective),
        defaults_(effective.spec().defaults),
        options_(options),
        result_{std::move(pod), {}, {}} {}

  Defaulted run() && {
    for_each_pod_field([&](const auto& row) { give_default(row); });
    return std::move(result_);
  }
  /// Of one field alone.
  template <class Row>
  Defaulted run(const Row& row) && {
    give_default(row);
    return std::move(result_);
  }

 private:
  void give_default(const auto& row) {
    if (defaults_.*row.member) give(row);
  }

  PodSpec& spec() { return result_.pod.spec; }
  [[nodiscard]] EffectivePod effective_pod() const { return {result_.pod, options_, defaults_}; }

  /// `field` is a place in the pod, `entry` one in the merged spec.
  void note(const FieldPath& field, std::optional<std::string> from, std::optional<std::string> to,
            const FieldPath& entry) {
    const Names policies = effective_.sources_of(entry);
    result_.changes.push_back({template_path(result_.pod.kind).join(field), std::move(from),
                               std::move(to), policies.empty() ? std::string() : policies[0]});
  }

  static std::optional<std::string> if_not_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  void give(const NameField& row) {
    const std::string& by_default = *(defaults_.*row.member);
    std::string& name = spec().*row.in_pod;
    if (effective_pod().specifies(row) || name == by_default) return;
    const FieldPath entry{default_section.name, row.field};
    note({"spec", row.field}, if_not_empty(name), by_default, entry);
    name = by_default;
    for (const DerivedField& derived : row.traits.derived) {
      std::optional<std::string> there = derived.text(spec());
      if (!there) continue;
      note({"spec", derived.field}, std::move(there), std::nullopt, entry);
      derived.clear(spec());
    }
  }

  void warn(const FieldPath& field, std::string text, const FieldPath& entry) {
    const Names policies = effective_.sources_of(entry);
    result_.warnings.push_back({template_path(result_.pod.kind).join(field), std::move(text),
                                policies.empty() ? Names() : Names{policies[0]}});
  }

  /// A pair that the pod has stays, an exempt one too; so does one that it will have.
  void give(const NodeSelectorField& row) {
    const Labels& by_default = *(defaults_.*row.member);
    NodeContext context(spec().node_selector, schedpol::detail::required_terms(spec().affinity),
                        options_);
    schedpol::detail::PairFilter filter = context.filter(by_default);
    for (const auto& [key, value] : by_default) {
      const std::string* there = find_label(context.node_selector(), key);
      if (spec().node_selector.contains(key) ||
          options_.added_to_pods.node_selector.contains(key) ||
          (there != nullptr && *there != value))
        continue;
      const FieldPath field = FieldPath{"spec", row.field}.key(key);
      const FieldPath entry = FieldPath{default_section.name, row.field}.key(key);
      if (const NodeSelectorRequirement* own = filter.excluding(key)) {
        warn(field,
             schedpol::detail::contradiction_text(NodeSelectorTerm{{*own}, {}},
                                                  schedpol::detail::make_term(key, value)),
             entry);
        continue;
      }
      note(field, std::nullopt, value, entry);
      spec().node_selector.try_emplace(key, value);
      context.added(key, value);
    }
  }

  void give(const TolerationsField& row) {
    if (effective_pod().specifies_tolerations()) return;
    std::vector<Toleration>& tolerations = spec().*row.in_pod;
    const std::vector<Toleration> exempt = tolerations;
    std::set<TolerationIdentity> there;
    for (const auto* list : {&exempt, &options_.added_to_pods.tolerations})
      for (const Toleration& toleration : *list) there.insert(TolerationIdentity(toleration));
    const FieldPath field{"spec", row.field};
    const FieldPath entry{default_section.name, row.field};
    for (const Toleration& toleration :
         EffectivePolicyAccess::of(effective_).checks.of(row).defaults().in_order()) {
      if (there.contains(TolerationIdentity(toleration))) continue;
      if (const Toleration* first = effective_pod().first_of_cluster(toleration)) {
        warn(field,
             in_backticks(schedpol::to_string(toleration)) + " has no effect beside " +
                 in_backticks(schedpol::to_string(*first)) + ", which the pod has or is given",
             entry);
        continue;
      }
      const auto place =
          std::find_if(tolerations.begin(), tolerations.end(), [&](const Toleration& each) {
            return schedpol::detail::replaces(toleration, each) &&
                   !effective_pod().is_injected_by_cluster(each);
          });
      const bool takes_place = place != tolerations.end();
      const auto at = static_cast<std::size_t>(place - tolerations.begin());
      note(field.index(at), takes_place ? std::optional(schedpol::to_string(*place)) : std::nullopt,
           schedpol::to_string(toleration), entry);
      if (takes_place) {
        *place = toleration;
      } else {
        tolerations.push_back(toleration);
      }
    }
  }

  void give(const AffinityField&) {
    for_each_kind([&](const auto& kind) { give(kind); });
  }
  template <class Kind, class Rule>
  void give(const AffinityKind<Kind, Rule>& kind) {
    const EffectivePod pod = effective_pod();
    const auto exempt = pod.exempt().of(kind.member);
    const auto there = terms_of(spec().affinity, kind.member);
    const bool gives_required = exempt.contain(there.required);
    const bool gives_preferred = exempt.contain(there.preferred);
    if (!gives_required && !gives_preferred) return;
    const auto& check = EffectivePolicyAccess::of(effective_).checks.of(affinity_field).of(kind);
    const FieldPath field{"spec", affinity_field.field, kind.field};
    const FieldPath entry{default_section.name, affinity_field.field, kind.field};
    std::vector<std::string> left_out;
    const Kind injected = gives_required ? check.injected_into(pod, left_out)
                                         : check.injected(pod.holds_in_every_term());
    Kind with = spec().affinity && (*spec().affinity).*kind.member
                    ? *((*spec().affinity).*kind.member)
                    : Kind{};
    if (gives_required && !add_required(with, injected)) {
      left_out.push_back("the pod would get more than " + std::to_string(max_node_selector_terms) +
                         " node selector terms, or longer ones than " +
                         std::to_string(max_merged_term_bytes) + " bytes");
    }
    if (gives_preferred)
      append_missing(with.preferred_during_scheduling_ignored_during_execution,
                     injected.preferred_during_scheduling_ignored_during_execution);
    if (!left_out.empty()) {
      std::string text = std::move(left_out.front());
      if (left_out.size() > 1)
        text += ", the first of " + std::to_string(left_out.size()) + " such terms";
      warn(field.child(required_mode), std::move(text), entry.child(required_mode));
    }
    using Terms = decltype(terms_of(with));
    const Terms now = terms_of(with);
    const auto note_mode = [&](std::string_view mode, const Terms& before, const Terms& after) {
      note(there.empty() ? field : field.child(mode),
           before.empty() ? std::nullopt : std::optional(to_string(before)), to_string(after),
           entry.child(mode));
    };
    const bool changes_required = now.required != there.required;
    const bool changes_preferred = now.preferred != there.preferred;
    if (!changes_required && !changes_preferred) return;
    if (there.empty()) {
      note_mode(changes_required ? required_mode : preferred_mode, there, now);
    } else {
      if (changes_required)
        note_mode(required_mode, Terms{.required = there.required},
                  Terms{.required = now.required});
      if (changes_preferred)
        note_mode(preferred_mode, Terms{.preferred = there.preferred},
                  Terms{.preferred = now.preferred});
    }
    if (!spec().affinity) spec().affinity.emplace();
    (*spec().affinity).*kind.member = std::move(with);
  }

  /// Appends the terms that the pod lacks, each as often as the default has it: that is the form in which `check`
  /// permits them.
  template <class Term>
  static void append_missing(std::vector<Term>& terms, const std::vector<Term>& more) {
    std::vector<Term> missing = more;
    schedpol::detail::erase_if(
        missing, [&](const Term& term) { return schedpol::detail::contains(terms, term); });
    schedpol::detail::append(terms, std::move(missing));
  }
  /// Adds required terms to those that a pod has, which are exempt; whether that is within the limits.
  bool add_required(NodeAffinity& to, const NodeAffinity& injected) {
    const auto& more = schedpol::detail::required_terms(injected);
    if (more.empty()) return true;
    auto& required = to.required_during_scheduling_ignored_during_execution;
    if (!required || required->node_selector_terms.empty()) {
      required = injected.required_during_scheduling_ignored_during_execution;
      return true;
    }
    return NodeContext::multiply(required->node_selector_terms, spec().node_selector, more);
  }
  static bool add_required(PodAffinity& to, const PodAffinity& injected) {
    append_missing(to.required_during_scheduling_ignored_during_execution,
                   injected.required_during_scheduling_ignored_during_execution);
    return true;
  }

  const EffectivePolicy& effective_;
  const Defaults& defaults_;
  const Options& options_;
  Defaulted result_;
};

}  // namespace detail

SCHEDPOL_INLINE Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                         const Options& options) {
  return detail::Defaulter(std::move(pod), effective, options).run();
}

SCHEDPOL_INLINE Defaulted apply_default_runtime_class(Pod pod, const EffectivePolicy& effective,
                                                      const Options& options) {
  return detail::Defaulter(std::move(pod), effective, options).run(runtime_class_name_field);
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/scheduling_policy/impl/validate.ipp

namespace SCHEDPOL_NAMESPACE::scheduling_policy {

namespace detail {

using schedpol::detail::FieldErrors;
using schedpol::detail::PathBuilder;

/// What the texts of a list are.
enum class TextSyntax {
  name,         ///< not empty
  label_key,    ///
  label_value,  ///
  free,         ///< values of Gt and Lt are numbers, those of matchFields object names
};

/// Each text has its syntax, and none stands twice.
inline void validate_texts(FieldErrors& errors, const PathBuilder& place, const Texts& texts,
                           TextSyntax syntax) {
  std::set<std::string_view> seen;
  schedpol::detail::validate_count(errors, place, texts.size(), max_expression_values);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const PathBuilder item = place.index(i);
    if (!seen.insert(texts[i]).second) errors.add(ErrorType::duplicate, item, texts[i], "");
    switch (syntax) {
      case TextSyntax::name:
        if (texts[i].empty())
          errors.add(ErrorType::required, item, texts[i], "a name must not be empty");
        schedpol::detail::validate_length(errors, item, texts[i], max_subdomain_bytes);
        break;
      case TextSyntax::label_key:
        errors.add_all(item, texts[i], schedpol::detail::label_key_problems(texts[i]));
        break;
      case TextSyntax::label_value:
        errors.add_all(item, texts[i], schedpol::detail::label_value_problems(texts[i]));
        break;
      case TextSyntax::free:
        schedpol::detail::validate_length(errors, item, texts[i], max_subdomain_bytes);
        break;
    }
  }
}

/// Each word is one of its vocabulary.
template <class Word>
void validate_words(FieldErrors& errors, const PathBuilder& place,
                    const std::vector<OpenEnum<Word>>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].known() && words[i] != Word::unset) continue;
    std::string supported = "supported are";
    for (const std::string_view spelling : spellings(Word{})) {
      if (!spelling.empty())
        supported.append(supported.ends_with("are") ? " " : ", ").append(spelling);
    }
    errors.add(ErrorType::not_supported, place.index(i), words[i].text(),
               supported + schedpol::detail::did_you_mean(words[i]));
  }
}

enum class Section { required, allowed };

class RulesValidator {
 public:
  RulesValidator(FieldErrors& errors, Section section) noexcept
      : errors_(errors), section_(section) {}

  void run(const PathBuilder& place, const PolicySection& section) {
    for_each_section_field([&]<class Row>(const Row& row) {
      const PathBuilder at = place.child(row.rules_field);
      if (is_allowed_field<Row> && section_ == Section::required) {
        if ((section.*row.rules).is_absent()) return;
        errors_.add(ErrorType::forbidden, at, "", "nothing of it can be required, only allowed");
      } else {
        field(at, section.*row.rules);
      }
    });
  }

 private:
  [[nodiscard]] bool is_missing_in_required(bool says_nothing) const noexcept {
    return section_ == Section::required && says_nothing;
  }

  /// `required: []` says neither what to ask for nor that nothing is asked for.
  template <class List>
  void asks_for_something(const PathBuilder& place, const AnyOr<List>& list) {
    if (!is_missing_in_required(!list.is_absent() && list.listed().empty())) return;
    errors_.add(ErrorType::required, place, "",
                "must list at least one entry; leave the field out to require nothing");
  }

  void field(const PathBuilder& place, const AnyOr<Texts>& names) {
    asks_for_something(place, names);
    validate_texts(errors_, place, names.listed(), TextSyntax::name);
  }
  void field(const PathBuilder& place, const AnyOr<NodeSelectors>& selectors) {
    asks_for_something(place, selectors);
    for (const auto& [key, values] : selectors.listed()) {
      const PathBuilder at_key = place.key(key);
      errors_.add_all(at_key, key, schedpol::detail::label_key_problems(key));
      validate_texts(errors_, at_key, values.listed(), TextSyntax::label_value);
    }
  }
  void field(const PathBuilder& place, const AnyOr<std::vector<TolerationPattern>>& tolerations) {
    asks_for_something(place, tolerations);
    patterns(place, tolerations.listed(), TextSyntax::label_value);
  }
  void field(const PathBuilder& place,
             const AnyOr<std::vector<SpreadConstraintPattern>>& constraints) {
    patterns(place, constraints.listed(), TextSyntax::label_key);
  }
  void field(const PathBuilder& place, const AnyOr<AffinityRules>& rules) {
    if (is_missing_in_required(!rules.is_absent() && rules.listed() == AffinityRules{})) {
      errors_.add(ErrorType::required, place, "",
                  "must name at least one kind of affinity; leave the field out to require "
                  "nothing");
    }
    for_each_field<AffinityRules>(
        [&](std::string_view name, auto kind) { modes(place.child(name), rules.listed().*kind); });
  }

  /// `values` is the syntax of texts that are no keys.
  template <class Pattern>
  void patterns(const PathBuilder& place, const std::vector<Pattern>& all, TextSyntax values) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      const PathBuilder at = place.index(i);
      for_each_field<Pattern>([&](std::string_view name, auto member) {
        const auto& list = (all[i].*member).listed();
        if constexpr (!std::is_same_v<decltype(list), const Texts&>) {
          validate_words(errors_, at.child(name), list);
        } else {
          TextSyntax syntax = values;
          if constexpr (requires { member == &Pattern::keys; })
            if (member == &Pattern::keys) syntax = TextSyntax::label_key;
          validate_texts(errors_, at.child(name), list, syntax);
        }
      });
    }
  }

  template <class Rule>
  void modes(const PathBuilder& place, const AnyOr<AffinityModes<Rule>>& kind) {
    asks_for_terms(place, kind);
    for_each_field<AffinityModes<Rule>>([&](std::string_view name, auto member) {
      const AnyOr<Rule>& of_mode = kind.listed().*member;
      const PathBuilder at = place.child(name);
      asks_for_terms(at, of_mode);
      for_each_field<Rule>([&](std::string_view list_name, auto list) {
        const PathBuilder of_list = at.child(list_name);
        mode(of_list, of_mode.listed().*list);
      });
    });
  }

  /// A kind or a mode that is written with nulls alone neither asks for something nor for any term.
  template <class Part>
  void asks_for_terms(const PathBuilder& place, const AnyOr<Part>& part) {
    if (!is_missing_in_required(part.is_listed() && part.listed() == Part{})) return;
    errors_.add(ErrorType::required, place, "",
                "must not be null below; leave the field out to require nothing, or write it empty "
                "for any term");
  }

  void mode(const PathBuilder& place, const std::vector<TermPattern>& terms) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const PathBuilder at = place.index(i);
      if (terms[i] == TermPattern{})
        errors_.add(ErrorType::required, at, "", "must have matchExpressions or matchFields");
      for_each_field<TermPattern>([&](std::string_view name, auto list) {
        const PathBuilder requirements = at.child(name);
        patterns(requirements, (terms[i].*list).listed(), TextSyntax::free);
      });
    }
  }
  void mode(const PathBuilder& place, const Texts& topology_keys) {
    validate_texts(errors_, place, topology_keys, TextSyntax::label_key);
  }

  FieldErrors& errors_;
  Section section_;
};

/// The toleration, as the API server would see it in a pod, and the values that it is given with.
inline void validate_default_toleration(FieldErrors& errors, const PathBuilder& place,
                                        const DefaultToleration& by_default) {
  schedpol::detail::validate_toleration(errors, place, by_default.toleration);
  if (by_default.values.is_absent()) return;
  if (by_default.toleration.operator_ == TolerationOperator::exists)
    errors.add(ErrorType::invalid, place.child("operator"), by_default.toleration.operator_.text(),
               "Exists takes no value");
  const PathBuilder values = place.child("values");
  if (by_default.values.listed().empty()) {
    errors.add(ErrorType::required, values, "",
               "must list at least one value; leave the field out for none");
  }
  if (!by_default.toleration.value.empty()) {
    errors.add(ErrorType::forbidden, place.child("value"), by_default.toleration.value,
               "must not be set beside values");
  }
  validate_texts(errors, values, by_default.values.listed(), TextSyntax::label_value);
}

/// A default, by the kind of its field.
inline void validate_default(FieldErrors& errors, const PathBuilder& place, const NameField& row,
                             const std::string& name) {
  if (row.traits.is_object_name) {
    schedpol::detail::validate_name(errors, place, name);
  } else {
    schedpol::detail::validate_length(errors, place, name, max_subdomain_bytes);
  }
}
inline void validate_default(FieldErrors& errors, const PathBuilder& place,
                             const NodeSelectorField&, const Labels& pairs) {
  for (const auto& [key, value] : pairs) {
    const PathBuilder pair = place.key(key);
    errors.add_all(pair, key, schedpol::detail::label_key_problems(key));
    errors.add_all(pair, value, schedpol::detail::label_value_problems(value));
  }
}
inline void validate_default(FieldErrors& errors, const PathBuilder& place, const TolerationsField&,
                             const std::vector<DefaultToleration>& tolerations) {
  if (tolerations.empty()) {
    errors.add(ErrorType::required, place, "",
               "must list at least one toleration; leave the field out to give none");
  }
  for (std::size_t i = 0; i < tolerations.size(); ++i)
    validate_default_toleration(errors, place.index(i), tolerations[i]);
}
inline void validate_default(FieldErrors& errors, const PathBuilder& place, const AffinityField&,
                             const Affinity& affinity) {
  schedpol::detail::validate_affinity(errors, place, affinity);
}

inline void validate_defaults(FieldErrors& errors, const PathBuilder& place,
                              const Defaults& defaults) {
  for_each_pod_field([&](const auto& row) {
    const PathBuilder field = place.child(row.field);
    if (const auto& by_default = defaults.*row.member)
      validate_default(errors, field, row, *by_default);
  });
}

/// A default that the policy's own requirement refuses would deny every pod that relies on it.
inline void validate_own_requirement(FieldErrors& errors, const PathBuilder& defaults,
                                     const SchedulingPolicySpec& spec, const NameField& row) {
  const std::optional<std::string>& by_default = spec.defaults.*row.member;
  const Texts& required = (spec.required.*row.rules).listed();
  if (!by_default || by_default->empty() || required.empty() || required.contains(*by_default))
    return;
  errors.add(ErrorType::invalid, defaults.child(row.field), *by_default,
             "is not among the names that the policy requires");
}
/// Whether something other than a name meets a requirement is for `analyze` to find out.
inline void validate_own_requirement(FieldErrors&, const PathBuilder&, const SchedulingPolicySpec&,
                                     const auto&) noexcept {}

inline schedpol::detail::SpecSize size_of(const SchedulingPolicySpec& spec) {
  schedpol::detail::SpecSize size;
  size.add(spec);
  return size;
}

}  // namespace detail

/// What `fields.hpp` describes has its fields for parts.
template <HasFields T>
void add_parts(schedpol::detail::SpecSize& size, const T& part) {
  for_each_field<T>([&](std::string_view, auto member) { size.add(part.*member); });
}
inline void add_parts(schedpol::detail::SpecSize& size, const DefaultToleration& by_default) {
  size.add_all(by_default.toleration, by_default.values);
}

SCHEDPOL_INLINE std::size_t policy_bytes(const SchedulingPolicySpec& spec) {
  return detail::size_of(spec).bytes();
}

SCHEDPOL_INLINE std::vector<FieldError> validate(const SchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::PathBuilder object;
  schedpol::detail::validate_cluster_metadata(errors, object.child("metadata"), "SchedulingPolicy",
                                              policy.metadata);

  const schedpol::detail::PathBuilder spec = object.child("spec");
  detail::RulesValidator(errors, detail::Section::required)
      .run(spec.child(required_section.name), policy.spec.required);
  detail::RulesValidator(errors, detail::Section::allowed)
      .run(spec.child(allowed_section.name), policy.spec.allowed);
  const schedpol::detail::PathBuilder defaults = spec.child(default_section.name);
  detail::validate_defaults(errors, defaults, policy.spec.defaults);
  for_each_pod_field([&](const auto& row) {
    detail::validate_own_requirement(errors, defaults, policy.spec, row);
  });
  detail::size_of(policy.spec).validate(errors, spec);
  return std::move(errors).take();
}

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy

// schedpol/core/impl/requirement.ipp

namespace SCHEDPOL_NAMESPACE::detail {

SCHEDPOL_INLINE bool Requirement::holds(const std::string* value) const noexcept {
  switch (operator_) {
    case Operator::in: return lists(value);
    case Operator::not_in: return !lists(value);
    case Operator::exists: return value != nullptr;
    case Operator::does_not_exist: return value == nullptr;
    case Operator::gt:
    case Operator::lt: break;
    case Operator::unset:
    case Operator::unknown: return false;
  }
  const auto number = value != nullptr ? signed_int64(*value) : std::nullopt;
  if (!number) return false;
  return operator_ == Operator::gt ? *number > bound : *number < bound;
}

SCHEDPOL_INLINE bool Requirement::lists(const std::string* value) const noexcept {
  if (value == nullptr) return false;
  if (values.size() == 1) return values.front() == *value;  // mostly the lengths tell
  return std::binary_search(values.begin(), values.end(), *value);
}

SCHEDPOL_INLINE bool hold(const Conjunction& all, const Labels& labels) noexcept {
  return all_of(all, [&](const Requirement& requirement) {
    return requirement.holds(find_label(labels, requirement.key));
  });
}

SCHEDPOL_INLINE std::optional<Requirement> to_requirement(
    const NodeSelectorRequirement& expression) {
  using Operator = Requirement::Operator;
  FieldErrors errors;
  validate_expression(errors, PathBuilder(), expression);
  if (!errors.empty()) return std::nullopt;
  Requirement requirement{expression.key, expression.operator_.word(), expression.values.vector()};
  std::sort(requirement.values.begin(), requirement.values.end());
  if (requirement.operator_ == Operator::gt || requirement.operator_ == Operator::lt) {
    const auto bound = signed_int64(expression.values.front());
    if (!bound) return std::nullopt;
    requirement.bound = *bound;
  }
  return requirement;
}

SCHEDPOL_INLINE std::optional<Conjunction> to_conjunction(const NodeSelectorTerm& term) {
  if (is_empty(term)) return std::nullopt;
  Conjunction all;
  for (const NodeSelectorRequirement& expression : term.match_expressions) {
    auto requirement = to_requirement(expression);
    if (!requirement) return std::nullopt;
    all.push_back(*std::move(requirement));
  }
  Conjunction excluded;
  for (const NodeSelectorRequirement& expression : term.match_fields) {
    const auto word = expression.operator_.word();
    if (word != NodeSelectorOperator::in && word != NodeSelectorOperator::not_in)
      return std::nullopt;
    if (expression.key != "metadata.name" || expression.values.size() != 1) return std::nullopt;
    (word == NodeSelectorOperator::in ? all : excluded)
        .push_back({"", word, expression.values.vector()});
  }
  append(all, std::move(excluded));
  return all;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/selector_rules.ipp

namespace SCHEDPOL_NAMESPACE::detail {

/// How many values an operator takes.
enum class Takes { some, none, one, unknown_operator };

inline Takes takes(NodeSelectorOperator word) noexcept {
  switch (word) {
    case NodeSelectorOperator::in:
    case NodeSelectorOperator::not_in: return Takes::some;
    case NodeSelectorOperator::exists:
    case NodeSelectorOperator::does_not_exist: return Takes::none;
    case NodeSelectorOperator::gt:
    case NodeSelectorOperator::lt: return Takes::one;
    case NodeSelectorOperator::unset:
    case NodeSelectorOperator::unknown: break;
  }
  return Takes::unknown_operator;
}

/// The rule for both kinds of expressions; `known` lists the operators that there are of the kind.
template <class Expression>
void validate_any_expression(FieldErrors& errors, const PathBuilder& place,
                             const Expression& expression, Values values, std::string_view known) {
  const PathBuilder listed = place.child("values");
  switch (takes(node_operator(expression.operator_.word()))) {
    case Takes::some:
      if (!expression.values.empty()) break;
      errors.add(ErrorType::required, listed, "", "In and NotIn need at least one value");
      break;
    case Takes::none:
      if (expression.values.empty()) break;
      errors.add(ErrorType::forbidden, listed, "", "Exists and DoesNotExist take no values");
      break;
    case Takes::one:
      if (expression.values.size() == 1) break;
      errors.add(ErrorType::required, listed, "", "Gt and Lt need one value");
      break;
    case Takes::unknown_operator:
      errors.add(ErrorType::invalid, place.child("operator"), expression.operator_.text(),
                 "must be " + std::string(known) + did_you_mean(expression.operator_));
      break;
  }
  errors.add_all(place.child("key"), expression.key, label_key_problems(expression.key));
  if (values == Values::free) return;
  for (std::size_t i = 0; i < expression.values.size(); ++i) {
    errors.add_all(listed.index(i), expression.values[i],
                   label_value_problems(expression.values[i]));
  }
}

SCHEDPOL_INLINE void validate_count(FieldErrors& errors, const PathBuilder& place,
                                    std::size_t count, std::size_t most) {
  if (count <= most) return;
  errors.add(ErrorType::too_many, place, std::to_string(count),
             "must be at most " + std::to_string(most));
}

template <class Expression>
void validate_expressions(FieldErrors& errors, const PathBuilder& place,
                          const std::vector<Expression>& expressions, Values values) {
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const PathBuilder item = place.index(i);
    validate_count(errors, item.child("values"), expressions[i].values.size(),
                   max_expression_values);
    validate_expression(errors, item, expressions[i], values);
  }
}

SCHEDPOL_INLINE void validate_labels(FieldErrors& errors, const PathBuilder& place,
                                     const Labels& labels, Values values) {
  for (const auto& [key, value] : labels) {
    errors.add_all(place, key, label_key_problems(key));
    if (values == Values::checked) errors.add_all(place, value, label_value_problems(value));
  }
}

SCHEDPOL_INLINE void validate_expression(FieldErrors& errors, const PathBuilder& place,
                                         const LabelSelectorRequirement& expression,
                                         Values values) {
  validate_any_expression(errors, place, expression, values, "In, NotIn, Exists or DoesNotExist");
}

SCHEDPOL_INLINE void validate_expression(FieldErrors& errors, const PathBuilder& place,
                                         const NodeSelectorRequirement& expression, Values values) {
  validate_any_expression(errors, place, expression, values,
                          "In, NotIn, Exists, DoesNotExist, Gt or Lt");
}

SCHEDPOL_INLINE void validate_field_expression(FieldErrors& errors, const PathBuilder& place,
                                               const NodeSelectorRequirement& expression) {
  const PathBuilder values = place.child("values");
  if (takes(expression.operator_.word()) != Takes::some) {
    errors.add(ErrorType::invalid, place.child("operator"), expression.operator_.text(),
               "must be In or NotIn" + did_you_mean(expression.operator_));
  } else if (expression.values.size() != 1) {
    errors.add(ErrorType::required, values, "", "In and NotIn need one value");
  }
  if (expression.key != "metadata.name") {
    errors.add(ErrorType::invalid, place.child("key"), expression.key, "must be metadata.name");
    return;
  }
  for (std::size_t i = 0; i < expression.values.size(); ++i) {
    errors.add_all(values.index(i), expression.values[i], subdomain_problems(expression.values[i]));
  }
}

SCHEDPOL_INLINE void validate_term(FieldErrors& errors, const PathBuilder& place,
                                   const NodeSelectorTerm& term, Values values) {
  validate_expressions(errors, place.child("matchExpressions"), term.match_expressions, values);
  const PathBuilder fields = place.child("matchFields");
  for (std::size_t i = 0; i < term.match_fields.size(); ++i)
    validate_field_expression(errors, fields.index(i), term.match_fields[i]);
}

SCHEDPOL_INLINE void validate_selector(FieldErrors& errors, const PathBuilder& place,
                                       const LabelSelector& selector, SelectedValues selected) {
  const Values values = selected == SelectedValues::labels ? Values::checked : Values::free;
  validate_labels(errors, place.child("matchLabels"), selector.match_labels, values);
  validate_expressions(errors, place.child("matchExpressions"), selector.match_expressions, values);
  validate_count(errors, place, selector.match_labels.size() + selector.match_expressions.size(),
                 max_selector_requirements);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/syntax.ipp

namespace SCHEDPOL_NAMESPACE::detail {

constexpr bool is_lower_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
constexpr bool is_alphanumeric(char c) noexcept {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

/// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
constexpr bool is_label_name(std::string_view text) noexcept {
  if (text.empty()) return false;
  if (!is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
  for (const char c : text) {
    if (!is_alphanumeric(c) && c != '-' && c != '_' && c != '.') return false;
  }
  return true;
}

/// Labels of [a-z0-9]([-a-z0-9]*[a-z0-9])?, separated by dots.
constexpr bool is_subdomain(std::string_view text) noexcept {
  char previous = '.';
  for (const char c : text) {
    const bool edge = previous == '.' || c == '.';
    if (edge && !is_lower_alphanumeric(c == '.' ? previous : c)) return false;
    if (!is_lower_alphanumeric(c) && c != '-' && c != '.') return false;
    previous = c;
  }
  return is_lower_alphanumeric(previous);
}

inline void add_too_long(std::vector<std::string>& problems, std::string_view what,
                         std::string_view text, std::size_t most) {
  if (text.size() <= most) return;
  problems.push_back(std::string(what) + "must be no more than " + std::to_string(most) + " bytes");
}

SCHEDPOL_INLINE std::vector<std::string> subdomain_problems(std::string_view text) {
  std::vector<std::string> problems;
  add_too_long(problems, "", text, max_subdomain_bytes);
  if (!is_subdomain(text)) {
    problems.push_back(
        "must consist of lower case alphanumerics, `-` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

SCHEDPOL_INLINE std::vector<std::string> dns_label_problems(std::string_view text) {
  std::vector<std::string> problems;
  add_too_long(problems, "", text, max_label_name_bytes);
  if (!is_subdomain(text) || text.find('.') != std::string_view::npos) {
    problems.push_back(
        "must consist of lower case alphanumerics or `-`, and start and end with an alphanumeric");
  }
  return problems;
}

SCHEDPOL_INLINE std::vector<std::string> label_key_problems(std::string_view key) {
  std::vector<std::string> problems;
  std::string_view name = key;
  if (const auto slash = key.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      problems.push_back("must be a name with at most one prefix and slash before it");
      return problems;
    }
    if (prefix.empty()) {
      problems.push_back("prefix must not be empty");
    } else {
      for (const std::string& problem : subdomain_problems(prefix))
        problems.push_back("prefix " + problem);
    }
  }
  if (name.empty()) problems.push_back("name must not be empty");
  add_too_long(problems, "name ", name, max_label_name_bytes);
  if (!is_label_name(name)) {
    problems.push_back(
        "name must consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

SCHEDPOL_INLINE std::vector<std::string> label_value_problems(std::string_view value) {
  std::vector<std::string> problems;
  add_too_long(problems, "", value, max_label_value_bytes);
  if (!value.empty() && !is_label_name(value)) {
    problems.push_back(
        "must be empty, or consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/core/impl/validators.ipp

namespace SCHEDPOL_NAMESPACE::detail {

inline void validate_weight(FieldErrors& errors, const PathBuilder& item, std::int32_t weight) {
  if (is_valid_weight(weight)) return;
  errors.add(ErrorType::invalid, item.child("weight"), std::to_string(weight), "must be 1 to 100");
}

/// The keys of matchLabelKeys or mismatchLabelKeys.
inline void validate_label_keys(FieldErrors& errors, const PathBuilder& place, const Texts& keys,
                                const PodAffinityTerm& term) {
  if (keys.empty()) return;
  if (!term.label_selector) {
    errors.add(ErrorType::forbidden, place, "", "must not be set without a labelSelector");
    return;
  }
  for (std::size_t i = 0; i < keys.size(); ++i)
    errors.add_all(place.index(i), keys[i], label_key_problems(keys[i]));
}

/// Keys of matchLabelKeys that the author's own selector is about.
inline void validate_selected_keys(FieldErrors& errors, const PathBuilder& place,
                                   const PodAffinityTerm& term) {
  if (!term.label_selector) return;
  std::map<std::string_view, std::size_t> indices;
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i)
    indices[term.match_label_keys[i]] = i;
  std::set<std::string_view> selected;
  for (const auto& [key, value] : term.label_selector->match_labels) selected.insert(key);
  for (const LabelSelectorRequirement& expression : term.label_selector->match_expressions) {
    const bool is_first = selected.insert(expression.key).second;
    const auto found = indices.find(expression.key);
    if (is_first || found == indices.end()) continue;
    errors.add(ErrorType::invalid, place.index(found->second), expression.key,
               "must not be in the labelSelector too");
  }
}

inline void validate_pod_term(FieldErrors& errors, const PathBuilder& place,
                              const PodAffinityTerm& term) {
  if (term.label_selector)
    validate_selector(errors, place.child("labelSelector"), *term.label_selector);
  if (term.namespace_selector)
    validate_selector(errors, place.child("namespaceSelector"), *term.namespace_selector);
  for (const std::string& name : term.namespaces)
    errors.add_all(place.child("namespace"), name, dns_label_problems(name));
  const PathBuilder match = place.child("matchLabelKeys");
  validate_label_keys(errors, match, term.match_label_keys, term);
  validate_label_keys(errors, place.child("mismatchLabelKeys"), term.mismatch_label_keys, term);
  validate_selected_keys(errors, place, term);
  const std::set<std::string_view> mismatch(term.mismatch_label_keys.begin(),
                                            term.mismatch_label_keys.end());
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i) {
    if (!mismatch.contains(term.match_label_keys[i])) continue;
    errors.add(ErrorType::invalid, match.index(i), term.match_label_keys[i],
               "must not be in mismatchLabelKeys too");
  }
  const PathBuilder topology = place.child("topologyKey");
  if (term.topology_key.empty()) errors.add(ErrorType::required, topology, "", "must not be empty");
  errors.add_all(topology, term.topology_key, label_key_problems(term.topology_key));
}

inline void validate_pod_affinity(FieldErrors& errors, const PathBuilder& place,
                                  const std::optional<PodAffinity>& affinity) {
  if (!affinity) return;
  const PathBuilder required = place.child(required_mode);
  const auto& terms = affinity->required_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < terms.size(); ++i)
    validate_pod_term(errors, required.index(i), terms[i]);
  const PathBuilder preferred = place.child(preferred_mode);
  const auto& weighted = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    const PathBuilder item = preferred.index(i);
    validate_weight(errors, item, weighted[i].weight);
    validate_pod_term(errors, item.child("podAffinityTerm"), weighted[i].pod_affinity_term);
  }
}

inline void validate_node_affinity(FieldErrors& errors, const PathBuilder& place,
                                   const std::optional<NodeAffinity>& affinity) {
  if (!affinity) return;
  if (const auto& selector = affinity->required_during_scheduling_ignored_during_execution) {
    const PathBuilder required = place.child(required_mode);
    const PathBuilder terms = required.child("nodeSelectorTerms");
    if (selector->node_selector_terms.empty())
      errors.add(ErrorType::required, terms, "", "must have at least one term");
    for (std::size_t i = 0; i < selector->node_selector_terms.size(); ++i)
      validate_term(errors, terms.index(i), selector->node_selector_terms[i]);
  }
  const PathBuilder preferred = place.child(preferred_mode);
  const auto& weighted = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    const PathBuilder item = preferred.index(i);
    validate_weight(errors, item, weighted[i].weight);
    validate_term(errors, item.child("preference"), weighted[i].preference, Values::free);
  }
}

SCHEDPOL_INLINE void validate_metadata(FieldErrors& errors, const PathBuilder& place,
                                       const ObjectMeta& metadata) {
  const PathBuilder name = place.child("name");
  if (metadata.name.empty()) errors.add(ErrorType::required, name, "", "an object has a name");
  if (!metadata.name.empty())
    errors.add_all(name, metadata.name, subdomain_problems(metadata.name));
  validate_length(errors, place.child("namespace"), metadata.namespace_, max_label_name_bytes);
}

SCHEDPOL_INLINE void validate_cluster_metadata(FieldErrors& errors, const PathBuilder& place,
                                               std::string_view kind, const ObjectMeta& metadata) {
  validate_metadata(errors, place, metadata);
  if (metadata.namespace_.empty()) return;
  errors.add(ErrorType::forbidden, place.child("namespace"), metadata.namespace_,
             "a " + std::string(kind) + " is cluster-scoped");
}

SCHEDPOL_INLINE void validate_length(FieldErrors& errors, const PathBuilder& place,
                                     std::string_view text, std::size_t most) {
  if (text.size() <= most) return;
  errors.add(ErrorType::too_long, place, text,
             "must be no more than " + std::to_string(most) + " bytes");
}

SCHEDPOL_INLINE void validate_name(FieldErrors& errors, const PathBuilder& place,
                                   std::string_view name) {
  if (name.size() > max_subdomain_bytes)
    return validate_length(errors, place, name, max_subdomain_bytes);
  if (!name.empty()) errors.add_all(place, name, subdomain_problems(name));
}

SCHEDPOL_INLINE void validate_toleration(FieldErrors& errors, const PathBuilder& place,
                                         const Toleration& toleration) {
  const PathBuilder operator_ = place.child("operator");
  const PathBuilder effect = place.child("effect");
  if (!toleration.key.empty())
    errors.add_all(place.child("key"), toleration.key, label_key_problems(toleration.key));
  if (toleration.key.empty() && toleration.operator_ != TolerationOperator::exists) {
    errors.add(ErrorType::invalid, operator_, toleration.operator_.text(),
               "must be Exists when the key is empty");
  }
  if (toleration.toleration_seconds && toleration.effect != TaintEffect::no_execute) {
    errors.add(ErrorType::invalid, effect, toleration.effect.text(),
               "must be NoExecute when there are tolerationSeconds");
  }
  switch (toleration.operator_.word()) {
    case TolerationOperator::unset:
    case TolerationOperator::equal:
      if (auto problems = label_value_problems(toleration.value); !problems.empty()) {
        errors.add(ErrorType::invalid, operator_, toleration.value,
                   "the value " + problems.front());
      }
      break;
    case TolerationOperator::exists:
      if (toleration.value.empty()) break;
      errors.add(ErrorType::invalid, operator_, toleration.value,
                 "the value must be empty with Exists");
      break;
    case TolerationOperator::lt:
    case TolerationOperator::gt:
    case TolerationOperator::unknown:
      errors.add(ErrorType::not_supported, operator_, toleration.operator_.text(),
                 "supported are Equal and Exists" + did_you_mean(toleration.operator_));
      break;
  }
  if (!toleration.effect.known()) {
    errors.add(ErrorType::not_supported, effect, toleration.effect.text(),
               "supported are NoSchedule, PreferNoSchedule and NoExecute" +
                   did_you_mean(toleration.effect));
  }
}

SCHEDPOL_INLINE void validate_tolerations(FieldErrors& errors, const PathBuilder& place,
                                          std::span<const Toleration> tolerations) {
  for (std::size_t i = 0; i < tolerations.size(); ++i)
    validate_toleration(errors, place.index(i), tolerations[i]);
}

SCHEDPOL_INLINE void validate_affinity(FieldErrors& errors, const PathBuilder& place,
                                       const Affinity& affinity) {
  validate_node_affinity(errors, place.child("nodeAffinity"), affinity.node_affinity);
  validate_pod_affinity(errors, place.child("podAffinity"), affinity.pod_affinity);
  validate_pod_affinity(errors, place.child("podAntiAffinity"), affinity.pod_anti_affinity);
}

SCHEDPOL_INLINE void add_of_policy(FieldErrors& errors, std::string_view policy,
                                   std::vector<FieldError> found) {
  for (FieldError& error : found) {
    error.detail += " (in " + in_backticks(policy) + ")";
    errors.add(std::move(error));
  }
}

SCHEDPOL_INLINE LabelMatcher compile_for(std::string_view policy,
                                         const std::optional<LabelSelector>& selector,
                                         const PathBuilder& place, FieldErrors& errors,
                                         SelectedValues selected) {
  auto matcher = compile(selector, place.path(), selected);
  if (matcher) return *std::move(matcher);
  add_of_policy(errors, policy, matcher.errors());
  return {};
}

}  // namespace SCHEDPOL_NAMESPACE::detail

// schedpol/base/impl/lookup/text_table.ipp

namespace SCHEDPOL_NAMESPACE::detail {

/// 2^64 divided by the golden ratio, as in Fibonacci hashing.
inline constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;

SCHEDPOL_INLINE std::uint64_t TextNumber::hash(std::string_view text) noexcept {
  const auto mix = [](std::uint64_t bits) {
    bits *= golden;
    return bits ^ bits >> 32U;
  };
  std::uint64_t hash = text.size();
  for (std::size_t i = 0; i + 8 < text.size(); i += 8)
    hash = mix(hash ^ bytes_at<std::uint64_t>(text.data() + i));
  return mix(mix(hash ^ of(text)));
}

// Inline either way: a header-only translation unit in the same program has it, too.
inline const TextTable::Slot TextTable::none;

/// Texts by their hash.
struct TextTable::Many {
  explicit Many(const std::vector<Entry>& entries);

  [[nodiscard]] std::size_t bucket_of(std::string_view text) const noexcept {
    return static_cast<std::size_t>(TextNumber::hash(text) >> shift);
  }
  /// Null where it is not there.
  [[nodiscard]] const void* find(std::string_view text) const noexcept;

  std::vector<Entry> texts;         ///< bucket by bucket, each in byte order
  std::vector<std::size_t> starts;  ///< of the buckets, and the end
  unsigned shift;                   ///< from a hash to its bucket
};

// Delegates, so that what is made goes with the table where memory runs out halfway.
SCHEDPOL_INLINE TextTable::TextTable(std::vector<Entry> entries, const void* missing)
    : TextTable(missing) {
  if (entries.empty()) return;
  std::size_t size = 0;
  for (const Entry& entry : entries) size += entry.text.size();
  char* next = new char[size];
  bytes_ = next;
  for (Entry& entry : entries) {
    char* const begin = next;
    next = std::copy(entry.text.begin(), entry.text.end(), begin);
    entry.text = {begin, entry.text.size()};
  }
  if (entries.size() > few || !set_apart(entries)) many_ = new Many(entries);
}

SCHEDPOL_INLINE TextTable::~TextTable() {
  if (slots_ != &none) delete[] slots_;
  delete many_;
  delete[] bytes_;
}

/// Looks for a factor that gives each of a few texts a slot of its own, among twice as many slots
/// as texts or more; most of the time one of the first ten does.
SCHEDPOL_INLINE bool TextTable::set_apart(const std::vector<Entry>& entries) {
  constexpr int tries = 256;
  const std::size_t count = std::bit_ceil(entries.size() * 2);
  last_offset_ = (count - 1) * sizeof(Slot);
  factor_ = golden;
  for (int i = 0; i < tries; ++i, factor_ = factor_ * golden + 2) {
    std::uint32_t taken = 0;
    const auto number = [&](std::string_view text) {
      const auto beginning = text.size() < 8 ? 0 : bytes_at<std::uint64_t>(text.data());
      return offset(TextNumber::of(text) + 2 * beginning) / sizeof(Slot);
    };
    const bool is_apart = all_of(entries, [&](const Entry& entry) {
      const std::uint32_t bit = std::uint32_t{1} << number(entry.text);
      return (taken & bit) == 0 && (taken |= bit) != 0;
    });
    if (!is_apart) continue;
    Slot* slots = new Slot[count];
    slots_ = slots;
    for (const auto& [text, at] : entries)
      slots[number(text)] = {TextNumber::of(text), text.size(), at, text.data()};
    return true;
  }
  last_offset_ = 0;
  return false;
}

// One or two buckets a text.
SCHEDPOL_INLINE TextTable::Many::Many(const std::vector<Entry>& entries)
    : texts(entries.size()),
      starts((std::size_t{1} << std::bit_width(entries.size())) + 1),
      shift(64 - static_cast<unsigned>(std::bit_width(entries.size()))) {
  for (const Entry& entry : entries) ++starts[bucket_of(entry.text)];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  // From the last on, so that where buckets end becomes where they start.
  for (std::size_t i = entries.size(); i-- > 0;)
    texts[--starts[bucket_of(entries[i].text)]] = entries[i];
}

[[gnu::noinline]] SCHEDPOL_INLINE const void* TextTable::find_among_many(
    std::string_view text) const noexcept {
  const void* at = many_->find(text);
  return at == nullptr ? missing_ : at;
}

SCHEDPOL_INLINE const void* TextTable::Many::find(std::string_view wanted) const noexcept {
  const std::size_t bucket = bucket_of(wanted);
  const Entry* text = texts.data() + starts[bucket];
  const Entry* end = texts.data() + starts[bucket + 1];
  if (static_cast<std::size_t>(end - text) > few) {
    text = std::lower_bound(text, end, wanted,
                            [](const Entry& t, std::string_view w) { return t.text < w; });
    return text != end && text->text == wanted ? text->at : nullptr;
  }
  for (; text != end; ++text)
    if (text->text == wanted) return text->at;
  return nullptr;
}

SCHEDPOL_INLINE TextSet::TextSet(std::vector<std::string_view> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  std::vector<TextTable::Entry> entries;
  for (const std::string_view text : texts) entries.push_back({text, &TextTable::few});
  table_ = TextTable(std::move(entries), nullptr);
}

}  // namespace SCHEDPOL_NAMESPACE::detail

#endif  // SCHEDPOL_SINGLE_INCLUDE_BODIES
