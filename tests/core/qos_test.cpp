// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/qos.hpp>

#include "../support/print.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace qos_test {

using schedpol::Container;
using schedpol::effective_qos_class;
using schedpol::PodSpec;
using schedpol::qos_class;
using schedpol::QosClass;
using schedpol::Quantity;
using schedpol::ResourceList;
using schedpol::ResourceRequirements;

static_assert(std::is_enum_v<QosClass>);

TEST_CASE("a class is spelled as the kubelet does") {
  CHECK(to_string(QosClass::best_effort) == "BestEffort");
  CHECK(to_string(QosClass::burstable) == "Burstable");
  CHECK(to_string(QosClass::guaranteed) == "Guaranteed");
}

using Quantities = std::vector<std::pair<std::string, std::string>>;

ResourceList resources(const Quantities& quantities) {
  ResourceList list;
  for (const auto& [name, text] : quantities) {
    const std::optional<Quantity> quantity = Quantity::parse(text);
    CAPTURE(text);
    REQUIRE(quantity.has_value());
    list.insert_or_assign(name, *quantity);
  }
  return list;
}

/// What one container asks for and may use at most.
struct Asks {
  Quantities requests{};
  Quantities limits{};
};

ResourceRequirements requirements(const Asks& asks) {
  return {.requests = resources(asks.requests), .limits = resources(asks.limits)};
}

std::vector<Container> containers(const std::vector<Asks>& list) {
  std::vector<Container> containers;
  for (const Asks& asks : list) {
    containers.push_back(
        {.name = "c" + std::to_string(containers.size()), .resources = requirements(asks)});
  }
  return containers;
}

const Asks nothing{};
const Asks whole{.requests = {{"cpu", "1"}, {"memory", "1Gi"}},
                 .limits = {{"cpu", "1"}, {"memory", "1Gi"}}};

TEST_CASE("the class of a pod is that of the cpu and memory of its containers") {
  struct Case {
    std::string name;
    std::vector<Asks> containers;
    std::string_view wanted;
    std::vector<Asks> init_containers{};
  };
  const Case cases[] = {
      {"no containers", {}, "BestEffort"},
      {"nothing asked for", {nothing}, "BestEffort"},
      {"nothing asked for by any", {nothing, nothing}, "BestEffort", {nothing}},
      {"zero requests and limits",
       {{.requests = {{"cpu", "0"}, {"memory", "0"}}, .limits = {{"cpu", "0"}, {"memory", "0Gi"}}}},
       "BestEffort"},
      {"other resources",
       {{.requests = {{"ephemeral-storage", "1Gi"}, {"example.com/gpu", "1"}},
         .limits = {{"example.com/gpu", "1"}, {"hugepages-2Mi", "4Mi"}}}},
       "BestEffort"},
      {"names in another case", {{.requests = {{"CPU", "1"}, {"Memory", "1"}}}}, "BestEffort"},

      {"requests equal to limits", {whole}, "Guaranteed"},
      {"equal in another spelling",
       {{.requests = {{"cpu", "1000m"}, {"memory", "1024Mi"}},
         .limits = {{"cpu", "1"}, {"memory", "1Gi"}}}},
       "Guaranteed"},
      {"every container", {whole, whole}, "Guaranteed"},
      {"an init container too", {whole}, "Guaranteed", {whole}},
      {"other resources beside",
       {{.requests = {{"cpu", "1"}, {"memory", "1Gi"}, {"example.com/gpu", "2"}},
         .limits = {{"cpu", "1"}, {"memory", "1Gi"}, {"example.com/gpu", "3"}}}},
       "Guaranteed"},
      {"the smallest quantity",
       {{.requests = {{"cpu", "1n"}, {"memory", "1n"}},
         .limits = {{"cpu", "1n"}, {"memory", "1n"}}}},
       "Guaranteed"},
      {"quantities are compared exactly",
       {{.requests = {{"cpu", "100m"}, {"memory", "1"}},
         .limits = {{"cpu", "0.1"}, {"memory", "1"}}},
        {.requests = {{"cpu", "200m"}, {"memory", "1"}},
         .limits = {{"cpu", "0.2"}, {"memory", "1"}}},
        {.requests = {{"cpu", "0.3"}, {"memory", "9007199254740993"}},
         .limits = {{"cpu", "300m"}, {"memory", "9007199254740993"}}}},
       "Guaranteed"},

      {"containers are compared, not their sums",
       {{.requests = {{"cpu", "2"}, {"memory", "1Gi"}},
         .limits = {{"cpu", "1"}, {"memory", "1Gi"}}},
        {.requests = {{"cpu", "1"}, {"memory", "1Gi"}},
         .limits = {{"cpu", "2"}, {"memory", "1Gi"}}}},
       "Burstable"},
      {"one container requests for all",
       {{.requests = {{"cpu", "2"}, {"memory", "2Gi"}},
         .limits = {{"cpu", "1"}, {"memory", "1Gi"}}},
        {.limits = {{"cpu", "1"}, {"memory", "1Gi"}}}},
       "Burstable"},
      {"a request of cpu", {{.requests = {{"cpu", "1m"}}}}, "Burstable"},
      {"a request of memory", {{.requests = {{"memory", "1"}}}}, "Burstable"},
      {"a limit of cpu", {{.limits = {{"cpu", "1m"}}}}, "Burstable"},
      {"a limit of memory", {{.limits = {{"memory", "1"}}}}, "Burstable"},
      {"cpu alone, equal", {{.requests = {{"cpu", "1"}}, .limits = {{"cpu", "1"}}}}, "Burstable"},
      {"memory alone, equal",
       {{.requests = {{"memory", "1"}}, .limits = {{"memory", "1"}}}},
       "Burstable"},
      {"requests without limits", {{.requests = {{"cpu", "1"}, {"memory", "1Gi"}}}}, "Burstable"},
      {"limits without requests", {{.limits = {{"cpu", "1"}, {"memory", "1Gi"}}}}, "Burstable"},
      {"a request of cpu below its limit",
       {{.requests = {{"cpu", "999m"}, {"memory", "1Gi"}},
         .limits = {{"cpu", "1"}, {"memory", "1Gi"}}}},
       "Burstable"},
      {"a request of memory below its limit",
       {{.requests = {{"cpu", "1"}, {"memory", "1G"}},
         .limits = {{"cpu", "1"}, {"memory", "1Gi"}}}},
       "Burstable"},
      {"a difference that a double would lose",
       {{.requests = {{"cpu", "1"}, {"memory", "9007199254740992"}},
         .limits = {{"cpu", "1"}, {"memory", "9007199254740993"}}}},
       "Burstable"},
      {"a request missing",
       {{.requests = {{"cpu", "1"}}, .limits = {{"cpu", "1"}, {"memory", "1Gi"}}}},
       "Burstable"},
      {"a zero limit of memory",
       {{.requests = {{"cpu", "1"}, {"memory", "0"}}, .limits = {{"cpu", "1"}, {"memory", "0"}}}},
       "Burstable"},
      {"a container without anything", {whole, nothing}, "Burstable"},
      {"a container without a limit of memory",
       {whole, {.requests = {{"cpu", "1"}}, .limits = {{"cpu", "1"}}}},
       "Burstable"},
      {"a container with zero limits",
       {whole,
        {.requests = {{"cpu", "0"}, {"memory", "0"}}, .limits = {{"cpu", "0"}, {"memory", "0"}}}},
       "Burstable"},
      {"sums equal, a container without limits",
       {{.requests = {{"memory", "1Gi"}}, .limits = {{"cpu", "2"}, {"memory", "1Gi"}}},
        {.requests = {{"cpu", "2"}}}},
       "Burstable"},
      {"an init container without anything", {whole}, "Burstable", {nothing}},
      {"the second of two init containers",
       {whole},
       "Burstable",
       {whole, {.requests = {{"cpu", "1"}}}}},
      {"the first of two init containers",
       {whole},
       "Burstable",
       {{.requests = {{"cpu", "1"}}}, whole}},
      {"only an init container asks", {nothing}, "Burstable", {{.requests = {{"cpu", "1"}}}}},
      {"an init container with other sums",
       {whole},
       "Burstable",
       {{.requests = {{"cpu", "1"}, {"memory", "1Gi"}},
         .limits = {{"cpu", "2"}, {"memory", "1Gi"}}}}},
      {"only an init container, guaranteed", {}, "Guaranteed", {whole}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const PodSpec spec{.init_containers = containers(c.init_containers),
                       .containers = containers(c.containers)};
    CHECK(to_string(qos_class(spec)) == c.wanted);
  }
}

TEST_CASE("where the pod asks for resources as a whole, its containers do not count") {
  struct Case {
    std::string name;
    Asks pod;
    std::vector<Asks> containers;
    std::string_view wanted;
  };
  const Case cases[] = {
      {"the pod limits and requests the same", whole, {nothing}, "Guaranteed"},
      {"a container asks for less", whole, {{.requests = {{"cpu", "1m"}}}}, "Guaranteed"},
      {"the pod requests less than it limits",
       {.requests = {{"cpu", "1"}, {"memory", "1Gi"}}, .limits = {{"cpu", "2"}, {"memory", "1Gi"}}},
       {whole},
       "Burstable"},
      {"the pod requests less memory than it limits",
       {.requests = {{"cpu", "1"}, {"memory", "1Gi"}}, .limits = {{"cpu", "1"}, {"memory", "2Gi"}}},
       {whole},
       "Burstable"},
      {"the pod only requests", {.requests = {{"cpu", "1"}, {"memory", "1Gi"}}}, {}, "Burstable"},
      {"the pod only limits", {.limits = {{"cpu", "1"}, {"memory", "1Gi"}}}, {whole}, "Burstable"},
      {"the pod limits cpu alone",
       {.requests = {{"cpu", "1"}}, .limits = {{"cpu", "1"}}},
       {whole},
       "Burstable"},
      {"zeros of the pod", {.requests = {{"cpu", "0"}}, .limits = {}}, {whole}, "BestEffort"},
      {"other resources of the pod", {.limits = {{"hugepages-2Mi", "4Mi"}}}, {whole}, "BestEffort"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    PodSpec spec{.init_containers = containers(c.containers),
                 .containers = containers(c.containers),
                 .resources = requirements(c.pod)};
    CHECK(to_string(qos_class(spec)) == c.wanted);
    spec.containers.clear();
    spec.init_containers.clear();
    CHECK(to_string(qos_class(spec)) == c.wanted);
  }
}

TEST_CASE("where the pod asks for nothing as a whole, its containers count") {
  const Asks others{.limits = {{"ephemeral-storage", "1Gi"}}};
  for (const Asks& asks : {nothing, others}) {
    const PodSpec spec{.containers = containers({whole}), .resources = requirements(asks)};
    CHECK(qos_class(spec) == QosClass::guaranteed);
  }
}

TEST_CASE("a template has the class of its pods, whose absent requests are their limits") {
  struct Case {
    std::string name;
    std::vector<Asks> containers;
    std::string_view kubelet;  ///< of what the template says
    std::string_view wanted;
    std::optional<Asks> pod{};
  };
  const Asks limits{.limits = whole.limits};
  const Case cases[] = {
      {"nothing", {nothing}, "BestEffort", "BestEffort"},
      {"limits alone", {limits}, "Burstable", "Guaranteed"},
      {"limits alone beside requests equal to limits", {limits, whole}, "Burstable", "Guaranteed"},
      {"one resource is limited alone",
       {{.requests = {{"cpu", "1"}}, .limits = whole.limits}},
       "Burstable",
       "Guaranteed"},
      {"a smaller request stays",
       {{.requests = {{"cpu", "500m"}}, .limits = whole.limits}},
       "Burstable",
       "Burstable"},
      {"a request of zero stays",
       {{.requests = {{"cpu", "0"}}, .limits = whole.limits}},
       "Burstable",
       "Burstable"},
      {"one resource is not limited", {{.limits = {{"cpu", "1"}}}}, "Burstable", "Burstable"},
      {"one container is not limited", {limits, nothing}, "Burstable", "Burstable"},
      {"one container's request was for all",
       {{.requests = {{"cpu", "2"}, {"memory", "2Gi"}}, .limits = whole.limits}, limits},
       "Burstable",
       "Burstable"},
      {"requests alone", {{.requests = whole.requests}}, "Burstable", "Burstable"},
      {"limits of the pod alone", {nothing}, "Burstable", "Guaranteed", limits},
      {"what its containers request is the pod's request",
       {{.requests = {{"cpu", "500m"}}}},
       "Burstable",
       "Burstable",
       limits},
      {"what they are limited to is their request",
       {{.limits = {{"cpu", "500m"}}}},
       "Burstable",
       "Burstable",
       limits},
      {"requests of the pod alone",
       {nothing},
       "Burstable",
       "Burstable",
       Asks{.requests = whole.requests}},
      {"requests of the pod, where all containers are limited to as much",
       {limits},
       "Burstable",
       "Guaranteed",
       Asks{.requests = whole.requests}},
      {"requests of the pod, where all containers are limited to less",
       {{.limits = {{"cpu", "100m"}, {"memory", "1Mi"}}}},
       "Burstable",
       "Guaranteed",
       Asks{.requests = whole.requests}},
      {"requests of the pod, where all containers are limited to more",
       {limits, limits},
       "Burstable",
       "Burstable",
       Asks{.requests = whole.requests}},
      {"requests of the pod, where one container is not limited",
       {limits, nothing},
       "Burstable",
       "Burstable",
       Asks{.requests = whole.requests}},
      {"hugepages of the pod, and what its containers ask for",
       {whole},
       "BestEffort",
       "Guaranteed",
       Asks{.limits = {{"hugepages-2Mi", "4Mi"}}}},
      {"the pod requests less memory than it limits",
       {whole},
       "Burstable",
       "Burstable",
       Asks{.requests = whole.requests, .limits = {{"cpu", "1"}, {"memory", "2Gi"}}}},
      {"what the pod requests goes before what its containers do",
       {{.requests = {{"cpu", "500m"}}}},
       "Guaranteed",
       "Guaranteed",
       whole},
      {"nothing of the pod", {whole}, "Guaranteed", "Guaranteed", nothing},
      {"nothing of the pod, where one container's request was for all",
       {{.requests = {{"cpu", "2"}, {"memory", "2Gi"}}, .limits = whole.limits}, limits},
       "Burstable",
       "Burstable",
       nothing},
      {"what is not asked of a pod as a whole",
       {whole},
       "Guaranteed",
       "Guaranteed",
       Asks{.requests = {{"ephemeral-storage", "1Gi"}}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    PodSpec spec{.containers = containers(c.containers)};
    if (c.pod) spec.resources = requirements(*c.pod);
    CHECK(to_string(qos_class(spec)) == c.kubelet);
    CHECK(to_string(effective_qos_class(spec)) == c.wanted);
    if (c.pod) continue;
    std::swap(spec.init_containers, spec.containers);
    CHECK(to_string(effective_qos_class(spec)) == c.wanted);
  }
  // Nor has a pod as a whole a limit where an init container has none.
  CHECK(effective_qos_class({.init_containers = containers({nothing}),
                             .containers = containers({limits}),
                             .resources = requirements({.requests = whole.requests})}) ==
        QosClass::burstable);
}

TEST_CASE("what the pod's runtime needs does not count") {
  PodSpec spec{.overhead = resources({{"cpu", "1"}, {"memory", "1Gi"}}),
               .containers = containers({nothing})};
  CHECK(qos_class(spec) == QosClass::best_effort);
  spec.containers = containers({whole});
  CHECK(qos_class(spec) == QosClass::guaranteed);
}

}  // namespace qos_test
