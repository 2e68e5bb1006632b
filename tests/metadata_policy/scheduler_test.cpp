// SPDX-License-Identifier: Apache-2.0

#include <schedpol/metadata_policy/admit.hpp>

#include "../support/print_systems.hpp"
#include "policies.hpp"

#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace SCHEDPOL_NAMESPACE::metadata_policy {
namespace scheduler_test {

static_assert(std::is_aggregate_v<SchedulerChoice>);
static_assert(std::equality_comparable<SchedulerChoice>);
static_assert(qos_annotation == "scheduler.alpha.kubernetes.io/qos");
static_assert(scheduler_name_annotation == "scheduler.alpha.kubernetes.io/name");

TEST_CASE("a pod's quality of service is written over what a user wrote there") {
  struct Case {
    const char* name;
    const char* requests;
    const char* limits;
    Labels annotations;
    Labels wanted;
  };
  const Case cases[] = {
      {"nothing requested", "", "", {}, {{qos, "BestEffort"}}},
      {"as much as limited", "1", "1", {}, {{qos, "Guaranteed"}}},
      {"limits of the same value", "1000m", "1", {}, {{qos, "Guaranteed"}}},
      {"less than limited", "1", "2", {}, {{qos, "Burstable"}}},
      {"without limits", "1", "", {}, {{qos, "Burstable"}}},
      {"limits alone, as the API server makes requests of them in pods",
       "",
       "1",
       {},
       {{qos, "Guaranteed"}}},
      {"over what a user wrote", "", "", {{qos, "Guaranteed"}}, {{qos, "BestEffort"}}},
      {"over nonsense", "1", "1", {{qos, "guaranteed"}}, {{qos, "Guaranteed"}}},
      {"beside others", "", "", {{"note", "x"}}, {{"note", "x"}, {qos, "BestEffort"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const Pod pod = pod_with(c.requests, c.limits, c.annotations);
    CHECK(annotate_qos(pod) == pod_with(c.requests, c.limits, c.wanted));
    CHECK(annotate_qos(annotate_qos(pod)) == annotate_qos(pod));
  }
}

TEST_CASE("the scheduler annotation becomes the scheduler name") {
  struct Case {
    const char* name;
    Labels annotations;
    const char* scheduler_name;
    const char* wanted;
  };
  const Case cases[] = {
      {"no annotation", {}, "", ""},
      {"no annotation, a name", {}, "batch", "batch"},
      {"an annotation", {{scheduler, "gold"}}, "", "gold"},
      {"an annotation over a name", {{scheduler, "gold"}}, "batch", "gold"},
      {"an empty annotation names none", {{scheduler, ""}}, "batch", "batch"},
      {"another annotation", {{qos, "gold"}}, "batch", "batch"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Pod pod = {.metadata = object({}, c.annotations), .spec = {.scheduler_name = c.scheduler_name}};
    Pod wanted = pod;
    wanted.spec.scheduler_name = c.wanted;
    CHECK(choose_scheduler(pod, Policies{}).pod == annotate_qos(wanted));
  }
}

TEST_CASE("choosing the scheduler annotates, applies the rules and resolves, with all changes") {
  const FieldPath at = {"metadata", "annotations"};
  struct Case {
    const char* name;
    Pod pod;
    const char* scheduler_name;
    Changes changes;
  };
  Pod named = pod_with("1", "1");
  named.spec.scheduler_name = "batch";
  Pod named_gold = named;
  named_gold.spec.scheduler_name = "gold";
  const Case cases[] = {
      {"a rule matches",
       pod_with("1", "1"),
       "gold",
       {{at.key(qos), none, "Guaranteed", ""},
        {at.key(scheduler), none, "gold", "choose"},
        {"spec.schedulerName"_path, none, "gold", "choose"}}},
      {"no rule matches", pod_with("1", "2"), "", {{at.key(qos), none, "Burstable", ""}}},
      {"what the user wrote does not count",
       pod_with("", "", {{qos, "Guaranteed"}}),
       "cheap",
       {{at.key(qos), "Guaranteed", "BestEffort", ""},
        {at.key(scheduler), none, "cheap", "choose"},
        {"spec.schedulerName"_path, none, "cheap", "choose"}}},
      {"the quality of service is there already", pod_with("1", "2", {{qos, "Burstable"}}), "", {}},
      {"the pod brings the annotation",
       pod_with("1", "2", {{scheduler, "mine"}}),
       "mine",
       {{at.key(qos), none, "Burstable", ""}, {"spec.schedulerName"_path, none, "mine", ""}}},
      {"a rule writes over the pod's annotation",
       pod_with("1", "1", {{scheduler, "mine"}}),
       "gold",
       {{at.key(qos), none, "Guaranteed", ""},
        {at.key(scheduler), "mine", "gold", "choose"},
        {"spec.schedulerName"_path, none, "gold", "choose"}}},
      {"a rule writes over the pod's scheduler",
       named,
       "gold",
       {{at.key(qos), none, "Guaranteed", ""},
        {at.key(scheduler), none, "gold", "choose"},
        {"spec.schedulerName"_path, "batch", "gold", "choose"}}},
      {"the pod names the scheduler that the rule writes",
       named_gold,
       "gold",
       {{at.key(qos), none, "Guaranteed", ""}, {at.key(scheduler), none, "gold", "choose"}}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const SchedulerChoice choice = choose_scheduler(c.pod, by_qos());
    const MetadataAdmission admission = admit(annotate_qos(c.pod).metadata, by_qos());
    Pod wanted = c.pod;
    wanted.metadata = admission.metadata;
    wanted.spec.scheduler_name = c.scheduler_name;
    CHECK(choice == SchedulerChoice{.allowed = true, .pod = wanted, .changes = c.changes});
    CHECK(admit(c.pod, by_qos()) ==
          Admission{.allowed = true,
                    .pod = wanted,
                    .changes = c.changes,
                    .before = c.changes.empty() ? none : std::optional(c.pod)});
    CHECK(choose_scheduler(choice.pod, by_qos()).changes == Changes{});
  }
}

TEST_CASE("of two rules that choose the scheduler the later counts, and the conflict is reported") {
  Policies policies = by_qos();
  policies.push_back(policy("z-last", {sets_annotation(scheduler, "silver")}));
  const SchedulerChoice choice = choose_scheduler(pod_with("1", "1"), policies);
  CHECK(choice.pod.spec.scheduler_name == "silver");
  CHECK(choice.changes.back() == Change{"spec.schedulerName"_path, none, "silver", "z-last"});
  CHECK(choice.conflicts ==
        std::vector<Conflict>{{FieldPath{"metadata", "annotations"}.key(scheduler),
                               {{{"choose", 0}, "gold"}, {{"z-last", 0}, "silver"}}}});
}

TEST_CASE("the change of the scheduler names the policy that chose it, not one that wrote later") {
  struct Case {
    const char* name;
    Policies policies;
    const char* chosen_by;
  };
  const MetadataPolicyRule chooses = sets_annotation(scheduler, "gold");
  const MetadataPolicyRule labels = sets_label(scheduler, "gold");
  const Case cases[] = {
      {"another annotation after it",
       {policy("a", {chooses}), policy("b", {sets_annotation("z", "1")})},
       "a"},
      {"another annotation before it",
       {policy("a", {sets_annotation("a", "1")}), policy("b", {chooses})},
       "b"},
      {"around it",
       {policy("a", {sets_annotation("a", "1")}), policy("b", {chooses}),
        policy("c", {sets_annotation("z", "1")})},
       "b"},
      {"a label of the annotation's key", {policy("a", {labels}), policy("b", {chooses})}, "b"},
      {"a label of the annotation's key, later",
       {policy("a", {chooses}), policy("b", {labels})},
       "a"},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const SchedulerChoice choice = choose_scheduler(pod_with("1", "2"), c.policies);
    CHECK(choice.allowed);
    CHECK(choice.changes.back() == Change{"spec.schedulerName"_path, none, "gold", c.chosen_by});
  }
  Pod brings = pod_with("1", "2", {{scheduler, "mine"}});
  const Policies others = {policy("a", {labels, sets_annotation("z", "1")})};
  CHECK(choose_scheduler(brings, others).changes.back() ==
        Change{"spec.schedulerName"_path, none, "mine", ""});
}

TEST_CASE("where nothing was compiled no scheduler is chosen") {
  CHECK_FALSE(SchedulerChoice{}.allowed);
  const Pod pod = pod_with("1", "1");
  const SchedulerChoice choice = choose_scheduler(pod, CompiledPolicies());
  CHECK_FALSE(choice.allowed);
  CHECK(choice.pod == pod);
  CHECK(choice.changes == Changes{});
  CHECK(reasons(choice.errors) == List{"FieldValueRequired policies"});
}

}  // namespace scheduler_test
}  // namespace SCHEDPOL_NAMESPACE::metadata_policy
