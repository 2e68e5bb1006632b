// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <set>
#include <utility>

namespace cli {

namespace {

/// A namespace and a service account in it.
using Account = std::pair<std::string, std::string>;

std::set<Account> accounts_in(const schedpol::rbac::Rbac& rbac) {
  // Whom no binding names has what groups have.
  std::set<Account> accounts = {{std::string(schedpol::default_namespace), "default"}};
  const auto add = [&](const auto& bindings) {
    for (const auto& binding : bindings) {
      const std::string& in = binding.metadata.namespace_;
      if (!in.empty()) accounts.emplace(in, "default");
      for (const schedpol::rbac::Subject& subject : binding.subjects)
        if (subject.kind == "ServiceAccount") accounts.emplace(subject.namespace_, subject.name);
    }
  };
  add(rbac.role_bindings);
  add(rbac.cluster_role_bindings);
  return accounts;
}

}  // namespace

std::vector<ComparedPolicies> compare_scheduling_policies(const PolicySet& before,
                                                          const PolicySet& after,
                                                          Problems& problems) {
  std::set<Account> accounts = accounts_in(before.configuration.objects.rbac);
  accounts.merge(accounts_in(after.configuration.objects.rbac));
  std::vector<ComparedPolicies> all;
  for (const auto& [in, name] : accounts) {
    schedpol::Pod pod{.metadata = {.namespace_ = in}};
    pod.spec.service_account_name = name;
    const auto comparison = schedpol::scheduling_policy::compare(
        before.engine.effective_policy(pod), after.engine.effective_policy(pod),
        before.configuration.settings.options, after.configuration.settings.options);
    for (const schedpol::FieldError& error : comparison.errors())
      problems.add("SchedulingPolicies cannot be compared: " + message(error));
    if (comparison)
      all.push_back(
          {accounts.size() == 1 ? "" : " of service account " + in + "/" + name, *comparison});
  }
  return all;
}

}  // namespace cli
