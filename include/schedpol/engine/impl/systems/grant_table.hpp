// SPDX-License-Identifier: Apache-2.0
#pragma once

/// The SchedulingPolicies that the service accounts of a cluster may use, computed in advance for each
/// account and each namespace that a binding names, and for everybody else. Only service accounts run
/// pods. A change of roles and bindings updates only the accounts that it affects.

#include <schedpol/base/impl/persistent_map.hpp>
#include <schedpol/base/impl/persistent_vector.hpp>
#include <schedpol/base/impl/text_key.hpp>
#include <schedpol/engine/system.hpp>

namespace SCHEDPOL_NAMESPACE::engine::detail {

/// The different grants, by number. One without holders keeps its number.
class NumberedGrants {
 public:
  [[nodiscard]] std::size_t size() const noexcept { return grants_.size(); }

  [[nodiscard]] const rbac::Grant& operator[](std::size_t number) const noexcept {
    return grants_[number];
  }

  /// The number of a grant; one that is new is added to `added`.
  std::size_t number_of(rbac::Grant grant, std::set<std::size_t>& added) {
    const std::string text = text_of(grant);
    if (const std::size_t* const known = numbers_.find({0, text, {}})) return *known;
    const std::size_t number = grants_.size();
    numbers_[{0, text, {}}] = number;
    added.insert(number);
    if (grant.all) of_all_ = number;
    for (const std::string& name : grant.names) by_policy_[{0, name, {}}].push_back(number);
    grants_.push_back(std::move(grant));
    return number;
  }

  /// The grants that a policy of this name is part of.
  [[nodiscard]] std::vector<std::size_t> of_policy(std::string_view policy) const {
    std::vector<std::size_t> numbers;
    if (const auto* of_policy = by_policy_.find({0, policy, {}})) numbers = *of_policy;
    if (of_all_) numbers.push_back(*of_all_);
    return numbers;
  }

 private:
  /// No two grants have one text.
  static std::string text_of(const rbac::Grant& grant) {
    if (grant.all) return "*";
    schedpol::detail::TextKey key;
    for (const std::string& name : grant.names) key.add(name);
    return std::move(key).text();
  }

  schedpol::detail::PersistentVector<rbac::Grant> grants_;
  schedpol::detail::PersistentMap<std::size_t> numbers_;  ///< by the text of what is granted
  schedpol::detail::PersistentMap<std::vector<std::size_t>> by_policy_;
  std::optional<std::size_t> of_all_;
};

class GrantTable {
 public:
  /// Of no roles and bindings.
  explicit GrantTable(const Settings& settings)
      : every_(settings.policy_use == PolicyUse::every),
        rbac_(rbac::compile({}, access_of(settings))) {
    holders_[all_accounts] = {};
    std::set<std::size_t> added;
    find_out({all_accounts.kind, {}, {}}, added);
  }

  [[nodiscard]] const NumberedGrants& grants() const noexcept { return grants_; }

  /// Takes `usable`, where no two bindings are called the same, in the place of what is called like
  /// one of `replaced`; nothing else is in `usable`. The numbers of the grants that are new.
  std::set<std::size_t> change(const rbac::Rbac& replaced, const rbac::Rbac& usable) {
    std::set<std::size_t> added;
    if (every_) return added;
    std::set<MapKey> touched;
    for (const rbac::ServiceAccounts& accounts : rbac_.bound_accounts(replaced))
      --holders_[view(*touched.insert(key_of(accounts)).first)].bindings;
    rbac_ = rbac_.without(replaced).with(usable);
    for (const rbac::ServiceAccounts& accounts : rbac_.bound_accounts(replaced))
      ++holders_[view(*touched.insert(key_of(accounts)).first)].bindings;
    const bool all = touch_all_that_depend(touched);
    for (const MapKey& holder : touched) forget(holder);
    if (all) {
      grants_ = {};
      left_out_ = false;
    }
    for (const MapKey& holder : touched) find_out(holder, added);
    return added;
  }

  /// A holder of a grant for a person: a name, and a pod with that grant.
  struct Holder {
    std::string whose{};
    Pod pod{};
  };

  [[nodiscard]] std::size_t holders() const noexcept { return holders_.size(); }

  /// Calls `f(grant, holder)` for each grant with its first holder, in the order of holders; of
  /// those of some numbers alone, where they are given. Takes a look at every holder.
  template <class F>
  void for_each_grant(F&& f, const std::set<std::size_t>* numbers = nullptr) const {
    std::vector<const MapKey*> first(grants_.size());
    holders_.for_each_entry([&](const MapKey& key, const Known& known) {
      if (!known.number || (numbers != nullptr && !numbers->contains(*known.number))) return;
      const MapKey*& holder = first[*known.number];
      if (holder == nullptr || key < *holder) holder = &key;
    });
    std::set<MapKey> in_order;
    for (const MapKey* holder : first)
      if (holder != nullptr) in_order.insert(*holder);
    for (const MapKey& holder : in_order) {
      const std::size_t number = *holders_.find(view(holder))->number;
      f(grants_[number], holder_of(holder, number));
    }
  }

  /// The number of the grant of the pod's user; nothing where it was too much to find out
  /// beforehand.
  [[nodiscard]] std::optional<std::size_t> find(const Pod& pod) const noexcept {
    const std::string_view namespace_ = namespace_of(pod.metadata);
    const Known* known = holders_.find({one_account, namespace_, rbac::account_of(pod)});
    if (known == nullptr) known = holders_.find({of_namespace, namespace_, {}});
    if (known == nullptr) known = holders_.find(all_accounts);
    return known == nullptr ? std::nullopt : known->number;
  }

  /// What the pod's user may use, found out now.
  [[nodiscard]] rbac::Grant granted(const Pod& pod) const {
    if (every_) return {.all = true};
    return rbac_.granted(rbac::user_of(pod), namespace_of(pod.metadata));
  }

  /// The roles that are bound to the pod's user and are not there.
  [[nodiscard]] std::vector<rbac::RoleRef> missing_roles(const Pod& pod) const {
    return rbac_.missing_roles(rbac::user_of(pod), namespace_of(pod.metadata));
  }

 private:
  using Key = schedpol::detail::MapKeyView;
  using MapKey = schedpol::detail::MapKey;

  // Who holds grants, in the order in which theirs are found out.
  static constexpr Key all_accounts{'1', {}, {}};
  static constexpr char of_namespace = '2';
  static constexpr char one_account = '3';

  struct Known {
    std::size_t bindings = 0;  ///< for the holder, each as often as it names it
    std::optional<std::size_t> number{};
  };

  static MapKey key_of(const rbac::ServiceAccounts& accounts) {
    if (!accounts.namespace_) return {all_accounts.kind, {}, {}};
    if (!accounts.name) return {of_namespace, *accounts.namespace_, {}};
    return {one_account, *accounts.namespace_, *accounts.name};
  }
  static rbac::ServiceAccounts accounts_of(const MapKey& holder) {
    rbac::ServiceAccounts accounts;
    if (holder.kind != all_accounts.kind) accounts.namespace_ = holder.first;
    if (holder.kind == one_account) accounts.name = holder.second;
    return accounts;
  }

  /// If more than 1 in 16 holders changed, recomputing all is cheaper than finding those that depend on
  /// them.
  static constexpr std::size_t holders_a_touched = 16;
  /// Grants without holders keep their numbers until there are twice as many grants as holders and this
  /// many more. Otherwise each change would make a small table anew.
  static constexpr std::size_t few_grants = 64;

  /// Adds the holders that depend on those touched: accounts on their namespace, and all on what is
  /// granted to all. Whether those are all holders, which they also are where a grant was left out.
  bool touch_all_that_depend(std::set<MapKey>& touched) const {
    const bool all = left_out_ || touched.contains({all_accounts.kind, {}, {}}) ||
                     touched.size() * holders_a_touched > holders_.size() ||
                     grants_.size() > 2 * holders_.size() + few_grants;
    if (all) {
      holders_.for_each_entry([&](const MapKey& key, const Known&) { touched.insert(key); });
      return true;
    }
    std::vector<std::string> namespaces;
    for (const MapKey& holder : touched)
      if (holder.kind == of_namespace) namespaces.push_back(holder.first);
    for (const std::string& namespace_ : namespaces) {
      holders_.for_each_of(one_account, namespace_,
                           [&](const MapKey& key, const Known&) { touched.insert(key); });
    }
    return false;
  }

  void forget(const MapKey& holder) {
    std::optional<std::size_t>& number = holders_[view(holder)].number;
    if (number) known_names_ -= 1 + grants_[*number].names.size();
    number.reset();
  }

  /// What a holder may use that was forgotten; one that no binding is for is none any longer.
  void find_out(const MapKey& holder, std::set<std::size_t>& added) {
    const Key key = view(holder);
    if (holders_.find(key)->bindings == 0 && key != all_accounts) return holders_.erase(key);
    if (known_names_ > max_granted_names) {
      left_out_ = true;
      return;
    }
    rbac::Grant grant{.all = every_};
    if (!every_) grant = rbac_.granted(accounts_of(holder));
    known_names_ += 1 + grant.names.size();
    holders_[key].number = grants_.number_of(std::move(grant), added);
  }

  [[nodiscard]] Holder holder_of(const MapKey& key, std::size_t number) const {
    Holder holder{.pod = {.metadata = {.namespace_ = key.first}}};
    std::string& account = holder.pod.spec.service_account_name;
    account = key.second;
    if (key.kind == one_account) {
      holder.whose = "service account " + key.first + "/" + key.second;
      return holder;
    }
    holder.whose =
        key.kind == of_namespace ? "service accounts of " + key.first : "every service account";
    // One that no binding names.
    for (; find(holder.pod) != number; account += '?')
      if (key.kind == all_accounts.kind) holder.pod.metadata.namespace_ = account;
    return holder;
  }

  bool every_;  ///< everybody may use all policies
  rbac::CompiledRbac rbac_;
  schedpol::detail::PersistentMap<Known> holders_;
  NumberedGrants grants_;
  std::size_t known_names_ = 0;
  bool left_out_ = false;  ///< whether there is one whose grant was too much to find out
};

}  // namespace SCHEDPOL_NAMESPACE::engine::detail
