// SPDX-License-Identifier: Apache-2.0
// What is found out beforehand of whom roles and bindings grant which policies, and for whom it is.
#include <schedpol/engine/impl/systems/grant_table.hpp>

#include "../support/print.hpp"

#include <schedpol/core/limits.hpp>

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace grant_table_test {

using namespace schedpol;
using engine::Settings;
using engine::detail::GrantTable;
using Lines = std::vector<std::string>;

const rbac::Subject everybody{.kind = "Group", .name = "system:serviceaccounts"};

rbac::Subject accounts_of(const std::string& namespace_) {
  return {.kind = "Group", .name = "system:serviceaccounts:" + namespace_};
}
rbac::Subject account(const std::string& namespace_, const std::string& name) {
  return {.kind = "ServiceAccount", .name = name, .namespace_ = namespace_};
}

/// One role of the cluster, and its binding.
rbac::Rbac granting(const std::string& name, const Texts& policies,
                    std::vector<rbac::Subject> subjects) {
  rbac::Rbac rbac;
  rbac.cluster_roles = {
      {{.name = name}, {{{"use"}, {"schedpol.io"}, {"schedulingpolicies"}, policies}}}};
  rbac.cluster_role_bindings = {
      {{.name = name}, {.kind = "ClusterRole", .name = name}, std::move(subjects)}};
  return rbac;
}

Pod pod_of(const std::string& namespace_, const std::string& name) {
  Pod pod{.metadata = {.name = "p", .namespace_ = namespace_}};
  pod.spec.service_account_name = name;
  return pod;
}

Lines grants_of(const GrantTable& table, const std::set<std::size_t>* numbers = nullptr) {
  Lines all;
  table.for_each_grant(
      [&](const rbac::Grant& grant, GrantTable::Holder&& holder) {
        std::string text = holder.whose + ":";
        for (const std::string& name : grant.names) text += " " + name;
        all.push_back(text);
        const std::optional<std::size_t> found = table.find(holder.pod);
        CHECK((found && table.grants()[*found].names == grant.names));
      },
      numbers);
  return all;
}

TEST_CASE("each grant is told with the first who holds it, all before namespaces before accounts") {
  GrantTable table{Settings{}};
  const auto add = [&](const rbac::Rbac& rbac) { table.change(rbac, rbac); };
  CHECK(grants_of(table) == Lines{"every service account:"});
  add(granting("a", {"a"}, {account("n", "z"), account("n", "y"), account("m", "z")}));
  CHECK(grants_of(table) == Lines{"every service account:", "service account m/z: a"});
  add(granting("b", {"b"}, {accounts_of("n")}));
  CHECK(grants_of(table) == Lines{"every service account:", "service accounts of n: b",
                                  "service account m/z: a", "service account n/y: a b"});
  // Whom no binding names is in no namespace that one names.
  add(granting("c", {"c"}, {accounts_of("default"), accounts_of("?"), account("n", "?")}));
  add(granting("e", {"e"}, {everybody}));
  CHECK(grants_of(table) == Lines{"every service account: e", "service accounts of ?: c e",
                                  "service accounts of n: b e", "service account m/z: a e",
                                  "service account n/?: b c e", "service account n/y: a b e"});
  const std::vector<std::size_t> of_c = table.grants().of_policy("c");
  const std::set<std::size_t> numbers(of_c.begin(), of_c.end());
  CHECK(grants_of(table, &numbers) ==
        Lines{"service accounts of ?: c e", "service account n/?: b c e"});
}

TEST_CASE("grants of more names than are kept are found out for each pod, until there is room") {
  constexpr std::size_t names = 8'000;
  constexpr std::size_t with_many = max_granted_names / names + 10;
  constexpr std::size_t with_one = 20 * with_many;  // so that a change is about a few of all
  std::vector<Pod> pods;
  const auto accounts = [&](const char* prefix, std::size_t count) {
    std::vector<rbac::Subject> subjects;
    for (std::size_t i = 0; i < count; ++i) {
      subjects.push_back(account("n", prefix + std::to_string(i)));
      pods.push_back(pod_of("n", subjects.back().name));
    }
    return subjects;
  };
  std::vector<std::string> many;
  for (std::size_t i = 0; i < names; ++i) many.push_back("p" + std::to_string(i));
  const rbac::Rbac few = granting("r", {"p0"}, accounts("a", with_many));
  rbac::Rbac all = few;
  all.cluster_roles[0].rules[0].resource_names = Texts(many);
  const rbac::Rbac others = granting("s", {"q"}, accounts("b", with_one));

  GrantTable table{Settings{}};
  const auto found = [&] {
    std::size_t count = 0;
    for (std::size_t i = 0; i < pods.size(); ++i) {
      const std::optional<std::size_t> number = table.find(pods[i]);
      count += number.has_value();
      if (number && i % 16 == 0)
        CHECK(table.grants()[*number].names == table.granted(pods[i]).names);
    }
    return count;
  };
  table.change(others, others);
  table.change(few, few);
  CHECK(found() == pods.size());
  table.change(all, all);
  CHECK(found() < pods.size());
  table.change(others, others);
  CHECK(found() < with_many);
  CHECK(found() > with_many - 20);
  CHECK(grants_of(table).size() == 2);  // who holds one that was left out is not told
  table.change(few, few);
  CHECK(found() == pods.size());
  CHECK(grants_of(table).size() == 3);
}

TEST_CASE("what one account is granted may change as often as it likes") {
  GrantTable table{Settings{}};
  std::vector<rbac::Subject> subjects;
  for (int i = 0; i < 100; ++i) subjects.push_back(account("n", "a" + std::to_string(i)));
  const rbac::Rbac everyone = granting("r", {"p"}, subjects);
  table.change(everyone, everyone);
  std::vector<std::string> names;
  for (int i = 0; i < 8'000; ++i) names.push_back("p" + std::to_string(i));
  const Texts more(names);
  names.resize(names.size() / 2);
  const Texts fewer(names);
  const Pod pod = pod_of("n", "a0");
  const std::size_t added = more.size() + fewer.size();
  for (std::size_t names_added = 0; names_added < max_granted_names + 10 * added;
       names_added += added) {
    for (const Texts& policies : {more, fewer}) {
      const rbac::Rbac one = granting("one", policies, {account("n", "a0")});
      table.change(one, one);
      const std::optional<std::size_t> number = table.find(pod);
      REQUIRE(number);
      CHECK(table.grants()[*number].names.size() == 1 + policies.size());
    }
  }
}

}  // namespace grant_table_test
