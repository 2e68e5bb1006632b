// SPDX-License-Identifier: Apache-2.0
#include <schedpol/scheduling_policy/check.hpp>

#include "checked.hpp"

#include <string>

namespace SCHEDPOL_NAMESPACE::scheduling_policy {
namespace check_names_test {

using namespace checked;

TEST_CASE("a scheduler is one of the required, or else permitted") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    std::string scheduler;
    List wanted;
    std::string value;
  };
  const List required = {"SchedulerNameRequired spec.schedulerName"};
  const List not_allowed = {"SchedulerNameNotAllowed spec.schedulerName"};
  const Case cases[] = {
      {"absent everywhere, none is allowed", {}, "blue", not_allowed, "blue"},
      {"not even the default one, which a pod without a name means",
       {},
       "",
       not_allowed,
       "default-scheduler"},
      {"allowed [] is any", {.allowed = {.scheduler_names = any}}, "blue", {}, ""},
      {"allowed [] is also the default one", {.allowed = {.scheduler_names = any}}, "", {}, ""},
      {"a listed one is allowed", {.allowed = {.scheduler_names = {"blue"}}}, "blue", {}, ""},
      {"another is not", {.allowed = {.scheduler_names = {"blue"}}}, "green", not_allowed, "green"},
      {"a listed one says nothing for pods without a name",
       {.allowed = {.scheduler_names = {"blue"}}},
       "",
       not_allowed,
       "default-scheduler"},
      {"a pod without a name has the default one",
       {.allowed = {.scheduler_names = {"default-scheduler"}}},
       "",
       {},
       ""},
      {"names are compared by case",
       {.allowed = {.scheduler_names = {"blue"}}},
       "Blue",
       not_allowed,
       "Blue"},
      {"the empty name in the list stands for nothing",
       {.allowed = {.scheduler_names = {""}}},
       "",
       not_allowed,
       "default-scheduler"},
      {"what is required is allowed",
       {.required = {.scheduler_names = {"blue", "green"}}},
       "green",
       {},
       ""},
      {"another than the required is refused",
       {.required = {.scheduler_names = {"blue"}}},
       "green",
       required,
       "green"},
      {"also when it is allowed",
       {.required = {.scheduler_names = {"blue"}}, .allowed = {.scheduler_names = {"green"}}},
       "green",
       required,
       "green"},
      {"also when any is allowed",
       {.required = {.scheduler_names = {"blue"}}, .allowed = {.scheduler_names = any}},
       "green",
       required,
       "green"},
      {"also when it is the default",
       {.required = {.scheduler_names = {"blue"}}, .defaults = {.scheduler_name = "green"}},
       "green",
       required,
       "green"},
      {"a pod without a name does not meet another requirement",
       {.required = {.scheduler_names = {"blue"}}},
       "",
       required,
       "default-scheduler"},
      {"a pod without a name meets a requirement of the default one",
       {.required = {.scheduler_names = {"default-scheduler"}}},
       "",
       {},
       ""},
      {"required [] asks for nothing and permits nothing",
       {.required = {.scheduler_names = any}},
       "blue",
       not_allowed,
       "blue"},
      {"a default is allowed", {.defaults = {.scheduler_name = "blue"}}, "blue", {}, ""},
      {"a default allows no other",
       {.defaults = {.scheduler_name = "blue"}},
       "green",
       not_allowed,
       "green"},
  };
  for (const auto& [name, policy, scheduler, wanted, value] : cases) {
    CAPTURE(name);
    const auto found = check(Pod{.spec = {.scheduler_name = scheduler}}, merged(policy));
    CHECK(reasons(found) == wanted);
    if (found.size() != 1) continue;
    CHECK(found[0].value == value);
    CHECK(found[0].policies == List{"p"});
  }
}

TEST_CASE("a pod that names its node needs a policy that allows every scheduler") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    Options options;
    List wanted;
  };
  const List denied = {"NodeNameNotAllowed spec.nodeName"};
  const Case cases[] = {
      {"allowed [] is any scheduler", {.allowed = {.scheduler_names = any}}, {}, {}},
      {"a list is not", {.allowed = {.scheduler_names = {"default-scheduler"}}}, {}, denied},
      {"nor is a requirement",
       {.required = {.scheduler_names = {"default-scheduler"}}},
       {},
       denied},
      {"nor is a default", {.defaults = {.scheduler_name = "default-scheduler"}}, {}, denied},
      {"a requirement on the scheduler does not take away that any is allowed",
       {.required = {.scheduler_names = {"default-scheduler"}},
        .allowed = {.scheduler_names = any}},
       {},
       {}},
      {"the option ignores the node name",
       {.allowed = {.scheduler_names = {"default-scheduler"}}},
       {.node_name = NodeNameCheck::ignore},
       {}},
  };
  for (const auto& [name, policy, options, wanted] : cases) {
    CAPTURE(name);
    const Pod pod{.spec = {.node_name = "node-1"}};
    const auto found = check(pod, merged(policy), options);
    CHECK(reasons(found) == wanted);
    if (found.size() == 1) CHECK(found[0].value == "node-1");
  }
}

TEST_CASE("a priority class is one of the required, or else permitted, or there is none") {
  struct Case {
    const char* name;
    SchedulingPolicySpec policy;
    std::string priority_class;
    std::string global_default;
    List wanted;
  };
  const List required = {"PriorityClassNameRequired spec.priorityClassName"};
  const List not_allowed = {"PriorityClassNameNotAllowed spec.priorityClassName"};
  const SchedulingPolicySpec gold_required{.required = {.priority_class_names = {"gold"}}};
  const SchedulingPolicySpec gold_allowed{.allowed = {.priority_class_names = {"gold"}}};
  const SchedulingPolicySpec gold_given{.defaults = {.priority_class_name = "gold"}};
  const Case cases[] = {
      {"absent everywhere, none is allowed", {}, "gold", "", not_allowed},
      {"a pod without one asks for nothing", {}, "", "", {}},
      {"allowed [] is any", {.allowed = {.priority_class_names = any}}, "gold", "", {}},
      {"a listed one is allowed", gold_allowed, "gold", "", {}},
      {"another is not", gold_allowed, "silver", "", not_allowed},
      {"none is needed where some are allowed", gold_allowed, "", "", {}},
      {"what is required is allowed", gold_required, "gold", "", {}},
      {"another is refused", gold_required, "silver", "", required},
      {"none is refused", gold_required, "", "", required},
      {"a requirement is not met by what is allowed",
       {.required = {.priority_class_names = {"gold"}}, .allowed = {.priority_class_names = any}},
       "silver",
       "",
       required},
      {"a requirement is not met by another default",
       {.required = {.priority_class_names = {"gold"}},
        .defaults = {.priority_class_name = "silver"}},
       "silver",
       "",
       required},
      {"required [] asks for nothing", {.required = {.priority_class_names = any}}, "", "", {}},
      {"the empty name in a requirement is met by no pod",
       {.required = {.priority_class_names = {""}}},
       "",
       "",
       required},
      {"a default is allowed", gold_given, "gold", "", {}},
      {"a default allows no other", gold_given, "silver", "", not_allowed},
      {"the global default is taken as none", {}, "gold", "gold", {}},
      {"another than the global default is not", {}, "silver", "gold", not_allowed},
      {"the global default does not meet a requirement", gold_required, "gold", "gold", required},
      {"unless the policy itself gives it",
       {.required = {.priority_class_names = {"gold"}},
        .defaults = {.priority_class_name = "gold"}},
       "gold",
       "gold",
       {}},
  };
  for (const auto& [name, policy, priority_class, global_default, wanted] : cases) {
    CAPTURE(name);
    const auto found =
        check(Pod{.spec = {.priority_class_name = priority_class}}, merged_with_scheduler(policy),
              {.global_default_priority_class = global_default});
    CHECK(reasons(found) == wanted);
    if (found.size() == 1) CHECK(found[0].value == priority_class);
  }
}

TEST_CASE("a class that the cluster fills in meets no requirement, though it is a required one") {
  const EffectivePolicy effective =
      merged_with_scheduler({.required = {.priority_class_names = {"gold", ""}}});
  Options options;
  options.global_default_priority_class = "gold";
  const Pod gold{.spec = {.priority_class_name = "gold"}};
  CHECK(check(gold, effective).empty());
  CHECK(reasons(check(gold, effective, options)) ==
        List{"PriorityClassNameRequired spec.priorityClassName"});
  CHECK(reasons(check(Pod{}, effective)) ==
        List{"PriorityClassNameRequired spec.priorityClassName"});
}

}  // namespace check_names_test
}  // namespace SCHEDPOL_NAMESPACE::scheduling_policy
