// SPDX-License-Identifier: Apache-2.0
#include <schedpol/runtime_class/admit.hpp>

#include "../support/print_systems.hpp"
#include "../support/random.hpp"
#include "../support/tries.hpp"
#include "classes.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::runtime_class {
namespace laws_test {

using testing::at_least;
using testing::tries;

class Generator : public schedpol::testing::Random {
 public:
  using Random::Random;

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

  /// Whatever can be written: equal ones, unequal ones that cover each other (seconds without
  /// NoExecute, values with Exists), and unknown operators and effects.
  std::vector<Toleration> any_tolerations() {
    const OpenEnum<TolerationOperator> operators[] = {
        {}, equal, exists, exists, OpenEnum<TolerationOperator>("Like")};
    const OpenEnum<TaintEffect> effects[] = {
        {}, no_schedule, no_execute, OpenEnum<TaintEffect>("Never")};
    std::vector<Toleration> tolerations;
    for (std::size_t i = below(6); i > 0; --i) {
      Toleration toleration = {.key = chance(20) ? "" : "a",
                               .operator_ = operators[below(chance(95) ? 4 : 5)],
                               .value = chance(60) ? "" : "1",
                               .effect = effects[below(chance(95) ? 3 : 4)]};
      if (!tolerations.empty() && chance(30)) toleration = tolerations[below(tolerations.size())];
      if (chance(50)) toleration.toleration_seconds = static_cast<int>(below(2));
      tolerations.push_back(std::move(toleration));
    }
    return tolerations;
  }

  template <class T>
  void shuffle(std::vector<T>& list) {
    for (std::size_t i = list.size(); i > 1; --i) std::swap(list[i - 1], list[below(i)]);
  }

  Pod pod() {
    PodSpec spec = {.node_selector = labels(), .tolerations = tolerations()};
    if (chance(95)) spec.runtime_class_name = std::string(1, static_cast<char>('a' + below(3)));
    if (chance(15)) spec.overhead = overhead();
    return pod_of(std::move(spec));
  }

 private:
};

TEST_CASE("law: a denied pod is unchanged, an allowed one has it all and is admitted unchanged") {
  constexpr int rounds = 4000;
  Generator generate(20190401);
  int allowed = 0;
  int changed = 0;
  for (int round = 0; round < tries(rounds); ++round) {
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
  CHECK(allowed >= at_least(rounds / 4));
  CHECK(allowed <= tries(rounds) * 3 / 4);
  CHECK(changed >= at_least(rounds / 5));
}

/// Whether both lists hold the same ones, each as often.
bool is_reordered(const std::vector<Toleration>& a, const std::vector<Toleration>& b) {
  return std::is_permutation(a.begin(), a.end(), b.begin(), b.end());
}

TEST_CASE("law: tolerations are a set, and stay in their order where none is added or dropped") {
  constexpr int rounds = 10000;
  Generator generate(20220801);
  int kept = 0;    // the union would have reordered those of the pod
  int merged = 0;  // the union adds or drops some
  for (int round = 0; round < tries(rounds); ++round) {
    CAPTURE(round);
    const Classes from = {{.metadata = {.name = "a"},
                           .handler = "runc",
                           .scheduling = Scheduling{.tolerations = generate.any_tolerations()}}};
    const auto& of_class = from[0].scheduling->tolerations;
    Pod pod = pod_of({.tolerations = generate.any_tolerations(), .runtime_class_name = "a"});
    auto& own = pod.spec.tolerations;
    if (generate.chance(50)) own = merge({}, of_class);  // as an earlier admission left it
    generate.shuffle(own);
    const std::vector<Toleration> all = merge(own, of_class);
    const Admission admission = admit(pod, from);
    REQUIRE(admission.allowed);
    if (is_reordered(own, all)) {
      kept += own == all ? 0 : 1;
      REQUIRE(admission == Admission{.allowed = true, .pod = pod});
    } else {
      ++merged;
      REQUIRE(admission.pod.spec.tolerations == all);
      REQUIRE_FALSE(admission.changes.empty());
      REQUIRE(admission.before == pod);
    }
    REQUIRE(admit(admission.pod, from) == Admission{.allowed = true, .pod = admission.pod});
    REQUIRE(verify(admission.pod, from) == Violations{});

    Pod reordered = admission.pod;
    generate.shuffle(reordered.spec.tolerations);
    REQUIRE(admit(reordered, from) == Admission{.allowed = true, .pod = reordered});
  }
  CHECK(kept >= at_least(rounds / 100));
  CHECK(merged >= at_least(rounds / 4));
}

TEST_CASE("law: classes decide the same compiled and as they came, in whatever order") {
  constexpr int rounds = 2000;
  Generator generate(20260101);
  int denied = 0;
  for (int round = 0; round < tries(rounds); ++round) {
    CAPTURE(round);
    Classes from = generate.classes();
    const auto compiled = compile(from);
    const Pod pod = generate.pod();
    const Admission admission = admit(pod, compiled);
    denied += admission.allowed ? 0 : 1;
    REQUIRE(admit(pod, from) == admission);
    REQUIRE(verify(pod, from) == verify(pod, compiled));
    generate.shuffle(from);
    REQUIRE(admit(pod, from) == admission);
  }
  CHECK(denied >= at_least(rounds / 4));
  CHECK(denied <= tries(rounds) * 3 / 4);
}

}  // namespace laws_test
}  // namespace SCHEDPOL_NAMESPACE::runtime_class
