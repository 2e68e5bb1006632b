// SPDX-License-Identifier: Apache-2.0
#pragma once

/// Which SchedulingPolicies the service accounts of a cluster may use, found out beforehand: each
/// account that a binding names, each namespace that one names, and everybody else. Pods have no
/// other users.

#include <schedpol/core/impl/shared_map.hpp>
#include <schedpol/core/pod.hpp>
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

class GrantTable {
 public:
  /// Everybody may use all policies.
  GrantTable() { add(everybody_else, {.all = true, .names = {}}); }

  GrantTable(const rbac::Rbac& objects, const rbac::Access& access)
      : rbac_(rbac::compile(objects, access)) {
    const Names names(objects);
    nobody_ = names.unknown();
    const auto add_account = [&](const std::string& namespace_, const std::string& account,
                                 const schedpol::detail::MapKeyView& key) {
      if (known_names_ > most_names) return;
      add(key, rbac_.granted(rbac::service_account_user(namespace_, account), namespace_));
    };
    add_account(nobody_, nobody_, everybody_else);
    for (const std::string& namespace_ : names.namespaces)
      add_account(namespace_, nobody_, of_namespace(namespace_));
    for (const auto& [namespace_, account] : names.accounts)
      add_account(namespace_, account, of_account(namespace_, account));
  }

  /// The different grants that there are, by number.
  [[nodiscard]] const std::vector<rbac::Grant>& grants() const noexcept { return grants_; }

  /// Somebody who has a grant: what a text calls them, and a pod of theirs.
  struct Holder {
    std::string whose{};
    Pod pod{};
  };
  [[nodiscard]] Holder holder_of(std::size_t number) const {
    const auto& [kind, namespace_, account] = holders_[number];
    Holder holder{.pod = {.metadata = {.namespace_ = namespace_}}};
    holder.pod.spec.service_account_name = account;
    if (kind == 'a') {
      holder.whose = "service account " + namespace_ + "/" + account;
    } else {
      holder.whose = kind == 'n' ? "service accounts of " + namespace_ : "every service account";
      if (find(holder.pod) != number) holder.pod.spec.service_account_name = nobody_;
      if (find(holder.pod) != number) holder.pod.metadata.namespace_ = nobody_;
    }
    return holder;
  }

  /// The grants that a policy of this name is part of.
  [[nodiscard]] std::vector<std::size_t> grants_of(std::string_view policy) const {
    std::vector<std::size_t> numbers = of_all_;
    if (const auto* of_policy = by_policy_.find({0, policy, {}}))
      numbers.insert(numbers.end(), of_policy->begin(), of_policy->end());
    return numbers;
  }

  /// The number of the grant of the pod's user; nothing where it was too much to find out
  /// beforehand.
  [[nodiscard]] std::optional<std::size_t> find(const Pod& pod) const noexcept {
    const std::string& namespace_ = pod.metadata.namespace_;
    if (const std::size_t* number = numbers_.find(of_account(namespace_, rbac::account_of(pod))))
      return *number;
    if (known_names_ > most_names) return std::nullopt;
    if (const std::size_t* number = numbers_.find(of_namespace(namespace_))) return *number;
    const std::size_t* const number = numbers_.find(everybody_else);
    return number == nullptr ? std::nullopt : std::optional(*number);
  }

  /// The grant of the pod's user.
  [[nodiscard]] rbac::Grant granted(const Pod& pod) const {
    if (const auto number = find(pod)) return grants_[*number];
    return rbac_.granted(rbac::user_of(pod), pod.metadata.namespace_);
  }

 private:
  using Key = schedpol::detail::MapKeyView;

  /// So many names of policies all grants may have together, so that what is found out beforehand
  /// stays in proportion.
  static constexpr std::size_t most_names = 1'000'000;

  static constexpr Key everybody_else{'e', {}, {}};
  static constexpr Key of_namespace(std::string_view name) noexcept { return {'n', name, {}}; }
  static constexpr Key of_account(std::string_view namespace_, std::string_view name) noexcept {
    return {'a', namespace_, name};
  }

  /// The namespaces and service accounts that bindings name.
  struct Names {
    std::set<std::string> namespaces;
    std::set<std::pair<std::string, std::string>> accounts;

    explicit Names(const rbac::Rbac& objects) {
      for (const rbac::ClusterRoleBinding& binding : objects.cluster_role_bindings)
        add(binding.subjects, "");
      for (const rbac::RoleBinding& binding : objects.role_bindings) {
        namespaces.insert(binding.metadata.namespace_);
        add(binding.subjects, binding.metadata.namespace_);
      }
    }

    /// A name that no binding has for an account or a namespace; not even the empty one, which a
    /// binding may have.
    [[nodiscard]] std::string unknown() const {
      std::size_t longest = 0;
      for (const std::string& namespace_ : namespaces)
        longest = std::max(longest, namespace_.size());
      for (const auto& [namespace_, account] : accounts)
        longest = std::max({longest, namespace_.size(), account.size()});
      return std::string(longest + 1, '?');
    }

   private:
    void add(const std::vector<rbac::Subject>& subjects, const std::string& of_binding) {
      for (const rbac::Subject& subject : subjects) {
        if (subject.kind == "ServiceAccount") {
          add_user(rbac::service_account_user(
                       subject.namespace_.empty() ? of_binding : subject.namespace_, subject.name)
                       .name);
        } else if (subject.kind == "User") {
          add_user(subject.name);
        } else if (subject.name.starts_with(group_of_namespace)) {
          namespaces.insert(subject.name.substr(group_of_namespace.size()));
        }
      }
    }

    /// Where a colon may stand for more than one place, in each of them.
    void add_user(std::string_view name) {
      if (!name.starts_with(user_of_account)) return;
      name.remove_prefix(user_of_account.size());
      for (std::size_t at = name.find(':'); at != std::string_view::npos;
           at = name.find(':', at + 1))
        accounts.emplace(name.substr(0, at), name.substr(at + 1));
    }

    static constexpr std::string_view user_of_account = "system:serviceaccount:";
    static constexpr std::string_view group_of_namespace = "system:serviceaccounts:";
  };

  void add(const Key& key, rbac::Grant grant) {
    known_names_ += grant.names.size() + 1;
    const auto [at, is_new] = known_.try_emplace({grant.all, grant.names}, grants_.size());
    if (is_new) {
      if (grant.all) of_all_.push_back(at->second);
      for (const std::string& name : grant.names) by_policy_[{0, name, {}}].push_back(at->second);
      grants_.push_back(std::move(grant));
      holders_.push_back({key.kind, std::string(key.first), std::string(key.second)});
    }
    numbers_[key] = at->second;
  }

  rbac::CompiledRbac rbac_;
  std::vector<rbac::Grant> grants_;
  std::vector<schedpol::detail::MapKey> holders_;  ///< one of each grant
  std::string nobody_;  ///< a name that none has for an account or a namespace
  std::map<std::pair<bool, std::vector<std::string>>, std::size_t> known_;
  std::size_t known_names_ = 0;
  std::vector<std::size_t> of_all_;
  schedpol::detail::SharedMap<std::vector<std::size_t>> by_policy_;
  schedpol::detail::SharedMap<std::size_t> numbers_;
};

}  // namespace schedpol::engine::detail
