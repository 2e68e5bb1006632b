// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether what is suggested without the objects of one owner permits them: how far it fits what is not
/// there yet.
///
/// That is how it is defined, and to suggest once for each owner would take the square of what one
/// suggestion does. So an object is asked first about more and about less than its subject would be
/// granted, and only where one permits it and the other does not is it decided by the definition.
/// - More: all that the others of its subject need, and what as many subjects need without it that
///   everybody is granted it. Nothing else is granted, and what permits more denies no less.
/// - Less: the same without what everybody is granted and might not be, because all who need it have
///   others that permit as much. Of the rest the suggestion leaves out nothing but what its others make
///   needless: whoever needs an entry is permitted by them, and so is everything that the entry permits,
///   because an entry is the narrowest one for some item that was not permitted. There are exceptions
///   (`is_permitted_as_a_whole`, `may_hide_what_is_there`); where a subject has any, nothing is known to
///   be granted.

#include <schedpol/insight/impl/suggest/suggestion_search.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class FragilitySearch {
 public:
  FragilitySearch(const SuggestSurroundings& around, std::span<const RunningObject> objects,
                  const SuggestionSearch& whole)
      : around_(around),
        objects_(objects),
        needed_(whole.needed()),
        plan_(whole.plan()),
        has_common_(plan_.is_common(1, 1)),
        of_owner_(needed_.owners.size()),
        needs_of_(needed_.subjects.size()),
        is_certain_(needed_.subjects.size(), true) {
    for (std::size_t i = 0; i < needed_.objects.size(); ++i) {
      const JudgedObject& object = needed_.objects[i];
      of_owner_[object.owner].push_back(i);
      for (const std::size_t entry : object.needs) {
        insert_number(owners_needing_[{subject_of(object), entry}], object.owner);
        // Whatever others need is granted to whoever may use every policy, too.
        if (needed_.unbound)
          insert_number(owners_needing_[{*needed_.unbound, entry}], object.owner);
      }
    }
    for (const auto& [key, owners] : owners_needing_) needs_of_[key.first].push_back(key.second);
    for (const RunningAccount& account : needed_.accounts)
      if (!is_certain(account)) is_certain_[account.subject] = false;
    for (const Numbers& subjects : plan_.needing()) counts_.push_back(subjects.size());
  }

  [[nodiscard]] Fragility run() {
    Fragility fragile;
    for (std::size_t owner = 0; owner < of_owner_.size(); ++owner) {
      const std::size_t steps = has_common_ ? counts_.size() + needed_.subjects.size() : 0;
      if (of_owner_[owner].empty() || !around_.budget.spend(steps + of_owner_[owner].size()))
        continue;
      ++fragile.owners;
      if (is_denied(owner)) ++fragile.denied;
    }
    return fragile;
  }

 private:
  enum class Answer { permitted, denied, unknown };

  [[nodiscard]] std::size_t subject_of(const JudgedObject& object) const {
    return needed_.accounts[object.account].subject;
  }

  /// Whether what permits the item that an entry is for permits all that the entry does.
  [[nodiscard]] static bool is_permitted_as_a_whole(const PolicySection& entry,
                                                    const UsablePolicies& there) {
    for (const scheduling_policy::TolerationPattern& pattern : entry.tolerations.listed()) {
      // Its item may be permitted in part by a default with other seconds, ...
      const auto& defaults = there.effective.spec().defaults.tolerations;
      if (pattern.effects.is_any() && defaults && !defaults->empty()) return false;
      // ... and one whose values became any by its own value.
      const bool may_be_wider = pattern.values.is_any() && !there.policies.empty();
      if (pattern.effects.is_any() && may_be_wider) return false;
      if (pattern.keys.is_any() && pattern.values.is_listed()) return false;
    }
    // It is for terms without an expression, which any other entry of the mode permits.
    const auto& modes = entry.affinities.listed().node_affinities.listed();
    return !modes.required_during_scheduling_ignored_during_execution.is_any() &&
           !modes.preferred_during_scheduling_ignored_during_execution.is_any();
  }
  /// Whether a policy that is granted to the subject, or to anybody, may come before one that an account
  /// of it has, and hide it.
  [[nodiscard]] bool may_hide_what_is_there(const RunningAccount& account) const {
    return around_.configuration.settings.strategy !=
               scheduling_policy::MergeStrategy::smart_deep_merge &&
           (around_.options.subject == SuggestedSubject::namespace_ ||
            account.subject == needed_.unbound) &&
           !account.usable->policies.empty();
  }
  [[nodiscard]] bool is_certain(const RunningAccount& account) const {
    return !may_hide_what_is_there(account) &&
           schedpol::detail::all_of(needs_of_[account.subject], [&](std::size_t entry) {
             return is_permitted_as_a_whole(needed_.entries[entry], *account.usable);
           });
  }

  [[nodiscard]] bool is_denied(std::size_t owner) {
    // Objects that need nothing change no grant, so leaving them out denies none.
    if (schedpol::detail::all_of(of_owner_[owner], [&](std::size_t number) {
          return needed_.objects[number].needs.empty();
        }))
      return false;
    const Numbers common = has_common_ ? common_without(owner) : Numbers();
    bool is_known = true;
    for (const std::size_t number : of_owner_[owner]) {
      const Answer answer = answer_to(needed_.objects[number], common);
      if (answer == Answer::denied) return true;
      is_known = is_known && answer == Answer::permitted;
    }
    return !is_known && is_denied_by_definition(owner);
  }

  [[nodiscard]] Answer answer_to(const JudgedObject& object, const Numbers& common) {
    const std::size_t subject = subject_of(object);
    const bool is_needed_by_others = schedpol::detail::all_of(object.needs, [&](std::size_t entry) {
      return owners_needing_.at({subject, entry}).size() > 1;
    });
    if (is_certain_[subject] && is_needed_by_others) return Answer::permitted;
    Numbers of_others;
    for (const std::size_t entry : needs_of_[subject])
      if (is_needed_without(object.owner, subject, entry)) of_others.push_back(entry);
    const auto allows_with = [&](const Numbers& granted_to_all) {
      Numbers granted;
      std::set_union(of_others.begin(), of_others.end(), granted_to_all.begin(),
                     granted_to_all.end(), std::back_inserter(granted));
      const RunningAccount& account = needed_.accounts[object.account];
      const SchedulingJudge& judge = plan_.judge();
      return judge.allows(object,
                          judge.with(account, needed_.entries.section_of(granted), granted.size()));
    };
    if (!may_hide_what_is_there(needed_.accounts[object.account]) && !allows_with(common))
      return Answer::denied;
    const bool is_permitted =
        is_certain_[subject] &&
        (common.empty() || allows_with(certainly_common(common, object.owner)));
    return is_permitted ? Answer::permitted : Answer::unknown;
  }
  [[nodiscard]] bool is_needed_without(std::size_t owner, std::size_t subject,
                                       std::size_t entry) const {
    const Numbers& owners = owners_needing_.at({subject, entry});
    return owners.size() > 1 || owners.front() != owner;
  }

  /// What so many subjects need without the objects of an owner that everybody is granted it.
  [[nodiscard]] Numbers common_without(std::size_t owner) const {
    Numbers common;
    std::size_t subjects = 0;
    for (const Numbers& owners : needed_.owners_of_subject)
      subjects += owners.size() > 1 || owners.front() != owner ? 1 : 0;
    if (needed_.unbound && needed_.owners_of_subject[*needed_.unbound] != Numbers{owner})
      --subjects;
    std::set<std::pair<std::size_t, std::size_t>> not_needed;  // entries, and by which subject
    for (const std::size_t number : of_owner_[owner]) {
      const JudgedObject& object = needed_.objects[number];
      const std::size_t subject = subject_of(object);
      for (const std::size_t entry : object.needs)
        if (subject != needed_.unbound && !is_needed_without(owner, subject, entry))
          not_needed.insert({entry, subject});
    }
    std::vector<std::size_t> counts = counts_;
    for (const auto& [entry, subject] : not_needed) --counts[entry];
    for (std::size_t entry = 0; entry < counts.size(); ++entry)
      if (plan_.is_common(counts[entry], subjects)) common.push_back(entry);
    return common;
  }

  /// What of the common entries is granted for certain: where an object of another owner would be denied
  /// without it by all that its subject may be granted.
  [[nodiscard]] Numbers certainly_common(const Numbers& common, std::size_t owner) {
    const auto [found, is_new] = needing_common_.try_emplace(common);
    if (is_new)
      for (const std::size_t entry : common)
        found->second.push_back(owners_that_need(entry, common));
    Numbers certain;
    for (std::size_t i = 0; i < common.size(); ++i)
      if (schedpol::detail::any_of(found->second[i],
                                   [&](std::size_t needing) { return needing != owner; }))
        certain.push_back(common[i]);
    return certain;
  }
  /// One or two of them.
  [[nodiscard]] Numbers owners_that_need(std::size_t entry, const Numbers& common) const {
    Numbers owners;
    for (const std::size_t subject : plan_.needing()[entry]) {
      if (!around_.budget.spend(1 + plan_.objects()[subject].size())) return owners;
      Numbers others;
      std::set_union(common.begin(), common.end(), needs_of_[subject].begin(),
                     needs_of_[subject].end(), std::back_inserter(others));
      others = without_number(std::move(others), entry);
      std::map<std::size_t, EffectivePolicy> by_account;
      for (const std::size_t number : plan_.objects()[subject]) {
        const JudgedObject& object = needed_.objects[number];
        if (!has_number(object.needs, entry) || has_number(owners, object.owner)) continue;
        const auto [found, is_new] = by_account.try_emplace(object.account);
        if (is_new)
          found->second = plan_.judge().with(needed_.accounts[object.account],
                                             needed_.entries.section_of(others), others.size());
        if (!plan_.judge().allows(object, found->second)) insert_number(owners, object.owner);
        if (owners.size() > 1 || around_.budget.used_up()) return owners;
      }
    }
    return owners;
  }

  /// Suggests for the others, and decides. Without common entries no subject to which anything is bound is
  /// granted anything for the objects of another one.
  [[nodiscard]] bool is_denied_by_definition(std::size_t owner) const {
    std::set<std::size_t> subjects;
    for (const std::size_t number : of_owner_[owner])
      subjects.insert(subject_of(needed_.objects[number]));
    const bool is_about_all =
        has_common_ || (needed_.unbound && subjects.contains(*needed_.unbound));
    std::vector<RunningObject> rest;
    for (std::size_t place = 0; place < objects_.size(); ++place) {
      const auto& [of_owner, of_subject] = needed_.origins[place];
      if (of_owner != owner && (is_about_all || subjects.contains(of_subject)))
        rest.push_back(objects_[place]);
    }
    SuggestOptions options = around_.options;
    options.max_policies = 0;
    const SuggestSurroundings around{around_.configuration, around_.engine, options,
                                     around_.budget};
    SuggestionSearch search(around, rest);
    if (!search.run().empty()) return true;
    return schedpol::detail::any_of(of_owner_[owner], [&](std::size_t number) {
      const Request& request = objects_[needed_.objects[number].place].request;
      return !search.engine_with_all().decide(request).allowed;
    });
  }

  const SuggestSurroundings& around_;
  std::span<const RunningObject> objects_;
  const NeededPermissions& needed_;
  const GrantPlan& plan_;
  bool has_common_;                ///< what many need is granted to everybody
  std::vector<Numbers> of_owner_;  ///< the objects of each
  std::map<std::pair<std::size_t, std::size_t>, Numbers> owners_needing_;  ///< by subject and entry
  std::vector<Numbers> needs_of_;                                          ///< of each subject
  std::vector<bool> is_certain_;     ///< of each subject: no exception is among its needs
  std::vector<std::size_t> counts_;  ///< of the subjects that need each entry
  /// By common entries: for each of them, owners that certainly need it.
  std::map<Numbers, std::vector<Numbers>> needing_common_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
