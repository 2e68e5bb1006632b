// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The lists of tolerations on which two policies differ, if they do. Finitely many are tried. Why they
/// suffice, where one side (here) is to allow a list that the other (there) denies:
///
/// 1. Tolerations. A pattern asks of the key, the operator, the value and the effect, each by itself,
///    whether its list has it; it does not ask for seconds. So two tolerations that no default gives and
///    nobody exempts are alike where they have the same operator and effect, and their keys and their
///    values stand in the same lists (`EquivalenceClasses`): the same patterns match them. Tried are, for
///    each pattern, a key and a value of each class that its lists have, with all operators and effects.
///    Where a list is any, a text is tried that nobody lists: the pattern matches it, too, and no other
///    pattern does that does not match the listed one. What is exempt or given is tried itself, and
///    beside it the same with other seconds, which is neither.
/// 2. It follows: where a pattern matches a toleration that some other patterns do not match, it also
///    matches one that is tried and that none of those matches.
/// 3. No effect means each of them. Such a toleration is permitted where it is permitted with each
///    effect. So where it is permitted here and not there, that is also so with one of the effects.
/// 4. Lists. A list is allowed where each item is permitted or exempt, and each requirement is met by one
///    of them. An item more never takes that from the others. Let a list be allowed here, and not there.
///    a. An item is not permitted there. By 2 and 3 one that is tried is permitted here alone. With it,
///       and one that meets each requirement here, a list is allowed here and not there (`try_from`).
///    b. All are permitted there, and none meets some requirement of that side. For each requirement here
///       the list has an item that meets it. By 2 one that is tried does so as well, and does not meet
///       the requirement there either. All of these make such a list (`try_without`). Where nothing is
///       required here, one item that is permitted will do, or none.
/// 5. Defaults. A side gives its default to a list of nothing but what it exempts. By 4 what else such
///    a list has in it never harms, so it is enough to try those with the most in them: nothing, all that
///    both exempt, all that the other side exempts and this one permits, and, for each requirement of the
///    other side, all that this one exempts and that does not meet it.

#include <schedpol/insight/impl/compared.hpp>

#include <deque>
#include <iterator>

namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail {

class ComparedTolerations {
 public:
  ComparedTolerations(const Sides& sides, Budget& budget) : sides_(sides), budget_(budget) {
    for (const Side& side : sides_) steps_a_point_ += CheckSteps(side).of_toleration();
    collect();
    for (std::size_t side = 0; side < 2; ++side) look_at(side);
  }

  void run(Component& component) {
    component_ = &component;
    attempt({});
    Indices on_both_sides;  // where either may give its default
    for (std::size_t i = 0; i < all_.size(); ++i)
      if (of_[0].exempt[i] && of_[1].exempt[i]) on_both_sides.push_back(i);
    attempt(on_both_sides);
    for (std::size_t side = 0; side < 2; ++side) try_from(side);
  }

 private:
  using Indices = std::vector<std::size_t>;

  /// What one side says of each toleration, and which of them meet each of its requirements.
  struct OfSide {
    std::vector<bool> permitted;  ///< or exempt
    std::vector<bool> exempt;
    std::vector<bool> injected;     ///< by a class or a cluster policy
    std::vector<Pattern> required;  ///< and not met by what is added
    std::vector<Indices> meeting;
  };

  /// Of the tolerations that the patterns of both tell apart, one each. A pattern that takes any
  /// key or value is missed by none more than by a key or value that nobody lists.
  void collect() {
    const TolerationPattern anything{any, any, any, any};
    std::vector<const TolerationPattern*> patterns = {&anything};
    EquivalenceClasses keys;
    EquivalenceClasses values;
    for (const Side& side : sides_) {
      for (const auto* list : {&side.spec().required.tolerations, &side.spec().allowed.tolerations})
        for (const TolerationPattern& pattern : list->listed()) patterns.push_back(&pattern);
      side.exempt().for_each_toleration([&](const Toleration& each) { add_point(each, false); });
      const DefaultTolerations by_default(side.spec().defaults.tolerations);
      for (const Toleration& toleration : by_default.in_order()) add_point(toleration, true);
    }
    for (const TolerationPattern* pattern : patterns) {
      keys.add(pattern->keys.listed());
      values.add(pattern->values.listed());
    }
    const std::string other_key = keys.other();
    const std::string other_value = values.other();
    std::set<std::pair<std::string_view, std::string_view>> seen;
    for (const TolerationPattern* pattern : patterns) {
      std::vector<std::string_view> with_values = values.of(pattern->values, other_value);
      with_values.emplace_back();
      for (const std::string_view key : keys.of(pattern->keys, other_key))
        for (const std::string_view value : with_values)
          if (!budget_.used_up() && seen.emplace(key, value).second)
            add(std::string(key), std::string(value));
    }
  }

  /// Of every operator and effect.
  void add(const std::string& key, const std::string& value) {
    const bool has_points = keys_of_points_.contains(key);
    for (const TolerationOperator op : {TolerationOperator::equal, TolerationOperator::exists,
                                        TolerationOperator::lt, TolerationOperator::gt}) {
      if (op == TolerationOperator::exists && !value.empty()) continue;
      if (!may_add(has_points ? 16 : 4, key, value)) return;
      for (const TaintEffect effect : {TaintEffect::unset, TaintEffect::no_schedule,
                                       TaintEffect::prefer_no_schedule, TaintEffect::no_execute}) {
        if (!has_points) {
          all_.push_back({key, op, value, effect, std::nullopt});
          continue;
        }
        Toleration toleration{key, op, value, effect, std::nullopt};
        add_distinct(toleration);
        toleration.toleration_seconds = other_seconds_;
        add_distinct(std::move(toleration));
      }
    }
  }
  /// One that is itself exempt or given, and with `any_effect` the one that has none.
  void add_point(const Toleration& toleration, bool any_effect) {
    keys_of_points_.insert(toleration.key);
    if (toleration.toleration_seconds) seconds_.insert(*toleration.toleration_seconds);
    while (seconds_.contains(other_seconds_)) ++other_seconds_;
    if (!may_add(4, toleration.key, toleration.value)) return;
    add_distinct(toleration);
    if (!any_effect) return;
    Toleration without = toleration;
    without.effect = TaintEffect::unset;
    add_distinct(std::move(without));
  }
  void add_distinct(Toleration toleration) {
    if (seen_.contains(TolerationIdentity(toleration))) return;
    all_.push_back(std::move(toleration));
    seen_.insert(TolerationIdentity(all_.back()));
  }
  /// So many tolerations of a key and value, of which each side is asked.
  bool may_add(std::size_t count, const std::string& key, const std::string& value) {
    return budget_.spend(count * steps_a_point_) &&
           budget_.keep(count * (sizeof(Toleration) + key.size() + value.size() + 24));
  }

  void look_at(std::size_t side) {
    const auto& [policy, options] = sides_[side];
    OfSide& of = of_[side];
    of.permitted.resize(all_.size());
    of.exempt.resize(all_.size());
    of.injected.resize(all_.size());
    const auto& rule = EffectivePolicyAccess::of(policy).checks.of(tolerations_field);
    std::set<TolerationIdentity> exempt;
    sides_[side].exempt().for_each_toleration(
        [&](const Toleration& each) { exempt.insert(TolerationIdentity(each)); });
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const Toleration& toleration = all_[i];
      of.exempt[i] = exempt.contains(TolerationIdentity(toleration));
      of.injected[i] = of.exempt[i] && sides_[side].exempt().give(toleration);
      of.permitted[i] = of.exempt[i] || rule.permits(toleration);
    }
    Indices every;
    std::map<std::string_view, Indices> by_key;
    const auto& patterns = policy.spec().required.tolerations.listed();
    for (std::size_t i = 0; i < all_.size() && !patterns.empty(); ++i) {
      every.push_back(i);
      by_key[all_[i].key].push_back(i);
    }
    for (const TolerationPattern& pattern : patterns) {
      Pattern made(pattern);
      const std::vector<Toleration>& added = options->added_to_pods.tolerations;
      if (schedpol::detail::any_of(
              added, [&](const Toleration& each) { return made.matches_covered_by(each); }))
        continue;
      const Pattern& required = of.required.emplace_back(std::move(made));
      Indices& meeting = of.meeting.emplace_back();
      const auto add = [&](const Indices& all) {
        if (!budget_.spend(1 + all.size())) return;
        for (const std::size_t i : all)
          if (meets(of, required, i)) meeting.push_back(i);
      };
      if (pattern.keys.is_any()) add(every);
      std::set<std::string_view> keys(pattern.keys.listed().begin(), pattern.keys.listed().end());
      if (!keys.empty()) keys.insert("");  // which covers every key
      for (const std::string_view key : keys)
        if (const auto found = by_key.find(key); found != by_key.end()) add(found->second);
      std::sort(meeting.begin(), meeting.end());
    }
  }

  /// Whether a toleration meets what one side requires.
  [[nodiscard]] bool meets(const OfSide& of, const Pattern& required, std::size_t i) const {
    return required.matches(all_[i]) || (of.injected[i] && required.matches_covered_by(all_[i]));
  }

  void try_from(std::size_t side) {
    const OfSide& here = of_[side];
    const OfSide& there = of_[1 - side];
    Indices meeting;
    for (const Indices& one : here.meeting)
      if (!one.empty()) meeting.push_back(one.front());
    attempt(meeting);
    // What a default gives may be denied.
    for (std::size_t i = 0; i < all_.size() && meeting.empty(); ++i) {
      if (!here.permitted[i] || here.exempt[i]) continue;
      attempt({i});
      break;
    }
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (!here.permitted[i] || there.permitted[i]) continue;
      Indices list = meeting;
      list.push_back(i);
      attempt(list);
      break;
    }
    Indices exempt_here;
    Indices exempt_there;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      if (here.exempt[i]) exempt_here.push_back(i);
      if (there.exempt[i] && here.permitted[i]) exempt_there.push_back(i);
    }
    // For each requirement over there all that meets one here is gone through, and all there is.
    std::size_t steps = all_.size() + exempt_here.size();
    for (const Indices& one : here.meeting) steps += 1 + one.size();
    if (!budget_.spend(there.required.size() * steps)) return;
    for (const Pattern& required : there.required) try_without(here, there, required, exempt_here);
    attempt(exempt_there);
  }

  /// A list that nothing meets the requirement in, over there, with one that is not exempt there and
  /// so keeps the default away. Where all of a list is exempt here, the default may meet the rest.
  void try_without(const OfSide& here, const OfSide& there, const Pattern& required,
                   const Indices& exempt_here) {
    const auto avoids = [&](std::size_t i) { return !meets(there, required, i); };
    Indices exempt;
    std::copy_if(exempt_here.begin(), exempt_here.end(), std::back_inserter(exempt), avoids);
    if (!exempt.empty()) attempt(exempt);
    const auto is_found = [&](std::size_t i) { return !there.exempt[i] && avoids(i); };
    Indices list;
    for (const Indices& meeting : here.meeting) {
      // Beside one that is exempt there is another one of the same patterns, for other seconds.
      const auto found = std::find_if(meeting.begin(), meeting.end(), is_found);
      if (found == meeting.end()) return;
      list.push_back(*found);
    }
    attempt(list);
    for (std::size_t i = 0; i < all_.size() && list.empty(); ++i)
      if (here.permitted[i] && !here.exempt[i] && is_found(i)) list.push_back(i);
    if (here.meeting.empty()) attempt(list);
  }

  void attempt(const Indices& list) {
    if (budget_.used_up()) return;
    PodSpec spec;
    for (const std::size_t i : list) spec.tolerations.push_back(all_[i]);
    component_->attempt(spec);
  }

  const Sides& sides_;
  Budget& budget_;
  Component* component_ = nullptr;
  std::size_t steps_a_point_ = 24;     ///< of making one, and what both sides say of it
  std::deque<Toleration> all_;         ///< which does not move while it grows
  std::set<TolerationIdentity> seen_;  ///< of keys that points have; refers to `all_`
  std::set<std::string, std::less<>> keys_of_points_;
  std::set<std::int64_t> seconds_;
  std::int64_t other_seconds_ = 1;  ///< those of no default and no exempt one
  std::array<OfSide, 2> of_;
};

}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy::detail
