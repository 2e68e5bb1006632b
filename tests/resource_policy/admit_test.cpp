// SPDX-License-Identifier: Apache-2.0
#include <schedpol/resource_policy/admit.hpp>

#include "clusters.hpp"

#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::resource_policy {
namespace admit_test {

TEST_CASE("a pod that several policies select is denied, naming all of them") {
  const ResourcePolicy web = policy("web", {.pod_selector = pair("app", "web")});
  const ResourcePolicy db = policy("db", {.pod_selector = pair("app", "db")});
  const ResourcePolicy all = policy("all", {});
  const ResourcePolicy elsewhere = policy("elsewhere", {}, "elsewhere");
  struct Case {
    std::string name;
    Policies policies;
    Strings named;
  };
  const Case cases[] = {
      {"no policies", {}, {}},
      {"one", {web}, {}},
      {"one of several", {db, web}, {}},
      {"one of another namespace", {web, elsewhere}, {}},
      {"two", {web, all}, {"all", "web"}},
      {"two, the other order", {all, web}, {"all", "web"}},
      {"two of three", {all, db, web}, {"all", "web"}},
      {"three", {all, web, policy("most", {})}, {"all", "most", "web"}},
      {"namesakes", {web, web}, {"web", "web"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    for (const PodKind kind : {PodKind::pod, PodKind::deployment, PodKind::cron_job}) {
      Pod asking = pod("p", {{"app", "web"}});
      asking.kind = kind;
      const Admission admission = admit(asking, c.policies);
      CHECK(admission == admit(asking, *compile(c.policies)));
      CHECK(admission.allowed == c.named.empty());
      CHECK(admission.pod == asking);
      CHECK(admission.changes.empty());
      if (c.named.empty()) {
        CHECK(admission.violations.empty());
        continue;
      }
      CHECK(admission.violations ==
            std::vector<Violation>{{ViolationCode::multiple_resource_policies,
                                    field_path(kind, {"metadata", "labels"}), "", c.named}});
    }
  }
}

TEST_CASE("policies that cannot be used deny the pod, each error naming its policy") {
  const ResourcePolicy good = policy("good", {});
  const ResourcePolicy broken = policy(
      "broken", {.pod_selector = in_without_values("app"), .strategy = OpenStrategy("best")});
  const ResourcePolicy units =
      policy("units", {.units = {{}, {.node_selector = in_without_values("pool")}}});
  const Pod asking = pod("p", {});
  const Admission admission = admit(asking, Policies{good, broken, good, units});
  CHECK_FALSE(admission.allowed);
  CHECK(admission.pod == asking);
  REQUIRE(admission.violations.size() == 3);
  Strings named;
  for (const Violation& violation : admission.violations) {
    CHECK(violation.code == ViolationCode::invalid_policy);
    CHECK(violation.field == "spec"_path);
    REQUIRE(violation.policies.size() == 1);
    named.push_back(violation.policies[0]);
  }
  CHECK(named == Strings{"broken", "broken", "units"});
  CHECK(message(admission.violations[0]).find("`broken` cannot be evaluated") != std::string::npos);
  CHECK(admit(asking, Policies{units}).violations.size() == 1);
}

TEST_CASE("policies that nobody compiled deny every pod") {
  const Admission admission = admit(pod("p", {}), CompiledPolicies());
  CHECK_FALSE(admission.allowed);
  REQUIRE(admission.violations.size() == 1);
  CHECK(admission.violations[0].code == ViolationCode::invalid_policy);
}

}  // namespace admit_test
}  // namespace SCHEDPOL_NAMESPACE::resource_policy
