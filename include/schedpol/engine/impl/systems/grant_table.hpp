// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which SchedulingPolicies the service accounts of a cluster may use, found out beforehand: each
/// account that a binding names, each namespace that one names, and everybody else. Pods have no
/// other users. A change of roles and bindings looks only at those whom it is about.

#include <schedpol/core/impl/persistent_map.hpp>
#include <schedpol/core/impl/persistent_vector.hpp>
#include <schedpol/core/pod.hpp>
#include <schedpol/core/texts.hpp>
#include <schedpol/engine/impl/kept_objects.hpp>
#include <schedpol/engine/system.hpp>
#include <schedpol/rbac/rbac.hpp>
#include <schedpol/rbac/usable.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace schedpol::engine::detail {

/// The roles and bindings of a cluster as they came.
class KeptRbac {
 public:
  void take_over(const rbac::Rbac& replaced, const rbac::Rbac& usable) {
    const auto in_namespace = [](const auto& object) {
      return schedpol::detail::MapKeyView{0, object.metadata.namespace_, object.metadata.name};
    };
    const auto in_cluster = [](const auto& object) {
      return schedpol::detail::MapKeyView{0, object.metadata.name, {}};
    };
    roles_.take_over(replaced.roles, usable.roles, in_namespace);
    cluster_roles_.take_over(replaced.cluster_roles, usable.cluster_roles, in_cluster);
    role_bindings_.take_over(replaced.role_bindings, usable.role_bindings, in_namespace);
    cluster_role_bindings_.take_over(replaced.cluster_role_bindings, usable.cluster_role_bindings,
                                     in_cluster);
  }

  void collect(rbac::Rbac& into) const {
    roles_.collect(into.roles);
    cluster_roles_.collect(into.cluster_roles);
    role_bindings_.collect(into.role_bindings);
    cluster_role_bindings_.collect(into.cluster_role_bindings);
  }

 private:
  KeptObjects<rbac::Role> roles_;
  KeptObjects<rbac::ClusterRole> cluster_roles_;
  KeptObjects<rbac::RoleBinding> role_bindings_;
  KeptObjects<rbac::ClusterRoleBinding> cluster_role_bindings_;
};

class GrantTable {
 public:
  /// Of no roles and bindings.
  explicit GrantTable(const Settings& settings)
      : every_(settings.policy_use == PolicyUse::every), rbac_(rbac::compile({}, settings.access)) {
    for (const std::string& group : rbac::service_account_user({}, {}).groups)
      if (!group.starts_with(group_of_namespace)) groups_of_all_.push_back(group);
    holders_[everybody_else] = {};
    std::set<std::size_t> made;
    assign({of_everybody_else, {}, {}}, made);
  }

  /// How many grants have had a number.
  [[nodiscard]] std::size_t size() const noexcept { return grants_.size(); }

  /// The different grants that there are, by number. Of one that is gone, nothing.
  [[nodiscard]] const rbac::Grant& operator[](std::size_t number) const noexcept {
    return grants_[number].grant;
  }

  /// Takes `usable`, where no two bindings are called the same, in the place of what is called like
  /// one of `replaced`. The numbers of the grants that are others now.
  std::set<std::size_t> change(const rbac::Rbac& replaced, const rbac::Rbac& usable) {
    std::set<std::size_t> changed;
    if (every_) return changed;
    std::set<MapKey> touched;
    const auto touch = [&](const std::vector<MapKey>& holders) {
      touched.insert(holders.begin(), holders.end());
    };
    for_each_binding(replaced, [&](const Key& binding, const auto&) { touch(forget(binding)); });
    for_each_binding(usable, [&](const Key& binding, const auto& object) {
      touch(note(binding, role_of(binding, object), holders_in(object.subjects, binding.first)));
    });
    std::set<std::string> roles;
    for (const rbac::ClusterRole& role : replaced.cluster_roles)
      roles.insert(text_of({of_cluster, {}, role.metadata.name}));
    for (const rbac::Role& role : replaced.roles)
      roles.insert(text_of({of_namespace, role.metadata.namespace_, role.metadata.name}));
    for_each_of(holders_by_role_, 0, roles,
                [&](const MapKey&, const std::vector<MapKey>& holders) { touch(holders); });
    rbac_ = rbac_.without(replaced).with(usable);
    if (touch_all_that_depend(touched)) start_anew();
    for (const MapKey& holder : touched) forget_names(holder);
    for (const MapKey& holder : touched) assign(holder, changed);
    return changed;
  }

  /// Somebody who has a grant: what a text calls them, and a pod of theirs.
  struct Holder {
    std::string whose{};
    Pod pod{};
  };

  /// Calls `f(grant, holder)` for each grant, in the order of those who have them.
  template <class F>
  void for_each_grant(F&& f) const {
    std::map<MapKey, std::size_t> numbers;
    holders_.for_each_entry([&](const MapKey& key, const Known& known) {
      if (known.number) numbers.emplace(key, *known.number);
    });
    std::set<std::size_t> seen;
    for (const auto& [key, number] : numbers)
      if (seen.insert(number).second) f(grants_[number].grant, holder_of(key, number));
  }

  /// The grants that a policy of this name is part of.
  [[nodiscard]] std::vector<std::size_t> grants_of(std::string_view policy) const {
    std::vector<std::size_t> numbers;
    if (const auto* of_policy = by_policy_.find({0, policy, {}})) numbers = *of_policy;
    if (of_all_) numbers.push_back(*of_all_);
    return numbers;
  }

  /// The number of the grant of the pod's user; nothing where it was too much to find out
  /// beforehand.
  [[nodiscard]] std::optional<std::size_t> find(const Pod& pod) const noexcept {
    const std::string& namespace_ = pod.metadata.namespace_;
    const Known* known = holders_.find({of_account, namespace_, rbac::account_of(pod)});
    if (known == nullptr) known = holders_.find({of_namespace, namespace_, {}});
    if (known == nullptr) known = holders_.find(everybody_else);
    return known == nullptr ? std::nullopt : known->number;
  }

  /// The grant of the pod's user.
  [[nodiscard]] rbac::Grant granted(const Pod& pod) const {
    if (const auto number = find(pod)) return grants_[*number].grant;
    return rbac_.granted(rbac::user_of(pod), pod.metadata.namespace_);
  }

 private:
  using Key = schedpol::detail::MapKeyView;
  using MapKey = schedpol::detail::MapKey;
  template <class T>
  using Map = schedpol::detail::PersistentMap<T>;

  /// So many names of policies all grants may have together, so that what is found out beforehand
  /// stays in proportion.
  static constexpr std::size_t most_names = 1'000'000;

  // What has a key. Of those who hold grants the first ones are found out first.
  static constexpr char of_cluster = '0';
  static constexpr char of_everybody_else = '1';
  static constexpr char of_namespace = '2';
  static constexpr char of_account = '3';
  static constexpr Key everybody_else{of_everybody_else, {}, {}};

  static constexpr std::string_view user_of_account = "system:serviceaccount:";
  static constexpr std::string_view group_of_namespace = "system:serviceaccounts:";

  struct Known {
    std::size_t bindings = 0;  ///< that name the holder, each as often as it does
    std::optional<std::size_t> number{};
  };
  struct Numbered {
    rbac::Grant grant{};
    std::size_t holders = 0;
  };

  /// No two keys have one text.
  static std::string text_of(const Key& key) {
    return std::string(1, key.kind)
        .append(std::to_string(key.first.size()))
        .append(1, ':')
        .append(key.first)
        .append(key.second);
  }

  /// Nor have two grants.
  static std::string text_of(const rbac::Grant& grant) {
    if (grant.all) return "*";
    std::string text;
    for (const std::string& name : grant.names)
      text.append(std::to_string(name.size())).append(1, ':').append(name);
    return text;
  }

  template <class F>
  static void for_each_binding(const rbac::Rbac& objects, F&& f) {
    for (const rbac::ClusterRoleBinding& binding : objects.cluster_role_bindings)
      f(Key{of_cluster, {}, binding.metadata.name}, binding);
    for (const rbac::RoleBinding& binding : objects.role_bindings)
      f(Key{of_namespace, binding.metadata.namespace_, binding.metadata.name}, binding);
  }

  template <class Binding>
  static std::string role_of(const Key& key, const Binding& binding) {
    const rbac::RoleRef& role = binding.role_ref;
    return role.kind == "ClusterRole" ? text_of({of_cluster, {}, role.name})
                                      : text_of({of_namespace, key.first, role.name});
  }

  /// Whom a binding of the namespace may be for, and maybe others.
  [[nodiscard]] std::vector<MapKey> holders_in(const std::vector<rbac::Subject>& subjects,
                                               std::string_view namespace_) const {
    std::vector<MapKey> holders;
    const auto add = [&](char kind, std::string_view in, std::string_view account) {
      if (namespace_.empty() || namespace_ == in)
        holders.push_back({kind, std::string(in), std::string(account)});
    };
    // Where a colon may stand for more than one place, in each of them.
    const auto add_user = [&](std::string_view name) {
      if (!name.starts_with(user_of_account)) return;
      name.remove_prefix(user_of_account.size());
      for (std::size_t at = name.find(':'); at != std::string_view::npos;
           at = name.find(':', at + 1))
        add(of_account, name.substr(0, at), name.substr(at + 1));
    };
    for (const rbac::Subject& subject : subjects) {
      if (subject.kind == "ServiceAccount") {
        add_user(std::string(user_of_account)
                     .append(subject.namespace_.empty() ? namespace_ : subject.namespace_)
                     .append(1, ':')
                     .append(subject.name));
      } else if (subject.kind == "User") {
        add_user(subject.name);
      } else if (subject.name.starts_with(group_of_namespace)) {
        add(of_namespace, std::string_view(subject.name).substr(group_of_namespace.size()), {});
      } else if (groups_of_all_.contains(subject.name)) {
        if (namespace_.empty()) {
          holders.push_back({of_everybody_else, {}, {}});
        } else {
          add(of_namespace, namespace_, {});
        }
      }
    }
    return holders;
  }

  std::vector<MapKey> note(const Key& binding, const std::string& role,
                           std::vector<MapKey> holders) {
    if (holders.empty()) return holders;
    for (const MapKey& holder : holders) ++holders_[view(holder)].bindings;
    roles_[binding] = role;
    holders_by_role_[{0, role, text_of(binding)}] = holders;
    return holders;
  }

  std::vector<MapKey> forget(const Key& binding) {
    const std::string* const found = roles_.find(binding);
    if (found == nullptr) return {};
    const std::string role = *found;
    const std::string text = text_of(binding);
    std::vector<MapKey> holders = *holders_by_role_.find({0, role, text});
    for (const MapKey& holder : holders) --holders_[view(holder)].bindings;
    roles_.erase(binding);
    holders_by_role_.erase({0, role, text});
    return holders;
  }

  /// Calls `f(key, value)` for what has one of these first texts: each is looked for, or
  /// everything looked at, whichever takes less.
  template <class T, class F>
  static void for_each_of(const Map<T>& map, char kind, const std::set<std::string>& texts, F&& f) {
    if (texts.size() * 16 <= map.size()) {
      for (const std::string& text : texts) map.for_each_of(kind, text, f);
      return;
    }
    map.for_each_entry([&](const MapKey& key, const T& value) {
      if (key.kind == kind && texts.contains(key.first)) f(key, value);
    });
  }

  /// The accounts of a namespace have what it has, and all what everybody has. Whether it comes to
  /// so many that all are found out again, which is less than to forget each.
  bool touch_all_that_depend(std::set<MapKey>& touched) const {
    bool all = left_out_ || touched.contains({of_everybody_else, {}, {}});
    if (!all) {
      std::set<std::string> namespaces;
      for (const MapKey& holder : touched)
        if (holder.kind == of_namespace) namespaces.insert(holder.first);
      for_each_of(holders_, of_account, namespaces,
                  [&](const MapKey& key, const Known&) { touched.insert(key); });
      all = touched.size() * 4 > holders_.size();
    }
    if (all) holders_.for_each_entry([&](const MapKey& key, const Known&) { touched.insert(key); });
    return all;
  }

  void start_anew() {
    grants_ = {};
    free_.clear();
    numbers_ = {};
    by_policy_ = {};
    of_all_.reset();
    left_out_ = false;
    known_names_ = 0;
    std::vector<MapKey> numbered;
    holders_.for_each_entry([&](const MapKey& key, const Known& known) {
      if (known.number) numbered.push_back(key);
    });
    for (const MapKey& holder : numbered) holders_[view(holder)].number.reset();
  }

  [[nodiscard]] rbac::Grant granted_to(const MapKey& holder) const {
    if (every_) return {.all = true, .names = {}};
    if (holder.kind == of_account)
      return rbac_.granted(rbac::service_account_user(holder.first, holder.second), holder.first);
    rbac::User nobody = rbac::service_account_user(holder.first, {});
    nobody.name.clear();
    if (holder.kind == of_everybody_else) nobody.groups = groups_of_all_;
    return rbac_.granted(nobody, holder.first);
  }

  void forget_names(const MapKey& holder) {
    const std::optional<std::size_t>& number = holders_.find(view(holder))->number;
    if (number) known_names_ -= 1 + grants_[*number].grant.names.size();
  }

  void assign(const MapKey& holder, std::set<std::size_t>& changed) {
    const Known before = *holders_.find(view(holder));
    const bool stays = before.bindings > 0 || holder.kind == of_everybody_else;
    std::optional<std::size_t> number;
    if (stays && known_names_ <= most_names) {
      rbac::Grant grant = granted_to(holder);
      known_names_ += 1 + grant.names.size();
      number = number_of(std::move(grant), changed);
    }
    left_out_ |= stays && !number;
    if (before.number) release(*before.number, changed);
    if (!stays) {
      holders_.erase(view(holder));
    } else if (number != before.number) {
      holders_[view(holder)].number = number;
    }
  }

  std::size_t number_of(rbac::Grant grant, std::set<std::size_t>& changed) {
    const std::string text = text_of(grant);
    if (const std::size_t* const known = numbers_.find({0, text, {}})) {
      ++grants_.own(*known).holders;
      return *known;
    }
    std::size_t number = grants_.size();
    if (free_.empty()) {
      grants_.push_back({});
    } else {
      number = free_.back();
      free_.pop_back();
    }
    numbers_[{0, text, {}}] = number;
    changed.insert(number);
    if (grant.all) of_all_ = number;
    for (const std::string& name : grant.names) by_policy_[{0, name, {}}].push_back(number);
    grants_.own(number) = {.grant = std::move(grant), .holders = 1};
    return number;
  }

  void release(std::size_t number, std::set<std::size_t>& changed) {
    Numbered& numbered = grants_.own(number);
    if (--numbered.holders > 0) return;
    changed.insert(number);
    numbers_.erase({0, text_of(numbered.grant), {}});
    if (numbered.grant.all) of_all_.reset();
    for (const std::string& name : numbered.grant.names) {
      std::vector<std::size_t>& with = by_policy_[{0, name, {}}];
      with.erase(std::find(with.begin(), with.end(), number));
      if (with.empty()) by_policy_.erase({0, name, {}});
    }
    numbered = {};
    free_.push_back(number);
  }

  [[nodiscard]] Holder holder_of(const MapKey& key, std::size_t number) const {
    Holder holder{.pod = {.metadata = {.namespace_ = key.first}}};
    std::string& account = holder.pod.spec.service_account_name;
    account = key.second;
    if (key.kind == of_account) {
      holder.whose = "service account " + key.first + "/" + key.second;
      return holder;
    }
    holder.whose =
        key.kind == of_namespace ? "service accounts of " + key.first : "every service account";
    // One that no binding names.
    for (; find(holder.pod) != number; account += '?')
      if (key.kind == of_everybody_else) holder.pod.metadata.namespace_ = account;
    return holder;
  }

  bool every_;           ///< everybody may use all policies
  Texts groups_of_all_;  ///< that every service account is in
  rbac::CompiledRbac rbac_;
  Map<std::string> roles_;                    ///< of the bindings that name a holder
  Map<std::vector<MapKey>> holders_by_role_;  ///< by role, then by binding
  Map<Known> holders_;
  bool left_out_ = false;  ///< whether there is one whose grant was too much to find out
  std::size_t known_names_ = 0;
  schedpol::detail::PersistentVector<Numbered> grants_;
  std::vector<std::size_t> free_;  ///< numbers of none
  Map<std::size_t> numbers_;       ///< by what is granted
  std::optional<std::size_t> of_all_;
  Map<std::vector<std::size_t>> by_policy_;
};

}  // namespace schedpol::engine::detail
