// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <schedpol/base/impl/any_of.hpp>
#include <schedpol/base/impl/decimal_int64.hpp>
#include <schedpol/base/impl/fresh_name.hpp>
#include <schedpol/core/impl/tolerated_effects.hpp>
#include <schedpol/core/limits.hpp>
#include <schedpol/impl/linkage.hpp>
#include <schedpol/insight/impl/numbers_around.hpp>
#include <schedpol/insight/toleration_algebra.hpp>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace SCHEDPOL_NAMESPACE {

namespace detail {

/// For how many seconds a taint is tolerated: less than zero is not at all.
using Seconds = std::int64_t;
inline constexpr Seconds not_at_all = -1;
inline constexpr Seconds forever = std::numeric_limits<Seconds>::max();

/// For how long a toleration tolerates the taints of an effect that it tolerates.
inline Seconds seconds_of(const Toleration& toleration) noexcept {
  const bool counts =
      toleration.effect == TaintEffect::no_execute && toleration.toleration_seconds.has_value();
  return counts ? std::max<Seconds>(*toleration.toleration_seconds, 0) : forever;
}
inline Seconds seconds_of(std::span<const Toleration> tolerations, const Taint& taint) noexcept {
  Seconds longest = not_at_all;
  for (const Toleration& toleration : tolerations)
    if (tolerates(toleration, taint)) longest = std::max(longest, seconds_of(toleration));
  return longest;
}

inline bool is_comparison(const Toleration& toleration) noexcept {
  return toleration.operator_ == TolerationOperator::lt ||
         toleration.operator_ == TolerationOperator::gt;
}

/// The taints that are the hardest to tolerate for `others` among those of every sort that a
/// toleration tolerates. A key and a value that nobody names are tolerated by no more than any
/// other; of numbers there are those between any two that others compare with.
inline std::vector<Taint> hardest_taints(const Toleration& toleration,
                                         std::span<const Toleration> others) {
  std::set<std::string_view> keys = {toleration.key};
  std::set<std::string_view> values = {toleration.value};
  std::vector<std::string> texts = {toleration.value};
  std::string key = toleration.key;
  const bool exists = toleration.operator_ == TolerationOperator::exists;
  if (key.empty() || exists || is_comparison(toleration)) {
    for (const Toleration& other : others) {
      if (!key.empty() && !other.key.empty() && other.key != key) continue;
      keys.insert(other.key);
      values.insert(other.value);
    }
  }
  if (key.empty()) key = fresh_name("other", keys);
  if (exists) texts = {fresh_name("other", values)};
  if (is_comparison(toleration)) {
    std::set<std::int64_t> bounds;
    for (const std::string_view value : values)
      if (const auto bound = decimal_int64(value)) bounds.insert(*bound);
    const auto is_listed = [&](std::int64_t n) { return values.contains(std::to_string(n)); };
    for (const std::int64_t number :
         numbers_around(bounds, std::numeric_limits<std::int64_t>::min(), is_listed))
      texts.push_back(std::to_string(number));
  }
  std::vector<Taint> taints;
  for (const TaintEffect effect : tolerated_effects(toleration)) {
    if (effect == TaintEffect::unknown) continue;
    for (const std::string& text : texts)
      if (Taint taint{key, text, effect}; tolerates(toleration, taint)) taints.push_back(taint);
  }
  return taints;
}

/// Collects what both of two tolerations tolerate.
class CommonTolerations {
 public:
  /// False where that takes more than `max_tolerations`.
  bool add(const Toleration& a, const Toleration& b) {
    if (!a.key.empty() && !b.key.empty() && a.key != b.key) return true;
    if (a.effect != TaintEffect::unset && b.effect != TaintEffect::unset && a.effect != b.effect)
      return true;
    Toleration common = a.operator_ == TolerationOperator::exists ? b : a;
    common.key = a.key.empty() ? b.key : a.key;
    common.effect = a.effect == TaintEffect::unset ? b.effect : a.effect;
    const Seconds seconds = std::min(seconds_of(a), seconds_of(b));
    common.toleration_seconds = seconds == forever ? std::nullopt : std::optional(seconds);
    if (a.operator_ == TolerationOperator::exists || b.operator_ == TolerationOperator::exists)
      return add(common);
    if (is_comparison(a) && is_comparison(b)) return add_numbers(std::move(common), a, b);
    const Toleration& named = is_comparison(a) ? b : a;
    common.operator_ = named.operator_;
    common.value = named.value;
    return !tolerates_value(a, common.value) || !tolerates_value(b, common.value) || add(common);
  }

  [[nodiscard]] std::vector<Toleration> take() && { return without_covered(all_); }

 private:
  static bool tolerates_value(Toleration toleration, const std::string& value) {
    toleration.effect = TaintEffect::unset;
    return tolerates(toleration, {toleration.key, value, TaintEffect::no_schedule});
  }

  bool add(const Toleration& common) {
    if (covers(all_, std::span(&common, 1))) return true;
    all_.push_back(common);
    return all_.size() <= max_tolerations;
  }

  bool add_numbers(Toleration common, const Toleration& a, const Toleration& b) {
    const auto bound_a = decimal_int64(a.value);
    const auto bound_b = decimal_int64(b.value);
    if (!bound_a || !bound_b) return true;
    if (a.operator_ == b.operator_) {
      const bool lt = a.operator_ == TolerationOperator::lt;
      common.value = (lt ? *bound_a < *bound_b : *bound_a > *bound_b) ? a.value : b.value;
      return add(common);
    }
    const bool a_is_gt = a.operator_ == TolerationOperator::gt;
    const std::int64_t above = a_is_gt ? *bound_a : *bound_b;
    const std::int64_t below = a_is_gt ? *bound_b : *bound_a;
    common.operator_ = TolerationOperator::equal;
    std::size_t numbers = 0;
    for (std::int64_t number = above; number < below && ++number < below;) {
      if (++numbers > max_tolerations) return false;
      common.value = std::to_string(number);
      if (!add(common)) return false;
    }
    return true;
  }

  std::vector<Toleration> all_;
};

/// Makes the smallest list, from those that name the fewest keys and values on.
class SmallestTolerations {
 public:
  explicit SmallestTolerations(std::span<const Toleration> tolerations) : all_(tolerations) {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (all_[i].operator_.known()) taints_[taints_of(all_[i])].push_back(i);
  }

  std::vector<Toleration> run() && {
    for (const auto& [taints, same] : taints_) add(same);
    drop_covered_together();
    std::vector<Toleration> smallest(kept_.size());
    std::vector<std::size_t> order(kept_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return mentioned_[a] < mentioned_[b]; });
    for (std::size_t i = 0; i < order.size(); ++i) smallest[i] = std::move(kept_[order[i]]);
    return smallest;
  }

 private:
  /// The taints that a toleration is about, whatever their effect: no later ones hold earlier ones.
  using Taints = std::tuple<bool, int, std::string_view, std::string_view>;

  static Taints taints_of(const Toleration& toleration) noexcept {
    int narrow = 3;
    if (toleration.operator_ == TolerationOperator::exists) narrow = 0;
    if (toleration.operator_ == TolerationOperator::lt) narrow = 1;
    if (toleration.operator_ == TolerationOperator::gt) narrow = 2;
    return {!toleration.key.empty(), narrow, toleration.key,
            narrow == 0 ? std::string_view() : toleration.value};
  }

  void add(const std::vector<std::size_t>& same);
  void drop_covered_together();

  std::span<const Toleration> all_;
  std::map<Taints, std::vector<std::size_t>> taints_;
  std::vector<Toleration> kept_;
  std::vector<std::size_t> mentioned_;  ///< where what is kept was mentioned first
};

/// Of tolerations that differ in their effects and seconds alone.
inline void SmallestTolerations::add(const std::vector<std::size_t>& same) {
  std::vector<std::pair<Toleration, std::size_t>> missing;
  for (const TaintEffect effect : taint_effects) {
    std::optional<std::pair<Toleration, std::size_t>> longest;
    for (const std::size_t i : same) {
      if (all_[i].effect != TaintEffect::unset && all_[i].effect != effect) continue;
      const Seconds seconds = seconds_of(all_[i]);
      if (longest && seconds_of(longest->first) >= seconds) continue;
      if (!longest) longest.emplace(all_[i], i);
      longest->first.effect = effect;
      longest->first.toleration_seconds.reset();
      if (seconds != forever) longest->first.toleration_seconds = seconds;
    }
    if (longest && !covers(kept_, std::span(&longest->first, 1)))
      missing.push_back(std::move(*longest));
  }
  if (missing.size() > 1) {
    Toleration every = missing.front().first;
    every.effect = TaintEffect::unset;
    if (covers(all_, std::span(&every, 1))) missing = {{every, same.front()}};
  }
  for (auto& [toleration, first] : missing) {
    kept_.push_back(std::move(toleration));
    mentioned_.push_back(first);
  }
}

/// Numbers may be covered by several others, none of which covers them alone.
inline void SmallestTolerations::drop_covered_together() {
  if (schedpol::detail::none_of(kept_, is_comparison)) return;
  for (std::size_t i = kept_.size(); i > 0; --i) {
    std::vector<Toleration> others = kept_;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i - 1));
    if (!covers(others, std::span(&kept_[i - 1], 1))) continue;
    kept_ = std::move(others);
    mentioned_.erase(mentioned_.begin() + static_cast<std::ptrdiff_t>(i - 1));
  }
}

}  // namespace detail

SCHEDPOL_INLINE bool covers(std::span<const Toleration> a, std::span<const Toleration> b) {
  return schedpol::detail::all_of(b, [&](const Toleration& toleration) {
    const std::vector<Taint> taints = detail::hardest_taints(toleration, a);
    return schedpol::detail::all_of(taints, [&](const Taint& taint) {
      return detail::seconds_of(a, taint) >= detail::seconds_of(toleration);
    });
  });
}

SCHEDPOL_INLINE bool equivalent(std::span<const Toleration> a, std::span<const Toleration> b) {
  return covers(a, b) && covers(b, a);
}

SCHEDPOL_INLINE Optional<Taint> witness(std::span<const Toleration> tolerations) {
  for (const Toleration& toleration : tolerations)
    if (auto taints = detail::hardest_taints(toleration, {}); !taints.empty())
      return std::move(taints.front());
  return std::nullopt;
}

SCHEDPOL_INLINE Optional<std::vector<Toleration>> intersect(std::span<const Toleration> a,
                                                            std::span<const Toleration> b) {
  detail::CommonTolerations common;
  for (const Toleration& x : a)
    for (const Toleration& y : b)
      if (!common.add(x, y)) return std::nullopt;
  return std::move(common).take();
}

SCHEDPOL_INLINE std::vector<Toleration> smallest(std::span<const Toleration> tolerations) {
  return detail::SmallestTolerations(tolerations).run();
}

}  // namespace SCHEDPOL_NAMESPACE
