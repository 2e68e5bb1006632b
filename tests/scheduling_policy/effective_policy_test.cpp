// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/effective_policy.hpp>

#include <schedpol/scheduling_policy/check.hpp>

#include "../support/list.hpp"
#include "../support/path.hpp"
#include "../support/print.hpp"

#include <concepts>
#include <type_traits>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace effective_policy_test {

using schedpol::testing::operator""_path;

using schedpol::testing::List;

static_assert(std::semiregular<EffectivePolicy>);
static_assert(!std::is_aggregate_v<EffectivePolicy>, "only a merge fills it");
static_assert(std::is_aggregate_v<Sources> && std::regular<Sources>);
static_assert(noexcept(std::declval<const EffectivePolicy&>().spec()));
static_assert(noexcept(std::declval<const EffectivePolicy&>().policies()));
static_assert(noexcept(std::declval<const EffectivePolicy&>().sources()));

// What is taken from a merge that is gone at the end of the line stays.
static_assert(std::is_same_v<decltype(EffectivePolicy().spec()), SchedulingPolicySpec>);
static_assert(std::is_same_v<decltype(EffectivePolicy().sources()), Sources>);
static_assert(std::is_same_v<decltype(EffectivePolicy().policies()), Names>);
static_assert(noexcept(std::declval<const EffectivePolicy&>().is_ambiguous()));
static_assert(sizeof(EffectivePolicy) == sizeof(void*), "a copy shares what it is made of");

TEST_CASE("default-constructed there are no rules, no policies and no permissions") {
  const EffectivePolicy effective;
  CHECK(effective.spec() == SchedulingPolicySpec{});
  CHECK(effective.policies().empty());
  CHECK(effective.sources() == Sources{});
  CHECK_FALSE(effective.is_ambiguous());
  CHECK(check(Pod{}, effective) ==
        std::vector<Violation>{
            {.code = ViolationCode::no_usable_policy, .field = "spec"_path, .value = ""}});
}

TEST_CASE("an ambiguous one keeps the name that was used twice, and no rules") {
  const EffectivePolicy effective = EffectivePolicy::ambiguous("twice");
  CHECK(effective.is_ambiguous());
  CHECK(effective.spec() == SchedulingPolicySpec{});
  CHECK(effective.policies() == List{"twice"});
  CHECK(check(Pod{}, effective) == std::vector<Violation>{{.code = ViolationCode::ambiguous_policy,
                                                           .field = "spec"_path,
                                                           .value = "",
                                                           .policies = {"twice"}}});
}

TEST_CASE("it gives back the spec, the policies and the sources it was made of") {
  const SchedulingPolicySpec spec{.allowed = {.scheduler_names = {"green", "blue"}}};
  const Sources sources{.entries = {{"allowed.schedulerNames[0]"_path, {"a"}},
                                    {"allowed.schedulerNames[1]"_path, {"a", "b"}}}};
  const EffectivePolicy effective(spec, {"a", "b"}, sources);
  CHECK(effective.spec() == spec);
  CHECK(effective.policies() == List{"a", "b"});
  CHECK(effective.sources() == sources);
  CHECK_FALSE(effective.is_ambiguous());
}

TEST_CASE("what is any in required, or lists nothing but required names, is absent") {
  const EffectivePolicy effective(
      {.required = {.scheduler_names = any, .node_selectors = NodeSelectors()},
       .allowed = {.priority_class_names = Texts()}},
      {"a"}, {});
  CHECK(effective.spec() == SchedulingPolicySpec{});
  Pod pod;
  pod.spec.scheduler_name = "other";
  CHECK(check(pod, effective).size() == 1);
}

TEST_CASE("the sources of a place are those of its entry, or of the entry around it") {
  const EffectivePolicy effective({}, {"a", "b", "c"},
                                  {.entries = {{"allowed.schedulerNames[0]"_path, {"a"}},
                                               {"allowed.schedulerNames[1]"_path, {"a", "b"}},
                                               {"required.nodeSelectors"_path, {"b"}},
                                               {"required.nodeSelectors[disk]"_path, {"c"}}},
                                   .lost = {{"default.schedulerName"_path, {"b"}}}});
  struct Case {
    FieldPath path;
    List wanted;
  };
  const Case cases[] = {
      {"allowed.schedulerNames[0]"_path, {"a"}},
      {"allowed.schedulerNames[1]"_path, {"a", "b"}},
      {"allowed.schedulerNames[2]"_path, {}},
      {"allowed.schedulerNames"_path, {}},
      {"required.nodeSelectors"_path, {"b"}},
      {"required.nodeSelectors[disk]"_path, {"c"}},
      {"required.nodeSelectors[zone]"_path, {"b"}},
      {"required.nodeSelectors[kubernetes.io/os][0]"_path, {"b"}},
      {"required.nodeSelectorsOfOthers"_path, {}},
      {"default.schedulerName"_path, {}},
      {"required"_path, {}},
      {{}, {}},
  };
  for (const auto& [path, wanted] : cases) {
    CAPTURE(to_string(path));
    CHECK(effective.sources_of(path) == wanted);
  }
}

TEST_CASE("a copy decides like its original, also when the original is gone") {
  EffectivePolicy copy;
  {
    const EffectivePolicy original({.allowed = {.scheduler_names = {"green"}}}, {"a"}, {});
    copy = original;
  }
  CHECK(check(Pod{.spec = {.scheduler_name = "green"}}, copy).empty());
  CHECK(check(Pod{.spec = {.scheduler_name = "blue"}}, copy).size() == 1);
}

}  // namespace effective_policy_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
