// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/builtin.hpp>

#include <schedpol/scheduling_policy/impl/fields.hpp>

#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/merge.hpp>
#include <schedpol/scheduling_policy/validate.hpp>

#include "../support/list.hpp"
#include "../support/print.hpp"

#include <type_traits>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace builtin_test {

using schedpol::testing::List;

static_assert(std::is_enum_v<PlatformLabels> && !std::is_convertible_v<PlatformLabels, int>);

PodSpec node_affinity(std::vector<NodeSelectorTerm> terms) {
  return {.affinity = Affinity{
              .node_affinity = NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                                NodeSelector{std::move(terms)}}}};
}

NodeSelectorRequirement in(std::string key, std::string value) {
  return {.key = std::move(key), .operator_ = NodeSelectorOperator::in, .values = {value}};
}

TEST_CASE("the built-in policies have the names of the proposal and are valid") {
  struct Case {
    SchedulingPolicy policy;
    const char* name;
  };
  const Case cases[] = {
      {restricted(), "restricted"},
      {privileged(), "privileged"},
      {restricted_multiarch_by_node_selector(), "restricted-multiarch-by-node-selector"},
      {restricted_multiarch_by_affinity(), "restricted-multiarch-by-affinity"},
      {restricted_multiarch_by_node_selector(PlatformLabels::proposal),
       "restricted-multiarch-by-node-selector"},
      {restricted_multiarch_by_affinity(PlatformLabels::proposal),
       "restricted-multiarch-by-affinity"},
  };
  for (const auto& [policy, name] : cases) {
    CAPTURE(name);
    CHECK(policy.metadata == ObjectMeta{.name = name});
    CHECK(validate(policy) == std::vector<FieldError>{});
  }
}

TEST_CASE("restricted allows the default scheduler alone, privileged everything") {
  CHECK(restricted() ==
        SchedulingPolicy{.metadata = {.name = "restricted"},
                         .spec = {.allowed = {.scheduler_names = {"default-scheduler"}}}});
  SchedulingPolicy everything{.metadata = {.name = "privileged"}};
  for_each_field<PolicySection>(
      [&](std::string_view, auto field) { everything.spec.allowed.*field = any; });
  CHECK(privileged() == everything);
}

TEST_CASE("the proposal's spelling of the labels of nodes is there on request") {
  CHECK(restricted_multiarch_by_node_selector(PlatformLabels::proposal)
            .spec.required.node_selectors ==
        NodeSelectors{{"beta.kubernetes.io/arch", {"amd64", "arm64"}},
                      {"beta.kubernetes.io/os", {"Linux", "Windows"}}});
  CHECK(to_string(PlatformLabels::proposal) == "Proposal");
  CHECK(to_string(PlatformLabels::current) == "Current");
}

TEST_CASE("by default the multi-architecture policies use the labels that nodes carry") {
  CHECK(restricted_multiarch_by_node_selector() ==
        SchedulingPolicy{
            .metadata = {.name = "restricted-multiarch-by-node-selector"},
            .spec = {.required = {.scheduler_names = {"default-scheduler"},
                                  .node_selectors =
                                      NodeSelectors{{"kubernetes.io/arch", {"amd64", "arm64"}},
                                                    {"kubernetes.io/os", {"linux", "windows"}}}},
                     .defaults = {.scheduler_name = "default-scheduler",
                                  .node_selector = Labels{{"kubernetes.io/arch", "amd64"},
                                                          {"kubernetes.io/os", "linux"}}}}});
  CHECK(restricted_multiarch_by_node_selector() ==
        restricted_multiarch_by_node_selector(PlatformLabels::current));
  CHECK(restricted_multiarch_by_affinity() ==
        restricted_multiarch_by_affinity(PlatformLabels::current));
}

TEST_CASE("a pod that says nothing gets one architecture and one system from either policy") {
  const std::vector<SchedulingPolicy> by_selector = {restricted_multiarch_by_node_selector()};
  const Admission selected = admit(Pod{}, merge(by_selector));
  CHECK(selected.allowed);
  CHECK(selected.pod.spec.scheduler_name == "default-scheduler");
  CHECK(selected.pod.spec.node_selector ==
        Labels{{"kubernetes.io/arch", "amd64"}, {"kubernetes.io/os", "linux"}});

  const std::vector<SchedulingPolicy> by_affinity = {restricted_multiarch_by_affinity()};
  const Admission attracted = admit(Pod{}, merge(by_affinity));
  CHECK(attracted.allowed);
  CHECK(attracted.pod.spec.affinity ==
        node_affinity({{.match_expressions = {in("kubernetes.io/arch", "amd64"),
                                              in("kubernetes.io/os", "linux")}}})
            .affinity);
}

TEST_CASE("by affinity a pod has to pick both in every term") {
  struct Case {
    const char* name;
    std::vector<NodeSelectorTerm> terms;
    std::size_t violations;
  };
  const auto arm = in("kubernetes.io/arch", "arm64");
  const auto windows = in("kubernetes.io/os", "windows");
  const Case cases[] = {
      {"both in one term", {{.match_expressions = {windows, arm}}}, 0},
      {"both in each of two terms",
       {{.match_expressions = {arm, windows}},
        {.match_expressions = {arm, in("kubernetes.io/os", "linux")}}},
       0},
      {"only the architecture", {{.match_expressions = {arm}}}, 1},
      {"each in a term of its own, which Kubernetes would OR",
       {{.match_expressions = {arm}}, {.match_expressions = {windows}}},
       2},
      {"another architecture",
       {{.match_expressions = {in("kubernetes.io/arch", "s390x"), windows}}},
       2},
  };
  const std::vector<SchedulingPolicy> policies = {restricted_multiarch_by_affinity()};
  for (const auto& [name, terms, violations] : cases) {
    CAPTURE(name);
    CHECK(admit(Pod{.spec = node_affinity(terms)}, merge(policies)).violations.size() ==
          violations);
  }
}

}  // namespace builtin_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
