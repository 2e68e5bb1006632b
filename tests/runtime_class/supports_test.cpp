// SPDX-License-Identifier: Apache-2.0
#include <schedpol/runtime_class/supports.hpp>

#include "../support/print_systems.hpp"
#include "classes.hpp"

#include <concepts>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::runtime_class {
namespace supports_test {

static_assert(std::is_aggregate_v<Support>);
static_assert(std::equality_comparable<Support>);

TEST_CASE("a node supports a class when it carries the labels of its node selector") {
  struct Case {
    const char* name;
    RuntimeClass runtime_class;
    Labels labels;
    Labels missing;
  };
  RuntimeClass no_value = gvisor();
  no_value.scheduling->node_selector = {{"gpu", ""}};
  RuntimeClass no_selector = gvisor();
  no_selector.scheduling = Scheduling{};
  const Case cases[] = {
      {"all labels", kata(), {{"kubernetes.io/os", "linux"}, {"runtime", "kata"}}, {}},
      {"all and more",
       kata(),
       {{"disk", "ssd"}, {"kubernetes.io/os", "linux"}, {"runtime", "kata"}},
       {}},
      {"no labels", kata(), {}, {{"kubernetes.io/os", "linux"}, {"runtime", "kata"}}},
      {"one missing", kata(), {{"runtime", "kata"}}, {{"kubernetes.io/os", "linux"}}},
      {"one otherwise",
       kata(),
       {{"kubernetes.io/os", "linux"}, {"runtime", "runc"}},
       {{"runtime", "kata"}}},
      {"a label without a value is there", no_value, {{"gpu", ""}}, {}},
      {"a missing label is not one without a value", no_value, {}, {{"gpu", ""}}},
      {"a class without scheduling", plain(), {}, {}},
      {"a class without a node selector", no_selector, {{"runtime", "runc"}}, {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Node node = {.metadata = {.name = "node-1", .labels = c.labels}};
    CHECK(supports(c.runtime_class, node) ==
          Support{.supported = c.missing.empty(), .missing = c.missing});
  }
  CHECK_FALSE(Support{}.supported);
  const Node tainted = {.metadata = {.name = "node-1", .labels = {{"runtime", "gvisor"}}},
                        .spec = {.taints = {{"sandbox", "", no_schedule}}}};
  CHECK(supports(gvisor(), tainted).supported);
}

}  // namespace supports_test
}  // namespace SCHEDPOL_NAMESPACE::runtime_class
