// SPDX-License-Identifier: Apache-2.0
// What updates of workloads come to: what is stored stays as it is, whoever stores it again.
#include <schedpol/engine/engine.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace updates_test {

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

constexpr PodKind workloads[] = {PodKind::pod_template, PodKind::replication_controller,
                                 PodKind::replica_set,  PodKind::deployment,
                                 PodKind::stateful_set, PodKind::daemon_set,
                                 PodKind::job,          PodKind::cron_job};

// Systems that change everything that can be changed: names, a node selector, tolerations, and
// affinities, below a rule that requires what it gives.
Configuration changing() {
  Configuration configuration;
  configuration.settings.policy_use = PolicyUse::every;
  configuration.systems = {{System::runtime_class},
                           {System::metadata_policy},
                           {System::pod_scheduling_policy},
                           {System::scheduling_policy},
                           {System::resource_policy}};
  auto& objects = configuration.objects;
  objects.runtime_classes = {{.metadata = {.name = "kata"},
                              .handler = "kata",
                              .overhead = {{.pod_fixed = {{"cpu", *Quantity::parse("1")}}}},
                              .scheduling = {{.tolerations = {{.key = "sandboxed"}}}}}};
  objects.metadata_policies = {
      {.metadata = {.name = "m", .namespace_ = "n"},
       .spec = {.rules = {{.policy_action = {.updated_labels = {{"seen", "yes"}}}}}}}};
  NodeAffinity zones;
  zones.required_during_scheduling_ignored_during_execution = {
      {{.match_expressions = {
            {.key = "zone", .operator_ = NodeSelectorOperator::in, .values = {"a", "b"}}}}}};
  objects.pod_scheduling_policies = {
      {.metadata = {.name = "inject", .namespace_ = "n"},
       .spec = {.pod_selector = LabelSelector{},
                .node_selector = {{"pool", "shared"}},
                .tolerations = {{.key = "injected", .operator_ = TolerationOperator::exists}},
                .affinity = Affinity{.node_affinity = zones}}}};
  scheduling_policy::SchedulingPolicySpec spec;
  spec.required.scheduler_names = {"batch"};
  spec.required.node_selectors = {{"disk", {"ssd"}}};
  spec.allowed = {.scheduler_names = {"batch"},
                  .priority_class_names = any,
                  .node_selectors = any,
                  .tolerations = {{.keys = {"injected", "mine"}, .operators = any, .effects = any}},
                  .affinities = any};
  spec.defaults.scheduler_name = "batch";
  spec.defaults.node_selector = Labels{{"disk", "ssd"}};
  objects.scheduling_policies = {{.metadata = {.name = "s"}, .spec = spec}};
  return configuration;
}

Pod manifest(PodKind kind) {
  Pod pod{.kind = kind, .metadata = {.name = "web", .namespace_ = "n", .labels = {{"app", "x"}}}};
  pod.spec.tolerations = {{.key = "mine", .operator_ = TolerationOperator::exists}};
  NodeAffinity arch;
  arch.required_during_scheduling_ignored_during_execution = {
      {{.match_expressions = {{.key = "arch", .operator_ = NodeSelectorOperator::exists}}}}};
  pod.spec.affinity = Affinity{.node_affinity = arch};
  return pod;
}

Decision created(const Engine& engine, const Pod& pod) {
  return engine.decide({.object = pod});
}
Decision updated(const Engine& engine, const Pod& old, const Pod& pod) {
  return engine.decide({.operation = Operation::update, .object = pod, .old = Old(old)});
}

// What the API server has after a client applies its manifest to what is stored: maps are merged,
// lists are taken from the manifest where it has them.
Pod applied(const Pod& stored, const Pod& manifest) {
  Pod pod = stored;
  for (const auto& [key, value] : manifest.metadata.labels) pod.metadata.labels[key] = value;
  for (const auto& [key, value] : manifest.spec.node_selector) pod.spec.node_selector[key] = value;
  if (!manifest.spec.tolerations.empty()) pod.spec.tolerations = manifest.spec.tolerations;
  if (!manifest.spec.scheduler_name.empty()) pod.spec.scheduler_name = manifest.spec.scheduler_name;
  if (manifest.spec.affinity) pod.spec.affinity = manifest.spec.affinity;
  return pod;
}

std::vector<Code> codes(const Decision& decision) {
  std::vector<Code> all;
  for (const auto& said : decision.steps)
    for (const Violation& violation : said.violations) all.push_back(violation.code);
  return all;
}

TEST_CASE("whoever stores the author's own manifest again gets what is stored") {
  Configuration configuration = changing();
  std::sort(configuration.systems.begin(), configuration.systems.end(),
            [](const Step& a, const Step& b) { return a.system < b.system; });
  int orders = 0;
  do {
    const auto engine = compile(configuration);
    REQUIRE(engine);
    for (const PodKind kind : workloads) {
      CAPTURE(to_string(kind));
      const Pod author = manifest(kind);
      const Pod stored = created(*engine, author).pod;
      // SchedulingPolicy does not permit what a later system adds where it comes first.
      if (stored == author) continue;
      ++orders;
      const Decision replaced = updated(*engine, stored, author);
      CHECK(replaced.allowed);
      CHECK(replaced.pod == stored);
      const Decision again = updated(*engine, stored, applied(stored, author));
      CHECK(again.allowed);
      CHECK(again.pod == stored);
      const Decision same = updated(*engine, stored, stored);
      CHECK(same.allowed);
      CHECK(same.pod == stored);
      CHECK(same.steps.empty());
    }
  } while (std::next_permutation(configuration.systems.begin(), configuration.systems.end(),
                                 [](const Step& a, const Step& b) { return a.system < b.system; }));
  CHECK(orders >= 8 * 60);
}

TEST_CASE("a template that stays is not looked at, however much it breaks") {
  Configuration configuration = changing();
  configuration.objects.pod_scheduling_policies[0] = {
      .kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
      .metadata = {.name = "zones"},
      .spec = {.namespace_selector = {{.match_labels = {{"team", "a"}}}},
               .pod_selector = LabelSelector{}}};
  const auto engine = compile(configuration);
  REQUIRE(engine);
  Pod pod = manifest(PodKind::deployment);
  pod.spec.scheduler_name = "other";
  pod.spec.runtime_class_name = "gone";
  REQUIRE(!created(*engine, pod).allowed);
  for (const Phase phase : {Phase::mutating, Phase::validating}) {
    const Decision decision = engine->decide(
        {.operation = Operation::update, .object = pod, .old = Old(pod), .phase = phase});
    CHECK(decision.allowed);
    CHECK(decision.steps.empty());
    CHECK(decision.pod == pod);
  }
  // Namespace and name of the template are the workload's, and its owners are no part of it.
  Pod orphan = pod;
  pod.metadata.owner_references = {{.kind = "App", .name = "web"}};
  CHECK(updated(*engine, orphan, pod).steps.empty());
}

TEST_CASE("a created template is looked at, also one that says nothing") {
  const auto engine = compile(changing());
  REQUIRE(engine);
  for (const PodKind kind : workloads) {
    CAPTURE(to_string(kind));
    const Decision decision = created(*engine, Pod{.kind = kind});
    CHECK(!decision.steps.empty());
    CHECK(decision.pod.spec.scheduler_name == "batch");
  }
}

TEST_CASE("another template is changed as that of a created workload") {
  const auto engine = compile(changing());
  REQUIRE(engine);
  for (const PodKind kind : workloads) {
    CAPTURE(to_string(kind));
    const Pod old = manifest(kind);  // of before there were policies
    Pod pod = old;
    pod.metadata.labels["version"] = "2";
    const Decision decision = updated(*engine, old, pod);
    CHECK(decision.allowed);
    CHECK(decision == created(*engine, pod));
    CHECK(decision.pod != pod);
    // So is one of other annotations alone, which rules may select by.
    Pod annotated = old;
    annotated.metadata.annotations["owner"] = "web";
    CHECK(updated(*engine, old, annotated).pod == created(*engine, annotated).pod);
    // So is one that differs in nothing that a Pod has.
    const Decision other_image = engine->decide(
        {.operation = Operation::update, .object = old, .old = Old(old), .template_differs = true});
    CHECK(other_image.allowed);
    CHECK(other_image.pod == created(*engine, old).pod);
    // A pod is not.
    pod.kind = PodKind::pod;
    CHECK(updated(*engine, old, pod).pod == pod);
  }
}

TEST_CASE("another template is denied for what it adds beyond the old one") {
  struct Case {
    const char* what;
    void (*old)(Pod&);
    void (*added)(Pod&);
    std::vector<Code> denied;
  };
  const Case cases[] = {
      {"nothing that is denied", [](Pod&) {}, [](Pod& pod) { pod.metadata.labels["v"] = "2"; }, {}},
      {"an old violation stays",
       [](Pod& pod) { pod.spec.tolerations.push_back({.key = "old"}); },
       [](Pod& pod) { pod.metadata.labels["v"] = "2"; },
       {}},
      {"an old violation goes",
       [](Pod& pod) { pod.spec.tolerations.push_back({.key = "old"}); },
       [](Pod& pod) { pod.spec.tolerations.pop_back(); },
       {}},
      {"a toleration",
       [](Pod&) {},
       [](Pod& pod) { pod.spec.tolerations.push_back({.key = "new"}); },
       {Code::toleration_not_allowed}},
      {"a toleration besides an old one",
       [](Pod& pod) { pod.spec.tolerations.push_back({.key = "old"}); },
       [](Pod& pod) { pod.spec.tolerations.push_back({.key = "new"}); },
       {Code::toleration_not_allowed}},
      {"another scheduler",
       [](Pod& pod) { pod.spec.scheduler_name = "old"; },
       [](Pod& pod) { pod.spec.scheduler_name = "new"; },
       {Code::scheduler_name_required}},
      {"the same other scheduler",
       [](Pod& pod) { pod.spec.scheduler_name = "old"; },
       [](Pod& pod) { pod.metadata.labels["v"] = "2"; },
       {}},
      {"a class that is not there",
       [](Pod&) {},
       [](Pod& pod) { pod.spec.runtime_class_name = "gone"; },
       {Code::runtime_class_not_found}},
      {"a class that is gone",
       [](Pod& pod) { pod.spec.runtime_class_name = "gone"; },
       [](Pod& pod) { pod.metadata.labels["v"] = "2"; },
       {}},
  };
  const auto engine = compile(changing());
  REQUIRE(engine);
  for (const Case& c : cases) {
    for (const PodKind kind : workloads) {
      CAPTURE(c.what);
      CAPTURE(to_string(kind));
      Pod old = created(*engine, manifest(kind)).pod;
      c.old(old);
      Pod pod = old;
      c.added(pod);
      const Decision decision = updated(*engine, old, pod);
      CHECK(decision.allowed == c.denied.empty());
      CHECK(codes(decision) == c.denied);
      if (!decision.allowed) CHECK(decision.pod == pod);
      // After all mutators it is judged in the same way.
      CHECK(codes(engine->decide({.operation = Operation::update,
                                  .object = decision.allowed ? decision.pod : pod,
                                  .old = Old(old),
                                  .phase = Phase::validating})) == c.denied);
    }
  }
}

TEST_CASE("a rule that rejects an old template, too, neither denies nor changes another one") {
  Configuration configuration = changing();
  configuration.objects.metadata_policies[0].spec.rules.push_back(
      {.policy_predicate = {.label_selector = {{.match_labels = {{"legacy", "yes"}}}}},
       .policy_action = {.reject = true}});
  const auto engine = compile(configuration);
  REQUIRE(engine);
  Pod old = manifest(PodKind::deployment);
  Pod pod = old;
  pod.metadata.labels["legacy"] = "yes";
  CHECK(codes(updated(*engine, old, pod)) == std::vector{Code::rejected_by_rule});
  old = pod;
  pod.metadata.labels["v"] = "2";
  const Decision decision = updated(*engine, old, pod);
  CHECK(decision.allowed);
  CHECK(!decision.pod.metadata.labels.contains("seen"));
  CHECK(decision.pod.spec.scheduler_name == "batch");
}

TEST_CASE("what cannot be injected into another template would be lost, and denies it") {
  Configuration configuration = changing();
  configuration.objects.pod_scheduling_policies[0] = {
      .kind = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy,
      .metadata = {.name = "zones"},
      .spec = {.namespace_selector = {{.match_labels = {{"team", "a"}}}},
               .pod_selector = LabelSelector{}}};
  const auto engine = compile(configuration);
  REQUIRE(engine);
  const Pod old = manifest(PodKind::deployment);
  Pod pod = old;
  pod.metadata.labels["v"] = "2";
  CHECK(codes(updated(*engine, old, pod)) == std::vector{Code::namespace_not_found});
}

TEST_CASE("an updated template is only told what systems that do not enforce would have done") {
  Configuration configuration = changing();
  configuration.systems = {{System::scheduling_policy, Mode::warn},
                           {System::pod_scheduling_policy, Mode::audit}};
  const auto engine = compile(configuration);
  REQUIRE(engine);
  const Pod old = manifest(PodKind::deployment);
  Pod pod = old;
  pod.spec.tolerations.push_back({.key = "new"});
  const Decision decision = updated(*engine, old, pod);
  CHECK(decision.allowed);
  CHECK(decision.pod == pod);
  CHECK(codes(decision) == std::vector{Code::toleration_not_allowed});
  REQUIRE(decision.steps.size() == 2);
  CHECK(!decision.steps[1].changes.empty());
}

TEST_CASE("the template of a workload that another workload controls passes unread") {
  const auto engine = compile(changing());
  REQUIRE(engine);
  struct Case {
    std::string_view name;
    OwnerReference owner;
    bool (*passes)(PodKind);
  };
  const auto workload = [](PodKind kind) { return kind != PodKind::pod; };
  const auto replica_set = [](PodKind kind) { return kind == PodKind::replica_set; };
  const auto none = [](PodKind) { return false; };
  const Case cases[] = {
      {"a Deployment", {"apps/v1", "Deployment", "web", true}, workload},
      {"a CronJob", {"batch/v1", "CronJob", "web", true}, workload},
      {"a ReplicationController", {"v1", "ReplicationController", "web", true}, workload},
      {"an owner that is no controller", {"apps/v1", "Deployment", "web", false}, none},
      // etcd-druid sets one on the StatefulSets that it makes, and nobody decided on it.
      {"a custom resource", {"druid.gardener.cloud/v1alpha1", "Etcd", "etcd", true}, replica_set},
      {"a custom resource of a workload's name",
       {"example.com/v1", "Deployment", "web", true},
       replica_set},
      {"a Pod", {"v1", "Pod", "web", true}, replica_set},
      {"one without an API version", {"", "Deployment", "web", true}, replica_set},
  };
  for (const Case& each : cases) {
    for (const PodKind kind : pod_kinds) {
      CAPTURE(each.name);
      CAPTURE(to_string(kind));
      Pod pod = manifest(kind);
      pod.spec.tolerations.push_back({.key = "denied"});
      pod.metadata.owner_references = {{"example.com/v1", "App", "one", false}, each.owner};
      const Pod old = manifest(kind);
      const bool passes = each.passes(kind);
      for (const Phase phase : {Phase::mutating, Phase::validating}) {
        CHECK(engine->decide({.object = pod, .phase = phase}).allowed == passes);
        CHECK(engine
                  ->decide({.operation = Operation::update,
                            .object = pod,
                            .old = Old(old),
                            .phase = phase})
                  .allowed == passes);
      }
      const Decision decision = created(*engine, pod);
      CHECK(decision.pod == pod);
      CHECK(decision.steps.empty() == passes);
      // Who owned the old object makes no difference.
      Pod had = old;
      had.metadata.owner_references = pod.metadata.owner_references;
      Pod orphan = pod;
      orphan.metadata.owner_references.clear();
      CHECK(!updated(*engine, had, orphan).allowed);
    }
  }
}

TEST_CASE("tolerations that a pod was given come back when its manifest is applied again") {
  const auto engine = compile(changing());
  REQUIRE(engine);
  const Pod author = manifest(PodKind::pod);
  const Pod stored = created(*engine, author).pod;
  REQUIRE(stored.spec.tolerations.size() == 2);
  Pod again = stored;
  again.spec.tolerations = author.spec.tolerations;
  const Decision decision = updated(*engine, stored, again);
  REQUIRE(decision.allowed);
  CHECK(decision.pod.spec.tolerations == stored.spec.tolerations);
  REQUIRE(decision.steps[2].changes.size() == 1);
  CHECK(message(decision.steps[2].changes[0]) ==
        "`spec.tolerations[1]` set to `injected Exists` by `inject`");
  CHECK(updated(*engine, stored, decision.pod).pod == decision.pod);
  const Decision without_values = engine->decide({.operation = Operation::update,
                                                  .object = again,
                                                  .old = Old(stored),
                                                  .values = ChangeValues::omitted});
  REQUIRE(without_values.steps[2].changes.size() == 1);
  CHECK(without_values.steps[2].changes[0].to == std::nullopt);
  // So they do where the first of them is lost, or the manifest has none.
  Pod reversed = stored;
  std::swap(reversed.spec.tolerations[0], reversed.spec.tolerations[1]);
  CHECK(updated(*engine, reversed, again).pod.spec.tolerations == stored.spec.tolerations);
  Pod bare = stored;
  bare.spec.tolerations.clear();
  CHECK(updated(*engine, stored, bare).pod.spec.tolerations ==
        std::vector{stored.spec.tolerations[1]});
  // One that no policy gives any more is not put back, nor one that is there for another time.
  const auto without = compile([] {
    Configuration configuration = changing();
    configuration.objects.pod_scheduling_policies.clear();
    return configuration;
  }());
  REQUIRE(without);
  CHECK(updated(*without, stored, again).pod == again);
  Pod timed = stored;
  timed.spec.tolerations[1].toleration_seconds = 5;
  CHECK(updated(*engine, stored, timed).pod == timed);
  // Of two that differ in their seconds alone one comes back, which is what the API server asks
  // for.
  Configuration timed_defaults = changing();
  timed_defaults.systems = {{System::scheduling_policy}};
  Toleration minute{.key = "injected",
                    .operator_ = TolerationOperator::exists,
                    .effect = TaintEffect::no_execute,
                    .toleration_seconds = 60};
  Toleration hour = minute;
  hour.toleration_seconds = 3600;
  timed_defaults.objects.scheduling_policies[0].spec.defaults.tolerations = {{.toleration = minute},
                                                                             {.toleration = hour}};
  const auto timing = compile(timed_defaults);
  REQUIRE(timing);
  Pod bare_author = author;
  bare_author.spec.tolerations.clear();
  const Pod given = created(*timing, bare_author).pod;
  REQUIRE(given.spec.tolerations == std::vector{minute, hour});
  Pod bare_again = given;
  bare_again.spec.tolerations.clear();
  CHECK(updated(*timing, given, bare_again).pod.spec.tolerations == std::vector{minute});
  // Nothing else that a pod was given comes back.
  Pod other = stored;
  other.spec.node_selector.clear();
  other.spec.scheduler_name = "batch";
  const Decision kept = updated(*engine, other, other);
  CHECK(kept.allowed);
  CHECK(kept.pod == other);
}

TEST_CASE("a required toleration that a pod was given comes back before the update is judged") {
  struct Case {
    const char* name;
    std::vector<Toleration> added;
    bool allowed;
  };
  const Toleration given{.key = "spot", .value = "yes"};
  const Case cases[] = {
      {"the author's manifest again", {}, true},
      {"with one that is not permitted", {{.key = "gpu"}}, false},
  };
  Configuration configuration;
  configuration.settings.policy_use = PolicyUse::every;
  configuration.systems = {{System::scheduling_policy}};
  scheduling_policy::SchedulingPolicy spot{.metadata = {.name = "spot"}};
  spot.spec.required.tolerations = {
      {.keys = {"spot"}, .operators = any, .values = any, .effects = any}};
  spot.spec.allowed.scheduler_names = any;
  spot.spec.defaults.tolerations = {{.toleration = given}};
  configuration.objects.scheduling_policies = {spot};
  const auto engine = compile(configuration);
  REQUIRE(engine);
  const Pod author{.metadata = {.name = "web", .namespace_ = "n"}};
  const Pod stored = created(*engine, author).pod;
  REQUIRE(stored.spec.tolerations == std::vector{given});
  for (const Case& c : cases) {
    CAPTURE(c.name);
    Pod again = stored;
    again.spec.tolerations = c.added;
    const Decision decision = updated(*engine, stored, again);
    CHECK(decision.allowed == c.allowed);
    CHECK(decision.pod.spec.tolerations == (c.allowed ? std::vector{given} : c.added));
    REQUIRE(decision.steps.size() == 1);
    CHECK(decision.steps[0].changes.size() == (c.allowed ? 1 : 0));
  }
}

TEST_CASE("a template that another service account is to run adds what that one may not use") {
  struct Case {
    const char* name;
    std::vector<Toleration> old;
    std::vector<Toleration> updated;
    const char* account;
    bool allowed;
  };
  const Toleration gpu{.key = "gpu"};
  const Toleration infra{.key = "infra"};
  const Case cases[] = {
      {"the same account", {gpu}, {gpu}, "trusted", true},
      {"an account that may not use it", {gpu}, {gpu}, "anybody", false},
      {"without what it may not use", {gpu}, {}, "anybody", true},
      {"what the old one was not permitted either", {infra}, {infra}, "anybody", true},
      {"an account that may use nothing", {}, {}, "nobody", false},
  };
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  auto& objects = configuration.objects;
  for (const char* name : {"trusted", "anybody"}) {
    scheduling_policy::SchedulingPolicy policy{.metadata = {.name = name}};
    policy.spec.allowed.scheduler_names = any;
    if (name == std::string_view("trusted")) {
      policy.spec.allowed.tolerations = {
          {.keys = {"gpu"}, .operators = any, .values = any, .effects = any}};
    }
    objects.scheduling_policies.push_back(policy);
    objects.rbac.roles.push_back({.metadata = {.name = name, .namespace_ = "n"},
                                  .rules = {{.verbs = {"use"},
                                             .api_groups = {"schedpol.io"},
                                             .resources = {"schedulingpolicies"},
                                             .resource_names = {name}}}});
    objects.rbac.role_bindings.push_back(
        {.metadata = {.name = name, .namespace_ = "n"},
         .role_ref = {.kind = "Role", .name = name},
         .subjects = {{.kind = "ServiceAccount", .name = name, .namespace_ = "n"}}});
  }
  const auto engine = compile(configuration);
  REQUIRE(engine);
  for (const Case& c : cases) {
    CAPTURE(c.name);
    for (const PodKind kind : workloads) {
      Pod old{.kind = kind, .metadata = {.name = "web", .namespace_ = "n"}};
      old.spec.service_account_name = "trusted";
      old.spec.tolerations = c.old;
      Pod next = old;
      next.spec.service_account_name = c.account;
      next.spec.tolerations = c.updated;
      next.spec.priority = 1;
      for (const Phase phase : {Phase::mutating, Phase::validating}) {
        CHECK(engine
                  ->decide({.operation = Operation::update,
                            .object = next,
                            .old = Old(old),
                            .phase = phase})
                  .allowed == c.allowed);
      }
    }
  }
}

TEST_CASE("tolerations of one key come back one by one, each by its policy") {
  const Toleration own{.key = "ab"};
  const std::vector<Toleration> given = {
      {.key = "a", .value = "b"},
      {.key = "a", .value = "c"},
      {.key = "a", .operator_ = TolerationOperator::exists},
      {.key = "a", .operator_ = TolerationOperator::exists, .effect = TaintEffect::no_schedule},
      {.key = "a", .operator_ = TolerationOperator::exists, .effect = TaintEffect::no_execute}};
  Configuration configuration;
  configuration.systems = {{System::pod_scheduling_policy}};
  for (std::size_t i = 0; i < given.size(); ++i) {
    configuration.objects.pod_scheduling_policies.push_back(
        {.metadata = {.name = "p" + std::to_string(i), .namespace_ = "n"},
         .spec = {.pod_selector = LabelSelector{}, .tolerations = {given[i]}}});
  }
  const auto engine = compile(configuration);
  REQUIRE(engine);
  Pod author{.metadata = {.name = "web", .namespace_ = "n"}};
  author.spec.tolerations = {own};
  const Pod stored = created(*engine, author).pod;
  REQUIRE(stored.spec.tolerations.size() == 6);
  Pod again = stored;
  again.spec.tolerations = {own};
  const auto messages_of = [](const Decision& decision) {
    std::vector<std::string> messages;
    for (const Change& change : decision.steps.at(0).changes) messages.push_back(message(change));
    return messages;
  };
  const Decision decision = updated(*engine, stored, again);
  CHECK(decision.pod.spec.tolerations == stored.spec.tolerations);
  CHECK(messages_of(decision) ==
        std::vector<std::string>{"`spec.tolerations[1]` set to `a=b` by `p0`",
                                 "`spec.tolerations[2]` set to `a=c` by `p1`",
                                 "`spec.tolerations[3]` set to `a Exists` by `p2`",
                                 "`spec.tolerations[4]` set to `a Exists:NoSchedule` "
                                 "by `p3`",
                                 "`spec.tolerations[5]` set to `a Exists:NoExecute` "
                                 "by `p4`"});
  // Of those that a pod was given before there were others, where they stand now, with its seconds.
  Pod older = stored;
  older.spec.tolerations = {own, given[1], given[4]};
  older.spec.tolerations[2].toleration_seconds = 5;
  const Decision of_older = updated(*engine, older, again);
  CHECK(of_older.pod.spec.tolerations == older.spec.tolerations);
  CHECK(
      messages_of(of_older) ==
      std::vector<std::string>{"`spec.tolerations[1]` set to `a=c` by `p1`",
                               "`spec.tolerations[2]` set to `a Exists:NoExecute for 5s` by `p4`"});
}

TEST_CASE("of a denied pod it is known what the systems before the denial made of it") {
  const auto engine = compile(changing());
  REQUIRE(engine);
  Pod pod = manifest(PodKind::pod);
  pod.spec.tolerations.push_back({.key = "denied"});
  const Decision denial = created(*engine, pod);
  CHECK_FALSE(denial.allowed);
  CHECK(denial.pod == pod);
  REQUIRE(denial.steps.size() == 4);
  REQUIRE(denial.steps[1].changes.size() == 1);
  CHECK(message(denial.steps[1].changes[0]) == "`metadata.labels[seen]` set to `yes` by `m`");
}

}  // namespace updates_test
