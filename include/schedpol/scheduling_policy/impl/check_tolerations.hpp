// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rule 5 of `check`: the tolerations. Also what the tolerations of a default are, one by one.

#include <schedpol/core/impl/lookup/text_map.hpp>
#include <schedpol/core/impl/place.hpp>
#include <schedpol/core/toleration.hpp>
#include <schedpol/scheduling_policy/impl/asked.hpp>
#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/items_by_key.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>
#include <schedpol/scheduling_policy/policy.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace schedpol::scheduling_policy::detail {

using schedpol::detail::Place;

/// What tells tolerations apart, in an order: two have the same exactly when they are equal.
struct TolerationIdentity {
  std::string_view key;
  std::string_view value;
  std::string_view operator_;
  std::string_view effect;
  bool bounded;
  std::int64_t seconds;

  explicit TolerationIdentity(const Toleration& of) noexcept
      : TolerationIdentity(of, of.effect.text()) {}
  /// Of one that is `of` but for its effect.
  TolerationIdentity(const Toleration& of, std::string_view other_effect) noexcept
      : key(of.key),
        value(of.value),
        operator_(of.operator_ == TolerationOperator::unset ? equal : of.operator_.text()),
        effect(other_effect),
        bounded(of.toleration_seconds.has_value()),
        seconds(of.toleration_seconds.value_or(0)) {}

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
    const OpenEnum<TaintEffect> wanted_effect = effect;
    const TolerationIdentity wanted(toleration, wanted_effect.text());
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

  /// `spec` is the merged one.
  void run(const Asked& asked, const SchedulingPolicySpec& spec, CheckListener& listener) const {
    const Place object;
    const Place of_pod = object.child("spec");
    const Place field = of_pod.child("tolerations");
    for (std::size_t i = 0; i < asked.tolerations().size(); ++i) {
      const Toleration& toleration = asked.tolerations()[i];
      const Place item = field.index(i);
      const Verdict verdict = asked.exempt().contain(toleration) ? Verdict::exempt
                              : permits(toleration)              ? Verdict::permitted
                                                                 : Verdict::not_permitted;
      listener.tell({CheckRule::tolerations, verdict, &toleration, &item});
    }
    const Place required = object.child("required");
    const Place entries = required.child("tolerations");
    const auto& sources = spec.required.tolerations.listed();
    const bool are_many = asked.tolerations().size() * required_.size() > few_matches;
    const ItemsByKey<Toleration> by_key =
        are_many ? tolerations_by_key(asked) : ItemsByKey<Toleration>();
    for (std::size_t i = 0; i < required_.size(); ++i) {
      const auto& [pattern, text] = required_[i];
      const Place entry = entries.index(i);
      bool is_met = are_many && by_key.any_matches(sources[i], pattern);
      if (!are_many)
        asked.for_each_required_toleration(
            [&](const Toleration& each) { is_met = is_met || pattern.matches(each); });
      const Verdict verdict = is_met ? Verdict::requirement_met : Verdict::requirement_missing;
      listener.tell({CheckRule::tolerations, verdict, std::string_view(text), &field, &entry});
    }
  }

 private:
  struct Required {
    Pattern pattern;
    std::string text;
  };

  static ItemsByKey<Toleration> tolerations_by_key(const Asked& asked) {
    std::vector<const Toleration*> all;
    asked.for_each_required_toleration([&](const Toleration& each) { all.push_back(&each); });
    return ItemsByKey<Toleration>(all);
  }

  DefaultTolerations defaults_;
  std::vector<Required> required_;
  PatternIndex patterns_;  ///< what `required` and `allowed` list
};

}  // namespace schedpol::scheduling_policy::detail
