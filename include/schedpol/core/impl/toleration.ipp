// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/base/impl/decimal_int64.hpp>
#include <schedpol/base/quoting.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/impl/linkage.hpp>

#include <map>

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
