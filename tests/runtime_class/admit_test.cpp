// SPDX-License-Identifier: Apache-2.0
#include <schedpol/runtime_class/admit.hpp>

#include "../support/pod_templates.hpp"
#include "../support/print_systems.hpp"
#include "classes.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::runtime_class {
namespace admit_test {

/// A denial that gives back the pod as it came.
void check_denied(const Admission& admission, const Pod& pod, const Violations& violations) {
  CHECK_FALSE(admission.allowed);
  CHECK(admission.pod == pod);
  CHECK(admission.violations == violations);
  CHECK(admission.changes == Changes{});
  CHECK_FALSE(admission.before.has_value());
}

TEST_CASE("a pod without a runtime class is left alone") {
  const PodSpec cases[] = {
      {},
      {.node_selector = {{"runtime", "runc"}}},
      {.tolerations = {{.key = "sandbox", .operator_ = exists},
                       {.key = "sandbox", .operator_ = exists}}},
      {.scheduler_name = "batch", .node_name = "node-1"},
  };
  for (const PodSpec& spec : cases) {
    const Pod pod = pod_of(spec);
    CAPTURE(pod);
    CHECK(admit(pod, classes()) == Admission{.allowed = true, .pod = pod});
    CHECK(admit(pod, Classes{}) == Admission{.allowed = true, .pod = pod});
    CHECK(verify(pod, classes()) == Violations{});
  }
}

TEST_CASE("an overhead without a runtime class is denied") {
  const Pod pod = pod_of({.overhead = resources("250m", "120Mi")});
  const Violations wanted = {{ViolationCode::overhead_without_runtime_class, "spec.overhead"_path,
                              "cpu=250m, memory=120Mi"}};
  check_denied(admit(pod, classes()), pod, wanted);
  check_denied(admit(pod, Classes{}), pod, wanted);
  CHECK(verify(pod, classes()) == wanted);
}

TEST_CASE("a class that does not exist denies the pod for that alone") {
  struct Case {
    const char* name;
    PodSpec pod;
    Classes classes;
  };
  const Case cases[] = {
      {"no classes", {.runtime_class_name = "kata"}, {}},
      {"other classes", {.runtime_class_name = "kata"}, {gvisor(), plain()}},
      {"another case", {.runtime_class_name = "Kata"}, classes()},
      {"a handler is no name", {.runtime_class_name = "kata-qemu"}, classes()},
      {"a prefix", {.runtime_class_name = "kat"}, classes()},
      {"with an overhead and a selector",
       {.node_selector = {{"runtime", "runc"}},
        .runtime_class_name = "missing",
        .overhead = resources("1", "1Gi")},
       classes()},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = pod_of(c.pod);
    const Violations wanted = {{ViolationCode::runtime_class_not_found,
                                "spec.runtimeClassName"_path, c.pod.runtime_class_name}};
    check_denied(admit(pod, c.classes), pod, wanted);
    CHECK(verify(pod, c.classes) == wanted);
  }
}

TEST_CASE("a pod takes over the overhead, the node selector and the tolerations of its class") {
  const Toleration sandbox = {.key = "sandbox", .operator_ = exists, .effect = no_schedule};
  const Toleration spot = {.key = "spot", .operator_ = equal, .value = "true"};
  const Toleration one_sandbox = {
      .key = "sandbox", .operator_ = equal, .value = "a", .effect = no_schedule};
  const Toleration any = {.operator_ = exists};
  const ResourceList overhead = resources("250m", "120Mi");
  const Labels selector = {{"kubernetes.io/os", "linux"}, {"runtime", "kata"}};
  const Change set_overhead = {"spec.overhead"_path, none, "cpu=250m, memory=120Mi", "kata"};
  const Change set_os = {"spec.nodeSelector[kubernetes.io/os]"_path, none, "linux", "kata"};
  const Change set_runtime = {"spec.nodeSelector[runtime]"_path, none, "kata", "kata"};
  struct Case {
    const char* name;
    PodSpec pod;
    PodSpec wanted;
    Changes changes;
  };
  const Case cases[] = {
      {"a class that says nothing",
       {.tolerations = {spot}, .runtime_class_name = "plain"},
       {.tolerations = {spot}, .runtime_class_name = "plain"},
       {}},
      {"a pod that says nothing",
       {.runtime_class_name = "kata"},
       {.node_selector = selector,
        .tolerations = {sandbox},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {set_overhead,
        set_os,
        set_runtime,
        {"spec.tolerations[0]"_path, none, "sandbox Exists:NoSchedule", "kata"}}},
      {"what the pod has already is no change",
       {.node_selector = selector,
        .tolerations = {sandbox},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {.node_selector = selector,
        .tolerations = {sandbox},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {}},
      {"the pod's own pairs stay",
       {.node_selector = {{"disk", "ssd"}, {"runtime", "kata"}},
        .tolerations = {sandbox},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {.node_selector = {{"disk", "ssd"}, {"kubernetes.io/os", "linux"}, {"runtime", "kata"}},
        .tolerations = {sandbox},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {set_os}},
      {"the pod's tolerations come first",
       {.node_selector = selector,
        .tolerations = {spot},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {.node_selector = selector,
        .tolerations = {spot, sandbox},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {{"spec.tolerations[1]"_path, none, "sandbox Exists:NoSchedule", "kata"}}},
      {"a toleration that the class's covers is dropped",
       {.node_selector = selector,
        .tolerations = {one_sandbox, spot},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {.node_selector = selector,
        .tolerations = {spot, sandbox},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {{"spec.tolerations[0]"_path, "sandbox=a:NoSchedule", none, "kata"},
        {"spec.tolerations[1]"_path, none, "sandbox Exists:NoSchedule", "kata"}}},
      {"a toleration that covers the class's is enough",
       {.node_selector = selector,
        .tolerations = {any},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {.node_selector = selector,
        .tolerations = {any},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {}},
      {"a class with scheduling merges the pod's own tolerations too",
       {.tolerations = {spot, any}, .runtime_class_name = "gvisor"},
       {.node_selector = {{"runtime", "gvisor"}},
        .tolerations = {any},
        .runtime_class_name = "gvisor"},
       {{"spec.nodeSelector[runtime]"_path, none, "gvisor", "gvisor"},
        {"spec.tolerations[0]"_path, "spot=true", none, "gvisor"}}},
      {"a class without scheduling does not",
       {.tolerations = {spot, any}, .runtime_class_name = "plain"},
       {.tolerations = {spot, any}, .runtime_class_name = "plain"},
       {}},
      {"everything else stays",
       {.scheduler_name = "batch",
        .node_name = "node-1",
        .priority_class_name = "gold",
        .affinity = Affinity{.node_affinity = NodeAffinity{}},
        .runtime_class_name = "gvisor"},
       {.scheduler_name = "batch",
        .node_name = "node-1",
        .priority_class_name = "gold",
        .node_selector = {{"runtime", "gvisor"}},
        .affinity = Affinity{.node_affinity = NodeAffinity{}},
        .runtime_class_name = "gvisor"},
       {{"spec.nodeSelector[runtime]"_path, none, "gvisor", "gvisor"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = pod_of(c.pod);
    const Admission admission = admit(pod, classes());
    CHECK(admission.allowed);
    CHECK(admission.pod == pod_of(c.wanted));
    CHECK(admission.violations == Violations{});
    CHECK(admission.changes == c.changes);
    CHECK(admission.before == (c.changes.empty() ? none : std::optional(pod)));
    CHECK(admit(admission.pod, classes()) == Admission{.allowed = true, .pod = admission.pod});
    CHECK(verify(admission.pod, classes()) == Violations{});
  }
}

TEST_CASE("the pod's tolerations keep their order where the union adds and drops none") {
  const Toleration forever = {.key = "sandbox", .operator_ = exists, .effect = no_schedule};
  Toleration for_a_minute = forever;  // which NoSchedule does not know, so each covers the other
  for_a_minute.toleration_seconds = 60;
  const Toleration spot = {.key = "spot", .operator_ = exists};
  const Toleration gpu = {.key = "gpu", .operator_ = exists};
  struct Case {
    const char* name;
    std::vector<Toleration> of_class;
    std::vector<Toleration> own;
    std::vector<Toleration> wanted;
    bool changed;
  };
  const Case cases[] = {
      {"nothing to merge", {}, {spot, gpu}, {spot, gpu}, false},
      {"all are the class's, in its order", {spot, gpu}, {spot, gpu}, {spot, gpu}, false},
      {"all are the class's, in another order", {spot, gpu}, {gpu, spot}, {gpu, spot}, false},
      {"of two of the class's that cover each other the later",
       {forever, for_a_minute, spot},
       {},
       {for_a_minute, spot},
       true},
      {"the same, admitted again",
       {forever, for_a_minute, spot},
       {for_a_minute, spot},
       {for_a_minute, spot},
       false},
      {"the same, in another order",
       {forever, for_a_minute, spot},
       {spot, for_a_minute},
       {spot, for_a_minute},
       false},
      {"the class's later one instead of the pod's",
       {forever, for_a_minute},
       {forever, spot},
       {spot, for_a_minute},
       true},
      {"one is added, so that the union's order counts",
       {forever, for_a_minute, gpu},
       {for_a_minute, spot},
       {spot, for_a_minute, gpu},
       true},
      {"one is dropped, so that the union's order counts",
       {forever, for_a_minute},
       {for_a_minute, spot, spot},
       {spot, for_a_minute},
       true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    RuntimeClass from = plain();
    from.scheduling = Scheduling{.tolerations = c.of_class};
    const Pod pod = pod_of({.tolerations = c.own, .runtime_class_name = "plain"});
    const Admission admission = admit(pod, Classes{from});
    CHECK(admission.allowed);
    CHECK(admission.pod.spec.tolerations == c.wanted);
    CHECK(admission.changes.empty() == !c.changed);
    CHECK(admission.before.has_value() == c.changed);
    CHECK(admit(admission.pod, Classes{from}) == Admission{.allowed = true, .pod = admission.pod});
  }
}

TEST_CASE("every toleration that a class adds, and every one that it covers, is told") {
  const auto any_of = [](std::string key) {
    return Toleration{.key = std::move(key), .operator_ = exists, .effect = no_schedule};
  };
  const auto one_of = [](std::string key) {
    return Toleration{
        .key = std::move(key), .operator_ = equal, .value = "x", .effect = no_schedule};
  };
  RuntimeClass two = plain();
  two.scheduling = Scheduling{.tolerations = {any_of("a"), any_of("b")}};
  const Pod pod =
      pod_of({.tolerations = {one_of("a"), one_of("b")}, .runtime_class_name = "plain"});
  const Admission admission = admit(pod, Classes{two});
  CHECK(admission.pod.spec.tolerations == std::vector<Toleration>{any_of("a"), any_of("b")});
  std::size_t covered = 0;
  std::size_t added = 0;
  for (const Change& change : admission.changes) {
    covered += change.from && !change.to ? 1 : 0;
    added += change.to && !change.from ? 1 : 0;
  }
  CHECK(covered == 2);
  CHECK(added == 2);
}

TEST_CASE("an overhead is that of the class when its quantities have the same values") {
  struct Case {
    const char* name;
    const char* cpu;
    const char* memory;
    bool same;
  };
  const Case cases[] = {
      {"the same texts", "250m", "120Mi", true},
      {"a fraction of a core", "0.25", "120Mi", true},
      {"bytes", "250m", "125829120", true},
      {"an exponent", "25e-2", "122880Ki", true},
      {"a leading plus and zeros", "+0250m", "120.0Mi", true},
      {"more cpu", "251m", "120Mi", false},
      {"less cpu", "249m", "120Mi", false},
      {"decimal megabytes", "250m", "120M", false},
      {"one byte more", "250m", "125829121", false},
      {"the digits without the suffix", "250", "120", false},
      {"nothing", "0", "0", false},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = pod_of({.node_selector = kata().scheduling->node_selector,
                            .tolerations = kata().scheduling->tolerations,
                            .runtime_class_name = "kata",
                            .overhead = resources(c.cpu, c.memory)});
    const Admission admission = admit(pod, classes());
    const List wanted = c.same ? List{} : List{"OverheadMismatch spec.overhead"};
    CHECK(reasons(admission.violations) == wanted);
    CHECK(reasons(verify(pod, classes())) == wanted);
    CHECK(admission.allowed == c.same);
    CHECK(admission.changes == Changes{});
    CHECK(admission.pod.spec.overhead.at("cpu").text() == c.cpu);
    CHECK(admission.pod.spec.overhead.at("memory").text() == c.memory);
  }
}

TEST_CASE("an overhead of other resources than the class's is another overhead") {
  const ResourceList cases[] = {
      {{"cpu", quantity("250m")}},
      {{"cpu", quantity("250m")},
       {"memory", quantity("120Mi")},
       {"example.com/gpu", quantity("0")}},
      {{"cpu", quantity("250m")}, {"Memory", quantity("120Mi")}},
  };
  for (const ResourceList& overhead : cases) {
    const Pod pod = pod_of({.runtime_class_name = "kata", .overhead = overhead});
    const Admission admission = admit(pod, classes());
    CHECK_FALSE(admission.allowed);
    CHECK(reasons(admission.violations) == List{"OverheadMismatch spec.overhead"});
  }
}

TEST_CASE("an overhead where the class defines none is denied") {
  RuntimeClass empty = plain();
  empty.overhead = Overhead{};
  const Pod pod = pod_of({.runtime_class_name = "plain", .overhead = {{"cpu", quantity("0")}}});
  for (const RuntimeClass& from : {plain(), empty}) {
    const Violations wanted = {
        {ViolationCode::overhead_without_runtime_class, "spec.overhead"_path, "cpu=0", {"plain"}}};
    check_denied(admit(pod, Classes{from}), pod, wanted);
    CHECK(verify(pod, Classes{from}) == wanted);
    const Pod without = pod_of({.runtime_class_name = "plain"});
    CHECK(admit(without, Classes{from}) == Admission{.allowed = true, .pod = without});
  }
}

TEST_CASE("a node selector conflicts with the class where the key has another value") {
  struct Case {
    const char* name;
    Labels selector;
    List wanted;
  };
  const Case cases[] = {
      {"none", {}, {}},
      {"the same value", {{"runtime", "kata"}}, {}},
      {"another key", {{"Runtime", "runc"}}, {}},
      {"another value", {{"runtime", "runc"}}, {"NodeSelectorConflict spec.nodeSelector[runtime]"}},
      {"another case", {{"runtime", "Kata"}}, {"NodeSelectorConflict spec.nodeSelector[runtime]"}},
      {"no value", {{"runtime", ""}}, {"NodeSelectorConflict spec.nodeSelector[runtime]"}},
      {"one of two",
       {{"kubernetes.io/os", "linux"}, {"runtime", "runc"}},
       {"NodeSelectorConflict spec.nodeSelector[runtime]"}},
      {"both, in byte order",
       {{"runtime", "runc"}, {"kubernetes.io/os", "windows"}},
       {"NodeSelectorConflict spec.nodeSelector[kubernetes.io/os]",
        "NodeSelectorConflict spec.nodeSelector[runtime]"}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = pod_of({.node_selector = c.selector, .runtime_class_name = "kata"});
    const Admission admission = admit(pod, classes());
    CHECK(reasons(admission.violations) == c.wanted);
    CHECK(admission.allowed == c.wanted.empty());
    if (!admission.allowed) CHECK(admission.pod == pod);
    for (const Violation& violation : admission.violations) {
      const std::string key(violation.field.steps().back().name);
      CHECK(violation.value == c.selector.at(key));
      CHECK(violation.policies == List{"kata"});
    }
  }
}

TEST_CASE("all violations are reported together and the pod comes back unchanged") {
  const Pod pod = pod_of({
      .node_selector = {{"disk", "ssd"}, {"kubernetes.io/os", "windows"}, {"runtime", "runc"}},
      .tolerations = {{.key = "sandbox", .operator_ = equal, .value = "a", .effect = no_schedule}},
      .runtime_class_name = "kata",
      .overhead = resources("250m", "1Gi"),
  });
  check_denied(admit(pod, classes()), pod,
               {{ViolationCode::overhead_mismatch,
                 "spec.overhead"_path,
                 "cpu=250m, memory=1Gi",
                 {"kata"},
                 {"cpu=250m, memory=120Mi"}},
                {ViolationCode::node_selector_conflict,
                 "spec.nodeSelector[kubernetes.io/os]"_path,
                 "windows",
                 {"kata"},
                 {"linux"}},
                {ViolationCode::node_selector_conflict,
                 "spec.nodeSelector[runtime]"_path,
                 "runc",
                 {"kata"},
                 {"kata"}}});
  const Pod without_overhead = pod_of({.node_selector = {{"runtime", "runc"}},
                                       .runtime_class_name = "gvisor",
                                       .overhead = {{"cpu", quantity("1")}}});
  check_denied(
      admit(without_overhead, classes()), without_overhead,
      {{ViolationCode::overhead_without_runtime_class, "spec.overhead"_path, "cpu=1", {"gvisor"}},
       {ViolationCode::node_selector_conflict,
        "spec.nodeSelector[runtime]"_path,
        "runc",
        {"gvisor"},
        {"gvisor"}}});
}

TEST_CASE("two classes of one name that differ deny the pod") {
  RuntimeClass other_handler = kata();
  other_handler.handler = "kata-fc";
  RuntimeClass same_value = kata();
  same_value.overhead->pod_fixed = resources("0.25", "125829120");
  struct Case {
    const char* name;
    Classes classes;
    bool ambiguous;
  };
  const Case cases[] = {
      {"twice the same by value", {kata(), same_value}, false},
      {"between others", {gvisor(), kata(), plain(), other_handler}, true},
  };
  const Pod pod = pod_of({.runtime_class_name = "kata", .overhead = resources("1", "1Gi")});
  const Violations ambiguous = {
      {ViolationCode::ambiguous_policy, "spec.runtimeClassName"_path, "kata", {"kata"}}};
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Admission admission = admit(pod, c.classes);
    if (c.ambiguous) {
      check_denied(admission, pod, ambiguous);
      CHECK(verify(pod, c.classes) == ambiguous);
    } else {
      CHECK(reasons(admission.violations) == List{"OverheadMismatch spec.overhead"});
    }
    const Pod other = pod_of({.runtime_class_name = "plain"});
    CHECK(admit(other, Classes{plain(), kata(), other_handler}).allowed);
  }
}

TEST_CASE("the template of a workload is admitted with the paths of its document") {
  for (const auto& [kind, prefix] : testing::pod_templates) {
    CAPTURE(prefix);
    const std::string at = prefix;
    Pod pod =
        pod_of({.tolerations =
                    {{.key = "sandbox", .operator_ = equal, .value = "a", .effect = no_schedule}},
                .runtime_class_name = "kata"});
    pod.kind = kind;
    List changed;
    const Admission admission = admit(pod, classes());
    for (const Change& change : admission.changes) changed.push_back(to_string(change.field));
    CHECK(changed == List{at + "spec.overhead", at + "spec.nodeSelector[kubernetes.io/os]",
                          at + "spec.nodeSelector[runtime]", at + "spec.tolerations[0]",
                          at + "spec.tolerations[0]"});
    CHECK((admission.pod.kind == kind));
    CHECK(verify(admission.pod, classes()) == Violations{});

    CHECK(reasons(verify(pod, classes())) ==
          List{"OverheadMismatch " + at + "spec.overhead",
               "NodeSelectorRequired " + at + "spec.nodeSelector[kubernetes.io/os]",
               "NodeSelectorRequired " + at + "spec.nodeSelector[runtime]",
               "TolerationRequired " + at + "spec.tolerations"});

    pod.spec.node_selector = {{"runtime", "runc"}};
    pod.spec.overhead = resources("1", "1Gi");
    CHECK(reasons(admit(pod, classes()).violations) ==
          List{"OverheadMismatch " + at + "spec.overhead",
               "NodeSelectorConflict " + at + "spec.nodeSelector[runtime]"});
    pod.spec.runtime_class_name = "missing";
    CHECK(reasons(admit(pod, classes()).violations) ==
          List{"RuntimeClassNotFound " + at + "spec.runtimeClassName"});
    pod.spec.runtime_class_name = "";
    CHECK(reasons(admit(pod, classes()).violations) ==
          List{"OverheadWithoutRuntimeClass " + at + "spec.overhead"});
  }
}

TEST_CASE("a later denial in a chain gives back the pod as it came to the class") {
  const Pod pod = pod_of({.runtime_class_name = "kata"});
  const Admission denied = admit(pod, classes()).and_then([](Pod next) {
    next.spec.runtime_class_name = "gvisor";
    return admit(std::move(next), classes());
  });
  CHECK_FALSE(denied.allowed);
  CHECK(reasons(denied.violations) == List{"OverheadWithoutRuntimeClass spec.overhead",
                                           "NodeSelectorConflict spec.nodeSelector[runtime]"});
  CHECK(denied.pod == pod);
  CHECK(denied.changes == Changes{});

  bool called = false;
  const Admission stopped =
      admit(pod_of({.runtime_class_name = "missing"}), classes()).and_then([&](Pod next) {
        called = true;
        return Admission{.allowed = true, .pod = std::move(next)};
      });
  CHECK_FALSE(stopped.allowed);
  CHECK_FALSE(called);
}

TEST_CASE(
    "a toleration that the pod has twice is reported as dropped, and comes back on a denial") {
  const Toleration twice{.key = "a", .operator_ = TolerationOperator::exists};
  const Pod pod{.spec = {.tolerations = {twice, twice}, .runtime_class_name = "kata"}};
  const std::vector<RuntimeClass> classes = {
      {.metadata = {.name = "kata"}, .handler = "kata", .scheduling = {{}}}};
  const auto admission = admit(pod, classes);
  CHECK(admission.allowed);
  CHECK(admission.pod.spec.tolerations == std::vector{twice});
  CHECK(admission.changes ==
        std::vector<Change>{{"spec.tolerations[1]"_path, "a Exists", std::nullopt, "kata"}});
  const auto denied = admission.and_then([](Pod) { return Admission(); });
  CHECK(denied.pod == pod);
}

}  // namespace admit_test
}  // namespace SCHEDPOL_NAMESPACE::runtime_class
