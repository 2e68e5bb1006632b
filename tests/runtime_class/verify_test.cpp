// SPDX-License-Identifier: Apache-2.0

#include <schedpol/runtime_class/admit.hpp>

#include "../support/print_systems.hpp"
#include "classes.hpp"

#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::runtime_class {
namespace verify_test {

TEST_CASE("verify finds what other mutators removed or changed") {
  const Pod admitted =
      admit(pod_of({.node_selector = {{"disk", "ssd"}}, .runtime_class_name = "kata"}), classes())
          .pod;
  struct Case {
    const char* name;
    void (*mutate)(PodSpec&);
    List wanted;
  };
  const Case cases[] = {
      {"nothing", [](PodSpec&) {}, {}},
      {"the node selector is gone",
       [](PodSpec& spec) { spec.node_selector.clear(); },
       {"NodeSelectorRequired spec.nodeSelector[kubernetes.io/os]",
        "NodeSelectorRequired spec.nodeSelector[runtime]"}},
      {"one pair is gone",
       [](PodSpec& spec) { spec.node_selector.erase("runtime"); },
       {"NodeSelectorRequired spec.nodeSelector[runtime]"}},
      {"one pair has another value",
       [](PodSpec& spec) { spec.node_selector["runtime"] = "runc"; },
       {"NodeSelectorRequired spec.nodeSelector[runtime]"}},
      {"one pair has no value",
       [](PodSpec& spec) { spec.node_selector["runtime"] = ""; },
       {"NodeSelectorRequired spec.nodeSelector[runtime]"}},
      {"the pod's own pair is gone", [](PodSpec& spec) { spec.node_selector.erase("disk"); }, {}},
      {"a pair more", [](PodSpec& spec) { spec.node_selector["gpu"] = "true"; }, {}},
      {"the tolerations are gone",
       [](PodSpec& spec) { spec.tolerations.clear(); },
       {"TolerationRequired spec.tolerations"}},
      {"another key",
       [](PodSpec& spec) { spec.tolerations[0].key = "spot"; },
       {"TolerationRequired spec.tolerations"}},
      {"a narrower operator",
       [](PodSpec& spec) { spec.tolerations[0].operator_ = equal; },
       {"TolerationRequired spec.tolerations"}},
      {"another effect",
       [](PodSpec& spec) { spec.tolerations[0].effect = no_execute; },
       {"TolerationRequired spec.tolerations"}},
      {"every effect", [](PodSpec& spec) { spec.tolerations[0].effect = {}; }, {}},
      {"every key",
       [](PodSpec& spec) { spec.tolerations = {{.operator_ = exists, .effect = no_schedule}}; },
       {}},
      {"everything", [](PodSpec& spec) { spec.tolerations = {{.operator_ = exists}}; }, {}},
      {"a toleration more, before it",
       [](PodSpec& spec) {
         spec.tolerations.insert(spec.tolerations.begin(), {.key = "spot", .operator_ = exists});
       },
       {}},
      {"the overhead is gone",
       [](PodSpec& spec) { spec.overhead.clear(); },
       {"OverheadMismatch spec.overhead"}},
      {"a resource of the overhead is gone",
       [](PodSpec& spec) { spec.overhead.erase("memory"); },
       {"OverheadMismatch spec.overhead"}},
      {"a resource of the overhead is smaller",
       [](PodSpec& spec) { spec.overhead["memory"] = quantity("120M"); },
       {"OverheadMismatch spec.overhead"}},
      {"a resource more",
       [](PodSpec& spec) { spec.overhead["example.com/gpu"] = quantity("1"); },
       {"OverheadMismatch spec.overhead"}},
      {"the overhead in other words",
       [](PodSpec& spec) { spec.overhead = resources("0.25", "125829120"); },
       {}},
      {"the class's name is gone",
       [](PodSpec& spec) { spec.runtime_class_name = ""; },
       {"OverheadWithoutRuntimeClass spec.overhead"}},
      {"another class",
       [](PodSpec& spec) { spec.runtime_class_name = "missing"; },
       {"RuntimeClassNotFound spec.runtimeClassName"}},
      {"everything else is changed",
       [](PodSpec& spec) {
         spec.scheduler_name = "batch";
         spec.node_name = "node-1";
         spec.priority_class_name = "gold";
         spec.affinity = Affinity{};
       },
       {}},
      {"all of it is gone, in the order of the class",
       [](PodSpec& spec) { spec = {.runtime_class_name = "kata"}; },
       {"OverheadMismatch spec.overhead",
        "NodeSelectorRequired spec.nodeSelector[kubernetes.io/os]",
        "NodeSelectorRequired spec.nodeSelector[runtime]", "TolerationRequired spec.tolerations"}},
      {"all of it is changed",
       [](PodSpec& spec) {
         spec = {.node_selector = {{"kubernetes.io/os", "windows"}, {"runtime", "runc"}},
                 .tolerations = {{.key = "spot", .operator_ = exists}},
                 .runtime_class_name = "kata",
                 .overhead = resources("1", "1Gi")};
       },
       {"OverheadMismatch spec.overhead",
        "NodeSelectorRequired spec.nodeSelector[kubernetes.io/os]",
        "NodeSelectorRequired spec.nodeSelector[runtime]", "TolerationRequired spec.tolerations"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Pod pod = admitted;
    c.mutate(pod.spec);
    CHECK(reasons(verify(pod, classes())) == c.wanted);
  }
}

TEST_CASE("verify names the class, what the pod has and what it lacks") {
  const Pod pod = pod_of({.node_selector = {{"kubernetes.io/os", "linux"}, {"runtime", "runc"}},
                          .runtime_class_name = "kata",
                          .overhead = resources("1", "1Gi")});
  CHECK(verify(pod, classes()) ==
        Violations{
            {ViolationCode::overhead_mismatch, "spec.overhead"_path, "cpu=1, memory=1Gi", {"kata"}},
            {ViolationCode::node_selector_required,
             "spec.nodeSelector[runtime]"_path,
             "runc",
             {"kata"}},
            {ViolationCode::toleration_required,
             "spec.tolerations"_path,
             "sandbox Exists:NoSchedule",
             {"kata"}}});
}

TEST_CASE("each toleration of the class that is not covered is missing") {
  RuntimeClass from = gvisor();
  from.scheduling->tolerations = {
      {.key = "sandbox", .operator_ = exists, .effect = no_schedule},
      {.key = "spot", .operator_ = exists, .effect = no_execute, .toleration_seconds = 300},
      {.key = "old", .operator_ = equal, .value = "true"}};
  Pod pod = pod_of({.node_selector = {{"runtime", "gvisor"}}, .runtime_class_name = "gvisor"});
  const auto lacking = [&](std::vector<Toleration> tolerations) {
    pod.spec.tolerations = std::move(tolerations);
    List list;
    for (const Violation& violation : verify(pod, Classes{from})) list.push_back(violation.value);
    return list;
  };
  const auto& all = from.scheduling->tolerations;
  CHECK(lacking(all) == List{});
  CHECK(lacking({}) ==
        List{"sandbox Exists:NoSchedule", "spot Exists:NoExecute for 300s", "old=true"});
  CHECK(lacking({all[2], all[0]}) == List{"spot Exists:NoExecute for 300s"});
  Toleration shorter = all[1];
  shorter.toleration_seconds = 299;
  CHECK(lacking({all[0], shorter, all[2]}) == List{"spot Exists:NoExecute for 300s"});
  Toleration forever = all[1];
  forever.toleration_seconds = none;
  CHECK(lacking({all[0], forever, all[2]}) == List{});
}

TEST_CASE("a class without overhead is verified whole, and a class without name is nobody's") {
  const std::vector<RuntimeClass> classes = {
      {.metadata = {.name = "windows"},
       .scheduling = {{.node_selector = {{"os", "windows"}},
                       .tolerations = {{.key = "os", .operator_ = TolerationOperator::exists}}}}},
      {.scheduling = {{.node_selector = {{"os", "windows"}}}}}};
  const Pod pod{.spec = {.node_selector = {{"os", "linux"}},
                         .runtime_class_name = "windows",
                         .overhead = {{"cpu", *Quantity::parse("1")}}}};
  std::vector<ViolationCode> codes;
  for (const auto& violation : verify(pod, classes)) codes.push_back(violation.code);
  CHECK(codes == std::vector{ViolationCode::overhead_without_runtime_class,
                             ViolationCode::node_selector_required,
                             ViolationCode::toleration_required});
  CHECK(verify(Pod(), classes).empty());
}

}  // namespace verify_test
}  // namespace SCHEDPOL_NAMESPACE::runtime_class
