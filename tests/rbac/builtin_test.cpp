// SPDX-License-Identifier: Apache-2.0
#include <schedpol/rbac/builtin.hpp>

#include <schedpol/rbac/usable.hpp>

#include "../support/print_systems.hpp"

#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::rbac {
namespace builtin_test {

using Names = Texts;

const Names policies = {"privileged", "restricted", "restricted-multiarch-by-affinity"};

/// The objects are the proposal's, and so is the group that they name.
const Access of_proposal{.api_group = std::string(proposal_api_group)};

void check_bootstrapped(const ObjectMeta& metadata, const std::string& name,
                        const std::string& namespace_ = "") {
  CHECK(metadata.name == name);
  CHECK(metadata.namespace_ == namespace_);
  CHECK(metadata.labels == Labels{{"kubernetes.io/bootstrapping", "rbac-defaults"}});
  CHECK(metadata.annotations == Labels{{"rbac.authorization.kubernetes.io/autoupdate", "true"}});
}

void check_may_use(const ClusterRole& role, const std::string& policy,
                   const std::string& group = "extensions") {
  REQUIRE(role.rules.size() == 1);
  const PolicyRule& rule = role.rules[0];
  CHECK(rule.api_groups == Names{group});
  CHECK(rule.resources == Names{"schedulingpolicies"});
  CHECK(rule.verbs == Names{"use"});
  CHECK(rule.resource_names == Names{policy});
}

void check_role_ref(const RoleRef& ref, const std::string& name) {
  CHECK(ref.api_group == "rbac.authorization.k8s.io");
  CHECK(ref.kind == "ClusterRole");
  CHECK(ref.name == name);
}

void check_group(const std::vector<Subject>& subjects, const std::string& name) {
  REQUIRE(subjects.size() == 1);
  CHECK(subjects[0].kind == "Group");
  CHECK(subjects[0].api_group == "rbac.authorization.k8s.io");
  CHECK(subjects[0].name == name);
  CHECK(subjects[0].namespace_ == "");
}

TEST_CASE("the ClusterRole sp:restricted may use the policy restricted") {
  const ClusterRole role = restricted_cluster_role();
  check_bootstrapped(role.metadata, "sp:restricted");
  check_may_use(role, "restricted");
  check_may_use(restricted_cluster_role("schedpol.io"), "restricted", "schedpol.io");
}

TEST_CASE("the ClusterRole sp:privileged may use the policy privileged") {
  const ClusterRole role = privileged_cluster_role();
  check_bootstrapped(role.metadata, "sp:privileged");
  check_may_use(role, "privileged");
  check_may_use(privileged_cluster_role("schedpol.io"), "privileged", "schedpol.io");
}

TEST_CASE("the ClusterRoleBinding sp:restricted is for everybody who is authenticated") {
  const ClusterRoleBinding binding = restricted_cluster_role_binding();
  check_bootstrapped(binding.metadata, "sp:restricted");
  check_role_ref(binding.role_ref, "sp:restricted");
  check_group(binding.subjects, "system:authenticated");
}

TEST_CASE("the RoleBinding sp:kube-system-privileged is for kube-system's service accounts") {
  const RoleBinding binding = kube_system_privileged_role_binding();
  check_bootstrapped(binding.metadata, "sp:kube-system-privileged", "kube-system");
  check_role_ref(binding.role_ref, "sp:privileged");
  check_group(binding.subjects, "system:serviceaccounts:kube-system");
}

TEST_CASE("the built-in objects are these four") {
  const Rbac rbac = builtin();
  CHECK(rbac.roles.empty());
  CHECK((rbac.cluster_roles ==
         std::vector<ClusterRole>{restricted_cluster_role(), privileged_cluster_role()}));
  CHECK((rbac.role_bindings == std::vector<RoleBinding>{kube_system_privileged_role_binding()}));
  CHECK((rbac.cluster_role_bindings ==
         std::vector<ClusterRoleBinding>{restricted_cluster_role_binding()}));
}

TEST_CASE("anybody may use restricted, kube-system's service accounts privileged in kube-system") {
  struct Case {
    std::string name;
    User user;
    std::string namespace_;
    Names usable;
  };
  const Case cases[] = {
      {"a service account", service_account_user("team-a", "build"), "team-a", {"restricted"}},
      {"the default one", service_account_user("team-a", ""), "team-a", {"restricted"}},
      {"one in another namespace",
       service_account_user("team-a", "build"),
       "team-b",
       {"restricted"}},
      {"an authenticated user", {"tester", {"system:authenticated"}}, "team-a", {"restricted"}},
      {"an authenticated user in kube-system",
       {"tester", {"system:authenticated"}},
       "kube-system",
       {"restricted"}},
      {"somebody unauthenticated", {"system:anonymous", {"system:unauthenticated"}}, "team-a", {}},
      {"nobody", {}, "team-a", {}},
      {"nobody in kube-system", {}, "kube-system", {}},
      {"a service account of kube-system in kube-system",
       service_account_user("kube-system", "build"),
       "kube-system",
       {"privileged", "restricted"}},
      {"the default one of kube-system",
       service_account_user("kube-system", ""),
       "kube-system",
       {"privileged", "restricted"}},
      {"a service account of kube-system elsewhere",
       service_account_user("kube-system", "build"),
       "team-a",
       {"restricted"}},
      {"a service account of kube-system in no namespace",
       service_account_user("kube-system", "build"),
       "",
       {"restricted"}},
      {"a service account from elsewhere in kube-system",
       service_account_user("team-a", "build"),
       "kube-system",
       {"restricted"}},
      {"a namespace with a similar name",
       service_account_user("kube-system-2", "build"),
       "kube-system-2",
       {"restricted"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(usable(policies, c.user, c.namespace_, builtin(), of_proposal) == c.usable);
  }
}

TEST_CASE("a pod of kube-system runs with no scheduling restriction") {
  Pod pod;
  pod.metadata.namespace_ = "kube-system";
  CHECK(usable(policies, user_of(pod), "kube-system", builtin(), of_proposal) ==
        Names{"privileged", "restricted"});
  pod.metadata.namespace_ = "team-a";
  CHECK(usable(policies, user_of(pod), "team-a", builtin(), of_proposal) == Names{"restricted"});
}

TEST_CASE("a policy that is not there cannot be used") {
  const Names others = {"gpu"};
  CHECK(usable(others, service_account_user("kube-system", ""), "kube-system", builtin(),
               of_proposal) == Names{});
}

}  // namespace builtin_test
}  // namespace SCHEDPOL_NAMESPACE::rbac
