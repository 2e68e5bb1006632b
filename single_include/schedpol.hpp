// SPDX-License-Identifier: Apache-2.0
// Copyright The schedpol authors
//
// schedpol in one header: all but JSON.
// Generated from include/ by amalgamate.py: change the headers there, not this file.

#ifndef SCHEDPOL_SINGLE_INCLUDE_HPP
#define SCHEDPOL_SINGLE_INCLUDE_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

// schedpol/core/text.hpp

/// How the texts of errors, violations and changes show what came from outside: between backticks,
/// on one line, bounded. Objects are untrusted, and a reason ends up in logs and on terminals.

namespace schedpol {

/// Bytes of input that a text shows before it is cut with `...`.
inline constexpr std::size_t max_shown_bytes = 512;

namespace detail {

inline void append_hex(std::string& text, unsigned char byte) {
  constexpr std::string_view hex = "0123456789abcdef";
  text.append("\\x").append(1, hex[byte >> 4U]).append(1, hex[byte & 0xFU]);
}

/// Bytes of the control character that `text` starts with: of ASCII, or one of U+0080 to U+009F,
/// which terminals obey too. Zero when it starts with none.
inline std::size_t control_bytes(std::string_view text) noexcept {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x20 || first == 0x7F) return 1;
  const bool c1 = first == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  return c1 ? 2 : 0;
}

}  // namespace detail

/// Appends `part`, with a backslash before each of `separators` and before a backslash, and control
/// characters in hexadecimal: two different values never render as the same text, and none breaks
/// the line.
inline void append_escaped(std::string& text, std::string_view part, std::string_view separators) {
  const auto is_plain = [&](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F && c != '\\' && separators.find(c) == std::string_view::npos;
  };
  while (!part.empty()) {
    const auto special = std::find_if_not(part.begin(), part.end(), is_plain);
    const auto plain = static_cast<std::size_t>(special - part.begin());
    text.append(part.substr(0, plain));
    part.remove_prefix(plain);
    if (part.empty()) return;
    std::size_t bytes = detail::control_bytes(part);
    if (bytes == 0) {
      if (part[0] == '\\' || separators.find(part[0]) != std::string_view::npos) text += '\\';
      text += part[0];
      bytes = 1;
    } else {
      for (const char c : part.substr(0, bytes))
        detail::append_hex(text, static_cast<unsigned char>(c));
    }
    part.remove_prefix(bytes);
  }
}

/// `input` between backticks, escaped as by `append_escaped` with the backtick for separator. What
/// is longer than `max_shown_bytes` is cut (never inside a UTF-8 sequence).
[[nodiscard]] inline std::string in_backticks(std::string_view input) {
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

/// `a`, `b` and `c`; empty for no names.
[[nodiscard]] inline std::string in_backticks(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " and " : ", ";
    text += in_backticks(names[i]);
  }
  return text;
}

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

/// One problem of an object. `field` is the path in the object as its author wrote it
/// (`spec.allowed.tolerations[2].effects[0]`), `bad_value` what stands there (empty when nothing
/// does), `detail` what should.
struct FieldError {
  ErrorType type = ErrorType::invalid;
  std::string field{};
  std::string bad_value{};
  std::string detail{};

  friend bool operator==(const FieldError&, const FieldError&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks. An error of a whole
/// document, without a field, is its detail alone.
[[nodiscard]] inline std::string message(const FieldError& error) {
  if (error.field.empty() && !error.detail.empty()) return error.detail;
  std::string text = error.field.empty() ? std::string() : in_backticks(error.field) + ": ";
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
/// order. The syntax of keys and values is in `validation.hpp`; nothing here depends on it.

namespace schedpol {

using Labels = std::map<std::string, std::string, std::less<>>;

/// The value of a label, or null when there is none (a label with an empty value has one).
[[nodiscard]] inline const std::string* find_label(const Labels& labels,
                                                   std::string_view key) noexcept {
  const auto it = labels.find(key);
  return it == labels.end() ? nullptr : &it->second;
}

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

// schedpol/core/syntax.hpp

/// Syntax of names, label keys and label values (apimachinery, `util/validation`): each function
/// lists what is wrong with a text, one entry a broken rule, none when it is well formed.

namespace schedpol {

inline constexpr std::size_t max_label_name_bytes = 63;
inline constexpr std::size_t max_label_value_bytes = 63;
inline constexpr std::size_t max_subdomain_bytes = 253;

namespace detail {

constexpr bool is_lower_alphanumeric(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}
constexpr bool is_alphanumeric(char c) noexcept {
  return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z');
}

/// ([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]
constexpr bool is_label_name(std::string_view text) noexcept {
  if (text.empty() || !is_alphanumeric(text.front()) || !is_alphanumeric(text.back())) return false;
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
  return !text.empty() && is_lower_alphanumeric(previous);
}

}  // namespace detail

/// A DNS-1123 subdomain: the names of most objects, and the prefix of a label key. At most
/// `max_subdomain_bytes`; lower-case alphanumerics, `-` and `.`, alphanumeric around each dot and
/// at both ends.
[[nodiscard]] inline std::vector<std::string> subdomain_problems(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > max_subdomain_bytes) problems.push_back("must be no more than 253 bytes");
  if (!detail::is_subdomain(text)) {
    problems.push_back(
        "must consist of lower case alphanumerics, `-` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

/// A DNS-1123 label: the names of namespaces. At most 63 bytes; lower-case alphanumerics and `-`,
/// alphanumeric at both ends.
[[nodiscard]] inline std::vector<std::string> dns_label_problems(std::string_view text) {
  std::vector<std::string> problems;
  if (text.size() > max_label_name_bytes) problems.push_back("must be no more than 63 bytes");
  if (!detail::is_subdomain(text) || text.find('.') != std::string_view::npos) {
    problems.push_back(
        "must consist of lower case alphanumerics or `-`, and start and end with an alphanumeric");
  }
  return problems;
}

/// A label key: a name of at most 63 bytes, after an optional subdomain and a slash.
[[nodiscard]] inline std::vector<std::string> label_key_problems(std::string_view key) {
  std::vector<std::string> problems;
  std::string_view name = key;
  if (const auto slash = key.find('/'); slash != std::string_view::npos) {
    const std::string_view prefix = key.substr(0, slash);
    name = key.substr(slash + 1);
    if (name.find('/') != std::string_view::npos) {
      problems.push_back("must be a name with at most one prefix and slash before it");
      return problems;
    }
    if (prefix.empty()) problems.push_back("prefix must not be empty");
    if (!prefix.empty()) {
      for (const std::string& problem : subdomain_problems(prefix)) {
        problems.push_back("prefix " + problem);
      }
    }
  }
  if (name.empty()) problems.push_back("name must not be empty");
  if (name.size() > max_label_name_bytes) problems.push_back("name must be no more than 63 bytes");
  if (!detail::is_label_name(name)) {
    problems.push_back(
        "name must consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

/// A label value: empty, or like the name of a key. At most 63 bytes.
[[nodiscard]] inline std::vector<std::string> label_value_problems(std::string_view value) {
  std::vector<std::string> problems;
  if (value.size() > max_label_value_bytes) problems.push_back("must be no more than 63 bytes");
  if (!value.empty() && !detail::is_label_name(value)) {
    problems.push_back(
        "must be empty, or consist of alphanumerics, `-`, `_` or `.`, and start and end with an "
        "alphanumeric");
  }
  return problems;
}

}  // namespace schedpol

// schedpol/core/label_selector.hpp

/// Label selectors (meta/v1 LabelSelector) and how they match labels:
/// 1. an absent selector selects nothing, an empty one everything;
/// 2. otherwise all of matchLabels and all of matchExpressions have to hold;
/// 3. In: the key is there with a listed value; NotIn: it is not (a missing key counts);
///    Exists, DoesNotExist: the key alone decides.
/// A selector is compiled once, which reports all that is wrong with it, and then matches without
/// failing. Source: apimachinery, `LabelSelectorAsSelector`.

namespace schedpol {

enum class LabelSelectorOperator { unset, in, not_in, exists, does_not_exist, unknown };

constexpr std::array<std::string_view, 5> spellings(LabelSelectorOperator) noexcept {
  return {"", "In", "NotIn", "Exists", "DoesNotExist"};
}

struct LabelSelectorRequirement {
  std::string key{};
  OpenEnum<LabelSelectorOperator> operator_{};
  std::vector<std::string> values{};

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

namespace detail {

/// Whether the values of In or NotIn, in byte order, list that of a label; null: it is missing.
inline bool is_listed(const std::vector<std::string>& values, const std::string* value) noexcept {
  if (value == nullptr) return false;
  if (values.size() == 1) return values.front() == *value;  // mostly the lengths tell
  return std::binary_search(values.begin(), values.end(), *value);
}

}  // namespace detail

/// A label selector made for matching. Default-constructed it stands for the absent selector and
/// matches nothing.
class LabelMatcher {
 public:
  LabelMatcher() = default;

  [[nodiscard]] bool matches(const Labels& labels) const noexcept {
    if (!selects_) return false;
    for (const LabelSelectorRequirement& requirement : requirements_) {
      if (!holds(requirement, find_label(labels, requirement.key))) return false;
    }
    return true;
  }

 private:
  friend class NodeTable;
  friend Result<LabelMatcher> compile(const std::optional<LabelSelector>&, std::string_view,
                                      SelectedValues);

  static bool holds(const LabelSelectorRequirement& requirement,
                    const std::string* value) noexcept {
    switch (requirement.operator_.word()) {
      case LabelSelectorOperator::in: return detail::is_listed(requirement.values, value);
      case LabelSelectorOperator::not_in: return !detail::is_listed(requirement.values, value);
      case LabelSelectorOperator::exists: return value != nullptr;
      case LabelSelectorOperator::does_not_exist: return value == nullptr;
      case LabelSelectorOperator::unset:
      case LabelSelectorOperator::unknown: break;
    }
    return false;
  }

  bool selects_ = false;
  std::vector<LabelSelectorRequirement> requirements_;  ///< values in byte order
};

/// Builds the matcher of a selector, or reports every problem with paths below `field`: a key or
/// value that is no label key or value, an operator outside the four, In and NotIn without values,
/// Exists and DoesNotExist with values.
[[nodiscard]] inline Result<LabelMatcher> compile(
    const std::optional<LabelSelector>& selector, std::string_view field = "",
    SelectedValues selected = SelectedValues::labels) {
  const auto value_problems = [&](std::string_view value) {
    return selected == SelectedValues::labels ? label_value_problems(value)
                                              : std::vector<std::string>();
  };
  LabelMatcher matcher;
  if (!selector) return matcher;
  std::vector<FieldError> errors;
  const auto at = [&](const std::string& path) {
    return field.empty() ? path : std::string(field) + "." + path;
  };
  const auto report = [&](ErrorType type, std::string path, std::string_view value,
                          std::string detail) {
    errors.push_back({type, std::move(path), std::string(value), std::move(detail)});
  };
  for (const auto& [key, value] : selector->match_labels) {
    for (auto& problem : label_key_problems(key)) {
      report(ErrorType::invalid, at("matchLabels"), key, std::move(problem));
    }
    for (auto& problem : value_problems(value)) {
      report(ErrorType::invalid, at("matchLabels[" + key + "]"), value, std::move(problem));
    }
    matcher.requirements_.push_back({key, LabelSelectorOperator::in, {value}});
  }
  for (std::size_t i = 0; i < selector->match_expressions.size(); ++i) {
    LabelSelectorRequirement requirement = selector->match_expressions[i];
    const std::string path = at("matchExpressions[" + std::to_string(i) + "]");
    for (auto& problem : label_key_problems(requirement.key)) {
      report(ErrorType::invalid, path + ".key", requirement.key, std::move(problem));
    }
    switch (requirement.operator_.word()) {
      case LabelSelectorOperator::in:
      case LabelSelectorOperator::not_in:
        if (requirement.values.empty()) {
          report(ErrorType::required, path + ".values", "", "In and NotIn need at least one value");
        }
        break;
      case LabelSelectorOperator::exists:
      case LabelSelectorOperator::does_not_exist:
        if (!requirement.values.empty()) {
          report(ErrorType::forbidden, path + ".values", "",
                 "Exists and DoesNotExist take no values");
        }
        break;
      case LabelSelectorOperator::unset:
      case LabelSelectorOperator::unknown:
        report(ErrorType::not_supported, path + ".operator", requirement.operator_.text(),
               "supported are In, NotIn, Exists and DoesNotExist");
        break;
    }
    for (std::size_t j = 0; j < requirement.values.size(); ++j) {
      for (auto& problem : value_problems(requirement.values[j])) {
        report(ErrorType::invalid, path + ".values[" + std::to_string(j) + "]",
               requirement.values[j], std::move(problem));
      }
    }
    std::sort(requirement.values.begin(), requirement.values.end());
    matcher.requirements_.push_back(std::move(requirement));
  }
  if (!errors.empty()) return errors;
  matcher.selects_ = true;
  return matcher;
}

namespace detail {

/// The selector of a policy. What is wrong with it goes to `errors`, naming the policy, and it then
/// selects nothing.
inline LabelMatcher compile_for(std::string_view policy,
                                const std::optional<LabelSelector>& selector,
                                const std::string& field, std::vector<FieldError>& errors,
                                SelectedValues values = SelectedValues::labels) {
  auto matcher = compile(selector, field, values);
  if (matcher) return *std::move(matcher);
  for (FieldError error : matcher.errors()) {
    error.detail += " (in " + in_backticks(policy) + ")";
    errors.push_back(std::move(error));
  }
  return {};
}

}  // namespace detail

/// One selector on one line: `{app=x, tier In [web, db]}`; absent: `none`. Different selectors have
/// different texts.
[[nodiscard]] inline std::string to_string(const std::optional<LabelSelector>& selector) {
  constexpr std::string_view separators = " ,={}[]";
  if (!selector) return "none";
  std::string text = "{";
  for (const auto& [key, value] : selector->match_labels) {
    if (text.size() > 1) text += ", ";
    append_escaped(text, key, separators);
    text += '=';
    append_escaped(text, value, separators);
  }
  for (const auto& requirement : selector->match_expressions) {
    if (text.size() > 1) text += ", ";
    append_escaped(text, requirement.key, separators);
    text += ' ';
    append_escaped(text, requirement.operator_.text(), separators);
    if (requirement.values.empty()) continue;
    text += " [";
    for (std::size_t i = 0; i < requirement.values.size(); ++i) {
      if (i > 0) text += ", ";
      append_escaped(text, requirement.values[i], separators);
    }
    text += ']';
  }
  return text + "}";
}

}  // namespace schedpol

// schedpol/core/node_selector.hpp

/// Node selectors (core/v1): terms are ORed, the expressions of a term ANDed, and an empty term
/// matches no node.

namespace schedpol {

enum class NodeSelectorOperator { unset, in, not_in, exists, does_not_exist, gt, lt, unknown };

constexpr std::array<std::string_view, 7> spellings(NodeSelectorOperator) noexcept {
  return {"", "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"};
}

struct NodeSelectorRequirement {
  std::string key{};
  OpenEnum<NodeSelectorOperator> operator_{};
  std::vector<std::string> values{};

  friend bool operator==(const NodeSelectorRequirement&, const NodeSelectorRequirement&) = default;
};

/// `match_expressions` look at a node's labels, `match_fields` at its fields (`metadata.name`).
struct NodeSelectorTerm {
  std::vector<NodeSelectorRequirement> match_expressions{};
  std::vector<NodeSelectorRequirement> match_fields{};

  friend bool operator==(const NodeSelectorTerm&, const NodeSelectorTerm&) = default;
};

/// Whether the term has no expressions at all, and so matches no node.
[[nodiscard]] inline bool is_empty(const NodeSelectorTerm& term) noexcept {
  return term.match_expressions.empty() && term.match_fields.empty();
}

struct NodeSelector {
  std::vector<NodeSelectorTerm> node_selector_terms{};

  friend bool operator==(const NodeSelector&, const NodeSelector&) = default;
};

/// One requirement on one line: `disk In [ssd, nvme]`, `gpu Exists`. Different requirements have
/// different texts.
[[nodiscard]] inline std::string to_string(const NodeSelectorRequirement& requirement) {
  constexpr std::string_view separators = " ,[]()&|";
  std::string text;
  append_escaped(text, requirement.key, separators);
  text += ' ';
  append_escaped(text, requirement.operator_.text(), separators);
  if (requirement.values.empty()) return text;
  text += " [";
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    if (i > 0) text += ", ";
    append_escaped(text, requirement.values[i], separators);
  }
  return text + "]";
}

/// One term on one line, its requirements joined by `&`, fields marked `field`; `()` when empty.
[[nodiscard]] inline std::string to_string(const NodeSelectorTerm& term) {
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

// schedpol/core/affinity.hpp

/// Node affinity, pod affinity and pod anti-affinity (core/v1). In each kind the required terms
/// have to hold for a node, the preferred ones only weigh in.

namespace schedpol {

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
/// namespaces means the pod's own namespace.
struct PodAffinityTerm {
  std::optional<LabelSelector> label_selector{};
  std::vector<std::string> namespaces{};
  std::string topology_key{};
  std::optional<LabelSelector> namespace_selector{};
  std::vector<std::string> match_label_keys{};
  std::vector<std::string> mismatch_label_keys{};

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
[[nodiscard]] inline bool has_terms(const std::optional<NodeAffinity>& affinity) noexcept {
  if (!affinity) return false;
  const auto& required = affinity->required_during_scheduling_ignored_during_execution;
  return (required && !required->node_selector_terms.empty()) ||
         !affinity->preferred_during_scheduling_ignored_during_execution.empty();
}
[[nodiscard]] inline bool has_terms(const std::optional<PodAffinity>& affinity) noexcept {
  return affinity && (!affinity->required_during_scheduling_ignored_during_execution.empty() ||
                      !affinity->preferred_during_scheduling_ignored_during_execution.empty());
}

/// One term on one line: its topology key, the pods it selects and where, and the label keys.
[[nodiscard]] inline std::string to_string(const PodAffinityTerm& term) {
  constexpr std::string_view separators = " ,[]{}()";
  std::string text;
  append_escaped(text, term.topology_key, separators);
  text += " with pods " + to_string(term.label_selector);
  const auto append_names = [&](std::string_view what, const std::vector<std::string>& names) {
    if (names.empty()) return;
    text.append(what) += '[';
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i > 0) text += ", ";
      append_escaped(text, names[i], separators);
    }
    text += ']';
  };
  append_names(" in namespaces ", term.namespaces);
  if (term.namespace_selector) text += " in namespaces with " + to_string(term.namespace_selector);
  append_names(" of equal ", term.match_label_keys);
  append_names(" of unequal ", term.mismatch_label_keys);
  return text;
}

/// A whole affinity on one line, its terms in their order: `required (disk In [ssd]), preferred 5
/// (zone Exists)`. Affinities with different terms have different texts.
[[nodiscard]] inline std::string to_string(const NodeAffinity& affinity) {
  std::string text;
  if (const auto& required = affinity.required_during_scheduling_ignored_during_execution) {
    for (const auto& term : required->node_selector_terms) {
      text += (text.empty() ? "required " : " | ") + to_string(term);
    }
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution) {
    text += text.empty() ? "" : ", ";
    text += "preferred " + std::to_string(term.weight) + " " + to_string(term.preference);
  }
  return text;
}
[[nodiscard]] inline std::string to_string(const PodAffinity& affinity) {
  std::string text;
  for (const auto& term : affinity.required_during_scheduling_ignored_during_execution) {
    text += (text.empty() ? "required " : " | ") + to_string(term);
  }
  for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution) {
    text += text.empty() ? "" : ", ";
    text += "preferred " + std::to_string(term.weight) + " " + to_string(term.pod_affinity_term);
  }
  return text;
}

}  // namespace schedpol

// schedpol/core/quantity.hpp

/// Quantities of resources (apimachinery, `api/resource`): the whole grammar, compared exactly.
///
///     quantity = [+-] number suffix        number = digits with at most one dot, either side may
///     be empty suffix   = n u m "" k M G T P E      powers of a thousand
///              | Ki Mi Gi Ti Pi Ei         powers of 1024
///              | (e | E) [+-] digits       a power of ten
///
/// As in Kubernetes a value is rounded away from zero to a multiple of a billionth, and one with a
/// binary suffix is at most 2^63-1; a number without any digit is zero (`Gi`), though not before
/// Pi, Ei or a power below 10^-9.

namespace schedpol {

/// Bytes of the longest text that is read as a quantity; a longer one is malformed.
inline constexpr std::size_t max_quantity_bytes = 1024;

/// The largest power of ten after `e`, either way; what lies beyond is malformed.
inline constexpr std::int32_t max_quantity_power = 1024;

/// A number with the text it was written in. Default-constructed it is `0`. Two quantities are
/// equal when their values are: `1`, `1000m` and `1e0` are one.
class Quantity {
 public:
  Quantity() = default;

  /// Reads a quantity, or nothing where the text is none: empty, too long, an unknown suffix, white
  /// space, a power of ten out of bounds.
  [[nodiscard]] static std::optional<Quantity> parse(std::string_view text) {
    if (text.empty() || text.size() > max_quantity_bytes) return std::nullopt;
    std::string_view rest = text;
    Quantity quantity;
    quantity.text_ = text;
    if (rest.front() == '+' || rest.front() == '-') {
      quantity.negative_ = rest.front() == '-';
      rest.remove_prefix(1);
    }
    quantity.digits_ = take_digits(rest);
    if (rest.starts_with('.')) {
      rest.remove_prefix(1);
      const std::string_view fraction = take_digits(rest);
      quantity.digits_ += fraction;
      quantity.exponent_ -= static_cast<std::int64_t>(fraction.size());
    }
    const bool without_digits = quantity.digits_.empty();
    const std::optional<int> power = quantity.scale(rest);
    if (!power ||
        (without_digits && (*power < smallest_exponent || rest == "Pi" || rest == "Ei"))) {
      return std::nullopt;
    }
    return quantity;
  }

  /// The text it was read from.
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] bool is_zero() const noexcept { return digits_.empty(); }

  /// The exact sum, with the text of its plain digits and a power of ten.
  [[nodiscard]] friend Quantity operator+(const Quantity& a, const Quantity& b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    const bool a_larger = compare_magnitude(a, b) >= 0;
    Quantity sum = a_larger ? a : b;
    const Quantity& smaller = a_larger ? b : a;
    sum.add_magnitude(smaller, a.negative_ == b.negative_ ? 1 : -1);
    sum.normalise();
    sum.text_ = (sum.negative_ ? "-" : "") + (sum.is_zero() ? "0" : sum.digits_) + "e" +
                std::to_string(sum.exponent_);
    return sum;
  }

  friend bool operator==(const Quantity& a, const Quantity& b) noexcept { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const Quantity& a, const Quantity& b) noexcept {
    if (a.sign() != b.sign()) return a.sign() <=> b.sign();
    return a.negative_ ? compare_magnitude(b, a) : compare_magnitude(a, b);
  }

 private:
  static std::string_view take_digits(std::string_view& text) noexcept {
    const std::size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view digits = text.substr(0, end);
    text.remove_prefix(end);
    return digits;
  }

  /// Applies the suffix and brings the value into its one form. Returns the power of ten or 1024,
  /// nothing for an unknown suffix.
  std::optional<int> scale(std::string_view suffix) {
    struct Decimal {
      std::string_view name;
      int power;
    };
    constexpr std::array<Decimal, 10> decimal = {{{"n", -9},
                                                  {"u", -6},
                                                  {"m", -3},
                                                  {"", 0},
                                                  {"k", 3},
                                                  {"M", 6},
                                                  {"G", 9},
                                                  {"T", 12},
                                                  {"P", 15},
                                                  {"E", 18}}};
    constexpr std::array<std::string_view, 6> binary = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    for (const auto& [name, power] : decimal) {
      if (suffix == name) return scale_by_ten(power);
    }
    if (const auto found = std::find(binary.begin(), binary.end(), suffix); found != binary.end()) {
      for (auto power = binary.begin(); power <= found; ++power) multiply(1024);
      normalise();
      cap();
      return static_cast<int>(found - binary.begin()) + 1;
    }
    if (!suffix.starts_with('e') && !suffix.starts_with('E')) return std::nullopt;
    suffix.remove_prefix(1);
    if (suffix.starts_with('+') && !suffix.starts_with("+-")) suffix.remove_prefix(1);
    std::int32_t power = 0;
    const auto [end, error] = std::from_chars(suffix.data(), suffix.data() + suffix.size(), power);
    if (error != std::errc() || end != suffix.data() + suffix.size()) return std::nullopt;
    if (power < -max_quantity_power || power > max_quantity_power) return std::nullopt;
    return scale_by_ten(power);
  }

  std::optional<int> scale_by_ten(int power) {
    exponent_ += power;
    normalise();
    return power;
  }

  void multiply(unsigned factor) {
    unsigned carry = 0;
    for (std::size_t i = digits_.size(); i-- > 0;) {
      const unsigned product = static_cast<unsigned>(digits_[i] - '0') * factor + carry;
      digits_[i] = static_cast<char>('0' + product % 10);
      carry = product / 10;
    }
    if (carry > 0) digits_.insert(0, std::to_string(carry));
  }

  /// No zeros at either end, nothing below a billionth, and zero without sign or digits.
  void normalise() {
    digits_.erase(0, std::min(digits_.find_first_not_of('0'), digits_.size()));
    if (!digits_.empty() && exponent_ < smallest_exponent) {
      const auto excess = static_cast<std::uint64_t>(smallest_exponent - exponent_);
      const std::size_t kept =
          excess < digits_.size() ? digits_.size() - static_cast<std::size_t>(excess) : 0;
      const bool round_up = digits_.find_first_not_of('0', kept) != std::string::npos;
      digits_.resize(kept);
      exponent_ = smallest_exponent;
      if (round_up) increment();
    }
    while (digits_.ends_with('0')) {
      digits_.pop_back();
      ++exponent_;
    }
    if (digits_.empty()) {
      negative_ = false;
      exponent_ = 0;
    }
  }

  /// Adds the digits of a number that is not larger, or takes them away.
  void add_magnitude(const Quantity& other, int direction) {
    const std::int64_t exponent = std::min(exponent_, other.exponent_);
    std::string addend = other.digits_;
    digits_.append(static_cast<std::size_t>(exponent_ - exponent), '0');
    addend.append(static_cast<std::size_t>(other.exponent_ - exponent), '0');
    exponent_ = exponent;
    int carry = 0;
    for (std::size_t i = 0; i < digits_.size(); ++i) {
      char& digit = digits_[digits_.size() - 1 - i];
      const int added = i < addend.size() ? addend[addend.size() - 1 - i] - '0' : 0;
      const int total = (digit - '0') + direction * added + carry;
      carry = total < 0 ? -1 : total / 10;
      digit = static_cast<char>('0' + (total + 10) % 10);
    }
    if (carry > 0) digits_.insert(0, 1, '1');
  }

  void increment() {
    std::size_t i = digits_.size();
    while (i > 0 && digits_[i - 1] == '9') digits_[--i] = '0';
    if (i > 0) {
      ++digits_[i - 1];
    } else {
      digits_.insert(0, 1, '1');
    }
  }

  void cap() {
    Quantity largest;
    largest.digits_ = "9223372036854775807";
    if (compare_magnitude(*this, largest) <= 0) return;
    digits_ = largest.digits_;
    exponent_ = largest.exponent_;
  }

  [[nodiscard]] int sign() const noexcept { return digits_.empty() ? 0 : negative_ ? -1 : 1; }

  static std::strong_ordering compare_magnitude(const Quantity& a, const Quantity& b) noexcept {
    if (a.digits_.empty() || b.digits_.empty()) return !a.digits_.empty() <=> !b.digits_.empty();
    const std::int64_t a_size = static_cast<std::int64_t>(a.digits_.size()) + a.exponent_;
    const std::int64_t b_size = static_cast<std::int64_t>(b.digits_.size()) + b.exponent_;
    if (a_size != b_size) return a_size <=> b_size;
    // Without trailing zeros, a longer run of equal digits is the larger number.
    return a.digits_ <=> b.digits_;
  }

  static constexpr std::int64_t smallest_exponent = -9;

  std::string text_ = "0";
  std::string
      digits_{};  ///< without zeros at either end; the value is digits times ten to the exponent
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
/// Sources: core/v1 `Toleration.ToleratesTaint`, KEP-5471 (Lt, Gt), and the toleration merge of the
/// RuntimeClass admission plugin.

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
  friend bool operator==(const Toleration& a, const Toleration& b) noexcept {
    return a.key == b.key && same_operator(a, b) && a.value == b.value && a.effect == b.effect &&
           a.toleration_seconds == b.toleration_seconds;
  }

  /// Whether both say the same operator, unset being Equal.
  friend bool same_operator(const Toleration& a, const Toleration& b) noexcept {
    const auto equals = [](const Toleration& t) {
      return t.operator_ == TolerationOperator::unset || t.operator_ == TolerationOperator::equal;
    };
    return a.operator_ == b.operator_ || (equals(a) && equals(b));
  }
};

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

}  // namespace detail

/// Whether `toleration` tolerates `taint`. The rules, in order:
/// 1. the effects are equal, or the toleration has none;
/// 2. the keys are equal, or the toleration has none;
/// 3. Equal (and unset): the values are equal; Exists: any value; Lt, Gt: the taint's value is
///    less, greater than the toleration's, both decimal int64 without `+` or leading zeros;
/// 4. anything else, an unknown operator included, is not tolerated.
[[nodiscard]] inline bool tolerates(const Toleration& toleration, const Taint& taint) noexcept {
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

namespace detail {

inline bool is_tolerated(const Taint& taint, std::span<const Toleration> tolerations) noexcept {
  for (const Toleration& toleration : tolerations) {
    if (tolerates(toleration, taint)) return true;
  }
  return false;
}

/// Whether a taint counts, being of one of the effects, and none of the tolerations tolerates it.
inline bool repels(const Taint& taint, std::span<const TaintEffect> effects,
                   std::span<const Toleration> tolerations) noexcept {
  for (const TaintEffect effect : effects) {
    if (taint.effect == effect) return !is_tolerated(taint, tolerations);
  }
  return false;
}

}  // namespace detail

/// The taints that none of the tolerations tolerates, in their order, whatever their effect. Which
/// effects count is the caller's question: `tolerates_all` asks it as a scheduler does.
[[nodiscard]] inline std::vector<Taint> find_untolerated(std::span<const Toleration> tolerations,
                                                         std::span<const Taint> taints) {
  std::vector<Taint> untolerated;
  for (const Taint& taint : taints) {
    if (!detail::is_tolerated(taint, tolerations)) untolerated.push_back(taint);
  }
  return untolerated;
}

/// Whether every taint of one of the effects is tolerated, by default as a scheduler asks it:
/// taints of other effects, unknown ones included, keep no pod off a node.
[[nodiscard]] inline bool tolerates_all(
    std::span<const Toleration> tolerations, std::span<const Taint> taints,
    std::span<const TaintEffect> effects = repelling_effects) noexcept {
  for (const Taint& taint : taints) {
    if (detail::repels(taint, effects, tolerations)) return false;
  }
  return true;
}

/// Whether `a` tolerates every taint that `b` tolerates, and where `a` names NoExecute, for at
/// least as long. The rules:
/// 1. equal ones cover each other;
/// 2. the keys are equal, or `a` has none and is Exists;
/// 3. the effects are equal, or `a` has none;
/// 4. where `a` is NoExecute and has tolerationSeconds, `b` has them too, and not more;
/// 5. `a` is Exists, or both have the same operator and value (an unset operator is Equal).
/// Unknown operators and effects cover only their equals.
[[nodiscard]] inline bool covers(const Toleration& a, const Toleration& b) noexcept {
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

namespace detail {

/// The tolerations that no other one of the list covers, in their order: of equal ones the first
/// stays, of unequal ones that cover each other the later. Quadratic in the length of the list.
inline std::vector<Toleration> without_covered(const std::vector<Toleration>& all) {
  std::vector<Toleration> kept;
  for (std::size_t i = 0; i < all.size(); ++i) {
    bool redundant = false;
    for (std::size_t j = 0; j < kept.size() && !redundant; ++j) {
      redundant = covers(kept[j], all[i]);
    }
    for (std::size_t j = i + 1; j < all.size() && !redundant; ++j) {
      redundant = all[j] != all[i] && covers(all[j], all[i]);
    }
    if (!redundant) kept.push_back(all[i]);
  }
  return kept;
}

}  // namespace detail

/// The union of two lists, `first` before `second`, without what another entry covers: of equal
/// ones the first stays, of unequal ones that cover each other the later. Quadratic in the lists'
/// lengths.
[[nodiscard]] inline std::vector<Toleration> merge(std::span<const Toleration> first,
                                                   std::span<const Toleration> second) {
  std::vector<Toleration> all(first.begin(), first.end());
  all.insert(all.end(), second.begin(), second.end());
  return detail::without_covered(all);
}

/// One toleration on one line, as in kubectl: `dedicated=gpu:NoSchedule`, `spot Exists:NoExecute
/// for 300s`; `*` for every key, no colon for every effect. Different tolerations have different
/// texts.
[[nodiscard]] inline std::string to_string(const Toleration& toleration) {
  constexpr std::string_view separators = "*= :";
  std::string text;
  if (toleration.key.empty()) {
    text = "*";
  } else {
    append_escaped(text, toleration.key, separators);
  }
  if (same_operator(toleration, Toleration{})) {
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
  if (toleration.toleration_seconds) {
    text += " for " + std::to_string(*toleration.toleration_seconds) + "s";
  }
  return text;
}

}  // namespace schedpol

// schedpol/core/pod.hpp

/// Pods, and the pod templates of workloads, as far as scheduling policies look at them. A template
/// is a Pod that knows which kind of object it stands in, so that every function takes both and
/// field paths are those of the document its author wrote.

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

/// The kind of object in which a pod spec stands.
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

/// Where the pod template stands in an object of that kind: empty for a Pod, which is its own,
/// otherwise a field path such as `spec.template`.
[[nodiscard]] constexpr std::string_view template_path(PodKind kind) noexcept {
  switch (kind) {
    case PodKind::pod: return "";
    case PodKind::pod_template: return "template";
    case PodKind::cron_job: return "spec.jobTemplate.spec.template";
    case PodKind::replication_controller:
    case PodKind::replica_set:
    case PodKind::deployment:
    case PodKind::stateful_set:
    case PodKind::daemon_set:
    case PodKind::job: break;
  }
  return "spec.template";
}

/// A pod, or the pod template of a workload. `metadata` is the pod's or the template's; a template
/// takes `name` and `namespace_` from its workload where it has none.
struct Pod {
  PodKind kind = PodKind::pod;
  ObjectMeta metadata{};
  PodSpec spec{};
  PodStatus status{};

  friend bool operator==(const Pod&, const Pod&) = default;
};

/// The path of a field of the pod (`spec.nodeName`) in the object it stands in
/// (`spec.template.spec.nodeName`).
[[nodiscard]] inline std::string field_path(PodKind kind, std::string_view field) {
  std::string path(template_path(kind));
  if (!path.empty()) path += '.';
  return path.append(field);
}

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
  std::string field{};
  std::string value{};
  std::vector<std::string> policies{};

  friend bool operator==(const Violation&, const Violation&) = default;
};

/// One line for a person: lower case, no full stop, input in backticks.
[[nodiscard]] inline std::string message(const Violation& violation) {
  const std::string at = in_backticks(violation.field);
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

/// One mutation. `from` and `to` are absent where the field was or became absent; structured values
/// are shown on one line. `policy` made the change; it is empty where no policy did.
struct Change {
  std::string field{};
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
[[nodiscard]] inline std::string message(const Change& change) {
  std::string text = in_backticks(change.field);
  if (!change.to) {
    text += " cleared";
  } else {
    text += change.from ? " changed from " + in_backticks(*change.from) + " to "
                        : std::string(" set to ");
    text += in_backticks(*change.to);
  }
  return change.policy.empty() ? text : text + " by " + in_backticks(change.policy);
}

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
    if (!allowed) return std::move(*this);
    if (!before) before.emplace(pod);
    Admission result = std::invoke(std::forward<Next>(next), std::move(pod));
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

  template <class Next>
  [[nodiscard]] Admission and_then(Next&& next) const& {
    return Admission(*this).and_then(std::forward<Next>(next));
  }

  friend bool operator==(const Admission&, const Admission&) = default;
};

}  // namespace schedpol

// schedpol/core/name_order.hpp

/// The order in which policies count: byte order of their names, of equal ones those of the cluster
/// before those of a namespace, then byte order of the namespaces. It does not depend on the order
/// in which the policies were given.

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

}  // namespace schedpol::detail

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
/// nothing. What a pod asks for is compiled once and then matched against any number of nodes.
/// Source: component-helpers, `scheduling/corev1/nodeaffinity`.

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

namespace detail {

/// An int64 as in the labels of Gt and Lt: an optional sign, leading zeros permitted.
inline std::optional<std::int64_t> label_int64(std::string_view text) noexcept {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// A term that has been found well formed.
struct CompiledTerm {
  std::vector<NodeSelectorRequirement> expressions{};  ///< values in byte order
  std::vector<std::int64_t> bounds{};         ///< of Gt and Lt, in the order of `expressions`
  std::vector<std::string> names{};           ///< all of them have to be that of the node
  std::vector<std::string> excluded_names{};  ///< none of them may be

  [[nodiscard]] bool matches(const Node& node) const noexcept {
    for (const std::string& name : names) {
      if (node.metadata.name != name) return false;
    }
    for (const std::string& name : excluded_names) {
      if (node.metadata.name == name) return false;
    }
    for (std::size_t i = 0; i < expressions.size(); ++i) {
      if (!holds(expressions[i], bounds[i], find_label(node.metadata.labels, expressions[i].key))) {
        return false;
      }
    }
    return true;
  }

  static bool holds(const NodeSelectorRequirement& requirement, std::int64_t bound,
                    const std::string* value) noexcept {
    switch (requirement.operator_.word()) {
      case NodeSelectorOperator::in: return is_listed(requirement.values, value);
      case NodeSelectorOperator::not_in: return !is_listed(requirement.values, value);
      case NodeSelectorOperator::exists: return value != nullptr;
      case NodeSelectorOperator::does_not_exist: return value == nullptr;
      case NodeSelectorOperator::gt:
      case NodeSelectorOperator::lt: {
        const auto number = value != nullptr ? label_int64(*value) : std::nullopt;
        if (!number) return false;
        return requirement.operator_ == NodeSelectorOperator::gt ? *number > bound
                                                                 : *number < bound;
      }
      case NodeSelectorOperator::unset:
      case NodeSelectorOperator::unknown: break;
    }
    return false;
  }
};

}  // namespace detail

/// The node selector terms of a pod, made for matching. Terms that can match no node are left out.
class NodeTermsMatcher {
 public:
  NodeTermsMatcher() = default;
  explicit NodeTermsMatcher(std::span<const NodeSelectorTerm> terms) {
    for (const NodeSelectorTerm& term : terms) add(term);
  }

  /// Whether one of the terms matches; no terms match no node.
  [[nodiscard]] bool matches(const Node& node) const noexcept {
    for (const detail::CompiledTerm& term : terms_) {
      if (term.matches(node)) return true;
    }
    return false;
  }

 private:
  friend class NodeTable;
  friend class NodeAffinityMatcher;

  /// False where the term can match no node and is left out.
  bool add(const NodeSelectorTerm& term) {
    auto compiled = compile(term);
    if (compiled) terms_.push_back(*std::move(compiled));
    return compiled.has_value();
  }

  static std::optional<detail::CompiledTerm> compile(const NodeSelectorTerm& term) {
    if (is_empty(term)) return std::nullopt;
    detail::CompiledTerm compiled;
    for (NodeSelectorRequirement requirement : term.match_expressions) {
      const auto bound = bound_of(requirement);
      if (!bound || !is_well_formed(requirement)) return std::nullopt;
      std::sort(requirement.values.begin(), requirement.values.end());
      compiled.expressions.push_back(std::move(requirement));
      compiled.bounds.push_back(*bound);
    }
    for (const NodeSelectorRequirement& requirement : term.match_fields) {
      const bool in = requirement.operator_ == NodeSelectorOperator::in;
      const bool one_name = requirement.key == "metadata.name" && requirement.values.size() == 1;
      if (!one_name || (!in && requirement.operator_ != NodeSelectorOperator::not_in))
        return std::nullopt;
      auto& names = in ? compiled.names : compiled.excluded_names;
      names.push_back(requirement.values.front());
    }
    return compiled;
  }

  static bool is_well_formed(const NodeSelectorRequirement& requirement) {
    if (!label_key_problems(requirement.key).empty()) return false;
    bool values_good = true;
    for (const std::string& value : requirement.values) {
      values_good = values_good && label_value_problems(value).empty();
    }
    switch (requirement.operator_.word()) {
      case NodeSelectorOperator::in:
      case NodeSelectorOperator::not_in: return values_good && !requirement.values.empty();
      case NodeSelectorOperator::exists:
      case NodeSelectorOperator::does_not_exist: return requirement.values.empty();
      case NodeSelectorOperator::gt:
      case NodeSelectorOperator::lt: return values_good;
      case NodeSelectorOperator::unset:
      case NodeSelectorOperator::unknown: break;
    }
    return false;
  }

  /// What Gt and Lt compare with; nothing where that is not one integer; zero for the others.
  static std::optional<std::int64_t> bound_of(const NodeSelectorRequirement& requirement) noexcept {
    const bool compares = requirement.operator_ == NodeSelectorOperator::gt ||
                          requirement.operator_ == NodeSelectorOperator::lt;
    if (!compares) return 0;
    if (requirement.values.size() != 1) return std::nullopt;
    return detail::label_int64(requirement.values.front());
  }

  std::vector<detail::CompiledTerm> terms_;
};

/// What a pod asks of nodes, made for matching.
class NodeAffinityMatcher {
 public:
  /// Of a pod that asks for nothing: matches every node, scores zero.
  NodeAffinityMatcher() = default;

  explicit NodeAffinityMatcher(const PodSpec& spec) : node_selector_(spec.node_selector) {
    if (!spec.affinity || !spec.affinity->node_affinity) return;
    const NodeAffinity& affinity = *spec.affinity->node_affinity;
    if (const auto& required = affinity.required_during_scheduling_ignored_during_execution) {
      required_.emplace();
      for (const auto& term : required->node_selector_terms) required_->add(term);
    }
    for (const auto& term : affinity.preferred_during_scheduling_ignored_during_execution) {
      if (preferred_.add(term.preference)) weights_.push_back(term.weight);
    }
  }

  /// Whether the pod may run on the node, as far as labels and name decide it.
  [[nodiscard]] bool matches(const Node& node) const noexcept {
    for (const auto& [key, value] : node_selector_) {
      const std::string* label = find_label(node.metadata.labels, key);
      if (label == nullptr || *label != value) return false;
    }
    return !required_ || required_->matches(node);
  }

  /// How much the pod would rather run on the node; not whether it may.
  [[nodiscard]] std::int64_t score(const Node& node) const noexcept {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      if (preferred_.terms_[i].matches(node)) sum += weights_[i];
    }
    return sum;
  }

 private:
  friend class NodeTable;

  Labels node_selector_;
  std::optional<NodeTermsMatcher> required_;
  NodeTermsMatcher preferred_;
  std::vector<std::int64_t> weights_;  ///< of the preferred terms
};

}  // namespace schedpol

// schedpol/core/node_table.hpp

/// The nodes of a cluster made for matching: what a pod asks for is put to all of them at once.
/// 1. For each node the answer is that of `LabelMatcher`, `NodeTermsMatcher`, `NodeAffinityMatcher`
///    and `tolerates_all` for it alone.
/// 2. Every label value, name and taint knows its nodes, so a requirement is looked at once a
///    distinct value (In and NotIn: once a listed value) and the tolerations once a distinct taint.
/// 3. Nodes are numbered as they came; those of the same name stay apart.
/// A table copies what it needs of the nodes and never changes, so any number of threads may ask
/// it. Source: the NodeAffinity and TaintToleration filters of kube-scheduler.

namespace schedpol {

/// Some of the nodes of a `NodeTable`, by their numbers in it. Default-constructed: none.
class NodeSet {
 public:
  NodeSet() = default;

  /// False for a number that the table does not have.
  [[nodiscard]] bool contains(std::size_t node) const noexcept {
    return node / word_bits < words_.size() && ((words_[node / word_bits] & bit(node)) != 0);
  }

  [[nodiscard]] std::size_t count() const noexcept {
    std::size_t sum = 0;
    for (const std::uint64_t word : words_) sum += static_cast<std::size_t>(std::popcount(word));
    return sum;
  }

  /// Calls `use` with the number of each node in the set, ascending.
  template <class Use>
  void for_each(Use use) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (std::uint64_t rest = words_[i]; rest != 0; rest &= rest - 1) {
        use(i * word_bits + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

  /// Leaves the nodes that are in both sets.
  NodeSet& operator&=(const NodeSet& other) noexcept {
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) words_[i] &= other.words_[i];
    for (std::size_t i = common; i < words_.size(); ++i) words_[i] = 0;
    return *this;
  }

  /// Adds the nodes of another set of the same table; numbers beyond this set's table stay out.
  NodeSet& operator|=(const NodeSet& other) noexcept {
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) words_[i] |= other.words_[i];
    return *this;
  }

  friend bool operator==(const NodeSet&, const NodeSet&) = default;

 private:
  friend class NodeTable;

  static constexpr std::size_t word_bits = 64;

  /// No node yet, of a table of so many.
  explicit NodeSet(std::size_t nodes) : words_((nodes + word_bits - 1) / word_bits) {}

  static constexpr std::uint64_t bit(std::size_t node) noexcept {
    return std::uint64_t{1} << (node % word_bits);
  }
  void add(std::size_t node) noexcept { words_[node / word_bits] |= bit(node); }
  void remove(std::size_t node) noexcept { words_[node / word_bits] &= ~bit(node); }
  void remove(const NodeSet& other) noexcept {
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  void clear() noexcept { std::fill(words_.begin(), words_.end(), 0); }

  std::vector<std::uint64_t> words_;  ///< bits beyond the last node are zero
};

/// The nodes of a cluster, indexed by what pods ask of them. Building takes O(L log L) for L
/// labels, names and taints, and memory in proportion to them. A question takes a step for every
/// 64 nodes and value that its requirements look at, but for a rare value only one for each of its
/// nodes; it allocates a few sets, whatever the number of nodes.
class NodeTable {
 public:
  /// Of no nodes.
  NodeTable() = default;

  explicit NodeTable(std::span<const Node> nodes) : size_(nodes.size()), all_(nodes.size()) {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      all_.add(i);
      names_[nodes[i].metadata.name].add(i);
      for (const Taint& taint : nodes[i].spec.taints) taints_[taint].add(i);
      // Labels come in the order of the keys, and nodes mostly have the same keys.
      auto key = keys_.begin();
      for (const auto& [name, value] : nodes[i].metadata.labels) {
        if (key == keys_.end() || key->first != name) key = keys_.try_emplace(name).first;
        key->second.labelled.add(i);
        key->second.values[value].add(i);
        ++key;
      }
    }
    const auto pack = [&](auto& holders_by) {
      for (auto& [what, holders] : holders_by) holders.pack(size_);
    };
    pack(names_);
    pack(taints_);
    for (auto& [name, key] : keys_) {
      key.labelled.pack(size_);
      pack(key.values);
    }
  }

  /// How many nodes there are.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// The nodes whose labels match.
  [[nodiscard]] NodeSet matching(const LabelMatcher& matcher) const {
    if (!matcher.selects_) return NodeSet(size_);
    NodeSet set = all_;
    NodeSet room(size_);
    for (const auto& requirement : matcher.requirements_) {
      keep(set, room, requirement,
           [&](const std::string* value) { return LabelMatcher::holds(requirement, value); });
    }
    return set;
  }

  /// The nodes that one of the terms matches.
  [[nodiscard]] NodeSet matching(const NodeTermsMatcher& matcher) const {
    NodeSet united(size_);
    NodeSet set;
    NodeSet room(size_);
    for (const detail::CompiledTerm& term : matcher.terms_) {
      set = all_;
      keep(set, room, term);
      united |= set;
    }
    return united;
  }

  /// The nodes that the pod may run on, as far as labels and name decide it.
  [[nodiscard]] NodeSet matching(const NodeAffinityMatcher& matcher) const {
    NodeSet set = matcher.required_ ? matching(*matcher.required_) : all_;
    NodeSet room(size_);
    for (const auto& [name, value] : matcher.node_selector_) {
      const auto key = keys_.find(name);
      keep(set, room, key == keys_.end() ? nullptr : find(key->second.values, value));
    }
    return set;
  }

  /// The nodes of which every taint of one of the effects is tolerated.
  [[nodiscard]] NodeSet tolerated_by(
      std::span<const Toleration> tolerations,
      std::span<const TaintEffect> effects = repelling_effects) const {
    NodeSet set = all_;
    for (const auto& [taint, holders] : taints_) {
      if (detail::repels(taint, effects, tolerations)) holders.remove_from(set);
    }
    return set;
  }

  /// How much the pod would rather run on each node, by their numbers; not whether it may.
  [[nodiscard]] std::vector<std::int64_t> scores(const NodeAffinityMatcher& matcher) const {
    std::vector<std::int64_t> sums(size_);
    NodeSet set;
    NodeSet room(size_);
    for (std::size_t i = 0; i < matcher.weights_.size(); ++i) {
      set = all_;
      keep(set, room, matcher.preferred_.terms_[i]);
      set.for_each([&](std::size_t node) { sums[node] += matcher.weights_[i]; });
    }
    return sums;
  }

 private:
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

  static const Holders* find(const HoldersByText& holders_by, const std::string& text) noexcept {
    const auto it = holders_by.find(text);
    return it == holders_by.end() ? nullptr : &it->second;
  }

  /// Leaves the holders, none where it is null; `room` is a set to work in.
  static void keep(NodeSet& set, NodeSet& room, const Holders* holders) noexcept {
    room.clear();
    if (holders != nullptr) holders->add_to(room);
    set &= room;
  }

  /// Leaves the nodes that a term matches.
  void keep(NodeSet& set, NodeSet& room, const detail::CompiledTerm& term) const {
    for (const std::string& name : term.names) keep(set, room, find(names_, name));
    for (const std::string& name : term.excluded_names) {
      if (const Holders* holders = find(names_, name)) holders->remove_from(set);
    }
    for (std::size_t i = 0; i < term.expressions.size(); ++i) {
      keep(set, room, term.expressions[i], [&](const std::string* value) {
        return detail::CompiledTerm::holds(term.expressions[i], term.bounds[i], value);
      });
    }
  }

  /// Leaves the nodes for which a requirement holds; `holds` decides it for a value of the label,
  /// null where there is none. The operators that a look at the listed values or at the key alone
  /// decides do without asking for every value.
  template <class Requirement, class Holds>
  void keep(NodeSet& set, NodeSet& room, const Requirement& requirement, Holds holds) const {
    using Operator = decltype(requirement.operator_.word());
    const auto found = keys_.find(requirement.key);
    if (found == keys_.end()) {
      if (!holds(nullptr)) set.clear();
      return;
    }
    const Key& key = found->second;
    switch (requirement.operator_.word()) {
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
      default:
        if (!holds(nullptr)) keep(set, room, &key.labelled);
        for (const auto& [value, holders] : key.values) {
          if (!holds(&value)) holders.remove_from(set);
        }
    }
  }

  std::size_t size_ = 0;
  NodeSet all_;
  HoldersByText names_;
  std::map<std::string, Key> keys_;
  std::map<Taint, Holders, TaintOrder> taints_;
};

}  // namespace schedpol

// schedpol/core/qos.hpp

/// The quality-of-service class of a pod, as the kubelet computes it from what cpu and memory its
/// containers and init containers ask for, or the pod as a whole where it says so itself:
/// 1. BestEffort: nothing more than zero is requested or limited;
/// 2. Guaranteed: every container limits both (or the pod does), and the sums of the requests are
///    those of the limits;
/// 3. Burstable: everything else.
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

namespace detail {

/// What one resource adds up to over all that ask for it.
struct ResourceSum {
  std::string_view name;
  Quantity requests{};
  Quantity limits{};
};

/// Adds what is asked for; false when no limit is set.
inline bool add_positive(ResourceSum& sum, const ResourceRequirements& resources) {
  const Quantity zero;
  const auto add = [&](Quantity& into, const ResourceList& list) {
    const auto found = list.find(sum.name);
    if (found == list.end() || found->second <= zero) return false;
    into = into + found->second;
    return true;
  };
  add(sum.requests, resources.requests);
  return add(sum.limits, resources.limits);
}

}  // namespace detail

[[nodiscard]] inline QosClass qos_class(const PodSpec& spec) {
  std::array<detail::ResourceSum, 2> sums = {{{"cpu"}, {"memory"}}};
  bool guaranteed = true;
  const auto add = [&](const ResourceRequirements& resources) {
    for (detail::ResourceSum& sum : sums) guaranteed &= detail::add_positive(sum, resources);
  };
  if (spec.resources) {
    add(*spec.resources);
  } else {
    for (const Container& container : spec.containers) add(container.resources);
    for (const Container& container : spec.init_containers) add(container.resources);
  }
  bool nothing = true;
  for (const detail::ResourceSum& sum : sums) {
    nothing &= sum.requests.is_zero() && sum.limits.is_zero();
    guaranteed &= sum.requests == sum.limits;
  }
  if (nothing) return QosClass::best_effort;
  return guaranteed ? QosClass::guaranteed : QosClass::burstable;
}

}  // namespace schedpol

// schedpol/core/validation.hpp

/// What the API server finds wrong with labels, tolerations and affinities, with its field paths
/// and error types. Matching does not depend on it: what is malformed matches nothing. Sources:
/// Kubernetes, `pkg/apis/core/validation`, and apimachinery, `apis/meta/v1/validation`.

namespace schedpol {

namespace detail {

/// Collects errors; paths are built from the one handed in.
class FieldErrors {
 public:
  void add(ErrorType type, std::string field, std::string_view value, std::string detail) {
    errors_.push_back({type, std::move(field), std::string(value), std::move(detail)});
  }
  void add_all(const std::string& field, std::string_view value,
               std::vector<std::string> problems) {
    for (std::string& problem : problems) add(ErrorType::invalid, field, value, std::move(problem));
  }
  /// The errors of something that could not be built.
  template <class T>
  void add_compiled(const Result<T>& result) {
    errors_.insert(errors_.end(), result.errors().begin(), result.errors().end());
  }
  [[nodiscard]] std::vector<FieldError> take() && { return std::move(errors_); }

 private:
  std::vector<FieldError> errors_;
};

inline std::string at_index(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

inline void validate_labels(FieldErrors& errors, const std::string& field, const Labels& labels) {
  for (const auto& [key, value] : labels) {
    errors.add_all(field, key, label_key_problems(key));
    errors.add_all(field, value, label_value_problems(value));
  }
}

/// The values of expressions are not looked at; they are when the selector is compiled.
inline void validate_selector(FieldErrors& errors, const std::string& field,
                              const std::optional<LabelSelector>& selector) {
  if (!selector) return;
  validate_labels(errors, field + ".matchLabels", selector->match_labels);
  for (std::size_t i = 0; i < selector->match_expressions.size(); ++i) {
    const LabelSelectorRequirement& requirement = selector->match_expressions[i];
    const std::string path = at_index(field + ".matchExpressions", i);
    switch (requirement.operator_.word()) {
      case LabelSelectorOperator::in:
      case LabelSelectorOperator::not_in:
        if (requirement.values.empty()) {
          errors.add(ErrorType::required, path + ".values", "",
                     "In and NotIn need at least one value");
        }
        break;
      case LabelSelectorOperator::exists:
      case LabelSelectorOperator::does_not_exist:
        if (!requirement.values.empty()) {
          errors.add(ErrorType::forbidden, path + ".values", "",
                     "Exists and DoesNotExist take no values");
        }
        break;
      case LabelSelectorOperator::unset:
      case LabelSelectorOperator::unknown:
        errors.add(ErrorType::invalid, path + ".operator", requirement.operator_.text(),
                   "must be In, NotIn, Exists or DoesNotExist");
        break;
    }
    errors.add_all(path + ".key", requirement.key, label_key_problems(requirement.key));
  }
}

inline void validate_expression(FieldErrors& errors, const std::string& path,
                                const NodeSelectorRequirement& requirement) {
  const std::string values = path + ".values";
  switch (requirement.operator_.word()) {
    case NodeSelectorOperator::in:
    case NodeSelectorOperator::not_in:
      if (requirement.values.empty()) {
        errors.add(ErrorType::required, values, "", "In and NotIn need at least one value");
      }
      break;
    case NodeSelectorOperator::exists:
    case NodeSelectorOperator::does_not_exist:
      if (!requirement.values.empty()) {
        errors.add(ErrorType::forbidden, values, "", "Exists and DoesNotExist take no values");
      }
      break;
    case NodeSelectorOperator::gt:
    case NodeSelectorOperator::lt:
      if (requirement.values.size() != 1) {
        errors.add(ErrorType::required, values, "", "Gt and Lt need one value");
      }
      break;
    case NodeSelectorOperator::unset:
    case NodeSelectorOperator::unknown:
      errors.add(ErrorType::invalid, path + ".operator", requirement.operator_.text(),
                 "must be In, NotIn, Exists, DoesNotExist, Gt or Lt");
      break;
  }
  errors.add_all(path + ".key", requirement.key, label_key_problems(requirement.key));
}

inline void validate_field_expression(FieldErrors& errors, const std::string& path,
                                      const NodeSelectorRequirement& requirement) {
  const bool known_operator = requirement.operator_ == NodeSelectorOperator::in ||
                              requirement.operator_ == NodeSelectorOperator::not_in;
  if (!known_operator) {
    errors.add(ErrorType::invalid, path + ".operator", requirement.operator_.text(),
               "must be In or NotIn");
  } else if (requirement.values.size() != 1) {
    errors.add(ErrorType::required, path + ".values", "", "In and NotIn need one value");
  }
  if (requirement.key != "metadata.name") {
    errors.add(ErrorType::invalid, path + ".key", requirement.key, "must be metadata.name");
    return;
  }
  for (std::size_t i = 0; i < requirement.values.size(); ++i) {
    errors.add_all(at_index(path + ".values", i), requirement.values[i],
                   subdomain_problems(requirement.values[i]));
  }
}

inline void validate_term(FieldErrors& errors, const std::string& path,
                          const NodeSelectorTerm& term) {
  for (std::size_t i = 0; i < term.match_expressions.size(); ++i) {
    validate_expression(errors, at_index(path + ".matchExpressions", i), term.match_expressions[i]);
  }
  for (std::size_t i = 0; i < term.match_fields.size(); ++i) {
    validate_field_expression(errors, at_index(path + ".matchFields", i), term.match_fields[i]);
  }
}

inline void validate_weight(FieldErrors& errors, const std::string& path, std::int32_t weight) {
  if (weight >= 1 && weight <= 100) return;
  errors.add(ErrorType::invalid, path + ".weight", std::to_string(weight), "must be 1 to 100");
}

inline void validate_pod_term(FieldErrors& errors, const std::string& path,
                              const PodAffinityTerm& term) {
  validate_selector(errors, path + ".labelSelector", term.label_selector);
  validate_selector(errors, path + ".namespaceSelector", term.namespace_selector);
  for (const std::string& name : term.namespaces) {
    errors.add_all(path + ".namespace", name, dns_label_problems(name));
  }
  const auto validate_keys = [&](const std::string& field, const std::vector<std::string>& keys) {
    if (!keys.empty() && !term.label_selector) {
      errors.add(ErrorType::forbidden, field, "", "must not be set without a labelSelector");
    }
    for (std::size_t i = 0; i < keys.size(); ++i) {
      errors.add_all(at_index(field, i), keys[i], label_key_problems(keys[i]));
    }
  };
  validate_keys(path + ".matchLabelKeys", term.match_label_keys);
  validate_keys(path + ".mismatchLabelKeys", term.mismatch_label_keys);
  const std::set<std::string_view> mismatch(term.mismatch_label_keys.begin(),
                                            term.mismatch_label_keys.end());
  for (std::size_t i = 0; i < term.match_label_keys.size(); ++i) {
    if (!mismatch.contains(term.match_label_keys[i])) continue;
    errors.add(ErrorType::invalid, at_index(path + ".matchLabelKeys", i), term.match_label_keys[i],
               "must not be in mismatchLabelKeys too");
  }
  if (term.topology_key.empty()) {
    errors.add(ErrorType::required, path + ".topologyKey", "", "must not be empty");
  }
  errors.add_all(path + ".topologyKey", term.topology_key, label_key_problems(term.topology_key));
}

inline void validate_pod_affinity(FieldErrors& errors, const std::string& path,
                                  const std::optional<PodAffinity>& affinity) {
  if (!affinity) return;
  const auto& required = affinity->required_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < required.size(); ++i) {
    validate_pod_term(errors, at_index(path + ".requiredDuringSchedulingIgnoredDuringExecution", i),
                      required[i]);
  }
  const auto& preferred = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const std::string item = at_index(path + ".preferredDuringSchedulingIgnoredDuringExecution", i);
    validate_weight(errors, item, preferred[i].weight);
    validate_pod_term(errors, item + ".podAffinityTerm", preferred[i].pod_affinity_term);
  }
}

inline void validate_node_affinity(FieldErrors& errors, const std::string& path,
                                   const std::optional<NodeAffinity>& affinity) {
  if (!affinity) return;
  if (const auto& required = affinity->required_during_scheduling_ignored_during_execution) {
    const std::string terms =
        path + ".requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms";
    if (required->node_selector_terms.empty()) {
      errors.add(ErrorType::required, terms, "", "must have at least one term");
    }
    for (std::size_t i = 0; i < required->node_selector_terms.size(); ++i) {
      validate_term(errors, at_index(terms, i), required->node_selector_terms[i]);
    }
  }
  const auto& preferred = affinity->preferred_during_scheduling_ignored_during_execution;
  for (std::size_t i = 0; i < preferred.size(); ++i) {
    const std::string item = at_index(path + ".preferredDuringSchedulingIgnoredDuringExecution", i);
    validate_weight(errors, item, preferred[i].weight);
    validate_term(errors, item + ".preference", preferred[i].preference);
  }
}

inline void validate_toleration(FieldErrors& errors, const std::string& path,
                                const Toleration& toleration) {
  if (!toleration.key.empty())
    errors.add_all(path + ".key", toleration.key, label_key_problems(toleration.key));
  if (toleration.key.empty() && toleration.operator_ != TolerationOperator::exists) {
    errors.add(ErrorType::invalid, path + ".operator", toleration.operator_.text(),
               "must be Exists when the key is empty");
  }
  if (toleration.toleration_seconds && toleration.effect != TaintEffect::no_execute) {
    errors.add(ErrorType::invalid, path + ".effect", toleration.effect.text(),
               "must be NoExecute when there are tolerationSeconds");
  }
  switch (toleration.operator_.word()) {
    case TolerationOperator::unset:
    case TolerationOperator::equal:
      if (auto problems = label_value_problems(toleration.value); !problems.empty()) {
        errors.add(ErrorType::invalid, path + ".operator", toleration.value,
                   "the value " + problems.front());
      }
      break;
    case TolerationOperator::exists:
      if (!toleration.value.empty()) {
        errors.add(ErrorType::invalid, path + ".operator", toleration.value,
                   "the value must be empty with Exists");
      }
      break;
    case TolerationOperator::lt:
    case TolerationOperator::gt:
    case TolerationOperator::unknown:
      errors.add(ErrorType::not_supported, path + ".operator", toleration.operator_.text(),
                 "supported are Equal and Exists");
      break;
  }
  if (!toleration.effect.known()) {
    errors.add(ErrorType::not_supported, path + ".effect", toleration.effect.text(),
               "supported are NoSchedule, PreferNoSchedule and NoExecute");
  }
}

inline void validate_tolerations(FieldErrors& errors, const std::string& field,
                                 const std::vector<Toleration>& tolerations) {
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    validate_toleration(errors, at_index(field, i), tolerations[i]);
  }
}

inline void validate_affinity(FieldErrors& errors, const std::string& field,
                              const Affinity& affinity) {
  validate_node_affinity(errors, field + ".nodeAffinity", affinity.node_affinity);
  validate_pod_affinity(errors, field + ".podAffinity", affinity.pod_affinity);
  validate_pod_affinity(errors, field + ".podAntiAffinity", affinity.pod_anti_affinity);
}

inline void validate_name(FieldErrors& errors, const std::string& name) {
  if (name.empty())
    return errors.add(ErrorType::required, "metadata.name", "", "an object has a name");
  errors.add_all("metadata.name", name, subdomain_problems(name));
}

/// The policies behind an error: the one that a path `policies[i]...` leads to, otherwise all of
/// them.
template <class Policy>
std::vector<std::string> policies_behind(std::string_view field, std::span<const Policy> policies) {
  constexpr std::string_view list = "policies[";
  std::vector<std::string> names;
  std::size_t index = policies.size();
  if (field.starts_with(list)) {
    field.remove_prefix(list.size());
    std::from_chars(field.data(), field.data() + field.size(), index);
  }
  for (std::size_t i = 0; i < policies.size(); ++i) {
    if (index >= policies.size() || i == index) names.push_back(policies[i].metadata.name);
  }
  return names;
}

}  // namespace detail

/// Labels: every key and value that breaks its syntax, all at `field`.
[[nodiscard]] inline std::vector<FieldError> validate(
    const Labels& labels, const std::string& field = "metadata.labels") {
  detail::FieldErrors errors;
  detail::validate_labels(errors, field, labels);
  return std::move(errors).take();
}

/// Tolerations: a malformed key; an empty key without Exists; tolerationSeconds without NoExecute;
/// a value that is no label value (Equal) or there at all (Exists), both reported at the operator;
/// an operator or effect that is not supported. Lt and Gt are reported too: the API server refuses
/// them unless its feature gate for them is on, and it is off by default.
[[nodiscard]] inline std::vector<FieldError> validate(
    std::span<const Toleration> tolerations, const std::string& field = "spec.tolerations") {
  detail::FieldErrors errors;
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    detail::validate_toleration(errors, detail::at_index(field, i), tolerations[i]);
  }
  return std::move(errors).take();
}

/// Affinities: terms and weights of all three kinds, with the paths of the document.
[[nodiscard]] inline std::vector<FieldError> validate(const Affinity& affinity,
                                                      const std::string& field = "spec.affinity") {
  detail::FieldErrors errors;
  detail::validate_affinity(errors, field, affinity);
  return std::move(errors).take();
}

}  // namespace schedpol

// schedpol/metadata_policy/metadata_policy.hpp

/// MetadataPolicy: rules on an object's labels and annotations that update or reject it, and what
/// they were made for, choosing the scheduler of a pod by its quality of service.
///
/// 1. The policies of the object's namespace apply, all of them.
/// 2. A rule matches when its labelSelector and its annotationSelector do; an absent one is no
///    criterion. Predicates see the object as it came.
/// 3. When any matching rule rejects, the object is rejected without being mutated, and every
///    rejecting rule is named.
/// 4. Otherwise all matching rules apply, in the order of policy name and rule index; of two
///    writes to one key the later counts, and writes that disagree are reported.
/// Source: the MetadataPolicy proposal.

namespace schedpol::metadata_policy {

/// Where a pod's quality of service is written for rules to see.
inline constexpr std::string_view qos_annotation = "scheduler.alpha.kubernetes.io/qos";

/// Where rules write the scheduler of a pod.
inline constexpr std::string_view scheduler_name_annotation = "scheduler.alpha.kubernetes.io/name";

struct PolicyPredicate {
  std::optional<LabelSelector> label_selector{};
  std::optional<LabelSelector> annotation_selector{};  ///< its values are free text

  friend bool operator==(const PolicyPredicate&, const PolicyPredicate&) = default;
};

/// A rule that rejects updates nothing.
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
  std::string field{};
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
  std::vector<FieldError> errors{};  ///< policies that cannot be evaluated

  friend bool operator==(const MetadataAdmission&, const MetadataAdmission&) = default;
};

/// Policies made for matching: selectors compiled, rules in the order in which they apply.
class Rules {
 public:
  Rules() = default;

  /// The decision on an object with this metadata. `path` is where it stands in its document.
  [[nodiscard]] MetadataAdmission admit(ObjectMeta metadata,
                                        std::string_view path = "metadata") const {
    MetadataAdmission admission;
    std::vector<std::size_t> matching;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const Rule& rule = rules_[i];
      if (!rule.matches(metadata)) continue;
      matching.push_back(i);
      if (rule.action.reject) admission.rejected_by.push_back(rule.name);
    }
    admission.allowed = admission.rejected_by.empty();
    if (admission.allowed) {
      const std::string field(path);
      write(admission, field + ".labels", metadata.labels, matching, &PolicyAction::updated_labels);
      write(admission, field + ".annotations", metadata.annotations, matching,
            &PolicyAction::updated_annotations);
    }
    admission.metadata = std::move(metadata);
    return admission;
  }

 private:
  friend Result<Rules> compile(std::span<const MetadataPolicy>);

  struct Rule {
    RuleName name;
    std::string namespace_;
    LabelMatcher labels;
    LabelMatcher annotations;
    PolicyAction action;

    [[nodiscard]] bool matches(const ObjectMeta& metadata) const noexcept {
      return namespace_ == metadata.namespace_ && labels.matches(metadata.labels) &&
             annotations.matches(metadata.annotations);
    }
  };

  void write(MetadataAdmission& admission, const std::string& field, Labels& into,
             const std::vector<std::size_t>& matching, Labels PolicyAction::*updates) const {
    std::map<std::string, std::vector<Write>> writes;
    for (const std::size_t i : matching) {
      for (const auto& [key, value] : rules_[i].action.*updates)
        writes[key].push_back({rules_[i].name, value});
    }
    for (auto& [key, by_rule] : writes) {
      const std::string at = field + "[" + key + "]";
      const Write& last = by_rule.back();
      const std::string* before = find_label(into, key);
      if (before == nullptr || *before != last.value) {
        admission.changes.push_back({at, before == nullptr ? std::nullopt : std::optional(*before),
                                     last.value, last.by.policy});
        into[key] = last.value;
      }
      bool disagree = false;
      for (const Write& written : by_rule) disagree |= written.value != last.value;
      if (disagree) admission.conflicts.push_back({at, std::move(by_rule)});
    }
  }

  std::vector<Rule> rules_;
};

/// Builds the rules, or reports every selector that cannot be used, naming its policy: nothing is
/// evaluated then. Paths begin with `policies[i]`. Two policies of one name and namespace are an
/// error.
[[nodiscard]] inline Result<Rules> compile(std::span<const MetadataPolicy> policies) {
  std::vector<FieldError> errors;
  const auto take = [&](const MetadataPolicy& policy, const std::optional<LabelSelector>& selector,
                        const std::string& field, SelectedValues values) {
    return schedpol::detail::compile_for(policy.metadata.name, selector.value_or(LabelSelector{}),
                                         field, errors, values);
  };
  std::vector<std::vector<Rules::Rule>> compiled(policies.size());
  std::vector<schedpol::detail::Named> names(policies.size());
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const MetadataPolicy& policy = policies[i];
    names[i] = {policy.metadata.name, true, policy.metadata.namespace_, i};
    for (std::size_t j = 0; j < policy.spec.rules.size(); ++j) {
      const MetadataPolicyRule& rule = policy.spec.rules[j];
      const std::string field = "policies[" + std::to_string(i) + "].spec.rules[" +
                                std::to_string(j) + "].policyPredicate";
      auto labels = take(policy, rule.policy_predicate.label_selector, field + ".labelSelector",
                         SelectedValues::labels);
      auto annotations = take(policy, rule.policy_predicate.annotation_selector,
                              field + ".annotationSelector", SelectedValues::annotations);
      compiled[i].push_back({{policy.metadata.name, j},
                             policy.metadata.namespace_,
                             std::move(labels),
                             std::move(annotations),
                             rule.policy_action});
    }
  }
  schedpol::detail::sort_by_name(names);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (!names[i].is_namesake(names[i - 1])) continue;
    errors.push_back({ErrorType::duplicate, "policies", std::string(names[i].name),
                      "two policies have this name"});
  }
  if (!errors.empty()) return errors;
  Rules rules;
  for (const auto& named : names) {
    for (Rules::Rule& rule : compiled[named.index]) rules.rules_.push_back(std::move(rule));
  }
  return rules;
}

/// Compiles the policies and decides on one object's metadata.
[[nodiscard]] inline MetadataAdmission admit(ObjectMeta metadata,
                                             std::span<const MetadataPolicy> policies) {
  const auto rules = compile(policies);
  if (rules) return rules->admit(std::move(metadata));
  return MetadataAdmission{.metadata = std::move(metadata), .errors = rules.errors()};
}

/// The pod with its quality of service in `qos_annotation`, over what stood there.
[[nodiscard]] inline Pod annotate_qos(Pod pod) {
  pod.metadata.annotations[std::string(qos_annotation)] = to_string(qos_class(pod.spec));
  return pod;
}

/// The pod with the scheduler that `scheduler_name_annotation` names; unchanged where it names
/// none.
[[nodiscard]] inline Pod resolve_scheduler(Pod pod) {
  const std::string* name = find_label(pod.metadata.annotations, scheduler_name_annotation);
  if (name != nullptr && !name->empty()) pod.spec.scheduler_name = *name;
  return pod;
}

/// What became of a pod. Default-constructed it is a rejection; rejected, the pod as it came.
struct SchedulerChoice {
  bool allowed = false;
  Pod pod{};
  std::vector<RuleName> rejected_by{};
  std::vector<Conflict> conflicts{};
  std::vector<Change> changes{};
  std::vector<FieldError> errors{};

  friend bool operator==(const SchedulerChoice&, const SchedulerChoice&) = default;
};

/// `annotate_qos`, then the rules, then `resolve_scheduler`. The change of the scheduler names the
/// policy whose rule wrote the annotation, and none where the pod brought it.
[[nodiscard]] inline SchedulerChoice choose_scheduler(const Pod& pod, const Rules& rules) {
  SchedulerChoice choice{.pod = pod};
  const std::string path = field_path(pod.kind, "metadata");
  Pod chosen = annotate_qos(pod);
  const std::string& qos = chosen.metadata.annotations[std::string(qos_annotation)];
  const std::string* before = find_label(pod.metadata.annotations, qos_annotation);
  if (before == nullptr || *before != qos) {
    choice.changes.push_back({path + ".annotations[" + std::string(qos_annotation) + "]",
                              before == nullptr ? std::nullopt : std::optional(*before), qos, ""});
  }
  MetadataAdmission admission = rules.admit(std::move(chosen.metadata), path);
  choice.allowed = admission.allowed;
  choice.rejected_by = std::move(admission.rejected_by);
  choice.conflicts = std::move(admission.conflicts);
  if (!choice.allowed) {
    choice.changes.clear();
    return choice;
  }
  const std::string annotation =
      path + ".annotations[" + std::string(scheduler_name_annotation) + "]";
  std::string chosen_by;
  for (Change& change : admission.changes) {
    if (change.field == annotation) chosen_by = change.policy;
    choice.changes.push_back(std::move(change));
  }
  chosen.metadata = std::move(admission.metadata);
  chosen = resolve_scheduler(std::move(chosen));
  const std::string& name = pod.spec.scheduler_name;
  if (chosen.spec.scheduler_name != name) {
    choice.changes.push_back({field_path(pod.kind, "spec.schedulerName"),
                              name.empty() ? std::nullopt : std::optional(name),
                              chosen.spec.scheduler_name, chosen_by});
  }
  choice.pod = std::move(chosen);
  return choice;
}

/// The same, of policies that are compiled first; with `errors` when they cannot be.
[[nodiscard]] inline SchedulerChoice choose_scheduler(const Pod& pod,
                                                      std::span<const MetadataPolicy> policies) {
  const auto rules = compile(policies);
  if (rules) return choose_scheduler(pod, *rules);
  return SchedulerChoice{.pod = pod, .errors = rules.errors()};
}

/// `choose_scheduler` as an admission, to be chained: one `RejectedByRule` a rejecting rule.
[[nodiscard]] inline Admission admit(const Pod& pod, const Rules& rules) {
  SchedulerChoice choice = choose_scheduler(pod, rules);
  Admission admission;
  admission.allowed = choice.allowed;
  for (const RuleName& name : choice.rejected_by) {
    admission.violations.push_back({ViolationCode::rejected_by_rule,
                                    field_path(pod.kind, "metadata"),
                                    std::to_string(name.rule),
                                    {name.policy}});
  }
  if (!choice.changes.empty()) admission.before.emplace(pod);
  admission.pod = std::move(choice.pod);
  admission.changes = std::move(choice.changes);
  return admission;
}

/// The same, of policies that are compiled first; denied with one `InvalidPolicy` an error when
/// they cannot be.
[[nodiscard]] inline Admission admit(const Pod& pod, std::span<const MetadataPolicy> policies) {
  const auto rules = compile(policies);
  if (rules) return admit(pod, *rules);
  Admission admission{.pod = pod};
  for (const FieldError& error : rules.errors()) {
    admission.violations.push_back({ViolationCode::invalid_policy, field_path(pod.kind, "metadata"),
                                    message(error),
                                    schedpol::detail::policies_behind(error.field, policies)});
  }
  return admission;
}

/// What is wrong with a policy: its name, its selectors, the labels and the keys of the annotations
/// it writes, and a rule that rejects and updates.
[[nodiscard]] inline std::vector<FieldError> validate(const MetadataPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::validate_name(errors, policy.metadata.name);
  for (std::size_t i = 0; i < policy.spec.rules.size(); ++i) {
    const auto& [predicate, action] = policy.spec.rules[i];
    const std::string field = "spec.rules[" + std::to_string(i) + "]";
    errors.add_compiled(
        schedpol::compile(predicate.label_selector, field + ".policyPredicate.labelSelector"));
    errors.add_compiled(schedpol::compile(predicate.annotation_selector,
                                          field + ".policyPredicate.annotationSelector",
                                          SelectedValues::annotations));
    schedpol::detail::validate_labels(errors, field + ".policyAction.updatedLabels",
                                      action.updated_labels);
    for (const auto& [key, value] : action.updated_annotations) {
      errors.add_all(field + ".policyAction.updatedAnnotations", key, label_key_problems(key));
    }
    if (action.reject && (!action.updated_labels.empty() || !action.updated_annotations.empty())) {
      errors.add(ErrorType::forbidden, field + ".policyAction", "",
                 "a rule that rejects updates nothing");
    }
  }
  return std::move(errors).take();
}

}  // namespace schedpol::metadata_policy

// schedpol/pod_scheduling_policy/policy.hpp

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy as their authors write them, and what is
/// wrong with one. What they do is in `pod_scheduling_policy.hpp`. Source: the kupid README.

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

struct PodSchedulingPolicy {
  PolicyKind kind = PolicyKind::pod_scheduling_policy;
  ObjectMeta metadata{};
  PodSchedulingPolicySpec spec{};

  friend bool operator==(const PodSchedulingPolicy&, const PodSchedulingPolicy&) = default;
};

/// What is wrong with a policy: its name, its selectors, and criteria that the API server would
/// refuse in the pods they are injected into; a namespaceSelector in the namespaced kind.
[[nodiscard]] inline std::vector<FieldError> validate(const PodSchedulingPolicy& policy) {
  schedpol::detail::FieldErrors errors;
  const PodSchedulingPolicySpec& spec = policy.spec;
  schedpol::detail::validate_name(errors, policy.metadata.name);
  errors.add_compiled(schedpol::compile(spec.pod_selector, "spec.podSelector"));
  errors.add_compiled(schedpol::compile(spec.namespace_selector, "spec.namespaceSelector"));
  if (policy.kind == PolicyKind::pod_scheduling_policy && spec.namespace_selector) {
    errors.add(ErrorType::forbidden, "spec.namespaceSelector", "",
               "only the cluster kind selects namespaces");
  }
  schedpol::detail::validate_labels(errors, "spec.nodeSelector", spec.node_selector);
  schedpol::detail::validate_tolerations(errors, "spec.tolerations", spec.tolerations);
  if (spec.affinity) schedpol::detail::validate_affinity(errors, "spec.affinity", *spec.affinity);
  return std::move(errors).take();
}

}  // namespace schedpol::pod_scheduling_policy

// schedpol/pod_scheduling_policy/injection.hpp

/// How one policy is merged into one pod, and what is reported of it: rules 3 and 4 of
/// `pod_scheduling_policy.hpp`.

namespace schedpol::pod_scheduling_policy {

/// Required node selector terms that a pod may come out with; a policy that would give it more is
/// an error.
inline constexpr std::size_t max_node_selector_terms = 1024;

/// A criterion of a policy that conflicts with what the pod has.
struct Skipped {
  std::string policy{};
  std::string field{};
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

namespace detail {

/// Merges one policy into one pod.
class Merger {
 public:
  Merger(Injection& into, const PodSchedulingPolicy& policy, DefaultScheduler default_scheduler,
         ChangeValues values)
      : into_(into),
        spec_(into.pod.spec),
        policy_(policy),
        from_(policy.spec),
        default_scheduler_(default_scheduler),
        values_(values) {}

  /// False when the pod would get too many terms; it is then half-merged and of no use.
  [[nodiscard]] bool run() && {
    merge_name("spec.nodeName", spec_.node_name, from_.node_name, "");
    merge_name("spec.schedulerName", spec_.scheduler_name, from_.scheduler_name,
               default_scheduler_ == DefaultScheduler::unspecified ? default_scheduler_name : "");
    merge_node_selector();
    append_missing("spec.tolerations", "", spec_.tolerations, from_.tolerations);
    if (!from_.affinity) return true;
    merge_pod_affinity("spec.affinity.podAffinity", from_.affinity->pod_affinity,
                       &Affinity::pod_affinity);
    merge_pod_affinity("spec.affinity.podAntiAffinity", from_.affinity->pod_anti_affinity,
                       &Affinity::pod_anti_affinity);
    return merge_node_affinity();
  }

 private:
  static constexpr std::string_view required_mode =
      ".requiredDuringSchedulingIgnoredDuringExecution";
  static constexpr std::string_view preferred_mode =
      ".preferredDuringSchedulingIgnoredDuringExecution";

  /// Notes a change of the field that these parts name. `to` is called for the text of the new
  /// value where it is shown.
  template <class Text>
  void note(std::initializer_list<std::string_view> field, std::optional<std::string> from,
            Text&& to) {
    if (into_.changes.empty()) into_.changes.reserve(usual_changes);
    Change& change = into_.changes.emplace_back();
    change.field = path(field);
    change.policy = policy_.metadata.name;
    if (values_ == ChangeValues::omitted) return;
    change.from = std::move(from);
    change.to = to();
  }

  /// The path of a field of the pod in the object that the pod stands in.
  [[nodiscard]] std::string path(std::initializer_list<std::string_view> field) const {
    const std::string_view in = template_path(into_.pod.kind);
    std::size_t size = in.size() + 1;
    for (const std::string_view part : field) size += part.size();
    std::string text;
    text.reserve(size);
    if (!in.empty()) text.append(in) += '.';
    for (const std::string_view part : field) text += part;
    return text;
  }

  void skip(std::initializer_list<std::string_view> field, const std::string& has,
            const std::string& wanted) {
    into_.skipped.push_back(
        {policy_.metadata.name, path(field),
         "the pod has " + in_backticks(has) + ", the policy " + in_backticks(wanted)});
  }

  /// `unspecified` is the text that counts as none.
  void merge_name(std::string_view field, std::string& name, const std::string& from,
                  std::string_view unspecified) {
    if (from.empty() || name == from) return;
    if (!name.empty() && name != unspecified) return skip({field}, name, from);
    note({field}, name.empty() ? std::nullopt : std::optional(name), [&] { return from; });
    name = from;
  }

  void merge_node_selector() {
    for (const auto& [key, value] : from_.node_selector) {
      const auto [at, added] = spec_.node_selector.try_emplace(key, value);
      if (!added && at->second == value) continue;
      constexpr std::string_view field = "spec.nodeSelector[";
      if (added) {
        note({field, key, "]"}, std::nullopt, [&] { return value; });
      } else {
        skip({field, key, "]"}, at->second, value);
      }
    }
  }

  static std::string text(const Toleration& toleration) { return to_string(toleration); }
  static std::string text(const PodAffinityTerm& term) { return to_string(term); }
  static std::string text(const WeightedPodAffinityTerm& term) {
    return std::to_string(term.weight) + " " + to_string(term.pod_affinity_term);
  }
  static std::string text(const PreferredSchedulingTerm& term) {
    return std::to_string(term.weight) + " " + to_string(term.preference);
  }

  template <class T>
  void append_missing(std::string_view field, std::string_view mode, std::vector<T>& list,
                      const std::vector<T>& from) {
    for (const T& item : from) {
      if (contains(list, item)) continue;
      note({field, mode, "[", std::to_string(list.size()), "]"}, std::nullopt,
           [&] { return text(item); });
      list.push_back(item);
    }
  }

  Affinity& affinity() {
    if (!spec_.affinity) spec_.affinity.emplace();
    return *spec_.affinity;
  }

  void merge_pod_affinity(std::string_view field, const std::optional<PodAffinity>& from,
                          std::optional<PodAffinity> Affinity::*member) {
    if (!has_terms(from)) return;
    auto& kind = affinity().*member;
    if (!kind) {
      note({field}, std::nullopt, [&] { return to_string(*from); });
      kind = from;
      return;
    }
    append_missing(field, required_mode, kind->required_during_scheduling_ignored_during_execution,
                   from->required_during_scheduling_ignored_during_execution);
    append_missing(field, preferred_mode,
                   kind->preferred_during_scheduling_ignored_during_execution,
                   from->preferred_during_scheduling_ignored_during_execution);
  }

  bool merge_node_affinity() {
    constexpr std::string_view field = "spec.affinity.nodeAffinity";
    const auto& from = from_.affinity->node_affinity;
    if (!has_terms(from)) return true;
    auto& kind = affinity().node_affinity;
    if (!kind) {
      NodeAffinity copy = *from;
      auto& required = copy.required_during_scheduling_ignored_during_execution;
      if (required && !required->node_selector_terms.empty() &&
          !drop_empty(required->node_selector_terms))
        return false;
      note({field}, std::nullopt, [&] { return to_string(copy); });
      kind = std::move(copy);
      return true;
    }
    append_missing(field, preferred_mode,
                   kind->preferred_during_scheduling_ignored_during_execution,
                   from->preferred_during_scheduling_ignored_during_execution);
    const auto& required = from->required_during_scheduling_ignored_during_execution;
    if (!required || required->node_selector_terms.empty()) return true;
    auto& selector = kind->required_during_scheduling_ignored_during_execution;
    if (!selector) selector.emplace();
    auto& terms = selector->node_selector_terms;
    if (!needs_any(terms, required->node_selector_terms)) return true;
    const auto text_of = [](const Terms& list) {
      return to_string(NodeAffinity{NodeSelector{list}, {}});
    };
    std::optional<std::string> had;
    if (values_ == ChangeValues::shown && !terms.empty()) had = text_of(terms);
    if (!multiply(terms, required->node_selector_terms)) return false;
    note({field, required_mode}, std::move(had), [&] { return text_of(terms); });
    return true;
  }

  using Requirements = std::vector<NodeSelectorRequirement>;
  using Terms = std::vector<NodeSelectorTerm>;

  template <class T>
  static bool contains(const std::vector<T>& all, const T& item) {
    return std::find(all.begin(), all.end(), item) != all.end();
  }

  static bool contains_all(const Requirements& all, const Requirements& some) {
    return std::all_of(some.begin(), some.end(),
                       [&](const auto& item) { return contains(all, item); });
  }

  /// Whether a term of the pod holds all expressions of some term of the policy, and so needs none
  /// of them.
  static bool holds_one(const NodeSelectorTerm& pod, const Terms& policy_terms) {
    return std::any_of(policy_terms.begin(), policy_terms.end(), [&](const auto& policy) {
      return !is_empty(policy) && contains_all(pod.match_expressions, policy.match_expressions) &&
             contains_all(pod.match_fields, policy.match_fields);
    });
  }

  /// Whether the terms of a pod change when they are multiplied.
  static bool needs_any(const Terms& terms, const Terms& policy_terms) {
    if (terms.size() == 1 && is_empty(terms.front())) return false;
    return terms.empty() || !std::all_of(terms.begin(), terms.end(), [&](const auto& pod) {
             return !is_empty(pod) && holds_one(pod, policy_terms);
           });
  }

  /// Drops the terms that match no node; one of them stays where there is no other. False when
  /// those that are left are too many.
  static bool drop_empty(Terms& terms) {
    std::erase_if(terms, [](const auto& term) { return is_empty(term); });
    if (terms.empty()) terms.emplace_back();
    return terms.size() <= max_node_selector_terms;
  }

  /// Multiplies the terms of the pod, where it has some, with those of the policy, of which there
  /// are some. False when they would be too many; a pod that needs none of the policy's keeps as
  /// many as it brings.
  static bool multiply(Terms& terms, const Terms& policy_terms) {
    if (terms.empty()) return drop_empty(terms = policy_terms);
    const auto factors = static_cast<std::size_t>(
        std::count_if(policy_terms.begin(), policy_terms.end(),
                      [](const auto& policy) { return !is_empty(policy); }));
    Terms product;
    product.reserve(std::min(terms.size() * factors, max_node_selector_terms));
    bool added = false;
    for (NodeSelectorTerm& pod : terms) {
      if (is_empty(pod)) continue;
      if (holds_one(pod, policy_terms)) {
        product.push_back(std::move(pod));
        continue;
      }
      added = true;
      if (product.size() + factors > max_node_selector_terms) return false;
      std::size_t left = factors;
      for (const NodeSelectorTerm& policy : policy_terms) {
        if (is_empty(policy)) continue;
        // The last one takes what the pod has, the others copy it.
        const bool last = --left == 0;
        const auto rest = [&](Requirements& of_pod) { return last ? std::move(of_pod) : of_pod; };
        product.push_back({joined(policy.match_expressions, rest(pod.match_expressions)),
                           joined(policy.match_fields, rest(pod.match_fields))});
      }
    }
    terms = std::move(product);
    if (terms.empty()) terms.emplace_back();
    return !added || terms.size() <= max_node_selector_terms;
  }

  /// `first`, then what of `second` it does not hold.
  static Requirements joined(const Requirements& first, Requirements second) {
    Requirements all;
    all.reserve(first.size() + second.size());
    all = first;
    for (NodeSelectorRequirement& item : second) {
      if (!contains(all, item)) all.push_back(std::move(item));
    }
    return all;
  }

  /// More than most policies make, so that the list of changes rarely moves.
  static constexpr std::size_t usual_changes = 16;
  Injection& into_;
  PodSpec& spec_;
  const PodSchedulingPolicy& policy_;
  const PodSchedulingPolicySpec& from_;
  DefaultScheduler default_scheduler_;
  ChangeValues values_;
};

}  // namespace detail

}  // namespace schedpol::pod_scheduling_policy

// schedpol/pod_scheduling_policy/pod_scheduling_policy.hpp

/// PodSchedulingPolicy and ClusterPodSchedulingPolicy: scheduling criteria that are injected into
/// the pods and pod templates they select.
///
/// 1. A policy applies when its podSelector matches the pod's (the template's) labels; the cluster
///    kind also needs its namespaceSelector to match the namespace's, the namespaced kind only
///    applies in its own namespace. An absent selector selects nothing, `{}` everything.
/// 2. Policies apply in byte order of their names (equal names: cluster first), each onto the
///    result of the one before. The pod's own criteria win; what does not conflict is merged in.
/// 3. nodeName, schedulerName: where the pod has none. nodeSelector: keys that it has not.
///    Tolerations, preferred terms, pod affinity and anti-affinity terms: those that it does not
///    have yet.
/// 4. Required node selector terms: where one side has none, the other's. Otherwise every term of
///    the pod with every term of the policy, the policy's expressions first, each only once. A term
///    of the pod that holds all expressions of some term of the policy stays as it is, so injecting
///    twice changes nothing. An empty term matches no node and is left out; where nothing remains,
///    one empty term stays.
/// Source: the kupid README and webhook.

namespace schedpol::pod_scheduling_policy {

/// Policies made for injecting: their selectors compiled, in the order in which they apply.
class Injector {
 public:
  /// No policies: injects nothing.
  Injector() = default;

  /// The pod, or pod template, with everything that the policies which select it inject. `in` is
  /// the metadata of its namespace. Where `default-scheduler` counts as unspecified, the first
  /// policy that names a scheduler replaces it. A product of terms beyond `max_node_selector_terms`
  /// is an error.
  [[nodiscard]] Injection inject(Pod pod, const ObjectMeta& in,
                                 DefaultScheduler default_scheduler = DefaultScheduler::specified,
                                 ChangeValues values = ChangeValues::shown) const {
    Injection injection;
    injection.pod = std::move(pod);
    // Only where the terms could become too many, the pod may have to come back as it was.
    std::optional<Pod> before;
    if (may_exceed(injection.pod.spec)) before.emplace(injection.pod);
    for (const Compiled& compiled : policies_) {
      if (!compiled.applies(injection.pod.metadata.labels, in)) continue;
      injection.applied.push_back(compiled.policy.metadata.name);
      if (detail::Merger(injection, compiled.policy, default_scheduler, values).run()) {
        if (!compiled.policy.spec.scheduler_name.empty())
          default_scheduler = DefaultScheduler::specified;
        continue;
      }
      Injection failed;
      failed.applied.push_back(compiled.policy.metadata.name);
      failed.errors.push_back({ErrorType::too_many,
                               field_path(before->kind, "spec.affinity.nodeAffinity"), "",
                               "the policy " + in_backticks(compiled.policy.metadata.name) +
                                   " makes more than 1024 node selector terms"});
      failed.pod = *std::move(before);
      return failed;
    }
    return injection;
  }

  /// The injection as an admission, to be chained.
  [[nodiscard]] Admission admit(
      Pod pod, const ObjectMeta& in,
      DefaultScheduler default_scheduler = DefaultScheduler::specified) const;

  /// Whether a pod with these labels cannot be injected without knowing the labels of its
  /// namespace: a policy of the cluster kind selects it, and not in every namespace.
  [[nodiscard]] bool needs_namespace(const Labels& labels) const noexcept {
    for (const Compiled& compiled : policies_) {
      const auto& selector = compiled.policy.spec.namespace_selector;
      if (compiled.policy.kind == PolicyKind::cluster_pod_scheduling_policy && selector &&
          *selector != LabelSelector{} && compiled.pods.matches(labels)) {
        return true;
      }
    }
    return false;
  }

 private:
  friend Result<Injector> compile(std::span<const PodSchedulingPolicy>);

  struct Compiled {
    PodSchedulingPolicy policy;
    LabelMatcher pods;
    LabelMatcher namespaces;

    [[nodiscard]] bool applies(const Labels& labels, const ObjectMeta& in) const noexcept {
      const bool here = policy.kind == PolicyKind::pod_scheduling_policy
                            ? policy.metadata.namespace_ == in.name
                            : namespaces.matches(in.labels);
      return here && pods.matches(labels);
    }
  };

  /// The required terms in an affinity, one at least: the factor that it is in a product.
  static std::size_t factor(const std::optional<Affinity>& affinity) noexcept {
    if (!affinity || !affinity->node_affinity) return 1;
    const auto& required =
        affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    return required ? std::max<std::size_t>(required->node_selector_terms.size(), 1) : 1;
  }

  /// Whether the product of the terms of a pod with those of all policies has more than it may.
  [[nodiscard]] bool may_exceed(const PodSpec& spec) const noexcept {
    std::size_t product = factor(spec.affinity);
    for (const Compiled& compiled : policies_) {
      if (product > max_node_selector_terms) break;
      product *= factor(compiled.policy.spec.affinity);
    }
    return product > max_node_selector_terms;
  }

  std::vector<Compiled> policies_;
};

/// Builds the injector, or reports every selector that cannot be used, naming its policy: nothing
/// is injected then. Paths begin with `policies[i]`. Two policies of one kind, name and namespace
/// are an error, because which came first would matter.
[[nodiscard]] inline Result<Injector> compile(std::span<const PodSchedulingPolicy> policies) {
  std::vector<Injector::Compiled> compiled;
  std::vector<schedpol::detail::Named> names(policies.size());
  std::vector<FieldError> errors;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const PodSchedulingPolicy& policy = policies[i];
    const std::string field = "policies[" + std::to_string(i) + "].spec";
    const auto take = [&](const std::optional<LabelSelector>& selector, std::string_view name) {
      return schedpol::detail::compile_for(policy.metadata.name, selector,
                                           field + std::string(name), errors);
    };
    compiled.push_back({policy, take(policy.spec.pod_selector, ".podSelector"),
                        take(policy.spec.namespace_selector, ".namespaceSelector")});
    const bool namespaced = policy.kind == PolicyKind::pod_scheduling_policy;
    names[i] = {policy.metadata.name, namespaced, {}, i};
    if (namespaced) names[i].namespace_ = policy.metadata.namespace_;
  }
  schedpol::detail::sort_by_name(names);
  for (std::size_t i = 1; i < names.size(); ++i) {
    if (!names[i].is_namesake(names[i - 1])) continue;
    errors.push_back({ErrorType::duplicate, "policies", std::string(names[i].name),
                      "two policies have this name"});
  }
  if (!errors.empty()) return errors;
  Injector injector;
  for (const auto& named : names) {
    injector.policies_.push_back(std::move(compiled[named.index]));
  }
  return injector;
}

/// Compiles the policies and injects them into one pod; where they cannot be compiled, the pod
/// comes back as it was, with the errors.
[[nodiscard]] inline Injection inject(Pod pod, const ObjectMeta& in,
                                      std::span<const PodSchedulingPolicy> policies) {
  const auto injector = compile(policies);
  if (injector) return injector->inject(std::move(pod), in);
  return Injection{.pod = std::move(pod), .errors = injector.errors()};
}

/// An injection as an admission: allowed with its changes, or denied with `InvalidPolicy` when a
/// policy makes too many terms. To be chained it needs the pod as it came, in `before`.
[[nodiscard]] inline Admission to_admission(Injection injection) {
  Admission admission;
  admission.allowed = injection.errors.empty();
  for (const FieldError& error : injection.errors) {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(injection.pod.kind, "spec"), message(error),
                                    injection.applied});
  }
  admission.pod = std::move(injection.pod);
  admission.changes = std::move(injection.changes);
  return admission;
}

inline Admission Injector::admit(Pod pod, const ObjectMeta& in,
                                 DefaultScheduler default_scheduler) const {
  Pod before = pod;
  Admission admission = to_admission(inject(std::move(pod), in, default_scheduler));
  if (!admission.changes.empty()) admission.before = std::move(before);
  return admission;
}

/// The injection of policies that are compiled first; denied with one `InvalidPolicy` an error when
/// they cannot be.
[[nodiscard]] inline Admission admit(Pod pod, const ObjectMeta& in,
                                     std::span<const PodSchedulingPolicy> policies) {
  const auto injector = compile(policies);
  if (injector) return injector->admit(std::move(pod), in);
  Admission admission;
  admission.pod = std::move(pod);
  for (const FieldError& error : injector.errors()) {
    admission.violations.push_back({ViolationCode::invalid_policy,
                                    field_path(admission.pod.kind, "spec"), message(error),
                                    schedpol::detail::policies_behind(error.field, policies)});
  }
  return admission;
}

}  // namespace schedpol::pod_scheduling_policy

// schedpol/rbac/rbac.hpp

/// Which scheduling policies a user may use: RBAC (rbac.authorization.k8s.io/v1) for the verb
/// `use`.
///
/// 1. A subject matches a user by name, a group by membership, and a service account by the user
///    name `system:serviceaccount:NAMESPACE:NAME`; a service account without a namespace is in
///    that of its RoleBinding, and in none for a ClusterRoleBinding.
/// 2. A ClusterRoleBinding grants the rules of its ClusterRole everywhere. A RoleBinding grants
///    those of its Role (of the same namespace) or ClusterRole in its own namespace only.
/// 3. A reference to a role that is not there grants nothing, nor does a ClusterRoleBinding to a
/// Role.
/// 4. A rule applies when verb, API group and resource are listed, `*` being all of them; and the
///    policy's name is listed or resourceNames is empty (`*` is a name like any other there).
/// Source: Kubernetes' RBAC authorizer.

namespace schedpol::rbac {

/// Absent and empty lists are one.
struct PolicyRule {
  std::vector<std::string> verbs{};
  std::vector<std::string> api_groups{};
  std::vector<std::string> resources{};
  std::vector<std::string> resource_names{};

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
  std::string kind{};  ///< `Role` or `ClusterRole`
  std::string name{};

  friend bool operator==(const RoleRef&, const RoleRef&) = default;
};

/// Whom a binding is for.
struct Subject {
  std::string kind{};  ///< `User`, `Group` or `ServiceAccount`
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
  std::vector<std::string> groups{};

  friend bool operator==(const User&, const User&) = default;
};

/// The user that a service account acts as, with its three groups. An empty name is `default`.
[[nodiscard]] inline User service_account_user(std::string_view namespace_, std::string_view name) {
  const std::string account(name.empty() ? "default" : name);
  const std::string in(namespace_);
  return {"system:serviceaccount:" + in + ":" + account,
          {"system:serviceaccounts", "system:serviceaccounts:" + in, "system:authenticated"}};
}

/// The user that runs the pod: its service account in its namespace. The deprecated
/// `serviceAccount` counts where `serviceAccountName` is empty.
[[nodiscard]] inline User user_of(const Pod& pod) {
  const std::string& name = pod.spec.service_account_name.empty() ? pod.spec.service_account
                                                                  : pod.spec.service_account_name;
  return service_account_user(pod.metadata.namespace_, name);
}

/// What is asked of the rules, besides the name of the policy.
struct Access {
  std::string verb = "use";
  std::string api_group = "extensions";
  std::string resource = "schedulingpolicies";

  friend bool operator==(const Access&, const Access&) = default;
};

namespace detail {

inline bool lists(const std::vector<std::string>& names, std::string_view name) noexcept {
  return std::find(names.begin(), names.end(), name) != names.end();
}
inline bool lists_or_all(const std::vector<std::string>& names, std::string_view name) noexcept {
  return lists(names, name) || lists(names, "*");
}

inline bool grants(const PolicyRule& rule, const Access& access) noexcept {
  return lists_or_all(rule.verbs, access.verb) && lists_or_all(rule.api_groups, access.api_group) &&
         lists_or_all(rule.resources, access.resource);
}

inline bool is(const Subject& subject, const User& user, std::string_view binding_namespace) {
  if (subject.kind == "User") return subject.name == user.name;
  if (subject.kind == "Group") return lists(user.groups, subject.name);
  if (subject.kind != "ServiceAccount") return false;
  const std::string_view in =
      subject.namespace_.empty() ? binding_namespace : std::string_view(subject.namespace_);
  // A subject without a name is nobody: `service_account_user` would take it for `default`.
  return !in.empty() && !subject.name.empty() &&
         user.name == service_account_user(in, subject.name).name;
}

inline bool any_is(const std::vector<Subject>& subjects, const User& user,
                   std::string_view binding_namespace) {
  for (const Subject& subject : subjects) {
    if (is(subject, user, binding_namespace)) return true;
  }
  return false;
}

}  // namespace detail

/// The names, out of `policies`, that `user` may use in `namespace_` (empty: only what is granted
/// everywhere). In byte order, each once.
[[nodiscard]] inline std::vector<std::string> usable(std::span<const std::string> policies,
                                                     const User& user, std::string_view namespace_,
                                                     const Rbac& rbac, const Access& access = {}) {
  bool all = false;
  std::set<std::string_view> granted;
  const auto collect = [&](const std::vector<PolicyRule>& rules) {
    for (const PolicyRule& rule : rules) {
      if (!detail::grants(rule, access)) continue;
      all |= rule.resource_names.empty();
      granted.insert(rule.resource_names.begin(), rule.resource_names.end());
    }
  };
  const auto collect_cluster_role = [&](std::string_view name) {
    for (const ClusterRole& role : rbac.cluster_roles) {
      if (role.metadata.name == name) collect(role.rules);
    }
  };
  for (const ClusterRoleBinding& binding : rbac.cluster_role_bindings) {
    if (binding.role_ref.kind == "ClusterRole" && detail::any_is(binding.subjects, user, "")) {
      collect_cluster_role(binding.role_ref.name);
    }
  }
  for (const RoleBinding& binding : rbac.role_bindings) {
    if (namespace_.empty() || binding.metadata.namespace_ != namespace_) continue;
    if (!detail::any_is(binding.subjects, user, namespace_)) continue;
    if (binding.role_ref.kind == "ClusterRole") collect_cluster_role(binding.role_ref.name);
    if (binding.role_ref.kind != "Role") continue;
    for (const Role& role : rbac.roles) {
      if (role.metadata.namespace_ == namespace_ && role.metadata.name == binding.role_ref.name)
        collect(role.rules);
    }
  }
  std::set<std::string_view> names;
  for (const std::string& policy : policies) {
    if (all || granted.contains(policy)) names.insert(policy);
  }
  return {names.begin(), names.end()};
}

}  // namespace schedpol::rbac

// schedpol/rbac/builtin.hpp

/// The RBAC objects that the SchedulingPolicy proposal provisions in every cluster, as values:
/// anybody may use the policy `restricted`, and the service accounts of kube-system the policy
/// `privileged`. Source: the SchedulingPolicy proposal, "RBAC".

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

inline ClusterRole may_use(std::string name, std::string policy) {
  const Access access;
  return {bootstrapped(std::move(name)),
          {{.verbs = {access.verb},
            .api_groups = {access.api_group},
            .resources = {access.resource},
            .resource_names = {std::move(policy)}}}};
}

inline constexpr const char* rbac_group = "rbac.authorization.k8s.io";

}  // namespace detail

/// `sp:restricted`: may use the policy `restricted`.
[[nodiscard]] inline ClusterRole restricted_cluster_role() {
  return detail::may_use("sp:restricted", "restricted");
}

/// `sp:privileged`: may use the policy `privileged`.
[[nodiscard]] inline ClusterRole privileged_cluster_role() {
  return detail::may_use("sp:privileged", "privileged");
}

/// `sp:restricted`: everybody who is authenticated has the role `sp:restricted`.
[[nodiscard]] inline ClusterRoleBinding restricted_cluster_role_binding() {
  return {detail::bootstrapped("sp:restricted"),
          {detail::rbac_group, "ClusterRole", "sp:restricted"},
          {{"Group", detail::rbac_group, "system:authenticated", ""}}};
}

/// `sp:kube-system-privileged`: the service accounts of kube-system have the role `sp:privileged`
/// there.
[[nodiscard]] inline RoleBinding kube_system_privileged_role_binding() {
  return {detail::bootstrapped("sp:kube-system-privileged", "kube-system"),
          {detail::rbac_group, "ClusterRole", "sp:privileged"},
          {{"Group", detail::rbac_group, "system:serviceaccounts:kube-system", ""}}};
}

/// All of them.
[[nodiscard]] inline Rbac builtin() {
  return {.roles = {},
          .cluster_roles = {restricted_cluster_role(), privileged_cluster_role()},
          .role_bindings = {kube_system_privileged_role_binding()},
          .cluster_role_bindings = {restricted_cluster_role_binding()}};
}

}  // namespace schedpol::rbac

// schedpol/resource_policy/policy.hpp

/// ResourcePolicy: which units of nodes the pods of a workload may use, how many of them each may
/// hold, and which are preferred. This header has the values, what is wrong with them, and the form
/// in which they are matched. Source: the Resource Policy proposal, "CRD API".

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
  std::vector<std::string> match_label_keys{};
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

/// What `validate` finds: errors make a policy unfit, warnings are legal and probably not meant.
struct Validation {
  std::vector<FieldError> errors{};
  std::vector<FieldError> warnings{};

  friend bool operator==(const Validation&, const Validation&) = default;
};

/// Policies made for matching.
class Policies {
 public:
  struct Compiled {
    ResourcePolicy policy;
    LabelMatcher pods;
    std::vector<LabelMatcher> units;

    /// Whether the pod is the policy's to place: of its namespace and selected.
    [[nodiscard]] bool matches(const Pod& pod) const noexcept {
      return pod.metadata.namespace_ == policy.metadata.namespace_ &&
             pods.matches(pod.metadata.labels);
    }
    [[nodiscard]] bool prefers() const noexcept { return policy.spec.strategy == Strategy::prefer; }
  };

  Policies() = default;
  [[nodiscard]] const std::vector<Compiled>& all() const noexcept { return policies_; }

 private:
  friend Result<Policies> compile(std::span<const ResourcePolicy>);
  std::vector<Compiled> policies_;
};

/// Builds the policies, or reports every unknown strategy and every selector that cannot be used,
/// naming its policy: nothing is evaluated then. Paths begin with `policies[i]`.
[[nodiscard]] inline Result<Policies> compile(std::span<const ResourcePolicy> policies) {
  Policies compiled;
  std::vector<FieldError> errors;
  for (std::size_t i = 0; i < policies.size(); ++i) {
    const ResourcePolicy& policy = policies[i];
    const std::string field = "policies[" + std::to_string(i) + "].spec";
    const auto take = [&](const std::optional<LabelSelector>& selector, const std::string& path) {
      return schedpol::detail::compile_for(policy.metadata.name, selector.value_or(LabelSelector{}),
                                           path, errors);
    };
    if (!policy.spec.strategy.known()) {
      errors.push_back(
          {ErrorType::not_supported, field + ".strategy", std::string(policy.spec.strategy.text()),
           "supported are required and prefer (in " + in_backticks(policy.metadata.name) + ")"});
    }
    Policies::Compiled& made = compiled.policies_.emplace_back(
        Policies::Compiled{policy, take(policy.spec.pod_selector, field + ".podSelector"), {}});
    for (std::size_t j = 0; j < policy.spec.units.size(); ++j) {
      made.units.push_back(take(policy.spec.units[j].node_selector,
                                field + ".units[" + std::to_string(j) + "].nodeSelector"));
    }
  }
  if (!errors.empty()) return errors;
  return compiled;
}

/// Errors: the name, the strategy, selectors, label keys, a negative maxCount or priority.
/// Warnings: units of one name, and units that select the same nodes word for word; whether two
/// selectors can match one node is only known of a cluster's nodes.
[[nodiscard]] inline Validation validate(const ResourcePolicy& policy) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::FieldErrors warnings;
  const ResourcePolicySpec& spec = policy.spec;
  schedpol::detail::validate_name(errors, policy.metadata.name);
  for (std::size_t i = 0; i < spec.match_label_keys.size(); ++i) {
    errors.add_all("spec.matchLabelKeys[" + std::to_string(i) + "]", spec.match_label_keys[i],
                   label_key_problems(spec.match_label_keys[i]));
  }
  errors.add_compiled(schedpol::compile(spec.pod_selector, "spec.podSelector"));
  if (!spec.strategy.known()) {
    errors.add(ErrorType::not_supported, "spec.strategy", spec.strategy.text(),
               "supported are required and prefer");
  }
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < spec.units.size(); ++i) {
    const Unit& unit = spec.units[i];
    const std::string field = "spec.units[" + std::to_string(i) + "]";
    const auto not_negative = [&](std::string_view name,
                                  const std::optional<std::int32_t>& number) {
      if (!number || *number >= 0) return;
      errors.add(ErrorType::invalid, field + "." + std::string(name), std::to_string(*number),
                 "must not be negative");
    };
    not_negative("priority", unit.priority);
    not_negative("maxCount", unit.max_count);
    errors.add_compiled(schedpol::compile(unit.node_selector, field + ".nodeSelector"));
    if (!unit.name.empty() && !names.insert(unit.name).second) {
      warnings.add(ErrorType::duplicate, field + ".name", unit.name, "another unit has this name");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (spec.units[j].node_selector.value_or(LabelSelector{}) !=
          unit.node_selector.value_or(LabelSelector{}))
        continue;
      warnings.add(ErrorType::duplicate, field + ".nodeSelector", "",
                   "unit " + std::to_string(j) + " selects the same nodes");
      break;
    }
  }
  return {std::move(errors).take(), std::move(warnings).take()};
}

}  // namespace schedpol::resource_policy

// schedpol/resource_policy/counter.hpp

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
///    outside all units; normalised over the feasible nodes to 0..100, rounded down; all equal:
///    100.
/// 5. Deletion cost of a bound pod that exactly one policy matches: 20 times the highest priority
///    of its node's units, within int32, -20 outside all.
/// A Counter takes in a cluster once, in one scan; then every question and every bind and unbind
/// depends on the number of units, not of pods. Source: the Resource Policy proposal,
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

/// What is known of a pod before nodes are looked at. Only with `success` there is a policy.
struct Prefilter {
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::string policy{};
  std::vector<std::int64_t> counts{};  ///< per unit of the policy
  std::size_t policy_index = 0;        ///< of the policy among those of the Counter

  friend bool operator==(const Prefilter&, const Prefilter&) = default;
};

/// What is decided of a pod and one node. `unit` is the node's best unit, absent outside all.
struct Filter {
  Code code = Code::unschedulable_and_unresolvable;
  Reason reason = Reason::none;
  std::optional<std::size_t> unit{};

  friend bool operator==(const Filter&, const Filter&) = default;
};

/// The score of a node before normalisation.
inline constexpr std::int64_t score_per_priority = 20;
inline constexpr std::int64_t score_outside_units = -20;

/// Raw scores to 0..100 between the lowest and the highest, rounded down; all equal: 100.
[[nodiscard]] inline std::vector<std::int64_t> normalise(std::span<const std::int64_t> scores) {
  std::vector<std::int64_t> normalised(scores.size(), 100);
  if (scores.empty()) return normalised;
  std::int64_t low = scores.front();
  std::int64_t high = low;
  for (const std::int64_t score : scores) {
    low = std::min(low, score);
    high = std::max(high, score);
  }
  if (low == high) return normalised;
  // Differences of any two int64 fit in uint64; where a hundred times one would not, both lose 7
  // bits.
  const auto above_low = [low](std::int64_t score) {
    return static_cast<std::uint64_t>(score) - static_cast<std::uint64_t>(low);
  };
  const std::uint64_t range = above_low(high);
  const int shift = range > std::numeric_limits<std::uint64_t>::max() / 100 ? 7 : 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    normalised[i] =
        static_cast<std::int64_t>((above_low(scores[i]) >> shift) * 100 / (range >> shift));
  }
  return normalised;
}

/// The nodes and bound pods of a cluster, as ResourcePolicies see them.
class Counter {
 public:
  Counter(Policies policies, std::span<const Node> nodes, std::span<const Pod> pods)
      : policies_(std::move(policies)), groups_(policies_.all().size()) {
    for (const Node& node : nodes) add_node(node);
    for (const Pod& pod : pods) bind(pod, pod.spec.node_name);
  }

  [[nodiscard]] Prefilter prefilter(const Pod& pod) const {
    Prefilter result;
    std::size_t matching = 0;
    for (std::size_t i = 0; i < policies_.all().size(); ++i) {
      if (!policies_.all()[i].matches(pod)) continue;
      ++matching;
      result.policy_index = i;
    }
    if (matching > 1) {
      result.policy_index = 0;
      result.reason = Reason::multiple_resource_policies;
      return result;
    }
    result.code = matching == 0 ? Code::skip : Code::success;
    if (matching == 0) return result;
    result.policy = policies_.all()[result.policy_index].policy.metadata.name;
    result.counts = counts(pod, result.policy_index);
    return result;
  }

  /// Where the prefilter did not succeed, what it said. A node that is not in the cluster is in no
  /// unit.
  [[nodiscard]] Filter filter(const Prefilter& before, std::string_view node) const {
    if (before.code == Code::skip) return {Code::success, Reason::none, std::nullopt};
    if (before.code != Code::success) return {before.code, before.reason, std::nullopt};
    if (!is_own(before)) return {Code::unschedulable_and_unresolvable, Reason::none, std::nullopt};
    const auto& compiled = policies_.all()[before.policy_index];
    const std::vector<std::size_t>& units = units_of(before.policy_index, node);
    if (units.empty()) {
      if (compiled.prefers()) return {Code::success, Reason::none, std::nullopt};
      return {Code::unschedulable_and_unresolvable, Reason::node_not_in_unit, std::nullopt};
    }
    const std::size_t best = best_unit(compiled.policy.spec.units, units);
    for (const std::size_t unit : units) {
      const auto& max_count = compiled.policy.spec.units[unit].max_count;
      if (max_count && before.counts[unit] >= *max_count)
        return {Code::unschedulable, Reason::unit_full, best};
    }
    return {Code::success, Reason::none, best};
  }

  /// The raw score of a node that the filter let through.
  [[nodiscard]] std::int64_t score(const Prefilter& before, const Filter& filter) const noexcept {
    if (before.code != Code::success || !filter.unit || !is_own(before)) return score_outside_units;
    if (*filter.unit >= before.counts.size()) return score_outside_units;
    return score_per_priority *
           priority(policies_.all()[before.policy_index].policy.spec.units[*filter.unit]);
  }

  /// Counts a pod as running on a node; a pod of the same namespace and name that was bound before
  /// is unbound first. Nothing is counted for a node that is not in the cluster, or a pod that is
  /// over.
  void bind(const Pod& pod, std::string_view node) {
    unbind(pod.metadata.namespace_, pod.metadata.name);
    const auto at = nodes_.find(node);
    if (at == nodes_.end() || is_over(pod)) return;
    Bound bound;
    bound.node = std::string(node);
    for (std::size_t i = 0; i < policies_.all().size(); ++i) {
      const auto& compiled = policies_.all()[i];
      if (!compiled.matches(pod)) continue;
      ++bound.matching;
      bound.policy = i;
      if (compiled.policy.spec.match_policy.ignore_terminating_pod &&
          !pod.metadata.deletion_timestamp.empty())
        continue;
      bound.counted.push_back({i, group_of(compiled.policy, pod)});
      count(bound.counted.back(), at->second[i], 1);
    }
    bound_[key_of(pod.metadata.namespace_, pod.metadata.name)] = std::move(bound);
  }

  /// No longer counts a pod; nothing happens when it is not bound.
  void unbind(std::string_view namespace_, std::string_view name) {
    const auto found = bound_.find(key_of(namespace_, name));
    if (found == bound_.end()) return;
    const Bound& bound = found->second;
    for (const auto& counted : bound.counted)
      count(counted, units_of(counted.policy, bound.node), -1);
    bound_.erase(found);
  }

  /// The value of the annotation `controller.kubernetes.io/pod-deletion-cost`: pods of lower cost
  /// are deleted first. None for a pod that is not bound, is over, or is matched by no or several
  /// policies.
  [[nodiscard]] std::optional<std::int32_t> deletion_cost(std::string_view namespace_,
                                                          std::string_view name) const {
    const auto found = bound_.find(key_of(namespace_, name));
    if (found == bound_.end() || found->second.matching != 1) return std::nullopt;
    const Bound& bound = found->second;
    const auto& units = policies_.all()[bound.policy].policy.spec.units;
    const std::vector<std::size_t>& of_node = units_of(bound.policy, bound.node);
    const std::int64_t cost = of_node.empty()
                                  ? score_outside_units
                                  : score_per_priority * priority(units[best_unit(units, of_node)]);
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(
        cost, std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max()));
  }

 private:
  using Values = std::vector<std::optional<std::string>>;  ///< of the match label keys of a policy

  /// A policy, and the group of a pod in it.
  struct Counted {
    std::size_t policy = 0;
    Values values{};
  };

  struct Bound {
    std::string node;
    std::size_t matching = 0;  ///< policies that select the pod
    std::size_t policy = 0;    ///< the last of them
    std::vector<Counted> counted;
  };

  /// What tells a pod.
  struct Key {
    std::string namespace_{};
    std::string name{};

    friend bool operator<(const Key& a, const Key& b) noexcept {
      return a.namespace_ != b.namespace_ ? a.namespace_ < b.namespace_ : a.name < b.name;
    }
  };

  [[nodiscard]] bool is_own(const Prefilter& before) const noexcept {
    return before.policy_index < policies_.all().size() &&
           before.counts.size() == policies_.all()[before.policy_index].units.size();
  }

  static Key key_of(std::string_view namespace_, std::string_view name) {
    return {std::string(namespace_), std::string(name)};
  }

  static bool is_over(const Pod& pod) noexcept {
    return pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
  }

  static std::int64_t priority(const Unit& unit) noexcept { return unit.priority.value_or(0); }

  static std::size_t best_unit(const std::vector<Unit>& units,
                               const std::vector<std::size_t>& of_node) noexcept {
    std::size_t best = of_node.front();
    for (const std::size_t unit : of_node) {
      if (priority(units[unit]) > priority(units[best])) best = unit;
    }
    return best;
  }

  void add_node(const Node& node) {
    std::vector<std::vector<std::size_t>> units(policies_.all().size());
    for (std::size_t i = 0; i < units.size(); ++i) {
      const auto& matchers = policies_.all()[i].units;
      for (std::size_t j = 0; j < matchers.size(); ++j) {
        if (matchers[j].matches(node.metadata.labels)) units[i].push_back(j);
      }
    }
    nodes_[node.metadata.name] = std::move(units);
  }

  const std::vector<std::size_t>& units_of(std::size_t policy,
                                           std::string_view node) const noexcept {
    const auto found = nodes_.find(node);
    return found == nodes_.end() ? no_units_ : found->second[policy];
  }

  static Values group_of(const ResourcePolicy& policy, const Pod& pod) {
    Values values;
    for (const std::string& key : policy.spec.match_label_keys) {
      const std::string* value = find_label(pod.metadata.labels, key);
      values.push_back(value == nullptr ? std::nullopt : std::optional(*value));
    }
    return values;
  }

  void count(const Counted& counted, const std::vector<std::size_t>& units,
             std::int64_t direction) {
    auto& groups = groups_[counted.policy];
    const auto group =
        groups.try_emplace(counted.values, policies_.all()[counted.policy].units.size()).first;
    for (const std::size_t unit : units) group->second[unit] += direction;
    bool empty = true;
    for (const std::int64_t n : group->second) empty &= n == 0;
    if (empty) groups.erase(group);
  }

  /// The counts that a pod sees: of its group where it has all the match label keys, otherwise of
  /// all groups that agree on those it has; itself not counted.
  std::vector<std::int64_t> counts(const Pod& pod, std::size_t policy) const {
    const auto& compiled = policies_.all()[policy];
    const Values wanted = group_of(compiled.policy, pod);
    std::vector<std::int64_t> sum(compiled.units.size());
    const auto add = [&](const std::vector<std::int64_t>& counts) {
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += counts[i];
    };
    bool complete = true;
    for (const auto& value : wanted) complete &= value.has_value();
    const auto agrees = [&](const Values& values) {
      for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i] && wanted[i] != values[i]) return false;
      }
      return true;
    };
    const auto& groups = groups_[policy];
    if (complete) {
      if (const auto found = groups.find(wanted); found != groups.end()) add(found->second);
    } else {
      for (const auto& [values, counts] : groups) {
        if (agrees(values)) add(counts);
      }
    }
    const auto itself = bound_.find(key_of(pod.metadata.namespace_, pod.metadata.name));
    if (itself == bound_.end()) return sum;
    for (const auto& [counted_policy, values] : itself->second.counted) {
      if (counted_policy != policy || !agrees(values)) continue;
      for (const std::size_t unit : units_of(policy, itself->second.node)) --sum[unit];
    }
    return sum;
  }

  Policies policies_;
  std::map<std::string, std::vector<std::vector<std::size_t>>, std::less<>>
      nodes_;                                                        ///< units by policy
  std::vector<std::map<Values, std::vector<std::int64_t>>> groups_;  ///< counts by policy
  std::map<Key, Bound> bound_;
  std::vector<std::size_t> no_units_;
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
[[nodiscard]] inline Plan plan(Counter cluster, std::span<const Node> nodes, Pod pod,
                               std::size_t replicas) {
  Plan result;
  const std::string name = pod.metadata.name;
  std::unordered_map<std::string, std::size_t> placed_on;
  for (std::size_t i = 0; i < replicas; ++i) {
    pod.metadata.name = name + "-" + std::to_string(i);
    Placement& placement = result.placements.emplace_back();
    placement.pod = pod.metadata.name;
    const Prefilter before = cluster.prefilter(pod);
    placement.reason = before.reason;
    std::optional<std::int64_t> best;  // score
    std::size_t fewest = 0;            // replicas on the node of that score
    for (const Node& node : nodes) {
      const Filter filter = cluster.filter(before, node.metadata.name);
      if (filter.code != Code::success) {
        if (!best && placement.reason != Reason::unit_full) {
          placement.code = filter.code;
          placement.reason = filter.reason;
        }
        continue;
      }
      const std::int64_t score = cluster.score(before, filter);
      const std::size_t placed = placed_on[node.metadata.name];
      if (best && (score < *best || (score == *best && placed >= fewest))) continue;
      best = score;
      fewest = placed;
      placement.code = Code::success;
      placement.reason = Reason::none;
      placement.node = node.metadata.name;
      placement.unit = filter.unit;
    }
    if (!best) continue;
    cluster.bind(pod, placement.node);
    ++placed_on[placement.node];
    placement.deletion_cost =
        cluster.deletion_cost(pod.metadata.namespace_, pod.metadata.name).value_or(0);
  }
  const std::vector<Placement>& placements = result.placements;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (!placements[i].node.empty()) order.push_back(i);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const std::int32_t cost_a = placements[a].deletion_cost;
    const std::int32_t cost_b = placements[b].deletion_cost;
    return cost_a != cost_b ? cost_a < cost_b : a > b;
  });
  for (const std::size_t i : order) result.scale_down.push_back(placements[i].pod);
  return result;
}

}  // namespace schedpol::resource_policy

// schedpol/runtime_class/runtime_class.hpp

/// RuntimeClass scheduling: what a pod takes over from the class of its container runtime.
///
/// 1. A pod without `runtimeClassName` is left alone; one that names a class which does not exist
///    is denied for that alone.
/// 2. Overhead: set from the class. A pod that brings a different one is denied (quantities are
///    compared by value), and so is one that brings one where no class defines any.
/// 3. Node selector: the class's pairs are added; the same key with another value is a conflict.
/// 4. Tolerations, where the class has `scheduling`: the union of the pod's, first, and the
/// class's. Source: the RuntimeClass scheduling proposal, and Kubernetes' RuntimeClass admission
/// plugin.

namespace schedpol::runtime_class {

/// What pods of the class need besides their containers.
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

namespace detail {

inline std::string to_text(const ResourceList& resources) {
  std::string text;
  for (const auto& [name, quantity] : resources) {
    text += (text.empty() ? "" : ", ") + name + "=" + quantity.text();
  }
  return text;
}

inline const RuntimeClass* find(std::span<const RuntimeClass> classes, std::string_view name) {
  for (const RuntimeClass& runtime_class : classes) {
    if (runtime_class.metadata.name == name) return &runtime_class;
  }
  return nullptr;
}

/// Two classes of one name that differ cannot be told apart.
inline bool is_ambiguous(std::span<const RuntimeClass> classes, const RuntimeClass& found) {
  for (const RuntimeClass& runtime_class : classes) {
    if (runtime_class.metadata.name == found.metadata.name && runtime_class != found) return true;
  }
  return false;
}

/// Merges one class into one pod.
class Merger {
 public:
  Merger(Pod pod, const RuntimeClass& from) : from_(from), pod_(std::move(pod)), before_(pod_) {}

  Admission run() && {
    merge_overhead();
    if (from_.scheduling) {
      merge_node_selector();
      merge_tolerations();
    }
    Admission admission;
    admission.allowed = violations_.empty();
    admission.violations = std::move(violations_);
    if (!admission.allowed) {
      admission.pod = std::move(before_);
      return admission;
    }
    admission.pod = std::move(pod_);
    admission.changes = std::move(changes_);
    // Tolerations that only changed places are not listed as changes.
    const bool moved = admission.pod.spec.tolerations != before_.spec.tolerations;
    if (moved || !admission.changes.empty()) admission.before = std::move(before_);
    return admission;
  }

 private:
  void violate(ViolationCode code, std::string_view field, std::string value) {
    violations_.push_back(
        {code, field_path(pod_.kind, field), std::move(value), {from_.metadata.name}});
  }
  void note(std::string_view field, std::optional<std::string> from,
            std::optional<std::string> to) {
    changes_.push_back(
        {field_path(pod_.kind, field), std::move(from), std::move(to), from_.metadata.name});
  }

  void merge_overhead() {
    const bool defined = from_.overhead && !from_.overhead->pod_fixed.empty();
    ResourceList& overhead = pod_.spec.overhead;
    if (!defined) {
      if (overhead.empty()) return;
      return violate(ViolationCode::overhead_without_runtime_class, "spec.overhead",
                     to_text(overhead));
    }
    if (overhead.empty()) {
      note("spec.overhead", std::nullopt, to_text(from_.overhead->pod_fixed));
      overhead = from_.overhead->pod_fixed;
    } else if (overhead != from_.overhead->pod_fixed) {
      violate(ViolationCode::overhead_mismatch, "spec.overhead", to_text(overhead));
    }
  }

  void merge_node_selector() {
    for (const auto& [key, value] : from_.scheduling->node_selector) {
      const std::string field = "spec.nodeSelector[" + key + "]";
      const auto [at, added] = pod_.spec.node_selector.try_emplace(key, value);
      if (added) {
        note(field, std::nullopt, value);
      } else if (at->second != value) {
        violate(ViolationCode::node_selector_conflict, field, at->second);
      }
    }
  }

  /// A toleration of the pod that the union no longer lists was covered by another, or is there
  /// once already.
  void merge_tolerations() {
    const std::vector<Toleration>& own = pod_.spec.tolerations;
    std::vector<Toleration> merged = own;
    for (const Toleration& toleration : from_.scheduling->tolerations) merged.push_back(toleration);
    merged = schedpol::detail::without_covered(merged);
    for_each_missing(own, merged, [&](std::string_view field, std::string text) {
      note(field, std::move(text), std::nullopt);
    });
    for_each_missing(merged, own, [&](std::string_view field, std::string text) {
      note(field, std::nullopt, std::move(text));
    });
    pod_.spec.tolerations = std::move(merged);
  }

  /// Calls `use` with the field and the text of each toleration of `list` that `other` does not
  /// have as often.
  template <class Use>
  static void for_each_missing(const std::vector<Toleration>& list, std::vector<Toleration> other,
                               Use&& use) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (const auto at = std::find(other.begin(), other.end(), list[i]); at != other.end()) {
        other.erase(at);
        continue;
      }
      use("spec.tolerations[" + std::to_string(i) + "]", to_string(list[i]));
    }
  }

  const RuntimeClass& from_;
  Pod pod_;
  Pod before_;
  std::vector<Violation> violations_;
  std::vector<Change> changes_;
};

}  // namespace detail

/// The whole decision on a pod; all violations are reported. Admitting the result again allows it
/// and changes nothing. Two different classes of the pod's name deny it (`AmbiguousPolicy`).
[[nodiscard]] inline Admission admit(Pod pod, std::span<const RuntimeClass> classes) {
  Admission admission;
  const std::string& name = pod.spec.runtime_class_name;
  const auto deny = [&](ViolationCode code, std::string_view field, std::string value,
                        std::vector<std::string> policies) {
    admission.violations.push_back(
        {code, field_path(pod.kind, field), std::move(value), std::move(policies)});
    admission.pod = std::move(pod);
    return std::move(admission);
  };
  if (name.empty()) {
    if (!pod.spec.overhead.empty()) {
      return deny(ViolationCode::overhead_without_runtime_class, "spec.overhead",
                  detail::to_text(pod.spec.overhead), {});
    }
    admission.allowed = true;
    admission.pod = std::move(pod);
    return admission;
  }
  const RuntimeClass* found = detail::find(classes, name);
  if (found == nullptr)
    return deny(ViolationCode::runtime_class_not_found, "spec.runtimeClassName", name, {});
  if (detail::is_ambiguous(classes, *found)) {
    return deny(ViolationCode::ambiguous_policy, "spec.runtimeClassName", name, {name});
  }
  return detail::Merger(std::move(pod), *found).run();
}

/// What of its class a final pod lacks, after other mutators ran: none means that all is in place.
/// A pod without a class, or whose class does not exist or is ambiguous, has the violations of
/// `admit`. Otherwise another overhead is `OverheadMismatch` (`OverheadWithoutRuntimeClass` where
/// the class has none), a pair of the selector that is gone or has another value
/// `NodeSelectorRequired`, and a toleration that none of the pod's covers `TolerationRequired`.
[[nodiscard]] inline std::vector<Violation> verify(const Pod& pod,
                                                   std::span<const RuntimeClass> classes) {
  const std::string& name = pod.spec.runtime_class_name;
  const RuntimeClass* from = name.empty() ? nullptr : detail::find(classes, name);
  if (from == nullptr || detail::is_ambiguous(classes, *from))
    return admit(pod, classes).violations;
  std::vector<Violation> violations;
  const auto lacks = [&](ViolationCode code, std::string_view field, std::string value) {
    violations.push_back({code, field_path(pod.kind, field), std::move(value), {name}});
  };
  const ResourceList none;
  const ResourceList& overhead = from->overhead ? from->overhead->pod_fixed : none;
  if (pod.spec.overhead != overhead) {
    lacks(overhead.empty() ? ViolationCode::overhead_without_runtime_class
                           : ViolationCode::overhead_mismatch,
          "spec.overhead", detail::to_text(pod.spec.overhead));
  }
  if (!from->scheduling) return violations;
  for (const auto& [key, value] : from->scheduling->node_selector) {
    const std::string* found = find_label(pod.spec.node_selector, key);
    if (found != nullptr && *found == value) continue;
    lacks(ViolationCode::node_selector_required, "spec.nodeSelector[" + key + "]",
          found == nullptr ? "" : *found);
  }
  for (const Toleration& toleration : from->scheduling->tolerations) {
    bool covered = false;
    for (const Toleration& own : pod.spec.tolerations) covered = covered || covers(own, toleration);
    if (!covered) {
      lacks(ViolationCode::toleration_required, "spec.tolerations", to_string(toleration));
    }
  }
  return violations;
}

/// Whether a node supports a class, and if not, which of the class's labels it lacks or has
/// otherwise.
struct Support {
  bool supported = false;
  Labels missing{};

  friend bool operator==(const Support&, const Support&) = default;
};

/// A class without a node selector is supported by every node.
[[nodiscard]] inline Support supports(const RuntimeClass& runtime_class, const Node& node) {
  Support support;
  if (runtime_class.scheduling) {
    for (const auto& [key, value] : runtime_class.scheduling->node_selector) {
      const std::string* label = find_label(node.metadata.labels, key);
      if (label == nullptr || *label != value) support.missing[key] = value;
    }
  }
  support.supported = support.missing.empty();
  return support;
}

/// What is wrong with a class: its name, its handler (a DNS label, required), a negative overhead,
/// the labels of its node selector, its tolerations.
[[nodiscard]] inline std::vector<FieldError> validate(const RuntimeClass& runtime_class) {
  schedpol::detail::FieldErrors errors;
  schedpol::detail::validate_name(errors, runtime_class.metadata.name);
  if (runtime_class.handler.empty()) {
    errors.add(ErrorType::required, "handler", "", "a class has the name of its runtime");
  } else {
    errors.add_all("handler", runtime_class.handler, dns_label_problems(runtime_class.handler));
  }
  if (runtime_class.overhead) {
    for (const auto& [name, quantity] : runtime_class.overhead->pod_fixed) {
      if (quantity >= Quantity()) continue;
      errors.add(ErrorType::invalid, "overhead.podFixed[" + name + "]", quantity.text(),
                 "must not be negative");
    }
  }
  if (runtime_class.scheduling) {
    schedpol::detail::validate_labels(errors, "scheduling.nodeSelector",
                                      runtime_class.scheduling->node_selector);
    schedpol::detail::validate_tolerations(errors, "scheduling.tolerations",
                                           runtime_class.scheduling->tolerations);
  }
  return std::move(errors).take();
}

}  // namespace schedpol::runtime_class

// schedpol/scheduling_policy/policy.hpp

/// SchedulingPolicy: the cluster-scoped object that says which schedulers, priority classes, node
/// selectors, tolerations and affinities pods must, may and by default do use.
///
/// Absent, empty and listed differ everywhere in `required` and `allowed`. In `allowed` an absent
/// field permits nothing, an empty one everything, a listed one what it lists. In `required` an
/// absent field asks for nothing, and an empty list asks for nothing either (`validate` refuses
/// it). Source: the SchedulingPolicy proposal, "SchedulingPolicy content".

namespace schedpol::scheduling_policy {

/// A list of texts of which absent, empty and listed mean different things.
using Names = std::optional<std::vector<std::string>>;

/// An empty list or map, which permits everything where it stands: `.scheduler_names = any` says
/// `schedulerNames: []`. Braces alone do not say it: `{}` is absent.
struct Any {
  template <class T>
  constexpr operator std::optional<T>() const {  // NOLINT(google-explicit-constructor)
    return T{};
  }
};
inline constexpr Any any{};

/// Node selector keys and the values each may have: an empty list is any value, an absent one (a
/// null in the document) is none.
using NodeSelectors = std::map<std::string, Names, std::less<>>;

/// Which tolerations are meant: those whose key, operator, value and effect all match. An empty
/// list matches anything, an absent one nothing, except `values`, which absent matches a toleration
/// without a value.
struct TolerationPattern {
  Names keys{};
  std::optional<std::vector<OpenEnum<TolerationOperator>>> operators{};
  Names values{};
  std::optional<std::vector<OpenEnum<TaintEffect>>> effects{};

  friend bool operator==(const TolerationPattern&, const TolerationPattern&) = default;
};

/// Which node selector requirements are meant: those whose key and operator match and of whose
/// values every one is listed. Lists read as in TolerationPattern.
struct RequirementPattern {
  Names keys{};
  std::optional<std::vector<OpenEnum<NodeSelectorOperator>>> operators{};
  Names values{};

  friend bool operator==(const RequirementPattern&, const RequirementPattern&) = default;
};

/// In `allowed`: the expressions a term may hold, none where the list is absent and any where it is
/// empty. In `required`: the patterns a term has to hold; an empty list asks for at least one
/// expression. With both absent it permits nothing and is never satisfied.
struct TermPattern {
  std::optional<std::vector<RequirementPattern>> match_expressions{};
  std::optional<std::vector<RequirementPattern>> match_fields{};

  friend bool operator==(const TermPattern&, const TermPattern&) = default;
};

/// One mode of node affinity; without terms, anything in that mode.
struct NodeAffinityRule {
  std::vector<TermPattern> node_selector_terms{};

  friend bool operator==(const NodeAffinityRule&, const NodeAffinityRule&) = default;
};

/// One mode of pod affinity or anti-affinity; without topology keys, anything in that mode.
struct PodAffinityRule {
  std::vector<std::string> topology_keys{};

  friend bool operator==(const PodAffinityRule&, const PodAffinityRule&) = default;
};

/// One kind of affinity: its two modes. Without either, any affinity of the kind.
template <class Rule>
struct AffinityModes {
  std::optional<Rule> required_during_scheduling_ignored_during_execution{};
  std::optional<Rule> preferred_during_scheduling_ignored_during_execution{};

  friend bool operator==(const AffinityModes&, const AffinityModes&) = default;
};

using NodeAffinityRules = AffinityModes<NodeAffinityRule>;
using PodAffinityRules = AffinityModes<PodAffinityRule>;

/// The three kinds of affinity. Without any of them, in `allowed`, any affinity of any kind.
struct AffinityRules {
  std::optional<NodeAffinityRules> node_affinities{};
  std::optional<PodAffinityRules> pod_affinities{};
  std::optional<PodAffinityRules> pod_anti_affinities{};

  friend bool operator==(const AffinityRules&, const AffinityRules&) = default;
};

/// The `required` or the `allowed` section.
struct Rules {
  Names scheduler_names{};
  Names priority_class_names{};
  std::optional<NodeSelectors> node_selectors{};
  std::optional<std::vector<TolerationPattern>> tolerations{};
  std::optional<AffinityRules> affinities{};

  friend bool operator==(const Rules&, const Rules&) = default;
};

/// A toleration to give to pods; with `values`, one for each of them (and `toleration.value` is not
/// used).
struct DefaultToleration {
  Toleration toleration{};
  Names values{};

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
  Rules required{};
  Rules allowed{};
  Defaults defaults{};

  friend bool operator==(const SchedulingPolicySpec&, const SchedulingPolicySpec&) = default;
};

struct SchedulingPolicy {
  ObjectMeta metadata{};
  SchedulingPolicySpec spec{};

  friend bool operator==(const SchedulingPolicy&, const SchedulingPolicy&) = default;
};

namespace detail {

/// An item of a list; an empty one is `""`, so that a list of it is not taken for an empty list.
inline void append_item(std::string& text, std::string_view item) {
  append_escaped(text, item, ",[]{}: \"");
  if (item.empty()) text += "\"\"";
}
template <class Word>
void append_item(std::string& text, const OpenEnum<Word>& item) {
  append_item(text, item.text());
}
inline void append_item(std::string& text, const RequirementPattern& item);

/// `name: [a, b]` after what stands there already; nothing for an absent list.
template <class List>
void append_list(std::string& text, std::string_view name, const std::optional<List>& list) {
  if (!list) return;
  if (text.back() != '{') text += ", ";
  text.append(name).append(": [");
  for (std::size_t i = 0; i < list->size(); ++i) {
    if (i > 0) text += ", ";
    append_item(text, (*list)[i]);
  }
  text += ']';
}

inline void append_item(std::string& text, const RequirementPattern& item) {
  text += '{';
  append_list(text, "keys", item.keys);
  append_list(text, "operators", item.operators);
  append_list(text, "values", item.values);
  text += '}';
}

}  // namespace detail

/// Patterns on one line, as YAML writes them in flow style; different patterns have different
/// texts.
[[nodiscard]] inline std::string to_string(const TolerationPattern& pattern) {
  std::string text = "{";
  detail::append_list(text, "keys", pattern.keys);
  detail::append_list(text, "operators", pattern.operators);
  detail::append_list(text, "values", pattern.values);
  detail::append_list(text, "effects", pattern.effects);
  return text + "}";
}
[[nodiscard]] inline std::string to_string(const TermPattern& pattern) {
  std::string text = "{";
  detail::append_list(text, "matchExpressions", pattern.match_expressions);
  detail::append_list(text, "matchFields", pattern.match_fields);
  return text + "}";
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/text_map.hpp

/// How a text of a pod is found among the texts that a policy lists: by its last bytes among a few,
/// by its hash among many. Made once by a merge, then only read. Nothing here allocates while it is
/// asked.

namespace schedpol::scheduling_policy::detail {

/// The bytes at `at` as a number. Its value depends on the machine, so nothing that is shown may.
template <class Number>
std::uint64_t bytes_at(const char* at) noexcept {
  Number bytes = 0;
  std::memcpy(&bytes, at, sizeof(bytes));
  return bytes;
}

/// The bytes of a text of less than eight as a number, which no other text of its size has.
[[gnu::always_inline]] inline std::uint64_t short_number(std::string_view text) noexcept {
  const char* end = text.data() + text.size();
  if (text.size() >= 4) {
    return bytes_at<std::uint32_t>(text.data()) << 32 | bytes_at<std::uint32_t>(end - 4);
  }
  if (text.size() >= 2) {
    return bytes_at<std::uint16_t>(text.data()) << 32 | bytes_at<std::uint16_t>(end - 2);
  }
  return text.empty() ? 0 : static_cast<unsigned char>(text.front());
}

/// The last bytes of a text of eight or more as a number.
inline std::uint64_t last_eight(std::string_view text) noexcept {
  return bytes_at<std::uint64_t>(text.data() + text.size() - 8);
}

/// The last eight bytes of a text as a number, all of a shorter one. Names and values mostly differ
/// in them, and comparing them is one instruction and no call.
inline std::uint64_t last_number(std::string_view text) noexcept {
  return text.size() < 8 ? short_number(text) : last_eight(text);
}

/// Whether two texts of the same size, of eight bytes or more, and with the same last eight bytes
/// are the same: what is before those, eight bytes at a time.
[[gnu::always_inline]] inline bool same_before_last(const char* a, const char* b,
                                                    std::size_t size) noexcept {
  if (bytes_at<std::uint64_t>(a) != bytes_at<std::uint64_t>(b)) return false;
  const std::size_t last = size - 8;
  for (std::size_t i = 8; i < last; i += 8) {
    if (bytes_at<std::uint64_t>(a + i) != bytes_at<std::uint64_t>(b + i)) return false;
  }
  return true;
}

/// Every byte counts, so that names with long common beginnings and ends are told apart. The upper
/// bits are the best.
inline std::uint64_t hash_of(std::string_view text) noexcept {
  const auto mix = [](std::uint64_t bits) {
    bits *= 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio, as in Fibonacci hashing
    return bits ^ bits >> 32;
  };
  std::uint64_t hash = text.size();
  for (std::size_t i = 0; i + 8 < text.size(); i += 8) {
    hash = mix(hash ^ bytes_at<std::uint64_t>(text.data() + i));
  }
  return mix(mix(hash ^ last_number(text)));
}

/// Where a text is searched for.
enum class Search {
  /// In lists of a few texts. What it finds is there; what it does not find may be in a list of
  /// many. Inlined and without a call, so that searches in a row keep all they need in registers.
  few,
  /// Everywhere. Asked where `few` found nothing.
  all,
};

/// Texts, each with a value. Made once, then only read: a few are compared one by one, of many only
/// those in the bucket of their hash. Texts made to share a bucket cost no more than a binary
/// search, because a bucket is in byte order.
template <class T>
class TextMap {
 public:
  TextMap() = default;
  explicit TextMap(std::map<std::string_view, T> values) {
    if (values.size() <= most_compared) {
      compared_.reserve(values.size());
      for (auto& [text, value] : values) compared_.emplace_back(text, std::move(value));
    } else {
      hashed_ = Buckets(std::move(values));
    }
  }

  [[nodiscard]] bool empty() const noexcept { return compared_.empty() && hashed_.entries.empty(); }

  /// The value of a text, or null when it is not there.
  template <Search search = Search::all>
  [[nodiscard, gnu::always_inline]] const T* find(std::string_view text) const noexcept {
    return search == Search::few ? find_compared(text) : find_anywhere(text);
  }
  template <Search search = Search::all>
  [[nodiscard, gnu::always_inline]] bool contains(std::string_view text) const noexcept {
    return find<search>(text) != nullptr;
  }

  /// All texts, in byte order.
  [[nodiscard]] std::vector<std::string_view> texts() const {
    std::vector<std::string_view> texts;
    for (const Entry& entry : compared_) texts.push_back(entry.text);
    for (const Entry& entry : hashed_.entries) texts.push_back(entry.text);
    std::sort(texts.begin(), texts.end());
    return texts;
  }

 private:
  static constexpr std::size_t most_compared = 8;

  struct Entry {
    Entry(std::string_view from, T given)
        : last(last_number(from)), text(from), value(std::move(given)) {}

    /// Whether it is this text, of eight bytes or more.
    [[nodiscard, gnu::always_inline]] bool is(std::string_view other,
                                              std::uint64_t other_last) const noexcept {
      return last == other_last && text.size() == other.size() &&
             same_before_last(text.data(), other.data(), other.size());
    }

    std::uint64_t last;
    std::string text;
    [[no_unique_address]] T value;
  };

  struct Buckets {
    Buckets() = default;
    explicit Buckets(std::map<std::string_view, T> values) {
      // One bucket to two a text.
      const int bits = static_cast<int>(std::bit_width(values.size()));
      shift = 64 - bits;
      std::vector<std::pair<std::size_t, typename std::map<std::string_view, T>::iterator>> ordered;
      ordered.reserve(values.size());
      for (auto it = values.begin(); it != values.end(); ++it) {
        ordered.emplace_back(bucket_of(it->first), it);
      }
      std::stable_sort(ordered.begin(), ordered.end(),
                       [](const auto& a, const auto& b) { return a.first < b.first; });
      entries.reserve(values.size());
      starts.resize((std::size_t{1} << bits) + 1);
      for (auto& [bucket, it] : ordered) {
        entries.emplace_back(it->first, std::move(it->second));
        ++starts[bucket + 1];
      }
      std::partial_sum(starts.begin(), starts.end(), starts.begin());
    }

    [[nodiscard]] std::size_t bucket_of(std::string_view text) const noexcept {
      return static_cast<std::size_t>(hash_of(text) >> shift);
    }

    /// Not inlined, so that finding one of a few needs no more registers than it uses.
    [[nodiscard, gnu::noinline]] const T* find(std::string_view text) const noexcept {
      const std::size_t bucket = bucket_of(text);
      auto entry = entries.begin() + starts[bucket];
      auto end = entries.begin() + starts[bucket + 1];
      if (end - entry > static_cast<std::ptrdiff_t>(most_compared)) {
        entry = std::lower_bound(entry, end, text,
                                 [](const Entry& e, std::string_view t) { return e.text < t; });
        if (entry != end) end = entry + 1;
      }
      for (; entry != end; ++entry) {
        if (entry->text == text) return &entry->value;
      }
      return nullptr;
    }

    std::vector<Entry> entries;          ///< bucket by bucket, each in byte order
    std::vector<std::ptrdiff_t> starts;  ///< of the buckets, and the end
    int shift = 0;                       ///< from a hash to its bucket; 0 where nothing is hashed
  };

  [[gnu::always_inline]] const T* find_compared(std::string_view text) const noexcept {
    if (text.size() < 8) {
      const std::uint64_t number = short_number(text);
      for (const Entry& entry : compared_) {
        if (entry.last == number && entry.text.size() == text.size()) return &entry.value;
      }
    } else {
      const std::uint64_t last = last_eight(text);
      for (const Entry& entry : compared_) {
        if (entry.is(text, last)) return &entry.value;
      }
    }
    return nullptr;
  }

  [[gnu::noinline]] const T* find_anywhere(std::string_view text) const noexcept {
    const T* found = find_compared(text);
    return found != nullptr || hashed_.shift == 0 ? found : hashed_.find(text);
  }

  std::vector<Entry> compared_;  ///< a few
  Buckets hashed_;               ///< or many
};

/// Texts alone.
struct Listed {};
using TextSet = TextMap<Listed>;

inline TextSet text_set(const std::vector<std::string>& texts) {
  std::map<std::string_view, Listed> listed;
  for (const std::string& text : texts) listed.try_emplace(text);
  return TextSet(std::move(listed));
}

/// A list of texts of which absent permits nothing and empty everything.
class TextRule {
 public:
  TextRule() = default;
  /// With one more text that is permitted.
  explicit TextRule(const Names& names, const std::string* also = nullptr)
      : any_(names && names->empty()) {
    std::vector<std::string> texts = names ? *names : std::vector<std::string>();
    if (also != nullptr) texts.push_back(*also);
    listed_ = text_set(texts);
  }

  [[nodiscard]] bool any() const noexcept { return any_; }
  template <Search search = Search::all>
  [[nodiscard, gnu::always_inline]] bool permits(std::string_view text) const noexcept {
    return listed_.contains<search>(text) || any_;
  }

 private:
  bool any_ = false;
  TextSet listed_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/pattern.hpp

/// When a pattern of a policy matches a toleration or a node selector requirement of a pod, and how
/// one pattern is found among many: by the key it lists. Made once by a merge, then only read.
/// Nothing here allocates while it is asked.

namespace schedpol::scheduling_policy::detail {

/// A toleration as the set of defaults is asked for it: with another effect than its own, uncopied.
struct TolerationKey {
  const Toleration& toleration;
  TaintEffect effect;
};

struct TolerationHash {
  using is_transparent = void;
  std::size_t operator()(const TolerationKey& key) const noexcept {
    return static_cast<std::size_t>(
        (hash_of(key.toleration.key) * 31 + hash_of(key.toleration.value)) * 31 +
        static_cast<std::uint64_t>(key.effect));
  }
  std::size_t operator()(const Toleration& toleration) const noexcept {
    return (*this)(TolerationKey{toleration, toleration.effect.word()});
  }
};

/// Semantic equality. Unknown effects are all alike here; they are never permitted.
struct TolerationEqual {
  using is_transparent = void;
  bool operator()(const TolerationKey& a, const TolerationKey& b) const noexcept {
    return a.effect == b.effect && a.toleration.key == b.toleration.key &&
           same_operator(a.toleration, b.toleration) && a.toleration.value == b.toleration.value &&
           a.toleration.toleration_seconds == b.toleration.toleration_seconds;
  }
  bool operator()(const Toleration& a, const TolerationKey& b) const noexcept {
    return (*this)(TolerationKey{a, a.effect.word()}, b);
  }
  bool operator()(const TolerationKey& a, const Toleration& b) const noexcept {
    return (*this)(a, TolerationKey{b, b.effect.word()});
  }
  bool operator()(const Toleration& a, const Toleration& b) const noexcept { return a == b; }
};

using TolerationSet = std::unordered_set<Toleration, TolerationHash, TolerationEqual>;

template <class Word>
constexpr std::uint32_t bit(Word word) noexcept {
  return 1U << static_cast<unsigned>(word);
}

/// The words of a list as bits, all of `every` where it is empty and none where it is absent. Words
/// that are not in the vocabulary have no bit: nothing is permitted by or to them.
template <class Word>
std::uint32_t bits(const std::optional<std::vector<OpenEnum<Word>>>& words,
                   std::uint32_t every) noexcept {
  if (!words) return 0;
  if (words->empty()) return every;
  std::uint32_t mask = 0;
  for (const auto& word : *words) mask |= bit(word.word());
  return mask & every;
}

/// The operators and effects that a pattern accepts, or that one toleration or requirement has, so
/// that one comparison tells whether all it has is accepted.
using Words = std::uint32_t;

inline Words words_of(TolerationOperator operator_, TaintEffect effect) noexcept {
  return bit(operator_) | bit(effect) << 16;
}
inline Words words_of(const NodeSelectorRequirement& requirement) noexcept {
  return bit(requirement.operator_.word());
}

/// What a pattern accepts, but for its key and the values it lists.
struct Accepted {
  Words refused = ~Words{0};  ///< all others are accepted
  bool no_value = false;      ///< what has no value
  bool any_value = false;     ///< every value, and none

  [[nodiscard]] bool accepts(Words asked) const noexcept { return (asked & refused) == 0; }
};

inline constexpr std::uint32_t every_effect = bit(TaintEffect::no_schedule) |
                                              bit(TaintEffect::prefer_no_schedule) |
                                              bit(TaintEffect::no_execute);

/// An unset operator is Equal, in patterns as in tolerations, and an unset effect all effects.
inline Accepted accepted_by(const TolerationPattern& pattern) {
  constexpr std::uint32_t equal = bit(TolerationOperator::unset) | bit(TolerationOperator::equal);
  constexpr std::uint32_t every_operator = equal | bit(TolerationOperator::exists) |
                                           bit(TolerationOperator::lt) |
                                           bit(TolerationOperator::gt);
  std::uint32_t operators = bits(pattern.operators, every_operator);
  if ((operators & equal) != 0) operators |= equal;
  std::uint32_t effects = bits(pattern.effects, every_effect);
  if (effects == every_effect) effects |= bit(TaintEffect::unset);
  const bool any_value = pattern.values && pattern.values->empty();
  return {~(operators | effects << 16), any_value || !pattern.values, any_value};
}

inline Accepted accepted_by(const RequirementPattern& pattern) {
  constexpr std::uint32_t every_operator =
      bit(NodeSelectorOperator::in) | bit(NodeSelectorOperator::not_in) |
      bit(NodeSelectorOperator::exists) | bit(NodeSelectorOperator::does_not_exist) |
      bit(NodeSelectorOperator::gt) | bit(NodeSelectorOperator::lt);
  const bool any_value = pattern.values && pattern.values->empty();
  return {~bits(pattern.operators, every_operator), any_value || !pattern.values, any_value};
}

inline TextSet listed_values(const Names& values) {
  return values ? text_set(*values) : TextSet();
}

/// Whether a toleration whose words are accepted has a value that is accepted too. Exists has none,
/// whatever stands there.
template <Search search>
[[gnu::always_inline]] inline bool accepts_value(const Accepted& accepted, const TextSet& values,
                                                 const Toleration& toleration) noexcept {
  if (accepted.any_value) return true;
  if (toleration.operator_ == TolerationOperator::exists) return accepted.no_value;
  return values.contains<search>(toleration.value) ||
         (accepted.no_value && toleration.value.empty());
}

/// The same for a requirement, which may have many values.
template <Search search>
[[gnu::always_inline]] inline bool accepts_value(
    const Accepted& accepted, const TextSet& values,
    const NodeSelectorRequirement& requirement) noexcept {
  if (accepted.any_value) return true;
  if (requirement.values.empty()) return accepted.no_value;
  for (const std::string& value : requirement.values) {
    if (!values.contains<search>(value)) return false;
  }
  return true;
}

/// Whether a requirement has an operator of Kubernetes; there is no default for an empty one.
inline bool has_operator(const NodeSelectorRequirement& requirement) noexcept {
  return requirement.operator_.known() && requirement.operator_ != NodeSelectorOperator::unset;
}

/// One pattern for a toleration or for a node selector requirement.
class Pattern {
 public:
  template <class Source>
  explicit Pattern(const Source& source)
      : keys_(source.keys), accepted_(accepted_by(source)), values_(listed_values(source.values)) {}

  [[nodiscard]] bool matches(const Toleration& toleration) const noexcept {
    return matches(toleration, words_of(toleration.operator_.word(), toleration.effect.word()));
  }
  [[nodiscard]] bool matches(const NodeSelectorRequirement& requirement) const noexcept {
    return matches(requirement, words_of(requirement));
  }

 private:
  /// An empty key is matched by "any" alone, even where the empty text is listed.
  template <class Item>
  bool matches(const Item& item, Words words) const noexcept {
    return accepted_.accepts(words) &&
           (keys_.any() || (!item.key.empty() && keys_.permits(item.key))) &&
           accepts_value<Search::all>(accepted_, values_, item);
  }

  TextRule keys_;
  Accepted accepted_;
  TextSet values_;
};

/// Many patterns, found by the keys they list. What a pattern accepts stands with each of its keys;
/// the values it lists stand once, because keys times values may be too many.
class PatternIndex {
 public:
  PatternIndex() = default;
  template <class Source>
  explicit PatternIndex(const std::vector<const Source*>& sources) {
    std::map<std::string_view, Candidates> by_key;
    for (const Source* source : sources) {
      if (!source->keys) continue;
      const Candidate candidate{accepted_by(*source), values_.size()};
      values_.push_back(listed_values(source->values));
      if (source->keys->empty()) any_key_.push_back(candidate);
      for (const std::string& key : *source->keys) {
        auto& listed = by_key[key];
        if (listed.empty() || listed.back().values != candidate.values) listed.push_back(candidate);
      }
    }
    by_key.erase("");  // matched by "any" alone, even where the empty text is listed
    by_key_ = TextMap<Candidates>(std::move(by_key));
  }

  /// Whether a pattern matches the toleration, taken as one with this effect.
  [[nodiscard, gnu::always_inline]] bool matches(const Toleration& toleration,
                                                 TaintEffect effect) const noexcept {
    return matches(toleration, words_of(toleration.operator_.word(), effect));
  }
  [[nodiscard, gnu::always_inline]] bool matches(
      const NodeSelectorRequirement& requirement) const noexcept {
    return matches(requirement, words_of(requirement));
  }
  /// Whether for each of the requirements a pattern matches it.
  [[nodiscard, gnu::noinline]] bool match_each(
      const std::vector<NodeSelectorRequirement>& requirements) const noexcept {
    for (const NodeSelectorRequirement& requirement : requirements) {
      if (!matches(requirement)) return false;
    }
    return true;
  }

 private:
  /// A pattern without its keys.
  struct Candidate {
    Accepted accepted;
    std::size_t values = 0;  ///< which of `values_`
  };
  using Candidates = std::vector<Candidate>;

  /// First what most items are matched by: a pattern for everything, or one that lists the key.
  template <class Item>
  [[gnu::always_inline]] bool matches(const Item& item, Words words) const noexcept {
    for (const Candidate& candidate : any_key_) {
      if (candidate.accepted.accepts(words) && candidate.accepted.any_value) return true;
    }
    const Candidates* listed = by_key_.find<Search::few>(item.key);
    return (listed != nullptr && any_accepts<Search::few>(*listed, item, words)) ||
           matches_anywhere(item, words);
  }
  template <class Item>
  [[gnu::noinline]] bool matches_anywhere(const Item& item, Words words) const noexcept {
    if (any_accepts<Search::all>(any_key_, item, words)) return true;
    const Candidates* listed = by_key_.find(item.key);
    return listed != nullptr && any_accepts<Search::all>(*listed, item, words);
  }
  template <Search search, class Item>
  [[gnu::always_inline]] bool any_accepts(const Candidates& candidates, const Item& item,
                                          Words words) const noexcept {
    for (const Candidate& candidate : candidates) {
      if (candidate.accepted.accepts(words) &&
          accepts_value<search>(candidate.accepted, values_[candidate.values], item)) {
        return true;
      }
    }
    return false;
  }

  std::vector<TextSet> values_;
  Candidates any_key_;
  TextMap<Candidates> by_key_;
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/lookup.hpp

/// The rules of an effective policy in the form in which they are asked. Asking takes as long for
/// ten thousand entries as for ten.

namespace schedpol::scheduling_policy::detail {

/// How paths name the modes of affinity.
inline constexpr std::string_view required_mode = "requiredDuringSchedulingIgnoredDuringExecution";
inline constexpr std::string_view preferred_mode =
    "preferredDuringSchedulingIgnoredDuringExecution";

/// What one list of expressions in the terms of a mode may hold by several rules; `everything` is
/// any expression with an operator of Kubernetes.
inline PatternIndex permitted_in(std::optional<std::vector<RequirementPattern>> TermPattern::*list,
                                 const std::vector<const NodeAffinityRule*>& rules,
                                 bool everything) {
  const RequirementPattern anything{any, any, any};
  std::vector<const RequirementPattern*> listed;
  for (const NodeAffinityRule* rule : rules) {
    for (const TermPattern& term : rule->node_selector_terms) {
      if (!(term.*list)) continue;
      everything |= (term.*list)->empty();
      for (const RequirementPattern& pattern : *(term.*list)) listed.push_back(&pattern);
    }
  }
  if (everything) listed.push_back(&anything);
  return PatternIndex(listed);
}

/// One list of expressions in a required term: what it must hold.
struct RequiredList {
  bool at_least_one = false;
  std::vector<Pattern> patterns;

  RequiredList() = default;
  explicit RequiredList(const std::optional<std::vector<RequirementPattern>>& list)
      : at_least_one(list && list->empty()) {
    if (!list) return;
    for (const RequirementPattern& pattern : *list) patterns.emplace_back(pattern);
  }

  [[nodiscard]] bool holds(
      const std::vector<NodeSelectorRequirement>& requirements) const noexcept {
    if (at_least_one && requirements.empty()) return false;
    return std::all_of(patterns.begin(), patterns.end(), [&](const Pattern& pattern) {
      return std::any_of(requirements.begin(), requirements.end(),
                         [&](const auto& requirement) { return pattern.matches(requirement); });
    });
  }
};

/// A required term pattern. The term `{}` says nothing that could hold, so it never does.
struct RequiredTerm {
  bool satisfiable = false;
  RequiredList expressions;
  RequiredList fields;

  explicit RequiredTerm(const TermPattern& pattern)
      : satisfiable(pattern.match_expressions || pattern.match_fields),
        expressions(pattern.match_expressions),
        fields(pattern.match_fields) {}

  [[nodiscard]] bool holds(const NodeSelectorTerm& term) const noexcept {
    return satisfiable && expressions.holds(term.match_expressions) &&
           fields.holds(term.match_fields);
  }
};

/// What holds for a mode of any kind of affinity. What is required is permitted too.
struct ModeLookup {
  bool mentioned = false;  ///< by `required` or `allowed`
  bool any = false;        ///< the mode itself is permitted whole
  bool asked = false;      ///< `required` asks for a term in the mode, whichever
};

inline const NodeSelectorTerm& expressions_of(const NodeSelectorTerm& term) noexcept {
  return term;
}
inline const NodeSelectorTerm& expressions_of(const PreferredSchedulingTerm& term) noexcept {
  return term.preference;
}
inline const std::string& topology_key_of(const PodAffinityTerm& term) noexcept {
  return term.topology_key;
}
inline const std::string& topology_key_of(const WeightedPodAffinityTerm& term) noexcept {
  return term.pod_affinity_term.topology_key;
}

struct NodeModeLookup : ModeLookup {
  PatternIndex expressions;
  PatternIndex fields;
  std::vector<RequiredTerm> required;

  /// Whether every expression of every term is permitted by itself. Not inlined, because it takes
  /// all registers.
  template <class Term>
  [[nodiscard, gnu::noinline]] bool permits_each(const std::vector<Term>& terms) const noexcept {
    for (const Term& term : terms) {
      for (const NodeSelectorRequirement& requirement : expressions_of(term).match_expressions) {
        if (!expressions.matches(requirement)) return false;
      }
      const std::vector<NodeSelectorRequirement>& of_fields = expressions_of(term).match_fields;
      if (!of_fields.empty() && !fields.match_each(of_fields)) return false;
    }
    return true;
  }

  void permit(const std::vector<const NodeAffinityRule*>& rules) {
    for (const NodeAffinityRule* rule : rules) any |= rule->node_selector_terms.empty();
    expressions = permitted_in(&TermPattern::match_expressions, rules, any);
    fields = permitted_in(&TermPattern::match_fields, rules, any);
  }
  void require(const NodeAffinityRule& rule) {
    for (const TermPattern& term : rule.node_selector_terms) required.emplace_back(term);
    asked = rule.node_selector_terms.empty();
  }
};

struct PodModeLookup : ModeLookup {
  TextSet topology_keys;
  TextSet required;

  template <class Term>
  [[nodiscard]] bool permits(const Term& term) const noexcept {
    return any || topology_keys.contains(topology_key_of(term));
  }
  template <class Term>
  [[nodiscard]] bool permits_each(const std::vector<Term>& terms) const noexcept {
    return std::all_of(terms.begin(), terms.end(), [&](const Term& term) { return permits(term); });
  }

  void permit(const std::vector<const PodAffinityRule*>& rules) {
    std::vector<std::string> keys;
    for (const PodAffinityRule* rule : rules) {
      keys.insert(keys.end(), rule->topology_keys.begin(), rule->topology_keys.end());
      any |= rule->topology_keys.empty();
    }
    topology_keys = text_set(keys);
  }
  void require(const PodAffinityRule& rule) {
    required = text_set(rule.topology_keys);
    asked = rule.topology_keys.empty();
  }
};

/// The terms of a mode; null where there are none.
template <class T>
const std::vector<T>* terms_of(const std::vector<T>& terms) noexcept {
  return terms.empty() ? nullptr : &terms;
}
inline const std::vector<NodeSelectorTerm>* terms_of(
    const std::optional<NodeSelector>& selector) noexcept {
  return selector ? terms_of(selector->node_selector_terms) : nullptr;
}

/// Whether a mode permits each of its terms, null where it has none, by what it lists.
template <class Mode, class Terms>
[[gnu::always_inline]] inline bool permits_each(const Mode& mode, const Terms* terms) noexcept {
  return terms == nullptr || (mode.mentioned && mode.permits_each(*terms));
}

/// One kind of affinity.
template <class Mode>
struct KindLookup {
  bool mentioned = false;  ///< by `required` or `allowed`
  bool asked = false;      ///< `required` asks for a term of the kind, in whichever mode
  Mode required_during_scheduling_ignored_during_execution;
  Mode preferred_during_scheduling_ignored_during_execution;

  /// Whether both modes permit what they have of this kind by what they list.
  template <class Kind>
  [[nodiscard, gnu::always_inline]] bool permits(const Kind& kind) const noexcept {
    return permits_each(required_during_scheduling_ignored_during_execution,
                        terms_of(kind.required_during_scheduling_ignored_during_execution)) &&
           permits_each(preferred_during_scheduling_ignored_during_execution,
                        terms_of(kind.preferred_during_scheduling_ignored_during_execution));
  }

  KindLookup() = default;
  /// `any`: the kind is permitted whole, whatever the two say.
  template <class Rule>
  KindLookup(const std::optional<AffinityModes<Rule>>& required,
             const std::optional<AffinityModes<Rule>>& allowed, bool any)
      : mentioned(any || required || allowed), asked(required == AffinityModes<Rule>{}) {
    any = any || asked || allowed == AffinityModes<Rule>{};
    const auto fill = [&](Mode& mode, std::optional<Rule> AffinityModes<Rule>::*rule) {
      std::vector<const Rule*> rules;
      if (required && (*required).*rule) {
        rules.push_back(&*((*required).*rule));
        mode.require(*rules.front());
      }
      if (allowed && (*allowed).*rule) rules.push_back(&*((*allowed).*rule));
      mode.mentioned = any || !rules.empty();
      mode.any = any;
      mode.permit(rules);
    };
    fill(required_during_scheduling_ignored_during_execution,
         &AffinityModes<Rule>::required_during_scheduling_ignored_during_execution);
    fill(preferred_during_scheduling_ignored_during_execution,
         &AffinityModes<Rule>::preferred_during_scheduling_ignored_during_execution);
  }
};

/// All rules of a merged spec.
struct Lookup {
  TextRule scheduler_names;       ///< the required, where any are required, otherwise all permitted
  TextRule priority_class_names;  ///< the same

  std::vector<std::pair<std::string, TextRule>>
      required_node_selectors;       ///< in byte order of the keys
  TextMap<TextRule> node_selectors;  ///< all keys that are mentioned, the required with any value
  bool any_node_selector = false;    ///< the other keys are permitted too

  std::vector<Pattern> required_tolerations;
  PatternIndex tolerations;                     ///< what `required` and `allowed` list
  std::vector<Toleration> default_tolerations;  ///< one for each value, each once
  TolerationSet default_toleration_set;         ///< the same

  bool required_affinities = false;  ///< `required` mentions a kind of affinity
  KindLookup<NodeModeLookup> node_affinity;
  KindLookup<PodModeLookup> pod_affinity;
  KindLookup<PodModeLookup> pod_anti_affinity;

  /// The default's required node terms as one term that asks for all of them, where `required`
  /// lists terms and the default has several; otherwise without terms.
  NodeSelector joined_default_terms;

  Lookup() = default;
  explicit Lookup(const SchedulingPolicySpec& spec)
      : scheduler_names(permitted(spec.required.scheduler_names, spec.allowed.scheduler_names,
                                  spec.defaults.scheduler_name)),
        priority_class_names(permitted(spec.required.priority_class_names,
                                       spec.allowed.priority_class_names,
                                       spec.defaults.priority_class_name)) {
    add_node_selectors(spec);
    add_tolerations(spec);
    add_affinities(spec);
    join_default_terms(spec);
  }

 private:
  static TextRule permitted(const Names& required, const Names& allowed,
                            const std::optional<std::string>& given) {
    return required ? TextRule(required) : TextRule(allowed, given ? &*given : nullptr);
  }

  void add_node_selectors(const SchedulingPolicySpec& spec) {
    const Labels none;
    const Labels& given = spec.defaults.node_selector ? *spec.defaults.node_selector : none;
    std::map<std::string_view, TextRule> rules;
    if (spec.required.node_selectors) {
      for (const auto& [key, values] : *spec.required.node_selectors) {
        required_node_selectors.emplace_back(key, TextRule(values));
        rules.try_emplace(key, TextRule(any));
      }
    }
    if (spec.allowed.node_selectors) {
      any_node_selector = spec.allowed.node_selectors->empty();
      for (const auto& [key, values] : *spec.allowed.node_selectors) {
        rules.try_emplace(key, TextRule(values, find_label(given, key)));
      }
    }
    for (const auto& [key, value] : given) {
      rules.try_emplace(key, TextRule(std::nullopt, &value));
    }
    node_selectors = TextMap<TextRule>(std::move(rules));
  }

  void add_tolerations(const SchedulingPolicySpec& spec) {
    std::vector<const TolerationPattern*> patterns;
    if (spec.required.tolerations) {
      for (const TolerationPattern& pattern : *spec.required.tolerations) {
        required_tolerations.emplace_back(pattern);
        patterns.push_back(&pattern);
      }
    }
    const TolerationPattern anything{any, any, any, any};
    if (spec.allowed.tolerations) {
      if (spec.allowed.tolerations->empty()) patterns.push_back(&anything);
      for (const TolerationPattern& pattern : *spec.allowed.tolerations) {
        patterns.push_back(&pattern);
      }
    }
    tolerations = PatternIndex(patterns);
    if (!spec.defaults.tolerations) return;
    const auto add_default = [&](const Toleration& toleration) {
      if (default_toleration_set.insert(toleration).second) {
        default_tolerations.push_back(toleration);
      }
    };
    for (const DefaultToleration& entry : *spec.defaults.tolerations) {
      Toleration toleration = entry.toleration;
      if (!entry.values) add_default(toleration);
      if (!entry.values) continue;
      for (const std::string& value : *entry.values) {
        toleration.value = value;
        add_default(toleration);
      }
    }
  }

  void join_default_terms(const SchedulingPolicySpec& spec) {
    if (node_affinity.required_during_scheduling_ignored_during_execution.required.empty()) return;
    if (!spec.defaults.affinity || !spec.defaults.affinity->node_affinity) return;
    const auto& selector =
        spec.defaults.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
    if (!selector || selector->node_selector_terms.size() < 2) return;
    const auto add = [](auto& joined, const auto& requirements) {
      for (const NodeSelectorRequirement& requirement : requirements) {
        if (std::find(joined.begin(), joined.end(), requirement) == joined.end())
          joined.push_back(requirement);
      }
    };
    NodeSelectorTerm joined;
    for (const NodeSelectorTerm& term : selector->node_selector_terms) {
      add(joined.match_expressions, term.match_expressions);
      add(joined.match_fields, term.match_fields);
    }
    joined_default_terms.node_selector_terms.push_back(std::move(joined));
  }

  void add_affinities(const SchedulingPolicySpec& spec) {
    const bool any = spec.allowed.affinities == AffinityRules{};
    const AffinityRules none;
    const AffinityRules& required = spec.required.affinities ? *spec.required.affinities : none;
    const AffinityRules& allowed = spec.allowed.affinities ? *spec.allowed.affinities : none;
    required_affinities = required != none;
    node_affinity = {required.node_affinities, allowed.node_affinities, any};
    pod_affinity = {required.pod_affinities, allowed.pod_affinities, any};
    pod_anti_affinity = {required.pod_anti_affinities, allowed.pod_anti_affinities, any};
  }
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/effective_policy.hpp

/// EffectivePolicy: the merged rules of all policies that apply to a pod, in a form made for
/// lookup, with the names of the policies behind every rule. Made by `merge`, taken by
/// `apply_defaults`, `check` and `admit`, which only read it: one value serves any number of
/// threads.

namespace schedpol::scheduling_policy {

/// Policy names by entry path (`required.nodeSelectors[disk]`, `allowed.tolerations[2]`), in the
/// order in which the policies counted.
using PolicyNames = std::map<std::string, std::vector<std::string>, std::less<>>;

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
  EffectivePolicy(SchedulingPolicySpec spec, std::vector<std::string> policies, Sources sources)
      : spec_(std::move(spec)),
        policies_(std::move(policies)),
        sources_(std::move(sources)),
        lookup_(spec_) {}

  /// Denies every pod, because two different policies are called `name`.
  [[nodiscard]] static EffectivePolicy ambiguous(std::string name) {
    EffectivePolicy effective;
    effective.ambiguous_ = true;
    effective.policies_.push_back(std::move(name));
    return effective;
  }

  /// The merged rules. Empty fields of `required` and `default` are absent from it.
  [[nodiscard]] const SchedulingPolicySpec& spec() const noexcept { return spec_; }

  /// The policies whose rules these are, in byte order; when ambiguous, the name that was used
  /// twice.
  [[nodiscard]] const std::vector<std::string>& policies() const noexcept { return policies_; }
  [[nodiscard]] const Sources& sources() const noexcept { return sources_; }
  [[nodiscard]] bool is_ambiguous() const noexcept { return ambiguous_; }

  /// The policies behind a place in the merged spec: those of the entry with this path, or of the
  /// entry around it (`simple_merge` takes `required.nodeSelectors` whole, so a key in it has its
  /// sources). None where no entry is.
  [[nodiscard]] std::vector<std::string> sources_of(std::string_view path) const {
    while (!path.empty()) {
      const auto found = sources_.entries.find(path);
      if (found != sources_.entries.end()) return found->second;
      const std::size_t cut = path.find_last_of(".[");
      path = path.substr(0, cut == std::string_view::npos ? 0 : cut);
    }
    return {};
  }

  /// The lookup form; what it holds is not part of the interface.
  [[nodiscard]] const detail::Lookup& lookup() const noexcept { return lookup_; }

 private:
  SchedulingPolicySpec spec_;
  std::vector<std::string> policies_;
  Sources sources_;
  bool ambiguous_ = false;
  detail::Lookup lookup_;
};

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
  require_any_scheduler,  ///< allowed only where `allowed.schedulerNames` is `[]`
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
[[nodiscard]] inline std::vector<Toleration> default_toleration_seconds(
    std::int64_t seconds = 300) {
  const auto toleration = [&](std::string_view key) {
    return Toleration{.key = std::string(key),
                      .operator_ = TolerationOperator::exists,
                      .value = {},
                      .effect = TaintEffect::no_execute,
                      .toleration_seconds = seconds};
  };
  return {toleration("node.kubernetes.io/not-ready"), toleration("node.kubernetes.io/unreachable")};
}

/// The tolerations that the DaemonSet controller adds to its pods, that for pods on the host
/// network included.
[[nodiscard]] inline std::vector<Toleration> daemon_set_tolerations() {
  const auto toleration = [](std::string_view key, TaintEffect effect) {
    return Toleration{.key = std::string(key),
                      .operator_ = TolerationOperator::exists,
                      .value = {},
                      .effect = effect,
                      .toleration_seconds = {}};
  };
  return {toleration("node.kubernetes.io/not-ready", TaintEffect::no_execute),
          toleration("node.kubernetes.io/unreachable", TaintEffect::no_execute),
          toleration("node.kubernetes.io/disk-pressure", TaintEffect::no_schedule),
          toleration("node.kubernetes.io/memory-pressure", TaintEffect::no_schedule),
          toleration("node.kubernetes.io/pid-pressure", TaintEffect::no_schedule),
          toleration("node.kubernetes.io/unschedulable", TaintEffect::no_schedule),
          toleration("node.kubernetes.io/network-unavailable", TaintEffect::no_schedule)};
}

/// The options with these tolerations and node selector pairs exempt as well: one of the presets
/// above, or what the RuntimeClass of a pod adds to it (`scheduling.tolerations`,
/// `scheduling.nodeSelector`).
[[nodiscard]] inline Options exempt(Options options, std::span<const Toleration> tolerations,
                                    const Labels& node_selector = {}) {
  options.exempt_tolerations.insert(options.exempt_tolerations.end(), tolerations.begin(),
                                    tolerations.end());
  for (const auto& [key, value] : node_selector) {
    options.exempt_node_selector[key] = value;
  }
  return options;
}

namespace detail {

inline bool is_exempt(const Toleration& toleration, const Options& options) noexcept {
  for (const Toleration& exempt : options.exempt_tolerations) {
    if (exempt == toleration) return true;
  }
  return false;
}

inline bool is_exempt(std::string_view key, std::string_view value,
                      const Options& options) noexcept {
  const std::string* exempt = find_label(options.exempt_node_selector, key);
  return exempt != nullptr && *exempt == value;
}

}  // namespace detail

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/inspection.hpp

/// One check of a pod while it runs: what the pod is held against, and what was found so far.

namespace schedpol::scheduling_policy::detail {

/// What builds the texts of a violation is `[[gnu::cold]]`: it stays out of the way of the pods
/// that are allowed.
struct Inspection {
  const Pod& pod;
  const EffectivePolicy& effective;
  const Options* options;  ///< null: the default ones, which then need not be made
  std::vector<Violation>& violations;

  /// Permitted by none of the policies.
  [[gnu::cold]] void deny(ViolationCode code, std::initializer_list<std::string_view> field,
                          std::string value) {
    add(code, field, std::move(value), effective.policies());
  }
  /// Required by the policies behind an entry.
  [[gnu::cold]] void require(ViolationCode code, std::initializer_list<std::string_view> field,
                             std::string value, std::string_view entry) {
    add(code, field, std::move(value), effective.sources_of(entry));
  }

  [[nodiscard]] bool is_exempt(std::string_view key, std::string_view value) const noexcept {
    return options != nullptr && detail::is_exempt(key, value, *options);
  }
  [[nodiscard]] bool is_exempt(const Toleration& toleration) const noexcept {
    return options != nullptr && detail::is_exempt(toleration, *options);
  }
  [[nodiscard]] bool holds_in_every_term() const noexcept {
    return options == nullptr || options->required_affinity == RequiredAffinity::every_term;
  }

 private:
  void add(ViolationCode code, std::initializer_list<std::string_view> field, std::string value,
           std::vector<std::string> policies) {
    std::string path = field_path(pod.kind, "");
    std::size_t size = path.size();
    for (const std::string_view part : field) size += part.size();
    path.reserve(size);
    for (const std::string_view part : field) path.append(part);
    violations.push_back({code, std::move(path), std::move(value), std::move(policies)});
  }
};

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/check_affinity.hpp

/// The affinity of a pod, item 6 of `check`: what it has is permitted, kind by kind, and what is
/// required of it is there.

namespace schedpol::scheduling_policy::detail {

using NodeTerms = std::vector<NodeSelectorTerm>;

/// The terms that a kind of affinity has in a mode; null where it has none, or is null itself.
template <class Kind>
auto required_terms_of(const Kind* kind) noexcept {
  using Terms = decltype(terms_of(kind->required_during_scheduling_ignored_during_execution));
  return kind == nullptr ? Terms{}
                         : terms_of(kind->required_during_scheduling_ignored_during_execution);
}
template <class Kind>
auto preferred_terms_of(const Kind* kind) noexcept {
  using Terms = decltype(terms_of(kind->preferred_during_scheduling_ignored_during_execution));
  return kind == nullptr ? Terms{}
                         : terms_of(kind->preferred_during_scheduling_ignored_during_execution);
}

/// An affinity of which these are the only terms.
inline NodeAffinity only(const NodeTerms& terms) {
  return {NodeSelector{terms}, {}};
}
inline NodeAffinity only(const std::vector<PreferredSchedulingTerm>& terms) {
  return {std::nullopt, terms};
}
inline PodAffinity only(const std::vector<PodAffinityTerm>& terms) {
  return {terms, {}};
}
inline PodAffinity only(const std::vector<WeightedPodAffinityTerm>& terms) {
  return {{}, terms};
}

// ---- what the pod has is permitted

inline bool has_operators(const NodeSelectorTerm& term) noexcept {
  const auto& [expressions, fields] = term;
  return std::all_of(expressions.begin(), expressions.end(), has_operator) &&
         std::all_of(fields.begin(), fields.end(), has_operator);
}

inline bool is_joined_default(const Inspection& inspection, const NodeTerms& terms) noexcept {
  return inspection.holds_in_every_term() && !terms.empty() &&
         terms == inspection.effective.lookup().joined_default_terms.node_selector_terms;
}
inline bool is_joined_default(const Inspection&,
                              const std::vector<PreferredSchedulingTerm>&) noexcept {
  return false;
}

/// Whether all the mode may hold is what the policy's default gives, or permitted as such.
template <class Terms>
bool permits_whole(const Inspection& inspection, const NodeModeLookup& rules, const Terms& terms,
                   const Terms* given) noexcept {
  const bool whole =
      rules.any || (given != nullptr && terms == *given) || is_joined_default(inspection, terms);
  return whole && std::all_of(terms.begin(), terms.end(),
                              [](const auto& term) { return has_operators(expressions_of(term)); });
}
template <class Terms>
bool permits_whole(const Inspection&, const PodModeLookup& rules, const Terms& terms,
                   const Terms* given) noexcept {
  return rules.any || (given != nullptr && terms == *given);
}

/// What stands around the index of a term in its path.
struct IndexPath {
  std::string_view before;
  std::string_view after;
};
constexpr IndexPath index_path(const NodeSelectorTerm&) noexcept {
  return {".nodeSelectorTerms[", "]"};
}
constexpr IndexPath index_path(const PreferredSchedulingTerm&) noexcept {
  return {"[", "].preference"};
}
constexpr IndexPath index_path(const PodAffinityTerm&) noexcept {
  return {"[", "]"};
}
constexpr IndexPath index_path(const WeightedPodAffinityTerm&) noexcept {
  return {"[", "].podAffinityTerm"};
}

/// Denies each part of the terms that is not permitted by itself, if there is any.
template <class Terms>
void deny_terms(Inspection& inspection, std::string_view kind, std::string_view mode,
                const NodeModeLookup& rules, const Terms& terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto& [expressions, fields] = expressions_of(terms[i]);
    const auto deny_list = [&](std::string_view list, const PatternIndex& permitted,
                               const std::vector<NodeSelectorRequirement>& requirements) {
      for (std::size_t j = 0; j < requirements.size(); ++j) {
        if (permitted.matches(requirements[j])) continue;
        const auto [before, after] = index_path(terms[i]);
        inspection.deny(ViolationCode::affinity_not_allowed,
                        {"spec.affinity.", kind, ".", mode, before, std::to_string(i), after, ".",
                         list, "[", std::to_string(j), "]"},
                        to_string(requirements[j]));
      }
    };
    deny_list("matchExpressions", rules.expressions, expressions);
    deny_list("matchFields", rules.fields, fields);
  }
}
template <class Terms>
void deny_terms(Inspection& inspection, std::string_view kind, std::string_view mode,
                const PodModeLookup& rules, const Terms& terms) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (rules.permits(terms[i])) continue;
    const auto [before, after] = index_path(terms[i]);
    inspection.deny(
        ViolationCode::affinity_not_allowed,
        {"spec.affinity.", kind, ".", mode, before, std::to_string(i), after, ".topologyKey"},
        topology_key_of(terms[i]));
  }
}

/// A kind of which not everything is permitted by what is listed.
template <class Mode, class Kind>
[[gnu::noinline]] void check_unlisted(Inspection& inspection, std::string_view kind,
                                      const KindLookup<Mode>& lookup, const Kind& pod,
                                      const Kind* given) {
  if (!lookup.mentioned && !required_terms_of(given) && !preferred_terms_of(given)) {
    return inspection.deny(ViolationCode::affinity_not_allowed, {"spec.affinity.", kind},
                           to_string(pod));
  }
  const auto check_mode = [&](std::string_view mode, const Mode& rules, const auto* terms,
                              const auto* given_terms) {
    if (terms == nullptr || permits_whole(inspection, rules, *terms, given_terms)) return;
    if (rules.mentioned) return deny_terms(inspection, kind, mode, rules, *terms);
    inspection.deny(ViolationCode::affinity_not_allowed, {"spec.affinity.", kind, ".", mode},
                    to_string(only(*terms)));
  };
  check_mode(required_mode, lookup.required_during_scheduling_ignored_during_execution,
             required_terms_of(&pod), required_terms_of(given));
  check_mode(preferred_mode, lookup.preferred_during_scheduling_ignored_during_execution,
             preferred_terms_of(&pod), preferred_terms_of(given));
}

// ---- what is required is there

/// The entry of a policy that asks for a kind: `required.affinities.nodeAffinities` for
/// `nodeAffinity`.
inline std::string required_entry(std::string_view kind) {
  return "required.affinities." + std::string(kind.substr(0, kind.size() - 1)) + "ies";
}

inline void require_mode(Inspection& inspection, std::string_view kind, std::string_view mode,
                         std::string value) {
  inspection.require(ViolationCode::affinity_required, {"spec.affinity.", kind, ".", mode},
                     std::move(value), required_entry(kind) + "." + std::string(mode));
}

template <class Terms>
std::string required_term_text(const EffectivePolicy& effective, std::size_t i) {
  const NodeAffinityRules& rules = *effective.spec().required.affinities->node_affinities;
  const auto& rule = std::is_same_v<Terms, NodeTerms>
                         ? rules.required_during_scheduling_ignored_during_execution
                         : rules.preferred_during_scheduling_ignored_during_execution;
  return to_string(rule->node_selector_terms[i]);
}

template <class Terms>
void check_required_mode(Inspection& inspection, std::string_view kind, std::string_view mode,
                         const NodeModeLookup& rules, const Terms* terms) {
  if (rules.asked && terms == nullptr) require_mode(inspection, kind, mode, "");
  for (std::size_t i = 0; i < rules.required.size(); ++i) {
    const auto term_holds = [&](const auto& term) {
      return rules.required[i].holds(expressions_of(term));
    };
    const bool every = std::is_same_v<Terms, NodeTerms> && inspection.holds_in_every_term();
    const bool holds =
        terms != nullptr && (every ? std::all_of(terms->begin(), terms->end(), term_holds)
                                   : std::any_of(terms->begin(), terms->end(), term_holds));
    if (holds) continue;
    require_mode(inspection, kind, mode, required_term_text<Terms>(inspection.effective, i));
  }
}
template <class Terms>
void check_required_mode(Inspection& inspection, std::string_view kind, std::string_view mode,
                         const PodModeLookup& rules, const Terms* terms) {
  if (rules.asked && terms == nullptr) require_mode(inspection, kind, mode, "");
  if (rules.required.empty()) return;
  const bool holds =
      terms != nullptr && std::any_of(terms->begin(), terms->end(), [&](const auto& term) {
        return rules.required.contains(topology_key_of(term));
      });
  if (holds) return;
  std::string text;
  for (const std::string_view key : rules.required.texts())
    text.append(text.empty() ? "topologyKey " : " or ").append(key);
  require_mode(inspection, kind, mode, std::move(text));
}

template <class Mode, class Kind>
[[gnu::noinline]] void check_required(Inspection& inspection, std::string_view kind,
                                      const KindLookup<Mode>& lookup, const Kind* pod) {
  const auto* required = required_terms_of(pod);
  const auto* preferred = preferred_terms_of(pod);
  if (lookup.asked && required == nullptr && preferred == nullptr) {
    inspection.require(ViolationCode::affinity_required, {"spec.affinity.", kind}, "",
                       required_entry(kind));
  }
  check_required_mode(inspection, kind, required_mode,
                      lookup.required_during_scheduling_ignored_during_execution, required);
  check_required_mode(inspection, kind, preferred_mode,
                      lookup.preferred_during_scheduling_ignored_during_execution, preferred);
}

// ---- both, for each kind

[[gnu::always_inline]] inline void check_affinity(Inspection& inspection) {
  const Lookup& lookup = inspection.effective.lookup();
  const std::optional<Affinity>& affinity = inspection.pod.spec.affinity;
  const auto kind_of = [](const std::optional<Affinity>& from, auto member) {
    return from && (*from).*member ? &*((*from).*member) : nullptr;
  };
  if (affinity) {
    const std::optional<Affinity>& given = inspection.effective.spec().defaults.affinity;
    if (affinity->node_affinity && !lookup.node_affinity.permits(*affinity->node_affinity)) {
      check_unlisted(inspection, "nodeAffinity", lookup.node_affinity, *affinity->node_affinity,
                     kind_of(given, &Affinity::node_affinity));
    }
    if (affinity->pod_affinity && !lookup.pod_affinity.permits(*affinity->pod_affinity)) {
      check_unlisted(inspection, "podAffinity", lookup.pod_affinity, *affinity->pod_affinity,
                     kind_of(given, &Affinity::pod_affinity));
    }
    if (affinity->pod_anti_affinity &&
        !lookup.pod_anti_affinity.permits(*affinity->pod_anti_affinity)) {
      check_unlisted(inspection, "podAntiAffinity", lookup.pod_anti_affinity,
                     *affinity->pod_anti_affinity, kind_of(given, &Affinity::pod_anti_affinity));
    }
  }
  if (!lookup.required_affinities) return;
  const auto require = [&](std::string_view kind, const auto& rules, auto member) {
    check_required(inspection, kind, rules, kind_of(affinity, member));
  };
  require("nodeAffinity", lookup.node_affinity, &Affinity::node_affinity);
  require("podAffinity", lookup.pod_affinity, &Affinity::pod_affinity);
  require("podAntiAffinity", lookup.pod_anti_affinity, &Affinity::pod_anti_affinity);
}

}  // namespace schedpol::scheduling_policy::detail

// schedpol/scheduling_policy/check.hpp

/// Whether a pod, as it stands, is permitted by an effective policy, and if not, everything that is
/// wrong with it. Permitted is what `required`, `allowed` or `default` says: what is required is
/// allowed, and so is what a policy itself injects. The rules, in the order of the violations:
///
/// 1. Scheduler name (`default-scheduler` when the pod has none): one of the required, where any
///    are required; otherwise permitted.
/// 2. Node name: allowed only where `allowed.schedulerNames` is `[]`.
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
/// A toleration or expression with an operator or effect that Kubernetes does not know, and an
/// expression without an operator, is never permitted. Source: the SchedulingPolicy proposal,
/// "Detailed Design".

namespace schedpol::scheduling_policy {

namespace detail {

// The checks of items are inlined into one function. What only a violation needs is cold, what few
// pods need is not inlined: both would take the registers of what every pod needs.

/// How the violation of a name is reported: by the rules that require one, or by none that allows
/// it.
struct NameViolation {
  std::string_view field;
  ViolationCode required;
  ViolationCode not_allowed;
  std::string_view entry;
};

[[gnu::cold]] inline void report_name(Inspection& inspection, const NameViolation& violation,
                                      bool required, std::string_view name) {
  if (required) {
    inspection.require(violation.required, {violation.field}, std::string(name), violation.entry);
  } else {
    inspection.deny(violation.not_allowed, {violation.field}, std::string(name));
  }
}

[[gnu::always_inline]] inline void check_scheduler_name(Inspection& inspection) {
  const PodSpec& spec = inspection.pod.spec;
  const std::string_view name =
      spec.scheduler_name.empty() ? default_scheduler_name : std::string_view(spec.scheduler_name);
  const TextRule& names = inspection.effective.lookup().scheduler_names;
  if (names.permits<Search::few>(name) || names.permits<Search::all>(name)) return;
  static constexpr NameViolation violation = {
      "spec.schedulerName", ViolationCode::scheduler_name_required,
      ViolationCode::scheduler_name_not_allowed, "required.schedulerNames"};
  report_name(inspection, violation,
              inspection.effective.spec().required.scheduler_names.has_value(), name);
}

[[gnu::cold]] inline void check_given_node_name(Inspection& inspection) {
  const Names& allowed = inspection.effective.spec().allowed.scheduler_names;
  if (allowed && allowed->empty()) return;
  if (inspection.options != nullptr && inspection.options->node_name == NodeName::ignore) return;
  inspection.deny(ViolationCode::node_name_not_allowed, {"spec.nodeName"},
                  inspection.pod.spec.node_name);
}

/// Whether the pod has no priority class, or the one that the cluster gives to such pods.
inline bool has_no_priority_class(const Inspection& inspection) noexcept {
  const std::string& name = inspection.pod.spec.priority_class_name;
  if (name.empty()) return true;
  return inspection.options != nullptr &&
         name == inspection.options->global_default_priority_class &&
         name != inspection.effective.spec().defaults.priority_class_name;
}

[[gnu::always_inline]] inline void check_priority_class_name(Inspection& inspection) {
  const std::string& name = inspection.pod.spec.priority_class_name;
  const bool required = inspection.effective.spec().required.priority_class_names.has_value();
  if (has_no_priority_class(inspection)) {
    if (!required) return;
  } else {
    const TextRule& names = inspection.effective.lookup().priority_class_names;
    if (names.permits<Search::few>(name) || names.permits<Search::all>(name)) return;
  }
  static constexpr NameViolation violation = {
      "spec.priorityClassName", ViolationCode::priority_class_name_required,
      ViolationCode::priority_class_name_not_allowed, "required.priorityClassNames"};
  report_name(inspection, violation, required, name);
}

/// The value is null where the pod does not have the key, or only as an exempt pair.
[[gnu::cold]] inline void report_required_label(Inspection& inspection, const std::string& key,
                                                const std::string* value) {
  inspection.require(ViolationCode::node_selector_required, {"spec.nodeSelector[", key, "]"},
                     value == nullptr ? std::string() : *value,
                     "required.nodeSelectors[" + key + "]");
}

[[gnu::always_inline]] inline void check_required_labels(Inspection& inspection) {
  for (const auto& [key, values] : inspection.effective.lookup().required_node_selectors) {
    const std::string* value = find_label(inspection.pod.spec.node_selector, key);
    if (value != nullptr && inspection.is_exempt(key, *value)) value = nullptr;
    if (value == nullptr || !values.permits(*value)) report_required_label(inspection, key, value);
  }
}

/// Whether a pair is permitted, by a required key as such: its value was looked at already.
template <Search search>
[[gnu::always_inline]] inline bool permits(const Lookup& lookup, std::string_view key,
                                           std::string_view value) noexcept {
  const TextRule* values = lookup.node_selectors.find<search>(key);
  return values != nullptr && values->permits<search>(value);
}

[[gnu::cold]] inline void report_label(Inspection& inspection, const std::string& key,
                                       const std::string& value) {
  if (inspection.is_exempt(key, value)) return;
  inspection.deny(ViolationCode::node_selector_not_allowed, {"spec.nodeSelector[", key, "]"},
                  value);
}

[[gnu::always_inline]] inline void check_labels(Inspection& inspection) {
  const Lookup& lookup = inspection.effective.lookup();
  if (lookup.any_node_selector) return;
  for (const auto& [key, value] : inspection.pod.spec.node_selector) {
    if (permits<Search::few>(lookup, key, value) || permits<Search::all>(lookup, key, value))
      continue;
    report_label(inspection, key, value);
  }
}

/// Whether a toleration that no pattern matches as it stands is permitted as a default, or effect
/// by effect.
inline bool permits_otherwise(const Lookup& lookup, const Toleration& toleration) noexcept {
  if (!toleration.operator_.known() || !toleration.effect.known()) return false;
  const auto is_default = [&](TaintEffect effect) {
    return lookup.default_toleration_set.contains(TolerationKey{toleration, effect});
  };
  if (is_default(toleration.effect.word())) return true;
  return toleration.effect == TaintEffect::unset &&
         std::all_of(taint_effects.begin(), taint_effects.end(), [&](TaintEffect effect) {
           return is_default(effect) || lookup.tolerations.matches(toleration, effect);
         });
}

/// A toleration that no pattern matches as it stands.
[[gnu::noinline]] inline void check_unlisted(Inspection& inspection, const Toleration& toleration) {
  if (permits_otherwise(inspection.effective.lookup(), toleration)) return;
  if (inspection.is_exempt(toleration)) return;
  const auto index = &toleration - inspection.pod.spec.tolerations.data();
  inspection.deny(ViolationCode::toleration_not_allowed,
                  {"spec.tolerations[", std::to_string(index), "]"}, to_string(toleration));
}

[[gnu::always_inline]] inline void check_tolerations(Inspection& inspection) {
  for (const Toleration& toleration : inspection.pod.spec.tolerations) {
    if (!inspection.effective.lookup().tolerations.matches(toleration, toleration.effect.word())) {
      check_unlisted(inspection, toleration);
    }
  }
}

[[gnu::noinline]] inline void check_required_tolerations(Inspection& inspection) {
  const std::vector<Pattern>& required = inspection.effective.lookup().required_tolerations;
  const std::vector<Toleration>& tolerations = inspection.pod.spec.tolerations;
  for (std::size_t i = 0; i < required.size(); ++i) {
    const auto meets = [&](const Toleration& toleration) {
      return required[i].matches(toleration) && !inspection.is_exempt(toleration);
    };
    if (std::any_of(tolerations.begin(), tolerations.end(), meets)) continue;
    inspection.require(ViolationCode::toleration_required, {"spec.tolerations"},
                       to_string((*inspection.effective.spec().required.tolerations)[i]),
                       "required.tolerations");
  }
}

[[gnu::always_inline]] inline void check_items(Inspection& inspection) {
  const Lookup& lookup = inspection.effective.lookup();
  check_scheduler_name(inspection);
  if (!inspection.pod.spec.node_name.empty()) check_given_node_name(inspection);
  check_priority_class_name(inspection);
  check_required_labels(inspection);
  check_labels(inspection);
  check_tolerations(inspection);
  if (!lookup.required_tolerations.empty()) check_required_tolerations(inspection);
  check_affinity(inspection);
}
/// The violations item by item, where there is no policy too: then nothing is permitted.
inline std::vector<Violation> check_items(const Pod& pod, const EffectivePolicy& effective,
                                          const Options* options) {
  std::vector<Violation> violations;
  Inspection inspection{pod, effective, options, violations};
  check_items(inspection);
  return violations;
}

[[gnu::cold]] inline std::vector<Violation> check_without_policy(const Pod& pod,
                                                                 const EffectivePolicy& effective) {
  std::vector<Violation> violations;
  Inspection{pod, effective, nullptr, violations}.deny(
      effective.is_ambiguous() ? ViolationCode::ambiguous_policy : ViolationCode::no_usable_policy,
      {"spec"}, "");
  return violations;
}

inline std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                    const Options* options) {
  if (effective.policies().empty() || effective.is_ambiguous()) {
    return check_without_policy(pod, effective);
  }
  return check_items(pod, effective, options);
}

}  // namespace detail

/// Every violation of the pod, none when it is allowed. Allocates nothing when there is none.
[[nodiscard]] inline std::vector<Violation> check(const Pod& pod,
                                                  const EffectivePolicy& effective) {
  return detail::check(pod, effective, nullptr);
}
[[nodiscard]] inline std::vector<Violation> check(const Pod& pod, const EffectivePolicy& effective,
                                                  const Options& options) {
  return detail::check(pod, effective, &options);
}

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
    default_scheduler_name();
    default_priority_class_name();
    default_node_selector();
    default_tolerations();
    if (defaults_.affinity) {
      default_node_affinity();
      default_pod_affinity("podAffinity", defaults_.affinity->pod_affinity,
                           &Affinity::pod_affinity);
      default_pod_affinity("podAntiAffinity", defaults_.affinity->pod_anti_affinity,
                           &Affinity::pod_anti_affinity);
    }
    return std::move(result_);
  }

 private:
  PodSpec& spec() { return result_.pod.spec; }

  void note(std::string_view field, std::optional<std::string> from, std::optional<std::string> to,
            std::string_view entry) {
    auto policies = effective_.sources_of(entry);
    result_.changes.push_back({field_path(result_.pod.kind, field), std::move(from), std::move(to),
                               policies.empty() ? std::string() : std::move(policies.front())});
  }

  static std::optional<std::string> if_not_empty(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
  }

  void default_scheduler_name() {
    std::string& name = spec().scheduler_name;
    const bool unspecified =
        name.empty() || (options_.default_scheduler == DefaultScheduler::unspecified &&
                         name == default_scheduler_name_of_kubernetes);
    if (!defaults_.scheduler_name || !unspecified || name == *defaults_.scheduler_name) return;
    note("spec.schedulerName", if_not_empty(name), defaults_.scheduler_name,
         "default.schedulerName");
    name = *defaults_.scheduler_name;
  }

  void default_priority_class_name() {
    constexpr std::string_view entry = "default.priorityClassName";
    std::string& name = spec().priority_class_name;
    const bool unspecified = name.empty() || name == options_.global_default_priority_class;
    if (!defaults_.priority_class_name || !unspecified || name == *defaults_.priority_class_name)
      return;
    note("spec.priorityClassName", if_not_empty(name), defaults_.priority_class_name, entry);
    name = *defaults_.priority_class_name;
    if (spec().priority) {
      note("spec.priority", std::to_string(*spec().priority), std::nullopt, entry);
      spec().priority.reset();
    }
    if (!spec().preemption_policy.empty()) {
      note("spec.preemptionPolicy", spec().preemption_policy, std::nullopt, entry);
      spec().preemption_policy.clear();
    }
  }

  void default_node_selector() {
    if (!defaults_.node_selector) return;
    for (const auto& [key, value] : *defaults_.node_selector) {
      if (!spec().node_selector.try_emplace(key, value).second) continue;
      note("spec.nodeSelector[" + key + "]", std::nullopt, value,
           "default.nodeSelector[" + key + "]");
    }
  }

  void default_tolerations() {
    auto& tolerations = spec().tolerations;
    for (const Toleration& toleration : tolerations) {
      if (!is_exempt(toleration, options_)) return;  // the pod specifies its own
    }
    const TolerationSet exempt(tolerations.begin(), tolerations.end());
    for (const Toleration& toleration : effective_.lookup().default_tolerations) {
      if (exempt.contains(toleration)) continue;
      note("spec.tolerations[" + std::to_string(tolerations.size()) + "]", std::nullopt,
           to_string(toleration), "default.tolerations");
      tolerations.push_back(toleration);
    }
  }

  /// The entry behind a kind of default affinity: that of its required mode, where it has one.
  std::string entry_of(std::string_view kind) const {
    const std::string path = "default.affinity." + std::string(kind);
    std::string entry = path + ".requiredDuringSchedulingIgnoredDuringExecution";
    if (effective_.sources().entries.contains(entry)) return entry;
    return path + ".preferredDuringSchedulingIgnoredDuringExecution";
  }

  Affinity& affinity() {
    if (!spec().affinity) spec().affinity.emplace();
    return *spec().affinity;
  }

  void default_node_affinity() {
    if (!has_terms(defaults_.affinity->node_affinity)) return;
    if (spec().affinity && has_terms(spec().affinity->node_affinity)) return;
    NodeAffinity node = *defaults_.affinity->node_affinity;
    const NodeSelector& joined = effective_.lookup().joined_default_terms;
    if (options_.required_affinity == RequiredAffinity::every_term &&
        !joined.node_selector_terms.empty()) {
      node.required_during_scheduling_ignored_during_execution.emplace(joined);
    }
    note("spec.affinity.nodeAffinity", std::nullopt, to_string(node), entry_of("nodeAffinity"));
    affinity().node_affinity = std::move(node);
  }

  void default_pod_affinity(std::string_view kind, const std::optional<PodAffinity>& from,
                            std::optional<PodAffinity> Affinity::*member) {
    if (!has_terms(from)) return;
    if (spec().affinity && has_terms((*spec().affinity).*member)) return;
    note("spec.affinity." + std::string(kind), std::nullopt, to_string(*from), entry_of(kind));
    (affinity().*member).emplace(*from);
  }

  static constexpr std::string_view default_scheduler_name_of_kubernetes =
      schedpol::default_scheduler_name;

  const EffectivePolicy& effective_;
  const Defaults& defaults_;
  const Options& options_;
  Defaulted result_;
};

}  // namespace detail

/// The pod with the defaults of `effective`; idempotent. A change names the first of the policies
/// that the default came from. An effective policy without defaults, the empty and the ambiguous
/// one included, changes nothing. Says nothing about whether the pod is allowed.
[[nodiscard]] inline Defaulted apply_defaults(Pod pod, const EffectivePolicy& effective,
                                              const Options& options = {}) {
  return detail::Defaulter(std::move(pod), effective, options).run();
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/admit.hpp

/// The whole decision of the SchedulingPolicy admission controller on a new pod: defaults first,
/// then the check of what came out. For updates there is `check_update`, which never defaults.

namespace schedpol::scheduling_policy {

/// Allowed: the pod with its defaults, and what they changed. Denied: the pod as it came, and every
/// violation that it has with its defaults. Admitting the result again allows it and changes
/// nothing.
[[nodiscard]] inline Admission admit(Pod pod, const EffectivePolicy& effective,
                                     const Options& options = {}) {
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

// schedpol/scheduling_policy/builtin.hpp

/// The policies that the SchedulingPolicy proposal wants in every cluster, as values. The RBAC
/// objects that let pods use them are in `rbac/builtin.hpp`. Source: the SchedulingPolicy proposal,
/// "Default SchedulingPolicies".

namespace schedpol::scheduling_policy {

/// How the multi-architecture policies name architectures and operating systems.
enum class NodeLabels {
  current,   ///< `kubernetes.io/arch`, `kubernetes.io/os`, with values as nodes carry them: `linux`
  proposal,  ///< the proposal's text to the letter: `beta.kubernetes.io/...`, `Linux`; no node has
             ///< them
};

/// Only the default scheduler; no priority class, toleration, node selector or affinity.
[[nodiscard]] inline SchedulingPolicy restricted() {
  SchedulingPolicy policy;
  policy.metadata.name = "restricted";
  policy.spec.allowed.scheduler_names = {{std::string(default_scheduler_name)}};
  return policy;
}

/// All schedulers, priority classes, node selectors, tolerations and affinities.
[[nodiscard]] inline SchedulingPolicy privileged() {
  SchedulingPolicy policy;
  policy.metadata.name = "privileged";
  policy.spec.allowed = {.scheduler_names = any,
                         .priority_class_names = any,
                         .node_selectors = any,
                         .tolerations = any,
                         .affinities = any};
  return policy;
}

namespace detail {

struct Platforms {
  std::string arch_label{};
  std::string os_label{};
  std::string linux_name{};
  std::string windows_name{};
};

inline Platforms platforms(NodeLabels labels) {
  if (labels == NodeLabels::proposal) {
    return {"beta.kubernetes.io/arch", "beta.kubernetes.io/os", "Linux", "Windows"};
  }
  return {"kubernetes.io/arch", "kubernetes.io/os", "linux", "windows"};
}

/// The default scheduler, required and given.
inline SchedulingPolicy restricted_multiarch(std::string name) {
  SchedulingPolicy policy;
  policy.metadata.name = std::move(name);
  policy.spec.required.scheduler_names = {{std::string(default_scheduler_name)}};
  policy.spec.defaults.scheduler_name = default_scheduler_name;
  return policy;
}

}  // namespace detail

/// The default scheduler, and a node selector that picks one architecture of amd64 and arm64 and
/// one operating system of Linux and Windows; amd64 and Linux by default.
[[nodiscard]] inline SchedulingPolicy restricted_multiarch_by_node_selector(
    NodeLabels labels = NodeLabels::current) {
  const detail::Platforms names = detail::platforms(labels);
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-node-selector");
  policy.spec.required.node_selectors =
      NodeSelectors{{names.arch_label, {{"amd64", "arm64"}}},
                    {names.os_label, {{names.linux_name, names.windows_name}}}};
  policy.spec.defaults.node_selector =
      Labels{{names.arch_label, "amd64"}, {names.os_label, names.linux_name}};
  return policy;
}

/// The same by required node affinity.
[[nodiscard]] inline SchedulingPolicy restricted_multiarch_by_affinity(
    NodeLabels labels = NodeLabels::current) {
  const detail::Platforms names = detail::platforms(labels);
  const auto pattern = [](const std::string& key, std::vector<std::string> values) {
    return TermPattern{
        .match_expressions = {{RequirementPattern{.keys = {{key}},
                                                  .operators = {{NodeSelectorOperator::in}},
                                                  .values = std::move(values)}}},
        .match_fields = {}};
  };
  const auto term = [](const std::string& key, const std::string& value) {
    return NodeSelectorTerm{.match_expressions = {{key, NodeSelectorOperator::in, {value}}},
                            .match_fields = {}};
  };
  SchedulingPolicy policy = detail::restricted_multiarch("restricted-multiarch-by-affinity");
  NodeAffinityRule& rule = policy.spec.required.affinities.emplace()
                               .node_affinities.emplace()
                               .required_during_scheduling_ignored_during_execution.emplace();
  rule.node_selector_terms.push_back(pattern(names.arch_label, {"amd64", "arm64"}));
  rule.node_selector_terms.push_back(
      pattern(names.os_label, {names.linux_name, names.windows_name}));
  NodeSelector& given = policy.spec.defaults.affinity.emplace()
                            .node_affinity.emplace()
                            .required_during_scheduling_ignored_during_execution.emplace();
  given.node_selector_terms.push_back(term(names.arch_label, "amd64"));
  given.node_selector_terms.push_back(term(names.os_label, names.linux_name));
  return policy;
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/check_update.hpp

/// Whether an update of a pod or template is permitted. An update never defaults, and is denied
/// only for what it adds: a metadata edit of a running pod is not refused for a policy that came
/// later, while an added toleration is always checked.

namespace schedpol::scheduling_policy {

namespace detail {

/// The field of a violation without the indices of its lists, which an update may shift:
/// `spec.tolerations[2]` becomes `spec.tolerations[]`. What stands in the brackets of a node
/// selector is a key and stays.
inline std::string field_without_indices(const Violation& violation) {
  const bool is_key = violation.code == ViolationCode::node_selector_required ||
                      violation.code == ViolationCode::node_selector_not_allowed;
  if (is_key) return violation.field;
  std::string text;
  bool in_brackets = false;
  for (const char c : violation.field) {
    if (c == ']') in_brackets = false;
    if (!in_brackets) text += c;
    if (c == '[') in_brackets = true;
  }
  return text;
}

/// What tells the violations of a pod apart.
struct Identity {
  ViolationCode code = ViolationCode::no_usable_policy;
  std::string field{};
  std::string value{};

  friend bool operator<(const Identity& a, const Identity& b) noexcept {
    if (a.code != b.code) return a.code < b.code;
    if (a.field != b.field) return a.field < b.field;
    return a.value < b.value;
  }
};

inline Identity identity_of(const Violation& violation) {
  return {violation.code, field_without_indices(violation), violation.value};
}

}  // namespace detail

/// The violations of `updated` that `old` did not have; violations are told apart by code, field
/// without its list indices, and value. Without any usable policy, or with an ambiguous one, that
/// is the one violation of `check`, when the update asks for anything that `old` did not.
[[nodiscard]] inline std::vector<Violation> check_update(const Pod& old, const Pod& updated,
                                                         const EffectivePolicy& effective,
                                                         const Options& options = {}) {
  std::vector<Violation> violations = detail::check_items(updated, effective, &options);
  if (violations.empty()) return violations;
  std::set<detail::Identity> before;
  for (const Violation& v : detail::check_items(old, effective, &options)) {
    before.insert(detail::identity_of(v));
  }
  std::erase_if(violations,
                [&](const Violation& v) { return before.contains(detail::identity_of(v)); });
  const bool decides = !effective.policies().empty() && !effective.is_ambiguous();
  if (violations.empty() || decides) return violations;
  return check(updated, effective, options);
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/merge.hpp

/// How several usable policies become one set of rules. Policies count in byte order of their
/// names, so the order in which they are given does not matter, nor does giving one twice.
///
/// 1. `smart_deep_merge`: `required` and `default` are first-seen-wins per sub-key (a name list
///    or a toleration list is one; node selectors per key; affinities per kind, then per mode).
///    `allowed` is additive at every level; "any" absorbs the rest at the level where it stands;
///    order of first sight, no duplicates.
/// 2. `first_seen_wins`: the first policy, alone.
/// 3. `simple_merge`: first-seen-wins per second-level entry (`required.nodeSelectors`, ...).
///
/// Fields that `validate` refuses for being empty (any of `required`, any of `default`) are taken
/// as absent, so they never hide another policy's. Source: the SchedulingPolicy proposal, "Multiple
/// SchedulingPolicies considerations".

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

namespace detail {

/// Calls `f(path, field)` for both modes of a kind of affinity below `path`, for one or more
/// objects at once: the fields of all of them, side by side.
template <class F, class... Modes>
void for_each_mode(const std::string& path, F&& f, Modes&&... modes) {
  f(path + "." + std::string(required_mode),
    modes.required_during_scheduling_ignored_during_execution...);
  f(path + "." + std::string(preferred_mode),
    modes.preferred_during_scheduling_ignored_during_execution...);
}

/// The same for the kinds in the rules of a section.
template <class F, class... Rules_>
void for_each_kind(const std::string& path, F&& f, Rules_&&... rules) {
  f(path + ".nodeAffinities", rules.node_affinities...);
  f(path + ".podAffinities", rules.pod_affinities...);
  f(path + ".podAntiAffinities", rules.pod_anti_affinities...);
}

/// The same for the kinds in the affinity of a default.
template <class F, class... Affinities>
void for_each_default_kind(const std::string& path, F&& f, Affinities&&... affinities) {
  f(path + ".nodeAffinity", affinities.node_affinity...);
  f(path + ".podAffinity", affinities.pod_affinity...);
  f(path + ".podAntiAffinity", affinities.pod_anti_affinity...);
}

/// The same for the entries of a whole spec, one by one: the second level of the document.
template <class F, class... Specs>
void for_each_entry(F&& f, Specs&&... specs) {
  f("required.schedulerNames", specs.required.scheduler_names...);
  f("required.priorityClassNames", specs.required.priority_class_names...);
  f("required.nodeSelectors", specs.required.node_selectors...);
  f("required.tolerations", specs.required.tolerations...);
  f("required.affinities", specs.required.affinities...);
  f("allowed.schedulerNames", specs.allowed.scheduler_names...);
  f("allowed.priorityClassNames", specs.allowed.priority_class_names...);
  f("allowed.nodeSelectors", specs.allowed.node_selectors...);
  f("allowed.tolerations", specs.allowed.tolerations...);
  f("allowed.affinities", specs.allowed.affinities...);
  f("default.schedulerName", specs.defaults.scheduler_name...);
  f("default.priorityClassName", specs.defaults.priority_class_name...);
  f("default.nodeSelector", specs.defaults.node_selector...);
  f("default.tolerations", specs.defaults.tolerations...);
  f("default.affinity", specs.defaults.affinity...);
}

template <class T>
void drop_if_empty(std::optional<T>& field) {
  if (field && field->empty()) field.reset();
}

/// The spec as evaluation sees it: empty fields of `required` and `default` are absent.
inline SchedulingPolicySpec without_empty_fields(SchedulingPolicySpec spec) {
  Rules& required = spec.required;
  drop_if_empty(required.scheduler_names);
  drop_if_empty(required.priority_class_names);
  drop_if_empty(required.node_selectors);
  drop_if_empty(required.tolerations);
  if (required.affinities == AffinityRules{}) required.affinities.reset();

  Defaults& defaults = spec.defaults;
  drop_if_empty(defaults.scheduler_name);
  drop_if_empty(defaults.priority_class_name);
  drop_if_empty(defaults.node_selector);
  drop_if_empty(defaults.tolerations);
  if (defaults.tolerations) {
    for (DefaultToleration& entry : *defaults.tolerations) drop_if_empty(entry.values);
  }
  if (defaults.affinity) {
    const auto drop_without_terms = [](const std::string&, auto& kind) {
      if (!has_terms(kind)) kind.reset();
    };
    for_each_default_kind("", drop_without_terms, *defaults.affinity);
    if (defaults.affinity->node_affinity) {
      auto& node =
          defaults.affinity->node_affinity->required_during_scheduling_ignored_during_execution;
      if (node && node->node_selector_terms.empty()) node.reset();
    }
    if (*defaults.affinity == Affinity{}) defaults.affinity.reset();
  }
  return spec;
}

/// Merges one policy after another into `spec`, writing down where every entry came from.
class Merger {
 public:
  void add(const SchedulingPolicy& policy, MergeStrategy strategy) {
    const SchedulingPolicySpec from = without_empty_fields(policy.spec);
    const bool first = policies_.empty();
    policy_ = policy.metadata.name;
    policies_.push_back(policy_);
    if (strategy == MergeStrategy::smart_deep_merge) {
      add_required(from.required);
      add_allowed(from.allowed);
      add_defaults(from.defaults);
    } else if (strategy == MergeStrategy::simple_merge || first) {
      for_each_entry([&](const std::string& path, auto& into,
                         const auto& entry) { first_seen(path, into, entry); },
                     spec_, from);
    } else {
      for_each_entry(
          [&](const std::string& path, const auto& entry) {
            if (entry) sources_.lost[path].push_back(policy_);
          },
          from);
    }
  }

  EffectivePolicy finish(MergeStrategy strategy) && {
    // Only the first policy speaks under first_seen_wins; the others are named in what was lost.
    if (strategy == MergeStrategy::first_seen_wins && policies_.size() > 1) policies_.resize(1);
    return {std::move(spec_), std::move(policies_), std::move(sources_)};
  }

 private:
  void note(const std::string& path) {
    auto& names = sources_.entries[path];
    if (names.empty() || names.back() != policy_) names.push_back(policy_);
  }

  /// The whole of `entry`, unless an earlier policy has one.
  template <class T>
  void first_seen(const std::string& path, std::optional<T>& into, const std::optional<T>& entry) {
    if (!entry) return;
    if (!into) into.emplace(*entry);
    if (*into == *entry) {
      note(path);
    } else {
      sources_.lost[path].push_back(policy_);
    }
  }

  /// The same for each key of a map.
  template <class Map>
  void first_seen_keys(const std::string& path, std::optional<Map>& into,
                       const std::optional<Map>& from) {
    if (!from) return;
    if (!into) into.emplace();
    for (const auto& [key, value] : *from) {
      const std::string entry = path + "[" + key + "]";
      if (into->try_emplace(key, value).first->second == value) {
        note(entry);
      } else {
        sources_.lost[entry].push_back(policy_);
      }
    }
  }

  void add_required(const Rules& from) {
    Rules& into = spec_.required;
    first_seen("required.schedulerNames", into.scheduler_names, from.scheduler_names);
    first_seen("required.priorityClassNames", into.priority_class_names, from.priority_class_names);
    first_seen_keys("required.nodeSelectors", into.node_selectors, from.node_selectors);
    first_seen("required.tolerations", into.tolerations, from.tolerations);
    if (!from.affinities) return;
    if (!into.affinities) into.affinities.emplace();
    for_each_kind(
        "required.affinities",
        [&](const std::string& path, auto& into_kind, const auto& from_kind) {
          if (!from_kind) return;
          if (!into_kind) into_kind.emplace();
          for_each_mode(
              path,
              [&](const std::string& mode, auto& a, const auto& b) { first_seen(mode, a, b); },
              *into_kind, *from_kind);
          // `{}` is an entry for as long as no mode has joined it.
          if (*into_kind == std::decay_t<decltype(*into_kind)>{}) {
            note(path);
          } else {
            sources_.entries.erase(path);
          }
        },
        *into.affinities, *from.affinities);
  }

  void add_defaults(const Defaults& from) {
    Defaults& into = spec_.defaults;
    first_seen("default.schedulerName", into.scheduler_name, from.scheduler_name);
    first_seen("default.priorityClassName", into.priority_class_name, from.priority_class_name);
    first_seen_keys("default.nodeSelector", into.node_selector, from.node_selector);
    first_seen("default.tolerations", into.tolerations, from.tolerations);
    if (!from.affinity) return;
    if (!into.affinity) into.affinity.emplace();
    for_each_default_kind(
        "default.affinity",
        [&](const std::string& path, auto& into_kind, const auto& from_kind) {
          if (!from_kind) return;
          if (!into_kind) into_kind.emplace();
          for_each_mode(
              path,
              [&](const std::string& mode, auto& a, const auto& b) {
                first_seen_terms(mode, a, b);
              },
              *into_kind, *from_kind);
        },
        *into.affinity, *from.affinity);
  }

  /// A mode of a default affinity: an optional selector, or a list that is absent when empty.
  template <class T>
  void first_seen_terms(const std::string& path, T& into, const T& from) {
    if (from == T{}) return;
    if (into == T{}) into = T(from);
    if (into == from) {
      note(path);
    } else {
      sources_.lost[path].push_back(policy_);
    }
  }

  /// Adds the entries of a list in which empty means any, each only once.
  template <class List>
  void add_entries(const std::string& path, std::optional<List>& into,
                   const std::optional<List>& from) {
    if (!from) return;
    const bool into_is_any = into && into->empty();
    if (from->empty()) return set_any(path, into, into_is_any);
    if (into_is_any) return;
    if (!into) into.emplace();
    for (const auto& entry : *from) {
      const auto [at, added] = listed_.try_emplace(path + '\n' + to_text(entry), into->size());
      if (added) into->push_back(entry);
      note(path + "[" + std::to_string(at->second) + "]");
    }
  }

  static const std::string& to_text(const std::string& name) { return name; }
  static std::string to_text(const TolerationPattern& pattern) { return to_string(pattern); }
  static std::string to_text(const TermPattern& pattern) { return to_string(pattern); }

  /// From here on everything at `path` is permitted, and what was listed below it is of no account.
  template <class T>
  void set_any(const std::string& path, std::optional<T>& into, bool is_any_already) {
    if (!is_any_already) {
      into.emplace();
      for (const char separator : {'.', '['}) {
        const std::string below = path + separator;
        auto entry = sources_.entries.lower_bound(below);
        while (entry != sources_.entries.end() && entry->first.starts_with(below)) {
          entry = sources_.entries.erase(entry);
        }
      }
    }
    note(path);
  }

  void add_allowed(const Rules& from) {
    Rules& into = spec_.allowed;
    add_entries("allowed.schedulerNames", into.scheduler_names, from.scheduler_names);
    add_entries("allowed.priorityClassNames", into.priority_class_names, from.priority_class_names);
    add_node_selectors(into.node_selectors, from.node_selectors);
    add_entries("allowed.tolerations", into.tolerations, from.tolerations);
    add_affinities(into.affinities, from.affinities);
  }

  void add_node_selectors(std::optional<NodeSelectors>& into,
                          const std::optional<NodeSelectors>& from) {
    const std::string path = "allowed.nodeSelectors";
    if (!merge_unless_any(path, into, from)) return;
    for (const auto& [key, values] : *from) {
      add_entries(path + "[" + key + "]", (*into)[key], values);
    }
  }

  void add_affinities(std::optional<AffinityRules>& into,
                      const std::optional<AffinityRules>& from) {
    const std::string path = "allowed.affinities";
    if (!merge_unless_any(path, into, from)) return;
    for_each_kind(
        path,
        [&](const std::string& kind, auto& into_kind, const auto& from_kind) {
          if (!merge_unless_any(kind, into_kind, from_kind)) return;
          for_each_mode(
              kind,
              [&](const std::string& mode, auto& a, const auto& b) {
                if (merge_unless_any(mode, a, b)) add_rule(mode, *a, *b);
              },
              *into_kind, *from_kind);
        },
        *into, *from);
  }

  /// Whether the parts of `from` are to be merged into `into`; false when there are none, or when
  /// either of the two says any, which is settled here.
  template <class T>
  bool merge_unless_any(const std::string& path, std::optional<T>& into,
                        const std::optional<T>& from) {
    if (!from) return false;
    const bool into_is_any = into && *into == T{};
    if (*from == T{}) {
      set_any(path, into, into_is_any);
      return false;
    }
    if (!into) into.emplace();
    return !into_is_any;
  }

  void add_rule(const std::string& path, NodeAffinityRule& into, const NodeAffinityRule& from) {
    add_all(path + ".nodeSelectorTerms", into.node_selector_terms, from.node_selector_terms);
  }
  void add_rule(const std::string& path, PodAffinityRule& into, const PodAffinityRule& from) {
    add_all(path + ".topologyKeys", into.topology_keys, from.topology_keys);
  }
  template <class T>
  void add_all(const std::string& path, std::vector<T>& into, const std::vector<T>& from) {
    std::optional<std::vector<T>> list;
    if (!into.empty()) list = std::move(into);
    add_entries(path, list, std::optional(from));
    into = *std::move(list);
  }

  std::string policy_;
  SchedulingPolicySpec spec_;
  std::vector<std::string> policies_;
  Sources sources_;
  std::unordered_map<std::string, std::size_t> listed_;  ///< path and text of every allowed entry
};

}  // namespace detail

/// The rules of all `policies` together, in a form made for lookup. Of no policies at all, the
/// result denies everything (`NoUsablePolicy`). Two equal policies of one name count once; two
/// different ones make a result that denies everything (`AmbiguousPolicy`), whatever the strategy,
/// because whichever were picked, the other's requirements would be lost.
[[nodiscard]] inline EffectivePolicy merge(
    std::span<const SchedulingPolicy> policies,
    MergeStrategy strategy = MergeStrategy::smart_deep_merge) {
  std::vector<schedpol::detail::Named> names(policies.size());
  for (std::size_t i = 0; i < policies.size(); ++i) {
    names[i] = {policies[i].metadata.name, false, {}, i};
  }
  schedpol::detail::sort_by_name(names);
  detail::Merger merger;
  const SchedulingPolicy* previous = nullptr;
  for (const auto& named : names) {
    const SchedulingPolicy& policy = policies[named.index];
    if (previous != nullptr && previous->metadata.name == named.name) {
      if (previous->spec == policy.spec) continue;
      return EffectivePolicy::ambiguous(policy.metadata.name);
    }
    merger.add(policy, strategy);
    previous = &policy;
  }
  return std::move(merger).finish(strategy);
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/usable.hpp

/// Picks the policies that a pod may use out of all there are, before they are merged. RBAC answers
/// by name (`rbac::usable`); a caller that asks the API server instead passes what it asks with.

namespace schedpol::scheduling_policy {

/// The policies for whose name `may_use` is true, in their order.
template <std::predicate<const std::string&> MayUse>
[[nodiscard]] std::vector<SchedulingPolicy> usable(std::span<const SchedulingPolicy> policies,
                                                   MayUse&& may_use) {
  std::vector<SchedulingPolicy> picked;
  for (const SchedulingPolicy& policy : policies) {
    if (may_use(policy.metadata.name)) picked.push_back(policy);
  }
  return picked;
}

/// The policies whose names are listed, in their order.
[[nodiscard]] inline std::vector<SchedulingPolicy> usable(
    std::span<const SchedulingPolicy> policies, const std::vector<std::string>& names) {
  return usable(policies, [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  });
}

}  // namespace schedpol::scheduling_policy

// schedpol/scheduling_policy/validate.hpp

/// What is wrong with a SchedulingPolicy, with the API server's error types and field paths:
/// 1. the name is missing or no DNS subdomain;
/// 2. a list of `required` is empty, `default.tolerations` is, or the `values` of a default
///    toleration are (the proposal calls these invalid; evaluation takes them as absent);
/// 3. a term pattern is `{}`, which permits nothing and is never satisfied;
/// 4. an operator or effect is outside its vocabulary, a name is listed empty or twice, a key or
///    value of a label breaks its syntax;
/// 5. a default would be refused by the policy's own requirement on scheduler or priority class.
/// Evaluation does not depend on this: a policy with errors still never permits more than it says.

namespace schedpol::scheduling_policy {

namespace detail {

class Validator {
 public:
  std::vector<FieldError> run(const SchedulingPolicy& policy) && {
    if (policy.metadata.name.empty()) {
      report(ErrorType::required, "metadata.name", "", "a policy is told by its name");
    } else {
      report_all("metadata.name", policy.metadata.name, subdomain_problems(policy.metadata.name));
    }
    section("spec.required", policy.spec.required, Section::required);
    section("spec.allowed", policy.spec.allowed, Section::allowed);
    defaults("spec.default", policy.spec.defaults);
    own_requirement("spec.default.schedulerName", policy.spec.defaults.scheduler_name,
                    policy.spec.required.scheduler_names);
    own_requirement("spec.default.priorityClassName", policy.spec.defaults.priority_class_name,
                    policy.spec.required.priority_class_names);
    return std::move(errors_);
  }

 private:
  enum class Section { required, allowed };

  void report(ErrorType type, std::string field, std::string_view value, std::string detail) {
    errors_.push_back({type, std::move(field), std::string(value), std::move(detail)});
  }
  void report_all(const std::string& field, std::string_view value,
                  std::vector<std::string> problems) {
    for (std::string& problem : problems)
      report(ErrorType::invalid, field, value, std::move(problem));
  }
  static std::string item(const std::string& list, std::size_t i) {
    return list + "[" + std::to_string(i) + "]";
  }

  /// `required: []` says neither what to ask for nor that nothing is asked for.
  template <class List>
  void not_empty(const std::string& field, const List& list, Section section) {
    if (section == Section::required && list.empty()) {
      report(ErrorType::required, field, "",
             "must list at least one entry; leave the field out to require nothing");
    }
  }

  enum class Syntax { name, label_key, label_value };

  void names(const std::string& field, const Names& names, Syntax syntax) {
    if (!names) return;
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < names->size(); ++i) {
      const std::string& name = (*names)[i];
      const std::string path = item(field, i);
      if (!seen.insert(name).second) report(ErrorType::duplicate, path, name, "");
      switch (syntax) {
        case Syntax::name:
          if (name.empty()) report(ErrorType::required, path, "", "a name must not be empty");
          break;
        case Syntax::label_key: report_all(path, name, label_key_problems(name)); break;
        case Syntax::label_value: report_all(path, name, label_value_problems(name)); break;
      }
    }
  }

  template <class Word>
  void word(const std::string& field, const OpenEnum<Word>& value, bool unset_is_known) {
    if (value.known() && (unset_is_known || value != Word::unset)) return;
    std::string supported = "supported are";
    for (const std::string_view spelling : spellings(Word{})) {
      if (!spelling.empty())
        supported.append(supported.ends_with("are") ? " " : ", ").append(spelling);
    }
    report(ErrorType::not_supported, field, value.text(), std::move(supported));
  }
  template <class Word>
  void words(const std::string& field, const std::optional<std::vector<OpenEnum<Word>>>& list) {
    if (!list) return;
    for (std::size_t i = 0; i < list->size(); ++i) word(item(field, i), (*list)[i], false);
  }

  void section(const std::string& path, const Rules& rules, Section section) {
    if (rules.scheduler_names) {
      not_empty(path + ".schedulerNames", *rules.scheduler_names, section);
      names(path + ".schedulerNames", rules.scheduler_names, Syntax::name);
    }
    if (rules.priority_class_names) {
      not_empty(path + ".priorityClassNames", *rules.priority_class_names, section);
      names(path + ".priorityClassNames", rules.priority_class_names, Syntax::name);
    }
    if (rules.node_selectors) {
      not_empty(path + ".nodeSelectors", *rules.node_selectors, section);
      for (const auto& [key, values] : *rules.node_selectors) {
        const std::string field = path + ".nodeSelectors[" + key + "]";
        report_all(field, key, label_key_problems(key));
        names(field, values, Syntax::label_value);
      }
    }
    if (rules.tolerations) {
      const std::string field = path + ".tolerations";
      not_empty(field, *rules.tolerations, section);
      for (std::size_t i = 0; i < rules.tolerations->size(); ++i)
        toleration(item(field, i), (*rules.tolerations)[i]);
    }
    if (!rules.affinities) return;
    const std::string affinities = path + ".affinities";
    if (section == Section::required && *rules.affinities == AffinityRules{}) {
      report(ErrorType::required, affinities, "",
             "must name at least one kind of affinity; leave the field out to require nothing");
    }
    kind(affinities + ".nodeAffinities", rules.affinities->node_affinities);
    kind(affinities + ".podAffinities", rules.affinities->pod_affinities);
    kind(affinities + ".podAntiAffinities", rules.affinities->pod_anti_affinities);
  }

  void toleration(const std::string& path, const TolerationPattern& pattern) {
    names(path + ".keys", pattern.keys, Syntax::label_key);
    words(path + ".operators", pattern.operators);
    names(path + ".values", pattern.values, Syntax::label_value);
    words(path + ".effects", pattern.effects);
  }

  template <class Rule>
  void kind(const std::string& path, const std::optional<AffinityModes<Rule>>& modes) {
    if (!modes) return;
    mode(path + ".requiredDuringSchedulingIgnoredDuringExecution",
         modes->required_during_scheduling_ignored_during_execution);
    mode(path + ".preferredDuringSchedulingIgnoredDuringExecution",
         modes->preferred_during_scheduling_ignored_during_execution);
  }
  void mode(const std::string& path, const std::optional<NodeAffinityRule>& rule) {
    if (!rule) return;
    for (std::size_t i = 0; i < rule->node_selector_terms.size(); ++i) {
      const TermPattern& term = rule->node_selector_terms[i];
      const std::string field = item(path + ".nodeSelectorTerms", i);
      if (term == TermPattern{}) {
        report(ErrorType::required, field, "", "must have matchExpressions or matchFields");
      }
      requirements(field + ".matchExpressions", term.match_expressions);
      requirements(field + ".matchFields", term.match_fields);
    }
  }
  void mode(const std::string& path, const std::optional<PodAffinityRule>& rule) {
    if (rule) names(path + ".topologyKeys", rule->topology_keys, Syntax::label_key);
  }

  void requirements(const std::string& field,
                    const std::optional<std::vector<RequirementPattern>>& patterns) {
    if (!patterns) return;
    for (std::size_t i = 0; i < patterns->size(); ++i) {
      const RequirementPattern& pattern = (*patterns)[i];
      names(item(field, i) + ".keys", pattern.keys, Syntax::label_key);
      words(item(field, i) + ".operators", pattern.operators);
      // Values of Gt and Lt are numbers, those of matchFields object names: both may break the
      // syntax of label values, so only repetitions are wrong here.
      duplicates(item(field, i) + ".values", pattern.values);
    }
  }
  void duplicates(const std::string& field, const Names& names) {
    if (!names) return;
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < names->size(); ++i) {
      if (!seen.insert((*names)[i]).second)
        report(ErrorType::duplicate, item(field, i), (*names)[i], "");
    }
  }

  void defaults(const std::string& path, const Defaults& defaults) {
    if (defaults.node_selector) {
      for (const auto& [key, value] : *defaults.node_selector) {
        const std::string field = path + ".nodeSelector[" + key + "]";
        report_all(field, key, label_key_problems(key));
        report_all(field, value, label_value_problems(value));
      }
    }
    if (defaults.affinity) {
      schedpol::detail::FieldErrors found;
      schedpol::detail::validate_affinity(found, path + ".affinity", *defaults.affinity);
      for (FieldError& error : std::move(found).take()) errors_.push_back(std::move(error));
    }
    if (!defaults.tolerations) return;
    if (defaults.tolerations->empty()) {
      report(ErrorType::required, path + ".tolerations", "",
             "must list at least one toleration; leave the field out to give none");
    }
    for (std::size_t i = 0; i < defaults.tolerations->size(); ++i) {
      default_toleration(item(path + ".tolerations", i), (*defaults.tolerations)[i]);
    }
  }

  void default_toleration(const std::string& field, const DefaultToleration& entry) {
    const Toleration& toleration = entry.toleration;
    if (!toleration.key.empty())
      report_all(field + ".key", toleration.key, label_key_problems(toleration.key));
    word(field + ".operator", toleration.operator_, true);
    word(field + ".effect", toleration.effect, true);
    if (toleration.key.empty() && toleration.operator_ != TolerationOperator::exists) {
      report(ErrorType::invalid, field + ".operator", toleration.operator_.text(),
             "must be Exists when the key is empty");
    }
    if (toleration.toleration_seconds && toleration.effect != TaintEffect::no_execute) {
      report(ErrorType::invalid, field + ".effect", toleration.effect.text(),
             "must be NoExecute when there are tolerationSeconds");
    }
    if (toleration.operator_ == TolerationOperator::exists &&
        (!toleration.value.empty() || entry.values)) {
      report(ErrorType::invalid, field + ".operator", toleration.operator_.text(),
             "Exists takes no value");
    }
    const bool is_equal = toleration.operator_ == TolerationOperator::unset ||
                          toleration.operator_ == TolerationOperator::equal;
    if (is_equal && !toleration.value.empty())
      report_all(field + ".value", toleration.value, label_value_problems(toleration.value));
    if (!entry.values) return;
    if (entry.values->empty()) {
      report(ErrorType::required, field + ".values", "",
             "must list at least one value; leave the field out for none");
    }
    if (!toleration.value.empty()) {
      report(ErrorType::forbidden, field + ".value", toleration.value,
             "must not be set beside values");
    }
    names(field + ".values", entry.values, Syntax::label_value);
  }

  /// A default that the policy's own requirement refuses would deny every pod that relies on it.
  void own_requirement(const std::string& field, const std::optional<std::string>& given,
                       const Names& required) {
    if (!given || given->empty() || !required || required->empty()) return;
    if (std::find(required->begin(), required->end(), *given) != required->end()) return;
    report(ErrorType::invalid, field, *given, "is not among the names that the policy requires");
  }

  std::vector<FieldError> errors_;
};

}  // namespace detail

/// Every error of a policy; none means that a cluster should accept it.
[[nodiscard]] inline std::vector<FieldError> validate(const SchedulingPolicy& policy) {
  return detail::Validator().run(policy);
}

}  // namespace schedpol::scheduling_policy

// schedpol/version.hpp

/// The one source of the library's version, and the Kubernetes release whose rules it implements.
/// The build files read the three macros; everything else asks `schedpol::version`.

#define SCHEDPOL_VERSION_MAJOR 0
#define SCHEDPOL_VERSION_MINOR 1
#define SCHEDPOL_VERSION_PATCH 0

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

// schedpol/schedpol.hpp

/// Everything of schedpol but JSON: value types and pure functions on the standard library alone.

#endif  // SCHEDPOL_SINGLE_INCLUDE_HPP
