// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/usable.hpp>

#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/print.hpp"

#include <string_view>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace usable_test {

const std::vector<SchedulingPolicy> policies = {
    {.metadata = {.name = "c"}}, {.metadata = {.name = "a"}}, {.metadata = {.name = "b"}}};

Texts names_of(const std::vector<SchedulingPolicy>& picked) {
  Texts names;
  for (const SchedulingPolicy& policy : picked) names.push_back(policy.metadata.name);
  return names;
}

TEST_CASE("policies are picked by a list of names, in their own order") {
  struct Case {
    const char* name;
    Texts listed;
    Texts wanted;
  };
  const Case cases[] = {
      {"no names pick nothing", {}, {}},
      {"one name picks its policy", {"a"}, {"a"}},
      {"the order of the names does not matter", {"b", "c"}, {"c", "b"}},
      {"a name listed twice picks once", {"b", "b"}, {"b"}},
      {"an unknown name picks nothing", {"d"}, {}},
      {"names are compared whole and by case", {"A", "", "aa"}, {}},
      {"`*` is a name like any other", {"*"}, {}},
  };
  for (const auto& [name, listed, wanted] : cases) {
    CAPTURE(name);
    CHECK(names_of(usable(policies, listed)) == wanted);
  }
}

TEST_CASE("policies are picked by whatever answers for a name") {
  CHECK(names_of(usable(policies, [](const std::string&) { return true; })) ==
        Texts{"c", "a", "b"});
  CHECK(names_of(usable(policies, [](std::string_view name) { return name > "a"; })) ==
        Texts{"c", "b"});
  Texts asked;
  CHECK(usable(policies, [&](const std::string& name) {
          asked.push_back(name);
          return false;
        }).empty());
  CHECK(asked == Texts{"c", "a", "b"});
}

TEST_CASE("a picked policy is unchanged") {
  const std::vector<SchedulingPolicy> all = {
      {.metadata = {.name = "a", .labels = {{"team", "blue"}}},
       .spec = {.allowed = {.scheduler_names = any}}}};
  CHECK(usable(all, Texts{"a"}) == all);
}

TEST_CASE("when no policy may be used, no pod is allowed") {
  const auto none = usable(policies, Texts{});
  const Admission admission = admit(Pod{}, merge(none));
  CHECK_FALSE(admission.allowed);
  REQUIRE(admission.violations.size() == 1);
  CHECK(admission.violations[0].code == ViolationCode::no_usable_policy);
}

}  // namespace usable_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
