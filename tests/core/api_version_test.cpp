// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/api_version.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace SCHEDPOL_NAMESPACE {
namespace api_version_test {

static_assert(api_group("apps/v1") == "apps");
static_assert(api_group("v1").empty());
static_assert(own_api_group == "schedpol.io");

TEST_CASE("a CRD's group is a domain that Kubernetes does not keep") {
  for (const char* group :
       {"example.com", "notk8s.io", "scheduling.sigs.x-k8s.io", "a.b", "k8s.io.example.com"}) {
    CAPTURE(group);
    CHECK(is_custom_group(group));
  }
  for (const char* group :
       {"", "apps", "extensions", "k8s.io", "node.k8s.io", "kubernetes.io", "a.kubernetes.io"}) {
    CAPTURE(group);
    CHECK(!is_custom_group(group));
  }
}

TEST_CASE("schedpol's own kinds can be of any CRD's group, another kind is of its own alone") {
  struct Case {
    const char* api_version;
    std::vector<std::string> groups;
  };
  const Case cases[] = {
      {"schedpol.io/v1alpha1",
       {"schedpol.io", "extensions", "example.com", "kupid.gardener.cloud"}},
      {"kupid.gardener.cloud/v1alpha1", {"kupid.gardener.cloud"}},
      {"v1", {""}},
      {"node.k8s.io/v1", {"node.k8s.io"}},
  };
  for (const Case& c : cases) {
    for (const std::string group : {"", "schedpol.io", "extensions", "example.com",
                                    "kupid.gardener.cloud", "node.k8s.io", "apps"}) {
      CAPTURE(c.api_version);
      CAPTURE(group);
      const bool listed = std::find(c.groups.begin(), c.groups.end(), group) != c.groups.end();
      CHECK(is_in_group(c.api_version, group) == listed);
    }
  }
}

}  // namespace api_version_test
}  // namespace SCHEDPOL_NAMESPACE
