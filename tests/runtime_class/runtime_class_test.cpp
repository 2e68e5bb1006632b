// SPDX-License-Identifier: Apache-2.0
#include <schedpol/runtime_class/runtime_class.hpp>

#include "../support/print.hpp"

#include "../support/print_systems.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace schedpol::runtime_class {
namespace {

static_assert(std::is_aggregate_v<Overhead>);
static_assert(std::is_aggregate_v<Scheduling>);
static_assert(std::is_aggregate_v<RuntimeClass>);
static_assert(std::is_aggregate_v<Support>);
static_assert(std::is_nothrow_move_constructible_v<RuntimeClass>);
static_assert(std::equality_comparable<Overhead>);
static_assert(std::equality_comparable<Scheduling>);
static_assert(std::equality_comparable<RuntimeClass>);
static_assert(std::equality_comparable<Support>);

using List = std::vector<std::string>;
using Classes = std::vector<RuntimeClass>;
using Changes = std::vector<Change>;
using Violations = std::vector<Violation>;

constexpr auto exists = TolerationOperator::exists;
constexpr auto equal = TolerationOperator::equal;
constexpr auto no_schedule = TaintEffect::no_schedule;
constexpr auto no_execute = TaintEffect::no_execute;
constexpr auto none = std::nullopt;

Quantity quantity(const char* text) {
  const auto parsed = Quantity::parse(text);
  REQUIRE(parsed);
  return *parsed;
}

ResourceList resources(const char* cpu, const char* memory) {
  return {{"cpu", quantity(cpu)}, {"memory", quantity(memory)}};
}

RuntimeClass kata() {
  return {.metadata = {.name = "kata"},
          .handler = "kata-qemu",
          .overhead = Overhead{.pod_fixed = resources("250m", "120Mi")},
          .scheduling = Scheduling{
              .node_selector = {{"kubernetes.io/os", "linux"}, {"runtime", "kata"}},
              .tolerations = {{.key = "sandbox", .operator_ = exists, .effect = no_schedule}},
          }};
}

/// A class without overhead.
RuntimeClass gvisor() {
  return {.metadata = {.name = "gvisor"},
          .handler = "runsc",
          .scheduling = Scheduling{.node_selector = {{"runtime", "gvisor"}}}};
}

/// A class that says nothing but its handler.
RuntimeClass plain() {
  return {.metadata = {.name = "plain"}, .handler = "runc"};
}

const Classes& classes() {
  static const Classes all = {kata(), gvisor(), plain()};
  return all;
}

Pod pod_of(PodSpec spec) {
  return {.metadata = {.name = "web", .namespace_ = "team-a"}, .spec = std::move(spec)};
}

/// Codes and fields, as in `OverheadMismatch spec.overhead`.
List reasons(const Violations& violations) {
  List list;
  for (const Violation& violation : violations)
    list.push_back(std::string(to_string(violation.code)) + " " + violation.field);
  return list;
}

List reasons(const std::vector<FieldError>& errors) {
  List list;
  for (const FieldError& error : errors)
    list.push_back(std::string(to_string(error.type)) + " " + error.field);
  return list;
}

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
    CHECK(admit(pod, {}) == Admission{.allowed = true, .pod = pod});
    CHECK(verify(pod, classes()) == Violations{});
  }
}

TEST_CASE("an overhead without a runtime class is denied") {
  const Pod pod = pod_of({.overhead = resources("250m", "120Mi")});
  const Violations wanted = {
      {ViolationCode::overhead_without_runtime_class, "spec.overhead", "cpu=250m, memory=120Mi"}};
  check_denied(admit(pod, classes()), pod, wanted);
  check_denied(admit(pod, {}), pod, wanted);
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
    const Violations wanted = {{ViolationCode::runtime_class_not_found, "spec.runtimeClassName",
                                c.pod.runtime_class_name}};
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
  const Change set_overhead = {"spec.overhead", none, "cpu=250m, memory=120Mi", "kata"};
  const Change set_os = {"spec.nodeSelector[kubernetes.io/os]", none, "linux", "kata"};
  const Change set_runtime = {"spec.nodeSelector[runtime]", none, "kata", "kata"};
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
        {"spec.tolerations[0]", none, "sandbox Exists:NoSchedule", "kata"}}},
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
       {{"spec.tolerations[1]", none, "sandbox Exists:NoSchedule", "kata"}}},
      {"a toleration that the class's covers is dropped",
       {.node_selector = selector,
        .tolerations = {one_sandbox, spot},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {.node_selector = selector,
        .tolerations = {spot, sandbox},
        .runtime_class_name = "kata",
        .overhead = overhead},
       {{"spec.tolerations[0]", "sandbox=a:NoSchedule", none, "kata"},
        {"spec.tolerations[1]", none, "sandbox Exists:NoSchedule", "kata"}}},
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
       {{"spec.nodeSelector[runtime]", none, "gvisor", "gvisor"},
        {"spec.tolerations[0]", "spot=true", none, "gvisor"}}},
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
       {{"spec.nodeSelector[runtime]", none, "gvisor", "gvisor"}}},
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
        {ViolationCode::overhead_without_runtime_class, "spec.overhead", "cpu=0", {"plain"}}};
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
      const std::string key = violation.field.substr(std::string("spec.nodeSelector[").size());
      CHECK(violation.value == c.selector.at(key.substr(0, key.size() - 1)));
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
  check_denied(
      admit(pod, classes()), pod,
      {{ViolationCode::overhead_mismatch, "spec.overhead", "cpu=250m, memory=1Gi", {"kata"}},
       {ViolationCode::node_selector_conflict,
        "spec.nodeSelector[kubernetes.io/os]",
        "windows",
        {"kata"}},
       {ViolationCode::node_selector_conflict, "spec.nodeSelector[runtime]", "runc", {"kata"}}});
  const Pod without_overhead = pod_of({.node_selector = {{"runtime", "runc"}},
                                       .runtime_class_name = "gvisor",
                                       .overhead = {{"cpu", quantity("1")}}});
  check_denied(
      admit(without_overhead, classes()), without_overhead,
      {{ViolationCode::overhead_without_runtime_class, "spec.overhead", "cpu=1", {"gvisor"}},
       {ViolationCode::node_selector_conflict, "spec.nodeSelector[runtime]", "runc", {"gvisor"}}});
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
      {"one", {kata()}, false},
      {"twice the same", {kata(), kata()}, false},
      {"twice the same by value", {kata(), same_value}, false},
      {"another handler", {kata(), other_handler}, true},
      {"another handler, first", {other_handler, kata()}, true},
      {"another handler, the third", {kata(), kata(), other_handler}, true},
      {"between others", {gvisor(), kata(), plain(), other_handler}, true},
  };
  const Pod pod = pod_of({.runtime_class_name = "kata", .overhead = resources("1", "1Gi")});
  const Violations ambiguous = {
      {ViolationCode::ambiguous_policy, "spec.runtimeClassName", "kata", {"kata"}}};
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
  struct Case {
    PodKind kind;
    const char* prefix;
  };
  const Case cases[] = {
      {PodKind::pod, ""},
      {PodKind::pod_template, "template."},
      {PodKind::replication_controller, "spec.template."},
      {PodKind::replica_set, "spec.template."},
      {PodKind::deployment, "spec.template."},
      {PodKind::stateful_set, "spec.template."},
      {PodKind::daemon_set, "spec.template."},
      {PodKind::job, "spec.template."},
      {PodKind::cron_job, "spec.jobTemplate.spec.template."},
  };
  for (const auto& [kind, prefix] : cases) {
    CAPTURE(prefix);
    const std::string at = prefix;
    Pod pod =
        pod_of({.tolerations =
                    {{.key = "sandbox", .operator_ = equal, .value = "a", .effect = no_schedule}},
                .runtime_class_name = "kata"});
    pod.kind = kind;
    List changed;
    const Admission admission = admit(pod, classes());
    for (const Change& change : admission.changes) changed.push_back(change.field);
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
            {ViolationCode::overhead_mismatch, "spec.overhead", "cpu=1, memory=1Gi", {"kata"}},
            {ViolationCode::node_selector_required, "spec.nodeSelector[runtime]", "runc", {"kata"}},
            {ViolationCode::toleration_required,
             "spec.tolerations",
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
  const auto negative = validate(cases[11].runtime_class);
  REQUIRE(negative.size() == 1);
  CHECK(negative[0].bad_value == "-1m");
}

// ---- Laws, tried on generated pods and classes

class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}

  std::size_t below(std::size_t bound) { return engine_() % bound; }
  bool chance(std::size_t percent) { return below(100) < percent; }

  Labels labels() {
    Labels labels;
    for (std::size_t i = below(4); i > 0; --i)
      labels[std::string(1, static_cast<char>('a' + below(4)))] = chance(70) ? "x" : "y";
    return labels;
  }

  ResourceList overhead() {
    ResourceList list;
    if (chance(80)) list["cpu"] = quantity(chance(50) ? "250m" : chance(70) ? "0.25" : "1");
    if (chance(20)) list["memory"] = quantity(chance(50) ? "120Mi" : "125829120");
    return list;
  }

  /// Such as the API server accepts, and no two of them equal: of equal ones a merge keeps one.
  std::vector<Toleration> tolerations() {
    constexpr TaintEffect effects[] = {{}, no_schedule, no_execute};
    std::vector<Toleration> tolerations;
    for (std::size_t i = below(4); i > 0; --i) {
      Toleration toleration = {.key = chance(15)   ? ""
                                      : chance(50) ? "a"
                                                   : "b",
                               .operator_ = chance(50) ? equal : TolerationOperator::unset,
                               .value = chance(60) ? "" : "1",
                               .effect = effects[below(3)]};
      if (toleration.key.empty() || chance(40)) {
        toleration.operator_ = exists;
        toleration.value.clear();
      }
      if (toleration.effect == no_execute && chance(60))
        toleration.toleration_seconds = static_cast<int>(below(2));
      if (std::find(tolerations.begin(), tolerations.end(), toleration) == tolerations.end())
        tolerations.push_back(std::move(toleration));
    }
    return tolerations;
  }

  Classes classes() {
    Classes classes;
    for (const char* name : {"a", "b", "c"}) {
      if (chance(15)) continue;
      classes.push_back({.metadata = {.name = name}, .handler = "runc"});
      if (chance(40)) classes.back().overhead = Overhead{.pod_fixed = overhead()};
      if (chance(80)) {
        classes.back().scheduling =
            Scheduling{.node_selector = labels(), .tolerations = tolerations()};
      }
      if (chance(10)) {
        classes.push_back(classes.back());
        if (chance(50)) classes.back().handler = "runsc";
      }
    }
    return classes;
  }

  Pod pod() {
    PodSpec spec = {.node_selector = labels(), .tolerations = tolerations()};
    if (chance(95)) spec.runtime_class_name = std::string(1, static_cast<char>('a' + below(3)));
    if (chance(15)) spec.overhead = overhead();
    return pod_of(std::move(spec));
  }

 private:
  std::mt19937 engine_;
};

TEST_CASE("law: a denied pod is unchanged, an allowed one has it all and is admitted unchanged") {
  constexpr int rounds = 4000;
  Generator generate(20190401);
  int allowed = 0;
  int changed = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Classes from = generate.classes();
    const Pod pod = generate.pod();
    const Admission admission = admit(pod, from);
    REQUIRE(admission.allowed == admission.violations.empty());
    if (!admission.allowed) {
      REQUIRE(admission.pod == pod);
      REQUIRE(admission.changes.empty());
      REQUIRE_FALSE(verify(pod, from).empty());
      continue;
    }
    ++allowed;
    changed += admission.changes.empty() ? 0 : 1;
    REQUIRE(admit(admission.pod, from) == Admission{.allowed = true, .pod = admission.pod});
    REQUIRE(verify(admission.pod, from) == Violations{});
    REQUIRE(admission.changes.empty() == (admission.pod == pod));
    REQUIRE(admission.before == (admission.changes.empty() ? none : std::optional(pod)));
    for (const auto& [key, value] : pod.spec.node_selector)
      REQUIRE(admission.pod.spec.node_selector.at(key) == value);
    for (const Change& change : admission.changes)
      REQUIRE(change.policy == pod.spec.runtime_class_name);
  }
  CHECK(allowed >= rounds / 4);
  CHECK(allowed <= rounds * 3 / 4);
  CHECK(changed >= rounds / 5);
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
        std::vector<Change>{{"spec.tolerations[1]", "a Exists", std::nullopt, "kata"}});
  const auto denied = admission.and_then([](Pod) { return Admission(); });
  CHECK(denied.pod == pod);
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

}  // namespace
}  // namespace schedpol::runtime_class
