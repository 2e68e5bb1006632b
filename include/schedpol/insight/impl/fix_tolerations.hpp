// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The list of tolerations that is allowed and fewest edits away. What is not permitted has to go in
/// any case, and what meets a requirement that is not met takes its place. Where nothing is left,
/// the default is given, which may be allowed too.

#include <schedpol/core/limits.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/insight/impl/compared.hpp>
#include <schedpol/insight/impl/list_edits.hpp>
#include <schedpol/scheduling_policy/impl/check_tolerations.hpp>
#include <schedpol/scheduling_policy/impl/effective_policy_access.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class TolerationsFix {
 public:
  /// Of a policy reduced to tolerations.
  TolerationsFix(const Side& side, const std::vector<Toleration>& list)
      : side_(side), list_(list) {}

  std::optional<std::vector<Toleration>> run() {
    std::vector<bool> denied(list_.size());
    std::vector<Toleration> exempt;
    std::vector<Toleration> kept;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (is_exempt(list_[i])) exempt.push_back(list_[i]);
      denied[i] = !is_exempt(list_[i]) &&
                  !EffectivePolicyAccess::of(side_.policy).tolerations.permits(list_[i]);
      if (!denied[i]) kept.push_back(list_[i]);
    }
    if (side_.allows({.tolerations = kept})) return kept;
    std::vector<Toleration> more = meeting(kept);
    if (more.empty())  // the default is denied
      if (auto one = any_permitted()) more.push_back(*std::move(one));
    std::vector<Toleration> other = in_place_of(denied, std::move(more));
    const bool is_one = side_.allows({.tolerations = other});
    if (side_.allows({.tolerations = exempt}) &&
        (!is_one || edits_between(list_, exempt).size() < edits_between(list_, other).size()))
      return exempt;
    return is_one ? std::optional(std::move(other)) : std::nullopt;
  }

 private:
  [[nodiscard]] bool is_exempt(const Toleration& toleration) const {
    return side_.exempt().contain(toleration);
  }

  /// The list without what is denied, with others in its place as far as there are any.
  [[nodiscard]] std::vector<Toleration> in_place_of(const std::vector<bool>& denied,
                                                    std::vector<Toleration> others) const {
    std::vector<Toleration> list;
    std::size_t next = 0;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      if (!denied[i]) {
        list.push_back(list_[i]);
      } else if (next < others.size()) {
        list.push_back(std::move(others[next++]));
      }
    }
    while (next < others.size()) list.push_back(std::move(others[next++]));
    return list;
  }

  /// The fewest that meet what those of a list do not.
  [[nodiscard]] std::vector<Toleration> meeting(const std::vector<Toleration>& kept) const {
    const std::vector<Toleration>& added = side_.options->added_to_pods.tolerations;
    std::vector<const TolerationPattern*> sources;
    std::vector<Pattern> unmet;
    for (const TolerationPattern& source : side_.spec().required.tolerations.listed()) {
      Pattern pattern(source);
      const auto matches = [&](const Toleration& each) { return pattern.matches(each); };
      if (std::any_of(kept.begin(), kept.end(), matches) ||
          std::any_of(added.begin(), added.end(), matches))
        continue;
      unmet.push_back(std::move(pattern));
      sources.push_back(&source);
    }
    constexpr std::size_t most = 16;  // more are met one by one
    std::vector<Toleration> all;
    std::vector<Toleration> points;
    if (!unmet.empty() && unmet.size() <= most) points = points_of(sources);
    const std::size_t count = points.empty() ? 1 : unmet.size();
    for (std::size_t begin = 0; begin < unmet.size(); begin += count) {
      if (count == 1) points = points_of(std::span(sources).subspan(begin, 1));
      std::vector<std::uint32_t> met;
      for (const Toleration& point : points) {
        std::uint32_t mask = 0;
        for (std::size_t i = 0; i < count; ++i)
          if (unmet[begin + i].matches(point)) mask |= 1U << i;
        met.push_back(mask);
      }
      append_cover(points, met, (1U << count) - 1, all);
    }
    return all;
  }

  /// The fewest points that meet all together, by how few meet any part of it. None where they do
  /// not.
  static void append_cover(const std::vector<Toleration>& points,
                           const std::vector<std::uint32_t>& met, std::uint32_t whole,
                           std::vector<Toleration>& all) {
    std::map<std::uint32_t, std::size_t> first;  // of those that meet the same
    for (std::size_t i = 0; i < met.size(); ++i)
      if (met[i] != 0) first.try_emplace(met[i], i);
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> last(std::size_t{whole} + 1, none);
    std::vector<std::uint32_t> before(std::size_t{whole} + 1);
    std::vector<std::uint32_t> reached = {0};
    for (std::size_t next = 0; next < reached.size() && last[whole] == none; ++next) {
      for (const auto& [mask, point] : first) {
        const std::uint32_t more = reached[next] | mask;
        if (last[more] != none) continue;
        last[more] = point;
        before[more] = reached[next];
        reached.push_back(more);
      }
    }
    if (last[whole] == none) return;
    for (std::uint32_t mask = whole; mask != 0; mask = before[mask])
      all.push_back(points[last[mask]]);
  }

  /// Tolerations of every sort that the patterns tell apart, those that tolerate little first; none
  /// where these are too many.
  [[nodiscard]] std::vector<Toleration> points_of(
      std::span<const TolerationPattern* const> patterns) const {
    EquivalenceClasses keys;
    EquivalenceClasses values;
    Texts all_keys;
    Texts all_values;
    for (const TolerationPattern* pattern : patterns) {
      keys.add(pattern->keys.listed());
      values.add(pattern->values.listed());
      for (const std::string& key : pattern->keys.listed()) all_keys.push_back(key);
      for (const std::string& value : pattern->values.listed()) all_values.push_back(value);
    }
    const std::string other_key = keys.other();
    const std::string other_value = values.other();
    std::vector<std::string_view> with_keys = keys.of(all_keys);
    with_keys.push_back(other_key);
    const std::vector<std::string_view> distinct_values = values.of(all_values);
    std::vector<std::pair<TolerationOperator, std::string_view>> with_values;
    for (const std::string_view value : distinct_values)
      with_values.emplace_back(TolerationOperator::equal, value);
    with_values.emplace_back(TolerationOperator::exists, "");
    for (const TolerationOperator op :
         {TolerationOperator::equal, TolerationOperator::lt, TolerationOperator::gt}) {
      for (const std::string_view value : distinct_values) with_values.emplace_back(op, value);
      with_values.emplace_back(op, "");
      with_values.emplace_back(op, other_value);
    }
    std::vector<Toleration> points;
    if (with_keys.size() > max_compared / patterns.size() / with_values.size()) return points;
    for (const std::string_view key : with_keys) {
      for (const auto& [op, value] : with_values) {
        for (const TaintEffect effect : {TaintEffect::no_schedule, TaintEffect::prefer_no_schedule,
                                         TaintEffect::no_execute, TaintEffect::unset}) {
          Toleration point{std::string(key), op, std::string(value), effect, std::nullopt};
          while (is_exempt(point))
            point.toleration_seconds = point.toleration_seconds.value_or(0) + 1;
          points.push_back(std::move(point));
        }
      }
    }
    return points;
  }

  /// Any one that is allowed alone.
  [[nodiscard]] std::optional<Toleration> any_permitted() const {
    const TolerationPattern anything{any, any, any, any};
    std::vector<const TolerationPattern*> patterns = {&anything};
    for (const TolerationPattern& pattern : side_.spec().allowed.tolerations.listed())
      patterns.push_back(&pattern);
    for (const TolerationPattern* pattern : patterns)
      for (const Toleration& point : points_of(std::span(&pattern, 1)))
        if (side_.allows({.tolerations = {point}})) return point;
    const DefaultTolerations given(side_.spec().defaults.tolerations);
    for (const Toleration& point : given.in_order())
      if (!is_exempt(point) && side_.allows({.tolerations = {point}})) return point;
    return std::nullopt;
  }

  const Side& side_;
  const std::vector<Toleration>& list_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
