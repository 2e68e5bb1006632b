// SPDX-License-Identifier: Apache-2.0
#include "groups.hpp"

#include "cel.hpp"

#include <schedpol/rbac/usable.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

namespace cli {

namespace {

namespace engine = schedpol::engine;

schedpol::Pod pod_of(const std::string& namespace_, const std::string& account) {
  schedpol::Pod pod;
  pod.metadata.namespace_ = namespace_;
  pod.spec.service_account_name = account;
  return pod;
}

/// A name that is none of those that are taken.
std::string other_than(const std::set<std::string>& taken) {
  std::string name = "x";
  while (taken.contains(name)) name += 'x';
  return name;
}

}  // namespace

std::vector<ExportedGroup> groups_of(const engine::Configuration& configuration,
                                     const engine::Engine& engine) {
  std::map<std::vector<std::string>, ExportedGroup> by_policies;
  const auto group_of = [&](const std::string& namespace_,
                            const std::string& account) -> ExportedGroup& {
    auto effective = engine.effective_policy(pod_of(namespace_, account));
    std::vector<std::string> policies = effective.policies().vector();
    ExportedGroup& group = by_policies[policies];
    group.policies = std::move(policies);
    group.effective = std::move(effective);
    return group;
  };
  std::set<std::string> namespaces;
  std::set<std::pair<std::string, std::string>> accounts;
  if (configuration.settings.policy_use == engine::PolicyUse::rbac) {
    const schedpol::rbac::Rbac& rbac = configuration.objects.rbac;
    for (const auto& bound :
         schedpol::rbac::compile(rbac, access_of(configuration.settings)).bound_accounts(rbac)) {
      if (!bound.namespace_) continue;
      if (bound.name) {
        accounts.emplace(*bound.namespace_, *bound.name);
      } else {
        namespaces.insert(*bound.namespace_);
      }
    }
  }
  std::set<std::string> names;
  for (const auto& [namespace_, name] : accounts) names.insert(name);
  const std::string unnamed = other_than(names);
  std::set<std::string> taken = namespaces;
  for (const auto& [namespace_, name] : accounts) taken.insert(namespace_);
  group_of(other_than(taken), unnamed).everybody = true;
  for (const std::string& namespace_ : namespaces)
    group_of(namespace_, unnamed).namespaces.push_back(namespace_);
  for (const auto& [namespace_, name] : accounts)
    group_of(namespace_, name).accounts.push_back(namespace_ + "/" + name);
  std::vector<ExportedGroup> groups;
  for (auto& [policies, group] : by_policies) groups.push_back(std::move(group));
  std::stable_partition(groups.begin(), groups.end(),
                        [](const ExportedGroup& group) { return !group.everybody; });
  return groups;
}

std::string is_member(const ExportedGroup& group, const std::vector<ExportedGroup>& all,
                      const std::string& account) {
  if (all.size() == 1) return std::string(cel::always);
  const auto texts = [](const std::vector<std::string>& names) { return schedpol::Texts(names); };
  std::vector<std::string> accounts;
  std::vector<std::string> namespaces;
  for (const ExportedGroup& each : all) {
    if (&each == &group) continue;
    accounts.insert(accounts.end(), each.accounts.begin(), each.accounts.end());
    namespaces.insert(namespaces.end(), each.namespaces.begin(), each.namespaces.end());
  }
  std::sort(accounts.begin(), accounts.end());
  std::sort(namespaces.begin(), namespaces.end());
  const std::string in = "request.namespace";
  // Everybody else are those whom no other group names.
  const std::string by_namespace = group.everybody
                                       ? cel::negated(cel::is_one_of(in, texts(namespaces)))
                                       : cel::is_one_of(in, texts(group.namespaces));
  const std::string grouped = "(" + account + ")";
  return cel::any_of(
      {cel::is_one_of(grouped, texts(group.accounts)),
       cel::all_of({by_namespace, cel::negated(cel::is_one_of(grouped, texts(accounts)))})});
}

std::string name_of(const ExportedGroup& group) {
  if (group.is_not_exported) return "schedpol-not-exported";
  if (group.policies.empty()) return "schedpol-no-usable-policy";
  constexpr std::size_t longest = 60;
  std::string slug;
  std::uint32_t hash = 2166136261U;  // FNV-1a: of long lists the slug is only the beginning
  for (const std::string& policy : group.policies) {
    slug += "-" + policy;
    for (const char c : policy + '\n') hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
  }
  if (group.policies.size() == 1 && slug.size() <= longest) return "schedpol" + slug;
  slug.resize(std::min(slug.size(), longest));
  while (slug.ends_with('.') || slug.ends_with('-'))
    slug.pop_back();  // no part of a name begins with a hyphen
  std::string digits;
  for (int shift = 28; shift >= 0; shift -= 4) digits += "0123456789abcdef"[hash >> shift & 15U];
  return "schedpol" + slug + "-" + digits;
}

}  // namespace cli
