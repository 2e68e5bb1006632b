// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Rule 5 of `check`: tolerations. Also expands a default toleration with several values.

#include <schedpol/scheduling_policy/impl/check_events.hpp>
#include <schedpol/scheduling_policy/impl/effective_pod.hpp>
#include <schedpol/scheduling_policy/impl/patterns.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

using schedpol::detail::PathBuilder;

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
    for (const DefaultToleration& by_default : *defaults) {
      if (!by_default.values.is_listed()) all.push_back(by_default.toleration);
      for (const std::string& value : by_default.values.listed()) {
        all.push_back(by_default.toleration);
        all.back().value = value;
      }
    }
    in_order_.reserve(all.size());  // identities refer to it
    for (const Toleration& toleration : all) {
      if (identities_.contains(TolerationIdentity(toleration))) continue;
      in_order_.push_back(toleration);
      identities_.insert(TolerationIdentity(in_order_.back()));
    }
  }
  DefaultTolerations(DefaultTolerations&&) = default;
  DefaultTolerations& operator=(DefaultTolerations&&) = default;
  DefaultTolerations(const DefaultTolerations&) = delete;
  DefaultTolerations& operator=(const DefaultTolerations&) = delete;
  ~DefaultTolerations() = default;

  [[nodiscard]] const std::vector<Toleration>& in_order() const noexcept { return in_order_; }

  /// Whether one of them is this toleration, as it stands or taken as one with this effect.
  [[nodiscard]] bool contain(const Toleration& toleration) const noexcept {
    return identities_.contains(TolerationIdentity(toleration));
  }
  [[nodiscard]] bool contain(const Toleration& toleration, TaintEffect effect) const noexcept {
    const OpenEnum<TaintEffect> wanted = effect;
    return identities_.contains(TolerationIdentity(toleration, wanted.text()));
  }

 private:
  std::vector<Toleration> in_order_;
  std::set<TolerationIdentity> identities_;
};

class TolerationsCheck {
 public:
  TolerationsCheck(const TolerationsField& row, const SchedulingPolicySpec& spec)
      : defaults_(spec.defaults.*row.member), patterns_([&](auto&& add) {
          const AnyOr<std::vector<TolerationPattern>>& allowed = spec.allowed.*row.rules;
          for (const TolerationPattern& pattern : (spec.required.*row.rules).listed()) add(pattern);
          if (allowed.is_any()) add(TolerationPattern{any, any, any, any});
          for (const TolerationPattern& pattern : allowed.listed()) add(pattern);
        }) {
    for (const TolerationPattern& pattern : (spec.required.*row.rules).listed()) {
      required_.push_back(Pattern(pattern));
      required_texts_.push_back(to_string(pattern));
    }
  }

  [[nodiscard]] const DefaultTolerations& defaults() const noexcept { return defaults_; }
  /// What `required` lists, then what `allowed` does, or one that takes anything.
  [[nodiscard]] const PatternIndex& patterns() const noexcept { return patterns_; }

  /// Whether a pattern matches each as it stands, and none is required.
  [[nodiscard]] bool permits_all(const TolerationsField& row,
                                 const EffectivePod& pod) const noexcept {
    return required_.empty() && patterns_.match_each(pod.spec().*row.in_pod);
  }

  [[nodiscard]] bool requires_any() const noexcept { return !required_.empty(); }

  /// Whether it is listed or a default as it stands, or for each of the effects that it has for
  /// want of one.
  [[nodiscard]] bool permits(const Toleration& toleration) const noexcept {
    if (!toleration.operator_.known() || !toleration.effect.known()) return false;
    const std::span<const TaintEffect> effects = tolerated_effects(toleration);
    return defaults_.contain(toleration) ||
           schedpol::detail::all_of(effects, [&](TaintEffect effect) {
             return patterns_.match(toleration, effect) || defaults_.contain(toleration, effect);
           });
  }

  void run(const TolerationsField& row, const EffectivePod& pod, CheckListener& listener) const {
    if (!listener.wants_everything() && permits_all(row, pod)) return;
    const PathBuilder object;
    const PathBuilder of_pod = object.child("spec");
    const PathBuilder field = of_pod.child(row.field);
    const std::vector<Toleration>& tolerations = pod.spec().*row.in_pod;
    for (std::size_t i = 0; i < tolerations.size(); ++i) {
      const Toleration& toleration = tolerations[i];
      const PathBuilder item = field.index(i);
      const Verdict verdict = pod.exempt().contain(toleration) ? Verdict::exempt
                              : permits(toleration)            ? Verdict::permitted
                                                               : Verdict::not_permitted;
      listener.on_event({.codes = row.codes,
                         .verdict = verdict,
                         .item = &toleration,
                         .field = &item,
                         .patterns = &patterns_});
    }
    const PathBuilder required = object.child(required_section.name);
    const PathBuilder entries = required.child(row.rules_field);
    for (std::size_t i = 0; i < required_.size(); ++i) {
      const PathBuilder entry = entries.index(i);
      const Verdict verdict =
          pod.meets(required_[i]) ? Verdict::requirement_met : Verdict::requirement_missing;
      const std::string_view text = required_texts_[i];
      listener.on_event({row.codes, verdict, text, &field, &entry});
    }
  }

 private:
  DefaultTolerations defaults_;
  std::vector<Pattern> required_;
  std::vector<std::string> required_texts_;
  PatternIndex patterns_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
