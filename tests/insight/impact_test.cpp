// SPDX-License-Identifier: Apache-2.0
#include <schedpol/insight/impact.hpp>

#include "../support/print.hpp"
#include "../support/print_systems.hpp"

#include <schedpol/engine/impl/engine_impl.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace impact_test {

// That an impact is what deciding on each object by itself comes to is a law, in laws_test.cpp.

using namespace schedpol;
using engine::Effect;
using engine::Engine;
using engine::Impact;
using engine::ImpactGroup;
using engine::Mode;
using engine::System;

Engine engine_of(engine::Configuration configuration) {
  configuration.settings.policy_use = engine::PolicyUse::every;
  auto compiled = compile(configuration);
  REQUIRE(compiled);
  return *std::move(compiled);
}

/// Permits everything but what `change` takes away or adds.
template <class F>
Engine policy(F&& change, Mode mode = Mode::enforce) {
  scheduling_policy::SchedulingPolicy policy{.metadata = {.name = "p"}};
  policy.spec.allowed = {.scheduler_names = any,
                         .priority_class_names = any,
                         .node_selectors = any,
                         .tolerations = any,
                         .affinities = any};
  change(policy.spec);
  return engine_of({.systems = {{System::scheduling_policy, mode}},
                    .objects = {.scheduling_policies = {policy}}});
}
const auto as_it_is = [](auto&) {};
const auto no_scheduler_but_blue = [](auto& spec) { spec.allowed.scheduler_names = {"blue"}; };
const auto no_tolerations = [](auto& spec) { spec.allowed.tolerations = {}; };

Pod object(PodKind kind, std::string name, std::vector<OwnerReference> owners = {}) {
  return {
      .kind = kind,
      .metadata = {
          .name = std::move(name), .namespace_ = "shop", .owner_references = std::move(owners)}};
}
OwnerReference controlled_by(std::string kind, std::string name) {
  return {.kind = std::move(kind), .name = std::move(name), .controller = true};
}

std::string counts(const Impact& impact) {
  return std::to_string(impact.unchanged) + " unchanged, " + std::to_string(impact.changed) +
         " changed, " + std::to_string(impact.newly_denied) + " denied, " +
         std::to_string(impact.newly_allowed) + " allowed";
}

TEST_CASE("an object is newly denied, newly allowed, changed otherwise, or unchanged") {
  Pod red = object(PodKind::pod, "red");
  red.spec.scheduler_name = "red";
  red.spec.priority = 5;
  const struct {
    const char* name;
    Engine before;
    Engine after;
    const char* counts;
    const char* text;
  } cases[] = {
      {"allowed by both", policy(as_it_is), policy(as_it_is),
       "1 unchanged, 0 changed, 0 denied, 0 allowed", ""},
      {"denied by both, for other reasons", policy(no_scheduler_but_blue), Engine(),
       "1 unchanged, 0 changed, 0 denied, 0 allowed", ""},
      {"denied now", policy(as_it_is), policy(no_scheduler_but_blue),
       "0 unchanged, 0 changed, 1 denied, 0 allowed",
       "`Pod` `shop/red`: 1 object denied now\n"
       "  `spec.schedulerName`: scheduler `red` is not allowed by `p` (permitted: `blue`)"},
      {"allowed now", policy(no_scheduler_but_blue), policy(as_it_is),
       "0 unchanged, 0 changed, 0 denied, 1 allowed",
       "`Pod` `shop/red`: 1 object allowed now, and denied before\n"
       "  `spec.schedulerName`: scheduler `red` is not allowed by `p` (permitted: `blue`)"},
      {"denied by nothing that says why", policy(as_it_is), Engine(),
       "0 unchanged, 0 changed, 1 denied, 0 allowed", "`Pod` `shop/red`: 1 object denied now"},
      {"a warning denies nothing", policy(as_it_is), policy(no_scheduler_but_blue, Mode::warn),
       "1 unchanged, 0 changed, 0 denied, 0 allowed", ""},
      {"what was a warning denies", policy(no_scheduler_but_blue, Mode::audit),
       policy(no_scheduler_but_blue), "0 unchanged, 0 changed, 1 denied, 0 allowed",
       "`Pod` `shop/red`: 1 object denied now\n"
       "  `spec.schedulerName`: scheduler `red` is not allowed by `p` (permitted: `blue`)"},
      {"a default is another one", policy([](auto& spec) {
         spec.defaults.priority_class_name = "bronze";
         spec.defaults.node_selector = Labels{{"disk", "hdd"}, {"zone", "a"}};
         spec.defaults.tolerations = {{.toleration = {.key = "old"}}, {.toleration = {.key = "x"}}};
       }),
       policy([](auto& spec) {
         spec.defaults.node_selector = Labels{{"arch", "arm64"}, {"disk", "ssd"}};
         spec.defaults.tolerations = {{.toleration = {.key = "x"}}, {.toleration = {.key = "new"}}};
         spec.defaults.affinity = Affinity{
             .pod_affinity = PodAffinity{.required_during_scheduling_ignored_during_execution = {
                                             {.topology_key = "zone"}}}};
       }),
       "0 unchanged, 1 changed, 0 denied, 0 allowed",
       "`Pod` `shop/red`: 1 object changed\n"
       "  `spec.priorityClassName`: `bronze` before, nothing after\n"
       "  `spec.priority`: nothing before, `5` after\n"
       "  `spec.nodeSelector[disk]`: `hdd` before, `ssd` after\n"
       "  `spec.nodeSelector[zone]`: `a` before, nothing after\n"
       "  `spec.nodeSelector[arch]`: nothing before, `arm64` after\n"
       "  `spec.tolerations`: nothing before, `new=` after\n"
       "  `spec.tolerations`: `old=` before, nothing after\n"
       "  `spec.affinity.podAffinity`: nothing before, `required zone with pods none` after"},
      {"tolerations stand in another order", policy([](auto& spec) {
         spec.defaults.tolerations = {{.toleration = {.key = "a"}}, {.toleration = {.key = "b"}}};
       }),
       policy([](auto& spec) {
         spec.defaults.tolerations = {{.toleration = {.key = "b"}}, {.toleration = {.key = "a"}}};
       }),
       "0 unchanged, 1 changed, 0 denied, 0 allowed",
       "`Pod` `shop/red`: 1 object changed\n"
       "  `spec.tolerations`: `a=, b=` before, `b=, a=` after"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    const Impact found = impact(c.before, c.after, {red});
    CHECK(found.not_looked_at == 0);
    CHECK(counts(found) == c.counts);
    REQUIRE(found.groups.size() == (c.text[0] == '\0' ? 0 : 1));
    for (const ImpactGroup& group : found.groups) CHECK(message(group) == c.text);
  }
}

TEST_CASE("whatever the systems make different of a pod is said field by field") {
  const auto engine = [](const std::string& value, const char* cpu) {
    engine::Configuration configuration;
    configuration.systems = {
        {System::runtime_class}, {System::metadata_policy}, {System::pod_scheduling_policy}};
    configuration.objects.runtime_classes = {
        {.metadata = {.name = "kata"},
         .handler = "kata",
         .overhead = runtime_class::Overhead{.pod_fixed = {{"cpu", *Quantity::parse(cpu)}}}}};
    configuration.objects.metadata_policies = {
        {.metadata = {.name = "m", .namespace_ = "shop"},
         .spec = {.rules = {{.policy_action = {.updated_labels = {{"team", value}},
                                               .updated_annotations = {{"owner", value}}}}}}}};
    const NodeSelectorTerm term{.match_expressions = {{"zone", NodeSelectorOperator::in, {value}}}};
    configuration.objects.pod_scheduling_policies = {
        {.metadata = {.name = "p", .namespace_ = "shop"},
         .spec = {.pod_selector = LabelSelector{},
                  .scheduler_name = value,
                  .affinity = Affinity{
                      .node_affinity =
                          NodeAffinity{.required_during_scheduling_ignored_during_execution =
                                           NodeSelector{{term}}},
                      .pod_anti_affinity =
                          PodAffinity{.required_during_scheduling_ignored_during_execution = {
                                          {.topology_key = value}}}}}}};
    configuration.objects.pod_scheduling_policies[0].spec.node_name = value;
    return engine_of(std::move(configuration));
  };
  Pod pod = object(PodKind::pod, "p");
  pod.spec.runtime_class_name = "kata";
  const Impact found = impact(engine("blue", "100m"), engine("red", "200m"), {pod});
  REQUIRE(found.groups.size() == 1);
  CHECK(message(found.groups[0]) ==
        "`Pod` `shop/p`: 1 object changed\n"
        "  `metadata.labels[team]`: `blue` before, `red` after\n"
        "  `metadata.annotations[owner]`: `blue` before, `red` after\n"
        "  `spec.schedulerName`: `blue` before, `red` after\n"
        "  `spec.nodeName`: `blue` before, `red` after\n"
        "  `spec.affinity.nodeAffinity`: `required (zone In [blue])` before, `required (zone In "
        "[red])` "
        "after\n"
        "  `spec.affinity.podAntiAffinity`: `required blue with pods none` before, `required red "
        "with pods none` after\n"
        "  `spec.overhead`: `cpu=100m` before, `cpu=200m` after");
}

TEST_CASE("an effect has a word, and the text of a hundred changes says how many more there are") {
  std::string words;
  for (const Effect effect :
       {Effect::unchanged, Effect::changed, Effect::newly_denied, Effect::newly_allowed})
    words.append(to_string(effect)).append(" ");
  CHECK(words == "Unchanged Changed NewlyDenied NewlyAllowed ");
  const Engine gives_many = policy([](auto& spec) {
    spec.defaults.node_selector.emplace();
    for (int i = 0; i < 103; ++i) (*spec.defaults.node_selector)["key-" + std::to_string(i)] = "v";
  });
  const Impact found = impact(policy(as_it_is), gives_many, {object(PodKind::pod, "p")});
  REQUIRE(found.groups.size() == 1);
  const std::string text = message(found.groups[0]);
  CHECK(std::count(text.begin(), text.end(), '\n') == 101);
  CHECK(text.ends_with("\n  and 3 more"));
}

TEST_CASE("objects are grouped by the outermost controller that is known") {
  const std::vector<Pod> objects = {
      object(PodKind::deployment, "web"),
      object(PodKind::pod, "web-1-a", {controlled_by("ReplicaSet", "web-1")}),
      object(PodKind::replica_set, "web-1", {controlled_by("Deployment", "web")}),
      object(PodKind::pod, "web-1-b",
             {{.kind = "Node", .name = "n"}, controlled_by("ReplicaSet", "web-1")}),
      object(PodKind::pod, "of-what-is-not-listed", {controlled_by("Rollout", "r")}),
      object(PodKind::pod, "alone"),
      object(PodKind::replica_set, "round", {controlled_by("ReplicaSet", "and-round")}),
      object(PodKind::replica_set, "and-round", {controlled_by("ReplicaSet", "round")}),
      object(PodKind::pod, "of-who-controls-itself", {controlled_by("ReplicaSet", "round")}),
  };
  const Impact found = impact(policy(as_it_is), policy(no_scheduler_but_blue), objects);
  // A workload with a controller passes.
  CHECK(counts(found) == "3 unchanged, 0 changed, 6 denied, 0 allowed");
  std::vector<std::pair<std::string, std::vector<std::size_t>>> groups;
  for (const ImpactGroup& group : found.groups) {
    CHECK(group.effect == Effect::newly_denied);
    CHECK(group.owner.namespace_ == "shop");
    // A template has the path of its document, so it is a group of its own.
    groups.emplace_back(group.owner.kind + "/" + group.owner.name, group.objects);
  }
  REQUIRE(groups.size() == 5);
  CHECK(groups[0] == std::pair{std::string("Deployment/web"), std::vector<std::size_t>{0}});
  CHECK(groups[1] == std::pair{std::string("Deployment/web"), std::vector<std::size_t>{1, 3}});
  CHECK(groups[2] == std::pair{std::string("Rollout/r"), std::vector<std::size_t>{4}});
  CHECK(groups[3] == std::pair{std::string("Pod/alone"), std::vector<std::size_t>{5}});
  CHECK(groups[4].second == std::vector<std::size_t>{8});
}

TEST_CASE("a pod is asked as its controller would make it again") {
  const Toleration not_ready{.key = "node.kubernetes.io/not-ready",
                             .operator_ = TolerationOperator::exists,
                             .effect = TaintEffect::no_execute};
  Pod scheduled = object(PodKind::pod, "scheduled");
  scheduled.spec.node_name = "node-1";
  scheduled.status.phase = "Running";
  Pod placed = scheduled;
  placed.status.phase = "";
  Pod of_daemon_set = object(PodKind::pod, "d", {controlled_by("DaemonSet", "d")});
  of_daemon_set.spec.tolerations = {not_ready};
  Pod not_of_daemon_set = of_daemon_set;
  not_of_daemon_set.metadata.owner_references = {controlled_by("App", "d")};
  Pod owned_by_daemon_set = of_daemon_set;
  owned_by_daemon_set.metadata.owner_references[0].controller = false;
  Pod mirror = not_of_daemon_set;
  mirror.metadata.annotations["kubernetes.io/config.mirror"] = "x";
  Pod workload = object(PodKind::deployment, "w");
  workload.spec.tolerations = {not_ready};
  workload.metadata.annotations["kubernetes.io/config.mirror"] = "x";
  const auto nobody_past_schedulers = [](auto& spec) {
    spec.allowed.scheduler_names = {"default-scheduler"};
    spec.allowed.tolerations = {};
  };
  const struct {
    const char* name;
    const Pod& pod;
    const char* counts;
  } cases[] = {
      {"that was scheduled", scheduled, "1 unchanged, 0 changed, 0 denied, 0 allowed"},
      {"whose author placed it", placed, "0 unchanged, 0 changed, 1 denied, 0 allowed"},
      {"of a DaemonSet", of_daemon_set, "1 unchanged, 0 changed, 0 denied, 0 allowed"},
      {"of another controller", not_of_daemon_set, "0 unchanged, 0 changed, 1 denied, 0 allowed"},
      {"that a DaemonSet only owns", owned_by_daemon_set,
       "0 unchanged, 0 changed, 1 denied, 0 allowed"},
      {"that a node runs by itself", mirror, "1 unchanged, 0 changed, 0 denied, 0 allowed"},
      {"of a workload that looks as if a node ran it", workload,
       "0 unchanged, 0 changed, 1 denied, 0 allowed"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(counts(impact(policy(as_it_is), policy(nobody_past_schedulers), {c.pod})) == c.counts);
    // Beside one that is asked in other words.
    CHECK(impact(policy(as_it_is), policy(nobody_past_schedulers), {scheduled, c.pod, mirror})
              .newly_denied == (std::string_view(c.counts)[0] == '0' ? 1 : 0));
  }
}

/// How often an engine was asked for an impact.
std::size_t decisions_on(const Engine& before, const Engine& after, std::vector<Pod> objects) {
  std::size_t decisions = 0;
  static_cast<void>(impact(before, after, std::move(objects), [&](const engine::ImpactProgress& p) {
    decisions = p.decisions;
    return true;
  }));
  return decisions;
}

TEST_CASE("pods of one template are decided on once") {
  const Engine before = policy(as_it_is);
  const Engine after = policy(no_tolerations);
  std::vector<Pod> objects;
  for (std::size_t i = 0; i < 300; ++i) {
    Pod pod = object(PodKind::pod, "p" + std::to_string(i),
                     {controlled_by("ReplicaSet", "r" + std::to_string(i % 100))});
    pod.metadata.annotations["address"] = std::to_string(i);
    pod.metadata.labels["app"] = std::to_string(i % 3);
    pod.spec.node_name = "node-" + std::to_string(i);
    pod.status.phase = "Running";
    if (i % 3 == 0) pod.spec.tolerations = {{.key = "gpu"}};
    objects.push_back(std::move(pod));
  }
  std::vector<std::size_t> decisions;
  const Impact all = impact(before, after, objects, [&](const engine::ImpactProgress& progress) {
    decisions.push_back(progress.decisions);
    CHECK(progress.objects == decisions.size());
    return true;
  });
  CHECK(all.not_looked_at == 0);
  CHECK(counts(all) == "200 unchanged, 0 changed, 100 denied, 0 allowed");
  CHECK(all.groups.size() == 100);
  CHECK(decisions.size() == 300);
  CHECK(decisions.back() == 6);
  // A system that looks at annotations tells them apart.
  metadata_policy::MetadataPolicy seen{.metadata = {.name = "m", .namespace_ = "shop"}};
  seen.spec.rules = {
      {.policy_predicate = {.annotation_selector = {{.match_labels = {{"address", "7"}}}}},
       .policy_action = {.updated_labels = {{"seen", "yes"}}}}};
  const Engine looks =
      engine_of({.systems = {{System::metadata_policy}}, .objects = {.metadata_policies = {seen}}});
  const Engine looks_at_nothing = engine_of({.systems = {{System::metadata_policy}}});
  const Impact found = impact(looks_at_nothing, looks, objects);
  CHECK(counts(found) == "299 unchanged, 1 changed, 0 denied, 0 allowed");
  REQUIRE(found.groups.size() == 1);
  CHECK(found.groups[0].objects == std::vector<std::size_t>{7});
  CHECK(found.groups[0].changes ==
        std::vector<Change>{{FieldPath{"metadata", "labels"}.key("seen"), std::nullopt, "yes"}});
  // Not those that have the same.
  for (Pod& pod : objects) pod.metadata.annotations["address"] = "7";
  CHECK(decisions_on(looks_at_nothing, looks, objects) == 6);
}

TEST_CASE("a pod that is being deleted is not asked about like the others of its template") {
  metadata_policy::MetadataPolicy rejecting{.metadata = {.name = "m", .namespace_ = "shop"}};
  rejecting.spec.rules = {{.policy_action = {.reject = true}}};
  const Engine before = engine_of({.systems = {{System::metadata_policy}}});
  const Engine after = engine_of(
      {.systems = {{System::metadata_policy}}, .objects = {.metadata_policies = {rejecting}}});
  std::vector<Pod> objects(3, object(PodKind::pod, "p", {}));
  objects[0].metadata.deletion_timestamp = "2026-11-27T00:00:00Z";
  CHECK(counts(impact(before, after, objects)) == "1 unchanged, 0 changed, 2 denied, 0 allowed");
  objects[1].metadata.deletion_timestamp = "2026-11-27T00:00:01Z";
  CHECK(counts(impact(before, after, objects)) == "2 unchanged, 0 changed, 1 denied, 0 allowed");
}

TEST_CASE("of pods that differ where few do some are decided on again") {
  const Engine allows = policy(as_it_is);
  const auto decisions = [&](int different) {
    std::vector<Pod> objects;
    for (int i = 0; i < 3 * different; ++i)
      objects.emplace_back(object(PodKind::pod, "p")).spec.tolerations = {
          {.key = "k", .value = std::to_string(i % different)}};
    return decisions_on(allows, allows, objects);
  };
  CHECK(decisions(3) == 6);
  CHECK(decisions(20) == 120);
}

TEST_CASE("what becomes of pods of one owner is one group for each sort of it") {
  const OwnerReference owner = controlled_by("ReplicaSet", "r");
  const auto labelled = [&](Labels labels) {
    Pod pod = object(PodKind::pod, "p", {owner});
    pod.metadata.labels = std::move(labels);
    return pod;
  };
  const auto metadata_policy = [](std::vector<metadata_policy::MetadataPolicyRule> rules) {
    return engine_of(
        {.systems = {{System::metadata_policy}},
         .objects = {.metadata_policies = {
                         {.metadata = {.name = "m", .namespace_ = "shop"}, .spec = {rules}}}}});
  };
  const auto rejects = [](const char* app) {
    return metadata_policy::MetadataPolicyRule{
        .policy_predicate = {.label_selector = {{.match_labels = {{"app", app}}}}},
        .policy_action = {.reject = true}};
  };
  const Engine nothing = metadata_policy({});
  const Engine of_two_policies =
      metadata_policy({rejects("web")})
          .with({.metadata_policies = {{.metadata = {.name = "n", .namespace_ = "shop"},
                                        .spec = {{rejects("db")}}}}});
  const Engine writes = metadata_policy({{.policy_action = {.updated_labels = {{"app", "x"}}}}});
  const std::vector<Pod> web_and_db = {labelled({{"app", "web"}}), labelled({{"app", "db"}})};
  const std::vector<Pod> none_and_empty = {labelled({}), labelled({{"app", ""}})};
  const struct {
    const char* name;
    Engine before;
    Engine after;
    const std::vector<Pod>& objects;
    std::size_t groups;
  } cases[] = {
      {"one is allowed now, and the other denied for the same", metadata_policy({rejects("web")}),
       metadata_policy({rejects("db")}), web_and_db, 2},
      {"two rules reject them", nothing, metadata_policy({rejects("web"), rejects("db")}),
       web_and_db, 2},
      {"rules of two policies reject them", nothing, of_two_policies, web_and_db, 2},
      {"one had a value before, which was empty", nothing, writes, none_and_empty, 2},
  };
  for (const auto& c : cases) {
    CAPTURE(c.name);
    CHECK(impact(c.before, c.after, c.objects).groups.size() == c.groups);
    CHECK(impact(c.before, c.after, {c.objects[0], c.objects[1], c.objects[0]}).groups.size() ==
          c.groups);
  }
  // However many sorts there are.
  const Engine denies = policy([](auto& spec) {
    spec.allowed.scheduler_names = {"blue"};
    spec.allowed.priority_class_names = {};
  });
  const Engine writes_more = metadata_policy(
      {{.policy_action = {.updated_labels = {{"app", "x"}}, .updated_annotations = {{"a", "x"}}}}});
  std::vector<Pod> denied;
  std::vector<Pod> denied_for_two;
  std::vector<Pod> changed;
  for (int i = 0; i < 40; ++i) {
    const std::string text = std::to_string(i % 20);
    denied.push_back(labelled({}));
    denied.back().spec.scheduler_name = text;
    denied_for_two.push_back(labelled({}));
    denied_for_two.back().spec.scheduler_name = "red";
    denied_for_two.back().spec.priority_class_name = text;
    changed.push_back(labelled({{"app", text}}));
  }
  CHECK(impact(policy(as_it_is), denies, denied).groups.size() == 20);
  CHECK(impact(policy(as_it_is), denies, denied_for_two).groups.size() == 20);
  CHECK(impact(nothing, writes, changed).groups.size() == 20);
  CHECK(impact(nothing, writes_more, changed).groups.size() == 20);
}

TEST_CASE("an owner is looked for through so many controllers, and no more") {
  std::vector<Pod> objects;
  for (int i = 0; i < max_owner_levels + 3; ++i)
    objects.push_back(object(PodKind::replica_set, "r" + std::to_string(i),
                             {controlled_by("ReplicaSet", "r" + std::to_string(i + 1))}));
  objects.push_back(object(PodKind::pod, "p", {controlled_by("ReplicaSet", "r1")}));
  const Impact found = impact(policy(as_it_is), policy(no_scheduler_but_blue), objects);
  REQUIRE(found.groups.size() == 1);
  CHECK(found.groups[0].owner.name == "r" + std::to_string(max_owner_levels));
}

TEST_CASE("pods of many templates are decided on once each, whatever these differ in") {
  const std::pair<const char*, void (*)(Pod&, const std::string&)> cases[] = {
      {"namespace", [](Pod& pod, const std::string& text) { pod.metadata.namespace_ = text; }},
      {"key of a label", [](Pod& pod, const std::string& text) { pod.metadata.labels[text]; }},
      {"first label",
       [](Pod& pod, const std::string& text) {
         pod.metadata.labels = {{"app", text}, {"tier", "web"}};
       }},
      {"last label",
       [](Pod& pod, const std::string& text) {
         pod.metadata.labels = {{"app", "shop"}, {"tier", text}};
       }},
      {"scheduler", [](Pod& pod, const std::string& text) { pod.spec.scheduler_name = text; }},
      {"class", [](Pod& pod, const std::string& text) { pod.spec.priority_class_name = text; }},
      {"account", [](Pod& pod, const std::string& text) { pod.spec.service_account_name = text; }},
      {"runtime", [](Pod& pod, const std::string& text) { pod.spec.runtime_class_name = text; }},
      {"node", [](Pod& pod, const std::string& text) { pod.spec.node_selector["disk"] = text; }},
      {"first toleration",
       [](Pod& pod, const std::string& text) {
         pod.spec.tolerations = {{.key = text}, {.key = "spot"}};
       }},
      {"last toleration",
       [](Pod& pod, const std::string& text) {
         pod.spec.tolerations = {{.key = "gpu"}, {.key = text}};
       }},
  };
  const Engine allows = policy(as_it_is);
  for (const auto& [name, differ] : cases) {
    CAPTURE(name);
    std::vector<Pod> objects;
    for (int i = 0; i < 60; ++i)
      differ(objects.emplace_back(object(PodKind::pod, "p")), "x" + std::to_string(i % 20));
    CHECK(decisions_on(allows, allows, objects) == 40);  // of each of 20, before and after
  }
}

TEST_CASE("what goes with a priority class is a change like others") {
  Pod pod = object(PodKind::pod, "p");
  pod.spec.preemption_policy = "Never";
  const Impact found =
      impact(policy(as_it_is),
             policy([](auto& spec) { spec.defaults.priority_class_name = "gold"; }), {pod});
  REQUIRE(found.groups.size() == 1);
  std::vector<std::string> fields;
  for (const Change& change : found.groups[0].changes) fields.push_back(to_string(change.field));
  CHECK(fields == std::vector<std::string>{"spec.priorityClassName", "spec.preemptionPolicy"});
}

TEST_CASE("what is too much for one impact is left to another one") {
  // Of each pod a thousand pairs are changed.
  const auto giving = [](scheduling_policy::SchedulingPolicySpec& spec) {
    as_it_is(spec);
    spec.allowed.node_selectors = any;
    spec.defaults.node_selector.emplace();
    for (int i = 0; i < 1'000; ++i) (*spec.defaults.node_selector)["k" + std::to_string(i)] = "v";
  };
  std::vector<Pod> objects(400, object(PodKind::pod, "p"));
  for (std::size_t i = 0; i < objects.size(); ++i)
    objects[i].metadata.labels["app"] = std::to_string(i);
  std::size_t changed = 0;
  int asked = 0;
  for (std::size_t left = objects.size(); left > 0; ++asked) {
    const Impact found = impact(policy(as_it_is), policy(giving),
                                {objects.end() - static_cast<std::ptrdiff_t>(left), objects.end()});
    REQUIRE(found.not_looked_at < left);
    CHECK(found.changed == left - found.not_looked_at);
    changed += found.changed;
    left = found.not_looked_at;
  }
  CHECK(changed == objects.size());
  CHECK(asked > 1);
}

TEST_CASE("an impact counts the policies and rules that a decision may look at") {
  const engine::Configuration nothing{.systems = {{System::metadata_policy},
                                                  {System::pod_scheduling_policy},
                                                  {System::resource_policy}}};
  const auto steps = [&](const engine::Objects& stored) {
    engine::Configuration configuration = nothing;
    configuration.objects = stored;
    std::size_t taken = 0;
    static_cast<void>(impact(engine_of(configuration), engine_of(nothing),
                             {object(PodKind::pod, "p")},
                             [&](const engine::ImpactProgress& progress) {
                               taken = progress.steps;
                               return true;
                             }));
    return taken;
  };
  const ObjectMeta here{.name = "x", .namespace_ = "shop"};
  const ObjectMeta elsewhere{.name = "x", .namespace_ = "elsewhere"};
  const metadata_policy::MetadataPolicySpec rules{.rules = {{}, {}, {}}};
  const LabelSelector of_none{.match_labels = {{"app", "none"}}};
  const LabelSelector unusable{.match_expressions = {{"app", LabelSelectorOperator::in, {}}}};
  const auto cluster = pod_scheduling_policy::PolicyKind::cluster_pod_scheduling_policy;
  const std::size_t none = steps({});
  CHECK(steps({.metadata_policies = {{here, rules}}}) == none + 6);
  CHECK(steps({.metadata_policies = {{elsewhere, rules}}}) == none);
  CHECK(steps({.pod_scheduling_policies = {
                   {.metadata = here, .spec = {.pod_selector = of_none}}}}) == none + 2);
  CHECK(steps({.pod_scheduling_policies = {
                   {.metadata = elsewhere, .spec = {.pod_selector = of_none}}}}) == none);
  CHECK(steps({.pod_scheduling_policies = {{.kind = cluster,
                                            .metadata = {.name = "x"},
                                            .spec = {.namespace_selector = LabelSelector(),
                                                     .pod_selector = of_none}}}}) == none + 2);
  CHECK(steps({.resource_policies = {{here, {.pod_selector = of_none}}}}) == none + 2);
  CHECK(steps({.resource_policies = {{elsewhere, {.pod_selector = of_none}}}}) == none);
  // What cannot be used is held against every pod.
  CHECK(steps({.resource_policies = {{elsewhere, {.pod_selector = unusable}}}}) == none + 2);
}

TEST_CASE("an impact stops when it is asked to, and tells of the objects so far") {
  const std::vector<Pod> objects(5, object(PodKind::pod, "p"));
  for (std::size_t most : {1, 3, 5}) {
    std::size_t steps = 0;
    const Impact found =
        impact(policy(as_it_is), Engine(), objects, [&](const engine::ImpactProgress& p) {
          CHECK(p.steps > std::exchange(steps, p.steps));
          return p.objects < most;
        });
    CHECK(found.not_looked_at == 5 - most);
    CHECK(found.newly_denied == most);
    CHECK(found.groups.at(0).objects.size() == most);
  }
  CHECK(impact(policy(as_it_is), Engine(), objects).newly_denied == 5);
  CHECK(impact(policy(as_it_is), Engine(), {}) == Impact{});
}

}  // namespace impact_test
