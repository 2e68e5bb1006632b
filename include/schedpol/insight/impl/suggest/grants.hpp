// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which entries are granted to whom: the least that permits what everybody needs, and how it is divided
/// into policies.

#include <schedpol/insight/impl/suggest/need_search.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// A policy: its entries and whom it is granted to.
struct GrantedPolicy {
  Numbers entries{};
  Numbers subjects{};  ///< empty if only accounts that may use every policy need it
  bool to_everybody = false;
  const SchedulingPolicy* there = nullptr;  ///< one that is there already, and stays as it is
};

class GrantPlan {
 public:
  GrantPlan(const Engine& engine, const Settings& settings, const SuggestOptions& options,
            const NeededPermissions& needed, Budget& budget)
      : settings_(settings),
        options_(options),
        needed_(needed),
        judge_(engine, settings, budget),
        budget_(budget),
        objects_(needed.subjects.size()),
        needing_(needed.entries.size()) {
    for (std::size_t i = 0; i < needed.objects.size(); ++i) {
      const JudgedObject& object = needed.objects[i];
      const std::size_t subject = needed.accounts[object.account].subject;
      objects_[subject].push_back(i);
      if (subject == needed.unbound) {
        insert_all(needs_unbound_, object.needs);
      } else {
        for (const std::size_t entry : object.needs) insert_number(needing_[entry], subject);
      }
    }
  }

  /// The policies that are suggested, and whom those that are there are granted to.
  std::vector<GrantedPolicy> run() {
    const std::vector<Numbers> needs = needs_by_subject();
    group(needs);
    join_policies();
    remove_needless();
    return std::move(policies_);
  }

  /// Grants of an entry to an account of which no object needs it. Who may use every policy is granted
  /// nothing.
  [[nodiscard]] std::size_t excess(const std::vector<GrantedPolicy>& policies) const {
    std::vector<Numbers> needs(needed_.accounts.size());
    for (const JudgedObject& object : needed_.objects)
      insert_all(needs[object.account], object.needs);
    std::size_t excess = 0;
    for (std::size_t i = 0; i < needs.size() && budget_.spend(policies.size()); ++i) {
      if (needed_.accounts[i].subject == needed_.unbound) continue;
      Numbers in_vain = granted_by(policies, needed_.accounts[i].subject);
      erase_all(in_vain, needs[i]);
      excess += in_vain.size();
    }
    return excess;
  }

  /// Whether so many of the bound subjects need an entry that everybody is granted it.
  [[nodiscard]] bool is_common(std::size_t needing, std::size_t subjects) const noexcept {
    return options_.common_percent > 0 &&
           settings_.strategy == scheduling_policy::MergeStrategy::smart_deep_merge &&
           settings_.policy_use == PolicyUse::rbac && needing > 0 &&
           needing * 100 >= options_.common_percent * subjects;
  }

  [[nodiscard]] const std::vector<Numbers>& objects() const noexcept { return objects_; }
  /// The subjects that need each entry, without the accounts that may use every policy.
  [[nodiscard]] const std::vector<Numbers>& needing() const noexcept { return needing_; }
  [[nodiscard]] const SchedulingJudge& judge() const noexcept { return judge_; }

 private:
  static bool has_all(const Numbers& numbers, const Numbers& of) {
    return std::includes(numbers.begin(), numbers.end(), of.begin(), of.end());
  }
  static void insert_all(Numbers& into, const Numbers& numbers) {
    for (const std::size_t number : numbers) insert_number(into, number);
  }
  static void erase_all(Numbers& from, const Numbers& numbers) {
    schedpol::detail::erase_if(from, [&](std::size_t each) { return has_number(numbers, each); });
  }

  /// Whether some object of these subjects is denied by what each is granted; those that need `entry`
  /// are asked first.
  template <class Granted>
  [[nodiscard]] bool denies_some(const Numbers& subjects, std::size_t entry,
                                 Granted&& granted) const {
    for (const bool needs_it : {true, false}) {
      for (const std::size_t subject : subjects) {
        if (!budget_.spend(1 + objects_[subject].size())) return false;
        std::optional<PolicySection> section;
        std::size_t entries = 0;
        std::map<std::size_t, EffectivePolicy> by_account;
        for (const std::size_t number : objects_[subject]) {
          const JudgedObject& object = needed_.objects[number];
          if (object.needs.empty() || has_number(object.needs, entry) != needs_it) continue;
          if (!section) {
            const Numbers numbers = granted(subject);
            entries = numbers.size();
            budget_.spend(steps_of_entry * entries + policies_.size());
            section = needed_.entries.section_of(numbers);
          }
          const auto [found, is_new] = by_account.try_emplace(object.account);
          if (is_new)
            found->second =
                judge_.with(needed_.accounts[object.account], PolicySection(*section), entries);
          if (!judge_.allows(object, found->second)) return true;
        }
      }
    }
    return false;
  }

  /// What everybody needs, and then what each subject needs besides, without what the others of these
  /// make needless.
  std::vector<Numbers> needs_by_subject() {
    std::vector<Numbers> needs(needed_.subjects.size());
    for (std::size_t entry = 0; entry < needing_.size(); ++entry) {
      if (is_common(needing_[entry].size(), bound_subjects())) common_.push_back(entry);
      for (const std::size_t subject : needing_[entry]) needs[subject].push_back(entry);
    }
    Numbers granted_to_some = common_;
    for (std::size_t subject = 0; subject < needs.size(); ++subject) {
      remove_needless(needs[subject], subject, common_);
      insert_all(granted_to_some, needs[subject]);
    }
    if (needed_.unbound) remove_needless(needs_unbound_, *needed_.unbound, granted_to_some);
    return needs;
  }
  /// What a subject needs besides what it is granted anyway.
  void remove_needless(Numbers& needs, std::size_t subject, const Numbers& granted_anyway) {
    erase_all(needs, granted_anyway);
    for (const std::size_t entry : Numbers(needs)) {
      if (!budget_.spend(1 + needs.size() / numbers_a_step)) return;
      const Numbers without = without_number(needs, entry);
      const auto granted = [&](std::size_t) {
        Numbers all = without;
        insert_all(all, granted_anyway);
        return all;
      };
      if (!denies_some({subject}, entry, granted)) needs = without;
    }
  }

  void group(std::vector<Numbers> needs) {
    const bool by_entry = settings_.strategy == scheduling_policy::MergeStrategy::smart_deep_merge;
    Numbers common = common_;
    if (by_entry) use_what_is_there(needs, common);
    if (!common.empty()) policies_.push_back({.entries = common, .to_everybody = true});
    std::map<Numbers, Numbers> groups;
    if (by_entry) {
      std::vector<Numbers> subjects(needed_.entries.size());
      for (std::size_t subject = 0; subject < needs.size(); ++subject)
        for (const std::size_t entry : needs[subject]) subjects[entry].push_back(subject);
      for (std::size_t entry = 0; entry < subjects.size(); ++entry)
        if (!subjects[entry].empty() || has_number(needs_unbound_, entry))
          groups[subjects[entry]].push_back(entry);
      for (auto& [of, entries] : groups) policies_.push_back({.entries = entries, .subjects = of});
    } else {
      for (std::size_t subject = 0; subject < needs.size(); ++subject)
        if (!needs[subject].empty()) groups[needs[subject]].push_back(subject);
      for (auto& [entries, of] : groups) policies_.push_back({.entries = entries, .subjects = of});
    }
    std::sort(policies_.begin(), policies_.end(),
              [](const GrantedPolicy& a, const GrantedPolicy& b) {
                return std::tie(a.entries, a.subjects) < std::tie(b.entries, b.subjects);
              });
  }

  /// Grants policies that are there to whom needs all that they say.
  void use_what_is_there(std::vector<Numbers>& needs, Numbers& common) {
    if (settings_.policy_use == PolicyUse::every) return;
    std::map<std::string_view, const SchedulingPolicy*> by_name;
    judge_.system().for_each_policy([&](const SchedulingPolicy& policy) {
      by_name.emplace(policy.metadata.name, &policy);
      return true;
    });
    for (const auto& [name, policy] : by_name) {
      const Numbers entries = entries_of(*policy);
      if (entries.empty() || !budget_.spend(needs.size())) continue;
      GrantedPolicy granted{.entries = entries, .there = policy};
      if (has_all(common, entries)) {
        granted.to_everybody = true;
        erase_all(common, entries);
      } else {
        for (std::size_t subject = 0; subject < needs.size(); ++subject) {
          if (!has_all(needs[subject], entries)) continue;
          granted.subjects.push_back(subject);
          erase_all(needs[subject], entries);
        }
      }
      if (granted.to_everybody || !granted.subjects.empty())
        policies_.push_back(std::move(granted));
    }
  }
  /// None where it says anything that nobody needs.
  [[nodiscard]] Numbers entries_of(const SchedulingPolicy& policy) const {
    if (policy.spec.required != PolicySection{} ||
        policy.spec.defaults != scheduling_policy::Defaults{})
      return {};
    Numbers entries;
    bool is_needed = true;
    scheduling_policy::detail::for_each_allowed_entry(
        policy.spec.allowed, [&](const FieldPath& place, std::string value, const PolicySection&) {
          const auto number = needed_.entries.find({place.without_indices(), std::move(value)});
          is_needed = is_needed && number;
          if (number) insert_number(entries, *number);
        });
    return is_needed ? entries : Numbers();
  }

  /// Joins the two policies that grant the least to whom does not need it, until there are few enough.
  /// Each knows with which later one that is, so that few are compared again once two are joined.
  void join_policies() {
    if (options_.max_policies == 0) return;
    std::vector<GrantedPolicy> joined;
    for (const GrantedPolicy& policy : policies_)
      if (policy.there == nullptr) joined.push_back(policy);
    schedpol::detail::erase_if(policies_,
                               [](const GrantedPolicy& policy) { return policy.there == nullptr; });
    std::vector<Partner> partners;
    for (std::size_t i = 0; i < joined.size(); ++i) partners.push_back(partner_of(joined, i));
    while (joined.size() > options_.max_policies && joined.size() > 1 && !budget_.used_up()) {
      const auto best = std::min_element(partners.begin(), partners.end());
      const auto into = static_cast<std::size_t>(best - partners.begin());
      const std::size_t from = best->policy;
      join(joined[into], joined[from]);
      joined.erase(joined.begin() + static_cast<std::ptrdiff_t>(from));
      partners.erase(partners.begin() + static_cast<std::ptrdiff_t>(from));
      for (std::size_t i = 0; i < joined.size(); ++i) {
        Partner& partner = partners[i];
        const bool is_gone = partner.policy == from || partner.policy == into;
        if (partner.policy > from && partner.policy != none) --partner.policy;
        if (i == into || is_gone) {
          partner = partner_of(joined, i);
        } else if (i < into) {
          partner = std::min(partner, {joint_cost(joined[i], joined[into]), into});
        }
      }
    }
    schedpol::detail::append(policies_, std::move(joined));
  }

  /// The later policy with which one is joined at the least cost, and that.
  struct Partner {
    std::size_t cost = none;
    std::size_t policy = none;

    friend auto operator<=>(const Partner&, const Partner&) = default;
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  [[nodiscard]] Partner partner_of(const std::vector<GrantedPolicy>& policies,
                                   std::size_t of) const {
    Partner partner;
    for (std::size_t i = of + 1; i < policies.size() && !budget_.used_up(); ++i)
      partner = std::min(partner, {joint_cost(policies[of], policies[i]), i});
    return partner;
  }
  static void join(GrantedPolicy& into, const GrantedPolicy& from) {
    insert_all(into.entries, from.entries);
    insert_all(into.subjects, from.subjects);
    into.to_everybody = into.to_everybody || from.to_everybody;
    if (into.to_everybody) into.subjects.clear();
  }
  [[nodiscard]] std::size_t joint_cost(const GrantedPolicy& a, const GrantedPolicy& b) const {
    return cost_of(a, b) + cost_of(b, a);
  }
  /// What of one policy those of another are granted in vain.
  [[nodiscard]] std::size_t cost_of(const GrantedPolicy& policy, const GrantedPolicy& to) const {
    if (policy.to_everybody) return 0;
    const std::size_t subjects = to.to_everybody ? bound_subjects() : to.subjects.size();
    std::size_t have = 0;
    budget_.spend(1 + policy.subjects.size());
    for (const std::size_t subject : policy.subjects)
      have += to.to_everybody || has_number(to.subjects, subject) ? 1 : 0;
    return policy.entries.size() * (subjects - have);
  }
  [[nodiscard]] std::size_t bound_subjects() const noexcept {
    return needed_.subjects.size() - (needed_.unbound ? 1 : 0);
  }

  /// What joined and common policies grant in vain makes other entries and subjects needless.
  void remove_needless() {
    if (common_.empty() && options_.max_policies == 0) return;
    const auto granted = [&](std::size_t subject) { return granted_by(policies_, subject); };
    for (GrantedPolicy& policy : policies_) {
      if (policy.there != nullptr) continue;
      for (const std::size_t entry : Numbers(policy.entries)) {
        if (!budget_.spend(1 + policy.entries.size() / numbers_a_step)) return;
        const Numbers before = policy.entries;
        policy.entries = without_number(before, entry);
        if (denies_some(subjects_of(policy), entry, granted)) policy.entries = before;
      }
    }
    for (GrantedPolicy& policy : policies_) {
      if (policy.to_everybody) {
        const Numbers all = subjects_of(policy);
        policy.to_everybody = false;
        policy.to_everybody =
            denies_some(all, policy.entries.empty() ? 0 : policy.entries.front(), granted);
      }
      for (const std::size_t subject : Numbers(policy.subjects)) {
        if (!budget_.spend(1 + policy.subjects.size() / numbers_a_step)) return;
        const Numbers before = policy.subjects;
        policy.subjects = without_number(before, subject);
        if (denies_some({subject}, policy.entries.empty() ? 0 : policy.entries.front(), granted))
          policy.subjects = before;
      }
    }
    schedpol::detail::erase_if(policies_, [&](const GrantedPolicy& policy) {
      return policy.entries.empty() ||
             (!policy.to_everybody && policy.subjects.empty() && !needed_.unbound);
    });
  }
  [[nodiscard]] Numbers subjects_of(const GrantedPolicy& policy) const {
    if (!policy.to_everybody) {
      Numbers subjects = policy.subjects;
      if (needed_.unbound) insert_number(subjects, *needed_.unbound);
      return subjects;
    }
    Numbers all(needed_.subjects.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return all;
  }
  /// What a subject is granted.
  [[nodiscard]] Numbers granted_by(const std::vector<GrantedPolicy>& policies,
                                   std::size_t subject) const {
    Numbers all;
    for (const GrantedPolicy& policy : policies)
      if (policy.to_everybody || subject == needed_.unbound || has_number(policy.subjects, subject))
        insert_all(all, policy.entries);
    return all;
  }

  /// That are copied.
  static constexpr std::size_t numbers_a_step = 8;

  const Settings& settings_;
  const SuggestOptions& options_;
  const NeededPermissions& needed_;
  SchedulingJudge judge_;
  Budget& budget_;
  std::vector<Numbers> objects_;  ///< of each subject
  std::vector<Numbers> needing_;  ///< by entry: the subjects that need it and are bound
  Numbers needs_unbound_;  ///< of accounts that may use every policy: what nobody else is granted
  Numbers common_;
  std::vector<GrantedPolicy> policies_;
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
