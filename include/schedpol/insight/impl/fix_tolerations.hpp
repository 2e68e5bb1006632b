// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The list of tolerations that is allowed and fewest edits away. What is not permitted has to go in
/// any case, and what meets a requirement that is not met takes its place. Where nothing is left,
/// the default is given, which may be allowed too.

#include <schedpol/insight/impl/list_edits.hpp>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class TolerationsFix {
 public:
  /// Of a policy reduced to tolerations.
  TolerationsFix(const Side& side, const std::vector<Toleration>& list, Budget& budget)
      : side_(side), steps_(side), list_(list), budget_(budget) {}

  /// Nothing where no list is allowed, or once the budget is used up.
  std::optional<std::vector<Toleration>> run() {
    if (!budget_.spend(1 + list_.size() * (8 + steps_.of_toleration()))) return std::nullopt;
    std::vector<bool> denied(list_.size());
    std::vector<bool> own(list_.size());
    std::vector<Toleration> kept;
    for (std::size_t i = 0; i < list_.size(); ++i) {
      own[i] = !is_exempt(list_[i]);
      denied[i] = own[i] && !check().permits(list_[i]);
      if (!denied[i]) kept.push_back(list_[i]);
    }
    if (allows(kept)) return kept;
    const Patterns unmet = unmet_by(kept);
    if (unmet.size() > max_fixed_requirements) {
      budget_.use_up();
      return std::nullopt;
    }
    std::vector<Toleration> more = fewest_that_meet(unmet, [&](auto&& f) {
      for_each_point(unmet, f);
      for_each_exempt(unmet, f);
    });
    if (more.empty())  // the default is denied
      if (auto one = any_permitted()) more.push_back(*std::move(one));
    std::vector<Toleration> other = in_place_of(denied, std::move(more));
    if (!allows(other)) return std::nullopt;
    auto exempt = beside_default(own);
    const bool is_nearer =
        exempt && allows(*exempt) &&
        edits_between(list_, *exempt, budget_).size() < edits_between(list_, other, budget_).size();
    return is_nearer ? std::move(exempt) : std::optional(std::move(other));
  }

 private:
  [[nodiscard]] bool allows(std::vector<Toleration> list) {
    const PodSpec spec{.tolerations = std::move(list)};
    return budget_.spend(steps_.of(spec)) && side_.allows(spec);
  }
  [[nodiscard]] const TolerationsCheck& check() const {
    return EffectivePolicyAccess::of(side_.policy).checks.of(tolerations_field);
  }
  [[nodiscard]] bool is_exempt(const Toleration& toleration) const {
    return side_.exempt().contain(toleration);
  }

  /// Whether one that stands in the pod meets what a pattern requires.
  [[nodiscard]] bool meets(const Pattern& required, const Toleration& toleration) const {
    return required.matches(toleration) ||
           (required.matches_covered_by(toleration) && side_.exempt().give(toleration));
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

  /// What is required that none of a list meets.
  using Patterns = std::vector<const TolerationPattern*>;
  [[nodiscard]] Patterns unmet_by(const std::vector<Toleration>& list) {
    const std::vector<Toleration>& added = side_.options->added_to_pods.tolerations;
    Patterns unmet;
    for (const TolerationPattern& source : side_.spec().required.tolerations.listed()) {
      if (!budget_.spend(16 * entries_of(source) + list.size() + added.size())) return {};
      const Pattern pattern(source);
      const bool is_met = schedpol::detail::any_of(
                              list, [&](const Toleration& each) { return meets(pattern, each); }) ||
                          schedpol::detail::any_of(added, [&](const Toleration& each) {
                            return pattern.matches_covered_by(each);
                          });
      if (!is_met) unmet.push_back(&source);
    }
    return unmet;
  }

  /// The fewest that meet all of some patterns, of those that `for_each` calls its argument with.
  template <class ForEach>
  [[nodiscard]] std::vector<Toleration> fewest_that_meet(const Patterns& sources,
                                                         ForEach&& for_each) {
    if (sources.empty()) return {};
    std::vector<Pattern> patterns;
    for (const TolerationPattern* source : sources) patterns.emplace_back(*source);
    std::map<RequirementSet, Toleration> first;  // of those that meet the same
    for_each([&](Toleration&& point) {
      RequirementSet met = 0;
      for (std::size_t i = 0; i < patterns.size(); ++i)
        if (meets(patterns[i], point)) met |= 1U << i;
      if (met != 0) first.try_emplace(met, std::move(point));
    });
    return fewest_that_meet((1U << patterns.size()) - 1, first);
  }

  /// What is exempt, which the default is given beside, with more of it in place of the pod's own as
  /// far as the default does not meet what is required.
  [[nodiscard]] std::optional<std::vector<Toleration>> beside_default(
      const std::vector<bool>& own) {
    std::vector<Toleration> there = check().defaults().in_order();
    for (std::size_t i = 0; i < list_.size(); ++i)
      if (!own[i]) there.push_back(list_[i]);
    const Patterns unmet = unmet_by(there);
    if (unmet.size() > max_fixed_requirements) return std::nullopt;
    return in_place_of(own, fewest_that_meet(unmet, [&](auto&& f) { for_each_exempt(unmet, f); }));
  }

  /// Requirements, a bit each.
  using RequirementSet = std::uint32_t;

  /// The fewest tolerations that meet all together, by how few meet any part of it. None where they
  /// do not.
  std::vector<Toleration> fewest_that_meet(RequirementSet whole,
                                           const std::map<RequirementSet, Toleration>& first) {
    std::vector<const Toleration*> last(std::size_t{whole} + 1);
    std::vector<RequirementSet> before(std::size_t{whole} + 1);
    std::vector<RequirementSet> reached = {0};
    for (std::size_t next = 0; next < reached.size() && last[whole] == nullptr; ++next) {
      if (!budget_.spend(first.size())) return {};
      for (const auto& [met, toleration] : first) {
        const RequirementSet more = reached[next] | met;
        if (last[more] != nullptr) continue;
        last[more] = &toleration;
        before[more] = reached[next];
        reached.push_back(more);
      }
    }
    std::vector<Toleration> all;
    if (last[whole] == nullptr) return all;
    for (RequirementSet met = whole; met != 0; met = before[met]) all.push_back(*last[met]);
    return all;
  }

  /// Calls `f(toleration)` for tolerations of every sort that the patterns tell apart, those that
  /// tolerate little first, until the budget is used up.
  template <class F>
  void for_each_point(std::span<const TolerationPattern* const> patterns, F&& f) {
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
    }
    for (const std::string_view key : with_keys) {
      for (const auto& [op, value] : with_values) {
        for (const TaintEffect effect : {TaintEffect::no_schedule, TaintEffect::prefer_no_schedule,
                                         TaintEffect::no_execute, TaintEffect::unset}) {
          Toleration point{std::string(key), op, std::string(value), effect, std::nullopt};
          while (is_exempt(point))
            point.toleration_seconds = point.toleration_seconds.value_or(0) + 1;
          if (!budget_.spend(16 + patterns.size())) return;
          f(std::move(point));
        }
      }
    }
  }

  /// Calls `f(toleration)` for each that is exempt, until the budget is used up.
  template <class F>
  void for_each_exempt(const Patterns& unmet, F&& f) {
    side_.exempt().for_each_toleration([&](Toleration each) {
      if (budget_.spend(16 + unmet.size())) f(std::move(each));
    });
  }

  /// Any one that is allowed alone.
  [[nodiscard]] std::optional<Toleration> any_permitted() {
    const TolerationPattern anything{any, any, any, any};
    std::vector<const TolerationPattern*> patterns = {&anything};
    for (const TolerationPattern& pattern : side_.spec().allowed.tolerations.listed())
      patterns.push_back(&pattern);
    std::optional<Toleration> found;
    for (const TolerationPattern* pattern : patterns) {
      if (found || !budget_.spend(8 * entries_of(*pattern))) break;
      for_each_point(std::span(&pattern, 1), [&](Toleration&& point) {
        if (!found && allows({point})) found = std::move(point);
      });
    }
    for (const Toleration& point : check().defaults().in_order())
      if (!found && allows({point})) found = point;
    return found;
  }

  const Side& side_;
  CheckSteps steps_;
  const std::vector<Toleration>& list_;
  Budget& budget_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
