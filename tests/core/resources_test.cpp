// SPDX-License-Identifier: Apache-2.0
#include <schedpol/core/resources.hpp>

#include <schedpol/core/impl/resource_amounts.hpp>

#include "../support/print.hpp"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace resources_test {

using schedpol::allocatable;
using schedpol::Container;
using schedpol::ContainerStatus;
using schedpol::Node;
using schedpol::PodSpec;
using schedpol::PodStatus;
using schedpol::Quantity;
using schedpol::Reasons;
using schedpol::requests;
using schedpol::ResourceList;
using schedpol::ResourceRequirements;
using schedpol::Resources;
using schedpol::unschedulable_message;
using schedpol::detail::amount_of;
using schedpol::detail::is_counted;
using schedpol::detail::to_quantity;

ResourceList list(std::initializer_list<std::pair<const char*, const char*>> texts) {
  ResourceList list;
  for (const auto& [name, text] : texts) list[name] = Quantity::parse(text).value();
  return list;
}

Container asking(ResourceList requests) {
  return {.resources = {.requests = std::move(requests)}};
}

Container sidecar(ResourceList requests) {
  return {.resources = {.requests = std::move(requests)}, .restart_policy = "Always"};
}

constexpr std::int64_t int64_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int64_min = std::numeric_limits<std::int64_t>::min();

TEST_CASE("a pod asks for its containers, or what it needs to start, whichever is more") {
  struct Case {
    std::string name;
    PodSpec spec;
    Resources wanted;
  };
  const auto cpu = [](const char* text) { return list({{"cpu", text}}); };
  const Case cases[] = {
      {"nothing", {}, {.pods = 1}},
      {"the sum of its containers, rounded up once",
       {.containers = {asking(list({{"cpu", "250m"}, {"memory", "1.5"}})),
                       asking(list({{"cpu", "0.1"}, {"memory", "1.5"}}))}},
       {.milli_cpu = 350, .memory = 3, .pods = 1}},
      {"an init container that asks for less",
       {.init_containers = {asking(cpu("100m"))}, .containers = {asking(cpu("200m"))}},
       {.milli_cpu = 200, .pods = 1}},
      {"an init container that asks for more",
       {.init_containers = {asking(cpu("1")), asking(cpu("300m"))},
        .containers = {asking(cpu("200m"))}},
       {.milli_cpu = 1000, .pods = 1}},
      {"of each resource what the init container asks for that wants most of it",
       {.init_containers = {asking(list({{"cpu", "1"}, {"memory", "5"}})),
                            asking(list({{"cpu", "100m"}, {"memory", "9"}}))},
        .containers = {asking(cpu("200m"))}},
       {.milli_cpu = 1000, .memory = 9, .pods = 1}},
      {"each resource for itself",
       {.init_containers = {asking(list({{"cpu", "1"}, {"memory", "1"}}))},
        .containers = {asking(list({{"cpu", "100m"}, {"memory", "5"}}))}},
       {.milli_cpu = 1000, .memory = 5, .pods = 1}},
      {"a sidecar stays",
       {.init_containers = {sidecar(cpu("100m"))}, .containers = {asking(cpu("200m"))}},
       {.milli_cpu = 300, .pods = 1}},
      {"an init container starts beside the sidecars before it",
       {.init_containers = {sidecar(cpu("100m")), asking(cpu("500m")), sidecar(cpu("50m"))},
        .containers = {asking(cpu("200m"))}},
       {.milli_cpu = 600, .pods = 1}},
      {"an init container before the sidecar",
       {.init_containers = {asking(cpu("500m")), sidecar(cpu("100m"))},
        .containers = {asking(cpu("200m"))}},
       {.milli_cpu = 500, .pods = 1}},
      {"overhead is added",
       {.overhead = list({{"cpu", "50m"}, {"memory", "10"}}),
        .init_containers = {asking(cpu("1"))},
        .containers = {asking(cpu("200m"))}},
       {.milli_cpu = 1050, .memory = 10, .pods = 1}},
      {"what the pod says as a whole counts, overhead besides",
       {.overhead = cpu("50m"),
        .containers = {asking(list({{"cpu", "200m"}, {"memory", "7"}}))},
        .resources = ResourceRequirements{.requests = cpu("1")}},
       {.milli_cpu = 1050, .memory = 7, .pods = 1}},
      {"of memory, too",
       {.containers = {asking(list({{"memory", "7"}}))},
        .resources = ResourceRequirements{.requests = list({{"memory", "9"}})}},
       {.memory = 9, .pods = 1}},
      {"as a whole it cannot speak of others",
       {.containers = {asking(list({{"example.com/gpu", "1"}}))},
        .resources = ResourceRequirements{.requests = list(
                                              {{"example.com/gpu", "5"}, {"hugepages-2Mi", "2"}})}},
       {.pods = 1, .scalar = {{"example.com/gpu", 1}, {"hugepages-2Mi", 2}}}},
      {"names that count",
       {.containers = {asking(list({{"ephemeral-storage", "1"},
                                    {"hugepages-1Gi", "2"},
                                    {"attachable-volumes-x", "3"},
                                    {"example.com/gpu", "4"},
                                    {"a.kubernetes.io/b", "5"}}))}},
       {.ephemeral_storage = 1,
        .pods = 1,
        .scalar = {{"hugepages-1Gi", 2},
                   {"attachable-volumes-x", 3},
                   {"example.com/gpu", 4},
                   {"a.kubernetes.io/b", 5}}}},
      {"names that do not",
       {.containers = {asking(list({{"pods", "7"},
                                    {"storage", "1"},
                                    {"gpu", "1"},
                                    {"requests.example.com/gpu", "1"},
                                    {"example.com/", "1"},
                                    {"a/b/c", "1"}}))}},
       {.pods = 1}},
      {"less than nothing", {.containers = {asking(cpu("-1"))}}, {.pods = 1}},
      {"more than there is",
       {.containers = {asking(list({{"memory", "1e30"}, {"cpu", "9e18"}}))}},
       {.milli_cpu = int64_max, .memory = int64_max, .pods = 1}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Resources asked = requests(c.spec);
    CHECK(asked.milli_cpu == c.wanted.milli_cpu);
    CHECK(asked.memory == c.wanted.memory);
    CHECK(asked.ephemeral_storage == c.wanted.ephemeral_storage);
    CHECK(asked == c.wanted);
  }
}

TEST_CASE("where no request is given the limit is it, in templates as in pods") {
  struct Case {
    std::string name;
    PodSpec spec;
    ResourceList wanted;
  };
  const auto cpu = [](const char* text) { return list({{"cpu", text}}); };
  const auto limited = [](ResourceList requests, ResourceList limits) {
    return Container{.resources = {.requests = std::move(requests), .limits = std::move(limits)}};
  };
  const auto as_a_whole = [](ResourceList requests, ResourceList limits) {
    return ResourceRequirements{.requests = std::move(requests), .limits = std::move(limits)};
  };
  const ResourceList both = list({{"cpu", "1"}, {"memory", "5"}});
  const Case cases[] = {
      {"limits alone", {.containers = {limited({}, both)}}, both},
      {"a request beside", {.containers = {limited(cpu("2"), cpu("3"))}}, cpu("2")},
      {"resource by resource",
       {.containers = {limited(cpu("100m"), both)}},
       list({{"cpu", "100m"}, {"memory", "5"}})},
      {"a request of zero is one", {.containers = {limited(cpu("0"), cpu("3"))}}, cpu("0")},
      {"container by container",
       {.containers = {limited({}, cpu("1")), limited(cpu("2"), cpu("4"))}},
       cpu("3")},
      {"init containers too",
       {.init_containers = {limited({}, cpu("3"))}, .containers = {limited({}, cpu("1"))}},
       cpu("3")},
      {"and sidecars",
       {.init_containers = {{.resources = {.limits = cpu("3")}, .restart_policy = "Always"}},
        .containers = {limited({}, cpu("1"))}},
       cpu("4")},
      {"of the pod as a whole",
       {.containers = {limited({}, {})}, .resources = as_a_whole({}, cpu("3"))},
       cpu("3")},
      {"of each resource that the pod as a whole limits",
       {.resources = as_a_whole({}, both)},
       both},
      {"what containers request goes before that",
       {.containers = {limited(cpu("2"), {})}, .resources = as_a_whole({}, cpu("3"))},
       cpu("2")},
      {"what they are limited to as well",
       {.containers = {limited({}, cpu("2"))}, .resources = as_a_whole({}, cpu("3"))},
       cpu("2")},
      {"but not of hugepages",
       {.containers = {limited({}, list({{"hugepages-2Mi", "2"}}))},
        .resources = as_a_whole({}, list({{"hugepages-2Mi", "4"}}))},
       list({{"hugepages-2Mi", "4"}})},
      {"the pod's own request goes before all",
       {.containers = {limited({}, cpu("2"))}, .resources = as_a_whole(cpu("1"), cpu("3"))},
       cpu("1")},
      {"as a whole it limits no others",
       {.resources = as_a_whole({}, list({{"example.com/gpu", "5"}}))},
       {}},
      {"overhead is added",
       {.overhead = cpu("50m"), .containers = {limited({}, cpu("1"))}},
       cpu("1050m")},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(pod_requests(c.spec) == c.wanted);
  }
  const Node node = {.status = {.allocatable = list({{"cpu", "1"}, {"pods", "9"}})}};
  CHECK(fits(requests({.containers = {limited({}, cpu("1"))}}), allocatable(node), {}));
  CHECK(!fits(requests({.containers = {limited({}, cpu("2"))}}), allocatable(node), {}));
}

TEST_CASE("a pod that is resized takes the most of what it asks for, was granted and has") {
  struct Case {
    std::string name;
    PodSpec spec;
    PodStatus status;
    const char* wanted;
  };
  const auto cpu = [](const char* text) { return list({{"cpu", text}}); };
  const auto said = [&](const char* name, const char* allocated, const char* actual) {
    ContainerStatus status{.name = name};
    if (*allocated != 0) status.allocated_resources = cpu(allocated);
    if (*actual != 0) status.resources.requests = cpu(actual);
    return status;
  };
  const auto named = [&](const char* name, const char* requested) {
    return Container{.name = name, .resources = {.requests = cpu(requested)}};
  };
  const PodSpec one{.containers = {named("c", "500m")}};
  const PodSpec two{.containers = {named("c", "500m"), named("d", "500m")}};
  const PodSpec as_a_whole{.containers = {named("c", "500m")},
                           .resources = ResourceRequirements{.requests = cpu("1")}};
  const auto refused = [](PodStatus status) {
    status.conditions = {{"Ready", {}}, {"PodResizePending", "Infeasible"}};
    return status;
  };
  const ResourceRequirements has_2{.requests = cpu("2")};
  const Case cases[] = {
      {"no status", one, {}, "500m"},
      {"a status that says nothing of it", one, {.container_statuses = {{.name = "c"}}}, "500m"},
      {"it has more", one, {.container_statuses = {said("c", "500m", "1500m")}}, "1500m"},
      {"it was granted more", one, {.container_statuses = {said("c", "1500m", "500m")}}, "1500m"},
      {"it asks for more", one, {.container_statuses = {said("c", "100m", "200m")}}, "500m"},
      {"another container", one, {.container_statuses = {said("x", "9", "9")}}, "500m"},
      {"granted, what it has is not known",
       one,
       {.container_statuses = {said("c", "1500m", "")}},
       "1500m"},
      {"the most of the sums, not the sum of the most",
       two,
       {.container_statuses = {said("c", "1", "100m"), said("d", "100m", "1")}},
       "1100m"},
      {"one of two is known", two, {.container_statuses = {said("c", "1", "1")}}, "1500m"},
      {"the first status of a name",
       one,
       {.init_container_statuses = {said("c", "9", "9")},
        .container_statuses = {said("c", "1", "1")}},
       "1"},
      {"a sidecar",
       {.init_containers =
            {{.name = "s", .resources = {.requests = cpu("100m")}, .restart_policy = "Always"}},
        .containers = {named("c", "500m")}},
       {.init_container_statuses = {said("s", "1", "100m")}},
       "1500m"},
      {"an init container",
       {.init_containers = {named("i", "100m")}, .containers = {named("c", "500m")}},
       {.init_container_statuses = {said("i", "2", "2")}},
       "2"},
      {"the node refuses what it asks for", one,
       refused({.container_statuses = {said("c", "100m", "200m")}}), "200m"},
      {"refused, and nothing else is known", one, refused({}), "0"},
      {"it waits for what it asks for",
       one,
       {.conditions = {{"PodResizePending", "Deferred"}, {"PodResizePending", "Infeasible"}},
        .container_statuses = {said("c", "100m", "200m")}},
       "500m"},
      {"the reason of another condition",
       one,
       {.conditions = {{"PodResizeInProgress", "Infeasible"}},
        .container_statuses = {said("c", "100m", "200m")}},
       "500m"},
      {"overhead is added",
       {.overhead = cpu("50m"), .containers = {named("c", "500m")}},
       {.container_statuses = {said("c", "1", "1")}},
       "1050m"},
      {"the pod as a whole has more", as_a_whole, {.resources = has_2}, "2"},
      {"it was granted more as a whole",
       as_a_whole,
       {.allocated_resources = cpu("3"), .resources = has_2},
       "3"},
      {"granted as a whole, what it has is not known",
       as_a_whole,
       {.allocated_resources = cpu("3")},
       "1"},
      {"refused as a whole", as_a_whole,
       refused({.resources = ResourceRequirements{.requests = cpu("700m")}}), "700m"},
      {"as a whole it says so, its containers do not count",
       as_a_whole,
       {.container_statuses = {said("c", "9", "9")}},
       "1"},
      {"what one has is not known, and counts as granted",
       two,
       {.container_statuses = {said("c", "1", ""), said("d", "100m", "2")}},
       "3"},
      {"of one nothing is known but that it is there",
       two,
       {.container_statuses = {{.name = "c"}, said("d", "2", "")}},
       "2500m"},
      {"several resources",
       one,
       {.container_statuses = {{.name = "c",
                                .allocated_resources = list({{"a.com/x", "1"}, {"cpu", "2"}}),
                                .resources = {.requests = list({{"a.com/x", "1"}})}}}},
       "2"},
      {"several resources that it has",
       one,
       {.container_statuses =
            {{.name = "c", .resources = {.requests = list({{"a.com/x", "1"}, {"cpu", "2"}})}}}},
       "2"},
      {"the node tells what the pod has, and not what it was granted",
       one,
       {.container_statuses = {said("c", "1", "1")}, .resources = has_2},
       "1"},
      {"the node tells what the pod was granted, and not what it has",
       one,
       {.container_statuses = {said("c", "1", "1")},
        .allocated_resources = cpu("3"),
        .resources = ResourceRequirements{}},
       "1"},
      {"the node tells that the pod has more than it was granted",
       one,
       {.allocated_resources = cpu("1"), .resources = has_2},
       "2"},
      {"as a whole it limits",
       {.containers = {named("c", "500m")}, .resources = ResourceRequirements{.limits = cpu("2")}},
       {.resources = ResourceRequirements{.requests = cpu("3")}},
       "3"},
      {"as a whole it asks for what only containers can have",
       {.containers = {asking(list({{"a.com/x", "1"}, {"cpu", "500m"}}))},
        .resources = ResourceRequirements{.requests = list({{"a.com/x", "1"}})}},
       {.resources = ResourceRequirements{.requests = cpu("9")}},
       "500m"},
      {"as a whole it says so of memory, its containers count for cpu",
       {.containers = {named("c", "500m")},
        .resources = ResourceRequirements{.requests = list({{"memory", "1Gi"}})}},
       {.container_statuses = {said("c", "2", "1")}},
       "2"},
      {"the node tells of the pod as a whole",
       one,
       {.container_statuses = {said("c", "9", "9")},
        .allocated_resources = cpu("2"),
        .resources = ResourceRequirements{.requests = cpu("1")}},
       "2"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(requests(c.spec, c.status).milli_cpu == Quantity::parse(c.wanted).value().milli_value());
    CHECK(requests(c.spec, {}) == requests(c.spec));
  }
  const auto gi = [&](const char* text) { return list({{"cpu", "1"}, {"memory", text}}); };
  CHECK(requests({.resources = ResourceRequirements{.requests = gi("1Gi")}},
                 {.resources = ResourceRequirements{.requests = gi("2Gi")}})
            .memory == std::int64_t{2} << 30);
}

TEST_CASE("sums of what pods ask for are exact") {
  const PodSpec spec = {.containers = {asking(list({{"cpu", "0.1m"}})),
                                       asking(list({{"cpu", "0.2m"}, {"other", "1Ki"}}))}};
  CHECK(pod_requests(spec) == list({{"cpu", "300u"}, {"other", "1024"}}));
  CHECK(requests(spec).milli_cpu == 1);
}

TEST_CASE("a node has what its status says is allocatable") {
  Node node;
  CHECK(allocatable(node) == Resources{});
  node.status.allocatable = list({{"cpu", "3920m"},
                                  {"memory", "1Ki"},
                                  {"pods", "110"},
                                  {"ephemeral-storage", "5"},
                                  {"example.com/gpu", "2"},
                                  {"gpu", "2"}});
  CHECK(allocatable(node) == Resources{.milli_cpu = 3920,
                                       .memory = 1024,
                                       .ephemeral_storage = 5,
                                       .pods = 110,
                                       .scalar = {{"example.com/gpu", 2}}});
}

TEST_CASE("a pod fits where of everything that it asks for enough is left") {
  const Resources node = {.milli_cpu = 1000,
                          .memory = 100,
                          .ephemeral_storage = 10,
                          .pods = 3,
                          .scalar = {{"example.com/gpu", 2}}};
  const Resources used = {
      .milli_cpu = 600, .memory = 100, .pods = 2, .scalar = {{"example.com/gpu", 1}}};
  struct Case {
    std::string name;
    Resources asked;
    Resources used;
    bool fits;
  };
  const Case cases[] = {
      {"nothing", {.pods = 1}, used, true},
      {"the rest", {.milli_cpu = 400, .pods = 1, .scalar = {{"example.com/gpu", 1}}}, used, true},
      {"one more than the rest", {.milli_cpu = 401, .pods = 1}, used, false},
      {"what is used up", {.memory = 1, .pods = 1}, used, false},
      {"nothing of what is overused", {.pods = 1}, {.memory = 500}, true},
      {"a resource that the node lacks",
       {.pods = 1, .scalar = {{"example.com/fpga", 1}}},
       {},
       false},
      {"none of a resource that the node lacks",
       {.pods = 1, .scalar = {{"example.com/fpga", 0}}},
       {},
       true},
      {"the second of two that the node lacks",
       {.pods = 1, .scalar = {{"example.com/fpga", 0}, {"example.com/npu", 1}}},
       {},
       false},
      {"a pod too many", {.pods = 1}, {.pods = 3}, false},
      {"everything",
       {.milli_cpu = 2000,
        .memory = 2000,
        .ephemeral_storage = 11,
        .pods = 2,
        .scalar = {{"example.com/gpu", 2}}},
       used,
       false},
      {"one byte of storage too many", {.ephemeral_storage = 11, .pods = 1}, used, false},
      {"as much as there is of everything",
       {.milli_cpu = 1000,
        .memory = 100,
        .ephemeral_storage = 10,
        .pods = 3,
        .scalar = {{"example.com/gpu", 2}}},
       {},
       true},
      {"one gpu too many", {.pods = 1, .scalar = {{"example.com/gpu", 2}}}, used, false},
      {"beyond int64", {.memory = int64_max, .pods = 1}, {.memory = -1}, false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(fits(c.asked, node, c.used) == c.fits);
  }
}

TEST_CASE("resources are spoken of one by one, as people write them") {
  for (const char* name : {"cpu", "memory", "ephemeral-storage", "hugepages-2Mi", "a.com/b",
                           "requests.kubernetes.io/a", "example.kubernetes.io/"})
    CHECK(is_counted(name));
  for (const char* name :
       {"", "pods", "cpus", "storage", "requests.cpu", "requests.a.com/b", "a/b/c"})
    CHECK(!is_counted(name));
  const Resources some = {
      .milli_cpu = 1, .memory = 2, .ephemeral_storage = 3, .pods = 4, .scalar = {{"a/b", 5}}};
  CHECK(amount_of(some, "cpu") == 1);
  CHECK(amount_of(some, "memory") == 2);
  CHECK(amount_of(some, "ephemeral-storage") == 3);
  CHECK(amount_of(some, "pods") == 4);
  CHECK(amount_of(some, "a/b") == 5);
  CHECK(amount_of(some, "a/c") == 0);
  struct Case {
    const char* resource;
    std::int64_t amount;
    std::string wanted;
  };
  const Case cases[] = {{"cpu", 0, "0"},
                        {"cpu", 1, "1m"},
                        {"cpu", 1800, "1800m"},
                        {"cpu", 2000, "2"},
                        {"memory", 0, "0"},
                        {"memory", 1023, "1023"},
                        {"memory", 1024, "1Ki"},
                        {"memory", 1536, "1536"},
                        {"memory", 1, "1"},
                        {"memory", 3 * 1024 * 1024, "3Mi"},
                        {"hugepages-2Mi", 1 << 30, "1Gi"},
                        {"ephemeral-storage", std::int64_t{1} << 40, "1Ti"},
                        {"memory", std::int64_t{1} << 62, "4096Pi"},
                        {"example.com/gpu", 1024, "1024"},
                        {"cpu", int64_max, "9223372036854775807m"}};
  for (const Case& c : cases) {
    CAPTURE(c.wanted);
    CHECK(to_quantity(c.resource, c.amount).text() == c.wanted);
    const Quantity quantity = to_quantity(c.resource, c.amount);
    CHECK((std::string(c.resource) == "cpu" ? quantity.milli_value() : quantity.value()) ==
          c.amount);
  }
}

TEST_CASE("what pods use is added up, and taken away again") {
  Resources used;
  const Resources one = {.milli_cpu = 100, .memory = 5, .pods = 1, .scalar = {{"a/b", 2}}};
  used += one;
  used += one;
  CHECK(used == Resources{.milli_cpu = 200, .memory = 10, .pods = 2, .scalar = {{"a/b", 4}}});
  used -= one;
  CHECK(used == one);
}

TEST_CASE("sums and differences of amounts end where int64 does") {
  struct Case {
    std::int64_t a;
    std::int64_t b;
    std::int64_t sum;
    std::int64_t difference;
  };
  const Case cases[] = {
      {5, -1, 4, 6},
      {-5, 3, -2, -8},
      {-5, -3, -8, -2},
      {int64_max, 0, int64_max, int64_max},
      {int64_max, 1, int64_max, int64_max - 1},
      {int64_max, -1, int64_max - 1, int64_max},
      {int64_max, int64_max, int64_max, 0},
      {int64_min, 0, int64_min, int64_min},
      {int64_min, 1, int64_min + 1, int64_min},
      {int64_min, -1, int64_min, int64_min + 1},
      {int64_min, int64_min, int64_min, 0},
  };
  for (const auto& [a, b, wanted_sum, wanted_difference] : cases) {
    CAPTURE(a);
    CAPTURE(b);
    Resources sum = {.memory = a};
    Resources difference = {.memory = a};
    sum += Resources{.memory = b};
    difference -= Resources{.memory = b};
    CHECK(sum.memory == wanted_sum);
    CHECK(difference.memory == wanted_difference);
  }
}

TEST_CASE("the reasons of all nodes are one sentence, in the order of its words") {
  struct Case {
    std::string name;
    std::size_t nodes;
    Reasons reasons;
    std::string wanted;
  };
  const Case cases[] = {
      {"no nodes", 0, {}, "0/0 nodes are available:"},
      {"no reason", 3, {}, "0/3 nodes are available:"},
      {"one", 3, {{"Too many pods", 3}}, "0/3 nodes are available: 3 Too many pods."},
      {"two",
       2000,
       {{"UnitFull", 900}, {"NodeNotInUnit", 1100}},
       "0/2000 nodes are available: 1100 NodeNotInUnit, 900 UnitFull."},
      {"numbers are texts", 11, {{"a", 9}, {"b", 10}}, "0/11 nodes are available: 10 b, 9 a."},
      {"of no node", 2, {{"a", 0}, {"b", 2}}, "0/2 nodes are available: 2 b."},
      {"that ends like a sentence begins",
       2,
       {{"had taint:", 1}, {"x", 1}},
       "0/2 nodes are available: 1 had taint:, 1 x."},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(unschedulable_message(c.nodes, c.reasons) == c.wanted);
  }
}

}  // namespace resources_test
