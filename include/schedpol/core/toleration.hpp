// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Taints and tolerations (core/v1), and the three questions asked of them:
/// - `tolerates`: does a toleration tolerate a taint?
/// - `covers`: does it tolerate all that another one does?
/// - `merge`: the union of two lists without what is covered anyway.
/// Sources: core/v1 `Toleration.ToleratesTaint`, KEP-5471 (Lt, Gt), and the toleration merge of the
/// RuntimeClass admission plugin.

#include <schedpol/core/open_enum.hpp>
#include <schedpol/core/text.hpp>

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

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
