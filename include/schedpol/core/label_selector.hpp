// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Label selectors (meta/v1 LabelSelector) and how they match labels:
/// 1. an absent selector selects nothing, an empty one everything;
/// 2. otherwise all of matchLabels and all of matchExpressions must hold;
/// 3. In: the key has one of the listed values. NotIn: it does not, or the key is missing.
///    Exists, DoesNotExist: only the key counts.
///
/// `compile` reports all problems of a selector once. The result then matches without errors.
/// Source: apimachinery, `LabelSelectorAsSelector`.

#include <schedpol/base/field_error.hpp>
#include <schedpol/base/open_enum.hpp>
#include <schedpol/base/shared.hpp>
#include <schedpol/core/labels.hpp>

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

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/label_selector.ipp>
#endif
