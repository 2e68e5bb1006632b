// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Label selectors (meta/v1 LabelSelector) and how they match labels:
/// 1. an absent selector selects nothing, an empty one everything;
/// 2. otherwise all of matchLabels and all of matchExpressions have to hold;
/// 3. In: the key is there with a listed value; NotIn: it is not (a missing key counts);
///    Exists, DoesNotExist: the key alone decides.
///
/// A selector is compiled once, which reports all that is wrong with it, and then matches without
/// failing. Source: apimachinery, `LabelSelectorAsSelector`.

#include <schedpol/base/field_error.hpp>
#include <schedpol/base/open_enum.hpp>
#include <schedpol/base/shared.hpp>
#include <schedpol/core/labels.hpp>

namespace SCHEDPOL_NAMESPACE {

/// Those of `matchExpressions`.
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

/// Absent where the optional around it is empty; default-constructed it is `{}`.
struct LabelSelector {
  Labels match_labels{};
  std::vector<LabelSelectorRequirement> match_expressions{};

  friend bool operator==(const LabelSelector&, const LabelSelector&) = default;
};

/// What the values of a selector may be: those of labels have a syntax, those of annotations have
/// none.
enum class SelectedValues { labels, annotations };

/// A label selector made for matching. Default-constructed it stands for the absent selector.
class LabelMatcher {
 public:
  LabelMatcher() = default;

  [[nodiscard]] bool matches(const Labels& labels) const noexcept;  ///< whether it selects them

 private:
  friend class NodeTable;
  friend Result<LabelMatcher> compile(const std::optional<LabelSelector>&, const FieldPath&,
                                      SelectedValues);

  struct Impl;
  Shared<Impl> impl_;  ///< none: selects nothing
};

/// Builds the matcher of a selector, or reports every problem with paths below `field`: a key or
/// value that is no label key or value, an operator outside the four, In and NotIn without values,
/// Exists and DoesNotExist with values, more than `max_selector_requirements` pairs and expressions
/// or `max_expression_values` values of one.
[[nodiscard]] Result<LabelMatcher> compile(const std::optional<LabelSelector>& selector,
                                           const FieldPath& field = {},
                                           SelectedValues selected = SelectedValues::labels);

/// One selector on one line: `{app=x, tier In [web, db]}`; absent: `none`. Different selectors have
/// different texts.
[[nodiscard]] std::string to_string(const std::optional<LabelSelector>& selector);

}  // namespace SCHEDPOL_NAMESPACE

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/label_selector.ipp>
#endif
