// SPDX-License-Identifier: Apache-2.0
// Copyright The schedpol authors
//
// schedpol in one header: all but JSON.
// Header-only as it is. With SCHEDPOL_COMPILED defined it only declares; then one translation unit of
// the program defines SCHEDPOL_IMPLEMENTATION too.
//
// Generated from include/ by amalgamate.py: change the headers there, not this file.

#ifndef SCHEDPOL_SINGLE_INCLUDE
#define SCHEDPOL_SINGLE_INCLUDE

#include <array>
#include <bit>
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

/// The one source of the library's version, and the Kubernetes release whose rules it implements.
/// The build files read the three macros; everything else asks `schedpol::version`. Whoever
/// compiles for an older C++ is told so here, once, instead of by everything that it does not know.

#define SCHEDPOL_VERSION_MAJOR 0
#define SCHEDPOL_VERSION_MINOR 2
#define SCHEDPOL_VERSION_PATCH 0

#if __cplusplus <= 201703L && (!defined(_MSVC_LANG) || _MSVC_LANG <= 201703L)
#error "schedpol needs C++20: compile with -std=c++20 or newer"
#include "nothing more is read"  // a missing file is what ends a compilation
#endif

namespace schedpol {

struct Version {
  int major = SCHEDPOL_VERSION_MAJOR;
  int minor = SCHEDPOL_VERSION_MINOR;
  int patch = SCHEDPOL_VERSION_PATCH;

  friend constexpr bool operator==(const Version&, const Version&) = default;
};

inline constexpr Version version{};

/// Where a rule comes from Kubernetes itself (tolerations, selectors, RBAC, label syntax), it is
/// the rule of this release.
inline constexpr const char* kubernetes_release = "v1.36";

}  // namespace schedpol

// schedpol/core/field_path.hpp

/// A place in an object as a value: `FieldPath{"spec", "units"}.index(3).child("nodeSelector")` is
/// printed as `spec.units[3].nodeSelector`, as the API server spells it, when somebody reads it.
/// Paths are compared and extended as the steps they are made of; no text is ever parsed into one.
/// Source: apimachinery, `util/validation/field`.

namespace schedpol {

class FieldPath {
 public:
  /// One step down. `name` is valid as long as the path it came from lives unchanged.
  struct Step {
    enum class Kind : unsigned char {
      field,  ///< a field of an object: `.name`
      key,    ///< a key of a map, which may be any text: `[name]`
      index,  ///< an item of a list: `[index]`
    };
    Kind kind = Kind::field;
    std::string_view name{};
    std::size_t index = 0;
  };

  /// The object itself, printed as the empty text.
  FieldPath() = default;

  /// Fields inside one another.
  FieldPath(std::initializer_list<std::string_view> fields);
  explicit FieldPath(std::span<const std::string_view> fields);

  [[nodiscard]] FieldPath child(std::string_view field) const&;
  [[nodiscard]] FieldPath child(std::string_view field) &&;
  [[nodiscard]] FieldPath key(std::string_view key) const&;
  [[nodiscard]] FieldPath key(std::string_view key) &&;
  [[nodiscard]] FieldPath index(std::size_t index) const&;
  [[nodiscard]] FieldPath index(std::size_t index) &&;

  /// The place that `below`, or fields inside one another, has in an object which stands here.
  [[nodiscard]] FieldPath join(const FieldPath& below) const;
  [[nodiscard]] FieldPath join(std::initializer_list<std::string_view> fields) &&;

  [[nodiscard]] bool empty() const noexcept { return bytes_.empty(); }
  [[nodiscard]] std::vector<Step> steps() const&;
  [[nodiscard]] std::vector<Step> steps() && = delete;

  /// The path one step up; of an empty path an empty one.
  [[nodiscard]] FieldPath parent() const;

  /// The path with every list index zero: equal for two places that differ in nothing else.
  [[nodiscard]] FieldPath without_indices() const;

  friend bool operator==(const FieldPath&, const FieldPath&) = default;

  /// Step by step: fields before keys before indices, names in byte order, indices by number.
  [[nodiscard]] friend std::strong_ordering operator<=>(const FieldPath& a,
                                                        const FieldPath& b) noexcept {
    return a.compare(b);
  }

  /// Whether it is printed like this.
  [[nodiscard]] friend bool operator==(const FieldPath& path, std::string_view text) {
    return path.is_printed(text);
  }

 private:
  friend void append_to(std::string& text, const FieldPath& path);

  void append(std::span<const std::string_view> fields);
  [[nodiscard]] std::strong_ordering compare(const FieldPath& other) const noexcept;
  [[nodiscard]] bool is_printed(std::string_view text) const;

  std::string bytes_;  ///< the steps one after another, each with its kind and size
};

/// `spec.nodeSelector[disk]`, `spec.tolerations[2].effect`; a key stands as it is.
[[nodiscard]] std::string to_string(const FieldPath& path);

/// Appends the same to a text.
void append_to(std::string& text, const FieldPath& path);

}  // namespace schedpol

// schedpol/core/field_error.hpp

/// What is wrong with an object, and where: the error types and field paths of the Kubernetes API
/// server (apimachinery, `util/validation/field`). Errors are data; `message` is their only text.

namespace schedpol {

/// The API server's error types, spelled by `to_string` as in a Status object's causes.
enum class ErrorType {
  required,       ///< a value is missing, or empty where it must not be
  invalid,        ///< a value breaks its syntax or its bounds
  not_supported,  ///< a word outside its vocabulary
  forbidden,      ///< a field that must not be there, given the others
  duplicate,      ///< a value listed or a name used twice
  too_long,       ///< more bytes than permitted
  too_many,       ///< more entries than permitted
  type_invalid,   ///< another JSON type than the field's
};

[[nodiscard]] constexpr std::string_view to_string(ErrorType type) noexcept {
  switch (type) {
    case ErrorType::required: return "FieldValueRequired";
    case ErrorType::invalid: return "FieldValueInvalid";
    case ErrorType::not_supported: return "FieldValueNotSupported";
    case ErrorType::forbidden: return "FieldValueForbidden";
    case ErrorType::duplicate: return "FieldValueDuplicate";
    case ErrorType::too_long: return "FieldValueTooLong";
    case ErrorType::too_many: return "FieldValueTooMany";
    case ErrorType::type_invalid: return "FieldValueTypeInvalid";
  }
  return "InternalError";
}

/// One problem of an object. `field` is the place in the object as its author wrote it
/// (`spec.allowed.tolerations[2].effects[0]`), `bad_value` what stands there (empty when nothing
/// does), `detail` what should.
struct FieldError {
  ErrorType type = ErrorType::invalid;
  FieldPath field{};
  std::string bad_value{};
  std::string detail{};

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks. An error of a whole
/// document, without a field, is its detail alone.
[[nodiscard]] std::string message(const FieldError& error);

/// A value, or every problem that kept it from being built. True means there is a value; there are
/// errors exactly when there is none.
template <class T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}  // NOLINT(google-explicit-constructor)

  /// No value. An empty list of errors would read as success to whoever looks at the list, so it is
  /// replaced by one error without details.
  Result(std::vector<FieldError> errors)  // NOLINT(google-explicit-constructor)
      : errors_(std::move(errors)) {
    if (errors_.empty()) errors_.push_back(FieldError{});
  }

  [[nodiscard]] explicit operator bool() const noexcept { return value_.has_value(); }
  [[nodiscard]] const std::vector<FieldError>& errors() const noexcept { return errors_; }

  /// The value. Only where the result is true.
  [[nodiscard]] const T& operator*() const& noexcept { return *value_; }
  [[nodiscard]] T& operator*() & noexcept { return *value_; }
  [[nodiscard]] T&& operator*() && noexcept { return *std::move(value_); }
  [[nodiscard]] const T* operator->() const noexcept { return &*value_; }

 private:
  std::optional<T> value_;
  std::vector<FieldError> errors_;
};

}  // namespace schedpol

// schedpol/core/labels.hpp

/// Labels, and every other string map of Kubernetes (annotations, nodeSelector): keys in byte
/// order. The syntax of keys and values is in `syntax.hpp`; nothing here depends on it.

namespace schedpol {

using Labels = std::map<std::string, std::string, std::less<>>;

/// The value of a label, or null when there is none (a label with an empty value has one).
[[nodiscard]] const std::string* find_label(const Labels& labels, std::string_view key) noexcept;

}  // namespace schedpol

// schedpol/core/open_enum.hpp

/// Words of a fixed Kubernetes vocabulary (operators, taint effects) as enumerators, without losing
/// what an object really says: text outside the vocabulary is kept as it came. The API server would
/// refuse such an object, but a webhook or an offline check sees it earlier; matchers treat it as
/// matching nothing, validation reports it, and encoding gives it back unchanged.

namespace schedpol {

/// An enumerator of `Word`, or the unknown text found in its place.
///
/// `Word` has `unset` (the empty text) first and `unknown` last, and a function `spellings(Word)`
/// that lists the texts of all enumerators but `unknown`, in their order. Spellings are
/// case-sensitive, as in Kubernetes. Converts from `Word`, so that aggregates read
/// `{.key = "gpu", .operator_ = TolerationOperator::exists}`.
template <class Word>
class OpenEnum {
  static_assert(std::is_enum_v<Word>);
  static_assert(static_cast<std::size_t>(Word::unset) == 0);
  static_assert(static_cast<std::size_t>(Word::unknown) == spellings(Word{}).size());

 public:
  constexpr OpenEnum() noexcept = default;
  constexpr OpenEnum(Word word) noexcept : word_(word) {   // NOLINT(google-explicit-constructor)
    if (word == Word::unknown) unknown_text_ = "unknown";  // so that it is not taken for `unset`
  }

  /// Reads a spelling; anything else becomes `Word::unknown` and keeps its text.
  constexpr explicit OpenEnum(std::string_view text) {
    constexpr auto known_texts = spellings(Word{});
    for (std::size_t i = 0; i < known_texts.size(); ++i) {
      if (known_texts[i] == text) {
        word_ = static_cast<Word>(i);
        return;
      }
    }
    word_ = Word::unknown;
    unknown_text_ = text;
  }

  [[nodiscard]] constexpr Word word() const noexcept { return word_; }
  [[nodiscard]] constexpr bool known() const noexcept { return word_ != Word::unknown; }

  /// The spelling, or the unknown text; valid as long as this object lives unchanged.
  [[nodiscard]] constexpr std::string_view text() const noexcept {
    constexpr auto known_texts = spellings(Word{});
    return known() ? known_texts[static_cast<std::size_t>(word_)] : std::string_view(unknown_text_);
  }

  friend constexpr bool operator==(const OpenEnum&, const OpenEnum&) = default;
  friend constexpr bool operator==(const OpenEnum& a, Word b) noexcept { return a.word_ == b; }

 private:
  Word word_ = Word::unset;
  std::string unknown_text_;
};

}  // namespace schedpol

// schedpol/core/shared.hpp

/// How compiled forms (matchers, tables, merged policies) keep what they are made of: one object
/// that nobody changes, shared by all copies, which are cheap to make and safe to use from any
/// number of threads. What it is made of stays out of the public headers, and so does `<memory>`,
/// which alone would cost a user's file a quarter of all other standard headers together.

namespace schedpol {

/// What is shared, and how many owners it has.
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
  /// Takes an object that has one owner.
  explicit SharedOwner(SharedObject* object) noexcept : object_(object) {}

  [[nodiscard]] const SharedObject* object() const noexcept { return object_; }

 private:
  SharedObject* object_ = nullptr;
};

/// Default-constructed and moved-from it has no object. `T` needs to be complete only where one is
/// made or looked at.
template <class T>
class Shared : private SharedOwner {
 public:
  Shared() noexcept = default;

  /// Of a value from now on shared.
  explicit Shared(T value);

  [[nodiscard]] explicit operator bool() const noexcept { return object() != nullptr; }

  /// Only where there is an object.
  [[nodiscard]] const T& operator*() const noexcept;
  [[nodiscard]] const T* operator->() const noexcept { return &**this; }

 private:
  struct Value;
};

}  // namespace schedpol

// schedpol/core/texts.hpp

/// Lists of texts as their authors write them: keys, values, names. `{"a", "b"}` lists two; one
/// pair of braces more does not compile, where a vector of strings would read `{{"a", "b"}}` as two
/// pointers into one text.

namespace schedpol {

/// One text in braces. Made of anything that reads as a text, of nothing else, and never of braces.
struct Text {
  template <std::convertible_to<std::string_view> T>
  Text(const T& from) : value(from) {}  // NOLINT(google-explicit-constructor)

  std::string_view value;  ///< as long as what it was made of
};

/// A list of texts; absent and empty are one.
class Texts {
 public:
  using value_type = std::string;
  using const_iterator = std::vector<std::string>::const_iterator;

  Texts() = default;
  Texts(std::initializer_list<Text> texts);
  Texts(std::initializer_list<std::initializer_list<Text>>) = delete;  // a pair of braces too many
  Texts(const Texts&) = default;
  Texts(Texts&&) noexcept = default;
  Texts& operator=(Texts other) noexcept;  // one operator, so that `= {}` means one thing
  ~Texts() = default;

  /// Of a vector as such; braces never make one on the way here.
  template <std::same_as<std::vector<std::string>> Vector>
  explicit Texts(Vector texts) noexcept : texts_(std::move(texts)) {}

  [[nodiscard]] bool empty() const noexcept { return texts_.empty(); }
  [[nodiscard]] std::size_t size() const noexcept { return texts_.size(); }
  [[nodiscard]] const_iterator begin() const noexcept { return texts_.begin(); }
  [[nodiscard]] const_iterator end() const noexcept { return texts_.end(); }

  /// Only where `index` is less than the size.
  [[nodiscard]] const std::string& operator[](std::size_t index) const noexcept {
    return texts_[index];
  }
  [[nodiscard]] std::string& operator[](std::size_t index) noexcept { return texts_[index]; }

  /// Only where there is one.
  [[nodiscard]] const std::string& front() const noexcept { return texts_.front(); }

  [[nodiscard]] bool contains(std::string_view text) const noexcept;

  void push_back(std::string text);

  /// The texts as a vector, to be changed as one.
  [[nodiscard]] const std::vector<std::string>& vector() const& noexcept { return texts_; }
  [[nodiscard]] std::vector<std::string>& vector() & noexcept { return texts_; }
  [[nodiscard]] std::vector<std::string> vector() && noexcept { return std::move(texts_); }

  friend bool operator==(const Texts&, const Texts&) = default;

 private:
  std::vector<std::string> texts_;
};

}  // namespace schedpol

// schedpol/core/label_selector.hpp

/// Label selectors (meta/v1 LabelSelector) and how they match labels:
/// 1. an absent selector selects nothing, an empty one everything;
/// 2. otherwise all of matchLabels and all of matchExpressions have to hold;
/// 3. In: the key is there with a listed value; NotIn: it is not (a missing key counts);
///    Exists, DoesNotExist: the key alone decides.
///
/// A selector is compiled once, which reports all that is wrong with it, and then matches without
/// failing. Source: apimachinery, `LabelSelectorAsSelector`.

namespace schedpol {

enum class LabelSelectorOperator { unset, in, not_in, exists, does_not_exist, unknown };

constexpr std::array<std::string_view, 5> spellings(LabelSelectorOperator) noexcept {
  return {"", "In", "NotIn", "Exists", "DoesNotExist"};
}

/// `values` are what In and NotIn look for, at least one; the other operators take none.
struct LabelSelectorRequirement {
  std::string key{};
  OpenEnum<LabelSelectorOperator> operator_{};
  Texts values{};

  friend bool operator==(const LabelSelectorRequirement&,
                         const LabelSelectorRequirement&) = default;
};

/// Whether a selector is absent is told by the optional around it; a default-constructed one is
/// `{}` and selects everything.
struct LabelSelector {
  Labels match_labels{};
  std::vector<LabelSelectorRequirement> match_expressions{};

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

/// What the values of a selector may be: those of labels have a syntax, those of annotations have
/// none.
enum class SelectedValues { labels, annotations };

/// A label selector made for matching. Default-constructed it stands for the absent selector and
/// matches nothing. Copies share what they are made of.
class LabelMatcher {
 public:
  LabelMatcher() = default;

  [[nodiscard]] bool matches(const Labels& labels) const noexcept;

 private:
  friend class NodeTable;
  friend Result<LabelMatcher> compile(const std::optional<LabelSelector>&, const FieldPath&,
                                      SelectedValues);

  struct Impl;
  Shared<Impl> impl_;  ///< none: selects nothing
};

/// Builds the matcher of a selector, or reports every problem with paths below `field`: a key or
/// value that is no label key or value, an operator outside the four, In and NotIn without values,
/// Exists and DoesNotExist with values.
[[nodiscard]] Result<LabelMatcher> compile(const std::optional<LabelSelector>& selector,
                                           const FieldPath& field = {},
                                           SelectedValues selected = SelectedValues::labels);

/// One selector on one line: `{app=x, tier In [web, db]}`; absent: `none`. Different selectors have
/// different texts.
[[nodiscard]] std::string to_string(const std::optional<LabelSelector>& selector);

}  // namespace schedpol

// schedpol/core/node_selector.hpp

/// Node selectors (core/v1): terms are ORed, the expressions of a term ANDed, and an empty term
/// matches no node. How they match a node is in `node.hpp`.

namespace schedpol {

enum class NodeSelectorOperator { unset, in, not_in, exists, does_not_exist, gt, lt, unknown };

constexpr std::array<std::string_view, 7> spellings(NodeSelectorOperator) noexcept {
  return {"", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
}

/// `values` are what In and NotIn look for, at least one, or the one number that Gt and Lt compare
/// with; Exists and DoesNotExist take none.
struct NodeSelectorRequirement {
  std::string key{};
  OpenEnum<NodeSelectorOperator> operator_{};
  Texts values{};

  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

/// `match_expressions` look at a node's labels, `match_fields` at its fields (`metadata.name`).
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions{};
  std::vector<NodeSelectorRequirement> match_fields{};

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// Whether the term has no expressions at all, and so matches no node.
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

}  // namespace schedpol

// schedpol/core/affinity.hpp

/// Node affinity, pod affinity and pod anti-affinity (core/v1). In each kind the required terms
/// have to hold for a node, the preferred ones only weigh in.

namespace schedpol {

/// What the two modes of an affinity are called in documents.
inline constexpr std::string_view required_mode = "requiredDuringSchedulingIgnoredDuringExecution";
inline constexpr std::string_view preferred_mode =
    "preferredDuringSchedulingIgnoredDuringExecution";

/// `weight` is 1 to 100. An empty preference matches nothing.
struct PreferredSchedulingTerm {
  std::int32_t weight = 0;
  NodeSelectorTerm preference{};

  friend bool operator==(const PreferredSchedulingTerm&, const PreferredSchedulingTerm&) = default;
};

struct NodeAffinity {
  std::optional<NodeSelector> required_during_scheduling_ignored_during_execution{};
  std::vector<PreferredSchedulingTerm> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const NodeAffinity&, const NodeAffinity&) = default;
};

/// An absent label selector selects no pods, `{}` all; an absent namespace selector with no
/// namespaces means the pod's own namespace. Of the pod that asks, the values of
/// `match_label_keys` are what the selected pods have to have, too, and those of
/// `mismatch_label_keys` what they must not have.
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

struct PodAffinity {
  std::vector<PodAffinityTerm> required_during_scheduling_ignored_during_execution{};
  std::vector<WeightedPodAffinityTerm> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const PodAffinity&, const PodAffinity&) = default;
};

/// The same fields with the opposite meaning.
using PodAntiAffinity = PodAffinity;

struct Affinity {
  std::optional<NodeAffinity> node_affinity{};
  std::optional<PodAffinity> pod_affinity{};
  std::optional<PodAntiAffinity> pod_anti_affinity{};

  friend bool operator==(const Affinity&, const Affinity&) = default;
};

/// Whether the kind has a term in either mode; absent, `{}` and lists without terms have none.
[[nodiscard]] bool has_terms(const std::optional<NodeAffinity>& affinity) noexcept;
[[nodiscard]] bool has_terms(const std::optional<PodAffinity>& affinity) noexcept;

/// One term on one line: its topology key, the pods it selects and where, and the label keys.
[[nodiscard]] std::string to_string(const PodAffinityTerm& term);

/// A whole affinity on one line, its terms in their order: `required (disk In [ssd]), preferred 5
/// (zone Exists)`. Affinities with different terms have different texts.
[[nodiscard]] std::string to_string(const NodeAffinity& affinity);
[[nodiscard]] std::string to_string(const PodAffinity& affinity);

}  // namespace schedpol

// schedpol/core/object_meta.hpp

/// What every Kubernetes object says of itself (meta/v1 ObjectMeta), as far as policies look at it.

namespace schedpol {

/// `namespace_` is empty for cluster-scoped objects, and where the author left it out.
struct ObjectMeta {
  std::string name{};
  std::string namespace_{};
  Labels labels{};
  Labels annotations{};
  std::string deletion_timestamp{};  ///< not empty: the object is being deleted

  friend bool operator==(const ObjectMeta&, const ObjectMeta&) = default;
};

}  // namespace schedpol

// schedpol/core/limits.hpp

/// Every bound of the library. Objects are untrusted, so whatever could cost more than its size has
/// one; what exceeds it is an error where it is read or made, and never cut short in silence.

namespace schedpol {

// Syntax of names and labels, as the API server bounds it.

inline constexpr std::size_t max_label_name_bytes = 63;
inline constexpr std::size_t max_label_value_bytes = 63;
inline constexpr std::size_t max_subdomain_bytes = 253;

// Quantities.

/// Bytes of the longest text that is read as a quantity; a longer one is malformed.
inline constexpr std::size_t max_quantity_bytes = 1024;

/// The largest power of ten after `e`, either way; what lies beyond is malformed.
inline constexpr std::int32_t max_quantity_power = 1024;

// Texts.

/// Bytes of input that a text shows before it is cut with `...`.
inline constexpr std::size_t max_shown_bytes = 512;

// Documents.

/// Bytes of the largest document that is read.
inline constexpr std::size_t max_document_bytes = std::size_t{16} << 20U;

/// Levels of nesting of the deepest document that is read.
inline constexpr std::size_t max_document_depth = 256;

/// Tolerations in one list of a document. Merging two lists compares each with each.
inline constexpr std::size_t max_tolerations = 2048;

/// Errors reported for one document; what comes after them is not looked for.
inline constexpr std::size_t max_reported_errors = 100;

// Injection.

/// Required node selector terms that a pod may come out with; a policy that would give it more is
/// an error.
inline constexpr std::size_t max_node_selector_terms = 1024;

}  // namespace schedpol

// schedpol/core/quantity.hpp

/// Quantities of resources (apimachinery, `api/resource`): the whole grammar, compared exactly.
///
///     quantity = [+-] number suffix
///     number   = digits with at most one dot, either side of which may be empty
///     suffix   = n u m "" k M G T P E      powers of a thousand
///              | Ki Mi Gi Ti Pi Ei         powers of 1024
///              | (e | E) [+-] digits       a power of ten
///
/// As in Kubernetes a value is rounded away from zero to a multiple of a billionth, and one with a
/// binary suffix is at most 2^63-1; a number without any digit is zero (`Gi`), though not before
/// Pi, Ei or a power below 10^-9. Unlike there, white space is refused wherever it stands, in a
/// quoted quantity too.

namespace schedpol {

/// A number with the text it was written in. Default-constructed it is `0`. Two quantities are
/// equal when their values are: `1`, `1000m` and `1e0` are one.
class Quantity {
 public:
  Quantity() = default;

  /// Reads a quantity, or nothing where the text is none: empty, too long (`max_quantity_bytes`),
  /// an unknown suffix, white space, a power of ten out of bounds (`max_quantity_power`).
  [[nodiscard]] static std::optional<Quantity> parse(std::string_view text);

  /// The text it was read from.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool is_zero() const noexcept { return digits_.empty(); }

  /// The exact sum, with the text of its plain digits and a power of ten.
  [[nodiscard]] friend Quantity operator+(const Quantity& a, const Quantity& b) {
    return a.plus(b);
  }

  friend bool operator==(const Quantity& a, const Quantity& b) noexcept {
    return a.compare(b) == 0;
  }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) noexcept {
    return a.compare(b);
  }

 private:
  [[nodiscard]] Quantity plus(const Quantity& other) const;
  [[nodiscard]] std::strong_ordering compare(const Quantity& other) const noexcept;

  struct Arithmetic;

  std::string text_ = "0";
  /// Without zeros at either end; the value is these digits times ten to the exponent.
  std::string digits_{};
  std::int64_t exponent_ = 0;
  bool negative_ = false;
};

/// Quantities by resource name.
using ResourceList = std::map<std::string, Quantity, std::less<>>;

}  // namespace schedpol

// schedpol/core/toleration.hpp

/// Taints and tolerations (core/v1), and the three questions asked of them:
/// - `tolerates`: does a toleration tolerate a taint?
/// - `covers`: does it tolerate all that another one does?
/// - `merge`: the union of two lists without what is covered anyway.
///
/// Sources: core/v1 `Toleration.ToleratesTaint`, KEP-5471 (Lt, Gt), and the toleration merge of the
/// RuntimeClass admission plugin. Lt and Gt are matched as with KEP-5471's feature gate on; whether
/// a cluster takes them is a question of `validation.hpp`.

namespace schedpol {

/// `unset` in a toleration stands for every effect; a taint always has one.
enum class TaintEffect { unset, no_schedule, prefer_no_schedule, no_execute, unknown };

constexpr std::array<std::string_view, 4> spellings(TaintEffect) noexcept {
  return {"", "NoSchedule", "PreferNoSchedule", "NoExecute"};
}

/// The effects there are; a toleration without an effect means all of them.
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

struct Taint {
  std::string key{};
  std::string value{};
  OpenEnum<TaintEffect> effect{};

  friend bool operator==(const Taint&, const Taint&) = default;
};

/// An empty key matches every key, an unset effect every effect. `toleration_seconds` bounds how
/// long a NoExecute taint is tolerated; absent means forever, zero and less means not at all.
struct Toleration {
  std::string key{};
  OpenEnum<TolerationOperator> operator_{};
  std::string value{};
  OpenEnum<TaintEffect> effect{};
  std::optional<std::int64_t> toleration_seconds{};

  /// Semantic: an unset operator is Equal. tolerationSeconds count.
  friend bool operator==(const Toleration& a, const Toleration& b) noexcept;
};

/// Whether both say the same operator, unset being Equal.
[[nodiscard]] bool same_operator(const Toleration& a, const Toleration& b) noexcept;

/// Whether `toleration` tolerates `taint`. The rules, in order:
/// 1. the effects are equal, or the toleration has none;
/// 2. the keys are equal, or the toleration has none;
/// 3. Equal (and unset): the values are equal; Exists: any value; Lt, Gt: the taint's value is
///    less, greater than the toleration's, both decimal int64 without `+` or leading zeros;
/// 4. anything else, an unknown operator included, is not tolerated.
[[nodiscard]] bool tolerates(const Toleration& toleration, const Taint& taint) noexcept;

/// The taints that none of the tolerations tolerates, in their order, whatever their effect. Which
/// effects count is the caller's question: `tolerates_all` asks it as a scheduler does.
[[nodiscard]] std::vector<Taint> find_untolerated(std::span<const Toleration> tolerations,
                                                  std::span<const Taint> taints);

/// Whether every taint of one of the effects is tolerated, by default as a scheduler asks it:
/// taints of other effects, unknown ones included, keep no pod off a node.
[[nodiscard]] bool tolerates_all(std::span<const Toleration> tolerations,
                                 std::span<const Taint> taints,
                                 std::span<const TaintEffect> effects = repelling_effects) noexcept;

/// Whether `a` tolerates every taint that `b` tolerates, and where `a` names NoExecute, for at
/// least as long. The rules:
/// 1. equal ones cover each other;
/// 2. the keys are equal, or `a` has none and is Exists;
/// 3. the effects are equal, or `a` has none;
/// 4. where `a` is NoExecute and has tolerationSeconds, `b` has them too, and not more;
/// 5. `a` is Exists, or both have the same operator and value (an unset operator is Equal).
///
/// Unknown operators and effects cover only their equals.
[[nodiscard]] bool covers(const Toleration& a, const Toleration& b) noexcept;

/// The tolerations that no other one of the list covers, in their order: of equal ones the first
/// stays, of unequal ones that cover each other the later. Quadratic in the length of the list.
[[nodiscard]] std::vector<Toleration> without_covered(std::span<const Toleration> tolerations);

/// The union of two lists, `first` before `second`, `without_covered`.
[[nodiscard]] std::vector<Toleration> merge(std::span<const Toleration> first,
                                            std::span<const Toleration> second);

/// One toleration on one line, as in kubectl: `dedicated=gpu:NoSchedule`, `spot Exists:NoExecute
/// for 300s`; `*` for every key, no colon for every effect. Different tolerations have different
/// texts.
[[nodiscard]] std::string to_string(const Toleration& toleration);

}  // namespace schedpol

// schedpol/core/workload.hpp

/// The kinds of objects in which a pod spec stands, and where: a Pod is its own, a workload has a
/// pod template. What is decided for a template is reported with the paths of the document its
/// author wrote (`spec.template.spec.nodeName`).

namespace schedpol {

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

inline constexpr std::array<PodKind, 9> pod_kinds = {
    PodKind::pod,         PodKind::pod_template, PodKind::replication_controller,
    PodKind::replica_set, PodKind::deployment,   PodKind::stateful_set,
    PodKind::daemon_set,  PodKind::job,          PodKind::cron_job};

/// The Kubernetes kind: `Pod`, `PodTemplate`, `Deployment`, ...
[[nodiscard]] constexpr std::string_view to_string(PodKind kind) noexcept {
  switch (kind) {
    case PodKind::pod: return "Pod";
    case PodKind::pod_template: return "PodTemplate";
    case PodKind::replication_controller: return "ReplicationController";
    case PodKind::replica_set: return "ReplicaSet";
    case PodKind::deployment: return "Deployment";
    case PodKind::stateful_set: return "StatefulSet";
    case PodKind::daemon_set: return "DaemonSet";
    case PodKind::job: return "Job";
    case PodKind::cron_job: return "CronJob";
  }
  return "";
}

/// The kind of that name, or nothing when it has no pod template. Case-sensitive.
[[nodiscard]] constexpr std::optional<PodKind> pod_kind(std::string_view name) noexcept {
  for (const PodKind kind : pod_kinds) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

/// The group and version of the kind: `v1`, `apps/v1` or `batch/v1`.
[[nodiscard]] std::string_view api_version(PodKind kind) noexcept;

/// Whether a request that names this API group (empty: the core group) can be about the kind. The
/// kinds of `apps` were once in `extensions` too.
[[nodiscard]] bool is_in_group(PodKind kind, std::string_view group) noexcept;

/// The fields that lead to the pod template in an object of the kind: none for a Pod, which is its
/// own, otherwise such as `spec`, `template`.
[[nodiscard]] std::span<const std::string_view> template_steps(PodKind kind) noexcept;

/// The same as a path: `spec.template`.
[[nodiscard]] FieldPath template_path(PodKind kind);

/// Where a field of the pod (`{"spec", "nodeName"}`) stands in an object of the kind
/// (`spec.template.spec.nodeName`).
[[nodiscard]] FieldPath field_path(PodKind kind, std::initializer_list<std::string_view> fields);

}  // namespace schedpol

// schedpol/core/pod.hpp

/// Pods, and the pod templates of workloads, as far as scheduling policies look at them. A template
/// is a Pod that knows which kind of object it stands in, so that every function takes both and
/// field paths are those of the document its author wrote.

namespace schedpol {

/// The scheduler of pods that name none.
inline constexpr std::string_view default_scheduler_name = "default-scheduler";

/// How a pod that says `default-scheduler` is taken, where something else could be filled in.
enum class DefaultScheduler {
  specified,    ///< it asks for that scheduler
  unspecified,  ///< it names none: the API server has filled the name in before a webhook sees it
};

/// What containers, or a whole pod, ask for and may use at most.
struct ResourceRequirements {
  ResourceList requests{};
  ResourceList limits{};

  friend bool operator==(const ResourceRequirements&, const ResourceRequirements&) = default;
};

struct Container {
  std::string name{};
  ResourceRequirements resources{};

  friend bool operator==(const Container&, const Container&) = default;
};

/// An empty string, list or map is the same as an absent one, as in core/v1.
struct PodSpec {
  std::string scheduler_name{};  ///< empty: `default_scheduler_name`
  std::string node_name{};       ///< not empty: the pod goes past every scheduler
  std::string priority_class_name{};
  std::optional<std::int32_t> priority{};  ///< derived from the class by the API server
  std::string preemption_policy{};         ///< derived from the class by the API server
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};
  std::string service_account_name{};  ///< empty: `service_account`, then `default`
  std::string service_account{};       ///< the deprecated spelling of `service_account_name`
  std::string runtime_class_name{};
  ResourceList overhead{};  ///< what the pod's runtime needs besides its containers
  std::vector<Container> init_containers{};
  std::vector<Container> containers{};
  std::optional<ResourceRequirements> resources{};  ///< of the pod as a whole

  friend bool operator==(const PodSpec&, const PodSpec&) = default;
};

/// `phase` is `Pending`, `Running`, `Succeeded`, `Failed` or `Unknown`; a template has none.
struct PodStatus {
  std::string phase{};

  friend bool operator==(const PodStatus&, const PodStatus&) = default;
};

/// A pod, or the pod template of a workload. `metadata` is the pod's or the template's; a template
/// takes `name` and `namespace_` from its workload where it has none.
struct Pod {
  PodKind kind = PodKind::pod;
  ObjectMeta metadata{};
  PodSpec spec{};
  PodStatus status{};

  friend bool operator==(const Pod&, const Pod&) = default;
};

}  // namespace schedpol

// schedpol/core/admission.hpp

/// What every system answers with: the decision on a pod, what it changed and why it was denied.
/// Violations and changes are data that name the policy behind them; their texts come from
/// `message`.

namespace schedpol {

/// Why a pod is denied. Spelled by `to_string` without the underscores: `SchedulerNameNotAllowed`.
enum class ViolationCode {
  no_usable_policy,            ///< no policy applies, so nothing is permitted
  ambiguous_policy,            ///< two different policies of one name, so none can be trusted
  scheduler_name_required,     ///< another scheduler than the required ones
  scheduler_name_not_allowed,  ///< a scheduler that nothing permits
  node_name_not_allowed,       ///< names its node, past every scheduler
  priority_class_name_required,
  priority_class_name_not_allowed,
  node_selector_required,  ///< a required key is missing, or has another value
  node_selector_not_allowed,
  toleration_required,  ///< no toleration matches a required pattern
  toleration_not_allowed,
  affinity_required,  ///< a required kind, mode or term is missing
  affinity_not_allowed,
  invalid_policy,                  ///< a policy cannot be evaluated, so nothing was
  runtime_class_not_found,         ///< names a class that does not exist
  overhead_without_runtime_class,  ///< brings an overhead that no class defines
  overhead_mismatch,               ///< brings another overhead than its class defines
  node_selector_conflict,          ///< asks for another value than its class
  rejected_by_rule,                ///< a metadata rule rejects it
  namespace_not_found,             ///< stands in a namespace whose labels a policy asks for
  multiple_resource_policies,      ///< more than one ResourcePolicy selects it: no node can take it
};

[[nodiscard]] constexpr std::string_view to_string(ViolationCode code) noexcept {
  switch (code) {
    case ViolationCode::no_usable_policy: return "NoUsablePolicy";
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
    case ViolationCode::invalid_policy: return "InvalidPolicy";
    case ViolationCode::runtime_class_not_found: return "RuntimeClassNotFound";
    case ViolationCode::overhead_without_runtime_class: return "OverheadWithoutRuntimeClass";
    case ViolationCode::overhead_mismatch: return "OverheadMismatch";
    case ViolationCode::node_selector_conflict: return "NodeSelectorConflict";
    case ViolationCode::rejected_by_rule: return "RejectedByRule";
    case ViolationCode::namespace_not_found: return "NamespaceNotFound";
    case ViolationCode::multiple_resource_policies: return "MultipleResourcePolicies";
  }
  return "";
}

/// One reason for a denial. `field` is the path in the object as it came, `value` what was asked
/// for there (for a missing requirement: what is required), `policies` those that required it, or
/// all that were looked at and permit it nowhere.
struct Violation {
  ViolationCode code = ViolationCode::no_usable_policy;
  FieldPath field{};
  std::string value{};
  std::vector<std::string> policies{};

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks.
[[nodiscard]] std::string message(const Violation& violation);

/// One mutation. `from` and `to` are absent where the field was or became absent; structured values
/// are shown on one line. `policy` made the change; it is empty where no policy did.
struct Change {
  FieldPath field{};
  std::optional<std::string> from{};
  std::optional<std::string> to{};
  std::string policy{};

  friend bool operator==(const Change&, const Change&) = default;
};

/// Whether changes say what they were made from and to. Texts of affinities cost more than the
/// affinities.
enum class ChangeValues {
  shown,
  omitted,  ///< `from` and `to` are absent
};

/// One line for a person, such as: `spec.schedulerName` set to `my-scheduler` by `payments`.
[[nodiscard]] std::string message(const Change& change);

/// The whole decision on a pod. Default-constructed it is a denial.
///
/// Allowed: `pod` is the pod with all `changes` applied, and there are no violations. Denied: `pod`
/// is the pod as it came, there are no changes, and `violations` say why, in the order in which
/// they were checked. Nothing is ever half-applied.
struct Admission {
  bool allowed = false;
  Pod pod{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};
  /// The pod as it came, where changes were made: what a later denial in a chain gives back.
  std::optional<Pod> before{};

  /// Hands the pod to the next step, a callable `(Pod) -> Admission`. A denial goes no further and
  /// is returned as it is. When the next step allows, the changes of both are kept; when it denies,
  /// its violations are returned with the pod as it came to the chain, and no changes.
  template <class Next>
  [[nodiscard]] Admission and_then(Next&& next) && {
    static_assert(std::is_invocable_r_v<Admission, Next, Pod>,
                  "a step takes a Pod and returns an Admission");
    // What does not depend on the step has one body, which no file that chains instantiates.
    const auto step = [&next](Pod&& current) -> Admission {
      return std::forward<Next>(next)(std::move(current));
    };
    const auto call = [](const void* what, Pod&& current) -> Admission {
      return (*static_cast<decltype(&step)>(what))(std::move(current));
    };
    return std::move(*this).chain(call, &step);
  }

  template <class Next>
  [[nodiscard]] Admission and_then(Next&& next) const& {
    return copy<Next>().and_then(std::forward<Next>(next));
  }

  friend bool operator==(const Admission&, const Admission&) = default;

 private:
  [[nodiscard]] Admission chain(Admission (*step)(const void*, Pod&&), const void* what) &&;

  template <class Next>
  [[nodiscard]] Admission copy() const {
    return *this;
  }
};

}  // namespace schedpol

// schedpol/core/any_or.hpp

/// What a policy says where absent, any and listed mean different things:
/// 1. `{}` is absent: nothing was said, so nothing is permitted and nothing asked for;
/// 2. `any` is everything, and is the only spelling of it;
/// 3. `{...}` lists. A list of nothing permits nothing: it never turns into `any`.
/// No pair of braces more or less makes one of the three another.

namespace schedpol {

/// Says `any`. Braces do not make one.
class Any {
 public:
  enum class Spelled { out };
  constexpr explicit Any(Spelled) noexcept {}
};
inline constexpr Any any{Any::Spelled::out};

/// What stands between the braces of a list: its items, or for a list of texts anything that reads
/// as a text. A structure has no items.
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

/// Absent, any, or a `T`: a list, a map or a structure.
template <class T>
class AnyOr {
 public:
  AnyOr() = default;
  AnyOr(Any) noexcept : state_(State::everything) {}
  AnyOr(T listed) : state_(State::listed), listed_(std::move(listed)) {}
  AnyOr(std::initializer_list<typename ListItem<T>::type> items)
    requires requires { typename T::value_type; }
      : state_(State::listed), listed_(items) {}
  AnyOr(std::initializer_list<std::initializer_list<Text>>)  // a pair of braces too many
    requires std::same_as<T, Texts>
  = delete;

  AnyOr(const AnyOr&) = default;
  AnyOr(AnyOr&&) noexcept = default;
  AnyOr& operator=(AnyOr other) noexcept {  // one operator, so that `= {}` means one thing: absent
    std::swap(state_, other.state_);
    std::swap(listed_, other.listed_);
    return *this;
  }
  ~AnyOr() = default;

  [[nodiscard]] bool is_absent() const noexcept { return state_ == State::absent; }
  [[nodiscard]] bool is_any() const noexcept { return state_ == State::everything; }
  [[nodiscard]] bool is_listed() const noexcept { return state_ == State::listed; }

  /// What is listed; nothing where it is absent or any.
  [[nodiscard]] const T& listed() const noexcept { return listed_; }

  /// The same to be changed, listed from now on; what was any before lists nothing.
  [[nodiscard]] T& list() noexcept {
    state_ = State::listed;
    return listed_;
  }

  friend bool operator==(const AnyOr&, const AnyOr&) = default;

 private:
  enum class State : unsigned char { absent, everything, listed };

  State state_ = State::absent;
  T listed_{};  ///< empty unless listed
};

}  // namespace schedpol

// schedpol/core/node.hpp

/// Nodes, and which of them a pod may or would rather run on:
/// 1. the pod's `nodeSelector` AND its required node affinity have to match; a required affinity
///    without terms matches no node;
/// 2. terms are ORed, the requirements of a term ANDed; an empty term matches no node;
/// 3. In, NotIn, Exists, DoesNotExist look at the node's labels (NotIn also matches a missing
///    key), Gt and Lt compare int64: no match where either side is no integer;
/// 4. matchFields knows `metadata.name`, with In or NotIn and one value;
/// 5. a requirement that breaks these rules, or the syntax of label keys and values, makes its term
///    match no node;
/// 6. the score is the sum of the weights of the matching preferences; an empty one matches
///    nothing.
///
/// What a pod asks for is compiled once and then matched against any number of nodes. Source:
/// component-helpers, `scheduling/corev1/nodeaffinity`. That one departs in two ways: one malformed
/// preference is an error for the whole list, and here it scores nothing; and fields other than
/// `metadata.name` are looked up in what its caller says a node has, and here match no node.

namespace schedpol {

struct NodeSpec {
  std::vector<Taint> taints{};

  friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

struct Node {
  ObjectMeta metadata{};
  NodeSpec spec{};

  friend bool operator==(const Node&, const Node&) = default;
};

/// Node selector terms made for matching. Terms that can match no node are left out. Copies share
/// what they are made of.
class NodeTermsMatcher {
 public:
  /// Of no terms: matches no node.
  NodeTermsMatcher() = default;
  explicit NodeTermsMatcher(std::span<const NodeSelectorTerm> terms);

  /// Whether one of the terms matches.
  [[nodiscard]] bool matches(const Node& node) const noexcept;

 private:
  friend class NodeTable;

  struct Impl;
  Shared<Impl> impl_;  ///< none: no terms
};

/// What a pod asks of nodes, made for matching. Copies share what they are made of.
class NodeAffinityMatcher {
 public:
  /// Of no pod: matches no node, scores zero.
  NodeAffinityMatcher() = default;

  /// Of a pod; one that asks for nothing matches every node.
  explicit NodeAffinityMatcher(const PodSpec& spec);

  /// Whether the pod may run on the node, as far as labels and name decide it.
  [[nodiscard]] bool matches(const Node& node) const noexcept;

  /// How much the pod would rather run on the node; not whether it may.
  [[nodiscard]] std::int64_t score(const Node& node) const noexcept;

 private:
  friend class NodeTable;

  struct Impl;
  Shared<Impl> impl_;  ///< none: no pod
};

}  // namespace schedpol

// schedpol/core/node_table.hpp

/// The nodes of a cluster made for matching: what a pod asks for is put to all of them at once.
/// 1. For each node the answer is that of `LabelMatcher`, `NodeTermsMatcher`, `NodeAffinityMatcher`
///    and `tolerates_all` for it alone.
/// 2. Every label value, name and taint knows its nodes, so a requirement is looked at once a
///    distinct value (In and NotIn: once a listed value) and the tolerations once a distinct taint.
/// 3. Nodes are numbered as they came; those of the same name stay apart.
///
/// A table copies what it needs of the nodes and never changes, so any number of threads may ask
/// it. Source: the NodeAffinity and TaintToleration filters of kube-scheduler.

namespace schedpol {

/// Some of the nodes of a `NodeTable`, by their numbers in it. Default-constructed: none.
class NodeSet {
 public:
  NodeSet() = default;

  /// False for a number that the table does not have.
  [[nodiscard]] bool contains(std::size_t node) const noexcept;

  [[nodiscard]] std::size_t count() const noexcept;

  /// Calls `use` with the number of each node in the set, ascending.
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1)
        use(i * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
    }
  }

  /// Leaves the nodes that are in both sets.
  NodeSet& operator&=(const NodeSet& other) noexcept;

  /// Adds the nodes of another set of the same table.
  NodeSet& operator|=(const NodeSet& other) noexcept;

  friend bool operator==(const NodeSet&, const NodeSet&) = default;

 private:
  friend class NodeTable;

  static constexpr std::size_t word_bits = 64;

  /// No node yet, of a table of so many.
  explicit NodeSet(std::size_t nodes);

  void add(std::size_t node) noexcept;
  void remove(std::size_t node) noexcept;
  void remove(const NodeSet& other) noexcept;
  void clear() noexcept;

  std::vector<std::uint64_t> words_;  ///< bits beyond the last node are zero
};

/// The nodes of a cluster, indexed by what pods ask of them. Building takes O(L log L) for L
/// labels, names and taints, and memory in proportion to them. A question takes a step for every
/// 64 nodes and value that its requirements look at, but for a rare value only one for each of its
/// nodes; it allocates a few sets, whatever the number of nodes. Copies share what they are made
/// of.
class NodeTable {
 public:
  /// Of no nodes.
  NodeTable() = default;

  explicit NodeTable(std::span<const Node> nodes);

  /// How many nodes there are.
  [[nodiscard]] std::size_t size() const noexcept;

  /// The nodes whose labels match.
  [[nodiscard]] NodeSet matching(const LabelMatcher& matcher) const;

  /// The nodes that one of the terms matches.
  [[nodiscard]] NodeSet matching(const NodeTermsMatcher& matcher) const;

  /// The nodes that the pod may run on, as far as labels and name decide it.
  [[nodiscard]] NodeSet matching(const NodeAffinityMatcher& matcher) const;

  /// The nodes of which every taint of one of the effects is tolerated.
  [[nodiscard]] NodeSet tolerated_by(
      std::span<const Toleration> tolerations,
      std::span<const TaintEffect> effects = repelling_effects) const;

  /// How much the pod would rather run on each node, by their numbers; not whether it may.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeAffinityMatcher& matcher) const;

 private:
  struct Impl;
  Shared<Impl> impl_;  ///< none: no nodes
};

}  // namespace schedpol

// schedpol/core/qos.hpp

/// The quality-of-service class of a pod, as the kubelet computes it from what cpu and memory its
/// containers and init containers ask for, or the pod as a whole where it says so itself:
/// 1. BestEffort: nothing more than zero is requested or limited;
/// 2. Guaranteed: every container limits both (or the pod does), and the sums of the requests are
///    those of the limits;
/// 3. Burstable: everything else.
///
/// Other resources, ephemeral containers and quantities that are not positive do not count.
/// Source: Kubernetes, `ComputePodQOS`.

namespace schedpol {

enum class QosClass { best_effort, burstable, guaranteed };

[[nodiscard]] constexpr std::string_view to_string(QosClass qos) noexcept {
  switch (qos) {
    case QosClass::best_effort: return "BestEffort";
    case QosClass::burstable: return "Burstable";
    case QosClass::guaranteed: return "Guaranteed";
  }
  return "";
}

[[nodiscard]] QosClass qos_class(const PodSpec& spec);

}  // namespace schedpol

// schedpol/core/syntax.hpp

/// Syntax of names, label keys and label values (apimachinery, `util/validation`): each function
/// lists what is wrong with a text, one entry a broken rule, none when it is well formed. The
/// bounds are those of `limits.hpp`.

namespace schedpol {

/// A DNS-1123 subdomain: the names of most objects, and the prefix of a label key. At most
/// `max_subdomain_bytes`; lower-case alphanumerics, `-` and `.`, alphanumeric around each dot and
/// at both ends.
[[nodiscard]] std::vector<std::string> subdomain_problems(std::string_view text);

/// A DNS-1123 label: the names of namespaces. At most `max_label_name_bytes`; lower-case
/// alphanumerics and `-`, alphanumeric at both ends.
[[nodiscard]] std::vector<std::string> dns_label_problems(std::string_view text);

/// A label key: a name of at most `max_label_name_bytes` alphanumerics, `-`, `_` and `.`,
/// alphanumeric at both ends, after an optional subdomain and a slash.
[[nodiscard]] std::vector<std::string> label_key_problems(std::string_view key);

/// A label value: empty, or like the name of a key, of at most `max_label_value_bytes`.
[[nodiscard]] std::vector<std::string> label_value_problems(std::string_view value);

}  // namespace schedpol

// schedpol/core/text.hpp

/// How the texts of errors, violations and changes show what came from outside: between backticks,
/// on one line, bounded (`max_shown_bytes`). Objects are untrusted, and a reason ends up in logs
/// and on terminals.

namespace schedpol {

/// Appends `part`, with a backslash before each of `separators` and before a backslash, and control
/// characters in hexadecimal (those of ASCII, and U+0080 to U+009F, which terminals obey too): two
/// different values never render as the same text, and none breaks the line.
void append_escaped(std::string& text, std::string_view part, std::string_view separators);

/// `input` between backticks, escaped as by `append_escaped` with the backtick for separator. What
/// is longer than `max_shown_bytes` is cut (never inside a UTF-8 sequence).
[[nodiscard]] std::string in_backticks(std::string_view input);

/// `a`, `b` and `c`; empty for no names.
[[nodiscard]] std::string in_backticks(const std::vector<std::string>& names);

}  // namespace schedpol

// schedpol/core/validation.hpp

/// What the API server finds wrong with labels, tolerations and affinities when an object is
/// created, with its field paths and error types. Matching does not depend on it: what is malformed
/// matches nothing. The lenient readings of updates are not taken. Sources: Kubernetes,
/// `pkg/apis/core/validation`, and apimachinery, `apis/meta/v1/validation`.

namespace schedpol {

/// Labels: every key and value that breaks its syntax, all at `field`.
[[nodiscard]] std::vector<FieldError> validate(const Labels& labels,
                                               const FieldPath& field = {"metadata", "labels"});

/// Tolerations:
/// 1. a key that is no label key;
/// 2. an empty key without Exists, reported at the operator;
/// 3. tolerationSeconds without NoExecute, reported at the effect;
/// 4. a value that is no label value (Equal), or there at all (Exists), reported at the operator;
/// 5. an operator or effect that is not supported. Lt and Gt are none that are: the API server
///    refuses them unless its feature gate for them (KEP-5471) is on, and it is off by default.
[[nodiscard]] std::vector<FieldError> validate(std::span<const Toleration> tolerations,
                                               const FieldPath& field = {"spec", "tolerations"});

/// Affinities, all three kinds, with the paths of the document:
/// 1. required node affinity has a term;
/// 2. an expression has a label key and a known operator; In and NotIn have values, Exists and
///    DoesNotExist none, Gt and Lt one. The values are label values, except in preferred node
///    affinity, where the API server does not look at them;
/// 3. a field expression is `metadata.name`, In or NotIn, with one value, a subdomain;
/// 4. the weight of a preferred term is 1 to 100;
/// 5. a pod affinity term has a topologyKey, which is a label key; its namespaces are DNS labels;
///    the labels of its selectors are labels, and rule 2 holds for their expressions;
/// 6. its matchLabelKeys and mismatchLabelKeys are label keys, no key is in both, and without a
///    labelSelector there are none (which is then all that is reported of them);
/// 7. a key of matchLabelKeys that an expression of the labelSelector is about is in no expression
///    before that one, nor in matchLabels: the API server adds one such expression itself. Reported
///    at the term followed by the index of the key, which is the API server's path.
[[nodiscard]] std::vector<FieldError> validate(const Affinity& affinity,
                                               const FieldPath& field = {"spec", "affinity"});

}  // namespace schedpol

// schedpol/metadata_policy/policy.hpp

/// MetadataPolicy: rules on the labels and annotations of the objects in a namespace, each a
/// predicate and what is done where it holds. How they apply is decided by `admit`. Source: the
/// MetadataPolicy proposal, "API".

namespace schedpol::metadata_policy {

/// Both selectors have to match; an absent one is no criterion.
struct PolicyPredicate {
  std::optional<LabelSelector> label_selector{};
  std::optional<LabelSelector> annotation_selector{};  ///< its values are free text

  friend bool operator==(const PolicyPredicate&, const PolicyPredicate&) = default;
};

/// What is written, over what stands there. A rule that rejects updates nothing.
struct PolicyAction {
  bool reject = false;
  Labels updated_labels{};
  Labels updated_annotations{};

  friend bool operator==(const PolicyAction&, const PolicyAction&) = default;
};

struct MetadataPolicyRule {
  PolicyPredicate policy_predicate{};
  PolicyAction policy_action{};

  friend bool operator==(const MetadataPolicyRule&, const MetadataPolicyRule&) = default;
};

struct MetadataPolicySpec {
  std::vector<MetadataPolicyRule> rules{};

  friend bool operator==(const MetadataPolicySpec&, const MetadataPolicySpec&) = default;
};

struct MetadataPolicy {
  ObjectMeta metadata{};
  MetadataPolicySpec spec{};

  friend bool operator==(const MetadataPolicy&, const MetadataPolicy&) = default;
};

}  // namespace schedpol::metadata_policy

// schedpol/pod_scheduling_policy/policy.hpp

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy as their authors write them: scheduling
/// criteria, and the pods and pod templates that they are injected into. What is wrong with one is
/// in `validate.hpp`, what they do in `inject.hpp`. Source: the kupid README.

namespace schedpol::pod_scheduling_policy {

/// The two kinds of policy, which differ in where they apply.
enum class PolicyKind { pod_scheduling_policy, cluster_pod_scheduling_policy };

[[nodiscard]] constexpr std::string_view to_string(PolicyKind kind) noexcept {
  return kind == PolicyKind::pod_scheduling_policy ? "PodSchedulingPolicy"
                                                   : "ClusterPodSchedulingPolicy";
}

/// What is selected, and what is injected. An empty string, list or map injects nothing.
struct PodSchedulingPolicySpec {
  std::optional<LabelSelector> namespace_selector{};  ///< of the cluster kind only
  std::optional<LabelSelector> pod_selector{};
  std::string node_name{};
  std::string scheduler_name{};
  Labels node_selector{};
  std::vector<Toleration> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const PodSchedulingPolicySpec&, const PodSchedulingPolicySpec&) = default;
};

/// A policy of either kind. The namespace of one of the cluster kind has no meaning.
struct PodSchedulingPolicy {
  PolicyKind kind = PolicyKind::pod_scheduling_policy;
  ObjectMeta metadata{};
  PodSchedulingPolicySpec spec{};

  friend bool operator==(const PodSchedulingPolicy&, const PodSchedulingPolicy&) = default;
};

}  // namespace schedpol::pod_scheduling_policy

// schedpol/rbac/rbac.hpp

/// The objects of RBAC (rbac.authorization.k8s.io/v1) that say who may use which policy, and the
/// user who asks. What they grant is decided by `usable`. Absent and empty lists are one.

namespace schedpol::rbac {

/// Which verbs on which objects. `*` in the first three stands for all; among the resource names it
/// is a name like any other, and an empty list is all.
struct PolicyRule {
  Texts verbs{};
  Texts api_groups{};
  Texts resources{};
  Texts resource_names{};

  friend bool operator==(const PolicyRule&, const PolicyRule&) = default;
};

struct Role {
  ObjectMeta metadata{};
  std::vector<PolicyRule> rules{};

  friend bool operator==(const Role&, const Role&) = default;
};

struct ClusterRole {
  ObjectMeta metadata{};
  std::vector<PolicyRule> rules{};

  friend bool operator==(const ClusterRole&, const ClusterRole&) = default;
};

struct RoleRef {
  std::string api_group{};
  std::string kind{};  ///< `Role` or `ClusterRole`; with any other nothing is granted
  std::string name{};

  friend bool operator==(const RoleRef&, const RoleRef&) = default;
};

/// Whom a binding is for.
struct Subject {
  std::string kind{};  ///< `User`, `Group` or `ServiceAccount`; any other is nobody
  std::string api_group{};
  std::string name{};
  std::string namespace_{};  ///< of a service account

  friend bool operator==(const Subject&, const Subject&) = default;
};

struct RoleBinding {
  ObjectMeta metadata{};
  RoleRef role_ref{};
  std::vector<Subject> subjects{};

  friend bool operator==(const RoleBinding&, const RoleBinding&) = default;
};

struct ClusterRoleBinding {
  ObjectMeta metadata{};
  RoleRef role_ref{};
  std::vector<Subject> subjects{};

  friend bool operator==(const ClusterRoleBinding&, const ClusterRoleBinding&) = default;
};

/// All RBAC objects of a cluster, or those that matter.
struct Rbac {
  std::vector<Role> roles{};
  std::vector<ClusterRole> cluster_roles{};
  std::vector<RoleBinding> role_bindings{};
  std::vector<ClusterRoleBinding> cluster_role_bindings{};

  friend bool operator==(const Rbac&, const Rbac&) = default;
};

/// Who asks: a user name and the groups it is in.
struct User {
  std::string name{};
  Texts groups{};

  friend bool operator==(const User&, const User&) = default;
};

}  // namespace schedpol::rbac

// schedpol/rbac/usable.hpp

/// Which scheduling policies a user may use: RBAC for the verb `use`.
///
/// 1. A subject matches a user by name, a group by membership, and a service account by the user
///    name `system:serviceaccount:NAMESPACE:NAME`; a service account without a namespace is in
///    that of its RoleBinding, and in none for a ClusterRoleBinding. A service account without a
///    name, and a subject of any other kind, is nobody.
/// 2. A ClusterRoleBinding grants the rules of its ClusterRole everywhere. A RoleBinding grants
///    those of its Role (of the same namespace) or ClusterRole in its own namespace only.
/// 3. A reference to a role that is not there grants nothing, nor does a ClusterRoleBinding to a
///    Role.
/// 4. A rule applies when verb, API group and resource are listed, `*` being all of them; and the
///    policy's name is listed or resourceNames is empty (`*` is a name like any other there).
///
/// Source: Kubernetes' RBAC authorizer.

namespace schedpol::rbac {

/// The user that a service account acts as, with its three groups. An empty name is `default`.
[[nodiscard]] User service_account_user(std::string_view namespace_, std::string_view name);

/// The user that runs the pod: its service account in its namespace. The deprecated
/// `serviceAccount` counts where `serviceAccountName` is empty.
[[nodiscard]] User user_of(const Pod& pod);

/// What is asked of the rules, besides the name of the policy.
struct Access {
  std::string verb = "use";
  std::string api_group = "extensions";
  std::string resource = "schedulingpolicies";

  friend bool operator==(const Access&, const Access&) = default;
};

/// The names, out of `policies`, that `user` may use in `namespace_` (empty: only what is granted
/// everywhere). In byte order, each once.
[[nodiscard]] std::vector<std::string> usable(std::span<const std::string> policies,
                                              const User& user, std::string_view namespace_,
                                              const Rbac& rbac, const Access& access = {});

}  // namespace schedpol::rbac

// schedpol/resource_policy/policy.hpp

/// ResourcePolicy as its author writes it: which units of nodes the pods of a workload may use, how
/// many of them each may hold, and which are preferred. What is wrong with one is in
/// `validate.hpp`, what they decide in `cluster.hpp`. Source: the Resource Policy proposal, "CRD
/// API".

namespace schedpol::resource_policy {

/// What becomes of nodes outside all units; `unset` is `required`.
enum class Strategy { unset, required, prefer, unknown };

constexpr std::array<std::string_view, 3> spellings(Strategy) noexcept {
  return {"", "required", "prefer"};
}

/// A set of nodes. An absent selector is `{}`, all nodes.
struct Unit {
  std::string name{};
  std::optional<std::int32_t> priority{};   ///< absent: 0; higher is better
  std::optional<std::int32_t> max_count{};  ///< pods the unit may hold; absent: any number
  std::optional<LabelSelector> node_selector{};

  friend bool operator==(const Unit&, const Unit&) = default;
};

struct MatchPolicy {
  bool ignore_terminating_pod = false;  ///< whether pods that are being deleted are not counted

  friend bool operator==(const MatchPolicy&, const MatchPolicy&) = default;
};

/// An absent pod selector is `{}`, all pods of the namespace. Pods are counted apart by their
/// values of `match_label_keys`, such as `pod-template-hash`.
struct ResourcePolicySpec {
  Texts match_label_keys{};
  MatchPolicy match_policy{};
  std::optional<LabelSelector> pod_selector{};
  OpenEnum<Strategy> strategy{};
  std::vector<Unit> units{};

  friend bool operator==(const ResourcePolicySpec&, const ResourcePolicySpec&) = default;
};

struct ResourcePolicy {
  ObjectMeta metadata{};
  ResourcePolicySpec spec{};

  friend bool operator==(const ResourcePolicy&, const ResourcePolicy&) = default;
};

}  // namespace schedpol::resource_policy

// schedpol/runtime_class/policy.hpp

/// RuntimeClass (node.k8s.io/v1): the container runtime that a pod asks for by name, what pods of
/// it need besides their containers, and which nodes support it. What a pod takes over from its
/// class is decided by `admit`. Source: the RuntimeClass scheduling proposal, "API".

namespace schedpol::runtime_class {

/// What pods of the class need besides their containers. Without resources it is none.
struct Overhead {
  ResourceList pod_fixed{};

  friend bool operator==(const Overhead&, const Overhead&) = default;
};

/// Which nodes support the class, and the taints its pods tolerate there.
struct Scheduling {
  Labels node_selector{};
  std::vector<Toleration> tolerations{};

  friend bool operator==(const Scheduling&, const Scheduling&) = default;
};

/// Cluster-scoped; `handler` is the runtime's name on the nodes, which nothing here looks at.
struct RuntimeClass {
  ObjectMeta metadata{};
  std::string handler{};
  std::optional<Overhead> overhead{};
  std::optional<Scheduling> scheduling{};

  friend bool operator==(const RuntimeClass&, const RuntimeClass&) = default;
};

}  // namespace schedpol::runtime_class

// schedpol/scheduling_policy/policy.hpp

/// SchedulingPolicy: the cluster-scoped object that says which schedulers, priority classes, node
/// selectors, tolerations and affinities pods must, may and by default do use.
///
/// Absent, any and listed differ everywhere in `required` and `allowed`; in a document `any` is an
/// empty list or map.
/// 1. In `allowed` an absent field permits nothing, `any` everything, a listed one what it lists.
///    The same holds one level down, for the values of a key, a kind or a mode of affinity.
/// 2. In `required` an absent field asks for nothing, a listed one for what it lists. `any` stands
///    only below: any value of a key, any term of a kind or in a mode. As a whole field of
///    `required` it is invalid (`validate`) and taken as absent.
/// 3. In a pattern an absent list matches nothing and `any` everything, except `values`, which
///    absent match what has no value.
/// 4. What is listed with nothing in it permits nothing: it is never taken for `any`.
/// Source: the SchedulingPolicy proposal, "SchedulingPolicy content".

namespace schedpol::scheduling_policy {

/// Node selector keys and the values each may have.
using NodeSelectors = std::map<std::string, AnyOr<Texts>, std::less<>>;

/// Which tolerations are meant: those whose key, operator, value and effect all match.
struct TolerationPattern {
  AnyOr<Texts> keys{};
  AnyOr<std::vector<OpenEnum<TolerationOperator>>> operators{};
  AnyOr<Texts> values{};
  AnyOr<std::vector<OpenEnum<TaintEffect>>> effects{};

  friend bool operator==(const TolerationPattern&, const TolerationPattern&) = default;
};

/// Which node selector requirements are meant: those whose key and operator match and of whose
/// values every one is listed.
struct RequirementPattern {
  AnyOr<Texts> keys{};
  AnyOr<std::vector<OpenEnum<NodeSelectorOperator>>> operators{};
  AnyOr<Texts> values{};

  friend bool operator==(const RequirementPattern&, const RequirementPattern&) = default;
};

/// In `allowed`: the expressions a term may hold, none where the list is absent. In `required`: the
/// patterns a term has to hold; `any` asks for at least one expression. With both absent it permits
/// nothing and is never satisfied.
struct TermPattern {
  AnyOr<std::vector<RequirementPattern>> match_expressions{};
  AnyOr<std::vector<RequirementPattern>> match_fields{};

  friend bool operator==(const TermPattern&, const TermPattern&) = default;
};

/// One mode of node affinity. In `allowed` the expressions of all terms may be combined freely, in
/// `required` each term has to hold.
struct NodeAffinityRule {
  std::vector<TermPattern> node_selector_terms{};

  friend bool operator==(const NodeAffinityRule&, const NodeAffinityRule&) = default;
};

/// One mode of pod affinity or anti-affinity: the topology keys that terms may, or one of which a
/// term must have.
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

using NodeAffinityRules = AffinityModes<NodeAffinityRule>;
using PodAffinityRules = AffinityModes<PodAffinityRule>;

/// The three kinds of affinity.
struct AffinityRules {
  AnyOr<NodeAffinityRules> node_affinities{};
  AnyOr<PodAffinityRules> pod_affinities{};
  AnyOr<PodAffinityRules> pod_anti_affinities{};

  friend bool operator==(const AffinityRules&, const AffinityRules&) = default;
};

/// The `required` or the `allowed` section.
struct PolicyRules {
  AnyOr<Texts> scheduler_names{};
  AnyOr<Texts> priority_class_names{};
  AnyOr<NodeSelectors> node_selectors{};
  AnyOr<std::vector<TolerationPattern>> tolerations{};
  AnyOr<AffinityRules> affinities{};

  friend bool operator==(const PolicyRules&, const PolicyRules&) = default;
};

/// A toleration to give to pods; with `values` listed, one for each of them, and `toleration.value`
/// is not used. `any` values are invalid, and taken as absent.
struct DefaultToleration {
  Toleration toleration{};
  AnyOr<Texts> values{};

  friend bool operator==(const DefaultToleration&, const DefaultToleration&) = default;
};

/// The `default` section: what a pod gets that does not specify it. An empty field gives nothing.
struct Defaults {
  std::optional<std::string> scheduler_name{};
  std::optional<std::string> priority_class_name{};
  std::optional<Labels> node_selector{};
  std::optional<std::vector<DefaultToleration>> tolerations{};
  std::optional<Affinity> affinity{};

  friend bool operator==(const Defaults&, const Defaults&) = default;
};

struct SchedulingPolicySpec {
  PolicyRules required{};
  PolicyRules allowed{};
  Defaults defaults{};

  friend bool operator==(const SchedulingPolicySpec&, const SchedulingPolicySpec&) = default;
};

struct SchedulingPolicy {
  ObjectMeta metadata{};
  SchedulingPolicySpec spec{};

  friend bool operator==(const SchedulingPolicy&, const SchedulingPolicy&) = default;
};

/// Patterns on one line, as YAML writes them in flow style; `[]` is any, `none` a list of nothing.
/// Different patterns have different texts.
[[nodiscard]] std::string to_string(const TolerationPattern& pattern);
[[nodiscard]] std::string to_string(const TermPattern& pattern);

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/effective_policy.hpp

/// EffectivePolicy: the merged rules of all policies that apply to a pod, in a form made for
/// lookup, with the names of the policies behind every rule. Made by `merge`, taken by
/// `apply_defaults`, `check` and `admit`, which only read it: one value serves any number of
/// threads. It never changes once it is made, so a copy shares everything with it.

namespace schedpol::scheduling_policy {

/// Policy names by entry, in the order in which the policies counted. An entry is a place below
/// `spec`, printed as `required.nodeSelectors[disk]` or `allowed.tolerations[2]`; a kind and a mode
/// of affinity is one too.
using PolicyNames = std::map<FieldPath, std::vector<std::string>>;

/// Where the entries of a merged spec came from.
struct Sources {
  PolicyNames entries{};  ///< the policies that say what the merged entry says
  PolicyNames lost{};     ///< the policies whose entry an earlier policy's hid

  friend bool operator==(const Sources&, const Sources&) = default;
};

class EffectivePolicy {
 public:
  /// No rules of any policy: denies every pod.
  EffectivePolicy() = default;

  /// The rules of `spec`, merged from `policies`. Use `merge`, which fills in the sources.
  EffectivePolicy(SchedulingPolicySpec spec, std::vector<std::string> policies, Sources sources);

  /// Denies every pod, because two different policies are called `name`.
  [[nodiscard]] static EffectivePolicy ambiguous(std::string name);

  /// The merged rules. Empty fields of `required` and `default` are absent from it.
  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept;

  /// The policies whose rules these are, in byte order; when ambiguous, the name that was used
  /// twice.
  [[nodiscard]] const std::vector<std::string>& policies() const noexcept;
  [[nodiscard]] const Sources& sources() const noexcept;
  [[nodiscard]] bool is_ambiguous() const noexcept;

  /// The policies behind a place below the merged spec: those of the entry that it is, or of the
  /// entry around it (`simple_merge` takes `required.nodeSelectors` whole, so a key in it has its
  /// sources). None where no entry is.
  [[nodiscard]] std::vector<std::string> sources_of(const FieldPath& place) const;

 private:
  friend class Insides;
  struct Impl;

  Shared<Impl> impl_;  ///< none where no policy says anything
};

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/merge.hpp

/// How several usable policies become one set of rules. Policies count in byte order of their
/// names, so the order in which they are given does not matter, nor does giving one twice.
///
/// 1. `smart_deep_merge`: `required` and `default` are first-seen-wins per sub-key (a name list
///    or a toleration list is one; node selectors per key; affinities per kind, then per mode: a
///    kind given as `any` has no modes of its own, so later ones join it; a mode, even `any`, is
///    one). `allowed` is additive at every level; "any" absorbs the rest at the level where it
///    stands; order of first sight, no duplicates.
/// 2. `first_seen_wins`: the first policy, alone.
/// 3. `simple_merge`: first-seen-wins per second-level entry (`required.nodeSelectors`, ...).
///
/// Fields that `validate` refuses for being empty (any of `required`, any of `default`) are taken
/// as absent, so they never hide another policy's. What lists nothing is taken as absent too, and
/// never becomes "any". Source: the SchedulingPolicy proposal, "Multiple SchedulingPolicies
/// considerations".

namespace schedpol::scheduling_policy {

enum class MergeStrategy { smart_deep_merge, first_seen_wins, simple_merge };

/// `SmartDeepMerge`, `FirstSeenWins`, `SimpleMerge`.
[[nodiscard]] constexpr std::string_view to_string(MergeStrategy strategy) noexcept {
  switch (strategy) {
    case MergeStrategy::smart_deep_merge: return "SmartDeepMerge";
    case MergeStrategy::first_seen_wins: return "FirstSeenWins";
    case MergeStrategy::simple_merge: return "SimpleMerge";
  }
  return "";
}

/// The rules of all `policies` together, in a form made for lookup. Of no policies at all, the
/// result denies everything (`NoUsablePolicy`). Two equal policies of one name count once; two
/// different ones make a result that denies everything (`AmbiguousPolicy`), whatever the strategy,
/// because whichever were picked, the other's requirements would be lost. Takes n log n in the size
/// of the policies.
[[nodiscard]] EffectivePolicy merge(std::span<const SchedulingPolicy> policies,
                                    MergeStrategy strategy = MergeStrategy::smart_deep_merge);

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/options.hpp

/// What the caller of `apply_defaults`, `check` and `admit` decides: how strictly required node
/// affinity is read, and what counts as the cluster's doing rather than the user's wish.

namespace schedpol::scheduling_policy {

/// How required node affinity terms have to hold.
enum class RequiredAffinity {
  every_term,  ///< in every term of the pod, because Kubernetes ORs them
  present,     ///< in one term of the pod: the literal reading of the proposal
};

[[nodiscard]] constexpr std::string_view to_string(RequiredAffinity required) noexcept {
  return required == RequiredAffinity::every_term ? "EveryTerm" : "Present";
}

/// What becomes of a pod that names its node.
enum class NodeName {
  require_any_scheduler,  ///< allowed only where `allowed.schedulerNames` is any
  ignore,                 ///< not looked at
};

[[nodiscard]] constexpr std::string_view to_string(NodeName node_name) noexcept {
  return node_name == NodeName::require_any_scheduler ? "RequireAnyScheduler" : "Ignore";
}

struct Options {
  RequiredAffinity required_affinity = RequiredAffinity::every_term;
  NodeName node_name = NodeName::require_any_scheduler;
  DefaultScheduler default_scheduler = DefaultScheduler::specified;

  /// Tolerations that the cluster adds by itself: neither checked, nor counted as specified, nor
  /// able to meet a requirement.
  std::vector<Toleration> exempt_tolerations{};

  /// Pairs of the node selector that the cluster adds by itself: the same, and no default replaces
  /// one.
  Labels exempt_node_selector{};

  /// The priority class that the API server gives to pods without one; taken as none, unless the
  /// policy's own default is that class. Empty: there is none.
  std::string global_default_priority_class{};

  friend bool operator==(const Options&, const Options&) = default;
};

/// The tolerations that the DefaultTolerationSeconds admission plugin adds to every pod: not-ready
/// and unreachable nodes, NoExecute, for `seconds` (the API server's own default is 300).
[[nodiscard]] std::vector<Toleration> default_toleration_seconds(std::int64_t seconds = 300);

/// The tolerations that the DaemonSet controller adds to its pods, that for pods on the host
/// network included.
[[nodiscard]] std::vector<Toleration> daemon_set_tolerations();

/// The options with these tolerations and node selector pairs exempt as well: one of the presets
/// above, or what the RuntimeClass of a pod adds to it (`scheduling.tolerations`,
/// `scheduling.nodeSelector`).
[[nodiscard]] Options exempt(Options options, std::span<const Toleration> tolerations,
                             const Labels& node_selector = {});

}  // namespace schedpol::scheduling_policy

// schedpol/engine/system.hpp

/// The systems that decide on pods, side by side: what they are called, how strictly each of them
/// is taken, the objects they are made of, and what they have to be told besides. What each of them
/// does is said in the headers of its own folder.
///
/// This header, with the rows of `impl/systems.ipp`, is the one place that knows the systems one by
/// one. A new one is an enumerator here, its objects in `Objects` and `for_each_list`, what it has
/// to be told in `Settings`, and a row there.

namespace schedpol::engine {

enum class System {
  runtime_class,
  metadata_policy,
  pod_scheduling_policy,
  scheduling_policy,
  resource_policy,  ///< denies a pod that more than one ResourcePolicy selects: no node takes it
};

/// All of them, in the order of the enumeration.
inline constexpr System all_systems[] = {System::runtime_class, System::metadata_policy,
                                         System::pod_scheduling_policy, System::scheduling_policy,
                                         System::resource_policy};

/// The kind of its objects: `RuntimeClass`, `MetadataPolicy`, ...
[[nodiscard]] std::string_view to_string(System system) noexcept;

/// What the system is called in audit annotations: `runtime-class`. The API server puts the
/// webhook's name in front, which makes it a label key.
[[nodiscard]] std::string_view audit_key(System system) noexcept;

/// What the word of a system counts for.
enum class Mode {
  enforce,  ///< it changes and denies
  warn,     ///< it only tells the user what it would have denied
  audit,    ///< it only tells the audit log what it would have denied or changed
};

[[nodiscard]] constexpr std::string_view to_string(Mode mode) noexcept {
  switch (mode) {
    case Mode::enforce: return "Enforce";
    case Mode::warn: return "Warn";
    case Mode::audit: return "Audit";
  }
  return "";
}

/// One system that runs.
struct Step {
  System system = System::runtime_class;
  Mode mode = Mode::enforce;

  friend bool operator==(const Step&, const Step&) = default;
};

/// What a cluster has of the objects that the systems are made of, each kind in any order.
struct Objects {
  std::vector<runtime_class::RuntimeClass> runtime_classes{};
  std::vector<metadata_policy::MetadataPolicy> metadata_policies{};
  std::vector<pod_scheduling_policy::PodSchedulingPolicy> pod_scheduling_policies{};
  std::vector<scheduling_policy::SchedulingPolicy> scheduling_policies{};
  std::vector<resource_policy::ResourcePolicy> resource_policies{};
  rbac::Rbac rbac{};
  std::vector<ObjectMeta> namespaces{};  ///< for the selectors of namespaces

  friend bool operator==(const Objects&, const Objects&) = default;
};

/// Where the objects of a kind stand.
enum class Scope { cluster, namespace_ };

/// A kind of object, as Kubernetes names it.
struct ObjectKind {
  std::string_view name;
  Scope scope = Scope::cluster;
};

/// The kinds that may stand in a list: one, or those that the objects tell apart by their `kind`.
using ObjectKinds = std::initializer_list<ObjectKind>;

/// Calls `f(list, kinds)` for each list of `objects` but the namespaces, in their order.
template <class Lists, class F>
void for_each_list(Lists& objects, F&& f) {
  constexpr Scope in_cluster = Scope::cluster;
  constexpr Scope in_namespace = Scope::namespace_;
  f(objects.runtime_classes, ObjectKinds{{"RuntimeClass", in_cluster}});
  f(objects.metadata_policies, ObjectKinds{{"MetadataPolicy", in_namespace}});
  f(objects.pod_scheduling_policies,
    ObjectKinds{{"PodSchedulingPolicy", in_namespace}, {"ClusterPodSchedulingPolicy", in_cluster}});
  f(objects.scheduling_policies, ObjectKinds{{"SchedulingPolicy", in_cluster}});
  f(objects.resource_policies, ObjectKinds{{"ResourcePolicy", in_namespace}});
  f(objects.rbac.roles, ObjectKinds{{"Role", in_namespace}});
  f(objects.rbac.cluster_roles, ObjectKinds{{"ClusterRole", in_cluster}});
  f(objects.rbac.role_bindings, ObjectKinds{{"RoleBinding", in_namespace}});
  f(objects.rbac.cluster_role_bindings, ObjectKinds{{"ClusterRoleBinding", in_cluster}});
}

/// Which SchedulingPolicies a pod is judged by.
enum class PolicyUse {
  rbac,   ///< those that its service account may use
  every,  ///< all of them
};

[[nodiscard]] constexpr std::string_view to_string(PolicyUse use) noexcept {
  return use == PolicyUse::rbac ? "Rbac" : "Every";
}

/// The options of SchedulingPolicy for pods that come from the API server, which has filled in the
/// scheduler's name and the tolerations of DefaultTolerationSeconds before a webhook sees them:
/// `default-scheduler` counts as unspecified, and those tolerations are exempt besides the ones
/// that `options` list.
[[nodiscard]] scheduling_policy::Options admission_options(scheduling_policy::Options options = {});

/// What the systems have to be told besides their objects.
struct Settings {
  PolicyUse policy_use = PolicyUse::rbac;
  rbac::Access access{};  ///< what a rule has to grant for a policy to be usable
  scheduling_policy::MergeStrategy strategy = scheduling_policy::MergeStrategy::smart_deep_merge;
  /// `default_scheduler` of these holds for PodSchedulingPolicy too.
  scheduling_policy::Options options = admission_options();

  friend bool operator==(const Settings&, const Settings&) = default;
};

/// The rules by which the pods of one service account are judged.
using EffectivePolicy = scheduling_policy::EffectivePolicy;

}  // namespace schedpol::engine

// schedpol/engine/configuration.hpp

/// Configuration: what an Engine is compiled from. Which systems run, in which order and how
/// strictly, and what a cluster has of the objects they are made of.
///
/// 1. At least one system runs, and each at most once. One that is not listed has no say; its
///    objects still have to be right.
/// 2. An object is told by its kind, its namespace (where the kind has one) and its name. No two
/// are
///    called the same.
/// 3. A namespaced object without a namespace is an error: it would silently apply nowhere.
/// 4. Every object is what its system's `validate` finds nothing wrong with.

namespace schedpol::engine {

struct Configuration {
  std::vector<Step> systems{};
  Objects objects{};
  Settings settings{};

  friend bool operator==(const Configuration&, const Configuration&) = default;
};

/// Everything that is wrong with a configuration, by the rules above; none when it is well formed.
/// A path begins with the object: `SchedulingPolicy[gpu].spec.required.schedulerNames`,
/// `Role[shop/reader].metadata.name`. Takes n log n in the number of objects.
[[nodiscard]] std::vector<FieldError> validate(const Configuration& configuration);

}  // namespace schedpol::engine

// schedpol/engine/engine.hpp

/// Engine: all that a cluster's admission of pods depends on, compiled once and asked from any
/// number of threads. It decides on pods and on the pod templates of workloads.
///
/// 1. A created pod goes through the systems in their order. What one of them changes the next one
///    sees, and the first denial ends it, with the pod as it came.
/// 2. A system in mode `warn` or `audit` neither denies nor changes anything: it says what it would
///    have done.
/// 3. An updated pod is never changed. It is denied for what the update adds: violations that the
///    old pod did not have.
/// 4. After all mutators ran (`Phase::validating`) a created pod is judged as it stands, and not
///    changed: SchedulingPolicy checks it without giving defaults, and what its RuntimeClass adds
///    has to be in place. MetadataPolicy has decided on the object as it came, and
///    PodSchedulingPolicy denies nothing.
/// 5. A RuntimeClass decides on pod templates but changes only pods: an overhead written into a
///    template would deny its pods on the day the class gets another one.
/// 6. What the pod's RuntimeClass adds is exempt from SchedulingPolicy.
/// 7. Asked twice, nothing more: what the systems make of a created object has to stand before all
///    of them, so they are asked about it again until nothing changes. The answer to the object
///    that an answer makes is "allowed, unchanged", whatever their order. Only rules of
///    MetadataPolicies that undo one another never come to rest; then eight rounds are enough.
/// 8. Tolerations are a set: where the systems together would only reorder those that the object
///    came with, they stay as they came.
/// 9. A pod in a namespace whose labels a policy asks for and that is not known is denied
///    (`NamespaceNotFound`).
///
/// Source: the systems' own headers; Kubernetes' rules for mutating and validating webhooks.

namespace schedpol::engine {

/// What happens to the object. Nothing else is decided on.
enum class Operation { create, update };

/// Which webhook asks.
enum class Phase {
  mutating,    ///< a created object is changed
  validating,  ///< all mutators ran: it is decided on as it stands
};

/// One question. `namespace_` of the object's metadata tells which policies apply.
struct Request {
  Operation operation = Operation::create;
  Pod object{};
  Pod old{};  ///< of an update: the object as it was, of the same kind
  Phase phase = Phase::mutating;
  /// What the changes of created objects say. Where they are not shown to anybody, leaving the
  /// values out is the faster.
  ChangeValues values = ChangeValues::shown;

  friend bool operator==(const Request&, const Request&) = default;
};

/// What one system said. In mode `enforce`, either the violations for which the pod is denied or
/// the changes it made; otherwise what they would have been.
struct StepDecision {
  Step step{};
  std::vector<Violation> violations{};
  std::vector<Change> changes{};

  friend bool operator==(const StepDecision&, const StepDecision&) = default;
};

/// What became of a pod. Default-constructed it is a denial. Denied: the pod as it came; the last
/// of `steps` says why. Allowed: the pod with the changes of all systems that enforce.
struct Decision {
  bool allowed = false;
  Pod pod{};
  std::vector<StepDecision> steps{};

  friend bool operator==(const Decision&, const Decision&) = default;
};

class Engine {
 public:
  /// Nothing is configured: denies everything, with no steps to say why.
  Engine() = default;

  [[nodiscard]] Decision decide(const Request& request) const;

  /// The same, without copying what no system that runs can change. Of a created object `request`
  /// keeps what may have changed as it came, to be compared: `object.spec`, and `object.metadata`
  /// where `looks_at_metadata` is true. The rest of its object is gone.
  [[nodiscard]] Decision decide(Request&& request) const;

  /// Whether a system has a say.
  [[nodiscard]] bool runs(System system) const noexcept;

  /// Whether a system that runs looks at annotations and containers, and may change metadata. Where
  /// none does, a request need not have them.
  [[nodiscard]] bool looks_at_metadata() const noexcept;

  /// The rules of SchedulingPolicy by which pods of this one's service account are judged.
  [[nodiscard]] EffectivePolicy effective_policy(const Pod& pod) const;

 private:
  friend Result<Engine> compile(const Configuration& configuration);
  struct Impl;

  Shared<Impl> impl_;
};

/// Compiles an engine, or reports everything that is wrong (`validate`).
[[nodiscard]] Result<Engine> compile(const Configuration& configuration);

}  // namespace schedpol::engine

// schedpol/metadata_policy/compile.hpp

/// MetadataPolicies made for being asked: selectors compiled, the rules of each namespace in the
/// order in which they apply.

namespace schedpol::metadata_policy {

struct MetadataAdmission;

/// Rules that `admit` and `choose_scheduler` ask. Immutable, cheap to copy, and safe to share
/// between threads. Default-constructed it was compiled of nothing, not even of no policies, and
/// every object is rejected.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

 private:
  friend Result<CompiledPolicies> compile(std::span<const MetadataPolicy>);
  friend MetadataAdmission admit(ObjectMeta, const CompiledPolicies&, const FieldPath&);
  struct Impl;

  Shared<Impl> impl_;
};

/// Compiles the policies, or reports every selector that cannot be used, naming its policy: nothing
/// is evaluated then. Paths begin with `policies[i]`. Two policies of one name and namespace are an
/// error at `policies`.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const MetadataPolicy> policies);

}  // namespace schedpol::metadata_policy

// schedpol/metadata_policy/metadata_admission.hpp

/// What MetadataPolicies do to the metadata of an object, whatever its kind:
///
/// 1. The policies of the object's namespace apply, all of them.
/// 2. A rule matches when its labelSelector and its annotationSelector do; an absent one is no
///    criterion. Predicates see the object as it came.
/// 3. When any matching rule rejects, the object is rejected without being mutated, and every
///    rejecting rule is named.
/// 4. Otherwise all matching rules apply, in the order of policy name and rule index; of two
///    writes to one key the later counts, and writes that disagree are reported.
///
/// Source: the MetadataPolicy proposal.

namespace schedpol::metadata_policy {

/// A rule, told by its policy and its index in it.
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

/// One key that rules wrote different values to; the last write is what counts.
struct Conflict {
  FieldPath field{};
  std::vector<Write> writes{};

  friend bool operator==(const Conflict&, const Conflict&) = default;
};

/// What became of an object's metadata. Default-constructed it is a rejection. Rejected, or with
/// `errors`: the metadata as it came, and no changes.
struct MetadataAdmission {
  bool allowed = false;
  ObjectMeta metadata{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};  ///< why the policies cannot be evaluated

  friend bool operator==(const MetadataAdmission&, const MetadataAdmission&) = default;
};

/// The decision on an object with this metadata. `field` is where it stands in its document.
[[nodiscard]] MetadataAdmission admit(ObjectMeta metadata, const CompiledPolicies& policies,
                                      const FieldPath& field = {"metadata"});

/// The same, of policies that are compiled first; rejected with `errors` when they cannot be.
[[nodiscard]] MetadataAdmission admit(ObjectMeta metadata,
                                      std::span<const MetadataPolicy> policies);

}  // namespace schedpol::metadata_policy

// schedpol/metadata_policy/admit.hpp

/// What MetadataPolicies decide on a pod, or the pod template of a workload: `choose_scheduler` as
/// an admission, to be chained with those of other systems. Of other objects the metadata alone is
/// decided on, in `metadata_admission.hpp`.

namespace schedpol::metadata_policy {

/// Denied with one `RejectedByRule` a rejecting rule, or with `InvalidPolicy` where nothing was
/// compiled; otherwise the pod with what the rules wrote and its scheduler.
[[nodiscard]] Admission admit(const Pod& pod, const CompiledPolicies& policies);

/// The same, of policies that are compiled first; denied with one `InvalidPolicy` an error when
/// they cannot be. Each names the policy with the selector, and all of them where two have one
/// name.
[[nodiscard]] Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies);

}  // namespace schedpol::metadata_policy

// schedpol/metadata_policy/scheduler.hpp

/// What MetadataPolicies were made for: choosing the scheduler of a pod by its quality of service.
/// The quality of service is written to an annotation, rules turn it into another annotation that
/// names the scheduler, and that becomes `spec.schedulerName`. Source: the MetadataPolicy proposal.

namespace schedpol::metadata_policy {

/// Where a pod's quality of service is written for rules to see.
inline constexpr std::string_view qos_annotation = "scheduler.alpha.kubernetes.io/qos";

/// Where rules write the scheduler of a pod.
inline constexpr std::string_view scheduler_name_annotation = "scheduler.alpha.kubernetes.io/name";

/// The pod with its quality of service in `qos_annotation`, over what stood there.
[[nodiscard]] Pod annotate_qos(Pod pod);

/// The pod with the scheduler that `scheduler_name_annotation` names; unchanged where it names
/// none.
[[nodiscard]] Pod resolve_scheduler(Pod pod);

/// What became of a pod. Default-constructed it is a rejection. Rejected, or with `errors`: the pod
/// as it came, and no changes.
struct SchedulerChoice {
  bool allowed = false;
  Pod pod{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};  ///< why the policies cannot be evaluated

  friend bool operator==(const SchedulerChoice&, const SchedulerChoice&) = default;
};

/// `annotate_qos`, then the rules, then `resolve_scheduler`. The change of the scheduler names the
/// policy whose rule wrote the annotation, and none where the pod brought it.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod, const CompiledPolicies& policies);

/// The same, of policies that are compiled first; with `errors` when they cannot be.
[[nodiscard]] SchedulerChoice choose_scheduler(const Pod& pod,
                                               std::span<const MetadataPolicy> policies);

}  // namespace schedpol::metadata_policy

// schedpol/metadata_policy/validate.hpp

/// What is wrong with a MetadataPolicy, beyond what its types already rule out.

namespace schedpol::metadata_policy {

/// Its name, its selectors, the labels and the keys of the annotations it writes, and a rule that
/// rejects and updates. None when it is well formed.
[[nodiscard]] std::vector<FieldError> validate(const MetadataPolicy& policy);

}  // namespace schedpol::metadata_policy

// schedpol/pod_scheduling_policy/compile.hpp

/// PodSchedulingPolicies made for injecting, and which of them apply to a pod:
///
/// 1. A policy applies when its podSelector matches the pod's (the template's) labels; the cluster
///    kind also needs its namespaceSelector to match the namespace's, the namespaced kind only
///    applies in its own namespace. An absent selector selects nothing, `{}` everything.
/// 2. Policies apply in byte order of their names (equal names: cluster first), each onto the
///    result of the one before, whatever order they were given in.
///
/// Source: the kupid README and webhook.

namespace schedpol::pod_scheduling_policy {

struct Injection;

/// Policies with their selectors compiled, in the order in which they apply. Cheap to copy, and
/// asked from any number of threads. Default-constructed it fails closed: nobody said which
/// policies there are, so every pod is denied.
class CompiledPolicies {
 public:
  CompiledPolicies() = default;

  /// Whether a pod with these labels cannot be injected without knowing the labels of its
  /// namespace: a policy of the cluster kind selects it, and not in every namespace.
  [[nodiscard]] bool needs_namespace(const Labels& labels) const noexcept;

 private:
  friend Result<CompiledPolicies> compile(std::span<const PodSchedulingPolicy>);
  friend Injection inject(Pod, const ObjectMeta&, const CompiledPolicies&, DefaultScheduler,
                          ChangeValues);

  struct Impl;
  Shared<Impl> impl_;
};

/// Builds the policies, or reports every selector that cannot be used, naming its policy: nothing
/// is injected then. Paths begin with `policies[i]`. Two policies of one kind, name and namespace
/// are an error, because which came first would matter.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const PodSchedulingPolicy> policies);

}  // namespace schedpol::pod_scheduling_policy

// schedpol/pod_scheduling_policy/inject.hpp

/// How the policies that apply to a pod, or to the pod template of a workload, are merged into it.
/// The pod's own criteria win; what does not conflict is merged in:
///
/// 1. nodeName, schedulerName: where the pod has none. nodeSelector: keys that it has not.
/// 2. Tolerations, preferred terms, pod affinity and anti-affinity terms: those that it does not
///    have yet, after its own.
/// 3. Required node selector terms: where one side has none, the other's. Otherwise every term of
///    the pod with every term of the policy, the policy's expressions first, each only once. A term
///    of the pod that holds all expressions of some term of the policy stays as it is, so injecting
///    twice changes nothing. An empty term matches no node and is left out; where nothing remains,
///    one empty term stays.
///
/// Which policies apply, and in which order, is in `compile.hpp`. Source: the kupid README and
/// webhook, which however widens an empty term to all nodes.

namespace schedpol::pod_scheduling_policy {

/// A criterion of a policy that conflicts with what the pod has.
struct Skipped {
  std::string policy{};
  FieldPath field{};
  std::string reason{};

  friend bool operator==(const Skipped&, const Skipped&) = default;
};

/// What became of a pod. With `errors` the pod came back as it was, and `applied` names the policy
/// that could not be.
struct Injection {
  Pod pod{};
  std::vector<std::string> applied{};  ///< the policies that selected the pod, in their order
  std::vector<Skipped> skipped{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};

  friend bool operator==(const Injection&, const Injection&) = default;
};

/// The pod, or pod template, with everything that the policies which select it inject. `in` is the
/// metadata of its namespace. Where `default-scheduler` counts as unspecified, the first policy
/// that names a scheduler replaces it. A policy that would give the pod more than
/// `max_node_selector_terms` required terms, other than those it brought, is an error.
[[nodiscard]] Injection inject(Pod pod, const ObjectMeta& in, const CompiledPolicies& policies,
                               DefaultScheduler default_scheduler = DefaultScheduler::specified,
                               ChangeValues values = ChangeValues::shown);

/// The same of policies that are compiled first; where they cannot be, the pod comes back as it
/// was, with the errors.
[[nodiscard]] Injection inject(Pod pod, const ObjectMeta& in,
                               std::span<const PodSchedulingPolicy> policies);

}  // namespace schedpol::pod_scheduling_policy

// schedpol/pod_scheduling_policy/admit.hpp

/// An injection as an admission, to be chained with those of other systems: allowed with its
/// changes, or denied with `InvalidPolicy` where a policy cannot be evaluated or makes too many
/// node selector terms. What is skipped as conflicting denies nothing.

namespace schedpol::pod_scheduling_policy {

/// The pod with what the policies inject, as `inject` does it.
[[nodiscard]] Admission admit(Pod pod, const ObjectMeta& in, const CompiledPolicies& policies,
                              DefaultScheduler default_scheduler = DefaultScheduler::specified);

/// The same of policies that are compiled first; denied with one `InvalidPolicy` an error when they
/// cannot be, each naming the policy that it is of.
[[nodiscard]] Admission admit(Pod pod, const ObjectMeta& in,
                              std::span<const PodSchedulingPolicy> policies);

/// What an injection comes to: one `InvalidPolicy` an error, otherwise allowed. It knows the pod
/// only as it is now; to be chained, the admission needs the pod as it came, in `before`.
[[nodiscard]] Admission to_admission(Injection injection);

}  // namespace schedpol::pod_scheduling_policy

// schedpol/pod_scheduling_policy/validate.hpp

/// What is wrong with a PodSchedulingPolicy, found when it is written rather than when the first
/// pod comes by: what it injects has to be what the API server takes in a pod. Source: the
/// validation of pods, in the Kubernetes API server.

namespace schedpol::pod_scheduling_policy {

/// What is wrong with a policy: its name, its selectors, and criteria that the API server would
/// refuse in the pods they are injected into; a namespaceSelector in the namespaced kind.
[[nodiscard]] std::vector<FieldError> validate(const PodSchedulingPolicy& policy);

}  // namespace schedpol::pod_scheduling_policy

// schedpol/rbac/builtin.hpp

/// The RBAC objects that the SchedulingPolicy proposal provisions in every cluster, as values:
/// anybody may use the policy `restricted`, and the service accounts of kube-system the policy
/// `privileged`. They are marked as the API server marks those that it keeps up to date by itself.
/// Source: the SchedulingPolicy proposal, "RBAC".

namespace schedpol::rbac {

/// `sp:restricted`: may use the policy `restricted`.
[[nodiscard]] ClusterRole restricted_cluster_role();

/// `sp:privileged`: may use the policy `privileged`.
[[nodiscard]] ClusterRole privileged_cluster_role();

/// `sp:restricted`: everybody who is authenticated has the role `sp:restricted`.
[[nodiscard]] ClusterRoleBinding restricted_cluster_role_binding();

/// `sp:kube-system-privileged`: the service accounts of kube-system have the role `sp:privileged`
/// there.
[[nodiscard]] RoleBinding kube_system_privileged_role_binding();

/// All of them.
[[nodiscard]] Rbac builtin();

}  // namespace schedpol::rbac

// schedpol/resource_policy/compile.hpp

/// ResourcePolicies made for matching. A policy selects the pods of its own namespace whose labels
/// its podSelector matches; a pod is placed by the one policy that selects it. Source: the Resource
/// Policy proposal, "CRD API".

namespace schedpol::resource_policy {

/// Policies with their selectors compiled. Cheap to copy, and asked from any number of threads.
/// Default-constructed it fails closed: nobody said which policies there are, so no pod is admitted
/// and none can be placed.
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

/// Builds the policies, or reports every unknown strategy and every selector that cannot be used,
/// naming its policy: nothing is evaluated then. Paths begin with `policies[i]`.
[[nodiscard]] Result<CompiledPolicies> compile(std::span<const ResourcePolicy> policies);

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/admit.hpp

/// What ResourcePolicies have to say when a pod is created: a pod that more than one of them
/// selects is denied with `MultipleResourcePolicies`, because the prefilter would turn it away from
/// every node. They change nothing. Source: the Resource Policy proposal, "PreFilter".

namespace schedpol::resource_policy {

/// Allowed unless several policies select the pod, or the pods of the template; the violation, at
/// its labels, names all of them in the order in which they were given.
[[nodiscard]] Admission admit(Pod pod, const CompiledPolicies& policies);

/// The same of policies that are compiled first; denied with one `InvalidPolicy` an error when they
/// cannot be, each naming the policy that it is of.
[[nodiscard]] Admission admit(Pod pod, std::span<const ResourcePolicy> policies);

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/score.hpp

/// How much a node is preferred: 20 times the priority of its best unit, so that a node without
/// priority is not far from one that has a small one, -20 outside all units; then normalised over
/// the feasible nodes to 0..100. Source: the Resource Policy proposal, "Score".

namespace schedpol::resource_policy {

/// The score of a node before normalisation.
inline constexpr std::int64_t score_per_priority = 20;
inline constexpr std::int64_t score_outside_units = -20;

/// Raw scores to 0..100 between the lowest and the highest, rounded down; all equal: 100. Any
/// scores may be given.
[[nodiscard]] std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores);

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/cluster.hpp

/// What ResourcePolicies decide about a pod and the nodes of a cluster:
///
/// 1. Prefilter: the one policy of the pod's namespace that selects it. None: skip. Several: the
///    pod cannot be scheduled (`MultipleResourcePolicies`).
/// 2. Count, per unit: the other pods that the policy selects, bound to a node of the unit, not
///    Succeeded or Failed, not terminating where the policy ignores those, and with the pod's value
///    of each match label key that the pod has.
/// 3. Filter: a node in a full unit is `UnitFull`, so no count ever exceeds its maximum,
///    overlapping units included; a node in no unit is fine under `prefer`, `NodeNotInUnit`
///    otherwise.
/// 4. Score: 20 times the priority of the node's best unit (highest priority, then first), -20
///    outside all units; `normalise` brings those of the feasible nodes to 0..100.
/// 5. Deletion cost of a bound pod that exactly one policy matches: 20 times the highest priority
///    of its node's units, within int32, -20 outside all.
///
/// A Cluster takes in nodes and pods once, in one scan; then every question and every bind and
/// unbind depends on the number of units, not of pods. Source: the Resource Policy proposal,
/// "Implementation Details".

namespace schedpol::resource_policy {

/// As the scheduler framework's status codes.
enum class Code { success, skip, unschedulable, unschedulable_and_unresolvable };

[[nodiscard]] constexpr std::string_view to_string(Code code) noexcept {
  switch (code) {
    case Code::success: return "Success";
    case Code::skip: return "Skip";
    case Code::unschedulable: return "Unschedulable";
    case Code::unschedulable_and_unresolvable: return "UnschedulableAndUnresolvable";
  }
  return "";
}

enum class Reason { none, multiple_resource_policies, unit_full, node_not_in_unit };

[[nodiscard]] constexpr std::string_view to_string(Reason reason) noexcept {
  switch (reason) {
    case Reason::none: return "";
    case Reason::multiple_resource_policies: return "MultipleResourcePolicies";
    case Reason::unit_full: return "UnitFull";
    case Reason::node_not_in_unit: return "NodeNotInUnit";
  }
  return "";
}

/// What is decided of a pod and one node. `unit` is the node's best unit, absent outside all.
struct Filter {
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::optional<std::size_t> unit{};

  friend bool operator==(const Filter&, const Filter&) = default;
};

class Prefilter;

/// The nodes and bound pods of a cluster, as ResourcePolicies see them: a value, whose copies go
/// their own ways. One that was moved from, or whose policies were never compiled, has no nodes and
/// can place no pod.
class Cluster {
 public:
  /// Of two nodes of one name the later counts, as does the later of two pods of one namespace and
  /// name.
  Cluster(CompiledPolicies policies, std::span<const Node> nodes, std::span<const Pod> pods);

  Cluster(const Cluster& other);
  Cluster(Cluster&& other) noexcept;
  Cluster& operator=(Cluster other) noexcept;
  ~Cluster();

  /// What is known of a pod before nodes are looked at, which they are then asked about one by one.
  [[nodiscard]] Prefilter prefilter(const Pod& pod) const&;
  Prefilter prefilter(const Pod& pod) const&& = delete;  // it would outlive its cluster

  /// Counts a pod as running on a node; a pod of the same namespace and name that was bound before
  /// is unbound first. Nothing is counted for a node that is not in the cluster, or a pod that is
  /// over.
  void bind(const Pod& pod, std::string_view node);

  /// No longer counts a pod; nothing happens when it is not bound.
  void unbind(std::string_view namespace_, std::string_view name);

  /// The value of the annotation `controller.kubernetes.io/pod-deletion-cost`: pods of lower cost
  /// are deleted first. None for a pod that is not bound, is over, or is matched by no or several
  /// policies.
  [[nodiscard]] std::optional<std::int32_t> deletion_cost(std::string_view namespace_,
                                                          std::string_view name) const;

 private:
  friend class Prefilter;

  struct Impl;
  Impl* impl_ = nullptr;  ///< its own
};

/// What is known of one pod in one cluster, and the way to ask about the nodes of that cluster. It
/// holds until the cluster changes: what it has counted may then be wrong, so after a bind or an
/// unbind it lets the pod onto no node. It must not be used when its cluster is gone: destroyed,
/// assigned to or moved from. Default-constructed and moved from it denies.
class Prefilter {
 public:
  Prefilter() = default;

  /// `success`: one policy selects the pod. `skip`: none does, and the pod may run on any node.
  [[nodiscard]] Code code() const noexcept { return code_; }
  [[nodiscard]] Reason reason() const noexcept { return reason_; }

  /// The name of the one policy, empty where there is none; valid as long as the cluster is.
  [[nodiscard]] std::string_view policy() const noexcept;

  /// Per unit of that policy, how many pods count against its maximum.
  [[nodiscard]] const std::vector<std::int64_t>& counts() const& noexcept { return counts_; }
  [[nodiscard]] std::vector<std::int64_t> counts() && { return counts_; }

  /// Whether a node can take the pod. Where there is not one policy, as `code` says, the same for
  /// every node. A node that is not in the cluster is in no unit.
  [[nodiscard]] Filter filter(std::string_view node) const noexcept;

  /// The raw score of a node of which `filter` says that it can take the pod.
  [[nodiscard]] std::int64_t score(const Filter& filter) const noexcept;

 private:
  friend class Cluster;

  Code code_ = Code::unschedulable_and_unresolvable;
  Reason reason_ = Reason::none;
  const Cluster::Impl* cluster_ = nullptr;
  std::uint64_t changes_ = 0;  ///< of the cluster, when the pods were counted
  std::size_t policy_ = 0;
  std::vector<std::int64_t> counts_;
};

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/plan.hpp

/// Where the replicas of a workload would go one after another under its ResourcePolicy, and in
/// which order they would be scaled down again. Only the policy decides: capacity, taints and
/// affinities are left to whoever asks.

namespace schedpol::resource_policy {

/// Where one replica goes. Without `success` it goes nowhere: `UnitFull` where room in a full unit
/// would have helped, otherwise why no node is fit.
struct Placement {
  std::string pod{};
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::string node{};
  std::optional<std::size_t> unit{};  ///< absent outside all units
  std::int32_t deletion_cost = 0;

  friend bool operator==(const Placement&, const Placement&) = default;
};

struct Plan {
  std::vector<Placement> placements{};
  std::vector<std::string> scale_down{};  ///< placed replicas, the first to be deleted first

  friend bool operator==(const Plan&, const Plan&) = default;
};

/// Plans `replicas` of a pod, named after it with `-0`, `-1`, ..., on the nodes of `cluster`, which
/// is taken by value: the plan binds them there. Each goes to the feasible node of the highest
/// score, of equals to the one that has the fewest of them, then the first. Scaled down are those
/// of the lowest deletion cost first, of equals the latest.
[[nodiscard]] Plan plan(Cluster cluster, std::span<const Node> nodes, Pod pod,
                        std::size_t replicas);

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/validate.hpp

/// What is wrong with a ResourcePolicy, and what is legal in it but probably not meant. Whether two
/// units really share a node is only known of a cluster's nodes; here their selectors are compared
/// word for word.

namespace schedpol::resource_policy {

/// What `validate` finds: errors make a policy unfit, warnings are legal and probably not meant.
struct Validation {
  std::vector<FieldError> errors{};
  std::vector<FieldError> warnings{};

  friend bool operator==(const Validation&, const Validation&) = default;
};

/// Errors: the name, the strategy, selectors, label keys, a negative maxCount or priority.
/// Warnings: units of one name, and units of one selector, each at the later unit.
[[nodiscard]] Validation validate(const ResourcePolicy& policy);

}  // namespace schedpol::resource_policy

// schedpol/runtime_class/compile.hpp

/// The RuntimeClasses of a cluster, made for being asked by name. Names are unique in a cluster; of
/// two different classes of one name neither can be trusted, so the name is ambiguous and the pods
/// that ask for it are denied. One class given twice is one class.

namespace schedpol::runtime_class {

/// Classes by name. Immutable, cheap to copy, and safe to share between threads.
/// Default-constructed it knows no class, so that every pod that asks for one is denied.
class CompiledClasses {
 public:
  CompiledClasses() = default;

  /// The class of that name; null where there is none, or where the name is ambiguous. Valid as
  /// long as this or a copy of it lives. Logarithmic in the number of classes.
  [[nodiscard]] const RuntimeClass* find(std::string_view name) const& noexcept;
  const RuntimeClass* find(std::string_view) && = delete;

  /// Whether there are two different classes of that name.
  [[nodiscard]] bool is_ambiguous(std::string_view name) const noexcept;

 private:
  friend Result<CompiledClasses> compile(std::span<const RuntimeClass>);
  struct Impl;

  Shared<Impl> impl_;
};

/// Compiles the classes. What `validate` finds wrong with a class does not keep it from being used,
/// and an ambiguous name is answered to the pods that ask for it: there are no errors so far.
[[nodiscard]] Result<CompiledClasses> compile(std::span<const RuntimeClass> classes);

}  // namespace schedpol::runtime_class

// schedpol/runtime_class/admit.hpp

/// RuntimeClass scheduling: what a pod takes over from the class of its container runtime.
///
/// 1. A pod without `runtimeClassName` is left alone; one that names a class which does not exist
///    is denied for that alone.
/// 2. Overhead: set from the class. A pod that brings a different one is denied (quantities are
///    compared by value), and so is one that brings one where no class defines any.
/// 3. Node selector: the class's pairs are added; the same key with another value is a conflict.
/// 4. Tolerations, where the class has `scheduling`: the union of the pod's, first, and the
///    class's. They are a set: where the union adds and drops nothing, the pod's keep their order.
///
/// Source: the RuntimeClass scheduling proposal, and Kubernetes' RuntimeClass admission plugin.

namespace schedpol::runtime_class {

/// The whole decision on a pod; all violations are reported. Admitting the result again allows it
/// and changes nothing. An ambiguous name denies the pods that ask for it (`AmbiguousPolicy`).
/// Quadratic in the number of tolerations.
[[nodiscard]] Admission admit(Pod pod, const CompiledClasses& classes);

/// The same, of classes that are not compiled; only those of the pod's name are looked at.
[[nodiscard]] Admission admit(Pod pod, std::span<const RuntimeClass> classes);

}  // namespace schedpol::runtime_class

// schedpol/runtime_class/supports.hpp

/// Whether a node supports a RuntimeClass: it carries the labels of the class's node selector.
/// Taints are no part of it; the class's pods tolerate those that its tolerations name. Source: the
/// RuntimeClass scheduling proposal, "Labeling Nodes".

namespace schedpol::runtime_class {

/// Whether a node supports a class, and if not, which of the class's labels it lacks or has
/// otherwise.
struct Support {
  bool supported = false;
  Labels missing{};

  friend bool operator==(const Support&, const Support&) = default;
};

/// A class without a node selector is supported by every node.
[[nodiscard]] Support supports(const RuntimeClass& runtime_class, const Node& node);

}  // namespace schedpol::runtime_class

// schedpol/runtime_class/validate.hpp

/// What is wrong with a RuntimeClass, as the API server would find it when it is created. Source:
/// Kubernetes, `pkg/apis/node/validation`.

namespace schedpol::runtime_class {

/// Its name, its handler (a DNS label, required), a negative overhead, the labels of its node
/// selector, its tolerations. None when it is well formed.
[[nodiscard]] std::vector<FieldError> validate(const RuntimeClass& runtime_class);

}  // namespace schedpol::runtime_class

// schedpol/runtime_class/verify.hpp

/// Whether all that a pod took over from its RuntimeClass is still in place, after other mutators
/// ran: a validating webhook asks this of the final pod. It compares pod and class as `admit` does.

namespace schedpol::runtime_class {

/// What of its class the pod lacks; none means that all is in place. A pod without a class, or
/// whose class does not exist or is ambiguous, has the violations of `admit`. Otherwise another
/// overhead is `OverheadMismatch` (`OverheadWithoutRuntimeClass` where the class has none), a pair
/// of the selector that is gone or has another value `NodeSelectorRequired`, and a toleration that
/// none of the pod's covers `TolerationRequired`.
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, const CompiledClasses& classes);

/// The same, of classes that are not compiled; only those of the pod's name are looked at.
[[nodiscard]] std::vector<Violation> verify(const Pod& pod, std::span<const RuntimeClass> classes);

}  // namespace schedpol::runtime_class

// schedpol/scheduling_policy/admit.hpp

/// The whole decision of the SchedulingPolicy admission controller on a new pod: defaults first,
/// then the check of what came out. For updates there is `check_update`, which never defaults.

namespace schedpol::scheduling_policy {

/// Allowed: the pod with its defaults, and what they changed. Denied: the pod as it came, and every
/// violation that it has with its defaults. Admitting the result again allows it and changes
/// nothing.
[[nodiscard]] Admission admit(Pod pod, const EffectivePolicy& effective,
                              const Options& options = {});

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/builtin.hpp

/// The policies that the SchedulingPolicy proposal wants in every cluster, as values. The RBAC
/// objects that let pods use them are in `rbac/builtin.hpp`. Source: the SchedulingPolicy proposal,
/// "Default SchedulingPolicies".

namespace schedpol::scheduling_policy {

/// How the multi-architecture policies name architectures and operating systems.
enum class NodeLabels {
  current,   ///< `kubernetes.io/arch`, `kubernetes.io/os`, with values as nodes carry them: `linux`
  proposal,  ///< the proposal's letter, which no node carries: `beta.kubernetes.io/...`, `Linux`
};

/// `restricted`: only the default scheduler; no priority class, toleration, node selector or
/// affinity.
[[nodiscard]] SchedulingPolicy restricted();

/// `privileged`: all schedulers, priority classes, node selectors, tolerations and affinities.
[[nodiscard]] SchedulingPolicy privileged();

/// `restricted-multiarch-by-node-selector`: the default scheduler, and a node selector that picks
/// one architecture of amd64 and arm64 and one operating system of Linux and Windows; amd64 and
/// Linux by default.
[[nodiscard]] SchedulingPolicy restricted_multiarch_by_node_selector(
    NodeLabels labels = NodeLabels::current);

/// `restricted-multiarch-by-affinity`: the same by required node affinity.
[[nodiscard]] SchedulingPolicy restricted_multiarch_by_affinity(
    NodeLabels labels = NodeLabels::current);

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/check.hpp

/// Whether a pod, as it stands, is permitted by an effective policy, and if not, everything that is
/// wrong with it. Permitted is what `required`, `allowed` or `default` says: what is required is
/// allowed, and so is what a policy itself injects. The rules, in the order of the violations:
///
/// 1. Scheduler name (`default-scheduler` when the pod has none): one of the required, where any
///    are required; otherwise permitted.
/// 2. Node name: allowed only where `allowed.schedulerNames` is any.
/// 3. Priority class name: as the scheduler name; a pod without one breaks only a requirement.
/// 4. Node selector: each required key is there with a listed value; each other key of the pod is
///    permitted with its value.
/// 5. Tolerations: each equals a default, or matches an allowed or required pattern, or has no
///    effect and does so for each of the three effects. Then each required pattern is matched by
///    one.
/// 6. Affinity, per kind and mode: permitted whole (any, or equal to the default's), or every
///    expression (for pods: topology key) matches a pattern of the kind, mode and list. Then what
///    is required holds; required node affinity in every term of the pod, because Kubernetes ORs
///    them.
///
/// What the cluster fills in (`Options`) is left out before any rule looks. A toleration or
/// expression with an operator or effect that Kubernetes does not know, and an expression without
/// an operator, is never permitted. Source: the SchedulingPolicy proposal, "Detailed Design".

namespace schedpol::scheduling_policy {

/// Every violation of the pod, none when it is allowed. Allocates nothing when there is none, and
/// takes as long for ten thousand entries of a policy as for ten.
[[nodiscard]] std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                           const Options& options);

/// The same with the options as they are by default.
[[nodiscard]] std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective);

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/check_update.hpp

/// Whether an update of a pod or template is permitted. An update never defaults, and is denied
/// only for what it adds: a metadata edit of a running pod is not refused for a policy that came
/// later, while an added toleration is always checked.

namespace schedpol::scheduling_policy {

/// The violations of `updated` that `old` did not have; violations are told apart by code, field
/// without the indices of its lists, which an update may shift, and value. Without any usable
/// policy, or with an ambiguous one, that is the one violation of `check`, when the update asks for
/// anything that `old` did not.
[[nodiscard]] std::vector<Violation> check_update(const Pod& old, const Pod& updated,
                                                  const EffectivePolicy& effective,
                                                  const Options& options = {});

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/defaults.hpp

/// What a policy gives to pods that do not specify it themselves:
/// 1. the scheduler name, when the pod has none;
/// 2. the priority class name, when it has none; `priority` and `preemptionPolicy` are then
///    cleared, because the API server derives them from the class and refuses others;
/// 3. the node selector, key by key;
/// 4. the tolerations, when the pod has none but exempt ones: each default that it does not have;
/// 5. the affinity, kind by kind, where the pod has no terms of the kind.
///
/// Where required node affinity terms are listed and every term of the pod has to hold them, a
/// default of several required node terms is given as one term with all their expressions: as ORed
/// terms they would not meet the requirement they stand for. Source: the SchedulingPolicy proposal,
/// "default".

namespace schedpol::scheduling_policy {

/// A pod with its defaults, and what they changed.
struct Defaulted {
  Pod pod{};
  std::vector<Change> changes{};

  friend bool operator==(const Defaulted&, const Defaulted&) = default;
};

/// The pod with the defaults of `effective`; idempotent. A change names the first of the policies
/// that the default came from. An effective policy without defaults, the empty and the ambiguous
/// one included, changes nothing. Says nothing about whether the pod is allowed.
[[nodiscard]] Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                       const Options& options = {});

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/usable.hpp

/// Picks the policies that a pod may use out of all there are, before they are merged. RBAC answers
/// by name (`rbac::usable`); a caller that asks the API server instead passes what it asks with.

namespace schedpol::scheduling_policy {

/// The policies whose names are listed, in their order.
[[nodiscard]] std::vector<SchedulingPolicy> usable(std::span<const SchedulingPolicy> policies,
                                                   const std::vector<std::string>& names);

/// The policies for whose name `may_use` is true, in their order.
template <std::predicate<const std::string&> MayUse>
[[nodiscard]] std::vector<SchedulingPolicy> usable(std::span<const SchedulingPolicy> policies,
                                                   MayUse&& may_use) {
  std::vector<std::string> names;
  for (const SchedulingPolicy& policy : policies)
    if (may_use(policy.metadata.name)) names.push_back(policy.metadata.name);
  return usable(policies, names);
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/validate.hpp

/// What is wrong with a SchedulingPolicy, with the API server's error types and field paths:
/// 1. the name is missing or no DNS subdomain;
/// 2. a field of `required` is any, `default.tolerations` is empty, or the `values` of a default
///    toleration are any (the proposal calls these invalid; evaluation takes them as absent);
/// 3. a term pattern is `{}`, which permits nothing and is never satisfied;
/// 4. an operator or effect is outside its vocabulary, a name is listed empty or twice, a key or
///    value of a label breaks its syntax;
/// 5. a default toleration is one that the API server would refuse, or has both a value and values;
///    a default affinity likewise;
/// 6. a default would be refused by the policy's own requirement on scheduler or priority class.
/// Evaluation does not depend on this: a policy with errors still never permits more than it says.

namespace schedpol::scheduling_policy {

/// Every error of a policy; none means that a cluster should accept it.
[[nodiscard]] std::vector<FieldError> validate(const SchedulingPolicy& policy);

}  // namespace schedpol::scheduling_policy

// schedpol/schedpol.hpp

/// Everything of schedpol but JSON: value types and pure functions on the standard library alone.

#endif  // SCHEDPOL_SINGLE_INCLUDE

#if (!defined(SCHEDPOL_COMPILED) || defined(SCHEDPOL_IMPLEMENTATION)) && !defined(SCHEDPOL_SINGLE_INCLUDE_BODIES)
#define SCHEDPOL_SINGLE_INCLUDE_BODIES

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <charconv>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

// schedpol/impl/linkage.hpp

/// How the bodies in `impl/*.ipp` are defined. By default every header brings its bodies along, as
/// inline functions. With `SCHEDPOL_COMPILED` headers only declare, and one translation unit of the
/// program includes `<schedpol/impl/src.hpp>` (and `<schedpol/json/impl/src.hpp>`).

#if defined(SCHEDPOL_COMPILED)
#define SCHEDPOL_INLINE
#else
#define SCHEDPOL_INLINE inline
#endif

// schedpol/core/impl/admission.ipp

namespace schedpol {

SCHEDPOL_INLINE std::string message(const Violation& violation) {
  const std::string at = in_backticks(to_string(violation.field));
  const std::string value = violation.value.empty() ? "" : " " + in_backticks(violation.value);
  const std::string by =
      violation.policies.empty() ? "any policy" : in_backticks(violation.policies);
  const auto not_allowed = [&](std::string_view what) {
    return at + ": " + std::string(what) + value + " is not allowed by " + by;
  };
  switch (violation.code) {
    case ViolationCode::no_usable_policy:
      return at + ": no scheduling policy may be used for this pod";
    case ViolationCode::ambiguous_policy: return at + ": more than one policy is named " + by;
    case ViolationCode::scheduler_name_required:
      return at + ": scheduler" + value + " is not among those required by " + by;
    case ViolationCode::scheduler_name_not_allowed: return not_allowed("scheduler");
    case ViolationCode::node_name_not_allowed:
      return at + ": naming node" + value + " goes past every scheduler, which is not allowed by " +
             by;
    case ViolationCode::priority_class_name_required:
      return at + ": " + (value.empty() ? "no priority class" : "priority class" + value) +
             " is not among those required by " + by;
    case ViolationCode::priority_class_name_not_allowed: return not_allowed("priority class");
    case ViolationCode::node_selector_required:
      return at + ": " + (value.empty() ? "no node selector" : "value" + value) +
             " is not among those required by " + by;
    case ViolationCode::node_selector_not_allowed: return not_allowed("node selector");
    case ViolationCode::toleration_required:
      return at + ": a toleration of the form" + value + " is required by " + by;
    case ViolationCode::toleration_not_allowed: return not_allowed("toleration");
    case ViolationCode::affinity_required:
      return at + ": affinity" + value + " is required by " + by;
    case ViolationCode::affinity_not_allowed: return not_allowed("affinity");
    case ViolationCode::invalid_policy:
      return at + ": " + by + " cannot be evaluated: " + violation.value;
    case ViolationCode::runtime_class_not_found: return at + ": there is no runtime class" + value;
    case ViolationCode::overhead_without_runtime_class:
      return at + ": overhead" + value + " is not defined by a runtime class";
    case ViolationCode::overhead_mismatch:
      return at + ": overhead" + value + " is not that of the runtime class " + by;
    case ViolationCode::node_selector_conflict:
      return at + ": value" + value + " conflicts with the runtime class " + by;
    case ViolationCode::rejected_by_rule: return at + ": rejected by rule" + value + " of " + by;
    case ViolationCode::namespace_not_found:
      return at + ": nothing is known of namespace" + value + ", whose labels a policy asks for";
    case ViolationCode::multiple_resource_policies:
      return at + ": selected by " + by + ", and only one resource policy may place a pod";
  }
  return at;
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

SCHEDPOL_INLINE Admission Admission::chain(Admission (*step)(const void*, Pod&&),
                                           const void* what) && {
  if (!allowed) return std::move(*this);
  if (!before) before.emplace(pod);
  Admission result = step(what, std::move(pod));
  if (!result.allowed) {
    result.pod = *std::move(before);
    result.changes.clear();
    result.before.reset();
    return result;
  }
  if (!changes.empty() || !result.changes.empty()) result.before = std::move(before);
  result.changes.insert(result.changes.begin(), std::make_move_iterator(changes.begin()),
                        std::make_move_iterator(changes.end()));
  return result;
}

}  // namespace schedpol

// schedpol/core/impl/field_path.ipp

namespace schedpol {

namespace detail {

/// A step of a path in bytes: its kind, then its index or the size of its name, then the name.
struct StepBytes {
  static constexpr std::size_t head = 1 + sizeof(std::uint64_t);

  static void append(std::string& bytes, FieldPath::Step::Kind kind, std::uint64_t number,
                     std::string_view name = {}) {
    char number_bytes[sizeof number];
    std::memcpy(number_bytes, &number, sizeof number);
    bytes += static_cast<char>(kind);
    bytes.append(number_bytes, sizeof number);
    bytes.append(name);
  }

  /// Takes the first step off `bytes`, which has one.
  static FieldPath::Step take(std::string_view& bytes) noexcept {
    FieldPath::Step step;
    step.kind = static_cast<FieldPath::Step::Kind>(bytes.front());
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
};

}  // namespace detail

SCHEDPOL_INLINE void FieldPath::append(std::span<const std::string_view> fields) {
  std::size_t size = bytes_.size();
  for (const std::string_view field : fields) size += detail::StepBytes::head + field.size();
  bytes_.reserve(size);
  for (const std::string_view field : fields)
    detail::StepBytes::append(bytes_, Step::Kind::field, field.size(), field);
}

SCHEDPOL_INLINE FieldPath::FieldPath(std::initializer_list<std::string_view> fields) {
  append({fields.begin(), fields.size()});
}
SCHEDPOL_INLINE FieldPath::FieldPath(std::span<const std::string_view> fields) {
  append(fields);
}

SCHEDPOL_INLINE FieldPath FieldPath::child(std::string_view field) && {
  detail::StepBytes::append(bytes_, Step::Kind::field, field.size(), field);
  return std::move(*this);
}
SCHEDPOL_INLINE FieldPath FieldPath::key(std::string_view key) && {
  detail::StepBytes::append(bytes_, Step::Kind::key, key.size(), key);
  return std::move(*this);
}
SCHEDPOL_INLINE FieldPath FieldPath::index(std::size_t index) && {
  detail::StepBytes::append(bytes_, Step::Kind::index, index);
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

SCHEDPOL_INLINE FieldPath FieldPath::without_indices() const {
  FieldPath path;
  path.bytes_.reserve(bytes_.size());
  for (std::string_view rest = bytes_; !rest.empty();) {
    const Step step = detail::StepBytes::take(rest);
    detail::StepBytes::append(path.bytes_, step.kind, step.name.size(), step.name);
  }
  return path;
}

SCHEDPOL_INLINE std::strong_ordering FieldPath::compare(const FieldPath& other) const noexcept {
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

SCHEDPOL_INLINE bool FieldPath::is_printed(std::string_view text) const {
  return to_string(*this) == text;
}

SCHEDPOL_INLINE void append_to(std::string& text, const FieldPath& path) {
  const std::size_t begin = text.size();
  text.reserve(begin + path.bytes_.size());  // a step is printed shorter than it is kept
  for (std::string_view rest = path.bytes_; !rest.empty();) {
    const FieldPath::Step step = detail::StepBytes::take(rest);
    switch (step.kind) {
      case FieldPath::Step::Kind::field:
        if (text.size() > begin) text += '.';
        text.append(step.name);
        break;
      case FieldPath::Step::Kind::key: text.append("[").append(step.name).append("]"); break;
      case FieldPath::Step::Kind::index:
        text.append("[").append(std::to_string(step.index)).append("]");
        break;
    }
  }
}

SCHEDPOL_INLINE std::string to_string(const FieldPath& path) {
  std::string text;
  append_to(text, path);
  return text;
}

}  // namespace schedpol

// schedpol/core/impl/expression_text.hpp

/// How expressions and lists of texts are shown on one line.

namespace schedpol::detail {

/// `[a, b]`, each escaped.
inline void append_list(std::string& text, const Texts& list, std::string_view separators) {
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
                       std::string_view separators) {
  append_escaped(text, expression.key, separators);
  text += ' ';
  append_escaped(text, expression.operator_.text(), separators);
  if (expression.values.empty()) return;
  text += ' ';
  append_list(text, expression.values, separators);
}

}  // namespace schedpol::detail

// schedpol/core/impl/affinity.ipp

namespace schedpol {

namespace detail {

/// `required A | B, preferred 5 C`.
class ModesText {
 public:
  void add_required(const std::string& term) {
    text_ += (text_.empty() ? "required " : " | ") + term;
  }
  void add_preferred(std::int32_t weight, const std::string& term) {
    if (!text_.empty()) text_ += ", ";
    text_ += "preferred " + std::to_string(weight) + " " + term;
  }
  [[nodiscard]] std::string take() && { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace detail

SCHEDPOL_INLINE bool has_terms(const std::optional<NodeAffinity>& affinity) noexcept {
  if (!affinity) return false;
  const auto& required = affinity->required_during_scheduling_ignored_during_execution;
  return (required && !required->node_selector_terms.empty()) ||
         !affinity->preferred_during_scheduling_ignored_during_execution.empty();
}

SCHEDPOL_INLINE bool has_terms(const std::optional<PodAffinity>& affinity) noexcept {
  return affinity && (!affinity->required_during_scheduling_ignored_during_execution.empty() ||
                      !affinity->preferred_during_scheduling_ignored_during_execution.empty());
}

SCHEDPOL_INLINE std::string to_string(const PodAffinityTerm& term) {
  constexpr std::string_view separators = " ,[]{}()";
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
  detail::ModesText text;
  if (const auto& required = affinity.required_during_scheduling_ignored_during_execution) {
    for (const auto& term : required->node_selector_terms) text.add_required(to_string(term));
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution)
    text.add_preferred(term.weight, to_string(term.preference));
  return std::move(text).take();
}

SCHEDPOL_INLINE std::string to_string(const PodAffinity& affinity) {
  detail::ModesText text;
  for (const auto& term : affinity.required_during_scheduling_ignored_during_execution)
    text.add_required(to_string(term));
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution)
    text.add_preferred(term.weight, to_string(term.pod_affinity_term));
  return std::move(text).take();
}

}  // namespace schedpol

// schedpol/core/impl/place.hpp

/// A place in an object as whoever walks through it holds it: a chain on the stack, which costs
/// nothing until somebody needs the path. A step of a temporary would outlive it and does not
/// compile: every level that is gone through has a name of its own.

namespace schedpol::detail {

class Place {
 public:
  /// The object itself.
  Place() = default;
  /// A path that outlives the place.
  Place(const FieldPath& path) noexcept : path_(&path) {}  // NOLINT(google-explicit-constructor)
  Place(FieldPath&&) = delete;

  /// The names outlive the place.
  [[nodiscard]] Place child(std::string_view field) const& noexcept {
    return {this, {FieldPath::Step::Kind::field, field, 0}};
  }
  [[nodiscard]] Place key(std::string_view key) const& noexcept {
    return {this, {FieldPath::Step::Kind::key, key, 0}};
  }
  [[nodiscard]] Place index(std::size_t index) const& noexcept {
    return {this, {FieldPath::Step::Kind::index, {}, index}};
  }
  Place child(std::string_view) && = delete;
  Place key(std::string_view) && = delete;
  Place index(std::size_t) && = delete;

  /// The place above, null where this is not a step down from one.
  [[nodiscard]] const Place* parent() const noexcept { return parent_; }
  [[nodiscard]] const FieldPath::Step& step() const noexcept { return step_; }

  [[nodiscard]] FieldPath path() const {
    if (parent_ == nullptr) return path_ == nullptr ? FieldPath() : *path_;
    FieldPath above = parent_->path();
    switch (step_.kind) {
      case FieldPath::Step::Kind::field: return std::move(above).child(step_.name);
      case FieldPath::Step::Kind::key: return std::move(above).key(step_.name);
      case FieldPath::Step::Kind::index: break;
    }
    return std::move(above).index(step_.index);
  }

 private:
  Place(const Place* parent, FieldPath::Step step) noexcept : parent_(parent), step_(step) {}

  const FieldPath* path_ = nullptr;  ///< where the chain begins, if not at the object itself
  const Place* parent_ = nullptr;
  FieldPath::Step step_{};
};

}  // namespace schedpol::detail

// schedpol/core/impl/field_errors.hpp

/// What validators and compilers collect their errors in, in the order of the document.

namespace schedpol::detail {

class FieldErrors {
 public:
  void add(FieldError error) { errors_.push_back(std::move(error)); }
  void add(ErrorType type, FieldPath field, std::string_view value, std::string detail) {
    add({type, std::move(field), std::string(value), std::move(detail)});
  }
  void add(ErrorType type, const Place& place, std::string_view value, std::string detail) {
    add(type, place.path(), value, std::move(detail));
  }

  /// One FieldValueInvalid a problem, as the functions of `syntax.hpp` list them.
  void add_all(const Place& place, std::string_view value, std::vector<std::string> problems) {
    for (std::string& problem : problems) add(ErrorType::invalid, place, value, std::move(problem));
  }

  /// The errors of something else, or of something that could not be built.
  void append(std::vector<FieldError> errors) {
    for (FieldError& error : errors) add(std::move(error));
  }
  template <class T>
  void add_compiled(const Result<T>& result) {
    append(result.errors());
  }

  [[nodiscard]] bool empty() const noexcept { return errors_.empty(); }
  [[nodiscard]] std::vector<FieldError> take() && { return std::move(errors_); }

 private:
  std::vector<FieldError> errors_;
};

}  // namespace schedpol::detail

// schedpol/core/impl/requirement.hpp

/// One expression of a label selector or a node selector, made for matching: the form in which all
/// matchers and the table of nodes keep them.

namespace schedpol::detail {

/// An int64 as in the labels of Gt and Lt: an optional sign, leading zeros permitted.
[[nodiscard]] std::optional<std::int64_t> label_int64(std::string_view text) noexcept;

struct Requirement {
  enum class Operator : unsigned char { in, not_in, exists, does_not_exist, gt, lt };

  std::string key;
  Operator operator_ = Operator::in;
  std::vector<std::string> values{};  ///< of In and NotIn, in byte order
  std::int64_t bound = 0;             ///< of Gt and Lt

  /// Whether it holds for the value of the label; null: the label is missing.
  [[nodiscard]] bool holds(const std::string* value) const noexcept;

 private:
  [[nodiscard]] bool lists(const std::string* value) const noexcept;
};

/// Whether all of them hold.
[[nodiscard]] bool hold(const std::vector<Requirement>& requirements,
                        const Labels& labels) noexcept;

}  // namespace schedpol::detail

// schedpol/core/impl/selector_rules.hpp

/// What makes labels, their selectors and node selectors good, for validation as well as for
/// building matchers. Each function adds what is wrong to `errors`, below the place that it is
/// given.

namespace schedpol {

struct LabelSelector;
struct LabelSelectorRequirement;
struct NodeSelectorRequirement;
struct NodeSelectorTerm;
enum class SelectedValues;

namespace detail {

/// Whether the syntax of values is looked at: the API server does so in selectors of labels and in
/// required node affinity, and not in preferred node affinity. Annotations have none.
enum class Values { checked, free };

/// Keys and values. All is reported at the place itself, as the API server does.
void validate_labels(FieldErrors& errors, const Place& place, const Labels& labels,
                     Values values = Values::checked);

/// Operator, key and values of one expression. This is the one rule on how many values an operator
/// takes: In and NotIn at least one, Exists and DoesNotExist none, Gt and Lt one.
void validate_expression(FieldErrors& errors, const Place& place,
                         const LabelSelectorRequirement& expression,
                         Values values = Values::checked);
void validate_expression(FieldErrors& errors, const Place& place,
                         const NodeSelectorRequirement& expression,
                         Values values = Values::checked);

/// One expression of matchFields: `metadata.name`, In or NotIn, one value, which is a subdomain.
void validate_field_expression(FieldErrors& errors, const Place& place,
                               const NodeSelectorRequirement& expression);

void validate_term(FieldErrors& errors, const Place& place, const NodeSelectorTerm& term,
                   Values values = Values::checked);

void validate_selector(FieldErrors& errors, const Place& place, const LabelSelector& selector,
                       SelectedValues selected);

}  // namespace detail

}  // namespace schedpol

// schedpol/core/impl/shared_object.hpp

/// What a `SharedOwner` owns with others.

namespace schedpol {

class SharedObject {
 public:
  SharedObject() = default;
  SharedObject(const SharedObject&) = delete;
  SharedObject& operator=(const SharedObject&) = delete;
  virtual ~SharedObject() = default;

  std::atomic<std::size_t> owners = 1;
};

}  // namespace schedpol

// schedpol/core/impl/shared.hpp

/// What stands behind a `Shared<T>`, for the files that make one or look at it.

namespace schedpol {

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

}  // namespace schedpol

// schedpol/core/impl/label_selector.ipp

namespace schedpol {

struct LabelMatcher::Impl {
  std::vector<detail::Requirement> requirements;
};

namespace detail {

/// Of an expression that has been found good.
inline Requirement requirement_of(const LabelSelectorRequirement& expression) {
  using Operator = Requirement::Operator;
  Requirement requirement{.key = expression.key, .values = expression.values.vector()};
  std::sort(requirement.values.begin(), requirement.values.end());
  switch (expression.operator_.word()) {
    case LabelSelectorOperator::in: requirement.operator_ = Operator::in; break;
    case LabelSelectorOperator::not_in: requirement.operator_ = Operator::not_in; break;
    case LabelSelectorOperator::exists: requirement.operator_ = Operator::exists; break;
    case LabelSelectorOperator::does_not_exist:
      requirement.operator_ = Operator::does_not_exist;
      break;
    case LabelSelectorOperator::unset:
    case LabelSelectorOperator::unknown: break;
  }
  return requirement;
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
  LabelMatcher::Impl impl;
  for (const auto& [key, value] : selector->match_labels)
    impl.requirements.push_back({.key = key, .values = {value}});
  for (const LabelSelectorRequirement& expression : selector->match_expressions)
    impl.requirements.push_back(detail::requirement_of(expression));
  LabelMatcher matcher;
  matcher.impl_ = Shared<LabelMatcher::Impl>(std::move(impl));
  return matcher;
}

SCHEDPOL_INLINE std::string to_string(const std::optional<LabelSelector>& selector) {
  constexpr std::string_view separators = " ,={}[]";
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

}  // namespace schedpol

// schedpol/core/impl/field_error.ipp

namespace schedpol {

SCHEDPOL_INLINE std::string message(const FieldError& error) {
  if (error.field.empty() && !error.detail.empty()) return error.detail;
  std::string text =
      error.field.empty() ? std::string() : in_backticks(to_string(error.field)) + ": ";
  switch (error.type) {
    case ErrorType::required: text += "required value"; break;
    case ErrorType::invalid: text += "invalid value"; break;
    case ErrorType::not_supported: text += "unsupported value"; break;
    case ErrorType::forbidden: text += "forbidden"; break;
    case ErrorType::duplicate: text += "duplicate value"; break;
    case ErrorType::too_long: text += "too long"; break;
    case ErrorType::too_many: text += "too many"; break;
    case ErrorType::type_invalid: text += "wrong type"; break;
  }
  if (!error.bad_value.empty()) text += " " + in_backticks(error.bad_value);
  if (!error.detail.empty()) text += ": " + error.detail;
  return text;
}

}  // namespace schedpol

// schedpol/core/impl/labels.ipp

namespace schedpol {

SCHEDPOL_INLINE const std::string* find_label(const Labels& labels, std::string_view key) noexcept {
  const auto it = labels.find(key);
  return it == labels.end() ? nullptr : &it->second;
}

}  // namespace schedpol

// schedpol/core/impl/shared.ipp

namespace schedpol {

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

}  // namespace schedpol

// schedpol/core/impl/texts.ipp

namespace schedpol {

SCHEDPOL_INLINE Texts::Texts(std::initializer_list<Text> texts) {
  texts_.reserve(texts.size());
  for (const Text& text : texts) texts_.emplace_back(text.value);
}

SCHEDPOL_INLINE Texts& Texts::operator=(Texts other) noexcept {
  texts_.swap(other.texts_);
  return *this;
}

SCHEDPOL_INLINE bool Texts::contains(std::string_view text) const noexcept {
  for (const std::string& listed : texts_) {
    if (listed == text) return true;
  }
  return false;
}

SCHEDPOL_INLINE void Texts::push_back(std::string text) {
  texts_.push_back(std::move(text));
}

}  // namespace schedpol

// schedpol/core/impl/node_selector.ipp

namespace schedpol {

SCHEDPOL_INLINE bool is_empty(const NodeSelectorTerm& term) noexcept {
  return term.match_expressions.empty() && term.match_fields.empty();
}

SCHEDPOL_INLINE std::string to_string(const NodeSelectorRequirement& requirement) {
  std::string text;
  detail::append_expression(text, requirement, " ,[]()&|");
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

}  // namespace schedpol

// schedpol/core/impl/quantity.ipp

namespace schedpol {

/// Decimal arithmetic on the digits of quantities.
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
    struct Decimal {
      std::string_view name;
      int power;
    };
    constexpr Decimal decimal[] = {{"n", -9}, {"u", -6}, {"m", -3}, {"", 0},   {"k", 3},
                                   {"M", 6},  {"G", 9},  {"T", 12}, {"P", 15}, {"E", 18}};
    constexpr std::string_view binary[] = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    for (const auto& [name, power] : decimal) {
      if (suffix == name) return scale_by_ten(quantity, power);
    }
    int power = 0;
    for (const std::string_view name : binary) {
      ++power;
      if (suffix == name) return scale_by_1024(quantity, power);
    }
    if (!suffix.starts_with('e') && !suffix.starts_with('E')) return std::nullopt;
    const std::optional<int> exponent = parse_exponent(suffix.substr(1));
    if (!exponent) return std::nullopt;
    return scale_by_ten(quantity, *exponent);
  }

  static std::optional<int> parse_exponent(std::string_view text) noexcept {
    if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
    std::int32_t power = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), power);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    if (power < -max_quantity_power || power > max_quantity_power) return std::nullopt;
    return power;
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
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      const unsigned product = static_cast<unsigned>(*digit - '0') * factor + carry;
      *digit = static_cast<char>('0' + product % 10);
      carry = product / 10;
    }
    if (carry > 0) digits.insert(0, std::to_string(carry));
  }

  /// No zeros at either end, nothing below a billionth, and zero without sign or digits.
  static void normalise(Quantity& quantity) {
    std::string& digits = quantity.digits_;
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size()));
    if (!digits.empty() && quantity.exponent_ < smallest_exponent) {
      const auto excess = static_cast<std::uint64_t>(smallest_exponent - quantity.exponent_);
      const std::size_t kept =
          excess < digits.size() ? digits.size() - static_cast<std::size_t>(excess) : 0;
      const bool round_up = digits.find_first_not_of('0', kept) != std::string::npos;
      digits.resize(kept);
      quantity.exponent_ = smallest_exponent;
      if (round_up) increment(digits);
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

  static void increment(std::string& digits) {
    for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
      if (*digit != '9') {
        ++*digit;
        return;
      }
      *digit = '0';
    }
    digits.insert(0, 1, '1');
  }

  /// Adds the digits of a number that is not larger, or takes them away.
  static void add_magnitude(Quantity& sum, const Quantity& smaller, int direction) {
    const std::int64_t exponent = std::min(sum.exponent_, smaller.exponent_);
    std::string addend = smaller.digits_;
    addend.append(static_cast<std::size_t>(smaller.exponent_ - exponent), '0');
    sum.digits_.append(static_cast<std::size_t>(sum.exponent_ - exponent), '0');
    sum.exponent_ = exponent;
    addend.insert(0, sum.digits_.size() - addend.size(), '0');
    int carry = 0;
    auto added = addend.rbegin();
    for (auto digit = sum.digits_.rbegin(); digit != sum.digits_.rend(); ++digit, ++added) {
      const int total = (*digit - '0') + direction * (*added - '0') + carry;
      carry = total < 0 ? -1 : total / 10;
      *digit = static_cast<char>('0' + (total + 10) % 10);
    }
    if (carry > 0) sum.digits_.insert(0, 1, '1');
  }

  static int sign(const Quantity& quantity) noexcept {
    return quantity.digits_.empty() ? 0 : quantity.negative_ ? -1 : 1;
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

SCHEDPOL_INLINE std::optional<Quantity> Quantity::parse(std::string_view text) {
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

SCHEDPOL_INLINE Quantity Quantity::plus(const Quantity& other) const {
  if (is_zero()) return other;
  if (other.is_zero()) return *this;
  const bool is_larger = Arithmetic::compare_magnitude(*this, other) >= 0;
  Quantity sum = is_larger ? *this : other;
  const Quantity& smaller = is_larger ? other : *this;
  Arithmetic::add_magnitude(sum, smaller, negative_ == other.negative_ ? 1 : -1);
  Arithmetic::normalise(sum);
  sum.text_ = (sum.negative_ ? "-" : "") + (sum.is_zero() ? "0" : sum.digits_) + "e" +
              std::to_string(sum.exponent_);
  return sum;
}

SCHEDPOL_INLINE std::strong_ordering Quantity::compare(const Quantity& other) const noexcept {
  const int sign = Arithmetic::sign(*this);
  if (sign != Arithmetic::sign(other)) return sign <=> Arithmetic::sign(other);
  return negative_ ? Arithmetic::compare_magnitude(other, *this)
                   : Arithmetic::compare_magnitude(*this, other);
}

}  // namespace schedpol

// schedpol/core/impl/toleration.ipp

namespace schedpol {

namespace detail {

/// A decimal int64 as the API server accepts it in comparisons: an optional `-`, no `+`, no leading
/// zeros; nothing else has a value.
inline std::optional<std::int64_t> decimal_int64(std::string_view text) noexcept {
  const std::string_view digits = text.substr(text.starts_with('-') ? 1 : 0);
  if (digits.empty() || (digits.front() == '0' && text.size() > 1)) return std::nullopt;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

inline bool is_tolerated(const Taint& taint, std::span<const Toleration> tolerations) noexcept {
  for (const Toleration& toleration : tolerations) {
    if (tolerates(toleration, taint)) return true;
  }
  return false;
}

inline bool is_equal_operator(const Toleration& toleration) noexcept {
  return toleration.operator_ == TolerationOperator::unset ||
         toleration.operator_ == TolerationOperator::equal;
}

}  // namespace detail

SCHEDPOL_INLINE bool operator==(const Toleration& a, const Toleration& b) noexcept {
  return a.key == b.key && same_operator(a, b) && a.value == b.value && a.effect == b.effect &&
         a.toleration_seconds == b.toleration_seconds;
}

SCHEDPOL_INLINE bool same_operator(const Toleration& a, const Toleration& b) noexcept {
  return a.operator_ == b.operator_ ||
         (detail::is_equal_operator(a) && detail::is_equal_operator(b));
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
  for (const Taint& taint : taints) {
    if (!detail::is_tolerated(taint, tolerations)) untolerated.push_back(taint);
  }
  return untolerated;
}

SCHEDPOL_INLINE bool tolerates_all(std::span<const Toleration> tolerations,
                                   std::span<const Taint> taints,
                                   std::span<const TaintEffect> effects) noexcept {
  const auto counts = [&](const Taint& taint) {
    for (const TaintEffect effect : effects) {
      if (taint.effect == effect) return true;
    }
    return false;
  };
  for (const Taint& taint : taints) {
    if (counts(taint) && !detail::is_tolerated(taint, tolerations)) return false;
  }
  return true;
}

SCHEDPOL_INLINE bool covers(const Toleration& a, const Toleration& b) noexcept {
  if (a == b) return true;
  if (!a.operator_.known() || !a.effect.known()) return false;
  const bool exists = a.operator_ == TolerationOperator::exists;
  if (a.key != b.key && !(a.key.empty() && exists)) return false;
  if (a.effect != TaintEffect::unset && a.effect != b.effect) return false;
  if (a.effect == TaintEffect::no_execute && a.toleration_seconds &&
      (!b.toleration_seconds || *b.toleration_seconds > *a.toleration_seconds)) {
    return false;
  }
  return exists || (same_operator(a, b) && a.value == b.value);
}

SCHEDPOL_INLINE std::vector<Toleration> without_covered(std::span<const Toleration> tolerations) {
  std::vector<Toleration> kept;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const Toleration& candidate = tolerations[i];
    bool covered = false;
    for (std::size_t j = 0; j < kept.size() && !covered; ++j) covered = covers(kept[j], candidate);
    for (std::size_t j = i + 1; j < tolerations.size() && !covered; ++j)
      covered = tolerations[j] != candidate && covers(tolerations[j], candidate);
    if (!covered) kept.push_back(candidate);
  }
  return kept;
}

SCHEDPOL_INLINE std::vector<Toleration> merge(std::span<const Toleration> first,
                                              std::span<const Toleration> second) {
  std::vector<Toleration> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return without_covered(all);
}

SCHEDPOL_INLINE std::string to_string(const Toleration& toleration) {
  constexpr std::string_view separators = "*= :";
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

}  // namespace schedpol

// schedpol/core/impl/workload.ipp

namespace schedpol {

namespace detail {

inline constexpr std::string_view below_template[] = {"template"};
inline constexpr std::string_view below_spec[] = {"spec", "template"};
inline constexpr std::string_view below_job[] = {"spec", "jobTemplate", "spec", "template"};

}  // namespace detail

SCHEDPOL_INLINE std::string_view api_version(PodKind kind) noexcept {
  switch (kind) {
    case PodKind::pod:
    case PodKind::pod_template:
    case PodKind::replication_controller: return "v1";
    case PodKind::job:
    case PodKind::cron_job: return "batch/v1";
    case PodKind::replica_set:
    case PodKind::deployment:
    case PodKind::stateful_set:
    case PodKind::daemon_set: break;
  }
  return "apps/v1";
}

SCHEDPOL_INLINE bool is_in_group(PodKind kind, std::string_view group) noexcept {
  const std::string_view group_version = api_version(kind);
  const std::size_t slash = group_version.find('/');
  const std::string_view own =
      slash == std::string_view::npos ? "" : group_version.substr(0, slash);
  return group == own || (own == "apps" && group == "extensions");
}

SCHEDPOL_INLINE std::span<const std::string_view> template_steps(PodKind kind) noexcept {
  switch (kind) {
    case PodKind::pod: return {};
    case PodKind::pod_template: return detail::below_template;
    case PodKind::cron_job: return detail::below_job;
    case PodKind::replication_controller:
    case PodKind::replica_set:
    case PodKind::deployment:
    case PodKind::stateful_set:
    case PodKind::daemon_set:
    case PodKind::job: break;
  }
  return detail::below_spec;
}

SCHEDPOL_INLINE FieldPath template_path(PodKind kind) {
  return FieldPath(template_steps(kind));
}

SCHEDPOL_INLINE FieldPath field_path(PodKind kind, std::initializer_list<std::string_view> fields) {
  return FieldPath(template_steps(kind)).join(fields);
}

}  // namespace schedpol

// schedpol/core/impl/node.ipp

namespace schedpol {

namespace detail {

/// A term that has been found good.
struct Term {
  std::vector<Requirement> requirements{};
  std::vector<std::string> names{};           ///< all of them have to be that of the node
  std::vector<std::string> excluded_names{};  ///< none of them may be

  [[nodiscard]] bool matches(const Node& node) const noexcept;
};

}  // namespace detail

struct NodeTermsMatcher::Impl {
  std::vector<detail::Term> terms;
};

struct NodeAffinityMatcher::Impl {
  struct Preference {
    std::int64_t weight;
    detail::Term term;
  };

  Labels node_selector;
  std::optional<NodeTermsMatcher> required;
  std::vector<Preference> preferences;
};

namespace detail {

/// Nothing where the expression can hold for no node.
inline std::optional<Requirement> requirement_of(const NodeSelectorRequirement& expression) {
  using Operator = Requirement::Operator;
  FieldErrors errors;
  validate_expression(errors, Place(), expression);
  if (!errors.empty()) return std::nullopt;
  Requirement requirement{.key = expression.key, .values = expression.values.vector()};
  std::sort(requirement.values.begin(), requirement.values.end());
  switch (expression.operator_.word()) {
    case NodeSelectorOperator::in: requirement.operator_ = Operator::in; break;
    case NodeSelectorOperator::not_in: requirement.operator_ = Operator::not_in; break;
    case NodeSelectorOperator::exists: requirement.operator_ = Operator::exists; break;
    case NodeSelectorOperator::does_not_exist:
      requirement.operator_ = Operator::does_not_exist;
      break;
    case NodeSelectorOperator::gt:
    case NodeSelectorOperator::lt: {
      const auto bound = label_int64(expression.values.front());
      if (!bound) return std::nullopt;
      requirement.bound = *bound;
      const bool greater = expression.operator_ == NodeSelectorOperator::gt;
      requirement.operator_ = greater ? Operator::gt : Operator::lt;
      break;
    }
    case NodeSelectorOperator::unset:
    case NodeSelectorOperator::unknown: return std::nullopt;
  }
  return requirement;
}

/// Nothing where the term can match no node.
inline std::optional<Term> term_of(const NodeSelectorTerm& from) {
  if (is_empty(from)) return std::nullopt;
  Term term;
  for (const NodeSelectorRequirement& expression : from.match_expressions) {
    auto requirement = requirement_of(expression);
    if (!requirement) return std::nullopt;
    term.requirements.push_back(*std::move(requirement));
  }
  for (const NodeSelectorRequirement& expression : from.match_fields) {
    const bool in = expression.operator_ == NodeSelectorOperator::in;
    if (!in && expression.operator_ != NodeSelectorOperator::not_in) return std::nullopt;
    if (expression.key != "metadata.name" || expression.values.size() != 1) return std::nullopt;
    (in ? term.names : term.excluded_names).push_back(expression.values.front());
  }
  return term;
}

SCHEDPOL_INLINE bool Term::matches(const Node& node) const noexcept {
  for (const std::string& name : names) {
    if (node.metadata.name != name) return false;
  }
  for (const std::string& name : excluded_names) {
    if (node.metadata.name == name) return false;
  }
  return hold(requirements, node.metadata.labels);
}

}  // namespace detail

SCHEDPOL_INLINE NodeTermsMatcher::NodeTermsMatcher(std::span<const NodeSelectorTerm> terms) {
  Impl impl;
  for (const NodeSelectorTerm& from : terms) {
    if (auto term = detail::term_of(from)) impl.terms.push_back(*std::move(term));
  }
  impl_ = Shared<Impl>(std::move(impl));
}

SCHEDPOL_INLINE bool NodeTermsMatcher::matches(const Node& node) const noexcept {
  if (!impl_) return false;
  for (const detail::Term& term : impl_->terms) {
    if (term.matches(node)) return true;
  }
  return false;
}

SCHEDPOL_INLINE NodeAffinityMatcher::NodeAffinityMatcher(const PodSpec& spec) {
  Impl impl;
  impl.node_selector = spec.node_selector;
  if (spec.affinity && spec.affinity->node_affinity) {
    const NodeAffinity& affinity = *spec.affinity->node_affinity;
    if (const auto& required = affinity.required_during_scheduling_ignored_during_execution)
      impl.required.emplace(required->node_selector_terms);
    for (const auto& preferred : affinity.preferred_during_scheduling_ignored_during_execution) {
      if (auto term = detail::term_of(preferred.preference))
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
    if (preference.term.matches(node)) sum += preference.weight;
  }
  return sum;
}

}  // namespace schedpol

// schedpol/core/impl/node_table.ipp

namespace schedpol {

SCHEDPOL_INLINE bool NodeSet::contains(std::size_t node) const noexcept {
  const std::size_t word = node / word_bits;
  return word < words_.size() && ((words_[word] >> (node % word_bits)) & 1U) != 0;
}

SCHEDPOL_INLINE std::size_t NodeSet::count() const noexcept {
  std::size_t sum = 0;
  for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
  return sum;
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator&=(const NodeSet& other) noexcept {
  const std::size_t common = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < common; ++i) words_[i] &= other.words_[i];
  for (std::size_t i = common; i < words_.size(); ++i) words_[i] = 0;
  return *this;
}

SCHEDPOL_INLINE NodeSet& NodeSet::operator|=(const NodeSet& other) noexcept {
  const std::size_t common = std::min(words_.size(), other.words_.size());
  for (std::size_t i = 0; i < common; ++i) words_[i] |= other.words_[i];
  return *this;
}

SCHEDPOL_INLINE NodeSet::NodeSet(std::size_t nodes) : words_((nodes + word_bits - 1) / word_bits) {}

SCHEDPOL_INLINE void NodeSet::add(std::size_t node) noexcept {
  words_[node / word_bits] |= std::uint64_t{1} << (node % word_bits);
}

SCHEDPOL_INLINE void NodeSet::remove(std::size_t node) noexcept {
  words_[node / word_bits] &= ~(std::uint64_t{1} << (node % word_bits));
}

SCHEDPOL_INLINE void NodeSet::remove(const NodeSet& other) noexcept {
  for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] &= ~other.words_[i];
}

SCHEDPOL_INLINE void NodeSet::clear() noexcept {
  std::fill(words_.begin(), words_.end(), 0);
}

/// The index: which nodes have a name, a label, a value of it, a taint.
struct NodeTable::Impl {
  /// The nodes that have one thing in common: listed where they are few, because a set takes a bit
  /// for each node of the table.
  class Holders {
   public:
    void add(std::size_t node) { listed_.push_back(node); }

    /// After all nodes have been added.
    void pack(std::size_t nodes) {
      if (listed_.size() * NodeSet::word_bits > nodes) {
        set_ = NodeSet(nodes);
        add_to(set_);
        listed_.clear();
      }
      listed_.shrink_to_fit();
    }
    void add_to(NodeSet& set) const noexcept {
      for (const std::size_t node : listed_) set.add(node);
      set |= set_;
    }
    void remove_from(NodeSet& set) const noexcept {
      for (const std::size_t node : listed_) set.remove(node);
      set.remove(set_);
    }

   private:
    std::vector<std::size_t> listed_;
    NodeSet set_;
  };

  using HoldersByText = std::map<std::string, Holders>;

  struct Key {
    Holders labelled;  ///< the nodes that have the label, whatever its value
    HoldersByText values;
  };

  struct TaintOrder {
    bool operator()(const Taint& a, const Taint& b) const noexcept {
      if (a.key != b.key) return a.key < b.key;
      if (a.value != b.value) return a.value < b.value;
      return a.effect.text() < b.effect.text();
    }
  };

  explicit Impl(std::span<const Node> nodes) : size(nodes.size()), all(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) add(i, nodes[i]);
    const auto pack = [&](auto& holders_by) {
      for (auto& [what, holders] : holders_by) holders.pack(size);
    };
    pack(names);
    pack(taints);
    for (auto& [name, key] : keys) {
      key.labelled.pack(size);
      pack(key.values);
    }
  }

  void add(std::size_t number, const Node& node) {
    all.add(number);
    names[node.metadata.name].add(number);
    for (const Taint& taint : node.spec.taints) taints[taint].add(number);
    // Labels come in the order of the keys, and nodes mostly have the same keys.
    auto key = keys.begin();
    for (const auto& [name, value] : node.metadata.labels) {
      if (key == keys.end() || key->first != name) key = keys.try_emplace(name).first;
      key->second.labelled.add(number);
      key->second.values[value].add(number);
      ++key;
    }
  }

  static const Holders* find(const HoldersByText& holders_by, const std::string& text) noexcept {
    const auto it = holders_by.find(text);
    return it == holders_by.end() ? nullptr : &it->second;
  }

  const Holders* find(const std::string& name, const std::string& value) const noexcept {
    const auto key = keys.find(name);
    return key == keys.end() ? nullptr : find(key->second.values, value);
  }

  /// Leaves the holders, none where it is null; `room` is a set to work in.
  static void keep(NodeSet& set, NodeSet& room, const Holders* holders) noexcept {
    room.clear();
    if (holders != nullptr) holders->add_to(room);
    set &= room;
  }

  /// Leaves the nodes for which the requirement holds.
  void keep(NodeSet& set, NodeSet& room, const detail::Requirement& requirement) const {
    using Operator = detail::Requirement::Operator;
    const auto found = keys.find(requirement.key);
    if (found == keys.end()) {
      if (!requirement.holds(nullptr)) set.clear();
      return;
    }
    const Key& key = found->second;
    switch (requirement.operator_) {
      case Operator::in:
        room.clear();
        for (const std::string& value : requirement.values) {
          if (const Holders* holders = find(key.values, value)) holders->add_to(room);
        }
        set &= room;
        break;
      case Operator::not_in:
        for (const std::string& value : requirement.values) {
          if (const Holders* holders = find(key.values, value)) holders->remove_from(set);
        }
        break;
      case Operator::exists: keep(set, room, &key.labelled); break;
      case Operator::does_not_exist: key.labelled.remove_from(set); break;
      case Operator::gt:
      case Operator::lt:
        keep(set, room, &key.labelled);
        for (const auto& [value, holders] : key.values) {
          if (!requirement.holds(&value)) holders.remove_from(set);
        }
    }
  }

  /// Leaves the nodes that a term matches.
  void keep(NodeSet& set, NodeSet& room, const detail::Term& term) const {
    for (const std::string& name : term.names) keep(set, room, find(names, name));
    for (const std::string& name : term.excluded_names) {
      if (const Holders* holders = find(names, name)) holders->remove_from(set);
    }
    for (const detail::Requirement& requirement : term.requirements) keep(set, room, requirement);
  }

  std::size_t size;
  NodeSet all;
  HoldersByText names{};
  std::map<std::string, Key> keys{};
  std::map<Taint, Holders, TaintOrder> taints{};
};

SCHEDPOL_INLINE NodeTable::NodeTable(std::span<const Node> nodes) : impl_(Impl(nodes)) {}

SCHEDPOL_INLINE std::size_t NodeTable::size() const noexcept {
  return impl_ ? impl_->size : 0;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const LabelMatcher& matcher) const {
  if (!impl_) return {};
  if (!matcher.impl_) return NodeSet(impl_->size);
  NodeSet set = impl_->all;
  NodeSet room(impl_->size);
  for (const detail::Requirement& requirement : matcher.impl_->requirements)
    impl_->keep(set, room, requirement);
  return set;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const NodeTermsMatcher& matcher) const {
  if (!impl_) return {};
  NodeSet united(impl_->size);
  if (!matcher.impl_) return united;
  NodeSet set;
  NodeSet room(impl_->size);
  for (const detail::Term& term : matcher.impl_->terms) {
    set = impl_->all;
    impl_->keep(set, room, term);
    united |= set;
  }
  return united;
}

SCHEDPOL_INLINE NodeSet NodeTable::matching(const NodeAffinityMatcher& matcher) const {
  if (!impl_) return {};
  if (!matcher.impl_) return NodeSet(impl_->size);
  const auto& [node_selector, required, preferences] = *matcher.impl_;
  NodeSet set = required ? matching(*required) : impl_->all;
  NodeSet room(impl_->size);
  for (const auto& [name, value] : node_selector) Impl::keep(set, room, impl_->find(name, value));
  return set;
}

SCHEDPOL_INLINE NodeSet NodeTable::tolerated_by(std::span<const Toleration> tolerations,
                                                std::span<const TaintEffect> effects) const {
  if (!impl_) return {};
  NodeSet set = impl_->all;
  for (const auto& [taint, holders] : impl_->taints) {
    if (!tolerates_all(tolerations, {&taint, 1}, effects)) holders.remove_from(set);
  }
  return set;
}

SCHEDPOL_INLINE std::vector<std::int64_t> NodeTable::scores(
    const NodeAffinityMatcher& matcher) const {
  std::vector<std::int64_t> sums(size());
  if (!impl_ || !matcher.impl_) return sums;
  NodeSet set;
  NodeSet room(impl_->size);
  for (const NodeAffinityMatcher::Impl::Preference& preference : matcher.impl_->preferences) {
    set = impl_->all;
    impl_->keep(set, room, preference.term);
    set.for_each([&](std::size_t node) { sums[node] += preference.weight; });
  }
  return sums;
}

}  // namespace schedpol

// schedpol/core/impl/qos.ipp

namespace schedpol {

namespace detail {

/// What one resource adds up to over all that ask for it.
struct ResourceSum {
  std::string_view name;
  Quantity requests{};
  Quantity limits{};
  bool always_limited = true;

  void add(const ResourceRequirements& resources) {
    add(requests, resources.requests);
    always_limited &= add(limits, resources.limits);
  }

 private:
  /// False where nothing more than zero is asked for.
  bool add(Quantity& sum, const ResourceList& list) const {
    const auto found = list.find(name);
    if (found == list.end() || found->second <= Quantity()) return false;
    sum = sum + found->second;
    return true;
  }
};

}  // namespace detail

SCHEDPOL_INLINE QosClass qos_class(const PodSpec& spec) {
  detail::ResourceSum cpu{"cpu"};
  detail::ResourceSum memory{"memory"};
  const auto add = [&](const ResourceRequirements& resources) {
    cpu.add(resources);
    memory.add(resources);
  };
  if (spec.resources) {
    add(*spec.resources);
  } else {
    for (const Container& container : spec.containers) add(container.resources);
    for (const Container& container : spec.init_containers) add(container.resources);
  }
  const auto is_zero = [](const detail::ResourceSum& sum) {
    return sum.requests.is_zero() && sum.limits.is_zero();
  };
  const auto is_guaranteed = [](const detail::ResourceSum& sum) {
    return sum.always_limited && sum.requests == sum.limits;
  };
  if (is_zero(cpu) && is_zero(memory)) return QosClass::best_effort;
  return is_guaranteed(cpu) && is_guaranteed(memory) ? QosClass::guaranteed : QosClass::burstable;
}

}  // namespace schedpol

// schedpol/core/impl/syntax.ipp

namespace schedpol {

namespace detail {

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

}  // namespace detail

SCHEDPOL_INLINE std::vector<std::string> subdomain_problems(std::string_view text) {
  std::vector<std::string> problems;
  detail::add_too_long(problems, "", text, max_subdomain_bytes);
  if (!detail::is_subdomain(text)) {
    problems.push_back(
        "must consist of lower case alphanumerics, `-` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

SCHEDPOL_INLINE std::vector<std::string> dns_label_problems(std::string_view text) {
  std::vector<std::string> problems;
  detail::add_too_long(problems, "", text, max_label_name_bytes);
  if (!detail::is_subdomain(text) || text.find('.') != std::string_view::npos) {
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
  detail::add_too_long(problems, "name ", name, max_label_name_bytes);
  if (!detail::is_label_name(name)) {
    problems.push_back(
        "name must consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

SCHEDPOL_INLINE std::vector<std::string> label_value_problems(std::string_view value) {
  std::vector<std::string> problems;
  detail::add_too_long(problems, "", value, max_label_value_bytes);
  if (!value.empty() && !detail::is_label_name(value)) {
    problems.push_back(
        "must be empty, or consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

}  // namespace schedpol

// schedpol/core/impl/text.ipp

namespace schedpol {

namespace detail {

inline void append_hex(std::string& text, unsigned char byte) {
  constexpr std::string_view hex = "0123456789abcdef";
  text.append("\\x").append(1, hex[byte >> 4U]).append(1, hex[byte & 0xFU]);
}

/// Bytes of the control character that `text`, which is not empty, starts with: of ASCII, or one of
/// U+0080 to U+009F. Zero when it starts with none.
inline std::size_t control_bytes(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7F) return 1;
  const bool c1 = first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  return c1 ? 2 : 0;
}

}  // namespace detail

SCHEDPOL_INLINE void append_escaped(std::string& text, std::string_view part,
                                    std::string_view separators) {
  const auto is_separator = [&](char c) {
    return c == '\\' || separators.find(c) != std::string_view::npos;
  };
  const auto is_special = [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte >= 0x7F || is_separator(c);
  };
  while (!part.empty()) {
    const auto special = std::find_if(part.begin(), part.end(), is_special);
    const auto plain = static_cast<std::size_t>(special - part.begin());
    text.append(part.substr(0, plain));
    part.remove_prefix(plain);
    if (part.empty()) return;
    const std::size_t control = detail::control_bytes(part);
    for (const char c : part.substr(0, control))
      detail::append_hex(text, static_cast<unsigned char>(c));
    part.remove_prefix(control);
    if (control > 0) continue;
    if (is_separator(part.front())) text += '\\';
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
  append_escaped(text, input, "`");
  text += cut ? "...`" : "`";
  return text;
}

SCHEDPOL_INLINE std::string in_backticks(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += in_backticks(names[i]);
  }
  return text;
}

}  // namespace schedpol

// schedpol/core/impl/validators.hpp

/// The rules of `validation.hpp`, one a function, for whoever walks through an object that holds
/// such a part. Each adds what is wrong to `errors`, below the place that it is given.

namespace schedpol::detail {

/// Of labels, where nothing else is said.
void validate_selector(FieldErrors& errors, const Place& place, const LabelSelector& selector,
                       SelectedValues selected = SelectedValues::labels);

/// The name of an object, at its place: there, and a subdomain.
void validate_name(FieldErrors& errors, const Place& place, std::string_view name);

void validate_toleration(FieldErrors& errors, const Place& place, const Toleration& toleration);
void validate_tolerations(FieldErrors& errors, const Place& place,
                          std::span<const Toleration> tolerations);

void validate_affinity(FieldErrors& errors, const Place& place, const Affinity& affinity);

/// The matcher of a policy's selector. What is wrong with it goes to `errors`, naming the policy,
/// and it then selects nothing.
[[nodiscard]] LabelMatcher compile_for(std::string_view policy,
                                       const std::optional<LabelSelector>& selector,
                                       const Place& place, FieldErrors& errors,
                                       SelectedValues selected = SelectedValues::labels);

}  // namespace schedpol::detail

// schedpol/core/impl/validation.ipp

namespace schedpol {

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

}  // namespace schedpol

// schedpol/core/impl/name_order.hpp

/// Names of objects: the order in which policies count, and which names are there twice.
///
/// The order is byte order of the names, of equal ones those of the cluster before those of a
/// namespace, then byte order of the namespaces. It does not depend on the order in which the
/// policies were given.

namespace schedpol::detail {

/// What tells one object of a list from the others.
struct Named {
  std::string_view name{};
  bool namespaced = false;
  std::string_view namespace_{};
  std::size_t index = 0;  ///< in the list

  /// Whether both are called the same, which no two objects of a cluster are.
  [[nodiscard]] bool is_namesake(const Named& other) const noexcept {
    return name == other.name && namespaced == other.namespaced && namespace_ == other.namespace_;
  }
};

/// Namesakes stay in the order of the list.
inline void sort_by_name(std::vector<Named>& objects) {
  std::sort(objects.begin(), objects.end(), [](const Named& a, const Named& b) {
    if (a.name != b.name) return a.name < b.name;
    if (a.namespaced != b.namespaced) return b.namespaced;
    if (a.namespace_ != b.namespace_) return a.namespace_ < b.namespace_;
    return a.index < b.index;
  });
}

/// Of objects in the order of `sort_by_name`, those that have a namesake before them.
inline std::vector<Named> namesakes(std::span<const Named> sorted) {
  std::vector<Named> later;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].is_namesake(sorted[i - 1])) later.push_back(sorted[i]);
  }
  return later;
}

/// Names as they come, in a list that keeps its order.
class UniqueNames {
 public:
  /// Whether nothing of that name, in that namespace, came before. The texts outlive this object.
  [[nodiscard]] bool add(std::string_view name, std::string_view namespace_ = {}) {
    return seen_.insert({namespace_, name}).second;
  }

 private:
  std::set<std::pair<std::string_view, std::string_view>> seen_;
};

}  // namespace schedpol::detail

// schedpol/engine/impl/systems.hpp

/// The table of systems: a row each, with everything that the engine knows of one. Whoever runs,
/// names or validates a system asks its row.

namespace schedpol::engine::detail {

/// One system as an Engine runs it: what was compiled of its objects. Asked from any number of
/// threads.
class RunningSystem {
 public:
  RunningSystem() = default;
  RunningSystem(const RunningSystem&) = delete;
  RunningSystem& operator=(const RunningSystem&) = delete;
  virtual ~RunningSystem() = default;

  /// The decision on a created pod.
  [[nodiscard]] virtual Admission admit(Pod&& pod, ChangeValues values) const = 0;

  /// Whether what `admit` changes is meant for an object of that kind.
  [[nodiscard]] virtual bool changes(PodKind) const noexcept { return true; }

  /// What an update adds that is not permitted: the violations of `admit` that the old pod did not
  /// have.
  [[nodiscard]] virtual std::vector<Violation> judge_update(const Pod& old,
                                                            const Pod& updated) const;

  /// What is not as it has to be when all mutators ran: by default the violations of `admit`.
  [[nodiscard]] virtual std::vector<Violation> verify(const Pod& final) const;

 protected:
  [[nodiscard]] std::vector<Violation> violations(const Pod& pod) const;
};

using Running = std::shared_ptr<const RunningSystem>;

struct Row {
  System system;
  std::string_view name;
  std::string_view audit_key;
  bool looks_at_metadata;  ///< at annotations and containers too; no other changes metadata
  Result<Running> (*compile)(const Objects&, const Settings&);
};

/// In the order of the enumeration.
[[nodiscard]] std::span<const Row> rows() noexcept;

[[nodiscard]] inline const Row& row_of(System system) noexcept {
  return rows()[static_cast<std::size_t>(system)];
}

/// `systems` are those of all rows.
[[nodiscard]] EffectivePolicy effective_policy(std::span<const Running> systems, const Pod& pod);

// What `validate` finds wrong with an object. Of the objects of RBAC nothing is: what cannot be
// understood in them grants nothing.
[[nodiscard]] std::vector<FieldError> errors_of(const runtime_class::RuntimeClass& object);
[[nodiscard]] std::vector<FieldError> errors_of(const metadata_policy::MetadataPolicy& object);
[[nodiscard]] std::vector<FieldError> errors_of(
    const pod_scheduling_policy::PodSchedulingPolicy& object);
[[nodiscard]] std::vector<FieldError> errors_of(const scheduling_policy::SchedulingPolicy& object);
[[nodiscard]] std::vector<FieldError> errors_of(const resource_policy::ResourcePolicy& object);
[[nodiscard]] std::vector<FieldError> errors_of(const rbac::Role& object);
[[nodiscard]] std::vector<FieldError> errors_of(const rbac::ClusterRole& object);
[[nodiscard]] std::vector<FieldError> errors_of(const rbac::RoleBinding& object);
[[nodiscard]] std::vector<FieldError> errors_of(const rbac::ClusterRoleBinding& object);

}  // namespace schedpol::engine::detail

// schedpol/engine/impl/configuration.ipp

namespace schedpol::engine {

namespace detail {

/// Finds what is wrong with a configuration, part by part.
class ConfigurationValidator {
 public:
  explicit ConfigurationValidator(const Configuration& configuration) {
    validate_steps(configuration.systems);
    for_each_list(configuration.objects, [&](const auto& list, ObjectKinds kinds) {
      for (const auto& object : list) validate_object(kind_of(object, kinds), object);
    });
    for (const ObjectMeta& in : configuration.objects.namespaces)
      validate_name({"Namespace", Scope::cluster}, in);
  }

  std::vector<FieldError> take() && { return std::move(errors_); }

 private:
  void add(ErrorType type, FieldPath field, std::string_view value, std::string_view detail) {
    errors_.push_back({type, std::move(field), std::string(value), std::string(detail)});
  }

  void validate_steps(const std::vector<Step>& steps) {
    if (steps.empty())
      add(ErrorType::required, FieldPath{"systems"}, "", "which systems run has to be said");
    std::set<System> seen;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (seen.insert(steps[i].system).second) continue;
      add(ErrorType::duplicate, FieldPath{"systems"}.index(i).child("system"),
          to_string(steps[i].system), "a system runs once");
    }
  }

  template <class T>
  static ObjectKind kind_of(const T& object, ObjectKinds kinds) {
    if constexpr (requires { to_string(object.kind); }) {
      for (const ObjectKind& kind : kinds)
        if (kind.name == to_string(object.kind)) return kind;
    }
    return *kinds.begin();
  }

  template <class T>
  void validate_object(const ObjectKind& kind, const T& object) {
    const FieldPath path = validate_name(kind, object.metadata);
    for (FieldError& error : errors_of(object)) {
      // That a name is missing was said.
      if (object.metadata.name.empty() && error.field == FieldPath{"metadata", "name"}) continue;
      error.field = path.join(error.field);
      errors_.push_back(std::move(error));
    }
  }

  /// The path of an object; notes a name that is missing or there twice.
  FieldPath validate_name(const ObjectKind& kind, const ObjectMeta& metadata) {
    const bool namespaced = kind.scope == Scope::namespace_;
    const FieldPath path = FieldPath{kind.name}.key(
        namespaced ? metadata.namespace_ + '/' + metadata.name : metadata.name);
    const FieldPath at_name = path.child("metadata").child("name");
    if (metadata.name.empty())
      add(ErrorType::required, at_name, "", "an object is told by its name");
    if (namespaced && metadata.namespace_.empty()) {
      add(ErrorType::required, path.child("metadata").child("namespace"), "",
          "without one it applies nowhere");
    }
    const std::string_view in = namespaced ? std::string_view(metadata.namespace_) : "";
    if (!names_[kind.name].add(metadata.name, in))
      add(ErrorType::duplicate, at_name, metadata.name, "another object has this name");
    return path;
  }

  std::map<std::string_view, schedpol::detail::UniqueNames> names_;  ///< by kind
  std::vector<FieldError> errors_;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const Configuration& configuration) {
  return detail::ConfigurationValidator(configuration).take();
}

}  // namespace schedpol::engine

// schedpol/engine/impl/systems.ipp

namespace schedpol::engine {

SCHEDPOL_INLINE scheduling_policy::Options admission_options(scheduling_policy::Options options) {
  options.default_scheduler = DefaultScheduler::unspecified;
  return exempt(std::move(options), scheduling_policy::default_toleration_seconds());
}

namespace detail {

SCHEDPOL_INLINE std::vector<Violation> RunningSystem::violations(const Pod& pod) const {
  return admit(Pod(pod), ChangeValues::omitted).violations;
}

SCHEDPOL_INLINE std::vector<Violation> RunningSystem::judge_update(const Pod& old,
                                                                   const Pod& updated) const {
  std::vector<Violation> added = violations(updated);
  if (added.empty()) return added;
  const std::vector<Violation> had = violations(old);
  std::erase_if(added, [&](const Violation& violation) {
    return std::find(had.begin(), had.end(), violation) != had.end();
  });
  return added;
}

SCHEDPOL_INLINE std::vector<Violation> RunningSystem::verify(const Pod& final) const {
  return violations(final);
}

/// A system of what was compiled of its objects.
template <class System, class Compiled, class... More>
Result<Running> run(Result<Compiled> compiled, const More&... more) {
  if (!compiled) return compiled.errors();
  return Running(std::make_shared<System>(*std::move(compiled), more...));
}

class RuntimeClassSystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings&) {
    return run<RuntimeClassSystem>(runtime_class::compile(objects.runtime_classes));
  }
  explicit RuntimeClassSystem(runtime_class::CompiledClasses classes)
      : classes_(std::move(classes)) {}

  Admission admit(Pod&& pod, ChangeValues) const override {
    return runtime_class::admit(std::move(pod), classes_);
  }
  /// An overhead written into a template would deny its pods once the class has another one.
  bool changes(PodKind kind) const noexcept override { return kind == PodKind::pod; }

  std::vector<Violation> verify(const Pod& final) const override {
    return changes(final.kind) ? runtime_class::verify(final, classes_) : violations(final);
  }

 private:
  runtime_class::CompiledClasses classes_;
};

class MetadataPolicySystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings&) {
    return run<MetadataPolicySystem>(metadata_policy::compile(objects.metadata_policies));
  }
  explicit MetadataPolicySystem(metadata_policy::CompiledPolicies policies)
      : policies_(std::move(policies)) {}

  Admission admit(Pod&& pod, ChangeValues) const override {
    return metadata_policy::admit(pod, policies_);
  }
  /// Its rules look at the object as it came, and have decided on that.
  std::vector<Violation> verify(const Pod&) const override { return {}; }

 private:
  metadata_policy::CompiledPolicies policies_;
};

class PodSchedulingPolicySystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings& settings) {
    return run<PodSchedulingPolicySystem>(
        pod_scheduling_policy::compile(objects.pod_scheduling_policies), objects, settings);
  }
  PodSchedulingPolicySystem(pod_scheduling_policy::CompiledPolicies policies,
                            const Objects& objects, const Settings& settings)
      : policies_(std::move(policies)), default_scheduler_(settings.options.default_scheduler) {
    for (const ObjectMeta& in : objects.namespaces) namespaces_.emplace(in.name, in);
  }

  Admission admit(Pod&& pod, ChangeValues values) const override {
    const std::string& name = pod.metadata.namespace_;
    const auto known = namespaces_.find(name);
    if (known == namespaces_.end() && policies_.needs_namespace(pod.metadata.labels)) {
      Admission admission;
      admission.violations.push_back(
          {ViolationCode::namespace_not_found, FieldPath{"metadata", "namespace"}, name, {}});
      admission.pod = std::move(pod);
      return admission;
    }
    const ObjectMeta unlabelled{.name = name};
    const ObjectMeta& in = known == namespaces_.end() ? unlabelled : known->second;
    return to_admission(inject(std::move(pod), in, policies_, default_scheduler_, values));
  }

  /// It denies only what it cannot inject, and nothing is injected any more.
  std::vector<Violation> judge_update(const Pod&, const Pod&) const override { return {}; }
  std::vector<Violation> verify(const Pod&) const override { return {}; }

 private:
  pod_scheduling_policy::CompiledPolicies policies_;
  std::map<std::string, ObjectMeta, std::less<>> namespaces_;
  DefaultScheduler default_scheduler_;
};

class SchedulingPolicySystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings& settings) {
    return Running(std::make_shared<SchedulingPolicySystem>(objects, settings));
  }

  SchedulingPolicySystem(const Objects& objects, const Settings& settings)
      : policies_(objects.scheduling_policies), rbac_(objects.rbac), settings_(settings) {
    for (const auto& policy : policies_) names_.push_back(policy.metadata.name);
    std::sort(names_.begin(), names_.end());
    for (const auto& from : objects.runtime_classes) {
      if (!from.scheduling) continue;
      options_of_classes_[from.metadata.name] =
          exempt(settings.options, from.scheduling->tolerations, from.scheduling->node_selector);
    }
    merge_beforehand(objects.namespaces);
  }

  Admission admit(Pod&& pod, ChangeValues) const override {
    return scheduling_policy::admit(pod, effective_policy(pod), options_for(pod));
  }
  std::vector<Violation> judge_update(const Pod& old, const Pod& updated) const override {
    return check_update(old, updated, effective_policy(updated), options_for(updated));
  }
  std::vector<Violation> verify(const Pod& final) const override {
    return check(final, effective_policy(final), options_for(final));
  }

  /// Those that the bindings at hand lead to are merged beforehand; a service account can still
  /// bring another set of groups and bindings together.
  [[nodiscard]] EffectivePolicy effective_policy(const Pod& pod) const {
    const bool every = settings_.policy_use == PolicyUse::every;
    const Names names = every ? names_ : usable_by(rbac::user_of(pod), pod.metadata.namespace_);
    const auto found = merged_.find(names);
    return found != merged_.end() ? found->second : merge_named(names);
  }

 private:
  using Names = std::vector<std::string>;

  /// The options with what the pod's RuntimeClass adds exempt.
  [[nodiscard]] const scheduling_policy::Options& options_for(const Pod& pod) const {
    const auto found = options_of_classes_.find(pod.spec.runtime_class_name);
    return found == options_of_classes_.end() ? settings_.options : found->second;
  }

  [[nodiscard]] Names usable_by(const rbac::User& user, std::string_view namespace_) const {
    return rbac::usable(names_, user, namespace_, rbac_, settings_.access);
  }

  [[nodiscard]] EffectivePolicy merge_named(const Names& names) const {
    return merge(scheduling_policy::usable(policies_, names), settings_.strategy);
  }

  void merge_beforehand(std::span<const ObjectMeta> namespaces) {
    std::set<Names> sets = {Names{}};
    if (settings_.policy_use == PolicyUse::every) sets.insert(names_);
    const auto add = [&](std::string_view in, std::string_view account) {
      sets.insert(usable_by(rbac::service_account_user(in, account), in));
    };
    const auto add_subjects = [&](const auto& binding) {
      for (const rbac::Subject& subject : binding.subjects) {
        if (subject.kind != "ServiceAccount") continue;
        add(subject.namespace_.empty() ? binding.metadata.namespace_ : subject.namespace_,
            subject.name);
      }
    };
    if (settings_.policy_use == PolicyUse::rbac) {
      add("", "");
      for (const ObjectMeta& in : namespaces) add(in.name, "");
      for (const auto& binding : rbac_.cluster_role_bindings) add_subjects(binding);
      for (const auto& binding : rbac_.role_bindings) {
        add(binding.metadata.namespace_, "");
        add_subjects(binding);
      }
    }
    for (const Names& names : sets) merged_.emplace(names, merge_named(names));
  }

  std::vector<scheduling_policy::SchedulingPolicy> policies_;
  rbac::Rbac rbac_;
  Settings settings_;
  Names names_;
  std::map<std::string, scheduling_policy::Options, std::less<>> options_of_classes_;
  std::map<Names, EffectivePolicy> merged_;
};

class ResourcePolicySystem final : public RunningSystem {
 public:
  static Result<Running> compile(const Objects& objects, const Settings&) {
    return run<ResourcePolicySystem>(resource_policy::compile(objects.resource_policies));
  }
  explicit ResourcePolicySystem(resource_policy::CompiledPolicies policies)
      : policies_(std::move(policies)) {}

  Admission admit(Pod&& pod, ChangeValues) const override {
    return resource_policy::admit(std::move(pod), policies_);
  }

 private:
  resource_policy::CompiledPolicies policies_;
};

SCHEDPOL_INLINE std::span<const Row> rows() noexcept {
  static constexpr Row table[] = {
      {System::runtime_class, "RuntimeClass", "runtime-class", false, RuntimeClassSystem::compile},
      {System::metadata_policy, "MetadataPolicy", "metadata-policy", true,
       MetadataPolicySystem::compile},
      {System::pod_scheduling_policy, "PodSchedulingPolicy", "pod-scheduling-policy", false,
       PodSchedulingPolicySystem::compile},
      {System::scheduling_policy, "SchedulingPolicy", "scheduling-policy", false,
       SchedulingPolicySystem::compile},
      {System::resource_policy, "ResourcePolicy", "resource-policy", false,
       ResourcePolicySystem::compile},
  };
  static_assert(
      [] {
        for (std::size_t i = 0; i < std::size(table); ++i)
          if (table[i].system != all_systems[i]) return false;
        return std::size(table) == std::size(all_systems);
      }(),
      "a row each, in the order of the enumeration");
  return table;
}

SCHEDPOL_INLINE std::vector<FieldError> errors_of(const runtime_class::RuntimeClass& object) {
  return validate(object);
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const metadata_policy::MetadataPolicy& object) {
  return validate(object);
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(
    const pod_scheduling_policy::PodSchedulingPolicy& object) {
  return validate(object);
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(
    const scheduling_policy::SchedulingPolicy& object) {
  return validate(object);
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const resource_policy::ResourcePolicy& object) {
  return validate(object).errors;
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const rbac::Role&) {
  return {};
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const rbac::ClusterRole&) {
  return {};
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const rbac::RoleBinding&) {
  return {};
}
SCHEDPOL_INLINE std::vector<FieldError> errors_of(const rbac::ClusterRoleBinding&) {
  return {};
}

SCHEDPOL_INLINE EffectivePolicy effective_policy(std::span<const Running> systems, const Pod& pod) {
  const auto index = static_cast<std::size_t>(System::scheduling_policy);
  return static_cast<const SchedulingPolicySystem&>(*systems[index]).effective_policy(pod);
}

}  // namespace detail

}  // namespace schedpol::engine

// schedpol/engine/impl/system.ipp

namespace schedpol::engine {

SCHEDPOL_INLINE std::string_view to_string(System system) noexcept {
  return detail::row_of(system).name;
}

SCHEDPOL_INLINE std::string_view audit_key(System system) noexcept {
  return detail::row_of(system).audit_key;
}

}  // namespace schedpol::engine

// schedpol/rbac/impl/usable.ipp

namespace schedpol::rbac {

namespace detail {

inline std::string service_account_user_name(std::string_view namespace_, std::string_view name) {
  return std::string("system:serviceaccount:").append(namespace_).append(":").append(name);
}

/// The user who asks, made for being compared with many subjects.
class Requester {
 public:
  explicit Requester(const User& user)
      : name_(user.name), groups_(user.groups.begin(), user.groups.end()) {}

  /// Whether the user is the one whom a subject of a binding is for.
  [[nodiscard]] bool is(const Subject& subject, std::string_view binding_namespace) const {
    if (subject.kind == "User") return subject.name == name_;
    if (subject.kind == "Group") return groups_.contains(subject.name);
    if (subject.kind != "ServiceAccount") return false;
    const std::string_view in =
        subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
    return !in.empty() && !subject.name.empty() &&
           name_ == service_account_user_name(in, subject.name);
  }

  [[nodiscard]] bool is_any(const std::vector<Subject>& subjects,
                            std::string_view binding_namespace) const {
    for (const Subject& subject : subjects) {
      if (is(subject, binding_namespace)) return true;
    }
    return false;
  }

 private:
  std::string_view name_;
  std::set<std::string_view> groups_;
};

/// The names of the roles that the bindings give to a user.
struct BoundRoles {
  std::set<std::string_view> roles;  ///< of the namespace
  std::set<std::string_view> cluster_roles;
};

inline BoundRoles bound_roles(const Rbac& rbac, const Requester& requester,
                              std::string_view namespace_) {
  BoundRoles bound;
  for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings) {
    if (binding.role_ref.kind != "ClusterRole" || !requester.is_any(binding.subjects, "")) continue;
    bound.cluster_roles.insert(binding.role_ref.name);
  }
  if (namespace_.empty()) return bound;
  for (const RoleBinding& binding : rbac.role_bindings) {
    if (binding.metadata.namespace_ != namespace_) continue;
    if (!requester.is_any(binding.subjects, namespace_)) continue;
    if (binding.role_ref.kind == "Role") bound.roles.insert(binding.role_ref.name);
    if (binding.role_ref.kind == "ClusterRole") bound.cluster_roles.insert(binding.role_ref.name);
  }
  return bound;
}

/// The policies that rules grant access to.
class GrantedPolicies {
 public:
  void add(const std::vector<PolicyRule>& rules, const Access& access) {
    for (const PolicyRule& rule : rules) {
      if (!lists(rule.verbs, access.verb) || !lists(rule.api_groups, access.api_group) ||
          !lists(rule.resources, access.resource)) {
        continue;
      }
      all_ |= rule.resource_names.empty();
      names_.insert(rule.resource_names.begin(), rule.resource_names.end());
    }
  }

  [[nodiscard]] bool contains(std::string_view policy) const {
    return all_ || names_.contains(policy);
  }

 private:
  static bool lists(const Texts& texts, std::string_view text) noexcept {
    return texts.contains(text) || texts.contains("*");
  }

  bool all_ = false;
  std::set<std::string_view> names_;
};

}  // namespace detail

SCHEDPOL_INLINE User service_account_user(std::string_view namespace_, std::string_view name) {
  User user;
  user.name = detail::service_account_user_name(namespace_, name.empty() ? "default" : name);
  user.groups = {"system:serviceaccounts",
                 std::string("system:serviceaccounts:").append(namespace_), "system:authenticated"};
  return user;
}

SCHEDPOL_INLINE User user_of(const Pod& pod) {
  const std::string& name = pod.spec.service_account_name.empty() ? pod.spec.service_account
                                                                  : pod.spec.service_account_name;
  return service_account_user(pod.metadata.namespace_, name);
}

SCHEDPOL_INLINE std::vector<std::string> usable(std::span<const std::string> policies,
                                                const User& user, std::string_view namespace_,
                                                const Rbac& rbac, const Access& access) {
  const detail::BoundRoles bound = detail::bound_roles(rbac, detail::Requester(user), namespace_);
  detail::GrantedPolicies granted;
  for (const ClusterRole& role : rbac.cluster_roles) {
    if (bound.cluster_roles.contains(role.metadata.name)) granted.add(role.rules, access);
  }
  for (const Role& role : rbac.roles) {
    if (role.metadata.namespace_ == namespace_ && bound.roles.contains(role.metadata.name)) {
      granted.add(role.rules, access);
    }
  }
  std::set<std::string_view> names;
  for (const std::string& policy : policies) {
    if (granted.contains(policy)) names.insert(policy);
  }
  return {names.begin(), names.end()};
}

}  // namespace schedpol::rbac

// schedpol/scheduling_policy/impl/affinity_kinds.hpp

/// The kinds of affinity and their modes: what they are called in a pod and in a policy, and where
/// they stand. Whoever treats them alike goes through them here.

namespace schedpol::scheduling_policy::detail {

template <class Kind, class Rule>
struct AffinityKind {
  std::string_view field;        ///< in a pod and in a default: `nodeAffinity`
  std::string_view rules_field;  ///< in `required` and `allowed`: `nodeAffinities`
  std::optional<Kind> Affinity::*member;
  AnyOr<AffinityModes<Rule>> AffinityRules::*rules;
};

inline constexpr AffinityKind<NodeAffinity, NodeAffinityRule> node_affinity_kind = {
    "nodeAffinity", "nodeAffinities", &Affinity::node_affinity, &AffinityRules::node_affinities};
inline constexpr AffinityKind<PodAffinity, PodAffinityRule> pod_affinity_kind = {
    "podAffinity", "podAffinities", &Affinity::pod_affinity, &AffinityRules::pod_affinities};
inline constexpr AffinityKind<PodAffinity, PodAffinityRule> pod_anti_affinity_kind = {
    "podAntiAffinity", "podAntiAffinities", &Affinity::pod_anti_affinity,
    &AffinityRules::pod_anti_affinities};

/// Calls `f` for the kinds in the order in which documents and violations have them.
template <class F>
void for_each_kind(F&& f) {
  f(node_affinity_kind);
  f(pod_affinity_kind);
  f(pod_anti_affinity_kind);
}

/// Calls `f(name, member)` for the two modes of a kind of affinity, or of the rules on one.
template <class Kind, class F>
void for_each_mode(F&& f) {
  f(required_mode, &Kind::required_during_scheduling_ignored_during_execution);
  f(preferred_mode, &Kind::preferred_during_scheduling_ignored_during_execution);
}

/// The terms that a pod or a default has of one kind. Absent, `{}` and lists without terms are one.
template <class Required, class Preferred>
struct KindTerms {
  std::span<const Required> required{};
  std::span<const Preferred> preferred{};

  [[nodiscard]] bool empty() const noexcept { return required.empty() && preferred.empty(); }
};
using NodeTerms = KindTerms<NodeSelectorTerm, PreferredSchedulingTerm>;
using PodTerms = KindTerms<PodAffinityTerm, WeightedPodAffinityTerm>;

inline NodeTerms terms_of(const NodeAffinity& kind) noexcept {
  NodeTerms terms{{}, kind.preferred_during_scheduling_ignored_during_execution};
  if (kind.required_during_scheduling_ignored_during_execution)
    terms.required = kind.required_during_scheduling_ignored_during_execution->node_selector_terms;
  return terms;
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

inline std::string to_string(const NodeTerms& terms) {
  NodeAffinity kind;
  kind.required_during_scheduling_ignored_during_execution =
      NodeSelector{std::vector<NodeSelectorTerm>(terms.required.begin(), terms.required.end())};
  kind.preferred_during_scheduling_ignored_during_execution.assign(terms.preferred.begin(),
                                                                   terms.preferred.end());
  return schedpol::to_string(kind);
}
inline std::string to_string(const PodTerms& terms) {
  PodAffinity kind;
  kind.required_during_scheduling_ignored_during_execution.assign(terms.required.begin(),
                                                                  terms.required.end());
  kind.preferred_during_scheduling_ignored_during_execution.assign(terms.preferred.begin(),
                                                                   terms.preferred.end());
  return schedpol::to_string(kind);
}

}  // namespace schedpol::scheduling_policy::detail

// schedpol/core/impl/lookup/text_map.hpp

/// Texts that are made once and then asked for often, each with a value.
/// 1. `find` gives the value of a text that is there, and for every other text an empty value.
/// 2. It allocates nothing and takes as long among ten thousand texts as among nine, whoever chose
///    them: of texts made to share one hash no more than a binary search is compared.
/// 3. Among at most eight texts it takes about 20 instructions, the call included.

namespace schedpol::detail {

/// A text as a number: how most texts are told apart by one instruction. Numbers depend on the
/// machine, so nothing that is shown may depend on them.
struct TextNumber {
  /// The last eight bytes of a text, in which names and values mostly differ; all of a shorter one,
  /// of which no other text of its size has the number.
  [[nodiscard]] static std::uint64_t of(std::string_view text) noexcept;

  /// Every byte counts, so that names with long common beginnings and ends are told apart. The
  /// upper bits are the best.
  [[nodiscard]] static std::uint64_t hash(std::string_view text) noexcept;
};

/// Texts, counted from 1 on. An empty one is no more than two pointers.
class TextTable {
 public:
  /// Up to so many texts are compared one by one.
  static constexpr std::size_t most_compared = 8;

  TextTable() noexcept = default;
  /// Counted in their order; each is there once.
  explicit TextTable(const std::vector<std::string_view>& texts);
  TextTable(TextTable&& other) noexcept
      : few_(std::exchange(other.few_, &none)), many_(std::exchange(other.many_, nullptr)) {}
  TextTable& operator=(TextTable&& other) noexcept {
    std::swap(few_, other.few_);
    std::swap(many_, other.many_);
    return *this;
  }
  TextTable(const TextTable&) = delete;
  TextTable& operator=(const TextTable&) = delete;
  ~TextTable();

  /// Which text it is; 0 when it is not there.
  [[nodiscard]] std::size_t find(std::string_view text) const noexcept;
  template <class List>
  [[nodiscard, gnu::noinline]] bool contains_all(const List& texts) const noexcept {
    for (const std::string& text : texts)
      if ((text.size() < 8 ? find_short(text) : find(text)) == 0) return false;
    return true;
  }

 private:
  struct Few;
  struct Many;

  [[nodiscard]] std::size_t find_short(std::string_view text) const noexcept;
  [[nodiscard]] std::size_t find_among_alike(std::string_view text) const noexcept;

  static const Few none;

  const Few* few_ = &none;
  const Many* many_ = nullptr;
};

/// Texts, each with a `T`.
template <class T>
class TextMap {
 public:
  TextMap() = default;
  explicit TextMap(std::map<std::string_view, T> values) {
    std::vector<std::string_view> texts;
    values_.reserve(values.size() + 1);
    for (auto& [text, value] : values) {
      texts.push_back(text);
      values_.push_back(std::move(value));
    }
    table_ = TextTable(texts);
  }

  /// Valid as long as the map is; `T()` where the text is not there.
  [[nodiscard]] const T& find(std::string_view text) const noexcept {
    return values_[table_.find(text)];
  }

 private:
  TextTable table_;
  std::vector<T> values_ = std::vector<T>(1);  ///< first that of no text
};

/// Texts alone.
class TextSet {
 public:
  TextSet() = default;
  /// Of a list of texts, which may have one twice.
  template <class List>
  explicit TextSet(const List& texts) : table_(distinct({texts.begin(), texts.end()})) {}

  [[nodiscard]] bool contains(std::string_view text) const noexcept {
    return table_.find(text) != 0;
  }
  /// Whether all texts of a list are there.
  template <class List>
  [[nodiscard]] bool contains_all(const List& texts) const noexcept {
    return table_.contains_all(texts);
  }

 private:
  static std::vector<std::string_view> distinct(std::vector<std::string_view> texts);

  TextTable table_;
};

}  // namespace schedpol::detail

// schedpol/scheduling_policy/impl/text_rule.hpp

/// A list of texts in a policy, as it is asked: absent permits none, any all, a listed one what it
/// lists.

namespace schedpol::scheduling_policy::detail {

class TextRule {
 public:
  TextRule() = default;
  explicit TextRule(const AnyOr<Texts>& texts) : any_(texts.is_any()), listed_(texts.listed()) {}
  /// With one more text that is permitted.
  TextRule(const AnyOr<Texts>& texts, const std::string& also) : any_(texts.is_any()) {
    Texts all = texts.listed();
    all.push_back(also);
    listed_ = schedpol::detail::TextSet(all);
  }

  [[nodiscard]] bool any() const noexcept { return any_; }
  [[nodiscard]] bool permits(std::string_view text) const noexcept {
    return any_ || listed_.contains(text);
  }

 private:
  bool any_ = false;
  schedpol::detail::TextSet listed_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/patterns.hpp

/// When a pattern of a policy matches a toleration or a node selector requirement of a pod, and how
/// one pattern is found among many: by the key it lists. Made once, then only read; nothing here
/// allocates while it is asked.
///
/// 1. The key is listed, or the pattern takes any; an empty key only by any, even where the empty
///    text is listed.
/// 2. The operator and the effect are listed, or any are taken. An unset operator of a toleration
///    is Equal, an unset effect all three. Words outside the vocabulary match nothing.
/// 3. Every value is listed, or any are taken; what has no value is matched by absent or any
///    values. An Exists toleration has no value, whatever stands there.

namespace schedpol::scheduling_policy::detail {

using schedpol::detail::TextMap;
using schedpol::detail::TextSet;

/// Operators in the lower half and effects in the upper, a bit each: those that a pattern accepts,
/// or those that one toleration or requirement has.
using WordBits = std::uint32_t;

template <class Word>
constexpr WordBits bit(Word word) noexcept {
  return WordBits{1} << static_cast<unsigned>(word);
}

inline constexpr WordBits every_effect = bit(TaintEffect::no_schedule) |
                                         bit(TaintEffect::prefer_no_schedule) |
                                         bit(TaintEffect::no_execute);

/// The words of a list, of which those outside `every` have no bit: nothing matches them.
template <class Word>
WordBits bits(const AnyOr<std::vector<OpenEnum<Word>>>& words, WordBits every) noexcept {
  if (words.is_any()) return every;
  WordBits listed = 0;
  for (const OpenEnum<Word>& word : words.listed()) listed |= bit(word.word());
  return listed & every;
}

inline WordBits words_of(const Toleration& toleration, TaintEffect effect) noexcept {
  return bit(toleration.operator_.word()) | bit(effect) << 16U;
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
  WordBits effects = bits(pattern.effects, every_effect);
  if (effects == every_effect) effects |= bit(TaintEffect::unset);
  return operators | effects << 16U;
}
inline WordBits accepted_words(const RequirementPattern& pattern) noexcept {
  constexpr WordBits every_operator =
      bit(NodeSelectorOperator::in) | bit(NodeSelectorOperator::not_in) |
      bit(NodeSelectorOperator::exists) | bit(NodeSelectorOperator::does_not_exist) |
      bit(NodeSelectorOperator::gt) | bit(NodeSelectorOperator::lt);
  return bits(pattern.operators, every_operator);
}

/// A pattern without its keys and its listed values.
struct PatternShape {
  WordBits refused = ~WordBits{0};  ///< all other words are accepted
  bool any_value = false;
  bool no_value = false;  ///< what has none

  PatternShape() = default;
  template <class Source>
  explicit PatternShape(const Source& source) noexcept
      : refused(~accepted_words(source)),
        any_value(source.values.is_any()),
        no_value(any_value || source.values.is_absent()) {}

  [[nodiscard]] bool accepts(WordBits words) const noexcept { return (words & refused) == 0; }

  [[nodiscard]] bool accepts_value(const TextSet& listed,
                                   const Toleration& toleration) const noexcept {
    if (any_value) return true;
    if (toleration.operator_ == TolerationOperator::exists) return no_value;
    return listed.contains(toleration.value) || (no_value && toleration.value.empty());
  }
  [[nodiscard]] bool accepts_value(const TextSet& listed,
                                   const NodeSelectorRequirement& requirement) const noexcept {
    if (any_value) return true;
    if (requirement.values.empty()) return no_value;
    return listed.contains_all(requirement.values);
  }
};

/// One pattern.
class Pattern {
 public:
  template <class Source>
  explicit Pattern(const Source& source)
      : keys_(source.keys), shape_(source), values_(source.values.listed()) {}

  [[nodiscard]] bool matches(const Toleration& toleration) const noexcept {
    return matches(toleration, words_of(toleration, toleration.effect.word()));
  }
  [[nodiscard]] bool matches(const NodeSelectorRequirement& requirement) const noexcept {
    return matches(requirement, words_of(requirement));
  }

 private:
  template <class Item>
  [[nodiscard]] bool matches(const Item& item, WordBits words) const noexcept {
    return shape_.accepts(words) &&
           (keys_.any() || (!item.key.empty() && keys_.permits(item.key))) &&
           shape_.accepts_value(values_, item);
  }

  TextRule keys_;
  PatternShape shape_;
  TextSet values_;
};

/// Many patterns. Their shapes stand with each of their keys; the values they list stand once,
/// because keys times values may be too many.
class PatternIndex {
 public:
  PatternIndex() = default;
  template <class Source>
  explicit PatternIndex(const std::vector<const Source*>& sources) {
    values_.reserve(sources.size());
    std::map<std::string_view, std::vector<Indexed>> by_key;
    for (const Source* source : sources) {
      if (source->keys.is_absent()) continue;
      const Indexed pattern{PatternShape(*source), &values_.emplace_back(source->values.listed())};
      if (source->keys.is_any()) any_key_.push_back(pattern);
      for (const std::string& key : source->keys.listed()) {
        std::vector<Indexed>& listed = by_key[key];
        if (listed.empty() || listed.back().values != pattern.values) listed.push_back(pattern);
      }
    }
    by_key.erase("");  // an empty key is matched by any alone
    by_key_ = TextMap<std::vector<Indexed>>(std::move(by_key));
  }
  PatternIndex(PatternIndex&&) = default;
  PatternIndex& operator=(PatternIndex&&) = default;
  PatternIndex(const PatternIndex&) = delete;  // it points into itself
  PatternIndex& operator=(const PatternIndex&) = delete;
  ~PatternIndex() = default;

  /// Whether for each of them a pattern matches it.
  [[nodiscard]] bool match_each(const std::vector<Toleration>& tolerations) const noexcept {
    return match_each(tolerations, [](const Toleration& toleration) {
      return words_of(toleration, toleration.effect.word());
    });
  }
  [[nodiscard]] bool match_each(
      const std::vector<NodeSelectorRequirement>& requirements) const noexcept {
    return match_each(requirements, [](const auto& each) { return words_of(each); });
  }

  /// Whether a pattern matches the toleration, taken as one with this effect.
  [[nodiscard]] bool match(const Toleration& toleration, TaintEffect effect) const noexcept {
    return match_each(std::span(&toleration, 1),
                      [&](const Toleration& each) { return words_of(each, effect); });
  }
  [[nodiscard]] bool match(const NodeSelectorRequirement& requirement) const noexcept {
    return match_each(std::span(&requirement, 1), [](const auto& each) { return words_of(each); });
  }

 private:
  struct Indexed {
    PatternShape shape;
    const TextSet* values = nullptr;
  };

  template <class Items, class WordsOf>
  [[nodiscard]] bool match_each(const Items& items, WordsOf words_of_item) const noexcept {
    for (const auto& item : items)
      if (!match(item, words_of_item(item))) return false;
    return true;
  }

  /// First those that list the key, then those that take any.
  template <class Item>
  [[nodiscard]] bool match(const Item& item, WordBits words) const noexcept {
    for (const std::vector<Indexed>* patterns = &by_key_.find(item.key);; patterns = &any_key_) {
      for (const Indexed& pattern : *patterns) {
        if (pattern.shape.accepts(words) && pattern.shape.accepts_value(*pattern.values, item))
          return true;
      }
      if (patterns == &any_key_) return false;
    }
  }

  std::vector<TextSet> values_;
  std::vector<Indexed> any_key_;
  TextMap<std::vector<Indexed>> by_key_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/reports.hpp

/// The violations that the rules find in one pod, in the order in which they are found.

namespace schedpol::scheduling_policy::detail {

class Reports {
 public:
  using Place = schedpol::detail::Place;

  /// Adds to `violations`.
  Reports(PodKind kind, const EffectivePolicy& effective,
          std::vector<Violation>& violations) noexcept
      : kind_(kind), effective_(effective), violations_(violations) {}

  /// Permitted by none of the policies. `field` is a place in the pod.
  void deny(ViolationCode code, const FieldPath& field, std::string_view value) {
    add(code, field, value, effective_.policies());
  }
  void deny(ViolationCode code, const Place& field, std::string_view value) {
    deny(code, field.path(), value);
  }

  /// Required by the policies behind `entry`, a place in the merged spec.
  void require(ViolationCode code, const FieldPath& field, std::string_view value,
               const FieldPath& entry) {
    add(code, field, value, effective_.sources_of(entry));
  }
  void require(ViolationCode code, const Place& field, std::string_view value, const Place& entry) {
    require(code, field.path(), value, entry.path());
  }

 private:
  void add(ViolationCode code, const FieldPath& field, std::string_view value,
           std::vector<std::string> policies) {
    violations_.push_back(
        {code, template_path(kind_).join(field), std::string(value), std::move(policies)});
  }

  PodKind kind_;
  const EffectivePolicy& effective_;
  std::vector<Violation>& violations_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/affinity_modes.hpp

/// One mode of one kind of affinity: what `required` and `allowed` together permit in it, and what
/// `required` asks for. Made once, then only read.

namespace schedpol::scheduling_policy::detail {

using schedpol::detail::Place;

/// The part of a term that rules are about. `at_part` calls `f` with the place of that of the `i`th
/// term of a mode.
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
template <class F>
void at_part(const NodeSelectorTerm&, const Place& mode, std::size_t i, F&& f) {
  const Place terms = mode.child("nodeSelectorTerms");
  f(terms.index(i));
}
template <class F>
void at_part(const PreferredSchedulingTerm&, const Place& mode, std::size_t i, F&& f) {
  const Place term = mode.index(i);
  f(term.child("preference"));
}
template <class F>
void at_part(const PodAffinityTerm&, const Place& mode, std::size_t i, F&& f) {
  f(mode.index(i));
}
template <class F>
void at_part(const WeightedPodAffinityTerm&, const Place& mode, std::size_t i, F&& f) {
  const Place term = mode.index(i);
  f(term.child("podAffinityTerm"));
}

/// Where a kind of affinity stands in a pod, and its entry in `required`. Paths are made when
/// something is reported there.
struct KindPlaces {
  KindPlaces(std::string_view in_pod, std::string_view in_policy)
      : kind(affinity.child(in_pod)), entry(affinities.child(in_policy)) {}
  KindPlaces(const KindPlaces&) = delete;  // its places point to one another
  KindPlaces& operator=(const KindPlaces&) = delete;
  ~KindPlaces() = default;

  Place object{};
  Place spec = object.child("spec");
  Place affinity = spec.child("affinity");
  Place kind;
  Place required = object.child("required");
  Place affinities = required.child("affinities");
  Place entry;
};

/// One list of expressions in a required term: what a term of the pod has to hold.
class RequiredList {
 public:
  explicit RequiredList(const AnyOr<std::vector<RequirementPattern>>& list)
      : at_least_one_(list.is_any()) {
    for (const RequirementPattern& pattern : list.listed()) patterns_.emplace_back(pattern);
  }

  /// Whether it asks for anything.
  [[nodiscard]] bool asks() const noexcept { return at_least_one_ || !patterns_.empty(); }

  [[nodiscard]] bool holds(const std::vector<NodeSelectorRequirement>& list) const noexcept {
    if (at_least_one_ && list.empty()) return false;
    return std::all_of(patterns_.begin(), patterns_.end(), [&](const Pattern& pattern) {
      return std::any_of(list.begin(), list.end(),
                         [&](const auto& requirement) { return pattern.matches(requirement); });
    });
  }

 private:
  bool at_least_one_;
  std::vector<Pattern> patterns_;
};

/// A required term. One that asks for nothing is never satisfied.
struct RequiredTerm {
  explicit RequiredTerm(const TermPattern& pattern)
      : expressions(pattern.match_expressions),
        fields(pattern.match_fields),
        text(to_string(pattern)) {}

  [[nodiscard]] bool holds(const NodeSelectorTerm& term) const noexcept {
    return (expressions.asks() || fields.asks()) && expressions.holds(term.match_expressions) &&
           fields.holds(term.match_fields);
  }

  RequiredList expressions;
  RequiredList fields;
  std::string text;
};

/// What modes of all kinds have.
template <class Rule>
class ModeRule {
 public:
  ModeRule() = default;
  /// `any`: the kind is permitted whole, whatever the two say.
  ModeRule(const AnyOr<Rule>& required, const AnyOr<Rule>& allowed, bool any)
      : any_(any || required.is_any() || allowed.is_any()),
        mentioned_(any_ || required.is_listed() || allowed.is_listed()),
        asks_(required.is_any()) {}

  /// Everything is permitted in the mode.
  [[nodiscard]] bool any() const noexcept { return any_; }
  /// `required` or `allowed` say something of it.
  [[nodiscard]] bool mentioned() const noexcept { return mentioned_; }

 protected:
  /// `required` asks for a term in the mode, whichever.
  [[nodiscard]] bool asks() const noexcept { return asks_; }

  static void report_missing(const KindPlaces& at, std::string_view mode, std::string_view what,
                             Reports& reports) {
    reports.require(ViolationCode::affinity_required, at.kind.child(mode), what,
                    at.entry.child(mode));
  }

 private:
  bool any_ = false;
  bool mentioned_ = false;
  bool asks_ = false;
};

class NodeModeRule : public ModeRule<NodeAffinityRule> {
 public:
  NodeModeRule() = default;
  NodeModeRule(const AnyOr<NodeAffinityRule>& required, const AnyOr<NodeAffinityRule>& allowed,
               bool any_of_kind)
      : ModeRule(required, allowed, any_of_kind),
        expressions_(permitted(required, allowed, &TermPattern::match_expressions)),
        fields_(permitted(required, allowed, &TermPattern::match_fields)) {
    for (const TermPattern& term : required.listed().node_selector_terms)
      required_.emplace_back(term);
  }

  /// `required` lists terms.
  [[nodiscard]] bool requires_terms() const noexcept { return !required_.empty(); }

  /// Whether every expression of every term is permitted by itself.
  template <class Term>
  [[nodiscard]] bool permits(const std::vector<Term>& terms) const noexcept {
    for (const Term& term : terms) {
      const auto& [expressions, fields] = part_of(term);
      if (!expressions_.match_each(expressions) || !fields_.match_each(fields)) return false;
    }
    return true;
  }

  /// Whether every operator is one of Kubernetes; there is no default for an empty one.
  template <class Term>
  [[nodiscard]] static bool are_known(std::span<const Term> terms) noexcept {
    const auto is_known = [](const NodeSelectorRequirement& requirement) {
      return requirement.operator_.known() && requirement.operator_ != NodeSelectorOperator::unset;
    };
    return std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
      const auto& [expressions, fields] = part_of(term);
      return std::all_of(expressions.begin(), expressions.end(), is_known) &&
             std::all_of(fields.begin(), fields.end(), is_known);
    });
  }

  /// Reports each expression that is not permitted by itself.
  template <class Term>
  void deny_parts(std::span<const Term> terms, const Place& mode, Reports& reports) const {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      at_part(terms[i], mode, i, [&](const Place& term) {
        const auto& [expressions, fields] = part_of(terms[i]);
        deny_list(expressions, expressions_, term.child("matchExpressions"), reports);
        deny_list(fields, fields_, term.child("matchFields"), reports);
      });
    }
  }

  /// Reports what is required and not there. `every_term`: it has to hold in all terms, not in one.
  template <class Term>
  void require(std::span<const Term> terms, bool every_term, const KindPlaces& at,
               std::string_view mode, Reports& reports) const {
    if (asks() && terms.empty()) report_missing(at, mode, "", reports);
    for (const RequiredTerm& required : required_) {
      const auto holds = [&](const Term& term) { return required.holds(part_of(term)); };
      const bool is_met = every_term
                              ? !terms.empty() && std::all_of(terms.begin(), terms.end(), holds)
                              : std::any_of(terms.begin(), terms.end(), holds);
      if (is_met) continue;
      report_missing(at, mode, required.text, reports);
    }
  }

 private:
  using Patterns = AnyOr<std::vector<RequirementPattern>>;

  /// What one list of expressions in the terms of the mode may hold. Any is every expression with
  /// an operator of Kubernetes.
  PatternIndex permitted(const AnyOr<NodeAffinityRule>& required,
                         const AnyOr<NodeAffinityRule>& allowed,
                         Patterns TermPattern::*list) const {
    const RequirementPattern anything{schedpol::any, schedpol::any, schedpol::any};
    std::vector<const RequirementPattern*> patterns;
    bool everything = any();
    for (const AnyOr<NodeAffinityRule>* rule : {&required, &allowed}) {
      for (const TermPattern& term : rule->listed().node_selector_terms) {
        everything |= (term.*list).is_any();
        for (const RequirementPattern& pattern : (term.*list).listed())
          patterns.push_back(&pattern);
      }
    }
    if (everything) patterns.push_back(&anything);
    return PatternIndex(patterns);
  }

  static void deny_list(const std::vector<NodeSelectorRequirement>& list,
                        const PatternIndex& permitted, const Place& place, Reports& reports) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (permitted.match(list[i])) continue;
      reports.deny(ViolationCode::affinity_not_allowed, place.index(i),
                   schedpol::to_string(list[i]));
    }
  }

  PatternIndex expressions_;
  PatternIndex fields_;
  std::vector<RequiredTerm> required_;
};

class PodModeRule : public ModeRule<PodAffinityRule> {
 public:
  PodModeRule() = default;
  PodModeRule(const AnyOr<PodAffinityRule>& required, const AnyOr<PodAffinityRule>& allowed,
              bool any_of_kind)
      : ModeRule(required, allowed, any_of_kind), required_(required.listed().topology_keys) {
    Texts keys = required.listed().topology_keys;
    for (const std::string& key : allowed.listed().topology_keys) keys.push_back(key);
    permitted_ = schedpol::detail::TextSet(keys);
    std::vector<std::string> wanted = required.listed().topology_keys.vector();
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    for (const std::string& key : wanted)
      required_text_.append(required_text_.empty() ? "topologyKey " : " or ").append(key);
  }

  /// Whether the topology key of every term is permitted.
  template <class Term>
  [[nodiscard]] bool permits(const std::vector<Term>& terms) const noexcept {
    return any() || std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
             return permitted_.contains(part_of(term).topology_key);
           });
  }

  template <class Term>
  [[nodiscard]] static bool are_known(std::span<const Term>) noexcept {
    return true;
  }

  /// Reports each topology key that is not permitted.
  template <class Term>
  void deny_parts(std::span<const Term> terms, const Place& mode, Reports& reports) const {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const std::string& key = part_of(terms[i]).topology_key;
      if (permitted_.contains(key)) continue;
      at_part(terms[i], mode, i, [&](const Place& term) {
        reports.deny(ViolationCode::affinity_not_allowed, term.child("topologyKey"), key);
      });
    }
  }

  /// Reports what is required and not there: one term with one of the keys is enough.
  template <class Term>
  void require(std::span<const Term> terms, bool, const KindPlaces& at, std::string_view mode,
               Reports& reports) const {
    if (asks() && terms.empty()) report_missing(at, mode, "", reports);
    if (required_text_.empty()) return;
    if (std::any_of(terms.begin(), terms.end(), [&](const Term& term) {
          return required_.contains(part_of(term).topology_key);
        }))
      return;
    report_missing(at, mode, required_text_, reports);
  }

 private:
  schedpol::detail::TextSet permitted_;
  schedpol::detail::TextSet required_;
  std::string required_text_;  ///< empty where no key is required
};

/// How the modes of a kind are ruled.
inline NodeModeRule mode_rule(const AnyOr<NodeAffinityRule>& required,
                              const AnyOr<NodeAffinityRule>& allowed, bool any_of_kind) {
  return {required, allowed, any_of_kind};
}
inline PodModeRule mode_rule(const AnyOr<PodAffinityRule>& required,
                             const AnyOr<PodAffinityRule>& allowed, bool any_of_kind) {
  return {required, allowed, any_of_kind};
}

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/asked.hpp

/// What a pod itself asks for: its spec without what the cluster fills in and the options exempt.
/// What is reported and what is given to a pod depends on this and on nothing else of the pod. It
/// lives on the stack and refers to the pod and the options, which outlive it.

namespace schedpol::scheduling_policy::detail {

class Asked {
 public:
  Asked(const Pod& pod, const Options& options, const Defaults& defaults) noexcept
      : pod_(pod), options_(options), defaults_(defaults) {}

  [[nodiscard]] std::string_view scheduler_name() const noexcept {
    const std::string& name = pod_.spec.scheduler_name;
    return name.empty() ? default_scheduler_name : std::string_view(name);
  }

  /// Empty where none is named, or it is not looked at.
  [[nodiscard]] std::string_view node_name() const noexcept {
    return options_.node_name == NodeName::ignore ? std::string_view() : pod_.spec.node_name;
  }

  /// Empty where the pod has none, or has the one that the cluster gives to such pods; a class that
  /// the policy gives is the pod's own in any case.
  [[nodiscard]] std::string_view priority_class_name() const noexcept {
    const std::string& name = pod_.spec.priority_class_name;
    const std::string& filler = options_.global_default_priority_class;
    const bool filled_in =
        !filler.empty() && name == filler && name != defaults_.priority_class_name;
    return filled_in ? std::string_view() : name;
  }
  /// The same as it stands in the pod.
  [[nodiscard]] std::string_view written_priority_class_name() const noexcept {
    return pod_.spec.priority_class_name;
  }

  /// The value of a key of the node selector; null where the pod does not ask for the key.
  [[nodiscard]] const std::string* node_selector_value(std::string_view key) const noexcept {
    const std::string* value = find_label(pod_.spec.node_selector, key);
    return value != nullptr && !is_exempt(key, *value) ? value : nullptr;
  }
  template <class F>
  void for_each_node_selector_pair(F&& f) const {
    for (const auto& [key, value] : pod_.spec.node_selector)
      if (!is_exempt(key, value)) f(key, value);
  }

  /// Calls `f(toleration, index)` with the index that the toleration has in the pod.
  template <class F>
  void for_each_toleration(F&& f) const {
    const std::vector<Toleration>& all = pod_.spec.tolerations;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (!is_exempt(all[i])) f(all[i], i);
  }
  template <class Predicate>
  [[nodiscard]] bool any_toleration(Predicate&& predicate) const {
    const std::vector<Toleration>& all = pod_.spec.tolerations;
    return std::any_of(all.begin(), all.end(), [&](const Toleration& toleration) {
      return !is_exempt(toleration) && predicate(toleration);
    });
  }

  [[nodiscard]] const std::optional<Affinity>& affinity() const noexcept {
    return pod_.spec.affinity;
  }

  /// Whether required node affinity has to hold in every term of the pod, not in one alone.
  [[nodiscard]] bool holds_in_every_term() const noexcept {
    return options_.required_affinity == RequiredAffinity::every_term;
  }

 private:
  [[nodiscard]] bool is_exempt(std::string_view key, const std::string& value) const noexcept {
    if (options_.exempt_node_selector.empty()) return false;
    const std::string* exempt = find_label(options_.exempt_node_selector, key);
    return exempt != nullptr && *exempt == value;
  }
  [[nodiscard]] bool is_exempt(const Toleration& toleration) const noexcept {
    for (const Toleration& exempt : options_.exempt_tolerations)
      if (exempt == toleration) return true;
    return false;
  }

  const Pod& pod_;
  const Options& options_;
  const Defaults& defaults_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/order.hpp

/// An order of the entries of a policy, in which two are equivalent exactly when they are equal. It
/// is what finds an entry again among many; it says nothing of what entries mean.

namespace schedpol::scheduling_policy::detail {

struct EntryOrder {
  template <class T>
  bool operator()(const T* a, const T* b) const {
    return compare(*a, *b) < 0;
  }

 private:
  static std::strong_ordering compare(const std::string& a, const std::string& b) noexcept {
    return a <=> b;
  }
  template <class Word>
  static std::strong_ordering compare(const OpenEnum<Word>& a, const OpenEnum<Word>& b) noexcept {
    return a.text() <=> b.text();
  }
  template <class T>
  static std::strong_ordering compare(const AnyOr<T>& a, const AnyOr<T>& b) {
    if (a.is_any() != b.is_any()) return a.is_any() <=> b.is_any();
    if (a.is_listed() != b.is_listed()) return a.is_listed() <=> b.is_listed();
    return compare_lists(a.listed(), b.listed());
  }
  static std::strong_ordering compare(const TolerationPattern& a, const TolerationPattern& b) {
    return first_difference(compare(a.keys, b.keys), compare(a.operators, b.operators),
                            compare(a.values, b.values), compare(a.effects, b.effects));
  }
  static std::strong_ordering compare(const RequirementPattern& a, const RequirementPattern& b) {
    return first_difference(compare(a.keys, b.keys), compare(a.operators, b.operators),
                            compare(a.values, b.values));
  }
  static std::strong_ordering compare(const TermPattern& a, const TermPattern& b) {
    return first_difference(compare(a.match_expressions, b.match_expressions),
                            compare(a.match_fields, b.match_fields));
  }
  static std::strong_ordering compare(const NodeSelectorRequirement& a,
                                      const NodeSelectorRequirement& b) {
    return first_difference(compare(a.key, b.key), compare(a.operator_, b.operator_),
                            compare_lists(a.values, b.values));
  }

  template <class List>
  static std::strong_ordering compare_lists(const List& a, const List& b) {
    return std::lexicographical_compare_three_way(
        a.begin(), a.end(), b.begin(), b.end(),
        [](const auto& x, const auto& y) { return compare(x, y); });
  }

  template <class... Orderings>
  static std::strong_ordering first_difference(Orderings... orderings) noexcept {
    std::strong_ordering first = std::strong_ordering::equal;
    static_cast<void>((((first = orderings) != 0) || ...));
    return first;
  }
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_affinity.hpp

/// Rule 6 of `check`: affinity. What a pod has is permitted, kind by kind; then what is required of
/// it is there, kind by kind.

namespace schedpol::scheduling_policy::detail {

/// One kind of affinity.
template <class Kind, class Rule>
class KindCheck {
 public:
  using Terms = decltype(terms_of(Kind{}));
  using ModeRule = decltype(mode_rule(AnyOr<Rule>{}, AnyOr<Rule>{}, false));

  KindCheck(const AffinityKind<Kind, Rule>& kind, const SchedulingPolicySpec& spec) : kind_(&kind) {
    const AnyOr<AffinityModes<Rule>>& required = spec.required.affinities.listed().*kind.rules;
    const AnyOr<AffinityModes<Rule>>& allowed = spec.allowed.affinities.listed().*kind.rules;
    const bool any = spec.allowed.affinities.is_any() || required.is_any() || allowed.is_any();
    if (spec.defaults.affinity) given_ = (*spec.defaults.affinity).*kind.member;
    mentioned_ = any || required.is_listed() || allowed.is_listed() || has_terms(given_);
    asks_ = required.is_any();
    const AffinityModes<Rule>& a = required.listed();
    const AffinityModes<Rule>& b = allowed.listed();
    required_mode_ = mode_rule(a.required_during_scheduling_ignored_during_execution,
                               b.required_during_scheduling_ignored_during_execution, any);
    preferred_mode_ = mode_rule(a.preferred_during_scheduling_ignored_during_execution,
                                b.preferred_during_scheduling_ignored_during_execution, any);
  }

  [[nodiscard]] const ModeRule& required_mode_rule() const noexcept { return required_mode_; }

  /// Whether both modes permit what there is in them, part by part.
  [[nodiscard]] bool permits(const Kind& kind) const noexcept {
    return permits_part_by_part(required_mode_,
                                kind.required_during_scheduling_ignored_during_execution) &&
           permits_part_by_part(preferred_mode_,
                                kind.preferred_during_scheduling_ignored_during_execution);
  }

  /// Reports what is not permitted in either way. `also_given` is what the default's required terms
  /// may stand as, too, where there is any.
  template <class Term>
  void deny(const Kind& kind, std::span<const Term> also_given, Reports& reports) const {
    const Terms terms = terms_of(kind);
    const KindPlaces at(kind_->field, kind_->rules_field);
    if (!mentioned_)
      return reports.deny(ViolationCode::affinity_not_allowed, at.kind, schedpol::to_string(kind));
    const Terms given = given_ ? terms_of(*given_) : Terms{};
    const bool is_given = is_same(terms.required, given.required) ||
                          (!also_given.empty() && is_same(terms.required, also_given));
    deny_unless_whole(required_mode_, Terms{terms.required, {}}, terms.required, is_given,
                      at.kind.child(required_mode), reports);
    deny_unless_whole(preferred_mode_, Terms{{}, terms.preferred}, terms.preferred,
                      is_same(terms.preferred, given.preferred), at.kind.child(preferred_mode),
                      reports);
  }

  /// Reports what is required and not there.
  void require(const std::optional<Affinity>& affinity, bool every_term, Reports& reports) const {
    const Terms terms = terms_of(affinity, kind_->member);
    const KindPlaces at(kind_->field, kind_->rules_field);
    if (asks_ && terms.empty()) {
      reports.require(ViolationCode::affinity_required, at.kind, "", at.entry);
    }
    required_mode_.require(terms.required, every_term, at, required_mode, reports);
    preferred_mode_.require(terms.preferred, false, at, preferred_mode, reports);
  }

 private:
  template <class Term>
  [[nodiscard]] static bool permits_part_by_part(const ModeRule& mode,
                                                 const std::vector<Term>& terms) noexcept {
    return terms.empty() || (mode.mentioned() && mode.permits(terms));
  }
  [[nodiscard]] static bool permits_part_by_part(
      const ModeRule& mode, const std::optional<NodeSelector>& selector) noexcept {
    return !selector || permits_part_by_part(mode, selector->node_selector_terms);
  }

  template <class Term>
  [[nodiscard]] static bool is_same(std::span<const Term> a, std::span<const Term> b) noexcept {
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
  }

  /// One mode: nothing where it may hold anything, or what it holds is what the default gives; else
  /// each part that is not permitted, or the mode itself where nothing is said of it.
  template <class Term>
  static void deny_unless_whole(const ModeRule& mode, const Terms& alone,
                                std::span<const Term> terms, bool is_given, const Place& place,
                                Reports& reports) {
    if (terms.empty() || ((mode.any() || is_given) && ModeRule::are_known(terms))) return;
    if (mode.mentioned()) return mode.deny_parts(terms, place, reports);
    reports.deny(ViolationCode::affinity_not_allowed, place, to_string(alone));
  }

  const AffinityKind<Kind, Rule>* kind_;
  bool mentioned_ = false;  ///< by `required`, `allowed` or `default`
  bool asks_ = false;       ///< `required` asks for a term of the kind, in whichever mode
  ModeRule required_mode_;
  ModeRule preferred_mode_;
  std::optional<Kind> given_;  ///< what the default gives
};

class AffinityCheck {
 public:
  explicit AffinityCheck(const SchedulingPolicySpec& spec)
      : node_(node_affinity_kind, spec),
        pod_(pod_affinity_kind, spec),
        pod_anti_(pod_anti_affinity_kind, spec),
        any_required_(!spec.required.affinities.is_absent()) {
    if (node_.required_mode_rule().requires_terms()) join_default_terms(spec.defaults.affinity);
  }

  /// The default's required node terms as one term with all their expressions, where `required`
  /// lists terms and the default has several; otherwise none.
  [[nodiscard]] const std::vector<NodeSelectorTerm>& joined_default_terms() const noexcept {
    return joined_;
  }

  /// Whether every part of every term is permitted, and nothing required.
  [[nodiscard]] bool clears(const std::optional<Affinity>& affinity) const noexcept {
    return !any_required_ && (!affinity || (permits(node_, affinity->node_affinity) &&
                                            permits(pod_, affinity->pod_affinity) &&
                                            permits(pod_anti_, affinity->pod_anti_affinity)));
  }

  void run(const Asked& asked, Reports& reports) const {
    const std::span<const NodeSelectorTerm> joined = joined_;
    const bool every_term = asked.holds_in_every_term();
    if (const std::optional<Affinity>& affinity = asked.affinity()) {
      if (!permits(node_, affinity->node_affinity))
        node_.deny(*affinity->node_affinity, every_term ? joined : joined.first(0), reports);
      if (!permits(pod_, affinity->pod_affinity)) pod_.deny(*affinity->pod_affinity, none, reports);
      if (!permits(pod_anti_, affinity->pod_anti_affinity))
        pod_anti_.deny(*affinity->pod_anti_affinity, none, reports);
    }
    if (!any_required_) return;
    node_.require(asked.affinity(), every_term, reports);
    pod_.require(asked.affinity(), false, reports);
    pod_anti_.require(asked.affinity(), false, reports);
  }

 private:
  static constexpr std::span<const PodAffinityTerm> none{};

  template <class Check, class Kind>
  [[nodiscard]] static bool permits(const Check& check, const std::optional<Kind>& kind) noexcept {
    return !kind || check.permits(*kind);
  }

  void join_default_terms(const std::optional<Affinity>& given) {
    const NodeTerms terms = terms_of(given, &Affinity::node_affinity);
    if (terms.required.size() < 2) return;
    NodeSelectorTerm& joined = joined_.emplace_back();
    joined.match_expressions = distinct(terms.required, &NodeSelectorTerm::match_expressions);
    joined.match_fields = distinct(terms.required, &NodeSelectorTerm::match_fields);
  }

  /// One list of all terms, in order, of equal ones the first.
  static std::vector<NodeSelectorRequirement> distinct(
      std::span<const NodeSelectorTerm> terms,
      std::vector<NodeSelectorRequirement> NodeSelectorTerm::*list) {
    std::set<const NodeSelectorRequirement*, EntryOrder> seen;
    std::vector<NodeSelectorRequirement> distinct;
    for (const NodeSelectorTerm& term : terms) {
      for (const NodeSelectorRequirement& requirement : term.*list)
        if (seen.insert(&requirement).second) distinct.push_back(requirement);
    }
    return distinct;
  }

  KindCheck<NodeAffinity, NodeAffinityRule> node_;
  KindCheck<PodAffinity, PodAffinityRule> pod_;
  KindCheck<PodAffinity, PodAffinityRule> pod_anti_;
  bool any_required_ = false;
  std::vector<NodeSelectorTerm> joined_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_names.hpp

/// Rules 1 to 3 of `check`: the names of scheduler, node and priority class.

namespace schedpol::scheduling_policy::detail {

/// The names that a pod may have of one sort.
class NameRule {
 public:
  NameRule(const AnyOr<Texts>& required, const AnyOr<Texts>& allowed,
           const std::optional<std::string>& given)
      : required_(!required.is_absent()) {
    if (required_) {
      permitted_ = TextRule(required);
    } else {
      permitted_ = given ? TextRule(allowed, *given) : TextRule(allowed);
    }
  }

  /// Whether names are required, rather than only permitted.
  [[nodiscard]] bool required() const noexcept { return required_; }
  [[nodiscard]] bool permits(std::string_view name) const noexcept {
    return permitted_.permits(name);
  }

 private:
  bool required_;
  TextRule permitted_;  ///< the required, where any are, otherwise allowed and default
};

class NamesCheck {
 public:
  explicit NamesCheck(const SchedulingPolicySpec& spec)
      : scheduler_(spec.required.scheduler_names, spec.allowed.scheduler_names,
                   spec.defaults.scheduler_name),
        priority_class_(spec.required.priority_class_names, spec.allowed.priority_class_names,
                        spec.defaults.priority_class_name),
        any_node_(spec.allowed.scheduler_names.is_any()) {}

  [[nodiscard]] bool clears(const Asked& asked) const noexcept {
    return scheduler_.permits(asked.scheduler_name()) && (any_node_ || asked.node_name().empty()) &&
           permits_priority_class(asked);
  }

  void run(const Asked& asked, Reports& reports) const {
    if (!scheduler_.permits(asked.scheduler_name())) report_scheduler(asked, reports);
    if (!any_node_ && !asked.node_name().empty()) report_node(asked, reports);
    if (!permits_priority_class(asked)) report_priority_class(asked, reports);
  }

 private:
  [[nodiscard]] bool permits_priority_class(const Asked& asked) const noexcept {
    const std::string_view name = asked.priority_class_name();
    return name.empty() ? !priority_class_.required() : priority_class_.permits(name);
  }

  static void report_node(const Asked& asked, Reports& reports) {
    reports.deny(ViolationCode::node_name_not_allowed, {"spec", "nodeName"}, asked.node_name());
  }
  void report_scheduler(const Asked& asked, Reports& reports) const {
    const FieldPath field{"spec", "schedulerName"};
    if (scheduler_.required()) {
      reports.require(ViolationCode::scheduler_name_required, field, asked.scheduler_name(),
                      {"required", "schedulerNames"});
    } else {
      reports.deny(ViolationCode::scheduler_name_not_allowed, field, asked.scheduler_name());
    }
  }
  void report_priority_class(const Asked& asked, Reports& reports) const {
    const FieldPath field{"spec", "priorityClassName"};
    const std::string_view name = asked.written_priority_class_name();
    if (priority_class_.required()) {
      reports.require(ViolationCode::priority_class_name_required, field, name,
                      {"required", "priorityClassNames"});
    } else {
      reports.deny(ViolationCode::priority_class_name_not_allowed, field, name);
    }
  }

  NameRule scheduler_;
  NameRule priority_class_;
  bool any_node_;  ///< a pod may name its node, past every scheduler
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_node_selector.hpp

/// Rule 4 of `check`: the node selector.

namespace schedpol::scheduling_policy::detail {

class NodeSelectorCheck {
 public:
  explicit NodeSelectorCheck(const SchedulingPolicySpec& spec)
      : any_key_(spec.allowed.node_selectors.is_any()) {
    const Labels none;
    const Labels& given = spec.defaults.node_selector ? *spec.defaults.node_selector : none;
    std::map<std::string_view, TextRule> rules;
    for (const auto& [key, values] : spec.required.node_selectors.listed()) {
      required_.emplace_back(key, TextRule(values));
      rules.try_emplace(key, TextRule(any));
    }
    for (const auto& [key, values] : spec.allowed.node_selectors.listed()) {
      const std::string* value = find_label(given, key);
      rules.try_emplace(key, value == nullptr ? TextRule(values) : TextRule(values, *value));
    }
    for (const auto& [key, value] : given) rules.try_emplace(key, TextRule({}, value));
    permitted_ = schedpol::detail::TextMap<TextRule>(std::move(rules));
  }

  /// Whether every pair is permitted, and no key required.
  [[nodiscard]] bool clears(const Labels& pairs) const noexcept {
    if (!required_.empty()) return false;
    if (any_key_) return true;
    for (const auto& [key, value] : pairs)
      if (!permits(key, value)) return false;
    return true;
  }

  void run(const Asked& asked, Reports& reports) const {
    for (const auto& [key, values] : required_) {
      const std::string* value = asked.node_selector_value(key);
      if (value == nullptr || !values.permits(*value)) report_required(key, value, reports);
    }
    if (any_key_) return;
    asked.for_each_node_selector_pair([&](const std::string& key, const std::string& value) {
      if (!permits(key, value)) report(key, value, reports);
    });
  }

 private:
  [[nodiscard]] bool permits(const std::string& key, const std::string& value) const noexcept {
    return permitted_.find(key).permits(value);
  }

  static FieldPath field(std::string_view key) {
    return FieldPath{"spec", "nodeSelector"}.key(key);
  }

  static void report_required(const std::string& key, const std::string* value, Reports& reports) {
    reports.require(ViolationCode::node_selector_required, field(key),
                    value == nullptr ? std::string_view() : *value,
                    FieldPath{"required", "nodeSelectors"}.key(key));
  }
  static void report(const std::string& key, const std::string& value, Reports& reports) {
    reports.deny(ViolationCode::node_selector_not_allowed, field(key), value);
  }

  std::vector<std::pair<std::string, TextRule>> required_;  ///< in byte order of the keys
  /// The values of every key that is mentioned. A required key has any here: what it requires was
  /// looked at before.
  schedpol::detail::TextMap<TextRule> permitted_;
  bool any_key_ = false;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check_tolerations.hpp

/// Rule 5 of `check`: the tolerations. Also what the tolerations of a default are, one by one.

namespace schedpol::scheduling_policy::detail {

/// What tells tolerations apart, in an order: two have the same exactly when they are equal.
struct TolerationIdentity {
  std::string_view key;
  std::string_view value;
  std::string_view operator_;
  std::string_view effect;
  std::optional<std::int64_t> seconds;

  explicit TolerationIdentity(const Toleration& of) noexcept
      : TolerationIdentity(of, of.effect.text()) {}
  /// Of one that is `of` but for its effect.
  TolerationIdentity(const Toleration& of, std::string_view other_effect) noexcept
      : key(of.key),
        value(of.value),
        operator_(of.operator_ == TolerationOperator::unset ? equal : of.operator_.text()),
        effect(other_effect),
        seconds(of.toleration_seconds) {}

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
    for (const DefaultToleration& given : *defaults) {
      if (!given.values.is_listed()) all.push_back(given.toleration);
      for (const std::string& value : given.values.listed()) {
        all.push_back(given.toleration);
        all.back().value = value;
      }
    }
    std::set<TolerationIdentity> seen;
    std::map<std::string_view, std::vector<std::size_t>> by_key;
    for (const Toleration& toleration : all) {
      if (!seen.insert(TolerationIdentity(toleration)).second) continue;
      by_key[toleration.key].push_back(in_order_.size());
      in_order_.push_back(toleration);
    }
    for (auto& [key, indices] : by_key) {
      std::sort(indices.begin(), indices.end(), [&](std::size_t a, std::size_t b) {
        return TolerationIdentity(in_order_[a]) < TolerationIdentity(in_order_[b]);
      });
    }
    by_key_ = schedpol::detail::TextMap<std::vector<std::size_t>>(std::move(by_key));
  }

  [[nodiscard]] const std::vector<Toleration>& in_order() const noexcept { return in_order_; }

  /// Whether one of them is this toleration, taken as one with this effect.
  [[nodiscard]] bool contain(const Toleration& toleration, TaintEffect effect) const noexcept {
    const std::vector<std::size_t>& same_key = by_key_.find(toleration.key);
    const TolerationIdentity wanted(toleration, OpenEnum<TaintEffect>(effect).text());
    const auto found = std::lower_bound(same_key.begin(), same_key.end(), wanted,
                                        [&](std::size_t i, const TolerationIdentity& identity) {
                                          return TolerationIdentity(in_order_[i]) < identity;
                                        });
    return found != same_key.end() && TolerationIdentity(in_order_[*found]) == wanted;
  }

 private:
  std::vector<Toleration> in_order_;
  /// Indices, those of one key in the order of their identities.
  schedpol::detail::TextMap<std::vector<std::size_t>> by_key_;
};

class TolerationsCheck {
 public:
  explicit TolerationsCheck(const SchedulingPolicySpec& spec)
      : defaults_(spec.defaults.tolerations) {
    const TolerationPattern anything{any, any, any, any};
    std::vector<const TolerationPattern*> patterns;
    for (const TolerationPattern& pattern : spec.required.tolerations.listed()) {
      required_.push_back({Pattern(pattern), to_string(pattern)});
      patterns.push_back(&pattern);
    }
    if (spec.allowed.tolerations.is_any()) patterns.push_back(&anything);
    for (const TolerationPattern& pattern : spec.allowed.tolerations.listed())
      patterns.push_back(&pattern);
    patterns_ = PatternIndex(patterns);
  }

  [[nodiscard]] const DefaultTolerations& defaults() const noexcept { return defaults_; }

  /// Whether a pattern matches each as it stands, and none is required.
  [[nodiscard]] bool clears(const std::vector<Toleration>& tolerations) const noexcept {
    return required_.empty() && patterns_.match_each(tolerations);
  }

  void run(const Asked& asked, Reports& reports) const {
    asked.for_each_toleration([&](const Toleration& toleration, std::size_t index) {
      if (!permits(toleration)) report(toleration, index, reports);
    });
    for (const Required& required : required_) {
      if (asked.any_toleration([&](const Toleration& t) { return required.pattern.matches(t); }))
        continue;
      report_required(required.text, reports);
    }
  }

 private:
  struct Required {
    Pattern pattern;
    std::string text;
  };

  static void report(const Toleration& toleration, std::size_t index, Reports& reports) {
    reports.deny(ViolationCode::toleration_not_allowed,
                 FieldPath{"spec", "tolerations"}.index(index), schedpol::to_string(toleration));
  }
  static void report_required(const std::string& text, Reports& reports) {
    reports.require(ViolationCode::toleration_required, {"spec", "tolerations"}, text,
                    {"required", "tolerations"});
  }

  /// Whether it is listed or a default as it stands, or for each of the effects that it has for
  /// want of one.
  [[nodiscard]] bool permits(const Toleration& toleration) const noexcept {
    if (!toleration.operator_.known() || !toleration.effect.known()) return false;
    const auto permits_with = [&](TaintEffect effect) {
      return patterns_.match(toleration, effect) || defaults_.contain(toleration, effect);
    };
    return permits_with(toleration.effect.word()) ||
           (toleration.effect == TaintEffect::unset &&
            std::all_of(std::begin(taint_effects), std::end(taint_effects), permits_with));
  }

  DefaultTolerations defaults_;
  std::vector<Required> required_;
  PatternIndex patterns_;  ///< what `required` and `allowed` list
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/insides.hpp

/// What stands behind an EffectivePolicy: the merged spec, and each rule of `check` in the form in
/// which it is asked.

namespace schedpol::scheduling_policy {

struct EffectivePolicy::Impl {
  Impl() : Impl({}, {}, {}) {}
  Impl(SchedulingPolicySpec merged, std::vector<std::string> from, Sources behind)
      : spec(std::move(merged)),
        policies(std::move(from)),
        sources(std::move(behind)),
        names(spec),
        node_selector(spec),
        tolerations(spec),
        affinity(spec),
        decides(!policies.empty()) {}

  SchedulingPolicySpec spec;
  std::vector<std::string> policies;
  Sources sources;
  detail::NamesCheck names;
  detail::NodeSelectorCheck node_selector;
  detail::TolerationsCheck tolerations;
  detail::AffinityCheck affinity;
  bool ambiguous = false;
  bool decides = false;  ///< there are policies, and no two of one name
};

/// The way of this folder's functions to the insides.
class Insides {
 public:
  /// Without any, those of no policies: nothing is permitted.
  [[nodiscard]] static const EffectivePolicy::Impl& of(const EffectivePolicy& effective) noexcept {
    return effective.impl_ ? *effective.impl_ : of_none();
  }

 private:
  static const EffectivePolicy::Impl& of_none() noexcept {
    static const EffectivePolicy::Impl none;
    return none;
  }
};

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/effective_policy.ipp

namespace schedpol::scheduling_policy {

SCHEDPOL_INLINE EffectivePolicy::EffectivePolicy(SchedulingPolicySpec spec,
                                                 std::vector<std::string> policies, Sources sources)
    : impl_(Impl(std::move(spec), std::move(policies), std::move(sources))) {}

SCHEDPOL_INLINE EffectivePolicy EffectivePolicy::ambiguous(std::string name) {
  Impl impl;
  impl.ambiguous = true;
  impl.policies.push_back(std::move(name));
  EffectivePolicy effective;
  effective.impl_ = Shared<Impl>(std::move(impl));
  return effective;
}

SCHEDPOL_INLINE const SchedulingPolicySpec& EffectivePolicy::spec() const noexcept {
  return Insides::of(*this).spec;
}
SCHEDPOL_INLINE const std::vector<std::string>& EffectivePolicy::policies() const noexcept {
  return Insides::of(*this).policies;
}
SCHEDPOL_INLINE const Sources& EffectivePolicy::sources() const noexcept {
  return Insides::of(*this).sources;
}
SCHEDPOL_INLINE bool EffectivePolicy::is_ambiguous() const noexcept {
  return Insides::of(*this).ambiguous;
}

SCHEDPOL_INLINE std::vector<std::string> EffectivePolicy::sources_of(const FieldPath& place) const {
  const PolicyNames& entries = sources().entries;
  for (FieldPath entry = place; !entry.empty(); entry = entry.parent()) {
    const auto found = entries.find(entry);
    if (found != entries.end()) return found->second;
  }
  return {};
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/policy.ipp

namespace schedpol::scheduling_policy {

namespace detail {

/// Writes one pattern: `{keys: [a, b], values: []}`.
class PatternText {
 public:
  /// `name: [a, b]` after what stands there already; nothing for an absent list.
  template <class List>
  void add(std::string_view name, const AnyOr<List>& list) {
    if (list.is_absent()) return;
    if (text_.back() != '{') text_ += ", ";
    text_.append(name).append(": ");
    if (list.is_listed() && list.listed().empty()) {
      text_ += "none";
      return;
    }
    std::string_view before = "[";
    for (const auto& item : list.listed()) {
      text_ += std::exchange(before, ", ");
      add_item(item);
    }
    text_ += list.is_any() ? "[]" : "]";
  }

  [[nodiscard]] std::string take() && { return std::move(text_) + "}"; }

 private:
  /// An empty item is `""`, so that a list of it is not taken for an empty list.
  void add_item(std::string_view item) {
    append_escaped(text_, item, ",[]{}: \"");
    if (item.empty()) text_ += "\"\"";
  }
  template <class Word>
  void add_item(const OpenEnum<Word>& item) {
    add_item(item.text());
  }
  void add_item(const RequirementPattern& item) {
    PatternText inner;
    inner.add("keys", item.keys);
    inner.add("operators", item.operators);
    inner.add("values", item.values);
    text_ += std::move(inner).take();
  }

  std::string text_ = "{";
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

SCHEDPOL_INLINE std::string to_string(const TermPattern& pattern) {
  detail::PatternText text;
  text.add("matchExpressions", pattern.match_expressions);
  text.add("matchFields", pattern.match_fields);
  return std::move(text).take();
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/said.hpp

/// What several policies say at one place, in the order in which the policies count. A merge goes
/// through the places of a spec, and at each through those who say something there.

namespace schedpol::scheduling_policy::detail {

/// `value` is what the policy of that name says.
template <class T>
struct Said {
  const T* value = nullptr;
  const std::string* policy = nullptr;
};

template <class T>
bool is_said(const AnyOr<T>& field) noexcept {
  return !field.is_absent();
}
template <class T>
bool is_said(const std::optional<T>& field) noexcept {
  return field.has_value();
}
template <class T>
bool is_said(const std::vector<T>& list) noexcept {
  return !list.empty();
}

/// What they say in one of the fields.
template <class T, class Field>
std::vector<Said<Field>> said(const std::vector<Said<T>>& all, Field T::*field) {
  std::vector<Said<Field>> found;
  for (const Said<T>& each : all)
    if (is_said(each.value->*field)) found.push_back({&(each.value->*field), each.policy});
  return found;
}

/// What stands inside, of those who list something.
template <class T>
std::vector<Said<T>> inside(const std::vector<Said<AnyOr<T>>>& all) {
  std::vector<Said<T>> found;
  for (const Said<AnyOr<T>>& each : all)
    if (each.value->is_listed()) found.push_back({&each.value->listed(), each.policy});
  return found;
}
template <class T>
std::vector<Said<T>> inside(const std::vector<Said<std::optional<T>>>& all) {
  std::vector<Said<T>> found;
  for (const Said<std::optional<T>>& each : all)
    if (*each.value) found.push_back({&**each.value, each.policy});
  return found;
}

/// What they say at each key of a map; at a key, an absent value is said too.
template <class Map>
auto by_key(const std::vector<Said<Map>>& all) {
  std::map<std::string_view, std::vector<Said<typename Map::mapped_type>>> found;
  for (const Said<Map>& each : all)
    for (const auto& [key, value] : *each.value) found[key].push_back({&value, each.policy});
  return found;
}

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/additive.hpp

/// `allowed` of several policies together: at every level what one of them permits is permitted.
/// Any absorbs the rest at the level where it stands; lists are joined in order of first sight, of
/// equal entries the first. A list of entries never becomes any.

namespace schedpol::scheduling_policy::detail {

class Additive {
 public:
  /// Writes down in `sources` where every entry came from.
  explicit Additive(Sources& sources) noexcept : sources_(sources) {}

  PolicyRules allowed(const std::vector<Said<PolicyRules>>& all) {
    const FieldPath path{"allowed"};
    PolicyRules merged;
    merged.scheduler_names =
        join(path.child("schedulerNames"), said(all, &PolicyRules::scheduler_names));
    merged.priority_class_names =
        join(path.child("priorityClassNames"), said(all, &PolicyRules::priority_class_names));
    merged.node_selectors =
        join(path.child("nodeSelectors"), said(all, &PolicyRules::node_selectors));
    merged.tolerations = join(path.child("tolerations"), said(all, &PolicyRules::tolerations));
    merged.affinities = join(path.child("affinities"), said(all, &PolicyRules::affinities));
    return merged;
  }

 private:
  /// Whatever has the three states: absent where nobody says anything, any where one says so,
  /// otherwise what is listed inside.
  template <class T>
  AnyOr<T> join(const FieldPath& path, const std::vector<Said<AnyOr<T>>>& all) {
    if (all.empty()) return {};
    bool is_any = false;
    for (const Said<AnyOr<T>>& each : all) {
      if (!each.value->is_any()) continue;
      is_any = true;
      sources_.entries[path].push_back(*each.policy);
    }
    if (is_any) return any;
    return join_listed(path, inside(all));
  }

  AffinityRules join_listed(const FieldPath& path, const std::vector<Said<AffinityRules>>& all) {
    AffinityRules merged;
    for_each_kind([&](const auto& kind) {
      merged.*kind.rules = join(path.child(kind.rules_field), said(all, kind.rules));
    });
    return merged;
  }
  template <class Rule>
  AffinityModes<Rule> join_listed(const FieldPath& path,
                                  const std::vector<Said<AffinityModes<Rule>>>& all) {
    AffinityModes<Rule> merged;
    for_each_mode<AffinityModes<Rule>>([&](std::string_view name, auto mode) {
      merged.*mode = join(path.child(name), said(all, mode));
    });
    return merged;
  }
  NodeAffinityRule join_listed(const FieldPath& path,
                               const std::vector<Said<NodeAffinityRule>>& all) {
    std::vector<Said<std::vector<TermPattern>>> terms;
    for (const auto& [rule, policy] : all) terms.push_back({&rule->node_selector_terms, policy});
    return {join_listed(path.child("nodeSelectorTerms"), terms)};
  }
  PodAffinityRule join_listed(const FieldPath& path,
                              const std::vector<Said<PodAffinityRule>>& all) {
    std::vector<Said<Texts>> keys;
    for (const auto& [rule, policy] : all) keys.push_back({&rule->topology_keys, policy});
    return {join_listed(path.child("topologyKeys"), keys)};
  }

  /// A key that some policy names is there, with no values where nobody lists any.
  NodeSelectors join_listed(const FieldPath& path, const std::vector<Said<NodeSelectors>>& all) {
    NodeSelectors merged;
    for (const auto& [key, values] : by_key(all)) {
      std::vector<Said<AnyOr<Texts>>> of_key;
      for (const Said<AnyOr<Texts>>& each : values)
        if (is_said(*each.value)) of_key.push_back(each);
      merged.try_emplace(std::string(key), join(path.key(key), of_key));
    }
    return merged;
  }

  /// A list of entries, each of which is one for the sources too.
  template <class List>
  List join_listed(const FieldPath& path, const std::vector<Said<List>>& all)
    requires requires { typename List::value_type; }
  {
    List merged;
    std::map<const typename List::value_type*, std::size_t, EntryOrder> seen;
    for (const auto& [list, policy] : all) {
      for (const auto& entry : *list) {
        const auto [at, added] = seen.try_emplace(&entry, merged.size());
        if (added) merged.push_back(entry);
        std::vector<std::string>& names = sources_.entries[path.index(at->second)];
        if (names.empty() || names.back() != *policy) names.push_back(*policy);
      }
    }
    return merged;
  }

  Sources& sources_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/as_evaluated.hpp

/// A spec as evaluation sees it: what is empty and so says nothing is absent, and never hides what
/// another policy says.
/// 1. A field of `required` that is any, and an empty field of `default`: `validate` refuses both.
/// 2. What is listed with nothing in it: fields, kinds and modes of affinity in both sections, and
///    the values of a key. The key itself stays: it permits no value.

namespace schedpol::scheduling_policy::detail {

class AsEvaluated {
 public:
  static SchedulingPolicySpec of(SchedulingPolicySpec spec) {
    drop_empty(spec.required);
    drop_any(spec.required);
    drop_empty(spec.allowed);
    drop_empty(spec.defaults);
    return spec;
  }

 private:
  template <class T>
  static void drop_if(bool drop, T& field) {
    if (drop) field = T();
  }
  template <class List>
  static void drop_if_empty(AnyOr<List>& field) {
    drop_if(field.is_listed() && field.listed().empty(), field);
  }
  template <class T>
  static void drop_if_empty(std::optional<T>& field) {
    drop_if(field && field->empty(), field);
  }

  static void drop_empty(PolicyRules& rules) {
    drop_if_empty(rules.scheduler_names);
    drop_if_empty(rules.priority_class_names);
    if (rules.node_selectors.is_listed())
      for (auto& [key, values] : rules.node_selectors.list()) drop_if_empty(values);
    drop_if_empty(rules.node_selectors);
    drop_if_empty(rules.tolerations);
    if (!rules.affinities.is_listed()) return;
    for_each_kind([&](const auto& kind) { drop_empty_modes(rules.affinities.list().*kind.rules); });
    drop_if(rules.affinities.listed() == AffinityRules{}, rules.affinities);
  }
  template <class Rule>
  static void drop_empty_modes(AnyOr<AffinityModes<Rule>>& kind) {
    if (!kind.is_listed()) return;
    for_each_mode<AffinityModes<Rule>>([&](std::string_view, auto member) {
      AnyOr<Rule>& mode = kind.list().*member;
      drop_if(mode.is_listed() && mode.listed() == Rule{}, mode);
    });
    drop_if(kind.listed() == AffinityModes<Rule>{}, kind);
  }

  static void drop_any(PolicyRules& required) {
    drop_if(required.scheduler_names.is_any(), required.scheduler_names);
    drop_if(required.priority_class_names.is_any(), required.priority_class_names);
    drop_if(required.node_selectors.is_any(), required.node_selectors);
    drop_if(required.tolerations.is_any(), required.tolerations);
    drop_if(required.affinities.is_any(), required.affinities);
  }

  static void drop_empty(Defaults& defaults) {
    drop_if_empty(defaults.scheduler_name);
    drop_if_empty(defaults.priority_class_name);
    drop_if_empty(defaults.node_selector);
    drop_if_empty(defaults.tolerations);
    if (defaults.tolerations)
      for (DefaultToleration& given : *defaults.tolerations)
        drop_if(given.values.is_any(), given.values);
    if (!defaults.affinity) return;
    for_each_kind([&](const auto& kind) {
      drop_if(!has_terms((*defaults.affinity).*kind.member), (*defaults.affinity).*kind.member);
    });
    if (auto& node = defaults.affinity->node_affinity) {
      auto& required = node->required_during_scheduling_ignored_during_execution;
      drop_if(required && required->node_selector_terms.empty(), required);
    }
    drop_if(*defaults.affinity == Affinity{}, defaults.affinity);
  }
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/first_seen.hpp

/// First seen wins: of what several policies say at one place, what the first says counts. The
/// others that say the same are behind it too, what others say is lost.

namespace schedpol::scheduling_policy::detail {

class FirstSeen {
 public:
  /// Writes down in `sources` where every entry came from.
  explicit FirstSeen(Sources& sources) noexcept : sources_(sources) {}

  /// One entry as a whole.
  template <class T>
  T whole(const FieldPath& entry, const std::vector<Said<T>>& all) {
    if (all.empty()) return T();
    const T& first = *all.front().value;
    for (const Said<T>& each : all) {
      PolicyNames& names = *each.value == first ? sources_.entries : sources_.lost;
      names[entry].push_back(*each.policy);
    }
    return first;
  }

  /// `required`, sub-key by sub-key.
  PolicyRules required(const std::vector<Said<PolicyRules>>& all) {
    const FieldPath path{"required"};
    PolicyRules merged;
    const auto take_whole = [&](std::string_view name, auto field) {
      merged.*field = whole(path.child(name), said(all, field));
    };
    take_whole("schedulerNames", &PolicyRules::scheduler_names);
    take_whole("priorityClassNames", &PolicyRules::priority_class_names);
    take_whole("tolerations", &PolicyRules::tolerations);
    const auto node_selectors = inside(said(all, &PolicyRules::node_selectors));
    if (!node_selectors.empty())
      merged.node_selectors = key_by_key(path.child("nodeSelectors"), node_selectors);
    const auto affinities = inside(said(all, &PolicyRules::affinities));
    for_each_kind([&](const auto& kind) {
      const auto rules = said(affinities, kind.rules);
      if (rules.empty()) return;
      merged.affinities.list().*kind.rules =
          modes(path.child("affinities").child(kind.rules_field), rules);
    });
    return merged;
  }

  /// `default`, sub-key by sub-key.
  Defaults defaults(const std::vector<Said<Defaults>>& all) {
    const FieldPath path{"default"};
    Defaults merged;
    const auto take_whole = [&](std::string_view name, auto field) {
      merged.*field = whole(path.child(name), said(all, field));
    };
    take_whole("schedulerName", &Defaults::scheduler_name);
    take_whole("priorityClassName", &Defaults::priority_class_name);
    take_whole("tolerations", &Defaults::tolerations);
    const auto node_selectors = inside(said(all, &Defaults::node_selector));
    if (!node_selectors.empty())
      merged.node_selector = key_by_key(path.child("nodeSelector"), node_selectors);
    const auto affinities = inside(said(all, &Defaults::affinity));
    if (affinities.empty()) return merged;
    merged.affinity.emplace();
    for_each_kind([&](const auto& kind) {
      const auto terms = inside(said(affinities, kind.member));
      if (terms.empty()) return;
      (*merged.affinity).*kind.member =
          terms_by_mode(path.child("affinity").child(kind.field), terms);
    });
    return merged;
  }

 private:
  template <class Map>
  Map key_by_key(const FieldPath& path, const std::vector<Said<Map>>& all) {
    Map merged;
    for (const auto& [key, values] : by_key(all))
      merged.try_emplace(std::string(key), whole(path.key(key), values));
    return merged;
  }

  /// A kind in `required`. One that is any is an entry for as long as no mode joins it.
  template <class Rule>
  AnyOr<AffinityModes<Rule>> modes(const FieldPath& path,
                                   const std::vector<Said<AnyOr<AffinityModes<Rule>>>>& all) {
    const auto listed = inside(all);
    if (listed.empty()) return whole(path, all);
    AffinityModes<Rule> merged;
    for_each_mode<AffinityModes<Rule>>([&](std::string_view name, auto mode) {
      merged.*mode = whole(path.child(name), said(listed, mode));
    });
    return merged;
  }

  template <class Kind>
  Kind terms_by_mode(const FieldPath& path, const std::vector<Said<Kind>>& all) {
    Kind merged;
    for_each_mode<Kind>([&](std::string_view name, auto mode) {
      merged.*mode = whole(path.child(name), said(all, mode));
    });
    return merged;
  }

  Sources& sources_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/merge.ipp

namespace schedpol::scheduling_policy {

namespace detail {

/// Calls `f(name, field)` for the second-level entries of a section.
template <class F>
void for_each_entry(const PolicyRules*, F&& f) {
  f("schedulerNames", &PolicyRules::scheduler_names);
  f("priorityClassNames", &PolicyRules::priority_class_names);
  f("nodeSelectors", &PolicyRules::node_selectors);
  f("tolerations", &PolicyRules::tolerations);
  f("affinities", &PolicyRules::affinities);
}
template <class F>
void for_each_entry(const Defaults*, F&& f) {
  f("schedulerName", &Defaults::scheduler_name);
  f("priorityClassName", &Defaults::priority_class_name);
  f("nodeSelector", &Defaults::node_selector);
  f("tolerations", &Defaults::tolerations);
  f("affinity", &Defaults::affinity);
}

/// Policies in the order in which they count, and what becomes of them.
class PolicyMerge {
 public:
  void add(const SchedulingPolicy& policy) {
    names_.push_back(policy.metadata.name);
    specs_.push_back(AsEvaluated::of(policy.spec));
  }

  EffectivePolicy run(MergeStrategy strategy) && {
    SchedulingPolicySpec merged;
    switch (strategy) {
      case MergeStrategy::smart_deep_merge:
        merged.required = FirstSeen(sources_).required(section(&SchedulingPolicySpec::required));
        merged.allowed = Additive(sources_).allowed(section(&SchedulingPolicySpec::allowed));
        merged.defaults = FirstSeen(sources_).defaults(section(&SchedulingPolicySpec::defaults));
        break;
      case MergeStrategy::simple_merge:
        for_each_section([&](std::string_view name, auto member) {
          merged.*member = entry_by_entry(FieldPath{name}, section(member));
        });
        break;
      case MergeStrategy::first_seen_wins:
        for_each_section([&](std::string_view name, auto member) {
          merged.*member = first_alone(FieldPath{name}, section(member));
        });
        // Only the first policy speaks; the others are named in what was lost.
        if (names_.size() > 1) names_.resize(1);
        break;
    }
    return {std::move(merged), std::move(names_), std::move(sources_)};
  }

 private:
  template <class F>
  static void for_each_section(F&& f) {
    f("required", &SchedulingPolicySpec::required);
    f("allowed", &SchedulingPolicySpec::allowed);
    f("default", &SchedulingPolicySpec::defaults);
  }

  template <class Section>
  std::vector<Said<Section>> section(Section SchedulingPolicySpec::*member) const {
    std::vector<Said<Section>> all;
    for (std::size_t i = 0; i < specs_.size(); ++i)
      all.push_back({&(specs_[i].*member), &names_[i]});
    return all;
  }

  template <class Section>
  Section entry_by_entry(const FieldPath& path, const std::vector<Said<Section>>& all) {
    Section merged;
    for_each_entry(&merged, [&](std::string_view name, auto entry) {
      merged.*entry = FirstSeen(sources_).whole(path.child(name), said(all, entry));
    });
    return merged;
  }

  template <class Section>
  Section first_alone(const FieldPath& path, std::vector<Said<Section>> all) {
    if (all.empty()) return {};
    const Said<Section> first = all.front();
    all.erase(all.begin());
    for_each_entry(first.value, [&](std::string_view name, auto entry) {
      for (const auto& other : said(all, entry))
        sources_.lost[path.child(name)].push_back(*other.policy);
    });
    return entry_by_entry(path, std::vector<Said<Section>>{first});
  }

  std::vector<std::string> names_;
  std::vector<SchedulingPolicySpec> specs_;
  Sources sources_;
};

}  // namespace detail

SCHEDPOL_INLINE EffectivePolicy merge(std::span<const SchedulingPolicy> policies,
                                      MergeStrategy strategy) {
  std::vector<schedpol::detail::Named> names(policies.size());
  for (std::size_t i = 0; i < policies.size(); ++i)
    names[i] = {policies[i].metadata.name, false, {}, i};
  schedpol::detail::sort_by_name(names);
  detail::PolicyMerge merge;
  const SchedulingPolicy* previous = nullptr;
  for (const schedpol::detail::Named& named : names) {
    const SchedulingPolicy& policy = policies[named.index];
    if (previous != nullptr && previous->metadata.name == named.name) {
      if (previous->spec == policy.spec) continue;
      return EffectivePolicy::ambiguous(policy.metadata.name);
    }
    merge.add(policy);
    previous = &policy;
  }
  return std::move(merge).run(strategy);
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/options.ipp

namespace schedpol::scheduling_policy {

namespace detail {

inline Toleration existing(std::string_view key, TaintEffect effect,
                           std::optional<std::int64_t> seconds = {}) {
  return {.key = std::string(key),
          .operator_ = TolerationOperator::exists,
          .value = {},
          .effect = effect,
          .toleration_seconds = seconds};
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Toleration> default_toleration_seconds(std::int64_t seconds) {
  return {detail::existing("node.kubernetes.io/not-ready", TaintEffect::no_execute, seconds),
          detail::existing("node.kubernetes.io/unreachable", TaintEffect::no_execute, seconds)};
}

SCHEDPOL_INLINE std::vector<Toleration> daemon_set_tolerations() {
  return {detail::existing("node.kubernetes.io/not-ready", TaintEffect::no_execute),
          detail::existing("node.kubernetes.io/unreachable", TaintEffect::no_execute),
          detail::existing("node.kubernetes.io/disk-pressure", TaintEffect::no_schedule),
          detail::existing("node.kubernetes.io/memory-pressure", TaintEffect::no_schedule),
          detail::existing("node.kubernetes.io/pid-pressure", TaintEffect::no_schedule),
          detail::existing("node.kubernetes.io/unschedulable", TaintEffect::no_schedule),
          detail::existing("node.kubernetes.io/network-unavailable", TaintEffect::no_schedule)};
}

SCHEDPOL_INLINE Options exempt(Options options, std::span<const Toleration> tolerations,
                               const Labels& node_selector) {
  options.exempt_tolerations.insert(options.exempt_tolerations.end(), tolerations.begin(),
                                    tolerations.end());
  for (const auto& [key, value] : node_selector) options.exempt_node_selector[key] = value;
  return options;
}

}  // namespace schedpol::scheduling_policy

// schedpol/engine/impl/engine.ipp

namespace schedpol::engine {

struct Engine::Impl {
  std::vector<Step> steps;
  std::vector<detail::Running> systems;  ///< of all rows, in their order
  bool looks_at_metadata = false;

  [[nodiscard]] const detail::RunningSystem& running(System system) const noexcept {
    return *systems[static_cast<std::size_t>(system)];
  }

  [[nodiscard]] Decision change(Pod&& pod, ChangeValues values) const;
  [[nodiscard]] Decision settle(Pod&& pod, ChangeValues values) const;
  template <class Judge>
  Decision judge(Pod&& pod, Judge&& violations_of) const;
};

namespace detail {

/// How often the systems are asked about what they made of an object before it is taken as it is.
inline constexpr int max_rounds = 8;

/// Whether both lists have the same tolerations, which are then put into the order of `before`.
inline bool restore_order(const std::vector<Toleration>& before, std::vector<Toleration>& after) {
  if (after == before) return true;
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
  for (StepDecision& said : decision.steps) {
    if (said.step.mode != Mode::enforce) continue;
    std::erase_if(said.changes,
                  [&](const Change& change) { return change.field.parent() == list; });
  }
}

/// Whether a system might say something else about the object as it is now. What only the first
/// that enforces has changed all others have seen, and no system but one of metadata changes what
/// it has made itself.
inline bool may_change_again(const std::vector<StepDecision>& steps) {
  bool is_first = true;
  for (const StepDecision& said : steps) {
    if (said.step.mode != Mode::enforce) continue;
    if (!said.changes.empty() && (!is_first || row_of(said.step.system).looks_at_metadata))
      return true;
    is_first = false;
  }
  return false;
}

/// Adds to what systems that enforce have changed what they changed in another round.
inline void add_changes(std::vector<StepDecision>& steps, std::vector<StepDecision>&& round) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].step.mode != Mode::enforce) continue;
    std::move(round[i].changes.begin(), round[i].changes.end(),
              std::back_inserter(steps[i].changes));
  }
}

}  // namespace detail

/// One round; the pod of a denial has the changes of the systems before.
SCHEDPOL_INLINE Decision Engine::Impl::change(Pod&& pod, ChangeValues values) const {
  Decision decision{.pod = std::move(pod)};
  for (const Step step : steps) {
    const detail::RunningSystem& system = running(step.system);
    const bool enforces = step.mode == Mode::enforce;
    const bool changes = enforces && system.changes(decision.pod.kind);
    Admission admission = changes ? system.admit(std::move(decision.pod), values)
                                  : system.admit(Pod(decision.pod), values);
    if (changes) decision.pod = std::move(admission.pod);
    StepDecision& said = decision.steps.emplace_back();
    said.step = step;
    said.violations = std::move(admission.violations);
    if (changes || !enforces) said.changes = std::move(admission.changes);
    if (enforces && !admission.allowed) return decision;
  }
  decision.allowed = !steps.empty();
  return decision;
}

/// As many rounds as it takes until nothing changes; the pod of a denial is any.
SCHEDPOL_INLINE Decision Engine::Impl::settle(Pod&& pod, ChangeValues values) const {
  Decision decision = change(std::move(pod), values);
  if (!decision.allowed || !detail::may_change_again(decision.steps)) return decision;
  for (int round = 1; round < detail::max_rounds; ++round) {
    Decision again = change(Pod(decision.pod), values);
    if (!again.allowed) return again;
    detail::restore_order(decision.pod.spec.tolerations, again.pod.spec.tolerations);
    if (again.pod == decision.pod) return decision;
    decision.pod = std::move(again.pod);
    detail::add_changes(decision.steps, std::move(again.steps));
  }
  return decision;
}

/// Changes nothing.
template <class Judge>
Decision Engine::Impl::judge(Pod&& pod, Judge&& violations_of) const {
  Decision decision;
  decision.allowed = !steps.empty();
  for (const Step step : steps) {
    StepDecision& said = decision.steps.emplace_back();
    said.step = step;
    said.violations = violations_of(running(step.system), pod);
    if (step.mode != Mode::enforce || said.violations.empty()) continue;
    decision.allowed = false;
    break;
  }
  decision.pod = std::move(pod);
  return decision;
}

SCHEDPOL_INLINE Decision Engine::decide(const Request& request) const {
  return decide(Request(request));
}

SCHEDPOL_INLINE Decision Engine::decide(Request&& request) const {
  if (!impl_) return Decision{.pod = std::move(request.object)};
  using detail::RunningSystem;
  if (request.operation == Operation::update) {
    return impl_->judge(std::move(request.object),
                        [&](const RunningSystem& system, const Pod& pod) {
                          return system.judge_update(request.old, pod);
                        });
  }
  if (request.phase == Phase::validating) {
    return impl_->judge(std::move(request.object), [](const RunningSystem& system, const Pod& pod) {
      return system.verify(pod);
    });
  }
  Pod& before = request.object;
  Pod pod{.kind = before.kind,
          .metadata = impl_->looks_at_metadata ? before.metadata : std::move(before.metadata),
          .spec = before.spec,
          .status = std::move(before.status)};
  Decision decision = impl_->settle(std::move(pod), request.values);
  if (!decision.allowed) {
    decision.pod.spec = before.spec;
    if (impl_->looks_at_metadata) decision.pod.metadata = before.metadata;
  } else if (detail::restore_order(before.spec.tolerations, decision.pod.spec.tolerations)) {
    detail::forget_tolerations(decision);
  }
  return decision;
}

SCHEDPOL_INLINE bool Engine::runs(System system) const noexcept {
  return impl_ && std::any_of(impl_->steps.begin(), impl_->steps.end(),
                              [&](const Step& step) { return step.system == system; });
}

SCHEDPOL_INLINE bool Engine::looks_at_metadata() const noexcept {
  return impl_ && impl_->looks_at_metadata;
}

SCHEDPOL_INLINE EffectivePolicy Engine::effective_policy(const Pod& pod) const {
  return !impl_ ? EffectivePolicy() : detail::effective_policy(impl_->systems, pod);
}

SCHEDPOL_INLINE Result<Engine> compile(const Configuration& configuration) {
  std::vector<FieldError> errors = validate(configuration);
  if (!errors.empty()) return errors;
  Engine::Impl impl;
  impl.steps = configuration.systems;
  for (const detail::Row& row : detail::rows()) {
    auto running = row.compile(configuration.objects, configuration.settings);
    if (!running) return running.errors();
    impl.systems.push_back(*std::move(running));
  }
  for (const Step step : impl.steps)
    impl.looks_at_metadata |= detail::row_of(step.system).looks_at_metadata;
  Engine engine;
  engine.impl_ = Shared<Engine::Impl>(std::move(impl));
  return engine;
}

}  // namespace schedpol::engine

// schedpol/metadata_policy/impl/rules.hpp

/// What compiled policies are made of, and what kept policies from being compiled.

namespace schedpol::metadata_policy {

namespace detail {

/// A rule made for matching, told by its policy and its index in it.
struct CompiledRule {
  std::string namespace_;
  std::string policy;
  std::size_t index = 0;
  LabelMatcher labels;
  LabelMatcher annotations;
  PolicyAction action;

  [[nodiscard]] bool matches(const ObjectMeta& metadata) const noexcept {
    return labels.matches(metadata.labels) && annotations.matches(metadata.annotations);
  }
};

/// An error and the policy behind it, by its index; none where all of them together are.
struct PolicyProblem {
  FieldError error;
  std::optional<std::size_t> policy;
};

struct Compilation {
  std::vector<CompiledRule> rules;  ///< by namespace, policy name and index
  std::vector<PolicyProblem> problems;
};

/// Compiles what can be. The rules are to be used only where there are no problems.
[[nodiscard]] Compilation compile_rules(std::span<const MetadataPolicy> policies);

}  // namespace detail

struct CompiledPolicies::Impl {
  std::vector<detail::CompiledRule> rules;  ///< by namespace, policy name and index

  /// The rules of a namespace, in the order in which they apply. Logarithmic in the number of all.
  [[nodiscard]] std::span<const detail::CompiledRule> rules_of(
      std::string_view namespace_) const noexcept {
    const auto begin = std::partition_point(
        rules.begin(), rules.end(),
        [&](const detail::CompiledRule& rule) { return rule.namespace_ < namespace_; });
    const auto end = std::partition_point(
        begin, rules.end(),
        [&](const detail::CompiledRule& rule) { return rule.namespace_ == namespace_; });
    return {begin, end};
  }
};

}  // namespace schedpol::metadata_policy

// schedpol/metadata_policy/impl/admit.ipp

namespace schedpol::metadata_policy {

namespace detail {

/// The policy behind a problem; all of them where that is no single one.
inline std::vector<std::string> policies_behind(const PolicyProblem& problem,
                                                std::span<const MetadataPolicy> policies) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (problem.policy.value_or(i) == i) names.push_back(policies[i].metadata.name);
  }
  return names;
}

}  // namespace detail

SCHEDPOL_INLINE Admission admit(const Pod& pod, const CompiledPolicies& policies) {
  SchedulerChoice choice = choose_scheduler(pod, policies);
  const FieldPath metadata = field_path(pod.kind, {"metadata"});
  Admission admission;
  admission.allowed = choice.allowed;
  for (const FieldError& error : choice.errors) {
    admission.violations.push_back(
        {.code = ViolationCode::invalid_policy, .field = metadata, .value = message(error)});
  }
  for (const RuleName& rejecting : choice.rejected_by) {
    admission.violations.push_back({.code = ViolationCode::rejected_by_rule,
                                    .field = metadata,
                                    .value = std::to_string(rejecting.rule),
                                    .policies = {rejecting.policy}});
  }
  if (!choice.changes.empty()) admission.before.emplace(pod);
  admission.pod = std::move(choice.pod);
  admission.changes = std::move(choice.changes);
  return admission;
}

SCHEDPOL_INLINE Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return admit(pod, *compiled);
  const FieldPath metadata = field_path(pod.kind, {"metadata"});
  Admission admission;
  admission.pod = pod;
  for (const detail::PolicyProblem& problem : detail::compile_rules(policies).problems) {
    admission.violations.push_back({.code = ViolationCode::invalid_policy,
                                    .field = metadata,
                                    .value = message(problem.error),
                                    .policies = detail::policies_behind(problem, policies)});
  }
  return admission;
}

}  // namespace schedpol::metadata_policy

// schedpol/metadata_policy/impl/compile.ipp

namespace schedpol::metadata_policy {

namespace detail {

/// The rules of one policy. What is wrong with them is added to `errors`.
inline std::vector<CompiledRule> compile_policy(const MetadataPolicy& policy,
                                                const schedpol::detail::Place& at,
                                                schedpol::detail::FieldErrors& errors) {
  using schedpol::detail::compile_for;
  using schedpol::detail::Place;
  std::vector<CompiledRule> rules;
  const Place spec = at.child("spec");
  const Place list = spec.child("rules");
  for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) {
    const auto& [predicate, action] = policy.spec.rules[i];
    const Place item = list.index(i);
    const Place place = item.child("policyPredicate");
    const auto matcher = [&](const std::optional<LabelSelector>& selector, std::string_view field,
                             SelectedValues values) {
      return compile_for(policy.metadata.name, selector.value_or(LabelSelector{}),
                         place.child(field), errors, values);
    };
    CompiledRule rule;
    rule.namespace_ = policy.metadata.namespace_;
    rule.policy = policy.metadata.name;
    rule.index = i;
    rule.labels = matcher(predicate.label_selector, "labelSelector", SelectedValues::labels);
    rule.annotations =
        matcher(predicate.annotation_selector, "annotationSelector", SelectedValues::annotations);
    rule.action = action;
    rules.push_back(std::move(rule));
  }
  return rules;
}

SCHEDPOL_INLINE Compilation compile_rules(std::span<const MetadataPolicy> policies) {
  Compilation compilation;
  std::vector<schedpol::detail::Named> names(policies.size());
  const FieldPath root = {"policies"};
  const schedpol::detail::Place list = root;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const ObjectMeta& metadata = policies[i].metadata;
    names[i] = {metadata.name, true, metadata.namespace_, i};
    schedpol::detail::FieldErrors errors;
    for (CompiledRule& rule : compile_policy(policies[i], list.index(i), errors))
      compilation.rules.push_back(std::move(rule));
    for (FieldError& error : std::move(errors).take())
      compilation.problems.push_back({std::move(error), i});
  }
  schedpol::detail::sort_by_name(names);
  for (const schedpol::detail::Named& name : schedpol::detail::namesakes(names)) {
    compilation.problems.push_back(
        {{ErrorType::duplicate, root, std::string(name.name), "two policies have this name"},
         std::nullopt});
  }
  std::stable_sort(compilation.rules.begin(), compilation.rules.end(),
                   [](const CompiledRule& a, const CompiledRule& b) {
                     if (a.namespace_ != b.namespace_) return a.namespace_ < b.namespace_;
                     return a.policy < b.policy;
                   });
  return compilation;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const MetadataPolicy> policies) {
  detail::Compilation compilation = detail::compile_rules(policies);
  if (!compilation.problems.empty()) {
    std::vector<FieldError> errors;
    for (detail::PolicyProblem& problem : compilation.problems)
      errors.push_back(std::move(problem.error));
    return errors;
  }
  CompiledPolicies compiled;
  compiled.impl_ = Shared(CompiledPolicies::Impl{std::move(compilation.rules)});
  return compiled;
}

}  // namespace schedpol::metadata_policy

// schedpol/metadata_policy/impl/metadata_admission.ipp

namespace schedpol::metadata_policy {

namespace detail {

using MatchingRules = std::vector<const CompiledRule*>;

/// Writes to one of the two maps at `field` what the rules update there, with changes and
/// conflicts in the order of keys.
inline void write(MetadataAdmission& admission, const FieldPath& field, Labels& into,
                  const MatchingRules& rules, Labels PolicyAction::*updates) {
  std::map<std::string_view, MatchingRules> writers;
  for (const CompiledRule* rule : rules) {
    for (const auto& [key, value] : rule->action.*updates) writers[key].push_back(rule);
  }
  for (const auto& [key, by] : writers) {
    const auto written = [&, key = key](const CompiledRule* rule) -> const std::string& {
      return *find_label(rule->action.*updates, key);
    };
    const std::string& last = written(by.back());
    const std::string* before = find_label(into, key);
    if (before == nullptr || *before != last) {
      admission.changes.push_back({field.key(key),
                                   before == nullptr ? std::nullopt : std::optional(*before), last,
                                   by.back()->policy});
      into[std::string(key)] = last;
    }
    bool disagree = false;
    for (const CompiledRule* rule : by) disagree |= written(rule) != last;
    if (!disagree) continue;
    Conflict conflict{field.key(key), {}};
    for (const CompiledRule* rule : by)
      conflict.writes.push_back({{rule->policy, rule->index}, written(rule)});
    admission.conflicts.push_back(std::move(conflict));
  }
}

}  // namespace detail

SCHEDPOL_INLINE MetadataAdmission admit(ObjectMeta metadata, const CompiledPolicies& policies,
                                        const FieldPath& field) {
  MetadataAdmission admission;
  admission.metadata = std::move(metadata);
  if (!policies.impl_) {
    admission.errors.push_back(
        {ErrorType::required, {"policies"}, "", "nothing has been compiled"});
    return admission;
  }
  detail::MatchingRules matching;
  for (const detail::CompiledRule& rule : policies.impl_->rules_of(admission.metadata.namespace_)) {
    if (!rule.matches(admission.metadata)) continue;
    matching.push_back(&rule);
    if (rule.action.reject) admission.rejected_by.push_back({rule.policy, rule.index});
  }
  admission.allowed = admission.rejected_by.empty();
  if (!admission.allowed) return admission;
  detail::write(admission, field.child("labels"), admission.metadata.labels, matching,
                &PolicyAction::updated_labels);
  detail::write(admission, field.child("annotations"), admission.metadata.annotations, matching,
                &PolicyAction::updated_annotations);
  return admission;
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

}  // namespace schedpol::metadata_policy

// schedpol/metadata_policy/impl/scheduler.ipp

namespace schedpol::metadata_policy {

namespace detail {

/// The change that writing the quality of service made, if it made one.
inline std::optional<Change> qos_change(const Labels& before, const Labels& after,
                                        const FieldPath& annotations) {
  const std::string* from = find_label(before, qos_annotation);
  const std::string* to = find_label(after, qos_annotation);
  if (from != nullptr && *from == *to) return std::nullopt;
  return Change{annotations.key(qos_annotation),
                from == nullptr ? std::nullopt : std::optional(*from), *to, ""};
}

}  // namespace detail

SCHEDPOL_INLINE Pod annotate_qos(Pod pod) {
  pod.metadata.annotations[std::string(qos_annotation)] = to_string(qos_class(pod.spec));
  return pod;
}

SCHEDPOL_INLINE Pod resolve_scheduler(Pod pod) {
  const std::string* name = find_label(pod.metadata.annotations, scheduler_name_annotation);
  if (name != nullptr && !name->empty()) pod.spec.scheduler_name = *name;
  return pod;
}

SCHEDPOL_INLINE SchedulerChoice choose_scheduler(const Pod& pod, const CompiledPolicies& policies) {
  SchedulerChoice choice;
  const FieldPath metadata = field_path(pod.kind, {"metadata"});
  const FieldPath annotations = metadata.child("annotations");
  Pod chosen = annotate_qos(pod);
  auto qos_change =
      detail::qos_change(pod.metadata.annotations, chosen.metadata.annotations, annotations);
  MetadataAdmission admission = admit(std::move(chosen.metadata), policies, metadata);
  choice.allowed = admission.allowed;
  choice.rejected_by = std::move(admission.rejected_by);
  choice.conflicts = std::move(admission.conflicts);
  choice.errors = std::move(admission.errors);
  if (!choice.allowed) {
    choice.pod = pod;
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
  chosen = resolve_scheduler(std::move(chosen));
  const std::string& before = pod.spec.scheduler_name;
  if (chosen.spec.scheduler_name != before) {
    choice.changes.push_back({field_path(pod.kind, {"spec", "schedulerName"}),
                              before.empty() ? std::nullopt : std::optional(before),
                              chosen.spec.scheduler_name, std::move(chosen_by)});
  }
  choice.pod = std::move(chosen);
  return choice;
}

SCHEDPOL_INLINE SchedulerChoice choose_scheduler(const Pod& pod,
                                                 std::span<const MetadataPolicy> policies) {
  const auto compiled = compile(policies);
  if (compiled) return choose_scheduler(pod, *compiled);
  SchedulerChoice choice;
  choice.pod = pod;
  choice.errors = compiled.errors();
  return choice;
}

}  // namespace schedpol::metadata_policy

// schedpol/metadata_policy/impl/validate.ipp

namespace schedpol::metadata_policy {

namespace detail {

inline void validate_predicate(schedpol::detail::FieldErrors& errors,
                               const schedpol::detail::Place& at,
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

inline void validate_action(schedpol::detail::FieldErrors& errors,
                            const schedpol::detail::Place& at, const PolicyAction& action) {
  schedpol::detail::validate_labels(errors, at.child("updatedLabels"), action.updated_labels);
  const schedpol::detail::Place annotations = at.child("updatedAnnotations");
  for (const auto& [key, value] : action.updated_annotations)
    errors.add_all(annotations, key, label_key_problems(key));
  if (action.reject && (!action.updated_labels.empty() || !action.updated_annotations.empty()))
    errors.add(ErrorType::forbidden, at, "", "a rule that rejects updates nothing");
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const MetadataPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::Place object;
  const schedpol::detail::Place metadata = object.child("metadata");
  schedpol::detail::validate_name(errors, metadata.child("name"), policy.metadata.name);
  const schedpol::detail::Place spec = object.child("spec");
  const schedpol::detail::Place rules = spec.child("rules");
  for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) {
    const schedpol::detail::Place rule = rules.index(i);
    detail::validate_predicate(errors, rule.child("policyPredicate"),
                               policy.spec.rules[i].policy_predicate);
    detail::validate_action(errors, rule.child("policyAction"), policy.spec.rules[i].policy_action);
  }
  return std::move(errors).take();
}

}  // namespace schedpol::metadata_policy

// schedpol/pod_scheduling_policy/impl/compiled_policy.hpp

/// What stands behind CompiledPolicies: each policy with its selectors compiled.

namespace schedpol::pod_scheduling_policy {

namespace detail {

struct CompiledPolicy {
  PodSchedulingPolicy policy{};
  LabelMatcher pods{};
  LabelMatcher namespaces{};

  [[nodiscard]] bool is_of_cluster() const noexcept {
    return policy.kind == PolicyKind::cluster_pod_scheduling_policy;
  }

  /// Whether it applies to a pod with these labels in that namespace.
  [[nodiscard]] bool applies(const Labels& labels, const ObjectMeta& in) const noexcept {
    const bool here =
        is_of_cluster() ? namespaces.matches(in.labels) : policy.metadata.namespace_ == in.name;
    return here && pods.matches(labels);
  }

  /// Whether the labels of a namespace say if it applies there.
  [[nodiscard]] bool looks_at_namespaces() const noexcept {
    const auto& selector = policy.spec.namespace_selector;
    return is_of_cluster() && selector && *selector != LabelSelector{};
  }
};

/// What came of compiling policies. Of use only where there are no errors.
struct Compilation {
  std::vector<CompiledPolicy> policies{};         ///< in the order in which they apply
  std::vector<std::vector<FieldError>> errors{};  ///< of each policy, in the order of the list
  std::vector<FieldError> namesakes{};            ///< errors of the list
};

Compilation compile_each(std::span<const PodSchedulingPolicy> policies);

}  // namespace detail

struct CompiledPolicies::Impl {
  std::vector<detail::CompiledPolicy> policies{};  ///< in the order in which they apply
};

}  // namespace schedpol::pod_scheduling_policy

// schedpol/pod_scheduling_policy/impl/admit.ipp

namespace schedpol::pod_scheduling_policy {

namespace detail {

/// Adds the errors of policies to what an admission says.
inline void deny(Admission& admission, const std::vector<FieldError>& errors,
                 const std::vector<std::string>& policies) {
  for (const FieldError& error : errors) {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(admission.pod.kind, {"spec"}), message(error),
                                    policies});
  }
}

}  // namespace detail

SCHEDPOL_INLINE Admission to_admission(Injection injection) {
  Admission admission;
  admission.allowed = injection.errors.empty();
  admission.pod = std::move(injection.pod);
  admission.changes = std::move(injection.changes);
  detail::deny(admission, injection.errors, injection.applied);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, const ObjectMeta& in, const CompiledPolicies& policies,
                                DefaultScheduler default_scheduler) {
  Pod before = pod;
  Admission admission = to_admission(inject(std::move(pod), in, policies, default_scheduler));
  if (!admission.changes.empty()) admission.before = std::move(before);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, const ObjectMeta& in,
                                std::span<const PodSchedulingPolicy> policies) {
  if (const auto compiled = compile(policies)) return admit(std::move(pod), in, *compiled);
  Admission admission;
  admission.pod = std::move(pod);
  const detail::Compilation compilation = detail::compile_each(policies);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    names.push_back(policies[i].metadata.name);
    detail::deny(admission, compilation.errors[i], {names.back()});
  }
  detail::deny(admission, compilation.namesakes, names);
  return admission;
}

}  // namespace schedpol::pod_scheduling_policy

// schedpol/pod_scheduling_policy/impl/compile.ipp

namespace schedpol::pod_scheduling_policy {

namespace detail {

/// Its namespace tells two policies apart only where it has one.
inline schedpol::detail::Named name_of(const PodSchedulingPolicy& policy, std::size_t index) {
  if (policy.kind == PolicyKind::cluster_pod_scheduling_policy)
    return {policy.metadata.name, false, {}, index};
  return {policy.metadata.name, true, policy.metadata.namespace_, index};
}

SCHEDPOL_INLINE Compilation compile_each(std::span<const PodSchedulingPolicy> policies) {
  using schedpol::detail::Place;
  Compilation compilation;
  std::vector<CompiledPolicy> compiled;
  std::vector<schedpol::detail::Named> names;
  const Place root;
  const Place list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const PodSchedulingPolicy& policy = policies[i];
    const std::string& name = policy.metadata.name;
    const Place item = list.index(i);
    const Place spec = item.child("spec");
    schedpol::detail::FieldErrors errors;
    CompiledPolicy& made = compiled.emplace_back();
    made.policy = policy;
    made.pods = schedpol::detail::compile_for(name, policy.spec.pod_selector,
                                              spec.child("podSelector"), errors);
    made.namespaces = schedpol::detail::compile_for(name, policy.spec.namespace_selector,
                                                    spec.child("namespaceSelector"), errors);
    compilation.errors.push_back(std::move(errors).take());
    names.push_back(name_of(policy, i));
  }
  schedpol::detail::sort_by_name(names);
  for (const auto& named : schedpol::detail::namesakes(names)) {
    compilation.namesakes.push_back({ErrorType::duplicate,
                                     {"policies"},
                                     std::string(named.name),
                                     "two policies have this name"});
  }
  for (const auto& named : names) compilation.policies.push_back(std::move(compiled[named.index]));
  return compilation;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const PodSchedulingPolicy> policies) {
  detail::Compilation compilation = detail::compile_each(policies);
  schedpol::detail::FieldErrors errors;
  for (auto& of_policy : compilation.errors) errors.append(std::move(of_policy));
  errors.append(std::move(compilation.namesakes));
  if (!errors.empty()) return std::move(errors).take();
  CompiledPolicies compiled;
  compiled.impl_ = Shared(CompiledPolicies::Impl{std::move(compilation.policies)});
  return compiled;
}

SCHEDPOL_INLINE bool CompiledPolicies::needs_namespace(const Labels& labels) const noexcept {
  if (!impl_) return true;
  return std::any_of(impl_->policies.begin(), impl_->policies.end(), [&](const auto& compiled) {
    return compiled.looks_at_namespaces() && compiled.pods.matches(labels);
  });
}

}  // namespace schedpol::pod_scheduling_policy

// schedpol/pod_scheduling_policy/impl/among.hpp

/// Which of a policy's tolerations, terms and expressions a pod has already.

namespace schedpol::pod_scheduling_policy::detail {

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

/// Tells the items that are among those of a list. For a few questions the list is looked through;
/// for many the texts of its items are kept, so that n questions about n items take n log n.
template <class T>
class Among {
 public:
  Among(const std::vector<T>& list, std::size_t questions)
      : list_(list), keeps_texts_(questions > few) {
    if (!keeps_texts_) return;
    for (const T& item : list) texts_.insert(text(item));
  }

  [[nodiscard]] bool has(const T& item) const {
    if (keeps_texts_) return texts_.contains(text(item));
    return std::find(list_.begin(), list_.end(), item) != list_.end();
  }

  [[nodiscard]] bool has_all(const std::vector<T>& items) const {
    return std::all_of(items.begin(), items.end(), [this](const T& item) { return has(item); });
  }

  /// Whether the list lacks the item, which is then appended to it.
  [[nodiscard]] bool lacks(const T& item) {
    return keeps_texts_ ? texts_.insert(text(item)).second : !has(item);
  }

 private:
  static constexpr std::size_t few = 64;

  const std::vector<T>& list_;
  bool keeps_texts_;
  std::set<std::string> texts_;
};

}  // namespace schedpol::pod_scheduling_policy::detail

// schedpol/pod_scheduling_policy/impl/criteria.hpp

/// The criteria of a pod while policies are merged into them, and what is noted of that.

namespace schedpol::pod_scheduling_policy::detail {

/// What policies may change, taken out of a pod: where one of them fails, the pod is still as it
/// came.
struct SchedulingCriteria {
  std::string node_name;
  std::string scheduler_name;
  Labels node_selector;
  std::vector<Toleration> tolerations;
  std::optional<Affinity> affinity;

  explicit SchedulingCriteria(const PodSpec& spec)
      : node_name(spec.node_name),
        scheduler_name(spec.scheduler_name),
        node_selector(spec.node_selector),
        tolerations(spec.tolerations),
        affinity(spec.affinity) {}

  void move_to(PodSpec& spec) && {
    spec.node_name = std::move(node_name);
    spec.scheduler_name = std::move(scheduler_name);
    spec.node_selector = std::move(node_selector);
    spec.tolerations = std::move(tolerations);
    spec.affinity = std::move(affinity);
  }
};

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
  void change(FieldPath field, std::optional<std::string> from, Text&& to) {
    if (into_.changes.empty()) into_.changes.reserve(usual_changes);
    Change& change = into_.changes.emplace_back();
    change.field = std::move(field);
    change.policy = policy_;
    if (!show_values()) return;
    change.from = std::move(from);
    change.to = to();
  }

  void skip(FieldPath field, const std::string& has, const std::string& wanted) {
    into_.skipped.push_back(
        {policy_, std::move(field),
         "the pod has " + in_backticks(has) + ", the policy " + in_backticks(wanted)});
  }

 private:
  /// More than most policies make, so that the list of changes rarely moves.
  static constexpr std::size_t usual_changes = 16;

  Injection& into_;
  const std::string& policy_;
  ChangeValues values_;
};

}  // namespace schedpol::pod_scheduling_policy::detail

// schedpol/pod_scheduling_policy/impl/node_terms.hpp

/// The required node selector terms of a pod and of a policy become one list: rule 3 of
/// `inject.hpp`.

namespace schedpol::pod_scheduling_policy::detail {

using Requirements = std::vector<NodeSelectorRequirement>;
using Terms = std::vector<NodeSelectorTerm>;

/// Drops the terms that match no node; one of them stays where there is no other. False when those
/// that are left are too many.
[[nodiscard]] inline bool drop_empty(Terms& terms) {
  std::erase_if(terms, [](const NodeSelectorTerm& term) { return is_empty(term); });
  if (terms.empty()) terms.emplace_back();
  return terms.size() <= max_node_selector_terms;
}

/// The terms of a policy, to be multiplied with those of a pod. Empty ones have no say.
class PolicyTerms {
 public:
  explicit PolicyTerms(const Terms& terms) : terms_(terms) {
    for (const NodeSelectorTerm& term : terms) {
      factors_ += is_empty(term) ? 0 : 1;
      expressions_ += term.match_expressions.size();
      fields_ += term.match_fields.size();
    }
  }

  /// Whether `terms` of a pod, of which there are some, change when they are multiplied.
  [[nodiscard]] bool change(const Terms& terms) const {
    if (terms.size() == 1 && is_empty(terms.front())) return false;
    return !std::all_of(terms.begin(), terms.end(), [this](const NodeSelectorTerm& pod) {
      return !is_empty(pod) && is_held_by(pod);
    });
  }

  /// Multiplies `terms` of a pod, of which there are some. False when they would be too many, and
  /// nothing is then left of them; a pod that needs none of the policy's keeps as many as it
  /// brings.
  [[nodiscard]] bool multiply(Terms& terms) const {
    Terms product;
    product.reserve(std::min(terms.size() * factors_, max_node_selector_terms));
    bool added = false;
    for (NodeSelectorTerm& pod : terms) {
      if (is_empty(pod)) continue;
      if (is_held_by(pod)) {
        product.push_back(std::move(pod));
        continue;
      }
      added = true;
      if (product.size() + factors_ > max_node_selector_terms) return false;
      append_product(product, pod);
    }
    terms = std::move(product);
    if (terms.empty()) terms.emplace_back();
    return !added || terms.size() <= max_node_selector_terms;
  }

 private:
  /// Whether a term of the pod holds all expressions of some term of the policy, and so needs none
  /// of them.
  [[nodiscard]] bool is_held_by(const NodeSelectorTerm& pod) const {
    const Among expressions(pod.match_expressions, expressions_);
    const Among fields(pod.match_fields, fields_);
    return std::any_of(terms_.begin(), terms_.end(), [&](const NodeSelectorTerm& policy) {
      return !is_empty(policy) && expressions.has_all(policy.match_expressions) &&
             fields.has_all(policy.match_fields);
    });
  }

  /// Appends the product of one term of the pod, of which nothing is left.
  void append_product(Terms& product, NodeSelectorTerm& pod) const {
    std::size_t left = factors_;
    for (const NodeSelectorTerm& policy : terms_) {
      if (is_empty(policy)) continue;
      // The last one takes what the pod has, the others copy it.
      const bool last = --left == 0;
      const auto rest = [&](Requirements& of_pod) { return last ? std::move(of_pod) : of_pod; };
      product.push_back({joined(policy.match_expressions, rest(pod.match_expressions)),
                         joined(policy.match_fields, rest(pod.match_fields))});
    }
  }

  /// `first`, then what of `second` it does not hold.
  static Requirements joined(const Requirements& first, Requirements second) {
    Requirements all;
    all.reserve(first.size() + second.size());
    all = first;
    Among present(all, second.size());
    for (NodeSelectorRequirement& item : second) {
      if (present.lacks(item)) all.push_back(std::move(item));
    }
    return all;
  }

  const Terms& terms_;
  std::size_t factors_ = 0;      ///< terms that are not empty
  std::size_t expressions_ = 0;  ///< in all of them
  std::size_t fields_ = 0;
};

}  // namespace schedpol::pod_scheduling_policy::detail

// schedpol/pod_scheduling_policy/impl/inject.ipp

namespace schedpol::pod_scheduling_policy {

namespace detail {

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

inline void merge_node_selector(Notes& notes, Labels& node_selector, const Labels& from) {
  for (const auto& [key, value] : from) {
    const auto [at, added] = node_selector.try_emplace(key, value);
    if (!added && at->second == value) continue;
    FieldPath path = notes.path({"spec", "nodeSelector"}).key(key);
    if (added) {
      notes.change(std::move(path), std::nullopt, [&] { return value; });
    } else {
      notes.skip(std::move(path), at->second, value);
    }
  }
}

/// Appends the items that the list does not have yet.
template <class T>
void append_missing(Notes& notes, Notes::Fields field, std::vector<T>& list,
                    const std::vector<T>& from) {
  Among present(list, from.size());
  for (const T& item : from) {
    if (!present.lacks(item)) continue;
    notes.change(notes.path(field).index(list.size()), std::nullopt, [&] { return text(item); });
    list.push_back(item);
  }
}

/// Of pod affinity and of pod anti-affinity, which `kind` names.
inline void merge_pod_affinity(Notes& notes, std::string_view kind,
                               std::optional<PodAffinity>& affinity,
                               const std::optional<PodAffinity>& from) {
  if (!has_terms(from)) return;
  if (!affinity) {
    notes.change(notes.path({"spec", "affinity", kind}), std::nullopt,
                 [&] { return to_string(*from); });
    affinity = from;
    return;
  }
  append_missing(notes, {"spec", "affinity", kind, required_mode},
                 affinity->required_during_scheduling_ignored_during_execution,
                 from->required_during_scheduling_ignored_during_execution);
  append_missing(notes, {"spec", "affinity", kind, preferred_mode},
                 affinity->preferred_during_scheduling_ignored_during_execution,
                 from->preferred_during_scheduling_ignored_during_execution);
}

/// The text of required terms.
inline std::string text(const Terms& terms) {
  return to_string(NodeAffinity{NodeSelector{terms}, {}});
}

/// False when the pod would get too many terms.
[[nodiscard]] inline bool merge_required_terms(Notes& notes, std::optional<NodeSelector>& selector,
                                               const std::optional<NodeSelector>& from) {
  if (!from || from->node_selector_terms.empty()) return true;
  if (!selector) selector.emplace();
  Terms& terms = selector->node_selector_terms;
  const PolicyTerms policy(from->node_selector_terms);
  std::optional<std::string> had;
  if (terms.empty()) {
    terms = from->node_selector_terms;
    if (!drop_empty(terms)) return false;
  } else {
    if (!policy.change(terms)) return true;
    if (notes.show_values()) had = text(terms);
    if (!policy.multiply(terms)) return false;
  }
  notes.change(notes.path({"spec", "affinity", "nodeAffinity", required_mode}), std::move(had),
               [&] { return text(terms); });
  return true;
}

/// False when the pod would get too many terms.
[[nodiscard]] inline bool merge_node_affinity(Notes& notes, std::optional<NodeAffinity>& affinity,
                                              const std::optional<NodeAffinity>& from) {
  if (!has_terms(from)) return true;
  if (!affinity) {
    affinity = from;
    auto& required = affinity->required_during_scheduling_ignored_during_execution;
    if (required && !required->node_selector_terms.empty() &&
        !drop_empty(required->node_selector_terms)) {
      return false;
    }
    notes.change(notes.path({"spec", "affinity", "nodeAffinity"}), std::nullopt,
                 [&] { return to_string(*affinity); });
    return true;
  }
  append_missing(notes, {"spec", "affinity", "nodeAffinity", preferred_mode},
                 affinity->preferred_during_scheduling_ignored_during_execution,
                 from->preferred_during_scheduling_ignored_during_execution);
  return merge_required_terms(notes, affinity->required_during_scheduling_ignored_during_execution,
                              from->required_during_scheduling_ignored_during_execution);
}

/// False when the pod would get too many terms.
[[nodiscard]] inline bool merge(Notes& notes, SchedulingCriteria& criteria,
                                const PodSchedulingPolicySpec& from,
                                DefaultScheduler default_scheduler) {
  merge_name(notes, "nodeName", criteria.node_name, from.node_name, "");
  merge_name(notes, "schedulerName", criteria.scheduler_name, from.scheduler_name,
             default_scheduler == DefaultScheduler::unspecified ? default_scheduler_name : "");
  merge_node_selector(notes, criteria.node_selector, from.node_selector);
  append_missing(notes, {"spec", "tolerations"}, criteria.tolerations, from.tolerations);
  const auto& affinity = from.affinity;
  if (!affinity || !(has_terms(affinity->node_affinity) || has_terms(affinity->pod_affinity) ||
                     has_terms(affinity->pod_anti_affinity))) {
    return true;
  }
  Affinity& into = criteria.affinity ? *criteria.affinity : criteria.affinity.emplace();
  merge_pod_affinity(notes, "podAffinity", into.pod_affinity, affinity->pod_affinity);
  merge_pod_affinity(notes, "podAntiAffinity", into.pod_anti_affinity, affinity->pod_anti_affinity);
  return merge_node_affinity(notes, into.node_affinity, affinity->node_affinity);
}

/// An injection that failed: nothing is injected.
inline Injection failed(Pod pod, std::vector<std::string> policies,
                        std::vector<FieldError> errors) {
  return {.pod = std::move(pod), .applied = std::move(policies), .errors = std::move(errors)};
}

}  // namespace detail

SCHEDPOL_INLINE Injection inject(Pod pod, const ObjectMeta& in, const CompiledPolicies& policies,
                                 DefaultScheduler default_scheduler, ChangeValues values) {
  if (!policies.impl_) {
    return detail::failed(std::move(pod), {},
                          {{ErrorType::required, {"policies"}, "", "no policies were compiled"}});
  }
  Injection injection{.pod = std::move(pod)};
  std::optional<detail::SchedulingCriteria> criteria;  // of a pod that some policy selects
  for (const auto& compiled : policies.impl_->policies) {
    if (!compiled.applies(injection.pod.metadata.labels, in)) continue;
    const std::string& name = compiled.policy.metadata.name;
    const PodSchedulingPolicySpec& from = compiled.policy.spec;
    detail::Notes notes(injection, name, values);
    if (!criteria) criteria.emplace(injection.pod.spec);
    if (!detail::merge(notes, *criteria, from, default_scheduler)) {
      FieldError error = {ErrorType::too_many, notes.path({"spec", "affinity", "nodeAffinity"}), "",
                          "the policy " + in_backticks(name) + " makes more than " +
                              std::to_string(max_node_selector_terms) + " node selector terms"};
      return detail::failed(std::move(injection.pod), {name}, {std::move(error)});
    }
    injection.applied.push_back(name);
    if (!from.scheduler_name.empty()) default_scheduler = DefaultScheduler::specified;
  }
  if (criteria) std::move(*criteria).move_to(injection.pod.spec);
  return injection;
}

SCHEDPOL_INLINE Injection inject(Pod pod, const ObjectMeta& in,
                                 std::span<const PodSchedulingPolicy> policies) {
  const auto compiled = compile(policies);
  if (!compiled) return detail::failed(std::move(pod), {}, compiled.errors());
  return inject(std::move(pod), in, *compiled);
}

}  // namespace schedpol::pod_scheduling_policy

// schedpol/pod_scheduling_policy/impl/validate.ipp

namespace schedpol::pod_scheduling_policy {

SCHEDPOL_INLINE std::vector<FieldError> validate(const PodSchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const PodSchedulingPolicySpec& from = policy.spec;
  const schedpol::detail::Place root;
  const schedpol::detail::Place metadata = root.child("metadata");
  const schedpol::detail::Place spec = root.child("spec");
  const schedpol::detail::Place namespaces = spec.child("namespaceSelector");
  validate_name(errors, metadata.child("name"), policy.metadata.name);
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
  return std::move(errors).take();
}

}  // namespace schedpol::pod_scheduling_policy

// schedpol/rbac/impl/builtin.ipp

namespace schedpol::rbac {

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

inline ClusterRole may_use(std::string name, const char* policy) {
  const Access access;
  PolicyRule rule;
  rule.verbs = {access.verb};
  rule.api_groups = {access.api_group};
  rule.resources = {access.resource};
  rule.resource_names = {policy};
  return {bootstrapped(std::move(name)), {std::move(rule)}};
}

inline constexpr const char* rbac_group = "rbac.authorization.k8s.io";

}  // namespace detail

SCHEDPOL_INLINE ClusterRole restricted_cluster_role() {
  return detail::may_use("sp:restricted", "restricted");
}

SCHEDPOL_INLINE ClusterRole privileged_cluster_role() {
  return detail::may_use("sp:privileged", "privileged");
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

SCHEDPOL_INLINE Rbac builtin() {
  return {.roles = {},
          .cluster_roles = {restricted_cluster_role(), privileged_cluster_role()},
          .role_bindings = {kube_system_privileged_role_binding()},
          .cluster_role_bindings = {restricted_cluster_role_binding()}};
}

}  // namespace schedpol::rbac

// schedpol/resource_policy/impl/compiled_policy.hpp

/// What stands behind CompiledPolicies: each policy with its selectors compiled.

namespace schedpol::resource_policy {

namespace detail {

struct CompiledUnit {
  LabelMatcher nodes{};
  std::int64_t score = 0;  ///< of its nodes, before normalisation
  std::optional<std::int32_t> max_count{};
};

struct CompiledPolicy {
  std::string name{};
  std::string namespace_{};
  LabelMatcher pods{};
  Texts match_label_keys{};
  bool ignores_terminating_pods = false;
  bool prefers = false;  ///< whether its pods may run outside its units
  std::vector<CompiledUnit> units{};

  /// Whether the pod is the policy's to place: of its namespace and selected.
  [[nodiscard]] bool selects(const Pod& pod) const noexcept {
    return pod.metadata.namespace_ == namespace_ && pods.matches(pod.metadata.labels);
  }
};

/// What came of compiling policies. Of use only where there are no errors.
struct Compilation {
  std::vector<CompiledPolicy> policies{};
  std::vector<std::vector<FieldError>> errors{};  ///< of each policy
};

Compilation compile_each(std::span<const ResourcePolicy> policies);

}  // namespace detail

struct CompiledPolicies::Impl {
  std::vector<detail::CompiledPolicy> policies{};  ///< in the order in which they were given
};

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/impl/admit.ipp

namespace schedpol::resource_policy {

SCHEDPOL_INLINE Admission admit(Pod pod, const CompiledPolicies& policies) {
  Admission admission;
  std::vector<std::string> selecting;
  if (policies.impl_) {
    for (const auto& policy : policies.impl_->policies) {
      if (policy.selects(pod)) selecting.push_back(policy.name);
    }
    admission.allowed = selecting.size() <= 1;
    if (!admission.allowed) {
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
  if (const auto compiled = compile(policies)) return admit(std::move(pod), *compiled);
  Admission admission;
  const detail::Compilation compilation = detail::compile_each(policies);
  for (std::size_t i = 0; i < policies.size(); ++i) {
    for (const FieldError& error : compilation.errors[i]) {
      admission.violations.push_back({ViolationCode::invalid_policy,
                                      field_path(pod.kind, {"spec"}),
                                      message(error),
                                      {policies[i].metadata.name}});
    }
  }
  admission.pod = std::move(pod);
  return admission;
}

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/impl/compile.ipp

namespace schedpol::resource_policy {

namespace detail {

/// What is wrong with the policy, which stands at `place`, goes to `errors`.
inline CompiledPolicy compile_one(const ResourcePolicy& policy,
                                  const schedpol::detail::Place& place,
                                  schedpol::detail::FieldErrors& errors) {
  using schedpol::detail::Place;
  const ResourcePolicySpec& from = policy.spec;
  const Place spec = place.child("spec");
  const Place units = spec.child("units");
  const auto matcher = [&](const std::optional<LabelSelector>& selector, const Place& field) {
    return schedpol::detail::compile_for(policy.metadata.name, selector.value_or(LabelSelector{}),
                                         field, errors);
  };
  if (!from.strategy.known()) {
    errors.add(ErrorType::not_supported, spec.child("strategy"), from.strategy.text(),
               "supported are required and prefer (in " + in_backticks(policy.metadata.name) + ")");
  }
  CompiledPolicy compiled;
  compiled.name = policy.metadata.name;
  compiled.namespace_ = policy.metadata.namespace_;
  compiled.pods = matcher(from.pod_selector, spec.child("podSelector"));
  compiled.match_label_keys = from.match_label_keys;
  compiled.ignores_terminating_pods = from.match_policy.ignore_terminating_pod;
  compiled.prefers = from.strategy == Strategy::prefer;
  for (std::size_t i = 0; i < from.units.size(); ++i) {
    const Unit& unit = from.units[i];
    const Place item = units.index(i);
    compiled.units.push_back({matcher(unit.node_selector, item.child("nodeSelector")),
                              score_per_priority * unit.priority.value_or(0), unit.max_count});
  }
  return compiled;
}

SCHEDPOL_INLINE Compilation compile_each(std::span<const ResourcePolicy> policies) {
  Compilation compilation;
  const schedpol::detail::Place root;
  const schedpol::detail::Place list = root.child("policies");
  for (std::size_t i = 0; i < policies.size(); ++i) {
    schedpol::detail::FieldErrors errors;
    compilation.policies.push_back(compile_one(policies[i], list.index(i), errors));
    compilation.errors.push_back(std::move(errors).take());
  }
  return compilation;
}

}  // namespace detail

SCHEDPOL_INLINE Result<CompiledPolicies> compile(std::span<const ResourcePolicy> policies) {
  detail::Compilation compilation = detail::compile_each(policies);
  schedpol::detail::FieldErrors errors;
  for (auto& of_policy : compilation.errors) errors.append(std::move(of_policy));
  if (!errors.empty()) return std::move(errors).take();
  CompiledPolicies compiled;
  compiled.impl_ = Shared(CompiledPolicies::Impl{std::move(compilation.policies)});
  return compiled;
}

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/impl/group_counts.hpp

/// How many pods of one policy run on each of its units, apart by their values of its match label
/// keys: rule 2 of `cluster.hpp`.

namespace schedpol::resource_policy::detail {

/// Some units of a policy, in their order.
using UnitIndices = std::vector<std::size_t>;

/// The values that a pod has of the match label keys; none where it lacks a key.
using Group = std::vector<std::optional<std::string>>;

inline Group group_of(const Labels& labels, const Texts& match_label_keys) {
  Group group;
  group.reserve(match_label_keys.size());
  for (const std::string& key : match_label_keys) {
    const std::string* value = find_label(labels, key);
    group.push_back(value == nullptr ? std::nullopt : std::optional(*value));
  }
  return group;
}

/// Whether pods of `counted` count for a pod of `asking`: equal in what the latter has.
inline bool counts_for(const Group& asking, const Group& counted) noexcept {
  for (std::size_t i = 0; i < asking.size(); ++i) {
    if (asking[i] && asking[i] != counted[i]) return false;
  }
  return true;
}

class GroupCounts {
 public:
  using Counts = std::vector<std::int64_t>;  ///< per unit of the policy

  explicit GroupCounts(std::size_t units) : units_(units) {}

  void add(const Group& group, const UnitIndices& units) { change(group, units, 1); }
  void remove(const Group& group, const UnitIndices& units) { change(group, units, -1); }

  /// What a pod of that group sees. Where it lacks a key, it sees several groups.
  [[nodiscard]] Counts seen_by(const Group& asking) const {
    Counts sum(units_);
    const auto take = [&](const Counts& counts) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
    };
    const bool complete = std::all_of(asking.begin(), asking.end(),
                                      [](const auto& value) { return value.has_value(); });
    if (complete) {
      if (const auto found = groups_.find(asking); found != groups_.end()) take(found->second);
      return sum;
    }
    for (const auto& [group, counts] : groups_) {
      if (counts_for(asking, group)) take(counts);
    }
    return sum;
  }

 private:
  void change(const Group& group, const UnitIndices& units, std::int64_t by) {
    const auto at = groups_.try_emplace(group, units_).first;
    Counts& counts = at->second;
    for (const std::size_t unit : units) counts[unit] += by;
    if (std::all_of(counts.begin(), counts.end(), [](std::int64_t n) { return n == 0; }))
      groups_.erase(at);
  }

  std::size_t units_;
  std::map<Group, Counts> groups_;  ///< none of which is all zero
};

}  // namespace schedpol::resource_policy::detail

// schedpol/resource_policy/impl/cluster_state.hpp

/// What a Cluster keeps: the units of every node, the bound pods and their counts.

namespace schedpol::resource_policy {

namespace detail {

/// A policy that counts a pod, and the group that the pod has in it.
struct CountedBy {
  std::size_t policy = 0;
  Group group{};
};

struct BoundPod {
  std::string node{};
  std::size_t selecting = 0;  ///< policies that select the pod
  std::size_t policy = 0;     ///< the last of them
  std::vector<CountedBy> counted_by{};
};

/// Pods by namespace and name, found without copying either.
struct PodOrder {
  using is_transparent = void;

  template <class A, class B>
  bool operator()(const A& a, const B& b) const noexcept {
    const int order = std::string_view(a.first).compare(b.first);
    return order != 0 ? order < 0 : std::string_view(a.second) < b.second;
  }
};

[[nodiscard]] inline bool is_over(const Pod& pod) noexcept {
  return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
}

/// Of the units of a node, of which there are some, the one of the highest score, of equals the
/// first.
[[nodiscard]] inline std::size_t best_unit(const CompiledPolicy& policy,
                                           const UnitIndices& of_node) noexcept {
  std::size_t best = of_node.front();
  for (const std::size_t unit : of_node) {
    if (policy.units[unit].score > policy.units[best].score) best = unit;
  }
  return best;
}

}  // namespace detail

struct Cluster::Impl {
  using PodName = std::pair<std::string_view, std::string_view>;

  explicit Impl(Shared<CompiledPolicies::Impl> from) : compiled(std::move(from)) {
    for (const auto& policy : compiled->policies) counts.emplace_back(policy.units.size());
  }

  [[nodiscard]] const std::vector<detail::CompiledPolicy>& policies() const noexcept {
    return compiled->policies;
  }

  void add_node(const Node& node) {
    auto& units = nodes[node.metadata.name];
    units.assign(policies().size(), {});
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto& all = policies()[i].units;
      for (std::size_t j = 0; j < all.size(); ++j) {
        if (all[j].nodes.matches(node.metadata.labels)) units[i].push_back(j);
      }
    }
  }

  /// None of a node that is not in the cluster.
  [[nodiscard]] const detail::UnitIndices& units_of(std::size_t policy,
                                                    std::string_view node) const noexcept {
    const auto found = nodes.find(node);
    return found == nodes.end() ? no_units : found->second[policy];
  }

  /// Of the policy, as rule 2 counts for this pod: itself is left out.
  [[nodiscard]] std::vector<std::int64_t> counts_for(const Pod& pod, std::size_t policy) const {
    const detail::Group group =
        detail::group_of(pod.metadata.labels, policies()[policy].match_label_keys);
    std::vector<std::int64_t> seen = counts[policy].seen_by(group);
    const auto itself = bound.find(PodName(pod.metadata.namespace_, pod.metadata.name));
    if (itself == bound.end()) return seen;
    for (const detail::CountedBy& by : itself->second.counted_by) {
      if (by.policy != policy || !detail::counts_for(group, by.group)) continue;
      for (const std::size_t unit : units_of(policy, itself->second.node)) --seen[unit];
    }
    return seen;
  }

  void bind(const Pod& pod, std::string_view node) {
    unbind({pod.metadata.namespace_, pod.metadata.name});
    const auto at = nodes.find(node);
    if (at == nodes.end() || detail::is_over(pod)) return;
    detail::BoundPod made;
    made.node = std::string(node);
    for (std::size_t i = 0; i < policies().size(); ++i) {
      const detail::CompiledPolicy& policy = policies()[i];
      if (!policy.selects(pod)) continue;
      ++made.selecting;
      made.policy = i;
      if (policy.ignores_terminating_pods && !pod.metadata.deletion_timestamp.empty()) continue;
      made.counted_by.push_back(
          {i, detail::group_of(pod.metadata.labels, policy.match_label_keys)});
      counts[i].add(made.counted_by.back().group, at->second[i]);
    }
    bound.insert_or_assign({pod.metadata.namespace_, pod.metadata.name}, std::move(made));
    ++changes;
  }

  void unbind(PodName pod) {
    const auto found = bound.find(pod);
    if (found == bound.end()) return;
    for (const detail::CountedBy& by : found->second.counted_by)
      counts[by.policy].remove(by.group, units_of(by.policy, found->second.node));
    bound.erase(found);
    ++changes;
  }

  Shared<CompiledPolicies::Impl> compiled;
  std::map<std::string, std::vector<detail::UnitIndices>, std::less<>> nodes;  ///< by policy
  std::vector<detail::GroupCounts> counts;                                     ///< by policy
  std::map<std::pair<std::string, std::string>, detail::BoundPod, detail::PodOrder> bound;
  std::uint64_t changes = 0;
  detail::UnitIndices no_units;
};

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/impl/cluster.ipp

namespace schedpol::resource_policy {

SCHEDPOL_INLINE Cluster::Cluster(CompiledPolicies policies, std::span<const Node> nodes,
                                 std::span<const Pod> pods) {
  if (!policies.impl_) return;
  auto made = std::make_unique<Impl>(std::move(policies.impl_));
  for (const Node& node : nodes) made->add_node(node);
  for (const Pod& pod : pods) made->bind(pod, pod.spec.node_name);
  impl_ = made.release();
}

SCHEDPOL_INLINE Cluster::Cluster(const Cluster& other)
    : impl_(other.impl_ == nullptr ? nullptr : new Impl(*other.impl_)) {}

SCHEDPOL_INLINE Cluster::Cluster(Cluster&& other) noexcept
    : impl_(std::exchange(other.impl_, nullptr)) {}

SCHEDPOL_INLINE Cluster& Cluster::operator=(Cluster other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

SCHEDPOL_INLINE Cluster::~Cluster() {
  delete impl_;
}

SCHEDPOL_INLINE Prefilter Cluster::prefilter(const Pod& pod) const& {
  Prefilter prefilter;
  if (impl_ == nullptr) return prefilter;
  std::size_t selecting = 0;
  for (std::size_t i = 0; i < impl_->policies().size(); ++i) {
    if (!impl_->policies()[i].selects(pod)) continue;
    ++selecting;
    prefilter.policy_ = i;
  }
  if (selecting == 0) prefilter.code_ = Code::skip;
  if (selecting > 1) prefilter.reason_ = Reason::multiple_resource_policies;
  if (selecting != 1) return prefilter;
  prefilter.code_ = Code::success;
  prefilter.cluster_ = impl_;
  prefilter.changes_ = impl_->changes;
  prefilter.counts_ = impl_->counts_for(pod, prefilter.policy_);
  return prefilter;
}

SCHEDPOL_INLINE void Cluster::bind(const Pod& pod, std::string_view node) {
  if (impl_ != nullptr) impl_->bind(pod, node);
}

SCHEDPOL_INLINE void Cluster::unbind(std::string_view namespace_, std::string_view name) {
  if (impl_ != nullptr) impl_->unbind({namespace_, name});
}

SCHEDPOL_INLINE std::optional<std::int32_t> Cluster::deletion_cost(std::string_view namespace_,
                                                                   std::string_view name) const {
  if (impl_ == nullptr) return std::nullopt;
  const auto found = impl_->bound.find(Impl::PodName(namespace_, name));
  if (found == impl_->bound.end() || found->second.selecting != 1) return std::nullopt;
  const auto& [node, selecting, index, counted_by] = found->second;
  const detail::CompiledPolicy& policy = impl_->policies()[index];
  const detail::UnitIndices& units = impl_->units_of(index, node);
  const std::int64_t cost =
      units.empty() ? score_outside_units : policy.units[detail::best_unit(policy, units)].score;
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(
      cost, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
}

SCHEDPOL_INLINE std::string_view Prefilter::policy() const noexcept {
  return cluster_ == nullptr ? std::string_view() : cluster_->policies()[policy_].name;
}

SCHEDPOL_INLINE Filter Prefilter::filter(std::string_view node) const noexcept {
  if (code_ == Code::skip) return {Code::success, Reason::none, std::nullopt};
  if (code_ != Code::success) return {code_, reason_, std::nullopt};
  const detail::CompiledPolicy& policy = cluster_->policies()[policy_];
  const bool holds = changes_ == cluster_->changes && counts_.size() == policy.units.size();
  if (!holds) return {};
  const detail::UnitIndices& units = cluster_->units_of(policy_, node);
  if (units.empty()) {
    if (policy.prefers) return {Code::success, Reason::none, std::nullopt};
    return {Code::unschedulable_and_unresolvable, Reason::node_not_in_unit, std::nullopt};
  }
  const std::size_t best = detail::best_unit(policy, units);
  for (const std::size_t unit : units) {
    const auto& max_count = policy.units[unit].max_count;
    if (max_count && counts_[unit] >= *max_count)
      return {Code::unschedulable, Reason::unit_full, best};
  }
  return {Code::success, Reason::none, best};
}

SCHEDPOL_INLINE std::int64_t Prefilter::score(const Filter& filter) const noexcept {
  if (code_ != Code::success || !filter.unit || *filter.unit >= counts_.size())
    return score_outside_units;
  return cluster_->policies()[policy_].units[*filter.unit].score;
}

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/impl/score.ipp

namespace schedpol::resource_policy {

SCHEDPOL_INLINE std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores) {
  std::vector<std::int64_t> normalised(scores.size(), 100);
  if (scores.empty()) return normalised;
  const auto [low, high] = std::minmax_element(scores.begin(), scores.end());
  if (*low == *high) return normalised;
  // Differences of any two int64 fit in uint64; where a hundred times one would not, both lose 7
  // bits.
  const auto above_low = [lowest = *low](std::int64_t score) {
    return static_cast<std::uint64_t>(score) - static_cast<std::uint64_t>(lowest);
  };
  const std::uint64_t range = above_low(*high);
  const int shift = range > std::numeric_limits<std::uint64_t>::max() / 100 ? 7 : 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    normalised[i] =
        static_cast<std::int64_t>((above_low(scores[i]) >> shift) * 100 / (range >> shift));
  }
  return normalised;
}

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/impl/plan.ipp

namespace schedpol::resource_policy {

namespace detail {

using ReplicasByNode = std::unordered_map<std::string_view, std::size_t>;

/// Where the next replica goes, when so many are on each of the nodes already.
inline Placement place(const Cluster& cluster, std::span<const Node> nodes, const Pod& pod,
                       const ReplicasByNode& replicas) {
  const Prefilter prefilter = cluster.prefilter(pod);
  Placement placement;
  placement.pod = pod.metadata.name;
  placement.reason = prefilter.reason();
  std::optional<std::int64_t> best;  // score
  std::size_t fewest = 0;            // replicas on the node of that score
  for (const Node& node : nodes) {
    const Filter filter = prefilter.filter(node.metadata.name);
    if (filter.code != Code::success) {
      if (!best && placement.reason != Reason::unit_full) {
        placement.code = filter.code;
        placement.reason = filter.reason;
      }
      continue;
    }
    const std::int64_t score = prefilter.score(filter);
    const std::size_t placed = replicas.find(node.metadata.name)->second;
    if (best && (score < *best || (score == *best && placed >= fewest))) continue;
    best = score;
    fewest = placed;
    placement.code = Code::success;
    placement.reason = Reason::none;
    placement.node = node.metadata.name;
    placement.unit = filter.unit;
  }
  return placement;
}

/// The placed replicas of the lowest deletion cost first, of equals the latest.
inline std::vector<std::string> scale_down_order(const std::vector<Placement>& placements) {
  std::vector<const Placement*> placed;
  for (auto latest = placements.rbegin(); latest != placements.rend(); ++latest) {
    if (!latest->node.empty()) placed.push_back(&*latest);
  }
  std::stable_sort(placed.begin(), placed.end(), [](const Placement* a, const Placement* b) {
    return a->deletion_cost < b->deletion_cost;
  });
  std::vector<std::string> names;
  for (const Placement* placement : placed) names.push_back(placement->pod);
  return names;
}

}  // namespace detail

SCHEDPOL_INLINE Plan plan(Cluster cluster, std::span<const Node> nodes, Pod pod,
                          std::size_t replicas) {
  Plan result;
  const std::string name = pod.metadata.name;
  detail::ReplicasByNode on_node;
  for (const Node& node : nodes) on_node.try_emplace(node.metadata.name, 0);
  for (std::size_t i = 0; i < replicas; ++i) {
    pod.metadata.name = name + "-" + std::to_string(i);
    Placement placement = detail::place(cluster, nodes, pod, on_node);
    if (placement.code == Code::success) {
      cluster.bind(pod, placement.node);
      ++on_node.find(placement.node)->second;
      placement.deletion_cost =
          cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name).value_or(0);
    }
    result.placements.push_back(std::move(placement));
  }
  result.scale_down = detail::scale_down_order(result.placements);
  return result;
}

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/impl/validate.ipp

namespace schedpol::resource_policy {

namespace detail {

inline void validate_not_negative(schedpol::detail::FieldErrors& errors,
                                  const schedpol::detail::Place& place,
                                  const std::optional<std::int32_t>& number) {
  if (!number || *number >= 0) return;
  errors.add(ErrorType::invalid, place, std::to_string(*number), "must not be negative");
}

inline void validate_unit(schedpol::detail::FieldErrors& errors,
                          const schedpol::detail::Place& place, const Unit& unit) {
  validate_not_negative(errors, place.child("priority"), unit.priority);
  validate_not_negative(errors, place.child("maxCount"), unit.max_count);
  if (unit.node_selector)
    validate_selector(errors, place.child("nodeSelector"), *unit.node_selector,
                      SelectedValues::labels);
}

/// What is legal and probably not meant: units of one name, and of one selector.
inline void find_repetitions(schedpol::detail::FieldErrors& warnings,
                             const schedpol::detail::Place& place, const std::vector<Unit>& units) {
  schedpol::detail::UniqueNames names;
  std::map<std::string, std::size_t> first;  // unit of a selector, by the selector's text
  for (std::size_t i = 0; i < units.size(); ++i) {
    const schedpol::detail::Place item = place.index(i);
    if (!units[i].name.empty() && !names.add(units[i].name)) {
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

}  // namespace detail

SCHEDPOL_INLINE Validation validate(const ResourcePolicy& policy) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::FieldErrors warnings;
  const ResourcePolicySpec& from = policy.spec;
  const schedpol::detail::Place root;
  const schedpol::detail::Place metadata = root.child("metadata");
  const schedpol::detail::Place spec = root.child("spec");
  const schedpol::detail::Place keys = spec.child("matchLabelKeys");
  const schedpol::detail::Place units = spec.child("units");
  validate_name(errors, metadata.child("name"), policy.metadata.name);
  for (std::size_t i = 0; i < from.match_label_keys.size(); ++i) {
    const std::string& key = from.match_label_keys[i];
    errors.add_all(keys.index(i), key, label_key_problems(key));
  }
  if (from.pod_selector)
    validate_selector(errors, spec.child("podSelector"), *from.pod_selector,
                      SelectedValues::labels);
  if (!from.strategy.known()) {
    errors.add(ErrorType::not_supported, spec.child("strategy"), from.strategy.text(),
               "supported are required and prefer");
  }
  for (std::size_t i = 0; i < from.units.size(); ++i)
    detail::validate_unit(errors, units.index(i), from.units[i]);
  detail::find_repetitions(warnings, units, from.units);
  return {std::move(errors).take(), std::move(warnings).take()};
}

}  // namespace schedpol::resource_policy

// schedpol/runtime_class/impl/pod_and_class.hpp

/// A pod and the class it names: which class that is, what of it the pod lacks, and where the two
/// disagree. What follows from it is decided by `admit` and `verify`.

namespace schedpol::runtime_class::detail {

/// `cpu=250m, memory=120Mi`.
inline std::string to_text(const ResourceList& resources) {
  std::string text;
  for (const auto& [name, quantity] : resources) {
    if (!text.empty()) text += ", ";
    text.append(name).append("=").append(quantity.text());
  }
  return text;
}

/// The classes of one name, compiled.
inline CompiledClasses compile_named(std::span<const RuntimeClass> classes, std::string_view name) {
  std::vector<RuntimeClass> named;
  for (const RuntimeClass& runtime_class : classes) {
    if (runtime_class.metadata.name == name) named.push_back(runtime_class);
  }
  return *compile(named);
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

struct Comparison {
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
inline Comparison compare(const Pod& pod, const RuntimeClass& with) {
  Comparison comparison;
  comparison.overhead = compare_overhead(pod.spec.overhead, with);
  if (!with.scheduling) return comparison;
  for (const auto& [key, value] : with.scheduling->node_selector) {
    const std::string* found = find_label(pod.spec.node_selector, key);
    if (found == nullptr || *found != value) {
      comparison.node_selector.push_back({&key, &value, found});
    }
  }
  return comparison;
}

}  // namespace schedpol::runtime_class::detail

// schedpol/runtime_class/impl/admit.ipp

namespace schedpol::runtime_class {

namespace detail {

/// Where the pod contradicts its class.
inline std::vector<Violation> contradictions(const Pod& pod, const Comparison& comparison,
                                             const std::string& class_name) {
  std::vector<Violation> violations;
  if (comparison.overhead == OverheadState::other ||
      comparison.overhead == OverheadState::undefined) {
    violations.push_back({.code = comparison.overhead == OverheadState::other
                                      ? ViolationCode::overhead_mismatch
                                      : ViolationCode::overhead_without_runtime_class,
                          .field = field_path(pod.kind, {"spec", "overhead"}),
                          .value = to_text(pod.spec.overhead),
                          .policies = {class_name}});
  }
  for (const MissingPair& pair : comparison.node_selector) {
    if (pair.found == nullptr) continue;
    violations.push_back({.code = ViolationCode::node_selector_conflict,
                          .field = field_path(pod.kind, {"spec", "nodeSelector"}).key(*pair.key),
                          .value = *pair.found,
                          .policies = {class_name}});
  }
  return violations;
}

/// The indices of what `list` has and `other` does not have as often.
inline std::vector<std::size_t> missing_from(std::vector<Toleration> other,
                                             const std::vector<Toleration>& list) {
  std::vector<std::size_t> missing;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (const auto at = std::find(other.begin(), other.end(), list[i]); at != other.end()) {
      other.erase(at);
    } else {
      missing.push_back(i);
    }
  }
  return missing;
}

/// Gives a pod that does not contradict its class what it lacks of it.
class TakeOver {
 public:
  TakeOver(Pod pod, const RuntimeClass& from) : pod_(std::move(pod)), from_(from) {}

  [[nodiscard]] Admission run(const Comparison& comparison) && {
    if (comparison.overhead == OverheadState::missing) {
      note(field_path(pod_.kind, {"spec", "overhead"}), std::nullopt,
           to_text(from_.overhead->pod_fixed));
    }
    for (const MissingPair& pair : comparison.node_selector) {
      note(field_path(pod_.kind, {"spec", "nodeSelector"}).key(*pair.key), std::nullopt,
           *pair.value);
    }
    std::optional<std::vector<Toleration>> tolerations = merge_tolerations();
    Admission admission;
    admission.allowed = true;
    if (!changes_.empty()) admission.before.emplace(pod_);
    if (comparison.overhead == OverheadState::missing)
      pod_.spec.overhead = from_.overhead->pod_fixed;
    for (const MissingPair& pair : comparison.node_selector)
      pod_.spec.node_selector.emplace(*pair.key, *pair.value);
    if (tolerations) pod_.spec.tolerations = *std::move(tolerations);
    admission.pod = std::move(pod_);
    admission.changes = std::move(changes_);
    return admission;
  }

 private:
  void note(FieldPath field, std::optional<std::string> from, std::optional<std::string> to) {
    changes_.push_back({std::move(field), std::move(from), std::move(to), from_.metadata.name});
  }

  /// The union, where it is not the pod's own. A toleration of the pod that it no longer lists was
  /// covered by another, or is there once already.
  [[nodiscard]] std::optional<std::vector<Toleration>> merge_tolerations() {
    if (!from_.scheduling) return std::nullopt;
    const std::vector<Toleration>& own = pod_.spec.tolerations;
    std::vector<Toleration> merged = merge(own, from_.scheduling->tolerations);
    const std::vector<std::size_t> dropped = missing_from(merged, own);
    const std::vector<std::size_t> added = missing_from(own, merged);
    if (dropped.empty() && added.empty()) return std::nullopt;
    const FieldPath field = field_path(pod_.kind, {"spec", "tolerations"});
    for (const std::size_t i : dropped) note(field.index(i), to_string(own[i]), std::nullopt);
    for (const std::size_t i : added) note(field.index(i), std::nullopt, to_string(merged[i]));
    return merged;
  }

  Pod pod_;
  const RuntimeClass& from_;
  std::vector<Change> changes_;
};

}  // namespace detail

SCHEDPOL_INLINE Admission admit(Pod pod, const CompiledClasses& classes) {
  detail::NamedClass named = detail::named_class(pod, classes);
  Admission admission;
  if (named.violation) admission.violations.push_back(*std::move(named.violation));
  if (named.runtime_class != nullptr) {
    const detail::Comparison comparison = detail::compare(pod, *named.runtime_class);
    admission.violations = detail::contradictions(pod, comparison, pod.spec.runtime_class_name);
    if (admission.violations.empty()) {
      return detail::TakeOver(std::move(pod), *named.runtime_class).run(comparison);
    }
  }
  admission.allowed = admission.violations.empty();
  admission.pod = std::move(pod);
  return admission;
}

SCHEDPOL_INLINE Admission admit(Pod pod, std::span<const RuntimeClass> classes) {
  const CompiledClasses named = detail::compile_named(classes, pod.spec.runtime_class_name);
  return admit(std::move(pod), named);
}

}  // namespace schedpol::runtime_class

// schedpol/runtime_class/impl/compile.ipp

namespace schedpol::runtime_class {

struct CompiledClasses::Impl {
  struct Entry {
    RuntimeClass runtime_class;
    bool ambiguous = false;
  };
  std::vector<Entry> entries;  ///< one a name, in byte order

  [[nodiscard]] const Entry* find(std::string_view name) const noexcept {
    const auto at = std::partition_point(entries.begin(), entries.end(), [&](const Entry& entry) {
      return entry.runtime_class.metadata.name < name;
    });
    return at == entries.end() || at->runtime_class.metadata.name != name ? nullptr : &*at;
  }
};

SCHEDPOL_INLINE const RuntimeClass* CompiledClasses::find(std::string_view name) const& noexcept {
  const Impl::Entry* entry = impl_ ? impl_->find(name) : nullptr;
  return entry == nullptr || entry->ambiguous ? nullptr : &entry->runtime_class;
}

SCHEDPOL_INLINE bool CompiledClasses::is_ambiguous(std::string_view name) const noexcept {
  const Impl::Entry* entry = impl_ ? impl_->find(name) : nullptr;
  return entry != nullptr && entry->ambiguous;
}

SCHEDPOL_INLINE Result<CompiledClasses> compile(std::span<const RuntimeClass> classes) {
  std::vector<const RuntimeClass*> by_name;
  by_name.reserve(classes.size());
  for (const RuntimeClass& runtime_class : classes) by_name.push_back(&runtime_class);
  std::stable_sort(by_name.begin(), by_name.end(),
                   [](const RuntimeClass* a, const RuntimeClass* b) {
                     return a->metadata.name < b->metadata.name;
                   });
  CompiledClasses::Impl impl;
  for (const RuntimeClass* runtime_class : by_name) {
    auto& entries = impl.entries;
    if (entries.empty() ||
        entries.back().runtime_class.metadata.name != runtime_class->metadata.name) {
      entries.push_back({*runtime_class});
    } else if (entries.back().runtime_class != *runtime_class) {
      entries.back().ambiguous = true;
    }
  }
  CompiledClasses compiled;
  compiled.impl_ = Shared<CompiledClasses::Impl>(std::move(impl));
  return compiled;
}

}  // namespace schedpol::runtime_class

// schedpol/runtime_class/impl/supports.ipp

namespace schedpol::runtime_class {

SCHEDPOL_INLINE Support supports(const RuntimeClass& runtime_class, const Node& node) {
  Support support;
  if (runtime_class.scheduling) {
    for (const auto& [key, value] : runtime_class.scheduling->node_selector) {
      const std::string* label = find_label(node.metadata.labels, key);
      if (label == nullptr || *label != value) support.missing.emplace(key, value);
    }
  }
  support.supported = support.missing.empty();
  return support;
}

}  // namespace schedpol::runtime_class

// schedpol/runtime_class/impl/validate.ipp

namespace schedpol::runtime_class {

namespace detail {

inline void validate_handler(schedpol::detail::FieldErrors& errors,
                             const schedpol::detail::Place& at, std::string_view handler) {
  if (handler.empty()) {
    errors.add(ErrorType::required, at, "", "a class has the name of its runtime");
  } else {
    errors.add_all(at, handler, dns_label_problems(handler));
  }
}

inline void validate_overhead(schedpol::detail::FieldErrors& errors,
                              const schedpol::detail::Place& at, const Overhead& overhead) {
  const schedpol::detail::Place pod_fixed = at.child("podFixed");
  for (const auto& [name, quantity] : overhead.pod_fixed) {
    if (quantity >= Quantity()) continue;
    errors.add(ErrorType::invalid, pod_fixed.key(name), quantity.text(), "must not be negative");
  }
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const RuntimeClass& runtime_class) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::Place object;
  const schedpol::detail::Place metadata = object.child("metadata");
  schedpol::detail::validate_name(errors, metadata.child("name"), runtime_class.metadata.name);
  detail::validate_handler(errors, object.child("handler"), runtime_class.handler);
  if (runtime_class.overhead)
    detail::validate_overhead(errors, object.child("overhead"), *runtime_class.overhead);
  if (runtime_class.scheduling) {
    const schedpol::detail::Place scheduling = object.child("scheduling");
    schedpol::detail::validate_labels(errors, scheduling.child("nodeSelector"),
                                      runtime_class.scheduling->node_selector);
    schedpol::detail::validate_tolerations(errors, scheduling.child("tolerations"),
                                           runtime_class.scheduling->tolerations);
  }
  return std::move(errors).take();
}

}  // namespace schedpol::runtime_class

// schedpol/runtime_class/impl/verify.ipp

namespace schedpol::runtime_class {

namespace detail {

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
  const Comparison comparison = compare(pod, of);
  if (comparison.overhead != OverheadState::in_place) {
    lack(comparison.overhead == OverheadState::undefined
             ? ViolationCode::overhead_without_runtime_class
             : ViolationCode::overhead_mismatch,
         field_path(pod.kind, {"spec", "overhead"}), to_text(pod.spec.overhead));
  }
  for (const MissingPair& pair : comparison.node_selector) {
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

SCHEDPOL_INLINE std::vector<Violation> verify(const Pod& pod, const CompiledClasses& classes) {
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

}  // namespace schedpol::runtime_class

// schedpol/scheduling_policy/impl/admit.ipp

namespace schedpol::scheduling_policy {

SCHEDPOL_INLINE Admission admit(Pod pod, const EffectivePolicy& effective, const Options& options) {
  Admission admission;
  Defaulted defaulted = apply_defaults(pod, effective, options);
  admission.violations = check(defaulted.pod, effective, options);
  admission.allowed = admission.violations.empty();
  if (!admission.allowed) {
    admission.pod = std::move(pod);
    return admission;
  }
  admission.pod = std::move(defaulted.pod);
  admission.changes = std::move(defaulted.changes);
  if (!admission.changes.empty()) admission.before = std::move(pod);
  return admission;
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/builtin.ipp

namespace schedpol::scheduling_policy {

namespace detail {

struct Platforms {
  std::string arch_label{};
  std::string os_label{};
  std::string linux_name{};
  std::string windows_name{};
};

inline Platforms platforms(NodeLabels labels) {
  if (labels == NodeLabels::proposal)
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
  policy.spec.allowed = {.scheduler_names = any,
                         .priority_class_names = any,
                         .node_selectors = any,
                         .tolerations = any,
                         .affinities = any};
  return policy;
}

SCHEDPOL_INLINE SchedulingPolicy restricted_multiarch_by_node_selector(NodeLabels labels) {
  const detail::Platforms names = detail::platforms(labels);
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-node-selector");
  policy.spec.required.node_selectors = {{names.arch_label, {"amd64", "arm64"}},
                                         {names.os_label, {names.linux_name, names.windows_name}}};
  policy.spec.defaults.node_selector =
      Labels{{names.arch_label, "amd64"}, {names.os_label, names.linux_name}};
  return policy;
}

SCHEDPOL_INLINE SchedulingPolicy restricted_multiarch_by_affinity(NodeLabels labels) {
  const detail::Platforms names = detail::platforms(labels);
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-affinity");
  const NodeAffinityRule rule{
      {detail::either(names.arch_label, "amd64", "arm64"),
       detail::either(names.os_label, names.linux_name, names.windows_name)}};
  NodeAffinityRules& required = policy.spec.required.affinities.list().node_affinities.list();
  required.required_during_scheduling_ignored_during_execution = rule;
  NodeAffinity& given = policy.spec.defaults.affinity.emplace().node_affinity.emplace();
  given.required_during_scheduling_ignored_during_execution =
      NodeSelector{{detail::exactly(names.arch_label, "amd64"),
                    detail::exactly(names.os_label, names.linux_name)}};
  return policy;
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/check_items.hpp

/// All rules of `check` over one pod, in one direction: what the pod itself asks for, then each
/// rule over that, which reports what it finds. Before that a pod is cleared, if it can be, for
/// which no rule has anything to report.

namespace schedpol::scheduling_policy::detail {

/// Whether nothing in the pod is more than what the policies list, and nothing is required of it:
/// then what is exempt, given or required need not be looked at. Where it is false, the pod may
/// still be permitted.
inline bool clears(const auto& rules, const Asked& asked, const PodSpec& pod) noexcept {
  return rules.names.clears(asked) && rules.node_selector.clears(pod.node_selector) &&
         rules.tolerations.clears(pod.tolerations) && rules.affinity.clears(pod.affinity);
}

/// What each rule reports.
inline void run_rules(const auto& rules, const Asked& asked, Reports& reports) {
  rules.names.run(asked, reports);
  rules.node_selector.run(asked, reports);
  rules.tolerations.run(asked, reports);
  rules.affinity.run(asked, reports);
}

/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(const Pod& pod, const EffectivePolicy& effective,
                                          const Options& options) {
  std::vector<Violation> violations;
  const auto& rules = Insides::of(effective);
  const Asked asked(pod, options, rules.spec.defaults);
  if (clears(rules, asked, pod.spec)) return violations;
  Reports reports(pod.kind, effective, violations);
  run_rules(rules, asked, reports);
  return violations;
}

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/check.ipp

namespace schedpol::scheduling_policy {

namespace detail {

/// The one violation where no policy decides.
inline std::vector<Violation> without_decision(const Pod& pod, const EffectivePolicy& effective) {
  std::vector<Violation> violations;
  Reports(pod.kind, effective, violations)
      .deny(effective.is_ambiguous() ? ViolationCode::ambiguous_policy
                                     : ViolationCode::no_usable_policy,
            {"spec"}, "");
  return violations;
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                             const Options& options) {
  if (!Insides::of(effective).decides) return detail::without_decision(pod, effective);
  return detail::check_items(pod, effective, options);
}

SCHEDPOL_INLINE std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective) {
  static const Options by_default;
  return check(pod, effective, by_default);
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/check_update.ipp

namespace schedpol::scheduling_policy {

namespace detail {

/// What tells the violations of a pod apart, wherever in their lists they stand.
struct ViolationIdentity {
  ViolationCode code;
  FieldPath field;
  std::string_view value;

  explicit ViolationIdentity(const Violation& violation)
      : code(violation.code), field(violation.field.without_indices()), value(violation.value) {}

  friend auto operator<=>(const ViolationIdentity&, const ViolationIdentity&) = default;
};

}  // namespace detail

SCHEDPOL_INLINE std::vector<Violation> check_update(const Pod& old, const Pod& updated,
                                                    const EffectivePolicy& effective,
                                                    const Options& options) {
  std::vector<Violation> violations = detail::check_items(updated, effective, options);
  if (violations.empty()) return violations;
  const std::vector<Violation> of_old = detail::check_items(old, effective, options);
  const std::set<detail::ViolationIdentity> before(of_old.begin(), of_old.end());
  std::erase_if(violations, [&](const Violation& violation) {
    return before.contains(detail::ViolationIdentity(violation));
  });
  if (violations.empty() || Insides::of(effective).decides) return violations;
  return check(updated, effective, options);
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/defaults.ipp

namespace schedpol::scheduling_policy {

namespace detail {

/// Gives one pod the defaults of one policy.
class Defaulter {
 public:
  Defaulter(Pod pod, const EffectivePolicy& effective, const Options& options)
      : effective_(effective),
        defaults_(effective.spec().defaults),
        options_(options),
        result_{std::move(pod), {}} {}

  Defaulted run() && {
    give_scheduler_name();
    give_priority_class_name();
    give_node_selector();
    give_tolerations();
    if (defaults_.affinity) for_each_kind([&](const auto& kind) { give_affinity(kind); });
    return std::move(result_);
  }

 private:
  PodSpec& spec() { return result_.pod.spec; }
  [[nodiscard]] Asked asked() const { return {result_.pod, options_, defaults_}; }

  /// `field` is a place in the pod, `entry` one in the merged spec.
  void note(const FieldPath& field, std::optional<std::string> from, std::optional<std::string> to,
            const FieldPath& entry) {
    std::vector<std::string> policies = effective_.sources_of(entry);
    result_.changes.push_back({template_path(result_.pod.kind).join(field), std::move(from),
                               std::move(to),
                               policies.empty() ? std::string() : std::move(policies.front())});
  }

  static std::optional<std::string> if_not_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  void give_scheduler_name() {
    std::string& name = spec().scheduler_name;
    const bool unspecified =
        name.empty() || (options_.default_scheduler == DefaultScheduler::unspecified &&
                         name == default_scheduler_name);
    if (!defaults_.scheduler_name || !unspecified || name == *defaults_.scheduler_name) return;
    note({"spec", "schedulerName"}, if_not_empty(name), defaults_.scheduler_name,
         {"default", "schedulerName"});
    name = *defaults_.scheduler_name;
  }

  void give_priority_class_name() {
    if (!defaults_.priority_class_name || !asked().priority_class_name().empty()) return;
    const FieldPath entry{"default", "priorityClassName"};
    std::string& name = spec().priority_class_name;
    note({"spec", "priorityClassName"}, if_not_empty(name), defaults_.priority_class_name, entry);
    name = *defaults_.priority_class_name;
    if (spec().priority) {
      note({"spec", "priority"}, std::to_string(*spec().priority), std::nullopt, entry);
      spec().priority.reset();
    }
    if (!spec().preemption_policy.empty()) {
      note({"spec", "preemptionPolicy"}, spec().preemption_policy, std::nullopt, entry);
      spec().preemption_policy.clear();
    }
  }

  /// A pair that the pod has stays, an exempt one too.
  void give_node_selector() {
    if (!defaults_.node_selector) return;
    for (const auto& [key, value] : *defaults_.node_selector) {
      if (!spec().node_selector.try_emplace(key, value).second) continue;
      note(FieldPath{"spec", "nodeSelector"}.key(key), std::nullopt, value,
           FieldPath{"default", "nodeSelector"}.key(key));
    }
  }

  void give_tolerations() {
    if (asked().any_toleration([](const Toleration&) { return true; })) return;
    const std::vector<Toleration> exempt = spec().tolerations;
    const std::set<TolerationIdentity> there(exempt.begin(), exempt.end());
    for (const Toleration& toleration : Insides::of(effective_).tolerations.defaults().in_order()) {
      if (there.contains(TolerationIdentity(toleration))) continue;
      note(FieldPath{"spec", "tolerations"}.index(spec().tolerations.size()), std::nullopt,
           schedpol::to_string(toleration), {"default", "tolerations"});
      spec().tolerations.push_back(toleration);
    }
  }

  template <class Kind, class Rule>
  void give_affinity(const AffinityKind<Kind, Rule>& kind) {
    const std::optional<Kind>& given = (*defaults_.affinity).*kind.member;
    if (!has_terms(given) || !terms_of(asked().affinity(), kind.member).empty()) return;
    const Kind terms = as_given(*given);
    note({"spec", "affinity", kind.field}, std::nullopt, schedpol::to_string(terms),
         entry_of(kind.field));
    if (!spec().affinity) spec().affinity.emplace();
    ((*spec().affinity).*kind.member) = terms;
  }

  static PodAffinity as_given(const PodAffinity& given) { return given; }
  NodeAffinity as_given(NodeAffinity given) const {
    const std::vector<NodeSelectorTerm>& joined =
        Insides::of(effective_).affinity.joined_default_terms();
    if (asked().holds_in_every_term() && !joined.empty())
      given.required_during_scheduling_ignored_during_execution = NodeSelector{joined};
    return given;
  }

  /// The entry behind a kind of default affinity: that of its required mode, where it has one.
  [[nodiscard]] FieldPath entry_of(std::string_view kind) const {
    const FieldPath path{"default", "affinity", kind};
    const FieldPath required = path.child(required_mode);
    return effective_.sources().entries.contains(required) ? required : path.child(preferred_mode);
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

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/usable.ipp

namespace schedpol::scheduling_policy {

SCHEDPOL_INLINE std::vector<SchedulingPolicy> usable(std::span<const SchedulingPolicy> policies,
                                                     const std::vector<std::string>& names) {
  const std::set<std::string_view> listed(names.begin(), names.end());
  std::vector<SchedulingPolicy> picked;
  for (const SchedulingPolicy& policy : policies)
    if (listed.contains(policy.metadata.name)) picked.push_back(policy);
  return picked;
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/impl/validate_rules.hpp

/// What is wrong with the `required` or the `allowed` section of a policy.

namespace schedpol::scheduling_policy::detail {

using schedpol::detail::FieldErrors;
using schedpol::detail::Place;

/// What the texts of a list are.
enum class TextSyntax {
  name,         ///< not empty
  label_key,    ///
  label_value,  ///
  free,         ///< values of Gt and Lt are numbers, those of matchFields object names
};

/// Each text has its syntax, and none stands twice.
inline void validate_texts(FieldErrors& errors, const Place& place, const Texts& texts,
                           TextSyntax syntax) {
  schedpol::detail::UniqueNames seen;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const Place item = place.index(i);
    if (!seen.add(texts[i])) errors.add(ErrorType::duplicate, item, texts[i], "");
    switch (syntax) {
      case TextSyntax::name:
        if (texts[i].empty())
          errors.add(ErrorType::required, item, texts[i], "a name must not be empty");
        break;
      case TextSyntax::label_key:
        errors.add_all(item, texts[i], label_key_problems(texts[i]));
        break;
      case TextSyntax::label_value:
        errors.add_all(item, texts[i], label_value_problems(texts[i]));
        break;
      case TextSyntax::free: break;
    }
  }
}

/// Each word is one of its vocabulary.
template <class Word>
void validate_words(FieldErrors& errors, const Place& place,
                    const std::vector<OpenEnum<Word>>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].known() && words[i] != Word::unset) continue;
    std::string supported = "supported are";
    for (const std::string_view spelling : spellings(Word{})) {
      if (!spelling.empty())
        supported.append(supported.ends_with("are") ? " " : ", ").append(spelling);
    }
    errors.add(ErrorType::not_supported, place.index(i), words[i].text(), std::move(supported));
  }
}

enum class Section { required, allowed };

class RulesValidator {
 public:
  RulesValidator(FieldErrors& errors, Section section) noexcept
      : errors_(errors), section_(section) {}

  void run(const Place& place, const PolicyRules& rules) {
    const Place schedulers = place.child("schedulerNames");
    asks_for_something(schedulers, rules.scheduler_names);
    texts(schedulers, rules.scheduler_names, TextSyntax::name);

    const Place classes = place.child("priorityClassNames");
    asks_for_something(classes, rules.priority_class_names);
    texts(classes, rules.priority_class_names, TextSyntax::name);

    const Place selectors = place.child("nodeSelectors");
    asks_for_something(selectors, rules.node_selectors);
    for (const auto& [key, values] : rules.node_selectors.listed()) {
      const Place at_key = selectors.key(key);
      errors_.add_all(at_key, key, label_key_problems(key));
      texts(at_key, values, TextSyntax::label_value);
    }

    const Place tolerations = place.child("tolerations");
    asks_for_something(tolerations, rules.tolerations);
    const std::vector<TolerationPattern>& patterns = rules.tolerations.listed();
    for (std::size_t i = 0; i < patterns.size(); ++i) toleration(tolerations.index(i), patterns[i]);

    affinities(place.child("affinities"), rules.affinities);
  }

 private:
  [[nodiscard]] bool is_missing_in_required(bool says_nothing) const noexcept {
    return section_ == Section::required && says_nothing;
  }

  /// `required: []` says neither what to ask for nor that nothing is asked for.
  template <class List>
  void asks_for_something(const Place& place, const AnyOr<List>& list) {
    if (!is_missing_in_required(!list.is_absent() && list.listed().empty())) return;
    errors_.add(ErrorType::required, place, "",
                "must list at least one entry; leave the field out to require nothing");
  }

  void texts(const Place& place, const AnyOr<Texts>& list, TextSyntax syntax) {
    validate_texts(errors_, place, list.listed(), syntax);
  }

  void toleration(const Place& place, const TolerationPattern& pattern) {
    texts(place.child("keys"), pattern.keys, TextSyntax::label_key);
    validate_words(errors_, place.child("operators"), pattern.operators.listed());
    texts(place.child("values"), pattern.values, TextSyntax::label_value);
    validate_words(errors_, place.child("effects"), pattern.effects.listed());
  }

  void affinities(const Place& place, const AnyOr<AffinityRules>& rules) {
    if (is_missing_in_required(!rules.is_absent() && rules.listed() == AffinityRules{})) {
      errors_.add(ErrorType::required, place, "",
                  "must name at least one kind of affinity; leave the field out to require "
                  "nothing");
    }
    for_each_kind([&](const auto& kind) {
      modes(place.child(kind.rules_field), (rules.listed().*kind.rules).listed());
    });
  }

  template <class Rule>
  void modes(const Place& place, const AffinityModes<Rule>& modes) {
    for_each_mode<AffinityModes<Rule>>([&](std::string_view name, auto member) {
      mode(place.child(name), (modes.*member).listed());
    });
  }

  void mode(const Place& place, const NodeAffinityRule& rule) {
    const Place terms = place.child("nodeSelectorTerms");
    for (std::size_t i = 0; i < rule.node_selector_terms.size(); ++i) {
      const TermPattern& term = rule.node_selector_terms[i];
      const Place at = terms.index(i);
      if (term == TermPattern{})
        errors_.add(ErrorType::required, at, "", "must have matchExpressions or matchFields");
      requirements(at.child("matchExpressions"), term.match_expressions.listed());
      requirements(at.child("matchFields"), term.match_fields.listed());
    }
  }
  void mode(const Place& place, const PodAffinityRule& rule) {
    validate_texts(errors_, place.child("topologyKeys"), rule.topology_keys, TextSyntax::label_key);
  }

  void requirements(const Place& place, const std::vector<RequirementPattern>& patterns) {
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const Place at = place.index(i);
      texts(at.child("keys"), patterns[i].keys, TextSyntax::label_key);
      validate_words(errors_, at.child("operators"), patterns[i].operators.listed());
      texts(at.child("values"), patterns[i].values, TextSyntax::free);
    }
  }

  FieldErrors& errors_;
  Section section_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/impl/validate.ipp

namespace schedpol::scheduling_policy {

namespace detail {

/// The toleration, as the API server would see it in a pod, and the values that it is given with.
inline void validate_default_toleration(FieldErrors& errors, const Place& place,
                                        const DefaultToleration& given) {
  schedpol::detail::validate_toleration(errors, place, given.toleration);
  if (given.values.is_absent()) return;
  if (given.toleration.operator_ == TolerationOperator::exists)
    errors.add(ErrorType::invalid, place.child("operator"), given.toleration.operator_.text(),
               "Exists takes no value");
  const Place values = place.child("values");
  if (given.values.listed().empty()) {
    errors.add(ErrorType::required, values, "",
               "must list at least one value; leave the field out for none");
  }
  if (!given.toleration.value.empty()) {
    errors.add(ErrorType::forbidden, place.child("value"), given.toleration.value,
               "must not be set beside values");
  }
  validate_texts(errors, values, given.values.listed(), TextSyntax::label_value);
}

inline void validate_defaults(FieldErrors& errors, const Place& place, const Defaults& defaults) {
  if (defaults.node_selector) {
    const Place node_selector = place.child("nodeSelector");
    for (const auto& [key, value] : *defaults.node_selector) {
      const Place pair = node_selector.key(key);
      errors.add_all(pair, key, label_key_problems(key));
      errors.add_all(pair, value, label_value_problems(value));
    }
  }
  if (defaults.affinity)
    schedpol::detail::validate_affinity(errors, place.child("affinity"), *defaults.affinity);
  if (!defaults.tolerations) return;
  const Place tolerations = place.child("tolerations");
  if (defaults.tolerations->empty()) {
    errors.add(ErrorType::required, tolerations, "",
               "must list at least one toleration; leave the field out to give none");
  }
  for (std::size_t i = 0; i < defaults.tolerations->size(); ++i)
    validate_default_toleration(errors, tolerations.index(i), (*defaults.tolerations)[i]);
}

/// A default that the policy's own requirement refuses would deny every pod that relies on it.
inline void validate_own_requirement(FieldErrors& errors, const Place& place,
                                     const std::optional<std::string>& given,
                                     const AnyOr<Texts>& required) {
  if (!given || given->empty() || required.listed().empty()) return;
  if (required.listed().contains(*given)) return;
  errors.add(ErrorType::invalid, place, *given, "is not among the names that the policy requires");
}

}  // namespace detail

SCHEDPOL_INLINE std::vector<FieldError> validate(const SchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const schedpol::detail::Place object;
  const schedpol::detail::Place metadata = object.child("metadata");
  schedpol::detail::validate_name(errors, metadata.child("name"), policy.metadata.name);

  const schedpol::detail::Place spec = object.child("spec");
  detail::RulesValidator(errors, detail::Section::required)
      .run(spec.child("required"), policy.spec.required);
  detail::RulesValidator(errors, detail::Section::allowed)
      .run(spec.child("allowed"), policy.spec.allowed);

  const Defaults& given = policy.spec.defaults;
  const schedpol::detail::Place defaults = spec.child("default");
  detail::validate_defaults(errors, defaults, given);
  detail::validate_own_requirement(errors, defaults.child("schedulerName"), given.scheduler_name,
                                   policy.spec.required.scheduler_names);
  detail::validate_own_requirement(errors, defaults.child("priorityClassName"),
                                   given.priority_class_name,
                                   policy.spec.required.priority_class_names);
  return std::move(errors).take();
}

}  // namespace schedpol::scheduling_policy

// schedpol/core/impl/requirement.ipp

namespace schedpol::detail {

SCHEDPOL_INLINE std::optional<std::int64_t> label_int64(std::string_view text) noexcept {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

SCHEDPOL_INLINE bool Requirement::holds(const std::string* value) const noexcept {
  switch (operator_) {
    case Operator::in: return lists(value);
    case Operator::not_in: return !lists(value);
    case Operator::exists: return value != nullptr;
    case Operator::does_not_exist: return value == nullptr;
    case Operator::gt:
    case Operator::lt: break;
  }
  const auto number = value != nullptr ? label_int64(*value) : std::nullopt;
  if (!number) return false;
  return operator_ == Operator::gt ? *number > bound : *number < bound;
}

SCHEDPOL_INLINE bool Requirement::lists(const std::string* value) const noexcept {
  if (value == nullptr) return false;
  if (values.size() == 1) return values.front() == *value;  // mostly the lengths tell
  return std::binary_search(values.begin(), values.end(), *value);
}

SCHEDPOL_INLINE bool hold(const std::vector<Requirement>& requirements,
                          const Labels& labels) noexcept {
  for (const Requirement& requirement : requirements) {
    if (!requirement.holds(find_label(labels, requirement.key))) return false;
  }
  return true;
}

}  // namespace schedpol::detail

// schedpol/core/impl/selector_rules.ipp

namespace schedpol::detail {

/// How many values an operator takes.
enum class Takes { some, none, one, unknown_operator };

inline Takes takes(LabelSelectorOperator word) noexcept {
  switch (word) {
    case LabelSelectorOperator::in:
    case LabelSelectorOperator::not_in: return Takes::some;
    case LabelSelectorOperator::exists:
    case LabelSelectorOperator::does_not_exist: return Takes::none;
    case LabelSelectorOperator::unset:
    case LabelSelectorOperator::unknown: break;
  }
  return Takes::unknown_operator;
}

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

/// The rule for both kinds of expressions; `known` lists the operators that there are.
template <class Expression>
void validate_any_expression(FieldErrors& errors, const Place& place, const Expression& expression,
                             Values values, std::string_view known) {
  const Place listed = place.child("values");
  switch (takes(expression.operator_.word())) {
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
                 "must be " + std::string(known));
      break;
  }
  errors.add_all(place.child("key"), expression.key, label_key_problems(expression.key));
  if (values == Values::free) return;
  for (std::size_t i = 0; i < expression.values.size(); ++i) {
    errors.add_all(listed.index(i), expression.values[i],
                   label_value_problems(expression.values[i]));
  }
}

SCHEDPOL_INLINE void validate_labels(FieldErrors& errors, const Place& place, const Labels& labels,
                                     Values values) {
  for (const auto& [key, value] : labels) {
    errors.add_all(place, key, label_key_problems(key));
    if (values == Values::checked) errors.add_all(place, value, label_value_problems(value));
  }
}

SCHEDPOL_INLINE void validate_expression(FieldErrors& errors, const Place& place,
                                         const LabelSelectorRequirement& expression,
                                         Values values) {
  validate_any_expression(errors, place, expression, values, "In, NotIn, Exists or DoesNotExist");
}

SCHEDPOL_INLINE void validate_expression(FieldErrors& errors, const Place& place,
                                         const NodeSelectorRequirement& expression, Values values) {
  validate_any_expression(errors, place, expression, values,
                          "In, NotIn, Exists, DoesNotExist, Gt or Lt");
}

SCHEDPOL_INLINE void validate_field_expression(FieldErrors& errors, const Place& place,
                                               const NodeSelectorRequirement& expression) {
  const Place values = place.child("values");
  if (takes(expression.operator_.word()) != Takes::some) {
    errors.add(ErrorType::invalid, place.child("operator"), expression.operator_.text(),
               "must be In or NotIn");
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

SCHEDPOL_INLINE void validate_term(FieldErrors& errors, const Place& place,
                                   const NodeSelectorTerm& term, Values values) {
  const Place expressions = place.child("matchExpressions");
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i)
    validate_expression(errors, expressions.index(i), term.match_expressions[i], values);
  const Place fields = place.child("matchFields");
  for (std::size_t i = 0; i < term.match_fields.size(); ++i)
    validate_field_expression(errors, fields.index(i), term.match_fields[i]);
}

SCHEDPOL_INLINE void validate_selector(FieldErrors& errors, const Place& place,
                                       const LabelSelector& selector, SelectedValues selected) {
  const Values values = selected == SelectedValues::labels ? Values::checked : Values::free;
  validate_labels(errors, place.child("matchLabels"), selector.match_labels, values);
  const Place expressions = place.child("matchExpressions");
  for (std::size_t i = 0; i < selector.match_expressions.size(); ++i)
    validate_expression(errors, expressions.index(i), selector.match_expressions[i], values);
}

}  // namespace schedpol::detail

// schedpol/core/impl/validators.ipp

namespace schedpol::detail {

inline void validate_weight(FieldErrors& errors, const Place& item, std::int32_t weight) {
  if (weight >= 1 && weight <= 100) return;
  errors.add(ErrorType::invalid, item.child("weight"), std::to_string(weight), "must be 1 to 100");
}

/// The keys of matchLabelKeys or mismatchLabelKeys.
inline void validate_label_keys(FieldErrors& errors, const Place& place, const Texts& keys,
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
inline void validate_selected_keys(FieldErrors& errors, const Place& place,
                                   const PodAffinityTerm& term) {
  if (!term.label_selector) return;
  std::map<std::string_view, std::size_t> indices;
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i)
    indices.insert_or_assign(term.match_label_keys[i], i);
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

inline void validate_pod_term(FieldErrors& errors, const Place& place,
                              const PodAffinityTerm& term) {
  if (term.label_selector)
    validate_selector(errors, place.child("labelSelector"), *term.label_selector);
  if (term.namespace_selector)
    validate_selector(errors, place.child("namespaceSelector"), *term.namespace_selector);
  for (const std::string& name : term.namespaces)
    errors.add_all(place.child("namespace"), name, dns_label_problems(name));
  const Place match = place.child("matchLabelKeys");
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
  const Place topology = place.child("topologyKey");
  if (term.topology_key.empty()) errors.add(ErrorType::required, topology, "", "must not be empty");
  errors.add_all(topology, term.topology_key, label_key_problems(term.topology_key));
}

inline void validate_pod_affinity(FieldErrors& errors, const Place& place,
                                  const std::optional<PodAffinity>& affinity) {
  if (!affinity) return;
  const Place required = place.child(required_mode);
  const auto& terms = affinity->required_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < terms.size(); ++i)
    validate_pod_term(errors, required.index(i), terms[i]);
  const Place preferred = place.child(preferred_mode);
  const auto& weighted = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    const Place item = preferred.index(i);
    validate_weight(errors, item, weighted[i].weight);
    validate_pod_term(errors, item.child("podAffinityTerm"), weighted[i].pod_affinity_term);
  }
}

inline void validate_node_affinity(FieldErrors& errors, const Place& place,
                                   const std::optional<NodeAffinity>& affinity) {
  if (!affinity) return;
  if (const auto& selector = affinity->required_during_scheduling_ignored_during_execution) {
    const Place required = place.child(required_mode);
    const Place terms = required.child("nodeSelectorTerms");
    if (selector->node_selector_terms.empty())
      errors.add(ErrorType::required, terms, "", "must have at least one term");
    for (std::size_t i = 0; i < selector->node_selector_terms.size(); ++i)
      validate_term(errors, terms.index(i), selector->node_selector_terms[i]);
  }
  const Place preferred = place.child(preferred_mode);
  const auto& weighted = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < weighted.size(); ++i) {
    const Place item = preferred.index(i);
    validate_weight(errors, item, weighted[i].weight);
    validate_term(errors, item.child("preference"), weighted[i].preference, Values::free);
  }
}

SCHEDPOL_INLINE void validate_name(FieldErrors& errors, const Place& place, std::string_view name) {
  if (name.empty()) return errors.add(ErrorType::required, place, "", "an object has a name");
  errors.add_all(place, name, subdomain_problems(name));
}

SCHEDPOL_INLINE void validate_toleration(FieldErrors& errors, const Place& place,
                                         const Toleration& toleration) {
  const Place operator_ = place.child("operator");
  const Place effect = place.child("effect");
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
                 "supported are Equal and Exists");
      break;
  }
  if (!toleration.effect.known()) {
    errors.add(ErrorType::not_supported, effect, toleration.effect.text(),
               "supported are NoSchedule, PreferNoSchedule and NoExecute");
  }
}

SCHEDPOL_INLINE void validate_tolerations(FieldErrors& errors, const Place& place,
                                          std::span<const Toleration> tolerations) {
  for (std::size_t i = 0; i < tolerations.size(); ++i)
    validate_toleration(errors, place.index(i), tolerations[i]);
}

SCHEDPOL_INLINE void validate_affinity(FieldErrors& errors, const Place& place,
                                       const Affinity& affinity) {
  validate_node_affinity(errors, place.child("nodeAffinity"), affinity.node_affinity);
  validate_pod_affinity(errors, place.child("podAffinity"), affinity.pod_affinity);
  validate_pod_affinity(errors, place.child("podAntiAffinity"), affinity.pod_anti_affinity);
}

SCHEDPOL_INLINE LabelMatcher compile_for(std::string_view policy,
                                         const std::optional<LabelSelector>& selector,
                                         const Place& place, FieldErrors& errors,
                                         SelectedValues selected) {
  auto matcher = compile(selector, place.path(), selected);
  if (matcher) return *std::move(matcher);
  for (FieldError error : matcher.errors()) {
    error.detail += " (in " + in_backticks(policy) + ")";
    errors.add(std::move(error));
  }
  return {};
}

}  // namespace schedpol::detail

// schedpol/core/impl/lookup/text_map.ipp

namespace schedpol::detail {

/// The bytes at `at`.
template <class Number>
std::uint64_t bytes_at(const char* at) noexcept {
  Number bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

[[gnu::always_inline]] inline std::uint64_t number_of_short(std::string_view text) noexcept {
  const char* end = text.data() + text.size();
  if (text.size() >= 4) [[likely]]
    return bytes_at<std::uint32_t>(text.data()) << 32U | bytes_at<std::uint32_t>(end - 4);
  if (text.size() >= 2)
    return bytes_at<std::uint16_t>(text.data()) << 32U | bytes_at<std::uint16_t>(end - 2);
  return text.empty() ? 0 : static_cast<unsigned char>(text.front());
}

inline std::uint64_t number_of_long(std::string_view text) noexcept {
  return bytes_at<std::uint64_t>(text.data() + text.size() - 8);
}

SCHEDPOL_INLINE std::uint64_t TextNumber::of(std::string_view text) noexcept {
  return text.size() < 8 ? number_of_short(text) : number_of_long(text);
}

SCHEDPOL_INLINE std::uint64_t TextNumber::hash(std::string_view text) noexcept {
  const auto mix = [](std::uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio, as in Fibonacci hashing
    return bits ^ bits >> 32U;
  };
  std::uint64_t hash = text.size();
  for (std::size_t i = 0; i + 8 < text.size(); i += 8)
    hash = mix(hash ^ bytes_at<std::uint64_t>(text.data() + i));
  return mix(mix(hash ^ of(text)));
}

/// A few texts. One of less than eight bytes is told by its number and its size, one of up to
/// sixteen by its beginning too, and only of a longer one more is compared.
struct TextTable::Few {
  using Numbers = std::array<std::uint64_t, most_compared>;
  using Sizes = std::array<std::size_t, most_compared>;

  /// No text has the size of those that are not there.
  static constexpr Sizes no_sizes() noexcept {
    Sizes sizes{};
    sizes.fill(static_cast<std::size_t>(-1));
    return sizes;
  }

  Numbers numbers{};
  Numbers beginnings{};  ///< the first eight bytes, of texts of eight or more
  Sizes sizes = no_sizes();
  std::vector<std::string> texts{};  ///< where one of them has more than sixteen bytes
};

// Inline either way: a header-only translation unit in the same program has it, too.
inline const TextTable::Few TextTable::none{};

/// Texts by their hash.
struct TextTable::Many {
  struct Entry {
    std::string text;
    std::size_t which = 0;
  };

  explicit Many(const std::vector<std::string_view>& texts);

  [[nodiscard]] std::size_t bucket_of(std::string_view text) const noexcept {
    return static_cast<std::size_t>(TextNumber::hash(text) >> shift);
  }
  [[nodiscard]] std::size_t find(std::string_view text) const noexcept;

  std::vector<Entry> entries;       ///< bucket by bucket, each in byte order
  std::vector<std::size_t> starts;  ///< of the buckets, and the end
  unsigned shift;                   ///< from a hash to its bucket
};

// Delegates, so that what is made goes with the table where memory runs out halfway.
SCHEDPOL_INLINE TextTable::TextTable(const std::vector<std::string_view>& texts) : TextTable() {
  if (texts.empty()) return;
  if (texts.size() > most_compared) {
    many_ = new Many(texts);
    return;
  }
  Few* few = new Few;
  few_ = few;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    few->numbers[i] = TextNumber::of(texts[i]);
    few->sizes[i] = texts[i].size();
    if (texts[i].size() >= 8) few->beginnings[i] = bytes_at<std::uint64_t>(texts[i].data());
    if (texts[i].size() > 16) few->texts.assign(texts.begin(), texts.end());
  }
}

SCHEDPOL_INLINE TextTable::~TextTable() {
  if (few_ != &none) delete few_;
  delete many_;
}

SCHEDPOL_INLINE TextTable::Many::Many(const std::vector<std::string_view>& texts) {
  // One or two buckets a text.
  const auto bits = static_cast<unsigned>(std::bit_width(texts.size()));
  shift = 64 - bits;
  starts.resize((std::size_t{1} << bits) + 1);
  std::vector<std::size_t> buckets;
  buckets.reserve(texts.size());
  entries.reserve(texts.size());
  for (const std::string_view text : texts) {
    entries.push_back({std::string(text), entries.size() + 1});
    buckets.push_back(bucket_of(text));
    ++starts[buckets.back() + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::sort(entries.begin(), entries.end(), [&](const Entry& a, const Entry& b) {
    const std::size_t of_a = buckets[a.which - 1];
    const std::size_t of_b = buckets[b.which - 1];
    return of_a != of_b ? of_a < of_b : a.text < b.text;
  });
}

/// Whether two texts of this size, more than sixteen bytes, have the same bytes between the first
/// and the last eight, eight bytes at a time.
[[gnu::always_inline]] inline bool is_same_between(const char* a, const char* b,
                                                   std::size_t size) noexcept {
  for (std::size_t i = size - 16; i > 8; i -= 8)
    if (bytes_at<std::uint64_t>(a + i) != bytes_at<std::uint64_t>(b + i)) return false;
  return bytes_at<std::uint64_t>(a + 8) == bytes_at<std::uint64_t>(b + 8);
}

/// The first of few that are like this, from 1 on; 0 where none is. Without a loop.
template <std::size_t... i>
[[gnu::always_inline]] inline std::size_t first_alike(std::index_sequence<i...>, const auto& few,
                                                      std::uint64_t number,
                                                      std::size_t size) noexcept {
  std::size_t found = 0;
  static_cast<void>(
      ((few.numbers[i] == number && few.sizes[i] == size && (found = i + 1) != 0) || ...));
  return found;
}
template <std::size_t... i>
[[gnu::always_inline]] inline std::size_t first_alike(std::index_sequence<i...>, const auto& few,
                                                      std::uint64_t number, std::size_t size,
                                                      std::uint64_t beginning) noexcept {
  std::size_t found = 0;
  static_cast<void>(((few.numbers[i] == number && few.sizes[i] == size &&
                      few.beginnings[i] == beginning && (found = i + 1) != 0) ||
                     ...));
  return found;
}

// None of these is inlined, and what is rare is in a function of its own: so few registers are
// enough, and whoever asks needs no more than for any call.

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find(
    std::string_view text) const noexcept {
  if (text.size() < 8) return find_short(text);
  const std::size_t which =
      first_alike(std::make_index_sequence<most_compared>(), *few_, number_of_long(text),
                  text.size(), bytes_at<std::uint64_t>(text.data()));
  if (which == 0) return many_ == nullptr ? 0 : many_->find(text);
  if (text.size() <= 16) return which;
  const char* data = few_->texts[which - 1].data();
  return is_same_between(data, text.data(), text.size()) ? which : find_among_alike(text);
}

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find_short(
    std::string_view text) const noexcept {
  const std::size_t which = first_alike(std::make_index_sequence<most_compared>(), *few_,
                                        number_of_short(text), text.size());
  if (which != 0) return which;
  return many_ == nullptr ? 0 : many_->find(text);
}

/// Among few texts, of which one has the size, the beginning and the end of this.
[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::find_among_alike(
    std::string_view text) const noexcept {
  for (std::size_t i = 0; i < few_->texts.size(); ++i)
    if (few_->texts[i] == text) return i + 1;
  return 0;
}

[[gnu::noinline]] SCHEDPOL_INLINE std::size_t TextTable::Many::find(
    std::string_view text) const noexcept {
  const std::size_t bucket = bucket_of(text);
  const Entry* entry = entries.data() + starts[bucket];
  const Entry* end = entries.data() + starts[bucket + 1];
  if (static_cast<std::size_t>(end - entry) > most_compared) {
    entry = std::lower_bound(entry, end, text,
                             [](const Entry& e, std::string_view t) { return e.text < t; });
    if (entry != end) end = entry + 1;
  }
  for (; entry != end; ++entry)
    if (entry->text == text) return entry->which;
  return 0;
}

SCHEDPOL_INLINE std::vector<std::string_view> TextSet::distinct(
    std::vector<std::string_view> texts) {
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  return texts;
}

}  // namespace schedpol::detail

#endif  // SCHEDPOL_SINGLE_INCLUDE_BODIES
