// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Whether what is suggested without the objects of one owner permits them: how far it fits what is not
/// there yet.

#include <schedpol/insight/impl/suggest/grants.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

class FragilitySearch {
 public:
  FragilitySearch(const NeededPermissions& needed, const GrantPlan& plan)
      : needed_(needed),
        plan_(plan),
        of_owner_(needed.owners.size()),
        owners_of_subject_(needed.subjects.size()) {
    for (std::size_t i = 0; i < needed.objects.size(); ++i) {
      const JudgedObject& object = needed.objects[i];
      of_owner_[object.owner].push_back(i);
      const std::size_t subject = subject_of(object);
      insert_number(owners_of_subject_[subject], object.owner);
      for (const std::size_t entry : object.needs)
        insert_number(owners_needing_[{subject, entry}], object.owner);
    }
    for (std::size_t entry = 0; entry < plan.needing().size(); ++entry)
      counts_.push_back(plan.needing()[entry].size());
  }

  [[nodiscard]] Fragility run() const {
    Fragility fragile;
    Budget& budget = plan_.judge().budget();
    for (const Numbers& objects : of_owner_) {
      if (objects.empty() || !budget.spend(counts_.size() + objects.size())) continue;
      ++fragile.owners;
      const Numbers common = common_without(objects);
      for (const std::size_t number : objects) {
        if (is_permitted(needed_.objects[number], common)) continue;
        ++fragile.denied;
        break;
      }
    }
    return fragile;
  }

 private:
  [[nodiscard]] std::size_t subject_of(const JudgedObject& object) const {
    return needed_.accounts[object.account].subject;
  }
  /// Whether nobody else of the subject needs it.
  [[nodiscard]] bool is_alone(std::size_t subject, std::size_t entry) const {
    return owners_needing_.at({subject, entry}).size() == 1;
  }

  /// What everybody is granted without the objects of an owner.
  [[nodiscard]] Numbers common_without(const Numbers& objects) const {
    Numbers common;
    std::size_t subjects = needed_.subjects.size();
    std::set<std::size_t> gone;
    std::map<std::size_t, std::set<std::size_t>> not_needed;  // by entry, the subjects
    for (const std::size_t number : objects) {
      const JudgedObject& object = needed_.objects[number];
      const std::size_t subject = subject_of(object);
      if (owners_of_subject_[subject].size() == 1) gone.insert(subject);
      for (const std::size_t entry : object.needs)
        if (is_alone(subject, entry)) not_needed[entry].insert(subject);
    }
    subjects -= gone.size();
    for (std::size_t entry = 0; entry < counts_.size(); ++entry) {
      const auto found = not_needed.find(entry);
      const std::size_t fewer = found == not_needed.end() ? 0 : found->second.size();
      if (plan_.is_common(counts_[entry] - fewer, subjects)) common.push_back(entry);
    }
    return common;
  }

  [[nodiscard]] bool is_permitted(const JudgedObject& object, const Numbers& common) const {
    const std::size_t subject = subject_of(object);
    const bool has_what_is_its_own = std::any_of(
        object.needs.begin(), object.needs.end(),
        [&](std::size_t entry) { return is_alone(subject, entry) && !has_number(common, entry); });
    if (!has_what_is_its_own) return true;
    Numbers granted = common;
    auto at = owners_needing_.lower_bound({subject, 0});
    for (; at != owners_needing_.end() && at->first.first == subject; ++at) {
      const Numbers& owners = at->second;
      if (owners.size() > 1 || owners.front() != object.owner)
        insert_number(granted, at->first.second);
    }
    const RunningAccount& account = needed_.accounts[object.account];
    return plan_.judge().allows(
        object, plan_.judge().with(account, needed_.entries.section_of(granted), granted.size()));
  }

  const NeededPermissions& needed_;
  const GrantPlan& plan_;
  std::vector<Numbers> of_owner_;  ///< the objects of each
  std::vector<Numbers> owners_of_subject_;
  std::map<std::pair<std::size_t, std::size_t>, Numbers> owners_needing_;  ///< by subject and entry
  std::vector<std::size_t> counts_;  ///< of the subjects that need each entry
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
