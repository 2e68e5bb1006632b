// SPDX-License-Identifier: Apache-2.0
#include <schedpol/runtime_class/validate.hpp>

#include <schedpol/core/limits.hpp>

#include "../support/print_systems.hpp"
#include "classes.hpp"

#include <string>
#include <vector>

namespace SCHEDPOL_NAMESPACE::runtime_class {
namespace validate_test {

TEST_CASE("a class is validated with the paths of its document") {
  const auto with = [](void (*change)(RuntimeClass&)) {
    RuntimeClass changed = kata();
    change(changed);
    return changed;
  };
  struct Case {
    const char* name;
    RuntimeClass runtime_class;
    List wanted;
  };
  const Case cases[] = {
      {"a good one", kata(), {}},
      {"without overhead", gvisor(), {}},
      {"without scheduling", plain(), {}},
      {"no name",
       with([](RuntimeClass& c) { c.metadata.name = ""; }),
       {"FieldValueRequired metadata.name"}},
      {"a name in upper case",
       with([](RuntimeClass& c) { c.metadata.name = "Kata"; }),
       {"FieldValueInvalid metadata.name"}},
      {"a class in a namespace",
       with([](RuntimeClass& c) { c.metadata.namespace_ = "team-a"; }),
       {"FieldValueForbidden metadata.namespace"}},
      {"a name with dots", with([](RuntimeClass& c) { c.metadata.name = "kata.v2"; }), {}},
      {"no handler", with([](RuntimeClass& c) { c.handler = ""; }), {"FieldValueRequired handler"}},
      {"a handler in upper case",
       with([](RuntimeClass& c) { c.handler = "Kata"; }),
       {"FieldValueInvalid handler"}},
      {"a handler with dots",
       with([](RuntimeClass& c) { c.handler = "kata.v2"; }),
       {"FieldValueInvalid handler"}},
      {"a handler of 63 bytes",
       with([](RuntimeClass& c) { c.handler = std::string(63, 'a'); }),
       {}},
      {"a handler of 64 bytes",
       with([](RuntimeClass& c) { c.handler = std::string(64, 'a'); }),
       {"FieldValueInvalid handler"}},
      {"a negative overhead",
       with([](RuntimeClass& c) { c.overhead->pod_fixed["cpu"] = quantity("-1m"); }),
       {"FieldValueInvalid overhead.podFixed[cpu]"}},
      {"a negative overhead between others",
       with([](RuntimeClass& c) {
         c.overhead->pod_fixed = resources("1", "-1");
         c.overhead->pod_fixed["zz"] = quantity("1");
       }),
       {"FieldValueInvalid overhead.podFixed[memory]"}},
      {"an overhead of zero before a negative one",
       with([](RuntimeClass& c) { c.overhead->pod_fixed = resources("0", "-1"); }),
       {"FieldValueInvalid overhead.podFixed[memory]"}},
      {"no overhead after all",
       with([](RuntimeClass& c) { c.overhead->pod_fixed = resources("0", "-0"); }),
       {}},
      {"a malformed label key",
       with([](RuntimeClass& c) {
         c.scheduling->node_selector = {{"a b", "c"}};
       }),
       {"FieldValueInvalid scheduling.nodeSelector"}},
      {"a malformed label value",
       with([](RuntimeClass& c) {
         c.scheduling->node_selector = {{"a", "b c"}};
       }),
       {"FieldValueInvalid scheduling.nodeSelector"}},
      {"a toleration of every key that is not Exists",
       with([](RuntimeClass& c) { c.scheduling->tolerations.push_back({.value = "a"}); }),
       {"FieldValueInvalid scheduling.tolerations[1].operator"}},
      {"seconds without NoExecute",
       with([](RuntimeClass& c) { c.scheduling->tolerations[0].toleration_seconds = 5; }),
       {"FieldValueInvalid scheduling.tolerations[0].effect"}},
      {"everything, in document order",
       {.metadata = {.name = "-"},
        .overhead = Overhead{.pod_fixed = resources("-1", "-1Gi")},
        .scheduling =
            Scheduling{.node_selector = {{"", ""}},
                       .tolerations = {{.key = "a", .effect = OpenEnum<TaintEffect>("Never")}}}},
       {"FieldValueInvalid metadata.name", "FieldValueRequired handler",
        "FieldValueInvalid overhead.podFixed[cpu]", "FieldValueInvalid overhead.podFixed[memory]",
        "FieldValueInvalid scheduling.nodeSelector", "FieldValueInvalid scheduling.nodeSelector",
        "FieldValueNotSupported scheduling.tolerations[0].effect"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    CHECK(reasons(validate(c.runtime_class)) == c.wanted);
  }
  const auto negative = validate(cases[12].runtime_class);
  REQUIRE(negative.size() == 1);
  CHECK(negative[0].bad_value == "-1m");
  RuntimeClass large = plain();
  ResourceList& overhead = large.overhead.emplace().pod_fixed;
  for (int i = 0; i < 8'000; ++i) overhead["example.com/" + std::to_string(i)] = Quantity();
  CHECK(reasons(validate(large)) ==
        List{"FieldValueTooMany overhead.podFixed", "FieldValueTooLong "});
  RuntimeClass giving = plain();
  giving.scheduling.emplace().node_selector = {{"sandbox", "yes"}};
  auto& tolerations = giving.scheduling->tolerations;
  for (std::size_t i = 1; i < max_given_items; ++i)
    tolerations.push_back(
        {.key = "key" + std::to_string(i), .operator_ = TolerationOperator::exists});
  ResourceList& most = giving.overhead.emplace().pod_fixed;
  for (std::size_t i = 0; i < max_pod_resources; ++i)
    most["example.com/" + std::to_string(i)] = Quantity();
  CHECK(reasons(validate(giving)).empty());
  tolerations.push_back({.key = "one-more", .operator_ = TolerationOperator::exists});
  most["example.com/one-more"] = Quantity();
  CHECK(reasons(validate(giving)) ==
        List{"FieldValueTooMany overhead.podFixed", "FieldValueTooMany scheduling"});
}

}  // namespace validate_test
}  // namespace SCHEDPOL_NAMESPACE::runtime_class
