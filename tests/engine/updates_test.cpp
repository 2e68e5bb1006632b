// SPDX-License-Identifier: Apache-2.0
#include <schedpol/engine/engine.hpp>

#include "updates.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace updates_test {

using namespace updated_pods;

using engine::Mode;
using engine::Phase;
using engine::Step;
using Code = ViolationCode;

constexpr PodKind workloads[] = {PodKind::pod_template, PodKind::replication_controller,
                                 PodKind::replica_set,  PodKind::deployment,
                                 PodKind::stateful_set, PodKind::daemon_set,
                                 PodKind::job,          PodKind::cron_job};

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

TEST_CASE("a template that another service account is to run adds what that one may not use") {
  struct Case {
    const char* name;
    std::vector<Toleration> old;
    std::vector<Toleration> updated;
    const char* account;
    bool allowed;
    const char* from = "trusted";
  };
  const Toleration gpu{.key = "gpu"};
  const Toleration infra{.key = "infra"};
  const Case cases[] = {
      {"the same account", {gpu}, {gpu}, "trusted", true},
      {"an account that may not use it", {gpu}, {gpu}, "anybody", false},
      {"without what it may not use", {gpu}, {}, "anybody", true},
      {"what the old one was not permitted either", {infra}, {infra}, "anybody", true},
      {"an account that may use nothing", {}, {}, "nobody", false},
      {"without what the new one has to have", {}, {}, "strict", false},
      {"the same of an old one whose policy cannot be used", {}, {}, "strict", true, "broken"},
  };
  Configuration configuration;
  configuration.systems = {{System::scheduling_policy}};
  auto& objects = configuration.objects;
  for (const char* name : {"trusted", "anybody", "strict", "broken"}) {
    scheduling_policy::SchedulingPolicy policy{.metadata = {.name = name}};
    policy.spec.allowed.scheduler_names = any;
    if (name == std::string_view("broken")) policy.spec.required.priority_class_names = any;
    if (name == std::string_view("strict")) {
      policy.spec.required.tolerations = {
          {.keys = {"infra"}, .operators = any, .values = any, .effects = any}};
    }
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
      old.spec.service_account_name = c.from;
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
