// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Label selectors (meta/v1 LabelSelector) and how they match labels:
/// 1. an absent selector selects nothing, an empty one everything;
/// 2. otherwise all of matchLabels and all of matchExpressions have to hold;
/// 3. In: the key is there with a listed value; NotIn: it is not (a missing key counts);
///    Exists, DoesNotExist: the key alone decides.
/// A selector is compiled once, which reports all that is wrong with it, and then matches without
/// failing. Source: apimachinery, `LabelSelectorAsSelector`.

#include <schedpol/core/field_error.hpp>
#include <schedpol/core/labels.hpp>
#include <schedpol/core/open_enum.hpp>
#include <schedpol/core/syntax.hpp>
#include <schedpol/core/text.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
