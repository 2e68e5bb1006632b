// SPDX-License-Identifier: Apache-2.0
#include <schedpol/runtime_class/admit.hpp>
#include <schedpol/runtime_class/supports.hpp>
#include <schedpol/runtime_class/validate.hpp>
#include <schedpol/scheduling_policy/admit.hpp>
#include <schedpol/scheduling_policy/merge.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print_systems.hpp"
#include "../support/reasons.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

// The user stories and the deciding sentences of the RuntimeClass scheduling proposal, as
// admissions of pods and as the nodes on which they may run afterwards.

namespace SCHEDPOL_NAMESPACE::runtime_class {
namespace proposal_test {

using testing::operator""_path;

using schedpol::testing::List;
using Classes = std::vector<RuntimeClass>;

constexpr auto exists = TolerationOperator::exists;
constexpr auto equal = TolerationOperator::equal;
constexpr auto no_schedule = TaintEffect::no_schedule;

const std::string os = "kubernetes.io/os";
const std::string sandboxed = "sandboxed.kubernetes.io";
const std::string windows_taint = "windows.microsoft.com";

const Taint keep_linux_away = {windows_taint, "", no_schedule};
const Taint keep_trusted_away = {sandboxed, "", no_schedule};

/// Two Linux nodes, one with a GPU, two Windows nodes, one with a GPU, and a node for sandboxes.
const std::vector<Node>& nodes() {
  static const std::vector<Node> all = {
      {.metadata = {.name = "linux", .labels = {{os, "linux"}}}},
      {.metadata = {.name = "linux-gpu", .labels = {{"gpu", "true"}, {os, "linux"}}}},
      {.metadata = {.name = "windows", .labels = {{os, "windows"}}},
       .spec = {.taints = {keep_linux_away}}},
      {.metadata = {.name = "windows-gpu", .labels = {{"gpu", "true"}, {os, "windows"}}},
       .spec = {.taints = {keep_linux_away}}},
      {.metadata = {.name = "sandbox", .labels = {{os, "linux"}, {sandboxed, "true"}}},
       .spec = {.taints = {keep_trusted_away}}},
  };
  return all;
}

const Classes& classes() {
  static const Classes all = {
      {.metadata = {.name = "linux-native"},
       .handler = "runc",
       .scheduling = Scheduling{.node_selector = {{os, "linux"}}}},
      {.metadata = {.name = "windows-native"},
       .handler = "runhcs",
       .scheduling = Scheduling{.node_selector = {{os, "windows"}},
                                .tolerations = {{.key = windows_taint,
                                                 .operator_ = exists,
                                                 .effect = no_schedule}}}},
      {.metadata = {.name = "kata"},
       .handler = "kata-containers",
       .scheduling =
           Scheduling{
               .node_selector = {{os, "linux"}, {sandboxed, "true"}},
               .tolerations = {{.key = sandboxed, .operator_ = exists, .effect = no_schedule}}}},
      {.metadata = {.name = "anywhere"}, .handler = "runc"},
  };
  return all;
}

/// The nodes that a pod may run on: they match its node selector and affinity, and it tolerates
/// their taints.
List lands_on(const Pod& pod) {
  const NodeAffinityMatcher matcher(pod.spec);
  List names;
  for (const Node& node : nodes()) {
    const bool tolerated = find_untolerated(pod.spec.tolerations, node.spec.taints).empty();
    if (tolerated && matcher.matches(node)) names.push_back(node.metadata.name);
  }
  return names;
}

Admission admitted(const PodSpec& spec) {
  return admit(Pod{.metadata = {.name = "pod"}, .spec = spec}, classes());
}

List reasons(const Admission& admission) {
  return testing::reasons(admission.violations);
}

struct Case {
  const char* name;
  PodSpec pod;
  List nodes;
};

void land_each(const std::vector<Case>& cases) {
  for (const auto& [name, pod, wanted] : cases) {
    CAPTURE(name);
    const Admission admission = admitted(pod);
    CHECK(admission.allowed);
    CHECK(lands_on(admission.pod) == wanted);
  }
}

// ---- Motivation and goals

TEST_CASE("pods are scheduled to the nodes that support their runtime class") {
  land_each({
      {"Linux", {.runtime_class_name = "linux-native"}, {"linux", "linux-gpu"}},
      {"Windows", {.runtime_class_name = "windows-native"}, {"windows", "windows-gpu"}},
      {"Kata", {.runtime_class_name = "kata"}, {"sandbox"}},
      {"a class without scheduling", {.runtime_class_name = "anywhere"}, {"linux", "linux-gpu"}},
      {"no class", {}, {"linux", "linux-gpu"}},
  });
}

TEST_CASE("without the class's help a pod does not get to the nodes it needs") {
  const Pod alone = {.spec = {.runtime_class_name = "windows-native"}};
  CHECK(lands_on(alone) == List{"linux", "linux-gpu"});
}

TEST_CASE("scheduling is compatible with other constraints: an intersection") {
  const auto on_disk = [](const char* value) {
    return Affinity{
        .node_affinity = NodeAffinity{
            .required_during_scheduling_ignored_during_execution = NodeSelector{
                {{.match_expressions = {{"gpu", NodeSelectorOperator::in, {value}}}}}}}};
  };
  land_each({
      {"a node selector for GPUs and a Linux runtime",
       {.node_selector = {{"gpu", "true"}}, .runtime_class_name = "linux-native"},
       {"linux-gpu"}},
      {"a node selector for GPUs and a Windows runtime",
       {.node_selector = {{"gpu", "true"}}, .runtime_class_name = "windows-native"},
       {"windows-gpu"}},
      {"a node selector for GPUs and a sandbox",
       {.node_selector = {{"gpu", "true"}}, .runtime_class_name = "kata"},
       {}},
      {"a node affinity for GPUs and a Linux runtime",
       {.affinity = on_disk("true"), .runtime_class_name = "linux-native"},
       {"linux-gpu"}},
      {"a node affinity that no node matches",
       {.affinity = on_disk("false"), .runtime_class_name = "linux-native"},
       {}},
      {"tolerating every taint does not get a Linux pod to Windows",
       {.tolerations = {{.operator_ = exists}}, .runtime_class_name = "linux-native"},
       {"linux", "linux-gpu", "sandbox"}},
  });
}

// ---- User story: Windows

TEST_CASE("an administrator can enable different runtimes on Windows and Linux nodes") {
  struct Supported {
    const char* runtime_class;
    List nodes;
  };
  const Supported cases[] = {
      {"linux-native", {"linux", "linux-gpu", "sandbox"}},
      {"windows-native", {"windows", "windows-gpu"}},
      {"kata", {"sandbox"}},
      {"anywhere", {"linux", "linux-gpu", "windows", "windows-gpu", "sandbox"}},
  };
  for (const auto& [name, wanted] : cases) {
    CAPTURE(name);
    const auto from = std::find_if(classes().begin(), classes().end(),
                                   [&](const RuntimeClass& c) { return c.metadata.name == name; });
    REQUIRE((from != classes().end()));
    CHECK(validate(*from).empty());
    List supported;
    for (const Node& node : nodes()) {
      if (supports(*from, node).supported) supported.push_back(node.metadata.name);
    }
    CHECK(supported == wanted);
  }
  CHECK(supports(classes()[1], nodes()[0]) == Support{false, {{os, "windows"}}});
  CHECK(supports(classes()[2], nodes()[2]) == Support{false, {{os, "linux"}, {sandboxed, "true"}}});
}

TEST_CASE("a developer selects a Windows runtime without worrying about scheduling constraints") {
  const Admission admission = admitted({.runtime_class_name = "windows-native"});
  CHECK(admission.allowed);
  CHECK(admission.pod.spec.node_selector == Labels{{os, "windows"}});
  CHECK(
      admission.pod.spec.tolerations ==
      std::vector<Toleration>{{.key = windows_taint, .operator_ = exists, .effect = no_schedule}});
  CHECK(admission.changes ==
        std::vector<Change>{
            {"spec.nodeSelector[kubernetes.io/os]"_path, std::nullopt, "windows", "windows-native"},
            {"spec.tolerations[0]"_path, std::nullopt, "windows.microsoft.com Exists:NoSchedule",
             "windows-native"}});
  CHECK(lands_on(admission.pod) == List{"windows", "windows-gpu"});
}

TEST_CASE("Linux workloads are not accidentally scheduled to Windows nodes") {
  land_each({
      {"a default pod is kept away by the taint", {}, {"linux", "linux-gpu"}},
      {"a default pod that needs a GPU", {.node_selector = {{"gpu", "true"}}}, {"linux-gpu"}},
      {"a pod of a Linux class is kept away by its selector",
       {.tolerations = {{.key = windows_taint, .operator_ = exists}},
        .runtime_class_name = "linux-native"},
       {"linux", "linux-gpu"}},
      {"a default pod for Windows alone lands nowhere", {.node_selector = {{os, "windows"}}}, {}},
  });
}

// ---- User story: sandboxed nodes

TEST_CASE("untrusted workloads are not colocated with sensitive data") {
  const List untrusted = lands_on(admitted({.runtime_class_name = "kata"}).pod);
  CHECK(untrusted == List{"sandbox"});
  for (const char* trusted : {"", "linux-native", "windows-native", "anywhere"}) {
    CAPTURE(trusted);
    const List others = lands_on(admitted({.runtime_class_name = trusted}).pod);
    CHECK_FALSE(others.empty());
    CHECK(std::find(others.begin(), others.end(), "sandbox") == others.end());
  }
}

TEST_CASE("a developer runs an untrusted service without worrying about where it runs") {
  const Admission admission = admitted({.runtime_class_name = "kata"});
  CHECK(admission.allowed);
  CHECK(admission.pod.spec.node_selector == Labels{{os, "linux"}, {sandboxed, "true"}});
  CHECK(admission.pod.spec.tolerations ==
        std::vector<Toleration>{{.key = sandboxed, .operator_ = exists, .effect = no_schedule}});
}

TEST_CASE("trusted and untrusted nodes are autoscaled independently: no pod can choose its side") {
  CHECK(
      reasons(admitted({.node_selector = {{sandboxed, "false"}}, .runtime_class_name = "kata"})) ==
      List{"NodeSelectorConflict spec.nodeSelector[sandboxed.kubernetes.io]"});
  land_each({{"a sandbox that tolerates everything",
              {.tolerations = {{.operator_ = exists}}, .runtime_class_name = "kata"},
              {"sandbox"}}});
}

// ---- Design details: API and admission controller

TEST_CASE("the node selector of the class is merged with the pod's, conflicts reject the pod") {
  struct Merge {
    const char* name;
    Labels pod;
    List wanted;
    Labels merged;
  };
  const Merge cases[] = {
      {"key-value pairs are added", {{"gpu", "true"}}, {}, {{"gpu", "true"}, {os, "windows"}}},
      {"the same key with the same value", {{os, "windows"}}, {}, {{os, "windows"}}},
      {"the same key with a different value",
       {{"gpu", "true"}, {os, "linux"}},
       {"NodeSelectorConflict spec.nodeSelector[kubernetes.io/os]"},
       {{"gpu", "true"}, {os, "linux"}}},
  };
  for (const auto& [name, pod, wanted, merged] : cases) {
    CAPTURE(name);
    const Admission admission =
        admitted({.node_selector = pod, .runtime_class_name = "windows-native"});
    CHECK(reasons(admission) == wanted);
    CHECK(admission.allowed == wanted.empty());
    CHECK(admission.pod.spec.node_selector == merged);
    CHECK((admission.pod.spec.tolerations.empty() == !admission.allowed));
  }
}

TEST_CASE("a conflict says in one line what disagrees") {
  const Admission admission =
      admitted({.node_selector = {{os, "linux"}}, .runtime_class_name = "windows-native"});
  REQUIRE(admission.violations.size() == 1);
  CHECK(message(admission.violations[0]) ==
        "`spec.nodeSelector[kubernetes.io/os]`: value `linux` conflicts with the runtime class "
        "`windows-native` (permitted: `windows`)");
}

TEST_CASE("tolerations are a union without duplicates") {
  const Toleration windows = {.key = windows_taint, .operator_ = exists, .effect = no_schedule};
  const Toleration spot = {.key = "spot", .operator_ = equal, .value = "true"};
  const Toleration any_windows = {.key = windows_taint, .operator_ = exists};
  const Toleration one_windows = {
      .key = windows_taint, .operator_ = equal, .value = "2022", .effect = no_schedule};
  struct Union {
    const char* name;
    std::vector<Toleration> pod;
    std::vector<Toleration> wanted;
  };
  const Union cases[] = {
      {"none", {}, {windows}},
      {"the class's are appended", {spot}, {spot, windows}},
      {"an equivalent one is not repeated", {windows}, {windows}},
      {"nor between others", {windows, spot}, {windows, spot}},
      {"a broader one is enough", {any_windows, spot}, {any_windows, spot}},
      {"a narrower one is merged into it", {one_windows, spot}, {spot, windows}},
  };
  for (const auto& [name, pod, wanted] : cases) {
    CAPTURE(name);
    const Admission admission =
        admitted({.tolerations = pod, .runtime_class_name = "windows-native"});
    CHECK(admission.allowed);
    CHECK(admission.pod.spec.tolerations == wanted);
    CHECK(lands_on(admission.pod) == List{"windows", "windows-gpu"});
  }
}

TEST_CASE("if the referenced class does not exist, the pod is rejected") {
  const Admission admission = admitted({.runtime_class_name = "hyper-v"});
  CHECK_FALSE(admission.allowed);
  CHECK(reasons(admission) == List{"RuntimeClassNotFound spec.runtimeClassName"});
  CHECK(message(admission.violations.at(0)) ==
        "`spec.runtimeClassName`: there is no runtime class `hyper-v`");
}

TEST_CASE("scheduling is optional, and so are both of its parts") {
  const Taint tainted = {"spot", "", no_schedule};
  const Toleration spot = {.key = "spot", .operator_ = exists};
  const Classes parts = {
      {.metadata = {.name = "neither"}, .handler = "runc", .scheduling = Scheduling{}},
      {.metadata = {.name = "selector"},
       .handler = "runc",
       .scheduling = Scheduling{.node_selector = {{"disk", "ssd"}}}},
      {.metadata = {.name = "tolerations"},
       .handler = "runc",
       .scheduling = Scheduling{.tolerations = {spot}}},
  };
  const auto spec = [&](const char* name) {
    const Admission admission = admit(Pod{.spec = {.runtime_class_name = name}}, parts);
    CHECK(admission.allowed);
    return admission.pod.spec;
  };
  CHECK((spec("neither") == PodSpec{.runtime_class_name = "neither"}));
  CHECK((spec("selector") ==
         PodSpec{.node_selector = {{"disk", "ssd"}}, .runtime_class_name = "selector"}));
  CHECK(
      (spec("tolerations") == PodSpec{.tolerations = {spot}, .runtime_class_name = "tolerations"}));
  CHECK(find_untolerated(spec("tolerations").tolerations, std::vector{tainted}).empty());
}

// ---- Alternatives: scheduling policies

TEST_CASE("a runtime class is compatible with additional scheduling policies") {
  using scheduling_policy::merge;
  using scheduling_policy::SchedulingPolicy;
  const SchedulingPolicy linux_only = {
      .metadata = {.name = "linux-only"},
      .spec = {.allowed = {
                   .scheduler_names = any,
                   .node_selectors = {{os, {"linux"}}, {sandboxed, any}},
                   .tolerations = {
                       {.keys = {sandboxed}, .operators = {exists}, .effects = {no_schedule}}}}}};
  const auto effective = merge(std::vector{linux_only});
  const auto both = [&](const char* runtime_class) {
    return admitted({.runtime_class_name = runtime_class}).and_then([&](Pod pod) {
      return scheduling_policy::admit(std::move(pod), effective);
    });
  };
  CHECK(lands_on(both("kata").pod) == List{"sandbox"});
  CHECK(both("kata").changes.size() == 3);
  const Admission denied = both("windows-native");
  CHECK_FALSE(denied.allowed);
  CHECK(reasons(denied) == List{"NodeSelectorNotAllowed spec.nodeSelector[kubernetes.io/os]",
                                "TolerationNotAllowed spec.tolerations[0]"});
  CHECK((denied.pod.spec == PodSpec{.runtime_class_name = "windows-native"}));
}

}  // namespace proposal_test
}  // namespace SCHEDPOL_NAMESPACE::runtime_class
