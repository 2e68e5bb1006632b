// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <schedpol/core/limits.hpp>
#include <schedpol/metadata_policy/admit.hpp>
#include <schedpol/runtime_class/admit.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace engine_test {

using namespace schedpol;
using engine::compile;
using engine::Configuration;
using engine::Decision;
using engine::Engine;
using engine::Mode;
using engine::Operation;
using engine::Phase;
using engine::PolicyUse;
using engine::Step;
using engine::System;
using Code = ViolationCode;

static_assert(std::is_copy_constructible_v<Engine> && std::is_nothrow_move_constructible_v<Engine>);

Engine engine_of(const Configuration& configuration) {
  const auto engine = compile(configuration);
  for (const FieldError& error : engine.errors()) MESSAGE(message(error));
  REQUIRE(engine);
  return *engine;
}

// One policy that gives pods `batch` as their scheduler and permits that alone, besides a
// toleration of `spot`.
Configuration batch_only(Mode mode = Mode::enforce) {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy, mode}};
  configuration.settings.policy_use = PolicyUse::every;
  configuration.objects.scheduling_policies = {
      {.metadata = {.name = "batch"},
       .spec = {.allowed = {.tolerations = {{.keys = {"spot"}, .operators = any, .effects = any}}},
                .defaults = {.scheduler_name = "batch"}}}};
  return configuration;
}

TEST_CASE(
    "what a system that does not enforce would change is said once, however often it is asked") {
  Configuration configuration = batch_only();
  // The second system changes the pod only for the label that the third writes, so all are asked
  // again.
  configuration.systems = {{System::scheduling_policy, Mode::audit},
                           {System::pod_scheduling_policy},
                           {System::metadata_policy}};
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "disk", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{.match_labels = {{"tier", "web"}}},
                .node_selector = {{"disk", "ssd"}}}}};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "tier", .namespace_ = "n"},
       .spec = {.rules = {{.policy_action = {.updated_labels = {{"tier", "web"}}}}}}}};
  const Decision decision =
      engine_of(configuration).decide({.object = {.metadata = {.name = "p", .namespace_ = "n"}}});
  CHECK(decision.allowed);
  REQUIRE(decision.steps.size() == 3);
  CHECK(decision.steps[0].changes.size() == 1);
  CHECK(!decision.steps[1].changes.empty());
  CHECK(!decision.steps[2].changes.empty());
}

runtime_class::RuntimeClass kata() {
  return {.metadata = {.name = "kata"},
          .handler = "kata",
          .overhead = {{.pod_fixed = {{"memory", *Quantity::parse("160Mi")}}}},
          .scheduling = {
              {.node_selector = {{"sandbox", "kata"}},
               .tolerations = {{.key = "sandboxed", .operator_ = TolerationOperator::exists}}}}};
}

Pod pod_in(std::string_view namespace_, Labels labels = {}) {
  return {.metadata = {
              .name = "p", .namespace_ = std::string(namespace_), .labels = std::move(labels)}};
}

Decision created(const Engine& engine, const Pod& pod) {
  return engine.decide({.object = pod});
}
Decision verified(const Engine& engine, const Pod& pod) {
  return engine.decide({.object = pod, .phase = Phase::validating});
}
Decision updated(const Engine& engine, const Pod& old, const Pod& pod) {
  return engine.decide({.operation = Operation::update, .object = pod, .old = Old(old)});
}

std::vector<Code> codes(const Decision& decision) {
  std::vector<Code> all;
  for (const auto& said : decision.steps) {
    for (const Violation& violation : said.violations) all.push_back(violation.code);
  }
  return all;
}

TEST_CASE("an engine of nothing denies everything") {
  CHECK_FALSE(Engine().runs(System::scheduling_policy));
  CHECK(!Decision().allowed);
  const Pod pod = pod_in("n");
  for (const Decision& decision :
       {created(Engine(), pod), verified(Engine(), pod), updated(Engine(), pod, pod)}) {
    CHECK(!decision.allowed);
    CHECK(decision.steps.empty());
    CHECK(decision.pod == pod);
  }
}

TEST_CASE(
    "an engine says whether one of its systems looks at metadata, and who the controller is") {
  Configuration configuration = batch_only();
  CHECK(!engine_of(configuration).looks_at_metadata());
  configuration.systems.push_back({System::metadata_policy});
  CHECK(engine_of(configuration).looks_at_metadata());
  configuration.systems = {{System::metadata_policy}, {System::scheduling_policy}};
  configuration.settings.daemon_set_controller = "controller";
  CHECK(engine_of(configuration).looks_at_metadata());
  CHECK(engine_of(configuration).daemon_set_controller() == "controller");
  CHECK(!Engine().looks_at_metadata());
  CHECK(Engine().daemon_set_controller().empty());
}

TEST_CASE("an engine is compiled of a list of systems without errors, and of no other") {
  CHECK(compile(batch_only()));
  Configuration configuration = batch_only();
  configuration.systems.clear();
  const auto engine = compile(configuration);
  CHECK(!engine);
  CHECK(engine.errors() == validate(configuration));
  CHECK(engine.errors().size() == 1);
  configuration.systems = {{System::runtime_class}, {System::runtime_class}};
  CHECK(!compile(configuration));
  configuration.systems = {{System::runtime_class}, {System::metadata_policy}};
  const Engine two = engine_of(configuration);
  CHECK(two.runs(System::runtime_class));
  CHECK(two.runs(System::metadata_policy));
  CHECK(!two.runs(System::scheduling_policy));
  CHECK(!Engine().runs(System::runtime_class));
}

TEST_CASE(
    "systems run in their order, each on what the one before made, and the first denial ends it") {
  Configuration configuration = batch_only();
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "inject", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{},
                .scheduler_name = "injected",
                .tolerations = {{.key = "spot", .operator_ = TolerationOperator::exists}}}}};

  configuration.systems = {{System::pod_scheduling_policy}, {System::scheduling_policy}};
  Decision decision = created(engine_of(configuration), pod_in("n"));
  CHECK(!decision.allowed);
  CHECK(codes(decision) == std::vector{Code::scheduler_name_not_allowed});
  CHECK(decision.pod == pod_in("n"));
  REQUIRE(decision.steps.size() == 2);
  CHECK(decision.steps[0].changes.size() == 2);

  configuration.systems = {{System::scheduling_policy}, {System::pod_scheduling_policy}};
  decision = created(engine_of(configuration), pod_in("n"));
  CHECK(decision.allowed);
  CHECK(decision.pod.spec.scheduler_name == "batch");
  CHECK(decision.pod.spec.tolerations.size() == 1);

  configuration.systems = {{System::scheduling_policy}, {System::resource_policy}};
  Pod denied = pod_in("n");
  denied.spec.node_name = "node-1";
  decision = created(engine_of(configuration), denied);
  CHECK(!decision.allowed);
  CHECK(decision.steps.size() == 1);
  CHECK(decision.pod == denied);
}

TEST_CASE(
    "a system that does not enforce neither changes nor denies, and says what it would have") {
  for (const Mode mode : {Mode::warn, Mode::audit}) {
    const Engine engine = engine_of(batch_only(mode));
    const Decision changed = created(engine, pod_in("n"));
    CHECK(changed.allowed);
    CHECK(changed.pod == pod_in("n"));
    REQUIRE(changed.steps.size() == 1);
    CHECK(changed.steps[0].changes.size() == 1);
    CHECK(changed.steps[0].violations.empty());
    Pod denied = pod_in("n");
    denied.spec.scheduler_name = "other";
    for (const Decision& decision : {created(engine, denied), verified(engine, denied),
                                     updated(engine, pod_in("n"), denied)}) {
      CHECK(decision.allowed);
      CHECK(decision.pod == denied);
      CHECK(codes(decision) == std::vector{Code::scheduler_name_not_allowed});
    }
  }
}

TEST_CASE("an update is denied for what it adds, and only its metadata is changed") {
  Configuration configuration = batch_only();
  configuration.systems = {{System::runtime_class},
                           {System::metadata_policy},
                           {System::pod_scheduling_policy},
                           {System::scheduling_policy},
                           {System::resource_policy}};
  configuration.objects.runtime_classes = {kata()};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "no-legacy", .namespace_ = "n"},
       .spec = {.rules = {{.policy_predicate = {.label_selector = {{.match_labels = {{"legacy",
                                                                                      "yes"}}}}},
                           .policy_action = {.reject = true}}}}}};
  configuration.objects.resource_policies = {
      {.metadata = {.name = "a", .namespace_ = "n"},
       .spec = {.pod_selector = {{.match_labels = {{"both", "x"}}}}}},
      {.metadata = {.name = "b", .namespace_ = "n"}}};
  const Engine engine = engine_of(configuration);
  struct Case {
    const char* what;
    Pod old;
    Pod updated;
    std::vector<Code> denied;
  };
  const auto with = [](auto&& change) {
    Pod pod = pod_in("n");
    pod.spec.scheduler_name = "batch";
    change(pod);
    return pod;
  };
  const Pod plain = with([](Pod&) {});
  const auto labelled = [&](const char* key, const char* value) {
    return with([&](Pod& pod) { pod.metadata.labels = {{key, value}}; });
  };
  const auto scheduled = [&](const char* name) {
    return with([&](Pod& pod) { pod.spec.scheduler_name = name; });
  };
  const auto of_class = [&](const char* name) {
    return with([&](Pod& pod) { pod.spec.runtime_class_name = name; });
  };
  const Case cases[] = {
      {"nothing", plain, plain, {}},
      {"an old violation stays", scheduled("x"), scheduled("x"), {}},
      {"a new violation", plain, scheduled("x"), {Code::scheduler_name_not_allowed}},
      {"defaults that are gone are not given back",
       plain,
       scheduled(""),
       {Code::scheduler_name_not_allowed}},
      {"a class that is not there", plain, of_class("gone"), {Code::runtime_class_not_found}},
      {"a class that is no longer there", of_class("gone"), of_class("gone"), {}},
      {"a label that is rejected", plain, labelled("legacy", "yes"), {Code::rejected_by_rule}},
      {"a label that was there when the rule came",
       labelled("legacy", "yes"),
       labelled("legacy", "yes"),
       {}},
      {"a second resource policy",
       plain,
       labelled("both", "x"),
       {Code::multiple_resource_policies}},
      {"two resource policies already", labelled("both", "x"), labelled("both", "x"), {}},
  };
  for (const Case& c : cases) {
    CAPTURE(c.what);
    const Decision decision = updated(engine, c.old, c.updated);
    CHECK(decision.allowed == c.denied.empty());
    CHECK(codes(decision) == c.denied);
    CHECK(decision.pod == c.updated);
  }
}

TEST_CASE("an update in a namespace that is not known is not denied for it") {
  Configuration configuration;
  configuration.systems = {{System::pod_scheduling_policy}};
  configuration.objects.pod_scheduling_policies = {
      {.kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
       .metadata = {.name = "zones"},
       .spec = {.namespace_selector = {{.match_labels = {{"team", "a"}}}},
                .pod_selector = LabelSelector{}}}};
  const Engine engine = engine_of(configuration);
  const Pod pod = pod_in("unknown");
  REQUIRE(codes(created(engine, pod)) == std::vector{Code::namespace_not_found});
  CHECK(updated(engine, pod_in("unknown", {{"a", "b"}}), pod).allowed);
  CHECK(verified(engine, pod).allowed);
}

TEST_CASE("of what is not changed, too, the first denial of a system that enforces is the last") {
  Configuration configuration = batch_only();
  configuration.objects.resource_policies = {{.metadata = {.name = "a", .namespace_ = "n"}},
                                             {.metadata = {.name = "b", .namespace_ = "n"}}};
  Pod pod = pod_in("n");
  pod.spec.scheduler_name = "other";
  const std::vector both = {Code::scheduler_name_not_allowed, Code::multiple_resource_policies};
  for (const Mode first : {Mode::enforce, Mode::warn, Mode::audit}) {
    configuration.systems = {{System::scheduling_policy, first}, {System::resource_policy}};
    const Engine engine = engine_of(configuration);
    const std::size_t steps = first == Mode::enforce ? 1 : 2;
    for (const Decision& decision :
         {verified(engine, pod), updated(engine, pod_in("other"), pod)}) {
      CHECK(!decision.allowed);
      CHECK(codes(decision) == std::vector(both.begin(), both.begin() + std::ptrdiff_t(steps)));
      REQUIRE(decision.steps.size() == steps);
      CHECK(decision.steps[0].step == Step{System::scheduling_policy, first});
    }
  }
}

TEST_CASE("another rule that rejects is another reason, whatever its index") {
  Configuration configuration;
  configuration.systems = {{System::metadata_policy}};
  const auto rejects = [](const char* name, const char* label) -> metadata_policy::MetadataPolicy {
    return {.metadata = {.name = name, .namespace_ = "n"},
            .spec = {.rules = {
                         {.policy_predicate = {.label_selector = {{.match_labels = {{label, ""}}}}},
                          .policy_action = {.reject = true}}}}};
  };
  configuration.objects.metadata_policies = {rejects("first", "a"), rejects("second", "b")};
  const Engine engine = engine_of(configuration);
  CHECK(!updated(engine, pod_in("n", {{"a", ""}}), pod_in("n", {{"b", ""}})).allowed);
  CHECK(updated(engine, pod_in("n", {{"a", ""}, {"b", ""}}), pod_in("n", {{"b", ""}})).allowed);
}

TEST_CASE("after all mutators a pod is judged as it stands") {
  Configuration configuration = batch_only();
  configuration.systems = {
      {System::runtime_class}, {System::metadata_policy}, {System::scheduling_policy}};
  configuration.objects.runtime_classes = {kata()};
  configuration.objects.metadata_policies = {
      {.metadata = {.name = "all", .namespace_ = "n"},
       .spec = {.rules = {{.policy_predicate = {.label_selector = {{.match_labels = {{"legacy",
                                                                                      "yes"}}}}},
                           .policy_action = {.reject = true}}}}}};
  const Engine engine = engine_of(configuration);
  Pod pod = pod_in("n", {{"legacy", "yes"}});
  CHECK(codes(verified(engine, pod)) == std::vector{Code::rejected_by_rule});
  pod.metadata.labels.clear();
  CHECK(codes(verified(engine, pod)) == std::vector{Code::scheduler_name_not_allowed});
  pod.spec.scheduler_name = "batch";
  CHECK(verified(engine, pod).allowed);
  pod.spec.runtime_class_name = "kata";
  CHECK(codes(verified(engine, pod)) == std::vector{Code::overhead_mismatch,
                                                    Code::node_selector_required,
                                                    Code::toleration_required});
  pod = runtime_class::admit(pod, configuration.objects.runtime_classes).pod;
  CHECK(verified(engine, pod).allowed);
  // A template has not got what its pods will get.
  pod.kind = PodKind::deployment;
  pod.spec.node_selector.clear();
  CHECK(verified(engine, pod).allowed);
  pod.spec.runtime_class_name = "gone";
  CHECK(codes(verified(engine, pod)) == std::vector{Code::runtime_class_not_found});
}

TEST_CASE("a RuntimeClass changes pods, not templates, and what it adds is exempt") {
  Configuration configuration = batch_only();
  configuration.systems = {{System::runtime_class}, {System::scheduling_policy}};
  configuration.objects.runtime_classes = {kata()};
  const Engine engine = engine_of(configuration);
  Pod pod = pod_in("n");
  pod.spec.runtime_class_name = "kata";
  Decision decision = created(engine, pod);
  CHECK(decision.allowed);
  CHECK(decision.pod.spec.node_selector == Labels{{"sandbox", "kata"}});
  CHECK(decision.pod.spec.overhead.size() == 1);
  pod.kind = PodKind::job;
  decision = created(engine, pod);
  CHECK(decision.allowed);
  CHECK(decision.pod.spec.node_selector.empty());
  CHECK(decision.pod.spec.overhead.empty());
  CHECK(decision.pod.spec.scheduler_name == "batch");
  REQUIRE(decision.steps.size() == 2);
  CHECK(decision.steps[0].changes.empty());
  pod.spec.node_selector = {{"sandbox", "gvisor"}};
  CHECK(codes(created(engine, pod)) == std::vector{Code::node_selector_conflict});
  // What it would have been is told where it is only told.
  configuration.systems[0].mode = Mode::audit;
  pod.spec.node_selector.clear();
  CHECK(created(engine_of(configuration), pod).steps[0].changes.size() == 3);
  // Without the class the same criteria are the user's own.
  pod.spec.runtime_class_name.clear();
  pod.spec.node_selector = {{"sandbox", "kata"}};
  CHECK(codes(created(engine, pod)) == std::vector{Code::node_selector_not_allowed});
}

TEST_CASE("a pod is judged by the policies that its service account may use, or by all") {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  const auto policy = [](const char* name) -> scheduling_policy::SchedulingPolicy {
    return {.metadata = {.name = name}, .spec = {.allowed = {.scheduler_names = {name}}}};
  };
  configuration.objects.scheduling_policies = {policy("one"), policy("two"), policy("three")};
  const auto use = [](const char* name) -> rbac::PolicyRule {
    return {.verbs = {"use"},
            .api_groups = {"schedpol.io"},
            .resources = {"schedulingpolicies"},
            .resource_names = {name}};
  };
  configuration.objects.rbac.cluster_roles = {
      {.metadata = {.name = "one"}, .rules = {use("one")}},
      {.metadata = {.name = "two"}, .rules = {use("two")}},
      {.metadata = {.name = "three"}, .rules = {use("three")}}};
  configuration.objects.rbac.role_bindings = {
      {.metadata = {.name = "all-of-n", .namespace_ = "n"},
       .role_ref = {.kind = "ClusterRole", .name = "one"},
       .subjects = {{.kind = "Group", .name = "system:serviceaccounts:n"}}},
      {.metadata = {.name = "builder", .namespace_ = "n"},
       .role_ref = {.kind = "ClusterRole", .name = "two"},
       .subjects = {{.kind = "ServiceAccount", .name = "builder"}}}};
  configuration.objects.rbac.cluster_role_bindings = {
      {.metadata = {.name = "everywhere"},
       .role_ref = {.kind = "ClusterRole", .name = "three"},
       .subjects = {{.kind = "Group", .name = "team"},
                    {.kind = "Group", .name = "system:serviceaccounts:"},  // of no namespace
                    {.kind = "User", .name = "system:serviceaccount:x:y"}}}};
  struct Case {
    const char* namespace_;
    const char* account;
    std::vector<std::string> policies;
  };
  const Case cases[] = {
      {"n", "", {"one"}},   {"n", "builder", {"one", "two"}},
      {"m", "builder", {}}, {"x", "y", {"three"}},
      {"x", "", {}},
  };
  const Engine engine = engine_of(configuration);
  for (const Case& c : cases) {
    CAPTURE(c.namespace_);
    CAPTURE(c.account);
    Pod pod = pod_in(c.namespace_);
    pod.spec.service_account_name = c.account;
    CHECK(engine.effective_policy(pod).policies() == c.policies);
    for (const std::string name : {"one", "two", "three"}) {
      pod.spec.scheduler_name = name;
      const bool may = std::find(c.policies.begin(), c.policies.end(), name) != c.policies.end();
      CHECK(created(engine, pod).allowed == may);
    }
  }
  CHECK(codes(created(engine, pod_in("x"))) == std::vector{Code::no_usable_policy});
  configuration.settings.access.api_group = "example.com";
  CHECK(engine_of(configuration).effective_policy(pod_in("n")).policies().empty());
  configuration.settings.policy_use = PolicyUse::every;
  CHECK(engine_of(configuration).effective_policy(pod_in("x")).policies().size() == 3);
}

TEST_CASE("whoever depends on what changes is judged anew, and nobody else") {
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  auto& rbac = configuration.objects.rbac;
  for (const char* name : {"one", "two", "three"}) {
    configuration.objects.scheduling_policies.push_back(
        {.metadata = {.name = name}, .spec = {.allowed = {.scheduler_names = {name}}}});
    rbac.cluster_roles.push_back({.metadata = {.name = name},
                                  .rules = {{.verbs = {"use"},
                                             .api_groups = {"schedpol.io"},
                                             .resources = {"schedulingpolicies"},
                                             .resource_names = {name}}}});
  }
  const auto bind = [&](std::string name, const char* in, const char* role, rbac::Subject subject) {
    rbac.role_bindings.push_back({.metadata = {.name = std::move(name), .namespace_ = in},
                                  .role_ref = {.kind = "ClusterRole", .name = role},
                                  .subjects = {std::move(subject)}});
  };
  bind("all-of-n", "n", "one", {.kind = "Group", .name = "system:serviceaccounts:n"});
  bind("builder", "n", "two", {.kind = "ServiceAccount", .name = "builder"});
  for (int i = 0; i < 50; ++i) {
    const std::string name = "a-" + std::to_string(i);
    bind(name, "m", "three", {.kind = "ServiceAccount", .name = name});
  }
  using Names = std::vector<std::string>;
  const auto policies = [](const Engine& engine, const char* in, const char* account) {
    Pod pod = pod_in(in);
    pod.spec.service_account_name = account;
    return engine.effective_policy(pod).policies();
  };
  const Engine before = engine_of(configuration);
  CHECK(policies(before, "n", "builder") == Names{"one", "two"});

  engine::Objects of_n;
  of_n.rbac.role_bindings = {rbac.role_bindings[0]};
  const Engine without = before.without(of_n);
  CHECK(policies(without, "n", "builder") == Names{"two"});
  CHECK(policies(without, "n", "other") == Names{});
  CHECK(policies(without, "m", "a-7") == Names{"three"});
  const Engine again = without.with(of_n);
  CHECK(policies(again, "n", "builder") == Names{"one", "two"});
  CHECK(policies(again, "n", "other") == Names{"one"});

  engine::Objects of_two;
  of_two.rbac.role_bindings = {rbac.role_bindings[4], rbac.role_bindings[9]};
  const Engine fewer = before.without(of_two);
  for (const char* account : {"a-2", "a-7"}) CHECK(policies(fewer, "m", account) == Names{});
  CHECK(policies(fewer, "m", "a-8") == Names{"three"});

  engine::Objects changed;
  for (const int i : {1, 2}) {
    changed.scheduling_policies.push_back(configuration.objects.scheduling_policies[i]);
    changed.scheduling_policies.back().spec.allowed.scheduler_names = {"new"};
  }
  bind("late", "m", "two", {.kind = "ServiceAccount", .name = "late"});
  engine::Objects late;
  late.rbac.role_bindings = {rbac.role_bindings.back()};
  const Engine other = before.with(late).with(changed);
  for (const auto& [in, account] :
       {std::pair{"n", "builder"}, std::pair{"m", "a-7"}, std::pair{"m", "late"}}) {
    Pod pod = pod_in(in);
    pod.spec.service_account_name = account;
    pod.spec.scheduler_name = "new";
    CHECK(!created(before, pod).allowed);
    CHECK(created(other, pod).allowed);
  }
}

TEST_CASE("of those who may use a million policies together nobody is taken for another") {
  constexpr int accounts = 102;
  constexpr int names = 100;
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  rbac::Rbac& rbac = configuration.objects.rbac;
  for (int i = 0; i < accounts; ++i) {
    const std::string number = std::to_string(i);
    configuration.objects.scheduling_policies.push_back(
        {.metadata = {.name = number + "-0"}, .spec = {.allowed = {.scheduler_names = {number}}}});
    std::vector<std::string> of_role;
    for (int j = 0; j < names; ++j) of_role.push_back(number + "-" + std::to_string(j));
    const rbac::PolicyRule use{.verbs = {"use"},
                               .api_groups = {"schedpol.io"},
                               .resources = {"schedulingpolicies"},
                               .resource_names = Texts(std::move(of_role))};
    rbac.cluster_roles.push_back({.metadata = {.name = number}, .rules = {use}});
    // Everybody but one, who is another for each role.
    rbac::ClusterRoleBinding all{.metadata = {.name = number},
                                 .role_ref = {.kind = "ClusterRole", .name = number}};
    for (int j = 0; j < accounts; ++j)
      if (j != i)
        all.subjects.push_back(
            {.kind = "ServiceAccount", .name = std::to_string(j), .namespace_ = "n"});
    rbac.cluster_role_bindings.push_back(std::move(all));
  }
  const Engine engine = engine_of(configuration);
  for (int i = 0; i < accounts; ++i) {
    CAPTURE(i);
    Pod pod = pod_in("n");
    pod.spec.service_account_name = std::to_string(i);
    pod.spec.scheduler_name = std::to_string(i);
    CHECK_FALSE(created(engine, pod).allowed);
    pod.spec.scheduler_name = std::to_string((i + 1) % accounts);
    CHECK(created(engine, pod).allowed);
  }
}

TEST_CASE("policies for namespaces need to know the namespace") {
  Configuration configuration;
  configuration.systems = {{System::pod_scheduling_policy}};
  pod_scheduling_policy::PodSchedulingPolicy policy = {
      .kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
      .metadata = {.name = "zones"},
      .spec = {.namespace_selector = {{.match_labels = {{"team", "a"}}}},
               .pod_selector = {{.match_labels = {{"app", "x"}}}},
               .node_name = "node-1"}};
  configuration.objects.pod_scheduling_policies = {policy};
  configuration.objects.namespaces = {{{.name = "of-b", .labels = {{"team", "b"}}}},
                                      {{.name = "of-a", .labels = {{"team", "a"}}}}};
  const Engine engine = engine_of(configuration);
  CHECK(created(engine, pod_in("of-a", {{"app", "x"}})).pod.spec.node_name == "node-1");
  CHECK(created(engine, pod_in("of-b", {{"app", "x"}})).pod.spec.node_name == "");
  CHECK(created(engine, pod_in("unknown", {{"app", "y"}})).allowed);
  const Decision unknown = created(engine, pod_in("unknown", {{"app", "x"}}));
  CHECK(!unknown.allowed);
  REQUIRE(codes(unknown) == std::vector{Code::namespace_not_found});
  CHECK(unknown.steps[0].violations[0].field == "metadata.namespace");
  CHECK(unknown.steps[0].violations[0].value == "unknown");
  CHECK(unknown.steps[0].violations[0].policies == Names{policy.metadata.name});
  for (const auto& selector : {std::optional<LabelSelector>(), std::optional(LabelSelector{})}) {
    policy.spec.namespace_selector = selector;
    configuration.objects.pod_scheduling_policies = {policy};
    const Decision decision = created(engine_of(configuration), pod_in("unknown", {{"app", "x"}}));
    CHECK(decision.allowed);
    CHECK(decision.pod.spec.node_name == (selector ? "node-1" : ""));
  }
}

TEST_CASE("the scheduler that the API server fills in counts as none") {
  Configuration configuration = batch_only();
  configuration.systems = {{System::pod_scheduling_policy}, {System::scheduling_policy}};
  Pod pod = pod_in("n");
  pod.spec.scheduler_name = "default-scheduler";
  CHECK(created(engine_of(configuration), pod).pod.spec.scheduler_name == "batch");
  configuration.objects.pod_scheduling_policies = {
      {.metadata = {.name = "a", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{}, .scheduler_name = "batch"}},
      {.metadata = {.name = "b", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{}, .scheduler_name = "late"}}};
  const Decision decision = created(engine_of(configuration), pod);
  CHECK(decision.allowed);
  REQUIRE(decision.steps[0].changes.size() == 1);
  CHECK(decision.steps[0].changes[0].from == "default-scheduler");
  CHECK(decision.steps[0].changes[0].policy == "a");
}

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

std::vector<std::string> tolerations(const Decision& decision) {
  std::vector<std::string> texts;
  for (const Toleration& toleration : decision.pod.spec.tolerations)
    texts.push_back(to_string(toleration));
  return texts;
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

}  // namespace engine_test
