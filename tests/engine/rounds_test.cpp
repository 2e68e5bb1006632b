// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/engine.hpp>

#include "engines.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace rounds_test {

using namespace engines;

// A class whose toleration covers one that is injected besides another.
Configuration covered_and_injected() {
  Configuration configuration;
  configuration.systems = {{System::runtime_class}, {System::pod_scheduling_policy}};
  configuration.objects.runtime_classes = {
      {.metadata = {.name = "kata"},
       .handler = "kata",
       .scheduling = {{.tolerations = {{.key = "k", .operator_ = TolerationOperator::exists}}}}}};
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "inject", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{},
                .tolerations = {{.key = "k", .value = "v"}, {.key = "other"}}}}};
  return configuration;
}

TEST_CASE("tolerations that are only put into another order stay as they came, and are no change") {
  const Engine engine = engine_of(covered_and_injected());
  Pod pod = pod_in("n");
  pod.spec.runtime_class_name = "kata";
  const Decision first = created(engine, pod);
  REQUIRE(first.allowed);
  CHECK(tolerations(first) == std::vector<std::string>{"k Exists", "k=v", "other="});
  // The class takes `k=v` away, which its own covers, and the policy puts it behind the other.
  const Decision again = created(engine, first.pod);
  CHECK(again.allowed);
  CHECK(again.pod == first.pod);
  for (const auto& said : again.steps) CHECK(said.changes.empty());
}

TEST_CASE("what a later system adds has to stand before an earlier one") {
  Configuration configuration = batch_only();
  configuration.systems = {{System::scheduling_policy}, {System::pod_scheduling_policy}};
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "inject", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{}, .tolerations = {{.key = "gpu"}}}}};
  const Decision decision = created(engine_of(configuration), pod_in("n"));
  CHECK(!decision.allowed);
  CHECK(codes(decision) == std::vector{Code::toleration_not_allowed});
  CHECK(decision.pod == pod_in("n"));
  // Who only warns is not asked again.
  configuration.systems[0].mode = Mode::warn;
  CHECK(created(engine_of(configuration), pod_in("n")).allowed);
}

TEST_CASE("a denial is final, whatever would come out of another round") {
  const auto rule = [](const char* from, const char* to) -> metadata_policy::MetadataPolicyRule {
    return {.policy_predicate = {.label_selector = {{.match_labels = {{"state", from}}}}},
            .policy_action = {.updated_labels = {{"state", to}}}};
  };
  Configuration configuration = batch_only();
  configuration.systems = {
      {System::pod_scheduling_policy}, {System::metadata_policy}, {System::scheduling_policy}};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "m", .namespace_ = "n"}, .spec = {.rules = {rule("a", "b")}}}};
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "inject", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{.match_labels = {{"state", "b"}}},
                .scheduler_name = "batch"}}};
  configuration.objects.scheduling_policies[0].spec.defaults = {};
  configuration.objects.scheduling_policies[0].spec.allowed.scheduler_names = {"batch"};
  const Engine engine = engine_of(configuration);
  CHECK(created(engine, pod_in("n", {{"state", "b"}})).allowed);
  const Decision decision = created(engine, pod_in("n", {{"state", "a"}}));
  CHECK(!decision.allowed);
  CHECK(decision.pod == pod_in("n", {{"state", "a"}}));
}

TEST_CASE("changes of every round are told") {
  Configuration configuration = covered_and_injected();
  configuration.objects.pod_scheduling_policies[0].spec.tolerations = {
      {.operator_ = TolerationOperator::exists}};
  Pod pod = pod_in("n");
  pod.spec.runtime_class_name = "kata";
  pod.spec.tolerations = {{.key = "mine"}};
  const Decision decision = created(engine_of(configuration), pod);
  REQUIRE(decision.allowed);
  CHECK(tolerations(decision) == std::vector<std::string>{"* Exists"});
  REQUIRE(decision.steps.size() == 2);
  CHECK(decision.steps[0].changes.size() == 3);  // `k Exists` added, then it and `mine=` taken away
  CHECK(decision.steps[1].changes.size() == 1);
}

TEST_CASE("what is left out in a later round is told, too") {
  Configuration configuration;
  configuration.systems = {{System::pod_scheduling_policy}, {System::metadata_policy}};
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "disk", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{.match_labels = {{"tier", "web"}}},
                .node_selector = {{"disk", "ssd"}}}}};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "tier", .namespace_ = "n"},
       .spec = {.rules = {{.policy_action = {.updated_labels = {{"tier", "web"}}}}}}}};
  Pod pod = pod_in("n");
  pod.spec.node_selector = {{"disk", "hdd"}};
  const Decision decision = created(engine_of(configuration), pod);
  REQUIRE(decision.allowed);
  REQUIRE(decision.steps.size() == 2);
  REQUIRE(decision.steps[0].warnings.size() == 1);
  CHECK(decision.steps[0].warnings[0].field == "spec.nodeSelector[disk]");
}

TEST_CASE("rules that undo one another come to an end") {
  const auto rule = [](const char* from, const char* to) -> metadata_policy::MetadataPolicyRule {
    return {.policy_predicate = {.label_selector = {{.match_labels = {{"state", from}}}}},
            .policy_action = {.updated_labels = {{"state", to}}}};
  };
  Configuration configuration;
  configuration.systems = {{System::metadata_policy}};
  configuration.objects.metadata_policies = {{.metadata = {.name = "m", .namespace_ = "n"},
                                              .spec = {.rules = {rule("a", "b"), rule("b", "c")}}}};
  CHECK(created(engine_of(configuration), pod_in("n", {{"state", "a"}})).pod.metadata.labels ==
        Labels{{"state", "c"}});
  configuration.objects.metadata_policies[0].spec.rules = {rule("a", "b"), rule("b", "a")};
  const Decision decision = created(engine_of(configuration), pod_in("n", {{"state", "a"}}));
  CHECK(decision.allowed);
  // One change a round.
  CHECK(decision.steps[0].changes.size() == std::size_t{max_decision_rounds});
}

TEST_CASE("what a system takes away each time that another one requires is denied") {
  Configuration configuration = covered_and_injected();
  configuration.systems = {
      {System::pod_scheduling_policy}, {System::scheduling_policy}, {System::runtime_class}};
  configuration.settings.policy_use = PolicyUse::every;
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "v"},
       .spec = {
           .required = {.tolerations =
                            {{.keys = {"k"}, .operators = any, .values = {"v"}, .effects = any}}},
           .allowed = {.scheduler_names = any, .tolerations = any}}}};
  Pod pod = pod_in("n");
  pod.spec.tolerations = {{.key = "k", .operator_ = TolerationOperator::exists}};
  CHECK(created(engine_of(configuration), pod).allowed);
  pod.spec.runtime_class_name = "kata";
  // What the class gives meets what is required of one that it covers.
  CHECK(created(engine_of(configuration), pod).allowed);
  configuration.objects.runtime_classes[0].scheduling = runtime_class::Scheduling{};
  const Decision decision = created(engine_of(configuration), pod);
  CHECK(!decision.allowed);
  CHECK(codes(decision) == std::vector{Code::toleration_required});
  CHECK(decision.pod == pod);
}

}  // namespace rounds_test
