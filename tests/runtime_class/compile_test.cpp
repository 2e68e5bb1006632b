// SPDX-License-Identifier: Apache-2.0
#include <schedpol/runtime_class/compile.hpp>

#include <schedpol/runtime_class/admit.hpp>

#include "../support/print_systems.hpp"
#include "classes.hpp"

#include <string>
#include <type_traits>
#include <utility>

namespace SCHEDPOL_NAMESPACE::runtime_class {
namespace compile_test {

static_assert(std::is_nothrow_default_constructible_v<CompiledClasses>);
static_assert(std::is_nothrow_move_constructible_v<CompiledClasses>);
static_assert(std::is_copy_assignable_v<CompiledClasses>);

template <class T>
concept Findable = requires(T&& classes) { std::forward<T>(classes).find("kata"); };
static_assert(Findable<const CompiledClasses&>);
static_assert(!Findable<CompiledClasses>, "a class found in a temporary would be gone");

TEST_CASE("a class is found by its name") {
  const CompiledClasses all = compile(Classes{plain(), kata(), gvisor()});
  for (const RuntimeClass& wanted : classes()) {
    CAPTURE(wanted.metadata.name);
    const RuntimeClass* found = all.find(wanted.metadata.name);
    REQUIRE(found != nullptr);
    CHECK((*found == wanted));
    CHECK_FALSE(all.is_ambiguous(wanted.metadata.name));
  }
  for (const char* name : {"", "kat", "kata-qemu", "Kata", "zz"}) {
    CAPTURE(name);
    CHECK(all.find(name) == nullptr);
    CHECK_FALSE(all.is_ambiguous(name));
  }
}

TEST_CASE("of two different classes of one name none is found, one given twice is one") {
  RuntimeClass other = kata();
  other.handler = "kata-fc";
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
      {"three times the same", {kata(), kata(), kata()}, false},
      {"twice the same by value", {kata(), same_value}, false},
      {"another", {kata(), other}, true},
      {"another, the third", {kata(), kata(), other}, true},
      {"another, in the middle", {kata(), other, kata()}, true},
      {"another, the first", {other, kata(), kata()}, true},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const CompiledClasses all = compile(c.classes);
    CHECK(all.is_ambiguous("kata") == c.ambiguous);
    CHECK((all.find("kata") == nullptr) == c.ambiguous);
    Classes among = {gvisor()};
    among.insert(among.end(), c.classes.begin(), c.classes.end());
    among.push_back(plain());
    const CompiledClasses more = compile(among);
    CHECK(more.is_ambiguous("kata") == c.ambiguous);
    CHECK(more.find("gvisor") != nullptr);
    CHECK(more.find("plain") != nullptr);
  }
}

TEST_CASE("copies are the same classes, and outlive what they were copied from") {
  CompiledClasses copy;
  {
    const CompiledClasses all = compile(classes());
    copy = all;
    CHECK(copy.find("kata") == all.find("kata"));
  }
  REQUIRE(copy.find("kata") != nullptr);
  CHECK(copy.find("kata")->handler == "kata-qemu");
  const CompiledClasses moved = std::move(copy);
  CHECK(moved.find("kata") != nullptr);
}

TEST_CASE("where no classes were compiled, none is known") {
  const Pod pod = pod_of({.runtime_class_name = "kata"});
  const Violations unknown = {
      {ViolationCode::runtime_class_not_found, "spec.runtimeClassName"_path, "kata"}};
  for (const CompiledClasses& nothing : {CompiledClasses(), compile({})}) {
    CHECK(nothing.find("kata") == nullptr);
    CHECK(nothing.find("") == nullptr);
    CHECK_FALSE(nothing.is_ambiguous("kata"));
    CHECK(admit(pod, nothing) == Admission{.pod = pod, .violations = unknown});
    CHECK(verify(pod, nothing) == unknown);
    CHECK(admit(pod_of({}), nothing).allowed);
  }
}

TEST_CASE("compiled classes decide on any number of pods") {
  const CompiledClasses all = compile(classes());
  for (const char* name : {"kata", "gvisor", "plain", "missing", ""}) {
    CAPTURE(name);
    const Pod pod = pod_of({.runtime_class_name = name});
    const Admission admission = admit(pod, all);
    CHECK(admission == admit(pod, classes()));
    CHECK(verify(pod, all) == verify(pod, classes()));
    CHECK(verify(admission.pod, all) == verify(admission.pod, classes()));
  }
}

}  // namespace compile_test
}  // namespace SCHEDPOL_NAMESPACE::runtime_class
