// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Taints and tolerations (core/v1): which tolerations tolerate a taint or cover another toleration,
/// and the union of two lists. Lt and Gt match as with KEP-5471's feature gate on; `validation.hpp`
/// says whether a cluster accepts them. Sources: core/v1 `Toleration.ToleratesTaint`,
/// KEP-5471, and the toleration merge of the RuntimeClass admission plugin.

#include <schedpol/base/open_enum.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

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

#if !defined(SCHEDPOL_COMPILED)
#include <schedpol/core/impl/toleration.ipp>
#endif
